/* SPDX-License-Identifier: Apache-2.0 */
/* What the host can do: its level of instructions, its threads. */
#ifndef SAM_CPU_H
#define SAM_CPU_H

#include <stddef.h>

/* The levels that loops are built for; each includes those before it. Hosts other than x86-64 have
 * only the first. */
enum sam_cpu_level {
    SAM_CPU_BASE,
    SAM_CPU_V3, /* x86-64-v3: AVX2, FMA, BMI2 */
    SAM_CPU_V4, /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL */
    SAM_CPU_LEVELS
};

/* The highest level of this host. */
enum sam_cpu_level sam_cpu_level(void);

enum {
    SAM_MAX_THREADS = 256,
    /* Bytes between what different threads write often: processors move lines of 64 bytes between
     * their caches, some of them in pairs. */
    SAM_APART = 128
};

/* Call work(context, i, worker) for each i below `count`, from up to `threads` threads, of which
 * one is the caller's; worker is below `threads`. If a thread cannot start, the others do its
 * share. Returns when all calls have. */
void sam_parallel(unsigned threads, size_t count,
                  void (*work)(void *context, size_t i, unsigned worker), void *context);

/* Threads that wait for work, for callers to whom starting them each time takes too long: calls of
 * sam_parallel on a crew, one at a time. Threads start when they are first needed. One without work
 * looks for it for some 50 us before it sleeps, unless the host has fewer processors than the crew
 * has threads. */
struct sam_parallel_crew;
/* NULL: out of memory. */
struct sam_parallel_crew *sam_parallel_crew_new(void);
/* There will soon be work: have a thread, and have those that sleep look for it. */
void sam_parallel_crew_call(struct sam_parallel_crew *crew);
void sam_parallel_crew_run(struct sam_parallel_crew *crew, unsigned threads, size_t count,
                           void (*work)(void *context, size_t i, unsigned worker), void *context);
void sam_parallel_crew_free(struct sam_parallel_crew *crew);

#endif
