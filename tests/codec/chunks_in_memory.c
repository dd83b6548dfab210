/* SPDX-License-Identifier: Apache-2.0 */

#include "test.h"

#include "codec/chunks_in_memory.h"

const struct sam_codec_options layouts[3] = {{0}, {.dense = true}, {.bit_planes = true}};

static bool read_memory(void *context, uint64_t offset, void *data, size_t size)
{
    const struct packed *bytes = context;
    assert_true(offset <= bytes->size && size <= bytes->size - offset);
    memcpy(data, bytes->data + offset, size);
    return true;
}

struct sam_source memory_source(struct packed *bytes)
{
    return (struct sam_source){read_memory, bytes, bytes->size};
}

/* Fault on most out-of-range offsets, and on half of those within reach of the data. */
static const uint8_t *look(void *context, uint64_t offset, size_t size, size_t *run)
{
    const struct packed *bytes = context;
    assert_true(offset <= bytes->size && size <= *run && *run <= bytes->size - offset);
    *run = size + (*run - size) / 2;
    return offset % 3 ? bytes->data + offset : NULL;
}

enum sam_status decode_chunks(const struct sam_chunks_piece *piece,
                              const struct sam_chunks_range *range, struct packed *chunks,
                              bool in_place, const struct sam_chunks_sink *sink, uint64_t *damaged,
                              struct sam_error *error)
{
    const struct sam_chunks_source source = {memory_source(chunks), in_place ? look : NULL};
    struct sam_chunks_sink plain = *sink;
    SCOPED(sam_chunks_room) room = {0};
    plain.place = in_place ? sink->place : NULL;
    const enum sam_status status =
        sam_chunks_decode(piece, range, &source, &plain, &room, damaged, error);
    return status;
}

static uint8_t *place(void *context, uint64_t to, size_t size)
{
    const struct output *o = context;
    assert_true(to == o->size && size <= o->room - o->size);
    return o->data + to;
}

static bool take_step(void *context, const struct sam_chunks_step *step)
{
    struct output *o = context;
    assert_int_equal(step->to, o->size);
    assert_true(step->to_size <= o->room - o->size);
    if (++o->steps == o->refuse_at)
        return false;
    if (step->placed)
        assert_ptr_equal(step->data, o->data + o->size);
    else if (step->to_size)
        memcpy(o->data + o->size, step->data, (size_t)step->to_size);
    o->size += (size_t)step->to_size;
    o->read += step->from_size;
    for (unsigned i = 0; i < step->cost.codes && o->cost.codes < SAM_COUNT(o->cost.code); i++)
        o->cost.code[o->cost.codes++] = step->cost.code[i];
    o->cost.coded += step->cost.coded;
    o->counted += step->counted;
    return true;
}

struct sam_chunks_sink output_sink(struct output *output, size_t room)
{
    *output = (struct output){.data = malloc(room ? room : 1), .room = room};
    assert_non_null(output->data);
    memset(output->data, UNWRITTEN, room);
    return (struct sam_chunks_sink){take_step, output, room, place, .engines = SAM_STREAMS};
}

struct packed chunks_of(const struct packed *file)
{
    const uint8_t *trailer = file->data + file->size - SAM_TRAILER;
    uint64_t end = sam_le64(trailer), count = sam_le64(trailer + 8), size = 0;
    for (uint64_t i = 0; i < count; i++)
        size += sam_le32(file->data + end + 4 * i);
    struct packed chunks = {malloc(size ? (size_t)size : 1), (size_t)size};
    assert_non_null(chunks.data);
    memcpy(chunks.data, file->data + (end - size), (size_t)size);
    return chunks;
}

struct sam_chunks_piece piece_of(enum sam_dtype type, size_t size,
                                 const struct sam_codec_options *options)
{
    enum { SMALL = 512 }; /* docs/format-codec.md: layout 10 */
    bool shared = size < SMALL;
    return (struct sam_chunks_piece){
        .type = type,
        .layout = shared ? SAM_LAYOUT_SHARED : sam_layout_for(type, options),
        .count = shared ? size : size * 8 / sam_dtype_bits(type),
    };
}
