# SPDX-License-Identifier: Apache-2.0
# A program for ventus_host.c: start code at 0x80000000, then the kernel.
# samite asm -I kernels examples/ventus_vecadd.s -o vecadd.riscv
    .include "start.inc"
    .include "vecadd.s"
