/* SPDX-License-Identifier: Apache-2.0 */
/* The report for programs. */
#include <jansson.h>
#include <stdlib.h>

#include "gputime/report.h"

/* Text from outside as UTF-8; NULL as null. */
static json_t *text_of(const char *text)
{
    struct sam_buffer plain = {0};
    if (!text)
        return json_null();
    sam_buffer_plain(&plain, text, strlen(text), ' ');
    json_t *value = plain.failed ? NULL : json_string(sam_buffer_text(&plain));
    sam_buffer_free(&plain);
    return value;
}

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* Jansson takes NULL for a value as a failure, and the whole is checked when it is printed. */
static void set(json_t *object, const char *name, json_t *value, bool *good)
{
    *good = json_object_set_new(object, name, value) == 0 && *good;
}

static void add(json_t *array, json_t *value, bool *good)
{
    *good = json_array_append_new(array, value) == 0 && *good;
}

static json_t *reasons_of(const uint64_t reasons[SAM_GPUTIME_REASONS], bool *good)
{
    json_t *object = json_object();
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
        set(object, sam_gputime_reason_name(reason), count(reasons[reason]), good);
    return object;
}

static json_t *cache_of(const struct sam_gputime_cache *c, bool *good)
{
    json_t *object = json_object();
    set(object, "reads", count(c->reads), good);
    set(object, "writes", count(c->writes), good);
    set(object, "read_hits", count(c->read_hits), good);
    set(object, "write_hits", count(c->write_hits), good);
    set(object, "merges", count(c->merges), good);
    set(object, "refusals", count(c->refusals), good);
    set(object, "evictions", count(c->evictions), good);
    set(object, "dirty", count(c->dirty), good);
    return object;
}

static json_t *sm_of(const struct sam_gputime_facts *f, uint32_t index, bool *good)
{
    const struct sam_gputime_result *r = f->result;
    const struct sam_gputime_sm *sm = &r->sm[index];
    json_t *object = json_object(), *units = json_object(), *slots = json_array();
    set(object, "workgroups", count(sm->groups), good);
    set(object, "warps", count(sm->warps), good);
    set(object, "insns", count(sm->insns), good);
    set(object, "warp_cycles", count(sm->warp_cycles), good);
    set(object, "bank_conflicts", count(sm->bank_conflicts), good);
    set(object, "lds_accesses", count(sm->lds_accesses), good);
    set(object, "lds_turns", count(sm->lds_turns), good);
    set(object, "icache", cache_of(&sm->icache, good), good);
    set(object, "l1d", cache_of(&sm->l1d, good), good);
    set(object, "reasons", reasons_of(sm->reasons, good), good);
    for (unsigned u = 0; u < SAM_GPUTIME_UNITS; u++) {
        json_t *unit = json_object();
        set(unit, "uses", count(sm->uses[u]), good);
        set(unit, "reasons", reasons_of(sm->units[u], good), good);
        set(units, sam_gputime_unit_name(u), unit, good);
    }
    for (uint32_t slot = 0; slot < r->slots; slot++)
        add(slots, reasons_of(r->warp_slots[(size_t)index * r->slots + slot], good), good);
    set(object, "units", units, good);
    set(object, "warp_slots", slots, good);
    return object;
}

/* The members of an object that say where an instruction is. */
static void set_place(const struct sam_gputime_facts *f, json_t *object,
                      const struct sam_gputime_row *row, bool *good)
{
    char text[160];
    uint32_t line = 0;
    const char *file = sam_image_line_at(f->image, row->pc, &line);
    set(object, "pc", json_sprintf("0x%08llx", (unsigned long long)row->pc), good);
    sam_image_describe(f->image, row->pc, text, sizeof text);
    set(object, "symbol", text_of(text), good);
    set(object, "file", text_of(file), good);
    set(object, "line", json_integer(file ? (json_int_t)line : 0), good);
    sam_gputime_text(f, row, text, sizeof text);
    set(object, "text", text_of(text), good);
}

static json_t *insn_of(const struct sam_gputime_facts *f, const struct sam_gputime_row *row,
                       bool *good)
{
    json_t *object = json_object();
    set_place(f, object, row, good);
    set(object, "issues", count(row->issues), good);
    set(object, "lanes", count(row->lanes), good);
    set(object, "latency", count(row->latency), good);
    set(object, "accesses", count(row->accesses), good);
    set(object, "lines", count(row->lines), good);
    set(object, "misses", count(row->misses), good);
    set(object, "turns", count(row->turns), good);
    set(object, "reasons", reasons_of(row->reasons, good), good);
    return object;
}

static json_t *finding_of(const struct sam_gputime_facts *f,
                          const struct sam_gputime_finding *finding, bool *good)
{
    json_t *object = json_object();
    set(object, "name", json_string(finding->name), good);
    set(object, "share", json_real(finding->share), good);
    set(object, "advice", json_string(finding->text), good);
    if (finding->row)
        set_place(f, object, finding->row, good);
    return object;
}

static json_t *config_of(const struct sam_gputime_config *config, bool *good)
{
    json_t *object = json_object();
    const struct sam_parameter *p;
    for (size_t i = 0; (p = sam_gputime_parameter(i)); i++) {
        uint32_t value = 0;
        sam_gputime_config_get(config, p->name, &value);
        set(object, p->name, count(value), good);
    }
    return object;
}

static json_t *occupancy_of(const struct sam_gputime_facts *f, bool *good)
{
    const struct sam_gputime_result *r = f->result;
    json_t *object = json_object();
    set(object, "warp_slots", count((uint64_t)r->sms * r->slots), good);
    set(object, "mean_warps", json_real(sam_gputime_share(f->resident, r->cycles)), good);
    set(object, "workgroups_per_sm", count(r->groups_resident), good);
    set(object, "limit", json_string(sam_gputime_limit_name(r->limit)), good);
    return object;
}

static json_t *dram_of(const struct sam_gputime_result *r, bool *good)
{
    json_t *object = json_object();
    set(object, "reads", count(r->dram_reads), good);
    set(object, "writes", count(r->dram_writes), good);
    set(object, "bytes_read", count(r->dram_bytes_read), good);
    set(object, "bytes_written", count(r->dram_bytes_written), good);
    set(object, "busy", count(r->dram_busy), good);
    return object;
}

void sam_gputime_put_json(const struct sam_gputime_facts *f, struct sam_buffer *out)
{
    const struct sam_gputime_result *r = f->result;
    json_t *root = json_object(), *sms = json_array(), *insns = json_array();
    json_t *findings = json_array();
    bool good = true;
    set(root, "cycles", count(r->cycles), &good);
    set(root, "launch_cycles", count(r->launch_cycles), &good);
    set(root, "insns", count(r->insns), &good);
    set(root, "counted_insns", count(r->counted_insns), &good);
    set(root, "ipc", json_real(sam_gputime_share(r->insns, r->cycles)), &good);
    set(root, "config", config_of(&f->config, &good), &good);
    set(root, "occupancy", occupancy_of(f, &good), &good);
    set(root, "l2", cache_of(&r->l2, &good), &good);
    set(root, "l2_busy", count(r->l2_busy), &good);
    set(root, "dram", dram_of(r, &good), &good);
    for (uint32_t i = 0; i < r->sms; i++)
        add(sms, sm_of(f, i, &good), &good);
    for (size_t i = 0; i < r->row_count; i++)
        add(insns, insn_of(f, &r->rows[i], &good), &good);
    for (size_t i = 0; i < f->finding_count; i++)
        add(findings, finding_of(f, &f->findings[i], &good), &good);
    set(root, "sms", sms, &good);
    set(root, "instructions", insns, &good);
    set(root, "findings", findings, &good);
    char *text = good ? json_dumps(root, JSON_INDENT(1)) : NULL;
    if (text)
        sam_buffer_puts(out, text);
    else
        out->failed = true;
    free(text);
    json_decref(root);
}
