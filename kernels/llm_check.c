/* SPDX-License-Identifier: Apache-2.0 */
/* The language model in plain C and double precision, without any rounding of what it computes: its
 * weights are those of the model. Nothing is shared with the tile program but the order of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "llm.h"

struct llm_reference {
    const struct llm *llm;
    double *keys, *values; /* [layers][context][width] */
    double *x, *norm, *wide, *scores, *mixed, *inner, *sums;
};

struct llm_reference *llm_reference_new(const struct llm *llm)
{
    const struct llm_shape *s = &llm->shape;
    const size_t d = s->width, cached = (size_t)s->layers * s->context * d;
    struct llm_reference *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->llm = llm;
    r->keys = calloc(cached, sizeof(double));
    r->values = calloc(cached, sizeof(double));
    r->x = calloc(d, sizeof(double));
    r->norm = calloc(d, sizeof(double));
    r->wide = calloc(3 * d, sizeof(double));
    r->scores = calloc(s->context, sizeof(double));
    r->mixed = calloc(d, sizeof(double));
    r->inner = calloc(2 * (size_t)s->hidden, sizeof(double));
    r->sums = calloc(d, sizeof(double));
    if (r->keys && r->values && r->x && r->norm && r->wide && r->scores && r->mixed && r->inner &&
        r->sums)
        return r;
    llm_reference_free(r);
    return NULL;
}

void llm_reference_free(struct llm_reference *r)
{
    if (!r)
        return;
    free(r->keys);
    free(r->values);
    free(r->x);
    free(r->norm);
    free(r->wide);
    free(r->scores);
    free(r->mixed);
    free(r->inner);
    free(r->sums);
    free(r);
}

/* out = W in, for `rows` rows of a layer from `first` on. */
static void multiply(const struct llm *llm, enum llm_matrix matrix, uint32_t layer, uint32_t first,
                     uint32_t rows, const double *in, double *out)
{
    const struct llm_rows *m = &llm->matrices[matrix];
    const float *w = llm->weights + m->at + ((size_t)layer * m->rows + first) * m->depth;
    for (uint32_t row = 0; row < rows; row++, w += m->depth) {
        out[row] = 0;
        for (uint32_t k = 0; k < m->depth; k++)
            out[row] += (double)w[k] * in[k];
    }
}

static void normalise(const double *x, double *out, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    const double scale = 1 / sqrt(sum / count + LLM_EPS);
    for (uint32_t i = 0; i < count; i++)
        out[i] = x[i] * scale;
}

/* The first halves of queries and of keys, then the second ones, become queries, then keys. */
static void sort_halves(double *row, double *room, uint32_t d)
{
    memcpy(room, row + d / 2, d / 2 * sizeof(double));
    memcpy(row + d / 2, row + d, d / 2 * sizeof(double));
    memcpy(row + d, room, d / 2 * sizeof(double));
}

/* Rotate each pair: elements i and i + d / 2. */
static void rotate(const struct llm_shape *s, double *row, uint32_t position)
{
    const uint32_t half = s->width / 2, pairs = half / s->heads;
    for (uint32_t i = 0; i < half; i++) {
        const double angle = position * pow(LLM_BASE, -(double)(i % pairs) / pairs);
        const double a = row[i], b = row[half + i];
        row[i] = a * cos(angle) - b * sin(angle);
        row[half + i] = b * cos(angle) + a * sin(angle);
    }
}

static void attend(struct llm_reference *r, const double *keys, const double *values,
                   uint32_t count)
{
    const struct llm_shape *s = &r->llm->shape;
    const uint32_t d = s->width, size = d / s->heads, pairs = size / 2;
    for (uint32_t h = 0; h < s->heads; h++) {
        double most = -INFINITY, total = 0;
        for (uint32_t p = 0; p < count; p++) {
            double sum = 0;
            for (uint32_t i = 0; i < pairs; i++)
                for (uint32_t at = h * pairs + i; at < d; at += d / 2)
                    sum += r->wide[at] * keys[(size_t)p * d + at];
            r->scores[p] = sum / sqrt(size);
            most = fmax(most, r->scores[p]);
        }
        for (uint32_t p = 0; p < count; p++)
            total += r->scores[p] = exp(r->scores[p] - most);
        for (uint32_t i = h * size; i < (h + 1) * size; i++) {
            r->mixed[i] = 0;
            for (uint32_t p = 0; p < count; p++)
                r->mixed[i] += r->scores[p] / total * values[(size_t)p * d + i];
        }
    }
}

static void add(const double *from, double *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] += from[i];
}

void llm_reference_step(struct llm_reference *r, uint32_t token, uint32_t position, double *logits)
{
    const struct llm *llm = r->llm;
    const struct llm_shape *s = &llm->shape;
    const uint32_t d = s->width, slot = position % s->context;
    const uint32_t count = position + 1 < s->context ? position + 1 : s->context;
    for (uint32_t i = 0; i < d; i++)
        r->x[i] = sam_dtype_value(SAM_F16, llm->embed[(size_t)token * d + i]);
    for (uint32_t layer = 0; layer < s->layers; layer++) {
        double *keys = r->keys + (size_t)layer * s->context * d;
        double *values = r->values + (size_t)layer * s->context * d;
        normalise(r->x, r->norm, d);
        multiply(llm, LLM_WIDE, layer, 0, 3 * d, r->norm, r->wide);
        sort_halves(r->wide, r->norm, d);
        rotate(s, r->wide, position);
        rotate(s, r->wide + d, position);
        memcpy(keys + (size_t)slot * d, r->wide + d, d * sizeof(double));
        memcpy(values + (size_t)slot * d, r->wide + 2 * d, d * sizeof(double));
        attend(r, keys, values, count);
        multiply(llm, LLM_WIDE, layer, 3 * d, d, r->mixed, r->sums);
        add(r->sums, r->x, d);
        normalise(r->x, r->norm, d);
        multiply(llm, LLM_WIDE, layer, 4 * d, 2 * s->hidden, r->norm, r->inner);
        for (uint32_t i = 0; i < s->hidden; i++)
            r->inner[i] *= r->inner[s->hidden + i] / (1 + exp(-r->inner[i]));
        multiply(llm, LLM_DOWN, layer, 0, d, r->inner, r->sums);
        add(r->sums, r->x, d);
    }
    normalise(r->x, r->norm, d);
    multiply(llm, LLM_HEAD, 0, 0, s->vocabulary, r->norm, logits);
}
