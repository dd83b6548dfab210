/* SPDX-License-Identifier: Apache-2.0 */
/* Which bits of memory nothing has written: one shadow byte per byte, a set bit for each bit that
 * is undefined, in pages that exist where such bits may be. Local memory and the private memory of
 * a launch are undefined when a workgroup starts; other memory is defined, except for what is
 * declared an output. */
#ifndef SAM_SANITIZE_UNDEF_MEMORY_H
#define SAM_SANITIZE_UNDEF_MEMORY_H

#include "base/base.h"

enum { UNDEF_PAGE = 4096 };

/* What a value derives from: see undef.h. 0: not known. */
typedef uint32_t undef_origin;

struct undef_page {
    uint8_t bits[UNDEF_PAGE];
    undef_origin *origins; /* of each word that an undefined register was stored to; NULL: none */
    uint32_t number;
    bool lasting; /* not all of it is the workgroup's own */
};

struct undef_pages {
    struct undef_page **items;
    size_t count, capacity;
};

struct undef_range {
    uint32_t base;
    uint64_t size;
};

struct undef_memory {
    struct undef_page **pages;          /* 1 << 20 of them, by address; NULL: look closer */
    struct undef_page *defined;         /* stands for every page that is defined as a whole */
    struct undef_pages lasting;         /* pages with bytes that are not the workgroup's own */
    struct undef_pages of_group;        /* pages with bytes that are */
    struct undef_range local, private_; /* of the launch */
    struct undef_range *outputs;
    size_t output_count, output_capacity;
    bool exhausted; /* out of memory: what is not known counts as defined */
};

/* False: out of memory. */
bool sam_undef_memory_init(struct undef_memory *memory);
void sam_undef_memory_free(struct undef_memory *memory);
/* A buffer whose bytes are undefined from now on. False: out of memory. */
bool sam_undef_memory_output(struct undef_memory *memory, uint32_t base, uint64_t size);
/* The host has written these bytes. */
void sam_undef_memory_define(struct undef_memory *memory, uint32_t base, uint64_t size);
/* The buffer of these bytes is gone: they are defined, and no output. */
void sam_undef_memory_forget(struct undef_memory *memory, uint32_t base, uint64_t size);
/* A launch begins, with this private memory for all of its workgroups. */
void sam_undef_memory_launch(struct undef_memory *memory, uint32_t base, uint64_t size);
/* A workgroup begins. */
void sam_undef_memory_group(struct undef_memory *memory);

/* The page of an address that `pages` has no entry for. */
struct undef_page *sam_undef_page_make(struct undef_memory *memory, uint32_t address);

static inline struct undef_page *sam_undef_page(struct undef_memory *memory, uint32_t address)
{
    struct undef_page *page = memory->pages[address / UNDEF_PAGE];
    return SAM_LIKELY(page) ? page : sam_undef_page_make(memory, address);
}

static inline bool sam_undef_within(struct undef_range range, uint32_t address)
{
    return (uint32_t)(address - range.base) < range.size;
}

/* Whether the host may read what is stored there: it is neither local nor private memory. */
static inline bool sam_undef_is_result(const struct undef_memory *memory, uint32_t address)
{
    return !sam_undef_within(memory->local, address) &&
           !sam_undef_within(memory->private_, address);
}

/* The undefined bits of `size` bytes (1, 2 or 4, aligned); when there are some, *origin is what is
 * known of them. */
uint32_t sam_undef_load(struct undef_memory *memory, uint32_t address, unsigned size,
                        undef_origin *origin);
void sam_undef_store(struct undef_memory *memory, uint32_t address, unsigned size, uint32_t bits,
                     undef_origin origin);
/* The first of `size` bytes that is not wholly defined; `size` when all are. */
uint64_t sam_undef_find(struct undef_memory *memory, uint32_t base, uint64_t size);

#endif
