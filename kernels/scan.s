# SPDX-License-Identifier: Apache-2.0
# scan: inclusive prefix sums of 32-bit integers that wrap. Workgroups are independent of each
# other, so an array longer than a block takes several launches on the same memory:
#   scan_block(x, y, sums)   sums within each block, and the total of each block
#   scan of the totals       by the same kernels, until one block holds them
#   scan_add(y, sums)        the total of all blocks before, added to each block
#
# scan_block, argument buffer (a0):
#    0  x      address of n words
#    4  y      address of n words, may be x
#    8  sums   address of one word per workgroup
#   12  n
# scan_add, argument buffer (a0):
#    0  y      address of n words
#    4  sums   prefix sums of what scan_block left there
#    8  n
# Launch: one dimension, grid * block >= n, any block, any warp size.
# Local memory of scan_block: numw KiB of scalar stacks, then numw * numt words.
    .text
    .globl scan_block
scan_block:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    lw      a4, 12(a0)

    csrr    t0, knl
    lw      s1, 24(t0)              # local size x
    csrr    s2, gdx
    mul     t2, s2, s1
    csrr    t3, tid
    vid.v   v1
    vadd.vx v1, v1, t3              # local id
    vadd.vx v2, v1, t2              # element
    vsll.vi v7, v2, 2               # its offset

    vmsltu.vx v3, v1, s1
    vmsltu.vx v4, v2, a4
    vand.vv v8, v3, v4              # 1 where the lane has an element
    vmv.v.i v9, 0                   # the integer 0, for branches
    vmv.v.i v3, 0                   # past the end: 0
    setrpc  t0, .Lloaded
    vbeq    v8, v9, .Lloaded
    vadd.vx v4, v7, a1
    vlw12.v v3, 0(v4)
.Lloaded:
    join

    csrr    t1, numw
    slli    t1, t1, 10
    csrr    t2, lds
    add     t2, t2, t1
    vsll.vi v6, v1, 2
    vadd.vx v6, v6, t2              # this lane's word of local memory

    # Each iteration adds the value `distance` items below and doubles the distance. The values live
    # in v3; local memory only passes them on, with one barrier before the reads and one after.
    li      s3, 1                   # distance
    lla     s0, .Ladded
.Lturn:
    bgeu    s3, s1, .Lscanned
    vsw12.v v3, 0(v6)
    barrier 1
    vmv.v.x v4, s3
    setrpc  zero, s0, 0
    vbltu   v1, v4, .Ladded         # nothing that far below
    slli    t1, s3, 2
    vsub.vx v5, v6, t1
    vlw12.v v5, 0(v5)
    vadd.vv v3, v3, v5
.Ladded:
    join
    barrier 1
    slli    s3, s3, 1
    j       .Lturn

.Lscanned:
    setrpc  t0, .Lstored
    vbeq    v8, v9, .Lstored
    vadd.vx v4, v7, a2
    vsw12.v v3, 0(v4)
.Lstored:
    join
    # The last work-item holds the total, whether it has an element or not.
    addi    t1, s1, -1
    vmv.v.x v4, t1
    setrpc  t0, .Ltotal
    vbne    v1, v4, .Ltotal
    vmv.x.s t1, v3                  # one lane is active: its value
    slli    t2, s2, 2
    add     t2, t2, a3
    sw      t1, 0(t2)
.Ltotal:
    join
    ret

    .globl scan_add
scan_add:
    csrr    t4, gdx
    beqz    t4, .Lfirst             # no block before the first: scalar, the whole workgroup goes
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    slli    t0, t4, 2
    add     t0, t0, a2
    lw      s1, -4(t0)              # the sum of all blocks before

    csrr    t0, knl
    lw      t1, 24(t0)
    mul     t2, t4, t1
    csrr    t3, tid
    vid.v   v1
    vadd.vx v1, v1, t3
    vadd.vx v2, v1, t2
    vmsltu.vx v3, v1, t1
    vmsltu.vx v4, v2, a3
    vand.vv v3, v3, v4
    vmv.v.i v4, 0
    setrpc  t0, .Ldone
    vbeq    v3, v4, .Ldone
    vsll.vi v2, v2, 2
    vadd.vx v2, v2, a1
    vlw12.v v5, 0(v2)
    vadd.vx v5, v5, s1
    vsw12.v v5, 0(v2)
.Ldone:
    join
.Lfirst:
    ret
