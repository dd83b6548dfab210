# SPDX-License-Identifier: Apache-2.0
# Benchmark loop: 18 scalar instructions a turn, as a kernel's address code has them.
#
# Argument buffer (a0):
#    0  turns   >= 1
#    4  out     address of one word a warp of the launch
    .text
    .globl scalar
scalar:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    csrr    t0, gdx
    csrr    t1, numw
    mul     t0, t0, t1
    csrr    t1, wid
    add     t0, t0, t1              # warp of the launch
    slli    t1, t0, 2
    add     a2, a2, t1
    li      t2, 0x9e3779b9
    add     t3, t0, t2
    mv      t4, t0
.Lturn:
    add     t3, t3, t2
    xor     t4, t4, t3
    slli    t5, t4, 13
    srli    t6, t4, 19
    or      t4, t5, t6
    sub     t3, t3, t4
    and     t5, t3, t4
    addi    t5, t5, 7
    sltu    t6, t3, t4
    add     t4, t4, t6
    srai    s1, t3, 5
    xor     t3, t3, s1
    slli    s2, t5, 2
    add     t3, t3, s2
    andi    s3, t3, 255
    or      t4, t4, s3
    addi    a1, a1, -1
    bnez    a1, .Lturn
    add     t3, t3, t4
    sw      t3, 0(a2)
    ret
