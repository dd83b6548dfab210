/* SPDX-License-Identifier: Apache-2.0 */
/* kernels/tile/block.pto and block_f16.pto: correct for sizes on both sides of its blocks, and
 * incorrect if a result or a line of it is changed. */
#include "test.h"

#include "folder.h"
#include <block_run.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PROGRAM      KERNEL_DIR "/tile/block.pto"

static struct block_config config_of(uint32_t sequence, uint32_t width, uint32_t heads)
{
    return (struct block_config){.sequence = sequence,
                                 .width = width,
                                 .heads = heads,
                                 .hidden = width + 70,
                                 .type = SAM_F32,
                                 .slope = BLOCK_GELU_SLOPE,
                                 .cubic = BLOCK_GELU_CUBIC,
                                 .eps = 1e-5,
                                 .seed = sequence + width};
}

/* The machine of a block: the executor, or the system with raw weights, packed ones, or ones packed
 * as windows. */
enum place { EXECUTOR, SYSTEM, PACKED, WINDOWS };

static enum sam_status run(struct block *block, const char *path, enum place place,
                           struct sam_error *error)
{
    struct block_system how = {.check_races = true};
    struct block_figures figures;
    void *packed = NULL;
    if (place == EXECUTOR)
        return block_execute(block, path, error);
    if (place >= PACKED)
        succeeds(block_pack, block, 1, place == WINDOWS, &packed, &how.packed_size);
    how.packed = packed;
    how.acc_regs = place == PACKED ? 0x11 : 0; /* 0:4, with the same bits */
    const enum sam_status status = block_lowered(block, path, &how, &figures, error);
    block_figures_free(&figures);
    free(packed);
    return status;
}

/* Whether the result of a block is correct. `bits`, unless NULL, receives a copy of the result,
 * or is compared with it. */
static bool is_right(const struct block_config *config, const char *path, enum place place,
                     float **bits)
{
    SCOPED(block) block;
    struct block_result result;
    succeeds(block_make, &block, config);
    succeeds(run, &block, path, place);
    succeeds(block_verify, &block, &result);
    const float *y = block.arrays[BLOCK_Y];
    const size_t size = block.counts[BLOCK_Y] * sizeof *y;
    if (bits && *bits)
        assert_memory_equal(*bits, y, size);
    else if (bits && (*bits = malloc(size)))
        memcpy(*bits, y, size);
    if (!result.failure[0] && block.config.sequence < 64) { /* one element, by twice the bound */
        block.arrays[BLOCK_Y][block.counts[BLOCK_Y] / 2] += (float)(2 * result.allowed);
        struct block_result changed;
        succeeds(block_verify, &block, &changed);
        assert_true(changed.failure[0]);
    }
    return !result.failure[0];
}

TEST(test_sizes)
{
    static const uint32_t sizes[][3] = {{1, 16, 1},   {2, 15, 15},  {31, 120, 8}, {32, 64, 1},
                                        {33, 200, 5}, {63, 512, 8}, {65, 96, 3},  {127, 24, 2},
                                        {128, 64, 4}, {129, 32, 8}, {257, 40, 1}};
    static const enum sam_dtype types[] = {SAM_BF16, SAM_F16, SAM_F32, SAM_F16};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct block_config config = config_of(sizes[i][0], sizes[i][1], sizes[i][2]);
        config.type = types[i % COUNT(types)];
        if (i % 3 == 0)
            config.slope = 1, config.cubic = 0; /* Swish */
        FREED float *bits = NULL;               /* the same everywhere */
        for (int place = EXECUTOR; place <= WINDOWS; place++)
            if (!is_right(&config, block_source(&config), (enum place)place, &bits))
                fail_msg("%u tokens of %u, %u heads, place %d", sizes[i][0], sizes[i][1],
                         sizes[i][2], place);
    }
}

TEST(test_refused)
{
    static const uint32_t sizes[][3] = {
        {0, 16, 1}, {1, 513, 27}, {1, 130, 2}, {1, 16, 3}, {1, 16, 0}};
    struct block block;
    struct sam_error error = {0};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const struct block_config config = config_of(sizes[i][0], sizes[i][1], sizes[i][2]);
        must_refuse(block_make(&block, &config, &error), &error,
                    "sizes that block.pto has no room");
        block_free(&block);
    }
    struct block_config config = config_of(8, 16, 1);
    config.type = SAM_E5M2;
    must_refuse(block_make(&block, &config, &error), &error, "type of weights");
    block_free(&block);
}

/* Programs with a missing part. */
TEST(test_mutants)
{
    static const char *const mutants[][2] = {
        {"pto.texp ins(%e", "pto.tabs ins(%e"},
        {"pto.tmul ins(%sum, %fade", "pto.tmul ins(%sum, %sum"},
        {"pto.tneg", "pto.tabs"},
        {"pto.trsqrt", "pto.trecip"},
        {"%k_at = arith.addi %q_at, %d", "%k_at = arith.addi %q_at, %c0"},
    };
    FREED char *text = NULL;
    size_t size;
    const struct block_config config = config_of(140, 32, 2); /* two blocks of keys */
    succeeds(sam_file_load, PROGRAM, 1 << 20, &text, &size);
    for (size_t i = 0; i < COUNT(mutants); i++) {
        const char *at = strstr(text, mutants[i][0]);
        assert_non_null(at);
        FILE *file = fopen(test_path("mutant.pto"), "w");
        assert_non_null(file);
        fprintf(file, "%.*s%s%s", (int)(at - text), text, mutants[i][1],
                at + strlen(mutants[i][0]));
        fclose(file);
        if (is_right(&config, test_path("mutant.pto"), EXECUTOR, NULL))
            fail_msg("not noticed: %s", mutants[i][1]);
    }
}

/* The weights as a file, and back. */
static void check_file(enum sam_dtype type)
{
    struct block block;
    SCOPED(sam_weights) weights = {0};
    struct block_config config = config_of(4, 16, 2);
    FREED char *file = NULL;
    size_t size, need, found = 0;
    config.type = type;
    succeeds(block_make, &block, &config);
    succeeds(block_file, &block, 1, &file, &size);
    succeeds(sam_weights_parse, SAM_WEIGHTS_SAFETENSORS, file, size, size, "blocks", &weights,
             &need);
    assert_int_equal(weights.count, 12);
    for (size_t i = 0; i < weights.count; i++)
        for (int k = 0; k < BLOCK_ARRAYS; k++) {
            const struct sam_weight *w = &weights.tensors[i];
            if (strcmp(w->name, block.names[k]) != 0)
                continue;
            found++;
            assert_int_equal(w->type, type == SAM_F16 && block.shapes[k][0] == 1 ? SAM_F32 : type);
            const size_t bytes = sam_dtype_size(w->type);
            assert_int_equal(w->size, bytes * block.counts[k]);
            for (size_t j = 0; j < block.counts[k]; j++) {
                uint64_t bits = 0;
                memcpy(&bits, file + w->offset + bytes * j, bytes);
                assert_true((float)sam_dtype_value(w->type, bits) == block.arrays[k][j]);
            }
        }
    assert_int_equal(found, weights.count);
    block_free(&block);
}

TEST(test_file)
{
    check_file(SAM_BF16);
    check_file(SAM_F16);
    check_file(SAM_F32);
}

TEST_GROUP(test_folder_make, test_folder_remove)
