/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of a sanitizer. Findings of one kind with the same two instructions are merged. */
#include <stdlib.h>

#include "sanitize/sanitize.h"

enum { KEPT = 1000 }; /* maximum per check */

static const struct {
    unsigned check;
    const char *name;
} kinds[SAM_FINDING_KINDS] = {
    [SAM_FINDING_RACE_LOCAL] = {SAM_SANITIZE_RACE, "race in local memory"},
    [SAM_FINDING_RACE_WARPS] = {SAM_SANITIZE_RACE, "race between warps of a workgroup"},
    [SAM_FINDING_RACE_GROUPS] = {SAM_SANITIZE_RACE, "race between workgroups"},
    [SAM_FINDING_RACE_LANES] = {SAM_SANITIZE_RACE, "lanes store different values to one address"},
    [SAM_FINDING_BARRIER_SKIPPED] = {SAM_SANITIZE_SYNC, "barrier that a warp skipped"},
    [SAM_FINDING_BARRIER_MASKED] = {SAM_SANITIZE_SYNC, "barrier reached by some lanes only"},
    [SAM_FINDING_RPC_UNUSED] = {SAM_SANITIZE_SYNC, "setrpc without a vector branch after it"},
    [SAM_FINDING_JOIN_MISSING] = {SAM_SANITIZE_SYNC, "no join at the reconvergence point"},
    [SAM_FINDING_JOIN_UNREACHED] = {SAM_SANITIZE_SYNC, "join that no path reached"},
    [SAM_FINDING_INIT_ADDRESS] = {SAM_SANITIZE_INIT, "address from an undefined value"},
    [SAM_FINDING_INIT_BRANCH] = {SAM_SANITIZE_INIT, "branch on an undefined value"},
    [SAM_FINDING_INIT_TARGET] = {SAM_SANITIZE_INIT, "jump to an undefined value"},
    [SAM_FINDING_INIT_MASK] = {SAM_SANITIZE_INIT, "lane mask of undefined values"},
    [SAM_FINDING_INIT_CONTROL] = {SAM_SANITIZE_INIT, "control register set to an undefined value"},
    [SAM_FINDING_INIT_STORE] = {SAM_SANITIZE_INIT, "undefined value stored as a result"},
    [SAM_FINDING_INIT_CHECK] = {SAM_SANITIZE_INIT, "check of bytes that nothing has written"},
    [SAM_FINDING_BOUNDS_LOCAL] = {SAM_SANITIZE_BOUNDS,
                                  "local memory that the launch does not declare"},
    [SAM_FINDING_BOUNDS_PRIVATE] = {SAM_SANITIZE_BOUNDS, "beyond private memory"},
    [SAM_FINDING_BOUNDS_OTHER] = {SAM_SANITIZE_BOUNDS, "private memory of another workgroup"},
    [SAM_FINDING_BOUNDS_GAP] = {SAM_SANITIZE_BOUNDS, "outside every buffer"},
    [SAM_FINDING_BOUNDS_REGISTER] = {SAM_SANITIZE_BOUNDS,
                                     "register that the launch does not declare"},
};

const char *sam_finding_kind_name(enum sam_finding_kind kind)
{
    return (unsigned)kind < SAM_FINDING_KINDS ? kinds[kind].name : "";
}

const char *sam_sanitizer_check_name(unsigned check)
{
    switch (check) {
    case SAM_SANITIZE_RACE: return "race";
    case SAM_SANITIZE_INIT: return "init";
    case SAM_SANITIZE_BOUNDS: return "bounds";
    case SAM_SANITIZE_SYNC: return "sync";
    default: return NULL;
    }
}

/* ------------------------------------------------------------------------------- folding */

static bool are_alike(const struct sam_finding *a, const struct sam_finding *b)
{
    const uint32_t a0 = a->sides[0].pc, a1 = a->sides[1].pc;
    const uint32_t b0 = b->sides[0].pc, b1 = b->sides[1].pc;
    return a->kind == b->kind && a->used.file == b->used.file && a->used.number == b->used.number &&
           ((a0 == b0 && a1 == b1) || (a0 == b1 && a1 == b0));
}

static uint32_t hash(const struct sam_finding *f)
{
    const uint32_t sum = f->sides[0].pc + f->sides[1].pc, product = f->sides[0].pc ^ f->sides[1].pc;
    return (sum * 2654435761u ^ product * 2246822519u ^ (uint32_t)f->kind * 3266489917u) >> 4;
}

/* The slot of an equal finding, or the free slot for a new one. */
static uint32_t *find(const struct sam_sanitizer *s, const struct sam_finding *f)
{
    size_t at = hash(f) & (s->slot_count - 1);
    while (s->slots[at] && !are_alike(&s->findings[s->slots[at] - 1], f))
        at = (at + 1) & (s->slot_count - 1);
    return &s->slots[at];
}

/* Rehash all findings. Returns false on out-of-memory. */
static bool make_slots(struct sam_sanitizer *s, size_t count)
{
    uint32_t *slots = sam_alloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(s->slots);
    s->slots = slots;
    s->slot_count = count;
    for (size_t i = 0; i < s->finding_count; i++)
        *find(s, &s->findings[i]) = (uint32_t)i + 1;
    return true;
}

static size_t count_of(const struct sam_sanitizer *s, unsigned check)
{
    size_t count = 0;
    for (size_t i = 0; i < s->finding_count; i++)
        count += s->findings[i].check == check;
    return count;
}

/* Lanes without a work-item exist if a workgroup is not a multiple of the warp. */
static void mark_surplus(const struct sam_sanitizer *s, struct sam_finding_side *side)
{
    const uint32_t items = s->launch.items;
    side->surplus = side->known && side->lane != UINT32_MAX && items &&
                    (uint64_t)side->warp * s->launch.lanes + side->lane >= items;
}

void sam_sanitize_report(struct sam_sanitizer *s, const struct sam_finding *finding)
{
    const unsigned check = kinds[finding->kind].check;
    if (s->finding_count * 2 >= s->slot_count &&
        !make_slots(s, s->slot_count ? s->slot_count * 2 : 64)) {
        s->failed = true;
        return;
    }
    uint32_t *slot = find(s, finding);
    if (*slot) {
        s->findings[*slot - 1].count++;
        return;
    }
    if (count_of(s, check) == KEPT) {
        s->dropped[__builtin_ctz(check)]++;
        return;
    }
    void *grown =
        sam_grow(s->findings, s->finding_count, &s->finding_capacity, sizeof *s->findings);
    if (!grown) {
        s->failed = true;
        return;
    }
    s->findings = grown;
    struct sam_finding *kept = &s->findings[s->finding_count++];
    *kept = *finding;
    for (unsigned i = 0; i < 2; i++)
        mark_surplus(s, &kept->sides[i]);
    kept->check = check;
    kept->count = 1;
    *slot = (uint32_t)s->finding_count;
    s->sorted = false;
}

const struct sam_finding *sam_sanitizer_findings(struct sam_sanitizer *s, size_t *count)
{
    /* A stable insertion sort: there are few findings, mostly in order. */
    for (size_t i = 1; !s->sorted && i < s->finding_count; i++) {
        const struct sam_finding moved = s->findings[i];
        size_t at = i;
        for (; at && s->findings[at - 1].check > moved.check; at--)
            s->findings[at] = s->findings[at - 1];
        s->findings[at] = moved;
    }
    if (!s->sorted && s->slot_count) {
        memset(s->slots, 0, s->slot_count * sizeof *s->slots);
        for (size_t i = 0; i < s->finding_count; i++)
            *find(s, &s->findings[i]) = (uint32_t)i + 1;
    }
    s->sorted = true;
    *count = s->finding_count;
    return s->findings;
}

void sam_sanitizer_forget(struct sam_sanitizer *s)
{
    s->finding_count = 0;
    memset(s->dropped, 0, sizeof s->dropped);
    if (s->slot_count)
        memset(s->slots, 0, s->slot_count * sizeof *s->slots);
}
