/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: stops where a trace of single steps says, at full speed too; what was written takes
 * effect; every way to end. The kernels run in sessions in tests/kernels/sessions.c. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "random.h"
#include "samite/session.h"

static void ok(enum sam_status status, const struct sam_error *error)
{
    if (status != SAM_OK)
        fail_msg("%s: %s", sam_status_name(status), error->text);
}

static void refused(enum sam_status status, const struct sam_error *error, const char *text)
{
    assert_int_equal(status, SAM_ERR_USAGE);
    if (!strstr(error->text, text))
        fail_msg("no '%s' in: %s", text, error->text);
}

static struct sam_session *open_session(struct program *p)
{
    struct sam_session *session;
    ok(sam_gpu_set_options(p->gpu, &p->options, &p->error), &p->error);
    ok(sam_session_open(p->gpu, &p->launch, NULL, &session, &p->error), &p->error);
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
    refused(sam_session_step(session, 0, 0, NULL, &error), &error, "only inspect");
    return true;
}

/* Everything that runs, one instruction at a time. */
static struct trace trace_of(struct program *p)
{
    struct trace trace = {0};
    struct sam_session *session = open_session(p);
    struct sam_session_run run = {.size = sizeof run, .each = note, .context = &trace};
    struct sam_session_stop stop;
    ok(sam_session_run(session, &run, &stop, &p->error), &p->error);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    assert_int_equal(stop.instructions, trace.count);
    for (size_t i = 0; i < trace.count; i++)
        assert_int_equal(trace.moments[i].time, i);
    sam_session_close(session);
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

static void breakpoints(void **state)
{
    (void)state;
    for (int schedule = SAM_SCHEDULE_RUN; schedule <= SAM_SCHEDULE_RR1; schedule++) {
        struct program p = open_everything(8, (enum sam_schedule)schedule);
        struct trace trace = trace_of(&p);
        uint32_t end = program_symbol(&p, "even") + 8 * 4;
        for (uint32_t pc = SAM_CODE_BASE; pc < end; pc += 4) {
            struct sam_session_break at = {.pc = pc};
            struct sam_session_stop stop;
            unsigned id;
            clear_data(&p);
            struct sam_session *session = open_session(&p);
            ok(sam_session_add_break(session, &at, &id, &p.error), &p.error);
            /* a second one, by warp, at the same place and elsewhere */
            at.has_warp = true;
            at.warp = 1;
            ok(sam_session_add_break(session, &at, &id, &p.error), &p.error);
            for (size_t i = 0; i < trace.count; i++) {
                const struct moment *m = &trace.moments[i];
                if (m->pc != pc)
                    continue;
                ok(sam_session_run(session, NULL, &stop, &p.error), &p.error);
                assert_int_equal(stop.reason, SAM_SESSION_BREAK);
                assert_int_equal(stop.workgroup, m->workgroup);
                assert_int_equal(stop.warp, m->warp);
                assert_int_equal(stop.pc, pc);
                assert_int_equal(sam_session_time(session), m->time);
                assert_int_equal(stop.id, id - 1);
            }
            ok(sam_session_run(session, NULL, &stop, &p.error), &p.error);
            assert_int_equal(stop.reason, SAM_SESSION_DONE);
            assert_int_equal(sam_session_time(session), trace.count);
            sam_session_close(session);
        }
        free(trace.moments);
        program_free(&p);
    }
}

/* The first access of the moment that the watchpoint catches. */
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

static void watchpoints(void **state)
{
    (void)state;
    uint64_t random = test_seed();
    for (unsigned round = 0; round < 60; round++) {
        struct program p =
            open_everything(round & 1 ? 32 : 4, round & 2 ? SAM_SCHEDULE_RR1 : SAM_SCHEDULE_RUN);
        struct trace trace = trace_of(&p);
        unsigned id, hits = 0;
        /* around an access that happens */
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
        ok(sam_session_add_watch(session, &of, &id, &p.error), &p.error);
        for (size_t i = 0; i < trace.count; i++) {
            const struct sam_step_access *want = caught(&trace.moments[i], &of);
            if (!want)
                continue;
            hits++;
            ok(sam_session_run(session, NULL, &stop, &p.error), &p.error);
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
        ok(sam_session_run(session, NULL, &stop, &p.error), &p.error);
        assert_int_equal(stop.reason, SAM_SESSION_DONE);
        sam_session_close(session);
        free(trace.moments);
        program_free(&p);
    }
}

static bool third_time(void *context, struct sam_session *session, uint32_t workgroup,
                       uint32_t warp)
{
    uint64_t s4;
    struct sam_error error;
    (void)context;
    ok(sam_session_x(session, workgroup, warp, 20, &s4, &error), &error);
    return s4 == 3;
}

static bool changes(void *context, struct sam_session *session, const struct sam_session_stop *stop)
{
    (void)session;
    ++*(unsigned *)context;
    return stop->before != stop->after && stop->after == 3;
}

static void conditions(void **state)
{
    (void)state;
    struct program p = open_everything(8, SAM_SCHEDULE_RUN);
    const uint32_t after = program_symbol(&p, "after");
    struct sam_session_break at = {.pc = after, .when = third_time};
    struct sam_session_stop stop;
    unsigned id, watch, calls = 0;
    uint64_t s4;
    struct sam_session *session = open_session(&p);
    ok(sam_session_add_break(session, &at, &id, &p.error), &p.error);
    for (uint32_t i = 0; i < 6; i++) {
        ok(sam_session_run(session, NULL, &stop, &p.error), &p.error);
        assert_int_equal(stop.reason, SAM_SESSION_BREAK);
        assert_int_equal(stop.workgroup, i / 2);
        assert_int_equal(stop.warp, i % 2);
        ok(sam_session_x(session, stop.workgroup, stop.warp, 20, &s4, &p.error), &p.error);
        assert_int_equal(s4, 3);
    }
    sam_session_close(session);

    /* a watchpoint's condition; a break only where lane 1 is active */
    session = open_session(&p);
    struct sam_session_watch of = {
        .address = DATA + 0x1000, .size = 4, .when = changes, .context = &calls};
    ok(sam_session_add_watch(session, &of, &watch, &p.error), &p.error);
    at = (struct sam_session_break){.pc = program_symbol(&p, "even"), .lanes = 2};
    ok(sam_session_add_break(session, &at, &id, &p.error), &p.error);
    ok(sam_session_remove(session, id, &p.error), &p.error);
    ok(sam_session_run(session, NULL, &stop, &p.error), &p.error);
    assert_int_equal(stop.reason, SAM_SESSION_WATCH);
    assert_int_equal(stop.workgroup, 1);
    assert_int_equal(stop.after, 3);
    assert_true(calls > 2);
    ok(sam_session_remove(session, watch, &p.error), &p.error);
    refused(sam_session_remove(session, watch, &p.error), &p.error, "no breakpoint or watchpoint");
    ok(sam_session_add_break(session, &at, &id, &p.error), &p.error);
    struct sam_session_warp warp;
    while (sam_session_run(session, NULL, &stop, &p.error) == SAM_OK &&
           stop.reason == SAM_SESSION_BREAK) {
        ok(sam_session_warp(session, stop.workgroup, stop.warp, &warp, &p.error), &p.error);
        assert_true(warp.mask & 2);
        calls = 0;
    }
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    assert_int_equal(calls, 0);
    sam_session_close(session);
    program_free(&p);
}

/* Warps race for a word: what remains depends on the place of every turn. Pieces of any length,
 * with breakpoints and without, give what a launch gives. */
static void exact_turns(void **state)
{
    (void)state;
    uint64_t random = test_seed();
    struct program p = program_new("        lui     s0, 0x90000\n"
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
        struct sam_session *session = open_session(&p);
        struct sam_session_break at = {.pc = program_symbol(&p, "over") - 4, .lanes = 16};
        if (round & 1) /* never stops, but is looked at */
            ok(sam_session_add_break(session, &at, &id, &p.error), &p.error);
        struct sam_session_watch of = {.address = DATA + 4, .size = 4};
        if (round & 2)
            ok(sam_session_add_watch(session, &of, &id, &p.error), &p.error);
        do {
            struct sam_session_run run = {.size = sizeof run,
                                          .instructions = 1 + test_below(&random, 150000)};
            const uint64_t time = sam_session_time(session);
            ok(sam_session_run(session, &run, &stop, &p.error), &p.error);
            assert_int_equal(sam_session_time(session) - time, stop.instructions);
            if (stop.reason == SAM_SESSION_COUNT)
                assert_int_equal(stop.instructions, run.instructions);
            else
                assert_int_equal(stop.reason, SAM_SESSION_DONE);
        } while (stop.reason != SAM_SESSION_DONE);
        assert_int_equal(program_word(&p, DATA), want);
        sam_session_close(session);
    }
    program_free(&p);
}

static void opens_at_once(void **state)
{
    (void)state;
    struct program p = program_new("endprg\n", 4);
    struct sam_session_shape shape;
    struct sam_step step;
    p.launch.grid[0] = 65536;
    p.launch.grid[1] = 60000;
    p.launch.warps = 1024;
    struct sam_session *session = open_session(&p);
    ok(sam_session_shape(session, &shape, &p.error), &p.error);
    assert_int_equal(shape.workgroups, UINT64_C(65536) * 60000);
    assert_int_equal(shape.warps, 1024);
    assert_int_equal(shape.lanes, 4);
    assert_int_equal(sam_session_workgroup(session, 3000000000), 3000000000);
    assert_int_equal(sam_session_workgroup_state(session, 3000000000), SAM_SESSION_NEW);
    ok(sam_session_step(session, 3000000000, 1023, &step, &p.error), &p.error);
    assert_int_equal(step.kind, SAM_STEP_ENDED);
    assert_int_equal(sam_session_workgroup_state(session, 3000000000), SAM_SESSION_LIVE);
    sam_session_close(session);
    program_free(&p);
}

/* Some workgroups, in an order of their own. */
static void some_workgroups(void **state)
{
    (void)state;
    struct program p = program_new("        lui     s0, 0x90000\n"
                                   "        csrr    s1, wgid\n"
                                   "        li      s2, 1\n"
                                   "        amoadd.w t0, s2, (s0)\n"
                                   "        slli    s1, s1, 2\n"
                                   "        add     s1, s1, s0\n"
                                   "        addi    t0, t0, 1\n"
                                   "        sw      t0, 16(s1)\n"
                                   "        endprg\n",
                                   4);
    const uint32_t list[] = {5, 0, 3}, twice[] = {2, 2}, far[] = {9};
    struct sam_session_options options = {
        .size = sizeof options, .workgroups = list, .workgroup_count = 3};
    struct sam_session *session;
    struct sam_session_warp warp;
    p.launch.grid[0] = 8;
    ok(sam_session_open(p.gpu, &p.launch, &options, &session, &p.error), &p.error);
    assert_int_equal(sam_session_workgroup(session, 0), 5);
    assert_int_equal(sam_session_workgroup(session, 3), UINT32_MAX);
    assert_int_equal(sam_session_workgroup_state(session, 1), SAM_SESSION_ABSENT);
    refused(sam_session_warp(session, 1, 0, &warp, &p.error), &p.error, "not in this session");
    refused(sam_session_warp(session, 5, 1, &warp, &p.error), &p.error, "warp 1");
    struct sam_gpu_result result;
    ok(sam_session_finish(session, &result, &p.error), &p.error);
    assert_int_equal(result.stats.workgroups, 3);
    assert_int_equal(result.stats.warp_insns, 27);
    refused(sam_session_warp(session, 5, 0, &warp, &p.error), &p.error, "has ended");
    sam_session_close(session);
    EXPECT_WORDS(&p, DATA, 3, 0, 0, 0, 2, 0, 0, 3, 0, 1, 0);
    options.workgroups = twice;
    options.workgroup_count = 2;
    refused(sam_session_open(p.gpu, &p.launch, &options, &session, &p.error), &p.error, "twice");
    assert_null(session);
    options.workgroups = far;
    options.workgroup_count = 1;
    refused(sam_session_open(p.gpu, &p.launch, &options, &session, &p.error), &p.error,
            "the launch has 8");
    program_free(&p);
}

static void writes_take_effect(void **state)
{
    (void)state;
    struct program p = program_new("        csrr    s1, wid\n"
                                   "        vmv.v.i v1, 1\n"
                                   "here:   vadd.vi v1, v1, 1\n"
                                   "        addi    a0, a0, 1\n"
                                   "        lui     s0, 0x90000\n"
                                   "        lui     s3, 0x70000\n"
                                   "        lw      a1, 8(s3)\n"
                                   "        sw      a0, 0(s0)\n"
                                   "        sw      a1, 4(s0)\n"
                                   "        csrr    a2, frm\n"
                                   "        sw      a2, 8(s0)\n"
                                   "        addi    s0, s0, 16\n"
                                   "        vse32.v v1, (s0)\n"
                                   "        endprg\n",
                                   8);
    struct sam_session *session = open_session(&p);
    struct sam_session_break at = {.pc = program_symbol(&p, "here")};
    struct sam_session_stop stop;
    struct sam_session_warp warp;
    struct sam_error *e = &p.error;
    uint32_t lanes[32] = {0}, word = 77, code = 0x00150513; /* addi a0, a0, 1 */
    uint64_t value;
    unsigned id;
    ok(sam_session_add_break(session, &at, &id, e), e);
    ok(sam_session_run(session, NULL, &stop, e), e);
    ok(sam_session_set_x(session, 0, 0, 10, 40, e), e);
    ok(sam_session_set_x(session, 0, 0, 0, 40, e), e);
    ok(sam_session_x(session, 0, 0, 0, &value, e), e);
    assert_int_equal(value, 0);
    lanes[3] = 100;
    lanes[4] = 200;
    ok(sam_session_set_v(session, 0, 0, 1, 8, lanes, e), e);
    ok(sam_session_v(session, 0, 0, 1, lanes, e), e);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(lanes[i], i == 3 ? 100 : i < 8 ? 1 : 0);
    ok(sam_session_set_csr(session, 0, 0, 2, 3, e), e);
    refused(sam_session_set_csr(session, 0, 0, 0x805, 3, e), e, "CSR 0x805");
    refused(sam_session_csr(session, 0, 0, 0x7ff, &value, e), e, "CSR 0x7ff");
    ok(sam_session_csr(session, 0, 0, 0x802, &value, e), e);
    assert_int_equal(value, 8);
    /* local memory, before the program has touched it */
    ok(sam_session_read(session, 0, SAM_LDS_BASE + 8, &word, 4, e), e);
    assert_int_equal(word, 0);
    word = 55;
    ok(sam_session_write(session, 0, SAM_LDS_BASE + 8, &word, 4, e), e);
    /* code: a second increment in place of the vadd; the other warps run it too */
    ok(sam_session_write(session, 0, at.pc, &code, 4, e), e);
    /* a mask with two lanes, so that the last store writes only those */
    const struct sam_stack_entry entries[] = {{1, 2, 3}, {4, 5, 6}};
    struct sam_stack_entry got[2];
    size_t depth;
    ok(sam_session_set_stack(session, 0, 0, 0x18, entries, 2, e), e);
    refused(sam_session_set_stack(session, 0, 0, 0x100, entries, 2, e), e, "8 lanes");
    refused(sam_session_set_stack(session, 0, 0, 1, entries, 70000, e), e, "at most 65536");
    ok(sam_session_stack(session, 0, 0, got, 1, &depth, e), e);
    assert_int_equal(depth, 2);
    assert_int_equal(got[0].mask, 3);
    ok(sam_session_warp(session, 0, 0, &warp, e), e);
    assert_int_equal(warp.mask, 0x18);
    assert_int_equal(warp.depth, 2);
    at.pc = SAM_CODE_BASE + 13 * 4;
    ok(sam_session_add_break(session, &at, &id, e), e);
    ok(sam_session_run(session, NULL, &stop, e), e);
    assert_int_equal(stop.pc, at.pc);
    EXPECT_WORDS(&p, DATA, 42, 55, 3, 0, 0, 0, 0, 100, 1, 0);
    /* endprg is not allowed here: it traps, is repaired, and ends */
    assert_int_equal(sam_session_step(session, 0, 0, NULL, e), SAM_ERR_TRAP);
    struct sam_step step;
    assert_int_equal(sam_session_step(session, 0, 0, &step, e), SAM_ERR_TRAP);
    assert_int_equal(step.kind, SAM_STEP_TRAPPED);
    assert_int_equal(step.trap.kind, SAM_TRAP_ENDPRG_DIVERGED);
    assert_int_equal(step.pc, at.pc);
    assert_int_equal(sam_session_run(session, NULL, &stop, e), SAM_ERR_TRAP);
    assert_int_equal(stop.reason, SAM_SESSION_TRAP);
    assert_int_equal(stop.trap.kind, SAM_TRAP_ENDPRG_DIVERGED);
    assert_int_equal(stop.pc, at.pc);
    ok(sam_session_set_stack(session, 0, 0, 0xff, NULL, 0, e), e);
    ok(sam_session_finish(session, NULL, e), e);
    sam_session_close(session);
    program_free(&p);
}

static void pc_and_private_memory(void **state)
{
    (void)state;
    struct program p = program_new("        vid.v   v2\n"
                                   "        vmv.v.i v1, 0\n"
                                   "        vsw.v   v2, 8(v1)\n"
                                   "wait:   barrier x0, x0, 0\n"
                                   "        endprg\n",
                                   8);
    p.launch.warps = 2;
    struct sam_session *session = open_session(&p);
    struct sam_error *e = &p.error;
    struct sam_session_run run = {.size = sizeof run, .scope = SAM_SCOPE_WARP, .warp = 1};
    struct sam_session_stop stop;
    struct sam_session_warp warp;
    uint64_t address;
    uint32_t word = 0;
    ok(sam_session_run(session, &run, &stop, e), e);
    assert_int_equal(stop.reason, SAM_SESSION_WAITS);
    assert_int_equal(stop.warp, 1);
    assert_int_equal(stop.pc, program_symbol(&p, "wait"));
    ok(sam_session_warp(session, 0, 1, &warp, e), e);
    assert_int_equal(warp.state, SAM_WARP_WAITS);
    for (uint32_t lane = 0; lane < 8; lane++) {
        ok(sam_session_private(session, 0, 1, lane, 8, &address, e), e);
        ok(sam_session_read(session, 0, address, &word, 4, e), e);
        assert_int_equal(word, lane);
    }
    refused(sam_session_private(session, 0, 1, 8, 8, &address, e), e, "8 lanes");
    refused(sam_session_private(session, 0, 1, 7, 1024, &address, e), e, "1024 bytes");
    /* warp 0 is taken past the barrier, and warp 1 back to its start: it arrives again, alone */
    ok(sam_session_set_pc(session, 0, 0, program_symbol(&p, "wait") + 4, e), e);
    ok(sam_session_set_pc(session, 0, 1, SAM_CODE_BASE, e), e);
    refused(sam_session_set_pc(session, 0, 1, SAM_CODE_BASE + 2, e), e, "multiple of 4");
    struct sam_step step;
    ok(sam_session_step(session, 0, 0, &step, e), e);
    assert_int_equal(step.kind, SAM_STEP_ENDED);
    refused(sam_session_step(session, 0, 0, &step, e), e, "has ended");
    run.to_release = true;
    ok(sam_session_run(session, &run, &stop, e), e);
    assert_int_equal(stop.reason, SAM_SESSION_RELEASED);
    ok(sam_session_finish(session, NULL, e), e);
    sam_session_close(session);
    program_free(&p);
}

/* What the hardware does: the last to arrive goes on at once, the others with their next step. */
static void barrier_retries(void **state)
{
    (void)state;
    struct program p = program_new("wait:   barrier x0, x0, 0\n"
                                   "        nop\n"
                                   "        endprg\n",
                                   8);
    p.launch.warps = 3;
    for (int retry = 0; retry < 2; retry++) {
        struct sam_session_options options = {.size = sizeof options, .barrier_retry = retry};
        struct sam_session *session;
        struct sam_session_warp warp;
        struct sam_step step;
        struct sam_error *e = &p.error;
        ok(sam_session_open(p.gpu, &p.launch, &options, &session, e), e);
        const uint32_t wait = program_symbol(&p, "wait");
        for (uint32_t w = 0; w < 2; w++) {
            ok(sam_session_step(session, 0, w, &step, e), e);
            assert_int_equal(step.kind, SAM_STEP_BARRIER);
            for (int again = 0; again < 3; again++) {
                ok(sam_session_step(session, 0, w, &step, e), e);
                assert_int_equal(step.kind, SAM_STEP_WAITS);
                assert_int_equal(step.pc, wait);
                assert_int_equal(step.next_pc, wait);
                assert_int_equal(step.word, 0x0400400b);
                ok(sam_session_warp(session, 0, w, &warp, e), e);
                assert_int_equal(warp.pc, wait);
            }
        }
        assert_int_equal(sam_session_time(session), 2);
        ok(sam_session_step(session, 0, 2, &step, e), e);
        assert_int_equal(step.kind, SAM_STEP_RELEASED);
        assert_int_equal(step.next_pc, wait + 4);
        for (uint32_t w = 0; w < 2; w++) {
            ok(sam_session_warp(session, 0, w, &warp, e), e);
            assert_int_equal(warp.state, SAM_WARP_READY);
            assert_int_equal(warp.pc, retry ? wait : wait + 4);
            ok(sam_session_step(session, 0, w, &step, e), e);
            assert_int_equal(step.kind, retry ? SAM_STEP_WAITS : SAM_STEP_RAN);
            assert_int_equal(step.next_pc, retry ? wait + 4 : wait + 8);
            if (retry)
                ok(sam_session_step(session, 0, w, &step, e), e);
            assert_int_equal(step.pc, wait + 4);
        }
        ok(sam_session_finish(session, NULL, e), e);
        sam_session_close(session);
    }
    program_free(&p);
}

static void traps(void **state)
{
    (void)state;
    struct program p = program_new("        csrr    t0, wid\n"
                                   "        beqz    t0, other\n"
                                   "first:  barrier x0, x0, 0\n"
                                   "        endprg\n"
                                   "other:  nop\n"
                                   "there:  barrier x0, x0, 0\n"
                                   "        lw      t1, 0(t2)\n"
                                   "load:   endprg\n",
                                   8);
    struct sam_error *e = &p.error;
    struct sam_session_stop stop;
    struct sam_step step;
    p.launch.warps = 2;
    struct sam_session *session = open_session(&p);
    /* the same trap however often it is asked for, and finish has it too */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sam_session_run(session, NULL, &stop, e), SAM_ERR_TRAP);
        assert_int_equal(stop.reason, SAM_SESSION_TRAP);
        assert_int_equal(stop.trap.kind, SAM_TRAP_DEADLOCK);
        assert_int_equal(stop.trap.warp, 0);
        assert_int_equal(stop.pc, program_symbol(&p, "there"));
        assert_int_equal(sam_session_step(session, 0, 1, &step, e), SAM_ERR_TRAP);
        assert_int_equal(step.trap.kind, SAM_TRAP_DEADLOCK);
    }
    struct sam_gpu_result result;
    assert_int_equal(sam_session_finish(session, &result, e), SAM_ERR_TRAP);
    assert_int_equal(result.trap.kind, SAM_TRAP_DEADLOCK);
    assert_int_equal(result.place_count, 2);
    sam_gpu_result_free(&result);
    /* warp 1 goes to the other barrier: both go on, and warp 0 loads from nowhere */
    ok(sam_session_set_pc(session, 0, 1, program_symbol(&p, "there"), e), e);
    assert_int_equal(sam_session_run(session, NULL, &stop, e), SAM_ERR_TRAP);
    assert_int_equal(stop.trap.kind, SAM_TRAP_LOAD_FAULT);
    assert_int_equal(stop.warp, 0);
    for (uint32_t w = 0; w < 2; w++)
        ok(sam_session_set_x(session, 0, w, 7, DATA, e), e);
    ok(sam_session_finish(session, &result, e), e);
    assert_int_equal(result.trap.kind, SAM_TRAP_NONE);
    sam_session_close(session);
    /* the budget of each warp */
    p.options.max_insns = 2;
    session = open_session(&p);
    assert_int_equal(sam_session_run(session, NULL, &stop, e), SAM_ERR_TRAP);
    assert_int_equal(stop.trap.kind, SAM_TRAP_BUDGET);
    assert_int_equal(sam_session_step(session, 0, 0, &step, e), SAM_ERR_TRAP);
    assert_int_equal(step.kind, SAM_STEP_TRAPPED);
    assert_int_equal(step.trap.kind, SAM_TRAP_BUDGET);
    sam_session_close(session);
    program_free(&p);
}

static bool collect(void *context, const void *data, size_t size)
{
    return sam_buffer_append(context, data, size);
}

struct told {
    struct sam_gpu_progress last;
    volatile int stop;
    uint64_t stop_at;
};

static void tell(void *context, const struct sam_gpu_progress *progress)
{
    struct told *told = context;
    told->last = *progress;
    told->stop |= told->stop_at && progress->done == told->stop_at;
}

/* Log, statistics, prints, progress and the stop flag are those of a launch. */
static void as_a_launch(void **state)
{
    (void)state;
    struct program p = program_new("        csrr    s0, wgid\n"
                                   "        addi    s1, s0, 65\n"
                                   "        lui     s2, 0x93000\n"
                                   "        lw      t0, 0(s2)\n"
                                   "        add     t1, t0, s2\n"
                                   "        sb      s1, 4(t1)\n"
                                   "        addi    t0, t0, 1\n"
                                   "        sw      t0, 0(s2)\n"
                                   "        csrw    print, s2\n"
                                   "        vid.v   v1\n"
                                   "        endprg\n",
                                   8);
    struct sam_buffer logs[2] = {{0}}, prints[2] = {{0}};
    struct sam_gpu_result result;
    struct told told[2] = {{.stop = 0}};
    p.launch.grid[0] = 5;
    p.options.collect_stats = true;
    p.options.progress = tell;
    for (int i = 0; i < 2; i++) {
        p.options.log = (struct sam_sink){collect, &logs[i]};
        p.options.print = (struct sam_sink){collect, &prints[i]};
        p.options.progress_context = &told[i];
        program_set(&p, PRINT_BUFFER, 0);
        if (i == 0) {
            program_pass(&p);
            continue;
        }
        struct sam_session *session = open_session(&p);
        ok(sam_session_finish(session, &result, &p.error), &p.error);
        sam_session_close(session);
    }
    assert_string_equal(sam_buffer_text(&prints[1]), "ABCDE");
    assert_string_equal(sam_buffer_text(&prints[0]), "ABCDE");
    assert_string_equal(sam_buffer_text(&logs[1]), sam_buffer_text(&logs[0]));
    assert_true(logs[0].size > 1000);
    assert_memory_equal(&told[0].last, &told[1].last, sizeof told[0].last);
    assert_int_equal(told[1].last.done, 5);
    assert_int_equal(result.stats.warp_insns, p.result.stats.warp_insns);
    assert_int_equal(result.stats.lane_insns, p.result.stats.lane_insns);
    assert_int_equal(result.stats.lines, p.result.stats.lines);
    assert_int_equal(result.stats.mix_count, p.result.stats.mix_count);
    assert_int_equal(result.stats.workgroups, 5);
    sam_gpu_result_free(&result);
    for (int i = 0; i < 2; i++) {
        sam_buffer_free(&logs[i]);
        sam_buffer_free(&prints[i]);
    }
    told[0] = (struct told){.stop_at = 2};
    p.options = (struct sam_gpu_options){
        .progress = tell, .progress_context = &told[0], .stop = &told[0].stop};
    struct sam_session *session = open_session(&p);
    struct sam_session_stop stop;
    assert_int_equal(sam_session_run(session, NULL, &stop, &p.error), SAM_ERR_STOPPED);
    assert_int_equal(stop.reason, SAM_SESSION_STOPPED);
    assert_string_equal(p.error.text, "stopped after 2 of 5 workgroups");
    told[0].stop = 0;
    told[0].stop_at = 0;
    ok(sam_session_finish(session, NULL, &p.error), &p.error);
    sam_session_close(session);
    program_free(&p);
}

static void mistakes(void **state)
{
    (void)state;
    struct program p = program_new("endprg\n", 8);
    struct sam_error *e = &p.error;
    struct sam_session_stop stop;
    struct sam_step step;
    uint32_t lanes[32], word;
    uint64_t value;
    unsigned id;
    struct sam_session *session;
    sam_session_close(NULL);
    refused(sam_session_step(NULL, 0, 0, &step, e), e, "no session");
    refused(sam_session_run(NULL, NULL, &stop, e), e, "no session");
    refused(sam_session_read(NULL, 0, DATA, &word, 4, e), e, "no session");
    refused(sam_session_open(NULL, &p.launch, NULL, &session, e), e, "needs a gpu");
    assert_int_equal(sam_session_time(NULL), 0);
    assert_int_equal(sam_session_workgroup(NULL, 0), UINT32_MAX);
    p.launch.lanes = 7;
    refused(sam_session_open(p.gpu, &p.launch, NULL, &session, e), e, "7 threads");
    p.launch.lanes = 8;
    session = open_session(&p);
    refused(sam_session_step(session, 1, 0, &step, e), e, "workgroup 1");
    refused(sam_session_x(session, 0, 0, 64, &value, e), e, "x64");
    refused(sam_session_v(session, 0, 0, 256, lanes, e), e, "v256");
    refused(sam_session_read(session, 0, DATA + DATA_SIZE - 2, &word, 4, e), e, "not in one");
    refused(sam_session_write(session, 0, 0x1000, &word, 4, e), e, "not in one");
    refused(sam_session_read(session, 0, UINT64_C(0x190000000), &word, 4, e), e, "not in one");
    refused(sam_session_read(session, 0, SAM_LDS_BASE + SAM_LDS_SIZE - 2, &word, 4, e), e,
            "not in one");
    refused(sam_session_add_break(session, &(struct sam_session_break){.pc = 2}, &id, e), e,
            "multiple of 4");
    refused(sam_session_add_watch(session, &(struct sam_session_watch){.address = DATA}, &id, e), e,
            "1 byte");
    refused(sam_session_run(session, &(struct sam_session_run){.scope = (enum sam_session_scope)9},
                            &stop, e),
            e, "scope 9");
    ok(sam_session_step(session, 0, 0, &step, e), e);
    assert_int_equal(step.kind, SAM_STEP_ENDED);
    refused(sam_session_step(session, 0, 0, &step, e), e, "has ended");
    ok(sam_session_run(session, NULL, &stop, e), e);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    sam_session_close(session);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breakpoints),        cmocka_unit_test(watchpoints),
        cmocka_unit_test(conditions),         cmocka_unit_test(exact_turns),
        cmocka_unit_test(opens_at_once),      cmocka_unit_test(some_workgroups),
        cmocka_unit_test(writes_take_effect), cmocka_unit_test(pc_and_private_memory),
        cmocka_unit_test(barrier_retries),    cmocka_unit_test(traps),
        cmocka_unit_test(as_a_launch),        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
