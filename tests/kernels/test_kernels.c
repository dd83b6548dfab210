/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel of kernels/ (argv[1]): correct for every size, warp and block, and with two worker
 * threads; incorrect when its source is damaged, so that a pass means something. */
#include "test.h"

#include "mutants.h"
#include "profile_rows.h"
#include <check.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct kernel_check *kernel;

static const uint32_t lane_counts[] = {4, 8, 16, 32};

/* Fails the test unless the kernel runs and its results are correct. */
static struct check_report run(const struct check_config *config)
{
    struct check_report report;
    struct sam_error error = {0};
    enum sam_status status = kernel_check_run(kernel, config, &report, &error);
    if (status || !report.pass)
        fail_msg("%s size %" PRIu32 " lanes %" PRIu32 " block %" PRIu32 " jobs %u: %s",
                 kernel->name, config->size, config->lanes, config->block, config->jobs,
                 status ? error.text : report.failure);
    return report;
}

static void run_with_one_and_two_workers(uint32_t size, uint32_t lanes, uint32_t block)
{
    struct check_config config = {.size = size,
                                  .lanes = lanes,
                                  .block = block,
                                  .jobs = 1,
                                  .max_insns = 100000000,
                                  .dir = KERNEL_DIR};
    struct check_report one = run(&config);
    config.jobs = 2;
    struct check_report two = run(&config);
    assert_true(one.digest == two.digest);
    assert_true(one.warp_insns == two.warp_insns);
    assert_int_equal(one.launches, two.launches);
}

/* A single item, a part of a warp, one warp, several; one workgroup and many; block sizes that
 * leave lanes idle (20, 100 of 32-lane warps; 20 of 8-lane warps). */
static void test_size(void **state)
{
    static const uint32_t blocks[] = {4, 20, 32, 100};
    uint32_t size = *(const uint32_t *)*state;
    for (size_t l = 0; l < COUNT(lane_counts); l++)
        for (size_t b = size < 1000 ? 0 : 1; b < COUNT(blocks); b++) /* 4: too many workgroups */
            run_with_one_and_two_workers(size, lane_counts[l], blocks[b]);
}

/* Counts of straight-line runs equal those of single steps, with any number of workers. */
static void test_counts(void **state)
{
    (void)state;
    for (size_t l = 0; l < COUNT(lane_counts); l++) {
        const struct sam_profile_row *rows[3];
        struct sam_profile *profiles[3];
        size_t counts[3];
        for (int i = 0; i < 3; i++) {
            profiles[i] = sam_profile_new();
            assert_non_null(profiles[i]);
            struct check_config config = {.size = 333,
                                          .lanes = lane_counts[l],
                                          .block = 44,
                                          .jobs = i == 2 ? 2 : 1,
                                          .max_insns = 100000000,
                                          .profile = profiles[i],
                                          .stepped = i == 0,
                                          .dir = KERNEL_DIR};
            struct check_report report = run(&config);
            rows[i] = sam_profile_rows(profiles[i], &counts[i]);
            uint64_t sum = 0;
            for (size_t k = 0; k < counts[i]; k++)
                sum += rows[i][k].count;
            assert_true(sum == report.warp_insns);
            assert_true(counts[i] == counts[0]);
            for (size_t k = 0; k < counts[i]; k++) {
                uint64_t got, expected;
                const char *field = profile_rows_differ(&rows[i][k], &rows[0][k], &got, &expected);
                if (field)
                    fail_msg("0x%llx: %s %llu, single steps count %llu",
                             (unsigned long long)rows[0][k].pc, field, (unsigned long long)got,
                             (unsigned long long)expected);
            }
        }
        for (int i = 0; i < 3; i++)
            sam_profile_free(profiles[i]);
    }
}

static void test_large(void **state)
{
    (void)state;
    for (size_t l = 0; l < COUNT(lane_counts); l++)
        run_with_one_and_two_workers(kernel->default_size + 77, lane_counts[l], 256);
}

static void test_mutant(void **state)
{
    const struct mutant *mutant = *state;
    struct mutant_file file;
    mutant_write(mutant, &file);
    /* Not a multiple of a tile; a number of warps that is not a power of two. */
    struct check_config config = {
        .size = 1001, .lanes = 8, .block = 44, .jobs = 1, .max_insns = 1000000, .dir = file.dir};
    struct check_report report;
    struct sam_error error = {0};
    enum sam_status status = kernel_check_run(kernel, &config, &report, &error);
    mutant_remove(&file);
    /* Wrong results or a trap, but the source must still assemble. */
    if (status != SAM_OK && status != SAM_ERR_TRAP)
        fail_msg("'%s' for '%s': %s", mutant->to, mutant->from, error.text);
    if (report.pass)
        fail_msg("'%s' for '%s' goes unnoticed", mutant->to, mutant->from);
}

/* The OpenCL C version under the same check, with sizes and blocks as above. */
static void test_opencl(void **state)
{
    static const uint32_t sizes[] = {1, 33, 1000}, blocks[] = {20, 32, 100};
    (void)state;
    for (size_t i = 0; i < COUNT(sizes) * COUNT(blocks) * COUNT(lane_counts); i++) {
        const struct check_config config = {.size = sizes[i % 3],
                                            .lanes = lane_counts[i / 9],
                                            .block = blocks[i / 3 % 3],
                                            .jobs = 1,
                                            .max_insns = 100000000,
                                            .opencl = true,
                                            .dir = KERNEL_DIR};
        struct check_report report;
        struct sam_error error = {0};
        const enum sam_status status = kernel_check_run(kernel, &config, &report, &error);
        if (status == SAM_ERR_INPUT && strstr(error.text, "clang") && i == 0) {
            print_message("%s\n", error.text);
            skip();
        }
        if (status || !report.pass)
            fail_msg("%s.cl: size %" PRIu32 " lanes %" PRIu32 " block %" PRIu32 ": %s",
                     kernel->name, config.size, config.lanes, config.block,
                     status ? error.text : report.failure);
    }
}

int main(int argc, char **argv)
{
    static uint32_t sizes[] = {1, 31, 32, 33, 1000};
    static char names[64][160];
    static struct CMUnitTest tests[64];
    kernel = argc == 2 ? kernel_check_find(argv[1]) : NULL;
    if (!kernel) {
        fprintf(stderr, "usage: test_kernels KERNEL\n");
        return 2;
    }
    size_t count = 0;
    for (size_t i = 0; i < COUNT(sizes); i++, count++) {
        snprintf(names[count], sizeof names[count], "%s of %" PRIu32 " %s", kernel->name, sizes[i],
                 kernel->size_unit);
        tests[count].test_func = test_size;
        tests[count].initial_state = &sizes[i];
    }
    snprintf(names[count], sizeof names[count], "%s, large", kernel->name);
    tests[count++].test_func = test_large;
    snprintf(names[count], sizeof names[count], "%s, counts", kernel->name);
    tests[count++].test_func = test_counts;
    if (kernel->opencl) {
        snprintf(names[count], sizeof names[count], "%s in OpenCL C", kernel->name);
        tests[count++].test_func = test_opencl;
    }
    for (size_t i = 0; i < mutant_count; i++) {
        if (strcmp(mutants[i].kernel, kernel->name) != 0)
            continue;
        if (count == COUNT(tests))
            return 2;
        snprintf(names[count], sizeof names[count], "%s with '%s' for '%s' is found wrong",
                 kernel->name, mutants[i].to, mutants[i].from);
        for (char *c = names[count]; *c; c++)
            if (*c == '#' || *c == '\n') /* TAP would read a directive, or a line */
                *c = ' ';
        tests[count].test_func = test_mutant;
        tests[count++].initial_state = (void *)(uintptr_t)&mutants[i];
    }
    for (size_t i = 0; i < count; i++)
        tests[i].name = names[i];
    return _cmocka_run_group_tests(kernel->name, tests, count, NULL, NULL);
}
