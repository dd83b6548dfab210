/* SPDX-License-Identifier: Apache-2.0 */
/* Tile operations as C calls: errors of callers, windows, arrays in global memory, waits,
 * counts. */
#include "tile/tile_test.h"

static void text_is(struct sam_event e, enum sam_status status, const char *text)
{
    if (e.status != status || strcmp(e.text, text) != 0)
        fail_msg("status %d: '%s', expected %d: '%s'", e.status, e.text, status, text);
}

static void fill(struct sam_tile_core *core, struct sam_tile *t, const void *values)
{
    succeeds(sam_tile_fill, core, t, values);
}

static void expect_floats(const struct sam_tile *t, const float *expected)
{
    float got[64];
    size_t count = (size_t)(t->type.valid_rows * t->type.valid_cols);
    assert_true(count <= 64);
    succeeds(sam_tile_read, t, got);
    assert_memory_equal(got, expected, count * sizeof *got);
}

/* A reduction of rows without elements writes nothing, not even padding. */
TEST(test_empty_rows)
{
    static const char *const ops[] = {"trowsum", "trowprod",   "trowmax",
                                      "trowmin", "trowargmax", "trowargmin"};
    struct sam_tile_options options = {SAM_TILE_A5, .outside = SAM_TILE_PAD_VALUE};
    const struct sam_event *none[] = {NULL};
    for (size_t k = 0; k < SAM_COUNT(ops); k++) {
        SCOPED_CORE *core = test_core(&options);
        struct sam_tile src = SAM_TILE_VALID(vec, f32, 3, 8, 3, 0);
        struct sam_tile dst = SAM_TILE(vec, f32, 3, 8),
                        other = SAM_TILE_VALID(vec, f32, 3, 8, 3, 1);
        float before[24], got[24];
        for (int i = 0; i < 24; i++)
            before[i] = (float)i + 1;
        dst.type.pad = other.type.pad = SAM_TILE_PAD_max;
        if (k > 3)
            dst.type.dtype = other.type.dtype = SAM_TILE_i32;
        fill(core, &src, before);
        fill(core, &dst, before);
        dst.type.valid_cols = 1;
        text_is(sam_tile_apply(ops[k], &dst, (struct sam_tile *[]){&src, NULL}, 0, 0, none), SAM_OK,
                "");
        dst.type.valid_cols = 8;
        assert_int_equal(sam_tile_read(&dst, got, NULL), SAM_OK);
        assert_memory_equal(got, before, sizeof before);
        /* and unwritten bytes do not count as written */
        text_is(sam_tile_apply(ops[k], &other, (struct sam_tile *[]){&src, NULL}, 0, 0, none),
                SAM_OK, "");
        assert_int_equal(sam_tile_read(&other, got, NULL), SAM_ERR_TRAP);
    }
}

/* Arrays: strides of both signs, zero, transposed; three dimensions; the ends of the array. */
TEST(test_views)
{
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile t = SAM_TILE_VALID(vec, f32, 4, 8, 4, 3);
    float array[24], expected[12];
    struct sam_tile_view v = {array, 24, SAM_TILE_f32, 2, 0, {4, 3}, {6, 1}};
    for (int i = 0; i < 24; i++)
        array[i] = (float)i;
    text_is(sam_tload(&t, &v), SAM_ERR_USAGE,
            "tload: the destination is on no core (sam_tile_place_on)");
    assert_int_equal(sam_tile_place_on(core, &t, NULL), SAM_OK);
    static const struct {
        int64_t offset, strides[2];
    } cases[] = {{0, {6, 1}}, {5, {1, 4}}, {23, {-6, -1}}, {7, {0, 0}}, {18, {-6, 2}}};
    for (size_t k = 0; k < SAM_COUNT(cases); k++) {
        v.offset = cases[k].offset;
        memcpy(v.strides, cases[k].strides, sizeof cases[k].strides);
        text_is(sam_tload(&t, &v), SAM_OK, "");
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++)
                expected[i * 3 + j] =
                    (float)(v.offset + i * cases[k].strides[0] + j * cases[k].strides[1]);
        expect_floats(&t, expected);
    }
    struct sam_tile_view cube = {array, 24, SAM_TILE_f32, 3, 23, {2, 2, 3}, {-12, -3, -1}};
    text_is(sam_tload(&t, &cube), SAM_OK, "");
    for (int i = 0; i < 12; i++) {
        int place = 23 - i / 6 * 12 - i / 3 % 2 * 3 - i % 3;
        expected[i] = (float)place;
    }
    expect_floats(&t, expected);
    v.offset = 4; /* out of bounds in the last row: nothing moves, to or from the array */
    v.strides[0] = 6, v.strides[1] = 1;
    text_is(sam_tload(&t, &v), SAM_ERR_TRAP,
            "tload dst[3,2]: element 24 of the array, which has 24");
    expect_floats(&t, expected);
    text_is(sam_tstore(&v, &t), SAM_ERR_TRAP,
            "tstore src[3,2]: element 24 of the array, which has 24");
    for (int i = 0; i < 24; i++)
        assert_true(array[i] == (float)i);
    v.offset = 3;
    text_is(sam_tstore(&v, &t), SAM_OK, "");
    for (int i = 0; i < 24; i++)
        assert_true(array[i] == (i % 6 < 3 ? (float)i : expected[i / 6 * 3 + i % 6 - 3]));
    v.strides[0] = INT64_C(1) << 57;
    text_is(sam_tload(&t, &v), SAM_ERR_USAGE,
            "tload: dimension 0 of the view is 4, its stride 144115188075855872");
    v.strides[0] = 6;
    v.rank = 6;
    text_is(sam_tload(&t, &v), SAM_ERR_USAGE, "tload: a view has 1 to 5 dimensions");
}

/* textract, tinsert and windows: parts of tiles. */
TEST(test_parts)
{
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile big = SAM_TILE(vec, f32, 4, 16), part = SAM_TILE_VALID(vec, f32, 2, 8, 2, 3);
    struct sam_tile window = SAM_TILE(vec, f32, 2, 8), sum = SAM_TILE(vec, f32, 1, 8);
    float values[64], expected[8];
    struct sam_error error;
    for (int i = 0; i < 64; i++)
        values[i] = (float)i;
    assert_int_equal(sam_tsubview(&window, &big, 0, 0, &error), SAM_ERR_USAGE);
    fill(core, &big, values);
    text_is(sam_textract(&part, &big, 2, 5), SAM_OK, "");
    expect_floats(&part, (float[]){37, 38, 39, 53, 54, 55});
    text_is(sam_textract(&part, &big, 3, 5), SAM_ERR_TRAP,
            "textract: 2x3 elements from [3,5] leave the valid rectangle of src, 4x16");
    text_is(sam_tinsert(&big, &part, 0, 13), SAM_OK, "");
    text_is(sam_tinsert(&big, &part, 0, -1), SAM_ERR_TRAP,
            "tinsert: 2x3 elements from [0,-1] leave the valid rectangle of dst, 4x16");
    assert_int_equal(sam_tsubview(&window, &big, 3, 8, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "a window of 2x8 at [3,8] leaves the tile, 4x16");
    assert_int_equal(sam_tsubview(&window, &big, 0, 4, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "the window does not start at a multiple of 32 bytes");
    assert_int_equal(sam_tsubview(&window, &big, 0, 8, &error), SAM_OK);
    text_is(sam_tcolsum(&sum, &window), SAM_OK, "");
    for (int j = 0; j < 8; j++) /* [0,13..15] and [1,13..15] hold the inserted elements */
        expected[j] = j < 5 ? (float)(8 + j + 24 + j) : (float)(37 + j - 5 + 53 + j - 5);
    expect_floats(&sum, expected);
    /* A window and its tile share elements. */
    text_is(sam_tcolsum(&window, &big), SAM_ERR_TRAP,
            "tcolsum: the destination has 8 valid columns: expected 16, as the source");
    text_is(sam_tabs(&big, &window), SAM_ERR_TRAP,
            "tabs: the source has 2 valid rows: expected 4, as the destination");
    sam_tile_release(&window);
    assert_null(window.core);
    text_is(sam_textract(&part, &big, 2, 5), SAM_OK, ""); /* the tile is at its old address */
}

TEST(test_scalars)
{
    SCOPED_CORE *core = test_core(&(struct sam_tile_options){.profile = SAM_TILE_A5});
    struct sam_tile a = SAM_TILE(vec, i8, 1, 32), d = SAM_TILE(vec, i8, 1, 32);
    struct sam_tile m = SAM_TILE(vec, ui8, 1, 32), u = SAM_TILE(vec, ui8, 1, 32);
    int8_t values[32] = {1, -2, 3}, got[32];
    fill(core, &a, values);
    text_is(sam_tadds(&d, &a, 128), SAM_ERR_USAGE, "tadds: the scalar 128 does not fit i8");
    text_is(sam_tadds(&d, &a, 1.5), SAM_ERR_USAGE, "tadds: the scalar 1.5 does not fit i8");
    assert_int_equal(sam_tadds(&d, &a, (double)NAN).status, SAM_ERR_USAGE);
    assert_int_equal(sam_tile_place_on(core, &u, NULL), SAM_OK);
    text_is(sam_texpands(&u, -1), SAM_ERR_USAGE, "texpands: the scalar -1 does not fit ui8");
    text_is(sam_texpands(&u, 255), SAM_OK, "");
    text_is(sam_tadds(&d, &a, -128), SAM_OK, "");
    assert_int_equal(sam_tile_read(&d, got, NULL), SAM_OK);
    assert_int_equal(got[0], -127);
    assert_int_equal(got[1], 126);
    text_is(sam_tcmps(&m, &a, -2, SAM_TILE_EQ), SAM_OK, "");
    text_is(sam_tsels(&d, &m, &a, 7), SAM_OK, "");
    assert_int_equal(sam_tile_read(&d, got, NULL), SAM_OK);
    for (int i = 0; i < 32; i++)
        assert_int_equal(got[i], i == 1 ? -2 : 7);
    text_is(sam_tcmps(&m, &a, 0, 2 * SAM_TILE_PACKED), SAM_ERR_USAGE, "tcmps has no attribute 12");
    text_is(sam_tcvt(&u, &a, SAM_TILE_TRUNC + 1), SAM_ERR_USAGE, "tcvt has no attribute 5");
}

/* Operands of another operation, and no operands. */
TEST(test_calls)
{
    static const struct {
        const char *name, *text;
    } cases[] = {
        {"tcolmean", "unknown operation 'tcolmean'"},
        {"alloc_tile", "unknown operation 'alloc_tile'"},
        {"tadd", "tadd takes 2 tiles, found 1"},
        {"tload", "tload takes operands of another kind: use sam_tload"},
        {"tstore", "tstore takes operands of another kind: use sam_tstore"},
        {"tinsert", "tinsert takes operands of another kind: use sam_tinsert"},
    };
    const struct sam_event *none[] = {NULL};
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile a = SAM_TILE(vec, f32, 1, 8), d = SAM_TILE(vec, f32, 1, 8);
    float values[8] = {0};
    text_is(sam_tcolmin(&d, &a), SAM_ERR_TRAP, "tcolmin reads src before it is written");
    fill(core, &a, values);
    for (size_t k = 0; k < SAM_COUNT(cases); k++)
        text_is(sam_tile_apply(cases[k].name, &d, (struct sam_tile *[]){&a, NULL}, 0, 0, none),
                SAM_ERR_USAGE, cases[k].text);
    text_is(sam_tile_apply_at("tadds", &d, &a, 0, 0, none), SAM_ERR_USAGE,
            "tadds takes operands of another kind: use sam_tadds");
}

/* A division by zero leaves the destination unchanged, here the dividend itself. */
TEST(test_zero_divisor)
{
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile a = SAM_TILE(vec, i32, 2, 8), b = SAM_TILE(vec, i32, 2, 8);
    int32_t values[16], divisors[16], got[16];
    for (int i = 0; i < 16; i++) {
        values[i] = 100 + i;
        divisors[i] = i == 13 ? 0 : 7;
    }
    fill(core, &a, values);
    fill(core, &b, divisors);
    text_is(sam_tdiv(&a, &a, &b), SAM_ERR_TRAP, "tdiv divides by zero for dst[1,5]");
    text_is(sam_trems(&a, &a, 0), SAM_ERR_TRAP, "trems divides by zero for dst[0,0]");
    assert_int_equal(sam_tile_read(&a, got, NULL), SAM_OK);
    assert_memory_equal(got, values, sizeof got);
}

/* Impossible types, initially and after a tile was placed. */
TEST(test_types)
{
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile huge = SAM_TILE(vec, f32, 65536, 65536), open = SAM_TILE(vec, f32, 1, 8);
    struct sam_tile a = SAM_TILE(vec, f32, 4, 8), d = SAM_TILE(vec, f32, 1, 8);
    float values[32] = {0};
    struct sam_error error;
    assert_int_equal(sam_tile_place_on(core, &huge, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "a tile of 65536x65536 elements");
    open.type.valid_rows = SAM_TILE_DYNAMIC;
    assert_int_equal(sam_tile_place_on(core, &open, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "-1x8 valid elements of a tile");
    fill(core, &a, values);
    a.type.valid_rows = 1000000;
    assert_int_equal(sam_tile_fill(core, &a, values, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "the tile: 1000000x8 valid elements in a tile of 4x8");
    assert_int_equal(sam_tile_read(&a, values, &error), SAM_ERR_USAGE);
    text_is(sam_tcolmin(&d, &a), SAM_ERR_USAGE, "src: 1000000x8 valid elements in a tile of 4x8");
    a.type.valid_rows = a.type.rows = 1000000;
    text_is(sam_tcolmin(&d, &a), SAM_ERR_USAGE,
            "src: the type of the tile changed after it was placed");
}

/* Released memory is reused, and its old contents are gone, also at explicit addresses. */
TEST(test_release)
{
    for (int manual = 0; manual < 2; manual++) {
        SCOPED_CORE *core = test_core(NULL);
        struct sam_tile a = SAM_TILE(vec, f32, 1, 8), b = SAM_TILE(vec, f32, 1, 8);
        float values[8] = {0};
        if (manual) {
            assert_int_equal(sam_tassign(&a, 64), SAM_OK);
            assert_int_equal(sam_tassign(&b, 64), SAM_OK);
        }
        fill(core, &a, values);
        uint64_t offset = a.offset;
        sam_tile_release(&a);
        assert_int_equal(sam_tile_place_on(core, &b, NULL), SAM_OK);
        assert_int_equal(b.offset, offset);
        assert_int_equal(sam_tile_read(&b, values, NULL), SAM_ERR_TRAP);
    }
}

/* Tiles at addresses: loads, stores and vector operations wait for each other. */
TEST(test_waits)
{
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile a = SAM_TILE(vec, f32, 2, 8), d = SAM_TILE(vec, f32, 1, 8);
    float in[16], out[8];
    struct sam_tile_view from = {in, 16, SAM_TILE_f32, 2, 0, {2, 8}, {8, 1}};
    struct sam_tile_view to = {out, 8, SAM_TILE_f32, 1, 0, {8}, {1}};
    for (int i = 0; i < 16; i++)
        in[i] = (float)(i * 5 % 16);
    assert_int_equal(sam_tassign(&a, 0), SAM_OK);
    assert_int_equal(sam_tassign(&d, 0x100), SAM_OK);
    assert_int_equal(sam_tile_place_on(core, &a, NULL), SAM_OK);
    struct sam_event loaded = sam_tload(&a, &from);
    assert_int_equal(loaded.pipe, SAM_TILE_PIPE_LOAD);
    text_is(sam_tcolmin(&d, &a), SAM_ERR_TRAP,
            "tcolmin reads src without waiting for the tload pipe, which may still write it");
    struct sam_event done = sam_tcolmin(&d, &a, &loaded);
    text_is(done, SAM_OK, "");
    text_is(sam_tstore(&to, &d), SAM_ERR_TRAP,
            "tstore reads src without waiting for the vector pipe, which may still write it");
    text_is(sam_tsync(core, &done), SAM_OK, "");
    text_is(sam_tstore(&to, &d), SAM_OK, "");
    for (int j = 0; j < 8; j++)
        assert_true(out[j] == (in[j] < in[8 + j] ? in[j] : in[8 + j]));
    text_is(sam_tabs(&d, &d), SAM_ERR_TRAP,
            "tabs writes dst without waiting for the tstore pipe, which may still read it");
    struct sam_event bad = {.status = SAM_ERR_TRAP, .text = "no"};
    text_is(sam_tsync(core, &done, &bad), SAM_ERR_TRAP, "no");
    text_is(sam_tsync(core), SAM_OK, "");
    text_is(sam_tabs(&d, &d), SAM_OK, "");
}

/* A core accepts tiles of either kind once it has none of the other. Tiles at addresses then
 * need their own waits again; the core has waited for earlier ones. */
TEST(test_modes)
{
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile a = SAM_TILE(vec, f32, 2, 8), w = SAM_TILE(vec, f32, 1, 8);
    struct sam_tile d = SAM_TILE(vec, f32, 1, 8);
    float data[16] = {0};
    struct sam_tile_view from = {data, 16, SAM_TILE_f32, 2, 0, {2, 8}, {8, 1}};
    for (int i = 0; i < 4; i++) {
        const bool manual = i % 2;
        if (manual)
            assert_int_equal(sam_tassign(&a, 0), SAM_OK);
        assert_int_equal(sam_tile_place_on(core, &a, NULL), SAM_OK);
        assert_int_equal(sam_tsubview(&w, &a, 1, 0, NULL), SAM_OK);
        if (!manual)
            assert_int_equal(sam_tassign(&d, 0x100), SAM_OK);
        must_fail(SAM_ERR_USAGE, "either all tiles on a core have", sam_tile_place_on, core, &d);
        sam_tile_release(&d); /* it has no address, so none is dropped */
        sam_tile_release(&w);
        if (manual)
            assert_int_equal(sam_tassign(&d, 0x100), SAM_OK);
        text_is(sam_tload(&a, &from), SAM_OK, "");
        struct sam_event event = sam_tcolmin(&d, &a);
        assert_int_equal(event.status, manual ? SAM_ERR_TRAP : SAM_OK);
        sam_tile_release(&a);
        if (d.core) /* still of its kind */
            assert_int_equal(sam_tile_place_on(core, &d, NULL), SAM_OK);
        sam_tile_release(&d);
    }
}

static size_t op_index(const char *name)
{
    struct sam_tile_op_text op;
    size_t i = 0;
    while (sam_tile_op_describe(i, &op) && strcmp(op.name, name) != 0)
        i++;
    assert_true(i < SAM_TILE_OPS);
    return i;
}

TEST(test_stats)
{
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile a = SAM_TILE(vec, f32, 4, 8), d = SAM_TILE(vec, f32, 1, 8);
    struct sam_tile part = SAM_TILE_VALID(vec, f32, 1, 8, 1, 2);
    float in[32] = {0};
    struct sam_tile_view v = {in, 32, SAM_TILE_f32, 2, 0, {4, 8}, {8, 1}};
    struct sam_tile_stats s;
    assert_int_equal(sam_tile_place_on(core, &a, NULL), SAM_OK);
    text_is(sam_tload(&a, &v), SAM_OK, "");
    text_is(sam_tcolmin(&d, &a), SAM_OK, "");
    text_is(sam_tcolmin(&d, &a), SAM_OK, "");
    text_is(sam_trowexpandadd(&a, &a, &a), SAM_ERR_TRAP,
            "trowexpandadd: the destination dst overlaps src1");
    text_is(sam_textract(&part, &a, 0, 0), SAM_OK, "");
    v.shape[0] = 1;
    text_is(sam_tstore(&v, &d), SAM_OK, "");
    sam_tile_core_stats(core, &s);
    assert_int_equal(s.tile_ops, 6);
    assert_int_equal(s.elements, 32 + 2 * 32 + 2 + 8);
    assert_int_equal(s.loaded, 128);
    assert_int_equal(s.stored, 32);
    assert_int_equal(s.highest[SAM_TILE_vec], 128 + 32 + 32);
    assert_int_equal(s.by_op[op_index("tcolmin")].ops, 2);
    assert_int_equal(s.by_op[op_index("tcolmin")].elements, 64);
    assert_int_equal(s.by_op[op_index("trowexpandadd")].ops, 1);
    assert_int_equal(s.by_op[op_index("trowexpandadd")].elements, 0);
    assert_int_equal(s.by_op[op_index("textract")].elements, 2);
    assert_int_equal(s.by_pipe[SAM_TILE_PIPE_LOAD].elements, 32);
    assert_int_equal(s.by_pipe[SAM_TILE_PIPE_VECTOR].ops, 4);
    assert_int_equal(s.by_pipe[SAM_TILE_PIPE_STORE].ops, 1);
    assert_int_equal(s.by_pipe[SAM_TILE_PIPE_MATRIX].ops, 0);
}

/* Numbers outside an enumeration: rejected, or answered, never used as an index. */
TEST(test_no_such_number)
{
    static const char text[] = "%d = tcolmin %s : !pto.tile<vec, 16x16xf32> -> "
                               "!pto.tile<vec, 1x16xf32>\n";
    const unsigned bad[] = {99, 0x7fffffff, UINT32_MAX};
    const float values[64] = {0};
    struct sam_error error;
    char *messages = NULL;
    SCOPED_PROGRAM *p = test_parse("p", text, strlen(text));
    struct sam_tile_core *core = test_core(NULL), *none;
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        const unsigned n = bad[i];
        const struct sam_tile fine = SAM_TILE(vec, f32, 8, 8);
        struct sam_tile tiles[] = {fine, fine, fine, fine, fine, fine};
        tiles[0].type.loc = (enum sam_tile_loc)n;
        tiles[1].type.dtype = (enum sam_dtype)n;
        tiles[2].type.blayout = (enum sam_tile_layout)n;
        tiles[3].type.slayout = (enum sam_tile_layout)n;
        tiles[4].type.pad = (enum sam_tile_pad)n;
        tiles[5].type.fractal = 0;
        tiles[5].type.slayout = SAM_TILE_row_major;
        for (size_t k = 0; k < SAM_COUNT(tiles); k++) {
            assert_int_equal(sam_tile_fill(core, &tiles[k], values, &error), SAM_ERR_USAGE);
            must_fail(SAM_ERR_USAGE, "the tile's type has an invalid ", sam_tile_place_on, core,
                      &tiles[k]);
            sam_tile_release(&tiles[k]);
            struct sam_tile good = fine;
            fill(core, &good, values);
            good.type = tiles[k].type; /* bypassing the core */
            assert_int_equal(sam_tile_read(&good, (void *)(uintptr_t)values, &error),
                             SAM_ERR_USAGE);
            good.type = fine.type;
            sam_tile_release(&good);
        }
        struct sam_tile_options options[3] = {{.profile = (enum sam_tile_profile)n},
                                              {.nan = (enum sam_tile_nan)n},
                                              {.outside = (enum sam_tile_outside)n}};
        for (size_t k = 0; k < SAM_COUNT(options); k++) {
            assert_int_equal(sam_tile_core_new(&options[k], &none, &error), SAM_ERR_USAGE);
            assert_int_equal(sam_tile_run(p, 0, NULL, 0, &options[k], NULL, &error), SAM_ERR_USAGE);
        }
        assert_int_equal(sam_tile_check(p, options[0].profile, &messages, &error), SAM_ERR_USAGE);
        assert_int_equal(sam_tile_plan_text(p, options[0].profile, &messages, &error),
                         SAM_ERR_USAGE);
        assert_int_equal(sam_tile_print(p, (enum sam_tile_surface)n, &messages, &error),
                         SAM_ERR_USAGE);
        assert_int_equal(sam_dtype_size((enum sam_dtype)n), 0);
        assert_string_equal(sam_tile_dtype_name((enum sam_dtype)n), "?");
        assert_string_equal(sam_tile_loc_name((enum sam_tile_loc)n), "?");
        assert_string_equal(sam_tile_pipe_name((enum sam_tile_pipe)n), "?");
        assert_int_equal(sam_tile_capacity((enum sam_tile_profile)n, SAM_TILE_vec), 0);
        assert_int_equal(sam_tile_capacity(SAM_TILE_A5, (enum sam_tile_loc)n), 0);
        assert_string_equal(sam_tile_function_name(p, n), "");
        assert_int_equal(sam_tile_argument_count(p, n), 0);
        assert_string_equal(sam_tile_argument_name(p, 0, n), "");
        sam_tile_fold_columns((enum sam_dtype)n, false, SAM_TILE_NAN_NUMBER, false, NULL, NULL, 2,
                              2, 2);
        sam_tile_fold_columns(SAM_TILE_f32, false, (enum sam_tile_nan)n, false, NULL, NULL, 2, 2,
                              2);
    }
    sam_tile_fold_columns(SAM_TILE_f32, false, SAM_TILE_NAN_NUMBER, false, NULL, NULL, 0, 2, 2);
    /* Element types of the library that tiles do not have. */
    for (int n = 0; n < SAM_DTYPES; n++) {
        struct sam_tile other = SAM_TILE(vec, f32, 32, 64);
        other.type.dtype = (enum sam_dtype)n;
        bool known = strcmp(sam_tile_dtype_name((enum sam_dtype)n), "?") != 0;
        assert_int_equal(sam_tile_place_on(core, &other, &error), known ? SAM_OK : SAM_ERR_USAGE);
        sam_tile_release(&other);
    }
    sam_tile_core_free(core);
}

/* NULL is valid for an empty list only. */
TEST(test_null)
{
    struct sam_tile_core *core = test_core(NULL);
    struct sam_tile a = SAM_TILE(vec, f32, 2, 8), d = SAM_TILE(vec, f32, 1, 8);
    float values[16] = {0}, got[8];
    struct sam_tile_view v = {values, 16, SAM_TILE_f32, 2, 0, {2, 8}, {8, 1}};
    struct sam_error error;
    fill(core, &a, values);
    values[3] = -1;
    text_is(sam_tile_apply_view(true, &a, &v, NULL), SAM_OK, "");
    text_is(sam_tile_call(SAM_TILE_OP_TCOLMIN, &d, (struct sam_tile *[]){&a, NULL}, 0, 0, NULL),
            SAM_OK, "");
    expect_floats(&d, values);
    text_is(sam_tile_call(SAM_TILE_OP_TEXPANDS, &d, NULL, 2, 0, NULL), SAM_OK, "");
    assert_int_equal(sam_tile_read(&d, got, NULL), SAM_OK);
    assert_true(got[7] == 2);
    text_is(sam_tile_apply_at("textract", &d, &a, 1, 0, NULL), SAM_OK, "");
    text_is(sam_tile_sync(core, NULL), SAM_OK, "");

    text_is(sam_tcolmin(NULL, &a), SAM_ERR_USAGE, "tcolmin has no destination");
    text_is(sam_tcolmin(&d, NULL), SAM_ERR_USAGE, "tcolmin takes 1 tiles, found 0");
    text_is(sam_tile_call(SAM_TILE_OP_TADD, &d, NULL, 0, 0, NULL), SAM_ERR_USAGE,
            "tadd takes 2 tiles, found 0");
    text_is(sam_tload(NULL, &v), SAM_ERR_USAGE, "tload has no destination");
    text_is(sam_tload(&a, NULL), SAM_ERR_USAGE, "tload: the view is NULL");
    text_is(sam_tstore(&v, NULL), SAM_ERR_USAGE, "tstore takes 1 tiles, found 0");
    v.data = NULL;
    text_is(sam_tstore(&v, &a), SAM_ERR_USAGE, "tstore: the array is NULL");
    text_is(sam_tile_apply(NULL, &d, NULL, 0, 0, NULL), SAM_ERR_USAGE, "unknown operation ''");
    text_is(sam_tile_sync(NULL, NULL), SAM_ERR_USAGE, "the core is NULL");
    assert_int_equal(sam_tile_fill(NULL, &a, values, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "the core is NULL");
    assert_int_equal(sam_tile_fill(core, NULL, values, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "the tile is NULL");
    assert_int_equal(sam_tile_fill(core, &a, NULL, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "the array of values is NULL");
    assert_int_equal(sam_tile_read(NULL, got, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_tile_read(&a, NULL, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_tile_place_on(NULL, &a, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_tile_place_on(core, NULL, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_tsubview(NULL, &a, 0, 0, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_tsubview(&d, NULL, 0, 0, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_tassign(NULL, 0), SAM_ERR_USAGE);
    sam_tile_release(NULL);
    sam_tile_core_free(core);
    core = test_core(NULL); /* options: those of profile a5, which has bytes and 256 KiB */
    struct sam_tile bytes = SAM_TILE(vec, i8, 1, 256 << 10);
    assert_int_equal(sam_tile_place_on(core, &bytes, &error), SAM_OK);
    sam_tile_core_free(core);
}
