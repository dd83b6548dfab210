/* SPDX-License-Identifier: Apache-2.0 */
/* Host properties: instruction level, threads. */
#ifndef SAM_CPU_H
#define SAM_CPU_H

#include <stdbool.h>
#include <stddef.h>

/* Instruction levels that loops are compiled for; each includes the previous ones. Hosts other than
 * x86-64 have only the first. */
enum sam_cpu_level {
    SAM_CPU_BASE,
    SAM_CPU_V3, /* x86-64-v3: AVX2, FMA, BMI2 */
    SAM_CPU_V4, /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL */
    SAM_CPU_LEVELS
};

/* The highest level of this host. */
enum sam_cpu_level sam_cpu_level(void);
/* Whether a host of SAM_CPU_V4 also has AVX-512 VBMI, VBMI2 and VPOPCNTDQ, as all since Ice Lake
 * and Zen 4 have. */
bool sam_cpu_has_vbmi2(void);

enum {
    SAM_MAX_THREADS = 256,
    /* Distance in bytes between data that different threads write often: caches transfer lines of
     * 64 bytes, some in pairs. */
    SAM_APART = 128
};

/* Call work(context, i, worker) for each i below `count` on up to `threads` threads, including the
 * caller's; worker < threads. If a thread cannot start, the others do its share. Returns after all
 * calls have returned. */
void sam_parallel(unsigned threads, size_t count,
                  void (*work)(void *context, size_t i, unsigned worker), void *context);

/* A thread pool, for callers that cannot afford to start threads on each call: sam_parallel on a
 * crew, one call at a time. Threads start on first need. An idle thread spins for about 50 us
 * before it sleeps, unless the host has fewer processors than the crew has threads. */
struct sam_parallel_crew;
/* Returns NULL on out-of-memory. */
struct sam_parallel_crew *sam_parallel_crew_new(void);
/* Announce work: start a thread if there is none, and wake sleeping ones so that they spin. */
void sam_parallel_crew_call(struct sam_parallel_crew *crew);
void sam_parallel_crew_run(struct sam_parallel_crew *crew, unsigned threads, size_t count,
                           void (*work)(void *context, size_t i, unsigned worker), void *context);
void sam_parallel_crew_free(struct sam_parallel_crew *crew);

#endif
