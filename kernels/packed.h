/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of packed weights run by the programs of kernels/system: made from a seed, packed,
 * run on the system, and compared with plain C in double precision. */
#ifndef SAMITE_KERNELS_PACKED_H
#define SAMITE_KERNELS_PACKED_H

#include <samite/samite.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packed_config {
    enum sam_dtype type; /* of the weights: SAM_F16, SAM_E4M3, SAM_E5M2, SAM_E2M1 */
    uint32_t groups;     /* of 16 tokens; 0: a single token, whose depth is 1024 */
    uint32_t depth;      /* K: features of a token, a multiple of 64 */
    uint32_t columns;    /* N: rows of the weights */
    uint64_t seed;
    bool window; /* pack as windows */
};

/* A layer and its packed file. */
struct packed_layer {
    struct packed_config config;
    uint32_t rows;            /* tokens */
    double *tokens, *weights; /* [rows][depth], [columns][depth]: the values in the file */
    uint8_t *file, *packed;   /* safetensors; its output of `samite pack` */
    size_t file_size, packed_size;
};

/* SAM_ERR_USAGE: sizes that exceed the programs. Free `layer` in either case. */
enum sam_status packed_make(struct packed_layer *layer, const struct packed_config *config,
                            struct sam_error *error);
void packed_free(struct packed_layer *layer);

/* The results of a program, [rows][columns] and [rows], and their comparison. */
struct packed_result {
    float *logits, *probabilities;
    uint32_t *likely;
    /* The largest error of a logit and of a probability, relative to its bound. */
    double logit_error, probability_error;
    char failure[160]; /* the first wrong element */
    /* With timing, the cycles by reason; or NULL. The names belong to the programs. */
    struct sam_system_figures *figures;
    struct sam_image *program, *kernels;
};
/* Whether all results are within the bounds. The error of a logit is at most K roundings of single
 * precision, the bound of a sum in any order: K * 2^-24 * sum |token * weight|. That of a
 * probability is the resulting error of the exponentials, and N + 8 roundings. The likely column
 * must have the largest logit. */
bool packed_check(const struct packed_layer *layer, struct packed_result *result);
void packed_result_free(struct packed_result *result);

/* Options of a layer's run. */
struct packed_run {
    const char *folder;      /* kernels/system */
    const char *program;     /* an ELF file; NULL: layer.s, which is for 16 tokens and a multiple of
                                64 columns, otherwise SAM_ERR_USAGE */
    unsigned mlen;           /* 0: 512, which layer.s requires */
    struct sam_sink console; /* output of program and kernels */
    bool check_races;        /* a race is a failure */
    const struct sam_system_timing *timing; /* not NULL: count cycles */
    uint32_t acc_regs;                      /* of the hart: 0, 0xf0 or 0x11 */
    bool load_widen; /* layer.s with LOAD_WIDEN, for mx.load_widen in `timing` */
};
/* Run a program on the layer and read its results. SAM_ERR_TRAP: the program or a kernel failed. */
enum sam_status packed_run(const struct packed_layer *layer, const struct packed_run *run,
                           struct packed_result *result, struct sam_error *error);

#endif
