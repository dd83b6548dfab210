/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels in sessions, run and stepped in random orders of warps and workgroups, against
 * plain launches: the bytes checked, counts, and every register of every warp. */

#include "test.h"

#include "../random.h"
#include "check.h"

enum manner { RUN, RANDOM, PIECES, MANNERS };

struct order {
    enum manner manner;
    uint64_t random;
    uint64_t registers; /* digest of all registers at the end of each launch */
};

static void ok(enum sam_status status, const struct sam_error *error)
{
    if (status != SAM_OK)
        fail_msg("%s: %s", sam_status_name(status), error->text);
}

static void mix(uint64_t *digest, uint64_t value)
{
    *digest = (*digest ^ value) * UINT64_C(0x100000001b3);
}

/* Registers of a warp that has ended. */
static void digest_warp(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                        uint64_t *digest)
{
    struct sam_session_warp state;
    struct sam_error error;
    uint32_t lanes[SAM_MAX_LANES];
    uint64_t x;
    ok(sam_session_warp(session, workgroup, warp, &state, &error), &error);
    assert_int_equal(state.state, SAM_WARP_ENDED);
    mix(digest, state.pc);
    mix(digest, state.instructions);
    for (unsigned i = 0; i < 64; i++) {
        ok(sam_session_x(session, workgroup, warp, i, &x, &error), &error);
        mix(digest, x);
    }
    for (unsigned i = 0; i < 256; i++) {
        ok(sam_session_v(session, workgroup, warp, i, lanes, &error), &error);
        for (unsigned lane = 0; lane < SAM_MAX_LANES; lane++)
            mix(digest, lanes[lane]);
    }
}

/* Step warps at random until all have ended. The report of each step matches the state. */
static void step_all(struct sam_session *session, const struct sam_launch *launch,
                     struct order *order)
{
    const uint32_t groups = launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint32_t total = groups * launch->warps;
    FREED uint32_t *open = malloc(total * sizeof *open);
    uint32_t count = total;
    static struct sam_step step;
    struct sam_session_warp state;
    struct sam_error error;
    assert_non_null(open);
    for (uint32_t i = 0; i < total; i++)
        open[i] = i;
    while (count) {
        const uint64_t at = test_below(&order->random, count);
        const uint32_t workgroup = open[at] / launch->warps, warp = open[at] % launch->warps;
        for (uint64_t left = 1 + test_below(&order->random, 40); left; left--) {
            const uint64_t time = sam_session_time(session);
            ok(sam_session_warp(session, workgroup, warp, &state, &error), &error);
            ok(sam_session_step(session, workgroup, warp, &step, &error), &error);
            assert_int_equal(step.pc, state.pc);
            assert_int_equal(step.mask_before, state.mask);
            assert_int_equal(step.depth_before, state.depth);
            assert_int_equal(step.workgroup, workgroup);
            assert_int_equal(step.warp, warp);
            assert_int_equal(step.time, time);
            assert_int_equal(sam_session_time(session) - time, step.kind != SAM_STEP_WAITS);
            ok(sam_session_warp(session, workgroup, warp, &state, &error), &error);
            assert_int_equal(step.mask_after, state.mask);
            assert_int_equal(step.depth_after, state.depth);
            for (unsigned i = 0; i < step.x_count; i++) {
                uint64_t x;
                ok(sam_session_x(session, workgroup, warp, step.x + i, &x, &error), &error);
                assert_int_equal(x, step.x_value[i]);
            }
            if (step.kind == SAM_STEP_BARRIER)
                assert_int_equal(state.state, SAM_WARP_WAITS);
            if (step.kind == SAM_STEP_WAITS || step.kind == SAM_STEP_BARRIER)
                break;
            if (step.kind == SAM_STEP_ENDED) {
                assert_int_equal(state.state, SAM_WARP_ENDED);
                open[at] = open[--count];
                break;
            }
            assert_int_equal(step.next_pc, state.pc);
        }
    }
}

/* Run in steps of random length, in all scopes. */
static void run_pieces(struct sam_session *session, const struct sam_launch *launch,
                       struct order *order)
{
    const uint32_t groups = launch->grid[0] * launch->grid[1] * launch->grid[2];
    struct sam_session_stop stop;
    struct sam_error error;
    do {
        struct sam_session_run run = {
            .size = sizeof run,
            .scope = (enum sam_session_scope)test_below(&order->random, 3),
            .workgroup = (uint32_t)test_below(&order->random, groups),
            .warp = (uint32_t)test_below(&order->random, launch->warps),
            .instructions = test_below(&order->random, 5000),
            .to_release = test_below(&order->random, 2) != 0,
        };
        const uint64_t time = sam_session_time(session);
        ok(sam_session_run(session, &run, &stop, &error), &error);
        assert_int_equal(sam_session_time(session) - time, stop.instructions);
        if (stop.reason == SAM_SESSION_COUNT)
            assert_int_equal(stop.instructions, run.instructions);
        if (stop.reason == SAM_SESSION_DONE && run.scope == SAM_SCOPE_ALL)
            return;
    } while (true);
}

static enum sam_status launch_session(void *context, struct sam_gpu *gpu,
                                      const struct sam_launch *launch,
                                      struct sam_gpu_result *result, struct sam_error *error)
{
    struct order *order = context;
    struct sam_session_options options = {
        .size = sizeof options, .keep_ended = true, .barrier_retry = order->random & 1};
    struct sam_session *session;
    ok(sam_session_open(gpu, launch, &options, &session, error), error);
    if (order->manner == RANDOM)
        step_all(session, launch, order);
    else if (order->manner == PIECES)
        run_pieces(session, launch, order);
    enum sam_status status = sam_session_finish(session, result, error);
    const uint32_t groups = launch->grid[0] * launch->grid[1] * launch->grid[2];
    for (uint32_t workgroup = 0; workgroup < groups; workgroup++) {
        assert_int_equal(sam_session_workgroup_state(session, workgroup), SAM_SESSION_ENDED);
        for (uint32_t warp = 0; warp < launch->warps; warp++)
            digest_warp(session, workgroup, warp, &order->registers);
    }
    sam_session_close(session);
    return status;
}

static void one_kernel(void **state)
{
    const struct kernel_check *kernel = *state;
    uint64_t random = test_seed();
    static const struct {
        uint32_t size, lanes;
    } cases[] = {{0, 0}, {9, 4}, {70, 8}, {200, 32}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct check_config config = {
            .size = cases[i].size, .lanes = cases[i].lanes, .dir = KERNEL_DIR};
        struct check_report plain, report;
        struct sam_error error;
        uint64_t registers = 0;
        if (cases[i].size > kernel->max_size)
            continue;
        if (!cases[i].size) /* the default, small enough to be stepped */
            config.size = kernel->default_size > 64 ? 64 : kernel->default_size;
        ok(kernel_check_run(kernel, &config, &plain, &error), &error);
        for (enum manner manner = RUN; manner < MANNERS; manner++) {
            struct order order = {.manner = manner, .random = test_random(&random)};
            config.launch = launch_session;
            config.context = &order;
            ok(kernel_check_run(kernel, &config, &report, &error), &error);
            config.launch = NULL;
            if (!report.pass)
                fail_msg("%s", report.failure);
            assert_int_equal(report.digest, plain.digest);
            assert_int_equal(report.warp_insns, plain.warp_insns);
            if (manner == RUN)
                registers = order.registers;
            assert_int_equal(order.registers, registers);
        }
    }
}

PROLOGUE
{
    for (size_t i = 0; i < kernel_check_count; i++)
        test_add(one_kernel, &kernel_checks[i], "%s", kernel_checks[i].name);
}
