/* SPDX-License-Identifier: Apache-2.0 */
/* Packed files with false contents. Invalid arguments: arguments.c. */

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
    weights.count = SAM_MAX_PIECES + 1;
    must_fail(SAM_ERR_INPUT, "2097153 tensors: the limit is 2097152", sam_weights_check, &weights);
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
