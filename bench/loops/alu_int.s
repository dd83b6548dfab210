# SPDX-License-Identifier: Apache-2.0
# Benchmark loop: 16 vector integer operations a turn, a scalar counter.
#
# Argument buffer (a0):
#    0  turns   >= 1
#    4  out     address of one word a lane of the launch: warps * lanes words
    .text
    .globl alu_int
alu_int:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    csrr    t0, gdx
    csrr    t1, numw
    mul     t0, t0, t1
    csrr    t1, wid
    add     t0, t0, t1
    csrr    t1, numt
    mul     t0, t0, t1
    vid.v   v1
    vadd.vx v1, v1, t0              # lane of the launch
    vsll.vi v2, v1, 2
    vadd.vx v2, v2, a2              # its word of `out`
    li      t2, 0x9e3779b9
    vadd.vx v3, v1, t2
    vxor.vx v4, v1, t2
    vmv.v.v v5, v1
    vmv.v.v v6, v3
.Lturn:
    vadd.vv v3, v3, v4
    vxor.vv v5, v5, v3
    vsll.vi v7, v5, 13
    vsrl.vi v8, v5, 19
    vor.vv  v5, v7, v8
    vsub.vv v4, v4, v5
    vand.vv v7, v3, v4
    vadd.vx v6, v6, t2
    vmax.vv v8, v6, v7
    vxor.vv v6, v6, v8
    vadd.vi v3, v3, 7
    vsll.vi v7, v6, 3
    vadd.vv v4, v4, v7
    vminu.vv v8, v3, v4
    vsub.vv v6, v6, v8
    vor.vx  v5, v5, t0
    addi    a1, a1, -1
    bnez    a1, .Lturn
    vadd.vv v3, v3, v4
    vadd.vv v5, v5, v6
    vxor.vv v3, v3, v5
    vsw12.v v3, 0(v2)
    ret
