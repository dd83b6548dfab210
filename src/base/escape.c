/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping of outside text for display on a terminal. */
#include "base/base.h"

size_t sam_text_character(const char *text, size_t size)
{
    if (!text || !size)
        return 0;
    const unsigned char *c = (const unsigned char *)text;
    size_t bytes = *c < 0x80   ? 1
                   : *c < 0xc2 ? 0
                   : *c < 0xe0 ? 2
                   : *c < 0xf0 ? 3
                   : *c < 0xf5 ? 4
                               : 0;
    if (bytes == 1)
        return *c >= ' ' && *c != 0x7f;
    if (!bytes || bytes > size)
        return 0;
    /* C1 controls; then overlong forms, surrogates, and code points above U+10FFFF */
    if ((*c == 0xc2 && c[1] < 0xa0) || (*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) ||
        (*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] > 0x8f))
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    return bytes;
}

void sam_text_make_plain(char *text)
{
    size_t left = text ? strlen(text) : 0;
    while (left) {
        size_t bytes = sam_text_character(text, left);
        if (!bytes)
            *text = '?';
        text += bytes ? bytes : 1;
        left -= bytes ? bytes : 1;
    }
}

size_t sam_buffer_plain(struct sam_buffer *buffer, const char *text, size_t size, char control)
{
    const char *at = text, *end = text + size;
    size_t count = 0;
    for (; at < end; count++) {
        size_t bytes = sam_text_character(at, (size_t)(end - at));
        char instead = (unsigned char)*at < ' ' ? control : '?';
        sam_buffer_append(buffer, bytes ? at : &instead, bytes ? bytes : 1);
        at += bytes ? bytes : 1;
    }
    return count;
}
