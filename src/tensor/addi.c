/* SPDX-License-Identifier: Apache-2.0 */
/* TL.ADDI: every element plus a small integer. Integers saturate as unsigned numbers of their
 * width; the exact sum of a floating-point element is rounded once, to nearest even, and a finite
 * element stays finite. Manual 3.3.1, 4.4.
 *
 * Types of up to 8 bits use a table of sums, which are exact in double. Most others add in single
 * precision: operands have at most 11 significant bits and 24 >= 2 * 11 + 2, so that double
 * rounding gives the same result as rounding the exact sum. For f32 itself the sum is the result.
 */
#include "base/dtype.h"
#include "machine/fpenv.h"
#include "tensor/unit.h"

/* Sum of one element of `type`, at most 32 bits. */
static unsigned sum_of(enum sam_dtype type, unsigned element, int imm)
{
    const struct sam_dtype_row *row = &sam_dtype_table[type];
    if (row->class == SAM_CLASS_FLOAT)
        return (unsigned)sam_fp_round(&row->fp, sam_fp_value(&row->fp, element) + imm);
    int64_t sum = (int64_t)element + imm, top = (int64_t)(UINT64_MAX >> (64 - row->bits));
    return (unsigned)(sum < 0 ? 0 : sum > top ? top : sum);
}

/* The table of sums for all bytes; a byte has two elements of a 4-bit type. */
static void make_table(struct sam_tensor *t, int imm)
{
    bool nibbles = (unsigned)sam_dtype_bits(t->type) == 4;
    t->table.known = true;
    t->table.type = t->type;
    t->table.imm = imm;
    uint8_t small[16] = {0};
    for (unsigned i = 0; nibbles && i < 16; i++)
        small[i] = (uint8_t)sum_of(t->type, i, imm);
    for (unsigned i = 0; i < 256; i++)
        t->table.sum[i] = (uint8_t)(nibbles ? (unsigned)(small[i & 15] | small[i >> 4] << 4)
                                            : sum_of(t->type, i, imm));
}

static void add_table(struct sam_tensor *t, uint8_t *restrict to, const uint8_t *restrict from,
                      int imm)
{
    if (!t->table.known || t->table.type != t->type || t->table.imm != imm)
        make_table(t, imm);
    const uint8_t *restrict sum = t->table.sum;
    for (unsigned i = 0; i < SAM_TL_SIZE; i++)
        to[i] = sum[from[i]];
}

/* Types above 8 bits without a loop of their own below. */
static void add_any(enum sam_dtype type, uint8_t *restrict to, const uint8_t *restrict from,
                    int imm)
{
    size_t size = sam_dtype_size(type);
    for (size_t i = 0; i < SAM_TL_SIZE; i += size) {
        uint32_t element = 0;
        memcpy(&element, from + i, size);
        element = sum_of(type, element, imm);
        memcpy(to + i, &element, size);
    }
}

/* ------------------------------------------------------------------------------- integers */

#define ADD_INT(name, type, wide, top)                                                             \
    static void name(uint8_t *restrict to, const uint8_t *restrict from, int imm)                  \
    {                                                                                              \
        for (unsigned i = 0; i < SAM_TL_SIZE; i += sizeof(type)) {                                 \
            type element;                                                                          \
            memcpy(&element, from + i, sizeof element);                                            \
            wide sum = (wide)((wide)element + (wide)imm);                                          \
            element = (type)(sum < 0 ? 0 : sum > (top) ? (top) : sum);                             \
            memcpy(to + i, &element, sizeof element);                                              \
        }                                                                                          \
    }

ADD_INT(add_int8, uint8_t, int16_t, UINT8_MAX)
ADD_INT(add_int16, uint16_t, int32_t, UINT16_MAX)
ADD_INT(add_int32, uint32_t, int64_t, UINT32_MAX)

/* ------------------------------------------------------------------------- floating point */

#define F32_INFINITY UINT32_C(0x7f800000)
#define F32_SIGN     UINT32_C(0x80000000)

/* Round the bits of a single to nearest even, clearing the low `drop` bits. The largest finite
 * value of the shorter format does not overflow: every immediate is below half its unit. */
static inline uint32_t shorten(uint32_t bits, unsigned drop)
{
    uint32_t half = drop ? (UINT32_C(1) << drop >> 1) - 1 + (bits >> drop & 1) : 0;
    return (bits + half) >> drop << drop;
}

/* The sum as bits of a single, or of a format that is a truncated single. */
static inline uint32_t add_single(uint32_t bits, float imm, unsigned drop)
{
    uint32_t sum = shorten(sam_f32_bits(sam_bits_f32(bits) + imm), drop);
    return (bits & ~F32_SIGN) > F32_INFINITY    ? SAM_F32_NAN
           : (bits & ~F32_SIGN) == F32_INFINITY ? bits
                                                : sum;
}

static void add_float(uint8_t *restrict to, const uint8_t *restrict from, int imm, unsigned drop)
{
    for (unsigned i = 0; i < SAM_TL_SIZE; i += 4) {
        uint32_t bits;
        memcpy(&bits, from + i, 4);
        bits = add_single(bits >> drop << drop, (float)imm, drop);
        memcpy(to + i, &bits, 4);
    }
}

static void add_bf16(uint8_t *restrict to, const uint8_t *restrict from, int imm)
{
    for (unsigned i = 0; i < SAM_TL_SIZE; i += 2) {
        uint16_t element;
        memcpy(&element, from + i, 2);
        element = (uint16_t)(add_single((uint32_t)element << 16, (float)imm, 16) >> 16);
        memcpy(to + i, &element, 2);
    }
}

enum { HALF_INFINITY = 0x7c00, HALF_LARGEST = 0x7bff, HALF_NAN = 0x7e00, HALF_SIGN = 0x8000 };

/* The nearest finite half. */
static inline unsigned half_round(float value)
{
    unsigned bits = sam_half_bits(value), magnitude = bits & (HALF_SIGN - 1u);
    return (bits & HALF_SIGN) | sam_fp_choose(magnitude > HALF_LARGEST, HALF_LARGEST, magnitude);
}

static void add_half(uint8_t *restrict to, const uint8_t *restrict from, int imm)
{
    for (unsigned i = 0; i < SAM_TL_SIZE; i += 2) {
        uint16_t element;
        memcpy(&element, from + i, 2);
        unsigned magnitude = element & (HALF_SIGN - 1u);
        unsigned sum = half_round(sam_half_value(element) + (float)imm);
        sum = sam_fp_choose(magnitude == HALF_INFINITY, element, sum);
        element = (uint16_t)sam_fp_choose(magnitude > HALF_INFINITY, HALF_NAN, sum);
        memcpy(to + i, &element, 2);
    }
}

/* ------------------------------------------------------------------------------------------ */

static void add(struct sam_tensor *t, uint8_t *restrict to, const uint8_t *restrict from, int imm)
{
    switch (t->type) {
    case SAM_I8: add_int8(to, from, imm); break;
    case SAM_I16: add_int16(to, from, imm); break;
    case SAM_I32: add_int32(to, from, imm); break;
    case SAM_F16: add_half(to, from, imm); break;
    case SAM_BF16: add_bf16(to, from, imm); break;
    case SAM_F32: add_float(to, from, imm, 0); break;
    case SAM_TF32: add_float(to, from, imm, 13); break;
    default:
        if (sam_dtype_bits(t->type) <= 8)
            add_table(t, to, from, imm);
        else
            add_any(t->type, to, from, imm);
    }
}

bool sam_tensor_addi(struct sam_core *c, unsigned to, unsigned from, int imm)
{
    struct sam_tensor *t = sam_tensor_of(c);
    if (t->type == SAM_DTYPES)
        return sam_tensor_illegal(c, SAM_TL_FAULT(SAM_TL_TYPE));
    if (to == 0)
        return true;
    const bool rounds = sam_dtype_class(t->type) == SAM_CLASS_FLOAT;
    uint8_t in[SAM_TL_SIZE]; /* a copy: source and destination may be the same */
    memcpy(in, t->tl[from], sizeof in);
    if (rounds) /* The host's flags belong to the program: save them before this raises any. */
        c->fflags |= (uint8_t)sam_host_fp_flags();
    add(t, t->tl[to], in, imm);
    if (rounds)
        sam_host_fp_clear();
    return true;
}
