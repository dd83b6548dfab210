/* SPDX-License-Identifier: Apache-2.0 */
/* diverge: loops and conditions nested four deep, with a different control flow in every lane: the
 * 3x + 1 sequence down to 1. */
__kernel void diverge(__global const uint *in, __global uint *out, uint n)
{
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    uint x = in[i], steps = 0, acc = 0;
    while (x > 1) {
        if (x & 1) {
            x = 3 * x + 1;
            if (x & 4)
                acc ^= x;
            else
                acc += x;
            steps++;
        } else {
            do {
                x >>= 1;
                steps++;
            } while (!(x & 1));
            acc = acc * 33 + steps;
        }
    }
    out[i] = acc + (steps << 20);
}
