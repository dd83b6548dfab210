/* SPDX-License-Identifier: Apache-2.0 */
/* Hash table from names to values, open addressing. */
#include "base/base.h"

#include <stdlib.h>

struct sam_names_slot {
    const char *name; /* NULL: free */
    size_t size;
    void *value;
};

static size_t hash_of(const char *name, size_t size)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)name[i]) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

/* Find the slot of `name`, or the free slot for it. There is always a free one. */
static struct sam_names_slot *slot_of(const struct sam_names *names, const char *name, size_t size)
{
    size_t i = hash_of(name, size) & (names->capacity - 1);
    while (names->slots[i].name && (names->slots[i].size != size ||
                                    (size && memcmp(names->slots[i].name, name, size) != 0)))
        i = (i + 1) & (names->capacity - 1);
    return &names->slots[i];
}

void *sam_names_find(const struct sam_names *names, const char *name, size_t size)
{
    return names->count ? slot_of(names, name, size)->value : NULL;
}

static bool grow(struct sam_names *names)
{
    struct sam_names next = {.count = names->count,
                             .capacity = names->capacity ? 2 * names->capacity : 16};
    next.slots = sam_alloc(next.capacity, sizeof *next.slots);
    if (!next.slots)
        return false;
    for (size_t i = 0; i < names->capacity; i++)
        if (names->slots[i].name)
            *slot_of(&next, names->slots[i].name, names->slots[i].size) = names->slots[i];
    free(names->slots);
    *names = next;
    return true;
}

bool sam_names_add(struct sam_names *names, const char *name, size_t size, void *value)
{
    if (2 * names->count >= names->capacity && !grow(names))
        return false;
    struct sam_names_slot *slot = slot_of(names, name, size);
    names->count += slot->name == NULL;
    *slot = (struct sam_names_slot){name, size, value};
    return true;
}

void *sam_names_next(const struct sam_names *names, size_t *at)
{
    while (*at < names->capacity && !names->slots[*at].name)
        ++*at;
    return *at < names->capacity ? names->slots[(*at)++].value : NULL;
}

void sam_names_free(struct sam_names *names)
{
    free(names->slots);
    *names = (struct sam_names){0};
}
