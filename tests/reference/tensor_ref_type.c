/* SPDX-License-Identifier: Apache-2.0 */
/* Element types, and element + immediate in each (rulings 1 and 3). Floats are exact: values are
 * integer multiples of 2^-149, and the result is the nearest value of the format, found by
 * search. */
#include "tensor_ref.h"

#include <string.h>

const struct tref_type tref_types[] = {
    {"int4", 0x001, .bits = 4, .max = 0xf},
    {"int8", 0x002, .bits = 8, .max = 0xff},
    {"int16", 0x004, .bits = 16, .max = 0xffff},
    {"int32", 0x008, .bits = 32, .max = 0xffffffff},
    {"e2m1", 0x010, 4, 0, 2, 1, 1, 0x7, false, 0},
    {"e1m2", 0x020, 4, 0, 1, 2, 1, 0x7, false, 0},
    {"e3m0", 0x030, 4, 0, 3, 0, 3, 0x7, false, 0},
    {"e4m3", 0x040, 8, 0, 4, 3, 7, 0x7e, false, 0x7f},
    {"e5m2", 0x080, 8, 0, 5, 2, 15, 0x7b, true, 0x7e},
    {"e3m4", 0x0c0, 8, 0, 3, 4, 3, 0x6f, true, 0x78},
    {"half", 0x100, 16, 0, 5, 10, 15, 0x7bff, true, 0x7e00},
    {"bf16", 0x200, 16, 0, 8, 7, 127, 0x7f7f, true, 0x7fc0},
    {"single", 0x400, 32, 0, 8, 23, 127, 0x7f7fffff, true, 0x7fc00000},
    {"tf32", 0x800, 32, 13, 8, 10, 127, 0x7f7fe000 >> 13, true, 0x7fc00000},
};
const size_t tref_type_count = sizeof(tref_types) / sizeof(*tref_types);

const struct tref_type *tref_type_of(uint32_t ttype)
{
    for (size_t i = 0; i < tref_type_count; i++)
        if (tref_types[i].ttype == ttype)
            return &tref_types[i];
    return NULL;
}

/* --- magnitudes: 320-bit integers in units of 2^-149 */
enum { LIMBS = 5, UNIT = 149 };
struct exact {
    uint64_t limb[LIMBS]; /* least first */
};

static struct exact scaled(uint64_t significand, int power)
{
    struct exact value = {{0}};
    unsigned shift = (unsigned)(power + UNIT);
    unsigned at = shift / 64, bit = shift % 64;
    value.limb[at] = significand << bit;
    if (bit && at + 1 < LIMBS)
        value.limb[at + 1] = significand >> (64 - bit);
    return value;
}

static int compare(const struct exact *a, const struct exact *b)
{
    for (unsigned i = LIMBS; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static struct exact sum_of(const struct exact *a, const struct exact *b)
{
    struct exact sum;
    unsigned carry = 0;
    for (unsigned i = 0; i < LIMBS; i++) {
        unsigned __int128 s = (unsigned __int128)a->limb[i] + b->limb[i] + carry;
        sum.limb[i] = (uint64_t)s;
        carry = (unsigned)(s >> 64);
    }
    return sum;
}

static struct exact difference_of(const struct exact *large, const struct exact *small)
{
    struct exact difference;
    unsigned borrow = 0;
    for (unsigned i = 0; i < LIMBS; i++) {
        unsigned __int128 d = (unsigned __int128)large->limb[i] - small->limb[i] - borrow;
        difference.limb[i] = (uint64_t)d;
        borrow = d >> 64 != 0;
    }
    return difference;
}

/* The value of a code without its sign. */
static struct exact value_of(const struct tref_type *type, uint32_t code)
{
    uint32_t exponent = code >> type->mantissa;
    uint32_t mantissa = code & ((1u << type->mantissa) - 1);
    if (exponent == 0)
        exponent = 1; /* subnormal: no leading one */
    else
        mantissa |= 1u << type->mantissa;
    return scaled(mantissa, (int)exponent - type->bias - (int)type->mantissa);
}

/* Whether `code` is the largest finite one whose value is at most `wanted`. */
static bool is_below(const struct tref_type *type, uint32_t code, const struct exact *wanted)
{
    struct exact here = value_of(type, code), next = value_of(type, code + 1);
    return compare(&here, wanted) <= 0 && (code == type->max || compare(&next, wanted) > 0);
}

static uint32_t find_below(const struct tref_type *type, const struct exact *wanted, uint32_t hint)
{
    if (hint <= type->max && is_below(type, hint, wanted))
        return hint;
    if (hint < type->max && is_below(type, hint + 1, wanted))
        return hint + 1;
    uint32_t low = 0, high = type->max;
    while (low < high) { /* codes are monotonic in their values */
        uint32_t middle = low + (high - low + 1) / 2;
        struct exact value = value_of(type, middle);
        if (compare(&value, wanted) <= 0)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Nearest finite value; of two equally near ones the even one or, if neither is even (a
 * significand of one digit), the larger (IEEE 754-2019 4.3.1). Beyond the largest: the largest. */
static uint32_t nearest(const struct tref_type *type, const struct exact *wanted, uint32_t *hint)
{
    uint32_t code = *hint = find_below(type, wanted, *hint);
    if (code == type->max)
        return code;
    struct exact here = value_of(type, code), next = value_of(type, code + 1);
    struct exact twice = sum_of(wanted, wanted), middle = sum_of(&here, &next);
    int side = compare(&twice, &middle);
    bool odd = type->mantissa == 0 || code & 1;
    return side > 0 || (side == 0 && odd) ? code + 1 : code;
}

static uint32_t add_float(const struct tref_type *type, uint32_t element, int imm, uint32_t *hint)
{
    uint32_t sign = 1u << (type->exponent + type->mantissa);
    uint32_t code = element >> type->unused, magnitude = code & (sign - 1);
    if (magnitude > type->max) {
        bool is_infinity = type->has_infinity && magnitude == type->max + 1;
        return is_infinity ? code << type->unused : type->nan;
    }
    struct exact a = value_of(type, magnitude);
    struct exact b = scaled((uint64_t)(imm < 0 ? -imm : imm), 0);
    bool a_negative = code & sign, b_negative = imm < 0, negative = a_negative;
    struct exact sum;
    int order = compare(&a, &b);
    if (a_negative == b_negative) {
        sum = sum_of(&a, &b);
    } else if (order == 0) {
        return 0; /* IEEE 754: x - x is +0 */
    } else {
        sum = order > 0 ? difference_of(&a, &b) : difference_of(&b, &a);
        negative = order > 0 ? a_negative : b_negative;
    }
    return (nearest(type, &sum, hint) | (negative ? sign : 0)) << type->unused;
}

uint32_t tref_add(const struct tref_type *type, uint32_t element, int imm, uint32_t *hint)
{
    if (type->exponent)
        return add_float(type, element, imm, hint);
    int64_t sum = (int64_t)element + imm;
    return sum < 0 ? 0 : sum > (int64_t)type->max ? type->max : (uint32_t)sum;
}

uint64_t tref_get(const uint8_t *bytes, unsigned bits, size_t index)
{
    uint64_t value = 0;
    if (bits == 4)
        return index % 2 ? bytes[index / 2] >> 4 : bytes[index / 2] & 15;
    for (unsigned i = 0; i < bits / 8; i++)
        value |= (uint64_t)bytes[index * (bits / 8) + i] << (8 * i);
    return value;
}

void tref_put(uint8_t *bytes, unsigned bits, size_t index, uint64_t value)
{
    if (bits == 4) {
        uint8_t *byte = &bytes[index / 2];
        *byte = (uint8_t)(index % 2 ? (*byte & 0x0f) | value << 4 : (*byte & 0xf0) | value);
        return;
    }
    for (unsigned i = 0; i < bits / 8; i++)
        bytes[index * (bits / 8) + i] = (uint8_t)(value >> (8 * i));
}
