/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of `samite sweep`. */
#ifndef SWEEP_H
#define SWEEP_H

#include <jansson.h>
#include <stdatomic.h>
#include <time.h>

#include "machine/machine.h"
#include "part.h"
#include "samite/engines.h"

enum { SWEEP_AXES = 12, SWEEP_VALUES = 32, SWEEP_RUNS = 65536 };

/* A parameter and its values. */
struct sweep_axis {
    char name[32];
    char values[SWEEP_VALUES][32];
    unsigned count;
    bool matrix; /* of the matrix unit; otherwise of the engines */
};

enum { SWEEP_WEIGHT_CYCLES = 9, SWEEP_GPU_CYCLES = 4, SWEEP_LEVEL_CYCLES = 3 };

/* The measures of a run of a system. */
struct sweep_system {
    uint64_t cycles, dram_bytes;
    uint64_t hart[SAM_ISSUE_CYCLES], weights[SWEEP_WEIGHT_CYCLES], gpu[SWEEP_GPU_CYCLES],
        dram[SWEEP_LEVEL_CYCLES];
    double operations, peak; /* of the matrix unit, per cycle */
};

struct sweep_run {
    bool done;
    struct sam_error error; /* of a run that failed to start */
    struct sam_mxu_stats stats;
    struct sam_engines_report engines;
    struct ventus_measure gpu;
    struct sweep_system system;
};

/* The forms of the verb are those of enum run_machine except tile. */
enum { SWEEP_SYSTEM = 2, SWEEP_FORMS };

/* The cycle models; a program on a tensor hart has the last two. */
enum sweep_model { SWEEP_GPU_MODEL, SWEEP_SYSTEM_MODEL, SWEEP_MATRIX, SWEEP_ENGINES, SWEEP_MODELS };

struct sweep {
    struct cli_args *args;
    const char *program;
    char **words; /* of the command line, after the verb */
    int word_count;
    time_t date;
    struct cli_part part; /* of the runs, each one the part of its number */
    struct sweep_axis axes[SWEEP_AXES];
    unsigned axis_count;
    const char *base;    /* "KEY=N,...": settings of all runs, from files; or NULL */
    const char *columns; /* names and patterns, "cycles,GPU_*": those of the table; NULL: all */
    unsigned form;
    bool shows[SWEEP_MODELS]; /* those of the form that the program uses or an axis changes */
    struct sweep_run *runs;   /* the last axis moves fastest */
    size_t run_count;
};

/* The command line. */
struct sweep_request {
    struct sweep sweep;
    struct run_command command;
    struct sam_image *image;
    struct run_arguments arguments;
    unsigned jobs;
    bool json, merge;
    const char *csv, *html;       /* "-" is standard output; NULL: not written */
    atomic_size_t next, finished; /* runs */
    atomic_int failed;            /* an exit code: no further runs start */
    struct cli_progress progress; /* shown by the first thread only */
};

/* --- run.c: causes of failure of every run are found before the first: the outputs, the
 * program's memory */
int sweep_check_before(struct sweep_request *sweep);
int sweep_run_all(struct sweep_request *sweep);

/* --- config.c: --config KEY=V,V,... and --config FILE, a `parse` for a struct sweep */
cli_parse sweep_parse_config;
extern const struct cli_settings sweep_parameters;
/* Each single value is a valid one of its parameter. */
int sweep_check_values(const struct sweep_request *request);
/* Give a copy of the command the values of a run, which sam_system_config_free frees. */
enum sam_status sweep_configure(const struct sweep *sweep, size_t run, struct run_command *command,
                                struct sam_error *error);

/* --- measure.c: the figures of a run */

/* The index of a run's value on an axis. */
unsigned sweep_value(const struct sweep *sweep, size_t run, unsigned axis);
/* After all runs: the models that are shown. */
void sweep_choose_models(struct sweep *sweep);

/* A number for charts: from a function, or a member of struct sweep_run. */
struct sweep_measure {
    const char *name; /* "cycles" */
    const char *unit; /* "%", or "" */
    double (*of)(const struct sweep_run *run);
    size_t at; /* if `of` is NULL */
};
double sweep_measured(const struct sweep_measure *measure, const struct sweep_run *run);
/* Those of the models that are shown; NULL at the end. The first is the objective to minimise:
 * cycles of the model that the first axis changes. */
const struct sweep_measure *sweep_measure(const struct sweep *sweep, size_t index);
/* The runs with the least and the most of the first measure; false: none is done. */
bool sweep_extremes(const struct sweep *sweep, size_t *best, size_t *worst);

/* --- reasons.c */
struct sweep_reasons {
    unsigned count;
    const struct sweep_reason {
        const char *colour, *meaning, *name;
    } * rows;
    const char *(*name)(unsigned reason), *(*meaning)(unsigned reason); /* NULL: of the rows */
};
extern const struct sweep_reasons sweep_states, sweep_engine_cycles, sweep_issue_cycles,
    sweep_gpu_reasons, sweep_weights, sweep_gpu_queue, sweep_dram;
const char *sweep_reason_name(const struct sweep_reasons *reasons, unsigned reason);
const char *sweep_reason_meaning(const struct sweep_reasons *reasons, unsigned reason);

/* The cycles of a unit by reason. */
struct sweep_parts {
    char name[24];
    const uint64_t *cycles; /* as many as `count` */
    unsigned count;
    const struct sweep_reasons *reasons;
    enum sweep_model model;
};
/* Those of a run, of the models that are shown; false at the end. */
bool sweep_parts(const struct sweep *sweep, const struct sweep_run *run, size_t index,
                 struct sweep_parts *parts);
/* The unit that explains most of the first measure: the issue of multiplications, the hart, or
 * the warps of the GPU. */
void sweep_main_parts(const struct sweep *sweep, const struct sweep_run *run,
                      struct sweep_parts *parts);

/* The cycles of a system, by the names of its figures. */
void sweep_keep_system(const struct sam_system_figures *figures, struct sweep_system *system);
/* The cycles of all reasons. */
uint64_t sweep_sum(const struct sweep_parts *parts);

/* --- rows.c, sweep/page.c: a line per run; a page that needs no network, and a script only to
 * sort. Free the text with free(); NULL on out-of-memory. */
char *sweep_csv(const struct sweep *sweep);
char *sweep_page(const struct sweep *sweep);
/* --columns NAME,..., a `parse` for sweep.columns; "help" lists them (CLI_SHOWN). Then, with the
 * machine known: whether a run of it has them. */
cli_parse sweep_parse_columns;
int sweep_check_columns(const struct sweep *sweep, const struct cli_args *args);
/* The columns of the CSV as JSON: {"program": ..., "runs": [{"config": {...}, "done": true,
 * "cycles": ...}]}; a run that failed has "error". NULL on out-of-memory. */
json_t *sweep_json(const struct sweep *sweep);

/* --- parts.c: runs in several processes (--part) */
/* Whether a run belongs to the part. */
bool sweep_is_mine(const struct sweep *sweep, size_t run);
/* The file of a part of the sweep whose table is `csv`: its name and text, to be freed with
 * free(); NULL on out-of-memory. */
char *sweep_part_name(const struct sweep *sweep, const char *csv);
char *sweep_part_text(const struct sweep *sweep);
/* Fill the sweep from the parts of `name`. False with `error` filled. In either case free the
 * runs and the array of words; *first owns the strings and is released after them. */
bool sweep_parts_read(struct sweep *sweep, const char *name, json_t **first,
                      struct sam_error *error);
/* The same for the text of one part: the first one fills the sweep, the others must match it.
 * `path` is used in messages. */
bool sweep_part_take(struct sweep *sweep, const char *text, size_t size, const char *path,
                     const struct cli_part *part, json_t **first, struct sam_error *error);

/* --- chart.c: its charts, as SVG */
/* "mpara=2, slots=4" */
void sweep_settings(FILE *out, const struct sweep *sweep, size_t run);
/* A measure by an axis, coloured by another (SWEEP_AXES: by none). */
void sweep_chart(FILE *out, const struct sweep *sweep, const struct sweep_measure *measure,
                 unsigned axis, unsigned colour);
void sweep_bar(FILE *out, const struct sweep_parts *parts, unsigned width, unsigned height);

#endif
