/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores, a pipe each: issue, one cycle of register file (which a load waits, too), then
 * the request. A full queue, no id or a bus that is not ready hold what stands behind. */
#include "matrix/cycle/state.h"

#define LINE_OF(address) ((address) >> 6)

/* A store before it that has not yet been answered and touches the line. */
static bool waits_for_store(const struct sam_mxu *x, const struct slot *load,
                            const struct sam_mxu_move *move)
{
    for (const struct slot *s = x->slots; s < x->slots + x->config.slots; s++) {
        if (!s->used || s->work.kind != SAM_M_KIND_STORE || s->number > load->number)
            continue;
        for (unsigned i = 0; i < s->total; i++)
            if (!s->moves->answered[i] &&
                LINE_OF(s->moves->of[i].address) == LINE_OF(move->address))
                return true;
    }
    return false;
}

static void issue(struct sam_mxu *x, struct slot *s, struct stage *stage)
{
    *stage = (struct stage){s, s->issued, x->now};
    s->moves->issued_at[s->issued] = x->now;
    sam_mxu_note_issue(x, s);
}

enum sam_mxu_state sam_mxu_issue_load(struct sam_mxu *x)
{
    struct slot *s = sam_mxu_next(x, SAM_M_KIND_LOAD, true);
    if (!s)
        return x->load_stage.slot ? SAM_MXU_PRESSURE : SAM_MXU_EMPTY;
    if (!s->granted)
        return s->waited = SAM_MXU_REGISTER;
    const struct sam_mxu_move *move = &s->moves->of[s->issued];
    if (!move->zero && waits_for_store(x, s, move))
        return s->waited = SAM_MXU_LINE;
    if (x->load_stage.slot)
        return s->waited = SAM_MXU_PRESSURE;
    if (move->zero)
        x->stats.zero_uops++;
    else
        x->stats.load_uops++;
    issue(x, s, &x->load_stage);
    return SAM_MXU_BUSY;
}

enum sam_mxu_state sam_mxu_issue_store(struct sam_mxu *x)
{
    struct slot *s = sam_mxu_next(x, SAM_M_KIND_STORE, true);
    if (!s)
        return x->store_stage.slot ? SAM_MXU_PRESSURE : SAM_MXU_EMPTY;
    if (!s->granted)
        return s->waited = SAM_MXU_REGISTER;
    if (x->store_stage.slot)
        return s->waited = SAM_MXU_PRESSURE;
    x->stats.store_uops++;
    issue(x, s, &x->store_stage);
    return SAM_MXU_BUSY;
}

/* The request of what stands in `stage`, onto the queue. False: not in this cycle. */
static bool request(struct sam_mxu *x, struct stage *stage, struct queue *queue, unsigned most,
                    uint32_t *ids, uint64_t ready, bool *channel)
{
    struct slot *s = stage->slot;
    if (queue->count == most || *ids == UINT32_MAX || !(*channel = sam_mxu_ready(x)))
        return false;
    const uint8_t id = (uint8_t)__builtin_ctz(~*ids);
    *ids |= UINT32_C(1) << id;
    queue->of[queue->count++] = (struct request){
        .slot = s,
        .uop = stage->uop,
        .id = id,
        .beats = s->moves->of[stage->uop].length + 1u,
        .ready = ready,
    };
    s->moves->request_at[stage->uop] = x->now;
    stage->slot = NULL;
    return true;
}

void sam_mxu_request_load(struct sam_mxu *x)
{
    struct stage *stage = &x->load_stage;
    if (!stage->slot || x->now == stage->since)
        return;
    struct slot *s = stage->slot;
    const unsigned uop = stage->uop;
    const struct sam_mxu_move *move = &s->moves->of[uop];
    if (move->zero) {
        stage->slot = NULL;
        sam_mxu_finish(x, s, uop, x->now);
        return;
    }
    struct sam_mxu_bus *bus = &x->bus;
    bus->rvalid = x->reads.count < x->config.ld_queue && x->read_ids != UINT32_MAX;
    bus->raddr = move->address;
    bus->rlen = move->length;
    if (request(x, stage, &x->reads, x->config.ld_queue, &x->read_ids,
                x->now + x->config.mem_latency, &bus->rready)) {
        bus->rid = x->reads.of[x->reads.count - 1].id;
        x->stats.read_requests++;
        x->stats.bytes_loaded += move->size;
    }
}

void sam_mxu_request_store(struct sam_mxu *x)
{
    struct stage *stage = &x->store_stage;
    if (!stage->slot || x->now == stage->since)
        return;
    const struct sam_mxu_move *move = &stage->slot->moves->of[stage->uop];
    struct sam_mxu_bus *bus = &x->bus;
    bus->wvalid = x->writes.count < x->config.st_queue && x->write_ids != UINT32_MAX;
    bus->waddr = move->address;
    bus->wlen = move->length;
    bus->fullline = move->full_line;
    if (request(x, stage, &x->writes, x->config.st_queue, &x->write_ids, NEVER, &bus->wready)) {
        bus->wid = x->writes.of[x->writes.count - 1].id;
        x->stats.write_requests++;
        x->stats.full_lines += move->full_line;
        x->stats.bytes_stored += move->size;
    }
}
