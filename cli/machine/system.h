/* SPDX-License-Identifier: Apache-2.0 */
/* What `samite run --machine system` adds to a run of the tensor hart: the other parts. */
#ifndef RUN_SYSTEM_H
#define RUN_SYSTEM_H

#include "machine/tensor.h"

struct system_request {
    struct cli_list gpu_code; /* programs of the GPU */
    struct system_weights {
        const char *file; /* packed, then @ADDRESS if address is not 0; or NULL */
        uint64_t address;
    } weights;
    struct system_time_request {
        struct sam_system_config *config; /* of --config, or NULL */
        bool compare;                     /* with raw weights */
        bool raw;                         /* this is that run */
    } time;
    const char *trace, *profile; /* of the kernels: files, or NULL */
    struct sam_system_options options;
    struct sam_gpu_options gpu;
};

/* Those that `samite sweep` shares, and the others. */
extern const struct cli_option run_system_start_rows[], run_system_rows[];

/* The default ISA of the hart. */
const char *run_system_isa(unsigned xlen);
int run_system_name_files(const struct system_request *request, const struct cli_args *args);
int run_system(struct hart_request *request, struct system_request *system);

/* The system of a request, with its programs; `console` outlives it. */
struct run_system;
int run_system_make(const struct hart_request *request, const struct sam_image *image,
                    struct run_console *console, struct run_system **out, struct sam_hart **hart);
/* Then its memory, registers and arguments, if any. */
int run_system_fill(const struct hart_request *request, const struct sam_image *image,
                    struct run_arguments *arguments, struct run_system *system);
/* Whether its own file, of --gpu-trace, could not be written. run_system_free then names it. */
bool run_system_output_failed(const struct run_system *system);
void run_system_free(struct run_system *system);
/* As sam_hart_run. */
enum sam_status run_system_execute(struct run_system *system, struct sam_hart_result *result,
                                   struct sam_error *error);

/* Commit and write what was recorded of the kernels; text to `text`. */
int run_system_finish(struct run_system *system, const struct hart_request *request,
                      const struct sam_image *image, FILE *text);
struct sam_system *run_system_of(struct run_system *system);

/* machine/system_time.c: --config KEY=N,... of the system; a cli_set of a struct sam_system_config;
 * the parameters, as a list (CLI_SHOWN) and for completion. */
enum sam_status run_set_system(void *config, const char *settings, struct sam_error *error);
int run_system_list_parameters(void);
const char *run_system_key(size_t index);
const char *run_system_prefix(size_t index);
int run_parse_system_config(struct cli_args *args, const struct cli_option *option,
                            const char *text, void *place);
/* What the same program takes with raw weights. */
int run_system_raw(const struct hart_request *first, const struct sam_image *image,
                   struct sam_system_figures **figures);
/* Print the cycles; without `text` add them to the report. `raw` may be NULL. */
int run_system_times(const struct sam_system_figures *figures, const struct sam_system_figures *raw,
                     json_t *report, FILE *text);
/* With --cycles: measure, and with --compare-raw run once more; print or report. */
int run_system_cycles(struct run_system *system, const struct hart_request *request,
                      const struct sam_image *image, json_t *report, FILE *text);

/* What the report of a run has beside that of its hart. */
json_t *run_system_report(const struct run_system *system, json_t *report);
/* Its lines of --stats. */
extern const char run_system_stats[];
/* With --check-races: show what was found. CLI_PROGRAM_FAILED: there are races. */
int run_system_check(const struct run_system *system, FILE *text);

/* machine/system_weights.c: --weights FILE[@ADDRESS], once everything that has a place of its own
 * is there. Its directory goes to a1, unless --reg or --arg set that. */
int run_parse_weights(struct cli_args *args, const struct cli_option *option, const char *text,
                      void *place);
int run_name_weights(const struct system_weights *weights, const struct cli_args *args);
int run_load_weights(struct sam_system *system, const struct hart_request *request,
                     const struct run_arguments *arguments);
/* For options.weight_ended: say why a record failed; `context` is a struct run_console. */
void run_note_weight(void *context, const struct sam_system_weight *weight);

/* machine/system_races.c: the parts of these two for --check-races. */
json_t *run_report_races(const struct sam_system *system, json_t *report);
int run_print_races(const struct sam_system *system, FILE *text);

#endif
