/* SPDX-License-Identifier: Apache-2.0 */
/* ASCII character classes, and case-insensitive comparison. <ctype.h> and strcasecmp depend on the
 * locale of the host program: in a Turkish one "VID.V" is not "vid.v", in a Latin-1 one 0xe4 is a
 * letter. */
#ifndef SAM_ASCII_H
#define SAM_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline bool sam_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool sam_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool sam_is_alnum(char c)
{
    return sam_is_letter(c) || sam_is_digit(c);
}

/* Blank, \t, \n, \v, \f, \r. */
static inline bool sam_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char sam_to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Returns the value of a hexadecimal digit, or 99. */
static inline unsigned sam_hex_digit(char c)
{
    char letter = sam_to_lower(c);
    return sam_is_digit(c)                  ? (unsigned)(c - '0')
           : letter >= 'a' && letter <= 'f' ? (unsigned)(letter - 'a' + 10)
                                            : 99;
}

/* Returns whether the first `size` characters are equal ignoring case, or both texts end earlier
 * and are equal. */
static inline bool sam_same_start(const char *a, const char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (sam_to_lower(a[i]) != sam_to_lower(b[i]))
            return false;
        if (!a[i])
            return true;
    }
    return true;
}

static inline bool sam_same_name(const char *a, const char *b)
{
    return sam_same_start(a, b, (size_t)-1);
}

#endif
