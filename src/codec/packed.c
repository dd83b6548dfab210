/* SPDX-License-Identifier: Apache-2.0 */
/* A packed file in memory: any tensor, any range of it, all of it. */
#include "codec/container.h"

#include <stdatomic.h>

struct sam_packed {
    struct sam_codec_options options;
    const struct sam_codec_ops *ops;
    const uint8_t *data;
    struct sam_container container;
    bool has_container;
    uint64_t *chunk_at;    /* where each chunk begins; one more: where the last one ends */
    uint64_t *first_chunk; /* of each piece */
};

static const struct sam_codec_options no_options;

static uint64_t chunks_of(const struct sam_container *c, size_t piece)
{
    uint64_t size =
        (uint64_t)sam_layout_of((enum sam_layout_id)c->layouts[piece])->element * SAM_CHUNK;
    return c->weights.tensors[piece].size / size + (c->weights.tensors[piece].size % size != 0);
}

static enum sam_status read_index(struct sam_packed *p, uint64_t first, size_t size,
                                  struct sam_error *error)
{
    const struct sam_container *c = &p->container;
    const uint8_t *trailer = p->data + size - SAM_TRAILER;
    struct sam_end end;
    const char *wrong = sam_trailer_parse(trailer, size, &end);
    if (!wrong &&
        (end.chunks != c->chunks || !sam_index_check(p->data + end.index, end.chunks, trailer)))
        wrong = "an index that is not that of the file";
    if (wrong)
        return sam_fail(error, SAM_ERR_INPUT, "damaged: %s", wrong);
    p->chunk_at = sam_codec_alloc(p->options.allocator, (size_t)(c->chunks + 1) * 8);
    p->first_chunk = sam_codec_alloc(p->options.allocator, (c->weights.count + 1) * 8);
    if (!p->chunk_at || !p->first_chunk)
        return sam_fail_memory(error);
    p->chunk_at[0] = first;
    for (uint64_t i = 0; i < end.chunks; i++)
        p->chunk_at[i + 1] = p->chunk_at[i] + sam_le32(p->data + end.index + 4 * i);
    if (p->chunk_at[end.chunks] != end.index)
        return sam_fail(error, SAM_ERR_INPUT, "damaged: the index does not add up");
    p->first_chunk[0] = 0;
    for (size_t i = 0; i < c->weights.count; i++)
        p->first_chunk[i + 1] = p->first_chunk[i] + chunks_of(c, i);
    return SAM_OK;
}

enum sam_status sam_unpack_size(const void *packed, size_t size, uint64_t *file_size,
                                struct sam_error *error)
{
    struct sam_start start;
    if (!packed || !file_size)
        return sam_codec_null(packed ? "file_size" : "packed", error);
    const char *wrong = size < SAM_HEADER ? "truncated" : sam_start_parse(packed, &start);
    if (wrong)
        return sam_fail(error, SAM_ERR_INPUT, "%s", wrong);
    *file_size = start.file_size;
    return SAM_OK;
}

enum sam_status sam_packed_open(const void *data, size_t size,
                                const struct sam_codec_options *options, struct sam_packed **packed,
                                struct sam_error *error)
{
    struct sam_start start;
    if (!packed || !data)
        return sam_codec_null(packed ? "data" : "packed", error);
    *packed = NULL;
    enum sam_status status = sam_codec_check(options, error);
    if (status != SAM_OK)
        return status;
    const char *wrong = size < SAM_HEADER + SAM_TRAILER ? "not a packed file, or truncated"
                                                        : sam_start_parse(data, &start);
    if (!wrong && start.total > size - SAM_TRAILER)
        wrong = "truncated in the list of tensors";
    if (wrong)
        return sam_fail(error, SAM_ERR_INPUT, "%s", wrong);
    struct sam_packed *p = sam_codec_alloc(options ? options->allocator : NULL, sizeof *p);
    if (!p)
        return sam_fail_memory(error);
    *p = (struct sam_packed){.options = options ? *options : no_options, .data = data};
    p->ops = sam_codec_ops(p->options.level);
    status = sam_container_parse(&start, data, &p->options, &p->container, error);
    p->has_container = status == SAM_OK;
    if (status == SAM_OK)
        status = read_index(p, start.total, size, error);
    if (status == SAM_OK)
        *packed = p;
    else
        sam_packed_close(p);
    return status;
}

void sam_packed_close(struct sam_packed *p)
{
    if (!p)
        return;
    const struct sam_allocator *allocator = p->options.allocator;
    sam_codec_free(allocator, p->chunk_at);
    sam_codec_free(allocator, p->first_chunk);
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
    return p ? p->data + SAM_HEADER : NULL;
}

size_t sam_packed_find(const struct sam_packed *p, const char *name)
{
    for (size_t i = 0; p && name && i < p->container.weights.count; i++)
        if (strcmp(p->container.weights.tensors[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static struct sam_span span_of(const struct sam_packed *p, size_t tensor, uint64_t chunk)
{
    const struct sam_container *c = &p->container;
    enum sam_layout_id id = (enum sam_layout_id)c->layouts[tensor];
    uint64_t elements = c->weights.tensors[tensor].size / sam_layout_of(id)->element;
    uint64_t first = chunk * SAM_CHUNK, left = elements - first;
    return (struct sam_span){id, (uint32_t)tensor, first,
                             left < SAM_CHUNK ? (size_t)left : SAM_CHUNK};
}

static const char *parse_chunk(const struct sam_packed *p, size_t tensor, uint64_t number,
                               struct sam_chunk *chunk, const uint8_t **data)
{
    struct sam_span span = span_of(p, tensor, number);
    const uint64_t *at = &p->chunk_at[p->first_chunk[tensor] + number];
    *data = p->data + at[0];
    const char *wrong = sam_chunk_parse(*data, (size_t)(at[1] - at[0]), &span, chunk);
    chunk->behind = (size_t)(p->chunk_at[p->container.chunks] - at[1]);
    return wrong;
}

static enum sam_status damaged(const struct sam_packed *p, size_t tensor, const char *wrong,
                               struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_INPUT, "damaged in tensor '%.200s': %s",
                    p->container.weights.tensors[tensor].name, wrong);
}

/* What there is of the range in one chunk. `block` has room for a block. */
static const char *read_chunk(const struct sam_packed *p, struct sam_chunk_reader *reader,
                              size_t tensor, uint64_t number, uint64_t first, uint64_t end,
                              uint8_t *block, uint8_t *out)
{
    struct sam_chunk chunk;
    const uint8_t *data;
    const char *wrong = parse_chunk(p, tensor, number, &chunk, &data);
    unsigned element = sam_layout_of(chunk.span.layout)->element;
    for (size_t b = 0; !wrong && b < sam_span_blocks(&chunk.span); b++) {
        uint64_t at = (chunk.span.first + b * SAM_BLOCK) * element;
        uint64_t behind = at + sam_block_elements(&chunk.span, b) * element;
        if (behind <= first || at >= end)
            continue;
        if (at >= first && behind <= end) {
            wrong = sam_chunk_read(reader, &chunk, data, b, out + (at - first));
            continue;
        }
        wrong = sam_chunk_read(reader, &chunk, data, b, block);
        uint64_t from = at < first ? first : at, to = behind < end ? behind : end;
        if (!wrong)
            memcpy(out + (from - first), block + (from - at), (size_t)(to - from));
    }
    return wrong;
}

enum sam_status sam_packed_read(const struct sam_packed *p, size_t tensor, uint64_t first,
                                uint64_t size, void *out, struct sam_error *error)
{
    if (!p || (!out && size))
        return sam_codec_null(p ? "out" : "packed", error);
    const struct sam_container *c = &p->container;
    if (tensor >= c->weights.count || first > c->weights.tensors[tensor].size ||
        size > c->weights.tensors[tensor].size - first)
        return sam_fail(error, SAM_ERR_USAGE, "a range outside the tensor");
    if (!size)
        return SAM_OK;
    struct sam_span whole = span_of(p, tensor, 0);
    unsigned element = sam_layout_of(whole.layout)->element;
    size_t longest = whole.count < SAM_BLOCK ? whole.count : SAM_BLOCK;
    struct sam_chunk_reader reader;
    const struct sam_allocator *allocator = p->options.allocator;
    if (!sam_chunk_reader_open(&reader, p->ops, allocator, 1u << whole.layout, longest))
        return sam_fail_memory(error);
    uint8_t *block = sam_codec_alloc(allocator, longest * element);
    enum sam_status status = block ? SAM_OK : sam_fail_memory(error);
    uint64_t chunk_size = (uint64_t)SAM_CHUNK * element;
    for (uint64_t n = first / chunk_size; status == SAM_OK && n * chunk_size < first + size; n++) {
        const char *wrong = read_chunk(p, &reader, tensor, n, first, first + size, block, out);
        if (wrong)
            status = damaged(p, tensor, wrong, error);
    }
    sam_codec_free(allocator, block);
    sam_chunk_reader_close(&reader);
    return status;
}

enum sam_status sam_packed_stat(const struct sam_packed *p, size_t tensor,
                                struct sam_packed_stat *stat, struct sam_error *error)
{
    if (!p || !stat)
        return sam_codec_null(p ? "stat" : "packed", error);
    if (tensor >= p->container.weights.count)
        return sam_fail(error, SAM_ERR_USAGE, "there is no tensor %zu", tensor);
    enum sam_layout_id id = (enum sam_layout_id)p->container.layouts[tensor];
    uint32_t coded = 0;
    *stat = (struct sam_packed_stat){.planes = sam_layout_of(id)->plane_count,
                                     .layout = sam_layout_name(id)};
    for (uint64_t n = 0; n < chunks_of(&p->container, tensor); n++) {
        struct sam_chunk chunk;
        const uint8_t *data;
        const char *wrong = parse_chunk(p, tensor, n, &chunk, &data);
        if (wrong)
            return damaged(p, tensor, wrong, error);
        stat->packed += chunk.size;
        coded |= chunk.has_code;
        for (size_t b = 0; b < sam_span_blocks(&chunk.span); b++, stat->blocks++)
            stat->verbatim += chunk.block[b].mode == SAM_BLOCK_VERBATIM;
    }
    stat->coded = (unsigned)__builtin_popcount(coded);
    return SAM_OK;
}

/* --- all of it: each chunk is one piece of work */
struct restoring {
    const struct sam_packed *packed;
    struct sam_chunk_reader *readers;
    uint8_t *file;
    atomic_flag found_damage;
    size_t damaged_tensor;
    const char *wrong;
};

/* The piece that chunk `number` belongs to. */
static size_t piece_of(const struct sam_packed *p, uint64_t number)
{
    size_t low = 0, high = p->container.weights.count - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (p->first_chunk[middle] <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void restore_chunk(void *context, size_t i, unsigned worker)
{
    struct restoring *r = context;
    const struct sam_packed *p = r->packed;
    size_t tensor = piece_of(p, i);
    struct sam_chunk chunk;
    const uint8_t *data;
    const char *wrong = parse_chunk(p, tensor, i - p->first_chunk[tensor], &chunk, &data);
    unsigned element = sam_layout_of(chunk.span.layout)->element;
    uint8_t *out =
        r->file + p->container.weights.tensors[tensor].offset + chunk.span.first * element;
    for (size_t b = 0; !wrong && b < sam_span_blocks(&chunk.span); b++)
        wrong = sam_chunk_read(&r->readers[worker], &chunk, data, b, out + b * SAM_BLOCK * element);
    if (wrong && !atomic_flag_test_and_set(&r->found_damage)) {
        r->wrong = wrong;
        r->damaged_tensor = tensor;
    }
}

enum sam_status sam_packed_restore(const struct sam_packed *p, void *file, struct sam_error *error)
{
    if (!p || (!file && p->container.weights.file_size))
        return sam_codec_null(p ? "file" : "packed", error);
    const struct sam_container *c = &p->container;
    const struct sam_allocator *allocator = p->options.allocator;
    unsigned threads = p->options.threads > SAM_MAX_THREADS ? SAM_MAX_THREADS : p->options.threads;
    threads = !threads ? 1 : threads > c->chunks ? (unsigned)c->chunks + !c->chunks : threads;
    struct restoring r = {.packed = p, .file = file, .found_damage = ATOMIC_FLAG_INIT};
    r.readers = sam_codec_alloc(allocator, threads * sizeof *r.readers);
    if (!r.readers)
        return sam_fail_memory(error);
    enum sam_status status = SAM_OK;
    unsigned opened = 0;
    for (; opened < threads && status == SAM_OK; opened++)
        if (!sam_chunk_reader_open(&r.readers[opened], p->ops, allocator, c->layout_set,
                                   c->span_elements))
            status = sam_fail_memory(error);
    if (status == SAM_OK) {
        memcpy(file, sam_packed_header(p), (size_t)c->weights.header_size);
        sam_parallel(threads, (size_t)c->chunks, restore_chunk, &r);
        if (r.wrong)
            status = damaged(p, r.damaged_tensor, r.wrong, error);
    }
    while (opened > 0)
        sam_chunk_reader_close(&r.readers[--opened]);
    sam_codec_free(allocator, r.readers);
    return status;
}

enum sam_status sam_unpack(const void *packed, size_t size, const struct sam_codec_options *options,
                           void *file, size_t room, struct sam_error *error)
{
    struct sam_packed *p;
    enum sam_status status = sam_packed_open(packed, size, options, &p, error);
    if (status != SAM_OK)
        return status;
    if (p->container.weights.file_size > room)
        status = sam_fail(error, SAM_ERR_USAGE, "no room for the file in %zu bytes", room);
    else
        status = sam_packed_restore(p, file, error);
    sam_packed_close(p);
    return status;
}
