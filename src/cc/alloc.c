/* SPDX-License-Identifier: Apache-2.0 */
/* Registers. Where a virtual register is alive is known exactly, block by block; those that are
 * used most, by loops, choose first, and take the lowest register that is free wherever they live:
 * numbers above 31 cost a prefix. A vector register is written in active lanes only, so the lanes
 * of one side of a branch cannot disturb those of the other. A scalar one is shared: what one side
 * reads must survive the other, so it counts as alive until the two meet. */
#include <stdlib.h>
#include <string.h>

#include "cc/debug.h"

enum { V_COUNT = 256, S_COUNT = 64, REGS = V_COUNT + S_COUNT, RESERVED_T1 = 6 };

struct segment {
    uint32_t start, end, next;
};

struct alloc {
    struct cc_function *f;
    uint32_t *shared;   /* of each register: its bit in a set, if several blocks need it */
    uint32_t *reg_of;   /* of each bit */
    uint32_t words;     /* of a set */
    uint64_t *in, *out; /* sets of each block */
    uint32_t *first;    /* position of each block */
    uint32_t positions;
    struct segment *segments;
    size_t segment_count, segment_room;
    uint32_t *head; /* of each register */
    uint32_t *open;
    float *weight;
    uint32_t *partner; /* heads of copies, two links each */
    struct link {
        uint32_t reg, next;
    } * links;
    size_t link_count, link_room;
    uint64_t *taken; /* REGS sets of positions */
    size_t taken_words;
    uint8_t *keep; /* must have a register */
    uint32_t spilled;
    struct cc_spill *spills;
};

void sam_cc_visit(struct cc_insn *insn, cc_visit *visit, void *context)
{
    struct cc_opnd *reads[] = {&insn->a, &insn->b, &insn->c, &insn->e};
    const bool d = insn->d.kind == CC_S || insn->d.kind == CC_V;
    if (d && insn->form != CC_STORE)
        visit(context, &insn->d, true);
    for (int i = 0; i < CC_TEMPS; i++)
        if (insn->t[i].kind)
            visit(context, &insn->t[i], true);
    for (size_t i = 0; i < SAM_COUNT(reads); i++)
        if (reads[i]->kind == CC_S || reads[i]->kind == CC_V)
            visit(context, reads[i], false);
    if (d && (insn->form == CC_STORE || insn->form == CC_ACC))
        visit(context, &insn->d, false);
}

/* Registers that the end of a block reads. */
static void visit_end(struct cc_block *b, cc_visit *visit, void *context)
{
    struct cc_opnd *reads[] = {&b->a, &b->b, &b->address};
    if (b->end == CC_BRANCH || b->end == CC_SPLIT)
        for (size_t i = 0; i < SAM_COUNT(reads); i++)
            if (reads[i]->kind == CC_S || reads[i]->kind == CC_V)
                visit(context, reads[i], false);
}

static void add(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* --- code that nothing needs */
static void count_use(void *context, struct cc_opnd *reg, bool write)
{
    uint32_t *uses = context;
    uses[reg->reg] += !write;
}

static void drop_use(void *context, struct cc_opnd *reg, bool write)
{
    uint32_t *uses = context;
    uses[reg->reg] -= !write;
}

static bool drop_dead(struct cc_function *f)
{
    uint32_t *uses = sam_alloc(f->reg_count + 1, sizeof *uses);
    if (!uses)
        return false;
    for (uint32_t b = 0; b < f->block_count; b++) {
        for (size_t i = 0; i < f->blocks[b].count; i++)
            sam_cc_visit(&f->blocks[b].insns[i], count_use, uses);
        visit_end(&f->blocks[b], count_use, uses);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = f->order_count; k-- > 0;) {
            struct cc_block *b = &f->blocks[f->order[k]];
            bool mask = false;
            for (size_t i = b->count; i-- > 0;) {
                struct cc_insn *insn = &b->insns[i];
                const uint32_t self = insn->form == CC_ACC;
                const bool to_mask = insn->d.kind == CC_V0;
                const bool needed = insn->effect || (to_mask ? mask : uses[insn->d.reg] > self);
                if (needed || insn->form == CC_FORMS) {
                    mask = insn->form == CC_MASKED || (mask && !to_mask);
                    continue;
                }
                sam_cc_visit(insn, drop_use, uses);
                *insn = (struct cc_insn){.form = CC_FORMS, .notes = insn->notes};
                changed = true;
            }
        }
    }
    for (uint32_t k = 0; k < f->block_count; k++) {
        struct cc_block *b = &f->blocks[k];
        size_t kept = 0;
        uint32_t notes = 0;
        for (size_t i = 0; i < b->count; i++) {
            notes = sam_cc_debug_join(f, notes, b->insns[i].notes);
            if (b->insns[i].form == CC_FORMS)
                continue;
            b->insns[kept] = b->insns[i];
            b->insns[kept++].notes = notes;
            notes = 0;
        }
        b->count = kept;
        b->notes = sam_cc_debug_join(f, notes, b->notes);
    }
    free(uses);
    return true;
}

/* --- liveness */
struct live {
    const uint32_t *shared;
    uint64_t *set;
};

static void remove_write(void *context, struct cc_opnd *reg, bool write)
{
    const struct live *l = context;
    const uint32_t bit = l->shared[reg->reg];
    if (write && bit != CC_NO)
        l->set[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

static void add_read(void *context, struct cc_opnd *reg, bool write)
{
    const struct live *l = context;
    if (!write && l->shared[reg->reg] != CC_NO)
        add(l->set, l->shared[reg->reg]);
}

/* Most registers are needed in one block only, which writes them first: they are in no set. */
struct sharing {
    uint32_t *shared, block;
    bool writes; /* are looked at, rather than reads */
};
#define SEVERAL (CC_NO - 1)

static void share(void *context, struct cc_opnd *reg, bool write)
{
    struct sharing *s = context;
    uint32_t *of = &s->shared[reg->reg];
    if (write == s->writes && *of != s->block)
        *of = *of == CC_NO && write ? s->block : SEVERAL;
}

static bool find_shared(struct alloc *a)
{
    struct cc_function *f = a->f;
    uint32_t count = 0;
    a->shared = sam_alloc(f->reg_count + 1, sizeof *a->shared);
    a->reg_of = sam_alloc(f->reg_count + 1, sizeof *a->reg_of);
    if (!a->shared || !a->reg_of)
        return false;
    memset(a->shared, 0xff, f->reg_count * sizeof *a->shared);
    for (uint32_t k = 0; k < f->order_count; k++) {
        struct sharing s = {.shared = a->shared, .block = f->order[k]};
        struct cc_block *b = &f->blocks[s.block];
        for (size_t i = 0; i < 2 * b->count; i++) {
            s.writes = i % 2;
            sam_cc_visit(&b->insns[i / 2], share, &s);
        }
        s.writes = false;
        visit_end(b, share, &s);
    }
    for (uint32_t r = 0; r < f->reg_count; r++) {
        const bool several = a->shared[r] == SEVERAL;
        a->shared[r] = several ? count : CC_NO;
        a->reg_of[count] = r;
        count += several;
    }
    a->words = count / 64 + 1;
    return true;
}

static void add_scalars(const struct alloc *a, uint64_t *to, const uint64_t *from)
{
    for (uint32_t w = 0; w < a->words; w++)
        for (uint64_t left = from[w]; left; left &= left - 1) {
            const uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (!a->f->is_vector[a->reg_of[bit]])
                add(to, bit);
        }
}

static bool find_live(struct alloc *a)
{
    struct cc_function *f = a->f;
    const size_t size = (size_t)a->words * f->block_count;
    uint64_t *meet = sam_alloc(size + 1, sizeof *meet), *set = sam_alloc(a->words, sizeof *set);
    struct live live = {a->shared, set};
    if (!meet || !set) {
        free(meet);
        free(set);
        return false;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = f->order_count; k-- > 0;) {
            const uint32_t b = f->order[k];
            struct cc_block *block = &f->blocks[b];
            uint64_t *out = a->out + (size_t)b * a->words, *in = a->in + (size_t)b * a->words;
            uint32_t next[2];
            for (unsigned i = sam_cc_next(block, next); i-- > 0;)
                for (uint32_t w = 0; w < a->words; w++)
                    out[w] |= a->in[(size_t)next[i] * a->words + w];
            memcpy(set, out, a->words * sizeof *set);
            visit_end(block, add_read, &live);
            for (size_t i = block->count; i-- > 0;) {
                sam_cc_visit(&block->insns[i], remove_write, &live);
                sam_cc_visit(&block->insns[i], add_read, &live);
            }
            for (uint32_t w = 0; w < a->words; w++) {
                set[w] |= meet[(size_t)b * a->words + w];
                changed |= set[w] != in[w];
                in[w] = set[w];
            }
            if (block->end == CC_SPLIT)
                for (int i = 0; i < 2; i++)
                    add_scalars(a, meet + (size_t)block->rpc * a->words,
                                a->in + (size_t)block->next[i] * a->words);
        }
    }
    free(meet);
    free(set);
    return true;
}

/* --- segments */
struct walk {
    struct alloc *a;
    uint32_t at;
    float weight;
    bool early;
};

/* Blocks come in the order of their positions, so a value that lives on through several has one
 * segment. */
static void add_segment(struct alloc *a, uint32_t reg, uint32_t start, uint32_t end)
{
    if (a->head[reg] != CC_NO && a->segments[a->head[reg]].end == start) {
        a->segments[a->head[reg]].end = end;
        return;
    }
    struct segment *grown =
        sam_grow(a->segments, a->segment_count, &a->segment_room, sizeof *grown);
    if (!grown) {
        a->f->failed = true;
        return;
    }
    a->segments = grown;
    a->segments[a->segment_count] = (struct segment){start, end, a->head[reg]};
    a->head[reg] = (uint32_t)a->segment_count++;
}

static void end_at_write(void *context, struct cc_opnd *reg, bool write)
{
    struct walk *w = context;
    struct alloc *a = w->a;
    if (!write)
        return;
    const uint32_t start = w->early ? w->at : w->at + 1;
    const uint32_t end = a->open[reg->reg] ? a->open[reg->reg] : w->at + 2;
    add_segment(a, reg->reg, start, end > start ? end : start + 1);
    a->open[reg->reg] = 0;
    a->weight[reg->reg] += w->weight;
}

static void begin_at_read(void *context, struct cc_opnd *reg, bool write)
{
    struct walk *w = context;
    if (write)
        return;
    if (!w->a->open[reg->reg])
        w->a->open[reg->reg] = w->early ? w->at + 2 : w->at + 1;
    w->a->weight[reg->reg] += w->weight;
}

static void add_link(struct alloc *a, uint32_t from, uint32_t to)
{
    struct link *grown = sam_grow(a->links, a->link_count, &a->link_room, sizeof *grown);
    if (!grown) {
        a->f->failed = true;
        return;
    }
    a->links = grown;
    a->links[a->link_count] = (struct link){to, a->partner[from]};
    a->partner[from] = (uint32_t)a->link_count++;
}

static void find_segments(struct alloc *a)
{
    struct cc_function *f = a->f;
    for (uint32_t k = 0; k < f->order_count; k++) {
        const uint32_t b = f->order[k];
        struct cc_block *block = &f->blocks[b];
        const uint64_t *out = a->out + (size_t)b * a->words, *in = a->in + (size_t)b * a->words;
        const uint32_t first = a->first[b], last = first + 2 * (uint32_t)block->count + 2;
        struct walk w = {.a = a, .at = last - 2, .weight = 1};
        for (uint32_t depth = sam_cc_depth(f, b); depth > 0 && w.weight < 1e6f; depth--)
            w.weight *= 8;
        for (uint32_t i = 0; i < a->words; i++)
            for (uint64_t left = out[i]; left; left &= left - 1)
                a->open[a->reg_of[i * 64 + (uint32_t)__builtin_ctzll(left)]] = last;
        visit_end(block, begin_at_read, &w);
        for (size_t i = block->count; i-- > 0;) {
            struct cc_insn *insn = &block->insns[i];
            w.at -= 2;
            w.early = insn->early;
            sam_cc_visit(insn, end_at_write, &w);
            sam_cc_visit(insn, begin_at_read, &w);
            for (int t = 0; t < CC_TEMPS; t++)
                if (insn->t[t].kind == CC_S || insn->t[t].kind == CC_V)
                    a->keep[insn->t[t].reg] = 1;
            if (insn->form == CC_COPY && insn->d.kind == insn->a.kind) {
                add_link(a, insn->d.reg, insn->a.reg);
                add_link(a, insn->a.reg, insn->d.reg);
            }
        }
        /* alive at the start, perhaps only because another path will read it */
        for (uint32_t i = 0; i < a->words; i++)
            for (uint64_t left = in[i]; left; left &= left - 1) {
                const uint32_t reg = a->reg_of[i * 64 + (uint32_t)__builtin_ctzll(left)];
                add_segment(a, reg, first, a->open[reg] ? a->open[reg] : first + 1);
                a->open[reg] = 0;
            }
    }
}

/* --- choice */
/* The bits of word `w` of a set that lie in a segment. */
static uint64_t span(const struct segment *s, uint32_t w)
{
    const uint64_t to = s->end - w * 64 < 64 ? (UINT64_C(1) << s->end % 64) - 1 : UINT64_MAX;
    return w == s->start / 64 ? to & UINT64_MAX << s->start % 64 : to;
}

static bool is_free(const struct alloc *a, uint32_t machine, uint32_t reg)
{
    const uint64_t *taken = a->taken + machine * a->taken_words;
    for (uint32_t i = a->head[reg]; i != CC_NO; i = a->segments[i].next) {
        const struct segment *s = &a->segments[i];
        for (uint32_t w = s->start / 64; w * 64 < s->end; w++)
            if (taken[w] & span(s, w))
                return false;
    }
    return true;
}

static void take(struct alloc *a, uint32_t machine, uint32_t reg)
{
    uint64_t *taken = a->taken + machine * a->taken_words;
    for (uint32_t i = a->head[reg]; i != CC_NO; i = a->segments[i].next)
        for (uint32_t w = a->segments[i].start / 64; w * 64 < a->segments[i].end; w++)
            taken[w] |= span(&a->segments[i], w);
}

/* The `i`th register to try: of vectors all but v0; of scalars those that nothing else needs. */
static uint32_t candidate(bool vector, uint32_t i)
{
    static const uint8_t scalars[] = {5,  7, 28, 29, 30, 31, 10, 11, 12, 13, 14, 15, 16,
                                      17, 8, 9,  18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
    if (vector)
        return i + 1 < V_COUNT ? i + 1 : CC_NO;
    if (i < SAM_COUNT(scalars))
        return scalars[i];
    return 32 + i - SAM_COUNT(scalars) < S_COUNT ? 32 + i - (uint32_t)SAM_COUNT(scalars) : CC_NO;
}

static void choose(struct alloc *a, uint32_t reg, const uint8_t *assigned)
{
    struct cc_function *f = a->f;
    const bool vector = f->is_vector[reg];
    const uint32_t base = vector ? 0 : V_COUNT;
    uint32_t machine = CC_NO;
    for (uint32_t l = a->partner[reg]; l != CC_NO && machine == CC_NO; l = a->links[l].next) {
        const uint32_t with = a->links[l].reg;
        if (assigned[with] && is_free(a, base + f->machine[with], reg))
            machine = f->machine[with];
    }
    for (uint32_t i = 0, next; machine == CC_NO && (next = candidate(vector, i)) != CC_NO; i++)
        if (is_free(a, base + next, reg))
            machine = next;
    if (machine == CC_NO) {
        struct cc_spill *spill = &a->spills[reg];
        spill->spilled = true;
        spill->start = UINT32_MAX;
        for (uint32_t s = a->head[reg]; s != CC_NO; s = a->segments[s].next) {
            const struct segment *at = &a->segments[s];
            spill->start = at->start < spill->start ? at->start : spill->start;
            spill->end = at->end > spill->end ? at->end : spill->end;
        }
        a->spilled++;
        return;
    }
    f->machine[reg] = (uint8_t)machine;
    take(a, base + machine, reg);
    if (vector && machine >= f->vgprs)
        f->vgprs = machine + 1;
    if (!vector && machine >= f->sgprs)
        f->sgprs = machine + 1;
}

struct wish {
    float density;
    uint32_t reg;
};

static int by_density(const void *x, const void *y)
{
    const struct wish *a = x, *b = y;
    if (a->density != b->density)
        return a->density > b->density ? -1 : 1;
    return (a->reg > b->reg) - (a->reg < b->reg);
}

static bool choose_all(struct alloc *a)
{
    struct cc_function *f = a->f;
    struct wish *wishes = sam_alloc(f->reg_count + 1, sizeof *wishes);
    uint8_t *assigned = sam_alloc(f->reg_count + 1, 1);
    if (!wishes || !assigned) {
        free(wishes);
        free(assigned);
        return false;
    }
    uint32_t count = 0;
    for (uint32_t r = 0; r < f->reg_count; r++) {
        uint32_t length = 1;
        if (a->head[r] == CC_NO || !a->segments)
            continue;
        for (uint32_t s = a->head[r]; s != CC_NO; s = a->segments[s].next)
            length += a->segments[s].end - a->segments[s].start;
        const float weight = a->spills[r].constant ? a->weight[r] / 2 : a->weight[r];
        wishes[count++] = (struct wish){a->keep[r] ? 1e30f : weight / (float)(length + 8), r};
    }
    qsort(wishes, count, sizeof *wishes, by_density);
    f->vgprs = 1;
    f->sgprs = RESERVED_T1 + 1;
    add(a->taken + (V_COUNT + 10) * a->taken_words, 0); /* the argument buffer, when it starts */
    for (uint32_t i = 0; i < count; i++) {
        choose(a, wishes[i].reg, assigned);
        assigned[wishes[i].reg] = !a->spills[wishes[i].reg].spilled;
    }
    free(wishes);
    free(assigned);
    return true;
}

static void free_all(struct alloc *a)
{
    free(a->shared);
    free(a->reg_of);
    free(a->in);
    free(a->out);
    free(a->first);
    free(a->segments);
    free(a->head);
    free(a->open);
    free(a->weight);
    free(a->partner);
    free(a->links);
    free(a->taken);
}

static bool assign(struct alloc *a)
{
    struct cc_function *f = a->f;
    const uint32_t n = f->reg_count;
    if (!find_shared(a))
        return false;
    const size_t sets = (size_t)a->words * f->block_count;
    a->in = sam_alloc(sets, sizeof *a->in);
    a->out = sam_alloc(sets, sizeof *a->out);
    a->first = sam_alloc(f->block_count, sizeof *a->first);
    a->head = sam_alloc(n + 1, sizeof *a->head);
    a->open = sam_alloc(n + 64, sizeof *a->open);
    a->weight = sam_alloc(n + 1, sizeof *a->weight);
    a->partner = sam_alloc(n + 1, sizeof *a->partner);
    uint8_t *machine = realloc(f->machine, n + 1);
    if (machine)
        f->machine = memset(machine, 0, n + 1);
    if (!a->in || !a->out || !a->first || !a->head || !a->open || !a->weight || !a->partner ||
        !machine)
        return false;
    memset(a->head, 0xff, n * sizeof *a->head);
    memset(a->partner, 0xff, n * sizeof *a->partner);
    for (uint32_t k = 0; k < f->order_count; k++) {
        a->first[f->order[k]] = a->positions;
        a->positions += 2 * (uint32_t)f->blocks[f->order[k]].count + 2;
    }
    a->taken_words = a->positions / 64 + 1;
    a->taken = sam_alloc(REGS * a->taken_words, sizeof *a->taken);
    if (!a->taken || !find_live(a))
        return false;
    find_segments(a);
    return !f->failed && choose_all(a);
}

enum sam_status sam_cc_allocate(struct cc_function *f)
{
    uint32_t scalar_bytes = 0, before = 0;
    if (!sam_cc_flow_order(f))
        return sam_fail_memory(f->cc->error);
    for (int round = 0; round < 16; round++) {
        struct alloc a = {.f = f};
        a.keep = sam_alloc(f->reg_count + 1, 1);
        a.spills = sam_alloc(f->reg_count + 1, sizeof *a.spills);
        for (uint32_t r = before; a.keep && round && r < f->reg_count; r++)
            a.keep[r] = 1;
        before = round ? before : f->reg_count;
        const bool good =
            a.keep && a.spills && drop_dead(f) && sam_cc_constants(f, a.spills) && assign(&a);
        free_all(&a);
        enum sam_status status = good ? SAM_OK : sam_fail_memory(f->cc->error);
        if (good && a.spilled)
            status = sam_cc_spill(f, a.spills, &scalar_bytes);
        free(a.keep);
        free(a.spills);
        if (status != SAM_OK || !a.spilled)
            return status;
        f->spills += a.spilled;
    }
    return sam_cc_refuse(f->cc, f->ref, "kernel '%s': no registers for its values", f->name);
}
