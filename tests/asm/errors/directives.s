# SPDX-License-Identifier: Apache-2.0
    .wrod 5
    .align 40
    .balign 3
    .space -1
    .space 1 << 40
    .section
    .popsection
    .include "no such file.s"
    .include file
    .globl 5
    .text
    nop
    .address 0x1000
    .data
    nop
    .bss
    .word 5
    .error "by hand"
    ?
    5: 6
