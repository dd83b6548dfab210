/* SPDX-License-Identifier: Apache-2.0 */
/* The race check of a system: a shadow of memory that knows who of what is in flight has accessed
 * each byte.
 *
 * A queue orders its own work, and what the program knows of it is a count: the first so many have
 * ended. So for each byte, queue and kind of access the last one suffices. When that has ended,
 * those before it have, too. Each page has sorted lists of ranges, one per queue and kind; a lookup
 * is a binary search in a list. Ranges of what has ended are dropped when they are met, all at once
 * when nothing is in flight, and otherwise whenever the ranges have doubled in number: memory
 * depends on what is in flight, not on how long the program runs. */
#ifndef SAM_SYSTEM_RACE_SHADOW_H
#define SAM_SYSTEM_RACE_SHADOW_H

#include "base/base.h"
#include "samite/system_race.h"

enum { SAM_SYSTEM_QUEUES = SAM_SYSTEM_AGENTS - SAM_SYSTEM_BY_GPU, SAM_SYSTEM_RACES_KEPT = 1000 };

struct sam_system_races;

struct sam_system_races_options {
    size_t most; /* ranges in flight, 0: a default */
    /* For tests: ranges at the first sweep, 0: a default; and each range of bytes that races,
     * before races are put together. */
    size_t first_sweep;
    void (*racing)(void *context, const struct sam_system_race *race);
    void *context;
};

struct system_race_access {
    enum sam_system_agent agent;
    enum sam_system_access kind;
    bool has_pc;
    uint64_t pc;
    uint64_t address, size; /* beyond 32 bits: wraps, as the addresses of the units do */
};

/* NULL: out of memory. */
struct sam_system_races *sam_system_races_new(const struct sam_system_races_options *options);
void sam_system_races_free(struct sam_system_races *races);

/* The store at `pc` has submitted the record at `record` to a queue. What the queue's agent
 * accesses until the next submission to it belongs to this one. Returns how many there were. */
uint64_t sam_system_races_submit(struct sam_system_races *races, enum sam_system_agent agent,
                                 uint64_t record, uint64_t pc);
uint64_t sam_system_races_submitted(const struct sam_system_races *races,
                                    enum sam_system_agent agent);
/* The program has learnt that the first `count` submissions have ended. */
void sam_system_races_ended(struct sam_system_races *races, enum sam_system_agent agent,
                            uint64_t count);
/* Whether anything is in flight: if not, accesses of the hart need not be told. */
bool sam_system_races_in_flight(const struct sam_system_races *races);
void sam_system_races_access(struct sam_system_races *races,
                             const struct system_race_access *access);
/* SAM_ERR_MEMORY: out of memory at some time; SAM_ERR_TRAP: more ranges in flight than are kept. */
enum sam_status sam_system_races_check(const struct sam_system_races *races,
                                       struct sam_error *error);
/* In order of finding; *dropped: beyond those that are kept. */
const struct sam_system_race *sam_system_races_found(const struct sam_system_races *races,
                                                     size_t *count, uint64_t *dropped);

/* race_report.c: what was found, as text: at most `top` races (0: 20), the rest counted. Images may
 * be NULL. */
void sam_system_races_put(struct sam_buffer *out, const struct sam_system_races *races,
                          const struct sam_image *(*image_of)(void *context,
                                                              enum sam_system_agent agent,
                                                              uint64_t pc),
                          void *context, unsigned top);

#endif
