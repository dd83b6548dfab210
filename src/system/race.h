/* SPDX-License-Identifier: Apache-2.0 */
/* The race check of a system: a shadow of memory with the accesses of the records in flight.
 *
 * A queue completes its records in order, and the program observes a count of completed records. So
 * for each byte, queue and kind of access the last access suffices: when its record has ended, all
 * earlier ones have. Each page has sorted lists of ranges, one per queue and kind, which a lookup
 * searches by bisection. Ranges of ended records are dropped all at once when no record is in
 * flight, and otherwise whenever the number of ranges has doubled: the memory used depends on the
 * records in flight, not on the length of the run. */
#ifndef SAM_SYSTEM_RACE_SHADOW_H
#define SAM_SYSTEM_RACE_SHADOW_H

#include "base/base.h"
#include "samite/device/layout.h"
#include "samite/system_race.h"

enum { SAM_SYSTEM_RACES_KEPT = 1000 };

struct sam_system_races;

struct sam_system_races_options {
    size_t most; /* ranges in flight; 0: a default */
    /* For tests: the number of ranges at the first sweep, 0: a default; a callback per racing
     * range, before races are merged. */
    size_t first_sweep;
    void (*racing)(void *context, const struct sam_system_race *race);
    void *context;
};

struct system_race_access {
    enum sam_system_agent agent;
    enum sam_system_access kind;
    bool has_pc;
    uint64_t pc;
    uint64_t address, size; /* wraps at 32 bits, as the addresses of the units do */
};

/* NULL: out of memory. */
struct sam_system_races *sam_system_races_new(const struct sam_system_races_options *options);
void sam_system_races_free(struct sam_system_races *races);

/* The store at `pc` submits the record at `record`. Accesses of the queue's agent belong to it
 * until the next submission. Returns the number of submissions so far. */
uint64_t sam_system_races_submit(struct sam_system_races *races, enum sam_system_agent agent,
                                 uint64_t record, uint64_t pc);
uint64_t sam_system_races_submitted(const struct sam_system_races *races,
                                    enum sam_system_agent agent);
/* The program observes that the first `count` submissions have ended. */
void sam_system_races_ended(struct sam_system_races *races, enum sam_system_agent agent,
                            uint64_t count);
/* Without a record in flight, accesses of the hart need no check. */
bool sam_system_races_in_flight(const struct sam_system_races *races);
void sam_system_races_access(struct sam_system_races *races,
                             const struct system_race_access *access);
/* SAM_ERR_MEMORY: an allocation failed; SAM_ERR_TRAP: more ranges in flight than options.most. */
enum sam_status sam_system_races_check(const struct sam_system_races *races,
                                       struct sam_error *error);
/* In order of finding; *dropped counts those beyond SAM_SYSTEM_RACES_KEPT. */
const struct sam_system_race *sam_system_races_found(const struct sam_system_races *races,
                                                     size_t *count, uint64_t *dropped);

/* race_report.c: the races as text, at most `top` (0: 20), the rest as a count. Images may be NULL.
 */
void sam_system_races_put(struct sam_buffer *out, const struct sam_system_races *races,
                          const struct sam_image *(*image_of)(void *context,
                                                              enum sam_system_agent agent,
                                                              uint64_t pc),
                          void *context, unsigned top);

#endif
