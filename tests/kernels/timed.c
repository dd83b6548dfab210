/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels with timing against plain launches: the same results, whatever the preset, the
 * schedule and the number of workers; and cycles account for every instruction. */

#include "test.h"

#include "check.h"

struct timed {
    struct sam_gpu_options options;
    struct sam_gpu_timing timing;
    uint64_t insns, cycles;
};

static uint64_t sum_of(const uint64_t reasons[SAM_GPUTIME_REASONS])
{
    uint64_t sum = 0;
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
        sum += reasons[reason];
    return sum;
}

static enum sam_status launch_timed(void *context, struct sam_gpu *gpu,
                                    const struct sam_launch *launch, struct sam_gpu_result *result,
                                    struct sam_error *error)
{
    struct timed *t = context;
    succeeds(sam_gpu_set_options, gpu, &t->options);
    const enum sam_status status = sam_gpu_launch(gpu, launch, result, error);
    must(status, error);
    const struct sam_gputime_result *r = &t->timing.result;
    uint64_t groups = 0, issues = 0;
    for (uint32_t i = 0; i < r->sms; i++) {
        assert_int_equal(sum_of(r->sm[i].reasons), r->cycles);
        for (unsigned u = 0; u < SAM_GPUTIME_UNITS; u++)
            assert_int_equal(sum_of(r->sm[i].units[u]), r->cycles);
        groups += r->sm[i].groups;
    }
    for (uint32_t i = 0; i < r->sms * r->slots; i++)
        assert_int_equal(sum_of(r->warp_slots[i]), r->cycles);
    for (size_t i = 0; i < r->row_count; i++) {
        assert_true(r->rows[i].word != 0);
        issues += r->rows[i].issues;
    }
    assert_int_equal(groups, launch->grid[0] * launch->grid[1] * launch->grid[2]);
    assert_int_equal(r->insns, result->stats.warp_insns);
    assert_int_equal(issues, r->insns);
    t->insns += r->insns;
    t->cycles += r->cycles;
    return status;
}

static void run_timed(const struct kernel_check *kernel, struct check_config config,
                      const char *preset, enum sam_schedule schedule, unsigned jobs,
                      const struct check_report *plain, uint64_t *cycles)
{
    struct sam_gputime_config machine;
    struct check_report report;
    struct timed t = {.options = {.size = sizeof t.options, .schedule = schedule, .jobs = jobs},
                      .timing = {.size = sizeof t.timing, .config = &machine}};
    t.options.timing = &t.timing;
    FREED char *text = formatted("preset=%s", preset);
    sam_gputime_config_init(&machine);
    succeeds(sam_gputime_config_set, &machine, text);
    config.launch = launch_timed;
    config.context = &t;
    succeeds(kernel_check_run, kernel, &config, &report);
    sam_gputime_result_free(&t.timing.result);
    if (!report.pass)
        fail_msg("%s", report.failure);
    assert_int_equal(report.digest, plain->digest);
    assert_int_equal(t.insns, plain->warp_insns);
    if (*cycles)
        assert_int_equal(t.cycles, *cycles); /* neither schedule nor workers change them */
    *cycles = t.cycles;
}

static void one_kernel(void **state)
{
    const struct kernel_check *kernel = *state;
    static const uint32_t lanes[] = {8, 32};
    for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++) {
        struct check_config config = {.size = kernel->default_size > 40 ? 40 : kernel->default_size,
                                      .lanes = lanes[i],
                                      .block = 64,
                                      .dir = KERNEL_DIR};
        struct check_report plain;
        uint64_t cycles = 0;
        succeeds(kernel_check_run, kernel, &config, &plain);
        run_timed(kernel, config, "rtl", SAM_SCHEDULE_RUN, 1, &plain, &cycles);
        run_timed(kernel, config, "rtl", SAM_SCHEDULE_RUN, 4, &plain, &cycles);
        for (size_t preset = 1; sam_gputime_preset(preset); preset++) {
            cycles = 0;
            run_timed(kernel, config, sam_gputime_preset(preset), SAM_SCHEDULE_RUN, 1, &plain,
                      &cycles);
        }
        cycles = 0; /* kernels with atomics may take another path in another order */
        run_timed(kernel, config, "rtl", SAM_SCHEDULE_RR1, 1, &plain, &cycles);
    }
}

TEST(other_launches)
{
    struct sam_gpu_timing timing = {.size = 8};
    struct sam_gpu_options options = {.size = sizeof options, .timing = &timing};
    struct sam_launch launch = {.start = SAM_CODE_BASE, .grid = {1, 1, 1}, .lanes = 32, .warps = 1};
    struct sam_session *session;
    struct sam_gpu *gpu;
    struct sam_error error;
    succeeds(sam_gpu_new, &options, &gpu);
    must_refuse(sam_gpu_launch(gpu, &launch, NULL, &error), &error, "timing of 8 bytes");
    timing.size = sizeof timing;
    must_refuse(sam_session_open(gpu, &launch, NULL, &session, &error), &error,
                "a session with timing");
    launch.warps = 9;
    must_refuse(sam_gpu_check_launch(gpu, &launch, &error), &error, "9 warps");
    must_refuse(sam_gpu_launch(gpu, &launch, NULL, &error), &error, "warps=8");
    assert_null(timing.result.sm); /* nothing has run */
    sam_gpu_free(gpu);
}

PROLOGUE
{
    for (size_t i = 0; i < kernel_check_count; i++)
        test_add(one_kernel, &kernel_checks[i], "%s", kernel_checks[i].name);
}
