/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel resources, from .rodata.ventus.resource (docs/ventus-rulings.md 5.2). */
#include "base/base.h"

#include <stdlib.h>

bool sam_image_add_resources(struct sam_image *image, const uint8_t *bytes, size_t size)
{
    const size_t count = size / SAM_RESOURCE_BYTES;
    struct sam_kernel_resource *rows = count ? sam_alloc(count, sizeof *rows) : NULL;
    if (count && !rows)
        return false;
    for (size_t i = 0; i < count; i++, bytes += SAM_RESOURCE_BYTES)
        rows[i] = (struct sam_kernel_resource){
            .vgprs = sam_le16(bytes),
            .sgprs = sam_le16(bytes + 2),
            .lds_bytes = sam_le16(bytes + 4),
            .pds_bytes = sam_le16(bytes + 6),
        };
    image->resources = rows;
    image->resource_count = count;
    return true;
}

/* Names that begin with '_' belong to start code and the library. */
static bool is_kernel(const struct sam_image *image, const struct sam_symbol *symbol)
{
    const struct sam_section *section = symbol->global && symbol->section_relative
                                            ? sam_image_section_at(image, symbol->value)
                                            : NULL;
    return section && section->execute && *symbol->name != '_';
}

struct sam_kernel_resource sam_image_resource(const struct sam_image *image, uint64_t kernel)
{
    struct sam_kernel_resource most = {0};
    const struct sam_symbol *last = NULL;
    size_t kernels = 0, found = SIZE_MAX;
    for (size_t i = 0; i < image->symbol_count; i++) { /* sorted by value */
        const struct sam_symbol *symbol = &image->symbols[i];
        if (!is_kernel(image, symbol) || (last && last->value == symbol->value))
            continue;
        last = symbol;
        if (symbol->value == kernel)
            found = kernels;
        kernels++;
    }
    if (found != SIZE_MAX && kernels == image->resource_count)
        return image->resources[found];
    for (size_t i = 0; i < image->resource_count; i++) {
        const struct sam_kernel_resource *r = &image->resources[i];
        most.vgprs = r->vgprs > most.vgprs ? r->vgprs : most.vgprs;
        most.sgprs = r->sgprs > most.sgprs ? r->sgprs : most.sgprs;
        most.lds_bytes = r->lds_bytes > most.lds_bytes ? r->lds_bytes : most.lds_bytes;
        most.pds_bytes = r->pds_bytes > most.pds_bytes ? r->pds_bytes : most.pds_bytes;
    }
    return most;
}
