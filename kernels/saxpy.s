# SPDX-License-Identifier: Apache-2.0
# saxpy: y[i] = a * x[i] + y[i] with one rounding, a loop over the grid: work-item g takes elements
# g, g + global size, g + 2 * global size, ... so that any grid handles any n.
#
# Argument buffer (a0):
#    0  x      address of n floats
#    4  y      address of n floats, read and written
#    8  n      elements
#   12  a      float
# Launch: one dimension, any grid, any block, any warp size.
    .text
    .globl saxpy
saxpy:
    lw      a1, 0(a0)               # x
    lw      a2, 4(a0)               # y
    lw      a3, 8(a0)               # n
    lw      a4, 12(a0)              # a: a float in an x register, there are no f registers

    csrr    t0, knl
    lw      t1, 24(t0)              # local size x
    lw      s1, 12(t0)              # global size x: the stride
    csrr    t2, gdx
    mul     t2, t2, t1
    csrr    t3, tid
    add     t2, t2, t3              # global id of lane 0
    vid.v   v1
    vadd.vx v3, v1, t3              # v3 = local id
    vadd.vx v2, v1, t2              # v2 = global id = element
    slli    t4, t2, 2
    add     a1, a1, t4              # &x[lane 0's element]
    add     a2, a2, t4
    slli    s2, s1, 2               # stride in bytes

    # One join serves both exits: lanes without a work-item leave here, ...
    lla     s0, .Ldone
    vmv.v.x v4, t1
    setrpc  zero, s0, 0
    vbgeu   v3, v4, .Ldone

    # ... lanes without a further element leave at the head of the loop. Neither comes back, so only
    # one path runs the body and the scalar pointers advance once per iteration. vle32.v and vse32.v
    # take the scalar base and add 4 * lane, whichever lanes are active.
    vmv.v.x v4, a3
.Lloop:
    setrpc  zero, s0, 0
    vbgeu   v2, v4, .Ldone
    vle32.v v5, (a1)
    vle32.v v6, (a2)
    vfmacc.vf v6, a4, v5            # v6 += a * x
    vse32.v v6, (a2)
    vadd.vx v2, v2, s1
    add     a1, a1, s2
    add     a2, a2, s2
    j       .Lloop
.Ldone:
    join
    ret
