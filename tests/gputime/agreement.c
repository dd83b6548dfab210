/* SPDX-License-Identifier: Apache-2.0 */
#include "agreement.h"

#include <stdio.h>

#include "base/base.h"
#include "recorded.h"

#define SIM     RECORDED_SIM
#define RODINIA RECORDED_RODINIA
#define RTL     RECORDED_RTL

const struct agreement_row agreement_rows[] = {
    {"adv_vecadd, 4x4", SIM "adv_vecadd/vecadd4x4", "", {881, 0}},
    {"vecadd, 4x8", RODINIA "vecadd/4x8/vecadd_0", "", {884, 1266}},
    {"vecadd, 4x16", RODINIA "vecadd/4w16t/vecadd_0", "", {884, 0}},
    {"vecadd, 4x32", RODINIA "vecadd/4w32t/vecadd_0", "", {884, 0}},
    {"vecadd, 16 of 8x32", RTL "vecadd/vecadd_16b8w32t", "", {14544, 0}},
    {"nn, 4x8", RODINIA "nn/4x8/NearestNeighbor_0", "", {1007, 1548}},
    {"nn, 4x16", RODINIA "nn/4x16/NearestNeighbor_0", "", {1011, 0}},
    {"gaussian Fan1, 1x8", RODINIA "gaussian/4x8/Fan1_0", "", {669, 1115}},
    {"gaussian Fan2, 4x8", RODINIA "gaussian/4x8/Fan2_0", "", {0, 2130}},
    {"bfs, 4x8", RODINIA "bfs/4x8/BFS_1_0", "", {2269, 0}},
    {"bfs, 4x32", RODINIA "bfs/4x32/BFS_1_0", "", {1792, 0}},
    {"matadd, 32 of 8x32", RTL "matadd/matadd_32b8w32t", "", {46688, 0}},
    {"vecadd, 4x8, memory + 16", RODINIA "vecadd/4x8/vecadd_0", ",mem_latency=17", {0, 4127}},
    {"vecadd, 4x8, memory + 50", RODINIA "vecadd/4x8/vecadd_0", ",mem_latency=51", {0, 11710}},
    {"nn, 4x8, memory + 16", RODINIA "nn/4x8/NearestNeighbor_0", ",mem_latency=17", {0, 4648}},
    {"nn, 4x8, memory + 50", RODINIA "nn/4x8/NearestNeighbor_0", ",mem_latency=51", {0, 13121}},
};
const size_t agreement_row_count = SAM_COUNT(agreement_rows);
const char *const agreement_presets[AGREEMENT_MODELS] = {"systemc", "verilog"};
const double agreement_mean[AGREEMENT_MODELS] = {1, 15},
             agreement_worst[AGREEMENT_MODELS] = {2, 30};

double agreement_error(const struct agreement_row *row, enum agreement_model model, uint64_t cycles)
{
    const double measured = (double)row->measured[model];
    return 100 * ((double)cycles - measured) / measured;
}

static bool is_local(const struct sam_metadata_buffer *buffer)
{
    return buffer->base - SAM_LDS_BASE < SAM_LDS_SIZE;
}

/* Map the buffers and fill them from the words of the .data file. */
static enum sam_status fill(struct sam_gpu *gpu, const struct sam_metadata *m,
                            const uint32_t *words, struct sam_error *error)
{
    for (size_t i = 0; i < m->buffer_count; i++) {
        const struct sam_metadata_buffer *b = &m->buffers[i];
        enum sam_status status = SAM_OK;
        if (!is_local(b) && b->allocated)
            status = sam_gpu_map(gpu, (uint32_t)b->base, b->allocated, error);
        for (uint64_t at = 0; at < b->size; at += 4, words++) {
            uint8_t bytes[4];
            const size_t size = b->size - at < 4 ? (size_t)(b->size - at) : 4;
            sam_put_le32(bytes, *words);
            if (status == SAM_OK && !is_local(b))
                status = sam_gpu_write(gpu, (uint32_t)(b->base + at), bytes, size, error);
        }
        if (status != SAM_OK)
            return status;
    }
    return SAM_OK;
}

static enum sam_status run(const struct sam_metadata *m, const uint32_t *words,
                           const struct sam_gputime_config *config, uint64_t *cycles,
                           struct sam_error *error)
{
    const struct sam_launch launch = {
        .start = (uint32_t)m->start,
        .metadata = (uint32_t)m->metadata_base,
        .grid = {(uint32_t)m->grid[0], (uint32_t)m->grid[1], (uint32_t)m->grid[2]},
        .lanes = (uint32_t)m->lanes,
        .warps = (uint32_t)m->warps,
        .lds_size = (uint32_t)m->lds_size,
        .pds_size = (uint32_t)m->pds_size,
        .pds_base = (uint32_t)m->pds_base,
    };
    struct sam_gpu_timing timing = {.size = sizeof timing,
                                    .config = config,
                                    .sgprs = (uint32_t)m->sgprs,
                                    .vgprs = (uint32_t)m->vgprs};
    /* Fan2 reads past its buffers. */
    const struct sam_gpu_options options = {
        .size = sizeof options, .loose_bounds = true, .timing = &timing};
    struct sam_gpu_result result;
    struct sam_gpu *gpu;
    enum sam_status status = sam_gpu_new(&options, &gpu, error);
    if (status != SAM_OK)
        return status;
    status = fill(gpu, m, words, error);
    if (status == SAM_OK)
        status = sam_gpu_launch(gpu, &launch, &result, error);
    *cycles = timing.result.cycles;
    sam_gputime_result_free(&timing.result);
    sam_gpu_free(gpu);
    return status;
}

enum sam_status agreement_cycles(const char *folder, const struct agreement_row *row,
                                 enum agreement_model model, uint64_t *cycles,
                                 struct sam_error *error)
{
    struct sam_gputime_config config;
    struct recorded recorded;
    char changes[128];
    sam_gputime_config_init(&config);
    snprintf(changes, sizeof changes, "preset=%s%s", agreement_presets[model], row->changes);
    enum sam_status status = sam_gputime_config_set(&config, changes, error);
    if (status != SAM_OK)
        return status;
    status = recorded_open(folder, row->path, &recorded, error);
    if (status != SAM_OK)
        return status;
    status = run(&recorded.metadata, recorded.words, &config, cycles, error);
    recorded_close(&recorded);
    return status;
}
