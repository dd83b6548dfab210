/* SPDX-License-Identifier: Apache-2.0 */
/* Coalescing: one request per distinct line, in the order of the first lane that touches it;
 * atomics have one request per lane. */
#include "gputime/parts.h"

enum { BUCKETS = 2 * SAM_GPUTIME_MOST_ADDRESSES, MOST_LDS_BANKS = 64 };

/* Addresses of an op in order of lanes, and the request of each. */
struct addresses {
    unsigned count;
    uint32_t at[SAM_GPUTIME_MOST_ADDRESSES];
    uint8_t request[SAM_GPUTIME_MOST_ADDRESSES];
};

static void list_addresses(const struct sam_gputime_op *op, struct addresses *list)
{
    const uint32_t most = SAM_GPUTIME_MOST_ADDRESSES;
    list->count = 0;
    switch ((enum sam_gputime_form)op->form) {
    case SAM_GPUTIME_NO_ACCESS: break;
    case SAM_GPUTIME_SCALAR: list->at[list->count++] = op->base; break;
    case SAM_GPUTIME_STRIDED:
        for (uint32_t lanes = op->acting; lanes; lanes &= lanes - 1)
            list->at[list->count++] =
                op->base + (uint32_t)op->stride * (uint32_t)__builtin_ctz(lanes);
        break;
    case SAM_GPUTIME_EACH:
        list->count = op->count < most ? op->count : most;
        memcpy(list->at, op->addresses, list->count * sizeof list->at[0]);
        break;
    }
}

static unsigned add_request(struct access *a, uint32_t line, uint8_t passes)
{
    a->lines[a->count] = line;
    a->passes[a->count] = passes;
    a->bytes[a->count] = 0;
    return a->count++;
}

/* Hash table of requests by line; a bucket is the number of a request, from 1. */
struct table {
    unsigned bits; /* of the number of buckets */
    uint8_t buckets[BUCKETS];
};

/* Find or add the request for a line. */
static unsigned request_for(struct access *a, struct table *t, uint32_t line)
{
    unsigned at = (line * 0x9e3779b1u) >> (32 - t->bits);
    for (; t->buckets[at]; at = (at + 1) & ((1u << t->bits) - 1))
        if (a->lines[t->buckets[at] - 1] == line)
            return t->buckets[at] - 1u;
    const unsigned request = add_request(a, line, 0);
    t->buckets[at] = (uint8_t)(request + 1);
    return request;
}

/* Fast path: most lanes touch the line of the previous lane. */
static void share_lines(const struct model *m, struct access *a, struct addresses *list)
{
    struct table table;
    unsigned request = 0;
    table.bits = 32 - (unsigned)__builtin_clz(2 * list->count - 1);
    memset(table.buckets, 0, (size_t)1 << table.bits); /* load factor at most 1/2 */
    for (unsigned i = 0; i < list->count; i++) {
        const uint32_t line = list->at[i] >> m->l1_shift;
        if (i == 0 || line != a->lines[request])
            request = request_for(a, &table, line);
        list->request[i] = (uint8_t)request;
    }
}

/* Bank conflict passes of each request: the most accesses to one bank. */
static void count_turns(const struct model *m, struct access *a, const struct addresses *list)
{
    const uint32_t banks = m->config.lds_banks ? m->config.lds_banks : m->threads;
    uint8_t lanes[SAM_GPUTIME_MOST_ADDRESSES][MOST_LDS_BANKS];
    memset(lanes, 0, a->count * sizeof lanes[0]);
    for (unsigned i = 0; i < list->count; i++) {
        const unsigned r = list->request[i];
        const uint8_t passes = ++lanes[r][(list->at[i] >> 2) & (banks - 1)];
        a->passes[r] = passes > a->passes[r] ? passes : a->passes[r];
    }
}

static struct access *free_access(struct sm *sm)
{
    for (uint32_t i = 0; i < sm->access_count; i++)
        if (!sm->accesses[i].used)
            return &sm->accesses[i];
    return NULL; /* not reached: there is one for each instruction in collectors and LSU */
}

/* The written bytes of each line. */
static void cover(const struct model *m, const struct access *a, struct coverage *coverage,
                  const struct sam_gputime_op *op, const struct addresses *list)
{
    memset(coverage->of, 0, a->count * sizeof coverage->of[0]);
    for (unsigned i = 0; i < list->count; i++) {
        const uint32_t at = list->at[i];
        const unsigned low = at % SAM_MEMTIME_LINE, part = (at / SAM_MEMTIME_LINE) % MOST_PARTS;
        const uint64_t bytes = (UINT64_C(2) << (op->bytes - 1)) - 1;
        coverage->of[list->request[i]][m->l1_shift > 6 ? part : 0] |= bytes << low;
    }
}

struct access *sam_gputime_coalesce(struct model *m, struct sm *sm, const struct trait *trait,
                                    const struct sam_gputime_op *op)
{
    struct addresses list;
    list_addresses(op, &list);
    struct access *a = list.count ? free_access(sm) : NULL;
    if (!a)
        return NULL;
    a->used = true;
    a->local = op->local && !m->config.lds_cached;
    a->write = trait->store;
    a->atomic = trait->atomic;
    a->count = a->next = 0;
    if (a->atomic)
        for (unsigned i = 0; i < list.count; i++)
            list.request[i] = (uint8_t)add_request(a, list.at[i] >> m->l1_shift, 1);
    else
        share_lines(m, a, &list);
    for (unsigned i = 0; i < list.count; i++)
        a->bytes[list.request[i]] += op->bytes;
    if (a->local && !a->atomic)
        count_turns(m, a, &list);
    if (sm->coverage && a->write && !a->local)
        cover(m, a, &sm->coverage[a - sm->accesses], op, &list);
    return a;
}
