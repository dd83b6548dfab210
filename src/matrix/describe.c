/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the work of an instruction, for traces, statistics and the cycle model. */
#include "matrix/unit.h"

bool sam_matrix_is(const struct sam_insn *insn)
{
    return sam_insn_rows[insn->op].on == SAM_EXT_XMATRIX;
}

static void describe_move(const struct sam_core *core, const struct sam_insn *insn,
                          struct sam_matrix_work *w)
{
    const struct sam_matrix *m = sam_matrix_of(core);
    const bool whole = sam_m_is_whole(insn->word);
    w->stream = !whole && (insn->imm & SAM_M_STREAM);
    w->md = w->kind == SAM_M_KIND_LOAD ? insn->rd : insn->rs3;
    w->base = sam_matrix_x(core, insn->rs1);
    w->narrow = m->narrow;
    w->registers = whole ? sam_m_whole_count((unsigned)insn->imm) : 1;
    w->m = whole ? m->rows * w->registers : m->size_m;
    w->widen =
        w->kind == SAM_M_KIND_LOAD && !whole ? sam_matrix_widening(m, (unsigned)insn->imm) : 0;
    w->bytes = (whole ? m->row_bytes : m->size_k) >> w->widen;
    w->stride = whole ? m->row_bytes : sam_matrix_x(core, insn->rs2);
}

bool sam_matrix_work_of(const struct sam_core *core, const struct sam_insn *insn,
                        struct sam_matrix_work *w)
{
    const struct sam_matrix *m = sam_matrix_of(core);
    *w = (struct sam_matrix_work){0};
    if (!m || !sam_matrix_is(insn))
        return false;
    w->kind = sam_m_kind(insn->word);
    if (w->kind == SAM_M_KIND_CONFIG) /* operands are registers of the hart */
        return true;
    w->m = m->size_m;
    w->n = m->size_n;
    w->bytes = m->size_k;
    w->md = insn->rd;
    w->ms1 = insn->rs1;
    w->ms2 = insn->rs2;
    w->registers = 1;
    const unsigned form = (unsigned)insn->imm & 3;
    switch (w->kind) {
    case SAM_M_KIND_LOAD:
    case SAM_M_KIND_STORE: describe_move(core, insn, w); break;
    case SAM_M_KIND_MMA:
        w->type = sam_m_type((unsigned)insn->imm);
        w->registers = sam_m_md_count(w->type);
        w->source_registers = sam_m_ms2_count(w->type);
        w->reads_1 = w->reads_2 = true;
        w->macs = (uint64_t)w->m * w->n * (w->bytes * 8 / w->type->source);
        break;
    case SAM_M_KIND_POINTWISE:
        w->reads_1 = form != SAM_M_MX;
        w->reads_2 = !sam_m_is_move(insn->word);
        w->source_registers = 1;
        break;
    case SAM_M_KIND_CONFIG: break;
    }
    return true;
}

bool sam_matrix_work_done(const struct sam_core *core, const struct sam_insn *insn, uint32_t first,
                          bool trapped, struct sam_matrix_work *w)
{
    if (!sam_matrix_work_of(core, insn, w))
        return false;
    if (w->kind > SAM_M_KIND_STORE)
        return !trapped;
    /* success leaves 0, a fault leaves the row that failed */
    const unsigned all =
        w->kind == SAM_M_KIND_LOAD ? sam_matrix_of(core)->rows * w->registers : w->m;
    w->first = first;
    w->end = trapped ? sam_matrix_of(core)->start : all;
    return w->first < w->end;
}
