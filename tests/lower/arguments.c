/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of tile_lower.h. */
#include "tile/tile_test.h"

#include "refuses.h"

static const char text[] =
    "func.func @f(%x: !pto.ptr<f32>, %n: index) {\n"
    "%c0 = arith.constant 0 : index\n"
    "%c1 = arith.constant 1 : index\n"
    "%c8 = arith.constant 8 : index\n"
    "%v = pto.make_tensor_view %x, shape = [%c8, %c8], strides = [%c8, %c1] : "
    "!pto.tensor_view<?x?xf32>\n"
    "%p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c8, %c8] : "
    "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x8xf32>\n"
    "%a = pto.tload %p : !pto.partition_tensor_view<8x8xf32> -> !pto.tile_buf<vec, 8x8xf32>\n"
    "pto.tstore ins(%a : !pto.tile_buf<vec, 8x8xf32>) outs(%p : "
    "!pto.partition_tensor_view<8x8xf32>)\n"
    "return }\n";

static float data[64];
static struct sam_array array = {
    .dtype = SAM_F32, .rank = 2, .shape = {8, 8}, .count = 64, .data = data};

static void arguments_of(struct sam_tile_argument out[2])
{
    out[0] = (struct sam_tile_argument){.array = &array};
    out[1] = (struct sam_tile_argument){.is_scalar = true, .dtype = SAM_I64};
}

TEST(lowering)
{
    SCOPED_PROGRAM *p = test_parse("t", text, sizeof text - 1);
    struct sam_tile_argument a[2];
    struct sam_tile_lowered *made = NULL;
    char *messages = NULL;
    arguments_of(a);
    refuses(sam_tile_lower, NULL, 0, a, 2, NULL, &made, &messages);
    refuses(sam_tile_lower, p, 0, NULL, 2, NULL, &made, &messages);
    refuses(sam_tile_lower, p, 0, a, 2, NULL, NULL, &messages);
    refuses(sam_tile_lower, p, 0, a, 2, NULL, &made, NULL);
    refuses(sam_tile_lower, p, 1, a, 2, NULL, &made, &messages);
    const struct sam_tile_lower_options bad[] = {
        {.size = 3},
        {.profile = (enum sam_tile_profile)9},
        {.nan = (enum sam_tile_nan)9},
        {.outside = (enum sam_tile_outside)9},
    };
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        struct sam_tile_lower_options o = bad[i];
        o.size = o.size ? o.size : sizeof o;
        refuses(sam_tile_lower, p, 0, a, 2, &o, &made, &messages);
        assert_null(made);
        free(messages);
    }
    sam_tile_lowered_free(NULL);
}

static void expect_input(const struct sam_tile_program *p, const struct sam_tile_argument *a,
                         const struct sam_tile_lower_options *options, const char *words)
{
    struct sam_tile_lowered *made;
    struct sam_error error = {0};
    FREED char *messages = NULL;
    assert_int_not_equal(sam_tile_lower(p, 0, a, 2, options, &made, &messages, &error), SAM_OK);
    assert_null(made);
    if (!strstr(error.text, words))
        fail_msg("no '%s' in: %s", words, error.text);
}

/* Packed tensors that are missing, or of another kind. */
TEST(packed)
{
    static const char header[] =
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[8,8],\"data_offsets\":[0,256]},"
        "\"v\":{\"dtype\":\"I32\",\"shape\":[8,8],\"data_offsets\":[256,512]},"
        "\"u\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[512,528]}}";
    uint8_t file[8 + sizeof header - 1 + 528] = {(uint8_t)(sizeof header - 1)};
    SCOPED_PROGRAM *p = test_parse("t", text, sizeof text - 1);
    struct sam_tile_argument a[2];
    SCOPED(sam_weights) weights = {0};
    size_t need, size;
    memcpy(file + 8, header, sizeof header - 1);
    succeeds(sam_weights_parse, SAM_WEIGHTS_SAFETENSORS, file, sizeof file, sizeof file, "t",
             &weights, &need);
    const size_t room = sam_pack_bound(&weights);
    FREED void *smw = test_room(room);
    assert_int_equal(sam_pack(&weights, file, NULL, smw, room, &size, NULL), SAM_OK);
    struct sam_tile_lower_options o = {.size = sizeof o, .weights = smw, .weights_size = size};
    arguments_of(a);
    a[0].packed = "x";
    expect_input(p, a, NULL, "without packed weights");
    expect_input(p, a, &o, "no tensor 'x'");
    a[0].packed = "v";
    expect_input(p, a, &o, "cannot convert i32 to it");
    a[0].packed = "u";
    expect_input(p, a, &o, "has 64 elements, 'u' has 4");
    o.weights_size = 5;
    expect_input(p, a, &o, "");
}

/* A program beyond the room that the programs of a system have. */
TEST(room)
{
    SCOPED_PROGRAM *p = test_parse("t", text, sizeof text - 1);
    struct sam_tile_argument a[2];
    struct sam_tile_lowered *made;
    struct sam_system *system;
    struct sam_error error = {0};
    FREED char *messages;
    arguments_of(a);
    struct sam_tile_lower_options o = {.size = sizeof o, .offset = UINT32_C(0x10000000)};
    expect_input(p, a, &o, "expected a multiple of 4096 below the 0x10000000 bytes");
    o.offset -= 4096;
    assert_int_equal(sam_tile_lower(p, 0, a, 2, &o, &made, &messages, NULL), SAM_OK);
    assert_int_equal(sam_system_new(NULL, &system, NULL), SAM_OK);
    assert_int_equal(sam_tile_lowered_load(made, system, &error), SAM_ERR_INPUT);
    assert_non_null(
        strstr(error.text, "have 0x10000000 bytes of room, this one would end at 0x100"));
    sam_system_free(system);
    sam_tile_lowered_free(made);
}

TEST(lowered)
{
    SCOPED_PROGRAM *p = test_parse("t", text, sizeof text - 1);
    struct sam_tile_argument a[2];
    struct sam_tile_lowered *made;
    struct sam_system *system;
    const struct sam_image *hart, *gpu;
    char *messages;
    arguments_of(a);
    assert_int_equal(sam_tile_lower(p, 0, a, 2, NULL, &made, &messages, NULL), SAM_OK);
    free(messages);
    assert_int_equal(sam_system_new(NULL, &system, NULL), SAM_OK);
    assert_non_null(strstr(sam_tile_lowered_hart(made), "_start:"));
    assert_non_null(sam_tile_lowered_gpu(made));
    refuses(sam_tile_lowered_images, NULL, &hart, &gpu);
    refuses(sam_tile_lowered_images, made, NULL, &gpu);
    refuses(sam_tile_lowered_images, made, &hart, NULL);
    refuses(sam_tile_lowered_load, NULL, system);
    refuses(sam_tile_lowered_load, made, NULL);
    refuses(sam_tile_lowered_failure, NULL, system);
    refuses(sam_tile_lowered_failure, made, NULL);
    refuses(sam_tile_lowered_failure, made, system); /* not loaded */
    refuses(sam_tile_lowered_fetch, NULL, system);
    refuses(sam_tile_lowered_fetch, made, NULL);
    assert_int_equal(sam_tile_lowered_room(NULL), 0);
    const struct sam_tile_lower_options odd = {.size = sizeof odd, .offset = 100};
    const struct sam_tile_lower_options plain = {.size = sizeof plain, .next = &a[0]};
    struct sam_tile_lowered *none;
    refuses(sam_tile_lower, p, 0, a, 2, &odd, &none, &messages);
    refuses(sam_tile_lower, p, 0, a, 2, &plain, &none, &messages);
    refuses(sam_tile_lowered_emit, NULL, "/tmp");
    refuses(sam_tile_lowered_emit, made, NULL);
    assert_string_equal(sam_tile_lowered_hart(NULL), "");
    assert_string_equal(sam_tile_lowered_gpu(NULL), "");
    char *told;
    refuses(sam_tile_lowered_explain, NULL, NULL, &told);
    refuses(sam_tile_lowered_explain, made, NULL, NULL);
    struct sam_tile_lowered_note note;
    assert_false(sam_tile_lowered_note(NULL, 0, &note));
    assert_false(sam_tile_lowered_note(made, SIZE_MAX, &note));
    assert_false(sam_tile_lowered_note(made, 0, NULL));
    sam_system_free(system);
    sam_tile_lowered_free(made);
}
