/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle model of the engines, and of the hart that issues to them and to the matrix unit.
 * Instructions arrive in program order, and the cycles of each follow from earlier ones, so that
 * one pass suffices and only instructions in flight are kept. An instruction that depends on an
 * access of another unit of the clock waits until that unit calls sam_engines_wake. */
#ifndef SAM_TENSOR_ENGINES_H
#define SAM_TENSOR_ENGINES_H

#include "base/base.h"
#include "base/keys.h"
#include "clock/clock.h"
#include "memtime/memtime.h"
#include "samite/engines.h"

/* Bytes low to high, inclusive. */
struct sam_work_span {
    uint64_t low, high;
};

#define SAM_WORK_SPANS 64u /* 32 slices, any of which may wrap around the address space */

/* The registers, bytes and memory that an instruction uses. */
struct sam_work {
    enum sam_engine engine;
    uint32_t reads, writes; /* bit r: TLReg r; never tl0 */
    uint32_t bytes;         /* through the datapath */
    uint32_t slices;        /* of a load or store: those that are not adjacent in memory to the
                               one before */
    bool load, store;
    unsigned span_count;
    struct sam_work_span spans[SAM_WORK_SPANS]; /* ascending, disjoint */
    uint64_t pc;
    uint32_t word;
};

/* Clock and memory shared with other units. Instructions are identified by their order in the
 * program. */
struct sam_engines_outside {
    struct sam_clock *clock; /* NULL: no other units; the other fields are not used */
    /* Whether instruction `order` may load, or with `store` store, the bytes: no older access of
     * another unit conflicts. If false, sam_engines_wake follows when that may have changed. */
    bool (*free)(void *context, uint64_t order, bool store, const struct sam_work_span *spans,
                 unsigned count);
    /* The times of a load or store have become known, in the current cycle. */
    void (*placed)(void *context);
    /* The times of an instruction have become known; its results are available in cycle `done`. May
     * be NULL. */
    void (*worked)(void *context, uint64_t order, const struct sam_work *work, uint64_t issued,
                   uint64_t start, uint64_t done);
    void *context;
    /* Determines the times of loads and stores; NULL: `latency` of the configuration does. */
    const struct sam_memtime_port *memory;
    unsigned port; /* unit number of the first engine */
};

struct sam_engines;

/* The rows of sam_engines_parameter, for `config`. */
struct sam_keys sam_engines_keys(struct sam_engines_config *config);
/* SAM_ERR_USAGE: a parameter outside its range. */
enum sam_status sam_engines_check(const struct sam_engines_config *config, struct sam_error *error);
/* `config` has passed sam_engines_check; `watch` and `outside` may be NULL. Joins the clock. NULL:
 * out of memory. */
struct sam_engines *sam_engines_new(const struct sam_engines_config *config,
                                    const struct sam_engines_watch *watch,
                                    const struct sam_engines_outside *outside);
void sam_engines_free(struct sam_engines *e);
/* The next instruction is one of the unit. Returns false on out-of-memory. */
bool sam_engines_tensor(struct sam_engines *e, const struct sam_work *work);
/* The next instruction is scalar and accesses no memory. */
void sam_engines_scalar(struct sam_engines *e, uint64_t pc);
/* sam_engines_scalar `count` times, without a watch. */
void sam_engines_scalars(struct sam_engines *e, uint64_t count);
/* Stall the hart until the next instruction may access these bytes. */
void sam_engines_reach(struct sam_engines *e, uint64_t pc, bool store, struct sam_work_span bytes);
/* The next instruction is a scalar load, or store (which includes atomics). */
void sam_engines_access(struct sam_engines *e, uint64_t pc, bool store, struct sam_work_span bytes);
/* For an instruction with another condition: advance hart and clock to a cycle with a free issue
 * slot, which is returned. The caller then calls sam_engines_wait until the condition holds, and
 * sam_engines_scalar or sam_engines_matrix. */
uint64_t sam_engines_open(struct sam_engines *e);
/* sam_engines_open for an instruction of the matrix unit, which accepts one per cycle. */
uint64_t sam_engines_open_matrix(struct sam_engines *e);
/* Stall the hart until cycle `until` or the next event of the clock, whichever comes first. Returns
 * the cycle reached. `kind` is an enum sam_issue_cycle. */
uint64_t sam_engines_wait(struct sam_engines *e, unsigned kind, uint64_t until, uint64_t pc);
/* Stall the hart until a unit interrupts the clock, or to an earlier cycle. */
uint64_t sam_engines_pause(struct sam_engines *e, unsigned kind, uint64_t pc);
/* The next instruction is one of the matrix unit; `retires`: it counts as an instruction. */
void sam_engines_matrix(struct sam_engines *e, uint64_t pc, bool retires);
/* The order of the next instruction for a unit. */
uint64_t sam_engines_order(const struct sam_engines *e);
/* The first cycle in which instruction `order` of another unit may access the bytes, without
 * conflicts with older accesses of engines. SAM_CLOCK_IDLE: not known yet. */
uint64_t sam_engines_ready(struct sam_engines *e, uint64_t order, bool store,
                           struct sam_work_span bytes);
/* Another unit may release a dependence this cycle: check waiting instructions again in the next.
 */
void sam_engines_wake(struct sam_engines *e);
/* Advance the clock until all units are idle, as if the program ended here. */
void sam_engines_settle(struct sam_engines *e, bool (*busy)(void *context), void *context);
/* Whether scalar accesses must be reported; otherwise sam_engines_scalar suffices for them. */
bool sam_engines_has_memory(const struct sam_engines *e);
/* False once a function of the watch has returned false. */
bool sam_engines_good(const struct sam_engines *e);
/* The cycle after the hart's last one. */
uint64_t sam_engines_now(const struct sam_engines *e);
/* The figures if the program ended here. */
void sam_engines_report(const struct sam_engines *e, struct sam_engines_report *report);
/* Report the remaining events to the watch, at the end of the program. */
bool sam_engines_finish(struct sam_engines *e);

#endif
