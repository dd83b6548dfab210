/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of tile.h and tile_ops.h. */
#include "tile/tile_test.h"

#include "must.h"
#include "refuses.h"

static const char program_text[] =
    "func.func @f(%p: !pto.ptr<f32>, %n: index) {\n"
    "  %v = pto.make_tensor_view %p, shape = [%n], strides = [%n] : !pto.tensor_view<?xf32>\n"
    "  return\n}\n";
static const char bare_text[] = "%d = tcolmin %s : !pto.tile<vec, 4x8xf32> -> "
                                "!pto.tile<vec, 1x8xf32>\n";

TEST(programs)
{
    SCOPED_PROGRAM *p = (struct sam_tile_program *)1;
    char *text = (char *)1, *messages = (char *)1;
    refuses(sam_tile_parse, NULL, "", 0, &p, &messages);
    assert_null(p);
    assert_null(messages);
    refuses(sam_tile_parse, "a", NULL, 1, &p, &messages);
    refuses(sam_tile_parse, "a", "", 0, NULL, &messages);
    refuses(sam_tile_parse, "a", "", 0, &p, NULL);
    sam_tile_program_free(NULL);
    p = test_parse("a", bare_text, sizeof bare_text - 1);
    const enum sam_tile_surface surfaces[] = {(enum sam_tile_surface)4,
                                              (enum sam_tile_surface) - 1};
    const enum sam_tile_profile profiles[] = {(enum sam_tile_profile)3,
                                              (enum sam_tile_profile) - 1};
    for (size_t i = 0; i < 2; i++) {
        refuses(sam_tile_print, p, surfaces[i], &text);
        assert_null(text);
        refuses(sam_tile_check, p, profiles[i], &messages);
        assert_null(messages);
        refuses(sam_tile_plan_text, p, profiles[i], &text);
        refuses(sam_tile_run, p, 0, NULL, 0, &(struct sam_tile_options){.profile = profiles[i]},
                NULL);
        assert_int_equal(sam_tile_capacity(profiles[i], SAM_TILE_vec), 0);
    }
    refuses(sam_tile_print, NULL, SAM_TILE_SSA, &text);
    refuses(sam_tile_print, p, SAM_TILE_SSA, NULL);
    refuses(sam_tile_check, NULL, SAM_TILE_A5, &messages);
    refuses(sam_tile_check, p, SAM_TILE_A5, NULL);
    refuses(sam_tile_check_in, p, SAM_TILE_A5, (enum sam_tile_dialect)2, &messages);
    refuses(sam_tile_plan_text, NULL, SAM_TILE_A5, &text);
    refuses(sam_tile_plan_text, p, SAM_TILE_A5, NULL);
    assert_int_equal(sam_tile_function_count(p), 1);
    assert_string_equal(sam_tile_function_name(p, SIZE_MAX), "");
    assert_int_equal(sam_tile_function_find(p, "nothing"), -1);
    assert_int_equal(sam_tile_argument_count(p, SIZE_MAX), 0);
    assert_string_equal(sam_tile_argument_name(p, SIZE_MAX, 0), "");
    assert_string_equal(sam_tile_argument_name(p, 0, SIZE_MAX), "");
    size_t argument;
    uint32_t line;
    assert_false(sam_tile_stored_input(NULL, 0, NULL, 0, &argument, &line));
    assert_false(sam_tile_stored_input(p, SIZE_MAX, NULL, 0, &argument, &line));
    assert_true(sam_tile_equal(p, p));
}

TEST(names)
{
    for (int i = -1; i <= 64; i += 65) {
        assert_string_equal(sam_tile_dtype_name((enum sam_dtype)i), "?");
        assert_string_equal(sam_tile_loc_name((enum sam_tile_loc)i), "?");
        assert_string_equal(sam_tile_pipe_name((enum sam_tile_pipe)i), "?");
        assert_int_equal(sam_tile_capacity(SAM_TILE_A5, (enum sam_tile_loc)i), 0);
        float to = 7, from = 1;
        sam_tile_fold_columns((enum sam_dtype)i, false, SAM_TILE_NAN_NUMBER, false, &to, &from, 1,
                              1, 1);
        sam_tile_fold_columns(SAM_TILE_f32, false, (enum sam_tile_nan)i, false, &to, &from, 1, 1,
                              1);
        sam_tile_fold_columns(SAM_TILE_f32, false, SAM_TILE_NAN_NUMBER, false, &to, &from, 0, 1, 1);
        assert_true(to == 7);
    }
    for (int i = 0; i < SAM_DTYPES; i++) { /* all element types, also those that tiles lack */
        char bytes[16] = {0}, out[16];
        sam_tile_fold_columns((enum sam_dtype)i, true, SAM_TILE_NAN_FIRST, false, out, bytes, 2, 1,
                              1);
        sam_tile_fold_columns((enum sam_dtype)i, true, SAM_TILE_NAN_FIRST, true, out, bytes, 2, 1,
                              1);
        assert_string_equal(sam_tile_dtype_name(SAM_OPAQUE), "?");
    }
    enum sam_tile_profile profile;
    struct sam_tile_op_text text;
    assert_false(sam_tile_profile_parse("", &profile) || sam_tile_profile_parse("a", &profile));
    assert_false(sam_tile_op_describe(SAM_TILE_OPS, &text) ||
                 sam_tile_op_describe(SIZE_MAX, &text));
}

/* Run the bare program on an array; it takes a tile of 4x8 floats. */
static enum sam_status run_array(const struct sam_tile_program *p, struct sam_array *array,
                                 const struct sam_tile_options *options)
{
    const struct sam_tile_argument argument = {.array = array};
    refusal.text[0] = '\0';
    return sam_tile_run(p, 0, &argument, 1, options, NULL, &refusal);
}

TEST(runs)
{
    float data[32] = {0};
    const struct sam_array good = {SAM_F32, 2, {4, 8}, 32, sizeof data, data};
    SCOPED_PROGRAM *p = test_parse("a", bare_text, sizeof bare_text - 1);
    struct sam_array a = good;
    assert_int_equal(run_array(p, &a, NULL), SAM_OK);
    refuses(sam_tile_run, NULL, 0, NULL, 0, NULL, NULL);
    refuses(sam_tile_run, p, 1, NULL, 0, NULL, NULL);
    refuses(sam_tile_run, p, SIZE_MAX, NULL, 0, NULL, NULL);
    refuses(sam_tile_run, p, 0, NULL, 1, NULL, NULL);
    const struct sam_tile_options options[] = {
        {.nan = (enum sam_tile_nan)3},
        {.nan = (enum sam_tile_nan) - 1},
        {.outside = (enum sam_tile_outside)2},
        {.outside = (enum sam_tile_outside) - 1},
        {.size = sizeof options[0], .sum_order = (enum sam_tile_sum_order)2},
        {.size = 5}};
    for (size_t i = 0; i < SAM_COUNT(options); i++) {
        struct sam_tile_core *core = (struct sam_tile_core *)1;
        assert_int_equal(run_array(p, &a, &options[i]), SAM_ERR_USAGE);
        refuses(sam_tile_core_new, &options[i], &core);
    }
    /* arrays that contradict their description */
    for (unsigned i = 0; i < 8; i++) {
        a = good;
        switch (i) {
        case 0: a.data = NULL; break;
        case 1: a.rank = 9; break;
        case 2: a.rank = SIZE_MAX; break;
        case 3: a.count = 31; break;
        case 4: a.shape[0] = UINT64_MAX; break;
        case 5: a.shape[0] = UINT64_C(1) << 61 | 4; break; /* 32 modulo 2^64 */
        case 6: a.count = SIZE_MAX; break;
        default: a.rank = 0; break;
        }
        assert_int_equal(run_array(p, &a, NULL), SAM_ERR_USAGE);
        assert_true(refusal.text[0]);
    }
    a = good;
    a.dtype = (enum sam_dtype) - 1;
    assert_int_equal(run_array(p, &a, NULL), SAM_ERR_INPUT);
}

/* Scalars of types that no integer has. */
TEST(scalars)
{
    const enum sam_dtype bad[] = {SAM_OPAQUE, SAM_F32, SAM_BF16,   SAM_E4M3,
                                  SAM_E2M1,   SAM_I4,  SAM_DTYPES, (enum sam_dtype) - 1};
    float data[4] = {0};
    struct sam_array array = {SAM_F32, 1, {4}, 4, sizeof data, data};
    SCOPED_PROGRAM *p = test_parse("a", program_text, sizeof program_text - 1);
    struct sam_tile_argument arguments[] = {{.array = &array},
                                            {.is_scalar = true, .dtype = SAM_I32, .bits = 4}};
    must(sam_tile_run(p, 0, arguments, 2, NULL, NULL, &refusal), &refusal);
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        arguments[1].dtype = bad[i];
        assert_int_equal(sam_tile_run(p, 0, arguments, 2, NULL, NULL, NULL), SAM_ERR_INPUT);
    }
    arguments[1] = (struct sam_tile_argument){0};
    assert_int_equal(sam_tile_run(p, 0, arguments, 2, NULL, NULL, NULL), SAM_ERR_INPUT);
}

TEST(cores)
{
    struct sam_tile_core *core;
    float values[256] = {0};
    refuses(sam_tile_core_new, NULL, NULL);
    assert_int_equal(sam_tile_core_new(NULL, &core, NULL), SAM_OK);
    struct sam_tile tile = SAM_TILE(vec, f32, 16, 16), window = SAM_TILE(vec, f32, 1, 8);
    refuses(sam_tile_fill, NULL, &tile, values);
    refuses(sam_tile_fill, core, NULL, values);
    refuses(sam_tile_fill, core, &tile, NULL);
    refuses(sam_tile_place_on, NULL, &tile);
    refuses(sam_tile_place_on, core, NULL);
    refuses(sam_tile_read, NULL, values);
    refuses(sam_tile_read, &tile, NULL);
    refuses(sam_tsubview, NULL, &tile, 0, 0);
    refuses(sam_tsubview, &window, NULL, 0, 0);
    assert_int_equal(sam_tassign(NULL, 0), SAM_ERR_USAGE);
    assert_int_equal(sam_tassign(&tile, 1), SAM_ERR_USAGE);
    assert_int_equal(sam_tassign(&tile, UINT64_MAX), SAM_ERR_USAGE);
    sam_tile_release(NULL);
    sam_tile_release(&tile);
    for (unsigned i = 0; i < 17; i++) {
        struct sam_tile bad = SAM_TILE(vec, f32, 16, 16);
        switch (i) {
        case 0: bad.type.loc = SAM_TILE_LOCS; break;
        case 1: bad.type.loc = (enum sam_tile_loc) - 1; break;
        case 2: bad.type.dtype = SAM_DTYPES; break;
        case 3: bad.type.dtype = (enum sam_dtype) - 1; break;
        case 4: bad.type.blayout = SAM_TILE_none_box; break;
        case 5: bad.type.blayout = (enum sam_tile_layout) - 1; break;
        case 6: bad.type.slayout = (enum sam_tile_layout)3; break;
        case 7: bad.type.fractal = 0; break;
        case 8: bad.type.pad = (enum sam_tile_pad)4; break;
        case 9: bad.type.rows = 0; break;
        case 10: bad.type.valid_rows = 17; break;
        case 11: bad.type.valid_cols = INT64_MIN; break;
        case 12: bad.type.valid_cols = SAM_TILE_DYNAMIC; break;
        case 13: bad.type.rows = bad.type.cols = UINT32_MAX; break;
        case 14: bad.type.dtype = SAM_OPAQUE; break;
        case 15: bad.type.dtype = SAM_E2M1; break;
        default: bad.type.dtype = SAM_BOOL; break;
        }
        enum sam_status status = sam_tile_fill(core, &bad, values, &refusal);
        if (status != SAM_ERR_USAGE && !(status == SAM_ERR_TRAP && i == 13))
            fail_msg("type %u is not refused: %d", i, status);
        status = sam_tile_place_on(core, &bad, NULL);
        assert_true(status == SAM_ERR_USAGE || (status == SAM_ERR_TRAP && i == 13));
        assert_int_equal(sam_tcolmin(&window, &bad).status, SAM_ERR_TRAP); /* it has no address */
        sam_tile_release(&bad);
    }
    must(sam_tile_fill(core, &tile, values, &refusal), &refusal);
    refuses(sam_tsubview, &window, &tile, UINT32_MAX, 0);
    refuses(sam_tsubview, &window, &tile, 0, UINT32_MAX);
    refuses(sam_tsubview, &window, &tile, 0, 1);
    struct sam_tile other = tile; /* another type after its placement */
    other.type.dtype = (enum sam_dtype) - 1;
    refuses(sam_tile_read, &other, values);
    other.type.dtype = SAM_TILE_f32;
    other.type.rows = UINT32_MAX;
    refuses(sam_tile_read, &other, values);
    struct sam_tile_stats stats;
    sam_tile_core_stats(core, &stats);
    sam_tile_core_free(core);
    sam_tile_core_free(NULL);
}

TEST(calls)
{
    SCOPED_CORE *core = test_core(NULL);
    float values[256] = {0};
    struct sam_tile a = SAM_TILE(vec, f32, 16, 16), d = SAM_TILE(vec, f32, 16, 16);
    struct sam_tile *const sources[] = {&a, NULL}, *const many[] = {&a, &a, &a, &a, &a, &a, NULL};
    const enum sam_tile_opcode ops[] = {SAM_TILE_OPS, (enum sam_tile_opcode) - 1};
    must(sam_tile_fill(core, &a, values, &refusal), &refusal);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(sam_tile_call(ops[i], &d, sources, 0, 0, NULL).status, SAM_ERR_USAGE);
    assert_int_equal(sam_tile_apply(NULL, &d, sources, 0, 0, NULL).status, SAM_ERR_USAGE);
    assert_int_equal(sam_tile_apply("", &d, sources, 0, 0, NULL).status, SAM_ERR_USAGE);
    for (unsigned op = 0; op < SAM_TILE_OPS; op++) {
        const enum sam_tile_opcode code = (enum sam_tile_opcode)op;
        assert_int_equal(sam_tile_call(code, NULL, NULL, NAN, UINT32_MAX, NULL).status,
                         SAM_ERR_USAGE);
        assert_int_equal(sam_tile_call(code, NULL, sources, 0, 0, NULL).status, SAM_ERR_USAGE);
        assert_int_equal(sam_tile_call(code, &d, many, 0, 0, NULL).status, SAM_ERR_USAGE);
        assert_int_equal(sam_tile_call_numbers(code, NULL, NULL, NULL, 4, 0, NULL).status,
                         SAM_ERR_USAGE);
        /* whatever the message, it neither crashes nor blocks */
        struct sam_tile fresh = SAM_TILE(vec, f32, 16, 16);
        sam_tile_call(code, &fresh, sources, INFINITY, UINT32_MAX, NULL);
        sam_tile_release(&fresh);
    }
    const double numbers[] = {1, 0.5, 3};
    const enum sam_tile_opcode peer = SAM_TILE_OP_GMOV, quant = SAM_TILE_OP_TQUANT;
    assert_int_equal(sam_tile_call_numbers(ops[0], &d, sources, numbers, 1, 0, NULL).status,
                     SAM_ERR_USAGE);
    assert_string_equal(sam_tile_call_numbers(peer, &d, sources, numbers, 2, 0, NULL).text,
                        "gmov takes 1 numbers, found 2");
    assert_string_equal(sam_tile_call_numbers(peer, &d, sources, numbers + 1, 1, 0, NULL).text,
                        "gmov: 0.5 is no index");
    assert_int_equal(sam_tile_call_numbers(peer, &d, sources, NULL, 1, 0, NULL).status,
                     SAM_ERR_USAGE);
    assert_string_equal(sam_tile_call(quant, &d, sources, 1, 0, NULL).text,
                        "tquant takes operands of another kind: use sam_tquant");
    assert_int_equal(sam_tile_apply_at(NULL, &d, &a, 0, 0, NULL).status, SAM_ERR_USAGE);
    assert_int_equal(sam_tile_apply_at("textract", NULL, &a, 0, 0, NULL).status, SAM_ERR_USAGE);
    assert_int_equal(sam_tile_apply_at("textract", &d, NULL, 0, 0, NULL).status, SAM_ERR_USAGE);
    assert_true(sam_tile_apply_at("textract", &d, &a, INT64_MAX, INT64_MIN, NULL).status != SAM_OK);
    assert_true(sam_tile_apply_at("tinsert", &a, &a, INT64_MIN, INT64_MAX, NULL).status != SAM_OK);
    assert_int_equal(sam_tile_sync(NULL, NULL).status, SAM_ERR_USAGE);
    assert_int_equal(sam_tile_sync(core, NULL).status, SAM_OK);
    const struct sam_tile_view good = {values, 256, SAM_TILE_f32, 2, 0, {16, 16}, {16, 1}};
    assert_int_equal(sam_tile_apply_view(true, &a, NULL, NULL).status, SAM_ERR_USAGE);
    assert_int_equal(sam_tile_apply_view(true, NULL, &good, NULL).status, SAM_ERR_USAGE);
    assert_int_equal(sam_tile_apply_view(false, NULL, &good, NULL).status, SAM_ERR_USAGE);
    assert_int_equal(sam_tile_apply_view(true, &a, &good, NULL).status, SAM_OK);
    for (unsigned op = 0; op <= SAM_TILE_OPS; op++) {
        const enum sam_tile_opcode code = (enum sam_tile_opcode)op;
        assert_int_equal(sam_tile_call_view(code, &d, sources, NULL, NULL).status, SAM_ERR_USAGE);
        assert_int_equal(sam_tile_call_view(code, NULL, NULL, &good, NULL).status, SAM_ERR_USAGE);
        assert_int_equal(sam_tile_call_view(code, &d, many, &good, NULL).status, SAM_ERR_USAGE);
    }
    for (unsigned i = 0; i < 12; i++) {
        struct sam_tile_view bad = good;
        switch (i) {
        case 0: bad.data = NULL; break;
        case 1: bad.count = UINT64_MAX; break;
        case 2: bad.dtype = SAM_DTYPES; break;
        case 3: bad.dtype = (enum sam_dtype) - 1; break;
        case 4: bad.rank = 0; break;
        case 5: bad.rank = UINT32_MAX; break;
        case 6: bad.offset = INT64_MIN; break;
        case 7: bad.shape[0] = INT64_MAX; break;
        case 8: bad.shape[1] = -1; break;
        case 9: bad.dtype = SAM_OPAQUE; break;
        case 10: bad.dtype = SAM_E3M0; break;
        default: bad.strides[0] = INT64_MIN; break;
        }
        for (int load = 0; load < 2; load++)
            assert_int_equal(sam_tile_apply_view(load, &a, &bad, NULL).status, SAM_ERR_USAGE);
    }
}
