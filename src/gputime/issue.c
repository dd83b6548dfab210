/* SPDX-License-Identifier: Apache-2.0 */
/* Issue: one ready warp per stream issues its next instruction. */
#include "gputime/model.h"

static struct collector *free_collector(const struct model *m, struct sm *sm)
{
    uint64_t first = NEVER;
    for (uint64_t set = sm->all_collectors & ~sm->used; set; set &= set - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(set);
        if (sm->free_from[i] <= m->now)
            return &sm->collectors[i];
        first = sm->free_from[i] < first ? sm->free_from[i] : first;
    }
    wake_at(sm, first);
    return NULL;
}

static void note_flow(const struct model *m, struct warp *w)
{
    switch (w->trait->flow) {
    case SAM_FLOW_BRANCH:
    case SAM_FLOW_SPLIT:
    case SAM_FLOW_JOIN: w->unresolved = true; break;
    case SAM_FLOW_BARRIER:
    case SAM_FLOW_PAUSE:
        w->barrier |= w->trait->flow == SAM_FLOW_BARRIER;
        if (m->config.barrier_blocks) {
            w->barrier_from = m->now;
            w->barrier_until = NEVER;
        }
        break;
    case SAM_FLOW_FENCE:
        w->fenced = true;
        w->fences++;
        break;
    case SAM_FLOW_END: break;
    default: w->unresolved = w->op.next_pc != w->op.pc + 4; break;
    }
}

/* groups_wait: if the next instruction starts a new fetch group, record the registers of this one.
 */
static void note_group(const struct model *m, struct warp *w)
{
    const uint32_t bytes = 4 * m->config.fetch_width;
    const bool jumps = w->op.next_pc != w->op.pc + 4;
    if (!m->config.groups_wait)
        return;
    if (w->op.pc % bytes == 0) {
        const struct code *code = w->code;
        w->lead_count = code->watched_count;
        memcpy(w->lead, code->watched, code->watched_count * sizeof w->lead[0]);
        if (code->dest != NO_REGISTER)
            w->lead[w->lead_count++] = code->dest;
    }
    w->taken = jumps || w->op.next_pc % bytes != 0;
    w->lead_count = jumps ? 0 : w->lead_count;
}

static void issue(struct model *m, struct sm *sm, struct warp *w, struct collector *c)
{
    const struct trait *t = w->trait;
    const uint32_t slot = (uint32_t)(w - sm->warps);
    struct inflight *f = c->inflight = sam_gputime_new_inflight(sm);
    if (!f) {
        m->out_of_memory = true;
        return;
    }
    /* assigned field by field: clearing the struct is slower */
    f->record.number = m->next_number++;
    f->record.sm = sm->number;
    f->record.slot = slot;
    f->record.workgroup = w->workgroup;
    f->record.warp = w->warp;
    f->record.pc = w->op.pc;
    f->record.insn = w->op.insn;
    f->record.acting = w->op.acting;
    f->record.unit = (enum sam_gputime_unit)t->unit;
    f->record.fetched = sam_gputime_fetched(w);
    f->record.issued = m->now;
    f->record.executed = f->record.done = f->record.written = 0;
    f->record.waited = w->waited;
    f->trait = t;
    f->row = w->row;
    f->access = NULL;
    f->next_pc = w->op.next_pc;
    f->generation = w->generation;
    f->dest = w->code->dest;
    f->pair = w->op.insn->pair;
    sam_gputime_collect(m, sm, c, w);
    w->collector = (uint32_t)(c - sm->collectors);
    if (t->unit == SAM_GPUTIME_LSU) {
        w->accesses++;
        if (!m->config.memory_perfect)
            f->access = sam_gputime_coalesce(m, sm, t, &w->op);
    }
    if (w->code->dest != NO_REGISTER)
        sam_gputime_mark(w, w->code->dest, w->op.insn->pair, t->load);
    note_flow(m, w);
    sm->last_issue = m->now + 1;
    w->collecting++;
    m->result->insns++;
    m->result->counted_insns++;
    sm->stats->insns++;
    w->row->issues++;
    w->row->lanes +=
        t->stream && t->unit != SAM_GPUTIME_WARPS ? (unsigned)__builtin_popcount(w->op.acting) : 1;
    sam_gputime_warp(m, sm, w, SAM_GPUTIME_BUSY);
    note_group(m, w);
    sam_gputime_consume(w);
    sam_gputime_pull(m, w);
    sam_gputime_note_room(m, sm, w);
}

/* Round robin: the first warp of the set from `next` on. */
static uint32_t choose_warp(uint32_t set, uint32_t next)
{
    const uint32_t from = set & (UINT32_MAX << next);
    return (uint32_t)__builtin_ctz(from ? from : set);
}

/* Whether a collector was free before the issue of the previous cycle. */
static bool had_room(const struct model *m, const struct sm *sm)
{
    if (sm->last_issue == m->now)
        return true;
    for (uint64_t set = sm->all_collectors & ~sm->used; set; set &= set - 1)
        if (sm->free_from[__builtin_ctzll(set)] < m->now)
            return true;
    return false;
}

/* Issue an instruction of the stream. `room`: with issue_early, whether one can be chosen in this
 * cycle. Returns the reasons of the stream as a set of ranks. */
static uint32_t issue_one(struct model *m, struct sm *sm, unsigned stream, bool room)
{
    struct collector *c = free_collector(m, sm);
    struct warp *w = sm->chosen[stream];
    if (!w && (m->config.issue_early ? room : c != NULL))
        w = &sm->warps[choose_warp(sm->can_issue[stream], sm->next_warp[stream])];
    sm->chosen[stream] = c ? NULL : w;
    const bool issues = c && w;
    const enum sam_gputime_reason left = issues ? SAM_GPUTIME_ARBITER : SAM_GPUTIME_COLLECTOR;
    if (c)
        wake_at(sm, m->now + 1);
    if (issues) {
        const uint32_t i = (uint32_t)(w - sm->warps);
        issue(m, sm, w, c);
        sm->can_issue[stream] &= ~(1u << i);
        sm->checked &= ~(1u << i);
        sm->next_warp[stream] = i + 1 == m->config.warps ? 0 : i + 1;
        sm->stats->uses[stream ? SAM_GPUTIME_ISSUE_V : SAM_GPUTIME_ISSUE_X]++;
    }
    for (uint32_t set = sm->can_issue[stream]; set; set &= set - 1) {
        struct warp *other = &sm->warps[__builtin_ctz(set)];
        other->waited = left;
        sam_gputime_warp(m, sm, other, left);
    }
    return 1u << sam_gputime_rank(issues ? SAM_GPUTIME_BUSY : left);
}

void sam_gputime_issue(struct model *m, struct sm *sm)
{
    sam_gputime_check_issue(m, sm);
    uint32_t all = sm->waits.reasons[NO_STREAM];
    const bool room = m->config.issue_early && had_room(m, sm);
    for (unsigned stream = 0; stream < m->config.issue_streams; stream++) {
        uint32_t reasons = sm->waits.reasons[stream];
        if (sm->can_issue[stream])
            reasons |= issue_one(m, sm, stream, room);
        all |= reasons;
        sam_gputime_unit(m, sm, stream ? SAM_GPUTIME_ISSUE_V : SAM_GPUTIME_ISSUE_X,
                         sam_gputime_nearest(reasons));
    }
    sam_gputime_sm(m, sm, sam_gputime_nearest(all));
}
