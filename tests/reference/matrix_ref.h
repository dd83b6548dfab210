/* SPDX-License-Identifier: Apache-2.0 */
/* A second, plain and slow implementation of the matrix unit: one element at a time, directly
 * from the rulings, with instruction words decoded by hand. It shares only RISC-V's numbers with
 * src/. */
#ifndef MATRIX_REF_H
#define MATRIX_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref_float.h"

struct matrix_ref {
    unsigned mlen, xlen;
    uint8_t m[8][16][64];
    unsigned size_m, size_n, size_k;
    unsigned start, state, round, saturated;
    bool tree;
    struct ref_fp fp; /* frm, fflags */
    uint64_t x[32];
    /* The entire memory. */
    uint64_t base;
    uint8_t *memory;
    size_t memory_size;
    /* of a trap */
    unsigned cause;
    uint64_t tval;
};

/* Reset, memory aside. */
void matrix_ref_reset(struct matrix_ref *r, unsigned mlen, unsigned xlen);
/* Run one matrix instruction. Returns false if it traps. */
bool matrix_ref_run(struct matrix_ref *r, uint32_t word);
uint32_t matrix_ref_size(const struct matrix_ref *r);

#endif
