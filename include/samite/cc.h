/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in OpenCL C compiled to Ventus. clang, of version 14 to 19, is run as a program, and
 * LLVM's library of the same version is loaded; neither is needed otherwise. Since 0.2. */
#ifndef SAMITE_CC_H
#define SAMITE_CC_H

#include <stdbool.h>
#include <stddef.h>

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
};

/* Compile the OpenCL C file at `path` ("-": standard input) to assembly that sam_assemble reads:
 * its kernels, constants, resources (.rodata.ventus.resource) and signatures (SAM_CC_SIGNATURES).
 * *messages, never NULL after the call and freed with sam_text_free, holds clang's diagnostics.
 * SAM_ERR_INPUT: no clang, no LLVM, or a construct that is refused, with its file and line. */
SAM_API enum sam_status sam_cc_compile(const struct sam_cc_options *options, const char *path,
                                       char **assembly, size_t *size, char **messages,
                                       struct sam_error *error);

/* A section with a line of text for each kernel: "NAME: TYPE NAME AT SIZE SPACE; ..." */
#define SAM_CC_SIGNATURES ".rodata.samite.kernels"

/* Whether a file is OpenCL C, by its name. */
SAM_API bool sam_cc_is_source(const char *path);

#ifdef __cplusplus
}
#endif
#endif
