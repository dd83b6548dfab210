# SPDX-License-Identifier: Apache-2.0
    add a0, a1
    add a0, a1, v2
    add a0, a1, a2, a3
    lw a0, 4[a1]
    lw a0, 4(b1)
    vadd.vv v1, v2, a0
    vadd.vv v1, v2, v3, v1.t
    vadd.vv v1, v2, v3, v0
    vmerge.vvm v1, v2, v3, v4
    vsetvli a0, a1, e33, m1
    vsetvli a0, a1, e32, m3
    vsetvli a0, a1, e32, m1, tx
    fadd.s a0, a1, a2, up
    fence wr, rw
    beq a0, 5, .
    nop 1
    li a0
    lw v1, there
