/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a packed file: split, framing, joining. */
#include "codec/part.h"

#include <stdlib.h>

static const uint8_t magic[8] = {0x89, 'S', 'M', 'P', '\r', '\n', 0x1a, '\n'};
static const uint8_t magic_end[8] = {'S', 'M', 'P', 'i', 'n', 'd', 'e', 'x'};

enum { VERSION = 1 };

/* --- split */
/* Find the first chunk that begins at byte `target` or later: its number, extent position and first
 * byte. */
static uint64_t first_from(const struct sam_container *c, uint64_t target,
                           struct sam_cursor *cursor, uint64_t *offset)
{
    *cursor = (struct sam_cursor){c->extent_count, 0};
    *offset = c->weights.file_size;
    for (size_t e = 0; e < c->extent_count; e++) {
        const struct sam_extent *extent = &c->extents[e];
        const uint64_t bytes = (uint64_t)sam_layout_of(extent->layout)->element * SAM_CHUNK;
        const uint64_t before = target > extent->offset ? target - extent->offset : 0;
        const uint64_t chunk = before / bytes + (before % bytes != 0);
        if (chunk >= sam_extent_chunks(extent))
            continue;
        *cursor = (struct sam_cursor){e, chunk};
        *offset = extent->offset + chunk * bytes;
        return extent->first_chunk + chunk;
    }
    return c->chunks;
}

/* Start of the share of part `index`. */
static uint64_t share(const struct sam_container *c, uint32_t index, uint32_t count)
{
    const uint64_t header = c->weights.header_size, all = c->weights.file_size - header;
    return header + (uint64_t)((unsigned __int128)all * index / count);
}

struct sam_part sam_part_of(const struct sam_container *c, uint32_t index, uint32_t count)
{
    struct sam_part part = {.index = index, .count = count};
    struct sam_cursor after;
    part.first_chunk = first_from(c, share(c, index, count), &part.cursor, &part.first);
    part.end = c->weights.file_size;
    if (index + 1 < count)
        first_from(c, share(c, index + 1, count), &after, &part.end);
    return part;
}

uint64_t sam_part_chunks(const struct sam_container *c, const struct sam_part *part)
{
    return part->index + 1 < part->count
               ? sam_part_of(c, part->index + 1, part->count).first_chunk - part->first_chunk
               : c->chunks - part->first_chunk;
}

/* --- writing */
void sam_part_begin(const struct sam_part *part, uint64_t chunks, uint64_t start_size,
                    struct sam_buffer *out)
{
    uint8_t header[SAM_PART_HEADER] = {0};
    memcpy(header, magic, sizeof magic);
    header[8] = VERSION;
    sam_put_le32(header + 12, part->index);
    sam_put_le32(header + 16, part->count);
    sam_put_le64(header + 24, part->first_chunk);
    sam_put_le64(header + 32, chunks);
    sam_put_le64(header + 40, start_size);
    sam_put_le64(header + 56, sam_container_hash(header, 56));
    sam_buffer_append(out, header, sizeof header);
}

uint64_t sam_part_hash(uint64_t hash, const void *chunk, size_t size)
{
    uint8_t both[16];
    sam_put_le64(both, hash);
    sam_put_le64(both + 8, sam_container_hash(chunk, size));
    return sam_container_hash(both, sizeof both);
}

void sam_part_end(const struct sam_buffer *sizes, uint64_t start_size, uint64_t hash,
                  struct sam_buffer *out)
{
    sam_index_append(sizes, SAM_PART_HEADER + start_size, hash, magic_end, out);
}

/* --- joining */
struct file {
    struct sam_source source;
    const char *name;
    uint32_t index, count;
    uint64_t first_chunk, chunks, start_size, at; /* at: offset of its index */
    uint64_t hash;                                /* over its chunks */
    uint8_t start[SAM_HEADER];                    /* the packed file's header */
    uint8_t *sizes;                               /* chunk sizes, padded */
};

static enum sam_status read_at(const struct file *f, uint64_t offset, void *data, uint64_t size,
                               struct sam_error *error)
{
    if (offset > f->source.size || size > f->source.size - offset)
        return sam_fail(error, SAM_ERR_INPUT, "%s: truncated, or not a part of a packed file",
                        f->name);
    if (size && !f->source.read(f->source.context, offset, data, (size_t)size))
        return sam_fail(error, SAM_ERR_IO, "%s: cannot read %llu bytes at %llu", f->name,
                        (unsigned long long)size, (unsigned long long)offset);
    return SAM_OK;
}

static enum sam_status damaged(const struct file *f, const char *what, struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_INPUT, "%s: damaged part: %s", f->name, what);
}

static enum sam_status read_header(struct file *f, struct sam_error *error)
{
    uint8_t header[SAM_PART_HEADER];
    enum sam_status status = read_at(f, 0, header, sizeof header, error);
    if (status != SAM_OK)
        return status;
    if (memcmp(header, magic, sizeof magic) != 0)
        return sam_fail(error, SAM_ERR_INPUT, "%s: not a part of a packed file", f->name);
    if (sam_container_hash(header, 56) != sam_le64(header + 56))
        return damaged(f, "header: checksum mismatch", error);
    if (sam_le32(header + 8) != VERSION || sam_le32(header + 20) || sam_le64(header + 48))
        return damaged(f, "unknown version or fields", error);
    f->index = sam_le32(header + 12);
    f->count = sam_le32(header + 16);
    f->first_chunk = sam_le64(header + 24);
    f->chunks = sam_le64(header + 32);
    f->start_size = sam_le64(header + 40);
    if (f->index >= f->count || f->count > SAM_MAX_PARTS || f->start_size < SAM_HEADER ||
        f->start_size % SAM_ALIGN || f->start_size > f->source.size ||
        f->chunks > f->source.size / SAM_ALIGN)
        return damaged(f, "impossible numbers in its header", error);
    return read_at(f, SAM_PART_HEADER, f->start, sizeof f->start, error);
}

/* Read the chunk sizes, which must add up to the file's size. */
static enum sam_status read_sizes(struct file *f, struct sam_error *error)
{
    uint8_t trailer[SAM_TRAILER];
    const uint64_t size = sam_index_size(f->chunks);
    uint64_t at = SAM_PART_HEADER + f->start_size;
    if (f->source.size < size + SAM_TRAILER + at)
        return read_at(f, f->source.size, trailer, 1, error);
    enum sam_status status =
        read_at(f, f->source.size - sizeof trailer, trailer, sizeof trailer, error);
    if (status != SAM_OK)
        return status;
    if (memcmp(trailer + 56, magic_end, sizeof magic_end) != 0)
        return damaged(f, "no index at its end: truncated?", error);
    if (sam_container_hash(trailer, 40) != sam_le64(trailer + 40) || sam_le64(trailer + 48))
        return damaged(f, "trailer: checksum mismatch", error);
    f->at = sam_le64(trailer);
    f->hash = sam_le64(trailer + 8);
    f->sizes = sam_alloc((size_t)size + 1, 1);
    if (!f->sizes)
        return sam_fail_memory(error);
    status = read_at(f, f->source.size - sizeof trailer - size, f->sizes, size, error);
    if (status != SAM_OK)
        return status;
    if (sam_container_hash(f->sizes, (size_t)size) != sam_le64(trailer + 16))
        return damaged(f, "index: checksum mismatch", error);
    for (uint64_t i = 0; i < f->chunks; i++)
        at += sam_le32(f->sizes + 4 * i);
    if (at != f->at || at != f->source.size - sizeof trailer - size)
        return damaged(f, "its sizes do not add up", error);
    return SAM_OK;
}

/* Check that each part of one file is present exactly once, and order them by index. */
static enum sam_status arrange(struct file *files, size_t count, struct file **order,
                               struct sam_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct file *f = &files[i];
        if (f->count != files[0].count)
            return sam_fail(error, SAM_ERR_INPUT, "%s: part %u/%u: expected parts of %u, as %s",
                            f->name, f->index + 1, f->count, files[0].count, files[0].name);
        if (memcmp(f->start, files[0].start, sizeof f->start) != 0 ||
            f->start_size != files[0].start_size)
            return sam_fail(error, SAM_ERR_INPUT,
                            "%s: of another file, or packed with other options, than %s", f->name,
                            files[0].name);
        if (f->index < count && order[f->index])
            return sam_fail(error, SAM_ERR_INPUT, "%s: part %u/%u is given twice, by %s as well",
                            f->name, f->index + 1, f->count, order[f->index]->name);
        if (f->index < count)
            order[f->index] = f;
    }
    for (size_t i = 0; i < count; i++)
        if (!order[i])
            return sam_fail(error, SAM_ERR_INPUT, "part %zu/%u is missing", i + 1, files[0].count);
    if (count < files[0].count)
        return sam_fail(error, SAM_ERR_INPUT, "part %zu/%u is missing", count + 1, files[0].count);
    return SAM_OK;
}

static enum sam_status emit(struct sam_sink sink, const void *data, size_t size,
                            struct sam_error *error)
{
    if (sink.write(sink.context, data, size))
        return SAM_OK;
    return sam_fail(error, SAM_ERR_IO, "cannot write the packed file");
}

/* Copy the bytes before the chunks from the first part; *c receives their contents. */
static enum sam_status copy_start(const struct file *f, struct sam_sink sink,
                                  struct sam_container *c, struct sam_error *error)
{
    struct sam_start start;
    struct sam_codec_options options = {0};
    const char *wrong = sam_start_parse(f->start, &start);
    if (wrong || start.total != f->start_size)
        return damaged(f, wrong ? wrong : "impossible numbers in its header", error);
    uint8_t *bytes = sam_alloc((size_t)start.total, 1);
    if (!bytes)
        return sam_fail_memory(error);
    struct sam_error why = {0};
    enum sam_status status = read_at(f, SAM_PART_HEADER, bytes, start.total, error);
    if (status == SAM_OK) {
        status = sam_container_parse(&start, bytes, &options, c, &why);
        if (status != SAM_OK)
            status = sam_fail(error, why.status, "%s: damaged part: %s", f->name, why.text);
    }
    if (status == SAM_OK)
        status = emit(sink, bytes, (size_t)start.total, error);
    free(bytes);
    return status;
}

static enum sam_status copy_chunks(const struct file *f, const struct sam_container *c,
                                   uint8_t *chunk, struct sam_sink sink, struct sam_error *error)
{
    uint64_t at = SAM_PART_HEADER + f->start_size, hash = 0;
    for (uint64_t i = 0; i < f->chunks; i++) {
        const uint32_t size = sam_le32(f->sizes + 4 * i);
        if (size > c->chunk_bound || size == 0 || size % SAM_ALIGN)
            return damaged(f, "an impossible size of a chunk", error);
        enum sam_status status = read_at(f, at, chunk, size, error);
        if (status == SAM_OK)
            status = emit(sink, chunk, size, error);
        if (status != SAM_OK)
            return status;
        hash = sam_part_hash(hash, chunk, size);
        at += size;
    }
    return hash == f->hash ? SAM_OK : damaged(f, "chunks: checksum mismatch", error);
}

static enum sam_status join(struct file **order, size_t count, struct sam_sink sink,
                            struct sam_container *c, struct sam_error *error)
{
    struct sam_buffer sizes = {0}, end = {0};
    enum sam_status status = copy_start(order[0], sink, c, error);
    uint64_t chunks = 0;
    for (size_t i = 0; status == SAM_OK && i < count; i++) {
        if (order[i]->first_chunk != chunks || order[i]->chunks > c->chunks - chunks)
            status = damaged(order[i], "its chunks do not follow those of the part before", error);
        chunks += order[i]->chunks;
    }
    if (status == SAM_OK && chunks != c->chunks)
        status = damaged(order[count - 1], "chunks are missing after it", error);
    uint8_t *chunk = status == SAM_OK ? sam_alloc(c->chunk_bound + 1, 1) : NULL;
    if (status == SAM_OK && !chunk)
        status = sam_fail_memory(error);
    for (size_t i = 0; status == SAM_OK && i < count; i++) {
        status = copy_chunks(order[i], c, chunk, sink, error);
        sam_buffer_append(&sizes, order[i]->sizes, (size_t)order[i]->chunks * 4);
    }
    if (status == SAM_OK)
        sam_container_end(&sizes, order[0]->start_size, &end);
    if (status == SAM_OK)
        status = sizes.failed || end.failed ? sam_fail_memory(error)
                                            : emit(sink, end.data, end.size, error);
    sam_buffer_free(&sizes);
    sam_buffer_free(&end);
    free(chunk);
    return status;
}

enum sam_status sam_pack_join(const struct sam_source *parts, const char *const *names,
                              size_t count, struct sam_sink sink, struct sam_error *error)
{
    if (SAM_LACKS(error, parts, names))
        return SAM_ERR_USAGE;
    if (!sink.write || count == 0 || count > SAM_MAX_PARTS)
        return sam_fail(error, SAM_ERR_USAGE,
                        sink.write ? "%zu parts: expected 1 to %d" : "the sink's write is NULL",
                        count, SAM_MAX_PARTS);
    struct sam_container c = {0};
    struct file *files = sam_alloc(count, sizeof *files);
    struct file **order = sam_alloc(count, sizeof(struct file *));
    enum sam_status status = files && order ? SAM_OK : sam_fail_memory(error);
    for (size_t i = 0; status == SAM_OK && i < count; i++) {
        if (!parts[i].read || !names[i]) {
            status = sam_fail_null(error, names[i] ? "parts[].read" : "names[]");
            break;
        }
        files[i] = (struct file){.source = parts[i], .name = names[i]};
        status = read_header(&files[i], error);
        if (status == SAM_OK)
            status = read_sizes(&files[i], error);
    }
    if (status == SAM_OK)
        status = arrange(files, count, order, error);
    if (status == SAM_OK)
        status = join(order, count, sink, &c, error);
    for (size_t i = 0; files && i < count; i++)
        free(files[i].sizes);
    free(files);
    free(order);
    sam_container_free(&c);
    return status;
}
