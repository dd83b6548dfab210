/* SPDX-License-Identifier: Apache-2.0 */
/* Work on several threads: each call is made once, by a worker below the requested number, and
 * all have returned at the end; the same for a crew, repeatedly and with any number of threads. */
#include <stdatomic.h>

#include "test.h"

#include "base/cpu.h"

enum { MOST = 64 };

struct calls {
    atomic_uint made[MOST];
    atomic_uint worker_most;
    atomic_uint together, needed; /* calls in progress at once; calls that wait for each other */
};

static void call(void *context, size_t i, unsigned worker)
{
    struct calls *c = context;
    unsigned most = atomic_load(&c->worker_most);
    while (worker > most && !atomic_compare_exchange_weak(&c->worker_most, &most, worker))
        ;
    atomic_fetch_add(&c->together, 1);
    while (atomic_load(&c->together) < atomic_load(&c->needed))
        ;
    atomic_fetch_add(&c->made[i], 1);
}

static void check(const struct calls *c, unsigned threads, size_t count)
{
    for (size_t i = 0; i < MOST; i++)
        assert_int_equal(atomic_load(&c->made[i]), i < count);
    assert_true(atomic_load(&c->worker_most) < (threads ? threads : 1));
}

TEST(every_call_is_made_once)
{
    for (unsigned threads = 1; threads < 6; threads++) {
        for (size_t count = 0; count < MOST; count += 7) {
            struct calls c = {0};
            sam_parallel(threads, count, call, &c);
            check(&c, threads, count);
        }
    }
}

TEST(a_crew_serves_again)
{
    struct sam_parallel_crew *crew = sam_parallel_crew_new();
    assert_non_null(crew);
    for (unsigned round = 0; round < 2000; round++) {
        const unsigned threads = 1 + round % 5;
        const size_t count = round * 7 % MOST;
        struct calls c = {0};
        sam_parallel_crew_run(crew, threads, count, call, &c);
        check(&c, threads, count);
    }
    sam_parallel_crew_free(crew);
}

/* Calls that wait for each other return: each has its own thread. */
TEST(a_crew_runs_calls_together)
{
    struct sam_parallel_crew *crew = sam_parallel_crew_new();
    assert_non_null(crew);
    for (unsigned round = 0; round < 20; round++) {
        struct calls c = {.needed = 4};
        sam_parallel_crew_run(crew, 4, 4, call, &c);
        check(&c, 4, 4);
    }
    sam_parallel_crew_free(crew);
}

/* A wake-up carries no work: a task, nothing, or the end follows in any order. */
TEST(a_crew_is_called)
{
    for (unsigned round = 0; round < 100; round++) {
        struct sam_parallel_crew *crew = sam_parallel_crew_new();
        assert_non_null(crew);
        for (unsigned i = 0; i < round % 4; i++) {
            struct calls c = {.needed = 3};
            sam_parallel_crew_call(crew);
            if (round % 3)
                sam_parallel_crew_run(crew, 3, 3, call, &c);
            check(&c, 3, round % 3 ? 3 : 0);
        }
        sam_parallel_crew_call(crew);
        sam_parallel_crew_free(crew);
    }
}

TEST(a_crew_without_work_ends)
{
    sam_parallel_crew_free(sam_parallel_crew_new());
    sam_parallel_crew_free(NULL);
}
