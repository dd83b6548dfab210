/* SPDX-License-Identifier: Apache-2.0 */
/* Microbenchmarks of the GPU in time: assembly that is launched through the public API, and the
 * cycles that a further instruction takes, for the tests to compare with what the parameters say.
 * Include test.h first. */
#ifndef TEST_GPUTIME_MICRO_H
#define TEST_GPUTIME_MICRO_H

#include "samite/gputime.h"
#include "simt/program.h"

#define LOCAL 0x70000000u

struct micro {
    const char *setup, *body; /* body: what is repeated */
    const char *after;        /* before endprg; NULL: nothing */
    unsigned lanes, warps;    /* of a workgroup; 0: 8 lanes, 1 warp */
    unsigned workgroups;      /* 0: one */
    unsigned repeats;         /* 0: 48 */
    unsigned units;           /* what a repetition has of what is measured; 0: one */
    bool together;            /* the warps share what is measured; else each has its own */
    void (*fill)(struct program *p, unsigned variant); /* memory before the launch; NULL: zero */
    unsigned variant;
};

/* A machine by text, whose fetches always hit and are taken up at once. */
struct sam_gputime_config micro_machine(const char *text);
/* Cycles per unit: by how much a launch with twice the repetitions takes longer. It must be a whole
 * number. */
uint64_t micro_each(const struct sam_gputime_config *machine, const struct micro *m);
/* The cycles of one launch; `result`, if not NULL, is to be freed. */
uint64_t micro_cycles(const struct sam_gputime_config *machine, const struct micro *m,
                      unsigned repeats, struct sam_gputime_result *result);
/* Fail with the names of what was measured and how. */
void micro_expect(const char *machine, const char *what, uint64_t measured, uint64_t expected);

/* From the issue of an instruction with `operands` operands in one bank to its execution. */
uint64_t micro_collect(const struct sam_gputime_config *c, unsigned operands);

#endif
