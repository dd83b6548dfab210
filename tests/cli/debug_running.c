/* SPDX-License-Identifier: Apache-2.0 */
/* Stepping, stopping and going back in a launch whose lanes diverge, whose warps meet at a
 * barrier, and that calls a function. Lane values are worked out by hand: lane i of v1 is i; v3
 * is i + 10 below lane 2 and i + 5 from there on, then doubled; warp w stores it at 16 w. */
#include "cli/debugger_test.h"

static const char kernel[] = ".global k\n"               /* line 1 */
                             "k:\n"                      /* 2 */
                             "    lw t0, 0(a0)\n"        /* 3 */
                             "    vid.v v1\n"            /* 4 */
                             "    li t1, 2\n"            /* 5 */
                             "    vmv.v.x v2, t1\n"      /* 6 */
                             "    setrpc t2, .Ljoin\n"   /* 7: two instructions */
                             "    vbgeu v1, v2, .Lbig\n" /* 8 */
                             "    vadd.vi v3, v1, 10\n"  /* 9 */
                             "    j .Ljoin\n"            /* 10 */
                             ".Lbig:\n"                  /* 11 */
                             "    vadd.vi v3, v1, 5\n"   /* 12 */
                             ".Ljoin:\n"                 /* 13 */
                             "    join\n"                /* 14 */
                             "    barrier 1\n"           /* 15 */
                             "    mv s1, ra\n"           /* 16 */
                             "    call twice\n"          /* 17 */
                             "    mv ra, s1\n"           /* 18 */
                             "    csrr t3, wid\n"        /* 19 */
                             "    slli t3, t3, 4\n"      /* 20 */
                             "    add t3, t3, t0\n"      /* 21 */
                             "    vsll.vi v4, v1, 2\n"   /* 22 */
                             "    vadd.vx v4, v4, t3\n"  /* 23 */
                             "    vsw12.v v3, 0(v4)\n"   /* 24 */
                             "    ret\n"                 /* 25 */
                             "twice:\n"                  /* 26 */
                             "    vadd.vv v3, v3, v3\n"  /* 27 */
                             "    ret\n";                /* 28 */

FIXTURE(setup)
{
    begin(kernel);
    return 0;
}

FIXTURE(setup_hart)
{
    begin_hart("_start: li a0, 3\n"     /* 1 */
               "    call f\n"           /* 2 */
               "    li a7, 93\n"        /* 3 */
               "    ecall\n"            /* 4 */
               "f:  addi sp, sp, -16\n" /* 5 */
               "    sd ra, 8(sp)\n"     /* 6 */
               "    call g\n"           /* 7 */
               "    addi a0, a0, 1\n"   /* 8 */
               "    ld ra, 8(sp)\n"     /* 9 */
               "    addi sp, sp, 16\n"  /* 10 */
               "    ret\n"              /* 11 */
               "g:  addi a0, a0, 1\n"   /* 12 */
               "    ret\n"              /* 13 */
               "    .data\n"            /* 14 */
               "word: .word 7\n");      /* 15 */
    return 0;
}

FIXTURE(teardown)
{
    finish();
    return 0;
}

TEST(diverges, .setup_func = setup, .teardown_func = teardown)
{
    shows("break k", "Breakpoint 1 at 0x8000002c: k at k.s:3\n");
    prints("continue", "Breakpoint 1, k at k.s:3\n3\t    lw t0, 0(a0)\n");
    prints("next 5", "8\t    vbgeu v1, v2, .Lbig\n");
    prints("step", "[active lanes 0x0000000c, SIMT stack 2 deep]\n12\t    vadd.vi v3, v1, 5\n");
    prints("stack", "      lanes       at\n"
                    "now   0x0000000c  k+0x24 at k.s:12\n"
                    "1     0x00000003  k+0x1c at k.s:9, until the join k+0x28 at k.s:14\n"
                    "0     0x0000000f  k+0x28 at k.s:14\n");
    prints("info lanes", "=> 0-1    waits for its turn at k+0x1c at k.s:9\n"
                         "   2-3    active at k+0x24 at k.s:12\n");
    prints("lane 3", "lane 3, active\n");
    prints("lane 0", "lane 0, not active\n");
    prints("step 2", "[active lanes 0x00000003, SIMT stack 1 deep]\n9\t    vadd.vi v3, v1, 10\n");
    prints("print v3", "$1 = {\n  [ 0]   0   0 (7) (8)\n}\n");
    prints("print any(v3 == 7)", "$2 = 0\n");
    prints("reconverge", "[all lanes are active]\n14\t    join\n");
    refused("reconverge", "the SIMT stack is empty");
    prints("p v3", "$3 = {\n  [ 0] 10 11  7  8\n}\n");
}

/* A step onto a barrier runs the other warps until it releases this one. */
TEST(waits_at_barriers, .setup_func = setup, .teardown_func = teardown)
{
    shows("until k.s:15", "15\t    barrier 1\n");
    shows("info warps", "       1  ready  0x0000000f      0             0  _start");
    prints("step", "16\t    mv s1, ra\n");
    shows("info warps", "       1  ready  0x0000000f      0            24  k+0x30 at k.s:16");
    prints("warp 1", "[workgroup 0 warp 1]\nk+0x30 at k.s:16\n16\t    mv s1, ra\n");
    shows("warp", "workgroup 0 warp 1 lane 0");
    /* Another workgroup: stepping its warp to the barrier starts and runs the other workgroups,
     * and stops at their breakpoints. */
    shows("workgroup 1", "[workgroup 1 warp 0]\n_start");
    output("break k.s:12 warp 1");
    shows("until 16", "[workgroup 1 warp 1]\n[active lanes 0x0000000c, SIMT stack 2 deep]\n"
                      "Breakpoint 1, k+0x24 at k.s:12\n12\t");
    shows("release", "[all lanes are active]\nk+0x30 at k.s:16\n");
    output("delete");
    shows("scope workgroup", "continue runs the workgroup");
    shows("continue", "[workgroup 1 warp 1 has ended]");
    refused("stepi", "workgroup 1 warp 1 has ended: expected another (warp W), or continue");
    shows("scope all", "all workgroups");
    shows("continue", "[launch 0 (k) has ended after 152 instructions]\n");
    refused("continue", "everything has ended");
    refused("stepi", "everything has ended");
    shows("info launch", "152 instructions have run; everything has ended");
}

TEST(calls, .setup_func = setup, .teardown_func = teardown)
{
    output("tbreak twice warp 1");
    shows("continue", "[workgroup 0 warp 1]\nTemporary breakpoint 1, twice at k.s:27\n");
    prints("info breakpoints", "no breakpoints or watchpoints\n");
    prints("bt", "#0  0x80000088 in twice at k.s:27\n#1  0x80000064 in k+0x38 at k.s:17\n");
    prints("finish", "18\t    mv ra, s1\n");
    prints("print v3", "$1 = {\n  [ 0] 20 22 14 16\n}\n");
    prints("bt", "#0  0x80000068 in k+0x3c at k.s:18\n");
    prints("rstep", "28\t    ret\n");
    prints("rstep", "27\t    vadd.vv v3, v3, v3\n");
    prints("rstep", "17\t    call twice\n");
    prints("next", "18\t    mv ra, s1\n");
    prints("rstepi 2", "27\t    vadd.vv v3, v3, v3\n");
    prints("rstepi", "0x80000064\t17\t    call twice\n");
    prints("stepi", "27\t    vadd.vv v3, v3, v3\n");
    prints("nexti", "28\t    ret\n");
}

TEST(watches, .setup_func = setup, .teardown_func = teardown)
{
    prints("watch 0x90000004", "Watchpoint 1: stores of 4 bytes at 0x90000004\n");
    prints("run",
           "Watchpoint 1: 0x90000004\n"
           "store of 4 bytes at 0x90000004 by workgroup 0 warp 0 lane 1 at k+0x54 at k.s:24\n"
           "Old value = 0 (0x00000000)\nNew value = 22 (0x00000016)\n"
           "k+0x58 at k.s:25\n25\t    ret\n");
    prints("x/8dw 0x90000000", "0x90000000:\t20\t22\t14\t16\n0x90000010:\t0\t0\t0\t0\n");
    prints("rstepi", "24\t    vsw12.v v3, 0(v4)\n");
    prints("x/2dw 0x90000000", "0x90000000:\t0\t0\n");
    shows("continue", "by workgroup 0 warp 0 lane 1");
    shows("continue", "by workgroup 1 warp 0 lane 1");
    shows("continue", "has ended");
    shows("rcontinue", "by workgroup 1 warp 0 lane 1");
    shows("rcontinue", "by workgroup 0 warp 0 lane 1");
    shows("rcontinue", "[the beginning of what is recorded]\n");
    prints("p $time", "$1 = 0\n");
    shows("info watchpoints", "1    watch       yes      0x90000004     3  0x90000004 (4 bytes)");
    output("delete 1");
    shows("rwatch *(char *)0x90000010", "loads of 1 byte at 0x90000010");
    shows("awatch ((int *)0x90000010)[1]", "loads and stores of 4 bytes at 0x90000014");
    shows("run", "store of 4 bytes at 0x90000014 by workgroup 0 warp 1 lane 1");
}

TEST(conditions, .setup_func = setup, .teardown_func = teardown)
{
    output("break k.s:27 if v3[3] == 8 && $warp == 1");
    shows("continue", "[workgroup 0 warp 1]\nBreakpoint 1, twice");
    shows("continue", "[workgroup 1 warp 1]\nBreakpoint 1, twice");
    shows("info breakpoints", "twice at k.s:27 if v3[3] == 8 && $warp == 1");
    output("condition 1 v3[3] == 9");
    shows("continue", "has ended");
    output("condition 1");
    output("ignore 1 2");
    shows("run", "[workgroup 1 warp 0]\nBreakpoint 1");
    output("disable 1");
    shows("info b", "no     ");
    shows("continue", "has ended");
    output("enable");
    /* An error in a condition stops the run and is reported. */
    output("condition 1 *(int *)v3[0] == 0");
    shows("run", "[the condition of 1: ");
    output("condition 1 1 / (v1[0] * 0)");
    shows("continue", "[the condition of 1: division by zero]");
    output("delete");
    /* Lanes: stops only where the lane is active. */
    output("break k.s:9 lane 1 warp 0");
    output("break k.s:12 lane 1");
    shows("run", "[workgroup 0 warp 0]\n");
    shows("info lanes", "=> 0-1    active at k+0x1c at k.s:9");
    prints("p $lane", "$1 = 1\n");
    shows("continue 2", "has ended");
}

/* A step onto a breakpoint counts as reaching it; the next run does not stop there again. */
TEST(steps_onto_breakpoints, .setup_func = setup, .teardown_func = teardown)
{
    output("tbreak k");
    output("continue");
    output("break 4");
    output("break 5 if v1[0] == 1");
    prints("step", "Breakpoint 2, k+0x4 at k.s:4\n4\t    vid.v v1\n");
    prints("step", "5\t    li t1, 2\n");
    shows("info breakpoints", "2    breakpoint  yes      0x80000030     1");
    shows("info breakpoints", "3    breakpoint  yes      0x80000034     0");
    output("tbreak 6");
    prints("stepi", "Temporary breakpoint 4, k+0xc at k.s:6\n6\t    vmv.v.x v2, t1\n");
    output("delete 3");
    output("break 7");
    prints("next", "Breakpoint 5, k+0x10 at k.s:7\n7\t    setrpc t2, .Ljoin\n");
    prints("rstepi", "6\t    vmv.v.x v2, t1\n");
    shows("continue", "Breakpoint 5, k+0x10 at k.s:7\n");
    output("delete 2");
    shows("continue", "[workgroup 0 warp 1]\nBreakpoint 5");
    prints("rcontinue", "[workgroup 0 warp 0]\nBreakpoint 5, k+0x10 at k.s:7\n"
                        "7\t    setrpc t2, .Ljoin\n");
    shows("continue", "[workgroup 0 warp 1]\nBreakpoint 5");
}

TEST(time_travel, .setup_func = setup, .teardown_func = teardown)
{
    shows("record", "recorded from time 0 on, now 0");
    output("stepi 11");
    prints("p $time", "$1 = 11\n");
    shows("snapshot", "at time 11");
    output("stepi 4");
    output("restore 1");
    prints("p $time", "$2 = 11\n");
    output("stepi 4");
    shows("goto 5", "_start");
    prints("p $time", "$3 = 5\n");
    output("goto 15");
    refused("goto 99", "99");
    refused("goto", "expected a time, now 15");
    refused("restore 1", "no snapshot 1"); /* it went back to before the breakpoint */
    refused("restore 0", "no snapshot 0");
    refused("restore 77", "no snapshot 77");
    shows("rstepi 100", "[the beginning]\n");
    shows("rstep", "[the beginning]\n");
    /* A change and its consequence; then a restart without the change. */
    output("break k.s:12");
    output("continue");
    output("set v1[3] = 100");
    prints("step", "14\t    join\n");
    prints("p v3[3]", "$4 = 105\n");
    output("run");
    prints("step", "14\t    join\n");
    prints("p v3[3]", "$5 = 8\n");
}

TEST(changes, .setup_func = setup, .teardown_func = teardown)
{
    output("break k.s:8");
    output("continue");
    output("set v1 = 1");
    prints("p v1", "$1 = 1 in all 4 lanes\n");
    output("set v1[2] = v1[2] + 6");
    prints("p v1", "$2 = {\n  [ 0] 1 1 7 1\n}\n");
    output("set $mine = v1");
    output("set v2 = $mine * 2");
    prints("p v2[2]", "$3 = 14\n");
    output("set t3 = -1");
    prints("p/x x28", "$4 = 0xffffffff\n");
    output("set *(short *)0x90000002 = 0x1234");
    prints("x/1xw 0x90000000", "0x90000000:\t0x12340000\n");
    output("set var *(float *)0x90000004 = 1.5");
    prints("p *(float *)0x90000004", "$5 = 1.5\n");
    /* Registers have no type: floats are recognized, and stored with their bits. */
    output("set v3 = 0");
    output("set v3[1] = 1.5");
    output("set t4 = -0.25f");
    shows("info registers v3", "v3 = float {\n  [ 0]   0 1.5   0   0\n}\n");
    shows("info registers t4", "0xbe800000         -1098907648 (float -0.25)\n");
    output("set v3[2] = 7");
    prints("info registers v3", "v3 = {\n  [ 0]        0x0 0x3fc00000        0x7        0x0\n}\n");
    shows("info registers v", "v3 = {\n");
    prints("info registers t3", "t3             0xffffffff         -1\n");
    output("set frm = 2");
    prints("p frm", "$6 = 2\n");
    output("set mask = 3");
    prints("p mask", "$7 = 3\n");
    output("set pc = twice");
    prints("p pc", "$8 = 0x80000088 <twice>\n");
    output("set $n = 1.5f");
    prints("p $n * 2", "$9 = 3\n");
    prints("p $9 + 1", "$10 = 4\n");
    prints("p $ + 1", "$11 = 5\n");
    prints("p $$ + 1", "$12 = 5\n");
    prints("display/x t3", "1: t3 = 0xffffffff\n");
    prints("display/2i $pc", "2: x/2i $pc\n"
                             "=> 0x80000088 <twice>:\tvadd.vv v3, v3, v3\n"
                             "   0x8000008c <twice+0x4>:\tret\n");
    prints("info display", "1: /x t3\n2: /2i $pc\n");
    output("undisplay 2");
    shows("stepi", "1: t3 = 0xffffffff\n");
    output("undisplay");
    prints("info display", "no displays\n");
}

TEST(traps, .setup_func = setup, .teardown_func = teardown)
{
    output("break k.s:24 warp 1");
    output("continue");
    output("set v4[2] = 0x12345678");
    shows("continue", "store to 0x12345678");
    assert_int_equal(debugger->state, DEBUG_TRAPPED);
    shows("info launch", "it has failed");
    prints("p v4[2] == 0x12345678", "$1 = 1\n");
    output("set v4[2] = 0x90000018");
    shows("continue", "[workgroup 1 warp 1]\nBreakpoint 1");
    assert_int_equal(debugger->state, DEBUG_LIVE);
    shows("continue", "has ended");
    prints("x/1dw 0x90000018", "0x90000018:\t14\n");
}

TEST(shows_code, .setup_func = setup, .teardown_func = teardown)
{
    shows("list k", "   1\t.global k\n");
    shows("list", "   11\t.Lbig:\n");
    shows("list -", "   1\t.global k\n");
    prints("list 27,28", "   27\t    vadd.vv v3, v3, v3\n   28\t    ret\n");
    prints("info line k.s:7", "line 7 of k.s: 0x8000003c to 0x80000043\n");
    prints("info symbol 0x80000030", "0x80000030 is k+0x4 at k.s:4\n");
    output("tbreak 27");
    output("continue");
    shows("disassemble", "   0x80000084 <k+0x58>:\tret\n"
                         "=> 0x80000088 <twice>:\tvadd.vv v3, v3, v3\n"
                         "   0x8000008c <twice+0x4>:\tret\n");
    prints("disassemble k,+8", "   0x8000002c <k>:\tlw t0, 0(a0)\n"
                               "   0x80000030 <k+0x4>:\tvid.v v1\n");
    prints("disassemble 0x80000030,0x80000034", "   0x80000030 <k+0x4>:\tvid.v v1\n");
}

TEST(tensor_hart, .setup_func = setup_hart, .teardown_func = teardown)
{
    prints("next", "2\t    call f\n");
    prints("step", "f at k.s:5\n5\tf:  addi sp, sp, -16\n");
    output("break g");
    shows("continue", "Breakpoint 1, g at k.s:12");
    prints("bt", "#0  0x80000034 in g at k.s:12\n#1  0x80000020 in f+0xc at k.s:7\n");
    prints("finish", "f+0x10 at k.s:8\n8\t    addi a0, a0, 1\n");
    prints("until", "9\t    ld ra, 8(sp)\n");
    prints("finish", "_start+0xc at k.s:3\n3\t    li a7, 93\n");
    prints("p a0", "$1 = 5\n");
    prints("p word[0]", "$2 = 7\n");
    prints("p tl3[5]", "$3 = 0\n");
    shows("p tl3", "tl3\n    0  00 00");
    shows("info registers sp", "0x0000000080000000");
    prints("rstep", "f+0x1c at k.s:11\n11\t    ret\n");
    shows("continue", "[the program has exited with code 5]\n");
    assert_int_equal(debugger->state, DEBUG_ENDED);
    assert_int_equal(debugger->run->exit_code, 5);
    refused("info lanes", "a hart has no lanes");
    refused("stack", "a hart has no SIMT stack");
    refused("p v3", "no register");
    refused("p private(0)", "no private memory");
    refused("warp 1", "warp 1: expected 0 to 0");
    refused("set tl3[0] = 1", "cannot be set");
    refused("p tl32", "no register");
    refused("p tl3[1024]", "byte 1024: the register has 1024");
    shows("run", "Breakpoint 1, g");
}

TEST_GROUP(NULL, remove_source)
