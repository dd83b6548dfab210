/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a sweep as CSV. */
#include <stdlib.h>

#include "sweep.h"

/* A column: its name in the first line, its number in each other. */
typedef void visit(FILE *out, const char *name, const char *part, double value, int digits);

static void put_name(FILE *out, const char *name, const char *part, double value, int digits)
{
    (void)value;
    (void)digits;
    for (; *name; name++)
        fputc(*name == ' ' ? '_' : *name, out);
    fprintf(out, "%s%s,", *part ? "_" : "", part);
}

static void put_value(FILE *out, const char *name, const char *part, double value, int digits)
{
    (void)name;
    (void)part;
    fprintf(out, "%.*f,", digits, value);
}

/* Of a run that failed. */
static void put_nothing(FILE *out, const char *name, const char *part, double value, int digits)
{
    (void)name;
    (void)part;
    (void)value;
    (void)digits;
    fputc(',', out);
}

static void visit_matrix(FILE *out, const struct sam_mxu_stats *r, visit *put)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"mma_uops", r->mma_uops},         {"pointwise_uops", r->pw_uops},
        {"load_uops", r->load_uops},       {"store_uops", r->store_uops},
        {"zero_uops", r->zero_uops},       {"macs", r->macs},
        {"read_beats", r->read_beats},     {"write_beats", r->write_beats},
        {"bytes_loaded", r->bytes_loaded}, {"bytes_stored", r->bytes_stored},
    };
    put(out, "cycles", "", (double)r->cycles, 0);
    put(out, "utilisation", "", r->cycles ? r->full_uops / (double)r->cycles : 0, 6);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        put(out, numbers[i].name, "", (double)numbers[i].value, 0);
}

static void visit_engines(FILE *out, const struct sam_engines_report *r, visit *put)
{
    put(out, "engines_cycles", "", (double)r->cycles, 0);
    put(out, "engines_instructions", "", (double)r->instructions, 0);
    for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++)
        put(out, sam_engine_name(e), "engine_bytes", (double)r->engine[e].bytes, 0);
}

static void visit_run(FILE *out, const struct sweep *s, const struct sweep_run *run, visit *put)
{
    struct sweep_parts parts;
    if (s->shows_matrix)
        visit_matrix(out, &run->stats, put);
    if (s->shows_engines)
        visit_engines(out, &run->engines, put);
    for (size_t i = 0; sweep_parts(s, run, i, &parts); i++)
        for (unsigned p = 0; p < parts.count; p++)
            put(out, parts.name, parts.part_name(p), (double)parts.cycles[p], 0);
}

/* In quotes, which are doubled inside. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

char *sweep_csv(const struct sweep *s)
{
    static const struct sweep_run none;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (unsigned a = 0; a < s->axis_count; a++)
        fprintf(out, "%s,", s->axes[a].name);
    visit_run(out, s, &none, put_name);
    fprintf(out, "error\n");
    for (size_t i = 0; i < s->run_count; i++) {
        const struct sweep_run *run = &s->runs[i];
        for (unsigned a = 0; a < s->axis_count; a++)
            fprintf(out, "%s,", s->axes[a].values[sweep_value(s, i, a)]);
        visit_run(out, s, run, run->done ? put_value : put_nothing);
        if (!run->done)
            put_quoted(out, run->error.text);
        fputc('\n', out);
    }
    bool good = !ferror(out);
    good = fclose(out) == 0 && good;
    if (good)
        return text;
    free(text);
    return NULL;
}
