/* SPDX-License-Identifier: Apache-2.0 */
/* The face of codec/. Elements are split into planes (planes.c); a coded plane is counted
 * (count.c), gets a length-limited canonical code (code.c) and is written as interleaved streams
 * (encode.c, decode.c); block.c puts planes into blocks, chunk.c blocks that share codes into
 * chunks, container.c chunks into a file. docs/format-codec.md describes the bytes. */
#ifndef SAM_CODEC_INTERNAL_H
#define SAM_CODEC_INTERNAL_H

#include "base/base.h"
#include "samite/codec.h"

enum {
    SAM_CODE_LIMIT = 11, /* bits of the longest code */
    SAM_CODE_SLOTS = 1 << SAM_CODE_LIMIT,
    SAM_STREAMS = 5,
    SAM_BLOCK = 1 << 17, /* elements */
    SAM_CHUNK_BLOCKS = 8,
    SAM_CHUNK = SAM_BLOCK * SAM_CHUNK_BLOCKS,
    SAM_MAX_PLANES = 32,
    SAM_MAX_ELEMENT = 4,
    SAM_ALIGN = 64,
};

/* File sizes and dimensions fit signed 64-bit numbers: those of JSON, of offsets in files. */
#define SAM_MAX_FILE ((uint64_t)INT64_MAX)

/* Pieces of a file, tensors and gaps: each takes 200 bytes of a reader's memory, and as little as 6
 * of the file. */
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
    SAM_LAYOUT_SHARED = SAM_LAYOUTS, /* of a piece that is coded together with its neighbours */
};

/* Bits of an element, gathered from low to high. */
struct sam_plane {
    uint8_t unit; /* bits an element takes in the plane: 1, 4 or 8 */
    struct {
        uint8_t from, width;
    } field[2]; /* width 0: absent */
};

struct sam_layout {
    uint8_t element; /* bytes */
    uint8_t plane_count;
    uint8_t coded_count; /* the first planes; the others are most often noise */
    struct sam_plane plane[SAM_MAX_PLANES];
};

const struct sam_layout *sam_layout_of(enum sam_layout_id id);
const char *sam_layout_name(enum sam_layout_id id);
enum sam_layout_id sam_layout_for(enum sam_dtype type, const struct sam_codec_options *options);

static inline size_t sam_plane_size(const struct sam_plane *plane, size_t elements)
{
    return (elements * plane->unit + 7) / 8;
}

/* --- codes */
/* counts[s] += how often s stands among the symbols. */
void sam_count_symbols(const uint8_t *symbols, size_t count, uint32_t counts[256]);

struct sam_code {
    uint8_t length[256]; /* bits, 0: not in the code */
};
/* The best code of at most SAM_CODE_LIMIT bits for `counts`, of which two or more are not 0. */
void sam_code_make(const uint32_t counts[256], struct sam_code *code);
/* Two symbols or more, no length above the limit, Kraft sum exactly 1. */
bool sam_code_is_exact(const struct sam_code *code);
/* Canonical: by length, then by symbol. codes[s] has its first bit in bit 0. */
void sam_code_words(const struct sam_code *code, uint16_t words[256]);

/* What the next SAM_CODE_LIMIT bits of a stream hold. Byte 0 of an entry is the number of bits
 * that its symbols take, byte 7 the first symbol, byte 6 the second, up to seven; count[] says how
 * many. In this order one store puts them where a stream, which runs backwards, wants them, and
 * the entry itself is the shift count. */
struct sam_decode_table {
    uint64_t entry[SAM_CODE_SLOTS];
    uint16_t count[SAM_CODE_SLOTS];
    struct sam_code code;
};
/* `code` must be exact. */
void sam_decode_table_make(const struct sam_code *code, struct sam_decode_table *table);

/* Symbols of each stream but the last ones, which may have fewer. */
static inline size_t sam_stream_length(size_t symbols)
{
    return (symbols + SAM_STREAMS - 1) / SAM_STREAMS;
}
/* Room that coding `symbols` symbols may need, the scratch behind the end included. */
static inline size_t sam_encode_bound(size_t symbols)
{
    return symbols * SAM_CODE_LIMIT / 8 + (size_t)SAM_STREAMS * 64;
}

/* What is used next, to be fetched meanwhile: read from there, written to there. */
struct sam_warm {
    const uint8_t *from, *to;
    size_t from_size, to_size;
};

/* --- the loops that have a version for each level of the host's instruction set */
struct sam_codec_ops {
    const char *name;
    void (*split)(enum sam_layout_id id, const uint8_t *elements, size_t count,
                  uint8_t *const planes[]);
    /* Merge planes into elements, and the XXH3-64 of these. */
    uint64_t (*merge)(enum sam_layout_id id, const uint8_t *const planes[], size_t count,
                      uint8_t *elements, uint64_t seed);
    /* Copy and hash. */
    uint64_t (*copy)(uint8_t *to, const uint8_t *from, size_t size, uint64_t seed);
    uint64_t (*hash)(const void *data, size_t size, uint64_t seed);
    void (*count)(const uint8_t *symbols, size_t count, uint32_t counts[256]);
    /* Into SAM_STREAMS streams, one behind the other; their sizes in bytes. `out` has room for
     * sam_encode_bound. */
    void (*encode)(const struct sam_code *code, const uint8_t *symbols, size_t count, uint8_t *out,
                   uint32_t sizes[SAM_STREAMS], const struct sam_warm *warm);
    /* False unless each stream holds its symbols and ends there. The streams stand one behind the
     * other; nothing behind the last is read. */
    bool (*decode)(const struct sam_decode_table *table, const uint8_t *in,
                   const uint32_t sizes[SAM_STREAMS], uint8_t *symbols, size_t count,
                   const struct sam_warm *warm);
};

/* The best that this host can run, not above `level`. */
const struct sam_codec_ops *sam_codec_ops(enum sam_codec_level level);
extern const struct sam_codec_ops sam_codec_base, sam_codec_v3, sam_codec_v4;

/* The portable ones. */
void sam_planes_split(enum sam_layout_id id, const uint8_t *elements, size_t count,
                      uint8_t *const planes[]);
void sam_planes_merge(enum sam_layout_id id, const uint8_t *const planes[], size_t count,
                      uint8_t *elements);
void sam_streams_encode(const struct sam_code *code, const uint8_t *symbols, size_t count,
                        uint8_t *out, uint32_t sizes[SAM_STREAMS]);
bool sam_streams_decode(const struct sam_decode_table *table, const uint8_t *in,
                        const uint32_t sizes[SAM_STREAMS], uint8_t *symbols, size_t count);
/* One stream from bit `bit` on, backwards from `symbols + count`. */
bool sam_stream_decode_rest(const struct sam_decode_table *table, const uint8_t *in, size_t size,
                            uint64_t bit, uint8_t *symbols, size_t count);

#endif
