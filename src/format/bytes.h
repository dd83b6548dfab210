/* SPDX-License-Identifier: Apache-2.0 */
/* A reader of bytes with bounds checks. Reading past the end sets `damaged` and gives zeros. */
#ifndef SAM_FORMAT_BYTES_H
#define SAM_FORMAT_BYTES_H

#include "base/base.h"

struct sam_bytes {
    const uint8_t *at, *end;
    bool damaged;
};

static inline size_t sam_bytes_left(const struct sam_bytes *b)
{
    return (size_t)(b->end - b->at);
}

/* Returns the next `size` bytes, or NULL. */
static inline const uint8_t *sam_bytes_take(struct sam_bytes *b, uint64_t size)
{
    const uint8_t *at = b->at;
    if (b->damaged || size > sam_bytes_left(b)) {
        b->damaged = true;
        return NULL;
    }
    b->at += size;
    return at;
}

static inline uint32_t sam_bytes_le32(struct sam_bytes *b)
{
    const uint8_t *bytes = sam_bytes_take(b, 4);
    return bytes ? sam_le32(bytes) : 0;
}

static inline uint64_t sam_bytes_le64(struct sam_bytes *b)
{
    const uint8_t *bytes = sam_bytes_take(b, 8);
    return bytes ? sam_le64(bytes) : 0;
}

/* A LEB128 number, as in ELF attributes and protocol buffers. */
static inline uint64_t sam_bytes_uleb(struct sam_bytes *b)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && b->at < b->end; shift += 7) {
        const uint8_t byte = *b->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    b->damaged = true;
    return 0;
}

#endif
