/* SPDX-License-Identifier: Apache-2.0 */
/* Observing instructions without single-stepping them.
 *
 * An observer installs instrumented handlers in decoded code before the code is decoded. An
 * instrumented handler runs in place of an instruction's own handler: it records the event and
 * tail-calls the own handler. Instructions without a hook keep their own handlers, so a plain run
 * executes the same machine code as if there were no observers.
 *
 * Most instructions are counted per block, a straight-line run of code in one page: a block adds 1
 * to `steps` of its first instruction and subtracts 1 from `steps` of the instruction after its
 * last. The prefix sum of a page's `steps` is then how often each instruction has run. */
#ifndef SAM_INSTRUMENT_H
#define SAM_INSTRUMENT_H

#include "machine/threads.h"

/* The kind of hook that an observer installs for an instruction. */
enum sam_hook {
    SAM_HOOK_NONE,
    SAM_HOOK_BLOCK_END,   /* the instruction ends its block: jumps, prefixes, vset*, ... */
    SAM_HOOK_PAGE_END,    /* not an instruction: the block reaches the end of its page */
    SAM_HOOK_SPLIT,       /* a vector branch; ends its block */
    SAM_HOOK_SPLIT_APART, /* out of line, where there are no blocks */
    SAM_HOOK_MASKED,      /* a vector instruction under v0 that accesses no memory */
    SAM_HOOK_LOAD,        /* scalar; LOAD hooks also take stores out of line */
    SAM_HOOK_STORE,
    SAM_HOOK_PAIR_LOAD, /* scalar, two words (REGPAIR) */
    SAM_HOOK_PAIR_STORE,
    SAM_HOOK_LANES_LOAD,
    SAM_HOOK_LANES_STORE,
    SAM_HOOK_UNIT, /* an instruction of an attached unit */
    SAM_HOOKS
};

/* `apart`: the instruction is out of line, after a prefix. */
enum sam_hook sam_hook_of(const struct sam_insn *insn, bool apart);

enum { SAM_COUNTER_STEPS = 3, SAM_COUNTER_SUMS = 7 };

/* An instruction of instrumented code. */
struct sam_counters {
    sam_handler *fn;      /* its own handler */
    struct sam_insn insn; /* op SAM_OP_ILLEGAL: not decoded yet */
    uint32_t prefix;
    int64_t steps[SAM_COUNTER_STEPS]; /* the meaning is the observer's */
    int64_t sums[SAM_COUNTER_SUMS];   /* the same */
};

/* Out-of-line micro-ops of a prefix: the modified instruction and the return to the page. The
 * modified instruction runs as often as the prefix, plus `steps` of its own counters. */
struct sam_fused {
    struct sam_uop ops[2];
    uint64_t pc; /* of the modified instruction */
    struct sam_counters counters;
};

struct sam_instrumentation {
    /* The instrumented handler for an instruction, or NULL. */
    sam_handler *(*instrument)(void *context, const struct sam_insn *insn, bool apart);
    sam_handler *page_end; /* SAM_HOOK_PAGE_END, or NULL */
    /* Collect an instruction's counters, which are then cleared: `totals` are the prefix sums of
     * `steps`. Also called before an instruction is decoded again. NULL: not called. */
    void (*flush)(void *context, uint64_t pc, const struct sam_counters *counters,
                  const int64_t totals[SAM_COUNTER_STEPS]);
    void *context;
};

/* Call before anything is decoded; `instrumentation` must outlive the code. */
void sam_code_instrument(struct sam_code *code, const struct sam_instrumentation *instrumentation);
/* Flush the counters of every instruction. */
void sam_code_flush_counters(struct sam_code *code);

/* The counters of an instruction in line. */
#define SAM_COUNTERS (c->counters + (op - c->ops))

/* The counters of an instruction in line or out of line. */
static inline struct sam_counters *sam_counters_of(const struct sam_core *c,
                                                   const struct sam_uop *op)
{
    if (SAM_LIKELY(sam_uop_in_page(c, op)))
        return SAM_COUNTERS;
    return &((struct sam_fused *)(uintptr_t)op)->counters; /* op is its first member */
}

/* For instrumented handlers: call the instruction's own handler. */
#define SAM_PROCEED(counters) SAM_MUSTTAIL return (counters)->fn(c, op, entry, left)

/* End the block with this instruction, before it runs, and begin one after it: a branch that is
 * taken leaves an empty block behind. Charges the budget. */
#define SAM_INSTRUMENT_END_BLOCK(on_block)                                                         \
    do {                                                                                           \
        on_block(c, entry, op + 1);                                                                \
        left -= op + 1 - entry;                                                                    \
        entry = op + 1;                                                                            \
    } while (0)

/* The same at the end of a page, of which `op` is no instruction. */
#define SAM_LEAVE_PAGE(on_block)                                                                   \
    do {                                                                                           \
        if (op != entry)                                                                           \
            on_block(c, entry, op);                                                                \
        left -= op - entry;                                                                        \
        entry = op;                                                                                \
    } while (0)

/* The end of the block in which sam_core_run has stopped at c->end_op: an instruction that raised
 * an event has run, any other has not. */
static inline const struct sam_uop *sam_instrument_stopped(const struct sam_core *c,
                                                           enum sam_exit exit)
{
    return exit == SAM_EXIT_EVENT ? c->end_op + 1 : c->end_op;
}

#endif
