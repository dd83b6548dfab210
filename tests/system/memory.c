/* SPDX-License-Identifier: Apache-2.0 */
/* The memory map: mapped ranges, exact bounds on both sides, and code written by the other side. */
#include "system/program.h"

static const char *const isas[] = {RV32, RV64};

TEST(map)
{
    static const struct {
        uint64_t first, size; /* size 0: not mapped */
    } ranges[] = {
        {0, 0},
        {0x02000000, 0},
        {0x0fffffff, 0},
        {0x10000000, 0x100000},
        {0x10100000, 0},
        {0x18000000, 0x100000},
        {0x18100000, 0},
        {0x3fffffff, 0},
        {0x40000000, 0x1000 + 0x1000000}, /* the program's page, and its heap */
        {0x41001000, 0},
        {0x6fefffff, 0},
        {0x6ff00000, 0x100000},
        {0x70000000, 0},
        {0x7fffffff, 0},
        {0x80000000, 0},
        {DATA_BASE, DATA_SIZE},
        {DATA_BASE + DATA_SIZE, 0},
    };
    for (size_t i = 0; i < 2; i++) {
        SCOPED(system_program) p = system_program_new(isas[i], NULL, NULL, "ebreak\n", NULL);
        assert_int_equal(sam_hart_x(p.hart, 2), 0x70000000);
        for (size_t k = 0; k < SAM_COUNT(ranges); k++) {
            const uint64_t size = ranges[k].size ? ranges[k].size : 1;
            assert_int_equal(sam_system_read(p.system, ranges[k].first, NULL, size, NULL) == SAM_OK,
                             ranges[k].size != 0);
        }
    }
}

/* A load or store of the hart at `address`. */
static void touch(const char *isa, const char *access, uint64_t address, unsigned cause)
{
    SCOPED(sam_buffer) text = {0};
    sam_buffer_printf(&text,
                      " li t0, 0x%llx\n %s t1, 0(t0)\n"
                      " li t6, 0x02000000\n sw zero, 4(t6)\n",
                      (unsigned long long)address, access);
    SCOPED(system_program) p = system_program_new(isa, NULL, NULL, sam_buffer_text(&text), NULL);
    if (cause)
        system_expect_trap(&p, cause, address, "");
    else
        system_expect(&p, 0);
}

/* The hart sees the exact bytes of buffers, no local memory, and nothing above 4 GiB. */
TEST(hart_bounds)
{
    for (size_t i = 0; i < 2; i++) {
        touch(isas[i], "lw", DATA_BASE + DATA_SIZE - 4, 0);
        touch(isas[i], "lb", DATA_BASE + DATA_SIZE, 5);
        touch(isas[i], "sw", DATA_BASE + DATA_SIZE, 7);
        touch(isas[i], "sb", DATA_BASE - 1, 7);
        touch(isas[i], "lw", 0x70000000, 5);
        touch(isas[i], "sw", 0x7ffffffc, 7);
        touch(isas[i], "sw", 0x100ffffc, 0);
        touch(isas[i], "sw", 0x10100000, 7);
        touch(isas[i], "amoadd.w t2,", 0x18000000, 0);
    }
    touch(RV64, "lw", UINT64_C(0x110000000), 5);
    touch(RV64, "sw", UINT64_C(0x1a0000000), 7);
    touch(RV64, "lw", UINT64_C(0x102000008), 5); /* not a control register either */
    touch(RV64, "ld", UINT64_C(0xffffffffa0000000), 5);
}

/* Adjacent buffers stay separate: neither the GPU nor the host may cross from one into the
 * other, and a buffer may end anywhere in a page. */
TEST(regions)
{
    static const char text[] = " li t0, 0xb0000000\n"
                               " li t1, 1\n"
                               " sb t1, 0(t0)\n"
                               " sb t1, 100(t0)\n"
                               " lb t2, 149(t0)\n"
                               "last: sb t1, 150(t0)\n";
    SCOPED(system_program) p = system_program_new(RV64, NULL, NULL, text, NULL);
    uint8_t bytes[150];
    succeeds(sam_system_map, p.system, 0xb0000000, 100);
    succeeds(sam_system_map, p.system, 0xb0000064, 50);
    assert_int_equal(sam_system_read(p.system, 0xb0000000, bytes, 150, &p.error), SAM_ERR_USAGE);
    succeeds(sam_system_read, p.system, 0xb0000064, bytes, 50);
    assert_int_equal(sam_system_map(p.system, 0xb0000032, 100, &p.error), SAM_ERR_USAGE);
    system_expect_trap(&p, 7, 0xb0000096, "<last+0x0>");
    assert_int_equal(system_word(&p, 0xb0000064) & 0xff, 1);
}

#define RECORD                                                                                     \
    " .data\n .balign 64\n"                                                                        \
    "record: .word 0x80000000, metadata, 1, 1, 1, 8, 1, 4096, 64, pds, 0, 0, 0, 0, 0, 0\n"         \
    "metadata: .word 0, args, 1, 8, 1, 1, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0\n"                          \
    "args: .word 0, 0, 0, 0\n"                                                                     \
    "gpu_kernel: .word 1\n"                                                                        \
    "gpu_patched: .word 1\n"                                                                       \
    "pds: .space 512\n"
#define PREPARE                                                                                    \
    " li s0, 0x02001000\n"                                                                         \
    " la s1, record\n"                                                                             \
    " la s2, args\n"                                                                               \
    " lw t0, gpu_kernel\n"                                                                         \
    " la t1, metadata\n"                                                                           \
    " sw t0, 0(t1)\n"

/* The hart changes an instruction of a kernel between launches. */
TEST(kernel_rewritten)
{
    static const char form[] = PREPARE " sw s1, 0(s0)\n"
                                       " lw s4, 0(s2)\n"
                                       " la t0, gpu_patched\n"
                                       " %s t0, 0(t0)\n"      /* the address, not sign-extended */
                                       " li t1, 0x02a00293\n" /* li t0, 42 */
                                       " sw t1, 0(t0)\n"
                                       " sw s1, 0(s0)\n"
                                       " lw s5, 0(s2)\n"
                                       " ebreak\n" RECORD;
    static const char kernels[] = " .globl kernel\n"
                                  "kernel: nop\n"
                                  "patched: li t0, 7\n"
                                  " sw t0, 0(a0)\n"
                                  " ret\n";
    for (size_t i = 0; i < 8; i++) {
        const struct sam_gpu_options gpu = {.jobs = i & 2 ? 4 : 1, .collect_stats = i & 4};
        SCOPED(sam_buffer) text = {0};
        sam_buffer_printf(&text, form, i % 2 ? "lwu" : "lw");
        SCOPED(system_program) p =
            system_program_new(isas[i % 2], &(struct sam_system_options){.gpu = &gpu}, NULL,
                               sam_buffer_text(&text), kernels);
        succeeds(sam_system_run, p.system, &p.result);
        assert_int_equal(sam_hart_x(p.hart, 20), 7);
        assert_int_equal(sam_hart_x(p.hart, 21), 42);
    }
}

/* A kernel changes a function of the hart that has run, and the instruction right after the one
 * that submits. */
TEST(program_rewritten)
{
    static const char text[] = PREPARE " jal ra, function\n"
                                       " mv s4, a0\n"
                                       " la t0, function\n"
                                       " sw t0, 0(s2)\n"
                                       " la t0, after\n"
                                       " sw t0, 4(s2)\n"
                                       " sw s1, 0(s0)\n"
                                       "after: li s6, 1\n"
                                       " jal ra, function\n"
                                       " mv s5, a0\n"
                                       " ebreak\n"
                                       "function: li a0, 1\n"
                                       " ret\n" RECORD;
    static const char kernels[] = " .globl kernel\n"
                                  "kernel: lw t0, 0(a0)\n"
                                  " li t1, 0x00200513\n" /* li a0, 2 */
                                  " sw t1, 0(t0)\n"
                                  " lw t0, 4(a0)\n"
                                  " li t1, 0x00300b13\n" /* li s6, 3 */
                                  " sw t1, 0(t0)\n"
                                  "patched: ret\n";
    for (size_t i = 0; i < 4; i++) {
        const struct sam_hart_options hart = {.collect_stats = i & 2};
        SCOPED(system_program) p = system_program_new(isas[i % 2], NULL, &hart, text, kernels);
        succeeds(sam_system_run, p.system, &p.result);
        assert_int_equal(sam_hart_x(p.hart, 20), 1);
        assert_int_equal(sam_hart_x(p.hart, 21), 2);
        assert_int_equal(sam_hart_x(p.hart, 22), 3);
    }
}

/* Repeatedly: the kernel counts in an instruction of the hart or, in every third launch, in a
 * data word. The hart stores to the instruction itself in between. */
TEST(program_rewritten_often)
{
    static const char text[] = PREPARE " la t0, function\n"
                                       " sw t0, 0(s2)\n"
                                       " li s6, 0\n"
                                       " li s7, 12\n"
                                       "next: sw s1, 0(s0)\n"
                                       " jal ra, function\n"
                                       " add s6, s6, a0\n"
                                       " li t1, 3\n"
                                       " rem t1, s7, t1\n"
                                       " la t0, function\n"
                                       " bnez t1, code\n"
                                       " la t0, pds\n"
                                       "code: sw t0, 0(s2)\n"
                                       " li t1, 5\n"
                                       " bne s7, t1, same\n"
                                       " li t1, 0x06400513\n" /* li a0, 100 */
                                       " la t0, function\n"
                                       " sw t1, 0(t0)\n"
                                       "same: addi s7, s7, -1\n"
                                       " bnez s7, next\n"
                                       " ebreak\n"
                                       "function: li a0, 0\n"
                                       " ret\n" RECORD;
    static const char kernels[] = " .globl kernel\n"
                                  "kernel: lw t0, 0(a0)\n"
                                  " csrr t1, tid\n"
                                  " bnez t1, patched\n"
                                  " lw t1, 0(t0)\n"
                                  " li t2, 0x00100000\n" /* one more */
                                  " add t1, t1, t2\n"
                                  " sw t1, 0(t0)\n"
                                  "patched: ret\n";
    uint32_t expected = 0, value = 0;
    for (int turn = 12; turn; turn--) {
        value += turn == 12 || (turn + 1) % 3 != 0;
        expected += value;
        if (turn == 5)
            value = 100;
    }
    for (size_t i = 0; i < 4; i++) {
        const struct sam_gpu_options gpu = {.collect_stats = i & 2};
        SCOPED(system_program) p = system_program_new(
            isas[i % 2], &(struct sam_system_options){.gpu = &gpu}, NULL, text, kernels);
        succeeds(sam_system_run, p.system, &p.result);
        assert_int_equal(sam_hart_x(p.hart, 22), expected);
    }
}

/* Both sides count in one word, with their own atomics. */
TEST(atomics)
{
    static const char text[] = PREPARE " li t0, 5\n"
                                       " amoadd.w zero, t0, (s2)\n"
                                       " sw s1, 0(s0)\n"
                                       "1: lr.w t0, (s2)\n"
                                       " addi t0, t0, 1\n"
                                       " sc.w t1, t0, (s2)\n"
                                       " bnez t1, 1b\n"
                                       " lr.w t0, (s2)\n"
                                       " sw s1, 0(s0)\n"
                                       " sc.w s4, t0, (s2)\n" /* it has changed */
                                       " lw s5, 0(s2)\n"
                                       " ebreak\n" RECORD;
    static const char kernels[] = " .globl kernel\n"
                                  "kernel: li t0, 10\n"
                                  " amoadd.w zero, t0, (a0)\n"
                                  "patched: ret\n";
    for (size_t i = 0; i < 2; i++) {
        SCOPED(system_program) p = system_program_new(isas[i], NULL, NULL, text, kernels);
        succeeds(sam_system_run, p.system, &p.result);
        assert_int_equal(sam_hart_x(p.hart, 20), 1);
        assert_int_equal(sam_hart_x(p.hart, 21), 5 + 10 + 1 + 10);
    }
}
