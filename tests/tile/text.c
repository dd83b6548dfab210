/* SPDX-License-Identifier: Apache-2.0 */
/* Text: every program of kernels/tile/ and generated ones through all surfaces and back; the
 * programs of kernels/tile/errors/ give the message in their first line. */
#include "tile/tile_test.h"

#include <dirent.h>

static struct sam_tile_program *parse(const char *name, const char *text, size_t size)
{
    struct sam_tile_program *p = NULL;
    struct sam_error error;
    char *messages = NULL;
    if (sam_tile_parse(name, text, size, &p, &messages, &error) != SAM_OK)
        fail_msg("%s", messages);
    assert_string_equal(messages, "");
    free(messages);
    return p;
}

static void round_trip(const char *name, const char *text, size_t size)
{
    struct sam_tile_program *p = parse(name, text, size);
    for (int surface = SAM_TILE_FLAT; surface <= SAM_TILE_DPS; surface++) {
        char *printed = NULL, *again = NULL;
        assert_int_equal(sam_tile_print(p, surface, &printed, NULL), SAM_OK);
        struct sam_tile_program *q = parse(name, printed, strlen(printed));
        if (!sam_tile_equal(p, q) || !sam_tile_equal(q, p))
            fail_msg("%s is not the same after printing:\n%s", name, printed);
        assert_int_equal(sam_tile_print(q, surface, &again, NULL), SAM_OK);
        assert_string_equal(printed, again); /* comments, too */
        free(printed), free(again);
        sam_tile_program_free(q);
    }
    sam_tile_program_free(p);
}

/* Call for every .pto file of a folder below kernels/tile; how many there were. */
static unsigned each_program(const char *folder,
                             void (*call)(const char *path, const char *text, size_t size))
{
    char path[1024];
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/kernels/tile%s", getenv("SAMITE_SOURCE"), folder);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char file[2048], *text;
        size_t size;
        if (!strstr(entry->d_name, ".pto"))
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        assert_int_equal(sam_file_load(file, 1 << 20, &text, &size, NULL), SAM_OK);
        call(file, text, size);
        free(text);
        count++;
    }
    closedir(dir);
    return count;
}

static void test_programs(void **state)
{
    (void)state;
    assert_true(each_program("", round_trip) >= 20);
}

/* "// expect: [PROFILE: ]MESSAGE" */
static void expect_error(const char *path, const char *text, size_t size)
{
    char expected[512] = "", *messages = NULL;
    struct sam_tile_program *p = NULL;
    enum sam_tile_profile profile = SAM_TILE_A5;
    assert_int_equal(sscanf(text, "// expect: %500[^\n]", expected), 1);
    const char *want = expected;
    if (strncmp(want, "a2a3: ", 6) == 0) {
        profile = SAM_TILE_A2A3;
        want += 6;
    }
    bool warning = strncmp(want, "warning: ", 9) == 0;
    enum sam_status status = sam_tile_parse(path, text, size, &p, &messages, NULL);
    if (status == SAM_OK) {
        free(messages);
        status = sam_tile_check(p, profile, &messages, NULL);
    }
    assert_int_equal(status, warning ? SAM_OK : SAM_ERR_INPUT);
    if (!strstr(messages, want) || !strstr(messages, "^\n"))
        fail_msg("%s: expected '%s', found\n%s", path, want, messages);
    free(messages);
    sam_tile_program_free(p);
}

static void test_errors(void **state)
{
    (void)state;
    assert_true(each_program("/errors", expect_error) >= 25);
}

static void expect_messages(const char *text, const char *expected)
{
    struct sam_tile_program *p = NULL;
    char *messages = NULL;
    assert_int_equal(sam_tile_parse("t.pto", text, strlen(text), &p, &messages, NULL),
                     SAM_ERR_INPUT);
    assert_string_equal(messages, expected);
    free(messages);
}

/* All errors of a text, each at its place; what a failed line defines is not missed. */
static void test_carets(void **state)
{
    (void)state;
    expect_messages("func.func @f() {\n"
                    "  %a = arith.constant 1.5 : index\n"
                    "  %b = arith.addi %a, %x : index\n"
                    "  %c = pto.tcolmi %b : index -> index\n"
                    "  return }\n",
                    "t.pto:2:23: error: '1.5' is no constant of type index\n"
                    "      %a = arith.constant 1.5 : index\n"
                    "                          ^\n"
                    "t.pto:3:23: error: %x is not defined\n"
                    "      %b = arith.addi %a, %x : index\n"
                    "                          ^\n"
                    "t.pto:4:8: error: unknown operation 'pto.tcolmi'; did you mean "
                    "'pto.tcolmin'?\n"
                    "      %c = pto.tcolmi %b : index -> index\n"
                    "           ^\n");
    expect_messages("scf.yield\n",
                    "t.pto:1:1: error: scf.yield ends the block of a loop or condition; a function "
                    "returns\n    scf.yield\n    ^\n");
    expect_messages("", "t.pto:1:1: error: there is no operation in this file\n"
                        "    \n"
                        "    ^\n");
}

/* `#` is a comment at the start of a line and between blanks, and an attribute elsewhere. */
static void test_comments(void **state)
{
    static const char text[] = "# one\nmodule attributes {a = #dlti.x<1>, b = \"{\"} { // two }\n"
                               "func.func @f(%p: !pto.ptr<f32>)\n\n { # three }\n  %a =\n"
                               "arith.constant 1 // : f32\n: index # four\nreturn}}";
    static const char plain[] = "module attributes {a = #dlti.x<1>, b = \"{\"} {\n"
                                "func.func @f(%p: !pto.ptr<f32>) {\n"
                                "  %a = arith.constant 1 : index\n  return\n}}";
    struct sam_tile_program *a = parse("a", text, sizeof text - 1);
    struct sam_tile_program *b = parse("b", plain, sizeof plain - 1);
    (void)state;
    assert_true(sam_tile_equal(a, b));
    sam_tile_program_free(a), sam_tile_program_free(b);
}

/* Both spellings of a type are one type. */
static void test_spellings(void **state)
{
    static const char compact[] = "%d = pto.tcolmin %s : !pto.tile_buf<vec, 32x32xf32, "
                                  "valid=31x?, pad=1> -> !pto.tile_buf<vec, 1x32xf32>\n";
    static const char long_[] =
        "%d = tcolmin %s : !pto.tile<pad=zero, loc=vec, dtype=f32, rows=32, cols=32, v_row=31,\n"
        " v_col=?, blayout=row_major, slayout=none_box, fractal=512> -> !pto.tile<loc=vec, "
        "dtype=f32, cols=32, rows=1>";
    struct sam_tile_program *a, *b, *c;
    (void)state;
    a = parse("a", compact, strlen(compact));
    b = parse("b", long_, strlen(long_));
    assert_true(sam_tile_equal(a, b));
    c = parse("c", "%d = tcolmin %s : !pto.tile<vec, 32x32xf32> -> !pto.tile<vec, 1x32xf32>", 71);
    assert_false(sam_tile_equal(a, c));
    sam_tile_program_free(a), sam_tile_program_free(b), sam_tile_program_free(c);
}

/* --- generated programs */

struct writer {
    struct sam_buffer out;
    uint64_t seed;
    unsigned values; /* %t0.. are tiles, %i0.. are indices */
    unsigned indices;
    unsigned depth;
};

static const char *tile_type(struct writer *w, char *text, size_t size)
{
    static const char *const types[] = {
        "!pto.tile_buf<vec, 16x64xf32>",
        "!pto.tile<vec, 16x64xf16, valid=?x63, pad=3>",
        "!pto.tile<loc=acc, dtype=i32, rows=8, cols=8, v_row=4>",
        "!pto.tile<mat, 32x32xbf16, blayout=col_major, slayout=row_major, fractal=1024>",
    };
    snprintf(text, size, "%s", types[test_below(&w->seed, SAM_COUNT(types))]);
    return text;
}

static void statement(struct writer *w);

static void body(struct writer *w)
{
    unsigned values = w->values, indices = w->indices;
    w->depth++;
    for (uint64_t i = 0, n = test_below(&w->seed, 5); i < n; i++)
        statement(w);
    w->depth--;
    w->values = values;
    w->indices = indices;
}

/* Parsing alone is tested: types need not make sense together. */
static void tile_statement(struct writer *w)
{
    struct sam_tile_op_text op;
    char types[4][128], attribute[32] = "";
    size_t rows = 0;
    while (sam_tile_op_describe(rows, &op))
        rows++;
    do
        sam_tile_op_describe(test_below(&w->seed, rows), &op);
    while (strpbrk(op.sources, "v") || strcmp(op.name, "tstore") == 0);
    if (strncmp(op.name, "tcmp", 4) == 0)
        snprintf(attribute, sizeof attribute, " {cmp = ge}");
    if (strcmp(op.name, "tcvt") == 0)
        snprintf(attribute, sizeof attribute, " {round = floor}");
    size_t n = strlen(op.sources);
    unsigned first = w->values;
    for (size_t i = 0; i < n; i++) {
        if (op.sources[i] == 't')
            sam_buffer_printf(&w->out, "%%t%u = pto.alloc_tile : %s\n", w->values++,
                              tile_type(w, types[i], sizeof types[i]));
        else if (op.sources[i] == 'i')
            sam_buffer_printf(&w->out, "%%t%u = arith.constant %d : index\n", w->values++,
                              (int)test_below(&w->seed, 99) - 50),
                strcpy(types[i], "index");
        else
            sam_buffer_printf(&w->out, "%%t%u = arith.constant 0x%llx : f32\n", w->values++,
                              (unsigned long long)test_random(&w->seed) >> 32),
                strcpy(types[i], "f32");
    }
    bool dps =
        test_below(&w->seed, 2) || strcmp(op.name, "taxpy") == 0 || strcmp(op.name, "tinsert") == 0;
    tile_type(w, types[3], sizeof types[3]);
    if (dps)
        sam_buffer_printf(&w->out, "%%t%u = pto.alloc_tile : %s\npto.%s ins(", w->values, types[3],
                          op.name);
    else
        sam_buffer_printf(&w->out, "%%t%u = %s ", w->values, op.name);
    for (size_t i = 0; i < n; i++)
        sam_buffer_printf(&w->out, "%s%%t%u", i ? ", " : "", first + (unsigned)i);
    sam_buffer_printf(&w->out, "%s : ", dps ? "" : attribute);
    for (size_t i = 0; i < n; i++)
        sam_buffer_printf(&w->out, "%s%s", i ? ", " : "", types[i]);
    if (dps)
        sam_buffer_printf(&w->out, ") outs(%%t%u : %s)%s\n", w->values, types[3], attribute);
    else
        sam_buffer_printf(&w->out, " -> %s\n", types[3]);
    w->values++;
}

static void loop_statement(struct writer *w)
{
    unsigned i = w->indices;
    bool carries = test_below(&w->seed, 2);
    char carried[64];
    snprintf(carried, sizeof carried, " iter_args(%%r%u = %%c0) -> (index)", i);
    w->indices += 3;
    sam_buffer_printf(&w->out, "%%i%u = arith.constant %llu : index\n", i,
                      (unsigned long long)test_below(&w->seed, 1000));
    if (carries)
        sam_buffer_printf(&w->out, "%%i%u = ", i + 2);
    sam_buffer_printf(&w->out, "scf.for %%l%u = %%i%u to %%i%u step %%i%u%s {\n", i, i, i, i,
                      carries ? carried : "");
    body(w);
    if (carries)
        sam_buffer_printf(&w->out, "scf.yield %%l%u : index\n", i);
    sam_buffer_printf(&w->out, "}\n");
}

static void statement(struct writer *w)
{
    unsigned i = w->indices;
    switch (test_below(&w->seed, w->depth > 6 ? 4 : 6)) {
    case 0:
        sam_buffer_printf(&w->out, "// index %u\n%%i%u = arith.%s %%c0, %%c0 : index\n", i, i,
                          test_below(&w->seed, 2) ? "muli" : "remsi");
        w->indices++;
        break;
    case 1:
        sam_buffer_printf(
            &w->out, "%%i%u = record_event <matrix>\npto.wait_event %%i%u\npto.barrier\n", i, i);
        w->indices++;
        break;
    case 4: loop_statement(w); break;
    case 5:
        w->indices++;
        sam_buffer_printf(&w->out, "%%i%u = arith.cmpi sle, %%c0, %%c0 : index\nscf.if %%i%u {\n",
                          i, i);
        body(w);
        if (test_below(&w->seed, 2)) {
            sam_buffer_printf(&w->out, "} else {\n");
            body(w);
        }
        sam_buffer_printf(&w->out, "}\n");
        break;
    default: tile_statement(w);
    }
}

static void test_generated(void **state)
{
    struct writer w = {.seed = test_seed()};
    (void)state;
    for (int round = 0; round < 500; round++) {
        w.values = w.indices = 0;
        sam_buffer_free(&w.out);
        sam_buffer_printf(&w.out, "%%c0 = arith.constant 0 : index\n");
        for (int i = 0; i < 8; i++)
            statement(&w);
        round_trip("generated", sam_buffer_text(&w.out), w.out.size);
    }
    sam_buffer_free(&w.out);
}

/* Big and deep texts end in time, and in a line. */
static void test_big(void **state)
{
    struct sam_buffer out = {0};
    struct sam_tile_program *p = NULL;
    char *messages = NULL;
    (void)state;
    for (int i = 0; i < 20000; i++)
        sam_buffer_printf(&out,
                          "%%d%d = tcolmin %%s : !pto.tile<vec, 16x16xf32> -> "
                          "!pto.tile<vec, 1x16xf32>\n",
                          i);
    round_trip("long", sam_buffer_text(&out), out.size);
    sam_buffer_free(&out);
    sam_buffer_printf(&out, "%%c = arith.constant true\n");
    for (int i = 0; i < 100000; i++)
        sam_buffer_printf(&out, "scf.if %%c {\n");
    assert_int_equal(sam_tile_parse("deep", sam_buffer_text(&out), out.size, &p, &messages, NULL),
                     SAM_ERR_INPUT);
    assert_non_null(strstr(messages, "blocks nest deeper than 100"));
    free(messages);
    sam_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),  cmocka_unit_test(test_errors),
        cmocka_unit_test(test_carets),    cmocka_unit_test(test_comments),
        cmocka_unit_test(test_spellings), cmocka_unit_test(test_generated),
        cmocka_unit_test(test_big),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
