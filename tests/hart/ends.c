/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of a run of the tensor hart: exits, ebreak, an address, budget, the stop flag; the run
 * continues from each. */
#include "hart/core.h"
#include "hart/program.h"

static const char *const isas[] = {RV32, RV64};

TEST(ecall_exits)
{
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        SCOPED(program) p = program_new(isas[i], NULL, "li a0, 7\nli a7, 93\necall\n");
        program_expect(&p, SAM_HART_EXIT);
        assert_int_equal(p.result.exit_code, 7);
        assert_int_equal(p.result.instructions, 2);
        assert_int_equal(p.result.pc, SAM_HART_CODE_BASE + 8);
    }
}

/* Only call 93 is an exit; without a handler, any other is a failure, reported with its number. */
TEST(other_ecalls_fail)
{
    SCOPED(program) p = program_new(RV64, NULL, "start: li a7, 94\necall\n");
    program_expect_trap(&p, 11, 0);
    assert_non_null(strstr(p.result.text, "ecall with a7 = 94"));
    assert_non_null(strstr(p.result.text, "<start+0x4>"));
    assert_non_null(strstr(p.result.text, "(0x00000073) ecall"));
    assert_string_equal(p.error.text, p.result.text);
}

/* A program without an exit fails with that reason; illegal words elsewhere are not an end. */
TEST(ends_without_exit)
{
    static const struct {
        const char *text;
        bool past;
    } cases[] = {
        {"nop\nnop\n", true},
        {"nop\n.data\n.word 1\n", true},
        {"la a0, there\njr a0\n.data\nthere: .word 0\n", false},
        {"nop\n.word 0\n", false},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(program) p = program_new(isas[i % 2], NULL, cases[i].text);
        assert_int_equal(program_run(&p), SAM_ERR_TRAP);
        const char *hint = strstr(p.result.text, "past the last instruction of the program, which "
                                                 "needs an exit (li a7, 93; ecall) or --until; pc");
        if (!!hint != cases[i].past)
            fail_msg("%s: %s", cases[i].text, p.result.text);
    }
}

TEST(ebreak_ends)
{
    SCOPED(program) p = program_new(RV64, NULL, "nop\nebreak\nli a0, 3\nebreak\n");
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(p.result.pc, SAM_HART_CODE_BASE + 4);
    assert_int_equal(p.result.instructions, 1);
    sam_hart_set_pc(p.hart, p.result.pc + 4); /* over it */
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(sam_hart_x(p.hart, 10), 3);
}

/* An odd value in tohost is twice the exit code plus one; the run ends after the store, which is
 * counted. Even values, and those with a device number in the upper bits, are no exit. */
TEST(tohost_exits)
{
    static const char text[] = "la t0, tohost\n"
                               "li t1, 6\n"
                               "sw t1, 0(t0)\n"
                               "li t1, 9\n"
                               "store: sw t1, 0(t0)\n"
                               "after: j after\n"
                               ".data\n.balign 8\n.word 1\n.balign 8\ntohost: .dword 0\n";
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        SCOPED(program) p = program_new(isas[i], NULL, text);
        program_expect(&p, SAM_HART_EXIT);
        assert_int_equal(p.result.exit_code, 4);
        assert_int_equal(p.result.pc, sam_image_find(p.image, "after")->value);
        assert_int_equal(p.result.instructions, 6);
    }
    SCOPED(program) p = program_new(RV64, NULL,
                                    "la t0, tohost\nli t1, 0x0101000000000061\nsd t1, 0(t0)\n"
                                    "ebreak\n.data\n.balign 8\ntohost: .dword 0\n");
    program_expect(&p, SAM_HART_EBREAK);
}

/* Every kind of store to the word is watched: partial, by AMO, by the TensorLoad unit. */
TEST(tohost_by_other_stores)
{
    static const char *const stores[] = {
        "li t1, 3\nsb t1, 0(t0)\n",
        "li t1, 3\nsd t1, 0(t0)\n",
        "li t1, 3\namoadd.w t2, t1, (t0)\n",
        ("li t1, 0x010101\ncsrw tshape, t1\nli t1, 3\nsb t1, -8(t0)\n"
         "addi t1, t0, -8\ntl.load tl1, 0(t1)\ntl.store tl1, 0(t0)\n"),
    };
    for (size_t i = 0; i < SAM_COUNT(stores); i++) {
        SCOPED(sam_buffer) text = {0};
        sam_buffer_printf(&text,
                          "la t0, tohost\n%sli a0, 1\nebreak\n.data\n.balign 8\n.dword 0\n"
                          "tohost: .dword 0\n",
                          stores[i]);
        SCOPED(program) p = program_new("rv64ima_zicsr_xtensorload", NULL, sam_buffer_text(&text));
        program_expect(&p, SAM_HART_EXIT);
        assert_int_equal(p.result.exit_code, 1);
        assert_int_equal(sam_hart_x(p.hart, 10), 0);
    }
}

/* Data next to tohost in its page is plain data. */
TEST(beside_tohost)
{
    SCOPED(program) p = program_new(RV64, NULL,
                                    "la t0, tohost\nli t1, 5\nsd t1, -8(t0)\nsd t1, 8(t0)\n"
                                    "ld a0, -8(t0)\nld a1, 8(t0)\nebreak\n"
                                    ".data\n.balign 8\n.dword 0\ntohost: .dword 0, 0\n");
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(sam_hart_x(p.hart, 10), 5);
    assert_int_equal(sam_hart_x(p.hart, 11), 5);
}

/* The TLB of a hart; misses are counted. */
struct counted {
    uint8_t *(*resolve)(struct sam_tlb *, uint64_t, unsigned, enum sam_access, struct sam_fault *);
    unsigned misses;
};

static struct counted counted;

static uint8_t *count_misses(struct sam_tlb *tlb, uint64_t address, unsigned size,
                             enum sam_access access, struct sam_fault *fault)
{
    counted.misses += access != SAM_FETCH;
    return counted.resolve(tlb, address, size, access, fault);
}

/* A loop of stores around tohost leaves the fast path only for stores to the word itself. */
TEST(globals_beside_tohost)
{
    static const char text[] =
        "la s0, tohost\nli s1, 1000\n"
        "again: lw t0, 16(s0)\naddi t0, t0, 1\nsw t0, 16(s0)\nsb t0, 8(s0)\nsh t0, -2(s0)\n"
        "sw t0, -8(s0)\naddi s1, s1, -1\nbnez s1, again\n"
        "sw s1, 0(s0)\nsw s1, 4(s0)\nli a7, 3\nsw a7, 0(s0)\n"
        ".data\n.balign 4096\n.zero 64\ntohost: .dword 0, 0, 0\n";
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        SCOPED(program) p = program_new(isas[i], NULL, text);
        counted = (struct counted){.resolve = p.hart->tlb.resolve};
        p.hart->tlb.resolve = count_misses;
        program_expect(&p, SAM_HART_EXIT);
        assert_int_equal(p.result.exit_code, 1);
        uint64_t near[4] = {0};
        succeeds(sam_hart_read, p.hart, p.hart->tohost - 8, near, 32);
        assert_int_equal(near[0], 0x03e8000000000000 | 1000);
        assert_int_equal(near[1], 3);
        assert_int_equal(near[2], 1000 & 0xff);
        assert_int_equal(near[3], 1000);
        assert_true(counted.misses < 16);
    }
}

/* Code after tohost in its page is watched like other code: the next fetch sees a store to it. */
TEST(code_beside_tohost)
{
    static const char text[] = "la s0, tohost\nlw t1, 16(s0)\nsw t1, 24(s0)\n" /* no code yet */
                               "jalr 8(s0)\nsw t1, 12(s0)\njalr 8(s0)\nebreak\n"
                               ".balign 4096\ntohost: .dword 0\n"
                               "nop\nli a0, 1\naddi a0, a0, 4\nret\n.word 0\n";
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        SCOPED(program) p = program_new(isas[i], NULL, text);
        program_expect(&p, SAM_HART_EBREAK);
        assert_int_equal(sam_hart_x(p.hart, 10), 13); /* 5, then twice 4 more */
    }
}

TEST(until_stops)
{
    static const char text[] = "li a0, 0\n"
                               "again: addi a0, a0, 1\n"
                               "li t0, 100000\n"
                               "bne a0, t0, again\n"
                               "ebreak\n";
    for (int traced = 0; traced < 2; traced++) {
        struct sam_hart_options options = {.collect_stats = traced};
        SCOPED(program) p = program_new(RV64, &options, text);
        uint64_t again = sam_image_find(p.image, "again")->value;
        sam_hart_set_until(p.hart, again);
        for (unsigned turn = 0; turn < 3; turn++) { /* a run that starts there continues */
            program_expect(&p, SAM_HART_UNTIL);
            assert_int_equal(p.result.pc, again);
            assert_int_equal(sam_hart_x(p.hart, 10), turn);
        }
        sam_hart_set_until(p.hart, again + 0x100); /* one at a time */
        program_expect(&p, SAM_HART_EBREAK);
        assert_int_equal(sam_hart_x(p.hart, 10), 100000);
    }
}

/* Exact to the instruction, wherever straight-line runs end. */
TEST(budget_is_exact)
{
    static const uint64_t budgets[] = {1, 2, 1023, 1024, 2049, 70000, 200001};
    for (size_t i = 0; i < SAM_COUNT(budgets); i++) {
        struct sam_hart_options options = {.max_insns = budgets[i]};
        SCOPED(program) p = program_new(
            RV32, &options,
            ".rept 3000\naddi a0, a0, 1\n.endr\nla t0, _start\njr t0\n_start: j .-12000\n");
        enum sam_status status = program_run(&p);
        assert_int_equal(status, SAM_ERR_TRAP);
        assert_int_equal(p.result.end, SAM_HART_BUDGET);
        assert_int_equal(p.result.instructions, budgets[i]);
        assert_non_null(strstr(p.error.text, "still running after"));
        program_run(&p); /* each run has its own */
        assert_int_equal(p.result.instructions, budgets[i]);
    }
}

/* A run ended at once by the flag has done nothing. */
TEST(stop_flag)
{
    volatile int stop = 1;
    struct sam_hart_options options = {.stop = &stop};
    SCOPED(program) p = program_new(RV64, &options, "li a0, 1\nebreak\n");
    assert_int_equal(program_run(&p), SAM_ERR_STOPPED);
    assert_int_equal(p.result.end, SAM_HART_STOPPED);
    assert_int_equal(p.result.instructions, 0);
    stop = 0;
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(sam_hart_x(p.hart, 10), 1);
}

TEST(steps)
{
    SCOPED(program) p = program_new(RV64, NULL, "li a0, 1\nli a0, 2\nebreak\n");
    for (unsigned i = 1; i <= 2; i++) {
        succeeds(sam_hart_step, p.hart, &p.result);
        assert_int_equal(p.result.end, SAM_HART_STEPPED);
        assert_int_equal(p.result.instructions, 1);
        assert_int_equal(sam_hart_x(p.hart, 10), i);
        assert_int_equal(sam_hart_pc(p.hart), SAM_HART_CODE_BASE + 4 * i);
    }
    succeeds(sam_hart_step, p.hart, &p.result);
    assert_int_equal(p.result.end, SAM_HART_EBREAK);
}

struct told {
    struct sam_hart_progress last;
    unsigned count;
    volatile int stop;
};

static void note(void *context, const struct sam_hart_progress *progress)
{
    struct told *told = context;
    if (progress->instructions < told->last.instructions + 65536)
        fail_msg("told after %llu instructions, and after %llu",
                 (unsigned long long)told->last.instructions,
                 (unsigned long long)progress->instructions);
    told->last = *progress;
    told->stop = ++told->count == 3;
}

/* Fast, and step by step with statistics; a budget is respected, a stop from the callback works. */
TEST(progress_is_told)
{
    for (unsigned slow = 0; slow < 2; slow++) {
        struct told told = {0};
        const struct sam_hart_options options = {.size = sizeof options,
                                                 .max_insns = 10000000,
                                                 .collect_stats = slow,
                                                 .stop = &told.stop,
                                                 .progress = note,
                                                 .progress_context = &told};
        SCOPED(program) p = program_new(RV64, &options, "1: addi t0, t0, 1\nj 1b\n");
        assert_int_equal(program_run(&p), SAM_ERR_STOPPED);
        assert_int_equal(told.count, 3);
        assert_int_equal(told.last.limit, 10000000);
        assert_int_equal(told.last.instructions, p.result.instructions);
        assert_int_equal(told.last.pc, p.result.pc);
    }
}
