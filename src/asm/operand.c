/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of an instruction, parsed by the letters of its row. Values may be unknown, so they are
 * not checked here. */
#include "asm/asm.h"

#include <stdio.h>

const struct asm_arg *sam_asm_find_arg(const struct asm_args *args, char letter)
{
    for (unsigned i = 0; i < args->count; i++)
        if (args->arg[i].operand->letter == letter)
            return &args->arg[i];
    return NULL;
}

struct matcher {
    struct assembler *as;
    struct asm_lexer *lexer;
    struct asm_failure *fail;
};

static bool expected(struct matcher *m, const char *what, const char *name)
{
    char shown[64];
    sam_asm_set_failure(m->fail, sam_asm_lex_at(m->lexer), "expected %s%s%s%s, found %s", what,
                        name ? " (" : "", name ? name : "", name ? ")" : "",
                        sam_asm_lex_shown(m->lexer, shown, sizeof shown));
    return false;
}

/* The operand that $x names, if it is of the wanted kind. */
static const struct asm_arg *bound(struct matcher *m, enum sam_operand_kind kind)
{
    const struct asm_token *token = &m->lexer->token;
    if (token->kind != TOKEN_BINDING)
        return NULL;
    const struct asm_arg *arg = sam_asm_find_arg(m->lexer->bindings, (char)token->number);
    if (!arg || arg->operand->kind != kind)
        return NULL;
    sam_asm_lex_next(m->lexer);
    return arg;
}

/* Registers that a three-bit field can encode. */
static int x8_register(const char *name, size_t size)
{
    int number = sam_register_x(name, size);
    return number >= 8 && number <= 15 ? number : -1;
}

/* Zfinx: the register names of F denote the x registers of the same numbers. */
static int f_register(const char *name, size_t size)
{
    static const struct {
        const char *prefix;
        int from, to, first; /* after the prefix; the register of `from` */
    } rows[] = {{"f", 0, 31, 0},  {"ft", 0, 7, 0},   {"fs", 0, 1, 8},
                {"fa", 0, 7, 10}, {"fs", 2, 11, 18}, {"ft", 8, 11, 28}};
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        const size_t skip = strlen(rows[i].prefix);
        char plain[8];
        if (size <= skip || size - skip > 2 || memcmp(name, rows[i].prefix, skip) != 0)
            continue;
        snprintf(plain, sizeof plain, "x%.*s", (int)(size - skip), name + skip);
        const int number = sam_register_x(plain, strlen(plain));
        if (number >= rows[i].from && number <= rows[i].to)
            return rows[i].first + number - rows[i].from;
    }
    return -1;
}

static bool read_register(struct matcher *m, struct asm_arg *arg)
{
    static const struct {
        int (*number)(const char *name, size_t size);
        const char *what;
    } kinds[] = {
        [SAM_KIND_X] = {sam_register_x, "an integer register"},
        [SAM_KIND_V] = {sam_register_v, "a vector register"},
        [SAM_KIND_TL] = {sam_register_tl, "a TLReg"},
        [SAM_KIND_M] = {sam_register_m, "a matrix register m0..m7"},
        [SAM_KIND_X8] = {x8_register, "one of s0, s1, a0..a5 (x8..x15)"},
    };
    const struct asm_arg *from = bound(m, arg->operand->kind);
    const struct asm_token *token = &m->lexer->token;
    int number = from ? from->number : -1;
    if (from)
        arg->at = from->at;
    else if (token->kind == TOKEN_NAME)
        number = kinds[arg->operand->kind].number(token->text, token->size);
    if (number < 0 && !from && arg->operand->kind == SAM_KIND_X && token->kind == TOKEN_NAME &&
        m->as->isa.extensions & SAM_EXT_ZFINX)
        number = f_register(token->text, token->size);
    if (number < 0)
        return expected(m, kinds[arg->operand->kind].what, arg->operand->name);
    if (!from)
        sam_asm_lex_next(m->lexer);
    arg->number = number;
    return true;
}

static bool read_expression(struct matcher *m, struct asm_arg *arg)
{
    if (m->lexer->token.kind == TOKEN_BINDING) { /* messages refer to the source text */
        const struct asm_arg *from =
            sam_asm_find_arg(m->lexer->bindings, (char)m->lexer->token.number);
        arg->at = from ? from->at : arg->at;
    }
    /* "(a0)": the offset is omitted */
    if (sam_asm_lex_is(m->lexer, "(") && arg->operand->kind == SAM_KIND_SIGNED) {
        struct asm_lexer ahead = *m->lexer;
        sam_asm_lex_next(&ahead);
        if (ahead.token.kind == TOKEN_NAME &&
            sam_asm_reserved_name(m->as, ahead.token.text, ahead.token.size)) {
            arg->number = 0;
            return true;
        }
    }
    arg->expr = sam_asm_parse_expr(m->as, m->lexer, m->fail);
    return arg->expr != NULL;
}

/* Warn, once per program, of a name that the manual uses for loads and for stores. */
static void warn_of_alias(struct matcher *m, const char *name, size_t size)
{
    const struct sam_csr_alias *alias = sam_csr_ruled(&m->as->isa, name, size);
    const uint64_t bit = alias ? UINT64_C(1) << (alias - sam_csr_aliases) : 0;
    if (!alias || (m->as->warned_aliases & bit))
        return;
    m->as->warned_aliases |= bit;
    sam_asm_warning(m->as, sam_asm_lex_at(m->lexer), "'%.*s' is %s", (int)size, name, alias->note);
}

static bool read_csr(struct matcher *m, struct asm_arg *arg)
{
    const struct asm_token *token = &m->lexer->token;
    if (token->kind != TOKEN_NAME)
        return read_expression(m, arg);
    const char *behind = token->text + token->size, *end = m->lexer->end;
    if (behind < end && *behind == '{') { /* "name{3}" */
        const char *closing = memchr(behind, '}', (size_t)(end - behind));
        behind = closing ? closing + 1 : behind;
    }
    int address = sam_csr_address(&m->as->isa, token->text, (size_t)(behind - token->text));
    if (address < 0)
        return read_expression(m, arg);
    warn_of_alias(m, token->text, (size_t)(behind - token->text));
    arg->number = address;
    m->lexer->at = behind;
    sam_asm_lex_next(m->lexer);
    return true;
}

static bool one_of(struct matcher *m, struct asm_arg *arg, const char *const *names, int count,
                   const char *what)
{
    for (int i = 0; i < count; i++) {
        if (names[i][0] && sam_asm_lex_is_name(m->lexer, names[i])) {
            arg->number = i;
            sam_asm_lex_next(m->lexer);
            return true;
        }
    }
    return expected(m, what, NULL);
}

static bool read_rounding(struct matcher *m, struct asm_arg *arg)
{
    static const char *const names[] = {"rne", "rtz", "rdn", "rup", "rmm", "", "", "dyn"};
    return one_of(m, arg, names, 8, "a rounding mode (rne, rtz, rdn, rup, rmm, dyn)");
}

/* A subset of "iorw" in this order, or a number. */
static bool read_fence(struct matcher *m, struct asm_arg *arg)
{
    const struct asm_token *token = &m->lexer->token;
    if (token->kind != TOKEN_NAME)
        return read_expression(m, arg);
    static const char letters[] = "iorw";
    int at = 0;
    for (size_t i = 0; i < token->size; i++, at++) {
        while (at < 4 && letters[at] != token->text[i])
            at++;
        if (at >= 4)
            return expected(m, "some of the letters iorw in this order", arg->operand->name);
        arg->number |= 8 >> at;
    }
    sam_asm_lex_next(m->lexer);
    return true;
}

/* e32, m1, ta, ma (the last two are optional; the default is undisturbed), or a number. */
static bool read_vtype(struct matcher *m, struct asm_arg *arg)
{
    static const char *const widths[] = {"e8", "e16", "e32", "e64"};
    static const char *const groups[] = {"m1", "m2", "m4", "m8", "", "mf8", "mf4", "mf2"};
    static const char *const tails[] = {"tu", "ta"};
    static const char *const masks[] = {"mu", "ma"};
    if (m->lexer->token.kind != TOKEN_NAME || m->lexer->token.text[0] != 'e')
        return read_expression(m, arg);
    struct asm_arg part = *arg;
    if (!one_of(m, &part, widths, 4, "an element width (e8, e16, e32, e64)"))
        return false;
    arg->number = part.number << 3;
    if (!sam_asm_lex_take(m->lexer, ","))
        return expected(m, "',' and the group size (m1, m2)", NULL);
    if (!one_of(m, &part, groups, 8, "a group size (m1, m2, m4, m8, mf2, mf4, mf8)"))
        return false;
    arg->number |= part.number;
    if (!sam_asm_lex_take(m->lexer, ","))
        return true;
    if (!sam_asm_lex_is_name(m->lexer, "mu") && !sam_asm_lex_is_name(m->lexer, "ma")) {
        if (!one_of(m, &part, tails, 2, "ta, tu, ma or mu"))
            return false;
        arg->number |= part.number << 6;
        if (!sam_asm_lex_take(m->lexer, ","))
            return true;
    }
    if (!one_of(m, &part, masks, 2, "ma or mu"))
        return false;
    arg->number |= part.number << 7;
    return true;
}

/* ", v0.t" or nothing. The bit is 1 when unmasked. */
static bool read_mask(struct matcher *m, struct asm_arg *arg)
{
    const struct asm_arg *from = bound(m, SAM_KIND_VM);
    arg->number = from ? from->number : 1;
    if (from || !sam_asm_lex_is(m->lexer, ","))
        return true;
    sam_asm_lex_next(m->lexer);
    if (!sam_asm_lex_is_name(m->lexer, "v0.t"))
        return expected(m, "v0.t", "the mask");
    arg->number = 0;
    sam_asm_lex_next(m->lexer);
    return true;
}

static bool read_operand(struct matcher *m, struct asm_arg *arg)
{
    switch (arg->operand->kind) {
    case SAM_KIND_X:
    case SAM_KIND_V:
    case SAM_KIND_TL:
    case SAM_KIND_M:
    case SAM_KIND_X8: return read_register(m, arg);
    case SAM_KIND_CSR: return read_csr(m, arg);
    case SAM_KIND_RM: return read_rounding(m, arg);
    case SAM_KIND_VTYPE: return read_vtype(m, arg);
    case SAM_KIND_FENCE: return read_fence(m, arg);
    case SAM_KIND_VM: return read_mask(m, arg);
    case SAM_KIND_V0:
        if (!sam_asm_lex_is_name(m->lexer, "v0"))
            return expected(m, "v0", "the mask register");
        sam_asm_lex_next(m->lexer);
        return true;
    case SAM_KIND_SIGNED:
    case SAM_KIND_UNSIGNED:
    case SAM_KIND_UPPER:
    case SAM_KIND_TARGET:
    case SAM_KIND_VALUE: return read_expression(m, arg);
    }
    return false;
}

/* An atomic's address may be written 0(a0). */
static void skip_zero_offset(struct matcher *m)
{
    struct asm_lexer ahead = *m->lexer;
    if (ahead.token.kind != TOKEN_NUMBER || ahead.token.number != 0)
        return;
    sam_asm_lex_next(&ahead);
    if (sam_asm_lex_is(&ahead, "("))
        *m->lexer = ahead;
}

static bool read_punctuation(struct matcher *m, const char *pattern, const char *start)
{
    char punct[2] = {*pattern, '\0'}, quoted[64];
    if (*pattern == '(' && (pattern == start || pattern[-1] == ','))
        skip_zero_offset(m);
    if (sam_asm_lex_take(m->lexer, punct))
        return true;
    const struct sam_operand *next = *pattern == ',' ? sam_operand_find(pattern[1]) : NULL;
    if (next)
        snprintf(quoted, sizeof quoted, "',' and %s", next->name);
    else
        snprintf(quoted, sizeof quoted, "'%c'", *pattern);
    return expected(m, quoted, NULL);
}

bool sam_asm_match_operands(struct assembler *as, struct asm_lexer *lexer, const char *pattern,
                            struct asm_args *args, struct asm_failure *fail)
{
    struct matcher m = {as, lexer, fail};
    args->count = 0;
    for (const char *c = pattern; *c; c++) {
        if (*c == ',' && c[1] == 'm' && !sam_asm_lex_is(lexer, ",")) {
            c++; /* the rounding mode was omitted */
            struct asm_arg *arg = &args->arg[args->count++];
            *arg = (struct asm_arg){.operand = sam_operand_find('m'), .number = 7};
            arg->at = sam_asm_lex_at(lexer);
            continue;
        }
        const struct sam_operand *operand = sam_operand_find(*c);
        if (!operand) {
            if (!read_punctuation(&m, c, pattern))
                return false;
            continue;
        }
        if (args->count == ASM_MAX_ARGS)
            return false;
        struct asm_arg *arg = &args->arg[args->count++];
        *arg = (struct asm_arg){.operand = operand, .at = sam_asm_lex_at(lexer)};
        if (!read_operand(&m, arg))
            return false;
    }
    return lexer->token.kind == TOKEN_END || expected(&m, "the end of the operands", NULL);
}
