/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that others compiled, from the launches in the folder that SAMITE_KERNELS names
 * (tests/gputime/recorded.h): their code with inputs of our own, larger than the recorded ones,
 * launched as their host programs do, and compared with plain C. */
#ifndef BENCH_KERNELS_RECORDED_H
#define BENCH_KERNELS_RECORDED_H

#include <check.h>

struct recorded_program {
    const char *name; /* of its rows */
    uint32_t size;
    void (*run)(struct check *check); /* with the program as config.image */
    const char *loop;                 /* the file in bench/loops/ that it resembles */
    struct {
        const char *kernel, *path; /* a kernel of the program and a recorded launch of it */
    } launches[2];                 /* the second may be missing */
    /* A constant that the code reads and the recorded launches lack; 0: none. */
    uint32_t constant_address;
    float constant;
};

extern const struct recorded_program recorded_programs[];
extern const size_t recorded_program_count;

/* The program with a symbol for each of its kernels, out of the recorded launches. */
enum sam_status recorded_program_image(const char *folder, const struct recorded_program *program,
                                       struct sam_image **image, struct sam_error *error);

#endif
