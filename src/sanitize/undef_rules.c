/* SPDX-License-Identifier: Apache-2.0 */
#include "sanitize/undef_rules.h"

/* Instructions whose results are known better than by the plain rule, by mnemonic up to its first
 * period. Compilers test bits of partly written words, clear registers with themselves and extend
 * narrow values: the plain rule alone would call that a use of what was never written. */
static const struct {
    const char *names; /* separated and surrounded by spaces */
    enum undef_rule rule;
} refinements[] = {
    {" vmv vfmv fmv amoswap ", UNDEF_COPY},
    {" and andi vand ", UNDEF_AND},
    {" or ori vor ", UNDEF_OR},
    {" xor xori vxor ", UNDEF_XOR},
    {" add addi vadd vadd12 ", UNDEF_ADD},
    {" sub vsub vsub12 ", UNDEF_SUB},
    {" vrsub ", UNDEF_RSUB},
    {" mul vmul ", UNDEF_MUL},
    {" sll slli vsll ", UNDEF_SLL},
    {" srl srli vsrl ", UNDEF_SRL},
    {" sra srai vsra ", UNDEF_SRA},
    {" beq bne vbeq vbne vmseq vmsne ", UNDEF_EQ},
    {" blt bge vblt vbge slt slti vmslt ", UNDEF_LT},
    {" bltu bgeu vbltu vbgeu sltu sltiu vmsltu ", UNDEF_LTU},
    {" vmsgt vmsle ", UNDEF_GT},
    {" vmsgtu vmsleu ", UNDEF_GTU},
    {" vmand vmnand ", UNDEF_MASK_AND},
    {" vmandn ", UNDEF_MASK_ANDN},
    {" vmor vmnor ", UNDEF_MASK_OR},
    {" vmorn ", UNDEF_MASK_ORN},
    {" vmxor vmxnor ", UNDEF_MASK_XOR},
    {" vmerge vfmerge ", UNDEF_SELECT},
    {" fsgnj fsgnjn vfsgnj vfsgnjn ", UNDEF_SIGN},
    {" fsgnjx vfsgnjx ", UNDEF_SIGNX},
    {" vmadc vmsbc feq flt fle vmfeq vmfne vmflt vmfle vmfgt vmfge ", UNDEF_BIT},
    {" vftta ", UNDEF_TILE},
};

static enum undef_rule rule_of(const char *mnemonic)
{
    static const struct {
        const char *mnemonic;
        enum undef_rule rule;
    } whole[] = {
        {"vzext.vf4", UNDEF_ZEXT8},
        {"vzext.vf2", UNDEF_ZEXT16},
        {"vsext.vf4", UNDEF_SEXT8},
        {"vsext.vf2", UNDEF_SEXT16},
    };
    char name[24];
    const size_t size = strcspn(mnemonic, ".");
    for (size_t i = 0; i < SAM_COUNT(whole); i++)
        if (strcmp(mnemonic, whole[i].mnemonic) == 0)
            return whole[i].rule;
    if (size + 3 > sizeof name)
        return UNDEF_ANY;
    name[0] = ' ';
    memcpy(name + 1, mnemonic, size);
    memcpy(name + 1 + size, " ", 2);
    for (size_t i = 0; i < SAM_COUNT(refinements); i++)
        if (strstr(refinements[i].names, name))
            return refinements[i].rule;
    return UNDEF_ANY;
}

static enum undef_place place_of(const struct sam_operand *operand)
{
    switch (operand->kind) {
    case SAM_KIND_X: return UNDEF_X;
    case SAM_KIND_V: return UNDEF_V;
    case SAM_KIND_V0: return UNDEF_V0;
    case SAM_KIND_SIGNED:
    case SAM_KIND_UNSIGNED:
        return operand->slot == SAM_SLOT_IMM ? UNDEF_IMMEDIATE : UNDEF_NO_SOURCE;
    default: return UNDEF_NO_SOURCE;
    }
}

static void add_source(struct undef_row *row, enum undef_place place, unsigned slot)
{
    if (row->source_count < UNDEF_SOURCES)
        row->sources[row->source_count++] =
            (struct undef_source){.place = (uint8_t)place, .slot = (uint8_t)slot};
}

/* Whether the fields that look like registers are some. */
static bool has_operands(unsigned act)
{
    return act != SAM_ACT_SYNC && act != SAM_ACT_PREFIX && act != SAM_ACT_JOIN &&
           act != SAM_ACT_SYSTEM;
}

void sam_undef_row(enum sam_op op, struct undef_row *row)
{
    const struct sam_insn_row *insn = &sam_insn_rows[op];
    const struct sam_does *does = &insn->does;
    *row = (struct undef_row){.rule = (uint8_t)rule_of(insn->mnemonic),
                              .act = does->act,
                              .bytes = does->bytes,
                              .index = does->index};
    if (!has_operands(does->act))
        return;
    /* lb and lbu, vlh12.v and vlhu12.v: the letter follows that of the width. */
    row->sign_extends = does->bytes && !strpbrk(insn->mnemonic + 2, "u");
    const bool writes = does->act == SAM_ACT_STORE || does->act == SAM_ACT_ATOMIC;
    bool address = false;
    for (const char *l = insn->operands; *l; l++) {
        address |= *l == '(';
        row->masked |= *l == 'M';
        const struct sam_operand *operand = sam_operand_find(*l);
        const enum undef_place place = operand ? place_of(operand) : UNDEF_NO_SOURCE;
        row->vector |= place == UNDEF_V;
        if (place == UNDEF_NO_SOURCE)
            continue;
        if (operand->slot == SAM_SLOT_RD)
            row->result = (uint8_t)place;
        else if (does->bytes && place == UNDEF_IMMEDIATE)
            continue;
        else if (writes && !address)
            row->data =
                (struct undef_source){.place = (uint8_t)place, .slot = (uint8_t)operand->slot};
        else
            add_source(row, place, operand->slot);
    }
    if (does->reads_vd)
        add_source(row, UNDEF_V, SAM_SLOT_RD);
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

/* Whether a < b is so for some values only. Signed numbers are in order once the sign bits are
 * inverted. */
static bool less(struct undef_bits a, struct undef_bits b, uint64_t sign)
{
    a.value ^= sign;
    b.value ^= sign;
    return least(a) < most(b) && most(a) >= least(b);
}

/* All bits from the lowest one on. */
static uint64_t upward(uint64_t bits)
{
    return bits | (0 - bits);
}

static uint64_t sign_extend(uint64_t bits, unsigned width)
{
    return (uint64_t)((int64_t)(bits << (64 - width)) >> (64 - width));
}

static uint64_t shift(enum undef_rule rule, struct undef_bits a, struct undef_bits b,
                      unsigned width)
{
    const unsigned amount = (unsigned)b.value & (width - 1);
    if (b.undef & (width - 1))
        return UINT64_MAX;
    return rule == UNDEF_SLL   ? a.undef << amount
           : rule == UNDEF_SRL ? a.undef >> amount
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

/* Whether a result is the same whatever its two sources, when they are one register. */
static bool cancels(enum undef_rule rule)
{
    switch (rule) {
    case UNDEF_XOR:
    case UNDEF_SUB:
    case UNDEF_RSUB:
    case UNDEF_EQ:
    case UNDEF_LT:
    case UNDEF_LTU:
    case UNDEF_GT:
    case UNDEF_GTU:
    case UNDEF_MASK_ANDN:
    case UNDEF_MASK_ORN:
    case UNDEF_MASK_XOR: return true;
    default: return false;
    }
}

static uint64_t combine(enum undef_rule rule, struct undef_bits a, struct undef_bits b,
                        struct undef_bits c, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1), any = a.undef | b.undef | c.undef;
    switch (rule) {
    case UNDEF_ANY:
    case UNDEF_TILE: break;
    case UNDEF_BIT: return any != 0;
    case UNDEF_COPY: return a.undef;
    case UNDEF_AND: return both_and(a, b);
    case UNDEF_OR: return both_or(a, b);
    case UNDEF_XOR: return a.undef | b.undef;
    case UNDEF_ADD: return add(a, b);
    case UNDEF_SUB: return subtract(a, b);
    case UNDEF_RSUB: return subtract(b, a);
    case UNDEF_MUL: return multiply(a, b);
    case UNDEF_SLL:
    case UNDEF_SRL:
    case UNDEF_SRA: return shift(rule, a, b, width);
    case UNDEF_EQ: return any && !((a.value ^ b.value) & ~any);
    case UNDEF_LT: return less(a, b, sign);
    case UNDEF_LTU: return less(a, b, 0);
    case UNDEF_GT: return less(b, a, sign);
    case UNDEF_GTU: return less(b, a, 0);
    case UNDEF_MASK_AND: return both_and(a, b) & 1;
    case UNDEF_MASK_ANDN: return both_and(a, inverted(b)) & 1;
    case UNDEF_MASK_OR: return both_or(a, b) & 1;
    case UNDEF_MASK_ORN: return both_or(a, inverted(b)) & 1;
    case UNDEF_MASK_XOR: return any & 1;
    case UNDEF_SELECT:
        return c.undef & 1   ? a.undef | b.undef | (a.value ^ b.value)
               : c.value & 1 ? b.undef
                             : a.undef;
    case UNDEF_ZEXT8: return a.undef & 0xff;
    case UNDEF_ZEXT16: return a.undef & 0xffff;
    case UNDEF_SEXT8: return sign_extend(a.undef, 8);
    case UNDEF_SEXT16: return sign_extend(a.undef, 16);
    case UNDEF_SIGN: return (a.undef & ~sign) | (b.undef & sign);
    case UNDEF_SIGNX: return a.undef | (b.undef & sign);
    }
    return all_if(any);
}

uint64_t sam_undef_combine(enum undef_rule rule, struct undef_bits a, struct undef_bits b,
                           struct undef_bits c, unsigned width, bool same)
{
    const uint64_t mask = UINT64_MAX >> (64 - width);
    if (same && cancels(rule))
        return 0;
    if (same && rule == UNDEF_SIGNX)
        b.undef = a.undef = a.undef & ~(UINT64_C(1) << (width - 1));
    return combine(rule, a, b, c, width) & mask;
}
