# SPDX-License-Identifier: Apache-2.0
# sgemm_rows: C = A * B in single precision; A is m x k, B is k x n, C is m x n, in row order. A warp
# of l lanes computes l columns of one row of C, so that all its lanes need the same word of A, in a
# scalar register. The w warps of the workgroup share a tile of w rows of B in local
# memory, where the lanes of a warp read neighbouring words. Fused multiply-adds in ascending k.
# docs/gpu-time.md derives it from sgemm.
#
# Argument buffer (a0):
#    0  a      address of m * k floats
#    4  b      address of k * n floats
#    8  c      address of m * n floats
#   12  m
#   16  n
#   20  k
# Launch: two dimensions, block l x w for warps of l lanes, grid ceil(n / l) x ceil(m / w).
# Local memory: w KiB of scalar stacks, then a tile of w * l words.
    .text
    .globl sgemm_rows
sgemm_rows:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    lw      a4, 12(a0)              # m
    lw      a5, 16(a0)              # n
    lw      a6, 20(a0)              # k

    csrr    t0, numw                # w
    csrr    t1, numt                # l
    csrr    s1, wid
    csrr    t2, gdy
    mul     t2, t2, t0
    add     s2, t2, s1              # row of C
    # Every warp must reach the barriers: one without a row computes the last one again, and lanes
    # without a column read the last one. Neither stores.
    mv      s3, s2
    bltu    s2, a4, .Lrow
    addi    s3, a4, -1
.Lrow:
    mul     s3, s3, a6
    slli    s3, s3, 2
    add     s3, s3, a1              # &A[row][0]
    csrr    t2, gdx
    mul     t2, t2, t1
    vid.v   v1
    vadd.vx v1, v1, t2              # column of C
    addi    t3, a5, -1
    vminu.vx v2, v1, t3
    mul     t3, s1, a5
    vadd.vx v2, v2, t3
    vsll.vi v2, v2, 2
    vadd.vx v2, v2, a2              # &B[wid][column]: the row of the tile that this warp loads
    mul     s4, t0, a5
    slli    s4, s4, 2               # bytes to the next tile of B
    slli    s5, t1, 2               # bytes per row of the tile
    slli    t2, t0, 10
    csrr    s6, lds
    add     s6, s6, t2              # the tile
    mul     t2, s1, s5
    add     s7, s6, t2              # this warp's row of it
    vmv.v.i v14, 0                  # the sum: +0.0
    li      s8, 0                   # first k of this tile
.Ltile:
    bgeu    s8, a6, .Lstore         # branches are scalar: the same for every lane
    add     t2, s8, s1
    bgeu    t2, a6, .Lloaded
    vlw12.v v3, 0(v2)
    vse32.v v3, (s7)
.Lloaded:
    barrier 1                       # the tile is complete
    sub     t3, a6, s8              # min(w, k left) products
    bleu    t3, t0, .Lbound
    mv      t3, t0
.Lbound:
    mv      t4, s6
.Lproduct:
    lw      t5, 0(s3)               # A[row][k], for all lanes
    vle32.v v3, (t4)                # B[k][column]
    vfmacc.vf v14, t5, v3
    addi    s3, s3, 4
    add     t4, t4, s5
    addi    t3, t3, -1
    bnez    t3, .Lproduct
    barrier 1                       # everyone has read: the tile may be overwritten
    vadd.vx v2, v2, s4
    add     s8, s8, t0
    j       .Ltile

.Lstore:
    bgeu    s2, a4, .Lend
    vmsltu.vx v4, v1, a5            # 1 where the column exists
    vmv.v.i v15, 0                  # the integer 0, for the branch
    setrpc  t0, .Ldone
    vbeq    v4, v15, .Ldone
    mul     t1, s2, a5
    vadd.vx v1, v1, t1
    vsll.vi v1, v1, 2
    vadd.vx v1, v1, a3
    vsw12.v v14, 0(v1)
.Ldone:
    join
.Lend:
    ret
