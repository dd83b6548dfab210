# SPDX-License-Identifier: Apache-2.0
# Benchmark loop: 16 vector float operations a turn (additions, products, fused multiply-adds), a
# scalar counter. Every value is drawn towards a fixed point, so none leaves the normal range.
#
# Argument buffer (a0):
#    0  turns   >= 1
#    4  out     address of one word a lane of the launch: warps * lanes words
    .text
    .globl alu_float
alu_float:
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
    vfcvt.f.xu.v v3, v1
    li      t2, 0x3f000000          # 0.5
    li      t3, 0x3fa00000          # 1.25
    li      t4, 0x3e800000          # 0.25
    vfmv.v.f v8, t2
    vfmv.v.f v9, t3
    vfmv.v.f v10, t4
    vfadd.vf v4, v3, t2
    vfadd.vf v5, v3, t3
    vfadd.vf v6, v3, t4
.Lturn:
    vfmul.vv v3, v3, v8
    vfadd.vv v3, v3, v9
    vfmadd.vv v4, v8, v9            # v4 = v8 * v4 + v9
    vfmul.vv v5, v5, v10
    vfadd.vv v5, v5, v8
    vfmadd.vv v6, v10, v9
    vfadd.vv v7, v3, v4
    vfmul.vv v7, v7, v10
    vfmadd.vv v3, v8, v7
    vfadd.vv v11, v5, v6
    vfmul.vv v11, v11, v8
    vfmadd.vv v5, v10, v11
    vfmul.vf v4, v4, t2
    vfadd.vf v6, v6, t4
    vfmadd.vf v4, t2, v7            # v4 = 0.5 * v4 + v7
    vfmadd.vf v6, t2, v11
    addi    a1, a1, -1
    bnez    a1, .Lturn
    vfadd.vv v3, v3, v4
    vfadd.vv v5, v5, v6
    vfadd.vv v3, v3, v5
    vsw12.v v3, 0(v2)
    ret
