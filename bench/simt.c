/* SPDX-License-Identifier: Apache-2.0 */
/* Ventus warps: whole kernels that loop over 16 vector (or 18 scalar) instructions, one worker. The
 * reference of each is the same loop in C, compiled for this host. Also: the cost of starting a
 * workgroup, and the memory of a machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/base.h"
#include "loop.h"

/* The same in a session. */
static double simulate_session(void *context, uint64_t rounds)
{
    struct bench_kernel *k = context;
    uint32_t turns = rounds > UINT32_MAX ? UINT32_MAX : (uint32_t)rounds;
    struct sam_session *session;
    struct sam_error error;
    if (sam_gpu_write(k->gpu, k->args, &turns, 4, &error) != SAM_OK ||
        sam_session_open(k->gpu, &k->launch, NULL, &session, &error) != SAM_OK)
        return -1;
    const enum sam_status status = sam_session_run(session, NULL, NULL, &error);
    sam_session_close(session);
    return status == SAM_OK ? turns * k->loop->per_turn : -1;
}

/* Stepped, with recording. */
static double simulate_steps(void *context, uint64_t rounds)
{
    struct bench_kernel *k = context;
    uint32_t turns = UINT32_MAX;
    struct sam_session *session;
    struct sam_step step;
    struct sam_error error;
    if (sam_gpu_write(k->gpu, k->args, &turns, 4, &error) != SAM_OK ||
        sam_session_open(k->gpu, &k->launch, NULL, &session, &error) != SAM_OK)
        return -1;
    uint64_t left = rounds;
    while (left && sam_session_step(session, 0, 0, &step, &error) == SAM_OK)
        left--;
    sam_session_close(session);
    return left ? -1 : (double)rounds;
}

struct native {
    const struct bench_loop *loop;
    struct native_state *state;
};

static double run_native(void *context, uint64_t rounds)
{
    struct native *n = context;
    n->loop->native(rounds, n->state);
    bench_use(n->state);
    return (double)rounds * n->loop->per_turn;
}

/* The same with statistics, or with a profile; the plain rate is the reference. */
static void run_counted(struct bench *bench, struct bench_kernel *k, const char *what, double plain)
{
    char name[96];
    struct sam_error error;
    struct sam_profile *profile = strcmp(what, "profile") == 0 ? sam_profile_new() : NULL;
    struct sam_gpu_options options = {
        .size = sizeof options, .collect_stats = profile == NULL, .profile = profile};
    snprintf(name, sizeof name, "%s: %s", k->loop->title, what);
    if (sam_gpu_set_options(k->gpu, &options, &error) != SAM_OK)
        bench_fail(name, &error);
    bench_rate(bench, name, k->loop->unit, 1e6, bench_loop_run, k, plain);
    options = (struct sam_gpu_options){0};
    sam_gpu_set_options(k->gpu, &options, &error);
    sam_profile_free(profile);
}

/* The same translated, where the translator is built; native C is the reference. */
static void run_translated(struct bench *bench, const struct bench_loop *loop, double reference)
{
#if defined(SAM_JIT_LIBRARY)
    char name[96];
    struct bench_kernel kernel;
    snprintf(name, sizeof name, "%s: translated", loop->title);
    if (!bench_wants(bench, name))
        return;
    setenv("SAMITE_JIT_LIBRARY", SAM_JIT_LIBRARY, 0);
    setenv("SAMITE_JIT", "wait", 1);
    setenv("XDG_CACHE_HOME", "/dev/null", 1); /* nothing is kept */
    bench_loop_open(&kernel, loop);
    unsetenv("SAMITE_JIT");
    bench_rate(bench, name, loop->unit, 1e6, bench_loop_run, &kernel, reference);
    bench_kernel_close(&kernel);
#else
    (void)bench, (void)loop, (void)reference;
#endif
}

static void run_loop(struct bench *bench, const struct bench_loop *loop, struct native_state *state)
{
    static const char *const more[] = {"native C", "statistics", "profile", "translated"};
    char native_name[96];
    bool wanted = bench_wants(bench, loop->title);
    for (size_t i = SAM_COUNT(more); i-- > 0;) { /* native_name is the last of them */
        snprintf(native_name, sizeof native_name, "%s: %s", loop->title, more[i]);
        wanted |= bench_wants(bench, native_name);
    }
    if (!wanted)
        return;
    for (int r = 0; r < 12; r++)
        for (int i = 0; i < 32; i++)
            state->v[r][i] = (uint32_t)(r * 32 + i) * 2654435761u, state->f[r][i] = 0.25f;
    struct native native = {loop, state};
    double reference = bench_rate(bench, native_name, loop->unit, 1e6, run_native, &native, 0);
    struct bench_kernel kernel;
    bench_loop_open(&kernel, loop);
    const double plain =
        bench_rate(bench, loop->title, loop->unit, 1e6, bench_loop_run, &kernel, reference);
    run_counted(bench, &kernel, "statistics", plain);
    run_counted(bench, &kernel, "profile", plain);
    bench_kernel_close(&kernel);
    run_translated(bench, loop, reference);
}

/* The cost of a session: the first loop in one, against the plain launch, and its steps. */
static void run_session(struct bench *bench)
{
    static const char run[] = "int, 32 lanes, in a session", plain[] = "int, 32 lanes, launched",
                      steps[] = "int, 32 lanes, stepped";
    if (!bench_wants(bench, run) && !bench_wants(bench, plain) && !bench_wants(bench, steps))
        return;
    struct bench_kernel kernel;
    bench_loop_open(&kernel, &bench_loops[0]);
    double launched =
        bench_rate(bench, plain, bench_loops[0].unit, 1e6, bench_loop_run, &kernel, 0);
    bench_rate(bench, run, bench_loops[0].unit, 1e6, simulate_session, &kernel, launched);
    bench_rate(bench, steps, "M steps/s", 1e6, simulate_steps, &kernel, 0);
    bench_kernel_close(&kernel);
}

/* One launch of GROUPS empty workgroups per round, so that the time is start-up. */
enum { GROUPS = 4096 };

static double start_groups(void *context, uint64_t rounds)
{
    struct bench_kernel *k = context;
    for (uint64_t i = 0; i < rounds; i++)
        if (sam_gpu_launch(k->gpu, &k->launch, NULL, NULL) != SAM_OK)
            return -1;
    return (double)rounds * GROUPS;
}

static void run_start(struct bench *bench)
{
    if (!bench_wants(bench, "start of a workgroup"))
        return;
    struct bench_kernel kernel = {0};
    bench_kernel_open(&kernel, "empty", bench_assemble("empty", "\t.globl empty\nempty:\n\tret\n"),
                      32, GROUPS);
    bench_time(bench, "start of a workgroup", "us", 1e-6, start_groups, &kernel, 0);
    bench_kernel_close(&kernel);
}

/* Peak resident memory of this process: libraries, the machine, its buffers. */
static void run_memory(struct bench *bench)
{
    struct rusage usage;
    if (bench_wants(bench, "memory, all of the above") && getrusage(RUSAGE_SELF, &usage) == 0)
        bench_value(bench, "memory, all of the above", "MiB", (double)usage.ru_maxrss / 1024, 0);
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Ventus warps, one worker");
    static struct native_state state;
    state.t0 = 1, state.t2 = 0x9e3779b9;
    for (size_t i = 0; i < bench_loop_count; i++)
        run_loop(bench, &bench_loops[i], &state);
    run_session(bench);
    run_start(bench);
    run_memory(bench);
    return bench_close(bench);
}
