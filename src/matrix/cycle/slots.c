/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction slots and the registers that they hold. An instruction is granted its registers when
 * no older instruction needs them. Multiplications may share an accumulator, whose hazards are
 * tracked per block (execute.c). */
#include "matrix/cycle/state.h"

static unsigned set_of(unsigned reg, unsigned count)
{
    return ((1u << count) - 1) << reg;
}

static void set_moves(struct sam_mxu *x, struct slot *s)
{
    struct moves *m = s->moves;
    s->total = sam_mxu_split_moves(&s->work, x->config.mlen / 32, x->config.mlen / 8, m->of);
    memset(m->answered, 0, s->total * sizeof m->answered[0]);
    memset(m->request_at, 0, s->total * sizeof m->request_at[0]);
    m->settled = 0;
    m->low = UINT64_MAX;
    m->high = 0;
    for (unsigned i = 0; i < s->total; i++) {
        const uint64_t line = SAM_MXU_LINE_OF(m->of[i].address);
        m->answered[i] = m->of[i].zero; /* there is no request */
        if (m->of[i].zero)
            continue;
        m->low = line < m->low ? line : m->low;
        m->high = line > m->high ? line : m->high;
    }
}

static void set_registers(struct slot *s)
{
    const struct sam_matrix_work *w = &s->work;
    const unsigned held = set_of(w->md, w->registers);
    if (w->kind == SAM_M_KIND_STORE)
        s->reads = held;
    else
        s->writes = held;
    if (w->reads_1)
        s->reads |= set_of(w->ms1, 1);
    if (w->reads_2)
        s->reads |= set_of(w->ms2, w->source_registers);
}

struct slot *sam_mxu_take_slot(struct sam_mxu *x, const struct sam_matrix_work *work)
{
    struct slot *s = x->slots;
    while (s->used)
        s++;
    s->granted = false;
    s->number = x->next_number;
    s->accepted = x->now;
    s->work = *work;
    s->reads = s->writes = 0;
    s->issued = s->finished = 0;
    s->released = s->done = NEVER;
    s->waited = SAM_MXU_EMPTY;
    set_registers(s);
    switch (work->kind) {
    case SAM_M_KIND_MMA: s->total = sam_mxu_mma_count(&x->config, work); break;
    case SAM_M_KIND_POINTWISE: s->total = x->config.mlen / 32; break;
    default: set_moves(x, s); break;
    }
    return s;
}

void sam_mxu_use_slot(struct sam_mxu *x, struct slot *s)
{
    s->used = true;
    x->used++;
    x->loads_and_stores += s->work.kind <= SAM_M_KIND_STORE;
    x->pending[s->work.kind]++;
    x->next[s->work.kind] = NULL;
}

static bool conflict(const struct sam_mxu *x, const struct slot *s, const struct slot *older)
{
    const unsigned reads = x->now < older->released ? older->reads : 0;
    const bool shared = s->work.kind == SAM_M_KIND_MMA && older->work.kind == SAM_M_KIND_MMA;
    return (s->reads & older->writes) || (s->writes & reads) ||
           (!shared && (s->writes & older->writes));
}

void sam_mxu_grant(struct sam_mxu *x)
{
    struct slot *const end = x->slots + x->config.slots;
    x->wake = NEVER;
    x->moved = true;
    memset(x->next, 0, sizeof x->next);
    for (struct slot *s = x->slots; s < end; s++) {
        if (s->used && x->now >= s->done) {
            s->used = false;
            x->used--;
            x->loads_and_stores -= s->work.kind <= SAM_M_KIND_STORE;
        }
        if (!s->used)
            continue;
        x->wake = s->done < x->wake ? s->done : x->wake;
        if (s->released > x->now && s->released < x->wake)
            x->wake = s->released;
    }
    for (struct slot *s = x->slots; s < end; s++) {
        if (!s->used || s->granted)
            continue;
        s->granted = true;
        for (const struct slot *o = x->slots; o < end; o++)
            if (o->used && o->number < s->number && conflict(x, s, o))
                s->granted = false;
    }
}

/* The next instruction of a kind with uops to issue. */
static struct slot *choose(struct sam_mxu *x, enum sam_m_kind kind)
{
    const bool any_order = kind != SAM_M_KIND_MMA;
    struct slot *best = NULL;
    for (struct slot *s = x->slots; s < x->slots + x->config.slots; s++) {
        if (!s->used || s->work.kind != kind || s->issued == s->total)
            continue;
        const bool better =
            !best ||
            (any_order && s->granted != best->granted ? s->granted : s->number < best->number);
        best = better ? s : best;
    }
    return best;
}

struct slot *sam_mxu_next(struct sam_mxu *x, enum sam_m_kind kind)
{
    if (x->pending[kind] == 0)
        return NULL;
    if (!x->next[kind])
        x->next[kind] = choose(x, kind);
    return x->next[kind];
}

void sam_mxu_note_issue(struct sam_mxu *x, struct slot *s)
{
    if (s->issued++ == 0)
        s->started = x->now;
    if (s->issued == s->total) {
        s->released = x->now + 1;
        x->pending[s->work.kind]--;
        x->next[s->work.kind] = NULL;
        x->wake = x->now + 1;
    }
}

static void report_uop(struct sam_mxu *x, const struct slot *s, unsigned uop, uint64_t written)
{
    const bool move = s->work.kind <= SAM_M_KIND_STORE;
    struct sam_mxu_record record = {
        .instruction = s->number,
        .pc = s->pc,
        .word = s->word,
        .kind = s->work.kind,
        .uop = uop,
        .uops = s->total,
        .accepted = s->accepted,
        .issued = move ? s->moves->issued_at[uop] : x->now,
        .request = move ? s->moves->request_at[uop] : 0,
        .written = written,
        .waited = s->waited,
    };
    if (move)
        record.move = s->moves->of[uop];
    else if (s->work.kind == SAM_M_KIND_MMA)
        record.mma = sam_mxu_split_mma(&x->config, &s->work, uop);
    x->observer.uop(x->observer.context, &record);
}

void sam_mxu_finish(struct sam_mxu *x, struct slot *s, unsigned uop, uint64_t written)
{
    if (x->observer.uop)
        report_uop(x, s, uop, written);
    s->finished++;
    if (s->finished == s->total) {
        const struct sam_mxu_outside *o = &x->outside;
        s->done = written + 1;
        x->wake = s->done < x->wake ? s->done : x->wake;
        if (o->worked)
            o->worked(o->context, s->order, &s->work, s->accepted, s->started, s->done);
    }
}
