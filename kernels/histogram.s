# SPDX-License-Identifier: Apache-2.0
# histogram: counts[x[i] mod bins] += 1 for i < n.
#
# Atomics of this machine are scalar: an amoadd.w in a divergent region would run once for the whole
# path instead of once per lane. So lanes count without atomics: each has its own column of counters
# in local memory. At the end the columns are added up, one bin per lane, and only these sums go to
# global memory, in a loop that lets one lane at a time through to the scalar amoadd.w.
#
# Argument buffer (a0):
#    0  x       address of n words
#    4  counts  address of `bins` words, added to
#    8  n
#   12  bins
# Launch: one dimension, any grid, any block, any warp size.
# Local memory: numw KiB of scalar stacks, then bins * numw * numt words.
    .text
    .globl histogram
histogram:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    lw      a4, 12(a0)

    csrr    t0, knl
    lw      s1, 24(t0)              # local size x
    lw      s5, 12(t0)              # global size x
    csrr    t1, numw
    slli    t2, t1, 10
    csrr    s2, lds
    add     s2, s2, t2              # counters: [bin][lane of the workgroup]
    csrr    t2, numt
    mul     s3, t1, t2              # lanes of the workgroup
    slli    s4, s3, 2               # bytes from one bin to the next
    csrr    t1, gdx
    mul     t1, t1, s1
    csrr    t2, tid
    vid.v   v1
    vadd.vx v1, v1, t2              # local id
    vadd.vx v2, v1, t1              # element
    vsll.vi v6, v1, 2
    vadd.vx v6, v6, s2              # this lane's counter of bin 0

    # Local memory may hold what an earlier workgroup left. Neighbouring lanes clear neighbouring
    # words.
    vmv.v.i v3, 0
    vmv.v.v v4, v6
    mv      t1, a4
.Lclear:
    beqz    t1, .Lcleared
    vsw12.v v3, 0(v4)
    vadd.vx v4, v4, s4
    addi    t1, t1, -1
    j       .Lclear
.Lcleared:

    # Count: a loop over the grid; both exits share the join, as no lane comes back.
    lla     s0, .Lcounted
    vmv.v.x v4, s1
    setrpc  zero, s0, 0
    vbgeu   v1, v4, .Lcounted
    vmv.v.x v4, a3
.Lcount:
    setrpc  zero, s0, 0
    vbgeu   v2, v4, .Lcounted
    vsll.vi v5, v2, 2
    vadd.vx v5, v5, a1
    vlw12.v v5, 0(v5)
    vremu.vx v5, v5, a4             # bin
    vmul.vx v5, v5, s4
    vadd.vv v5, v5, v6
    vlw12.v v3, 0(v5)               # no other lane uses this word
    vadd.vi v3, v3, 1
    vsw12.v v3, 0(v5)
    vadd.vx v2, v2, s5
    j       .Lcount
.Lcounted:
    join
    barrier 1                       # all columns are complete

    # Add up: lane l takes bins l, l + lanes, ... Lanes without a work-item take part: their columns
    # are zero, but they count as lanes here.
    vmv.v.v v7, v1                  # bin
    vmv.v.x v8, a4
.Lbin:
    setrpc  t0, .Ldone
    vbgeu   v7, v8, .Ldone
    vmul.vx v4, v7, s4
    vadd.vx v4, v4, s2
    vmv.v.i v9, 0
    mv      t1, s3                  # scalar counter: one path is in here at a time
.Lrow:
    vlw12.v v5, 0(v4)
    vadd.vv v9, v9, v5
    vadd.vi v4, v4, 4
    addi    t1, t1, -1
    bnez    t1, .Lrow

    # One lane at a time. vmv.x.s yields the element of the highest active lane; it does the atomic
    # addition, and then exactly the lane with this bin leaves. The next iteration handles the
    # others.
    lla     t0, .Lsent
.Lsend:
    vmv.x.s t1, v7
    vmv.x.s t2, v9
    slli    t3, t1, 2
    add     t3, t3, a2
    amoadd.w zero, t2, (t3)
    vmv.v.x v5, t1
    setrpc  zero, t0, 0
    vbeq    v7, v5, .Lsent
    j       .Lsend
.Lsent:
    join
    vadd.vx v7, v7, s3
    j       .Lbin
.Ldone:
    join
    ret
