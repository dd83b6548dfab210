/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a block that a range needs. Streams are entered at their start or at a restart
 * point at or after the end of the range, and decoded down to its first element. */
#include "codec/segments.h"

#include <stdlib.h>

const char sam_segments_no_memory[] = "out of memory";

/* A coded plane of a block: its streams, symbols and lengths. */
struct coded {
    bool is_coded;
    unsigned unit;
    size_t symbols, length; /* in the plane; per stream */
    const uint8_t *values;
    struct sam_huffman code;
    uint64_t at[SAM_STREAMS]; /* in the block */
    uint32_t sizes[SAM_STREAMS];
};

struct finding {
    const struct sam_chunk *chunk;
    size_t block, elements, first, end;
    const struct sam_layout *layout;
    struct sam_plane_entry entry[SAM_MAX_PLANES];
    struct coded plane[SAM_MAX_PLANES];
    uint64_t at[SAM_MAX_PLANES]; /* of raw planes */
    struct sam_segments *out;
    bool failed; /* out of memory */
};

void sam_segments_free(struct sam_segments *segments)
{
    free(segments->list);
    free(segments->bytes);
    *segments = (struct sam_segments){0};
}

uint32_t sam_chunk_block_head(const struct sam_chunk *chunk, size_t block)
{
    const uint32_t size = chunk->block[block].size;
    size_t head = 0;
    if (chunk->block[block].mode == SAM_CHUNK_PLANES)
        head = (size_t)sam_layout_of(chunk->span.layout)->plane_count * SAM_PLANE_ENTRY;
    else if (chunk->block[block].mode == SAM_CHUNK_WINDOW)
        head = sam_window_table_size(sam_chunk_block_elements(&chunk->span, block));
    return head < size ? (uint32_t)head : size;
}

static void add_bytes(struct finding *f, uint64_t from, uint64_t end, bool codes)
{
    struct sam_segments *s = f->out;
    if (end == from)
        return;
    void *grown = sam_grow(s->bytes, s->bytes_count, &s->bytes_capacity, sizeof *s->bytes);
    f->failed |= !grown;
    if (!grown)
        return;
    s->bytes = grown;
    s->bytes[s->bytes_count++] = (struct sam_segment_bytes){from, end - from, codes};
    s->list[s->count - 1].reads++;
}

static struct sam_segment *add_segment(struct finding *f, size_t first, size_t elements)
{
    struct sam_segments *s = f->out;
    void *grown = sam_grow(s->list, s->count, &s->capacity, sizeof *s->list);
    f->failed |= !grown;
    if (!grown)
        return NULL;
    s->list = grown;
    s->list[s->count] =
        (struct sam_segment){.first = first, .elements = elements, .read = s->bytes_count};
    return &s->list[s->count++];
}

/* --- planes */

/* Returns false if the block is damaged. */
static bool read_planes(struct finding *f, const struct sam_chunk_reader *reader,
                        const uint8_t *data)
{
    const uint8_t *in = data, *end = in + f->chunk->block[f->block].size;
    const uint8_t *codes = f->chunk->block[f->block].codes, *values = reader->planes;
    for (size_t p = 0; p < f->layout->plane_count; p++)
        if (!sam_plane_entry_read(&in, end, &f->entry[p]))
            return false;
    uint64_t at = (uint64_t)(in - data);
    for (size_t p = 0; p < f->layout->plane_count; p++) {
        struct coded *c = &f->plane[p];
        bool present;
        const size_t size = sam_plane_size(&f->layout->plane[p], f->elements);
        if (!sam_huffman_read(&codes, f->chunk->codes_end, &c->code, &present))
            return false;
        c->is_coded = f->entry[p].mode == SAM_PLANE_CODED;
        c->unit = f->layout->plane[p].unit;
        c->symbols = size;
        c->length = sam_stream_length(size);
        c->values = values;
        f->at[p] = at;
        for (unsigned j = 0; c->is_coded && j < SAM_STREAMS; j++) {
            c->at[j] = at;
            c->sizes[j] = f->entry[p].sizes[j];
            at += c->sizes[j];
        }
        at += f->entry[p].mode == SAM_PLANE_RAW ? size : 0;
        values += size;
    }
    return at == f->chunk->block[f->block].size;
}

/* The end of the symbols of stream j. */
static size_t top_of(const struct coded *c, size_t j)
{
    return (j + 1) * c->length < c->symbols ? (j + 1) * c->length : c->symbols;
}

/* Bits of the codes of symbols [from, to). */
static uint64_t bits_of(const struct coded *c, size_t from, size_t to)
{
    uint64_t bits = 0;
    for (size_t i = from; i < to; i++)
        bits += c->code.length[c->values[i]];
    return bits;
}

/* The bytes of symbols [from, to) of a coded plane. */
static void add_codes(struct finding *f, const struct coded *c, size_t from, size_t to)
{
    for (size_t j = from / c->length; j < SAM_STREAMS && j * c->length < to; j++) {
        const size_t top = top_of(c, j), low = from > j * c->length ? from : j * c->length;
        const size_t high = to < top ? to : top;
        if (low == j * c->length && high == top) {
            add_bytes(f, c->at[j], c->at[j] + c->sizes[j], true);
            continue;
        }
        const uint64_t before = bits_of(c, high, top);
        const uint64_t after = before + bits_of(c, low, high);
        add_bytes(f, c->at[j] + before / 8, c->at[j] + (after + 7) / 8, true);
    }
}

/* Set the bytes of the last segment. */
static void add_planes(struct finding *f)
{
    struct sam_segment *s = &f->out->list[f->out->count - 1];
    const size_t low = s->first, high = low + s->elements, entry = high + s->skipped;
    for (size_t p = 0; p < f->layout->plane_count; p++) {
        const struct coded *c = &f->plane[p];
        if (c->is_coded) {
            s->coded_bits += c->unit;
            add_codes(f, c, low * c->unit / 8, (entry * c->unit + 7) / 8);
        } else if (f->entry[p].mode == SAM_PLANE_RAW) {
            add_bytes(f, f->at[p] + low * c->unit / 8, f->at[p] + (high * c->unit + 7) / 8, false);
        }
    }
}

static uint32_t restart_at(const uint8_t *at)
{
    return sam_le16(at) | (uint32_t)at[2] << 16;
}

/* Whether the block's restart points match its streams. */
static bool check_restarts(const struct finding *f)
{
    const uint8_t *at = f->chunk->block[f->block].restart;
    const size_t points = sam_restart_points(f->elements);
    for (size_t p = 0; p < f->layout->plane_count; p++) {
        const struct coded *c = &f->plane[p];
        const size_t step = SAM_RESTART * (size_t)c->unit / 8;
        if (!(f->chunk->block[f->block].has_code >> p & 1))
            continue;
        for (size_t j = 0; c->is_coded && j < SAM_STREAMS && j * c->length < c->symbols; j++) {
            uint64_t bits = 0;
            for (size_t s = top_of(c, j); s > j * c->length; s--) {
                if (s % step == 0 && s / step <= points &&
                    restart_at(at + SAM_RESTART_BYTES * (s / step - 1)) != bits)
                    return false;
                bits += c->code.length[c->values[s - 1]];
            }
        }
        at += points * SAM_RESTART_BYTES;
    }
    return true;
}

/* Cut the longest piece of the range at the restart point nearest to its middle. Returns false if
 * there is none. A piece is elements [low, high), entered at `entry`. */
struct piece {
    size_t low, high, entry;
};
static bool cut(struct piece *pieces, size_t *count)
{
    size_t longest = SIZE_MAX, length = 0;
    for (size_t i = 0; i < *count; i++) {
        const struct piece *p = &pieces[i];
        const bool has_point = (p->low / SAM_RESTART + 1) * SAM_RESTART < p->high;
        if (has_point && p->entry - p->low > length) {
            longest = i;
            length = p->entry - p->low;
        }
    }
    if (longest == SIZE_MAX)
        return false;
    struct piece *p = &pieces[longest];
    const size_t least = p->low / SAM_RESTART + 1, most = (p->high - 1) / SAM_RESTART;
    size_t point = (p->low + length / 2 + SAM_RESTART / 2) / SAM_RESTART;
    point = (point < least ? least : point > most ? most : point) * SAM_RESTART;
    memmove(p + 1, p, (*count - longest) * sizeof *p);
    p->high = p->entry = point;
    p[1].low = point;
    ++*count;
    return true;
}

/* Segments of the streams of plane `c` that contain elements of the range. */
static void add_streams(struct finding *f, const struct coded *c, unsigned engines)
{
    struct piece pieces[SAM_STREAMS * 2 + 2];
    const bool restarts = f->chunk->block[f->block].restart;
    const size_t per_symbol = 8 / c->unit;
    size_t count = 0;
    engines = engines < SAM_STREAMS ? engines : SAM_STREAMS;
    for (size_t j = 0; j < SAM_STREAMS; j++) {
        const size_t bottom = j * c->length * per_symbol;
        size_t top = top_of(c, j) * per_symbol;
        top = top < f->elements ? top : f->elements;
        const size_t low = f->first > bottom ? f->first : bottom;
        const size_t high = f->end < top ? f->end : top;
        if (low >= high)
            continue;
        const size_t point = (high + SAM_RESTART - 1) / SAM_RESTART * SAM_RESTART;
        pieces[count++] = (struct piece){low, high, restarts && point < top ? point : top};
    }
    while (restarts && count < engines && cut(pieces, &count))
        ;
    for (size_t i = 0; i < count && !f->failed; i++) {
        struct sam_segment *s = add_segment(f, pieces[i].low, pieces[i].high - pieces[i].low);
        if (!s)
            return;
        s->down = true;
        s->skipped = pieces[i].entry - pieces[i].high;
        add_planes(f);
    }
}

/* --- windows */

/* One segment per group, which is read as a whole: its checksum and parameters belong to the
 * first plane. */
static void add_groups(struct finding *f, const struct sam_window *w, const uint8_t *data)
{
    size_t at = sam_window_at(w, f->first / SAM_WINDOW_GROUP);
    for (size_t g = f->first / SAM_WINDOW_GROUP; g * SAM_WINDOW_GROUP < f->end && !f->failed; g++) {
        const size_t start = g * SAM_WINDOW_GROUP, count = sam_window_elements(w, g);
        const size_t low = f->first > start ? f->first : start,
                     high = f->end < start + count ? f->end : start + count;
        struct sam_window_parts parts;
        struct sam_segment *s = add_segment(f, low, high - low);
        if (!s || !sam_window_find(w, count, data + at, sam_window_size(w, g), &parts))
            return; /* out of memory: the group has been verified */
        s->skipped = low - start;
        s->escapes = parts.size - parts.escapes;
        for (size_t p = 0; p < f->layout->plane_count; p++)
            add_bytes(f, at + (p ? parts.plane[p] : 0),
                      at + (p + 1 < f->layout->plane_count ? parts.plane[p + 1] : parts.escapes),
                      true);
        add_bytes(f, at + parts.escapes, at + parts.size, true);
        at += parts.size;
    }
}

/* --- */

static const char *find(struct finding *f, const struct sam_chunk_reader *reader,
                        const uint8_t *data, unsigned engines)
{
    if (f->out->mode == SAM_CHUNK_VERBATIM) {
        if (add_segment(f, f->first, f->end - f->first))
            add_bytes(f, f->first * f->layout->element, f->end * f->layout->element, false);
        return NULL;
    }
    if (f->out->mode == SAM_CHUNK_WINDOW) {
        struct sam_window w;
        const char *wrong = sam_window_parse(f->chunk, f->block, data, &w);
        if (!wrong)
            add_groups(f, &w, data);
        return wrong;
    }
    if (!read_planes(f, reader, data))
        return "damaged block";
    const bool part = f->end - f->first < f->elements;
    if (part && f->chunk->block[f->block].restart && !check_restarts(f))
        return "wrong restart points";
    for (size_t p = 0; p < f->layout->plane_count; p++)
        if (f->plane[p].is_coded) {
            add_streams(f, &f->plane[p], engines);
            return NULL;
        }
    if (add_segment(f, f->first, f->end - f->first))
        add_planes(f);
    return NULL;
}

const char *sam_segments_find(const struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                              size_t block, const uint8_t *data, size_t first, size_t count,
                              unsigned engines, struct sam_segments *out)
{
    struct finding f = {.chunk = chunk,
                        .block = block,
                        .elements = sam_chunk_block_elements(&chunk->span, block),
                        .first = first,
                        .end = first + count,
                        .layout = sam_layout_of(chunk->span.layout),
                        .out = out};
    out->count = out->bytes_count = 0;
    out->mode = chunk->block[block].mode;
    out->block = chunk->span.first / SAM_CHUNK_BLOCK_SIZE + block;
    out->size = chunk->block[block].size;
    out->head = (struct sam_segment_bytes){0, sam_chunk_block_head(chunk, block), false};
    const char *wrong = find(&f, reader, data, engines);
    return wrong ? wrong : f.failed ? sam_segments_no_memory : NULL;
}
