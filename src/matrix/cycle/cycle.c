/* SPDX-License-Identifier: Apache-2.0 */
/* Advances the model cycle by cycle. Within a cycle, answers come first, then requests, then issue,
 * and last the instruction at the port: others see what is taken or freed in the next cycle. */
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

struct sam_mxu *sam_mxu_new(const struct sam_mxu_config *config,
                            const struct sam_mxu_observer *observer)
{
    struct sam_mxu *x = sam_alloc(1, sizeof *x);
    struct slot *slots = sam_alloc(config->slots, sizeof *slots);
    struct moves *moves = sam_alloc(config->slots, sizeof *moves);
    struct sam_mxu_cache *cache = config->l2_kib ? sam_mxu_cache_new(config->l2_kib) : NULL;
    if (!x || !slots || !moves || (config->l2_kib && !cache)) {
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

const struct sam_mxu_stats *sam_mxu_stats(const struct sam_mxu *x)
{
    return &x->stats;
}

void sam_mxu_unwatch(struct sam_mxu *x)
{
    x->observer = (struct sam_mxu_observer){0};
}

/* `port`: the state of the port in this cycle. The next cycle begins with granting registers. */
static void tick(struct sam_mxu *x, enum sam_mxu_state port)
{
    enum sam_mxu_state states[SAM_MXU_UNITS];
    x->bus = (struct sam_mxu_bus){0};
    x->store_ports = 0;
    x->load_ports = x->load_ports_next;
    x->load_ports_next = 0;
    states[SAM_MXU_DSA] = port;
    states[SAM_MXU_READ] = sam_mxu_read_channel(x);
    sam_mxu_request_load(x);
    sam_mxu_request_store(x);
    states[SAM_MXU_WRITE] = sam_mxu_write_channel(x);
    states[SAM_MXU_MMA] = sam_mxu_issue_mma(x);
    states[SAM_MXU_PW] = sam_mxu_issue_pw(x);
    states[SAM_MXU_LOAD] = sam_mxu_issue_load(x);
    states[SAM_MXU_STORE] = sam_mxu_issue_store(x);
    for (unsigned unit = 0; unit < SAM_MXU_UNITS; unit++)
        x->stats.buckets[unit][states[unit]]++;
    if (x->observer.cycle)
        x->observer.cycle(x->observer.context, x->now, &x->bus);
    x->read_ids &= ~x->read_freed;
    x->write_ids &= ~x->write_freed;
    x->read_freed = x->write_freed = 0;
    x->now++;
    x->stats.cycles = x->now;
    if (x->now >= x->wake)
        sam_mxu_grant(x);
}

void sam_mxu_scalar(struct sam_mxu *x)
{
    x->stats.scalar++;
    tick(x, SAM_MXU_EMPTY);
}

/* Set the data of a load or store: for a store the bytes of its rows, zero elsewhere; for a load
 * the contents of memory. */
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

void sam_mxu_matrix(struct sam_mxu *x, const struct sam_matrix_work *work, uint64_t pc,
                    uint32_t word, const struct sam_mxu_values *values)
{
    const bool holds = work->kind != SAM_M_KIND_CONFIG;
    while (holds && x->used == x->config.slots)
        tick(x, SAM_MXU_SLOTS);
    tick(x, SAM_MXU_BUSY);
    x->stats.instructions++;
    if (holds) {
        /* It was taken in the previous cycle. */
        x->now--;
        struct slot *s = sam_mxu_take_slot(x, work, pc, word);
        if (x->observer.cycle && work->kind <= SAM_M_KIND_STORE)
            set_beats(x, s, values);
        x->now++;
        sam_mxu_grant(x);
    }
    x->next_number++;
}

void sam_mxu_drain(struct sam_mxu *x)
{
    while (x->used)
        tick(x, SAM_MXU_EMPTY);
}
