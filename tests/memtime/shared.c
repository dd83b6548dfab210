/* SPDX-License-Identifier: Apache-2.0 */
/* The L2 and the memory in time. */
#include "test.h"

#include "memtime/memtime.h"

static const struct sam_memtime_config plain = {
    .sets = 4,
    .ways = 2,
    .line_bytes = 128,
    .write_allocate = true,
    .mshrs = 4,
    .latency = 10,
    .miss_latency = 7,
    .interval = 2,
    .mem_latency = 100,
    .mem_outstanding = 2,
    .mem_bytes = 16,
};

static struct sam_memtime *open(const struct sam_memtime_config *config)
{
    struct sam_memtime *m = sam_memtime_new(config);
    assert_non_null(m);
    return m;
}

enum { BEATS = 128 / 16, MISS = 100 + BEATS - 1 + 7 };

TEST(a_hit_takes_the_latency)
{
    struct sam_memtime *m = open(&plain);
    assert_int_equal(sam_memtime_read(m, 1000, 5), 1000 + MISS);
    assert_int_equal(sam_memtime_read(m, 2000, 5), 2010);
    assert_int_equal(sam_memtime_stats(m)->read_hits, 1);
    assert_int_equal(sam_memtime_stats(m)->mem_bytes_read, 128);
    sam_memtime_free(m);
}

TEST(a_second_miss_joins_the_first)
{
    struct sam_memtime *m = open(&plain);
    const uint64_t ready = sam_memtime_read(m, 0, 5);
    assert_int_equal(sam_memtime_read(m, 50, 5), ready + 2); /* the next reply */
    assert_int_equal(sam_memtime_stats(m)->merges, 1);
    assert_int_equal(sam_memtime_stats(m)->mem_reads, 1);
    sam_memtime_free(m);
}

TEST(replies_keep_their_distance)
{
    struct sam_memtime *m = open(&plain);
    for (uint64_t line = 0; line < 8; line++)
        sam_memtime_read(m, 1000 * line, line);
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(sam_memtime_read(m, 10000, i), 10010 + 2 * i);
    sam_memtime_free(m);
}

TEST(the_memory_serves_so_many_at_a_time)
{
    struct sam_memtime_config config = plain;
    config.mshrs = 64;
    config.mem_bytes = 128;
    struct sam_memtime *m = open(&config);
    /* two at once, the next pair after their data arrives */
    assert_int_equal(sam_memtime_read(m, 0, 0), 107);
    assert_int_equal(sam_memtime_read(m, 0, 1), 109);
    assert_int_equal(sam_memtime_read(m, 0, 2), 207);
    assert_int_equal(sam_memtime_read(m, 0, 3), 209);
    sam_memtime_free(m);
    config.mem_recovery = 5;
    m = open(&config);
    sam_memtime_read(m, 0, 0);
    sam_memtime_read(m, 0, 1);
    assert_int_equal(sam_memtime_read(m, 0, 2), 212);
    sam_memtime_free(m);
}

TEST(a_full_set_of_misses_waits)
{
    struct sam_memtime_config config = plain;
    config.mshrs = 1;
    config.mem_outstanding = 8;
    struct sam_memtime *m = open(&config);
    assert_int_equal(sam_memtime_read(m, 0, 0), MISS);
    assert_int_equal(sam_memtime_read(m, 0, 1), 2 * MISS);
    assert_int_equal(sam_memtime_stats(m)->refusals, MISS);
    sam_memtime_free(m);
}

TEST(dirty_lines_are_written_back)
{
    struct sam_memtime *m = open(&plain);
    sam_memtime_write(m, 0, 0, 4);      /* fetched */
    sam_memtime_write(m, 1000, 4, 128); /* whole: not fetched */
    assert_int_equal(sam_memtime_stats(m)->mem_reads, 1);
    sam_memtime_read(m, 2000, 8); /* the same set: line 0 leaves */
    assert_int_equal(sam_memtime_stats(m)->dirty, 1);
    assert_int_equal(sam_memtime_stats(m)->mem_writes, 1);
    sam_memtime_free(m);
}

TEST(writes_may_pass_the_cache)
{
    struct sam_memtime_config config = plain;
    config.write_allocate = false;
    struct sam_memtime *m = open(&config);
    assert_int_equal(sam_memtime_write(m, 0, 0, 32), 100 + 1 + 7);
    assert_int_equal(sam_memtime_stats(m)->mem_reads, 0);
    assert_int_equal(sam_memtime_stats(m)->mem_bytes_written, 32);
    sam_memtime_read(m, 1000, 0);
    assert_int_equal(sam_memtime_write(m, 2000, 0, 32), 2010);
    assert_int_equal(sam_memtime_stats(m)->write_hits, 1);
    sam_memtime_free(m);
}

/* As in the Verilog edition: read, answered, written; the line is not kept. */
TEST(writes_may_read_their_line_first)
{
    struct sam_memtime_config config = plain;
    config.write_allocate = false;
    config.write_reads = true;
    config.mem_outstanding = 1;
    struct sam_memtime *m = open(&config);
    assert_int_equal(sam_memtime_write(m, 0, 0, 32), MISS);
    assert_int_equal(sam_memtime_stats(m)->mem_reads, 1);
    assert_int_equal(sam_memtime_stats(m)->mem_bytes_written, 32);
    /* another unit reads it again, after the memory has served both */
    const uint64_t written = 100 + BEATS - 1 + 100 + 2 - 1;
    assert_int_equal(sam_memtime_write(m, MISS, 0, 32), written + MISS);
    assert_int_equal(sam_memtime_stats(m)->mem_reads, 2);
    assert_int_equal(sam_memtime_stats(m)->write_hits, 0);
    sam_memtime_free(m);
}

/* Random requests, in order: no reply before the latency of a hit, none closer than the
 * interval; bytes and requests add up. */
TEST(random_requests)
{
    uint64_t random = test_seed();
    for (unsigned round = 0; round < 50; round++) {
        struct sam_memtime_config config = plain;
        config.mshrs = 1 + (uint32_t)test_below(&random, 8);
        config.mem_outstanding = 1 + (uint32_t)test_below(&random, 4);
        config.interval = 1 + (uint32_t)test_below(&random, 4);
        config.write_allocate = test_below(&random, 2);
        config.write_reads = test_below(&random, 2);
        struct sam_memtime *m = open(&config);
        static uint64_t replies[400];
        uint64_t now = 0, accesses = 0;
        for (unsigned i = 0; i < 400; i++) {
            now += test_below(&random, 12);
            const uint64_t line = test_below(&random, 24);
            replies[i] =
                test_below(&random, 3)
                    ? sam_memtime_read(m, now, line)
                    : sam_memtime_write(m, now, line, 1 + (uint32_t)test_below(&random, 128));
            accesses++;
            assert_true(replies[i] >= now + (config.write_allocate ? config.latency : 1));
            for (unsigned k = 0; k < i; k++) {
                const uint64_t a = replies[k], b = replies[i];
                assert_true((a > b ? a - b : b - a) >= config.interval);
            }
        }
        const struct sam_memtime_stats *s = sam_memtime_stats(m);
        assert_int_equal(s->reads + s->writes, accesses);
        assert_int_equal(s->busy, accesses);
        assert_int_equal(s->mem_bytes_read, s->mem_reads * 128);
        assert_true(s->mem_bytes_written <= s->mem_writes * 128);
        sam_memtime_free(m);
    }
}
