/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the Language Server Protocol: raw bytes, or bodies on lines, framed here. Everything
 * sent is well-formed. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "lsp.h"

struct client {
    struct sam_buffer said;
    size_t at;
};

static size_t read_client(void *context, char *bytes, size_t size)
{
    struct client *c = context;
    const size_t left = c->said.size - c->at, part = left < size ? left : size;
    if (part)
        memcpy(bytes, c->said.data + c->at, part);
    c->at += part;
    return part;
}

static void write_client(void *context, const char *bytes, size_t size)
{
    const char *body = memmem(bytes, size, "\r\n\r\n", 4);
    (void)context;
    FUZZ_CHECK(body);
    json_t *message = json_loadb(body + 4, (size_t)(bytes + size - body - 4), JSON_ALLOW_NUL, NULL);
    FUZZ_CHECK(json_is_object(message));
    FUZZ_CHECK(json_object_get(message, "method") || json_object_get(message, "result") ||
               json_object_get(message, "error"));
    json_decref(message);
}

static void put_lines(struct sam_buffer *out, const char *text, size_t size)
{
    while (size) {
        const char *end = memchr(text, '\n', size);
        const size_t length = end ? (size_t)(end - text) : size;
        sam_buffer_printf(out, "Content-Length: %zu\r\n\r\n", length);
        sam_buffer_append(out, text, length);
        text += length + (end != NULL);
        size -= length + (end != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct client client = {.at = 0};
    struct sam_error error = {.text = ""};
    struct lsp lsp = {.write = write_client, .context = &client};
    if (!size)
        return 0;
    setenv("SAMITE_CLANG", "/nonexistent/clang", 1); /* no process per input */
    if (data[0] & 1)
        sam_buffer_append(&client.said, data + 1, size - 1);
    else
        put_lines(&client.said, (const char *)data + 1, size - 1);
    lsp.frames = (struct frames){.read = read_client, .context = &client};
    FUZZ_CHECK(sam_isa_parse("ventus", &lsp.isa, &error) == SAM_OK);
    if (!lsp_serve(&lsp, &error))
        FUZZ_CHECK(error.text[0] && !strchr(error.text, '\n'));
    sam_buffer_free(&client.said);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char talk[] =
        "{\"method\":\"initialize\",\"id\":1,\"params\":{}}\n"
        "{\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"a.s\","
        "\"text\":\"k: addd x1\\n vblt v1, v2, k\\n\"}}}\n"
        "{\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"a.pto\","
        "\"text\":\"%d = tcolmin %s : !pto.tile<vec, 16x16xf32> -> !pto.tile<vec, 1x16xf32>\"}}}\n"
        "{\"method\":\"textDocument/"
        "hover\",\"id\":2,\"params\":{\"textDocument\":{\"uri\":\"a.s\"},"
        "\"position\":{\"line\":1,\"character\":2}}}\n"
        "{\"method\":\"textDocument/definition\",\"id\":\"x\",\"params\":{\"textDocument\":{"
        "\"uri\":\"a.s\"},\"position\":{\"line\":1,\"character\":14}}}\n"
        "{\"method\":\"shutdown\",\"id\":\"\\u0000\"}\n{\"method\":\"exit\"}";
    for (char choice = 0; choice < 2; choice++) {
        struct sam_buffer input = {0};
        const char name[2] = {(char)('0' + choice)};
        sam_buffer_append(&input, &choice, 1);
        if (choice)
            put_lines(&input, talk, strlen(talk));
        else
            sam_buffer_puts(&input, talk);
        add(context, name, input.data, input.size);
        sam_buffer_free(&input);
    }
}
