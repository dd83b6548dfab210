/* SPDX-License-Identifier: Apache-2.0 */
/* Global sizes that are not multiples of the local size. docs/ventus-rulings.md 4.9. */

#include "test.h"

#include "program.h"

/* out[workgroup * lanes + lane] += 1, in the lanes that run; all warps meet at two barriers. */
static const char kernel_text[] = "kernel: lw s1, 0(a0)\n"
                                  "csrr t1, numw\ncsrr t2, numt\nmul t1, t1, t2\n"
                                  "csrr t3, wgid\nmul t3, t3, t1\ncsrr t2, tid\nadd t3, t3, t2\n"
                                  "barrier 1\n"
                                  "vid.v v1\nvadd.vx v1, v1, t3\nvsll.vi v1, v1, 2\n"
                                  "vadd.vx v1, v1, s1\nvlw12.v v2, 0(v1)\nvadd.vi v2, v2, 1\n"
                                  "vsw12.v v2, 0(v1)\nbarrier 1\nret\n";

struct row {
    uint32_t global[3], block[3], lanes;
};

static struct program with_start_code(const char *text)
{
    FREED char *source = formatted("%s%s", sam_gpu_start_code(), text);
    return program_new(source, 4);
}

static void prepare(struct program *p, const struct sam_kernel *kernel,
                    const struct sam_prepare_options *options)
{
    if (sam_gpu_prepare_with(p->gpu, p->image, kernel, options, &p->launch, &p->error) != SAM_OK)
        fail_msg("%s", p->error.text);
}

static uint32_t groups_of(const struct row *row, int i)
{
    return (row->global[i] + row->block[i] - 1) / row->block[i];
}

/* Whether the lane runs: every lane in a complete workgroup, otherwise those with a work-item. */
static bool is_expected(const struct row *row, uint32_t group, uint32_t lane)
{
    bool cut = false, exists = lane < row->block[0] * row->block[1] * row->block[2];
    const uint32_t at[3] = {lane % row->block[0], lane / row->block[0] % row->block[1],
                            lane / row->block[0] / row->block[1]};
    for (int i = 0; i < 3; i++) {
        const uint32_t first = group % groups_of(row, i) * row->block[i];
        group /= groups_of(row, i);
        cut |= first + row->block[i] > row->global[i];
        exists &= first + at[i] < row->global[i];
    }
    return !cut || exists;
}

TEST(lanes_without_a_work_item_never_start)
{
    static const struct row rows[] = {
        {{13, 1, 1}, {8, 1, 1}, 4}, {{9, 1, 1}, {8, 1, 1}, 4},  {{100, 1, 1}, {32, 1, 1}, 32},
        {{5, 3, 1}, {4, 2, 1}, 4},  {{7, 5, 3}, {2, 2, 2}, 8},  {{3, 1, 1}, {64, 1, 1}, 16},
        {{16, 1, 1}, {8, 1, 1}, 4}, {{12, 1, 1}, {6, 1, 1}, 4}, {{13, 1, 1}, {6, 1, 1}, 4},
        {{1, 1, 9}, {1, 1, 5}, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        for (unsigned mode = 0; mode < 3; mode++) {
            SCOPED(program) p = with_start_code(kernel_text);
            const uint32_t out = DATA;
            struct sam_kernel kernel = {
                .name = "kernel", .lanes = row->lanes, .args = &out, .args_size = 4};
            struct sam_prepare_options options = {.size = sizeof options};
            memcpy(kernel.block, row->block, sizeof kernel.block);
            memcpy(options.global, row->global, sizeof options.global);
            prepare(&p, &kernel, &options);
            p.options.jobs = mode == 1 ? 3 : 1;
            p.options.schedule = mode == 2 ? SAM_SCHEDULE_RR1 : SAM_SCHEDULE_RUN;
            p.options.collect_stats = mode == 2;
            program_pass(&p);
            const uint32_t lanes = p.launch.warps * p.launch.lanes;
            const uint32_t groups = p.launch.grid[0] * p.launch.grid[1] * p.launch.grid[2];
            assert_int_equal(groups, groups_of(row, 0) * groups_of(row, 1) * groups_of(row, 2));
            for (uint32_t g = 0; g < groups; g++)
                for (uint32_t lane = 0; lane < lanes; lane++)
                    if (program_word(&p, DATA + 4 * (g * lanes + lane)) !=
                        is_expected(row, g, lane))
                        fail_msg("row %zu, mode %u: workgroup %u, lane %u", i, mode, g, lane);
        }
    }
}

TEST(sizes_and_offset_stand_in_the_metadata_buffer)
{
    SCOPED(program) p = with_start_code(kernel_text);
    const struct sam_kernel kernel = {.name = "kernel", .block = {8, 2, 1}, .lanes = 4};
    const struct sam_prepare_options options = {
        .size = sizeof options, .global = {20, 3, 1}, .offset = {100, 7, 0xffffffff}};
    prepare(&p, &kernel, &options);
    EXPECT_WORDS(&p, p.launch.metadata + 8, 2, 20, 3, 1, 8, 2, 1, 100, 7, 0xffffffff);
    assert_int_equal(p.launch.grid[0], 3);
    assert_int_equal(p.launch.grid[1], 2);
    assert_int_equal(p.launch.grid[2], 1);
    /* Without options the sizes are those of grid and block, and the offset is zero. */
    const struct sam_kernel plain = {
        .name = "kernel", .grid = {3, 1, 1}, .block = {8, 1, 1}, .lanes = 4};
    succeeds(sam_gpu_prepare, p.gpu, p.image, &plain, &p.launch);
    EXPECT_WORDS(&p, p.launch.metadata + 8, 1, 24, 1, 1, 8, 1, 1, 0, 0, 0);
}

/* A metadata buffer that contradicts the launch has no effect on its lanes. */
TEST(sizes_that_are_not_of_the_launch_change_nothing)
{
    static const uint32_t sizes[][6] = {
        {13, 1, 1, 0, 1, 1}, {13, 1, 1, 4, 1, 1}, {30, 1, 1, 8, 1, 1},
        {13, 1, 1, 8, 8, 1}, {13, 2, 1, 8, 1, 1}, {0, 1, 1, 8, 1, 1},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        SCOPED(program) p = with_start_code(kernel_text);
        const uint32_t out = DATA;
        const struct sam_kernel kernel = {.name = "kernel",
                                          .grid = {2, 1, 1},
                                          .block = {8, 1, 1},
                                          .lanes = 4,
                                          .args = &out,
                                          .args_size = 4};
        prepare(&p, &kernel, NULL);
        for (uint32_t k = 0; k < 6; k++)
            program_set(&p, p.launch.metadata + 12 + 4 * k, sizes[i][k]);
        program_pass(&p);
        for (uint32_t lane = 0; lane < 16; lane++)
            assert_int_equal(program_word(&p, DATA + 4 * lane), 1);
    }
}

TEST(a_branch_in_a_warp_that_started_in_part)
{
    /* Even lanes add 1, odd ones 2; lanes 0 to 2 of the second workgroup start. */
    SCOPED(program) p = with_start_code(
        "kernel: lw s1, 0(a0)\ncsrr t3, wgid\nslli t3, t3, 4\nadd s1, s1, t3\n"
        "vid.v v1\nvand.vi v2, v1, 1\nvmv.v.i v3, 0\nvsll.vi v1, v1, 2\nvadd.vx v1, v1, s1\n"
        "la t4, meet\nsetrpc zero, t4, 0\nvbeq v2, v3, even\nvmv.v.i v4, 2\nj meet\n"
        "even: vmv.v.i v4, 1\nmeet: join\nvsw12.v v4, 0(v1)\nbarrier 1\nret\n");
    const uint32_t out = DATA;
    const struct sam_kernel kernel = {
        .name = "kernel", .block = {4, 1, 1}, .lanes = 4, .args = &out, .args_size = 4};
    const struct sam_prepare_options options = {.size = sizeof options, .global = {7, 1, 1}};
    prepare(&p, &kernel, &options);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 1, 2, 1, 2, 1, 2, 1, 0);
}

TEST(what_cannot_be_prepared)
{
    SCOPED(program) p = with_start_code(kernel_text);
    struct sam_kernel kernel = {.name = "kernel", .block = {8, 1, 1}, .lanes = 4};
    struct sam_launch launch;
    struct sam_prepare_options options = {.size = sizeof options, .global = {8, 0, 1}};
    assert_int_equal(sam_gpu_prepare_with(p.gpu, p.image, &kernel, &options, &launch, &p.error),
                     SAM_ERR_USAGE);
    assert_string_equal(p.error.text, "global and block sizes start at 1");
    options = (struct sam_prepare_options){.size = 4};
    assert_int_equal(sam_gpu_prepare_with(p.gpu, p.image, &kernel, &options, &launch, &p.error),
                     SAM_ERR_USAGE);
    options =
        (struct sam_prepare_options){.size = sizeof options, .global = {0xffffffff, 0xffffffff, 1}};
    assert_int_equal(sam_gpu_prepare_with(p.gpu, p.image, &kernel, &options, &launch, &p.error),
                     SAM_ERR_USAGE);
}
