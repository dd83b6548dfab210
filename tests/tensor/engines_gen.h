/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs for the engines, as assembly and as what the reference takes, written side by
 * side: neither is derived from the other. */
#ifndef TENSOR_ENGINES_GEN_H
#define TENSOR_ENGINES_GEN_H

#include "base/base.h"
#include "tensor/engines_ref.h"

/* Bytes that programs access in each place; places stand side by side in `touched`. */
#define EGEN_PLACE 0x2000u

struct egen {
    uint64_t random;
    unsigned xlen;
    /* where the bytes are; of none: those of a hart alone */
    uint64_t places[EREF_MEMORY / EGEN_PLACE];
    unsigned place_count;
    /* One action of `others` is that of the caller; 0: none */
    unsigned others;
    void (*other)(struct egen *g);
    struct sam_buffer text;
    struct eref_insn *insns;
    size_t count, capacity;
    /* what the program has set */
    unsigned element, slices, width; /* bytes, D0, elements a slice */
    int strides[2][32];              /* [store] */
    uint32_t masks[2];
};

/* `actions` random things to do, then ebreak; `random`, `xlen`, places and others are set. Fails
 * the test when memory is short. */
void egen_program(struct egen *g, unsigned actions);
/* One instruction more, a scalar one until the caller says otherwise. */
struct eref_insn *egen_add(struct egen *g);
/* Always two instructions. */
void egen_constant(struct egen *g, const char *name, uint32_t value);
void egen_free(struct egen *g);
/* A random configuration, as --config takes it: mostly small numbers. */
void egen_config(uint64_t *random, char *text, size_t size);

#endif
