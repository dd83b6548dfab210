/* SPDX-License-Identifier: Apache-2.0 */
/* 64-bit integers as pairs of words, the low one first. */
#include "cc/cc.h"

static void add(struct cc_function *f, const struct cc_opnd a[2], const struct cc_opnd b[2],
                struct cc_opnd out[2])
{
    out[0] = sam_cc_op(f, OP_ADD, a[0], b[0]);
    const struct cc_opnd carry = sam_cc_icmp(f, LL_ULT, out[0], a[0]);
    out[1] = sam_cc_op(f, OP_ADD, sam_cc_op(f, OP_ADD, a[1], b[1]), carry);
}

static void sub(struct cc_function *f, const struct cc_opnd a[2], const struct cc_opnd b[2],
                struct cc_opnd out[2])
{
    const struct cc_opnd borrow = sam_cc_icmp(f, LL_ULT, a[0], b[0]);
    out[0] = sam_cc_op(f, OP_SUB, a[0], b[0]);
    out[1] = sam_cc_op(f, OP_SUB, sam_cc_op(f, OP_SUB, a[1], b[1]), borrow);
}

static void mul(struct cc_function *f, const struct cc_opnd a[2], const struct cc_opnd b[2],
                bool is_signed, struct cc_opnd out[2])
{
    out[0] = sam_cc_op(f, OP_MUL, a[0], b[0]);
    if (is_signed) {
        out[1] = sam_cc_op(f, OP_MULH, a[0], b[0]);
        return;
    }
    out[1] = sam_cc_op(f, OP_MULHU, a[0], b[0]);
    out[1] = sam_cc_op(f, OP_ADD, out[1], sam_cc_op(f, OP_MUL, a[0], b[1]));
    out[1] = sam_cc_op(f, OP_ADD, out[1], sam_cc_op(f, OP_MUL, a[1], b[0]));
}

void sam_cc_wide_shift(struct cc_function *f, int opcode, const struct cc_opnd a[2],
                       struct cc_opnd n, struct cc_opnd out[2])
{
    const struct cc_opnd zero = sam_cc_imm(0), one = sam_cc_imm(1);
    const bool left = opcode == LL_SHL;
    const enum cc_op shift = left ? OP_SLL : opcode == LL_ASHR ? OP_SRA : OP_SRL;
    const struct cc_opnd near = left ? a[0] : a[1], far = left ? a[1] : a[0];
    const struct cc_opnd fill =
        opcode == LL_ASHR ? sam_cc_op(f, OP_SRA, a[1], sam_cc_imm(31)) : zero;
    struct cc_opnd in, moved; /* words for shifts below 32 and from 32 on */
    if (n.kind == CC_IMM) {
        const int32_t count = n.imm & 63;
        const struct cc_opnd rest = sam_cc_imm(count - 32), back = sam_cc_imm(32 - count);
        if (count == 0) {
            out[0] = a[0];
            out[1] = a[1];
            return;
        }
        in = count < 32 ? sam_cc_op(f, OP_OR, sam_cc_op(f, left ? OP_SLL : OP_SRL, far, n),
                                    sam_cc_op(f, left ? OP_SRL : OP_SLL, near, back))
                        : sam_cc_op(f, shift, near, rest);
        moved = count < 32 ? sam_cc_op(f, shift, near, n) : fill;
    } else {
        /* the bits that cross: by 1 and then by 31 - n, so that none is shifted by 32 */
        const struct cc_opnd back = sam_cc_op(f, OP_XOR, n, sam_cc_imm(31));
        const struct cc_opnd cross = sam_cc_op(
            f, left ? OP_SRL : OP_SLL, sam_cc_op(f, left ? OP_SRL : OP_SLL, near, one), back);
        const struct cc_opnd low = sam_cc_op(f, shift, near, n);
        const struct cc_opnd big =
            sam_cc_icmp(f, LL_NE, sam_cc_op(f, OP_AND, n, sam_cc_imm(32)), zero);
        in = sam_cc_op(f, OP_OR, sam_cc_op(f, left ? OP_SLL : OP_SRL, far, n), cross);
        in = sam_cc_select(f, big, low, in);
        moved = sam_cc_select(f, big, fill, low);
    }
    out[left ? 0 : 1] = moved;
    out[left ? 1 : 0] = in;
}

void sam_cc_wide_icmp(struct cc_function *f, int pred, const struct cc_opnd a[2],
                      const struct cc_opnd b[2], struct cc_opnd *out)
{
    if (pred == LL_EQ || pred == LL_NE) {
        const struct cc_opnd low = sam_cc_op(f, OP_XOR, a[0], b[0]);
        const struct cc_opnd high = sam_cc_op(f, OP_XOR, a[1], b[1]);
        *out = sam_cc_icmp(f, pred, sam_cc_op(f, OP_OR, low, high), sam_cc_imm(0));
        return;
    }
    /* the low words are compared without a sign */
    static const int low[] = {LL_UGT, LL_UGE, LL_ULT, LL_ULE};
    const struct cc_opnd equal = sam_cc_icmp(f, LL_EQ, a[1], b[1]);
    const struct cc_opnd below = sam_cc_icmp(f, low[(pred - LL_UGT) % 4], a[0], b[0]);
    const int strict = pred == LL_UGE   ? LL_UGT
                       : pred == LL_ULE ? LL_ULT
                       : pred == LL_SGE ? LL_SGT
                       : pred == LL_SLE ? LL_SLT
                                        : pred;
    const struct cc_opnd above = sam_cc_icmp(f, strict, a[1], b[1]);
    *out = sam_cc_op(f, OP_OR, above, sam_cc_op(f, OP_AND, equal, below));
}

static bool is_extended(struct cc_function *f, llvm_ref value)
{
    const struct cc_value *v = sam_cc_value(f, value);
    return v && f->cc->ll.GetInstructionOpcode(value) == LL_SEXT &&
           sam_cc_bits(f->cc, f->cc->ll.TypeOf(f->cc->ll.GetOperand(value, 0))) <= 32;
}

/* Element `at` of a value; an integer of 33 to 63 bits is extended. */
void sam_cc_wide_use(struct cc_function *f, llvm_ref value, unsigned at, bool sign,
                     struct cc_opnd out[2])
{
    const unsigned bits = sam_cc_bits(f->cc, f->cc->ll.TypeOf(value));
    out[0] = sam_cc_use(f, value, 2 * at);
    out[1] = sam_cc_extend(f, sam_cc_use(f, value, 2 * at + 1), bits - 32, sign);
}

/* Element `at` of an operation on 64-bit integers. */
enum sam_status sam_cc_select_wide(struct cc_function *f, llvm_ref insn, int opcode, unsigned at)
{
    const struct llvm *ll = &f->cc->ll;
    llvm_ref x = ll->GetOperand(insn, 0), y = ll->GetOperand(insn, 1);
    struct cc_opnd a[2], b[2], out[2];
    sam_cc_wide_use(f, x, at, opcode == LL_ASHR, a);
    sam_cc_wide_use(f, y, at, false, b);
    switch (opcode) {
    case LL_ADD: add(f, a, b, out); break;
    case LL_SUB: sub(f, a, b, out); break;
    case LL_MUL: mul(f, a, b, is_extended(f, x) && is_extended(f, y), out); break;
    case LL_SHL:
    case LL_LSHR:
    case LL_ASHR: sam_cc_wide_shift(f, opcode, a, b[0], out); break;
    case LL_AND:
    case LL_OR:
    case LL_XOR:
        for (int i = 0; i < 2; i++)
            out[i] = sam_cc_op(f,
                               opcode == LL_AND  ? OP_AND
                               : opcode == LL_OR ? OP_OR
                                                 : OP_XOR,
                               a[i], b[i]);
        break;
    default: /* by a constant power of two, or made by an optimisation */
        if (b[0].kind == CC_IMM && b[1].kind == CC_IMM &&
            (opcode == LL_UDIV || opcode == LL_UREM)) {
            const uint64_t n = (uint32_t)b[0].imm | (uint64_t)(uint32_t)b[1].imm << 32;
            if (n && !(n & (n - 1)) && opcode == LL_UDIV) {
                sam_cc_wide_shift(f, LL_LSHR, a, sam_cc_imm(__builtin_ctzll(n)), out);
                break;
            }
            if (n && !(n & (n - 1))) {
                out[0] = sam_cc_op(f, OP_AND, a[0], sam_cc_imm((int64_t)(n - 1)));
                out[1] = sam_cc_op(f, OP_AND, a[1], sam_cc_imm((int64_t)((n - 1) >> 32)));
                break;
            }
        }
        return sam_cc_refuse(f->cc, insn, "a 64-bit division that LLVM made from others");
    }
    sam_cc_set(f, insn, 2 * at, out[0]);
    sam_cc_set(f, insn, 2 * at + 1, out[1]);
    return SAM_OK;
}
