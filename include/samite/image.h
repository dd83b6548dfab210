/* SPDX-License-Identifier: Apache-2.0 */
/* A program image: made by the assembler or from an ELF file, loaded by a machine.
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

/* Source lines of code: the bytes from `address` up to the next entry belong to `line` (from 1)
 * of the image's file number `file`; line 0: unknown. */
struct sam_line {
    uint64_t address;
    uint32_t file;
    uint32_t line;
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
    /* Line information: of the assembler's source (struct sam_asm_options, lines), or of an ELF
     * file with DWARF. None: line_count is 0, and lines_problem says why an ELF file's is unusable,
     * or is NULL when it has none. */
    char **files; /* paths as the compiler recorded them */
    size_t file_count;
    struct sam_line *lines; /* sorted by address, no two alike */
    size_t line_count;
    char *lines_problem;
    /* Attributes of the code of an ELF file. Since 0.2. */
    unsigned float_abi; /* floating-point registers pass arguments of: 0 no type, 1 float, 2 double,
                           3 long double */
    char *arch;         /* the ISA string of its attributes, or NULL */
    /* Sections that are not loaded, for debuggers: .debug_info and others. Their addresses are 0.
     * Since 0.2. */
    struct sam_section *debug;
    size_t debug_count;
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
/* Append a section for debuggers; one that is empty is left out. `data` is copied. Since 0.2. */
SAM_API enum sam_status sam_image_add_debug(struct sam_image *image, const char *name,
                                            const void *data, size_t size, struct sam_error *error);
/* Sort sections and symbols by address and reject sections that overlap or wrap, load addresses
 * included. Call once after the last add. */
SAM_API enum sam_status sam_image_finish(struct sam_image *image, struct sam_error *error);

/* The symbol called `name`, or NULL. */
SAM_API const struct sam_symbol *sam_image_find(const struct sam_image *image, const char *name);
/* The nearest symbol at or below `address` that lies in the same section, or NULL. */
SAM_API const struct sam_symbol *sam_image_symbol_at(const struct sam_image *image,
                                                     uint64_t address);
/* An address as people read it: "symbol", "symbol+0x1c", or "0x80000000" where there is no symbol.
 * `image` may be NULL. Since 0.2. */
SAM_API void sam_image_describe(const struct sam_image *image, uint64_t address, char *text,
                                size_t size);
/* The function that `address` lies in: of the symbols at or below it in the same section, the
 * nearest that is a function (and does not end before it); else the nearest global one; else the
 * nearest. NULL: none. Since 0.2. */
SAM_API const struct sam_symbol *sam_image_function_at(const struct sam_image *image,
                                                       uint64_t address);

/* The file that the code at `address` comes from, with its line in *line (from 1; `line` may be
 * NULL). NULL: not known. Since 0.2. */
SAM_API const char *sam_image_line_at(const struct sam_image *image, uint64_t address,
                                      uint32_t *line);
/* The lowest address of code from line *line of `file`, or else from the next line of that file
 * that has code; *line receives which. `file` may be the last parts of a recorded path ("vecadd.s"
 * for "kernels/vecadd.s"). False: no such file, or no code from there on. Since 0.2. */
SAM_API bool sam_image_line_address(const struct sam_image *image, const char *file, uint32_t *line,
                                    uint64_t *address);

#ifdef __cplusplus
}
#endif
#endif
