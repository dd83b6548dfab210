/* SPDX-License-Identifier: Apache-2.0 */
/* Translates loops: bitcode of the handlers in, machine code out. */
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "translator.h"

/* The handlers as bitcode, by instruction level: of a warp, of harts with 32 and 64 bits. */
#define LEVEL(level)                                                                               \
    extern const char warp_##level[], warp_##level##_end[];                                        \
    extern const char hart32_##level[], hart32_##level##_end[];                                    \
    extern const char hart64_##level[], hart64_##level##_end[]
enum { WARP, HART32, HART64, KINDS };
static const struct bitcode {
    const char *begin, *end;
} * bitcode_of(unsigned level, unsigned kind)
{
    LEVEL(base);
#define OF(level)                                                                                  \
    {                                                                                              \
        {warp_##level, warp_##level##_end}, {hart32_##level, hart32_##level##_end},                \
        {                                                                                          \
            hart64_##level, hart64_##level##_end                                                   \
        }                                                                                          \
    }
#if defined(__x86_64__)
    LEVEL(v3);
    LEVEL(v4);
    static const struct bitcode all[SAM_CPU_LEVELS][KINDS] = {OF(base), OF(v3), OF(v4)};
    return &all[level][kind];
#else
    static const struct bitcode all[KINDS] = OF(base);
    (void)level;
    return &all[kind];
#endif
}

static bool is_stopped(const bool *stop)
{
    return __atomic_load_n(stop, __ATOMIC_RELAXED);
}

static LLVMModuleRef read_module(LLVMContextRef context, const struct bitcode *bitcode)
{
    LLVMModuleRef module;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
        bitcode->begin, (size_t)(bitcode->end - bitcode->begin), "handlers", false);
    const bool failed = LLVMParseBitcodeInContext2(context, buffer, &module);
    LLVMDisposeMemoryBuffer(buffer);
    return failed ? NULL : module;
}

/* Optimise in steps, between which it may be called off. */
static bool optimise(LLVMModuleRef module, LLVMTargetMachineRef machine, const bool *stop)
{
    static const char *const steps[] = {
        "globaldce,always-inline,globaldce",
        "function(instcombine,sroa,early-cse,jump-threading,simplifycfg)",
        "default<O2>",
    };
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = NULL;
    for (unsigned i = 0; !error && i < SAM_COUNT(steps) && !is_stopped(stop); i++)
        error = LLVMRunPasses(module, steps[i], machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error)
        LLVMDisposeErrorMessage(LLVMGetErrorMessage(error));
    return !error && !is_stopped(stop);
}

static LLVMTargetMachineRef new_machine(void)
{
    LLVMTargetRef target;
    char *message = NULL, *triple = LLVMGetDefaultTargetTriple();
    LLVMTargetMachineRef machine = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &message))
        LLVMDisposeMessage(message);
    else /* functions name their CPU and features themselves */
        machine = LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault,
                                          LLVMRelocPIC, LLVMCodeModelSmall);
    LLVMDisposeMessage(triple);
    return machine;
}

/* The function that LLVM calls for a large copy: an image calls nothing outside. */
static void add_memcpy(const struct translator *t)
{
    LLVMTypeRef pointer = LLVMPointerType(t->i8, 0);
    LLVMTypeRef types[] = {pointer, pointer, t->i64}, three[] = {pointer, pointer, t->i64};
    LLVMTypeRef moved = LLVMStructTypeInContext(t->context, three, 3, false);
    LLVMValueRef function =
        LLVMAddFunction(t->module, "memcpy", LLVMFunctionType(pointer, types, 3, false));
    char copies[] = "rep movsb", constraints[] = "={di},={si},={cx},0,1,2,~{memory}";
    LLVMTypeRef type = LLVMFunctionType(moved, types, 3, false);
    LLVMValueRef copy =
        LLVMGetInlineAsm(type, copies, sizeof copies - 1, constraints, sizeof constraints - 1, true,
                         false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef arguments[3];
    LLVMGetParams(function, arguments);
    LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, function, ""));
    LLVMBuildCall2(t->builder, type, copy, arguments, 3, "");
    LLVMBuildRet(t->builder, arguments[0]);
}

static bool finish(const struct translator *t, const bool *stop, struct sam_jit_image *image)
{
    char *message = NULL;
    LLVMMemoryBufferRef object = NULL;
    LLVMTargetMachineRef machine = new_machine();
    bool done = machine && optimise(t->module, machine, stop);
    if (done && !LLVMGetNamedFunction(t->module, "memcpy"))
        add_memcpy(t);
    if (done && LLVMTargetMachineEmitToMemoryBuffer(machine, t->module, LLVMObjectFile, &message,
                                                    &object)) {
        LLVMDisposeMessage(message);
        done = false;
    }
    done = done && sam_translator_link(LLVMGetBufferStart(object), "loop", image);
    if (object)
        LLVMDisposeMemoryBuffer(object);
    if (machine)
        LLVMDisposeTargetMachine(machine);
    return done;
}

/* Remarks of passes. */
static void ignore(LLVMDiagnosticInfoRef info, void *context)
{
    (void)info, (void)context;
}

static void start(void)
{
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
}

static bool translate(const struct sam_jit_loop *loop, unsigned level, const bool *stop,
                      struct sam_jit_image *image)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct translator *t = level < SAM_CPU_LEVELS ? calloc(1, sizeof *t) : NULL;
    if (!t)
        return false;
    pthread_once(&once, start);
    t->loop = loop;
    t->level = level;
    t->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(t->context, ignore, NULL);
    t->module = read_module(t->context, bitcode_of(level, loop->lanes        ? WARP
                                                          : loop->xlen == 32 ? HART32
                                                                             : HART64));
    t->builder = LLVMCreateBuilderInContext(t->context);
    t->i8 = LLVMInt8TypeInContext(t->context);
    t->i32 = LLVMInt32TypeInContext(t->context);
    t->i64 = LLVMInt64TypeInContext(t->context);
    const bool done = t->module && sam_translator_build(t) &&
                      !LLVMVerifyModule(t->module, LLVMReturnStatusAction, NULL) &&
                      finish(t, stop, image);
    LLVMDisposeBuilder(t->builder);
    if (t->module)
        LLVMDisposeModule(t->module);
    LLVMContextDispose(t->context);
    free(t);
    return done;
}

extern const struct sam_jit_library sam_jit_library;
__attribute__((visibility("default"))) const struct sam_jit_library sam_jit_library = {
    .version = SAM_JIT_VERSION,
    .loop_size = sizeof(struct sam_jit_loop),
    .core_size = sizeof(struct sam_core),
    .translate = translate,
};
