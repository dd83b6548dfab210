/* SPDX-License-Identifier: Apache-2.0 */
/* --json: one document on standard output, {"launches": [...], "checks": [...]}. */
#include "run.h"

static json_t *counts(const struct sam_gpu_stats *s)
{
    return json_pack(
        "{s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
        "s:I, s:I}",
        "workgroups", cli_json_number(s->workgroups), "warps", cli_json_number(s->warps),
        "warp_insns", cli_json_number(s->warp_insns), "seconds", s->seconds, "scalar_insns",
        cli_json_number(s->scalar_insns), "vector_insns", cli_json_number(s->vector_insns),
        "lane_insns", cli_json_number(s->lane_insns), "vector_lanes",
        cli_json_number(s->vector_lanes), "vector_slots", cli_json_number(s->vector_slots),
        "barriers", cli_json_number(s->barriers), "memory_insns", cli_json_number(s->memory_insns),
        "memory_accesses", cli_json_number(s->memory_accesses), "lines", cli_json_number(s->lines),
        "global_insns", cli_json_number(s->global_insns), "lds_insns",
        cli_json_number(s->lds_insns), "lds_conflicts", cli_json_number(s->lds_conflicts),
        "simt_depth", cli_json_number(s->simt_depth));
}

static json_t *branches(const struct run *run, const struct sam_gpu_stats *s)
{
    struct sam_isa isa;
    json_t *rows = json_array();
    bool good = rows && sam_isa_parse("ventus", &isa, NULL) == SAM_OK;
    for (size_t i = 0; good && i < s->branch_count; i++) {
        const struct sam_branch_stats *b = &s->branches[i];
        char where[160], text[160];
        run_symbol_text(run, b->pc, where, sizeof where);
        sam_disassemble(&isa, b->word, b->pc, 0, run->image, text, sizeof text);
        json_t *row =
            json_pack("{s:I, s:o, s:o, s:I, s:I}", "pc", cli_json_number(b->pc), "symbol",
                      cli_json_text(where), "text", cli_json_text(text), "executed",
                      cli_json_number(b->executed), "diverged", cli_json_number(b->diverged));
        good = cli_json_append(rows, row);
    }
    if (!good) {
        json_decref(rows);
        return NULL;
    }
    return rows;
}

static json_t *mix(const struct sam_gpu_stats *s)
{
    json_t *rows = json_object();
    bool good = rows != NULL;
    for (size_t i = 0; good && i < s->mix_count; i++)
        good = cli_json_set(rows, s->mix[i].mnemonic,
                            json_integer(cli_json_number(s->mix[i].warp_insns)));
    if (!good) {
        json_decref(rows);
        return NULL;
    }
    return rows;
}

static json_t *trap(const struct run *run, const struct sam_trap *t)
{
    char text[512];
    sam_trap_describe(t, run->image, text, sizeof text);
    return json_pack("{s:o, s:I, s:[I,I,I], s:I, s:I, s:I, s:I, s:I}", "text", cli_json_text(text),
                     "workgroup", cli_json_number(t->workgroup), "group",
                     cli_json_number(t->group[0]), cli_json_number(t->group[1]),
                     cli_json_number(t->group[2]), "warp", cli_json_number(t->warp), "lanes",
                     cli_json_number(t->lanes), "pc", cli_json_number(t->pc), "word",
                     cli_json_number(t->word), "tval", cli_json_number(t->tval));
}

static json_t *places(const struct run *run, const struct sam_gpu_result *result)
{
    json_t *rows = json_array();
    bool good = rows != NULL;
    for (size_t i = 0; good && i < result->place_count; i++) {
        const struct sam_warp_place *p = &result->places[i];
        char where[160];
        run_symbol_text(run, p->pc, where, sizeof where);
        json_t *row =
            json_pack("{s:I, s:I, s:I, s:o, s:b}", "workgroup", cli_json_number(p->workgroup),
                      "warp", cli_json_number(p->warp), "pc", cli_json_number(p->pc), "symbol",
                      cli_json_text(where), "waits", p->waits);
        good = cli_json_append(rows, row);
    }
    if (!good) {
        json_decref(rows);
        return NULL;
    }
    return rows;
}

bool run_json_launch(struct run *run, const struct sam_launch *launch, const char *kernel,
                     const char *source, const struct sam_gpu_result *result)
{
    bool failed = result->trap.kind != SAM_TRAP_NONE;
    json_t *row = json_pack("{s:o, s:o, s:[I,I,I], s:I, s:I, s:b}", "kernel", cli_json_text(kernel),
                            "file", cli_json_text(source), "grid", cli_json_number(launch->grid[0]),
                            cli_json_number(launch->grid[1]), cli_json_number(launch->grid[2]),
                            "warps_per_workgroup", cli_json_number(launch->warps), "lanes",
                            cli_json_number(launch->lanes), "done", !failed);
    bool good = cli_json_set(row, "counts", counts(&result->stats)) &&
                cli_json_set(row, "branches", branches(run, &result->stats)) &&
                cli_json_set(row, "mix", mix(&result->stats)) &&
                (!failed || cli_json_set(row, "trap", trap(run, &result->trap))) &&
                (!result->place_count || cli_json_set(row, "places", places(run, result)));
    if (!good) {
        json_decref(row);
        return false;
    }
    return cli_json_append(run->json_launches, row);
}

int run_json_print(const struct run *run)
{
    json_t *document = json_pack("{s:s, s:O, s:O}", "samite", sam_version(), "launches",
                                 run->json_launches, "checks", run->json_checks);
    return cli_json_print(document);
}
