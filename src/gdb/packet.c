/* SPDX-License-Identifier: Apache-2.0 */
/* Packets: framing, checksums, acknowledgements and parsing, as in the manual of GDB, appendix
 * "Remote Protocol". */
#include "gdb/gdb.h"

#include <stdlib.h>

#include "base/ascii.h"

enum {
    WAIT = 200,   /* milliseconds between checks of options.stop */
    SETTLE = 500, /* milliseconds for the last acknowledgement */
    ESCAPE = 0x7d,
    FLIP = 0x20,
    INTERRUPT = 3,
};

/* ------------------------------------------------------------------------------------- text */

bool sam_gdb_take(struct sam_gdb_text *text, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(text->end - text->at) < size || memcmp(text->at, word, size) != 0)
        return false;
    text->at += size;
    return true;
}

bool sam_gdb_take_number(struct sam_gdb_text *text, uint64_t *value)
{
    unsigned count = 0, digit;
    *value = 0;
    while (text->at < text->end && (digit = sam_hex_digit(*text->at)) < 16) {
        if (++count > 16)
            return false;
        *value = *value << 4 | digit;
        text->at++;
    }
    return count != 0;
}

bool sam_gdb_take_pair(struct sam_gdb_text *text, uint64_t *a, char between, uint64_t *b)
{
    const char word[2] = {between};
    *b = 0;
    return sam_gdb_take_number(text, a) && sam_gdb_take(text, word) && sam_gdb_take_number(text, b);
}

bool sam_gdb_take_bytes(struct sam_gdb_text *text, void *bytes, size_t size)
{
    uint8_t *out = bytes;
    if ((size_t)(text->end - text->at) / 2 < size)
        return false;
    for (size_t i = 0; i < size; i++, text->at += 2) {
        const unsigned high = sam_hex_digit(text->at[0]), low = sam_hex_digit(text->at[1]);
        if (high > 15 || low > 15)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool sam_gdb_take_text(struct sam_gdb_text *text, char *out, size_t size)
{
    const size_t digits = (size_t)(text->end - text->at);
    if (digits % 2 || digits / 2 >= size || !sam_gdb_take_bytes(text, out, digits / 2))
        return false;
    out[digits / 2] = '\0';
    return true;
}

bool sam_gdb_at_end(const struct sam_gdb_text *text)
{
    return text->at == text->end;
}

/* ------------------------------------------------------------------------------------ input */

void sam_gdb_end(struct sam_gdb *gdb, enum sam_status status, const char *text)
{
    if (gdb->over)
        return;
    gdb->over = true;
    gdb->status = status == SAM_OK ? SAM_OK : sam_fail(gdb->error, status, "%s", text);
}

static void lose(struct sam_gdb *gdb)
{
    gdb->lost = true;
    sam_gdb_end(gdb, SAM_ERR_IO, "gdb has closed the connection");
}

/* Read more input, waiting at most `wait` milliseconds. Does nothing if the buffer is full. */
static void fill(struct sam_gdb *gdb, unsigned wait)
{
    if (gdb->input_at == gdb->input_size)
        gdb->input_at = gdb->input_size = 0;
    const size_t room = sizeof gdb->input - gdb->input_size;
    if (!room || gdb->lost)
        return;
    const long count =
        gdb->transport.read(gdb->transport.context, gdb->input + gdb->input_size, room, wait);
    if (count < 0 || (size_t)count > room)
        lose(gdb);
    else
        gdb->input_size += (size_t)count;
}

/* The next character, or -1 when gdb->over is set. */
static int next(struct sam_gdb *gdb)
{
    while (gdb->input_at == gdb->input_size) {
        if (gdb->options.stop && *gdb->options.stop)
            sam_gdb_end(gdb, SAM_ERR_STOPPED, "stopped");
        if (gdb->over)
            return -1;
        fill(gdb, WAIT);
    }
    return gdb->input[gdb->input_at++];
}

/* Remove an interrupt from the input. Returns whether there was one. */
static bool take_interrupt(struct sam_gdb *gdb)
{
    for (size_t i = gdb->input_at; i < gdb->input_size; i++) {
        if (gdb->input[i] != INTERRUPT)
            continue;
        memmove(gdb->input + i, gdb->input + i + 1, --gdb->input_size - i);
        return true;
    }
    return false;
}

bool sam_gdb_interrupted(struct sam_gdb *gdb)
{
    if (take_interrupt(gdb))
        return true;
    fill(gdb, 0);
    return take_interrupt(gdb) || gdb->lost;
}

static void transmit(struct sam_gdb *gdb, const void *bytes, size_t size)
{
    if (!gdb->lost && !gdb->transport.write(gdb->transport.context, bytes, size))
        lose(gdb);
}

/* Receive the characters between '$' and '#', with their checksum. Returns false at the end of the
 * connection, or if the packet is too long. */
static bool collect(struct sam_gdb *gdb, unsigned *sum)
{
    size_t count = 0;
    bool escaped = false;
    gdb->packet.size = 0;
    *sum = 0;
    for (int c; (c = next(gdb)) >= 0 && c != '#';) {
        if (c == '$') { /* a truncated packet: start again */
            gdb->packet.size = count = 0;
            *sum = 0;
            escaped = false;
            continue;
        }
        *sum += (unsigned)c;
        if (++count > SAM_GDB_PACKET)
            continue;
        if (c == ESCAPE && !escaped) {
            escaped = true;
            continue;
        }
        const uint8_t byte = (uint8_t)(escaped ? c ^ FLIP : c);
        escaped = false;
        sam_buffer_append(&gdb->packet, &byte, 1);
    }
    return !gdb->over && count <= SAM_GDB_PACKET;
}

bool sam_gdb_receive(struct sam_gdb *gdb)
{
    for (int c; !gdb->over && (c = next(gdb)) >= 0;) {
        if (c == '-' && !gdb->no_ack)
            transmit(gdb, gdb->frame.data, gdb->frame.size);
        if (c != '$')
            continue;
        unsigned sum;
        const bool fits = collect(gdb, &sum);
        const int high = next(gdb), low = next(gdb);
        if (low < 0)
            break;
        const unsigned said = sam_hex_digit((char)high) << 4 | sam_hex_digit((char)low);
        const bool good = said == (sum & 0xff);
        if (!gdb->no_ack)
            transmit(gdb, good ? "+" : "-", 1);
        if (gdb->packet.failed) {
            sam_gdb_end(gdb, SAM_ERR_MEMORY, "out of memory");
            break;
        }
        if (good && fits)
            return !gdb->over;
        if (good || gdb->no_ack) /* without acknowledgements it is not sent again */
            sam_gdb_send_error(gdb, SAM_GDB_BAD);
    }
    return false;
}

/* ----------------------------------------------------------------------------------- output */

void sam_gdb_append_bytes(struct sam_buffer *buffer, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i++)
        sam_buffer_hex(buffer, b[i], 2);
}

static bool is_special(uint8_t c)
{
    return c == '$' || c == '#' || c == '*' || c == ESCAPE;
}

void sam_gdb_send(struct sam_gdb *gdb)
{
    unsigned sum = 0;
    struct sam_buffer *frame = &gdb->frame;
    frame->size = 0;
    sam_buffer_append(frame, "$", 1);
    for (size_t i = 0; i < gdb->reply.size; i++) {
        const uint8_t c = gdb->reply.data[i], pair[2] = {ESCAPE, c ^ FLIP};
        if (is_special(c))
            sam_buffer_append(frame, pair, 2);
        else
            sam_buffer_append(frame, &c, 1);
    }
    for (size_t i = 1; i < frame->size; i++)
        sum += frame->data[i];
    sam_buffer_printf(frame, "#%02x", sum & 0xff);
    if (gdb->reply.failed || frame->failed)
        sam_gdb_end(gdb, SAM_ERR_MEMORY, "out of memory");
    else
        transmit(gdb, frame->data, frame->size);
    gdb->reply.size = 0;
}

void sam_gdb_send_text(struct sam_gdb *gdb, const char *text)
{
    gdb->reply.size = 0;
    sam_buffer_puts(&gdb->reply, text);
    sam_gdb_send(gdb);
}

void sam_gdb_send_error(struct sam_gdb *gdb, enum sam_gdb_error error)
{
    gdb->reply.size = 0;
    if (error == SAM_GDB_OK)
        sam_buffer_puts(&gdb->reply, "OK");
    else
        sam_buffer_printf(&gdb->reply, "E%02x", (unsigned)error);
    sam_gdb_send(gdb);
}

void sam_gdb_console(struct sam_gdb *gdb, const char *text)
{
    size_t left = strlen(text);
    for (size_t part; left; left -= part, text += part) {
        part = left < SAM_GDB_DATA ? left : SAM_GDB_DATA;
        gdb->reply.size = 0;
        sam_buffer_append(&gdb->reply, "O", 1);
        sam_gdb_append_bytes(&gdb->reply, text, part);
        sam_gdb_send(gdb);
    }
}

void sam_gdb_settle(struct sam_gdb *gdb)
{
    if (gdb->no_ack || gdb->lost)
        return;
    while (gdb->input_at < gdb->input_size && gdb->input[gdb->input_at] != '+')
        gdb->input_at++;
    if (gdb->input_at == gdb->input_size)
        fill(gdb, SETTLE);
}
