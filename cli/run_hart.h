/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `samite run --machine tensor` share. */
#ifndef RUN_HART_H
#define RUN_HART_H

#include "engines.h"
#include "run.h"

/* What goes to files as the program runs: the uops and the bus of the matrix unit in time, and the
 * engines' timeline. */
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

struct hart_request {
    const struct run_request *run;
    struct sam_hart_options options;
    const char *isa; /* NULL: the default, of the program's XLEN */
    struct hart_ranges maps, mems;
    struct hart_registers registers;
    struct cli_numbers tls, ms; /* registers to print */
    const char *until;
    enum hart_ebreak ebreak;
    bool cycles;   /* the engines and the matrix unit in time */
    uint32_t mlen; /* of --mlen; 0: not given */
    struct sam_mxu_config mxu;
    struct sam_engines_config engines;
    const char *traces[HART_TRACES]; /* files, "-", NULL */
};

/* run_hart_args.c: the options, those of `samite sweep` too and the others, both of struct
 * hart_request; its defaults; what has to be right before the program is loaded. */
extern const struct cli_option run_hart_start_rows[], run_hart_rows[];
void run_hart_defaults(struct hart_request *request, const struct run_request *run);
int run_hart_check(struct hart_request *request);
/* Report a row length of --config that --mlen contradicts. */
int run_hart_check_mlen(const struct hart_request *request, unsigned mlen);
/* A trace, a dump or an output goes to standard output. */
bool run_hart_writes_data(const struct hart_request *request);

/* run_hart_setup.c: the program, as ELF or assembled, and the ISA that it goes with; then a hart
 * with it and all that the request and its arguments, if any, put in memory and registers. Both
 * report what fails. */
int run_hart_load(struct hart_request *request, struct sam_image **image);
int run_hart_make(const struct hart_request *request, const struct sam_image *image,
                  struct run_arguments *arguments, struct sam_hart **hart);
/* The program's path as messages show it. */
const char *run_hart_name(const char *path);

/* run_hart.c */
int run_hart(struct hart_request *request);
/* --config help, the parameters of the engines and of the matrix unit. */
int run_hart_list_parameters(void); /* CLI_SHOWN */
/* The names of both, one by one, for completion. */
const char *run_hart_key(size_t index);

/* run_hart_cycles.c: where the cycles of the matrix unit went; with the roofline as text. */
json_t *run_hart_cycles(const struct sam_mxu_config *config, const struct sam_mxu_stats *stats);
void run_hart_print_cycles(const json_t *report, const struct sam_mxu_config *config,
                           const struct sam_mxu_stats *stats, FILE *text);

/* run_hart_report.c: all that is told of a run (NULL: no memory); how it ended, and what text takes
 * from it for --stats. */
json_t *run_hart_report(const struct hart_request *request, const struct sam_hart_result *result,
                        struct sam_hart *hart, double seconds);
void run_hart_print_end(const json_t *report, enum sam_hart_end end, FILE *text);
extern const char run_hart_stats[];
void run_hart_report_m(const struct sam_hart *hart, unsigned number, FILE *text);
void run_hart_report_tl(const struct sam_hart *hart, unsigned number, FILE *text);

#endif
