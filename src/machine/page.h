/* SPDX-License-Identifier: Apache-2.0 */
/* Inside decoded code: a page of it, and the counts of its instructions. */
#ifndef SAM_PAGE_H
#define SAM_PAGE_H

#include "machine/machine.h"

/* Of the instructions, of the end of the page, and of what follows that. */
#define PAGE_TALLIES (SAM_PAGE_OPS + 2)

struct code_page {
    struct sam_uop ops[SAM_PAGE_OPS + 1]; /* and one that continues on the next page */
    uint16_t plain[SAM_PAGE_OPS];         /* enum sam_op of those that may be part of a pair, or
                                             0 */
    uint64_t pc;
    struct sam_fused *fused[SAM_PAGE_OPS]; /* by index of the prefix; kept for reuse */
    struct sam_tally *tallies;             /* PAGE_TALLIES of them, when instructions are counted */
    struct code_page *next;                /* with the same hash */
};

/* uop.c */
/* Convert a decoded instruction at `pc` to the form that handlers read. Without `in_page` its
 * target is reached by address even within the page. */
void sam_uop_fill(const struct sam_machine *machine, struct sam_code *code,
                  const struct sam_insn *insn, uint64_t pc, bool in_page, struct sam_uop *uop);

/* count.c */
/* Another handler may stand in for that of `insn`, just decoded into `uop`. `prefix`: the word of
 * the prefix it is out of line for, or 0. */
void sam_tally_begin(const struct sam_counting *counting, const struct sam_insn *insn,
                     uint32_t prefix, struct sam_uop *uop, struct sam_tally *tally);
/* Credit every instruction of the page. */
void sam_page_credit(const struct sam_counting *counting, struct code_page *page);
/* Instruction `index` is about to be decoded again: what was counted is of the old one. */
void sam_page_credit_replaced(const struct sam_counting *counting, struct code_page *page,
                              unsigned index);

#endif
