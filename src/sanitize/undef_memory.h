/* SPDX-License-Identifier: Apache-2.0 */
/* Shadow memory: one byte per byte, with a bit set for each undefined bit, in pages that exist only
 * where such bits may be. Local and private memory are undefined when a workgroup starts; other
 * memory is defined, except for declared outputs. */
#ifndef SAM_SANITIZE_UNDEF_MEMORY_H
#define SAM_SANITIZE_UNDEF_MEMORY_H

#include "base/base.h"

enum { UNDEF_PAGE = 4096 };

/* The origin of an undefined value: see undef.h. 0: unknown. */
typedef uint32_t undef_origin;

struct undef_page {
    uint8_t bits[UNDEF_PAGE];
    undef_origin *origins; /* per word, of stored undefined registers; NULL: none */
    uint32_t number;
    bool lasting; /* contains bytes that outlive the workgroup */
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
    struct undef_page **pages;          /* 1 << 20 entries by address; NULL: unknown */
    struct undef_page *defined;         /* shared by all wholly defined pages */
    struct undef_pages lasting;         /* pages with bytes that outlive the workgroup */
    struct undef_pages of_group;        /* pages of the workgroup only */
    struct undef_range local, private_; /* constant during the launch */
    struct undef_range *outputs;
    size_t output_count, output_capacity;
    bool exhausted; /* out of memory: untracked bytes count as defined */
};

/* Returns false on out-of-memory. */
bool sam_undef_memory_init(struct undef_memory *memory);
void sam_undef_memory_free(struct undef_memory *memory);
/* Mark a buffer's bytes as undefined. Returns false on out-of-memory. */
bool sam_undef_memory_output(struct undef_memory *memory, uint32_t base, uint64_t size);
/* Mark bytes that the host has written as defined. */
void sam_undef_memory_define(struct undef_memory *memory, uint32_t base, uint64_t size);
/* Buffer unmapped: mark its bytes defined and not an output. */
void sam_undef_memory_forget(struct undef_memory *memory, uint32_t base, uint64_t size);
/* Begin a launch; this is the private memory of all its workgroups. */
void sam_undef_memory_launch(struct undef_memory *memory, uint32_t base, uint64_t size);
/* A workgroup begins. */
void sam_undef_memory_group(struct undef_memory *memory);

/* Find the page of an address without an entry in `pages`. */
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

/* Whether the host may read the address: it is in neither local nor private memory. */
static inline bool sam_undef_is_result(const struct undef_memory *memory, uint32_t address)
{
    return !sam_undef_within(memory->local, address) &&
           !sam_undef_within(memory->private_, address);
}

/* The undefined bits of `size` bytes (1, 2 or 4, aligned); if there are any, *origin is their
 * origin. */
uint32_t sam_undef_load(struct undef_memory *memory, uint32_t address, unsigned size,
                        undef_origin *origin);
void sam_undef_store(struct undef_memory *memory, uint32_t address, unsigned size, uint32_t bits,
                     undef_origin origin);
/* Index of the first of `size` bytes with undefined bits, or `size`. */
uint64_t sam_undef_find(struct undef_memory *memory, uint32_t base, uint64_t size);

#endif
