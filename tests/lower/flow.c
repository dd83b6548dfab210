/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars, loops and branches. Their values are observed in the message of a failure. */
#include "lower/lowered.h"

/* `text` of a function with four indexes ends with %r, which must be this number. */
static void expect(const char *text, int64_t a, int64_t b, int64_t number)
{
    SCOPED(lowered) x = {0};
    char whole[8192], message[100];
    snprintf(whole, sizeof whole,
             "func.func @f(%%a: index, %%b: index) {\n"
             "%%c0 = arith.constant 0 : index\n"
             "%%c1 = arith.constant 1 : index\n"
             "%%c2 = arith.constant 2 : index\n"
             "%%c9 = arith.constant 9 : index\n"
             "%s\n"
             "%%big = arith.constant 0x4000000000000000 : index\n"
             "%%t = pto.alloc_tile valid_row = %%r : !pto.tile_buf<vec, 8x8xf32, valid=?x8>\n"
             "%%s = arith.divsi %%r, %%c0 : index\n"
             "return }\n",
             text);
    x.text = whole;
    lowered_scalar(&x, SAM_I64, (uint64_t)a);
    lowered_scalar(&x, SAM_I64, (uint64_t)b);
    lowered_run(&x);
    assert_int_equal(x.status, SAM_ERR_TRAP);
    snprintf(message, sizeof message, ": %lld valid rows in a tile of 8", (long long)number);
    if (number < 0 || number > 8 ? !strstr(x.error.text, message)
                                 : !strstr(x.error.text, "division by zero"))
        fail_msg("%s\n%s: found %s", whole, message, x.error.text);
}

TEST(test_arithmetic)
{
    const int64_t least = INT64_MIN;
    expect("%r = arith.addi %a, %b : index", 40, 60, 100);
    expect("%r = arith.subi %a, %b : index", 40, 60, -20);
    expect("%r = arith.muli %a, %b : index", INT64_C(0x123456789), -7, -7 * INT64_C(0x123456789));
    expect("%r = arith.divsi %a, %b : index", -100, 7, -14);
    expect("%r = arith.remsi %a, %b : index", -100, 7, -2);
    expect("%r = arith.divsi %a, %b : index", least, -1, least);
    expect("%q = arith.remsi %a, %b : index\n%r = arith.subi %q, %c9 : index", least, -1, -9);
    expect("%p = arith.cmpi slt, %a, %b : index\n%r = arith.select %p, %a, %b : index", -3, 50, -3);
    expect("%p = arith.cmpi sge, %a, %b : index\n%r = arith.select %p, %a, %b : index", -3, 50, 50);
}

TEST(test_predicates)
{
    static const char *const names[] = {"eq", "ne", "slt", "sle", "sgt", "sge"};
    static const int64_t pairs[][2] = {{1, 2}, {2, 1}, {7, 7}, {-1, 1}, {INT64_MIN, INT64_MAX}};
    for (size_t i = 0; i < SAM_COUNT(names); i++)
        for (size_t k = 0; k < SAM_COUNT(pairs); k++) {
            const int64_t a = pairs[k][0], b = pairs[k][1];
            const bool outcomes[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
            char text[300];
            snprintf(text, sizeof text,
                     "%%p = arith.cmpi %s, %%a, %%b : index\n"
                     "%%x = arith.constant 100 : index\n%%y = arith.constant 200 : index\n"
                     "%%r = arith.select %%p, %%x, %%y : index",
                     names[i]);
            expect(text, a, b, outcomes[i] ? 100 : 200);
        }
}

TEST(test_widths)
{
    static const struct {
        const char *type;
        int64_t a, b, sum;
    } rows[] = {
        {"i8", 100, 100, -56},
        {"ui8", 200, 100, 44},
        {"i16", 30000, 30000, -5536},
        {"ui16", 60000, 60000, 54464},
        {"i32", INT32_MAX, 1, INT32_MIN},
        {"ui32", UINT32_MAX, 10, 9},
        {"i64", INT64_MAX, 1, INT64_MIN},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "%%x = arith.index_cast %%a : index to %s\n"
                 "%%y = arith.index_cast %%b : index to %s\n"
                 "%%z = arith.addi %%x, %%y : %s\n"
                 "%%r = arith.index_cast %%z : %s to index",
                 rows[i].type, rows[i].type, rows[i].type, rows[i].type);
        expect(text, rows[i].a, rows[i].b, rows[i].sum);
    }
}

TEST(test_loops)
{
    const char *sum = "%r = scf.for %i = %a to %b step %c2 iter_args(%s = %c9) -> (index) {\n"
                      "  %n = arith.addi %s, %i : index\n"
                      "  scf.yield %n : index\n"
                      "}";
    expect(sum, 10, 20, 79);
    expect(sum, 20, 20, 9);
    expect(sum, -5, -9, 9);
    /* the loop ends where the variable would wrap */
    expect("%r = scf.for %i = %a to %b step %c9 iter_args(%s = %c9) -> (index) {\n"
           "  %n = arith.addi %s, %i : index\n"
           "  scf.yield %n : index\n"
           "}",
           INT64_MAX - 3, INT64_MAX, INT64_MIN + 5);
    /* the carried values are swapped */
    expect(
        "%u, %v = scf.for %i = %c0 to %c9 step %c1 iter_args(%x = %a, %y = %b) -> (index, index) "
        "{\n"
        "  scf.yield %y, %x : index, index\n"
        "}\n"
        "%r = arith.subi %u, %v : index",
        10, 500, 490);
    expect("%r = scf.for %i = %c0 to %a step %c1 iter_args(%s = %c0) -> (index) {\n"
           "  %t1 = scf.for %k = %c0 to %i step %c1 iter_args(%q = %s) -> (index) {\n"
           "    %n = arith.addi %q, %c1 : index\n"
           "    scf.yield %n : index\n"
           "  }\n"
           "  scf.yield %t1 : index\n"
           "}",
           20, 0, 190);
}

TEST(test_branches)
{
    const char *text = "%p = arith.cmpi slt, %a, %b : index\n"
                       "%r = scf.if %p -> (index) {\n"
                       "  %x = arith.muli %a, %b : index\n"
                       "  scf.yield %x : index\n"
                       "} else {\n"
                       "  %y = arith.subi %a, %b : index\n"
                       "  scf.yield %y : index\n"
                       "}";
    expect(text, 30, 40, 1200);
    expect(text, 400, 40, 360);
}

TEST(test_step)
{
    struct lowered x = {.text = "func.func @f(%a: index) {\n"
                                "%c0 = arith.constant 0 : index\n"
                                "scf.for %i = %c0 to %a step %a {\n"
                                "}\n"
                                "return }\n"};
    lowered_scalar(&x, SAM_I64, (uint64_t)-4);
    lowered_run(&x);
    assert_non_null(strstr(x.error.text, "scf.for steps by -4; expected 1 or more"));
    lowered_free(&x);
    lowered_scalar(&x, SAM_I64, 4);
    lowered_succeeds(&x);
}
