/* SPDX-License-Identifier: Apache-2.0 */
/* Images of programs, and ELF files made from them. */
#ifndef TEST_ELF_IMAGE_H
#define TEST_ELF_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "samite/format.h"

/* `flags`: x execute, w write. */
void elf_add_section(struct sam_image *image, const char *name, uint64_t address, uint64_t size,
                     const void *data, uint64_t data_size, const char *flags);
/* `flags`: g global, f function, a absolute. */
void elf_add_symbol(struct sam_image *image, const char *name, uint64_t value, const char *flags);
/* Code, read-only data, bytes with a zero tail on the same page, zeros, two kernels' resources. */
struct sam_image *elf_sample(unsigned xlen);

struct elf_file {
    uint8_t *bytes; /* to be freed */
    size_t size;
};
struct elf_file elf_file_of(const struct sam_image *image);

/* The byte of an image at an address, or -1; two images may be divided into sections
 * differently. */
int elf_byte_at(const struct sam_image *image, uint64_t address);

#endif
