/* SPDX-License-Identifier: Apache-2.0 */
/* A transformer block in double precision, with error bounds for single precision. A worst-case
 * bound would be useless (the errors of 128 additions rarely have one sign), so the standard
 * deviation of every value is propagated as if roundings were independent, each with a deviation of
 * 2^-24 of its result, which is an upper bound. An error may be up to BLOCK_DEVIATIONS standard
 * deviations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "block.h"

#define U 0x1p-24 /* a rounding of single precision */
#define H 0x1p-11 /* of half precision, whose smallest numbers are 2^-24 apart */

/* rows x cols values and the deviations of their errors. */
struct matrix {
    size_t rows, cols;
    double *v, *e;
};

static bool make(struct matrix *m, size_t rows, size_t cols)
{
    *m = (struct matrix){rows, cols, calloc(rows * cols, sizeof(double)),
                         calloc(rows * cols, sizeof(double))};
    return m->v && m->e;
}

static void drop(struct matrix *m)
{
    free(m->v);
    free(m->e);
}

static double squared(double x)
{
    return x * x;
}

/* The variance of rounding v to an operand of products. */
static double rounding(const struct block_config *c, double v)
{
    return c->type == SAM_F16 ? squared(fmax(H * fabs(v), 0x1p-25)) : 0;
}

static void round_operands(const struct block_config *c, struct matrix *m)
{
    for (size_t i = 0; i < m->rows * m->cols; i++)
        m->e[i] = sqrt(squared(m->e[i]) + rounding(c, m->v[i]));
}

/* The variance of the error of a sum of n terms with the given total and sum of squares: a
 * partial sum is about as large as the total, or as the root of the sum of squares if the terms
 * cancel. */
static double sum_variance(double n, double total, double squares)
{
    return n * U * U * (total * total + squares);
}

/* A layer norm of each row, scaled and shifted. */
static void norm(const struct matrix *x, const float *scale, const float *shift, double eps,
                 struct matrix *y)
{
    const double d = (double)x->cols;
    for (size_t i = 0; i < x->rows; i++) {
        const double *v = x->v + i * x->cols, *e = x->e + i * x->cols;
        double sum = 0, squares = 0, error = 0, square = 0;
        for (size_t j = 0; j < x->cols; j++) {
            sum += v[j];
            squares += v[j] * v[j];
            error += squared(e[j]);
        }
        const double mean = sum / d;
        const double mean_error = (error + sum_variance(d + 2, sum, squares)) / (d * d);
        error = 0;
        for (size_t j = 0; j < x->cols; j++) {
            const double z = v[j] - mean;
            square += z * z;
            error += squared(2 * z) * (squared(e[j]) + mean_error + squared(U * z));
        }
        const double variance = square / d + eps;
        const double variance_error =
            sqrt(error + sum_variance(d + 4, square, 0)) / d + 2 * U * eps;
        const double inverse = 1 / sqrt(variance);
        const double inverse_error = inverse * (0.5 * variance_error / variance + U);
        for (size_t j = 0; j < x->cols; j++) {
            const double z = v[j] - mean, g = (double)scale[j], n = z * inverse * g;
            const double ez = squared(e[j]) + mean_error + squared(U * z);
            y->v[i * x->cols + j] = n + (double)shift[j];
            y->e[i * x->cols + j] =
                sqrt(squared(g * z * inverse_error) + squared(g * inverse) * ez +
                     squared(2 * U * n) + squared(U * (fabs(n) + fabs((double)shift[j]))));
        }
    }
}

/* y = x w + bias; `gate` is applied to it, `residual` added: both may be NULL. */
static void product(const struct matrix *x, const float *w, const float *bias,
                    const struct block_config *gate, const struct matrix *residual,
                    struct matrix *y)
{
    for (size_t i = 0; i < y->rows; i++)
        for (size_t j = 0; j < y->cols; j++) {
            const size_t at = i * y->cols + j;
            double sum = 0, squares = 0, error = 0;
            for (size_t l = 0; l < x->cols; l++) {
                const double a = x->v[i * x->cols + l], b = (double)w[l * y->cols + j];
                sum += a * b;
                squares += squared(a * b);
                error += squared(x->e[i * x->cols + l] * b);
            }
            double v = sum + (double)bias[j];
            error += sum_variance((double)x->cols + 1, sum, squares) + squared(U * v);
            if (gate) { /* its slope is at most 1.13 */
                const double t = v * (gate->slope + gate->cubic * v * v), s = 1 / (1 + exp(-t));
                error = squared(1.13) * error + squared(v * s * (1 - s) * 6 * U * t) +
                        squared(5 * U * v * s);
                v *= s;
            }
            if (residual) {
                v += residual->v[at];
                error += squared(residual->e[at]) + squared(U * v);
            }
            y->v[at] = v;
            y->e[at] = sqrt(error);
        }
}

/* The scores of a row in one head, and the variances of their errors. */
static void score(const struct matrix *qkv, size_t width, size_t size, size_t head, size_t row,
                  double *scores, double *errors)
{
    const double scale = 1 / sqrt((double)size);
    const double *q = qkv->v + row * qkv->cols + head * size;
    const double *qe = qkv->e + row * qkv->cols + head * size;
    for (size_t i = 0; i < qkv->rows; i++) {
        const double *k = qkv->v + i * qkv->cols + width + head * size;
        const double *ke = qkv->e + i * qkv->cols + width + head * size;
        double sum = 0, squares = 0, error = 0;
        for (size_t l = 0; l < size; l++) {
            sum += q[l] * k[l];
            squares += squared(q[l] * k[l]);
            error += squared(qe[l] * k[l]) + squared(ke[l] * q[l]);
        }
        scores[i] = sum * scale;
        errors[i] = (error + sum_variance((double)size + 2, sum, squares)) * scale * scale;
    }
}

/* The output of a row of one head. `blocks`: of keys; sums are rescaled after each. */
static void attend(const struct matrix *qkv, const struct block_config *c, size_t head, size_t row,
                   double *scores, double *errors, struct matrix *y)
{
    const size_t width = c->width, size = c->heads ? width / c->heads : 0;
    const size_t whole = (qkv->rows + 127) / 128;
    const double blocks = (double)whole;
    const double roundings = ((double)qkv->rows + 8 * blocks + 8) * U * U;
    double largest = -INFINITY, sum = 0, common = 0;
    score(qkv, width, size, head, row, scores, errors);
    for (size_t i = 0; i < qkv->rows; i++)
        largest = fmax(largest, scores[i]);
    for (size_t i = 0; i < qkv->rows; i++)
        sum += exp(scores[i] - largest);
    for (size_t i = 0; i < qkv->rows; i++) { /* of a probability, relative to it */
        const double p = exp(scores[i] - largest) / sum;
        errors[i] += squared(2 * U * blocks * (largest - scores[i])) + roundings;
        common += p * p * errors[i];
        scores[i] = p;
    }
    for (size_t l = 0; l < size; l++) {
        double mixed = 0, error = 0, squares = 0;
        for (size_t i = 0; i < qkv->rows; i++) {
            const size_t at = i * qkv->cols + 2 * width + head * size + l;
            const double weighted = scores[i] * qkv->v[at];
            mixed += weighted;
            squares += squared(weighted);
            error += squared(weighted) * (errors[i] + common) + squared(scores[i] * qkv->e[at]) +
                     rounding(c, scores[i] * sum) * squared(qkv->v[at] / sum);
        }
        y->v[row * width + head * size + l] = mixed;
        y->e[row * width + head * size + l] =
            sqrt(error + mixed * mixed * common +
                 sum_variance((double)qkv->rows + 4 * blocks, mixed, squares));
    }
}

static bool attention(const struct matrix *qkv, const struct block_config *c, struct matrix *y)
{
    double *scores = calloc(2 * qkv->rows, sizeof *scores);
    for (size_t head = 0; scores && head < c->heads; head++)
        for (size_t row = 0; row < qkv->rows; row++)
            attend(qkv, c, head, row, scores, scores + qkv->rows, y);
    free(scores);
    return scores != NULL;
}

enum sam_status block_expect(const struct block *block, double **y, double **deviations,
                             struct sam_error *error)
{
    const struct block_config *c = &block->config;
    float *const *w = block->arrays;
    struct matrix in = {0}, rows = {0}, qkv = {0}, hidden = {0}, out = {0}, middle = {0};
    bool good = make(&in, c->sequence, c->width) && make(&rows, c->sequence, c->width) &&
                make(&qkv, c->sequence, 3 * (size_t)c->width) &&
                make(&hidden, c->sequence, c->hidden) && make(&out, c->sequence, c->width) &&
                make(&middle, c->sequence, c->width);
    for (size_t i = 0; good && i < block->counts[BLOCK_X]; i++)
        in.v[i] = (double)w[BLOCK_X][i];
    if (good) {
        norm(&in, w[BLOCK_NORM1], w[BLOCK_NORM1_BIAS], c->eps, &rows);
        round_operands(c, &rows);
        product(&rows, w[BLOCK_QKV], w[BLOCK_QKV_BIAS], NULL, NULL, &qkv);
        round_operands(c, &qkv);
        good = attention(&qkv, c, &rows);
    }
    if (good) {
        round_operands(c, &rows);
        product(&rows, w[BLOCK_PROJECT], w[BLOCK_PROJECT_BIAS], NULL, &in, &middle);
        norm(&middle, w[BLOCK_NORM2], w[BLOCK_NORM2_BIAS], c->eps, &rows);
        round_operands(c, &rows);
        product(&rows, w[BLOCK_UP], w[BLOCK_UP_BIAS], c, NULL, &hidden);
        round_operands(c, &hidden);
        product(&hidden, w[BLOCK_DOWN], w[BLOCK_DOWN_BIAS], NULL, &middle, &out);
        *y = out.v;
        *deviations = out.e;
        out = (struct matrix){0};
    } else {
        snprintf(error->text, sizeof error->text, "out of memory");
    }
    drop(&in), drop(&rows), drop(&qkv), drop(&hidden), drop(&out), drop(&middle);
    return good ? SAM_OK : SAM_ERR_MEMORY;
}

enum sam_status block_verify(const struct block *block, struct block_result *result,
                             struct sam_error *error)
{
    double *y = NULL, *deviations = NULL;
    const enum sam_status status = block_expect(block, &y, &deviations, error);
    const size_t width = block->config.width ? block->config.width : 1;
    *result = (struct block_result){0};
    for (size_t i = 0; status == SAM_OK && i < block->counts[BLOCK_Y]; i++) {
        const double found = (double)block->arrays[BLOCK_Y][i];
        const double allowed = BLOCK_DEVIATIONS * deviations[i] + 0x1p-126;
        const double share = fabs(found - y[i]) / allowed;
        if (!(share <= 1) && !result->failure[0]) /* or it is NaN */
            snprintf(result->failure, sizeof result->failure,
                     "y[%zu][%zu] is %.9g: expected %.9g within %.3g", i / width, i % width, found,
                     y[i], allowed);
        result->share = fmax(result->share, share);
        result->allowed = fmax(result->allowed, allowed);
    }
    free(y);
    free(deviations);
    return status;
}
