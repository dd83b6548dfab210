/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of the innermost level. Each has virtual registers of its own, so that copies are
 * independent but for the mask and for what is carried from one to the next. A list is cut wherever
 * neither is under way; the pieces of all copies alternate, so that the latency of one is spent on
 * the others. */
#include <stdlib.h>

#include "lower/ir.h"

static struct lower_virtual *virtual_of(struct lower_code *c, bool vector, unsigned reg)
{
    const unsigned first = vector ? LOWER_FIRST_V : LOWER_FIRST_X;
    struct lower_file *f = vector ? &c->v : &c->x;
    return reg >= first && reg - first < f->count ? &f->items[reg - first] : NULL;
}

bool sam_lower_can_copy(const struct lower_list *chunk)
{
    for (size_t i = 0; i < chunk->count; i++)
        if (sam_lower_is_label(&chunk->items[i]))
            return false;
    return true;
}

/* --- pieces */

/* Set cut[i] where the list may be cut after instruction i. */
static void find_cuts(struct lower_code *c, const struct lower_list *chunk, bool *cut)
{
    bool mask = false;
    for (size_t i = chunk->count; i-- > 0;) {
        const struct lower_insn *insn = &chunk->items[i];
        struct lower_use uses[LOWER_MOST_USES];
        const unsigned count = sam_lower_uses(insn, uses);
        bool reads = sam_lower_reads_mask(insn), writes = false;
        cut[i] = !mask && !sam_lower_is_prefix(insn);
        for (unsigned k = 0; k < count; k++)
            if (uses[k].vector && insn->regs[uses[k].slot] == 0) {
                reads |= uses[k].reads;
                writes |= uses[k].writes;
            }
        mask = reads || (mask && !writes);
    }
    for (size_t i = 0; i < chunk->count; i++) {
        const struct lower_insn *insn = &chunk->items[i];
        struct lower_use uses[LOWER_MOST_USES];
        const unsigned count = sam_lower_uses(insn, uses);
        for (unsigned k = 0; k < count; k++) {
            /* A register from outside that is written: from its first use to its last write. */
            const unsigned reg = insn->regs[uses[k].slot];
            const struct lower_virtual *v = virtual_of(c, uses[k].vector, reg);
            if (!uses[k].writes || !v || v->level == LOWER_CHUNK)
                continue;
            size_t first = 0;
            for (bool found = false; !found && first <= i; first += !found) {
                struct lower_use other[LOWER_MOST_USES];
                const unsigned others = sam_lower_uses(&chunk->items[first], other);
                for (unsigned n = 0; n < others; n++)
                    found |= other[n].vector == uses[k].vector &&
                             chunk->items[first].regs[other[n].slot] == reg;
            }
            for (size_t at = first; at < i; at++)
                cut[at] = false;
        }
    }
    unsigned mode = 0;
    for (size_t i = 0; i + 1 < chunk->count; i++) {
        sam_lower_sets_mode(&chunk->items[i], &mode);
        cut[i] &= !mode;
    }
}

/* --- copies */

struct copy {
    uint16_t *x, *v; /* new registers, by virtual register */
    unsigned moved[LOWER_MOVING];
};

struct lower_copies {
    unsigned count;
    struct copy items[LOWER_COPIES];
};

struct lower_copies *sam_lower_copies_new(struct lower_code *c, unsigned count)
{
    struct lower_copies *copies = sam_alloc(1, sizeof *copies);
    c->failed |= !copies;
    for (unsigned k = 0; k < count && copies; k++) {
        struct copy *copy = &copies->items[copies->count++];
        copy->x = sam_alloc(c->x.count + 1, sizeof *copy->x);
        copy->v = sam_alloc(c->v.count + 1, sizeof *copy->v);
        c->failed |= !copy->x || !copy->v;
    }
    return copies;
}

void sam_lower_copies_free(struct lower_copies *copies)
{
    for (unsigned k = 0; copies && k < copies->count; k++) {
        free(copies->items[k].x);
        free(copies->items[k].v);
    }
    free(copies);
}

/* The register of a moving scalar in copy k. */
static unsigned moved(struct lower_code *c, struct lower_copies *copies, unsigned index, unsigned k)
{
    const struct lower_moving *m = &c->moving[index];
    unsigned *reg = &copies->items[k].moved[index];
    if (!k)
        return m->base;
    if (!*reg && m->step_reg) {
        const unsigned before = moved(c, copies, index, k - 1);
        *reg = sam_lower_take_scalar(c, LOWER_CHUNK);
        sam_lower_gpu(c, LOWER_FINAL, "add x%u, x%u, x%u", *reg, before, m->step_reg);
    } else if (!*reg) {
        /* The last copy may end where the row does. */
        const bool short_step = c->tail && k + 1 == copies->count;
        *reg = sam_lower_take_scalar(c, LOWER_CHUNK);
        sam_lower_advance(c, LOWER_FINAL, *reg, m->base,
                          short_step ? (int64_t)m->step / 32 * c->tail : (int64_t)m->step * k);
    }
    return *reg;
}

/* A register in copy k. */
static unsigned renamed(struct lower_code *c, struct lower_copies *copies, unsigned k, bool vector,
                        unsigned reg)
{
    struct copy *copy = &copies->items[k];
    for (unsigned i = 0; i < c->moving_count && !vector; i++)
        if (c->moving[i].reg == reg)
            return moved(c, copies, i, k);
    const struct lower_virtual *v = virtual_of(c, vector, reg);
    if (!v || v->level != LOWER_CHUNK)
        return reg;
    uint16_t *name = vector ? &copy->v[reg - LOWER_FIRST_V] : &copy->x[reg - LOWER_FIRST_X];
    if (!*name && v->half) {
        uint16_t *first = name - (v->half - 1);
        first[0] = (uint16_t)sam_lower_take_pair(c, LOWER_CHUNK);
        first[1] = (uint16_t)(first[0] + 1);
    } else if (!*name)
        *name = (uint16_t)(vector ? sam_lower_take_vector(c, LOWER_CHUNK)
                                  : sam_lower_take_scalar(c, LOWER_CHUNK));
    return *name;
}

static void put(struct lower_code *c, struct lower_copies *copies, unsigned k,
                struct lower_insn insn)
{
    struct lower_use uses[LOWER_MOST_USES];
    const unsigned count = sam_lower_uses(&insn, uses);
    for (unsigned i = 0; i < count; i++)
        insn.regs[uses[i].slot] =
            (uint16_t)renamed(c, copies, k, uses[i].vector, insn.regs[uses[i].slot]);
    if (!k || !sam_lower_is_comment(&insn))
        sam_lower_insert(c, &c->lists[LOWER_FINAL], insn);
}

void sam_lower_copies_put(struct lower_code *c, struct lower_copies *copies,
                          const struct lower_list *chunk, unsigned from, unsigned to)
{
    bool *cut = sam_alloc(chunk->count + 1, sizeof *cut);
    c->failed |= !cut;
    if (!c->failed)
        find_cuts(c, chunk, cut);
    for (size_t at = 0, end; at < chunk->count && !c->failed; at = end) {
        end = at;
        while (!cut[end] && end + 1 < chunk->count)
            end++;
        end++;
        for (unsigned k = from; k < to; k++)
            for (size_t i = at; i < end; i++)
                put(c, copies, k, chunk->items[i]);
    }
    free(cut);
}
