/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `samite run --machine tensor` share. */
#ifndef RUN_HART_H
#define RUN_HART_H

#include "engines.h"
#include "progress.h"
#include "run/run.h"

/* Files written as the program runs: uops and bus of the matrix unit, and the engines' timeline. */
enum hart_trace { HART_KONATA, HART_VCD, HART_BUS, HART_TIMELINE, HART_TRACES };

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
struct run_lowered;

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
    bool cycles;   /* model the engines and the matrix unit in time */
    uint32_t mlen; /* of --mlen; 0: not given */
    struct sam_mxu_config mxu;
    struct sam_engines_config engines;
    const char *traces[HART_TRACES]; /* files, "-", NULL */
    struct system_request *system;   /* of --machine system; NULL: the hart is alone */
    struct tile_request *tile;       /* the program is one of tiles; or NULL */
    struct run_lowered *lowered;     /* it, once it has been loaded */
};

/* machine/tensor_options.c: the options, of struct hart_request: those that `samite sweep` shares,
 * and the others; the defaults; and the checks that need no program. */
extern const struct cli_option run_hart_start_rows[], run_hart_rows[];
void run_hart_defaults(struct hart_request *request, const struct run_request *run);
int run_hart_check(struct hart_request *request);
/* Check that a row length of --config does not contradict --mlen. */
int run_hart_check_mlen(const struct hart_request *request, unsigned mlen);
/* Whether a trace, a dump or an output goes to standard output. */
bool run_hart_writes_data(const struct hart_request *request);

/* machine/tensor_setup.c: load, assemble or (with its arguments) lower the program and choose its
 * ISA; then create a hart with the program, its memory and registers, and the arguments, if any.
 * Both report failures. */
int run_hart_load(struct hart_request *request, const struct run_arguments *arguments,
                  struct sam_image **image);
int run_hart_make(const struct hart_request *request, const struct sam_image *image,
                  struct run_arguments *arguments, struct sam_hart **hart);
/* The second half of it: memory, registers and arguments of a hart that has its program. */
int run_hart_fill(const struct hart_request *request, const struct sam_image *image,
                  struct run_arguments *arguments, struct sam_hart *hart);
/* The address of --until: a symbol of the program, or a number; false: neither. */
bool run_hart_until(const struct hart_request *request, const struct sam_image *image,
                    uint64_t *address);
/* The path of the program as shown in messages. */
const char *run_hart_name(const char *path);

/* machine/tensor_host.c: the program's host. `console` NULL: it has none; otherwise it outlives the
 * host.
 */
struct run_console {
    FILE *output;                  /* NULL: what kernels print is dropped */
    struct cli_progress *progress; /* to be cleared; or NULL */
    uint64_t failed_weights;       /* records of the weight unit */
    uint64_t failed_launches;      /* of the GPU of a system */
};
int run_hart_host(const struct hart_request *request, struct run_console *console,
                  struct sam_hostio **host);

/* machine/tensor.c */
int run_hart(struct hart_request *request);
/* --config help: the parameters of the engines and of the matrix unit. */
int run_hart_list_parameters(void); /* CLI_SHOWN */
/* Their names, for completion; NULL after the last. */
const char *run_hart_key(size_t index);
/* A cli_set of a struct hart_request. */
enum sam_status run_set_hart(void *request, const char *settings, struct sam_error *error);

/* machine/tensor_cycles.c: how the matrix unit spent its cycles; as text, also the roofline.
 * run_hart_uops: what it did, of struct sam_mxu_stats; a sweep has a column for each. */
extern const struct report_field run_hart_uops[];
json_t *run_hart_cycles(const struct sam_mxu_config *config, const struct sam_mxu_stats *stats);
void run_hart_print_cycles(const json_t *report, const struct sam_mxu_config *config,
                           const struct sam_mxu_stats *stats, FILE *text);

/* machine/tensor_report.c: the report on a run (NULL: no memory); the line on how it ended, and the
 * lines of --stats. */
json_t *run_hart_report(const struct hart_request *request, const struct sam_hart_result *result,
                        struct sam_hart *hart, double seconds);
void run_hart_print_end(const json_t *report, enum sam_hart_end end, FILE *text);
extern const char run_hart_stats[];
void run_hart_report_m(const struct sam_hart *hart, unsigned number, FILE *text);
void run_hart_report_tl(const struct sam_hart *hart, unsigned number, FILE *text);

#endif
