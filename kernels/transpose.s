# SPDX-License-Identifier: Apache-2.0
# transpose: out[c][r] = in[r][c], words. A workgroup of t x t work-items moves a t x t tile:
# neighbouring lanes load neighbouring words of its rows and store neighbouring words of its
# columns, because the transposition happens in local memory. There the rows of the tile are t + 1
# words apart, so that with t = 32 the words of a column are in 32 different banks. That helps where
# banks are served together; the hardware of the time model serves one line of 128 bytes at a time.
#
# Argument buffer (a0):
#    0  in     address of rows * cols words
#    4  out    address of cols * rows words
#    8  rows
#   12  cols
# Launch: two dimensions, block t x t for any t, grid ceil(cols / t) x ceil(rows / t), any warp
# size.
# Local memory: numw KiB of scalar stacks, then t * (t + 1) words.
    .text
    .globl transpose
transpose:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)               # rows
    lw      a4, 12(a0)              # cols

    csrr    t0, knl
    lw      s1, 24(t0)              # t
    csrr    t1, numw
    slli    t1, t1, 10
    csrr    s2, lds
    add     s2, s2, t1              # the tile
    addi    s3, s1, 1               # words per row of it
    csrr    t1, tid
    vid.v   v1
    vadd.vx v1, v1, t1              # local id
    vremu.vx v2, v1, s1             # x
    vdivu.vx v3, v1, s1             # y; >= t in lanes without a work-item
    vmsltu.vx v4, v3, s1            # 1 where the lane is a work-item
    vmv.v.i v5, 0
    csrr    s4, gdx
    mul     s4, s4, s1              # first column of the tile in `in`
    csrr    s5, gdy
    mul     s5, s5, s1              # first row

    # The two regions have different lanes (the edge of `in` is not that of `out`), and the barrier
    # is between them, where the mask is full again.
    vadd.vx v6, v2, s4              # column
    vadd.vx v7, v3, s5              # row
    vmsltu.vx v8, v6, a4
    vmsltu.vx v9, v7, a3
    vand.vv v8, v8, v9
    vand.vv v8, v8, v4
    setrpc  t0, .Lloaded
    vbeq    v8, v5, .Lloaded
    vmul.vx v7, v7, a4
    vadd.vv v7, v7, v6
    vsll.vi v7, v7, 2
    vadd.vx v7, v7, a1
    vlw12.v v7, 0(v7)               # in[row][column]
    vmul.vx v9, v3, s3
    vadd.vv v9, v9, v2
    vsll.vi v9, v9, 2
    vadd.vx v9, v9, s2
    vsw12.v v7, 0(v9)               # tile[y][x]
.Lloaded:
    join
    barrier 1

    vadd.vx v6, v2, s5              # column of `out`
    vadd.vx v7, v3, s4              # row of `out`
    vmsltu.vx v8, v6, a3
    vmsltu.vx v9, v7, a4
    vand.vv v8, v8, v9
    vand.vv v8, v8, v4
    setrpc  t0, .Ldone
    vbeq    v8, v5, .Ldone
    vmul.vx v9, v2, s3
    vadd.vv v9, v9, v3
    vsll.vi v9, v9, 2
    vadd.vx v9, v9, s2
    vlw12.v v9, 0(v9)               # tile[x][y]
    vmul.vx v7, v7, a3
    vadd.vv v7, v7, v6
    vsll.vi v7, v7, 2
    vadd.vx v7, v7, a2
    vsw12.v v9, 0(v7)
.Ldone:
    join
    ret
