/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix unit, one thread: the GEMM kernels of kernels/ on 256 x 256 x 256, whole programs with
 * their loads, stores and scalar code. */
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

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Matrix unit");
    for (unsigned mlen = 512; mlen >= 128; mlen /= 2) {
        for (size_t i = 0; i < gemm_kernel_count; i++) {
            struct gemm_config config = {SIDE, SIDE, SIDE, mlen, 64, KERNEL_DIR};
            struct sam_error error;
            struct gemm gemm;
            char name[64];
            snprintf(name, sizeof name, "gemm %s, MLEN %u", gemm_kernels[i].name, mlen);
            if (!bench_wants(bench, name))
                continue;
            if (gemm_open(&gemm, &gemm_kernels[i], &config, &error) != SAM_OK) {
                fprintf(stderr, "bench: %s\n", error.text);
                return 1;
            }
            bench_rate(bench, name, "GMAC/s", 1e9, multiply, &gemm, 0);
            gemm_free(&gemm);
        }
    }
    return bench_close(bench);
}
