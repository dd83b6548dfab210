/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/step.h"

#include "machine/watch.h"

static uint64_t x_of(const struct sam_core *core, unsigned number)
{
    return sam_core_x(core, sam_code_is_narrow(core->code), number);
}

static uint64_t wrap(const struct sam_core *core, uint64_t value)
{
    return sam_code_is_narrow(core->code) ? (uint32_t)value : value;
}

void sam_step_add_csr(struct sam_step *step, unsigned address, uint64_t value)
{
    if (step->csr_count < SAM_STEP_CSRS) {
        step->csr[step->csr_count].address = address;
        step->csr[step->csr_count++].value = value;
    }
}

bool sam_core_peek(struct sam_core *core, uint64_t address, unsigned size, uint64_t *value)
{
    struct sam_fault fault;
    struct sam_watches *watches = core->tlb->watches;
    struct sam_core *watched = watches ? watches->core : NULL;
    const bool exhausted = core->tlb->exhausted;
    if (watches)
        watches->core = NULL;
    const uint8_t *host = core->tlb->resolve(core->tlb, address, size, SAM_LOAD, &fault);
    if (watches)
        watches->core = watched;
    core->tlb->exhausted = exhausted;
    if (core->tlb->reports) { /* peeking is not an access */
        struct sam_tlb_entry *page = &core->tlb->entries[(uint32_t)address / SAM_PAGE_SIZE];
        page->read_limit = page->write_limit = 0;
        core->tlb->reports = false;
        core->tlb->asks_slack = true;
    }
    if (host)
        *value = sam_watch_bytes(host, size);
    return host != NULL;
}

/* ---------------------------------------------------------------------------------- before */

/* The access of a scalar load, store or atomic. RISC-V Unprivileged 2.6, 14. */
static void find_access(const struct sam_core *core, struct sam_step *step,
                        const struct sam_insn *insn)
{
    const struct sam_does *does = &sam_insn_rows[insn->op].does;
    const bool store = does->act == SAM_ACT_STORE;
    struct sam_step_access a = {.size = does->bytes,
                                .lane = UINT32_MAX,
                                .load = !store,
                                .store = store || does->act == SAM_ACT_ATOMIC};
    a.address = wrap(core, x_of(core, insn->rs1) + (uint64_t)(int64_t)insn->imm); /* atomics: 0 */
    a.value = store ? x_of(core, insn->rs2) : 0;
    sam_step_add_access(step, &a);
    if (insn->pair && !((store ? insn->rs2 : insn->rd) & 1)) { /* a register pair */
        a.address = wrap(core, a.address + 4);
        a.value = store && insn->rs2 ? x_of(core, insn->rs2 + 1u) : 0;
        sam_step_add_access(step, &a);
    }
}

void sam_step_before(const struct sam_core *core, struct sam_step *step,
                     const struct sam_insn *insn)
{
    step->vector = sam_op_is_vector(insn->op);
    if (!step->vector && sam_insn_rows[insn->op].does.bytes)
        find_access(core, step, insn);
}

void sam_step_begin(struct sam_core *core, struct sam_step *step, struct sam_insn *insn)
{
    struct sam_fault fault;
    memset(step, 0, offsetof(struct sam_step, v_value));
    step->tl_count = step->m_count = step->csr_count = step->fflags = step->access_count = 0;
    step->trap.kind = SAM_TRAP_NONE;
    step->cause = 0;
    step->tval = step->exit_code = 0;
    step->mask_before = step->mask_after = 1;
    step->depth_before = step->depth_after = 0;
    step->pc = wrap(core, core->pc);
    step->prefix = core->pending_prefix;
    *insn = (struct sam_insn){.op = SAM_OP_ILLEGAL};
    if (step->pc & 3 || !sam_code_fetch(core, step->pc, &step->word, &fault)) {
        step->word = 0;
        return;
    }
    if (sam_code_decode(core->code, step->word, core->pending_prefix, insn))
        sam_step_before(core, step, insn);
}

/* ----------------------------------------------------------------------------------- after */

static void find_registers(const struct sam_core *core, struct sam_step *step,
                           const struct sam_insn *insn)
{
    const struct sam_insn_row *row = &sam_insn_rows[insn->op];
    const struct sam_operand *first = sam_operand_find(row->operands[0]);
    if (!first || first->slot != SAM_SLOT_RD || first->kind != SAM_KIND_X || insn->rd == 0 ||
        row->does.act == SAM_ACT_SYNC || row->does.act == SAM_ACT_PREFIX)
        return;
    step->x = insn->rd;
    step->x_count = insn->pair && !(insn->rd & 1) ? 2 : 1;
    for (unsigned i = 0; i < step->x_count; i++)
        step->x_value[i] = x_of(core, insn->rd + i);
}

static void find_csrs(struct sam_core *core, struct sam_step *step, const struct sam_insn *insn,
                      uint64_t instret)
{
    const unsigned act = sam_insn_rows[insn->op].does.act, address = (unsigned)insn->imm & 0xfff;
    uint64_t value;
    if ((act == SAM_ACT_CSR_WRITE || (act == SAM_ACT_CSR_BITS && insn->rs1 != 0)) &&
        sam_core_csr_read(core, address, instret, &value))
        sam_step_add_csr(step, address, wrap(core, value));
}

void sam_step_after(struct sam_core *core, struct sam_step *step, const struct sam_insn *insn,
                    uint64_t instret)
{
    find_registers(core, step, insn);
    find_csrs(core, step, insn, instret);
}

/* Loads: the value loaded, before extension. Atomics: the value stored, if any. */
void sam_step_find_values(struct sam_core *core, struct sam_step *step, const struct sam_insn *insn)
{
    const bool conditional = insn->op == SAM_OP_sc_w || insn->op == SAM_OP_sc_d;
    for (unsigned i = 0; i < step->access_count; i++) {
        struct sam_step_access *a = &step->access[i];
        const unsigned bits = 8 * a->size;
        if (a->load && !sam_core_peek(core, a->address, a->size, &a->value))
            a->value = 0;
        if (conditional) {
            a->load = false;
            a->store = x_of(core, insn->rd ? insn->rd : SAM_X_SINK) == 0;
        }
        if (bits < 64)
            a->value &= (UINT64_C(1) << bits) - 1;
    }
}

enum sam_exit sam_step_run(struct sam_core *core, struct sam_step *step, struct sam_insn *insn)
{
    /* To isolate the flags that this instruction raises. An instruction that may read flags must
     * see all of them. */
    const uint8_t flags = core->fflags;
    const bool reads_flags = sam_word_is_csr(step->word);
    if (!reads_flags)
        core->fflags = 0;
    const enum sam_exit exit = sam_core_step(core, insn);
    if (!reads_flags) {
        step->fflags = core->fflags;
        core->fflags |= flags;
    }
    step->next_pc = wrap(core, core->pc);
    if (exit == SAM_EXIT_TRAP) {
        step->kind = SAM_STEP_TRAPPED;
        step->cause = core->cause;
        step->tval = wrap(core, core->tval);
        return exit;
    }
    step->kind = sam_op_is_prefix(insn->op) ? SAM_STEP_PREFIX : SAM_STEP_RAN;
    sam_step_after(core, step, insn, core->retired);
    return exit;
}
