/* SPDX-License-Identifier: Apache-2.0 */
/* A function with its registers as assembly. */
#include <stdlib.h>
#include <string.h>

#include "cc/debug.h"

struct emit {
    struct cc_function *f;
    struct sam_buffer *out;
    uint32_t line, file;
    uint32_t *at; /* bytes before each block, at most */
};

static void operand(struct emit *e, struct cc_opnd o)
{
    struct cc_function *f = e->f;
    switch (o.kind) {
    case CC_IMM: sam_buffer_printf(e->out, "%d", o.imm); break;
    case CC_SYMBOL:
        if (o.reg == CC_NO)
            sam_buffer_puts(e->out, "rtz");
        else if (o.reg & CC_LABEL)
            sam_buffer_printf(e->out, ".L%s.%u", f->name, o.reg & ~CC_LABEL);
        else
            sam_buffer_printf(e->out, ".Lg%u%+d", o.reg, o.imm);
        break;
    case CC_S: sam_buffer_printf(e->out, "x%u", f->machine[o.reg]); break;
    case CC_V: sam_buffer_printf(e->out, "v%u", f->machine[o.reg]); break;
    case CC_X: sam_buffer_printf(e->out, "x%u", o.reg); break;
    case CC_V0: sam_buffer_puts(e->out, "v0"); break;
    default: break;
    }
}

/* "\tname a, b, c\n": operands until one of no kind. */
static void line(struct emit *e, const char *name, struct cc_opnd a, struct cc_opnd b,
                 struct cc_opnd c, struct cc_opnd d)
{
    const struct cc_opnd all[] = {a, b, c, d};
    const char *before = "\t";
    sam_buffer_printf(e->out, "\t%s", name);
    for (size_t i = 0; i < SAM_COUNT(all); i++) {
        if (all[i].kind == CC_NONE)
            continue;
        sam_buffer_puts(e->out, before);
        operand(e, all[i]);
        before = ", ";
    }
    sam_buffer_puts(e->out, "\n");
}

static const struct cc_opnd none = {0};

static void access(struct emit *e, const char *name, struct cc_opnd d, struct cc_opnd base,
                   int32_t offset)
{
    sam_buffer_printf(e->out, "\t%s\t", name);
    operand(e, d);
    sam_buffer_printf(e->out, ", %d(", offset);
    operand(e, base);
    sam_buffer_puts(e->out, ")\n");
}

static void amo(struct emit *e, const char *name, struct cc_opnd d, struct cc_opnd value,
                struct cc_opnd address)
{
    sam_buffer_printf(e->out, "\t%s\t", name);
    operand(e, d);
    if (value.kind) {
        sam_buffer_puts(e->out, ", ");
        operand(e, value);
    }
    sam_buffer_puts(e->out, ", (");
    operand(e, address);
    sam_buffer_puts(e->out, ")\n");
}

/* Memory, element by element: d holds the target's address, t[0] the source's, t[2] counts. */
static void copy_loop(struct emit *e, const struct cc_insn *i)
{
    const unsigned label = e->f->cc->label++;
    const struct cc_opnd step = sam_cc_imm(i->step);
    line(e, "vmv.v.v", i->d, i->a, none, none);
    line(e, "vmv.v.v", i->load ? i->t[0] : i->t[1], i->b, none, none);
    line(e, "li", i->t[2], sam_cc_imm(i->more), none, none);
    sam_buffer_printf(e->out, ".Ll%u:\n", label);
    if (i->load) {
        access(e, i->load, i->t[1], i->t[0], 0);
        line(e, "vadd.vi", i->t[0], i->t[0], step, none);
    }
    access(e, i->name, i->t[1], i->d, 0);
    line(e, "vadd.vi", i->d, i->d, step, none);
    line(e, "addi", i->t[2], i->t[2], sam_cc_imm(-1), none);
    sam_buffer_puts(e->out, "\tbnez\t");
    operand(e, i->t[2]);
    sam_buffer_printf(e->out, ", .Ll%u\n", label);
}

/* An atomic operation is scalar: the lanes take turns, each with the surplus lanes that repeat it.
 */
static void atomic_loop(struct emit *e, const struct cc_insn *i)
{
    const unsigned label = e->f->cc->label++;
    const struct cc_opnd v0 = {.kind = CC_V0};
    const struct cc_opnd address = i->t[1], value = i->t[2], old = i->t[3], lane = i->t[4],
                         more = i->t[5];
    sam_buffer_printf(e->out, ".Ll%u:\n", label);
    line(e, "vmv.x.s", address, i->a, none, none);
    line(e, "vmv.x.s", value, i->b, none, none);
    line(e, "vmv.x.s", lane, i->e, none, none);
    if (i->c.kind) {
        line(e, "vmv.x.s", more, i->c, none, none);
        sam_buffer_printf(e->out, ".Lr%u:\n", label);
        amo(e, "lr.w", old, none, address);
        sam_buffer_puts(e->out, "\tbne\t");
        operand(e, old);
        sam_buffer_puts(e->out, ", ");
        operand(e, more);
        sam_buffer_printf(e->out, ", .Lx%u\n", label);
        amo(e, "sc.w", (struct cc_opnd){.kind = CC_X, .reg = 6}, value, address);
        sam_buffer_printf(e->out, "\tbnez\tx6, .Lr%u\n.Lx%u:\n", label, label);
    } else {
        amo(e, i->name, old, value, address);
    }
    line(e, "vmseq.vx", v0, i->e, lane, none);
    line(e, "vmerge.vxm", i->d, i->d, old, v0);
    line(e, "vmv.v.x", i->t[0], lane, none, none);
    sam_buffer_printf(e->out, "\tsetrpc\tt1, .Ld%u\n", label);
    sam_buffer_puts(e->out, "\tvbeq\t");
    operand(e, i->e);
    sam_buffer_puts(e->out, ", ");
    operand(e, i->t[0]);
    sam_buffer_printf(e->out, ", .Ld%u\n\tj\t.Ll%u\n.Ld%u:\n\tjoin\n", label, label, label);
}

static bool is_same(const struct cc_function *f, struct cc_opnd a, struct cc_opnd b)
{
    return a.kind == b.kind && (a.kind == CC_S || a.kind == CC_V) &&
           f->machine[a.reg] == f->machine[b.reg];
}

static void place(struct emit *e, uint32_t file, uint32_t number)
{
    if (!file || (file == e->file && number == e->line))
        return;
    sam_buffer_printf(e->out, "\t.loc\t%u %u\n", file, number);
    e->file = file;
    e->line = number;
}

static void insn(struct emit *e, const struct cc_insn *i)
{
    const struct cc_opnd v0 = {.kind = CC_V0};
    if (i->form == CC_COPY && is_same(e->f, i->d, i->a))
        return;
    place(e, i->file, i->line);
    switch (i->form) {
    case CC_COPY: line(e, i->d.kind == CC_V ? "vmv.v.v" : "mv", i->d, i->a, none, none); break;
    case CC_MASKED: line(e, i->name, i->d, i->a, i->b, v0); break;
    case CC_LOAD:
    case CC_STORE: access(e, i->name, i->d, i->a, i->b.imm); break;
    case CC_LOOP:
        if (i->more)
            copy_loop(e, i);
        else
            atomic_loop(e, i);
        break;
    default: line(e, i->name, i->d, i->a, i->b, i->c); break;
    }
}

/* At most how many bytes an instruction takes. */
static uint32_t bytes_of(const struct cc_insn *i)
{
    return i->form == CC_LOOP ? 160 : 12;
}

static void jump(struct emit *e, const char *name, const struct cc_block *b, const char *label,
                 uint32_t target)
{
    sam_buffer_printf(e->out, "\t%s\t", name);
    if (b) {
        operand(e, b->a);
        sam_buffer_puts(e->out, ", ");
        operand(e, b->b);
        sam_buffer_puts(e->out, ", ");
    }
    sam_buffer_printf(e->out, ".L%s.%s%u\n", e->f->name, label, target);
}

static const char *inverse(const char *name)
{
    static const char *const pairs[][2] = {{"beq", "bne"},   {"blt", "bge"},   {"bltu", "bgeu"},
                                           {"vbeq", "vbne"}, {"vblt", "vbge"}, {"vbltu", "vbgeu"}};
    for (size_t i = 0; i < SAM_COUNT(pairs); i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(name, pairs[i][k]) == 0)
                return pairs[i][!k];
    return name;
}

static void end(struct emit *e, uint32_t block, uint32_t following)
{
    const struct cc_block *b = &e->f->blocks[block];
    const char *name = b->name;
    uint32_t yes = b->next[0], no = b->next[1];
    if (b->end == CC_RETURN) {
        sam_buffer_puts(e->out, "\tret\n");
        return;
    }
    if (b->end == CC_JUMP) {
        if (yes != following)
            jump(e, "j", NULL, "", yes);
        return;
    }
    place(e, b->file, b->line);
    if (yes == following) {
        name = inverse(name);
        yes = no;
        no = following;
    }
    if (b->end == CC_SPLIT) {
        const uint32_t from = e->at[block], to = e->at[yes];
        const bool far = (from > to ? from - to : to - from) + 200 + 12 * (uint32_t)b->count > 4000;
        if (b->address.kind) {
            sam_buffer_puts(e->out, "\tsetrpc\tzero, ");
            operand(e, b->address);
            sam_buffer_puts(e->out, ", 0\n");
        } else {
            sam_buffer_printf(e->out, "\tsetrpc\tt1, .L%s.%u\n", e->f->name, b->rpc);
        }
        if (far) { /* vector branches reach 4 KiB */
            jump(e, name, b, "t", block);
            jump(e, "j", NULL, "", no);
            sam_buffer_printf(e->out, ".L%s.t%u:\n", e->f->name, block);
            jump(e, "j", NULL, "", yes);
            return;
        }
    }
    jump(e, name, b, "", yes);
    if (no != following)
        jump(e, "j", NULL, "", no);
}

void sam_cc_emit(struct cc_function *f)
{
    struct emit e = {.f = f, .out = &f->cc->out};
    struct cc_locating l = {0};
    const bool debug = f->cc->debug && sam_cc_locate(&l, f);
    uint32_t bytes = 0;
    e.at = sam_alloc(f->block_count, sizeof *e.at);
    if (!e.at) {
        f->failed = true;
        return;
    }
    for (uint32_t k = 0; k < f->order_count; k++) {
        const struct cc_block *b = &f->blocks[f->order[k]];
        e.at[f->order[k]] = bytes;
        for (size_t i = 0; i < b->count; i++)
            bytes += bytes_of(&b->insns[i]);
        bytes += 48;
    }
    sam_buffer_printf(e.out, "\n\t.globl\t%s\n\t.type\t%s, @function\n%s:\n", f->name, f->name,
                      f->name);
    for (uint32_t k = 0; k < f->order_count; k++) {
        const uint32_t b = f->order[k];
        const uint32_t following = k + 1 < f->order_count ? f->order[k + 1] : CC_NO;
        sam_buffer_printf(e.out, ".L%s.%u:\n", f->name, b);
        if (debug) {
            sam_cc_locate_block(&l, b);
            sam_cc_locate_mark(&l, e.out, l.scope);
        }
        if (f->blocks[b].join)
            sam_buffer_puts(e.out, "\tjoin\n");
        for (size_t i = 0; i < f->blocks[b].count; i++) {
            struct cc_insn *in = &f->blocks[b].insns[i];
            if (debug) {
                sam_cc_locate_notes(&l, in->notes);
                sam_cc_locate_mark(&l, e.out, in->scope);
            }
            insn(&e, in);
            if (debug)
                sam_cc_locate_insn(&l, in);
        }
        if (debug) {
            sam_cc_locate_notes(&l, f->blocks[b].notes);
            sam_cc_locate_mark(&l, e.out, l.scope);
        }
        end(&e, b, following);
    }
    if (f->cc->debug)
        sam_buffer_printf(e.out, ".Ldend.%s:\n", f->name);
    if (debug)
        sam_cc_locate_end(&l, e.out);
    sam_buffer_printf(e.out, "\t.size\t%s, . - .L%s.0\n", f->name, f->name);
    free(e.at);
}
