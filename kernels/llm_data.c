/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of a language model: from a file of tools/llm-train.py or from a seed, by rows of
 * inputs, rounded to a type, and packed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm.h"
#include "random.h"

enum { FILE_LIMIT = 64 << 20 };

static enum sam_status refuse(struct sam_error *error, enum sam_status status, const char *text)
{
    snprintf(error->text, sizeof error->text, "%s", text);
    return status;
}

static const struct product {
    const char *name;
} products[LLM_PRODUCTS] = {
    [LLM_QKV] = {"qkv"}, [LLM_OUT] = {"out"},   [LLM_GATE] = {"gate"},
    [LLM_UP] = {"up"},   [LLM_DOWN] = {"down"}, [LLM_HEAD] = {"head"},
};

static uint32_t rows_of(const struct llm_shape *s, enum llm_product product)
{
    switch (product) {
    case LLM_QKV: return 3 * s->width;
    case LLM_GATE:
    case LLM_UP: return s->hidden;
    case LLM_HEAD: return s->vocabulary;
    default: return s->width;
    }
}

static uint32_t depth_of(const struct llm_shape *s, enum llm_product product)
{
    return product == LLM_DOWN ? s->hidden : s->width;
}

static bool fits(const struct llm_shape *s)
{
    return s->width && s->width % 32 == 0 && s->width <= 4096 && s->layers && s->layers <= 16 &&
           s->heads && s->width % (2 * s->heads) == 0 && s->width / s->heads % 32 == 0 &&
           s->hidden && s->hidden % 32 == 0 && s->hidden <= 16384 && s->vocabulary &&
           s->vocabulary <= 1 << 18 && s->context && s->context % 16 == 0 && s->context <= 4096 &&
           s->positions && s->positions <= 1 << 20;
}

/* The pieces, without weights: those of a matrix are as even as 16 rows allow. */
static size_t list_pieces(const struct llm_shape *s, struct llm_piece *pieces, size_t *weights)
{
    size_t count = 0;
    *weights = 0;
    for (uint32_t i = 0; i <= s->layers * LLM_HEAD; i++) {
        const bool head = i == s->layers * LLM_HEAD;
        const enum llm_product product = head ? LLM_HEAD : (enum llm_product)(i % LLM_HEAD);
        const uint32_t layer = head ? s->layers : i / LLM_HEAD, rows = rows_of(s, product),
                       depth = depth_of(s, product);
        uint32_t most = s->piece ? s->piece / depth / 16 * 16 : rows;
        most = most ? most : 16;
        const uint32_t parts = (rows + most - 1) / most;
        const uint32_t even = ((rows + parts - 1) / parts + 15) / 16 * 16;
        for (uint32_t first = 0, part = 0; first < rows; first += even, part++, count++) {
            if (!pieces)
                continue;
            struct llm_piece *p = &pieces[count];
            *p = (struct llm_piece){.product = product,
                                    .layer = layer,
                                    .first = first,
                                    .rows = rows - first < even ? rows - first : even,
                                    .depth = depth,
                                    .at = *weights};
            if (head)
                snprintf(p->name, sizeof p->name, "head_%u", part);
            else
                snprintf(p->name, sizeof p->name, "layers_%u_%s_%u", layer,
                         products[product].name, part);
            *weights += (size_t)p->rows * depth;
        }
    }
    return count;
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
        return refuse(error, SAM_ERR_USAGE, "a model of sizes that the program has no room for");
    if (type != SAM_F16 && type != SAM_BF16 && type != SAM_E5M2)
        return refuse(error, SAM_ERR_USAGE, "type of weights: expected f16, bf16 or e5m2");
    llm->piece_count = list_pieces(shape, NULL, &llm->weight_count);
    llm->pieces = calloc(llm->piece_count, sizeof *llm->pieces);
    if (llm->pieces)
        list_pieces(shape, llm->pieces, &llm->weight_count);
    llm->weights = calloc(llm->weight_count, sizeof *llm->weights);
    if (type != SAM_BF16)
        llm->half = calloc(llm->weight_count, sizeof *llm->half);
    llm->embed = calloc((size_t)shape->vocabulary * shape->width, sizeof *llm->embed);
    llm->turns = calloc((size_t)shape->positions * shape->width, sizeof *llm->turns);
    if (!llm->pieces || !llm->weights || (type != SAM_BF16 && !llm->half) || !llm->embed ||
        !llm->turns)
        return refuse(error, SAM_ERR_MEMORY, "out of memory");
    fill_turns(llm);
    return SAM_OK;
}

void llm_free(struct llm *llm)
{
    free(llm->pieces);
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
    for (size_t i = 0; i < llm->piece_count; i++) {
        const struct llm_piece *p = &llm->pieces[i];
        for (size_t k = 0; k < (size_t)p->rows * p->depth; k++)
            set_weight(llm, p->at + k, kernel_normal(&state) / sqrt(p->depth));
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
                     (unsigned long long)(rows * columns), sam_dtype_name(w->type),
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

/* Where the file has result `row` of a product: heads keep their pairs together, the program does
 * not. */
static uint32_t column_of(const struct llm_shape *s, enum llm_product product, uint32_t row)
{
    const uint32_t d = s->width, size = d / s->heads, pairs = size / 2;
    if (product == LLM_UP)
        return s->hidden + row;
    if (product != LLM_QKV || row >= 2 * d)
        return row;
    const uint32_t half = row % d / (d / 2), pair = row % (d / 2);
    return row / d * d + pair / pairs * size + half * pairs + pair % pairs;
}

static enum sam_status take_piece(struct llm *llm, const struct llm_piece *p,
                                  const struct sam_weights *weights, const char *file,
                                  struct sam_error *error)
{
    char name[48];
    const bool gate = p->product == LLM_GATE || p->product == LLM_UP;
    const uint32_t columns =
        gate ? 2 * llm->shape.hidden : rows_of(&llm->shape, p->product);
    if (p->product == LLM_HEAD)
        snprintf(name, sizeof name, "head");
    else
        snprintf(name, sizeof name, "layers.%u.%s", p->layer,
                 gate ? "gate_up" : products[p->product].name);
    const uint8_t *data = tensor(weights, file, name, p->depth, columns, error);
    if (!data)
        return SAM_ERR_INPUT;
    for (uint32_t row = 0; row < p->rows; row++) {
        const uint32_t column = column_of(&llm->shape, p->product, p->first + row);
        for (uint32_t k = 0; k < p->depth; k++)
            set_weight(llm, p->at + (size_t)row * p->depth + k,
                       element(data, (size_t)k * columns + column));
    }
    return SAM_OK;
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
    *s = (struct llm_shape){.positions = 1 << 14};
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
        return refuse(error, SAM_ERR_INPUT,
                      "metadata: expected charset, heads and context, as llm-train.py writes them");
    return fits(s) ? SAM_OK
                   : refuse(error, SAM_ERR_INPUT,
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
    shape.piece = type == SAM_BF16 ? 24576 : 49152;
    if (status == SAM_OK)
        status = begin(llm, &shape, type, error);
    for (size_t i = 0; status == SAM_OK && i < llm->piece_count; i++)
        status = take_piece(llm, &llm->pieces[i], &weights, file, error);
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
    char *header = malloc(llm->piece_count * 192 + 64);
    size_t used = 0;
    if (!header)
        return NULL;
    header[used++] = '{';
    for (size_t i = 0; i < llm->piece_count; i++) {
        const struct llm_piece *p = &llm->pieces[i];
        const size_t from = p->at * element;
        used += (size_t)snprintf(header + used, 192,
                                 "\"%s\":{\"dtype\":\"%s\",\"shape\":[%u,%u],\"data_offsets\":[%zu,"
                                 "%zu]},",
                                 p->name, sam_dtype_safetensors(llm->type), p->rows, p->depth, from,
                                 from + (size_t)p->rows * p->depth * element);
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
    const struct sam_codec_options options = {.size = sizeof options, .window = window};
    struct sam_weights weights = {0};
    size_t bytes, need;
    char *file = safetensors(llm, &bytes);
    *packed = NULL;
    *raw = llm->weight_count * sam_dtype_size(llm->type);
    enum sam_status status = file ? SAM_OK : refuse(error, SAM_ERR_MEMORY, "out of memory");
    if (status == SAM_OK)
        status = sam_weights_parse(SAM_WEIGHTS_SAFETENSORS, file, bytes, bytes, "llm", &weights,
                                   &need, error);
    if (status == SAM_OK) {
        const size_t room = sam_pack_bound(&weights);
        *packed = malloc(room);
        status = *packed ? sam_pack(&weights, file, &options, *packed, room, size, error)
                         : refuse(error, SAM_ERR_MEMORY, "out of memory");
    }
    sam_weights_free(&weights);
    free(file);
    return status;
}
