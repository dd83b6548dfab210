/* SPDX-License-Identifier: Apache-2.0 */
/* A program on the tensor hart, alone or in a system. */
#ifndef TENSOR_H
#define TENSOR_H

#include "run/run.h"

struct hart_ranges {
    struct run_range *items;
    size_t count;
};

struct hart_register {
    unsigned number;
    uint64_t value;
};

struct hart_registers {
    struct hart_register *items;
    size_t count;
};

enum hart_ebreak { HART_EBREAK_FAILS, HART_EBREAK_ENDS, HART_EBREAK_TRAPS };

struct system_request;
struct tile_request;
struct lowered;

struct hart_request {
    const struct run_request *run;
    struct sam_hart_options options;
    const char *isa; /* NULL: the default, of the program's XLEN */
    struct hart_ranges maps, mems;
    struct hart_registers registers;
    struct cli_numbers tls, ms; /* registers to print */
    const char *until, *profile;
    const char *host_files; /* a folder; NULL */
    enum hart_ebreak ebreak;
    bool cycles;   /* model the timing of the engines and the matrix unit */
    uint32_t mlen; /* of --mlen; 0: not given */
    struct sam_mxu_config mxu;
    struct sam_engines_config engines;
    const char *files[RUN_OUTPUTS]; /* files, "-", NULL */
    bool cycles_needed;             /* by one of them */
    struct system_request *system;  /* of --machine system; NULL: the hart is alone */
    struct tile_request *tile;      /* the program is one of tiles; or NULL */
    struct lowered *lowered;        /* the same, once loaded */
};

/* tensor_options.c: the options, of struct hart_request: those shared with `samite sweep`, and
 * the others; the defaults; and the checks that need no program. */
extern const struct cli_option tensor_start_rows[], tensor_rows[];
void tensor_defaults(struct hart_request *request, const struct run_request *run);
int tensor_check(struct hart_request *request);
/* Check that a row length of --config does not contradict --mlen. */
int tensor_check_mlen(const struct hart_request *request, unsigned mlen);

/* tensor_setup.c: load, assemble or (with its arguments) lower the program and choose its ISA;
 * then create a hart with the program, its memory and registers, and the arguments, if any. Both
 * report failures. */
int tensor_load(struct hart_request *request, const struct run_arguments *arguments,
                struct sam_image **image);
int tensor_make(const struct hart_request *request, const struct sam_image *image,
                struct run_arguments *arguments, struct sam_hart **hart);
/* The second half: memory, registers and arguments of a hart with its program. */
int tensor_fill(const struct hart_request *request, const struct sam_image *image,
                struct run_arguments *arguments, struct sam_hart *hart);
/* The address of --until: a symbol of the program, or a number; false: neither. */
bool tensor_until(const struct hart_request *request, const struct sam_image *image,
                  uint64_t *address);

/* tensor.c: the state of a run, of the hart alone or in a system; struct machine. */
struct tensor {
    struct sam_hart *hart;
    struct sam_system *system;  /* whose hart it is, or NULL */
    struct sam_image **kernels; /* programs of its GPU */
    size_t kernel_count;
    struct sam_profile *gpu_profile;
    uint64_t failed_weights;  /* records of the weight unit of a system */
    uint64_t failed_launches; /* of its GPU */
    struct sam_hostio *host;
};
bool tensor_writes_stdout(const struct run *run);
/* A program loaded earlier is in run->image. */
int tensor_open(struct run *run);
/* As sam_hart_run; the error is that of the run. */
enum sam_status tensor_run(struct run *run, struct sam_hart_result *result);
int tensor_execute(struct run *run);
void tensor_close(struct run *run);
/* The parameters of the engines, of the matrix unit and of the energy, of a struct hart_request. */
extern const struct cli_settings tensor_settings;

/* tensor_report.c: the report on a run (NULL on out-of-memory); the line on its end, and the
 * lines of --stats. */
json_t *tensor_report(const struct hart_request *request, const struct sam_hart_result *result,
                      struct sam_hart *hart, double seconds);
void tensor_print_end(const json_t *report, enum sam_hart_end end, FILE *text);
extern const char tensor_stats[];
void tensor_print_m(const struct sam_hart *hart, unsigned number, FILE *text);
void tensor_print_tl(const struct sam_hart *hart, unsigned number, FILE *text);
/* The cycles of the matrix unit by reason; as text, also the roofline. tensor_uops:
 * its work, of struct sam_mxu_stats; a sweep has a column for each. */
extern const struct report_field tensor_uops[];
json_t *tensor_cycles(const struct sam_mxu_config *config, const struct sam_mxu_stats *stats);
void tensor_print_cycles(const json_t *report, const struct sam_mxu_config *config,
                         const struct sam_mxu_stats *stats, FILE *text);
/* The same for the engines; a table of their parameters, which returns CLI_SHOWN; rows of one. */
json_t *cli_engines(const struct sam_engines_report *report);
void cli_engines_print(const json_t *report, FILE *text);
int cli_engines_parameters(void);
void cli_parameters(const struct sam_parameter *(*parameter)(size_t index));

#endif
