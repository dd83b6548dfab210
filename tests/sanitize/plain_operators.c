/* SPDX-License-Identifier: Apache-2.0 */
#include "plain_operators.h"

#include "plain_bits.h"

static bool f_and(bool a, bool b)
{
    return a && b;
}
static bool f_andn(bool a, bool b)
{
    return a && !b;
}
static bool f_or(bool a, bool b)
{
    return a || b;
}
static bool f_orn(bool a, bool b)
{
    return a || !b;
}
static bool f_xor(bool a, bool b)
{
    return a != b;
}

static uint64_t each(const struct bits *a, const struct bits *b, bool (*f)(bool, bool))
{
    const struct bits result = bits_each(a, b, f);
    return bits_undefined(&result, WIDE);
}

static uint64_t shifted(enum ref_op op, uint64_t a_open, const struct bits *b, unsigned width)
{
    const unsigned bits = width == 32 ? 5 : 6;
    uint64_t out = 0;
    if (bits_undefined(b, bits))
        return UINT64_MAX;
    const unsigned by = (unsigned)bits_least(b, bits);
    for (unsigned i = 0; i < width; i++) {
        unsigned from = width; /* no bit */
        if (op == REF_SLL && i >= by)
            from = i - by;
        else if (op != REF_SLL && i + by < width)
            from = i + by;
        else if (op == REF_SRA)
            from = width - 1;
        if (from < width && (a_open >> from & 1))
            out |= UINT64_C(1) << i;
    }
    return out;
}

/* The scalar operation with the same result, if the rules have one. */
static enum ref_op plain_op(enum ref_op op)
{
    switch (op) {
    case REF_ADDI:
    case REF_VADD:
    case REF_VADD12: return REF_ADD;
    case REF_VSUB:
    case REF_VSUB12: return REF_SUB;
    case REF_ANDI:
    case REF_VAND: return REF_AND;
    case REF_ORI:
    case REF_VOR: return REF_OR;
    case REF_XORI:
    case REF_VXOR: return REF_XOR;
    case REF_SLLI:
    case REF_VSLL: return REF_SLL;
    case REF_SRLI:
    case REF_VSRL: return REF_SRL;
    case REF_SRAI:
    case REF_VSRA: return REF_SRA;
    case REF_VMUL: return REF_MUL;
    case REF_BNE:
    case REF_VBEQ:
    case REF_VBNE:
    case REF_VMSEQ:
    case REF_VMSNE: return REF_BEQ;
    case REF_SLTI:
    case REF_SLT:
    case REF_BGE:
    case REF_VBLT:
    case REF_VBGE:
    case REF_VMSLT: return REF_BLT;
    case REF_SLTIU:
    case REF_SLTU:
    case REF_BGEU:
    case REF_VBLTU:
    case REF_VBGEU:
    case REF_VMSLTU: return REF_BLTU;
    case REF_VMSLE: return REF_VMSGT;
    case REF_VMSLEU: return REF_VMSGTU;
    case REF_VMNAND: return REF_VMAND;
    case REF_VMNOR: return REF_VMOR;
    case REF_VMXNOR: return REF_VMXOR;
    case REF_FSGNJN:
    case REF_VFSGNJ:
    case REF_VFSGNJN: return REF_FSGNJ;
    case REF_VFSGNJX: return REF_FSGNJX;
    case REF_VFMERGE: return REF_VMERGE;
    default: return op;
    }
}

uint64_t plain_result(enum ref_op op, struct number a, struct number b, struct number c,
                      unsigned width, bool one)
{
    const struct bits x = bits_of(a.value, a.open), y = bits_of(b.value, b.open);
    const uint64_t any = a.open | b.open | c.open, sign = UINT64_C(1) << (width - 1);
    struct bits sum;
    struct bits_order order;
    switch (plain_op(op)) {
    case REF_ADD: sum = bits_sum(&x, &y, false); return bits_undefined(&sum, width);
    case REF_SUB: sum = bits_sum(&x, &y, true); return one ? 0 : bits_undefined(&sum, width);
    case REF_VRSUB: sum = bits_sum(&y, &x, true); return one ? 0 : bits_undefined(&sum, width);
    case REF_AND: return each(&x, &y, f_and);
    case REF_OR: return each(&x, &y, f_or);
    case REF_XOR: return one ? 0 : each(&x, &y, f_xor);
    case REF_VMAND: return each(&x, &y, f_and) & 1;
    case REF_VMANDN: return one ? 0 : each(&x, &y, f_andn) & 1;
    case REF_VMOR: return each(&x, &y, f_or) & 1;
    case REF_VMORN: return one ? 0 : each(&x, &y, f_orn) & 1;
    case REF_VMXOR: return one ? 0 : each(&x, &y, f_xor) & 1;
    case REF_SLL:
    case REF_SRL:
    case REF_SRA: return shifted(plain_op(op), a.open, &y, width);
    case REF_MUL: { /* all bits from the lowest partial product on that is not known to be 0 */
        uint64_t out = 0;
        for (unsigned i = 0; i < width; i++)
            for (unsigned k = 0; i + k < width; k++)
                if (x.may[i][1] && y.may[k][1] && (x.may[i][0] || y.may[k][0]))
                    out |= UINT64_MAX << (i + k);
        return out;
    }
    case REF_BEQ:
        order = bits_compare(&x, &y, width, false);
        return !one && order.equal && (order.less || order.greater);
    case REF_BLT:
    case REF_BLTU:
        order = bits_compare(&x, &y, width, plain_op(op) == REF_BLT);
        return !one && order.less && (order.equal || order.greater);
    case REF_VMSGT:
    case REF_VMSGTU:
        order = bits_compare(&x, &y, width, plain_op(op) == REF_VMSGT);
        return !one && order.greater && (order.equal || order.less);
    case REF_VMV_V:
    case REF_VMV_S_X:
    case REF_VFMV_S_F:
    case REF_VFMV_V_F: return b.open;
    case REF_FMV_X_W:
    case REF_FMV_W_X: return a.open;
    case REF_VMERGE:
        if (c.open)
            return a.open | b.open | (a.value ^ b.value);
        return c.value ? b.open : a.open;
    case REF_VZEXT_VF4: return a.open & 0xff;
    case REF_VZEXT_VF2: return a.open & 0xffff;
    case REF_VSEXT_VF4: return (a.open & 0xff) | (a.open & 0x80 ? 0xffffff00 : 0);
    case REF_VSEXT_VF2: return (a.open & 0xffff) | (a.open & 0x8000 ? 0xffff0000 : 0);
    case REF_FSGNJ: return (a.open & ~sign) | (b.open & sign);
    case REF_FSGNJX: return one ? a.open & ~sign : a.open | (b.open & sign);
    case REF_VMADC:
    case REF_VMSBC:
    case REF_FEQ:
    case REF_FLT:
    case REF_FLE:
    case REF_VMFEQ:
    case REF_VMFNE:
    case REF_VMFLT:
    case REF_VMFLE:
    case REF_VMFGT:
    case REF_VMFGE: return any != 0;
    default: return any ? UINT64_MAX : 0;
    }
}
