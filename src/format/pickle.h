/* SPDX-License-Identifier: Apache-2.0 */
/* A pickle parsed as data, to a graph of values. Nothing is imported or called; a call becomes a
 * value that names its callable. Only the opcodes of state dicts are supported. */
#ifndef SAM_PICKLE_H
#define SAM_PICKLE_H

#include "base/base.h"

enum sam_pickle_kind {
    SAM_PICKLE_NONE,
    SAM_PICKLE_BOOL,   /* number */
    SAM_PICKLE_INT,    /* number */
    SAM_PICKLE_FLOAT,  /* or an integer of more than 64 bits */
    SAM_PICKLE_TEXT,   /* text, size */
    SAM_PICKLE_TUPLE,  /* or frozen set */
    SAM_PICKLE_LIST,   /* or set */
    SAM_PICKLE_DICT,   /* items are key, value, key, value, ... */
    SAM_PICKLE_GLOBAL, /* number: index in the list of globals, or -1; text: without its module */
    SAM_PICKLE_CALL, /* `callable` with the tuple `arguments`; may have items, as dicts and lists */
    SAM_PICKLE_PERSISTENT, /* object with the persistent id `arguments` */
};

struct sam_pickle_value {
    uint8_t kind;
    uint32_t count;               /* items */
    uint32_t first, last;         /* link + 1; 0: none */
    uint32_t callable, arguments; /* values */
    int64_t number;
    const char *text; /* in the pickle, not terminated */
    size_t size;
};

struct sam_pickle {
    struct sam_pickle_value *values;
    struct sam_pickle_link {
        uint32_t value, next; /* next: link + 1, 0 at the end */
    } * links;
    size_t value_count, value_room, link_count, link_room;
    uint32_t root;
};

/* Parse `size` bytes, which must outlive *pickle. `globals` is the NULL-terminated list of the
 * names that the caller knows, as "module.name". Free *pickle in either case. */
enum sam_status sam_pickle_parse(const uint8_t *data, size_t size, const char *file,
                                 const char *const *globals, struct sam_pickle *pickle,
                                 struct sam_error *error);
void sam_pickle_free(struct sam_pickle *pickle);

/* Iterate over the items of a value; *at is initially 0. Returns NULL after the last. */
const struct sam_pickle_value *sam_pickle_next(const struct sam_pickle *pickle,
                                               const struct sam_pickle_value *value, uint32_t *at);

#endif
