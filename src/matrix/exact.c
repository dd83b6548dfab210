/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point products element by element in integer arithmetic (base/fp_wide.h): slow, with all
 * rounding modes and flags, in both orders of summation. */
#include "base/fp_wide.h"
#include "matrix/unit.h"

struct dot {
    enum sam_fp_width source, target;
    unsigned k;
    enum sam_round round;
    unsigned flags;
};

static enum sam_fp_width width_of(unsigned bits)
{
    return bits == 16 ? SAM_FP_16 : bits == 32 ? SAM_FP_32 : SAM_FP_64;
}

static uint64_t get(const uint8_t *at, enum sam_fp_width width)
{
    uint64_t value = 0;
    memcpy(&value, at, (size_t)2 << width);
    return value;
}

static uint64_t element(struct dot *d, const uint8_t *row, unsigned k)
{
    uint64_t value = get(row + k * (2u << d->source), d->source);
    return d->source == d->target ? value : sam_fp_widen(d->source, d->target, value, &d->flags);
}

/* t = 0; t = fma(a, b, t) for ascending k. */
static uint64_t in_order(struct dot *d, const uint8_t *a, const uint8_t *b)
{
    uint64_t t = 0;
    for (unsigned k = 0; k < d->k; k++)
        t = sam_fp_fma(d->target, element(d, a, k), element(d, b, k), t, d->round, &d->flags);
    return t;
}

/* Round each product, pad with zeros to a power of two, then sum adjacent nodes pairwise. */
static uint64_t as_tree(struct dot *d, const uint8_t *a, const uint8_t *b)
{
    uint64_t node[SAM_MATRIX_ROW_BYTES / 2] = {0};
    unsigned count = 1;
    while (count < d->k)
        count *= 2;
    for (unsigned k = 0; k < d->k; k++)
        node[k] = sam_fp_mul(d->target, element(d, a, k), element(d, b, k), d->round, &d->flags);
    for (; count > 1; count /= 2)
        for (unsigned i = 0; i < count / 2; i++)
            node[i] = sam_fp_add(d->target, node[2 * i], node[2 * i + 1], d->round, &d->flags);
    return node[0];
}

unsigned sam_matrix_exact(struct sam_matrix *m, unsigned md, unsigned ms2, unsigned ms1,
                          unsigned variant, enum sam_round round)
{
    const struct sam_m_type *type = sam_m_type(variant);
    const unsigned bytes = type->target / 8u, columns = m->row_bytes / bytes;
    struct dot d = {.source = width_of(type->source),
                    .target = width_of(type->target),
                    .k = m->size_k * 8 / type->source,
                    .round = round};
    for (unsigned i = 0; i < m->size_m; i++) {
        const uint8_t *a = sam_matrix_row(m, ms1, i);
        for (unsigned n = 0; n < m->size_n; n++) {
            const uint8_t *b = sam_matrix_row(m, ms2 + n / m->rows, n % m->rows);
            uint8_t *at = sam_matrix_row(m, md + n / columns, i) + n % columns * bytes;
            uint64_t t = m->tree ? as_tree(&d, a, b) : in_order(&d, a, b);
            t = sam_fp_add(d.target, get(at, d.target), t, round, &d.flags);
            memcpy(at, &t, bytes);
        }
    }
    return d.flags;
}
