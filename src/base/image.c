/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

struct sam_image *sam_image_new(unsigned xlen)
{
    struct sam_image *image = sam_alloc(1, sizeof *image);
    if (image)
        image->xlen = xlen;
    return image;
}

void sam_image_free(struct sam_image *image)
{
    if (!image)
        return;
    for (size_t i = 0; i < image->section_count; i++) {
        free(image->sections[i].name);
        free(image->sections[i].data);
    }
    for (size_t i = 0; i < image->debug_count; i++) {
        free(image->debug[i].name);
        free(image->debug[i].data);
    }
    for (size_t i = 0; i < image->symbol_count; i++)
        free(image->symbols[i].name);
    for (size_t i = 0; i < image->file_count; i++)
        free(image->files[i]);
    free(image->sections);
    free(image->debug);
    free(image->symbols);
    free(image->resources);
    free(image->files);
    free(image->lines);
    free(image->lines_problem);
    free(image->arch);
    free(image);
}

/* Arrays grow by doubling. Only counts are public, so the capacity is the next power of two at or
 * above the count, at least 16. */
static size_t capacity_of(size_t count)
{
    size_t capacity = 16;
    while (capacity < count)
        capacity *= 2;
    return count ? capacity : 0;
}

/* Append a copy of a section to a list. */
static enum sam_status append(struct sam_section **list, size_t *count,
                              const struct sam_section *section, struct sam_error *error)
{
    size_t capacity = capacity_of(*count);
    void *grown = sam_grow(*list, *count, &capacity, sizeof *section);
    if (!grown)
        return sam_fail_memory(error);
    *list = grown;
    struct sam_section copy = *section;
    copy.name = sam_strdup(section->name);
    copy.data = NULL;
    if (section->data_size && (copy.data = malloc(section->data_size)))
        memcpy(copy.data, section->data, section->data_size);
    if (!copy.name || (section->data_size && !copy.data)) {
        free(copy.name);
        free(copy.data);
        return sam_fail_memory(error);
    }
    (*list)[(*count)++] = copy;
    return SAM_OK;
}

enum sam_status sam_image_add_section(struct sam_image *image, const struct sam_section *section,
                                      struct sam_error *error)
{
    if (SAM_LACKS(error, image, section) || SAM_LACKS(error, section->name))
        return SAM_ERR_USAGE;
    if (section->data_size && !section->data)
        return sam_fail_null(error, "section->data");
    if (section->data_size > section->size || section->size > UINT64_MAX - section->address)
        return sam_fail(error, SAM_ERR_INPUT, "section %s: size 0x%llx does not fit at 0x%llx",
                        section->name, (unsigned long long)section->size,
                        (unsigned long long)section->address);
    return append(&image->sections, &image->section_count, section, error);
}

enum sam_status sam_image_add_debug(struct sam_image *image, const char *name, const void *data,
                                    size_t size, struct sam_error *error)
{
    if (SAM_LACKS(error, image, name))
        return SAM_ERR_USAGE;
    if (size && !data)
        return sam_fail_null(error, "data");
    const struct sam_section section = {.name = (char *)(uintptr_t)name,
                                        .size = size,
                                        .data_size = size,
                                        .data = (uint8_t *)(uintptr_t)data};
    return size ? append(&image->debug, &image->debug_count, &section, error) : SAM_OK;
}

enum sam_status sam_image_add_symbol(struct sam_image *image, const struct sam_symbol *symbol,
                                     struct sam_error *error)
{
    if (SAM_LACKS(error, image, symbol) || SAM_LACKS(error, symbol->name))
        return SAM_ERR_USAGE;
    size_t capacity = capacity_of(image->symbol_count);
    void *grown = sam_grow(image->symbols, image->symbol_count, &capacity, sizeof *symbol);
    if (!grown)
        return sam_fail_memory(error);
    image->symbols = grown;
    struct sam_symbol copy = *symbol;
    if (!(copy.name = sam_strdup(symbol->name)))
        return sam_fail_memory(error);
    image->symbols[image->symbol_count++] = copy;
    return SAM_OK;
}

static int by_address(const void *a, const void *b)
{
    const struct sam_section *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

/* By value; global functions first among equals, so that a source name is shown. */
static int by_value(const void *a, const void *b)
{
    const struct sam_symbol *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    int rank = (y->global + 2 * y->function) - (x->global + 2 * x->function);
    return rank ? rank : strcmp(x->name, y->name);
}

/* Memory that loading the image writes or reserves. */
struct range {
    uint64_t base;
    uint64_t size;
    const char *name;
};

static int by_base(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

/* Check that the copies at load addresses do not overlap other memory of the image. */
static enum sam_status check_loads(const struct sam_image *image, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    size_t loads = 0, count = 0;
    for (size_t i = 0; i < image->section_count; i++)
        loads += image->sections[i].load_offset && image->sections[i].data_size;
    if (loads == 0)
        return SAM_OK;
    struct range *ranges = sam_alloc(image->section_count + loads, sizeof *ranges);
    if (!ranges)
        return sam_fail_memory(error);
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (s->size)
            ranges[count++] = (struct range){s->address, s->size, s->name};
        if (s->load_offset && s->data_size)
            ranges[count++] = (struct range){s->address + s->load_offset, s->data_size, s->name};
    }
    qsort(ranges, count, sizeof *ranges, by_base);
    for (size_t i = 0; i < count && status == SAM_OK; i++) {
        const struct range *r = &ranges[i];
        if (r->size - 1 > UINT64_MAX - r->base)
            status = sam_fail(error, SAM_ERR_INPUT,
                              "section %s: 0x%llx bytes at load address 0x%llx wrap around",
                              r->name, (unsigned long long)r->size, (unsigned long long)r->base);
        else if (i && r->base - r[-1].base < r[-1].size)
            status = sam_fail(error, SAM_ERR_INPUT,
                              "load address of section %s or %s overlaps the other at 0x%llx",
                              r[-1].name, r->name, (unsigned long long)r->base);
    }
    free(ranges);
    return status;
}

/* Mark symbols with the name of an earlier one. */
static bool find_repeated(struct sam_image *image)
{
    struct sam_names names = {0};
    bool good = true;
    for (size_t i = 0; i < image->symbol_count && good; i++) {
        struct sam_symbol *symbol = &image->symbols[i];
        const size_t size = strlen(symbol->name);
        symbol->repeated = sam_names_find(&names, symbol->name, size);
        good = symbol->repeated || sam_names_add(&names, symbol->name, size, symbol);
    }
    sam_names_free(&names);
    return good;
}

enum sam_status sam_image_finish(struct sam_image *image, struct sam_error *error)
{
    if (SAM_LACKS(error, image))
        return SAM_ERR_USAGE;
    if (image->section_count)
        qsort(image->sections, image->section_count, sizeof *image->sections, by_address);
    if (image->symbol_count)
        qsort(image->symbols, image->symbol_count, sizeof *image->symbols, by_value);
    if (!find_repeated(image))
        return sam_fail_memory(error);
    const struct sam_section *a = NULL; /* the previous non-empty one */
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *b = &image->sections[i];
        if (b->size == 0)
            continue;
        if (a && b->address - a->address < a->size)
            return sam_fail(error, SAM_ERR_INPUT, "sections %s and %s overlap at 0x%llx", a->name,
                            b->name, (unsigned long long)b->address);
        a = b;
    }
    return check_loads(image, error);
}

const struct sam_symbol *sam_image_find(const struct sam_image *image, const char *name)
{
    for (size_t i = 0; image && i < image->symbol_count; i++)
        if (strcmp(image->symbols[i].name, name) == 0)
            return &image->symbols[i];
    return NULL;
}

const struct sam_section *sam_image_section_at(const struct sam_image *image, uint64_t address)
{
    size_t low = 0;
    SAM_SEARCH(low, image->section_count, i, image->sections[i].address <= address);
    while (low > 0 && image->sections[low - 1].size == 0)
        low--;
    const struct sam_section *section = low ? &image->sections[low - 1] : NULL;
    return section && address - section->address < section->size ? section : NULL;
}

const struct sam_symbol *sam_image_symbol_at(const struct sam_image *image, uint64_t address)
{
    const struct sam_section *section = image ? sam_image_section_at(image, address) : NULL;
    if (!section)
        return NULL;
    size_t low = 0; /* past the last symbol at or below the address */
    SAM_SEARCH(low, image->symbol_count, i, image->symbols[i].value <= address);
    const struct sam_symbol *best = NULL; /* the first with the largest value */
    for (; low > 0; low--) {
        const struct sam_symbol *symbol = &image->symbols[low - 1];
        if (symbol->value < section->address || (best && symbol->value < best->value))
            break;
        if (symbol->section_relative)
            best = symbol;
    }
    return best;
}

void sam_image_describe(const struct sam_image *image, uint64_t address, char *text, size_t size)
{
    const struct sam_symbol *symbol = image ? sam_image_symbol_at(image, address) : NULL;
    if (!symbol)
        snprintf(text, size, "0x%08llx", (unsigned long long)address);
    else if (symbol->value == address)
        snprintf(text, size, "%s", symbol->name);
    else
        snprintf(text, size, "%s+0x%llx", symbol->name,
                 (unsigned long long)(address - symbol->value));
}
