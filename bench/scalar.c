/* SPDX-License-Identifier: Apache-2.0 */
#include "scalar.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config.h"

void bench_program_open(struct bench_program *p, struct sam_image *image,
                        const struct sam_hart_options *options)
{
    struct sam_error error;
    p->image = image;
    p->entry = image->entry;
    if (sam_hart_new(options, &p->hart, &error) != SAM_OK ||
        sam_hart_map(p->hart, BENCH_DATA, 0x10000, &error) != SAM_OK ||
        sam_hart_load(p->hart, image, &error) != SAM_OK)
        bench_fail("hart", &error);
}

void bench_program_close(struct bench_program *p)
{
    sam_hart_free(p->hart);
    sam_image_free(p->image);
}

double bench_program_run(void *context, uint64_t rounds)
{
    struct bench_program *p = context;
    struct sam_hart_result result;
    sam_hart_set_pc(p->hart, p->entry);
    sam_hart_set_x(p->hart, 2, SAM_HART_STACK_TOP);
    sam_hart_set_x(p->hart, 10, rounds > UINT32_MAX ? UINT32_MAX : rounds);
    if (sam_hart_run(p->hart, &result, NULL) != SAM_OK || result.end != SAM_HART_EXIT ||
        result.exit_code != 0)
        return -1;
    return (double)result.instructions;
}

/* The program in qemu, including start-up. 0: not installed. */
static double qemu_rate(const char *path, double instructions)
{
    char command[600];
    snprintf(command, sizeof command, "qemu-riscv32 %s 2>/dev/null", path);
    double best = 0;
    for (int i = 0; i < 3; i++) {
        const double started = bench_now();
        if (system(command) != 0)
            return 0;
        const double seconds = bench_now() - started;
        best = best == 0 || seconds < best ? seconds : best;
    }
    return instructions / best;
}

/* The program translated, where the translator is built; qemu is the reference. */
static void run_translated(struct bench *bench, const char *title, struct sam_image *image,
                           const struct sam_hart_options *options, double reference)
{
#if defined(SAM_JIT_LIBRARY)
    char name[96];
    struct bench_program p = {0};
    snprintf(name, sizeof name, "%s: translated", title);
    if (!bench_wants(bench, name))
        return;
    setenv("SAMITE_JIT_LIBRARY", SAM_JIT_LIBRARY, 0);
    setenv("SAMITE_JIT", "wait", 1);
    setenv("XDG_CACHE_HOME", "/dev/null", 1); /* nothing is kept */
    bench_program_open(&p, image, options);
    unsetenv("SAMITE_JIT");
    bench_rate(bench, name, "MIPS", 1e6, bench_program_run, &p, reference);
    sam_hart_free(p.hart);
#else
    (void)bench, (void)title, (void)image, (void)options, (void)reference;
#endif
}

static void run_compiled(struct bench *bench, const char *name, bool statistics)
{
    char path[512], title[64], qemu[96], with_stats[96];
    struct sam_image *image;
    struct sam_error error;
    struct sam_isa isa;
    snprintf(path, sizeof path, "%s/bench/scalar_%s.elf", SAM_BUILD_ROOT, name);
    snprintf(title, sizeof title, "scalar, %s.c", name);
    snprintf(qemu, sizeof qemu, "%s: qemu-riscv32", title);
    snprintf(with_stats, sizeof with_stats, "%s, statistics", title);
    statistics &= bench_wants(bench, with_stats);
    if (access(path, R_OK) != 0 ||
        (!bench_wants(bench, title) && !bench_wants(bench, qemu) && !statistics))
        return;
    sam_isa_parse("rv32im_zicsr", &isa, &error);
    if (sam_elf_read(path, &image, &error) != SAM_OK)
        bench_fail(path, &error);
    struct bench_program p = {0}, counted = {0};
    struct sam_hart_options options = {.isa = isa};
    bench_program_open(&p, image, &options);
    const double reference = qemu_rate(path, bench_program_run(&p, 0)) / 1e6;
    if (reference > 0)
        bench_value(bench, qemu, "MIPS", reference, 0);
    bench_rate(bench, title, "MIPS", 1e6, bench_program_run, &p, reference);
    run_translated(bench, title, image, &options, reference);
    if (statistics) {
        options.collect_stats = true;
        bench_program_open(&counted, image, &options);
        bench_rate(bench, with_stats, "MIPS", 1e6, bench_program_run, &counted, 0);
        sam_hart_free(counted.hart);
    }
    bench_program_close(&p);
}

void bench_compiled(struct bench *bench, bool statistics)
{
    static const char *const names[] = {"sieve", "matmul", "mix"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        run_compiled(bench, names[i], statistics);
}
