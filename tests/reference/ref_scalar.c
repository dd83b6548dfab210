/* SPDX-License-Identifier: Apache-2.0 */
/* RV32IMA_Zfinx on a warp's x registers. */
#include "ref_machine.h"

uint32_t ref_x(const struct ref_warp *w, unsigned number)
{
    return number == 0 ? 0 : w->x[number];
}

void ref_set_x(struct ref_warp *w, unsigned number, uint32_t value)
{
    if (number != 0)
        w->x[number] = value;
}

bool ref_jump(struct ref_warp *w, uint32_t target, uint32_t *next)
{
    if (target % 4 != 0)
        return ref_trap(w, SAM_TRAP_FETCH_MISALIGNED, REF_NO_LANE, target);
    *next = target;
    return true;
}

static bool branch_holds(enum ref_op op, uint32_t a, uint32_t b)
{
    switch (op) {
    case REF_BEQ: return a == b;
    case REF_BNE: return a != b;
    case REF_BLT: return (int32_t)a < (int32_t)b;
    case REF_BGE: return (int32_t)a >= (int32_t)b;
    case REF_BLTU: return a < b;
    default: return a >= b;
    }
}

static bool load(struct ref_warp *w, const struct ref_insn *insn, uint32_t address)
{
    uint64_t value;
    unsigned size = 4;
    if (insn->op == REF_LB || insn->op == REF_LBU)
        size = 1;
    if (insn->op == REF_LH || insn->op == REF_LHU)
        size = 2;
    if (!ref_load(w, address, size, REF_NO_LANE, &value))
        return false;
    if (insn->op == REF_LB)
        value = (uint32_t)ref_sext((uint32_t)value, 8);
    if (insn->op == REF_LH)
        value = (uint32_t)ref_sext((uint32_t)value, 16);
    ref_set_x(w, insn->rd, (uint32_t)value);
    return true;
}

static uint32_t divide(enum ref_op op, uint32_t a, uint32_t b)
{
    int64_t sa = (int32_t)a, sb = (int32_t)b; /* -2^31 / -1 fits here and wraps below */
    switch (op) {
    case REF_DIV: return sb == 0 ? UINT32_MAX : (uint32_t)(sa / sb);
    case REF_DIVU: return b == 0 ? UINT32_MAX : a / b;
    case REF_REM: return sb == 0 ? a : (uint32_t)(sa % sb);
    default: return b == 0 ? a : a % b;
    }
}

static bool compute(struct ref_warp *w, const struct ref_insn *insn)
{
    uint32_t a = ref_x(w, insn->rs1), b = ref_x(w, insn->rs2), i = (uint32_t)insn->imm, r;
    switch (insn->op) {
    case REF_LUI: r = i; break;
    case REF_AUIPC: r = w->pc + i; break;
    case REF_ADDI: r = a + i; break;
    case REF_SLTI: r = (int32_t)a < insn->imm; break;
    case REF_SLTIU: r = a < i; break;
    case REF_XORI: r = a ^ i; break;
    case REF_ORI: r = a | i; break;
    case REF_ANDI: r = a & i; break;
    case REF_SLLI: r = a << i; break;
    case REF_SRLI: r = a >> i; break;
    case REF_SRAI: r = (uint32_t)((int32_t)a >> i); break;
    case REF_ADD: r = a + b; break;
    case REF_SUB: r = a - b; break;
    case REF_SLL: r = a << (b & 31); break;
    case REF_SLT: r = (int32_t)a < (int32_t)b; break;
    case REF_SLTU: r = a < b; break;
    case REF_XOR: r = a ^ b; break;
    case REF_SRL: r = a >> (b & 31); break;
    case REF_SRA: r = (uint32_t)((int32_t)a >> (b & 31)); break;
    case REF_OR: r = a | b; break;
    case REF_AND: r = a & b; break;
    case REF_MUL: r = (uint32_t)((uint64_t)a * b); break;
    case REF_MULH: r = (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32); break;
    case REF_MULHSU: r = (uint32_t)((int64_t)(int32_t)a * (int64_t)b >> 32); break;
    case REF_MULHU: r = (uint32_t)((uint64_t)a * b >> 32); break;
    case REF_DIV:
    case REF_DIVU:
    case REF_REM:
    case REF_REMU: r = divide(insn->op, a, b); break;
    default: return ref_illegal(w);
    }
    ref_set_x(w, insn->rd, r);
    return true;
}

static bool atomic(struct ref_warp *w, const struct ref_insn *insn)
{
    uint32_t address = ref_x(w, insn->rs1), b = ref_x(w, insn->rs2), at;
    enum ref_access access = insn->op == REF_LR   ? REF_LOAD
                             : insn->op == REF_SC ? REF_STORE
                                                  : REF_AMO;
    if (!ref_check(w, address, 4, access, REF_NO_LANE, &at))
        return false;
    uint32_t old = (uint32_t)ref_get(w, at, 4), new = old;
    if (insn->op == REF_LR) {
        w->reserved = true;
        w->reservation = at;
        ref_set_x(w, insn->rd, old);
        return true;
    }
    if (insn->op == REF_SC) {
        bool done = w->reserved && w->reservation == at;
        w->reserved = false;
        if (done)
            ref_put(w, at, 4, b);
        ref_set_x(w, insn->rd, !done);
        return true;
    }
    switch (insn->op) {
    case REF_AMOSWAP: new = b; break;
    case REF_AMOADD: new = old + b; break;
    case REF_AMOXOR: new = old ^ b; break;
    case REF_AMOAND: new = old &b; break;
    case REF_AMOOR: new = old | b; break;
    case REF_AMOMIN: new = (int32_t)old < (int32_t)b ? old : b; break;
    case REF_AMOMAX: new = (int32_t)old > (int32_t)b ? old : b; break;
    case REF_AMOMINU: new = old < b ? old : b; break;
    case REF_AMOMAXU: new = old > b ? old : b; break;
    default: return ref_illegal(w);
    }
    ref_put(w, at, 4, new);
    ref_set_x(w, insn->rd, old);
    return true;
}

static bool is_atomic(enum ref_op op)
{
    return op >= REF_LR && op <= REF_AMOMAXU;
}

static bool is_float(enum ref_op op)
{
    return (op >= REF_FADD && op <= REF_FNMADD) || op == REF_FMV_X_W || op == REF_FMV_W_X;
}

static bool rounds(enum ref_op op)
{
    switch (op) {
    case REF_FADD:
    case REF_FSUB:
    case REF_FMUL:
    case REF_FDIV:
    case REF_FSQRT:
    case REF_FCVT_W:
    case REF_FCVT_WU:
    case REF_FCVT_S_W:
    case REF_FCVT_S_WU:
    case REF_FMADD:
    case REF_FMSUB:
    case REF_FNMSUB:
    case REF_FNMADD: return true;
    default: return false;
    }
}

static bool float_exec(struct ref_warp *w, const struct ref_insn *insn)
{
    const uint32_t sign = 0x80000000u;
    struct ref_fp fp = {insn->rm == 7 ? w->frm : insn->rm, 0};
    if (rounds(insn->op) && fp.rm > REF_RMM)
        return ref_illegal(w);
    uint32_t a = ref_x(w, insn->rs1), b = ref_x(w, insn->rs2), c = ref_x(w, insn->rs3), r;
    switch (insn->op) {
    case REF_FADD: r = ref_fadd(&fp, a, b); break;
    case REF_FSUB: r = ref_fsub(&fp, a, b); break;
    case REF_FMUL: r = ref_fmul(&fp, a, b); break;
    case REF_FDIV: r = ref_fdiv(&fp, a, b); break;
    case REF_FSQRT: r = ref_fsqrt(&fp, a); break;
    case REF_FSGNJ: r = (a & ~sign) | (b & sign); break;
    case REF_FSGNJN: r = (a & ~sign) | (~b & sign); break;
    case REF_FSGNJX: r = a ^ (b & sign); break;
    case REF_FMIN: r = ref_fmin(&fp, a, b); break;
    case REF_FMAX: r = ref_fmax(&fp, a, b); break;
    case REF_FLE: r = ref_fle(&fp, a, b); break;
    case REF_FLT: r = ref_flt(&fp, a, b); break;
    case REF_FEQ: r = ref_feq(&fp, a, b); break;
    case REF_FCLASS: r = ref_fclass(a); break;
    case REF_FCVT_W: r = ref_to_int(&fp, a, true); break;
    case REF_FCVT_WU: r = ref_to_int(&fp, a, false); break;
    case REF_FCVT_S_W: r = ref_from_int(&fp, a, true); break;
    case REF_FCVT_S_WU: r = ref_from_int(&fp, a, false); break;
    case REF_FMADD: r = ref_fma(&fp, a, b, c); break;
    case REF_FMSUB: r = ref_fma(&fp, a, b, c ^ sign); break;
    case REF_FNMSUB: r = ref_fma(&fp, a ^ sign, b, c); break;
    case REF_FNMADD: r = ref_fma(&fp, a ^ sign, b, c ^ sign); break;
    case REF_FMV_X_W:
    case REF_FMV_W_X: r = a; break;
    default: return ref_illegal(w);
    }
    w->fflags |= fp.flags;
    ref_set_x(w, insn->rd, r);
    return true;
}

bool ref_scalar_exec(struct ref_warp *w, const struct ref_insn *insn, uint32_t *next)
{
    uint32_t base = ref_x(w, insn->rs1) + (uint32_t)insn->imm, link = w->pc + 4;
    switch (insn->op) {
    case REF_JAL:
        if (!ref_jump(w, w->pc + (uint32_t)insn->imm, next))
            return false;
        ref_set_x(w, insn->rd, link);
        return true;
    case REF_JALR:
        if (!ref_jump(w, base & ~1u, next))
            return false;
        ref_set_x(w, insn->rd, link);
        return true;
    case REF_BEQ:
    case REF_BNE:
    case REF_BLT:
    case REF_BGE:
    case REF_BLTU:
    case REF_BGEU:
        if (!branch_holds(insn->op, ref_x(w, insn->rs1), ref_x(w, insn->rs2)))
            return true;
        return ref_jump(w, w->pc + (uint32_t)insn->imm, next);
    case REF_LB:
    case REF_LH:
    case REF_LW:
    case REF_LBU:
    case REF_LHU:
    case REF_FLW: return load(w, insn, base);
    case REF_SB: return ref_store(w, base, 1, REF_NO_LANE, ref_x(w, insn->rs2));
    case REF_SH: return ref_store(w, base, 2, REF_NO_LANE, ref_x(w, insn->rs2));
    case REF_SW:
    case REF_FSW: return ref_store(w, base, 4, REF_NO_LANE, ref_x(w, insn->rs2));
    case REF_FENCE:
    case REF_FENCE_TSO:
    case REF_FENCE_I: return true;
    default: break;
    }
    if (is_atomic(insn->op))
        return atomic(w, insn);
    if (is_float(insn->op))
        return float_exec(w, insn);
    return compute(w, insn);
}
