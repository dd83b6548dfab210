/* SPDX-License-Identifier: Apache-2.0 */
/* What the race check of a system hears from its parts. */
#ifndef SAM_SYSTEM_RACE_WATCH_H
#define SAM_SYSTEM_RACE_WATCH_H

#include "hart/core.h"
#include "system/race.h"

struct sam_sanitizer;
struct sam_system_watch;

/* NULL: out of memory. */
struct sam_system_watch *sam_system_watch_new(const struct sam_system_races_options *options);
void sam_system_watch_free(struct sam_system_watch *watch);
struct sam_system_races *sam_system_watch_races(struct sam_system_watch *watch);
/* The hart tells of its accesses while something is in flight. The watch outlives it. */
void sam_system_watch_hart(struct sam_system_watch *watch, struct sam_hart *hart);
/* For the options of the GPU. It belongs to the watch. */
struct sam_sanitizer *sam_system_watch_gpu(struct sam_system_watch *watch);

/* A store of the hart at `pc` has submitted the record of `size` bytes at `record`. Launches and
 * records run when they are submitted: what the GPU or the weight unit accesses from here on is
 * done for this one. */
void sam_system_watch_submit(struct sam_system_watch *watch, enum sam_system_agent agent,
                             uint64_t record, uint64_t size, uint64_t pc);
/* What the weight unit has done for the record submitted last. */
struct system_weight_work;
void sam_system_watch_work(struct sam_system_watch *watch, const struct system_weight_work *work);
/* What the program has read from WAIT or DONE says that all but the last `left` of those submitted
 * have ended. */
void sam_system_watch_ended(struct sam_system_watch *watch, enum sam_system_agent agent,
                            uint32_t left);

#endif
