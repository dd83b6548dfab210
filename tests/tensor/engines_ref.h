/* SPDX-License-Identifier: Apache-2.0 */
/* A second cycle model of the engines and the hart, for tests: a ticking clock, all instructions
 * kept, every older one checked in every cycle, memory as sets of bytes. It computes nothing
 * ahead, and shares no code with src/. */
#ifndef TENSOR_ENGINES_REF_H
#define TENSOR_ENGINES_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtime/memtime.h"
#include "samite/engines.h"

#define EREF_MEMORY 0x4000u /* bytes that programs access */

struct eref_insn {
    bool tensor;
    unsigned engine;
    bool reads[32], writes[32]; /* TLRegs; tl0 is ignored */
    bool control;               /* a scalar one that accesses a control register: */
    bool matrix;                /* one of the matrix unit, at most one per cycle: */
    unsigned action;            /* meaning defined by `outside` */
    unsigned bytes, slices;
    bool load, store;
    uint64_t touched[EREF_MEMORY / 64]; /* bit i % 64 of i / 64: it loads or stores byte i */
    uint64_t fetched[EREF_MEMORY / 64]; /* of a control access that stores: loads byte i */
    /* found: */
    uint64_t issued, start, release, done;
    uint64_t read; /* others may store to the bytes of a load */
    /* with a shared memory: lines, requested ones, the byte after them, elapsed cycles of the
     * transfer, and the last answer */
    unsigned lines, sent, next;
    uint64_t passed, answer;
};

/* Other units on the clock. */
struct eref_outside {
    const struct sam_memtime_port *memory;        /* loads and stores take their times from it */
    uint64_t (*address)(unsigned byte);           /* of those that are accessed */
    void (*begin)(void *context, uint64_t cycle); /* before the engines and the hart */
    /* Whether instruction `at` waits in this cycle for bytes that another unit has in flight. */
    bool (*holds)(void *context, size_t at, uint64_t cycle);
    /* Whether the matrix unit takes its next instruction in this cycle; it does. */
    bool (*takes)(void *context);
    /* Whether an access of a control register may issue in this cycle; it does. */
    bool (*may_access)(void *context, const struct eref_insn *insn);
    void (*accessed)(void *context, const struct eref_insn *insn, uint64_t cycle);
    void (*tick)(void *context, uint64_t cycle); /* after the engines and the hart */
    bool (*over)(void *context, uint64_t cycle);
    void *context;
};

/* Fill in the times of all instructions, and the report. `outside` may be NULL. */
void eref_run(struct eref_insn *insns, size_t count, const struct sam_engines_config *config,
              const struct eref_outside *outside, struct sam_engines_report *report);
/* Fails the test unless they are equal. */
void eref_compare(const struct sam_engines_report *found,
                  const struct sam_engines_report *expected);

#endif
