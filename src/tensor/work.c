/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the work of an executed instruction for its engine: registers, bytes, memory. */
#include "tensor/engines.h"
#include "tensor/unit.h"

/* Bit of a TLReg; 0 for tl0, which has no dependences. */
static uint32_t bit(unsigned tl)
{
    return (UINT32_C(1) << tl) & ~UINT32_C(1);
}

/* Insert a span in order. Slices are mostly ascending already. */
static void insert(struct sam_work *w, struct sam_work_span span)
{
    unsigned at = w->span_count++;
    for (; at && w->spans[at - 1].low > span.low; at--)
        w->spans[at] = w->spans[at - 1];
    w->spans[at] = span;
}

/* Merge adjacent and overlapping spans. */
static void join(struct sam_work *w)
{
    unsigned kept = 0;
    for (unsigned i = 1; i < w->span_count; i++) {
        struct sam_work_span *last = &w->spans[kept], *next = &w->spans[i];
        if (next->low <= last->high || next->low == last->high + 1)
            last->high = next->high > last->high ? next->high : last->high;
        else
            w->spans[++kept] = *next;
    }
    w->span_count = w->span_count ? kept + 1 : 0;
}

static void describe_access(struct sam_work *w, struct sam_tensor *t, uint64_t base, int imm,
                            bool masked)
{
    const uint64_t top = t->narrow ? UINT32_MAX : UINT64_MAX;
    const struct sam_tl_plan *p = sam_tensor_plan(t, w->store, masked);
    base += (uint64_t)((int64_t)imm * p->width);
    w->slices = p->count;
    for (unsigned i = 0; i < p->count; i++) {
        const struct sam_tl_run *run = &p->runs[i];
        const uint64_t low = (base + (uint64_t)run->offset) & top;
        const uint64_t high = (low + run->size - 1) & top;
        w->bytes += run->size;
        if (high >= low) {
            insert(w, (struct sam_work_span){low, high});
        } else {
            insert(w, (struct sam_work_span){low, top});
            insert(w, (struct sam_work_span){0, high});
        }
    }
    join(w);
}

static uint32_t block_bytes(const struct sam_tensor *t)
{
    return (t->dims[0] * t->dims[1] * t->dims[2] * (unsigned)sam_dtype_bits(t->type) + 7) / 8;
}

bool sam_tensor_work_of(const struct sam_core *core, const struct sam_insn *insn,
                        struct sam_work *w)
{
    struct sam_tensor *t = sam_tensor_of(core);
    w->engine = (enum sam_engine)(insn->word >> 30);
    w->word = insn->word;
    w->load = w->store = false;
    w->bytes = w->slices = w->span_count = 0;
    switch (insn->op) {
    case SAM_OP_tl_load:
    case SAM_OP_tl_mload:
        w->load = true;
        w->reads = 0;
        w->writes = bit(insn->rd);
        break;
    case SAM_OP_tl_store:
    case SAM_OP_tl_mstore:
        w->store = true;
        w->reads = bit(insn->rs2);
        w->writes = 0;
        break;
    case SAM_OP_tl_addi:
        w->reads = bit(insn->rs1);
        w->writes = bit(insn->rd);
        w->bytes = SAM_TL_SIZE;
        break;
    case SAM_OP_tl_concat_0:
    case SAM_OP_tl_concat_1:
    case SAM_OP_tl_concat_2:
    case SAM_OP_tl_merge_0:
    case SAM_OP_tl_merge_1:
    case SAM_OP_tl_merge_2:
        w->reads = bit(insn->rs1) | bit(insn->rs2);
        w->writes = bit(insn->rd);
        w->bytes = block_bytes(t);
        break;
    default:
        if (insn->op < SAM_OP_tl_xpose_01 || insn->op > SAM_OP_tl_xpose_d_23)
            return false;
        w->reads = w->writes = bit(insn->rs1) | bit(insn->rs2);
        w->bytes = 2 * SAM_TL_SIZE;
    }
    if (w->load || w->store)
        describe_access(w, t, sam_tensor_x(core, insn->rs1), insn->imm,
                        insn->op == SAM_OP_tl_mload || insn->op == SAM_OP_tl_mstore);
    return true;
}
