/* SPDX-License-Identifier: Apache-2.0 */
/* Converts decoded instructions to micro-ops: a handler, and operands in the form that it reads. */
#include <string.h>

#include "machine/page.h"
#include "machine/threads.h"

static bool is_vector_register(const struct sam_operand *operand)
{
    return operand->kind == SAM_KIND_V;
}

/* Reads a CSR stored as a word of the core, at byte offset `imm`. */
static const struct sam_uop *op_csr_word(SAM_HANDLER_ARGS)
{
    memcpy(&c->x32[op->rd], (const char *)c + op->imm, sizeof c->x32[0]);
    SAM_NEXT();
}

static void choose_csr(const struct sam_machine *machine, const struct sam_insn *insn,
                       struct sam_uop *uop)
{
    const uint32_t index = ((uint32_t)insn->imm & 0xfff) - SAM_CSR_WORD;
    if (insn->op != SAM_OP_csrrs || insn->rs1 != 0 || !machine->csr_words ||
        index >= SAM_CSR_WORDS || !machine->csr_words[index])
        return;
    uop->fn = op_csr_word;
    uop->imm = machine->csr_words[index];
}

void sam_uop_fill(const struct sam_machine *machine, struct sam_code *code,
                  const struct sam_insn *insn, uint64_t pc, bool in_page, struct sam_uop *uop)
{
    const char *operands = sam_insn_rows[insn->op].operands;
    *uop = (struct sam_uop){.fn = machine->handlers[insn->op],
                            .rd = insn->rd,
                            .rs1 = insn->rs1,
                            .rs2 = insn->rs2,
                            .rs3 = insn->rs3,
                            .imm = insn->imm};
    bool vector = false, odd = false, target = false, rounds = false;
    for (const char *l = operands; *l; l++) {
        const struct sam_operand *operand = sam_operand_find(*l);
        if (!operand)
            continue;
        if (operand->kind == SAM_KIND_X && operand->slot == SAM_SLOT_RD && insn->rd == 0)
            uop->rd = SAM_X_SINK;
        if (is_vector_register(operand)) {
            uint8_t number = operand->slot == SAM_SLOT_RD    ? insn->rd
                             : operand->slot == SAM_SLOT_RS1 ? insn->rs1
                             : operand->slot == SAM_SLOT_RS2 ? insn->rs2
                                                             : insn->rs3;
            vector = true;
            odd |= number & 1;
            sam_code_use_vector(code, number | 1u); /* a pair or group also writes the next */
            if (operand->slot == SAM_SLOT_RS3)
                uop->rd = insn->rs3; /* store data, in a field free of flags */
        }
        target |= operand->kind == SAM_KIND_TARGET;
        rounds |= operand->kind == SAM_KIND_RM;
    }
    if (vector)
        uop->rs3 = (uint8_t)((insn->vm ? SAM_UOP_VM : 0) | (odd ? SAM_UOP_ODD : 0));
    if (rounds)
        uop->imm = insn->rm;
    choose_csr(machine, insn, uop);
    if (target) {
        uint64_t to = pc + (uint64_t)(int64_t)insn->imm;
        if (machine->isa.xlen == 32)
            to = (uint32_t)to;
        bool near = in_page && to / SAM_PAGE_SIZE == pc / SAM_PAGE_SIZE && !(to & 3);
        if (near)
            uop->imm = (int32_t)(to % SAM_PAGE_SIZE / 4);
        else if (vector)
            uop->rs3 |= SAM_UOP_FAR;
        else
            uop->fn = machine->far_handlers[insn->op];
    }
    if (insn->pair)
        uop->fn = machine->pair_handlers[insn->op];
    if (!uop->fn)
        uop->fn = sam_stop_illegal;
}
