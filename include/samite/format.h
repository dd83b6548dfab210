/* SPDX-License-Identifier: Apache-2.0 */
/* File formats: ELF programs, Ventus .metadata/.data pairs, NumPy arrays, weights. Readers check
 * every size before using it. A malformed file gives SAM_ERR_INPUT and a one-line message.
 *
 * Thread safety: any function may run in any thread; an object may be read by several threads at
 * once, as long as none changes or frees it. */
#ifndef SAMITE_FORMAT_H
#define SAMITE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec.h"
#include "image.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- ELF (EXEC, RISC-V, 32 or 64 bit, little-endian). Loadable segments become sections (cut at
 * section boundaries if the file has section headers, so that .text, .rodata and .bss keep their
 * names), with p_paddr as load address unless it is zero in every segment; .symtab becomes symbols,
 * .rodata.ventus.resource becomes resources, DWARF line information becomes lines (where the
 * library was built with libdw). `name` is used in messages. */
SAM_API enum sam_status sam_elf_parse(const void *data, size_t size, const char *name,
                                      struct sam_image **image, struct sam_error *error);
SAM_API enum sam_status sam_elf_read(const char *path, struct sam_image **image,
                                     struct sam_error *error);
/* The image as an ELF executable, its line information as DWARF 4; *data is malloc'ed. */
SAM_API enum sam_status sam_elf_make(const struct sam_image *image, void **data, size_t *size,
                                     struct sam_error *error);

/* --- Ventus .metadata and .data (text, 8 hexadecimal digits per line) */
struct sam_metadata_buffer {
    uint64_t base;
    uint64_t size;      /* bytes of initial data in the .data file */
    uint64_t allocated; /* bytes the kernel may access */
};

struct sam_metadata {
    bool has_start; /* false: an older file without start_addr; `start` is then 0x80000000 */
    uint64_t start;
    uint64_t kernel_id;
    uint64_t grid[3];
    uint64_t lanes;         /* wf_size */
    uint64_t warps;         /* wg_size */
    uint64_t metadata_base; /* CSR_KNL */
    uint64_t lds_size;
    uint64_t pds_size;
    uint64_t sgprs;
    uint64_t vgprs;
    uint64_t pds_base;
    struct sam_metadata_buffer *buffers;
    size_t buffer_count;
};

/* Checks the line count, value ranges (addresses and sizes fit 32 bits; lanes, warps and grid are
 * possible), size <= allocated, and that buffers neither wrap nor overlap. */
SAM_API enum sam_status sam_metadata_parse(const char *text, size_t size, const char *name,
                                           struct sam_metadata *metadata, struct sam_error *error);
SAM_API void sam_metadata_free(struct sam_metadata *metadata);

/* The words of a .data file, in order: exactly ceil(size / 4) for each buffer. *words is
 * malloc'ed. */
SAM_API enum sam_status sam_data_parse(const char *text, size_t size, const char *name,
                                       const struct sam_metadata *metadata, uint32_t **words,
                                       size_t *count, struct sam_error *error);

/* --- NumPy .npy (versions 1.0 to 3.0) */
struct sam_array {
    enum sam_dtype dtype; /* one that NumPy has: sam_dtype_npy(dtype) == dtype */
    size_t rank;          /* 0..8 */
    uint64_t shape[8];
    size_t count; /* elements */
    size_t size;  /* bytes of data */
    void *data;   /* C order, little-endian, malloc'ed */
};

/* Fortran order and big-endian files are converted. */
SAM_API enum sam_status sam_npy_parse(const void *data, size_t size, const char *name,
                                      struct sam_array *array, struct sam_error *error);
SAM_API enum sam_status sam_npy_read(const char *path, struct sam_array *array,
                                     struct sam_error *error);
SAM_API enum sam_status sam_npy_write(const char *path, const struct sam_array *array,
                                      struct sam_error *error);
SAM_API void sam_array_free(struct sam_array *array);

/* --- weight files: safetensors, gguf, npy, or raw bytes */
/* The kind, from the file's name and its first bytes (eight suffice; there may be none). */
SAM_API enum sam_weights_kind sam_weights_kind_of(const void *data, size_t size, const char *path);
/* The layout of a file of `file_size` bytes (UINT64_MAX: a stream, which ends with its last
 * tensor), of which `data` holds the first `size`. If more are needed, `weights` is empty and *need
 * is larger than `size`: call again with that many bytes. Header sizes, offsets, overlaps and
 * overflow are checked before anything is allocated. Tensors of an unknown type are opaque; if
 * their size is unknown as well, they are omitted. A raw file is one opaque tensor. */
SAM_API enum sam_status sam_weights_parse(enum sam_weights_kind kind, const void *data, size_t size,
                                          uint64_t file_size, const char *name,
                                          struct sam_weights *weights, size_t *need,
                                          struct sam_error *error);

/* --- ONNX: the tensors stored in a model in memory (model.h reads files, with external data) */
struct sam_onnx {
    struct sam_weight *tensors; /* in file order, with unique names; `offset` is unused */
    const void **data;          /* the bytes of each tensor, in the model or in `made` */
    size_t count;
    char *names;
    void *made;
};
/* The initializers of the graph and its subgraphs, and the values of Constant nodes, named after
 * the node's output. `data` must outlive *onnx. Rejected, naming the tensor: external data, sparse
 * and segmented tensors, strings, complex numbers, types not in enum sam_dtype, and duplicate
 * names. */
SAM_API enum sam_status sam_onnx_parse(const void *data, size_t size, const char *name,
                                       struct sam_onnx *onnx, struct sam_error *error);
SAM_API void sam_onnx_free(struct sam_onnx *onnx);

/* --- TensorFlow.js: the weightsManifest of a model.json */
struct sam_tfjs {
    struct sam_weight *tensors; /* in manifest order; `offset` is unused */
    /* Location and type of each tensor within its group. */
    struct sam_tfjs_stored {
        size_t group;
        enum sam_dtype type;
        uint64_t offset, size;
        bool quantized; /* u8 or u16; min + scale * element gives f32 */
        double scale, min;
    } * stored;
    size_t count;
    /* A group's bytes are those of its files, concatenated. */
    struct sam_tfjs_group {
        char **paths; /* file names in the folder of model.json */
        size_t path_count;
        uint64_t size; /* of its tensors, in bytes */
    } * groups;
    size_t group_count;
};
/* Parse the text of a model.json. float32 stored as float16 becomes an f16 tensor, quantized
 * float32 an f32 one. Rejected: other quantization, strings, complex numbers, JSON without a
 * manifest, and paths that contain folders. Names need not be unique. */
SAM_API enum sam_status sam_tfjs_parse(const void *text, size_t size, const char *name,
                                       struct sam_tfjs *tfjs, struct sam_error *error);
/* Copy a tensor (tensors[tensor].size bytes; nothing past the last) to `out`; `group` holds all
 * bytes of its group. */
SAM_API void sam_tfjs_take(const struct sam_tfjs *tfjs, size_t tensor, const void *group,
                           void *out);
SAM_API void sam_tfjs_free(struct sam_tfjs *tfjs); /* may be NULL */

#ifdef __cplusplus
}
#endif
#endif
