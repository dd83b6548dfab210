/* SPDX-License-Identifier: Apache-2.0 */
/* SV39 page tables: walks the tables of a launch, and builds tables that map all buffers. RISC-V
 * Privileged 4.4; Ventus 2.3 (PTBR). docs/ventus-rulings.md 4.7. */
#include "machine/journal.h"
#include "simt/simt.h"

enum { PTE_V = 1, PTE_R = 2, PTE_W = 4, PTE_X = 8, PTE_A = 64, PTE_D = 128 };
enum { ENTRIES = 512, TABLE_SIZE = 4096, TOP_LEVEL = 2 };

/* The number of address bits below the index into a table of this level. */
static unsigned shift_of(int level)
{
    return 12 + 9 * (unsigned)level;
}

static uint64_t frame_of(uint64_t entry)
{
    return (entry >> 10 & ((UINT64_C(1) << 44) - 1)) << 12;
}

/* ------------------------------------------------------------------------------------ walk */

/* U is ignored; A and D are set. */
enum sam_walk sam_sv39_walk(const struct sam_gpu *gpu, uint32_t address, enum sam_access access,
                            uint64_t *physical, struct sam_journal *journal)
{
    uint64_t table = gpu->options.ptbr;
    for (int level = TOP_LEVEL; level >= 0; level--) {
        const unsigned shift = shift_of(level);
        const uint64_t at = table + ((uint64_t)address >> shift & (ENTRIES - 1)) * 8;
        if (!sam_memory_find(gpu->memory, at) && !gpu->options.loose_bounds)
            return SAM_WALK_ACCESS_FAULT;
        uint8_t *host = sam_memory_host(gpu->memory, at & ~UINT64_C(7));
        if (!host)
            return SAM_WALK_EXHAUSTED;
        const uint64_t entry = __atomic_load_n((uint64_t *)(void *)host, __ATOMIC_RELAXED);
        if (!(entry & PTE_V) || (!(entry & PTE_R) && (entry & PTE_W)))
            return SAM_WALK_PAGE_FAULT;
        if (!(entry & (PTE_R | PTE_X))) {
            table = frame_of(entry);
            continue;
        }
        const uint64_t inside = (UINT64_C(1) << shift) - 1;
        const unsigned need = access == SAM_FETCH ? PTE_X : access == SAM_LOAD ? PTE_R : PTE_W;
        if (!(entry & need) || (frame_of(entry) & inside))
            return SAM_WALK_PAGE_FAULT;
        const uint64_t marks = PTE_A | (access == SAM_STORE ? PTE_D : 0);
        if ((entry & marks) != marks && journal &&
            !sam_journal_save_range(journal, gpu->memory, at, sizeof entry))
            return SAM_WALK_EXHAUSTED;
        if ((entry & marks) != marks)
            __atomic_fetch_or((uint64_t *)(void *)host, marks, __ATOMIC_RELAXED);
        *physical = frame_of(entry) | (address & inside);
        return SAM_WALK_OK;
    }
    return SAM_WALK_PAGE_FAULT;
}

/* ----------------------------------------------------------------------------------- build */

/* Address of the tables, beyond the 32-bit address space: one root, and at most one table per GiB
 * and one per 2 MiB of the 32-bit address space. */
#define TABLES_BASE (UINT64_C(1) << 32)
enum { MAX_TABLES = 1 + 4 + 2048 };

struct builder {
    struct sam_memory *memory;
    uint64_t next; /* where to put the next table */
};

/* Allocate an empty table. Returns false on out-of-memory. */
static bool new_table(struct builder *b, uint64_t *table)
{
    uint8_t *host = sam_memory_host(b->memory, b->next);
    if (!host)
        return false;
    memset(host, 0, TABLE_SIZE);
    *table = b->next;
    b->next += TABLE_SIZE;
    return true;
}

/* The host address of the PTE of the 4 KiB page at `address`. Returns NULL on out-of-memory. */
static uint8_t *leaf_of(struct builder *b, uint64_t address)
{
    uint64_t table = TABLES_BASE;
    for (int level = TOP_LEVEL;; level--) {
        uint8_t *host =
            sam_memory_host(b->memory, table + (address >> shift_of(level) & (ENTRIES - 1)) * 8);
        if (!host || level == 0)
            return host;
        uint64_t entry = sam_le64(host);
        if (!(entry & PTE_V)) {
            if (!new_table(b, &table))
                return NULL;
            entry = table >> 12 << 10 | PTE_V;
            sam_put_le64(host, entry);
        }
        table = frame_of(entry);
    }
}

/* Add permissions to the pages that overlap [base, base + size). */
static bool permit(struct builder *b, uint64_t base, uint64_t size, unsigned flags)
{
    for (uint64_t page = base & ~UINT64_C(4095); size && page <= base + (size - 1); page += 4096) {
        uint8_t *host = leaf_of(b, page);
        if (!host)
            return false;
        sam_put_le64(host, sam_le64(host) | page >> 12 << 10 | PTE_V | flags);
    }
    return true;
}

/* Pages of sections first: such a page gets the sections' permissions only. */
static bool permit_sections(struct builder *b, const struct sam_image *image)
{
    for (size_t i = 0; image && i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        const unsigned flags = PTE_R | (s->write ? PTE_W : 0) | (s->execute ? PTE_X : 0);
        if (s->size && s->address + (s->size - 1) <= UINT32_MAX &&
            !permit(b, s->address, s->size, flags))
            return false;
    }
    return true;
}

/* All other pages of the buffer. */
static bool permit_rest(struct builder *b, const struct sam_region *region, bool executable)
{
    const uint64_t last = region->base + (region->size - 1);
    for (uint64_t page = region->base & ~UINT64_C(4095); page <= last; page += 4096) {
        const bool code = executable && page < SAM_BUFFER_BASE;
        uint8_t *host = leaf_of(b, page);
        if (!host)
            return false;
        if (!(sam_le64(host) & PTE_V))
            sam_put_le64(host, page >> 12 << 10 | PTE_V | PTE_R | PTE_W | (code ? PTE_X : 0));
    }
    return true;
}

enum sam_status sam_gpu_build_sv39(struct sam_gpu *gpu, const struct sam_image *image,
                                   uint64_t *ptbr, struct sam_error *error)
{
    if (SAM_LACKS(error, gpu, ptbr))
        return SAM_ERR_USAGE;
    struct builder b = {.memory = gpu->memory, .next = TABLES_BASE};
    enum sam_status status =
        sam_memory_map(gpu->memory, TABLES_BASE, (uint64_t)MAX_TABLES * TABLE_SIZE, error);
    if (status != SAM_OK)
        return status;
    uint64_t root;
    bool ok = new_table(&b, &root) && permit_sections(&b, image);
    const struct sam_region *region = sam_memory_next(gpu->memory, 0);
    while (ok && region && region->base < TABLES_BASE) {
        ok = permit_rest(&b, region, !image);
        region = sam_memory_next(gpu->memory, region->base + region->size);
    }
    if (!ok)
        return sam_fail_memory(error);
    *ptbr = root;
    return SAM_OK;
}
