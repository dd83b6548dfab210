/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ascii.h"
#include "base/base.h"

static bool parse_unsigned(const char *text, size_t size, uint64_t *value)
{
    unsigned radix = 10;
    if (size > 2 && text[0] == '0') {
        char c = text[1] | 0x20;
        radix = c == 'x' ? 16 : c == 'b' ? 2 : c == 'o' ? 8 : 10;
        if (radix != 10) {
            text += 2;
            size -= 2;
        }
    }
    if (size == 0)
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned d = sam_hex_digit(text[i]);
        if (d >= radix || sum > (UINT64_MAX - d) / radix)
            return false;
        sum = sum * radix + d;
    }
    *value = sum;
    return true;
}

bool sam_parse_u64(const char *text, uint64_t *value)
{
    return text && parse_unsigned(text, strlen(text), value);
}

bool sam_parse_i64(const char *text, int64_t *value)
{
    bool negative = text && text[0] == '-';
    uint64_t magnitude;
    if (!text || !sam_parse_u64(text + (negative || text[0] == '+'), &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}
