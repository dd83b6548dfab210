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
    f->blocks[f->block_count] =
        (struct cc_block){.end = CC_RETURN, .loop = loop, .idom = CC_NO, .rpc = CC_NO};
    return f->block_count++;
}

uint32_t sam_cc_block_of(const struct cc_function *f, llvm_ref block)
{
    uint32_t low = 0;
    while (low < f->ir_blocks && f->ir[low] != block)
        low++;
    return low;
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

struct graph {
    uint32_t count, root;
    const uint32_t *order; /* from the root, reverse postorder */
    uint32_t size;
    const uint32_t *start, *from; /* of each node, those before it */
};

/* Immediate dominators; CC_NO for the root and for nodes that it does not reach. */
static void dominators(const struct graph *g, uint32_t *number, uint32_t *idom)
{
    for (uint32_t i = 0; i < g->count; i++)
        idom[i] = number[i] = CC_NO;
    for (uint32_t i = 0; i < g->size; i++)
        number[g->order[i]] = i;
    idom[g->root] = g->root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < g->size; i++) {
            const uint32_t b = g->order[i];
            uint32_t best = CC_NO;
            for (uint32_t k = g->start[b]; k < g->start[b + 1]; k++) {
                uint32_t p = g->from[k];
                if (number[p] == CC_NO || idom[p] == CC_NO)
                    continue;
                while (best != CC_NO && p != best) {
                    while (number[p] > number[best])
                        p = idom[p];
                    while (number[best] > number[p])
                        best = idom[best];
                }
                best = p;
            }
            if (best != idom[b]) {
                idom[b] = best;
                changed = true;
            }
        }
    }
    idom[g->root] = CC_NO;
}

/* Edges: of each block those before it, or those after it with an edge from `exit` to blocks from
 * which no path returns. */
static bool edges(const struct cc_function *f, uint32_t **start, uint32_t **from)
{
    uint32_t next[2];
    *start = sam_alloc(f->block_count + 2, sizeof **start);
    *from = sam_alloc(2 * (size_t)f->block_count + 1, sizeof **from);
    if (!*start || !*from)
        return false;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (unsigned i = sam_cc_next(&f->blocks[b], next); i-- > 0;)
            (*start)[next[i] + 2]++;
    for (uint32_t b = 0; b < f->block_count; b++)
        (*start)[b + 2] += (*start)[b + 1];
    for (uint32_t b = 0; b < f->block_count; b++)
        for (unsigned i = sam_cc_next(&f->blocks[b], next); i-- > 0;)
            (*from)[(*start)[next[i] + 1]++] = b;
    return true;
}

static bool find_dominators(struct cc_function *f, const uint32_t *order, uint32_t count)
{
    uint32_t *start = NULL, *from = NULL;
    uint32_t *number = sam_alloc(f->block_count, sizeof *number);
    uint32_t *idom = sam_alloc(f->block_count, sizeof *idom);
    const bool good = number && idom && edges(f, &start, &from);
    if (good) {
        const struct graph g = {f->block_count, 0, order, count, start, from};
        dominators(&g, number, idom);
        for (uint32_t i = 0; i < f->block_count; i++)
            f->blocks[i].idom = idom[i];
    }
    free(start);
    free(from);
    free(number);
    free(idom);
    return good;
}

/* Post-dominators: dominators of the reversed graph, from the exit. A block from which no path
 * leads there (an endless loop) counts as one before it. */
bool sam_cc_flow_pdom(struct cc_function *f)
{
    const uint32_t n = f->block_count;
    uint32_t *start = NULL, *from = NULL, next[2];
    uint32_t *order = sam_alloc(n, sizeof *order), *stack = sam_alloc(n, sizeof *stack);
    uint32_t *number = sam_alloc(n, sizeof *number), *at = sam_alloc(n, sizeof *at);
    uint32_t *after = sam_alloc(3 * (size_t)n, sizeof *after);
    uint32_t *after_start = sam_alloc((size_t)n + 1, sizeof *after_start);
    uint8_t *seen = sam_alloc(n, 1), *endless = sam_alloc(n, 1);
    uint32_t *pdom = realloc(f->pdom, n * sizeof *pdom), count = 0;
    if (pdom)
        f->pdom = pdom;
    const bool good = order && stack && number && at && after && after_start && seen && endless &&
                      pdom && edges(f, &start, &from);
    if (!good)
        goto done;
    for (uint32_t root = f->exit, extra = 0;; extra++) {
        uint32_t depth = 0;
        if (!seen[root]) {
            seen[root] = 1;
            stack[depth++] = root;
        }
        while (depth) {
            const uint32_t b = stack[depth - 1];
            if (at[b] == 0)
                at[b] = start[b];
            if (at[b] < start[b + 1]) {
                const uint32_t p = from[at[b]++];
                if (!seen[p]) {
                    seen[p] = 1;
                    at[p] = start[p];
                    stack[depth++] = p;
                }
            } else {
                order[count++] = b;
                depth--;
            }
        }
        if (extra >= n)
            break;
        /* latest first: the end of an endless loop rather than its entry */
        root = n - 1 - extra;
        if (!seen[root])
            endless[root] = 1;
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t b = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = b;
    }
    /* The exit must be first: endless blocks follow it. */
    for (uint32_t i = 0; i < count; i++)
        if (order[i] == f->exit) {
            memmove(order + 1, order, i * sizeof *order);
            order[0] = f->exit;
            break;
        }
    for (uint32_t b = 0, k = 0; b < n; b++) {
        after_start[b] = k;
        for (unsigned i = sam_cc_next(&f->blocks[b], next); i-- > 0;)
            after[k++] = next[i];
        if (endless[b])
            after[k++] = f->exit;
        after_start[b + 1] = k;
    }
    const struct graph g = {n, f->exit, order, count, after_start, after};
    dominators(&g, number, f->pdom);
done:
    free(start);
    free(from);
    free(order);
    free(stack);
    free(number);
    free(at);
    free(after);
    free(after_start);
    free(seen);
    free(endless);
    return good;
}

bool sam_cc_dominates(const struct cc_function *f, uint32_t a, uint32_t b)
{
    while (b != a && b != CC_NO)
        b = f->blocks[b].idom;
    return b == a;
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
    uint32_t *start = NULL, *from = NULL;
    uint32_t *stack = sam_alloc(f->block_count + 1, sizeof *stack);
    uint8_t *seen = sam_alloc(f->block_count, 1);
    bool good = stack && seen && edges(f, &start, &from);
    f->loops = sam_alloc(count + 1, sizeof *f->loops);
    good = good && f->loops;
    for (uint32_t i = 0; good && i < count; i++) {
        const uint32_t header = order[i];
        uint32_t depth = 0;
        memset(seen, 0, f->block_count);
        for (uint32_t k = start[header]; k < start[header + 1]; k++)
            if (sam_cc_dominates(f, header, from[k]) && !seen[from[k]]) {
                seen[from[k]] = 1;
                stack[depth++] = from[k];
            }
        if (!depth)
            continue;
        const uint32_t parent = f->blocks[header].loop, loop = f->loop_count++;
        f->loops[loop] = (struct cc_loop){header, parent,
                                          parent == CC_NO ? 1 : f->loops[parent].depth + 1, false};
        seen[header] = 1;
        f->blocks[header].loop = loop;
        while (depth) {
            const uint32_t b = stack[--depth];
            f->blocks[b].loop = loop;
            for (uint32_t k = start[b]; b != header && k < start[b + 1]; k++)
                if (!seen[from[k]] && sam_cc_dominates(f, header, from[k])) {
                    seen[from[k]] = 1;
                    stack[depth++] = from[k];
                }
        }
    }
    free(start);
    free(from);
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
    const bool good = sam_cc_flow_order(f) && find_dominators(f, f->order, f->order_count) &&
                      find_loops(f, f->order, f->order_count) && sam_cc_flow_pdom(f);
    return good ? SAM_OK : sam_fail_memory(cc->error);
}
