/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about source text: order, caret, long lines, repeated messages and the limit on their
 * number. */

#include "test.h"

#include "base/report.h"

static bool add(struct sam_report *report, uint64_t order, bool is_error,
                const struct sam_spot *spot, const char *format, ...) SAM_PRINTF(5, 6);
static bool add(struct sam_report *report, uint64_t order, bool is_error,
                const struct sam_spot *spot, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    bool added = sam_report_add(report, order, is_error, spot, format, list);
    va_end(list);
    return added;
}

static void expect(struct sam_report *report, const char *last, const char *text, const char *first)
{
    struct sam_error error = {0};
    FREED char *got = sam_report_end(report, last, &error);
    assert_string_equal(got, text);
    assert_string_equal(error.text, first);
}

TEST(in_order)
{
    struct sam_report report = {0};
    const struct sam_spot late = {"b.s", 7, 3, "abc", 3}, early = {"b.s", 2, 0, "xyz", 3},
                          nowhere = {0};
    assert_true(add(&report, 7, true, &late, "the %s", "third"));
    sam_report_note(&report, "a.s", 1, "a macro\x1b");
    assert_true(add(&report, 2, false, &early, "first"));
    assert_true(add(&report, 2, true, &nowhere, "second\n"));
    assert_int_equal(report.errors, 2);
    assert_int_equal(report.warnings, 1);
    expect(&report, "the end\n",
           "b.s:2: warning: first\n    xyz\n"
           "error: second?\n"
           "b.s:7:3: error: the third\n    abc\n      ^\na.s:1: note: in a macro?\n"
           "the end\n",
           "error: second?");
    expect(&report, NULL, "", ""); /* it is empty now */
}

TEST(repeated)
{
    struct sam_report report = {0};
    const struct sam_spot spot = {"x", 1, 1, "", 0};
    assert_true(add(&report, 1, true, &spot, "one"));
    assert_false(add(&report, 1, true, &spot, "one"));
    assert_true(add(&report, 2, true, &spot, "one"));
    assert_true(add(&report, 2, true, &spot, "two"));
    assert_int_equal(report.errors, 3);
    expect(&report, NULL,
           "x:1:1: error: one\n    \n    ^\nx:1:1: error: one\n    \n    ^\n"
           "x:1:1: error: two\n    \n    ^\n",
           "x:1:1: error: one");
}

/* A long line is clipped around its column; no character is cut, and the caret is in the right
 * column. */
TEST(long_lines)
{
    static const char arrow[] = "\xe2\x86\x92";
    char line[1200];
    for (size_t i = 0; i < sizeof line; i++)
        line[i] = arrow[i % 3];
    for (unsigned column = 0; column < sizeof line + 3; column++) {
        struct sam_report report = {0};
        const struct sam_spot spot = {"x", 1, column, line, sizeof line};
        assert_true(add(&report, 1, true, &spot, "e"));
        FREED char *text = sam_report_end(&report, NULL, NULL);
        char *at = strchr(text, '\n') + 1;
        size_t arrows = 0, width;
        assert_memory_equal(at, "    ", 4);
        for (at += 4; *at != '\n'; at += 3, arrows++)
            assert_memory_equal(at, arrow, 3);
        assert_true(arrows <= 2 * 34);
        width = strspn(++at, " ");
        assert_string_equal(at + width, column ? "^\n" : "");
        size_t before = column ? (column - 1 < sizeof line ? column - 1 : sizeof line) / 3 : 0;
        assert_int_equal(width, column ? 4 + (before < 33 ? before : 33) : 0);
    }
}

TEST(too_many)
{
    struct sam_report report = {0};
    const struct sam_spot nowhere = {0};
    for (unsigned i = 0; i < SAM_REPORT_MOST + 5; i++) {
        assert_int_equal(sam_report_takes(&report, true), i < SAM_REPORT_MOST);
        assert_true(add(&report, i, true, &nowhere, "error %u", i));
    }
    for (unsigned i = 0; i < SAM_REPORT_MOST + 1; i++)
        assert_true(add(&report, i, false, &nowhere, "warning %u", i));
    assert_int_equal(report.errors, SAM_REPORT_MOST + 5);
    FREED char *text = sam_report_end(&report, NULL, NULL);
    assert_non_null(strstr(text, "error: error 199\n"));
    assert_null(strstr(text, "error: error 200\n"));
    assert_non_null(strstr(text, "\nerror: 5 more errors\nwarning: 1 more warning\n"));
}
