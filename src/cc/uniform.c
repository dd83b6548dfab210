/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are the same in all lanes that execute them together, and the others. A value is
 * divergent when it comes from a lane's number, from private memory or from an atomic operation, or
 * is computed from such a value; when it is a phi that lanes reach on different ways; or when it is
 * defined in a loop that lanes leave in different iterations, and used after it. */
#include <stdlib.h>
#include <string.h>

#include "cc/cc.h"

static size_t hash(llvm_ref ref)
{
    return (size_t)(((uintptr_t)ref >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
}

struct cc_value *sam_cc_value(const struct cc_function *f, llvm_ref ref)
{
    for (size_t i = hash(ref);; i++) {
        const size_t slot = i & (f->slot_count - 1);
        if (!f->value_slots[slot])
            return NULL;
        if (f->value_slots[slot] == ref)
            return &f->values[f->value_ids[slot]];
    }
}

static void add_value(struct cc_function *f, llvm_ref ref, uint32_t block)
{
    size_t i = hash(ref);
    while (f->value_slots[i & (f->slot_count - 1)])
        i++;
    f->value_slots[i & (f->slot_count - 1)] = ref;
    f->value_ids[i & (f->slot_count - 1)] = f->value_count;
    f->values[f->value_count++] = (struct cc_value){.ref = ref, .block = block};
}

bool sam_cc_values_read(struct cc_function *f)
{
    const struct llvm *ll = &f->cc->ll;
    uint32_t count = ll->CountParams(f->ref);
    for (uint32_t b = 0; b < f->ir_blocks; b++)
        for (llvm_ref i = ll->GetFirstInstruction(f->ir[b]); i; i = ll->GetNextInstruction(i))
            count++;
    for (f->slot_count = 64; f->slot_count < 2 * count; f->slot_count *= 2)
        continue;
    f->values = sam_alloc(count + 1, sizeof *f->values);
    f->value_slots = sam_alloc(f->slot_count, sizeof(llvm_ref));
    f->value_ids = sam_alloc(f->slot_count, sizeof *f->value_ids);
    f->cse_slots = sam_alloc(f->slot_count, sizeof *f->cse_slots);
    if (!f->values || !f->value_slots || !f->value_ids || !f->cse_slots)
        return false;
    for (unsigned i = 0; i < ll->CountParams(f->ref); i++)
        add_value(f, ll->GetParam(f->ref, i), 0);
    for (uint32_t b = 0; b < f->ir_blocks; b++)
        for (llvm_ref i = ll->GetFirstInstruction(f->ir[b]); i; i = ll->GetNextInstruction(i))
            add_value(f, i, b);
    return true;
}

static bool is_source(struct cc_function *f, llvm_ref insn, int opcode)
{
    static const char *const same[] = {"__samite_metadata", "__samite_csr", "__samite_argument",
                                       "__samite_print_buffer"};
    static const char *const vectors[] = {"__samite_exp", "__samite_rec7", "__samite_rsqrt7"};
    const struct llvm *ll = &f->cc->ll;
    if (opcode == LL_LOAD)
        return sam_cc_space(f, ll->GetOperand(insn, 0)) == AS_PRIVATE;
    if (opcode == LL_ATOMICRMW || opcode == LL_CMPXCHG)
        return true;
    if (opcode != LL_CALL)
        return false;
    size_t size;
    const char *name = ll->GetValueName2(ll->GetCalledValue(insn), &size);
    for (size_t i = 0; i < SAM_COUNT(same); i++)
        if (strcmp(name, same[i]) == 0)
            return false;
    for (size_t i = 0; i < SAM_COUNT(vectors); i++)
        if (strcmp(name, vectors[i]) == 0)
            return true;
    return strncmp(name, "__samite_lane", 13) == 0 || strncmp(name, "__samite_atomic", 15) == 0;
}

struct uniform {
    struct cc_function *f;
    uint8_t *parted; /* blocks that end with a divergent branch */
    uint8_t *meets;  /* blocks that lanes reach on different ways */
    uint32_t *label;
    bool changed;
};

static bool is_divergent(const struct uniform *u, llvm_ref ref)
{
    const struct cc_value *v = sam_cc_value(u->f, ref);
    return v && v->divergent;
}

/* Lanes part at the end of `block`: which blocks they reach on different ways before they meet. */
static void part(struct uniform *u, uint32_t block)
{
    struct cc_function *f = u->f;
    const uint32_t meet = f->pdom[block];
    u->parted[block] = 1;
    for (uint32_t l = f->blocks[block].loop; l != CC_NO; l = f->loops[l].parent)
        if (meet == CC_NO || !sam_cc_loop_holds(f, l, meet))
            f->loops[l].apart = true;
    for (uint32_t b = 0; b < f->block_count; b++)
        u->label[b] = CC_NO;
    for (int i = 0; i < 2; i++)
        u->label[f->blocks[block].next[i]] = f->blocks[block].next[i];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < f->order_count; i++) {
            const uint32_t b = f->order[i];
            uint32_t next[2];
            if (u->label[b] == CC_NO || b == meet || b == block)
                continue;
            for (unsigned k = sam_cc_next(&f->blocks[b], next); k-- > 0;) {
                uint32_t *label = &u->label[next[k]];
                if (*label == u->label[b] || (*label == next[k] && u->meets[next[k]]))
                    continue;
                if (*label != CC_NO)
                    u->meets[next[k]] = 1;
                *label = *label == CC_NO ? u->label[b] : next[k];
                changed = true;
            }
        }
    }
    u->changed = true;
}

static bool phi_diverges(const struct uniform *u, llvm_ref phi, uint32_t block)
{
    const struct llvm *ll = &u->f->cc->ll;
    if (u->meets[block])
        return true;
    for (unsigned i = 0; i < ll->CountIncoming(phi); i++) {
        const uint32_t from = sam_cc_block_of(u->f, ll->GetIncomingBlock(phi, i));
        if (is_divergent(u, ll->GetIncomingValue(phi, i)))
            return true;
        for (uint32_t l = u->f->blocks[from].loop; l != CC_NO && !sam_cc_loop_holds(u->f, l, block);
             l = u->f->loops[l].parent)
            if (u->f->loops[l].apart)
                return true;
    }
    return false;
}

/* Whether a use lies after a loop around the definition that lanes leave apart. */
static bool outlives(const struct uniform *u, const struct cc_value *v)
{
    const struct cc_function *f = u->f;
    const struct llvm *ll = &f->cc->ll;
    if (f->blocks[v->block].loop == CC_NO)
        return false;
    for (llvm_ref use = ll->GetFirstUse(v->ref); use; use = ll->GetNextUse(use)) {
        const struct cc_value *user = sam_cc_value(f, ll->GetUser(use));
        if (!user)
            continue;
        for (uint32_t l = f->blocks[v->block].loop;
             l != CC_NO && !sam_cc_loop_holds(f, l, user->block); l = f->loops[l].parent)
            if (f->loops[l].apart)
                return true;
    }
    return false;
}

static void visit(struct uniform *u, struct cc_value *v)
{
    struct cc_function *f = u->f;
    const struct llvm *ll = &f->cc->ll;
    const int opcode = ll->GetInstructionOpcode(v->ref);
    bool divergent =
        opcode == LL_PHI ? phi_diverges(u, v->ref, v->block) : is_source(f, v->ref, opcode);
    divergent |= f->in_vectors && opcode != LL_CALL && opcode != LL_BR;
    const unsigned operands = opcode == LL_PHI ? 0 : (unsigned)ll->GetNumOperands(v->ref);
    for (unsigned i = 0; i < operands && !divergent; i++)
        divergent = is_divergent(u, ll->GetOperand(v->ref, i));
    if (opcode == LL_BR) {
        if (divergent && f->blocks[v->block].end == CC_BRANCH && !u->parted[v->block])
            part(u, v->block);
        return;
    }
    if (divergent || outlives(u, v))
        v->divergent = u->changed = true;
}

bool sam_cc_uniform(struct cc_function *f)
{
    struct uniform u = {.f = f};
    u.parted = sam_alloc(f->block_count, 1);
    u.meets = sam_alloc(f->block_count, 1);
    u.label = sam_alloc(f->block_count, sizeof *u.label);
    const bool good = u.parted && u.meets && u.label;
    u.changed = good;
    while (u.changed) {
        u.changed = false;
        for (uint32_t i = f->cc->ll.CountParams(f->ref); i < f->value_count; i++)
            if (!f->values[i].divergent)
                visit(&u, &f->values[i]);
    }
    for (uint32_t b = 0; good && b < f->block_count; b++)
        if (u.parted[b])
            f->blocks[b].end = CC_SPLIT;
    free(u.parted);
    free(u.meets);
    free(u.label);
    return good;
}
