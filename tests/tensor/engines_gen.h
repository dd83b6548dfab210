/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs for the engines, as assembly and as what the reference takes, written side by
 * side: neither is derived from the other. */
#ifndef TENSOR_ENGINES_GEN_H
#define TENSOR_ENGINES_GEN_H

#include "base/base.h"
#include "tensor/engines_ref.h"

struct egen {
    uint64_t random;
    unsigned xlen;
    struct sam_buffer text;
    struct eref_insn *insns;
    size_t count, capacity;
    /* what the program has set */
    unsigned element, slices, width; /* bytes, D0, elements a slice */
    int strides[2][32];              /* [store] */
    uint32_t masks[2];
};

/* `actions` random things to do, then ebreak; fails the test when memory is short. */
void egen_program(struct egen *g, uint64_t seed, unsigned xlen, unsigned actions);
void egen_free(struct egen *g);
/* A random configuration, as --config takes it: mostly small numbers. */
void egen_config(uint64_t *random, char *text, size_t size);

#endif
