/* SPDX-License-Identifier: Apache-2.0 */
/* Words to operations: scalar and custom opcodes, prefixes. */
#include "ref_insn.h"

#include <stdio.h>

unsigned ref_bits(uint32_t word, unsigned high, unsigned low)
{
    return (unsigned)(word >> low & ((UINT64_C(1) << (high - low + 1)) - 1));
}

int32_t ref_sext(uint32_t value, unsigned width)
{
    return (int32_t)(value << (32 - width)) >> (32 - width);
}

static unsigned x_register(struct ref_fields *f, unsigned number)
{
    if (number > 63)
        f->bad = true;
    return number;
}

unsigned ref_xd(struct ref_fields *f)
{
    return x_register(f, ref_vd(f));
}

unsigned ref_x1(struct ref_fields *f)
{
    return x_register(f, ref_v1(f));
}

unsigned ref_x2(struct ref_fields *f)
{
    return x_register(f, ref_v2(f));
}

unsigned ref_x3(struct ref_fields *f)
{
    return x_register(f, f->ext_3 << 5 | ref_bits(f->word, 31, 27));
}

unsigned ref_vd(struct ref_fields *f)
{
    return f->ext_d << 5 | ref_bits(f->word, 11, 7);
}

unsigned ref_v1(struct ref_fields *f)
{
    return f->ext_1 << 5 | ref_bits(f->word, 19, 15);
}

unsigned ref_v2(struct ref_fields *f)
{
    return f->ext_2 << 5 | ref_bits(f->word, 24, 20);
}

unsigned ref_vdata(struct ref_fields *f)
{
    return f->ext_3 << 5 | ref_bits(f->word, 11, 7);
}

int32_t ref_imm5(struct ref_fields *f, bool is_signed)
{
    unsigned field = ref_bits(f->word, 19, 15);
    f->widened = true;
    if (f->immediate)
        field |= f->high << 5;
    unsigned width = f->immediate ? 11 : 5;
    return is_signed ? ref_sext(field, width) : (int32_t)field;
}

static int32_t imm_i(uint32_t word)
{
    return (int32_t)word >> 20;
}

static int32_t imm_s(uint32_t word)
{
    return ref_sext(ref_bits(word, 31, 25) << 5 | ref_bits(word, 11, 7), 12);
}

static int32_t imm_b(uint32_t word)
{
    return ref_sext(ref_bits(word, 31, 31) << 12 | ref_bits(word, 7, 7) << 11 |
                        ref_bits(word, 30, 25) << 5 | ref_bits(word, 11, 8) << 1,
                    13);
}

static int32_t imm_j(uint32_t word)
{
    return ref_sext(ref_bits(word, 31, 31) << 20 | ref_bits(word, 19, 12) << 12 |
                        ref_bits(word, 20, 20) << 11 | ref_bits(word, 30, 21) << 1,
                    21);
}

static void decode_op(struct ref_fields *f, struct ref_insn *insn)
{
    static const enum ref_op base[8] = {REF_ADD, REF_SLL, REF_SLT, REF_SLTU,
                                        REF_XOR, REF_SRL, REF_OR,  REF_AND};
    static const enum ref_op multiply[8] = {REF_MUL, REF_MULH, REF_MULHSU, REF_MULHU,
                                            REF_DIV, REF_DIVU, REF_REM,    REF_REMU};
    unsigned funct3 = ref_bits(f->word, 14, 12);
    switch (ref_bits(f->word, 31, 25)) {
    case 0x00: insn->op = base[funct3]; break;
    case 0x01: insn->op = multiply[funct3]; break;
    case 0x20: insn->op = funct3 == 0 ? REF_SUB : funct3 == 5 ? REF_SRA : REF_ILLEGAL; break;
    }
    insn->rd = ref_xd(f);
    insn->rs1 = ref_x1(f);
    insn->rs2 = ref_x2(f);
}

static void decode_opimm(struct ref_fields *f, struct ref_insn *insn)
{
    static const enum ref_op ops[8] = {REF_ADDI, REF_ILLEGAL, REF_SLTI, REF_SLTIU,
                                       REF_XORI, REF_ILLEGAL, REF_ORI,  REF_ANDI};
    unsigned funct3 = ref_bits(f->word, 14, 12), funct7 = ref_bits(f->word, 31, 25);
    insn->rd = ref_xd(f);
    insn->rs1 = ref_x1(f);
    if (funct3 == 1 || funct3 == 5) {
        insn->imm = (int32_t)ref_bits(f->word, 24, 20);
        if (funct7 == 0)
            insn->op = funct3 == 1 ? REF_SLLI : REF_SRLI;
        else if (funct7 == 0x20 && funct3 == 5)
            insn->op = REF_SRAI;
    } else {
        insn->imm = imm_i(f->word);
        insn->op = ops[funct3];
    }
}

static void decode_amo(struct ref_fields *f, struct ref_insn *insn)
{
    if (ref_bits(f->word, 14, 12) != 2)
        return;
    insn->rd = ref_xd(f);
    insn->rs1 = ref_x1(f);
    switch (ref_bits(f->word, 31, 27)) {
    case 0x02:
        if (ref_bits(f->word, 24, 20) == 0)
            insn->op = REF_LR;
        return;
    case 0x03: insn->op = REF_SC; break;
    case 0x01: insn->op = REF_AMOSWAP; break;
    case 0x00: insn->op = REF_AMOADD; break;
    case 0x04: insn->op = REF_AMOXOR; break;
    case 0x0c: insn->op = REF_AMOAND; break;
    case 0x08: insn->op = REF_AMOOR; break;
    case 0x10: insn->op = REF_AMOMIN; break;
    case 0x14: insn->op = REF_AMOMAX; break;
    case 0x18: insn->op = REF_AMOMINU; break;
    case 0x1c: insn->op = REF_AMOMAXU; break;
    }
    insn->rs2 = ref_x2(f);
}

static void decode_system(struct ref_fields *f, struct ref_insn *insn)
{
    static const enum ref_op ops[8] = {REF_ILLEGAL, REF_CSRRW,  REF_CSRRS,  REF_CSRRC,
                                       REF_ILLEGAL, REF_CSRRWI, REF_CSRRSI, REF_CSRRCI};
    unsigned funct3 = ref_bits(f->word, 14, 12);
    insn->op = ops[funct3];
    insn->rd = ref_xd(f);
    insn->csr = ref_bits(f->word, 31, 20);
    if (funct3 < 4)
        insn->rs1 = ref_x1(f);
    else
        insn->imm = ref_imm5(f, false);
}

/* OP-FP of single precision. */
static void decode_float(struct ref_fields *f, struct ref_insn *insn)
{
    unsigned funct3 = ref_bits(f->word, 14, 12), rs2 = ref_bits(f->word, 24, 20);
    bool two = true, rounds = true;
    switch (ref_bits(f->word, 31, 25)) {
    case 0x00: insn->op = REF_FADD; break;
    case 0x04: insn->op = REF_FSUB; break;
    case 0x08: insn->op = REF_FMUL; break;
    case 0x0c: insn->op = REF_FDIV; break;
    case 0x2c:
        two = false;
        insn->op = rs2 == 0 ? REF_FSQRT : REF_ILLEGAL;
        break;
    case 0x10:
        rounds = false;
        insn->op = funct3 == 0   ? REF_FSGNJ
                   : funct3 == 1 ? REF_FSGNJN
                   : funct3 == 2 ? REF_FSGNJX
                                 : REF_ILLEGAL;
        break;
    case 0x14:
        rounds = false;
        insn->op = funct3 == 0 ? REF_FMIN : funct3 == 1 ? REF_FMAX : REF_ILLEGAL;
        break;
    case 0x50:
        rounds = false;
        insn->op = funct3 == 0   ? REF_FLE
                   : funct3 == 1 ? REF_FLT
                   : funct3 == 2 ? REF_FEQ
                                 : REF_ILLEGAL;
        break;
    case 0x60:
        two = false;
        insn->op = rs2 == 0 ? REF_FCVT_W : rs2 == 1 ? REF_FCVT_WU : REF_ILLEGAL;
        break;
    case 0x68:
        two = false;
        insn->op = rs2 == 0 ? REF_FCVT_S_W : rs2 == 1 ? REF_FCVT_S_WU : REF_ILLEGAL;
        break;
    case 0x70:
        two = rounds = false;
        if (rs2 == 0)
            insn->op = funct3 == 0 ? REF_FMV_X_W : funct3 == 1 ? REF_FCLASS : REF_ILLEGAL;
        break;
    case 0x78:
        two = rounds = false;
        insn->op = rs2 == 0 && funct3 == 0 ? REF_FMV_W_X : REF_ILLEGAL;
        break;
    }
    if (rounds)
        insn->rm = funct3;
    insn->rd = ref_xd(f);
    insn->rs1 = ref_x1(f);
    if (two)
        insn->rs2 = ref_x2(f);
}

static void decode_fma(struct ref_fields *f, struct ref_insn *insn, enum ref_op op)
{
    if (ref_bits(f->word, 26, 25) != 0)
        return;
    insn->op = op;
    insn->rd = ref_xd(f);
    insn->rs1 = ref_x1(f);
    insn->rs2 = ref_x2(f);
    insn->rs3 = ref_x3(f);
    insn->rm = ref_bits(f->word, 14, 12);
}

/* CUSTOM-0: prefixes, control, arithmetic (manual 4.2.2 to 4.2.5, rulings 2.1, 2.3). */
static void decode_custom0(struct ref_fields *f, struct ref_insn *insn)
{
    static const enum ref_op prefixes[8] = {
        [2] = REF_REGEXT, [3] = REF_REGEXTI, [5] = REF_REGPAIR, [7] = REF_REGPAIRI};
    unsigned funct3 = ref_bits(f->word, 14, 12), funct7 = ref_bits(f->word, 31, 25);
    switch (funct3) {
    case 0:
    case 1:
        insn->op = funct3 == 0 ? REF_VADD12 : REF_VSUB12;
        insn->rd = ref_vd(f);
        insn->rs1 = ref_v1(f);
        insn->imm = imm_i(f->word);
        break;
    case 4:
        if (funct7 >> 1 == 3) {
            insn->op = REF_VFTTA;
            insn->rd = ref_vd(f);
            insn->rs1 = ref_v1(f);
            insn->rs2 = ref_v2(f);
            insn->vm = funct7 & 1;
        } else if (funct7 == 0) {
            insn->op = REF_ENDPRG;
            insn->rd = ref_xd(f);
            insn->rs1 = ref_x1(f);
            insn->rs2 = ref_x2(f);
        } else if (funct7 == 2 || funct7 == 3) {
            insn->op = funct7 == 2 ? REF_BARRIER : REF_BARRIERSUB;
            insn->rd = ref_xd(f);
            insn->rs2 = ref_x2(f);
            insn->imm = (int32_t)ref_bits(f->word, 19, 15);
        }
        break;
    case 6:
        if (funct7 >> 1 == 2 && ref_bits(f->word, 19, 15) == 0) {
            insn->op = REF_VFEXP;
            insn->rd = ref_vd(f);
            insn->rs2 = ref_v2(f);
            insn->vm = funct7 & 1;
        }
        break;
    default:
        insn->op = prefixes[funct3];
        insn->rd = ref_xd(f);
        insn->rs1 = ref_x1(f);
        insn->imm = (int32_t)ref_bits(f->word, 31, 20);
    }
}

/* CUSTOM-1: private memory (manual 4.2.7, ruling 2.4). */
static void decode_custom1(struct ref_fields *f, struct ref_insn *insn)
{
    static const enum ref_op loads[8] = {REF_VLB,  REF_VLH,  REF_VLW,     REF_ILLEGAL,
                                         REF_VLBU, REF_VLHU, REF_ILLEGAL, REF_ILLEGAL};
    static const enum ref_op stores[8] = {REF_VSB, REF_VSH, REF_VSW};
    unsigned funct3 = ref_bits(f->word, 14, 12);
    insn->rs1 = ref_v1(f);
    if (ref_bits(f->word, 31, 31) == 0) {
        insn->op = loads[funct3];
        insn->rd = ref_vd(f);
        insn->imm = ref_sext(ref_bits(f->word, 30, 20), 11);
    } else {
        insn->op = stores[funct3];
        insn->rs2 = ref_v2(f);
        insn->imm = ref_sext(ref_bits(f->word, 30, 25) << 5 | ref_bits(f->word, 11, 7), 11);
    }
}

/* CUSTOM-2: branches and the SIMT stack (manual 4.2.1). */
static void decode_custom2(struct ref_fields *f, struct ref_insn *insn)
{
    static const enum ref_op ops[8] = {REF_VBEQ, REF_VBNE, REF_JOIN,  REF_SETRPC,
                                       REF_VBLT, REF_VBGE, REF_VBLTU, REF_VBGEU};
    unsigned funct3 = ref_bits(f->word, 14, 12);
    insn->op = ops[funct3];
    switch (funct3) {
    case 2:
        insn->rs1 = ref_x1(f);
        insn->rs2 = ref_x2(f);
        insn->imm = imm_s(f->word);
        break;
    case 3:
        insn->rd = ref_xd(f);
        insn->rs1 = ref_x1(f);
        insn->imm = imm_i(f->word);
        break;
    default:
        insn->rs1 = ref_v1(f);
        insn->rs2 = ref_v2(f);
        insn->imm = imm_b(f->word);
    }
}

/* CUSTOM-3: gather and scatter with an immediate (manual 4.2.6). */
static void decode_custom3(struct ref_fields *f, struct ref_insn *insn)
{
    static const enum ref_op ops[8] = {REF_VLB12,  REF_VLH12,  REF_VLW12, REF_VSH12,
                                       REF_VLBU12, REF_VLHU12, REF_VSW12, REF_VSB12};
    unsigned funct3 = ref_bits(f->word, 14, 12);
    insn->op = ops[funct3];
    insn->rs1 = ref_v1(f);
    if (funct3 == 3 || funct3 == 6 || funct3 == 7) {
        insn->rs2 = ref_v2(f);
        insn->imm = imm_s(f->word);
    } else {
        insn->rd = ref_vd(f);
        insn->imm = imm_i(f->word);
    }
}

static void decode_base(struct ref_fields *f, struct ref_insn *insn)
{
    static const enum ref_op loads[8] = {REF_LB, REF_LH, REF_LW, REF_ILLEGAL, REF_LBU, REF_LHU};
    static const enum ref_op stores[8] = {REF_SB, REF_SH, REF_SW};
    static const enum ref_op branches[8] = {REF_BEQ, REF_BNE, REF_ILLEGAL, REF_ILLEGAL,
                                            REF_BLT, REF_BGE, REF_BLTU,    REF_BGEU};
    uint32_t word = f->word;
    unsigned funct3 = ref_bits(word, 14, 12);
    switch (ref_bits(word, 6, 0)) {
    case 0x37:
    case 0x17:
        insn->op = ref_bits(word, 6, 0) == 0x37 ? REF_LUI : REF_AUIPC;
        insn->rd = ref_xd(f);
        insn->imm = (int32_t)(word & 0xfffff000u);
        break;
    case 0x6f:
        insn->op = REF_JAL;
        insn->rd = ref_xd(f);
        insn->imm = imm_j(word);
        break;
    case 0x67:
        insn->op = funct3 == 0 ? REF_JALR : REF_ILLEGAL;
        insn->rd = ref_xd(f);
        insn->rs1 = ref_x1(f);
        insn->imm = imm_i(word);
        break;
    case 0x63:
        insn->op = branches[funct3];
        insn->rs1 = ref_x1(f);
        insn->rs2 = ref_x2(f);
        insn->imm = imm_b(word);
        break;
    case 0x03:
        insn->op = loads[funct3];
        insn->rd = ref_xd(f);
        insn->rs1 = ref_x1(f);
        insn->imm = imm_i(word);
        break;
    case 0x23:
        insn->op = stores[funct3];
        insn->rs1 = ref_x1(f);
        insn->rs2 = ref_x2(f);
        insn->imm = imm_s(word);
        break;
    case 0x0f:
        if (word == 0x8330000fu)
            insn->op = REF_FENCE_TSO;
        else if (funct3 < 2)
            insn->op = funct3 == 0 ? REF_FENCE : REF_FENCE_I;
        break;
    }
}

static void decode_word(struct ref_fields *f, struct ref_insn *insn)
{
    switch (ref_bits(f->word, 6, 0)) {
    case 0x33: decode_op(f, insn); break;
    case 0x13: decode_opimm(f, insn); break;
    case 0x2f: decode_amo(f, insn); break;
    case 0x73: decode_system(f, insn); break;
    case 0x53: decode_float(f, insn); break;
    case 0x43: decode_fma(f, insn, REF_FMADD); break;
    case 0x47: decode_fma(f, insn, REF_FMSUB); break;
    case 0x4b: decode_fma(f, insn, REF_FNMSUB); break;
    case 0x4f: decode_fma(f, insn, REF_FNMADD); break;
    case 0x07:
    case 0x27: /* FLW and FSW share their opcodes with the vector loads and stores */
        if (ref_bits(f->word, 14, 12) != 2) {
            ref_decode_vmem(f, insn);
        } else if (ref_bits(f->word, 6, 0) == 0x07) {
            insn->op = REF_FLW;
            insn->rd = ref_xd(f);
            insn->rs1 = ref_x1(f);
            insn->imm = imm_i(f->word);
        } else {
            insn->op = REF_FSW;
            insn->rs1 = ref_x1(f);
            insn->rs2 = ref_x2(f);
            insn->imm = imm_s(f->word);
        }
        break;
    case 0x57: ref_decode_opv(f, insn); break;
    case 0x0b: decode_custom0(f, insn); break;
    case 0x2b: decode_custom1(f, insn); break;
    case 0x5b: decode_custom2(f, insn); break;
    case 0x7b: decode_custom3(f, insn); break;
    default: decode_base(f, insn);
    }
}

static bool is_prefix(enum ref_op op)
{
    return op == REF_REGEXT || op == REF_REGEXTI || op == REF_REGPAIR || op == REF_REGPAIRI;
}

void ref_name(const struct ref_insn *insn, char *text, size_t size)
{
    static const char *const names[REF_OP_COUNT] = {
#define REF_OP(id, text) [REF_##id] = text,
#include "ref_ops.def"
#undef REF_OP
    };
    const char *suffix = "";
    bool carries = insn->op == REF_VADC || insn->op == REF_VMADC || insn->op == REF_VSBC ||
                   insn->op == REF_VMSBC || insn->op == REF_VMERGE;
    bool masked = carries && !insn->vm;
    bool is_float = insn->op >= REF_VFADD && insn->op <= REF_VFNMSAC;
    if (insn->op == REF_VMV_V)
        suffix = insn->form == REF_FORM_V ? ".v" : insn->form == REF_FORM_X ? ".x" : ".i";
    else if (insn->op == REF_VFMERGE)
        suffix = ".vfm";
    else if (insn->form == REF_FORM_V)
        suffix = masked ? ".vvm" : ".vv";
    else if (insn->form == REF_FORM_X)
        suffix = is_float ? ".vf" : masked ? ".vxm" : ".vx";
    else if (insn->form == REF_FORM_I)
        suffix = masked ? ".vim" : ".vi";
    snprintf(text, size, "%s%s", names[insn->op] ? names[insn->op] : "", suffix);
}

struct ref_insn ref_decode(uint32_t word, uint32_t prefix)
{
    struct ref_insn insn = {.vm = true, .rm = 7};
    struct ref_insn none = {.vm = true, .rm = 7};
    struct ref_fields f = {.word = word};
    if (prefix) {
        unsigned funct3 = ref_bits(prefix, 14, 12), imm = ref_bits(prefix, 31, 20);
        insn.pair = funct3 == 5 || funct3 == 7;
        f.immediate = funct3 == 3 || funct3 == 7;
        f.ext_d = ref_bits(imm, 2, 0);
        if (f.immediate) {
            f.high = ref_bits(imm, 11, 6);
            f.ext_2 = ref_bits(imm, 5, 3);
        } else {
            f.ext_1 = ref_bits(imm, 5, 3);
            f.ext_2 = ref_bits(imm, 8, 6);
            f.ext_3 = ref_bits(imm, 11, 9);
        }
    }
    decode_word(&f, &insn);
    if (insn.op == REF_ILLEGAL || f.bad || insn.rm == 5 || insn.rm == 6)
        return none;
    if (prefix && is_prefix(insn.op))
        return none;
    if (f.immediate && !f.widened)
        return none;
    return insn;
}

bool ref_can_pair(enum ref_op op)
{
    switch (op) {
    case REF_LW:
    case REF_FLW:
    case REF_SW:
    case REF_FSW:
    case REF_VLW12:
    case REF_VSW12:
    case REF_VLW:
    case REF_VSW:
    case REF_ADD:
    case REF_ADDI:
    case REF_SUB:
    case REF_AND:
    case REF_ANDI:
    case REF_OR:
    case REF_ORI:
    case REF_XOR:
    case REF_XORI:
    case REF_SLL:
    case REF_SLLI:
    case REF_SRL:
    case REF_SRLI:
    case REF_SRA:
    case REF_SRAI:
    case REF_SLT:
    case REF_SLTI:
    case REF_SLTU:
    case REF_SLTIU:
    case REF_MUL:
    case REF_VADD:
    case REF_VSUB:
    case REF_VRSUB:
    case REF_VAND:
    case REF_VOR:
    case REF_VXOR:
    case REF_VSLL:
    case REF_VSRL:
    case REF_VSRA:
    case REF_VMUL:
    case REF_VADD12:
    case REF_VSUB12:
    case REF_VMSEQ:
    case REF_VMSNE:
    case REF_VMSLTU:
    case REF_VMSLT:
    case REF_VMSLEU:
    case REF_VMSLE:
    case REF_VMSGTU:
    case REF_VMSGT: return true;
    default: return false;
    }
}
