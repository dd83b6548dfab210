/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow: blocks, dominators and post-dominators, loops. */
#include <stdlib.h>
#include <string.h>

#include "cc/cc.h"

unsigned sam_cc_next(const struct cc_block *b, uint32_t next[2])
{
    next[0] = b->next[0];
    next[1] = b->next[1];
    return b->end == CC_RETURN ? 0 : b->end == CC_JUMP ? 1 : 2;
}

uint32_t sam_cc_block_new(struct cc_function *f, uint32_t loop)
{
    size_t room = f->block_room;
    struct cc_block *blocks = sam_grow(f->blocks, f->block_count, &room, sizeof *blocks);
    if (!blocks) {
        f->failed = true;
        return 0;
    }
    f->blocks = blocks;
    f->block_room = (uint32_t)room;
    f->blocks[f->block_count] = (struct cc_block){.end = CC_RETURN, .loop = loop, .rpc = CC_NO};
    return f->block_count++;
}

uint32_t sam_cc_block_of(const struct cc_function *f, llvm_ref block)
{
    return sam_cc_value(f, f->cc->ll.GetBasicBlockTerminator(block))->block;
}

/* Blocks in an order in which each comes before all that lead to it, back edges aside. Blocks
 * after a loop are visited first, and so come last. */
static uint32_t post_order(const struct cc_function *f, uint32_t *order, uint8_t *seen,
                           uint32_t *stack)
{
    uint32_t count = 0, depth = 0;
    memset(seen, 0, f->block_count);
    stack[depth++] = 0;
    seen[0] = 1;
    while (depth) {
        const uint32_t b = stack[depth - 1];
        uint32_t next[2], found = CC_NO;
        for (unsigned i = 0, n = sam_cc_next(&f->blocks[b], next); i < n; i++) {
            const uint32_t loop = f->blocks[b].loop;
            const bool leaves = loop != CC_NO && !sam_cc_loop_holds(f, loop, next[i]);
            if (!seen[next[i]] && (found == CC_NO || leaves || i == n - 1u) &&
                !(found != CC_NO && loop != CC_NO && !sam_cc_loop_holds(f, loop, found)))
                found = next[i];
        }
        if (found != CC_NO) {
            seen[found] = 1;
            stack[depth++] = found;
        } else {
            order[count++] = b;
            depth--;
        }
    }
    return count;
}

bool sam_cc_flow_order(struct cc_function *f)
{
    uint32_t *order = sam_alloc(f->block_count, sizeof *order);
    uint32_t *stack = sam_alloc(f->block_count, sizeof *stack);
    uint8_t *seen = sam_alloc(f->block_count, 1);
    const bool good = order && stack && seen;
    const uint32_t count = good ? post_order(f, order, seen, stack) : 0;
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t b = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = b;
    }
    free(stack);
    free(seen);
    free(f->order);
    f->order = order;
    f->order_count = count;
    return good;
}

/* The blocks to which edges lead from each block, or with `back` those before it. Blocks marked in
 * `endless` (NULL: none) have an edge to the exit as well. */
struct edges {
    uint32_t *start, *to;
};

static bool find_edges(const struct cc_function *f, bool back, const uint8_t *endless,
                       struct edges *e)
{
    uint32_t next[3];
    e->start = sam_alloc(f->block_count + 2, sizeof *e->start);
    e->to = sam_alloc(3 * (size_t)f->block_count + 1, sizeof *e->to);
    for (int pass = 0; e->start && e->to && pass < 2; pass++) {
        for (uint32_t b = 0; b < f->block_count; b++) {
            unsigned count = sam_cc_next(&f->blocks[b], next);
            if (endless && endless[b])
                next[count++] = f->exit;
            while (count-- > 0) {
                const uint32_t from = back ? next[count] : b;
                if (pass == 0)
                    e->start[from + 2]++;
                else
                    e->to[e->start[from + 1]++] = back ? b : next[count];
            }
        }
        for (uint32_t b = 0; pass == 0 && b < f->block_count; b++)
            e->start[b + 2] += e->start[b + 1];
    }
    return e->start && e->to;
}

static void free_edges(struct edges *e)
{
    free(e->start);
    free(e->to);
}

/* Blocks that are reached along edges, numbered from 1 after all that they lead to. */
struct reach {
    uint32_t *number, *order, *stack, *at;
    uint32_t count;
};

static bool open_reach(struct reach *r, const struct edges *e, uint32_t blocks)
{
    *r = (struct reach){.number = sam_alloc(blocks, sizeof *r->number),
                        .order = sam_alloc(blocks, sizeof *r->order),
                        .stack = sam_alloc(blocks, sizeof *r->stack),
                        .at = sam_alloc(blocks, sizeof *r->at)};
    if (!r->number || !r->order || !r->stack || !r->at)
        return false;
    memcpy(r->at, e->start, blocks * sizeof *r->at);
    return true;
}

static void free_reach(struct reach *r)
{
    free(r->number);
    free(r->order);
    free(r->stack);
    free(r->at);
}

static void reach_from(struct reach *r, const struct edges *e, uint32_t block)
{
    uint32_t depth = 0;
    r->stack[depth++] = block;
    r->number[block] = CC_NO;
    while (depth) {
        const uint32_t b = r->stack[depth - 1];
        if (r->at[b] < e->start[b + 1]) {
            const uint32_t next = e->to[r->at[b]++];
            if (r->number[next])
                continue;
            r->number[next] = CC_NO;
            r->stack[depth++] = next;
        } else {
            r->order[r->count++] = b;
            r->number[b] = r->count;
            depth--;
        }
    }
}

/* Immediate dominators along `successors`, with `predecessors` its reverse; CC_NO for the root
 * and blocks that it does not reach. After Cooper, Harvey and Kennedy, A Simple, Fast Dominance
 * Algorithm.
 */
static bool find_dominators(uint32_t blocks, uint32_t root, const struct edges *successors,
                            const struct edges *predecessors, uint32_t *idom)
{
    struct reach r;
    const bool good = open_reach(&r, successors, blocks);
    memset(idom, 0xff, blocks * sizeof *idom);
    if (good) {
        reach_from(&r, successors, root);
        idom[root] = root;
    }
    for (bool changed = good; changed;) {
        changed = false;
        for (uint32_t i = r.count - 1; i-- > 0;) {
            const uint32_t b = r.order[i];
            uint32_t found = CC_NO;
            for (uint32_t k = predecessors->start[b]; k < predecessors->start[b + 1]; k++) {
                uint32_t other = predecessors->to[k];
                if (idom[other] == CC_NO)
                    continue;
                while (found != CC_NO && found != other)
                    if (r.number[found] < r.number[other])
                        found = idom[found];
                    else
                        other = idom[other];
                found = other;
            }
            changed |= idom[b] != found;
            idom[b] = found;
        }
    }
    idom[root] = CC_NO;
    free_reach(&r);
    return good;
}

/* A block from which no path leads to the exit (the end of an endless loop, rather than its entry)
 * counts as one before it. */
bool sam_cc_flow_pdom(struct cc_function *f)
{
    const uint32_t n = f->block_count;
    uint8_t *endless = sam_alloc(n, 1);
    uint32_t *pdom = realloc(f->pdom, n * sizeof *pdom);
    struct edges back = {0}, all = {0}, successors = {0};
    struct reach r = {0};
    if (pdom)
        f->pdom = pdom;
    bool good = endless && pdom && find_edges(f, true, NULL, &back) && open_reach(&r, &back, n);
    if (good)
        reach_from(&r, &back, f->exit);
    for (uint32_t b = n; good && b-- > 0;)
        if (!r.number[b]) {
            endless[b] = 1;
            reach_from(&r, &back, b);
        }
    good = good && find_edges(f, true, endless, &all) &&
           find_edges(f, false, endless, &successors) &&
           find_dominators(n, f->exit, &all, &successors, f->pdom);
    free_edges(&back);
    free_edges(&all);
    free_edges(&successors);
    free_reach(&r);
    free(endless);
    return good;
}

bool sam_cc_dominates(const struct cc_function *f, uint32_t a, uint32_t b)
{
    return a == b || f->blocks[b].place - f->blocks[a].place < f->blocks[a].below;
}

/* Places in the tree of dominators: those that a block dominates follow it. */
static bool place_blocks(struct cc_function *f)
{
    const uint32_t n = f->block_count;
    uint32_t *idom = sam_alloc(n, sizeof *idom), *used = sam_alloc(n, sizeof *used);
    struct edges successors = {0}, predecessors = {0};
    const bool good = idom && used && find_edges(f, false, NULL, &successors) &&
                      find_edges(f, true, NULL, &predecessors) &&
                      find_dominators(n, 0, &successors, &predecessors, idom);
    for (uint32_t i = good ? f->order_count : 0; i-- > 0;) {
        const uint32_t b = f->order[i];
        f->blocks[b].below++;
        if (b)
            f->blocks[idom[b]].below += f->blocks[b].below;
    }
    for (uint32_t i = 1; good && i < f->order_count; i++) {
        struct cc_block *b = &f->blocks[f->order[i]];
        const uint32_t above = idom[f->order[i]];
        b->place = f->blocks[above].place + 1 + used[above];
        used[above] += b->below;
    }
    free_edges(&successors);
    free_edges(&predecessors);
    free(idom);
    free(used);
    return good;
}

bool sam_cc_loop_holds(const struct cc_function *f, uint32_t loop, uint32_t block)
{
    uint32_t l = f->blocks[block].loop;
    while (l != loop && l != CC_NO)
        l = f->loops[l].parent;
    return l == loop;
}

uint32_t sam_cc_depth(const struct cc_function *f, uint32_t block)
{
    const uint32_t loop = f->blocks[block].loop;
    return loop == CC_NO ? 0 : f->loops[loop].depth;
}

/* Natural loops, outer ones first: headers in reverse postorder; a block belongs to the last that
 * holds it. */
static bool find_loops(struct cc_function *f, const uint32_t *order, uint32_t count)
{
    struct edges before = {0};
    uint32_t *stack = sam_alloc(f->block_count + 1, sizeof *stack);
    uint32_t *seen = sam_alloc(f->block_count, sizeof *seen); /* the loop + 1 */
    bool good = stack && seen && find_edges(f, true, NULL, &before);
    const uint32_t *start = before.start, *from = before.to;
    f->loops = sam_alloc(count + 1, sizeof *f->loops);
    good = good && f->loops;
    for (uint32_t i = 0; good && i < count; i++) {
        const uint32_t header = order[i];
        uint32_t depth = 0;
        for (uint32_t k = start[header]; k < start[header + 1]; k++)
            if (sam_cc_dominates(f, header, from[k]) && seen[from[k]] != f->loop_count + 1) {
                seen[from[k]] = f->loop_count + 1;
                stack[depth++] = from[k];
            }
        if (!depth)
            continue;
        const uint32_t parent = f->blocks[header].loop, loop = f->loop_count++;
        f->loops[loop] = (struct cc_loop){header, parent,
                                          parent == CC_NO ? 1 : f->loops[parent].depth + 1, false};
        seen[header] = loop + 1;
        f->blocks[header].loop = loop;
        while (depth) {
            const uint32_t b = stack[--depth];
            f->blocks[b].loop = loop;
            for (uint32_t k = start[b]; b != header && k < start[b + 1]; k++)
                if (seen[from[k]] != loop + 1 && sam_cc_dominates(f, header, from[k])) {
                    seen[from[k]] = loop + 1;
                    stack[depth++] = from[k];
                }
        }
    }
    free_edges(&before);
    free(stack);
    free(seen);
    return good;
}

enum sam_status sam_cc_flow_read(struct cc_function *f)
{
    struct cc *cc = f->cc;
    uint32_t count = 0;
    llvm_ref block = cc->ll.GetFirstBasicBlock(f->ref);
    for (; block; block = cc->ll.GetNextBasicBlock(block), count++)
        sam_cc_block_new(f, CC_NO);
    f->ir_blocks = count;
    f->exit = sam_cc_block_new(f, CC_NO);
    f->ir = sam_alloc(count + 1, sizeof(llvm_ref));
    if (f->failed || !f->ir)
        return sam_fail_memory(cc->error);
    count = 0;
    for (block = cc->ll.GetFirstBasicBlock(f->ref); block; block = cc->ll.GetNextBasicBlock(block))
        f->ir[count++] = block;
    if (!sam_cc_values_read(f))
        return sam_fail_memory(cc->error);
    for (uint32_t b = 0; b < count; b++) {
        llvm_ref end = cc->ll.GetBasicBlockTerminator(f->ir[b]);
        struct cc_block *to = &f->blocks[b];
        const int opcode = cc->ll.GetInstructionOpcode(end);
        const unsigned next = opcode == LL_BR ? cc->ll.GetNumSuccessors(end) : 0;
        if (opcode != LL_BR && opcode != LL_RET && opcode != LL_UNREACHABLE)
            return sam_cc_refuse(cc, end, "an indirect jump");
        to->end = next == 2 ? CC_BRANCH : CC_JUMP;
        to->next[0] = next ? sam_cc_block_of(f, cc->ll.GetSuccessor(end, 0)) : f->exit;
        to->next[1] = next == 2 ? sam_cc_block_of(f, cc->ll.GetSuccessor(end, 1)) : 0;
        if (next == 2 && to->next[0] == to->next[1])
            to->end = CC_JUMP;
    }
    const bool good = sam_cc_flow_order(f) && place_blocks(f) &&
                      find_loops(f, f->order, f->order_count) && sam_cc_flow_pdom(f);
    return good ? SAM_OK : sam_fail_memory(cc->error);
}
