/* SPDX-License-Identifier: Apache-2.0 */
/* Lockstep. A second session, stepped in random order, acts as the hardware; its commits are
 * passed on as a hardware model would, either true or with one planted error: each error must be
 * found at its commit, and named. */

#include "test.h"

#include "samite/cosim.h"
#include "simt/program.h"

enum { GROUPS = 3, WARPS = 2, LANES = 8 };

/* Scalar and vector writes, a prefix, a branch that diverges, masks, pairs of nothing, memory,
 * a barrier, a counter. */
static const char text[] = "  csrr s0, wid\n"
                           "  csrr t0, gdx\n"
                           "  slli t0, t0, 1\n"
                           "  add s0, s0, t0\n"
                           "  li s1, 0x90000000\n"
                           "  slli t0, s0, 5\n"
                           "  add s1, s1, t0\n"
                           "  addi x0, s0, 3\n"
                           "  csrr s4, cycle\n"
                           "  vid.v v1\n"
                           "  vmv.v.x v2, s0\n"
                           "  vadd.vv v40, v1, v2\n"
                           "  vadd.vi v3, v40, 5\n"
                           "  vmslt.vx v0, v1, s0\n"
                           "  vadd.vi v4, v1, 7, v0.t\n"
                           "  li t1, 3\n"
                           "  vmv.v.x v5, t1\n"
                           "  la t2, join\n"
                           "  setrpc x0, t2, 0\n"
                           "  vblt v1, v5, low\n"
                           "  vmul.vv v6, v1, v1\n"
                           "  j join\n"
                           "low: vadd.vi v6, v1, 9\n"
                           "join: join\n"
                           "  vsll.vi v7, v1, 2\n"
                           "  vadd.vx v7, v7, s1\n"
                           "  vsw12.v v6, 0(v7)\n"
                           "  barrier 1\n"
                           "  vlw12.v v8, 0(v7)\n"
                           "  sw s0, 1024(s1)\n"
                           "  lw a0, 1024(s1)\n"
                           "  endprg\n";

struct side {
    struct program program;
    struct sam_session *session;
};

static struct side side_new(const char *source)
{
    struct side side = {.program = program_new(source, LANES)};
    side.program.launch.grid[0] = GROUPS;
    side.program.launch.warps = WARPS;
    succeeds(sam_session_open, side.program.gpu, &side.program.launch, NULL, &side.session);
    return side;
}

static void side_free(struct side *side)
{
    sam_session_close(side->session);
    program_free(&side->program);
}

/* A warp of the hardware that can continue; false: all have ended. */
static bool choose(struct sam_session *session, uint64_t *seed, uint32_t *workgroup, uint32_t *warp)
{
    uint32_t found[GROUPS * WARPS], count = 0;
    for (uint32_t i = 0; i < GROUPS * WARPS; i++) {
        struct sam_session_warp state;
        if (sam_session_workgroup_state(session, i / WARPS) == SAM_SESSION_ENDED)
            continue;
        succeeds(sam_session_warp, session, i / WARPS, i % WARPS, &state);
        if (state.state == SAM_WARP_READY)
            found[count++] = i;
    }
    if (!count)
        return false;
    const uint32_t one = found[test_below(seed, count)];
    *workgroup = one / WARPS;
    *warp = one % WARPS;
    return true;
}

static struct sam_cosim_commit commit_of(const struct sam_step *step)
{
    struct sam_cosim_commit commit = {.workgroup = step->workgroup,
                                      .warp = step->warp,
                                      .pc = (uint32_t)step->pc,
                                      .word = step->word,
                                      .write = step->v_count   ? SAM_COSIM_V
                                               : step->x_count ? SAM_COSIM_X
                                                               : SAM_COSIM_NONE,
                                      .index = step->v_count ? step->v : step->x,
                                      .count = step->v_count ? step->v_count : step->x_count};
    for (unsigned i = 0; i < 2; i++) {
        commit.x[i] = (uint32_t)step->x_value[i];
        commit.lanes[i] = step->v_count > i ? step->lanes[i] : 0;
        memcpy(commit.v[i], step->v_value[i], sizeof commit.v[i]);
    }
    return commit;
}

/* The planted error, at commit number `at` or the first later one on which it is visible. */
enum fault {
    NO_FAULT,
    WRONG_PC,
    WRONG_WORD,
    WRONG_X,
    WRONG_X_INDEX,
    WRONG_LANE,
    WRONG_MASK,
    LOST_WRITE,
    EXTRA_WRITE,
    FAULTS
};

/* Plant the error; false: not possible at this commit. */
static bool plant(enum fault fault, struct sam_cosim_commit *commit, char what[64])
{
    const bool x = commit->write == SAM_COSIM_X && commit->index;
    const bool v = commit->write == SAM_COSIM_V && commit->lanes[0];
    switch (fault) {
    case WRONG_PC:
        commit->pc += 4;
        strcpy(what, ": pc\n");
        return true;
    case WRONG_WORD:
        commit->word ^= 0x80;
        strcpy(what, ": instruction word\n");
        return true;
    case WRONG_X:
        commit->x[0] ^= 0x100;
        sprintf(what, ": value of x%u\n", commit->index);
        return x && (commit->word & 0xfff0007f) != 0xc0000073; /* not the counter */
    case WRONG_X_INDEX:
        commit->index ^= 1;
        strcpy(what, ": register written\n");
        return x && commit->index;
    case WRONG_LANE: {
        const int lane = __builtin_ctz(commit->lanes[0] | 1u << 31);
        commit->v[0][lane]++;
        sprintf(what, "v%u[%d]", commit->index, lane);
        return v;
    }
    case WRONG_MASK:
        commit->lanes[0] ^= 1u << 7;
        sprintf(what, ": lanes of v%u\n", commit->index);
        return v && commit->lanes[0];
    case LOST_WRITE:
        commit->write = SAM_COSIM_NONE;
        strcpy(what, "no register");
        return x || v;
    case EXTRA_WRITE:
        strcpy(what, "no register");
        if (x || v)
            return false;
        *commit = (struct sam_cosim_commit){.workgroup = commit->workgroup,
                                            .warp = commit->warp,
                                            .pc = commit->pc,
                                            .word = commit->word,
                                            .write = SAM_COSIM_X,
                                            .index = 9};
        return true;
    default: return false;
    }
}

static void run(enum fault fault, uint64_t at, uint64_t seed)
{
    SCOPED(side) hardware = side_new(text), samite = side_new(text);
    struct sam_cosim *cosim;
    bool same = true, planted = false;
    char what[64] = "";
    uint32_t workgroup, warp;
    uint64_t commits = 0;
    succeeds(sam_cosim_open, samite.session, NULL, &cosim);
    while (same && choose(hardware.session, &seed, &workgroup, &warp)) {
        struct sam_step step;
        succeeds(sam_session_step, hardware.session, workgroup, warp, &step);
        struct sam_cosim_commit commit = commit_of(&step), wrong = commit;
        planted = fault != NO_FAULT && commits >= at && plant(fault, &wrong, what);
        succeeds(sam_cosim_compare, cosim, planted ? &wrong : &commit, &same);
        if (same == planted)
            fail_msg("fault %d at commit %llu: %s", (int)fault, (unsigned long long)commits,
                     sam_cosim_report(cosim));
        commits += same;
    }
    assert_int_equal(sam_cosim_count(cosim), commits);
    succeeds(sam_cosim_finish, cosim, &same);
    assert_int_equal(same, !planted);
    if (!planted) {
        assert_string_equal(sam_cosim_report(cosim), "");
        for (uint32_t i = 0; i < DATA_SIZE / 4; i++)
            assert_int_equal(program_word(&samite.program, DATA + 4 * i),
                             program_word(&hardware.program, DATA + 4 * i));
    } else {
        char place[64];
        sprintf(place, "after %llu commits, workgroup %u warp %u", (unsigned long long)commits,
                workgroup, warp);
        if (!strstr(sam_cosim_report(cosim), what) || !strstr(sam_cosim_report(cosim), place))
            fail_msg("%s and %s expected in\n%s", what, place, sam_cosim_report(cosim));
        const uint64_t time = sam_session_time(samite.session);
        struct sam_cosim_commit next = {.workgroup = workgroup, .warp = warp};
        succeeds(sam_cosim_compare, cosim, &next, &same);
        assert_false(same);
        assert_int_equal(sam_session_time(samite.session), time);
    }
    sam_cosim_close(cosim);
}

TEST(agreement_in_any_order)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 50; i++)
        run(NO_FAULT, 0, test_random(&seed));
}

TEST(every_error_is_named)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 20; i++)
        for (enum fault fault = NO_FAULT + 1; fault < FAULTS; fault++)
            run(fault, test_below(&seed, 120), test_random(&seed));
}

/* Step warp 0 of workgroup 0 until a step of this kind; `step` receives it. */
static void step_until(struct side *side, struct sam_cosim *cosim, uint32_t word_mask,
                       uint32_t word_match, struct sam_step *step)
{
    bool same;
    for (;;) {
        succeeds(sam_session_step, side->session, 0, 0, step);
        if ((step->word & word_mask) == word_match)
            return;
        const struct sam_cosim_commit commit = commit_of(step);
        succeeds(sam_cosim_compare, cosim, &commit, &same);
        if (!same)
            fail_msg("%s", sam_cosim_report(cosim));
    }
}

TEST(the_report)
{
    SCOPED(side) hardware = side_new(text), samite = side_new(text);
    struct sam_cosim *cosim;
    struct sam_step step;
    bool same;
    succeeds(sam_cosim_open, samite.session, &(struct sam_cosim_options){.history = 3}, &cosim);
    /* vid.v v1 */
    step_until(&hardware, cosim, 0xfc0ff07f, 0x5008a057 & 0xfc0ff07f, &step);
    struct sam_cosim_commit commit = commit_of(&step);
    for (unsigned i = 0; i < LANES; i++)
        commit.v[0][i] = 100 + i;
    succeeds(sam_cosim_compare, cosim, &commit, &same);
    assert_false(same);
    assert_string_equal(
        sam_cosim_report(cosim),
        "difference after 9 commits, workgroup 0 warp 0: value of v1\n"
        "            hardware                       Samite\n"
        "  pc        80000024                       80000024\n"
        "  word      5208a0d7                       5208a0d7 vid.v v1\n"
        "  v1[0]     00000064                       00000000\n"
        "  v1[1]     00000065                       00000001\n"
        "  v1[2]     00000066                       00000002\n"
        "  v1[3]     00000067                       00000003\n"
        "  v1[4]     00000068                       00000004\n"
        "  v1[5]     00000069                       00000005\n"
        "  v1[6]     0000006a                       00000006\n"
        "  v1[7]     0000006b                       00000007\n"
        "the last commits of workgroup 0 warp 0:\n"
        "  80000018 005484b3 add s1, s1, t0                           x9=90000000\n"
        "  8000001c 00340013 addi zero, s0, 3\n"
        "  80000020 c0002a73 csrr s4, cycle                           x20=00000008\n");
    sam_cosim_close(cosim);
}

/* The hardware has its own clock: Samite continues with the hardware's value, unless disabled. */
TEST(counters)
{
    for (int strict = 0; strict < 2; strict++) {
        SCOPED(side) hardware = side_new(text), samite = side_new(text);
        struct sam_cosim *cosim;
        struct sam_step step;
        bool same;
        succeeds(sam_cosim_open, samite.session,
                 &(struct sam_cosim_options){.strict_counters = strict}, &cosim);
        step_until(&hardware, cosim, 0xfff0007f, 0xc0000073, &step);
        struct sam_cosim_commit commit = commit_of(&step);
        commit.x[0] = 123456;
        succeeds(sam_cosim_compare, cosim, &commit, &same);
        assert_int_equal(same, !strict);
        uint64_t value;
        succeeds(sam_session_x, samite.session, 0, 0, 20, &value);
        assert_int_equal(value, strict ? step.x_value[0] : 123456);
        sam_cosim_close(cosim);
    }
}

/* Hardware that fuses a prefix with its instruction reports one commit for both. */
TEST(prefixes_unreported)
{
    SCOPED(side) hardware = side_new(text), samite = side_new(text);
    struct sam_cosim *cosim;
    struct sam_step step;
    uint64_t seed = test_seed();
    uint32_t workgroup, warp;
    unsigned prefixes = 0;
    bool same;
    succeeds(sam_cosim_open, samite.session, &(struct sam_cosim_options){.silent_prefixes = true},
             &cosim);
    while (choose(hardware.session, &seed, &workgroup, &warp)) {
        succeeds(sam_session_step, hardware.session, workgroup, warp, &step);
        if (step.kind == SAM_STEP_PREFIX) {
            prefixes++;
            continue;
        }
        const struct sam_cosim_commit commit = commit_of(&step);
        succeeds(sam_cosim_compare, cosim, &commit, &same);
        if (!same)
            fail_msg("%s", sam_cosim_report(cosim));
    }
    assert_int_equal(prefixes, 2 * GROUPS * WARPS);
    succeeds(sam_cosim_finish, cosim, &same);
    assert_true(same);
    sam_cosim_close(cosim);
}

/* Samite fails or is behind: both are reported as differences. */
TEST(ends)
{
    SCOPED(side) samite = side_new("  li a0, 64\n  lw a1, 0(a0)\n  endprg\n");
    struct sam_cosim *cosim;
    struct sam_cosim_commit commit = {.pc = SAM_CODE_BASE, .write = SAM_COSIM_UNKNOWN};
    bool same;
    succeeds(sam_cosim_open, samite.session, NULL, &cosim);
    succeeds(sam_cosim_compare, cosim, &commit, &same);
    assert_true(same);
    commit.pc += 4;
    succeeds(sam_cosim_compare, cosim, &commit, &same);
    assert_false(same);
    assert_non_null(strstr(sam_cosim_report(cosim), "Samite traps"));
    if (!strstr(sam_cosim_report(cosim), "0x00000040"))
        fail_msg("%s", sam_cosim_report(cosim));
    sam_cosim_close(cosim);

    succeeds(sam_cosim_open, samite.session, NULL, &cosim);
    succeeds(sam_cosim_finish, cosim, &same);
    assert_false(same);
    assert_non_null(strstr(sam_cosim_report(cosim), "Samite has not ended"));
    assert_non_null(strstr(sam_cosim_report(cosim), "is at pc 80000004"));
    sam_cosim_close(cosim);

    succeeds(sam_cosim_open, samite.session, NULL, &cosim);
    commit = (struct sam_cosim_commit){.workgroup = GROUPS, .warp = WARPS};
    succeeds(sam_cosim_compare, cosim, &commit, &same);
    assert_false(same);
    assert_non_null(strstr(sam_cosim_report(cosim), "Samite cannot continue"));
    sam_cosim_close(cosim);
}

TEST(wrong_arguments)
{
    SCOPED(side) samite = side_new("  endprg\n");
    struct sam_cosim *cosim = NULL;
    struct sam_error error;
    bool same = true;
    assert_int_equal(sam_cosim_open(NULL, NULL, &cosim, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_cosim_open(samite.session, NULL, NULL, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_cosim_open(samite.session,
                                    &(struct sam_cosim_options){.history = 1u << 30}, &cosim,
                                    &error),
                     SAM_ERR_USAGE);
    assert_null(cosim);
    succeeds(sam_cosim_open, samite.session, NULL, &cosim);
    const struct sam_cosim_commit many = {.count = 3}, strange = {.write = (enum sam_cosim_write)9};
    assert_int_equal(sam_cosim_compare(cosim, &many, &same, &error), SAM_ERR_USAGE);
    assert_false(same);
    assert_int_equal(sam_cosim_compare(cosim, &strange, &same, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_cosim_compare(cosim, NULL, &same, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_cosim_compare(NULL, &many, NULL, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_cosim_finish(NULL, &same, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_session_time(samite.session), 0);
    assert_string_equal(sam_cosim_report(cosim), "");
    assert_string_equal(sam_cosim_report(NULL), "");
    assert_int_equal(sam_cosim_count(NULL), 0);
    sam_cosim_close(cosim);
    sam_cosim_close(NULL);
}
