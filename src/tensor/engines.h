/* SPDX-License-Identifier: Apache-2.0 */
/* The engines' cycle model, and the hart that issues to them and to the matrix unit. Instructions
 * arrive in program order, and the cycles of each follow from those before it, so that one pass
 * suffices and only instructions in flight are kept. Where another unit of the clock has accesses
 * in flight, an instruction that must follow one waits until that unit tells. */
#ifndef SAM_TENSOR_ENGINES_H
#define SAM_TENSOR_ENGINES_H

#include "base/base.h"
#include "base/keys.h"
#include "clock/clock.h"
#include "memtime/memtime.h"
#include "samite/engines.h"

/* Bytes low..high of memory. */
struct sam_work_span {
    uint64_t low, high;
};

#define SAM_WORK_SPANS 64u /* 32 slices, each of which may wrap around the address space */

/* What an instruction of the unit asks of its engine. */
struct sam_work {
    enum sam_engine engine;
    uint32_t reads, writes; /* bit r: TLReg r; never tl0 */
    uint32_t bytes;         /* through the datapath */
    uint32_t slices;        /* of a load or store: how many do not continue the previous one in
                               memory */
    bool load, store;
    unsigned span_count;
    struct sam_work_span spans[SAM_WORK_SPANS]; /* ascending, disjoint */
    uint64_t pc;
    uint32_t word;
};

/* What the engines share with other units. Instructions are told apart by their order in the
 * program. */
struct sam_engines_outside {
    struct sam_clock *clock; /* NULL: there are none, and the rest is not looked at */
    /* Whether no older access of others keeps instruction `order` from loading, or with `store`
     * storing, the bytes. False: sam_engines_wake tells when it may be different. */
    bool (*free)(void *context, uint64_t order, bool store, const struct sam_work_span *spans,
                 unsigned count);
    /* The times of a load or store are known now, in the current cycle. */
    void (*placed)(void *context);
    /* The times of an instruction are known: it was issued, starts, and others can use its results
     * in these cycles. NULL: nobody wants to know. */
    void (*worked)(void *context, uint64_t order, const struct sam_work *work, uint64_t issued,
                   uint64_t start, uint64_t done);
    void *context;
    /* Loads and stores take their times from it; NULL: from `latency`. */
    const struct sam_memtime_port *memory;
    unsigned port; /* the number of the first of them for it */
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
/* The next instruction of the program, one of the unit. False: out of memory. */
bool sam_engines_tensor(struct sam_engines *e, const struct sam_work *work);
/* The next instruction, a scalar one that accesses no memory. */
void sam_engines_scalar(struct sam_engines *e, uint64_t pc);
/* The next `count` instructions, such scalar ones, when nobody watches. */
void sam_engines_scalars(struct sam_engines *e, uint64_t count);
/* The next instruction may access these bytes, once older accesses are over: the hart waits. */
void sam_engines_reach(struct sam_engines *e, uint64_t pc, bool store, struct sam_work_span bytes);
/* The next instruction, a scalar load, or store (an atomic instruction is one). */
void sam_engines_access(struct sam_engines *e, uint64_t pc, bool store, struct sam_work_span bytes);
/* For an instruction that waits for something else: bring hart and clock to a cycle in which it can
 * issue, which is returned. With sam_engines_wait as long as it cannot, and then with
 * sam_engines_scalar or sam_engines_matrix. */
uint64_t sam_engines_open(struct sam_engines *e);
/* The same for an instruction of the matrix unit, which takes one per cycle. */
uint64_t sam_engines_open_matrix(struct sam_engines *e);
/* Let the hart wait until cycle `until` or the next event of the clock, whichever comes first; the
 * cycle that it has reached. `kind`: of enum sam_issue_cycle. */
uint64_t sam_engines_wait(struct sam_engines *e, unsigned kind, uint64_t until, uint64_t pc);
/* The same until a unit interrupts the clock, or for a while. */
uint64_t sam_engines_pause(struct sam_engines *e, unsigned kind, uint64_t pc);
/* `retires`: it counts as an instruction. */
void sam_engines_matrix(struct sam_engines *e, uint64_t pc, bool retires);
/* Of the next instruction for a unit. */
uint64_t sam_engines_order(const struct sam_engines *e);
/* The cycle from which on instruction `order` of another unit may access the bytes: older accesses
 * of engines are over. SAM_CLOCK_IDLE: not known yet. */
uint64_t sam_engines_ready(struct sam_engines *e, uint64_t order, bool store,
                           struct sam_work_span bytes);
/* What holds instructions outside may be over after the current cycle. */
void sam_engines_wake(struct sam_engines *e);
/* Let the units of the clock finish, as if the program ended here. */
void sam_engines_settle(struct sam_engines *e, bool (*busy)(void *context), void *context);
/* Whether scalar accesses must be reported; otherwise sam_engines_scalar suffices for them. */
bool sam_engines_has_memory(const struct sam_engines *e);
/* False once a function of the watch has returned false. */
bool sam_engines_good(const struct sam_engines *e);
/* The cycle after the hart's last one. */
uint64_t sam_engines_now(const struct sam_engines *e);
/* The figures if the program ended here. */
void sam_engines_report(const struct sam_engines *e, struct sam_engines_report *report);
/* The program has ended: report the remaining events to the watch. */
bool sam_engines_finish(struct sam_engines *e);

#endif
