/* SPDX-License-Identifier: Apache-2.0 */
/* scan: inclusive prefix sums. scan_block leaves the sums within each block and the total of each;
 * the same kernels scan the totals; scan_add adds the total of all blocks before. */
__kernel void scan_block(__global const uint *x, __global uint *y, __global uint *sums, uint n)
{
    __local uint part[2][4096]; /* by turns: one barrier per step */
    const uint i = get_global_id(0), local_id = get_local_id(0), size = get_local_size(0);
    uint own = i < n ? x[i] : 0, turn = 0;
    for (uint step = 1; step < size; step *= 2) {
        part[turn][local_id] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (local_id >= step)
            own += part[turn][local_id - step];
        turn = !turn;
    }
    if (i < n)
        y[i] = own;
    if (local_id == size - 1)
        sums[get_group_id(0)] = own;
}

__kernel void scan_add(__global uint *y, __global const uint *sums, uint n)
{
    const uint i = get_global_id(0), group = get_group_id(0);
    if (i < n && group > 0)
        y[i] += sums[group - 1];
}
