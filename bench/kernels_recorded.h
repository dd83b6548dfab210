/* SPDX-License-Identifier: Apache-2.0 */
/* Third-party programs, from the launches in the folder that SAMITE_KERNELS names
 * (tests/gputime/recorded.h): their code with our own, larger inputs, launched as by their host
 * programs, and compared with plain C. */
#ifndef BENCH_KERNELS_RECORDED_H
#define BENCH_KERNELS_RECORDED_H

#include <check.h>

struct recorded_program {
    const char *name; /* of its rows */
    uint32_t size;
    void (*run)(struct check *check); /* with the program as config.image */
    const char *loop;                 /* the most similar loop in bench/loops/ */
    struct {
        const char *kernel, *path; /* a kernel of the program and a recorded launch of it */
    } launches[2];                 /* the second may be missing */
    /* A constant read by the code but missing in the recorded launches; 0: none. */
    uint32_t constant_address;
    float constant;
};

extern const struct recorded_program recorded_programs[];
extern const size_t recorded_program_count;

/* The program with a symbol for each of its kernels, from the recorded launches. */
enum sam_status recorded_program_image(const char *folder, const struct recorded_program *program,
                                       struct sam_image **image, struct sam_error *error);

#endif
