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
};

#define LLM_EPS  1e-5
#define LLM_BASE 10000.0

/* Matrices: rows of weights, one row per result. Those of a layer follow those of the one before.
 * A layer has in LLM_WIDE the rows of queries, keys and values, of what attention has seen, of gate
 * and of up; few large tensors, because each has tables of codes. */
enum llm_matrix { LLM_WIDE, LLM_DOWN, LLM_HEAD, LLM_MATRICES };

struct llm_rows {
    uint32_t rows, depth; /* of a layer; weights of a row */
    uint32_t layers;
    size_t at; /* of the first weight among all */
};

/* A model: elements row by row, already rounded to `type`. */
struct llm {
    struct llm_shape shape;
    enum sam_dtype type; /* SAM_F16, SAM_BF16, SAM_E5M2 */
    char charset[257];   /* character of each token; "" for a model from a seed */
    struct llm_rows matrices[LLM_MATRICES];
    float *weights;
    size_t weight_count;
    uint16_t *half;  /* the same in f16, unless `type` is SAM_BF16 */
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

/* "wide", and the matrices of a shape. */
const char *llm_matrix_name(enum llm_matrix matrix);
void llm_matrices(const struct llm_shape *shape, struct llm_rows matrices[LLM_MATRICES]);
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
    uint32_t start;                         /* positions before it are run on the executor */
    const struct sam_system_timing *timing; /* not NULL: count cycles */
    const void *packed;                     /* weights, packed by sam_pack; NULL: raw arrays */
    size_t packed_size;
    bool check_races, explain;
    bool cold; /* count the first run of a step on a new machine, not the second, which finds its
                  code and whatever fits in the L2 */
    const char *emit; /* a folder for the lowered program, or NULL */
};
struct llm_run; /* a model, its cache and its program */
enum sam_status llm_run_new(const struct llm *llm, const struct llm_run_options *options,
                            struct llm_run **result, struct sam_error *error);
void llm_run_free(struct llm_run *run);
/* Run one token; logits of the next one are in llm_run_logits. */
enum sam_status llm_run_step(struct llm_run *run, uint32_t token, uint32_t position,
                             struct sam_error *error);
/* Take over the cache of another run of the same shape. */
void llm_run_continue(struct llm_run *run, const struct llm_run *from);
const float *llm_run_logits(const struct llm_run *run);
/* Cycles of the last step on a system with timing. */
uint64_t llm_run_cycles(const struct llm_run *run);
/* Of the last step on a system with timing, or NULL, with the first run of its program: they belong
 * to the run. */
const struct sam_system_figures *llm_run_figures(const struct llm_run *run);

#endif
