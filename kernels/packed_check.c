/* SPDX-License-Identifier: Apache-2.0 */
/* The expected results of a layer in double precision, and the errors of the computed ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packed.h"

/* A row of logits in double precision, the error bound of each, and their softmax. */
struct row {
    double *logits, *bounds, *exponentials;
    double largest, sum;
    double bound; /* the largest error of a logit */
};

static void expect_row(const struct packed_layer *layer, uint32_t m, struct row *row)
{
    const uint32_t depth = layer->config.depth, columns = layer->config.columns;
    const double *token = layer->tokens + (size_t)m * depth;
    row->largest = -INFINITY;
    row->bound = 0;
    row->sum = 0;
    for (uint32_t n = 0; n < columns; n++) {
        const double *weights = layer->weights + (size_t)n * depth;
        double sum = 0, magnitude = 0;
        for (uint32_t k = 0; k < depth; k++) {
            sum += token[k] * weights[k];
            magnitude += fabs(token[k] * weights[k]);
        }
        row->logits[n] = sum;
        row->bounds[n] = depth * 0x1p-24 * magnitude;
        row->bound = fmax(row->bound, row->bounds[n]);
        row->largest = fmax(row->largest, sum);
    }
    for (uint32_t n = 0; n < columns; n++)
        row->sum += row->exponentials[n] = exp(row->logits[n] - row->largest);
}

/* Keep the largest error relative to its bound. Returns false if it exceeds the bound, or is
 * NaN. */
static bool is_within(double found, double expected, double allowed, double *worst)
{
    const double share = fabs(found - expected) / allowed;
    *worst = share > *worst || isnan(share) ? share : *worst;
    return share <= 1;
}

static bool check_row(const struct packed_layer *layer, uint32_t m, const struct row *row,
                      struct packed_result *result)
{
    const uint32_t columns = layer->config.columns, likely = result->likely[m];
    const float *logits = result->logits + (size_t)m * columns;
    const float *probabilities = result->probabilities + (size_t)m * columns;
    float largest = -INFINITY;
    for (uint32_t n = 0; n < columns; n++) {
        const double p = row->exponentials[n] / row->sum;
        /* The difference from the largest is rounded once, as are its exponential, each step of
         * the sum, and the quotient. */
        const double part = expm1(2 * row->bound + (row->largest - row->logits[n]) * 0x1p-23) +
                            (columns + 8) * 0x1p-24;
        if (!is_within((double)logits[n], row->logits[n], row->bounds[n], &result->logit_error)) {
            snprintf(result->failure, sizeof result->failure,
                     "logits[%u][%u] is %.9g: expected %.9g within %.3g", m, n, (double)logits[n],
                     row->logits[n], row->bounds[n]);
            return false;
        }
        if (!is_within((double)probabilities[n], p, p * part + 0x1p-126,
                       &result->probability_error)) {
            snprintf(result->failure, sizeof result->failure,
                     "probabilities[%u][%u] is %.9g: expected %.9g within %.3g", m, n,
                     (double)probabilities[n], p, p * part);
            return false;
        }
        largest = fmaxf(largest, logits[n]);
    }
    if (likely < columns && logits[likely] == largest)
        return true;
    snprintf(result->failure, sizeof result->failure,
             "likely[%u] is %u: expected a column of the largest logit, %.9g", m, likely,
             (double)largest);
    return false;
}

bool packed_check(const struct packed_layer *layer, struct packed_result *result)
{
    const uint32_t columns = layer->config.columns;
    struct row row = {.logits = calloc(columns, sizeof(double)),
                      .bounds = calloc(columns, sizeof(double)),
                      .exponentials = calloc(columns, sizeof(double))};
    bool good = row.logits && row.bounds && row.exponentials;
    result->logit_error = result->probability_error = 0;
    if (!good)
        snprintf(result->failure, sizeof result->failure, "out of memory");
    for (uint32_t m = 0; good && m < layer->rows; m++) {
        expect_row(layer, m, &row);
        good = check_row(layer, m, &row, result);
    }
    free(row.logits);
    free(row.bounds);
    free(row.exponentials);
    return good;
}

void packed_result_free(struct packed_result *result)
{
    free(result->logits);
    free(result->probabilities);
    free(result->likely);
    sam_system_figures_free(result->figures);
    sam_image_free(result->program);
    sam_image_free(result->kernels);
    *result = (struct packed_result){0};
}
