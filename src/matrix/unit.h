/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of matrix/. Instructions check their legality before they change any state.
 */
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
    return sam_core_x(c, sam_matrix_of(c)->narrow, number);
}

static inline uint8_t *sam_matrix_row(struct sam_matrix *m, unsigned reg, unsigned row)
{
    return m->m[reg] + row * m->row_bytes;
}

#define SAM_MATRIX_FAULT(reason, ...)                                                              \
    ((struct sam_matrix_fault){.why = (reason), .value = {__VA_ARGS__}})

/* Fail as an illegal instruction. */
static inline bool sam_matrix_illegal(struct sam_core *c, struct sam_matrix_fault fault)
{
    sam_matrix_of(c)->fault = fault;
    c->cause = SAM_CAUSE_ILLEGAL;
    return false;
}

/* log2 of the bytes of a register per byte of memory, of a load. `variant` as in matrix.def. */
static inline unsigned sam_matrix_widening(const struct sam_matrix *m, unsigned variant)
{
    return m->widen && (variant & 3) == 1;
}

/* Whether sizeM and sizeK fit a register, and sizeK is a multiple of `element` bytes. Traps if not.
 */
static inline bool sam_matrix_sized(struct sam_core *c, unsigned element)
{
    const struct sam_matrix *m = sam_matrix_of(c);
    if (SAM_UNLIKELY(m->size_m - 1u >= m->rows))
        return sam_matrix_illegal(c, SAM_MATRIX_FAULT(SAM_MATRIX_SIZE_M, 0));
    if (SAM_UNLIKELY(m->size_k - 1u >= m->row_bytes))
        return sam_matrix_illegal(c, SAM_MATRIX_FAULT(SAM_MATRIX_SIZE_K, 0));
    return !(m->size_k % element) ||
           sam_matrix_illegal(c, SAM_MATRIX_FAULT(SAM_MATRIX_ELEMENTS, element));
}

/* Row `number` of ms1; NULL after a trap. */
static inline const uint8_t *sam_matrix_numbered(struct sam_core *c, unsigned ms1, uint64_t number)
{
    struct sam_matrix *m = sam_matrix_of(c);
    if (number < m->rows)
        return sam_matrix_row(m, ms1, (unsigned)number);
    sam_matrix_illegal(c, SAM_MATRIX_FAULT(SAM_MATRIX_ROW, number));
    return NULL;
}

/* The instructions. They return false after a trap, with c->cause set, and c->tval unless it is the
 * instruction word. */

/* move.c: rows of sizeK bytes at base + i * stride. `variant` as in matrix.def. */
bool sam_matrix_load(struct sam_core *c, unsigned md, uint64_t base, uint64_t stride,
                     unsigned variant);
bool sam_matrix_store(struct sam_core *c, unsigned ms3, uint64_t base, uint64_t stride,
                      unsigned variant);
/* Whole registers. */
bool sam_matrix_load_whole(struct sam_core *c, unsigned md, uint64_t base, unsigned variant);
bool sam_matrix_store_whole(struct sam_core *c, unsigned ms3, uint64_t base, unsigned variant);
/* pointwise.c: mmov. `operand` is the row number or the scalar, in forms that have one. */
bool sam_matrix_copy(struct sam_core *c, unsigned md, unsigned ms1, uint64_t operand,
                     unsigned variant);
bool sam_matrix_pointwise(struct sam_core *c, unsigned md, unsigned ms2, unsigned ms1,
                          uint64_t operand, unsigned variant);
/* mma.c */
bool sam_matrix_mma(struct sam_core *c, unsigned md, unsigned ms2, unsigned ms1, unsigned variant);

/* --- products: the inner loops, compiled for several CPUs (product_tmpl.h) */

/* Columns are padded to whole vectors of 64 bytes. */
#define SAM_MATRIX_LANES_32 16u
#define SAM_MATRIX_LANES_64 8u

/* One multiplication, unpacked. a has m rows of k elements, `a_stride` elements apart; b has k rows
 * of `n` columns, padded; c and t have m rows of `n`. All except a are 64-byte aligned. */
struct sam_matrix_tile {
    const void *a, *b, *c;
    void *t;
    unsigned a_stride;
    unsigned m, n, k;
    bool nearest; /* rounding mode of the host */
};

/* t[i][j] = c[i][j] + sum over ascending k of a[i][k] * b[k][j], with the rounding mode and flags
 * of the host. NaNs in the result are canonical. Returns whether there are any. */
typedef bool sam_matrix_product(const struct sam_matrix_tile *tile);

struct sam_matrix_products {
    /* Products are exact in the format; only the sums round. */
    sam_matrix_product *dot32, *dot64;
    /* Integers stored as floats; c and t are int32 or int64 and wrap. */
    sam_matrix_product *integer32, *integer64;
    /* Rounded once per step. */
    sam_matrix_product *fma32, *fma64;
    /* a and b hold halves as floats, c and t are halves; rounded to half each step. NULL if the
     * host lacks the conversions: exact.c is used. */
    sam_matrix_product *half;
    /* Halves as floats; `count` is a multiple of 16. NULL with `half`. */
    void (*from_half)(float *to, const uint16_t *from, unsigned count);
    /* to[k * n + j] = rows[j * stride + k]; j < n, a multiple of 16 (32 bits) or 8 (64). Columns
     * from `used` on repeat column 0. */
    void (*transpose32)(float *to, const float *rows, unsigned stride, unsigned n, unsigned used,
                        unsigned k);
    void (*transpose64)(double *to, const double *rows, unsigned stride, unsigned n, unsigned used,
                        unsigned k);
};
extern const struct sam_matrix_products sam_matrix_products_base;
extern const struct sam_matrix_products sam_matrix_products_v3;
extern const struct sam_matrix_products sam_matrix_products_v4;
/* product.c: the table for the host's instruction set. */
const struct sam_matrix_products *sam_matrix_products_choose(void);

/* Unpacked operands. The largest are int4, 16 x 128 by 128 x 16, as floats. */
union sam_matrix_operand {
    float f32[SAM_MATRIX_ROWS * 128];
    double f64[SAM_MATRIX_ROWS * 32];
    uint8_t bytes[2 * SAM_MATRIX_ROWS * SAM_MATRIX_ROW_BYTES];
};

struct sam_matrix_scratch {
    union sam_matrix_operand a, rows, b, c, t; /* rows: B before it is transposed */
} __attribute__((aligned(64)));

/* exact.c: floating-point multiplication in integer arithmetic, for rounding modes that the host
 * lacks, flags that it does not raise, and summation as a tree. Writes md, returns the flags. */
unsigned sam_matrix_exact(struct sam_matrix *m, unsigned md, unsigned ms2, unsigned ms1,
                          unsigned variant, enum sam_round round);

#endif
