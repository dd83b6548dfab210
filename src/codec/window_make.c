/* SPDX-License-Identifier: Apache-2.0 */
/* Making blocks of windows, group by group: split, count, choose a window per plane by its exact
 * size, write. */
#include "codec/chunk.h"

enum {
    SAMPLES = 4, /* groups sampled from a block */
    SPAN = 16,   /* values counted in every group; others only if there are many */
    PADDING = 64,
};

struct group {
    uint8_t *planes[SAM_MAX_PLANES];
    _Alignas(64) uint8_t room[SAM_WINDOW_GROUP * SAM_MAX_ELEMENT + SAM_MAX_PLANES * PADDING];
};

static size_t padded(size_t size)
{
    return (size + PADDING - 1) / PADDING * PADDING;
}

static void split_group(const struct sam_codec_ops *ops, enum sam_layout_id id,
                        const uint8_t *elements, size_t count, struct group *g)
{
    const struct sam_layout *l = sam_layout_of(id);
    uint8_t *at = g->room;
    for (unsigned p = 0; p < l->plane_count; p++) {
        g->planes[p] = at;
        at += padded(sam_plane_size(&l->plane[p], count));
    }
    ops->split(id, elements, count, g->planes);
}

struct window {
    uint8_t base;
    unsigned k; /* 0: raw */
    size_t escapes;
    size_t size; /* bytes, including escapes */
};

/* Find the smallest window of `count` symbols among the values first + 0 .. first + values - 1
 * (mod 256), whose counts are `counts`. Windows wrap around if there are all 256 values, and end at
 * the last one otherwise. The loops have 16-bit numbers and no branches, for vectors. */
static __attribute__((noinline)) struct window best_window(const uint32_t *counts, unsigned values,
                                                           uint8_t first, size_t count)
{
    enum { MORE = 1 << SAM_WINDOW_BITS };
    struct window best = {.size = count};
    int16_t before[256 + MORE]; /* occurrences of the values before */
    before[0] = 0;
    for (unsigned s = 0; s < values; s++)
        before[s + 1] = (int16_t)(before[s] + (int16_t)counts[s]);
    for (unsigned s = 0; s < MORE - 1; s++)
        before[values + s + 1] = (int16_t)(before[values] + (values == 256 ? before[s + 1] : 0));
    for (unsigned k = 1; k <= SAM_WINDOW_BITS; k++) {
        const int16_t *after = before + (1u << k) - 1;
        int16_t inside = 0;
        for (unsigned s = 0; s < values; s++) {
            const int16_t these = (int16_t)(after[s] - before[s]);
            inside = these > inside ? these : inside;
        }
        const size_t escapes = count - (size_t)inside;
        const size_t size = 8 * k * sam_window_words(count) + escapes;
        if (size >= best.size)
            continue;
        best = (struct window){first, k, escapes, size};
        for (unsigned s = 0; after[s] - before[s] != inside; s++)
            best.base++;
    }
    return best;
}

static __attribute__((noinline)) struct window choose_of_all(const struct sam_codec_ops *ops,
                                                             const uint8_t *symbols, size_t count)
{
    uint32_t all[256] = {0};
    ops->count(symbols, count, all);
    return best_window(all, SAM_COUNT(all), 0, count);
}

static struct window choose(const struct sam_codec_ops *ops, const uint8_t *symbols, size_t count,
                            uint8_t first)
{
    uint32_t some[SPAN];
    size_t inside = 0;
    ops->window->count(symbols, count, first, some);
    for (unsigned s = 0; s < SPAN; s++)
        inside += some[s];
    if (count - inside <= count / 8)
        return best_window(some, SPAN, first, count);
    return choose_of_all(ops, symbols, count);
}

/* The first of the SPAN consecutive values (mod 256) with the highest counts. */
static uint8_t best_span(const uint32_t counts[256])
{
    uint32_t sum = 0, most = 0;
    uint8_t best = 0;
    for (unsigned s = 0; s < SPAN; s++)
        sum += counts[s];
    for (unsigned s = 0; s < 256; s++) {
        if (sum > most) {
            most = sum;
            best = (uint8_t)s;
        }
        sum += counts[(s + SPAN) % 256] - counts[s];
    }
    return best;
}

/* From samples, find the planes that may gain by windows, and their common values. */
static uint8_t choose_planes(const struct sam_codec_ops *ops, enum sam_layout_id id,
                             const uint8_t *elements, size_t count,
                             uint8_t first[SAM_WINDOW_PLANES])
{
    const struct sam_layout *l = sam_layout_of(id);
    uint8_t sample[SAM_WINDOW_PLANES][SAMPLES * SAM_WINDOW_GROUP], planes = 0;
    const size_t groups = sam_window_groups(count);
    struct group g;
    size_t sampled = 0;
    for (size_t i = 0; i < SAMPLES && i < groups; i++) {
        const size_t at = (groups < SAMPLES ? i : i * groups / SAMPLES) * SAM_WINDOW_GROUP;
        const size_t n = count - at < SAM_WINDOW_GROUP ? count - at : SAM_WINDOW_GROUP;
        split_group(ops, id, elements + at * l->element, n, &g);
        for (unsigned p = 0; p < SAM_WINDOW_PLANES && p < l->plane_count; p++)
            if (l->plane[p].unit == 8)
                memcpy(sample[p] + sampled, g.planes[p], n);
        sampled += n;
    }
    for (unsigned p = 0; p < SAM_WINDOW_PLANES && p < l->plane_count; p++) {
        if (l->plane[p].unit != 8 ||
            (p >= l->coded_count && sam_plane_is_noise(ops, sample[p], sampled)))
            continue;
        uint32_t counts[256] = {0};
        ops->count(sample[p], sampled, counts);
        first[p] = best_span(counts);
        planes |= (uint8_t)(1u << p);
    }
    return planes;
}

/* Write a group without its hash. Returns its end. */
static uint8_t *write_group(const struct sam_codec_ops *ops, enum sam_layout_id id,
                            const struct group *g, size_t count, uint8_t planes,
                            const uint8_t first[SAM_WINDOW_PLANES], uint8_t *out)
{
    const struct sam_layout *l = sam_layout_of(id);
    struct window window[SAM_MAX_PLANES];
    uint8_t *at = out;
    size_t fixed = 0; /* bytes of the planes without escapes */
    for (unsigned p = 0; p < l->plane_count; p++) {
        const bool tried = p < SAM_WINDOW_PLANES && planes >> p & 1;
        if (tried) {
            window[p] = choose(ops, g->planes[p], count, first[p]);
            *at++ = window[p].base;
            *at++ = (uint8_t)window[p].k;
        } else {
            window[p] = (struct window){.size = sam_plane_size(&l->plane[p], count)};
        }
        fixed += window[p].size - window[p].escapes;
    }
    uint8_t *escapes = at + fixed;
    for (unsigned p = 0; p < l->plane_count; p++) {
        const size_t size = window[p].size - window[p].escapes;
        if (window[p].k)
            escapes +=
                ops->window->write(g->planes[p], count, window[p].base, window[p].k, at, escapes);
        else
            memcpy(at, g->planes[p], size);
        at += size;
    }
    return escapes;
}

size_t sam_window_make(const struct sam_codec_ops *ops, const struct sam_chunk_span *span,
                       size_t block, const uint8_t *elements, uint8_t *out)
{
    const struct sam_layout *l = sam_layout_of(span->layout);
    const size_t count = sam_chunk_block_elements(span, block), whole = count * l->element;
    const struct sam_window w = {.place = sam_window_place(span, block), .count = count};
    uint8_t first[SAM_WINDOW_PLANES], *at = out + sam_window_table_size(count);
    struct group g;
    out[0] = choose_planes(ops, span->layout, elements, count, first);
    out[1] = 0;
    if (!out[0])
        return 0;
    for (size_t i = 0; i < sam_window_groups(count); i++) {
        const size_t n = sam_window_elements(&w, i);
        split_group(ops, span->layout, elements + i * SAM_WINDOW_GROUP * l->element, n, &g);
        uint8_t *end = write_group(ops, span->layout, &g, n, out[0], first, at + SAM_WINDOW_HASH);
        const size_t size = (size_t)(end - at);
        sam_put_le64(at,
                     ops->hash(at + SAM_WINDOW_HASH, size - SAM_WINDOW_HASH, 0) ^ (w.place + i));
        sam_put_le16(out + SAM_WINDOW_HEAD + 2 * i, (uint16_t)size);
        at = end;
        if ((size_t)(at - out) >= whole) /* out has no more room; planes may exceed the elements */
            return 0;
    }
    const size_t size = (size_t)(at - out);
    return size + whole / SAM_LEAST_GAIN < whole ? size : 0;
}
