/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs for the engines, as assembly and as input of the reference, generated side by
 * side: neither is derived from the other. */
#ifndef TENSOR_ENGINES_GEN_H
#define TENSOR_ENGINES_GEN_H

#include "base/base.h"
#include "tensor/engines_ref.h"

/* Bytes that programs access in each region; regions are adjacent in `touched`. */
#define EGEN_PLACE 0x2000u

struct egen {
    uint64_t random;
    unsigned xlen;
    /* addresses of the regions; NULL: those of a hart alone */
    uint64_t places[EREF_MEMORY / EGEN_PLACE];
    unsigned place_count;
    /* one in `others` actions is that of the caller; 0: none */
    unsigned others;
    void (*other)(struct egen *g);
    struct sam_buffer text;
    struct eref_insn *insns;
    size_t count, capacity;
    /* values set by the program */
    unsigned element, slices, width; /* bytes, D0, elements per slice */
    int strides[2][32];              /* [store] */
    uint32_t masks[2];
};

/* `actions` random actions, then ebreak; the caller sets `random`, `xlen`, regions and others.
 * Fails the test if memory is short. */
void egen_program(struct egen *g, unsigned actions);
/* Append an instruction, a scalar one unless the caller changes it. */
struct eref_insn *egen_add(struct egen *g);
/* Always two instructions. */
void egen_constant(struct egen *g, const char *name, uint32_t value);
void egen_free(struct egen *g);
/* A random configuration in the syntax of --config: mostly small numbers. */
void egen_config(uint64_t *random, char *text, size_t size);

#endif
