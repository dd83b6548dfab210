/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in OpenCL C compiled to Ventus. clang, of version 14 to 19, is run as a program, and
 * LLVM's library of the same version is loaded; neither is needed otherwise. Since 0.2. */
#ifndef SAMITE_CC_H
#define SAMITE_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_cc_options {
    size_t size;                /* sizeof of this struct */
    const char *const *defines; /* "NAME=VALUE" or "NAME" */
    size_t define_count;
    const char *const *include_paths;
    size_t include_count;
    const char *standard; /* "CL1.2" when NULL, or CL1.1, CL2.0, CL3.0 */
    unsigned optimize;    /* 0 to 3, as -O of clang; 0: 2 */
    bool no_cache;        /* compile even if an earlier result is in the cache */
    bool variables;       /* describe arguments and variables, as DWARF for debuggers */
    const char *const
        *flags; /* -cl-fast-relaxed-math and other build options of OpenCL; -w, -Werror */
    size_t flag_count;
    const char *text; /* the source, of an editor for instance, instead of what the file holds */
};

/* Compile the OpenCL C file at `path` ("-": standard input) to assembly that sam_assemble reads:
 * its kernels, constants, resources (.rodata.ventus.resource) and signatures (SAM_CC_SIGNATURES).
 * *messages, never NULL after the call and freed with sam_text_free, holds clang's diagnostics.
 * SAM_ERR_INPUT: no clang, no LLVM, or a construct that is refused, with its file and line. */
SAM_API enum sam_status sam_cc_compile(const struct sam_cc_options *options, const char *path,
                                       char **assembly, size_t *size, char **messages,
                                       struct sam_error *error);

/* The section in which a program has lines of text about its kernels and their arguments. */
#define SAM_CC_SIGNATURES ".rodata.samite.kernels"

enum sam_cc_space { SAM_CC_VALUE, SAM_CC_GLOBAL, SAM_CC_CONSTANT, SAM_CC_LOCAL };

/* An argument of a kernel: a value of `size` bytes at `offset` of the argument buffer, or a pointer
 * to a space. `type` and `name` as in the source, shortened to fit; a typedef of a scalar is
 * that scalar. */
struct sam_cc_argument {
    enum sam_cc_space space;
    uint32_t size, offset;
    char type[64], name[64];
};

/* Whether the image describes the kernel: one that sam_cc_compile made does. block (may be NULL)
 * receives the work-items that it requires of a workgroup, or zeros. */
SAM_API bool sam_cc_kernel_described(const struct sam_image *image, const char *kernel,
                                     uint32_t block[3]);
/* Argument `index` of a kernel; false: there is none. */
SAM_API bool sam_cc_kernel_argument(const struct sam_image *image, const char *kernel, size_t index,
                                    struct sam_cc_argument *argument);

/* Whether a file is OpenCL C, by its name. */
SAM_API bool sam_cc_is_source(const char *path);

#ifdef __cplusplus
}
#endif
#endif
