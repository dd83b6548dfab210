/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: writes take effect; every kind of end. Stops: session_stops.c; the kernels in
 * sessions: tests/kernels/sessions.c. */
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

TEST(opens_at_once)
{
    SCOPED(program) p = program_new("endprg\n", 4);
    struct sam_session_shape shape;
    struct sam_step step;
    p.launch.grid[0] = 65536;
    p.launch.grid[1] = 60000;
    p.launch.warps = 1024;
    SCOPED_SESSION *session = open_session(&p);
    succeeds(sam_session_shape, session, &shape);
    assert_int_equal(shape.workgroups, UINT64_C(65536) * 60000);
    assert_int_equal(shape.warps, 1024);
    assert_int_equal(shape.lanes, 4);
    assert_int_equal(sam_session_workgroup(session, 3000000000), 3000000000);
    assert_int_equal(sam_session_workgroup_state(session, 3000000000), SAM_SESSION_NEW);
    succeeds(sam_session_step, session, 3000000000, 1023, &step);
    assert_int_equal(step.kind, SAM_STEP_ENDED);
    assert_int_equal(sam_session_workgroup_state(session, 3000000000), SAM_SESSION_LIVE);
}

/* Some workgroups, in non-default order. */
TEST(some_workgroups)
{
    SCOPED(program) p = program_new("        lui     s0, 0x90000\n"
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
    succeeds(sam_session_open, p.gpu, &p.launch, &options, &session);
    assert_int_equal(sam_session_workgroup(session, 0), 5);
    assert_int_equal(sam_session_workgroup(session, 3), UINT32_MAX);
    assert_int_equal(sam_session_workgroup_state(session, 1), SAM_SESSION_ABSENT);
    must_refuse(sam_session_warp(session, 1, 0, &warp, &p.error), &p.error, "not in this session");
    must_refuse(sam_session_warp(session, 5, 1, &warp, &p.error), &p.error, "warp 1");
    struct sam_gpu_result result;
    succeeds(sam_session_finish, session, &result);
    assert_int_equal(result.stats.workgroups, 3);
    assert_int_equal(result.stats.warp_insns, 27);
    must_refuse(sam_session_warp(session, 5, 0, &warp, &p.error), &p.error, "has ended");
    sam_session_close(session);
    EXPECT_WORDS(&p, DATA, 3, 0, 0, 0, 2, 0, 0, 3, 0, 1, 0);
    options.workgroups = twice;
    options.workgroup_count = 2;
    must_refuse(sam_session_open(p.gpu, &p.launch, &options, &session, &p.error), &p.error,
                "twice");
    assert_null(session);
    options.workgroups = far;
    options.workgroup_count = 1;
    must_refuse(sam_session_open(p.gpu, &p.launch, &options, &session, &p.error), &p.error,
                "the launch has 8");
}

TEST(writes_take_effect)
{
    SCOPED(program) p = program_new("        csrr    s1, wid\n"
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
    SCOPED_SESSION *session = open_session(&p);
    struct sam_session_break at = {.pc = program_symbol(&p, "here")};
    struct sam_session_stop stop;
    struct sam_session_warp warp;
    struct sam_error *e = &p.error;
    uint32_t lanes[32] = {0}, word = 77, code = 0x00150513; /* addi a0, a0, 1 */
    uint64_t value;
    unsigned id;
    succeeds(sam_session_add_break, session, &at, &id);
    succeeds(sam_session_run, session, NULL, &stop);
    succeeds(sam_session_set_x, session, 0, 0, 10, 40);
    succeeds(sam_session_set_x, session, 0, 0, 0, 40);
    succeeds(sam_session_x, session, 0, 0, 0, &value);
    assert_int_equal(value, 0);
    lanes[3] = 100;
    lanes[4] = 200;
    succeeds(sam_session_set_v, session, 0, 0, 1, 8, lanes);
    succeeds(sam_session_v, session, 0, 0, 1, lanes);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(lanes[i], i == 3 ? 100 : i < 8 ? 1 : 0);
    succeeds(sam_session_set_csr, session, 0, 0, 2, 3);
    must_refuse(sam_session_set_csr(session, 0, 0, 0x805, 3, e), e, "CSR 0x805");
    must_refuse(sam_session_csr(session, 0, 0, 0x7ff, &value, e), e, "CSR 0x7ff");
    succeeds(sam_session_csr, session, 0, 0, 0x802, &value);
    assert_int_equal(value, 8);
    /* local memory, before the program has accessed it */
    succeeds(sam_session_read, session, 0, SAM_LDS_BASE + 8, &word, 4);
    assert_int_equal(word, 0);
    word = 55;
    succeeds(sam_session_write, session, 0, SAM_LDS_BASE + 8, &word, 4);
    /* code: a second increment replaces the vadd; the other warps run it too */
    succeeds(sam_session_write, session, 0, at.pc, &code, 4);
    /* a mask with two lanes, so that the last store writes only those */
    const struct sam_stack_entry entries[] = {{1, 2, 3}, {4, 5, 6}};
    struct sam_stack_entry got[2];
    size_t depth;
    succeeds(sam_session_set_stack, session, 0, 0, 0x18, entries, 2);
    must_refuse(sam_session_set_stack(session, 0, 0, 0x100, entries, 2, e), e, "8 lanes");
    must_refuse(sam_session_set_stack(session, 0, 0, 1, entries, 70000, e), e, "at most 65536");
    succeeds(sam_session_stack, session, 0, 0, got, 1, &depth);
    assert_int_equal(depth, 2);
    assert_int_equal(got[0].mask, 3);
    succeeds(sam_session_warp, session, 0, 0, &warp);
    assert_int_equal(warp.mask, 0x18);
    assert_int_equal(warp.depth, 2);
    at.pc = SAM_CODE_BASE + 13 * 4;
    succeeds(sam_session_add_break, session, &at, &id);
    succeeds(sam_session_run, session, NULL, &stop);
    assert_int_equal(stop.pc, at.pc);
    EXPECT_WORDS(&p, DATA, 42, 55, 3, 0, 0, 0, 0, 100, 1, 0);
    /* endprg is illegal here: it traps, is repaired, and ends */
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
    succeeds(sam_session_set_stack, session, 0, 0, 0xff, NULL, 0);
    succeeds(sam_session_finish, session, NULL);
}

TEST(pc_and_private_memory)
{
    SCOPED(program) p = program_new("        vid.v   v2\n"
                                    "        vmv.v.i v1, 0\n"
                                    "        vsw.v   v2, 8(v1)\n"
                                    "wait:   barrier x0, x0, 0\n"
                                    "        endprg\n",
                                    8);
    p.launch.warps = 2;
    SCOPED_SESSION *session = open_session(&p);
    struct sam_error *e = &p.error;
    struct sam_session_run run = {.size = sizeof run, .scope = SAM_SCOPE_WARP, .warp = 1};
    struct sam_session_stop stop;
    struct sam_session_warp warp;
    uint64_t address;
    uint32_t word = 0;
    succeeds(sam_session_run, session, &run, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_WAITS);
    assert_int_equal(stop.warp, 1);
    assert_int_equal(stop.pc, program_symbol(&p, "wait"));
    succeeds(sam_session_warp, session, 0, 1, &warp);
    assert_int_equal(warp.state, SAM_WARP_WAITS);
    for (uint32_t lane = 0; lane < 8; lane++) {
        succeeds(sam_session_private, session, 0, 1, lane, 8, &address);
        succeeds(sam_session_read, session, 0, address, &word, 4);
        assert_int_equal(word, lane);
    }
    must_refuse(sam_session_private(session, 0, 1, 8, 8, &address, e), e, "8 lanes");
    must_refuse(sam_session_private(session, 0, 1, 7, 1024, &address, e), e, "1024 bytes");
    /* warp 0 is moved past the barrier, and warp 1 back to its start: it arrives again, alone */
    succeeds(sam_session_set_pc, session, 0, 0, program_symbol(&p, "wait") + 4);
    succeeds(sam_session_set_pc, session, 0, 1, SAM_CODE_BASE);
    must_refuse(sam_session_set_pc(session, 0, 1, SAM_CODE_BASE + 2, e), e, "multiple of 4");
    struct sam_step step;
    succeeds(sam_session_step, session, 0, 0, &step);
    assert_int_equal(step.kind, SAM_STEP_ENDED);
    must_refuse(sam_session_step(session, 0, 0, &step, e), e, "has ended");
    run.to_release = true;
    succeeds(sam_session_run, session, &run, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_RELEASED);
    succeeds(sam_session_finish, session, NULL);
}

/* As in hardware: the last warp to arrive continues at once, the others with their next step. */
TEST(barrier_retries)
{
    SCOPED(program) p = program_new("wait:   barrier x0, x0, 0\n"
                                    "        nop\n"
                                    "        endprg\n",
                                    8);
    p.launch.warps = 3;
    for (int retry = 0; retry < 2; retry++) {
        struct sam_session_options options = {.size = sizeof options, .barrier_retry = retry};
        SCOPED_SESSION *session = NULL;
        struct sam_session_warp warp;
        struct sam_step step;
        succeeds(sam_session_open, p.gpu, &p.launch, &options, &session);
        const uint32_t wait = program_symbol(&p, "wait");
        for (uint32_t w = 0; w < 2; w++) {
            succeeds(sam_session_step, session, 0, w, &step);
            assert_int_equal(step.kind, SAM_STEP_BARRIER);
            for (int again = 0; again < 3; again++) {
                succeeds(sam_session_step, session, 0, w, &step);
                assert_int_equal(step.kind, SAM_STEP_WAITS);
                assert_int_equal(step.pc, wait);
                assert_int_equal(step.next_pc, wait);
                assert_int_equal(step.word, 0x0400400b);
                succeeds(sam_session_warp, session, 0, w, &warp);
                assert_int_equal(warp.pc, wait);
            }
        }
        assert_int_equal(sam_session_time(session), 2);
        succeeds(sam_session_step, session, 0, 2, &step);
        assert_int_equal(step.kind, SAM_STEP_RELEASED);
        assert_int_equal(step.next_pc, wait + 4);
        for (uint32_t w = 0; w < 2; w++) {
            succeeds(sam_session_warp, session, 0, w, &warp);
            assert_int_equal(warp.state, SAM_WARP_READY);
            assert_int_equal(warp.pc, retry ? wait : wait + 4);
            succeeds(sam_session_step, session, 0, w, &step);
            assert_int_equal(step.kind, retry ? SAM_STEP_WAITS : SAM_STEP_RAN);
            assert_int_equal(step.next_pc, retry ? wait + 4 : wait + 8);
            if (retry)
                succeeds(sam_session_step, session, 0, w, &step);
            assert_int_equal(step.pc, wait + 4);
        }
        succeeds(sam_session_finish, session, NULL);
    }
}

TEST(traps)
{
    SCOPED(program) p = program_new("        csrr    t0, wid\n"
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
    /* every step gives the same trap, and so does finish */
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
    /* warp 1 goes to the other barrier: both continue, and warp 0 loads from an unmapped address */
    succeeds(sam_session_set_pc, session, 0, 1, program_symbol(&p, "there"));
    assert_int_equal(sam_session_run(session, NULL, &stop, e), SAM_ERR_TRAP);
    assert_int_equal(stop.trap.kind, SAM_TRAP_LOAD_FAULT);
    assert_int_equal(stop.warp, 0);
    for (uint32_t w = 0; w < 2; w++)
        succeeds(sam_session_set_x, session, 0, w, 7, DATA);
    succeeds(sam_session_finish, session, &result);
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

/* Log, statistics, prints, progress and the stop flag equal those of a launch. */
TEST(as_a_launch)
{
    SCOPED(program) p = program_new("        csrr    s0, wgid\n"
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
        SCOPED_SESSION *session = open_session(&p);
        succeeds(sam_session_finish, session, &result);
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
    SCOPED_SESSION *session = open_session(&p);
    struct sam_session_stop stop;
    assert_int_equal(sam_session_run(session, NULL, &stop, &p.error), SAM_ERR_STOPPED);
    assert_int_equal(stop.reason, SAM_SESSION_STOPPED);
    assert_string_equal(p.error.text, "stopped after 2 of 5 workgroups");
    told[0].stop = 0;
    told[0].stop_at = 0;
    succeeds(sam_session_finish, session, NULL);
}
