/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions on operands that are constants, scalars or vectors: a vector as soon as one of them
 * is, with the forms that take a scalar or a constant where there are any. */
#include <stdlib.h>
#include <string.h>

#include "cc/debug.h"

struct cc_opnd sam_cc_imm(int64_t value)
{
    return (struct cc_opnd){.kind = CC_IMM, .imm = (int32_t)(uint32_t)value};
}

struct cc_opnd sam_cc_new(struct cc_function *f, bool vector)
{
    if (f->reg_count == f->reg_room) {
        const uint32_t room = f->reg_room ? 2 * f->reg_room : 256;
        uint8_t *kinds = realloc(f->is_vector, room);
        if (kinds)
            f->is_vector = kinds;
        uint32_t *blocks = realloc(f->def_block, room * sizeof *blocks);
        if (blocks)
            f->def_block = blocks;
        uint32_t *insns = realloc(f->def_insn, room * sizeof *insns);
        if (insns)
            f->def_insn = insns;
        if (!kinds || !blocks || !insns) {
            f->failed = true;
            return (struct cc_opnd){.kind = CC_X};
        }
        f->reg_room = room;
    }
    f->is_vector[f->reg_count] = vector;
    f->def_block[f->reg_count] = f->block;
    f->def_insn[f->reg_count] = CC_NO;
    return (struct cc_opnd){.kind = vector ? CC_V : CC_S, .reg = f->reg_count++};
}

struct cc_insn *sam_cc_put(struct cc_function *f, uint32_t block, struct cc_insn insn)
{
    static struct cc_insn nowhere; /* after an allocation failure */
    struct cc_block *b = &f->blocks[block];
    struct cc_insn *insns = sam_grow(b->insns, b->count, &b->room, sizeof *insns);
    if (!insns) {
        f->failed = true;
        return &nowhere;
    }
    b->insns = insns;
    insn.line = f->line;
    insn.file = f->file;
    insn.scope = f->scope;
    insn.notes = sam_cc_debug_join(f, b->notes, insn.notes);
    b->notes = 0;
    b->insns[b->count] = insn;
    return &b->insns[b->count++];
}

static bool same(const struct cc_opnd *a, const struct cc_opnd *b)
{
    return a->kind == b->kind && a->reg == b->reg && a->imm == b->imm;
}

/* An earlier result may be used in block `block` if it dominates it, and a scalar one if lanes have
 * not left a loop around it meanwhile. */
static bool reaches(const struct cc_function *f, uint32_t from, bool vector, uint32_t block)
{
    if (from == block)
        return true;
    const uint32_t loop = f->blocks[from].loop;
    return sam_cc_dominates(f, from, block) &&
           (vector || loop == CC_NO || sam_cc_loop_holds(f, loop, block));
}

struct cc_opnd sam_cc_pure(struct cc_function *f, bool vector, const char *name, struct cc_opnd a,
                           struct cc_opnd b, struct cc_opnd c)
{
    const size_t key = ((uintptr_t)name >> 2) * 31 + a.reg * 7 + (uint32_t)a.imm * 3 + b.reg * 13 +
                       (uint32_t)b.imm * 5 + c.reg * 17;
    uint32_t *slot =
        &f->cse_slots[(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (f->slot_count - 1)];
    for (uint32_t i = *slot; i; i = f->cse[i - 1].next) {
        const struct cc_cse *entry = &f->cse[i - 1];
        const struct cc_insn *insn = &f->blocks[entry->block].insns[entry->insn];
        if (insn->name == name && same(&insn->a, &a) && same(&insn->b, &b) && same(&insn->c, &c) &&
            insn->d.kind == (vector ? CC_V : CC_S) && reaches(f, entry->block, vector, f->block))
            return insn->d;
    }
    const struct cc_opnd d = sam_cc_new(f, vector);
    sam_cc_put(f, f->block,
               (struct cc_insn){.name = name, .form = CC_OP, .d = d, .a = a, .b = b, .c = c});
    size_t room = f->cse_room;
    struct cc_cse *cse = sam_grow(f->cse, f->cse_count, &room, sizeof *cse);
    f->failed |= !cse;
    if (cse) {
        f->cse = cse;
        f->cse_room = (uint32_t)room;
    }
    if (f->failed)
        return d;
    f->def_insn[d.reg] = (uint32_t)f->blocks[f->block].count - 1;
    f->cse[f->cse_count] = (struct cc_cse){f->block, f->def_insn[d.reg], *slot};
    *slot = ++f->cse_count;
    return d;
}

static struct cc_opnd pure1(struct cc_function *f, bool vector, const char *name, struct cc_opnd a)
{
    return sam_cc_pure(f, vector, name, a, (struct cc_opnd){0}, (struct cc_opnd){0});
}

static struct cc_opnd pure2(struct cc_function *f, bool vector, const char *name, struct cc_opnd a,
                            struct cc_opnd b)
{
    return sam_cc_pure(f, vector, name, a, b, (struct cc_opnd){0});
}

struct cc_opnd sam_cc_plain(struct cc_function *f, struct cc_opnd a)
{
    if ((a.kind != CC_S && a.kind != CC_V) || a.imm == 0)
        return a;
    const struct cc_opnd add = sam_cc_imm(a.imm);
    a.imm = 0;
    return sam_cc_op(f, OP_ADD, a, add);
}

/* Constants that a loop uses are made before it. */
static uint32_t constant_block(const struct cc_function *f)
{
    return sam_cc_depth(f, f->block) ? 0 : f->block;
}

struct cc_opnd sam_cc_scalar(struct cc_function *f, struct cc_opnd a)
{
    const uint32_t block = f->block;
    if (a.kind == CC_IMM && a.imm == 0)
        return (struct cc_opnd){.kind = CC_X};
    a = sam_cc_plain(f, a);
    if (a.kind == CC_V) /* lanes agree */
        return pure1(f, false, "vmv.x.s", a);
    if (a.kind != CC_IMM && a.kind != CC_SYMBOL)
        return a;
    f->block = constant_block(f);
    a = pure1(f, false, a.kind == CC_IMM ? "li" : "lla", a);
    f->block = block;
    return a;
}

struct cc_opnd sam_cc_vector(struct cc_function *f, struct cc_opnd a)
{
    const uint32_t block = f->block;
    a = sam_cc_plain(f, a);
    if (a.kind == CC_V)
        return a;
    if (a.kind == CC_IMM || a.kind == CC_SYMBOL) {
        const bool small = a.kind == CC_IMM && a.imm >= -16 && a.imm <= 15;
        f->block = constant_block(f);
        a = small ? pure1(f, true, "vmv.v.i", a) : pure1(f, true, "vmv.v.x", sam_cc_scalar(f, a));
    } else {
        const uint32_t def = a.kind == CC_S ? f->def_block[a.reg] : 0;
        if (def < f->ir_blocks && sam_cc_depth(f, def) < sam_cc_depth(f, block))
            f->block = def;
        a = pure1(f, true, "vmv.v.x", a);
    }
    f->block = block;
    return a;
}

struct row {
    const char *s, *si, *vv, *vx, *vi, *reversed;
    bool commutes;
};

static const struct row rows[OP_COUNT] = {
    [OP_ADD] = {"add", "addi", "vadd.vv", "vadd.vx", "vadd.vi", NULL, true},
    [OP_SUB] = {"sub", NULL, "vsub.vv", "vsub.vx", NULL, "vrsub.vx", false},
    [OP_MUL] = {"mul", NULL, "vmul.vv", "vmul.vx", NULL, NULL, true},
    [OP_MULH] = {"mulh", NULL, "vmulh.vv", "vmulh.vx", NULL, NULL, true},
    [OP_MULHU] = {"mulhu", NULL, "vmulhu.vv", "vmulhu.vx", NULL, NULL, true},
    [OP_DIV] = {"div", NULL, "vdiv.vv", "vdiv.vx", NULL, NULL, false},
    [OP_DIVU] = {"divu", NULL, "vdivu.vv", "vdivu.vx", NULL, NULL, false},
    [OP_REM] = {"rem", NULL, "vrem.vv", "vrem.vx", NULL, NULL, false},
    [OP_REMU] = {"remu", NULL, "vremu.vv", "vremu.vx", NULL, NULL, false},
    [OP_AND] = {"and", "andi", "vand.vv", "vand.vx", "vand.vi", NULL, true},
    [OP_OR] = {"or", "ori", "vor.vv", "vor.vx", "vor.vi", NULL, true},
    [OP_XOR] = {"xor", "xori", "vxor.vv", "vxor.vx", "vxor.vi", NULL, true},
    [OP_SLL] = {"sll", "slli", "vsll.vv", "vsll.vx", "vsll.vi", NULL, false},
    [OP_SRL] = {"srl", "srli", "vsrl.vv", "vsrl.vx", "vsrl.vi", NULL, false},
    [OP_SRA] = {"sra", "srai", "vsra.vv", "vsra.vx", "vsra.vi", NULL, false},
    [OP_MIN] = {NULL, NULL, "vmin.vv", "vmin.vx", NULL, NULL, true},
    [OP_MINU] = {NULL, NULL, "vminu.vv", "vminu.vx", NULL, NULL, true},
    [OP_MAX] = {NULL, NULL, "vmax.vv", "vmax.vx", NULL, NULL, true},
    [OP_MAXU] = {NULL, NULL, "vmaxu.vv", "vmaxu.vx", NULL, NULL, true},
    [OP_FADD] = {"fadd.s", NULL, "vfadd.vv", "vfadd.vf", NULL, NULL, true},
    [OP_FSUB] = {"fsub.s", NULL, "vfsub.vv", "vfsub.vf", NULL, "vfrsub.vf", false},
    [OP_FMUL] = {"fmul.s", NULL, "vfmul.vv", "vfmul.vf", NULL, NULL, true},
    [OP_FDIV] = {"fdiv.s", NULL, "vfdiv.vv", "vfdiv.vf", NULL, "vfrdiv.vf", false},
    [OP_FMIN] = {"fmin.s", NULL, "vfmin.vv", "vfmin.vf", NULL, NULL, true},
    [OP_FMAX] = {"fmax.s", NULL, "vfmax.vv", "vfmax.vf", NULL, NULL, true},
    [OP_SGNJ] = {"fsgnj.s", NULL, "vfsgnj.vv", "vfsgnj.vf", NULL, NULL, false},
    [OP_SGNJN] = {"fsgnjn.s", NULL, "vfsgnjn.vv", "vfsgnjn.vf", NULL, NULL, false},
    [OP_SGNJX] = {"fsgnjx.s", NULL, "vfsgnjx.vv", "vfsgnjx.vf", NULL, NULL, false},
};

static bool fold(enum cc_op op, int32_t x, int32_t y, struct cc_opnd *out)
{
    const uint32_t a = (uint32_t)x, b = (uint32_t)y;
    switch (op) {
    case OP_ADD: *out = sam_cc_imm(a + b); return true;
    case OP_SUB: *out = sam_cc_imm(a - b); return true;
    case OP_MUL: *out = sam_cc_imm(a * b); return true;
    case OP_MULHU: *out = sam_cc_imm((uint64_t)a * b >> 32); return true;
    case OP_MULH: *out = sam_cc_imm((int64_t)x * y >> 32); return true;
    case OP_AND: *out = sam_cc_imm(a & b); return true;
    case OP_OR: *out = sam_cc_imm(a | b); return true;
    case OP_XOR: *out = sam_cc_imm(a ^ b); return true;
    case OP_SLL: *out = sam_cc_imm(a << (b & 31)); return true;
    case OP_SRL: *out = sam_cc_imm(a >> (b & 31)); return true;
    case OP_SRA: *out = sam_cc_imm(x >> (b & 31)); return true;
    default: return false;
    }
}

/* x OP constant where that is x or a constant. */
static bool is_trivial(enum cc_op op, struct cc_opnd a, int32_t b, struct cc_opnd *out)
{
    const bool zero = op == OP_ADD || op == OP_SUB || op == OP_OR || op == OP_XOR || op == OP_SLL ||
                      op == OP_SRL || op == OP_SRA;
    *out = a;
    if ((b == 0 && zero) || (b == -1 && op == OP_AND) ||
        (b == 1 && (op == OP_MUL || op == OP_DIVU)))
        return true;
    *out = sam_cc_imm(0);
    return b == 0 && (op == OP_MUL || op == OP_MULH || op == OP_MULHU || op == OP_AND);
}

static struct cc_opnd scalar_minmax(struct cc_function *f, enum cc_op op, struct cc_opnd a,
                                    struct cc_opnd b)
{
    const bool low = op == OP_MIN || op == OP_MINU;
    const bool is_signed = op == OP_MIN || op == OP_MAX;
    const struct cc_opnd less = sam_cc_icmp(f, is_signed ? LL_SLT : LL_ULT, a, b);
    return low ? sam_cc_select(f, less, a, b) : sam_cc_select(f, less, b, a);
}

struct cc_opnd sam_cc_op(struct cc_function *f, enum cc_op op, struct cc_opnd a, struct cc_opnd b)
{
    const struct row *row = &rows[op];
    struct cc_opnd out;
    a = sam_cc_plain(f, a);
    b = sam_cc_plain(f, b);
    if (a.kind == CC_IMM && b.kind == CC_IMM && fold(op, a.imm, b.imm, &out))
        return out;
    if (op == OP_ADD && (a.kind == CC_SYMBOL || b.kind == CC_SYMBOL) &&
        (a.kind == CC_IMM || b.kind == CC_IMM)) {
        out = a.kind == CC_SYMBOL ? a : b;
        out.imm += a.kind == CC_SYMBOL ? b.imm : a.imm;
        return out;
    }
    if (row->commutes && (a.kind == CC_IMM || (b.kind == CC_V && a.kind != CC_V)))
        sam_cc_swap(LL_EQ, &a, &b);
    if (b.kind == CC_IMM && is_trivial(op, a, b.imm, &out))
        return out;
    if (op == OP_SUB && b.kind == CC_IMM) {
        op = OP_ADD;
        b = sam_cc_imm(-(int64_t)b.imm);
        row = &rows[op];
    }
    if (op == OP_MUL && b.kind == CC_IMM && b.imm > 0 && (b.imm & (b.imm - 1)) == 0)
        return sam_cc_op(f, OP_SLL, a, sam_cc_imm(__builtin_ctz((unsigned)b.imm)));
    const bool shift = op == OP_SLL || op == OP_SRL || op == OP_SRA;
    if (shift && a.kind == CC_IMM && a.imm == 0)
        return a;
    if (shift && b.kind == CC_IMM)
        b.imm &= 31;
    if (a.kind != CC_V && b.kind != CC_V) {
        if (!row->s)
            return scalar_minmax(f, op, a, b);
        a = sam_cc_scalar(f, a);
        if (row->si && b.kind == CC_IMM && b.imm >= -2048 && b.imm <= 2047)
            return pure2(f, false, row->si, a, b);
        return pure2(f, false, row->s, a, sam_cc_scalar(f, b));
    }
    if (a.kind != CC_V) { /* does not commute */
        if (row->reversed) {
            if (op == OP_SUB && a.kind == CC_IMM && a.imm >= -16 && a.imm <= 15)
                return pure2(f, true, "vrsub.vi", b, a);
            return pure2(f, true, row->reversed, b, sam_cc_scalar(f, a));
        }
        a = sam_cc_vector(f, a);
    }
    if (b.kind == CC_V)
        return pure2(f, true, row->vv, a, b);
    if (b.kind == CC_IMM && row->vi && b.imm >= (shift ? 0 : -16) && b.imm <= (shift ? 31 : 15))
        return pure2(f, true, row->vi, a, b);
    if (b.kind == CC_IMM && op == OP_ADD && b.imm >= -2048 && b.imm <= 2047)
        return pure2(f, true, "vadd12.vi", a, b);
    return pure2(f, true, row->vx, a, sam_cc_scalar(f, b));
}

struct cc_opnd sam_cc_unary(struct cc_function *f, enum cc_unary op, struct cc_opnd a)
{
    static const struct {
        const char *s, *v;
    } names[] = {
        [UN_SQRT] = {"fsqrt.s", "vfsqrt.v"},
        [UN_EXP] = {NULL, "vfexp.v"},
        [UN_REC7] = {NULL, "vfrec7.v"},
        [UN_RSQRT7] = {NULL, "vfrsqrt7.v"},
        [UN_CLASS] = {"fclass.s", "vfclass.v"},
        [UN_F2I] = {"fcvt.w.s", "vfcvt.x.f.v"},
        [UN_F2U] = {"fcvt.wu.s", "vfcvt.xu.f.v"},
        [UN_F2I_RTZ] = {"fcvt.w.s", "vfcvt.rtz.x.f.v"},
        [UN_F2U_RTZ] = {"fcvt.wu.s", "vfcvt.rtz.xu.f.v"},
        [UN_I2F] = {"fcvt.s.w", "vfcvt.f.x.v"},
        [UN_U2F] = {"fcvt.s.wu", "vfcvt.f.xu.v"},
        [UN_ZEXT8] = {NULL, "vzext.vf4"},
        [UN_ZEXT16] = {NULL, "vzext.vf2"},
        [UN_SEXT8] = {NULL, "vsext.vf4"},
        [UN_SEXT16] = {NULL, "vsext.vf2"},
    };
    a = sam_cc_plain(f, a);
    if (a.kind == CC_V || !names[op].s)
        return pure1(f, true, names[op].v, sam_cc_vector(f, a));
    a = sam_cc_scalar(f, a);
    if (op == UN_F2I_RTZ || op == UN_F2U_RTZ)
        return pure2(f, false, names[op].s, a, (struct cc_opnd){.kind = CC_SYMBOL, .reg = CC_NO});
    return pure1(f, false, names[op].s, a);
}

/* A load that has extended it already. */
static bool is_extended(const struct cc_function *f, struct cc_opnd a, unsigned bits, bool sign)
{
    if ((a.kind != CC_V && a.kind != CC_S) || f->def_insn[a.reg] == CC_NO || (bits & 7))
        return false;
    const struct cc_insn *insn = &f->blocks[f->def_block[a.reg]].insns[f->def_insn[a.reg]];
    const char *width = insn->form == CC_LOAD ? strpbrk(insn->name, "bhw") : NULL;
    return width && *width == (bits == 8 ? 'b' : 'h') && (width[1] == 'u') == !sign;
}

struct cc_opnd sam_cc_extend(struct cc_function *f, struct cc_opnd a, unsigned bits, bool sign)
{
    if (bits >= 32)
        return a;
    const struct cc_opnd shift = sam_cc_imm(32 - bits);
    a = sam_cc_plain(f, a);
    if (is_extended(f, a, bits, sign))
        return a;
    if (a.kind == CC_V && (bits == 8 || bits == 16))
        return sam_cc_unary(f, (bits == 8 ? UN_ZEXT8 : UN_ZEXT16) + (sign ? 2 : 0), a);
    if (!sign && bits < 12)
        return sam_cc_op(f, OP_AND, a, sam_cc_imm((1 << bits) - 1));
    return sam_cc_op(f, sign ? OP_SRA : OP_SRL, sam_cc_op(f, OP_SLL, a, shift), shift);
}

struct cc_opnd sam_cc_fma(struct cc_function *f, struct cc_opnd a, struct cc_opnd b,
                          struct cc_opnd c)
{
    if (a.kind != CC_V && b.kind != CC_V && c.kind != CC_V)
        return sam_cc_pure(f, false, "fmadd.s", sam_cc_scalar(f, a), sam_cc_scalar(f, b),
                           sam_cc_scalar(f, c));
    if (a.kind == CC_V && b.kind != CC_V)
        sam_cc_swap(LL_EQ, &a, &b);
    const bool scalar = a.kind != CC_V && b.kind == CC_V;
    const struct cc_opnd d = sam_cc_new(f, true);
    a = scalar ? sam_cc_scalar(f, a) : sam_cc_vector(f, a);
    b = sam_cc_vector(f, b);
    if (c.kind != CC_IMM && c.kind != CC_S)
        c = sam_cc_vector(f, c);
    sam_cc_copy(f, f->block, d, c);
    sam_cc_put(
        f, f->block,
        (struct cc_insn){
            .name = scalar ? "vfmacc.vf" : "vfmacc.vv", .form = CC_ACC, .d = d, .a = a, .b = b});
    return d;
}

/* d = a, in any block, without helpers that other code may share. */
void sam_cc_copy(struct cc_function *f, uint32_t block, struct cc_opnd d, struct cc_opnd a)
{
    const bool vector = d.kind == CC_V;
    const char *name = NULL;
    if (a.kind == CC_IMM)
        name = vector ? "vmv.v.i" : "li";
    else if (a.kind == CC_SYMBOL)
        name = "lla";
    else if (vector && a.kind != CC_V)
        name = "vmv.v.x";
    else if (!vector && a.kind == CC_V)
        name = "vmv.x.s"; /* lanes agree */
    if (vector && ((a.kind == CC_IMM && (a.imm < -16 || a.imm > 15)) || a.kind == CC_SYMBOL)) {
        const struct cc_opnd t = sam_cc_new(f, false);
        sam_cc_copy(f, block, t, a);
        a = t;
        name = "vmv.v.x";
    }
    if (!name && a.imm != 0) {
        struct cc_opnd add = sam_cc_imm(a.imm);
        a.imm = 0;
        if (add.imm < -2048 || add.imm > 2047) {
            const struct cc_opnd t = sam_cc_new(f, false);
            sam_cc_copy(f, block, t, add);
            add = t;
        }
        name = add.kind != CC_IMM ? (vector ? "vadd.vx" : "add") : vector ? "vadd12.vi" : "addi";
        sam_cc_put(f, block,
                   (struct cc_insn){.name = name, .form = CC_OP, .d = d, .a = a, .b = add});
        return;
    }
    if (name && vector && a.imm != 0 && a.kind == CC_S) {
        const struct cc_opnd t = sam_cc_new(f, false);
        sam_cc_copy(f, block, t, a);
        a = t;
    }
    sam_cc_put(f, block,
               (struct cc_insn){.name = name, .form = name ? CC_OP : CC_COPY, .d = d, .a = a});
}
