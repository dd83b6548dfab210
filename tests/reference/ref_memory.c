/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, the LDS window, SV39 (rulings, chapter 4). */
#include "ref_machine.h"

#include <stdlib.h>
#include <string.h>

void ref_map_init(struct ref_map *map, uint64_t bytes)
{
    map->count = (size_t)(bytes / REF_PAGE);
    map->pages = calloc(map->count, sizeof(*map->pages));
    map->shared = calloc(map->count, sizeof(*map->shared));
    if (!map->pages || !map->shared)
        abort();
}

void ref_map_free(struct ref_map *map)
{
    for (size_t i = 0; i < map->count; i++)
        if (!map->shared[i])
            free(map->pages[i]);
    free(map->pages);
    free(map->shared);
}

static uint8_t get_byte(const struct ref_map *map, uint32_t at)
{
    const uint8_t *page = map->pages[at / REF_PAGE];
    return page ? page[at % REF_PAGE] : 0;
}

static uint8_t *page_of(struct ref_map *map, uint32_t at)
{
    uint8_t **page = &map->pages[at / REF_PAGE];
    if (!*page)
        *page = calloc(1, REF_PAGE);
    if (!*page)
        abort();
    return *page;
}

static void put_byte(struct ref_map *map, uint32_t at, uint8_t value)
{
    page_of(map, at)[at % REF_PAGE] = value;
}

struct ref_gpu *ref_gpu_new(const struct sam_gpu_options *options)
{
    struct ref_gpu *gpu = calloc(1, sizeof(*gpu));
    if (!gpu)
        abort();
    if (options)
        gpu->options = *options;
    ref_map_init(&gpu->memory, UINT64_C(1) << 32);
    return gpu;
}

void ref_gpu_free(struct ref_gpu *gpu)
{
    if (!gpu)
        return;
    ref_map_free(&gpu->memory);
    free(gpu);
}

void ref_gpu_map(struct ref_gpu *gpu, uint32_t address, uint64_t size)
{
    if (gpu->range_count == REF_MAX_RANGES)
        abort();
    gpu->ranges[gpu->range_count].base = address;
    gpu->ranges[gpu->range_count++].size = size;
}

void ref_gpu_share(struct ref_gpu *gpu, uint32_t address, uint8_t *bytes, uint64_t size)
{
    if (address % REF_PAGE || size % REF_PAGE)
        abort();
    ref_gpu_map(gpu, address, size);
    for (uint64_t i = 0; i < size; i += REF_PAGE) {
        gpu->memory.pages[(address + i) / REF_PAGE] = bytes + i;
        gpu->memory.shared[(address + i) / REF_PAGE] = true;
    }
}

void ref_gpu_write(struct ref_gpu *gpu, uint32_t address, const void *data, size_t size)
{
    for (size_t i = 0; i < size;) {
        uint32_t at = address + (uint32_t)i;
        size_t part = REF_PAGE - at % REF_PAGE < size - i ? REF_PAGE - at % REF_PAGE : size - i;
        memcpy(page_of(&gpu->memory, at) + at % REF_PAGE, (const uint8_t *)data + i, part);
        i += part;
    }
}

void ref_gpu_read(struct ref_gpu *gpu, uint32_t address, void *data, size_t size)
{
    for (size_t i = 0; i < size;) {
        uint32_t at = address + (uint32_t)i;
        size_t part = REF_PAGE - at % REF_PAGE < size - i ? REF_PAGE - at % REF_PAGE : size - i;
        memcpy((uint8_t *)data + i, page_of(&gpu->memory, at) + at % REF_PAGE, part);
        i += part;
    }
}

static bool in_lds(uint32_t address)
{
    return address >= SAM_LDS_BASE && address - SAM_LDS_BASE < SAM_LDS_SIZE;
}

/* A physical access outside LDS: all of its bytes in one buffer. */
static bool in_buffer(const struct ref_gpu *gpu, uint64_t address, unsigned size)
{
    if (address + size > UINT64_C(1) << 32)
        return false;
    if (gpu->options.loose_bounds)
        return true;
    for (unsigned i = 0; i < gpu->range_count; i++)
        if (address >= gpu->ranges[i].base &&
            address + size <= gpu->ranges[i].base + gpu->ranges[i].size)
            return true;
    return false;
}

static enum sam_trap_kind fault_kind(enum ref_access access)
{
    return access == REF_FETCH  ? SAM_TRAP_FETCH
           : access == REF_LOAD ? SAM_TRAP_LOAD_FAULT
                                : SAM_TRAP_STORE_FAULT;
}

static enum sam_trap_kind page_kind(enum ref_access access)
{
    return access == REF_FETCH  ? SAM_TRAP_FETCH_PAGE
           : access == REF_LOAD ? SAM_TRAP_LOAD_PAGE
                                : SAM_TRAP_STORE_PAGE;
}

/* Walk the three levels of SV39 for a virtual address of 32 bits. U is ignored; A and D are set. */
static bool translate(struct ref_warp *w, uint32_t va, enum ref_access access, uint32_t lane,
                      uint64_t *physical)
{
    struct ref_gpu *gpu = w->group->gpu;
    uint64_t table = gpu->options.ptbr;
    for (int level = 2; level >= 0; level--) {
        uint64_t at = table + 8 * (uint64_t)((va >> (12 + 9 * level)) & 511);
        if (!in_buffer(gpu, at, 8))
            return ref_trap(w, fault_kind(access), lane, va);
        uint64_t pte = ref_get(w, (uint32_t)at, 8);
        bool valid = pte & 1, r = pte & 2, wr = pte & 4, x = pte & 8;
        uint64_t page = (pte >> 10 & ((UINT64_C(1) << 44) - 1)) << 12;
        if (!valid || (wr && !r))
            return ref_trap(w, page_kind(access), lane, va);
        if (!r && !x) {
            table = page;
            continue;
        }
        uint64_t below = (UINT64_C(1) << (12 + 9 * level)) - 1;
        bool allowed = access == REF_FETCH   ? x
                       : access == REF_LOAD  ? r
                       : access == REF_STORE ? wr
                                             : r && wr;
        if (!allowed || (page & below))
            return ref_trap(w, page_kind(access), lane, va);
        uint64_t used = pte | 1 << 6;
        if (access == REF_STORE || access == REF_AMO)
            used |= 1 << 7;
        if (used != pte)
            ref_put(w, (uint32_t)at, 8, used);
        *physical = page | (va & below);
        return true;
    }
    return ref_trap(w, page_kind(access), lane, va);
}

/* Whether the launch declares the byte of local memory, or a range has it. */
static bool is_declared(const struct ref_warp *w, uint32_t address)
{
    const struct sam_gpu_options *options = &w->group->gpu->options;
    bool declared = address - SAM_LDS_BASE < w->group->launch->lds_size;
    for (size_t i = 0; i < options->lds_range_count; i++)
        declared |= address - options->lds_ranges[i].base < options->lds_ranges[i].size;
    return declared;
}

bool ref_check(struct ref_warp *w, uint32_t address, unsigned size, enum ref_access access,
               uint32_t lane, uint32_t *physical)
{
    struct ref_gpu *gpu = w->group->gpu;
    if (address % size != 0)
        return ref_trap(w,
                        access == REF_FETCH  ? SAM_TRAP_FETCH_MISALIGNED
                        : access == REF_LOAD ? SAM_TRAP_LOAD_MISALIGNED
                                             : SAM_TRAP_STORE_MISALIGNED,
                        lane, address);
    *physical = address;
    if (in_lds(address) && access != REF_FETCH) {
        for (unsigned i = 0; gpu->options.strict_lds && i < size; i++)
            if (!is_declared(w, address + i))
                return ref_trap(w, fault_kind(access), lane, address);
        return true;
    }
    uint64_t at = address;
    if (gpu->options.sv39 && !translate(w, address, access, lane, &at))
        return false;
    if (!in_buffer(gpu, at, size))
        return ref_trap(w, fault_kind(access), lane, address);
    *physical = (uint32_t)at;
    return true;
}

uint64_t ref_get(struct ref_warp *w, uint32_t physical, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        uint32_t at = physical + i;
        uint64_t byte = in_lds(at) ? get_byte(&w->group->lds, at - SAM_LDS_BASE)
                                   : get_byte(&w->group->gpu->memory, at);
        value |= byte << 8 * i;
    }
    return value;
}

void ref_put(struct ref_warp *w, uint32_t physical, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++) {
        uint32_t at = physical + i;
        uint8_t byte = (uint8_t)(value >> 8 * i);
        if (in_lds(at))
            put_byte(&w->group->lds, at - SAM_LDS_BASE, byte);
        else
            put_byte(&w->group->gpu->memory, at, byte);
    }
}

bool ref_load(struct ref_warp *w, uint32_t address, unsigned size, uint32_t lane, uint64_t *value)
{
    uint32_t physical = 0;
    if (!ref_check(w, address, size, REF_LOAD, lane, &physical))
        return false;
    *value = ref_get(w, physical, size);
    return true;
}

bool ref_store(struct ref_warp *w, uint32_t address, unsigned size, uint32_t lane, uint64_t value)
{
    uint32_t physical = 0;
    if (!ref_check(w, address, size, REF_STORE, lane, &physical))
        return false;
    ref_put(w, physical, size, value);
    return true;
}

bool ref_private(struct ref_warp *w, uint32_t a, unsigned size, bool load, uint32_t lane,
                 uint32_t *address)
{
    const struct sam_launch *launch = w->group->launch;
    if (a >= launch->pds_size)
        return ref_trap(w, SAM_TRAP_PRIVATE_RANGE, lane, a);
    if (a % size != 0) /* the address computed by the program is reported */
        return ref_trap(w, load ? SAM_TRAP_LOAD_MISALIGNED : SAM_TRAP_STORE_MISALIGNED, lane, a);
    *address = w->group->pds + (a & ~3u) * launch->warps * launch->lanes + (a & 3) +
               4 * (w->wid * launch->lanes + lane);
    return true;
}
