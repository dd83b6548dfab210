/* SPDX-License-Identifier: Apache-2.0 */
/* The memory operations of a machine's owner: map, copy in and out, load programs. */
#include "machine/machine.h"

/* Upper bound of the addresses that sam_host_alloc uses in a 64-bit address space. */
#define ALLOC_LIMIT (UINT64_C(1) << 47)

static unsigned digits_of(const struct sam_memory *memory)
{
    return sam_memory_rules(memory)->bits == 32 ? 8 : 0;
}

static bool meets(const struct sam_region *region, uint64_t base, uint64_t size)
{
    return size && region->size && base < region->base + region->size && base + size > region->base;
}

enum sam_status sam_host_map(struct sam_memory *memory, uint64_t base, uint64_t size,
                             struct sam_error *error)
{
    const struct sam_memory_rules *rules = sam_memory_rules(memory);
    const struct sam_region *window = &rules->window, *registers = &rules->registers;
    if (rules->bits == 32 && (base > UINT32_MAX || size > (UINT64_C(1) << 32) - base))
        return sam_fail(error, SAM_ERR_USAGE,
                        "buffer 0x%08llx..+0x%llx reaches past the 32-bit address space",
                        (unsigned long long)base, (unsigned long long)size);
    if (meets(registers, base, size))
        return sam_fail(error, SAM_ERR_USAGE,
                        "buffer 0x%08llx..+0x%llx lies in the control registers 0x%08llx..0x%08llx",
                        (unsigned long long)base, (unsigned long long)size,
                        (unsigned long long)registers->base,
                        (unsigned long long)(registers->base + registers->size - 1));
    if (meets(window, base, size))
        return sam_fail(error, SAM_ERR_USAGE,
                        "buffer 0x%0*llx..+0x%llx lies in the local-memory window 0x%0*llx..0x%llx",
                        (int)digits_of(memory), (unsigned long long)base, (unsigned long long)size,
                        (int)digits_of(memory), (unsigned long long)window->base,
                        (unsigned long long)(window->base + window->size - 1));
    return rules->joins ? sam_memory_add(memory, base, size, error)
                        : sam_memory_map(memory, base, size, error);
}

enum sam_status sam_host_cover(struct sam_memory *memory, uint64_t base, uint64_t size,
                               struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    if (sam_memory_rules(memory)->joins)
        return sam_host_map(memory, base, size, error);
    while (size && status == SAM_OK) {
        const struct sam_region *next = sam_memory_next(memory, base);
        uint64_t part = size;
        if (next && next->base <= base) {
            part = next->size - (base - next->base);
            part = part < size ? part : size;
        } else {
            part = next && next->base - base < size ? next->base - base : size;
            status = sam_host_map(memory, base, part, error);
        }
        base += part;
        size -= part;
    }
    return status;
}

static uint64_t limit_of(const struct sam_memory *memory)
{
    return sam_memory_rules(memory)->bits == 32 ? UINT64_C(1) << 32 : ALLOC_LIMIT;
}

static enum sam_status fail_room(uint64_t size, struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_USAGE, "no room for a buffer of %llu bytes",
                    (unsigned long long)size);
}

enum sam_status sam_host_alloc(struct sam_memory *memory, uint64_t from, uint64_t size,
                               uint64_t *address, struct sam_error *error)
{
    *address = sam_memory_gap(memory, from, limit_of(memory), size ? size : 1, SAM_PAGE_SIZE);
    if (!*address)
        return fail_room(size, error);
    return sam_host_map(memory, *address, size, error);
}

enum sam_status sam_host_alloc_pages(struct sam_memory *memory, uint64_t from, uint64_t size,
                                     uint64_t *address, struct sam_error *error)
{
    const uint64_t page = SAM_PAGE_SIZE, pages = (size + page - 1) / page * page;
    if (!*address && !(*address = sam_memory_gap(memory, from, limit_of(memory), pages, 0)))
        return fail_room(size, error);
    const uint64_t asked = *address + size;
    uint64_t end = (asked + page - 1) / page * page;
    const struct sam_region *next = sam_memory_next(memory, asked);
    if (next && next->base < end)
        end = next->base > asked ? next->base : asked;
    const enum sam_status status = sam_host_map(memory, *address, end - *address, error);
    if (status == SAM_OK)
        sam_memory_set_slack(memory, *address, end - asked);
    return status;
}

static enum sam_status check_range(const struct sam_memory *memory, uint64_t address, size_t size,
                                   const char *what, struct sam_error *error)
{
    const struct sam_region *region = sam_memory_find(memory, address);
    if (size && (!region || size > region->size - (address - region->base)))
        return sam_fail(error, SAM_ERR_USAGE, "%s of 0x%zx bytes at 0x%0*llx: not in one buffer",
                        what, size, (int)digits_of(memory), (unsigned long long)address);
    return SAM_OK;
}

void sam_host_invalidate_code(struct sam_code *code, uint64_t address, uint64_t size)
{
    while (code && size) {
        uint64_t rest = SAM_PAGE_SIZE - address % SAM_PAGE_SIZE;
        unsigned part = (unsigned)(rest < size ? rest : size);
        sam_code_store(code, address, part);
        address += part;
        size -= part;
    }
}

enum sam_status sam_host_write(struct sam_memory *memory, struct sam_code *code, uint64_t address,
                               const void *data, size_t size, struct sam_error *error)
{
    if (size && !data)
        return sam_fail_null(error, "data");
    enum sam_status status = check_range(memory, address, size, "write", error);
    if (status == SAM_OK && !sam_memory_write(memory, address, data, size))
        status = sam_fail_memory(error);
    if (status == SAM_OK)
        sam_host_invalidate_code(code, address, size);
    return status;
}

enum sam_status sam_host_read(struct sam_memory *memory, uint64_t address, void *data, size_t size,
                              struct sam_error *error)
{
    enum sam_status status = check_range(memory, address, size, data ? "read" : "access", error);
    if (status == SAM_OK && data)
        sam_memory_read(memory, address, data, size);
    return status;
}

/* ------------------------------------------------------------------------------- programs */

static enum sam_status check_section(const struct sam_memory *memory,
                                     const struct sam_section *section, uint64_t address,
                                     struct sam_error *error)
{
    if (sam_memory_rules(memory)->bits == 32 && address > UINT32_MAX)
        return sam_fail(error, SAM_ERR_INPUT, "section %s at 0x%llx: above 4 GiB", section->name,
                        (unsigned long long)address);
    return SAM_OK;
}

/* Map the pages of `size` bytes. */
static enum sam_status map_pages(struct sam_memory *memory, uint64_t address, uint64_t size,
                                 struct sam_error *error)
{
    const uint64_t first = address & ~(uint64_t)(SAM_PAGE_SIZE - 1);
    const uint64_t last = (address + (size - 1)) | (SAM_PAGE_SIZE - 1);
    return sam_host_map(memory, first, last - first + 1, error);
}

enum sam_status sam_host_plan(struct sam_memory *plan, const struct sam_image *image,
                              struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (size_t i = 0; status == SAM_OK && i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        const uint64_t loaded = s->address + s->load_offset;
        if (s->size)
            status = check_section(plan, s, s->address, error);
        if (s->size && status == SAM_OK)
            status = map_pages(plan, s->address, s->size, error);
        if (s->load_offset && s->data_size && status == SAM_OK)
            status = check_section(plan, s, loaded, error);
        if (s->load_offset && s->data_size && status == SAM_OK)
            status = map_pages(plan, loaded, s->data_size, error);
    }
    return status;
}

/* Map `size` bytes at `address` for a section, copy its data there and zero the rest. */
static enum sam_status load_section(struct sam_memory *memory, struct sam_code *code,
                                    const struct sam_section *section, uint64_t address,
                                    uint64_t size, struct sam_error *error)
{
    if (size == 0)
        return SAM_OK;
    enum sam_status status = check_section(memory, section, address, error);
    if (status == SAM_OK)
        status = sam_memory_rules(memory)->joins ? map_pages(memory, address, size, error)
                                                 : sam_host_map(memory, address, size, error);
    if (status == SAM_OK && section->data_size)
        status = sam_host_write(memory, code, address, section->data, section->data_size, error);
    if (status == SAM_OK && size > section->data_size) {
        sam_memory_clear(memory, address + section->data_size, size - section->data_size);
        sam_host_invalidate_code(code, address + section->data_size, size - section->data_size);
    }
    return status;
}

enum sam_status sam_host_load(struct sam_memory *memory, struct sam_code *code,
                              const struct sam_image *image, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (size_t i = 0; status == SAM_OK && i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        status = load_section(memory, code, s, s->address, s->size, error);
        if (status == SAM_OK && s->load_offset)
            status =
                load_section(memory, code, s, s->address + s->load_offset, s->data_size, error);
    }
    return status;
}
