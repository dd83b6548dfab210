/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of a language model: from a file of tools/llm-train.py or from a seed, by rows of
 * inputs, rounded to a type, and packed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm.h"
#include "model.h"
#include "random.h"

enum { FILE_LIMIT = 64 << 20 };

const char *llm_matrix_name(enum llm_matrix matrix)
{
    static const char *const names[LLM_MATRICES] = {"wide", "down", "head"};
    return names[matrix];
}

static bool fits(const struct llm_shape *s)
{
    return s->width && s->width % 32 == 0 && s->width <= 4096 && s->layers && s->layers <= 16 &&
           s->heads && s->width % (2 * s->heads) == 0 && s->width % 64 == 0 &&
           (s->width / s->heads == 32 || s->width / s->heads == 64) && s->hidden &&
           s->hidden % 32 == 0 && s->hidden <= 16384 && s->vocabulary && s->vocabulary <= 1 << 18 &&
           s->context && s->context % 16 == 0 && s->context <= 4096 && s->positions &&
           s->positions <= 1 << 20;
}

void llm_matrices(const struct llm_shape *s, struct llm_rows matrices[LLM_MATRICES])
{
    const struct llm_rows sizes[LLM_MATRICES] = {
        [LLM_WIDE] = {4 * s->width + 2 * s->hidden, s->width, s->layers, 0},
        [LLM_DOWN] = {s->width, s->hidden, s->layers, 0},
        [LLM_HEAD] = {s->vocabulary, s->width, 1, 0},
    };
    size_t at = 0;
    for (int i = 0; i < LLM_MATRICES; i++) {
        matrices[i] = sizes[i];
        matrices[i].at = at;
        at += (size_t)sizes[i].rows * sizes[i].depth * sizes[i].layers;
    }
}

static size_t weights_of(const struct llm_rows *m)
{
    return (size_t)m->rows * m->depth * m->layers;
}

/* cos and sin of each position, the pairs of all heads side by side. */
static void fill_turns(struct llm *llm)
{
    const struct llm_shape *s = &llm->shape;
    const uint32_t half = s->width / 2, pairs = half / s->heads;
    for (uint32_t p = 0; p < s->positions; p++)
        for (uint32_t i = 0; i < half; i++) {
            const double angle = p * pow(LLM_BASE, -(double)(i % pairs) / pairs);
            llm->turns[(size_t)p * s->width + i] = (float)cos(angle);
            llm->turns[(size_t)p * s->width + half + i] = (float)sin(angle);
        }
}

static enum sam_status begin(struct llm *llm, const struct llm_shape *shape, enum sam_dtype type,
                             struct sam_error *error)
{
    llm->shape = *shape;
    llm->type = type;
    if (!fits(shape))
        return model_refuse(error, SAM_ERR_USAGE,
                            "a model of sizes that the program has no room for");
    if (type != SAM_F16 && type != SAM_BF16 && type != SAM_E5M2)
        return model_refuse(error, SAM_ERR_USAGE, "type of weights: expected f16, bf16 or e5m2");
    llm_matrices(shape, llm->matrices);
    llm->weight_count = llm->matrices[LLM_HEAD].at + weights_of(&llm->matrices[LLM_HEAD]);
    llm->weights = calloc(llm->weight_count + 1, sizeof *llm->weights);
    if (type != SAM_BF16)
        llm->half = calloc(llm->weight_count + 1, sizeof *llm->half);
    llm->embed = calloc((size_t)shape->vocabulary * shape->width + 1, sizeof *llm->embed);
    llm->turns = calloc((size_t)shape->positions * shape->width + 1, sizeof *llm->turns);
    if (!llm->weights || (type != SAM_BF16 && !llm->half) || !llm->embed || !llm->turns)
        return model_refuse(error, SAM_ERR_MEMORY, "out of memory");
    fill_turns(llm);
    return SAM_OK;
}

void llm_free(struct llm *llm)
{
    free(llm->weights);
    free(llm->half);
    free(llm->embed);
    free(llm->turns);
    *llm = (struct llm){0};
}

static void set_weight(struct llm *llm, size_t at, double value)
{
    const double rounded = sam_dtype_value(llm->type, sam_dtype_round(llm->type, value));
    llm->weights[at] = (float)rounded;
    if (llm->half)
        llm->half[at] = (uint16_t)sam_dtype_round(SAM_F16, rounded);
}

enum sam_status llm_make(struct llm *llm, const struct llm_shape *shape, enum sam_dtype type,
                         uint64_t seed, struct sam_error *error)
{
    *llm = (struct llm){0};
    enum sam_status status = begin(llm, shape, type, error);
    if (status != SAM_OK)
        return status;
    uint64_t state = seed + 1;
    for (int i = 0; i < LLM_MATRICES; i++) {
        const struct llm_rows *m = &llm->matrices[i];
        for (size_t k = 0; k < weights_of(m); k++)
            set_weight(llm, m->at + k, kernel_normal(&state) / sqrt(m->depth));
    }
    for (size_t i = 0; i < (size_t)shape->vocabulary * shape->width; i++)
        llm->embed[i] = (uint16_t)sam_dtype_round(SAM_F16, kernel_normal(&state));
    return SAM_OK;
}

/* --- the file of tools/llm-train.py: tensors of f16 as [in][out] */

static const uint8_t *tensor(const struct sam_weights *weights, const char *file, const char *name,
                             uint64_t rows, uint64_t columns, struct sam_error *error)
{
    for (size_t i = 0; i < weights->count; i++) {
        const struct sam_weight *w = &weights->tensors[i];
        if (strcmp(w->name, name) != 0)
            continue;
        if (w->type != SAM_F16 || w->size != 2 * rows * columns) {
            snprintf(error->text, sizeof error->text,
                     "%s: expected f16, %llu elements: found %s, %llu bytes", name,
                     (unsigned long long)rows * columns, sam_dtype_name(w->type),
                     (unsigned long long)w->size);
            return NULL;
        }
        return (const uint8_t *)file + w->offset;
    }
    snprintf(error->text, sizeof error->text, "the file has no tensor %s", name);
    return NULL;
}

static double element(const uint8_t *data, size_t at)
{
    return sam_dtype_value(SAM_F16, (uint64_t)data[2 * at] | (uint64_t)data[2 * at + 1] << 8);
}

/* The tensors of a layer in the file, and the row of the matrix from which on they are. */
static const struct {
    const char *name;
    enum llm_matrix matrix;
} parts[] = {{"qkv", LLM_WIDE}, {"out", LLM_WIDE}, {"gate_up", LLM_WIDE}, {"down", LLM_DOWN}};

/* Where the file has result `row` of queries, keys and values: its heads keep their pairs together.
 * Here the first elements of all pairs of queries come first, then those of keys, then the second
 * elements of both. */
static uint32_t column_of(const struct llm_shape *s, uint32_t row)
{
    const uint32_t d = s->width, size = d / s->heads, pairs = size / 2;
    if (row >= 2 * d)
        return row;
    const uint32_t second = row / d, key = row % d / (d / 2), pair = row % (d / 2);
    return key * d + pair / pairs * size + second * pairs + pair % pairs;
}

/* Rows of a matrix from a tensor of `columns` columns; `pairs`: of queries, keys and values. */
static enum sam_status take_rows(struct llm *llm, size_t at, uint32_t depth, uint32_t columns,
                                 bool pairs, const struct sam_weights *weights, const char *file,
                                 const char *name, struct sam_error *error)
{
    const uint8_t *data = tensor(weights, file, name, depth, columns, error);
    for (uint32_t row = 0; data && row < columns; row++) {
        const uint32_t column = pairs ? column_of(&llm->shape, row) : row;
        for (uint32_t k = 0; k < depth; k++)
            set_weight(llm, at++, element(data, (size_t)k * columns + column));
    }
    return data ? SAM_OK : SAM_ERR_INPUT;
}

static enum sam_status take_weights(struct llm *llm, const struct sam_weights *weights,
                                    const char *file, struct sam_error *error)
{
    const struct llm_shape *s = &llm->shape;
    const uint32_t columns[] = {3 * s->width, s->width, 2 * s->hidden, s->width};
    const struct llm_rows *head = &llm->matrices[LLM_HEAD];
    enum sam_status status = SAM_OK;
    for (uint32_t layer = 0; layer < s->layers; layer++)
        for (size_t i = 0, row = 0; status == SAM_OK && i < sizeof parts / sizeof parts[0]; i++) {
            const struct llm_rows *m = &llm->matrices[parts[i].matrix];
            char name[32];
            snprintf(name, sizeof name, "layers.%u.%s", layer, parts[i].name);
            row = parts[i].matrix == LLM_DOWN ? 0 : row;
            const size_t at = m->at + ((size_t)layer * m->rows + row) * m->depth;
            status = take_rows(llm, at, m->depth, columns[i], i == 0, weights, file, name, error);
            row += columns[i];
        }
    if (status == SAM_OK)
        status =
            take_rows(llm, head->at, head->depth, head->rows, false, weights, file, "head", error);
    return status;
}

/* The text of a key of the metadata, "charset":"...", without its escapes; false if it is not
 * there. */
static bool metadata(const char *file, size_t size, const char *key, char *value, size_t room)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":\"", key);
    const size_t length = strlen(quoted);
    for (size_t i = 8; i + length < size && i < 65536; i++) {
        if (memcmp(file + i, quoted, length) != 0)
            continue;
        size_t used = 0;
        for (size_t at = i + length; at < size && file[at] != '"' && used + 1 < room; at++) {
            char c = file[at];
            if (c == '\\' && at + 1 < size) {
                c = file[++at];
                c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
            }
            value[used++] = c;
        }
        value[used] = '\0';
        return true;
    }
    return false;
}

static bool number(const char *file, size_t size, const char *key, uint32_t *value)
{
    char text[16], *end;
    if (!metadata(file, size, key, text, sizeof text))
        return false;
    *value = (uint32_t)strtoul(text, &end, 10);
    return end != text && *end == '\0';
}

/* Sizes from the tensors and the metadata. */
static enum sam_status read_shape(const struct sam_weights *weights, const char *file, size_t size,
                                  struct llm_shape *s, char charset[257], struct sam_error *error)
{
    *s = (struct llm_shape){.positions = 4096};
    for (size_t i = 0; i < weights->count; i++) {
        const struct sam_weight *w = &weights->tensors[i];
        if (w->rank != 2)
            continue;
        if (strcmp(w->name, "embed") == 0 && w->shape[0] <= 256 && w->shape[1] <= 4096) {
            s->vocabulary = (uint32_t)w->shape[0];
            s->width = (uint32_t)w->shape[1];
        }
        if (strcmp(w->name, "layers.0.down") == 0 && w->shape[0] <= 16384)
            s->hidden = (uint32_t)w->shape[0];
        if (strncmp(w->name, "layers.", 7) == 0 && s->layers < 16) {
            const unsigned long layer = strtoul(w->name + 7, NULL, 10);
            if (layer < 16 && layer >= s->layers)
                s->layers = (uint32_t)layer + 1;
        }
    }
    if (!number(file, size, "heads", &s->heads) || !number(file, size, "context", &s->context) ||
        !metadata(file, size, "charset", charset, 257))
        return model_refuse(
            error, SAM_ERR_INPUT,
            "metadata: expected charset, heads and context, as llm-train.py writes them");
    return fits(s) ? SAM_OK
                   : model_refuse(error, SAM_ERR_INPUT,
                                  "tensors embed, layers.N.down: expected those of llm-train.py");
}

enum sam_status llm_read(struct llm *llm, const char *path, enum sam_dtype type,
                         struct sam_error *error)
{
    struct sam_weights weights = {0};
    struct llm_shape shape = {0};
    char *file = NULL, charset[257] = "";
    size_t size = 0, need;
    *llm = (struct llm){0};
    enum sam_status status = sam_file_load(path, FILE_LIMIT, &file, &size, error);
    if (status == SAM_OK)
        status = sam_weights_parse(SAM_WEIGHTS_SAFETENSORS, file, size, size, path, &weights, &need,
                                   error);
    if (status == SAM_OK)
        status = read_shape(&weights, file, size, &shape, charset, error);
    if (status == SAM_OK)
        status = begin(llm, &shape, type, error);
    if (status == SAM_OK)
        status = take_weights(llm, &weights, file, error);
    const uint8_t *embed = NULL;
    if (status == SAM_OK) {
        snprintf(llm->charset, sizeof llm->charset, "%s", charset);
        embed = tensor(&weights, file, "embed", shape.vocabulary, shape.width, error);
        status = embed ? SAM_OK : SAM_ERR_INPUT;
    }
    for (size_t i = 0; embed && i < (size_t)shape.vocabulary * shape.width; i++)
        llm->embed[i] = (uint16_t)(embed[2 * i] | embed[2 * i + 1] << 8);
    sam_weights_free(&weights);
    free(file);
    return status;
}

int llm_token(const struct llm *llm, char c)
{
    const char *at = c ? strchr(llm->charset, c) : NULL;
    return at ? (int)(at - llm->charset) : -1;
}

/* --- packed */

/* The weights as safetensors, malloc'ed. */
static char *safetensors(const struct llm *llm, size_t *size)
{
    const size_t element = sam_dtype_size(llm->type);
    char *header = malloc(LLM_MATRICES * 192 + 64);
    size_t used = 0;
    if (!header)
        return NULL;
    header[used++] = '{';
    for (int i = 0; i < LLM_MATRICES; i++) {
        const struct llm_rows *m = &llm->matrices[i];
        const size_t from = m->at * element;
        used +=
            (size_t)snprintf(header + used, 192,
                             "\"%s\":{\"dtype\":\"%s\",\"shape\":[%u,%u],\"data_offsets\":[%zu,"
                             "%zu]},",
                             llm_matrix_name((enum llm_matrix)i), sam_dtype_safetensors(llm->type),
                             m->rows * m->layers, m->depth, from, from + weights_of(m) * element);
    }
    header[used - 1] = '}';
    while (used % 8)
        header[used++] = ' ';
    *size = 8 + used + llm->weight_count * element;
    char *file = malloc(*size), *out = file;
    for (size_t i = 0; file && i < 8; i++)
        *out++ = (char)((uint64_t)used >> 8 * i);
    if (file)
        memcpy(out, header, used);
    free(header);
    for (size_t i = 0; file && i < llm->weight_count; i++) {
        const uint64_t bits = sam_dtype_round(llm->type, (double)llm->weights[i]);
        for (size_t b = 0; b < element; b++)
            out[used + i * element + b] = (char)(bits >> 8 * b);
    }
    return file;
}

enum sam_status llm_pack(const struct llm *llm, bool window, void **packed, size_t *size,
                         size_t *raw, struct sam_error *error)
{
    const struct sam_codec_options options = {
        .size = sizeof options, .window = window, .restart = !window};
    size_t bytes;
    char *file = safetensors(llm, &bytes);
    *packed = NULL;
    *raw = llm->weight_count * sam_dtype_size(llm->type);
    const enum sam_status status = file ? model_pack(file, bytes, &options, packed, size, error)
                                        : model_refuse(error, SAM_ERR_MEMORY, "out of memory");
    free(file);
    return status;
}
