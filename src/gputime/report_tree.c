/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a launch as a tree of named values: the JSON document. */
#include "energy/energy.h"
#include "gputime/report.h"

#define CACHE(field)       SAM_TREE_FIELD(struct sam_gputime_cache, field)
#define SM(name, field)    SAM_TREE_FIELD_AS(name, struct sam_gputime_sm, field)
#define ROW(field)         SAM_TREE_FIELD(struct sam_gputime_row, field)
#define WHOLE(name, field) SAM_TREE_FIELD_AS(name, struct sam_gputime_result, field)

static const struct sam_tree_field cache_members[] = {
    CACHE(reads),      CACHE(writes), CACHE(read_hits),
    CACHE(write_hits), CACHE(merges), CACHE(refusals),
    CACHE(evictions),  CACHE(dirty),  {0},
};
static const struct sam_tree_field sm_members[] = {
    SM("workgroups", groups),
    SM("warps", warps),
    SM("insns", insns),
    SM("warp_cycles", warp_cycles),
    SM("bank_conflicts", bank_conflicts),
    SM("lds_accesses", lds_accesses),
    SM("lds_passes", lds_passes),
    {0},
};
static const struct sam_tree_field row_members[] = {
    ROW(issues), ROW(lanes), ROW(latency), ROW(accesses), ROW(lines), ROW(misses), ROW(passes), {0},
};
static const struct sam_tree_field root_members[] = {
    WHOLE("cycles", cycles),
    WHOLE("launch_cycles", launch_cycles),
    WHOLE("insns", insns),
    WHOLE("counted_insns", counted_insns),
    {0},
};
static const struct sam_tree_field dram_members[] = {
    WHOLE("reads", dram_reads),
    WHOLE("writes", dram_writes),
    WHOLE("bytes_read", dram_bytes_read),
    WHOLE("bytes_written", dram_bytes_written),
    WHOLE("busy", dram_busy),
    {0},
};

json_t *sam_gputime_cache_tree(const struct sam_gputime_cache *cache)
{
    return sam_tree_fields(json_object(), cache_members, cache);
}

json_t *sam_gputime_reasons_tree(const uint64_t reasons[SAM_GPUTIME_REASONS])
{
    return sam_tree_named(reasons, SAM_GPUTIME_REASONS, sam_gputime_reason_name);
}

static json_t *sm_of(const struct sam_gputime_facts *f, uint32_t index)
{
    const struct sam_gputime_result *r = f->result;
    const struct sam_gputime_sm *sm = &r->sm[index];
    json_t *object = sam_tree_fields(json_object(), sm_members, sm), *units = json_object();
    json_t *slots = json_array();
    object = sam_tree_set(object, "icache", sam_gputime_cache_tree(&sm->icache));
    object = sam_tree_set(object, "l1d", sam_gputime_cache_tree(&sm->l1d));
    object = sam_tree_set(object, "reasons", sam_gputime_reasons_tree(sm->reasons));
    for (unsigned u = 0; u < SAM_GPUTIME_UNITS; u++) {
        json_t *unit = sam_tree_count(json_object(), "uses", sm->uses[u]);
        unit = sam_tree_set(unit, "reasons", sam_gputime_reasons_tree(sm->units[u]));
        units = sam_tree_set(units, sam_gputime_unit_name(u), unit);
    }
    for (uint32_t slot = 0; slot < r->slots; slot++)
        slots = sam_tree_add(
            slots, sam_gputime_reasons_tree(r->warp_slots[(size_t)index * r->slots + slot]));
    return sam_tree_set(sam_tree_set(object, "units", units), "warp_slots", slots);
}

/* Set the members that locate an instruction. */
static json_t *set_place(const struct sam_gputime_facts *f, json_t *object,
                         const struct sam_gputime_row *row)
{
    char text[160];
    uint32_t line = 0;
    const char *file = sam_image_line_at(f->image, row->pc, &line);
    object = sam_tree_set(object, "pc", json_sprintf("0x%08llx", (unsigned long long)row->pc));
    sam_image_describe(f->image, row->pc, text, sizeof text);
    object = sam_tree_set(object, "symbol", sam_tree_plain(text));
    object = sam_tree_set(object, "file", sam_tree_plain(file));
    object = sam_tree_count(object, "line", file ? line : 0);
    sam_gputime_text(f, row, text, sizeof text);
    return sam_tree_set(object, "text", sam_tree_plain(text));
}

static json_t *insn_of(const struct sam_gputime_facts *f, const struct sam_gputime_row *row)
{
    json_t *object = sam_tree_fields(set_place(f, json_object(), row), row_members, row);
    return sam_tree_set(object, "reasons", sam_gputime_reasons_tree(row->reasons));
}

static json_t *finding_of(const struct sam_gputime_facts *f,
                          const struct sam_gputime_finding *finding)
{
    json_t *object = sam_tree_text(json_object(), "name", finding->name);
    object = sam_tree_real(object, "share", finding->share);
    object = sam_tree_text(object, "advice", finding->text);
    return finding->row ? set_place(f, object, finding->row) : object;
}

static json_t *config_of(const struct sam_gputime_config *config)
{
    json_t *object = json_object();
    const struct sam_parameter *p;
    for (size_t i = 0; (p = sam_gputime_parameter(i)); i++) {
        uint32_t value = 0;
        sam_gputime_config_get(config, p->name, &value);
        object = sam_tree_count(object, p->name, value);
    }
    return object;
}

static json_t *occupancy_of(const struct sam_gputime_facts *f)
{
    const struct sam_gputime_result *r = f->result;
    json_t *object = sam_tree_count(json_object(), "warp_slots", (uint64_t)r->sms * r->slots);
    object = sam_tree_real(object, "mean_warps", sam_gputime_share(f->resident, r->cycles));
    object = sam_tree_count(object, "workgroups_per_sm", r->groups_resident);
    return sam_tree_text(object, "limit", sam_gputime_limit_name(r->limit));
}

json_t *sam_gputime_tree(const struct sam_gputime_facts *f, bool with_insns)
{
    const struct sam_gputime_result *r = f->result;
    json_t *root = sam_tree_fields(json_object(), root_members, r), *sms = json_array();
    json_t *insns = json_array(), *findings = json_array();
    for (uint32_t i = 0; i < r->sms; i++)
        sms = sam_tree_add(sms, sm_of(f, i));
    for (size_t i = 0; with_insns && i < r->row_count; i++)
        insns = sam_tree_add(insns, insn_of(f, &r->rows[i]));
    for (size_t i = 0; i < f->finding_count; i++)
        findings = sam_tree_add(findings, finding_of(f, &f->findings[i]));
    root = sam_tree_real(root, "ipc", sam_gputime_share(r->insns, r->cycles));
    root = sam_tree_set(root, "config", config_of(&f->config));
    root = sam_tree_set(root, "occupancy", occupancy_of(f));
    root = sam_tree_set(root, "l2", sam_gputime_cache_tree(&r->l2));
    root = sam_tree_count(root, "l2_busy", r->l2_busy);
    root = sam_tree_set(root, "dram", sam_tree_fields(json_object(), dram_members, r));
    root = sam_tree_set(root, "energy", sam_energy_tree(&f->energy));
    root = sam_tree_set(root, "sms", sms);
    root = sam_tree_set(root, "instructions", insns);
    return sam_tree_set(root, "findings", findings);
}
