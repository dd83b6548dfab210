/* SPDX-License-Identifier: Apache-2.0 */
/* The commit log of instrumented code equals that of single steps, byte by byte, on random
 * programs of 4 to 32 lanes: with traps, self-modifying code, and limits that end a launch
 * anywhere. */

#include "test.h"

#include "random_case.h"

static bool collect(void *context, const void *data, size_t size)
{
    return sam_buffer_append(context, data, size);
}

/* Counting instructions makes a logged launch step. */
static enum sam_status log_launch(const struct random_case *c, uint64_t limit, bool stepped,
                                  struct sam_buffer *log, struct sam_error *error)
{
    struct sam_gpu_options options = c->options;
    struct sam_gpu *gpu;
    options.size = sizeof options;
    options.collect_stats = stepped;
    options.profile = NULL;
    options.max_insns = limit;
    options.log = (struct sam_sink){collect, log};
    succeeds(sam_gpu_new, &options, &gpu);
    random_case_map(c, gpu);
    struct sam_gpu_result result;
    const enum sam_status status = sam_gpu_launch(gpu, &c->launch, &result, error);
    sam_gpu_result_free(&result);
    sam_gpu_free(gpu);
    assert_false(log->failed);
    return status;
}

static void compare(const struct random_case *c, uint64_t seed, uint64_t limit)
{
    struct sam_buffer logs[2] = {{0}};
    struct sam_error errors[2] = {{0}};
    const enum sam_status status = log_launch(c, limit, true, &logs[0], &errors[0]);
    assert_int_equal(log_launch(c, limit, false, &logs[1], &errors[1]), status);
    if (status != SAM_OK)
        assert_string_equal(errors[1].text, errors[0].text);
    assert_true(logs[0].size != 0 || limit);
    const char *a = sam_buffer_text(&logs[0]), *b = sam_buffer_text(&logs[1]);
    size_t line = 0;
    for (size_t i = 0; i < logs[0].size && i < logs[1].size && a[i] == b[i]; i++)
        line = a[i] == '\n' ? i + 1 : line;
    if (logs[0].size != logs[1].size || memcmp(a, b, logs[0].size) != 0)
        fail_msg("SAMITE_SEED=%llu: stepped %.300s, in runs %.300s", (unsigned long long)seed,
                 a + line, b + line);
    sam_buffer_free(&logs[0]);
    sam_buffer_free(&logs[1]);
}

static void run_cases(enum gen_trap trap, uint64_t cases)
{
    FREED struct random_case *c = calloc(1, sizeof *c);
    const uint64_t first = test_number("SAMITE_SEED", 1);
    assert_non_null(c);
    for (uint64_t seed = first; seed < first + cases; seed++) {
        random_case_make(c, seed, trap);
        compare(c, seed, 0);
        compare(c, seed, 1 + seed * 37 % 3000);
    }
}

TEST(programs_that_end)
{
    run_cases(GEN_NO_TRAP, 40);
}

TEST(programs_that_trap)
{
    run_cases(GEN_TRAP, 40);
}
