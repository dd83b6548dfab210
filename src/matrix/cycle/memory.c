/* SPDX-License-Identifier: Apache-2.0 */
/* The memory on the bus: a latency, out-of-order answers within a window of the oldest requests, a
 * beat of 16 bytes every beat_cycles, random stalls of the channels. */
#include "matrix/cycle/state.h"

/* xorshift64* */
static uint64_t next_random(struct sam_mxu *x)
{
    uint64_t r = x->random;
    r ^= r >> 12;
    r ^= r << 25;
    r ^= r >> 27;
    x->random = r;
    return (r * UINT64_C(0x2545f4914f6cdd1d)) >> 32;
}

bool sam_mxu_ready(struct sam_mxu *x)
{
    return x->config.stall == 0 || next_random(x) % 100 >= x->config.stall;
}

/* An answer takes at least as long as a beat. Writing a full line needs none of its old contents,
 * so it never misses. */
static unsigned latency(struct sam_mxu *x, const struct slot *s, unsigned uop)
{
    const struct sam_mxu_config *c = &x->config;
    const struct sam_mxu_move *m = &s->moves->of[uop];
    unsigned cycles = c->mem_latency > c->beat_cycles ? c->mem_latency : c->beat_cycles;
    if (x->cache) {
        const bool hit =
            sam_mxu_cache_access(x->cache, SAM_MXU_LINE_OF(m->address), s->work.stream);
        const bool store = s->work.kind == SAM_M_KIND_STORE;
        x->stats.l2_hits += hit;
        x->stats.l2_misses += !hit;
        cycles += hit || (store && m->full_line) ? 0 : c->miss_latency;
    }
    return cycles;
}

/* The answer of the shared memory to a request in this cycle. */
static uint64_t ask(struct sam_mxu *x, const struct slot *s, unsigned uop)
{
    const struct sam_memtime_port *memory = x->outside.memory;
    const struct sam_mxu_move *m = &s->moves->of[uop];
    const enum sam_memtime_kind kind = s->work.kind == SAM_M_KIND_STORE ? SAM_MEMTIME_WRITE
                                       : s->work.stream                 ? SAM_MEMTIME_READ_STREAM
                                                                        : SAM_MEMTIME_READ;
    return memory->request(memory->context, x->outside.port, x->now, m->first, m->size, kind);
}

/* The shared memory reports the arrival of the last beat; earlier beats are as close as the bus
 * allows. */
uint64_t sam_mxu_first_beat(struct sam_mxu *x, const struct slot *s, unsigned uop)
{
    if (!x->outside.memory)
        return x->now + latency(x, s, uop);
    const uint64_t last = ask(x, s, uop),
                   others = (uint64_t)s->moves->of[uop].length * x->config.beat_cycles;
    return last > x->now + others ? last - others : x->now + 1;
}

/* Complete a request. */
static void answer(struct sam_mxu *x, const struct request *r)
{
    const struct sam_mxu_outside *o = &x->outside;
    r->slot->moves->answered[r->uop] = true;
    x->moved = true;
    if (o->answered)
        o->answered(o->context);
}

static void remove_at(struct queue *q, unsigned index)
{
    q->count--;
    memmove(&q->of[index], &q->of[index + 1], (q->count - index) * sizeof q->of[0]);
}

/* One of the oldest `window` requests whose answer is due, or -1. A random one if there are
 * several. */
static int choose(struct sam_mxu *x, const struct queue *q, unsigned window)
{
    unsigned due[SAM_MXU_IDS], count = 0;
    for (unsigned i = 0; i < q->count && i < window; i++)
        if (x->now >= q->of[i].ready)
            due[count++] = i;
        else
            sam_mxu_expect(x, q->of[i].ready);
    if (count == 0)
        return -1;
    return (int)due[count == 1 ? 0 : next_random(x) % count];
}

/* A beat is 16 bytes of the request. Returns the set of those that belong to the row. */
static uint16_t show_beat(const struct request *r, uint8_t data[16])
{
    const struct sam_mxu_move *m = &r->slot->moves->of[r->uop];
    const unsigned at = 16 * (m->length + 1u - r->beats);
    uint16_t strobes = 0;
    memcpy(data, r->slot->moves->beats[r->uop] + at, 16);
    for (unsigned i = 0; i < 16; i++)
        if (m->address + at + i - m->first < m->size)
            strobes |= (uint16_t)(1u << i);
    return strobes;
}

/* busMask: the elements of a beat that have bytes of the row. */
static uint16_t bus_mask(const struct sam_mxu *x, uint16_t strobes)
{
    uint16_t mask = 0;
    for (unsigned i = 0; i < 16; i++)
        mask |= (uint16_t)((strobes >> i & 1) << i / (x->config.elewidth / 8));
    return mask;
}

enum sam_mxu_state sam_mxu_read_channel(struct sam_mxu *x)
{
    struct queue *q = &x->reads;
    if (q->count == 0)
        return SAM_MXU_EMPTY;
    if (x->now < x->next_read_beat) {
        sam_mxu_expect(x, x->next_read_beat);
        return SAM_MXU_MEMORY;
    }
    if (!x->is_answering) {
        const int index = choose(x, q, x->config.ooo_window);
        if (index < 0)
            return SAM_MXU_MEMORY;
        x->answering = (unsigned)index;
        x->is_answering = true;
    }
    if (!sam_mxu_ready(x))
        return SAM_MXU_MEMORY;
    struct request *r = &q->of[x->answering];
    x->stats.read_beats++;
    x->next_read_beat = x->now + x->config.beat_cycles;
    x->bus.resp_rvalid = true;
    x->bus.resp_rid = r->id;
    if (x->observer.cycle)
        x->bus.rbusmask = bus_mask(x, show_beat(r, x->bus.rdata));
    if (--r->beats == 0) {
        x->bus.resp_rlast = true;
        x->read_freed |= UINT32_C(1) << r->id;
        answer(x, r);
        x->stats.port_blocks[SAM_MXU_PORT_LOAD]++;
        x->load_ports_next |= 1u << sam_mxu_register(x, r->slot, r->uop);
        sam_mxu_finish(x, r->slot, r->uop, x->now + 1);
        x->is_answering = false;
        remove_at(q, x->answering);
    }
    return SAM_MXU_BUSY;
}

/* Whether merging keeps the memory from taking available data. */
static bool is_merging(struct sam_mxu *x)
{
    const struct queue *q = &x->writes;
    if (x->now < x->merged)
        sam_mxu_expect(x, x->merged);
    return x->now < x->merged && q->count && q->of[q->count - 1].ready == NEVER;
}

/* Data is sent in the order of the requests. */
static bool send_data(struct sam_mxu *x)
{
    struct queue *q = &x->writes;
    struct request *r = q->of;
    while (r < q->of + q->count && r->ready != NEVER)
        r++;
    if (r == q->of + q->count)
        return false;
    if (x->now < x->next_write_beat) {
        sam_mxu_expect(x, x->next_write_beat);
        return false;
    }
    x->bus.wdvalid = true;
    x->bus.wdlast = r->beats == 1;
    if (x->observer.cycle) {
        x->bus.wstrb = show_beat(r, x->bus.wdata);
        x->bus.wbusmask = bus_mask(x, x->bus.wstrb);
    }
    if (!(x->bus.wdready = sam_mxu_ready(x)))
        return false;
    x->stats.write_beats++;
    x->next_write_beat = x->now + x->config.beat_cycles;
    if (--r->beats == 0) {
        const bool merges = !r->slot->moves->of[r->uop].full_line && !x->outside.memory;
        const unsigned merge = merges ? x->config.merge_cycles : 0;
        r->ready = x->outside.memory ? ask(x, r->slot, r->uop)
                                     : x->now + merge + latency(x, r->slot, r->uop);
        x->next_write_beat += merge;
        if (merge)
            x->merged = x->next_write_beat;
    }
    return true;
}

/* Once an answer is due, the memory may choose any in its window whose data has arrived; a choice
 * that is not yet due delays the others until it is. */
static bool choose_acknowledged(struct sam_mxu *x)
{
    const struct queue *q = &x->writes;
    unsigned sent = 0, due = 0;
    for (unsigned i = 0; i < q->count && i < x->config.ooo_window && q->of[i].ready != NEVER; i++) {
        sent++;
        due += x->now >= q->of[i].ready;
        sam_mxu_expect(x, q->of[i].ready);
    }
    if (due == 0)
        return false;
    x->acknowledging = sent == 1 ? 0 : (unsigned)(next_random(x) % sent);
    return true;
}

static void acknowledge(struct sam_mxu *x)
{
    if (!x->is_acknowledging)
        x->is_acknowledging = choose_acknowledged(x);
    if (!x->is_acknowledging)
        return;
    const struct request *r = &x->writes.of[x->acknowledging];
    if (x->now < r->ready)
        sam_mxu_expect(x, r->ready);
    if (x->now < r->ready || !sam_mxu_ready(x))
        return;
    x->bus.resp_wvalid = true;
    x->bus.resp_wid = r->id;
    x->write_freed |= UINT32_C(1) << r->id;
    answer(x, r);
    sam_mxu_finish(x, r->slot, r->uop, x->now);
    x->is_acknowledging = false;
    remove_at(&x->writes, x->acknowledging);
}

enum sam_mxu_state sam_mxu_write_channel(struct sam_mxu *x)
{
    if (x->writes.count == 0)
        return SAM_MXU_EMPTY;
    acknowledge(x);
    if (send_data(x))
        return SAM_MXU_BUSY;
    return is_merging(x) ? SAM_MXU_MERGE : SAM_MXU_MEMORY;
}
