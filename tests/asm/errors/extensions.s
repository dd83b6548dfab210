# SPDX-License-Identifier: Apache-2.0
# isa: rv32i
    mul a0, a1, a2
    vadd.vv v1, v2, v3
    amoadd.w a0, a1, (a2)
    csrr a0, mhartid
    fadd.s a0, a1, a2
    ld a0, 0(a1)
    vbeq v1, v2, .
    add a0, x33, a1
