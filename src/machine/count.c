/* SPDX-License-Identifier: Apache-2.0 */
/* How often instructions have run, from the runs that were counted. */
#include "machine/page.h"

void sam_tally_begin(const struct sam_counting *counting, const struct sam_insn *insn,
                     uint32_t prefix, struct sam_uop *uop, struct sam_tally *tally)
{
    tally->insn = *insn;
    tally->prefix = prefix;
    tally->fn = uop->fn;
    sam_handler *other = counting->stand_in(counting->context, insn, prefix != 0);
    if (other)
        uop->fn = other;
}

/* Credit an instruction that has run totals[0] times, and the one that it is a prefix of. */
static void credit(const struct sam_counting *counting, const struct code_page *page,
                   unsigned index, const int64_t totals[SAM_TALLY_STEPS])
{
    struct sam_tally *tally = &page->tallies[index];
    if (tally->insn.op == SAM_OP_ILLEGAL)
        return;
    if (counting->credit)
        counting->credit(counting->context, page->pc + 4 * (uint64_t)index, tally, totals);
    memset(tally->sums, 0, sizeof tally->sums);
    if (!sam_op_is_prefix(tally->insn.op))
        return;
    struct sam_fused *fused = page->fused[index];
    struct sam_tally *next = &fused->tally;
    int64_t apart[SAM_TALLY_STEPS];
    for (unsigned k = 0; k < SAM_TALLY_STEPS; k++)
        apart[k] = totals[k] + next->steps[k];
    if (counting->credit && next->insn.op != SAM_OP_ILLEGAL)
        counting->credit(counting->context, fused->pc, next, apart);
    memset(next->steps, 0, sizeof next->steps);
    memset(next->sums, 0, sizeof next->sums);
}

void sam_page_credit_replaced(const struct sam_counting *counting, struct code_page *page,
                              unsigned index)
{
    int64_t totals[SAM_TALLY_STEPS] = {0};
    struct sam_tally *tally = &page->tallies[index];
    if (tally->insn.op == SAM_OP_ILLEGAL)
        return;
    for (unsigned i = 0; i <= index; i++)
        for (unsigned k = 0; k < SAM_TALLY_STEPS; k++)
            totals[k] += page->tallies[i].steps[k];
    credit(counting, page, index, totals);
    for (unsigned k = 0; k < SAM_TALLY_STEPS; k++) {
        tally[0].steps[k] -= totals[k];
        tally[1].steps[k] += totals[k];
    }
    tally->fn = NULL;
    tally->insn.op = SAM_OP_ILLEGAL;
}

void sam_page_credit(const struct sam_counting *counting, struct code_page *page)
{
    int64_t totals[SAM_TALLY_STEPS] = {0};
    for (unsigned i = 0; i < PAGE_TALLIES; i++) {
        struct sam_tally *tally = &page->tallies[i];
        for (unsigned k = 0; k < SAM_TALLY_STEPS; k++)
            totals[k] += tally->steps[k];
        memset(tally->steps, 0, sizeof tally->steps);
        credit(counting, page, i, totals);
    }
}
