/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions go back in time: the state at a given time is always the same. */
#include "program.h"

#include "test.h"

#include "samite/session.h"

/* Warps race for words of global memory, meet at barriers, use local memory, a stack and prints. */
static const char racing[] = "        lui     s0, 0x90000\n"
                             "        csrr    s1, wid\n"
                             "        csrr    s6, wgid\n"
                             "        lui     s3, 0x70000\n"
                             "        li      s4, 12\n"
                             "        vid.v   v1\n"
                             "        vmv.v.i v10, 0\n"
                             "        auipc   t4, 0\n"
                             "        addi    t4, t4, 92\n"
                             "        setrpc  zero, t4, 0\n"
                             "loop:   lw      t0, 0(s0)\n"
                             "        slli    t1, t0, 1\n"
                             "        add     t0, t0, t1\n"
                             "        add     t0, t0, s1\n"
                             "        add     t0, t0, s6\n"
                             "        sw      t0, 0(s0)\n"
                             "        andi    t1, t0, 0xff\n"
                             "        slli    t1, t1, 7\n"
                             "        add     t1, t1, s0\n"
                             "        sw      t0, 512(t1)\n"
                             "        vle32.v v2, (s3)\n"
                             "        vadd.vx v2, v2, t0\n"
                             "        vse32.v v2, (s3)\n"
                             "        vand.vi v9, v2, 1\n"
                             "        auipc   t4, 0\n"
                             "        addi    t4, t4, 24\n"
                             "        setrpc  zero, t4, 0\n"
                             "        vbeq    v9, v10, even\n"
                             "        vadd.vi v3, v3, 1\n"
                             "        join    zero, zero, 0\n"
                             "even:   join    zero, zero, 0\n"
                             "        barrier x0, x0, 0\n"
                             "        addi    s4, s4, -1\n"
                             "        bnez    s4, loop\n"
                             "        bnez    s1, out\n"
                             "        lui     s2, 0x93000\n"
                             "        li      t3, 1\n"
                             "        amoadd.w t0, t3, (s2)\n"
                             "        add     t1, t0, s2\n"
                             "        addi    t2, s6, 65\n"
                             "        sb      t2, 4(t1)\n"
                             "        csrw    print, s2\n"
                             "out:    endprg\n";

static bool collect(void *context, const void *data, size_t size)
{
    return sam_buffer_append(context, data, size);
}

static struct program open_racing(struct sam_buffer *prints)
{
    struct program p = program_new(racing, 8);
    p.launch.grid[0] = 4;
    p.launch.warps = 3;
    if (prints)
        p.options.print = (struct sam_sink){collect, prints};
    succeeds(sam_gpu_set_options, p.gpu, &p.options);
    return p;
}

static void mix(uint64_t *digest, uint64_t value)
{
    *digest = (*digest ^ value) * UINT64_C(0x100000001b3);
}

/* A digest of all user-visible state. */
static uint64_t digest_of(struct program *p, struct sam_session *session)
{
    uint64_t digest = sam_session_time(session), x;
    static uint32_t words[DATA_SIZE / 4];
    struct sam_stack_entry stack[8];
    struct sam_session_warp state;
    size_t depth;
    for (uint32_t group = 0; group < p->launch.grid[0]; group++) {
        const enum sam_session_state now = sam_session_workgroup_state(session, group);
        mix(&digest, now == SAM_SESSION_ENDED);
        if (now == SAM_SESSION_ENDED)
            continue;
        succeeds(sam_session_read, session, group, SAM_LDS_BASE, words, 64);
        for (unsigned i = 0; i < 16; i++)
            mix(&digest, words[i]);
        for (uint32_t warp = 0; warp < p->launch.warps; warp++) {
            succeeds(sam_session_warp, session, group, warp, &state);
            mix(&digest, (uint64_t)state.state << 32 | state.mask);
            mix(&digest, state.pc);
            mix(&digest, state.instructions);
            succeeds(sam_session_stack, session, group, warp, stack, 8, &depth);
            for (size_t i = 0; i < depth; i++)
                mix(&digest, (uint64_t)stack[i].pc << 32 | stack[i].mask);
            for (unsigned i = 0; i < 64; i++) {
                succeeds(sam_session_x, session, group, warp, i, &x);
                mix(&digest, x);
            }
            for (unsigned i = 0; i < 12; i++) {
                succeeds(sam_session_v, session, group, warp, i, words);
                for (unsigned lane = 0; lane < 8; lane++)
                    mix(&digest, words[lane]);
            }
        }
    }
    succeeds(sam_session_read, session, 0, DATA, words, DATA_SIZE);
    for (size_t i = 0; i < DATA_SIZE / 4; i++)
        mix(&digest, words[i]);
    return digest;
}

/* A random action of a user; `plain`: only runs forward. */
static void act(struct program *p, struct sam_session *session, bool plain, uint64_t *random)
{
    struct sam_session_run run = {.size = sizeof run,
                                  .scope = (enum sam_session_scope)test_below(random, 3),
                                  .workgroup = (uint32_t)test_below(random, p->launch.grid[0]),
                                  .warp = (uint32_t)test_below(random, p->launch.warps),
                                  .instructions = 1 + test_below(random, 200),
                                  .to_release = test_below(random, 2) != 0};
    struct sam_session_warp warp;
    if (plain || sam_session_workgroup_state(session, run.workgroup) == SAM_SESSION_ENDED)
        run.scope = SAM_SCOPE_ALL;
    if (test_below(random, 2) || run.scope == SAM_SCOPE_ALL) {
        succeeds(sam_session_run, session, &run, NULL);
        return;
    }
    for (unsigned i = 0; i < 20; i++) {
        if (sam_session_workgroup_state(session, run.workgroup) == SAM_SESSION_ENDED)
            return;
        succeeds(sam_session_warp, session, run.workgroup, run.warp, &warp);
        if (warp.state == SAM_WARP_ENDED)
            return;
        succeeds(sam_session_step, session, run.workgroup, run.warp, NULL);
    }
}

static struct sam_session *open_session(struct program *p, bool retry)
{
    struct sam_session_options options = {.size = sizeof options, .barrier_retry = retry};
    struct sam_session *session;
    succeeds(sam_session_open, p->gpu, &p->launch, &options, &session);
    return session;
}

TEST(snapshots)
{
    uint64_t random = test_seed();
    for (unsigned round = 0; round < 12; round++) {
        SCOPED(program) p = open_racing(NULL);
        SCOPED_SESSION *session = open_session(&p, true);
        struct sam_error *e = &p.error;
        struct {
            unsigned id;
            uint64_t digest;
        } kept[8];
        size_t count = 0;
        for (unsigned i = 0; i < 40; i++) {
            act(&p, session, false, &random);
            const uint64_t choice = test_below(&random, 6);
            if (choice == 0 && count < 8) {
                kept[count].digest = digest_of(&p, session);
                succeeds(sam_session_snapshot, session, &kept[count++].id);
            } else if (choice == 1 && count) {
                const size_t at = test_below(&random, count);
                succeeds(sam_session_restore, session, kept[at].id);
                assert_int_equal(digest_of(&p, session), kept[at].digest);
                if (at + 1 < count)
                    must_refuse(sam_session_restore(session, kept[at + 1].id, e), e, "no snapshot");
                count = at + 1;
            } else if (choice == 2 && count > 2) {
                const size_t at = test_below(&random, count);
                succeeds(sam_session_drop, session, kept[at].id);
                memmove(&kept[at], &kept[at + 1], (--count - at) * sizeof kept[0]);
            } else if (choice == 3) {
                uint32_t word = (uint32_t)test_random(&random);
                const uint32_t at = (uint32_t)test_below(&random, DATA_SIZE / 4) * 4;
                succeeds(sam_session_write, session, 0, DATA + at, &word, 4);
            }
        }
        while (count--) {
            succeeds(sam_session_restore, session, kept[count].id);
            assert_int_equal(digest_of(&p, session), kept[count].digest);
        }
        succeeds(sam_session_finish, session, NULL);
    }
}

enum { TIMES = 4000 };

TEST(any_time)
{
    uint64_t random = test_seed();
    for (unsigned round = 0; round < 8; round++) {
        struct sam_buffer prints = {0};
        struct program p = open_racing(&prints);
        struct sam_session *session = open_session(&p, false);
        struct sam_error *e = &p.error;
        static uint64_t known[TIMES]; /* by time, 0: not known */
        memset(known, 0, sizeof known);
        succeeds(sam_session_record, session, round & 1 ? 50 : 0);
        for (unsigned i = 0; i < 25; i++) {
            act(&p, session, round & 2, &random);
            known[sam_session_time(session)] = digest_of(&p, session);
        }
        const uint64_t end = sam_session_time(session);
        assert_true(end < TIMES);
        for (unsigned i = 0; i < 120; i++) {
            const uint64_t time = test_below(&random, end + 1);
            succeeds(sam_session_goto, session, time);
            assert_int_equal(sam_session_time(session), time);
            const uint64_t digest = digest_of(&p, session);
            if (known[time])
                assert_int_equal(digest, known[time]);
            known[time] = digest;
        }
        must_refuse(sam_session_goto(session, end + 1, e), e, "recorded from 0 to");
        succeeds(sam_session_goto, session, end);
        assert_int_equal(digest_of(&p, session), known[end]);
        succeeds(sam_session_goto, session, end / 2);
        if (round & 2) {
            succeeds(sam_session_finish, session, NULL);
            assert_int_equal(prints.size, 4); /* no print is repeated */
            sam_session_close(session);
            sam_buffer_free(&prints);
            program_free(&p);
            continue;
        }
        /* in the past, the user acts differently: the future changes */
        for (unsigned i = 0; i < 5; i++)
            act(&p, session, round & 2, &random);
        const uint64_t now = sam_session_time(session), digest = digest_of(&p, session);
        succeeds(sam_session_goto, session, end / 3);
        if (known[end / 3])
            assert_int_equal(digest_of(&p, session), known[end / 3]);
        succeeds(sam_session_goto, session, now);
        assert_int_equal(digest_of(&p, session), digest);
        /* a change is not repeated: the later history is dropped */
        must(sam_session_write(session, 0, DATA + 4, &(uint32_t){5}, 4, e), e);
        succeeds(sam_session_goto, session, now / 2);
        must_refuse(sam_session_goto(session, now + 1, e), e, "recorded from");
        succeeds(sam_session_finish, session, NULL);
        sam_session_close(session);
        sam_buffer_free(&prints);
        program_free(&p);
    }
}

TEST(backwards)
{
    for (unsigned round = 0; round < 8; round++) {
        SCOPED(program) p = open_racing(NULL);
        SCOPED_SESSION *session = open_session(&p, false);
        struct {
            uint64_t time, pc, digest;
            uint32_t workgroup, warp;
            enum sam_session_reason reason;
        } stops[600];
        struct sam_session_stop stop;
        size_t count = 0;
        unsigned id;
        succeeds(sam_session_record, session, round & 1 ? 40 : 0);
        const struct sam_session_break at = {.pc = program_symbol(&p, "even")};
        const struct sam_session_watch of = {.address = DATA, .size = 4};
        if (round & 2)
            succeeds(sam_session_add_break, session, &at, &id);
        if (!(round & 2) || round & 4)
            succeeds(sam_session_add_watch, session, &of, &id);
        for (;;) {
            succeeds(sam_session_run, session, NULL, &stop);
            if (stop.reason == SAM_SESSION_DONE)
                break;
            assert_true(count < SAM_COUNT(stops));
            stops[count].time = sam_session_time(session);
            stops[count].pc = stop.pc;
            stops[count].reason = stop.reason;
            stops[count].workgroup = stop.workgroup;
            stops[count].warp = stop.warp;
            stops[count++].digest = digest_of(&p, session);
        }
        assert_true(count > 100);
        size_t left = 30; /* from the end, and from a random time */
        while (left--) {
            succeeds(sam_session_back, session, &stop);
            count--;
            assert_int_equal(stop.reason, round & 2 && !(round & 4) ? SAM_SESSION_BREAK
                                          : !(round & 2)            ? SAM_SESSION_WATCH
                                                                    : stop.reason);
            assert_int_equal(sam_session_time(session), stops[count].time);
            assert_int_equal(stop.pc, stops[count].pc);
            assert_int_equal(stop.workgroup, stops[count].workgroup);
            assert_int_equal(stop.warp, stops[count].warp);
            assert_int_equal(digest_of(&p, session), stops[count].digest);
        }
        /* and forward again: the next one comes next */
        succeeds(sam_session_run, session, NULL, &stop);
        assert_int_equal(sam_session_time(session), stops[count + 1].time);
        succeeds(sam_session_goto, session, stops[3].time - 1);
        for (count = 3; count--;) {
            succeeds(sam_session_back, session, &stop);
            assert_int_equal(sam_session_time(session), stops[count].time);
        }
        succeeds(sam_session_back, session, &stop);
        assert_int_equal(stop.reason, SAM_SESSION_START);
        assert_int_equal(sam_session_time(session), 0);
        /* with accesses undone: the last one, too */
        for (count = 0; count < 6; count++)
            succeeds(sam_session_run, session, NULL, &stop);
        while (count--) {
            uint64_t time = stops[count].time;
            if (count == 5 && stops[count].reason == SAM_SESSION_BREAK)
                continue; /* from its location: the previous one */
            succeeds(sam_session_back_before, session, &stop);
            if (stop.reason == SAM_SESSION_WATCH) {
                assert_int_equal(stop.pc, stop.access_pc);
                time--;
            }
            assert_int_equal(sam_session_time(session), time);
        }
    }
}

/* The history: the warp that ran at each time. */
struct runs {
    struct {
        uint32_t workgroup, warp;
        uint64_t pc;
    } list[TIMES];
};

static bool note_run(void *context, struct sam_session *session, const struct sam_step *step)
{
    struct runs *runs = context;
    (void)session;
    assert_true(step->time < TIMES);
    runs->list[step->time].workgroup = step->workgroup;
    runs->list[step->time].warp = step->warp;
    runs->list[step->time].pc = step->pc;
    return true;
}

TEST(one_warp_back)
{
    static struct runs runs;
    uint64_t random = test_seed();
    for (unsigned round = 0; round < 6; round++) {
        SCOPED(program) p = open_racing(NULL);
        SCOPED_SESSION *session = open_session(&p, false);
        struct sam_session_stop stop;
        struct sam_session_run run = {
            .size = sizeof run, .each = round & 1 ? note_run : NULL, .context = &runs};
        uint64_t changed = 0;
        succeeds(sam_session_record, session, round & 2 ? 60 : 0);
        for (unsigned i = 0; i < 60; i++) {
            run.workgroup = (uint32_t)test_below(&random, 2);
            run.warp = (uint32_t)test_below(&random, p.launch.warps);
            run.scope = (enum sam_session_scope)test_below(&random, 3);
            run.instructions = 1 + test_below(&random, 30);
            if (run.each) {
                succeeds(sam_session_run, session, &run, NULL);
            } else {
                struct sam_step step;
                succeeds(sam_session_step, session, run.workgroup, run.warp, &step);
                if (step.kind != SAM_STEP_WAITS)
                    note_run(&runs, session, &step);
            }
            if (i == 20) {
                succeeds(sam_session_set_x, session, 0, 0, 9, 0);
                changed = sam_session_time(session);
            }
        }
        for (unsigned i = 0; i < 40; i++) {
            const uint32_t workgroup = (uint32_t)test_below(&random, 2),
                           warp = (uint32_t)test_below(&random, p.launch.warps);
            uint64_t time = sam_session_time(session);
            while (time && !(runs.list[time - 1].workgroup == workgroup &&
                             runs.list[time - 1].warp == warp))
                time--;
            const uint64_t now = sam_session_time(session);
            succeeds(sam_session_back_warp, session, workgroup, warp, &stop);
            assert_int_equal(stop.workgroup, workgroup);
            assert_int_equal(stop.warp, warp);
            if (time == 0) {
                assert_int_equal(stop.reason, SAM_SESSION_START);
                assert_int_equal(sam_session_time(session), now);
                continue;
            }
            assert_int_equal(stop.reason, SAM_SESSION_COUNT);
            assert_int_equal(sam_session_time(session), time - 1);
            assert_int_equal(stop.pc, runs.list[time - 1].pc);
            if (now > changed && time > changed && changed) {
                /* the future is still there */
                succeeds(sam_session_goto, session, now);
                succeeds(sam_session_goto, session, time - 1);
            }
        }
    }
}

TEST(mistakes)
{
    SCOPED(program) p = open_racing(NULL);
    SCOPED_SESSION *session = open_session(&p, false);
    struct sam_error *e = &p.error;
    struct sam_session_stop stop;
    unsigned id;
    must_refuse(sam_session_goto(session, 0, e), e, "not recorded");
    must_refuse(sam_session_back(session, &stop, e), e, "not recorded");
    must_refuse(sam_session_back_warp(session, 0, 0, &stop, e), e, "not recorded");
    must_refuse(sam_session_back_warp(session, 0, 3, &stop, e), e, "warp 3");
    must_refuse(sam_session_restore(session, 1, e), e, "no snapshot 1");
    must_refuse(sam_session_drop(session, 1, e), e, "no snapshot 1");
    must_refuse(sam_session_snapshot(NULL, &id, e), e, "session is NULL");
    succeeds(sam_session_snapshot, session, &id);
    succeeds(sam_session_drop, session, id);
    must_refuse(sam_session_restore(session, id, e), e, "no snapshot");
}
