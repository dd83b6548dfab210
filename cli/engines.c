/* SPDX-License-Identifier: Apache-2.0 */
/* The engines in time, as a table for people and in JSON. */
#include "engines.h"

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

const char *cli_engines_key(size_t index)
{
    const struct sam_parameter *p = sam_engines_parameter(index);
    return p ? p->name : NULL;
}

static double share(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

static double per_cycle(uint64_t count, const struct sam_engines_report *report)
{
    return report->cycles ? (double)count / (double)report->cycles : 0;
}

static uint64_t busy_engines(const struct sam_engines_report *report)
{
    uint64_t busy = 0;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        busy += report->engine[i].cycles[SAM_ENGINE_BUSY];
    return busy;
}

/* A row a reason: an engine a column. Reasons that never were are left out. */
static void print_engines(const struct sam_engines_report *report, FILE *text)
{
    fprintf(text, "  %-14s", "engine");
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        fprintf(text, " %12s", sam_engine_name(i));
    fprintf(text, "\n  %-14s", "instructions");
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        fprintf(text, " %12llu", (unsigned long long)report->engine[i].instructions);
    fprintf(text, "\n  %-14s", "bytes/cycle");
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        fprintf(text, " %12.2f", per_cycle(report->engine[i].bytes, report));
    fprintf(text, "\n  %-14s", "queue mean");
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        fprintf(text, " %12.2f", per_cycle(report->engine[i].queued, report));
    fprintf(text, "\n  %-14s", "queue peak");
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        fprintf(text, " %12u", report->engine[i].queue_peak);
    fputc('\n', text);
    for (unsigned c = 0; c < SAM_ENGINE_CYCLES; c++) {
        uint64_t any = 0;
        for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
            any |= report->engine[i].cycles[c];
        if (!any)
            continue;
        fprintf(text, "  %-14s", sam_engine_cycle_name(c));
        for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
            fprintf(text, " %10.1f %%", share(report->engine[i].cycles[c], report->cycles));
        fputc('\n', text);
    }
}

void cli_engines_report(const struct sam_engines_report *report, FILE *text)
{
    fprintf(text, "%llu cycles, IPC %.2f, %.2f engines at work on average\n",
            (unsigned long long)report->cycles, per_cycle(report->instructions, report),
            per_cycle(busy_engines(report), report));
    print_engines(report, text);
    for (unsigned c = 0; c < SAM_ISSUE_CYCLES; c++)
        if (report->issue[c])
            fprintf(text, "  hart %-12s %14llu  %5.1f %%\n", sam_issue_cycle_name(c),
                    (unsigned long long)report->issue[c], share(report->issue[c], report->cycles));
}

/* ------------------------------------------------------------------------------------ JSON */

static json_t *counts(const uint64_t *values, unsigned count, const char *(*name)(unsigned))
{
    json_t *object = json_object();
    bool good = object != NULL;
    for (unsigned i = 0; good && i < count; i++)
        good = cli_json_set(object, name(i), json_integer(cli_json_number(values[i])));
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

json_t *cli_engines_json(const struct sam_engines_report *report)
{
    json_t *root = json_pack("{s:I, s:f, s:o}", "cycles", cli_json_number(report->cycles), "ipc",
                             per_cycle(report->instructions, report), "hart",
                             counts(report->issue, SAM_ISSUE_CYCLES, sam_issue_cycle_name));
    bool good = root != NULL;
    for (unsigned i = 0; good && i < SAM_ENGINE_COUNT; i++) {
        const struct sam_engine_report *r = &report->engine[i];
        json_t *engine =
            json_pack("{s:I, s:I, s:I, s:I, s:o}", "instructions", cli_json_number(r->instructions),
                      "bytes", cli_json_number(r->bytes), "queued", cli_json_number(r->queued),
                      "queue_peak", cli_json_number(r->queue_peak), "cycles",
                      counts(r->cycles, SAM_ENGINE_CYCLES, sam_engine_cycle_name));
        good = cli_json_set(root, sam_engine_name(i), engine);
    }
    if (good)
        return root;
    json_decref(root);
    return NULL;
}
