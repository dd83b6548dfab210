/* SPDX-License-Identifier: Apache-2.0 */
/* Values of LLVM as words: one for each element and field of up to 32 bits, more for wider
 * integers. */
#include <stdlib.h>
#include <string.h>

#include "cc/cc.h"

static unsigned add_part(struct cc_part *parts, unsigned count, uint32_t at, unsigned bits)
{
    if (count == CC_MAX_PARTS)
        return 0;
    const unsigned bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
    parts[count] = (struct cc_part){at, (uint8_t)bytes, (uint8_t)bits};
    return count + 1;
}

unsigned sam_cc_parts(struct cc *cc, llvm_ref type, uint32_t at, struct cc_part *parts,
                      unsigned count)
{
    const int kind = cc->ll.GetTypeKind(type);
    switch (kind) {
    case LL_INTEGER: {
        const unsigned bits = cc->ll.GetIntTypeWidth(type);
        if (bits > 32 * CC_MAX_WORDS)
            return 0;
        for (unsigned done = 0; done < bits; done += 32)
            if ((count = add_part(parts, count, at + done / 8,
                                  bits - done < 32 ? bits - done : 32)) == 0)
                return 0;
        return count;
    }
    case LL_HALF: return add_part(parts, count, at, 16);
    case LL_FLOAT:
    case LL_POINTER:
    case LL_TARGET_EXT: return add_part(parts, count, at, 32);
    case LL_VECTOR:
    case LL_ARRAY: {
        llvm_ref element = cc->ll.GetElementType(type);
        const unsigned n =
            kind == LL_VECTOR ? cc->ll.GetVectorSize(type) : cc->ll.GetArrayLength(type);
        const uint32_t size = (uint32_t)cc->ll.ABISizeOfType(cc->layout, element);
        if (n > CC_MAX_PARTS)
            return 0;
        for (unsigned i = 0; i < n; i++)
            if ((count = sam_cc_parts(cc, element, at + i * size, parts, count)) == 0)
                return 0;
        return count;
    }
    case LL_STRUCT:
        for (unsigned i = 0; i < cc->ll.CountStructElementTypes(type); i++) {
            const uint32_t offset = (uint32_t)cc->ll.OffsetOfElement(cc->layout, type, i);
            count =
                sam_cc_parts(cc, cc->ll.StructGetTypeAtIndex(type, i), at + offset, parts, count);
            if (count == 0)
                return 0;
        }
        return count;
    default: return 0;
    }
}

unsigned sam_cc_bits(struct cc *cc, llvm_ref type)
{
    if (cc->ll.GetTypeKind(type) == LL_VECTOR)
        type = cc->ll.GetElementType(type);
    switch (cc->ll.GetTypeKind(type)) {
    case LL_INTEGER: return cc->ll.GetIntTypeWidth(type);
    case LL_HALF: return 16;
    default: return 32;
    }
}

static uint32_t float_bits(struct cc *cc, llvm_ref value)
{
    int lost;
    const float number = (float)cc->ll.ConstRealGetDouble(value, &lost);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static struct cc_opnd constant_gep(struct cc_function *f, llvm_ref value)
{
    struct cc *cc = f->cc;
    struct cc_opnd base = sam_cc_part(f, cc->ll.GetOperand(value, 0), 0);
    llvm_ref type = cc->ll.GetGEPSourceElementType(value);
    const unsigned operands = (unsigned)cc->ll.GetNumOperands(value);
    for (unsigned i = 1; i < operands; i++) {
        const long long index = cc->ll.ConstIntGetSExtValue(cc->ll.GetOperand(value, i));
        if (i > 1 && cc->ll.GetTypeKind(type) == LL_STRUCT) {
            base.imm += (int32_t)cc->ll.OffsetOfElement(cc->layout, type, (unsigned)index);
            type = cc->ll.StructGetTypeAtIndex(type, (unsigned)index);
            continue;
        }
        if (i > 1)
            type = cc->ll.GetElementType(type);
        base.imm += (int32_t)((uint32_t)index * (uint32_t)cc->ll.ABISizeOfType(cc->layout, type));
    }
    return base;
}

static struct cc_opnd constant_expression(struct cc_function *f, llvm_ref value, unsigned i)
{
    struct cc *cc = f->cc;
    llvm_ref first = cc->ll.GetOperand(value, 0);
    switch (cc->ll.GetConstOpcode(value)) {
    case LL_GEP: return constant_gep(f, value);
    case LL_ADD:
        return sam_cc_op(f, OP_ADD, sam_cc_part(f, first, i),
                         sam_cc_part(f, cc->ll.GetOperand(value, 1), i));
    case LL_SUB:
        return sam_cc_op(f, OP_SUB, sam_cc_part(f, first, i),
                         sam_cc_part(f, cc->ll.GetOperand(value, 1), i));
    default: return sam_cc_part(f, first, i); /* casts */
    }
}

/* Word `i` of a constant of more than 64 bits. LLVM's C API has those only as text: "i128 -5". */
static uint32_t wide_constant(struct cc *cc, llvm_ref value, unsigned i)
{
    uint32_t words[CC_MAX_WORDS] = {0};
    char *text = cc->ll.PrintValueToString(value);
    const char *digit = strchr(text, ' ') + 1;
    const bool negative = *digit == '-';
    for (digit += negative; *digit >= '0' && *digit <= '9'; digit++) {
        uint64_t carry = (uint64_t)(*digit - '0');
        for (unsigned k = 0; k < CC_MAX_WORDS; k++) {
            carry += (uint64_t)words[k] * 10;
            words[k] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    cc->ll.DisposeMessage(text);
    unsigned lowest = 0; /* word that is not 0: below it, negation changes nothing */
    while (lowest < i && !words[lowest])
        lowest++;
    return !negative ? words[i] : lowest == i ? 0 - words[i] : ~words[i];
}

/* Part `i` of a constant. */
static struct cc_opnd constant(struct cc_function *f, llvm_ref value, unsigned i)
{
    struct cc *cc = f->cc;
    struct cc_part parts[CC_MAX_PARTS];
    switch (cc->ll.GetValueKind(value)) {
    case LL_CONST_INT: {
        const unsigned bits = cc->ll.GetIntTypeWidth(cc->ll.TypeOf(value));
        if (bits > 64)
            return sam_cc_imm(wide_constant(cc, value, i));
        const uint64_t n = cc->ll.ConstIntGetZExtValue(value);
        return sam_cc_imm((int64_t)(i            ? n >> 32
                                    : bits == 8  ? (uint64_t)(int8_t)n
                                    : bits == 16 ? (uint64_t)(int16_t)n
                                                 : n));
    }
    case LL_CONST_FP: return sam_cc_imm(float_bits(cc, value));
    case LL_GLOBAL:
        if (cc->ll.GetPointerAddressSpace(cc->ll.TypeOf(value)) == AS_LOCAL) {
            struct cc_opnd at = sam_cc_local_base(f);
            at.imm = (int32_t)sam_cc_local_offset(cc, value);
            return at;
        }
        return (struct cc_opnd){.kind = CC_SYMBOL, .reg = sam_cc_global_index(cc, value)};
    case LL_CONST_EXPR: return constant_expression(f, value, i);
    case LL_DATA_VECTOR:
    case LL_DATA_ARRAY: {
        llvm_ref first = cc->ll.GetElementAsConstant(value, 0);
        const unsigned each = sam_cc_parts(cc, cc->ll.TypeOf(first), 0, parts, 0);
        return each ? constant(f, cc->ll.GetElementAsConstant(value, i / each), i % each)
                    : sam_cc_imm(0);
    }
    case LL_CONST_VECTOR:
    case LL_CONST_ARRAY:
    case LL_CONST_STRUCT:
        for (unsigned k = 0, before = 0; k < (unsigned)cc->ll.GetNumOperands(value); k++) {
            llvm_ref element = cc->ll.GetOperand(value, k);
            const unsigned n = sam_cc_parts(cc, cc->ll.TypeOf(element), 0, parts, 0);
            if (i < before + n)
                return sam_cc_part(f, element, i - before);
            before += n;
        }
        return sam_cc_imm(0);
    default: return sam_cc_imm(0); /* zero, undef, poison */
    }
}

struct cc_opnd sam_cc_part(struct cc_function *f, llvm_ref value, unsigned i)
{
    const struct cc_value *v = sam_cc_value(f, value);
    if (!v)
        return constant(f, value, i);
    return i < v->count ? v->parts[i] : sam_cc_imm(0);
}

struct cc_opnd sam_cc_use(struct cc_function *f, llvm_ref value, unsigned i)
{
    return sam_cc_plain(f, sam_cc_part(f, value, i));
}

void sam_cc_set(struct cc_function *f, llvm_ref value, unsigned i, struct cc_opnd part)
{
    struct cc_value *v = sam_cc_value(f, value);
    if (v->divergent && part.kind != CC_IMM && part.kind != CC_SYMBOL && part.kind != CC_V)
        part = sam_cc_vector(f, part);
    /* A uniform value that was computed in a vector stays there. */
    if (i < v->count)
        v->parts[i] = part;
}
