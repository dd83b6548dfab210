/* SPDX-License-Identifier: Apache-2.0 */

#include "test.h"

#include "random_case.h"

#define BUDGET 30000

const struct random_buffer random_buffers[RANDOM_BUFFERS] = {
    {GEN_CODE, GEN_CODE_SIZE, false},
    {GEN_INPUT, GEN_STRIDE, true},
    {GEN_SCRATCH, GEN_REGION, true},
    {GEN_RESULT, GEN_STRIDE, true},
    {GEN_PRIVATE, SAM_MAX_LANES *GEN_PDS, true},
    {GEN_KERNEL, 64, false},
    {GEN_COUNTER, 64, false},
};

void random_case_make(struct random_case *c, uint64_t seed, enum gen_trap trap)
{
    struct gen_random r = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    for (int i = 0; i < 8; i++)
        gen_u32(&r);
    c->launch = (struct sam_launch){.start = GEN_CODE,
                                    .metadata = GEN_KERNEL,
                                    .grid = {1, 1, 1},
                                    .lanes = 4u << gen_below(&r, 4),
                                    .warps = 1,
                                    .pds_size = GEN_PDS,
                                    .pds_base = GEN_PRIVATE};
    c->options = (struct sam_gpu_options){.max_insns = BUDGET};
    if (trap == GEN_NO_TRAP) {
        c->launch.warps = 1 + gen_below(&r, 4);
        for (int i = 0; i < 3; i++)
            c->launch.grid[i] = gen_once_in(&r, 4) ? 2 : 1;
        c->options.jobs = gen_once_in(&r, 4) ? 3 : 1;
        c->options.collect_stats = gen_once_in(&r, 4);
    }
    if (gen_once_in(&r, 4))
        c->options.schedule = SAM_SCHEDULE_RR1;
    c->program.random = r;
    c->program.lanes = c->launch.lanes;
    c->program.trap = trap;
    gen_make(&c->program);
    if (c->program.patches_code)
        c->options.jobs = 1;
    c->data_seed = ((uint64_t)gen_u32(&c->program.random) << 32) | 1;
    memset(c->global, 0, sizeof c->global);
    memset(c->local, 0, sizeof c->local);
}

void random_case_cut(struct random_case *c)
{
    struct gen_random r = {c->data_seed};
    const uint32_t lanes = c->launch.lanes, most = lanes * c->launch.warps;
    c->local[1] = gen_once_in(&r, 2) && most % 2 == 0 ? 2 : 1;
    c->local[0] = (most - gen_below(&r, lanes / 2)) / c->local[1];
    c->local[2] = 1;
    for (int i = 0; i < 3; i++)
        c->global[i] = (c->launch.grid[i] - 1) * c->local[i] + 1 + gen_below(&r, c->local[i]);
}

void random_case_bound(struct random_case *c)
{
    struct gen_random r = {c->data_seed ^ UINT64_C(0x5555555555555555)};
    for (int i = 0; i < 4; i++)
        gen_u32(&r);
    c->options.strict_lds = true;
    c->launch.lds_size =
        gen_once_in(&r, 2) ? GEN_REGION / 4 + gen_below(&r, 160) : gen_below(&r, GEN_REGION);
    c->range = (struct sam_lds_range){.base = SAM_LDS_BASE + gen_below(&r, GEN_REGION / 2),
                                      .size = 1 + gen_below(&r, GEN_REGION / 2)};
    c->options.lds_ranges = &c->range;
    c->options.lds_range_count = gen_once_in(&r, 2);
}

uint32_t random_case_size(const struct random_case *c, unsigned b)
{
    const struct sam_launch *l = &c->launch;
    uint32_t warps = l->warps * l->grid[0] * l->grid[1] * l->grid[2];
    return random_buffers[b].each_warp ? warps * random_buffers[b].size : random_buffers[b].size;
}

uint8_t *random_case_contents(const struct random_case *c, unsigned b)
{
    uint32_t *words = calloc(1, random_case_size(c, b));
    assert_non_null(words);
    struct gen_random r = {c->data_seed + b};
    if (random_buffers[b].base == GEN_CODE)
        memcpy(words, c->program.words, 4 * c->program.count);
    else if (random_buffers[b].base == GEN_INPUT || random_buffers[b].base == GEN_SCRATCH)
        for (uint32_t i = 0; i < random_case_size(c, b) / 4; i++)
            words[i] = gen_value(&r);
    else if (random_buffers[b].base == GEN_KERNEL) {
        memcpy(words + 3, c->global, sizeof c->global);
        memcpy(words + 6, c->local, sizeof c->local);
    }
    return (uint8_t *)words;
}

void random_case_map(const struct random_case *c, struct sam_gpu *gpu)
{
    for (unsigned b = 0; b < RANDOM_BUFFERS; b++) {
        FREED uint8_t *data = random_case_contents(c, b);
        const uint32_t size = random_case_size(c, b);
        succeeds(sam_gpu_map, gpu, random_buffers[b].base, size);
        succeeds(sam_gpu_write, gpu, random_buffers[b].base, data, size);
    }
}
