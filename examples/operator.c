/* SPDX-License-Identifier: Apache-2.0 */
/* Plan an operator, inspect the plan, run it: an activation from NHWC to NCHW. With a file name,
 * the activation is also written there. cc operator.c $(pkg-config --cflags --libs samite); ./a.out
 * [activation.npy] */
#include <samite/samite.h>
#include <stdio.h>
#include <stdlib.h>

enum { H = 56, W = 56, C = 64 };

static int failed(const struct sam_error *error)
{
    fprintf(stderr, "operator: %s\n", error->text);
    return 2;
}

int main(int argc, char **argv)
{
    static float nhwc[H][W][C], nchw[C][H][W];
    const struct sam_shape shape = {4, {1, H, W, C}};
    const unsigned to_nchw[SAM_MAX_RANK] = {0, 3, 1, 2};
    const void *inputs[] = {nhwc};
    struct sam_plan_figures figures;
    struct sam_plan *plan;
    struct sam_error error;
    for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w++)
            for (int c = 0; c < C; c++)
                nhwc[h][w][c] = (float)h + (float)w / W + (float)(c << 10);
    if (sam_plan_transpose(&shape, sizeof(float), to_nchw, &plan, &error) != SAM_OK)
        return failed(&error);
    sam_plan_count(plan, &figures);
    enum sam_status status = sam_plan_run(plan, inputs, nchw, NULL, &error);
    sam_plan_free(plan);
    if (status != SAM_OK)
        return failed(&error);
    printf("[5][7][9] was %g, [9][5][7] is %g\n", nhwc[5][7][9], nchw[9][5][7]);
    printf("%llu LOADs, %llu XPOSEs, %llu STOREs for %zu KiB\n", (unsigned long long)figures.loads,
           (unsigned long long)figures.xposes, (unsigned long long)figures.stores,
           sizeof nhwc / 1024);
    struct sam_array array = {.dtype = SAM_F32,
                              .rank = 4,
                              .shape = {1, H, W, C},
                              .count = (size_t)H * W * C,
                              .size = sizeof nhwc,
                              .data = nhwc};
    if (argc > 1 && sam_npy_write(argv[1], &array, &error) != SAM_OK)
        return failed(&error);
    if (fflush(stdout) != 0)
        return perror("standard output"), 2;
    return nchw[9][5][7] == nhwc[5][7][9] ? 0 : 1;
}
