# SPDX-License-Identifier: Apache-2.0
# isa: rv32im_zicsr
    tl.load t1, 0(x1)
    tl.store@comp t1, 0(x1)
    tl.addi@load t1, t2, 3
    tl.xpose.w.01@load t1, t2, x3
    csrw ttype, a0
    csrw TL_LOAD_STRIDE_CSR{3}, a0
