# SPDX-License-Identifier: Apache-2.0
    nop # a comment with 'quotes' and "more
    nop // another; nop
    nop /* one
    more */ nope
    addi a0, a0, ';'; bad
    /* never closed
    nop
