/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers' bodies. A path that is left to the interpreter, such as a miss of the TLB or a
 * trap, becomes a function that does nothing and returns NULL. */
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "translator.h"

static LLVMValueRef entry_of(LLVMModuleRef module, const char *table, unsigned op)
{
    LLVMValueRef global = LLVMGetNamedGlobal(module, table);
    LLVMValueRef values = global ? LLVMGetInitializer(global) : NULL;
    /* clang makes a struct of a long table: its entries and the zeros after them. */
    if (values && LLVMGetTypeKind(LLVMTypeOf(values)) == LLVMStructTypeKind)
        values = LLVMGetOperand(values, 0);
    if (!values || op >= (unsigned)LLVMGetNumOperands(values))
        return NULL;
    LLVMValueRef value = LLVMGetOperand(values, op);
    while (value && !LLVMIsAFunction(value) && LLVMIsAConstantExpr(value))
        value = LLVMGetOperand(value, 0);
    return value && LLVMIsAFunction(value) ? value : NULL;
}

LLVMValueRef sam_translator_handler(const struct translator *t, unsigned op)
{
    char table[64];
    snprintf(table, sizeof table, "sam_lanes_translated_%u", t->loop->lanes);
    LLVMValueRef found = entry_of(t->module, table, op);
    if (!found)
        found = entry_of(t->module, "sam_lanes_translated", op);
    return found ? found : entry_of(t->module, "sam_scalar_translated", op);
}

void sam_translator_mark(LLVMContextRef context, LLVMValueRef function, const char *attribute)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, kind, 0));
}

static void drop_attribute(LLVMValueRef function, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static bool has_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Whether the function is a path of its handler that is left to the interpreter. Without mask
 * registers, those for some of the lanes and for gathers take too long to translate. */
static bool is_slow_path(const struct translator *t, LLVMValueRef function)
{
    static const char *const kept[] = {"branch_jump", "branch_split", "any_", "block_", "masked_"};
    size_t size;
    const char *name = LLVMGetValueName2(function, &size);
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMPointerTypeKind)
        return false;
    if (LLVMIsDeclaration(function))
        return begins(name, "sam_stop_") || begins(name, "sam_go_to");
    for (unsigned i = 0; i < (t->level == SAM_CPU_V4 ? SAM_COUNT(kept) : 2); i++)
        if (begins(name, kept[i]))
            return false;
    return has_attribute(function, "noinline");
}

/* Replace the function by one that leaves. */
static void make_leave(const struct translator *t, LLVMValueRef function)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    LLVMValueRef leaves = LLVMAddFunction(t->module, "leaves", type);
    LLVMSetFunctionCallConv(leaves, LLVMGetFunctionCallConv(function));
    LLVMSetLinkage(leaves, LLVMInternalLinkage);
    sam_translator_mark(t->context, leaves, "alwaysinline");
    LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, leaves, ""));
    LLVMBuildRet(t->builder, LLVMConstNull(LLVMGetReturnType(type)));
    LLVMReplaceAllUsesWith(function, leaves);
    LLVMDeleteFunction(function);
}

/* Whether the function calls only what can be translated. */
static bool is_complete(LLVMValueRef function, unsigned depth)
{
    if (depth > 8)
        return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsACallInst(i) || LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
                continue;
            LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(i));
            if (!callee || (LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee)) ||
                (!LLVMIsDeclaration(callee) && !is_complete(callee, depth + 1)))
                return false;
        }
    return true;
}

bool sam_translator_find(struct translator *t)
{
    bool tried[SAM_OP_COUNT] = {false};
    LLVMValueRef known[SAM_OP_COUNT];
    for (unsigned i = 0; i < SAM_PAGE_OPS; i++) {
        if (!sam_jit_has(t->loop, i))
            continue;
        const unsigned op = t->loop->ops[i];
        if (!tried[op]) {
            known[op] = sam_translator_handler(t, op);
            tried[op] = true;
            if (known[op])
                drop_attribute(known[op], "noinline");
        }
        t->handlers[i] = known[op];
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (is_slow_path(t, f))
            make_leave(t, f);
    }
    for (unsigned op = 0; op < SAM_OP_COUNT; op++)
        if (tried[op] && known[op]) {
            if (!is_complete(known[op], 0))
                known[op] = NULL;
            else
                sam_translator_mark(t->context, known[op], "alwaysinline");
        }
    for (unsigned i = 0; i < SAM_PAGE_OPS; i++)
        if (t->handlers[i])
            t->handlers[i] = known[t->loop->ops[i]];
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f)) {
            drop_attribute(f, "noinline");
            sam_translator_mark(t->context, f, "alwaysinline");
            LLVMSetLinkage(f, LLVMInternalLinkage);
        }
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(t->module); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g))
            LLVMSetLinkage(g, LLVMInternalLinkage);
    return t->handlers[t->loop->head] != NULL;
}
