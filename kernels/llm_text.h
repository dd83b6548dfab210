/* SPDX-License-Identifier: Apache-2.0 */
/* The tile program of a step: its statements (llm_text.c), its layers (llm_layer.c). Types of tiles
 * are remembered by their names. */
#ifndef SAMITE_KERNELS_LLM_TEXT_H
#define SAMITE_KERNELS_LLM_TEXT_H

#include "llm.h"
#include <stdio.h>

struct llm_tile {
    char name[48], type[96];
};

struct llm_text {
    const struct llm *llm;
    FILE *out;
    const char *weight; /* dtype of weights, and of what they are multiplied with */
    uint32_t bytes;     /* of an element of it */
    struct llm_tile *tiles;
    size_t tile_count, tile_room;
    unsigned number;       /* of the next name */
    uint32_t values, keys; /* pieces of the cache that are loaded so far */
    bool failed;
};

/* Allocate a tile of the type "vec, 1x128xf32"; `sizes` are those that it leaves open. */
void text_make(struct llm_text *t, const char *name, const char *sizes, const char *type, ...);
/* A window of a tile; row and column are names of indexes. */
void text_window(struct llm_text *t, const char *name, const char *of, const char *at,
                 const char *type, ...);
/* An operation on tiles, whose names blanks separate; scalars begin with an underscore, those of
 * f16 with two. */
void text_op(struct llm_text *t, const char *name, const char *sources, const char *destination);
void text_view(struct llm_text *t, const char *name, const char *pointer, const char *shape,
               const char *strides, const char *dtype);
/* A window of an array, `name`, then its load or store. */
void text_part(struct llm_text *t, const char *name, const char *of, const char *at,
               const char *sizes, const char *dtype);
void text_load(struct llm_text *t, const char *from, const char *dtype, const char *tile);
void text_store(struct llm_text *t, const char *tile, const char *to, const char *dtype);

/* --- llm_layer.c */

enum { LANES = 32 }; /* of the GPU: elements of a row that are rotated side by side */

/* Ask for the first weights of the first layer: a hint for packed ones. */
void text_first_stages(struct llm_text *t);
/* `rows` rows of a matrix from `from` on, times the factor: the row `result` in vec. */
void text_multiply(struct llm_text *t, enum llm_matrix matrix, uint32_t from, uint32_t rows,
                   const char *factor, const char *result);
/* %x after `added` has been added to it, as a left factor, and in `scale` what its norm multiplies
 * it with: the product does not wait for that. */
void text_norm(struct llm_text *t, const char *name, const char *added, const char *scale,
               uint32_t keys);
/* Rows of LANES elements in which a row of `count` elements is rotated. */
uint32_t text_lines(uint32_t count);
void text_take_lines(struct llm_text *t, const char *name, const char *of, uint32_t first,
                     uint32_t count, const char *dtype);
uint32_t text_score_rows(const struct llm_shape *s);
/* Tiles for keys and values, with the keys of the first layer. */
void text_cached(struct llm_text *t);
void text_layer(struct llm_text *t);

#endif
