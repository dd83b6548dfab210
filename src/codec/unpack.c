/* SPDX-License-Identifier: Apache-2.0 */
/* Streaming unpacking. The packed file arrives in pieces of any size; restored bytes are written
 * only after verification. */
#include "codec/container.h"

enum { SLOTS_A_THREAD = 2, SERIAL_BYTES = 1 << 18 };

enum state { IN_HEADER, IN_LIST, IN_CHUNK_HEADER, IN_CHUNK, IN_INDEX, IN_TRAILER, AT_END, FAILED };

/* A chunk waiting to be decoded. */
struct slot {
    struct sam_chunk_span span;
    struct sam_buffer packed;
    uint8_t *elements;
    size_t size; /* bytes of elements */
    const char *wrong;
};

struct sam_unpacker {
    struct sam_codec_options options;
    const struct sam_codec_ops *ops;
    struct sam_sink sink;
    enum state state;
    struct sam_start start;
    struct sam_buffer input; /* gathered for the current state */
    uint64_t wanted;         /* input bytes the state needs */
    struct sam_container container;
    bool has_container;
    struct sam_cursor cursor;
    struct sam_chunk_span span; /* of the next chunk */
    unsigned threads;
    struct slot *slots;
    size_t slot_count, slots_used;
    struct sam_chunk_reader *readers;
    struct sam_buffer sizes; /* chunk sizes, as in the index */
    uint64_t chunks_done, consumed;
};

enum sam_status sam_unpacker_open(const struct sam_codec_options *options, struct sam_sink sink,
                                  struct sam_unpacker **unpacker, struct sam_error *error)
{
    if (!unpacker)
        return sam_fail_null(error, "unpacker");
    *unpacker = NULL;
    struct sam_codec_options taken;
    enum sam_status status = sam_codec_options_take(&taken, options, error);
    if (status != SAM_OK)
        return status;
    struct sam_unpacker *u = sam_codec_alloc(taken.allocator, sizeof *u);
    *unpacker = u;
    if (!u)
        return sam_fail_memory(error);
    *u = (struct sam_unpacker){.sink = sink, .wanted = SAM_HEADER};
    u->options = taken;
    u->ops = sam_codec_ops(u->options.level);
    return SAM_OK;
}

void sam_unpacker_close(struct sam_unpacker *u)
{
    if (!u)
        return;
    const struct sam_allocator *allocator = u->options.allocator;
    for (size_t i = 0; u->slots && i < u->slot_count; i++) {
        sam_buffer_free(&u->slots[i].packed);
        sam_codec_free(allocator, u->slots[i].elements);
    }
    for (unsigned i = 0; u->readers && i < u->threads; i++)
        sam_chunk_reader_close(&u->readers[i]);
    sam_codec_free(allocator, u->slots);
    sam_codec_free(allocator, u->readers);
    if (u->has_container)
        sam_container_free(&u->container);
    sam_buffer_free(&u->input);
    sam_buffer_free(&u->sizes);
    sam_codec_free(allocator, u);
}

static enum sam_status emit(struct sam_unpacker *u, const void *data, size_t size,
                            struct sam_error *error)
{
    if (!size || !u->sink.write || u->sink.write(u->sink.context, data, size))
        return SAM_OK;
    return sam_fail(error, SAM_ERR_IO, "cannot write the restored file");
}

static void read_slot(void *context, size_t i, unsigned worker)
{
    struct sam_unpacker *u = context;
    struct slot *slot = &u->slots[i];
    const struct sam_layout *layout = sam_layout_of(slot->span.layout);
    struct sam_chunk chunk;
    slot->wrong = sam_chunk_parse(slot->packed.data, slot->packed.size, &slot->span, &chunk);
    for (size_t b = 0; !slot->wrong && b < sam_chunk_span_blocks(&slot->span); b++)
        slot->wrong = sam_chunk_read(&u->readers[worker], &chunk, slot->packed.data, b,
                                     slot->elements + b * SAM_CHUNK_BLOCK_SIZE * layout->element);
}

static enum sam_status flush(struct sam_unpacker *u, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    size_t bytes = 0;
    for (size_t i = 0; i < u->slots_used; i++)
        bytes += u->slots[i].size;
    sam_parallel(bytes < SERIAL_BYTES ? 1 : u->threads, u->slots_used, read_slot, u);
    for (size_t i = 0; i < u->slots_used && status == SAM_OK; i++) {
        struct slot *slot = &u->slots[i];
        if (slot->wrong)
            status = sam_fail(error, SAM_ERR_INPUT, "damaged in tensor '%.200s': %s",
                              u->container.weights.tensors[slot->span.tensor].name, slot->wrong);
        else
            status = emit(u, slot->elements, slot->size, error);
        slot->packed.size = 0;
    }
    u->slots_used = 0;
    return status;
}

static void expect(struct sam_unpacker *u, enum state state, uint64_t bytes)
{
    u->state = state;
    u->wanted = bytes;
}

/* Expect the next chunk's header or, after the last one, the index. */
static enum sam_status expect_chunk(struct sam_unpacker *u, struct sam_error *error)
{
    uint64_t offset;
    if (sam_chunk_next_span(&u->container, &u->cursor, &u->span, &offset)) {
        expect(u, IN_CHUNK_HEADER, SAM_CHUNK_HEADER);
        return SAM_OK;
    }
    expect(u, IN_INDEX, sam_index_size(u->chunks_done));
    return flush(u, error);
}

static enum sam_status take_list(struct sam_unpacker *u, struct sam_error *error)
{
    const struct sam_allocator *allocator = u->options.allocator;
    enum sam_status status =
        sam_container_parse(&u->start, u->input.data, &u->options, &u->container, error);
    if (status != SAM_OK)
        return status;
    u->has_container = true;
    const struct sam_container *c = &u->container;
    uint64_t useful = c->chunks ? c->chunks : 1;
    unsigned threads = u->options.threads > SAM_MAX_THREADS ? SAM_MAX_THREADS : u->options.threads;
    threads = !threads ? 1 : threads > useful ? (unsigned)useful : threads;
    u->slot_count = threads > 1 ? (size_t)threads * SLOTS_A_THREAD : 1;
    u->slots = sam_codec_alloc(allocator, u->slot_count * sizeof *u->slots);
    u->readers = sam_codec_alloc(allocator, threads * sizeof *u->readers);
    if (u->slots)
        memset(u->slots, 0, u->slot_count * sizeof *u->slots);
    if (u->readers)
        memset(u->readers, 0, threads * sizeof *u->readers);
    if (!u->slots || !u->readers)
        return sam_fail_memory(error);
    u->threads = threads;
    for (unsigned i = 0; i < threads; i++) {
        if (!sam_chunk_reader_open(&u->readers[i], u->ops, allocator, c->layout_set,
                                   c->span_elements))
            return sam_fail_memory(error);
        u->readers[i].trusted = u->options.trusted;
    }
    status = emit(u, u->input.data + SAM_HEADER, (size_t)u->start.header_size, error);
    sam_buffer_free(&u->input);
    return status == SAM_OK ? expect_chunk(u, error) : status;
}

static enum sam_status take_chunk(struct sam_unpacker *u, struct sam_error *error)
{
    struct slot *slot = &u->slots[u->slots_used];
    uint8_t word[4];
    slot->span = u->span;
    slot->size = u->span.count * sam_layout_of(u->span.layout)->element;
    if (!slot->elements) /* allocated late: the file's header is not trusted */
        slot->elements = sam_codec_alloc(u->options.allocator, u->container.span_bytes);
    sam_put_le32(word, (uint32_t)slot->packed.size);
    if (!slot->elements || !sam_buffer_append(&u->sizes, word, sizeof word))
        return sam_fail_memory(error);
    u->chunks_done++;
    u->slots_used++;
    enum sam_status status = u->slots_used == u->slot_count ? flush(u, error) : SAM_OK;
    return status == SAM_OK ? expect_chunk(u, error) : status;
}

static enum sam_status take_trailer(struct sam_unpacker *u, struct sam_error *error)
{
    const uint8_t *trailer = u->input.data + u->input.size - SAM_TRAILER;
    struct sam_end end;
    const char *wrong = sam_trailer_parse(trailer, u->consumed, &end);
    if (!wrong &&
        (end.chunks != u->chunks_done || !sam_index_check(u->input.data, end.chunks, trailer) ||
         (u->sizes.size && memcmp(u->input.data, u->sizes.data, u->sizes.size) != 0)))
        wrong = "the index does not match the file";
    expect(u, AT_END, 0);
    return wrong ? sam_fail(error, SAM_ERR_INPUT, "damaged: %s", wrong) : SAM_OK;
}

/* Process the input of the current state. */
static enum sam_status advance(struct sam_unpacker *u, struct sam_error *error)
{
    const char *wrong = NULL;
    switch (u->state) {
    case IN_HEADER:
        wrong = sam_start_parse(u->input.data, &u->start);
        if (wrong)
            return sam_fail(error, SAM_ERR_INPUT, "%s", wrong);
        expect(u, IN_LIST, u->start.total);
        return SAM_OK;
    case IN_LIST: return take_list(u, error);
    case IN_CHUNK_HEADER: {
        uint32_t size = sam_chunk_size(u->slots[u->slots_used].packed.data, &u->span);
        if (!size)
            return sam_fail(error, SAM_ERR_INPUT,
                            "damaged in tensor '%.200s': impossible chunk size",
                            u->container.weights.tensors[u->span.tensor].name);
        expect(u, IN_CHUNK, size);
        return SAM_OK;
    }
    case IN_CHUNK: return take_chunk(u, error);
    case IN_INDEX: expect(u, IN_TRAILER, u->input.size + SAM_TRAILER); return SAM_OK;
    case IN_TRAILER: return take_trailer(u, error);
    default: return sam_fail(error, SAM_ERR_INPUT, "extra bytes after the end of the packed file");
    }
}

static enum sam_status write_some(struct sam_unpacker *u, const uint8_t *data, size_t size,
                                  struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    while (status == SAM_OK) {
        bool chunk = u->state == IN_CHUNK_HEADER || u->state == IN_CHUNK;
        struct sam_buffer *into = chunk ? &u->slots[u->slots_used].packed : &u->input;
        if (u->state != AT_END && into->size < u->wanted) {
            uint64_t need = u->wanted - into->size;
            size_t take = need < size ? (size_t)need : size;
            if (!sam_buffer_append(into, data, take))
                return sam_fail_memory(error);
            u->consumed += take;
            data += take;
            size -= take;
            if (take < need)
                break;
        } else if (u->state == AT_END && !size) {
            break;
        }
        status = advance(u, error);
    }
    return status;
}

enum sam_status sam_unpacker_write(struct sam_unpacker *u, const void *data, size_t size,
                                   struct sam_error *error)
{
    if (!u || (!data && size))
        return sam_fail_null(error, u ? "data" : "unpacker");
    if (u->state == FAILED)
        return sam_fail(error, SAM_ERR_USAGE, "the unpacker has failed before");
    enum sam_status status = write_some(u, data, size, error);
    if (status != SAM_OK)
        u->state = FAILED;
    return status;
}

enum sam_status sam_unpacker_finish(struct sam_unpacker *u, struct sam_error *error)
{
    if (!u)
        return sam_fail_null(error, "unpacker");
    if (u->state == AT_END)
        return SAM_OK;
    return sam_fail(error, SAM_ERR_INPUT, "truncated: the packed file ends after %llu bytes",
                    (unsigned long long)u->consumed);
}
