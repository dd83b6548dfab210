# SPDX-License-Identifier: Apache-2.0
# isa: tensor
    tl.addi t1, t2, 128
    tl.addi t1, t2, -129
    tl.load t1, 128(x1)         ; the offset, too
    tl.mstore t1, -129(x1)
    tl.load t2, x13, x14        // operands of the first text
    tl.mload t1, x10, a1
    tl.store t3, x17, x16
    tl.mstore t3, x17, x16
    tl.store@comp t3, 0(x17)
    tl.mstore@comp t3, 0(x17)
    tl.xpose.b.01@comp t1, t2, x10
    tl.xpose.d.23@reshape t1, t2, x10
    tl.load@reshap t1, 0(x1)
    tl.load@ t1, 0(x1)
    tl.load@load@load t1, 0(x1)
    addi@comp x1, x2, 3
    tl.addi t32, t1, 0
    tl.addi tl01, t1, 0
    tl.addi x1, t1, 0
    tl.addi t1, t2, tl3
    tl.load t1, 0(tl2)
    tl.load t1, 0(t7)
    tl.xpose.01 t1, t2, t10
    tl.concat.0 t1, t2
    tl.concat.3 t1, t2, t3
    tl.xpose.00 t1, t2, x10
    tl.xpose.10 t1, t2, x10
    tl.xpose.b.11 t1, t2, x10
    csrw tload_stride32, a0
    csrw tload_stride{32}, a0
    csrw tload_stride01, a0
    csrw ttype{0}, a0
    csrw tload_stride{1, a0
tl1: nop ; this is a comment, x1: is no label
t9 = 4
    vadd.vv v1, v2, v3
    tl.xpose.w t1, t2, x10
    tl.xpose t1, t2, x10
