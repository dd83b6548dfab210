/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of bench/loops/ on a GPU: bench/simt.c compares them with the same loops in C,
 * bench/kernels.c compares whole kernels with them. */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include "bench.h"
#include "samite/samite.h"
#include "simt_native.h"

struct bench_loop {
    const char *title;
    const char *file; /* bench/loops/<file>.s, kernel <file> */
    uint32_t lanes;
    double per_turn; /* units of work per iteration */
    const char *unit;
    void (*native)(uint64_t turns, struct native_state *state);
};

extern const struct bench_loop bench_loops[];
extern const size_t bench_loop_count;

struct bench_kernel {
    const struct bench_loop *loop;
    struct sam_gpu *gpu;
    struct sam_image *image;
    struct sam_launch launch;
    uint32_t args;
};

/* The start code and a kernel's source as one program. */
struct sam_image *bench_assemble(const char *name, const char *source);
/* A machine ready to launch kernel `name` of the image, of which it takes ownership, in `groups`
 * workgroups of one warp. */
void bench_kernel_open(struct bench_kernel *kernel, const char *name, struct sam_image *image,
                       uint32_t lanes, uint32_t groups);
/* The same for a loop, in one workgroup. */
void bench_loop_open(struct bench_kernel *kernel, const struct bench_loop *loop);
void bench_kernel_close(struct bench_kernel *kernel);
/* One launch of `rounds` iterations of a loop: a bench_work whose context is the kernel. */
double bench_loop_run(void *context, uint64_t rounds);

#endif
