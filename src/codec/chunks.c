/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of one piece: decode a range, make chunks, count symbols. */
#include "codec/chunks.h"

#include "base/dtype.h"
#include "codec/container.h"

enum { LEAD = SAM_ALIGN }; /* bytes before a decoded block, for the carried-over element */

static uint64_t bytes_of(enum sam_dtype type, uint64_t count)
{
    unsigned __int128 bits = (unsigned __int128)count * sam_dtype_bits(type);
    return bits / 8 > SAM_MAX_FILE ? UINT64_MAX : (uint64_t)((bits + 7) / 8);
}

/* The extent that consists of the piece. */
static struct sam_extent extent_of(const struct sam_chunks_piece *piece)
{
    bool shared = piece->layout == SAM_LAYOUT_SHARED;
    return (struct sam_extent){
        .size = shared ? piece->count : bytes_of(piece->type, piece->count),
        .piece = piece->number,
        .layout = shared ? SAM_LAYOUT_BYTES : (enum sam_layout_id)piece->layout,
    };
}

const char *sam_chunks_fault(const struct sam_chunks_piece *piece, uint64_t *size)
{
    if (!sam_dtype_exists(piece->type))
        return "unknown element type";
    if (piece->layout > SAM_LAYOUT_SHARED)
        return "unknown layout";
    struct sam_extent extent = extent_of(piece);
    if (extent.size > SAM_MAX_FILE)
        return "more elements than a piece can have";
    if (piece->layout != SAM_LAYOUT_SHARED && sam_dtype_bits(piece->type) == 4 && piece->count % 2)
        return "a piece of half a byte";
    if (extent.size % sam_layout_of(extent.layout)->element)
        return "a piece that its layout does not divide into elements";
    *size = extent.size;
    return NULL;
}

const char *sam_chunks_range_fault(const struct sam_chunks_piece *piece,
                                   const struct sam_chunks_range *range, uint64_t *size)
{
    bool same = range->to == piece->type, shared = piece->layout == SAM_LAYOUT_SHARED;
    if (!sam_dtype_exists(range->to) || (!same && !sam_dtype_widens(piece->type, range->to)))
        return "an output type that does not hold every value";
    uint64_t units = shared ? bytes_of(piece->type, range->count) : range->count;
    if (range->first > piece->count || units > piece->count - range->first)
        return "elements past the end";
    if (same && sam_dtype_bits(piece->type) == 4 &&
        (range->count % 2 || (!shared && range->first % 2)))
        return "a range of half bytes";
    *size = bytes_of(range->to, range->count);
    return *size > SAM_MAX_FILE ? "more elements than the output can have" : NULL;
}

static enum sam_status unreadable(struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_IO, "cannot read the source");
}

static enum sam_status refused(struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_IO, "no room for the output");
}

/* --- decoding */
struct decoding {
    const struct sam_chunks_piece *piece;
    const struct sam_chunks_range *range;
    const struct sam_chunks_sink *sink;
    const struct sam_chunks_source *source;
    struct sam_chunks_room *room;
    uint64_t from, end;     /* bytes of the piece */
    uint64_t left, written; /* elements still to write; bytes of output */
    bool odd;               /* the first element is the high half of its byte */
    struct sam_chunk chunk;
    uint8_t carry[sizeof(uint64_t)]; /* an element that continues in the next block */
    size_t carried;
    uint64_t damaged; /* block */
};

/* Grow the buffer to `size` bytes, discarding its contents. Returns NULL on out-of-memory. */
static uint8_t *fit(struct sam_chunks_buffer *buffer, size_t size)
{
    if (buffer->size >= size && buffer->data)
        return buffer->data;
    sam_codec_free(NULL, buffer->data);
    buffer->data = sam_codec_alloc(NULL, size);
    buffer->size = buffer->data ? size : 0;
    return buffer->data;
}

void sam_chunks_room_free(struct sam_chunks_room *room)
{
    sam_chunk_reader_close(&room->reader);
    sam_codec_free(NULL, room->header.data);
    sam_codec_free(NULL, room->packed.data);
    sam_codec_free(NULL, room->block.data);
    sam_codec_free(NULL, room->wide.data);
    sam_segments_free(&room->segments);
    *room = (struct sam_chunks_room){0};
}

static enum sam_status damaged(struct decoding *d, const struct sam_chunk_span *span, size_t block,
                               const char *wrong, struct sam_error *error)
{
    d->damaged = span->first / SAM_CHUNK_BLOCK_SIZE + block;
    return sam_fail(error, SAM_ERR_INPUT, "block %llu of the piece is damaged: %s",
                    (unsigned long long)d->damaged, wrong);
}

/* `size` source bytes at `offset`, in place or read into `buffer`. On failure data is NULL, with
 * *status and `error` set. */
static struct sam_chunk_bytes get(struct decoding *d, uint64_t offset, size_t size,
                                  struct sam_chunks_buffer *buffer, enum sam_status *status,
                                  struct sam_error *error)
{
    const struct sam_source *source = &d->source->bytes;
    struct sam_chunk_bytes bytes = {.after = 0};
    size_t run = source->size - offset < 2 * size ? (size_t)(source->size - offset) : 2 * size;
    if (d->source->look)
        bytes.data = d->source->look(source->context, offset, size, &run);
    if (bytes.data) {
        bytes.after = run - size;
        return bytes;
    }
    uint8_t *data = fit(buffer, size);
    if (!data)
        *status = sam_fail_memory(error);
    else if (size && !source->read(source->context, offset, data, size))
        *status = unreadable(error);
    else
        bytes.data = data;
    return bytes;
}

/* Read and parse the header of the chunk at `at`. */
static enum sam_status read_header(struct decoding *d, uint64_t at,
                                   const struct sam_chunk_span *span, struct sam_error *error)
{
    uint8_t head[SAM_CHUNK_HEADER];
    const struct sam_source *source = &d->source->bytes;
    if (source->size - at < sizeof head)
        return damaged(d, span, 0, "the source ends before it", error);
    if (!source->read(source->context, at, head, sizeof head))
        return unreadable(error);
    size_t size = sam_chunk_size(head, span), header = sam_chunk_header_size(head);
    if (!size || header < sizeof head || header > size)
        return damaged(d, span, 0, "impossible sizes", error);
    if (size > source->size - at)
        return damaged(d, span, 0, "the source ends within its chunk", error);
    enum sam_status status = SAM_OK;
    const uint8_t *data = get(d, at, header, &d->room->header, &status, error).data;
    if (!data)
        return status;
    const char *wrong = sam_chunk_parse_header(data, header, size, span, &d->chunk);
    if (wrong)
        return damaged(d, span, 0, wrong, error);
    const struct sam_chunks_step step = {
        .from = at, .from_size = header, .to = d->written, .id = sam_le64(head)};
    return d->sink->take(d->sink->context, &step) ? SAM_OK : refused(error);
}

static uint8_t *place(const struct decoding *d, size_t size)
{
    return d->sink->place ? d->sink->place(d->sink->context, d->written, size) : NULL;
}

/* Prepare the output for `size` bytes at `data`, after the carried-over bytes if any. Returns false
 * on out-of-memory. */
static bool widen(struct decoding *d, uint8_t *data, size_t size, struct sam_chunks_step *step)
{
    enum sam_dtype from = d->piece->type, to = d->range->to;
    data -= d->carried;
    size += d->carried;
    memcpy(data, d->carry, d->carried);
    size_t bits = sam_dtype_bits(from), wide = sam_dtype_size(to);
    size_t skipped = d->odd, count = size * 8 / bits - skipped;
    count = count < d->left ? count : (size_t)d->left;
    uint8_t *out = skipped ? NULL : place(d, count * wide);
    step->placed = out != NULL;
    if (!out && !(out = fit(&d->room->wide, (skipped + count) * wide)))
        return false;
    sam_dtype_widen(from, to, data, skipped + count, out, NULL);
    step->data = out + skipped * wide;
    step->to_size = count * wide;
    size_t used = ((skipped + count) * bits + 7) / 8;
    d->left -= count;
    d->odd = false;
    d->carried = size - used;
    memcpy(d->carry, data + used, d->carried);
    return true;
}

/* Find the segments of bytes [from, end) of the block, or check that there are some. */
static enum sam_status find_segments(struct decoding *d, size_t block, const uint8_t *data,
                                     uint64_t from, uint64_t end, struct sam_chunks_step *step,
                                     const char **wrong, struct sam_error *error)
{
    const struct sam_chunk *chunk = &d->chunk;
    const size_t element = sam_layout_of(chunk->span.layout)->element;
    const size_t first = (size_t)from / element, last = (size_t)(end + element - 1) / element;
    const bool whole = last - first == sam_chunk_block_elements(&chunk->span, block);
    if (!d->sink->engines && (whole || !chunk->block[block].restart))
        return SAM_OK;
    struct sam_segments *segments = &d->room->segments;
    *wrong = sam_segments_find(&d->room->reader, chunk, block, data, first, last - first,
                               d->sink->engines, segments);
    if (*wrong == sam_segments_no_memory)
        return sam_fail_memory(error);
    if (*wrong || !d->sink->engines)
        return SAM_OK;
    step->segments = segments;
    if (last == sam_chunk_block_elements(&chunk->span, block) &&
        block + 1 < sam_chunk_span_blocks(&chunk->span))
        step->next_head = (struct sam_segment_bytes){chunk->block[block].size,
                                                     sam_chunk_block_head(chunk, block + 1), false};
    return SAM_OK;
}

/* Decode the groups of a block of windows that hold its bytes [from, end), to their offsets in
 * the block. */
static const char *read_groups(struct decoding *d, size_t block, struct sam_chunk_bytes bytes,
                               size_t from, size_t end, uint8_t *elements)
{
    const size_t group = (size_t)SAM_WINDOW_GROUP * sam_layout_of(d->chunk.span.layout)->element;
    struct sam_window w;
    const char *wrong = sam_window_parse(&d->chunk, block, bytes.data, &w);
    if (wrong)
        return wrong;
    const size_t first = from / group, last = (end + group - 1) / group;
    bytes.after += d->chunk.block[block].size - sam_window_at(&w, last);
    bytes.data += sam_window_at(&w, first);
    return sam_window_read(&d->room->reader, &w, first, last, bytes, elements + first * group);
}

/* Decode bytes [from, end) of a block: the groups of windows that contain them, or all of it.
 * The input may be in place, as of sam_chunk_look. */
static const uint8_t *read_part(struct decoding *d, size_t block, struct sam_chunk_bytes bytes,
                                size_t from, size_t end, uint8_t *elements, const uint8_t *target,
                                const char **wrong)
{
    if (d->chunk.block[block].mode != SAM_CHUNK_WINDOW)
        return sam_chunk_look(&d->room->reader, &d->chunk, bytes, block, elements, target, wrong);
    *wrong = read_groups(d, block, bytes, from, end, elements);
    return *wrong ? NULL : elements;
}

/* Decode a block; the requested part of it becomes the step's output. */
static enum sam_status read_block(struct decoding *d, size_t block, struct sam_chunk_bytes bytes,
                                  struct sam_chunks_step *step, const char **wrong,
                                  struct sam_error *error)
{
    const struct sam_chunk_span *span = &d->chunk.span;
    const uint64_t begin = sam_chunk_block_at(span, block);
    const size_t size =
        sam_chunk_block_elements(span, block) * sam_layout_of(span->layout)->element;
    const uint64_t from = d->from > begin ? d->from : begin;
    const uint64_t end = d->end < begin + size ? d->end : begin + size;
    uint8_t *room = fit(&d->room->block, LEAD + size);
    if (!room)
        return sam_fail_memory(error);
    if (d->range->to != d->piece->type) {
        room += LEAD;
        if (d->chunk.block[block].mode == SAM_CHUNK_WINDOW)
            *wrong =
                read_groups(d, block, bytes, (size_t)(from - begin), (size_t)(end - begin), room);
        else
            *wrong = sam_chunk_read_bytes(&d->room->reader, &d->chunk, bytes, block, room);
        const enum sam_status status = *wrong ? SAM_OK
                                              : find_segments(d, block, bytes.data, from - begin,
                                                              end - begin, step, wrong, error);
        if (status != SAM_OK)
            return status;
        const bool good = *wrong || widen(d, room + (from - begin), (size_t)(end - from), step);
        return good ? SAM_OK : sam_fail_memory(error);
    }
    const uint8_t *target = end - from == size ? place(d, size) : NULL;
    const uint8_t *data = read_part(d, block, bytes, (size_t)(from - begin), (size_t)(end - begin),
                                    room, target, wrong);
    if (!data)
        return SAM_OK;
    step->data = data + (from - begin);
    step->to_size = end - from;
    const enum sam_status status =
        find_segments(d, block, bytes.data, from - begin, end - begin, step, wrong, error);
    step->to_size = *wrong ? 0 : step->to_size;
    return status;
}

static enum sam_status decode_block(struct decoding *d, uint64_t at, size_t block,
                                    struct sam_error *error)
{
    const struct sam_chunk *chunk = &d->chunk;
    size_t offset = chunk->block[block].offset, size = chunk->block[block].size;
    struct sam_chunks_step step = {.from = at + offset, .from_size = size, .to = d->written};
    enum sam_status status = SAM_OK;
    const char *wrong = NULL;
    const struct sam_chunk_bytes bytes =
        get(d, at + offset, size, &d->room->packed, &status, error);
    if (!bytes.data)
        return status;
    sam_chunk_cost(chunk, bytes.data, block, &step.cost);
    status = read_block(d, block, bytes, &step, &wrong, error);
    if (status != SAM_OK)
        return status;
    d->written += step.to_size;
    if (!d->sink->take(d->sink->context, &step))
        return refused(error);
    return wrong ? damaged(d, &chunk->span, block, wrong, error) : SAM_OK;
}

static enum sam_status decode_chunk(struct decoding *d, uint64_t at, struct sam_error *error)
{
    const struct sam_chunk *chunk = &d->chunk;
    const struct sam_chunk_span *span = &chunk->span;
    enum sam_status status = SAM_OK;
    for (size_t b = 0; status == SAM_OK && b < sam_chunk_span_blocks(span); b++) {
        if (sam_chunk_block_at(span, b + 1) <= d->from || sam_chunk_block_at(span, b) >= d->end)
            continue;
        status = decode_block(d, at, b, error);
    }
    return status;
}

enum sam_status sam_chunks_decode(const struct sam_chunks_piece *piece,
                                  const struct sam_chunks_range *range,
                                  const struct sam_chunks_source *source,
                                  const struct sam_chunks_sink *sink, struct sam_chunks_room *room,
                                  uint64_t *damaged, struct sam_error *error)
{
    uint64_t size;
    const char *fault = sam_chunks_fault(piece, &size);
    fault = fault ? fault : sam_chunks_range_fault(piece, range, &size);
    if (fault)
        return sam_fail(error, SAM_ERR_USAGE, "%s", fault);
    if (size > sink->room)
        return refused(error);
    if (!range->count)
        return SAM_OK;
    struct decoding d = {.piece = piece,
                         .range = range,
                         .sink = sink,
                         .source = source,
                         .room = room,
                         .left = range->count};
    struct sam_extent extent = extent_of(piece);
    uint64_t bits = sam_dtype_bits(piece->type), shift = 0;
    d.from = range->first;
    if (piece->layout != SAM_LAYOUT_SHARED) {
        d.from = (uint64_t)((unsigned __int128)range->first * bits / 8);
        d.odd = bits == 4 && range->first % 2;
        shift = d.odd;
    }
    d.end = d.from + bytes_of(piece->type, range->count + shift);
    const bool opened =
        sam_chunk_reader_fit(&room->reader, sam_codec_ops(SAM_CODEC_BEST), 1u << extent.layout,
                             sam_extent_span(&extent, 0).count);
    enum sam_status status = opened ? SAM_OK : sam_fail_memory(error);
    uint64_t at = 0;
    for (uint64_t n = 0; status == SAM_OK; n++) {
        struct sam_chunk_span span = sam_extent_span(&extent, n);
        if (sam_chunk_block_at(&span, 0) >= d.end)
            break;
        status = read_header(&d, at, &span, error);
        if (status == SAM_OK)
            status = decode_chunk(&d, at, error);
        at += d.chunk.size;
    }
    if (status == SAM_ERR_INPUT)
        *damaged = d.damaged;
    return status;
}

/* --- encoding and counting */
struct encoding {
    const struct sam_chunks_sink *sink;
    struct sam_chunk_maker maker;
    uint8_t *elements, *out;
    uint64_t written;
};

/* Number of symbols in the planes that are always counted. */
static uint64_t counted_in(const struct sam_chunk_span *span, size_t block)
{
    const struct sam_layout *l = sam_layout_of(span->layout);
    uint64_t counted = 0;
    for (size_t p = 0; p < l->coded_count; p++)
        counted += sam_plane_size(&l->plane[p], sam_chunk_block_elements(span, block));
    return counted;
}

/* Emit the steps of a chunk of `size` bytes: header, then blocks, the last one with the padding. */
static enum sam_status give_chunk(struct encoding *e, const struct sam_chunk_span *span,
                                  size_t size, struct sam_error *error)
{
    struct sam_chunk chunk;
    const char *wrong = sam_chunk_parse(e->out, size, span, &chunk);
    if (wrong) /* two equal checksums: practically impossible */
        return sam_fail(error, SAM_ERR_INPUT, "the chunk made is wrong: %s", wrong);
    size_t element = sam_layout_of(span->layout)->element, blocks = sam_chunk_span_blocks(span);
    const bool given = e->maker.counter && e->maker.counter->given;
    uint64_t from = sam_chunk_block_at(span, 0);
    struct sam_chunks_step step = {
        .from = from, .to = e->written, .to_size = chunk.block[0].offset, .data = e->out};
    bool taken = e->sink->take(e->sink->context, &step);
    for (size_t b = 0; taken && b < blocks; b++) {
        size_t offset = chunk.block[b].offset;
        step = (struct sam_chunks_step){
            .from = sam_chunk_block_at(span, b),
            .from_size = sam_chunk_block_elements(span, b) * element,
            .to = e->written + offset,
            .to_size = b + 1 < blocks ? chunk.block[b].size : size - offset,
            .counted = given ? 0 : counted_in(span, b),
            .data = e->out + offset,
        };
        sam_chunk_cost(&chunk, e->out + offset, b, &step.cost);
        taken = e->sink->take(e->sink->context, &step);
    }
    e->written += size;
    return taken ? SAM_OK : refused(error);
}

static enum sam_status encode_span(struct encoding *e, const struct sam_chunk_span *span,
                                   struct sam_source source, struct sam_error *error)
{
    size_t size = span->count * sam_layout_of(span->layout)->element;
    if (!source.read(source.context, sam_chunk_block_at(span, 0), e->elements, size))
        return unreadable(error);
    size = sam_chunk_make(&e->maker, span, e->elements, e->out);
    return size > e->sink->room - e->written ? refused(error) : give_chunk(e, span, size, error);
}

enum sam_status sam_chunks_encode(const struct sam_chunks_piece *piece, struct sam_source source,
                                  const struct sam_counter *counter,
                                  const struct sam_chunks_sink *sink, struct sam_error *error)
{
    uint64_t size;
    const char *fault = sam_chunks_fault(piece, &size);
    if (fault || size > source.size)
        return sam_fail(error, SAM_ERR_USAGE, "%s", fault ? fault : "a source without its end");
    struct sam_extent extent = extent_of(piece);
    struct encoding e = {.sink = sink};
    size_t longest = sam_extent_span(&extent, 0).count;
    e.elements = sam_codec_alloc(NULL, longest * sam_layout_of(extent.layout)->element);
    e.out = sam_codec_alloc(NULL, sam_chunk_bound(extent.layout, longest) + SAM_CHUNK_SLACK);
    bool opened = sam_chunk_maker_open(&e.maker, sam_codec_ops(SAM_CODEC_BEST), NULL,
                                       1u << extent.layout, longest);
    enum sam_status status = opened && e.elements && e.out ? SAM_OK : sam_fail_memory(error);
    e.maker.counter = counter;
    for (uint64_t n = 0; status == SAM_OK && n < sam_extent_chunks(&extent); n++) {
        struct sam_chunk_span span = sam_extent_span(&extent, n);
        status = encode_span(&e, &span, source, error);
    }
    sam_chunk_maker_close(&e.maker);
    sam_codec_free(NULL, e.elements);
    sam_codec_free(NULL, e.out);
    return status;
}

enum sam_status sam_chunks_count(const struct sam_chunks_piece *piece, struct sam_source source,
                                 const struct sam_chunks_sink *sink, uint64_t counts[256],
                                 struct sam_error *error)
{
    const struct sam_codec_options options = {0};
    uint64_t size;
    const char *fault = sam_chunks_fault(piece, &size);
    if (fault || size > source.size)
        return sam_fail(error, SAM_ERR_USAGE, "%s", fault ? fault : "a source without its end");
    struct sam_extent extent = extent_of(piece);
    const struct sam_layout *layout = sam_layout_of(extent.layout);
    size_t most = (size_t)SAM_CHUNK_BLOCK_SIZE * layout->element;
    uint8_t *elements = sam_codec_alloc(NULL, most);
    enum sam_status status = elements ? SAM_OK : sam_fail_memory(error);
    memset(counts, 0, 256 * sizeof *counts);
    for (uint64_t at = 0; status == SAM_OK && at < size; at += most) {
        size_t part = size - at < most ? (size_t)(size - at) : most;
        struct sam_chunks_step step = {.from = at, .from_size = part};
        step.counted = sam_plane_size(&layout->plane[0], part / layout->element);
        if (!source.read(source.context, at, elements, part))
            status = unreadable(error);
        else
            status = sam_layout_count(extent.layout, elements, part, &options, 0, counts, error);
        if (status == SAM_OK && !sink->take(sink->context, &step))
            status = refused(error);
    }
    sam_codec_free(NULL, elements);
    return status;
}
