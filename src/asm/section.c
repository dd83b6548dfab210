/* SPDX-License-Identifier: Apache-2.0 */
/* Sections and their items. */
#include "asm/asm.h"

#include <stdlib.h>

static bool starts_with(const char *text, size_t size, const char *prefix)
{
    size_t length = strlen(prefix);
    return size >= length && memcmp(text, prefix, length) == 0 &&
           (size == length || text[length] == '.');
}

struct asm_section *sam_asm_section_get(struct assembler *as, const char *name, size_t size)
{
    struct asm_section *found = sam_names_find(&as->section_names, name, size);
    if (found)
        return found;
    void *grown = sam_grow(as->sections, as->section_count, &as->section_capacity,
                           sizeof(struct asm_section *));
    if (!grown) {
        sam_asm_out_of_memory(as);
        return NULL;
    }
    as->sections = grown;
    struct asm_section *section = sam_asm_new(as, 1, sizeof *section);
    if (!section || !(section->name = sam_asm_copy(as, name, size)))
        return NULL;
    if (!sam_names_add(&as->section_names, section->name, size, section)) {
        sam_asm_out_of_memory(as);
        return NULL;
    }
    section->is_debug = size > 7 && memcmp(name, ".debug_", 7) == 0;
    section->execute = starts_with(name, size, ".text") || starts_with(name, size, ".init") ||
                       starts_with(name, size, ".fini");
    section->nobits = starts_with(name, size, ".bss") || starts_with(name, size, ".sbss");
    section->write = !section->execute && !starts_with(name, size, ".rodata") &&
                     !starts_with(name, size, ".srodata");
    section->alignment = section->execute ? 4 : 1;
    section->order = as->section_count;
    as->sections[as->section_count++] = section;
    return section;
}

/* The last item when bytes may still be added to it. */
static struct asm_item *open_raw(const struct asm_section *section)
{
    struct asm_item *last = section->count ? &section->items[section->count - 1] : NULL;
    return last && last->kind == ITEM_RAW ? last : NULL;
}

struct asm_position sam_asm_here(struct assembler *as)
{
    struct asm_section *section = as->section;
    struct asm_item *last = open_raw(section);
    return (struct asm_position){
        .section = section,
        .item = section->count - (last ? 1 : 0),
        .delta = last ? last->size : 0,
        .offset = section->size,
        .epoch = section->epoch,
    };
}

uint64_t sam_asm_position_address(const struct asm_position *position)
{
    const struct asm_section *section = position->section;
    uint64_t offset =
        position->item < section->count ? section->items[position->item].offset : section->size;
    return section->address + offset + position->delta;
}

/* Account for `size` more bytes. Returns false if the image becomes too large. */
static bool take_size(struct assembler *as, uint64_t size, struct asm_at at)
{
    if (size > ASM_MAX_SIZE || as->total_size + size > ASM_MAX_SIZE) {
        sam_asm_fatal(as, at, "the program is larger than %llu MiB",
                      (unsigned long long)(ASM_MAX_SIZE >> 20));
        return false;
    }
    as->total_size += size;
    as->section->size += size;
    return true;
}

struct asm_item *sam_asm_add_item(struct assembler *as, enum asm_item_kind kind, uint64_t size,
                                  struct asm_at at)
{
    struct asm_section *section = as->section;
    if (as->stop)
        return NULL;
    if (section->nobits && kind == ITEM_INSN) {
        sam_asm_error(as, at, "instruction in section %s: it holds only zeros", section->name);
        return NULL;
    }
    void *grown =
        sam_grow(section->items, section->count, &section->capacity, sizeof *section->items);
    if (!grown) {
        sam_asm_out_of_memory(as);
        return NULL;
    }
    section->items = grown;
    uint64_t offset = section->size;
    if (!take_size(as, size, at))
        return NULL;
    struct asm_item *item = &section->items[section->count++];
    *item =
        (struct asm_item){.kind = kind, .offset = offset, .size = size, .at = at, .loc = as->loc};
    return item;
}

void sam_asm_refuse_value(struct assembler *as, const struct asm_section *section, struct asm_at at)
{
    sam_asm_error(as, at, "non-zero value in section %s: it holds only zeros", section->name);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    size_t i = 0;
    while (i < size && bytes[i] == 0)
        i++;
    return i == size;
}

void sam_asm_add_bytes(struct assembler *as, const void *bytes, size_t size, struct asm_at at)
{
    struct asm_section *section = as->section;
    struct asm_item *item = open_raw(section);
    if (!size || as->stop)
        return;
    if (section->nobits) {
        if (is_zero(bytes, size))
            sam_asm_add_fill(as, size, 1, 0, at);
        else
            sam_asm_refuse_value(as, section, at);
        return;
    }
    if (!item) {
        item = sam_asm_add_item(as, ITEM_RAW, 0, at);
        if (!item)
            return;
        item->raw = section->raw.size;
    }
    if (!take_size(as, size, at))
        return;
    item->size += size;
    if (!sam_buffer_append(&section->raw, bytes, size))
        sam_asm_out_of_memory(as);
}

void sam_asm_add_value(struct assembler *as, const struct asm_node *value, unsigned width,
                       struct asm_at at)
{
    struct asm_item *item = sam_asm_add_item(as, ITEM_VALUE, width, at);
    if (item)
        item->value = value;
}

/* As in GNU as, on which existing .bss sections rely. */
static void ignored_fill(struct assembler *as, struct asm_at at)
{
    sam_asm_warning(as, at, "fill value ignored: section %s holds only zeros", as->section->name);
}

void sam_asm_add_fill(struct assembler *as, uint64_t count, unsigned width, uint64_t pattern,
                      struct asm_at at)
{
    if (width && count > ASM_MAX_SIZE / width)
        count = ASM_MAX_SIZE + 1; /* rejected by take_size */
    if (as->section->nobits && pattern) {
        ignored_fill(as, at);
        pattern = 0;
    }
    struct asm_item *item = sam_asm_add_item(as, ITEM_FILL, count * width, at);
    if (item) {
        item->fill.pattern = pattern;
        item->fill.width = (uint8_t)width;
    }
}

/* Bytes to skip at `offset`; 0 if that exceeds the directive's limit. */
static uint64_t padding(uint64_t offset, uint64_t alignment, uint64_t limit)
{
    uint64_t skip = (alignment - offset % alignment) % alignment;
    return skip > limit ? 0 : skip;
}

void sam_asm_add_align(struct assembler *as, uint64_t alignment, int fill, uint64_t limit,
                       struct asm_at at)
{
    struct asm_section *section = as->section;
    if (alignment > section->alignment)
        section->alignment = alignment;
    if (section->nobits && fill > 0)
        ignored_fill(as, at);
    struct asm_item *item =
        sam_asm_add_item(as, ITEM_ALIGN, padding(section->size, alignment, limit), at);
    if (!item)
        return;
    item->align.alignment = alignment;
    item->align.fill = fill;
    item->align.limit = limit;
    if (section->epoch)
        section->epoch++; /* something before it may grow, so its size may change */
}
