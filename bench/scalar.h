/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the tensor hart, compiled and assembled. */
#ifndef BENCH_SCALAR_H
#define BENCH_SCALAR_H

#include "bench.h"
#include "samite/samite.h"

#define BENCH_DATA 0x10000u /* 64 KiB for every program */

struct bench_program {
    struct sam_hart *hart;
    struct sam_image *image;
    uint64_t entry;
    double per_turn; /* units of work */
};

/* A hart with the image loaded, of which it takes ownership. Exits with 1 on failure. */
void bench_program_open(struct bench_program *program, struct sam_image *image,
                        const struct sam_hart_options *options);
void bench_program_close(struct bench_program *program);
/* A bench_work: the instructions of `rounds` rounds of a program that takes their number in a0.
 * An exit code other than 0 means a wrong result. */
double bench_program_run(void *context, uint64_t rounds);

/* Rows of the C programs of bench/scalar/, if a cross compiler was available; their reference is
 * qemu-riscv32 if it is installed. `statistics`: each also with statistics. */
void bench_compiled(struct bench *bench, bool statistics);

#endif
