/* SPDX-License-Identifier: Apache-2.0 */
/* Translates loops: bitcode of the handlers in, machine code out. */
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/ExecutionEngine.h>
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

static LLVMModuleRef read_module(LLVMContextRef context, const struct bitcode *bitcode)
{
    LLVMModuleRef module;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
        bitcode->begin, (size_t)(bitcode->end - bitcode->begin), "handlers", false);
    const bool failed = LLVMParseBitcodeInContext2(context, buffer, &module);
    LLVMDisposeMemoryBuffer(buffer);
    return failed ? NULL : module;
}

struct translation {
    LLVMContextRef context;
    LLVMExecutionEngineRef engine;
};

static bool optimise(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    static const char first[] = "globaldce,always-inline,globaldce";
    static const char then[] =
        "function(instcombine,sroa,early-cse,jump-threading,simplifycfg),default<O2>";
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, first, machine, options);
    if (!error)
        error = LLVMRunPasses(module, then, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error)
        LLVMDisposeErrorMessage(LLVMGetErrorMessage(error));
    return !error;
}

static bool finish(struct translator *t, struct translation *translation, sam_jit_code **code)
{
    struct LLVMMCJITCompilerOptions options;
    char *message = NULL;
    LLVMInitializeMCJITCompilerOptions(&options, sizeof options);
    options.OptLevel = 2;
    if (LLVMCreateMCJITCompilerForModule(&translation->engine, t->module, &options, sizeof options,
                                         &message)) {
        LLVMDisposeMessage(message);
        return false;
    }
    LLVMModuleRef module = t->module;
    t->module = NULL; /* the engine's */
    if (!optimise(module, LLVMGetExecutionEngineTargetMachine(translation->engine)))
        return false;
    const uint64_t address = LLVMGetFunctionAddress(translation->engine, "loop");
    *code = (sam_jit_code *)(uintptr_t)address;
    return address != 0;
}

static void release(void *handle)
{
    struct translation *translation = handle;
    if (translation->engine)
        LLVMDisposeExecutionEngine(translation->engine);
    LLVMContextDispose(translation->context);
    free(translation);
}

/* Remarks of passes. */
static void ignore(LLVMDiagnosticInfoRef info, void *context)
{
    (void)info, (void)context;
}

static void start(void)
{
    LLVMLinkInMCJIT();
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
}

static sam_jit_code *translate(const struct sam_jit_loop *loop, unsigned level, void **handle)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct translation *translation = calloc(1, sizeof *translation);
    struct translator *t = calloc(1, sizeof *t);
    sam_jit_code *code = NULL;
    *handle = NULL;
    if (!translation || !t || level >= SAM_CPU_LEVELS) {
        free(translation);
        free(t);
        return NULL;
    }
    pthread_once(&once, start);
    t->loop = loop;
    t->level = level;
    t->context = translation->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(t->context, ignore, NULL);
    t->module = read_module(t->context, bitcode_of(level, loop->lanes        ? WARP
                                                          : loop->xlen == 32 ? HART32
                                                                             : HART64));
    t->builder = LLVMCreateBuilderInContext(t->context);
    t->i8 = LLVMInt8TypeInContext(t->context);
    t->i32 = LLVMInt32TypeInContext(t->context);
    t->i64 = LLVMInt64TypeInContext(t->context);
    if (t->module && sam_translator_build(t) &&
        !LLVMVerifyModule(t->module, LLVMReturnStatusAction, NULL))
        finish(t, translation, &code);
    LLVMDisposeBuilder(t->builder);
    if (t->module)
        LLVMDisposeModule(t->module);
    free(t);
    if (code)
        *handle = translation;
    else
        release(translation);
    return code;
}

extern const struct sam_jit_library sam_jit_library;
__attribute__((visibility("default"))) const struct sam_jit_library sam_jit_library = {
    .version = SAM_JIT_VERSION,
    .loop_size = sizeof(struct sam_jit_loop),
    .core_size = sizeof(struct sam_core),
    .translate = translate,
    .release = release,
};
