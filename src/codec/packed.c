/* SPDX-License-Identifier: Apache-2.0 */
/* Random access to a packed file: a tensor, a range of it, or the whole file. */
#include "codec/chunks.h"
#include "codec/container.h"

#include <stdatomic.h>

enum {
    STREAMED = 8 << 20, /* bytes: an output of at least as many bypasses the caches */
    HEADER_GUESS = 512, /* bytes read before the size of a chunk's header is known */
};

/* A packed file, in memory or read on demand from `source`. */
struct sam_packed {
    struct sam_codec_options options;
    const struct sam_codec_ops *ops;
    const uint8_t *data; /* NULL: use `source` */
    struct sam_source source;
    uint8_t *front; /* bytes before the chunks, if read from `source` */
    struct sam_container container;
    bool has_container;
    uint64_t *chunk_at; /* offset of each chunk, then the end of the last */
};

/* `size` bytes of the packed file, in memory or read into `room`. Returns NULL with `error` set. */
static const uint8_t *bytes_at(const struct sam_packed *p, uint64_t at, size_t size, uint8_t *room,
                               struct sam_error *error)
{
    if (p->data)
        return p->data + at;
    if (!size || p->source.read(p->source.context, at, room, size))
        return room;
    sam_fail(error, SAM_ERR_IO, "cannot read %zu bytes at %llu of the packed file", size,
             (unsigned long long)at);
    return NULL;
}

static enum sam_status check_index(struct sam_packed *p, uint64_t first, const uint8_t *index,
                                   const struct sam_end *end, const uint8_t *trailer,
                                   struct sam_error *error)
{
    if (!sam_index_check(index, end->chunks, trailer))
        return sam_fail(error, SAM_ERR_INPUT, "damaged: the index does not match the file");
    p->chunk_at = sam_codec_alloc(p->options.allocator, (size_t)(end->chunks + 1) * 8);
    if (!p->chunk_at)
        return sam_fail_memory(error);
    p->chunk_at[0] = first;
    for (uint64_t i = 0; i < end->chunks; i++)
        p->chunk_at[i + 1] = p->chunk_at[i] + sam_le32(index + 4 * i);
    if (p->chunk_at[end->chunks] != end->index)
        return sam_fail(error, SAM_ERR_INPUT,
                        "damaged: the chunk sizes in the index do not add up");
    return SAM_OK;
}

static enum sam_status read_index(struct sam_packed *p, uint64_t first, uint64_t size,
                                  struct sam_error *error)
{
    uint8_t room[SAM_TRAILER], *index_room = NULL;
    const uint8_t *trailer = bytes_at(p, size - SAM_TRAILER, SAM_TRAILER, room, error);
    struct sam_end end;
    if (!trailer)
        return SAM_ERR_IO;
    const char *wrong = sam_trailer_parse(trailer, size, &end);
    if (!wrong && end.chunks != p->container.chunks)
        wrong = "the index does not match the file";
    if (wrong)
        return sam_fail(error, SAM_ERR_INPUT, "damaged: %s", wrong);
    size_t index_size = (size_t)sam_index_size(end.chunks);
    if (!p->data && !(index_room = sam_codec_alloc(p->options.allocator, index_size)))
        return sam_fail_memory(error);
    const uint8_t *index = bytes_at(p, end.index, index_size, index_room, error);
    enum sam_status status =
        index ? check_index(p, first, index, &end, trailer, error) : SAM_ERR_IO;
    sam_codec_free(p->options.allocator, index_room);
    return status;
}

enum sam_status sam_unpack_size(const void *packed, size_t size, uint64_t *file_size,
                                struct sam_error *error)
{
    struct sam_start start;
    if (!packed || !file_size)
        return sam_fail_null(error, packed ? "file_size" : "packed");
    const char *wrong = size < SAM_HEADER ? "truncated" : sam_start_parse(packed, &start);
    if (wrong)
        return sam_fail(error, SAM_ERR_INPUT, "%s", wrong);
    *file_size = start.file_size;
    return SAM_OK;
}

/* Read the header, the list of pieces and the index. */
static enum sam_status read_front(struct sam_packed *p, uint64_t size, struct sam_error *error)
{
    struct sam_start start;
    uint8_t room[SAM_HEADER];
    const char *wrong = "not a packed file, or truncated";
    if (size >= SAM_HEADER + SAM_TRAILER) {
        const uint8_t *header = bytes_at(p, 0, SAM_HEADER, room, error);
        if (!header)
            return SAM_ERR_IO;
        wrong = sam_start_parse(header, &start);
        if (!wrong && start.total > size - SAM_TRAILER)
            wrong = "truncated: the list of tensors is incomplete";
    }
    if (wrong)
        return sam_fail(error, SAM_ERR_INPUT, "%s", wrong);
    if (!p->data && !(p->front = sam_codec_alloc(p->options.allocator, (size_t)start.total)))
        return sam_fail_memory(error);
    const uint8_t *front = bytes_at(p, 0, (size_t)start.total, p->front, error);
    if (!front)
        return SAM_ERR_IO;
    enum sam_status status = sam_container_parse(&start, front, &p->options, &p->container, error);
    p->has_container = status == SAM_OK;
    return status == SAM_OK ? read_index(p, start.total, size, error) : status;
}

static enum sam_status open_packed(const void *data, struct sam_source source,
                                   const struct sam_codec_options *options,
                                   struct sam_packed **packed, struct sam_error *error)
{
    *packed = NULL;
    struct sam_codec_options taken;
    enum sam_status status = sam_codec_options_take(&taken, options, error);
    if (status != SAM_OK)
        return status;
    struct sam_packed *p = sam_codec_alloc(taken.allocator, sizeof *p);
    if (!p)
        return sam_fail_memory(error);
    *p = (struct sam_packed){.options = taken, .data = data, .source = source};
    p->ops = sam_codec_ops(p->options.level);
    status = read_front(p, source.size, error);
    if (status == SAM_OK)
        *packed = p;
    else
        sam_packed_close(p);
    return status;
}

enum sam_status sam_packed_open(const void *data, size_t size,
                                const struct sam_codec_options *options, struct sam_packed **packed,
                                struct sam_error *error)
{
    if (!packed || !data)
        return sam_fail_null(error, packed ? "data" : "packed");
    return open_packed(data, (struct sam_source){.size = size}, options, packed, error);
}

enum sam_status sam_packed_open_source(struct sam_source source,
                                       const struct sam_codec_options *options,
                                       struct sam_packed **packed, struct sam_error *error)
{
    if (!packed || !source.read)
        return sam_fail_null(error, packed ? "the source's read" : "packed");
    return open_packed(NULL, source, options, packed, error);
}

void sam_packed_close(struct sam_packed *p)
{
    if (!p)
        return;
    const struct sam_allocator *allocator = p->options.allocator;
    sam_codec_free(allocator, p->chunk_at);
    sam_codec_free(allocator, p->front);
    if (p->has_container)
        sam_container_free(&p->container);
    sam_codec_free(allocator, p);
}

const struct sam_weights *sam_packed_weights(const struct sam_packed *p)
{
    return p ? &p->container.weights : NULL;
}

const void *sam_packed_header(const struct sam_packed *p)
{
    return p ? (p->data ? p->data : p->front) + SAM_HEADER : NULL;
}

size_t sam_packed_find(const struct sam_packed *p, const char *name)
{
    for (size_t i = 0; p && name && i < p->container.weights.count; i++)
        if (strcmp(p->container.weights.tensors[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static enum sam_status damaged(const struct sam_packed *p, size_t tensor, const char *wrong,
                               struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_INPUT, "damaged in tensor '%.200s': %s",
                    p->container.weights.tensors[tensor].name, wrong);
}

struct sam_chunks_place sam_chunks_find(const struct sam_packed *p, size_t tensor)
{
    const struct sam_weight *w = &p->container.weights.tensors[tensor];
    struct sam_chunks_place place = {
        .piece = {.type = w->type, .layout = p->container.layouts[tensor]}};
    if (!w->size)
        return place;
    const struct sam_extent *extent = sam_extent_of(&p->container, tensor);
    const uint64_t *at = &p->chunk_at[extent->first_chunk];
    bool shared = place.piece.layout == SAM_LAYOUT_SHARED;
    place.piece.number = extent->piece;
    place.piece.count = shared ? extent->size : extent->size * 8 / sam_dtype_bits(w->type);
    place.first = shared ? w->offset - extent->offset : 0;
    place.offset = at[0];
    place.size = at[sam_extent_chunks(extent)] - at[0];
    return place;
}

/* Location of a chunk. */
struct place {
    struct sam_chunk_span span;
    uint64_t at;
    size_t size;
};

/* Locate chunk `number` of `extent` and check that its size is possible. `tensor` is for messages.
 */
static enum sam_status locate(const struct sam_packed *p, const struct sam_extent *extent,
                              uint64_t number, size_t tensor, struct place *place,
                              struct sam_error *error)
{
    const uint64_t *at = &p->chunk_at[extent->first_chunk + number];
    uint64_t length = at[1] - at[0];
    *place = (struct place){sam_extent_span(extent, number), at[0], (size_t)length};
    if (sam_chunk_size_fits(length, &place->span))
        return SAM_OK;
    return damaged(p, tensor, "impossible sizes", error);
}

/* Reads whole chunks. */
struct fetcher {
    const struct sam_packed *packed;
    struct sam_chunk_reader reader;
    uint8_t *room; /* for a chunk; NULL if the file is in memory */
    struct sam_chunk chunk;
    const uint8_t *data;
    uint64_t at; /* offset of the chunk in the file */
};

/* Open for chunks of the layouts in `layouts`, up to `count` elements and `most` bytes. */
static bool open_fetcher(struct fetcher *f, const struct sam_packed *p, uint32_t layouts,
                         size_t count, size_t most)
{
    const struct sam_allocator *allocator = p->options.allocator;
    *f = (struct fetcher){.packed = p};
    f->room = p->data ? NULL : sam_codec_alloc(allocator, most);
    if ((!p->data && !f->room) ||
        !sam_chunk_reader_open(&f->reader, p->ops, allocator, layouts, count))
        return false;
    f->reader.trusted = p->options.trusted;
    return true;
}

static void close_fetcher(struct fetcher *f)
{
    sam_codec_free(f->packed->options.allocator, f->room);
    sam_chunk_reader_close(&f->reader);
}

/* Fetch chunk `number` of `extent`. `tensor` is for messages. */
static enum sam_status fetch(struct fetcher *f, const struct sam_extent *extent, uint64_t number,
                             size_t tensor, struct sam_error *error)
{
    const struct sam_packed *p = f->packed;
    struct place place;
    enum sam_status status = locate(p, extent, number, tensor, &place, error);
    if (status != SAM_OK)
        return status;
    f->data = bytes_at(p, place.at, place.size, f->room, error);
    if (!f->data)
        return SAM_ERR_IO;
    const char *wrong = sam_chunk_parse(f->data, place.size, &place.span, &f->chunk);
    if (p->data) /* following chunks are readable, too */
        f->chunk.after = (size_t)(p->chunk_at[p->container.chunks] - place.at - place.size);
    return wrong ? damaged(p, tensor, wrong, error) : SAM_OK;
}

/* Find chunk `number` of `extent` and parse its header; its bytes are read as needed. */
static enum sam_status find(struct fetcher *f, const struct sam_extent *extent, uint64_t number,
                            size_t tensor, struct sam_error *error)
{
    const struct sam_packed *p = f->packed;
    struct place place;
    enum sam_status status = locate(p, extent, number, tensor, &place, error);
    if (status != SAM_OK)
        return status;
    size_t have = place.size < HEADER_GUESS ? place.size : HEADER_GUESS;
    const uint8_t *data = bytes_at(p, place.at, have, f->room, error);
    if (data && have < place.size && sam_chunk_header_size(data) > have) {
        have = sam_chunk_header_size(data) < place.size ? sam_chunk_header_size(data) : place.size;
        data = bytes_at(p, place.at, have, f->room, error);
    }
    if (!data)
        return SAM_ERR_IO;
    const char *wrong = sam_chunk_parse_header(data, have, place.size, &place.span, &f->chunk);
    if (wrong)
        return damaged(p, tensor, wrong, error);
    f->at = place.at;
    return SAM_OK;
}

/* `size` bytes at `offset` of the chunk found, in memory or read to `room` after its header and
 * `skip` more bytes. Returns NULL in .data with `error` set. */
static struct sam_chunk_bytes chunk_bytes(const struct fetcher *f, size_t offset, size_t size,
                                          size_t skip, struct sam_error *error)
{
    const struct sam_packed *p = f->packed;
    uint8_t *room = f->room ? f->room + SAM_CHUNK_GROWTH + skip : NULL;
    struct sam_chunk_bytes bytes = {.data = bytes_at(p, f->at + offset, size, room, error)};
    if (p->data)
        bytes.after = (size_t)(p->chunk_at[p->container.chunks] - f->at - offset - size);
    return bytes;
}

/* Decode the elements at bytes [first, end) of a block of windows to `out`: only the groups that
 * contain them. */
static enum sam_status read_groups(struct fetcher *f, size_t b, size_t first, size_t end,
                                   size_t tensor, uint8_t *block, uint8_t *out,
                                   struct sam_error *error)
{
    const struct sam_chunk *chunk = &f->chunk;
    const size_t group = (size_t)SAM_WINDOW_GROUP * sam_layout_of(chunk->span.layout)->element;
    const size_t from = first / group, to = (end + group - 1) / group;
    const size_t offset = chunk->block[b].offset;
    size_t table = sam_window_table_size(sam_chunk_block_elements(&chunk->span, b));
    struct sam_window w;
    table = table < chunk->block[b].size ? table : chunk->block[b].size;
    struct sam_chunk_bytes bytes = chunk_bytes(f, offset, table, 0, error);
    if (!bytes.data)
        return SAM_ERR_IO;
    const char *wrong = sam_window_parse(chunk, b, bytes.data, &w);
    if (wrong)
        return damaged(f->packed, tensor, wrong, error);
    const size_t at = sam_window_at(&w, from), size = sam_window_at(&w, to) - at;
    bytes = chunk_bytes(f, offset + at, size, table, error);
    if (!bytes.data)
        return SAM_ERR_IO;
    const bool whole = first % group == 0 && end % group == 0;
    wrong = sam_window_read(&f->reader, &w, from, to, bytes, whole ? out : block);
    if (wrong)
        return damaged(f->packed, tensor, wrong, error);
    if (!whole)
        memcpy(out, block + (first - from * group), end - first);
    return SAM_OK;
}

/* Decode the part of extent bytes [first, end) that lies in the chunk found. `block` has room for
 * one block. */
static enum sam_status read_range(struct fetcher *f, uint64_t first, uint64_t end, size_t tensor,
                                  uint8_t *block, uint8_t *out, struct sam_error *error)
{
    const struct sam_chunk_span *span = &f->chunk.span;
    unsigned element = sam_layout_of(span->layout)->element;
    enum sam_status status = SAM_OK;
    for (size_t b = 0; status == SAM_OK && b < sam_chunk_span_blocks(span); b++) {
        const uint64_t at = sam_chunk_block_at(span, b);
        const uint64_t after = at + sam_chunk_block_elements(span, b) * element;
        if (after <= first || at >= end)
            continue;
        const uint64_t from = at < first ? first : at, to = after < end ? after : end;
        const bool whole = from == at && to == after;
        if (!whole && f->chunk.block[b].mode == SAM_CHUNK_WINDOW) {
            status = read_groups(f, b, (size_t)(from - at), (size_t)(to - at), tensor, block,
                                 out + (from - first), error);
            continue;
        }
        const struct sam_chunk_bytes bytes =
            chunk_bytes(f, f->chunk.block[b].offset, f->chunk.block[b].size, 0, error);
        if (!bytes.data)
            return SAM_ERR_IO;
        const char *wrong = sam_chunk_read_bytes(&f->reader, &f->chunk, bytes, b,
                                                 whole ? out + (from - first) : block);
        if (wrong)
            return damaged(f->packed, tensor, wrong, error);
        if (!whole)
            memcpy(out + (from - first), block + (from - at), (size_t)(to - from));
    }
    return status;
}

enum sam_status sam_packed_read(const struct sam_packed *p, size_t tensor, uint64_t first,
                                uint64_t size, void *out, struct sam_error *error)
{
    if (!p || (!out && size))
        return sam_fail_null(error, p ? "out" : "packed");
    const struct sam_container *c = &p->container;
    if (tensor >= c->weights.count || first > c->weights.tensors[tensor].size ||
        size > c->weights.tensors[tensor].size - first)
        return sam_fail(error, SAM_ERR_USAGE, "the range exceeds the tensor");
    if (!size)
        return SAM_OK;
    const struct sam_extent *extent = sam_extent_of(c, tensor);
    struct sam_chunk_span whole = sam_extent_span(extent, 0);
    unsigned element = sam_layout_of(whole.layout)->element;
    size_t longest = whole.count < SAM_CHUNK_BLOCK_SIZE ? whole.count : SAM_CHUNK_BLOCK_SIZE;
    struct fetcher f;
    bool opened = open_fetcher(&f, p, 1u << whole.layout, longest,
                               sam_chunk_bound(whole.layout, whole.count) + SAM_CHUNK_GROWTH);
    uint8_t *block = sam_codec_alloc(p->options.allocator, longest * element);
    enum sam_status status = opened && block ? SAM_OK : sam_fail_memory(error);
    uint64_t chunk_size = (uint64_t)SAM_CHUNK * element;
    first += c->weights.tensors[tensor].offset - extent->offset;
    for (uint64_t n = first / chunk_size; status == SAM_OK && n * chunk_size < first + size; n++) {
        status = find(&f, extent, n, tensor, error);
        if (status == SAM_OK)
            status = read_range(&f, first, first + size, tensor, block, out, error);
    }
    sam_codec_free(p->options.allocator, block);
    close_fetcher(&f);
    return status;
}

enum sam_status sam_packed_stat(const struct sam_packed *p, size_t tensor,
                                struct sam_packed_stat *stat, struct sam_error *error)
{
    if (!p || !stat)
        return sam_fail_null(error, p ? "stat" : "packed");
    const struct sam_container *c = &p->container;
    if (tensor >= c->weights.count)
        return sam_fail(error, SAM_ERR_USAGE, "tensor %zu does not exist", tensor);
    struct sam_extent_stat whole = {0};
    enum sam_status status = SAM_OK;
    if (c->weights.tensors[tensor].size) {
        const struct sam_extent *extent = sam_extent_of(c, tensor);
        struct fetcher f = {.packed = p};
        f.room = p->data ? NULL : sam_codec_alloc(p->options.allocator, SAM_CHUNK_GROWTH);
        if (!p->data && !f.room)
            return sam_fail_memory(error);
        for (uint64_t n = 0; status == SAM_OK && n < sam_extent_chunks(extent); n++) {
            status = find(&f, extent, n, tensor, error);
            if (status == SAM_OK)
                sam_extent_count(&whole, &f.chunk);
        }
        sam_codec_free(p->options.allocator, f.room);
    }
    if (status == SAM_OK)
        sam_piece_stat(c, tensor, &whole, stat);
    return status;
}

/* --- the whole file, one work item per chunk */
struct restoring {
    struct fetcher *fetchers; /* one per thread */
    uint8_t *file;
    atomic_flag failed;
    struct sam_error error; /* of the first failing chunk */
    enum sam_status status;
};

static void restore_chunk(void *context, size_t i, unsigned worker)
{
    struct restoring *r = context;
    struct fetcher *f = &r->fetchers[worker];
    const struct sam_extent *extent = sam_extent_at(&f->packed->container, i);
    struct sam_error error = {0};
    enum sam_status status = fetch(f, extent, i - extent->first_chunk, extent->piece, &error);
    const struct sam_chunk_span *span = &f->chunk.span;
    for (size_t b = 0; status == SAM_OK && b < sam_chunk_span_blocks(span); b++) {
        uint8_t *out = r->file + extent->offset + sam_chunk_block_at(span, b);
        const char *wrong = sam_chunk_read(&f->reader, &f->chunk, f->data, b, out);
        if (wrong)
            status = damaged(f->packed, extent->piece, wrong, &error);
    }
    if (status != SAM_OK && !atomic_flag_test_and_set(&r->failed)) {
        r->status = status;
        r->error = error;
    }
}

enum sam_status sam_packed_restore(const struct sam_packed *p, void *file, struct sam_error *error)
{
    if (!p || (!file && p->container.weights.file_size))
        return sam_fail_null(error, p ? "file" : "packed");
    const struct sam_container *c = &p->container;
    const struct sam_allocator *allocator = p->options.allocator;
    unsigned threads = p->options.threads > SAM_MAX_THREADS ? SAM_MAX_THREADS : p->options.threads;
    threads = !threads ? 1 : threads > c->chunks ? (unsigned)c->chunks + !c->chunks : threads;
    struct restoring r = {.file = file, .failed = ATOMIC_FLAG_INIT};
    r.fetchers = sam_codec_alloc(allocator, threads * sizeof *r.fetchers);
    if (!r.fetchers)
        return sam_fail_memory(error);
    unsigned opened = 0;
    while (opened < threads && r.status == SAM_OK)
        if (!open_fetcher(&r.fetchers[opened++], p, c->layout_set, c->span_elements,
                          c->chunk_bound + SAM_CHUNK_GROWTH))
            r.status = sam_fail_memory(&r.error);
    for (unsigned i = 0; i < opened && c->weights.file_size >= STREAMED; i++)
        r.fetchers[i].reader.stream = true;
    if (r.status == SAM_OK) {
        if (file && c->weights.header_size)
            memcpy(file, sam_packed_header(p), (size_t)c->weights.header_size);
        sam_parallel(threads, (size_t)c->chunks, restore_chunk, &r);
    }
    if (r.status != SAM_OK && error)
        *error = r.error;
    while (opened > 0)
        close_fetcher(&r.fetchers[--opened]);
    sam_codec_free(allocator, r.fetchers);
    return r.status;
}

enum sam_status sam_unpack(const void *packed, size_t size, const struct sam_codec_options *options,
                           void *file, size_t room, struct sam_error *error)
{
    struct sam_packed *p = NULL;
    enum sam_status status = sam_packed_open(packed, size, options, &p, error);
    if (!p)
        return status;
    if (p->container.weights.file_size > room)
        status = sam_fail(error, SAM_ERR_USAGE, "no room for the file in %zu bytes", room);
    else
        status = sam_packed_restore(p, file, error);
    sam_packed_close(p);
    return status;
}
