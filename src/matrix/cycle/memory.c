/* SPDX-License-Identifier: Apache-2.0 */
/* The memory behind the bus: a fixed latency, answers out of order within a window of the oldest
 * requests, a beat of 16 bytes every few cycles, channels that now and then are not ready. */
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

static void remove_at(struct queue *q, unsigned index)
{
    q->count--;
    memmove(&q->of[index], &q->of[index + 1], (q->count - index) * sizeof q->of[0]);
}

/* One of the oldest `window` requests whose answer is due, or -1. The first when there is one
 * alone; else any. */
static int choose(struct sam_mxu *x, const struct queue *q, unsigned window)
{
    unsigned due[SAM_MXU_IDS], count = 0;
    for (unsigned i = 0; i < q->count && i < window; i++)
        if (x->now >= q->of[i].ready)
            due[count++] = i;
    if (count == 0)
        return -1;
    return (int)due[count == 1 ? 0 : next_random(x) % count];
}

/* What a beat of the request carries of the row, and which bytes that are. */
static uint16_t show_beat(const struct sam_mxu *x, const struct request *r, uint8_t data[16])
{
    const struct sam_mxu_move *m = &r->slot->moves->of[r->uop];
    const struct sam_m_work *w = &r->slot->work;
    const uint64_t first = w->base + m->row * w->stride + m->k;
    const uint64_t beat = m->address + 16 * (m->length + 1u - r->beats);
    const uint8_t *row = r->slot->moves->data + m->row * (x->config.mlen / 8) + m->k;
    uint16_t strobes = 0;
    for (unsigned i = 0; i < 16; i++) {
        const uint64_t at = beat + i - first;
        if (at < m->size) {
            data[i] = row[at];
            strobes |= (uint16_t)(1u << i);
        }
    }
    return strobes;
}

enum sam_mxu_state sam_mxu_read_channel(struct sam_mxu *x)
{
    struct queue *q = &x->reads;
    if (q->count == 0)
        return SAM_MXU_EMPTY;
    if (x->now < x->next_read_beat)
        return SAM_MXU_MEMORY;
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
        show_beat(x, r, x->bus.rdata);
    if (--r->beats == 0) {
        x->bus.resp_rlast = true;
        x->read_ids &= ~(UINT32_C(1) << r->id);
        sam_mxu_finish(x, r->slot, r->uop, x->now + 1);
        x->is_answering = false;
        remove_at(q, x->answering);
    }
    return SAM_MXU_BUSY;
}

/* Data follows in the order of the requests. */
static bool send_data(struct sam_mxu *x)
{
    struct queue *q = &x->writes;
    struct request *r = q->of;
    while (r < q->of + q->count && r->ready != NEVER)
        r++;
    if (r == q->of + q->count || x->now < x->next_write_beat)
        return false;
    x->bus.wdvalid = true;
    x->bus.wdlast = r->beats == 1;
    if (x->observer.cycle)
        x->bus.wstrb = show_beat(x, r, x->bus.wdata);
    if (!(x->bus.wdready = sam_mxu_ready(x)))
        return false;
    x->stats.write_beats++;
    x->next_write_beat = x->now + x->config.beat_cycles;
    if (--r->beats == 0)
        r->ready = x->now + x->config.mem_latency;
    return true;
}

enum sam_mxu_state sam_mxu_write_channel(struct sam_mxu *x)
{
    struct queue *q = &x->writes;
    if (q->count == 0)
        return SAM_MXU_EMPTY;
    const int index = choose(x, q, x->config.ooo_window);
    if (index >= 0 && sam_mxu_ready(x)) {
        const struct request *r = &q->of[index];
        x->bus.resp_wvalid = true;
        x->bus.resp_wid = r->id;
        x->write_ids &= ~(UINT32_C(1) << r->id);
        r->slot->moves->answered[r->uop] = true;
        sam_mxu_finish(x, r->slot, r->uop, x->now);
        remove_at(q, (unsigned)index);
    }
    return send_data(x) ? SAM_MXU_BUSY : SAM_MXU_MEMORY;
}
