/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that fail at run time, loops and conditions, windows, run-time events. */
#include "tile/tile_test.h"

#define T "!pto.tile_buf<vec, 8x8xf32>"
#define V "!pto.tensor_view<?x?xf32>"
#define W "!pto.partition_tensor_view<8x8xf32>"
#define HEAD                                                                                       \
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"                             \
    "%c2 = arith.constant 2 : index\n%c8 = arith.constant 8 : index\n"                             \
    "%c16 = arith.constant 16 : index\n"

static float data[256];
static struct sam_array array = {SAM_F32, 1, {256}, 256, sizeof data, data};

/* Run with the array as %x and 5 as %n; returns the status, with the text in `error`. */
static enum sam_status run(const char *text, struct sam_tile_options options,
                           struct sam_error *error)
{
    SCOPED_PROGRAM *p = test_parse("t", text, strlen(text));
    struct sam_tile_argument all[] = {
        {.array = &array, .name = "x"},
        {.is_scalar = true, .dtype = SAM_I64, .bits = 5, .name = "n"}};
    struct sam_tile_argument given[2];
    size_t count = 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < sam_tile_argument_count(p, 0); k++)
            if (strcmp(sam_tile_argument_name(p, 0, k), all[i].name) == 0)
                given[count++] = all[i];
    error->text[0] = '\0';
    enum sam_status status = sam_tile_run(p, 0, given, count, &options, NULL, error);
    return status;
}

static void trap(const char *text, const char *expected)
{
    struct sam_error error;
    enum sam_status status = run(text, (struct sam_tile_options){.max_ops = 1000}, &error);
    if (status != SAM_ERR_TRAP || strcmp(error.text, expected) != 0)
        fail_msg("status %d: '%s', expected '%s'", status, error.text, expected);
}

#define VIEW "%v = pto.make_tensor_view %x, shape = [%c16, %c16], strides = [%c16, %c1] : " V "\n"

TEST(test_bounds)
{
    trap(HEAD VIEW "%p = pto.partition_view %v, offsets = [%c0, %c16], sizes = [%c8, %c8] : " V
                   " -> " W "\n",
         "t:7:6: the partition is 16..24 of dimension 1: %v has 16");
    trap(HEAD "%v = pto.make_tensor_view %x, shape = [%c16, %c16], strides = [%c16, %c16] : " V
              "\n%p = pto.partition_view %v, offsets = [%c8, %c8], sizes = [%c8, %c8] : " V " -> " W
              "\n%t = pto.tload %p : " W " -> " T "\n",
         "t:8:6: tload t[0,0]: element 256 of x, which has 256");
    trap(HEAD "%v = pto.make_tensor_view %x, shape = [%c16, %c16], strides = [%c8, %c16] : " V
              "\n%p = pto.partition_view %v, offsets = [%c8, %c8], sizes = [%c8, %c8] : " V " -> " W
              "\n%t = pto.tload %p : " W " -> " T "\n",
         "t:8:6: tload t[0,4]: element 256 of x, which has 256");
    trap(HEAD "%t = pto.alloc_tile valid_row = %c16 : !pto.tile<vec, 8x8xf32, valid=?x8>\n",
         "t:6:6: 16 valid rows in a tile of 8");
    trap(HEAD "%far = arith.constant 2147483646 : index\n%all = arith.constant 2147483647 : index\n"
              "%step = arith.constant 1099511627776 : index\n"
              "%v = pto.make_tensor_view %x, shape = [%all, %c16], strides = [%step, %c1] : " V
              "\n",
         "t:9:6: stride 0 of the view is 1099511627776");
}

TEST(test_values)
{
    trap(HEAD "%a = arith.divsi %c1, %c0 : index\n", "t:6:6: arith.divsi: division by zero");
    trap(HEAD "%s = arith.constant 0 : i32\n%a = texpands %s : i32 -> !pto.tile<vec, 1x8xi32>\n"
              "%b = tdiv %a, %a : !pto.tile<vec, 1x8xi32>, !pto.tile<vec, 1x8xi32> -> "
              "!pto.tile<vec, 1x8xi32>\n",
         "t:8:6: tdiv divides by zero for b[0,0]");
    trap(HEAD "scf.for %i = %c0 to %c8 step %c0 {\n}\n",
         "t:6:1: scf.for steps by 0; expected 1 or more");
    trap(HEAD "%big = arith.constant 9223372036854775807 : index\n"
              "scf.for %i = %c0 to %big step %c1 {\n}\n",
         "t:7:1: stopped after 1000 operations (max_ops)");
}

/* Initialised elements of a tile are tracked individually. */
TEST(test_unwritten_part)
{
    trap(HEAD VIEW
         "%p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c2, %c8] : " V
         " -> !pto.partition_tensor_view<2x8xf32>\n"
         "%t = pto.alloc_tile valid_row = %c2 valid_col = %c8 : !pto.tile<vec, 8x8xf32, "
         "valid=?x?>\n"
         "tload ins(%p : !pto.partition_tensor_view<2x8xf32>) outs(%t : !pto.tile<vec, 8x8xf32, "
         "valid=?x?>)\n"
         "pto.set_validshape %t, %c8, %c8 : !pto.tile<vec, 8x8xf32, valid=?x?>\n"
         "%d = tcolmin %t : !pto.tile<vec, 8x8xf32, valid=?x?> -> !pto.tile<vec, 1x8xf32>\n",
         "t:11:6: tcolmin reads t[2,0] before it is written");
}

/* A tile without valid elements is read without being written: the source of a reduction that
 * writes nothing, and the scales of factors that have none. */
TEST(test_nothing_to_read)
{
    struct sam_error error;
    static const char *const texts[] = {
        HEAD "%s = pto.alloc_tile : !pto.tile<vec, 8x8xf32, valid=0x8>\n"
             "%d = tcolmin %s : !pto.tile<vec, 8x8xf32, valid=0x8> -> !pto.tile<vec, 1x8xf32>\n",
        HEAD "%s = pto.alloc_tile : !pto.tile<vec, 8x8xf32, valid=8x0>\n"
             "%d = tadd %s, %s : !pto.tile<vec, 8x8xf32, valid=8x0>, "
             "!pto.tile<vec, 8x8xf32, valid=8x0> -> !pto.tile<vec, 8x8xf32, valid=8x0>\n",
        "func.func @f() {\n"
        "%s = pto.alloc_tile : !pto.tile<mat, 1x32xe8m0, valid=0x1>\n"
        "%a = pto.alloc_tile : !pto.tile<left, 1x32xf16, valid=0x8>\n"
        "%b = pto.alloc_tile : !pto.tile<right, 8x16xf16, valid=8x0>\n"
        "%t = pto.alloc_tile : !pto.tile<mat, 1x32xe8m0, valid=0x0>\n"
        "%d = tmatmul_mx %a, %s, %b, %t : !pto.tile<left, 1x32xf16, valid=0x8>, "
        "!pto.tile<mat, 1x32xe8m0, valid=0x1>, !pto.tile<right, 8x16xf16, valid=8x0>, "
        "!pto.tile<mat, 1x32xe8m0, valid=0x0> -> !pto.tile<acc, 1x8xf32, valid=0x0>\nreturn\n}\n",
    };
    for (size_t i = 0; i < SAM_COUNT(texts); i++)
        if (run(texts[i], (struct sam_tile_options){0}, &error) != SAM_OK)
            fail_msg("%zu: %s", i, error.text);
}

/* A run-time shape is checked at run time. */
TEST(test_late_shape)
{
    trap(HEAD "%s = arith.constant 1.0 : f32\n"
              "%a = texpands %s : f32 -> " T "\n"
              "%d = pto.alloc_tile valid_col = %n : !pto.tile<vec, 1x8xf32, valid=1x?>\n"
              "tcolmin ins(%a : " T ") outs(%d : !pto.tile<vec, 1x8xf32, valid=1x?>)\n",
         "t:9:1: tcolmin: the destination has 5 valid columns: expected 8, as the source");
}

/* Computed addresses: waits and overlaps are detected at run time. */
TEST(test_computed_addresses)
{
    static const char text[] = HEAD VIEW
        "%p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c8, %c8] : " V " -> " W "\n"
        "%far = arith.constant 4096 : index\n"
        "%at = arith.muli %c16, %n : index\n%low = arith.muli %at, %c16 : index\n"
        "%t = pto.alloc_tile addr = %low : " T "\n"
        "%d = pto.alloc_tile addr = %far : !pto.tile<vec, 1x8xf32>\n"
        "pto.tload ins(%p : " W ") outs(%t : " T ")\n%s"
        "pto.tcolmin ins(%t : " T ") outs(%d : !pto.tile<vec, 1x8xf32>)\n";
    char with[2048], without[2048];
    struct sam_error error;
    /* The text contains percent signs: the wait is inserted by hand. */
    const char *hole = strstr(text, "\n%s") + 1;
    snprintf(with, sizeof with, "%.*s%s%s", (int)(hole - text), text,
             "%e = record_event tload\nwait_event %e\n", hole + 2);
    snprintf(without, sizeof without, "%.*s%s", (int)(hole - text), text, hole + 2);
    assert_int_equal(run(with, (struct sam_tile_options){0}, &error), SAM_OK);
    trap(without, "t:14:1: tcolmin reads t without waiting for the tload pipe, which may still "
                  "write it");
}

/* A tile made from a window by tassign is separate: its rows are contiguous. */
TEST(test_window_elsewhere)
{
    static const char text[] =
        "%zero = arith.constant 0 : i64\n%end = arith.constant 261888 : i64\n"
        "%to = arith.constant 4096 : i64\n%c = arith.constant 7 : i32\n" HEAD
        "%a = pto.alloc_tile addr = %zero : !pto.tile<vec, 8x64xi32>\n"
        "%w = pto.subset %a, offsets = [%c0, %c8] : !pto.tile<vec, 8x64xi32> -> "
        "!pto.tile<vec, 8x8xi32>\n"
        "%t = pto.tassign %w, %end : !pto.tile<vec, 8x8xi32> -> !pto.tile<vec, 8x8xi32>\n"
        "%d = pto.alloc_tile addr = %to : !pto.tile<vec, 8x8xi32>\n"
        "pto.tci ins(%c : i32) outs(%t : !pto.tile<vec, 8x8xi32>)\n"
        "pto.tmov ins(%t : !pto.tile<vec, 8x8xi32>) outs(%d : !pto.tile<vec, 8x8xi32>)\n";
    SCOPED_PROGRAM *p = test_parse("t", text, sizeof text - 1);
    int32_t got[64];
    struct sam_array out = {SAM_I32, 1, {64}, 64, sizeof got, got};
    struct sam_tile_argument argument = {.array = &out, .name = "d", .output = true};
    struct sam_tile_options options = {.profile = SAM_TILE_A5};
    struct sam_tile_stats stats;
    succeeds(sam_tile_run, p, 0, &argument, 1, &options, &stats);
    for (int i = 0; i < 64; i++)
        assert_int_equal(got[i], 7 + i);
    assert_int_equal(stats.highest[SAM_TILE_vec], 256 * 1024);
}

/* Loops carry values, conditions yield them; the counts are exact. */
TEST(test_control)
{
    static const char text[] =
        HEAD "%sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {\n"
             "  %even = arith.remsi %i, %c2 : index\n"
             "  %is = arith.cmpi eq, %even, %c0 : index\n"
             "  %d = scf.if %is -> (index) {\n    scf.yield %i : index\n  } else {\n"
             "    scf.yield %c16 : index\n  }\n"
             "  %b = arith.addi %a, %d : index\n  scf.yield %b : index\n}\n"
             "%w = arith.index_cast %sum : index to i32\n"
             "%t = tci %w : i32 -> !pto.tile<vec, 1x8xi32>\n";
    SCOPED_PROGRAM *p = test_parse("t", text, sizeof text - 1);
    int32_t got[8];
    struct sam_array out = {SAM_I32, 1, {8}, 8, sizeof got, got};
    struct sam_tile_argument arguments[] = {{.is_scalar = true, .dtype = SAM_I64, .bits = 5},
                                            {.array = &out, .name = "t", .output = true}};
    struct sam_tile_stats stats;
    succeeds(sam_tile_run, p, 0, arguments, 2, NULL, &stats);
    for (int i = 0; i < 8; i++)
        assert_int_equal(got[i], 0 + 16 + 2 + 16 + 4 + i);
    assert_int_equal(stats.ops, 5 + 1 + 5 * (5 + 1) + 3);
}

/* Run a program whose output is the value `name`; returns the message, or "" on success. */
static const char *output_of(const struct sam_tile_program *p, const char *name,
                             struct sam_array *out)
{
    static struct sam_error error;
    struct sam_tile_argument argument = {.array = out, .name = name, .output = true};
    struct sam_tile_options options = {.profile = SAM_TILE_A5};
    return sam_tile_run(p, 0, &argument, 1, &options, NULL, &error) == SAM_OK ? "" : error.text;
}

/* The allocator reuses the bytes of a dead tile; their contents are gone. */
TEST(test_reuse)
{
    static const char text[] =
        "%c = arith.constant 1.0 : f32\n"
        "%a = texpands %c : f32 -> !pto.tile<vec, 128x256xf32>\n"
        "%b = tcolsum %a : !pto.tile<vec, 128x256xf32> -> !pto.tile<vec, 1x256xf32>\n"
        "%d = texpands %c : f32 -> !pto.tile<vec, 192x256xf32>\n"
        "%e = tcolsum %d : !pto.tile<vec, 192x256xf32> -> !pto.tile<vec, 1x256xf32>\n"
        "%f = tadd %b, %e : !pto.tile<vec, 1x256xf32>, !pto.tile<vec, 1x256xf32> -> "
        "!pto.tile<vec, 1x256xf32>\n";
    SCOPED_PROGRAM *p = test_parse("t", text, sizeof text - 1);
    FREED char *plan = NULL;
    float got[256];
    struct sam_array out = {SAM_F32, 1, {256}, 256, sizeof got, got};
    assert_string_equal(output_of(p, "f", &out), "");
    for (int i = 0; i < 256; i++)
        assert_true(got[i] == 320);
    assert_int_equal(sam_tile_plan_text(p, SAM_TILE_A5, &plan, NULL), SAM_OK);
    assert_non_null(strstr(plan, "lines 2..3  %a"));
}

/* An output keeps its contents, although the program no longer reads it; lack of room for it is
 * reported. */
TEST(test_kept_outputs)
{
    static const char text[] = "%f = arith.constant 1.0 : f32\n%g = arith.constant 2.0 : f32\n"
                               "%a = texpands %f : f32 -> !pto.tile<vec, 160x256xf32>\n"
                               "%w = texpands %f : f32 -> !pto.tile<vec, 1x8xf32>\n"
                               "%d = texpands %g : f32 -> !pto.tile<vec, 1x8xf32>\n"
                               "%e = texpands %g : f32 -> !pto.tile<vec, 160x256xf32>\n";
    SCOPED_PROGRAM *p = test_parse("t", text, sizeof text - 1);
    static float got[160 * 256];
    struct sam_array out = {SAM_F32, 1, {8}, 8, 8 * sizeof *got, got};
    assert_string_equal(output_of(p, "w", &out), "");
    for (int i = 0; i < 8; i++)
        assert_true(got[i] == 1);
    out.shape[0] = out.count = SAM_COUNT(got);
    out.size = sizeof got;
    const char *message = output_of(p, "a", &out);
    if (!strstr(message, "needs"))
        fail_msg("%s", message);
}

/* As values: events order the pipes; a failed operation stops those that wait for it. */
TEST(test_values_and_events)
{
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile a = SAM_TILE(vec, f32, 8, 8), b = SAM_TILE(vec, f32, 1, 8);
    struct sam_tile l = SAM_TILE(left, f32, 8, 8), wrong = SAM_TILE(vec, f32, 1, 16);
    float values[64] = {0};
    assert_int_equal(sam_tassign(&a, 16), SAM_ERR_USAGE);
    assert_int_equal(sam_tassign(&a, 0), SAM_OK);
    assert_int_equal(sam_tassign(&b, 256), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &a, values, NULL), SAM_OK);
    struct sam_event first = sam_tcolmin(&b, &a), bad = sam_tcolmin(&wrong, &a);
    assert_int_equal(first.status, SAM_OK);
    assert_non_null(strstr(bad.text, "have an assigned address, or none"));
    struct sam_event late = sam_tcolmin(&b, &a, &first, &bad);
    assert_string_equal(late.text, bad.text);
    assert_int_equal(sam_tcolmin(&b, &a, &first).status, SAM_OK);
    assert_int_equal(sam_tassign(&l, 0), SAM_OK);
    assert_non_null(strstr(sam_tmatmul(&l, &a, &b).text, "tmatmul"));
    assert_int_equal(sam_tile_apply("tadd", &b, (struct sam_tile *const[]){&a, NULL}, 0, 0,
                                    (const struct sam_event *const[]){NULL})
                         .status,
                     SAM_ERR_USAGE);
    struct sam_tile *const one[] = {&a, NULL};
    const struct sam_event *const none[] = {NULL};
    assert_string_equal(sam_tile_apply("tcolmean", &b, one, 0, 0, none).text,
                        "unknown operation 'tcolmean'");
    assert_int_equal(sam_tile_call((enum sam_tile_opcode)SAM_TILE_OPS, &b, one, 0, 0, none).status,
                     SAM_ERR_USAGE);
    assert_int_equal(sam_tile_call(SAM_TILE_OP_TLOAD, &b, one, 0, 0, none).status, SAM_ERR_USAGE);
    assert_int_equal(sam_tile_call(SAM_TILE_OP_TCOLMAX, &b, one, 0, 0, none).status, SAM_OK);
}

/* Scalars of non-integer types, of 4 bits, or of no type. */
TEST(test_scalar_types)
{
    static const char text[] =
        "func.func @f(%p: !pto.ptr<f32>, %n: index) {\n"
        "  %v = pto.make_tensor_view %p, shape = [%n], strides = [%n] : !pto.tensor_view<?xf32>\n"
        "  return\n}\n";
    const enum sam_dtype bad[] = {SAM_OPAQUE, SAM_F32,    SAM_E2M1,
                                  SAM_I4,     SAM_DTYPES, (enum sam_dtype) - 1};
    SCOPED_PROGRAM *p = test_parse("a", text, sizeof text - 1);
    struct sam_tile_argument arguments[] = {{.array = &array},
                                            {.is_scalar = true, .dtype = SAM_I32, .bits = 4}};
    assert_int_equal(sam_tile_run(p, 0, arguments, 2, NULL, NULL, NULL), SAM_OK);
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        arguments[1].dtype = bad[i];
        assert_int_equal(sam_tile_run(p, 0, arguments, 2, NULL, NULL, NULL), SAM_ERR_INPUT);
    }
}
