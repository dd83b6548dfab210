/* SPDX-License-Identifier: Apache-2.0 */
/* docs/ventus-rulings.md, 2.14, 2.15 and chapter 3: barriers, the end, the SIMT stack. Values by
 * hand. */
#include <stdio.h>

#include "test.h"

#include "program.h"

#define BEGIN "li x31, 0x90000000\n"
#define END   "endprg x0, x0, x0\n"

TEST(ruling_2_14_barrier_waits_for_all_warps)
{
    /* Each warp writes its LDS word, waits, and adds up all of them. The scope says nothing. */
    static const unsigned scopes[] = {0, 1, 8, 31};
    for (unsigned i = 0; i < 4; i++) {
        char text[512];
        snprintf(text, sizeof(text),
                 BEGIN "csrr x5, wid\nslli x6, x5, 2\ncsrr x7, lds\nadd x7, x7, x6\n"
                       "addi x8, x5, 1\nsw x8, 0(x7)\n"
                       "barrier x0, x0, %u\n"
                       "csrr x7, lds\nlw x9, 0(x7)\nlw x10, 4(x7)\nadd x9, x9, x10\n"
                       "lw x10, 8(x7)\nadd x9, x9, x10\nlw x10, 12(x7)\nadd x9, x9, x10\n"
                       "add x31, x31, x6\nsw x9, 0(x31)\n" END,
                 scopes[i]);
        struct program p = program_new(text, 4);
        p.launch.warps = 4;
        p.options.schedule = i & 1 ? SAM_SCHEDULE_RR1 : SAM_SCHEDULE_RUN;
        program_pass(&p);
        EXPECT_WORDS(&p, DATA, 10, 10, 10, 10);
        program_free(&p);
    }
}

TEST(ruling_2_14_ended_warps_do_not_count)
{
    struct program p = program_new(BEGIN "csrr x5, wid\nli x6, 1\nbeq x5, x6, out\n"
                                         "barrier x0, x0, 0\n"
                                         "slli x5, x5, 2\nadd x31, x31, x5\nsw x6, 0(x31)\n"
                                         "out: " END,
                                   4);
    p.launch.warps = 3;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 1, 0, 1);
    program_free(&p);
}

TEST(ruling_2_14_a_barrier_that_some_lanes_reach)
{
    struct program p = program_new("vid.v v1\nvmv.v.i v2, 1\nla x5, join\nsetrpc x0, x5, 0\n"
                                   "vbge v1, v2, join\n" /* lane 0 goes on, first */
                                   "bad: barrier x0, x0, 0\n"
                                   "join: join zero, zero, 0\n" END,
                                   4);
    program_trap(&p, SAM_TRAP_BARRIER_DIVERGED);
    assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
    assert_int_equal(p.result.trap.lanes, 1);
    program_free(&p);
}

TEST(ruling_2_14_warps_that_wait_elsewhere)
{
    struct program p = program_new("csrr x5, wid\nbnez x5, other\n"
                                   "first: barrier x0, x0, 0\nendprg x0, x0, x0\n"
                                   "other: barrier x0, x0, 0\n" END,
                                   4);
    p.launch.warps = 2;
    program_trap(&p, SAM_TRAP_DEADLOCK);
    program_free(&p);
}

TEST(ruling_2_14_barriersub_does_not_wait)
{
    struct program p = program_new(BEGIN "csrr x5, wid\nbnez x5, out\nbarriersub x0, x0, 7\n"
                                         "li x6, 1\nsw x6, 0(x31)\nout: " END,
                                   4);
    p.launch.warps = 2;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 1);
    program_free(&p);
}

TEST(ruling_2_15_endprg_on_a_divergent_path)
{
    struct program p = program_new("vid.v v1\nvmv.v.i v2, 3\nla x5, join\nsetrpc x0, x5, 0\n"
                                   "vbge v1, v2, join\n" /* lane 3 first, then the others */
                                   "bad: endprg x0, x0, x0\n"
                                   "join: join zero, zero, 0\n" END,
                                   4);
    program_trap(&p, SAM_TRAP_ENDPRG_DIVERGED);
    assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
    assert_int_equal(p.result.trap.lanes, 7);
    program_free(&p);
}

/* Register n + 1 would send the lanes the other way, and has no product. Lanes 3 and up have no
 * element below vl, but branch. */
TEST(ruling_2_18_branches_and_tile_products_under_lmul_2)
{
    struct program p = program_new(BEGIN "vid.v v3\nvmv.v.i v4, 0\nvmv.v.i v5, 2\n"
                                         "vmv.v.i v8, 0\nla x5, join\nsetrpc x0, x5, 0\n"
                                         "vsetivli x0, 3, e32, m2, ta, ma\n"
                                         "vbge v3, v5, join\n" /* lanes 2 and 3 */
                                         "vsetivli x0, 4, e32, m1, ta, ma\nvadd.vi v8, v8, 7\n"
                                         "join: join zero, zero, 0\n"
                                         "vsetivli x0, 4, e32, m1, ta, ma\nvse32.v v8, (x31)\n"
                                         /* {{1, 2}, {3, 4}} by itself, 0.5 beyond */
                                         "vid.v v10\nvadd.vi v10, v10, 1\nvfcvt.f.x.v v10, v10\n"
                                         "vmv.v.v v11, v10\nli x6, 0x3f000000\n"
                                         "vmv.v.x v12, x6\nvmv.v.v v13, v12\n"
                                         "vsetivli x0, 3, e32, m2, ta, ma\n"
                                         "vftta.vv v12, v10, v10\n"
                                         "vsetivli x0, 4, e32, m1, ta, ma\n"
                                         "addi x31, x31, 16\nvse32.v v12, (x31)\n"
                                         "addi x31, x31, 16\nvse32.v v13, (x31)\n"
                                         "vsetivli x0, 8, e32, m2, ta, ma\n"
                                         "bad: vftta.vv v12, v11, v10\n" END,
                                   4);
    program_trap(&p, SAM_TRAP_ILLEGAL);
    assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
    EXPECT_WORDS(&p, DATA, 7, 7, 0, 0);
    /* 1 + 4, 3 + 8, 3 + 8, and 0.5 each */
    EXPECT_WORDS(&p, DATA + 16, 0x40b00000, 0x41380000, 0x41380000, 0x3f000000);
    EXPECT_WORDS(&p, DATA + 32, 0x3f000000, 0x3f000000, 0x3f000000, 0x3f000000);
    program_free(&p);
}

TEST(ruling_3_1_setrpc_writes_both)
{
    struct program p = program_new(BEGIN "li x5, 0x80001000\nsetrpc x6, x5, -8\n"
                                         "sw x6, 0(x31)\ncsrr x7, rpc\nsw x7, 4(x31)\n"
                                         "setrpc x0, x5, 2047\ncsrr x7, rpc\nsw x7, 8(x31)\n"
                                         "csrw rpc, x31\ncsrr x7, rpc\nsw x7, 12(x31)\n" END,
                                   4);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0x80000ff8, 0x80000ff8, 0x800017ff, DATA);
    program_free(&p);
}

TEST(ruling_3_1_nothing_saves_rpc)
{
    struct program p = program_new(BEGIN "vid.v v1\nvmv.v.i v2, 2\n"
                                         "la x5, join\nsetrpc x0, x5, 0\n"
                                         "vblt v1, v2, join\n"
                                         "li x6, 0x1234\nsetrpc x0, x6, 0\n"
                                         "join: join zero, zero, 0\n"
                                         "csrr x7, rpc\nsw x7, 0(x31)\n" END,
                                   4);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0x1234);
    program_free(&p);
}

/* A branch whose paths log 1 (not taken) and 2 (taken) in the order in which they run. */
static void order(unsigned taken_lanes, uint32_t first, uint32_t second)
{
    char text[512];
    snprintf(text, sizeof(text),
             BEGIN "vid.v v1\nvmv.v.i v2, %u\nla x5, join\nsetrpc x0, x5, 0\n"
                   "vblt v1, v2, else\n"
                   "li x6, 1\nsw x6, 0(x31)\naddi x31, x31, 4\nj join\n"
                   "else: li x6, 2\nsw x6, 0(x31)\naddi x31, x31, 4\n"
                   "join: join zero, zero, 0\n" END,
             taken_lanes);
    struct program p = program_new(text, 4);
    if (first == 0 || second == 0)
        p.options.simt_stack_limit = 1; /* nothing is pushed */
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, first, second, 0);
    program_free(&p);
}

TEST(ruling_3_2_fewer_lanes_first)
{
    order(0, 1, 0);
    order(1, 2, 1);
    order(2, 2, 1); /* a tie: the taken path */
    order(3, 1, 2);
    order(4, 2, 0);
}

TEST(ruling_3_3_join_runs_three_times)
{
    /* 4 before (la is two), the branch; 1 and a jump; 1; three joins; the end */
    struct program p = program_new("vid.v v1\nvmv.v.i v2, 2\nla x5, join\nsetrpc x0, x5, 0\n"
                                   "vblt v1, v2, else\n"
                                   "nop\nj join\n"
                                   "else: nop\n"
                                   "join: join zero, zero, 0\n" END,
                                   4);
    program_pass(&p);
    assert_int_equal(p.result.stats.warp_insns, 5 + 1 + 2 + 1 + 3 + 1);
    program_free(&p);
}

TEST(ruling_3_3_join_elsewhere_does_nothing)
{
    struct program p = program_new(BEGIN "join zero, zero, 0\n" /* an empty stack */
                                         "vid.v v1\nvmv.v.i v2, 1\nvmv.v.i v3, 0\n"
                                         "la x5, join\nsetrpc x0, x5, 0\n"
                                         "vbge v1, v2, join\n" /* lane 0 first */
                                         "vadd12.vi v3, v3, 1\n"
                                         "join zero, zero, 0\n" /* pc is not rpc */
                                         "vadd12.vi v3, v3, 1\n"
                                         "join: join zero, zero, 0\n"
                                         "vadd12.vi v3, v3, 4\n"
                                         "vse32.v v3, (x31)\n" END,
                                   4);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 6, 4, 4, 4);
    program_free(&p);
}

TEST(ruling_3_3_a_loop_leaves_an_entry_a_divergent_turn)
{
    /* Lane i turns i times. Exits: {0}, {1} and {2} diverge, {3} does not. After the third there
     * are the entries of three turns and the path of lane 3. */
    struct program p = program_new(BEGIN "vid.v v1\nvmv.v.i v2, 0\nvmv.v.i v3, 0\n"
                                         "loop: la x5, join\nsetrpc x0, x5, 0\n"
                                         "vbge v2, v1, join\n"
                                         "vadd12.vi v3, v3, 10\nvadd12.vi v1, v1, -1\n"
                                         "j loop\n"
                                         "join: join zero, zero, 0\n"
                                         "vse32.v v3, (x31)\n" END,
                                   4);
    p.options.collect_stats = true;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0, 10, 20, 30);
    assert_int_equal(p.result.stats.simt_depth, 4);
    program_free(&p);
}

TEST(ruling_3_4_overflow_of_the_stack)
{
    static const char text[] = "vid.v v1\nvmv.v.i v2, 2\nvmv.v.i v3, 1\n"
                               "la x5, outer\nsetrpc x0, x5, 0\nvblt v1, v2, outer\n"
                               "vadd12.vi v1, v1, -2\n" /* lanes 2 and 3 hold 0 and 1 */
                               "la x5, inner\nsetrpc x0, x5, 0\nbad: vblt v1, v3, inner\n"
                               "inner: join zero, zero, 0\n"
                               "outer: join zero, zero, 0\n" END;
    struct program p = program_new(text, 4);
    p.options.simt_stack_limit = 4;
    program_pass(&p);
    p.options.simt_stack_limit = 2;
    program_trap(&p, SAM_TRAP_STACK_OVERFLOW);
    assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
    assert_int_equal(p.result.trap.lanes, 0xc);
    program_free(&p);
}
