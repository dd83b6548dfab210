/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a sweep, for CSV and for JSON: the same names. */
#include <fnmatch.h>
#include <stdlib.h>

#include "sweep/sweep.h"

/* "name_part", with '_' for blanks. */
static json_t *set_part(json_t *row, const char *name, const char *part, uint64_t value)
{
    char text[96];
    snprintf(text, sizeof text, "%s_%s", name, part);
    for (char *c = text; (c = strchr(c, ' '));)
        *c = '_';
    return report_count(row, text, value);
}

static json_t *set_matrix(json_t *row, const struct sweep_run *run)
{
    const struct sam_mxu_stats *s = &run->stats;
    row = REPORT_MORE(row, COUNT("cycles", s->cycles),
                      REAL("utilisation", s->cycles ? s->full_uops / (double)s->cycles : 0));
    return report_fields(row, tensor_uops, s);
}

static json_t *set_engines(json_t *row, const struct sweep_run *run)
{
    const struct sam_engines_report *r = &run->engines;
    row = REPORT_MORE(row, COUNT("engines_cycles", r->cycles),
                      COUNT("engines_instructions", r->instructions));
    for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++)
        row = set_part(row, sam_engine_name(e), "engine_bytes", r->engine[e].bytes);
    return row;
}

static json_t *set_gpu(json_t *row, const struct sweep_run *run)
{
    static const struct report_field fields[] = {
        REPORT_FIELD(struct ventus_measure, cycles),
        REPORT_FIELD(struct ventus_measure, insns),
        REPORT_FIELD(struct ventus_measure, l1_requests),
        REPORT_FIELD(struct ventus_measure, l1_hits),
        REPORT_FIELD(struct ventus_measure, l2_requests),
        REPORT_FIELD(struct ventus_measure, l2_hits),
        REPORT_FIELD(struct ventus_measure, dram_bytes),
        {0},
    };
    return report_fields(row, fields, &run->gpu);
}

static json_t *set_system(json_t *row, const struct sweep_run *run)
{
    return REPORT_MORE(row, COUNT("cycles", run->system.cycles),
                       COUNT("dram_bytes", run->system.dram_bytes),
                       REAL("operations_per_cycle", run->system.operations));
}

static json_t *set_run(json_t *row, const struct sweep *s, const struct sweep_run *run)
{
    static json_t *(*const set[])(json_t *,
                                  const struct sweep_run *) = {[SWEEP_GPU_MODEL] = set_gpu,
                                                               [SWEEP_SYSTEM_MODEL] = set_system,
                                                               [SWEEP_MATRIX] = set_matrix,
                                                               [SWEEP_ENGINES] = set_engines};
    struct sweep_parts parts;
    for (enum sweep_model i = 0; i < SWEEP_MODELS; i++)
        if (s->shows[i])
            row = set[i](row, run);
    for (size_t i = 0; sweep_parts(s, run, i, &parts); i++)
        for (unsigned p = 0; p < parts.count; p++)
            row = set_part(row, parts.name, sweep_reason_name(parts.reasons, p), parts.cycles[p]);
    return row;
}

/* Whether `name` matches one of the patterns "cycles,GPU_*". */
static bool is_wanted(const char *columns, const char *name)
{
    char pattern[96];
    while (cli_item(&columns, pattern, sizeof pattern))
        if (fnmatch(pattern, name, 0) == 0)
            return true;
    return false;
}

/* The measures of a run, or those of --columns. */
static json_t *set_measured(json_t *row, const struct sweep *s, const struct sweep_run *run)
{
    json_t *all = set_run(json_object(), s, run), *value;
    const char *name;
    json_object_foreach(all, name, value)
    {
        if (!s->columns || is_wanted(s->columns, name))
            row = report_set(row, name, json_incref(value));
    }
    if (!all) {
        json_decref(row);
        return NULL;
    }
    json_decref(all);
    return row;
}

/* All possible columns of a run of the machine. */
static json_t *all_columns(unsigned form)
{
    static const struct sweep_run none;
    struct sweep every = {
        .form = form, .axes = {{.matrix = true}, {.matrix = false}}, .axis_count = 2};
    sweep_choose_models(&every);
    return set_run(json_object(), &every, &none);
}

/* Those of the machine selected by the words, or of all machines. */
static int list_columns(const struct cli_args *args)
{
    const int asked = cli_asked_form(args);
    for (int form = 0; form < SWEEP_FORMS; form++) {
        if (asked >= 0 && asked != form)
            continue;
        json_t *all = all_columns((unsigned)form), *value;
        const char *name;
        if (!all)
            return cli_no_memory();
        if (asked < 0)
            printf("%s--machine %s:\n", form ? "\n" : "", args->verb->forms[form].name);
        json_object_foreach(all, name, value) printf("%s\n", name);
        json_decref(all);
    }
    return CLI_SHOWN;
}

int sweep_parse_columns(struct cli_args *args, const struct cli_option *option, const char *text,
                        void *place)
{
    if (strcmp(text, "help") == 0)
        return list_columns(args);
    if (!*text)
        return cli_usage_error(args, "--%s needs a value (%s)", option->name, option->argument);
    memcpy(place, &text, sizeof text);
    return CLI_OK;
}

int sweep_check_columns(const struct sweep *s, const struct cli_args *args)
{
    char pattern[96];
    int code = CLI_OK;
    json_t *all = all_columns(s->form), *value;
    if (!all)
        return cli_no_memory();
    for (const char *at = s->columns, *name;
         code == CLI_OK && cli_item(&at, pattern, sizeof pattern);) {
        struct cli_near near = {.wanted = pattern};
        bool found = !*pattern && !at; /* after the last comma */
        json_object_foreach(all, name, value)
        {
            found |= fnmatch(pattern, name, 0) == 0;
            cli_near_offer(&near, name);
        }
        if (!found)
            code = cli_usage_error(args, "--columns %s: no column has that name%s", pattern,
                                   cli_near_text(&near));
    }
    json_decref(all);
    return code;
}

static json_t *config_of(const struct sweep *s, size_t run)
{
    json_t *config = json_object();
    for (unsigned a = 0; a < s->axis_count; a++)
        config = report_text(config, s->axes[a].name, s->axes[a].values[sweep_value(s, run, a)]);
    return config;
}

static json_t *rows_of(const struct sweep *s)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < s->run_count; i++) {
        const struct sweep_run *run = &s->runs[i];
        json_t *row = REPORT(TREE("config", config_of(s, i)), FLAG("done", run->done));
        rows = report_add(rows, run->done ? set_measured(row, s, run)
                                          : report_text(row, "error", run->error.text));
    }
    return rows;
}

json_t *sweep_json(const struct sweep *s)
{
    return REPORT(TEXT("program", s->program), TREE("runs", rows_of(s)));
}

char *sweep_csv(const struct sweep *s)
{
    static const struct sweep_run none;
    json_t *columns = set_measured(report_set(json_object(), "config", config_of(s, 0)), s, &none);
    json_t *rows = rows_of(s);
    columns = report_text(columns, "error", "");
    char *text = sam_tree_csv(columns, rows);
    json_decref(columns);
    json_decref(rows);
    return text;
}
