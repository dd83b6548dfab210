/* SPDX-License-Identifier: Apache-2.0 */
/* --stats=json: one document on standard output, {"launches": [...], "checks": [...]}. */
#include "run.h"

static json_int_t n(uint64_t value)
{
    return (json_int_t)value;
}

/* A string of JSON, which is UTF-8; file names and symbols need not be. */
json_t *run_json_text(const char *text)
{
    json_t *string = json_string(text);
    char plain[512];
    size_t size = 0;
    if (string)
        return string;
    for (; size < sizeof plain - 1 && text[size]; size++)
        plain[size] = text[size] >= ' ' && text[size] <= '~' ? text[size] : '?';
    plain[size] = '\0';
    return json_string(plain);
}

/* Take over `value`; false when it could not be made or kept. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return value && json_object_set_new(object, key, value) == 0;
}

static json_t *counts(const struct sam_gpu_stats *s)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
                     "s:I, s:I}",
                     "workgroups", n(s->workgroups), "warps", n(s->warps), "warp_insns",
                     n(s->warp_insns), "seconds", s->seconds, "scalar_insns", n(s->scalar_insns),
                     "vector_insns", n(s->vector_insns), "lane_insns", n(s->lane_insns),
                     "vector_lanes", n(s->vector_lanes), "vector_slots", n(s->vector_slots),
                     "barriers", n(s->barriers), "memory_insns", n(s->memory_insns),
                     "memory_accesses", n(s->memory_accesses), "lines", n(s->lines), "global_insns",
                     n(s->global_insns), "lds_insns", n(s->lds_insns), "lds_conflicts",
                     n(s->lds_conflicts), "simt_depth", n(s->simt_depth));
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
        json_t *row = json_pack("{s:I, s:o, s:o, s:I, s:I}", "pc", n(b->pc), "symbol",
                                run_json_text(where), "text", run_json_text(text), "executed",
                                n(b->executed), "diverged", n(b->diverged));
        good = row && json_array_append_new(rows, row) == 0;
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
        good = set(rows, s->mix[i].mnemonic, json_integer(n(s->mix[i].warp_insns)));
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
    return json_pack("{s:o, s:I, s:[I,I,I], s:I, s:I, s:I, s:I, s:I}", "text", run_json_text(text),
                     "workgroup", n(t->workgroup), "group", n(t->group[0]), n(t->group[1]),
                     n(t->group[2]), "warp", n(t->warp), "lanes", n(t->lanes), "pc", n(t->pc),
                     "word", n(t->word), "tval", n(t->tval));
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
            json_pack("{s:I, s:I, s:I, s:o, s:b}", "workgroup", n(p->workgroup), "warp", n(p->warp),
                      "pc", n(p->pc), "symbol", run_json_text(where), "waits", p->waits);
        good = row && json_array_append_new(rows, row) == 0;
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
    json_t *row = json_pack("{s:o, s:o, s:[I,I,I], s:I, s:I, s:b}", "kernel", run_json_text(kernel),
                            "file", run_json_text(source), "grid", n(launch->grid[0]),
                            n(launch->grid[1]), n(launch->grid[2]), "warps_per_workgroup",
                            n(launch->warps), "lanes", n(launch->lanes), "done", !failed);
    bool good = row && set(row, "counts", counts(&result->stats)) &&
                set(row, "branches", branches(run, &result->stats)) &&
                set(row, "mix", mix(&result->stats)) &&
                (!failed || set(row, "trap", trap(run, &result->trap))) &&
                (!result->place_count || set(row, "places", places(run, result)));
    if (!good) {
        json_decref(row);
        return false;
    }
    return json_array_append_new(run->json_launches, row) == 0;
}

int run_json_print(const struct run *run)
{
    json_t *document = json_pack("{s:s, s:O, s:O}", "samite", sam_version(), "launches",
                                 run->json_launches, "checks", run->json_checks);
    bool good = document && json_dumpf(document, stdout, JSON_INDENT(2)) == 0;
    fputc('\n', stdout);
    json_decref(document);
    if (good)
        return CLI_OK;
    fprintf(stderr, "samite: error: cannot write the statistics\n");
    return CLI_BAD_INPUT;
}
