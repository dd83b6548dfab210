/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle report of a launch: sums, then one of the writers. */
#include "gputime/report.h"

double sam_gputime_share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

uint64_t sam_gputime_row_cycles(const struct sam_gputime_row *row)
{
    uint64_t sum = 0;
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
        sum += row->reasons[reason];
    return sum;
}

void sam_gputime_text(const struct sam_gputime_facts *f, const struct sam_gputime_row *row,
                      char *text, size_t size)
{
    text[0] = '\0';
    if (row->word)
        sam_disassemble(&f->isa, row->word, row->pc, row->prefix, f->image, text, size);
}

void sam_gputime_place(const struct sam_gputime_facts *f, const struct sam_gputime_row *row,
                       struct sam_buffer *out)
{
    char text[160];
    uint32_t line = 0;
    const char *file = sam_image_line_at(f->image, row->pc, &line);
    sam_buffer_printf(out, "0x%08llx", (unsigned long long)row->pc);
    if (sam_image_symbol_at(f->image, row->pc)) {
        sam_image_describe(f->image, row->pc, text, sizeof text);
        sam_buffer_puts(out, " <");
        sam_buffer_plain(out, text, strlen(text), ' ');
        sam_buffer_puts(out, ">");
    }
    if (file) {
        sam_buffer_puts(out, " ");
        sam_buffer_plain(out, file, strlen(file), ' ');
        sam_buffer_printf(out, ":%u", line);
    }
    sam_gputime_text(f, row, text, sizeof text);
    if (text[0]) {
        sam_buffer_puts(out, " ");
        sam_buffer_plain(out, text, strlen(text), ' ');
    }
}

static void add_cache(struct sam_gputime_cache *sum, const struct sam_gputime_cache *c)
{
    sum->reads += c->reads;
    sum->writes += c->writes;
    sum->read_hits += c->read_hits;
    sum->write_hits += c->write_hits;
    sum->merges += c->merges;
    sum->refusals += c->refusals;
    sum->evictions += c->evictions;
    sum->dirty += c->dirty;
}

void sam_gputime_energy(const struct sam_gputime_config *config, const struct sam_gputime_result *r,
                        struct sam_energy *energy)
{
    *energy = (struct sam_energy){.config = config->energy};
    uint64_t *count = energy->count;
    count[SAM_ENERGY_gpu_insn] = r->insns;
    for (size_t i = 0; i < r->row_count; i++)
        count[SAM_ENERGY_gpu_lane] += r->rows[i].lanes;
    for (uint32_t i = 0; i < r->sms; i++) {
        const struct sam_gputime_sm *sm = &r->sm[i];
        count[SAM_ENERGY_gpu_l1_byte] += (sm->l1d.reads + sm->l1d.writes) * config->line_bytes;
        count[SAM_ENERGY_gpu_lds_pass] += sm->lds_passes;
    }
    count[SAM_ENERGY_l2_byte] = (r->l2.reads + r->l2.writes) * sam_gputime_l2_line(config);
    count[SAM_ENERGY_dram_byte] = r->dram_bytes_read + r->dram_bytes_written;
}

static void add_up(struct sam_gputime_facts *f)
{
    const struct sam_gputime_result *r = f->result;
    for (size_t i = 0; i < (size_t)r->sms * r->slots; i++)
        for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
            f->slots[reason] += r->warp_slots[i][reason];
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
        f->resident += reason == SAM_GPUTIME_EMPTY ? 0 : f->slots[reason];
    for (uint32_t i = 0; i < r->sms; i++) {
        const struct sam_gputime_sm *sm = &r->sm[i];
        for (unsigned u = 0; u < SAM_GPUTIME_UNITS; u++) {
            f->uses[u] += sm->uses[u];
            for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
                f->unit[u][reason] += sm->units[u][reason];
        }
        f->sum.groups += sm->groups;
        f->sum.warps += sm->warps;
        f->sum.insns += sm->insns;
        f->sum.warp_cycles += sm->warp_cycles;
        f->sum.bank_conflicts += sm->bank_conflicts;
        f->sum.lds_accesses += sm->lds_accesses;
        f->sum.lds_passes += sm->lds_passes;
        add_cache(&f->sum.icache, &sm->icache);
        add_cache(&f->sum.l1d, &sm->l1d);
    }
}

enum sam_status sam_gputime_report(const struct sam_gputime_result *result,
                                   enum sam_gputime_format format,
                                   const struct sam_gputime_report_options *options, char **text,
                                   struct sam_error *error)
{
    struct sam_gputime_report_options taken;
    struct sam_gputime_facts facts = {.result = result};
    if (SAM_LACKS(error, result, text))
        return SAM_ERR_USAGE;
    *text = NULL;
    if (format != SAM_GPUTIME_TEXT && format != SAM_GPUTIME_JSON)
        return sam_fail(error, SAM_ERR_USAGE, "report format %d: expected 0 or 1", (int)format);
    enum sam_status status = sam_options_take(&taken, sizeof taken, sizeof taken, options, error);
    if (status == SAM_OK)
        status = sam_isa_parse("ventus", &facts.isa, error);
    if (status != SAM_OK)
        return status;
    sam_gputime_config_init(&facts.config);
    if (taken.config)
        facts.config = *taken.config;
    facts.image = taken.image;
    add_up(&facts);
    sam_gputime_find(&facts);
    sam_gputime_energy(&facts.config, result, &facts.energy);
    json_t *tree = sam_gputime_tree(&facts, format == SAM_GPUTIME_JSON);
    if (format == SAM_GPUTIME_JSON)
        return sam_tree_report(tree, NULL, "", text, error);
    return sam_tree_report(sam_gputime_text_tree(&facts, tree), sam_gputime_lines, "", text, error);
}
