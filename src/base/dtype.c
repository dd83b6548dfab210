/* SPDX-License-Identifier: Apache-2.0 */
/* The table of element types and its queries. */
#include "base/dtype.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/base.h"

const struct sam_dtype_row sam_dtype_table[SAM_DTYPES] = {
#define ID(number) (number) + 1
#define SAM_DTYPE(NAME, number, text, width, kind, ...)                                            \
    [SAM_##NAME] = {.name = text, .bits = width, .class = SAM_CLASS_##kind, __VA_ARGS__},
#include "samite/dtype.def"
#undef SAM_DTYPE
#undef ID
};

size_t sam_dtype_bits(enum sam_dtype dtype)
{
    return sam_dtype_exists(dtype) ? sam_dtype_table[dtype].bits : 0;
}

size_t sam_dtype_size(enum sam_dtype dtype)
{
    return sam_dtype_bits(dtype) / 8;
}

enum sam_dtype_class sam_dtype_class(enum sam_dtype dtype)
{
    return sam_dtype_exists(dtype) ? (enum sam_dtype_class)sam_dtype_table[dtype].class
                                   : SAM_CLASS_OPAQUE;
}

const char *sam_dtype_name(enum sam_dtype dtype)
{
    return sam_dtype_exists(dtype) ? sam_dtype_table[dtype].name : "?";
}

enum sam_dtype sam_dtype_by_name(size_t column, const char *name)
{
    for (unsigned i = 0; name && i < SAM_DTYPES; i++) {
        const char *text;
        memcpy(&text, (const char *)&sam_dtype_table[i] + column, sizeof text);
        if (text && strcmp(text, name) == 0)
            return (enum sam_dtype)i;
    }
    return SAM_DTYPES;
}

enum sam_dtype sam_dtype_by_id(size_t column, uint64_t number)
{
    for (unsigned i = 0; number < UINT8_MAX && i < SAM_DTYPES; i++)
        if (((const uint8_t *)&sam_dtype_table[i])[column] == number + 1)
            return (enum sam_dtype)i;
    return SAM_DTYPES;
}

bool sam_dtype_parse(const char *name, enum sam_dtype *dtype)
{
    enum sam_dtype found = sam_dtype_by_name(offsetof(struct sam_dtype_row, name), name);
    if (found != SAM_DTYPES)
        *dtype = found;
    return found != SAM_DTYPES;
}

const char *sam_dtype_safetensors(enum sam_dtype dtype)
{
    return sam_dtype_exists(dtype) ? sam_dtype_table[dtype].safetensors : NULL;
}

enum sam_dtype sam_dtype_npy(enum sam_dtype dtype)
{
    if (sam_dtype_exists(dtype) && sam_dtype_table[dtype].npy)
        return dtype;
    switch (sam_dtype_bits(dtype)) {
    case 16: return SAM_U16;
    case 32: return SAM_U32;
    case 64: return SAM_U64;
    default: return SAM_U8;
    }
}

double sam_dtype_value(enum sam_dtype dtype, uint64_t bits)
{
    if (!sam_dtype_exists(dtype))
        return NAN;
    const struct sam_dtype_row *row = &sam_dtype_table[dtype];
    uint64_t high = bits << (64 - row->bits);
    switch (row->class) {
    case SAM_CLASS_UINT: return (double)(high >> (64 - row->bits));
    case SAM_CLASS_INT: return (double)((int64_t)high >> (64 - row->bits));
    case SAM_CLASS_FLOAT: return sam_fp_value(&row->fp, bits);
    case SAM_CLASS_BOOL: return high != 0;
    default: return NAN;
    }
}

uint64_t sam_dtype_round(enum sam_dtype dtype, double value)
{
    if (sam_dtype_class(dtype) != SAM_CLASS_FLOAT)
        return 0;
    return sam_fp_convert(&sam_dtype_table[dtype].fp, value, SAM_RNE);
}

/* --- text */

/* Returns false if the dtype has no such value: too large, or a special value it lacks. */
static bool parse_float(enum sam_dtype dtype, const char *text, uint64_t *bits)
{
    char *end;
    errno = 0;
    double value = sam_strtod(text, &end);
    if (errno == ERANGE && isinf(value)) /* overflow; underflow is zero */
        return false;
    *bits = sam_dtype_round(dtype, value);
    double rounded = sam_dtype_value(dtype, *bits);
    return end != text && !*end && !isnan(value) == !isnan(rounded) &&
           !isinf(value) == !isinf(rounded);
}

static bool parse_bits(enum sam_dtype dtype, const char *text, uint64_t *bits)
{
    unsigned width = (unsigned)sam_dtype_bits(dtype);
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    int64_t end = (int64_t)(UINT64_MAX >> (65 - width)), number;
    switch (sam_dtype_class(dtype)) {
    case SAM_CLASS_BOOL:
        *bits = strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
        return *bits || strcmp(text, "0") == 0 || strcmp(text, "false") == 0;
    case SAM_CLASS_INT:
        if (!sam_parse_i64(text, &number) || number > end || number < -end - 1)
            return false;
        *bits = (uint64_t)number;
        return true;
    case SAM_CLASS_FLOAT:
        if (!is_hex)
            return parse_float(dtype, text, bits);
        break;
    case SAM_CLASS_UINT: break;
    default: return false;
    }
    return sam_parse_u64(text, bits) && *bits <= UINT64_MAX >> (64 - width);
}

bool sam_dtype_parse_value(enum sam_dtype dtype, const char *text, void *bytes)
{
    uint64_t bits = 0;
    uint8_t *out = bytes;
    if (!text || !bytes || !sam_dtype_bits(dtype) || !parse_bits(dtype, text, &bits))
        return false;
    bits &= UINT64_MAX >> (64 - sam_dtype_bits(dtype));
    for (size_t i = 0; 8 * i < sam_dtype_bits(dtype); i++)
        out[i] = (uint8_t)(bits >> (8 * i));
    return true;
}
