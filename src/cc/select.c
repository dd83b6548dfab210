/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of LLVM to those of the machine, block by block. */
#include <stdlib.h>
#include <string.h>

#include "cc/debug.h"

static enum sam_status unknown(struct cc_function *f, llvm_ref insn)
{
    char *text = f->cc->ll.PrintValueToString(insn);
    const enum sam_status status =
        sam_cc_refuse(f->cc, insn, "not supported: %.200s", text + strspn(text, " "));
    f->cc->ll.DisposeMessage(text);
    return status;
}

static enum sam_status binary(struct cc_function *f, llvm_ref insn, int opcode)
{
    static const uint8_t ops[] = {
        [LL_ADD] = OP_ADD,   [LL_FADD] = OP_FADD, [LL_SUB] = OP_SUB,   [LL_FSUB] = OP_FSUB,
        [LL_MUL] = OP_MUL,   [LL_FMUL] = OP_FMUL, [LL_UDIV] = OP_DIVU, [LL_SDIV] = OP_DIV,
        [LL_FDIV] = OP_FDIV, [LL_UREM] = OP_REMU, [LL_SREM] = OP_REM,  [LL_SHL] = OP_SLL,
        [LL_LSHR] = OP_SRL,  [LL_ASHR] = OP_SRA,  [LL_AND] = OP_AND,   [LL_OR] = OP_OR,
        [LL_XOR] = OP_XOR,
    };
    const struct llvm *ll = &f->cc->ll;
    llvm_ref x = ll->GetOperand(insn, 0), y = ll->GetOperand(insn, 1);
    const unsigned bits = sam_cc_bits(f->cc, ll->TypeOf(insn));
    const struct cc_value *v = sam_cc_value(f, insn);
    const bool exact = opcode == LL_UDIV || opcode == LL_UREM || opcode == LL_LSHR;
    const bool is_signed = opcode == LL_SDIV || opcode == LL_SREM || opcode == LL_ASHR;
    enum sam_status status = SAM_OK;
    if (opcode == LL_FREM)
        return unknown(f, insn);
    for (unsigned i = 0; bits > 32 && i < v->count / sam_cc_words(bits) && status == SAM_OK; i++)
        status = sam_cc_select_wide(f, insn, opcode, i);
    for (unsigned i = 0; bits <= 32 && i < v->count; i++) {
        struct cc_opnd a = sam_cc_use(f, x, i), b = sam_cc_use(f, y, i);
        if (exact || is_signed) {
            a = sam_cc_extend(f, a, bits, is_signed);
            b = sam_cc_extend(f, b, bits, is_signed);
        } else if (opcode == LL_SHL) {
            b = sam_cc_extend(f, b, bits, false);
        }
        a = sam_cc_op(f, ops[opcode], a, b);
        if (bits == 1 && (opcode == LL_ADD || opcode == LL_SUB))
            a = sam_cc_op(f, OP_AND, a, sam_cc_imm(1));
        sam_cc_set(f, insn, i, a);
    }
    return status;
}

/* The comparison of element `i`. */
static struct cc_opnd compare(struct cc_function *f, llvm_ref insn, unsigned i)
{
    const struct llvm *ll = &f->cc->ll;
    llvm_ref x = ll->GetOperand(insn, 0), y = ll->GetOperand(insn, 1);
    const int opcode = ll->GetInstructionOpcode(insn);
    if (opcode == LL_FCMP)
        return sam_cc_fcmp(f, ll->GetFCmpPredicate(insn), sam_cc_use(f, x, i), sam_cc_use(f, y, i));
    const int pred = ll->GetICmpPredicate(insn);
    struct cc_opnd a[CC_MAX_WORDS], b[CC_MAX_WORDS];
    const unsigned n = sam_cc_wide_use(f, x, i, pred >= LL_SGT, a);
    sam_cc_wide_use(f, y, i, pred >= LL_SGT, b);
    return sam_cc_wide_icmp(f, pred, n, a, b);
}

static enum sam_status cast(struct cc_function *f, llvm_ref insn, int opcode)
{
    const struct llvm *ll = &f->cc->ll;
    llvm_ref x = ll->GetOperand(insn, 0);
    const unsigned from = sam_cc_bits(f->cc, ll->TypeOf(x));
    const unsigned to = sam_cc_bits(f->cc, ll->TypeOf(insn));
    const struct cc_value *v = sam_cc_value(f, insn);
    const bool sign = opcode == LL_SEXT || opcode == LL_SITOFP;
    const bool extends = sign || opcode == LL_ZEXT || opcode == LL_UITOFP;
    const unsigned each = sam_cc_words(to), source = sam_cc_words(from);
    for (unsigned i = 0; i * each < v->count; i++) {
        struct cc_opnd a[CC_MAX_WORDS];
        unsigned word = 0;
        do
            a[word] = sam_cc_use(f, x, i * source + word);
        while (++word < source);
        if (extends)
            a[source - 1] = sam_cc_extend(f, a[source - 1], from - 32 * (source - 1), sign);
        switch (opcode) {
        case LL_TRUNC:
            if (to == 1)
                a[0] = sam_cc_op(f, OP_AND, a[0], sam_cc_imm(1));
            break;
        case LL_UITOFP: a[0] = sam_cc_unary(f, UN_U2F, a[0]); break;
        case LL_SITOFP: a[0] = sam_cc_unary(f, UN_I2F, a[0]); break;
        case LL_FPTOUI: a[0] = sam_cc_unary(f, UN_F2U_RTZ, a[0]); break;
        case LL_FPTOSI: a[0] = sam_cc_unary(f, UN_F2I_RTZ, a[0]); break;
        default: break; /* pointers are integers of 32 bits */
        }
        if (opcode >= LL_FPTOUI && opcode <= LL_SITOFP && (from > 32 || to > 32))
            return unknown(f, insn);
        for (unsigned k = source; k < each; k++)
            a[k] = sign ? sam_cc_op(f, OP_SRA, a[source - 1], sam_cc_imm(31)) : sam_cc_imm(0);
        for (unsigned k = 0; k < each; k++)
            sam_cc_set(f, insn, i * each + k, a[k]);
    }
    return SAM_OK;
}

/* Bits of part `part` of a number or vector whose elements have `width` bits, which are packed also
 * where they are narrower than a byte. */
struct bit_range {
    int32_t from;
    unsigned bits;
};

static struct bit_range bits_of_part(unsigned width, unsigned part)
{
    const unsigned each = sam_cc_words(width), word = part % each;
    return (struct bit_range){(int32_t)(part / each * width + 32 * word),
                              word + 1 < each ? 32 : width - 32 * word};
}

/* Bits from one type to another: by words, of which narrow elements are parts. */
static enum sam_status bitcast(struct cc_function *f, llvm_ref insn)
{
    struct cc *cc = f->cc;
    llvm_ref x = cc->ll.GetOperand(insn, 0);
    struct cc_part parts[CC_MAX_PARTS];
    const unsigned n = sam_cc_parts(cc, cc->ll.TypeOf(x), 0, parts, 0);
    const unsigned m = sam_cc_parts(cc, cc->ll.TypeOf(insn), 0, parts, 0);
    const unsigned from_width = sam_cc_bits(cc, cc->ll.TypeOf(x));
    const unsigned to_width = sam_cc_bits(cc, cc->ll.TypeOf(insn));
    for (unsigned i = 0; i < m; i++) {
        const struct bit_range to = bits_of_part(to_width, i);
        struct cc_opnd word = sam_cc_imm(0);
        for (unsigned k = 0; k < n; k++) {
            const struct bit_range from = bits_of_part(from_width, k);
            const int32_t shift = from.from - to.from;
            if (shift <= -(int32_t)from.bits || shift >= (int32_t)to.bits)
                continue;
            if (shift == 0 && from.bits == to.bits) {
                word = sam_cc_part(f, x, k);
                break;
            }
            struct cc_opnd a = sam_cc_extend(f, sam_cc_use(f, x, k), from.bits, false);
            a = shift < 0 ? sam_cc_op(f, OP_SRL, a, sam_cc_imm(-shift))
                          : sam_cc_op(f, OP_SLL, a, sam_cc_imm(shift));
            word = sam_cc_op(f, OP_OR, word, a);
        }
        sam_cc_set(f, insn, i, word);
    }
    return SAM_OK;
}

/* extractelement, insertelement, shufflevector, extractvalue, insertvalue. */
static enum sam_status element(struct cc_function *f, llvm_ref insn, int opcode)
{
    struct cc *cc = f->cc;
    const struct llvm *ll = &cc->ll;
    struct cc_part parts[CC_MAX_PARTS];
    const struct cc_value *v = sam_cc_value(f, insn);
    llvm_ref x = ll->GetOperand(insn, 0);
    const bool insert = opcode == LL_INSERTELEMENT || opcode == LL_INSERTVALUE;
    llvm_ref type = ll->TypeOf(x);
    if (opcode == LL_SHUFFLEVECTOR) {
        llvm_ref y = ll->GetOperand(insn, 1);
        const unsigned each = sam_cc_words(sam_cc_bits(cc, type)), n = ll->GetVectorSize(type);
        for (unsigned i = 0; i < v->count; i++) {
            const int at = ll->GetMaskValue(insn, i / each);
            const unsigned part = (unsigned)at % n * each + i % each;
            if (at >= 0)
                sam_cc_set(f, insn, i, sam_cc_part(f, (unsigned)at < n ? x : y, part));
        }
        return SAM_OK;
    }
    if (opcode == LL_EXTRACTVALUE || opcode == LL_INSERTVALUE) {
        unsigned at = 0;
        const unsigned *index = ll->GetIndices(insn);
        for (unsigned k = 0; k < ll->GetNumIndices(insn); k++) {
            const bool array = ll->GetTypeKind(type) == LL_ARRAY;
            for (unsigned i = 0; i < index[k]; i++)
                at += sam_cc_parts(
                    cc, array ? ll->GetElementType(type) : ll->StructGetTypeAtIndex(type, i), 0,
                    parts, 0);
            type = array ? ll->GetElementType(type) : ll->StructGetTypeAtIndex(type, index[k]);
        }
        llvm_ref y = insert ? ll->GetOperand(insn, 1) : NULL;
        const unsigned n = sam_cc_parts(cc, type, 0, parts, 0);
        for (unsigned i = 0; i < v->count; i++)
            sam_cc_set(f, insn, i,
                       !insert                 ? sam_cc_part(f, x, at + i)
                       : i >= at && i < at + n ? sam_cc_part(f, y, i - at)
                                               : sam_cc_part(f, x, i));
        return SAM_OK;
    }
    const unsigned each = sam_cc_words(sam_cc_bits(cc, type)), n = ll->GetVectorSize(type);
    struct cc_opnd index = sam_cc_use(f, ll->GetOperand(insn, insert ? 2 : 1), 0);
    for (unsigned i = 0; i < v->count; i++) {
        struct cc_opnd out = insert ? sam_cc_part(f, x, i) : sam_cc_imm(0);
        struct cc_opnd y = insert ? sam_cc_part(f, ll->GetOperand(insn, 1), i % each) : out;
        if (index.kind == CC_IMM && insert)
            out = (unsigned)index.imm == i / each ? y : out;
        else if (index.kind == CC_IMM)
            out = sam_cc_part(f, x, (unsigned)index.imm % n * each + i);
        else if (insert)
            out = sam_cc_select(f, sam_cc_icmp(f, LL_EQ, index, sam_cc_imm(i / each)), y, out);
        else
            for (unsigned k = 0; k < n; k++)
                out = k == 0 ? sam_cc_part(f, x, i)
                             : sam_cc_select(f, sam_cc_icmp(f, LL_EQ, index, sam_cc_imm(k)),
                                             sam_cc_part(f, x, k * each + i), out);
        sam_cc_set(f, insn, i, out);
    }
    return SAM_OK;
}

static enum sam_status choose(struct cc_function *f, llvm_ref insn)
{
    const struct llvm *ll = &f->cc->ll;
    const struct cc_value *v = sam_cc_value(f, insn);
    llvm_ref cond = ll->GetOperand(insn, 0);
    const bool many = ll->GetTypeKind(ll->TypeOf(cond)) == LL_VECTOR;
    const unsigned each = many ? sam_cc_words(sam_cc_bits(f->cc, ll->TypeOf(insn))) : 1;
    for (unsigned i = 0; i < v->count; i++)
        sam_cc_set(f, insn, i,
                   sam_cc_select(f, sam_cc_use(f, cond, many ? i / each : 0),
                                 sam_cc_part(f, ll->GetOperand(insn, 1), i),
                                 sam_cc_part(f, ll->GetOperand(insn, 2), i)));
    return SAM_OK;
}

static enum sam_status select_insn(struct cc_function *f, llvm_ref insn)
{
    const struct llvm *ll = &f->cc->ll;
    const int opcode = ll->GetInstructionOpcode(insn);
    const struct cc_value *v = sam_cc_value(f, insn);
    switch (opcode) {
    case LL_ICMP:
    case LL_FCMP:
        for (unsigned i = 0; i < v->count; i++)
            sam_cc_set(f, insn, i, compare(f, insn, i));
        return SAM_OK;
    case LL_FNEG:
        for (unsigned i = 0; i < v->count; i++) {
            const struct cc_opnd a = sam_cc_use(f, ll->GetOperand(insn, 0), i);
            sam_cc_set(f, insn, i, sam_cc_op(f, OP_SGNJN, a, a));
        }
        return SAM_OK;
    case LL_FREEZE:
        for (unsigned i = 0; i < v->count; i++)
            sam_cc_set(f, insn, i, sam_cc_part(f, ll->GetOperand(insn, 0), i));
        return SAM_OK;
    case LL_TRUNC:
    case LL_ZEXT:
    case LL_SEXT:
    case LL_FPTOUI:
    case LL_FPTOSI:
    case LL_UITOFP:
    case LL_SITOFP:
    case LL_PTRTOINT:
    case LL_INTTOPTR: return cast(f, insn, opcode);
    case LL_BITCAST: return bitcast(f, insn);
    case LL_SELECT: return choose(f, insn);
    case LL_EXTRACTELEMENT:
    case LL_INSERTELEMENT:
    case LL_SHUFFLEVECTOR:
    case LL_EXTRACTVALUE:
    case LL_INSERTVALUE: return element(f, insn, opcode);
    case LL_GEP: return sam_cc_select_gep(f, insn);
    case LL_ALLOCA:
    case LL_LOAD:
    case LL_STORE:
    case LL_ATOMICRMW:
    case LL_CMPXCHG:
    case LL_ADDRSPACECAST: return sam_cc_select_memory(f, insn, opcode);
    case LL_CALL: return sam_cc_select_call(f, insn);
    case LL_FENCE:
    case LL_PHI:
    case LL_BR:
    case LL_RET:
    case LL_UNREACHABLE: return SAM_OK;
    default:
        return opcode >= LL_ADD && opcode <= LL_XOR ? binary(f, insn, opcode) : unknown(f, insn);
    }
}

/* Room for the parts of a value; registers for those of a phi. */
static enum sam_status make_parts(struct cc_function *f, struct cc_value *v)
{
    struct cc *cc = f->cc;
    struct cc_part parts[CC_MAX_PARTS];
    llvm_ref type = cc->ll.TypeOf(v->ref);
    if (cc->ll.GetTypeKind(type) == LL_VOID)
        return SAM_OK;
    v->count = sam_cc_parts(cc, type, 0, parts, 0);
    if (v->count == 0)
        return unknown(f, v->ref);
    v->parts = sam_alloc(v->count, sizeof *v->parts);
    if (!v->parts)
        return sam_fail_memory(cc->error);
    f->block = v->block;
    for (unsigned i = 0; i < v->count; i++)
        v->parts[i] = cc->ll.GetValueKind(v->ref) == LL_INSTRUCTION &&
                              cc->ll.GetInstructionOpcode(v->ref) == LL_PHI
                          ? sam_cc_new(f, v->divergent)
                          : sam_cc_imm(0);
    return SAM_OK;
}

static void arguments(struct cc_function *f)
{
    struct cc *cc = f->cc;
    struct cc_part parts[CC_MAX_PARTS];
    f->block = 0;
    f->arguments = sam_cc_new(f, false);
    sam_cc_copy(f, 0, f->arguments, (struct cc_opnd){.kind = CC_X, .reg = 10});
    for (unsigned i = 0; i < cc->ll.CountParams(f->ref); i++) {
        struct cc_value *v = &f->values[i];
        const uint32_t at = sam_cc_argument_at(cc, f->ref, i);
        if (sam_cc_parts(cc, cc->ll.TypeOf(v->ref), at, parts, 0) == v->count &&
            cc->ll.GetFirstUse(v->ref))
            for (unsigned k = 0; k < v->count; k++)
                v->parts[k] = sam_cc_load(f, AS_CONSTANT, f->arguments, &parts[k], false, 4);
    }
}

/* A branch on a comparison of words compares by itself. */
static void end_block(struct cc_function *f, uint32_t block)
{
    static const char *const names[2][10] = {
        {"beq", "bne", NULL, "bgeu", "bltu", NULL, NULL, "bge", "blt", NULL},
        {"vbeq", "vbne", NULL, "vbgeu", "vbltu", NULL, NULL, "vbge", "vblt", NULL}};
    const struct llvm *ll = &f->cc->ll;
    if (f->blocks[block].end != CC_BRANCH && f->blocks[block].end != CC_SPLIT)
        return;
    const bool split = f->blocks[block].end == CC_SPLIT;
    llvm_ref cond = ll->GetCondition(ll->GetBasicBlockTerminator(f->ir[block]));
    const struct cc_value *v = sam_cc_value(f, cond);
    struct cc_opnd a, b = sam_cc_imm(0);
    int pred = LL_NE;
    if (v && ll->GetValueKind(cond) == LL_INSTRUCTION &&
        ll->GetInstructionOpcode(cond) == LL_ICMP &&
        f->blocks[v->block].loop == f->blocks[block].loop &&
        sam_cc_bits(f->cc, ll->TypeOf(ll->GetOperand(cond, 0))) <= 32) {
        const unsigned bits = sam_cc_bits(f->cc, ll->TypeOf(ll->GetOperand(cond, 0)));
        pred = ll->GetICmpPredicate(cond);
        a = sam_cc_extend(f, sam_cc_use(f, ll->GetOperand(cond, 0), 0), bits, pred >= LL_SGT);
        b = sam_cc_extend(f, sam_cc_use(f, ll->GetOperand(cond, 1), 0), bits, pred >= LL_SGT);
    } else {
        a = sam_cc_use(f, cond, 0);
    }
    if (pred == LL_UGT || pred == LL_ULE || pred == LL_SGT || pred == LL_SLE)
        pred = sam_cc_swap(pred, &a, &b);
    a = split || a.kind == CC_V || b.kind == CC_V ? sam_cc_vector(f, a) : sam_cc_scalar(f, a);
    b = a.kind == CC_V ? sam_cc_vector(f, b) : sam_cc_scalar(f, b);
    struct cc_block *to = &f->blocks[block];
    /* all lanes agree, but the value is in a vector */
    to->end = a.kind == CC_V ? CC_SPLIT : CC_BRANCH;
    to->name = names[a.kind == CC_V][pred - LL_EQ];
    to->a = a;
    to->b = b;
    to->line = f->line;
    to->file = f->file;
}

/* Copies that happen at once: d[i] = s[i]. */
static void move_all(struct cc_function *f, uint32_t block, struct cc_opnd *d, struct cc_opnd *s,
                     size_t count)
{
    for (size_t left = count; left;) {
        bool moved = false;
        for (size_t i = 0; i < count; i++) {
            bool read = false;
            if (d[i].kind == CC_NONE)
                continue;
            for (size_t k = 0; k < count; k++)
                read |= k != i && d[k].kind != CC_NONE && s[k].kind == d[i].kind &&
                        s[k].reg == d[i].reg;
            if (read)
                continue;
            if (s[i].kind != d[i].kind || s[i].reg != d[i].reg || s[i].imm)
                sam_cc_copy(f, block, d[i], s[i]);
            d[i].kind = CC_NONE;
            moved = true;
            left--;
        }
        for (size_t i = 0; !moved && i < count; i++) {
            if (d[i].kind == CC_NONE)
                continue;
            const struct cc_opnd t = sam_cc_new(f, d[i].kind == CC_V); /* part of a cycle */
            sam_cc_copy(f, block, t, (struct cc_opnd){.kind = d[i].kind, .reg = d[i].reg});
            for (size_t k = 0; k < count; k++)
                if (s[k].kind == d[i].kind && s[k].reg == d[i].reg)
                    s[k] = (struct cc_opnd){t.kind, t.reg, s[k].imm};
            moved = true;
        }
    }
}

/* The phis of block `to` for lanes that come from `from`; a block of its own where both have other
 * neighbours. */
static enum sam_status phis(struct cc_function *f, uint32_t from, unsigned which)
{
    const struct llvm *ll = &f->cc->ll;
    const uint32_t to = f->blocks[from].next[which];
    if (to >= f->ir_blocks)
        return SAM_OK;
    size_t count = 0;
    llvm_ref insn = ll->GetFirstInstruction(f->ir[to]);
    for (llvm_ref i = insn; i && ll->GetInstructionOpcode(i) == LL_PHI;
         i = ll->GetNextInstruction(i))
        count += sam_cc_value(f, i)->count;
    if (!count)
        return SAM_OK;
    struct cc_opnd *d = sam_alloc(count, sizeof *d), *s = sam_alloc(count, sizeof *s);
    if (!d || !s) {
        free(d);
        free(s);
        return sam_fail_memory(f->cc->error);
    }
    count = 0;
    for (; insn && ll->GetInstructionOpcode(insn) == LL_PHI; insn = ll->GetNextInstruction(insn)) {
        const struct cc_value *v = sam_cc_value(f, insn);
        unsigned k = 0;
        while (sam_cc_block_of(f, ll->GetIncomingBlock(insn, k)) != from)
            k++;
        llvm_ref in = ll->GetIncomingValue(insn, k);
        const int kind = ll->GetValueKind(in);
        for (unsigned i = 0; i < v->count && kind != LL_UNDEF && kind != LL_POISON; i++) {
            d[count] = v->parts[i];
            s[count++] = sam_cc_part(f, in, i);
        }
    }
    uint32_t block = from;
    if (f->blocks[from].end != CC_JUMP) {
        /* an edge out of a loop belongs to the loop that holds both ends */
        uint32_t loop = f->blocks[from].loop;
        while (loop != CC_NO && !sam_cc_loop_holds(f, loop, to))
            loop = f->loops[loop].parent;
        block = sam_cc_block_new(f, loop);
        f->blocks[block].end = CC_JUMP;
        f->blocks[block].next[0] = to;
        f->blocks[from].next[which] = block;
    }
    f->block = block;
    move_all(f, block, d, s, count);
    free(d);
    free(s);
    return SAM_OK;
}

/* The code that follows is of this line. */
static void set_line(struct cc_function *f, const char *file, unsigned size, unsigned line)
{
    struct cc *cc = f->cc;
    uint32_t i = 0;
    if (!file || !line)
        return;
    while (i < cc->file_count &&
           (strlen(cc->files[i]) != size || memcmp(cc->files[i], file, size) != 0))
        i++;
    if (i == cc->file_count) {
        char **files = realloc(cc->files, (i + 1) * sizeof *files);
        char *name = files ? strndup(file, size) : NULL;
        if (files)
            cc->files = files;
        if (!name) {
            f->failed = true;
            return;
        }
        cc->files[cc->file_count++] = name;
    }
    f->line = line;
    f->file = i + 1;
}

static void set_place(struct cc_function *f, llvm_ref insn)
{
    const struct llvm *ll = &f->cc->ll;
    const unsigned line = ll->GetDebugLocLine(insn);
    if (f->cc->debug && line)
        f->scope = sam_cc_debug_scope(f->cc->debug, insn);
    unsigned size = 0;
    const char *file = line ? ll->GetDebugLocFilename(insn, &size) : NULL;
    set_line(f, file, size, line);
}

/* Code that is of no line of the source, as the loads of arguments, is of the function's. */
static void set_first_place(struct cc_function *f)
{
    const struct llvm *ll = &f->cc->ll;
    unsigned size = 0;
    llvm_ref program = ll->GetSubprogram(f->ref);
    llvm_ref file = program ? ll->DIScopeGetFile(program) : NULL;
    const char *name = file ? ll->DIFileGetFilename(file, &size) : NULL;
    set_line(f, name, size, program ? ll->DISubprogramGetLine(program) : 0);
}

enum sam_status sam_cc_select_all(struct cc_function *f)
{
    const struct llvm *ll = &f->cc->ll;
    enum sam_status status = SAM_OK;
    f->mask_block = CC_NO;
    for (uint32_t i = 0; i < f->value_count && status == SAM_OK; i++)
        status = make_parts(f, &f->values[i]);
    if (status != SAM_OK)
        return status;
    set_first_place(f);
    arguments(f);
    for (uint32_t i = 0; i < f->order_count && status == SAM_OK; i++) {
        const uint32_t b = f->order[i];
        if (b >= f->ir_blocks)
            continue;
        f->block = b;
        llvm_ref insn = ll->GetFirstInstruction(f->ir[b]);
        for (; insn && status == SAM_OK; insn = ll->GetNextInstruction(insn)) {
            set_place(f, insn);
            status = select_insn(f, insn);
            sam_cc_value(f, insn)->done = true;
        }
        if (status == SAM_OK)
            end_block(f, b);
    }
    for (uint32_t i = 0, n = f->order_count; i < n && status == SAM_OK; i++) {
        const uint32_t b = f->order[i];
        uint32_t next[2];
        const unsigned count = sam_cc_next(&f->blocks[b], next);
        for (unsigned k = 0; k < count && status == SAM_OK; k++)
            status = phis(f, b, k);
    }
    return f->failed && status == SAM_OK ? sam_fail_memory(f->cc->error) : status;
}
