/* SPDX-License-Identifier: Apache-2.0 */
/* Memory layout of the programs of this folder: offsets in L1M and L0M, and capacities. The host
 * reads the results from here. */
#ifndef SAMITE_KERNELS_SYSTEM_LAYER_MEMORY_H
#define SAMITE_KERNELS_SYSTEM_LAYER_MEMORY_H

enum {
    /* L1M: activations as decoded, then the results. */
    LAYER_TOKENS = 0,
    LAYER_LOGITS = 0x40000,
    LAYER_PROBABILITIES = 0x80000,
    LAYER_LIKELY = 0xc0000,
    LAYER_ELEMENTS = 0x20000, /* of the activations, which are f16 */
    LAYER_RESULTS = 0x10000,  /* M * N */
    LAYER_ROWS = 256,         /* M */
    /* L0M: activations in rows, then three tiles of weights: one is multiplied, one decoded, one
     * fetched. A tile is a block of packed weights, or half a block of e2m1. */
    LAYER_ACTIVATIONS = 0,
    LAYER_TILES = 0x40000,
    LAYER_BUFFERS = 3,
    LAYER_TILE = 1 << 17, /* elements, f16 after decoding */
    LAYER_TILE_BYTES = 2 * LAYER_TILE,
    /* TensorLoad transposes blocks of 64 features of 16 tokens. */
    TURN_FEATURES = 64,
    TURN_TOKENS = 16,
    TURN_ROW = 2 * TURN_FEATURES, /* bytes of a row after transposition */
};

#endif
