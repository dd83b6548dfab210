/* SPDX-License-Identifier: Apache-2.0 */
/* Start code of a program without a C library, RV32 and RV64: a stack, zeros where there is no data,
 * main, and an exit with its result. For tensor.ld, whose symbols it uses. */
        .section .text.start, "ax"
        .globl  _start
        .type   _start, @function
_start:
        .option push
        .option norelax
        la      gp, __global_pointer$
        .option pop
        la      sp, __stack
        la      t0, __bss_start
        la      t1, __bss_end
1:      bgeu    t0, t1, 2f
        sw      zero, 0(t0)
        addi    t0, t0, 4
        j       1b
2:      li      a0, 0
        li      a1, 0
        call    main
        li      a7, 93
        ecall
        .size   _start, . - _start
