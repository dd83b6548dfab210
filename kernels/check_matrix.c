/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the matrix products: sgemm, sgemm_rows and vftta. All add fused products in ascending
 * k, so the results are defined to the last bit. */
#include <math.h>

#include "check.h"

struct product {
    uint32_t m, n, k;
    const float *a, *b;
    float *got, *want;
    uint32_t args[6];
};

/* `size` rows of A; at most 35 columns of B and 39 products, so that the work grows no faster than
 * the size and no dimension equals another. */
static void make_product(struct check *check, struct product *p)
{
    uint32_t size = check->config.size;
    p->m = size;
    p->n = size < 32 ? size + 3 : 35;
    p->k = size < 32 ? size + 7 : 39;
    p->a = check_random_floats(check, (size_t)p->m * p->k);
    p->b = check_random_floats(check, (size_t)p->k * p->n);
    p->got = check_words(check, (size_t)p->m * p->n);
    p->want = check_words(check, (size_t)p->m * p->n);
    for (uint32_t i = 0; i < p->m; i++) {
        for (uint32_t j = 0; j < p->n; j++) {
            float sum = 0;
            for (uint32_t l = 0; l < p->k; l++)
                sum = fmaf(p->a[(size_t)i * p->k + l], p->b[(size_t)l * p->n + j], sum);
            p->want[(size_t)i * p->n + j] = sum;
        }
    }
    p->args[0] = check_buffer(check, p->a, (size_t)p->m * p->k);
    p->args[1] = check_buffer(check, p->b, (size_t)p->k * p->n);
    p->args[2] = check_buffer(check, NULL, (size_t)p->m * p->n);
    p->args[3] = p->m;
    p->args[4] = p->n;
    p->args[5] = p->k;
}

static void compare(struct check *check, struct product *p)
{
    check_read(check, p->args[2], p->got, (size_t)p->m * p->n);
    check_equal(check, "c", p->got, p->want, (size_t)p->m * p->n);
}

void check_sgemm(struct check *check)
{
    struct product p;
    make_product(check, &p);
    uint32_t tile = check_tile(check);
    uint32_t block[2] = {tile, tile};
    uint32_t grid[2] = {check_ceil_div(p.n, tile), check_ceil_div(p.m, tile)};
    check_launch(check, "sgemm", grid, block, p.args, 6);
    compare(check, &p);
}

void check_sgemm_rows(struct check *check)
{
    struct product p;
    make_product(check, &p);
    const uint32_t lanes = check->config.lanes;
    const uint32_t rows = check->config.block > lanes ? check->config.block / lanes : 1;
    uint32_t block[2] = {lanes, rows};
    uint32_t grid[2] = {check_ceil_div(p.n, lanes), check_ceil_div(p.m, rows)};
    check_launch(check, "sgemm_rows", grid, block, p.args, 6);
    compare(check, &p);
}

void check_vftta(struct check *check)
{
    struct product p;
    make_product(check, &p);
    uint32_t tile = check->config.lanes < 16 ? 2 : 4;
    uint32_t tiles = check_ceil_div(p.m, tile) * check_ceil_div(p.n, tile);
    uint32_t warps = check_ceil_div(check->config.block, check->config.lanes);
    uint32_t block[2] = {check->config.block, 1};
    uint32_t grid[2] = {check_ceil_div(tiles, warps), 1};
    check_launch(check, "vftta", grid, block, p.args, 6);
    compare(check, &p);
}
