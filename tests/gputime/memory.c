/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores: coalescing, local memory, caches, limits of accesses in flight. Latencies and
 * rates: assembly_memory.c. */
#include "test.h"

#include "gputime/stream.h"

#define DATA  0x90000000u
#define LOCAL 0x70000000u

static struct stream s;
static struct streams all;

static void begin(void)
{
    s.count = s.address_count = 0;
}

static struct sam_gputime_result run(const char *text)
{
    struct sam_gputime_config c = stream_config(text);
    c.icache_bytes = 0; /* the L2 holds data only */
    stream_end(&s);
    streams_init(&all, &s, 1, 1);
    return streams_run(&all, &c, NULL);
}

/* A chain of scalar loads, each dependent on the one before: cycles per load from two lengths.
 * `stride` bytes apart, around a window of `window` bytes, after one round. */
static uint64_t chase(const char *text, uint32_t stride, uint32_t window)
{
    uint64_t cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        begin();
        const uint32_t round = window / stride;
        for (uint32_t i = 0; i < round + 100 + 100 * k; i++) {
            stream_scalar(&s, SAM_OP_lw, 5, DATA + i % round * stride);
            s.insns[s.count - 1].rs1 = 5;
        }
        SCOPED(sam_gputime_result) r = run(text);
        cycles[k] = r.cycles;
    }
    assert_int_equal((cycles[1] - cycles[0]) % 100, 0);
    return (cycles[1] - cycles[0]) / 100;
}

/* The ruling: 7 from execution to write-back of a hit; 10 in the Verilog edition. */
TEST(a_hit_takes_what_was_measured)
{
    struct sam_gputime_config c = stream_config("");
    assert_int_equal(c.lsu_latency + c.l1_latency + c.lsu_return, 7);
    c = stream_config("preset=verilog");
    assert_int_equal(c.lsu_latency + c.l1_latency + c.lsu_return, 10);
}

/* Lines of 128 bytes, a byte per cycle, come after the end of the launch unless it waits for them.
 */
TEST(the_bus_is_busy_in_cycles_of_the_launch)
{
    static const struct {
        unsigned lines, used; /* used: the last one that is, from 1; 0: none */
        uint64_t least, most;
    } cases[] = {{1, 0, 0, 0},
                 {9, 0, 0, 0},
                 {1, 1, 128, 128},
                 {9, 9, 9 * 128, 9 * 128},
                 {9, 1, 128, 2 * 128 - 1}};
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        begin();
        for (unsigned line = 0; line < cases[i].lines; line++)
            stream_scalar(&s, SAM_OP_lw, 5 + line, DATA + 128 * line);
        if (cases[i].used)
            stream_add(&s, SAM_OP_addi, 20, 4 + cases[i].used, 0);
        SCOPED(sam_gputime_result)
        r = run("mem_bytes=1,mem_outstanding=1024,l1_mshrs=64,lsu_all=64,lsu_warp=64");
        assert_int_equal(r.dram_reads, cases[i].lines);
        assert_in_range(r.dram_busy, cases[i].least, cases[i].most);
        assert_true(r.dram_busy <= r.cycles);
    }
}

/* An L2 line of 256 bytes holds two L1 lines: every second of these loads hits. */
TEST(the_l2_may_have_longer_lines)
{
    const struct sam_gputime_config c = stream_config("mem_latency=101");
    const uint32_t around = c.collect_request + c.collect_read + c.emit_latency + c.lsu_latency +
                            c.lsu_return + c.wakeup_latency + c.l1_miss_latency + c.l1_fill_latency;
    const uint32_t miss = c.mem_latency + 256 / c.mem_bytes - 1 + c.l2_miss_latency;
    assert_int_equal(
        chase("mem_latency=101,l2_line_bytes=256,l1_sets=1,l2_sets=1,l2_ways=2", 128, 1024),
        around + (miss + c.l2_latency) / 2);
}

/* The lines read by the I-cache in a straight program of 1024 bytes. */
static uint64_t icache_lines(const char *text)
{
    begin();
    for (unsigned i = 0; i < 255; i++)
        stream_add(&s, SAM_OP_addi, 5, 6, 0);
    stream_end(&s);
    streams_init(&all, &s, 1, 1);
    const struct sam_gputime_config c = stream_config(text);
    struct sam_gputime_result r = streams_run(&all, &c, NULL);
    const uint64_t lines = r.l2.reads;
    sam_gputime_result_free(&r);
    return lines;
}

/* Fetches past the end of the program may request one more. */
TEST(the_icache_may_have_other_lines)
{
    static const struct {
        const char *text;
        uint64_t lines;
    } cases[] = {{"", 8},
                 {"icache_line_bytes=32", 32},
                 {"icache_line_bytes=1024,l2_line_bytes=1024", 1},
                 {"line_bytes=64", 16},
                 {"line_bytes=64,icache_line_bytes=128,l2_line_bytes=128", 8}};
    for (size_t i = 0; i < SAM_COUNT(cases); i++)
        assert_in_range(icache_lines(cases[i].text), cases[i].lines, cases[i].lines + 1);
}

TEST(lanes_are_coalesced_into_lines)
{
    static const struct {
        int32_t stride;
        uint32_t address, lines;
    } cases[] = {{4, DATA, 1},    {4, DATA + 64, 2},   {0, DATA, 1},   {8, DATA, 2},
                 {128, DATA, 32}, {-4, DATA + 124, 1}, {64, DATA, 16}, {132, DATA, 32}};
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        begin();
        stream_lanes(&s, SAM_OP_vle32_v, 8, cases[i].address, cases[i].stride);
        SCOPED(sam_gputime_result) r = run("");
        assert_int_equal(r.sm[0].l1d.reads, cases[i].lines);
        assert_int_equal(r.rows[0].lines, cases[i].lines);
        assert_int_equal(r.rows[0].accesses, 1);
        assert_int_equal(r.dram_bytes_read, 128 * cases[i].lines);
    }
}

/* Each lane of an atomic is a separate request. */
TEST(atomics_go_lane_by_lane)
{
    begin();
    stream_scalar(&s, SAM_OP_amoadd_w, 5, DATA);
    SCOPED(sam_gputime_result) r = run("");
    assert_int_equal(r.sm[0].l1d.writes, 1);
    assert_int_equal(r.sm[0].l1d.write_hits, 0);
    assert_int_equal(r.l2.writes, 1);
}

TEST(stores_write_back_on_a_hit_only)
{
    begin();
    stream_scalar(&s, SAM_OP_sw, 6, DATA);
    struct sam_gputime_result r = run("");
    assert_int_equal(r.sm[0].l1d.write_hits, 0);
    assert_int_equal(r.l2.writes, 1);
    sam_gputime_result_free(&r);
    begin();
    stream_scalar(&s, SAM_OP_lw, 5, DATA);
    stream_add(&s, SAM_OP_addi, 6, 5, 0);
    stream_scalar(&s, SAM_OP_sw, 6, DATA);
    r = run("");
    assert_int_equal(r.sm[0].l1d.write_hits, 1);
    assert_int_equal(r.l2.writes, 0);
    sam_gputime_result_free(&r);
}

/* Loads in flight to one line merge, up to the limit. */
TEST(misses_to_a_line_merge)
{
    begin();
    for (unsigned i = 0; i < 2; i++)
        stream_scalar(&s, SAM_OP_lw, 5 + i, DATA + 4 * i);
    struct sam_gputime_result r = run("");
    assert_int_equal(r.sm[0].l1d.merges, 1);
    assert_int_equal(r.l2.reads, 1);
    const uint64_t merged = r.cycles;
    sam_gputime_result_free(&r);
    begin();
    for (unsigned i = 0; i < 3; i++)
        stream_scalar(&s, SAM_OP_lw, 5 + i, DATA + 4 * i);
    stream_add(&s, SAM_OP_addi, 6, 7, 0);
    r = run("");
    assert_int_equal(r.sm[0].l1d.merges, 1); /* the third waits and hits */
    assert_int_equal(r.sm[0].l1d.read_hits, 1);
    assert_true(r.cycles > merged);
    sam_gputime_result_free(&r);
}

/* ------------------------------------------------------------------------------ local memory */

static uint64_t local_turns(int32_t stride, bool write, uint64_t *cycles)
{
    begin();
    for (unsigned i = 0; i < 20; i++) {
        stream_lanes(&s, write ? SAM_OP_vse32_v : SAM_OP_vle32_v, 4 + i, LOCAL, stride);
        s.ops[s.count - 1].local = true;
    }
    stream_add(&s, SAM_OP_fence, 0, 0, 0);
    stream_scalar(&s, SAM_OP_lw, 6, LOCAL);
    s.ops[s.count - 1].local = true;
    stream_add(&s, SAM_OP_addi, 6, 6, 0);
    struct sam_gputime_result r = run("");
    const uint64_t passes = r.sm[0].lds_passes;
    *cycles = r.cycles;
    sam_gputime_result_free(&r);
    return passes - 1;
}

TEST(lanes_take_turns_at_a_bank)
{
    uint64_t one, two, all_lanes, writes;
    assert_int_equal(local_turns(4, false, &one), 20 * 1);
    assert_int_equal(local_turns(8, false, &two), 20 * 2);
    assert_int_equal(local_turns(0, false, &all_lanes), 20 * 32);
    assert_int_equal(local_turns(128, false, &two), 20 * 32);
    assert_true(all_lanes >= 20 * 32 && one < 20 * 16);
    assert_int_equal(local_turns(4, true, &writes), 20);
    assert_true(writes >= one);
}

/* ----------------------------------------------------------------------------------- limits */

static uint64_t misses(const char *text, unsigned count)
{
    begin();
    for (unsigned i = 0; i < count; i++)
        stream_scalar(&s, SAM_OP_lw, 5 + i, DATA + 4096 * i);
    stream_add(&s, SAM_OP_addi, 4 + count, 4 + count, 0);
    struct sam_gputime_result r = run(text);
    const uint64_t cycles = r.cycles;
    sam_gputime_result_free(&r);
    return cycles;
}

TEST(more_under_way_means_more_overlap)
{
    const uint64_t wide = misses("lsu_warp=8,lsu_all=16,l1_mshrs=16", 16);
    const uint64_t four = misses("lsu_warp=4,lsu_all=16,l1_mshrs=16", 16);
    const uint64_t registers = misses("lsu_warp=8,lsu_all=16,l1_mshrs=2", 16);
    const uint64_t one = misses("lsu_warp=1,lsu_all=16,l1_mshrs=16", 16);
    assert_true(wide < four && four < one && wide < registers && registers < one);
}

/* After a fence, a load waits for all accesses before it. */
TEST(a_fence_orders_memory)
{
    uint64_t cycles[2];
    for (unsigned fence = 0; fence < 2; fence++) {
        begin();
        stream_scalar(&s, SAM_OP_sw, 6, DATA);
        if (fence)
            stream_add(&s, SAM_OP_fence, 0, 0, 0);
        stream_scalar(&s, SAM_OP_lw, 7, DATA + 4096);
        stream_add(&s, SAM_OP_addi, 7, 7, 0);
        SCOPED(sam_gputime_result) r = run("");
        cycles[fence] = r.cycles;
        uint64_t waited = 0;
        for (size_t i = 0; i < r.row_count; i++)
            waited += r.rows[i].reasons[SAM_GPUTIME_FENCE];
        assert_true(fence ? waited > 100 : waited == 0);
    }
    assert_true(cycles[1] > cycles[0] + 90);
}
