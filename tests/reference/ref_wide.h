/* SPDX-License-Identifier: Apache-2.0 */
/* Half, single and double precision for the reference of the matrix unit: numbers as integers of
 * thousands of bits, so that every sum and product is exact, then rounded once. */
#ifndef REF_WIDE_H
#define REF_WIDE_H

#include <stdint.h>

#include "ref_float.h"

/* Bits of a value: 16, 32 or 64. */
uint64_t ref_wide_fma(struct ref_fp *fp, unsigned bits, uint64_t a, uint64_t b, uint64_t c);
uint64_t ref_wide_mul(struct ref_fp *fp, unsigned bits, uint64_t a, uint64_t b);
uint64_t ref_wide_add(struct ref_fp *fp, unsigned bits, uint64_t a, uint64_t b);
uint64_t ref_wide_extend(struct ref_fp *fp, unsigned from, unsigned to, uint64_t a);

#endif
