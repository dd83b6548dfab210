/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: parsed once into a tree, evaluated early where a number is needed immediately, and
 * again when every address is known. Arithmetic and precedence are those of GNU as: 64-bit two's
 * complement, `>>` unsigned, comparisons -1 or 0, && and || 1 or 0. */
#include "asm/asm.h"

#include <stdio.h>

void sam_asm_set_failure(struct asm_failure *fail, struct asm_at at, const char *format, ...)
{
    fail->at = at;
    va_list list;
    va_start(list, format);
    sam_format_list(fail->text, sizeof fail->text, format, list);
    va_end(list);
}

static struct asm_node *new_node(struct assembler *as, enum asm_node_kind kind, struct asm_at at)
{
    struct asm_node *node = sam_asm_new(as, 1, sizeof *node);
    if (node) {
        node->kind = kind;
        node->at = at;
        node->depth = 1;
    }
    return node;
}

const struct asm_node *sam_asm_number_node(struct assembler *as, int64_t number, struct asm_at at)
{
    struct asm_node *node = new_node(as, NODE_NUMBER, at);
    if (node)
        node->number = number;
    return node;
}

static const struct asm_node *operation(struct assembler *as, enum asm_node_kind kind,
                                        enum asm_operator op, struct asm_at at,
                                        const struct asm_node *a, const struct asm_node *b,
                                        const struct asm_node *c)
{
    struct asm_node *node = new_node(as, kind, at);
    if (!node)
        return NULL;
    node->op = op;
    node->child[0] = a;
    node->child[1] = b;
    node->child[2] = c;
    for (int i = 0; i < 3; i++)
        if (node->child[i] && node->child[i]->depth >= node->depth)
            node->depth = node->child[i]->depth + 1;
    return node;
}

/* Binary operators by precedence, higher binds tighter: GNU as, "Infix Operators". Unlike in C,
 * bitwise operators bind tighter than sums. `a ! b` is a | ~b, and `a !! b` is a ^ b. */
static const struct {
    const char *text;
    enum asm_operator op;
    int precedence;
} binary[] = {
    {"*", OP_MUL, 6}, {"/", OP_DIV, 6}, {"%", OP_MOD, 6}, {"<<", OP_SHL, 6},  {">>", OP_SHR, 6},
    {"&", OP_AND, 5}, {"|", OP_OR, 5},  {"^", OP_XOR, 5}, {"!", OP_ORN, 5},   {"+", OP_ADD, 4},
    {"-", OP_SUB, 4}, {"<", OP_LT, 3},  {">", OP_GT, 3},  {"<=", OP_LE, 3},   {">=", OP_GE, 3},
    {"==", OP_EQ, 3}, {"!=", OP_NE, 3}, {"<>", OP_NE, 3}, {"&&", OP_LAND, 2}, {"||", OP_LOR, 1},
};

static const struct {
    const char *name;
    enum asm_operator op;
} modifiers[] = {
    {"hi", OP_HI},
    {"lo", OP_LO},
    {"pcrel_hi", OP_PCREL_HI},
    {"pcrel_lo", OP_PCREL_LO},
    {"pcrel_prev", OP_PCREL_PREV},
};

struct parser {
    struct assembler *as;
    struct asm_lexer *lexer;
    struct asm_failure *fail;
    unsigned depth;
};

static const struct asm_node *ternary(struct parser *p);

static const struct asm_node *failed(struct parser *p, const char *expected)
{
    char shown[64];
    sam_asm_set_failure(p->fail, sam_asm_lex_at(p->lexer), "expected %s, found %s", expected,
                        sam_asm_lex_shown(p->lexer, shown, sizeof shown));
    return NULL;
}

/* A symbol with a known number is bound to its current value: .set may change it later. */
static const struct asm_node *symbol_node(struct assembler *as, struct asm_symbol *symbol,
                                          struct asm_at at)
{
    bool is_equ = symbol->state == SYMBOL_EQU;
    struct asm_node *node = new_node(as, is_equ ? NODE_EQU : NODE_SYMBOL, at);
    if (!node)
        return NULL;
    if (is_equ && symbol->equ->early == ASM_KNOWN && !symbol->equ->value.section) {
        node->kind = NODE_NUMBER;
        node->number = symbol->equ->value.number;
    } else if (is_equ) {
        node->equ = symbol->equ;
    } else {
        node->symbol = symbol;
    }
    return node;
}

static const struct asm_node *name_node(struct parser *p)
{
    struct asm_lexer *lexer = p->lexer;
    struct asm_at at = sam_asm_lex_at(lexer);
    if (lexer->token.size == 1 && lexer->token.text[0] == '.') {
        struct asm_position *here = sam_asm_new(p->as, 1, sizeof *here);
        struct asm_node *node = here ? new_node(p->as, NODE_DOT, at) : NULL;
        if (node) {
            *here = sam_asm_here(p->as);
            node->position = here;
        }
        sam_asm_lex_next(lexer);
        return node;
    }
    if (sam_asm_reserved_name(p->as, lexer->token.text, lexer->token.size))
        return failed(p, "a number or symbol");
    struct asm_symbol *symbol = sam_asm_symbol_get(p->as, lexer->token.text, lexer->token.size);
    sam_asm_lex_next(lexer);
    return symbol ? symbol_node(p->as, symbol, at) : NULL;
}

static const struct asm_node *modifier_node(struct parser *p)
{
    struct asm_lexer *lexer = p->lexer;
    struct asm_at at = sam_asm_lex_at(lexer);
    sam_asm_lex_next(lexer);
    for (size_t i = 0; i < SAM_COUNT(modifiers); i++) {
        if (!sam_asm_lex_is_name(lexer, modifiers[i].name) ||
            (modifiers[i].op == OP_PCREL_PREV && !lexer->bindings))
            continue;
        sam_asm_lex_next(lexer);
        if (!sam_asm_lex_take(lexer, "("))
            return failed(p, "'(' after the modifier");
        const struct asm_node *inner = ternary(p);
        if (!inner)
            return NULL;
        if (!sam_asm_lex_take(lexer, ")"))
            return failed(p, "')'");
        return operation(p->as, NODE_MODIFIER, modifiers[i].op, at, inner, NULL, NULL);
    }
    return failed(p, "%hi, %lo, %pcrel_hi or %pcrel_lo");
}

static const struct asm_node *binding_node(struct parser *p)
{
    const struct asm_arg *arg = sam_asm_find_arg(p->lexer->bindings, (char)p->lexer->token.number);
    sam_asm_lex_next(p->lexer);
    if (!arg)
        return failed(p, "a bound operand");
    return arg->expr ? arg->expr : sam_asm_number_node(p->as, arg->number, arg->at);
}

static const struct asm_node *primary(struct parser *p)
{
    struct asm_lexer *lexer = p->lexer;
    struct asm_at at = sam_asm_lex_at(lexer);
    const struct asm_node *node;
    switch (lexer->token.kind) {
    case TOKEN_NUMBER:
        node = sam_asm_number_node(p->as, lexer->token.number, at);
        sam_asm_lex_next(lexer);
        return node;
    case TOKEN_LOCAL: {
        struct asm_symbol *symbol =
            sam_asm_local_label(p->as, lexer->token.number, lexer->token.punct[0] == 'f');
        if (!symbol) {
            sam_asm_set_failure(p->fail, at, "no label %lld: precedes this line",
                                (long long)lexer->token.number);
            return NULL;
        }
        sam_asm_lex_next(lexer);
        return symbol_node(p->as, symbol, at);
    }
    case TOKEN_NAME: return name_node(p);
    case TOKEN_BINDING: return binding_node(p);
    default: break;
    }
    if (sam_asm_lex_is(lexer, "%"))
        return modifier_node(p);
    if (!sam_asm_lex_take(lexer, "("))
        return failed(p, "a number or symbol");
    node = ternary(p);
    if (node && !sam_asm_lex_take(lexer, ")"))
        return failed(p, "')'");
    return node;
}

static const struct asm_node *unary(struct parser *p)
{
    struct asm_at at = sam_asm_lex_at(p->lexer);
    enum asm_operator op = OP_NONE;
    if (++p->depth > ASM_MAX_DEPTH) {
        sam_asm_set_failure(p->fail, at, "expression nested too deeply (at most %d levels)",
                            ASM_MAX_DEPTH);
        return NULL;
    }
    const struct asm_node *node;
    if (sam_asm_lex_take(p->lexer, "+")) {
        node = unary(p);
    } else {
        if (sam_asm_lex_take(p->lexer, "-"))
            op = OP_NEG;
        else if (sam_asm_lex_take(p->lexer, "~"))
            op = OP_NOT;
        else if (sam_asm_lex_take(p->lexer, "!"))
            op = OP_LNOT;
        node = op ? unary(p) : primary(p);
        if (node && op)
            node = operation(p->as, NODE_UNARY, op, at, node, NULL, NULL);
    }
    p->depth--;
    return node;
}

static const struct asm_node *binary_from(struct parser *p, int lowest)
{
    const struct asm_node *left = unary(p);
    while (left && p->lexer->token.kind == TOKEN_PUNCT) {
        size_t i = 0;
        while (i < SAM_COUNT(binary) && !sam_asm_lex_is(p->lexer, binary[i].text))
            i++;
        if (i == SAM_COUNT(binary) || binary[i].precedence < lowest)
            break;
        struct asm_at at = sam_asm_lex_at(p->lexer);
        enum asm_operator op = binary[i].op;
        sam_asm_lex_next(p->lexer);
        if (op == OP_ORN && sam_asm_lex_take(p->lexer, "!"))
            op = OP_XOR;
        const struct asm_node *right = binary_from(p, binary[i].precedence + 1);
        if (!right)
            return NULL;
        if (left->depth >= 5 * ASM_MAX_DEPTH) {
            sam_asm_set_failure(p->fail, at, "expression too long (at most %d operators in a row)",
                                5 * ASM_MAX_DEPTH);
            return NULL;
        }
        left = operation(p->as, NODE_BINARY, op, at, left, right, NULL);
    }
    return left;
}

static const struct asm_node *ternary(struct parser *p)
{
    if (++p->depth > ASM_MAX_DEPTH)
        return failed(p, "a less deeply nested expression");
    const struct asm_node *node = binary_from(p, 1);
    struct asm_at at = sam_asm_lex_at(p->lexer);
    if (node && sam_asm_lex_take(p->lexer, "?")) {
        const struct asm_node *yes = ternary(p);
        if (!yes)
            return NULL;
        if (!sam_asm_lex_take(p->lexer, ":"))
            return failed(p, "':'");
        const struct asm_node *no = ternary(p);
        if (!no)
            return NULL;
        node = operation(p->as, NODE_TERNARY, OP_NONE, at, node, yes, no);
    }
    p->depth--;
    return node;
}

const struct asm_node *sam_asm_parse_expr(struct assembler *as, struct asm_lexer *lexer,
                                          struct asm_failure *fail)
{
    struct parser p = {as, lexer, fail, 0};
    return ternary(&p);
}
