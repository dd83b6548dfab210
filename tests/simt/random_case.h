/* SPDX-License-Identifier: Apache-2.0 */
/* A random program, its launch, and the initial memory. Include test.h first. */
#ifndef RANDOM_CASE_H
#define RANDOM_CASE_H

#include "random_gen.h"
#include "samite/gpu.h"

struct random_buffer {
    uint32_t base;
    uint32_t size; /* bytes in all, or per warp */
    bool each_warp;
};
enum { RANDOM_BUFFERS = 7 };
extern const struct random_buffer random_buffers[RANDOM_BUFFERS];

struct random_case {
    struct gen_program program;
    struct sam_launch launch;
    struct sam_gpu_options options;
    uint64_t data_seed;
    uint32_t global[3], local[3]; /* work-items, for the metadata; 0: not specified */
    struct sam_lds_range range;   /* of options.lds_ranges, if that is set */
};

void random_case_make(struct random_case *c, uint64_t seed, enum gen_trap trap);
/* Give the launch a global size smaller than its workgroups cover. */
void random_case_cut(struct random_case *c);
/* Bound the local memory: some of the program's accesses are outside. One warp. */
void random_case_bound(struct random_case *c);
/* The contents of buffer `b`, to be freed, and their size. */
uint32_t random_case_size(const struct random_case *c, unsigned b);
uint8_t *random_case_contents(const struct random_case *c, unsigned b);
/* Map and fill the buffers. */
void random_case_map(const struct random_case *c, struct sam_gpu *gpu);

#endif
