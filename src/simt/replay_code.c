/* SPDX-License-Identifier: Apache-2.0 */
/* Code of a recorded launch: instructions and paths, each stored once. */
#include <stdlib.h>

#include "simt/replay.h"

static unsigned hash(uint64_t value)
{
    return (unsigned)(value * UINT64_C(0x9e3779b97f4a7c15) >> 54);
}

enum replay_extra sam_replay_extra(const struct sam_insn *insn)
{
    const struct sam_does *does = &sam_insn_rows[insn->op].does;
    const bool vector = sam_op_is_vector(insn->op);
    if (does->act == SAM_ACT_SPLIT)
        return REPLAY_TAKEN;
    if (does->bytes)
        return vector ? REPLAY_LANES : REPLAY_ADDRESS;
    return vector && !insn->vm ? REPLAY_MASK : REPLAY_NOTHING;
}

struct replay_site *sam_replay_site(struct sam_replay *r, uint32_t pc, const struct sam_insn *insn,
                                    uint32_t prefix)
{
    struct replay_site **head = &r->sites[hash(pc / 4)];
    for (struct replay_site *site = *head; site; site = site->next)
        if (site->pc == pc && site->insn.word == insn->word && site->prefix == prefix)
            return site;
    struct replay_site *site = sam_alloc(1, sizeof *site);
    if (!site) {
        r->failed = true;
        return NULL;
    }
    *site = (struct replay_site){.insn = *insn,
                                 .pc = pc,
                                 .prefix = prefix,
                                 .extra = (uint8_t)sam_replay_extra(insn),
                                 .bytes = sam_insn_rows[insn->op].does.bytes,
                                 .vector = sam_op_is_vector(insn->op),
                                 .next = *head};
    /* A scalar pair is one access to both words. */
    if (site->extra == REPLAY_ADDRESS && sam_lanes_is_pair(insn, &r->run->gpu->access[insn->op]))
        site->bytes *= 2;
    return *head = site;
}

const struct replay_site *sam_replay_at(const struct sam_replay *r, uint32_t pc)
{
    const struct replay_site *site = r->sites[hash(pc / 4)];
    while (site && site->pc != pc)
        site = site->next;
    return site;
}

uint32_t sam_replay_path(struct sam_replay *r, struct replay_site *const *sites, uint32_t count)
{
    const size_t size = count * sizeof(void *);
    uint32_t *head = &r->path_heads[hash((uintptr_t)sites[0] / 16 + count)];
    for (uint32_t at = *head; at; at = r->paths[at - 1]->next)
        if (r->paths[at - 1]->count == count && memcmp(r->paths[at - 1]->sites, sites, size) == 0)
            return at;
    struct replay_path *path = malloc(sizeof *path + size);
    void *grown =
        path ? sam_grow(r->paths, r->path_count, &r->path_capacity, sizeof(void *)) : NULL;
    if (!grown || r->path_count == UINT32_MAX - 1) {
        r->failed = true;
        free(path);
        return 0;
    }
    *path = (struct replay_path){.count = count, .next = *head};
    memcpy(path->sites, sites, size);
    r->paths = grown;
    r->paths[r->path_count] = path;
    return *head = (uint32_t)++r->path_count;
}

/* Indices of sam_counters.sums: the latest path that begins at the instruction, tagged with the
 * generation; its site. */
enum { REPLAY_PATH, REPLAY_SITE };

static struct replay_site *site_of(struct sam_replay *r, struct sam_counters *counters, uint64_t pc)
{
    if (!counters->sums[REPLAY_SITE])
        counters->sums[REPLAY_SITE] =
            (int64_t)(intptr_t)sam_replay_site(r, (uint32_t)pc, &counters->insn, counters->prefix);
    return (struct replay_site *)(intptr_t)counters->sums[REPLAY_SITE];
}

uint32_t sam_replay_path_of(struct sam_replay *r, const struct sam_core *c,
                            const struct sam_uop *entry, const struct sam_uop *past)
{
    struct sam_counters *first = c->counters + (entry - c->ops);
    struct sam_counters *last = c->counters + (past - 1 - c->ops);
    struct sam_fused *fused = NULL;
    if (sam_op_is_prefix(last->insn.op))
        fused = (struct sam_fused *)(uintptr_t)past[-1].link;
    if (fused && fused->counters.insn.op == SAM_OP_ILLEGAL)
        fused = NULL;
    const uint32_t count = (uint32_t)(past - entry) + (fused ? 1 : 0);
    const uint64_t known = (uint64_t)first->sums[REPLAY_PATH];
    if (SAM_LIKELY(known >> 32 == r->generation && (uint32_t)known &&
                   r->paths[(uint32_t)known - 1]->count == count))
        return (uint32_t)known;
    struct replay_site *sites[SAM_PAGE_OPS + 1];
    sites[0] = NULL;
    const uint64_t pc = c->page_pc + 4 * (uint64_t)(entry - c->ops);
    bool good = true;
    for (uint32_t i = 0; i < past - entry; i++)
        good &= (sites[i] = site_of(r, first + i, pc + 4 * (uint64_t)i)) != NULL;
    if (fused)
        good &= (sites[count - 1] = site_of(r, &fused->counters, fused->pc)) != NULL;
    const uint32_t path = good ? sam_replay_path(r, sites, count) : 0;
    first->sums[REPLAY_PATH] = (int64_t)((uint64_t)r->generation << 32 | path);
    return path;
}

void sam_replay_code_free(struct sam_replay *r)
{
    for (size_t i = 0; i < REPLAY_BUCKETS; i++) {
        for (struct replay_site *site = r->sites[i], *next; site; site = next) {
            next = site->next;
            free(site);
        }
    }
    for (size_t i = 0; i < r->path_count; i++)
        free(r->paths[i]);
    free(r->paths);
}
