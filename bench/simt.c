/* SPDX-License-Identifier: Apache-2.0 */
/* Ventus warps: whole kernels that loop over 16 vector (or 18 scalar) instructions, one worker. The
 * reference of each is the same loop in C, compiled for this host. Also: the cost of starting a
 * workgroup, and the memory of a machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "config.h"
#include "samite/samite.h"
#include "simt_native.h"

struct loop {
    const char *title;
    const char *file; /* bench/loops/<file>.s, kernel <file> */
    uint32_t lanes;
    double per_turn; /* units of work per iteration */
    const char *unit;
    void (*native)(uint64_t turns, struct native_state *state);
};

static const struct loop loops[] = {
    {"int, 32 lanes", "alu_int", 32, 16 * 32, "M lane-insns/s", native_int_32},
    {"int, 8 lanes", "alu_int", 8, 16 * 8, "M lane-insns/s", native_int_8},
    {"float, 32 lanes", "alu_float", 32, 16 * 32, "M lane-insns/s", native_float},
    {"unit-stride vlw12/vsw12", "mem_unit", 32, 16 * 32, "M lane-insns/s", native_memory},
    {"int, half of 32 lanes", "divergent", 32, 16 * 16, "M lane-insns/s", native_half},
    {"scalar", "scalar", 32, 18, "MIPS", native_scalar},
};

struct kernel {
    const struct loop *loop;
    struct sam_gpu *gpu;
    struct sam_image *image;
    struct sam_launch launch;
    uint32_t args;
};

static void fail(const char *what, const struct sam_error *error)
{
    fprintf(stderr, "bench: %s: %s\n", what, error->text);
    exit(1);
}

/* The start code and a kernel's source as one program. */
static struct sam_image *assemble(const char *name, const char *source)
{
    struct sam_asm_options options = {
        .size = sizeof options, .base = SAM_CODE_BASE, .prologue = sam_gpu_start_code()};
    struct sam_error error;
    struct sam_image *image;
    char *messages;
    sam_isa_parse("ventus", &options.isa, &error);
    if (sam_assemble(&options, name, source, strlen(source), &image, &messages, &error) != SAM_OK)
        fail(name, &error);
    sam_text_free(messages);
    return image;
}

static char *read_source(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/bench/loops/%s.s", SAM_SOURCE_ROOT, name);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 65536);
    if (!file || !text || fread(text, 1, 65535, file) == 0) {
        fprintf(stderr, "bench: cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

static void open_kernel(struct kernel *k, const char *name, struct sam_image *image, uint32_t lanes,
                        uint32_t groups)
{
    struct sam_error error;
    uint32_t buffer, args[2];
    k->image = image;
    if (sam_gpu_new(NULL, &k->gpu, &error) != SAM_OK ||
        sam_gpu_load(k->gpu, image, &error) != SAM_OK ||
        sam_gpu_alloc(k->gpu, 1 << 16, &buffer, &error) != SAM_OK)
        fail(name, &error);
    args[0] = 1;
    args[1] = buffer;
    struct sam_kernel kernel = {.name = name,
                                .grid = {groups, 1, 1},
                                .block = {lanes, 1, 1},
                                .lanes = lanes,
                                .args = args,
                                .args_size = sizeof args};
    uint32_t where;
    if (sam_gpu_prepare(k->gpu, image, &kernel, &k->launch, &error) != SAM_OK ||
        sam_gpu_read(k->gpu, k->launch.metadata + 4, &where, 4, &error) != SAM_OK)
        fail(name, &error);
    k->args = where;
}

static void close_kernel(struct kernel *k)
{
    sam_gpu_free(k->gpu);
    sam_image_free(k->image);
}

static double simulate(void *context, uint64_t rounds)
{
    struct kernel *k = context;
    uint32_t turns = rounds > UINT32_MAX ? UINT32_MAX : (uint32_t)rounds;
    struct sam_error error;
    if (sam_gpu_write(k->gpu, k->args, &turns, 4, &error) != SAM_OK ||
        sam_gpu_launch(k->gpu, &k->launch, NULL, &error) != SAM_OK)
        return -1;
    return turns * k->loop->per_turn;
}

/* The same in a session. */
static double simulate_session(void *context, uint64_t rounds)
{
    struct kernel *k = context;
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

/* Stepped: one instruction at a time, recorded. */
static double simulate_steps(void *context, uint64_t rounds)
{
    struct kernel *k = context;
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
    const struct loop *loop;
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
static void run_counted(struct bench *bench, struct kernel *k, const char *what, double plain)
{
    char name[96];
    struct sam_error error;
    struct sam_profile *profile = strcmp(what, "profile") == 0 ? sam_profile_new() : NULL;
    struct sam_gpu_options options = {
        .size = sizeof options, .collect_stats = profile == NULL, .profile = profile};
    snprintf(name, sizeof name, "%s: %s", k->loop->title, what);
    if (sam_gpu_set_options(k->gpu, &options, &error) != SAM_OK)
        fail(name, &error);
    bench_rate(bench, name, k->loop->unit, 1e6, simulate, k, plain);
    options = (struct sam_gpu_options){0};
    sam_gpu_set_options(k->gpu, &options, &error);
    sam_profile_free(profile);
}

static void run_loop(struct bench *bench, const struct loop *loop, struct native_state *state)
{
    char native_name[96];
    snprintf(native_name, sizeof native_name, "%s: native C", loop->title);
    if (!bench_wants(bench, loop->title) && !bench_wants(bench, native_name))
        return;
    for (int r = 0; r < 12; r++)
        for (int i = 0; i < 32; i++)
            state->v[r][i] = (uint32_t)(r * 32 + i) * 2654435761u, state->f[r][i] = 0.25f;
    struct native native = {loop, state};
    double reference = bench_rate(bench, native_name, loop->unit, 1e6, run_native, &native, 0);
    char *source = read_source(loop->file);
    struct kernel kernel = {.loop = loop};
    open_kernel(&kernel, loop->file, assemble(loop->file, source), loop->lanes, 1);
    const double plain =
        bench_rate(bench, loop->title, loop->unit, 1e6, simulate, &kernel, reference);
    run_counted(bench, &kernel, "statistics", plain);
    run_counted(bench, &kernel, "profile", plain);
    close_kernel(&kernel);
    free(source);
}

/* What a session costs: the first loop in one, against the plain launch, and its steps. */
static void run_session(struct bench *bench)
{
    static const char run[] = "int, 32 lanes, in a session", plain[] = "int, 32 lanes, launched",
                      steps[] = "int, 32 lanes, stepped";
    if (!bench_wants(bench, run) && !bench_wants(bench, plain) && !bench_wants(bench, steps))
        return;
    char *source = read_source(loops[0].file);
    struct kernel kernel = {.loop = &loops[0]};
    open_kernel(&kernel, loops[0].file, assemble(loops[0].file, source), 32, 1);
    double launched = bench_rate(bench, plain, loops[0].unit, 1e6, simulate, &kernel, 0);
    bench_rate(bench, run, loops[0].unit, 1e6, simulate_session, &kernel, launched);
    bench_rate(bench, steps, "M steps/s", 1e6, simulate_steps, &kernel, 0);
    close_kernel(&kernel);
    free(source);
}

/* One launch of GROUPS empty workgroups per round, so that the time is start-up. */
enum { GROUPS = 4096 };

static double start_groups(void *context, uint64_t rounds)
{
    struct kernel *k = context;
    for (uint64_t i = 0; i < rounds; i++)
        if (sam_gpu_launch(k->gpu, &k->launch, NULL, NULL) != SAM_OK)
            return -1;
    return (double)rounds * GROUPS;
}

static void run_start(struct bench *bench)
{
    if (!bench_wants(bench, "start of a workgroup"))
        return;
    struct kernel kernel = {0};
    open_kernel(&kernel, "empty", assemble("empty", "\t.globl empty\nempty:\n\tret\n"), 32, GROUPS);
    bench_time(bench, "start of a workgroup", "us", 1e-6, start_groups, &kernel, 0);
    close_kernel(&kernel);
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
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++)
        run_loop(bench, &loops[i], &state);
    run_session(bench);
    run_start(bench);
    run_memory(bench);
    return bench_close(bench);
}
