/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of both sides: look-up of kernels, heaps, and load errors. */
#include "system/program.h"

static struct sam_system *new_system(const struct sam_system_options *options)
{
    struct sam_system *system;
    succeeds(sam_system_new, options, &system);
    return system;
}

static uint32_t word(struct sam_system *system, const struct sam_image *image, const char *name)
{
    const struct sam_symbol *symbol = sam_image_find(image, name);
    uint8_t bytes[4];
    assert_non_null(symbol);
    assert_int_equal(sam_system_read(system, symbol->value, bytes, 4, NULL), SAM_OK);
    return sam_le32(bytes);
}

static const char kernels_a[] = ".globl first, second\nfirst: ret\nsecond: ret\n";
static const char kernels_b[] = ".globl third\n.section .rodata\nthird: .word 0\n";

/* Words gpu_NAME, for either order of loading; others are unchanged. */
TEST(names)
{
    for (unsigned order = 0; order < 6; order++) {
        struct sam_system *system = new_system(NULL);
        struct sam_image *program = test_assemble(
            RV64, SAM_SYSTEM_CODE_BASE, NULL,
            ".equ gpu_second, 5\n ebreak\n .data\ngpu_first: .word 1\ngpu_third: .word 3\n"
            "gpu_missing: .word 4\ngpufirst: .word 6\n.section .rodata\ngpu__start: .word 2\n");
        SCOPED_IMAGE *a = test_assemble("ventus", SAM_CODE_BASE, sam_gpu_start_code(), kernels_a);
        SCOPED_IMAGE *b = test_assemble("ventus", 0x80010000, NULL, kernels_b);
        for (unsigned step = 0; step < 3; step++) {
            if (step == order % 3)
                assert_int_equal(sam_system_load(system, program, NULL), SAM_OK);
            else if (step == 0 || (step == 1 && order % 3 == 0))
                assert_int_equal(sam_system_load_gpu(system, order < 3 ? a : b, NULL), SAM_OK);
            else
                assert_int_equal(sam_system_load_gpu(system, order < 3 ? b : a, NULL), SAM_OK);
        }
        assert_int_equal(word(system, program, "gpu_first"), sam_image_find(a, "first")->value);
        assert_int_equal(word(system, program, "gpu_third"), sam_image_find(b, "third")->value);
        assert_int_equal(word(system, program, "gpu__start"), 0x80000000);
        assert_int_equal(word(system, program, "gpu_missing"), 4);
        assert_int_equal(word(system, program, "gpufirst"), 6);
        sam_system_free(system);
        sam_image_free(program);
    }
}

TEST(bad_images)
{
    static const struct {
        const char *isa, *text;
        uint64_t base;
        bool gpu;
        const char *words;
    } cases[] = {
        {RV32, "ebreak\n", SAM_SYSTEM_CODE_BASE, false, "a 32-bit program for a 64-bit hart"},
        {RV64, "ebreak\n", 0x02000000, false, "control registers"},
        {RV64, "ebreak\n", 0x70000000, false, "local-memory window"},
        {RV64, "ebreak\n", UINT64_C(0x100000000), false, "above 4 GiB"},
        {RV64, "ebreak\n.bss\ngpu__start: .space 4\n", SAM_SYSTEM_CODE_BASE, false, "gpu__start"},
        {RV64, "ebreak\n.data\n.space 2\ngpu__start: .half 1\n", SAM_SYSTEM_CODE_BASE, false,
         "initialised data"},
        {RV64, "ebreak\n", SAM_CODE_BASE + 0x10000, true, "64-bit program"},
        {"ventus", "ret\n", SAM_CODE_BASE, true, "overlaps"},
        {"ventus", "ret\n", 0x10000000, true, "overlaps"},
        {"ventus", "ret\n", 0x02000000, true, "control registers"},
        {"ventus", "ret\n", 0x70000000, true, "local-memory window"},
    };
    SCOPED_IMAGE *kernels = test_assemble("ventus", SAM_CODE_BASE, sam_gpu_start_code(), kernels_a);
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct sam_system *system = new_system(NULL);
        SCOPED_IMAGE *image = test_assemble(cases[i].isa, cases[i].base, NULL, cases[i].text);
        struct sam_error error;
        assert_int_equal(sam_system_load_gpu(system, kernels, NULL), SAM_OK);
        assert_int_not_equal(cases[i].gpu ? sam_system_load_gpu(system, image, &error)
                                          : sam_system_load(system, image, &error),
                             SAM_OK);
        if (!strstr(error.text, cases[i].words))
            fail_msg("no '%s' in: %s", cases[i].words, error.text);
        sam_system_free(system);
    }
}

/* A program that is loaded again starts anew; its kernels' addresses are kept. */
TEST(again)
{
    struct sam_system *system = new_system(NULL);
    SCOPED_IMAGE *program =
        test_assemble(RV64, SAM_SYSTEM_CODE_BASE, NULL,
                      "la t0, gpu_first\n sw zero, 0(t0)\n ebreak\n .data\ngpu_first: .word 1\n");
    SCOPED_IMAGE *kernels = test_assemble("ventus", SAM_CODE_BASE, sam_gpu_start_code(), kernels_a);
    assert_int_equal(sam_system_load_gpu(system, kernels, NULL), SAM_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(sam_system_load(system, program, NULL), SAM_OK);
        assert_int_equal(sam_system_load_gpu(system, kernels, NULL), SAM_OK);
        assert_int_equal(word(system, program, "gpu_first"),
                         sam_image_find(kernels, "first")->value);
        assert_int_equal(sam_system_run(system, NULL, NULL), SAM_OK);
        assert_int_equal(word(system, program, "gpu_first"), 0);
    }
    sam_system_free(system);
}

/* The heap follows the program in the same buffer, also when __heap_end sets its end; brk ends
 * there. */
TEST(heap)
{
    static const char brk[] = " li a0, 0\n"
                              " li a7, 214\n" /* brk */
                              " ecall\n"
                              " li t0, 0x%x\n"
                              " add a0, a0, t0\n"
                              " mv s1, a0\n"
                              " ecall\n"
                              " sub s1, a0, s1\n" /* 0: moved */
                              " ebreak\n"
                              " .data\n"
                              " .word 1, 2, 3\n";
    static const struct {
        uint64_t heap_size;
        uint32_t more;
        bool moved;
    } cases[] = {{0, 0xfff000, true},
                 {0, 0x1002000, false},
                 {0x4000, 0x3000, true},
                 {0x4000, 0x6000, false}};
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(sam_buffer) text = {0};
        struct sam_hostio *host;
        assert_int_equal(sam_hostio_new(NULL, &host, NULL), SAM_OK);
        sam_buffer_printf(&text, brk, cases[i].more);
        SCOPED(system_program) p = system_program_new(
            RV64, &(struct sam_system_options){.heap_size = cases[i].heap_size},
            &(struct sam_hart_options){.hostio = host}, sam_buffer_text(&text), NULL);
        succeeds(sam_system_run, p.system, &p.result);
        assert_int_equal(sam_hart_x(p.hart, 9) == 0, cases[i].moved);
        sam_hostio_free(host);
    }
    SCOPED(system_program) p = system_program_new(
        RV32, NULL, NULL, ".globl __heap_end\n.equ __heap_end, 0x43000000\n ebreak\n", NULL);
    assert_int_equal(sam_system_read(p.system, SAM_SYSTEM_CODE_BASE, NULL, 0x3000000, NULL),
                     SAM_OK);
    assert_int_not_equal(sam_system_read(p.system, 0x43000000, NULL, 1, NULL), SAM_OK);
}

/* A program may contain its kernels, at their addresses. */
TEST(embedded)
{
    struct sam_system *system = new_system(NULL);
    SCOPED_IMAGE *image = sam_image_new(64);
    uint8_t code[8] = {0x13, 0, 0, 0, 0x13, 0, 0, 0};
    const struct sam_section sections[] = {
        {.name = ".text", .address = SAM_SYSTEM_CODE_BASE, .size = 8, .data_size = 8, .data = code},
        {.name = ".gpu", .address = SAM_CODE_BASE, .size = 8, .data_size = 8, .data = code},
    };
    assert_non_null(image);
    for (size_t i = 0; i < 2; i++)
        succeeds(sam_image_add_section, image, &sections[i]);
    succeeds(sam_image_finish, image);
    succeeds(sam_system_load, system, image);
    assert_int_equal(sam_system_read(system, SAM_CODE_BASE, code, 8, NULL), SAM_OK);
    /* The heap belongs to the program proper. */
    assert_int_equal(sam_system_read(system, SAM_SYSTEM_CODE_BASE, NULL, 0x1001000, NULL), SAM_OK);
    assert_int_equal(sam_system_read(system, 0x80001000, NULL, 1, NULL), SAM_ERR_USAGE);
    sam_system_free(system);
}
