/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor hart in a session: stops match a trace of single steps; reports of steps, writes,
 * every end. */
#include "hart/program.h"

#include "samite/session.h"

static const char loop[] = "        la      t0, handler\n"
                           "        csrw    mtvec, t0\n"
                           "        li      s0, 0x10000\n"
                           "        li      s1, 20\n"
                           "        li      t1, 1\n"
                           "        csrw    0x8c0, t1\n" /* ttype: i8 */
                           "        li      t1, 0x01000420\n"
                           "        csrw    0x8c1, t1\n"
                           "again:  sw      s1, 0(s0)\n"
                           "        lb      t2, 1(s0)\n"
                           "        amoadd.w t3, s1, (s0)\n"
                           "        andi    t4, s1, 3\n"
                           "        bnez    t4, over\n"
                           "        .word   0\n"
                           "over:   addi    s1, s1, -1\n"
                           "        bnez    s1, again\n"
                           "        li      a0, 7\n"
                           "        li      a7, 93\n"
                           "        ecall\n"
                           "handler: csrr   t5, mepc\n"
                           "        addi    t5, t5, 4\n"
                           "        csrw    mepc, t5\n"
                           "        sw      t5, 64(s0)\n"
                           "        mret\n";

#define ISA "rv64ima_zicsr_zfinx_xtensorload"

struct moment {
    uint64_t pc, time;
    enum sam_step_kind kind;
    unsigned access_count;
    struct sam_step_access access;
};

struct trace {
    struct moment moments[4000];
    size_t count;
};

static bool note(void *context, struct sam_session *session, const struct sam_step *step)
{
    struct trace *trace = context;
    (void)session;
    assert_true(trace->count < SAM_COUNT(trace->moments));
    trace->moments[trace->count++] =
        (struct moment){step->pc, step->time, step->kind, step->access_count, step->access[0]};
    return true;
}

static struct sam_session *open_session(struct program *p)
{
    struct sam_session *session;
    succeeds(sam_session_open_hart, p->hart, &session);
    return session;
}

static struct trace *trace_of(const char *text)
{
    struct trace *trace = calloc(1, sizeof *trace);
    assert_non_null(trace);
    SCOPED(program) p = program_new(ISA, NULL, text);
    SCOPED_SESSION *session = open_session(&p);
    struct sam_session_run run = {.size = sizeof run, .each = note, .context = trace};
    struct sam_session_stop stop;
    succeeds(sam_session_run, session, &run, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    assert_int_equal(stop.exit_code, 7);
    return trace;
}

/* A breakpoint at every instruction in turn, at full speed. */
TEST(breakpoints)
{
    FREED struct trace *trace = trace_of(loop);
    assert_true(trace->count > 150);
    for (uint64_t pc = SAM_HART_CODE_BASE; pc < SAM_HART_CODE_BASE + 27 * 4; pc += 4) {
        SCOPED(program) p = program_new(ISA, NULL, loop);
        SCOPED_SESSION *session = open_session(&p);
        struct sam_session_stop stop;
        unsigned id;
        succeeds(sam_session_add_break, session, &(struct sam_session_break){.pc = pc}, &id);
        for (size_t i = 0; i < trace->count; i++) {
            const struct moment *m = &trace->moments[i];
            if (m->pc != pc)
                continue;
            succeeds(sam_session_run, session, NULL, &stop);
            assert_int_equal(stop.reason, SAM_SESSION_BREAK);
            assert_int_equal(stop.pc, pc);
            assert_int_equal(sam_session_time(session), m->time);
        }
        succeeds(sam_session_run, session, NULL, &stop);
        assert_int_equal(stop.reason, SAM_SESSION_DONE);
    }
}

TEST(watchpoints)
{
    uint64_t random = test_seed();
    FREED struct trace *trace = trace_of(loop);
    for (unsigned round = 0; round < 30; round++) {
        SCOPED(program) p = program_new(ISA, NULL, loop);
        SCOPED_SESSION *session = open_session(&p);
        struct sam_session_stop stop;
        const uint64_t kind = 1 + test_below(&random, 3);
        struct sam_session_watch of = {.address = DATA_BASE + test_below(&random, 4),
                                       .size = 1 + test_below(&random, 70),
                                       .loads = kind & 1,
                                       .stores = kind & 2};
        unsigned id;
        succeeds(sam_session_add_watch, session, &of, &id);
        for (size_t i = 0; i < trace->count; i++) {
            const struct moment *m = &trace->moments[i];
            const struct sam_step_access *a = &m->access;
            if (!m->access_count || !((a->load && of.loads) || (a->store && of.stores)) ||
                a->address >= of.address + of.size || of.address >= a->address + a->size)
                continue;
            succeeds(sam_session_run, session, NULL, &stop);
            assert_int_equal(stop.reason, SAM_SESSION_WATCH);
            assert_int_equal(stop.access_pc, m->pc);
            assert_int_equal(sam_session_time(session), m->time + 1);
            assert_int_equal(stop.after, a->value);
        }
        succeeds(sam_session_run, session, NULL, &stop);
        assert_int_equal(stop.reason, SAM_SESSION_DONE);
    }
}

TEST(steps)
{
    SCOPED(program) p = program_new(ISA, NULL,
                                    "        li      s0, 0x10000\n"
                                    "        li      t1, 1\n"
                                    "        csrw    0x8c0, t1\n"
                                    "        sw      t1, 8(s0)\n"
                                    "        tl.load t1, 0(s0)\n"
                                    "        ebreak\n");
    SCOPED_SESSION *session = open_session(&p);
    struct sam_step step;
    struct sam_session_warp warp;
    struct sam_error *e = &p.error;
    const uint64_t shape = 0x011004;
    succeeds(sam_session_step, session, 0, 0, &step);
    assert_int_equal(step.kind, SAM_STEP_RAN);
    assert_int_equal(step.pc, SAM_HART_CODE_BASE);
    assert_int_equal(step.x, 8);
    assert_int_equal(step.x_count, 1);
    assert_int_equal(step.x_value[0], 0x10000);
    succeeds(sam_session_step, session, 0, 0, &step);
    succeeds(sam_session_step, session, 0, 0, &step);
    assert_int_equal(step.csr_count, 1);
    assert_int_equal(step.csr[0].address, 0x8c0);
    assert_int_equal(step.csr[0].value, 1);
    succeeds(sam_session_step, session, 0, 0, &step);
    assert_int_equal(step.access_count, 1);
    assert_int_equal(step.access[0].address, 0x10008);
    assert_int_equal(step.access[0].value, 1);
    assert_true(step.access[0].store && !step.access[0].load);
    succeeds(sam_session_set_csr, session, 0, 0, 0x8c1, shape);
    enum sam_status status = sam_session_step(session, 0, 0, &step, e);
    if (status == SAM_OK) {
        assert_int_equal(step.tl_count, 1);
        assert_int_equal(step.tl[0], 1);
        assert_true(step.access_count > 0);
        assert_true(step.access[0].load);
        assert_int_equal(step.access[0].address, 0x10000);
    } else {
        fail_msg("%s", e->text);
    }
    succeeds(sam_session_step, session, 0, 0, &step);
    assert_int_equal(step.kind, SAM_STEP_TRAPPED);
    assert_int_equal(step.cause, 3);
    succeeds(sam_session_warp, session, 0, 0, &warp);
    assert_int_equal(warp.state, SAM_WARP_READY);
    assert_int_equal(warp.instructions, 5);
    assert_int_equal(sam_session_time(session), 5);
}

TEST(ends)
{
    struct sam_session_stop stop;
    struct sam_step step;
    volatile int flag = 1;
    struct sam_hart_options options = {.size = sizeof options, .stop = &flag};
    struct program p = program_new(ISA, &options, loop);
    struct sam_error *e = &p.error;
    struct sam_session *session = open_session(&p), *second;
    must_refuse(sam_session_open_hart(p.hart, &second, e), e, "already");
    assert_int_equal(sam_session_run(session, NULL, &stop, e), SAM_ERR_STOPPED);
    assert_int_equal(stop.reason, SAM_SESSION_STOPPED);
    flag = 0;
    struct sam_session_run run = {.size = sizeof run, .instructions = 10};
    succeeds(sam_session_run, session, &run, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_COUNT);
    assert_int_equal(stop.instructions, 10);
    succeeds(sam_session_run, session, NULL, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    assert_int_equal(stop.exit_code, 7);
    assert_int_equal(sam_session_workgroup_state(session, 0), SAM_SESSION_ENDED);
    must_refuse(sam_session_step(session, 0, 0, &step, e), e, "has ended");
    must_refuse(sam_session_finish(session, NULL, e), e, "a hart has no launch");
    succeeds(sam_session_set_pc, session, 0, 0, SAM_HART_CODE_BASE);
    succeeds(sam_session_run, session, NULL, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    sam_session_close(session);
    program_free(&p);

    p = program_new(ISA, NULL, "ebreak\n");
    session = open_session(&p);
    for (int i = 0; i < 2; i++) {
        succeeds(sam_session_run, session, NULL, &stop);
        assert_int_equal(stop.reason, SAM_SESSION_EBREAK);
        assert_int_equal(stop.pc, SAM_HART_CODE_BASE);
    }
    sam_session_close(session);
    program_free(&p);

    p = program_new(ISA, NULL,
                    "        ld      t0, 0(zero)\n"
                    "        ebreak\n");
    session = open_session(&p);
    assert_int_equal(sam_session_run(session, NULL, &stop, e), SAM_ERR_TRAP);
    assert_int_equal(stop.reason, SAM_SESSION_TRAP);
    assert_int_equal(sam_session_step(session, 0, 0, &step, e), SAM_ERR_TRAP);
    assert_int_equal(step.kind, SAM_STEP_TRAPPED);
    assert_int_equal(step.cause, 5);
    sam_session_close(session);
    program_free(&p);

    options = (struct sam_hart_options){.size = sizeof options, .max_insns = 5};
    p = program_new(ISA, &options, "1: j 1b\n");
    session = open_session(&p);
    assert_int_equal(sam_session_run(session, NULL, &stop, e), SAM_ERR_TRAP);
    assert_int_equal(stop.instructions, 5);
    sam_session_close(session);
    program_free(&p);
}

/* A trap handled by the program is a step. */
TEST(handled)
{
    FREED struct trace *trace = trace_of(loop);
    size_t found = 0;
    for (size_t i = 0; i + 1 < trace->count; i++) {
        if (trace->moments[i].kind != SAM_STEP_HANDLED)
            continue;
        found++;
        assert_int_equal(trace->moments[i].time, trace->moments[i + 1].time);
        assert_int_equal(trace->moments[i + 1].pc, SAM_HART_CODE_BASE + 4 * 20 + 4);
    }
    assert_int_equal(found, 5);
    assert_int_equal(trace->moments[trace->count - 1].kind, SAM_STEP_ENDED);
}

/* The address of sam_hart_set_until is saved and restored. */
TEST(until)
{
    SCOPED(program) p = program_new(ISA, NULL,
                                    "        li      t0, 9\n"
                                    "1:      addi    t0, t0, -1\n"
                                    "        bnez    t0, 1b\n"
                                    "        ebreak\n");
    struct sam_session_stop stop;
    sam_hart_set_until(p.hart, SAM_HART_CODE_BASE + 8);
    struct sam_session *session = open_session(&p);
    succeeds(sam_session_run, session, NULL, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_EBREAK);
    sam_session_close(session);
    sam_hart_set_pc(p.hart, SAM_HART_CODE_BASE);
    program_expect(&p, SAM_HART_UNTIL);
    assert_int_equal(sam_hart_x(p.hart, 5), 8);
}

static uint64_t digest_of(struct program *p, struct sam_session *session)
{
    uint64_t digest = sam_session_time(session), words[64], mepc;
    program_read(p, DATA_BASE, words, sizeof words);
    assert_true(sam_hart_csr(p->hart, 0x341, &mepc));
    for (unsigned i = 0; i < 64; i++)
        digest = (digest ^ words[i]) * UINT64_C(0x100000001b3);
    for (unsigned i = 0; i < 32; i++)
        digest = (digest ^ sam_hart_x(p->hart, i)) * UINT64_C(0x100000001b3);
    return (digest ^ sam_hart_pc(p->hart) ^ mepc << 32) + sam_hart_tl(p->hart, 3)[5];
}

/* Back and forth: the state at a time is always the same. */
TEST(back)
{
    uint64_t random = test_seed();
    struct program p = program_new(ISA, NULL, loop);
    struct sam_session *session = open_session(&p);
    struct sam_error *e = &p.error;
    struct sam_session_stop stop;
    uint64_t known[1000] = {0}, times[64];
    uint8_t tl[1024] = {[5] = 9};
    size_t count = 0;
    unsigned id;
    succeeds(sam_session_record, session, 30);
    must(sam_session_add_watch(
             session, &(struct sam_session_watch){.address = DATA_BASE, .size = 4}, &id, e),
         e);
    while (sam_session_run(session, NULL, &stop, e) == SAM_OK && stop.reason == SAM_SESSION_WATCH)
        times[count++] = sam_session_time(session);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    assert_int_equal(count, 40);
    const uint64_t end = sam_session_time(session);
    assert_true(end < SAM_COUNT(known));
    for (unsigned i = 0; i < 200; i++) {
        const uint64_t time = test_below(&random, end + 1);
        succeeds(sam_session_goto, session, time);
        const uint64_t digest = digest_of(&p, session);
        if (known[time])
            assert_int_equal(digest, known[time]);
        known[time] = digest;
    }
    succeeds(sam_session_goto, session, end);
    while (count--) {
        succeeds(sam_session_back, session, &stop);
        assert_int_equal(stop.reason, SAM_SESSION_WATCH);
        assert_int_equal(sam_session_time(session), times[count]);
    }
    succeeds(sam_session_back, session, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_START);
    succeeds(sam_session_remove, session, id);
    succeeds(sam_session_snapshot, session, &id);
    sam_hart_set_tl(p.hart, 3, tl);
    succeeds(sam_session_run, session, NULL, &stop);
    assert_int_equal(stop.exit_code, 7);
    assert_int_equal(sam_session_time(session), end);
    succeeds(sam_session_restore, session, id);
    assert_int_equal(sam_hart_tl(p.hart, 3)[5], 0);
    if (known[0])
        assert_int_equal(digest_of(&p, session), known[0]);
    sam_session_close(session);
    program_free(&p);
    struct sam_engines_config engines;
    sam_engines_defaults(&engines);
    struct sam_hart_options options = {.size = sizeof options, .engines = &engines};
    p = program_new(ISA, &options, "ebreak\n");
    session = open_session(&p);
    must_refuse(sam_session_snapshot(session, &id, e), e, "cycle model");
    sam_session_close(session);
    program_free(&p);
}

TEST(mistakes)
{
    SCOPED(program) p = program_new(ISA, NULL, "ebreak\n");
    struct sam_session *session = open_session(&p);
    struct sam_error *e = &p.error;
    uint32_t lanes[SAM_MAX_LANES];
    uint64_t value;
    size_t depth;
    must_refuse(sam_session_step(session, 1, 0, NULL, e), e, "a hart is 0, 0");
    must_refuse(sam_session_step(session, 0, 1, NULL, e), e, "a hart is 0, 0");
    must_refuse(sam_session_x(session, 0, 0, 32, &value, e), e, "x32");
    must_refuse(sam_session_v(session, 0, 0, 0, lanes, e), e, "no register v0");
    must_refuse(sam_session_stack(session, 0, 0, NULL, 0, &depth, e), e, "no SIMT stack");
    must_refuse(sam_session_private(session, 0, 0, 0, 0, &value, e), e, "no SIMT stack");
    must_refuse(sam_session_read(session, 0, 0x100, lanes, 4, e), e, "not in one buffer");
    must_refuse(sam_session_csr(session, 0, 0, 0x7ff, &value, e), e, "CSR 0x7ff");
    succeeds(sam_session_set_x, session, 0, 0, 5, UINT64_C(0x123456789));
    assert_int_equal(sam_hart_x(p.hart, 5), UINT64_C(0x123456789));
    sam_session_close(session);
    must_refuse(sam_session_open_hart(NULL, &session, e), e, "hart is NULL");
}
