/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a tensor, up to SAM_CHUNK_BLOCKS of them. Neighbours that are alike share their codes.
 */
#ifndef SAM_CODEC_CHUNK_H
#define SAM_CODEC_CHUNK_H

#include "base/cpu.h"
#include "codec/codec.h"

enum {
    SAM_CHUNK_HEADER = 16, /* bytes before the list of blocks */
    SAM_BLOCK_ENTRY = 12,
    SAM_CHUNK_SLACK = 64,              /* written behind a chunk while it is made */
    SAM_CHUNK_GROWTH = UINT16_MAX + 1, /* room for a header of a later version */
    SAM_NOISE = 90,       /* per cent of a plane's size, the entropy from which it is noise */
    SAM_LEAST_GAIN = 128, /* planes and blocks are coded when they save a 128th of their size */
};

enum sam_block_mode { SAM_BLOCK_VERBATIM, SAM_BLOCK_PLANES, SAM_BLOCK_MODES };
enum sam_plane_mode { SAM_PLANE_RAW, SAM_PLANE_CODED, SAM_PLANE_CONSTANT };

/* Which elements these are: `count` of the layout's elements of piece `tensor`, from `first` on (a
 * multiple of SAM_CHUNK). */
struct sam_span {
    enum sam_layout_id layout;
    uint32_t tensor;
    uint64_t first;
    size_t count;
};

static inline size_t sam_span_blocks(const struct sam_span *span)
{
    return (span->count + SAM_BLOCK - 1) / SAM_BLOCK;
}
static inline size_t sam_block_elements(const struct sam_span *span, size_t block)
{
    size_t left = span->count - block * SAM_BLOCK;
    return left < SAM_BLOCK ? left : SAM_BLOCK;
}

/* No chunk of this many elements is larger. */
size_t sam_chunk_bound(enum sam_layout_id layout, size_t count);

/* Buffers to make chunks of up to `count` elements of any of the layouts in `layouts` (bit set). */
struct sam_chunk_maker {
    const struct sam_codec_ops *ops;
    const struct sam_allocator *allocator;
    uint8_t *planes;
    uint32_t (*counts)[256]; /* a block and coded plane each */
    struct sam_code *codes;  /* likewise: of the first block of those that share them */
};
bool sam_chunk_maker_open(struct sam_chunk_maker *maker, const struct sam_codec_ops *ops,
                          const struct sam_allocator *allocator, uint32_t layouts, size_t count);
void sam_chunk_maker_close(struct sam_chunk_maker *maker);
/* `out` has room for sam_chunk_bound + SAM_CHUNK_SLACK bytes. Returns the size, a multiple of
 * SAM_ALIGN. */
size_t sam_chunk_make(const struct sam_chunk_maker *maker, const struct sam_span *span,
                      const uint8_t *elements, uint8_t *out);

/* A chunk, read. */
struct sam_chunk {
    struct sam_span span;
    uint32_t size;
    size_t behind; /* bytes that lie in memory behind it: they are fetched ahead */
    struct {
        uint32_t offset, size;
        enum sam_block_mode mode;
        uint64_t hash;
        const uint8_t *codes; /* of the coded planes, for sam_code_read */
    } block[SAM_CHUNK_BLOCKS];
    uint32_t has_code; /* a bit a coded plane that has one in some block */
};

/* The code at *at, which is moved behind it. False when it is none, or longer than up to `end`. */
bool sam_code_read(const uint8_t **at, const uint8_t *end, struct sam_code *code, bool *present);

/* The size of a chunk from its first SAM_CHUNK_HEADER bytes; 0 when it is not possible. */
uint32_t sam_chunk_size(const uint8_t *header, const struct sam_span *span);
/* The same for the size that the index says. */
bool sam_chunk_size_fits(uint64_t size, const struct sam_span *span);
/* Where the blocks of a chunk begin, from its first SAM_CHUNK_HEADER bytes: so many bytes are
 * enough for sam_chunk_parse_header. */
static inline size_t sam_chunk_header_size(const uint8_t *header)
{
    return sam_le16(header + 12);
}
/* NULL when the chunk's header, in the first `have` of its `size` bytes, is right; else what is
 * wrong. */
const char *sam_chunk_parse_header(const uint8_t *data, size_t have, size_t size,
                                   const struct sam_span *span, struct sam_chunk *chunk);
/* NULL when `size` bytes are that chunk, as far as its header says; else what is wrong. */
const char *sam_chunk_parse(const uint8_t *data, size_t size, const struct sam_span *span,
                            struct sam_chunk *chunk);

/* Buffers to read blocks of up to `count` elements. */
struct sam_chunk_reader {
    const struct sam_codec_ops *ops;
    const struct sam_allocator *allocator;
    uint8_t *planes;
    struct sam_decode_table *tables;
    uint32_t has_table; /* a bit a plane */
};
bool sam_chunk_reader_open(struct sam_chunk_reader *reader, const struct sam_codec_ops *ops,
                           const struct sam_allocator *allocator, uint32_t layouts, size_t count);
void sam_chunk_reader_close(struct sam_chunk_reader *reader);
/* Block `block` of `chunk`, whose bytes are `data`. NULL, or what is wrong: then `elements` holds
 * nothing of use. */
const char *sam_chunk_read(struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                           const uint8_t *data, size_t block, uint8_t *elements);

/* SAM_ERR_USAGE: the caller passed NULL for `what`. */
enum sam_status sam_codec_null(const char *what, struct sam_error *error);
/* The options a caller gave (NULL: the default), checked. */
enum sam_status sam_codec_options_take(struct sam_codec_options *options,
                                       const struct sam_codec_options *given,
                                       struct sam_error *error);

void *sam_codec_alloc(const struct sam_allocator *allocator, size_t size);
void sam_codec_free(const struct sam_allocator *allocator, void *memory);

#endif
