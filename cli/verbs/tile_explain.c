/* SPDX-License-Identifier: Apache-2.0 */
#include "tile_explain.h"

#include <stdlib.h>
#include <string.h>

#include "samite/tile_lower.h"

/* Run the program with timing, and print its cycles with its lines, also if it was stopped. */
static int run(struct sam_tile_lowered *made)
{
    const struct sam_system_timing timing = {.size = sizeof timing};
    const struct sam_hart_options hart = {.size = sizeof hart, .stop = cli_stop_flag()};
    const struct sam_gpu_options gpu = {.size = sizeof gpu, .stop = cli_stop_flag()};
    const struct sam_system_options options = {
        .size = sizeof options, .hart = &hart, .gpu = &gpu, .timing = &timing};
    struct sam_system_figures *figures = NULL;
    struct sam_system *system = NULL;
    struct sam_error error, measured;
    char *text = NULL;
    enum sam_status status = sam_system_new(&options, &system, &error)
        ?: sam_tile_lowered_load(made, system, &error) ?: sam_system_run(system, NULL, &error)
        ?: sam_tile_lowered_failure(made, system, &error);
    if (status == SAM_OK || status == SAM_ERR_STOPPED) {
        if (sam_system_measure(system, &figures, &measured) != SAM_OK ||
            sam_tile_lowered_explain(made, figures, &text, &measured) != SAM_OK) {
            status = measured.status;
            error = measured;
        } else {
            printf("%llu cycles%s\n", (unsigned long long)figures->cycles,
                   status == SAM_OK ? "" : " until it was stopped");
            if (figures->busiest)
                printf("bound: %s is busy for %llu of them\n", figures->busiest,
                       (unsigned long long)figures->busiest_cycles);
            printf("%s", text);
            fflush(stdout);
        }
    }
    free(text);
    sam_system_figures_free(figures);
    sam_system_free(system);
    return cli_code(status, &error);
}

static int print_lines(struct sam_tile_lowered *made)
{
    struct sam_error error;
    char *text = NULL;
    return cli_print_text(sam_tile_lowered_explain(made, NULL, &text, &error), &text, &error,
                          stdout);
}

static int explain(struct cli_args *args, const struct sam_tile_program *program, const char *path,
                   const struct tile_request *tile, struct run_arguments *arguments)
{
    const struct sam_tile_lower_options options = {.size = sizeof options,
                                                   .profile = tile->options.profile,
                                                   .dialect = tile->options.dialect,
                                                   .unbound = arguments->count == 0};
    struct sam_tile_argument *given = cli_own(args, arguments->count + 1, sizeof *given);
    struct sam_tile_lowered *made = NULL;
    struct sam_error error = {0};
    char *messages = NULL;
    size_t function = 0;
    int code = given ? tile_function(args, program, path, tile->func, &function) : cli_no_memory();
    if (code != CLI_OK)
        return code;
    for (size_t i = 0; i < arguments->count; i++)
        tile_give(&arguments->items[i], &given[i]);
    const enum sam_status status = sam_tile_lower(program, function, given, arguments->count,
                                                  &options, &made, &messages, &error);
    code = cli_end_messages(status, &messages, &error)
               ?: (arguments->count ? run(made) : print_lines(made));
    sam_tile_lowered_free(made);
    return code;
}

int tile_explain(struct cli_args *args, const char *path, const struct tile_request *tile,
                 const struct cli_list *arguments)
{
    struct run_request request = {.args = args, .arguments = *arguments};
    struct run_arguments parsed = {0};
    struct sam_tile_program *program = tile_load(path);
    int code = program ? tile_name_arguments(&request) : CLI_BAD_INPUT;
    code = code ?: run_arguments_parse(args, &request.arguments, &parsed);
    if (code == CLI_OK) {
        cli_catch_signals();
        code = explain(args, program, path, tile, &parsed);
    }
    run_arguments_free(&parsed);
    sam_tile_program_free(program);
    return code;
}
