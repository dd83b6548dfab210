/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include <fnmatch.h>

#include "test.h"

void client_free(struct client *c)
{
    sam_buffer_free(&c->said);
    sam_buffer_free(&c->heard);
}

void client_bytes(struct client *c, const char *bytes, size_t size)
{
    assert_true(sam_buffer_append(&c->said, bytes, size));
}

void client_packet_of(struct client *c, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    unsigned sum = 0;
    client_bytes(c, "$", 1);
    for (size_t i = 0; i < size; i++) {
        const bool special = bytes[i] == '$' || bytes[i] == '#' || bytes[i] == '}';
        const uint8_t pair[2] = {'}', bytes[i] ^ 0x20};
        client_bytes(c, special ? (const char *)pair : (const char *)&bytes[i], special ? 2 : 1);
        sum += special ? pair[0] + pair[1] : bytes[i];
    }
    assert_true(sam_buffer_printf(&c->said, "#%02x+", sum & 0xff));
}

void client_packet(struct client *c, const char *text)
{
    client_packet_of(c, text, strlen(text));
}

static long read_client(void *context, void *bytes, size_t size, unsigned wait)
{
    struct client *c = context;
    size_t part = c->said.size - c->at;
    (void)wait;
    if (!part)
        return c->silent ? 0 : -1;
    part = c->part && part > c->part ? c->part : part;
    part = part > size ? size : part;
    memcpy(bytes, c->said.data + c->at, part);
    c->at += part;
    return (long)part;
}

static bool write_client(void *context, const void *bytes, size_t size)
{
    struct client *c = context;
    return sam_buffer_append(&c->heard, bytes, size);
}

struct sam_gdb_transport client_transport(struct client *c)
{
    return (struct sam_gdb_transport){c, read_client, write_client};
}

const char *client_answer(struct client *c, size_t *size)
{
    static char text[40000];
    const char *heard = sam_buffer_text(&c->heard);
    size_t used = 0;
    unsigned sum = 0, said;
    while (c->heard_at < c->heard.size && heard[c->heard_at] != '$') {
        assert_true(heard[c->heard_at] == '+' || heard[c->heard_at] == '-');
        c->heard_at++;
    }
    if (c->heard_at == c->heard.size)
        return NULL;
    for (c->heard_at++; heard[c->heard_at] != '#'; c->heard_at++) {
        assert_true(c->heard_at < c->heard.size && used + 1 < sizeof text);
        char byte = heard[c->heard_at];
        sum += (uint8_t)byte;
        if (byte == '}') {
            byte = heard[++c->heard_at];
            sum += (uint8_t)byte;
            byte ^= 0x20;
        }
        text[used++] = byte;
    }
    assert_int_equal(sscanf(heard + c->heard_at + 1, "%2x", &said), 1);
    assert_int_equal(said, sum & 0xff);
    c->heard_at += 3;
    text[used] = '\0';
    if (size)
        *size = used;
    return text;
}

static void expect(const char *text, const char *pattern)
{
    if (!text)
        fail_msg("no answer: expected '%s'", pattern);
    else if (fnmatch(pattern, text, FNM_NOESCAPE) != 0)
        fail_msg("answer '%s': expected '%s'", text, pattern);
}

void client_expect(struct client *c, const char *pattern)
{
    expect(client_answer(c, NULL), pattern);
}

/* The next console output, decoded. */
static void take_console(struct client *c, char *text, size_t room)
{
    size_t used = 0;
    for (;;) {
        const size_t before = c->heard_at;
        const char *answer = client_answer(c, NULL);
        if (!answer || answer[0] != 'O' || strcmp(answer, "OK") == 0) {
            c->heard_at = before;
            break;
        }
        for (const char *p = answer + 1; *p; p += 2) {
            unsigned byte;
            assert_int_equal(sscanf(p, "%2x", &byte), 1);
            assert_true(used + 1 < room);
            text[used++] = (char)byte;
        }
    }
    text[used] = '\0';
}

void client_expect_console(struct client *c, const char *pattern)
{
    char text[8192];
    take_console(c, text, sizeof text);
    expect(text, pattern);
}

void client_skip_console(struct client *c)
{
    char text[8192];
    take_console(c, text, sizeof text);
}

void client_expect_end(struct client *c)
{
    const char *answer = client_answer(c, NULL);
    if (answer)
        fail_msg("answer '%s': expected none", answer);
}
