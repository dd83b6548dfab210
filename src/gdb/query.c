/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and settings: the packets q and Q. */
#include "gdb/gdb.h"

#include <inttypes.h>
#include <stdlib.h>

/* Append part of a document: 'm' or 'l', and the bytes. */
static void send_part(struct sam_gdb *gdb, const void *data, size_t size, uint64_t offset,
                      uint64_t length)
{
    const size_t at = offset < size ? (size_t)offset : size;
    size_t part = size - at;
    part = part > length ? (size_t)length : part;
    part = part > SAM_GDB_DATA ? SAM_GDB_DATA : part; /* escapes may double it */
    gdb->reply.size = 0;
    sam_buffer_append(&gdb->reply, at + part == size ? "l" : "m", 1);
    if (part)
        sam_buffer_append(&gdb->reply, (const uint8_t *)data + at, part);
    sam_gdb_send(gdb);
}

static void supported(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    sam_gdb_take(&text, ":");
    while (!sam_gdb_at_end(&text)) {
        const char *end = memchr(text.at, ';', (size_t)(text.end - text.at));
        end = end ? end : text.end;
        const size_t size = (size_t)(end - text.at);
        gdb->swbreak |= size == 8 && memcmp(text.at, "swbreak+", 8) == 0;
        gdb->hwbreak |= size == 8 && memcmp(text.at, "hwbreak+", 8) == 0;
        text.at = end + (end < text.end);
    }
    gdb->reply.size = 0;
    sam_buffer_printf(&gdb->reply,
                      "PacketSize=%x;QStartNoAckMode+;vContSupported+;swbreak+;hwbreak+;"
                      "qXfer:features:read+;qXfer:threads:read+",
                      (unsigned)SAM_GDB_PACKET);
    if (gdb->options.program)
        sam_buffer_puts(&gdb->reply, ";qXfer:exec-file:read+");
    if (gdb->reverse)
        sam_buffer_puts(&gdb->reply, ";ReverseStep+;ReverseContinue+");
    sam_gdb_send(gdb);
}

static void write_exec_file(struct sam_gdb *gdb, struct sam_buffer *out)
{
    sam_buffer_printf(out, "/%s", gdb->options.program_name);
}

/* qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH. The document is generated at offset 0. */
static void transfer(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    static const struct {
        const char *name, *start;
        void (*write)(struct sam_gdb *gdb, struct sam_buffer *out);
    } objects[] = {
        {"features", "features:read:target.xml:", sam_gdb_target_document},
        {"threads", "threads:read::", sam_gdb_threads_document},
        {"exec-file", "exec-file:read:", write_exec_file},
    };
    size_t i = 0;
    uint64_t offset, length, process;
    while (i < SAM_COUNT(objects) && !sam_gdb_take(&text, objects[i].start))
        i++;
    const bool is_program = i == SAM_COUNT(objects) - 1;
    if (i == SAM_COUNT(objects) || (is_program && !gdb->options.program)) {
        sam_gdb_send_text(gdb, "");
        return;
    }
    if (is_program) { /* the annex may name a process */
        sam_gdb_take_number(&text, &process);
        if (!sam_gdb_take(&text, ":"))
            text.at = text.end;
    }
    if (!sam_gdb_take_pair(&text, &offset, ',', &length) || !sam_gdb_at_end(&text)) {
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
        return;
    }
    if (offset == 0 || gdb->document_name != objects[i].name) {
        gdb->document.size = 0;
        objects[i].write(gdb, &gdb->document);
        gdb->document_name = objects[i].name;
    }
    if (gdb->document.failed)
        sam_gdb_send_error(gdb, SAM_GDB_NO_MEMORY);
    else
        send_part(gdb, gdb->document.data, gdb->document.size, offset, length);
}

static void list_threads(struct sam_gdb *gdb)
{
    uint64_t place = 0;
    struct sam_gdb_thread thread;
    gdb->reply.size = 0;
    while (gdb->reply.size < SAM_GDB_DATA && sam_gdb_next_thread(gdb, &place, &thread))
        sam_buffer_printf(&gdb->reply, "%s%" PRIx64, gdb->reply.size ? "," : "m",
                          sam_gdb_thread_id(gdb, thread));
    if (!gdb->reply.size)
        sam_buffer_puts(&gdb->reply, "l");
    sam_gdb_send(gdb);
}

static void extra_info(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    struct sam_gdb_thread thread;
    char name[64], state[64];
    if (!sam_gdb_take_thread(gdb, &text, &thread, gdb->thread) || !sam_gdb_at_end(&text)) {
        sam_gdb_send_error(gdb, SAM_GDB_NO_THREAD);
        return;
    }
    sam_gdb_thread_name(thread, name);
    sam_gdb_thread_state(gdb, thread, state, sizeof state);
    gdb->reply.size = 0;
    sam_gdb_append_bytes(&gdb->reply, name, strlen(name));
    sam_gdb_append_bytes(&gdb->reply, ", ", 2);
    sam_gdb_append_bytes(&gdb->reply, state, strlen(state));
    sam_gdb_send(gdb);
}

static void monitor(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    char command[256];
    if (sam_gdb_take_text(&text, command, sizeof command))
        sam_gdb_monitor(gdb, command);
    else
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
}

void sam_gdb_query(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    if (sam_gdb_take(&text, "Supported")) {
        supported(gdb, text);
    } else if (sam_gdb_take(&text, "Xfer:")) {
        transfer(gdb, text);
    } else if (sam_gdb_take(&text, "fThreadInfo")) {
        list_threads(gdb);
    } else if (sam_gdb_take(&text, "sThreadInfo")) {
        sam_gdb_send_text(gdb, "l");
    } else if (sam_gdb_take(&text, "ThreadExtraInfo,")) {
        extra_info(gdb, text);
    } else if (sam_gdb_take(&text, "Rcmd,")) {
        monitor(gdb, text);
    } else if (sam_gdb_take(&text, "Attached")) {
        sam_gdb_send_text(gdb, "0"); /* the client kills the program when it quits */
    } else if (sam_gdb_take(&text, "Symbol:")) {
        sam_gdb_send_error(gdb, SAM_GDB_OK); /* no symbols are needed */
    } else if (sam_gdb_take(&text, "C") && sam_gdb_at_end(&text)) {
        gdb->reply.size = 0;
        sam_buffer_printf(&gdb->reply, "QC%" PRIx64, sam_gdb_thread_id(gdb, gdb->thread));
        sam_gdb_send(gdb);
    } else {
        sam_gdb_send_text(gdb, "");
    }
}

void sam_gdb_set(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    if (!sam_gdb_take(&text, "StartNoAckMode") || !sam_gdb_at_end(&text)) {
        sam_gdb_send_text(gdb, "");
        return;
    }
    sam_gdb_send_error(gdb, SAM_GDB_OK);
    gdb->no_ack = true;
}
