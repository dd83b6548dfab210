# SPDX-License-Identifier: Apache-2.0
# limit: out[i] = x[i] < max ? x[i] : max, and cut[i] = 1 where max was taken; floats that are not
# negative, which compare as their bits do. It has a mistake, which docs/debugging.md finds.
#
# Argument buffer (a0):
#    0  x      address of one word per work-item
#    4  out    the same
#    8  cut    the same
#   12  max
# Launch: one workgroup.
    .globl limit
limit:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    lw      a4, 12(a0)

    csrr    t3, tid
    vid.v   v1
    vadd.vx v1, v1, t3              # item
    vsll.vi v2, v1, 2
    vadd.vx v3, v2, a1
    vlw12.v v4, 0(v3)               # x[i]
    vadd.vx v5, v2, a2              # address of out[i]

    vmv.v.x v6, a4
    setrpc  t0, .Lstore
    vbltu   v4, v6, .Lstore
    vmv.v.v v4, v6                  # max
    vmv.v.i v7, 1
    vadd.vx v5, v2, a3              # address of cut[i]
    vsw12.v v7, 0(v5)
.Lstore:
    join
    vsw12.v v4, 0(v5)
    ret
