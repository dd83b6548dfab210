/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes that stay in a loop must meet before its next iteration. Where a branch of a loop parts
 * lanes that meet only after the loop (one side may `break`), all ways out of
 * the body lead to one new block, in which a register says where each lane goes: to the next
 * iteration, or out. */
#include <stdlib.h>

#include "cc/cc.h"

struct closing {
    struct cc_function *f;
    uint32_t loop, meet;  /* the new block */
    struct cc_opnd which; /* 0: the next iteration; i + 1: targets[i] */
    uint32_t *targets;
    size_t count, room;
};

static bool parts_for_good(const struct cc_function *f, uint32_t loop)
{
    for (uint32_t b = 0; b < f->block_count; b++)
        if (f->blocks[b].end == CC_SPLIT && sam_cc_loop_holds(f, loop, b) &&
            sam_cc_loop_holds(f, loop, f->blocks[b].next[0]) &&
            sam_cc_loop_holds(f, loop, f->blocks[b].next[1]) &&
            (f->pdom[b] == CC_NO || f->pdom[b] == f->loops[loop].header ||
             !sam_cc_loop_holds(f, loop, f->pdom[b])))
            return true;
    return false;
}

/* Lead an edge to the new block; returns the block between them. */
static uint32_t redirect(struct closing *c, uint32_t block, unsigned i)
{
    struct cc_function *f = c->f;
    const uint32_t target = f->blocks[block].next[i];
    size_t at = 0;
    if (target != f->loops[c->loop].header) {
        while (at < c->count && c->targets[at] != target)
            at++;
        if (at == c->count) {
            uint32_t *targets = sam_grow(c->targets, c->count, &c->room, sizeof *targets);
            if (!targets) {
                f->failed = true;
                return block;
            }
            c->targets = targets;
            c->targets[c->count++] = target;
        }
        at++;
    }
    const uint32_t edge = sam_cc_block_new(f, c->loop);
    f->blocks[edge].end = CC_JUMP;
    f->blocks[edge].next[0] = c->meet;
    f->blocks[block].next[i] = edge;
    sam_cc_copy(f, edge, c->which, sam_cc_imm((int64_t)at));
    return edge;
}

/* Rename what `block` writes to `from`; false: nothing. */
static bool rename(struct cc_block *block, struct cc_opnd from, struct cc_opnd to)
{
    bool found = false;
    for (size_t k = 0; k < block->count; k++)
        if (block->insns[k].d.kind == from.kind && block->insns[k].d.reg == from.reg) {
            block->insns[k].d = to;
            found = true;
        }
    return found;
}

/* The phis of the header change after the lanes have met, in block `again`: until then others may
 * read them. Block `edge` leads from `from`, a block before the header, to where they meet. */
static void delay_phis(struct closing *c, uint32_t from, uint32_t edge, struct cc_opnd *delayed)
{
    struct cc_function *f = c->f;
    const struct llvm *ll = &f->cc->ll;
    llvm_ref phi = ll->GetFirstInstruction(f->ir[f->loops[c->loop].header]);
    size_t at = 0;
    for (; phi && ll->GetInstructionOpcode(phi) == LL_PHI; phi = ll->GetNextInstruction(phi)) {
        const struct cc_value *v = sam_cc_value(f, phi);
        for (unsigned i = 0; i < v->count; i++, at++) {
            const struct cc_opnd to = v->parts[i];
            if (!delayed[at].kind)
                delayed[at] = sam_cc_new(f, to.kind == CC_V);
            if (!rename(&f->blocks[from], to, delayed[at]))
                sam_cc_copy(f, edge, delayed[at], to);
        }
    }
}

static void close_loop(struct cc_function *f, uint32_t loop)
{
    const uint32_t count = f->block_count, parent = f->loops[loop].parent;
    const uint32_t header = f->loops[loop].header;
    const struct llvm *ll = &f->cc->ll;
    struct closing c = {.f = f, .loop = loop};
    size_t parts = 0;
    llvm_ref phi = ll->GetFirstInstruction(f->ir[header]);
    for (; phi && ll->GetInstructionOpcode(phi) == LL_PHI; phi = ll->GetNextInstruction(phi))
        parts += sam_cc_value(f, phi)->count;
    struct cc_opnd *delayed = sam_alloc(parts + 1, sizeof *delayed);
    if (!delayed) {
        f->failed = true;
        return;
    }
    f->line = 0;
    f->block = header;
    c.which = sam_cc_new(f, true);
    c.meet = sam_cc_block_new(f, loop);
    for (uint32_t b = 0; b < count; b++) {
        uint32_t next[2];
        for (unsigned i = sam_cc_next(&f->blocks[b], next);
             sam_cc_loop_holds(f, loop, b) && i-- > 0;)
            if (next[i] == header || !sam_cc_loop_holds(f, loop, next[i])) {
                const uint32_t edge = redirect(&c, b, i);
                if (next[i] == header)
                    delay_phis(&c, b, edge, delayed);
            }
    }
    const uint32_t again = sam_cc_block_new(f, loop);
    size_t at = 0;
    for (phi = ll->GetFirstInstruction(f->ir[header]);
         phi && ll->GetInstructionOpcode(phi) == LL_PHI; phi = ll->GetNextInstruction(phi)) {
        const struct cc_value *v = sam_cc_value(f, phi);
        for (unsigned i = 0; i < v->count; i++, at++)
            sam_cc_copy(f, again, v->parts[i], delayed[at]);
    }
    free(delayed);
    f->blocks[again].end = CC_JUMP;
    f->blocks[again].next[0] = f->loops[loop].header;
    uint32_t from = c.meet, yes = again;
    for (size_t i = 0; i <= c.count; i++) {
        if (i == c.count) { /* the last way needs no comparison */
            f->blocks[from].end = CC_JUMP;
            f->blocks[from].next[0] = yes;
            break;
        }
        const uint32_t other = sam_cc_block_new(f, parent);
        f->block = 0;
        const struct cc_opnd number = sam_cc_vector(f, sam_cc_imm((int64_t)i));
        struct cc_block *b = &f->blocks[from];
        b->end = CC_SPLIT;
        b->name = "vbeq";
        b->a = c.which;
        b->b = number;
        b->next[0] = yes;
        b->next[1] = other;
        from = other;
        yes = c.targets[i];
    }
    free(c.targets);
}

bool sam_cc_loops_close(struct cc_function *f)
{
    uint32_t deepest = 0;
    for (uint32_t l = 0; l < f->loop_count; l++)
        deepest = f->loops[l].depth > deepest ? f->loops[l].depth : deepest;
    for (uint32_t depth = deepest; depth > 0; depth--)
        for (uint32_t l = 0; l < f->loop_count; l++) {
            if (f->loops[l].depth != depth)
                continue;
            if (!sam_cc_flow_pdom(f))
                return false;
            if (parts_for_good(f, l))
                close_loop(f, l);
        }
    return sam_cc_flow_pdom(f) && !f->failed;
}
