/* SPDX-License-Identifier: Apache-2.0 */
/* A block on the system: lowered, loaded, run, fetched. */
#include <stdio.h>
#include <stdlib.h>

#include "block_run.h"
#include "model.h"

static enum sam_status run(struct sam_system *system, const struct block_system *how,
                           struct block_figures *figures, struct sam_error *error)
{
    enum sam_status status = sam_tile_lowered_load(figures->lowered, system, error);
    if (status == SAM_OK && how->packed)
        status = sam_system_load_weights(system, how->packed, how->packed_size, 0, error);
    if (status == SAM_OK)
        status = sam_system_run(system, NULL, error);
    if (status == SAM_OK)
        status = sam_tile_lowered_failure(figures->lowered, system, error);
    if (status == SAM_OK)
        status = model_check_races(system, error);
    if (status == SAM_OK)
        status = sam_tile_lowered_fetch(figures->lowered, system, error);
    if (status == SAM_OK && how->timing)
        status = sam_system_measure(system, &figures->figures, error);
    return status;
}

enum sam_status block_lowered(struct block *block, const char *path, const struct block_system *how,
                              struct block_figures *figures, struct sam_error *error)
{
    const struct sam_hart_options hart = {.size = sizeof hart, .acc_regs = how->acc_regs};
    const struct sam_system_options options = {.size = sizeof options,
                                               .hart = &hart,
                                               .check_races = how->check_races,
                                               .timing = how->timing};
    struct sam_array arrays[BLOCK_ARRAYS];
    struct sam_tile_argument arguments[BLOCK_ARGUMENTS];
    const struct sam_tile_lower_options lowering = {.size = sizeof lowering,
                                                    .acc_regs = how->acc_regs,
                                                    .config =
                                                        how->timing ? how->timing->config : NULL,
                                                    .weights = how->packed,
                                                    .weights_size = how->packed_size};
    struct sam_tile_program *program = NULL;
    struct sam_system *system = NULL;
    char *messages = NULL;
    *figures = (struct block_figures){0};
    enum sam_status status = block_arguments(block, arrays, arguments, error);
    for (int i = 0; i < BLOCK_ARRAYS; i++)
        if (how->packed && block->names[i][0])
            arguments[i].packed = block->names[i];
    if (status == SAM_OK)
        status = block_program(path, &program, error);
    if (status == SAM_OK)
        status = sam_tile_lower(program, 0, arguments, BLOCK_ARGUMENTS, &lowering,
                                &figures->lowered, &messages, error);
    free(messages);
    if (status == SAM_OK && how->emit)
        status = sam_tile_lowered_emit(figures->lowered, how->emit, error);
    if (status == SAM_OK)
        status = sam_system_new(&options, &system, error);
    if (status == SAM_OK)
        status = run(system, how, figures, error);
    sam_system_free(system);
    sam_tile_program_free(program);
    return status;
}

void block_figures_free(struct block_figures *figures)
{
    sam_system_figures_free(figures->figures);
    sam_tile_lowered_free(figures->lowered);
    *figures = (struct block_figures){0};
}
