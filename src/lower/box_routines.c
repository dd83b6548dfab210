/* SPDX-License-Identifier: Apache-2.0 */
/* Hart routines for boxes with run-time sizes, and for widening elements in TensorLoad registers.
 * Each begins with a label and ends with ret. */
#include "lower/box.h"

const char *const sam_lower_box_texts[LOWER_BOX_ROUTINES] = {
    [LOWER_LINES] =
        "# copy a4 lines of a5 bytes from t2 to t3, pitches a2 and a3; "
        ".Llines: csrwi tload_stride0, 0; csrwi tstore_stride0, 0; bne a2, a5, 1f; "
        "bne a3, a5, 1f; mul a5, a5, a4 # contiguous: a single line; "
        "li a4, 1; "
        "1: li t0, 1; beq a4, t0, 4f; li t0, 512; bltu t0, a5, 4f; "
        "rem t0, a2, a5 # slices need pitches that are multiples of the width; "
        "bnez t0, 4f; rem t0, a3, a5; bnez t0, 4f; csrw tload_width, a5; "
        "csrw tstore_width, a5; div t0, a2, a5; div t1, a3, a5; mv a0, t0; mv a1, t1; "
        ".irp slice, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, "
        "21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31; csrw tload_stride\\slice, a0; "
        "csrw tstore_stride\\slice, a1; add a0, a0, t0; add a1, a1, t1; .endr; li a6, 1024; "
        "divu a6, a6, a5 # lines per transfer; "
        "li t0, 32; bltu a6, t0, 2f; mv a6, t0; "
        "2: mul a2, a2, a6; mul a3, a3, a6; "
        "3: bgeu a4, a6, 9f; mv a6, a4; "
        "9: slli t0, a6, 16; addi t0, t0, 0x101; csrw tshape, t0; tl.load tl1, 0(t2); "
        "tl.store tl1, 0(t3); add t2, t2, a2; add t3, t3, a3; sub a4, a4, a6; bnez a4, 3b; "
        "ret; "
        "4: li t0, 0x10101; csrw tshape, t0; li a6, 1024; bltu a6, a5, 6f; "
        "csrw tload_width, a5; csrw tstore_width, a5; "
        "5: .irp register, tl1, tl2, tl3, "
        "tl4 # a load need not wait for the previous store; "
        "tl.load \\register, 0(t2); tl.store \\register, 0(t3); add t2, t2, a2; "
        "add t3, t3, a3; addi a4, a4, -1; beqz a4, 9f; .endr; j 5b; "
        "9: ret; "
        "6: mv a0, t2; mv a1, t3; mv a7, a5; "
        "7: mv t0, a6; bgeu a7, a6, 8f; mv t0, a7; "
        "8: csrw tload_width, t0; csrw tstore_width, t0; tl.load tl1, 0(a0); "
        "tl.store tl1, 0(a1); add a0, a0, t0; add a1, a1, t0; sub a7, a7, t0; bnez a7, 7b; "
        "add t2, t2, a2; add t3, t3, a3; addi a4, a4, -1; bnez a4, 6b; ret",
    [LOWER_ELEMENTS] =
        "# copy a4 lines of a5 elements of t4 bytes from t2 to t3, pitches a2 and a3; "
        "# element strides a6 and a7, in elements; "
        ".Lelements: csrw tload_width, t4; csrw tstore_width, t4; li t0, 0; li t1, 0; "
        ".irp slice, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, "
        "20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31; csrw tload_stride\\slice, t0; "
        "csrw tstore_stride\\slice, t1; add t0, t0, a6; add t1, t1, a7; .endr; "
        "mul a6, t0, t4 # bytes per 32 elements; "
        "mul a7, t1, t4; "
        "1: mv a0, t2; mv a1, t3; mv t1, a5; "
        "2: li t5, 32; bgeu t1, t5, 3f; mv t5, t1; "
        "3: slli t0, t5, 16; addi t0, t0, 0x101; csrw tshape, t0; tl.load tl1, 0(a0); "
        "tl.store tl1, 0(a1); add a0, a0, a6; add a1, a1, a7; sub t1, t1, t5; bnez t1, 2b; "
        "add t2, t2, a2; add t3, t3, a3; addi a4, a4, -1; bnez a4, 1b; ret",
    [LOWER_FILLS] =
        "# fill a4 lines of a5 bytes at t3, pitch a3, with the KiB at t2; "
        ".Lfills: li t0, 0x10101; csrw tshape, t0; csrwi tload_stride0, 0; "
        "csrwi tstore_stride0, 0; li a6, 1024; csrw tload_width, a6; tl.load tl1, 0(t2); "
        "1: mv a1, t3; mv a7, a5; "
        "2: mv t0, a6; bgeu a7, a6, 3f; mv t0, a7; "
        "3: csrw tstore_width, t0; tl.store tl1, 0(a1); add a1, a1, t0; sub a7, a7, t0; "
        "bnez a7, 2b; add t3, t3, a3; addi a4, a4, -1; bnez a4, 1b; ret",
    [LOWER_RUNS] =
        "# copy a7 bytes from rows of a5 bytes at t2, pitch a2, to rows of a6 bytes at t3, pitch "
        "a3; "
        ".Lruns: li t0, 0x10101; csrw tshape, t0; csrwi tload_stride0, 0; "
        "csrwi tstore_stride0, 0; li t6, 1024; mv a0, t2; mv a1, t3; mv t4, a5; mv t5, a6; "
        "1: mv t0, t4 # up to the end of either row; "
        "bgeu t5, t0, 2f; mv t0, t5; "
        "2: bgeu t6, t0, 3f; mv t0, t6; "
        "3: csrw tload_width, t0; csrw tstore_width, t0; tl.load tl1, 0(a0); "
        "tl.store tl1, 0(a1); add a0, a0, t0; add a1, a1, t0; sub t4, t4, t0; sub t5, t5, t0; "
        "sub a7, a7, t0; bnez t4, 4f; add t2, t2, a2; mv a0, t2; mv t4, a5; "
        "4: bnez t5, 5f; add t3, t3, a3; mv a1, t3; mv t5, a6; "
        "5: bnez a7, 1b; ret",
    [LOWER_WIDEN] =
        "# widen a2 bytes of bf16 at t2 to f32 at t3, in blocks of 2 KiB; "
        ".Lwiden: li t0, 0x10101; csrw tshape, t0; csrwi tload_stride0, 0; "
        "csrwi tstore_stride0, 0; li a3, 1024; csrw tstore_width, a3; "
        "li a4, 0x01201002 # [2, 16, 32, 1]: zeros, then numbers; "
        "li a5, 0x01200210 # [16, 2, 32, 1]; "
        "1: mv t1, a3; bgeu a2, a3, 2f; mv t1, a2; "
        "2: csrw tload_width, t1; tl.addi tl1, tl0, 0; tl.load tl2, 0(t2); "
        "tl.xpose.h.01 tl1, tl2, a4; tl.xpose.h.12 tl1, tl2, a5; tl.store tl1, 0(t3); "
        "tl.store tl2, 1(t3); add t2, t2, a3; add t3, t3, a3; add t3, t3, a3; sub a2, a2, t1; "
        "bnez a2, 1b; ret",
};
