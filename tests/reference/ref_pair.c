/* SPDX-License-Identifier: Apache-2.0 */
/* Register pairs (manual 4.2.3, ruling 2.11): an even register n names {n+1, n}, an odd one stays
 * 32-bit: sign-extended as a source, the low word as a destination. x0 is a 64-bit zero. */
#include "ref_machine.h"

static uint64_t sext64(uint32_t value)
{
    return (uint64_t)(int64_t)(int32_t)value;
}

static uint64_t pair_x(const struct ref_warp *w, unsigned n)
{
    if (n == 0)
        return 0;
    if (n & 1)
        return sext64(w->x[n]);
    return (uint64_t)w->x[n + 1] << 32 | w->x[n];
}

static void set_pair_x(struct ref_warp *w, unsigned n, uint64_t value)
{
    if (n == 0)
        return;
    w->x[n] = (uint32_t)value;
    if (!(n & 1))
        w->x[n + 1] = (uint32_t)(value >> 32);
}

static uint64_t pair_v(const struct ref_warp *w, unsigned n, unsigned lane)
{
    if (n & 1)
        return sext64(w->v[n][lane]);
    return (uint64_t)w->v[n + 1][lane] << 32 | w->v[n][lane];
}

static void set_pair_v(struct ref_warp *w, unsigned n, unsigned lane, uint64_t value)
{
    w->v[n][lane] = (uint32_t)value;
    if (!(n & 1))
        w->v[n + 1][lane] = (uint32_t)(value >> 32);
}

/* a OP b; for a vector instruction a is vs2. */
static bool compute(enum ref_op op, uint64_t a, uint64_t b, uint64_t *r)
{
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    switch (op) {
    case REF_ADD:
    case REF_ADDI:
    case REF_VADD:
    case REF_VADD12: *r = a + b; break;
    case REF_SUB:
    case REF_VSUB:
    case REF_VSUB12: *r = a - b; break;
    case REF_VRSUB: *r = b - a; break;
    case REF_AND:
    case REF_ANDI:
    case REF_VAND: *r = a & b; break;
    case REF_OR:
    case REF_ORI:
    case REF_VOR: *r = a | b; break;
    case REF_XOR:
    case REF_XORI:
    case REF_VXOR: *r = a ^ b; break;
    case REF_SLL:
    case REF_SLLI:
    case REF_VSLL: *r = a << (b & 63); break;
    case REF_SRL:
    case REF_SRLI:
    case REF_VSRL: *r = a >> (b & 63); break;
    case REF_SRA:
    case REF_SRAI:
    case REF_VSRA: *r = (uint64_t)(sa >> (b & 63)); break;
    case REF_MUL:
    case REF_VMUL: *r = a * b; break;
    case REF_SLT:
    case REF_SLTI:
    case REF_VMSLT: *r = sa < sb; break;
    case REF_SLTU:
    case REF_SLTIU:
    case REF_VMSLTU: *r = a < b; break;
    case REF_VMSEQ: *r = a == b; break;
    case REF_VMSNE: *r = a != b; break;
    case REF_VMSLEU: *r = a <= b; break;
    case REF_VMSLE: *r = sa <= sb; break;
    case REF_VMSGTU: *r = a > b; break;
    case REF_VMSGT: *r = sa > sb; break;
    default: return false;
    }
    return true;
}

/* A word, or the two words of a pair, at addresses[0] and [1]: all are checked before any is
 * moved. */
static bool words(struct ref_warp *w, const uint32_t *addresses, unsigned count, bool load,
                  uint32_t lane, uint64_t *value)
{
    uint32_t physical[2];
    for (unsigned i = 0; i < count; i++)
        if (!ref_check(w, addresses[i], 4, load ? REF_LOAD : REF_STORE, lane, &physical[i]))
            return false;
    if (load)
        *value = 0;
    for (unsigned i = 0; i < count; i++) {
        if (load)
            *value |= ref_get(w, physical[i], 4) << 32 * i;
        else
            ref_put(w, physical[i], 4, *value >> 32 * i);
    }
    return true;
}

static bool scalar(struct ref_warp *w, const struct ref_insn *insn)
{
    uint32_t address = ref_x(w, insn->rs1) + (uint32_t)insn->imm;
    uint32_t addresses[2] = {address, address + 4};
    uint64_t value;
    switch (insn->op) {
    case REF_LW:
    case REF_FLW:
        if (!words(w, addresses, (insn->rd & 1) ? 1 : 2, true, REF_NO_LANE, &value))
            return false;
        set_pair_x(w, insn->rd, value);
        return true;
    case REF_SW:
    case REF_FSW:
        value = pair_x(w, insn->rs2);
        return words(w, addresses, (insn->rs2 & 1) ? 1 : 2, false, REF_NO_LANE, &value);
    case REF_ADDI:
    case REF_ANDI:
    case REF_ORI:
    case REF_XORI:
    case REF_SLTI:
    case REF_SLTIU:
    case REF_SLLI:
    case REF_SRLI:
    case REF_SRAI: value = (uint64_t)(int64_t)insn->imm; break;
    default: value = pair_x(w, insn->rs2);
    }
    if (!compute(insn->op, pair_x(w, insn->rs1), value, &value))
        return ref_illegal(w);
    set_pair_x(w, insn->rd, value);
    return true;
}

/* One lane of VLW12, VSW12, VLW.V, VSW.V. */
static bool memory_lane(struct ref_warp *w, const struct ref_insn *insn, unsigned lane)
{
    bool load = insn->op == REF_VLW12 || insn->op == REF_VLW;
    bool private = insn->op == REF_VLW || insn->op == REF_VSW;
    unsigned data = load ? insn->rd : insn->rs2, count = (data & 1) ? 1 : 2;
    uint32_t a = w->v[insn->rs1][lane] + (uint32_t)insn->imm, addresses[2] = {a, a + 4};
    uint64_t value = load ? 0 : pair_v(w, data, lane);
    for (unsigned i = 0; private && i < count; i++)
        if (!ref_private(w, a + 4 * i, 4, load, lane, &addresses[i]))
            return false;
    if (!words(w, addresses, count, load, lane, &value))
        return false;
    if (load)
        set_pair_v(w, data, lane, value);
    return true;
}

static bool vector(struct ref_warp *w, const struct ref_insn *insn)
{
    bool memory = ref_is_vmem(insn->op);
    bool custom = insn->op == REF_VADD12 || insn->op == REF_VSUB12;
    if (!ref_vtype_ok(w) || ref_lmul(w) != 1)
        return ref_illegal(w);
    uint32_t v0[2 * SAM_MAX_LANES];
    ref_copy_mask(w, v0);
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        uint64_t r;
        if (!ref_active(w, insn, lane, v0))
            continue;
        if (memory) {
            if (!memory_lane(w, insn, lane))
                return false;
            continue;
        }
        uint64_t a = pair_v(w, custom ? insn->rs1 : insn->rs2, lane);
        uint64_t b = insn->form == REF_FORM_V   ? pair_v(w, insn->rs1, lane)
                     : insn->form == REF_FORM_X ? pair_x(w, insn->rs1)
                                                : (uint64_t)(int64_t)insn->imm;
        if (!compute(insn->op, a, b, &r))
            return ref_illegal(w);
        set_pair_v(w, insn->rd, lane, r);
    }
    return true;
}

bool ref_pair_exec(struct ref_warp *w, const struct ref_insn *insn)
{
    if (!ref_can_pair(insn->op))
        return ref_illegal(w);
    bool is_vector = ref_is_vmem(insn->op) || insn->form != REF_FORM_NONE ||
                     insn->op == REF_VADD12 || insn->op == REF_VSUB12;
    return is_vector ? vector(w, insn) : scalar(w, insn);
}
