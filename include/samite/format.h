/* SPDX-License-Identifier: Apache-2.0 */
/* Files that people have: ELF programs, Ventus .metadata/.data pairs, NumPy arrays, weights. Every
 * reader checks every size before it is used; a bad file gives SAM_ERR_INPUT and one line; NULL for
 * an argument that is needed gives SAM_ERR_USAGE. */
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
 * section boundaries where the file has section headers, so that .text, .rodata and .bss keep
 * their names), p_paddr their load address unless it is zero in every segment, .symtab becomes
 * symbols, .rodata.ventus.resource becomes resources. `name` is for messages. */
SAM_API enum sam_status sam_elf_parse(const void *data, size_t size, const char *name,
                                      struct sam_image **image, struct sam_error *error);
SAM_API enum sam_status sam_elf_read(const char *path, struct sam_image **image,
                                     struct sam_error *error);
/* The image as an ELF executable; *data is malloc'ed. */
SAM_API enum sam_status sam_elf_make(const struct sam_image *image, void **data, size_t *size,
                                     struct sam_error *error);

/* --- Ventus .metadata and .data (text, 8 hexadecimal digits a line) */
struct sam_metadata_buffer {
    uint64_t base;
    uint64_t size;      /* bytes of initial data in the .data file */
    uint64_t allocated; /* bytes the kernel may access */
};

struct sam_metadata {
    bool has_start; /* false: an older file without start_addr (0x80000000 is taken) */
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

/* Checked: line count, value ranges (addresses and sizes fit 32 bits, lanes, warps and grid are
 * possible), size <= allocated, buffers that wrap or overlap. */
SAM_API enum sam_status sam_metadata_parse(const char *text, size_t size, const char *name,
                                           struct sam_metadata *metadata, struct sam_error *error);
SAM_API void sam_metadata_free(struct sam_metadata *metadata);

/* The words of a .data file, in order: exactly the sum over the buffers of ceil(size / 4).
 * *words is malloc'ed. */
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

/* --- files of weights: safetensors, gguf, npy, or bytes of which nothing is known */
/* By its first bytes (eight are enough, none are possible) and its name. */
SAM_API enum sam_weights_kind sam_weights_kind_of(const void *data, size_t size, const char *path);
/* What is where in a file of `file_size` bytes (UINT64_MAX: a stream, which then ends with its last
 * tensor), of which the first `size` are `data`. When more is needed *need is above `size`: come
 * back with that many bytes (`weights` is empty then). Checked before anything is allocated: sizes
 * of headers, offsets, overlaps, overflow. Tensors of a type that is not known are opaque, or,
 * where their size is not known either, left out. A raw file is one opaque tensor. */
SAM_API enum sam_status sam_weights_parse(enum sam_weights_kind kind, const void *data, size_t size,
                                          uint64_t file_size, const char *name,
                                          struct sam_weights *weights, size_t *need,
                                          struct sam_error *error);

/* --- ONNX: the tensors that stand in a model, whatever it computes */
struct sam_onnx {
    struct sam_weight *tensors; /* in the order of the file, no name twice; `offset` is not used */
    const void **data;          /* of each its `size` bytes, in the model or in `made` */
    size_t count;
    char *names;
    void *made;
};
/* The initializers of the graph and of its subgraphs, and the values of Constant nodes, which are
 * called as the node's output. `data` must stay as long as *onnx is used. Data in other files,
 * sparse and segmented tensors, strings and complex numbers, and the types that enum
 * sam_dtype does not have are refused with the tensor's name; so are names that stand
 * twice. */
SAM_API enum sam_status sam_onnx_parse(const void *data, size_t size, const char *name,
                                       struct sam_onnx *onnx, struct sam_error *error);
SAM_API void sam_onnx_free(struct sam_onnx *onnx);

/* --- TensorFlow.js: the weightsManifest of a model.json */
struct sam_tfjs {
    struct sam_weight *tensors; /* in the order of the manifest; `offset` is not used */
    /* Of each tensor: where it stands in the bytes of its group, and how. */
    struct sam_tfjs_stored {
        size_t group;
        enum sam_dtype type;
        uint64_t offset, size;
        bool quantized; /* u8 or u16, of which min + scale * element makes f32 */
        double scale, min;
    } * stored;
    size_t count;
    /* Its bytes are those of its files, one after the other. */
    struct sam_tfjs_group {
        char **paths; /* names of files beside model.json */
        size_t path_count;
        uint64_t size; /* what its tensors take */
    } * groups;
    size_t group_count;
};
/* Of the text of a model.json. Float32 that is stored as float16 is a tensor of f16; quantized
 * float32 is one of f32. Other quantization, strings, complex numbers, JSON without a manifest, and
 * paths with folders in them are refused. Names may stand twice. */
SAM_API enum sam_status sam_tfjs_parse(const void *text, size_t size, const char *name,
                                       struct sam_tfjs *tfjs, struct sam_error *error);
/* The bytes of a tensor (tensors[tensor].size) into `out`; `group` are all bytes of its group. */
SAM_API void sam_tfjs_take(const struct sam_tfjs *tfjs, size_t tensor, const void *group,
                           void *out);
SAM_API void sam_tfjs_free(struct sam_tfjs *tfjs); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
