/* SPDX-License-Identifier: Apache-2.0 */
#include "llm_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum packing { RAW, HUFFMAN, WINDOW, PACKINGS };
static const char *const packings[PACKINGS] = {"raw", "Huffman", "window"};
static const unsigned widths[] = {1, 2, 4, 8, 16};
enum { WIDTHS = sizeof widths / sizeof widths[0] };
/* The small L2 holds code and data of a step; the large one also weights and cache. */
static const struct {
    const char *name, *settings;
} memories[] = {{"256 KiB", "mem.l2_size=262144,wu.stream=1"}, {"4 MiB", "mem.l2_size=4194304"}};

static enum sam_status refuse(struct sam_error *error)
{
    snprintf(error->text, sizeof error->text, "out of memory");
    return SAM_ERR_MEMORY;
}

/* A step in one configuration: cycles, and bytes that it reads of DRAM at least. */
static enum sam_status measure(const struct llm *llm, const struct llm_run *cache,
                               const struct llm_run_options *how, uint32_t position,
                               const char *settings, unsigned width, bool raw, uint64_t *cycles,
                               struct sam_error *error)
{
    struct sam_system_timing timing = {.size = sizeof timing, .raw_weights = raw};
    struct llm_run_options options = *how;
    struct sam_system_config *config = NULL;
    struct llm_run *run = NULL;
    char text[96];
    snprintf(text, sizeof text, "%s,mem.dram_bytes=%u", settings, width);
    enum sam_status status = sam_system_config_new(&config, error);
    if (status == SAM_OK)
        status = sam_system_config_set(config, text, error);
    timing.config = config;
    options.timing = &timing;
    options.system = true;
    if (status == SAM_OK)
        status = llm_run_new(llm, &options, &run, error);
    if (status == SAM_OK && cache)
        llm_run_continue(run, cache);
    if (status == SAM_OK)
        status = llm_run_step(run, 0, position, error);
    if (status == SAM_OK)
        *cycles = llm_run_cycles(run);
    llm_run_free(run);
    sam_system_config_free(config);
    return status;
}

/* --- the table */

struct row {
    const struct llm *llm;
    const struct llm_run *cache;
    FILE *json;
    size_t rows; /* so far */
};

static enum sam_status one_row(struct row *r, enum packing packing, size_t memory,
                               struct sam_error *error)
{
    const struct llm *llm = r->llm;
    const struct llm_shape *s = &llm->shape;
    struct llm_run_options how = {0};
    void *packed = NULL;
    size_t raw, bytes;
    enum sam_status status =
        llm_pack(llm, packing == WINDOW, &packed, &how.packed_size, &raw, error);
    how.packed = packed;
    const size_t cached = 4 * (size_t)TABLE_CACHED * s->layers * s->width;
    bytes = (packing == RAW ? raw : how.packed_size) + cached;
    if (status == SAM_OK) {
        printf("| %s | %s | %s |", sam_dtype_name(llm->type), packings[packing],
               memories[memory].name);
        if (r->json)
            fprintf(r->json,
                    "%s\n{\"type\": \"%s\", \"packing\": \"%s\", \"l2\": \"%s\", \"bytes\": %zu, "
                    "\"cycles\": [",
                    r->rows ? "," : "[", sam_dtype_name(llm->type), packings[packing],
                    memories[memory].name, bytes);
    }
    for (int i = 0; status == SAM_OK && i < WIDTHS; i++) {
        uint64_t cycles = 1;
        status = measure(llm, r->cache, &how, TABLE_CACHED - 1, memories[memory].settings,
                         widths[i], packing == RAW, &cycles, error);
        printf(" %.0f", 1e9 / (double)cycles);
        if (memory == 0)
            printf(" (%.2f)", (double)bytes / widths[i] / (double)cycles);
        printf(" |");
        fflush(stdout);
        if (r->json)
            fprintf(r->json, "%s%llu", i ? ", " : "", (unsigned long long)cycles);
    }
    printf("\n");
    if (r->json)
        fprintf(r->json, "]}");
    r->rows++;
    free(packed);
    return status;
}

static enum sam_status type_rows(struct row *r, const char *model, enum sam_dtype type,
                                 struct sam_error *error)
{
    const struct llm_run_options host = {0};
    struct llm llm;
    struct llm_run *cache = NULL;
    enum sam_status status = llm_read(&llm, model, type, error);
    if (status == SAM_OK)
        status = llm_run_new(&llm, &host, &cache, error);
    for (uint32_t i = 0; status == SAM_OK && i + 1 < TABLE_CACHED; i++)
        status = llm_run_step(cache, i % llm.shape.vocabulary, i, error);
    r->llm = &llm;
    r->cache = cache;
    for (size_t memory = 0; memory < sizeof memories / sizeof memories[0]; memory++)
        for (int packing = 0; status == SAM_OK && packing < PACKINGS; packing++)
            status = one_row(r, (enum packing)packing, memory, error);
    r->llm = NULL;
    r->cache = NULL;
    llm_run_free(cache);
    llm_free(&llm);
    return status;
}

enum sam_status llm_table(const char *model, const char *json, struct sam_error *error)
{
    static const enum sam_dtype types[] = {SAM_F16, SAM_BF16, SAM_E5M2};
    struct row r = {.json = json ? fopen(json, "w") : NULL};
    enum sam_status status = SAM_OK;
    if (json && !r.json) {
        snprintf(error->text, sizeof error->text, "%s: cannot be written", json);
        return SAM_ERR_IO;
    }
    printf("| weights | packing | L2 |");
    for (int i = 0; i < WIDTHS; i++)
        printf(" %u |", widths[i]);
    printf("\n|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; status == SAM_OK && i < sizeof types / sizeof types[0]; i++)
        status = type_rows(&r, model, types[i], error);
    if (r.json)
        fprintf(r.json, "\n]\n");
    if (r.json && fclose(r.json) != 0)
        status = SAM_ERR_IO;
    return status;
}

/* --- a shape */

enum { BIG_LAYERS = 24, BIG_VOCABULARY = 151936 };

static enum sam_status big(uint32_t layers, enum sam_dtype type,
                           const struct sam_system_config *config, bool window, uint64_t *cycles,
                           size_t *packed_size, struct sam_error *error)
{
    const struct llm_shape shape = {.width = 1024,
                                    .layers = layers,
                                    .heads = 16,
                                    .hidden = 2816,
                                    .vocabulary = 64,
                                    .context = 64,
                                    .positions = 64};
    struct sam_system_timing timing = {.size = sizeof timing, .config = config};
    struct llm_run_options how = {.system = true, .timing = &timing, .cold = true};
    struct llm llm;
    struct llm_run *run = NULL;
    void *packed = NULL;
    size_t raw;
    enum sam_status status = llm_make(&llm, &shape, type, 1, error);
    if (status == SAM_OK)
        status = llm_pack(&llm, window, &packed, &how.packed_size, &raw, error);
    how.packed = packed;
    *packed_size = how.packed_size;
    if (status == SAM_OK)
        status = llm_run_new(&llm, &how, &run, error);
    if (status == SAM_OK)
        status = llm_run_step(run, 0, shape.context - 1, error);
    if (status == SAM_OK)
        *cycles = llm_run_cycles(run);
    llm_run_free(run);
    llm_free(&llm);
    free(packed);
    return status;
}

enum sam_status llm_synthetic(enum sam_dtype type, const struct sam_system_config *config,
                              bool window, struct sam_error *error)
{
    uint64_t one = 0, two = 0, width = 0;
    size_t small = 0, large = 0;
    enum sam_status status = SAM_OK;
    if (!config)
        return refuse(error);
    status = big(1, type, config, window, &one, &small, error);
    if (status == SAM_OK)
        status = big(2, type, config, window, &two, &large, error);
    if (status != SAM_OK)
        return status;
    sam_system_config_get(config, "mem.dram_bytes", &width);
    const double layer = (double)(two - one), weights = 4.0 * 1024 * 1024 + 3.0 * 1024 * 2816;
    const double head = layer * BIG_VOCABULARY * 1024 / weights;
    const double token = (double)one + (BIG_LAYERS - 1) * layer + head;
    printf("shape: 24 layers of width 1024, 16 heads, gates of 2816, 151936 tokens: 0.46 billion "
           "parameters, a cache of 64 positions\n"
           "one layer: %.0f cycles for %zu bytes of packed weights, %.2f of what DRAM allows\n"
           "one token, extrapolated from that layer: %.1f million cycles, %.2f per second at 1 "
           "GHz; %.0f %% of them for the logits, by their share of weights\n",
           layer, large - small, (double)(large - small) / (double)width / layer, token / 1e6,
           1e9 / token, 100 * head / token);
    return SAM_OK;
}
