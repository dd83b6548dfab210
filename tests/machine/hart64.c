/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar core at XLEN 64: short programs with the expected value of a0 at their ebreak,
 * worked out by hand. Every RV64-only row, and every row that depends on XLEN, must occur. */

#include "test.h"

#include "machine/machine.h"

#define BASE UINT64_C(0x100000000) /* above 4 GiB: addresses are 64 bits wide */
#define SIZE 0x4000u

static const struct {
    const char *text;
    uint64_t a0;
} cases[] = {
    {"li a0, 0x123456789abcdef0", 0x123456789abcdef0},
    {"li t0, -1\n srli a0, t0, 4", 0x0fffffffffffffff},
    {"li t0, 1\n slli a0, t0, 63", 0x8000000000000000},
    {"li t0, 1\n slli t0, t0, 63\n srai a0, t0, 62", 0xfffffffffffffffe},
    {"li t0, 0x7fffffff\n addiw a0, t0, 1", 0xffffffff80000000},
    {"li t0, 0x7fffffff\n li t1, 1\n addw a0, t0, t1", 0xffffffff80000000},
    {"li t0, 0x100000000\n li t1, 1\n subw a0, t0, t1", 0xffffffffffffffff},
    {"li t0, 0x180000001\n slliw a0, t0, 1", 2},
    {"li t0, 0x180000000\n srliw a0, t0, 31", 1},
    {"li t0, 0x180000000\n sraiw a0, t0, 31", 0xffffffffffffffff},
    {"li t0, 3\n li t1, 33\n sllw a0, t0, t1", 6},
    {"li t0, 0x80000000\n li t1, 35\n srlw a0, t0, t1", 0x10000000},
    {"li t0, 0x80000000\n li t1, 35\n sraw a0, t0, t1", 0xfffffffff0000000},
    {"li t0, 1\n li t1, 65\n sll a0, t0, t1", 2},
    {"lui a0, 0x80000", 0xffffffff80000000},
    {"auipc a0, 0\n auipc t0, 0\n sub a0, t0, a0", 4},
    {"li t0, -1\n la t1, data\n sd t0, 0(t1)\n lwu a0, 0(t1)", 0xffffffff},
    {"li t0, 0x80000000\n la t1, data\n sw t0, 8(t1)\n lw a0, 8(t1)", 0xffffffff80000000},
    {"li t0, 0x0123456789abcdef\n la t1, data\n sd t0, 8(t1)\n ld a0, 8(t1)", 0x0123456789abcdef},
    {"li t0, -1\n li t1, -1\n mulhu a0, t0, t1", 0xfffffffffffffffe},
    {"li t0, -1\n li t1, -1\n mulh a0, t0, t1", 0},
    {"li t0, -1\n li t1, -1\n mulhsu a0, t0, t1", 0xffffffffffffffff},
    {"li t0, 0x80000000\n li t1, 2\n mulw a0, t0, t1", 0},
    {"li t0, 1\n slli t0, t0, 63\n li t1, -1\n div a0, t0, t1", 0x8000000000000000},
    {"li t0, 1\n slli t0, t0, 63\n li t1, -1\n rem a0, t0, t1", 0},
    {"li t0, 7\n divu a0, t0, zero", 0xffffffffffffffff},
    {"li t0, 0x80000000\n li t1, -1\n divw a0, t0, t1", 0xffffffff80000000},
    {"li t0, -8\n li t1, 3\n remw a0, t0, t1", 0xfffffffffffffffe},
    {"li t0, -8\n li t1, 16\n divuw a0, t0, t1", 0x0fffffff},
    {"li t0, -8\n remuw a0, t0, zero", 0xfffffffffffffff8},
    {"la t1, data\n li t0, -5\n sd t0, 0(t1)\n li t2, 3\n amoadd.d t3, t2, (t1)\n ld a0, 0(t1)",
     0xfffffffffffffffe},
    {"la t1, data\n li t0, -5\n sd t0, 0(t1)\n li t2, 3\n amoswap.d a0, t2, (t1)",
     0xfffffffffffffffb},
    {"la t1, data\n li t0, 6\n sd t0, 0(t1)\n li t2, 3\n amoxor.d t3, t2, (t1)\n ld a0, 0(t1)", 5},
    {"la t1, data\n li t0, 6\n sd t0, 0(t1)\n li t2, 3\n amoand.d t3, t2, (t1)\n ld a0, 0(t1)", 2},
    {"la t1, data\n li t0, 6\n sd t0, 0(t1)\n li t2, 3\n amoor.d t3, t2, (t1)\n ld a0, 0(t1)", 7},
    {"la t1, data\n li t0, -6\n sd t0, 0(t1)\n li t2, 3\n amomin.d t3, t2, (t1)\n ld a0, 0(t1)",
     0xfffffffffffffffa},
    {"la t1, data\n li t0, -6\n sd t0, 0(t1)\n li t2, 3\n amomax.d t3, t2, (t1)\n ld a0, 0(t1)", 3},
    {"la t1, data\n li t0, -6\n sd t0, 0(t1)\n li t2, 3\n amominu.d t3, t2, (t1)\n ld a0, 0(t1)",
     3},
    {"la t1, data\n li t0, -6\n sd t0, 0(t1)\n li t2, 3\n amomaxu.d t3, t2, (t1)\n ld a0, 0(t1)",
     0xfffffffffffffffa},
    {"la t1, data\n lr.d t0, (t1)\n li t2, 9\n sc.d t3, t2, (t1)\n ld a0, 0(t1)", 9},
    {"la t1, data\n lr.d t0, (t1)\n sd t1, 0(t1)\n li t2, 9\n sc.d a0, t2, (t1)", 1},
    {"li t0, 0x5f000000\n fcvt.l.s a0, t0", 0x7fffffffffffffff}, /* 2^63 */
    {"li t0, 0x5f000000\n fcvt.lu.s a0, t0", 0x8000000000000000},
    {"li t0, -1\n fcvt.s.l a0, t0", 0xffffffffbf800000}, /* sign-extended */
    {"li t0, -1\n fcvt.s.lu a0, t0", 0x5f800000},
    {"li t0, 0x3f800000\n li t1, 0xc0000000\n fmul.s a0, t0, t1", 0xffffffffc0000000},
    {"csrr a0, misa\n srli a0, a0, 62", 2},
    {"la t0, there\n jr t0\n li a0, 1\n there: li a0, 5", 5},
    {"la t0, after\n csrw mepc, t0\n mret\n after: li a0, 6", 6},
    {"li t0, 1000000\n li a0, 0\n again: addi a0, a0, 3\n addi t0, t0, -1\n bnez t0, again",
     3000000},
};

struct space {
    struct sam_tlb tlb; /* first: resolve finds the rest */
    uint8_t bytes[SIZE];
};

static uint8_t *resolve(struct sam_tlb *tlb, uint64_t address, unsigned size,
                        enum sam_access access, struct sam_fault *fault)
{
    struct space *space = (struct space *)(void *)tlb;
    uint64_t offset = address - BASE;
    if (offset >= SIZE || SIZE - offset < size) {
        *fault = (struct sam_fault){access == SAM_FETCH  ? SAM_CAUSE_FETCH_ACCESS
                                    : access == SAM_LOAD ? SAM_CAUSE_LOAD_ACCESS
                                                         : SAM_CAUSE_STORE_ACCESS,
                                    address};
        return NULL;
    }
    if (access != SAM_FETCH && offset >= SAM_PAGE_SIZE) /* code is never writable without notice */
        tlb->entries[(uint32_t)address >> 12] =
            (struct sam_tlb_entry){space->bytes + offset / SAM_PAGE_SIZE * SAM_PAGE_SIZE,
                                   SAM_PAGE_SIZE, SAM_PAGE_SIZE, (uint32_t)(address >> 32)};
    return space->bytes + offset;
}

static struct sam_machine machine;
static bool seen[SAM_OP_COUNT];

/* Run to the final trap, stepping or not. */
static void run(const char *text, bool step, struct sam_core *core)
{
    struct sam_asm_options options = {.isa = machine.isa, .base = BASE};
    struct sam_error error;
    SCOPED_IMAGE *image = NULL;
    SCOPED(sam_buffer) source = {0};
    SCOPED_TEXT *messages;
    sam_buffer_printf(&source, "%s\n ebreak\n .data\n data: .dword 0, 0\n", text);
    if (sam_assemble(&options, "hart64.s", sam_buffer_text(&source), source.size, &image, &messages,
                     &error) != SAM_OK)
        fail_msg("%s", messages);
    FREED struct space *space = calloc(1, sizeof *space);
    assert_non_null(space);
    space->tlb.resolve = resolve;
    assert_true(sam_tlb_init(&space->tlb));
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        assert_true(s->address - BASE + s->size <= SIZE);
        if (s->data_size)
            memcpy(space->bytes + (s->address - BASE), s->data, s->data_size);
    }
    struct sam_code *code = sam_code_new(&machine, &space->tlb);
    sam_core_init(core, &space->tlb, code, BASE);
    enum sam_exit exit = SAM_EXIT_BUDGET;
    while (exit == SAM_EXIT_BUDGET) {
        struct sam_insn insn = {.op = SAM_OP_ILLEGAL};
        exit = step ? sam_core_step(core, &insn) : sam_core_run(core, 1000);
        seen[insn.op] = true;
    }
    sam_code_free(code);
    sam_tlb_release(&space->tlb);
}

TEST(programs)
{
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct sam_core core[2];
        run(cases[i].text, false, &core[0]);
        run(cases[i].text, true, &core[1]);
        for (int step = 0; step < 2; step++)
            if (core[step].cause != SAM_CAUSE_BREAKPOINT || core[step].x64[10] != cases[i].a0)
                fail_msg("%s%s\n gives 0x%llx, expected 0x%llx (cause %u)", cases[i].text,
                         step ? " (stepped)" : "", (unsigned long long)core[step].x64[10],
                         (unsigned long long)cases[i].a0, core[step].cause);
        assert_int_equal(core[0].retired, core[1].retired);
    }
}

TEST(every_rv64_row_occurs)
{
    for (enum sam_op op = SAM_OP_ILLEGAL + 1; op < SAM_OP_COUNT; op++)
        if ((sam_insn_rows[op].on & SAM_ON_RV64) &&
            sam_isa_has_row(&sam_insn_rows[op], &machine.isa) && !seen[op])
            fail_msg("no case for %s", sam_insn_rows[op].mnemonic);
}

TEST(traps)
{
    struct sam_core core;
    run("li t0, 1\n ld a0, 0(t0)", false, &core);
    assert_int_equal(core.cause, SAM_CAUSE_LOAD_MISALIGNED);
    assert_int_equal(core.tval, 1);
    run("sd a0, 8(zero)", false, &core);
    assert_int_equal(core.cause, SAM_CAUSE_STORE_ACCESS);
    assert_int_equal(core.tval, 8);
    run("li t0, 0x200000000\n jr t0", false, &core);
    assert_int_equal(core.cause, SAM_CAUSE_FETCH_ACCESS);
    assert_int_equal(core.tval, 0x200000000);
    run("ecall", false, &core);
    assert_int_equal(core.cause, SAM_CAUSE_ECALL);
    assert_int_equal(core.pc, BASE);
    run(".word 0xffffffff", false, &core);
    assert_int_equal(core.cause, SAM_CAUSE_ILLEGAL);
    /* A page 4 GiB above shares a TLB entry with this one, but is distinct. */
    run("la t1, data\n ld a0, 0(t1)\n li t2, 0x100000000\n add t1, t1, t2\n ld a0, 0(t1)", false,
        &core);
    assert_int_equal(core.cause, SAM_CAUSE_LOAD_ACCESS);
}

TEST(stores_to_code_are_seen)
{
    struct sam_core core;
    /* The first iteration runs `li a0, 1`, then overwrites it with `li a0, 2`. */
    run("la t1, spot\n li t0, 0x00200513\n li t2, 2\n again: \n spot: li a0, 1\n sw t0, 0(t1)\n"
        "addi t2, t2, -1\n bnez t2, again",
        false, &core);
    assert_int_equal(core.cause, SAM_CAUSE_BREAKPOINT);
    assert_int_equal(core.x64[10], 2);
}

FIXTURE(setup)
{
    if (sam_isa_parse("rv64ima_zicsr_zfinx", &machine.isa, NULL) != SAM_OK)
        return 1;
    sam_machine_init_scalar(&machine);
    return 0;
}

TEST_GROUP(setup, NULL)
