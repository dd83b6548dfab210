/* SPDX-License-Identifier: Apache-2.0 */
/* mmov, and element-wise operations: md = ms2 op b, where b is a matrix, a row applied to all rows,
 * or a scalar register. */
#include "matrix/unit.h"

/* The rounding increment of value / 2^shift. `value` is in two's complement. */
static inline unsigned rounded_up(enum sam_matrix_round round, uint64_t value, unsigned shift)
{
    if (shift == 0)
        return 0;
    const uint64_t half = UINT64_C(1) << (shift - 1);
    const uint64_t rest = value & (2 * half - 1);
    const bool odd = value >> shift & 1;
    switch (round) {
    case SAM_MATRIX_RNU: return rest >= half;
    case SAM_MATRIX_RNE: return rest > half || (rest == half && odd);
    case SAM_MATRIX_RDN: return 0;
    case SAM_MATRIX_ROD: return rest && !odd;
    }
    return 0;
}

/* `shift` is below the width, so that a shift by 63 keeps the top bit of a 64-bit value. */
static inline int64_t shift_signed(enum sam_matrix_round round, int64_t value, unsigned shift)
{
    return (value >> shift) + (int64_t)rounded_up(round, (uint64_t)value, shift);
}

static inline uint64_t shift_unsigned(enum sam_matrix_round round, uint64_t value, unsigned shift)
{
    return (value >> shift) + rounded_up(round, value, shift);
}

static inline uint64_t clip(struct sam_matrix *m, int64_t value, unsigned bits)
{
    const int64_t high = (INT64_C(1) << (bits - 1)) - 1, low = -high - 1;
    if (value >= low && value <= high)
        return (uint64_t)value;
    m->saturated = true;
    return (uint64_t)(value < low ? low : high);
}

static inline uint64_t clip_unsigned(struct sam_matrix *m, uint64_t value, unsigned bits)
{
    const uint64_t high = (UINT64_C(1) << bits) - 1;
    if (value <= high)
        return value;
    m->saturated = true;
    return high;
}

__extension__ typedef __int128 i128;

/* `a` and `b` sign-extended from `bits`. */
static inline uint64_t operate(struct sam_matrix *m, unsigned operation, int64_t a, int64_t b,
                               unsigned bits)
{
    const uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    const uint64_t all = bits == 64 ? UINT64_MAX : UINT32_MAX;
    const unsigned shift = (unsigned)ub & (bits - 1);
    switch (operation) {
    case SAM_M_ADD: return ua + ub;
    case SAM_M_SUB: return ua - ub;
    case SAM_M_SRA: return (uint64_t)shift_signed(m->round, a, shift);
    case SAM_M_CLIP: return clip(m, shift_signed(m->round, a, shift), bits / 4);
    case SAM_M_CLIPU: return clip_unsigned(m, shift_unsigned(m->round, ua & all, shift), bits / 4);
    case SAM_M_MUL: return ua * ub;
    default: return (uint64_t)((i128)a * b >> bits);
    }
}

static int64_t get(const uint8_t *row, unsigned index, unsigned bytes)
{
    row += index * bytes;
    if (bytes == 4)
        return (int32_t)sam_le32(row);
    return (int64_t)((uint64_t)sam_le32(row + 4) << 32 | sam_le32(row));
}

static void put(uint8_t *row, unsigned index, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        row[index * bytes + i] = (uint8_t)(value >> 8 * i);
}

/* Write a row of md. Elements past sizeK are cleared; bytes after the results are kept. */
static void one_row(struct sam_matrix *m, uint8_t *to, const uint8_t *a, const uint8_t *b,
                    unsigned variant, bool inside)
{
    const unsigned operation = variant & ~7u, bytes = variant & SAM_M_WIDE ? 8 : 4;
    const bool narrows = operation == SAM_M_CLIP || operation == SAM_M_CLIPU;
    const unsigned result = narrows ? bytes / 4 : bytes;
    const unsigned count = inside ? m->size_k / bytes : 0;
    uint8_t row[SAM_MATRIX_ROW_BYTES];
    memset(row, 0, sizeof row);
    for (unsigned k = 0; k < count; k++)
        put(row, k, result, operate(m, operation, get(a, k, bytes), get(b, k, bytes), 8 * bytes));
    memcpy(to, row, m->row_bytes / bytes * result);
}

bool sam_matrix_pointwise(struct sam_core *c, unsigned md, unsigned ms2, unsigned ms1,
                          uint64_t operand, unsigned variant)
{
    struct sam_matrix *m = sam_matrix_of(c);
    const unsigned form = variant & 3, bytes = variant & SAM_M_WIDE ? 8 : 4;
    uint8_t row[SAM_MATRIX_ROW_BYTES] = {0};
    if (!sam_matrix_sized(c, bytes))
        return false;
    if (form == SAM_M_MX) {
        if (m->narrow) /* RV32: a 64-bit element is the register, sign-extended */
            operand = (uint64_t)(int64_t)(int32_t)(uint32_t)operand;
        for (unsigned k = 0; k < m->row_bytes / bytes; k++)
            put(row, k, bytes, operand);
    } else if (form != SAM_M_MM) {
        const uint8_t *from = sam_matrix_numbered(c, ms1, operand);
        if (!from)
            return false;
        memcpy(row, from, m->row_bytes);
    }
    for (unsigned i = 0; i < m->rows; i++) {
        const uint8_t *b = form == SAM_M_MM ? sam_matrix_row(m, ms1, i) : row;
        one_row(m, sam_matrix_row(m, md, i), sam_matrix_row(m, ms2, i), b, variant, i < m->size_m);
    }
    return true;
}

bool sam_matrix_copy(struct sam_core *c, unsigned md, unsigned ms1, uint64_t operand,
                     unsigned variant)
{
    struct sam_matrix *m = sam_matrix_of(c);
    const size_t bytes = m->rows * m->row_bytes;
    uint8_t row[SAM_MATRIX_ROW_BYTES];
    if (variant == SAM_M_MM) {
        memmove(m->m[md], m->m[ms1], bytes);
        return true;
    }
    if (variant == SAM_M_MX) {
        const unsigned width = m->narrow ? 4 : 8;
        for (unsigned i = 0; i < m->row_bytes; i++)
            row[i] = (uint8_t)(operand >> 8 * (i % width));
    } else {
        const uint8_t *from = sam_matrix_numbered(c, ms1, operand);
        if (!from)
            return false;
        memcpy(row, from, m->row_bytes);
    }
    for (unsigned i = 0; i < m->rows; i++)
        memcpy(sam_matrix_row(m, md, i), row, m->row_bytes);
    return true;
}
