# SPDX-License-Identifier: Apache-2.0
    .macro one a, b:req
    addi \a, \a, \b
    .endm
    one a0
    one a0, 5000
    one a0, 1, 2
    one b0, 1
    .macro two
    one a1, 9999
    .endm
    two
    .macro one
    .endm
    .endm
    .endr
    .rept -1
    .endr
    .exitm
    .macro 5
    .endm
    .macro unfinished
