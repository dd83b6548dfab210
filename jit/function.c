/* SPDX-License-Identifier: Apache-2.0 */
/* The function of a loop: a block per instruction. It works on a copy of the core whose address
 * never leaves it, so that LLVM keeps registers in registers. A handler that returns NULL has done
 * nothing: the loop is left at its micro-op. */
#include <string.h>

#include "base/cpu.h"
#include "simt/simt.h"
#include "translator.h"

/* ------------------------------------------------------------------------------- values */

static LLVMValueRef number(const struct translator *t, uint64_t value)
{
    return LLVMConstInt(t->i64, value, false);
}

/* base + offset, as a pointer to `type`. */
static LLVMValueRef at(const struct translator *t, LLVMValueRef base, size_t offset,
                       LLVMTypeRef type)
{
    LLVMValueRef index = number(t, offset);
    LLVMValueRef bytes = LLVMBuildBitCast(t->builder, base, LLVMPointerType(t->i8, 0), "");
    LLVMValueRef moved = LLVMBuildGEP2(t->builder, t->i8, bytes, &index, 1, "");
    return LLVMBuildBitCast(t->builder, moved, LLVMPointerType(type, 0), "");
}

static LLVMValueRef load(const struct translator *t, LLVMValueRef base, size_t offset,
                         LLVMTypeRef type)
{
    return LLVMBuildLoad2(t->builder, type, at(t, base, offset, type), "");
}

static void store(const struct translator *t, LLVMValueRef value, LLVMValueRef base, size_t offset)
{
    LLVMBuildStore(t->builder, value, at(t, base, offset, LLVMTypeOf(value)));
}

static void copy(const struct translator *t, LLVMValueRef to, LLVMValueRef from, size_t offset,
                 size_t size)
{
    LLVMBuildMemCpy(t->builder, at(t, to, offset, t->i8), 1, at(t, from, offset, t->i8), 1,
                    number(t, size));
}

/* The micro-op with this index among the constants, as the handlers' argument. */
static LLVMValueRef uop_at(const struct translator *t, unsigned index)
{
    LLVMTypeRef arguments[4];
    LLVMGetParamTypes(t->handler, arguments);
    LLVMValueRef offset = number(t, index * sizeof(struct sam_uop));
    LLVMValueRef bytes = LLVMConstBitCast(t->ops, LLVMPointerType(t->i8, 0));
    return LLVMConstBitCast(LLVMConstGEP2(t->i8, bytes, &offset, 1), arguments[1]);
}

/* Micro-ops as constants, so that operands are. */
static void make_ops(struct translator *t)
{
    LLVMTypeRef fields[] = {t->i64, t->i8, t->i8, t->i8, t->i8, t->i32};
    LLVMTypeRef type = LLVMStructTypeInContext(t->context, fields, 6, false);
    LLVMValueRef values[SAM_PAGE_OPS + 1];
    for (unsigned i = 0; i <= SAM_PAGE_OPS; i++) {
        const struct sam_uop none = {0};
        const struct sam_uop *u = i < SAM_PAGE_OPS ? &t->loop->uops[i] : &none;
        LLVMValueRef parts[] = {number(t, 0),
                                LLVMConstInt(t->i8, u->rd, false),
                                LLVMConstInt(t->i8, u->rs1, false),
                                LLVMConstInt(t->i8, u->rs2, false),
                                LLVMConstInt(t->i8, u->rs3, false),
                                LLVMConstInt(t->i32, (uint32_t)u->imm, false)};
        values[i] = LLVMConstStructInContext(t->context, parts, 6, false);
    }
    LLVMValueRef all = LLVMConstArray(type, values, SAM_PAGE_OPS + 1);
    t->ops = LLVMAddGlobal(t->module, LLVMTypeOf(all), "ops");
    LLVMSetInitializer(t->ops, all);
    LLVMSetGlobalConstant(t->ops, true);
    LLVMSetLinkage(t->ops, LLVMInternalLinkage);
    LLVMSetAlignment(t->ops, 16);
}

/* -------------------------------------------------------------------------- registers */

static size_t x_size(const struct translator *t)
{
    return t->loop->xlen / 8;
}

static size_t v_offset(unsigned number)
{
    return offsetof(struct sam_warp, v) + number * sizeof(uint32_t[SAM_LANES]);
}

/* Copy registers: all that an instruction names, or only the written ones. In a narrow warp, words
 * of other lanes are undefined. */
static void copy_registers(const struct translator *t, LLVMValueRef to, LLVMValueRef from,
                           bool written)
{
    const struct sam_jit_loop *l = t->loop;
    bool x[SAM_X_SINK] = {false}, v[SAM_VREGS] = {l->lanes != 0};
    for (unsigned i = 0; i < SAM_PAGE_OPS; i++) {
        const struct sam_uop *u = &l->uops[i];
        if (!sam_jit_has(l, i))
            continue;
        x[u->rd % SAM_X_SINK] = x[u->rs1 % SAM_X_SINK] = true;
        x[u->rs2 % SAM_X_SINK] = x[u->rs3 % SAM_X_SINK] = true;
        v[u->rd] = v[u->rs1] = v[u->rs2] = true;
    }
    for (unsigned i = 0; i < SAM_X_SINK; i++)
        if (written ? i && l->x_written >> i & 1 : x[i])
            copy(t, to, from, i * x_size(t), x_size(t));
    for (unsigned i = 0; l->lanes && i < SAM_VREGS; i++)
        if (written ? l->v_written[i / 64] >> i % 64 & 1 : v[i])
            copy(t, to, from, v_offset(i), l->lanes * sizeof(uint32_t));
}

/* Pass a value through an instruction that LLVM cannot look into. */
static LLVMValueRef pass(const struct translator *t, LLVMValueRef value, const char *constraints)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeRef function = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef passes =
        LLVMGetInlineAsm(function, (char *)(uintptr_t) "", 0, (char *)(uintptr_t)constraints,
                         strlen(constraints), true, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(t->builder, function, passes, &value, 1, "");
}

/* Pass a register through it: LLVM neither omits the computation of its value nor moves what uses
 * it, since floating-point operations have sticky flags. */
static void pin(const struct translator *t, size_t offset, size_t size)
{
    const size_t wide = t->level == SAM_CPU_V4 ? 64 : t->level == SAM_CPU_V3 ? 32 : 16;
    const bool vector = size > 8;
    const size_t part = vector ? wide : size;
    LLVMTypeRef type = vector ? LLVMVectorType(t->i32, (unsigned)(part / 4))
                              : LLVMIntTypeInContext(t->context, (unsigned)part * 8);
    const char *constraints = vector ? (part == 64 ? "=v,0" : "=x,0") : "=r,0";
    for (size_t k = 0; k < size; k += part)
        store(t, pass(t, load(t, t->local, offset + k, type), constraints), t->local, offset + k);
}

static void pin_v(const struct translator *t, unsigned number)
{
    pin(t, v_offset(number), sizeof(uint32_t[SAM_LANES]));
}

static void pin_sources(const struct translator *t, unsigned index)
{
    const struct sam_uop *u = &t->loop->uops[index];
    const unsigned uses = t->loop->uses[index];
    if (uses & SAM_JIT_V1)
        pin_v(t, u->rs1);
    if (uses & SAM_JIT_V2)
        pin_v(t, u->rs2);
    if (uses & SAM_JIT_READS_VD)
        pin_v(t, u->rd);
    if (uses & SAM_JIT_X1)
        pin(t, u->rs1 * x_size(t), x_size(t));
    if (uses & SAM_JIT_X2)
        pin(t, u->rs2 * x_size(t), x_size(t));
}

static void pin_result(const struct translator *t, unsigned index)
{
    const unsigned rd = t->loop->uops[index].rd;
    if (t->loop->uses[index] & (SAM_JIT_V1 | SAM_JIT_V2))
        pin_v(t, rd);
    else
        pin(t, rd * x_size(t), x_size(t));
}

/* ------------------------------------------------------------------------- the function */

static LLVMBasicBlockRef block(const struct translator *t)
{
    return LLVMAppendBasicBlockInContext(t->context, t->function, "");
}

/* Leave with `next`, a micro-op among the constants. */
static void leave_at(const struct translator *t, LLVMValueRef next, unsigned flags)
{
    LLVMValueRef start = LLVMConstPtrToInt(t->ops, t->i64);
    LLVMValueRef to = LLVMBuildPtrToInt(t->builder, next, t->i64, "");
    LLVMValueRef distance = LLVMBuildSub(t->builder, to, start, "");
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, distance, number(t, flags), ""),
                   t->leaving);
    LLVMBuildBr(t->builder, t->leave);
}

/* Copy what vector branches and joins change. */
static void copy_lanes(const struct translator *t, LLVMValueRef to, LLVMValueRef from)
{
    const size_t first = offsetof(struct sam_warp, full);
    const size_t end = offsetof(struct sam_warp, deepest) + sizeof(uint32_t);
    copy(t, to, from, first, end - first);
}

static bool is_access(const struct sam_jit_loop *l, unsigned index)
{
    return sam_jit_has(l, index) &&
           (l->acts[index] == SAM_ACT_LOAD || l->acts[index] == SAM_ACT_STORE);
}

/* Make the pages last accessed, of which there are none. Many of them would take the host's
 * registers: they are kept in memory, which an unknown instruction might change. */
static void make_last(struct translator *t)
{
    enum { MOST = 8 };
    const size_t size = sizeof(struct sam_last_page);
    unsigned count = 0;
    for (unsigned i = 0; i < SAM_PAGE_OPS; i++)
        count += is_access(t->loop, i);
    t->last = LLVMBuildAlloca(t->builder, LLVMArrayType(t->i8, count * (unsigned)size), "");
    LLVMSetAlignment(t->last, 16);
    for (unsigned i = 0; i < count; i++)
        store(t, number(t, UINT64_MAX), t->last, i * size + offsetof(struct sam_last_page, base));
    if (count > MOST)
        pass(t, at(t, t->last, 0, t->i8), "=r,0,~{memory}");
}

/* Make the copy of the core. */
static void make_entry(struct translator *t)
{
    const struct sam_jit_loop *l = t->loop;
    const size_t first = offsetof(struct sam_core, ops);
    const size_t all = l->lanes ? sizeof(struct sam_warp) : sizeof(struct sam_core);
    LLVMValueRef op = LLVMBuildPtrToInt(t->builder, LLVMGetParam(t->function, 1), t->i64, "");
    LLVMValueRef entry = LLVMBuildPtrToInt(t->builder, LLVMGetParam(t->function, 2), t->i64, "");
    t->local = LLVMBuildAlloca(t->builder, LLVMArrayType(t->i8, (unsigned)all), "");
    LLVMSetAlignment(t->local, 128);
    t->leaving = LLVMBuildAlloca(t->builder, t->i64, "");
    t->left = LLVMBuildAlloca(t->builder, t->i64, "");
    t->saved = LLVMBuildAlloca(t->builder, LLVMArrayType(t->i8, (unsigned)all), "");
    copy(t, t->local, t->core, first, sizeof(struct sam_core) - first);
    if (l->lanes) /* with the sets of lanes, which are cached by their bits */
        copy(t, t->local, t->core, sizeof(struct sam_core),
             offsetof(struct sam_warp, address) - sizeof(struct sam_core));
    copy_registers(t, t->local, t->core, false);
    store(t, LLVMConstInt(LLVMIntTypeInContext(t->context, l->xlen), 0, false), t->local, 0);
    /* Known values. */
    store(t, uop_at(t, 0), t->local, offsetof(struct sam_core, ops));
    store(t, number(t, l->page_pc), t->local, offsetof(struct sam_core, page_pc));
    for (unsigned i = 0; l->lanes && i < (l->splits ? SAM_JIT_FIXED : SAM_JIT_MODES); i++)
        store(t, LLVMConstInt(t->i8, l->modes[i], false), t->local,
              offsetof(struct sam_warp, groups) + i);
    if (l->lanes) {
        store(t, LLVMConstInt(t->i8, l->frm_plain, false), t->local,
              offsetof(struct sam_core, frm_plain));
        store(t, LLVMConstInt(t->i32, l->lanes, false), t->local, offsetof(struct sam_warp, lanes));
        if (!l->splits &&
            l->modes[offsetof(struct sam_warp, full) - offsetof(struct sam_warp, groups)])
            store(t, LLVMConstInt(t->i32, UINT32_MAX >> (SAM_LANES - l->lanes), false), t->local,
                  offsetof(struct sam_warp, bits));
    }
    make_last(t);
    LLVMValueRef distance = LLVMBuildSub(t->builder, op, entry, "");
    LLVMValueRef passed = LLVMBuildAShr(t->builder, distance, number(t, 4), "");
    LLVMValueRef left = LLVMBuildSub(t->builder, LLVMGetParam(t->function, 3), passed, "");
    LLVMBuildStore(t->builder, left, t->left);
    LLVMBuildBr(t->builder, t->blocks[l->head]);
}

/* Write the copy back. */
static void make_leave_block(const struct translator *t)
{
    LLVMPositionBuilderAtEnd(t->builder, t->leave);
    copy_registers(t, t->core, t->local, true);
    copy(t, t->core, t->local, offsetof(struct sam_core, fflags), 1);
    if (t->loop->splits)
        copy_lanes(t, t->core, t->local);
    LLVMValueRef ops = load(t, t->core, offsetof(struct sam_core, ops), t->i64);
    LLVMValueRef leaving = LLVMBuildLoad2(t->builder, t->i64, t->leaving, "");
    LLVMValueRef to = LLVMBuildAdd(t->builder, leaving, ops, "");
    LLVMValueRef even = LLVMConstInt(t->i64, ~(uint64_t)SAM_JIT_FLAGS, false);
    store(t, LLVMBuildAnd(t->builder, to, even, ""), t->core,
          offsetof(struct sam_core, loop_entry));
    store(t, LLVMBuildLoad2(t->builder, t->i64, t->left, ""), t->core,
          offsetof(struct sam_core, loop_left));
    LLVMBuildRet(t->builder, to);
}

/* Continue at `to` if `next` is that micro-op. */
static void go_if(const struct translator *t, LLVMValueRef next, unsigned to)
{
    if (!sam_jit_has(t->loop, to))
        return;
    LLVMBasicBlockRef rest = block(t);
    LLVMValueRef is = LLVMBuildICmp(t->builder, LLVMIntEQ, next, uop_at(t, to), "");
    LLVMBuildCondBr(t->builder, is, t->blocks[to], rest);
    LLVMPositionBuilderAtEnd(t->builder, rest);
}

/* Continue at `next` if functions return, joins continue or indirect jumps have landed there. */
static void go_on(const struct translator *t, LLVMValueRef next, bool jumps)
{
    const struct sam_jit_loop *l = t->loop;
    LLVMValueRef start = LLVMConstPtrToInt(t->ops, t->i64);
    LLVMValueRef to = LLVMBuildPtrToInt(t->builder, next, t->i64, "");
    LLVMBasicBlockRef rest = block(t);
    LLVMValueRef choice =
        LLVMBuildSwitch(t->builder, LLVMBuildSub(t->builder, to, start, ""), rest, 8);
    for (unsigned i = 0; i < SAM_PAGE_OPS; i++) {
        const unsigned before = i && sam_jit_has(l, i - 1) ? l->acts[i - 1] : SAM_ACT_ALU;
        bool may =
            jumps ? l->lands[i / 64] >> i % 64 & 1
                  : before == SAM_ACT_JUMP || before == SAM_ACT_SPLIT || l->acts[i] == SAM_ACT_JOIN;
        for (unsigned k = 0; !jumps && !may && k < SAM_PAGE_OPS; k++)
            may = l->acts[k] == SAM_ACT_SPLIT && l->uops[k].imm == (int)i;
        if (may && sam_jit_has(l, i))
            LLVMAddCase(choice, number(t, i * sizeof(struct sam_uop)), t->blocks[i]);
    }
    LLVMPositionBuilderAtEnd(t->builder, rest);
}

/* Hide from LLVM how the loop that begins at this instruction counts: it would keep several
 * registers in step with one of the program's. */
static void hide_steps(const struct translator *t, unsigned index)
{
    const struct sam_jit_loop *l = t->loop;
    unsigned last = 0;
    uint64_t steps = 0;
    for (unsigned i = index; i < SAM_PAGE_OPS; i++)
        if (sam_jit_has(l, i) && l->uops[i].imm == (int)index &&
            (l->acts[i] == SAM_ACT_BRANCH || l->ops[i] == SAM_OP_jal))
            last = i;
    for (unsigned i = index; i < last; i++) {
        const struct sam_uop *u = &l->uops[i];
        if (sam_jit_has(l, i) && l->acts[i] == SAM_ACT_ALU &&
            (u->rd == u->rs1 || u->rd == u->rs2) && u->rd < SAM_X_SINK)
            steps |= l->x_written & UINT64_C(1) << u->rd;
    }
    for (unsigned x = 1; x < SAM_X_SINK; x++)
        if (steps >> x & 1)
            pin(t, x * x_size(t), x_size(t));
    if (last)
        LLVMBuildStore(t->builder, pass(t, LLVMBuildLoad2(t->builder, t->i64, t->left, ""), "=r,0"),
                       t->left);
}

static void make_block(struct translator *t, unsigned index)
{
    const struct sam_jit_loop *l = t->loop;
    const struct sam_uop *u = &l->uops[index];
    const unsigned act = l->acts[index];
    const bool jumps = l->ops[index] == SAM_OP_jalr && !sam_jit_returns(u);
    LLVMTypeRef types[4];
    LLVMGetParamTypes(t->handler, types);
    LLVMPositionBuilderAtEnd(t->builder, t->blocks[index]);
    if (!t->handlers[index]) {
        leave_at(t, uop_at(t, index), 0);
        return;
    }
    hide_steps(t, index);
    if (l->uses[index] & SAM_JIT_FLOAT)
        pin_sources(t, index);
    /* Keep the old rd of a jump, to restore it if the jump is refused. */
    LLVMTypeRef word = LLVMIntTypeInContext(t->context, l->xlen);
    LLVMValueRef old = act == SAM_ACT_JUMP ? load(t, t->local, u->rd * x_size(t), word) : NULL;
    if (sam_jit_moves_lanes(act))
        copy_lanes(t, t->saved, t->local);
    LLVMValueRef arguments[] = {at(t, t->local, 0, t->i8), uop_at(t, index), uop_at(t, index),
                                LLVMBuildLoad2(t->builder, t->i64, t->left, "")};
    arguments[0] = LLVMBuildBitCast(t->builder, arguments[0], types[0], "");
    if (is_access(l, index))
        store(t, at(t, t->last, t->lasts++ * sizeof(struct sam_last_page), t->i8), t->local,
              offsetof(struct sam_core, last));
    LLVMValueRef next =
        LLVMBuildCall2(t->builder, t->handler, t->handlers[index], arguments, 4, "");
    LLVMSetInstructionCallConv(next, LLVMGetFunctionCallConv(t->handlers[index]));
    LLVMBasicBlockRef refuses = block(t), done = block(t);
    LLVMBuildCondBr(t->builder, LLVMBuildIsNull(t->builder, next, ""), refuses, done);
    LLVMPositionBuilderAtEnd(t->builder, refuses);
    if (old)
        store(t, old, t->local, u->rd * x_size(t));
    if (sam_jit_moves_lanes(act))
        copy_lanes(t, t->local, t->saved);
    leave_at(t, uop_at(t, index), SAM_JIT_PLAIN);
    LLVMPositionBuilderAtEnd(t->builder, done);
    /* A block of its own: wherever it goes on, one instruction less is left. */
    LLVMBuildStore(t->builder, LLVMBuildSub(t->builder, arguments[3], number(t, 1), ""), t->left);
    if (l->uses[index] & SAM_JIT_FLOAT)
        pin_result(t, index);
    if (act == SAM_ACT_BRANCH || act == SAM_ACT_SPLIT || l->ops[index] == SAM_OP_jal)
        go_if(t, next, (unsigned)u->imm);
    if (l->ops[index] != SAM_OP_jalr)
        go_if(t, next, index + 1);
    if (l->ops[index] == SAM_OP_jalr || act == SAM_ACT_JOIN)
        go_on(t, next, jumps);
    leave_at(t, next, jumps ? SAM_JIT_FAR : 0);
}

static void copy_target(const struct translator *t, LLVMValueRef from)
{
    static const char *const names[] = {"target-cpu", "target-features", "prefer-vector-width",
                                        "min-legal-vector-width"};
    for (unsigned i = 0; i < SAM_COUNT(names); i++) {
        LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
            from, LLVMAttributeFunctionIndex, names[i], (unsigned)strlen(names[i]));
        if (attribute)
            LLVMAddAttributeAtIndex(t->function, LLVMAttributeFunctionIndex, attribute);
    }
}

bool sam_translator_build(struct translator *t)
{
    if (!sam_translator_find(t))
        return false;
    /* A handler of this level: that of an instruction of all loops. */
    LLVMValueRef any = sam_translator_handler(t, t->loop->lanes ? SAM_OP_vadd_vv : SAM_OP_addi);
    t->handler = LLVMGlobalGetValueType(any);
    LLVMTypeRef arguments[4];
    LLVMGetParamTypes(t->handler, arguments);
    make_ops(t);
    t->function = LLVMAddFunction(t->module, "loop", LLVMFunctionType(t->i64, arguments, 4, false));
    t->core = LLVMGetParam(t->function, 0);
    copy_target(t, any);
    sam_translator_mark(t->context, t->function, "nounwind");
    LLVMBasicBlockRef entry = block(t);
    t->leave = block(t);
    for (unsigned i = 0; i < SAM_PAGE_OPS; i++)
        if (sam_jit_has(t->loop, i))
            t->blocks[i] = block(t);
    for (unsigned i = 0; i < SAM_PAGE_OPS; i++) {
        if (i == 0) {
            LLVMPositionBuilderAtEnd(t->builder, entry);
            make_entry(t);
        }
        if (sam_jit_has(t->loop, i))
            make_block(t, i);
    }
    make_leave_block(t);
    return true;
}
