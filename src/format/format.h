/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of format/. */
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
    size_t *need; /* how many bytes the reader needs to see; done when that is <= size */
};
/* More is needed, *need bytes in all: SAM_OK when the file has more, else it is truncated. */
enum sam_status sam_prefix_short(const struct sam_prefix *in, struct sam_error *error);

/* Kind, header_size, tensors and names of `weights`; the rest is the caller's. */
enum sam_status sam_safetensors_parse(const struct sam_prefix *in, struct sam_weights *weights,
                                      struct sam_error *error);
/* *alignment: each tensor, including the last, is padded to a multiple of it. */
enum sam_status sam_gguf_parse(const struct sam_prefix *in, struct sam_weights *weights,
                               uint64_t *alignment, struct sam_error *error);
enum sam_status sam_npy_weights(const struct sam_prefix *in, struct sam_weights *weights,
                                struct sam_error *error);

/* Where the data of a tensor is that is not in the model. */
struct sam_onnx_external {
    char *location; /* a path within the model's folder; NULL: the data is in the model */
    uint64_t offset;
};
/* As sam_onnx_parse, but with external data, for which onnx->data is NULL. *externals has one for
 * each tensor; `externals` NULL: external data is refused. */
enum sam_status sam_onnx_parse_with(const void *data, size_t size, const char *name,
                                    struct sam_onnx *onnx, struct sam_onnx_external **externals,
                                    struct sam_error *error);
void sam_onnx_externals_free(struct sam_onnx_external *externals, size_t count);

/* external_path.c: open the file `location` of the folder that `path` is in, or of one below; links
 * are followed, but must not lead elsewhere. -1 with `error` filled. *size: of the file. */
int sam_onnx_open_external(const char *path, const char *location, uint64_t *size,
                           struct sam_error *error);

/* dwarf_write.c: an image's line information as the sections of these names; empty if there is
 * none. Out of memory: `failed` is set in a buffer. */
struct sam_dwarf {
    struct sam_buffer line, info, abbrev, ranges;
};
void sam_dwarf_make(const struct sam_image *image, struct sam_dwarf *dwarf);
void sam_dwarf_free(struct sam_dwarf *dwarf);

/* elf_arch.c: the ISA string in the attributes of an ELF file, or NULL. It lies in `data`. */
const char *sam_elf_arch(const uint8_t *data, size_t size);

/* dwarf_read.c: read the line information of an open ELF file into its finished image, or put into
 * lines_problem why it is unusable, which does not keep the program from running. False: out of
 * memory. */
struct Elf;
bool sam_dwarf_read(struct Elf *elf, struct sam_image *image);

#endif
