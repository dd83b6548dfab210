/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of local memory. docs/ventus-rulings.md 4.2. */

#include "test.h"

#include "program.h"

#define END "endprg\n"

struct access {
    uint32_t address;
    unsigned size;
    bool allowed;
};

/* A load or a store of `size` bytes, twice: the second one hits the TLB. */
static void expect(const struct sam_gpu_options *options, uint32_t lds_size,
                   const struct access *access, bool store)
{
    static const char *const loads[] = {[1] = "lb", [2] = "lh", [4] = "lw"};
    static const char *const stores[] = {[1] = "sb", [2] = "sh", [4] = "sw"};
    char text[256];
    const char *name = (store ? stores : loads)[access->size];
    /* First access the page where that is allowed. */
    snprintf(text, sizeof text,
             "li x5, 0x70000000\nsw x6, 0(x5)\nli x5, 0x%x\n%s x6, 0(x5)\n"
             "%s x6, 0(x5)\n" END,
             access->address, name, name);
    SCOPED(program) p = program_new(text, 4);
    p.options = *options;
    p.launch.lds_size = lds_size;
    if (access->allowed) {
        program_pass(&p);
    } else {
        program_trap(&p, store ? SAM_TRAP_STORE_FAULT : SAM_TRAP_LOAD_FAULT);
        assert_int_equal(p.result.trap.tval, access->address);
        assert_non_null(
            strstr(p.error.text, ", outside the workgroup's local memory; workgroup 0"));
    }
}

TEST(what_is_declared_may_be_accessed)
{
    static const struct sam_lds_range ranges[] = {
        {0x7ffff000, 0x1000}, {0x70004100, 16}, {0x70004110, 8}, {0x70002000, 64}};
    const struct sam_gpu_options options = {
        .size = sizeof options, .strict_lds = true, .lds_ranges = ranges, .lds_range_count = 4};
    static const struct access rows[] = {
        {0x70000000, 4, true},  {0x700013fc, 4, true},  {0x700013fe, 2, true},
        {0x70001400, 4, false}, {0x70001400, 1, false}, {0x70001ffc, 4, false},
        {0x70002000, 4, true},  {0x7000203c, 4, true},  {0x70002040, 1, false},
        {0x700040fc, 4, false}, {0x70004100, 4, true},  {0x7000410c, 4, true},
        {0x70004114, 4, true},  {0x70004118, 1, false}, {0x7fffeffc, 4, false},
        {0x7ffff000, 4, true},  {0x7ffffffc, 4, true},  {0x7fffffff, 1, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(&options, 0x1400, &rows[i], false);
        expect(&options, 0x1400, &rows[i], true);
    }
    /* Bytes, not words: the end need not be aligned. */
    const struct sam_gpu_options alone = {.size = sizeof alone, .strict_lds = true};
    static const struct access odd[] = {{0x70000008, 1, true},
                                        {0x70000009, 1, false},
                                        {0x70000008, 2, false},
                                        {0x70000008, 4, false}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        expect(&alone, 9, &odd[i], i & 1);
}

/* As on the hardware, and in recordings of launches that use more than they declare. */
TEST(without_the_option_all_of_the_window_is_there)
{
    const struct sam_gpu_options options = {.size = sizeof options};
    const struct access far = {0x7ffffffc, 4, true};
    expect(&options, 64, &far, true);
    expect(&options, 64, &far, false);
}

TEST(lanes_are_checked_one_by_one)
{
    SCOPED(program) p = program_new("li x5, 0x70000ff8\nvid.v v1\nvsll.vi v1, v1, 2\n"
                                    "vadd.vx v1, v1, x5\nbad: vsw12.v v1, 0(v1)\n" END,
                                    4);
    p.options.size = sizeof p.options;
    p.options.strict_lds = true;
    p.launch.lds_size = 0x1000;
    program_trap(&p, SAM_TRAP_STORE_FAULT);
    assert_int_equal(p.result.trap.lane, 2);
    assert_int_equal(p.result.trap.tval, 0x70001000);
    assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
    p.launch.lds_size = 0x1008;
    program_pass(&p);
}

/* Scalar stacks, and the program's declaration. */
TEST(a_prepared_launch_has_its_own_size)
{
    FREED char *text =
        formatted(".globl kernel, later\n%skernel: nop\nlater: ret\n", sam_gpu_start_code());
    SCOPED(program) p = program_new(text, 4);
    const struct sam_kernel kernel = {
        .name = "kernel", .grid = {1, 1, 1}, .block = {12, 1, 1}, .lanes = 4};
    struct sam_prepare_options options = {.size = sizeof options, .lds_size = 0x123};
    succeeds(sam_gpu_prepare_with, p.gpu, p.image, &kernel, &options, &p.launch);
    assert_int_equal(p.launch.lds_size, 3 * 1024 + 0x123);
    succeeds(sam_gpu_prepare, p.gpu, p.image, &kernel, &p.launch);
    assert_int_equal(p.launch.lds_size, SAM_LDS_SIZE); /* nothing is declared */
    struct sam_kernel_resource resources[] = {{1, 1, 16, 8}, {1, 1, 64, 4}, {1, 1, 32, 12}};
    p.image->resources = resources;
    p.image->resource_count = 2;
    succeeds(sam_gpu_prepare, p.gpu, p.image, &kernel, &p.launch);
    assert_int_equal(p.launch.lds_size, 3 * 1024 + 16);
    assert_int_equal(p.launch.pds_size, 8);
    p.image->resource_count = 3; /* more than kernels: the maximum */
    succeeds(sam_gpu_prepare, p.gpu, p.image, &kernel, &p.launch);
    assert_int_equal(p.launch.lds_size, 3 * 1024 + 64);
    assert_int_equal(p.launch.pds_size, 12);
    options.lds_size = 0xffffffff;
    succeeds(sam_gpu_prepare_with, p.gpu, p.image, &kernel, &options, &p.launch);
    assert_int_equal(p.launch.lds_size, SAM_LDS_SIZE);
    p.image->resources = NULL;
    p.image->resource_count = 0;
}
