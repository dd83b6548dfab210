/* SPDX-License-Identifier: Apache-2.0 */
/* TL.XPOSE: exchanges two dimensions of two registers taken as one 4-D block of 2048 bytes. Manual
 * 3.5, 4.2. */
#include "tensor/unit.h"

#define PAIR (2 * SAM_TL_SIZE)

bool sam_tensor_xpose(struct sam_core *c, unsigned tl1, unsigned tl2, uint32_t sizes, unsigned dims,
                      unsigned bits)
{
    struct sam_tensor *t = sam_tensor_of(c);
    unsigned d[4], elements = 1;
    bits = bits ? bits : (unsigned)sam_dtype_bits(t->type); /* 0 for an invalid ttype */
    for (unsigned i = 0; i < 4; i++)
        elements *= d[i] = sizes >> 8 * i & 255;
    if (!bits)
        return sam_tensor_illegal(c, SAM_TL_FAULT(SAM_TL_TYPE));
    if (tl1 == tl2)
        return sam_tensor_illegal(c, SAM_TL_FAULT(SAM_TL_XPOSE_SAME, tl1));
    const uint64_t all = elements * (uint64_t)bits;
    if (all != PAIR * 8)
        return sam_tensor_illegal(c, SAM_TL_FAULT(SAM_TL_XPOSE_SIZE, sizes, bits, all));
    if (d[0] % 2)
        return sam_tensor_illegal(c, SAM_TL_FAULT(SAM_TL_XPOSE_ODD, sizes));
    unsigned first = dims & 3, second = dims >> 2 & 3;
    if (first == second)
        return true;
    if (first > second) {
        unsigned swap = first;
        first = second;
        second = swap;
    }
    const bool nibbles = bits < 8;
    struct sam_transpose shape = {1, d[first], 1, d[second], nibbles ? 1 : bits / 8};
    for (unsigned i = 0; i < first; i++)
        shape.outer *= d[i];
    for (unsigned i = first + 1; i < second; i++)
        shape.mid *= d[i];
    for (unsigned i = second + 1; i < 4; i++)
        shape.size *= d[i];

    uint8_t in[2 * PAIR], out[2 * PAIR];
    if (nibbles) {
        sam_nibbles_unpack(in, t->tl[tl1], PAIR);
        sam_nibbles_unpack(in + PAIR, t->tl[tl2], PAIR);
    } else {
        memcpy(in, t->tl[tl1], SAM_TL_SIZE);
        memcpy(in + SAM_TL_SIZE, t->tl[tl2], SAM_TL_SIZE);
    }
    sam_transpose(out, in, &shape);
    if (nibbles)
        sam_nibbles_pack(out, out, 2 * PAIR);
    if (tl1)
        memcpy(t->tl[tl1], out, SAM_TL_SIZE);
    if (tl2)
        memcpy(t->tl[tl2], out + SAM_TL_SIZE, SAM_TL_SIZE);
    return true;
}
