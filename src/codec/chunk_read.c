/* SPDX-License-Identifier: Apache-2.0 */
/* Reading chunks. The input is not trusted: the header and the elements have checksums, sizes must
 * add up, codes must be complete, and streams must end where they claim to. */
#include "codec/chunk.h"

bool sam_chunk_reader_open(struct sam_chunk_reader *reader, const struct sam_codec_ops *ops,
                           const struct sam_allocator *allocator, uint32_t layouts, size_t count)
{
    count = count < SAM_CHUNK_BLOCK_SIZE ? count : SAM_CHUNK_BLOCK_SIZE;
    size_t tables, planes = sam_layout_most(layouts, count, &tables);
    *reader = (struct sam_chunk_reader){
        .ops = ops, .allocator = allocator, .planes_size = planes, .table_count = tables};
    reader->planes = sam_codec_alloc(allocator, planes);
    reader->tables = sam_codec_alloc(allocator, tables * sizeof *reader->tables);
    if (reader->planes && reader->tables)
        return true;
    sam_chunk_reader_close(reader);
    return false;
}

bool sam_chunk_reader_fit(struct sam_chunk_reader *reader, const struct sam_codec_ops *ops,
                          uint32_t layouts, size_t count)
{
    count = count < SAM_CHUNK_BLOCK_SIZE ? count : SAM_CHUNK_BLOCK_SIZE;
    size_t tables, planes = sam_layout_most(layouts, count, &tables);
    if (reader->planes && planes <= reader->planes_size && tables <= reader->table_count)
        return true;
    sam_chunk_reader_close(reader);
    return sam_chunk_reader_open(reader, ops, NULL, layouts, count);
}

void sam_chunk_reader_close(struct sam_chunk_reader *reader)
{
    sam_codec_free(reader->allocator, reader->planes);
    sam_codec_free(reader->allocator, reader->tables);
    *reader = (struct sam_chunk_reader){0};
}

bool sam_chunk_size_fits(uint64_t size, const struct sam_chunk_span *span)
{
    /* A later version may have a longer header, within the range of its size field. */
    size_t most = sam_chunk_bound(span->layout, span->count) + SAM_CHUNK_GROWTH;
    return size >= SAM_ALIGN && size % SAM_ALIGN == 0 && size <= most;
}

uint32_t sam_chunk_size(const uint8_t *header, const struct sam_chunk_span *span)
{
    uint32_t size = sam_le32(header + 8);
    return sam_chunk_size_fits(size, span) ? size : 0;
}

bool sam_huffman_read(const uint8_t **at, const uint8_t *end, struct sam_huffman *code,
                      bool *present)
{
    const uint8_t *in = *at;
    memset(code, 0, sizeof *code);
    if (in == end || *in > 1)
        return false;
    *present = *in++;
    if (*present) {
        if (end - in < 2 || in[0] >= in[1])
            return false;
        unsigned first = in[0], last = in[1];
        in += 2;
        if ((size_t)(end - in) < (last - first) / 2 + 1)
            return false;
        for (unsigned s = first; s <= last; s++)
            code->length[s] = in[(s - first) / 2] >> ((s - first) % 2 * 4) & 15;
        in += (last - first) / 2 + 1;
        if (!sam_huffman_is_exact(code))
            return false;
    }
    *at = in;
    return true;
}

const char *sam_chunk_parse(const uint8_t *data, size_t size, const struct sam_chunk_span *span,
                            struct sam_chunk *chunk)
{
    const char *wrong = sam_chunk_parse_header(data, size, size, span, chunk);
    if (wrong)
        return wrong;
    size_t last = sam_chunk_span_blocks(span) - 1;
    for (size_t at = chunk->block[last].offset + chunk->block[last].size; at < size; at++)
        if (data[at])
            return "nonzero padding";
    return NULL;
}

/* Find the restart points at `at`. A header that ends otherwise has none. */
static void find_restarts(struct sam_chunk *chunk, const uint8_t *at, const uint8_t *end)
{
    const size_t blocks = sam_chunk_span_blocks(&chunk->span);
    size_t points[SAM_CHUNK_BLOCKS], all = 0;
    for (size_t b = 0; b < blocks; b++) {
        const size_t planes = chunk->block[b].mode == SAM_CHUNK_PLANES
                                  ? (size_t)__builtin_popcount(chunk->block[b].has_code)
                                  : 0;
        points[b] = planes * sam_restart_points(sam_chunk_block_elements(&chunk->span, b));
        all += points[b];
    }
    if ((size_t)(end - at) != 1 + all * SAM_RESTART_BYTES || *at++ != SAM_RESTART_KIND)
        return;
    for (size_t b = 0; b < blocks; b++) {
        chunk->block[b].restart = at;
        at += points[b] * SAM_RESTART_BYTES;
    }
}

const char *sam_chunk_parse_header(const uint8_t *data, size_t have, size_t size,
                                   const struct sam_chunk_span *span, struct sam_chunk *chunk)
{
    const struct sam_layout *layout = sam_layout_of(span->layout);
    size_t blocks = sam_chunk_span_blocks(span);
    *chunk = (struct sam_chunk){.span = *span, .size = (uint32_t)size};
    if (have < SAM_CHUNK_HEADER)
        return "truncated";
    size_t header = sam_le16(data + 12);
    if (sam_chunk_size(data, span) != size || data[14] != blocks || data[15] & 1 ||
        data[15] >> blocks || header < SAM_CHUNK_HEADER + blocks * SAM_CHUNK_ENTRY || header > have)
        return "impossible sizes";
    if (sam_codec_base.hash(data + 8, header - 8, sam_chunk_seed(span, 0)) != sam_le64(data))
        return "header checksum mismatch";
    const uint8_t *entry = data + SAM_CHUNK_HEADER, *end = data + header;
    const uint8_t *at = entry + blocks * SAM_CHUNK_ENTRY, *codes = at;
    uint32_t own_codes = 0;
    for (size_t b = 0; b < blocks; b++) {
        bool own = b == 0 || data[15] >> b & 1;
        codes = own ? at : codes;
        for (size_t p = 0; own && p < layout->plane_count; p++) {
            struct sam_huffman code;
            bool present;
            if (!sam_huffman_read(&at, end, &code, &present))
                return "invalid code table";
            own_codes = p ? own_codes : 0;
            own_codes |= (uint32_t)present << p;
        }
        chunk->block[b].codes = codes;
        chunk->block[b].has_code = own_codes;
        chunk->has_code |= own_codes;
    }
    chunk->codes_end = end;
    size_t offset = header;
    for (size_t b = 0; b < blocks; b++, entry += SAM_CHUNK_ENTRY) {
        uint32_t word = sam_le32(entry);
        uint32_t length = word & 0x3fffffff;
        if (word >> 30 >= SAM_CHUNK_MODES || length > size - offset)
            return "invalid block";
        chunk->block[b].offset = (uint32_t)offset;
        chunk->block[b].size = length;
        chunk->block[b].mode = (enum sam_chunk_block_mode)(word >> 30);
        chunk->block[b].hash = sam_le64(entry + 4);
        offset += length;
    }
    find_restarts(chunk, at, end);
    return size - offset >= SAM_ALIGN ? "extra bytes after the blocks" : NULL;
}

/* Returns the decoding table of a plane, cached if the previous block had the same code. */
static const struct sam_huffman_table *table_of(struct sam_chunk_reader *reader,
                                                const struct sam_huffman *code, size_t plane)
{
    struct sam_huffman_table *table = &reader->tables[plane];
    if (!(reader->has_table >> plane & 1) || memcmp(&table->code, code, sizeof *code) != 0) {
        sam_huffman_table_make(code, table);
        reader->has_table |= 1u << plane;
    }
    return table;
}

bool sam_plane_entry_read(const uint8_t **at, const uint8_t *end, struct sam_plane_entry *entry)
{
    const uint8_t *in = *at;
    if (in == end)
        return false;
    switch (*in++) {
    case SAM_PLANE_RAW: entry->mode = SAM_PLANE_RAW; break;
    case SAM_PLANE_CONSTANT:
        entry->mode = SAM_PLANE_CONSTANT;
        if (in == end)
            return false;
        entry->symbol = *in++;
        break;
    case SAM_PLANE_CODED:
        entry->mode = SAM_PLANE_CODED;
        if ((size_t)(end - in) < sizeof entry->sizes)
            return false;
        for (unsigned j = 0; j < SAM_STREAMS; j++, in += sizeof(uint32_t))
            entry->sizes[j] = sam_le32(in);
        break;
    default: return false;
    }
    *at = in;
    return true;
}

static bool read_planes(struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                        struct sam_chunk_bytes bytes, size_t block, const uint8_t *planes[],
                        const uint8_t *target)
{
    const struct sam_layout *l = sam_layout_of(chunk->span.layout);
    struct sam_plane_entry entry[SAM_MAX_PLANES];
    const uint8_t *in = bytes.data, *end = in + chunk->block[block].size;
    size_t count = sam_chunk_block_elements(&chunk->span, block);
    uint8_t *symbols = reader->planes;
    for (size_t p = 0; p < l->plane_count; p++)
        if (!sam_plane_entry_read(&in, end, &entry[p]))
            return false;
    /* Prefetch the next block, about as long as this one, and the output. */
    struct sam_warm warm = {end, target, (size_t)(end - in), target ? count * l->element : 0};
    if (warm.from_size > bytes.after)
        warm.from_size = bytes.after;
    const uint8_t *codes = chunk->block[block].codes;
    for (size_t p = 0; p < l->plane_count; p++) {
        size_t size = sam_plane_size(&l->plane[p], count), coded = 0;
        struct sam_huffman code;
        bool present;
        if (!sam_huffman_read(&codes, chunk->codes_end, &code, &present))
            return false;
        planes[p] = symbols;
        if (entry[p].mode == SAM_PLANE_CONSTANT) {
            memset(symbols, entry[p].symbol, size);
        } else if (entry[p].mode == SAM_PLANE_RAW) {
            planes[p] = in;
            coded = size;
        } else {
            if (!present)
                return false;
            for (unsigned j = 0; j < SAM_STREAMS; j++)
                coded += entry[p].sizes[j];
        }
        if (coded > (size_t)(end - in))
            return false;
        if (entry[p].mode == SAM_PLANE_CODED &&
            !reader->ops->decode(table_of(reader, &code, p), in, entry[p].sizes, symbols, size,
                                 &warm))
            return false;
        in += coded;
        symbols += size;
    }
    return in == end;
}

/* Decode a block of planes. */
static const char *merge_block(struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                               struct sam_chunk_bytes bytes, size_t block, uint8_t *elements,
                               const uint8_t *target)
{
    const struct sam_chunk_span *span = &chunk->span;
    const uint8_t *planes[SAM_MAX_PLANES];
    if (!read_planes(reader, chunk, bytes, block, planes, target))
        return "damaged block";
    const uint64_t seed = sam_chunk_seed(span, block);
    const uint64_t hash =
        reader->ops->merge(span->layout, planes, sam_chunk_block_elements(span, block), elements,
                           reader->trusted ? NULL : &seed);
    return reader->trusted || hash == chunk->block[block].hash ? NULL : "checksum mismatch";
}

/* Decode a block of windows. */
static const char *read_windows(struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                                struct sam_chunk_bytes bytes, size_t block, uint8_t *elements)
{
    struct sam_window w;
    const char *wrong = sam_window_parse(chunk, block, bytes.data, &w);
    if (wrong)
        return wrong;
    bytes.data += sam_window_table_size(w.count);
    return sam_window_read(reader, &w, 0, w.groups, bytes, elements);
}

/* Copy a raw block to `to`; if that is NULL, only verify it. */
static const char *copy_block(struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                              const uint8_t *data, size_t block, uint8_t *to, const uint8_t *target)
{
    const struct sam_chunk_span *span = &chunk->span;
    const size_t size =
        sam_chunk_block_elements(span, block) * sam_layout_of(span->layout)->element;
    const uint64_t seed = sam_chunk_seed(span, block);
    if (chunk->block[block].size != size)
        return "wrong block size";
    if (reader->trusted) {
        if (to)
            memcpy(to, data, size);
        return NULL;
    }
    const uint64_t hash = to ? reader->ops->copy(to, data, size, seed)
                             : reader->ops->hash_ahead(data, size, seed, target);
    return hash == chunk->block[block].hash ? NULL : "checksum mismatch";
}

const char *sam_chunk_read_bytes(struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                                 struct sam_chunk_bytes bytes, size_t block, uint8_t *elements)
{
    switch (chunk->block[block].mode) {
    case SAM_CHUNK_VERBATIM:
        return copy_block(reader, chunk, bytes.data, block, elements, elements);
    case SAM_CHUNK_WINDOW: return read_windows(reader, chunk, bytes, block, elements);
    default: return merge_block(reader, chunk, bytes, block, elements, elements);
    }
}

const uint8_t *sam_chunk_look(struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                              struct sam_chunk_bytes bytes, size_t block, uint8_t *elements,
                              const uint8_t *target, const char **wrong)
{
    const bool verbatim = chunk->block[block].mode == SAM_CHUNK_VERBATIM;
    if (verbatim)
        *wrong = copy_block(reader, chunk, bytes.data, block, NULL, target);
    else if (chunk->block[block].mode == SAM_CHUNK_WINDOW)
        *wrong = read_windows(reader, chunk, bytes, block, elements);
    else
        *wrong = merge_block(reader, chunk, bytes, block, elements, target);
    return *wrong ? NULL : verbatim ? bytes.data : elements;
}

const char *sam_chunk_read(struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                           const uint8_t *data, size_t block, uint8_t *elements)
{
    const size_t end = (size_t)chunk->block[block].offset + chunk->block[block].size;
    const struct sam_chunk_bytes bytes = {data + chunk->block[block].offset,
                                          chunk->size - end + chunk->after};
    return sam_chunk_read_bytes(reader, chunk, bytes, block, elements);
}

bool sam_chunk_cost(const struct sam_chunk *chunk, const uint8_t *data, size_t block,
                    struct sam_chunk_cost *cost)
{
    const struct sam_layout *l = sam_layout_of(chunk->span.layout);
    const uint8_t *in = data, *end = in + chunk->block[block].size;
    const uint8_t *codes = chunk->block[block].codes;
    *cost = (struct sam_chunk_cost){0};
    for (size_t p = 0; chunk->block[block].mode == SAM_CHUNK_PLANES && p < l->plane_count; p++) {
        struct sam_plane_entry entry;
        struct sam_huffman code;
        bool present;
        if (!sam_plane_entry_read(&in, end, &entry) ||
            !sam_huffman_read(&codes, chunk->codes_end, &code, &present))
            return false;
        if (entry.mode != SAM_PLANE_CODED)
            continue;
        struct sam_chunk_code *c = &cost->code[cost->codes++];
        *c = (struct sam_chunk_code){.id = sam_codec_base.hash(&code, sizeof code, 0)};
        unsigned first = 0, last = 0;
        for (unsigned s = 0; s < SAM_COUNT(code.length); s++) {
            first = code.length[s] && !c->symbols ? s : first;
            last = code.length[s] ? s : last;
            c->symbols += code.length[s] != 0;
        }
        c->range = last - first + 1;
        cost->coded += sam_plane_size(&l->plane[p], sam_chunk_block_elements(&chunk->span, block));
    }
    return true;
}
