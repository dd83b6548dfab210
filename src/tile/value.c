/* SPDX-License-Identifier: Apache-2.0 */
/* Elements: floats of 16 bits as float, rounding in every mode, conversions. */
#include "tile/tile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

float sam_tile_half(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00)
        return sam_bits_f32(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    if (magnitude >= 0x400)
        return sam_bits_f32(sign | ((magnitude << 13) + (112u << 23)));
    float value = (float)magnitude * 0x1p-24f; /* exact */
    return sign ? -value : value;
}

float sam_tile_bfloat(uint16_t bits)
{
    return sam_bits_f32((uint32_t)bits << 16);
}

static uint16_t half_bits(float value)
{
    uint32_t bits = sam_f32_bits(value), sign = bits >> 16 & 0x8000, a = bits & 0x7fffffff;
    if (a > 0x7f800000)
        return 0x7e00;
    if (a >= 0x47800000) /* 65536 and above */
        return (uint16_t)(sign | 0x7c00);
    if (a >= 0x38800000) /* a carry moves on into exponent and infinity */
        return (uint16_t)(sign | ((a - (112u << 23) + 0xfff + (a >> 13 & 1)) >> 13));
    /* Subnormal: the addition has the last bit of the result as its own, and rounds there. */
    float shifted = sam_bits_f32(a) + 0.5f;
    return (uint16_t)(sign | (sam_f32_bits(shifted) - sam_f32_bits(0.5f)));
}

static uint16_t bfloat_bits(float value)
{
    uint32_t bits = sam_f32_bits(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fc0;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static uint32_t float_bits(float value)
{
    uint32_t bits = sam_f32_bits(value);
    return (bits & 0x7fffffff) > 0x7f800000 ? UINT32_C(0x7fc00000) : bits;
}

static const struct {
    int mantissa, lowest, exponents; /* lowest: exponent of the last bit of a subnormal */
} formats[] = {[SAM_TILE_f32] = {23, -149, 255},
               [SAM_TILE_f16] = {10, -24, 31},
               [SAM_TILE_bf16] = {7, -133, 255}};

/* `value`, not negative, to an integer. */
static double to_integer(double value, bool negative, enum sam_tile_round round)
{
    switch (round) {
    case SAM_TILE_RINT: return rint(value);
    case SAM_TILE_ROUND: return floor(value) + (value - floor(value) >= 0.5);
    case SAM_TILE_FLOOR: return negative ? ceil(value) : floor(value);
    case SAM_TILE_CEIL: return negative ? floor(value) : ceil(value);
    case SAM_TILE_TRUNC: return floor(value);
    }
    return value;
}

uint32_t sam_tile_real_bits(enum sam_tile_dtype dtype, double value, enum sam_tile_round round)
{
    int mantissa = formats[dtype].mantissa, lowest = formats[dtype].lowest, exponent = 0;
    uint32_t infinity = (uint32_t)formats[dtype].exponents << mantissa;
    unsigned width = 8 * (unsigned)sam_tile_size(dtype);
    bool negative = signbit(value) != 0;
    uint32_t sign = (uint32_t)negative << (width - 1), bits;
    if (isnan(value))
        return infinity | 1u << (mantissa - 1);
    double magnitude = fabs(value);
    if (isinf(value) || magnitude == 0)
        return sign | (isinf(value) ? infinity : 0);
    frexp(magnitude, &exponent); /* below 2^exponent */
    int unit = exponent - 1 - mantissa < lowest ? lowest : exponent - 1 - mantissa;
    if (unit - lowest >= formats[dtype].exponents) {
        bits = infinity; /* far above; what is just above comes out by itself */
    } else {
        double scaled = to_integer(ldexp(magnitude, -unit), negative, round);
        bits = (uint32_t)scaled + ((uint32_t)(unit - lowest) << mantissa);
    }
    bool down = round == SAM_TILE_TRUNC || (round == SAM_TILE_FLOOR && !negative) ||
                (round == SAM_TILE_CEIL && negative);
    if (bits >= infinity)
        bits = infinity - down; /* rounding toward zero stops at the largest number */
    return sign | bits;
}

double sam_tile_real_value(enum sam_tile_dtype dtype, uint32_t bits)
{
    return dtype == SAM_TILE_f32   ? sam_bits_f32(bits)
           : dtype == SAM_TILE_f16 ? sam_tile_half((uint16_t)bits)
                                   : sam_tile_bfloat((uint16_t)bits);
}

void sam_tile_read_reals(enum sam_tile_dtype dtype, const void *from, size_t n, float *to)
{
    const uint16_t *bits = from;
    if (dtype == SAM_TILE_f32)
        memcpy(to, from, n * sizeof *to);
    else if (dtype == SAM_TILE_f16)
        for (size_t i = 0; i < n; i++)
            to[i] = sam_tile_half(bits[i]);
    else
        for (size_t i = 0; i < n; i++)
            to[i] = sam_tile_bfloat(bits[i]);
}

void sam_tile_write_reals(enum sam_tile_dtype dtype, void *to, size_t n, const float *from)
{
    if (dtype == SAM_TILE_f32) {
        uint32_t *bits = to;
        for (size_t i = 0; i < n; i++)
            bits[i] = float_bits(from[i]);
    } else {
        uint16_t *bits = to;
        for (size_t i = 0; i < n; i++)
            bits[i] = dtype == SAM_TILE_f16 ? half_bits(from[i]) : bfloat_bits(from[i]);
    }
}

#define EACH_INTEGER(DO)                                                                           \
    switch (dtype) {                                                                               \
    case SAM_TILE_i8: DO(int8_t) break;                                                            \
    case SAM_TILE_ui8: DO(uint8_t) break;                                                          \
    case SAM_TILE_i16: DO(int16_t) break;                                                          \
    case SAM_TILE_ui16: DO(uint16_t) break;                                                        \
    case SAM_TILE_i32: DO(int32_t) break;                                                          \
    case SAM_TILE_ui32: DO(uint32_t) break;                                                        \
    case SAM_TILE_i64: DO(int64_t) break;                                                          \
    case SAM_TILE_ui64: DO(uint64_t) break;                                                        \
    default: break;                                                                                \
    }

void sam_tile_read_ints(enum sam_tile_dtype dtype, const void *from, size_t n, int64_t *to)
{
#define READ(type)                                                                                 \
    for (size_t i = 0; i < n; i++)                                                                 \
        to[i] = (int64_t)((const type *)from)[i];
    EACH_INTEGER(READ)
#undef READ
}

void sam_tile_write_ints(enum sam_tile_dtype dtype, void *to, size_t n, const int64_t *from)
{
#define WRITE(type)                                                                                \
    for (size_t i = 0; i < n; i++)                                                                 \
        ((type *)to)[i] = (type)from[i];
    EACH_INTEGER(WRITE)
#undef WRITE
}

/* Smallest and largest integer of a dtype of up to 32 bits. */
static void integer_range(enum sam_tile_dtype dtype, int64_t *low, int64_t *high)
{
    unsigned width = 8 * (unsigned)sam_tile_size(dtype);
    bool is_signed = sam_tile_is_signed(dtype);
    *high = (INT64_C(1) << (width - is_signed)) - 1;
    *low = is_signed ? -*high - 1 : 0;
}

uint64_t sam_tile_pad_bits(enum sam_tile_dtype dtype, enum sam_tile_pad pad)
{
    int64_t low, high;
    if (pad == SAM_TILE_PAD_null || pad == SAM_TILE_PAD_zero)
        return 0;
    if (sam_tile_is_real(dtype))
        return sam_tile_real_bits(dtype, pad == SAM_TILE_PAD_max ? INFINITY : -INFINITY,
                                  SAM_TILE_RINT);
    if (dtype == SAM_TILE_i64)
        return pad == SAM_TILE_PAD_max ? INT64_MAX : (uint64_t)INT64_MIN;
    if (dtype == SAM_TILE_ui64)
        return pad == SAM_TILE_PAD_max ? UINT64_MAX : 0;
    integer_range(dtype, &low, &high);
    return (uint64_t)(pad == SAM_TILE_PAD_max ? high : low);
}

/* One element through double, which holds every value of 32 bits. */
static double read_one(enum sam_tile_dtype dtype, const void *in, size_t i)
{
    size_t size = sam_tile_size(dtype);
    if (sam_tile_is_real(dtype)) {
        uint32_t bits = 0;
        memcpy(&bits, (const uint8_t *)in + i * size, size);
        return sam_tile_real_value(dtype, bits);
    }
    int64_t value = 0;
    sam_tile_read_ints(dtype, (const uint8_t *)in + i * size, 1, &value);
    return (double)value;
}

void sam_tile_convert(enum sam_tile_dtype to, void *out, enum sam_tile_dtype from, const void *in,
                      size_t n, enum sam_tile_round round)
{
    size_t size = sam_tile_size(to);
    for (size_t i = 0; i < n; i++) {
        double value = read_one(from, in, i);
        uint8_t *at = (uint8_t *)out + i * size;
        if (sam_tile_is_real(to)) {
            uint32_t bits = sam_tile_real_bits(to, value, round);
            memcpy(at, &bits, size);
            continue;
        }
        int64_t low, high, integer;
        integer_range(to, &low, &high);
        double whole =
            isnan(value) ? 0 : copysign(to_integer(fabs(value), value < 0, round), value);
        integer = whole <= (double)low ? low : whole >= (double)high ? high : (int64_t)whole;
        sam_tile_write_ints(to, at, 1, &integer);
    }
}

const char *sam_tile_real_text(enum sam_tile_dtype dtype, uint32_t bits,
                               char text[SAM_TILE_REAL_TEXT])
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
