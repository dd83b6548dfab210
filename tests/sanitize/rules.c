/* SPDX-License-Identifier: Apache-2.0 */
/* What the race and sync checks report of small programs: kinds and both sides, as
 * docs/sanitizer.md defines them. The programs label the two instructions `a` and `b`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "must.h"
#include "samite/session.h"
#include "watched.h"

/* Runs `text` with so many warps of 4 lanes in `groups` workgroups; both schedules must find the
 * same. */
static struct watched run_with(const char *text, uint32_t warps, uint32_t groups,
                               enum sam_schedule schedule)
{
    struct watched run = watched_new(text, SAM_SANITIZE_RACE | SAM_SANITIZE_SYNC);
    run.p.options.schedule = schedule;
    run.p.launch.warps = warps;
    run.p.launch.grid[0] = groups;
    watched_run(&run);
    return run;
}

static void expect_none(const char *text, uint32_t warps, uint32_t groups)
{
    for (int schedule = SAM_SCHEDULE_RUN; schedule <= SAM_SCHEDULE_RR1; schedule++) {
        struct watched run = run_with(text, warps, groups, (enum sam_schedule)schedule);
        if (run.count)
            fail_msg("%s:\n%s", sam_finding_kind_name(run.findings[0].kind), text);
        watched_free(&run);
    }
}

/* One finding of this kind: at `a` and `b`; NULL: no second side. */
static void expect(const char *text, uint32_t warps, uint32_t groups, enum sam_finding_kind kind,
                   const char *a, const char *b)
{
    for (int schedule = SAM_SCHEDULE_RUN; schedule <= SAM_SCHEDULE_RR1; schedule++) {
        struct watched run = run_with(text, warps, groups, (enum sam_schedule)schedule);
        if (run.count != 1)
            fail_msg("%zu findings:\n%s", run.count, text);
        const struct sam_finding *f = run.findings;
        assert_string_equal(sam_finding_kind_name(f->kind), sam_finding_kind_name(kind));
        if (!watched_is_at(&run, f, a, b))
            fail_msg("pc 0x%x and 0x%x, expected %s and %s:\n%s", f->sides[0].pc, f->sides[1].pc, a,
                     b ? b : "none", text);
        watched_free(&run);
    }
}

/* --------------------------------------------------------------------------------- races */

TEST(warps_of_a_workgroup_race_between_barriers)
{
    static const char store_and_load[] = START "li t0, 1\nbnez s2, 1f\n"
                                               "a: sw t0, 8(s1)\nj 2f\n"
                                               "1: nop\nb: lw t1, 8(s1)\n2:\n" END;
    expect(store_and_load, 2, 1, SAM_FINDING_RACE_LOCAL, "a", "b");
    expect_none(store_and_load, 1, 1);
    expect(START "li t0, 1\nbnez s2, 1f\na: sw t0, 8(s0)\nj 2f\n1: nop\nb: lb t1, 9(s0)\n2:\n" END,
           2, 1, SAM_FINDING_RACE_WARPS, "a", "b");
    expect_none(START "li t0, 1\nbnez s2, 1f\nsw t0, 8(s1)\n1: barrier 1\nlw t1, 8(s1)\n" END, 3,
                1);
    /* a barrier of one warp's lanes orders nothing among warps */
    expect(START "li t0, 1\nbnez s2, 1f\na: sw t0, 8(s1)\n1: barriersub 1\nbeqz s2, 2f\n"
                 "b: lw t1, 8(s1)\n2:\n" END,
           2, 1, SAM_FINDING_RACE_LOCAL, "a", "b");
    /* one reader more does not hide the first */
    expect(START "bnez s2, 1f\na: vsw12.v v1, 0(v4)\nj 2f\n1: nop\nb: vlw12.v v5, 0(v4)\n2:\n" END,
           4, 1, SAM_FINDING_RACE_LOCAL, "a", "b");
}

TEST(workgroups_race_whatever_they_wait_for)
{
    expect(START "bnez s3, 1f\na: sw s3, 0(s0)\nbarrier 1\nj 2f\n"
                 "1: barrier 1\nb: lw t0, 0(s0)\n2:\n" END,
           1, 2, SAM_FINDING_RACE_GROUPS, "a", "b");
    expect_none(START "sw s3, 0(s1)\nlw t0, 0(s1)\n" END, 1, 3); /* each has its own */
}

TEST(equal_stores_do_not_race_and_others_do)
{
    expect_none(START "li t0, 7\nsw t0, 0(s0)\nvmv.v.i v5, 3\nvsw12.v v5, 16(v3)\n" END, 3, 3);
    expect(START "li t0, 7\na: sw s2, 0(s1)\n" END, 2, 1, SAM_FINDING_RACE_LOCAL, "a", "a");
    /* an equal one, followed by another one */
    expect(START
           "li t0, 7\na: sw t0, 0(s1)\nbeqz s2, 1f\naddi t0, t0, 1\nb: sw t0, 0(s1)\n1:\n" END,
           2, 1, SAM_FINDING_RACE_LOCAL, "a", "b");
    /* only some bytes are equal: a finding is about the word */
    struct watched run =
        run_with(START "slli t0, s2, 16\nsw t0, 0(s1)\n" END, 2, 1, SAM_SCHEDULE_RUN);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.findings[0].address, SAM_LDS_BASE);
    assert_int_equal(run.findings[0].size, 4);
    watched_free(&run);
    /* what the store finds there does not matter */
    expect(START "bnez s2, 1f\na: sw zero, 0(s1)\nj 2f\n1: nop\nb: lw t0, 0(s1)\n2:\n" END, 2, 1,
           SAM_FINDING_RACE_LOCAL, "a", "b");
}

TEST(atomics_race_with_other_accesses_only)
{
    expect_none(START "li t0, 1\namoadd.w t1, t0, (s0)\nlr.w t2, (s0)\nsc.w t3, t0, (s0)\n" END, 2,
                2);
    expect(START "li t0, 1\nbnez s2, 1f\na: amoadd.w t1, t0, (s0)\nj 2f\n"
                 "1: nop\nb: lw t2, 0(s0)\n2:\n" END,
           2, 1, SAM_FINDING_RACE_WARPS, "a", "b");
    expect(START "li t0, 1\nbnez s2, 1f\na: amoor.w t1, t0, (s0)\nj 2f\n"
                 "1: nop\nb: sw t0, 0(s0)\n2:\n" END,
           2, 1, SAM_FINDING_RACE_WARPS, "a", "b");
    /* they order nothing: a flag set by one does not publish what was stored before */
    expect(START "li t0, 1\nbnez s2, 1f\na: sw t0, 4(s0)\namoswap.w t1, t0, (s0)\nj 2f\n"
                 "1: amoadd.w t1, zero, (s0)\nb: lw t2, 4(s0)\n2:\n" END,
           2, 1, SAM_FINDING_RACE_WARPS, "a", "b");
    expect_none(START "bnez s2, 1f\nlr.w t1, (s0)\n1: lw t2, 0(s0)\n" END, 2, 1);
}

TEST(lanes_of_an_instruction_race_by_value)
{
    expect(START "vmv.v.x v5, s0\na: vsw12.v v1, 0(v5)\n" END, 1, 1, SAM_FINDING_RACE_LANES, "a",
           "a");
    expect_none(START "vmv.v.x v5, s0\nvmv.v.i v6, 1\nvsw12.v v6, 0(v5)\n" END, 1, 1);
    struct watched run = run_with(START "vand.vi v6, v1, 1\nvsll.vi v6, v6, 2\nvadd.vx v6, v6, s0\n"
                                        "vsrl.vi v5, v1, 1\nvsw12.v v5, 0(v6)\n" END,
                                  1, 1, SAM_SCHEDULE_RUN);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.findings[0].sides[0].lane, 2);
    assert_int_equal(run.findings[0].sides[1].lane, 0);
    assert_int_equal(run.findings[0].count, 2); /* lanes 0 and 2, lanes 1 and 3 */
    watched_free(&run);
}

/* Bytes of neighbouring lanes are looked at as words; lanes 2 store the numbers of their warps. */
TEST(bytes_have_lanes)
{
    static const char *const stores[] = {
        "vadd.vx v6, v1, s0\nvsb12.v v5, 0(v6)\n",
        "vsll.vi v6, v1, 1\nvadd.vx v6, v6, s0\nvsh12.v v5, 0(v6)\n",
        "vadd.vx v6, v1, s0\nvsb12.v v5, 3(v6)\n", /* not from the start of a word */
    };
    static const uint32_t addresses[] = {DATA + 2, DATA + 4, DATA + 5};
    for (size_t i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text, START "vmseq.vi v7, v1, 2\nvmul.vx v5, v7, s2\n%s" END,
                 stores[i]);
        struct watched run = run_with(text, 2, 1, SAM_SCHEDULE_RUN);
        assert_int_equal(run.count, 1);
        assert_int_equal(run.findings[0].address, addresses[i]);
        assert_int_equal(run.findings[0].size, i == 1 ? 2 : 1); /* the element that differs */
        assert_int_equal(run.findings[0].sides[0].lane, 2);
        assert_int_equal(run.findings[0].sides[1].lane, 2);
        watched_free(&run);
    }
}

/* Two stores of a word with some equal bytes; a word and a part of it; parts that have no word in
 * common: a finding is about the whole of what both access. */
TEST(a_finding_has_the_size_of_what_both_access)
{
    static const struct {
        const char *first, *second;
        uint32_t address, size; /* 0: no finding */
    } rows[] = {
        {"sw t0, 0(s0)\n", "sw t1, 0(s0)\n", DATA, 4}, /* two bytes of the values differ */
        {"sw t0, 0(s0)\n", "lw t1, 0(s0)\n", DATA, 4},
        {"sw t0, 0(s0)\n", "lhu t1, 2(s0)\n", DATA + 2, 2},
        {"sw t0, 0(s0)\n", "sb t1, 3(s0)\n", DATA + 3, 1}, /* 0x12 and 0x34 */
        {"sh t0, 0(s0)\n", "sh t1, 0(s0)\n", DATA, 2},
        {"sh t0, 0(s0)\n", "sb t1, 1(s0)\n", DATA + 1, 1},
        {"sh t0, 0(s0)\n", "sh t1, 2(s0)\n", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 START "li t0, 0x12345678\nli t1, 0x12ab5634\nbnez s2, 1f\n%sj 2f\n1: %s2:\n" END,
                 rows[i].first, rows[i].second);
        for (int rr1 = 0; rr1 < 2; rr1++) {
            struct watched run = run_with(text, 2, 1, rr1 ? SAM_SCHEDULE_RR1 : SAM_SCHEDULE_RUN);
            assert_int_equal(run.count, rows[i].size != 0);
            if (run.count) {
                assert_int_equal(run.findings[0].address, rows[i].address);
                assert_int_equal(run.findings[0].size, rows[i].size);
            }
            watched_free(&run);
        }
    }
}

TEST(private_memory_is_not_shared)
{
    expect_none(START "li t0, 16\nvmv.v.x v5, t0\nvsw.v v1, 0(v5)\nvlw.v v6, 0(v5)\n" END, 3, 3);
}

TEST(launches_are_ordered)
{
    struct watched run =
        run_with(START "sw s2, 0(s1)\nlw t0, 0(s0)\nsw t0, 4(s0)\n" END, 1, 1, SAM_SCHEDULE_RUN);
    assert_int_equal(run.count, 0);
    program_pass(&run.p);
    sam_sanitizer_findings(run.sanitizer, &run.count);
    assert_int_equal(run.count, 0);
    watched_free(&run);
}

TEST(findings_name_who_and_where)
{
    static const char text[] =
        START "li t0, 1\nbnez s2, 1f\nvmv.v.i v5, 1\nvsw12.v v5, 0(v3)\nj 2f\n"
              "1: li t1, 3\nbne s2, t1, 2f\nlw t2, 12(s0)\n2:\n" END;
    struct watched run = run_with(text, 4, 1, SAM_SCHEDULE_RUN);
    const struct sam_sanitizer_buffer buffer = {.base = DATA, .size = 64, .name = "x"};
    char place[64], *report;
    assert_int_equal(run.count, 1);
    const struct sam_finding *f = run.findings;
    assert_int_equal(f->check, SAM_SANITIZE_RACE);
    assert_int_equal(f->address, DATA + 12);
    assert_int_equal(f->size, 4);
    assert_int_equal(f->sides[0].warp, 3);
    assert_int_equal(f->sides[0].lane, UINT32_MAX);
    assert_int_equal(f->sides[0].access, SAM_FINDING_LOAD);
    assert_int_equal(f->sides[1].warp, 0);
    assert_int_equal(f->sides[1].lane, 3);
    assert_int_equal(f->sides[1].access, SAM_FINDING_STORE);
    sam_sanitizer_place(run.sanitizer, f, place, sizeof place);
    assert_string_equal(place, "global memory");
    must(sam_sanitizer_add_buffer(run.sanitizer, &buffer, &run.p.error), &run.p.error);
    sam_sanitizer_place(run.sanitizer, f, place, sizeof place);
    assert_string_equal(place, "buffer x+0xc");
    must(sam_sanitizer_print(run.sanitizer, NULL, &report, &run.p.error), &run.p.error);
    assert_string_equal(
        report, "race: race between warps of a workgroup: 4 bytes at 0x9000000c, buffer x+0xc\n"
                "  load by workgroup 0, warp 3: pc 0x8000003c lw t2, 12(s0)\n"
                "  store by workgroup 0, warp 0, lane 3: pc 0x8000002c vsw12.v v5, "
                "0(v3)\n");
    sam_text_free(report);
    sam_sanitizer_forget(run.sanitizer);
    sam_sanitizer_findings(run.sanitizer, &run.count);
    assert_int_equal(run.count, 0);
    program_pass(&run.p); /* and it is found again */
    sam_sanitizer_findings(run.sanitizer, &run.count);
    assert_int_equal(run.count, 1);
    watched_free(&run);
}

/* 30 places store to the same word: the first is found with each of the others. */
TEST(a_report_has_twenty_findings_of_a_check)
{
    char text[4096] = START "addi t0, s2, 1\n";
    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "sw s2, %d(s1)\n", 4 * i);
    strcat(text, END);
    struct watched run = run_with(text, 2, 1, SAM_SCHEDULE_RUN);
    char *report;
    assert_int_equal(run.count, 30);
    must(sam_sanitizer_print(run.sanitizer, NULL, &report, &run.p.error), &run.p.error);
    unsigned shown = 0;
    for (const char *at = report; (at = strstr(at, "race: race in")); at++)
        shown++;
    assert_int_equal(shown, 20);
    assert_non_null(strstr(report, "\nrace: 10 more findings\n"));
    sam_text_free(report);
    watched_free(&run);
}

/* ---------------------------------------------------------------------------------- sync */

TEST(a_barrier_that_a_warp_skips)
{
    expect(START "bnez s2, 1f\nb: endprg\n1: nop\na: barrier 1\n" END, 3, 1,
           SAM_FINDING_BARRIER_SKIPPED, "a", "b");
    expect(START "bnez s2, 1f\na: barrier 1\n1: nop\nb: endprg\n", 3, 1,
           SAM_FINDING_BARRIER_SKIPPED, "a", "b");
    expect_none(START "barrier 1\nbnez s2, 1f\nendprg\n1:" END, 3, 1);
}

TEST(a_barrier_reached_by_some_lanes)
{
    expect(START "lla t0, join\nsetrpc zero, t0, 0\nvmv.v.i v5, 2\nb: vblt v1, v5, join\n"
                 "a: barrier 1\njoin: join\n" END,
           1, 1, SAM_FINDING_BARRIER_MASKED, "a", "b");
}

TEST(setrpc_stands_before_a_branch)
{
    expect(START "lla t0, join\na: setrpc zero, t0, 0\nb: setrpc zero, t0, 0\nvmv.v.i v5, 2\n"
                 "vblt v1, v5, join\njoin: join\n" END,
           1, 1, SAM_FINDING_RPC_UNUSED, "a", "b");
    expect(START "lla t0, b\na: setrpc zero, t0, 0\nb: endprg\n", 1, 1, SAM_FINDING_RPC_UNUSED, "a",
           "b");
    /* a branch that all lanes take uses it, too; one setrpc may serve several branches */
    expect_none(START "lla t0, join\nsetrpc zero, t0, 0\nvbeq v1, v1, join\nvbne v1, v1, join\n"
                      "join: join\n" END,
                1, 1);
}

TEST(paths_meet_at_a_join)
{
    expect(START "lla t0, b\nsetrpc zero, t0, 0\nvmv.v.i v5, 2\na: vblt v1, v5, b\nnop\n"
                 "b: nop\n" END,
           1, 1, SAM_FINDING_JOIN_MISSING, "a", "b");
    expect(START "lla t0, join\nsetrpc zero, t0, 0\nvmv.v.i v5, 2\na: vblt v1, v5, join\n"
                 "b: endprg\njoin: join\n" END,
           1, 1, SAM_FINDING_JOIN_UNREACHED, "a", "b");
    /* the inner region of two */
    expect(START "lla t0, outer\nsetrpc zero, t0, 0\nvmv.v.i v5, 2\nvblt v1, v5, outer\n"
                 "lla t0, inner\nsetrpc zero, t0, 0\nvmv.v.i v5, 3\na: vblt v1, v5, inner\n"
                 "b: endprg\ninner: join\nouter: join\n" END,
           1, 1, SAM_FINDING_JOIN_UNREACHED, "a", "b");
}

/* ----------------------------------------------------------------------------------- API */

TEST(bad_arguments)
{
    struct program p = program_new(END, 4);
    struct sam_session *session = NULL;
    struct sam_sanitizer *sanitizer = sam_sanitizer_new(SAM_SANITIZE_RACE);
    char *text;
    assert_null(sam_sanitizer_new(0));
    assert_null(sam_sanitizer_new(16));
    sam_sanitizer_free(NULL);
    assert_int_equal(sam_sanitizer_checks(sanitizer), SAM_SANITIZE_RACE);
    must_refuse(sam_sanitizer_add_buffer(sanitizer, NULL, &p.error), &p.error, "buffer");
    must_refuse(sam_sanitizer_print(sanitizer, NULL, NULL, &p.error), &p.error, "text");
    must(sam_sanitizer_print(sanitizer, NULL, &text, &p.error), &p.error);
    assert_string_equal(text, "");
    sam_text_free(text);
    p.options = (struct sam_gpu_options){.size = sizeof p.options, .sanitizer = sanitizer};
    must(sam_gpu_set_options(p.gpu, &p.options, &p.error), &p.error);
    must_refuse(sam_session_open(p.gpu, &p.launch, NULL, &session, &p.error), &p.error,
                "sanitizer");
    assert_null(session);
    sam_sanitizer_free(sanitizer);
    program_free(&p);
}
