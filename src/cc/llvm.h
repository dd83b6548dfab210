/* SPDX-License-Identifier: Apache-2.0 */
/* The part of LLVM's C API that the compiler uses. The library is loaded when a kernel is compiled,
 * in the major version of the clang that wrote the bitcode (14 to 19), so nothing of LLVM is needed
 * to build or to link libsamite. Every reference is a pointer; numbers are those of llvm-c/Core.h.
 */
#ifndef CC_LLVM_H
#define CC_LLVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct llvm_object *llvm_ref;

/* F(returns, name without "LLVM", arguments) */
#define CC_LLVM_FUNCTIONS(F)                                                                       \
    F(llvm_ref, ContextCreate, (void))                                                             \
    F(void, ContextDispose, (llvm_ref))                                                            \
    F(void, ContextSetDiagnosticHandler, (llvm_ref, void (*)(llvm_ref, void *), void *))           \
    F(llvm_ref, CreateMemoryBufferWithMemoryRangeCopy, (const char *, size_t, const char *))       \
    F(int, ParseBitcodeInContext2, (llvm_ref, llvm_ref, llvm_ref *))                               \
    F(int, GetBitcodeModuleInContext2, (llvm_ref, llvm_ref, llvm_ref *))                           \
    F(llvm_ref, WriteBitcodeToMemoryBuffer, (llvm_ref))                                            \
    F(const char *, GetBufferStart, (llvm_ref))                                                    \
    F(size_t, GetBufferSize, (llvm_ref))                                                           \
    F(int, LinkModules2, (llvm_ref, llvm_ref))                                                     \
    F(void, DisposeModule, (llvm_ref))                                                             \
    F(void, DisposeMemoryBuffer, (llvm_ref))                                                       \
    F(void, DisposeMessage, (char *))                                                              \
    F(char *, PrintValueToString, (llvm_ref))                                                      \
    F(llvm_ref, GetModuleDataLayout, (llvm_ref))                                                   \
    F(unsigned long long, ABISizeOfType, (llvm_ref, llvm_ref))                                     \
    F(unsigned, ABIAlignmentOfType, (llvm_ref, llvm_ref))                                          \
    F(unsigned long long, OffsetOfElement, (llvm_ref, llvm_ref, unsigned))                         \
    F(llvm_ref, CreatePassBuilderOptions, (void))                                                  \
    F(void, DisposePassBuilderOptions, (llvm_ref))                                                 \
    F(llvm_ref, RunPasses, (llvm_ref, const char *, llvm_ref, llvm_ref))                           \
    F(char *, GetErrorMessage, (llvm_ref))                                                         \
    F(void, DisposeErrorMessage, (char *))                                                         \
    F(llvm_ref, GetFirstFunction, (llvm_ref))                                                      \
    F(llvm_ref, GetNextFunction, (llvm_ref))                                                       \
    F(llvm_ref, GetNamedFunction, (llvm_ref, const char *))                                        \
    F(llvm_ref, AddFunction, (llvm_ref, const char *, llvm_ref))                                   \
    F(llvm_ref, GetFirstGlobal, (llvm_ref))                                                        \
    F(llvm_ref, GetNextGlobal, (llvm_ref))                                                         \
    F(llvm_ref, GetInitializer, (llvm_ref))                                                        \
    F(int, IsGlobalConstant, (llvm_ref))                                                           \
    F(llvm_ref, GetReturnType, (llvm_ref))                                                         \
    F(llvm_ref, GlobalGetValueType, (llvm_ref))                                                    \
    F(void, SetValueName2, (llvm_ref, const char *, size_t))                                       \
    F(const char *, GetValueName2, (llvm_ref, size_t *))                                           \
    F(int, GetLinkage, (llvm_ref))                                                                 \
    F(void, SetLinkage, (llvm_ref, int))                                                           \
    F(int, IsDeclaration, (llvm_ref))                                                              \
    F(unsigned, GetFunctionCallConv, (llvm_ref))                                                   \
    F(void, SetFunctionCallConv, (llvm_ref, unsigned))                                             \
    F(void, SetInstructionCallConv, (llvm_ref, unsigned))                                          \
    F(unsigned, CountParams, (llvm_ref))                                                           \
    F(llvm_ref, GetParam, (llvm_ref, unsigned))                                                    \
    F(unsigned, GetEnumAttributeKindForName, (const char *, size_t))                               \
    F(llvm_ref, GetEnumAttributeAtIndex, (llvm_ref, unsigned, unsigned))                           \
    F(uint64_t, GetEnumAttributeValue, (llvm_ref))                                                 \
    F(llvm_ref, GetTypeAttributeValue, (llvm_ref))                                                 \
    F(llvm_ref, GetCallSiteEnumAttribute, (llvm_ref, unsigned, unsigned))                          \
    F(llvm_ref, CreateEnumAttribute, (llvm_ref, unsigned, uint64_t))                               \
    F(void, AddAttributeAtIndex, (llvm_ref, unsigned, llvm_ref))                                   \
    F(void, RemoveEnumAttributeAtIndex, (llvm_ref, unsigned, unsigned))                            \
    F(unsigned, GetMDKindIDInContext, (llvm_ref, const char *, unsigned))                          \
    F(unsigned, GetMDNodeNumOperands, (llvm_ref))                                                  \
    F(void, GetMDNodeOperands, (llvm_ref, llvm_ref *))                                             \
    F(const char *, GetMDString, (llvm_ref, unsigned *))                                           \
    F(llvm_ref, GlobalCopyAllMetadata, (llvm_ref, size_t *))                                       \
    F(unsigned, ValueMetadataEntriesGetKind, (llvm_ref, unsigned))                                 \
    F(llvm_ref, ValueMetadataEntriesGetMetadata, (llvm_ref, unsigned))                             \
    F(void, DisposeValueMetadataEntries, (llvm_ref))                                               \
    F(llvm_ref, MetadataAsValue, (llvm_ref, llvm_ref))                                             \
    F(llvm_ref, GetSubprogram, (llvm_ref))                                                         \
    F(unsigned, DISubprogramGetLine, (llvm_ref))                                                   \
    F(llvm_ref, DIScopeGetFile, (llvm_ref))                                                        \
    F(const char *, DIFileGetFilename, (llvm_ref, unsigned *))                                     \
    F(llvm_ref, GetFirstBasicBlock, (llvm_ref))                                                    \
    F(llvm_ref, GetNextBasicBlock, (llvm_ref))                                                     \
    F(llvm_ref, GetFirstInstruction, (llvm_ref))                                                   \
    F(llvm_ref, GetNextInstruction, (llvm_ref))                                                    \
    F(llvm_ref, GetBasicBlockTerminator, (llvm_ref))                                               \
    F(int, GetInstructionOpcode, (llvm_ref))                                                       \
    F(int, GetConstOpcode, (llvm_ref))                                                             \
    F(int, GetICmpPredicate, (llvm_ref))                                                           \
    F(int, GetFCmpPredicate, (llvm_ref))                                                           \
    F(int, GetNumOperands, (llvm_ref))                                                             \
    F(llvm_ref, GetOperand, (llvm_ref, unsigned))                                                  \
    F(llvm_ref, GetFirstUse, (llvm_ref))                                                           \
    F(llvm_ref, GetNextUse, (llvm_ref))                                                            \
    F(llvm_ref, GetUser, (llvm_ref))                                                               \
    F(void, ReplaceAllUsesWith, (llvm_ref, llvm_ref))                                              \
    F(void, InstructionEraseFromParent, (llvm_ref))                                                \
    F(void, InstructionRemoveFromParent, (llvm_ref))                                               \
    F(void, InstructionSetDebugLoc, (llvm_ref, llvm_ref))                                          \
    F(int, GetValueKind, (llvm_ref))                                                               \
    F(llvm_ref, TypeOf, (llvm_ref))                                                                \
    F(int, GetTypeKind, (llvm_ref))                                                                \
    F(unsigned, GetIntTypeWidth, (llvm_ref))                                                       \
    F(unsigned, GetVectorSize, (llvm_ref))                                                         \
    F(unsigned, GetArrayLength, (llvm_ref))                                                        \
    F(llvm_ref, GetElementType, (llvm_ref))                                                        \
    F(unsigned, CountStructElementTypes, (llvm_ref))                                               \
    F(llvm_ref, StructGetTypeAtIndex, (llvm_ref, unsigned))                                        \
    F(unsigned, GetPointerAddressSpace, (llvm_ref))                                                \
    F(unsigned long long, ConstIntGetZExtValue, (llvm_ref))                                        \
    F(long long, ConstIntGetSExtValue, (llvm_ref))                                                 \
    F(double, ConstRealGetDouble, (llvm_ref, int *))                                               \
    F(const char *, GetAsString, (llvm_ref, size_t *))                                             \
    F(llvm_ref, GetElementAsConstant, (llvm_ref, unsigned))                                        \
    F(llvm_ref, GetGEPSourceElementType, (llvm_ref))                                               \
    F(llvm_ref, GetAllocatedType, (llvm_ref))                                                      \
    F(unsigned, GetAlignment, (llvm_ref))                                                          \
    F(unsigned, CountIncoming, (llvm_ref))                                                         \
    F(llvm_ref, GetIncomingValue, (llvm_ref, unsigned))                                            \
    F(llvm_ref, GetIncomingBlock, (llvm_ref, unsigned))                                            \
    F(unsigned, GetNumSuccessors, (llvm_ref))                                                      \
    F(llvm_ref, GetSuccessor, (llvm_ref, unsigned))                                                \
    F(llvm_ref, GetCondition, (llvm_ref))                                                          \
    F(llvm_ref, GetCalledValue, (llvm_ref))                                                        \
    F(unsigned, GetNumArgOperands, (llvm_ref))                                                     \
    F(int, GetMaskValue, (llvm_ref, unsigned))                                                     \
    F(unsigned, GetNumIndices, (llvm_ref))                                                         \
    F(const unsigned *, GetIndices, (llvm_ref))                                                    \
    F(unsigned, GetDebugLocLine, (llvm_ref))                                                       \
    F(unsigned, GetDebugLocColumn, (llvm_ref))                                                     \
    F(const char *, GetDebugLocFilename, (llvm_ref, unsigned *))                                   \
    F(llvm_ref, InstructionGetDebugLoc, (llvm_ref))                                                \
    F(llvm_ref, DILocationGetScope, (llvm_ref))                                                    \
    F(llvm_ref, DILocationGetInlinedAt, (llvm_ref))                                                \
    F(unsigned, GetMetadataKind, (llvm_ref))                                                       \
    F(llvm_ref, ValueAsMetadata, (llvm_ref))                                                       \
    F(const char *, DITypeGetName, (llvm_ref, size_t *))                                           \
    F(uint64_t, DITypeGetSizeInBits, (llvm_ref))                                                   \
    F(uint64_t, DITypeGetOffsetInBits, (llvm_ref))                                                 \
    F(unsigned, DITypeGetFlags, (llvm_ref))                                                        \
    F(llvm_ref, CreateBuilderInContext, (llvm_ref))                                                \
    F(void, DisposeBuilder, (llvm_ref))                                                            \
    F(void, PositionBuilderBefore, (llvm_ref, llvm_ref))                                           \
    F(void, InsertIntoBuilder, (llvm_ref, llvm_ref))                                               \
    F(llvm_ref, BuildCall2, (llvm_ref, llvm_ref, llvm_ref, llvm_ref *, unsigned, const char *))    \
    F(llvm_ref, BuildAlloca, (llvm_ref, llvm_ref, const char *))                                   \
    F(void, SetAlignment, (llvm_ref, unsigned))                                                    \
    F(llvm_ref, BuildMemCpy, (llvm_ref, llvm_ref, unsigned, llvm_ref, unsigned, llvm_ref))         \
    F(llvm_ref, BuildCast, (llvm_ref, int, llvm_ref, llvm_ref, const char *))                      \
    F(llvm_ref, BuildExtractElement, (llvm_ref, llvm_ref, llvm_ref, const char *))                 \
    F(llvm_ref, BuildInsertElement, (llvm_ref, llvm_ref, llvm_ref, llvm_ref, const char *))        \
    F(llvm_ref, BuildGEP2, (llvm_ref, llvm_ref, llvm_ref, llvm_ref *, unsigned, const char *))     \
    F(llvm_ref, VoidTypeInContext, (llvm_ref))                                                     \
    F(llvm_ref, IntTypeInContext, (llvm_ref, unsigned))                                            \
    F(llvm_ref, ArrayType, (llvm_ref, unsigned))                                                   \
    F(llvm_ref, PointerType, (llvm_ref, unsigned))                                                 \
    F(llvm_ref, FunctionType, (llvm_ref, llvm_ref *, unsigned, int))                               \
    F(llvm_ref, ConstInt, (llvm_ref, unsigned long long, int))                                     \
    F(llvm_ref, GetUndef, (llvm_ref))

/* Opcodes, kinds of types and of values, predicates: llvm-c/Core.h. */
enum llvm_opcode {
    LL_RET = 1,
    LL_BR = 2,
    LL_UNREACHABLE = 7,
    LL_ADD = 8,
    LL_FADD = 9,
    LL_SUB = 10,
    LL_FSUB = 11,
    LL_MUL = 12,
    LL_FMUL = 13,
    LL_UDIV = 14,
    LL_SDIV = 15,
    LL_FDIV = 16,
    LL_UREM = 17,
    LL_SREM = 18,
    LL_FREM = 19,
    LL_SHL = 20,
    LL_LSHR = 21,
    LL_ASHR = 22,
    LL_AND = 23,
    LL_OR = 24,
    LL_XOR = 25,
    LL_ALLOCA = 26,
    LL_LOAD = 27,
    LL_STORE = 28,
    LL_GEP = 29,
    LL_TRUNC = 30,
    LL_ZEXT = 31,
    LL_SEXT = 32,
    LL_FPTOUI = 33,
    LL_FPTOSI = 34,
    LL_UITOFP = 35,
    LL_SITOFP = 36,
    LL_PTRTOINT = 39,
    LL_INTTOPTR = 40,
    LL_BITCAST = 41,
    LL_ICMP = 42,
    LL_FCMP = 43,
    LL_PHI = 44,
    LL_CALL = 45,
    LL_SELECT = 46,
    LL_EXTRACTELEMENT = 50,
    LL_INSERTELEMENT = 51,
    LL_SHUFFLEVECTOR = 52,
    LL_EXTRACTVALUE = 53,
    LL_INSERTVALUE = 54,
    LL_FENCE = 55,
    LL_CMPXCHG = 56,
    LL_ATOMICRMW = 57,
    LL_ADDRSPACECAST = 60,
    LL_FNEG = 66,
    LL_FREEZE = 68
};
enum llvm_type {
    LL_VOID = 0,
    LL_HALF = 1,
    LL_FLOAT = 2,
    LL_INTEGER = 8,
    LL_STRUCT = 10,
    LL_ARRAY = 11,
    LL_POINTER = 12,
    LL_VECTOR = 13,
    LL_TARGET_EXT = 20
};
enum llvm_value {
    LL_ARGUMENT = 0,
    LL_FUNCTION = 5,
    LL_GLOBAL = 8,
    LL_CONST_EXPR = 10,
    LL_CONST_ARRAY = 11,
    LL_CONST_STRUCT = 12,
    LL_CONST_VECTOR = 13,
    LL_UNDEF = 14,
    LL_ZERO_AGGREGATE = 15,
    LL_DATA_ARRAY = 16,
    LL_DATA_VECTOR = 17,
    LL_CONST_INT = 18,
    LL_CONST_FP = 19,
    LL_NULL = 20,
    LL_ASSEMBLY = 23,
    LL_INSTRUCTION = 24,
    LL_POISON = 25
};
/* integer comparisons */
enum { LL_EQ = 32, LL_NE, LL_UGT, LL_UGE, LL_ULT, LL_ULE, LL_SGT, LL_SGE, LL_SLT, LL_SLE };
enum { LL_SPIR_KERNEL = 76 };
enum { LL_LINK_ONCE = 3, LL_INTERNAL = 8 }; /* linkage */

struct llvm {
    void *library;
#define CC_LLVM_MEMBER(returns, name, arguments) returns(*name) arguments;
    CC_LLVM_FUNCTIONS(CC_LLVM_MEMBER)
#undef CC_LLVM_MEMBER
    void (*SetIsNewDbgInfoFormat)(llvm_ref, int); /* since 19; else NULL */
};
#endif
