/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CC_AS_CLANG_H
#define CC_AS_CLANG_H

#include "cli.h"

/* If the first word is --as-ventus-clang, replace the words after it, options of clang, by those of
 * samite cc. Those for the target, the linker and warnings are dropped; CLI_BAD_INPUT: an unknown
 * one. */
int cc_as_clang(struct cli_args *args);

#endif
