# SPDX-License-Identifier: Apache-2.0
    .word 1 +
    .word (1 + 2
    .word 1 / 0
    .word 5 % (2 - 2)
    .word 0x, 12a, 09
    .word 99999999999999999999
    .word 'ab'
    .word %high(here)
    .word %hi(here)
    addi a0, a0, %pcrel_lo(here)
    .word 1 ? 2
    .if later
    .endif
    .space later
    .ascii "abc
    .ascii "\q"
    .float 1.5x
    .float 1, 1e39
    .double -1e400, 1e-400, inf
here:
later:
