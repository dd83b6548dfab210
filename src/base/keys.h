/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations that are set by "name=value,name=value": a row per parameter says what it is, what
 * its values are and which fields it sets. */
#ifndef SAM_BASE_KEYS_H
#define SAM_BASE_KEYS_H

#include "base/base.h"
#include "samite/parameter.h"

enum sam_key_kind {
    SAM_KEY_NUMBER, /* uint32_t */
    SAM_KEY_POWER,  /* uint32_t: a power of two, or 0 if that is the lowest value */
    SAM_KEY_SWITCH, /* bool: 0 or 1 */
    SAM_KEY_WIDE,   /* uint64_t: any number */
    SAM_KEY_MILLI,  /* uint32_t: thousandths of a number with up to three decimals */
};

struct sam_key {
    struct sam_parameter parameter;
    size_t at;      /* in the configuration */
    unsigned count; /* of fields, one after the other, that it sets */
    enum sam_key_kind kind;
};

/* A row: `value` is a number, or the name of another parameter; the field is then 0. */
#define SAM_KEY(name, value, low, high, type, field, count, kind, meaning)                         \
    {                                                                                              \
        {name, #value, #low ".." #high, low, high, meaning}, offsetof(type, field), count, kind    \
    }

/* A table, and the configuration that it sets. */
struct sam_keys {
    const struct sam_key *rows;
    size_t count;
    void *config;
};

/* Set every field to its default. */
void sam_keys_defaults(const struct sam_keys *keys);
/* The rows of `tables` tables by "name=value,name=value"; the last value of a name wins.
 * SAM_ERR_USAGE, with nothing changed: an unknown name (the error suggests the nearest), or a value
 * out of range (the error gives it). */
enum sam_status sam_keys_set(const struct sam_keys *keys, size_t tables, const char *text,
                             struct sam_error *error);
/* SAM_ERR_USAGE: a number is out of range; `config` is only read. */
enum sam_status sam_keys_check(const struct sam_keys *keys, struct sam_error *error);

#endif
