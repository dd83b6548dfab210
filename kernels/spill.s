# SPDX-License-Identifier: Apache-2.0
# spill: private memory as a stack. Each item generates 1 + (i mod 32) numbers and pushes them, as
# words and bytes, then pops them in reverse order:
#
#     s = i; len = 1 + i % 32;
#     for (k = 0; k < len; k++) { s = s * 1664525 + 1013904223; word[k] = s; byte[k] = s >> 24; }
#     acc = 0;
#     for (k = len; k-- > 0;) acc = acc * 31 + (word[k] ^ byte[k]);
#     out[i] = acc;
#
# Argument buffer (a0):
#    0  out    address of n words
#    4  n
# Launch: one dimension, grid * block >= n, any block, any warp size, 160 bytes of private memory
# per work-item: words at 0 (tp), bytes at 128.
    .equ    WORDS, 0
    .equ    BYTES, 128
    .text
    .globl spill
spill:
    lw      a1, 0(a0)
    lw      a2, 4(a0)

    csrr    t0, knl
    lw      t1, 24(t0)
    csrr    t2, gdx
    mul     t2, t2, t1
    csrr    t3, tid
    vid.v   v1
    vadd.vx v1, v1, t3              # local id
    vadd.vx v2, v1, t2              # item
    vmsltu.vx v3, v1, t1
    vmsltu.vx v4, v2, a2
    vand.vv v3, v3, v4
    vmv.v.i v4, 0
    setrpc  t0, .Ldone
    vbeq    v3, v4, .Ldone

    # A thread has 256 vector registers; those above 31 cost a prefix word (the assembler inserts
    # the REGEXT). Rarely used values belong there rather than in memory: here the item and its
    # length stay in v40 and v41 through both loops.
    vmv.v.v v40, v2
    vand.vi v3, v2, 15
    vsrl.vi v4, v2, 4
    vand.vi v4, v4, 1
    vsll.vi v4, v4, 4
    vor.vv  v3, v3, v4              # i mod 32: the 5-bit immediate of vand.vi ends at 15
    vadd.vi v41, v3, 1              # len

    # The address of private memory is also a vector; the offset in the instruction has 11 bits. The
    # same address in two lanes means two places: words of a workgroup's threads interleave, so
    # neighbours that spill together access neighbouring words.
    li      s1, 1664525
    li      s2, 1013904223
    vmv.v.x v5, tp                  # &word[0]
    vmv.v.x v6, tp                  # &byte[0] - BYTES
    vsll.vi v7, v41, 2
    vadd.vx v7, v7, tp              # &word[len]
    lla     t0, .Llaid
.Llay:
    vmul.vx v2, v2, s1
    vadd.vx v2, v2, s2
    vsw.v   v2, WORDS(v5)
    vsrl.vi v8, v2, 24
    vsb.v   v8, BYTES(v6)
    vadd.vi v5, v5, 4
    vadd.vi v6, v6, 1
    # Every lane has at least one number, so the test is at the end; lanes that are done fall
    # through to the join and wait there for the last.
    setrpc  zero, t0, 0
    vbltu   v5, v7, .Llay
.Llaid:
    join

    vmv.v.i v4, 0                   # acc
    vmv.v.x v7, tp
    li      s1, 31
    lla     t0, .Ltaken
.Ltake:
    vlw.v   v2, WORDS - 4(v5)
    vlbu.v  v3, BYTES - 1(v6)
    vxor.vv v2, v2, v3
    vmul.vx v4, v4, s1
    vadd.vv v4, v4, v2
    vadd.vi v5, v5, -4
    vadd.vi v6, v6, -1
    setrpc  zero, t0, 0
    vbltu   v7, v5, .Ltake
.Ltaken:
    join

    vsll.vi v2, v40, 2
    vadd.vx v2, v2, a1
    vsw12.v v4, 0(v2)
.Ldone:
    join
    ret
