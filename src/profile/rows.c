/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a profile: a hash table by pc, word and prefix. */
#include "profile/profile.h"

#include <stdlib.h>

struct sam_profile {
    struct sam_profile_row *rows; /* in order of insertion, or sorted */
    size_t count, capacity;
    uint32_t *slots; /* indices of rows plus one, open addressing; 0: free */
    size_t slot_count;
    bool sorted;
};

struct sam_profile *sam_profile_new(void)
{
    return sam_alloc(1, sizeof(struct sam_profile));
}

void sam_profile_free(struct sam_profile *profile)
{
    if (!profile)
        return;
    free(profile->rows);
    free(profile->slots);
    free(profile);
}

static bool is_of(const struct sam_profile_row *row, uint64_t pc, uint32_t word, uint32_t prefix)
{
    return row->pc == pc && row->word == word && row->prefix == prefix;
}

/* The slot of the row, or the free slot for it. */
static uint32_t *find(const struct sam_profile *profile, uint64_t pc, uint32_t word,
                      uint32_t prefix)
{
    size_t at =
        (size_t)((pc / 4 + word * UINT64_C(31) + prefix) * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
        (profile->slot_count - 1);
    while (profile->slots[at] && !is_of(&profile->rows[profile->slots[at] - 1], pc, word, prefix))
        at = (at + 1) & (profile->slot_count - 1);
    return &profile->slots[at];
}

static bool make_slots(struct sam_profile *profile, size_t slot_count)
{
    uint32_t *slots = sam_alloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    free(profile->slots);
    profile->slots = slots;
    profile->slot_count = slot_count;
    for (size_t i = 0; i < profile->count; i++) {
        const struct sam_profile_row *row = &profile->rows[i];
        *find(profile, row->pc, row->word, row->prefix) = (uint32_t)i + 1;
    }
    return true;
}

struct sam_profile_row *sam_profile_at(struct sam_profile *profile, uint64_t pc, uint32_t word,
                                       uint32_t prefix)
{
    if (profile->count * 2 >= profile->slot_count &&
        !make_slots(profile, profile->slot_count ? profile->slot_count * 2 : 256))
        return NULL;
    uint32_t *slot = find(profile, pc, word, prefix);
    if (*slot)
        return &profile->rows[*slot - 1];
    void *grown =
        sam_grow(profile->rows, profile->count, &profile->capacity, sizeof *profile->rows);
    if (!grown)
        return NULL;
    profile->rows = grown;
    profile->sorted = false;
    profile->rows[profile->count++] =
        (struct sam_profile_row){.pc = pc, .word = word, .prefix = prefix};
    *slot = (uint32_t)profile->count;
    return &profile->rows[profile->count - 1];
}

/* Add `times` the counts of `row`, 1 or -1. */
static void add_row(struct sam_profile_row *into, const struct sam_profile_row *row, uint64_t times)
{
    into->vector = row->vector;
    into->count += times * row->count;
    into->lanes += times * row->lanes;
    into->slots += times * row->slots;
    into->diverged += times * row->diverged;
    into->global_insns += times * row->global_insns;
    into->lds_insns += times * row->lds_insns;
    into->accesses += times * row->accesses;
    into->lines += times * row->lines;
    into->conflicts += times * row->conflicts;
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
        into->cycles[reason] += times * row->cycles[reason];
}

static bool add(struct sam_profile *profile, const struct sam_profile *from, uint64_t times)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct sam_profile_row *row = &from->rows[i];
        struct sam_profile_row *into = sam_profile_at(profile, row->pc, row->word, row->prefix);
        if (!into)
            return false;
        add_row(into, row, times);
    }
    return true;
}

bool sam_profile_add_cycles(struct sam_profile *profile, uint64_t pc, uint32_t word,
                            uint32_t prefix, const uint64_t cycles[SAM_GPUTIME_REASONS])
{
    struct sam_profile_row *row = sam_profile_at(profile, pc, word, prefix);
    for (unsigned reason = 0; row && reason < SAM_GPUTIME_REASONS; reason++)
        row->cycles[reason] += cycles[reason];
    return row != NULL;
}

bool sam_profile_merge(struct sam_profile *profile, const struct sam_profile *from)
{
    return add(profile, from, 1);
}

bool sam_profile_subtract(struct sam_profile *profile, const struct sam_profile *part)
{
    return add(profile, part, UINT64_MAX);
}

static int by_pc(const void *a, const void *b)
{
    const struct sam_profile_row *x = a, *y = b;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    if (x->word != y->word)
        return x->word < y->word ? -1 : 1;
    return (x->prefix > y->prefix) - (x->prefix < y->prefix);
}

const struct sam_profile_row *sam_profile_rows(struct sam_profile *profile, size_t *count)
{
    if (!profile->sorted && profile->count) {
        qsort(profile->rows, profile->count, sizeof *profile->rows, by_pc);
        /* indices have changed; the table keeps its size, so this cannot fail */
        memset(profile->slots, 0, profile->slot_count * sizeof *profile->slots);
        for (size_t i = 0; i < profile->count; i++) {
            const struct sam_profile_row *row = &profile->rows[i];
            *find(profile, row->pc, row->word, row->prefix) = (uint32_t)i + 1;
        }
    }
    profile->sorted = true;
    *count = profile->count;
    return profile->rows;
}
