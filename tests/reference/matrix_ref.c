/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_ref.h"

#include <string.h>

#include "ref_wide.h"

static uint32_t field(uint32_t word, unsigned low, unsigned width)
{
    return word >> low & ((1u << width) - 1);
}

static unsigned row_bytes(const struct matrix_ref *r)
{
    return r->mlen / 8;
}

static unsigned rows(const struct matrix_ref *r)
{
    return r->mlen / 32;
}

static uint64_t reg_x(const struct matrix_ref *r, unsigned number)
{
    return r->xlen == 32 ? (uint32_t)r->x[number] : r->x[number];
}

static bool trap(struct matrix_ref *r, unsigned cause, uint64_t tval)
{
    r->cause = cause;
    r->tval = r->xlen == 32 ? (uint32_t)tval : tval;
    return false;
}

static bool illegal(struct matrix_ref *r, uint32_t word)
{
    return trap(r, 2, word);
}

void matrix_ref_reset(struct matrix_ref *r, unsigned mlen, unsigned xlen)
{
    *r = (struct matrix_ref){.mlen = mlen,
                             .xlen = xlen,
                             .state = 1,
                             .base = r->base,
                             .memory = r->memory,
                             .memory_size = r->memory_size};
}

uint32_t matrix_ref_size(const struct matrix_ref *r)
{
    return r->size_k << 16 | r->size_n << 8 | r->size_m;
}

static uint64_t get(const uint8_t *bytes, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width / 8; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static void set(uint8_t *bytes, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width / 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static int64_t extend(uint64_t value, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)(((value & (2 * sign - 1)) ^ sign) - sign);
}

static bool fits(const struct matrix_ref *r, unsigned width)
{
    unsigned bytes = width < 8 ? 1 : width / 8;
    return r->size_m >= 1 && r->size_m <= rows(r) && r->size_k >= 1 && r->size_k <= row_bytes(r) &&
           r->size_k % bytes == 0;
}

/* ------------------------------------------------------------------------- multiplication */

struct mma {
    unsigned source, target; /* bits */
    bool floating, a_signed, b_signed;
};

static bool mma_of(uint32_t word, struct mma *t)
{
    unsigned func = word >> 28, wide = field(word, 24, 1), size = field(word, 10, 2);
    unsigned sub = field(word, 15, 3);
    *t = (struct mma){
        .floating = func == 1, .a_signed = sub == 0 || sub == 3, .b_signed = sub == 0 || sub == 2};
    t->source = 8u << size;
    if (func == 1)
        t->target = t->source << wide;
    else if (wide)
        t->source = 4, t->target = 32;
    else
        t->target = 4 * t->source;
    return true;
}

static uint64_t source_at(const struct matrix_ref *r, unsigned reg, unsigned row, unsigned k,
                          unsigned width)
{
    const uint8_t *bytes = r->m[reg + row / rows(r)][row % rows(r)];
    if (width == 4)
        return bytes[k / 2] >> 4 * (k % 2) & 15;
    return get(bytes + k * width / 8, width);
}

static int64_t integer_dot(const struct matrix_ref *r, const struct mma *t, unsigned ms1,
                           unsigned ms2, unsigned i, unsigned j)
{
    int64_t sum = 0;
    for (unsigned k = 0; k < r->size_k * 8 / t->source; k++) {
        uint64_t a = source_at(r, ms1, i, k, t->source), b = source_at(r, ms2, j, k, t->source);
        sum += (t->a_signed ? extend(a, t->source) : (int64_t)a) *
               (t->b_signed ? extend(b, t->source) : (int64_t)b);
    }
    return sum;
}

static uint64_t float_dot(struct matrix_ref *r, const struct mma *t, unsigned ms1, unsigned ms2,
                          unsigned i, unsigned j)
{
    uint64_t sum = 0, leaf[64] = {0};
    unsigned count = r->size_k * 8 / t->source, leaves = 1;
    for (unsigned k = 0; k < count; k++) {
        uint64_t a = source_at(r, ms1, i, k, t->source), b = source_at(r, ms2, j, k, t->source);
        if (t->target != t->source) {
            a = ref_wide_extend(&r->fp, t->source, t->target, a);
            b = ref_wide_extend(&r->fp, t->source, t->target, b);
        }
        if (r->tree)
            leaf[k] = ref_wide_mul(&r->fp, t->target, a, b);
        else
            sum = ref_wide_fma(&r->fp, t->target, a, b, sum);
    }
    if (!r->tree)
        return sum;
    while (leaves < count)
        leaves *= 2;
    for (unsigned step = 1; step < leaves; step *= 2)
        for (unsigned i2 = 0; i2 < leaves; i2 += 2 * step)
            leaf[i2] = ref_wide_add(&r->fp, t->target, leaf[i2], leaf[i2 + step]);
    return leaf[0];
}

static bool multiply(struct matrix_ref *r, uint32_t word)
{
    struct mma t;
    unsigned md = field(word, 7, 3), ms1 = field(word, 18, 3), ms2 = field(word, 21, 3);
    mma_of(word, &t);
    bool two_b = t.source == 16 && t.target == 16, two_c = t.target == 64;
    if (!fits(r, t.source) || r->size_n < 1 || r->size_n > rows(r) * (two_b ? 2 : 1))
        return illegal(r, word);
    if ((two_b && ms2 % 2) || (two_c && md % 2) || (t.floating && r->fp.rm > 4))
        return illegal(r, word);
    for (unsigned d = md; d <= md + two_c; d++)
        if (d == ms1 || d == ms2 || (two_b && d == ms2 + 1))
            return illegal(r, word);
    unsigned columns = r->mlen / t.target;
    for (unsigned i = 0; i < rows(r); i++) {
        for (unsigned j = 0; j < columns * (two_c ? 2 : 1); j++) {
            uint8_t *at = r->m[md + j / columns][i] + j % columns * t.target / 8;
            uint64_t value = get(at, t.target);
            if (i >= r->size_m || j >= r->size_n)
                value = 0;
            else if (!t.floating)
                value += (uint64_t)integer_dot(r, &t, ms1, ms2, i, j);
            else
                value = ref_wide_add(&r->fp, t.target, value, float_dot(r, &t, ms1, ms2, i, j));
            set(at, t.target, value);
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------ pointwise */

__extension__ typedef __int128 i128;

/* v / 2^shift, in the four modes of RISC-V V 3.8. */
static i128 shifted(unsigned mode, i128 v, unsigned shift)
{
    i128 unit = (i128)1 << shift, floor = v >> shift, rest = v - floor * unit;
    bool up = mode == 0   ? 2 * rest >= unit
              : mode == 1 ? 2 * rest > unit || (2 * rest == unit && (floor & 1))
              : mode == 3 ? rest != 0 && !(floor & 1)
                          : false;
    return floor + (shift && up);
}

static uint64_t clipped(struct matrix_ref *r, i128 v, i128 low, i128 high)
{
    if (v < low || v > high)
        r->saturated = 1;
    return (uint64_t)(v < low ? low : v > high ? high : v);
}

static uint64_t element_op(struct matrix_ref *r, unsigned func, unsigned width, uint64_t a,
                           uint64_t b)
{
    unsigned shift = (unsigned)(b % width), out = width / 4;
    i128 sa = extend(a, width), sb = extend(b, width);
    switch (func) {
    case 3: return a + b;
    case 4: return a - b;
    case 5: return (uint64_t)shifted(r->round, sa, shift);
    case 6:
        return clipped(r, shifted(r->round, sa, shift), -((i128)1 << (out - 1)),
                       ((i128)1 << (out - 1)) - 1);
    case 7: return clipped(r, shifted(r->round, (i128)a, shift), 0, ((i128)1 << out) - 1);
    case 8: return a * b;
    default: return (uint64_t)((sa * sb) >> width);
    }
}

static bool pointwise(struct matrix_ref *r, uint32_t word)
{
    unsigned func = word >> 28, uop = field(word, 25, 3), width = 8u << field(word, 10, 2);
    unsigned md = field(word, 7, 3), ms1 = field(word, 18, 3), ms2 = field(word, 21, 3);
    unsigned out = func == 6 || func == 7 ? width / 4 : width;
    uint64_t index = uop == 2 ? field(word, 15, 3) : reg_x(r, 8 + field(word, 15, 3));
    if (!fits(r, width) || ((uop == 1 || uop == 2) && index >= rows(r)))
        return illegal(r, word);
    uint8_t old[16][64], from[16][64];
    memcpy(from, r->m[ms1], sizeof from);
    memcpy(old, r->m[ms2], sizeof old);
    for (unsigned i = 0; i < rows(r); i++) {
        for (unsigned k = 0; k < r->mlen / width; k++) {
            uint64_t a = get(old[i] + k * width / 8, width), b;
            uint64_t scalar = r->xlen == 32 ? (uint64_t)extend(index, 32) : index;
            if (uop == 3)
                b = scalar & (UINT64_MAX >> (64 - width));
            else
                b = get(from[uop == 0 ? i : index] + k * width / 8, width);
            bool inside = i < r->size_m && k < r->size_k * 8 / width;
            set(r->m[md][i] + k * out / 8, out, inside ? element_op(r, func, width, a, b) : 0);
        }
    }
    return true;
}

static bool move(struct matrix_ref *r, uint32_t word)
{
    unsigned uop = field(word, 25, 3), md = field(word, 7, 3), ms1 = field(word, 18, 3);
    uint64_t operand = uop == 2 ? field(word, 15, 3) : reg_x(r, 8 + field(word, 15, 3));
    uint8_t from[16][64];
    memcpy(from, r->m[ms1], sizeof from);
    if ((uop == 1 || uop == 2) && operand >= rows(r))
        return illegal(r, word);
    for (unsigned i = 0; i < rows(r); i++)
        for (unsigned k = 0; k < row_bytes(r); k++)
            r->m[md][i][k] = (uint8_t)(uop == 3 ? operand >> 8 * (k % (r->xlen / 8))
                                                : from[uop == 0 ? i : operand][k]);
    return true;
}

/* ----------------------------------------------------------------------- loads and stores */

/* One byte; false: the row from `start` on has failed. */
static bool byte(struct matrix_ref *r, uint64_t address, uint8_t *value, bool store)
{
    address = r->xlen == 32 ? (uint32_t)address : address;
    if (address - r->base >= r->memory_size)
        return trap(r, store ? 7 : 5, address);
    if (store)
        r->memory[address - r->base] = *value;
    else
        *value = r->memory[address - r->base];
    return true;
}

static bool row(struct matrix_ref *r, uint64_t address, uint8_t *bytes, unsigned count, bool store)
{
    for (unsigned k = 0; k < count; k++) { /* all of a row or nothing */
        uint8_t probe;
        if (!byte(r, address + k, &probe, false)) {
            r->cause = store ? 7 : 5;
            return false;
        }
    }
    for (unsigned k = 0; k < count; k++)
        byte(r, address + k, &bytes[k], store);
    return true;
}

static bool transfer(struct matrix_ref *r, uint32_t word)
{
    bool store = field(word, 25, 3) == 5, whole = field(word, 29, 1);
    unsigned reg = field(word, 7, 3), element = 1u << field(word, 10, 2);
    unsigned count = whole ? field(word, 20, 3) + 1 : 1;
    uint64_t base = reg_x(r, field(word, 15, 5));
    uint64_t stride = whole ? row_bytes(r) : reg_x(r, field(word, 20, 5));
    if (whole ? reg % count != 0 : !fits(r, 8 * element))
        return illegal(r, word);
    if (base % element || stride % element)
        return trap(r, store ? 6 : 4, base % element ? base : base + stride);
    unsigned used = whole ? row_bytes(r) : r->size_k;
    unsigned last = whole ? count * rows(r) : r->size_m;
    for (unsigned i = r->start; i < (whole ? last : rows(r)); i++) {
        uint8_t *bytes = r->m[reg + i / rows(r)][i % rows(r)];
        if (i < last && !row(r, base + i * stride, bytes, used, store)) {
            r->start = i;
            if (!store)
                r->state = 3;
            return false;
        }
        if (!store)
            memset(bytes + (i < last ? used : 0), 0, row_bytes(r) - (i < last ? used : 0));
    }
    r->start = 0;
    return true;
}

static bool configure(struct matrix_ref *r, uint32_t word)
{
    bool immediate = !(word >> 31);
    uint64_t value = immediate ? field(word, 18, 7) : reg_x(r, field(word, 15, 5));
    switch (field(word, 28, 3)) {
    case 0: r->size_k = value & 0xffff; break;
    case 1: r->size_m = value & 0xff; break;
    case 2: r->size_n = value & 0xff; break;
    default:
        r->size_m = value & 0xff;
        r->size_n = value >> 8 & 0xff;
        r->size_k = value >> 16 & 0xffff;
        break;
    }
    unsigned rd = field(word, 7, 5);
    if (rd)
        r->x[rd] = matrix_ref_size(r);
    return true;
}

bool matrix_ref_run(struct matrix_ref *r, uint32_t word)
{
    unsigned func = word >> 28, uop = field(word, 25, 3);
    bool done;
    if (r->state == 0)
        return illegal(r, word);
    if (uop == 7)
        done = configure(r, word);
    else if (uop == 4 || uop == 5)
        done = transfer(r, word);
    else if (func == 0)
        done = move(r, word);
    else if (func == 1 || func == 2)
        done = multiply(r, word);
    else
        done = pointwise(r, word);
    if (done && uop != 5)
        r->state = 3;
    return done;
}
