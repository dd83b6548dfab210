/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine system --cycles`: parameters, the report, and a second run with raw
 * weights.
 */
#include <stdlib.h>
#include <string.h>

#include "engines.h"
#include "machine/system.h"
#include "settings.h"

int run_system_list_parameters(void)
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

const char *run_system_key(size_t index)
{
    const char *prefix;
    const struct sam_parameter *p = sam_system_parameter(index, &prefix);
    return p ? p->name : NULL;
}

const char *run_system_prefix(size_t index)
{
    const char *prefix;
    return sam_system_parameter(index, &prefix) ? prefix : "";
}

enum sam_status run_set_system(void *config, const char *settings, struct sam_error *error)
{
    return sam_system_config_set(config, settings, error);
}

int run_parse_system_config(struct cli_args *args, const struct cli_option *option,
                            const char *text, void *place)
{
    struct system_time_request *time = place;
    struct sam_error error;
    if (strcmp(text, "help") == 0)
        return run_system_list_parameters();
    if (!time->config && sam_system_config_new(&time->config, &error) != SAM_OK)
        return cli_report(&error);
    return cli_read_settings(args, option, text, run_set_system, time->config);
}

/* A run of the same program with raw weights, whose output nobody sees. */
struct second {
    struct hart_request request;
    struct system_request system;
    struct run_console console;
    struct sam_hostio *host;
    struct run_arguments arguments;
    struct run_system *made;
};

static int prepare(struct second *s, const struct hart_request *first,
                   const struct sam_image *image)
{
    struct sam_hart_options *o = &s->request.options;
    struct sam_hart *hart;
    s->request = *first;
    s->system = *first->system;
    s->system.time.raw = true;
    s->system.options.check_races = false;
    s->request.system = &s->system;
    o->trace = o->timeline = o->konata = o->vcd = o->bus = (struct sam_sink){0};
    o->progress = NULL;
    o->profile = NULL;
    o->collect_stats = false;
    s->console.output = fopen("/dev/null", "w");
    if (!s->console.output)
        return cli_error("cannot open /dev/null");
    int code = run_hart_host(&s->request, &s->console, &s->host);
    o->hostio = s->host;
    return code ?: run_arguments_parse(first->run->args, &first->run->arguments, &s->arguments)
        ?: run_system_make(&s->request, image, &s->console, &s->made, &hart)
        ?: run_system_fill(&s->request, image, &s->arguments, s->made);
}

int run_system_raw(const struct hart_request *first, const struct sam_image *image,
                   struct sam_system_figures **figures)
{
    struct second s = {.console = {0}};
    struct sam_hart_result result;
    struct sam_error error;
    int code = prepare(&s, first, image);
    if (code == CLI_OK && (run_system_execute(s.made, &result, &error) != SAM_OK ||
                           sam_system_measure(run_system_of(s.made), figures, &error) != SAM_OK))
        code = cli_error("with raw weights: %s", error.text);
    run_system_free(s.made);
    sam_hostio_free(s.host);
    run_arguments_free(&s.arguments);
    if (s.console.output)
        fclose(s.console.output);
    return code;
}

int run_system_times(const struct sam_system_figures *figures, const struct sam_system_figures *raw,
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
