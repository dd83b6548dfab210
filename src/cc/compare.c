/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons and selections. */
#include <string.h>

#include "cc/cc.h"

static struct cc_opnd pure2(struct cc_function *f, bool vector, const char *name, struct cc_opnd a,
                            struct cc_opnd b)
{
    return sam_cc_pure(f, vector, name, a, b, (struct cc_opnd){0});
}

int sam_cc_swap(int pred, struct cc_opnd *a, struct cc_opnd *b)
{
    static const int to[] = {LL_EQ,  LL_NE,  LL_ULT, LL_ULE, LL_UGT,
                             LL_UGE, LL_SLT, LL_SLE, LL_SGT, LL_SGE};
    const struct cc_opnd swap = *a;
    *a = *b;
    *b = swap;
    return to[pred - LL_EQ];
}

static bool holds(int pred, int32_t a, int32_t b)
{
    const uint32_t x = (uint32_t)a, y = (uint32_t)b;
    switch (pred) {
    case LL_EQ: return a == b;
    case LL_NE: return a != b;
    case LL_UGT: return x > y;
    case LL_UGE: return x >= y;
    case LL_ULT: return x < y;
    case LL_ULE: return x <= y;
    case LL_SGT: return a > b;
    case LL_SGE: return a >= b;
    case LL_SLT: return a < b;
    default: return a <= b;
    }
}

static struct cc_opnd scalar_icmp(struct cc_function *f, int pred, struct cc_opnd a,
                                  struct cc_opnd b)
{
    if (pred == LL_EQ || pred == LL_NE) {
        const struct cc_opnd d = sam_cc_scalar(f, sam_cc_op(f, OP_SUB, a, b));
        return pred == LL_EQ ? pure2(f, false, "sltiu", d, sam_cc_imm(1))
                             : pure2(f, false, "sltu", (struct cc_opnd){.kind = CC_X}, d);
    }
    if (pred == LL_UGT || pred == LL_SGT || pred == LL_ULE || pred == LL_SLE)
        pred = sam_cc_swap(pred, &a, &b);
    const bool is_signed = pred == LL_SLT || pred == LL_SGE;
    struct cc_opnd less;
    a = sam_cc_scalar(f, a);
    if (b.kind == CC_IMM && b.imm >= -2048 && b.imm <= 2047)
        less = pure2(f, false, is_signed ? "slti" : "sltiu", a, b);
    else
        less = pure2(f, false, is_signed ? "slt" : "sltu", a, sam_cc_scalar(f, b));
    return pred == LL_SLT || pred == LL_ULT ? less : sam_cc_op(f, OP_XOR, less, sam_cc_imm(1));
}

struct cc_opnd sam_cc_icmp(struct cc_function *f, int pred, struct cc_opnd a, struct cc_opnd b)
{
    /* by predicate: vector, scalar, constant; a missing one is NULL */
    static const char *const names[][3] = {
        {"vmseq.vv", "vmseq.vx", "vmseq.vi"}, {"vmsne.vv", "vmsne.vx", "vmsne.vi"},
        {NULL, "vmsgtu.vx", "vmsgtu.vi"},     {NULL, NULL, NULL},
        {"vmsltu.vv", "vmsltu.vx", NULL},     {"vmsleu.vv", "vmsleu.vx", "vmsleu.vi"},
        {NULL, "vmsgt.vx", "vmsgt.vi"},       {NULL, NULL, NULL},
        {"vmslt.vv", "vmslt.vx", NULL},       {"vmsle.vv", "vmsle.vx", "vmsle.vi"},
    };
    a = sam_cc_plain(f, a);
    b = sam_cc_plain(f, b);
    if (a.kind == CC_IMM && b.kind == CC_IMM)
        return sam_cc_imm(holds(pred, a.imm, b.imm));
    if (a.kind == b.kind && a.reg == b.reg && a.imm == b.imm)
        return sam_cc_imm(holds(pred, 0, 0));
    if (a.kind == CC_IMM || (a.kind != CC_V && b.kind == CC_V))
        pred = sam_cc_swap(pred, &a, &b);
    if (b.kind == CC_IMM) { /* bounds that move by one */
        if (pred == LL_SGE && b.imm != INT32_MIN)
            return sam_cc_icmp(f, LL_SGT, a, sam_cc_imm(b.imm - 1));
        if (pred == LL_UGE && b.imm != 0)
            return sam_cc_icmp(f, LL_UGT, a, sam_cc_imm((uint32_t)b.imm - 1));
        if (pred == LL_SLT && b.imm > -16 && b.imm <= 16 && a.kind == CC_V)
            return sam_cc_icmp(f, LL_SLE, a, sam_cc_imm(b.imm - 1));
        if (pred == LL_ULT && b.imm > 0 && b.imm <= 16 && a.kind == CC_V)
            return sam_cc_icmp(f, LL_ULE, a, sam_cc_imm(b.imm - 1));
        if (pred == LL_SGE || pred == LL_UGE)
            return sam_cc_imm(1);
        if (pred == LL_ULT && b.imm == 0)
            return sam_cc_imm(0);
    }
    if (a.kind != CC_V)
        return scalar_icmp(f, pred, a, b);
    if (b.kind == CC_V && (pred == LL_UGT || pred == LL_SGT || pred == LL_UGE || pred == LL_SGE))
        pred = sam_cc_swap(pred, &a, &b);
    if (pred == LL_UGE || pred == LL_SGE) { /* than a scalar */
        a = sam_cc_icmp(f, pred == LL_UGE ? LL_ULT : LL_SLT, a, b);
        return sam_cc_op(f, OP_XOR, a, sam_cc_imm(1));
    }
    const char *const *name = names[pred - LL_EQ];
    if (b.kind == CC_V)
        return pure2(f, true, name[0], a, b);
    if (b.kind == CC_IMM && name[2] && b.imm >= -16 && b.imm <= 15)
        return pure2(f, true, name[2], a, b);
    return pure2(f, true, name[1], a, sam_cc_scalar(f, b));
}

/* OP: 0 equal, 1 less, 2 less or equal. */
static struct cc_opnd float_less(struct cc_function *f, int op, struct cc_opnd a, struct cc_opnd b)
{
    static const char *const s[] = {"feq.s", "flt.s", "fle.s"};
    static const char *const vv[] = {"vmfeq.vv", "vmflt.vv", "vmfle.vv"};
    static const char *const vf[] = {"vmfeq.vf", "vmflt.vf", "vmfle.vf"};
    static const char *const fv[] = {"vmfeq.vf", "vmfgt.vf", "vmfge.vf"}; /* scalar OP vector */
    if (a.kind == CC_V && b.kind == CC_V)
        return pure2(f, true, vv[op], a, b);
    if (a.kind == CC_V)
        return pure2(f, true, vf[op], a, sam_cc_scalar(f, b));
    if (b.kind == CC_V)
        return pure2(f, true, fv[op], b, sam_cc_scalar(f, a));
    a = sam_cc_scalar(f, a);
    return pure2(f, false, s[op], a, sam_cc_scalar(f, b));
}

struct cc_opnd sam_cc_fcmp(struct cc_function *f, int pred, struct cc_opnd a, struct cc_opnd b)
{
    const struct cc_opnd one = sam_cc_imm(1);
    a = sam_cc_plain(f, a);
    b = sam_cc_plain(f, b);
    switch (pred) {
    case 0: return sam_cc_imm(0);
    case 1: return float_less(f, 0, a, b);
    case 2: return float_less(f, 1, b, a);
    case 3: return float_less(f, 2, b, a);
    case 4: return float_less(f, 1, a, b);
    case 5: return float_less(f, 2, a, b);
    case 6: return sam_cc_op(f, OP_OR, float_less(f, 1, a, b), float_less(f, 1, b, a));
    case 7:
        if (b.kind == CC_IMM)
            return float_less(f, 0, a, a);
        return sam_cc_op(f, OP_AND, float_less(f, 0, a, a), float_less(f, 0, b, b));
    case 14:
        if (a.kind == CC_V || b.kind == CC_V) {
            if (a.kind == CC_V && b.kind == CC_V)
                return pure2(f, true, "vmfne.vv", a, b);
            return pure2(f, true, "vmfne.vf", a.kind == CC_V ? a : b,
                         sam_cc_scalar(f, a.kind == CC_V ? b : a));
        }
        return sam_cc_op(f, OP_XOR, float_less(f, 0, a, b), one);
    case 15: return one;
    default: /* unordered or: not the ordered opposite */
        return sam_cc_op(f, OP_XOR, sam_cc_fcmp(f, 15 - pred, a, b), one);
    }
}

/* Put a condition into v0: by the comparison that made it, where that can be repeated. */
static void set_mask(struct cc_function *f, struct cc_opnd cond)
{
    if (f->mask_block == f->block && f->mask == cond.reg)
        return;
    const uint32_t from = f->def_block[cond.reg], at = f->def_insn[cond.reg];
    const uint32_t loop = f->blocks[from].loop;
    const struct cc_opnd v0 = {.kind = CC_V0};
    struct cc_insn insn = {.name = "vmv.v.v", .form = CC_OP, .a = cond};
    if (at != CC_NO && (loop == CC_NO || sam_cc_loop_holds(f, loop, f->block)) &&
        strncmp(f->blocks[from].insns[at].name, "vm", 2) == 0)
        insn = f->blocks[from].insns[at];
    insn.d = v0;
    insn.effect = false;
    insn.notes = 0; /* a list of the original */
    sam_cc_put(f, f->block, insn);
    f->mask_block = f->block;
    f->mask = cond.reg;
}

struct cc_opnd sam_cc_select(struct cc_function *f, struct cc_opnd cond, struct cc_opnd a,
                             struct cc_opnd b)
{
    cond = sam_cc_plain(f, cond);
    a = sam_cc_plain(f, a);
    b = sam_cc_plain(f, b);
    if (cond.kind == CC_IMM)
        return cond.imm & 1 ? a : b;
    if (cond.kind != CC_V && a.kind != CC_V && b.kind != CC_V) {
        /* b ^ ((a ^ b) & -cond) */
        const struct cc_opnd mask = sam_cc_op(f, OP_SUB, sam_cc_imm(0), cond);
        const struct cc_opnd both = sam_cc_op(f, OP_XOR, a, b);
        return sam_cc_op(f, OP_XOR, b, sam_cc_op(f, OP_AND, both, mask));
    }
    cond = sam_cc_vector(f, cond);
    b = sam_cc_vector(f, b);
    const char *name = "vmerge.vvm";
    if (a.kind == CC_IMM && a.imm >= -16 && a.imm <= 15) {
        name = "vmerge.vim";
    } else if (a.kind != CC_V) {
        name = "vmerge.vxm";
        a = sam_cc_scalar(f, a);
    }
    set_mask(f, cond);
    const struct cc_opnd d = sam_cc_new(f, true);
    sam_cc_put(f, f->block,
               (struct cc_insn){.name = name, .form = CC_MASKED, .d = d, .a = b, .b = a});
    return d;
}
