/* SPDX-License-Identifier: Apache-2.0 */
/* The weight codec: lossless compression of neural network tensors. Weights use few distinct
 * exponents, unevenly: they are separated from the elements and Huffman coded; signs and
 * mantissas, which are incompressible, are stored raw. Every bit pattern survives: NaN payloads,
 * infinities, -0. docs/codec.md is the manual, docs/format-codec.md describes the format.
 *
 * A packed file holds one whole file: its header byte for byte, its tensors in file order, and the
 * gaps between them. There are three interfaces:
 *   one shot       sam_pack, sam_unpack, between the caller's buffers;
 *   streaming      sam_packer_*, sam_unpacker_*, fed any number of bytes at a time;
 *   random access  sam_packed_*, over a packed file in memory or read on demand: one tensor, or a
 *                  range of its elements, without decoding the others.
 *
 * Input is never modified.
 *
 * Thread safety: there is no global state; any function may run in any thread, but an object may
 * be used by only one thread at a time, except that a struct sam_packed may be shared. */
#ifndef SAMITE_CODEC_H
#define SAMITE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtype.h"
#include "sink.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SAM_WEIGHT_RANK = 16 };

struct sam_weight {
    const char *name; /* may be "", but not NULL */
    enum sam_dtype type;
    size_t rank;                     /* 0..SAM_WEIGHT_RANK; 0 is a single element */
    uint64_t shape[SAM_WEIGHT_RANK]; /* each below 2^63 */
    uint64_t offset;                 /* of its first byte in the file */
    uint64_t size;                   /* bytes; implied by type and shape, except for SAM_OPAQUE */
};

enum sam_weights_kind {
    SAM_WEIGHTS_RAW,
    SAM_WEIGHTS_NPY,
    SAM_WEIGHTS_SAFETENSORS,
    SAM_WEIGHTS_GGUF,
};

/* The layout of a file. Filled in by sam_weights_parse (format.h) or by the caller. */
struct sam_weights {
    enum sam_weights_kind kind;
    uint64_t file_size;         /* below 2^63 */
    uint64_t header_size;       /* bytes at the start of the file, kept verbatim */
    struct sam_weight *tensors; /* after the header, by offset, not overlapping; gaps are kept */
    size_t count;
    char *names; /* storage for the names; may be NULL */
    /* npy in Fortran order or big-endian: the tensor describes the bytes as stored, with one
     * dimension or opaque; sam_npy_parse reorders them. The codec ignores this flag. */
    bool out_of_order;
};

/* Free tensors and names; `weights` may be NULL. */
SAM_API void sam_weights_free(struct sam_weights *weights);
/* Validate: SAM_ERR_INPUT names the first fault and its tensor; SAM_ERR_USAGE is for NULL
 * (`weights`, its tensors, a name) and for an unknown kind. */
SAM_API enum sam_status sam_weights_check(const struct sam_weights *weights,
                                          struct sam_error *error);

/* Memory for tables and buffers. Sizes are multiples of 64; blocks must be aligned to 64 bytes. */
struct sam_allocator {
    void *(*allocate)(void *context, size_t size);
    void (*release)(void *context, void *memory);
    void *context;
};

/* The highest instruction set to use, as far as the host has it; NEON on arm64 for all above
 * portable. All produce the same bytes. */
enum sam_codec_level {
    SAM_CODEC_BEST,
    SAM_CODEC_PORTABLE,
    SAM_CODEC_AVX2,   /* x86-64-v3 */
    SAM_CODEC_AVX512, /* x86-64-v4 */
};

/* All zero means defaults. */
struct sam_codec_options {
    size_t size;      /* sizeof of this struct; 0: as in 0.1 (status.h) */
    bool dense;       /* code more of each element: smaller for fp16 and fp8, but slower */
    bool bit_planes;  /* one plane per bit, eight elements per symbol */
    unsigned threads; /* 0 means 1 */
    enum sam_codec_level level;
    const struct sam_allocator *allocator; /* NULL: malloc and free */
    bool restart; /* also write restart points, for a weight unit. Since 0.2 */
    bool window;  /* windows instead of codes: larger, loads twice as fast, and any 1024 elements
                     can be read by themselves; excludes bit_planes. Since 0.2 */
    bool trusted; /* when reading, do not compare the checksums of tensor data: bytes that were
                     changed may go unnoticed. Since 0.2 */
};

/* The level that `level` selects on this host: "portable", "avx2", "avx512" or "neon". */
SAM_API const char *sam_codec_level_name(enum sam_codec_level level);

/* --- one shot */
/* The largest size of a packed file of `weights`, in bytes; 0 if `weights` is invalid or the result
 * does not fit 64 bits. The time taken depends on the number of tensors, not on their sizes. */
SAM_API uint64_t sam_pack_bound(const struct sam_weights *weights);
/* Pack `file`, of weights->file_size bytes, into `packed`, which has room for `room` bytes. Stores
 * the number of bytes written in *size; SAM_ERR_USAGE if `room` is too small. Here and below,
 * `options` may be NULL. */
SAM_API enum sam_status sam_pack(const struct sam_weights *weights, const void *file,
                                 const struct sam_codec_options *options, void *packed, size_t room,
                                 size_t *size, struct sam_error *error);
/* The size of the file that a packed file restores to. Needs only its first 64 bytes. */
SAM_API enum sam_status sam_unpack_size(const void *packed, size_t size, uint64_t *file_size,
                                        struct sam_error *error);
/* `file` has room for `room` bytes, at least sam_unpack_size. After a failure its contents are
 * unspecified. */
SAM_API enum sam_status sam_unpack(const void *packed, size_t size,
                                   const struct sam_codec_options *options, void *file, size_t room,
                                   struct sam_error *error);

/* --- streaming */
/* Packing statistics of a tensor. */
struct sam_packed_stat {
    uint64_t packed;    /* bytes, including its share of tables and headers */
    uint64_t blocks;    /* independent blocks (for small tensors coded together, of all of them) */
    uint64_t verbatim;  /* blocks stored uncompressed */
    unsigned planes;    /* in its layout */
    unsigned coded;     /* planes that are entropy coded; 1 for windows */
    const char *layout; /* "bf16: exponent, sign+mantissa" */
};
struct sam_packer;
/* Packed bytes go to `sink`, during this and later calls; SAM_ERR_USAGE if its `write` is NULL.
 * `weights` is copied. */
SAM_API enum sam_status sam_packer_open(const struct sam_weights *weights,
                                        const struct sam_codec_options *options,
                                        struct sam_sink sink, struct sam_packer **packer,
                                        struct sam_error *error);
/* Pack the next bytes of the file, weights->file_size in all. After a failure, only _close is
 * allowed. */
SAM_API enum sam_status sam_packer_write(struct sam_packer *packer, const void *data, size_t size,
                                         struct sam_error *error);
/* Finish the packed file after all bytes have been written. */
SAM_API enum sam_status sam_packer_finish(struct sam_packer *packer, struct sam_error *error);
/* The tensors being packed, and the gaps between them as unnamed opaque tensors.
 * Owned by `packer`. */
SAM_API const struct sam_weights *sam_packer_weights(const struct sam_packer *packer);
/* Statistics of one of these; valid after _finish. */
SAM_API enum sam_status sam_packer_stat(const struct sam_packer *packer, size_t tensor,
                                        struct sam_packed_stat *stat, struct sam_error *error);
SAM_API void sam_packer_close(struct sam_packer *packer); /* may be NULL */

/* --- one file in parts, packed by several processes and then joined */
/* A packer for part `part` of `parts` (from 0, at most 65536), which are about equally large: whole
 * chunks of 2^20 elements. It is given the verbatim header and then the bytes of sam_packer_range,
 * and writes a part (docs/format-codec.md, Parts). sam_packer_stat does not apply to it.
 * Since 0.2. */
SAM_API enum sam_status sam_packer_open_part(const struct sam_weights *weights, unsigned part,
                                             unsigned parts,
                                             const struct sam_codec_options *options,
                                             struct sam_sink sink, struct sam_packer **packer,
                                             struct sam_error *error);
/* The bytes *first .. *end - 1 of the file are those of the part, or of the file after its verbatim
 * header. Since 0.2. */
SAM_API void sam_packer_range(const struct sam_packer *packer, uint64_t *first, uint64_t *end);
/* Join all parts of a file, given in any order: `sink` gets what sam_packer_open would have made of
 * the whole file, byte for byte. `names` of the parts are used in messages. SAM_ERR_INPUT names a
 * part that is missing, given twice, damaged, or of another file or other options. Since 0.2. */
struct sam_source;
SAM_API enum sam_status sam_pack_join(const struct sam_source *parts, const char *const *names,
                                      size_t count, struct sam_sink sink, struct sam_error *error);

struct sam_unpacker;
/* The restored file goes to `sink`, which gets only bytes whose checksum matched. If `sink.write`
 * is NULL, the packed file is only verified. */
SAM_API enum sam_status sam_unpacker_open(const struct sam_codec_options *options,
                                          struct sam_sink sink, struct sam_unpacker **unpacker,
                                          struct sam_error *error);
SAM_API enum sam_status sam_unpacker_write(struct sam_unpacker *unpacker, const void *data,
                                           size_t size, struct sam_error *error);
/* End of input: SAM_ERR_INPUT if the packed file is incomplete. */
SAM_API enum sam_status sam_unpacker_finish(struct sam_unpacker *unpacker, struct sam_error *error);
SAM_API void sam_unpacker_close(struct sam_unpacker *unpacker); /* may be NULL */

/* --- random access */
struct sam_packed;
/* Reads the header, the index and the list of tensors; tensor data is checked when it is read.
 * `data` must outlive *packed. */
SAM_API enum sam_status sam_packed_open(const void *data, size_t size,
                                        const struct sam_codec_options *options,
                                        struct sam_packed **packed, struct sam_error *error);
/* Bytes read on demand: `read` copies `size` bytes at `offset` into `data`, or returns false (on
 * an error, or if there are fewer). It may be called from any thread that uses the object. Use this
 * for a file that others may truncate: accessing a mapping past its end raises a signal. */
struct sam_source {
    bool (*read)(void *context, uint64_t offset, void *data, size_t size);
    void *context;
    uint64_t size; /* of the packed file */
};
/* The same. SAM_ERR_IO, here and below, if `source.read` fails. */
SAM_API enum sam_status sam_packed_open_source(struct sam_source source,
                                               const struct sam_codec_options *options,
                                               struct sam_packed **packed, struct sam_error *error);
SAM_API void sam_packed_close(struct sam_packed *packed); /* may be NULL */
/* The contents of the file, with the names as stored; owned by `packed`. */
SAM_API const struct sam_weights *sam_packed_weights(const struct sam_packed *packed);
/* The verbatim header, weights->header_size bytes; owned by `packed` or part of `data`. */
SAM_API const void *sam_packed_header(const struct sam_packed *packed);
/* The index of the tensor `name`; SIZE_MAX if there is none or `name` is NULL. */
SAM_API size_t sam_packed_find(const struct sam_packed *packed, const char *name);
/* Read bytes first .. first + size - 1 of tensor `tensor` into `out`. For element ranges: element i
 * of a b-bit type begins at bit i * b. */
SAM_API enum sam_status sam_packed_read(const struct sam_packed *packed, size_t tensor,
                                        uint64_t first, uint64_t size, void *out,
                                        struct sam_error *error);
/* Restore the whole file, weights->file_size bytes, with options->threads threads. */
SAM_API enum sam_status sam_packed_restore(const struct sam_packed *packed, void *file,
                                           struct sam_error *error);

SAM_API enum sam_status sam_packed_stat(const struct sam_packed *packed, size_t tensor,
                                        struct sam_packed_stat *stat, struct sam_error *error);

/* --- before packing: estimate the gain */
struct sam_weight_stat {
    const char *layout;
    unsigned planes, coded;
    uint64_t elements;
    double entropy; /* of the coded planes, bits per element: the mean over windows of 64 Ki */
    double bound; /* `entropy` plus the raw planes: the least that a code of this kind can reach */
    double width; /* bits per element, uncompressed */
};
/* Statistics of `size` bytes of elements of `type`. */
SAM_API enum sam_status sam_weight_stat(enum sam_dtype type, const void *data, uint64_t size,
                                        const struct sam_codec_options *options,
                                        struct sam_weight_stat *stat, struct sam_error *error);
/* Symbol counts of coded plane `plane` (0 is the exponent), as used by the codec to build its
 * codes. */
SAM_API enum sam_status sam_weight_count(enum sam_dtype type, const void *data, uint64_t size,
                                         const struct sam_codec_options *options, unsigned plane,
                                         uint64_t counts[256], struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
