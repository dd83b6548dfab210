/* SPDX-License-Identifier: Apache-2.0 */
#include "simt/footprint.h"

#include <stdlib.h>

#include "base/base.h"
#include "samite/gpu.h"

enum { LINES = 4096 / SAM_FOOTPRINT_LINE };

static uint32_t place_of(const struct sam_footprint *t, uint32_t number)
{
    uint32_t at = number * UINT32_C(0x9e3779b1) & (t->capacity - 1);
    while (t->pages[at].number && t->pages[at].number != number)
        at = (at + 1) & (t->capacity - 1);
    return at;
}

static bool grow(struct sam_footprint *t)
{
    const struct sam_footprint old = *t;
    t->capacity = old.capacity ? 2 * old.capacity : 64;
    t->pages = sam_alloc(t->capacity, sizeof *t->pages);
    if (!t->pages) {
        *t = old;
        t->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.pages[i].number)
            t->pages[place_of(t, old.pages[i].number)] = old.pages[i];
    free(old.pages);
    return true;
}

static struct sam_footprint_page *page_at(struct sam_footprint *t, uint32_t number)
{
    if (t->capacity && t->pages[t->last].number == number)
        return &t->pages[t->last];
    if (2 * t->count >= t->capacity && !grow(t))
        return NULL;
    t->last = place_of(t, number);
    struct sam_footprint_page *page = &t->pages[t->last];
    t->count += !page->number;
    page->number = number;
    return page;
}

void sam_footprint_add(struct sam_footprint *t, bool store, uint32_t address, uint32_t size)
{
    if (address - SAM_LDS_BASE < SAM_LDS_SIZE)
        return;
    uint64_t line = address / SAM_FOOTPRINT_LINE;
    const uint64_t last = ((uint64_t)address + size - 1) / SAM_FOOTPRINT_LINE;
    for (; line <= last; line++) {
        struct sam_footprint_page *page = page_at(t, 1 + (uint32_t)(line / LINES));
        if (!page)
            return;
        page->lines[store] |= UINT64_C(1) << line % LINES;
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = ((const struct sam_footprint_page *)a)->number;
    const uint32_t y = ((const struct sam_footprint_page *)b)->number;
    return (x > y) - (x < y);
}

/* Append the lines of a page, extending the last span where possible. */
static void add_lines(const struct sam_footprint_page *page, bool store,
                      struct sam_footprint_span *spans, size_t *count)
{
    const uint32_t base = (page->number - 1) * 4096;
    for (unsigned i = 0; i < LINES; i++) {
        const uint32_t low = base + i * SAM_FOOTPRINT_LINE;
        struct sam_footprint_span *before = *count ? &spans[*count - 1] : NULL;
        if (!(page->lines[store] >> i & 1))
            continue;
        if (before && before->store == store && before->high + 1 == low)
            before->high += SAM_FOOTPRINT_LINE;
        else
            spans[(*count)++] =
                (struct sam_footprint_span){low, low + SAM_FOOTPRINT_LINE - 1, store};
    }
}

struct sam_footprint_span *sam_footprint_spans(const struct sam_footprint *t, size_t *count)
{
    /* at most every other line of a page begins a span */
    struct sam_footprint_span *spans = sam_alloc((size_t)t->count * LINES + 1, sizeof *spans);
    struct sam_footprint_page *sorted = sam_alloc(t->count + (size_t)1, sizeof *sorted);
    size_t pages = 0;
    *count = 0;
    if (!spans || !sorted || t->failed) {
        free(spans);
        free(sorted);
        return NULL;
    }
    for (uint32_t i = 0; i < t->capacity; i++)
        if (t->pages[i].number)
            sorted[pages++] = t->pages[i];
    qsort(sorted, pages, sizeof *sorted, by_number);
    for (unsigned store = 0; store < 2; store++)
        for (size_t i = 0; i < pages; i++)
            add_lines(&sorted[i], store, spans, count);
    free(sorted);
    return spans;
}

void sam_footprint_free(struct sam_footprint *t)
{
    free(t->pages);
    *t = (struct sam_footprint){0};
}
