/* SPDX-License-Identifier: Apache-2.0 */
#include "lsp.h"

#include <stdlib.h>
#include <strings.h>

#include "cli.h"
#include "report.h"
#include "samite/cc.h"
#include "samite/gpu.h"
#include "samite/tile.h"

enum {
    INVALID_REQUEST = -32600,
    NO_METHOD = -32601,
    INVALID_PARAMS = -32602,
    PARSE_ERROR = -32700
};
enum { MOST_DOCUMENTS = 256 };

struct lsp_document {
    struct lsp_document *next;
    char *uri, *text;
    bool is_tile, is_opencl;
    bool changed; /* since its diagnostics were published */
};

/* -------------------------------------------------------------------------------- messages */

static void send_message(struct lsp *lsp, json_t *message)
{
    size_t size;
    message = report_text(message, "jsonrpc", "2.0");
    char *text = message ? frames_make(message, &size) : NULL;
    if (text)
        lsp->write(lsp->context, text, size);
    lsp->exhausted |= !text;
    free(text);
    json_decref(message);
}

static void respond(struct lsp *lsp, const json_t *id, json_t *result)
{
    send_message(lsp, REPORT(TREE("id", json_deep_copy(id)), TREE("result", result)));
}

static void respond_error(struct lsp *lsp, const json_t *id, int code, const char *text)
{
    json_t *error = REPORT(COUNT("code", code), TEXT("message", text));
    send_message(lsp,
                 REPORT(TREE("id", id ? json_deep_copy(id) : json_null()), TREE("error", error)));
}

/* ------------------------------------------------------------------------------- documents */

static struct lsp_document *find(const struct lsp *lsp, const json_t *params)
{
    const char *uri = cli_json_text(json_object_get(params, "textDocument"), "uri", NULL);
    struct lsp_document *d = lsp->documents;
    while (d && (!uri || strcmp(d->uri, uri) != 0))
        d = d->next;
    return d;
}

static void free_document(struct lsp_document *d)
{
    free(d->uri);
    free(d->text);
    free(d);
}

static const char *line_of(const char *text, json_int_t line)
{
    while (line > 0 && text) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
        line--;
    }
    return line == 0 ? text : NULL;
}

static size_t units(const struct lsp *lsp, const char *character, size_t *bytes)
{
    const uint8_t lead = (uint8_t)*character;
    *bytes = lsp->bytes || lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < *bytes; i++)
        if (((uint8_t)character[i] & 0xc0) != 0x80)
            *bytes = i; /* cut off */
    return !lsp->bytes && *bytes == 4 ? 2 : 1;
}

/* The protocol's column of a byte of a line. */
static json_int_t column_of(const struct lsp *lsp, const char *line, size_t byte)
{
    json_int_t column = 0;
    size_t bytes;
    for (size_t i = 0; i < byte && line[i] && line[i] != '\n'; i += bytes)
        column += (json_int_t)units(lsp, line + i, &bytes);
    return column;
}

static json_t *position(json_int_t line, json_int_t column)
{
    return REPORT(COUNT("line", line), COUNT("character", column));
}

static json_t *range(json_int_t line, json_int_t from, json_int_t to)
{
    return REPORT(TREE("start", position(line, from)), TREE("end", position(line, to)));
}

static bool in_word(const struct lsp_document *d, char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr(d->is_tile ? "_.%@$" : "_.$", c));
}

/* The size of the word at `at`. */
static size_t word_size(const struct lsp_document *d, const char *at)
{
    size_t size = 0;
    while (in_word(d, at[size]))
        size++;
    return size;
}

/* ------------------------------------------------------------------------------ diagnostics */

/* Reads the number between a colon and the next one, which is returned; `colon` if there is none.
 */
static const char *number_after(const char *colon, uint64_t *number)
{
    const size_t digits = strspn(colon + 1, "0123456789");
    char text[24];
    snprintf(text, sizeof text, "%.*s", (int)digits, colon + 1);
    return colon[digits + 1] == ':' && sam_parse_u64(text, number) ? colon + digits + 1 : colon;
}

/* After clang's messages, unless one is an error in this file: that of the compiler itself,
 * "NAME:LINE:COLUMN: TEXT", "NAME:LINE: TEXT" or without a place. */
static json_t *add_error(json_t *rows, const char *name, const char *text)
{
    const size_t size = strlen(name);
    uint64_t line = 0, column = 0;
    json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const char *severity = cli_json_text(row, "severity", NULL),
                   *file = cli_json_text(row, "file", NULL);
        if (severity && strcmp(severity, "error") == 0 && file && strcmp(file, name) == 0)
            return rows;
    }
    /* the name may lack the folder that the server runs in */
    const char *colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : 0;
    if (colon && length <= size && memcmp(name + size - length, text, length) == 0) {
        const char *end = number_after(colon, &line);
        if (line)
            text = number_after(end, &column) + 1;
    }
    text += strspn(text, " ");
    row = REPORT(TEXT("file", name), COUNT("line", line), COUNT("column", column),
                 TEXT("severity", "error"));
    return report_add(rows, report_text(row, "text", text));
}

/* The messages about a text, as cli_json_messages has them. */
static json_t *messages_of(struct lsp *lsp, const struct lsp_document *d, const char *name)
{
    struct sam_error error = {.text = ""};
    char *messages = NULL;
    enum sam_status status;
    if (d->is_tile) {
        struct sam_tile_program *program = NULL;
        status = sam_tile_parse(name, d->text, strlen(d->text), &program, &messages, &error);
        if (status == SAM_OK) {
            free(messages);
            messages = NULL;
            status = sam_tile_check(program, SAM_TILE_A5, &messages, &error);
        }
        sam_tile_program_free(program);
    } else if (d->is_opencl) {
        const struct sam_cc_options options = {.size = sizeof options, .text = d->text};
        char *assembly;
        size_t size;
        status = sam_cc_compile(&options, name, &assembly, &size, &messages, &error);
        sam_text_free(assembly);
    } else {
        struct sam_image *image = NULL;
        const struct sam_asm_options options = {.size = sizeof options,
                                                .isa = lsp->isa,
                                                .base = SAM_CODE_BASE,
                                                .max_expanded = 4 << 20};
        status = sam_assemble(&options, name, d->text, strlen(d->text), &image, &messages, &error);
        sam_image_free(image);
    }
    const char *failed = status == SAM_OK ? NULL : error.text;
    lsp->exhausted |= status == SAM_ERR_MEMORY;
    json_t *rows = cli_json_messages(name, messages, d->is_opencl ? NULL : failed);
    free(messages);
    return d->is_opencl && failed ? add_error(rows, name, failed) : rows;
}

static json_t *diagnostic(const struct lsp *lsp, const struct lsp_document *d, const json_t *row)
{
    const json_int_t line = cli_json_integer(row, "line", 0) - 1,
                     column = cli_json_integer(row, "column", 0) - 1;
    const char *severity = cli_json_text(row, "severity", NULL), *text = line_of(d->text, line);
    const size_t length = text ? strcspn(text, "\n") : 0,
                 from = column > 0 && (size_t)column < length ? (size_t)column : 0;
    const size_t word = text ? word_size(d, text + from) : 0;
    const size_t to = word ? from + word : length;
    json_t *object = report_set(json_object(), "range",
                                range(line < 0 ? 0 : line, text ? column_of(lsp, text, from) : 0,
                                      text ? column_of(lsp, text, to) : 0));
    const int level = severity && strcmp(severity, "error") == 0     ? 1
                      : severity && strcmp(severity, "warning") == 0 ? 2
                                                                     : 3;
    return REPORT_MORE(object, COUNT("severity", level), TEXT("source", "samite"),
                       TEXT("message", cli_json_text(row, "text", NULL)));
}

/* The path of a file's URI, or another URI unchanged; free() it. */
static char *path_of(const char *uri)
{
    const bool is_file = strncmp(uri, "file://", 7) == 0;
    char *path = strdup(is_file ? uri + 7 : uri), *to = path;
    for (const char *at = path; is_file && path && *at; to++) {
        char digits[5];
        uint64_t byte = 0;
        snprintf(digits, sizeof digits, "0x%.2s", *at == '%' ? at + 1 : "");
        const bool coded = strlen(digits) == 4 && sam_parse_u64(digits, &byte) && byte;
        *to = coded ? (char)byte : *at;
        at += coded ? 3 : 1;
    }
    if (is_file && path)
        *to = '\0';
    return path;
}

static void publish(struct lsp *lsp, struct lsp_document *d, bool closed)
{
    d->changed = false;
    char *name = path_of(d->uri);
    json_t *rows = closed || !name ? NULL : messages_of(lsp, d, name), *row, *found = json_array();
    size_t i;
    lsp->exhausted |= !rows && !closed;
    json_array_foreach(rows, i, row)
    {
        const char *file = cli_json_text(row, "file", NULL);
        if (file && name && strcmp(file, name) == 0) /* not those of included files */
            found = report_add(found, diagnostic(lsp, d, row));
    }
    json_decref(rows);
    free(name);
    json_t *params = REPORT(TEXT("uri", d->uri), TREE("diagnostics", found));
    send_message(lsp,
                 REPORT(TEXT("method", "textDocument/publishDiagnostics"), TREE("params", params)));
}

/* ---------------------------------------------------------------------------------- methods */

/* Each serves a request with the id, or a notification without; NULL: done, else what is wrong. */
typedef const char *lsp_method(struct lsp *lsp, const json_t *id, const json_t *params);

static const char *on_initialize(struct lsp *lsp, const json_t *id, const json_t *params)
{
    const json_t *capabilities = json_object_get(params, "capabilities"),
                 *encodings =
                     json_object_get(json_object_get(capabilities, "general"), "positionEncodings"),
                 *encoding;
    size_t i;
    json_array_foreach(encodings, i, encoding)
    {
        const char *text = json_string_value(encoding);
        lsp->bytes |= text && strcmp(text, "utf-8") == 0;
    }
    json_t *able = report_text(json_object(), "positionEncoding", lsp->bytes ? "utf-8" : "utf-16");
    able = report_set(able, "textDocumentSync", json_integer(1)); /* whole texts */
    able = REPORT_MORE(able, FLAG("hoverProvider", true), FLAG("definitionProvider", true));
    json_t *info = REPORT(TEXT("name", "samite"), TEXT("version", sam_version()));
    respond(lsp, id, REPORT(TREE("capabilities", able), TREE("serverInfo", info)));
    return NULL;
}

static const char *on_shutdown(struct lsp *lsp, const json_t *id, const json_t *params)
{
    (void)params;
    lsp->shut = true;
    respond(lsp, id, json_null());
    return NULL;
}

static const char *on_exit_notice(struct lsp *lsp, const json_t *id, const json_t *params)
{
    (void)id, (void)params;
    lsp->over = true;
    return NULL;
}

static const char *on_open(struct lsp *lsp, const json_t *id, const json_t *params)
{
    const json_t *given = json_object_get(params, "textDocument");
    const char *uri = cli_json_text(given, "uri", NULL), *text = cli_json_text(given, "text", NULL),
               *language = cli_json_text(given, "languageId", NULL);
    struct lsp_document *d = find(lsp, params);
    size_t count = 0;
    (void)id;
    for (const struct lsp_document *each = lsp->documents; each; each = each->next)
        count++;
    if (!uri || !text)
        return "textDocument: expected uri and text";
    if (d || count >= MOST_DOCUMENTS)
        return d ? "the document is open" : "too many documents";
    d = calloc(1, sizeof *d);
    if (!d || !(d->uri = strdup(uri)) || !(d->text = strdup(text))) {
        if (d)
            free_document(d);
        lsp->exhausted = true;
        return NULL;
    }
    d->is_tile = cli_ends_with(uri, ".pto") || (language && strcmp(language, "pto") == 0);
    d->is_opencl = sam_cc_is_source(uri) || (language && strcmp(language, "opencl") == 0);
    d->next = lsp->documents;
    lsp->documents = d;
    publish(lsp, d, false);
    return NULL;
}

static const char *on_change(struct lsp *lsp, const json_t *id, const json_t *params)
{
    const json_t *changes = json_object_get(params, "contentChanges");
    const size_t count = json_array_size(changes);
    const char *text =
        count ? cli_json_text(json_array_get(changes, count - 1), "text", NULL) : NULL;
    struct lsp_document *d = find(lsp, params);
    char *copy = d && text ? strdup(text) : NULL;
    (void)id;
    lsp->exhausted |= d && text && !copy;
    if (!copy)
        return d ? "contentChanges: expected a text" : "the document is not open";
    free(d->text);
    d->text = copy;
    d->changed = true;
    return NULL;
}

static const char *on_close(struct lsp *lsp, const json_t *id, const json_t *params)
{
    struct lsp_document *d = find(lsp, params), **at = &lsp->documents;
    (void)id;
    if (!d)
        return "the document is not open";
    while (*at != d)
        at = &(*at)->next;
    *at = d->next;
    publish(lsp, d, true);
    free_document(d);
    return NULL;
}

/* The word at the position of a request, in `word`; false: none. */
static bool word_at(const struct lsp *lsp, const struct lsp_document *d, const json_t *params,
                    char *word, size_t size)
{
    const json_t *where = json_object_get(params, "position");
    const json_int_t line = cli_json_integer(where, "line", 0),
                     column = cli_json_integer(where, "character", 0);
    const char *text = line < 0 ? NULL : line_of(d->text, line);
    size_t from = 0, bytes;
    if (!text)
        return false;
    for (json_int_t at = 0; at < column && text[from] && text[from] != '\n'; from += bytes)
        at += (json_int_t)units(lsp, text + from, &bytes);
    while (from && in_word(d, text[from - 1]))
        from--;
    const size_t length = word_size(d, text + from);
    if (!length || length >= size)
        return false;
    memcpy(word, text + from, length);
    word[length] = '\0';
    return true;
}

/* The rows of the tables for a word, as lines in `text`; "": none. */
static void explain(const struct lsp_document *d, const char *word, char *text, size_t size)
{
    const char *plain = strncmp(word, "pto.", 4) == 0 ? word + 4 : word;
    struct sam_tile_op_text op;
    struct sam_isa_entry entry;
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; d->is_tile && sam_tile_op_describe(i, &op); i++)
        if (strcmp(op.name, plain) == 0)
            used = (size_t)snprintf(text, size, "%s %s: %s\n%s", op.name, op.sources, op.meaning,
                                    op.dtypes);
    for (size_t i = 0; !d->is_tile && !d->is_opencl && sam_isa_entry_get(i, &entry) && used < size;
         i++) {
        char expansion[160] = "";
        if (strcasecmp(entry.mnemonic, word) != 0)
            continue;
        sam_isa_entry_expansion(&entry, expansion, sizeof expansion);
        used += (size_t)snprintf(text + used, size - used, "%s%s %s\n  %s\n  %s, %s",
                                 used ? "\n" : "", entry.mnemonic, entry.operands,
                                 entry.meaning ? entry.meaning : expansion, entry.extensions,
                                 entry.source);
    }
}

static const char *on_hover(struct lsp *lsp, const json_t *id, const json_t *params)
{
    const struct lsp_document *d = find(lsp, params);
    char word[128], text[2048] = "";
    if (!d)
        return "the document is not open";
    if (word_at(lsp, d, params, word, sizeof word))
        explain(d, word, text, sizeof text);
    json_t *contents = REPORT(TEXT("kind", "plaintext"), TEXT("value", text));
    respond(lsp, id, *text ? report_set(json_object(), "contents", contents) : json_null());
    if (!*text)
        json_decref(contents);
    return NULL;
}

/* Whether the word at `at`, of `size` bytes, is defined there: a label; "%x =", an argument "%x:",
 * "func.func @x". */
static bool defines(const struct lsp_document *d, const char *line, const char *at, size_t size)
{
    const char *after = at + size + strspn(at + size, " \t");
    const char *before = at;
    while (before > line && strchr(" \t", before[-1]))
        before--;
    if (!d->is_tile)
        return *after == ':' && before == line;
    if (*at == '@')
        return before - line >= 9 && strncmp(before - 9, "func.func", 9) == 0;
    if (before == line)
        return *after == '=' || *after == ',';
    return *after == ':' && (before[-1] == '(' || before[-1] == ',');
}

enum towards { ANYWHERE, BACK, FORWARD };

/* The direction of a local label, as 1b or 1f, whose letter is removed. */
static enum towards local_label(const struct lsp_document *d, char *word, size_t *size)
{
    const size_t digits = strspn(word, "0123456789");
    const char last = word[digits];
    if (d->is_tile || !digits || digits + 1 != *size || (last != 'b' && last != 'f'))
        return ANYWHERE;
    word[ *size = digits] = '\0';
    return last == 'b' ? BACK : FORWARD;
}

/* The column in a line at which the word is defined; -1: it is not. */
static json_int_t defined_at(const struct lsp *lsp, const struct lsp_document *d, const char *line,
                             const char *word, size_t size)
{
    const char *end = line + strcspn(line, "\n");
    for (const char *at = line; at < end; at++)
        if (strncmp(at, word, size) == 0 && !in_word(d, at[size]) &&
            (at == line || !in_word(d, at[-1])) && defines(d, line, at, size))
            return column_of(lsp, line, (size_t)(at - line));
    return -1;
}

static const char *on_definition(struct lsp *lsp, const json_t *id, const json_t *params)
{
    const struct lsp_document *d = find(lsp, params);
    const json_t *where = json_object_get(params, "position");
    const json_int_t here = cli_json_integer(where, "line", 0);
    char word[128];
    json_t *result = NULL;
    if (!d)
        return "the document is not open";
    const char *line = word_at(lsp, d, params, word, sizeof word) ? d->text : NULL;
    size_t size = line ? strlen(word) : 0;
    const enum towards towards = line ? local_label(d, word, &size) : ANYWHERE;
    for (json_int_t number = 0; line && (towards != BACK || number <= here); number++) {
        const json_int_t from =
            towards == FORWARD && number <= here ? -1 : defined_at(lsp, d, line, word, size);
        if (from >= 0) {
            json_decref(result);
            result = REPORT(TEXT("uri", d->uri),
                            TREE("range", range(number, from, from + (json_int_t)size)));
        }
        const char *end = result && towards != BACK ? NULL : strchr(line, '\n');
        line = end ? end + 1 : NULL;
    }
    respond(lsp, id, result ? result : json_null());
    return NULL;
}

/* --------------------------------------------------------------------------------- serving */

static const struct {
    const char *name;
    lsp_method *serve;
    bool is_request;
} methods[] = {
    {"initialize", on_initialize, true},
    {"shutdown", on_shutdown, true},
    {"exit", on_exit_notice, false},
    {"textDocument/didOpen", on_open, false},
    {"textDocument/didChange", on_change, false},
    {"textDocument/didClose", on_close, false},
    {"textDocument/hover", on_hover, true},
    {"textDocument/definition", on_definition, true},
};

/* A request has one response; a notification that is wrong, or of another server, is dropped. */
static void serve_message(struct lsp *lsp, const json_t *message)
{
    const json_t *id = json_object_get(message, "id");
    const char *name = cli_json_text(message, "method", NULL), *problem = NULL;
    if (!name)
        return; /* a response: this server asks nothing */
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(methods[i].name, name) != 0 || methods[i].is_request != (id != NULL))
            continue;
        if (lsp->shut && methods[i].serve != on_exit_notice)
            problem = "the server has been shut down";
        else
            problem = methods[i].serve(lsp, id, json_object_get(message, "params"));
        if (problem && id)
            respond_error(lsp, id, lsp->shut ? INVALID_REQUEST : INVALID_PARAMS, problem);
        return;
    }
    if (id)
        respond_error(lsp, id, NO_METHOD, "unknown method");
}

/* Publish diagnostics of texts that have changed, one for all edits that have arrived. */
static void publish_changed(struct lsp *lsp)
{
    for (struct lsp_document *d = lsp->documents; d && !lsp->shut; d = d->next)
        if (d->changed && (lsp->frames.at < lsp->frames.end || lsp->more(lsp->context)))
            return;
        else if (d->changed)
            publish(lsp, d, false);
}

bool lsp_serve(struct lsp *lsp, struct sam_error *error)
{
    enum frames_result result = FRAMES_MESSAGE;
    while (!lsp->over && !lsp->exhausted &&
           (result == FRAMES_MESSAGE || result == FRAMES_INVALID)) {
        json_t *message = NULL;
        publish_changed(lsp);
        result = frames_next(&lsp->frames, &message, error);
        if (result == FRAMES_MESSAGE)
            serve_message(lsp, message);
        else if (result == FRAMES_INVALID)
            respond_error(lsp, NULL, PARSE_ERROR, error->text);
        json_decref(message);
    }
    while (lsp->documents) {
        struct lsp_document *next = lsp->documents->next;
        if (lsp->documents->changed && !lsp->shut)
            publish(lsp, lsp->documents, false);
        free_document(lsp->documents);
        lsp->documents = next;
    }
    frames_free(&lsp->frames);
    if (lsp->exhausted)
        return cli_fail_memory(error);
    return result != FRAMES_BROKEN;
}
