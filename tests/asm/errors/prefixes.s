# SPDX-License-Identifier: Apache-2.0
    regext zero, zero, 64
    regext zero, zero, 64
    nop
    regext zero, zero, 64
    vadd.vv v33, v34, v3
    regexti zero, zero, 1
    vadd.vv v1, v2, v3
    regext x40, zero, 1
    add x64, a0, a1
