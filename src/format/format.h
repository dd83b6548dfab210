/* SPDX-License-Identifier: Apache-2.0 */
/* The face of format/. */
#ifndef SAM_FORMAT_H
#define SAM_FORMAT_H

#include "base/base.h"
#include "samite/codec.h"
#include "samite/format.h"

/* The first bytes of a file of weights. */
struct sam_prefix {
    const uint8_t *data;
    size_t size;
    uint64_t file_size; /* UINT64_MAX: not known */
    const char *name;
    size_t *need; /* how many bytes the reader wants to see; all is said when that is <= size */
};
/* More is needed, *need bytes in all: SAM_OK when the file has more, else it is truncated. */
enum sam_status sam_prefix_short(const struct sam_prefix *in, struct sam_error *error);

/* Kind, header_size, tensors and names of `weights`; the rest is the caller's. */
enum sam_status sam_safetensors_parse(const struct sam_prefix *in, struct sam_weights *weights,
                                      struct sam_error *error);
/* *alignment: each tensor is padded to a multiple of it, the last one, too. */
enum sam_status sam_gguf_parse(const struct sam_prefix *in, struct sam_weights *weights,
                               uint64_t *alignment, struct sam_error *error);
enum sam_status sam_npy_weights(const struct sam_prefix *in, struct sam_weights *weights,
                                struct sam_error *error);

/* dwarf_write.c: an image's line information as the sections of these names; empty without any. A
 * buffer that has failed: out of memory. */
struct sam_dwarf {
    struct sam_buffer line, info, abbrev, ranges;
};
void sam_dwarf_make(const struct sam_image *image, struct sam_dwarf *dwarf);
void sam_dwarf_free(struct sam_dwarf *dwarf);

/* dwarf_read.c: the line information of an open ELF file into its finished image, or into
 * lines_problem why it is unusable: that does not keep a program from running. False: out of
 * memory. */
struct Elf;
bool sam_dwarf_read(struct Elf *elf, struct sam_image *image);

/* Where the Ventus compiler records what each kernel needs (docs/ventus-rulings.md, ELF). */
#define SAM_RESOURCE_SECTION ".rodata.ventus.resource"

#endif
