# SPDX-License-Identifier: Apache-2.0
# diverge: loops and conditions nested four deep, with a different control flow in every lane. Each
# item walks the 3x + 1 sequence down to 1:
#
#     steps = 0; acc = 0;
#     while (x > 1) {
#         if (x & 1) {
#             x = 3 * x + 1;
#             if (x & 4)
#                 acc ^= x;
#             else
#                 acc += x;
#             steps++;
#         } else {
#             do {
#                 x >>= 1;
#                 steps++;
#             } while (!(x & 1));
#             acc = acc * 33 + steps;
#         }
#     }
#     out[i] = acc + (steps << 20);
#
# Argument buffer (a0):
#    0  x      address of n words, each below 100000 (larger ones can exceed 32 bits on the way)
#    4  out    address of n words
#    8  n
# Launch: one dimension, grid * block >= n, any block, any warp size.
    .text
    .globl diverge
diverge:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)

    csrr    t0, knl
    lw      t1, 24(t0)
    csrr    t2, gdx
    mul     t2, t2, t1
    csrr    t3, tid
    vid.v   v1
    vadd.vx v1, v1, t3              # local id
    vadd.vx v2, v1, t2              # item

    vmv.v.i v10, 0
    vmv.v.i v11, 1
    vmsltu.vx v3, v1, t1
    vmsltu.vx v4, v2, a3
    vand.vv v3, v3, v4
    setrpc  t0, .Ldone
    vbeq    v3, v10, .Ldone

    vsll.vi v2, v2, 2
    vadd.vx v3, v2, a1
    vlw12.v v3, 0(v3)               # x
    vmv.v.i v4, 0                   # acc
    vmv.v.i v5, 0                   # steps

    # Every region below has its own join, inside that of the enclosing region. CSR_RPC is not saved
    # anywhere: each branch sets it again, because an inner region has changed it by the next
    # iteration. The registers with the addresses of the joins stay unchanged.
    lla     s1, .Lfinished          # of the while
    lla     s2, .Lstepped           # of the if (x & 1)
    lla     s3, .Lmixed             # of the if (x & 4)
    lla     s4, .Lodd               # of the do while
.Lwhile:
    # The lanes that leave reach the join at once, find the others on the stack and let them
    # continue.
    setrpc  zero, s1, 0
    vbgeu   v11, v3, .Lfinished     # 1 >= x

    # Two sides of code: the first ends with a jump to the join, the second falls through to it.
    vand.vi v6, v3, 1
    setrpc  zero, s2, 0
    vbeq    v6, v10, .Leven
    vsll.vi v7, v3, 1
    vadd.vv v3, v3, v7
    vadd.vi v3, v3, 1
    vand.vi v6, v3, 4
    setrpc  zero, s3, 0
    vbeq    v6, v10, .Lplus
    vxor.vv v4, v4, v3
    j       .Lmixed
.Lplus:
    vadd.vv v4, v4, v3
.Lmixed:
    join
    vadd.vi v5, v5, 1
    j       .Lstepped
.Leven:
    vsrl.vi v3, v3, 1
    vadd.vi v5, v5, 1
    vand.vi v6, v3, 1
    # The branch at the end of a loop may go either way: lanes that stay branch back to .Leven, the
    # others fall through to the join, which is the next instruction.
    setrpc  zero, s4, 0
    vbeq    v6, v10, .Leven
.Lodd:
    join
    vsll.vi v7, v4, 5
    vadd.vv v4, v4, v7
    vadd.vv v4, v4, v5
.Lstepped:
    join
    j       .Lwhile
.Lfinished:
    join

    vsll.vi v5, v5, 20
    vadd.vv v4, v4, v5
    vadd.vx v2, v2, a2
    vsw12.v v4, 0(v2)
.Ldone:
    join
    ret
