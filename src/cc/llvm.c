/* SPDX-License-Identifier: Apache-2.0 */
/* Loads LLVM's library in the version of a clang. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cc/cc.h"

enum sam_status sam_cc_llvm_load(unsigned major, struct llvm *llvm, struct sam_error *error)
{
    static const char *const patterns[] = {"libLLVM-%u.so.1", "libLLVM.so.%u.1", "libLLVM-%u.so"};
    char name[64];
    void *library = NULL;
    for (size_t i = 0; i < SAM_COUNT(patterns) && !library; i++) {
        snprintf(name, sizeof name, patterns[i], major);
        library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    }
    if (!library)
        return sam_fail(error, SAM_ERR_INPUT,
                        "LLVM %u: no library libLLVM-%u.so.1: apt install libllvm%u", major, major,
                        major);
    const char *missing = NULL;
    llvm->library = library;
#define CC_LLVM_LOAD(returns, name, arguments)                                                     \
    if (!(*(void **)&llvm->name = dlsym(library, "LLVM" #name)))                                   \
        missing = "LLVM" #name;
    CC_LLVM_FUNCTIONS(CC_LLVM_LOAD)
#undef CC_LLVM_LOAD
    *(void **)&llvm->SetIsNewDbgInfoFormat = dlsym(library, "LLVMSetIsNewDbgInfoFormat");
    if (missing)
        return sam_fail(error, SAM_ERR_INPUT, "LLVM %u: no function %s: expected 14 to 19", major,
                        missing);
    return SAM_OK;
}
