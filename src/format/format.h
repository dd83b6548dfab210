/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of format/. */
#ifndef SAM_FORMAT_H
#define SAM_FORMAT_H

#include "base/base.h"
#include "samite/codec.h"
#include "samite/format.h"

/* The first bytes of a weight file. */
struct sam_prefix {
    const uint8_t *data;
    size_t size;
    uint64_t file_size; /* UINT64_MAX: unknown */
    const char *name;
    size_t *need; /* bytes the reader needs to see; complete if <= size */
};
/* Report that *need bytes are required: SAM_OK if the file has them, otherwise an error for
 * truncation. */
enum sam_status sam_prefix_short(const struct sam_prefix *in, struct sam_error *error);

/* Set kind, header_size, tensors and names of `weights`; the caller sets the rest. */
enum sam_status sam_safetensors_parse(const struct sam_prefix *in, struct sam_weights *weights,
                                      struct sam_error *error);
/* *alignment: every tensor, including the last, is padded to a multiple of it. */
enum sam_status sam_gguf_parse(const struct sam_prefix *in, struct sam_weights *weights,
                               uint64_t *alignment, struct sam_error *error);
enum sam_status sam_npy_weights(const struct sam_prefix *in, struct sam_weights *weights,
                                struct sam_error *error);

/* Location of tensor data outside the model file. */
struct sam_onnx_external {
    char *location; /* path within the model's folder; NULL: data is in the model */
    uint64_t offset;
};
/* sam_onnx_parse with external data: onnx->data is NULL for such tensors, and *externals has one
 * entry per tensor. If `externals` is NULL, external data is an error. */
enum sam_status sam_onnx_parse_with(const void *data, size_t size, const char *name,
                                    struct sam_onnx *onnx, struct sam_onnx_external **externals,
                                    struct sam_error *error);
void sam_onnx_externals_free(struct sam_onnx_external *externals, size_t count);

/* external_path.c: open the file `location` relative to the folder of `path`. It must resolve,
 * links included, to a file in that folder or below. Returns a descriptor, or -1 with `error`.
 * *size: of the file. */
int sam_onnx_open_external(const char *path, const char *location, uint64_t *size,
                           struct sam_error *error);

/* dwarf_write.c: an image's line information as DWARF sections of these names; empty if there is
 * none. On out-of-memory, `failed` is set in a buffer. */
struct sam_dwarf {
    struct sam_buffer line, info, abbrev, ranges;
};
void sam_dwarf_make(const struct sam_image *image, struct sam_dwarf *dwarf);
void sam_dwarf_free(struct sam_dwarf *dwarf);

/* elf_arch.c: the ISA string of an ELF file's attributes, a pointer into `data`, or NULL. */
const char *sam_elf_arch(const uint8_t *data, size_t size);

/* dwarf_read.c: read the line information of an open ELF file into its finished image. Unusable
 * line information sets lines_problem and is not an error. Returns false on out-of-memory. */
struct Elf;
bool sam_dwarf_read(struct Elf *elf, struct sam_image *image);

#endif
