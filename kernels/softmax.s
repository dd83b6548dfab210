# SPDX-License-Identifier: Apache-2.0
# softmax: y[r][c] = exp(x[r][c] - max of row r) / sum over the row, one workgroup per row. Three
# passes over the row (largest element, exponentials and their sum, division), with a tree in local
# memory after the first two.
#
# Argument buffer (a0):
#    0  x      address of rows * cols floats
#    4  y      the same
#    8  cols
# Launch: one dimension, grid = rows, any block, any warp size.
# Local memory: numw KiB of scalar stacks, then numw * numt words.

# Reduce v3 over all lanes of the workgroup with `op`, into scalar t2 of every warp.
# s2 = local data, s3 = words in it, v1 = local id, v6 = this lane's word. Clobbers t0, t1, t3, v3,
# v4, v5. The last barrier lets the next tree write only after every warp has read the result.
    .macro  tree op
    mv      t1, s3
    vsw12.v v3, 0(v6)
1:
    barrier 1
    addi    t2, t1, 1
    srli    t2, t2, 1               # half, rounded up
    bgeu    t2, t1, 3f              # one word is left
    sub     t3, t1, t2
    vmv.v.x v4, t3
    setrpc  t0, 2f
    vbgeu   v1, v4, 2f              # no partner above the half
    slli    t3, t2, 2
    vadd.vx v5, v6, t3
    vlw12.v v5, 0(v5)
    \op     v3, v3, v5
    vsw12.v v3, 0(v6)
2:
    join
    mv      t1, t2
    j       1b
3:
    lw      t2, 0(s2)
    barrier 1
    .endm

    .text
    .globl softmax
softmax:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)               # cols

    csrr    t1, gdx
    mul     t1, t1, a3
    slli    t1, t1, 2
    add     a1, a1, t1              # this row of x
    add     a2, a2, t1              # and of y

    csrr    t0, knl
    lw      s1, 24(t0)              # local size x: the stride along the row
    csrr    t1, numw
    slli    t2, t1, 10
    csrr    s2, lds
    add     s2, s2, t2
    csrr    t2, numt
    mul     s3, t1, t2
    csrr    t3, tid
    vid.v   v1
    vadd.vx v1, v1, t3              # local id
    vsll.vi v6, v1, 2
    vadd.vx v6, v6, s2

    # A lane without a work-item starts past the row: each of the loops drops it at its first test.
    vmv.v.x v8, a3                  # cols
    vmsltu.vx v9, v1, s1            # 1 where the lane is a work-item
    vrsub.vi v10, v9, 1
    vmul.vx v10, v10, a3
    vadd.vv v10, v10, v1            # first column: local id, or local id + cols

    li      t1, 0xff800000          # -infinity
    vmv.v.x v3, t1
    vmv.v.v v11, v10
    lla     s0, .Lmax_done
.Lmax:
    setrpc  zero, s0, 0
    vbgeu   v11, v8, .Lmax_done
    vsll.vi v4, v11, 2
    vadd.vx v4, v4, a1
    vlw12.v v4, 0(v4)
    vfmax.vv v3, v3, v4
    vadd.vx v11, v11, s1
    j       .Lmax
.Lmax_done:
    join
    tree    vfmax.vv
    mv      s4, t2                  # the largest element

    vmv.v.i v3, 0                   # sum
    vmv.v.v v11, v10
    lla     s0, .Lexp_done
.Lexp:
    setrpc  zero, s0, 0
    vbgeu   v11, v8, .Lexp_done
    vsll.vi v5, v11, 2
    vadd.vx v4, v5, a1
    vlw12.v v4, 0(v4)
    vfsub.vf v4, v4, s4             # <= 0: the exponential cannot overflow
    vfexp.v v4, v4
    vfadd.vv v3, v3, v4
    vadd.vx v5, v5, a2
    vsw12.v v4, 0(v5)
    vadd.vx v11, v11, s1
    j       .Lexp
.Lexp_done:
    join
    tree    vfadd.vv
    mv      s5, t2                  # >= 1: the largest element gave exp(0)

    # Each lane divides the values it wrote itself: no barrier is needed.
    vmv.v.v v11, v10
    lla     s0, .Ldiv_done
.Ldiv:
    setrpc  zero, s0, 0
    vbgeu   v11, v8, .Ldiv_done
    vsll.vi v5, v11, 2
    vadd.vx v5, v5, a2
    vlw12.v v4, 0(v5)
    vfdiv.vf v4, v4, s5
    vsw12.v v4, 0(v5)
    vadd.vx v11, v11, s1
    j       .Ldiv
.Ldiv_done:
    join
    ret
