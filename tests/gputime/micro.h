/* SPDX-License-Identifier: Apache-2.0 */
/* Microbenchmarks of the GPU in time: assembly launched through the public API, and the cycles
 * of each further instruction, which tests compare with the parameters. Include test.h first. */
#ifndef TEST_GPUTIME_MICRO_H
#define TEST_GPUTIME_MICRO_H

#include "samite/gputime.h"
#include "simt/program.h"

#define LOCAL 0x70000000u

struct micro {
    const char *setup, *body; /* body: the repeated part */
    const char *after;        /* before endprg; NULL: nothing */
    unsigned lanes, warps;    /* of a workgroup; 0: 8 lanes, 1 warp */
    unsigned workgroups;      /* 0: one */
    unsigned repeats;         /* 0: 48 */
    unsigned units;           /* measured units per repetition; 0: one */
    bool together;            /* the warps share the measured unit; otherwise each has its own */
    void (*fill)(struct program *p, unsigned variant); /* memory before the launch; NULL: zero */
    unsigned variant;
};

/* A machine from text, whose fetches always hit and are accepted at once. */
struct sam_gputime_config micro_machine(const char *text);
/* Cycles per unit: the difference between a launch and one with twice the repetitions. It must
 * be a whole number. */
uint64_t micro_each(const struct sam_gputime_config *machine, const struct micro *m);
/* The cycles of one launch; free `result`, if not NULL. */
uint64_t micro_cycles(const struct sam_gputime_config *machine, const struct micro *m,
                      unsigned repeats, struct sam_gputime_result *result);
/* Fail with the names of the measured values and settings. */
void micro_expect(const char *machine, const char *what, uint64_t measured, uint64_t expected);

/* From the issue of an instruction with `operands` operands in one bank to its execution. */
uint64_t micro_collect(const struct sam_gputime_config *c, unsigned operands);

#endif
