/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU's queue in time: a unit of a clock. A launch that has taken effect waits for its turn,
 * for `launch_cycles`, and then runs on the pipeline model. docs/system-rulings.md has the rules.
 */
#ifndef SAM_SYSTEM_GPU_TIME_H
#define SAM_SYSTEM_GPU_TIME_H

#include "clock/clock.h"
#include "simt/timed.h"

/* What the GPU does in a cycle. */
enum system_gpu_cycle {
    SYSTEM_GPU_RUNS,   /* from the first warp's start to the last endprg */
    SYSTEM_GPU_LAUNCH, /* a launch is being set up */
    SYSTEM_GPU_FLUSH,  /* stores and written lines are on their way */
    SYSTEM_GPU_EMPTY,  /* has no launch */
    SYSTEM_GPU_CYCLES
};
const char *sam_system_gpu_cycle_name(unsigned cycle);

/* A launch that has ended; all cycles are of the clock. */
struct system_gpu_ended {
    uint64_t number;                  /* from 0, in the order of submission */
    uint64_t submitted, begun, end;   /* begun: its setup */
    uint64_t first;                   /* the first warp starts */
    struct sam_memtime_traffic bytes; /* asked of the port */
    const struct sam_gputime_result *result;
    const struct sam_gpu_recording *recording;
};
struct system_gpu_watch {
    void (*ended)(void *context, const struct system_gpu_ended *launch); /* NULL: none */
    void *context;
};

struct system_gpu_figures {
    uint64_t cycles[SYSTEM_GPU_CYCLES];
    uint64_t launches, insns; /* ended; of warps */
    struct sam_energy energy; /* of all launches; not that of the memory */
    uint64_t sm_cycles;       /* of the model in all launches: the sum of each SM's reasons */
    struct sam_memtime_traffic bytes; /* asked of the port */
    uint32_t sms;
    uint64_t (*sm)[SAM_GPUTIME_REASONS];
};

struct system_gpu_time;
/* Joins the clock. The port is used as its unit `number`. `watch` may be NULL. NULL: out of memory.
 */
struct system_gpu_time *sam_system_gpu_time_new(const struct sam_gputime_config *config,
                                                uint32_t launch_cycles, struct sam_clock *clock,
                                                const struct sam_memtime_port *port,
                                                unsigned number,
                                                const struct system_gpu_watch *watch);
void sam_system_gpu_time_free(struct system_gpu_time *u);
/* A launch, which now belongs to the unit and may begin in cycle `from`, after the current one.
 * False: out of memory; the recording is free. */
bool sam_system_gpu_time_submit(struct system_gpu_time *u, struct sam_gpu_recording *recording,
                                uint64_t from);
/* Launches that have not begun; that have ended. */
unsigned sam_system_gpu_time_waiting(const struct system_gpu_time *u);
uint64_t sam_system_gpu_time_ended(const struct system_gpu_time *u);
/* The first failure of the host. */
enum sam_status sam_system_gpu_time_check(const struct system_gpu_time *u, struct sam_error *error);
/* Of all cycles before the clock's current one, and of the launches that have ended. */
const struct system_gpu_figures *sam_system_gpu_time_figures(struct system_gpu_time *u);

#endif
