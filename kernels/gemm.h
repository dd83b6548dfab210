/* SPDX-License-Identifier: Apache-2.0 */
/* The GEMM kernels of this folder on the tensor hart, on inputs from a fixed seed, compared with
 * plain C that sums in the order of the matrix unit: results must be bit-identical. */
#ifndef SAMITE_KERNELS_GEMM_H
#define SAMITE_KERNELS_GEMM_H

#include <samite/samite.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gemm_kernel {
    const char *name; /* gemm_<name>.s */
    unsigned source;  /* bits of an element of A and B */
    unsigned target;  /* of C */
    bool is_float;
};
extern const struct gemm_kernel gemm_kernels[];
extern const size_t gemm_kernel_count;
const struct gemm_kernel *gemm_find(const char *name);

struct gemm_config {
    uint32_t m, n, k;                    /* 1..GEMM_MAX; K even for int4 */
    unsigned mlen;                       /* 0: 512 */
    unsigned xlen;                       /* 0: 64 */
    const char *dir;                     /* folder of the .s files */
    const struct sam_mxu_config *cycles; /* also run the cycle model; or NULL */
    uint32_t acc_regs;                   /* of the hart; 0: all; or m0 and m4, or m4 to m7 */
};
enum { GEMM_MAX = 4096 };

/* A hart with the kernel and its matrices, ready to run, and the expected C. */
struct gemm {
    const struct gemm_kernel *kernel;
    struct gemm_config config;
    struct sam_hart *hart;
    struct sam_image *image;
    uint8_t *a, *b, *c;  /* their contents before the run */
    uint64_t address[3]; /* of A, B, C */
    size_t size[3];      /* bytes of A, B, C */
    uint64_t insns;      /* of the last run */
    char failure[160];   /* the first wrong element, after gemm_check */
};

/* Free `gemm` in either case. */
enum sam_status gemm_open(struct gemm *gemm, const struct gemm_kernel *kernel,
                          const struct gemm_config *config, struct sam_error *error);
/* Run the kernel from its start; it adds to the current C. */
enum sam_status gemm_run(struct gemm *gemm, struct sam_error *error);
/* Compare C in the hart with plain C, after one run. */
bool gemm_check(struct gemm *gemm);
void gemm_free(struct gemm *gemm);

/* Cycles of one run under the model's default parameters; 0 if it fails. */
uint64_t gemm_cycles(const struct gemm_kernel *kernel, const struct gemm_config *config);
/* Cycles in which the bus reads A and B, as often as the blocks of C in registers require, and C
 * once, at 16 bytes per cycle. M and N are multiples of a block. */
double gemm_bound(const struct gemm_kernel *kernel, const struct gemm_config *config);

#endif
