/* SPDX-License-Identifier: Apache-2.0 */
/* The line requests of a memory instruction: distinct lines in the order of the lanes that first
 * touch them; a request each lane for atomics. */
#include "gputime/model.h"

/* The addresses of the op in order of lanes. */
static unsigned list_addresses(const struct sam_gputime_op *op,
                               uint32_t at[SAM_GPUTIME_MOST_ADDRESSES])
{
    unsigned count = 0;
    switch ((enum sam_gputime_form)op->form) {
    case SAM_GPUTIME_NO_ACCESS: break;
    case SAM_GPUTIME_SCALAR: at[count++] = op->base; break;
    case SAM_GPUTIME_STRIDED:
        for (uint32_t lanes = op->acting; lanes; lanes &= lanes - 1)
            at[count++] = op->base + (uint32_t)op->stride * (uint32_t)__builtin_ctz(lanes);
        break;
    case SAM_GPUTIME_EACH:
        count = op->count < SAM_GPUTIME_MOST_ADDRESSES ? op->count : SAM_GPUTIME_MOST_ADDRESSES;
        memcpy(at, op->addresses, count * sizeof *at);
        break;
    }
    return count;
}

/* The request for a line, which is the last one for most lanes. */
static unsigned request_for(struct access *a, uint32_t line)
{
    for (unsigned i = a->count; i-- > 0;)
        if (a->lines[i] == line)
            return i;
    a->lines[a->count] = line;
    a->turns[a->count] = 0;
    a->bytes[a->count] = 0;
    return a->count++;
}

/* Turns that the lanes of a request take: as many as the busiest bank has words to serve. */
static void count_turns(const struct model *m, struct access *a, const uint32_t *at, unsigned count)
{
    const uint32_t banks = m->config.lds_banks ? m->config.lds_banks : m->threads;
    for (unsigned r = 0; r < a->count; r++) {
        uint8_t lanes[64] = {0};
        for (unsigned i = 0; i < count; i++) {
            if (at[i] >> m->line_shift != a->lines[r])
                continue;
            const uint8_t turns = ++lanes[(at[i] >> 2) & (banks - 1)];
            a->turns[r] = turns > a->turns[r] ? turns : a->turns[r];
        }
    }
}

static struct access *free_access(struct sm *sm)
{
    for (uint32_t i = 0; i < sm->access_count; i++)
        if (!sm->accesses[i].used)
            return &sm->accesses[i];
    return NULL; /* there is one per place of an instruction before and in the LSU */
}

/* Which bytes of each line are written. */
static void cover(const struct model *m, const struct access *a, struct coverage *coverage,
                  const struct sam_gputime_op *op, const uint32_t *at, unsigned count)
{
    memset(coverage->of, 0, a->count * sizeof coverage->of[0]);
    for (unsigned i = 0; i < count; i++) {
        unsigned r = a->atomic ? i : a->count - 1u;
        while (!a->atomic && a->lines[r] != at[i] >> m->line_shift)
            r--;
        const unsigned low = at[i] % SAM_MEMTIME_LINE,
                       part = (at[i] / SAM_MEMTIME_LINE) % MOST_PARTS;
        const uint64_t bytes = (UINT64_C(2) << (op->bytes - 1)) - 1;
        coverage->of[r][m->line_shift > 6 ? part : 0] |= bytes << low;
    }
}

struct access *sam_gputime_coalesce(struct model *m, struct sm *sm, const struct trait *trait,
                                    const struct sam_gputime_op *op)
{
    uint32_t at[SAM_GPUTIME_MOST_ADDRESSES];
    const unsigned count = list_addresses(op, at);
    struct access *a = count ? free_access(sm) : NULL;
    if (!a)
        return NULL;
    a->used = true;
    a->local = op->local && !m->config.lds_cached;
    a->write = trait->store;
    a->atomic = trait->atomic;
    a->count = a->next = 0;
    for (unsigned i = 0; i < count; i++) {
        if (a->atomic) {
            a->lines[a->count] = at[i] >> m->line_shift;
            a->turns[a->count] = 1;
            a->bytes[a->count++] = op->bytes;
            continue;
        }
        a->bytes[request_for(a, at[i] >> m->line_shift)] += op->bytes;
    }
    if (a->local && !a->atomic)
        count_turns(m, a, at, count);
    if (sm->coverage && a->write && !a->local)
        cover(m, a, &sm->coverage[a - sm->accesses], op, at, count);
    return a;
}
