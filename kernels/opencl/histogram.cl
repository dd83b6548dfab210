/* SPDX-License-Identifier: Apache-2.0 */
/* histogram: counts[x[i] mod bins] += 1, counted in local memory where the bins fit there. */
__kernel void histogram(__global const uint *x, __global uint *counts, uint n, uint bins)
{
    __local uint own[1024];
    const uint local_id = get_local_id(0), size = get_local_size(0);
    const bool fits = bins <= 1024;
    if (fits) {
        for (uint b = local_id; b < bins; b += size)
            own[b] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        if (fits)
            atomic_inc(&own[x[i] % bins]);
        else
            atomic_inc(&counts[x[i] % bins]);
    if (fits) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint b = local_id; b < bins; b += size)
            if (own[b])
                atomic_add(&counts[b], own[b]);
    }
}
