# SPDX-License-Identifier: Apache-2.0
# Fill 32 words from a xorshift generator and sort them by insertion, as unsigned
# numbers: what the toy core runs.
        .equ    DATA, 0x90000000
        .equ    COUNT, 32
_start: li      s0, DATA
        li      s1, DATA + 4 * COUNT
        li      t0, 12345
        mv      a0, s0
fill:   slli    t1, t0, 13
        xor     t0, t0, t1
        srli    t1, t0, 17
        xor     t0, t0, t1
        slli    t1, t0, 5
        xor     t0, t0, t1
        sw      t0, 0(a0)
        addi    a0, a0, 4
        bltu    a0, s1, fill

        addi    a0, s0, 4
outer:  lw      t0, 0(a0)
        mv      a1, a0
inner:  beq     a1, s0, place
        lw      t1, -4(a1)
        sltu    t2, t0, t1
        beqz    t2, place
        sw      t1, 0(a1)
        addi    a1, a1, -4
        j       inner
place:  sw      t0, 0(a1)
        addi    a0, a0, 4
        bltu    a0, s1, outer
        endprg
