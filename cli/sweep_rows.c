/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a sweep, for CSV and for JSON: the same names. */
#include <stdlib.h>
#include <string.h>

#include "run_hart.h"
#include "sweep.h"

/* "name_part", with '_' for blanks. */
static json_t *set_part(json_t *row, const char *name, const char *part, uint64_t value)
{
    char text[96];
    snprintf(text, sizeof text, "%s_%s", name, part);
    for (char *c = text; (c = strchr(c, ' '));)
        *c = '_';
    return report_count(row, text, value);
}

static json_t *set_matrix(json_t *row, const struct sam_mxu_stats *s)
{
    row = report_count(row, "cycles", s->cycles);
    row = report_real(row, "utilisation", s->cycles ? s->full_uops / (double)s->cycles : 0);
    return report_fields(row, run_hart_uops, s);
}

static json_t *set_engines(json_t *row, const struct sam_engines_report *r)
{
    row = report_count(row, "engines_cycles", r->cycles);
    row = report_count(row, "engines_instructions", r->instructions);
    for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++)
        row = set_part(row, sam_engine_name(e), "engine_bytes", r->engine[e].bytes);
    return row;
}

static json_t *set_gpu(json_t *row, const struct run_measure *m)
{
    static const struct report_field fields[] = {
        REPORT_FIELD(struct run_measure, cycles),      REPORT_FIELD(struct run_measure, insns),
        REPORT_FIELD(struct run_measure, l1_requests), REPORT_FIELD(struct run_measure, l1_hits),
        REPORT_FIELD(struct run_measure, l2_requests), REPORT_FIELD(struct run_measure, l2_hits),
        REPORT_FIELD(struct run_measure, dram_bytes),  {0},
    };
    return report_fields(row, fields, m);
}

static json_t *set_run(json_t *row, const struct sweep *s, const struct sweep_run *run)
{
    struct sweep_parts parts;
    if (s->gpu)
        row = set_gpu(row, &run->gpu);
    if (s->system) {
        row = report_count(row, "cycles", run->system.cycles);
        row = report_count(row, "dram_bytes", run->system.dram_bytes);
        row = report_real(row, "operations_per_cycle", run->system.operations);
    }
    if (s->shows_matrix)
        row = set_matrix(row, &run->stats);
    if (s->shows_engines)
        row = set_engines(row, &run->engines);
    for (size_t i = 0; sweep_parts(s, run, i, &parts); i++)
        for (unsigned p = 0; p < parts.count; p++)
            row = set_part(row, parts.name, parts.part_name(p), parts.cycles[p]);
    return row;
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
        json_t *row = report_set(json_object(), "config", config_of(s, i));
        row = report_flag(row, "done", run->done);
        rows = report_add(rows, run->done ? set_run(row, s, run)
                                          : report_text(row, "error", run->error.text));
    }
    return rows;
}

json_t *sweep_json(const struct sweep *s)
{
    return report_set(report_text(json_object(), "program", s->program), "runs", rows_of(s));
}

char *sweep_csv(const struct sweep *s)
{
    static const struct sweep_run none;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    json_t *columns = set_run(report_set(json_object(), "config", config_of(s, 0)), s, &none);
    json_t *rows = rows_of(s);
    columns = report_text(columns, "error", "");
    bool good = out && columns && rows && report_csv(out, columns, rows);
    good = out && fclose(out) == 0 && good;
    json_decref(columns);
    json_decref(rows);
    if (good)
        return text;
    free(text);
    return NULL;
}
