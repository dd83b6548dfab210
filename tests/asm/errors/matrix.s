# SPDX-License-Identifier: Apache-2.0
# Registers with which a matrix instruction traps whatever the sizes: warnings, and an error at the end.
# isa: rv64im_zicsr_xmatrix
    fmmacc.d m1, m2, m4
    fwmmacc.s m2, m3, m0
    fwmmacc.s m2, m0, m3
    fmmacc.h m0, m1, m2
    fmmacc.h m3, m2, m4
    fmmacc.h m4, m2, m3
    fmmacc.s m1, m1, m2
    fmmacc.s m1, m2, m3
    mmaqau.h m7, m0, m1
    mmaqasu.h m6, m1, m7
    mmaqa.b m1, m3, m5
    pmmaqa.b m5, m3, m5
    .macro product md, ms2, ms1
    fwmmacc.h \md, \ms2, \ms1
    .endm
    product m0, m1, m0
    madd.s.mm m1, m1, m1
    mmov.mm m3, m3
    mld1mb m7, (a0)
    mld2mh m6, (a0)
    mld2mh m7, (a0)
    mld4mw m2, (a0)
    mst8md m4, (a0)
    mldb m1, a1, (a0)
    mst2mb m1, (a0)
    unknown
