/* SPDX-License-Identifier: Apache-2.0 */
/* A machine as used by `run`, `debug`, `sweep` and --gdb, the command line, and one run of it. */
#ifndef MACHINE_H
#define MACHINE_H

#include "machine/network.h"
#include "machine/system.h"
#include "machine/tensor.h"
#include "machine/tile.h"
#include "machine/ventus.h"

/* --- command.c: the command line of `samite run` and `samite debug` */
/* The beginning, or all, of a verb's request. */
struct run_command {
    struct run_request run;
    struct gpu_request gpu;
    struct hart_request hart;
    struct tile_request tile;
    struct system_request system;
    struct network_request network;
    enum run_machine machine;
    bool json;
};

/* Options of all machines, and of those that run programs. */
extern const struct cli_option run_rows[], run_program_rows[];

/* Groups of the options of programs, for a request that begins with struct run_command. */
#define RUN_PROGRAM_GROUPS                                                                         \
    {"Options of --machine ventus, tensor and system", run_program_rows, 0,                        \
     1 << RUN_VENTUS | 1 << RUN_TENSOR | 1 << RUN_SYSTEM},                                         \
        {"Options of --machine ventus", ventus_launch_rows, offsetof(struct run_command, gpu),     \
         1 << RUN_VENTUS},                                                                         \
        {NULL, ventus_rows, offsetof(struct run_command, gpu), 1 << RUN_VENTUS},                   \
        {"Cycles of --machine ventus", ventus_cycles_rows, offsetof(struct run_command, gpu),      \
         1 << RUN_VENTUS},                                                                         \
        {"Options of --machine tensor and system", tensor_rows,                                    \
         offsetof(struct run_command, hart), 1 << RUN_TENSOR | 1 << RUN_SYSTEM},                   \
    {                                                                                              \
        NULL, tensor_start_rows, offsetof(struct run_command, hart),                               \
            1 << RUN_TENSOR | 1 << RUN_SYSTEM                                                      \
    }

void run_command_init(struct run_command *command, struct cli_args *args);
/* After cli_read: choose the machine, and check that the options apply to it. */
int run_command_check(struct run_command *command);
/* Run it; the exit code. */
int run_command(struct run_command *command);

/* --- one run of it */
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
