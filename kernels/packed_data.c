/* SPDX-License-Identifier: Apache-2.0 */
/* Layers from a seed, as a file of weights. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer_memory.h"
#include "packed.h"
#include "random.h"

/* Weights of about this size are spread over the values of the type. */
static double deviation(enum sam_dtype type)
{
    return type == SAM_F16 ? 0.05 : type == SAM_E2M1 ? 1.5 : 1;
}

/* Store `value` as element `index` of an array. Returns the rounded value. */
static double put_element(enum sam_dtype type, uint8_t *bytes, size_t index, double value)
{
    const uint64_t bits = sam_dtype_round(type, value);
    if (type == SAM_E2M1)
        bytes[index / 2] |= (uint8_t)(bits << 4 * (index % 2));
    else
        for (size_t i = 0; i < sam_dtype_size(type); i++)
            bytes[index * sam_dtype_size(type) + i] = (uint8_t)(bits >> 8 * i);
    return sam_dtype_value(type, bits);
}

/* The index of feature k of a token in the file: [groups][K][16], or [64][16] for a single token,
 * whose row is the concatenation of its heads. */
static size_t token_index(const struct packed_layer *layer, uint32_t row, uint32_t k)
{
    if (layer->config.groups == 0)
        return k % TURN_FEATURES * TURN_TOKENS + k / TURN_FEATURES;
    return ((size_t)(row / TURN_TOKENS) * layer->config.depth + k) * TURN_TOKENS +
           row % TURN_TOKENS;
}

static void fill(struct packed_layer *layer, uint8_t *tokens, uint8_t *weights)
{
    const struct packed_config *c = &layer->config;
    const double scale = deviation(c->type);
    uint64_t state = c->seed + 1;
    for (uint32_t row = 0; row < layer->rows; row++)
        for (uint32_t k = 0; k < c->depth; k++) /* so that logits have a deviation of 3 */
            layer->tokens[(size_t)row * c->depth + k] =
                put_element(SAM_F16, tokens, token_index(layer, row, k),
                            kernel_normal(&state) * 3 / (scale * sqrt(c->depth)));
    for (size_t i = 0; i < (size_t)c->columns * c->depth; i++)
        layer->weights[i] = put_element(c->type, weights, i, kernel_normal(&state) * scale);
}

static enum sam_status refuse(struct sam_error *error, enum sam_status status, const char *text)
{
    snprintf(error->text, sizeof error->text, "%s", text);
    error->status = status;
    return status;
}

static enum sam_status check_config(const struct packed_config *c, uint32_t rows,
                                    struct sam_error *error)
{
    if (c->type != SAM_F16 && c->type != SAM_E4M3 && c->type != SAM_E5M2 && c->type != SAM_E2M1)
        return refuse(error, SAM_ERR_USAGE, "type of weights: expected f16, e4m3, e5m2 or e2m1");
    if (c->groups > LAYER_ROWS / TURN_TOKENS || c->depth == 0 || c->depth % TURN_FEATURES ||
        (c->groups == 0 && c->depth != TURN_FEATURES * TURN_TOKENS) || c->depth > LAYER_ELEMENTS ||
        rows * c->depth > LAYER_ELEMENTS || c->columns == 0 || c->columns > LAYER_RESULTS / rows)
        return refuse(
            error, SAM_ERR_USAGE,
            "sizes that the programs have no room for: expected a depth that is a multiple "
            "of 64 (of a single token: 1024), at most 131072 elements of tokens, and at most "
            "65536 results");
    return SAM_OK;
}

/* The file: a header of JSON, tokens, weights. */
static enum sam_status build_file(struct packed_layer *layer, struct sam_error *error)
{
    const struct packed_config *c = &layer->config;
    const size_t tokens = 2 * (size_t)layer->rows * c->depth;
    const size_t weights = (size_t)c->columns * c->depth * sam_dtype_bits(c->type) / 8;
    char shape[64], header[512];
    if (c->groups)
        snprintf(shape, sizeof shape, "[%u,%u,%d]", c->groups, c->depth, TURN_TOKENS);
    else
        snprintf(shape, sizeof shape, "[%d,%d]", TURN_FEATURES, TURN_TOKENS);
    snprintf(header, sizeof header,
             "{\"tokens\":{\"dtype\":\"F16\",\"shape\":%s,\"data_offsets\":[0,%zu]},"
             "\"weight\":{\"dtype\":\"%s\",\"shape\":[%u,%u],\"data_offsets\":[%zu,%zu]}}",
             shape, tokens, sam_dtype_safetensors(c->type), c->columns, c->depth, tokens,
             tokens + weights);
    const size_t length = (strlen(header) + 7) / 8 * 8;
    layer->file_size = 8 + length + tokens + weights;
    layer->file = calloc(1, layer->file_size);
    layer->tokens = calloc((size_t)layer->rows * c->depth, sizeof *layer->tokens);
    layer->weights = calloc((size_t)c->columns * c->depth, sizeof *layer->weights);
    if (!layer->file || !layer->tokens || !layer->weights)
        return refuse(error, SAM_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < 8; i++)
        layer->file[i] = (uint8_t)((uint64_t)length >> 8 * i);
    memset(layer->file + 8, ' ', length);
    memcpy(layer->file + 8, header, strlen(header));
    fill(layer, layer->file + 8 + length, layer->file + 8 + length + tokens);
    return SAM_OK;
}

enum sam_status packed_make(struct packed_layer *layer, const struct packed_config *config,
                            struct sam_error *error)
{
    struct sam_weights weights = {0};
    size_t need;
    *layer = (struct packed_layer){.config = *config};
    layer->rows = config->groups ? TURN_TOKENS * config->groups : 1;
    enum sam_status status = check_config(config, layer->rows, error);
    if (status == SAM_OK)
        status = build_file(layer, error);
    if (status == SAM_OK)
        status = sam_weights_parse(SAM_WEIGHTS_SAFETENSORS, layer->file, layer->file_size,
                                   layer->file_size, "layer.safetensors", &weights, &need, error);
    if (status != SAM_OK)
        return status;
    const size_t room = sam_pack_bound(&weights);
    const struct sam_codec_options options = {.size = sizeof options, .window = config->window};
    layer->packed = malloc(room);
    status = layer->packed ? sam_pack(&weights, layer->file, &options, layer->packed, room,
                                      &layer->packed_size, error)
                           : refuse(error, SAM_ERR_MEMORY, "out of memory");
    sam_weights_free(&weights);
    return status;
}

void packed_free(struct packed_layer *layer)
{
    free(layer->tokens);
    free(layer->weights);
    free(layer->file);
    free(layer->packed);
    *layer = (struct packed_layer){0};
}
