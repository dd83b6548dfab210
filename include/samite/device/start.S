/* SPDX-License-Identifier: Apache-2.0 */
/* Start code of a program without a C library, RV32 and RV64: a stack, zeros where there is no data,
 * main, and an exit with its result. For tensor.ld and system.ld, whose symbols it uses. And the four
 * functions that GCC calls even in such a program, unless it has its own. */
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

        .text
        .weak   memset, memcpy, memmove, memcmp
        .type   memset, @function
memset: add     a2, a0, a2
        mv      a3, a0
1:      beq     a3, a2, 2f
        sb      a1, 0(a3)
        addi    a3, a3, 1
        j       1b
2:      ret
        .size   memset, . - memset

        .type   memcpy, @function
        .type   memmove, @function
memcpy:
memmove:
        mv      a3, a0
        bltu    a1, a0, 3f      # from the end, when the destination is above
        add     a2, a1, a2
1:      beq     a1, a2, 2f
        lbu     a4, 0(a1)
        sb      a4, 0(a3)
        addi    a1, a1, 1
        addi    a3, a3, 1
        j       1b
2:      ret
3:      add     a1, a1, a2
        add     a3, a3, a2
4:      beq     a3, a0, 2b
        addi    a1, a1, -1
        addi    a3, a3, -1
        lbu     a4, 0(a1)
        sb      a4, 0(a3)
        j       4b
        .size   memcpy, . - memcpy
        .size   memmove, . - memmove

        .type   memcmp, @function
memcmp: add     a2, a0, a2
1:      beq     a0, a2, 2f
        lbu     a3, 0(a0)
        lbu     a4, 0(a1)
        addi    a0, a0, 1
        addi    a1, a1, 1
        beq     a3, a4, 1b
        sub     a0, a3, a4
        ret
2:      li      a0, 0
        ret
        .size   memcmp, . - memcmp
