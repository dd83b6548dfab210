/* SPDX-License-Identifier: Apache-2.0 */
/* C[i][j] += sum over k of A[i][k] * B[j][k]: A = ms1, B = ms2 (or ms2 and ms2+1), C = md (or md
 * and md+1, which hold the left and the right columns).
 *
 * All products are computed in float or double. Sums over a row are exact for integers: below 2^24
 * for 4- and 8-bit, below 2^53 for 16-bit integers. Columns that pad a vector repeat column 0, so
 * that they raise no additional flags. */
#include "matrix/unit.h"

/* If only some registers are accumulators, they can be md, loaded and stored, but not sources
 * (manual, 4.3). */
static struct sam_matrix_fault organisation(const struct sam_matrix *m,
                                            const struct sam_m_type *type, unsigned md,
                                            unsigned ms2, unsigned ms1)
{
    const unsigned all = (1u << SAM_MATRIX_COUNT) - 1;
    const unsigned sources = 1u << ms1 | ((1u << sam_m_ms2_count(type)) - 1) << ms2;
    const unsigned wrong = m->accumulators == all ? 0 : m->accumulators & sources;
    if (!(m->accumulators >> md & 1))
        return SAM_MATRIX_FAULT(SAM_MATRIX_NOT_MD, md);
    return wrong ? SAM_MATRIX_FAULT(SAM_MATRIX_NO_SOURCE, (unsigned)__builtin_ctz(wrong))
                 : SAM_MATRIX_FAULT(SAM_MATRIX_FINE, 0);
}

static bool is_legal(struct sam_core *c, const struct sam_m_type *type, unsigned md, unsigned ms2,
                     unsigned ms1)
{
    const struct sam_matrix *m = sam_matrix_of(c);
    const unsigned most = m->rows * sam_m_ms2_count(type);
    if (!sam_matrix_sized(c, type->source < 8 ? 1 : type->source / 8u))
        return false;
    if (m->size_n - 1u >= most)
        return sam_matrix_illegal(c, SAM_MATRIX_FAULT(SAM_MATRIX_SIZE_N, most));
    if (type->is_float && c->frm > SAM_RMM)
        return sam_matrix_illegal(c, SAM_MATRIX_FAULT(SAM_MATRIX_FRM, c->frm));
    const enum sam_m_fault pair = sam_m_product_fault(type, md, ms2, ms1);
    if (pair != SAM_M_FINE)
        return sam_matrix_illegal(
            c, SAM_MATRIX_FAULT(SAM_MATRIX_PRODUCT, pair, pair == SAM_M_ODD_MS2 ? ms2 : md));
    const struct sam_matrix_fault registers = organisation(m, type, md, ms2, ms1);
    return registers.why == SAM_MATRIX_FINE || sam_matrix_illegal(c, registers);
}

/* ------------------------------------------------------------------------ unpacking sources */

static void widen_8(float *to, const uint8_t *from, unsigned count, bool is_signed)
{
    for (unsigned k = 0; k < count; k++)
        to[k] = is_signed ? (float)(int8_t)from[k] : (float)from[k];
}

static void widen_4(float *to, const uint8_t *from, unsigned count, bool is_signed)
{
    const int flip = is_signed ? 8 : 0; /* (n ^ 8) - 8 extends the sign */
    for (unsigned k = 0; k < count / 2; k++) {
        to[2 * k] = (float)(((from[k] & 15) ^ flip) - flip);
        to[2 * k + 1] = (float)(((from[k] >> 4) ^ flip) - flip);
    }
}

static void widen_16(double *to, const uint8_t *from, unsigned count, bool is_signed)
{
    for (unsigned k = 0; k < count; k++) {
        uint16_t value = sam_le16(from + 2 * k);
        to[k] = is_signed ? (double)(int16_t)value : (double)value;
    }
}

/* Only elements in use are converted: others must not raise flags. */
static void widen_half(const struct sam_matrix *m, float *to, const uint8_t *from, unsigned count)
{
    if (count == SAM_MATRIX_ROW_BYTES / 2) {
        m->products->from_half(to, (const uint16_t *)(const void *)from, count);
        return;
    }
    uint16_t padded[SAM_MATRIX_ROW_BYTES / 2] __attribute__((aligned(64))) = {0};
    float wide[SAM_MATRIX_ROW_BYTES / 2] __attribute__((aligned(64)));
    memcpy(padded, from, 2 * count);
    m->products->from_half(wide, padded, SAM_MATRIX_ROW_BYTES / 2);
    memcpy(to, wide, count * sizeof *to);
}

static void widen_single(double *to, const uint8_t *from, unsigned count)
{
    float row[SAM_MATRIX_ROW_BYTES / 4];
    memcpy(row, from, 4 * count);
    for (unsigned k = 0; k < count; k++)
        to[k] = row[k];
}

/* Unpack one row of a source into the format of the computation. */
static void unpack_row(const struct sam_matrix *m, unsigned variant, bool is_signed, void *to,
                       const uint8_t *from, unsigned count)
{
    switch (variant < SAM_M_I8 ? variant : variant & ~3u) {
    case SAM_M_F32_F64: widen_single(to, from, count); break;
    case SAM_M_I8: widen_8(to, from, count, is_signed); break;
    case SAM_M_I4: widen_4(to, from, count, is_signed); break;
    case SAM_M_I16: widen_16(to, from, count, is_signed); break;
    default: widen_half(m, to, from, count); break;
    }
}

struct job {
    unsigned variant;
    const struct sam_m_type *type;
    unsigned md, ms2, ms1;
    unsigned m, n, k; /* k in elements */
    unsigned padded;  /* n */
    bool wide;        /* computed in double */
};

/* A source as rows in the format of the computation: the register itself, or its elements unpacked.
 * *stride: elements from row to row. */
static const void *unpack(const struct sam_matrix *m, const struct job *j, unsigned reg,
                          unsigned rows, bool is_signed, union sam_matrix_operand *to,
                          unsigned *stride)
{
    *stride = m->row_bytes * 8 / j->type->source;
    if (j->variant == SAM_M_F32 || j->variant == SAM_M_F64)
        return m->m[reg];
    for (unsigned i = 0; i < rows; i++) {
        const uint8_t *from = m->m[reg + i / m->rows] + i % m->rows * m->row_bytes;
        unpack_row(m, j->variant, is_signed,
                   j->wide ? (void *)(to->f64 + i * *stride) : (void *)(to->f32 + i * *stride),
                   from, j->k);
    }
    return to;
}

static void unpack_sources(struct sam_matrix *m, const struct job *j, struct sam_matrix_tile *tile)
{
    const unsigned sign = j->variant & 3;
    const bool a_signed = sign == SAM_M_S || sign == SAM_M_SU;
    const bool b_signed = sign == SAM_M_S || sign == SAM_M_US;
    struct sam_matrix_scratch *s = m->scratch;
    unsigned stride;
    tile->a = unpack(m, j, j->ms1, j->m, a_signed, &s->a, &tile->a_stride);
    const void *rows = unpack(m, j, j->ms2, j->n, b_signed, &s->rows, &stride);
    if (j->wide)
        m->products->transpose64(s->b.f64, rows, stride, j->padded, j->n, j->k);
    else
        m->products->transpose32(s->b.f32, rows, stride, j->padded, j->n, j->k);
}

/* --------------------------------------------------------------------------- the accumulators */

/* The bytes of a row of C in register md + r, which begins with element *first. */
static unsigned bytes_of(const struct sam_matrix *m, const struct job *j, unsigned r,
                         unsigned *first)
{
    const unsigned bytes = j->type->target / 8u, all = m->row_bytes / bytes;
    *first = r * all;
    unsigned columns = j->n <= *first ? 0 : j->n - *first < all ? j->n - *first : all;
    return columns * bytes;
}

static unsigned registers_of(const struct job *j)
{
    return j->type->target == 64 ? 2 : 1;
}

/* Clear the elements outside sizeM x sizeN. */
static void clear(struct sam_matrix *m, const struct job *j)
{
    for (unsigned r = 0; r < registers_of(j); r++) {
        unsigned first, used = bytes_of(m, j, r, &first);
        if (used < m->row_bytes)
            for (unsigned i = 0; i < j->m; i++)
                memset(sam_matrix_row(m, j->md + r, i) + used, 0, m->row_bytes - used);
        if (j->m < m->rows)
            memset(sam_matrix_row(m, j->md + r, j->m), 0, (m->rows - j->m) * m->row_bytes);
    }
}

/* C in the layout of the loops, padded with copies of column 0. A full register already has this
 * layout. */
static const void *get_accumulators(struct sam_matrix *m, const struct job *j)
{
    const unsigned bytes = j->type->target / 8u, row = j->padded * bytes;
    if (j->n * bytes == m->row_bytes && row == m->row_bytes)
        return m->m[j->md];
    for (unsigned i = 0; i < j->m; i++) {
        uint8_t *to = m->scratch->c.bytes + i * row;
        for (unsigned r = 0; r < registers_of(j); r++) {
            unsigned first, size = bytes_of(m, j, r, &first);
            memcpy(to + first * bytes, sam_matrix_row(m, j->md + r, i), size);
        }
        for (unsigned n = j->n; n < j->padded; n++)
            memcpy(to + n * bytes, to, bytes);
    }
    return &m->scratch->c;
}

static void put_accumulators(struct sam_matrix *m, const struct job *j)
{
    const unsigned bytes = j->type->target / 8u, row = j->padded * bytes;
    const uint8_t *from = m->scratch->t.bytes;
    if (row == m->row_bytes && j->n == j->padded) {
        memcpy(m->m[j->md], from, j->m * row);
        return;
    }
    for (unsigned i = 0; i < j->m; i++, from += row) {
        for (unsigned r = 0; r < registers_of(j); r++) {
            unsigned first, size = bytes_of(m, j, r, &first);
            memcpy(sam_matrix_row(m, j->md + r, i), from + first * bytes, size);
        }
    }
}

/* ------------------------------------------------------------------------------- products */

static sam_matrix_product *product_of(const struct sam_matrix_products *p, unsigned variant)
{
    switch (variant < SAM_M_I8 ? variant : variant & ~3u) {
    case SAM_M_F16: return p->half;
    case SAM_M_F32: return p->fma32;
    case SAM_M_F64: return p->fma64;
    case SAM_M_F16_F32: return p->dot32;
    case SAM_M_F32_F64: return p->dot64;
    case SAM_M_I16: return p->integer64;
    default: return p->integer32;
    }
}

/* Compute with the arithmetic of the host. Returns false if exact.c must do it; flags that the host
 * has raised are then correct. */
static bool host_product(struct sam_matrix *m, const struct job *j, enum sam_round round)
{
    struct sam_matrix_tile tile = {.b = &m->scratch->b,
                                   .t = &m->scratch->t,
                                   .m = j->m,
                                   .n = j->padded,
                                   .k = j->k,
                                   .nearest = round == SAM_RNE};
    sam_matrix_product *product = product_of(m->products, j->variant);
    if (j->type->is_float && (m->tree || round == SAM_RMM))
        return false;
    if (j->type->is_float && j->type->source == 16 && !m->products->half)
        return false;
    if (round != SAM_RNE)
        sam_host_fp_round(round);
    unpack_sources(m, j, &tile);
    tile.c = get_accumulators(m, j);
    bool nan = product(&tile);
    if (round != SAM_RNE)
        sam_host_fp_round(SAM_RNE);
    /* x86 does not raise NV for an fma of infinity, zero and a quiet NaN. */
    if (nan && (j->variant == SAM_M_F32 || j->variant == SAM_M_F64))
        return false;
    if (j->type->is_float && sam_host_fp_underflowed((uintptr_t)m))
        return false;
    put_accumulators(m, j);
    return true;
}

bool sam_matrix_mma(struct sam_core *c, unsigned md, unsigned ms2, unsigned ms1, unsigned variant)
{
    struct sam_matrix *m = sam_matrix_of(c);
    const struct sam_m_type *type = sam_m_type(variant);
    if (!is_legal(c, type, md, ms2, ms1))
        return false;
    struct job j = {.variant = variant,
                    .type = type,
                    .md = md,
                    .ms2 = ms2,
                    .ms1 = ms1,
                    .m = m->size_m,
                    .n = m->size_n,
                    .k = m->size_k * 8 / type->source,
                    .wide = type->target == 64};
    const unsigned lanes = j.wide ? SAM_MATRIX_LANES_64 : SAM_MATRIX_LANES_32;
    j.padded = (j.n + lanes - 1) / lanes * lanes;
    const enum sam_round round = type->is_float ? (enum sam_round)c->frm : SAM_RNE;
    if (!host_product(m, &j, round))
        c->fflags |= (uint8_t)sam_matrix_exact(m, md, ms2, ms1, variant, round);
    clear(m, &j);
    return true;
}
