/* SPDX-License-Identifier: Apache-2.0 */
/* The shadow of memory: ranges of bytes with their last accesses in flight, and the races found. */
#include "system/race.h"

#include <stdlib.h>

enum {
    PAGE = 4096,
    PAGES = 1 << 20, /* of a 32-bit address space */
    FIRST_SWEEP = 4096,
    SITES = 256, /* hash slots for the accesses of a queue's current submission */
    SLOTS = 4096,
};

#define MOST_RANGES (UINT32_C(1) << 25) /* 256 MiB of them */

enum kind { LOADED, STORED, ATOMIC, KINDS };

/* The access that a range is kept for. */
struct who {
    unsigned queue;
    uint64_t count; /* submissions to the queue, this one included */
    struct sam_system_race_side side;
};

/* Bytes low to high of a page. */
struct range {
    uint16_t low, high;
    uint32_t who;
};

struct list {
    struct range *ranges; /* ascending; adjacent ranges of one `who` are merged */
    uint32_t count, capacity;
};

struct page {
    struct list lists[SAM_SYSTEM_QUEUES][KINDS];
};

struct queue {
    uint64_t submitted, ended;
    uint64_t record, pc;   /* of the last submission */
    uint32_t sites[SITES]; /* 1 + index in `whos`, of the last submission, by a hash of the pc */
};

struct sam_system_races {
    struct sam_system_races_options options;
    struct page **pages; /* by number; NULL: no range */
    uint32_t *used;      /* numbers of the others */
    size_t used_count, used_capacity;
    struct who *whos;
    size_t who_count, who_capacity;
    struct queue queues[SAM_SYSTEM_QUEUES];
    size_t ranges, sweep_at, sweep_whos_at;
    struct range *scratch; /* a page's list while it is rebuilt */
    enum sam_status status;
    /* findings */
    struct sam_system_race *found;
    size_t found_count, found_capacity;
    uint32_t slots[SLOTS]; /* 1 + index in `found`, by a hash of its two sides */
    uint64_t dropped;
};

static bool has_queue(enum sam_system_agent agent)
{
    return agent >= SAM_SYSTEM_BY_GPU;
}

static unsigned queue_of(enum sam_system_agent agent)
{
    return agent - SAM_SYSTEM_BY_GPU;
}

static enum kind kind_of(enum sam_system_access access)
{
    return access == SAM_SYSTEM_STORE ? STORED : access == SAM_SYSTEM_ATOMIC ? ATOMIC : LOADED;
}

static bool conflict(enum kind a, enum kind b)
{
    return a == STORED || b == STORED || a != b;
}

static void fail(struct sam_system_races *r, enum sam_status status)
{
    if (r->status == SAM_OK)
        r->status = status;
}

struct sam_system_races *sam_system_races_new(const struct sam_system_races_options *options)
{
    struct sam_system_races *r = sam_alloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->options = *options;
    if (!r->options.most)
        r->options.most = MOST_RANGES;
    if (!r->options.first_sweep)
        r->options.first_sweep = FIRST_SWEEP;
    r->sweep_at = r->sweep_whos_at = r->options.first_sweep;
    r->pages = sam_pages_new(PAGES * sizeof(void *));
    r->scratch = sam_alloc((size_t)2 * PAGE + 2, sizeof *r->scratch);
    if (r->pages && r->scratch)
        return r;
    sam_system_races_free(r);
    return NULL;
}

static void free_page(struct page *page)
{
    for (unsigned q = 0; q < SAM_SYSTEM_QUEUES; q++)
        for (unsigned k = 0; k < KINDS; k++)
            free(page->lists[q][k].ranges);
    free(page);
}

/* Drop all ranges, because no record is in flight. */
static void clear(struct sam_system_races *r)
{
    for (size_t i = 0; i < r->used_count; i++) {
        free_page(r->pages[r->used[i]]);
        r->pages[r->used[i]] = NULL;
    }
    r->used_count = r->who_count = r->ranges = 0;
    r->sweep_at = r->sweep_whos_at = r->options.first_sweep;
    for (unsigned q = 0; q < SAM_SYSTEM_QUEUES; q++)
        memset(r->queues[q].sites, 0, sizeof r->queues[q].sites);
}

void sam_system_races_free(struct sam_system_races *r)
{
    if (!r)
        return;
    if (r->pages)
        clear(r);
    sam_pages_free(r->pages, PAGES * sizeof(void *));
    free(r->scratch);
    free(r->used);
    free(r->whos);
    free(r->found);
    free(r);
}

static bool is_live(const struct sam_system_races *r, const struct who *who)
{
    return who->count > r->queues[who->queue].ended;
}

/* -------------------------------------------------------------------------------- findings */

static bool same_side(const struct sam_system_race_side *a, const struct sam_system_race_side *b)
{
    return a->agent == b->agent && a->access == b->access && a->has_pc == b->has_pc &&
           a->pc == b->pc && a->submitted_pc == b->submitted_pc;
}

static uint64_t hash_side(const struct sam_system_race_side *s, uint64_t hash)
{
    const uint64_t parts[] = {s->agent, s->access, s->pc, s->submitted_pc};
    for (size_t i = 0; i < SAM_COUNT(parts); i++)
        hash = (hash ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15) >> 7 ^ hash << 29;
    return hash;
}

/* The slot of the finding with these two sides, or a free one. */
static uint32_t *slot_of(struct sam_system_races *r, const struct sam_system_race *race)
{
    uint64_t at = hash_side(&race->in_flight, hash_side(&race->access, 1));
    for (;; at++) {
        uint32_t *slot = &r->slots[at % SLOTS];
        const struct sam_system_race *found = *slot ? &r->found[*slot - 1] : NULL;
        if (!found || (same_side(&found->access, &race->access) &&
                       same_side(&found->in_flight, &race->in_flight)))
            return slot;
    }
}

/* Merge a race into the finding with the same sides. */
static void extend(struct sam_system_race *found, const struct sam_system_race *race)
{
    const uint64_t end = race->address + race->size, found_end = found->address + found->size;
    found->count++;
    found->low = race->low < found->low ? race->low : found->low;
    found->high = race->high > found->high ? race->high : found->high;
    if (race->address > found_end || end < found->address)
        return;
    const uint64_t low = race->address < found->address ? race->address : found->address;
    found->size = (end > found_end ? end : found_end) - low;
    found->address = low;
}

static void report(struct sam_system_races *r, const struct sam_system_race *race)
{
    if (r->options.racing)
        r->options.racing(r->options.context, race);
    uint32_t *slot = slot_of(r, race);
    if (*slot) {
        extend(&r->found[*slot - 1], race);
        return;
    }
    if (r->found_count == SAM_SYSTEM_RACES_KEPT) {
        r->dropped++;
        return;
    }
    void *grown = sam_grow(r->found, r->found_count, &r->found_capacity, sizeof *r->found);
    if (!grown) {
        fail(r, SAM_ERR_MEMORY);
        return;
    }
    r->found = grown;
    r->found[r->found_count++] = *race;
    *slot = (uint32_t)r->found_count;
}

/* ---------------------------------------------------------------------------------- ranges */

/* The first range that ends at or above `at`. */
static uint32_t find(const struct list *list, unsigned at)
{
    size_t low = 0;
    SAM_SEARCH(low, list->count, i, list->ranges[i].high < at);
    return (uint32_t)low;
}

static void push(struct range *out, uint32_t *count, unsigned low, unsigned high, uint32_t who)
{
    if (*count && out[*count - 1].who == who && out[*count - 1].high + 1u == low)
        out[*count - 1].high = (uint16_t)high;
    else
        out[(*count)++] = (struct range){(uint16_t)low, (uint16_t)high, who};
}

/* Replace the ranges [from, to) of a list. */
static void replace(struct sam_system_races *r, struct list *list, uint32_t from, uint32_t to,
                    const struct range *ranges, uint32_t count)
{
    const uint32_t total = list->count - (to - from) + count;
    if (total > list->capacity) {
        const uint32_t capacity = total > PAGE / 2 ? PAGE : 2 * total;
        void *grown = realloc(list->ranges, capacity * sizeof *list->ranges);
        if (!grown) {
            fail(r, SAM_ERR_MEMORY);
            return;
        }
        list->ranges = grown;
        list->capacity = capacity;
    }
    memmove(list->ranges + from + count, list->ranges + to,
            (list->count - to) * sizeof *list->ranges);
    memcpy(list->ranges + from, ranges, count * sizeof *ranges);
    r->ranges += count;
    r->ranges -= to - from;
    list->count = total;
}

/* Record that `who` accessed bytes low to high. Bytes that the same submission has accessed before
 * keep their first access. */
static void note(struct sam_system_races *r, struct list *list, unsigned low, unsigned high,
                 uint32_t who)
{
    const uint64_t submission = r->whos[who].count;
    uint32_t from = find(list, low), to = from, count = 0;
    struct range *out = r->scratch;
    unsigned next = low;
    if (from < list->count && list->ranges[from].low <= low && list->ranges[from].high >= high &&
        r->whos[list->ranges[from].who].count == submission)
        return;
    if (from > 0) /* may merge with the new range */
        push(out, &count, list->ranges[from - 1].low, list->ranges[from - 1].high,
             list->ranges[from - 1].who);
    for (; to < list->count && list->ranges[to].low <= high; to++) {
        const struct range old = list->ranges[to];
        if (old.low < low)
            push(out, &count, old.low, low - 1, old.who);
        if (r->whos[old.who].count == submission) {
            const unsigned start = old.low > next ? old.low : next;
            if (start > next)
                push(out, &count, next, start - 1, who);
            push(out, &count, start, old.high < high ? old.high : high, old.who);
            next = old.high + 1u;
        }
        if (old.high > high) {
            if (next <= high)
                push(out, &count, next, high, who);
            push(out, &count, high + 1, old.high, old.who);
            next = old.high + 1u;
        }
    }
    if (next <= high)
        push(out, &count, next, high, who);
    if (to < list->count) {
        const struct range after = list->ranges[to++];
        push(out, &count, after.low, after.high, after.who);
    }
    replace(r, list, from - (from > 0), to, out, count);
}

/* ----------------------------------------------------------------------------- what is kept */

static struct page *open_page(struct sam_system_races *r, uint32_t number)
{
    struct page *page = r->pages[number];
    if (page)
        return page;
    void *grown = sam_grow(r->used, r->used_count, &r->used_capacity, sizeof *r->used);
    page = sam_alloc(1, sizeof *page);
    if (grown)
        r->used = grown;
    if (!grown || !page) {
        free(page);
        fail(r, SAM_ERR_MEMORY);
        return NULL;
    }
    r->used[r->used_count++] = number;
    return r->pages[number] = page;
}

/* Drop the ranges of records that have ended; set marks[who] for the others. Returns how many are
 * left. */
static uint32_t sweep_list(struct sam_system_races *r, struct list *list, uint32_t *marks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct range range = list->ranges[i];
        if (!is_live(r, &r->whos[range.who]))
            continue;
        marks[range.who] = 1;
        list->ranges[count++] = range;
    }
    r->ranges -= list->count - count;
    list->count = count;
    return count;
}

static void renumber(struct page *page, const uint32_t *numbers)
{
    for (unsigned q = 0; q < SAM_SYSTEM_QUEUES; q++)
        for (unsigned k = 0; k < KINDS; k++)
            for (uint32_t i = 0; i < page->lists[q][k].count; i++) {
                struct range *range = &page->lists[q][k].ranges[i];
                range->who = numbers[range->who];
            }
}

static void sweep_pages(struct sam_system_races *r, uint32_t *marks)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->used_count; i++) {
        struct page *page = r->pages[r->used[i]];
        uint32_t left = 0;
        for (unsigned q = 0; q < SAM_SYSTEM_QUEUES; q++)
            for (unsigned k = 0; k < KINDS; k++)
                left += sweep_list(r, &page->lists[q][k], marks);
        if (left) {
            r->used[kept++] = r->used[i];
            continue;
        }
        free_page(page);
        r->pages[r->used[i]] = NULL;
    }
    r->used_count = kept;
}

/* Sweep again at twice the number kept, but not far above the bound, so that exceeding it is
 * noticed. */
static size_t next_sweep(const struct sam_system_races *r, size_t kept)
{
    const size_t least = r->options.first_sweep, most = r->options.most + r->options.most / 8;
    const size_t next = 2 * kept < least ? least : 2 * kept;
    return next < most ? next : most;
}

/* Drop the ranges, pages and accesses of records that have ended. */
static void sweep(struct sam_system_races *r)
{
    uint32_t *numbers = sam_alloc(r->who_count + 1, sizeof *numbers), next = 0;
    if (!numbers) {
        fail(r, SAM_ERR_MEMORY);
        return;
    }
    sweep_pages(r, numbers);
    for (uint32_t i = 0; i < r->who_count; i++) {
        if (!numbers[i])
            continue;
        r->whos[next] = r->whos[i];
        numbers[i] = next++;
    }
    for (size_t i = 0; i < r->used_count; i++)
        renumber(r->pages[r->used[i]], numbers);
    r->who_count = next;
    for (unsigned q = 0; q < SAM_SYSTEM_QUEUES; q++)
        memset(r->queues[q].sites, 0, sizeof r->queues[q].sites);
    free(numbers);
    r->sweep_at = next_sweep(r, r->ranges);
    r->sweep_whos_at = next_sweep(r, next);
    if (r->ranges > r->options.most || next > r->options.most)
        fail(r, SAM_ERR_TRAP);
}

static struct sam_system_race_side side_of(const struct sam_system_races *r,
                                           const struct system_race_access *access)
{
    struct sam_system_race_side side = {
        .agent = access->agent, .access = access->kind, .has_pc = access->has_pc, .pc = access->pc};
    if (has_queue(access->agent)) {
        const struct queue *queue = &r->queues[queue_of(access->agent)];
        side.number = queue->submitted - 1;
        side.record = queue->record;
        side.submitted_pc = queue->pc;
    }
    return side;
}

/* Find or add the entry of `whos` for an access of a queue. Returns false on out-of-memory. */
static bool who_of(struct sam_system_races *r, const struct system_race_access *access,
                   uint32_t *number)
{
    const unsigned q = queue_of(access->agent);
    struct queue *queue = &r->queues[q];
    uint32_t *site = &queue->sites[(access->pc >> 2 ^ (uint64_t)access->kind << 6) % SITES];
    const struct sam_system_race_side side = side_of(r, access);
    if (!*site || r->whos[*site - 1].side.access != side.access ||
        r->whos[*site - 1].side.has_pc != side.has_pc || r->whos[*site - 1].side.pc != side.pc) {
        void *grown = sam_grow(r->whos, r->who_count, &r->who_capacity, sizeof *r->whos);
        if (!grown) {
            fail(r, SAM_ERR_MEMORY);
            return false;
        }
        r->whos = grown;
        r->whos[r->who_count++] = (struct who){q, queue->submitted, side};
        *site = (uint32_t)r->who_count;
    }
    *number = *site - 1;
    return true;
}

/* ---------------------------------------------------------------------------------- events */

uint64_t sam_system_races_submit(struct sam_system_races *r, enum sam_system_agent agent,
                                 uint64_t record, uint64_t pc)
{
    struct queue *queue = &r->queues[queue_of(agent)];
    queue->record = record;
    queue->pc = pc;
    memset(queue->sites, 0, sizeof queue->sites);
    return ++queue->submitted;
}

uint64_t sam_system_races_submitted(const struct sam_system_races *r, enum sam_system_agent agent)
{
    return r->queues[queue_of(agent)].submitted;
}

bool sam_system_races_in_flight(const struct sam_system_races *r)
{
    for (unsigned q = 0; q < SAM_SYSTEM_QUEUES; q++)
        if (r->queues[q].ended < r->queues[q].submitted)
            return true;
    return false;
}

void sam_system_races_ended(struct sam_system_races *r, enum sam_system_agent agent, uint64_t count)
{
    struct queue *queue = &r->queues[queue_of(agent)];
    if (count <= queue->ended)
        return;
    queue->ended = count < queue->submitted ? count : queue->submitted;
    if (!sam_system_races_in_flight(r))
        clear(r);
}

/* Report races of bytes low to high with the ranges of a list. */
static void check_list(struct sam_system_races *r, const struct list *list, uint64_t base,
                       unsigned low, unsigned high, const struct system_race_access *access)
{
    for (uint32_t i = find(list, low); i < list->count && list->ranges[i].low <= high; i++) {
        const struct range range = list->ranges[i];
        const struct who *who = &r->whos[range.who];
        const unsigned from = range.low > low ? range.low : low;
        const unsigned to = range.high < high ? range.high : high;
        if (is_live(r, who))
            report(r, &(struct sam_system_race){.access = side_of(r, access),
                                                .in_flight = who->side,
                                                .address = base + from,
                                                .low = base + from,
                                                .high = base + to,
                                                .size = to - from + 1,
                                                .count = 1});
    }
}

static void check(struct sam_system_races *r, const struct page *page, uint64_t base, unsigned low,
                  unsigned high, const struct system_race_access *access)
{
    for (unsigned q = 0; q < SAM_SYSTEM_QUEUES; q++) {
        if (has_queue(access->agent) && queue_of(access->agent) == q)
            continue;
        for (unsigned k = 0; k < KINDS; k++)
            if (conflict(kind_of(access->kind), (enum kind)k))
                check_list(r, &page->lists[q][k], base, low, high, access);
    }
}

void sam_system_races_access(struct sam_system_races *r, const struct system_race_access *access)
{
    const bool keep = has_queue(access->agent);
    uint32_t who = 0;
    if (!access->size || r->status != SAM_OK || !sam_system_races_in_flight(r))
        return;
    if (r->ranges >= r->sweep_at || r->who_count >= r->sweep_whos_at)
        sweep(r);
    if (keep && !who_of(r, access, &who))
        return;
    for (uint64_t left = access->size, at = access->address, size; left; left -= size, at += size) {
        const uint32_t address = (uint32_t)at;
        const unsigned low = address % PAGE;
        size = left < PAGE - low ? left : PAGE - low;
        const unsigned high = low + (unsigned)size - 1;
        struct page *page = r->pages[address / PAGE];
        if (page)
            check(r, page, address - low, low, high, access);
        if (keep && (page = open_page(r, address / PAGE)))
            note(r, &page->lists[queue_of(access->agent)][kind_of(access->kind)], low, high, who);
    }
}

enum sam_status sam_system_races_check(const struct sam_system_races *r, struct sam_error *error)
{
    if (r->status == SAM_ERR_MEMORY)
        return sam_fail_memory(error);
    if (r->status != SAM_OK)
        return sam_fail(error, r->status,
                        "the race check keeps at most %zu ranges of memory in flight: wait for "
                        "launches and records more often",
                        r->options.most);
    return SAM_OK;
}

const struct sam_system_race *sam_system_races_found(const struct sam_system_races *r,
                                                     size_t *count, uint64_t *dropped)
{
    *count = r->found_count;
    *dropped = r->dropped;
    return r->found;
}
