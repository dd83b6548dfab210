/* SPDX-License-Identifier: Apache-2.0 */
/* Directives that emit bytes: numbers, strings, space, alignment. */
#include "asm/asm.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_little_endian(uint8_t *bytes, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

/* .byte .half .word .dword: signed or unsigned values of that width. */
static void data_values(struct assembler *as, struct asm_lexer *lexer, unsigned width)
{
    do {
        struct asm_at at = sam_asm_lex_at(lexer);
        struct asm_failure fail = {.at = at};
        const struct asm_node *node = sam_asm_parse_expr(as, lexer, &fail);
        int64_t number;
        if (!node) {
            if (!as->stop)
                sam_asm_error(as, fail.at, "%s", fail.text);
            return;
        }
        enum asm_known known = sam_asm_eval_early(as, node, &number);
        int64_t limit = width < 8 ? INT64_C(1) << (8 * width) : 0;
        if (known == ASM_KNOWN && (width == 8 || (number >= -limit / 2 && number < limit))) {
            uint8_t bytes[8];
            put_little_endian(bytes, (uint64_t)number, width);
            sam_asm_add_bytes(as, bytes, width, at);
        } else if (known != ASM_WRONG) {
            sam_asm_add_value(as, node, width, at); /* reports values that are too large */
        }
    } while (sam_asm_lex_take(lexer, ",") && !as->stop);
    sam_asm_expect_end(as, lexer);
}

/* .float .double: decimal or hexadecimal C floats, inf, nan. */
static void data_floats(struct assembler *as, struct asm_lexer *lexer, unsigned width)
{
    const char *at = lexer->token.text;
    do {
        while (at < lexer->end && (*at == ' ' || *at == '\t'))
            at++;
        size_t size = 0;
        while (at + size < lexer->end && at[size] != ',')
            size++;
        while (size && (at[size - 1] == ' ' || at[size - 1] == '\t' || at[size - 1] == '\r'))
            size--;
        struct asm_at where = {lexer->place, (unsigned)(at - lexer->place->text) + 1};
        char text[128], *end;
        snprintf(text, sizeof text, "%.*s", size < 100 ? (int)size : 100, at);
        uint8_t bytes[8];
        double value;
        errno = 0;
        if (width == 4) {
            float single = sam_strtof(text, &end);
            value = single;
            put_little_endian(bytes, sam_f32_bits(single), 4);
        } else {
            uint64_t bits;
            value = sam_strtod(text, &end);
            memcpy(&bits, &value, sizeof bits);
            put_little_endian(bytes, bits, 8);
        }
        if (end == text || *end || size >= 100) {
            sam_asm_error(as, where, "expected a floating-point number, found '%.40s'", text);
            return;
        }
        if (errno == ERANGE && isinf(value)) /* overflow only: underflow gives zero */
            sam_asm_error(as, where, "%s does not fit %s", text, width == 4 ? ".float" : ".double");
        sam_asm_add_bytes(as, bytes, width, where);
        while (at < lexer->end && *at != ',')
            at++;
    } while (at < lexer->end && *at++ == ',');
}

static void data_strings(struct assembler *as, struct asm_lexer *lexer, bool terminated)
{
    do {
        struct asm_at at = sam_asm_lex_at(lexer);
        char shown[64];
        if (lexer->token.kind != TOKEN_STRING) {
            sam_asm_error(as, at, "expected a string in quotes, found %s",
                          sam_asm_lex_shown(lexer, shown, sizeof shown));
            return;
        }
        size_t size;
        const char *problem;
        char *bytes = sam_asm_string(as, &lexer->token, &size, &problem);
        if (!bytes) {
            if (problem)
                sam_asm_error(as, at, "%s", problem);
            return;
        }
        sam_asm_add_bytes(as, bytes, size, at);
        if (terminated)
            sam_asm_add_bytes(as, "", 1, at);
        sam_asm_lex_next(lexer);
    } while (sam_asm_lex_take(lexer, ",") && !as->stop);
    sam_asm_expect_end(as, lexer);
}

static bool size_in_reach(struct assembler *as, struct asm_at at, int64_t size)
{
    if (size >= 0 && size <= (int64_t)ASM_MAX_SIZE)
        return true;
    sam_asm_error(as, at, "size %lld is outside 0..%lld (256 MiB)", (long long)size,
                  (long long)ASM_MAX_SIZE);
    return false;
}

/* .space SIZE[, BYTE] */
static void data_space(struct assembler *as, struct asm_lexer *lexer)
{
    struct asm_at at = sam_asm_lex_at(lexer);
    int64_t size, fill = 0;
    if (!sam_asm_constant(as, lexer, "the size", &size))
        return;
    if (sam_asm_lex_take(lexer, ",") && !sam_asm_constant(as, lexer, "the fill byte", &fill))
        return;
    if (sam_asm_expect_end(as, lexer) && size_in_reach(as, at, size))
        sam_asm_add_fill(as, (uint64_t)size, 1, (uint64_t)fill & 255, at);
}

/* .fill COUNT[, WIDTH[, VALUE]] */
static void data_fill(struct assembler *as, struct asm_lexer *lexer)
{
    struct asm_at at = sam_asm_lex_at(lexer);
    int64_t count, width = 1, value = 0;
    if (!sam_asm_constant(as, lexer, "the count", &count))
        return;
    if (sam_asm_lex_take(lexer, ",") && !sam_asm_constant(as, lexer, "the width", &width))
        return;
    if (sam_asm_lex_take(lexer, ",") && !sam_asm_constant(as, lexer, "the value", &value))
        return;
    if (!sam_asm_expect_end(as, lexer) || !size_in_reach(as, at, count))
        return;
    if (width < 0 || width > 8)
        sam_asm_error(as, at, "width %lld is outside 0..8", (long long)width);
    else
        sam_asm_add_fill(as, (uint64_t)count, (unsigned)width, (uint64_t)value, at);
}

/* .align and .p2align count in powers of two (as GNU as does on RISC-V), .balign in bytes. */
static void data_align(struct assembler *as, struct asm_lexer *lexer, bool in_bytes)
{
    struct asm_at at = sam_asm_lex_at(lexer);
    int64_t value, fill = -1, limit = INT64_MAX;
    if (!sam_asm_constant(as, lexer, "the alignment", &value))
        return;
    if (sam_asm_lex_take(lexer, ",") && !sam_asm_lex_is(lexer, ",") &&
        !sam_asm_constant(as, lexer, "the fill byte", &fill))
        return;
    if (sam_asm_lex_take(lexer, ",") && !sam_asm_constant(as, lexer, "the limit", &limit))
        return;
    if (!sam_asm_expect_end(as, lexer))
        return;
    int64_t alignment = in_bytes                   ? (value ? value : 1)
                        : value >= 0 && value < 32 ? INT64_C(1) << value
                                                   : -1;
    if (alignment < 1 || alignment > ASM_MAX_ALIGNMENT || (alignment & (alignment - 1)))
        sam_asm_error(as, at, "alignment %lld is not %s", (long long)value,
                      in_bytes ? "a power of two up to 1048576" : "in 0..20 (a power of two)");
    else
        sam_asm_add_align(as, (uint64_t)alignment, fill < 0 ? -1 : (int)(fill & 255),
                          limit < 0 ? 0 : (uint64_t)limit, at);
}

static const struct {
    const char *name;
    enum { VALUES, FLOATS, STRINGS, SPACE, FILL, ALIGN } what;
    unsigned argument; /* width; terminated; in bytes */
} directives[] = {
    {".byte", VALUES, 1},   {".half", VALUES, 2},    {".short", VALUES, 2},  {".hword", VALUES, 2},
    {".2byte", VALUES, 2},  {".word", VALUES, 4},    {".long", VALUES, 4},   {".int", VALUES, 4},
    {".4byte", VALUES, 4},  {".dword", VALUES, 8},   {".quad", VALUES, 8},   {".8byte", VALUES, 8},
    {".float", FLOATS, 4},  {".single", FLOATS, 4},  {".double", FLOATS, 8}, {".ascii", STRINGS, 0},
    {".asciz", STRINGS, 1}, {".string", STRINGS, 1}, {".space", SPACE, 0},   {".zero", SPACE, 0},
    {".skip", SPACE, 0},    {".fill", FILL, 0},      {".align", ALIGN, 0},   {".p2align", ALIGN, 0},
    {".balign", ALIGN, 1},
};

bool sam_asm_data_directive(struct assembler *as, const char *name, size_t size,
                            struct asm_lexer *lexer)
{
    for (size_t i = 0; i < SAM_COUNT(directives); i++) {
        unsigned argument = directives[i].argument;
        if (strlen(directives[i].name) != size || memcmp(directives[i].name, name, size) != 0)
            continue;
        switch (directives[i].what) {
        case VALUES: data_values(as, lexer, argument); break;
        case FLOATS: data_floats(as, lexer, argument); break;
        case STRINGS: data_strings(as, lexer, argument); break;
        case SPACE: data_space(as, lexer); break;
        case FILL: data_fill(as, lexer); break;
        case ALIGN: data_align(as, lexer, argument); break;
        }
        return true;
    }
    return false;
}
