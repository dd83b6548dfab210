/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of matrix/ share. Every instruction checks all that can make it illegal, then
 * works. */
#ifndef SAM_MATRIX_UNIT_H
#define SAM_MATRIX_UNIT_H

#include "machine/fpenv.h"
#include "machine/threads.h"
#include "matrix/matrix.h"

static inline struct sam_matrix *sam_matrix_of(const struct sam_core *c)
{
    return c->unit[SAM_UNIT_MATRIX];
}

/* Register `number` of the core, zero-extended. */
static inline uint64_t sam_matrix_x(const struct sam_core *c, unsigned number)
{
    return sam_matrix_of(c)->narrow ? c->x32[number] : c->x64[number];
}

static inline uint8_t *sam_matrix_row(struct sam_matrix *m, unsigned reg, unsigned row)
{
    return m->m[reg] + row * m->row_bytes;
}

/* An illegal instruction: mtval is its word, which the handler knows. */
static inline bool sam_matrix_illegal(struct sam_core *c)
{
    c->cause = SAM_CAUSE_ILLEGAL;
    return false;
}

/* sizeM and sizeK fit a register and sizeK is whole elements of `element` bytes. */
static inline bool sam_matrix_sized(const struct sam_matrix *m, unsigned element)
{
    return m->size_m - 1u < m->rows && m->size_k - 1u < m->row_bytes && m->size_k % element == 0;
}

/* The instructions. False: a trap; c->cause is set, and c->tval unless it is the instruction word.
 */

/* move.c: rows of sizeK bytes at base + i * stride. `variant` as in matrix.def. */
bool sam_matrix_load(struct sam_core *c, unsigned md, uint64_t base, uint64_t stride,
                     unsigned variant);
bool sam_matrix_store(struct sam_core *c, unsigned ms3, uint64_t base, uint64_t stride,
                      unsigned variant);
/* Whole registers. */
bool sam_matrix_load_whole(struct sam_core *c, unsigned md, uint64_t base, unsigned variant);
bool sam_matrix_store_whole(struct sam_core *c, unsigned ms3, uint64_t base, unsigned variant);
/* copy.c: mmov. `operand` is the row (by value) or the scalar of a form that has one. */
bool sam_matrix_copy(struct sam_core *c, unsigned md, unsigned ms1, uint64_t operand,
                     unsigned variant);
/* pointwise.c */
bool sam_matrix_pointwise(struct sam_core *c, unsigned md, unsigned ms2, unsigned ms1,
                          uint64_t operand, unsigned variant);
/* mma.c */
bool sam_matrix_mma(struct sam_core *c, unsigned md, unsigned ms2, unsigned ms1, unsigned variant);

/* --- products: the inner loops, compiled for several CPUs (product_tmpl.h) */

/* Columns are padded to whole vectors of 64 bytes. */
#define SAM_M_LANES_32 16u
#define SAM_M_LANES_64 8u

/* t[i][j] = sum over rising k of a[i][k] * b[k][j]. a has rows of `k` elements; b and t of `n`,
 * padded. dot: each product is exact in the format, so that only the sums round; fma: rounded once
 * a step; half: values of half precision in single, rounded to half each step. All round in the
 * host's mode, which `nearest` tells, and raise the host's flags. */
struct sam_m_products {
    void (*dot32)(const float *a, const float *b, float *t, unsigned m, unsigned n, unsigned k);
    void (*dot64)(const double *a, const double *b, double *t, unsigned m, unsigned n, unsigned k);
    void (*fma32)(const float *a, const float *b, float *t, unsigned m, unsigned n, unsigned k);
    void (*fma64)(const double *a, const double *b, double *t, unsigned m, unsigned n, unsigned k);
    /* NULL: the host has no conversions; then exact.c does it. */
    void (*half)(const float *a, const float *b, float *t, unsigned m, unsigned n, unsigned k,
                 bool nearest);
    /* t += c */
    void (*add32)(float *t, const float *c, unsigned count);
    void (*add64)(double *t, const double *c, unsigned count);
    /* Half to single and back; `count` is a multiple of 16. NULL with `half`. */
    void (*from_half)(float *to, const uint16_t *from, unsigned count);
    void (*to_half)(uint16_t *to, const float *from, unsigned count);
};
extern const struct sam_m_products sam_m_products_base;
extern const struct sam_m_products sam_m_products_v3;
extern const struct sam_m_products sam_m_products_v4;
/* product.c: the best for this host. */
const struct sam_m_products *sam_m_products_choose(void);

/* Operands unpacked. The largest: int4, 16 x 128 by 128 x 16, as floats. */
struct sam_m_scratch {
    union {
        float f32[SAM_M_ROWS * 128];
        double f64[SAM_M_ROWS * 32];
    } a, b, t, c;
    uint16_t half[SAM_M_ROWS * 32];
} __attribute__((aligned(64)));

/* exact.c: any floating-point multiplication, in integers: rounding modes that the host has not,
 * flags that it does not raise, the order of a tree. Writes md, returns the flags. */
unsigned sam_matrix_exact(struct sam_matrix *m, unsigned md, unsigned ms2, unsigned ms1,
                          unsigned variant, enum sam_round round);

#endif
