/* SPDX-License-Identifier: Apache-2.0 */
/* Packed files with false contents, and callers that pass invalid arguments. */

#include "test.h"

#include "codec/forge.h"
#include "codec/roundtrip.h"

static bool no_more(void *context, const void *data, size_t size)
{
    (void)data;
    uint64_t *left = context;
    if (size > *left)
        return false;
    *left -= size;
    return true;
}

/* Every reader fails with SAM_ERR_INPUT and a reason. */
static void expect_damaged(const struct sam_buffer *file, const char *part)
{
    struct sam_error error = {0};
    struct sam_packed *packed;
    struct sam_unpacker *unpacker;
    uint8_t out[64];
    uint64_t left = sizeof out;
    assert_int_equal(sam_packed_open(file->data, file->size, NULL, &packed, &error), SAM_ERR_INPUT);
    assert_null(packed);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
    assert_int_equal(sam_unpack(file->data, file->size, NULL, out, sizeof out, &error),
                     SAM_ERR_INPUT);
    succeeds(sam_unpacker_open, NULL, (struct sam_sink){no_more, &left}, &unpacker);
    enum sam_status status = sam_unpacker_write(unpacker, file->data, file->size, &error);
    if (status == SAM_OK)
        status = sam_unpacker_finish(unpacker, &error);
    assert_int_equal(status, SAM_ERR_INPUT);
    sam_unpacker_close(unpacker);
}

/* Sizes whose number of chunks overflows to 0 or a small number when rounded up carelessly. */
TEST(promises)
{
    static const uint64_t sizes[] = {
        UINT64_MAX, UINT64_MAX - SAM_CHUNK + 2, UINT64_C(1) << 63, INT64_MAX, SAM_CHUNK, 1};
    for (size_t i = 0; i < SAM_COUNT(sizes); i++) {
        struct sam_weight piece = {.name = "", .rank = 1, .shape = {sizes[i]}, .size = sizes[i]};
        SCOPED(sam_buffer) file = forge_packed(&piece, 1, sizes[i]);
        assert_false(file.failed);
        if (i == 0)
            assert_int_equal(file.size, 192);
        expect_damaged(&file, sizes[i] > INT64_MAX ? "file header" : "damaged: the index");
    }
}

TEST(dimensions)
{
    struct sam_weight piece = {
        .name = "a", .type = SAM_F32, .rank = 2, .shape = {0, UINT64_C(1) << 63}};
    SCOPED(sam_buffer) file = forge_packed(&piece, 1, 0);
    expect_damaged(&file, "dimension 1 is 9223372036854775808: the limit is 2^63 - 1");
}

/* Huge declared pieces: none is read, and no memory is allocated for them. */
TEST(pieces)
{
    struct sam_weight tensor;
    struct sam_weights weights = one_tensor(&tensor, SAM_U8, 8);
    struct sam_error error = {0};
    weights.count = SAM_MAX_PIECES + 1;
    assert_int_equal(sam_weights_check(&weights, &error), SAM_ERR_INPUT);
    assert_non_null(strstr(error.text, "2097153 tensors: the limit is 2097152"));
    struct sam_weight piece = {.name = "", .rank = 1, .shape = {5}, .size = 5};
    SCOPED(sam_buffer) file = forge_packed(&piece, 1, 5);
    sam_put_le64(file.data + 32, 1 << 28); /* bytes of the list, and its number of entries */
    sam_put_le32(file.data + 40, SAM_MAX_PIECES + 1);
    sam_put_le64(file.data + 56, sam_codec_base.hash(file.data, 56, 0));
    expect_damaged(&file, "more pieces than the limit");
}

/* The bound is computed in constant time, whatever is declared. */
TEST(bounds)
{
    struct sam_weight tensor;
    for (unsigned shift = 20; shift < 61; shift++) {
        uint64_t size = (UINT64_C(1) << shift) + 4;
        struct sam_weights weights = one_tensor(&tensor, SAM_F32, size);
        uint64_t bound = sam_pack_bound(&weights);
        if (bound <= size || bound >= size + size / 8 + 65536)
            fail_msg("%llu bytes: at most %llu?", (unsigned long long)size,
                     (unsigned long long)bound);
    }
    struct sam_weights weights = one_tensor(&tensor, SAM_OPAQUE, INT64_MAX);
    assert_true(sam_pack_bound(&weights) > INT64_MAX);
    weights = one_tensor(&tensor, SAM_OPAQUE, UINT64_C(1) << 63);
    assert_int_equal(sam_pack_bound(&weights), 0);
}

static void expect_usage(enum sam_status status, const struct sam_error *error, const char *part)
{
    assert_int_equal(status, SAM_ERR_USAGE);
    if (!strstr(error->text, part))
        fail_msg("'%s' does not say '%s'", error->text, part);
}

static void *no_allocation(void *context, size_t size)
{
    (void)context;
    (void)size;
    return NULL;
}

TEST(packing_without)
{
    struct sam_weight tensor;
    struct sam_weights weights = one_tensor(&tensor, SAM_U8, 8), none = {.count = 1};
    const struct sam_sink sink = {no_more, &(uint64_t){0}};
    const struct sam_codec_options level = {.level = (enum sam_codec_level)9};
    const struct sam_allocator half = {.allocate = no_allocation};
    const struct sam_codec_options allocator = {.allocator = &half};
    struct sam_packer *packer = NULL;
    struct sam_error e = {0};
    uint8_t data[8] = {0}, out[1024];
    size_t size;
    sam_weights_free(NULL);
    expect_usage(sam_weights_check(NULL, &e), &e, "weights is NULL");
    expect_usage(sam_weights_check(&none, &e), &e, "weights is NULL");
    assert_int_equal(sam_pack_bound(NULL), 0);
    assert_false(sam_dtype_parse(NULL, &tensor.type));
    expect_usage(sam_pack(&weights, NULL, NULL, out, sizeof out, &size, &e), &e, "file is NULL");
    expect_usage(sam_pack(&weights, data, NULL, NULL, 5, &size, &e), &e, "packed is NULL");
    expect_usage(sam_pack(&weights, data, NULL, out, sizeof out, NULL, &e), &e, "size is NULL");
    expect_usage(sam_pack(NULL, data, NULL, out, sizeof out, &size, &e), &e, "weights is NULL");
    expect_usage(sam_pack(&weights, data, &level, out, sizeof out, &size, &e), &e, "level 9");
    expect_usage(sam_pack(&weights, data, &allocator, out, sizeof out, &size, &e), &e,
                 "of the allocator is NULL");
    expect_usage(sam_packer_open(&weights, NULL, sink, NULL, &e), &e, "packer is NULL");
    expect_usage(sam_packer_open(NULL, NULL, sink, &packer, &e), &e, "weights is NULL");
    expect_usage(sam_packer_open(&weights, &level, sink, &packer, &e), &e, "level 9");
    expect_usage(sam_packer_write(NULL, data, 1, &e), &e, "packer is NULL");
    expect_usage(sam_packer_finish(NULL, &e), &e, "packer is NULL");
    succeeds(sam_packer_open, &weights, NULL, sink, &packer);
    expect_usage(sam_packer_write(packer, NULL, 1, &e), &e, "data is NULL");
    succeeds(sam_packer_write, packer, NULL, 0);
    sam_packer_close(packer);
    tensor.name = NULL;
    expect_usage(sam_weights_check(&weights, &e), &e, "tensor 0: its name is NULL");
    expect_usage(sam_packer_open(&weights, NULL, sink, &packer, &e), &e, "its name is NULL");
    assert_null(packer);
    assert_int_equal(sam_pack_bound(&weights), 0);
    tensor.name = "";
    weights.kind = (enum sam_weights_kind)77;
    expect_usage(sam_weights_check(&weights, &e), &e, "unknown file kind 77");
}

TEST(unpacking_without)
{
    struct sam_weight tensor;
    struct sam_weights weights = one_tensor(&tensor, SAM_U8, 8);
    const struct sam_codec_options level = {.level = (enum sam_codec_level)9};
    uint8_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint64_t size;
    struct packed file = pack(&weights, data, NULL);
    struct sam_unpacker *unpacker;
    struct sam_packed *p;
    struct sam_packed_stat stat;
    struct sam_error e = {0};
    expect_usage(sam_unpack_size(NULL, 64, &size, &e), &e, "packed is NULL");
    expect_usage(sam_unpack_size(file.data, 64, NULL, &e), &e, "file_size is NULL");
    expect_usage(sam_unpack(NULL, 192, NULL, data, 8, &e), &e, "data is NULL");
    expect_usage(sam_unpack(file.data, file.size, NULL, NULL, 8, &e), &e, "file is NULL");
    expect_usage(sam_unpacker_open(NULL, (struct sam_sink){0}, NULL, &e), &e, "unpacker is NULL");
    expect_usage(sam_unpacker_open(&level, (struct sam_sink){0}, &unpacker, &e), &e, "level 9");
    expect_usage(sam_unpacker_write(NULL, data, 1, &e), &e, "unpacker is NULL");
    expect_usage(sam_unpacker_finish(NULL, &e), &e, "unpacker is NULL");
    succeeds(sam_unpacker_open, NULL, (struct sam_sink){0}, &unpacker);
    expect_usage(sam_unpacker_write(unpacker, NULL, 1, &e), &e, "data is NULL");
    sam_unpacker_close(unpacker);
    expect_usage(sam_packed_open(NULL, 500, NULL, &p, &e), &e, "data is NULL");
    expect_usage(sam_packed_open(file.data, file.size, NULL, NULL, &e), &e, "packed is NULL");
    expect_usage(sam_packed_open(file.data, file.size, &level, &p, &e), &e, "level 9");
    assert_null(sam_packed_weights(NULL));
    assert_null(sam_packed_header(NULL));
    assert_int_equal(sam_packed_find(NULL, "data"), SIZE_MAX);
    expect_usage(sam_packed_read(NULL, 0, 0, 0, data, &e), &e, "packed is NULL");
    expect_usage(sam_packed_stat(NULL, 0, &stat, &e), &e, "packed is NULL");
    expect_usage(sam_packed_restore(NULL, data, &e), &e, "packed is NULL");
    succeeds(sam_packed_open, file.data, file.size, NULL, &p);
    assert_int_equal(sam_packed_find(p, NULL), SIZE_MAX);
    expect_usage(sam_packed_read(p, 0, 0, 1, NULL, &e), &e, "out is NULL");
    expect_usage(sam_packed_stat(p, 0, NULL, &e), &e, "stat is NULL");
    expect_usage(sam_packed_restore(p, NULL, &e), &e, "file is NULL");
    sam_packed_close(p);
    free(file.data);
}

TEST(counting_without)
{
    struct sam_weight_stat stat;
    struct sam_error e = {0};
    uint64_t counts[256];
    uint8_t data[8] = {0};
    const enum sam_dtype none = (enum sam_dtype)99;
    expect_usage(sam_weight_stat(SAM_U8, NULL, 8, NULL, &stat, &e), &e, "data is NULL");
    expect_usage(sam_weight_stat(SAM_U8, data, 8, NULL, NULL, &e), &e, "result is NULL");
    expect_usage(sam_weight_stat(none, data, 8, NULL, &stat, &e), &e, "unknown element type 99");
    expect_usage(sam_weight_count(none, data, 8, NULL, 0, counts, &e), &e,
                 "unknown element type 99");
    expect_usage(sam_weight_count(SAM_U8, data, 8, NULL, 0, NULL, &e), &e, "result is NULL");
    expect_usage(sam_weight_count(SAM_U8, data, 8, NULL, 1, counts, &e), &e, "coded plane 1");
}
