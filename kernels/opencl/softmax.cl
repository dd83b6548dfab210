/* SPDX-License-Identifier: Apache-2.0 */
/* softmax: y[r][c] = exp(x[r][c] - max of row r) / sum over the row, one workgroup per row. */
static float reduce(__local float *tree, float own, bool add)
{
    const uint local_id = get_local_id(0);
    tree[local_id] = own;
    for (uint count = get_local_size(0); count > 1; count = (count + 1) / 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint half_count = (count + 1) / 2;
        if (local_id < count - half_count) {
            const float other = tree[local_id + half_count];
            tree[local_id] = add ? tree[local_id] + other : fmax(tree[local_id], other);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float result = tree[0];
    barrier(CLK_LOCAL_MEM_FENCE); /* before the tree is used again */
    return result;
}

__kernel void softmax(__global const float *x, __global float *y, uint columns)
{
    __local float tree[4096];
    const uint first = get_local_id(0), step = get_local_size(0);
    x += get_group_id(0) * columns;
    y += get_group_id(0) * columns;
    float most = -INFINITY, sum = 0;
    for (uint i = first; i < columns; i += step)
        most = fmax(most, x[i]);
    most = reduce(tree, most, false);
    for (uint i = first; i < columns; i += step)
        sum += y[i] = exp(x[i] - most);
    sum = reduce(tree, sum, true);
    for (uint i = first; i < columns; i += step)
        y[i] /= sum;
}
