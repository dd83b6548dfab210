/* SPDX-License-Identifier: Apache-2.0 */
/* The weight codec: tensors of neural networks, packed without loss. The exponents of weights are
 * few and uneven: they are taken out of the elements, Huffman coded and put back; signs and
 * mantissas, which nothing compresses, go along as they are. Every bit pattern comes back: NaN
 * payloads, infinities, -0. docs/codec.md is the manual, docs/format-codec.md the format.
 *
 * A packed file holds one whole file: its header byte for byte, its tensors in the order of their
 * bytes, what lies between them. Three ways to and fro:
 *   at once    sam_pack, sam_unpack, between buffers of the caller;
 *   piecewise  sam_packer_*, sam_unpacker_*, fed with any number of bytes at a time;
 *   at random  sam_packed_*, over a packed file in memory or read where it is needed: one tensor,
 *              or a range of its elements, without touching the others.
 *
 * Input is never written to. There is no global state: objects are independent, one object is used
 * by one thread at a time (a struct sam_packed by any number). Unless its description says that
 * NULL is allowed, a NULL argument gives SAM_ERR_USAGE, as do numbers that no enumeration has. */
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
    const char *name; /* may be "", not NULL */
    enum sam_dtype type;
    size_t rank;                     /* 0..SAM_WEIGHT_RANK; 0 is a single element */
    uint64_t shape[SAM_WEIGHT_RANK]; /* each below 2^63 */
    uint64_t offset;                 /* of its first byte in the file */
    uint64_t size;                   /* bytes; what type and shape say, except for SAM_OPAQUE */
};

enum sam_weights_kind {
    SAM_WEIGHTS_RAW,
    SAM_WEIGHTS_NPY,
    SAM_WEIGHTS_SAFETENSORS,
    SAM_WEIGHTS_GGUF,
};

/* What is where in a file. sam_weights_parse (format.h) makes it of files; a caller can, too. */
struct sam_weights {
    enum sam_weights_kind kind;
    uint64_t file_size;         /* below 2^63 */
    uint64_t header_size;       /* the first bytes of the file, kept as they are */
    struct sam_weight *tensors; /* behind the header, by offset, not overlapping; gaps are kept */
    size_t count;
    char *names; /* where the names stand; may be NULL */
    /* npy in Fortran order or big-endian: the tensor is what stands there, in one dimension or
     * opaque; sam_npy_parse puts it in order. The codec does not look at this. */
    bool out_of_order;
};

/* Frees tensors and names; NULL is fine. */
SAM_API void sam_weights_free(struct sam_weights *weights);
/* Validate: SAM_ERR_INPUT names the first fault and its tensor; SAM_ERR_USAGE is for NULL
 * (`weights`, its tensors, a name) and for an unknown kind. */
SAM_API enum sam_status sam_weights_check(const struct sam_weights *weights,
                                          struct sam_error *error);

/* Memory for tables and buffers; sizes are multiples of 64, blocks must be aligned to 64. */
struct sam_allocator {
    void *(*allocate)(void *context, size_t size);
    void (*release)(void *context, void *memory);
    void *context;
};

/* Which loops may run; the host's own limit applies. All give the same bytes. */
enum sam_codec_level {
    SAM_CODEC_BEST,
    SAM_CODEC_PORTABLE,
    SAM_CODEC_AVX2,   /* x86-64-v3 */
    SAM_CODEC_AVX512, /* x86-64-v4 */
};

/* All zero is the default. */
struct sam_codec_options {
    size_t size;      /* sizeof of this struct; 0: as in 0.1 (status.h) */
    bool dense;       /* more of each element coded: smaller for fp16 and fp8, slower */
    bool bit_planes;  /* one plane a bit, eight elements a symbol */
    unsigned threads; /* 0: one */
    enum sam_codec_level level;
    const struct sam_allocator *allocator; /* NULL: malloc and free */
};

/* The name of the loops that `level` gives on this host: "portable", "avx2", "avx512". */
SAM_API const char *sam_codec_level_name(enum sam_codec_level level);

/* --- at once */
/* No packed file of `weights` is larger. 0 when `weights` is not valid or the sizes do not fit 64
 * bits. Takes time for each tensor, whatever sizes are declared. */
SAM_API uint64_t sam_pack_bound(const struct sam_weights *weights);
/* `file` has weights->file_size bytes, `packed` room for `room`. *size bytes are written;
 * SAM_ERR_USAGE when there is no room. `options` may be NULL, here and below. */
SAM_API enum sam_status sam_pack(const struct sam_weights *weights, const void *file,
                                 const struct sam_codec_options *options, void *packed, size_t room,
                                 size_t *size, struct sam_error *error);
/* The size of the file that a packed file holds, of which the first 64 bytes are enough. */
SAM_API enum sam_status sam_unpack_size(const void *packed, size_t size, uint64_t *file_size,
                                        struct sam_error *error);
/* `file` has room for `room` bytes, sam_unpack_size or more. After a failure its contents mean
 * nothing. */
SAM_API enum sam_status sam_unpack(const void *packed, size_t size,
                                   const struct sam_codec_options *options, void *file, size_t room,
                                   struct sam_error *error);

/* --- piecewise */
/* What became of a tensor. */
struct sam_packed_stat {
    uint64_t packed;    /* bytes, its share of tables and headers included */
    uint64_t blocks;    /* independent pieces (of all, where small neighbours are coded together) */
    uint64_t verbatim;  /* of them kept as they are */
    unsigned planes;    /* of its layout */
    unsigned coded;     /* of them with a code */
    const char *layout; /* "bf16: exponent, sign+mantissa" */
};
struct sam_packer;
/* Packed bytes go to `sink`, some of them during later calls; SAM_ERR_USAGE without its `write`.
 * `weights` is copied. */
SAM_API enum sam_status sam_packer_open(const struct sam_weights *weights,
                                        const struct sam_codec_options *options,
                                        struct sam_sink sink, struct sam_packer **packer,
                                        struct sam_error *error);
/* The next bytes of the file, weights->file_size in all. After a failure only _close is left. */
SAM_API enum sam_status sam_packer_write(struct sam_packer *packer, const void *data, size_t size,
                                         struct sam_error *error);
/* All bytes were written: finish the packed file. */
SAM_API enum sam_status sam_packer_finish(struct sam_packer *packer, struct sam_error *error);
/* What is being packed: the tensors and, as opaque ones without a name, what lies between them.
 * Belongs to `packer`. */
SAM_API const struct sam_weights *sam_packer_weights(const struct sam_packer *packer);
/* What became of one of these; after _finish. */
SAM_API enum sam_status sam_packer_stat(const struct sam_packer *packer, size_t tensor,
                                        struct sam_packed_stat *stat, struct sam_error *error);
SAM_API void sam_packer_close(struct sam_packer *packer); /* NULL is fine */

struct sam_unpacker;
/* The restored file goes to `sink`, only bytes whose checksum was right. With `sink.write` NULL
 * the packed file is verified. */
SAM_API enum sam_status sam_unpacker_open(const struct sam_codec_options *options,
                                          struct sam_sink sink, struct sam_unpacker **unpacker,
                                          struct sam_error *error);
SAM_API enum sam_status sam_unpacker_write(struct sam_unpacker *unpacker, const void *data,
                                           size_t size, struct sam_error *error);
/* There is no more: SAM_ERR_INPUT when something is missing. */
SAM_API enum sam_status sam_unpacker_finish(struct sam_unpacker *unpacker, struct sam_error *error);
SAM_API void sam_unpacker_close(struct sam_unpacker *unpacker); /* NULL is fine */

/* --- at random */
struct sam_packed;
/* `data` must stay. Reads header, index and the list of tensors; the tensors' data are checked as
 * they are read. */
SAM_API enum sam_status sam_packed_open(const void *data, size_t size,
                                        const struct sam_codec_options *options,
                                        struct sam_packed **packed, struct sam_error *error);
/* Bytes that are read when they are needed: `read` puts `size` bytes from `offset` on into `data`,
 * or returns false (an error, or there are fewer). It is called by all threads that use the
 * object. A file that others may shorten is read so: touching what is mapped and gone is a signal.
 */
struct sam_source {
    bool (*read)(void *context, uint64_t offset, void *data, size_t size);
    void *context;
    uint64_t size; /* of the packed file */
};
/* The same; SAM_ERR_IO, here and below, when `source.read` fails. */
SAM_API enum sam_status sam_packed_open_source(struct sam_source source,
                                               const struct sam_codec_options *options,
                                               struct sam_packed **packed, struct sam_error *error);
SAM_API void sam_packed_close(struct sam_packed *packed); /* NULL is fine */
/* What the file holds; belongs to `packed`. Names are as in the file. */
SAM_API const struct sam_weights *sam_packed_weights(const struct sam_packed *packed);
/* The verbatim header, weights->header_size bytes; belongs to `packed`, or is part of `data`. */
SAM_API const void *sam_packed_header(const struct sam_packed *packed);
/* The index of the tensor called so, SIZE_MAX when there is none or `name` is NULL. */
SAM_API size_t sam_packed_find(const struct sam_packed *packed, const char *name);
/* Bytes first .. first + size - 1 of tensor `tensor`, into `out`. An element range is a byte range:
 * element i of a type of b bits begins at bit i * b. */
SAM_API enum sam_status sam_packed_read(const struct sam_packed *packed, size_t tensor,
                                        uint64_t first, uint64_t size, void *out,
                                        struct sam_error *error);
/* All of the file, weights->file_size bytes; in options->threads threads. */
SAM_API enum sam_status sam_packed_restore(const struct sam_packed *packed, void *file,
                                           struct sam_error *error);

SAM_API enum sam_status sam_packed_stat(const struct sam_packed *packed, size_t tensor,
                                        struct sam_packed_stat *stat, struct sam_error *error);

/* --- before packing: what there is to gain */
struct sam_weight_stat {
    const char *layout;
    unsigned planes, coded;
    uint64_t elements;
    double entropy; /* bits an element of the coded planes, the mean over 64 Ki elements each */
    double bound; /* ... and of the others, 8 where they are noise: codes of this kind end there */
    double width; /* bits an element, stored */
};
/* Statistics of `size` bytes of elements of `type`. */
SAM_API enum sam_status sam_weight_stat(enum sam_dtype type, const void *data, uint64_t size,
                                        const struct sam_codec_options *options,
                                        struct sam_weight_stat *stat, struct sam_error *error);
/* counts[s] of the symbols of coded plane `plane` (0 for the exponent): the counter that the codec
 * builds its codes from. */
SAM_API enum sam_status sam_weight_count(enum sam_dtype type, const void *data, uint64_t size,
                                         const struct sam_codec_options *options, unsigned plane,
                                         uint64_t counts[256], struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
