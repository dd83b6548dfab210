/* SPDX-License-Identifier: Apache-2.0 */
/* A machine as used by `run`, `debug`, `sweep` and --gdb, and one run of it. */
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
        struct network *network;
    };
    FILE *text;                   /* output as text: stdout unless data goes there; NULL: no text */
    json_t *report, *json_checks; /* the document of --json; NULL without it */
    struct run_arguments arguments;
    struct run_check *checks;
    struct sam_image *image; /* symbols and lines, or NULL */
    struct run_memory memory;
    struct sam_profile *profile; /* NULL: not requested */
    struct sam_output *outputs[RUN_OUTPUTS];
    struct run_perfetto {
        struct sam_output *output;
        const char *path;         /* for messages */
        uint64_t from, to, bytes; /* the window of cycles, bytes so far */
    } perfetto;
    struct cli_progress progress;
    struct sam_error error;
};

/* The functions return exit codes, with their messages printed. */
struct machine {
    size_t size;    /* of its state, zeroed */
    size_t profile; /* offset of the path of --profile in struct run_command; 0: none */
    /* Complete and check the options, and register the files. */
    int (*check)(struct run *run);
    /* Whether data goes to standard output. */
    bool (*writes_stdout)(const struct run *run);
    /* Read the words of --arg; NULL: as run_arguments_parse. */
    int (*arguments)(struct run *run);
    /* Load the program, create the machine, pass the arguments. */
    int (*open)(struct run *run);
    /* Run, or let the request's driver run; print, check and write the requested outputs, and
     * fill run->report. */
    int (*execute)(struct run *run);
    /* Called after `open`, also if it failed; then the outputs are dropped. */
    void (*close)(struct run *run);
};

extern const struct machine machine_ventus, machine_tensor, machine_tile, machine_system,
    machine_network;

/* A run of the command's machine, not yet checked; and its end. */
int run_begin(struct run *run, struct run_command *command);
void run_end(struct run *run);

#endif
