# SPDX-License-Identifier: Apache-2.0
# vecadd: c[i] = a[i] + b[i], single precision, one element per work-item.
#
# Argument buffer (a0):
#    0  a      address of n floats
#    4  b      address of n floats
#    8  c      address of n floats
#   12  n      elements
# Launch: one dimension, grid * block >= n, any block, any warp size.
    .text
    .globl vecadd
vecadd:
    lw      a1, 0(a0)               # a
    lw      a2, 4(a0)               # b
    lw      a3, 8(a0)               # c
    lw      a4, 12(a0)              # n

    csrr    t0, knl                 # metadata buffer
    lw      t1, 24(t0)              # local size x
    csrr    t2, gdx                 # workgroup
    mul     t2, t2, t1              # its first work-item
    csrr    t3, tid                 # first local id of this warp
    vid.v   v1
    vadd.vx v1, v1, t3              # v1 = local id
    vadd.vx v2, v1, t2              # v2 = global id

    # Two reasons to sit out: the lane is past the workgroup's size (a warp always starts with all
    # its lanes), or past the end of the arrays. Both leave by one branch: 0/1 elements make it one
    # condition, and the region costs one divergence at most. The skipped side is empty, so the
    # branch target and the reconvergence point are the same join.
    vmsltu.vx v3, v1, t1
    vmsltu.vx v4, v2, a4
    vand.vv v3, v3, v4
    vmv.v.i v4, 0
    setrpc  t0, .Ldone
    vbeq    v3, v4, .Ldone

    vsll.vi v2, v2, 2               # byte offset
    vadd.vx v5, v2, a1
    vadd.vx v6, v2, a2
    vadd.vx v7, v2, a3
    vlw12.v v5, 0(v5)
    vlw12.v v6, 0(v6)
    vfadd.vv v5, v5, v6
    vsw12.v v5, 0(v7)
.Ldone:
    join
    ret
