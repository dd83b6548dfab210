/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration by "name=value,name=value": a row per parameter with its meaning, range and the
 * fields it sets. */
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
    SAM_KEY_WORD,   /* uint32_t: the number of a word of parameter.range, "a|b|c" */
};

struct sam_key {
    struct sam_parameter parameter;
    size_t at;      /* offset in the configuration */
    unsigned count; /* number of consecutive fields to set */
    enum sam_key_kind kind;
};

/* A row. `value` is a number, or the name of another parameter; the field is then 0. */
#define SAM_KEY(name, value, low, high, type, field, count, kind, meaning)                         \
    {                                                                                              \
        {name, #value, #low ".." #high, low, high, meaning}, offsetof(type, field), count, kind    \
    }

/* A table and its configuration. */
struct sam_keys {
    const struct sam_key *rows;
    size_t count;
    void *config;
};

/* Set every field to its default. */
void sam_keys_defaults(const struct sam_keys *keys);
/* Set parameters of `tables` tables by "name=value,name=value"; the last value of a name wins.
 * SAM_ERR_USAGE, with nothing changed, for an unknown name (with a suggestion) or a value out of
 * range (with the range). */
enum sam_status sam_keys_set(const struct sam_keys *keys, size_t tables, const char *text,
                             struct sam_error *error);
/* SAM_ERR_USAGE if a number is out of range; `config` is only read. */
enum sam_status sam_keys_check(const struct sam_keys *keys, struct sam_error *error);

#endif
