/* SPDX-License-Identifier: Apache-2.0 */
/* Set-up of a tensor hart: ISA, memory, programs, registers. */
#include "hart/program.h"

static void expect_refusal(const char *isa, const char *part)
{
    struct sam_hart_options options = {0};
    struct sam_hart *hart;
    struct sam_error error = {0};
    succeeds(sam_isa_parse, isa, &options.isa);
    assert_int_equal(sam_hart_new(&options, &hart, &error), SAM_ERR_USAGE);
    assert_null(hart);
    if (!strstr(error.text, part))
        fail_msg("no '%s' in: %s", part, error.text);
}

TEST(refuses_isas)
{
    expect_refusal("rv32i_zicsr", "needs M");
    expect_refusal("ventus", "has no Xventus");
    expect_refusal("rv32im_zicsr_zfinx_zve32f", "has no Zve32f");
    struct sam_hart_options options = {.isa = {.xlen = 16}};
    struct sam_hart *hart;
    struct sam_error error;
    assert_int_equal(sam_hart_new(&options, &hart, &error), SAM_ERR_USAGE);
}

/* Defaults: RV64 with the unit. */
TEST(has_defaults)
{
    struct sam_hart *hart;
    uint64_t value = 1;
    succeeds(sam_hart_new, NULL, &hart);
    assert_non_null(sam_hart_tl(hart, 31));
    assert_true(sam_hart_csr(hart, 0x301, &value)); /* misa: 64 bits, I, M, X */
    assert_int_equal(value, UINT64_C(0x8000000000801100));
    sam_hart_set_x(hart, 5, UINT64_C(0x123456789abcdef0));
    assert_int_equal(sam_hart_x(hart, 5), UINT64_C(0x123456789abcdef0));
    sam_hart_set_x(hart, 0, 1);
    assert_int_equal(sam_hart_x(hart, 0), 0);
    sam_hart_free(hart);
    sam_hart_free(NULL);
}

/* Without the unit there are no TLRegs and none of its CSRs, and its instructions are illegal. */
TEST(without_the_unit)
{
    SCOPED(program) p = program_new("rv32im_zicsr", NULL, ".word 0x0000005b\n");
    uint64_t value;
    assert_null(sam_hart_tl(p.hart, 1));
    assert_false(sam_hart_csr(p.hart, 0x8c1, &value));
    assert_false(sam_hart_set_csr(p.hart, 0x8c1, 1));
    program_expect_trap(&p, 2, 0x5b);
}

/* Instructions of A and Zfinx exist with the extension and are illegal without it. */
TEST(extensions)
{
    static const char *const words[] = {".word 0x1005252f\n" /* lr.w a0, (a0) */,
                                        ".word 0x00b57553\n" /* fadd.s a0, a0, a1 */};
    static const char *const with[] = {"rv64ima_zicsr", "rv64im_zicsr_zfinx"};
    for (size_t i = 0; i < 2; i++) {
        FREED char *text = formatted("li a0, 0x10000\n%sebreak\n", words[i]);
        SCOPED(program) p = program_new(with[i], NULL, text);
        program_expect(&p, SAM_HART_EBREAK);
        SCOPED(program) q = program_new("rv64im_zicsr", NULL, text);
        program_expect(&q, SAM_HART_TRAP);
        assert_int_equal(q.result.cause, 2);
    }
}

TEST(registers_of_32_bits)
{
    SCOPED(program) p = program_new(RV32, NULL, "mv a0, sp\nebreak\n");
    sam_hart_set_x(p.hart, 2, UINT64_C(0x5aaaaaaaa));
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(sam_hart_x(p.hart, 10), 0xaaaaaaaa);
    sam_hart_set_pc(p.hart, UINT64_C(0x100000000));
    assert_int_equal(sam_hart_pc(p.hart), 0);
}

TEST(register_names)
{
    assert_int_equal(sam_hart_register("x10"), 10);
    assert_int_equal(sam_hart_register("a0"), 10);
    assert_int_equal(sam_hart_register("zero"), 0);
    assert_int_equal(sam_hart_register("x32"), -1);
    assert_int_equal(sam_hart_register("tl1"), -1);
    assert_int_equal(sam_hart_register(""), -1);
}

TEST(tl_registers)
{
    static const uint8_t zeros[1024];
    uint8_t bytes[1024];
    SCOPED(program) p = program_new(RV64, NULL, "ebreak\n");
    memset(bytes, 0x5a, sizeof bytes);
    sam_hart_set_tl(p.hart, 0, bytes);
    sam_hart_set_tl(p.hart, 31, bytes);
    assert_memory_equal(sam_hart_tl(p.hart, 0), zeros, sizeof zeros);
    assert_memory_equal(sam_hart_tl(p.hart, 30), zeros, sizeof zeros);
    assert_memory_equal(sam_hart_tl(p.hart, 31), bytes, sizeof bytes);
}

/* Overlapping and adjacent buffers form one: an access may cross from one into the next. */
TEST(buffers_merge)
{
    struct program p =
        program_new(RV64, NULL, "li a0, 0x20000\nld a1, 0(a0)\nld a2, 8(a0)\nebreak\n");
    uint8_t bytes[24];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i + 1);
    succeeds(sam_hart_map, p.hart, 0x2000c, 8);
    assert_int_equal(sam_hart_write(p.hart, 0x20008, bytes, 8, &p.error), SAM_ERR_USAGE);
    succeeds(sam_hart_map, p.hart, 0x20000, 3);
    succeeds(sam_hart_map, p.hart, 0x20002, 10);
    program_write(&p, 0x20000, bytes, 20);
    assert_int_equal(sam_hart_write(p.hart, 0x20000, bytes, 21, &p.error), SAM_ERR_USAGE);
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(sam_hart_x(p.hart, 11), UINT64_C(0x0807060504030201));
    assert_int_equal(sam_hart_x(p.hart, 12), UINT64_C(0x100f0e0d0c0b0a09));
    succeeds(sam_hart_map, p.hart, 0, 0);
    assert_int_equal(sam_hart_map(p.hart, UINT64_MAX, 2, &p.error), SAM_ERR_USAGE);
    program_free(&p);
    p = program_new(RV32, NULL, "ebreak\n");
    succeeds(sam_hart_map, p.hart, 0xfffff000, 0x1000);
    assert_int_equal(sam_hart_map(p.hart, 0xfffff000, 0x1001, &p.error), SAM_ERR_USAGE);
    assert_int_equal(sam_hart_map(p.hart, UINT64_C(0x100000000), 1, &p.error), SAM_ERR_USAGE);
    program_free(&p);
}

/* The upper half of an RV64 address distinguishes pages that share a TLB entry. */
TEST(pages_64)
{
    static const char text[] = "li a0, 0x10000\nli a1, 0x100010000\nli t0, 1\nli t1, 2\n"
                               "sd t0, 0(a0)\nsd t1, 0(a1)\nld a2, 0(a0)\nld a3, 0(a1)\n"
                               "li a4, 0x200010000\nld a5, 0(a4)\nebreak\n";
    SCOPED(program) p = program_new(RV64, NULL, text);
    succeeds(sam_hart_map, p.hart, UINT64_C(0x100010000), 0x1000);
    program_expect_trap(&p, 5, UINT64_C(0x200010000));
    assert_int_equal(sam_hart_x(p.hart, 12), 1);
    assert_int_equal(sam_hart_x(p.hart, 13), 2);
}

/* A page of code, and of an adjacent constant, is 4 KiB; the stack is mapped. */
TEST(memory_map)
{
    uint8_t byte = 0;
    SCOPED(program) p = program_new(RV64, NULL, "addi sp, sp, -16\nsd ra, 8(sp)\nebreak\n");
    assert_int_equal(sam_hart_x(p.hart, 2), SAM_HART_STACK_TOP);
    program_expect(&p, SAM_HART_EBREAK);
    program_read(&p, SAM_HART_CODE_BASE + 4095, &byte, 1);
    program_read(&p, SAM_HART_STACK_TOP - SAM_HART_STACK_SIZE, &byte, 1);
    assert_int_equal(sam_hart_read(p.hart, SAM_HART_CODE_BASE + 4096, &byte, 1, &p.error),
                     SAM_ERR_USAGE);
    assert_int_equal(
        sam_hart_read(p.hart, SAM_HART_STACK_TOP - SAM_HART_STACK_SIZE - 1, &byte, 1, &p.error),
        SAM_ERR_USAGE);
}

TEST(other_xlen_is_refused)
{
    SCOPED(program) p = program_new(RV32, NULL, "ebreak\n"),
                    q = program_new(RV64, NULL, "ebreak\n");
    must_fail(SAM_ERR_INPUT, "64-bit program for a 32-bit hart", sam_hart_load, p.hart, q.image);
}

/* The same program from an ELF file; it starts at the entry. */
TEST(elf_files)
{
    static const char text[] =
        "li a0, 1\nebreak\n.globl _start\n_start: la t0, word\nlw a0, 0(t0)\n"
        "ebreak\n.data\nword: .word 77\n";
    SCOPED(program) p = program_new(RV32, NULL, text);
    FREED void *elf = NULL;
    size_t size;
    SCOPED_IMAGE *image = NULL;
    struct sam_hart *hart;
    struct sam_hart_options options = {0};
    struct sam_hart_result result;
    succeeds(sam_elf_make, p.image, &elf, &size);
    succeeds(sam_elf_parse, elf, size, "made", &image);
    succeeds(sam_isa_parse, RV32, &options.isa);
    succeeds(sam_hart_new, &options, &hart);
    succeeds(sam_hart_load, hart, image);
    succeeds(sam_hart_run, hart, &result);
    assert_int_equal(result.end, SAM_HART_EBREAK);
    assert_int_equal(sam_hart_x(hart, 10), 77);
    sam_hart_free(hart);
}

/* A host store to code that has run takes effect. */
TEST(host_writes_code)
{
    static const uint8_t li_a0_9[] = {0x13, 0x05, 0x90, 0x00};
    SCOPED(program) p = program_new(RV64, NULL, "li a0, 1\nebreak\n");
    program_expect(&p, SAM_HART_EBREAK);
    program_write(&p, SAM_HART_CODE_BASE, li_a0_9, sizeof li_a0_9);
    sam_hart_set_pc(p.hart, SAM_HART_CODE_BASE);
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(sam_hart_x(p.hart, 10), 9);
}

/* Buffers are placed in unmapped memory, a page or more apart. */
TEST(buffers)
{
    static const char *const isas[] = {"rv32im_zicsr", "rv64im_zicsr"};
    for (size_t i = 0; i < 2; i++) {
        struct sam_hart_options options = {0};
        struct sam_hart *hart;
        struct sam_error error;
        uint64_t address[4];
        succeeds(sam_isa_parse, isas[i], &options.isa);
        succeeds(sam_hart_new, &options, &hart);
        succeeds(sam_hart_map, hart, 0x90002000, 0x1000);
        static const uint64_t sizes[] = {5000, 100, 0, 4096};
        for (size_t k = 0; k < 4; k++) {
            succeeds(sam_hart_alloc, hart, sizes[k], &address[k]);
            assert_int_equal(address[k] % 4096, 0);
        }
        assert_int_equal(address[0], 0x90004000);
        assert_int_equal(address[1], 0x90000000); /* fits below the mapped range */
        for (size_t k = 0; k < 4; k++) {
            const uint64_t size = sizes[k] ? sizes[k] : 1;
            succeeds(sam_hart_read, hart, address[k], NULL, size);
            assert_int_equal(sam_hart_read(hart, address[k] + size, NULL, 1, &error),
                             SAM_ERR_USAGE);
            assert_int_equal(sam_hart_read(hart, address[k] - 1, NULL, 1, &error), SAM_ERR_USAGE);
        }
        assert_int_equal(sam_hart_alloc(hart, UINT64_C(1) << (i ? 47 : 31), &address[0], &error),
                         SAM_ERR_USAGE);
        assert_int_equal(strncmp(error.text, "no room for a buffer of ", 24), 0);
        sam_hart_free(hart);
        /* a page is also left free after a range that ends where the buffers begin */
        succeeds(sam_hart_new, &options, &hart);
        succeeds(sam_hart_map, hart, 0x8ffff000, 0x1000);
        succeeds(sam_hart_alloc, hart, 8, &address[0]);
        assert_int_equal(address[0], 0x90001000);
        sam_hart_free(hart);
    }
}
