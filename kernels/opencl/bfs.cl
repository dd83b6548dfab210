/* SPDX-License-Identifier: Apache-2.0 */
/* bfs: one level of a breadth-first search, one vertex per work-item. The edges of vertex v go to
 * col[row[v]] .. col[row[v + 1] - 1]; distances are -1 where unknown. The host launches the pair
 * until nothing changes. */
__kernel void bfs_level(__global const uint *row, __global const uint *col,
                        __global const uint *dist, __global uint *next, uint n, uint level)
{
    const uint v = get_global_id(0);
    if (v >= n || dist[v] != level)
        return;
    for (uint e = row[v]; e < row[v + 1]; e++)
        if (dist[col[e]] == ~0u)
            next[col[e]] = level + 1;
}

__kernel void bfs_commit(__global uint *dist, __global const uint *next, __global uint *changed,
                         uint n)
{
    const uint v = get_global_id(0);
    if (v < n && dist[v] != next[v]) {
        dist[v] = next[v];
        *changed = 1;
    }
}
