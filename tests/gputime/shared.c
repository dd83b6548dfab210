/* SPDX-License-Identifier: Apache-2.0 */
/* The model as a unit of a clock, on memory shared with others. */
#include "test.h"

#include "gputime/kernel.h"
#include "gputime/stream.h"

#define DATA 0x90000000u

/* A port that records its requests, in front of an L2 like the model's own. */
struct port {
    struct sam_memtime *l2; /* NULL: every answer takes 30 cycles */
    uint64_t first, way, last, acknowledged;
    struct sam_memtime_traffic bytes;
    struct asked {
        uint64_t now, address;
        uint32_t bytes;
        bool write;
    } asked[64];
    unsigned count;
};

static uint64_t request(void *context, unsigned unit, uint64_t now, uint64_t address,
                        uint32_t bytes, enum sam_memtime_kind kind)
{
    struct port *p = context;
    const bool write = kind == SAM_MEMTIME_WRITE;
    assert_int_equal(unit, 7);
    assert_true(now >= p->last);
    assert_in_range(bytes, 1, 64 - address % 64);
    p->last = now;
    *(write ? &p->bytes.written : &p->bytes.read) += bytes;
    if (p->count < 64)
        p->asked[p->count++] = (struct asked){now, address, bytes, write};
    uint64_t answer = now + 30;
    if (p->l2) {
        const uint64_t at = now - p->first + p->way;
        answer = (write ? sam_memtime_write(p->l2, at, address / 64, bytes)
                        : sam_memtime_read(p->l2, at, address / 64)) -
                 p->way + p->first;
    }
    if (write && answer > p->acknowledged)
        p->acknowledged = answer;
    return answer;
}

/* Run it from cycle `first` on; returns the cycle after its last. */
static uint64_t run(const struct sam_gputime_config *config,
                    const struct sam_gputime_launch *launch,
                    const struct sam_gputime_source *source, struct port *port, uint64_t first,
                    struct sam_gputime_result *result)
{
    const struct sam_gputime_memory memory = {{request, port}, 7};
    struct sam_gputime *g;
    uint64_t end = first;
    port->first = first;
    port->way = config->l1_miss_latency;
    succeeds(sam_gputime_open, config, launch, source, NULL, &memory, &g);
    for (uint64_t now = first; now != UINT64_MAX; now = sam_gputime_tick(g, now))
        end = now + 1;
    assert_int_equal(sam_gputime_traffic(g)->read, port->bytes.read);
    assert_int_equal(sam_gputime_traffic(g)->written, port->bytes.written);
    succeeds(sam_gputime_close, g, result);
    streams_check(result);
    assert_true(end >= first + result->cycles);
    assert_true(end >= port->acknowledged);
    return end;
}

static struct stream s;
static struct streams all;

static uint64_t run_stream(const char *text, struct port *port, struct sam_gputime_result *result)
{
    const struct sam_gputime_config c = stream_config(text);
    stream_end(&s);
    streams_init(&all, &s, 1, 1);
    memset(port, 0, sizeof *port);
    const struct sam_gputime_source source = streams_source(&all);
    return run(&c, &all.launch, &source, port, 1000, result);
}

TEST(lines_are_asked_for_in_parts)
{
    struct port port;
    SCOPED(sam_gputime_result) result = {0};
    s.count = s.address_count = 0;
    stream_scalar(&s, SAM_OP_lw, 5, DATA + 4);
    run_stream("icache_bytes=0", &port, &result);
    assert_int_equal(port.count, 2);
    assert_int_equal(port.asked[0].address, DATA);
    assert_int_equal(port.asked[1].address, DATA + 64);
    assert_int_equal(port.asked[0].now, port.asked[1].now);
    assert_int_equal(port.bytes.read, 128);
}

TEST(a_write_names_its_bytes)
{
    struct port port;
    SCOPED(sam_gputime_result) result = {0};
    s.count = s.address_count = 0;
    stream_scalar(&s, SAM_OP_sw, 5, DATA + 64 + 8);
    stream_lanes(&s, SAM_OP_vse32_v, 5, DATA + 256, 4);  /* a whole line */
    stream_lanes(&s, SAM_OP_vse32_v, 5, DATA + 1024, 8); /* every other word of two */
    stream_lanes(&s, SAM_OP_vse32_v, 5, DATA + 4096, 0); /* all lanes access one word */
    run_stream("icache_bytes=0", &port, &result);
    static const struct {
        uint32_t at, bytes;
    } expected[] = {{72, 4},    {256, 64},  {320, 64},  {1024, 32},
                    {1088, 32}, {1152, 32}, {1216, 32}, {4096, 4}};
    assert_int_equal(port.count, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(port.asked[i].address, DATA + expected[i].at);
        assert_int_equal(port.asked[i].bytes, expected[i].bytes);
        assert_true(port.asked[i].write);
    }
}

TEST(written_lines_follow_at_the_end)
{
    struct port port;
    SCOPED(sam_gputime_result) result = {0};
    s.count = s.address_count = 0;
    stream_scalar(&s, SAM_OP_lw, 5, DATA + 4);
    stream_scalar(&s, SAM_OP_lw, 6, DATA + 132);
    stream_scalar(&s, SAM_OP_sw, 6, DATA + 132); /* a hit */
    s.insns[s.count - 1].rs2 = 6;
    const uint64_t end = run_stream("icache_bytes=0", &port, &result);
    assert_int_equal(port.count, 6);
    for (unsigned i = 4; i < 6; i++) {
        assert_true(port.asked[i].write);
        assert_int_equal(port.asked[i].address, DATA + 128 + 64 * (i - 4));
        assert_int_equal(port.asked[i].bytes, 64);
        assert_true(port.asked[i].now >= 1000 + result.cycles);
    }
    assert_true(end > port.asked[5].now + 30);
}

TEST(long_lines_are_refused)
{
    struct port port = {0};
    const struct sam_gputime_config c = stream_config("line_bytes=256");
    const struct sam_gputime_memory memory = {{request, &port}, 7};
    const struct sam_gputime_source source = streams_source(&all);
    struct sam_gputime *g;
    struct sam_error error;
    streams_init(&all, &s, 1, 1);
    must_refuse(sam_gputime_open(&c, &all.launch, &source, NULL, &memory, &g, &error), &error,
                "line_bytes=256: expected at most 128");
}

/* Lanes of stores write separate bytes: the model's L2 counts those of each lane. */
static void part_lanes(struct kernel *k)
{
    for (uint32_t i = 0; i < k->launch.workgroups * k->launch.warps; i++)
        for (size_t at = 0; at < k->streams[i].count; at++) {
            struct sam_gputime_op *op = &k->streams[i].ops[at].op;
            const enum sam_op number = k->program[(op->pc - KERNEL_PC) / 4].op;
            if (sam_insn_rows[number].does.act != SAM_ACT_STORE ||
                (op->form != SAM_GPUTIME_EACH && op->form != SAM_GPUTIME_STRIDED))
                continue;
            op->form = SAM_GPUTIME_STRIDED;
            op->stride = op->stride > 4 ? op->stride : op->bytes;
        }
}

/* Lines of 64 bytes in front of an L2 like the model's own: the same cycles as alone, from any
 * cycle on. */
TEST(the_same_as_alone)
{
    uint64_t seed = test_seed();
    struct sam_gputime_config c = stream_config("line_bytes=64,l2_write_allocate=1");
    const struct sam_memtime_config l2 = {.sets = c.l2_sets,
                                          .ways = c.l2_ways,
                                          .line_bytes = 64,
                                          .write_allocate = true,
                                          .mshrs = c.l2_mshrs,
                                          .latency = c.l2_latency,
                                          .miss_latency = c.l2_miss_latency,
                                          .interval = c.l2_interval,
                                          .mem_latency = c.mem_latency,
                                          .mem_outstanding = c.mem_outstanding,
                                          .mem_bytes = c.mem_bytes};
    for (unsigned i = 0; i < 60; i++) {
        struct port port = {.l2 = sam_memtime_new(&l2)};
        struct sam_gputime_result alone, shared;
        struct sam_error error;
        struct kernel k;
        assert_non_null(port.l2);
        kernel_random(&k, &seed, true);
        part_lanes(&k);
        if (sam_gputime_check(&c, &k.launch, &error) == SAM_OK) {
            struct sam_gputime_source source = kernel_source(&k);
            succeeds(sam_gputime_run, &c, &k.launch, &source, NULL, &alone);
            source = kernel_source(&k);
            run(&c, &k.launch, &source, &port, test_below(&seed, 100000), &shared);
            assert_int_equal(alone.cycles, shared.cycles);
            assert_int_equal(alone.insns, shared.insns);
            assert_memory_equal(alone.sm, shared.sm, sizeof alone.sm->reasons);
            sam_gputime_result_free(&alone);
            sam_gputime_result_free(&shared);
        }
        kernel_free(&k);
        sam_memtime_free(port.l2);
    }
}
