/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <stdlib.h>
#include <strings.h>

#include "cli.h"

/* Room for `size` more bytes after those that are there. */
static bool reserve(struct frames *f, size_t size)
{
    if (f->at) {
        memmove(f->data, f->data + f->at, f->end - f->at);
        f->end -= f->at;
        f->at = 0;
    }
    if (f->room - f->end >= size)
        return true;
    char *grown = realloc(f->data, f->end + size);
    if (!grown)
        return false;
    f->data = grown;
    f->room = f->end + size;
    return true;
}

/* Read more; false at the end. */
static bool fill(struct frames *f)
{
    const size_t size = f->read(f->context, f->data + f->end, f->room - f->end);
    f->end += size;
    return size != 0;
}

/* The line at `from`, of *size bytes without its end; *next: where the next one begins. False:
 * incomplete. */
static bool line_of(const struct frames *f, size_t from, size_t *size, size_t *next)
{
    const char *begin = f->data + from, *end = memchr(begin, '\n', f->end - from);
    if (!end)
        return false;
    *next = (size_t)(end - f->data) + 1;
    *size = (size_t)(end - begin);
    if (*size && begin[*size - 1] == '\r')
        --*size;
    return true;
}

/* Read "Content-Length: N" from a line; others are skipped. */
static bool take_field(const char *line, size_t size, uint64_t *length)
{
    static const char name[] = "Content-Length:";
    const size_t known = sizeof name - 1;
    char number[24];
    if (size < known || strncasecmp(line, name, known) != 0)
        return true;
    line += known;
    size -= known;
    while (size && (*line == ' ' || *line == '\t')) {
        line++;
        size--;
    }
    if (size >= sizeof number)
        return false;
    memcpy(number, line, size);
    number[size] = '\0';
    return *number >= '0' && *number <= '9' && sam_parse_u64(number, length);
}

/* Read the header up to its empty line; *length: of the body. */
static enum frames_result take_header(struct frames *f, size_t *length, struct sam_error *error)
{
    uint64_t found = UINT64_MAX;
    size_t from, size, next;
    if (!reserve(f, FRAMES_MAX_HEADER)) {
        cli_refuse_memory(error);
        return FRAMES_BROKEN;
    }
    for (from = f->at;;) {
        if (!line_of(f, from, &size, &next)) {
            if (f->end - f->at >= FRAMES_MAX_HEADER) {
                cli_refuse(error, "a header of %zu bytes: expected at most %d", f->end - f->at,
                           FRAMES_MAX_HEADER);
                return FRAMES_BROKEN;
            }
            if (fill(f))
                continue;
            if (f->end == f->at)
                return FRAMES_END;
            cli_refuse(error, "the messages end in a header");
            return FRAMES_BROKEN;
        }
        if (!size)
            break;
        if (!take_field(f->data + from, size, &found)) {
            cli_refuse(error, "Content-Length: expected a number");
            return FRAMES_BROKEN;
        }
        from = next;
    }
    f->at = next;
    if (found > FRAMES_MAX_BODY) {
        if (found == UINT64_MAX)
            cli_refuse(error, "a header without Content-Length");
        else
            cli_refuse(error, "Content-Length %llu: expected at most %d", (unsigned long long)found,
                       FRAMES_MAX_BODY);
        return FRAMES_BROKEN;
    }
    *length = (size_t)found;
    return FRAMES_MESSAGE;
}

enum frames_result frames_next(struct frames *f, json_t **message, struct sam_error *error)
{
    enum { STEP = 1 << 16 };
    size_t length;
    json_error_t problem;
    *message = NULL;
    const enum frames_result result = take_header(f, &length, error);
    if (result != FRAMES_MESSAGE)
        return result;
    while (f->end - f->at < length) { /* memory grows with what arrives, not with what is said */
        const size_t missing = length - (f->end - f->at);
        if (!reserve(f, missing < STEP ? missing : STEP)) {
            cli_refuse_memory(error);
            return FRAMES_BROKEN;
        }
        if (!fill(f)) {
            cli_refuse(error, "the messages end %zu bytes before the end of one", missing);
            return FRAMES_BROKEN;
        }
    }
    *message = json_loadb(f->data + f->at, length, JSON_ALLOW_NUL, &problem);
    f->at += length;
    if (json_is_object(*message))
        return FRAMES_MESSAGE;
    if (*message)
        cli_refuse(error, "a message that is not an object");
    else
        cli_refuse(error, "a message that is not JSON: %s", problem.text);
    json_decref(*message);
    *message = NULL;
    return FRAMES_INVALID;
}

void frames_free(struct frames *f)
{
    free(f->data);
    f->data = NULL;
    f->at = f->end = f->room = 0;
}

char *frames_make(const json_t *message, size_t *size)
{
    char header[64];
    const size_t length = json_dumpb(message, NULL, 0, JSON_COMPACT);
    const int head = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", length);
    char *text = length ? malloc((size_t)head + length) : NULL;
    if (!text)
        return NULL;
    memcpy(text, header, (size_t)head);
    if (json_dumpb(message, text + head, length, JSON_COMPACT) != length) {
        free(text);
        return NULL;
    }
    *size = (size_t)head + length;
    return text;
}
