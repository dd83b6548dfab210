/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, loads and stores. Global, constant and local memory are one space of addresses;
 * private memory has addresses of its own, from 0 in each work-item, and instructions of its own.
 */
#include "cc/cc.h"

struct origin {
    struct cc *cc;
    llvm_ref seen[64]; /* phis and selections */
    unsigned count;
};

static int opcode_of(struct cc *cc, llvm_ref value)
{
    const int kind = cc->ll.GetValueKind(value);
    return kind == LL_INSTRUCTION  ? cc->ll.GetInstructionOpcode(value)
           : kind == LL_CONST_EXPR ? cc->ll.GetConstOpcode(value)
                                   : 0;
}

/* Whether a pointer comes from one to private memory (1), to other memory (2), or both (3). */
static unsigned origin(struct origin *o, llvm_ref pointer)
{
    struct cc *cc = o->cc;
    enum { PRIVATE = 1, OTHER = 2 };
    for (;;) {
        const int opcode = opcode_of(cc, pointer);
        const unsigned space = cc->ll.GetPointerAddressSpace(cc->ll.TypeOf(pointer));
        if ((space != AS_PRIVATE && space != AS_GENERIC) ||
            cc->ll.GetValueKind(pointer) == LL_GLOBAL) /* also a table that LLVM has made */
            return OTHER;
        if (opcode == LL_PHI || opcode == LL_SELECT)
            break;
        if (opcode != LL_GEP && opcode != LL_BITCAST && opcode != LL_ADDRSPACECAST)
            return space == AS_PRIVATE ? PRIVATE : OTHER;
        pointer = cc->ll.GetOperand(pointer, 0);
    }
    for (unsigned i = 0; i < o->count; i++)
        if (o->seen[i] == pointer)
            return 0;
    if (o->count == SAM_COUNT(o->seen))
        return PRIVATE | OTHER;
    o->seen[o->count++] = pointer;
    const bool phi = opcode_of(cc, pointer) == LL_PHI;
    unsigned found = 0;
    for (unsigned i = 0; i < (phi ? cc->ll.CountIncoming(pointer) : 2); i++)
        found |= origin(o, phi ? cc->ll.GetIncomingValue(pointer, i)
                               : cc->ll.GetOperand(pointer, i + 1));
    return found;
}

unsigned sam_cc_space(struct cc_function *f, llvm_ref pointer)
{
    llvm_ref type = f->cc->ll.TypeOf(pointer);
    if (f->cc->ll.GetTypeKind(type) != LL_POINTER)
        return AS_GENERIC;
    const unsigned space = f->cc->ll.GetPointerAddressSpace(type);
    struct origin o = {.cc = f->cc};
    switch (origin(&o, pointer)) {
    case 1: return AS_PRIVATE;
    case 3: return AS_MIXED;
    default: return space == AS_PRIVATE ? AS_CONSTANT : space;
    }
}

/* Whether only loads and stores see a pointer, so that what it points to is known where it is used.
 */
static bool is_followed(struct cc *cc, llvm_ref pointer, unsigned depth)
{
    for (llvm_ref use = cc->ll.GetFirstUse(pointer); use; use = cc->ll.GetNextUse(use)) {
        llvm_ref user = cc->ll.GetUser(use);
        const int opcode = opcode_of(cc, user);
        if (opcode == LL_LOAD || opcode == LL_ICMP || opcode == LL_PTRTOINT)
            continue;
        if (opcode == LL_STORE ? cc->ll.GetOperand(user, 0) == pointer : depth == 0)
            return false;
        if ((opcode == LL_GEP || opcode == LL_BITCAST || opcode == LL_ADDRSPACECAST ||
             opcode == LL_PHI || opcode == LL_SELECT) &&
            !is_followed(cc, user, depth - 1))
            return false;
    }
    return true;
}

struct access {
    const char *s, *v, *own; /* at a scalar address, at one for each lane, private */
};
static const struct access loads[2][3] = {
    {{"lbu", "vlbu12.v", "vlbu.v"}, {"lhu", "vlhu12.v", "vlhu.v"}, {"lw", "vlw12.v", "vlw.v"}},
    {{"lb", "vlb12.v", "vlb.v"}, {"lh", "vlh12.v", "vlh.v"}, {"lw", "vlw12.v", "vlw.v"}}};
static const struct access stores[3] = {
    {"sb", "vsb12.v", "vsb.v"}, {"sh", "vsh12.v", "vsh.v"}, {"sw", "vsw12.v", "vsw.v"}};

/* Register and offset for an access of `size` bytes `offset` after an address. */
static struct cc_opnd reach(struct cc_function *f, bool own, bool vector, struct cc_opnd a,
                            uint32_t offset, struct cc_opnd *immediate)
{
    const int32_t low = own ? -1024 : -2048, high = own ? 1023 : 2047;
    if (a.kind == CC_SYMBOL) {
        a.imm = (int32_t)((uint32_t)a.imm + offset);
        offset = 0;
    }
    int32_t at = (int32_t)((uint32_t)a.imm + offset);
    if (a.kind == CC_SYMBOL) {
        at = 0;
    } else if (a.kind == CC_IMM) {
        at = own ? at & 1023 : 0;
        a.imm = (int32_t)((uint32_t)a.imm + offset - (uint32_t)at);
    } else if (at < low || at > high) {
        at = (int32_t)offset;
        if (at > high - 4) {
            a.imm = (int32_t)((uint32_t)a.imm + offset);
            at = 0;
        }
    } else {
        a.imm = 0;
    }
    *immediate = sam_cc_imm(at);
    return vector ? sam_cc_vector(f, a) : sam_cc_scalar(f, a);
}

static struct cc_opnd load(struct cc_function *f, unsigned space, struct cc_opnd address,
                           uint32_t offset, unsigned bytes, bool sign)
{
    const bool own = space == AS_PRIVATE, vector = own || address.kind == CC_V;
    const struct access *access = &loads[sign][bytes / 2];
    struct cc_insn insn = {.form = CC_LOAD, .effect = false};
    insn.name = own ? access->own : vector ? access->v : access->s;
    insn.a = reach(f, own, vector, address, offset, &insn.b);
    insn.d = sam_cc_new(f, vector);
    sam_cc_put(f, f->block, insn);
    f->def_insn[insn.d.reg] = (uint32_t)f->blocks[f->block].count - 1;
    return insn.d;
}

static void store(struct cc_function *f, unsigned space, struct cc_opnd address, uint32_t offset,
                  unsigned bytes, struct cc_opnd value)
{
    const bool own = space == AS_PRIVATE;
    value = sam_cc_plain(f, value);
    const bool vector = own || address.kind == CC_V || value.kind == CC_V;
    const struct access *access = &stores[bytes / 2];
    struct cc_insn insn = {.form = CC_STORE, .effect = true};
    insn.name = own ? access->own : vector ? access->v : access->s;
    insn.a = reach(f, own, vector, address, offset, &insn.b);
    insn.d = vector ? sam_cc_vector(f, value) : sam_cc_scalar(f, value);
    sam_cc_put(f, f->block, insn);
}

/* The width of one access to a number: three bytes are loaded one by one. */
static unsigned unit_of(unsigned bytes, unsigned align)
{
    return align && align < bytes ? align : bytes == 3 ? 1 : bytes;
}

struct cc_opnd sam_cc_load(struct cc_function *f, unsigned space, struct cc_opnd address,
                           const struct cc_part *part, bool sign, unsigned align)
{
    const unsigned bytes = (part->bits + 7u) / 8, unit = unit_of(bytes, align);
    struct cc_opnd out = load(f, space, address, part->offset, unit, sign && unit == bytes);
    for (unsigned i = unit; i < bytes; i += unit) {
        const struct cc_opnd next = load(f, space, address, part->offset + i, unit, false);
        out = sam_cc_op(f, OP_OR, out, sam_cc_op(f, OP_SLL, next, sam_cc_imm(8 * i)));
    }
    return part->bits == 1 ? sam_cc_op(f, OP_AND, out, sam_cc_imm(1)) : out;
}

void sam_cc_store(struct cc_function *f, unsigned space, struct cc_opnd address,
                  const struct cc_part *part, struct cc_opnd value, unsigned align)
{
    const unsigned bytes = (part->bits + 7u) / 8, unit = unit_of(bytes, align);
    for (unsigned i = 0; i < bytes; i += unit)
        store(f, space, address, part->offset + i, unit,
              i ? sam_cc_op(f, OP_SRL, value, sam_cc_imm(8 * i)) : value);
}

/* An index of `insn`, in bytes: its constant part goes to *at, the rest to `out`. */
static void add_index(struct cc_function *f, llvm_ref index, uint32_t scale, uint32_t *at,
                      struct cc_opnd out[2])
{
    const struct llvm *ll = &f->cc->ll;
    while (sam_cc_value(f, index) && ll->GetValueKind(index) == LL_INSTRUCTION &&
           ll->GetInstructionOpcode(index) == LL_ADD &&
           sam_cc_bits(f->cc, ll->TypeOf(index)) == 32 &&
           ll->GetValueKind(ll->GetOperand(index, 1)) == LL_CONST_INT) {
        llvm_ref first = ll->GetOperand(index, 0);
        const struct cc_value *from = sam_cc_value(f, first);
        if (from && f->blocks[from->block].loop != CC_NO &&
            !sam_cc_loop_holds(f, f->blocks[from->block].loop, f->block))
            break;
        *at += scale * (uint32_t)ll->ConstIntGetSExtValue(ll->GetOperand(index, 1));
        index = first;
    }
    const unsigned bits = sam_cc_bits(f->cc, ll->TypeOf(index));
    struct cc_opnd a = sam_cc_extend(f, sam_cc_use(f, index, 0), bits, true);
    a = sam_cc_op(f, OP_MUL, a, sam_cc_imm(scale));
    if (a.kind == CC_IMM)
        *at += (uint32_t)a.imm;
    else
        out[a.kind == CC_V] =
            out[a.kind == CC_V].kind ? sam_cc_op(f, OP_ADD, out[a.kind == CC_V], a) : a;
}

enum sam_status sam_cc_select_gep(struct cc_function *f, llvm_ref insn)
{
    struct cc *cc = f->cc;
    const struct llvm *ll = &cc->ll;
    struct cc_opnd base = sam_cc_part(f, ll->GetOperand(insn, 0), 0), sum[2] = {0};
    llvm_ref type = ll->GetGEPSourceElementType(insn);
    if (ll->GetTypeKind(ll->TypeOf(insn)) != LL_POINTER)
        return sam_cc_refuse(cc, insn, "a vector of pointers");
    uint32_t at = 0;
    const unsigned operands = (unsigned)ll->GetNumOperands(insn);
    for (unsigned i = 1; i < operands; i++) {
        llvm_ref index = ll->GetOperand(insn, i);
        if (i > 1 && ll->GetTypeKind(type) == LL_STRUCT) {
            const unsigned field = (unsigned)ll->ConstIntGetZExtValue(index);
            at += (uint32_t)ll->OffsetOfElement(cc->layout, type, field);
            type = ll->StructGetTypeAtIndex(type, field);
            continue;
        }
        if (i > 1)
            type = ll->GetElementType(type);
        add_index(f, index, (uint32_t)ll->ABISizeOfType(cc->layout, type), &at, sum);
    }
    struct cc_opnd out = base;
    at += (uint32_t)base.imm;
    out.imm = base.kind == CC_SYMBOL ? (int32_t)at : 0;
    for (int i = 0; i < 2; i++)
        if (sum[i].kind)
            out = out.kind == CC_IMM ? sum[i] : sam_cc_op(f, OP_ADD, sum[i], out);
    if (base.kind != CC_SYMBOL)
        out.imm = (int32_t)at;
    sam_cc_set(f, insn, 0, out);
    return SAM_OK;
}

static enum sam_status make_private(struct cc_function *f, llvm_ref insn)
{
    struct cc *cc = f->cc;
    llvm_ref type = cc->ll.GetAllocatedType(insn), count = cc->ll.GetOperand(insn, 0);
    const unsigned long long size = cc->ll.ABISizeOfType(cc->layout, type);
    if (cc->ll.GetValueKind(count) != LL_CONST_INT)
        return sam_cc_refuse(cc, f->ref, "a private array without a constant size");
    const unsigned long long n = cc->ll.ConstIntGetZExtValue(count);
    const uint32_t align = cc->ll.GetAlignment(insn) < 4 ? 4 : cc->ll.GetAlignment(insn);
    const uint32_t at = (f->private_size + align - 1) & ~(align - 1);
    if (n > 65535 || size > 65535 || at + n * size > 65532)
        return sam_cc_refuse(cc, f->ref,
                             "kernel '%s' has private variables of %llu bytes and more: "
                             "expected at most 65532",
                             f->name, at + n * size);
    f->private_size = at + (uint32_t)(n * size);
    sam_cc_set(f, insn, 0, sam_cc_imm(at));
    return SAM_OK;
}

static const char mixed[] = "a pointer to private memory or to other memory, from case to case: "
                            "expected one of them";

enum sam_status sam_cc_select_memory(struct cc_function *f, llvm_ref insn, int opcode)
{
    struct cc *cc = f->cc;
    const struct llvm *ll = &cc->ll;
    struct cc_part parts[CC_MAX_PARTS];
    if (opcode == LL_ALLOCA)
        return make_private(f, insn);
    llvm_ref pointer = ll->GetOperand(insn, opcode == LL_STORE ? 1 : 0);
    const unsigned space = sam_cc_space(f, pointer);
    const struct cc_opnd address = sam_cc_part(f, pointer, 0);
    if (opcode == LL_ADDRSPACECAST) {
        if (space == AS_PRIVATE && !is_followed(cc, insn, 8))
            return sam_cc_refuse(cc, insn,
                                 "a generic pointer to private memory that is stored or passed "
                                 "on: expected one to __private");
        sam_cc_set(f, insn, 0, address);
        return SAM_OK;
    }
    if (space == AS_MIXED)
        return sam_cc_refuse(cc, insn, "%s", mixed);
    if (opcode == LL_ATOMICRMW || opcode == LL_CMPXCHG)
        return sam_cc_refuse(cc, insn, "an atomic operation that OpenCL C does not have");
    llvm_ref type = ll->TypeOf(opcode == LL_STORE ? ll->GetOperand(insn, 0) : insn);
    const unsigned count = sam_cc_parts(cc, type, 0, parts, 0), align = ll->GetAlignment(insn);
    if (!count)
        return sam_cc_refuse(cc, insn, "a type of more than %d words", CC_MAX_PARTS);
    if (ll->GetTypeKind(type) == LL_VECTOR && sam_cc_bits(cc, type) % 8)
        return sam_cc_refuse(cc, insn, "a vector of %u-bit integers in memory",
                             sam_cc_bits(cc, type));
    bool sign = false;
    llvm_ref use = opcode == LL_LOAD ? ll->GetFirstUse(insn) : NULL;
    llvm_ref user = use ? ll->GetUser(use) : NULL;
    if (user && ll->GetValueKind(user) == LL_INSTRUCTION)
        sign = ll->GetInstructionOpcode(user) == LL_SEXT ||
               ll->GetInstructionOpcode(user) == LL_SITOFP;
    for (unsigned i = 0; i < count; i++)
        if (opcode == LL_LOAD)
            sam_cc_set(f, insn, i, sam_cc_load(f, space, address, &parts[i], sign, align));
        else
            sam_cc_store(f, space, address, &parts[i], sam_cc_use(f, ll->GetOperand(insn, 0), i),
                         align);
    return SAM_OK;
}

/* llvm.memcpy, llvm.memmove and llvm.memset of a constant size. */
enum sam_status sam_cc_copy_bytes(struct cc_function *f, llvm_ref insn, bool fill, bool overlap)
{
    struct cc *cc = f->cc;
    const struct llvm *ll = &cc->ll;
    enum { UNROLLED = 64, MOVED = 512 };
    const unsigned kind = ll->GetEnumAttributeKindForName("align", 5);
    llvm_ref to = ll->GetOperand(insn, 0), from = ll->GetOperand(insn, 1);
    const struct cc_opnd size = sam_cc_use(f, ll->GetOperand(insn, 2), 0);
    if (size.kind != CC_IMM)
        return sam_cc_refuse(cc, insn, "a copy of memory without a constant size");
    uint64_t align = 4;
    for (unsigned i = 0; i < (fill ? 1 : 2); i++) {
        llvm_ref attribute = ll->GetCallSiteEnumAttribute(insn, i + 1, kind);
        const uint64_t a = attribute ? ll->GetEnumAttributeValue(attribute) : 1;
        align = a < align ? a : align;
    }
    const unsigned unit = align ? (unsigned)align : 1;
    const unsigned to_space = sam_cc_space(f, to), from_space = fill ? 0 : sam_cc_space(f, from);
    if (to_space == AS_MIXED || from_space == AS_MIXED)
        return sam_cc_refuse(cc, insn, "%s", mixed);
    struct cc_opnd target = sam_cc_part(f, to, 0), source = sam_cc_part(f, from, 0);
    if (fill)
        source = sam_cc_op(f, OP_MUL, sam_cc_extend(f, sam_cc_plain(f, source), 8, false),
                           sam_cc_imm(0x01010101));
    const uint32_t bytes = (uint32_t)size.imm, words = bytes / unit;
    if (words <= (overlap ? MOVED : UNROLLED)) {
        struct cc_opnd held[MOVED + 4];
        uint32_t at = 0;
        for (unsigned pass = 0; pass < 2; pass++) /* all loads first: memmove may overlap */
            for (uint32_t i = at = 0; at < bytes; i++) {
                const unsigned step = bytes - at >= unit ? unit : 1;
                const struct cc_part part = {at, (uint8_t)step, (uint8_t)(8 * step)};
                if (pass == 0)
                    held[i] =
                        fill ? source : sam_cc_load(f, from_space, source, &part, false, step);
                else
                    sam_cc_store(f, to_space, target, &part, held[i], step);
                at += step;
            }
        return SAM_OK;
    }
    if (overlap)
        return sam_cc_refuse(cc, insn, "a move of %u bytes: expected at most %u", bytes,
                             MOVED * unit);
    for (uint32_t at = words * unit; at < bytes; at++) {
        const struct cc_part part = {at, 1, 8};
        sam_cc_store(f, to_space, target, &part,
                     fill ? source : sam_cc_load(f, from_space, source, &part, false, 1), 1);
    }
    const struct access *in = &loads[0][unit / 2], *out = &stores[unit / 2];
    struct cc_insn loop = {.name = to_space == AS_PRIVATE ? out->own : out->v,
                           .form = CC_LOOP,
                           .effect = true,
                           .early = true,
                           .more = words,
                           .a = sam_cc_vector(f, target),
                           .b = sam_cc_vector(f, source)};
    loop.d = sam_cc_new(f, true);
    for (int i = 0; i < 3; i++)
        loop.t[i] = sam_cc_new(f, i < 2);
    loop.load = fill ? NULL : from_space == AS_PRIVATE ? in->own : in->v;
    loop.step = unit;
    sam_cc_put(f, f->block, loop);
    return SAM_OK;
}

enum sam_status sam_cc_atomic(struct cc_function *f, llvm_ref insn, const char *name,
                              struct cc_opnd address, struct cc_opnd value, struct cc_opnd expected)
{
    struct cc_insn loop = {.name = name,
                           .form = CC_LOOP,
                           .effect = true,
                           .early = true,
                           .a = sam_cc_vector(f, address),
                           .b = sam_cc_vector(f, value),
                           .e = sam_cc_lane(f)};
    if (expected.kind)
        loop.c = sam_cc_vector(f, expected);
    loop.d = sam_cc_new(f, true);
    for (int i = 0; i < CC_TEMPS; i++)
        loop.t[i] = sam_cc_new(f, i == 0);
    sam_cc_put(f, f->block, loop);
    f->mask_block = CC_NO;
    sam_cc_set(f, insn, 0, loop.d);
    return SAM_OK;
}
