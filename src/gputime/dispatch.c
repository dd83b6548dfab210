/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch of workgroups to SMs, the start and end of warps, and barriers. */
#include "gputime/parts.h"

static uint32_t at_most(uint64_t have, uint64_t need, uint32_t most)
{
    return need == 0 || have / need > most ? most : (uint32_t)(have / need);
}

uint32_t sam_gputime_residency(const struct sam_gputime_config *config,
                               const struct sam_gputime_launch *launch,
                               enum sam_gputime_limit *limit)
{
    const uint32_t most = UINT32_MAX;
    const uint32_t fits[SAM_GPUTIME_LIMITS] = {
        [SAM_GPUTIME_BY_GROUPS] = config->groups,
        [SAM_GPUTIME_BY_WARPS] = at_most(config->warps, launch->warps, most),
        [SAM_GPUTIME_BY_SGPRS] =
            config->sgprs ? at_most(config->sgprs, (uint64_t)launch->sgprs * launch->warps, most)
                          : most,
        [SAM_GPUTIME_BY_VGPRS] =
            config->vgprs ? at_most(config->vgprs, (uint64_t)launch->vgprs * launch->warps, most)
                          : most,
        [SAM_GPUTIME_BY_LDS] = at_most(config->lds_bytes, launch->lds_bytes, most),
        [SAM_GPUTIME_BY_LAUNCH] =
            launch->workgroups / config->sms + (launch->workgroups % config->sms != 0),
    };
    *limit = SAM_GPUTIME_BY_LAUNCH;
    for (unsigned i = 0; i < SAM_GPUTIME_LIMITS; i++)
        if (fits[i] < fits[*limit])
            *limit = (enum sam_gputime_limit)i;
    return fits[*limit];
}

/* ------------------------------------------------------------------------------- instructions */

void sam_gputime_pull(struct model *m, struct warp *w)
{
    w->has_op = m->source->next(m->source->context, w->workgroup, w->warp, &w->op);
    while (w->has_op && m->config.fold_prefix && m->traits.of[w->op.insn->op].prefix) {
        m->result->insns++;
        sam_gputime_row(m, w->op.pc)->issues++;
        w->folded++;
        w->has_op = m->source->next(m->source->context, w->workgroup, w->warp, &w->op);
    }
    w->waited = SAM_GPUTIME_BUSY;
    w->cut = !w->has_op && (!w->trait || w->trait->flow != SAM_FLOW_END);
    if (!w->has_op)
        return;
    w->code = sam_gputime_code(m, w->op.pc, w->op.insn);
    w->has_op = w->code != NULL;
    if (w->has_op) {
        w->trait = w->code->trait;
        w->row = w->code->row;
    }
}

/* ------------------------------------------------------------------------------- workgroups */

static bool fits(const struct model *m, const struct sm *sm)
{
    const struct sam_gputime_launch *l = &m->launch;
    return sm->free_groups > 0 && sm->free_warps >= l->warps &&
           sm->free_sgprs >= (uint64_t)l->sgprs * l->warps &&
           sm->free_vgprs >= (uint64_t)l->vgprs * l->warps && sm->free_lds >= l->lds_bytes;
}

/* Allocate the resources of a workgroup, or release them. */
static void take(const struct model *m, struct sm *sm, bool back)
{
    const struct sam_gputime_launch *l = &m->launch;
    const uint64_t sign = back ? UINT64_MAX : 1;
    sm->free_groups -= (uint32_t)sign;
    sm->free_warps -= (uint32_t)sign * l->warps;
    sm->free_sgprs -= sign * l->sgprs * l->warps;
    sm->free_vgprs -= sign * l->vgprs * l->warps;
    sm->free_lds -= sign * l->lds_bytes;
}

static void start_warp(struct model *m, struct sm *sm, struct warp *w, uint64_t at)
{
    w->resident = true;
    w->ended = false;
    w->generation++;
    w->start = at;
    w->has_op = false;
    w->trait = NULL;
    w->folded = 0;
    w->unresolved = w->barrier = w->fenced = false;
    w->issue_from = w->fence_until = 0;
    w->barrier_from = w->barrier_until = 0;
    w->fences = 0;
    memset(w->busy, 0, sizeof w->busy);
    memset(w->loading, 0, sizeof w->loading);
    w->outstanding = w->collecting = w->accesses = w->in_lsu = 0;
    w->collected = 0;
    w->taken = true;
    w->lead_count = 0;
    sam_gputime_pull(m, w);
    if (w->has_op && m->config.skip_first) {
        m->result->insns++;
        w->row->issues++;
        w->folded = 0; /* its prefix is skipped as well */
        w->trait = NULL;
        sam_gputime_pull(m, w);
    }
    const uint32_t first = w->has_op ? w->op.pc : m->launch.start_pc;
    sam_gputime_start_fetch(m, sm, w, at + m->config.start_latency, first - 4 * w->folded);
    sm->resident_set |= 1u << (w - sm->warps);
    w->waits_for = EVENTS;
    recheck(sm, w, EVENT_FLOW);
    sm->stats->warps++;
    sam_gputime_warp(m, sm, w, SAM_GPUTIME_START);
}

static void start_group(struct model *m, struct sm *sm, uint32_t workgroup)
{
    uint32_t slot = 0, warp = 0;
    while (sm->groups[slot].used)
        slot++;
    sm->groups[slot] =
        (struct group){.used = true, .workgroup = workgroup, .live = m->launch.warps};
    sm->all.live += m->launch.warps;
    take(m, sm, false);
    sm->stats->groups++;
    for (uint32_t i = 0; i < m->config.warps && warp < m->launch.warps; i++) {
        struct warp *w = &sm->warps[i];
        if (w->resident || w->free_from > m->now)
            continue;
        w->group = slot;
        w->workgroup = workgroup;
        w->warp = warp;
        const uint64_t start = m->now + (uint64_t)warp * m->config.warp_start_cycles;
        sm->next_start = start > sm->next_start ? start : sm->next_start;
        start_warp(m, sm, w, sm->next_start);
        sm->next_start += m->config.warp_start_cycles;
        warp++;
    }
    wake_at(sm, m->now);
}

static void wait_for_release(struct model *m, uint64_t at)
{
    m->next_release = at < m->next_release ? at : m->next_release;
}

/* Release the resources of workgroups that ended before this cycle. */
static void release(struct model *m)
{
    if (m->now < m->next_release)
        return;
    m->next_release = NEVER;
    for (uint32_t i = 0; i < m->config.sms; i++)
        for (uint32_t k = 0; k < m->config.groups; k++) {
            struct group *group = &m->sms[i].groups[k];
            if (!group->used || group->live > 0)
                continue;
            if (group->free_from > m->now) {
                wait_for_release(m, group->free_from);
                continue;
            }
            group->used = false;
            take(m, &m->sms[i], true);
            if (m->next_dispatch == NEVER)
                m->next_dispatch = m->now;
        }
}

/* The last workgroup has ended. */
static void end_launch(struct model *m)
{
    m->limit = m->launch.workgroups ? m->last_end + 1 : 0;
    if (m->memory)
        sam_memtime_end(m->memory, m->limit);
}

/* End the launch before the next workgroup, which has not run. */
static void truncate_launch(struct model *m)
{
    m->launch.workgroups = m->next_group;
    if (m->ended_groups == m->launch.workgroups)
        end_launch(m);
}

void sam_gputime_dispatch(struct model *m)
{
    release(m);
    if (m->next_group == m->launch.workgroups || m->now < m->next_dispatch)
        return;
    for (uint32_t i = 0; i < m->config.sms; i++) {
        struct sm *sm = &m->sms[(m->next_sm + i) % m->config.sms];
        if (!fits(m, sm))
            continue;
        if (m->source->starts && !m->source->starts(m->source->context, m->next_group)) {
            truncate_launch(m);
            return;
        }
        start_group(m, sm, m->next_group++);
        m->next_sm = (sm->number + 1) % m->config.sms;
        m->next_dispatch = m->now + m->config.dispatch_cycles;
        return;
    }
    m->next_dispatch = NEVER; /* until the next release */
}

static void end_group(struct model *m, struct sm *sm, struct group *group, uint64_t at)
{
    for (uint32_t i = 0; i < m->config.warps; i++) {
        struct warp *w = &sm->warps[i];
        if (!w->resident || &sm->groups[w->group] != group)
            continue;
        w->resident = false;
        w->free_from = at + 1;
        w->row = NULL;
        sm->resident_set &= ~(1u << i);
        sm->waits.left = true;
        sam_gputime_warp(m, sm, w, SAM_GPUTIME_EMPTY);
        if (m->observer->stay) {
            const struct sam_gputime_stay stay = {sm->number, i,        w->workgroup,
                                                  w->warp,    w->start, at + 1};
            m->observer->stay(m->observer->context, &stay);
        }
    }
    group->free_from = at + 1;
    wait_for_release(m, group->free_from);
    if (m->source->ended)
        m->source->ended(m->source->context, group->workgroup);
    m->last_end = at > m->last_end ? at : m->last_end;
    if (++m->ended_groups == m->launch.workgroups)
        end_launch(m);
}

/* ------------------------------------------------------------------------------- barriers */

/* The warps that a barrier synchronizes. */
static struct group *barrier_group(const struct model *m, struct sm *sm, const struct warp *w)
{
    return m->config.barrier_sm ? &sm->all : &sm->groups[w->group];
}

/* If all live warps have arrived, release them from cycle `from` on. */
static void check_barrier(struct model *m, struct sm *sm, struct group *group, uint64_t from)
{
    if (group->arrived == 0 || group->arrived < group->live)
        return;
    group->arrived = 0;
    for (uint32_t i = 0; i < m->config.warps; i++) {
        struct warp *w = &sm->warps[i];
        if (!w->resident || !w->barrier || barrier_group(m, sm, w) != group)
            continue;
        recheck(sm, w, EVENT_FLOW);
        w->barrier = false;
        w->barrier_until = from;
    }
    wake_at(sm, from > m->now ? from : m->now + 1);
}

void sam_gputime_arrive(struct model *m, struct sm *sm, const struct warp *w, uint64_t at)
{
    struct group *group = barrier_group(m, sm, w);
    group->arrived++;
    group->last_arrival = at;
    check_barrier(m, sm, group, at + m->config.barrier_latency);
}

void sam_gputime_end_warp(struct model *m, struct sm *sm, struct warp *w, uint64_t at)
{
    struct group *group = &sm->groups[w->group], *met = barrier_group(m, sm, w);
    w->ended = true;
    w->redirect = NEVER;
    sm->roomy &= ~(1u << (w - sm->warps));
    sm->redirected &= ~(1u << (w - sm->warps));
    group->live--;
    sm->all.live--;
    if (group->live == 0)
        end_group(m, sm, group, at);
    check_barrier(m, sm, met,
                  met->last_arrival < m->now ? m->now
                                             : met->last_arrival + m->config.barrier_latency);
}
