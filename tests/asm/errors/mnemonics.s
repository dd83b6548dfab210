# SPDX-License-Identifier: Apache-2.0
    adi a0, a0, 1
    vadd.vvv v1, v2, v3
    completelyunknown a0
    addw a0, a1, a2
    ecall
    amoadd.w.acq a0, a1, (a2)
