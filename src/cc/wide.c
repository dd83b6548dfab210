/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of more than 32 bits as words, the low one first. LLVM makes them wider than 64 bits,
 * too: sums over a counter in closed form, vectors that are compared as one number. */
#include <string.h>

#include "cc/cc.h"

unsigned sam_cc_words(unsigned bits)
{
    return bits <= 32 ? 1 : (bits + 31) / 32;
}

/* Returns the carry. */
static struct cc_opnd add(struct cc_function *f, unsigned n, const struct cc_opnd *a,
                          const struct cc_opnd *b, struct cc_opnd *out)
{
    struct cc_opnd carry = sam_cc_imm(0);
    for (unsigned i = 0; i < n; i++) {
        const struct cc_opnd sum = sam_cc_op(f, OP_ADD, a[i], b[i]);
        const struct cc_opnd wraps = sam_cc_icmp(f, LL_ULT, sum, a[i]);
        out[i] = sam_cc_op(f, OP_ADD, sum, carry);
        carry = sam_cc_op(f, OP_OR, wraps, sam_cc_icmp(f, LL_ULT, out[i], carry));
    }
    return carry;
}

/* Returns the borrow. */
static struct cc_opnd sub(struct cc_function *f, unsigned n, const struct cc_opnd *a,
                          const struct cc_opnd *b, struct cc_opnd *out)
{
    struct cc_opnd borrow = sam_cc_imm(0);
    for (unsigned i = 0; i < n; i++) {
        const struct cc_opnd difference = sam_cc_op(f, OP_SUB, a[i], b[i]);
        const struct cc_opnd wraps = sam_cc_icmp(f, LL_ULT, a[i], b[i]);
        const struct cc_opnd below = sam_cc_icmp(f, LL_ULT, difference, borrow);
        out[i] = sam_cc_op(f, OP_SUB, difference, borrow);
        borrow = sam_cc_op(f, OP_OR, wraps, below);
    }
    return borrow;
}

static void mul(struct cc_function *f, unsigned n, const struct cc_opnd *a, const struct cc_opnd *b,
                struct cc_opnd *out)
{
    struct cc_opnd sum[CC_MAX_WORDS];
    for (unsigned i = 0; i < n; i++)
        sum[i] = sam_cc_imm(0);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; i + j < n; j++) {
            struct cc_opnd product[CC_MAX_WORDS];
            for (unsigned k = 2; i + j + k < n; k++)
                product[k] = sam_cc_imm(0);
            product[0] = sam_cc_op(f, OP_MUL, a[i], b[j]);
            if (i + j + 1 < n)
                product[1] = sam_cc_op(f, OP_MULHU, a[i], b[j]);
            add(f, n - i - j, sum + i + j, product, sum + i + j);
        }
    memcpy(out, sum, n * sizeof *out);
}

/* Word `i` of `from`; past its ends `low` and `high`. */
static struct cc_opnd word(const struct cc_opnd *from, int i, unsigned n, struct cc_opnd low,
                           struct cc_opnd high)
{
    return i < 0 ? low : (unsigned)i >= n ? high : from[i];
}

void sam_cc_wide_shift(struct cc_function *f, int opcode, unsigned n, const struct cc_opnd *value,
                       struct cc_opnd by, struct cc_opnd *out)
{
    const bool left = opcode == LL_SHL;
    const enum cc_op near = left ? OP_SLL : OP_SRL, far = left ? OP_SRL : OP_SLL;
    const struct cc_opnd zero = sam_cc_imm(0), one = sam_cc_imm(1);
    const struct cc_opnd fill =
        opcode == LL_ASHR ? sam_cc_op(f, OP_SRA, value[n - 1], sam_cc_imm(31)) : zero;
    const int step = left ? -1 : 1;
    struct cc_opnd a[CC_MAX_WORDS], b[CC_MAX_WORDS];
    int whole = 0; /* words */
    memcpy(a, value, n * sizeof *a);
    if (by.kind == CC_IMM) {
        whole = step * (int)((uint32_t)by.imm / 32);
        by.imm &= 31;
    }
    for (unsigned i = 0; i < n; i++)
        b[i] = word(a, (int)i + whole, n, zero, fill);
    memcpy(a, b, n * sizeof *a);
    /* By less than a word; what crosses to the next one is shifted by 1 and then by 31 - n, so that
     * nothing is shifted by 32. */
    const struct cc_opnd back = sam_cc_op(f, OP_XOR, by, sam_cc_imm(31));
    for (unsigned i = 0; i < n && (by.kind != CC_IMM || by.imm); i++) {
        const bool last = i == (left ? 0 : n - 1);
        b[i] = sam_cc_op(f, last && opcode == LL_ASHR ? OP_SRA : near, a[i], by);
        if (last)
            continue;
        struct cc_opnd in = a[(int)i + step];
        in = by.kind == CC_IMM ? sam_cc_op(f, far, in, sam_cc_imm(32 - by.imm))
                               : sam_cc_op(f, far, sam_cc_op(f, far, in, one), back);
        b[i] = sam_cc_op(f, OP_OR, b[i], in);
    }
    for (unsigned k = 5; by.kind != CC_IMM && 1u << (k - 5) < n; k++) {
        const struct cc_opnd bit = sam_cc_op(f, OP_AND, by, sam_cc_imm(1 << k));
        const struct cc_opnd moves = sam_cc_icmp(f, LL_NE, bit, zero);
        memcpy(a, b, n * sizeof *a);
        for (unsigned i = 0; i < n; i++)
            b[i] = sam_cc_select(f, moves, word(a, (int)i + step * (1 << (k - 5)), n, zero, fill),
                                 a[i]);
    }
    memcpy(out, b, n * sizeof *out);
}

struct cc_opnd sam_cc_wide_icmp(struct cc_function *f, int pred, unsigned n,
                                const struct cc_opnd *a, const struct cc_opnd *b)
{
    struct cc_opnd out = sam_cc_imm(0);
    if (n == 1)
        return sam_cc_icmp(f, pred, a[0], b[0]);
    if (pred == LL_EQ || pred == LL_NE) {
        for (unsigned i = 0; i < n; i++)
            out = sam_cc_op(f, OP_OR, out, sam_cc_op(f, OP_XOR, a[i], b[i]));
        return sam_cc_icmp(f, pred, out, sam_cc_imm(0));
    }
    /* all but the highest words are compared without a sign, all but the lowest strictly */
    static const int unsigned_of[] = {LL_UGT, LL_UGE, LL_ULT, LL_ULE};
    static const int strict_of[] = {LL_UGT, LL_UGT, LL_ULT, LL_ULT, LL_SGT, LL_SGT, LL_SLT, LL_SLT};
    const int low = unsigned_of[(pred - LL_UGT) % 4], high = strict_of[pred - LL_UGT];
    out = sam_cc_icmp(f, low, a[0], b[0]);
    for (unsigned i = 1; i < n; i++) {
        const int strict = i == n - 1 ? high : strict_of[low - LL_UGT];
        const struct cc_opnd equal = sam_cc_icmp(f, LL_EQ, a[i], b[i]);
        out = sam_cc_op(f, OP_OR, sam_cc_icmp(f, strict, a[i], b[i]),
                        sam_cc_op(f, OP_AND, equal, out));
    }
    return out;
}

static bool is_extended(struct cc_function *f, llvm_ref value)
{
    const struct cc_value *v = sam_cc_value(f, value);
    return v && f->cc->ll.GetInstructionOpcode(value) == LL_SEXT &&
           sam_cc_bits(f->cc, f->cc->ll.TypeOf(f->cc->ll.GetOperand(value, 0))) <= 32;
}

unsigned sam_cc_wide_use(struct cc_function *f, llvm_ref value, unsigned at, bool sign,
                         struct cc_opnd *out)
{
    const unsigned bits = sam_cc_bits(f->cc, f->cc->ll.TypeOf(value)), n = sam_cc_words(bits);
    struct cc_opnd last;
    unsigned i = 0;
    do
        last = out[i] = sam_cc_use(f, value, n * at + i);
    while (++i < n);
    out[n - 1] = sam_cc_extend(f, last, bits - 32 * (n - 1), sign);
    return n;
}

bool sam_cc_wide_op(struct cc_function *f, int opcode, unsigned n, const struct cc_opnd *a,
                    const struct cc_opnd *b, struct cc_opnd *out)
{
    unsigned power = 0, ones = 0; /* of b, a constant */
    switch (opcode) {
    case LL_ADD: add(f, n, a, b, out); return true;
    case LL_SUB: sub(f, n, a, b, out); return true;
    case LL_MUL: mul(f, n, a, b, out); return true;
    case LL_SHL:
    case LL_LSHR:
    case LL_ASHR: sam_cc_wide_shift(f, opcode, n, a, b[0], out); return true;
    case LL_AND:
    case LL_OR:
    case LL_XOR:
        for (unsigned i = 0; i < n; i++)
            out[i] = sam_cc_op(f, (enum cc_op)(OP_AND + opcode - LL_AND), a[i], b[i]);
        return true;
    default: break;
    }
    for (unsigned i = 0; i < n; i++) {
        if (b[i].kind != CC_IMM)
            return false;
        ones += (unsigned)__builtin_popcount((unsigned)b[i].imm);
        if (b[i].imm)
            power = 32 * i + (unsigned)__builtin_ctz((unsigned)b[i].imm);
    }
    if (ones != 1 || (opcode != LL_UDIV && opcode != LL_UREM))
        return false;
    if (opcode == LL_UDIV)
        sam_cc_wide_shift(f, LL_LSHR, n, a, sam_cc_imm(power), out);
    for (unsigned i = 0; opcode == LL_UREM && i < n; i++) {
        const uint32_t mask = power >= 32 * i + 32 ? UINT32_MAX
                              : power > 32 * i     ? (1u << (power - 32 * i)) - 1
                                                   : 0;
        out[i] = sam_cc_op(f, OP_AND, a[i], sam_cc_imm(mask));
    }
    return true;
}

/* Element `at` of an operation on integers of more than 32 bits. */
enum sam_status sam_cc_select_wide(struct cc_function *f, llvm_ref insn, int opcode, unsigned at)
{
    const struct llvm *ll = &f->cc->ll;
    llvm_ref x = ll->GetOperand(insn, 0), y = ll->GetOperand(insn, 1);
    struct cc_opnd a[CC_MAX_WORDS], b[CC_MAX_WORDS], out[CC_MAX_WORDS];
    const unsigned n = sam_cc_wide_use(f, x, at, opcode == LL_ASHR, a);
    sam_cc_wide_use(f, y, at, false, b);
    if (opcode == LL_MUL && n == 2 && is_extended(f, x) && is_extended(f, y)) {
        out[0] = sam_cc_op(f, OP_MUL, a[0], b[0]);
        out[1] = sam_cc_op(f, OP_MULH, a[0], b[0]);
    } else if (!sam_cc_wide_op(f, opcode, n, a, b, out)) {
        return sam_cc_refuse(f->cc, insn, "a division of %u bits that LLVM made from others",
                             sam_cc_bits(f->cc, ll->TypeOf(insn)));
    }
    for (unsigned i = 0; i < n; i++)
        sam_cc_set(f, insn, n * at + i, out[i]);
    return SAM_OK;
}

struct cc_opnd sam_cc_wide_overflow(struct cc_function *f, int opcode, bool sign, unsigned n,
                                    const struct cc_opnd *a, const struct cc_opnd *b,
                                    struct cc_opnd *out)
{
    if (opcode == LL_MUL) { /* in full */
        struct cc_opnd x[CC_MAX_WORDS], y[CC_MAX_WORDS], product[CC_MAX_WORDS];
        const struct cc_opnd last = sam_cc_imm(31), zero = sam_cc_imm(0);
        for (unsigned i = 0; i < 2 * n; i++) {
            x[i] = i < n ? a[i] : sign ? sam_cc_op(f, OP_SRA, a[n - 1], last) : zero;
            y[i] = i < n ? b[i] : sign ? sam_cc_op(f, OP_SRA, b[n - 1], last) : zero;
        }
        mul(f, 2 * n, x, y, product);
        for (unsigned i = 0; i < n; i++) {
            out[i] = product[i];
            x[i] = sign ? sam_cc_op(f, OP_SRA, product[n - 1], last) : zero;
        }
        return sam_cc_wide_icmp(f, LL_NE, n, product + n, x);
    }
    const bool is_add = opcode == LL_ADD;
    const struct cc_opnd top = a[n - 1];
    const struct cc_opnd wraps = is_add ? add(f, n, a, b, out) : sub(f, n, a, b, out);
    if (!sign)
        return wraps;
    /* a result whose sign is not that of a, and b is not what makes it so */
    const struct cc_opnd b_too = sam_cc_op(f, OP_XOR, b[n - 1], is_add ? out[n - 1] : top);
    const struct cc_opnd both = sam_cc_op(f, OP_AND, sam_cc_op(f, OP_XOR, top, out[n - 1]), b_too);
    return sam_cc_icmp(f, LL_SLT, both, sam_cc_imm(0));
}
