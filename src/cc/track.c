/* SPDX-License-Identifier: Apache-2.0 */
/* Values of source variables, from LLVM's calls of llvm.dbg.*. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "cc/debug.h"

/* Kinds of metadata: llvm-c/DebugInfo.h. */
enum {
    MD_CONSTANT = 1,
    MD_LOCAL = 2,
    MD_SUBPROGRAM = 17,
    MD_BLOCK = 18,
    MD_BLOCK_FILE = 19,
    MD_VARIABLE = 25
};

unsigned sam_cc_debug_operands(struct cc *cc, llvm_ref node, llvm_ref *operands, unsigned room)
{
    llvm_ref value = node ? cc->ll.MetadataAsValue(cc->context, node) : NULL;
    const unsigned count = value ? cc->ll.GetMDNodeNumOperands(value) : 0;
    if (count > room)
        return 0;
    if (count)
        cc->ll.GetMDNodeOperands(value, operands);
    return count;
}

llvm_ref sam_cc_debug_operand(struct cc *cc, llvm_ref node, unsigned index)
{
    llvm_ref operands[32];
    const unsigned count = sam_cc_debug_operands(cc, node, operands, SAM_COUNT(operands));
    return index < count && operands[index] ? cc->ll.ValueAsMetadata(operands[index]) : NULL;
}

void *sam_cc_debug_room(struct cc_debug *d, void *items, size_t count, size_t *room, size_t size)
{
    void *grown = sam_grow(items, count, room, size);
    d->failed |= !grown;
    return grown ? grown : items;
}

static uint32_t scope_of(struct cc_debug *d, llvm_ref scope, llvm_ref call, unsigned depth)
{
    struct cc *cc = d->cc;
    for (uint32_t i = 0; i < d->scope_count; i++)
        if (d->scopes[i].scope == scope && d->scopes[i].call == call)
            return i;
    if (!scope || depth == 256)
        return CC_NO;
    const unsigned kind = cc->ll.GetMetadataKind(scope);
    uint32_t parent = CC_NO;
    if (kind == MD_BLOCK_FILE)
        return scope_of(d, sam_cc_debug_operand(cc, scope, 1), call, depth + 1);
    if (kind == MD_BLOCK)
        parent = scope_of(d, sam_cc_debug_operand(cc, scope, 1), call, depth + 1);
    else if (kind == MD_SUBPROGRAM && call)
        parent = scope_of(d, cc->ll.DILocationGetScope(call), cc->ll.DILocationGetInlinedAt(call),
                          depth + 1);
    if (d->failed)
        return CC_NO;
    return CC_DEBUG_ADD(d, scope, (struct cc_scope){scope, call, parent});
}

uint32_t sam_cc_debug_scope(struct cc_debug *d, llvm_ref insn)
{
    struct cc *cc = d->cc;
    llvm_ref at = cc->ll.InstructionGetDebugLoc(insn);
    return at ? scope_of(d, cc->ll.DILocationGetScope(at), cc->ll.DILocationGetInlinedAt(at), 0) + 1
              : 0;
}

uint32_t sam_cc_debug_size(struct cc *cc, llvm_ref type)
{
    for (int depth = 0; type && depth < 64; depth++) {
        const uint64_t bits = cc->ll.DITypeGetSizeInBits(type);
        if (bits)
            return bits / 8 < UINT32_MAX ? (uint32_t)((bits + 7) / 8) : 0;
        type = sam_cc_debug_operand(cc, type, 3); /* of a typedef or qualifier */
    }
    return 0;
}

static uint32_t variable_of(struct cc_debug *d, llvm_ref variable, llvm_ref at)
{
    struct cc *cc = d->cc;
    llvm_ref call = cc->ll.DILocationGetInlinedAt(at);
    for (uint32_t i = 0; i < d->variable_count; i++)
        if (d->variables[i].variable == variable && d->variables[i].call == call)
            return i;
    const uint32_t scope = scope_of(d, sam_cc_debug_operand(cc, variable, 0), call, 0);
    const uint32_t size = sam_cc_debug_size(cc, sam_cc_debug_operand(cc, variable, 3));
    if (scope == CC_NO)
        return CC_NO;
    return CC_DEBUG_ADD(d, variable, (struct cc_variable){variable, call, scope, size});
}

/* The effect of a DIExpression on its first value. */
struct meaning {
    bool in_memory, whole;
    int64_t add;
    uint32_t from, to; /* bytes of the variable */
};

/* LLVM's C interface shows the operators of a DIExpression as text only: "DW_OP_name, number, ...".
 * False: another operator. */
static bool read_expression(struct cc *cc, llvm_ref value, struct meaning *m)
{
    char *text = cc->ll.PrintValueToString(value);
    const char *at = strstr(text, "DIExpression(");
    bool good = at != NULL;
    uint64_t constant = 0;
    *m = (struct meaning){.whole = true, .to = UINT32_MAX};
    for (at = at ? at + 13 : ""; good && *at && *at != ')';) {
        static const struct {
            const char *name;
            unsigned numbers;
        } operators[] = {{"DW_OP_deref", 0},
                         {"DW_OP_stack_value", 0},
                         {"DW_OP_minus", 0},
                         {"DW_OP_plus_uconst", 1},
                         {"DW_OP_constu", 1},
                         {"DW_OP_plus", 0},
                         {"DW_OP_LLVM_fragment", 2},
                         /* clang names the address space of a variable so */
                         {"DW_OP_swap", 0},
                         {"DW_OP_xderef", 0}};
        size_t i = 0, size = strcspn(at, ",)");
        while (i < SAM_COUNT(operators) &&
               (strlen(operators[i].name) != size || strncmp(at, operators[i].name, size) != 0))
            i++;
        good = i < SAM_COUNT(operators);
        uint64_t numbers[2] = {0};
        at += size;
        for (unsigned k = 0; good && k < operators[i].numbers; k++) {
            at += strspn(at, ", ");
            while (sam_is_digit(*at))
                numbers[k] = numbers[k] * 10 + (uint64_t)(*at++ - '0');
        }
        at += strspn(at, ", ");
        switch (i) {
        case 0: m->in_memory = true; break;
        case 2: m->add -= (int64_t)constant; break;
        case 3: m->add += (int64_t)numbers[0]; break;
        case 4: constant = numbers[0]; break;
        case 5: m->add += (int64_t)constant; break;
        case 6:
            m->whole = false;
            m->from = (uint32_t)(numbers[0] / 8);
            m->to = m->from + (uint32_t)(numbers[1] / 8);
            good &= numbers[0] % 8 == 0 && numbers[1] % 8 == 0 && m->to >= m->from;
            break;
        default: break;
        }
    }
    cc->ll.DisposeMessage(text);
    return good;
}

/* The location of part `o` of a value; false: none. */
static bool piece_of(struct cc_opnd o, struct cc_piece *piece)
{
    piece->imm = o.imm;
    piece->reg = o.reg;
    switch (o.kind) {
    case CC_IMM:
        piece->kind = CC_PIECE_VALUE;
        piece->reg = 0;
        return true;
    case CC_SYMBOL: piece->kind = CC_PIECE_SYMBOL; return !(o.reg & CC_LABEL);
    case CC_S:
    case CC_V: piece->kind = o.imm ? CC_PIECE_SUM : CC_PIECE_REGISTER; return true;
    default: return false;
    }
}

/* Part `i` of a value, without any code for it. */
static struct cc_opnd part_of(struct cc_function *f, llvm_ref value, unsigned i)
{
    const struct cc_value *v = sam_cc_value(f, value);
    const int kind = f->cc->ll.GetValueKind(value);
    /* a note may come before the instruction */
    if (v && !v->done && kind == LL_INSTRUCTION && f->cc->ll.GetInstructionOpcode(value) != LL_PHI)
        return (struct cc_opnd){0};
    if (v)
        return i < v->count ? v->parts[i] : (struct cc_opnd){0};
    if (kind == LL_CONST_INT || kind == LL_CONST_FP || kind == LL_NULL ||
        kind == LL_ZERO_AGGREGATE || kind == LL_DATA_VECTOR)
        return sam_cc_part(f, value, i);
    return (struct cc_opnd){0};
}

static unsigned index_of_argument(struct cc_function *f, llvm_ref value)
{
    unsigned i = 0;
    while (i < f->cc->ll.CountParams(f->ref) && f->cc->ll.GetParam(f->ref, i) != value)
        i++;
    return i;
}

static void add_pieces(struct cc_function *f, struct cc_note *note, llvm_ref value,
                       const struct meaning *m)
{
    struct cc *cc = f->cc;
    struct cc_debug *d = cc->debug;
    struct cc_part parts[CC_MAX_PARTS];
    const bool argument = cc->ll.GetValueKind(value) == LL_ARGUMENT && !m->add;
    const unsigned count = sam_cc_parts(cc, cc->ll.TypeOf(value), 0, parts, 0);
    const uint32_t size = d->variables[note->variable].size;
    note->first = (uint32_t)d->piece_count;
    if (m->in_memory) { /* an alloca, whose address is a constant */
        const struct cc_opnd at = part_of(f, value, 0);
        const struct cc_piece piece = {m->from, m->whole ? size : m->to - m->from, CC_PIECE_PRIVATE,
                                       0, at.imm + (int32_t)m->add};
        if (at.kind == CC_IMM && piece.size)
            CC_DEBUG_ADD(d, piece, piece);
    }
    for (unsigned i = 0; !m->in_memory && count <= CC_MAX_PIECES && i < count; i++) {
        struct cc_piece piece = {.offset = m->from + parts[i].offset, .size = parts[i].bytes};
        if (argument) {
            piece.kind = CC_PIECE_ARGUMENT;
            piece.imm = (int32_t)(sam_cc_argument_at(cc, f->ref, index_of_argument(f, value)) +
                                  parts[i].offset);
        } else if (!piece_of(part_of(f, value, i), &piece)) {
            continue;
        }
        piece.imm = (int32_t)((uint32_t)piece.imm + (uint32_t)m->add);
        if (piece.kind == CC_PIECE_REGISTER && m->add)
            piece.kind = CC_PIECE_SUM;
        if (m->add && count > 1)
            continue; /* carries are not computed */
        if (piece.offset < size && piece.offset + piece.size > size)
            piece.size = size - piece.offset;
        if (piece.offset < size && piece.offset < m->to)
            CC_DEBUG_ADD(d, piece, piece);
    }
    note->count = (uint32_t)d->piece_count - note->first;
}

uint32_t sam_cc_debug_join(struct cc_function *f, uint32_t first, uint32_t second)
{
    struct cc_note *notes = f->cc->debug ? f->cc->debug->notes : NULL;
    if (!notes || !first || !second)
        return first ? first : second;
    uint32_t last = first;
    while (notes[last - 1].next)
        last = notes[last - 1].next;
    notes[last - 1].next = second;
    return first;
}

void sam_cc_debug_note(struct cc_function *f, llvm_ref call)
{
    struct cc *cc = f->cc;
    struct cc_debug *d = cc->debug;
    size_t size;
    const char *name = cc->ll.GetValueName2(cc->ll.GetCalledValue(call), &size);
    const bool declares = strcmp(name, "llvm.dbg.declare") == 0;
    llvm_ref at = cc->ll.InstructionGetDebugLoc(call), value = NULL;
    if ((!declares && strcmp(name, "llvm.dbg.value") != 0) || !at)
        return;
    llvm_ref holds = cc->ll.GetOperand(call, 0);
    const unsigned kind = cc->ll.GetMetadataKind(cc->ll.ValueAsMetadata(holds));
    if (kind == MD_CONSTANT || kind == MD_LOCAL)
        cc->ll.GetMDNodeOperands(holds, &value);
    struct meaning m;
    const bool known = read_expression(cc, cc->ll.GetOperand(call, 2), &m);
    struct cc_note note = {
        .variable = variable_of(d, cc->ll.ValueAsMetadata(cc->ll.GetOperand(call, 1)), at),
        .from = m.from,
        .to = m.to};
    if (note.variable == CC_NO)
        return;
    m.in_memory |= declares;
    if (known && value)
        add_pieces(f, &note, value, &m);
    const uint32_t number = CC_DEBUG_ADD(d, note, note);
    if (number != CC_NO)
        f->blocks[f->block].notes = sam_cc_debug_join(f, f->blocks[f->block].notes, number + 1);
}
