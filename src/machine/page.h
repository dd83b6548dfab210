/* SPDX-License-Identifier: Apache-2.0 */
/* Inside decoded code: a page of it, and the counts of its instructions. */
#ifndef SAM_PAGE_H
#define SAM_PAGE_H

#include "machine/instrument.h"

/* Of the instructions, of the end of the page, and of what follows that. */
#define PAGE_COUNTERS (SAM_PAGE_OPS + 2)

struct code_page {
    /* And one that continues on the next page. On a page of the host, as the registers of a warp
     * are: hosts take a load for one of what was just stored if the addresses differ in the page
     * only, so at chance addresses some kernels would run a third slower than at others. */
    struct sam_uop ops[SAM_PAGE_OPS + 1] __attribute__((aligned(SAM_PAGE_SIZE)));
    uint16_t plain[SAM_PAGE_OPS]; /* enum sam_op of those that may be part of a pair, or
                                     0 */
    uint8_t bytes[SAM_PAGE_SIZE]; /* what was decoded: the words noted in ... */
    uint64_t known[SAM_PAGE_OPS / 64];
    uint32_t low, high; /* ... which are between these offsets */
    uint64_t pc;
    struct sam_fused *fused[SAM_PAGE_OPS]; /* by index of the prefix; kept for reuse */
    struct sam_counters *counters; /* PAGE_COUNTERS of them, when instructions are counted */
    struct code_page *next;        /* with the same hash */
};

#define PAGE_HASH 64u
#define DECODED   1024u /* decoded instructions cached for single-stepping */

/* What single-stepping keeps. */
struct steps {
    struct decoded {
        uint32_t prefix;
        bool known, legal;
        struct sam_insn insn;
    } decoded[DECODED];
    struct stepped { /* micro-ops, by pc */
        uint64_t pc;
        uint32_t word, prefix;
        struct sam_uop uop; /* fn NULL: none */
    } stepped[DECODED];
};

struct sam_code {
    const struct sam_machine *machine;
    struct sam_tlb *tlb;
    struct code_page *pages[PAGE_HASH];
    unsigned vectors; /* sam_code_vectors */
    uint64_t changes; /* sam_code_changes */
    bool cut;         /* a prefix was decoded that nothing could be fetched after */
    const struct sam_instrumentation *instrumentation; /* NULL: nothing is counted */
    uint64_t *breakpoints;                             /* ascending */
    size_t breakpoint_count, breakpoint_capacity;
    bool breakpoints_enabled;
    struct steps *steps;    /* made when first needed */
    struct decoded decoded; /* without them, the last one */
    struct stepped stepped;
};

/* Instruction `index` of the page is decoded from this word. */
static inline void sam_page_note(struct code_page *page, unsigned index, uint32_t word)
{
    const uint32_t at = 4 * index;
    sam_put_le32(page->bytes + at, word);
    page->known[index / 64] |= UINT64_C(1) << index % 64;
    page->low = at < page->low ? at : page->low;
    page->high = at + 4 > page->high ? at + 4 : page->high;
}

/* uop.c */
/* Convert a decoded instruction at `pc` to the form that handlers read. Without `in_page` its
 * target is reached by address even within the page. */
void sam_uop_fill(const struct sam_machine *machine, struct sam_code *code,
                  const struct sam_insn *insn, uint64_t pc, bool in_page, struct sam_uop *uop);

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
