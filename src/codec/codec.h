/* SPDX-License-Identifier: Apache-2.0 */
/* Internal interface of codec/. Elements are split into planes (planes.c). A coded plane is
 * counted (count.c), gets a length-limited canonical code (code.c) and is written as interleaved
 * streams (encode_tmpl.h, decode_tmpl.h). Planes form blocks, blocks that share codes form
 * chunks (chunk_make.c, chunk_read.c), and chunks form a file (container.c) or separate pieces
 * (chunks.c). docs/format-codec.md describes the format. */
#ifndef SAM_CODEC_INTERNAL_H
#define SAM_CODEC_INTERNAL_H

#include "base/base.h"
#include "samite/codec.h"

enum {
    SAM_HUFFMAN_LIMIT = 11, /* bits of the longest code */
    SAM_HUFFMAN_SLOTS = 1 << SAM_HUFFMAN_LIMIT,
    SAM_STREAMS = 5,
    SAM_RESTART = 1 << 12,          /* elements between restart points */
    SAM_CHUNK_BLOCK_SIZE = 1 << 17, /* elements */
    SAM_CHUNK_BLOCKS = 8,
    SAM_CHUNK = SAM_CHUNK_BLOCK_SIZE * SAM_CHUNK_BLOCKS,
    SAM_MAX_PLANES = 32,
    SAM_MAX_ELEMENT = 4,
    SAM_ALIGN = 64,
};

/* File sizes and dimensions fit signed 64-bit numbers, as used by JSON and file offsets. */
#define SAM_MAX_FILE ((uint64_t)INT64_MAX)

/* Limit on tensors and gaps: each takes 200 bytes of reader memory, but possibly only 6 bytes of
 * the file. */
enum { SAM_MAX_PIECES = 1 << 21 };

/* --- planes */
enum sam_layout_id {
    SAM_LAYOUT_BYTES,
    SAM_LAYOUT_BF16,
    SAM_LAYOUT_F16,
    SAM_LAYOUT_F16_DENSE,
    SAM_LAYOUT_F32,
    SAM_LAYOUT_E4M3,
    SAM_LAYOUT_E5M2,
    SAM_LAYOUT_BITS8,
    SAM_LAYOUT_BITS16,
    SAM_LAYOUT_BITS32,
    SAM_LAYOUTS,
    SAM_LAYOUT_SHARED = SAM_LAYOUTS, /* pieces coded together with their neighbours */
};

/* Selected bits of an element, gathered from low to high. */
struct sam_plane {
    uint8_t unit; /* bits per element in the plane: 1, 4 or 8 */
    struct {
        uint8_t from, width;
    } field[2]; /* width 0: absent */
};

struct sam_layout {
    uint8_t element; /* bytes */
    uint8_t plane_count;
    uint8_t coded_count; /* of the first planes; the others are usually noise */
    struct sam_plane plane[SAM_MAX_PLANES];
};

const struct sam_layout *sam_layout_of(enum sam_layout_id id);
const char *sam_layout_name(enum sam_layout_id id, bool windows);
enum sam_layout_id sam_layout_for(enum sam_dtype type, const struct sam_codec_options *options);

static inline size_t sam_plane_size(const struct sam_plane *plane, size_t elements)
{
    return (elements * plane->unit + 7) / 8;
}

/* Maximum over the layouts of the set: returns the bytes of the planes of `count` elements, and
 * *planes the number of planes. */
size_t sam_layout_most(uint32_t set, size_t count, size_t *planes);

/* Add the symbol counts of plane `plane` of `size` element bytes. Parts of a longer array must have
 * a multiple of eight elements, except the last. */
enum sam_status sam_layout_count(enum sam_layout_id id, const uint8_t *data, uint64_t size,
                                 const struct sam_codec_options *options, unsigned plane,
                                 uint64_t counts[256], struct sam_error *error);

/* --- codes */
/* Add the occurrences of each symbol to counts[]. */
void sam_codec_count_symbols(const uint8_t *symbols, size_t count, uint32_t counts[256]);

struct sam_huffman {
    uint8_t length[256]; /* bits; 0: not in the code */
};
/* Build the optimal code of at most SAM_HUFFMAN_LIMIT bits; at least two counts are not 0. */
void sam_huffman_make(const uint32_t counts[256], struct sam_huffman *code);
/* Returns whether the code is complete: at least two symbols, no length above the limit, Kraft sum
 * exactly 1. */
bool sam_huffman_is_exact(const struct sam_huffman *code);
/* Canonical code words, ordered by length, then symbol. The first bit is bit 0. */
void sam_huffman_words(const struct sam_huffman *code, uint16_t words[256]);

/* Maps the next SAM_HUFFMAN_LIMIT stream bits to up to seven symbols. Byte 0 of an entry is the
 * bits used, byte 7 the first symbol, byte 6 the second, ...; count[] is their number. In this
 * order one store writes the symbols of a stream, which runs backwards, and the entry itself serves
 * as shift count. */
struct sam_huffman_table {
    uint64_t entry[SAM_HUFFMAN_SLOTS];
    uint16_t count[SAM_HUFFMAN_SLOTS];
    struct sam_huffman code;
};
/* `code` must be complete. */
void sam_huffman_table_make(const struct sam_huffman *code, struct sam_huffman_table *table);

/* Symbols per stream; the last streams may have fewer. */
static inline size_t sam_stream_length(size_t symbols)
{
    return (symbols + SAM_STREAMS - 1) / SAM_STREAMS;
}
/* Buffer size for coding `symbols` symbols, including scratch after the end. */
static inline size_t sam_huffman_bound(size_t symbols)
{
    return symbols * SAM_HUFFMAN_LIMIT / 8 + (size_t)SAM_STREAMS * 64;
}

/* Memory to prefetch: the next input and output, or NULL. */
struct sam_warm {
    const uint8_t *from, *to;
    size_t from_size, to_size;
};

/* --- loops compiled per instruction level */
struct sam_codec_ops {
    const char *name;
    void (*split)(enum sam_layout_id id, const uint8_t *elements, size_t count,
                  uint8_t *const planes[]);
    /* Merge planes into elements; returns their XXH3-64, unless `seed` is NULL. */
    uint64_t (*merge)(enum sam_layout_id id, const uint8_t *const planes[], size_t count,
                      uint8_t *elements, const uint64_t *seed);
    /* Copy; returns the XXH3-64. */
    uint64_t (*copy)(uint8_t *to, const uint8_t *from, size_t size, uint64_t seed);
    uint64_t (*hash)(const void *data, size_t size, uint64_t seed);
    /* XXH3-64 of bytes that will be copied to `target`, which is prefetched unless NULL. */
    uint64_t (*hash_ahead)(const uint8_t *data, size_t size, uint64_t seed, const uint8_t *target);
    void (*count)(const uint8_t *symbols, size_t count, uint32_t counts[256]);
    /* Encode into SAM_STREAMS consecutive streams and store their sizes in bytes. `out` has room
     * for sam_huffman_bound bytes. */
    void (*encode)(const struct sam_huffman *code, const uint8_t *symbols, size_t count,
                   uint8_t *out, uint32_t sizes[SAM_STREAMS], const struct sam_warm *warm);
    /* Decode consecutive streams, reading nothing after the last one. Returns false unless each
     * stream holds exactly its symbols. */
    bool (*decode)(const struct sam_huffman_table *table, const uint8_t *in,
                   const uint32_t sizes[SAM_STREAMS], uint8_t *symbols, size_t count,
                   const struct sam_warm *warm);
    const struct sam_window_ops *window; /* window.h */
};

/* The best loops for this host, up to `level`. */
const struct sam_codec_ops *sam_codec_ops(enum sam_codec_level level);
extern const struct sam_codec_ops sam_codec_base, sam_codec_v3, sam_codec_v4, sam_codec_vbmi2,
    sam_codec_neon;

/* Portable versions. */
void sam_planes_split(enum sam_layout_id id, const uint8_t *elements, size_t count,
                      uint8_t *const planes[]);
void sam_planes_merge(enum sam_layout_id id, const uint8_t *const planes[], size_t count,
                      uint8_t *elements);
void sam_streams_encode(const struct sam_huffman *code, const uint8_t *symbols, size_t count,
                        uint8_t *out, uint32_t sizes[SAM_STREAMS]);
bool sam_streams_decode(const struct sam_huffman_table *table, const uint8_t *in,
                        const uint32_t sizes[SAM_STREAMS], uint8_t *symbols, size_t count);
/* Decode one stream from bit `bit` on, writing backwards from `symbols + count`. */
bool sam_stream_decode_rest(const struct sam_huffman_table *table, const uint8_t *in, size_t size,
                            uint64_t bit, uint8_t *symbols, size_t count);

#endif
