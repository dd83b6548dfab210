/* SPDX-License-Identifier: Apache-2.0 */
#include "plain_bits.h"

struct bits bits_of(uint64_t value, uint64_t undefined)
{
    struct bits out;
    for (unsigned i = 0; i < WIDE; i++) {
        const bool bit = value >> i & 1, open = undefined >> i & 1;
        out.may[i][0] = open || !bit;
        out.may[i][1] = open || bit;
    }
    return out;
}

uint64_t bits_undefined(const struct bits *a, unsigned width)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < width; i++)
        if (a->may[i][0] && a->may[i][1])
            out |= UINT64_C(1) << i;
    return out;
}

uint64_t bits_least(const struct bits *a, unsigned width)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < width; i++)
        if (!a->may[i][0])
            out |= UINT64_C(1) << i;
    return out;
}

struct bits bits_each(const struct bits *a, const struct bits *b, bool (*f)(bool a, bool b))
{
    struct bits out = {0};
    for (unsigned i = 0; i < WIDE; i++)
        for (unsigned x = 0; x < 2; x++)
            for (unsigned y = 0; y < 2; y++)
                if (a->may[i][x] && b->may[i][y])
                    out.may[i][f(x, y)] = true;
    return out;
}

struct bits bits_sum(const struct bits *a, const struct bits *b, bool minus)
{
    struct bits out = {0};
    bool carry[2] = {!minus, minus}; /* whether the carry may be 0, may be 1 */
    for (unsigned i = 0; i < WIDE; i++) {
        bool next[2] = {false, false};
        for (unsigned x = 0; x < 2; x++) {
            for (unsigned y = 0; y < 2; y++) {
                for (unsigned c = 0; c < 2; c++) {
                    if (!a->may[i][x] || !b->may[i][y != minus] || !carry[c])
                        continue;
                    out.may[i][(x + y + c) & 1] = true;
                    next[(x + y + c) >> 1] = true;
                }
            }
        }
        carry[0] = next[0];
        carry[1] = next[1];
    }
    return out;
}

struct bits_order bits_compare(const struct bits *a, const struct bits *b, unsigned width,
                               bool is_signed)
{
    struct bits_order order = {.equal = true};
    for (unsigned i = width; i-- > 0 && order.equal;) {
        const bool flip = is_signed && i == width - 1;
        const bool below = a->may[i][flip] && b->may[i][!flip];
        const bool above = a->may[i][!flip] && b->may[i][flip];
        order.less |= below;
        order.greater |= above;
        order.equal = (a->may[i][0] && b->may[i][0]) || (a->may[i][1] && b->may[i][1]);
    }
    return order;
}
