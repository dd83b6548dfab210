/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of an instruction, from the operand letters of its row. */
#include "isa/isa.h"

static enum sam_operand_file file_of(const struct sam_operand *operand)
{
    switch (operand->kind) {
    case SAM_KIND_X: return SAM_OPERAND_X;
    case SAM_KIND_V: return SAM_OPERAND_V;
    case SAM_KIND_V0: return SAM_OPERAND_V0;
    case SAM_KIND_SIGNED:
    case SAM_KIND_UNSIGNED:
        return operand->slot == SAM_SLOT_IMM ? SAM_OPERAND_IMM : SAM_OPERAND_NONE;
    default: return SAM_OPERAND_NONE;
    }
}

static enum sam_role role_of(const struct sam_does *does, enum sam_slot slot)
{
    if (!does->bytes)
        return SAM_ROLE_OPERAND;
    const bool address = slot == SAM_SLOT_RS1 || slot == SAM_SLOT_IMM ||
                         (slot == SAM_SLOT_RS2 &&
                          (does->form == SAM_FORM_STRIDED || does->form == SAM_FORM_INDEXED));
    return address ? SAM_ROLE_ADDRESS : SAM_ROLE_DATA;
}

static void add(struct sam_uses *uses, enum sam_operand_file file, enum sam_slot slot,
                enum sam_role role)
{
    uses->sources[uses->count++] =
        (struct sam_use){.file = (uint8_t)file, .slot = (uint8_t)slot, .role = (uint8_t)role};
}

struct sam_uses sam_op_uses(enum sam_op op)
{
    const struct sam_insn_row *row = &sam_insn_rows[op];
    struct sam_uses uses = {0};
    if (row->does.no_registers)
        return uses;
    for (const char *letter = row->operands; *letter; letter++) {
        const struct sam_operand *operand = sam_operand_find(*letter);
        if (!operand)
            continue;
        const enum sam_operand_file file = file_of(operand);
        uses.masked |= operand->kind == SAM_KIND_VM;
        if (file != SAM_OPERAND_NONE && operand->slot == SAM_SLOT_RD)
            uses.result = (uint8_t)file;
        else if (file != SAM_OPERAND_NONE)
            add(&uses, file, operand->slot, role_of(&row->does, operand->slot));
    }
    if (row->does.reads_vd)
        add(&uses, SAM_OPERAND_V, SAM_SLOT_RD, SAM_ROLE_OPERAND);
    return uses;
}
