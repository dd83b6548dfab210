/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of instructions, and their execution counts from those of blocks. */
#include "machine/page.h"

static bool is_of_unit(const struct sam_insn *insn)
{
    return sam_insn_rows[insn->op].on & (SAM_EXT_XTENSORLOAD | SAM_EXT_XMATRIX);
}

enum sam_hook sam_hook_of(const struct sam_insn *insn, bool apart)
{
    const struct sam_does *does = &sam_insn_rows[insn->op].does;
    const bool vector = sam_op_is_vector(insn->op);
    if (is_of_unit(insn))
        return SAM_HOOK_UNIT;
    if (does->bytes) {
        const bool store = (does->act == SAM_ACT_STORE || does->act == SAM_ACT_ATOMIC) && !apart;
        if (vector)
            return store ? SAM_HOOK_LANES_STORE : SAM_HOOK_LANES_LOAD;
        if (insn->pair)
            return store ? SAM_HOOK_PAIR_STORE : SAM_HOOK_PAIR_LOAD;
        return store ? SAM_HOOK_STORE : SAM_HOOK_LOAD;
    }
    if (does->act == SAM_ACT_SPLIT)
        return apart ? SAM_HOOK_SPLIT_APART : SAM_HOOK_SPLIT;
    if (sam_act_ends_run(does->act) || does->act == SAM_ACT_SYSTEM) /* mret is one of SYSTEM */
        return apart ? SAM_HOOK_NONE : SAM_HOOK_BLOCK_END;
    return vector && !insn->vm ? SAM_HOOK_MASKED : SAM_HOOK_NONE;
}

void sam_uop_instrument(const struct sam_code *code, const struct sam_insn *insn, uint32_t prefix,
                        struct sam_uop *uop, struct sam_counters *counters)
{
    const struct sam_instrumentation *by = code->instrumentation;
    if (uop->fn == sam_stop_illegal)
        return;
    counters->insn = *insn;
    counters->prefix = prefix;
    counters->fn = uop->fn;
    sam_handler *other = by->instrument(by->context, insn, prefix != 0);
    if (other)
        uop->fn = other;
}

/* Flush an instruction and, if it is a prefix, the instruction that it modifies. */
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
    int64_t modified[SAM_COUNTER_STEPS];
    for (unsigned k = 0; k < SAM_COUNTER_STEPS; k++)
        modified[k] = totals[k] + next->steps[k];
    if (instrumentation->flush && next->insn.op != SAM_OP_ILLEGAL)
        instrumentation->flush(instrumentation->context, fused->pc, next, modified);
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
