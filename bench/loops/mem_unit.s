# SPDX-License-Identifier: Apache-2.0
# Benchmark loop: 8 loads and 8 stores a turn, one word a lane at neighbouring addresses, over a
# buffer of 64 KiB, 1 KiB a turn. What was loaded at one of the eight places of the KiB is stored at
# the next, 128 bytes on, so what the buffer holds in the end shows the turns. Warps of a workgroup
# start 4 KiB apart and overtake each other: run one warp where the result counts.
#
# Argument buffer (a0):
#    0  turns   >= 1
#    4  buffer  address of 64 KiB
    .text
    .globl mem_unit
mem_unit:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    csrr    t0, wid
    slli    s1, t0, 12              # warps start 4 KiB apart
    li      s2, 0xffff
    and     s1, s1, s2
    vid.v   v1
    vsll.vi v1, v1, 2
    vadd.vx v1, v1, a2
.Lturn:
    vadd.vx v2, v1, s1
    vlw12.v v3, 0(v2)
    vlw12.v v4, 128(v2)
    vlw12.v v5, 256(v2)
    vlw12.v v6, 384(v2)
    vlw12.v v7, 512(v2)
    vlw12.v v8, 640(v2)
    vlw12.v v9, 768(v2)
    vlw12.v v10, 896(v2)
    vsw12.v v3, 128(v2)
    vsw12.v v4, 256(v2)
    vsw12.v v5, 384(v2)
    vsw12.v v6, 512(v2)
    vsw12.v v7, 640(v2)
    vsw12.v v8, 768(v2)
    vsw12.v v9, 896(v2)
    vsw12.v v10, 0(v2)
    addi    s1, s1, 1024
    and     s1, s1, s2
    addi    a1, a1, -1
    bnez    a1, .Lturn
    ret
