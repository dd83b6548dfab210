/* SPDX-License-Identifier: Apache-2.0 */
/* Advances the model through the cycles with events. A cycle processes answers, then requests, then
 * issue, and last the instruction at the port: resources taken or released are visible in the next
 * cycle. */
#include <stdlib.h>

#include "matrix/cycle/state.h"

const char *sam_mxu_unit_name(enum sam_mxu_unit unit)
{
    static const char *const names[SAM_MXU_UNITS] = {"dsa", "mma",  "load", "store",
                                                     "pw",  "read", "write"};
    return (unsigned)unit < SAM_MXU_UNITS ? names[unit] : "";
}

const char *sam_mxu_state_name(enum sam_mxu_state state)
{
    static const char *const names[SAM_MXU_STATES] = {"busy",     "empty", "register", "block",
                                                      "pressure", "line",  "slots",    "memory",
                                                      "merge",    "port"};
    return (unsigned)state < SAM_MXU_STATES ? names[state] : "";
}

const char *sam_mxu_port_name(enum sam_mxu_port port)
{
    static const char *const names[SAM_MXU_PORTS] = {"ms1", "ms2", "md", "store", "mma", "load"};
    return (unsigned)port < SAM_MXU_PORTS ? names[port] : "";
}

static uint64_t tick(void *unit, uint64_t now);

struct sam_mxu *sam_mxu_new(const struct sam_mxu_config *config,
                            const struct sam_mxu_observer *observer,
                            const struct sam_mxu_outside *outside)
{
    struct sam_mxu *x = sam_alloc(1, sizeof *x);
    struct slot *slots = sam_alloc(config->slots, sizeof *slots);
    struct moves *moves = sam_alloc(config->slots, sizeof *moves);
    const bool has_l2 = config->l2_kib && !outside->memory;
    struct sam_mxu_cache *cache = has_l2 ? sam_mxu_cache_new(config->l2_kib) : NULL;
    if (!x || !slots || !moves || (has_l2 && !cache)) {
        free(x);
        free(slots);
        free(moves);
        free(cache);
        return NULL;
    }
    x->cache = cache;
    for (unsigned i = 0; i < config->slots; i++)
        slots[i].moves = &moves[i];
    x->config = *config;
    x->slots = slots;
    x->moves = moves;
    x->wake = NEVER;
    x->random = config->seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    if (observer)
        x->observer = *observer;
    x->outside = *outside;
    x->now = outside->clock->now;
    x->port = SAM_MXU_EMPTY;
    for (unsigned unit = 0; unit < SAM_MXU_UNITS; unit++)
        x->states[unit] = SAM_MXU_EMPTY;
    x->unit = sam_clock_join(outside->clock, (struct sam_clock_unit){tick, x});
    return x;
}

void sam_mxu_free(struct sam_mxu *x)
{
    if (!x)
        return;
    free(x->slots);
    free(x->moves);
    free(x->cache);
    free(x);
}

void sam_mxu_unwatch(struct sam_mxu *x)
{
    x->observer = (struct sam_mxu_observer){0};
}

static void count(struct sam_mxu *x, uint64_t cycles)
{
    for (unsigned unit = 0; unit < SAM_MXU_UNITS; unit++)
        x->stats.buckets[unit][x->states[unit]] += cycles;
    x->now += cycles;
    x->stats.cycles += cycles;
    if (x->now >= x->wake)
        sam_mxu_grant(x);
}

enum { WRITE_BACK = 7 }; /* uop of configurations, the instructions that write rd */

/* The instruction port. The response follows one cycle after an instruction is accepted. */
static struct sam_mxu_bus dsa_port(struct sam_mxu *x, bool waits)
{
    struct sam_mxu_bus bus = {.dsa_valid = x->accepts || waits,
                              .dsa_ready = x->accepts || x->used < x->config.slots,
                              .dsa_resp_valid = x->responds};
    bus.dsa_resp_wb = x->responds && (x->answered.word >> 25 & 7) == WRITE_BACK;
    bus.dsa_resp_data = bus.dsa_resp_wb ? x->answered.rd : 0;
    if (bus.dsa_valid)
        bus.dsa = x->dsa;
    x->responds = x->accepts;
    if (x->accepts)
        x->answered = x->dsa;
    return bus;
}

/* Simulate cycle x->now. The next one begins with granting registers. */
static void simulate(struct sam_mxu *x)
{
    enum sam_mxu_state *states = x->states;
    if (x->observer.cycle)
        x->bus = dsa_port(x, x->port == SAM_MXU_SLOTS);
    x->store_ports = 0;
    x->load_ports = x->load_ports_next;
    x->load_ports_next = 0;
    x->moved = x->accepts;
    x->soonest = NEVER;
    states[SAM_MXU_DSA] = x->accepts ? SAM_MXU_BUSY : x->port;
    states[SAM_MXU_READ] = sam_mxu_read_channel(x);
    sam_mxu_request_load(x);
    sam_mxu_request_store(x);
    states[SAM_MXU_WRITE] = sam_mxu_write_channel(x);
    states[SAM_MXU_MMA] = sam_mxu_issue_mma(x);
    states[SAM_MXU_PW] = sam_mxu_issue_pw(x);
    states[SAM_MXU_LOAD] = sam_mxu_issue_load(x);
    states[SAM_MXU_STORE] = sam_mxu_issue_store(x);
    for (unsigned unit = 0; unit < SAM_MXU_UNITS; unit++)
        x->moved |= states[unit] == SAM_MXU_BUSY;
    if (x->observer.cycle)
        x->observer.cycle(x->observer.context, x->now, &x->bus);
    x->read_ids &= ~x->read_freed;
    x->write_ids &= ~x->write_freed;
    x->read_freed = x->write_freed = 0;
    x->accepts = false;
    if (x->arriving) {
        sam_mxu_use_slot(x, x->arriving);
        x->arriving = NULL;
        x->wake = x->now + 1;
    }
    count(x, 1);
}

/* The next cycle with a possible event: every cycle if channels are ready at random or all cycles
 * are traced. */
static uint64_t next_cycle(const struct sam_mxu *x)
{
    if (x->used == 0)
        return SAM_CLOCK_IDLE;
    if (x->moved || x->config.stall || x->observer.cycle)
        return x->now;
    /* one cycle earlier if the hart waits for a slot */
    const uint64_t wake = x->wake - (x->port == SAM_MXU_SLOTS);
    const uint64_t next = wake < x->soonest ? wake : x->soonest;
    return next > x->now ? next : x->now;
}

/* Account for cycles without events up to `now`. */
static void rest(struct sam_mxu *x, uint64_t now)
{
    if (x->now >= now)
        return;
    for (unsigned unit = 0; x->used == 0 && unit < SAM_MXU_UNITS; unit++)
        x->states[unit] = SAM_MXU_EMPTY;
    x->states[SAM_MXU_DSA] = x->port;
    for (uint64_t cycle = x->now; x->observer.cycle && cycle < now; cycle++) {
        const struct sam_mxu_bus bus = dsa_port(x, false);
        x->observer.cycle(x->observer.context, cycle, &bus);
    }
    count(x, now - x->now);
}

static uint64_t tick(void *unit, uint64_t now)
{
    struct sam_mxu *x = unit;
    rest(x, now);
    simulate(x);
    if (x->port == SAM_MXU_SLOTS && x->used < x->config.slots)
        sam_clock_interrupt(x->outside.clock);
    return next_cycle(x);
}

const struct sam_mxu_stats *sam_mxu_stats(struct sam_mxu *x)
{
    rest(x, x->outside.clock->now);
    return &x->stats;
}

void sam_mxu_wake(struct sam_mxu *x, uint64_t at)
{
    sam_clock_wake(x->outside.clock, x->unit, at);
}

bool sam_mxu_has_room(struct sam_mxu *x)
{
    rest(x, x->outside.clock->now);
    return x->used < x->config.slots;
}

bool sam_mxu_is_busy(struct sam_mxu *x)
{
    rest(x, x->outside.clock->now);
    return x->used || x->arriving;
}

void sam_mxu_set_waiting(struct sam_mxu *x, bool waits)
{
    rest(x, x->outside.clock->now);
    x->port = waits ? SAM_MXU_SLOTS : SAM_MXU_EMPTY;
    if (waits)
        sam_mxu_wake(x, x->now);
}

void sam_mxu_offer(struct sam_mxu *x, const struct sam_mxu_dsa *dsa)
{
    rest(x, x->outside.clock->now);
    x->dsa = *dsa;
}

void sam_mxu_scalars(struct sam_mxu *x, uint64_t count)
{
    x->stats.scalar += count;
}

/* Set the data of the beats: the bytes of a store's rows, zero elsewhere; the memory that a load
 * reads. */
static void set_beats(const struct sam_mxu *x, const struct slot *s,
                      const struct sam_mxu_values *values)
{
    const unsigned rows = x->config.mlen / 32, row_bytes = x->config.mlen / 8;
    for (unsigned i = 0; i < s->total; i++) {
        const struct sam_mxu_move *m = &s->moves->of[i];
        uint8_t *to = s->moves->beats[i];
        memset(to, 0, sizeof s->moves->beats[i]);
        if (m->zero || !values)
            continue;
        if (s->work.kind == SAM_M_KIND_STORE)
            memcpy(to + (m->first - m->address),
                   values->registers + m->row / rows * sizeof(((struct sam_matrix *)0)->m[0]) +
                       m->row % rows * row_bytes + m->k,
                   m->size);
        else
            for (unsigned beat = 0; beat <= m->length; beat++)
                values->memory(values->context, m->address + 16 * beat, to + 16 * beat);
    }
}

void sam_mxu_matrix(struct sam_mxu *x, const struct sam_matrix_work *work, uint64_t order,
                    uint64_t pc, uint32_t word, const struct sam_mxu_values *values)
{
    rest(x, x->outside.clock->now);
    x->accepts = true;
    x->stats.instructions++;
    if (work->kind != SAM_M_KIND_CONFIG) {
        struct slot *s = sam_mxu_take_slot(x, work);
        s->order = order;
        s->pc = pc;
        s->word = word;
        if (x->observer.cycle && work->kind <= SAM_M_KIND_STORE)
            set_beats(x, s, values);
        x->arriving = s;
    }
    x->next_number++;
    sam_mxu_wake(x, x->now);
}
