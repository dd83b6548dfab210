/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of the GPU: launches of real kernels by the hart's program. */
#include "system/program.h"

static const char *const isas[] = {RV32, RV64};

/* s0: the page of the queue, s1: the record, whose start pc and kernel are set. A record has
 * workgroups of 8 lanes; kernels get the address of `args`. */
#define PROGRAM(body, grid)                                                                        \
    "main: li s0, 0x02001000\n"                                                                    \
    " la s1, record\n"                                                                             \
    " lw t0, gpu__start\n"                                                                         \
    " sw t0, 0(s1)\n"                                                                              \
    " lw t0, gpu_kernel\n"                                                                         \
    " la t1, metadata\n"                                                                           \
    " sw t0, 0(t1)\n" body " .data\n"                                                              \
    " .balign 64\n"                                                                                \
    "record: .word 0, metadata, " #grid ", 1, 1, 8, 1, 4096, 64, pds, 0, 0, 0, 0, 0, 0\n"          \
    "metadata: .word 0, args, 1, 8 * " #grid ", 1, 1, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0\n"              \
    "args: .word 0xa0000000, 100, 0, 0\n"                                                          \
    "gpu__start: .word 1\n"                                                                        \
    "gpu_kernel: .word 1\n"                                                                        \
    "pds: .space 64 * 8 * " #grid "\n"

#define EXIT(code) " li t6, 0x02000000\n li t5, " #code "\n sw t5, 4(t6)\n"

TEST(launches)
{
    static const char text[] = PROGRAM(" lw s2, 4(s0)\n" /* SUBMITTED */
                                       " lw s3, 8(s0)\n" /* DONE */
                                       " sw s1, 0(s0)\n"
                                       " lw s4, 4(s0)\n"
                                       " lw s5, 16(s0)\n" /* WAIT */
                                       " lw s6, 8(s0)\n"
                                       " li t0, 200\n"
                                       " la t1, args\n"
                                       " sw t0, 4(t1)\n"
                                       " li t0, 0xa0001000\n"
                                       " sw t0, 0(t1)\n"
                                       " sw s1, 0(s0)\n"
                                       " lw s7, 8(s0)\n"
                                       " lw s8, 12(s0)\n" EXIT(0),
                                       16);
    for (size_t i = 0; i < 4; i++) {
        const struct sam_gpu_options gpu = {.jobs = i < 2 ? 1 : 4};
        SCOPED(system_program) p = system_program_new(
            isas[i % 2], &(struct sam_system_options){.gpu = &gpu}, NULL, text, system_fill);
        system_expect(&p, 0);
        static const uint64_t registers[][2] = {{18, 0}, {19, 0}, {20, 1}, {21, 0},
                                                {22, 1}, {23, 2}, {24, 0}};
        for (size_t k = 0; k < SAM_COUNT(registers); k++)
            assert_int_equal(sam_hart_x(p.hart, (unsigned)registers[k][0]), registers[k][1]);
        for (uint32_t k = 0; k < 128; k++) {
            assert_int_equal(system_word(&p, DATA_BASE + 4 * k), 100 + k);
            assert_int_equal(system_word(&p, DATA_BASE + 4096 + 4 * k), 200 + k);
        }
        assert_int_equal(system_word(&p, DATA_BASE + 512), 0);
        assert_int_equal(sam_system_stats(p.system)->launches, 2);
        assert_int_equal(sam_system_stats(p.system)->failed_launches, 0);
        assert_int_equal(sam_system_gpu_stats(p.system)->workgroups, 32);
        assert_int_equal(p.result.trap.kind, SAM_TRAP_NONE);
    }
}

/* Each launch reads stores of the hart and of the previous launch. */
TEST(dependent)
{
    static const char kernel[] = " .globl kernel\n" /* args[2] = 3 * args[2] + args[1] */
                                 "kernel: lw t0, 8(a0)\n"
                                 " lw t1, 4(a0)\n"
                                 " slli t2, t0, 1\n"
                                 " add t0, t0, t2\n"
                                 " add t0, t0, t1\n"
                                 " sw t0, 8(a0)\n"
                                 " ret\n";
    static const char text[] = PROGRAM(" li s2, 20\n"
                                       " la s3, args\n"
                                       "1: sw s2, 4(s3)\n"
                                       " sw s1, 0(s0)\n"
                                       " lw s4, 8(s3)\n"
                                       " addi s4, s4, 1\n"
                                       " sw s4, 8(s3)\n"
                                       " addi s2, s2, -1\n"
                                       " bnez s2, 1b\n" EXIT(0),
                                       1);
    uint32_t expected = 0;
    for (uint32_t i = 20; i; i--)
        expected = 3 * expected + i + 1;
    for (size_t i = 0; i < 2; i++) {
        SCOPED(system_program) p = system_program_new(isas[i], NULL, NULL, text, kernel);
        system_expect(&p, 0);
        assert_int_equal((uint32_t)sam_hart_x(p.hart, 20), expected);
    }
}

struct seen {
    unsigned count;
    uint64_t number;
    uint32_t record;
    char kernel[16];
    enum sam_trap_kind trap;
};

static void see(void *context, const struct sam_system_launch *launch)
{
    struct seen *seen = context;
    assert_int_equal(launch->number, seen->count++);
    assert_int_equal(launch->launch->warps, 1);
    seen->record = launch->record;
    snprintf(seen->kernel, sizeof seen->kernel, "%s", launch->kernel ? launch->kernel : "");
    seen->trap = launch->result->trap.kind;
}

/* The kernel stores past the end of the data, from its 5th lane on. */
static const char overrun[] = " .globl kernel\n"
                              "kernel: li t0, 0xa0003ff0\n"
                              " vid.v v1\n"
                              " vsll.vi v1, v1, 2\n"
                              " vadd.vx v1, v1, t0\n"
                              "store: vsw12.v v1, 0(v1)\n"
                              " ret\n";

TEST(trap_ends)
{
    static const char text[] = PROGRAM(" sw s1, 0(s0)\n li s2, 1\n" EXIT(0), 1);
    for (size_t i = 0; i < 2; i++) {
        struct seen seen = {0};
        SCOPED(system_program) p = system_program_new(
            isas[i], &(struct sam_system_options){.launched = see, .launched_context = &seen}, NULL,
            text, overrun);
        assert_int_equal(sam_system_run(p.system, &p.result, &p.error), SAM_ERR_TRAP);
        assert_int_equal(p.result.end, SAM_SYSTEM_END_TRAP);
        assert_int_equal(p.result.trap.kind, SAM_TRAP_STORE_FAULT);
        assert_int_equal(p.result.trap.tval, 0xa0004000);
        assert_int_equal(p.result.trap.lane, 4);
        assert_int_equal(p.result.trapped_launch, 0);
        assert_non_null(strstr(p.error.text, "launch 0 <kernel>"));
        assert_non_null(strstr(p.error.text, "<store+0x0>"));
        assert_int_equal(sam_hart_x(p.hart, 18), 0); /* the hart did not continue */
        assert_int_equal(seen.count, 1);
        assert_int_equal(seen.trap, SAM_TRAP_STORE_FAULT);
        assert_string_equal(seen.kernel, "kernel");
        assert_int_equal(seen.record, sam_hart_x(p.hart, 9));
    }
}

/* STATUS keeps the first failure until it is cleared; later launches run. */
TEST(trap_reports)
{
    static const char text[] = PROGRAM(" lw s2, 12(s0)\n"
                                       " sw s1, 0(s0)\n"
                                       " lw s3, 16(s0)\n"
                                       " la t0, args\n"
                                       " sw zero, 0(t0)\n"
                                       " sw s1, 0(s0)\n" /* another kind */
                                       " lw s4, 12(s0)\n"
                                       " sw t0, 12(s0)\n"
                                       " lw s5, 12(s0)\n"
                                       " sw s1, 0(s0)\n"
                                       " lw s6, 16(s0)\n"
                                       " lw s7, 8(s0)\n" EXIT(0),
                                       1);
    static const char kernel[] = " .globl kernel\n" /* first an overrun, then an illegal word */
                                 "kernel: lw t0, 0(a0)\n"
                                 " beqz t0, 1f\n"
                                 " sw t0, 0(zero)\n"
                                 "1: .word 0\n";
    for (size_t i = 0; i < 2; i++) {
        SCOPED(system_program) p = system_program_new(
            isas[i], &(struct sam_system_options){.gpu_traps = SAM_SYSTEM_TRAPS_REPORT}, NULL, text,
            kernel);
        system_expect(&p, 0);
        assert_int_equal(sam_hart_x(p.hart, 18), 0);
        assert_int_equal(sam_hart_x(p.hart, 19), 1 + SAM_TRAP_STORE_FAULT);
        assert_int_equal(sam_hart_x(p.hart, 20), 1 + SAM_TRAP_STORE_FAULT);
        assert_int_equal(sam_hart_x(p.hart, 21), 0);
        assert_int_equal(sam_hart_x(p.hart, 22), 1 + SAM_TRAP_ILLEGAL);
        assert_int_equal(sam_hart_x(p.hart, 23), 3);
        assert_int_equal(sam_system_stats(p.system)->failed_launches, 3);
        assert_int_equal(p.result.trap.kind, SAM_TRAP_STORE_FAULT);
        assert_int_equal(p.result.trapped_launch, 0);
    }
}

/* Invalid records: the store that submits them faults, and nothing is submitted. */
TEST(bad_records)
{
    static const struct {
        const char *change, *words;
    } cases[] = {
        {"addi s1, s1, 2", "expected a multiple of 4"},
        {"li s1, 0xb0000000", "expected 64 bytes in one buffer"},
        {"li s1, 0xa0003fc4", "expected 64 bytes in one buffer"},
        {"li s1, 0x02001000", "expected 64 bytes in one buffer"},
        {"li t0, 3\n sw t0, 20(s1)", "3 threads per warp"},
        {"sw zero, 24(s1)", "0 warps per workgroup"},
        {"sw zero, 12(s1)", "grid 1x0x1"},
        {"li t0, -1\n sw t0, 8(s1)\n sw t0, 12(s1)", "grid"},
        {"li t0, 5\n sw t0, 60(s1)", "word 15 is 0x5: expected 0"},
        {"li t0, 5\n sw t0, 40(s1)", "word 10 is 0x5: expected 0"},
    };
    for (size_t i = 0; i < 2 * SAM_COUNT(cases); i++) {
        SCOPED(sam_buffer) text = {0};
        sam_buffer_printf(&text, PROGRAM(" %s\nbad: sw s1, 0(s0)\n", 1), cases[i / 2].change);
        SCOPED(system_program) p = system_program_new(
            isas[i % 2], &(struct sam_system_options){.gpu_traps = SAM_SYSTEM_TRAPS_REPORT}, NULL,
            sam_buffer_text(&text), system_fill);
        system_expect_trap(&p, 7, SAM_SYSTEM_GPU_SUBMIT, cases[i / 2].words);
        assert_non_null(strstr(p.error.text, "<bad+0x0>"));
        assert_int_equal(sam_system_stats(p.system)->launches, 0);
    }
}

/* Missing code or data of a launch: its kernel traps. */
TEST(bad_places)
{
    static const struct {
        const char *change;
        enum sam_trap_kind kind;
    } cases[] = {
        {"sw zero, 0(s1)", SAM_TRAP_FETCH},
        {"li t0, 0x80000002\n sw t0, 0(s1)", SAM_TRAP_FETCH_MISALIGNED},
        {"sw zero, 4(s1)", SAM_TRAP_LOAD_FAULT},
        {"li t0, 0x02000000\n sw t0, 4(s1)", SAM_TRAP_LOAD_FAULT},
        {"li t0, 0x02000000\n la t1, args\n sw t0, 0(t1)", SAM_TRAP_STORE_FAULT},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(sam_buffer) text = {0};
        sam_buffer_printf(&text, PROGRAM(" %s\n sw s1, 0(s0)\n", 1), cases[i].change);
        SCOPED(system_program) p =
            system_program_new(RV64, NULL, NULL, sam_buffer_text(&text), system_fill);
        assert_int_equal(sam_system_run(p.system, &p.result, &p.error), SAM_ERR_TRAP);
        assert_int_equal(p.result.end, SAM_SYSTEM_END_TRAP);
        assert_int_equal(p.result.trap.kind, cases[i].kind);
    }
}

static const char spin[] = " .globl kernel\n"
                           "kernel: li t1, 0\n"
                           "1: addi t1, t1, 1\n"
                           " j 1b\n";

TEST(budget)
{
    const struct sam_gpu_options gpu = {.max_insns = 5000};
    SCOPED(system_program) p = system_program_new(RV32, &(struct sam_system_options){.gpu = &gpu},
                                                  NULL, PROGRAM(" sw s1, 0(s0)\n", 2), spin);
    assert_int_equal(sam_system_run(p.system, &p.result, &p.error), SAM_ERR_TRAP);
    assert_int_equal(p.result.end, SAM_SYSTEM_END_TRAP);
    assert_int_equal(p.result.trap.kind, SAM_TRAP_BUDGET);
}

static void set_stop(void *context, const struct sam_gpu_progress *progress)
{
    (void)progress;
    *(volatile int *)context = 1;
}

TEST(stopped)
{
    static volatile int stop;
    stop = 0;
    const struct sam_gpu_options gpu = {
        .stop = &stop, .progress = set_stop, .progress_context = (void *)(uintptr_t)&stop};
    SCOPED(system_program) p = system_program_new(RV64, &(struct sam_system_options){.gpu = &gpu},
                                                  NULL, PROGRAM(" sw s1, 0(s0)\n", 2), spin);
    assert_int_equal(sam_system_run(p.system, &p.result, &p.error), SAM_ERR_STOPPED);
    assert_int_equal(p.result.hart.end, SAM_HART_STOPPED);
    assert_non_null(strstr(p.error.text, "launch 0 <kernel> (record 0x"));
    assert_non_null(strstr(p.error.text, "stopped after 0 of 2 workgroups"));
}
