/* SPDX-License-Identifier: Apache-2.0 */
/* Traps of the scalar hart: cause and mtval of each, the CSRs seen by a handler, and ends of a
 * run despite a handler. */
#include "hart/program.h"

static const struct {
    const char *text;
    unsigned cause;
    uint64_t tval;
} traps[] = {
    {".word 0", 2, 0},
    {".word 0xffffffff", 2, 0xffffffff},
    {"csrr a0, 0x123", 2, 0x12302573},
    {"csrw mhartid, a0", 2, 0xf1451073}, /* read-only */
    {"li a0, 0x10002\nlw a0, 0(a0)", 4, 0x10002},
    {"li a0, 0x10001\nsh a0, 0(a0)", 6, 0x10001},
    {"lw a0, 64(zero)", 5, 64},
    {"li a0, 0x14000\nlb a0, 0(a0)", 5, 0x14000}, /* the byte after a buffer */
    {"li a0, 0xffff\nsb a0, 0(a0)", 7, 0xffff},   /* the byte before it */
    {"li a0, 0x200\njr a0", 1, 0x200},
    {"li a0, 0x10002\njr a0", 0, 0x10002},
};

/* Code of the C extension is reported as such; a zero word is not taken for it. */
TEST(compressed_code)
{
    static const char hint[] = "compressed instruction; compile without C";
    SCOPED(program) p = program_new(RV32, NULL, "nop\n.word 0x45054501\n"); /* li a0, 0; li a0, 1 */
    program_expect_trap(&p, 2, 0x45054501);
    assert_non_null(strstr(p.result.text, hint));
    SCOPED(program) q = program_new(RV32, NULL, "nop\n.word 0\n");
    program_expect_trap(&q, 2, 0);
    assert_null(strstr(q.result.text, hint));
    SCOPED(program) r = program_new(RV32, NULL, "la a0, 1f\njr a0\n1: nop\nnop\n");
    sam_hart_set_pc(r.hart, SAM_HART_CODE_BASE + 6);
    program_expect_trap(&r, 0, SAM_HART_CODE_BASE + 6);
    assert_non_null(strstr(r.result.text, "compile without C"));
}

/* An ELF file with the flag of compressed code: failures mention it, but uncompressed code runs. */
TEST(compressed_program)
{
    SCOPED(program) p = program_new(RV64, NULL, "nop\n.word 0\n");
    FREED void *data = NULL;
    size_t size;
    SCOPED_IMAGE *image = NULL;
    succeeds(sam_elf_make, p.image, &data, &size);
    uint8_t *elf = data;
    elf[48] |= 1; /* e_flags: EF_RISCV_RVC */
    succeeds(sam_elf_parse, elf, size, "c.elf", &image);
    succeeds(sam_hart_load, p.hart, image);
    program_expect_trap(&p, 2, 0);
    assert_int_equal(p.result.instructions, 1);
    assert_non_null(strstr(p.result.text, "ELF flags announce compressed instructions"));
}

TEST(without_a_handler)
{
    for (size_t i = 0; i < SAM_COUNT(traps); i++) {
        SCOPED(program) p = program_new(i % 2 ? RV32 : RV64, NULL, traps[i].text);
        program_expect_trap(&p, traps[i].cause, traps[i].tval);
        assert_non_null(strstr(p.result.text, "pc 0x"));
    }
}

/* The handler saves its CSRs and continues after the instruction. */
static const char handler[] = "la t0, handler\n"
                              "csrw mtvec, t0\n"
                              "csrsi mstatus, 8\n"
                              "there: lw s0, 1(zero)\n"
                              "li s1, 5\n"
                              "csrr s6, mstatus\n"
                              "ebreak\n"
                              ".balign 4\n"
                              "handler: csrr s2, mcause\n"
                              "csrr s3, mtval\n"
                              "csrr s4, mepc\n"
                              "csrr s5, mstatus\n"
                              "addi t1, s4, 4\n"
                              "csrw mepc, t1\n"
                              "mret\n";

TEST(with_a_handler)
{
    static const char *const isas[] = {RV32, RV64};
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        SCOPED(program) p = program_new(isas[i], NULL, handler);
        program_expect(&p, SAM_HART_EBREAK);
        assert_int_equal(sam_hart_x(p.hart, 18), 4); /* s2 */
        assert_int_equal(sam_hart_x(p.hart, 19), 1);
        assert_int_equal(sam_hart_x(p.hart, 20), sam_image_find(p.image, "there")->value);
        assert_int_equal(sam_hart_x(p.hart, 21) & 0x1888, 0x1880); /* MPP 3, MPIE 1, MIE 0 */
        assert_int_equal(sam_hart_x(p.hart, 22) & 0x88, 0x88);     /* MIE is back */
        assert_int_equal(sam_hart_x(p.hart, 9), 5);
        assert_int_equal(sam_hart_x(p.hart, 8), 0); /* the load wrote nothing */
    }
}

/* The environment still receives the exit call and ebreak; the handler receives other ecalls. */
TEST(beside_a_handler)
{
    SCOPED(program) p = program_new(RV64, NULL,
                                    "la t0, handler\ncsrw mtvec, t0\nli a7, 1\necall\n"
                                    "handler: csrr s2, mcause\nli a7, 93\nli a0, 2\necall\n");
    program_expect(&p, SAM_HART_EXIT);
    assert_int_equal(p.result.exit_code, 2);
    assert_int_equal(sam_hart_x(p.hart, 18), 11);
}

/* With ebreak_traps it is an exception; without a handler it fails. Otherwise the result
 * identifies it, too. */
TEST(ebreak_as_a_trap)
{
    static const char text[] = "la t0, handler\ncsrw mtvec, t0\nthere: ebreak\n.balign 4\n"
                               "handler: csrr s2, mcause\ncsrr s3, mepc\nli a7, 93\necall\n";
    struct sam_hart_options options = {.ebreak_traps = true};
    SCOPED(program) p = program_new(RV64, &options, text);
    program_expect(&p, SAM_HART_EXIT);
    assert_int_equal(sam_hart_x(p.hart, 18), 3);
    assert_int_equal(sam_hart_x(p.hart, 19), sam_image_find(p.image, "there")->value);
    SCOPED(program) q = program_new(RV64, &options, "nop\nebreak\n");
    program_expect_trap(&q, 3, SAM_HART_CODE_BASE + 4);
    SCOPED(program) r = program_new(RV64, NULL, text);
    program_expect(&r, SAM_HART_EBREAK);
    assert_int_equal(r.result.cause, 3);
    assert_non_null(strstr(r.result.text, "<there+0x0> (0x00100073) ebreak"));
}

/* A handler whose first instruction traps would run for ever. */
TEST(handler_that_traps)
{
    SCOPED(program) p = program_new(RV64, NULL, "li t0, 0x400\ncsrw mtvec, t0\n.word 0\n");
    program_expect_trap(&p, 1, 0x400);
    assert_int_equal(p.result.pc, 0x400);
    SCOPED(program) q = program_new(RV64, NULL, "la t0, 1f\ncsrw mtvec, t0\n.word 0\n1: .word 0\n");
    program_expect_trap(&q, 2, 0);
    assert_int_equal(q.result.pc, sam_hart_pc(q.hart));
}

/* A working handler may trap again and again: the budget ends that. */
TEST(handler_that_loops)
{
    struct sam_hart_options options = {.max_insns = 5000};
    SCOPED(program) p = program_new(RV64, &options, "la t0, 1f\ncsrw mtvec, t0\n1: nop\n.word 0\n");
    assert_int_equal(program_run(&p), SAM_ERR_TRAP);
    assert_int_equal(p.result.end, SAM_HART_BUDGET);
}

TEST(steps_into_the_handler)
{
    SCOPED(program) p = program_new(RV64, NULL, handler);
    uint64_t there = sam_image_find(p.image, "there")->value;
    while (sam_hart_pc(p.hart) != there)
        succeeds(sam_hart_step, p.hart, &p.result);
    succeeds(sam_hart_step, p.hart, &p.result);
    assert_int_equal(p.result.end, SAM_HART_STEPPED);
    assert_int_equal(p.result.instructions, 0);
    assert_int_equal(sam_hart_pc(p.hart), sam_image_find(p.image, "handler")->value);
}

/* pc of a jump to an invalid target is that of the jump if the target is misaligned, and the
 * target if it is unmapped: RISC-V Privileged 3.1.14. */
TEST(pc_of_a_bad_jump)
{
    SCOPED(program) p = program_new(RV64, NULL, "li a0, 0x300\njump: jr a0\n");
    program_expect_trap(&p, 1, 0x300);
    assert_int_equal(p.result.pc, 0x300);
    SCOPED(program) q = program_new(RV64, NULL, "li a0, 0x302\njump: jr a0\n");
    program_expect_trap(&q, 0, 0x302);
    assert_int_equal(q.result.pc, sam_image_find(q.image, "jump")->value);
}
