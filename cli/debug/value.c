/* SPDX-License-Identifier: Apache-2.0 */
#include "expr.h"

#include <math.h>
#include <stdlib.h>

static bool is_float(enum sam_dtype type)
{
    return sam_dtype_class(type) == SAM_CLASS_FLOAT;
}

static bool is_signed(enum sam_dtype type)
{
    return sam_dtype_class(type) == SAM_CLASS_INT;
}

static uint64_t low_bits(uint64_t bits, size_t count)
{
    return count >= 64 ? bits : bits & ((UINT64_C(1) << count) - 1);
}

uint64_t value_bits(const uint8_t *bytes, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)bytes[i] << 8 * i;
    return bits;
}

enum sam_dtype value_signed(size_t size)
{
    return size > 4 ? SAM_I64 : size > 2 ? SAM_I32 : size > 1 ? SAM_I16 : SAM_I8;
}

enum sam_dtype value_unsigned(size_t size)
{
    return size > 4 ? SAM_U64 : size > 2 ? SAM_U32 : size > 1 ? SAM_U16 : SAM_U8;
}

struct value value_integer(enum sam_dtype type, uint64_t bits)
{
    return (struct value){.type = type,
                          .pointee = SAM_DTYPES,
                          .count = 1,
                          .bits = {low_bits(bits, sam_dtype_bits(type))}};
}

struct value value_address(unsigned xlen, uint64_t address)
{
    struct value value = value_integer(xlen == 32 ? SAM_U32 : SAM_U64, address);
    value.pointee = SAM_OPAQUE;
    return value;
}

bool value_is_pointer(const struct value *value)
{
    return value->pointee != SAM_DTYPES;
}

static int64_t extended(enum sam_dtype type, uint64_t bits)
{
    const size_t width = sam_dtype_bits(type);
    if (!is_signed(type) || width >= 64)
        return (int64_t)bits;
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((bits ^ sign) - sign);
}

static double real(enum sam_dtype type, uint64_t bits)
{
    if (is_float(type))
        return sam_dtype_value(type, bits);
    return is_signed(type) ? (double)extended(type, bits) : (double)bits;
}

/* A float as a 64-bit integer: saturated if out of range, 0 for NaN. */
static int64_t truncated(double value)
{
    if (isnan(value))
        return 0;
    if (value >= 0x1p63)
        return value >= 0x1p64 ? -1 : (int64_t)(uint64_t)value;
    return value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

int64_t value_number(const struct value *v, unsigned element)
{
    return is_float(v->type) ? truncated(sam_dtype_value(v->type, v->bits[element]))
                             : extended(v->type, v->bits[element]);
}

bool value_is_true(const struct value *v, unsigned element)
{
    return is_float(v->type) ? sam_dtype_value(v->type, v->bits[element]) != 0
                             : v->bits[element] != 0;
}

bool value_is_zero(const struct value *v)
{
    for (unsigned i = 0; i < v->count; i++)
        if (v->bits[i])
            return false;
    return true;
}

enum sam_status value_single(const struct value *v, const char *what, struct sam_error *error)
{
    if (v->place.kind == PLACE_BYTES)
        return cli_refuse(error, "%s is a whole register: expected a byte of it, as tl3[0]", what);
    if (v->is_vector)
        return cli_refuse(error,
                          "%s is a vector: expected a number; name a lane, as v3[5], or use any() "
                          "or all()",
                          what);
    return SAM_OK;
}

static uint64_t converted(enum sam_dtype from, uint64_t bits, enum sam_dtype to)
{
    if (is_float(to))
        return sam_dtype_round(to, real(from, bits));
    if (sam_dtype_class(to) == SAM_CLASS_BOOL)
        return real(from, bits) != 0;
    const int64_t number =
        is_float(from) ? truncated(sam_dtype_value(from, bits)) : extended(from, bits);
    return low_bits((uint64_t)number, sam_dtype_bits(to));
}

void value_convert(struct value *v, enum sam_dtype type)
{
    for (unsigned i = 0; i < v->count; i++)
        v->bits[i] = converted(v->type, v->bits[i], type);
    v->type = type;
    v->pointee = SAM_DTYPES;
    v->place.kind = PLACE_NONE;
}

void value_view(struct value *v, enum sam_dtype type)
{
    for (unsigned i = 0; i < v->count; i++)
        v->bits[i] = low_bits(v->bits[i], sam_dtype_bits(type));
    v->type = type;
    v->pointee = SAM_DTYPES;
    v->place.kind = PLACE_NONE;
}

/* ------------------------------------------------------------------------------- arithmetic */

/* C17 6.3.1.1: types smaller than int are promoted to int. */
static enum sam_dtype promoted(enum sam_dtype type)
{
    if (is_float(type))
        return type == SAM_F64 ? SAM_F64 : SAM_F32;
    return sam_dtype_bits(type) < 32 ? SAM_I32 : type;
}

/* C17 6.3.1.8 */
static enum sam_dtype common(enum sam_dtype a, enum sam_dtype b)
{
    a = promoted(a);
    b = promoted(b);
    if (is_float(a) || is_float(b))
        return a == SAM_F64 || b == SAM_F64 ? SAM_F64 : SAM_F32;
    if (sam_dtype_bits(a) != sam_dtype_bits(b))
        return sam_dtype_bits(a) > sam_dtype_bits(b) ? a : b;
    return is_signed(a) ? b : a;
}

static bool compares(enum value_operator op)
{
    return op >= OP_EQUAL && op <= OP_GREATER_EQUAL;
}

static bool ordered(enum value_operator op, bool less, bool equal, bool unordered)
{
    switch (op) {
    case OP_EQUAL: return equal;
    case OP_UNEQUAL: return !equal;
    case OP_LESS: return less;
    case OP_LESS_EQUAL: return less || equal;
    case OP_GREATER: return !less && !equal && !unordered;
    default: return !less && !unordered;
    }
}

static bool float_element(enum value_operator op, enum sam_dtype type, uint64_t *x, uint64_t y)
{
    const double a = sam_dtype_value(type, *x), b = sam_dtype_value(type, y);
    double result;
    if (compares(op)) {
        *x = ordered(op, a < b, a == b, isnan(a) || isnan(b));
        return true;
    }
    switch (op) {
    case OP_ADD: result = a + b; break;
    case OP_SUBTRACT: result = a - b; break;
    case OP_MULTIPLY: result = a * b; break;
    case OP_DIVIDE: result = a / b; break;
    default: return false;
    }
    *x = sam_dtype_round(type, result);
    return true;
}

static uint64_t shifted(enum value_operator op, enum sam_dtype type, uint64_t x, uint64_t by)
{
    const size_t width = sam_dtype_bits(type);
    if (op == OP_LEFT)
        return by >= width ? 0 : x << by;
    if (is_signed(type))
        return (uint64_t)(extended(type, x) >> (by >= width ? width - 1 : by));
    return by >= width ? 0 : x >> by;
}

static uint64_t quotient(enum value_operator op, enum sam_dtype type, uint64_t x, uint64_t y)
{
    if (!y)
        return 0; /* operands() has rejected it */
    if (!is_signed(type))
        return op == OP_DIVIDE ? x / y : x % y;
    const int64_t a = extended(type, x), b = extended(type, y);
    if (b == -1) /* the lowest number has no negation */
        return op == OP_DIVIDE ? 0 - (uint64_t)a : 0;
    return (uint64_t)(op == OP_DIVIDE ? a / b : a % b);
}

static void integer_element(enum value_operator op, enum sam_dtype type, uint64_t *x, uint64_t y)
{
    uint64_t result = 0;
    switch (op) {
    case OP_BIT_OR: result = *x | y; break;
    case OP_BIT_XOR: result = *x ^ y; break;
    case OP_BIT_AND: result = *x & y; break;
    case OP_LEFT:
    case OP_RIGHT: result = shifted(op, type, *x, y); break;
    case OP_ADD: result = *x + y; break;
    case OP_SUBTRACT: result = *x - y; break;
    case OP_MULTIPLY: result = *x * y; break;
    case OP_DIVIDE:
    case OP_REMAINDER: result = quotient(op, type, *x, y); break;
    default: { /* a comparison */
        const bool less = is_signed(type) ? extended(type, *x) < extended(type, y) : *x < y;
        *x = ordered(op, less, *x == y, false);
        return;
    }
    }
    *x = low_bits(result, sam_dtype_bits(type));
}

static enum sam_status operands(enum value_operator op, enum sam_dtype type, const struct value *b,
                                struct sam_error *error)
{
    if (is_float(type)) {
        if (op == OP_BIT_OR || op == OP_BIT_XOR || op == OP_BIT_AND || op == OP_LEFT ||
            op == OP_RIGHT || op == OP_REMAINDER)
            return cli_refuse(error, "a floating-point operand: expected integers");
        return SAM_OK;
    }
    for (unsigned i = 0; i < b->count; i++) {
        if ((op == OP_DIVIDE || op == OP_REMAINDER) && b->bits[i] == 0)
            return cli_refuse(error, "division by zero");
        if ((op == OP_LEFT || op == OP_RIGHT) && value_number(b, i) < 0)
            return cli_refuse(error, "a shift by a negative number");
    }
    return SAM_OK;
}

/* Replicate one number for each lane. */
static void spread(struct value *v, const struct value *like)
{
    if (v->is_vector || !like->is_vector)
        return;
    v->is_vector = true;
    v->count = like->count;
    v->active = like->active;
    for (unsigned i = 1; i < v->count; i++)
        v->bits[i] = v->bits[0];
}

static size_t step_of(const struct value *pointer)
{
    return pointer->pointee == SAM_OPAQUE ? 1 : sam_dtype_size(pointer->pointee);
}

/* A pointer and a number: in elements. Two pointers of one type: their distance. */
static enum sam_status pointer_binary(enum value_operator op, struct value *a,
                                      const struct value *b, struct sam_error *error)
{
    const bool both = value_is_pointer(a) && value_is_pointer(b);
    const struct value *pointer = value_is_pointer(a) ? a : b;
    const struct value *number = pointer == a ? b : a;
    const size_t step = step_of(pointer);
    if (both) {
        if (op != OP_SUBTRACT || step != step_of(b))
            return cli_refuse(error, "two pointers: expected a difference of like ones");
        const int64_t bytes = (int64_t)(a->bits[0] - b->bits[0]);
        const int64_t narrow = a->type == SAM_U32 ? (int32_t)(uint32_t)bytes : bytes;
        *a = value_integer(SAM_I64, (uint64_t)(narrow / (int64_t)step));
        return SAM_OK;
    }
    if (is_float(number->type) || (op == OP_SUBTRACT && pointer == b))
        return cli_refuse(error, "a pointer: expected an integer to add to it or subtract");
    const uint64_t by = (uint64_t)value_number(number, 0) * step;
    struct value result = *pointer;
    result.bits[0] = low_bits(op == OP_ADD ? pointer->bits[0] + by : pointer->bits[0] - by,
                              sam_dtype_bits(pointer->type));
    result.place.kind = PLACE_NONE;
    *a = result;
    return SAM_OK;
}

enum sam_status value_binary(enum value_operator op, struct value *a, const struct value *other,
                             struct sam_error *error)
{
    struct value b = *other;
    if (a->place.kind == PLACE_BYTES || b.place.kind == PLACE_BYTES)
        return value_single(a->place.kind == PLACE_BYTES ? a : &b, "an operand", error);
    spread(a, &b);
    spread(&b, a);
    a->active &= a->is_vector ? b.active : 0;
    if ((op == OP_ADD || op == OP_SUBTRACT) && !a->is_vector &&
        (value_is_pointer(a) || value_is_pointer(&b)))
        return pointer_binary(op, a, &b, error);
    const bool shift = op == OP_LEFT || op == OP_RIGHT;
    const enum sam_dtype type =
        shift && !is_float(b.type) ? promoted(a->type) : common(a->type, b.type);
    const enum sam_status status = operands(op, type, &b, error);
    if (status != SAM_OK)
        return status;
    for (unsigned i = 0; i < a->count; i++) {
        if (op == OP_OR || op == OP_AND) {
            const bool x = value_is_true(a, i), y = value_is_true(&b, i);
            a->bits[i] = op == OP_OR ? x || y : x && y;
            continue;
        }
        uint64_t x = converted(a->type, a->bits[i], type);
        const uint64_t y = shift ? b.bits[i] : converted(b.type, b.bits[i], type);
        if (is_float(type))
            float_element(op, type, &x, y);
        else
            integer_element(op, type, &x, y);
        a->bits[i] = x;
    }
    a->type = op == OP_OR || op == OP_AND || compares(op) ? SAM_I32 : type;
    a->pointee = SAM_DTYPES;
    a->place.kind = PLACE_NONE;
    return SAM_OK;
}

enum sam_status value_unary(char op, struct value *v, struct sam_error *error)
{
    if (v->place.kind == PLACE_BYTES)
        return value_single(v, "the operand", error);
    const enum sam_dtype type = promoted(v->type);
    if (op == '~' && is_float(type))
        return cli_refuse(error, "a floating-point operand: expected an integer");
    for (unsigned i = 0; i < v->count; i++) {
        const bool truth = value_is_true(v, i);
        uint64_t x = converted(v->type, v->bits[i], type);
        if (op == '-')
            x = is_float(type) ? sam_dtype_round(type, -sam_dtype_value(type, x))
                               : low_bits(0 - x, sam_dtype_bits(type));
        else if (op == '~')
            x = low_bits(~x, sam_dtype_bits(type));
        v->bits[i] = op == '!' ? !truth : x;
    }
    v->type = op == '!' ? SAM_I32 : type;
    v->pointee = SAM_DTYPES;
    v->place.kind = PLACE_NONE;
    return SAM_OK;
}

/* ------------------------------------------------------------------------------------- text */

const char value_formats[] = "xduotcfaz";

/* The fewest digits that read back as the same element. */
static void float_text(enum sam_dtype type, uint64_t bits, char *text, size_t size)
{
    const double value = sam_dtype_value(type, bits);
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (isnan(value) || isinf(value) || sam_dtype_round(type, strtod(text, NULL)) == bits)
            break;
    }
    if (strstr(text, "e+") && fabs(value) < 1e15)
        snprintf(text, size, "%.0f", value);
}

bool value_is_register(const struct value *value)
{
    const enum place_kind kind = value->place.kind;
    return kind == PLACE_X || kind == PLACE_V || kind == PLACE_LANE;
}

static bool has_float_exponent(uint64_t bits, size_t width)
{
    enum { LEAST = 127 - 24, MOST = 127 + 39 };
    const uint64_t exponent = bits >> 23 & 0xff;
    const bool extended = width == 32 || bits == (uint64_t)(int64_t)(int32_t)(uint32_t)bits;
    return extended && exponent >= LEAST && exponent < MOST;
}

bool value_looks_float(const struct value *v)
{
    const size_t width = sam_dtype_bits(v->type);
    bool any = false;
    for (unsigned i = 0; i < v->count && is_signed(v->type) && width >= 32; i++) {
        if (v->bits[i] && !has_float_exponent(v->bits[i], width))
            return false;
        any |= v->bits[i] != 0;
    }
    return any;
}

static void binary_text(uint64_t bits, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 63; i >= 0; i--)
        if ((bits >> i || i == 0) && used + 1 < size)
            text[used++] = (char)('0' + (bits >> i & 1));
    text[used] = '\0';
}

static void address_text(const struct sam_image *image, uint64_t address, char *text, size_t size)
{
    char name[160];
    const struct sam_symbol *symbol = image ? sam_image_symbol_at(image, address) : NULL;
    sam_image_describe(image, address, name, sizeof name);
    if (symbol)
        snprintf(text, size, "0x%llx <%s>", (unsigned long long)address, name);
    else
        snprintf(text, size, "0x%llx", (unsigned long long)address);
}

static void character_text(uint64_t bits, char *text, size_t size)
{
    const unsigned byte = (unsigned)(bits & 0xff);
    const bool plain = byte >= 0x20 && byte < 0x7f;
    if (plain)
        snprintf(text, size, "%d '%s%c'", (int)(int8_t)byte,
                 byte == '\'' || byte == '\\' ? "\\" : "", byte);
    else
        snprintf(text, size, "%d '\\%03o'", (int)(int8_t)byte, byte);
}

void value_text(const struct value *v, unsigned element, char format, const struct sam_image *image,
                char *text, size_t size)
{
    const uint64_t bits = v->bits[element];
    const size_t width = sam_dtype_bits(v->type);
    const enum sam_dtype as_float = is_float(v->type) ? v->type
                                    : width == 64     ? SAM_F64
                                    : width == 16     ? SAM_F16
                                                      : SAM_F32;
    const enum sam_dtype as_int = value_signed(width / 8);
    if (!format)
        format = value_is_pointer(v)  ? 'a'
                 : is_float(v->type)  ? 'f'
                 : is_signed(v->type) ? 'd'
                                      : 'u';
    switch (format) {
    case 'x': snprintf(text, size, "0x%llx", (unsigned long long)bits); break;
    case 'z': snprintf(text, size, "0x%0*llx", (int)(width / 4), (unsigned long long)bits); break;
    case 'o': snprintf(text, size, bits ? "0%llo" : "%llo", (unsigned long long)bits); break;
    case 'd': snprintf(text, size, "%lld", (long long)extended(as_int, bits)); break;
    case 't': binary_text(bits, text, size); break;
    case 'c': character_text(bits, text, size); break;
    case 'f':
        if (width == 8 && !is_float(v->type))
            snprintf(text, size, "%llu", (unsigned long long)bits);
        else
            float_text(as_float, bits, text, size);
        break;
    case 'a': address_text(image, bits, text, size); break;
    default: snprintf(text, size, "%llu", (unsigned long long)bits); break;
    }
}
