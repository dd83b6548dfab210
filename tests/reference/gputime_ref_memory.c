/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores, caches and memory: rulings 3.4, 8 and 9. */
#include "gputime_ref_machine.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ------------------------------------------------------------------------------- caches */

static void open_cache(struct ref_cache *cache, unsigned sets, unsigned ways)
{
    *cache = (struct ref_cache){sets, ways, calloc((size_t)sets * ways, sizeof(struct ref_line))};
    if (!cache->lines) {
        fprintf(stderr, "gputime_ref: out of memory\n");
        exit(2);
    }
}

static struct ref_line *find_line(struct ref_cache *cache, uint32_t line)
{
    struct ref_line *set = &cache->lines[(size_t)(line % cache->sets) * cache->ways];
    for (unsigned i = 0; i < cache->ways; i++)
        if (set[i].valid && set[i].line == line)
            return &set[i];
    return NULL;
}

/* Insert the line; returns the evicted one. */
static struct ref_line fill_line(struct ref_gpu *g, struct ref_cache *cache, uint32_t line)
{
    struct ref_line *set = &cache->lines[(size_t)(line % cache->sets) * cache->ways];
    struct ref_line *victim = &set[0], old;
    for (unsigned i = 0; i < cache->ways; i++) {
        if (!set[i].valid) {
            victim = &set[i];
            break;
        }
        if (set[i].used_at < victim->used_at)
            victim = &set[i];
    }
    old = *victim;
    *victim = (struct ref_line){true, false, line, ++g->uses};
    return old;
}

static void push(struct ref_queue *queue, struct ref_request request)
{
    assert(queue->count < MOST_REQUESTS);
    queue->requests[queue->count++] = request;
}

static struct ref_request take(struct ref_queue *queue, unsigned at)
{
    struct ref_request request = queue->requests[at];
    for (unsigned i = at + 1; i < queue->count; i++)
        queue->requests[i - 1] = queue->requests[i];
    queue->count--;
    return request;
}

static unsigned icache_line(const struct ref_gpu *g)
{
    return g->c->icache_line_bytes ? g->c->icache_line_bytes : g->c->line_bytes;
}

static unsigned l2_line(const struct ref_gpu *g)
{
    return g->c->l2_line_bytes ? g->c->l2_line_bytes : g->c->line_bytes;
}

void ref_memory_open(struct ref_gpu *g)
{
    const struct sam_gputime_config *c = g->c;
    const unsigned lines = c->icache_bytes / icache_line(g);
    for (unsigned i = 0; i < c->sms; i++) {
        if (c->icache_bytes)
            open_cache(&g->sm[i].icache, lines / c->icache_ways, c->icache_ways);
        open_cache(&g->sm[i].l1d, c->l1_sets, c->l1_ways);
    }
    open_cache(&g->l2, c->l2_sets, c->l2_ways);
}

void ref_memory_close(struct ref_gpu *g)
{
    for (unsigned i = 0; i < g->c->sms; i++) {
        free(g->sm[i].icache.lines);
        free(g->sm[i].l1d.lines);
    }
    free(g->l2.lines);
}

/* ------------------------------------------------------------------------------- I-cache */

static void ask_for_line(struct ref_gpu *g, unsigned sm, uint32_t line);

void ref_icache_ahead(struct ref_gpu *g, unsigned sm, uint32_t pc)
{
    const uint32_t group = 4 * g->c->fetch_width;
    if (g->c->icache_ahead)
        ask_for_line(g, sm, (pc / group + 1) * group / icache_line(g));
}

bool ref_icache_hit(struct ref_gpu *g, unsigned sm, uint32_t pc)
{
    struct ref_sm *s = &g->sm[sm];
    if (g->c->icache_bytes) {
        struct ref_line *line = find_line(&s->icache, pc / icache_line(g));
        if (!line) {
            ask_for_line(g, sm, pc / icache_line(g));
            return false;
        }
        line->used_at = ++g->uses;
    }
    return true;
}

static void ask_for_line(struct ref_gpu *g, unsigned sm, uint32_t line)
{
    struct ref_sm *s = &g->sm[sm];
    struct ref_miss *found = NULL;
    if (find_line(&s->icache, line))
        return;
    for (unsigned i = 0; i < g->c->icache_mshrs; i++) {
        struct ref_miss *m = &s->imisses[i];
        if (m->used && m->line == line)
            return;
        if (!m->used && !found)
            found = m;
    }
    if (!found)
        return;
    *found = (struct ref_miss){.used = true, .line = line, .there_at = NEVER};
    push(&s->to_l2[0],
         (struct ref_request){
             .sm = sm, .is_fetch = true, .line = line, .reach_at = g->now + g->c->l1_miss_latency});
}

/* Lines that arrived icache_fill_latency ago are available to the fetches of this cycle. */
void ref_icache_fill(struct ref_gpu *g, unsigned sm)
{
    struct ref_sm *s = &g->sm[sm];
    for (unsigned i = 0; i < g->c->icache_mshrs; i++) {
        struct ref_miss *m = &s->imisses[i];
        if (!m->used || m->there_at == NEVER || m->there_at > g->now)
            continue;
        fill_line(g, &s->icache, m->line);
        m->used = false;
    }
}

/* ------------------------------------------------------------------------------- LSU */

/* Count an access to `line` whose word is in `bank` of local memory. */
static void add_line(struct ref_flying *f, uint32_t line, unsigned bytes, unsigned bank)
{
    unsigned i = 0;
    while (i < f->line_count && (f->lines[i] != line || f->is.atomic))
        i++;
    assert(i < MOST_LINES);
    if (i == f->line_count) {
        f->lines[f->line_count++] = line;
        f->line_bytes[i] = f->turns[i] = 0;
        for (unsigned k = 0; k < MOST_BANKS; k++)
            f->in_bank[i][k] = 0;
    }
    f->line_bytes[i] += bytes;
    if (++f->in_bank[i][bank] > f->turns[i])
        f->turns[i] = f->in_bank[i][bank];
}

static void add_access(struct ref_gpu *g, struct ref_flying *f, uint32_t address, unsigned bytes)
{
    const unsigned count = g->c->lds_banks ? g->c->lds_banks : g->lanes;
    const uint32_t first = address / g->c->line_bytes,
                   last = (address + bytes - 1) / g->c->line_bytes;
    const unsigned inside = g->c->line_bytes - address % g->c->line_bytes;
    add_line(f, first, last == first ? bytes : inside, address / 4 % count);
    if (last != first)
        add_line(f, last, bytes - inside, last * g->c->line_bytes / 4 % count);
}

void ref_find_lines(struct ref_gpu *g, const struct sam_gputime_op *op, struct ref_flying *f)
{
    if (op->form == SAM_GPUTIME_SCALAR)
        add_access(g, f, op->base, op->bytes);
    for (unsigned lane = 0; op->form == SAM_GPUTIME_STRIDED && lane < 32; lane++)
        if (op->acting >> lane & 1)
            add_access(g, f, op->base + (uint32_t)op->stride * lane, op->bytes);
    for (unsigned i = 0; op->form == SAM_GPUTIME_EACH && i < op->count; i++)
        add_access(g, f, op->addresses[i], op->bytes);
}

bool ref_is_same_warp(const struct ref_flying *a, uint32_t workgroup, uint32_t warp)
{
    return a->workgroup == workgroup && a->warp == warp;
}

/* `of`: of its warp only. */
static unsigned outstanding(const struct ref_gpu *g, const struct ref_sm *s,
                            const struct ref_flying *of)
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->flying_end; i++) {
        const struct ref_flying *f = &s->flying[i];
        count += f->used && f->is.unit == SAM_GPUTIME_LSU && !f->is.fence && f->left_at != NEVER &&
                 f->result_at > g->now && (!of || ref_is_same_warp(f, of->workgroup, of->warp));
    }
    return count;
}

/* Instructions accepted but not started by the LSU. */
static unsigned waiting(const struct ref_sm *s)
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->flying_end; i++) {
        const struct ref_flying *f = &s->flying[i];
        count += f->used && f->is.unit == SAM_GPUTIME_LSU && f->left_at != NEVER && !f->is.fence &&
                 f->begun_at == NEVER;
    }
    return count;
}

bool ref_lsu_accepts(struct ref_gpu *g, unsigned sm, const struct ref_flying *f)
{
    struct ref_sm *s = &g->sm[sm];
    if (f->is.fence)
        return true;
    const unsigned count = waiting(s);
    const uint64_t at = g->now + g->c->emit_latency;
    if (count > g->c->lsu_queue || (count == g->c->lsu_queue && s->lsu_free_at > at))
        return false;
    if (outstanding(g, s, NULL) < g->c->lsu_all && outstanding(g, s, f) < g->c->lsu_warp)
        return true;
    return false;
}

void ref_lsu_accept(struct ref_gpu *g, unsigned sm, struct ref_flying *f)
{
    (void)sm;
    f->outstanding = true;
    f->result_at = f->last_reply_at = f->is.fence ? g->now : NEVER;
}

/* Start the one that has waited longest. */
static void begin(struct ref_gpu *g, struct ref_sm *s)
{
    struct ref_flying *first = NULL;
    if (s->lsu_free_at > g->now)
        return;
    for (unsigned i = 0; i < s->flying_end; i++) {
        struct ref_flying *f = &s->flying[i];
        if (f->used && f->is.unit == SAM_GPUTIME_LSU && f->accepted_at != NEVER &&
            f->begun_at == NEVER && !f->is.fence && (!first || f->accepted_at < first->accepted_at))
            first = f;
    }
    if (!first)
        return;
    first->begun_at = later(first->accepted_at, s->lsu_free_at);
    if (g->c->memory_perfect || first->line_count == 0) {
        const bool perfect = g->c->memory_perfect;
        const uint64_t end = g->now + later(g->c->lsu_interval, 1);
        first->result_at = first->last_reply_at = perfect ? g->now + g->c->perfect_latency : end;
        s->lsu_free_at = perfect ? g->now + g->c->perfect_interval : end;
        return;
    }
    s->sending = first;
    s->lsu_free_at = NEVER;
}

/* The last reply has arrived in this cycle, or its later cycle is known. */
static void reply(struct ref_gpu *g, struct ref_flying *f, uint64_t at)
{
    f->replies++;
    f->last_reply_at = f->last_reply_at == NEVER ? at : later(f->last_reply_at, at);
    if (f->replies < f->line_count)
        return;
    f->result_at = f->last_reply_at + g->c->lsu_return;
}

static bool send_local(struct ref_gpu *g, struct ref_sm *s, struct ref_flying *f)
{
    const unsigned turns = f->turns[f->sent];
    if (s->lds_free_at > g->now)
        return false;
    s->lds_free_at = g->now + turns + (f->is.store || f->is.atomic ? g->c->lds_write_gap : 0);
    reply(g, f, g->now + g->c->lds_latency + turns);
    return true;
}

static bool send_write(struct ref_gpu *g, unsigned sm, struct ref_flying *f, uint32_t line,
                       unsigned bytes)
{
    struct ref_sm *s = &g->sm[sm];
    for (unsigned i = 0; i < g->c->l1_wshrs; i++) {
        struct ref_write *w = &s->writes[i];
        if (w->used)
            continue;
        *w = (struct ref_write){.used = true, .there_at = NEVER};
        push(&s->to_l2[1], (struct ref_request){.sm = sm,
                                                .is_write = true,
                                                .bytes = bytes,
                                                .line = line,
                                                .reach_at = g->now + g->c->l1_miss_latency,
                                                .flying = f,
                                                .write = i});
        return true;
    }
    return false;
}

static bool send_read(struct ref_gpu *g, unsigned sm, struct ref_flying *f, uint32_t line)
{
    struct ref_sm *s = &g->sm[sm];
    struct ref_miss *found = NULL;
    for (unsigned i = 0; i < g->c->l1_mshrs; i++) {
        struct ref_miss *m = &s->dmisses[i];
        if (m->used && m->line == line) {
            if (m->count == g->c->l1_merges)
                return false;
            m->waiting[m->count++] = f;
            return true;
        }
        if (!m->used && !found)
            found = m;
    }
    if (!found)
        return false;
    *found = (struct ref_miss){
        .used = true, .line = line, .there_at = NEVER, .count = 1, .waiting = {f}};
    push(&s->to_l2[1],
         (struct ref_request){.sm = sm, .line = line, .reach_at = g->now + g->c->l1_miss_latency});
    return true;
}

static bool send_line(struct ref_gpu *g, unsigned sm, struct ref_flying *f)
{
    const uint32_t number = f->lines[f->sent];
    struct ref_sm *s = &g->sm[sm];
    struct ref_line *line = f->is.atomic ? NULL : find_line(&s->l1d, number);
    const bool is_write = f->is.store || f->is.atomic;
    if (line) {
        line->used_at = ++g->uses;
        line->dirty |= is_write;
        reply(g, f, g->now + g->c->l1_latency);
    } else if (is_write ? !send_write(g, sm, f, number, f->line_bytes[f->sent])
                        : !send_read(g, sm, f, number)) {
        return false;
    }
    return true;
}

static void end_outstanding(struct ref_gpu *g, struct ref_sm *s)
{
    for (unsigned i = 0; i < s->flying_end; i++) {
        struct ref_flying *f = &s->flying[i];
        if (f->used && f->outstanding && !f->is.fence && f->result_at <= g->now)
            f->outstanding = false;
    }
    for (unsigned i = 0; i < s->flying_end; i++) { /* fences: ruling 4.6 */
        struct ref_flying *f = &s->flying[i];
        if (!f->used || !f->outstanding || !f->is.fence || f->last_reply_at > g->now)
            continue;
        bool open = false;
        for (unsigned k = 0; k < s->flying_end; k++) {
            const struct ref_flying *e = &s->flying[k];
            open |= e->used && ref_is_same_warp(e, f->workgroup, f->warp) &&
                    e->number < f->number && e->is.unit == SAM_GPUTIME_LSU &&
                    (e->accepted_at == NEVER || e->outstanding);
        }
        if (open)
            continue;
        f->outstanding = false;
        struct ref_slot *slot = &s->slots[f->slot];
        if (!ref_is_same_warp(f, slot->workgroup, slot->warp))
            continue; /* the warp has ended */
        slot->fences_open--;
        slot->fence_until = later(slot->fence_until, later(g->now, f->accepted_at + 1));
    }
}

void ref_lsu_step(struct ref_gpu *g, unsigned sm)
{
    struct ref_sm *s = &g->sm[sm];
    begin(g, s);
    struct ref_flying *f = s->sending;
    if (f && g->now >= f->begun_at + g->c->lsu_latency) {
        const bool sent = f->local ? send_local(g, s, f) : send_line(g, sm, f);
        if (sent && ++f->sent == f->line_count) {
            s->sending = NULL;
            s->lsu_free_at = g->now + 1 + g->c->lsu_interval;
            s->lsu_free_at -= g->c->lsu_latency < s->lsu_free_at ? g->c->lsu_latency : 0;
        }
    }
    if (!s->sending)
        begin(g, s);
    end_outstanding(g, s);
}

static void arrive_at_l1(struct ref_gpu *g, const struct ref_request *r)
{
    struct ref_sm *s = &g->sm[r->sm];
    if (r->is_write) {
        s->writes[r->write].there_at = g->now + g->c->l1_fill_latency;
        reply(g, r->flying, g->now + g->c->l1_fill_latency);
        return;
    }
    struct ref_miss *misses = r->is_fetch ? s->imisses : s->dmisses;
    for (unsigned i = 0; i < 64; i++)
        if (misses[i].used && misses[i].line == r->line)
            misses[i].there_at =
                g->now + (r->is_fetch ? g->c->icache_fill_latency : g->c->l1_fill_latency);
}

/* Lines and answers of the L2 that are available to the requests of this cycle. Results that they
 * complete without latency make room for the emissions of this cycle, too. */
void ref_l1_fill(struct ref_gpu *g, unsigned sm)
{
    struct ref_sm *s = &g->sm[sm];
    for (unsigned i = 0; i < g->c->l1_wshrs; i++)
        if (s->writes[i].used && s->writes[i].there_at <= g->now)
            s->writes[i].used = false;
    for (unsigned i = 0; i < g->c->l1_mshrs; i++) {
        struct ref_miss *m = &s->dmisses[i];
        if (!m->used || m->there_at > g->now)
            continue;
        const struct ref_line old = fill_line(g, &s->l1d, m->line);
        if (old.valid && old.dirty) {
            push(&s->to_l2[1], (struct ref_request){.sm = sm,
                                                    .is_write = true,
                                                    .is_back = true,
                                                    .bytes = g->c->line_bytes,
                                                    .line = old.line,
                                                    .reach_at = g->now + g->c->l1_miss_latency});
        }
        for (unsigned k = 0; k < m->count; k++)
            reply(g, m->waiting[k], g->now);
        m->used = false;
    }
}

/* ------------------------------------------------------------------------------- L2 and memory */

/* All future times of a request are fixed when the L2 accepts it (ruling 9.1). */

/* The memory's last data of a request received in cycle `at`. */
static uint64_t serve_memory(struct ref_gpu *g, uint64_t at, unsigned bytes)
{
    uint64_t *place = &g->memory_free_at[0];
    for (unsigned i = 1; i < g->c->mem_outstanding; i++)
        if (g->memory_free_at[i] < *place)
            place = &g->memory_free_at[i];
    const uint64_t first = later(later(at, *place) + g->c->mem_latency, g->bus_free_at);
    g->bus_free_at = first + (bytes + g->c->mem_bytes - 1) / g->c->mem_bytes;
    *place = g->bus_free_at - 1 + g->c->mem_recovery;
    return g->bus_free_at - 1;
}

/* The first cycle from `ready` on that is l2_interval away from every other reply. */
static uint64_t reply_slot(struct ref_gpu *g, uint64_t ready)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned i = 0; i < g->reply_count; i++) {
            const uint64_t other = g->reply_at[i];
            if (ready + g->c->l2_interval <= other || other + g->c->l2_interval <= ready)
                continue;
            ready = other + g->c->l2_interval;
            moved = true;
        }
    }
    unsigned kept = 0;
    for (unsigned i = 0; i < g->reply_count; i++)
        if (g->reply_at[i] + g->c->l2_interval > g->now)
            g->reply_at[kept++] = g->reply_at[i];
    assert(kept < MOST_REQUESTS);
    g->reply_at[kept++] = ready;
    g->reply_count = kept;
    return ready;
}

/* The cycle of the L2's reply. */
static uint64_t accept_at_l2(struct ref_gpu *g, const struct ref_request *r)
{
    const unsigned size = l2_line(g), part = r->is_fetch ? icache_line(g) : g->c->line_bytes;
    const uint32_t number = (uint32_t)((uint64_t)r->line * part / size);
    struct ref_line *line = find_line(&g->l2, number);
    uint64_t at = g->now, first = NEVER;
    unsigned used = 0;
    for (unsigned i = 0; i < g->c->l2_mshrs; i++) {
        struct ref_miss *m = &g->l2_misses[i];
        if (!m->used || m->there_at <= g->now) {
            m->used = false;
            continue;
        }
        used++;
        first = m->there_at < first ? m->there_at : first;
        if (m->line == number) {
            if (line) {
                line->used_at = ++g->uses;
                line->dirty |= r->is_write;
            }
            return reply_slot(g, later(m->there_at, g->now + g->c->l2_latency));
        }
    }
    if (line) {
        line->used_at = ++g->uses;
        line->dirty |= r->is_write;
        return reply_slot(g, g->now + g->c->l2_latency);
    }
    if (r->is_write && !g->c->l2_write_allocate) {
        uint64_t answer = NEVER;
        if (g->c->l2_write_reads)
            at = answer = serve_memory(g, at, size);
        const uint64_t written = serve_memory(g, at, r->bytes);
        return reply_slot(g, (answer == NEVER ? written : answer) + g->c->l2_miss_latency);
    }
    uint64_t there = g->now + g->c->l2_latency;
    const bool fetches = !r->is_write || r->bytes < size;
    if (fetches && used == g->c->l2_mshrs)
        at = first;
    if (fetches)
        there = serve_memory(g, at, size) + g->c->l2_miss_latency;
    for (unsigned i = 0; i < g->c->l2_mshrs && fetches; i++)
        if (!g->l2_misses[i].used || g->l2_misses[i].there_at <= at) {
            g->l2_misses[i] = (struct ref_miss){.used = true, .line = number, .there_at = there};
            break;
        }
    const struct ref_line old = fill_line(g, &g->l2, number);
    if (old.valid && old.dirty) {
        serve_memory(g, at, size);
    }
    find_line(&g->l2, number)->dirty = r->is_write;
    return reply_slot(g, there);
}

void ref_memory_deliver(struct ref_gpu *g)
{
    for (unsigned i = 0; i < g->l2_replies.count;) {
        if (g->l2_replies.requests[i].ready_at > g->now) {
            i++;
            continue;
        }
        const struct ref_request r = take(&g->l2_replies, i);
        arrive_at_l1(g, &r);
    }
}

static void accept_requests(struct ref_gpu *g)
{
    for (unsigned kind = 0; kind < 2; kind++)
        for (unsigned i = 0; i < g->c->sms; i++) {
            struct ref_queue *queue = &g->sm[i].to_l2[kind];
            for (unsigned k = 0; k < queue->count;) {
                if (queue->requests[k].reach_at > g->now) {
                    k++;
                    continue;
                }
                struct ref_request r = take(queue, k);
                r.ready_at = accept_at_l2(g, &r);
                if (!r.is_back)
                    push(&g->l2_replies, r);
            }
        }
}

void ref_memory_step(struct ref_gpu *g)
{
    accept_requests(g);
    ref_memory_deliver(g); /* hits of an L2 without latency */
}
