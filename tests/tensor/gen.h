/* SPDX-License-Identifier: Apache-2.0 */
/* Random TensorLoad programs: a few words at a time, chosen by the current state, so that most
 * of them have an effect, and those that trap are close to valid ones. */
#ifndef TENSOR_GEN_H
#define TENSOR_GEN_H

#include <stddef.h>
#include <stdint.h>

#include "reference/tensor_ref.h"

#define GEN_BURST 128u /* maximum words of an action */

struct gen {
    uint64_t random;
    bool plain_strides; /* never write the stride CSRs: D0 above 32 stays possible */
    uint32_t words[GEN_BURST];
    size_t count;
};

/* One action in state `t`: writes one to GEN_BURST words of straight-line code to g->words. */
void gen_action(struct gen *g, const struct tref *t);

#endif
