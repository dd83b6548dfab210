/* SPDX-License-Identifier: Apache-2.0 */
#include "tile/core/written.h"

#include "base/base.h"
#include "base/portable.h"

/* Below this, testing the bits is as fast. */
enum { SHORTEST_STRETCH = 512 };

bool sam_tile_written_grow(struct sam_tile_written *w, uint64_t size)
{
    uint64_t *bits = sam_pages_grow(w->bits, w->size / 8, size / 8);
    if (!bits)
        return false;
    w->bits = bits;
    w->size = size;
    return true;
}

void sam_tile_written_close(struct sam_tile_written *w)
{
    sam_pages_free(w->bits, w->size / 8);
    *w = (struct sam_tile_written){0};
}

/* Add a stretch, or extend one. */
static void note(struct sam_tile_written *w, uint64_t low, uint64_t high)
{
    for (size_t i = 0; i < SAM_TILE_STRETCHES; i++) {
        uint64_t *from = &w->whole[i].low, *to = &w->whole[i].high;
        if (*from == *to || low > *to || high < *from)
            continue;
        *from = low < *from ? low : *from;
        *to = high > *to ? high : *to;
        return;
    }
    if (high - low < SHORTEST_STRETCH)
        return;
    w->whole[w->next].low = low;
    w->whole[w->next].high = high;
    w->next = (w->next + 1) % SAM_TILE_STRETCHES;
}

static uint64_t bits_below(uint64_t count)
{
    return (UINT64_C(1) << count) - 1;
}

static void set_bits(uint64_t *words, uint64_t first, uint64_t count, bool value)
{
    uint64_t end = first + count, low = first / 64, high = end / 64;
    uint64_t head = ~bits_below(first % 64), tail = bits_below(end % 64);
    if (low == high)
        head &= tail;
    words[low] = value ? words[low] | head : words[low] & ~head;
    if (low == high)
        return;
    memset(&words[low + 1], value ? 0xff : 0, (high - low - 1) * sizeof *words);
    if (tail)
        words[high] = value ? words[high] | tail : words[high] & ~tail;
}

void sam_tile_written_set(struct sam_tile_written *w, uint64_t first, uint64_t count)
{
    if (!count || sam_tile_written_known(w, first, count))
        return;
    set_bits(w->bits, first, count, true);
    note(w, first, first + count);
}

void sam_tile_written_clear(struct sam_tile_written *w, uint64_t first, uint64_t count)
{
    uint64_t end = first + count;
    if (!count)
        return;
    set_bits(w->bits, first, count, false);
    for (size_t i = 0; i < SAM_TILE_STRETCHES; i++) {
        uint64_t *from = &w->whole[i].low, *to = &w->whole[i].high;
        if (first >= *to || end <= *from)
            continue;
        if (first > *from) /* keep one part; the bits still record the other */
            *to = first;
        else
            *from = end < *to ? end : *to;
    }
}

bool sam_tile_written_all(struct sam_tile_written *w, uint64_t first, uint64_t count)
{
    if (!count || sam_tile_written_known(w, first, count))
        return true;
    const uint64_t *words = w->bits;
    uint64_t end = first + count, low = first / 64, high = end / 64, all = UINT64_MAX;
    uint64_t head = ~bits_below(first % 64), tail = bits_below(end % 64);
    if (low == high)
        return (words[low] & head & tail) == (head & tail);
    for (uint64_t i = low + 1; i < high; i++)
        all &= words[i];
    if (all != UINT64_MAX || (words[low] & head) != head || (tail && (words[high] & tail) != tail))
        return false;
    note(w, first, end);
    return true;
}
