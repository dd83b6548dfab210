/* SPDX-License-Identifier: Apache-2.0 */
#include "sanitize/undef_memory.h"

#include <stdlib.h>

#include "samite/gpu.h"

#define PAGES (UINT32_C(1) << 20)

bool sam_undef_memory_init(struct undef_memory *memory)
{
    *memory = (struct undef_memory){.local = {SAM_LDS_BASE, SAM_LDS_SIZE}};
    memory->pages = sam_pages_new(PAGES * sizeof(struct undef_page *));
    memory->defined = sam_alloc(1, sizeof *memory->defined);
    return memory->pages && memory->defined;
}

static void free_page(struct undef_page *page)
{
    free(page->origins);
    free(page);
}

void sam_undef_memory_free(struct undef_memory *memory)
{
    for (size_t i = 0; i < memory->of_group.count; i++)
        if (!memory->of_group.items[i]->lasting)
            free_page(memory->of_group.items[i]);
    for (size_t i = 0; i < memory->lasting.count; i++)
        free_page(memory->lasting.items[i]);
    sam_pages_free(memory->pages, PAGES * sizeof(struct undef_page *));
    free(memory->defined);
    free(memory->of_group.items);
    free(memory->lasting.items);
    free(memory->outputs);
    *memory = (struct undef_memory){0};
}

/* The part of a page inside a range: *from is its first byte; returns its size. */
static uint32_t part_of(struct undef_range range, uint32_t number, uint32_t *from)
{
    const uint64_t base = (uint64_t)number * UNDEF_PAGE, end = base + UNDEF_PAGE;
    const uint64_t range_end = range.base + range.size;
    const uint64_t first = base > range.base ? base : range.base;
    const uint64_t last = end < range_end ? end : range_end;
    *from = (uint32_t)(first - base);
    return first < last ? (uint32_t)(last - first) : 0;
}

/* Mark part of a page as undefined. */
static bool mark(struct undef_page *page, struct undef_range range)
{
    uint32_t from;
    const uint32_t size = part_of(range, page->number, &from);
    if (size)
        memset(page->bits + from, 0xff, size);
    return size != 0;
}

/* Mark part of a page as undefined at the start of every workgroup. */
static bool mark_for_group(const struct undef_memory *memory, struct undef_page *page)
{
    const bool local = mark(page, memory->local);
    return mark(page, memory->private_) || local;
}

static bool has_undefined(const struct undef_memory *memory, uint32_t number)
{
    uint32_t from;
    if (part_of(memory->local, number, &from) || part_of(memory->private_, number, &from))
        return true;
    for (size_t i = 0; i < memory->output_count; i++)
        if (part_of(memory->outputs[i], number, &from))
            return true;
    return false;
}

static bool note(struct undef_pages *pages, struct undef_page *page)
{
    void *grown =
        sam_grow(pages->items, pages->count, &pages->capacity, sizeof(struct undef_page *));
    if (!grown)
        return false;
    pages->items = grown;
    pages->items[pages->count++] = page;
    return true;
}

static bool is_whole(struct undef_range range, uint32_t number)
{
    uint32_t from;
    return part_of(range, number, &from) == UNDEF_PAGE;
}

/* A page of shadow memory, created if necessary. Returns NULL on out-of-memory. */
static struct undef_page *new_page(struct undef_memory *memory, uint32_t number)
{
    struct undef_page *page = sam_alloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->number = number;
    page->lasting = !is_whole(memory->local, number) && !is_whole(memory->private_, number);
    for (size_t i = 0; i < memory->output_count; i++)
        mark(page, memory->outputs[i]);
    const bool own = mark_for_group(memory, page);
    if (page->lasting && !note(&memory->lasting, page)) {
        free_page(page);
        return NULL;
    }
    if (own && !note(&memory->of_group, page)) {
        if (page->lasting)
            memory->lasting.count--;
        free_page(page);
        return NULL;
    }
    return page;
}

SAM_NOINLINE struct undef_page *sam_undef_page_make(struct undef_memory *memory, uint32_t address)
{
    const uint32_t number = address / UNDEF_PAGE;
    struct undef_page *page =
        has_undefined(memory, number) ? new_page(memory, number) : memory->defined;
    if (!page) {
        memory->exhausted = true;
        page = memory->defined;
    }
    memory->pages[number] = page;
    return page;
}

/* The first page of a range, and the end of its last. */
static uint32_t first_page(struct undef_range range)
{
    return range.base / UNDEF_PAGE;
}

static uint32_t end_page(struct undef_range range)
{
    const uint64_t end = (range.base + range.size + UNDEF_PAGE - 1) / UNDEF_PAGE;
    return range.size == 0 ? 0 : end < PAGES ? (uint32_t)end : PAGES;
}

/* Apply `act` to the existing pages of a range. Drops entries of wholly defined pages. */
static void each_page(struct undef_memory *memory, struct undef_range range,
                      void (*act)(struct undef_memory *, struct undef_page *, struct undef_range))
{
    for (uint32_t i = first_page(range); i < end_page(range); i++) {
        struct undef_page **entry = &memory->pages[i];
        if (*entry == memory->defined)
            *entry = NULL;
        else if (*entry)
            act(memory, *entry, range);
    }
}

static void clear(struct undef_memory *memory, struct undef_page *page, struct undef_range range)
{
    uint32_t from;
    const uint32_t size = part_of(range, page->number, &from);
    (void)memory;
    memset(page->bits + from, 0, size);
}

static void mark_page(struct undef_memory *memory, struct undef_page *page,
                      struct undef_range range)
{
    (void)memory;
    mark(page, range);
}

bool sam_undef_memory_output(struct undef_memory *memory, uint32_t base, uint64_t size)
{
    const struct undef_range range = {base, size};
    size_t known = 0;
    while (known < memory->output_count &&
           (memory->outputs[known].base != base || memory->outputs[known].size != size))
        known++;
    if (known == memory->output_count) {
        void *grown =
            sam_grow(memory->outputs, known, &memory->output_capacity, sizeof *memory->outputs);
        if (!grown)
            return false;
        memory->outputs = grown;
        memory->outputs[memory->output_count++] = range;
    }
    each_page(memory, range, mark_page);
    return true;
}

void sam_undef_memory_define(struct undef_memory *memory, uint32_t base, uint64_t size)
{
    const struct undef_range range = {base, size};
    for (uint32_t i = first_page(range); i < end_page(range); i++) {
        struct undef_page *page = sam_undef_page(memory, i * UNDEF_PAGE);
        if (page != memory->defined)
            clear(memory, page, range);
    }
}

void sam_undef_memory_forget(struct undef_memory *memory, uint32_t base, uint64_t size)
{
    const struct undef_range range = {base, size};
    size_t kept = 0;
    for (size_t i = 0; i < memory->output_count; i++)
        if (!sam_undef_within(range, memory->outputs[i].base))
            memory->outputs[kept++] = memory->outputs[i];
    memory->output_count = kept;
    each_page(memory, range, clear);
}

static void begin_private(struct undef_memory *memory, struct undef_page *page,
                          struct undef_range range)
{
    mark(page, range);
    if (!note(&memory->of_group, page))
        memory->exhausted = true;
}

/* Release the pages of private memory: the next workgroup has its own. */
static void drop_private(struct undef_memory *memory)
{
    struct undef_pages *pages = &memory->of_group;
    size_t kept = 0;
    for (size_t i = 0; i < pages->count; i++) {
        struct undef_page *page = pages->items[i];
        if (page->lasting || is_whole(memory->local, page->number)) {
            pages->items[kept++] = page;
        } else {
            memory->pages[page->number] = NULL;
            free_page(page);
        }
    }
    pages->count = kept;
}

void sam_undef_memory_launch(struct undef_memory *memory, uint32_t base, uint64_t size)
{
    struct undef_pages *pages = &memory->of_group;
    size_t kept = 0;
    drop_private(memory);
    for (size_t i = 0; i < pages->count; i++)
        if (!pages->items[i]->lasting)
            pages->items[kept++] = pages->items[i];
    pages->count = kept;
    each_page(memory, memory->private_, clear);
    memory->private_ = (struct undef_range){base, size};
    each_page(memory, memory->private_, begin_private);
}

void sam_undef_memory_group(struct undef_memory *memory)
{
    drop_private(memory);
    for (size_t i = 0; i < memory->of_group.count; i++) {
        struct undef_page *page = memory->of_group.items[i];
        mark_for_group(memory, page);
        free(page->origins);
        page->origins = NULL;
    }
}

/* ---------------------------------------------------------------------------------- accesses */

uint32_t sam_undef_load(struct undef_memory *memory, uint32_t address, unsigned size,
                        undef_origin *origin)
{
    const struct undef_page *page = sam_undef_page(memory, address);
    const uint32_t offset = address % UNDEF_PAGE;
    uint32_t bits = 0;
    if (page == memory->defined || offset + size > UNDEF_PAGE)
        return 0;
    memcpy(&bits, page->bits + offset, size); /* little-endian hosts, as in simt/ */
    if (bits)
        *origin = page->origins ? page->origins[offset / 4] : 0;
    return bits;
}

void sam_undef_store(struct undef_memory *memory, uint32_t address, unsigned size, uint32_t bits,
                     undef_origin origin)
{
    struct undef_page *page = sam_undef_page(memory, address);
    const uint32_t offset = address % UNDEF_PAGE;
    if (page == memory->defined || offset + size > UNDEF_PAGE)
        return;
    memcpy(page->bits + offset, &bits, size);
    if (bits && !page->origins)
        page->origins = sam_alloc(UNDEF_PAGE / 4, sizeof *page->origins);
    if (page->origins && (bits || size == 4))
        page->origins[offset / 4] = bits ? origin : 0;
}

uint64_t sam_undef_find(struct undef_memory *memory, uint32_t base, uint64_t size)
{
    for (uint64_t i = 0; i < size;) {
        const uint64_t at = base + i;
        const uint64_t rest = UNDEF_PAGE - at % UNDEF_PAGE,
                       part = size - i < rest ? size - i : rest;
        const struct undef_page *page = sam_undef_page(memory, (uint32_t)at);
        for (uint64_t k = 0; page != memory->defined && k < part; k++)
            if (page->bits[at % UNDEF_PAGE + k])
                return i + k;
        i += part;
    }
    return size;
}
