/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a sweep as CSV and as JSON: the same columns. */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "sweep.h"

/* A column: its name in the first line, its number in each other. `out` is where it goes. */
typedef void visit(void *out, const char *name, const char *part, double value, int digits);

static void column_name(const char *name, const char *part, char *text, size_t room)
{
    snprintf(text, room, "%s%s%s", name, *part ? "_" : "", part);
    for (char *c = text; (c = strchr(c, ' '));)
        *c = '_';
}

static void put_name(void *out, const char *name, const char *part, double value, int digits)
{
    char text[96];
    (void)value;
    (void)digits;
    column_name(name, part, text, sizeof text);
    fprintf(out, "%s,", text);
}

static void put_value(void *out, const char *name, const char *part, double value, int digits)
{
    (void)name;
    (void)part;
    fprintf(out, "%.*f,", digits, value);
}

/* Of a run that failed. */
static void put_nothing(void *out, const char *name, const char *part, double value, int digits)
{
    (void)name;
    (void)part;
    (void)value;
    (void)digits;
    fputc(',', out);
}

static void visit_matrix(void *out, const struct sam_mxu_stats *r, visit *put)
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

static void visit_engines(void *out, const struct sam_engines_report *r, visit *put)
{
    put(out, "engines_cycles", "", (double)r->cycles, 0);
    put(out, "engines_instructions", "", (double)r->instructions, 0);
    for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++)
        put(out, sam_engine_name(e), "engine_bytes", (double)r->engine[e].bytes, 0);
}

static void visit_run(void *out, const struct sweep *s, const struct sweep_run *run, visit *put)
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

/* ------------------------------------------------------------------------------------ JSON */

struct row {
    json_t *object;
    bool good;
};

static void set_value(void *out, const char *name, const char *part, double value, int digits)
{
    struct row *row = out;
    char text[96];
    column_name(name, part, text, sizeof text);
    json_t *number = digits ? json_real(value) : json_integer((json_int_t)value);
    row->good = row->good && cli_json_set(row->object, text, number);
}

static json_t *config_json(const struct sweep *s, size_t run)
{
    json_t *config = json_object();
    bool good = config != NULL;
    for (unsigned a = 0; good && a < s->axis_count; a++)
        good = cli_json_set(config, s->axes[a].name,
                            cli_json_text(s->axes[a].values[sweep_value(s, run, a)]));
    if (good)
        return config;
    json_decref(config);
    return NULL;
}

static json_t *run_json(const struct sweep *s, size_t index)
{
    const struct sweep_run *run = &s->runs[index];
    struct row row = {
        json_pack("{s:o, s:b}", "config", config_json(s, index), "done", (int)run->done), true};
    row.good = row.object != NULL;
    if (row.good && run->done)
        visit_run(&row, s, run, set_value);
    else if (row.good)
        row.good = cli_json_set(row.object, "error", cli_json_text(run->error.text));
    if (row.good)
        return row.object;
    json_decref(row.object);
    return NULL;
}

json_t *sweep_json(const struct sweep *s)
{
    json_t *runs = json_array();
    bool good = runs != NULL;
    for (size_t i = 0; good && i < s->run_count; i++)
        good = cli_json_append(runs, run_json(s, i));
    if (good)
        return json_pack("{s:o, s:o}", "program", cli_json_text(s->program), "runs", runs);
    json_decref(runs);
    return NULL;
}
