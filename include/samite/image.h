/* SPDX-License-Identifier: Apache-2.0 */
/* A program image: what the assembler makes, what an ELF file holds, what a machine loads.
 * Allocated and freed by the library; every pointer inside belongs to the image. Threads may share
 * an image as long as none of them changes it. */
#ifndef SAMITE_IMAGE_H
#define SAMITE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One contiguous part of the address space: `size` bytes from `address`, the first `data_size` of
 * them in `data`, the rest zero (.bss). data_size <= size, address + size never wraps. */
struct sam_section {
    char *name; /* ".text"; never NULL */
    uint64_t address;
    uint64_t size;
    uint64_t data_size;
    uint8_t *data; /* NULL when data_size is 0 */
    bool execute;
    bool write;
    /* Machines also put `data` at address + load_offset (modulo 2^64): the load address of an ELF
     * segment (p_paddr), from which start code copies it. 0: the two are the same. */
    uint64_t load_offset;
};

struct sam_symbol {
    char *name;
    uint64_t value;
    uint64_t size;
    bool global;
    bool function;
    bool section_relative; /* false: an absolute value (.equ) */
    bool repeated;         /* set by sam_image_finish: an earlier symbol has the same name */
};

/* Resources of one kernel as the Ventus compiler records them in .rodata.ventus.resource. */
struct sam_kernel_resource {
    uint16_t vgprs;
    uint16_t sgprs;
    uint16_t lds_bytes; /* per workgroup */
    uint16_t pds_bytes; /* per thread */
};

struct sam_image {
    unsigned xlen;   /* 32 or 64 */
    bool compressed; /* the ELF flags announce compressed instructions */
    uint64_t entry;
    struct sam_section *sections; /* sorted by address, not overlapping */
    size_t section_count;
    struct sam_symbol *symbols; /* sorted by value */
    size_t symbol_count;
    struct sam_kernel_resource *resources;
    size_t resource_count;
};

/* An empty image, or NULL when memory runs out. */
SAM_API struct sam_image *sam_image_new(unsigned xlen);
SAM_API void sam_image_free(struct sam_image *image);

/* Append a section. `data` (data_size bytes) is copied. */
SAM_API enum sam_status sam_image_add_section(struct sam_image *image,
                                              const struct sam_section *section,
                                              struct sam_error *error);
SAM_API enum sam_status sam_image_add_symbol(struct sam_image *image,
                                             const struct sam_symbol *symbol,
                                             struct sam_error *error);
/* Sort sections and symbols by address and reject sections that overlap or wrap, load addresses
 * included. Call once after the last add. */
SAM_API enum sam_status sam_image_finish(struct sam_image *image, struct sam_error *error);

/* The symbol called `name`, or NULL. */
SAM_API const struct sam_symbol *sam_image_find(const struct sam_image *image, const char *name);
/* The nearest symbol at or below `address` that lies in the same section, or NULL. */
SAM_API const struct sam_symbol *sam_image_symbol_at(const struct sam_image *image,
                                                     uint64_t address);

#ifdef __cplusplus
}
#endif
#endif
