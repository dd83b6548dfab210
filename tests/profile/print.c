/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as text, JSON, folded stacks and an HTML page: their contents, and well-formedness. */
#include <unistd.h>

#include "test.h"
#include <jansson.h>

#include "samite/samite.h"
#include "simt/program.h"

/* Lines 2 to 7; the hottest is 5, with three of the five instructions of the loop. */
static const char source[] = "_start:\n"
                             "    li t0, 10           # <first> & \"last\"\n"
                             ".globl inner\n"
                             "inner:\n"
                             "1:  nop; nop; addi t0, t0, -1\n"
                             "    vadd.vi v1, v1, 1\n"
                             "    bnez t0, 1b\n"
                             "    endprg\n";

static char path[] = "/tmp/samite-profile-XXXXXX";

struct fixture {
    struct sam_profile *profile;
    struct program program;
    struct sam_profile_options options;
};

/* The program, run, with the line information of a file that exists or does not. */
static struct fixture make(bool readable)
{
    struct fixture f = {.profile = sam_profile_new(), .program = program_new(source, 32)};
    struct sam_asm_options options = {.size = sizeof options, .base = SAM_CODE_BASE, .lines = true};
    SCOPED_TEXT *messages;
    assert_non_null(f.profile);
    sam_image_free(f.program.image);
    succeeds(sam_isa_parse, "ventus", &options.isa);
    succeeds(sam_assemble, &options, readable ? path : "no/such/file.s", source, sizeof source - 1,
             &f.program.image, &messages);
    f.program.launch.image = f.program.image;
    f.program.options.size = sizeof f.program.options;
    f.program.options.profile = f.profile;
    f.program.launch.warps = 2;
    program_pass(&f.program);
    f.options = (struct sam_profile_options){
        .size = sizeof f.options, .image = f.program.image, .title = "a <kernel> & \"more\""};
    return f;
}

static void release(struct fixture *f)
{
    program_free(&f->program);
    sam_profile_free(f->profile);
}

static SAM_NOINLINE char *print(struct fixture *f, enum sam_profile_format format)
{
    char *text = NULL;
    succeeds(sam_profile_print, f->profile, format, &f->options, &text);
    return text;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
}

TEST(as_text)
{
    struct fixture f = make(true);
    char *text = print(&f, SAM_PROFILE_TEXT), row[256];
    expect(text, "profile of a <kernel> & \"more\": 104 instructions of warps, 100.0% of lanes");
    snprintf(row, sizeof row,
             " 57.69 %12d  %6s  %8s  %9s  %9s  %s:5  1:  nop; nop; addi t0, t0, -1\n", 60, "", "",
             "", "", path);
    expect(text, row);
    /* hottest first */
    const char *fifth = strstr(text, row), *second = strstr(text, "<first>");
    assert_true(second && fifth < second);
    expect(text, "inner\n");
    expect(text, "0x80000010  vadd.vi v1, v1, 1\n");
    sam_text_free(text);
    f.options.top = 2;
    text = print(&f, SAM_PROFILE_TEXT);
    expect(text, "... 3 more lines\n");
    expect(text, "... 5 more instructions\n");
    sam_text_free(text);
    release(&f);
}

TEST(as_json)
{
    struct fixture f = make(true);
    SCOPED_TEXT *text = print(&f, SAM_PROFILE_JSON);
    json_error_t error;
    json_t *root = json_loads(text, 0, &error), *row;
    if (!root)
        fail_msg("%s", error.text);
    size_t i;
    json_int_t sum = 0;
    json_array_foreach(json_object_get(root, "instructions"), i, row) sum +=
        json_integer_value(json_object_get(row, "count"));
    assert_int_equal(sum, f.program.result.stats.warp_insns);
    sum = 0;
    json_array_foreach(json_object_get(root, "lines"), i, row) sum +=
        json_integer_value(json_object_get(row, "count"));
    assert_int_equal(sum, f.program.result.stats.warp_insns);
    row = json_array_get(json_object_get(root, "lines"), 0);
    assert_int_equal(json_integer_value(json_object_get(row, "line")), 5);
    assert_int_equal(json_integer_value(json_object_get(row, "count")), 60);
    assert_string_equal(json_string_value(json_object_get(root, "title")), f.options.title);
    json_decref(root);
    release(&f);
}

TEST(as_folded)
{
    struct fixture f = make(true);
    f.options.title = "one;two";
    char *text = print(&f, SAM_PROFILE_FOLDED), row[256];
    uint64_t sum = 0;
    snprintf(row, sizeof row, "one_two;inner;%s:6;0x80000010 vadd.vi v1, v1, 1 20\n", path);
    expect(text, row);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        sum += strtoull(strrchr(line, ' '), NULL, 10);
    assert_int_equal(sum, f.program.result.stats.warp_insns);
    sam_text_free(text);
    release(&f);
}

/* Elements are closed in order by their own end tags, except void ones. */
static void check_nesting(const char *html)
{
    const char *open[64];
    size_t depth = 0;
    for (const char *at = strchr(html, '<'); at; at = strchr(at + 1, '<')) {
        const bool closes = at[1] == '/';
        const char *name = at + 1 + closes;
        const size_t size = strcspn(name, " >\n");
        if (name[0] == '!' || (size == 4 && memcmp(name, "meta", 4) == 0))
            continue;
        assert_non_null(strchr(at, '>'));
        if (closes) {
            assert_true(depth > 0);
            depth--;
            if (strncmp(open[depth], name, size) != 0 || !strchr(" >\n", open[depth][size]))
                fail_msg("</%.*s> closes <%.10s", (int)size, name, open[depth]);
        } else {
            assert_true(depth < SAM_COUNT(open));
            open[depth++] = name;
        }
    }
    assert_int_equal(depth, 0);
}

/* Nothing is fetched, no script runs, and every link has exactly one target. */
static void check_alone(const char *html)
{
    static const char *const outside[] = {"http",  "<script", "src=",        "@import", "url(",
                                          "<link", "<img",    "javascript:", " on"};
    for (size_t i = 0; i < SAM_COUNT(outside); i++)
        if (strstr(html, outside[i]) && strcmp(outside[i], " on") != 0)
            fail_msg("the page has '%s'", outside[i]);
    for (const char *at = strstr(html, "href=\""); at; at = strstr(at + 1, "href=\"")) {
        assert_int_equal(at[6], '#');
        FREED char *wanted = formatted("id=\"%.*s\"", (int)strcspn(at + 7, "\""), at + 7);
        const char *found = strstr(html, wanted);
        if (!found)
            fail_msg("%s is nowhere", wanted);
        assert_null(strstr(found + 1, wanted));
    }
}

TEST(as_page)
{
    struct fixture f = make(true);
    SCOPED_TEXT *html = print(&f, SAM_PROFILE_HTML);
    assert_int_equal(strncmp(html, "<!DOCTYPE html>", 15), 0);
    check_nesting(html);
    check_alone(html);
    expect(html, "<title>Profile of a &lt;kernel&gt; &amp; &quot;more&quot;</title>");
    expect(html, "&lt;first&gt; &amp; &quot;last&quot;");
    expect(html, "<summary>1:  nop; nop; addi t0, t0, -1</summary>");
    expect(html, "<td>60</td>");
    /* the first of the hottest lines is line 5 */
    const char *hot = strstr(html, "<h2 id=\"lines\">");
    assert_non_null(hot);
    hot = strstr(hot, "href=\"");
    assert_int_equal(strncmp(hot, "href=\"#s0l5\"", 12), 0);
    expect(html, "<tr id=\"s0l1\">"); /* lines without code, too */
    release(&f);
}

/* Without the file, or any line information, the rest is shown. */
TEST(without_source)
{
    struct fixture f = make(false);
    for (int i = 0; i < 2; i++) {
        SCOPED_TEXT *html = print(&f, SAM_PROFILE_HTML), *text = print(&f, SAM_PROFILE_TEXT);
        check_nesting(html);
        check_alone(html);
        assert_true(!strstr(html, "title=\"no/such/file.s\">file.s:5") == (i == 1));
        assert_true(!strstr(text, "no/such/file.s:5") == (i == 1));
        expect(html, "vadd.vi v1, v1, 1");
        f.options.image = NULL;
    }
    release(&f);
}

TEST(empty)
{
    struct sam_profile *profile = sam_profile_new();
    struct sam_error error;
    for (int format = SAM_PROFILE_TEXT; format <= SAM_PROFILE_HTML; format++) {
        SCOPED_TEXT *text = NULL;
        succeeds(sam_profile_print, profile, (enum sam_profile_format)format, NULL, &text);
        if (format == SAM_PROFILE_HTML)
            check_nesting(text);
    }
    char *text = NULL;
    assert_int_equal(sam_profile_print(profile, (enum sam_profile_format)9, NULL, &text, &error),
                     SAM_ERR_USAGE);
    assert_null(text);
    sam_profile_free(profile);
    sam_profile_free(NULL);
}

FIXTURE(write_source)
{
    struct sam_error error;
    const int file = mkstemp(path);
    if (file < 0)
        return -1;
    close(file);
    return sam_file_write(path, source, sizeof source - 1, &error) == SAM_OK ? 0 : -1;
}

FIXTURE(remove_source)
{
    return unlink(path);
}

TEST_GROUP(write_source, remove_source)
