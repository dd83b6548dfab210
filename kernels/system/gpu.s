# SPDX-License-Identifier: Apache-2.0
# The kernels that the programs of this folder launch: softmax (../softmax.s), and best, which finds,
# stores and prints the most likely column of each row.
#
# Argument buffer of both (a0):
#    0  x       address of rows * cols floats
#    4  y       the same: what softmax made of them
#    8  cols    at most 9999
#   12  best    address of a word per row: the first column that has the largest element of x
# Launch of best: one dimension, grid = rows (at most 999), any block of one warp.
# Local memory: a KiB of scalar stack, then a word per lane.
# Prints: "row   3: column  417,  12.3 %", 30 bytes a row, when there is a print buffer.
    .include "../start.inc"
    .include "../softmax.s"

    .text
    .globl best
best:
    csrr    t0, knl
    lw      a4, 48(t0)              # print buffer
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    lw      a5, 12(a0)
    csrr    s1, gdx
    mul     t1, s1, a3
    slli    t1, t1, 2
    add     a1, a1, t1              # this row of x: its order is that of y before rounding
    add     a2, a2, t1              # and of y
    csrr    s2, lds
    addi    s2, s2, 1024            # local data
    csrr    s3, numt

    vid.v   v1
    vmv.v.x v8, a3
    vmv.v.v v3, v8                  # the first column with the largest element of this lane
    li      t1, 0xff800000          # -infinity
    vmv.v.x v7, t1                  # that element
    vmv.v.v v11, v1
    lla     s0, .Lcolumns_done
.Lcolumns:
    setrpc  zero, s0, 0
    vbgeu   v11, v8, .Lcolumns_done
    vsll.vi v4, v11, 2
    vadd.vx v4, v4, a1
    vlw12.v v4, 0(v4)
    vmflt.vv v5, v7, v4             # 1: larger than all before
    vfmax.vv v7, v7, v4
    vsub.vv v6, v11, v3
    vmul.vv v6, v6, v5
    vadd.vv v3, v3, v6
    vadd.vx v11, v11, s3
    j       .Lcolumns
.Lcolumns_done:
    join
    # One lane after the other: the largest element, of equal ones the first column.
    vsll.vi v6, v1, 2
    vadd.vx v6, v6, s2
    vsw12.v v7, 0(v6)
    mv      t0, s3
    mv      t1, s2
    lw      s4, 0(t1)
.Llargest:
    lw      t2, 0(t1)
    fmax.s  s4, s4, t2
    addi    t1, t1, 4
    addi    t0, t0, -1
    bnez    t0, .Llargest
    vmfeq.vf v5, v7, s4
    vmv.v.v v4, v8                  # lanes whose element is smaller: past the row
    vsub.vv v9, v3, v8
    vmul.vv v9, v9, v5
    vadd.vv v4, v4, v9
    vsw12.v v4, 0(v6)
    mv      s5, a3
    mv      t0, s3
    mv      t1, s2
.Lfirst_column:
    lw      t2, 0(t1)
    bgeu    t2, s5, .Llater
    mv      s5, t2
.Llater:
    addi    t1, t1, 4
    addi    t0, t0, -1
    bnez    t0, .Lfirst_column

    slli    t0, s1, 2
    add     t0, t0, a5
    sw      s5, 0(t0)
    beqz    a4, .Lsilent

    # Its probability in tenths of a per cent, rounded down.
    slli    t0, s5, 2
    add     t0, t0, a2
    lw      t0, 0(t0)
    li      t1, 0x447a0000          # 1000.0
    fmul.s  t0, t0, t1
    fcvt.wu.s s6, t0, rtz

    li      t0, 30                  # reserve the line
    amoadd.w s7, t0, (a4)
    add     s7, s7, a4
    addi    s7, s7, 4
    lla     t1, .Ltext
    mv      t2, s7
    li      t0, 30
.Lcopy:
    lbu     t3, 0(t1)
    sb      t3, 0(t2)
    addi    t1, t1, 1
    addi    t2, t2, 1
    addi    t0, t0, -1
    bnez    t0, .Lcopy

    # Digits from the right, at least one, in place of the spaces.
    .macro  digits value, last
    mv      t1, \value
    addi    t2, s7, \last
    li      t5, 10
1:
    remu    t3, t1, t5
    divu    t1, t1, t5
    addi    t3, t3, '0'
    sb      t3, 0(t2)
    addi    t2, t2, -1
    bnez    t1, 1b
    .endm
    digits  s1, 6
    digits  s5, 19
    li      t5, 10
    remu    s8, s6, t5
    divu    s6, s6, t5
    digits  s6, 24
    digits  s8, 26
    csrwi   print, 1
.Lsilent:
    ret
.Ltext:
    .ascii  "row    : column     ,    .  %\n"
    .balign 4
