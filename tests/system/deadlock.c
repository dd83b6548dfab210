/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlocks of programs and kernels are reported; others that poll are left alone. */
#include "system/program.h"

static const char *const isas[] = {RV32, RV64};

/* ------------------------------------------------------------------------------------ the hart */

struct loop {
    const char *text, *pc; /* NULL: it ends by itself */
};

TEST(polls)
{
    static const struct loop loops[] = {
        {"poll: lw a0, 8(s0)\n beqz a0, poll\n", "<poll+0x"},
        {"poll: lw a0, 12(s0)\n beqz a0, poll\n", "<poll+0x"},
        {"poll: lw a0, 16(s0)\n beqz a0, poll\n", "<poll+0x"},
        /* as a compiler without optimisation keeps the value */
        {"poll: lw a0, 8(s0)\n sw a0, -8(sp)\n lw a0, -8(sp)\n beqz a0, poll\n", "<poll+0x"},
        /* two alternating locations, and a function */
        {"poll: lw a0, 4(s0)\n jal f\n lw a0, 8(s0)\n jal f\n j poll\nf: nop\n ret\n", "<"},
        /* until a time by the cycle counter, by minstret, by a count in memory */
        {"poll: lw a0, 8(s0)\n lw a1, 8(s1)\n srli a1, a1, 17\n beqz a1, poll\n", NULL},
        {"poll: lw a0, 8(s0)\n csrr a1, minstret\n srli a1, a1, 17\n beqz a1, poll\n", NULL},
        {"poll: lw a0, 8(s0)\n lw a1, -8(sp)\n addi a1, a1, 1\n sw a1, -8(sp)\n srli a2, a1, 15\n"
         " li a1, 0\n beqz a2, poll\n",
         NULL},
        /* a count of 2 ** 15 in a register, and one in memory that changes occasionally */
        {"li a1, 0x8000\npoll: lw a0, 8(s0)\n addi a1, a1, -1\n bnez a1, poll\n", NULL},
        {"li a3, 0\npoll: lw a0, 8(s0)\n addi a3, a3, 1\n andi a3, a3, 1023\n bnez a3, poll\n"
         " lw a1, -8(sp)\n addi a1, a1, 1\n sw a1, -8(sp)\n srli a2, a1, 6\n li a1, 0\n"
         " beqz a2, poll\n",
         NULL},
    };
    for (size_t i = 0; i < 4 * SAM_COUNT(loops); i++) {
        const struct loop *loop = &loops[i / 4];
        const struct sam_hart_options options = {.collect_stats = i & 1};
        SCOPED(sam_buffer) text = {0};
        sam_buffer_printf(&text, " li s0, 0x02001000\n li s1, 0x02000000\n %s sw zero, 4(s1)\n",
                          loop->text);
        SCOPED(system_program) p =
            system_program_new(isas[i / 2 % 2], NULL, &options, sam_buffer_text(&text), NULL);
        if (loop->pc) {
            assert_int_equal(sam_system_run(p.system, &p.result, &p.error), SAM_ERR_TRAP);
            assert_int_equal(p.result.hart.end, SAM_HART_DEADLOCK);
            assert_int_equal(p.result.end, SAM_SYSTEM_END_HART);
            if (!strstr(p.error.text, "nothing is in flight") || !strstr(p.error.text, loop->pc))
                fail_msg("%s", p.error.text);
        } else {
            system_expect(&p, 0);
        }
    }
}

/* The budget is exact, also if it ends while the loop is checked. */
TEST(budget)
{
    for (uint64_t limit = 8190; limit < 8300; limit += 7) {
        const struct sam_hart_options options = {.max_insns = limit};
        SCOPED(system_program) p =
            system_program_new(RV64, NULL, &options,
                               " li s0, 0x02001000\npoll: lw a0, 8(s0)\n addi a1, a1, 1\n"
                               " beqz a0, poll\n",
                               NULL);
        assert_int_equal(sam_system_run(p.system, &p.result, &p.error), SAM_ERR_TRAP);
        assert_int_equal(p.result.hart.end, SAM_HART_BUDGET);
        assert_int_equal(p.result.hart.instructions, limit);
    }
}

/* --------------------------------------------------------------------------------- the kernels */

/* A launch of 4 workgroups of 2 warps of 8 lanes. */
static const char text[] = "main: li s0, 0x02001000\n"
                           " la s1, record\n"
                           " lw t0, gpu__start\n"
                           " sw t0, 0(s1)\n"
                           " lw t0, gpu_kernel\n"
                           " la t1, metadata\n"
                           " sw t0, 0(t1)\n"
                           " sw s1, 0(s0)\n"
                           " lw s2, 16(s0)\n"
                           " li t0, 0x02000000\n"
                           " sw s2, 4(t0)\n"
                           " .data\n"
                           " .balign 64\n"
                           "record: .word 0, metadata, 4, 1, 1, 8, 2, 4096, 64, pds\n"
                           " .word 0, 0, 0, 0, 0, 0\n"
                           "metadata: .word 0, args, 1, 64, 1, 1, 16, 1, 1, 0, 0, 0, 0, 0, 0, 0\n"
                           "args: .word 0, 0, 0, 0\n"
                           "gpu__start: .word 1\n"
                           "gpu_kernel: .word 1\n"
                           "pds: .space 4096\n";

static const struct {
    const char *kernel;
    bool waits; /* forever */
} kernels[] = {
    /* the first word of the arguments, which is never set */
    {"kernel: lw t0, 0(a0)\n beqz t0, kernel\n ret\n", true},
    /* in lanes, with a vector mask */
    {"kernel: vmv.v.x v1, a0\n1: vlw12.v v2, 0(v1)\n vmv.x.s t0, v2\n beqz t0, 1b\n ret\n", true},
    /* by an atomic that stores the old value */
    {"kernel: li t1, 0\n1: amoor.w t0, t1, (a0)\n beqz t0, 1b\n ret\n", true},
    /* one warp waits at a barrier for the other, which polls */
    {"kernel: csrr t1, wid\n beqz t1, 2f\n1: lw t0, 0(a0)\n beqz t0, 1b\n2: barrier x0, x0, 1\n "
     "ret\n",
     true},
    /* one warp polls for a late store of the other */
    {"kernel: csrr t1, wid\n bnez t1, 2f\n1: lw t0, 0(a0)\n beqz t0, 1b\n ret\n"
     "2: li t2, 0x300000\n3: addi t2, t2, -1\n bnez t2, 3b\n li t0, 1\n sw t0, 0(a0)\n ret\n",
     false},
    /* a long counting loop */
    {"kernel: li t2, 0x400000\n3: addi t2, t2, -1\n bnez t2, 3b\n ret\n", false},
    /* and one that counts in memory */
    {"kernel: csrr t1, wid\n bnez t1, 2f\n li t3, 0x80000\n1: lw t2, 4(a0)\n addi t2, t2, 1\n"
     " sw t2, 4(a0)\n slt t4, t2, t3\n li t2, 0\n bnez t4, 1b\n2: ret\n",
     false},
};

TEST(waits)
{
    static const unsigned jobs[] = {1, 2, 4};
    for (size_t i = 0; i < SAM_COUNT(kernels) * SAM_COUNT(jobs); i++) {
        const size_t k = i / SAM_COUNT(jobs);
        const struct sam_gpu_options gpu = {.jobs = jobs[i % SAM_COUNT(jobs)],
                                            .collect_stats = i & 1};
        SCOPED(sam_buffer) source = {0};
        sam_buffer_printf(&source, " .globl kernel\n%s", kernels[k].kernel);
        SCOPED(system_program) p =
            system_program_new(isas[i % 2], &(struct sam_system_options){.gpu = &gpu}, NULL, text,
                               sam_buffer_text(&source));
        if (kernels[k].waits) {
            assert_int_equal(sam_system_run(p.system, &p.result, &p.error), SAM_ERR_TRAP);
            assert_int_equal(p.result.end, SAM_SYSTEM_END_TRAP);
            assert_int_equal(p.result.trap.kind, SAM_TRAP_SPIN);
            assert_non_null(strstr(p.error.text, "deadlock"));
            assert_non_null(strstr(p.error.text, "<kernel+0x"));
        } else {
            system_expect(&p, 0);
        }
    }
}

/* Workgroups that wait for each other, and are released since they run at the same time. */
TEST(meets)
{
    static const char kernel[] = " .globl kernel\n"
                                 "kernel: li t0, 1\n" /* count the arrivals */
                                 " amoadd.w zero, t0, (a0)\n"
                                 " li t2, 8\n"
                                 "1: lw t0, 0(a0)\n"
                                 " bne t0, t2, 1b\n"
                                 " ret\n";
    for (unsigned i = 0; i < 6; i++) {
        const struct sam_gpu_options gpu = {.jobs = i % 2 ? 4 : 3};
        SCOPED(system_program) p =
            system_program_new(RV64, &(struct sam_system_options){.gpu = &gpu}, NULL, text, kernel);
        if (gpu.jobs == 4) {
            system_expect(&p, 0);
        } else { /* the fourth is missing */
            assert_int_equal(sam_system_run(p.system, &p.result, &p.error), SAM_ERR_TRAP);
            assert_int_equal(p.result.trap.kind, SAM_TRAP_SPIN);
        }
    }
}
