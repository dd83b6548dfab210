/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs in which the engines, the matrix unit and scalar accesses share a few bytes,
 * and the invariants of their times. */
#ifndef TEST_HART_MIXED_H
#define TEST_HART_MIXED_H

#include "hart/core.h"
#include "hart/program.h"

#define MIXED_ISA "rv64im_zicsr_zfinx_xtensorload_xmatrix"

enum { MOST = 64, PIECES = 64, SLICES = 8, SLICE = 16 };

/* A transfer of an instruction: its bytes and times. */
struct piece {
    uint64_t low, high;
    uint64_t begins; /* the first cycle in which it may read or write them */
    uint64_t over;   /* the first one after it */
};

enum kind { ENGINE, MATRIX, SCALAR };

struct access {
    enum kind kind;
    bool store;
    /* of an engine: which one, TLRegs as sets, its times */
    uint64_t track;
    uint32_t reads, writes;
    uint64_t issued, start, release, done;
    uint64_t pc;
    unsigned count;
    struct piece pieces[PIECES]; /* slices; uops of the matrix unit */
    uint64_t base, stride;       /* of rows */
    bool seen;
};

struct mixed {
    struct sam_buffer text;
    uint64_t pc, seed;
    struct access of[MOST];
    unsigned count;
};

/* A program without loops. */
void mixed_make(struct mixed *m, uint64_t seed);
/* The program, loaded with its data; `home` as in sam_hart_new_in. */
struct program mixed_start(const char *text, const struct sam_hart_options *options,
                           const struct sam_hart_home *home);
/* Take the times of the accesses from a timeline and a profile of the run. */
void mixed_see(struct mixed *m, const struct sam_buffer *timeline, struct sam_profile *profile);

/* A request to a memory with a port, and its answer. */
struct request {
    unsigned unit; /* an engine, if below SAM_ENGINE_COUNT */
    uint64_t at, address, answer;
    uint32_t bytes;
};

/* After mixed_see, for such a memory: the times at which loads of engines have read their bytes.
 * The timeline lacks them: a slow engine may still transfer after the last answer, and a fast
 * one be free before it. */
void mixed_see_requests(struct mixed *m, const struct request *requests, unsigned count);
/* No access of a unit begins before the end of the older accesses of other units that it depends
 * on, byte by byte. Returns the number of comparisons. */
unsigned mixed_expect_order(const struct mixed *m);
/* Each instruction of the engines starts, and each scalar access issues, exactly in the
 * cycle of the end of its last dependence: a second implementation of the rules between units.
 * Returns the number of waits for the matrix unit. */
unsigned mixed_expect_exact(const struct mixed *m);
/* The cycles of each unit add up to the same total. */
void mixed_expect_sums(const struct sam_engines_report *r, const struct sam_mxu_stats *s);
/* Memory and registers are the same. */
void mixed_expect_same(struct program *a, struct program *b);
struct sam_engines_config mixed_engines(uint64_t *seed);

#endif
