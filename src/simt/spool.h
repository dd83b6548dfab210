/* SPDX-License-Identifier: Apache-2.0 */
/* Byte streams, written once and read once. Beyond a total size they spill to a temporary file. */
#ifndef SAM_SIMT_SPOOL_H
#define SAM_SIMT_SPOOL_H

#include "base/base.h"

/* Bound of the file; exceeding it is an error. */
#define SAM_SPOOL_MOST (UINT64_C(32) << 30)

struct sam_spool_chunk;

/* All zero: empty. */
struct sam_spool {
    struct sam_spool_chunk *first, *last; /* to read from, to write to */
    size_t read;                          /* bytes read from `first` */
};

struct sam_spool_store {
    size_t limit;      /* bytes of chunks in memory */
    size_t held, most; /* current, maximum */
    int file;          /* -1: not open */
    uint64_t file_size;
    uint64_t *holes; /* free chunks of standard size in the file */
    size_t hole_count, hole_capacity;
    enum sam_status status; /* of the first failure */
    struct sam_error error;
};

void sam_spool_store_init(struct sam_spool_store *store, size_t limit);
void sam_spool_store_release(struct sam_spool_store *store);
/* Append `size` bytes, to be filled before the next call and read as one piece. Returns NULL on
 * failure, which the store records. */
uint8_t *sam_spool_extend(struct sam_spool_store *store, struct sam_spool *stream, size_t size);
/* The unread bytes, at least a whole piece of sam_spool_extend. NULL: at the end, or failed. */
const uint8_t *sam_spool_front(struct sam_spool_store *store, struct sam_spool *stream);
/* Mark bytes as read. */
void sam_spool_skip(struct sam_spool *stream, size_t size);
/* Mark the stream complete: it then needs no more memory than its size, or none beyond the
 * limit. */
void sam_spool_end(struct sam_spool_store *store, struct sam_spool *stream);
/* Free the stream's memory. */
void sam_spool_clear(struct sam_spool_store *store, struct sam_spool *stream);

#endif
