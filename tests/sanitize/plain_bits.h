/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of bits that are 0, 1 or undefined. */
#ifndef PLAIN_BITS_H
#define PLAIN_BITS_H

#include <stdbool.h>
#include <stdint.h>

enum { WIDE = 64 };

/* Bit i may be 0, may be 1, or both. */
struct bits {
    bool may[WIDE][2];
};

struct bits bits_of(uint64_t value, uint64_t undefined);
/* The undefined ones among the lowest `width` bits. */
uint64_t bits_undefined(const struct bits *a, unsigned width);
uint64_t bits_least(const struct bits *a, unsigned width);

/* The bits of a function of two bits. */
struct bits bits_each(const struct bits *a, const struct bits *b, bool (*f)(bool a, bool b));
/* a + b, or a - b. */
struct bits bits_sum(const struct bits *a, const struct bits *b, bool minus);

/* The possible orders of a and b. */
struct bits_order {
    bool less, equal, greater;
};
struct bits_order bits_compare(const struct bits *a, const struct bits *b, unsigned width,
                               bool is_signed);

#endif
