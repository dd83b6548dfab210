/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of bytes that are written once and read once. Beyond a limit for all of them their bytes
 * wait in a temporary file. */
#ifndef SAM_SIMT_SPOOL_H
#define SAM_SIMT_SPOOL_H

#include "base/base.h"

/* The file holds no more bytes than this: whoever writes without end is told. */
#define SAM_SPOOL_MOST (UINT64_C(32) << 30)

struct sam_spool_chunk;

/* An all-zero one is empty. */
struct sam_spool {
    struct sam_spool_chunk *first, *last; /* read from, written to */
    size_t read;                          /* bytes of the first */
};

struct sam_spool_store {
    size_t limit;      /* bytes of chunks in memory */
    size_t held, most; /* now, at most so far */
    int file;          /* -1: none yet */
    uint64_t file_size;
    uint64_t *holes; /* of standard chunks in the file that were read */
    size_t hole_count, hole_capacity;
    enum sam_status status; /* of the first failure */
    struct sam_error error;
};

void sam_spool_store_init(struct sam_spool_store *store, size_t limit);
void sam_spool_store_release(struct sam_spool_store *store);
/* `size` bytes at the end of the stream, to be filled before the next call; they will be read
 * together. NULL: failed, which the store notes. */
uint8_t *sam_spool_extend(struct sam_spool_store *store, struct sam_spool *stream, size_t size);
/* What is to be read next, at least as much as one call of sam_spool_extend has added. NULL:
 * nothing, or failed. */
const uint8_t *sam_spool_front(struct sam_spool_store *store, struct sam_spool *stream);
/* So many bytes of it have been read. */
void sam_spool_skip(struct sam_spool *stream, size_t size);
/* Nothing will be added to the stream: it takes no more memory than its bytes, or none beyond the
 * limit. */
void sam_spool_end(struct sam_spool_store *store, struct sam_spool *stream);
/* Give its memory back. */
void sam_spool_clear(struct sam_spool_store *store, struct sam_spool *stream);

#endif
