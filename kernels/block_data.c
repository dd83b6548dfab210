/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of blocks: from a seed, or from a published model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "model.h"
#include "random.h"

static const char *const tensor_names[BLOCK_ARRAYS] = {
    [BLOCK_NORM1] = "norm1.weight",     [BLOCK_NORM1_BIAS] = "norm1.bias",
    [BLOCK_QKV] = "qkv.weight",         [BLOCK_QKV_BIAS] = "qkv.bias",
    [BLOCK_PROJECT] = "project.weight", [BLOCK_PROJECT_BIAS] = "project.bias",
    [BLOCK_NORM2] = "norm2.weight",     [BLOCK_NORM2_BIAS] = "norm2.bias",
    [BLOCK_UP] = "up.weight",           [BLOCK_UP_BIAS] = "up.bias",
    [BLOCK_DOWN] = "down.weight",       [BLOCK_DOWN_BIAS] = "down.bias",
};

static bool is_weight(enum block_array array)
{
    return tensor_names[array] != NULL;
}

const char *block_source(const struct block_config *config)
{
    return config->type == SAM_F16 ? KERNEL_DIR "/tile/block_f16.pto"
                                   : KERNEL_DIR "/tile/block.pto";
}

enum sam_dtype block_type(const struct block *block, enum block_array array)
{
    const bool operand = is_weight(array) ? block->shapes[array][0] > 1
                                          : array == BLOCK_ROWS || array == BLOCK_WIDE ||
                                                array == BLOCK_PROBABILITIES;
    return operand && block->config.type == SAM_F16 ? SAM_F16 : SAM_F32;
}

enum sam_dtype block_file_type(const struct block *block, enum block_array array)
{
    return block->config.type == SAM_F16 ? block_type(block, array) : block->config.type;
}

enum sam_status block_shape(struct block *block, const struct block_config *config,
                            struct sam_error *error)
{
    const uint32_t s = config->sequence, d = config->width, h = config->hidden;
    *block = (struct block){.config = *config};
    if (!s || !d || !h || !config->heads || d % config->heads || d / config->heads > 64 ||
        d > 512 || s > 1 << 16 || h > 1 << 16)
        return model_refuse(
            error, SAM_ERR_USAGE,
            "sizes that block.pto has no room for: expected a width of at most 512, heads "
            "that divide it, and at most 64 elements per head");
    const uint32_t wide = h > 3 * d ? h : 3 * d;
    const uint32_t shapes[BLOCK_ARRAYS][2] = {
        [BLOCK_X] = {s, d},
        [BLOCK_NORM1] = {1, d},
        [BLOCK_NORM1_BIAS] = {1, d},
        [BLOCK_QKV] = {d, 3 * d},
        [BLOCK_QKV_BIAS] = {1, 3 * d},
        [BLOCK_PROJECT] = {d, d},
        [BLOCK_PROJECT_BIAS] = {1, d},
        [BLOCK_NORM2] = {1, d},
        [BLOCK_NORM2_BIAS] = {1, d},
        [BLOCK_UP] = {d, h},
        [BLOCK_UP_BIAS] = {1, h},
        [BLOCK_DOWN] = {h, d},
        [BLOCK_DOWN_BIAS] = {1, d},
        [BLOCK_ROWS] = {s, d},
        [BLOCK_WIDE] = {s, wide},
        [BLOCK_PROBABILITIES] = {128, 128},
        [BLOCK_Y] = {s, d},
    };
    for (int i = 0; i < BLOCK_ARRAYS; i++) {
        block->shapes[i][0] = shapes[i][0];
        block->shapes[i][1] = shapes[i][1];
        block->counts[i] = (size_t)shapes[i][0] * shapes[i][1];
        block->arrays[i] = calloc(block->counts[i], sizeof(float));
        if (!block->arrays[i])
            return model_refuse(error, SAM_ERR_MEMORY, "out of memory");
        if (is_weight((enum block_array)i))
            snprintf(block->names[i], sizeof block->names[i], "%s", tensor_names[i]);
    }
    return SAM_OK;
}

void block_free(struct block *block)
{
    for (int i = 0; i < BLOCK_ARRAYS; i++) {
        free(block->arrays[i]);
        free(block->halves[i]);
    }
    *block = (struct block){0};
}

/* Random values around `mean`, rounded to the type of the weights. */
static void fill(struct block *block, enum block_array array, double mean, double deviation,
                 uint64_t *state)
{
    const enum sam_dtype type = is_weight(array) ? block_file_type(block, array) : SAM_F32;
    for (size_t i = 0; i < block->counts[array]; i++) {
        const double value = mean + deviation * kernel_normal(state);
        block->arrays[array][i] = (float)sam_dtype_value(type, sam_dtype_round(type, value));
    }
}

static void fill_input(struct block *block)
{
    uint64_t state = block->config.seed + 1;
    fill(block, BLOCK_X, 0, 1, &state);
}

enum sam_status block_make(struct block *block, const struct block_config *config,
                           struct sam_error *error)
{
    enum sam_status status = block_shape(block, config, error);
    if (status != SAM_OK)
        return status;
    if (config->type != SAM_F32 && config->type != SAM_BF16 && config->type != SAM_F16)
        return model_refuse(error, SAM_ERR_USAGE, "type of weights: expected f32, bf16 or f16");
    uint64_t state = config->seed + 2;
    fill_input(block);
    for (int i = 0; i < BLOCK_ARRAYS; i++) {
        const enum block_array array = (enum block_array)i;
        if (!is_weight(array))
            continue;
        if (array == BLOCK_NORM1 || array == BLOCK_NORM2)
            fill(block, array, 1, 0.1, &state);
        else if (block->shapes[i][0] == 1)
            fill(block, array, 0, 0.1, &state);
        else
            fill(block, array, 0, 1 / sqrt((double)block->shapes[i][0]), &state);
    }
    return SAM_OK;
}

/* --- as a file */

/* Its entry in the header; the end of its bytes. */
static size_t describe(const struct block *block, enum block_array array, size_t begin, char *text,
                       size_t room)
{
    const enum sam_dtype type = block_file_type(block, array);
    const size_t end = begin + block->counts[array] * sam_dtype_size(type);
    const bool vector = block->shapes[array][0] == 1;
    char rows[24] = "";
    if (!vector)
        snprintf(rows, sizeof rows, "%llu,", (unsigned long long)block->shapes[array][0]);
    snprintf(text, room, "\"%s\":{\"dtype\":\"%s\",\"shape\":[%s%llu],\"data_offsets\":[%zu,%zu]},",
             block->names[array], sam_dtype_safetensors(type), rows,
             (unsigned long long)block->shapes[array][1], begin, end);
    return end;
}

enum sam_status block_file(const struct block *blocks, size_t count, char **file, size_t *size,
                           struct sam_error *error)
{
    char *header = malloc(count * BLOCK_ARRAYS * 256 + 16);
    size_t used = 0, end = 0;
    *file = NULL;
    if (!header)
        return model_refuse(error, SAM_ERR_MEMORY, "out of memory");
    header[used++] = '{';
    for (size_t n = 0; n < count; n++)
        for (int i = 0; i < BLOCK_ARRAYS; i++)
            if (is_weight((enum block_array)i)) {
                end = describe(&blocks[n], (enum block_array)i, end, header + used, 256);
                used += strlen(header + used);
            }
    header[used - 1] = '}'; /* the last comma */
    while (used % 8)
        header[used++] = ' ';
    *size = 8 + used + end;
    char *out = *file = malloc(*size);
    if (out) {
        for (size_t i = 0; i < 8; i++)
            *out++ = (char)((uint64_t)used >> 8 * i);
        memcpy(out, header, used);
        out += used;
    }
    for (size_t n = 0; out && n < count; n++)
        for (int i = 0; i < BLOCK_ARRAYS; i++)
            for (size_t k = 0; is_weight((enum block_array)i) && k < blocks[n].counts[i]; k++) {
                const enum sam_dtype type = block_file_type(&blocks[n], (enum block_array)i);
                const uint64_t bits = sam_dtype_round(type, (double)blocks[n].arrays[i][k]);
                for (size_t b = 0; b < sam_dtype_size(type); b++)
                    *out++ = (char)(bits >> 8 * b);
            }
    free(header);
    return out ? SAM_OK : model_refuse(error, SAM_ERR_MEMORY, "out of memory");
}

enum sam_status block_pack(const struct block *blocks, size_t count, bool window, void **packed,
                           size_t *size, struct sam_error *error)
{
    const struct sam_codec_options options = {.size = sizeof options, .window = window};
    char *file = NULL;
    size_t bytes = 0;
    *packed = NULL;
    enum sam_status status = block_file(blocks, count, &file, &bytes, error);
    if (status == SAM_OK)
        status = model_pack(file, bytes, &options, packed, size, error);
    free(file);
    return status;
}

/* --- the recognition model of PP-OCRv4 */

/* Names of the tensors of a block in the model: kind, and number in block 0; block 1 follows. */
static const struct {
    const char *kind;
    unsigned number, step;
    char letter;
} ocr_names[BLOCK_ARRAYS] = {
    [BLOCK_NORM1] = {"layer_norm", 43, 2, 'w'}, [BLOCK_NORM1_BIAS] = {"layer_norm", 43, 2, 'b'},
    [BLOCK_QKV] = {"linear", 77, 4, 'w'},       [BLOCK_QKV_BIAS] = {"linear", 77, 4, 'b'},
    [BLOCK_PROJECT] = {"linear", 78, 4, 'w'},   [BLOCK_PROJECT_BIAS] = {"linear", 78, 4, 'b'},
    [BLOCK_NORM2] = {"layer_norm", 44, 2, 'w'}, [BLOCK_NORM2_BIAS] = {"layer_norm", 44, 2, 'b'},
    [BLOCK_UP] = {"linear", 79, 4, 'w'},        [BLOCK_UP_BIAS] = {"linear", 79, 4, 'b'},
    [BLOCK_DOWN] = {"linear", 80, 4, 'w'},      [BLOCK_DOWN_BIAS] = {"linear", 80, 4, 'b'},
};

static enum sam_status take_tensor(struct block *block, int array,
                                   const struct sam_weights *weights, const char *file,
                                   struct sam_error *error)
{
    for (size_t i = 0; i < weights->count; i++) {
        const struct sam_weight *t = &weights->tensors[i];
        if (strcmp(t->name, block->names[array]) != 0)
            continue;
        if (t->type != SAM_F32 || t->size != block->counts[array] * sizeof(float)) {
            snprintf(error->text, sizeof error->text, "%s: expected %zu elements of f32", t->name,
                     block->counts[array]);
            return SAM_ERR_INPUT;
        }
        memcpy(block->arrays[array], file + t->offset, (size_t)t->size);
        return SAM_OK;
    }
    snprintf(error->text, sizeof error->text, "the file has no tensor %s", block->names[array]);
    return SAM_ERR_INPUT;
}

enum sam_status block_ocr(struct block *block, const struct block_config *config, unsigned number,
                          const char *path, struct sam_error *error)
{
    struct block_config real = *config;
    struct sam_weights weights = {0};
    char *file = NULL;
    size_t size, need;
    real.width = 120;
    real.heads = 8;
    real.hidden = 240;
    real.type = SAM_F32;
    real.slope = 1;
    real.cubic = 0;
    real.eps = 1e-5;
    enum sam_status status = block_shape(block, &real, error);
    if (status == SAM_OK)
        status = sam_file_load(path, (size_t)1 << 30, &file, &size, error);
    if (status == SAM_OK)
        status = sam_weights_parse(SAM_WEIGHTS_SAFETENSORS, file, size, size, path, &weights, &need,
                                   error);
    for (int i = 0; i < BLOCK_ARRAYS && status == SAM_OK; i++)
        if (is_weight((enum block_array)i)) {
            snprintf(block->names[i], sizeof block->names[i], "%s_%u.%c_0", ocr_names[i].kind,
                     ocr_names[i].number + number * ocr_names[i].step, ocr_names[i].letter);
            status = take_tensor(block, i, &weights, file, error);
        }
    if (status == SAM_OK)
        fill_input(block);
    sam_weights_free(&weights);
    free(file);
    return status;
}
