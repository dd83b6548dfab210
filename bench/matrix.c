/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix unit, one thread: the GEMM kernels of kernels/ on 256 x 256 x 256, whole programs
 * with their loads, stores and scalar code; and the cycle model of the unit on the same
 * programs, in simulated cycles per second. Last the products per cycle, next to the bound of
 * the bus. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "gemm.h"

enum { SIDE = 256 };

static double multiply(void *context, uint64_t rounds)
{
    struct sam_error error;
    for (uint64_t r = 0; r < rounds; r++)
        if (gemm_run(context, &error) != SAM_OK)
            return -1;
    return (double)rounds * SIDE * SIDE * SIDE;
}

static double simulate(void *context, uint64_t rounds)
{
    struct gemm *gemm = context;
    const uint64_t before = sam_hart_cycles(gemm->hart)->cycles;
    if (multiply(gemm, rounds) < 0)
        return -1;
    return (double)(sam_hart_cycles(gemm->hart)->cycles - before);
}

static void open_gemm(struct gemm *gemm, const struct gemm_kernel *kernel,
                      const struct gemm_config *config)
{
    struct sam_error error;
    if (gemm_open(gemm, kernel, config, &error) != SAM_OK) {
        fprintf(stderr, "bench: %s\n", error.text);
        exit(1);
    }
}

static void run_cycles(struct bench *bench)
{
    struct sam_mxu_config model;
    sam_mxu_config_init(&model, 512);
    for (size_t i = 0; i < gemm_kernel_count; i++) {
        struct gemm_config config = {.m = SIDE, .n = SIDE, .k = SIDE, .dir = KERNEL_DIR};
        struct gemm gemm;
        char name[64];
        snprintf(name, sizeof name, "cycles of gemm %s", gemm_kernels[i].name);
        if (!bench_wants(bench, name))
            continue;
        config.cycles = &model;
        open_gemm(&gemm, &gemm_kernels[i], &config);
        bench_rate(bench, name, "M cycles/s", 1e6, simulate, &gemm, 0);
        gemm_free(&gemm);
    }
}

/* Products per simulated cycle; the reference is the bound of the bus. */
static void show_products(struct bench *bench)
{
    for (uint32_t acc_regs = 0; acc_regs <= 0x11; acc_regs += 0x11) {
        for (size_t i = 0; i < gemm_kernel_count; i++) {
            const struct gemm_config config = {
                .m = SIDE, .n = SIDE, .k = SIDE, .dir = KERNEL_DIR, .acc_regs = acc_regs};
            char name[64];
            snprintf(name, sizeof name, "products of gemm %s%s", gemm_kernels[i].name,
                     acc_regs ? ", acc_regs 0:4" : "");
            if (!bench_wants(bench, name))
                continue;
            const uint64_t cycles = gemm_cycles(&gemm_kernels[i], &config);
            const double macs = (double)SIDE * SIDE * SIDE;
            bench_value(bench, name, "MAC/cycle", cycles ? macs / (double)cycles : -1,
                        macs / gemm_bound(&gemm_kernels[i], &config));
        }
    }
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Matrix unit");
    for (unsigned mlen = 512; mlen >= 128; mlen /= 2) {
        for (size_t i = 0; i < gemm_kernel_count; i++) {
            struct gemm_config config = {
                .m = SIDE, .n = SIDE, .k = SIDE, .mlen = mlen, .dir = KERNEL_DIR};
            struct gemm gemm;
            char name[64];
            snprintf(name, sizeof name, "gemm %s, MLEN %u", gemm_kernels[i].name, mlen);
            if (!bench_wants(bench, name))
                continue;
            open_gemm(&gemm, &gemm_kernels[i], &config);
            bench_rate(bench, name, "GMAC/s", 1e9, multiply, &gemm, 0);
            gemm_free(&gemm);
        }
    }
    run_cycles(bench);
    show_products(bench);
    return bench_close(bench);
}
