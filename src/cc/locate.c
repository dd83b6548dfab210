/* SPDX-License-Identifier: Apache-2.0 */
/* Where the variables of the source are, once registers are assigned: a forward data-flow problem.
 * The state has the location of each variable and the virtual register that each register of the
 * machine holds; where paths meet, only what they agree on remains. A write of a register ends what
 * was there. Scalar registers are shared by lanes that have parted: what one side of a branch
 * writes is lost for the other, and for both where they meet. */
#include <stdlib.h>
#include <string.h>

#include "cc/debug.h"

static uint32_t words(const struct cc_debug *d)
{
    return (uint32_t)d->variable_count + CC_MACHINE + 1; /* the last: the block has been reached */
}

static uint32_t machine_of(const struct cc_function *f, uint32_t reg)
{
    return f->machine[reg] + (f->is_vector[reg] ? 0u : CC_SCALARS);
}

static bool in_register(const struct cc_piece *p)
{
    return p->kind == CC_PIECE_REGISTER || p->kind == CC_PIECE_SUM;
}

/* The number of the location with these pieces. */
static uint32_t intern(struct cc_debug *d, const struct cc_piece *pieces, uint32_t count)
{
    uint32_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash + pieces[i].offset + 3 * pieces[i].size + 5 * pieces[i].kind +
                7 * pieces[i].reg + 11 * (uint32_t)pieces[i].imm) *
               0x9e3779b1u;
    uint32_t *head = &d->by_hash[hash >> 20];
    for (uint32_t i = *head; i; i = d->locations[i - 1].next)
        if (d->locations[i - 1].count == count &&
            (!count ||
             memcmp(d->pieces + d->locations[i - 1].first, pieces, count * sizeof *pieces) == 0))
            return i - 1;
    const struct cc_location new = {(uint32_t)d->piece_count, count, *head};
    for (uint32_t i = 0; i < count; i++)
        CC_DEBUG_ADD(d, piece, pieces[i]);
    const uint32_t number = CC_DEBUG_ADD(d, location, new);
    if (number == CC_NO)
        return 0;
    *head = number + 1;
    return number;
}

/* The pieces of a location that `keep` accepts, copied. */
static uint32_t without(struct cc_debug *d, uint32_t location, uint32_t machine)
{
    struct cc_piece kept[CC_MAX_PIECES];
    const struct cc_location l = d->locations[location];
    uint32_t count = 0;
    for (uint32_t i = 0; i < l.count; i++) {
        const struct cc_piece *p = &d->pieces[l.first + i];
        if (!in_register(p) || p->reg != machine)
            kept[count++] = *p;
    }
    return count == l.count ? location : intern(d, kept, count);
}

static void lose(struct cc_debug *d, uint32_t *now, uint32_t machine, uint32_t holds)
{
    now[d->variable_count + machine] = holds;
    for (uint32_t v = 0; v < d->variable_count; v++)
        if (now[v])
            now[v] = without(d, now[v], machine);
}

static void apply_note(struct cc_function *f, uint32_t *now, const struct cc_note *n)
{
    struct cc_debug *d = f->cc->debug;
    struct cc_piece list[CC_MAX_PIECES];
    uint32_t count = 0;
    bool added = !d->pieces; /* nothing has a place */
    const struct cc_location old = d->locations[now[n->variable]];
    for (uint32_t i = 0; i <= old.count; i++) {
        const struct cc_piece *p = i < old.count ? &d->pieces[old.first + i] : NULL;
        if (!added && (!p || p->offset >= n->from)) {
            added = true;
            for (uint32_t k = 0; k < n->count && count < CC_MAX_PIECES; k++) {
                struct cc_piece new = d->pieces[n->first + k];
                if (in_register(&new)) {
                    const uint32_t reg = new.reg;
                    new.reg = machine_of(f, reg);
                    if (now[d->variable_count + new.reg] != reg + 1)
                        continue;
                }
                list[count++] = new;
            }
        }
        if (p && (p->offset + p->size <= n->from || p->offset >= n->to) && count < CC_MAX_PIECES)
            list[count++] = *p;
    }
    now[n->variable] = intern(d, list, count);
}

static void apply_notes(struct cc_function *f, uint32_t *now, uint32_t notes)
{
    for (; notes; notes = f->cc->debug->notes[notes - 1].next)
        apply_note(f, now, &f->cc->debug->notes[notes - 1]);
}

struct writing {
    struct cc_function *f;
    uint32_t *now;
    uint64_t scalars; /* instead: the scalar registers that are written */
};

static void on_write(void *context, struct cc_opnd *reg, bool write)
{
    struct writing *w = context;
    if (!write)
        return;
    const uint32_t machine = machine_of(w->f, reg->reg);
    if (w->now)
        lose(w->f->cc->debug, w->now, machine, reg->reg + 1);
    else if (machine >= CC_SCALARS)
        w->scalars |= UINT64_C(1) << (machine - CC_SCALARS);
}

/* Variables of one piece follow a copy: where paths meet, the copies for phis have brought the
 * value to one register. */
static void follow(struct cc_function *f, uint32_t *now, const struct cc_insn *copy)
{
    struct cc_debug *d = f->cc->debug;
    const bool constant = copy->a.kind == CC_IMM;
    if (!constant && copy->a.kind != CC_S && copy->a.kind != CC_V)
        return;
    const uint32_t from = constant ? 0 : machine_of(f, copy->a.reg);
    for (uint32_t v = 0; v < d->variable_count; v++) {
        const struct cc_location l = d->locations[now[v]];
        struct cc_piece piece = l.count == 1 ? d->pieces[l.first] : (struct cc_piece){0};
        if (l.count != 1 || copy->a.imm != (constant ? piece.imm : 0) || piece.reg != from ||
            piece.kind != (constant ? CC_PIECE_VALUE : CC_PIECE_REGISTER))
            continue;
        piece = (struct cc_piece){piece.offset, piece.size, CC_PIECE_REGISTER,
                                  machine_of(f, copy->d.reg), 0};
        now[v] = intern(d, &piece, 1);
    }
}

static void apply_insn(struct cc_function *f, uint32_t *now, struct cc_insn *insn)
{
    struct writing w = {.f = f, .now = now};
    const bool copies = insn->form == CC_COPY && insn->d.kind == insn->a.kind &&
                        (insn->d.kind == CC_V || insn->d.kind == CC_S) && !insn->a.imm;
    if (copies && f->machine[insn->d.reg] == f->machine[insn->a.reg])
        now[f->cc->debug->variable_count + machine_of(f, insn->d.reg)] = insn->d.reg + 1;
    else if (insn->form == CC_COPY && (insn->d.kind == CC_V || insn->d.kind == CC_S)) {
        /* those that are overwritten first */
        lose(f->cc->debug, now, machine_of(f, insn->d.reg), insn->d.reg + 1);
        follow(f, now, insn);
    } else
        sam_cc_visit(insn, on_write, &w);
}

/* --- lanes that have parted */

/* Scalar registers that are written from `block` on until `stop`. */
static uint64_t written_until(struct cc_function *f, const uint64_t *writes, uint32_t block,
                              uint32_t stop, uint32_t *list, uint8_t *seen)
{
    uint64_t all = 0;
    uint32_t count = 0, next[2];
    memset(seen, 0, f->block_count);
    seen[stop] = 1;
    if (!seen[block])
        list[count++] = block;
    seen[block] = 1;
    while (count) {
        const uint32_t b = list[--count];
        all |= writes[b];
        for (unsigned i = sam_cc_next(&f->blocks[b], next); i-- > 0;)
            if (!seen[next[i]]) {
                seen[next[i]] = 1;
                list[count++] = next[i];
            }
    }
    return all;
}

/* lost[b][i]: scalars that an edge loses; lost[b][2]: that are lost at the start of the block. */
static bool find_lost(struct cc_function *f, uint64_t (*lost)[3])
{
    uint64_t *writes = sam_alloc(f->block_count, sizeof *writes);
    uint32_t *list = sam_alloc(f->block_count + 2, sizeof *list);
    uint8_t *seen = sam_alloc(f->block_count, 1);
    const bool good = writes && list && seen;
    for (uint32_t b = 0; good && b < f->block_count; b++) {
        struct writing w = {.f = f};
        for (size_t i = 0; i < f->blocks[b].count; i++)
            sam_cc_visit(&f->blocks[b].insns[i], on_write, &w);
        writes[b] = w.scalars;
    }
    for (uint32_t b = 0; good && b < f->block_count; b++) {
        const struct cc_block *s = &f->blocks[b];
        if (s->end != CC_SPLIT)
            continue;
        for (int i = 0; i < 2; i++)
            lost[b][!i] = written_until(f, writes, s->next[i], s->rpc, list, seen);
        lost[s->rpc][2] |= lost[b][0] | lost[b][1];
    }
    free(writes);
    free(list);
    free(seen);
    return good;
}

static void lose_scalars(struct cc_debug *d, uint32_t *now, uint64_t set)
{
    for (; set; set &= set - 1)
        lose(d, now, CC_SCALARS + (uint32_t)__builtin_ctzll(set), 0);
}

/* Keep in `to` what `from` has, too; true: it has changed. */
static bool meet(const struct cc_debug *d, uint32_t *to, const uint32_t *from)
{
    const uint32_t n = words(d);
    bool changed = false;
    if (!to[n - 1]) {
        memcpy(to, from, n * sizeof *to);
        to[n - 1] = 1;
        return true;
    }
    for (uint32_t i = 0; i + 1 < n; i++) {
        changed |= to[i] != from[i] && to[i];
        if (to[i] != from[i])
            to[i] = 0;
    }
    return changed;
}

/* Arguments have their values before the first instruction, too: the first notes of variables that
 * say so hold from the start. */
static void enter(struct cc_function *f, uint32_t *now)
{
    struct cc_debug *d = f->cc->debug;
    const struct cc_block *b = &f->blocks[0];
    uint8_t *seen = sam_alloc(d->variable_count + 1, 1);
    for (size_t i = 0; seen && i <= b->count; i++) {
        uint32_t number = i < b->count ? b->insns[i].notes : b->notes;
        for (; number; number = d->notes[number - 1].next) {
            const struct cc_note *n = &d->notes[number - 1];
            bool argument = n->count && !seen[n->variable];
            seen[n->variable] = 1;
            for (uint32_t k = 0; k < n->count; k++)
                argument &= d->pieces[n->first + k].kind == CC_PIECE_ARGUMENT;
            if (argument)
                apply_note(f, now, n);
        }
    }
    d->failed |= !seen;
    free(seen);
}

static bool solve(struct cc_function *f, uint32_t *now)
{
    struct cc_debug *d = f->cc->debug;
    const uint32_t n = words(d);
    uint64_t(*lost)[3] = sam_alloc(f->block_count, sizeof *lost);
    uint32_t *edge = sam_alloc(n, sizeof *edge);
    bool good = lost && edge && find_lost(f, lost), changed = good;
    if (good) { /* block 0 */
        d->in[n - 1] = 1;
        enter(f, d->in);
    }
    while (changed && !d->failed) {
        changed = false;
        for (uint32_t k = 0; k < f->order_count; k++) {
            const uint32_t b = f->order[k];
            struct cc_block *block = &f->blocks[b];
            uint32_t next[2];
            if (!d->in[(size_t)b * n + n - 1])
                continue;
            memcpy(now, d->in + (size_t)b * n, n * sizeof *now);
            for (size_t i = 0; i < block->count; i++) {
                apply_notes(f, now, block->insns[i].notes);
                apply_insn(f, now, &block->insns[i]);
            }
            apply_notes(f, now, block->notes);
            const unsigned count = sam_cc_next(block, next);
            for (unsigned i = 0; i < count; i++) {
                memcpy(edge, now, n * sizeof *edge);
                if (block->end == CC_SPLIT)
                    lose_scalars(d, edge, lost[b][next[i] == block->next[0] ? 0 : 1]);
                lose_scalars(d, edge, lost[next[i]][2]);
                changed |= meet(d, d->in + (size_t)next[i] * n, edge);
            }
        }
    }
    free(lost);
    free(edge);
    return good;
}

bool sam_cc_locate(struct cc_locating *l, struct cc_function *f)
{
    struct cc_debug *d = f->cc->debug;
    const uint32_t n = words(d);
    *l = (struct cc_locating){.f = f, .d = d};
    intern(d, NULL, 0);
    d->in = sam_alloc((size_t)n * f->block_count, sizeof *d->in);
    l->now = sam_alloc(n, sizeof *l->now);
    l->open = sam_alloc(n, sizeof *l->open);
    l->since = sam_alloc(n, sizeof *l->since);
    if (!d->in || !l->now || !l->open || !l->since || !solve(f, l->now))
        d->failed = true;
    return !d->failed;
}

void sam_cc_locate_block(struct cc_locating *l, uint32_t block)
{
    memcpy(l->now, l->d->in + (size_t)block * words(l->d), words(l->d) * sizeof *l->now);
}

void sam_cc_locate_notes(struct cc_locating *l, uint32_t notes)
{
    apply_notes(l->f, l->now, notes);
}

void sam_cc_locate_insn(struct cc_locating *l, struct cc_insn *insn)
{
    apply_insn(l->f, l->now, insn);
}

void sam_cc_locate_mark(struct cc_locating *l, struct sam_buffer *out, uint32_t scope)
{
    struct cc_debug *d = l->d;
    uint32_t label = 0;
    bool here = scope != l->scope;
    for (uint32_t v = 0; v < d->variable_count && !here; v++)
        here = l->now[v] != l->open[v];
    if (!here)
        return;
    label = d->cc->label++;
    sam_buffer_printf(out, ".Ld%u:\n", label);
    for (uint32_t v = 0; v < d->variable_count; v++) {
        if (l->now[v] == l->open[v])
            continue;
        if (l->open[v])
            CC_DEBUG_ADD(d, range, (struct cc_range){v, l->open[v], l->since[v], label});
        l->open[v] = l->now[v];
        l->since[v] = label;
    }
    if (scope != l->scope && l->scope)
        CC_DEBUG_ADD(d, run, (struct cc_range){l->scope - 1, 0, l->scope_since, label});
    if (scope != l->scope)
        l->scope_since = label;
    l->scope = scope;
}

void sam_cc_locate_end(struct cc_locating *l, struct sam_buffer *out)
{
    memset(l->now, 0, l->d->variable_count * sizeof *l->now);
    sam_cc_locate_mark(l, out, 0);
    free(l->now);
    free(l->open);
    free(l->since);
}
