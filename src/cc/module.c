/* SPDX-License-Identifier: Apache-2.0 */
/* The module: clang's bitcode, linked with the library of builtins, prepared and optimised. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/cc.h"

/* The place of an instruction in the source, or of a function, without a column. */
static const char *file_of(struct cc *cc, llvm_ref where, unsigned *line, unsigned *column,
                           int *length)
{
    const int kind = where ? cc->ll.GetValueKind(where) : -1;
    unsigned size = 0;
    const char *file = NULL;
    *line = *column = 0;
    if (kind == LL_INSTRUCTION) {
        *line = cc->ll.GetDebugLocLine(where);
        *column = cc->ll.GetDebugLocColumn(where);
        file = *line ? cc->ll.GetDebugLocFilename(where, &size) : NULL;
    } else if (kind == LL_FUNCTION) {
        llvm_ref program = cc->ll.GetSubprogram(where);
        *line = program ? cc->ll.DISubprogramGetLine(program) : 0;
        llvm_ref in = program ? cc->ll.DIScopeGetFile(program) : NULL;
        file = in ? cc->ll.DIFileGetFilename(in, &size) : NULL;
    }
    *length = (int)size;
    return file;
}

enum sam_status sam_cc_refuse(struct cc *cc, llvm_ref where, const char *format, ...)
{
    char what[512];
    unsigned line, column;
    int length;
    va_list list;
    va_start(list, format);
    sam_format_list(what, sizeof what, format, list);
    va_end(list);
    const char *file = file_of(cc, where, &line, &column, &length);
    if (file && column)
        return sam_fail(cc->error, SAM_ERR_INPUT, "%.*s:%u:%u: %s", length, file, line, column,
                        what);
    if (file)
        return sam_fail(cc->error, SAM_ERR_INPUT, "%.*s:%u: %s", length, file, line, what);
    return sam_fail(cc->error, SAM_ERR_INPUT, "%s: %s", cc->path, what);
}

/* LLVM's own diagnostics would be printed. */
static void ignore(llvm_ref diagnostic, void *context)
{
    (void)diagnostic;
    (void)context;
}

/* `lazy`: bodies of functions are read when they are linked. */
static enum sam_status parse(struct cc *cc, const struct sam_buffer *bitcode, bool lazy,
                             llvm_ref *module)
{
    llvm_ref buffer = cc->ll.CreateMemoryBufferWithMemoryRangeCopy((const char *)bitcode->data,
                                                                   bitcode->size, "kernel");
    const int bad = lazy ? cc->ll.GetBitcodeModuleInContext2(cc->context, buffer, module)
                         : cc->ll.ParseBitcodeInContext2(cc->context, buffer, module);
    if (!lazy)
        cc->ll.DisposeMemoryBuffer(buffer);
    return bad ? sam_cc_refuse(cc, NULL,
                               "LLVM cannot read what clang wrote: expected both of one version")
               : SAM_OK;
}

static bool is_kernel(struct cc *cc, llvm_ref function)
{
    return cc->ll.GetFunctionCallConv(function) == LL_SPIR_KERNEL &&
           !cc->ll.IsDeclaration(function);
}

static const char *name_of(struct cc *cc, llvm_ref value)
{
    size_t size;
    return cc->ll.GetValueName2(value, &size);
}

static void attribute(struct cc *cc, llvm_ref function, const char *name, bool set)
{
    const unsigned kind = cc->ll.GetEnumAttributeKindForName(name, strlen(name));
    if (set)
        cc->ll.AddAttributeAtIndex(function, ~0u, cc->ll.CreateEnumAttribute(cc->context, kind, 0));
    else
        cc->ll.RemoveEnumAttributeAtIndex(function, ~0u, kind);
}

/* A lane that holds a lock frees it before it waits for the others, if that is in the loop that
 * takes it. LLVM knows threads, not lanes, and would sink the release below the loop; it moves
 * nothing past the call of a convergent function, which precedes each branch. */
static void keep_in_loops(struct cc *cc, llvm_ref function)
{
    llvm_ref meet = cc->ll.GetNamedFunction(cc->module, "__samite_meet");
    llvm_ref type = cc->ll.FunctionType(cc->ll.VoidTypeInContext(cc->context), NULL, 0, 0);
    if (!meet) {
        meet = cc->ll.AddFunction(cc->module, "__samite_meet", type);
        attribute(cc, meet, "convergent", true);
        attribute(cc, meet, "nounwind", true);
    }
    llvm_ref builder = cc->ll.CreateBuilderInContext(cc->context);
    for (llvm_ref b = cc->ll.GetFirstBasicBlock(function); b; b = cc->ll.GetNextBasicBlock(b)) {
        if (cc->ll.GetNumSuccessors(cc->ll.GetBasicBlockTerminator(b)) < 2)
            continue;
        llvm_ref first = cc->ll.GetFirstInstruction(b);
        while (cc->ll.GetInstructionOpcode(first) == LL_PHI)
            first = cc->ll.GetNextInstruction(first);
        cc->ll.PositionBuilderBefore(builder, first);
        cc->ll.BuildCall2(builder, type, meet, NULL, 0, "");
    }
    cc->ll.DisposeBuilder(builder);
}

/* Functions that have been visited, and those of them that may take or release a lock. */
struct visits {
    llvm_ref way[256]; /* being visited */
    struct sam_names good, locks;
};

/* A function that calls itself, directly or through others, cannot be inlined. */
static enum sam_status check_calls(struct cc *cc, llvm_ref function, struct visits *v, size_t depth)
{
    const char *name = name_of(cc, function);
    if (sam_names_find(&v->good, name, strlen(name)))
        return SAM_OK;
    for (size_t i = 0; i < depth; i++)
        if (v->way[i] == function)
            return sam_cc_refuse(cc, function,
                                 "function '%s' is recursive: expected calls that "
                                 "can be inlined",
                                 name);
    if (depth == SAM_COUNT(v->way))
        return sam_cc_refuse(cc, function, "calls nested deeper than 256");
    v->way[depth] = function;
    enum sam_status status = SAM_OK;
    bool locks = false;
    llvm_ref block = cc->ll.GetFirstBasicBlock(function);
    for (; block && status == SAM_OK; block = cc->ll.GetNextBasicBlock(block)) {
        llvm_ref insn = cc->ll.GetFirstInstruction(block);
        for (; insn && status == SAM_OK; insn = cc->ll.GetNextInstruction(insn)) {
            if (cc->ll.GetInstructionOpcode(insn) != LL_CALL)
                continue;
            llvm_ref called = cc->ll.GetCalledValue(insn);
            if (cc->ll.GetValueKind(called) == LL_ASSEMBLY)
                return sam_cc_refuse(cc, insn, "inline assembly: expected OpenCL C");
            if (cc->ll.GetValueKind(called) != LL_FUNCTION)
                return sam_cc_refuse(cc, insn, "a call through a pointer: expected a function");
            const char *of = name_of(cc, called);
            if (!cc->ll.IsDeclaration(called))
                status = check_calls(cc, called, v, depth + 1);
            locks |= strstr(of, "xchg_") || sam_names_find(&v->locks, of, strlen(of));
        }
    }
    if (status != SAM_OK)
        return status;
    if (locks)
        keep_in_loops(cc, function);
    return (locks && !sam_names_add(&v->locks, name, strlen(name), function)) ||
                   !sam_names_add(&v->good, name, strlen(name), function)
               ? sam_fail_memory(cc->error)
               : SAM_OK;
}

/* A struct passed by value becomes a private copy of its bytes in the argument buffer. */
static void copy_structs(struct cc *cc, llvm_ref function)
{
    const unsigned kind = cc->ll.GetEnumAttributeKindForName("byval", 5);
    llvm_ref i32 = cc->ll.IntTypeInContext(cc->context, 32);
    llvm_ref i8 = cc->ll.IntTypeInContext(cc->context, 8);
    llvm_ref bytes = cc->ll.PointerType(i8, AS_CONSTANT);
    llvm_ref type = cc->ll.FunctionType(bytes, &i32, 1, 0);
    llvm_ref first = cc->ll.GetFirstInstruction(cc->ll.GetFirstBasicBlock(function));
    llvm_ref builder = cc->ll.CreateBuilderInContext(cc->context);
    cc->ll.PositionBuilderBefore(builder, first);
    for (unsigned i = 0; i < cc->ll.CountParams(function); i++) {
        llvm_ref attribute = cc->ll.GetEnumAttributeAtIndex(function, i + 1, kind);
        if (!attribute)
            continue;
        llvm_ref value = cc->ll.GetTypeAttributeValue(attribute);
        llvm_ref from = cc->ll.GetNamedFunction(cc->module, "__samite_argument");
        if (!from)
            from = cc->ll.AddFunction(cc->module, "__samite_argument", type);
        const unsigned align = cc->ll.ABIAlignmentOfType(cc->layout, value);
        llvm_ref copy = cc->ll.BuildAlloca(builder, value, "");
        cc->ll.SetAlignment(copy, align < 4 ? 4 : align);
        cc->ll.ReplaceAllUsesWith(cc->ll.GetParam(function, i), copy);
        llvm_ref at = cc->ll.ConstInt(i32, sam_cc_argument_at(cc, function, i), 0);
        llvm_ref pointer = cc->ll.BuildCall2(builder, type, from, &at, 1, "");
        llvm_ref size = cc->ll.ConstInt(i32, cc->ll.ABISizeOfType(cc->layout, value), 0);
        cc->ll.BuildMemCpy(builder, copy, 4, pointer, 4, size);
    }
    cc->ll.DisposeBuilder(builder);
}

/* The routine of the library for an instruction on 64-bit integers, or NULL. */
static const char *routine(struct cc *cc, llvm_ref insn, llvm_ref type)
{
    const int opcode = cc->ll.GetInstructionOpcode(insn);
    const bool to_float = opcode == LL_UITOFP || opcode == LL_SITOFP;
    llvm_ref wide = to_float ? cc->ll.TypeOf(cc->ll.GetOperand(insn, 0)) : type;
    if (cc->ll.GetTypeKind(wide) == LL_VECTOR)
        wide = cc->ll.GetElementType(wide);
    if (cc->ll.GetTypeKind(wide) != LL_INTEGER || cc->ll.GetIntTypeWidth(wide) != 64)
        return NULL;
    switch (opcode) {
    case LL_UDIV:
    case LL_UREM: {
        llvm_ref by = cc->ll.GetOperand(insn, 1);
        const uint64_t n =
            cc->ll.GetValueKind(by) == LL_CONST_INT ? cc->ll.ConstIntGetZExtValue(by) : 0;
        return n && !(n & (n - 1)) ? NULL /* becomes a shift */
               : opcode == LL_UDIV ? "__samite_udiv64"
                                   : "__samite_urem64";
    }
    case LL_SDIV: return "__samite_sdiv64";
    case LL_SREM: return "__samite_srem64";
    case LL_UITOFP: return "__samite_u64tof";
    case LL_SITOFP: return "__samite_i64tof";
    case LL_FPTOUI: return "__samite_ftou64";
    case LL_FPTOSI: return "__samite_ftoi64";
    default: return NULL;
    }
}

llvm_ref sam_cc_call_builtin(struct cc *cc, llvm_ref builder, const char *name, llvm_ref *arguments,
                             unsigned count)
{
    llvm_ref function = cc->ll.GetNamedFunction(cc->module, name);
    llvm_ref source = function ? function : cc->ll.GetNamedFunction(cc->library, name);
    if (!source)
        return NULL;
    const unsigned convention = cc->ll.GetFunctionCallConv(source);
    llvm_ref type = cc->ll.GlobalGetValueType(source);
    if (!function) {
        function = cc->ll.AddFunction(cc->module, name, type);
        cc->ll.SetFunctionCallConv(function, convention);
    }
    llvm_ref call = cc->ll.BuildCall2(builder, type, function, arguments, count, "");
    cc->ll.SetInstructionCallConv(call, convention);
    return call;
}

/* Replace an instruction, element by element, by calls of the library. */
static enum sam_status call_routine(struct cc *cc, llvm_ref insn, const char *name)
{
    llvm_ref builder = cc->ll.CreateBuilderInContext(cc->context);
    llvm_ref type = cc->ll.TypeOf(insn), i32 = cc->ll.IntTypeInContext(cc->context, 32);
    const unsigned operands = (unsigned)cc->ll.GetNumOperands(insn);
    llvm_ref from[2] = {0}, one[2] = {0}, result = NULL, call = NULL;
    for (unsigned i = 0; i < operands && i < 2; i++)
        from[i] = cc->ll.GetOperand(insn, i);
    cc->ll.PositionBuilderBefore(builder, insn);
    if (cc->ll.GetTypeKind(type) != LL_VECTOR) {
        result = call = sam_cc_call_builtin(cc, builder, name, from, operands);
    } else {
        result = cc->ll.GetUndef(type);
        for (unsigned e = 0; e < cc->ll.GetVectorSize(type); e++) {
            llvm_ref at = cc->ll.ConstInt(i32, e, 0);
            for (unsigned i = 0; i < operands; i++)
                one[i] = cc->ll.BuildExtractElement(builder, from[i], at, "");
            call = sam_cc_call_builtin(cc, builder, name, one, operands);
            if (!call)
                break;
            result = cc->ll.BuildInsertElement(builder, result, call, at, "");
        }
    }
    cc->ll.DisposeBuilder(builder);
    if (!call)
        return sam_cc_refuse(cc, insn, "the library has no %s", name);
    cc->ll.ReplaceAllUsesWith(insn, result);
    cc->ll.InstructionEraseFromParent(insn);
    return SAM_OK;
}

static enum sam_status prepare_insn(struct cc *cc, llvm_ref insn)
{
    if (cc->ll.GetInstructionOpcode(insn) == LL_CALL) {
        llvm_ref called = cc->ll.GetCalledValue(insn);
        if (cc->ll.GetValueKind(called) == LL_FUNCTION &&
            strcmp(name_of(cc, called), "printf") == 0)
            return sam_cc_expand_printf(cc, insn);
        return SAM_OK;
    }
    const char *name = routine(cc, insn, cc->ll.TypeOf(insn));
    return name ? call_routine(cc, insn, name) : SAM_OK;
}

/* Replace what the library has to do, in all functions. */
static enum sam_status call_builtins(struct cc *cc)
{
    enum sam_status status = SAM_OK;
    for (llvm_ref f = cc->ll.GetFirstFunction(cc->module); f; f = cc->ll.GetNextFunction(f))
        for (llvm_ref b = cc->ll.GetFirstBasicBlock(f); b; b = cc->ll.GetNextBasicBlock(b)) {
            llvm_ref insn = cc->ll.GetFirstInstruction(b), next;
            for (; insn && status == SAM_OK; insn = next) {
                next = cc->ll.GetNextInstruction(insn);
                status = prepare_insn(cc, insn);
            }
        }
    return status;
}

/* Everything but the kernels is internal and inlined. */
static void inline_all(struct cc *cc)
{
    for (llvm_ref f = cc->ll.GetFirstFunction(cc->module); f; f = cc->ll.GetNextFunction(f)) {
        if (cc->ll.IsDeclaration(f))
            continue;
        attribute(cc, f, "noinline", false);
        attribute(cc, f, "optnone", false);
        attribute(cc, f, "alwaysinline", true); /* a kernel may be called as well */
        if (!is_kernel(cc, f))
            cc->ll.SetLinkage(f, LL_INTERNAL);
    }
}

static enum sam_status prepare_kernels(struct cc *cc)
{
    struct visits v = {0};
    enum sam_status status = SAM_OK;
    bool found = false;
    for (llvm_ref f = cc->ll.GetFirstFunction(cc->module); f && status == SAM_OK;
         f = cc->ll.GetNextFunction(f)) {
        if (!is_kernel(cc, f))
            continue;
        found = true;
        status = check_calls(cc, f, &v, 0);
        if (status == SAM_OK)
            copy_structs(cc, f);
    }
    sam_names_free(&v.good);
    sam_names_free(&v.locks);
    if (status == SAM_OK && !found)
        status = sam_cc_refuse(cc, NULL, "no kernel: expected a __kernel function");
    return status;
}

/* Run passes of LLVM, named as `opt -passes` does; "@" in the text is the pass that combines
 * instructions, "#" the level that the user asks for. */
static enum sam_status run_passes(struct cc *cc, const char *pattern)
{
    const unsigned level = cc->options->optimize;
    struct sam_buffer passes = {0};
    for (; *pattern; pattern++)
        if (*pattern == '@') /* LLVM 18 checks that another run changes nothing, and aborts */
            sam_buffer_puts(&passes,
                            cc->major < 18 ? "instcombine" : "instcombine<no-verify-fixpoint>");
        else if (*pattern == '#')
            sam_buffer_printf(&passes, "%u", !level ? 2 : level > 3 ? 3 : level);
        else
            sam_buffer_append(&passes, pattern, 1);
    if (passes.failed) {
        sam_buffer_free(&passes);
        return sam_fail_memory(cc->error);
    }
    llvm_ref options = cc->ll.CreatePassBuilderOptions();
    llvm_ref failure = cc->ll.RunPasses(cc->module, sam_buffer_text(&passes), NULL, options);
    sam_buffer_free(&passes);
    cc->ll.DisposePassBuilderOptions(options);
    if (!failure)
        return SAM_OK;
    char *text = cc->ll.GetErrorMessage(failure);
    sam_fail(cc->error, SAM_ERR_INPUT, "LLVM: %s", text);
    cc->ll.DisposeErrorMessage(text);
    return SAM_ERR_INPUT;
}

/* Callees first, each simplified before it is inlined: a kernel with all that it calls, as clang
 * writes it, takes several times as long. */
#define INLINE                                                                                     \
    "globaldce,cgscc(inline<only-mandatory>,function(sroa,early-cse,simplifycfg)),globaldce"

/* LLVM's passes for -O2 combine instructions seven times, which takes half of their time; these do
 * it twice, with the same code as result but for a few instructions. */
#define SIMPLIFY                                                                                   \
    "sroa,early-cse<memssa>,simplifycfg<switch-range-to-icmp>,@,correlated-propagation,"           \
    "simplifycfg,reassociate,loop-mssa(loop-rotate,licm),"                                         \
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa,gvn,bdce"

static enum sam_status optimize(struct cc *cc)
{
    const enum sam_status status = run_passes(cc, INLINE);
    if (status != SAM_OK)
        return status;
    for (llvm_ref f = cc->ll.GetFirstFunction(cc->module); f; f = cc->ll.GetNextFunction(f))
        if (is_kernel(cc, f))
            sam_cc_print_buffer(cc, f);
    /* __builtin_expect and __builtin_constant_p are calls until a pass takes them */
    return run_passes(cc, "function(lower-expect," SIMPLIFY ",lower-constant-intrinsics,"
                          "simplifycfg<hoist-common-insts;sink-common-insts;"
                          "switch-to-lookup;no-keep-loops>,loop-unroll<O#>,@,adce),"
                          "globalopt,globaldce");
}

/* The shape that the compiler expects. */
static enum sam_status shape(struct cc *cc)
{
    char passes[100];
    /* the pass has another name since LLVM 18 */
    snprintf(passes, sizeof passes,
             "function(%s,fix-irreducible,loop-simplify,early-cse<memssa>,adce)",
             cc->major < 18 ? "lowerswitch" : "lower-switch");
    return run_passes(cc, passes);
}

static enum sam_status link_library(struct cc *cc)
{
    llvm_ref library = cc->library;
    cc->library = NULL; /* the linker destroys it */
    if (cc->ll.LinkModules2(cc->module, library))
        return sam_cc_refuse(cc, NULL, "a function has the name of a builtin");
    inline_all(cc);
    return SAM_OK;
}

/* Divisions of 64 bits that LLVM has made, of sums in closed form for example. */
static bool has_routines(struct cc *cc)
{
    for (llvm_ref f = cc->ll.GetFirstFunction(cc->module); f; f = cc->ll.GetNextFunction(f))
        for (llvm_ref b = cc->ll.GetFirstBasicBlock(f); b; b = cc->ll.GetNextBasicBlock(b))
            for (llvm_ref i = cc->ll.GetFirstInstruction(b); i; i = cc->ll.GetNextInstruction(i))
                if (routine(cc, i, cc->ll.TypeOf(i)))
                    return true;
    return false;
}

static void open_context(struct cc *cc)
{
    cc->context = cc->ll.ContextCreate();
    cc->ll.ContextSetDiagnosticHandler(cc->context, ignore, NULL);
}

enum sam_status sam_cc_module_ready(struct cc *cc, const struct sam_buffer *raw,
                                    struct sam_buffer *ready)
{
    open_context(cc);
    enum sam_status status = parse(cc, raw, false, &cc->module);
    if (status == SAM_OK)
        status = call_builtins(cc);
    /* Helpers that the library alone calls become part of their callers here, once. */
    for (llvm_ref f = cc->ll.GetFirstFunction(cc->module); f; f = cc->ll.GetNextFunction(f)) {
        llvm_ref result = cc->ll.GetReturnType(cc->ll.GlobalGetValueType(f));
        if (cc->ll.GetLinkage(f) == LL_INTERNAL && cc->ll.GetTypeKind(result) != LL_INTEGER)
            attribute(cc, f, "alwaysinline", true);
    }
    if (status == SAM_OK)
        status = run_passes(cc, "always-inline,function(sroa,early-cse,simplifycfg,@,"
                                "loop(loop-rotate),loop(indvars,loop-unroll-full),sroa,early-cse)");
    if (status == SAM_OK) {
        /* of functions with this linkage the linker takes those that are called */
        for (llvm_ref f = cc->ll.GetFirstFunction(cc->module); f; f = cc->ll.GetNextFunction(f))
            if (!cc->ll.IsDeclaration(f))
                cc->ll.SetLinkage(f, LL_LINK_ONCE);
        llvm_ref buffer = cc->ll.WriteBitcodeToMemoryBuffer(cc->module);
        sam_buffer_append(ready, cc->ll.GetBufferStart(buffer), cc->ll.GetBufferSize(buffer));
        cc->ll.DisposeMemoryBuffer(buffer);
    }
    sam_cc_module_close(cc);
    return status == SAM_OK && ready->failed ? sam_fail_memory(cc->error) : status;
}

/* Say where variables are when a function begins: a block that says only this is removed. */
static void declare_first(struct cc *cc, llvm_ref function)
{
    llvm_ref entry = cc->ll.GetFirstBasicBlock(function), builder, next;
    llvm_ref place = cc->ll.GetFirstInstruction(entry);
    while (cc->ll.GetInstructionOpcode(place) == LL_ALLOCA)
        place = cc->ll.GetNextInstruction(place);
    builder = cc->ll.CreateBuilderInContext(cc->context);
    cc->ll.PositionBuilderBefore(builder, place);
    for (llvm_ref b = cc->ll.GetNextBasicBlock(entry); b; b = cc->ll.GetNextBasicBlock(b))
        for (llvm_ref i = cc->ll.GetFirstInstruction(b); i; i = next) {
            next = cc->ll.GetNextInstruction(i);
            if (cc->ll.GetInstructionOpcode(i) != LL_CALL ||
                strcmp(name_of(cc, cc->ll.GetCalledValue(i)), "llvm.dbg.declare") != 0)
                continue;
            llvm_ref at = cc->ll.InstructionGetDebugLoc(i);
            cc->ll.InstructionRemoveFromParent(i);
            cc->ll.InsertIntoBuilder(builder, i);
            cc->ll.InstructionSetDebugLoc(i, at);
        }
    cc->ll.DisposeBuilder(builder);
}

enum sam_status sam_cc_module_open(struct cc *cc, const struct sam_buffer *user,
                                   const struct sam_buffer *library)
{
    open_context(cc);
    enum sam_status status = parse(cc, user, false, &cc->module);
    if (status == SAM_OK)
        status = parse(cc, library, true, &cc->library);
    if (status != SAM_OK)
        return status;
    for (llvm_ref f = cc->ll.GetFirstFunction(cc->module); f && cc->debug;
         f = cc->ll.GetNextFunction(f))
        if (!cc->ll.IsDeclaration(f))
            declare_first(cc, f);
    const char *standard = cc->options->standard;
    llvm_ref size = cc->ll.GetNamedFunction(cc->module, "_Z14get_local_sizej");
    if (size && standard && strlen(standard) > 2 && standard[2] >= '2') /* "CL2.0" and later */
        cc->ll.SetValueName2(size, "__samite_group_size", 19);
    cc->layout = cc->ll.GetModuleDataLayout(cc->module);
    status = call_builtins(cc);
    if (status == SAM_OK)
        status = link_library(cc);
    if (status == SAM_OK)
        status = prepare_kernels(cc);
    if (status == SAM_OK)
        status = optimize(cc);
    if (status == SAM_OK && has_routines(cc)) {
        status = parse(cc, library, true, &cc->library);
        if (status == SAM_OK)
            status = call_builtins(cc);
        if (status == SAM_OK)
            status = link_library(cc);
        if (status == SAM_OK)
            status = run_passes(cc, INLINE ",function(@,simplifycfg)");
    }
    if (status == SAM_OK)
        status = shape(cc);
    if (cc->ll.SetIsNewDbgInfoFormat)
        cc->ll.SetIsNewDbgInfoFormat(cc->module, 0); /* calls of llvm.dbg.*, not records */
    return status;
}

void sam_cc_module_close(struct cc *cc)
{
    if (cc->library)
        cc->ll.DisposeModule(cc->library);
    if (cc->module)
        cc->ll.DisposeModule(cc->module);
    if (cc->context)
        cc->ll.ContextDispose(cc->context);
    cc->library = cc->module = cc->context = NULL;
}
