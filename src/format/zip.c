/* SPDX-License-Identifier: Apache-2.0 */
/* Zip archives: local headers with contents, central directory, end record. Source: PKWARE's
 * APPNOTE.TXT, 4.3 and 4.5.3 (zip64). */
#include "format/zip.h"

#include <stdlib.h>

enum {
    LOCAL_SIZE = 30,
    CENTRAL_SIZE = 46,
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    MAX_COMMENT = 65535,
    MAX_DIRECTORY = 1 << 28,
    EXTRA_ZIP64 = 1,
};

static const uint32_t local_sign = 0x04034b50, central_sign = 0x02014b50, end_sign = 0x06054b50,
                      end64_sign = 0x06064b50, locator_sign = 0x07064b50;

enum sam_status sam_source_read(struct sam_source source, const char *file, uint64_t offset,
                                void *data, size_t size, struct sam_error *error)
{
    if (offset > source.size || size > source.size - offset)
        return sam_fail(error, SAM_ERR_INPUT, "%s: truncated: %llu bytes, expected %llu", file,
                        (unsigned long long)source.size, (unsigned long long)offset + size);
    if (size && !source.read(source.context, offset, data, size))
        return sam_fail(error, SAM_ERR_IO, "%s: cannot read %zu bytes at %llu", file, size,
                        (unsigned long long)offset);
    return SAM_OK;
}

static enum sam_status damaged(const struct sam_zip *zip, const char *what, struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_INPUT, "%s: damaged zip archive: %s", zip->file, what);
}

/* Location of the directory, from the end record. */
struct directory {
    uint64_t offset, size, count;
};

/* Replace overflowing fields by those of the zip64 record, which a locator before `at` points to.
 */
static enum sam_status read_end64(struct sam_zip *zip, uint64_t at, struct directory *d,
                                  struct sam_error *error)
{
    uint8_t locator[LOCATOR_SIZE], end[END64_SIZE];
    if (at < LOCATOR_SIZE)
        return SAM_OK;
    enum sam_status status =
        sam_source_read(zip->source, zip->file, at - LOCATOR_SIZE, locator, sizeof locator, error);
    if (status != SAM_OK || sam_le32(locator) != locator_sign)
        return status;
    const uint64_t place = sam_le64(locator + 8);
    if (place > at - LOCATOR_SIZE || at - LOCATOR_SIZE - place < END64_SIZE)
        return damaged(zip, "its zip64 record is not in the file", error);
    status = sam_source_read(zip->source, zip->file, place, end, sizeof end, error);
    if (status != SAM_OK)
        return status;
    if (sam_le32(end) != end64_sign || sam_le32(end + 16) || sam_le32(end + 20))
        return damaged(zip, "an invalid zip64 record, or an archive in several parts", error);
    *d = (struct directory){sam_le64(end + 48), sam_le64(end + 40), sam_le64(end + 32)};
    return SAM_OK;
}

static enum sam_status find_directory(struct sam_zip *zip, struct directory *d,
                                      struct sam_error *error)
{
    const uint64_t size = zip->source.size;
    const size_t room = size < END_SIZE + MAX_COMMENT ? (size_t)size : END_SIZE + MAX_COMMENT;
    if (size < END_SIZE)
        return damaged(zip, "it is too short", error);
    uint8_t *tail = sam_alloc(room, 1);
    if (!tail)
        return sam_fail_memory(error);
    enum sam_status status =
        sam_source_read(zip->source, zip->file, size - room, tail, room, error);
    size_t at = room - END_SIZE + 1;
    while (status == SAM_OK && at-- > 0)
        if (sam_le32(tail + at) == end_sign && sam_le16(tail + at + 20) == room - END_SIZE - at)
            break;
    if (status == SAM_OK && at == SIZE_MAX)
        status = damaged(zip, "no directory at its end: truncated?", error);
    if (status == SAM_OK) {
        const uint8_t *end = tail + at;
        if (sam_le16(end + 4) || sam_le16(end + 6))
            status = damaged(zip, "an archive in several parts", error);
        *d = (struct directory){sam_le32(end + 16), sam_le32(end + 12), sam_le16(end + 10)};
    }
    free(tail);
    return status == SAM_OK ? read_end64(zip, size - room + at, d, error) : status;
}

/* Sizes and offsets that are all ones are in the zip64 field, in this order. */
static bool widen(const uint8_t *extra, size_t size, uint64_t *values[3], const bool wide[3])
{
    bool any = wide[0] || wide[1] || wide[2];
    while (any && size >= 4) {
        const size_t length = sam_le16(extra + 2);
        if (length > size - 4)
            return false;
        if (sam_le16(extra) != EXTRA_ZIP64) {
            extra += 4 + length;
            size -= 4 + length;
            continue;
        }
        size_t used = 0;
        for (size_t i = 0; i < 3; i++) {
            if (!wide[i])
                continue;
            if (length - used < 8)
                return false;
            *values[i] = sam_le64(extra + 4 + used);
            used += 8;
        }
        return true;
    }
    return !any;
}

/* Read a directory row. Returns its size, or 0 if it is damaged. */
static size_t read_row(const uint8_t *row, size_t room, struct sam_zip_entry *entry, char *text)
{
    if (room < CENTRAL_SIZE || sam_le32(row) != central_sign)
        return 0;
    const size_t name = sam_le16(row + 28), extra = sam_le16(row + 30);
    const size_t all = CENTRAL_SIZE + name + extra + sam_le16(row + 32);
    if (all > room || memchr(row + CENTRAL_SIZE, 0, name))
        return 0;
    uint64_t packed = sam_le32(row + 20), size = sam_le32(row + 24), header = sam_le32(row + 42);
    uint64_t *values[] = {&size, &packed, &header};
    const bool wide[] = {size == UINT32_MAX, packed == UINT32_MAX, header == UINT32_MAX};
    if (!widen(row + CENTRAL_SIZE + name, extra, values, wide))
        return 0;
    memcpy(text, row + CENTRAL_SIZE, name);
    text[name] = '\0';
    *entry = (struct sam_zip_entry){.name = text,
                                    .size = size,
                                    .header = header,
                                    .method = sam_le16(row + 10),
                                    .encrypted = sam_le16(row + 8) & 1};
    return entry->method || packed == size ? all : 0;
}

static enum sam_status read_rows(struct sam_zip *zip, const uint8_t *rows, size_t size,
                                 struct sam_error *error)
{
    char *text = zip->text;
    for (size_t i = 0; i < zip->count; i++) {
        struct sam_zip_entry *entry = &zip->entries[i];
        const size_t taken = read_row(rows, size, entry, text);
        if (!taken)
            return damaged(zip, "an invalid row in its directory", error);
        const size_t length = strlen(text);
        if (sam_names_find(&zip->names, text, length))
            return sam_fail(error, SAM_ERR_INPUT, "%s: two entries named '%.200s'", zip->file,
                            text);
        if (!sam_names_add(&zip->names, text, length, entry))
            return sam_fail_memory(error);
        rows += taken;
        size -= taken;
        text += length + 1;
    }
    return SAM_OK;
}

enum sam_status sam_zip_open(struct sam_source source, const char *file, struct sam_zip *zip,
                             struct sam_error *error)
{
    struct directory d = {0};
    *zip = (struct sam_zip){.source = source, .file = file};
    enum sam_status status = find_directory(zip, &d, error);
    if (status != SAM_OK)
        return status;
    if (d.size > MAX_DIRECTORY)
        return sam_fail(error, SAM_ERR_INPUT,
                        "%s: a zip directory of %llu bytes: at most %d are read", file,
                        (unsigned long long)d.size, MAX_DIRECTORY);
    if (d.count > d.size / CENTRAL_SIZE || d.offset > source.size ||
        d.size > source.size - d.offset)
        return damaged(zip, "its directory is not in the file", error);
    uint8_t *rows = sam_alloc((size_t)d.size, 1);
    zip->entries = sam_alloc((size_t)d.count, sizeof *zip->entries);
    zip->text = sam_alloc((size_t)d.size, 1); /* a row is longer than its name with NUL */
    zip->count = (size_t)d.count;
    zip->end = d.offset;
    if (!rows || !zip->entries || !zip->text)
        status = sam_fail_memory(error);
    if (status == SAM_OK)
        status = sam_source_read(source, file, d.offset, rows, (size_t)d.size, error);
    if (status == SAM_OK)
        status = read_rows(zip, rows, (size_t)d.size, error);
    free(rows);
    return status;
}

const struct sam_zip_entry *sam_zip_find(const struct sam_zip *zip, const char *name)
{
    return sam_names_find(&zip->names, name, strlen(name));
}

enum sam_status sam_zip_locate(const struct sam_zip *zip, const struct sam_zip_entry *entry,
                               uint64_t *offset, struct sam_error *error)
{
    uint8_t header[LOCAL_SIZE];
    const char *wrong = NULL;
    if (entry->encrypted)
        wrong = "is encrypted";
    else if (entry->method == 8)
        wrong = "is compressed (deflate)";
    else if (entry->method)
        wrong = "is compressed";
    if (wrong)
        return sam_fail(error, SAM_ERR_INPUT,
                        "%s: the entry '%.200s' %s: expected stored entries, as torch.save writes "
                        "them",
                        zip->file, entry->name, wrong);
    if (entry->header > zip->end || zip->end - entry->header < LOCAL_SIZE)
        return damaged(zip, "an entry is not in the file", error);
    const enum sam_status status =
        sam_source_read(zip->source, zip->file, entry->header, header, sizeof header, error);
    if (status != SAM_OK)
        return status;
    const size_t name = sam_le16(header + 26), before = LOCAL_SIZE + name + sam_le16(header + 28);
    if (sam_le32(header) != local_sign || name != strlen(entry->name) ||
        sam_le16(header + 8) != entry->method)
        return damaged(zip, "an entry is not what its directory says", error);
    if (before > zip->end - entry->header || entry->size > zip->end - entry->header - before)
        return damaged(zip, "an entry is not in the file", error);
    *offset = entry->header + before;
    return SAM_OK;
}

void sam_zip_free(struct sam_zip *zip)
{
    free(zip->entries);
    free(zip->text);
    sam_names_free(&zip->names);
    *zip = (struct sam_zip){0};
}
