/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds check for registers: a kernel declares how many scalar and vector registers its warps use.
 * On hardware, registers beyond those belong to another warp. */
#include "sanitize/sanitize.h"

/* The declared number of registers of a kind, rounded up to the hardware's allocation unit of four
 * (manual 2.3); 0: unknown. */
static uint32_t declared(const struct sam_sanitizer *s, enum sam_operand_kind kind)
{
    const uint32_t count = kind == SAM_KIND_X   ? s->launch.sgprs
                           : kind == SAM_KIND_V ? s->launch.vgprs
                                                : 0;
    return count + (0 - count) % 4;
}

/* The first register used beyond the declared ones; file 0: none. `groups`: registers per vector
 * operand. */
static struct sam_finding_register find(const struct sam_sanitizer *s, const struct sam_insn *insn,
                                        unsigned groups)
{
    const uint8_t numbers[] = {[SAM_SLOT_RD] = insn->rd,
                               [SAM_SLOT_RS1] = insn->rs1,
                               [SAM_SLOT_RS2] = insn->rs2,
                               [SAM_SLOT_RS3] = insn->rs3};
    const uint32_t x = declared(s, SAM_KIND_X), v = declared(s, SAM_KIND_V);
    const uint32_t least = !x || (v && v < x) ? v : x;
    if ((uint32_t)(insn->rd | insn->rs1 | insn->rs2 | insn->rs3) + 1 < least)
        return (struct sam_finding_register){0}; /* without a look at the operands */
    const unsigned act = sam_insn_rows[insn->op].does.act;
    for (const char *l = sam_insn_rows[insn->op].operands; *l; l++) {
        const struct sam_operand *operand = sam_operand_find(*l);
        const uint32_t most = operand ? declared(s, operand->kind) : 0;
        if (!most || act == SAM_ACT_SYNC || act == SAM_ACT_PREFIX || act == SAM_ACT_JOIN)
            continue;
        const bool vector = operand->kind == SAM_KIND_V;
        const uint32_t number = numbers[operand->slot];
        const bool base = sam_insn_rows[insn->op].does.bytes && operand->slot == SAM_SLOT_RS1;
        const bool pair = insn->pair && !base && !(number & 1) && (vector || number);
        const uint32_t last = number + (pair || (vector && groups > 1));
        if (last >= most)
            return (struct sam_finding_register){
                .file = vector ? 'v' : 'x', .number = (uint8_t)(number < most ? last : number)};
    }
    return (struct sam_finding_register){0};
}

bool sam_sanitize_registers_want(const struct sam_sanitizer *s, const struct sam_insn *insn)
{
    return (s->launch.sgprs || s->launch.vgprs) && find(s, insn, SAM_SANITIZE_GROUPS).file;
}

void sam_sanitize_registers_see(struct sam_sanitizer *s, const struct sam_sanitize_op *op)
{
    const struct sam_finding_register found = find(s, op->insn, op->groups);
    /* The counts are the compiler's, for the kernel; start code is linked in later. */
    if (!found.file || (op->pc >= s->launch.start && op->pc < s->launch.start_end))
        return;
    const uint32_t most = declared(s, found.file == 'v' ? SAM_KIND_V : SAM_KIND_X);
    struct sam_finding finding = {.kind = SAM_FINDING_BOUNDS_REGISTER,
                                  .sides[0] = sam_sanitize_side(op, UINT32_MAX),
                                  .used = found,
                                  .near = {.size = most}};
    sam_format(finding.near.name, sizeof finding.near.name, "%s registers",
               found.file == 'v' ? "vector" : "scalar");
    sam_sanitize_report(s, &finding);
}
