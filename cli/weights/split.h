/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a sequentially read file into its tensors, and estimates the gain of packing each. */
#ifndef WEIGHTS_SPLIT_H
#define WEIGHTS_SPLIT_H

#include "samite/codec.h"

/* Calls `take` with the bytes of each tensor in order, in pieces of WEIGHTS_PIECE (a multiple of
 * the windows of sam_weight_stat), the last of which may be shorter; once with no bytes for an
 * empty tensor. Gaps between tensors are skipped. */
enum { WEIGHTS_PIECE = 1 << 20 };
struct weights_split {
    const struct sam_weights *weights;
    bool (*take)(void *context, size_t tensor, const uint8_t *data, size_t size,
                 struct sam_error *error);
    void *context;
    size_t tensor; /* the current or next one */
    uint64_t at;   /* bytes of the file so far */
    uint8_t *held;
    size_t used;
};
/* False: out of memory. Close it in either case. */
bool weights_split_open(struct weights_split *split);
/* The next bytes of the file; false with `error` filled. */
bool weights_split_write(struct weights_split *split, const uint8_t *data, size_t size,
                         struct sam_error *error);
void weights_split_close(struct weights_split *split);
/* Whether all tensors have been passed on. */
bool weights_split_done(const struct weights_split *split);

/* Add the statistics of one piece; initialize `sum` to zero. */
bool weights_stat_add(struct sam_weight_stat *sum, enum sam_dtype type, const uint8_t *data,
                      size_t size, const struct sam_codec_options *options,
                      struct sam_error *error);

#endif
