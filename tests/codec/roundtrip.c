/* SPDX-License-Identifier: Apache-2.0 */

#include "test.h"

#include "codec/roundtrip.h"
#include "codec/weights.h"

struct sam_weights one_tensor(struct sam_weight *tensor, enum sam_dtype type, size_t size)
{
    *tensor = (struct sam_weight){.name = "data", .type = type, .rank = 1, .size = size};
    tensor->shape[0] = size * 8 / sam_dtype_bits(type);
    return (struct sam_weights){.file_size = size, .tensors = tensor, .count = 1};
}

struct packed pack(const struct sam_weights *weights, const void *file,
                   const struct sam_codec_options *options)
{
    struct packed packed;
    size_t bound = (size_t)sam_pack_bound(weights);
    assert_int_not_equal(bound, 0);
    packed.data = malloc(bound);
    assert_non_null(packed.data);
    succeeds(sam_pack, weights, file, options, packed.data, bound, &packed.size);
    /* An allocation of the exact size, so that a sanitizer detects reads past its end. */
    packed.data = realloc(packed.data, packed.size);
    assert_non_null(packed.data);
    return packed;
}

void expect_file(const struct packed *packed, const void *file, size_t size,
                 const struct sam_codec_options *options)
{
    uint64_t file_size;
    succeeds(sam_unpack_size, packed->data, packed->size, &file_size);
    assert_int_equal(file_size, size);
    FREED uint8_t *back = test_room(size ? size : 1);
    succeeds(sam_unpack, packed->data, packed->size, options, back, size);
    assert_true(size == 0 || memcmp(back, file, size) == 0);
}

struct sink {
    uint8_t *data;
    size_t size, room;
};

static bool sink_write(void *context, const void *data, size_t size)
{
    struct sink *sink = context;
    if (size > sink->room - sink->size)
        return false;
    memcpy(sink->data + sink->size, data, size);
    sink->size += size;
    return true;
}

static struct sink open_sink(size_t room)
{
    struct sink sink = {.data = malloc(room ? room : 1), .room = room};
    assert_non_null(sink.data);
    return sink;
}

void expect_file_in_pieces(const struct packed *packed, const void *file, size_t size, size_t piece,
                           const struct sam_codec_options *options)
{
    struct sam_unpacker *unpacker;
    struct sink sink = open_sink(size);
    succeeds(sam_unpacker_open, options, (struct sam_sink){sink_write, &sink}, &unpacker);
    for (size_t at = 0; at < packed->size; at += piece) {
        size_t now = packed->size - at < piece ? packed->size - at : piece;
        succeeds(sam_unpacker_write, unpacker, packed->data + at, now);
    }
    succeeds(sam_unpacker_finish, unpacker);
    sam_unpacker_close(unpacker);
    assert_int_equal(sink.size, size);
    assert_true(size == 0 || memcmp(sink.data, file, size) == 0);
    free(sink.data);
}

void expect_same_in_pieces(const struct sam_weights *weights, const void *file,
                           const struct packed *packed, size_t piece,
                           const struct sam_codec_options *options)
{
    struct sam_packer *packer;
    struct sink sink = open_sink(packed->size);
    succeeds(sam_packer_open, weights, options, (struct sam_sink){sink_write, &sink}, &packer);
    for (uint64_t at = 0; at < weights->file_size; at += piece) {
        size_t now = weights->file_size - at < piece ? (size_t)(weights->file_size - at) : piece;
        succeeds(sam_packer_write, packer, (const uint8_t *)file + at, now);
    }
    succeeds(sam_packer_finish, packer);
    sam_packer_close(packer);
    assert_int_equal(sink.size, packed->size);
    assert_memory_equal(sink.data, packed->data, packed->size);
    free(sink.data);
}

size_t roundtrip(enum sam_dtype type, const void *data, size_t size,
                 const struct sam_codec_options *options)
{
    struct sam_weight tensor;
    struct sam_weights weights = one_tensor(&tensor, type, size);
    struct packed packed = pack(&weights, data, options);
    expect_file(&packed, data, size, options);
    packed_free(&packed);
    return packed.size;
}
