/* SPDX-License-Identifier: Apache-2.0 */
/* Constants in expressions, in C syntax. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "expr.h"
#include "fail.h"

static enum sam_status float_constant(char *text, struct value *value, struct sam_error *error)
{
    const size_t size = strlen(text);
    enum sam_dtype type = SAM_F64;
    uint8_t bytes[8] = {0};
    if (size && (text[size - 1] == 'f' || text[size - 1] == 'F')) {
        type = SAM_F32;
        text[size - 1] = '\0';
    }
    if (!sam_dtype_parse_value(type, text, bytes))
        return debug_fail(error, "'%s': expected a number", text);
    *value = value_integer(type, value_bits(bytes, sam_dtype_size(type)));
    return SAM_OK;
}

/* C17 6.4.4.1: the first type that can represent the value; a decimal constant is signed unless
 * it has a u. */
static enum sam_status integer_constant(char *text, struct value *value, struct sam_error *error)
{
    size_t size = strlen(text);
    bool is_unsigned = false;
    uint64_t number;
    while (size && strchr("uUlL", text[size - 1])) {
        is_unsigned |= text[size - 1] == 'u' || text[size - 1] == 'U';
        text[--size] = '\0';
    }
    if (!sam_parse_u64(text, &number)) {
        const char *digits = text + (strncasecmp(text, "0x", 2) == 0 ? 2 : 0);
        const bool large =
            digits[strspn(digits, digits == text ? "0123456789" : "0123456789abcdefABCDEF")] == 0;
        return debug_fail(error, "'%s': expected a number%s", text,
                          large && *digits ? " of up to 64 bits" : "");
    }
    const bool decimal = size < 2 || isdigit((unsigned char)text[1]);
    enum sam_dtype type = SAM_U64;
    if (number <= INT32_MAX && !is_unsigned)
        type = SAM_I32;
    else if (number <= UINT32_MAX && (is_unsigned || !decimal))
        type = SAM_U32;
    else if (number <= INT64_MAX && !is_unsigned)
        type = SAM_I64;
    *value = value_integer(type, number);
    return SAM_OK;
}

enum sam_status expr_constant(const char **at, struct value *value, struct sam_error *error)
{
    char text[64] = "";
    size_t size = 0;
    const char *c = *at;
    const bool hex = c[0] == '0' && (c[1] == 'x' || c[1] == 'X');
    bool real = false;
    for (; isalnum((unsigned char)*c) || *c == '.' || *c == '_'; c++) {
        const bool exponent = !hex && (*c == 'e' || *c == 'E');
        real |= *c == '.' || exponent;
        if (size + 2 < sizeof text)
            text[size] = *c;
        size++;
        if (exponent && (c[1] == '-' || c[1] == '+')) {
            if (size + 2 < sizeof text)
                text[size] = c[1];
            size++;
            c++;
        }
    }
    if (size + 2 >= sizeof text)
        return debug_fail(error, "'%.40s': expected a number", *at);
    text[size] = '\0';
    *at = c;
    real |= !hex && size > 1 && (text[size - 1] == 'f' || text[size - 1] == 'F');
    return real ? float_constant(text, value, error) : integer_constant(text, value, error);
}

enum sam_status expr_character(const char **at, struct value *value, struct sam_error *error)
{
    static const char letters[] = "ntr0\\'\"", codes[] = "\n\t\r\0\\'\"";
    unsigned char c = (unsigned char)*++*at;
    if (c == '\\') {
        const char *letter = (*at)[1] ? strchr(letters, (*at)[1]) : NULL;
        if (!letter)
            return debug_fail(error, "a character after \\: expected one of n t r 0 \\ ' \"");
        c = (unsigned char)codes[letter - letters];
        ++*at;
    } else if (!c || c == '\'') {
        return debug_fail(error, "'': expected a character between the quotes");
    }
    if ((*at)[1] != '\'')
        return debug_fail(error, "'%c: expected one character between quotes", c < 0x80 ? c : '?');
    *at += 2;
    *value = value_integer(SAM_I32, c);
    return SAM_OK;
}
