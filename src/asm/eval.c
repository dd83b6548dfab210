/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of expressions: in pass one, with some addresses unknown, and in pass two. */
#include "asm/asm.h"

#include <stdio.h>

/* Nested calls of eval: trees and .set values that refer to each other. */
enum { MAX_EVAL_DEPTH = 4000 };

static int64_t apply_unary(enum asm_operator op, int64_t a)
{
    if (op == OP_NEG)
        return (int64_t)(0 - (uint64_t)a);
    return op == OP_NOT ? ~a : !a;
}

/* Returns false on division by zero. */
static bool apply_binary(enum asm_operator op, int64_t a, int64_t b, int64_t *out)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    switch (op) {
    case OP_MUL: *out = (int64_t)(ua * ub); return true;
    case OP_DIV:
    case OP_MOD:
        if (b == 0)
            return false;
        if (b == -1)
            *out = op == OP_DIV ? (int64_t)(0 - ua) : 0;
        else
            *out = op == OP_DIV ? a / b : a % b;
        return true;
    case OP_ADD: *out = (int64_t)(ua + ub); return true;
    case OP_SUB: *out = (int64_t)(ua - ub); return true;
    case OP_SHL: *out = ub > 63 ? 0 : (int64_t)(ua << ub); return true;
    case OP_SHR: *out = ub > 63 ? 0 : (int64_t)(ua >> ub); return true;
    case OP_LT: *out = -(a < b); return true;
    case OP_GT: *out = -(a > b); return true;
    case OP_LE: *out = -(a <= b); return true;
    case OP_GE: *out = -(a >= b); return true;
    case OP_EQ: *out = -(a == b); return true;
    case OP_NE: *out = -(a != b); return true;
    case OP_AND: *out = a & b; return true;
    case OP_XOR: *out = a ^ b; return true;
    case OP_OR: *out = a | b; return true;
    case OP_ORN: *out = a | ~b; return true;
    case OP_LAND: *out = a && b; return true;
    default: *out = a || b; return true;
    }
}

/* --- early */

static struct asm_value position_value(const struct asm_position *position)
{
    return (struct asm_value){(int64_t)position->offset, position->section, position->epoch};
}

/* Sums and differences of places in one section; everything else needs plain numbers. */
static enum asm_known early_binary(struct assembler *as, const struct asm_node *node,
                                   struct asm_value *out)
{
    struct asm_value a, b;
    enum asm_known known = sam_asm_eval_value(as, node->child[0], &a);
    if (known != ASM_KNOWN)
        return known;
    known = sam_asm_eval_value(as, node->child[1], &b);
    if (known != ASM_KNOWN)
        return known;
    *out = (struct asm_value){0, NULL, 0};
    if (a.section && b.section) {
        bool distance = node->op == OP_SUB || (node->op >= OP_LT && node->op <= OP_NE);
        if (!distance || a.section != b.section || a.epoch != b.epoch)
            return ASM_UNKNOWN;
    } else if (a.section || b.section) {
        if (node->op != OP_ADD && !(node->op == OP_SUB && a.section))
            return ASM_UNKNOWN;
        out->section = a.section ? a.section : b.section;
        out->epoch = a.section ? a.epoch : b.epoch;
    }
    if (apply_binary(node->op, a.number, b.number, &out->number))
        return ASM_KNOWN;
    sam_asm_error(as, node->at, "division by zero");
    return ASM_WRONG;
}

enum asm_known sam_asm_eval_value(struct assembler *as, const struct asm_node *node,
                                  struct asm_value *value)
{
    enum asm_known known;
    switch (node->kind) {
    case NODE_NUMBER: *value = (struct asm_value){node->number, NULL, 0}; return ASM_KNOWN;
    case NODE_DOT: *value = position_value(node->position); return ASM_KNOWN;
    case NODE_EQU: *value = node->equ->value; return node->equ->early;
    case NODE_SYMBOL:
        if (node->symbol->state == SYMBOL_LABEL)
            *value = position_value(&node->symbol->position);
        else if (node->symbol->state == SYMBOL_EQU)
            *value = node->symbol->equ->value;
        else
            return ASM_UNKNOWN;
        return node->symbol->state == SYMBOL_EQU ? node->symbol->equ->early : ASM_KNOWN;
    case NODE_UNARY:
        known = sam_asm_eval_value(as, node->child[0], value);
        if (known == ASM_KNOWN && value->section)
            return ASM_UNKNOWN;
        if (known == ASM_KNOWN)
            value->number = apply_unary(node->op, value->number);
        return known;
    case NODE_BINARY: return early_binary(as, node, value);
    case NODE_TERNARY:
        known = sam_asm_eval_value(as, node->child[0], value);
        if (known == ASM_KNOWN && value->section)
            return ASM_UNKNOWN;
        return known != ASM_KNOWN
                   ? known
                   : sam_asm_eval_value(as, node->child[value->number ? 1 : 2], value);
    default: return ASM_UNKNOWN; /* modifiers need a pc */
    }
}

enum asm_known sam_asm_eval_early(struct assembler *as, const struct asm_node *node,
                                  int64_t *number)
{
    struct asm_value value;
    enum asm_known known = sam_asm_eval_value(as, node, &value);
    if (known == ASM_KNOWN && value.section)
        return ASM_UNKNOWN;
    *number = known == ASM_KNOWN ? value.number : 0;
    return known;
}

/* --- at the end */

struct evaluation {
    struct assembler *as;
    const struct asm_insn *insn;
    bool quiet;
};

static enum asm_known eval(const struct evaluation *e, const struct asm_node *node, int64_t *out);

static enum asm_known SAM_PRINTF(3, 4)
    wrong(const struct evaluation *e, const struct asm_node *node, const char *format, ...)
{
    if (e->quiet)
        return ASM_WRONG;
    char text[256];
    va_list list;
    va_start(list, format);
    sam_format_list(text, sizeof text, format, list);
    va_end(list);
    sam_asm_error(e->as, node->at, "%s", text);
    return ASM_WRONG;
}

static enum asm_known eval_equ(const struct evaluation *e, const struct asm_node *node,
                               struct asm_equ *equ, int64_t *out)
{
    if (equ->stamp == e->as->stamp) {
        *out = equ->number;
        return equ->state == ASM_WRONG ? wrong(e, node, "this value could not be computed")
                                       : equ->state;
    }
    if (equ->visiting)
        return wrong(e, node, "the symbol's value depends on itself");
    equ->visiting = true;
    equ->state = eval(e, equ->expr, &equ->number);
    equ->visiting = false;
    equ->stamp = e->as->stamp;
    *out = equ->number;
    return equ->state;
}

static enum asm_known eval_symbol(const struct evaluation *e, const struct asm_node *node,
                                  int64_t *out)
{
    struct asm_symbol *symbol = node->symbol;
    if (symbol->state == SYMBOL_LABEL) {
        *out = (int64_t)sam_asm_position_address(&symbol->position);
        return ASM_KNOWN;
    }
    if (symbol->state == SYMBOL_EQU)
        return eval_equ(e, node, symbol->equ, out);
    if (symbol->weak) {
        *out = 0;
        return ASM_KNOWN;
    }
    if (symbol->name[0] == '\1') /* "\1number\1count" */
        return wrong(e, node, "no label %.*s: follows this line",
                     (int)strcspn(symbol->name + 1, "\1"), symbol->name + 1);
    return wrong(e, node, "undefined symbol '%s'", symbol->name);
}

/* The auipc whose %pcrel_hi a %pcrel_lo completes: the instruction at the label. */
static const struct asm_insn *insn_at_label(const struct asm_node *node)
{
    if (node->kind != NODE_SYMBOL || node->symbol->state != SYMBOL_LABEL)
        return NULL;
    const struct asm_position *position = &node->symbol->position;
    if (position->delta || position->item >= position->section->count)
        return NULL;
    const struct asm_item *item = &position->section->items[position->item];
    return item->kind == ITEM_INSN ? item->insn : NULL;
}

static bool is_undefined_weak(const struct asm_node *node)
{
    while (node->kind == NODE_BINARY && (node->op == OP_ADD || node->op == OP_SUB))
        node = node->child[0];
    return node->kind == NODE_SYMBOL && node->symbol->weak &&
           node->symbol->state == SYMBOL_UNDEFINED;
}

/* lui and auipc sign-extend, so values outside 32 signed bits cannot be built. */
static bool upper_reaches(const struct assembler *as, int64_t value)
{
    return as->isa.xlen == 32 || (value >= INT32_MIN && value <= INT32_MAX - 0x800);
}

bool sam_asm_becomes_lui(struct assembler *as, const struct asm_insn *insn)
{
    const struct asm_arg *upper =
        insn->op == SAM_OP_auipc ? sam_asm_find_arg(insn->args, 'u') : NULL;
    const struct asm_node *node = upper ? upper->expr : NULL;
    int64_t value;
    return node && node->kind == NODE_MODIFIER && node->op == OP_PCREL_HI &&
           is_undefined_weak(node->child[0]) &&
           sam_asm_eval(as, node->child[0], NULL, true, &value) == ASM_KNOWN &&
           !upper_reaches(as, (int64_t)((uint64_t)value - insn->address));
}

static enum asm_known eval_modifier(const struct evaluation *e, const struct asm_node *node,
                                    int64_t *out)
{
    const struct asm_node *inner = node->child[0];
    const struct asm_insn *insn = e->insn;
    if (!insn)
        return wrong(e, node, "a %%-modifier makes sense only in an instruction");
    if (node->op == OP_PCREL_LO || node->op == OP_PCREL_PREV) {
        insn = node->op == OP_PCREL_PREV ? insn->previous : insn_at_label(inner);
        const struct asm_arg *upper = insn ? sam_asm_find_arg(insn->args, 'u') : NULL;
        if (!upper || !upper->expr || upper->expr->kind != NODE_MODIFIER ||
            upper->expr->op != OP_PCREL_HI)
            return wrong(e, node, "%%pcrel_lo needs the label of an auipc with %%pcrel_hi");
        inner = upper->expr->child[0];
    }
    int64_t value;
    enum asm_known known = eval(e, inner, &value);
    if (known != ASM_KNOWN)
        return known;
    if (node->op != OP_HI && node->op != OP_LO && !sam_asm_becomes_lui(e->as, insn))
        value = (int64_t)((uint64_t)value - insn->address);
    if (!upper_reaches(e->as, value))
        return wrong(e, node, "the value is out of the 32-bit reach of lui and auipc");
    if (node->op == OP_HI || node->op == OP_PCREL_HI)
        *out = (int64_t)((((uint64_t)value + 0x800) >> 12) & 0xfffff);
    else
        *out = sam_sext32((uint32_t)value, 12);
    return ASM_KNOWN;
}

static enum asm_known eval_node(const struct evaluation *e, const struct asm_node *node,
                                int64_t *out)
{
    int64_t a, b;
    enum asm_known known;
    *out = 0;
    switch (node->kind) {
    case NODE_NUMBER: *out = node->number; return ASM_KNOWN;
    case NODE_DOT: *out = (int64_t)sam_asm_position_address(node->position); return ASM_KNOWN;
    case NODE_EQU: return eval_equ(e, node, node->equ, out);
    case NODE_SYMBOL: return eval_symbol(e, node, out);
    case NODE_MODIFIER: return eval_modifier(e, node, out);
    case NODE_UNARY:
        known = eval(e, node->child[0], &a);
        if (known == ASM_KNOWN)
            *out = apply_unary(node->op, a);
        return known;
    case NODE_TERNARY:
        known = eval(e, node->child[0], &a);
        return known != ASM_KNOWN ? known : eval(e, node->child[a ? 1 : 2], out);
    default: break;
    }
    known = eval(e, node->child[0], &a);
    enum asm_known right = eval(e, node->child[1], &b);
    if (known != ASM_KNOWN || right != ASM_KNOWN)
        return ASM_WRONG;
    return apply_binary(node->op, a, b, out) ? ASM_KNOWN : wrong(e, node, "division by zero");
}

static enum asm_known eval(const struct evaluation *e, const struct asm_node *node, int64_t *out)
{
    *out = 0;
    if (e->as->depth >= MAX_EVAL_DEPTH)
        return wrong(e, node, "the value depends on too long a chain of symbols");
    e->as->depth++;
    enum asm_known known = eval_node(e, node, out);
    e->as->depth--;
    return known;
}

enum asm_known sam_asm_eval(struct assembler *as, const struct asm_node *node,
                            const struct asm_insn *insn, bool quiet, int64_t *number)
{
    struct evaluation e = {as, insn, quiet};
    return eval(&e, node, number);
}
