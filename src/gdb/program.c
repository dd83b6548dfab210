/* SPDX-License-Identifier: Apache-2.0 */
/* vFile: the ELF file of the program, for clients without a copy. No other file of the host is
 * accessible. */
#include "gdb/gdb.h"

#include <inttypes.h>

enum { DESCRIPTOR = 3, NO_FILE = 2, BAD_DESCRIPTOR = 9, READ_ONLY = 30, BAD_ARGUMENT = 22 };

static void fail(struct sam_gdb *gdb, unsigned number)
{
    char text[16] = "F-1,";
    const char digits[] = "0123456789abcdef";
    text[4] = digits[number >> 4 & 15];
    text[5] = digits[number & 15];
    sam_gdb_send_text(gdb, text);
}

/* Reply with `size` bytes of `data` attached. */
static void answer(struct sam_gdb *gdb, const void *data, size_t size)
{
    gdb->reply.size = 0;
    sam_buffer_printf(&gdb->reply, "F%zx;", size);
    sam_buffer_append(&gdb->reply, data, size);
    sam_gdb_send(gdb);
}

static void open_file(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    char name[1024];
    const char *comma = memchr(text.at, ',', (size_t)(text.end - text.at));
    uint64_t flags, mode;
    struct sam_gdb_text path = {text.at, comma ? comma : text.at};
    text.at = comma ? comma + 1 : text.end;
    if (!comma || !sam_gdb_take_text(&path, name, sizeof name) ||
        !sam_gdb_take_pair(&text, &flags, ',', &mode)) {
        fail(gdb, BAD_ARGUMENT);
        return;
    }
    if (!gdb->options.program || name[0] != '/' ||
        strcmp(name + 1, gdb->options.program_name) != 0) {
        fail(gdb, NO_FILE);
        return;
    }
    if (flags & 3) {
        fail(gdb, READ_ONLY);
        return;
    }
    gdb->file_open = true;
    sam_gdb_send_text(gdb, "F3");
}

static void put_be32(uint8_t *bytes, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* struct stat of the protocol: big-endian, 64 bytes. */
static void stat_file(struct sam_gdb *gdb)
{
    enum { MODE = 8, FILE_SIZE = 28, BYTES = 64, REGULAR = 0100444 };
    uint8_t stat[BYTES] = {0};
    const uint64_t size = gdb->options.program_size;
    put_be32(stat + MODE, REGULAR);
    put_be32(stat + FILE_SIZE, (uint32_t)(size >> 32));
    put_be32(stat + FILE_SIZE + 4, (uint32_t)size);
    answer(gdb, stat, sizeof stat);
}

static void read_file(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    uint64_t count, offset;
    if (!sam_gdb_take(&text, ",") || !sam_gdb_take_pair(&text, &count, ',', &offset)) {
        fail(gdb, BAD_ARGUMENT);
        return;
    }
    const size_t size = gdb->options.program_size;
    const size_t at = offset < size ? (size_t)offset : size;
    size_t part = size - at;
    part = part > count ? (size_t)count : part;
    part = part > SAM_GDB_DATA ? SAM_GDB_DATA : part; /* escapes may double it */
    answer(gdb, (const uint8_t *)gdb->options.program + at, part);
}

void sam_gdb_file(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    uint64_t descriptor;
    if (sam_gdb_take(&text, "open:")) {
        open_file(gdb, text);
        return;
    }
    if (sam_gdb_take(&text, "setfs:")) {
        sam_gdb_send_text(gdb, "F0");
        return;
    }
    const bool closes = sam_gdb_take(&text, "close:"),
               stats = !closes && sam_gdb_take(&text, "fstat:"),
               reads = !closes && !stats && sam_gdb_take(&text, "pread:");
    if (!closes && !stats && !reads) {
        sam_gdb_send_text(gdb, ""); /* not supported */
        return;
    }
    if (!sam_gdb_take_number(&text, &descriptor) || descriptor != DESCRIPTOR || !gdb->file_open) {
        fail(gdb, BAD_DESCRIPTOR);
        return;
    }
    if (closes) {
        gdb->file_open = false;
        sam_gdb_send_text(gdb, "F0");
    } else if (stats) {
        stat_file(gdb);
    } else {
        read_file(gdb, text);
    }
}
