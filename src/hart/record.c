/* SPDX-License-Identifier: Apache-2.0 */
/* Records an instruction of a hart: the record of every core, and the work of the units. */
#include "hart/core.h"

static void add_range(struct sam_step *step, uint64_t address, uint32_t size, bool store)
{
    sam_step_add_access(
        step,
        &(struct sam_step_access){
            .address = address, .size = size, .lane = UINT32_MAX, .load = !store, .store = store});
}

static void add_tensor(struct sam_hart_record *r)
{
    struct sam_step *step = &r->step;
    const struct sam_work *work = &r->tensor;
    const bool both = sam_insn_rows[r->insn.op].does.act == SAM_ACT_TL_XPOSE;
    const unsigned written[2] = {both ? r->insn.rs1 : r->insn.rd, both ? r->insn.rs2 : 0};
    for (unsigned i = 0; i < 2; i++)
        if (work->writes >> written[i] & 1)
            step->tl[step->tl_count++] = written[i];
    for (unsigned i = 0; i < work->span_count; i++)
        add_range(step, work->spans[i].low,
                  (uint32_t)(work->spans[i].high - work->spans[i].low + 1), work->store);
}

/* Whether the destination is a matrix register. */
static bool writes_matrix(const struct sam_insn *insn)
{
    for (const char *l = sam_insn_rows[insn->op].operands; *l; l++) {
        const struct sam_operand *operand = sam_operand_find(*l);
        if (operand && operand->slot == SAM_SLOT_RD && operand->kind == SAM_KIND_M)
            return true;
    }
    return false;
}

static void add_matrix(struct sam_hart_record *r)
{
    const struct sam_matrix_work *work = &r->matrix;
    if (writes_matrix(&r->insn)) {
        r->step.m = work->md;
        r->step.m_count = work->registers;
    }
    for (unsigned row = 0; work->kind <= SAM_M_KIND_STORE && row < work->m; row++)
        add_range(&r->step, sam_matrix_address(work, row, 0), work->bytes,
                  work->kind == SAM_M_KIND_STORE);
}

static void begin(const struct sam_hart *hart, struct sam_hart_record *r)
{
    r->first_row = hart->matrix ? hart->matrix->start : 0;
    r->has_tensor = r->has_matrix = false;
    for (unsigned i = 0; hart->mxu && hart->options.vcd.write && i < 32; i++)
        r->x[i] = sam_hart_x(hart, i);
}

static void find_work(const struct sam_hart *hart, struct sam_hart_record *r)
{
    r->has_tensor = hart->tensor && sam_insn_rows[r->insn.op].on & SAM_EXT_XTENSORLOAD &&
                    sam_tensor_work_of(&hart->core, &r->insn, &r->tensor);
    r->has_matrix = hart->matrix && sam_matrix_work_of(&hart->core, &r->insn, &r->matrix);
}

enum sam_exit sam_hart_record_work(struct sam_hart *hart, struct sam_hart_record *r)
{
    begin(hart, r);
    r->step.pc = sam_hart_pc(hart);
    const enum sam_exit exit = sam_core_step(&hart->core, &r->insn);
    r->step.word = r->insn.word;
    r->step.kind = exit == SAM_EXIT_TRAP ? SAM_STEP_TRAPPED : SAM_STEP_RAN;
    if (exit != SAM_EXIT_TRAP)
        find_work(hart, r);
    return exit;
}

enum sam_exit sam_hart_record(struct sam_hart *hart, struct sam_hart_record *r)
{
    begin(hart, r);
    sam_step_begin(&hart->core, &r->step, &r->insn);
    r->step.workgroup = r->step.warp = 0;
    enum sam_exit exit = sam_step_run(&hart->core, &r->step, &r->insn);
    if (exit != SAM_EXIT_TRAP)
        find_work(hart, r);
    if (r->has_tensor)
        add_tensor(r);
    if (r->has_matrix)
        add_matrix(r);
    if (hart->listener) /* before a store to a control register takes effect */
        hart->listener->ran(hart->listener->context, r);
    exit = sam_hart_port_store(hart, exit);
    if (exit == SAM_EXIT_TRAP)
        r->step.kind = SAM_STEP_TRAPPED;
    return exit;
}
