/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of the machine by linear scan. A virtual register is live from its first to its last
 * place in the text, and to the end of each loop that it comes into from outside. */
#include <stdlib.h>

#include "lower/ir.h"

enum { XS = 64, VS = 256, NEAR = 32, MOST_LOOPS = 64 };

struct span {
    struct span *next; /* with the same register */
    size_t from, to;
    unsigned heat; /* uses, times 8 for each loop around them; 0: not live across a loop */
    uint16_t index;
    bool vector, used, prefixed; /* prefixed: used by an instruction that has a prefix already */
    uint8_t half;
};

struct range {
    size_t from, to;
};

struct scan {
    struct lower_code *c;
    struct span *spans; /* of x, then of v */
    struct range loops[MOST_LOOPS];
    unsigned loop_count;
    unsigned hottest; /* the least heat of what is used in the innermost loops */
    struct lower_insn **text;
    size_t size;
    struct span *taken[2][VS]; /* those that a register has, by file */
};

static struct span *span_of(struct scan *s, bool vector, unsigned reg)
{
    const unsigned first = vector ? LOWER_FIRST_V : LOWER_FIRST_X;
    return reg < first ? NULL : &s->spans[(vector ? s->c->x.count : 0) + reg - first];
}

/* --- live ranges */

static void find_loops(struct scan *s)
{
    for (size_t i = 0; i < s->size; i++)
        for (size_t k = i; sam_lower_is_label(s->text[i]) && k < s->size; k++)
            if (s->text[k]->label && s->text[k]->imm == s->text[i]->imm &&
                sam_lower_jumps(s->text[k])) {
                s->c->failed |= s->loop_count == MOST_LOOPS;
                if (s->loop_count < MOST_LOOPS)
                    s->loops[s->loop_count++] = (struct range){i, k};
            }
}

static void join(struct span *first, struct span *second)
{
    if (second->used && (!first->used || second->from < first->from))
        first->from = second->from;
    if (second->used && (!first->used || second->to > first->to))
        first->to = second->to;
    first->used |= second->used;
    second->used = false;
}

static void find_spans(struct scan *s)
{
    for (size_t i = 0; i < s->size; i++) {
        struct lower_use uses[LOWER_MOST_USES];
        const unsigned count = sam_lower_uses(s->text[i], uses);
        unsigned heat = 1;
        for (unsigned k = 0; k < s->loop_count; k++)
            heat *= s->loops[k].from <= i && i <= s->loops[k].to ? 8 : 1;
        s->hottest = heat > s->hottest ? heat : s->hottest;
        for (unsigned k = 0; k < count; k++) {
            struct span *span = span_of(s, uses[k].vector, s->text[i]->regs[uses[k].slot]);
            if (!span)
                continue;
            span->from = span->used ? span->from : i;
            span->to = i;
            span->used = true;
            span->prefixed |= i && sam_lower_is_prefix(s->text[i - 1]);
            span->heat += heat;
        }
    }
    const size_t count = s->c->x.count + s->c->v.count;
    for (size_t k = 0; k < count; k++) {
        struct span *span = &s->spans[k];
        span->half = k < s->c->x.count ? 0 : s->c->v.items[k - s->c->x.count].half;
        if (span->half == 1) /* the first has the range of both */
            join(span, span + 1);
        bool extended = false;
        for (bool changes = true; changes;) {
            changes = false;
            for (unsigned i = 0; i < s->loop_count; i++)
                if (span->from < s->loops[i].from && span->to >= s->loops[i].from &&
                    span->to < s->loops[i].to) {
                    span->to = s->loops[i].to;
                    changes = extended = true;
                }
        }
        span->vector = k >= s->c->x.count;
        span->index = (uint16_t)(span->vector ? k - s->c->x.count : k);
        span->heat = extended ? span->heat : 0;
    }
}

/* --- assignment */

static int by_order(const void *x, const void *y)
{
    const struct span *const a = *(struct span *const *)x, *const b = *(struct span *const *)y;
    if (!a->half != !b->half)
        return a->half ? -1 : 1;
    if (a->heat != b->heat && !a->half)
        return a->heat < b->heat ? 1 : -1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a > b) - (a < b);
}

static bool is_free(const struct scan *s, const struct span *span, unsigned reg)
{
    for (unsigned k = 0; k < (span->vector ? 2u : 1u);
         k++) /* a pair has the register after its own */
        for (const struct span *other = reg < k ? NULL : s->taken[span->vector][reg - k]; other;
             other = other->next)
            if ((!k || other->half) &&
                (span->from == other->from || (span->from < other->to && other->from < span->to)))
                return false;
    return true;
}

/* v0 is the mask; x0, ra, sp, tp, s0 to s2, a0, a6 and a7 have other uses.
 */
static bool is_assigned(bool vector, unsigned reg)
{
    return vector ? reg > 0
                  : reg > 2 && reg != 4 && (reg < 8 || reg > 10) && (reg < 16 || reg > 18);
}

static bool assign(struct scan *s, struct span *span)
{
    /* Scalars from x32 on cost a prefix at each use: for what is used outside of inner loops. */
    const bool cold = !span->vector && span->heat && span->heat < s->hottest;
    const unsigned count = span->vector ? VS : XS, from = cold ? NEAR : 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned reg = (from + i) % count;
        if (!is_assigned(span->vector, reg) || !is_free(s, span, reg) ||
            (span->prefixed && reg >= NEAR) ||
            (span->half && (reg % 2 || reg >= NEAR || !is_free(s, span, reg + 1))))
            continue;
        struct lower_virtual *v = &(span->vector ? s->c->v : s->c->x).items[span->index];
        v->reg = (uint16_t)reg;
        if (span->half)
            v[1].reg = (uint16_t)(reg + 1);
        span->next = s->taken[span->vector][reg];
        s->taken[span->vector][reg] = span;
        return true;
    }
    return false;
}

static void replace(struct scan *s)
{
    for (size_t i = 0; i < s->size; i++) {
        struct lower_use uses[LOWER_MOST_USES];
        const unsigned count = sam_lower_uses(s->text[i], uses);
        for (unsigned k = 0; k < count; k++) {
            uint16_t *reg = &s->text[i]->regs[uses[k].slot];
            const struct span *span = span_of(s, uses[k].vector, *reg);
            if (span)
                *reg = (span->vector ? s->c->v.items : s->c->x.items)[span->index].reg;
        }
    }
}

bool sam_lower_assign(struct lower_code *c)
{
    struct lower_list *entry = &c->lists[LOWER_ENTRY], *rest = &c->lists[LOWER_FINAL];
    const size_t count = c->x.count + c->v.count;
    bool enough = false;
    struct scan *s = sam_alloc(1, sizeof *s);
    struct span **order = sam_alloc(count + 1, sizeof(struct span *));
    if (s) {
        s->c = c;
        s->size = entry->count + rest->count;
        s->spans = sam_alloc(count + 1, sizeof *s->spans);
        s->text = sam_alloc(s->size + 1, sizeof(struct lower_insn *));
    }
    c->failed |= !s || !order || !s->spans || !s->text;
    if (!c->failed) {
        for (size_t i = 0; i < s->size; i++)
            s->text[i] = i < entry->count ? &entry->items[i] : &rest->items[i - entry->count];
        find_loops(s);
        find_spans(s);
        size_t used = 0;
        for (size_t i = 0; i < count; i++)
            if (s->spans[i].used)
                order[used++] = &s->spans[i];
        qsort(order, used, sizeof(struct span *), by_order);
        enough = true;
        for (size_t i = 0; i < used && enough; i++)
            enough = assign(s, order[i]);
        if (enough)
            replace(s);
    }
    if (s) {
        free(s->spans);
        free(s->text);
    }
    free(s);
    free(order);
    return enough;
}
