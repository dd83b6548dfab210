/* SPDX-License-Identifier: Apache-2.0 */
/* Hazards, limits and order of the pipeline. Latencies and rates: assembly_units.c,
 * assembly_flow.c. */
#include "test.h"

#include "gputime/stream.h"

/* Cycles of each further instruction made by `add`, in one warp. */
static uint64_t each(const struct sam_gputime_config *config,
                     void (*add)(struct stream *s, unsigned i))
{
    static struct stream s;
    struct streams all;
    uint64_t cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        s.count = s.address_count = 0;
        for (unsigned i = 0; i < 100 + 100 * k; i++)
            add(&s, i);
        stream_end(&s);
        streams_init(&all, &s, 1, 1);
        all.launch.lanes = 8; /* so that every preset has 8 lanes */
        cycles[k] = streams_cycles(&all, config);
    }
    assert_int_equal((cycles[1] - cycles[0]) % 100, 0);
    return (cycles[1] - cycles[0]) / 100;
}

static void scalar_chain(struct stream *s, unsigned i)
{
    (void)i;
    stream_add(s, SAM_OP_addi, 5, 5, 0);
}

TEST(the_rulings_chain_of_the_simulator)
{
    const struct sam_gputime_config c = stream_config("preset=systemc");
    assert_int_equal(each(&c, scalar_chain), 6);
}

TEST(the_rulings_branch_of_the_source)
{
    const struct sam_gputime_config c = stream_config("preset=rtl");
    assert_int_equal(c.redirect_latency + c.icache_latency + c.decode_latency, 5);
}

/* ---------------------------------------------------------------------------------- conflicts */

static uint64_t cycles_of(const char *config, void (*build)(struct stream *s, unsigned variant),
                          unsigned variant, uint32_t warps)
{
    static struct stream s;
    struct streams all;
    struct sam_gputime_config c = stream_config(config);
    c.icache_bytes = 0;
    s.count = s.address_count = 0;
    build(&s, variant);
    stream_end(&s);
    streams_init(&all, &s, 1, warps);
    all.launch.lanes = 8;
    return streams_cycles(&all, &c);
}

static void divisions(struct stream *s, unsigned variant)
{
    for (unsigned i = 0; i < 8; i++) {
        stream_add(s, SAM_OP_vfdiv_vv, 4 + i, 20, 24)->acting = variant;
    }
}

/* Groups of lanes without an active lane are skipped. */
TEST(the_sfu_skips_idle_groups)
{
    const struct sam_gputime_config c = stream_config("");
    const uint64_t all = cycles_of("", divisions, 0xff, 1);
    const uint64_t half = cycles_of("", divisions, 0x0f, 1);
    const uint64_t spread = cycles_of("", divisions, 0x55, 1);
    assert_int_equal(all, spread);
    /* the last one is not waited for */
    assert_int_equal(all - half, 7 * 2 * c.sfu_float_cycles);
}

/* ---------------------------------------------------------------------------------- scoreboard */

/* A division whose result is used as `variant` says: 0 none, 1 source, 2 destination, 3 mask. */
static void hazard(struct stream *s, unsigned variant)
{
    stream_add(s, SAM_OP_vfdiv_vv, 0, 20, 24);
    struct sam_gputime_op *o =
        stream_add(s, SAM_OP_vadd_vi, variant == 2 ? 0 : 8, 0, variant == 1 ? 0 : 12);
    if (variant == 3)
        s->insns[o - s->ops].vm = false;
    for (unsigned i = 0; i < 40; i++)
        stream_add(s, SAM_OP_addi, 5, 5, 0);
}

TEST(the_scoreboard_sees_each_hazard)
{
    const uint64_t free = cycles_of("", hazard, 0, 1);
    for (unsigned variant = 1; variant <= 3; variant++)
        assert_true(cycles_of("", hazard, variant, 1) > free + 40);
    assert_int_equal(cycles_of("score_masks=0", hazard, 3, 1), free);
}

static void x0_results(struct stream *s, unsigned variant)
{
    for (unsigned i = 0; i < 20; i++)
        stream_add(s, SAM_OP_div, variant ? 6 : 0, 20, 24);
    (void)variant;
}

TEST(x0_counts_where_a_preset_says_so)
{
    assert_true(cycles_of("sfu_interval=1", x0_results, 0, 1) + 100 <
                cycles_of("sfu_interval=1,score_x0=1", x0_results, 0, 1));
    assert_int_equal(cycles_of("sfu_interval=1,score_x0=1", x0_results, 0, 1),
                     cycles_of("sfu_interval=1", x0_results, 1, 1));
}

/* ------------------------------------------------------------------------- warps and workgroups */

TEST(a_barrier_waits_for_the_slowest)
{
    static struct stream slow, fast;
    struct streams all;
    slow.count = fast.count = 0;
    for (unsigned i = 0; i < 100; i++)
        stream_add(&slow, SAM_OP_addi, 5, 5, 0);
    stream_add(&slow, SAM_OP_barrier, 0, 0, 0);
    stream_add(&fast, SAM_OP_barrier, 0, 0, 0);
    stream_end(&slow);
    stream_end(&fast);
    streams_init(&all, &slow, 1, 2);
    all.of[1] = &fast;
    all.count = 2;
    const struct sam_gputime_config c = stream_config("");
    SCOPED(sam_gputime_result) r = streams_run(&all, &c, NULL);
    assert_true(r.warp_slots[1][SAM_GPUTIME_BARRIER] > 450);
    assert_int_equal(r.warp_slots[0][SAM_GPUTIME_BARRIER], 1);
}

/* A program that ends without endprg does not stop the others. */
TEST(a_warp_may_be_cut_off)
{
    static struct stream cut, whole;
    struct streams all;
    cut.count = whole.count = 0;
    stream_add(&cut, SAM_OP_addi, 5, 5, 0);
    stream_add(&whole, SAM_OP_barrier, 0, 0, 0);
    stream_end(&whole);
    streams_init(&all, &cut, 1, 2);
    all.of[1] = &whole;
    all.count = 2;
    const struct sam_gputime_config c = stream_config("icache_bytes=0");
    assert_true(streams_cycles(&all, &c) < 50);
}

static void independent_work(struct stream *s, unsigned variant)
{
    for (unsigned i = 0; i < variant; i++)
        stream_add(s, SAM_OP_addi, 5, 5, 0);
}

static void work(struct streams *all, struct stream *s, uint32_t workgroups, uint32_t warps)
{
    s->count = 0;
    independent_work(s, 200);
    stream_end(s);
    streams_init(all, s, workgroups, warps);
}

static enum sam_gputime_limit limit_of(struct streams *all, const char *text, uint32_t resident)
{
    const struct sam_gputime_config c = stream_config(text);
    SCOPED(sam_gputime_result) r = streams_run(all, &c, NULL);
    const enum sam_gputime_limit limit = r.limit;
    assert_int_equal(r.groups_resident, resident);
    return limit;
}

TEST(resources_limit_the_workgroups)
{
    static struct stream s;
    struct streams all;
    work(&all, &s, 16, 2);
    assert_int_equal(limit_of(&all, "", 4), SAM_GPUTIME_BY_WARPS);
    assert_int_equal(limit_of(&all, "groups=3", 3), SAM_GPUTIME_BY_GROUPS);
    all.launch.lds_bytes = 60000;
    assert_int_equal(limit_of(&all, "", 2), SAM_GPUTIME_BY_LDS);
    all.launch.sgprs = 2000;
    assert_int_equal(limit_of(&all, "", 1), SAM_GPUTIME_BY_SGPRS);
    all.launch.sgprs = 0;
    all.launch.lds_bytes = 0;
    all.launch.vgprs = 700;
    assert_int_equal(limit_of(&all, "", 2), SAM_GPUTIME_BY_VGPRS);
    work(&all, &s, 2, 2);
    assert_int_equal(limit_of(&all, "", 1), SAM_GPUTIME_BY_LAUNCH);
}

/* More SMs, more warps: dependent chains overlap. */
TEST(parallel_work_overlaps)
{
    static struct stream s;
    struct streams all;
    work(&all, &s, 8, 4);
    const struct sam_gputime_config one = stream_config("icache_bytes=0,sms=1"),
                                    two = stream_config("icache_bytes=0,sms=2"),
                                    four = stream_config("icache_bytes=0,sms=4");
    const uint64_t a = streams_cycles(&all, &one), b = streams_cycles(&all, &two),
                   c = streams_cycles(&all, &four);
    assert_true(a > 19 * b / 10 && b > 19 * c / 10);
    work(&all, &s, 1, 1);
    const uint64_t alone = streams_cycles(&all, &one);
    work(&all, &s, 1, 4);
    assert_true(streams_cycles(&all, &one) < alone + 60);
}

/* Two streams of different warps issue in one cycle. */
TEST(two_streams_issue_side_by_side)
{
    static struct stream x, v;
    struct streams all;
    x.count = v.count = 0;
    for (unsigned i = 0; i < 400; i++) {
        stream_add(&x, SAM_OP_lui, 5 + i % 8, 0, 0);
        stream_add(&v, SAM_OP_vid_v, 5 + i % 8, 0, 0);
    }
    stream_end(&x);
    stream_end(&v);
    streams_init(&all, &x, 1, 8);
    all.of[1] = &v;
    all.count = 2;
    const struct sam_gputime_config two = stream_config("icache_bytes=0,fetch_ports=0"),
                                    single = stream_config(
                                        "icache_bytes=0,fetch_ports=0,issue_streams=1");
    const uint64_t side = streams_cycles(&all, &two), turns = streams_cycles(&all, &single);
    assert_true(turns > 3200 && turns < 3300);
    assert_true(side > 1600 && side < 1700);
}
