# SPDX-License-Identifier: Apache-2.0
# An operand that several words of a pseudo-instruction share is wrong once; one that is written
# twice is wrong twice.
    li      a0, UNDEFINED
    la      a1, UNDEFINED + 4
    call    nowhere
    .word   gone, gone
    .macro  load where
    li      a0, \where
    .endm
    load    lost
    load    lost
    .rept   2
    li      a0, away
    .endr
