/* SPDX-License-Identifier: Apache-2.0 */
/* Operand collection: each register bank grants one request per cycle, round robin over the
 * operands of all collectors. */
#include "gputime/parts.h"

/* Even numbers are scalar banks, odd ones vector banks. */
static uint8_t bank_of(const struct model *m, uint32_t slot, uint16_t reg)
{
    const bool vector = !m->config.banks_shared && reg >= VECTOR;
    const uint32_t bank = (reg + (m->config.banks_by_warp ? slot : 0)) & (m->config.banks - 1);
    return (uint8_t)(2 * bank + vector);
}

/* The operands of the set that are in the bank. */
static uint32_t at_bank(const struct collector *c, uint32_t operands, unsigned bank)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), most = 0x7f * ones;
    const uint64_t same = ~((c->banks ^ bank * ones) + most) &
                          ~most; /* SWAR: bytes equal to `bank`; bank numbers are below 128 */
    return (uint32_t)((same >> 7) * UINT64_C(0x0102040810204080) >> 56) & operands;
}

static unsigned bank_at(const struct collector *c, unsigned operand)
{
    return c->banks >> (8 * operand) & 0xff;
}

/* ---------------------------------------------------------------------------------- requests */

/* Request all missing operands. */
static void request_operands(struct sm *sm, struct collector *c)
{
    const uint64_t bit = UINT64_C(1) << (c - sm->collectors);
    c->asking = c->missing;
    for (uint32_t left = c->missing; left; left &= left - 1) {
        const unsigned bank = bank_at(c, (unsigned)__builtin_ctz(left));
        sm->banks[bank].asking |= bit;
        sm->asked |= UINT64_C(1) << bank;
        sm->requests++;
    }
}

static void cancel_requests(struct sm *sm, struct collector *c, uint32_t operands)
{
    const uint64_t bit = UINT64_C(1) << (c - sm->collectors);
    c->asking &= (uint8_t)~operands;
    for (uint32_t left = operands; left; left &= left - 1) {
        const unsigned bank = bank_at(c, (unsigned)__builtin_ctz(left));
        struct bank *b = &sm->banks[bank];
        if (at_bank(c, c->asking, bank))
            continue;
        b->asking &= ~bit;
        sm->asked &= ~((uint64_t)(b->asking == 0) << bank);
    }
}

void sam_gputime_collect(const struct model *m, struct sm *sm, struct collector *c,
                         const struct warp *w)
{
    const struct sam_gputime_config *config = &m->config;
    const struct code *code = w->code;
    const uint32_t slot = (uint32_t)(w - sm->warps);
    const unsigned index = (unsigned)(c - sm->collectors);
    const uint64_t bit = UINT64_C(1) << index;
    sm->used |= bit;
    sm->in_stream[0] &= ~bit;
    sm->in_stream[1] &= ~bit;
    sm->in_stream[config->issue_streams == 2 && w->trait->stream] |= bit;
    sm->for_unit[w->trait->unit] |= bit;
    c->slot = slot;
    c->generation = w->generation;
    c->missing = (uint8_t)((1u << code->source_count) - 1);
    if (!code->source_count) {
        sm->reading |= bit;
        sm->ready[index] = m->now + config->collect_none;
        emit_at(sm, sm->ready[index]);
        return;
    }
    c->banks = 0;
    for (unsigned i = 0; i < code->source_count; i++)
        c->banks |= (uint64_t)bank_of(m, slot, code->sources[i]) << (8 * i);
    sm->asking |= bit;
    sm->ready[index] = NEVER;
    c->request = m->now + config->collect_request;
    if (config->collect_request)
        sm->coming |= bit;
    else
        request_operands(sm, c);
}

/* Start the requests that are due. */
static void start_requests(const struct model *m, struct sm *sm)
{
    for (uint64_t set = sm->coming; set; set &= set - 1) {
        struct collector *c = &sm->collectors[__builtin_ctzll(set)];
        if (c->request > m->now) {
            wake_at(sm, c->request);
            continue;
        }
        sm->coming &= ~(set & -set);
        request_operands(sm, c);
    }
}

/* ------------------------------------------------------------------------------------ echoes */

void sam_gputime_end_echo(struct sm *sm, struct collector *c)
{
    cancel_requests(sm, c, c->echo);
    c->echo = 0;
}

/* With bank_echo an operand repeats its request in the cycle after the grant. Returns the
 * collectors with such requests in this cycle, and cancels older ones. */
static uint64_t next_echoes(const struct model *m, struct sm *sm)
{
    const uint64_t echoing = sm->echoing;
    sm->echoing = 0;
    if (sm->echo_cycle == m->now)
        return echoing;
    for (uint64_t set = echoing; set; set &= set - 1)
        sam_gputime_end_echo(sm, &sm->collectors[__builtin_ctzll(set)]);
    return 0;
}

/* ------------------------------------------------------------------------------------ grants */

/* The next request of the bank in round-robin order. */
static void choose_request(const struct sm *sm, unsigned bank, unsigned *collector,
                           unsigned *operand)
{
    const struct bank *b = &sm->banks[bank];
    const uint64_t next = UINT64_C(1) << b->next_collector;
    const struct collector *c = &sm->collectors[b->next_collector];
    uint64_t set = b->asking;
    if (set & next) {
        const uint32_t own = at_bank(c, c->asking, bank);
        const uint32_t from = own & (UINT32_MAX << b->next_operand);
        if (from || set == next) {
            *collector = b->next_collector;
            *operand = (unsigned)__builtin_ctz(from ? from : own);
            return;
        }
        set &= ~next;
    }
    const uint64_t above = set & -next;
    *collector = (unsigned)__builtin_ctzll(above ? above : set);
    c = &sm->collectors[*collector];
    *operand = (unsigned)__builtin_ctz(at_bank(c, c->asking, bank));
}

/* Returns false for an echo, whose read has no effect. */
static bool grant(struct model *m, struct sm *sm, unsigned bank, unsigned index, unsigned operand)
{
    struct collector *c = &sm->collectors[index];
    struct bank *b = &sm->banks[bank];
    const uint64_t bit = UINT64_C(1) << index;
    const bool last = operand + 1 == MOST_SOURCES;
    b->next_operand = last ? 0 : operand + 1;
    b->next_collector = index + last == m->config.collectors ? 0 : index + last;
    if (!(c->missing >> operand & 1))
        return false;
    c->missing &= (uint8_t) ~(1u << operand);
    sm->requests--;
    if (m->config.bank_echo) {
        c->fresh |= (uint8_t)(1u << operand);
        sm->echoing |= bit;
        sm->echo_cycle = m->now + 1;
    } else {
        cancel_requests(sm, c, 1u << operand);
    }
    if (c->missing == 0) {
        sm->asking &= ~bit;
        sm->ready[index] = m->now + m->config.collect_read;
        sm->reading |= bit;
        recheck(sm, &sm->warps[c->slot], EVENT_COLLECTOR);
        emit_at(sm, sm->ready[index]);
    }
    return true;
}

/* Returns the number of grants. */
static unsigned serve(struct model *m, struct sm *sm)
{
    unsigned granted = 0;
    for (uint64_t banks = sm->requests ? sm->asked : 0; banks; banks &= banks - 1) {
        const unsigned bank = (unsigned)__builtin_ctzll(banks);
        unsigned collector, operand;
        choose_request(sm, bank, &collector, &operand);
        granted += grant(m, sm, bank, collector, operand);
        if (m->config.bank_ports)
            break;
    }
    return granted;
}

void sam_gputime_operands(struct model *m, struct sm *sm)
{
    start_requests(m, sm);
    const uint64_t echoes = next_echoes(m, sm);
    const unsigned granted = serve(m, sm);
    for (uint64_t set = echoes; set; set &= set - 1)
        sam_gputime_end_echo(sm, &sm->collectors[__builtin_ctzll(set)]);
    for (uint64_t set = sm->echoing; set; set &= set - 1) {
        struct collector *c = &sm->collectors[__builtin_ctzll(set)];
        c->echo = c->fresh;
        c->fresh = 0;
    }
    sm->stats->bank_conflicts += sm->requests;
    if (sm->requests)
        wake_at(sm, m->now + 1);
    sm->stats->uses[SAM_GPUTIME_OPERANDS] += granted;
    sam_gputime_unit(m, sm, SAM_GPUTIME_OPERANDS,
                     sm->requests ? SAM_GPUTIME_BANK : SAM_GPUTIME_BUSY);
}
