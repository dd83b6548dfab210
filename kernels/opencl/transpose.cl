/* SPDX-License-Identifier: Apache-2.0 */
/* transpose: out[c][r] = in[r][c]. A workgroup of t x t work-items moves a tile by way of local
 * memory, where rows are t + 1 words apart: the words of a column are in different banks. */
__kernel void transpose(__global const uint *in, __global uint *out, uint rows, uint columns)
{
    __local uint tile[64 * 65];
    const uint t = get_local_size(0), x = get_local_id(0), y = get_local_id(1);
    const uint row = get_group_id(1) * t, column = get_group_id(0) * t;
    if (row + y < rows && column + x < columns)
        tile[y * (t + 1) + x] = in[(row + y) * columns + column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (column + y < columns && row + x < rows)
        out[(column + y) * rows + row + x] = tile[x * (t + 1) + y];
}
