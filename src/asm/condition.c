/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional assembly. */
#include "asm/asm.h"

#include <stdio.h>

bool sam_asm_is_active(const struct assembler *as)
{
    return as->condition_count == 0 || as->conditions[as->condition_count - 1].active;
}

enum test { TEST_NE, TEST_EQ, TEST_LT, TEST_LE, TEST_GT, TEST_GE };

static bool test_number(struct assembler *as, struct asm_lexer *lexer, enum test test)
{
    int64_t value;
    if (!sam_asm_constant(as, lexer, "the condition", &value) || !sam_asm_expect_end(as, lexer))
        return false;
    switch (test) {
    case TEST_NE: return value != 0;
    case TEST_EQ: return value == 0;
    case TEST_LT: return value < 0;
    case TEST_LE: return value <= 0;
    case TEST_GT: return value > 0;
    default: return value >= 0;
    }
}

static bool test_defined(struct assembler *as, struct asm_lexer *lexer)
{
    if (lexer->token.kind != TOKEN_NAME) {
        char shown[64];
        sam_asm_error(as, sam_asm_lex_at(lexer), "expected a symbol, found %s",
                      sam_asm_lex_shown(lexer, shown, sizeof shown));
        return false;
    }
    const struct asm_symbol *symbol = sam_asm_symbol_find(as, lexer->token.text, lexer->token.size);
    sam_asm_lex_next(lexer);
    sam_asm_expect_end(as, lexer);
    return symbol && symbol->state != SYMBOL_UNDEFINED;
}

static const struct {
    const char *name;
    enum { BY_NUMBER, BY_DEFINED, BY_BLANK } by;
    enum test test;
    bool inverted;
} openers[] = {
    {".if", BY_NUMBER, TEST_NE, false},     {".ifne", BY_NUMBER, TEST_NE, false},
    {".ifeq", BY_NUMBER, TEST_EQ, false},   {".iflt", BY_NUMBER, TEST_LT, false},
    {".ifle", BY_NUMBER, TEST_LE, false},   {".ifgt", BY_NUMBER, TEST_GT, false},
    {".ifge", BY_NUMBER, TEST_GE, false},   {".ifdef", BY_DEFINED, TEST_NE, false},
    {".ifndef", BY_DEFINED, TEST_NE, true}, {".ifnotdef", BY_DEFINED, TEST_NE, true},
    {".ifb", BY_BLANK, TEST_NE, false},     {".ifnb", BY_BLANK, TEST_NE, true},
};

static bool is(const char *text, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(text, name, size) == 0;
}

static void open_condition(struct assembler *as, size_t opener, struct asm_lexer *lexer)
{
    if (as->condition_count == ASM_MAX_CONDITIONS) {
        sam_asm_fatal(as, sam_asm_statement_at(as), "conditions nested more than %d deep",
                      ASM_MAX_CONDITIONS);
        return;
    }
    bool parent = sam_asm_is_active(as), holds = false;
    if (parent) {
        if (openers[opener].by == BY_NUMBER)
            holds = test_number(as, lexer, openers[opener].test);
        else if (openers[opener].by == BY_DEFINED)
            holds = test_defined(as, lexer);
        else
            holds = lexer->token.kind == TOKEN_END;
        holds ^= openers[opener].inverted;
    }
    as->conditions[as->condition_count++] = (struct asm_condition){
        .taken = holds || !parent, .active = holds, .parent = parent, .place = as->statement.place};
}

/* The innermost condition of this file or macro; an .else must not close an outer one. */
static struct asm_condition *innermost(struct assembler *as, const char *name)
{
    size_t floor = as->frame_count ? as->frames[as->frame_count - 1].conditions : 0;
    if (as->condition_count > floor)
        return &as->conditions[as->condition_count - 1];
    sam_asm_error(as, sam_asm_statement_at(as), "%s without .if", name);
    return NULL;
}

static void another_branch(struct assembler *as, const char *name, bool is_else,
                           struct asm_lexer *lexer)
{
    struct asm_condition *c = innermost(as, name);
    if (!c)
        return;
    if (c->in_else)
        sam_asm_error(as, sam_asm_statement_at(as), "%s after .else", name);
    c->in_else |= is_else;
    c->active = false;
    if (c->taken)
        return;
    /* evaluated in the scope around the .if */
    bool holds = is_else || test_number(as, lexer, TEST_NE);
    if (is_else)
        sam_asm_expect_end(as, lexer);
    c->active = holds;
    c->taken = holds;
}

bool sam_asm_condition_directive(struct assembler *as, const char *name, size_t size,
                                 struct asm_lexer *lexer)
{
    for (size_t i = 0; i < SAM_COUNT(openers); i++) {
        if (is(name, size, openers[i].name)) {
            open_condition(as, i, lexer);
            return true;
        }
    }
    if (is(name, size, ".else")) {
        another_branch(as, ".else", true, lexer);
    } else if (is(name, size, ".elseif")) {
        another_branch(as, ".elseif", false, lexer);
    } else if (is(name, size, ".endif")) {
        if (innermost(as, ".endif")) {
            as->condition_count--;
            sam_asm_expect_end(as, lexer);
        }
    } else {
        return false;
    }
    return true;
}
