/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of elements to and from computed form. */
#include "tile/tile.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static enum sam_round rounding(enum sam_tile_round round)
{
    static const enum sam_round modes[] = {[SAM_TILE_RINT] = SAM_RNE,
                                           [SAM_TILE_ROUND] = SAM_RMM,
                                           [SAM_TILE_FLOOR] = SAM_RDN,
                                           [SAM_TILE_CEIL] = SAM_RUP,
                                           [SAM_TILE_TRUNC] = SAM_RTZ};
    return modes[round];
}

uint64_t sam_tile_real_bits(enum sam_dtype dtype, double value, enum sam_tile_round round)
{
    return sam_fp_convert(&sam_dtype_table[dtype].fp, value, rounding(round));
}

double sam_tile_real_value(enum sam_dtype dtype, uint64_t bits)
{
    float value;
    if (sam_tile_is_wide(dtype))
        return sam_fp_value(&sam_dtype_table[dtype].fp, bits);
    sam_tile_read_reals(dtype, &bits, 1, &value);
    return value;
}

void sam_tile_read_reals(enum sam_dtype dtype, const void *from, size_t n, float *to)
{
    if (dtype == SAM_F32)
        memcpy(to, from, n * sizeof *to);
    else if (sam_tile_is_paired(dtype))
        for (size_t i = 0; i < n; i++)
            to[i] = (float)sam_dtype_value(dtype, ((const uint8_t *)from)[i]);
    else
        sam_dtype_widen(dtype, SAM_F32, from, n, to, NULL);
}

void sam_tile_write_reals(enum sam_dtype dtype, void *to, size_t n, const float *from)
{
    sam_dtype_narrow(dtype, from, n, to, NULL);
}

#define EACH_INTEGER(DO)                                                                           \
    switch (sam_tile_is_signed(dtype) ? sam_dtype_table[dtype].bits                                \
                                      : -sam_dtype_table[dtype].bits) {                            \
    case 8: DO(int8_t) break;                                                                      \
    case -8: DO(uint8_t) break;                                                                    \
    case 16: DO(int16_t) break;                                                                    \
    case -16: DO(uint16_t) break;                                                                  \
    case 32: DO(int32_t) break;                                                                    \
    case -32: DO(uint32_t) break;                                                                  \
    case 64: DO(int64_t) break;                                                                    \
    case -64: DO(uint64_t) break;                                                                  \
    default: break; /* no other tile dtypes */                                                     \
    }

void sam_tile_read_ints(enum sam_dtype dtype, const void *from, size_t n, int64_t *to)
{
#define READ(type)                                                                                 \
    for (size_t i = 0; i < n; i++)                                                                 \
        to[i] = (int64_t)((const type *)from)[i];
    EACH_INTEGER(READ)
#undef READ
}

void sam_tile_write_ints(enum sam_dtype dtype, void *to, size_t n, const int64_t *from)
{
#define WRITE(type)                                                                                \
    for (size_t i = 0; i < n; i++)                                                                 \
        ((type *)to)[i] = (type)from[i];
    EACH_INTEGER(WRITE)
#undef WRITE
}

/* The bits of the smallest and of the largest integer. */
static uint64_t lowest(enum sam_dtype dtype)
{
    return sam_tile_is_signed(dtype) ? UINT64_MAX << (8 * sam_tile_size(dtype) - 1) : 0;
}

static uint64_t highest(enum sam_dtype dtype)
{
    return UINT64_MAX >> (64 - 8 * sam_tile_size(dtype) + sam_tile_is_signed(dtype));
}

uint64_t sam_tile_pad_bits(const struct sam_tile_type *type, enum sam_tile_dialect dialect)
{
    const bool most = type->pad == SAM_TILE_PAD_max;
    if (type->pad == SAM_TILE_PAD_null || type->pad == SAM_TILE_PAD_zero)
        return 0;
    if (!sam_tile_is_real(type->dtype))
        return most ? highest(type->dtype) : lowest(type->dtype);
    const double size = dialect == SAM_TILE_SPEC ? DBL_MAX : INFINITY;
    return sam_tile_real_bits(type->dtype, most ? size : -size, SAM_TILE_TRUNC);
}

/* An integer of up to 64 bits and its sign. */
struct integer {
    bool negative;
    uint64_t size;
};

static struct integer read_integer(enum sam_dtype dtype, const void *at)
{
    int64_t value = 0;
    sam_tile_read_ints(dtype, at, 1, &value);
    const bool negative = value < 0 && sam_tile_is_signed(dtype);
    return (struct integer){negative, negative ? 0 - (uint64_t)value : (uint64_t)value};
}

/* NaN is 0; a number out of range is one that is out of range of every dtype. */
static struct integer round_integer(double value, enum sam_round round)
{
    const double whole = isnan(value) ? 0 : fabs(sam_fp_whole(value, round));
    return (struct integer){value < 0, whole >= 0x1p64 ? UINT64_MAX : (uint64_t)whole};
}

/* As a number that `format` holds, in range. */
static double round_real(struct integer from, const struct sam_fp_format *format,
                         enum sam_round round)
{
    const int bits = from.size ? 64 - __builtin_clzll(from.size) : 0;
    const int shift = bits > DBL_MANT_DIG ? bits - format->mantissa - 1 : 0;
    if (!shift)
        return from.negative ? -(double)from.size : (double)from.size;
    /* The last two bits that are kept, half of one, and less: what rounding has to know. */
    const uint64_t kept = from.size >> shift >> 2 << 2, half = from.size >> (shift - 1) & 1;
    const bool less = (from.size & ((UINT64_C(1) << (shift - 1)) - 1)) != 0;
    const double rest = (double)(from.size >> shift & 3) + (double)half / 2 + less / 4.0;
    const double whole = sam_fp_whole(from.negative ? -rest : rest, round);
    return ldexp((from.negative ? -(double)kept : (double)kept) + whole, shift);
}

/* Write an integer, saturated. */
static void write_integer(enum sam_dtype dtype, void *at, struct integer value)
{
    const uint64_t most = value.negative ? 0 - lowest(dtype) : highest(dtype);
    const uint64_t size = value.size < most ? value.size : most;
    const int64_t bits = (int64_t)(value.negative ? 0 - size : size);
    sam_tile_write_ints(dtype, at, 1, &bits);
}

/* The power of two that is nearest to a number, by its exponent; NaN where there is none. */
static uint64_t power_bits(double value, enum sam_round round)
{
    int exponent = 0;
    const double fraction = frexp(value, &exponent);
    const bool exact = fraction == 0.5;
    exponent--;
    if (!(value > 0) || isinf(value) || exponent < -127 || exponent > 127 ||
        (exponent == 127 && !exact))
        return sam_dtype_table[SAM_E8M0].fp.nan;
    const bool up = round == SAM_RUP   ? !exact
                    : round == SAM_RTZ ? !exact && exponent < 0
                    : round == SAM_RDN ? false
                                       : fraction * fraction > 0.5;
    const int biased = exponent + up + 127;
    return (uint64_t)biased;
}

void sam_tile_convert(enum sam_dtype to, void *out, enum sam_dtype from, const void *in, size_t n,
                      enum sam_tile_round round)
{
    const enum sam_round how = rounding(round);
    const size_t size = sam_tile_size(to), step = sam_tile_size(from);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *a = (const uint8_t *)in + i * step;
        uint8_t *d = (uint8_t *)out + i * size;
        struct integer whole = {0};
        double real;
        if (sam_tile_is_real(from)) {
            uint64_t bits = 0;
            memcpy(&bits, a, step);
            real = sam_tile_real_value(from, bits);
            whole = sam_tile_is_real(to) ? whole : round_integer(real, how);
        } else {
            whole = read_integer(from, a);
            real = sam_tile_is_real(to) ? round_real(whole, &sam_dtype_table[to].fp, how) : 0;
        }
        if (sam_tile_is_real(to)) {
            const uint64_t bits =
                to == SAM_E8M0 ? power_bits(real, how) : sam_tile_real_bits(to, real, round);
            memcpy(d, &bits, size);
        } else {
            write_integer(to, d, whole);
        }
    }
}

const char *sam_tile_real_text(enum sam_dtype dtype, uint64_t bits, char text[SAM_TILE_REAL_TEXT])
{
    double number = sam_tile_real_value(dtype, bits);
    bool same = false;
    for (int digits = 1; digits <= 17 && !same; digits++) {
        sam_format(text, SAM_TILE_REAL_TEXT, "%.*g", digits, number);
        same = !isfinite(number) ||
               sam_tile_real_bits(dtype, sam_strtod(text, NULL), SAM_TILE_RINT) == bits;
    }
    if (isfinite(number) && !strpbrk(text, ".e"))
        strcat(text, ".0");
    return text;
}

/* --- arithmetic on scalars */

/* Wrap an integer to the width of its type. */
static int64_t fit(const struct sam_tile_ty *type, int64_t value)
{
    if (type->kind == SAM_TILE_KIND_BOOL)
        return value & 1;
    if (type->kind != SAM_TILE_KIND_SCALAR || sam_tile_is_real(type->dtype))
        return value;
    const unsigned shift = 64 - 8 * (unsigned)sam_tile_size(type->dtype);
    const uint64_t high = (uint64_t)value << shift;
    return sam_tile_is_signed(type->dtype) ? (int64_t)high >> shift : (int64_t)(high >> shift);
}

static bool compare(enum sam_tile_compare how, int64_t a, int64_t b)
{
    switch (how) {
    case SAM_TILE_EQ: return a == b;
    case SAM_TILE_NE: return a != b;
    case SAM_TILE_LT: return a < b;
    case SAM_TILE_LE: return a <= b;
    case SAM_TILE_GT: return a > b;
    case SAM_TILE_GE: return a >= b;
    }
    return false;
}

bool sam_tile_eval(const struct sam_tile_op *op, const struct sam_tile_ty *type,
                   const int64_t in[3], int64_t *value)
{
    const int64_t a = in[0], b = in[1];
    int64_t result = a;
    switch (op->code) {
    case SAM_TILE_ADDI: result = (int64_t)((uint64_t)a + (uint64_t)b); break;
    case SAM_TILE_SUBI: result = (int64_t)((uint64_t)a - (uint64_t)b); break;
    case SAM_TILE_MULI: result = (int64_t)((uint64_t)a * (uint64_t)b); break;
    case SAM_TILE_DIVSI:
    case SAM_TILE_REMSI:
        if (b == 0)
            return false;
        if (b == -1) /* negating the smallest integer wraps */
            result = op->code == SAM_TILE_REMSI ? 0 : (int64_t)(0 - (uint64_t)a);
        else
            result = op->code == SAM_TILE_REMSI ? a % b : a / b;
        break;
    case SAM_TILE_CMPI: result = compare((enum sam_tile_compare)op->attribute, a, b); break;
    case SAM_TILE_SELECT: result = a ? b : in[2]; break;
    default: break; /* constant, index_cast */
    }
    *value = fit(type, result);
    return true;
}
