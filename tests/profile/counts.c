/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of each instruction of small programs, worked out by hand. */

#include "test.h"

#include "profile_rows.h"
#include "samite/profile.h"
#include "samite/session.h"
#include "simt/program.h"
#include "streams.h"

struct expected {
    const char *label; /* of the instruction */
    uint64_t count, lanes, slots, diverged, global_insns, lds_insns, accesses, lines, conflicts;
};

static const struct sam_profile_row *row_of(struct sam_profile *profile, const struct program *p,
                                            const char *label)
{
    size_t count;
    const struct sam_profile_row *rows = sam_profile_rows(profile, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].pc == program_symbol(p, label))
            return &rows[i];
    fail_msg("no row of %s", label);
    return NULL;
}

/* Run in straight-line runs, or step by step. */
static struct program program_with(struct sam_profile *profile, const char *text, uint32_t lanes,
                                   bool stepped)
{
    struct program p = program_new(text, lanes);
    p.options.size = sizeof p.options;
    p.options.profile = profile;
    p.options.log.write = stepped ? test_drop : NULL;
    return p;
}

/* Run with a profile, in straight-line runs and then step by step; both must be as expected. */
static void check(const char *text, uint32_t lanes, uint32_t warps, const struct expected *rows,
                  size_t count)
{
    for (int stepped = 0; stepped < 2; stepped++) {
        struct sam_profile *profile = sam_profile_new();
        struct program p = program_with(profile, text, lanes, stepped);
        p.launch.warps = warps;
        program_pass(&p);
        for (size_t i = 0; i < count; i++) {
            const struct expected *e = &rows[i];
            const struct sam_profile_row *row = row_of(profile, &p, e->label);
            const struct sam_profile_row wanted = {.pc = row->pc,
                                                   .word = row->word,
                                                   .prefix = row->prefix,
                                                   .vector = row->vector,
                                                   .count = e->count,
                                                   .lanes = e->lanes,
                                                   .slots = e->slots,
                                                   .diverged = e->diverged,
                                                   .global_insns = e->global_insns,
                                                   .lds_insns = e->lds_insns,
                                                   .accesses = e->accesses,
                                                   .lines = e->lines,
                                                   .conflicts = e->conflicts};
            uint64_t got, expected;
            const char *field = profile_rows_differ(row, &wanted, &got, &expected);
            if (field)
                fail_msg("%s: %s is %llu, expected %llu%s", e->label, field,
                         (unsigned long long)got, (unsigned long long)expected,
                         stepped ? " (stepped)" : "");
        }
        program_free(&p);
        sam_profile_free(profile);
    }
}

TEST(loops)
{
    static const struct expected rows[] = {
        {"before", 3, 3, 3, 0, 0, 0, 0, 0, 0},
        {"loop", 15, 15, 15, 0, 0, 0, 0, 0, 0},
        {"vector", 15, 96 * 5, 96 * 5, 0, 0, 0, 0, 0, 0},
        {"back", 15, 15, 15, 0, 0, 0, 0, 0, 0},
        {"after", 3, 3, 3, 0, 0, 0, 0, 0, 0},
    };
    check("_start: before: li t0, 5\n"
          "loop: addi t0, t0, -1\n"
          "vector: vadd.vi v1, v1, 1\n"
          "back: bnez t0, loop\n"
          "after: endprg\n",
          32, 3, rows, SAM_COUNT(rows));
}

/* Lanes 0..9 take the branch, 22 do not: the smaller side runs first, then the rest, then all;
 * each set reaches the join. */
TEST(divergence)
{
    static const struct expected rows[] = {
        {"split", 1, 32, 32, 1, 0, 0, 0, 0, 0},  {"few", 1, 10, 32, 0, 0, 0, 0, 0, 0},
        {"many", 1, 22, 32, 0, 0, 0, 0, 0, 0},   {"all", 1, 32, 32, 0, 0, 0, 0, 0, 0},
        {"same", 1, 32, 32, 0, 0, 0, 0, 0, 0}, /* every lane takes it */
        {"masked", 1, 16, 32, 0, 0, 0, 0, 0, 0}, {"meet", 3, 3, 3, 0, 0, 0, 0, 0, 0},
    };
    check("_start: vid.v v1\n"
          "li t1, 10\n"
          "vmv.v.x v2, t1\n"
          "setrpc t0, meet\n"
          "split: vblt v1, v2, few\n"
          "many: vadd.vi v3, v3, 1\n"
          "j meet\n"
          "few: vadd.vi v3, v3, 2\n"
          "meet: join\n"
          "all: vadd.vi v3, v3, 3\n"
          "setrpc t0, end\n"
          "same: vbge v1, v4, end\n"
          "vadd.vi v3, v3, 4\n"
          "end: join\n"
          "vand.vi v0, v1, 1\n"
          "masked: vadd.vi v3, v3, 1, v0.t\n"
          "endprg\n",
          32, 1, rows, SAM_COUNT(rows));
}

TEST(memory)
{
    static const struct expected rows[] = {
        {"row", 1, 32, 32, 0, 1, 0, 32, 2, 0},     /* 128 bytes: two lines */
        {"column", 1, 32, 32, 0, 1, 0, 32, 32, 0}, /* 64 bytes apart */
        {"backwards", 1, 32, 32, 0, 1, 0, 32, 2, 0},
        {"shuffled", 1, 32, 32, 0, 1, 0, 32, 2, 0}, /* lanes 0, 17, 2, 19, ...: shuffled */
        {"one", 1, 32, 32, 0, 1, 0, 32, 1, 0},      /* one address for all */
        {"unit", 1, 32, 32, 0, 1, 0, 32, 3, 0},     /* 128 bytes from 60: three lines */
        {"half", 1, 16, 32, 0, 1, 0, 16, 2, 0},     /* odd lanes */
        {"none", 1, 0, 32, 0, 0, 0, 0, 0, 0},       /* no lane */
        {"local", 1, 32, 32, 0, 0, 1, 32, 0, 0},    /* a word in each bank */
        {"astride", 1, 32, 32, 0, 0, 1, 32, 0, 1},  /* the same in two lines of 128 bytes */
        {"bytes", 1, 32, 32, 0, 0, 1, 32, 0, 3},    /* four of each word */
        {"banks", 1, 32, 32, 0, 0, 1, 32, 0, 1},    /* every other word: two lines */
        {"worst", 1, 32, 32, 0, 0, 1, 32, 0, 31},   /* all in one bank */
        {"padded", 1, 32, 32, 0, 0, 1, 32, 0, 31},  /* in 32 banks of 32 lines */
        {"spread", 1, 32, 32, 0, 0, 1, 32, 0, 31},  /* one word for all */
        {"scalar", 1, 1, 1, 0, 1, 0, 1, 1, 0},
        {"scalar_local", 1, 1, 1, 0, 0, 1, 1, 0, 0},
        {"atomic", 1, 1, 1, 0, 1, 0, 1, 1, 0},
    };
    check("_start: vid.v v1\n"
          "li s0, 0x90000000\n"
          "li s1, 0x70000000\n"
          "vsll.vi v2, v1, 2\n"
          "vadd.vx v3, v2, s0\n"
          "row: vlw12.v v9, 0(v3)\n"
          "vsll.vi v4, v1, 6\n"
          "vadd.vx v4, v4, s0\n"
          "column: vlw12.v v9, 0(v4)\n"
          "vrsub.vi v5, v2, 0\n"
          "addi t0, s0, 124\n"
          "vadd.vx v5, v5, t0\n"
          "backwards: vsw12.v v9, 0(v5)\n"
          "vand.vi v6, v1, 1\n"
          "vsll.vi v6, v6, 4\n"
          "vxor.vv v6, v6, v1\n" /* odd lanes are exchanged with those 16 away */
          "vsll.vi v6, v6, 2\n"
          "vadd.vx v6, v6, s0\n"
          "shuffled: vlw12.v v9, 0(v6)\n"
          "vmv.v.x v7, s0\n"
          "one: vlw12.v v9, 0(v7)\n"
          "addi t1, s0, 60\n"
          "unit: vle32.v v9, (t1)\n"
          "vand.vi v0, v1, 1\n"
          "half: vle32.v v9, (s0), v0.t\n"
          "vmv.v.i v0, 0\n"
          "none: vse32.v v9, (s0), v0.t\n"
          "vadd.vx v8, v2, s1\n"
          "local: vsw12.v v1, 0(v8)\n"
          "astride: vlw12.v v9, 4(v8)\n"
          "bytes: vle8.v v9, (s1)\n"
          "vsll.vi v8, v1, 3\n"
          "vadd.vx v8, v8, s1\n"
          "banks: vlw12.v v9, 0(v8)\n"
          "vsll.vi v8, v1, 7\n"
          "vadd.vx v8, v8, s1\n"
          "worst: vlw12.v v9, 0(v8)\n"
          "li t0, 132\n"
          "vmul.vx v8, v1, t0\n"
          "vadd.vx v8, v8, s1\n"
          "padded: vlw12.v v9, 0(v8)\n"
          "vmv.v.x v8, s1\n"
          "spread: vlw12.v v9, 0(v8)\n"
          "scalar: lw t2, 0(s0)\n"
          "scalar_local: sw t2, 8(s1)\n"
          "atomic: amoadd.w t2, t2, (s0)\n"
          "endprg\n",
          32, 1, rows, SAM_COUNT(rows));
}

/* Random accesses to local memory have as many passes in the profile as in the time model. */
TEST(passes_are_turns)
{
    static const char text[] = "_start: vid.v v1\n"
                               "li s0, 0x90000000\n"
                               "li s1, 0x70000000\n"
                               "li t0, 100\n"
                               "vsll.vi v2, v1, 3\n"
                               "vadd.vx v2, v2, s0\n"
                               "again: vlw12.v v3, 0(v2)\n" /* an address */
                               "vlw12.v v0, 4(v2)\n"        /* a mask */
                               "load: vlw12.v v4, 0(v3)\n"
                               "store: vsw12.v v4, 4(v3)\n"
                               "vsub.vx v5, v3, s1\n"
                               "masked: vluxei32.v v4, (s1), v5, v0.t\n"
                               "vmv.x.s t1, v3\n"
                               "unit: vle32.v v4, (t1)\n"
                               "vadd.vi v2, v2, 8\n"
                               "addi t0, t0, -1\n"
                               "bnez t0, again\n"
                               "endprg\n";
    static const char *const labels[] = {"load", "store", "masked", "unit"};
    uint64_t random = test_seed();
    for (uint32_t lanes = 4; lanes <= 32; lanes *= 2) {
        struct sam_profile *profile = sam_profile_new();
        struct program p = program_with(profile, text, lanes, false);
        struct sam_gpu_timing timing = {.size = sizeof timing};
        const uint64_t spread = 1 + test_below(&random, 4096);
        for (uint32_t i = 0; i < 140; i++) {
            program_set(&p, DATA + 8 * i, 0x70000000 + 4 * (uint32_t)test_below(&random, spread));
            program_set(&p, DATA + 8 * i + 4, (uint32_t)test_random(&random));
        }
        p.options.timing = &timing;
        p.launch.lds_size = 1 << 15;
        program_pass(&p);
        for (size_t i = 0; i < SAM_COUNT(labels); i++) {
            const struct sam_profile_row *row = row_of(profile, &p, labels[i]);
            const struct sam_gputime_row *timed = timing.result.rows;
            while (timed->pc != row->pc)
                timed++;
            if (row->lds_insns + row->conflicts != timed->passes)
                fail_msg("%s of %u lanes: %llu accesses and %llu conflicts, but %llu passes",
                         labels[i], lanes, (unsigned long long)row->lds_insns,
                         (unsigned long long)row->conflicts, (unsigned long long)timed->passes);
        }
        sam_gputime_result_free(&timing.result);
        program_free(&p);
        sam_profile_free(profile);
    }
}

/* A prefix has its own row, and so has the instruction when reached without it. */
TEST(prefixes)
{
    static const char text[] = "_start: li t0, 2\n"
                               "again: regext zero, zero, 1\n"
                               "second: vadd.vi v1, v1, 1\n"
                               "addi t0, t0, -1\n"
                               "bgtz t0, again\n"
                               "beqz t0, second\n"
                               "endprg\n";
    for (int stepped = 0; stepped < 2; stepped++) {
        struct sam_profile *profile = sam_profile_new();
        struct program p = program_with(profile, text, 8, stepped);
        uint64_t found[2] = {0};
        size_t count;
        program_pass(&p);
        assert_int_equal(row_of(profile, &p, "again")->count, 2);
        const struct sam_profile_row *rows = sam_profile_rows(profile, &count);
        for (size_t i = 0; i < count; i++)
            if (rows[i].pc == program_symbol(&p, "second"))
                found[rows[i].prefix != 0] += rows[i].lanes;
        assert_int_equal(found[0], 8); /* once without */
        assert_int_equal(found[1], 16);
        program_free(&p);
        sam_profile_free(profile);
    }
}

/* A trapped instruction has no effect; those before it do. */
TEST(traps)
{
    static const char text[] = "_start: vid.v v1\n"
                               "vsll.vi v2, v1, 2\n"
                               "load: vlw12.v v3, 0(v2)\n"
                               "endprg\n";
    struct sam_profile *profile = sam_profile_new();
    struct program p = program_with(profile, text, 32, false);
    size_t count;
    program_trap(&p, SAM_TRAP_LOAD_FAULT);
    const struct sam_profile_row *rows = sam_profile_rows(profile, &count);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++)
        assert_true(rows[i].count == 1 && rows[i].lanes == 32 && rows[i].accesses == 0);
    /* launches add up */
    program_trap(&p, SAM_TRAP_LOAD_FAULT);
    rows = sam_profile_rows(profile, &count);
    assert_int_equal(count, 2);
    assert_int_equal(rows[0].count, 2);
    program_free(&p);
    sam_profile_free(profile);
}

/* A session adds its counts once, however often it is finished, and whichever caller takes the
 * result. */
TEST(sessions)
{
    struct sam_profile *profile = sam_profile_new();
    struct program p = program_with(profile,
                                    "_start: li t0, 5\n"
                                    "loop: addi t0, t0, -1\n"
                                    "bnez t0, loop\n"
                                    "endprg\n",
                                    8, false);
    struct sam_session *session;
    struct sam_gpu_result result;
    struct sam_step step;
    unsigned before;
    succeeds(sam_gpu_set_options, p.gpu, &p.options);
    succeeds(sam_session_open, p.gpu, &p.launch, NULL, &session);
    succeeds(sam_session_step, session, 0, 0, &step);
    succeeds(sam_session_snapshot, session, &before);
    succeeds(sam_session_finish, session, NULL);
    assert_int_equal(row_of(profile, &p, "loop")->count, 5);
    succeeds(sam_session_finish, session, &result);
    assert_int_equal(result.stats.warp_insns, 12);
    sam_gpu_result_free(&result);
    assert_int_equal(row_of(profile, &p, "_start")->count, 1);
    assert_int_equal(row_of(profile, &p, "loop")->count, 5);
    /* repeated execution is not counted again */
    succeeds(sam_session_restore, session, before);
    succeeds(sam_session_finish, session, NULL);
    assert_int_equal(row_of(profile, &p, "loop")->count, 5);
    sam_session_close(session);
    /* another session adds to it */
    succeeds(sam_session_open, p.gpu, &p.launch, NULL, &session);
    succeeds(sam_session_finish, session, NULL);
    succeeds(sam_session_finish, session, NULL);
    assert_int_equal(row_of(profile, &p, "loop")->count, 10);
    sam_session_close(session);
    program_free(&p);
    sam_profile_free(profile);
}
