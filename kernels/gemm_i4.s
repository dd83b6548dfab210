# SPDX-License-Identifier: Apache-2.0
# C += A * B^T, int4 into int32, two per byte, low nibble first; K is even. Arguments: see gemm.inc.
    .equ    OUT, 2
    .equ    WIDE, 0
    .macro  k_bytes rd, rs
    srli    \rd, \rs, 1
    .endm
    .macro  load md, stride, base
    mldb    \md, \stride, (\base)
    .endm
    .macro  load_c md, stride, base
    mldw    \md, \stride, (\base)
    .endm
    .macro  store_c ms, stride, base
    mstw    \ms, \stride, (\base)
    .endm
    .macro  multiply md, ms2, ms1
    pmmaqa.b \md, \ms2, \ms1
    .endm
    .include "gemm.inc"
