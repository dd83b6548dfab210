/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores, with a pipe each: issue, one cycle in the register file (also for loads; two
 * cycles if a mask element is split), then the request. A full queue, a lack of ids or a bus that
 * is not ready stalls the pipe. */
#include "matrix/cycle/state.h"

static bool overlap(const struct sam_mxu_move *a, const struct sam_mxu_move *b)
{
    return a->first < b->first + b->size && b->first < a->first + a->size;
}

/* Whether `older` has an unanswered uop on the line of `move`. */
static bool holds_line(const struct slot *older, const struct sam_mxu_move *move)
{
    struct moves *m = older->moves;
    const uint64_t line = SAM_MXU_LINE_OF(move->address);
    if (line < m->low || line > m->high)
        return false;
    while (m->settled < older->total && m->answered[m->settled])
        m->settled++;
    for (unsigned i = m->settled; i < older->total; i++)
        if (!m->answered[i] && SAM_MXU_LINE_OF(m->of[i].address) == line)
            return true;
    return false;
}

/* Answers arrive in any order, and the channels are independent: of two accesses to a line, at
 * least one a store, the younger waits for the answer to the older. Rows of one store on one line
 * wait only if they share a byte. */
static bool waits_for_line(const struct sam_mxu *x, const struct slot *s,
                           const struct sam_mxu_move *move)
{
    const bool store = s->work.kind == SAM_M_KIND_STORE;
    for (const struct slot *o = x->slots; o < x->slots + x->config.slots; o++)
        if (o->used && o->number < s->number &&
            (o->work.kind == SAM_M_KIND_STORE || (store && o->work.kind == SAM_M_KIND_LOAD)) &&
            holds_line(o, move))
            return true;
    for (unsigned i = s->moves->settled; store && i < s->issued; i++)
        if (!s->moves->answered[i] && overlap(&s->moves->of[i], move))
            return true;
    return false;
}

/* Whether the uop waits for an access of another unit. */
static bool waits_outside(struct sam_mxu *x, const struct slot *s, const struct sam_mxu_move *move)
{
    const struct sam_mxu_outside *o = &x->outside;
    if (!o->ready)
        return false;
    const uint64_t ready = o->ready(o->context, s->order, s->work.kind == SAM_M_KIND_STORE,
                                    move->first, move->first + move->size - 1);
    if (ready <= x->now)
        return false;
    sam_mxu_expect(x, ready);
    return true;
}

bool sam_mxu_has_moves(const struct sam_mxu *x)
{
    return (x->arriving && x->arriving->work.kind <= SAM_M_KIND_STORE) || x->loads_and_stores != 0;
}

/* Whether the instruction is older than `order` and has an unanswered access that conflicts with a
 * load, or with `store` a store, of the bytes. */
static bool holds_bytes(const struct slot *s, uint64_t order, bool store, uint64_t low,
                        uint64_t high)
{
    const struct moves *m = s->moves;
    const bool conflicts =
        s->work.kind == SAM_M_KIND_STORE || (store && s->work.kind == SAM_M_KIND_LOAD);
    if (!conflicts || s->order >= order || SAM_MXU_LINE_OF(high) < m->low ||
        SAM_MXU_LINE_OF(low) > m->high)
        return false;
    for (unsigned i = m->settled; i < s->total; i++)
        if (!m->answered[i] && m->of[i].first <= high && low < m->of[i].first + m->of[i].size)
            return true;
    return false;
}

bool sam_mxu_is_settled(const struct sam_mxu *x, uint64_t order, bool store, uint64_t low,
                        uint64_t high)
{
    if (x->arriving && holds_bytes(x->arriving, order, store, low, high))
        return false;
    for (const struct slot *s = x->slots; s < x->slots + x->config.slots; s++)
        if (s->used && holds_bytes(s, order, store, low, high))
            return false;
    return true;
}

/* The shifter between row and bus moves whole mask elements. A uop that begins or ends inside one,
 * in the row or in memory, takes a second pass. */
static bool is_cut(const struct sam_mxu *x, const struct sam_mxu_move *m)
{
    return ((m->first | m->k | m->size) << m->widen & (x->config.elewidth / 8 - 1)) != 0;
}

static struct sam_mxu_mask mask_of(const struct sam_mxu *x, const struct sam_mxu_move *m)
{
    const unsigned bytes = x->config.elewidth / 8;
    const unsigned from = (unsigned)m->k << m->widen, size = (unsigned)m->size << m->widen;
    return (struct sam_mxu_mask){(uint8_t)(from / bytes), (uint8_t)((from + size - 1) / bytes)};
}

static void issue(struct sam_mxu *x, struct slot *s, struct stage *stage)
{
    const struct sam_mxu_move *move = &s->moves->of[s->issued];
    const struct sam_mxu_mask mask = mask_of(x, move);
    const bool cut = is_cut(x, move);
    const unsigned passes = cut ? 2 : 1;
    x->stats.cut_uops += cut;
    x->stats.mask_bits += mask.last - mask.first + 1u;
    *stage = (struct stage){.slot = s, .uop = s->issued, .from = x->now + passes};
    s->moves->issued_at[s->issued] = x->now;
    sam_mxu_note_issue(x, s);
}

static enum sam_mxu_state why_full(const struct stage *stage)
{
    return stage->held ? SAM_MXU_PORT : SAM_MXU_PRESSURE;
}

enum sam_mxu_state sam_mxu_issue_load(struct sam_mxu *x)
{
    struct slot *s = sam_mxu_next(x, SAM_M_KIND_LOAD);
    if (!s)
        return x->load_stage.slot ? why_full(&x->load_stage) : SAM_MXU_EMPTY;
    if (!s->granted)
        return s->waited = SAM_MXU_REGISTER;
    const struct sam_mxu_move *move = &s->moves->of[s->issued];
    if (!move->zero && waits_for_line(x, s, move))
        return s->waited = SAM_MXU_LINE;
    if (!move->zero && waits_outside(x, s, move))
        return s->waited = SAM_MXU_MEMORY;
    if (x->load_stage.slot)
        return s->waited = why_full(&x->load_stage);
    if (move->zero)
        x->stats.zero_uops++;
    else
        x->stats.load_uops++;
    issue(x, s, &x->load_stage);
    return SAM_MXU_BUSY;
}

enum sam_mxu_state sam_mxu_issue_store(struct sam_mxu *x)
{
    struct slot *s = sam_mxu_next(x, SAM_M_KIND_STORE);
    if (!s)
        return x->store_stage.slot ? SAM_MXU_PRESSURE : SAM_MXU_EMPTY;
    if (!s->granted)
        return s->waited = SAM_MXU_REGISTER;
    if (waits_for_line(x, s, &s->moves->of[s->issued]))
        return s->waited = SAM_MXU_LINE;
    if (waits_outside(x, s, &s->moves->of[s->issued]))
        return s->waited = SAM_MXU_MEMORY;
    if (x->store_stage.slot)
        return s->waited = SAM_MXU_PRESSURE;
    const unsigned port = 1u << sam_mxu_register(x, s, s->issued);
    if (x->config.ports && (x->store_ports & port))
        return s->waited = SAM_MXU_PORT;
    x->stats.port_blocks[SAM_MXU_PORT_STORE]++;
    x->stats.store_uops++;
    issue(x, s, &x->store_stage);
    return SAM_MXU_BUSY;
}

/* Offer the uop in `stage` to the bus, with an id that it keeps. Returns false if the queue is
 * full, or no id is free. */
static bool offer(struct stage *stage, const struct queue *queue, unsigned most, uint32_t *ids)
{
    if (stage->offered)
        return true;
    if (queue->count >= most || *ids == UINT32_MAX)
        return false;
    stage->id = (uint8_t)__builtin_ctz(~*ids);
    *ids |= UINT32_C(1) << stage->id;
    return stage->offered = true;
}

/* The bus accepts the uop. */
static void take(struct sam_mxu *x, struct stage *stage, struct queue *queue, uint64_t ready)
{
    struct slot *s = stage->slot;
    queue->of[queue->count++] = (struct request){
        .slot = s,
        .uop = stage->uop,
        .id = stage->id,
        .beats = s->moves->of[stage->uop].length + 1u,
        .ready = ready,
    };
    s->moves->request_at[stage->uop] = x->now;
    stage->slot = NULL;
    x->moved = true;
}

/* Whether the stage has a uop that can leave. */
static bool is_ready(struct sam_mxu *x, const struct stage *stage)
{
    if (stage->slot && x->now < stage->from)
        sam_mxu_expect(x, stage->from);
    return stage->slot && x->now >= stage->from;
}

void sam_mxu_request_load(struct sam_mxu *x)
{
    struct stage *stage = &x->load_stage;
    if (!is_ready(x, stage))
        return;
    struct slot *s = stage->slot;
    const unsigned uop = stage->uop;
    const struct sam_mxu_move *move = &s->moves->of[uop];
    if (move->zero) {
        const unsigned port = 1u << sam_mxu_register(x, s, uop);
        stage->held = x->config.ports && (x->load_ports & port);
        x->moved = true; /* even if not: the port may be free in the next cycle */
        if (stage->held)
            return;
        x->stats.port_blocks[SAM_MXU_PORT_LOAD]++;
        stage->slot = NULL;
        sam_mxu_finish(x, s, uop, x->now);
        return;
    }
    struct sam_mxu_bus *bus = &x->bus;
    if (!offer(stage, &x->reads, x->config.ld_queue, &x->read_ids))
        return;
    bus->rvalid = true;
    bus->raddr = move->address;
    bus->rlen = move->length;
    bus->rid = stage->id;
    bus->rmask = mask_of(x, move);
    bus->rready = sam_mxu_ready(x);
    if (bus->rready) {
        take(x, stage, &x->reads, sam_mxu_first_beat(x, s, uop));
        x->stats.read_requests++;
        x->stats.bytes_loaded += move->size;
    }
}

void sam_mxu_request_store(struct sam_mxu *x)
{
    struct stage *stage = &x->store_stage;
    if (!is_ready(x, stage))
        return;
    const struct sam_mxu_move *move = &stage->slot->moves->of[stage->uop];
    struct sam_mxu_bus *bus = &x->bus;
    if (!offer(stage, &x->writes, x->config.st_queue, &x->write_ids))
        return;
    bus->wvalid = true;
    bus->waddr = move->address;
    bus->wlen = move->length;
    bus->wid = stage->id;
    bus->wmask = mask_of(x, move);
    bus->fullline = move->full_line;
    bus->wready = sam_mxu_ready(x);
    if (bus->wready) {
        take(x, stage, &x->writes, NEVER);
        x->stats.write_requests++;
        x->stats.full_lines += move->full_line;
        x->stats.bytes_stored += move->size;
    }
}
