/* SPDX-License-Identifier: Apache-2.0 */
#include "sanitize/undef_rules.h"

void sam_undef_row(enum sam_op op, struct undef_row *row)
{
    const struct sam_insn_row *insn = &sam_insn_rows[op];
    const struct sam_uses uses = sam_op_uses(op);
    *row = (struct undef_row){.rule = insn->undef,
                              .act = insn->does.act,
                              .bytes = insn->does.bytes,
                              .index = insn->does.index,
                              .sign_extends = !insn->does.zero_extends,
                              .result = uses.result,
                              .vector = sam_op_is_vector(op),
                              .masked = uses.masked};
    for (unsigned i = 0; i < uses.count; i++) {
        const struct sam_use source = uses.sources[i];
        if (source.role == SAM_ROLE_DATA)
            row->data = source;
        else if (source.role == SAM_ROLE_OPERAND || source.file != SAM_OPERAND_IMM)
            row->sources[row->source_count++] = source;
    }
}

/* -------------------------------------------------------------------------------- arithmetic */

static uint64_t all_if(bool undefined)
{
    return undefined ? UINT64_MAX : 0;
}

/* The smallest and the largest value. */
static uint64_t least(struct undef_bits a)
{
    return a.value & ~a.undef;
}

static uint64_t most(struct undef_bits a)
{
    return a.value | a.undef;
}

/* A sum differs where an operand does, and where a carry does: the carries of the smallest sum are
 * a subset of those of the largest. */
static uint64_t add(struct undef_bits a, struct undef_bits b)
{
    return a.undef | b.undef | ((least(a) + least(b)) ^ (most(a) + most(b)));
}

static uint64_t subtract(struct undef_bits a, struct undef_bits b)
{
    return a.undef | b.undef | ((least(a) - most(b)) ^ (most(a) - least(b)));
}

/* Whether a < b depends on undefined bits. Inverting the sign bits orders signed numbers. */
static bool less(struct undef_bits a, struct undef_bits b, uint64_t sign)
{
    a.value ^= sign;
    b.value ^= sign;
    return least(a) < most(b) && most(a) >= least(b);
}

/* All bits from the lowest set bit up. */
static uint64_t upward(uint64_t bits)
{
    return bits | (0 - bits);
}

static uint64_t sign_extend(uint64_t bits, unsigned width)
{
    return (uint64_t)((int64_t)(bits << (64 - width)) >> (64 - width));
}

static uint64_t shift(enum sam_undefined rule, struct undef_bits a, struct undef_bits b,
                      unsigned width)
{
    const unsigned amount = (unsigned)b.value & (width - 1);
    if (b.undef & (width - 1))
        return UINT64_MAX;
    return rule == SAM_UNDEFINED_SLL   ? a.undef << amount
           : rule == SAM_UNDEFINED_SRL ? a.undef >> amount
                                       : (uint64_t)((int64_t)sign_extend(a.undef, width) >> amount);
}

static uint64_t both_and(struct undef_bits a, struct undef_bits b)
{
    return (a.undef | b.undef) & most(a) & most(b);
}

static uint64_t both_or(struct undef_bits a, struct undef_bits b)
{
    return (a.undef | b.undef) & (a.undef | ~a.value) & (b.undef | ~b.value);
}

static struct undef_bits inverted(struct undef_bits a)
{
    a.value = ~a.value;
    return a;
}

static uint64_t lowest(uint64_t bits)
{
    return bits & (0 - bits);
}

/* A product can differ from the lowest undefined bit of a source times the lowest bit of the other
 * that may be set: not at all where that is a defined zero. */
static uint64_t multiply(struct undef_bits a, struct undef_bits b)
{
    return upward(lowest(a.undef) * lowest(most(b)) | lowest(b.undef) * lowest(most(a)));
}

/* Whether the result is constant if both sources are one register. */
static bool cancels(enum sam_undefined rule)
{
    switch (rule) {
    case SAM_UNDEFINED_XOR:
    case SAM_UNDEFINED_SUB:
    case SAM_UNDEFINED_RSUB:
    case SAM_UNDEFINED_EQ:
    case SAM_UNDEFINED_LT:
    case SAM_UNDEFINED_LTU:
    case SAM_UNDEFINED_GT:
    case SAM_UNDEFINED_GTU:
    case SAM_UNDEFINED_MASK_ANDN:
    case SAM_UNDEFINED_MASK_ORN:
    case SAM_UNDEFINED_MASK_XOR: return true;
    default: return false;
    }
}

static uint64_t combine(enum sam_undefined rule, struct undef_bits a, struct undef_bits b,
                        struct undef_bits c, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1), any = a.undef | b.undef | c.undef;
    switch (rule) {
    case SAM_UNDEFINED_ANY:
    case SAM_UNDEFINED_TILE: break;
    case SAM_UNDEFINED_BIT: return any != 0;
    case SAM_UNDEFINED_COPY: return a.undef;
    case SAM_UNDEFINED_AND: return both_and(a, b);
    case SAM_UNDEFINED_OR: return both_or(a, b);
    case SAM_UNDEFINED_XOR: return a.undef | b.undef;
    case SAM_UNDEFINED_ADD: return add(a, b);
    case SAM_UNDEFINED_SUB: return subtract(a, b);
    case SAM_UNDEFINED_RSUB: return subtract(b, a);
    case SAM_UNDEFINED_MUL: return multiply(a, b);
    case SAM_UNDEFINED_SLL:
    case SAM_UNDEFINED_SRL:
    case SAM_UNDEFINED_SRA: return shift(rule, a, b, width);
    case SAM_UNDEFINED_EQ: return any && !((a.value ^ b.value) & ~any);
    case SAM_UNDEFINED_LT: return less(a, b, sign);
    case SAM_UNDEFINED_LTU: return less(a, b, 0);
    case SAM_UNDEFINED_GT: return less(b, a, sign);
    case SAM_UNDEFINED_GTU: return less(b, a, 0);
    case SAM_UNDEFINED_MASK_AND: return both_and(a, b) & 1;
    case SAM_UNDEFINED_MASK_ANDN: return both_and(a, inverted(b)) & 1;
    case SAM_UNDEFINED_MASK_OR: return both_or(a, b) & 1;
    case SAM_UNDEFINED_MASK_ORN: return both_or(a, inverted(b)) & 1;
    case SAM_UNDEFINED_MASK_XOR: return any & 1;
    case SAM_UNDEFINED_SELECT:
        return c.undef & 1   ? a.undef | b.undef | (a.value ^ b.value)
               : c.value & 1 ? b.undef
                             : a.undef;
    case SAM_UNDEFINED_ZEXT8: return a.undef & 0xff;
    case SAM_UNDEFINED_ZEXT16: return a.undef & 0xffff;
    case SAM_UNDEFINED_SEXT8: return sign_extend(a.undef, 8);
    case SAM_UNDEFINED_SEXT16: return sign_extend(a.undef, 16);
    case SAM_UNDEFINED_SIGN: return (a.undef & ~sign) | (b.undef & sign);
    case SAM_UNDEFINED_SIGNX: return a.undef | (b.undef & sign);
    }
    return all_if(any);
}

uint64_t sam_undef_combine(enum sam_undefined rule, struct undef_bits a, struct undef_bits b,
                           struct undef_bits c, unsigned width, bool same)
{
    const uint64_t mask = UINT64_MAX >> (64 - width);
    if (same && cancels(rule))
        return 0;
    if (same && rule == SAM_UNDEFINED_SIGNX)
        b.undef = a.undef = a.undef & ~(UINT64_C(1) << (width - 1));
    return combine(rule, a, b, c, width) & mask;
}
