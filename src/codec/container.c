/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/container.h"

#include <stdlib.h>

static const uint8_t magic[8] = {0x89, 'S', 'M', 'W', '\r', '\n', 0x1a, '\n'};
static const uint8_t magic_end[8] = {'S', 'M', 'W', 'i', 'n', 'd', 'e', 'x'};

enum {
    VERSION = 1,
    VERSION_WINDOWS = 2, /* blocks of windows may occur */
    LEAST_NAME = 3,
    SMALL = 512, /* bytes: smaller pieces are coded together */
};

void sam_container_free(struct sam_container *c)
{
    sam_codec_free(c->allocator, c->weights.tensors);
    sam_codec_free(c->allocator, c->weights.names);
    sam_codec_free(c->allocator, c->layouts);
    sam_codec_free(c->allocator, c->extents);
    *c = (struct sam_container){0};
}

static bool allocate(struct sam_container *c, size_t pieces, size_t names)
{
    c->weights.tensors = sam_codec_alloc(c->allocator, pieces * sizeof *c->weights.tensors);
    c->layouts = sam_codec_alloc(c->allocator, pieces);
    c->weights.names = sam_codec_alloc(c->allocator, names);
    return c->weights.tensors && c->layouts && c->weights.names;
}

static enum sam_status out_of_memory(struct sam_container *c, struct sam_error *error)
{
    sam_container_free(c);
    return sam_fail_memory(error);
}

/* Append a piece. Small ones are coded together, because a chunk takes at least 64 bytes. */
static void add_piece(struct sam_container *c, const struct sam_weight *w, enum sam_layout_id id)
{
    c->layouts[c->weights.count] = w->size < SMALL ? SAM_LAYOUT_SHARED : (uint8_t)id;
    c->weights.tensors[c->weights.count++] = *w;
}

static void add_gap(struct sam_container *c, uint64_t from, uint64_t to)
{
    if (from == to)
        return;
    add_piece(c,
              &(struct sam_weight){
                  .name = "", .rank = 1, .shape = {to - from}, .offset = from, .size = to - from},
              SAM_LAYOUT_BYTES);
}

enum sam_status sam_container_plan(const struct sam_weights *weights,
                                   const struct sam_codec_options *options, struct sam_container *c,
                                   struct sam_error *error)
{
    *c = (struct sam_container){.allocator = options->allocator, .windows = options->window};
    enum sam_status status = sam_weights_check(weights, error);
    if (status != SAM_OK)
        return status;
    size_t names = 0;
    for (size_t i = 0; i < weights->count; i++)
        names += strlen(weights->tensors[i].name) + 1;
    if (!allocate(c, 2 * weights->count + 1, names))
        return out_of_memory(c, error);
    c->weights.kind = weights->kind;
    c->weights.file_size = weights->file_size;
    c->weights.header_size = weights->header_size;
    uint64_t at = weights->header_size;
    char *name = c->weights.names;
    for (size_t i = 0; i < weights->count; i++) {
        struct sam_weight w = weights->tensors[i];
        size_t length = strlen(w.name) + 1;
        add_gap(c, at, w.offset);
        memcpy(name, w.name, length);
        w.name = name;
        add_piece(c, &w, sam_layout_for(w.type, options));
        name += length;
        at = w.offset + w.size;
    }
    add_gap(c, at, weights->file_size);
    if (c->weights.count > SAM_MAX_PIECES) {
        size_t count = c->weights.count;
        sam_container_free(c);
        return sam_fail(error, SAM_ERR_INPUT, "%zu tensors and gaps: the limit is %d", count,
                        SAM_MAX_PIECES);
    }
    return sam_container_measure(c) ? SAM_OK : out_of_memory(c, error);
}

/* --- variable-length numbers: seven bits per byte, lowest first; the top bit is set if more follow
 */
static void put_number(struct sam_buffer *out, uint64_t value)
{
    uint8_t bytes[10];
    size_t count = 0;
    do {
        bytes[count++] = (uint8_t)((value & 127) | (value > 127 ? 128 : 0));
        value >>= 7;
    } while (value);
    sam_buffer_append(out, bytes, count);
}

static bool take_number(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        if (shift == 63 && byte > 1)
            return false;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return shift == 0 || byte != 0; /* encodings are unique */
    }
    return false;
}

/* Find a name in the verbatim header; returns its position from 1, or 0. Names usually appear in
 * tensor order, so each search resumes where the last one ended; `budget` bounds the total effort.
 */
static uint64_t find_name(const char *name, const uint8_t *verbatim, size_t size, size_t *from,
                          uint64_t *budget)
{
    size_t length = strlen(name);
    for (unsigned turn = 0; length >= LEAST_NAME && turn < 2; turn++, *from = 0) {
        const uint8_t *found = memmem(verbatim + *from, size - *from, name, length);
        if (found) {
            *from = (size_t)(found - verbatim) + length;
            return (uint64_t)(found - verbatim) + 1;
        }
        if (*budget < size)
            return 0;
        *budget -= size;
    }
    return 0;
}

static void put_pieces(struct sam_container *c, const uint8_t *verbatim, struct sam_buffer *out)
{
    size_t from = 0, size = (size_t)c->weights.header_size;
    uint64_t budget = UINT64_C(1) << 30, referred = 0;
    for (size_t i = 0; i < c->weights.count; i++) {
        const struct sam_weight *w = &c->weights.tensors[i];
        uint8_t head[2] = {(uint8_t)w->type, c->layouts[i]};
        uint64_t place = find_name(w->name, verbatim, size, &from, &budget);
        referred += place ? strlen(w->name) : 0;
        if (referred > size) /* readers reject headers with more referenced name bytes than size */
            place = 0;
        sam_buffer_append(out, head, sizeof head);
        put_number(out, strlen(w->name));
        put_number(out, place);
        if (!place)
            sam_buffer_append(out, w->name, strlen(w->name));
        put_number(out, w->rank);
        for (size_t d = 0; d < w->rank; d++)
            put_number(out, w->shape[d]);
        put_number(out, w->size);
    }
}

void sam_container_start(struct sam_container *c, const uint8_t *verbatim, struct sam_buffer *out)
{
    uint8_t header[SAM_HEADER] = {0};
    size_t before = out->size;
    sam_buffer_fill(out, 0, SAM_HEADER);
    sam_buffer_append(out, verbatim, (size_t)c->weights.header_size);
    put_pieces(c, verbatim, out);
    if (out->failed)
        return;
    size_t size = out->size - before - SAM_HEADER;
    c->table_size = size - c->weights.header_size;
    memcpy(header, magic, sizeof magic);
    header[8] = c->windows ? VERSION_WINDOWS : VERSION;
    header[12] = (uint8_t)c->weights.kind;
    sam_put_le64(header + 16, c->weights.file_size);
    sam_put_le64(header + 24, c->weights.header_size);
    sam_put_le64(header + 32, c->table_size);
    sam_put_le32(header + 40, (uint32_t)c->weights.count);
    sam_put_le64(header + 48, sam_container_hash(out->data + before + SAM_HEADER, size));
    sam_put_le64(header + 56, sam_container_hash(header, 56));
    memcpy(out->data + before, header, SAM_HEADER);
    sam_buffer_fill(out, 0, (size_t)-out->size % SAM_ALIGN);
}

void sam_index_append(const struct sam_buffer *sizes, uint64_t start, uint64_t second,
                      const uint8_t end[8], struct sam_buffer *out)
{
    uint8_t trailer[SAM_TRAILER] = {0};
    const size_t before = out->size;
    uint64_t index = start;
    for (size_t i = 0; i < sizes->size; i += sizeof(uint32_t))
        index += sam_le32(sizes->data + i);
    sam_buffer_append(out, sam_buffer_text(sizes), sizes->size);
    sam_buffer_fill(out, 0, (size_t)-sizes->size % SAM_ALIGN);
    if (out->failed)
        return;
    sam_put_le64(trailer, index);
    sam_put_le64(trailer + 8, second);
    sam_put_le64(trailer + 16, sam_container_hash(out->data + before, out->size - before));
    sam_put_le64(trailer + 40, sam_container_hash(trailer, 40));
    memcpy(trailer + 56, end, sizeof magic_end);
    sam_buffer_append(out, trailer, sizeof trailer);
}

void sam_container_end(const struct sam_buffer *sizes, uint64_t start, struct sam_buffer *out)
{
    sam_index_append(sizes, start, sizes->size / sizeof(uint32_t), magic_end, out);
}

static bool is_zero(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i])
            return false;
    return true;
}

const char *sam_start_parse(const uint8_t header[SAM_HEADER], struct sam_start *start)
{
    if (memcmp(header, magic, sizeof magic) != 0)
        return "not a packed file";
    if (sam_container_hash(header, 56) != sam_le64(header + 56))
        return "file header: checksum mismatch";
    if (sam_le16(header + 8) != VERSION && sam_le16(header + 8) != VERSION_WINDOWS)
        return "unknown format version: expected 1 or 2";
    if (sam_le16(header + 10) || header[12] > SAM_WEIGHTS_GGUF || !is_zero(header + 13, 3) ||
        sam_le32(header + 44))
        return "file header: unknown fields";
    *start = (struct sam_start){
        .file_size = sam_le64(header + 16),
        .header_size = sam_le64(header + 24),
        .table_size = sam_le64(header + 32),
        .pieces = sam_le32(header + 40),
        .kind = (enum sam_weights_kind)header[12],
        .hash = sam_le64(header + 48),
    };
    if (start->pieces > SAM_MAX_PIECES)
        return "more pieces than the limit of 2^21";
    /* A list entry has at least five bytes. */
    if (start->file_size > SAM_MAX_FILE || start->header_size > start->file_size ||
        start->header_size > SIZE_MAX / 4 || start->table_size > SIZE_MAX / 4 ||
        start->pieces > start->table_size / 5)
        return "impossible sizes in the file header";
    uint64_t size = start->header_size + start->table_size;
    start->total = SAM_HEADER + (size + SAM_ALIGN - 1) / SAM_ALIGN * SAM_ALIGN;
    return NULL;
}

/* Read the next piece and advance *name past the copy of its name. */
static bool take_piece(const uint8_t **at, const uint8_t *end, const uint8_t *verbatim,
                       uint64_t verbatim_size, char **name, struct sam_weight *w, uint8_t *layout)
{
    uint64_t length, place, rank;
    if (end - *at < 2)
        return false;
    w->type = (enum sam_dtype)(*at)[0];
    *layout = (*at)[1];
    *at += 2;
    if (!take_number(at, end, &length) || !take_number(at, end, &place))
        return false;
    const uint8_t *from = *at;
    uint64_t room = (uint64_t)(end - *at);
    if (place) {
        room = place - 1 < verbatim_size ? verbatim_size - (place - 1) : 0;
        from = verbatim + (room ? place - 1 : 0);
    }
    if (length > room || memchr(from, 0, (size_t)length))
        return false;
    if (!place)
        *at += length;
    memcpy(*name, from, (size_t)length);
    w->name = *name;
    (*name)[length] = '\0';
    *name += length + 1;
    if (!take_number(at, end, &rank) || rank > SAM_WEIGHT_RANK)
        return false;
    w->rank = (size_t)rank;
    for (size_t d = 0; d < rank; d++)
        if (!take_number(at, end, &w->shape[d]))
            return false;
    return take_number(at, end, &w->size) &&
           (*layout == SAM_LAYOUT_SHARED ||
            (*layout < SAM_LAYOUTS &&
             w->size % sam_layout_of((enum sam_layout_id) * layout)->element == 0));
}

/* Compute the total size of the names with their NULs. Returns false if the list is invalid. */
static bool measure_names(const struct sam_start *start, const uint8_t *verbatim, size_t *names)
{
    const uint8_t *at = verbatim + start->header_size, *end = at + start->table_size;
    uint64_t length, number, referred = 0;
    *names = 0;
    for (uint32_t i = 0; i < start->pieces; i++) {
        if (end - at < 2)
            return false;
        at += 2;
        if (!take_number(&at, end, &length) || !take_number(&at, end, &number))
            return false;
        if (length > (number ? start->header_size - referred : (uint64_t)(end - at)))
            return false;
        referred += number ? length : 0;
        *names += (size_t)length + 1;
        at += number ? 0 : length;
        if (!take_number(&at, end, &number) || number > SAM_WEIGHT_RANK)
            return false;
        for (uint64_t d = number + 1; d-- > 0;) /* shape and size */
            if (!take_number(&at, end, &length))
                return false;
    }
    return at == end;
}

enum sam_status sam_container_parse(const struct sam_start *start, const uint8_t *data,
                                    const struct sam_codec_options *options,
                                    struct sam_container *c, struct sam_error *error)
{
    const uint8_t *verbatim = data + SAM_HEADER;
    uint64_t size = start->header_size + start->table_size;
    size_t names;
    *c = (struct sam_container){.allocator = options->allocator};
    if (sam_container_hash(verbatim, (size_t)size) != start->hash)
        return sam_fail(error, SAM_ERR_INPUT, "list of tensors: checksum mismatch");
    if (!is_zero(verbatim + size, (size_t)(start->total - SAM_HEADER - size)) ||
        !measure_names(start, verbatim, &names))
        return sam_fail(error, SAM_ERR_INPUT, "list of tensors: invalid");
    if (!allocate(c, start->pieces, names))
        return out_of_memory(c, error);
    c->table_size = start->table_size;
    c->weights.kind = start->kind;
    c->weights.file_size = start->file_size;
    c->weights.header_size = start->header_size;
    const uint8_t *at = verbatim + start->header_size, *end = at + start->table_size;
    char *name = c->weights.names;
    uint64_t offset = start->header_size;
    for (uint32_t i = 0; i < start->pieces; i++) {
        struct sam_weight *w = &c->weights.tensors[i];
        *w = (struct sam_weight){.offset = offset};
        if (!take_piece(&at, end, verbatim, start->header_size, &name, w, &c->layouts[i]) ||
            w->size > start->file_size - offset) {
            sam_container_free(c);
            return sam_fail(error, SAM_ERR_INPUT, "list of tensors: entry %u is invalid", i);
        }
        offset += w->size;
        c->weights.count++;
    }
    enum sam_status status = sam_weights_check(&c->weights, error);
    if (status == SAM_OK && offset != start->file_size)
        status = sam_fail(error, SAM_ERR_INPUT,
                          "list of tensors: the sizes do not add up to the file size");
    if (status == SAM_OK && !sam_container_measure(c))
        return out_of_memory(c, error);
    if (status != SAM_OK)
        sam_container_free(c);
    return status;
}

const char *sam_trailer_parse(const uint8_t trailer[SAM_TRAILER], uint64_t packed_size,
                              struct sam_end *end)
{
    if (memcmp(trailer + 56, magic_end, sizeof magic_end) != 0)
        return "no index at the end: truncated, or not a packed file";
    if (sam_container_hash(trailer, 40) != sam_le64(trailer + 40) || !is_zero(trailer + 24, 16) ||
        !is_zero(trailer + 48, 8))
        return "trailer: checksum mismatch";
    *end = (struct sam_end){sam_le64(trailer), sam_le64(trailer + 8)};
    if (packed_size < SAM_HEADER + SAM_TRAILER || end->index > packed_size - SAM_TRAILER ||
        end->chunks > packed_size / SAM_ALIGN ||
        end->index + sam_index_size(end->chunks) + SAM_TRAILER != packed_size)
        return "the index does not fit the file";
    return NULL;
}

bool sam_index_check(const uint8_t *index, uint64_t count, const uint8_t trailer[SAM_TRAILER])
{
    size_t size = (size_t)sam_index_size(count);
    return sam_container_hash(index, size) == sam_le64(trailer + 16) &&
           is_zero(index + count * 4, size - (size_t)count * 4);
}
