/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs under random configurations: all times and figures agree with the reference, no
 * value changes, and a larger machine is never slower. */

#include "hart/program.h"
#include "tensor/engines_gen.h"

enum { ROUNDS = 300, ACTIONS = 60 };

/* Events reported to the watcher. */
struct seen {
    const struct egen *program;
    size_t next;                                             /* the next instruction of the unit */
    uint64_t end[SAM_ENGINE_COUNT + 1];                      /* of the last slice of each track */
    uint64_t cycles[SAM_ENGINE_COUNT + 1][SAM_ISSUE_CYCLES]; /* above the number of engines */
    uint64_t queue_cycle[SAM_ENGINE_COUNT];
    uint32_t waiting[SAM_ENGINE_COUNT];
    uint64_t queued[SAM_ENGINE_COUNT];
};

static void expect_times(struct seen *seen, const struct sam_engines_slice *s)
{
    const struct egen *g = seen->program;
    while (!g->insns[seen->next].tensor)
        seen->next++;
    const struct eref_insn *insn = &g->insns[seen->next];
    if (s->issued != insn->issued || s->start != insn->start || s->end != insn->release ||
        s->done != insn->done || s->track != insn->engine)
        fail_msg("instruction %zu at 0x%llx on %s: issued %llu, %llu..%llu, done %llu; the "
                 "reference: %llu, %llu..%llu, %llu",
                 seen->next, (unsigned long long)s->pc, sam_engine_name(s->track),
                 (unsigned long long)s->issued, (unsigned long long)s->start,
                 (unsigned long long)s->end, (unsigned long long)s->done,
                 (unsigned long long)insn->issued, (unsigned long long)insn->start,
                 (unsigned long long)insn->release, (unsigned long long)insn->done);
    assert_int_equal(s->pc, SAM_HART_CODE_BASE + 4 * seen->next);
    seen->next++;
}

static bool see_slice(void *context, const struct sam_engines_slice *s)
{
    struct seen *seen = context;
    assert_true(s->start >= seen->end[s->track] && s->end > s->start);
    seen->end[s->track] = s->end;
    seen->cycles[s->track][s->cycle] += s->end - s->start;
    if (s->track < SAM_ENGINE_COUNT && s->cycle == SAM_ENGINE_BUSY)
        expect_times(seen, s);
    return true;
}

static bool see_queue(void *context, unsigned engine, uint64_t cycle, uint32_t waiting)
{
    struct seen *seen = context;
    assert_true(cycle >= seen->queue_cycle[engine]);
    seen->queued[engine] += (cycle - seen->queue_cycle[engine]) * seen->waiting[engine];
    seen->queue_cycle[engine] = cycle;
    seen->waiting[engine] = waiting;
    return true;
}

static struct program start(const struct egen *g, const struct sam_hart_options *options)
{
    uint8_t bytes[DATA_SIZE];
    struct program p =
        program_new(g->xlen == 64 ? "rv64ima_zicsr_xtensorload" : "rv32ima_zicsr_xtensorload",
                    options, sam_buffer_text(&g->text));
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + (i >> 8));
    program_write(&p, DATA_BASE, bytes, sizeof bytes);
    return p;
}

static void expect_sums(const struct sam_engines_report *r)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < SAM_ISSUE_CYCLES; k++)
        sum += r->issue[k];
    assert_int_equal(sum, r->cycles);
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        sum = 0;
        for (unsigned k = 0; k < SAM_ENGINE_CYCLES; k++)
            sum += r->engine[i].cycles[k];
        assert_int_equal(sum, r->cycles);
    }
}

static void expect_same_state(struct program *a, struct program *b)
{
    uint8_t x[DATA_SIZE], y[DATA_SIZE];
    assert_int_equal(a->result.instructions, b->result.instructions);
    for (unsigned r = 0; r < 32; r++) {
        assert_int_equal(sam_hart_x(a->hart, r), sam_hart_x(b->hart, r));
        assert_memory_equal(sam_hart_tl(a->hart, r), sam_hart_tl(b->hart, r), 1024);
    }
    program_read(a, DATA_BASE, x, sizeof x);
    program_read(b, DATA_BASE, y, sizeof y);
    assert_memory_equal(x, y, sizeof x);
}

/* The slices and queue events add up to the report. */
static void expect_seen(const struct seen *seen, const struct sam_engines_report *r)
{
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        const uint64_t *told = seen->cycles[i], *reported = r->engine[i].cycles;
        assert_int_equal(told[SAM_ENGINE_BUSY], reported[SAM_ENGINE_BUSY]);
        for (unsigned k = SAM_ENGINE_RAW; k <= SAM_ENGINE_MEMORY; k++)
            assert_int_equal(told[k], reported[k]);
        assert_int_equal(seen->queued[i], r->engine[i].queued);
        assert_int_equal(seen->waiting[i], 0);
    }
    for (unsigned k = 0; k < SAM_ISSUE_DONE; k++)
        assert_int_equal(seen->cycles[SAM_ENGINE_COUNT][k], r->issue[k]);
}

static struct sam_engines_config parse(const char *text)
{
    struct sam_engines_config config;
    sam_engines_defaults(&config);
    succeeds(sam_engines_parse, text, &config);
    return config;
}

/* Coverage over all programs: every figure of the report occurs. */
struct total {
    uint64_t engine[SAM_ENGINE_CYCLES], issue[SAM_ISSUE_CYCLES];
};

static void add_total(struct total *total, const struct sam_engines_report *r)
{
    for (unsigned k = 0; k < SAM_ISSUE_CYCLES; k++)
        total->issue[k] += r->issue[k];
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        for (unsigned k = 0; k < SAM_ENGINE_CYCLES; k++)
            total->engine[k] += r->engine[i].cycles[k];
}

static void expect_all(const struct total *total)
{
    const uint32_t elsewhere = 1u << SAM_ISSUE_MATRIX | 1u << SAM_ISSUE_SLOTS |
                               1u << SAM_ISSUE_CONTROL; /* of other units */
    for (unsigned k = 0; k < SAM_ISSUE_CYCLES; k++)
        if (!total->issue[k] && !(elsewhere >> k & 1))
            fail_msg("no program has a cycle of '%s'", sam_issue_cycle_name(k));
    for (unsigned k = 0; k < SAM_ENGINE_CYCLES; k++)
        if (!total->engine[k])
            fail_msg("no program has a cycle of '%s'", sam_engine_cycle_name(k));
}

static void one_round(struct egen *g, const char *text, struct total *total)
{
    struct sam_engines_config config = parse(text);
    struct sam_engines_report expected, report;
    struct seen seen = {.program = g};
    const struct sam_hart_options options = {.engines = &config,
                                             .watch = {see_slice, see_queue, &seen}};
    eref_run(g->insns, g->count, &config, NULL, &expected);
    SCOPED(program) timed = start(g, &options), plain = start(g, NULL);
    program_expect(&timed, SAM_HART_EBREAK);
    program_expect(&plain, SAM_HART_EBREAK);
    assert_int_equal(timed.result.instructions, g->count);
    assert_false(sam_hart_engines(plain.hart, &report));
    assert_true(sam_hart_engines(timed.hart, &report));
    expect_sums(&report);
    eref_compare(&report, &expected);
    assert_int_equal(sam_hart_end_timeline(timed.hart, NULL), SAM_OK);
    expect_seen(&seen, &report);
    expect_same_state(&timed, &plain);
    add_total(total, &report);
}

TEST(the_reference_agrees)
{
    struct total total = {{0}, {0}};
    uint64_t random = test_seed();
    for (int i = 0; i < ROUNDS; i++) {
        char text[512];
        egen_config(&random, text, sizeof text);
        SCOPED(egen) g = {.random = test_random(&random), .xlen = test_below(&random, 2) ? 32 : 64};
        egen_program(&g, ACTIONS);
        if (getenv("SAMITE_SHOW"))
            printf("# %s\n%s", text, sam_buffer_text(&g.text));
        one_round(&g, text, &total);
    }
    expect_all(&total);
}

static uint64_t cycles_of(const struct egen *g, const struct sam_engines_config *config)
{
    struct sam_engines_report report;
    struct program p = start(g, &(struct sam_hart_options){.engines = config});
    program_expect(&p, SAM_HART_EBREAK);
    assert_true(sam_hart_engines(p.hart, &report));
    expect_sums(&report);
    program_free(&p);
    return report.cycles;
}

/* Every time is a maximum of sums of earlier ones, so that no anomaly is possible: a larger
 * port, queue or issue width and a smaller latency never cost a cycle, for any program. */
TEST(larger_is_never_slower)
{
    uint64_t random = test_seed();
    for (int i = 0; i < ROUNDS; i++) {
        char text[512];
        egen_config(&random, text, sizeof text);
        struct egen g = {.random = test_random(&random), .xlen = 64};
        egen_program(&g, ACTIONS);
        const struct sam_engines_config small = parse(text);
        struct sam_engines_config large = small;
        unsigned e = (unsigned)test_below(&random, SAM_ENGINE_COUNT);
        switch (test_below(&random, 7)) {
        case 0: large.bytes[e] *= 2; break;
        case 1: large.latency[e] /= 2; break;
        case 2: large.queue[e] += 1; break;
        case 3: large.slice_cycles /= 2; break;
        case 4: large.pipelined = 1; break;
        case 5: large.issue = large.issue < 16 ? large.issue + 1 : 16; break;
        default: large.scalar_cpi = (large.scalar_cpi + 1) / 2; break;
        }
        uint64_t slow = cycles_of(&g, &small), fast = cycles_of(&g, &large);
        if (fast > slow)
            fail_msg("%llu cycles, and %llu when larger: %s", (unsigned long long)slow,
                     (unsigned long long)fast, text);
        egen_free(&g);
    }
}
