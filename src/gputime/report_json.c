/* SPDX-License-Identifier: Apache-2.0 */
/* The report as JSON. */
#include "base/json.h"
#include "energy/energy.h"
#include "gputime/report.h"

#define MEMBER(type, name, field)                                                                  \
    {                                                                                              \
        (name), offsetof(struct type, field)                                                       \
    }
#define CACHE(field)       MEMBER(sam_gputime_cache, #field, field)
#define SM(name, field)    MEMBER(sam_gputime_sm, name, field)
#define ROW(field)         MEMBER(sam_gputime_row, #field, field)
#define WHOLE(name, field) MEMBER(sam_gputime_result, name, field)

static const struct sam_json_member cache_members[] = {
    CACHE(reads),    CACHE(writes),    CACHE(read_hits), CACHE(write_hits), CACHE(merges),
    CACHE(refusals), CACHE(evictions), CACHE(dirty),     {NULL, 0},
};
static const struct sam_json_member sm_members[] = {
    SM("workgroups", groups),
    SM("warps", warps),
    SM("insns", insns),
    SM("warp_cycles", warp_cycles),
    SM("bank_conflicts", bank_conflicts),
    SM("lds_accesses", lds_accesses),
    SM("lds_turns", lds_turns),
    {NULL, 0},
};
static const struct sam_json_member row_members[] = {
    ROW(issues), ROW(lanes),  ROW(latency), ROW(accesses),
    ROW(lines),  ROW(misses), ROW(turns),   {NULL, 0},
};
static const struct sam_json_member root_members[] = {
    WHOLE("cycles", cycles),
    WHOLE("launch_cycles", launch_cycles),
    WHOLE("insns", insns),
    WHOLE("counted_insns", counted_insns),
    {NULL, 0},
};
static const struct sam_json_member dram_members[] = {
    WHOLE("reads", dram_reads),
    WHOLE("writes", dram_writes),
    WHOLE("bytes_read", dram_bytes_read),
    WHOLE("bytes_written", dram_bytes_written),
    WHOLE("busy", dram_busy),
    {NULL, 0},
};

static json_t *counts_of(const void *from, const struct sam_json_member *members, bool *good)
{
    json_t *object = json_object();
    sam_json_set_counts(object, from, members, good);
    return object;
}

static json_t *reasons_of(const uint64_t reasons[SAM_GPUTIME_REASONS], bool *good)
{
    json_t *object = json_object();
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
        sam_json_set(object, sam_gputime_reason_name(reason), sam_json_count(reasons[reason]),
                     good);
    return object;
}

static json_t *sm_of(const struct sam_gputime_facts *f, uint32_t index, bool *good)
{
    const struct sam_gputime_result *r = f->result;
    const struct sam_gputime_sm *sm = &r->sm[index];
    json_t *object = counts_of(sm, sm_members, good), *units = json_object();
    json_t *slots = json_array();
    sam_json_set(object, "icache", counts_of(&sm->icache, cache_members, good), good);
    sam_json_set(object, "l1d", counts_of(&sm->l1d, cache_members, good), good);
    sam_json_set(object, "reasons", reasons_of(sm->reasons, good), good);
    for (unsigned u = 0; u < SAM_GPUTIME_UNITS; u++) {
        json_t *unit = json_object();
        sam_json_set(unit, "uses", sam_json_count(sm->uses[u]), good);
        sam_json_set(unit, "reasons", reasons_of(sm->units[u], good), good);
        sam_json_set(units, sam_gputime_unit_name(u), unit, good);
    }
    for (uint32_t slot = 0; slot < r->slots; slot++)
        sam_json_add(slots, reasons_of(r->warp_slots[(size_t)index * r->slots + slot], good), good);
    sam_json_set(object, "units", units, good);
    sam_json_set(object, "warp_slots", slots, good);
    return object;
}

/* Set the members that locate an instruction. */
static void set_place(const struct sam_gputime_facts *f, json_t *object,
                      const struct sam_gputime_row *row, bool *good)
{
    char text[160];
    uint32_t line = 0;
    const char *file = sam_image_line_at(f->image, row->pc, &line);
    sam_json_set(object, "pc", json_sprintf("0x%08llx", (unsigned long long)row->pc), good);
    sam_image_describe(f->image, row->pc, text, sizeof text);
    sam_json_set(object, "symbol", sam_json_text(text), good);
    sam_json_set(object, "file", sam_json_text(file), good);
    sam_json_set(object, "line", json_integer(file ? (json_int_t)line : 0), good);
    sam_gputime_text(f, row, text, sizeof text);
    sam_json_set(object, "text", sam_json_text(text), good);
}

static json_t *insn_of(const struct sam_gputime_facts *f, const struct sam_gputime_row *row,
                       bool *good)
{
    json_t *object = json_object();
    set_place(f, object, row, good);
    sam_json_set_counts(object, row, row_members, good);
    sam_json_set(object, "reasons", reasons_of(row->reasons, good), good);
    return object;
}

static json_t *finding_of(const struct sam_gputime_facts *f,
                          const struct sam_gputime_finding *finding, bool *good)
{
    json_t *object = json_object();
    sam_json_set(object, "name", json_string(finding->name), good);
    sam_json_set(object, "share", json_real(finding->share), good);
    sam_json_set(object, "advice", json_string(finding->text), good);
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
        sam_json_set(object, p->name, sam_json_count(value), good);
    }
    return object;
}

static json_t *occupancy_of(const struct sam_gputime_facts *f, bool *good)
{
    const struct sam_gputime_result *r = f->result;
    json_t *object = json_object();
    sam_json_set(object, "warp_slots", sam_json_count((uint64_t)r->sms * r->slots), good);
    sam_json_set(object, "mean_warps", json_real(sam_gputime_share(f->resident, r->cycles)), good);
    sam_json_set(object, "workgroups_per_sm", sam_json_count(r->groups_resident), good);
    sam_json_set(object, "limit", json_string(sam_gputime_limit_name(r->limit)), good);
    return object;
}

void sam_gputime_put_json(const struct sam_gputime_facts *f, struct sam_buffer *out)
{
    const struct sam_gputime_result *r = f->result;
    bool good = true;
    json_t *root = counts_of(r, root_members, &good), *sms = json_array(), *insns = json_array();
    json_t *findings = json_array();
    sam_json_set(root, "ipc", json_real(sam_gputime_share(r->insns, r->cycles)), &good);
    sam_json_set(root, "config", config_of(&f->config, &good), &good);
    sam_json_set(root, "occupancy", occupancy_of(f, &good), &good);
    sam_json_set(root, "l2", counts_of(&r->l2, cache_members, &good), &good);
    sam_json_set(root, "l2_busy", sam_json_count(r->l2_busy), &good);
    sam_json_set(root, "dram", counts_of(r, dram_members, &good), &good);
    for (uint32_t i = 0; i < r->sms; i++)
        sam_json_add(sms, sm_of(f, i, &good), &good);
    for (size_t i = 0; i < r->row_count; i++)
        sam_json_add(insns, insn_of(f, &r->rows[i], &good), &good);
    for (size_t i = 0; i < f->finding_count; i++)
        sam_json_add(findings, finding_of(f, &f->findings[i], &good), &good);
    sam_json_set(root, "energy", sam_energy_json(&f->energy, &good), &good);
    sam_json_set(root, "sms", sms, &good);
    sam_json_set(root, "instructions", insns, &good);
    sam_json_set(root, "findings", findings, &good);
    sam_json_put(root, good, "", out);
}
