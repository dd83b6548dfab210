/* SPDX-License-Identifier: Apache-2.0 */
/* Which unit runs an instruction, and which registers it uses, from the instruction tables. The
 * units are those of the hardware's decoder: everything that computes a float, a product or an
 * address has a unit for both scalars and vectors. */
#include "gputime/model.h"

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool begins_with_one_of(const char *text, const char *const *starts)
{
    for (; *starts; starts++)
        if (begins_with(text, *starts))
            return true;
    return false;
}

static void classify_muldiv(struct trait *t, const char *mnemonic)
{
    const char *name = mnemonic + (*mnemonic == 'v');
    const bool division = begins_with(name, "div") || begins_with(name, "rem");
    t->unit = division ? SAM_GPUTIME_SFU : SAM_GPUTIME_MUL;
    t->speed = division;
}

static void classify_float(struct trait *t, const struct sam_insn_row *row)
{
    static const char *const special[] = {"fdiv", "fsqrt", "frdiv", "frsqrt", "frec", "fexp", NULL};
    static const char *const sums[] = {"fadd", "fsub", "frsub", "fmul", NULL};
    const char *mnemonic = row->mnemonic;
    const bool vector = *mnemonic == 'v', fused = row->does.reads_vd || strchr(row->operands, 'r');
    t->unit = SAM_GPUTIME_FPU;
    if (begins_with(mnemonic, "vftta"))
        t->unit = SAM_GPUTIME_TENSOR;
    else if (begins_with_one_of(mnemonic + vector, special))
        t->unit = SAM_GPUTIME_SFU;
    else if (fused)
        t->speed = 1;
    else
        t->speed = begins_with_one_of(mnemonic + vector, sums) ? 0 : 2;
}

static void classify_sync(struct trait *t, enum sam_op op)
{
    t->unit = SAM_GPUTIME_WARPS;
    t->flow = op == SAM_OP_endprg ? FLOW_END : op == SAM_OP_barrier ? FLOW_BARRIER : FLOW_PAUSE;
}

static void classify_unit(struct trait *t, enum sam_op op, const struct sam_insn_row *row,
                          bool vector)
{
    t->unit = vector ? SAM_GPUTIME_VALU : SAM_GPUTIME_SALU;
    switch ((enum sam_act)row->does.act) {
    case SAM_ACT_MULDIV: classify_muldiv(t, row->mnemonic); break;
    case SAM_ACT_FLOAT: classify_float(t, row); break;
    case SAM_ACT_BRANCH:
    case SAM_ACT_JUMP: t->flow = FLOW_BRANCH; break;
    case SAM_ACT_SPLIT: t->flow = FLOW_SPLIT; break;
    case SAM_ACT_JOIN:
        t->unit = SAM_GPUTIME_WARPS;
        t->flow = FLOW_JOIN;
        break;
    case SAM_ACT_SYNC: classify_sync(t, op); break;
    case SAM_ACT_LOAD:
    case SAM_ACT_RESERVE:
        t->unit = SAM_GPUTIME_LSU;
        t->load = true;
        break;
    case SAM_ACT_STORE:
        t->unit = SAM_GPUTIME_LSU;
        t->store = true;
        break;
    case SAM_ACT_ATOMIC:
        t->unit = SAM_GPUTIME_LSU;
        t->load = t->store = t->atomic = true;
        break;
    case SAM_ACT_CSR_WRITE:
    case SAM_ACT_CSR_BITS:
    case SAM_ACT_VTYPE:
    case SAM_ACT_RPC: t->unit = SAM_GPUTIME_CSR; break;
    case SAM_ACT_PREFIX: t->prefix = true; break;
    default: break;
    }
    if (op == SAM_OP_fence || op == SAM_OP_fence_tso) {
        t->unit = SAM_GPUTIME_WARPS;
        t->flow = FLOW_FENCE;
    }
}

static void add_source(struct trait *t, uint8_t slot, bool vector)
{
    t->sources[t->source_count].slot = slot;
    t->sources[t->source_count++].vector = vector;
}

static void classify_operands(struct trait *t, const struct sam_insn_row *row)
{
    /* The fields of these hold no registers that the hardware reads. */
    if (t->prefix || t->flow == FLOW_JOIN || t->flow == FLOW_BARRIER || t->flow == FLOW_END ||
        t->flow == FLOW_FENCE || row->does.act == SAM_ACT_SYNC)
        return;
    for (const char *c = row->operands; *c; c++) {
        const struct sam_operand *operand = sam_operand_find(*c);
        if (!operand)
            continue;
        const bool vector = operand->kind == SAM_KIND_V;
        t->own_mask |= operand->kind == SAM_KIND_VM;
        if (operand->kind == SAM_KIND_V0)
            add_source(t, SAM_SLOT_NONE, true);
        else if (operand->kind != SAM_KIND_X && !vector)
            continue;
        else if (operand->slot == SAM_SLOT_RD)
            t->dest = vector ? 2 : 1;
        else
            add_source(t, (uint8_t)operand->slot, vector);
    }
    if (row->does.reads_vd)
        add_source(t, SAM_SLOT_RD, true);
    t->stores_vector = t->store && !t->load && t->source_count && t->sources[0].vector;
}

void sam_gputime_classify(struct traits *traits)
{
    for (unsigned op = 0; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *row = &sam_insn_rows[op];
        struct trait *t = &traits->of[op];
        const bool vector = strpbrk(row->operands, "DSTW") != NULL;
        *t = (struct trait){0};
        classify_unit(t, (enum sam_op)op, row, vector);
        classify_operands(t, row);
        t->stream = t->unit != SAM_GPUTIME_SALU && t->unit != SAM_GPUTIME_CSR &&
                    (t->unit != SAM_GPUTIME_WARPS || t->flow == FLOW_JOIN || t->flow == FLOW_FENCE);
    }
}

static uint16_t number_of(const struct sam_insn *insn, uint8_t slot, bool vector)
{
    const uint16_t base = vector ? VECTOR : 0;
    switch (slot) {
    case SAM_SLOT_RD: return base + insn->rd;
    case SAM_SLOT_RS1: return base + insn->rs1;
    case SAM_SLOT_RS2: return base + insn->rs2;
    case SAM_SLOT_RS3: return base + insn->rs3;
    default: return VECTOR;
    }
}

uint16_t sam_gputime_dest(const struct trait *trait, const struct sam_insn *insn)
{
    return trait->dest ? number_of(insn, SAM_SLOT_RD, trait->dest == 2) : NO_REGISTER;
}

unsigned sam_gputime_sources(const struct trait *trait, const struct sam_insn *insn,
                             uint16_t sources[MOST_SOURCES])
{
    unsigned count = 0;
    for (; count < trait->source_count; count++)
        sources[count] = number_of(insn, trait->sources[count].slot, trait->sources[count].vector);
    if (trait->own_mask && !insn->vm && count < MOST_SOURCES)
        sources[count++] = VECTOR;
    return count;
}
