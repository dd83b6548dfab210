/* SPDX-License-Identifier: Apache-2.0 */
/* gemm: run the GEMM kernels on the matrix unit and check their results. */
#include "gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"

static const char help[] =
    "Usage: gemm [NAME [M N K]] [--mlen BITS]\n"
    "\n"
    "Multiply matrices from a fixed seed with kernels/gemm_NAME.s and compare the result with "
    "plain\n"
    "C, bit by bit. Without NAME: all of them, 256 x 256 x 256. NAME: i8 i4 f16 f32 f16_f32.\n"
    "\n"
    "Exit code: 0 success, 1 wrong result or trap, 2 bad usage or input.\n"
    "Example: gemm f16 100 75 130 --mlen 256\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run_one(const struct gemm_kernel *kernel, const struct gemm_config *config)
{
    struct gemm g;
    struct sam_error error = {0};
    enum sam_status status = gemm_open(&g, kernel, config, &error);
    double started = now();
    if (status == SAM_OK)
        status = gemm_run(&g, &error);
    double seconds = now() - started;
    bool good = status == SAM_OK && gemm_check(&g);
    if (status != SAM_OK)
        fprintf(stderr, "gemm: error: %s: %s\n", kernel->name, error.text);
    else
        printf("%-8s %4u x %4u x %4u, MLEN %u: %8llu instructions, %6.3f GMAC/s  %s %s\n",
               kernel->name, config->m, config->n, config->k, g.config.mlen,
               (unsigned long long)g.insns, 1e-9 * config->m * config->n * config->k / seconds,
               good ? "PASS" : "FAIL", g.failure);
    gemm_free(&g);
    return good ? 0 : status == SAM_OK || status == SAM_ERR_TRAP ? 1 : 2;
}

static int usage(const char *what, const char *text)
{
    return kernel_usage("gemm", what, text);
}

static int command(int argc, char **argv)
{
    struct gemm_config config = {.m = 256, .n = 256, .k = 256, .dir = KERNEL_DIR};
    const struct gemm_kernel *only = NULL;
    uint32_t *const sizes[] = {&config.m, &config.n, &config.k};
    int words = 0;
    for (int i = 1; i < argc; i++) {
        char *end = "";
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return 0;
        }
        if (strcmp(argv[i], "--mlen") == 0 && i + 1 < argc) {
            config.mlen = (unsigned)strtoul(argv[++i], &end, 10);
            if (*end || (config.mlen != 128 && config.mlen != 256 && config.mlen != 512))
                return usage("expected --mlen 128, 256 or 512, found", argv[i]);
        } else if (words == 0) {
            if (!(only = gemm_find(argv[i])))
                return usage("unknown kernel", argv[i]);
            words++;
        } else if (words < 4 && (*sizes[words - 1] = (uint32_t)strtoul(argv[i], &end, 10)) &&
                   *end == '\0') {
            words++;
        } else {
            return usage("unexpected", argv[i]);
        }
    }
    int code = 0;
    for (size_t i = 0; i < gemm_kernel_count; i++) {
        int one = only && only != &gemm_kernels[i] ? 0 : run_one(&gemm_kernels[i], &config);
        code = one > code ? one : code;
    }
    return code;
}

int main(int argc, char **argv)
{
    return kernel_finish("gemm", command(argc, argv));
}
