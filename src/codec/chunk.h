/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk: up to SAM_CHUNK_BLOCKS blocks of a tensor. Similar adjacent blocks share codes. */
#ifndef SAM_CODEC_CHUNK_H
#define SAM_CODEC_CHUNK_H

#include "base/cpu.h"
#include "codec/codec.h"
#include "codec/window.h"

enum {
    SAM_CHUNK_HEADER = 16, /* bytes before the list of blocks */
    SAM_CHUNK_ENTRY = 12,
    SAM_CHUNK_SLACK = 8192,            /* scratch after a chunk being made */
    SAM_CHUNK_GROWTH = UINT16_MAX + 1, /* room for a longer header in a later version */
    SAM_NOISE = 90,       /* percent: a plane of at least this entropy counts as noise */
    SAM_LEAST_GAIN = 128, /* code planes and blocks only if that saves 1/128 of their size */
};

enum sam_chunk_block_mode {
    SAM_CHUNK_VERBATIM,
    SAM_CHUNK_PLANES,
    SAM_CHUNK_WINDOW,
    SAM_CHUNK_MODES
};
enum sam_plane_mode { SAM_PLANE_RAW, SAM_PLANE_CODED, SAM_PLANE_CONSTANT };

/* The elements of a chunk: `count` elements of the layout in piece `tensor`, starting at `first`
 * (a multiple of SAM_CHUNK). */
struct sam_chunk_span {
    enum sam_layout_id layout;
    uint32_t tensor;
    uint64_t first;
    size_t count;
};

static inline size_t sam_chunk_span_blocks(const struct sam_chunk_span *span)
{
    return (span->count + SAM_CHUNK_BLOCK_SIZE - 1) / SAM_CHUNK_BLOCK_SIZE;
}
static inline size_t sam_chunk_block_elements(const struct sam_chunk_span *span, size_t block)
{
    size_t left = span->count - block * SAM_CHUNK_BLOCK_SIZE;
    return left < SAM_CHUNK_BLOCK_SIZE ? left : SAM_CHUNK_BLOCK_SIZE;
}
/* Offset of a block in its piece. */
static inline uint64_t sam_chunk_block_at(const struct sam_chunk_span *span, size_t block)
{
    return (span->first + block * SAM_CHUNK_BLOCK_SIZE) * sam_layout_of(span->layout)->element;
}

/* Seed of a block's checksum. */
static inline uint64_t sam_chunk_seed(const struct sam_chunk_span *span, size_t block)
{
    return (uint64_t)span->tensor << 32 | (uint32_t)(span->first / SAM_CHUNK_BLOCK_SIZE + block);
}

/* The position of a block's first group in its piece: combined with the checksum of the group. */
static inline uint64_t sam_window_place(const struct sam_chunk_span *span, size_t block)
{
    const uint64_t first = span->first + block * SAM_CHUNK_BLOCK_SIZE;
    return (uint64_t)span->tensor << 32 | (uint32_t)(first / SAM_WINDOW_GROUP);
}

/* Symbol counters for building codes from inexact counts: those of SymbolStat
 * (`samite/symbolstat.h`). */
struct sam_counter {
    uint32_t symbol_width; /* bits of a symbol that are counted */
    uint32_t depth;        /* counters; larger symbols are not counted */
    uint32_t weight_width; /* bits of a counter, at most 32; saturating */
    const uint32_t *given; /* if not NULL, given counts for plane 0; no other plane is coded */
};
/* Saturate exact counts to the counters. */
void sam_counter_read(const struct sam_counter *counter, const uint32_t exact[256],
                      uint32_t counts[256]);

/* Returns the largest size of a chunk of `count` elements. */
size_t sam_chunk_bound(enum sam_layout_id layout, size_t count);

/* Buffers to make chunks of up to `count` elements of any of the layouts in `layouts` (bit set). */
struct sam_chunk_maker {
    const struct sam_codec_ops *ops;
    const struct sam_allocator *allocator;
    const struct sam_counter *counter; /* NULL: exact */
    bool restart;                      /* write restart points */
    bool window;                       /* blocks of windows instead of codes */
    uint8_t *planes;
    uint32_t (*counts)[256];   /* per block and coded plane */
    struct sam_huffman *codes; /* per block and coded plane, set for the first block that shares
                                  a code */
};
bool sam_chunk_maker_open(struct sam_chunk_maker *maker, const struct sam_codec_ops *ops,
                          const struct sam_allocator *allocator, uint32_t layouts, size_t count);
void sam_chunk_maker_close(struct sam_chunk_maker *maker);
/* `out` has room for sam_chunk_bound + SAM_CHUNK_SLACK bytes. Returns the size, a multiple of
 * SAM_ALIGN. */
size_t sam_chunk_make(const struct sam_chunk_maker *maker, const struct sam_chunk_span *span,
                      const uint8_t *elements, uint8_t *out);

/* Write block `block` of a chunk, with elements `elements`, as windows; `out` has room for the
 * elements and SAM_CHUNK_SLACK bytes. Returns the size, or 0 if it gains too little. */
size_t sam_window_make(const struct sam_codec_ops *ops, const struct sam_chunk_span *span,
                       size_t block, const uint8_t *elements, uint8_t *out);
/* Returns whether samples of a plane suggest that it is noise. */
bool sam_plane_is_noise(const struct sam_codec_ops *ops, const uint8_t *symbols, size_t count);

/* A parsed chunk. */
struct sam_chunk {
    struct sam_chunk_span span;
    uint32_t size;
    size_t after; /* readable bytes after the chunk: they may be prefetched */
    struct {
        uint32_t offset, size;
        enum sam_chunk_block_mode mode;
        uint64_t hash;
        const uint8_t *codes;   /* of the coded planes, as read by sam_huffman_read */
        uint32_t has_code;      /* bit per plane: there is a code in `codes` */
        const uint8_t *restart; /* points of these planes; NULL: none */
    } block[SAM_CHUNK_BLOCKS];
    const uint8_t *codes_end;
    uint32_t has_code; /* bit per coded plane: some block codes it */
};

/* Restart points of `elements` elements in a plane with a code, and the bytes of a point. */
enum { SAM_RESTART_BYTES = 3, SAM_RESTART_KIND = 1 };
static inline size_t sam_restart_points(size_t elements)
{
    return (elements - 1) / SAM_RESTART;
}

/* Read the code at *at and advance past it. Returns false if it is invalid or extends past `end`.
 */
bool sam_huffman_read(const uint8_t **at, const uint8_t *end, struct sam_huffman *code,
                      bool *present);

/* Returns the size of a chunk from its first SAM_CHUNK_HEADER bytes, or 0 if it is impossible. */
uint32_t sam_chunk_size(const uint8_t *header, const struct sam_chunk_span *span);
/* Returns whether a chunk size from the index is possible. */
bool sam_chunk_size_fits(uint64_t size, const struct sam_chunk_span *span);
/* Offset of the blocks in a chunk, from its first SAM_CHUNK_HEADER bytes. sam_chunk_parse_header
 * needs that many bytes. */
static inline size_t sam_chunk_header_size(const uint8_t *header)
{
    return sam_le16(header + 12);
}
/* Parse the header from the first `have` of `size` chunk bytes. Returns NULL or the fault. */
const char *sam_chunk_parse_header(const uint8_t *data, size_t have, size_t size,
                                   const struct sam_chunk_span *span, struct sam_chunk *chunk);
/* Parse a chunk of `size` bytes and check its block list. Returns NULL or the fault. */
const char *sam_chunk_parse(const uint8_t *data, size_t size, const struct sam_chunk_span *span,
                            struct sam_chunk *chunk);

/* Parse the table of block `block` of `chunk`, its first sam_window_table_size bytes. Returns NULL
 * or the fault. `table` must outlive *window. */
const char *sam_window_parse(const struct sam_chunk *chunk, size_t block, const uint8_t *table,
                             struct sam_window *window);

/* Buffers for reading blocks of up to `count` elements. */
struct sam_chunk_reader {
    const struct sam_codec_ops *ops;
    const struct sam_allocator *allocator;
    uint8_t *planes;
    struct sam_huffman_table *tables;
    size_t planes_size, table_count;
    uint32_t has_table; /* one bit per plane */
    bool trusted;       /* checksums of elements are not compared */
    bool stream;        /* the output is large and not read soon */
};
bool sam_chunk_reader_open(struct sam_chunk_reader *reader, const struct sam_codec_ops *ops,
                           const struct sam_allocator *allocator, uint32_t layouts, size_t count);
/* Grow a zero or open reader without an allocator. A reader that is large enough keeps its tables.
 */
bool sam_chunk_reader_fit(struct sam_chunk_reader *reader, const struct sam_codec_ops *ops,
                          uint32_t layouts, size_t count);
void sam_chunk_reader_close(struct sam_chunk_reader *reader);
/* The bytes of a block or of groups. */
struct sam_chunk_bytes {
    const uint8_t *data;
    size_t after; /* readable bytes after them: they may be prefetched */
};
/* Decode block `block` of `chunk`, at `data`. Returns NULL or the fault; `elements` is unspecified
 * after a fault. */
const char *sam_chunk_read(struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                           const uint8_t *data, size_t block, uint8_t *elements);

/* sam_chunk_read for a block with these bytes. */
const char *sam_chunk_read_bytes(struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                                 struct sam_chunk_bytes bytes, size_t block, uint8_t *elements);
/* Decode groups first .. end - 1 of a block of windows, given the bytes from the first of them
 * on. */
const char *sam_window_read(const struct sam_chunk_reader *reader, const struct sam_window *window,
                            size_t first, size_t end, struct sam_chunk_bytes groups,
                            uint8_t *elements);
/* Decode a block, possibly in place: a raw block is not copied. Returns the elements, or NULL with
 * the fault in *wrong. If the caller will copy them, `target` is the destination, for prefetching;
 * otherwise NULL. */
const uint8_t *sam_chunk_look(struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                              struct sam_chunk_bytes bytes, size_t block, uint8_t *elements,
                              const uint8_t *target, const char **wrong);

/* The codes of a block and the symbols that they code, for the time models. */
struct sam_chunk_cost {
    uint64_t coded; /* symbols */
    unsigned codes; /* of its coded planes */
    struct sam_chunk_code {
        uint64_t id;             /* of equal codes */
        unsigned range, symbols; /* from the first symbol to the last; those with a length */
    } code[SAM_MAX_PLANES];
};
/* Compute the cost of block `block`, at `data`. Returns false if the block is damaged; the cost is
 * then incomplete. */
bool sam_chunk_cost(const struct sam_chunk *chunk, const uint8_t *data, size_t block,
                    struct sam_chunk_cost *cost);

/* A plane as listed at the start of a block. */
struct sam_plane_entry {
    enum sam_plane_mode mode;
    uint8_t symbol;
    uint32_t sizes[SAM_STREAMS];
};
/* Read the entry at *at and advance past it. Returns false if it is invalid. */
bool sam_plane_entry_read(const uint8_t **at, const uint8_t *end, struct sam_plane_entry *entry);
enum { SAM_PLANE_ENTRY = 1 + 4 * SAM_STREAMS }; /* most bytes of one */

/* Validate the caller's options; NULL selects the defaults. */
enum sam_status sam_codec_options_take(struct sam_codec_options *options,
                                       const struct sam_codec_options *given,
                                       struct sam_error *error);

void *sam_codec_alloc(const struct sam_allocator *allocator, size_t size);
void sam_codec_free(const struct sam_allocator *allocator, void *memory);

#endif
