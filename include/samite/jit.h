/* SPDX-License-Identifier: Apache-2.0 */
/* Translation of hot loops to machine code by libsamite-jit.so. A GPU or hart made while the
 * environment variable SAMITE_JIT is "auto" (on a thread of its own) or "wait" (while the program
 * waits) translates; without the library it interprets.
 *
 * Thread safety: any function may run in any thread. */
#ifndef SAMITE_JIT_H
#define SAMITE_JIT_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Load libsamite-jit.so, or the file that the environment variable SAMITE_JIT_LIBRARY names, as
 * GPUs and harts do. SAM_ERR_IO: it cannot be loaded. SAM_ERR_INPUT: it belongs to another build or
 * release. */
SAM_API enum sam_status sam_jit_check(struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
