/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `samite run --machine system` besides the tensor hart. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include "machine/tensor.h"
#include "machine/tile.h"

struct system_request {
    struct cli_list gpu_code; /* programs of the GPU */
    struct system_weights {
        const char *file; /* packed; or NULL */
        uint64_t address; /* 0: the first free one */
    } weights;
    struct system_time_request {
        struct sam_system_config *config; /* of --config, or NULL */
        bool compare;                     /* with raw weights */
        bool raw;                         /* this is the second run */
    } time;
    const char *trace, *profile; /* of the kernels: files, or NULL */
    const char *wave;            /* of the weight unit, or NULL */
    struct sam_system_options options;
    struct sam_gpu_options gpu;
};

/* Options shared with `samite sweep`, and the others. */
extern const struct cli_option system_start_rows[], system_rows[];

/* The default ISA of the hart. */
const char *system_isa(unsigned xlen);
int system_name_files(const struct system_request *request, const struct cli_args *args);

/* The system of the request, with its programs; then its memory, registers and arguments, if
 * any. */
int system_make(struct run *run);
int system_fill(struct run *run);
void system_free(struct tensor *tensor);
/* Commit and write the recorded data of the kernels. */
int system_finish(struct run *run);
/* Members of a run's report besides those of its hart, and its lines of --stats. */
json_t *system_report(const struct run *run, json_t *report);
extern const char system_stats[];

/* system_time.c: --config KEY=N,... of the system, of a struct sam_system_config. */
extern const struct cli_settings system_settings;
cli_parse system_parse_config;
/* With --cycles: with --compare-raw run once more; print what was measured to `text`, or if it is
 * NULL add it to the report. */
int system_cycles(struct run *run, const struct sam_system_figures *figures, json_t *report,
                  FILE *text);

/* system_weights.c: --weights FILE[@ADDRESS], once everything with a fixed address is mapped. a1
 * receives the directory, unless --reg or --arg set it. */
cli_parse system_parse_weights;
int system_load_weights(struct sam_system *system, const struct hart_request *request,
                        const struct run_arguments *arguments);
/* For options.weight_ended: report the failure of a record; `context` is the run. */
void system_note_weight(void *context, const struct sam_system_weight *weight);

/* The races of --check-races. */
int system_print_races(const struct sam_system *system, FILE *text);

/* --- lower.c: a tile program lowered onto the system */
/* A lowered program with its arguments. */
struct lowered {
    struct sam_tile_program *program;
    struct sam_tile_argument *given;
    struct sam_tile_lowered *made;
    char *weights; /* the packed file of arguments, or NULL */
    size_t weights_size;
};

/* Of struct tile_request: those shared with `samite sweep`, and the others. */
extern const struct cli_option lower_profile_rows[], lower_rows[];
/* Reject options that need a tile program, or that a tile program excludes. */
int lower_check(const struct hart_request *request);
/* Read, check and lower the program of request->tile, and write it to the folder of --emit;
 * *image is the hart's, owned by request->lowered. */
int lower_open(struct hart_request *request, const struct run_arguments *arguments,
               struct sam_image **image);
void lower_close(struct hart_request *request);
/* Report the failure of the program: CLI_PROGRAM_FAILED. */
int lower_failure(const struct hart_request *request, struct sam_system *system);
/* Read the outputs into their arrays. */
int lower_fetch(const struct hart_request *request, struct sam_system *system);

#endif
