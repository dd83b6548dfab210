/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of vector operations, on the executor and as kernels of the GPU: shared by the tests
 * of kernels. */
#ifndef KERNEL_RUN_H
#define KERNEL_RUN_H

#include "tile/tile_test.h"

#include "samite/tile_lower.h"

struct kernel_run {
    struct sam_gpu *gpu;
    uint64_t seed;
    enum sam_tile_nan nan;
    enum sam_tile_outside outside;
    bool reference;   /* also on the plain machine of tests/reference */
    unsigned kernels; /* made from the last function */
};

void kernel_run_open(struct kernel_run *run, uint64_t seed);
void kernel_run_close(struct kernel_run *run);

/* Random elements for all arguments, made by `element` (NULL: test_element): the program text is
 * one function of tiles and scalars. `rows` and `cols` are the valid sizes of tiles whose types
 * leave them open. Executor and kernels must agree in every bit of the tiles, also outside the
 * valid rectangles, and in their failures. */
typedef uint64_t kernel_element(void *context, const char *name, size_t index,
                                enum sam_dtype dtype);
void kernel_run_compare(struct kernel_run *run, const char *text, uint32_t rows, uint32_t cols,
                        kernel_element *element, void *context);

#endif
