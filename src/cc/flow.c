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

/* Edges: of each block those before it. */
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

/* Sets of blocks that nothing leads to stay full, past their end as well. */
static bool is_known(const uint64_t *set, uint32_t n)
{
    return !(set[n / 64] >> n % 64 & 1);
}

/* The set of block `b` becomes what the sets of the blocks in `with` share, and itself. */
static bool meet(uint64_t *sets, size_t words, uint32_t b, const uint32_t *with, uint32_t count)
{
    bool changed = false;
    for (size_t w = 0; w < words && count; w++) {
        uint64_t both = UINT64_MAX;
        for (uint32_t k = 0; k < count; k++)
            both &= sets[with[k] * words + w];
        both |= w == b / 64 ? UINT64_C(1) << b % 64 : 0;
        changed |= sets[b * words + w] != both;
        sets[b * words + w] = both;
    }
    return changed;
}

/* The last of the blocks in the set of `b` before `b` itself: that with the largest set. */
static uint32_t immediate(const uint64_t *sets, size_t words, const uint32_t *sizes, uint32_t b)
{
    uint32_t best = CC_NO;
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = sets[b * words + w]; left; left &= left - 1) {
            const uint32_t d = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
            if (d != b && (best == CC_NO || sizes[d] > sizes[best]))
                best = d;
        }
    return best;
}

/* Immediate dominators, or with `endless` post-dominators; CC_NO for the root. Blocks marked in
 * `endless` count as blocks before the exit. */
static bool find_dominators(const struct cc_function *f, const uint8_t *endless, uint32_t *idom)
{
    const uint32_t n = f->block_count, root = endless ? f->exit : 0;
    const size_t words = n / 64 + 1;
    uint32_t *start = NULL, *from = NULL, *sizes = sam_alloc(n, sizeof *sizes);
    uint64_t *sets = sam_alloc(n * words, sizeof *sets);
    const bool good = sizes && sets && edges(f, &start, &from);
    for (size_t w = 0; good && w < n * words; w++)
        sets[w] = w / words == root ? 0 : UINT64_MAX;
    if (good)
        sets[root * words + root / 64] = UINT64_C(1) << root % 64;
    for (bool changed = good; changed;) {
        changed = false;
        for (uint32_t i = 0; i < (endless ? n : f->order_count); i++) {
            const uint32_t b = endless ? n - 1 - i : f->order[i];
            uint32_t next[3], *with = from + start[b], count = start[b + 1] - start[b];
            if (endless) {
                with = next;
                count = sam_cc_next(&f->blocks[b], next);
                if (endless[b])
                    next[count++] = f->exit;
            }
            if (b != root)
                changed |= meet(sets, words, b, with, count);
        }
    }
    for (size_t w = 0; good && w < n * words; w++)
        sizes[w / words] += (uint32_t)__builtin_popcountll(sets[w]);
    for (uint32_t b = 0; good && b < n; b++)
        idom[b] =
            b == root || !is_known(sets + b * words, n) ? CC_NO : immediate(sets, words, sizes, b);
    free(start);
    free(from);
    free(sizes);
    free(sets);
    return good;
}

/* Mark the blocks from which a path leads to a marked one. */
static void mark_before(const struct cc_function *f, uint8_t *marked)
{
    uint32_t next[2];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = f->block_count; b-- > 0;)
            for (unsigned i = sam_cc_next(&f->blocks[b], next); i-- > 0;)
                if (!marked[b] && marked[next[i]])
                    marked[b] = changed = true;
    }
}

/* A block from which no path leads to the exit (the end of an endless loop, rather than its entry)
 * counts as one before it. */
bool sam_cc_flow_pdom(struct cc_function *f)
{
    const uint32_t n = f->block_count;
    uint8_t *seen = sam_alloc(n, 1), *endless = sam_alloc(n, 1);
    uint32_t *pdom = realloc(f->pdom, n * sizeof *pdom);
    if (pdom)
        f->pdom = pdom;
    bool good = seen && endless && pdom;
    if (good) {
        seen[f->exit] = 1;
        mark_before(f, seen);
    }
    for (uint32_t b = n; good && b-- > 0;) {
        if (seen[b])
            continue;
        seen[b] = endless[b] = 1;
        mark_before(f, seen);
    }
    good = good && find_dominators(f, endless, f->pdom);
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
    uint32_t *idom = sam_alloc(f->block_count, sizeof *idom);
    bool good = idom && sam_cc_flow_order(f) && find_dominators(f, NULL, idom);
    for (uint32_t b = 0; good && b < f->block_count; b++)
        f->blocks[b].idom = idom[b];
    free(idom);
    good = good && find_loops(f, f->order, f->order_count) && sam_cc_flow_pdom(f);
    return good ? SAM_OK : sam_fail_memory(cc->error);
}
