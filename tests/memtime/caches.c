/* SPDX-License-Identifier: Apache-2.0 */
/* Tags with LRU, and the lines that a cache waits for, against plain models. */
#include "test.h"

#include "memtime/memtime.h"

/* A cache as one list per set, most recently used first. */
enum { SETS = 4, WAYS = 3, LINES = 40 };

struct list {
    uint64_t lines[WAYS];
    unsigned count;
};

static bool use(struct list *list, uint64_t line, uint64_t *victim)
{
    unsigned at = 0;
    *victim = UINT64_MAX;
    while (at < list->count && list->lines[at] != line)
        at++;
    const bool hit = at < list->count;
    if (!hit && list->count == WAYS)
        *victim = list->lines[--at];
    else if (!hit)
        list->count++;
    for (; at > 0; at--)
        list->lines[at] = list->lines[at - 1];
    list->lines[0] = line;
    return hit;
}

TEST(the_least_recently_used_line_leaves)
{
    struct sam_memtime_tags tags;
    struct list lists[SETS] = {0};
    uint64_t random = test_seed();
    assert_true(sam_memtime_tags_init(&tags, SETS, WAYS));
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t line = test_below(&random, LINES);
        uint64_t leaves;
        const bool hit = use(&lists[line % SETS], line, &leaves);
        struct sam_memtime_tag *tag = sam_memtime_tags_find(&tags, line), victim;
        assert_int_equal(tag != NULL, hit);
        if (hit)
            continue;
        sam_memtime_tags_fill(&tags, line, &victim);
        assert_int_equal(victim.line, leaves + 1);
    }
    sam_memtime_tags_free(&tags);
}

TEST(dirt_belongs_to_its_line)
{
    SCOPED(sam_memtime_tags) tags;
    struct sam_memtime_tag victim;
    assert_true(sam_memtime_tags_init(&tags, 1, 2));
    sam_memtime_tags_fill(&tags, 1, &victim)->dirty = true;
    sam_memtime_tags_fill(&tags, 2, &victim);
    assert_int_equal(victim.line, 0);
    sam_memtime_tags_fill(&tags, 3, &victim);
    assert_int_equal(victim.line, 1 + 1);
    assert_true(victim.dirty);
    sam_memtime_tags_fill(&tags, 4, &victim);
    assert_int_equal(victim.line, 2 + 1);
    assert_false(victim.dirty);
}

TEST(a_miss_is_known_until_its_line_is_there)
{
    SCOPED(sam_memtime_misses) misses;
    assert_true(sam_memtime_misses_init(&misses, 2, 3));
    assert_int_equal(sam_memtime_misses_first(&misses), UINT64_MAX);
    sam_memtime_misses_add(&misses, 7, 20);
    sam_memtime_misses_add(&misses, 9, 12);
    assert_true(sam_memtime_misses_is_full(&misses));
    assert_int_equal(sam_memtime_misses_first(&misses), 12);
    sam_memtime_misses_retire(&misses, 11);
    assert_non_null(sam_memtime_misses_find(&misses, 9));
    sam_memtime_misses_retire(&misses, 12);
    assert_null(sam_memtime_misses_find(&misses, 9));
    assert_int_equal(sam_memtime_misses_find(&misses, 7)->merged, 1);
    assert_false(sam_memtime_misses_is_full(&misses));
}
