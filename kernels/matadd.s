# SPDX-License-Identifier: Apache-2.0
# matadd: C = A + B for rows x cols matrices of floats in row order, a two-dimensional grid.
#
# Argument buffer (a0):
#    0  a      address of rows * cols floats
#    4  b      the same
#    8  c      the same
#   12  rows
#   16  cols
# Launch: two dimensions, x over columns and y over rows; grid.x * block.x >= cols,
# grid.y * block.y >= rows; any warp size.
    .text
    .globl matadd
matadd:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    lw      a4, 12(a0)              # rows
    lw      a5, 16(a0)              # cols

    csrr    t0, knl
    lw      t1, 24(t0)              # local size x
    lw      t2, 28(t0)              # local size y
    csrr    t3, tid
    vid.v   v1
    vadd.vx v1, v1, t3              # local id, x fastest
    vremu.vx v2, v1, t1             # local x
    vdivu.vx v3, v1, t1             # local y; >= local size y in lanes without a work-item

    csrr    t4, gdx
    mul     t4, t4, t1
    vadd.vx v4, v2, t4              # column
    csrr    t5, gdy
    mul     t5, t5, t2
    vadd.vx v5, v3, t5              # row

    # Three nested regions, the way a compiler writes an if in an if: the inner one has its own join
    # inside the outer. Nothing lies between the ends of the two tests on rows, so they share the
    # outer join.
    vmv.v.x v6, t2
    setrpc  t0, .Lend               # CSR_RPC = .Lend, by way of t0
    vbgeu   v3, v6, .Lend
    vmv.v.x v6, a4
    setrpc  t0, .Lend
    vbgeu   v5, v6, .Lend

    vmul.vx v7, v5, a5              # row * cols
    vmv.v.x v6, a5
    setrpc  t0, .Lcolumn
    vbgeu   v4, v6, .Lcolumn
    vadd.vv v7, v7, v4
    vsll.vi v7, v7, 2
    vadd.vx v8, v7, a1
    vadd.vx v9, v7, a2
    vadd.vx v10, v7, a3
    vlw12.v v8, 0(v8)
    vlw12.v v9, 0(v9)
    vfadd.vv v8, v8, v9
    vsw12.v v8, 0(v10)
.Lcolumn:
    join
.Lend:
    join
    ret
