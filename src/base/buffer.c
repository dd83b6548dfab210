/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

void *sam_alloc(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

void *sam_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    if (wanted > SIZE_MAX / 2 / size)
        return NULL;
    void *moved = realloc(array, wanted * size);
    if (moved)
        *capacity = wanted;
    return moved;
}

char *sam_strndup(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

char *sam_strdup(const char *text)
{
    return sam_strndup(text, strlen(text));
}

void sam_buffer_free(struct sam_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct sam_buffer){0};
}

bool sam_buffer_reserve(struct sam_buffer *buffer, size_t extra)
{
    if (buffer->failed || extra > SIZE_MAX / 4 - buffer->size) {
        buffer->failed = true;
        return false;
    }
    size_t needed = buffer->size + extra + 1;
    if (needed <= buffer->capacity)
        return true;
    size_t capacity = buffer->capacity ? buffer->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    uint8_t *data = realloc(buffer->data, capacity);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

bool sam_buffer_append(struct sam_buffer *buffer, const void *bytes, size_t size)
{
    if (!sam_buffer_reserve(buffer, size))
        return false;
    if (size)
        memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    buffer->data[buffer->size] = 0;
    return true;
}

bool sam_buffer_fill(struct sam_buffer *buffer, uint8_t fill, size_t size)
{
    if (!sam_buffer_reserve(buffer, size))
        return false;
    memset(buffer->data + buffer->size, fill, size);
    buffer->size += size;
    buffer->data[buffer->size] = 0;
    return true;
}

bool sam_buffer_printf(struct sam_buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!sam_buffer_reserve(buffer, 128)) {
        va_end(args);
        return false;
    }
    size_t room = buffer->capacity - buffer->size;
    va_list again;
    va_copy(again, args);
    int length = sam_format_list((char *)buffer->data + buffer->size, room, format, args);
    va_end(args);
    if (length >= 0 && (size_t)length >= room && sam_buffer_reserve(buffer, (size_t)length))
        length = sam_format_list((char *)buffer->data + buffer->size,
                                 buffer->capacity - buffer->size, format, again);
    va_end(again);
    if (length < 0 || buffer->failed) {
        buffer->data[buffer->size] = 0;
        buffer->failed = true;
        return false;
    }
    buffer->size += (size_t)length;
    return true;
}

bool sam_buffer_puts(struct sam_buffer *buffer, const char *text)
{
    return sam_buffer_append(buffer, text, strlen(text));
}

bool sam_buffer_hex(struct sam_buffer *buffer, uint64_t value, unsigned digits)
{
    char text[16];
    for (unsigned i = digits; i-- > 0; value >>= 4)
        text[i] = "0123456789abcdef"[value & 15];
    return sam_buffer_append(buffer, text, digits);
}

const char *sam_buffer_text(const struct sam_buffer *buffer)
{
    return buffer->data ? (const char *)buffer->data : "";
}
