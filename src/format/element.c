/* SPDX-License-Identifier: Apache-2.0 */
/* One element of an array from text. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/fp_format.h"
#include "samite/format.h"

static void put(void *bytes, uint64_t bits, size_t size)
{
    uint8_t *out = bytes;
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(bits >> (8 * i));
}

static bool is_float(enum sam_dtype dtype)
{
    return dtype == SAM_F16 || dtype == SAM_F32 || dtype == SAM_F64;
}

/* Bits of `value` in the format; false when a finite value is beyond its largest. */
static bool float_bits(enum sam_dtype dtype, double value, uint64_t *bits)
{
    static const struct sam_fp_format half = {5, 10, 15, SAM_FP_IEEE, 0x7e00};
    const double half_end = 65520; /* from here on rounding gives infinity */
    float single = (float)value;
    switch (dtype) {
    case SAM_F16:
        *bits = sam_fp_round(&half, value);
        return !isfinite(value) || fabs(value) < half_end;
    case SAM_F32: *bits = sam_f32_bits(single); return !isfinite(value) || isfinite(single);
    default: memcpy(bits, &value, sizeof value); return true;
    }
}

static bool parse_float(enum sam_dtype dtype, const char *text, uint64_t *bits)
{
    char *end;
    errno = 0;
    double value = sam_strtod(text, &end);
    if (errno == ERANGE && isinf(value)) /* too large; too small is zero */
        return false;
    return end != text && !*end && float_bits(dtype, value, bits);
}

bool sam_dtype_parse_value(enum sam_dtype dtype, const char *text, void *bytes)
{
    if (!text || !bytes || !sam_dtype_size(dtype))
        return false;
    size_t size = sam_dtype_size(dtype);
    unsigned width = (unsigned)size * 8;
    bool is_signed = dtype == SAM_I8 || dtype == SAM_I16 || dtype == SAM_I32 || dtype == SAM_I64;
    uint64_t bits = 0;
    int64_t number = 0;
    if (dtype == SAM_BOOL) {
        bits = strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
        if (!bits && strcmp(text, "0") != 0 && strcmp(text, "false") != 0)
            return false;
    } else if (is_float(dtype) && !(text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))) {
        if (!parse_float(dtype, text, &bits))
            return false;
    } else if (is_signed) {
        int64_t end = width == 64 ? INT64_MAX : (INT64_C(1) << (width - 1)) - 1;
        if (!sam_parse_i64(text, &number) || number > end || number < -end - 1)
            return false;
        bits = (uint64_t)number;
    } else if (!sam_parse_u64(text, &bits) || (width < 64 && bits >> width)) {
        return false;
    }
    put(bytes, bits, size);
    return true;
}
