/* SPDX-License-Identifier: Apache-2.0 */
/* Extents, the units cut into chunks: single pieces, or runs of small ones. */
#include "codec/container.h"

uint64_t sam_extent_chunks(const struct sam_extent *extent)
{
    uint64_t size = (uint64_t)sam_layout_of(extent->layout)->element * SAM_CHUNK;
    return extent->size / size + (extent->size % size != 0);
}

struct sam_chunk_span sam_extent_span(const struct sam_extent *extent, uint64_t chunk)
{
    uint64_t first = chunk * SAM_CHUNK;
    uint64_t left = extent->size / sam_layout_of(extent->layout)->element - first;
    return (struct sam_chunk_span){extent->layout, extent->piece, first,
                                   left < SAM_CHUNK ? (size_t)left : SAM_CHUNK};
}

bool sam_chunk_next_span(const struct sam_container *c, struct sam_cursor *cursor,
                         struct sam_chunk_span *span, uint64_t *offset)
{
    if (cursor->extent == c->extent_count)
        return false;
    const struct sam_extent *extent = &c->extents[cursor->extent];
    *span = sam_extent_span(extent, cursor->chunk);
    *offset = extent->offset + span->first * sam_layout_of(span->layout)->element;
    if (++cursor->chunk == sam_extent_chunks(extent))
        *cursor = (struct sam_cursor){cursor->extent + 1, 0};
    return true;
}

/* Find the last extent whose `first`, an ascending field, is at most `value`. */
static const struct sam_extent *last_from(const struct sam_container *c,
                                          uint64_t (*first)(const struct sam_extent *extent),
                                          uint64_t value)
{
    size_t low = 0, high = c->extent_count - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (first(&c->extents[middle]) <= value)
            low = middle;
        else
            high = middle - 1;
    }
    return &c->extents[low];
}

static uint64_t first_piece(const struct sam_extent *extent)
{
    return extent->piece;
}

static uint64_t first_chunk(const struct sam_extent *extent)
{
    return extent->first_chunk;
}

const struct sam_extent *sam_extent_of(const struct sam_container *c, size_t piece)
{
    return last_from(c, first_piece, piece);
}

const struct sam_extent *sam_extent_at(const struct sam_container *c, uint64_t chunk)
{
    return last_from(c, first_chunk, chunk);
}

void sam_extent_count(struct sam_extent_stat *stat, const struct sam_chunk *chunk)
{
    stat->packed += chunk->size;
    stat->has_code |= chunk->has_code;
    for (size_t b = 0; b < sam_chunk_span_blocks(&chunk->span); b++, stat->blocks++) {
        stat->verbatim += chunk->block[b].mode == SAM_CHUNK_VERBATIM;
        stat->windows += chunk->block[b].mode == SAM_CHUNK_WINDOW;
    }
}

void sam_piece_stat(const struct sam_container *c, size_t piece,
                    const struct sam_extent_stat *whole, struct sam_packed_stat *stat)
{
    const struct sam_weight *w = &c->weights.tensors[piece];
    enum sam_layout_id id = (enum sam_layout_id)c->layouts[piece];
    *stat = (struct sam_packed_stat){.layout = sam_layout_name(id, false), .planes = 1};
    if (id != SAM_LAYOUT_SHARED)
        stat->planes = sam_layout_of(id)->plane_count;
    if (!w->size)
        return;
    const struct sam_extent *extent = sam_extent_of(c, piece);
    /* The difference of two prefix sums, so that rounded shares add up. */
    unsigned __int128 begin = w->offset - extent->offset, end = begin + w->size;
    stat->packed =
        (uint64_t)(end * whole->packed / extent->size - begin * whole->packed / extent->size);
    stat->blocks = whole->blocks;
    stat->verbatim = whole->verbatim;
    stat->coded = (unsigned)__builtin_popcount(whole->has_code);
    if (whole->windows) {
        stat->layout = sam_layout_name(id, true);
        stat->coded = 1; /* a lower bound: chunk headers lack the number */
    }
}

/* Returns whether piece `i` continues the previous piece's extent. */
static bool continues(const struct sam_container *c, size_t i)
{
    return i > 0 && c->layouts[i] == SAM_LAYOUT_SHARED && c->layouts[i - 1] == SAM_LAYOUT_SHARED;
}

/* Count the extents and, unless `out` is NULL, store them there. */
static size_t find_extents(const struct sam_container *c, struct sam_extent *out)
{
    size_t count = 0;
    bool open = false; /* the previous piece belongs to an extent */
    for (size_t i = 0; i < c->weights.count; i++) {
        const struct sam_weight *w = &c->weights.tensors[i];
        open = open && continues(c, i);
        if (!w->size)
            continue;
        if (!open) {
            enum sam_layout_id id = (enum sam_layout_id)c->layouts[i];
            if (out)
                out[count] =
                    (struct sam_extent){.offset = w->offset,
                                        .piece = (uint32_t)i,
                                        .layout = id == SAM_LAYOUT_SHARED ? SAM_LAYOUT_BYTES : id};
            count++;
        }
        if (out)
            out[count - 1].size += w->size;
        open = true;
    }
    return count;
}

bool sam_container_measure(struct sam_container *c)
{
    c->extent_count = find_extents(c, NULL);
    c->extents = sam_codec_alloc(c->allocator, c->extent_count * sizeof *c->extents);
    if (!c->extents)
        return false;
    find_extents(c, c->extents);
    for (size_t i = 0; i < c->extent_count; i++) {
        struct sam_extent *extent = &c->extents[i];
        size_t longest = sam_extent_span(extent, 0).count;
        size_t bytes = longest * sam_layout_of(extent->layout)->element;
        size_t bound = sam_chunk_bound(extent->layout, longest);
        extent->first_chunk = c->chunks;
        c->chunks += sam_extent_chunks(extent);
        c->layout_set |= 1u << extent->layout;
        c->span_elements = longest > c->span_elements ? longest : c->span_elements;
        c->span_bytes = bytes > c->span_bytes ? bytes : c->span_bytes;
        c->chunk_bound = bound > c->chunk_bound ? bound : c->chunk_bound;
    }
    return true;
}
