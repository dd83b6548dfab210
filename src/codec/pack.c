/* SPDX-License-Identifier: Apache-2.0 */
/* Packing, streaming and one-shot. The packer gathers the elements of as many chunks as it has
 * slots, then makes the chunks in parallel, one thread per chunk. */
#include "codec/part.h"

#include <stdlib.h>

enum { SLOTS_A_THREAD = 2, SERIAL_BYTES = 1 << 18 };

struct slot {
    struct sam_chunk_span span;
    const uint8_t *elements; /* the caller's, or `gathered` */
    uint8_t *gathered;
    uint8_t *out; /* destination, or `made` */
    uint8_t *made;
    size_t size; /* bytes of elements, then of the made chunk */
};

struct sam_packer {
    struct sam_codec_options options;
    struct sam_container container;
    struct sam_sink sink;
    struct sam_buffer start;        /* bytes before the first chunk; later index and trailer */
    struct sam_chunk_maker *makers; /* one per thread */
    unsigned threads;
    struct slot *slots;
    size_t slot_count, slots_used;
    struct sam_cursor cursor;
    struct sam_part part; /* the packed part; a whole file is part 0 of 1 */
    bool is_part;         /* write it as a part */
    uint64_t hash;        /* over the chunks of a part */
    uint64_t received;    /* position of the next input byte in the file */
    uint64_t start_size;
    size_t wanted; /* bytes of the chunk being gathered; 0: none */
    size_t gathered;
    struct sam_buffer sizes;       /* chunk sizes, as in the index */
    struct sam_extent_stat *stats; /* per extent */
    bool failed, finished;
};

static void make_slot(void *context, size_t i, unsigned worker)
{
    struct sam_packer *p = context;
    struct slot *slot = &p->slots[i];
    slot->size = sam_chunk_make(&p->makers[worker], &slot->span, slot->elements, slot->out);
}

static enum sam_status emit(struct sam_packer *p, const void *data, size_t size,
                            struct sam_error *error)
{
    if (p->sink.write(p->sink.context, data, size))
        return SAM_OK;
    return sam_fail(error, SAM_ERR_IO, "cannot write the packed file");
}

static void make_slots(struct sam_packer *p)
{
    size_t bytes = 0;
    for (size_t i = 0; i < p->slots_used; i++)
        bytes += p->slots[i].size;
    sam_parallel(bytes < SERIAL_BYTES ? 1 : p->threads, p->slots_used, make_slot, p);
}

/* Record the size of a finished chunk and add it to the statistics of its extent. */
static enum sam_status account(struct sam_packer *p, const struct slot *slot,
                               struct sam_error *error)
{
    uint64_t number = p->part.first_chunk + p->sizes.size / sizeof(uint32_t);
    struct sam_chunk chunk;
    uint8_t word[4];
    sam_put_le32(word, (uint32_t)slot->size);
    if (!sam_buffer_append(&p->sizes, word, sizeof word))
        return sam_fail_memory(error);
    sam_chunk_parse(slot->out, slot->size, &slot->span, &chunk);
    sam_extent_count(&p->stats[sam_extent_at(&p->container, number) - p->container.extents],
                     &chunk);
    return SAM_OK;
}

/* Make chunks of the gathered elements and write them. */
static enum sam_status flush(struct sam_packer *p, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    make_slots(p);
    for (size_t i = 0; i < p->slots_used && status == SAM_OK; i++) {
        status = account(p, &p->slots[i], error);
        if (status == SAM_OK)
            status = emit(p, p->slots[i].out, p->slots[i].size, error);
        if (p->is_part)
            p->hash = sam_part_hash(p->hash, p->slots[i].out, p->slots[i].size);
    }
    p->slots_used = 0;
    return status;
}

static void packer_free(struct sam_packer *p)
{
    const struct sam_allocator *allocator = p->options.allocator;
    for (size_t i = 0; p->slots && i < p->slot_count; i++) {
        sam_codec_free(allocator, p->slots[i].gathered);
        sam_codec_free(allocator, p->slots[i].made);
    }
    for (unsigned i = 0; p->makers && i < p->threads; i++)
        sam_chunk_maker_close(&p->makers[i]);
    sam_codec_free(allocator, p->makers);
    sam_codec_free(allocator, p->slots);
    sam_codec_free(allocator, p->stats);
    sam_buffer_free(&p->sizes);
    sam_container_free(&p->container);
    sam_buffer_free(&p->start);
}

/* Set up threads, slots without buffers, and storage for the sizes. */
static enum sam_status packer_init(struct sam_packer *p, const struct sam_weights *weights,
                                   const struct sam_codec_options *options, struct sam_error *error)
{
    p->options = *options;
    const struct sam_allocator *allocator = p->options.allocator;
    enum sam_status status = sam_container_plan(weights, &p->options, &p->container, error);
    if (status != SAM_OK)
        return status;
    struct sam_container *c = &p->container;
    uint64_t useful = c->chunks ? c->chunks : 1;
    p->threads = p->options.threads > SAM_MAX_THREADS ? SAM_MAX_THREADS : p->options.threads;
    p->threads = !p->threads ? 1 : p->threads > useful ? (unsigned)useful : p->threads;
    p->slot_count = p->threads > 1 ? (size_t)p->threads * SLOTS_A_THREAD : 1;
    p->stats = sam_codec_alloc(allocator, c->extent_count * sizeof *p->stats);
    p->slots = sam_codec_alloc(allocator, p->slot_count * sizeof *p->slots);
    p->makers = sam_codec_alloc(allocator, p->threads * sizeof *p->makers);
    if (p->slots)
        memset(p->slots, 0, p->slot_count * sizeof *p->slots);
    if (p->makers)
        memset(p->makers, 0, p->threads * sizeof *p->makers);
    if (p->stats)
        memset(p->stats, 0, c->extent_count * sizeof *p->stats);
    if (!p->stats || !p->slots || !p->makers)
        return sam_fail_memory(error);
    const struct sam_codec_ops *ops = sam_codec_ops(p->options.level);
    for (unsigned i = 0; i < p->threads; i++)
        if (!sam_chunk_maker_open(&p->makers[i], ops, allocator, c->layout_set, c->span_elements))
            return sam_fail_memory(error);
    for (unsigned i = 0; i < p->threads; i++) {
        p->makers[i].restart = p->options.restart;
        p->makers[i].window = p->options.window;
    }
    return SAM_OK;
}

/* Allocate the slots' buffers, for elements or chunks or both. */
static bool give_buffers(struct sam_packer *p, bool elements, bool chunks)
{
    for (size_t i = 0; i < p->slot_count; i++) {
        struct slot *slot = &p->slots[i];
        if (elements)
            slot->gathered = sam_codec_alloc(p->options.allocator, p->container.span_bytes);
        if (chunks)
            slot->made =
                sam_codec_alloc(p->options.allocator, p->container.chunk_bound + SAM_CHUNK_SLACK);
        if ((elements && !slot->gathered) || (chunks && !slot->made))
            return false;
        slot->elements = slot->gathered;
        slot->out = slot->made;
    }
    return true;
}

/* Open for part `index` of `count`; count 0 is the whole file. */
static enum sam_status open_packer(const struct sam_weights *weights, unsigned index,
                                   unsigned count, const struct sam_codec_options *options,
                                   struct sam_sink sink, struct sam_packer **packer,
                                   struct sam_error *error)
{
    if (!sink.write)
        return sam_fail(error, SAM_ERR_USAGE, "the sink's write is NULL");
    struct sam_codec_options taken;
    enum sam_status status = sam_codec_options_take(&taken, options, error);
    if (status != SAM_OK)
        return status;
    struct sam_packer *p = sam_codec_alloc(taken.allocator, sizeof *p);
    if (!p)
        return sam_fail_memory(error);
    *p = (struct sam_packer){.sink = sink, .is_part = count > 0};
    status = packer_init(p, weights, &taken, error);
    if (status == SAM_OK) {
        p->part = sam_part_of(&p->container, index, count ? count : 1);
        p->cursor = p->part.cursor;
    }
    if (status == SAM_OK && !give_buffers(p, true, true))
        status = sam_fail_memory(error);
    if (status == SAM_OK)
        *packer = p;
    else
        sam_packer_close(p);
    return status;
}

enum sam_status sam_packer_open(const struct sam_weights *weights,
                                const struct sam_codec_options *options, struct sam_sink sink,
                                struct sam_packer **packer, struct sam_error *error)
{
    if (!packer)
        return sam_fail_null(error, "packer");
    *packer = NULL;
    return open_packer(weights, 0, 0, options, sink, packer, error);
}

enum sam_status sam_packer_open_part(const struct sam_weights *weights, unsigned part,
                                     unsigned parts, const struct sam_codec_options *options,
                                     struct sam_sink sink, struct sam_packer **packer,
                                     struct sam_error *error)
{
    if (!packer)
        return sam_fail_null(error, "packer");
    *packer = NULL;
    if (part >= parts || parts > SAM_MAX_PARTS)
        return sam_fail(error, SAM_ERR_USAGE, "part %u of %u: expected parts 0 to %d - 1", part,
                        parts, SAM_MAX_PARTS);
    return open_packer(weights, part, parts, options, sink, packer, error);
}

void sam_packer_range(const struct sam_packer *p, uint64_t *first, uint64_t *end)
{
    *first = p ? p->part.first : 0;
    *end = p ? p->part.end : 0;
}

void sam_packer_close(struct sam_packer *packer)
{
    if (!packer)
        return;
    const struct sam_allocator *allocator = packer->options.allocator;
    packer_free(packer);
    sam_codec_free(allocator, packer);
}

/* Write the bytes before the chunks, once the verbatim header is complete. */
static enum sam_status begin(struct sam_packer *p, struct sam_error *error)
{
    struct sam_buffer out = {0}, before = {0};
    sam_container_start(&p->container, (const uint8_t *)sam_buffer_text(&p->start), &out);
    if (p->is_part)
        sam_part_begin(&p->part, sam_part_chunks(&p->container, &p->part), out.size, &before);
    enum sam_status status = out.failed || before.failed ? sam_fail_memory(error) : SAM_OK;
    if (status == SAM_OK && before.size)
        status = emit(p, before.data, before.size, error);
    if (status == SAM_OK)
        status = emit(p, out.data, out.size, error);
    p->start_size = out.size;
    sam_buffer_free(&out);
    sam_buffer_free(&before);
    sam_buffer_free(&p->start);
    return status;
}

/* Gather element bytes into the slots. Returns the bytes taken. */
static size_t gather(struct sam_packer *p, const uint8_t *data, size_t size)
{
    struct slot *slot = &p->slots[p->slots_used];
    uint64_t offset;
    if (!p->wanted) {
        if (!sam_chunk_next_span(&p->container, &p->cursor, &slot->span, &offset))
            return 0;
        p->wanted = slot->span.count * sam_layout_of(slot->span.layout)->element;
        p->gathered = 0;
    }
    size_t take = p->wanted - p->gathered < size ? p->wanted - p->gathered : size;
    memcpy(slot->gathered + p->gathered, data, take);
    p->gathered += take;
    if (p->gathered == p->wanted) {
        slot->size = p->wanted;
        p->wanted = 0;
        p->slots_used++;
    }
    return take;
}

/* Input bytes still expected: of the verbatim header, then of the part. */
static uint64_t bytes_left(const struct sam_packer *p)
{
    uint64_t header = p->container.weights.header_size;
    return p->received < header          ? header - p->received + (p->part.end - p->part.first)
           : p->received < p->part.first ? p->part.end - p->part.first
                                         : p->part.end - p->received;
}

static enum sam_status write_some(struct sam_packer *p, const uint8_t *data, size_t size,
                                  struct sam_error *error)
{
    uint64_t header = p->container.weights.header_size, left = bytes_left(p);
    enum sam_status status = SAM_OK;
    if (size > left)
        return sam_fail(error, SAM_ERR_INPUT, "more bytes than the declared file size (%llu)",
                        (unsigned long long)p->container.weights.file_size);
    while (size && status == SAM_OK) {
        size_t taken;
        if (p->received < header) {
            taken = header - p->received < size ? (size_t)(header - p->received) : size;
            if (!sam_buffer_append(&p->start, data, taken))
                return sam_fail_memory(error);
        } else {
            if (!p->start_size)
                status = begin(p, error);
            if (p->received < p->part.first)
                p->received = p->part.first;
            taken = status == SAM_OK ? gather(p, data, size) : 0;
        }
        if (status == SAM_OK && p->slots_used == p->slot_count)
            status = flush(p, error);
        p->received += taken;
        data += taken;
        size -= taken;
    }
    return status;
}

enum sam_status sam_packer_write(struct sam_packer *p, const void *data, size_t size,
                                 struct sam_error *error)
{
    if (!p || (!data && size))
        return sam_fail_null(error, p ? "data" : "packer");
    if (p->failed)
        return sam_fail(error, SAM_ERR_USAGE, "the packer has failed before");
    enum sam_status status = write_some(p, data, size, error);
    p->failed = status != SAM_OK;
    return status;
}

enum sam_status sam_packer_finish(struct sam_packer *p, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    struct sam_buffer end = {0};
    if (!p)
        return sam_fail_null(error, "packer");
    if (p->failed)
        return sam_fail(error, SAM_ERR_USAGE, "the packer has failed before");
    p->failed = true; /* no input may follow the end */
    if (bytes_left(p))
        return sam_fail(error, SAM_ERR_INPUT, "truncated: %llu of %llu bytes",
                        (unsigned long long)p->received, (unsigned long long)p->part.end);
    if (!p->start_size)
        status = begin(p, error);
    if (status == SAM_OK)
        status = flush(p, error);
    if (status != SAM_OK)
        return status;
    if (p->is_part)
        sam_part_end(&p->sizes, p->start_size, p->hash, &end);
    else
        sam_container_end(&p->sizes, p->start_size, &end);
    status = end.failed ? sam_fail_memory(error) : emit(p, end.data, end.size, error);
    sam_buffer_free(&end);
    p->finished = status == SAM_OK;
    return status;
}

const struct sam_weights *sam_packer_weights(const struct sam_packer *p)
{
    return p ? &p->container.weights : NULL;
}

enum sam_status sam_packer_stat(const struct sam_packer *p, size_t tensor,
                                struct sam_packed_stat *stat, struct sam_error *error)
{
    if (!p || !stat)
        return sam_fail_null(error, p ? "stat" : "packer");
    const struct sam_container *c = &p->container;
    if (!p->finished || p->is_part || tensor >= c->weights.count)
        return sam_fail(error, SAM_ERR_USAGE,
                        !p->finished ? "tensor %zu: packing is not done"
                        : p->is_part ? "tensor %zu: only a part of the file was packed"
                                     : "tensor %zu does not exist",
                        tensor);
    const struct sam_extent_stat *whole = NULL;
    if (c->weights.tensors[tensor].size)
        whole = &p->stats[sam_extent_of(c, tensor) - c->extents];
    sam_piece_stat(c, tensor, whole, stat);
    return SAM_OK;
}

/* --- one shot */
uint64_t sam_pack_bound(const struct sam_weights *weights)
{
    /* Bit planes have the largest tables. */
    const struct sam_codec_options options = {.bit_planes = true};
    struct sam_container c;
    if (sam_container_plan(weights, &options, &c, NULL) != SAM_OK)
        return 0;
    unsigned __int128 size = SAM_HEADER + SAM_TRAILER + 2 * SAM_ALIGN;
    size += (unsigned __int128)c.weights.header_size + sam_index_size(c.chunks) + SAM_CHUNK_SLACK;
    for (size_t i = 0; i < c.weights.count; i++)
        size += 48 + strlen(c.weights.tensors[i].name) + 10 * c.weights.tensors[i].rank;
    for (size_t i = 0; i < c.extent_count; i++) {
        enum sam_layout_id id = c.extents[i].layout;
        uint64_t elements = c.extents[i].size / sam_layout_of(id)->element;
        size += (unsigned __int128)(elements / SAM_CHUNK) * sam_chunk_bound(id, SAM_CHUNK);
        size += sam_chunk_bound(id, (size_t)(elements % SAM_CHUNK));
    }
    sam_container_free(&c);
    return size > UINT64_MAX ? 0 : (uint64_t)size;
}

struct memory {
    uint8_t *data;
    size_t room, size;
};

static bool put(struct memory *out, const void *data, size_t size)
{
    if (size > out->room - out->size)
        return false;
    if (size)
        memcpy(out->data + out->size, data, size);
    out->size += size;
    return true;
}

static enum sam_status no_room(const struct memory *out, struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_USAGE, "no room for the packed file in %zu bytes", out->room);
}

/* Make chunks directly from `file`, and with one thread and enough room directly into `out`. */
static enum sam_status pack_chunks(struct sam_packer *p, const uint8_t *file, struct memory *out,
                                   struct sam_error *error)
{
    uint64_t offset;
    bool more = true;
    while (more) {
        struct slot *slot = &p->slots[p->slots_used];
        more = sam_chunk_next_span(&p->container, &p->cursor, &slot->span, &offset);
        if (more) {
            slot->elements = file + offset;
            slot->size = slot->span.count * sam_layout_of(slot->span.layout)->element;
            p->slots_used++;
        }
        if (more && p->slots_used < p->slot_count)
            continue;
        size_t need = p->container.chunk_bound + SAM_CHUNK_SLACK;
        bool direct = p->slot_count == 1 && out->room - out->size >= need;
        for (size_t i = 0; i < p->slots_used; i++)
            p->slots[i].out = direct ? out->data + out->size : p->slots[i].made;
        make_slots(p);
        for (size_t i = 0; i < p->slots_used; i++) {
            enum sam_status status = account(p, &p->slots[i], error);
            if (status != SAM_OK)
                return status;
            if (direct)
                out->size += p->slots[i].size;
            else if (!put(out, p->slots[i].out, p->slots[i].size))
                return no_room(out, error);
        }
        p->slots_used = 0;
    }
    return SAM_OK;
}

/* Header and list, chunks, index and trailer. */
static enum sam_status pack_all(struct sam_packer *p, const uint8_t *file, struct memory *out,
                                struct sam_error *error)
{
    struct sam_buffer end = {0};
    sam_container_start(&p->container, file, &p->start);
    if (p->start.failed)
        return sam_fail_memory(error);
    if (!put(out, p->start.data, p->start.size))
        return no_room(out, error);
    enum sam_status status = pack_chunks(p, file, out, error);
    if (status != SAM_OK)
        return status;
    sam_container_end(&p->sizes, p->start.size, &end);
    if (end.failed)
        status = sam_fail_memory(error);
    else if (!put(out, end.data, end.size))
        status = no_room(out, error);
    sam_buffer_free(&end);
    return status;
}

enum sam_status sam_pack(const struct sam_weights *weights, const void *file,
                         const struct sam_codec_options *options, void *packed, size_t room,
                         size_t *size, struct sam_error *error)
{
    struct sam_packer p = {0};
    struct memory out = {.data = packed, .room = room};
    if (!size)
        return sam_fail_null(error, "size");
    *size = 0;
    struct sam_codec_options taken;
    enum sam_status status = sam_codec_options_take(&taken, options, error);
    if (status != SAM_OK)
        return status;
    if ((!packed && room) || (!file && weights && weights->file_size))
        return sam_fail_null(error, file ? "packed" : "file");
    status = packer_init(&p, weights, &taken, error);
    if (status == SAM_OK && !give_buffers(&p, false, true))
        status = sam_fail_memory(error);
    if (status == SAM_OK)
        status = pack_all(&p, file, &out, error);
    *size = out.size;
    packer_free(&p);
    return status;
}
