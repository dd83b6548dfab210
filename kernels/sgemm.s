# SPDX-License-Identifier: Apache-2.0
# sgemm: C = A * B in single precision; A is m x k, B is k x n, C is m x n, in row order. A
# workgroup of t x t work-items computes one t x t tile of C: it iterates over k, each time loading
# a tile of A and a tile of B into local memory, where every element is then read t times. Fused
# multiply-adds in ascending k.
#
# Argument buffer (a0):
#    0  a      address of m * k floats
#    4  b      address of k * n floats
#    8  c      address of m * n floats
#   12  m
#   16  n
#   20  k
# Launch: two dimensions, block t x t for any t, grid ceil(n / t) x ceil(m / t), any warp size.
# Local memory: numw KiB of scalar stacks, then two tiles of t * t words.
    .text
    .globl sgemm
sgemm:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    lw      a4, 12(a0)              # m
    lw      a5, 16(a0)              # n
    lw      a6, 20(a0)              # k

    csrr    t0, knl
    lw      s1, 24(t0)              # t
    mul     s2, s1, s1              # t * t
    csrr    t1, numw
    slli    t1, t1, 10
    csrr    s3, lds
    add     s3, s3, t1              # tile of A
    slli    t1, s2, 2
    add     s4, s3, t1              # tile of B

    # Every lane must reach the barriers, so lanes without a work-item cannot leave early. They
    # read for another one (local id modulo t * t), and v20 keeps them from writing.
    csrr    t1, tid
    vid.v   v1
    vadd.vx v1, v1, t1              # local id
    vmsltu.vx v20, v1, s2           # 1 where the lane is a work-item
    vremu.vx v1, v1, s2
    vremu.vx v2, v1, s1             # x in the tile
    vdivu.vx v3, v1, s1             # y in the tile
    csrr    t1, gdx
    mul     t1, t1, s1
    vadd.vx v4, v2, t1              # column of C
    csrr    t1, gdy
    mul     t1, t1, s1
    vadd.vx v5, v3, t1              # row of C

    vmsltu.vx v6, v5, a4
    vand.vv v6, v6, v20             # 1 where the row exists
    vmsltu.vx v7, v4, a5
    vand.vv v7, v7, v20             # 1 where the column exists
    vmul.vx v8, v5, a6
    vadd.vv v8, v8, v2
    vsll.vi v8, v8, 2
    vadd.vx v8, v8, a1              # &A[row][x]
    vmul.vx v9, v3, a5
    vadd.vv v9, v9, v4
    vsll.vi v9, v9, 2
    vadd.vx v9, v9, a2              # &B[y][column]
    vsll.vi v10, v1, 2
    vadd.vx v11, v10, s4            # this lane's word in the tile of B
    vadd.vx v10, v10, s3            # and in that of A
    slli    s5, s1, 2               # bytes to the next tile of A, and per row of a tile
    mul     s6, s1, a5
    slli    s6, s6, 2               # bytes to the next tile of B
    vmul.vx v12, v3, s5
    vadd.vx v12, v12, s3            # &tileA[y][0]
    vsll.vi v13, v2, 2
    vadd.vx v13, v13, s4            # &tileB[0][x]

    vmv.v.i v14, 0                  # the sum: +0.0
    vmv.v.i v15, 0                  # the integer 0, for branches
    li      s7, 0                   # first k of this tile
    lla     s8, .Lloaded_a
    lla     s9, .Lloaded_b
.Ltile:
    bgeu    s7, a6, .Lstore         # scalar: the same for every lane and warp
    # A[row][s7 + x], if it exists. Otherwise the lane leaves its word of the tile unchanged: only
    # sums that are discarded would read it (see the bound of the inner loop).
    vadd.vx v16, v2, s7
    vmsltu.vx v16, v16, a6
    vand.vv v16, v16, v6
    setrpc  zero, s8, 0
    vbeq    v16, v15, .Lloaded_a
    vlw12.v v17, 0(v8)
    vsw12.v v17, 0(v10)
.Lloaded_a:
    join
    vadd.vx v16, v3, s7
    vmsltu.vx v16, v16, a6
    vand.vv v16, v16, v7
    setrpc  zero, s9, 0
    vbeq    v16, v15, .Lloaded_b
    vlw12.v v17, 0(v9)
    vsw12.v v17, 0(v11)
.Lloaded_b:
    join
    barrier 1                       # the tiles are complete

    sub     t1, a6, s7              # min(t, k left) products: no padding with zeros
    bleu    t1, s1, .Lbound
    mv      t1, s1
.Lbound:
    vmv.v.v v18, v12
    vmv.v.v v19, v13
.Lproduct:
    vlw12.v v16, 0(v18)
    vlw12.v v17, 0(v19)
    vfmacc.vv v14, v16, v17
    vadd.vi v18, v18, 4
    vadd.vx v19, v19, s5
    addi    t1, t1, -1
    bnez    t1, .Lproduct
    barrier 1                       # everyone has read: the tiles may be overwritten

    vadd.vx v8, v8, s5
    vadd.vx v9, v9, s6
    add     s7, s7, s1
    j       .Ltile

.Lstore:
    vand.vv v6, v6, v7
    setrpc  t0, .Ldone
    vbeq    v6, v15, .Ldone
    vmul.vx v16, v5, a5
    vadd.vv v16, v16, v4
    vsll.vi v16, v16, 2
    vadd.vx v16, v16, a3
    vsw12.v v14, 0(v16)
.Ldone:
    join
    ret
