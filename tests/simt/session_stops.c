/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions stop at the points given by a trace of single steps, also at full speed. */
#include "program.h"

#include "test.h"

#include "samite/session.h"

static struct sam_session *open_session(struct program *p)
{
    struct sam_session *session;
    succeeds(sam_gpu_set_options, p->gpu, &p->options);
    succeeds(sam_session_open, p->gpu, &p->launch, NULL, &session);
    return session;
}

/* Loads and stores of every kind, prefixes, a loop, divergence, barriers, local memory. */
static const char everything[] = "        lui     s0, 0x90000\n"
                                 "        csrr    s1, wid\n"
                                 "        slli    s2, s1, 9\n"
                                 "        add     s2, s2, s0\n"
                                 "        csrr    t0, wgid\n"
                                 "        slli    t0, t0, 12\n"
                                 "        add     s2, s2, t0\n"
                                 "        lui     s3, 0x70000\n"
                                 "        li      s4, 5\n"
                                 "        li      s5, 8\n"
                                 "        vid.v   v1\n"
                                 "        vsll.vi v2, v1, 2\n"
                                 "        vadd.vx v3, v2, s2\n"
                                 "loop:   sw      s4, 0(s2)\n"
                                 "        lh      t1, 2(s2)\n"
                                 "        lb      t2, 1(s2)\n"
                                 "        vsw12.v v1, 4(v3)\n"
                                 "        vlw12.v v4, 8(v3)\n"
                                 "        regext  zero, zero, 9\n"
                                 "        vadd.vv v8, v4, v1\n"
                                 "after:  vse32.v v4, (s3)\n"
                                 "        vle8.v  v5, (s3)\n"
                                 "        vlse32.v v6, (s3), s5\n"
                                 "        vsuxei32.v v1, (s2), v2\n"
                                 "        vand.vi v9, v1, 1\n"
                                 "        vmv.v.i v10, 0\n"
                                 "        auipc   t4, 0\n"
                                 "        addi    t4, t4, 32\n"
                                 "        setrpc  zero, t4, 0\n"
                                 "        vbeq    v9, v10, even\n"
                                 "        vsb12.v v1, 200(v3)\n"
                                 "        vlbu12.v v11, 1(v3)\n"
                                 "        nop\n"
                                 "        join    zero, zero, 0\n"
                                 "even:   join    zero, zero, 0\n"
                                 "        vsw.v   v1, 16(v10)\n"
                                 "        vlw.v   v12, 16(v10)\n"
                                 "        amoadd.w t5, s4, (s0)\n"
                                 "        barrier x0, x0, 0\n"
                                 "        addi    s4, s4, -1\n"
                                 "        bnez    s4, loop\n"
                                 "        endprg\n";

struct moment {
    uint32_t workgroup, warp;
    uint64_t pc, time;
    unsigned access_count;
    struct sam_step_access access[SAM_STEP_ACCESSES];
};

struct trace {
    struct moment *moments;
    size_t count, capacity;
};

static bool note(void *context, struct sam_session *session, const struct sam_step *step)
{
    struct trace *trace = context;
    struct sam_error error;
    trace->moments =
        sam_grow(trace->moments, trace->count, &trace->capacity, sizeof *trace->moments);
    assert_non_null(trace->moments);
    struct moment *m = &trace->moments[trace->count++];
    *m = (struct moment){.workgroup = step->workgroup,
                         .warp = step->warp,
                         .pc = step->pc,
                         .time = step->time,
                         .access_count = step->access_count};
    memcpy(m->access, step->access, step->access_count * sizeof step->access[0]);
    must_refuse(sam_session_step(session, 0, 0, NULL, &error), &error, "only inspect");
    return true;
}

/* The whole execution, one instruction at a time. */
static struct trace trace_of(struct program *p)
{
    struct trace trace = {0};
    SCOPED_SESSION *session = open_session(p);
    struct sam_session_run run = {.size = sizeof run, .each = note, .context = &trace};
    struct sam_session_stop stop;
    succeeds(sam_session_run, session, &run, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    assert_int_equal(stop.instructions, trace.count);
    for (size_t i = 0; i < trace.count; i++)
        assert_int_equal(trace.moments[i].time, i);
    return trace;
}

static struct program open_everything(uint32_t lanes, enum sam_schedule schedule)
{
    struct program p = program_new(everything, lanes);
    p.options.schedule = schedule;
    p.launch.grid[0] = 3;
    p.launch.warps = 2;
    program_pass(&p);
    for (uint32_t at = 0; at < DATA_SIZE; at += 4)
        program_set(&p, DATA + at, 0);
    return p;
}

static void clear_data(struct program *p)
{
    for (uint32_t at = 0; at < DATA_SIZE; at += 4)
        program_set(p, DATA + at, 0);
}

TEST(breakpoints)
{
    for (int schedule = SAM_SCHEDULE_RUN; schedule <= SAM_SCHEDULE_RR1; schedule++) {
        SCOPED(program) p = open_everything(8, (enum sam_schedule)schedule);
        struct trace trace = trace_of(&p);
        uint32_t end = program_symbol(&p, "even") + 8 * 4;
        for (uint32_t pc = SAM_CODE_BASE; pc < end; pc += 4) {
            struct sam_session_break at = {.pc = pc};
            struct sam_session_stop stop;
            unsigned id;
            clear_data(&p);
            SCOPED_SESSION *session = open_session(&p);
            succeeds(sam_session_add_break, session, &at, &id);
            /* a second one, by warp, at the same address and elsewhere */
            at.has_warp = true;
            at.warp = 1;
            succeeds(sam_session_add_break, session, &at, &id);
            for (size_t i = 0; i < trace.count; i++) {
                const struct moment *m = &trace.moments[i];
                if (m->pc != pc)
                    continue;
                succeeds(sam_session_run, session, NULL, &stop);
                assert_int_equal(stop.reason, SAM_SESSION_BREAK);
                assert_int_equal(stop.workgroup, m->workgroup);
                assert_int_equal(stop.warp, m->warp);
                assert_int_equal(stop.pc, pc);
                assert_int_equal(sam_session_time(session), m->time);
                assert_int_equal(stop.id, id - 1);
            }
            succeeds(sam_session_run, session, NULL, &stop);
            assert_int_equal(stop.reason, SAM_SESSION_DONE);
            assert_int_equal(sam_session_time(session), trace.count);
        }
        free(trace.moments);
    }
}

/* The first access of this time that the watchpoint catches. */
static const struct sam_step_access *caught(const struct moment *m,
                                            const struct sam_session_watch *of)
{
    for (unsigned i = 0; i < m->access_count; i++) {
        const struct sam_step_access *a = &m->access[i];
        if (((a->load && of->loads) || (a->store && of->stores)) &&
            a->address < of->address + of->size && of->address < a->address + a->size &&
            (!of->has_workgroup || of->workgroup == m->workgroup) &&
            (!of->has_warp || of->warp == m->warp))
            return a;
    }
    return NULL;
}

TEST(watchpoints)
{
    uint64_t random = test_seed();
    for (unsigned round = 0; round < 60; round++) {
        SCOPED(program) p =
            open_everything(round & 1 ? 32 : 4, round & 2 ? SAM_SCHEDULE_RR1 : SAM_SCHEDULE_RUN);
        struct trace trace = trace_of(&p);
        unsigned id, hits = 0;
        /* around an access that occurs */
        const struct moment *m;
        do
            m = &trace.moments[test_below(&random, trace.count)];
        while (!m->access_count);
        const struct sam_step_access *a = &m->access[test_below(&random, m->access_count)];
        const uint64_t kind = 1 + test_below(&random, 3);
        struct sam_session_watch of = {.address = a->address - test_below(&random, 3),
                                       .size = 3 + test_below(&random, 40),
                                       .loads = kind & 1,
                                       .stores = kind & 2,
                                       .has_workgroup = test_below(&random, 2) != 0,
                                       .workgroup = m->workgroup,
                                       .has_warp = test_below(&random, 2) != 0,
                                       .warp = m->warp};
        struct sam_session_stop stop;
        clear_data(&p);
        struct sam_session *session = open_session(&p);
        succeeds(sam_session_add_watch, session, &of, &id);
        for (size_t i = 0; i < trace.count; i++) {
            const struct sam_step_access *want = caught(&trace.moments[i], &of);
            if (!want)
                continue;
            hits++;
            succeeds(sam_session_run, session, NULL, &stop);
            assert_int_equal(stop.reason, SAM_SESSION_WATCH);
            assert_int_equal(stop.access_pc, trace.moments[i].pc);
            assert_int_equal(stop.workgroup, trace.moments[i].workgroup);
            assert_int_equal(stop.warp, trace.moments[i].warp);
            assert_int_equal(sam_session_time(session), trace.moments[i].time + 1);
            assert_int_equal(stop.id, id);
            assert_int_equal(stop.address, want->address);
            assert_int_equal(stop.size, want->size);
            if (want->store) /* lanes never collide in this program */
                assert_int_equal(stop.after, want->value);
            else
                assert_int_equal(stop.before, stop.after);
        }
        assert_true(hits || !((a->load && of.loads) || (a->store && of.stores)));
        succeeds(sam_session_run, session, NULL, &stop);
        assert_int_equal(stop.reason, SAM_SESSION_DONE);
        sam_session_close(session);
        free(trace.moments);
    }
}

static bool third_time(void *context, struct sam_session *session, uint32_t workgroup,
                       uint32_t warp)
{
    uint64_t s4;
    (void)context;
    succeeds(sam_session_x, session, workgroup, warp, 20, &s4);
    return s4 == 3;
}

static bool changes(void *context, struct sam_session *session, const struct sam_session_stop *stop)
{
    (void)session;
    ++*(unsigned *)context;
    return stop->before != stop->after && stop->after == 3;
}

TEST(conditions)
{
    SCOPED(program) p = open_everything(8, SAM_SCHEDULE_RUN);
    const uint32_t after = program_symbol(&p, "after");
    struct sam_session_break at = {.pc = after, .when = third_time};
    struct sam_session_stop stop;
    unsigned id, watch, calls = 0;
    uint64_t s4;
    struct sam_session *session = open_session(&p);
    succeeds(sam_session_add_break, session, &at, &id);
    for (uint32_t i = 0; i < 6; i++) {
        succeeds(sam_session_run, session, NULL, &stop);
        assert_int_equal(stop.reason, SAM_SESSION_BREAK);
        assert_int_equal(stop.workgroup, i / 2);
        assert_int_equal(stop.warp, i % 2);
        succeeds(sam_session_x, session, stop.workgroup, stop.warp, 20, &s4);
        assert_int_equal(s4, 3);
    }
    sam_session_close(session);

    /* a watchpoint's condition; a breakpoint only if lane 1 is active */
    session = open_session(&p);
    struct sam_session_watch of = {
        .address = DATA + 0x1000, .size = 4, .when = changes, .context = &calls};
    succeeds(sam_session_add_watch, session, &of, &watch);
    at = (struct sam_session_break){.pc = program_symbol(&p, "even"), .lanes = 2};
    succeeds(sam_session_add_break, session, &at, &id);
    succeeds(sam_session_remove, session, id);
    succeeds(sam_session_run, session, NULL, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_WATCH);
    assert_int_equal(stop.workgroup, 1);
    assert_int_equal(stop.after, 3);
    assert_true(calls > 2);
    succeeds(sam_session_remove, session, watch);
    must_refuse(sam_session_remove(session, watch, &p.error), &p.error,
                "no breakpoint or watchpoint");
    succeeds(sam_session_add_break, session, &at, &id);
    struct sam_session_warp warp;
    while (sam_session_run(session, NULL, &stop, &p.error) == SAM_OK &&
           stop.reason == SAM_SESSION_BREAK) {
        succeeds(sam_session_warp, session, stop.workgroup, stop.warp, &warp);
        assert_true(warp.mask & 2);
        calls = 0;
    }
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    assert_int_equal(calls, 0);
    sam_session_close(session);
}

/* Warps race for a word: the result depends on the order of every time slice. Pieces of any
 * length, with and without breakpoints, give the result of a launch. */
TEST(exact_turns)
{
    uint64_t random = test_seed();
    SCOPED(program) p = program_new("        lui     s0, 0x90000\n"
                                    "        csrr    s1, wid\n"
                                    "        li      s2, 60000\n"
                                    "        li      s3, 3\n"
                                    "loop:   lw      t0, 0(s0)\n"
                                    "        mul     t0, t0, s3\n"
                                    "        add     t0, t0, s1\n"
                                    "        sw      t0, 0(s0)\n"
                                    "        andi    t1, s2, 7\n"
                                    "        bnez    t1, over\n"
                                    "        regext  zero, zero, 0\n"
                                    "        addi    t2, t2, 1\n"
                                    "over:   addi    s2, s2, -1\n"
                                    "        bnez    s2, loop\n"
                                    "        endprg\n",
                                    4);
    p.launch.warps = 3;
    p.options.max_insns = 2000000;
    program_pass(&p);
    const uint32_t want = program_word(&p, DATA);
    for (unsigned round = 0; round < 6; round++) {
        struct sam_session_stop stop = {0};
        unsigned id;
        program_set(&p, DATA, 0);
        SCOPED_SESSION *session = open_session(&p);
        struct sam_session_break at = {.pc = program_symbol(&p, "over") - 4, .lanes = 16};
        if (round & 1) /* never stops, but is evaluated */
            succeeds(sam_session_add_break, session, &at, &id);
        struct sam_session_watch of = {.address = DATA + 4, .size = 4};
        if (round & 2)
            succeeds(sam_session_add_watch, session, &of, &id);
        do {
            struct sam_session_run run = {.size = sizeof run,
                                          .instructions = 1 + test_below(&random, 150000)};
            const uint64_t time = sam_session_time(session);
            succeeds(sam_session_run, session, &run, &stop);
            assert_int_equal(sam_session_time(session) - time, stop.instructions);
            if (stop.reason == SAM_SESSION_COUNT)
                assert_int_equal(stop.instructions, run.instructions);
            else
                assert_int_equal(stop.reason, SAM_SESSION_DONE);
        } while (stop.reason != SAM_SESSION_DONE);
        assert_int_equal(program_word(&p, DATA), want);
    }
}
