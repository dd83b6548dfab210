/* SPDX-License-Identifier: Apache-2.0 */
/* Launches whose effects are immediate and whose cycles are counted later: memory and cycles
 * equal those of launches timed at once, on random programs. */

#include "test.h"

#include "random_case.h"
#include "simt/timed.h"

static struct sam_gpu *machine_of(const struct random_case *c, struct sam_gpu_timing *timing)
{
    struct sam_gpu_options options = c->options;
    struct sam_gpu *gpu;
    options.size = sizeof options;
    options.collect_stats = false;
    options.timing = timing;
    succeeds(sam_gpu_new, &options, &gpu);
    random_case_map(c, gpu);
    return gpu;
}

static void compare_memory(const struct random_case *c, struct sam_gpu *a, struct sam_gpu *b)
{
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++) {
        const uint32_t size = random_case_size(c, i);
        FREED uint8_t *left = malloc(size), *right = malloc(size);
        assert_true(left && right);
        succeeds(sam_gpu_read, a, random_buffers[i].base, left, size);
        succeeds(sam_gpu_read, b, random_buffers[i].base, right, size);
        assert_memory_equal(left, right, size);
    }
}

static void compare_cycles(struct sam_gpu_recording *recording,
                           const struct sam_gputime_config *config,
                           const struct sam_gputime_result *expected)
{
    const struct sam_gputime_source source = sam_gpu_recording_source(recording);
    SCOPED(sam_gputime_result) result = {0};
    succeeds(sam_gputime_run, config, sam_gpu_recording_facts(recording), &source, NULL, &result);
    succeeds(sam_gpu_recording_check, recording);
    sam_gpu_recording_name_rows(recording, &result);
    assert_int_equal(result.cycles, expected->cycles);
    assert_int_equal(result.insns, expected->insns);
    assert_int_equal(result.row_count, expected->row_count);
    for (size_t i = 0; i < result.row_count; i++)
        assert_int_equal(result.rows[i].word, expected->rows[i].word);
}

/* Two launches of each, both run before the first is counted. */
static void run_cases(enum gen_trap trap, uint64_t cases)
{
    FREED struct random_case *c = calloc(1, sizeof *c);
    const uint64_t first = test_number("SAMITE_SEED", 1);
    struct sam_gputime_config config;
    assert_non_null(c);
    sam_gputime_config_init(&config);
    for (uint64_t seed = first; seed < first + cases; seed++) {
        struct sam_gpu_timing timing = {.size = sizeof timing};
        struct sam_gputime_result results[2];
        struct sam_gpu_recording *recordings[2];
        struct sam_error error, expected;
        random_case_make(c, seed, trap);
        struct sam_gpu *recorded = machine_of(c, NULL), *timed = machine_of(c, &timing);
        enum sam_status status[2];
        for (unsigned i = 0; i < 2; i++) {
            status[i] = sam_gpu_launch(timed, &c->launch, NULL, &expected);
            results[i] = timing.result;
            timing.result = (struct sam_gputime_result){0};
            assert_int_equal(sam_gpu_record(recorded, &c->launch, &config, seed & 1 ? 0 : SIZE_MAX,
                                            &recordings[i], NULL, &error),
                             status[i]);
            if (status[i] != SAM_OK)
                assert_string_equal(error.text, expected.text);
            assert_non_null(recordings[i]);
        }
        compare_memory(c, recorded, timed);
        for (unsigned i = 0; i < 2; i++) {
            compare_cycles(recordings[i], &config, &results[i]);
            sam_gputime_result_free(&results[i]);
            sam_gpu_recording_free(recordings[i]);
        }
        sam_gpu_free(recorded);
        sam_gpu_free(timed);
    }
}

TEST(cycles_are_those_of_a_timed_launch)
{
    run_cases(GEN_NO_TRAP, 30);
}

TEST(a_trap_ends_both)
{
    run_cases(GEN_TRAP, 40);
}

TEST(a_launch_that_does_not_fit_runs_nothing)
{
    FREED struct random_case *c = calloc(1, sizeof *c);
    struct sam_gpu_recording *recording;
    struct sam_gputime_config config;
    struct sam_error error;
    assert_non_null(c);
    random_case_make(c, 1, GEN_NO_TRAP);
    sam_gputime_config_init(&config);
    succeeds(sam_gputime_config_set, &config, "lds_bytes=0");
    struct sam_gpu *gpu = machine_of(c, NULL), *untouched = machine_of(c, NULL);
    must_refuse(sam_gpu_record(gpu, &c->launch, &config, 0, &recording, NULL, &error), &error,
                "fits no SM: lds_bytes=0");
    assert_null(recording);
    compare_memory(c, gpu, untouched);
    sam_gpu_free(gpu);
    sam_gpu_free(untouched);
}
