/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that fail at run time, with the message of the executor at its line. */
#include "lower/lowered.h"

#include <stdlib.h>

#define F32 "!pto.ptr<f32>"

/* A function of two indexes, an input and an output of 64 elements, fails with this message, or
 * succeeds (NULL). */
static void expect(const char *body, int64_t a, int64_t b, const char *words)
{
    SCOPED(lowered) x = {.seed = 1};
    char whole[6000];
    snprintf(whole, sizeof whole,
             "func.func @f(%%a: index, %%b: index) {\n"
             "%%c0 = arith.constant 0 : index\n"
             "%%c1 = arith.constant 1 : index\n"
             "%%c8 = arith.constant 8 : index\n"
             "%%zero = arith.constant 0.0 : f32\n"
             "%s\n"
             "return }\n",
             body);
    x.text = whole;
    lowered_scalar(&x, SAM_I64, (uint64_t)a);
    lowered_scalar(&x, SAM_I64, (uint64_t)b);
    lowered_run(&x);
    if (words ? x.status != SAM_ERR_TRAP || !strstr(x.error.text, words) : x.status != SAM_OK)
        fail_msg("%s\nexpected %s: found %s", whole, words, x.error.text);
}

#define TILE    "!pto.tile_buf<vec, 8x8xf32, valid=?x?>"
#define ALLOC   "%t = pto.alloc_tile valid_row = %a valid_col = %b : " TILE "\n"
#define FILL(t) "pto.texpands ins(%zero : f32) outs(" t " : " TILE ")\n"

TEST(test_valid_sizes)
{
    expect(ALLOC, 9, 3, "9 valid rows in a tile of 8");
    expect(ALLOC, 3, -1, "-1 valid columns in a tile of 8");
    expect(ALLOC FILL("%t"), 8, 0, NULL);
    expect("%t = pto.alloc_tile valid_row = %c1 valid_col = %c1 : " TILE
           "\n" FILL("%t") "pto.set_validshape %t, %a, %b : " TILE "\n",
           5, 11, "11 valid columns in a tile of 8");
}

TEST(test_shapes)
{
    const char *text =
        ALLOC FILL("%t") "%u = pto.alloc_tile valid_row = %b valid_col = %b : " TILE
                         "\n" FILL("%u") "%d = pto.alloc_tile valid_row = %b valid_col = %b : " TILE
                                         "\n"
                                         "pto.tadd ins(%t, %u : " TILE ", " TILE ") outs(%d : " TILE
                                         ")\n";
    expect(text, 5, 5, NULL);
    expect(text, 4, 5, "tadd: source 1 has 4 valid rows: expected 5, as the destination");
    const char *row =
        ALLOC FILL("%t") "%d = pto.alloc_tile valid_row = %a valid_col = %c1 : " TILE "\n" FILL(
            "%d") "%e = pto.alloc_tile valid_row = %b valid_col = %c8 : " TILE "\n"
                  "pto.trowexpand ins(%d : " TILE ") outs(%e : " TILE ")\n";
    expect(row, 7, 7, NULL);
    expect(row, 7, 6, "trowexpand: the source has 7 valid rows: expected 6, as the destination");
    const char *column =
        ALLOC FILL("%t") "%d = pto.alloc_tile valid_row = %c0 valid_col = %b : " TILE "\n"
                         "pto.tcolsum ins(%t : " TILE ") outs(%d : " TILE ")\n";
    expect(column, 2, 3, "tcolsum: the destination has no valid row");
    expect(column, 0, 3, NULL);
}

TEST(test_windows)
{
    const char *text = "%t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n"
                       "%w = pto.subset %t, offsets = [%a, %b] : !pto.tile_buf<vec, 16x16xf32> -> "
                       "!pto.tile_buf<vec, 8x8xf32>\n"
                       "pto.texpands ins(%zero : f32) outs(%w : !pto.tile_buf<vec, 8x8xf32>)\n";
    expect(text, 8, 8, NULL);
    expect(text, 9, 0, "a window of 8x8 at [9,0] leaves %t, 16x16");
    expect(text, 0, -8, "a window of 8x8 at [0,-8] leaves %t, 16x16");
    expect(text, 0, 3, "the window does not start at a multiple of 32 bytes");
}

TEST(test_addresses)
{
    const char *text = "%t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 8x8xf32>\n"
                       "pto.texpands ins(%zero : f32) outs(%t : !pto.tile_buf<vec, 8x8xf32>)\n";
    expect(text, 64, 0, NULL);
    expect(text, 262144 - 256, 0, NULL);
    expect(text, 262144, 0,
           "of 256 bytes at 0x40000: expected a multiple of 32 within the 0x40000");
    expect(text, 16, 0, "at 0x10: expected a multiple of 32");
    expect(text, -32, 0, "at 0xffffffffffffffe0: expected a multiple of 32");
}

/* The first element in the executor's order is named, whichever lane fails. */
TEST(test_zero_divisor)
{
    struct lowered x = {.text = "%q = tdiv %n, %d : !pto.tile<vec, 16x32xi32>, !pto.tile<vec, "
                                "16x32xi32> -> !pto.tile<vec, 16x32xi32>\n"};
    const size_t at[] = {0, 31, 32, 100, 16 * 32 - 1};
    for (size_t i = 0; i <= SAM_COUNT(at); i++) {
        x.seed = i + 1;
        lowered_random(&x, SAM_I32, 16, 32);
        int32_t *divisors = lowered_random(&x, SAM_I32, 16, 32)->data;
        for (size_t k = 0; k < 512; k++)
            divisors[k] |= 1;
        for (size_t k = i; k < SAM_COUNT(at); k++)
            divisors[at[k]] = 0;
        lowered_array(&x, SAM_I32, 16, 32);
        lowered_name(&x, "q", true);
        x.arguments[0].name = "n";
        x.arguments[1].name = "d";
        lowered_run(&x);
        assert_int_equal(x.status, i == SAM_COUNT(at) ? SAM_OK : SAM_ERR_TRAP);
        if (i < SAM_COUNT(at)) {
            FREED char *words =
                formatted("tdiv divides by zero for q[%zu,%zu]", at[i] / 32, at[i] % 32);
            assert_non_null(strstr(x.error.text, words));
        }
        lowered_free(&x);
    }
}

/* Sizes that no partition has, known when the program is lowered: it fails at the partition. */
TEST(test_partition_sizes)
{
    static const int64_t sizes[] = {-1, -2, -3, -70000, -3000000000, INT64_MIN, 9, INT64_MAX};
    for (size_t i = 0; i < SAM_COUNT(sizes); i++) {
        SCOPED(lowered) x = {
            .seed = 1,
            .text = "func.func @f(%x: !pto.ptr<f32>, %n: index) {\n" INDEX(0) INDEX(1) INDEX(8)
                BY_ROWS("v", "x", 8,
                        8) "%p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%n, %n] : "
                           "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<?x?xf32>\n"
                           "%t = pto.tload %p : !pto.partition_tensor_view<?x?xf32> -> " TILE
                           "\nreturn }\n"};
        FREED char *words =
            formatted("the partition is 0..%" PRId64 " of dimension 0: %%v has 8", sizes[i]);
        lowered_random(&x, SAM_F32, 8, 8);
        lowered_scalar(&x, SAM_I64, (uint64_t)sizes[i]);
        lowered_run(&x);
        if (x.status != SAM_ERR_TRAP || !strstr(x.error.text, words))
            fail_msg("expected %s: found %s", words, x.error.text);
    }
}

/* Sizes whose product has more than 64 bits. */
TEST(test_wide_products)
{
    SCOPED(lowered) x = {
        .text =
            "func.func @f(%x: !pto.ptr<f32>, %n: index) {\n"
            "%c0 = arith.constant 0 : index\n%c8 = arith.constant 8 : index\n"
            "%big = arith.constant 2147483647 : index\n"
            "%v = pto.make_tensor_view %x, shape = [%big, %big, %big, %c8], strides = [%c0, %c0, "
            "%c0, %c0] : !pto.tensor_view<?x?x?x?xf32>\n"
            "%p = pto.partition_view %v, offsets = [%c0, %c0, %c0, %c0], sizes = [%big, %big, "
            "%big, %c8] : !pto.tensor_view<?x?x?x?xf32> -> "
            "!pto.partition_tensor_view<2147483647x2147483647x2147483647x8xf32>\n"
            "%t = pto.alloc_tile valid_row = %n : !pto.tile_buf<vec, 8x8xf32, valid=?x8>\n"
            "pto.tload ins(%p : "
            "!pto.partition_tensor_view<2147483647x2147483647x2147483647x8xf32>) outs(%t : "
            "!pto.tile_buf<vec, 8x8xf32, valid=?x8>)\nreturn }\n"};
    lowered_random(&x, SAM_F32, 0, 8);
    lowered_scalar(&x, SAM_I64, 3);
    lowered_refused(&x, "test.pto:8:1: error: tload: more elements than 64 bits can count");
}

/* --- a damaged tensor that has been asked for before the one that is loaded first */

enum { SIDE = 64 };

/* A packed file of "a" and "b". */
static uint8_t *pack_both(const float *elements, size_t *size)
{
    struct sam_weight tensors[2] = {
        {.name = "a", .type = SAM_F32, .rank = 1, .shape = {SIDE * SIDE}},
        {.name = "b", .type = SAM_F32, .rank = 1, .shape = {SIDE * SIDE}}};
    const struct sam_weights weights = {
        .tensors = tensors, .count = 2, .file_size = 2 * SIDE * SIDE * sizeof *elements};
    tensors[0].size = tensors[1].size = tensors[1].offset = SIDE * SIDE * sizeof *elements;
    const size_t room = sam_pack_bound(&weights);
    uint8_t *packed = test_room(room);
    assert_int_equal(sam_pack(&weights, elements, NULL, packed, room, size, NULL), SAM_OK);
    return packed;
}

#define PART      "!pto.partition_tensor_view<8x8xf32>"
#define FULL      "!pto.tile_buf<vec, 8x8xf32>"
#define WINDOW(n) BY_ROWS("v" n, n, 64, 64) WINDOW_OF("p" n, "v" n, "c0", "c0", 8, 8)
#define MOVE(n)                                                                                    \
    "%t" n " = pto.tload %p" n " : " PART " -> " FULL "\n"                                         \
    "pto.tstore ins(%t" n " : " FULL ") outs(%pz : " PART ")\n"
#define VIEWS INDEX(0) INDEX(1) INDEX(8) INDEX(64) WINDOW("a") WINDOW("b") WINDOW("z")
#define BOTH                                                                                       \
    "func.func @f(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>, %z: !pto.ptr<f32>) {\n" VIEWS              \
    "pto.prefetch %pb : " PART "\n" MOVE("a")

static void expect_damaged(const char *text, const char *words)
{
    SCOPED(lowered) x = {.text = text, .seed = 1};
    struct sam_system *system;
    struct sam_system_result result;
    size_t size, other_size;
    float elements[2 * SIDE * SIDE];
    for (size_t i = 0; i < SAM_COUNT(elements); i++)
        elements[i] = (float)i;
    FREED uint8_t *packed = pack_both(elements, &size);
    elements[2 * SIDE * SIDE - 1] += 0.25F;
    FREED uint8_t *other = pack_both(elements, &other_size);
    size_t at = 0;
    while (packed[at] == other[at])
        at++;
    packed[at + 4096] ^= 1; /* after the header of the chunk */
    for (unsigned i = 0; i < 3; i++)
        lowered_array(&x, SAM_F32, SIDE, SIDE);
    x.arguments[0].packed = "a";
    x.arguments[1].packed = "b";
    x.options.weights = packed;
    x.options.weights_size = size;
    struct sam_tile_lowered *made = lowered_make(&x);
    assert_int_equal(sam_system_new(NULL, &system, NULL), SAM_OK);
    assert_int_equal(sam_tile_lowered_load(made, system, &x.error), SAM_OK);
    if (sam_system_load_weights(system, packed, size, 0, &x.error) != SAM_OK)
        fail_msg("%s", x.error.text);
    assert_int_equal(sam_system_run(system, &result, &x.error), SAM_OK);
    const enum sam_status status = sam_tile_lowered_failure(made, system, &x.error);
    if (words ? status != SAM_ERR_TRAP || !strstr(x.error.text, words) : status != SAM_OK)
        fail_msg("expected %s: found %d, %s", words, status, x.error.text);
    if (!words) {
        assert_int_equal(sam_tile_lowered_fetch(made, system, NULL), SAM_OK);
        assert_true(((const float *)x.arrays[2].data)[7 * SIDE + 7] == 7 * SIDE + 7);
    }
    sam_system_free(system);
    sam_tile_lowered_free(made);
}

TEST(test_damaged)
{
    expect_damaged(BOTH "return }\n", NULL); /* never loaded */
    expect_damaged(BOTH MOVE("b") "return }\n", "cannot decode the packed %b: status 3");
    expect_damaged(BOTH "%u = pto.tload %pa : " PART " -> " FULL "\n" MOVE("b") "return }\n",
                   "cannot decode the packed %b: status 3");
}

/* An operation without a lowering is reported at its line, before anything runs. */
TEST(test_refusals)
{
    struct lowered x = {.text = "func.func @f() {\n"
                                "%t = pto.alloc_tile : !pto.tile_buf<vec, 1024x1024xf32>\n"
                                "%z = arith.constant 0.0 : f32\n"
                                "pto.texpands ins(%z : f32) outs(%t : !pto.tile_buf<vec, "
                                "1024x1024xf32>)\n"
                                "return }\n"};
    x.options.profile = SAM_TILE_HOST;
    lowered_refused(&x, "test.pto:2:1: error: %t ends at 0x400000: vec has 0x80000 bytes on the "
                        "system");
}

/* A source of unknown size. */
TEST(test_image)
{
    SCOPED(lowered) x = {.text =
                             "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>, "
                             "%d: !pto.tile_buf<vec, 16x16xf32>, %n: index) {\n"
                             "pto.timg2col ins(%a, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, "
                             "%n, %n, %n : !pto.tile_buf<vec, 16x16xf32>, index, index, index, "
                             "index, index, index, index, index, index, index, index, index, "
                             "index, index, index) outs(%d : !pto.tile_buf<vec, 16x16xf32>)\n"
                             "return }\n"};
    lowered_array(&x, SAM_TILE_f32, 16, 16);
    lowered_array(&x, SAM_TILE_f32, 16, 16);
    x.arguments[1].output = true;
    lowered_scalar(&x, SAM_I64, 1);
    const size_t count = x.count;
    x.options.unbound = true;
    x.count = 0;
    lowered_refused(&x, "timg2col: expected a source of known size, and constants but for the "
                        "position");
    x.count = count;
}

TEST(test_one_row)
{
    SCOPED(lowered) x = {.text = "%d = tcolmin %a : !pto.tile<vec, 8x32xf32> -> "
                                 "!pto.tile<vec, 8x32xf32>\n"};
    lowered_array(&x, SAM_TILE_f32, 8, 32);
    lowered_name(&x, "a", false);
    lowered_array(&x, SAM_TILE_f32, 8, 32);
    lowered_name(&x, "d", true);
    x.options.dialect = SAM_TILE_SPEC;
    lowered_refused(&x, "the destination has 8 valid rows: expected 1 in dialect spec");
}
