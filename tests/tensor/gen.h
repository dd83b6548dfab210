/* SPDX-License-Identifier: Apache-2.0 */
/* Random TensorLoad programs: a few words at a time, chosen by the state that the words before them
 * left, so that most of them do something, and those that trap are near to what would not. */
#ifndef TENSOR_GEN_H
#define TENSOR_GEN_H

#include <stddef.h>
#include <stdint.h>

#include "reference/tensor_ref.h"

#define GEN_BURST 128u /* words of one action at most */

struct gen {
    uint64_t random;
    bool plain_strides; /* leave the stride CSRs alone: D0 above 32 stays possible */
    uint32_t words[GEN_BURST];
    size_t count;
};

/* One action on state `t`: fills g->words with one to GEN_BURST words, straight-line code. */
void gen_action(struct gen *g, const struct tref *t);

#endif
