/* SPDX-License-Identifier: Apache-2.0 */
#include "simt/spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SMALLEST 512u   /* bytes of a stream's first chunk; ... */
#define STANDARD 32768u /* ... each further chunk is twice as large, up to this or one piece */

struct sam_spool_chunk {
    struct sam_spool_chunk *next;
    size_t size, used;
    uint8_t *bytes; /* NULL: spilled ... */
    uint64_t at;    /* ... to this offset of the file */
};

void sam_spool_store_init(struct sam_spool_store *store, size_t limit)
{
    *store = (struct sam_spool_store){.limit = limit, .file = -1};
}

void sam_spool_store_release(struct sam_spool_store *store)
{
    if (store->file >= 0)
        close(store->file);
    free(store->holes);
}

static void fail(struct sam_spool_store *store, enum sam_status status, const char *what)
{
    if (store->status != SAM_OK)
        return;
    store->status = status;
    if (status == SAM_ERR_MEMORY)
        sam_fail_memory(&store->error);
    else
        sam_fail(&store->error, status, "cannot %s a temporary file: %s", what, strerror(errno));
}

static bool take_bytes(struct sam_spool_store *store, struct sam_spool_chunk *chunk)
{
    chunk->bytes = malloc(chunk->size);
    if (!chunk->bytes) {
        fail(store, SAM_ERR_MEMORY, "");
        return false;
    }
    store->held += chunk->size;
    if (store->held > store->most)
        store->most = store->held;
    return true;
}

static void give_bytes(struct sam_spool_store *store, struct sam_spool_chunk *chunk)
{
    if (!chunk->bytes)
        return;
    free(chunk->bytes);
    chunk->bytes = NULL;
    store->held -= chunk->size;
}

/* ------------------------------------------------------------------------------- the file */

/* An unlinked temporary file. */
static bool open_file(struct sam_spool_store *store)
{
    const char *folder = getenv("TMPDIR");
    struct sam_buffer path = {0};
    if (!sam_buffer_printf(&path, "%s/samite-XXXXXX", folder && *folder ? folder : "/tmp")) {
        fail(store, SAM_ERR_MEMORY, "");
    } else {
        store->file = mkstemp((char *)path.data);
        if (store->file < 0)
            fail(store, SAM_ERR_IO, "create");
        else
            unlink((char *)path.data);
    }
    sam_buffer_free(&path);
    return store->file >= 0;
}

static uint64_t find_room(struct sam_spool_store *store, size_t size)
{
    if (size == STANDARD && store->hole_count)
        return store->holes[--store->hole_count];
    const uint64_t at = store->file_size;
    store->file_size += size;
    return at;
}

static void write_out(struct sam_spool_store *store, struct sam_spool_chunk *chunk)
{
    if (store->file < 0 && !open_file(store))
        return;
    if (store->file_size >= SAM_SPOOL_MOST) {
        store->status = sam_fail(&store->error, SAM_ERR_IO,
                                 "more than %llu GiB of recorded instructions: expected fewer per "
                                 "warp, or a limit of them",
                                 (unsigned long long)(SAM_SPOOL_MOST >> 30));
        return;
    }
    chunk->at = find_room(store, chunk->size);
    for (size_t done = 0; done < chunk->used;) {
        const ssize_t wrote =
            pwrite(store->file, chunk->bytes + done, chunk->used - done, (off_t)(chunk->at + done));
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            fail(store, SAM_ERR_IO, "write to");
            return;
        }
        done += (size_t)wrote;
    }
    give_bytes(store, chunk);
}

static bool read_back(struct sam_spool_store *store, struct sam_spool_chunk *chunk)
{
    if (!take_bytes(store, chunk))
        return false;
    for (size_t done = 0; done < chunk->used;) {
        const ssize_t got =
            pread(store->file, chunk->bytes + done, chunk->used - done, (off_t)(chunk->at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            fail(store, SAM_ERR_IO, "read");
            return false;
        }
        done += (size_t)got;
    }
    void *grown = chunk->size != STANDARD ? NULL
                                          : sam_grow(store->holes, store->hole_count,
                                                     &store->hole_capacity, sizeof *store->holes);
    if (grown) { /* on out-of-memory the hole is not reused */
        store->holes = grown;
        store->holes[store->hole_count++] = chunk->at;
    }
    return true;
}

/* -------------------------------------------------------------------------------- streams */

static struct sam_spool_chunk *add_chunk(struct sam_spool_store *store, struct sam_spool *stream,
                                         size_t size)
{
    struct sam_spool_chunk *last = stream->last;
    if (last && store->held > store->limit)
        write_out(store, last);
    struct sam_spool_chunk *chunk = sam_alloc(1, sizeof *chunk);
    if (!chunk) {
        fail(store, SAM_ERR_MEMORY, "");
        return NULL;
    }
    chunk->size = !last ? SMALLEST : last->size < STANDARD / 2 ? 2 * last->size : STANDARD;
    if (chunk->size < size)
        chunk->size = size;
    if (!take_bytes(store, chunk)) {
        free(chunk);
        return NULL;
    }
    *(last ? &last->next : &stream->first) = chunk;
    return stream->last = chunk;
}

uint8_t *sam_spool_extend(struct sam_spool_store *store, struct sam_spool *stream, size_t size)
{
    struct sam_spool_chunk *chunk = stream->last;
    if (store->status != SAM_OK)
        return NULL;
    if (SAM_UNLIKELY(!chunk || chunk->size - chunk->used < size)) {
        chunk = add_chunk(store, stream, size);
        if (!chunk)
            return NULL;
    }
    chunk->used += size;
    return chunk->bytes + chunk->used - size;
}

void sam_spool_end(struct sam_spool_store *store, struct sam_spool *stream)
{
    struct sam_spool_chunk *last = stream->last;
    if (!last || store->status != SAM_OK)
        return;
    if (store->held > store->limit) {
        write_out(store, last);
        return;
    }
    uint8_t *bytes = realloc(last->bytes, last->used);
    if (!bytes) /* keep the larger chunk */
        return;
    store->held -= last->size - last->used;
    last->bytes = bytes;
    last->size = last->used;
}

static void drop_first(struct sam_spool_store *store, struct sam_spool *stream)
{
    struct sam_spool_chunk *chunk = stream->first;
    stream->first = chunk->next;
    stream->read = 0;
    if (!stream->first)
        stream->last = NULL;
    give_bytes(store, chunk);
    free(chunk);
}

const uint8_t *sam_spool_front(struct sam_spool_store *store, struct sam_spool *stream)
{
    while (stream->first && stream->read == stream->first->used)
        drop_first(store, stream);
    struct sam_spool_chunk *chunk = stream->first;
    if (!chunk || store->status != SAM_OK || (!chunk->bytes && !read_back(store, chunk)))
        return NULL;
    return chunk->bytes + stream->read;
}

void sam_spool_skip(struct sam_spool *stream, size_t size)
{
    stream->read += size;
}

void sam_spool_clear(struct sam_spool_store *store, struct sam_spool *stream)
{
    while (stream->first)
        drop_first(store, stream);
}
