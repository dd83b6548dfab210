/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the programs of this folder that multiply packed weights. They run on `samite run
 * --machine system --gpu-code gpu.s --weights FILE.smw`, where the file has two tensors:
 *   weight  N rows of K elements: f16, e4m3, e5m2 or e2m1
 *   tokens  the activations in f16, feature after feature, as the layer before leaves them
 * and leave in L1M (layer_memory.h) logits[M][N] = tokens * weight^T, probabilities[M][N], the
 * softmax of each of its rows, and likely[M], the column of its largest element. */
#ifndef SAMITE_KERNELS_SYSTEM_LAYER_H
#define SAMITE_KERNELS_SYSTEM_LAYER_H

#include <samite/device/launch.h>
#include <samite/device/matrix.h>
#include <samite/device/tensorload.h>
#include <samite/device/weights.h>
#include <stdbool.h>

#include "layer_memory.h"

/* Unless `holds`, print the message and end the program with exit code 1. */
void layer_expect(bool holds, const char *message);

/* A tensor of the packed file. */
const struct sam_weight_entry *layer_tensor(const char *name);

/* Decode the activations into L1M; returns their address there. */
const uint16_t *layer_bring(const struct sam_weight_entry *tokens);

/* Transpose `blocks` consecutive blocks [64][16] at `from` into 16 rows of `row_bytes` bytes,
 * the first of them row `row` of L0M: block b becomes the columns from 64 * b on. */
void layer_turn(const uint16_t *from, uint32_t blocks, uint32_t row, uint32_t row_bytes);

/* logits[m][n] for `rows` rows of `depth` activations in L0M and all columns: while a tile
 * of `weight` is multiplied the next one is decoded, and the one after it fetched. Returns the
 * number of columns. */
uint32_t layer_multiply(const struct sam_weight_entry *weight, uint32_t rows, uint32_t depth);

/* Launch softmax and best on the logits, and wait for them. */
void layer_finish(uint32_t rows, uint32_t columns);

#endif
