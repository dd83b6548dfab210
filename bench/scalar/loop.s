# SPDX-License-Identifier: Apache-2.0
# Scalar code without a compiler: a0 rounds of 16 instructions, among them a load, a store and two
# branches, one of them taken every other time.
        .text
        .globl  _start
_start: la      a1, words
        li      t2, 0x9e3779b9
        li      t3, 1
        li      t4, 0
.Lturn: add     t3, t3, t2
        xor     t4, t4, t3
        slli    t5, t4, 13
        srli    t6, t4, 19
        or      t4, t5, t6
        andi    t5, a0, 60
        add     t5, t5, a1
        lw      t6, 0(t5)
        add     t6, t6, t4
        sw      t6, 0(t5)
        andi    t5, a0, 1
        beqz    t5, .Leven
        sub     t3, t3, t4
.Leven: mul     t4, t4, t2
        addi    a0, a0, -1
        bnez    a0, .Lturn
        li      a7, 93
        ecall
        .data
        .balign 64
words:  .zero   64
