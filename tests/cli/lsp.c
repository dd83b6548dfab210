/* SPDX-License-Identifier: Apache-2.0 */
/* `samite lsp`: conversations, whose messages are all sent at once. Parameters are JSON with single
 * quotes. */

#include "cli/command.h"

static struct sam_buffer said;

FIXTURE(setup)
{
    make_directory();
    command_verb = "lsp";
    return 0;
}

/* A request with the id, or a notification without (0). */
static void say(const char *method, int id, const char *params)
{
    SCOPED(sam_buffer) body = {0};
    sam_buffer_printf(&body, "{'jsonrpc':'2.0','method':'%s','params':%s", method, params);
    if (id)
        sam_buffer_printf(&body, ",'id':%d", id);
    sam_buffer_puts(&body, "}");
    for (size_t i = 0; i < body.size; i++)
        body.data[i] = body.data[i] == '\'' ? '"' : body.data[i];
    sam_buffer_printf(&said, "Content-Length: %zu\r\n\r\n", body.size);
    sam_buffer_append(&said, body.data, body.size);
}

/* Send what was said; an array of the answers. */
static json_t *answers(void)
{
    json_t *all = json_array();
    write_text("said", sam_buffer_text(&said));
    sam_buffer_free(&said);
    SCOPED(sam_buffer) out = expect_success("<said");
    const char *at = sam_buffer_text(&out);
    for (const char *body; (body = strstr(at, "\r\n\r\n")); at = body) {
        json_error_t error;
        body += 4;
        json_t *message = json_loads(body, JSON_DISABLE_EOF_CHECK, &error);
        assert_non_null(message);
        body += error.position;
        json_array_append_new(all, message);
    }
    assert_int_equal(*at, '\0');
    return all;
}

static const char *text_at(const json_t *root, const char *path)
{
    const char *text = json_string_value(json_at(root, path));
    if (!text)
        fail_msg("no text at '%s'", path);
    return text;
}

#define OPEN(uri, text) "{'textDocument':{'uri':'" uri "','text':'" text "'}}"
#define AT(uri, line, column)                                                                      \
    "{'textDocument':{'uri':'" uri "'},'position':{'line':" line ",'character':" column "}}"
#define TILE                                                                                       \
    "%d = pto.tcolminn %s : !pto.tile<vec, 16x16xf32> -> !pto.tile<vec, 1x16xf32>\\n// tcolmin %d"

TEST(assembly)
{
    say("initialize", 1, "{}");
    say("textDocument/didOpen", 0, OPEN("file:///a.s", "k:  addd x1, x2\\n  vblt v1, v2, k\\n"));
    say("textDocument/hover", 2, AT("file:///a.s", "1", "3"));
    say("textDocument/hover", 3, AT("file:///a.s", "1", "15"));
    say("textDocument/definition", 4, AT("file:///a.s", "1", "15"));
    say("textDocument/definition", 5, AT("file:///a.s", "1", "4"));
    say("textDocument/didChange", 0,
        "{'textDocument':{'uri':'file:///a.s'},'contentChanges':[{'text':'k: nop\\n'}]}");
    say("textDocument/didClose", 0, "{'textDocument':{'uri':'file:///a.s'}}");
    say("shutdown", 6, "null");
    say("exit", 0, "null");
    SCOPED_JSON *all = answers();
    assert_int_equal(json_array_size(all), 8);
    assert_true(json_is_true(json_at(all, "0/result/capabilities/hoverProvider")));
    assert_string_equal(text_at(all, "1/params/uri"), "file:///a.s");
    assert_string_equal(text_at(all, "1/params/diagnostics/0/message"),
                        "unknown instruction 'addd'; did you mean 'addi'?");
    assert_int_equal(number_at(all, "1/params/diagnostics/0/severity"), 1);
    assert_int_equal(number_at(all, "1/params/diagnostics/0/range/start/character"), 4);
    assert_int_equal(number_at(all, "1/params/diagnostics/0/range/end/character"), 8);
    assert_non_null(strstr(text_at(all, "2/result/contents/value"), "vblt vs2, vs1, offset"));
    assert_true(json_is_null(json_at(all, "3/result")));
    assert_int_equal(number_at(all, "4/result/range/start/line"), 0);
    assert_int_equal(number_at(all, "4/result/range/end/character"), 1);
    assert_true(json_is_null(json_at(all, "5/result")));
    assert_int_equal(json_array_size(json_at(all, "6/params/diagnostics")), 0);
    assert_true(json_is_null(json_at(all, "7/result")));
}

/* clang's messages, with what is included next to the file; those of the compiler. Edits that
 * arrive together are checked once, after the last. */
TEST(opencl)
{
    if (system("${SAMITE_CLANG:-clang} --version >/dev/null 2>&1") != 0)
        skip();
    SCOPED(sam_buffer) uri = {0};
    SCOPED(sam_buffer) open = {0};
    write_text("inc.h", "#define TWO 2\n");
    sam_buffer_printf(&uri, "file://%s/not \\\"there\\\".cl", directory);
    sam_buffer_printf(&open,
                      OPEN("%s", "#include \\\"inc.h\\\"\\n"
                                 "kernel void k(global int *x) { x[0] = TWO + y; }"),
                      sam_buffer_text(&uri));
    say("textDocument/didOpen", 0, sam_buffer_text(&open));
    open.size = 0;
    sam_buffer_printf(&open, "{'textDocument':{'uri':'%s'},'contentChanges':[{'text':'%s'}]}",
                      sam_buffer_text(&uri),
                      "int f(void);\\nkernel void k(global int *x)\\n{ *x = f(); }");
    say("textDocument/didChange", 0, sam_buffer_text(&open));
    say("textDocument/didChange", 0, sam_buffer_text(&open));
    say("textDocument/didOpen", 0, OPEN("file:///b.cl", "#include <no.h>"));
    write_text("bad.h", "int f(int x) { return q; }");
    sam_buffer_free(&open);
    sam_buffer_printf(&open, OPEN("file://%s/d.cl", "#include \\\"bad.h\\\""), directory);
    say("textDocument/didOpen", 0, sam_buffer_text(&open));
    say("textDocument/didOpen", 0,
        OPEN("file:///c.cl", "kernel void k(global int *x) { x[0]++; }"));
    say("textDocument/hover", 1, AT("file:///c.cl", "0", "2"));
    SCOPED_JSON *all = answers();
    assert_string_equal(text_at(all, "0/params/diagnostics/0/message"),
                        "use of undeclared identifier 'y'");
    assert_int_equal(number_at(all, "0/params/diagnostics/0/range/start/line"), 1);
    assert_int_equal(number_at(all, "0/params/diagnostics/0/range/start/character"), 44);
    assert_int_equal(number_at(all, "1/params/diagnostics/0/severity"), 1);
    assert_non_null(
        strstr(text_at(all, "1/params/diagnostics/0/message"), "'no.h' file not found"));
    /* an error in an included file */
    assert_non_null(strstr(text_at(all, "2/params/diagnostics/0/message"), "identifier 'q'"));
    assert_int_equal(number_at(all, "2/params/diagnostics/0/range/start/line"), 0);
    assert_int_equal(json_array_size(json_at(all, "3/params/diagnostics")), 0);
    assert_true(json_is_null(json_at(all, "4/result")));
    assert_non_null(strstr(text_at(all, "5/params/diagnostics/0/message"), "no function 'f'"));
    assert_int_equal(number_at(all, "5/params/diagnostics/0/range/start/line"), 2);
    assert_int_equal(number_at(all, "5/params/diagnostics/0/range/start/character"), 7);
    assert_int_equal(json_array_size(all), 6);
}

/* Local labels: the nearest before or after. A file next to one whose name is encoded. */
TEST(labels_and_names)
{
    write_text("inc.s", "nop\n");
    SCOPED(sam_buffer) open = {0};
    sam_buffer_printf(&open, OPEN("file://%s/%%6b.s", ".include \\\"inc.s\\\"\\n"), directory);
    say("textDocument/didOpen", 0, sam_buffer_text(&open));
    say("textDocument/didOpen", 0,
        OPEN("file:///a.s", "1: nop\\n1: j 1b\\n j 1f\\n1: j 1f\\n1: nop\\n"));
    say("textDocument/definition", 1, AT("file:///a.s", "1", "6"));
    say("textDocument/definition", 2, AT("file:///a.s", "2", "4"));
    say("textDocument/definition", 3, AT("file:///a.s", "3", "6"));
    SCOPED_JSON *all = answers();
    assert_int_equal(json_array_size(json_at(all, "0/params/diagnostics")), 0);
    assert_int_equal(number_at(all, "2/result/range/start/line"), 1);
    assert_int_equal(number_at(all, "3/result/range/start/line"), 3);
    assert_int_equal(number_at(all, "3/result/range/end/character"), 1);
    assert_int_equal(number_at(all, "4/result/range/start/line"), 4);
}

TEST(tile_programs)
{
    say("textDocument/didOpen", 0, OPEN("file:///a.pto", TILE));
    say("textDocument/hover", 1, AT("file:///a.pto", "1", "5"));
    say("textDocument/definition", 2, AT("file:///a.pto", "1", "12"));
    say("textDocument/didOpen", 0,
        OPEN("file:///b.pto", "func.func @f(%a: !pto.ptr<f32>) {\\n return\\n}\\n// @f %a"));
    say("textDocument/definition", 3, AT("file:///b.pto", "3", "4"));
    say("textDocument/definition", 4, AT("file:///b.pto", "3", "7"));
    SCOPED_JSON *all = answers();
    assert_string_equal(text_at(all, "0/params/diagnostics/0/message"),
                        "unknown operation 'pto.tcolminn'; did you mean 'pto.tcolmin'?");
    assert_non_null(strstr(text_at(all, "1/result/contents/value"), "d[0,j] = min over i"));
    assert_int_equal(number_at(all, "2/result/range/end/character"), 2);
    assert_int_equal(json_array_size(json_at(all, "3/params/diagnostics")), 0);
    assert_int_equal(number_at(all, "4/result/range/start/character"), 10);
    assert_int_equal(number_at(all, "5/result/range/start/character"), 13);
}

/* Positions count units of UTF-16, or bytes where the client can. */
TEST(positions)
{
    static const char *const wishes[] = {
        "{}", "{'capabilities':{'general':{'positionEncodings':['utf-16','utf-8']}}}"};
    static const json_int_t starts[] = {11, 14};
    for (int i = 0; i < 2; i++) {
        say("initialize", 1, wishes[i]);
        say("textDocument/didOpen", 0,
            OPEN("file:///a.s", "/*\xf0\x9f\x98\x80\xc3\xa9*/ k: addd\\n"));
        SCOPED_JSON *all = answers();
        assert_int_equal(number_at(all, "1/params/diagnostics/0/range/start/character"), starts[i]);
    }
}

TEST(wrong_messages)
{
    say("textDocument/hover", 1, AT("file:///none.s", "0", "0"));
    say("textDocument/hover", 2, "[]");
    say("nothing/here", 3, "{}");
    say("nothing/here", 0, "{}");
    say("textDocument/didOpen", 0, "{'textDocument':7}");
    say("textDocument/didOpen", 0, OPEN("file:///a.s", "nop"));
    say("textDocument/didChange", 0, "{'textDocument':{'uri':'file:///a.s'},'contentChanges':[5]}");
    say("textDocument/hover", 4, AT("file:///a.s", "-1", "99"));
    say("textDocument/definition", 5, AT("file:///a.s", "9223372036854775807", "-9"));
    sam_buffer_puts(&said, "Content-Length: 1\r\n\r\n[");
    say("shutdown", 6, "{}");
    say("textDocument/hover", 7, AT("file:///a.s", "0", "0"));
    json_t *all = answers();
    assert_string_equal(text_at(all, "0/error/message"), "the document is not open");
    assert_string_equal(text_at(all, "1/error/message"), "the document is not open");
    assert_int_equal(number_at(all, "2/error/code"), -32601);
    assert_int_equal(json_array_size(json_at(all, "3/params/diagnostics")), 0);
    assert_true(json_is_null(json_at(all, "4/result")));
    assert_true(json_is_null(json_at(all, "5/result")));
    assert_int_equal(number_at(all, "6/error/code"), -32700);
    assert_true(json_is_null(json_at(all, "7/result")));
    assert_string_equal(text_at(all, "8/error/message"), "the server has been shut down");
    assert_int_equal(json_array_size(all), 9);
    json_decref(all);
    write_text("said", "Content-Length: 5\r\n\r\n{");
    expect_failure("<said", 2, "before the end of one");
    expect_failure("--isa none <said", 2, "none");
    say("exit", 0, "null");
    write_text("said", sam_buffer_text(&said));
    sam_buffer_free(&said);
    expect_failure("<said", 1, "expected shutdown");
}

TEST_GROUP(setup, remove_directory)
