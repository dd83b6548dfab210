/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the translator of loops. */
#ifndef SAM_TRANSLATOR_H
#define SAM_TRANSLATOR_H

#include <llvm-c/Core.h>

#include "machine/jit.h"

struct translator {
    const struct sam_jit_loop *loop;
    unsigned level;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef i8, i32, i64, handler;
    LLVMValueRef function, local, core, ops; /* local: the copy of the core */
    LLVMValueRef leaving;                    /* + SAM_JIT_PLAIN or not */
    LLVMValueRef left;                       /* instructions left at the next one */
    LLVMValueRef last;                       /* an array of struct sam_last_page */
    unsigned lasts;                          /* of them: one per load or store */
    LLVMValueRef saved;                      /* the SIMT stack's state before an instruction */
    LLVMBasicBlockRef blocks[SAM_PAGE_OPS], leave;
    LLVMValueRef handlers[SAM_PAGE_OPS];
};

/* --- handlers.c */
/* Find the handlers of the loop's instructions, NULL where one cannot be translated, and have all
 * functions of the module inlined. Returns false if the first one has none. */
bool sam_translator_find(struct translator *t);
/* The handler of an instruction in the module, or NULL. */
LLVMValueRef sam_translator_handler(const struct translator *t, unsigned op);
void sam_translator_mark(LLVMContextRef context, LLVMValueRef function, const char *attribute);

/* --- function.c */
/* Add the function "loop" to the module. Returns false if it would do nothing. */
bool sam_translator_build(struct translator *t);

/* --- image.c */
/* The image of an object file of this host, entered at the function `name`. Returns false if it
 * refers to anything outside. */
bool sam_translator_link(const void *object, const char *name, struct sam_jit_image *image);

#endif
