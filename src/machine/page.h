/* SPDX-License-Identifier: Apache-2.0 */
/* Private to decoded code: its pages. */
#ifndef SAM_PAGE_H
#define SAM_PAGE_H

#include "machine/instrument.h"

/* One per instruction, one for the end of the page and one after it. */
#define PAGE_COUNTERS (SAM_PAGE_OPS + 2)

struct code_page {
    /* One more, which continues on the next page. Page-aligned, as are a warp's registers: hosts
     * stall a load after a store whose address differs only in upper bits, and with arbitrary
     * alignment some kernels would run a third slower. */
    struct sam_uop ops[SAM_PAGE_OPS + 1] __attribute__((aligned(SAM_PAGE_SIZE)));
    uint16_t plain[SAM_PAGE_OPS]; /* enum sam_op of unprefixed instructions that may pair, or 0 */
    uint8_t bytes[SAM_PAGE_SIZE]; /* the words that were decoded, ... */
    uint64_t known[SAM_PAGE_OPS / 64];
    uint32_t low, high; /* ... all within these offsets */
    uint64_t pc;
    struct sam_fused *fused[SAM_PAGE_OPS]; /* by index of the prefix; reused */
    struct sam_counters *counters;         /* PAGE_COUNTERS of them, in instrumented code */
    struct page_hot *hot;                  /* hot.c; NULL: nothing is counted */
    struct code_page *next;                /* in the same hash bucket */
};

#define PAGE_HASH 64u
#define DECODED   1024u /* size of the caches for single-stepping */

/* Caches for single-stepping. */
struct steps {
    struct decoded {
        uint32_t prefix;
        bool known, legal;
        struct sam_insn insn;
    } decoded[DECODED];
    struct stepped { /* micro-ops, indexed by pc */
        uint64_t pc;
        uint32_t word, prefix;
        struct sam_uop uop; /* fn NULL: unused */
    } stepped[DECODED];
};

/* The search for hot loops (hot.c). */
struct sam_hot {
    enum { SAM_HOT_WAITS, SAM_HOT_LOOKS, SAM_HOT_COUNTS } stage;
    uint32_t threshold;  /* executions of a backward branch */
    uint64_t insns;      /* executed so far */
    uint64_t next_stage; /* instructions after which the next stage begins */
};

struct sam_code {
    const struct sam_machine *machine;
    struct sam_tlb *tlb;
    struct sam_jit *jit; /* NULL: interpreted only */
    struct sam_hot hot;
    struct code_page *pages[PAGE_HASH];
    unsigned vectors; /* see sam_code_vectors */
    uint64_t changes; /* see sam_code_changes */
    bool cut;         /* a decoded prefix had no instruction after it */
    const struct sam_instrumentation *instrumentation; /* NULL: not instrumented */
    uint64_t *breakpoints;                             /* ascending */
    size_t breakpoint_count, breakpoint_capacity;
    bool breakpoints_enabled;
    struct steps *steps;    /* allocated on first use */
    struct decoded decoded; /* if the allocation failed: caches of one entry */
    struct stepped stepped;
};

/* Note that instruction `index` was decoded from `word`. */
static inline void sam_page_note(struct code_page *page, unsigned index, uint32_t word)
{
    const uint32_t at = 4 * index;
    sam_put_le32(page->bytes + at, word);
    page->known[index / 64] |= UINT64_C(1) << index % 64;
    page->low = at < page->low ? at : page->low;
    page->high = at + 4 > page->high ? at + 4 : page->high;
}

/* code.c: invalidate the instruction at `pc` and a prefix before it, which would run past a
 * breakpoint. */
void sam_code_redecode(struct sam_code *code, uint64_t pc);

/* uop.c */
/* Convert a decoded instruction at `pc` to a micro-op. Without `in_page`, its branch target is an
 * address even within the page. */
void sam_uop_fill(const struct sam_machine *machine, struct sam_code *code,
                  const struct sam_insn *insn, uint64_t pc, bool in_page, struct sam_uop *uop);

/* Fuse instruction `index` with the next if there is a handler for the pair. */
void sam_page_pair(const struct sam_machine *machine, struct code_page *page, unsigned index);

/* hot.c: loops that are translated. */
/* Begin the next stage. */
void sam_hot_proceed(struct sam_code *code);
/* Note that a run has executed this many instructions. */
static inline void sam_hot_note_run(struct sam_code *code, uint64_t insns)
{
    code->hot.insns += insns;
    if (SAM_UNLIKELY(code->hot.insns >= code->hot.next_stage))
        sam_hot_proceed(code);
}
/* Count the instruction, just decoded, if it may branch backwards. */
void sam_hot_watch(const struct sam_code *code, struct code_page *page, unsigned index);
/* Whether the micro-op has a handler of hot.c. */
bool sam_hot_holds(const struct code_page *page, unsigned index);
/* Instruction `index` changes: translations that contain it, or the one before it, are not entered
 * any more. */
void sam_hot_forget(const struct sam_code *code, struct code_page *page, unsigned index);

/* instrument.c */
/* Install the instrumented handler, if any, of `insn`, just decoded into `uop`. `prefix`: the word
 * of the prefix, out of line, or 0. */
void sam_uop_instrument(const struct sam_code *code, const struct sam_insn *insn, uint32_t prefix,
                        struct sam_uop *uop, struct sam_counters *counters);
void sam_page_flush_counters(const struct sam_instrumentation *instrumentation,
                             struct code_page *page);
/* Flush instruction `index`, which is about to be decoded again. */
void sam_page_flush_replaced(const struct sam_instrumentation *instrumentation,
                             struct code_page *page, unsigned index);

#endif
