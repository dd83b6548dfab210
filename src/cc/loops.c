/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes that stay in a loop must meet before its next iteration, and those that come to a barrier
 * before it. Where a branch of a loop parts lanes that meet only after the loop (one side may
 * `break`), all ways out of the body lead to one new block, in which a register says where each
 * lane goes: to the next iteration, or out. So do all ways from a branch to a barrier if one more
 * leads past it (one side may `return`). */
#include <stdlib.h>
#include <string.h>

#include "cc/cc.h"

struct closing {
    struct cc_function *f;
    uint32_t loop, meet;  /* the new block, in this loop */
    uint32_t first;       /* the loop's header, or on the way to the barrier */
    struct cc_opnd which; /* 0: `first`; i + 1: targets[i] */
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
    if (target != c->first) {
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

/* Begin to lead edges to a new block. */
static struct closing open_meeting(struct cc_function *f, uint32_t loop, uint32_t block,
                                   uint32_t first)
{
    struct closing c = {.f = f, .loop = loop, .first = first};
    f->line = 0;
    f->block = block;
    c.which = sam_cc_new(f, true);
    c.meet = sam_cc_block_new(f, loop);
    return c;
}

/* Have each lane go where it would have: to `yes` if that was `first`. */
static void part(struct closing *c, uint32_t yes, uint32_t loop)
{
    struct cc_function *f = c->f;
    uint32_t from = c->meet;
    for (size_t i = 0; i < c->count; i++) {
        const uint32_t other = sam_cc_block_new(f, loop);
        f->block = 0;
        const struct cc_opnd number = sam_cc_vector(f, sam_cc_imm((int64_t)i));
        struct cc_block *b = &f->blocks[from];
        b->end = CC_SPLIT;
        b->name = "vbeq";
        b->a = c->which;
        b->b = number;
        b->next[0] = yes;
        b->next[1] = other;
        from = other;
        yes = c->targets[i];
    }
    f->blocks[from].end = CC_JUMP; /* the last way needs no comparison */
    f->blocks[from].next[0] = yes;
    free(c->targets);
}

static void close_loop(struct cc_function *f, uint32_t loop)
{
    const uint32_t count = f->block_count, parent = f->loops[loop].parent;
    const uint32_t header = f->loops[loop].header;
    const struct llvm *ll = &f->cc->ll;
    size_t parts = 0;
    llvm_ref phi = ll->GetFirstInstruction(f->ir[header]);
    for (; phi && ll->GetInstructionOpcode(phi) == LL_PHI; phi = ll->GetNextInstruction(phi))
        parts += sam_cc_value(f, phi)->count;
    struct cc_opnd *delayed = sam_alloc(parts + 1, sizeof *delayed);
    if (!delayed) {
        f->failed = true;
        return;
    }
    struct closing c = open_meeting(f, loop, header, header);
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
    part(&c, again, parent);
}

/* ------------------------------------------------------------------------------ barriers */

static bool has_barrier(const struct cc_block *block)
{
    for (size_t k = 0; k < block->count; k++)
        if (block->insns[k].name && strcmp(block->insns[k].name, "barrier") == 0)
            return true;
    return false;
}

/* Whether an edge goes back to the header of a loop. */
static bool goes_back(const struct cc_function *f, uint32_t from, uint32_t to)
{
    const uint32_t loop = f->blocks[to].loop;
    return loop != CC_NO && f->loops[loop].header == to && sam_cc_loop_holds(f, loop, from);
}

/* Count the edges from each block to one that leads to `barrier` without going back; `barrier`
 * itself counts as one. */
static void count_ways(const struct cc_function *f, uint32_t barrier, uint8_t *ways)
{
    memset(ways, 0, f->block_count);
    ways[barrier] = 1;
    for (uint32_t i = f->order_count; i-- > 0;) {
        const uint32_t b = f->order[i];
        uint32_t next[2];
        for (unsigned k = sam_cc_next(&f->blocks[b], next); b != barrier && k-- > 0;)
            ways[b] = (uint8_t)(ways[b] + (ways[next[k]] && !goes_back(f, b, next[k])));
    }
}

/* The first branch in f->order on whose both sides lanes come to the barrier, but meet later only.
 * Returns its place in the order. */
static uint32_t find_split(const struct cc_function *f, const uint8_t *ways)
{
    for (uint32_t i = 0; i < f->order_count; i++) {
        const uint32_t b = f->order[i];
        if (f->blocks[b].end == CC_SPLIT && ways[b] == 2 &&
            (f->pdom[b] == CC_NO || !ways[f->pdom[b]]))
            return i;
    }
    return CC_NO;
}

/* Have the lanes that part at this place of the order meet where all ways from there to the
 * barrier come together. `way`: for each block, the edges by which they enter it. Returns false
 * where they stay apart, as they may in a loop with two entries. */
static bool meet_before(struct cc_function *f, const uint8_t *ways, uint32_t at, uint32_t *way)
{
    const uint32_t split = f->order[at], count = f->block_count;
    uint32_t open = 1, first = split, next[2];
    memset(way, 0, count * sizeof *way);
    way[split] = 1;
    for (; open && at < f->order_count; at++) {
        first = f->order[at];
        open -= way[first];
        if (!way[first] || (!open && first != split))
            continue;
        for (unsigned k = sam_cc_next(&f->blocks[first], next); k-- > 0;)
            if (ways[next[k]] && !goes_back(f, first, next[k])) {
                way[next[k]]++;
                open++;
            }
    }
    way[first] = 0;
    if (open)
        return false;
    struct closing c = open_meeting(f, f->blocks[split].loop, split, first);
    for (uint32_t b = 0; b < count; b++)
        for (unsigned i = way[b] ? sam_cc_next(&f->blocks[b], next) : 0; i-- > 0;)
            if (!way[next[i]])
                redirect(&c, b, i);
    part(&c, first, f->blocks[split].loop);
    return true;
}

/* Have lanes meet before this barrier, where one branch parts them until after it. Returns whether
 * there was one. */
static bool close_barrier(struct cc_function *f, uint32_t barrier)
{
    uint8_t *ways = sam_alloc(f->block_count, sizeof *ways);
    uint32_t *way = sam_alloc(f->block_count, sizeof *way);
    uint32_t at = CC_NO;
    f->failed |= !ways || !way;
    if (!f->failed) {
        count_ways(f, barrier, ways);
        at = find_split(f, ways);
    }
    const bool done = at != CC_NO && meet_before(f, ways, at, way);
    free(ways);
    free(way);
    f->failed |= done && !(sam_cc_flow_order(f) && sam_cc_flow_pdom(f));
    return done && !f->failed;
}

bool sam_cc_lanes_meet(struct cc_function *f)
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
    if (!sam_cc_flow_order(f) || !sam_cc_flow_pdom(f))
        return false;
    for (uint32_t b = 0, count = f->block_count; b < count; b++)
        while (has_barrier(&f->blocks[b]) && close_barrier(f, b))
            ;
    return !f->failed;
}
