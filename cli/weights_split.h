/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of a file that is read from front to back, piece by piece, and what packing each
 * could gain. */
#ifndef WEIGHTS_SPLIT_H
#define WEIGHTS_SPLIT_H

#include "samite/codec.h"

/* Calls `take` with the bytes of each tensor in order, in pieces of WEIGHTS_PIECE (a multiple of
 * the windows of sam_weight_stat) and a shorter one at the end; once with nothing for an empty
 * tensor. What lies between tensors is left out. */
enum { WEIGHTS_PIECE = 1 << 20 };
struct weights_split {
    const struct sam_weights *weights;
    bool (*take)(void *context, size_t tensor, const uint8_t *data, size_t size,
                 struct sam_error *error);
    void *context;
    size_t tensor; /* the one that comes next, or that is begun */
    uint64_t at;   /* bytes of the file so far */
    uint8_t *held;
    size_t used;
};
/* False: out of memory. Close it whatever happened. */
bool weights_split_open(struct weights_split *split);
/* The next bytes of the file; false with `error` filled. */
bool weights_split_write(struct weights_split *split, const uint8_t *data, size_t size,
                         struct sam_error *error);
void weights_split_close(struct weights_split *split);
/* Were all tensors taken? */
bool weights_split_done(const struct weights_split *split);

/* Statistics of one piece more. Begin with all zero. */
bool weights_stat_add(struct sam_weight_stat *sum, enum sam_dtype type, const uint8_t *data,
                      size_t size, const struct sam_codec_options *options,
                      struct sam_error *error);

#endif
