/* SPDX-License-Identifier: Apache-2.0 */
/* C[i][j] += sum over k of A[i][k] * B[j][k]: A = ms1, B = ms2 (or ms2 and ms2+1), C = md (or md
 * and md+1, which hold the left and the right columns).
 *
 * Everything is computed in float or double. Products of 4- and 8-bit integers summed over a row
 * stay below 2^24 and those of 16-bit integers below 2^53, so that these sums are exact. Columns
 * that pad a vector repeat column 0: they raise no flag that it does not raise. */
#include "base/fp_wide.h"
#include "matrix/unit.h"

static const struct sam_m_type types[SAM_M_MMAS] = {
    [SAM_M_F16] = {16, 16, true},     [SAM_M_F32] = {32, 32, true},
    [SAM_M_F64] = {64, 64, true},     [SAM_M_F16_F32] = {16, 32, true},
    [SAM_M_F32_F64] = {32, 64, true}, [SAM_M_I8] = {8, 32, false},
    [SAM_M_I16] = {16, 64, false},    [SAM_M_I4] = {4, 32, false},
};

const struct sam_m_type *sam_matrix_type(unsigned variant)
{
    return &types[variant < SAM_M_I8 ? variant : variant & ~3u];
}

/* Registers from `reg` on, `count` of them, as a set. */
static unsigned set_of(unsigned reg, unsigned count)
{
    return ((1u << count) - 1) << reg;
}

static bool is_legal(const struct sam_core *c, const struct sam_m_type *type, unsigned md,
                     unsigned ms2, unsigned ms1)
{
    const struct sam_matrix *m = sam_matrix_of(c);
    const unsigned b_count = type->target == 16 ? 2 : 1, c_count = type->target == 64 ? 2 : 1;
    if (!sam_matrix_sized(m, type->source < 8 ? 1 : type->source / 8u) ||
        m->size_n - 1u >= m->rows * b_count)
        return false;
    if (ms2 % b_count || md % c_count || (type->is_float && c->frm > SAM_RMM))
        return false;
    return !(set_of(md, c_count) & (set_of(ms1, 1) | set_of(ms2, b_count)));
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

/* Only the elements that count: others must raise no flag. */
static void widen_half(const struct sam_matrix *m, float *to, const uint8_t *from, unsigned count)
{
    uint16_t padded[SAM_M_ROW_BYTES / 2] __attribute__((aligned(64))) = {0};
    float wide[SAM_M_ROW_BYTES / 2] __attribute__((aligned(64)));
    memcpy(padded, from, 2 * count);
    m->products->from_half(wide, padded, SAM_M_ROW_BYTES / 2);
    memcpy(to, wide, count * sizeof *to);
}

static void widen_single(double *to, const uint8_t *from, unsigned count)
{
    float row[SAM_M_ROW_BYTES / 4];
    memcpy(row, from, 4 * count);
    for (unsigned k = 0; k < count; k++)
        to[k] = row[k];
}

/* One row of a source, as the format it is computed in. */
static void unpack_row(const struct sam_matrix *m, unsigned variant, bool is_signed, void *to,
                       const uint8_t *from, unsigned count)
{
    switch (variant < SAM_M_I8 ? variant : variant & ~3u) {
    case SAM_M_F16:
    case SAM_M_F16_F32: widen_half(m, to, from, count); break;
    case SAM_M_F32_F64: widen_single(to, from, count); break;
    case SAM_M_I8: widen_8(to, from, count, is_signed); break;
    case SAM_M_I4: widen_4(to, from, count, is_signed); break;
    case SAM_M_I16: widen_16(to, from, count, is_signed); break;
    default: memcpy(to, from, m->size_k); break;
    }
}

/* B in rows of K, to columns: b[k][j]. */
static void transpose_32(float *b, const float *row, unsigned k, unsigned j, unsigned n)
{
    for (unsigned i = 0; i < k; i++)
        b[i * n + j] = row[i];
}

static void transpose_64(double *b, const double *row, unsigned k, unsigned j, unsigned n)
{
    for (unsigned i = 0; i < k; i++)
        b[i * n + j] = row[i];
}

struct job {
    unsigned variant;
    const struct sam_m_type *type;
    unsigned md, ms2, ms1;
    unsigned m, n, k; /* k in elements */
    unsigned padded;  /* n */
    bool wide;        /* computed in double */
};

static void unpack(struct sam_matrix *m, const struct job *j)
{
    const unsigned sign = j->variant & 3;
    const bool a_signed = sign == SAM_M_S || sign == SAM_M_SU;
    const bool b_signed = sign == SAM_M_S || sign == SAM_M_US;
    union {
        float f32[128];
        double f64[32];
    } row;
    for (unsigned i = 0; i < j->m; i++) {
        const uint8_t *from = sam_matrix_row(m, j->ms1, i);
        void *to = j->wide ? (void *)(m->scratch->a.f64 + i * j->k)
                           : (void *)(m->scratch->a.f32 + i * j->k);
        unpack_row(m, j->variant, a_signed, to, from, j->k);
    }
    for (unsigned i = 0; i < j->padded; i++) {
        if (i < j->n || i == j->n) {
            unsigned source = i < j->n ? i : 0;
            const uint8_t *from = sam_matrix_row(m, j->ms2 + source / m->rows, source % m->rows);
            unpack_row(m, j->variant, b_signed, &row, from, j->k);
        }
        if (j->wide)
            transpose_64(m->scratch->b.f64, row.f64, j->k, i, j->padded);
        else
            transpose_32(m->scratch->b.f32, row.f32, j->k, i, j->padded);
    }
}

/* --------------------------------------------------------------------------- the accumulators */

/* The columns of C that register md + r holds: from *first on. */
static unsigned columns_of(const struct sam_matrix *m, const struct job *j, unsigned r,
                           unsigned *first)
{
    const unsigned all = m->row_bytes * 8 / j->type->target;
    *first = r * all;
    return j->n <= *first ? 0 : j->n - *first < all ? j->n - *first : all;
}

/* What lies outside sizeM x sizeN becomes zero. */
static void clear(struct sam_matrix *m, const struct job *j)
{
    for (unsigned r = 0; r < (j->type->target == 64 ? 2u : 1u); r++) {
        unsigned first, used = columns_of(m, j, r, &first) * j->type->target / 8;
        if (used < m->row_bytes)
            for (unsigned i = 0; i < j->m; i++)
                memset(sam_matrix_row(m, j->md + r, i) + used, 0, m->row_bytes - used);
        if (j->m < m->rows)
            memset(sam_matrix_row(m, j->md + r, j->m), 0, (m->rows - j->m) * m->row_bytes);
    }
}

static void add_integers(struct sam_matrix *m, const struct job *j)
{
    for (unsigned i = 0; i < j->m; i++) {
        const float *sums = m->scratch->t.f32 + i * j->padded;
        uint8_t *to = sam_matrix_row(m, j->md, i);
        uint32_t row[SAM_M_ROW_BYTES / 4];
        memcpy(row, to, m->row_bytes);
        for (unsigned n = 0; n < j->n; n++)
            row[n] += (uint32_t)(int32_t)sums[n];
        memcpy(to, row, m->row_bytes);
    }
}

static void add_long_integers(struct sam_matrix *m, const struct job *j)
{
    unsigned first;
    for (unsigned r = 0; r < 2; r++) {
        const unsigned count = columns_of(m, j, r, &first);
        for (unsigned i = 0; i < j->m; i++) {
            const double *sums = m->scratch->t.f64 + i * j->padded + first;
            uint8_t *to = sam_matrix_row(m, j->md + r, i);
            uint64_t row[SAM_M_ROW_BYTES / 8];
            memcpy(row, to, m->row_bytes);
            for (unsigned n = 0; n < count; n++)
                row[n] += (uint64_t)(int64_t)sums[n];
            memcpy(to, row, m->row_bytes);
        }
    }
}

/* C as it stands; columns that pad repeat column 0. */
static void get_floats(struct sam_matrix *m, const struct job *j)
{
    struct sam_m_scratch *s = m->scratch;
    unsigned first;
    for (unsigned i = 0; i < j->m; i++) {
        const unsigned at = i * j->padded;
        for (unsigned r = 0; r < (j->wide ? 2u : 1u); r++) {
            const unsigned count = columns_of(m, j, r, &first);
            const uint8_t *row = sam_matrix_row(m, j->md + r, i);
            if (j->wide)
                memcpy(s->c.f64 + at + first, row, count * 8);
            else if (j->type->target == 32)
                memcpy(s->c.f32 + at, row, count * 4);
            else
                memcpy(s->half + at, row, count * 2);
        }
        for (unsigned n = j->n; n < j->padded; n++) {
            if (j->wide)
                s->c.f64[at + n] = s->c.f64[at];
            else if (j->type->target == 32)
                s->c.f32[at + n] = s->c.f32[at];
            else
                s->half[at + n] = s->half[at];
        }
    }
    if (j->type->target == 16)
        m->products->from_half(s->c.f32, s->half, j->m * j->padded);
}

static void put_halves(struct sam_matrix *m, const struct job *j)
{
    for (unsigned i = 0; i < j->m; i++) {
        uint16_t *row = m->scratch->half + i * j->padded;
        for (unsigned n = 0; n < j->n; n++)
            row[n] = (row[n] & 0x7fff) > 0x7c00 ? SAM_F16_NAN : row[n];
        memcpy(sam_matrix_row(m, j->md, i), row, 2 * j->n);
    }
}

static void put_singles(struct sam_matrix *m, const struct job *j)
{
    for (unsigned i = 0; i < j->m; i++) {
        uint32_t row[SAM_M_ROW_BYTES / 4];
        memcpy(row, m->scratch->t.f32 + i * j->padded, sizeof row);
        for (unsigned n = 0; n < SAM_COUNT(row); n++)
            row[n] = sam_f32_is_nan(row[n]) ? SAM_F32_NAN : row[n];
        memcpy(sam_matrix_row(m, j->md, i), row, 4 * j->n);
    }
}

static bool is_nan_64(uint64_t bits)
{
    return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

static void put_doubles(struct sam_matrix *m, const struct job *j)
{
    unsigned first;
    for (unsigned r = 0; r < 2; r++) {
        const unsigned count = columns_of(m, j, r, &first);
        for (unsigned i = 0; i < j->m; i++) {
            uint64_t row[SAM_M_ROW_BYTES / 8];
            memcpy(row, m->scratch->t.f64 + i * j->padded + first, 8 * count);
            for (unsigned n = 0; n < count; n++)
                row[n] = is_nan_64(row[n]) ? SAM_F64_NAN : row[n];
            memcpy(sam_matrix_row(m, j->md + r, i), row, 8 * count);
        }
    }
}

/* ------------------------------------------------------------------------------- products */

static bool has_nan(const struct sam_m_scratch *s, bool wide, unsigned count)
{
    bool nan = false;
    if (wide)
        for (unsigned i = 0; i < count; i++)
            nan |= __builtin_isnan(s->t.f64[i]) != 0;
    else
        for (unsigned i = 0; i < count; i++)
            nan |= __builtin_isnan(s->t.f32[i]) != 0;
    return nan;
}

static void integer_product(struct sam_matrix *m, const struct job *j)
{
    struct sam_m_scratch *s = m->scratch;
    unpack(m, j);
    if (j->wide) {
        m->products->dot64(s->a.f64, s->b.f64, s->t.f64, j->m, j->padded, j->k);
        add_long_integers(m, j);
    } else {
        m->products->dot32(s->a.f32, s->b.f32, s->t.f32, j->m, j->padded, j->k);
        add_integers(m, j);
    }
}

/* In the host's arithmetic, up to t. The sum of a product and its accumulator is one more rounding;
 * for halves, single precision has enough bits that rounding twice is rounding once. */
static void host_product(struct sam_matrix *m, const struct job *j, bool nearest)
{
    const struct sam_m_products *p = m->products;
    struct sam_m_scratch *s = m->scratch;
    const unsigned count = j->m * j->padded;
    unpack(m, j);
    get_floats(m, j);
    switch (j->variant) {
    case SAM_M_F16: p->half(s->a.f32, s->b.f32, s->t.f32, j->m, j->padded, j->k, nearest); break;
    case SAM_M_F32: p->fma32(s->a.f32, s->b.f32, s->t.f32, j->m, j->padded, j->k); break;
    case SAM_M_F64: p->fma64(s->a.f64, s->b.f64, s->t.f64, j->m, j->padded, j->k); break;
    case SAM_M_F16_F32: p->dot32(s->a.f32, s->b.f32, s->t.f32, j->m, j->padded, j->k); break;
    default: p->dot64(s->a.f64, s->b.f64, s->t.f64, j->m, j->padded, j->k); break;
    }
    if (j->wide)
        p->add64(s->t.f64, s->c.f64, count);
    else
        p->add32(s->t.f32, s->c.f32, count);
    if (j->variant == SAM_M_F16)
        p->to_half(s->half, s->t.f32, count);
}

/* False: exact.c has to do it. The flags that the host has raised by then are right. */
static bool float_product(struct sam_matrix *m, const struct job *j, enum sam_round round)
{
    const bool halves = j->type->source == 16;
    if (m->tree || round == SAM_RMM || (halves && !m->products->half))
        return false;
    if (round != SAM_RNE)
        sam_host_fp_round(round);
    host_product(m, j, round == SAM_RNE);
    if (round != SAM_RNE)
        sam_host_fp_round(SAM_RNE);
    if (j->variant == SAM_M_F16) {
        put_halves(m, j);
        return true;
    }
    /* x86 raises no NV for an fma of infinity, zero and a quiet NaN. */
    if ((j->variant == SAM_M_F32 || j->variant == SAM_M_F64) &&
        has_nan(m->scratch, j->wide, j->m * j->padded))
        return false;
    if (j->wide)
        put_doubles(m, j);
    else
        put_singles(m, j);
    return true;
}

bool sam_matrix_mma(struct sam_core *c, unsigned md, unsigned ms2, unsigned ms1, unsigned variant)
{
    struct sam_matrix *m = sam_matrix_of(c);
    const struct sam_m_type *type = sam_matrix_type(variant);
    if (!is_legal(c, type, md, ms2, ms1))
        return sam_matrix_illegal(c);
    struct job j = {.variant = variant,
                    .type = type,
                    .md = md,
                    .ms2 = ms2,
                    .ms1 = ms1,
                    .m = m->size_m,
                    .n = m->size_n,
                    .k = m->size_k * 8 / type->source,
                    .wide = type->target == 64};
    const unsigned lanes = j.wide ? SAM_M_LANES_64 : SAM_M_LANES_32;
    j.padded = (j.n + lanes - 1) / lanes * lanes;
    if (!type->is_float) {
        integer_product(m, &j);
    } else if (!float_product(m, &j, (enum sam_round)c->frm)) {
        c->fflags |= (uint8_t)sam_matrix_exact(m, md, ms2, ms1, variant, (enum sam_round)c->frm);
    }
    clear(m, &j);
    return true;
}
