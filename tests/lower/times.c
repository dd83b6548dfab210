/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes and operations with timing: those of kernels/tile/, and the sources of events. */
#include "lower/tile_programs.h"
#include "lower/timed.h"

TEST(test_programs)
{
    const uint64_t seed = test_seed();
    const char *only = getenv("SAMITE_PROGRAM");
    struct lowered x;
    for (size_t i = 0; tile_program_open(i, seed + i, &x); i++) {
        struct timed t;
        if (!only || strcmp(only, x.name) == 0) {
            timed_run(&x, &t);
            timed_free(&t);
        }
        tile_program_close(&x);
    }
}

TEST(test_double_buffer)
{
    SCOPED(sam_buffer) expected = {0};
    struct lowered x;
    SCOPED(timed) t;
    size_t i = 0;
    while (tile_program_open(i++, test_seed(), &x) && strcmp(x.name, "double_buffer") != 0)
        tile_program_close(&x);
    timed_run(&x, &t);
    for (unsigned k = 0; k < 4; k++)
        sam_buffer_printf(&expected,
                          "tload 27 -> tcolmin 32\ntload 29 -> tcolmin 35\ntmin 36 -> %s\n",
                          k < 3 ? "tload 27" : "tstore 41");
    SCOPED(sam_buffer) arrows = timed_arrows(&t);
    assert_string_equal(sam_buffer_text(&arrows), sam_buffer_text(&expected));
    tile_program_close(&x);
}

#define HEAD                                                                                       \
    "func.func @f(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>, %n: index) {\n" INDEX(0) INDEX(1)       \
        INDEX(8) INDEX(16) BY_ROWS("x", "in", 8, 16) BY_ROWS("y", "out", 8, 16)                    \
            WINDOW_OF("p", "x", "c0", "c0", 8, 16) WINDOW_OF("q", "y", "c0", "c0", 8, 16)
#define P "!pto.partition_tensor_view<8x16xf32>"
#define T "!pto.tile_buf<vec, 8x16xf32>"
#define TAIL                                                                                       \
    "pto.tstore ins(%t : " T ") outs(%q : " P ")\n"                                                \
    "return\n}\n"

/* The body begins in line 10. */
static void expect_arrows(const char *text, uint64_t n, const char *expected)
{
    SCOPED(lowered) x = {.text = text, .seed = test_seed()};
    SCOPED(timed) t;
    lowered_random(&x, SAM_F32, 8, 16);
    lowered_array(&x, SAM_F32, 8, 16);
    lowered_scalar(&x, SAM_I64, n);
    timed_run(&x, &t);
    SCOPED(sam_buffer) arrows = timed_arrows(&t);
    assert_string_equal(sam_buffer_text(&arrows), expected);
}

/* An event carried by a loop: each iteration waits for the previous one. */
TEST(test_loop)
{
    static const char text[] =
        HEAD "%t = pto.tload %p : " P " -> " T "\n"
             "%e = pto.record_event <tload>\n"
             "%last, %first = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e, %b = %e) -> "
             "(!pto.event, !pto.event) {\n"
             "pto.wait_event %a\n"
             "pto.tabs ins(%t : " T ") outs(%t : " T ")\n"
             "%v = pto.record_event <vector>\n"
             "scf.yield %v, %b : !pto.event, !pto.event\n"
             "}\n"
             "pto.wait_event %last, %first\n" TAIL;
    expect_arrows(text, 3,
                  "tload 10 -> tabs 14\ntabs 14 -> tabs 14\ntabs 14 -> tabs 14\n"
                  "tabs 14 -> tstore 19\ntload 10 -> tstore 19\n");
    expect_arrows(text, 1, "tload 10 -> tabs 14\ntabs 14 -> tstore 19\ntload 10 -> tstore 19\n");
    expect_arrows(text, 0, "tload 10 -> tstore 19\ntload 10 -> tstore 19\n");
}

/* Two that are swapped, so that all are read before any is written. */
TEST(test_swap)
{
    static const char text[] =
        HEAD "%t = pto.tload %p : " P " -> " T "\n"
             "%e = pto.record_event <tload>\n"
             "pto.tabs ins(%t : " T ") outs(%t : " T ")\n"
             "%v = pto.record_event <vector>\n"
             "%o, %u = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e, %b = %v) -> "
             "(!pto.event, !pto.event) {\n"
             "scf.yield %b, %a : !pto.event, !pto.event\n"
             "}\n"
             "pto.wait_event %o\n" TAIL;
    expect_arrows(text, 4, "tload 10 -> tstore 18\n");
    expect_arrows(text, 5, "tabs 12 -> tstore 18\n");
}

/* An event from the branch that was taken, also if the other one ends without code. */
TEST(test_branch)
{
    static const char text[] = HEAD "%t = pto.tload %p : " P " -> " T "\n"
                                    "%e = pto.record_event <tload>\n"
                                    "%b = arith.cmpi slt, %n, %c8 : index\n"
                                    "%w = scf.if %b -> (!pto.event) {\n"
                                    "pto.tabs ins(%t : " T ") outs(%t : " T ")\n"
                                    "%v = pto.record_event <vector>\n"
                                    "scf.yield %v : !pto.event\n"
                                    "} else {\n"
                                    "scf.yield %e : !pto.event\n"
                                    "}\n"
                                    "pto.wait_event %w\n" TAIL;
    expect_arrows(text, 7, "tabs 14 -> tstore 21\n");
    expect_arrows(text, 8, "tload 10 -> tstore 21\n");
}

/* An idle pipe; a wait that nothing follows; operations without elements. */
TEST(test_nothing)
{
    static const char text[] =
        HEAD "%z = pto.alloc_tile valid_row = %c0 valid_col = %c0 : "
             "!pto.tile_buf<vec, 8x16xf32, valid=?x?>\n"
             "%e = pto.record_event <matrix>\n"
             "pto.wait_event %e\n"
             "%t = pto.tload %p : " P " -> " T "\n"
             "%b = arith.cmpi slt, %n, %c8 : index\n"
             "scf.if %b {\n"
             "pto.tabs ins(%t : " T ") outs(%t : " T ")\n"
             "} else {\n"
             "%r = pto.partition_view %x, offsets = [%c0, %c0], sizes = [%c0, %c0] : "
             "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<0x0xf32>\n"
             "pto.tload ins(%r : !pto.partition_tensor_view<0x0xf32>) outs(%z : "
             "!pto.tile_buf<vec, 8x16xf32, valid=?x?>)\n"
             "}\n" TAIL;
    expect_arrows(text, 7, "");
    expect_arrows(text, 8, "");
    expect_arrows(HEAD "%t = pto.tload %p : " P " -> " T "\n"
                       "pto.tstore ins(%t : " T ") outs(%q : " P ")\n"
                       "%e = pto.record_event <tstore>\n"
                       "pto.wait_event %e\nreturn\n}\n",
                  0, "");
}

/* A hart that polls for the first of two launches is waiting, not busy with the store after
 * them. Figures are those of one program. */
TEST(test_polls)
{
    static const char text[] =
        HEAD "%t = pto.tload %p : " P " -> " T "\n"
             "%u = pto.tload %p : " P " -> " T "\n"
             "pto.texp ins(%t : " T ") outs(%t : " T ")\n"
             "%w = pto.tcolsum %u : " T " -> !pto.tile_buf<vec, 1x16xf32>\n" TAIL;
    static const char other[] = HEAD "%t = pto.tload %p : " P " -> " T "\n" TAIL;
    SCOPED(lowered) x = {.text = text, .seed = test_seed()}, y;
    SCOPED(timed) t;
    struct sam_error error;
    char *told;
    for (size_t i = 0; i < 2; i++) {
        float *data = lowered_array(&x, SAM_F32, 8, 16)->data;
        data[0] = (float)i;
    }
    lowered_scalar(&x, SAM_I64, 0);
    timed_run(&x, &t);
    const struct sam_system_figures *f = t.figures;
    const uint64_t *store = f->pipes[SAM_TILE_PIPE_STORE].cycles;
    assert_true(strstr(sam_tile_lowered_hart(t.made), "SAM_SYSTEM_GPU_DONE - "));
    assert_true(store[SAM_SYSTEM_PIPE_WAIT] > f->launches[0].end - f->launches[0].begun);
    assert_true(store[SAM_SYSTEM_PIPE_ISSUE] < 40);
    lowered_copy(&x, &y);
    y.text = other;
    struct sam_tile_lowered *made = lowered_make(&y);
    assert_int_equal(sam_tile_lowered_explain(made, f, &told, &error), SAM_ERR_USAGE);
    assert_null(told);
    sam_tile_lowered_free(made);
}

/* The record of the weight unit belongs to the load that needs it. */
TEST(test_packed)
{
    static const char text[] = HEAD "%t = pto.tload %p : " P " -> " T "\n" TAIL;
    struct lowered x = {.text = text, .seed = test_seed()};
    struct timed t;
    for (unsigned packed = 0; packed < 2; packed++) {
        const struct sam_array *in = lowered_array(&x, SAM_F32, 8, 16);
        for (size_t i = 0; i < in->count; i++)
            ((float *)in->data)[i] = (float)i;
        lowered_array(&x, SAM_F32, 8, 16);
        lowered_scalar(&x, SAM_I64, 0);
        x.arguments[0].packed = packed ? "w" : NULL;
        x.options.weights = packed ? lowered_pack(in, false, &x.options.weights_size) : NULL;
        timed_run(&x, &t);
        const struct sam_system_figures *f = t.figures;
        const uint64_t busy = f->pipes[SAM_TILE_PIPE_LOAD].cycles[SAM_SYSTEM_PIPE_BUSY];
        uint64_t records = 0;
        for (size_t i = 0; i < f->row_count; i++)
            if (strcmp(f->rows[i].unit, "weights") == 0 && strcmp(f->rows[i].reason, "empty") != 0)
                records += f->rows[i].cycles;
        assert_int_equal(f->records, packed);
        assert_true(packed ? records > 0 && busy > records + 10 : records == 0);
        timed_free(&t);
        lowered_free(&x);
        free((void *)x.options.weights);
    }
}

/* A tensor too large for a slot, [rows][columns] of it at run time. */
#define WIDE                                                                                       \
    "func.func @f(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>, %rows: index, %columns: index) "        \
    "{\n" INDEX(0) INDEX(1) INDEX(16) INDEX(64) "%x = pto.make_tensor_view %in, shape = [%rows, "  \
                                                "%columns], strides = [%columns, %c1] : " V        \
                                                "\n" BY_ROWS("y", "out", 16, 64)                   \
                                                    WINDOW_OF("q", "y", "c0", "c0", 16, 64)
#define V      "!pto.tensor_view<?x?xf32>"
#define W      "!pto.partition_tensor_view<16x64xf32>"
#define SUM    "!pto.tile_buf<vec, 16x64xf32>"
#define EXP(t) "pto.texp ins(%" t " : " SUM ") outs(%" t " : " SUM ")\n"

struct wide {
    size_t rows, columns;
    bool window, in_order;
};

/* Run on packed weights, and compare. Returns the cycles; *records, unless NULL: of the weight
 * unit. */
static uint64_t run_wide(const char *body, const struct wide *wide, uint64_t *records)
{
    const size_t rows = wide->rows, columns = wide->columns;
    SCOPED(sam_buffer) text = {0};
    struct timed t;
    sam_buffer_printf(&text, "%s%sreturn\n}\n", WIDE, body);
    struct lowered x = {
        .text = sam_buffer_text(&text), .seed = test_seed(), .options.in_order = wide->in_order};
    const struct sam_array *in = lowered_array(&x, SAM_F32, rows, columns);
    for (size_t i = 0; i < in->count; i++)
        ((float *)in->data)[i] = (float)(i * 2654435761u % 1000) * 1e-5f;
    lowered_array(&x, SAM_F32, 16, 64);
    lowered_scalar(&x, SAM_I64, rows);
    lowered_scalar(&x, SAM_I64, columns);
    x.arguments[0].packed = "w";
    x.options.weights = lowered_pack(in, wide->window, &x.options.weights_size);
    timed_run(&x, &t);
    const uint64_t cycles = t.figures->cycles;
    if (records)
        *records = t.figures->records;
    timed_free(&t);
    lowered_run(&x);
    lowered_free(&x);
    free((void *)x.options.weights);
    return cycles;
}

#define WINDOW(p, row, column) WINDOW_OF(p, "x", row, column, 16, 64)
#define LOAD(t, p)                                                                                 \
    "%" t " = pto.alloc_tile : " SUM "\npto.tload ins(%" p " : " W ") outs(%" t " : " SUM ")\n"
#define LONG(t) EXP(t) EXP(t) EXP(t) EXP(t)
#define SAVE    "pto.tstore ins(%s : " SUM ") outs(%q : " W ")\n"
#define STORE   "pto.tadd ins(%s, %t : " SUM ", " SUM ") outs(%s : " SUM ")\n" SAVE

/* Weights that are asked for are decoded while the hart waits for kernels. */
TEST(test_prefetch)
{
    static const char first[] = "%c400 = arith.constant 400 : index\n" WINDOW("a", "c0", "c0")
        WINDOW("b", "c400", "c64") LOAD("s", "a"),
                      hint[] = "pto.prefetch %b : " W "\n",
                      second[] = LONG("s") SAVE LOAD("t", "b") STORE;
    for (unsigned window = 0; window < 2; window++) {
        /* The schedule would hide what the hint hides. */
        const struct wide wide = {512, 200, window, true};
        uint64_t cycles[2];
        for (unsigned hinted = 0; hinted < 2; hinted++) {
            SCOPED(sam_buffer) body = {0};
            sam_buffer_printf(&body, "%s%s%s", first, hinted ? hint : "", second);
            cycles[hinted] = run_wide(sam_buffer_text(&body), &wide, NULL);
        }
        assert_true(cycles[1] + 300 < cycles[0]);
        /* of an array: nothing */
        run_wide(WINDOW("a", "c0", "c0") "pto.prefetch %q : " W "\n" LOAD("s", "a") SAVE, &wide,
                 NULL);
    }
}

/* Loops over windows in every order, of widths that need a slot, both, rows of their own and more;
 * hints that are wrong do no harm. */
TEST(test_staging)
{
    static const size_t sizes[][2] = {{512, 64}, {208, 400}, {80, 1024}, {32, 4000}, {33, 5000}};
    static const char loops[] =
        LOAD("s", "first") "scf.for %i = %c0 to %last_row step %c16 {\n"
                           "scf.for %j = %c0 to %last_column step %step {\n" WINDOW("p", "i", "j")
                               LOAD("t", "p") STORE
        "}\n}\n"
        "scf.for %j = %c0 to %last_column step %step {\n"
        "scf.for %i = %c0 to %last_row step %c16 {\n" WINDOW(
            "p", "i", "j") "pto.prefetch %first : " W "\n" LOAD("t", "p") STORE "}\n}\n";
    static const char before[] = WINDOW("first", "c0", "c0");
    static const char ends[] = "%last_row = arith.subi %rows, %c16 : index\n"
                               "%last_column = arith.subi %columns, %c64 : index\n"
                               "%step = arith.constant 320 : index\n";
    for (size_t i = 0; i < SAM_COUNT(sizes); i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            const struct wide wide = {sizes[i][0], sizes[i][1], kind & 1, kind & 2};
            SCOPED(sam_buffer) body = {0};
            uint64_t records;
            sam_buffer_printf(&body, "%s%s%s", ends, before, loops);
            run_wide(sam_buffer_text(&body), &wide, &records);
            /* 16 rows too far apart for the room, also where their distance is known. */
            if (wide.window && wide.columns == 5000 && records < 32)
                fail_msg("%u, %zu: %" PRIu64 " records", kind, wide.columns, records);
        }
}

#define SMALL   "!pto.partition_tensor_view<16x16xf32>"
#define MAT     "!pto.tile_buf<mat, 16x16xf32>"
#define LEFT    "!pto.tile_buf<left, 16x16xf32>"
#define RIGHT   "!pto.tile_buf<right, 16x16xf32>"
#define COLUMNS "!pto.tile_buf<right, 16x16xf32, blayout=col_major>"
#define ACC     "!pto.tile_buf<acc, 16x16xf32>"
#define VEC     "!pto.tile_buf<vec, 16x16xf32>"
#define FACTORS                                                                                    \
    "func.func @f(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>) {\n" INDEX(0) INDEX(1) INDEX(16)        \
        INDEX(48) BY_ROWS("x", "in", 48, 16) BY_ROWS("y", "out", 16, 16)                           \
            WINDOW_OF("p", "x", "c16", "c0", 16, 16) WINDOW_OF("q", "y", "c0", "c0", 16, 16)       \
                WINDOW_OF("o", "x", "c0", "c0", 16, 16) "%m = pto.tload %p : " SMALL " -> " MAT    \
                                                        "\n"

/* A product whose factors already have the matrix unit's layout: no TensorLoad before it. */
TEST(test_product)
{
    static const char text[] =
        FACTORS "%l = pto.tmov %m : " MAT " -> " LEFT "\n"
                "%r = pto.tmov %m : " MAT " -> " COLUMNS "\n"
                "%d = pto.tmatmul %l, %r : " LEFT ", " COLUMNS " -> " ACC "\n"
                "%v = pto.tmov %d : " ACC " -> " VEC "\n"
                "pto.tstore ins(%v : " VEC ") outs(%q : " SMALL ")\nreturn\n}\n";
    SCOPED(lowered) x = {.text = text, .seed = test_seed()};
    SCOPED(timed) t;
    lowered_array(&x, SAM_F32, 48, 16);
    lowered_array(&x, SAM_F32, 16, 16);
    timed_run(&x, &t);
    const struct sam_system_pipe *matrix = &t.figures->pipes[SAM_TILE_PIPE_MATRIX];
    assert_true(matrix->read == 2048 && matrix->written == 1024);
}

/* A right factor by rows, of two products: its load gives it the matrix unit's layout, so that the
 * products read their factors and write their sums, and that is all. */
TEST(test_right_factor)
{
    enum { TILE = 16 * 16 * 4 };
    static const char text[] =
        FACTORS "%n = pto.tload %o : " SMALL " -> " MAT "\n"
                "%l = pto.tmov %n : " MAT " -> " LEFT "\n"
                "%r = pto.tmov %m : " MAT " -> " RIGHT "\n"
                "%d = pto.tmatmul %l, %r : " LEFT ", " RIGHT " -> " ACC "\n"
                "%e = pto.tmatmul %l, %r : " LEFT ", " RIGHT " -> " ACC "\n"
                "%v = pto.tmov %d : " ACC " -> " VEC "\n"
                "%w = pto.tmov %e : " ACC " -> " VEC "\n"
                "pto.tadd ins(%v, %w : " VEC ", " VEC ") outs(%v : " VEC ")\n"
                "pto.tstore ins(%v : " VEC ") outs(%q : " SMALL ")\nreturn\n}\n";
    for (unsigned in_order = 0; in_order < 2; in_order++) {
        SCOPED(lowered) x = {.text = text, .seed = test_seed(), .options.in_order = in_order};
        SCOPED(timed) t;
        lowered_array(&x, SAM_F32, 48, 16);
        lowered_array(&x, SAM_F32, 16, 16);
        timed_run(&x, &t);
        const struct sam_system_pipe *matrix = &t.figures->pipes[SAM_TILE_PIPE_MATRIX];
        if (in_order)
            assert_true(matrix->written > 2 * TILE);
        else
            assert_true(matrix->read == 4 * TILE && matrix->written == 2 * TILE);
    }
}

#define BLOCK "!pto.tile_buf<vec, 64x64xf32>"
#define LINE  "!pto.tile_buf<vec, 1x64xf32>"
#define FROM  WINDOW_OF("p", "x", "i", "c0", 64, 64)
#define TO    WINDOW_OF("q", "y", "row", "c0", 1, 64)
#define VIEWS                                                                                      \
    INDEX(0)                                                                                       \
    INDEX(1) INDEX(8) INDEX(64) INDEX(512) BY_ROWS("x", "in", 512, 64) BY_ROWS("y", "out", 8, 64)

/* A place rests until the launch that reads it has ended, and loads go ahead of launches: the hart
 * neither waits to load the next tile nor to store the last sums. */
TEST(test_resting)
{
    static const char text[] =
        "func.func @f(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>) {\n" VIEWS
        "scf.for %i = %c0 to %c512 step %c64 {\n" FROM
        "%t = pto.tload %p : !pto.partition_tensor_view<64x64xf32> -> " BLOCK "\n"
        "%s = pto.tcolsum %t : " BLOCK " -> " LINE "\n"
        "%row = arith.divsi %i, %c64 : index\n" TO "pto.tstore ins(%s : " LINE
        ") outs(%q : !pto.partition_tensor_view<1x64xf32>)\n"
        "}\nreturn\n}\n";
    uint64_t cycles[2];
    for (unsigned in_order = 0; in_order < 2; in_order++) {
        SCOPED(lowered) x = {.text = text, .seed = test_seed(), .options.in_order = in_order};
        SCOPED(timed) t;
        lowered_random(&x, SAM_F32, 512, 64);
        lowered_array(&x, SAM_F32, 8, 64);
        timed_run(&x, &t);
        cycles[in_order] = t.figures->cycles;
    }
    assert_true(cycles[0] * 5 < cycles[1] * 4);
}
