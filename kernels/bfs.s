# SPDX-License-Identifier: Apache-2.0
# bfs: one level of a breadth-first search, one vertex per work-item. The graph is in compressed
# rows: the edges of vertex v go to col[row[v]] .. col[row[v + 1] - 1]. Distances are -1 where
# unknown.
#   bfs_level(row, col, dist, next, n, level)
#       every vertex at distance `level` writes level + 1 into next[u] of each neighbour u that has
#       no distance yet. dist is only read, so the order of work-items does not matter.
#   bfs_commit(dist, next, changed, n)
#       copies the new distances and sets *changed if there are any.
# The host launches the pair until nothing changes.
#
# bfs_level, argument buffer (a0):
#    0  row     address of n + 1 words
#    4  col     address of row[n] words
#    8  dist    address of n words
#   12  next    address of n words
#   16  n
#   20  level
# bfs_commit, argument buffer (a0):
#    0  dist
#    4  next
#    8  changed address of one word
#   12  n
# Launch: one dimension, grid * block >= n, any block, any warp size.
    .text
    .globl bfs_level
bfs_level:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    lw      a4, 12(a0)
    lw      a5, 16(a0)
    lw      a6, 20(a0)

    csrr    t0, knl
    lw      t1, 24(t0)
    csrr    t2, gdx
    mul     t2, t2, t1
    csrr    t3, tid
    vid.v   v1
    vadd.vx v1, v1, t3              # local id
    vadd.vx v2, v1, t2              # vertex

    # Three ways lead to the single join at the end: no vertex, not at this level, no edge left.
    # Each removes lanes for good, so they need not be nested.
    lla     s0, .Ldone
    lla     s1, .Lseen
    vmsltu.vx v3, v1, t1
    vmsltu.vx v4, v2, a5
    vand.vv v3, v3, v4
    vmv.v.i v4, 0
    setrpc  zero, s0, 0
    vbeq    v3, v4, .Ldone
    vsll.vi v3, v2, 2
    vadd.vx v4, v3, a3
    vlw12.v v4, 0(v4)               # dist[v]
    vmv.v.x v5, a6
    setrpc  zero, s0, 0
    vbne    v4, v5, .Ldone
    vadd.vx v6, v3, a1
    vlw12.v v7, 0(v6)               # edge
    vlw12.v v8, 4(v6)               # end of the edges
    vmv.v.i v9, -1
    vadd.vi v10, v5, 1              # the new distance
.Ledge:
    # A loop with one iteration per edge of the lane. Lanes with few edges wait at the join.
    setrpc  zero, s0, 0
    vbgeu   v7, v8, .Ldone
    vsll.vi v11, v7, 2
    vadd.vx v11, v11, a2
    vlw12.v v11, 0(v11)             # neighbour
    vsll.vi v11, v11, 2
    vadd.vx v12, v11, a3
    vlw12.v v12, 0(v12)             # its distance
    # An if inside the loop: its join is inside as well, so that all lanes still in the loop start
    # the next iteration together.
    setrpc  zero, s1, 0
    vbne    v12, v9, .Lseen
    vadd.vx v12, v11, a4
    vsw12.v v10, 0(v12)             # several lanes may write here, all of them the same value
.Lseen:
    join
    vadd.vi v7, v7, 1
    j       .Ledge
.Ldone:
    join
    ret

    .globl bfs_commit
bfs_commit:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    lw      a4, 12(a0)

    csrr    t0, knl
    lw      t1, 24(t0)
    csrr    t2, gdx
    mul     t2, t2, t1
    csrr    t3, tid
    vid.v   v1
    vadd.vx v1, v1, t3
    vadd.vx v2, v1, t2
    lla     s0, .Lcommitted
    vmsltu.vx v3, v1, t1
    vmsltu.vx v4, v2, a4
    vand.vv v3, v3, v4
    vmv.v.i v4, 0
    setrpc  zero, s0, 0
    vbeq    v3, v4, .Lcommitted
    vsll.vi v2, v2, 2
    vadd.vx v3, v2, a1
    vadd.vx v4, v2, a2
    vlw12.v v5, 0(v3)
    vlw12.v v6, 0(v4)
    setrpc  zero, s0, 0
    vbeq    v5, v6, .Lcommitted
    vsw12.v v6, 0(v3)
    # A scalar store in a region runs once, however many lanes are active. With none active it does
    # not run at all: a branch that all lanes take jumps over it.
    li      t1, 1
    sw      t1, 0(a3)
.Lcommitted:
    join
    ret
