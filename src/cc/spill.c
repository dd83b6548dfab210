/* SPDX-License-Identifier: Apache-2.0 */
/* Values without a register. A constant is made again where it is used; others lie in memory, in
 * slots that values share which are not alive together: vectors in private memory, scalars in 1 KiB
 * at x2. */
#include <stdlib.h>
#include <string.h>

#include "cc/debug.h"

static void count_write(void *context, struct cc_opnd *reg, bool write)
{
    uint8_t *writes = context;
    if (write && writes[reg->reg] < 2)
        writes[reg->reg]++;
}

static bool makes_constant(const char *name)
{
    return name && (strcmp(name, "li") == 0 || strcmp(name, "lla") == 0 ||
                    strcmp(name, "vmv.v.i") == 0 || strcmp(name, "vmv.v.x") == 0);
}

bool sam_cc_constants(const struct cc_function *f, struct cc_spill *spills)
{
    uint8_t *writes = sam_alloc(f->reg_count + 1, 1);
    for (uint32_t b = 0; writes && b < f->block_count; b++)
        for (size_t i = 0; i < f->blocks[b].count; i++)
            sam_cc_visit(&f->blocks[b].insns[i], count_write, writes);
    for (uint32_t pass = 0; writes && pass < 2; pass++) /* scalars, and vectors of them */
        for (uint32_t k = 0; k < f->order_count; k++)
            for (size_t i = 0; i < f->blocks[f->order[k]].count; i++) {
                const struct cc_insn *insn = &f->blocks[f->order[k]].insns[i];
                if (insn->form != CC_OP || insn->d.kind != (pass ? CC_V : CC_S) ||
                    writes[insn->d.reg] != 1 || !makes_constant(insn->name))
                    continue;
                struct cc_spill spill = {.constant = insn->name, .of = insn->a};
                if (insn->a.kind == CC_S) {
                    spill.of = spills[insn->a.reg].of;
                    spill.scalar = spills[insn->a.reg].constant;
                    if (!spill.scalar)
                        continue;
                } else if (insn->a.kind != CC_IMM && insn->a.kind != CC_SYMBOL) {
                    continue;
                }
                spills[insn->d.reg] = spill;
            }
    bool counted = writes;
    free(writes);
    return counted;
}

struct spilling {
    struct cc_function *f;
    const struct cc_spill *spills;
    uint32_t old_count; /* registers */
    uint32_t block;     /* being rewritten */
};

static void put(struct spilling *s, const char *name, struct cc_opnd d, struct cc_opnd a)
{
    sam_cc_put(s->f, s->block, (struct cc_insn){.name = name, .form = CC_OP, .d = d, .a = a});
}

static void put_access(struct spilling *s, const struct cc_spill *spill, struct cc_opnd reg,
                       bool write)
{
    struct cc_function *f = s->f;
    struct cc_insn insn = {.form = write ? CC_STORE : CC_LOAD, .effect = write, .d = reg};
    if (!write && spill->constant) {
        struct cc_opnd of = spill->of;
        if (spill->scalar) {
            of = sam_cc_new(f, false);
            put(s, spill->scalar, of, spill->of);
        }
        put(s, spill->constant, reg, of);
        return;
    }
    if (reg.kind == CC_S) {
        insn.name = write ? "sw" : "lw";
        insn.a = (struct cc_opnd){.kind = CC_X, .reg = 2};
        insn.b = sam_cc_imm(spill->slot);
    } else {
        insn.name = write ? "vsw.v" : "vlw.v";
        insn.a = sam_cc_new(f, true);
        insn.b = sam_cc_imm(spill->slot & 1023);
        sam_cc_copy(f, s->block, insn.a, sam_cc_imm(spill->slot & ~1023u));
    }
    sam_cc_put(f, s->block, insn);
}

static const struct cc_spill *spill_of(const struct spilling *s, const struct cc_opnd *o)
{
    const bool is = (o->kind == CC_S || o->kind == CC_V) && o->reg < s->old_count;
    return is && s->spills[o->reg].spilled ? &s->spills[o->reg] : NULL;
}

static void spill_insn(struct spilling *s, struct cc_insn insn)
{
    struct cc_function *f = s->f;
    struct cc_opnd *operands[] = {&insn.d, &insn.a, &insn.b, &insn.c, &insn.e};
    struct cc_opnd written = {0};
    const struct cc_spill *to = NULL, *spill = spill_of(s, &insn.d);
    f->line = insn.line;
    f->file = insn.file;
    f->scope = insn.scope;
    if (spill && spill->constant && insn.form == CC_OP) {
        struct cc_block *b = &f->blocks[s->block];
        b->notes = sam_cc_debug_join(f, b->notes, insn.notes);
        return;
    }
    for (size_t i = 0; i < SAM_COUNT(operands); i++) {
        spill = spill_of(s, operands[i]);
        if (!spill)
            continue;
        *operands[i] = sam_cc_new(f, operands[i]->kind == CC_V);
        if (i > 0 || insn.form == CC_STORE || insn.form == CC_ACC)
            put_access(s, spill, *operands[i], false);
        if (i == 0 && insn.form != CC_STORE) {
            written = *operands[i];
            to = spill;
        }
    }
    sam_cc_put(f, s->block, insn);
    if (to)
        put_access(s, to, written, true);
}

static void spill_block(struct spilling *s, uint32_t number)
{
    struct cc_block *b = &s->f->blocks[number]; /* the array of blocks does not move */
    struct cc_insn *insns = b->insns;
    const size_t count = b->count;
    const uint32_t notes = b->notes;
    b->notes = 0;
    b->insns = NULL;
    b->count = b->room = 0;
    s->block = number;
    for (size_t i = 0; i < count; i++)
        spill_insn(s, insns[i]);
    b->notes = sam_cc_debug_join(s->f, b->notes, notes);
    free(insns);
    struct cc_opnd *ends[] = {&b->a, &b->b, &b->address};
    for (size_t i = 0; b->end >= CC_BRANCH && i < SAM_COUNT(ends); i++) {
        const struct cc_spill *spill = spill_of(s, ends[i]);
        if (!spill)
            continue;
        *ends[i] = sam_cc_new(s->f, ends[i]->kind == CC_V);
        put_access(s, spill, *ends[i], false);
    }
}

/* A slot, and until where it is taken. */
struct slot {
    uint32_t end, at;
};

struct order {
    uint32_t start, reg;
};

static int by_start(const void *x, const void *y)
{
    const struct order *a = x, *b = y;
    return (a->start > b->start) - (a->start < b->start);
}

/* Values in the order of their starts, each in the first slot that is free again. */
static bool find_slots(struct cc_function *f, struct cc_spill *spills, bool vectors, uint32_t *size)
{
    struct order *order = sam_alloc(f->reg_count + 1, sizeof *order);
    struct slot *slots = sam_alloc(f->reg_count + 1, sizeof *slots);
    uint32_t count = 0, used = 0;
    for (uint32_t r = 0; order && r < f->reg_count; r++)
        if (spills[r].spilled && !spills[r].constant && f->is_vector[r] == vectors)
            order[count++] = (struct order){spills[r].start, r};
    if (order && slots)
        qsort(order, count, sizeof *order, by_start);
    for (uint32_t i = 0; order && slots && i < count; i++) {
        struct cc_spill *spill = &spills[order[i].reg];
        uint32_t k = 0;
        while (k < used && slots[k].end > spill->start)
            k++;
        if (k == used) {
            *size = (*size + 3) & ~3u;
            slots[used++].at = *size;
            *size += 4;
        }
        slots[k].end = spill->end;
        spill->slot = slots[k].at;
    }
    free(slots);
    free(order);
    return order && slots;
}

enum sam_status sam_cc_spill(struct cc_function *f, struct cc_spill *spills, uint32_t *scalar_bytes)
{
    struct spilling s = {.f = f, .spills = spills, .old_count = f->reg_count};
    if (!find_slots(f, spills, false, scalar_bytes) ||
        !find_slots(f, spills, true, &f->private_size))
        return sam_fail_memory(f->cc->error);
    for (uint32_t b = 0; b < f->block_count; b++)
        spill_block(&s, b);
    if (f->failed)
        return sam_fail_memory(f->cc->error);
    f->crowded = *scalar_bytes > 1024;
    if (f->crowded || f->private_size > 65532)
        return sam_cc_refuse(f->cc, f->ref,
                             "kernel '%s' needs more registers than there is "
                             "room for",
                             f->name);
    return SAM_OK;
}
