/* SPDX-License-Identifier: Apache-2.0 */
/* Observes the accesses of all units of a system for the race check. */
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
/* Observe the hart while a record is in flight. The watch outlives the hart. */
void sam_system_watch_hart(struct sam_system_watch *watch, struct sam_hart *hart);
/* For the options of the GPU; owned by the watch. */
struct sam_sanitizer *sam_system_watch_gpu(struct sam_system_watch *watch);

/* A store of the hart at `pc` submits the record of `size` bytes at `record`. Records execute when
 * they are submitted: later accesses of `agent` are attributed to this one. */
void sam_system_watch_submit(struct sam_system_watch *watch, enum sam_system_agent agent,
                             uint64_t record, uint64_t size, uint64_t pc);
/* `agent` accesses these bytes for the record submitted last. */
void sam_system_watch_access(struct sam_system_watch *watch, enum sam_system_agent agent,
                             enum sam_system_access kind, uint64_t address, uint64_t size);
/* The program observes in WAIT or DONE that all but the last `left` submitted records have ended.
 */
void sam_system_watch_ended(struct sam_system_watch *watch, enum sam_system_agent agent,
                            uint32_t left);

#endif
