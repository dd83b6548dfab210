/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from the instruction tables by tools/device_headers.c: change it there. */
/* clang-format off */
/* TensorLoad for programs on the tensor hart: a function per instruction, which runs that
 * instruction. Register numbers (tl0..tl31) and immediates must be constants. A name ending
 * in _on takes the engine in front: 0 load, 1 comp, 2 store, 3 reshape.
 * docs/tensor-hart.md explains them. */
#ifndef SAMITE_DEVICE_TENSORLOAD_H
#define SAMITE_DEVICE_TENSORLOAD_H

#include "device.h"

/* slices i of tlrd = mem[rs + (tload_stride{i} + imm8) * tload_width] */
SAM_DEVICE void sam_tl_load(const unsigned tlrd, const int imm8, const volatile void *rs)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs;
    __asm__ volatile(".word %0" : : "i"(0x0000055bu | SAM_DEVICE_FIELD(tlrd, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory");
}

/* slices i of tlrd = mem[rs + (tload_stride{i} + imm8) * tload_width] */
SAM_DEVICE void sam_tl_load_on(const unsigned engine, const unsigned tlrd, const int imm8, const volatile void *rs)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs;
    __asm__ volatile(".word %0" : : "i"(0x0000055bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory");
}

/* as tl.load where tmask_load bit i is 1, else slice i = 0 */
SAM_DEVICE void sam_tl_mload(const unsigned tlrd, const int imm8, const volatile void *rs)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs;
    __asm__ volatile(".word %0" : : "i"(0x1000055bu | SAM_DEVICE_FIELD(tlrd, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory");
}

/* as tl.load where tmask_load bit i is 1, else slice i = 0 */
SAM_DEVICE void sam_tl_mload_on(const unsigned engine, const unsigned tlrd, const int imm8, const volatile void *rs)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs;
    __asm__ volatile(".word %0" : : "i"(0x1000055bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory");
}

/* mem[rs + (tstore_stride{i} + imm8) * tstore_width] = slices i of tlrs */
SAM_DEVICE void sam_tl_store(const unsigned tlrs, const int imm8, const volatile void *rs)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs;
    __asm__ volatile(".word %0" : : "i"(0xa000255bu | SAM_DEVICE_FIELD(tlrs, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory");
}

/* mem[rs + (tstore_stride{i} + imm8) * tstore_width] = slices i of tlrs */
SAM_DEVICE void sam_tl_store_on(const unsigned engine, const unsigned tlrs, const int imm8, const volatile void *rs)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs;
    __asm__ volatile(".word %0" : : "i"(0x2000255bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrs, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory");
}

/* as tl.store where tmask_store bit i is 1 */
SAM_DEVICE void sam_tl_mstore(const unsigned tlrs, const int imm8, const volatile void *rs)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs;
    __asm__ volatile(".word %0" : : "i"(0xb000255bu | SAM_DEVICE_FIELD(tlrs, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory");
}

/* as tl.store where tmask_store bit i is 1 */
SAM_DEVICE void sam_tl_mstore_on(const unsigned engine, const unsigned tlrs, const int imm8, const volatile void *rs)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs;
    __asm__ volatile(".word %0" : : "i"(0x3000255bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrs, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory");
}

/* tlrd[i] = tlrs[i] + imm8, saturated, every element */
SAM_DEVICE void sam_tl_addi(const unsigned tlrd, const unsigned tlrs, const int imm8)
{
    __asm__ volatile(".word %0" : : "i"(0x4000205bu | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)) : "memory");
}

/* tlrd[i] = tlrs[i] + imm8, saturated, every element */
SAM_DEVICE void sam_tl_addi_on(const unsigned engine, const unsigned tlrd, const unsigned tlrs, const int imm8)
{
    __asm__ volatile(".word %0" : : "i"(0x0000205bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)) : "memory");
}

/* tlrd = positions of tlrs1 in tmask_concat_1, then of tlrs2 in tmask_concat_2, along dim 0 */
SAM_DEVICE void sam_tl_concat_0(const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0xc000105bu | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* tlrd = positions of tlrs1 in tmask_concat_1, then of tlrs2 in tmask_concat_2, along dim 0 */
SAM_DEVICE void sam_tl_concat_0_on(const unsigned engine, const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0x0000105bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* tlrd = positions of tlrs1 in tmask_concat_1, then of tlrs2 in tmask_concat_2, along dim 1 */
SAM_DEVICE void sam_tl_concat_1(const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0xc200105bu | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* tlrd = positions of tlrs1 in tmask_concat_1, then of tlrs2 in tmask_concat_2, along dim 1 */
SAM_DEVICE void sam_tl_concat_1_on(const unsigned engine, const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0x0200105bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* tlrd = positions of tlrs1 in tmask_concat_1, then of tlrs2 in tmask_concat_2, along dim 2 */
SAM_DEVICE void sam_tl_concat_2(const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0xc400105bu | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* tlrd = positions of tlrs1 in tmask_concat_1, then of tlrs2 in tmask_concat_2, along dim 2 */
SAM_DEVICE void sam_tl_concat_2_on(const unsigned engine, const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0x0400105bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* tlrd = tlrs1 where tmask_concat_1 bit j is 1, else tlrs2, j along dim 0 */
SAM_DEVICE void sam_tl_merge_0(const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0xd000105bu | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* tlrd = tlrs1 where tmask_concat_1 bit j is 1, else tlrs2, j along dim 0 */
SAM_DEVICE void sam_tl_merge_0_on(const unsigned engine, const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0x1000105bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* tlrd = tlrs1 where tmask_concat_1 bit j is 1, else tlrs2, j along dim 1 */
SAM_DEVICE void sam_tl_merge_1(const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0xd200105bu | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* tlrd = tlrs1 where tmask_concat_1 bit j is 1, else tlrs2, j along dim 1 */
SAM_DEVICE void sam_tl_merge_1_on(const unsigned engine, const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0x1200105bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* tlrd = tlrs1 where tmask_concat_1 bit j is 1, else tlrs2, j along dim 2 */
SAM_DEVICE void sam_tl_merge_2(const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0xd400105bu | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* tlrd = tlrs1 where tmask_concat_1 bit j is 1, else tlrs2, j along dim 2 */
SAM_DEVICE void sam_tl_merge_2_on(const unsigned engine, const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2)
{
    __asm__ volatile(".word %0" : : "i"(0x1400105bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 0 and 1 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_01(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0xc200355bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 0 and 1 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_01_on(const unsigned engine, const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x0200355bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 0 and 2 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_02(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0xc400355bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 0 and 2 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_02_on(const unsigned engine, const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x0400355bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 0 and 3 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_03(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0xc600355bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 0 and 3 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_03_on(const unsigned engine, const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x0600355bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 1 and 2 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_12(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0xd200355bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 1 and 2 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_12_on(const unsigned engine, const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x1200355bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 1 and 3 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_13(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0xd400355bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 1 and 3 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_13_on(const unsigned engine, const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x1400355bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 2 and 3 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_23(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0xd600355bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* (tlrs1, tlrs2) = the 4-D block with dims 2 and 3 exchanged; sizes in dim_gpr */
SAM_DEVICE void sam_tl_xpose_23_on(const unsigned engine, const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x1600355bu | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.01 on 8-bit elements */
SAM_DEVICE void sam_tl_xpose_b_01(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6200055bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.02 on 8-bit elements */
SAM_DEVICE void sam_tl_xpose_b_02(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6200155bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.03 on 8-bit elements */
SAM_DEVICE void sam_tl_xpose_b_03(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6200255bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.12 on 8-bit elements */
SAM_DEVICE void sam_tl_xpose_b_12(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6200355bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.13 on 8-bit elements */
SAM_DEVICE void sam_tl_xpose_b_13(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6200455bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.23 on 8-bit elements */
SAM_DEVICE void sam_tl_xpose_b_23(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6200555bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.01 on 16-bit elements */
SAM_DEVICE void sam_tl_xpose_h_01(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6600055bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.02 on 16-bit elements */
SAM_DEVICE void sam_tl_xpose_h_02(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6600155bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.03 on 16-bit elements */
SAM_DEVICE void sam_tl_xpose_h_03(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6600255bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.12 on 16-bit elements */
SAM_DEVICE void sam_tl_xpose_h_12(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6600355bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.13 on 16-bit elements */
SAM_DEVICE void sam_tl_xpose_h_13(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6600455bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.23 on 16-bit elements */
SAM_DEVICE void sam_tl_xpose_h_23(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6600555bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.01 on 32-bit elements */
SAM_DEVICE void sam_tl_xpose_w_01(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6400055bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.02 on 32-bit elements */
SAM_DEVICE void sam_tl_xpose_w_02(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6400155bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.03 on 32-bit elements */
SAM_DEVICE void sam_tl_xpose_w_03(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6400255bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.12 on 32-bit elements */
SAM_DEVICE void sam_tl_xpose_w_12(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6400355bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.13 on 32-bit elements */
SAM_DEVICE void sam_tl_xpose_w_13(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6400455bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.23 on 32-bit elements */
SAM_DEVICE void sam_tl_xpose_w_23(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6400555bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.01 on 64-bit elements */
SAM_DEVICE void sam_tl_xpose_d_01(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6800055bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.02 on 64-bit elements */
SAM_DEVICE void sam_tl_xpose_d_02(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6800155bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.03 on 64-bit elements */
SAM_DEVICE void sam_tl_xpose_d_03(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6800255bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.12 on 64-bit elements */
SAM_DEVICE void sam_tl_xpose_d_12(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6800355bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.13 on 64-bit elements */
SAM_DEVICE void sam_tl_xpose_d_13(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6800455bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

/* as tl.xpose.23 on 64-bit elements */
SAM_DEVICE void sam_tl_xpose_d_23(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr)
{
    register uintptr_t in0 __asm__("a0") = dim_gpr;
    __asm__ volatile(".word %0" : : "i"(0x6800555bu | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory");
}

#endif
