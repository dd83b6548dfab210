/* SPDX-License-Identifier: Apache-2.0 */
/* Results bound to a tile defined before: the manual form of the published page, where tassign
 * precedes the operation, and a result of an alloc_tile. */
#include "tile/tile_test.h"

#define S "!pto.tile<vec, 16x16xf32>"
#define D "!pto.tile<vec, 1x16xf32>"

/* The program equals the one spelled out in the second text, and survives its surfaces. */
static void expect_same(const char *text, const char *spelled_out)
{
    SCOPED_PROGRAM *a = test_round_trip("a", text, strlen(text));
    SCOPED_PROGRAM *b = test_parse("b", spelled_out, strlen(spelled_out));
    FREED char *messages = NULL;
    assert_true(sam_tile_equal(a, b));
    assert_int_equal(sam_tile_check(a, SAM_TILE_A5, &messages, NULL), SAM_OK);
    assert_string_equal(messages, "");
}

static void expect_line(const char *text, const char *expected)
{
    FREED char *messages = test_messages("t", text);
    assert_non_null(strchr(messages, '\n'));
    messages[strcspn(messages, "\n")] = '\0';
    assert_string_equal(messages, expected);
}

TEST(test_addresses_first)
{
    expect_same("pto.tassign %src, @tile(0x1000)\npto.tassign %dst, @tile(0x2000)\n"
                "%dst = pto.tcolmin %src : " S " -> " D "\n",
                "tassign %src, @tile(0x1000)\n%dst = alloc_tile : " D "\n"
                "tassign %dst, @tile(0x2000)\n"
                "tcolmin ins(%src : " S ") outs(%dst : " D ")\n");
    /* In a block of its own, before others. */
    expect_same("%c = arith.constant true\npto.tassign %src, @tile(0x1000)\nscf.if %c {\n"
                "pto.tassign %a, @tile(0x2000)\npto.tassign %b, @tile(0x3000)\n"
                "%a = tcolmin %src : " S " -> " D "\nbarrier\n"
                "%b = tcolmax %src : " S " -> " D "\n}\n",
                "%c = arith.constant true\ntassign %src, @tile(0x1000)\nscf.if %c {\n"
                "%a = alloc_tile : " D "\ntassign %a, @tile(0x2000)\n"
                "%b = alloc_tile : " D "\ntassign %b, @tile(0x3000)\n"
                "tcolmin ins(%src : " S ") outs(%a : " D ")\nbarrier\n"
                "tcolmax ins(%src : " S ") outs(%b : " D ")\n}\n");
}

TEST(test_allocated_first)
{
    expect_same("%dst = alloc_tile : " D "\n%dst = tcolmin %src : " S " -> " D "\n",
                "%dst = alloc_tile : " D "\ntcolmin ins(%src : " S ") outs(%dst : " D ")\n");
    expect_same("%dst = alloc_tile : " D "\n// the smallest\n%dst = tcolmin %src : " S " -> " D
                "\n%dst = tcolmax %src : " S " -> " D "\n",
                "%dst = alloc_tile : " D "\ntcolmin ins(%src : " S ") outs(%dst : " D ")\n"
                "tcolmax ins(%src : " S ") outs(%dst : " D ")\n");
}

TEST(test_refused)
{
    expect_line("%d = alloc_tile : " S "\n%d = tcolmin %s : " S " -> " D "\n",
                "t:2:1: error: %d is of type !pto.tile_buf<vec, 16x16xf32>, not !pto.tile_buf<vec, "
                "1x16xf32>");
    /* A result is defined once. */
    expect_line("%d = tcolmin %s : " S " -> " D "\n%d = tcolmax %s : " S " -> " D "\n",
                "t:2:1: error: %d is already defined, at line 1");
    expect_line("tcolmin ins(%s : " S ") outs(%d : " D ")\n%d = tcolmax %s : " S " -> " D "\n",
                "t:2:1: error: %d is defined here and used before; only a tassign can precede it");
    expect_line("tassign %d, @tile(0)\ntassign %d, @tile(32)\n%d = tcolmin %s : " S " -> " D "\n",
                "t:3:1: error: %d is defined here and used before; only a tassign can precede it");
    /* In another block than its tassign. */
    expect_line("%c = arith.constant true\ntassign %d, @tile(0)\nscf.if %c {\n"
                "%d = tcolmin %s : " S " -> " D "\n}\n",
                "t:4:1: error: %d is defined here and used before; only a tassign can precede it");
    expect_line("func.func @f() {\ntassign %d, @tile(0)\nreturn\n}\n",
                "t:2:9: error: %d is not defined");
    expect_line("func.func @f() {\ntassign %d, @tile(0)\n%u = tassign %d, %d : " D " -> " D
                "\nreturn\n}\n",
                "t:2:9: error: %d is not defined");
}

/* A tile that no result defines is an argument. */
TEST(test_free_tiles)
{
    static const char text[] = "%c = arith.constant true\nscf.if %c {\ntassign %s, @tile(0)\n}\n"
                               "%d = alloc_tile : " D "\ntassign %d, @tile(0x1000)\n"
                               "tcolmin ins(%s : " S ") outs(%d : " D ")\n";
    SCOPED_PROGRAM *p = test_round_trip("t", text, sizeof text - 1);
    assert_int_equal(sam_tile_argument_count(p, 0), 1);
    assert_string_equal(sam_tile_argument_name(p, 0, 0), "s");
}
