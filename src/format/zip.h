/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of a zip archive, zip64 included, and its uncompressed entries. */
#ifndef SAM_ZIP_H
#define SAM_ZIP_H

#include "base/base.h"
#include "samite/codec.h"

struct sam_zip_entry {
    const char *name;
    uint64_t size;   /* of the contents */
    uint64_t header; /* offset of the local header */
    uint16_t method; /* 0: stored */
    bool encrypted;
};

struct sam_zip {
    struct sam_source source;
    const char *file; /* for messages */
    struct sam_zip_entry *entries;
    size_t count;
    uint64_t end; /* end of the entries: start of the directory */
    char *text;   /* the names */
    struct sam_names names;
};

/* Read the directory. Free *zip in either case. */
enum sam_status sam_zip_open(struct sam_source source, const char *file, struct sam_zip *zip,
                             struct sam_error *error);
/* Returns the entry of that name, or NULL. */
const struct sam_zip_entry *sam_zip_find(const struct sam_zip *zip, const char *name);
/* Get the file offset of an uncompressed entry's contents. SAM_ERR_INPUT for an entry that is
 * compressed, encrypted or damaged. */
enum sam_status sam_zip_locate(const struct sam_zip *zip, const struct sam_zip_entry *entry,
                               uint64_t *offset, struct sam_error *error);
void sam_zip_free(struct sam_zip *zip);

/* Read from a source; SAM_ERR_IO names the file. */
enum sam_status sam_source_read(struct sam_source source, const char *file, uint64_t offset,
                                void *data, size_t size, struct sam_error *error);

#endif
