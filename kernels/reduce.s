# SPDX-License-Identifier: Apache-2.0
# reduce: *sum += x[0] + ... + x[n-1], 32-bit integers that wrap. Each work-item adds up its share
# (a loop over the grid), the workgroup reduces its sums in local memory, and one atomic addition per
# workgroup combines the results.
#
# Argument buffer (a0):
#    0  x      address of n words
#    4  sum    address of one word
#    8  n
# Launch: one dimension, any grid, any block, any warp size.
# Local memory: numw KiB of scalar stacks, then numw * numt words.
    .text
    .globl reduce
reduce:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)

    csrr    t0, knl
    lw      t1, 24(t0)              # local size x
    lw      s1, 12(t0)              # global size x
    csrr    t2, gdx
    mul     t2, t2, t1
    csrr    t3, tid
    vid.v   v1
    vadd.vx v1, v1, t3              # local id
    vadd.vx v2, v1, t2              # element

    # Lanes without a work-item leave before the loop with a sum of zero; they then take part in the
    # tree as zeros, so that it needs no bound of its own.
    vmv.v.i v3, 0                   # sum
    lla     s0, .Lsummed
    vmv.v.x v4, t1
    setrpc  zero, s0, 0
    vbgeu   v1, v4, .Lsummed
    vmv.v.x v4, a3
.Lsum:
    setrpc  zero, s0, 0
    vbgeu   v2, v4, .Lsummed
    vsll.vi v5, v2, 2
    vadd.vx v5, v5, a1
    vlw12.v v5, 0(v5)
    vadd.vv v3, v3, v5
    vadd.vx v2, v2, s1
    j       .Lsum
.Lsummed:
    join

    csrr    t1, numw
    slli    t2, t1, 10
    csrr    s2, lds
    add     s2, s2, t2              # local data, past the stacks
    csrr    t2, numt
    mul     s3, t1, t2              # words in the tree
    vsll.vi v6, v1, 2
    vadd.vx v6, v6, s2              # this lane's word
    vsw12.v v3, 0(v6)

    # Fold the upper part onto the lower until one word is left: word i takes word i + half, for
    # i < count - half. The region is inside the barriers, never around them: a barrier must be
    # reached by all lanes of the warp.
    lla     s0, .Lfolded
.Lfold:
    barrier 1
    li      t1, 1
    bleu    s3, t1, .Lresult
    addi    t1, s3, 1
    srli    t1, t1, 1               # half, rounded up
    sub     t2, s3, t1              # words above it
    vmv.v.x v4, t2
    setrpc  zero, s0, 0
    vbgeu   v1, v4, .Lfolded
    slli    t3, t1, 2
    vadd.vx v5, v6, t3
    vlw12.v v5, 0(v5)
    vadd.vv v3, v3, v5
    vsw12.v v3, 0(v6)
.Lfolded:
    join
    mv      s3, t1
    j       .Lfold

    # Scalar instructions run once per warp: one warp of the workgroup is enough.
.Lresult:
    csrr    t1, wid
    bnez    t1, .Lout
    lw      t2, 0(s2)
    amoadd.w zero, t2, (a2)
.Lout:
    ret
