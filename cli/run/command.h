/* SPDX-License-Identifier: Apache-2.0 */
/* The common command line of `samite run` and `samite debug`. */
#ifndef RUN_COMMAND_H
#define RUN_COMMAND_H

#include "machine/network.h"
#include "machine/system.h"
#include "machine/tensor.h"
#include "machine/tile.h"
#include "machine/ventus.h"

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

#endif
