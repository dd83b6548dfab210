# SPDX-License-Identifier: Apache-2.0
    addi a0, a1, 2048
    addi a0, a1, -2049
    lw a0, 5000(a1)
    sw a0, -3000(a1)
    lui a0, 1048576
    slli a0, a1, 32
    vsll.vi v1, v2, -1025
    vlw.v v1, 1024(v2)
    csrr a0, 4096
    csrwi tid, 2048
    regext zero, zero, 4096
    li a0, 0x100000000
    .byte 256
    .half -32769
    .word 1 << 32
