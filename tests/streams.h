/* SPDX-License-Identifier: Apache-2.0 */
/* Sinks and sources of a test: in memory, or always failing. */
#ifndef TEST_STREAMS_H
#define TEST_STREAMS_H

#include <string.h>

#include "base/base.h"
#include "samite/codec.h"

static inline bool test_append(void *buffer, const void *data, size_t size)
{
    return sam_buffer_append(buffer, data, size);
}

static inline bool test_drop(void *context, const void *data, size_t size)
{
    (void)context, (void)data, (void)size;
    return true;
}

static inline bool test_refuse(void *context, const void *data, size_t size)
{
    (void)context, (void)data, (void)size;
    return false;
}

/* Appends everything to `out`. */
static inline struct sam_sink test_sink(struct sam_buffer *out)
{
    return (struct sam_sink){test_append, out};
}

static inline bool test_read(void *buffer, uint64_t offset, void *data, size_t size)
{
    const struct sam_buffer *b = buffer;
    if (offset > b->size || size > b->size - offset)
        return false;
    memcpy(data, b->data + offset, size);
    return true;
}

/* Reads beyond the end fail. */
static inline struct sam_source test_source(struct sam_buffer *file)
{
    return (struct sam_source){test_read, file, file->size};
}

#endif
