/* SPDX-License-Identifier: Apache-2.0 */
#include "base/keys.h"

#include <inttypes.h>

static void store(const struct sam_key *key, void *config, uint64_t value)
{
    for (unsigned i = 0; i < key->count; i++) {
        char *at = (char *)config + key->at;
        switch (key->kind) {
        case SAM_KEY_SWITCH: ((bool *)(void *)at)[i] = value != 0; break;
        case SAM_KEY_WIDE: ((uint64_t *)(void *)at)[i] = value; break;
        default: ((uint32_t *)(void *)at)[i] = (uint32_t)value; break;
        }
    }
}

/* "12.5": 12500 */
static bool parse_milli(const char *text, uint64_t *value)
{
    enum { DECIMALS = 3, MOST_DIGITS = 9 };
    int digits = 0, decimals = -1; /* -1: no point yet */
    *value = 0;
    for (; *text; text++) {
        if (*text == '.' && decimals < 0 && digits) {
            decimals = 0;
            continue;
        }
        if (*text < '0' || *text > '9' || decimals == DECIMALS || ++digits > MOST_DIGITS)
            return false;
        *value = 10 * *value + (uint64_t)(*text - '0');
        decimals += decimals >= 0;
    }
    if (!digits || decimals == 0)
        return false;
    for (int i = decimals < 0 ? 0 : decimals; i < DECIMALS; i++)
        *value *= 10;
    return true;
}

/* The number of a word of "a|b|c". */
static bool parse_word(const char *words, const char *text, uint64_t *value)
{
    for (*value = 0; *words; ++*value) {
        const size_t size = strcspn(words, "|");
        if (strlen(text) == size && memcmp(words, text, size) == 0)
            return true;
        words += size + (words[size] == '|');
    }
    return false;
}

static bool is_legal(const struct sam_key *key, uint64_t value)
{
    const struct sam_parameter *p = &key->parameter;
    switch (key->kind) {
    case SAM_KEY_POWER:
        if (value & (value - 1))
            return false;
        break;
    case SAM_KEY_WIDE: return true;
    case SAM_KEY_MILLI: return value <= 1000 * p->high;
    default: break;
    }
    return value >= p->low && value <= p->high;
}

static bool parse(const struct sam_key *key, const char *text, uint64_t *value)
{
    if (key->kind == SAM_KEY_WORD)
        return parse_word(key->parameter.range, text, value);
    return (key->kind == SAM_KEY_MILLI ? parse_milli(text, value) : sam_parse_u64(text, value)) &&
           is_legal(key, *value);
}

/* `word` is "name=value", or "name" alone. */
static enum sam_status refuse(const struct sam_key *key, const char *word, struct sam_error *error)
{
    const struct sam_parameter *p = &key->parameter;
    char what[80] = "";
    switch (key->kind) {
    case SAM_KEY_NUMBER:
        sam_format(what, sizeof what, "a number from %" PRIu64 " to %" PRIu64, p->low, p->high);
        break;
    case SAM_KEY_POWER:
        sam_format(what, sizeof what, "%sa power of two from %" PRIu64 " to %" PRIu64,
                   p->low ? "" : "0 or ", p->low ? p->low : 1, p->high);
        break;
    case SAM_KEY_SWITCH: sam_format(what, sizeof what, "0 or 1"); break;
    case SAM_KEY_MILLI:
        sam_format(what, sizeof what, "a number up to %" PRIu64 " with at most three decimals",
                   p->high);
        break;
    case SAM_KEY_WIDE: sam_format(what, sizeof what, "a number of 64 bits"); break;
    case SAM_KEY_WORD: sam_format(what, sizeof what, "one of %s", p->range); break;
    }
    if (strchr(word, '='))
        return sam_fail(error, SAM_ERR_USAGE, "%s: expected %s", word, what);
    return sam_fail(error, SAM_ERR_USAGE, "%s: expected %s=VALUE, %s", word, p->name, what);
}

void sam_keys_defaults(const struct sam_keys *keys)
{
    for (size_t i = 0; i < keys->count; i++) {
        uint64_t value = 0;
        if (!parse(&keys->rows[i], keys->rows[i].parameter.value, &value))
            value = 0; /* set by another parameter */
        store(&keys->rows[i], keys->config, value);
    }
}

static const struct sam_key *find(const struct sam_keys *keys, size_t tables, const char *name,
                                  size_t size, void **config, const char **nearest)
{
    unsigned least = (unsigned)size / 2 + 1; /* with more edits it is a different word */
    for (size_t t = 0; t < tables; t++)
        for (size_t i = 0; i < keys[t].count; i++) {
            const struct sam_key *key = &keys[t].rows[i];
            unsigned edits = sam_edits(name, size, key->parameter.name);
            *config = keys[t].config;
            if (edits == 0)
                return key;
            if (edits < least)
                *nearest = key->parameter.name;
            least = edits < least ? edits : least;
        }
    return NULL;
}

/* Parse one "name=value"; store it if `change`. */
static enum sam_status set_one(const struct sam_keys *keys, size_t tables, const char *text,
                               size_t size, bool change, struct sam_error *error)
{
    char word[96];
    const char *nearest = "";
    void *config;
    uint64_t value;
    if (size >= sizeof word)
        return sam_fail(error, SAM_ERR_USAGE, "unknown parameter '%.*s...'", (int)sizeof word - 4,
                        text);
    memcpy(word, text, size);
    word[size] = '\0';
    const size_t length = strcspn(word, "=");
    const struct sam_key *key = find(keys, tables, word, length, &config, &nearest);
    if (!key)
        return sam_fail(error, SAM_ERR_USAGE, "unknown parameter '%.*s'%s%s%s", (int)length, word,
                        *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "");
    if (!word[length] || !parse(key, word + length + 1, &value))
        return refuse(key, word, error);
    if (change)
        store(key, config, value);
    return SAM_OK;
}

enum sam_status sam_keys_set(const struct sam_keys *keys, size_t tables, const char *text,
                             struct sam_error *error)
{
    for (int change = 0; change < 2; change++)
        for (const char *at = text; at && *text;) {
            size_t size = strcspn(at, ",");
            enum sam_status status = set_one(keys, tables, at, size, change, error);
            if (status != SAM_OK)
                return status;
            at = at[size] ? at + size + 1 : NULL;
        }
    return SAM_OK;
}

enum sam_status sam_keys_check(const struct sam_keys *keys, struct sam_error *error)
{
    for (size_t i = 0; i < keys->count; i++) {
        const struct sam_key *key = &keys->rows[i];
        const char *at = (const char *)keys->config + key->at;
        if (key->kind != SAM_KEY_NUMBER && key->kind != SAM_KEY_POWER)
            continue;
        for (unsigned k = 0; k < key->count; k++) {
            const uint32_t value = ((const uint32_t *)(const void *)at)[k];
            char word[64];
            sam_format(word, sizeof word, "%s=%" PRIu32, key->parameter.name, value);
            if (!is_legal(key, value))
                return refuse(key, word, error);
        }
    }
    return SAM_OK;
}
