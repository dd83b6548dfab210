/* SPDX-License-Identifier: Apache-2.0 */
/* The engines in time, as text and in JSON. */
#include "machine/engines.h"

void cli_parameters(const struct sam_parameter *(*parameter)(size_t index))
{
    const struct sam_parameter *p;
    for (size_t i = 0; (p = parameter(i)); i++)
        printf("%-16s %7s  %-9s  %s\n", p->name, p->value, p->range, p->meaning);
}

int cli_engines_parameters(void)
{
    printf("%-16s %7s  %-9s  meaning\n", "parameter", "default", "range");
    cli_parameters(sam_engines_parameter);
    return CLI_SHOWN;
}

json_t *cli_engines(const struct sam_engines_report *report)
{
    static const struct report_field fields[] = {
        REPORT_FIELD(struct sam_engine_report, instructions),
        REPORT_FIELD(struct sam_engine_report, bytes),
        REPORT_FIELD(struct sam_engine_report, queued),
        REPORT_FIELD(struct sam_engine_report, queue_peak),
        {0},
    };
    const double cycles = report->cycles ? (double)report->cycles : 1;
    uint64_t busy = 0;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        busy += report->engine[i].cycles[SAM_ENGINE_BUSY];
    json_t *root =
        REPORT(COUNT("cycles", report->cycles), REAL("ipc", (double)report->instructions / cycles),
               REAL("engines_at_work", (double)busy / cycles),
               TREE("hart", report_named(report->issue, SAM_ISSUE_CYCLES, sam_issue_cycle_name)));
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        const struct sam_engine_report *r = &report->engine[i];
        json_t *engine = report_fields(json_object(), fields, r);
        engine = report_set(engine, "cycles",
                            report_named(r->cycles, SAM_ENGINE_CYCLES, sam_engine_cycle_name));
        root = report_set(root, sam_engine_name(i), engine);
    }
    return root;
}

/* A row of the table: `what` for each engine, in the form of report_print. */
static void print_row(const json_t *report, const char *label, const char *what, FILE *text)
{
    fprintf(text, "  %-14s", label);
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        char cell[80];
        snprintf(cell, sizeof cell, " {%s.%s", sam_engine_name(i), what);
        report_print(text, cell, report);
    }
    fputc('\n', text);
}

/* Whether any engine spent a cycle in this state. */
static bool any_cycle(const json_t *report, const char *name)
{
    bool any = false;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        const json_t *engine = json_object_get(report, sam_engine_name(i));
        any |= json_integer_value(json_object_get(json_object_get(engine, "cycles"), name)) != 0;
    }
    return any;
}

void cli_engines_print(const json_t *report, FILE *text)
{
    report_print(text,
                 "{cycles} cycles, IPC {ipc:.2}, {engines_at_work:.2} engines at work on average\n",
                 report);
    fprintf(text, "  %-14s", "engine");
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        fprintf(text, " %12s", sam_engine_name(i));
    fputc('\n', text);
    print_row(report, "instructions", "instructions:12}", text);
    print_row(report, "bytes/cycle", "bytes/cycles:12.2}", text);
    print_row(report, "queue mean", "queued/cycles:12.2}", text);
    print_row(report, "queue peak", "queue_peak:12}", text);
    for (unsigned c = 0; c < SAM_ENGINE_CYCLES; c++) {
        char what[64];
        const char *name = sam_engine_cycle_name(c);
        snprintf(what, sizeof what, "cycles.%s%%cycles:10.1} %%", name);
        if (any_cycle(report, name))
            print_row(report, name, what, text);
    }
    report_print(text, "*hart?value   hart {key:-12} {value:14}  {value%cycles:5.1} %\n", report);
}
