# SPDX-License-Identifier: Apache-2.0
# Start of the C programs in this folder: a0 is the number of rounds, 0 the program's own choice (so
# a Linux process, qemu's, starts). sp is set by whoever runs it.
        .text
        .globl  _start
_start: call    run
        li      a7, 93
        ecall
