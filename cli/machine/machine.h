/* SPDX-License-Identifier: Apache-2.0 */
/* A machine as `run`, `debug`, `sweep` and --gdb use it, and one run of it. */
#ifndef MACHINE_H
#define MACHINE_H

#include "run/command.h"

struct machine;

struct run {
    struct run_command *command;
    const struct run_request *request; /* of the command */
    const struct machine *machine;
    union { /* its own state */
        void *state;
        struct ventus *ventus;
        struct tensor *tensor;
        struct tile *tile;
    };
    FILE *text; /* for people: stdout unless data goes there; NULL: nothing is shown */
    json_t *report, *json_checks; /* the document of --json; NULL without it */
    struct run_arguments arguments;
    struct run_check *checks;
    struct sam_image *image; /* symbols and lines, or NULL */
    struct run_memory memory;
    struct sam_profile *profile; /* NULL: not asked for */
    struct sam_output *outputs[RUN_OUTPUTS];
    struct run_perfetto {
        struct sam_output *output;
        const char *path;         /* for messages */
        uint64_t from, to, bytes; /* cycles that are kept, bytes so far */
    } perfetto;
    struct cli_progress progress;
    struct sam_error error;
};

/* The functions return exit codes and have printed their messages. */
struct machine {
    size_t size;    /* of its state, zeros at first */
    size_t profile; /* where struct run_command has the path of --profile; 0: nowhere */
    /* Complete and check the options, and name the files. */
    int (*check)(struct run *run);
    /* Whether data goes to standard output. */
    bool (*writes_stdout)(const struct run *run);
    /* Load the program, make the machine, pass the arguments. */
    int (*open)(struct run *run);
    /* Run, or let the driver of the request do so; print, check and write what was asked for, and
     * fill run->report. */
    int (*execute)(struct run *run);
    /* After `open`, whether it failed or not; then the outputs are dropped. */
    void (*close)(struct run *run);
};

extern const struct machine machine_ventus, machine_tensor, machine_tile, machine_system;

/* A run of the command's machine, not yet checked; and its end. */
int run_begin(struct run *run, struct run_command *command);
void run_end(struct run *run);

#endif
