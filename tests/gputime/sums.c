/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs under random configurations: sums, order, ports, causes before effects, and more
 * cycles for longer latencies. */
#include "test.h"

#include <jansson.h>

#include "gputime/stream.h"
#include "samite/gputime_report.h"

enum { DATA = 0x90000000u, LOCAL = 0x70000000u };

static void add_random(struct stream *s, uint64_t *random)
{
    static const enum sam_op plain[] = {
        SAM_OP_add,       SAM_OP_addi,     SAM_OP_lui,         SAM_OP_mul,     SAM_OP_div,
        SAM_OP_csrrs,     SAM_OP_vadd_vv,  SAM_OP_vadd_vi,     SAM_OP_vmul_vv, SAM_OP_vfadd_vv,
        SAM_OP_vfmadd_vv, SAM_OP_vfdiv_vv, SAM_OP_vfcvt_x_f_v, SAM_OP_vmv_x_s, SAM_OP_fadd_s,
        SAM_OP_vftta_vv,  SAM_OP_regext,   SAM_OP_fence,       SAM_OP_setrpc,  SAM_OP_vid_v};
    const unsigned rd = (unsigned)test_below(random, 12), rs1 = (unsigned)test_below(random, 12),
                   rs2 = (unsigned)test_below(random, 12);
    const uint32_t address = DATA + 4 * (uint32_t)test_below(random, 4096);
    const bool local = test_below(random, 3) == 0;
    const uint32_t base = local ? LOCAL + address % 4096 : address;
    struct sam_gputime_op *o;
    switch (test_below(random, 12)) {
    case 0: stream_scalar(s, SAM_OP_lw, rd, base); break;
    case 1: stream_scalar(s, SAM_OP_sw, rd, base); break;
    case 2: stream_lanes(s, SAM_OP_vle32_v, rd, base, 4 * (int32_t)test_below(random, 40)); break;
    case 3: stream_lanes(s, SAM_OP_vse32_v, rd, base, 4 * (int32_t)test_below(random, 40)); break;
    case 4:
        stream_add(s, SAM_OP_beq, 0, rs1, rs2);
        if (test_below(random, 2))
            stream_jump(s, s->ops[s->count - 1].pc + 4 * (uint32_t)test_below(random, 30));
        return;
    case 5:
        stream_add(s, SAM_OP_vbeq, 0, rs1, rs2);
        if (test_below(random, 2))
            stream_jump(s, s->ops[s->count - 1].pc - 4 * (uint32_t)test_below(random, 5));
        return;
    case 6: stream_add(s, SAM_OP_join, 0, 0, 0); return;
    case 7: stream_add(s, SAM_OP_barrier, 0, 0, 0); return;
    default:
        o = stream_add(s, plain[test_below(random, SAM_COUNT(plain))], rd, rs1, rs2);
        s->insns[o - s->ops].vm = test_below(random, 4) != 0;
        break;
    }
    o = &s->ops[s->count - 1];
    o->acting = (uint32_t)test_random(random);
    o->local = o->form != SAM_GPUTIME_NO_ACCESS && local;
}

/* All warps run the same instructions, so that barriers meet. */
static void make(struct stream *s, struct streams *all, uint64_t *random, uint32_t most_groups,
                 uint32_t most_warps)
{
    const unsigned length = 20 + (unsigned)test_below(random, 200);
    s->count = 0;
    while (s->count < length)
        add_random(s, random);
    stream_end(s);
    streams_init(all, s, 1 + (uint32_t)test_below(random, most_groups),
                 1 + (uint32_t)test_below(random, most_warps));
}

/* ------------------------------------------------------------------------------------- rules */

enum { CYCLES = 1 << 20 };

struct watch {
    const struct sam_gputime_config *config;
    const struct streams *all;
    uint8_t *issued, *written; /* [sm][cycle]: sets of streams, of ports taken */
    uint64_t records, stalled, stays;
};

static bool writes(const struct sam_gputime_record *r, bool *vector)
{
    const char *operands = sam_insn_rows[r->insn->op].operands;
    *vector = *operands == 'D';
    return (*operands == 'd' || *operands == 'D') && r->unit != SAM_GPUTIME_WARPS &&
           sam_insn_rows[r->insn->op].does.act != SAM_ACT_PREFIX &&
           !(*operands == 'd' && r->insn->rd == 0);
}

static void record(void *context, const struct sam_gputime_record *r)
{
    struct watch *w = context;
    bool vector;
    w->records++;
    assert_true(r->fetched <= r->issued && r->issued < r->executed && r->executed <= r->done &&
                r->done <= r->written);
    assert_true(r->written < CYCLES);
    uint8_t *issued = &w->issued[r->sm * CYCLES + r->issued];
    if (*issued == w->config->issue_streams)
        fail_msg("%s of sm %u, slot %u: cycle %llu: too many are issued",
                 sam_insn_rows[r->insn->op].mnemonic, r->sm, r->slot,
                 (unsigned long long)r->issued);
    ++*issued;
    if (!w->config->score_x0 && writes(r, &vector)) {
        /* one per port and cycle */
        const uint8_t port = w->config->write_ports == 2 && vector ? 2 : 1;
        uint8_t *taken = &w->written[r->sm * CYCLES + r->written];
        if (*taken & port)
            fail_msg("%s of sm %u, slot %u: cycle %llu: its write port is taken",
                     sam_insn_rows[r->insn->op].mnemonic, r->sm, r->slot,
                     (unsigned long long)r->written);
        *taken |= port;
    }
}

static void stall(void *context, const struct sam_gputime_stall *s)
{
    struct watch *w = context;
    assert_true(s->from < s->to && s->reason != SAM_GPUTIME_BUSY);
    w->stalled += s->to - s->from;
}

static void stay(void *context, const struct sam_gputime_stay *s)
{
    struct watch *w = context;
    assert_true(s->from < s->to);
    w->stays++;
}

/* The report's occupancy: cycles of warp slots with a warp, in any state. */
static void check_occupancy(const struct sam_gputime_result *r,
                            const struct sam_gputime_config *config)
{
    const struct sam_gputime_report_options options = {.size = sizeof options, .config = config};
    uint64_t resident = 0;
    SCOPED_TEXT *text = NULL;
    for (uint32_t i = 0; i < r->sms * r->slots; i++)
        for (unsigned k = 0; k < SAM_GPUTIME_REASONS; k++)
            resident += k == SAM_GPUTIME_EMPTY ? 0 : r->warp_slots[i][k];
    succeeds(sam_gputime_report, r, SAM_GPUTIME_JSON, &options, &text);
    json_t *root = json_loads(text, 0, NULL);
    const json_t *occupancy = json_object_get(root, "occupancy");
    const double found = json_real_value(json_object_get(occupancy, "mean_warps"));
    if (fabs(found * (double)r->cycles - (double)resident) > 0.001)
        fail_msg("%.6f warps in %llu cycles: expected %llu cycles of warps", found,
                 (unsigned long long)r->cycles, (unsigned long long)resident);
    json_decref(root);
}

static void check_case(struct streams *all, const struct sam_gputime_config *config)
{
    struct watch w = {.config = config, .all = all};
    const struct sam_gputime_observer observer = {&w, record, stall, stay};
    w.issued = calloc(config->sms, CYCLES);
    w.written = calloc(config->sms, CYCLES);
    assert_true(w.issued && w.written);
    struct sam_gputime_result r = streams_run(all, config, &observer);
    const uint64_t warps = (uint64_t)all->launch.workgroups * all->launch.warps;
    uint64_t waits = 0;
    assert_int_equal(w.stays, warps);
    assert_int_equal(r.insns, warps * all->of[0]->count);
    assert_int_equal(w.records, r.counted_insns);
    for (uint32_t i = 0; i < r.sms * r.slots; i++)
        for (unsigned k = 0; k < SAM_GPUTIME_REASONS; k++)
            if (k != SAM_GPUTIME_BUSY && k != SAM_GPUTIME_EMPTY)
                waits += r.warp_slots[i][k];
    assert_int_equal(w.stalled, waits);
    check_occupancy(&r, config);
    assert_true(r.dram_bytes_read == r.dram_reads * sam_gputime_l2_line(config));
    assert_true(r.dram_busy <= r.cycles);
    /* the same again without an observer */
    assert_int_equal(streams_cycles(all, config), r.cycles);
    sam_gputime_result_free(&r);
    free(w.issued);
    free(w.written);
}

static const char *const presets[] = {"preset=rtl", "preset=verilog", "preset=systemc"};

TEST(random_programs_obey_the_rules)
{
    static struct stream s;
    struct streams all;
    uint64_t random = test_seed();
    for (unsigned i = 0; i < 60; i++) {
        struct sam_gputime_config c = stream_config(presets[i % 3]);
        make(&s, &all, &random, 6, 8);
        check_case(&all, &c);
    }
}

/* Every parameter at random, as long as the machine is possible. */
TEST(random_machines_obey_the_rules)
{
    static struct stream s;
    struct streams all;
    uint64_t random = test_seed();
    unsigned tried = 0;
    for (unsigned i = 0; tried < 60; i++) {
        struct sam_gputime_config c = stream_config(presets[i % 3]);
        for (unsigned k = 0; k < 12; k++) {
            size_t count = 0;
            char text[96];
            struct sam_error error;
            while (sam_gputime_parameter(count))
                count++;
            const struct sam_parameter *p = sam_gputime_parameter(test_below(&random, count));
            const uint64_t span = p->high < 9 ? p->high : 9;
            sam_format(text, sizeof text, "%s=%" PRIu64, p->name, test_below(&random, span + 1));
            (void)sam_gputime_config_set(&c, text, &error); /* out of range: unchanged */
        }
        make(&s, &all, &random, 4, 4);
        if (sam_gputime_check(&c, &all.launch, NULL) != SAM_OK)
            continue;
        tried++;
        check_case(&all, &c);
    }
}

/* Machines on which an SM was not woken, or lacked room for an instruction with its prefix. */
TEST(narrow_machines_come_to_an_end)
{
    static const char *const configs[] = {
        "lsu_queue=0,lsu_interval=9,lsu_latency=1", "bank_echo=1,banks=1",
        "fold_prefix=1,ibuffer=1,fetch_width=1", "lsu_queue=0,lsu_warp=1,lsu_all=1,collectors=1"};
    static struct stream s;
    struct streams all;
    uint64_t random = test_seed();
    for (unsigned i = 0; i < 40; i++) {
        const struct sam_gputime_config c = stream_config(configs[i % SAM_COUNT(configs)]);
        make(&s, &all, &random, 3, 4);
        check_case(&all, &c);
    }
}

/* ------------------------------------------------------------------------------ monotonicity */

static bool is_latency(const char *name)
{
    static const char *const others[] = {"dispatch_cycles", "request_latency", "reply_latency",
                                         "icache_retry", NULL};
    const size_t size = strlen(name);
    for (unsigned i = 0; others[i]; i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return size > 8 && strcmp(name + size - 8, "_latency") == 0;
}

/* With one warp whose instructions write one register each, no order of execution is better: a
 * longer latency never takes fewer cycles. In general it may, by chance: instructions in the
 * collectors compete for the banks, results for the write port, accesses in flight for that of
 * the L2, and a warp whose fetch misses retries at intervals. So here one of each is in flight,
 * and every fetch hits. */
TEST(cycles_never_fall_when_a_latency_rises)
{
    static struct stream s;
    struct streams all;
    uint64_t random = test_seed();
    unsigned compared = 0;
    for (unsigned i = 0; i < 12; i++) {
        struct sam_gputime_config c = stream_config(presets[i % 3]);
        c.icache_bytes = 0;
        c.collectors_warp = c.lsu_warp = c.lsu_all = 1;
        c.write_ports = 2;
        make(&s, &all, &random, 1, 1);
        for (unsigned k = 0; k < s.count; k++)
            s.insns[k].rd = 5; /* x5 and v5 */
        const uint64_t before = streams_cycles(&all, &c);
        for (size_t k = 0; sam_gputime_parameter(k); k++) {
            const struct sam_parameter *p = sam_gputime_parameter(k);
            struct sam_gputime_config longer = c;
            uint32_t value;
            char text[96];
            if (!is_latency(p->name) || !sam_gputime_config_get(&c, p->name, &value))
                continue;
            sam_format(text, sizeof text, "%s=%" PRIu32, p->name, value + 6);
            succeeds(sam_gputime_config_set, &longer, text);
            const uint64_t after = streams_cycles(&all, &longer);
            if (after < before)
                fail_msg("%s, %s: %llu cycles instead of %llu", presets[i % 3], text,
                         (unsigned long long)after, (unsigned long long)before);
            compared++;
        }
    }
    assert_true(compared > 200);
}
