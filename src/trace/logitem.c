/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the changes of a record: registers, memory, the SIMT mask. */
#include "trace/log.h"

/* Value of a hexadecimal digit plus one, 0 for anything else. */
static const uint8_t digit_of[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

unsigned sam_log_hex(const char **at, const char *end, uint64_t *value)
{
    unsigned digits = 0;
    *value = 0;
    for (; *at < end && digits < 16 && digit_of[(uint8_t) * *at]; ++*at, digits++)
        *value = *value << 4 | (digit_of[(uint8_t) * *at] - 1u);
    return digits;
}

unsigned sam_log_decimal(const char **at, const char *end, uint32_t *value)
{
    unsigned digits = 0;
    *value = 0;
    for (; *at < end && digits < 9 && **at >= '0' && **at <= '9'; ++*at, digits++)
        *value = *value * 10 + (uint32_t)(**at - '0');
    return digits;
}

/* Parse "0x" and digits; on failure leaves *at unchanged. */
static bool take_0x(const char **at, const char *end, uint32_t *value)
{
    const char *from = *at;
    uint64_t wide;
    if (sam_log_take(at, end, "0x") && sam_log_hex(at, end, &wide)) {
        *value = (uint32_t)wide;
        return true;
    }
    *at = from;
    return false;
}

static void skip_word(const char **at, const char *end)
{
    while (*at < end && **at != ' ' && **at != '\t')
        ++*at;
}

/* The words of a vector: eight digits each, separated by blanks or commas. */
static void take_words(const char **at, const char *end, struct sam_log_item *item)
{
    uint64_t word;
    for (const char *next = *at; item->lanes < SAM_LOG_LANES; *at = next) {
        while (next < end && (*next == ' ' || *next == ','))
            next++;
        if (sam_log_hex(&next, end, &word) != 8)
            return;
        item->words[item->lanes++] = (uint32_t)word;
    }
}

/* -------------------------------------------------------------------- instruction simulator */

/* "x6  0x800000a8", after the name's letter. */
static bool isa_scalar(const char **at, const char *end, struct sam_log_item *item)
{
    uint32_t reg;
    if (!sam_log_decimal(at, end, &reg) || reg > 255)
        return false;
    sam_log_blanks(at, end);
    item->kind = SAM_LOG_SCALAR;
    item->reg = reg;
    return take_0x(at, end, &item->value);
}

/* "0x40e0000040c00000...", eight digits per lane. */
static void take_joined_words(const char **at, const char *end, struct sam_log_item *item)
{
    uint64_t word;
    for (const char *next = *at; item->lanes < SAM_LOG_LANES; *at = next) {
        const char *stop = end - next < 8 ? end : next + 8;
        if (sam_log_hex(&next, stop, &word) != 8)
            return;
        item->words[item->lanes++] = (uint32_t)word;
    }
}

/* "v1  000000ff 0x40e00000 40c00000 ...", after the letter; older logs have neither lane mask nor
 * blanks. */
static bool isa_vector(const char **at, const char *end, struct sam_log_item *item)
{
    uint32_t reg;
    uint64_t mask;
    if (!sam_log_decimal(at, end, &reg) || reg > 255)
        return false;
    *item = (struct sam_log_item){.kind = SAM_LOG_VECTOR, .reg = reg};
    sam_log_blanks(at, end);
    if (sam_log_take(at, end, "0x")) {
        take_joined_words(at, end, item);
        return item->lanes != 0;
    }
    item->has_mask = sam_log_hex(at, end, &mask) == 8;
    item->mask = (uint32_t)mask;
    sam_log_blanks(at, end);
    if (!item->has_mask || !sam_log_take(at, end, "0x"))
        return false;
    take_words(at, end, item);
    return item->lanes != 0;
}

/* "mem 0x90023000" of a load or "mem 0x80003000 0x00000000" of a store, after the word. */
static bool isa_memory(const char **at, const char *end, struct sam_log_item *item)
{
    sam_log_blanks(at, end);
    if (!take_0x(at, end, &item->value))
        return false;
    const char *next = *at;
    sam_log_blanks(&next, end);
    item->kind = SAM_LOG_MEMORY;
    item->stored = take_0x(&next, end, &item->data);
    if (item->stored)
        *at = next;
    return true;
}

static bool isa_mask(const char **at, const char *end, struct sam_log_item *item)
{
    uint64_t mask;
    sam_log_blanks(at, end);
    if (!sam_log_hex(at, end, &mask))
        return false;
    item->kind = SAM_LOG_MASK;
    item->value = (uint32_t)mask;
    return true;
}

/* Skipped: CSRs, vector type, reconvergence pc and SIMT stack depth, which differ between
 * simulators. */
static void next_isa(struct sam_log_cursor *c, struct sam_log_item *item)
{
    while (c->at < c->end) {
        const char *from = c->at;
        bool found = false;
        if (*c->at == ' ' || *c->at == '\t') {
            c->at++;
            continue;
        }
        if (sam_log_take(&c->at, c->end, "mem "))
            found = isa_memory(&c->at, c->end, item);
        else if (sam_log_take(&c->at, c->end, "current mask:"))
            found = isa_mask(&c->at, c->end, item);
        else if (sam_log_take(&c->at, c->end, "x"))
            found = isa_scalar(&c->at, c->end, item);
        else if (sam_log_take(&c->at, c->end, "v"))
            found = isa_vector(&c->at, c->end, item);
        if (found)
            return;
        c->at = from;
        skip_word(&c->at, c->end);
    }
    item->kind = SAM_LOG_NONE;
}

/* --------------------------------------------------------------------------------- hardware */

/* Binary digits, lane 0 last. Returns false if there are none. */
static bool take_binary(const char **at, const char *end, uint32_t *mask, unsigned *digits)
{
    const char *from = *at;
    *mask = 0;
    for (*digits = 0; *at < end && (**at == '0' || **at == '1'); ++*at, ++*digits)
        *mask = *mask << 1 | (uint32_t)(**at - '0');
    if (*digits && (*at == end || digit_of[(uint8_t) * *at] == 0))
        return true;
    *at = from;
    return false;
}

/* The lane mask precedes the words, with as many digits as there are words, or follows them after
 * "mask=". */
static void rtl_vector(const char **at, const char *end, struct sam_log_item *item)
{
    uint32_t mask;
    unsigned digits;
    const char *from = *at;
    if (take_binary(at, end, &mask, &digits)) {
        take_words(at, end, item);
        item->has_mask = item->lanes == digits;
        item->mask = mask;
    }
    if (!item->has_mask) {
        item->lanes = 0;
        *at = from;
        take_words(at, end, item);
        sam_log_take(at, end, ";");
        sam_log_blanks(at, end);
        if (sam_log_take(at, end, "mask="))
            item->has_mask = take_binary(at, end, &item->mask, &digits);
    }
}

/* "x 001 80000198", "x 29  00000020", "v 032 00000008,00000008; mask=11": a record has one item. */
static void next_rtl(struct sam_log_cursor *c, struct sam_log_item *item)
{
    const char *at = c->at, *end = c->end;
    uint32_t reg;
    uint64_t value;
    c->at = c->end;
    item->kind = SAM_LOG_NONE;
    if (end - at < 2 || (*at != 'x' && *at != 'v'))
        return;
    const bool vector = *at++ == 'v';
    sam_log_blanks(&at, end);
    if (!sam_log_decimal(&at, end, &reg) || reg > 255)
        return;
    sam_log_blanks(&at, end);
    *item = (struct sam_log_item){.reg = reg};
    if (vector) {
        rtl_vector(&at, end, item);
        item->kind = item->lanes ? SAM_LOG_VECTOR : SAM_LOG_NONE;
    } else {
        sam_log_take(&at, end, "0x");
        item->kind = sam_log_hex(&at, end, &value) == 8 ? SAM_LOG_SCALAR : SAM_LOG_NONE;
        item->value = (uint32_t)value;
    }
}

void sam_log_next(struct sam_log_cursor *cursor, struct sam_log_item *item)
{
    if (cursor->form == SAM_LOG_ISA)
        next_isa(cursor, item);
    else
        next_rtl(cursor, item);
}
