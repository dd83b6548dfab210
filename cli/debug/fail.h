/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEBUG_FAIL_H
#define DEBUG_FAIL_H

#include "samite/status.h"

/* Fill `error`, which may be NULL, with SAM_ERR_USAGE and this text, and return that status. */
enum sam_status debug_fail(struct sam_error *error, const char *format, ...) SAM_PRINTF(2, 3);
enum sam_status debug_fail_memory(struct sam_error *error);
#ifdef __clang_analyzer__ /* the analyzer sees one file at a time */
#define debug_fail(...)          (debug_fail(__VA_ARGS__), SAM_ERR_USAGE)
#define debug_fail_memory(error) (debug_fail_memory(error), SAM_ERR_MEMORY)
#endif

#endif
