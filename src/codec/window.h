/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of windows (docs/format-codec.md, Windows): groups of SAM_WINDOW_GROUP elements, each
 * read and verified separately. */
#ifndef SAM_CODEC_WINDOW_H
#define SAM_CODEC_WINDOW_H

#include "codec/codec.h"

enum {
    SAM_WINDOW_GROUP = 1 << 10, /* elements */
    SAM_WINDOW_PLANES = 4,      /* the planes that can have windows: the first ones */
    SAM_WINDOW_BITS = 4,        /* largest k */
    SAM_WINDOW_HASH = 8,        /* bytes before a group's contents */
    SAM_WINDOW_HEAD = 2,        /* bytes of a table before the sizes of groups */
    SAM_WINDOW_SLACK = 64,      /* bytes after a group that loops may read or write */
    /* Most bytes of a group. */
    SAM_WINDOW_MOST =
        SAM_WINDOW_HASH + SAM_WINDOW_PLANES * (2 + SAM_WINDOW_GROUP * (8 + SAM_WINDOW_BITS) / 8),
};

/* The parsed table of a block. */
struct sam_window {
    enum sam_layout_id layout;
    uint64_t place;       /* of the first group: XORed with its checksum; the others follow */
    size_t count, groups; /* elements, groups */
    uint8_t planes;       /* bit per plane: groups have a window for it */
    const uint8_t *sizes; /* per group 2 bytes: its size */
};

static inline size_t sam_window_groups(size_t elements)
{
    return (elements + SAM_WINDOW_GROUP - 1) / SAM_WINDOW_GROUP;
}
static inline size_t sam_window_table_size(size_t elements)
{
    return SAM_WINDOW_HEAD + 2 * sam_window_groups(elements);
}
static inline size_t sam_window_elements(const struct sam_window *w, size_t group)
{
    const size_t left = w->count - group * SAM_WINDOW_GROUP;
    return left < SAM_WINDOW_GROUP ? left : SAM_WINDOW_GROUP;
}
static inline size_t sam_window_size(const struct sam_window *w, size_t group)
{
    return sam_le16(w->sizes + 2 * group);
}
/* Offset of a group in the block; of group w->groups: the block's size. */
static inline size_t sam_window_at(const struct sam_window *w, size_t group)
{
    size_t at = sam_window_table_size(w->count);
    for (size_t g = 0; g < group; g++)
        at += sam_window_size(w, g);
    return at;
}

/* The parts of a group, as offsets in it. */
struct sam_window_parts {
    uint8_t base[SAM_WINDOW_PLANES], k[SAM_WINDOW_PLANES]; /* k 0: a raw plane */
    size_t plane[SAM_MAX_PLANES];                          /* words of bits, or symbols */
    size_t escapes, size;                                  /* the escapes of all planes; the end */
};

/* 64-bit words of a plane of one bit. */
static inline size_t sam_window_words(size_t elements)
{
    return (elements + 63) / 64;
}

/* Find the parts of a group of `count` elements, `size` bytes at `group` with its hash. Returns
 * whether they fit. */
static inline bool sam_window_find(const struct sam_window *w, size_t count, const uint8_t *group,
                                   size_t size, struct sam_window_parts *parts)
{
    const struct sam_layout *l = sam_layout_of(w->layout);
    size_t at = SAM_WINDOW_HASH;
    for (unsigned p = 0; p < SAM_WINDOW_PLANES; p++) {
        parts->base[p] = parts->k[p] = 0;
        if (!(w->planes >> p & 1))
            continue;
        if (size < at + 2 || group[at + 1] > SAM_WINDOW_BITS)
            return false;
        parts->base[p] = group[at];
        parts->k[p] = group[at + 1];
        at += 2;
    }
    for (unsigned p = 0; p < l->plane_count; p++) {
        const unsigned k = p < SAM_WINDOW_PLANES ? parts->k[p] : 0;
        parts->plane[p] = at;
        at += k ? 8 * k * sam_window_words(count) : sam_plane_size(&l->plane[p], count);
    }
    parts->escapes = at;
    parts->size = size;
    return at <= size;
}

/* --- loops compiled per instruction level */
enum sam_window_result { SAM_WINDOW_GOOD, SAM_WINDOW_DAMAGED, SAM_WINDOW_MISMATCH };
struct sam_window_read {
    const uint8_t *groups; /* the first group to read */
    size_t size, after;    /* bytes of the groups; readable bytes after them */
    size_t first, end;     /* groups */
    bool trusted;          /* checksums are not compared */
    bool stream;           /* the output is not read soon: use non-temporal stores */
};

struct sam_window_ops {
    /* Decode groups to `elements`. */
    enum sam_window_result (*read)(const struct sam_window *w, const struct sam_window_read *read,
                                   uint8_t *elements);
    /* Count the symbols first + 0 .. first + 15 (mod 256). `count` is at most SAM_WINDOW_GROUP. */
    void (*count)(const uint8_t *symbols, size_t count, uint8_t first, uint32_t counts[16]);
    /* Write a plane with a window to `words` and its escapes to `escapes`; both have
     * SAM_WINDOW_SLACK more bytes. The symbols have padding up to a multiple of 64. Returns the
     * number of escapes. */
    size_t (*write)(const uint8_t *symbols, size_t count, uint8_t base, unsigned k, uint8_t *words,
                    uint8_t *escapes);
};

#endif
