/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine system --cycles`: parameters, the report, and a second run with raw
 * weights.
 */
#include <stdlib.h>

#include "machine/machine.h"

static int list_parameters(void)
{
    const struct sam_parameter *p;
    const char *prefix;
    printf("%-22s %8s  %-13s  meaning\n", "parameter", "default", "range");
    for (size_t i = 0; (p = sam_system_parameter(i, &prefix)); i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", prefix, p->name);
        printf("%-22s %8s  %-13s  %s\n", name, p->value, p->range, p->meaning);
    }
    return CLI_SHOWN;
}

static enum sam_status set(void *config, const char *settings, struct sam_error *error)
{
    return sam_system_config_set(config, settings, error);
}

const struct cli_settings system_settings = {
    .set = set, .list = list_parameters, .prefixed = sam_system_parameter};

int system_parse_config(struct cli_args *args, const struct cli_option *option, const char *text,
                        void *place)
{
    struct system_time_request *time = place;
    struct sam_error error;
    if (!time->config && sam_system_config_new(&time->config, &error) != SAM_OK)
        return cli_report(&error);
    return cli_read_settings(args, option, text, time->config);
}

/* Measure the same program with raw weights; its output is dropped. */
static int run_raw(struct run *first, struct sam_system_figures **figures)
{
    struct run_command command = *first->command;
    struct sam_hart_options *o = &command.hart.options;
    struct sam_hart_result result;
    struct run run;
    command.system.time.raw = true;
    command.system.options.check_races = false;
    command.hart.system = &command.system;
    command.run.trace = NULL;
    memset(command.hart.files, 0, sizeof command.hart.files);
    o->trace = o->timeline = o->konata = o->vcd = o->bus = (struct sam_sink){0};
    o->progress = NULL;
    o->collect_stats = false;
    int code = run_begin(&run, &command);
    run.image = first->image;
    run.text = NULL;
    code = code ?: run_arguments_parse(&command.run, &run.arguments) ?: tensor_open(&run);
    if (code == CLI_OK && (tensor_run(&run, &result) != SAM_OK ||
                           sam_system_measure(run.tensor->system, figures, &run.error) != SAM_OK))
        code = cli_error("with raw weights: %s", run.error.text);
    command.hart.lowered = NULL; /* of the first run, as is the image */
    run.image = NULL;
    run_end(&run);
    return code;
}

static int show(const struct sam_system_figures *figures, const struct sam_system_figures *raw,
                json_t *report, FILE *text)
{
    struct sam_error error;
    char *printed = NULL;
    if (sam_system_report(figures, raw, text ? SAM_SYSTEM_TEXT : SAM_SYSTEM_JSON, &printed,
                          &error) != SAM_OK)
        return cli_report(&error);
    if (text)
        fputs(printed, text);
    else
        report_set(report, "system", json_loads(printed, 0, NULL));
    sam_text_free(printed);
    return CLI_OK;
}

int system_cycles(struct run *run, const struct sam_system_figures *figures, json_t *report,
                  FILE *text)
{
    struct sam_system_figures *raw = NULL;
    int code = CLI_OK;
    if (run->command->system.time.compare && !cli_stopped())
        code = run_raw(run, &raw);
    code = code ?: show(figures, raw, report, text);
    sam_system_figures_free(raw);
    return code;
}
