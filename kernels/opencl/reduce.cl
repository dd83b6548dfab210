/* SPDX-License-Identifier: Apache-2.0 */
/* reduce: *sum += x[0] + ... + x[n-1]. Each work-item adds up its share, the workgroup reduces its
 * sums in local memory, and one atomic addition per workgroup combines the results. */
__kernel void reduce(__global const uint *x, __global uint *sum, uint n)
{
    __local uint sums[4096];
    const uint local_id = get_local_id(0);
    uint own = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        own += x[i];
    sums[local_id] = own;
    for (uint count = get_local_size(0); count > 1; count = (count + 1) / 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint half_count = (count + 1) / 2; /* the upper half is folded onto the lower */
        if (local_id < count - half_count)
            sums[local_id] += sums[local_id + half_count];
    }
    if (local_id == 0)
        atomic_add(sum, sums[0]);
}
