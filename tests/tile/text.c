/* SPDX-License-Identifier: Apache-2.0 */
/* Text: every program of kernels/tile/ through all surfaces and back; messages and comments;
 * each program of kernels/tile/errors/ gives the message in its first line. */
#include "tile/tile_test.h"

#include <dirent.h>

static void round_trip(const char *name, const char *text, size_t size)
{
    sam_tile_program_free(test_round_trip(name, text, size));
}

/* Call for every .pto file of a folder below kernels/tile; returns their number. */
static unsigned each_program(const char *folder,
                             void (*call)(const char *path, const char *text, size_t size))
{
    unsigned count = 0;
    FREED char *path = formatted("%s/kernels/tile%s", getenv("SAMITE_SOURCE"), folder);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t size;
        if (!strstr(entry->d_name, ".pto"))
            continue;
        FREED char *file = formatted("%s/%s", path, entry->d_name), *text;
        succeeds(sam_file_load, file, 1 << 20, &text, &size);
        call(file, text, size);
        count++;
    }
    closedir(dir);
    return count;
}

TEST(test_programs)
{
    assert_true(each_program("", round_trip) >= 20);
}

/* "// expect: [PROFILE: ]MESSAGE" */
static void expect_error(const char *path, const char *text, size_t size)
{
    char expected[512] = "", *messages = NULL;
    SCOPED_PROGRAM *p = NULL;
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
        round_trip(path, text, size);
        status = sam_tile_check(p, profile, &messages, NULL);
    }
    assert_int_equal(status, warning ? SAM_OK : SAM_ERR_INPUT);
    if (!strstr(messages, want) || !strstr(messages, "^\n"))
        fail_msg("%s: expected '%s', found\n%s", path, want, messages);
    free(messages);
}

TEST(test_errors)
{
    assert_true(each_program("/errors", expect_error) >= 25);
}

static void expect_messages(const char *text, const char *expected)
{
    FREED char *messages = test_messages("t.pto", text);
    assert_string_equal(messages, expected);
}

#define T "!pto.tile<vec, 8x8xf32>"
#define M "!pto.tile<vec, 8x32xui8, valid=8x8>"
/* The generic form and the others are one program; attributes of other dialects are kept. */
TEST(test_generic)
{
    static const char generic[] =
        "func.func @k(%a: " T ", %n: index) {\n"
        "  %m = \"pto.tcmp\"(%a, %a) <{cmp = \"lt\"}> {x.y = #z<\"}\" >, x.z} : (" T ", " T
        ") -> " M "\n"
        "  %b = \"arith.cmpi\"(%n, %n) {predicate = 3 : i64} : (index, index) -> i1\n"
        "  %r = \"scf.if\"(%b) ({\n    \"scf.yield\"(%n) : (index) -> ()\n  }, {\n"
        "    \"scf.yield\"(%n) : (index) -> ()\n  }) : (i1) -> index\n"
        "  \"scf.for\"(%n, %n, %r) ({\n  ^bb0(%i: index):\n    \"pto.barrier\"() : () -> ()\n"
        "    \"scf.yield\"() : () -> ()\n  }) : (index, index, index) -> ()\n"
        "  \"func.return\"() : () -> ()\n}\n";
    static const char custom[] =
        "func.func @k(%a: " T ", %n: index) {\n"
        "  %m = pto.tcmp %a, %a {cmp = lt, x.y = #z<\"}\" >, x.z} : " T ", " T " -> " M "\n"
        "  %b = arith.cmpi sle, %n, %n : index\n"
        "  %r = scf.if %b -> (index) {\n    scf.yield %n : index\n  } else {\n"
        "    scf.yield %n : index\n  }\n"
        "  scf.for %i = %n to %n step %r {\n    pto.barrier\n    scf.yield\n  }\n  return\n}\n";
    SCOPED_PROGRAM *p = test_round_trip("generic", generic, sizeof generic - 1);
    SCOPED_PROGRAM *q = test_round_trip("custom", custom, sizeof custom - 1);
    FREED char *text = test_printed(p, SAM_TILE_SSA), *other = test_printed(q, SAM_TILE_GENERIC);
    assert_true(sam_tile_equal(p, q));
    assert_string_equal(text, custom);
    assert_non_null(strstr(other, "{cmp = \"lt\", x.y = #z<\"}\" >, x.z} : ("));
}

TEST(test_generic_errors)
{
    static const char *const texts[][2] = {
        {"\"pto.tadd\"(%a, %a) : (" T ", " T ") -> ()", "tadd: expected 3 operands, found 2"},
        {"%b = \"pto.tadd\"(%a) : (" T ") -> " T, "tadd: expected 2 operands, found 1"},
        {"%b = \"pto.taxpy\"(%a, %s) : (" T ", f32) -> " T, "expected its destination"},
        {"%b = \"pto.tadd\"(%a, %a) : (" T ", " T ") -> f32", "the result of tadd is a tile"},
        {"%b = \"pto.tadd\"(%a, %a) : (" T ", " T ") -> ()", "0 types of results, found 1 name"},
        {"\"pto.tadd\"(%a, %a, %a) {x.y = \"} : (" T ")", "expected '\"' at the end"},
        {"\"pto.tadd\"(%a, %a, %a) {cmp = \"lt\"} : ()", "tadd has no attributes"},
        {"\"pto.tcmp\"(%a, %a, %a) {cmp = \"no\"} : ()", "expected eq, ne, lt, le, gt or ge"},
        {"\"pto.tcmp\"(%a, %a, %a) <{cmp = lt}> {cmp = lt} : ()", "'cmp' is given twice"},
        {"\"pto.tadd\"(%a, %a, %a) ({}) : ()", "tadd: expected 0 regions"},
        {"%t = \"pto.alloc_tile\"(%n) : (index) -> " T, "expected operandSegmentSizes of 3"},
        {"%t = \"pto.alloc_tile\"(%n) {operandSegmentSizes = array<i32: 2, 0, -1>} : (index) -> " T,
         "a segment is 0 or 1 long"},
        {"%v = \"pto.make_tensor_view\"(%p, %n, %n, %n, %n) {operandSegmentSizes = array<i32: 1, "
         "1, "
         "3>} : (!pto.ptr<f32>, index, index, index, index) -> !pto.tensor_view<?x?xf32>",
         "expected operandSegmentSizes of 1, 2, 2"},
        {"%v = \"pto.make_tensor_view\"(%p, %n) : (!pto.ptr<f32>, index) -> "
         "!pto.tensor_view<?xf32>",
         "two lists of equal length"},
        {"\"pto.tassign\"(%a) : (" T ") -> ()", "a tile and an address"},
        {"\"pto.tassign\"(%q) {address = 0 : i64} : (" T ") -> ()\n"
         "%q = \"pto.tadd\"(%a, %a) : (" T ", " T ") -> " M,
         "used before"},
        {"%e = \"pto.record_event\"() {pipe = \"x\"} : () -> !pto.event", "expected a pipe"},
        {"%e = \"pto.record_event\"() {pipe = \"vector\"} : () -> index", "is an event"},
        {"%c = \"arith.constant\"() : () -> index", "expected {value = ...}"},
        {"%c = \"arith.constant\"() {value = 1 : i32} : () -> index", "is of type i32, not index"},
        {"%c = \"arith.cmpi\"(%n, %n) : (index, index) -> i1", "expected {predicate = 0 to 5}"},
        {"%c = \"arith.cmpi\"(%n, %n) {predicate = 6 : i64} : (index, index) -> i1",
         "predicate: expected 0 to 5"},
        {"%c = \"arith.addi\"(%n, %n) : (index, index) -> i32", "is of type index, not i32"},
        {"%c = \"arith.addi\"(%n) : (index) -> index", "expected 2 operands, found 1"},
        {"\"scf.for\"(%n, %n, %n) : (index, index, index) -> ()", "scf.for: expected a region"},
        {"\"scf.for\"(%n, %n, %n) ({}) : (index, index, index) -> ()", "0 parameters, expected 1"},
        {"%r = \"scf.for\"(%n, %n, %n, %n) ({\n^bb0(%i: index, %x: f32):\n}) : (index, index, "
         "index, index) -> index",
         "is of type f32, not index"},
        {"%r = \"scf.if\"(%b) ({\n\"scf.yield\"(%n) : (index) -> ()\n}, {}) : (i1) -> index",
         "a condition with results has an else"},
        {"\"scf.if\"(%b) ({\n\"scf.yield\"(%n) : (index) -> ()\n}) : (i1) -> ()",
         "the block yields 0 values, found 1"},
        {"\"scf.yield\"() : () -> ()", "a function ends with return"},
        {"\"func.return\"(%n) : (index) -> ()", "expected no operand"},
        {"\"pto.tadd\"(%a, %a, %a)", "before the types"},
        {"\"pto.tadd\"(", "expected"},
    };
    for (size_t i = 0; i < SAM_COUNT(texts); i++) {
        FREED char *text =
            formatted("func.func @k(%%a: " T
                      ", %%n: index, %%s: f32, %%p: !pto.ptr<f32>, %%b: i1) {\n%s\n}\n",
                      texts[i][0]);
        FREED char *messages = test_messages("t.pto", text);
        if (!strstr(messages, texts[i][1]))
            fail_msg("%s: expected '%s', found\n%s", texts[i][0], texts[i][1], messages);
    }
}
#undef T
#undef M

/* All errors of a text, each at its place; definitions of a failed line are not reported as
 * missing. */
TEST(test_carets)
{
    expect_messages("func.func @f() {\n"
                    "  %a = arith.constant 1.5 : index\n"
                    "  %b = arith.addi %a, %x : index\n"
                    "  %c = pto.tcolmi %b : index -> index\n"
                    "  return }\n",
                    "t.pto:2:23: error: '1.5' is not a constant of type index\n"
                    "      %a = arith.constant 1.5 : index\n"
                    "                          ^\n"
                    "t.pto:3:23: error: %x is not defined\n"
                    "      %b = arith.addi %a, %x : index\n"
                    "                          ^\n"
                    "t.pto:4:8: error: unknown operation 'pto.tcolmi'; did you mean "
                    "'pto.tcolmin'?\n"
                    "      %c = pto.tcolmi %b : index -> index\n"
                    "           ^\n");
    expect_messages("%d = TCOLMIN %s\n", "t.pto:1:6: error: unknown operation 'TCOLMIN'; did you "
                                         "mean 'tcolmin'?\n    %d = TCOLMIN %s\n         ^\n");
    expect_messages(
        "%d = %s\n%d = pto.TExpandz %s\n%d = arith.addl %s\n%d = abcdefghijkl\n"
        "%d = tcolminnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\n",
        "t.pto:1:6: error: expected an operation, found '%s'\n"
        "    %d = %s\n         ^\n"
        "t.pto:2:6: error: unknown operation 'pto.TExpandz'; did you mean "
        "'pto.texpands'?\n    %d = pto.TExpandz %s\n         ^\n"
        "t.pto:3:6: error: unknown operation 'arith.addl'; did you mean 'arith.addi'?\n"
        "    %d = arith.addl %s\n         ^\n"
        "t.pto:4:6: error: unknown operation 'abcdefghijkl'\n"
        "    %d = abcdefghijkl\n         ^\n"
        "t.pto:5:6: error: unknown operation 'tcolminnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn'\n"
        "    %d = tcolminnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\n         ^\n");
    expect_messages("barrier\n\"\x1b[2J\"\n",
                    "t.pto:2:1: error: expected an operation, found '\"?[2J\"'\n"
                    "    \" [2J\"\n    ^\n");
    expect_messages("scf.yield\n",
                    "t.pto:1:1: error: scf.yield ends the block of a loop or condition; a function "
                    "ends with return\n    scf.yield\n    ^\n");
    expect_messages("", "t.pto:1:1: error: the file has no operation\n"
                        "    \n"
                        "    ^\n");
}

/* Messages of the checker's stages are in line order. */
TEST(test_order)
{
    static const char text[] =
        "%a = alloc_tile : !pto.tile<vec, 8x8xf32>\n%i = arith.constant 3 : i16\n"
        "%b = tneg %a : !pto.tile<vec, 8x8xf32> -> !pto.tile<vec, 8x8xf32>\n"
        "%t = texpands %i : i16 -> !pto.tile<vec, 8x8xf32>\n"
        "%u = alloc_tile : !pto.tile<vec, 8x7xf32>\n";
    const char *const at[] = {"t:3:11: ", "t:4:15: ", "t:5:1: "};
    SCOPED_PROGRAM *p = test_parse("t", text, sizeof text - 1);
    struct sam_error error = {0};
    FREED char *messages = NULL;
    assert_int_equal(sam_tile_check(p, SAM_TILE_A5, &messages, &error), SAM_ERR_INPUT);
    assert_non_null(strstr(error.text, at[0]));
    for (size_t i = 0; i < 3; i++) {
        const char *here = strstr(messages, at[i]);
        if (!here || (i && here < strstr(messages, at[i - 1])))
            fail_msg("%s\n%s", at[i], messages);
    }
}

/* A wrong head of the last function of a module is one error. */
TEST(test_wrong_head)
{
    expect_messages("module {\n"
                    "func.func @f(%a: !pto.ptr<q32>) attributes {x = 1} {\n"
                    "scf.if %c {\n} else {\n}\nreturn\n}\n"
                    "func.func @g(%a: index, %a: index) {\nreturn\n}\n}\n",
                    "t.pto:2:27: error: expected a dtype (bf16 f16 f32 e4m3 e5m2 e8m0 e2m1 ui8 i8 "
                    "ui16 i16 ui32 i32 ui64 i64 f64 e1m2 tf32 hf32 hif8 e3m2 e2m3), found 'q32'\n"
                    "    func.func @f(%a: !pto.ptr<q32>) attributes {x = 1} {\n"
                    "                              ^\n"
                    "t.pto:8:25: error: %a is already defined, at line 8\n"
                    "    func.func @g(%a: index, %a: index) {\n"
                    "                            ^\n");
}

/* The caret is below the column, whatever the width of characters; a byte order mark has no
 * width. */
TEST(test_characters)
{
    expect_messages("\xef\xbb\xbf%a = nothing\r\n",
                    "t.pto:1:6: error: unknown operation 'nothing'\n"
                    "    %a = nothing\n"
                    "         ^\n");
    expect_messages("module attributes {a = \"\xc3\xa4\xe2\x86\x92\"} {\tx }",
                    "t.pto:1:35: error: expected '}' at the end of the module, found 'x'\n"
                    "    module attributes {a = \"\xc3\xa4\xe2\x86\x92\"} { x }\n"
                    "                                   ^\n");
    expect_messages("%a =\tarith.constant 1e39 : f32\n%b = arith.constant inf : f32\n"
                    "%c = arith.constant 65520.0 : f16\n%d = arith.constant -129 : i8\n",
                    "t.pto:1:21: error: '1e39' is not a constant of type f32\n"
                    "    %a = arith.constant 1e39 : f32\n"
                    "                        ^\n"
                    "t.pto:2:21: error: expected a number, true or false, found 'inf'\n"
                    "    %b = arith.constant inf : f32\n"
                    "                        ^\n"
                    "t.pto:3:21: error: '65520.0' is not a constant of type f16\n"
                    "    %c = arith.constant 65520.0 : f16\n"
                    "                        ^\n"
                    "t.pto:4:21: error: '-129' is not a constant of type i8\n"
                    "    %d = arith.constant -129 : i8\n"
                    "                        ^\n");
}

/* The first line of the error for the text, for free(); "" if it is valid. */
static char *first_line(const struct sam_buffer *text)
{
    SCOPED_PROGRAM *p = NULL;
    char *messages = NULL;
    sam_tile_parse("t", sam_buffer_text(text), text->size, &p, &messages, NULL);
    messages[strcspn(messages, "\n")] = '\0';
    return messages;
}

/* As first_line, for a loop of `count` values, whose results are named or not. */
static char *read_loop(int count, bool named)
{
    SCOPED(sam_buffer) out = {0};
    sam_buffer_printf(&out, "%%n = arith.constant 3 : index\n");
    for (int i = 0; named && i < count; i++)
        sam_buffer_printf(&out, "%%r%d%s", i, i + 1 < count ? ", " : " = ");
    sam_buffer_printf(&out, "scf.for %%i = %%n to %%n step %%n iter_args(");
    for (int i = 0; i < count; i++)
        sam_buffer_printf(&out, "%s%%a%d = %%n", i ? ", " : "", i);
    sam_buffer_printf(&out, ") -> (");
    for (int i = 0; i < count; i++)
        sam_buffer_printf(&out, "%sindex", i ? ", " : "");
    sam_buffer_printf(&out, ") {\n  scf.yield ");
    for (int i = 0; i < count; i++)
        sam_buffer_printf(&out, "%s%%a%d", i ? ", " : "", i);
    for (int i = 0; i < count; i++)
        sam_buffer_printf(&out, "%s index", i ? "," : " :");
    sam_buffer_printf(&out, "\n}\n");
    return first_line(&out);
}

/* A list that is too long is reported at the first item beyond the limit. */
TEST(test_long_lists)
{
    FREED char *none = read_loop(61, true), *values = read_loop(62, true);
    FREED char *named = read_loop(65, true), *unnamed = read_loop(65, false);
    SCOPED(sam_buffer) arguments = {0}, results = {0};
    assert_string_equal(none, "");
    assert_non_null(strstr(values, "t:2:"));
    assert_non_null(strstr(values, ": error: more than 61 values in iter_args"));
    assert_string_equal(named, "t:2:375: error: more than 64 results");
    assert_non_null(strstr(unnamed, ": error: more than 61 values in iter_args"));
    sam_buffer_printf(&arguments, "func.func @f(");
    for (int i = 0; i < 65; i++)
        sam_buffer_printf(&arguments, "%s%%a%d: index", i ? ",\n" : "", i);
    sam_buffer_printf(&arguments, ") {\n  return\n}\n");
    expect_messages(sam_buffer_text(&arguments), "t.pto:65:1: error: more than 64 arguments\n"
                                                 "    %a64: index) {\n    ^\n");
    sam_buffer_printf(&results, "%%c = arith.constant true\nscf.if %%c -> (index");
    for (int i = 0; i < 64; i++)
        sam_buffer_printf(&results, ", index");
    sam_buffer_printf(&results, ") {}\n");
    FREED char *message = first_line(&results);
    assert_string_equal(message, "t:2:463: error: more than 64 results");
}

/* No number becomes an infinity; hexadecimal bits may be one. Underflow is zero. */
TEST(test_out_of_range)
{
    static const char *const types[] = {"f32", "f16", "bf16", "i32", "index"};
    static const char *const numbers[] = {"1e400", "-1e400", "1e39", "-1e999999999"};
    for (size_t t = 0; t < SAM_COUNT(types); t++)
        for (size_t n = 0; n < SAM_COUNT(numbers); n++) {
            FREED char *text = formatted("%%a = arith.constant %s : %s", numbers[n], types[t]);
            FREED char *expected =
                formatted("t.pto:1:21: error: '%s' is not a constant of type %s\n    %s\n%24s^\n",
                          numbers[n], types[t], text, "");
            expect_messages(text, expected);
        }
    expect_messages("%a = arith.constant 0x1ffff : f16",
                    "t.pto:1:21: error: '0x1ffff' is not a constant of type f16\n"
                    "    %a = arith.constant 0x1ffff : f16\n                        ^\n");
    static const char good[] = "%a = arith.constant 0x7f800000 : f32\n"
                               "%b = arith.constant 1e-400 : f32\n"
                               "%c = arith.constant -0.0 : f16\n";
    SCOPED_PROGRAM *p = test_round_trip("t", good, sizeof good - 1);
    FREED char *printed = test_printed(p, SAM_TILE_SSA);
    assert_string_equal(printed, "%a = arith.constant 0x7f800000 : f32\n"
                                 "%b = arith.constant 0.0 : f32\n"
                                 "%c = arith.constant -0.0 : f16\n");
}

/* A constant is a number that its type holds, also one of 64 bits without a sign. */
TEST(test_unsigned_constants)
{
    static const char good[] = "%a = arith.constant 18446744073709551615 : ui64\n"
                               "%b = arith.constant 9223372036854775808 : ui64\n"
                               "%c = arith.constant -9223372036854775808 : i64\n"
                               "%d = arith.constant 255 : ui8\n";
    static const char *const bad[][2] = {
        {"18446744073709551616", "ui64"}, {"-1", "ui64"}, {"-1", "ui8"}, {"256", "ui8"}};
    SCOPED_PROGRAM *p = test_round_trip("t", good, sizeof good - 1);
    FREED char *printed = test_printed(p, SAM_TILE_SSA);
    assert_string_equal(printed, good);
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        FREED char *text = formatted("%%a = arith.constant %s : %s", bad[i][0], bad[i][1]);
        FREED char *expected =
            formatted("t.pto:1:21: error: '%s' is not a constant of type %s\n    %s\n%24s^\n",
                      bad[i][0], bad[i][1], text, "");
        expect_messages(text, expected);
    }
}

/* Formatting loses no comment, and moves none to another operation. */
TEST(test_kept_comments)
{
    static const char text[] =
        "// file\n\nmodule { // module\n# function\n"
        "func.func @f(%p: !pto.ptr<f32>) attributes {pto.kernel} {\n"
        "  %c = arith.constant true // condition\n"
        "  scf.if %c { // in if\n  // end of if\n  } else {\n  // end of else\n  } // behind\n"
        "  // before\n  %t = texpands %c // 1\n : i1 -> !pto.tile<vec, // 2\n 1x8xi32 // 3\n> // "
        "4\n"
        "  pto.tsync\n  %d, %e = scf.if %c -> (i1, i1) {\n  scf.yield %c, %c : i1, i1\n"
        "  } else {\n  scf.yield %c, %c : i1, i1\n  }\n"
        "  return // done\n  // end of function\n}\n// end of module\n} // behind it\n// end\n";
    static const char expected[] =
        "// file\nmodule {\n  // module\n  // function\n"
        "  func.func @f(%p: !pto.ptr<f32>) attributes {pto.kernel} {\n"
        "    // condition\n    %c = arith.constant 1 : i1\n"
        "    // behind\n    scf.if %c {\n      // in if\n      // end of if\n    } else {\n"
        "      // end of else\n    }\n"
        "    // before\n    // 1\n    // 2\n    // 3\n    // 4\n"
        "    %t = pto.texpands %c : i1 -> !pto.tile<vec, 1x8xi32>\n"
        "    pto.barrier\n    %d, %e = scf.if %c -> (i1, i1) {\n      scf.yield %c, %c : i1, i1\n"
        "    } else {\n      scf.yield %c, %c : i1, i1\n    }\n"
        "    // done\n    return\n    // end of function\n  }\n  // end of module\n}\n"
        "// behind it\n// end\n";
    SCOPED_PROGRAM *p = test_round_trip("t", text, sizeof text - 1);
    FREED char *printed = test_printed(p, SAM_TILE_SSA);
    assert_string_equal(printed, expected);
}

/* A hint: nothing happens, and only to partitions. */
TEST(test_prefetch)
{
    static const char text[] =
        "func.func @f(%p: !pto.ptr<f32>) {\n"
        "  %c = arith.constant 8 : index\n"
        "  %z = arith.constant 0 : index\n"
        "  %v = pto.make_tensor_view %p, shape = [%c, %c], strides = [%c, %z] : "
        "!pto.tensor_view<?x?xf32>\n"
        "  %w = pto.partition_view %v, offsets = [%z, %z], sizes = [%c, %c] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<?x?xf32>\n"
        "  pto.prefetch %w : !pto.partition_tensor_view<?x?xf32>\n"
        "  return\n}\n";
    struct sam_tile_program *p = test_round_trip("t", text, sizeof text - 1);
    FREED char *printed = test_printed(p, SAM_TILE_SSA);
    assert_non_null(strstr(printed, "pto.prefetch %w : !pto.partition_tensor_view<?x?xf32>\n"));
    sam_tile_program_free(p);
    expect_messages(
        "%c = arith.constant 8 : index\nprefetch %c : index\n",
        "t.pto:2:10: error: expected a partition of a tensor view, %c is of type index\n"
        "    prefetch %c : index\n             ^\n");
}

/* `#` starts a comment at the start of a line and between blanks, otherwise an attribute. */
TEST(test_comments)
{
    static const char text[] = "# one\nmodule attributes {a = #dlti.x<1>, b = \"{\"} { // two }\n"
                               "func.func @f(%p: !pto.ptr<f32>)\n\n { # three }\n  %a =\n"
                               "arith.constant 1 // : f32\n: index # four\nreturn}}";
    static const char plain[] = "module attributes {a = #dlti.x<1>, b = \"{\"} {\n"
                                "func.func @f(%p: !pto.ptr<f32>) {\n"
                                "  %a = arith.constant 1 : index\n  return\n}}";
    SCOPED_PROGRAM *a = test_parse("a", text, sizeof text - 1);
    SCOPED_PROGRAM *b = test_parse("b", plain, sizeof plain - 1);
    assert_true(sam_tile_equal(a, b));
}

/* Both spellings of a type are one type. */
TEST(test_spellings)
{
    static const char compact[] = "%d = pto.tcolmin %s : !pto.tile_buf<vec, 32x32xf32, "
                                  "valid=31x?, pad=1> -> !pto.tile_buf<vec, 1x32xf32>\n";
    static const char long_[] =
        "%d = tcolmin %s : !pto.tile<pad=zero, loc=vec, dtype=f32, rows=32, cols=32, v_row=31,\n"
        " v_col=?, blayout=row_major, slayout=none_box, fractal=512> -> !pto.tile<loc=vec, "
        "dtype=f32, cols=32, rows=1>";
    SCOPED_PROGRAM *a, *b, *c;
    a = test_parse("a", compact, strlen(compact));
    b = test_parse("b", long_, strlen(long_));
    assert_true(sam_tile_equal(a, b));
    c = test_parse("c", "%d = tcolmin %s : !pto.tile<vec, 32x32xf32> -> !pto.tile<vec, 1x32xf32>",
                   71);
    assert_false(sam_tile_equal(a, c));
}

/* A percent or at sign without a name is a token of its own, and does not join its neighbour. */
TEST(test_bare_signs)
{
    static const char *const texts[][2] = {
        {"scf.for%%%%", "1:8: error: expected the loop's variable, as %i, found '%'"},
        {"scf.for % = %a", "1:9: error: expected the loop's variable, as %i, found '%'"},
        {"scf.for %i = %a to %b step %c iter_args(%",
         "1:41: error: expected a name for the carried value, as %a, found '%'"},
        {"scf.for %i = %a to %b step %c iter_args(%%%)",
         "1:41: error: expected a name for the carried value, as %a, found '%'"},
        {"scf.if %%", "1:8: error: expected a value, as %name, found '%'"},
        {"% = tcolmin", "1:1: error: expected an operation, found '%'"},
        {"%a, % = tcolmin", "1:5: error: expected a result, found '%'"},
        {"func.func @ (", "1:11: error: expected a name, as @kernel, found '@'"},
        {"func.func @k(%)", "1:14: error: expected an argument, as %a: index, found '%'"},
        {"func.func @k() {\n%}", "2:1: error: expected an operation, found '%'"},
        {"func.func @k() {\n%c = arith.constant 3\": index\nreturn\n",
         "2:22: error: expected ':' before the constant's type, found '\": index'"},
        {"%u = tassign %t, @(0)", "1:18: error: expected a value, as %name, found '@'"},
        {"\x01", "1:1: error: expected an operation, found byte 0x01"},
        {"\x7f", "1:1: error: expected an operation, found byte 0x7f"},
    };
    for (size_t i = 0; i < SAM_COUNT(texts); i++) {
        FREED char *messages = test_messages("m", texts[i][0]);
        assert_int_equal(strncmp(messages, "m:", 2), 0);
        assert_non_null(strchr(messages, '\n'));
        messages[strcspn(messages, "\n")] = '\0';
        assert_string_equal(messages + 2, texts[i][1]);
    }
}

/* Large and deeply nested texts end in bounded time, with a one-line error. */
TEST(test_big)
{
    SCOPED(sam_buffer) out = {0}, deep = {0};
    for (int i = 0; i < 20000; i++)
        sam_buffer_printf(&out,
                          "%%d%d = tcolmin %%s : !pto.tile<vec, 16x16xf32> -> "
                          "!pto.tile<vec, 1x16xf32>\n",
                          i);
    round_trip("long", sam_buffer_text(&out), out.size);
    sam_buffer_printf(&deep, "%%c = arith.constant true\n");
    for (int i = 0; i < 100000; i++)
        sam_buffer_printf(&deep, "scf.if %%c {\n");
    FREED char *messages = test_messages("deep", sam_buffer_text(&deep));
    assert_string_equal(messages, "deep:102:1: error: blocks nest deeper than 100\n"
                                  "    scf.if %c {\n    ^\n");
}
