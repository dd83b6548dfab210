/* SPDX-License-Identifier: Apache-2.0 */
/* How often instructions have run, from the runs that were counted. */
#include "machine/page.h"

void sam_uop_instrument(const struct sam_instrumentation *instrumentation,
                        const struct sam_insn *insn, uint32_t prefix, struct sam_uop *uop,
                        struct sam_counters *counters)
{
    counters->insn = *insn;
    counters->prefix = prefix;
    counters->fn = uop->fn;
    sam_handler *other = instrumentation->instrument(instrumentation->context, insn, prefix != 0);
    if (other)
        uop->fn = other;
}

/* Credit an instruction that has run totals[0] times, and the one that it is a prefix of. */
static void flush(const struct sam_instrumentation *instrumentation, const struct code_page *page,
                  unsigned index, const int64_t totals[SAM_COUNTER_STEPS])
{
    struct sam_counters *counters = &page->counters[index];
    if (counters->insn.op == SAM_OP_ILLEGAL)
        return;
    if (instrumentation->flush)
        instrumentation->flush(instrumentation->context, page->pc + 4 * (uint64_t)index, counters,
                               totals);
    memset(counters->sums, 0, sizeof counters->sums);
    if (!sam_op_is_prefix(counters->insn.op))
        return;
    struct sam_fused *fused = page->fused[index];
    struct sam_counters *next = &fused->counters;
    int64_t apart[SAM_COUNTER_STEPS];
    for (unsigned k = 0; k < SAM_COUNTER_STEPS; k++)
        apart[k] = totals[k] + next->steps[k];
    if (instrumentation->flush && next->insn.op != SAM_OP_ILLEGAL)
        instrumentation->flush(instrumentation->context, fused->pc, next, apart);
    memset(next->steps, 0, sizeof next->steps);
    memset(next->sums, 0, sizeof next->sums);
}

void sam_page_flush_replaced(const struct sam_instrumentation *instrumentation,
                             struct code_page *page, unsigned index)
{
    int64_t totals[SAM_COUNTER_STEPS] = {0};
    struct sam_counters *counters = &page->counters[index];
    if (counters->insn.op == SAM_OP_ILLEGAL)
        return;
    for (unsigned i = 0; i <= index; i++)
        for (unsigned k = 0; k < SAM_COUNTER_STEPS; k++)
            totals[k] += page->counters[i].steps[k];
    flush(instrumentation, page, index, totals);
    for (unsigned k = 0; k < SAM_COUNTER_STEPS; k++) {
        counters[0].steps[k] -= totals[k];
        counters[1].steps[k] += totals[k];
    }
    counters->fn = NULL;
    counters->insn.op = SAM_OP_ILLEGAL;
}

void sam_page_flush_counters(const struct sam_instrumentation *instrumentation,
                             struct code_page *page)
{
    int64_t totals[SAM_COUNTER_STEPS] = {0};
    for (unsigned i = 0; i < PAGE_COUNTERS; i++) {
        struct sam_counters *counters = &page->counters[i];
        for (unsigned k = 0; k < SAM_COUNTER_STEPS; k++)
            totals[k] += counters->steps[k];
        memset(counters->steps, 0, sizeof counters->steps);
        flush(instrumentation, page, i, totals);
    }
}
