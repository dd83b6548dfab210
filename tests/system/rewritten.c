/* SPDX-License-Identifier: Apache-2.0 */
/* Code that changes: a program that rewrites its own instructions, in other pages and
 * immediately before they run, and one that rewrites a kernel between its launches. The expected
 * sums are added up here. Also launch records with several invalid words at once. */
#include "system/program.h"

enum { STEPS = 200, SLOTS = 24, ADDI_A0 = 10 << 15 | 10 << 7 | 0x13 };

static const char *const isas[] = {RV32, RV64};

static uint32_t addi_a0(uint32_t immediate)
{
    return (immediate & 0x7ff) << 20 | ADDI_A0;
}

/* Each step stores a word into a slot of the routine, calls it, and then rewrites the instruction
 * after the store. */
TEST(rewrites_itself)
{
    uint64_t seed = test_seed();
    for (unsigned i = 0; i < 8; i++) {
        SCOPED(sam_buffer) text = {0};
        uint32_t slots[SLOTS] = {0}, expected = 0;
        sam_buffer_printf(
            &text,
            "main: li a0, 0\n li s1, %d\n la s2, steps\n la s3, routine\n la s4, next\n"
            "step: lw t0, 0(s2)\n add t0, t0, s3\n lw t1, 4(s2)\n sw t1, 0(t0)\n"
            " jal s5, routine\n lw t1, 8(s2)\n sw t1, 0(s4)\n"
            "next: nop\n addi s2, s2, 12\n addi s1, s1, -1\n bnez s1, step\n"
            " li t6, 0x02000000\n sw zero, 4(t6)\n",
            STEPS);
        if (i & 2)
            sam_buffer_printf(&text, " .balign 4096\n"); /* in a page of its own */
        sam_buffer_printf(
            &text, "routine: .rept %d\n addi a0, a0, 0\n .endr\n jr s5\n.data\nsteps:", SLOTS);
        for (unsigned k = 0; k < STEPS; k++) {
            const uint32_t slot = (uint32_t)test_below(&seed, SLOTS);
            const uint32_t there = (uint32_t)test_below(&seed, 2048);
            const uint32_t next = (uint32_t)test_below(&seed, 2048);
            slots[slot] = there;
            for (unsigned s = 0; s < SLOTS; s++)
                expected += slots[s];
            expected += next;
            sam_buffer_printf(&text, " .word %u, 0x%x, 0x%x\n", 4 * slot, addi_a0(there),
                              addi_a0(next));
        }
        SCOPED(system_program) p =
            system_program_new(isas[i & 1], NULL, NULL, sam_buffer_text(&text), NULL);
        system_expect(&p, 0);
        assert_int_equal((uint32_t)sam_hart_x(p.hart, 10), expected);
    }
}

#define RECORD                                                                                     \
    " .data\n .balign 64\n"                                                                        \
    "record: .word 0, metadata, 4, 1, 1, 8, 1, 4096, 64, pds, 0, 0, 0, 0, 0, 0\n"                  \
    "metadata: .word 0, args, 1, 32, 1, 1, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0\n"                         \
    "args: .word 0xa0000000, 0\n"                                                                  \
    "gpu__start: .word 1\ngpu_kernel: .word 1\ngpu_patch: .word 1\n"                               \
    "pds: .space 64 * 8 * 4\n"

#define SUBMITS                                                                                    \
    "main: li s0, 0x02001000\n la s1, record\n"                                                    \
    " lw t0, gpu__start\n sw t0, 0(s1)\n lw t0, gpu_kernel\n la t1, metadata\n sw t0, 0(t1)\n"

/* out[i] = out[i] + patched immediate */
static const char patched[] = " .globl kernel, patch\n"
                              "kernel: lw t0, 0(a0)\n csrr t2, gidx\n slli t2, t2, 3\n vid.v v1\n"
                              " vadd.vx v1, v1, t2\n vsll.vi v1, v1, 2\n vadd.vx v1, v1, t0\n"
                              " vlw12.v v2, 0(v1)\n li a0, 0\n"
                              "patch: addi a0, a0, 0\n"
                              " vadd.vx v2, v2, a0\n vsw12.v v2, 0(v1)\n ret\n";

TEST(rewrites_a_kernel)
{
    uint64_t seed = test_seed();
    for (unsigned i = 0; i < 4; i++) {
        const struct sam_gpu_options gpu = {.jobs = i & 2 ? 4 : 1};
        SCOPED(sam_buffer) text = {0};
        uint32_t expected = 0;
        sam_buffer_printf(&text,
                          SUBMITS " li s2, 50\n la s3, words\n lw s4, gpu_patch\n%s"
                                  "1: lw t0, 0(s3)\n sw t0, 0(s4)\n sw s1, 0(s0)\n addi s3, s3, 4\n"
                                  " addi s2, s2, -1\n bnez s2, 1b\n lw t0, 16(s0)\n"
                                  " li t6, 0x02000000\n sw t0, 4(t6)\n" RECORD "words:",
                          i & 1 ? " slli s4, s4, 32\n srli s4, s4, 32\n" : "");
        for (unsigned k = 0; k < 50; k++) {
            const uint32_t add = (uint32_t)test_below(&seed, 2048);
            expected += add;
            sam_buffer_printf(&text, " .word 0x%x\n", addi_a0(add));
        }
        SCOPED(system_program) p =
            system_program_new(isas[i & 1], &(struct sam_system_options){.gpu = &gpu}, NULL,
                               sam_buffer_text(&text), patched);
        system_expect(&p, 0);
        for (uint32_t k = 0; k < 32; k++)
            assert_int_equal(system_word(&p, DATA_BASE + 4 * k), expected);
        assert_int_equal(system_word(&p, DATA_BASE + 4 * 32), 0);
        assert_int_equal(sam_system_stats(p.system)->launches, 50);
    }
}

/* An invalid word is found among other invalid ones: the store that submits the record faults. */
TEST(several_bad_words)
{
    static const struct {
        uint32_t word, value;
    } bad[] = {{2, 0},           {3, 0},          {4, 0},  {5, 0},        {5, 3},
               {5, 33},          {5, UINT32_MAX}, {6, 0},  {6, 1u << 31}, {10, 1},
               {11, UINT32_MAX}, {12, 1u << 31},  {13, 1}, {14, 7},       {15, 1}},
      odd[] = {{0, 0},          {0, 0x80000002}, {0, UINT32_MAX}, {1, 0},
               {1, UINT32_MAX}, {7, UINT32_MAX}, {8, UINT32_MAX}, {9, UINT32_MAX}};
    uint64_t seed = test_seed();
    for (unsigned i = 0; i < 300; i++) {
        SCOPED(sam_buffer) text = {0};
        sam_buffer_printf(&text, SUBMITS);
        for (uint64_t k = 1 + test_below(&seed, 6); k; k--) {
            const size_t at = test_below(&seed, SAM_COUNT(bad));
            sam_buffer_printf(&text, " li t0, 0x%x\n sw t0, %u(s1)\n", bad[at].value,
                              4 * bad[at].word);
        }
        for (uint64_t k = test_below(&seed, 6); k; k--) {
            const size_t at = test_below(&seed, SAM_COUNT(odd));
            sam_buffer_printf(&text, " li t0, 0x%x\n sw t0, %u(s1)\n", odd[at].value,
                              4 * odd[at].word);
        }
        sam_buffer_printf(&text, "bad: sw s1, 0(s0)\n" RECORD);
        SCOPED(system_program) p = system_program_new(
            isas[i & 1], &(struct sam_system_options){.gpu_traps = SAM_SYSTEM_TRAPS_REPORT}, NULL,
            sam_buffer_text(&text), patched);
        system_expect_trap(&p, 7, SAM_SYSTEM_GPU_SUBMIT, "<bad+0x0>");
        assert_int_equal(sam_system_stats(p.system)->launches, 0);
    }
}
