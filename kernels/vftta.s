# SPDX-License-Identifier: Apache-2.0
# vftta: C = A * B in single precision by the tile product VFTTA.VV; A is m x k, B is k x n, C is m
# x n, in row order. A warp computes one tile of C. The instruction multiplies a (tm x tk) tile in
# vs1 by the transpose of a (tm x tk) tile in vs2 and adds the tm x tm product to vd:
#
#     lanes   tm   tk
#       4      2    2
#       8      2    4
#      16      4    4
#      32      4    8
#
# Argument buffer (a0):
#    0  a      address of m * k floats
#    4  b      address of k * n floats
#    8  c      address of m * n floats
#   12  m
#   16  n
#   20  k
# Launch: one dimension, as many warps as C has tiles, or more; any block, any warp size. The warp
# is the unit here: all its lanes work, even those beyond the block size.
    .text
    .globl vftta
vftta:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    lw      a4, 12(a0)              # m
    lw      a5, 16(a0)              # n
    lw      a6, 20(a0)              # k

    csrr    t1, numt
    li      s1, 2
    li      t2, 16
    bltu    t1, t2, .Lshape
    li      s1, 4
.Lshape:
    divu    s2, t1, s1              # tk; s1 = tm

    # Which tile: tiles are numbered along the rows of C, warps through all workgroups. A warp
    # without a tile ends here; there is no barrier to miss.
    csrr    t1, gdx
    csrr    t2, numw
    mul     t1, t1, t2
    csrr    t2, wid
    add     t1, t1, t2              # tile
    add     t2, a5, s1
    addi    t2, t2, -1
    divu    t2, t2, s1              # tiles in a row of C
    divu    s3, t1, t2
    mul     s3, s3, s1              # first row of the tile
    remu    s4, t1, t2
    mul     s4, s4, s1              # first column
    bgeu    s3, a4, .Lout

    # Lane i * tk + l loads A[row + i][l] for vs1 and B[l][column + i] for vs2.
    vid.v   v1
    vdivu.vx v2, v1, s2             # i
    vremu.vx v3, v1, s2             # l, then the k of this lane
    vadd.vx v4, v2, s3              # row
    vadd.vx v5, v2, s4              # column
    vmsltu.vx v6, v4, a4            # 1 where the row exists
    vmsltu.vx v7, v5, a5            # 1 where the column exists
    vmul.vx v8, v4, a6
    vadd.vv v8, v8, v3
    vsll.vi v8, v8, 2
    vadd.vx v8, v8, a1              # &A[row][l]
    vmul.vx v9, v3, a5
    vadd.vv v9, v9, v5
    vsll.vi v9, v9, 2
    vadd.vx v9, v9, a2              # &B[l][column]
    slli    s5, s2, 2               # from a tile of A to the next
    mul     s6, s5, a5              # from a tile of B to the next
    lla     s7, .Lloaded_a
    lla     s8, .Lloaded_b
    vmv.v.i v14, 0                  # the tile of C
    vmv.v.i v15, 0                  # the integer 0, for branches
    li      s9, 0
.Ltile:
    bgeu    s9, a6, .Lstore
    # Past an edge the tiles hold zeros. VFTTA itself is outside the regions: an inactive lane would
    # keep its part of C.
    vmsltu.vx v10, v3, a6
    vmv.v.i v12, 0
    vand.vv v11, v10, v6
    setrpc  zero, s7, 0
    vbeq    v11, v15, .Lloaded_a
    vlw12.v v12, 0(v8)
.Lloaded_a:
    join
    vmv.v.i v13, 0
    vand.vv v11, v10, v7
    setrpc  zero, s8, 0
    vbeq    v11, v15, .Lloaded_b
    vlw12.v v13, 0(v9)
.Lloaded_b:
    join
    vftta.vv v14, v13, v12          # vd, vs2, vs1

    vadd.vx v3, v3, s2
    vadd.vx v8, v8, s5
    vadd.vx v9, v9, s6
    add     s9, s9, s2
    j       .Ltile

    # Lane i * tm + j < tm * tm holds C[row + i][column + j].
.Lstore:
    mul     t1, s1, s1
    vmsltu.vx v10, v1, t1
    vdivu.vx v4, v1, s1
    vadd.vx v4, v4, s3
    vremu.vx v5, v1, s1
    vadd.vx v5, v5, s4
    vmsltu.vx v6, v4, a4
    vmsltu.vx v7, v5, a5
    vand.vv v10, v10, v6
    vand.vv v10, v10, v7
    setrpc  t0, .Ldone
    vbeq    v10, v15, .Ldone
    vmul.vx v4, v4, a5
    vadd.vv v4, v4, v5
    vsll.vi v4, v4, 2
    vadd.vx v4, v4, a3
    vsw12.v v14, 0(v4)
.Ldone:
    join
.Lout:
    ret
