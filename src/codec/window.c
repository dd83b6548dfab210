/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of windows: tables and ranges of groups. The input is not trusted. */
#include "codec/chunk.h"

const char *sam_window_parse(const struct sam_chunk *chunk, size_t block, const uint8_t *table,
                             struct sam_window *w)
{
    const struct sam_chunk_span *span = &chunk->span;
    const struct sam_layout *l = sam_layout_of(span->layout);
    *w = (struct sam_window){.layout = span->layout, .sizes = table + SAM_WINDOW_HEAD};
    w->count = sam_chunk_block_elements(span, block);
    w->groups = sam_window_groups(w->count);
    w->place = sam_window_place(span, block);
    const size_t size = sam_window_table_size(w->count);
    if (chunk->block[block].size < size)
        return "table of windows: truncated";
    if (sam_codec_base.hash(table, size, sam_chunk_seed(span, block)) != chunk->block[block].hash)
        return "table of windows: checksum mismatch";
    w->planes = table[0];
    for (unsigned p = 0; p < 8; p++)
        if (w->planes >> p & 1 &&
            (p >= SAM_WINDOW_PLANES || p >= l->plane_count || l->plane[p].unit != 8))
            return "table of windows: a window for a plane that cannot have one";
    if (!w->planes || table[1])
        return "table of windows: unknown fields";
    for (size_t g = 0; g < w->groups; g++)
        if (sam_window_size(w, g) < SAM_WINDOW_HASH || sam_window_size(w, g) > SAM_WINDOW_MOST)
            return "table of windows: impossible size of a group";
    if (sam_window_at(w, w->groups) != chunk->block[block].size)
        return "table of windows: the groups do not add up to the block";
    return NULL;
}

const char *sam_window_read(const struct sam_chunk_reader *reader, const struct sam_window *w,
                            size_t first, size_t end, struct sam_chunk_bytes groups,
                            uint8_t *elements)
{
    struct sam_window_read read = {.groups = groups.data,
                                   .after = groups.after,
                                   .first = first,
                                   .end = end,
                                   .trusted = reader->trusted,
                                   .stream = reader->stream};
    for (size_t g = first; g < end; g++)
        read.size += sam_window_size(w, g);
    switch (reader->ops->window->read(w, &read, elements)) {
    case SAM_WINDOW_GOOD: return NULL;
    case SAM_WINDOW_MISMATCH: return "group of a window: checksum mismatch";
    default: return "group of a window: its planes and escapes do not fit its size";
    }
}
