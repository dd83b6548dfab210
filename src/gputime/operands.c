/* SPDX-License-Identifier: Apache-2.0 */
/* Operands are read from the register banks: each bank grants one request per cycle, round robin
 * over the operands of all collectors. */
#include "gputime/model.h"

/* Scalar and vector banks alternate. */
static uint8_t bank_of(const struct model *m, uint32_t slot, uint16_t reg)
{
    const bool vector = !m->config.banks_shared && reg >= VECTOR;
    const uint32_t bank = (reg + (m->config.banks_by_warp ? slot : 0)) & (m->config.banks - 1);
    return (uint8_t)(2 * bank + vector);
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
    c->echo = c->fresh = 0;
    if (!code->source_count) {
        sm->reading |= bit;
        sm->ready[index] = m->now + config->collect_none;
        emit_at(sm, sm->ready[index]);
        return;
    }
    sm->asking |= bit;
    sm->coming |= bit;
    sm->ready[index] = NEVER;
    c->request = m->now + config->collect_request;
    for (unsigned i = 0; i < code->source_count && i < MOST_SOURCES; i++)
        c->bank[i] = bank_of(m, slot, code->sources[i]);
}

/* Requests that have come by this cycle stand at their banks. */
static void take_requests(const struct model *m, struct sm *sm)
{
    for (uint64_t set = sm->coming; set; set &= set - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(set);
        const struct collector *c = &sm->collectors[i];
        if (c->request > m->now) {
            wake_at(sm, c->request);
            continue;
        }
        sm->coming &= ~(UINT64_C(1) << i);
        sm->requests += (uint32_t)__builtin_popcount(c->missing);
        for (uint32_t left = c->missing; left; left &= left - 1) {
            const unsigned bank = c->bank[__builtin_ctz(left)];
            sm->banks[bank].asking |= UINT64_C(1) << i;
            sm->asked |= UINT64_C(1) << bank;
        }
    }
}

/* Those operands in the set that ask for the bank. */
static uint32_t at_bank(const struct collector *c, uint32_t operands, unsigned bank)
{
    uint32_t found = 0;
    for (uint32_t left = operands; left; left &= left - 1) {
        const unsigned k = (unsigned)__builtin_ctz(left);
        found |= (uint32_t)(c->bank[k] == bank) << k;
    }
    return found;
}

/* With bank_echo, operands that were granted in the last cycle ask once more: the collectors that
 * have such. */
static uint64_t take_echoes(const struct model *m, struct sm *sm)
{
    const bool fresh = sm->echo_cycle == m->now;
    uint64_t echoes = 0;
    for (uint64_t set = sm->echoing; set; set &= set - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(set);
        struct collector *c = &sm->collectors[i];
        c->echo = fresh && sm->used >> i & 1 ? c->fresh : 0;
        c->fresh = 0;
        echoes |= (uint64_t)(c->echo != 0) << i;
    }
    sm->echoing = 0;
    return echoes;
}

/* The banks that they ask. */
static uint64_t banks_of_echoes(const struct sm *sm, uint64_t echoes)
{
    uint64_t banks = 0;
    for (; echoes; echoes &= echoes - 1) {
        const struct collector *c = &sm->collectors[__builtin_ctzll(echoes)];
        for (uint32_t left = c->echo; left; left &= left - 1)
            banks |= UINT64_C(1) << c->bank[__builtin_ctz(left)];
    }
    return banks;
}

/* The collectors that ask a bank. */
static uint64_t asking_collectors(const struct sm *sm, unsigned bank, uint64_t echoes)
{
    uint64_t set = sm->banks[bank].asking;
    for (; echoes; echoes &= echoes - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(echoes);
        const struct collector *c = &sm->collectors[i];
        set |= (uint64_t)(at_bank(c, c->echo, bank) != 0) << i;
    }
    return set;
}

/* Operands of a collector that ask for the bank. */
static uint32_t asking_operands(const struct sm *sm, unsigned i, unsigned bank)
{
    const struct collector *c = &sm->collectors[i];
    return at_bank(c, (uint32_t)c->missing | c->echo, bank);
}

/* The request to be served: of those of `set`, the first from the bank's next port on. */
static void choose(const struct sm *sm, unsigned bank, uint64_t set, unsigned *collector,
                   unsigned *operand)
{
    const struct bank *b = &sm->banks[bank];
    const uint64_t next = UINT64_C(1) << b->next_collector;
    if (set & next) {
        const uint32_t own = asking_operands(sm, b->next_collector, bank);
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
    *operand = (unsigned)__builtin_ctz(asking_operands(sm, *collector, bank));
}

/* False: it was an echo, read for nothing. */
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
    if (!at_bank(c, c->missing, bank)) {
        b->asking &= ~bit;
        sm->asked &= ~((uint64_t)(b->asking == 0) << bank);
    }
    if (m->config.bank_echo) {
        c->fresh |= (uint8_t)(1u << operand);
        sm->echoing |= bit;
        sm->echo_cycle = m->now + 1;
    }
    sm->requests--;
    if (c->missing == 0) {
        sm->asking &= ~bit;
        sm->ready[index] = m->now + m->config.collect_read;
        sm->reading |= bit;
        judge_again(sm, &sm->warps[c->slot], EVENT_COLLECTOR);
        emit_at(sm, sm->ready[index]);
    }
    return true;
}

/* How many requests the banks grant. */
static unsigned serve(struct model *m, struct sm *sm)
{
    const uint64_t echoes = take_echoes(m, sm);
    unsigned granted = 0;
    if (!sm->requests)
        return 0;
    for (uint64_t banks = sm->asked | banks_of_echoes(sm, echoes); banks; banks &= banks - 1) {
        const unsigned bank = (unsigned)__builtin_ctzll(banks);
        unsigned collector, operand;
        choose(sm, bank, asking_collectors(sm, bank, echoes), &collector, &operand);
        granted += grant(m, sm, bank, collector, operand);
        if (m->config.bank_ports)
            break;
    }
    return granted;
}

void sam_gputime_operands(struct model *m, struct sm *sm)
{
    if (sm->asking == 0) {
        sam_gputime_unit(m, sm, SAM_GPUTIME_OPERANDS,
                         sm->used ? SAM_GPUTIME_BUSY : SAM_GPUTIME_EMPTY);
        return;
    }
    take_requests(m, sm);
    const unsigned granted = serve(m, sm);
    sm->stats->bank_conflicts += sm->requests;
    if (sm->requests)
        wake_at(sm, m->now + 1);
    sm->stats->uses[SAM_GPUTIME_OPERANDS] += granted;
    sam_gputime_unit(m, sm, SAM_GPUTIME_OPERANDS,
                     sm->requests ? SAM_GPUTIME_BANK : SAM_GPUTIME_BUSY);
}
