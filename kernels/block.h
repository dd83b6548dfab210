/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a transformer for kernels/tile/block.pto and block_f16.pto: weights from a seed or from
 * a file, the run, and a comparison with plain C in double precision. */
#ifndef SAMITE_KERNELS_BLOCK_H
#define SAMITE_KERNELS_BLOCK_H

#include <samite/samite.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The arrays of a block, in the order of its arguments in block.pto. */
enum block_array {
    BLOCK_X,
    BLOCK_NORM1,
    BLOCK_NORM1_BIAS,
    BLOCK_QKV,
    BLOCK_QKV_BIAS,
    BLOCK_PROJECT,
    BLOCK_PROJECT_BIAS,
    BLOCK_NORM2,
    BLOCK_NORM2_BIAS,
    BLOCK_UP,
    BLOCK_UP_BIAS,
    BLOCK_DOWN,
    BLOCK_DOWN_BIAS,
    BLOCK_ROWS,          /* scratch: [sequence][width], */
    BLOCK_WIDE,          /* [sequence][3 width, or hidden if larger], */
    BLOCK_PROBABILITIES, /* [128][128] */
    BLOCK_Y,
    BLOCK_ARRAYS
};

struct block_config {
    uint32_t sequence, width, heads, hidden; /* width: at most 512, and 64 per head */
    enum sam_dtype type; /* of weights from a seed: SAM_F32, SAM_BF16, which is widened, or SAM_F16:
                            all operands of products are f16, as block_f16.pto has them */
    double slope, cubic; /* of the gate: v / (1 + exp(-v (slope + cubic v v))) */
    double eps;          /* of the norms */
    uint64_t seed;
};
/* Constants of the gate that give GELU, in its form with tanh. */
#define BLOCK_GELU_SLOPE 1.5957691216057308
#define BLOCK_GELU_CUBIC 0.071354816272600248

struct block {
    struct block_config config;
    float *arrays[BLOCK_ARRAYS];    /* weights and input as f32; those of scratch are zero */
    uint16_t *halves[BLOCK_ARRAYS]; /* those of f16, made by block_arguments; else NULL */
    size_t counts[BLOCK_ARRAYS];
    uint64_t shapes[BLOCK_ARRAYS][2];
    char names[BLOCK_ARRAYS][48]; /* of the tensors in the file of weights; "" for other arrays */
};

/* Weights and input from config->seed. SAM_ERR_USAGE: sizes that exceed block.pto. Free in
 * either case. */
enum sam_status block_make(struct block *block, const struct block_config *config,
                           struct sam_error *error);
/* The path of the program. */
const char *block_source(const struct block_config *config);
/* The type of an array in the program, and of a weight in a file. */
enum sam_dtype block_type(const struct block *block, enum block_array array);
enum sam_dtype block_file_type(const struct block *block, enum block_array array);
/* Set the shapes of the arrays, for callers that fill them in; block_free frees it. */
enum sam_status block_shape(struct block *block, const struct block_config *config,
                            struct sam_error *error);
void block_free(struct block *block);
/* The weights of `count` blocks, whose names differ, as safetensors, malloc'ed. */
enum sam_status block_file(const struct block *blocks, size_t count, char **file, size_t *size,
                           struct sam_error *error);
/* The weights packed as by `samite pack`, malloc'ed. */
enum sam_status block_pack(const struct block *blocks, size_t count, bool window, void **packed,
                           size_t *size, struct sam_error *error);
/* Block number 0 or 1 of the neck of the PP-OCRv4 recognition model, converted by `samite
 * convert`; the input is from config->seed, sequence is kept. */
enum sam_status block_ocr(struct block *block, const struct block_config *config, unsigned number,
                          const char *path, struct sam_error *error);

/* The expected output of the block, and the standard deviation of the error of each element
 * (block_check.c), [sequence][width] each; free them. */
enum sam_status block_expect(const struct block *block, double **y, double **deviations,
                             struct sam_error *error);

#define BLOCK_DEVIATIONS 8 /* largest error, in standard deviations */

struct block_result {
    double share;      /* the largest error relative to its bound */
    double allowed;    /* the largest bound */
    char failure[160]; /* the first element that exceeds its bound, or "" */
};
/* Compare the output of the block with the expected one. */
enum sam_status block_verify(const struct block *block, struct block_result *result,
                             struct sam_error *error);

#endif
