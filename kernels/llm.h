/* SPDX-License-Identifier: Apache-2.0 */
/* A language model of characters on tile programs: its weights, one token's step as a tile program
 * (llm_program.c), a reference in double precision, and runs on the host and on the system.
 * docs/llm.md describes it. */
#ifndef SAMITE_KERNELS_LLM_H
#define SAMITE_KERNELS_LLM_H

#include <samite/samite.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decoder-only transformer: RMS norms without factors, rotary positions, SwiGLU. */
struct llm_shape {
    uint32_t width, layers, heads, hidden, vocabulary;
    uint32_t context;   /* positions that the cache of keys and values has */
    uint32_t positions; /* in a text, at most: rows of the table of rotations */
    uint32_t piece;     /* weights of a tensor, at most; 0: a matrix is a tensor */
};

#define LLM_EPS  1e-5
#define LLM_BASE 10000.0

/* The products of a layer, then that of the logits. */
enum llm_product { LLM_QKV, LLM_OUT, LLM_GATE, LLM_UP, LLM_DOWN, LLM_HEAD, LLM_PRODUCTS };

/* Rows, one for each result, of `depth` weights: a tensor of its own in a packed file. */
struct llm_piece {
    char name[40]; /* layers_0_qkv_0 */
    enum llm_product product;
    uint32_t layer, first, rows, depth;
    size_t at; /* of its first element among all weights */
};

/* A model: elements row by row, already rounded to `type`. */
struct llm {
    struct llm_shape shape;
    enum sam_dtype type; /* SAM_F16, SAM_BF16, SAM_E5M2 */
    char charset[257];   /* character of each token; "" for a model from a seed */
    struct llm_piece *pieces;
    size_t piece_count;
    float *weights; /* of all pieces */
    size_t weight_count;
    uint16_t *half; /* the same in f16, unless `type` is SAM_BF16 */
    uint16_t *embed; /* [vocabulary][width] in f16 */
    float *turns;    /* [positions][2][width / 2]: cosines and sines of the pairs of all heads */
};

/* The model of a file of tools/llm-train.py, rounded to `type`. Free it in either case. */
enum sam_status llm_read(struct llm *llm, const char *path, enum sam_dtype type,
                         struct sam_error *error);
/* One of that shape with weights from a seed. */
enum sam_status llm_make(struct llm *llm, const struct llm_shape *shape, enum sam_dtype type,
                         uint64_t seed, struct sam_error *error);
void llm_free(struct llm *llm);
/* Its weights as by `samite pack`, malloc'ed; *raw: their bytes unpacked. */
enum sam_status llm_pack(const struct llm *llm, bool window, void **packed, size_t *size,
                         size_t *raw, struct sam_error *error);
/* The token of a character, or -1. */
int llm_token(const struct llm *llm, char c);

/* The step as the text of a tile program, malloc'ed. */
char *llm_program(const struct llm *llm, struct sam_error *error);

/* --- the reference: llm_check.c */

struct llm_reference; /* with its own cache */
struct llm_reference *llm_reference_new(const struct llm *llm);
void llm_reference_free(struct llm_reference *reference);
/* The logits of the next token, in double precision. */
void llm_reference_step(struct llm_reference *reference, uint32_t token, uint32_t position,
                        double *logits);
/* The largest difference of logits that roundings to f16 explain. */
#define LLM_TOLERANCE 0.06

/* --- runs: llm_run.c */

struct llm_run_options {
    bool system;
    const struct sam_system_timing *timing; /* not NULL: count cycles */
    const void *packed;                     /* weights, packed by sam_pack; NULL: raw arrays */
    size_t packed_size;
    bool check_races, in_order, explain;
    const char *emit; /* a folder for the lowered program, or NULL */
};
struct llm_run; /* a model, its cache and its program */
enum sam_status llm_run_new(const struct llm *llm, const struct llm_run_options *options,
                            struct llm_run **run, struct sam_error *error);
void llm_run_free(struct llm_run *run);
/* Run one token; logits of the next one are in llm_run_logits. */
enum sam_status llm_run_step(struct llm_run *run, uint32_t token, uint32_t position,
                             struct sam_error *error);
const float *llm_run_logits(const struct llm_run *run);
/* Of the last step on a system with timing, or NULL; they belong to the run. */
const struct sam_system_figures *llm_run_figures(const struct llm_run *run);

#endif
