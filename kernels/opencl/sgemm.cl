/* SPDX-License-Identifier: Apache-2.0 */
/* sgemm: C = A * B; A is m x k, B is k x n, C is m x n, in row order. A workgroup of t x t
 * work-items computes a tile of C, by way of tiles of A and B in local memory. */
__kernel void sgemm(__global const float *a, __global const float *b, __global float *c, uint m,
                    uint n, uint k)
{
    __local float a_tile[4096], b_tile[4096];
    const uint t = get_local_size(0), x = get_local_id(0), y = get_local_id(1);
    const uint column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (uint first = 0; first < k; first += t) {
        const bool in_a = row < m && first + x < k, in_b = first + y < k && column < n;
        a_tile[y * t + x] = in_a ? a[row * k + first + x] : 0;
        b_tile[y * t + x] = in_b ? b[(first + y) * n + column] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint count = min(t, k - first);
        for (uint i = 0; i < count; i++)
            sum = fma(a_tile[y * t + i], b_tile[i * t + x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
