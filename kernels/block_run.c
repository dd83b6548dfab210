/* SPDX-License-Identifier: Apache-2.0 */
/* A block on the executor of tile programs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "block_run.h"
#include "model.h"

static struct sam_tile_argument integer(uint64_t value)
{
    return (struct sam_tile_argument){.is_scalar = true, .dtype = SAM_I64, .bits = value};
}

static struct sam_tile_argument real(double value)
{
    return (struct sam_tile_argument){
        .is_scalar = true, .dtype = SAM_F32, .bits = sam_dtype_round(SAM_F32, value)};
}

/* An array as f16. */
static enum sam_status halve(struct block *block, enum block_array array, struct sam_error *error)
{
    uint16_t *half = block->halves[array];
    if (!half)
        half = block->halves[array] = malloc(block->counts[array] * sizeof *half);
    if (!half)
        return model_refuse(error, SAM_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < block->counts[array]; i++)
        half[i] = (uint16_t)sam_dtype_round(SAM_F16, (double)block->arrays[array][i]);
    return SAM_OK;
}

enum sam_status block_arguments(struct block *block, struct sam_array arrays[BLOCK_ARRAYS],
                                struct sam_tile_argument arguments[BLOCK_ARGUMENTS],
                                struct sam_error *error)
{
    const struct block_config *c = &block->config;
    for (int i = 0; i < BLOCK_ARRAYS; i++) {
        const enum sam_dtype type = block_type(block, (enum block_array)i);
        if (type == SAM_F16 && halve(block, (enum block_array)i, error) != SAM_OK)
            return SAM_ERR_MEMORY;
        arrays[i] = (struct sam_array){.dtype = type,
                                       .rank = 2,
                                       .shape = {block->shapes[i][0], block->shapes[i][1]},
                                       .count = block->counts[i],
                                       .data = type == SAM_F16 ? (void *)block->halves[i]
                                                               : block->arrays[i]};
        arguments[i] = (struct sam_tile_argument){.array = &arrays[i]};
    }
    struct sam_tile_argument *scalar = arguments + BLOCK_ARRAYS;
    *scalar++ = integer(c->sequence);
    *scalar++ = integer(c->width);
    *scalar++ = integer(c->heads);
    *scalar++ = integer(c->hidden);
    *scalar++ = real(1 / (double)c->width);
    *scalar++ = real(c->eps);
    *scalar++ = real(1 / sqrt((double)c->width / c->heads));
    *scalar++ = real(c->slope);
    *scalar = real(c->cubic);
    return SAM_OK;
}

enum sam_status block_program(const char *path, struct sam_tile_program **program,
                              struct sam_error *error)
{
    char *text = NULL, *messages = NULL;
    size_t size;
    enum sam_status status = sam_file_load(path, 1 << 20, &text, &size, error);
    if (status == SAM_OK)
        status = sam_tile_parse(path, text, size, program, &messages, error);
    free(messages);
    free(text);
    return status;
}

enum sam_status block_execute(struct block *block, const char *path, struct sam_error *error)
{
    struct sam_array arrays[BLOCK_ARRAYS];
    struct sam_tile_argument arguments[BLOCK_ARGUMENTS];
    struct sam_tile_program *program = NULL;
    const struct sam_tile_options options = {.size = sizeof options,
                                             .sum_order = SAM_TILE_SUM_SYSTEM};
    enum sam_status status = block_arguments(block, arrays, arguments, error);
    if (status == SAM_OK)
        status = block_program(path, &program, error);
    if (status == SAM_OK)
        status = sam_tile_run(program, 0, arguments, BLOCK_ARGUMENTS, &options, NULL, error);
    sam_tile_program_free(program);
    return status;
}
