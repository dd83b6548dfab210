/* SPDX-License-Identifier: Apache-2.0 */
/* Random kernels of OpenCL C whose results the language defines: bounded loops, no race, no
 * signed overflow, no index outside, floats without contraction.
 *
 *   __kernel void kNUMBER(__global uint *out, __global const uint *in, uint n)
 *
 * Work-item i of `items` writes GENERATE_WORDS words at out[GENERATE_WORDS * i]; 4 words past them
 * all, cleared before, take atomics. `in` has GENERATE_IN words. Workgroups have up to 64 items. */
#ifndef CC_GENERATE_H
#define CC_GENERATE_H

#include <stdint.h>

#include "base/base.h"

enum { GENERATE_WORDS = 4, GENERATE_ATOMICS = 4, GENERATE_IN = 256 };

/* Declarations shared by the kernels of a file; they come first. */
void generate_head(struct sam_buffer *text);
void generate_kernel(struct sam_buffer *text, uint64_t seed, unsigned number);

#endif
