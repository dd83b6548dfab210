/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from the instruction tables by tools/device_headers.c: change it there. */
/* clang-format off */
/* TensorLoad for programs on the tensor hart: a function per instruction, which executes it.
 * A macro defines functions with the same operands. Register numbers (tl0..tl31) and
 * immediates must be constants. A name ending in _on has the engine as its first argument:
 * 0 load, 1 comp, 2 store, 3 reshape. docs/tensor-hart.md explains them. */
#ifndef SAMITE_DEVICE_TENSORLOAD_H
#define SAMITE_DEVICE_TENSORLOAD_H

#include "device.h"

#define SAM_DEVICE_TL_tlrd_imm8_rs(name, word) \
    SAM_DEVICE void name(const unsigned tlrd, const int imm8, const volatile void *rs) \
    { \
        register uintptr_t in0 __asm__("a0") = (uintptr_t)rs; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(tlrd, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory"); \
    }

#define SAM_DEVICE_TL_engine_tlrd_imm8_rs(name, word) \
    SAM_DEVICE void name(const unsigned engine, const unsigned tlrd, const int imm8, const volatile void *rs) \
    { \
        register uintptr_t in0 __asm__("a0") = (uintptr_t)rs; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory"); \
    }

#define SAM_DEVICE_TL_tlrs_imm8_rs(name, word) \
    SAM_DEVICE void name(const unsigned tlrs, const int imm8, const volatile void *rs) \
    { \
        register uintptr_t in0 __asm__("a0") = (uintptr_t)rs; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(tlrs, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory"); \
    }

#define SAM_DEVICE_TL_engine_tlrs_imm8_rs(name, word) \
    SAM_DEVICE void name(const unsigned engine, const unsigned tlrs, const int imm8, const volatile void *rs) \
    { \
        register uintptr_t in0 __asm__("a0") = (uintptr_t)rs; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrs, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)), "r"(in0) : "memory"); \
    }

#define SAM_DEVICE_TL_tlrd_tlrs_imm8(name, word) \
    SAM_DEVICE void name(const unsigned tlrd, const unsigned tlrs, const int imm8) \
    { \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)) : "memory"); \
    }

#define SAM_DEVICE_TL_engine_tlrd_tlrs_imm8(name, word) \
    SAM_DEVICE void name(const unsigned engine, const unsigned tlrd, const unsigned tlrs, const int imm8) \
    { \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs, 0, 5, 15) | SAM_DEVICE_FIELD(imm8, 0, 8, 20)) : "memory"); \
    }

#define SAM_DEVICE_TL_tlrd_tlrs1_tlrs2(name, word) \
    SAM_DEVICE void name(const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2) \
    { \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory"); \
    }

#define SAM_DEVICE_TL_engine_tlrd_tlrs1_tlrs2(name, word) \
    SAM_DEVICE void name(const unsigned engine, const unsigned tlrd, const unsigned tlrs1, const unsigned tlrs2) \
    { \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrd, 0, 5, 7) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)) : "memory"); \
    }

#define SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(name, word) \
    SAM_DEVICE void name(const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr) \
    { \
        register uintptr_t in0 __asm__("a0") = dim_gpr; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory"); \
    }

#define SAM_DEVICE_TL_engine_tlrs1_tlrs2_dim_gpr(name, word) \
    SAM_DEVICE void name(const unsigned engine, const unsigned tlrs1, const unsigned tlrs2, uintptr_t dim_gpr) \
    { \
        register uintptr_t in0 __asm__("a0") = dim_gpr; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(engine, 0, 2, 30) | SAM_DEVICE_FIELD(tlrs1, 0, 5, 15) | SAM_DEVICE_FIELD(tlrs2, 0, 5, 20)), "r"(in0) : "memory"); \
    }

SAM_DEVICE_TL_tlrd_imm8_rs(sam_tl_load, 0x0000055bu) /* slices i of tlrd = mem[rs + (tload_stride{i} + imm8) * tload_width] */
SAM_DEVICE_TL_engine_tlrd_imm8_rs(sam_tl_load_on, 0x0000055bu)
SAM_DEVICE_TL_tlrd_imm8_rs(sam_tl_mload, 0x1000055bu) /* as tl.load where tmask_load bit i is 1, else slice i = 0 */
SAM_DEVICE_TL_engine_tlrd_imm8_rs(sam_tl_mload_on, 0x1000055bu)
SAM_DEVICE_TL_tlrs_imm8_rs(sam_tl_store, 0xa000255bu) /* mem[rs + (tstore_stride{i} + imm8) * tstore_width] = slices i of tlrs */
SAM_DEVICE_TL_engine_tlrs_imm8_rs(sam_tl_store_on, 0x2000255bu)
SAM_DEVICE_TL_tlrs_imm8_rs(sam_tl_mstore, 0xb000255bu) /* as tl.store where tmask_store bit i is 1 */
SAM_DEVICE_TL_engine_tlrs_imm8_rs(sam_tl_mstore_on, 0x3000255bu)
SAM_DEVICE_TL_tlrd_tlrs_imm8(sam_tl_addi, 0x4000205bu) /* tlrd[i] = tlrs[i] + imm8, saturated, every element */
SAM_DEVICE_TL_engine_tlrd_tlrs_imm8(sam_tl_addi_on, 0x0000205bu)
SAM_DEVICE_TL_tlrd_tlrs1_tlrs2(sam_tl_concat_0, 0xc000105bu) /* tlrd = positions of tlrs1 in tmask_concat_1, then of tlrs2 in tmask_concat_2, along dim 0 */
SAM_DEVICE_TL_engine_tlrd_tlrs1_tlrs2(sam_tl_concat_0_on, 0x0000105bu)
SAM_DEVICE_TL_tlrd_tlrs1_tlrs2(sam_tl_concat_1, 0xc200105bu) /* tlrd = positions of tlrs1 in tmask_concat_1, then of tlrs2 in tmask_concat_2, along dim 1 */
SAM_DEVICE_TL_engine_tlrd_tlrs1_tlrs2(sam_tl_concat_1_on, 0x0200105bu)
SAM_DEVICE_TL_tlrd_tlrs1_tlrs2(sam_tl_concat_2, 0xc400105bu) /* tlrd = positions of tlrs1 in tmask_concat_1, then of tlrs2 in tmask_concat_2, along dim 2 */
SAM_DEVICE_TL_engine_tlrd_tlrs1_tlrs2(sam_tl_concat_2_on, 0x0400105bu)
SAM_DEVICE_TL_tlrd_tlrs1_tlrs2(sam_tl_merge_0, 0xd000105bu) /* tlrd = tlrs1 where tmask_concat_1 bit j is 1, else tlrs2, j along dim 0 */
SAM_DEVICE_TL_engine_tlrd_tlrs1_tlrs2(sam_tl_merge_0_on, 0x1000105bu)
SAM_DEVICE_TL_tlrd_tlrs1_tlrs2(sam_tl_merge_1, 0xd200105bu) /* tlrd = tlrs1 where tmask_concat_1 bit j is 1, else tlrs2, j along dim 1 */
SAM_DEVICE_TL_engine_tlrd_tlrs1_tlrs2(sam_tl_merge_1_on, 0x1200105bu)
SAM_DEVICE_TL_tlrd_tlrs1_tlrs2(sam_tl_merge_2, 0xd400105bu) /* tlrd = tlrs1 where tmask_concat_1 bit j is 1, else tlrs2, j along dim 2 */
SAM_DEVICE_TL_engine_tlrd_tlrs1_tlrs2(sam_tl_merge_2_on, 0x1400105bu)
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_01, 0xc200355bu) /* (tlrs1, tlrs2) = the 4-D block with dims 0 and 1 exchanged; sizes in dim_gpr */
SAM_DEVICE_TL_engine_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_01_on, 0x0200355bu)
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_02, 0xc400355bu) /* (tlrs1, tlrs2) = the 4-D block with dims 0 and 2 exchanged; sizes in dim_gpr */
SAM_DEVICE_TL_engine_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_02_on, 0x0400355bu)
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_03, 0xc600355bu) /* (tlrs1, tlrs2) = the 4-D block with dims 0 and 3 exchanged; sizes in dim_gpr */
SAM_DEVICE_TL_engine_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_03_on, 0x0600355bu)
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_12, 0xd200355bu) /* (tlrs1, tlrs2) = the 4-D block with dims 1 and 2 exchanged; sizes in dim_gpr */
SAM_DEVICE_TL_engine_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_12_on, 0x1200355bu)
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_13, 0xd400355bu) /* (tlrs1, tlrs2) = the 4-D block with dims 1 and 3 exchanged; sizes in dim_gpr */
SAM_DEVICE_TL_engine_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_13_on, 0x1400355bu)
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_23, 0xd600355bu) /* (tlrs1, tlrs2) = the 4-D block with dims 2 and 3 exchanged; sizes in dim_gpr */
SAM_DEVICE_TL_engine_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_23_on, 0x1600355bu)
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_b_01, 0x6200055bu) /* as tl.xpose.01 on 8-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_b_02, 0x6200155bu) /* as tl.xpose.02 on 8-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_b_03, 0x6200255bu) /* as tl.xpose.03 on 8-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_b_12, 0x6200355bu) /* as tl.xpose.12 on 8-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_b_13, 0x6200455bu) /* as tl.xpose.13 on 8-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_b_23, 0x6200555bu) /* as tl.xpose.23 on 8-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_h_01, 0x6600055bu) /* as tl.xpose.01 on 16-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_h_02, 0x6600155bu) /* as tl.xpose.02 on 16-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_h_03, 0x6600255bu) /* as tl.xpose.03 on 16-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_h_12, 0x6600355bu) /* as tl.xpose.12 on 16-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_h_13, 0x6600455bu) /* as tl.xpose.13 on 16-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_h_23, 0x6600555bu) /* as tl.xpose.23 on 16-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_w_01, 0x6400055bu) /* as tl.xpose.01 on 32-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_w_02, 0x6400155bu) /* as tl.xpose.02 on 32-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_w_03, 0x6400255bu) /* as tl.xpose.03 on 32-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_w_12, 0x6400355bu) /* as tl.xpose.12 on 32-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_w_13, 0x6400455bu) /* as tl.xpose.13 on 32-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_w_23, 0x6400555bu) /* as tl.xpose.23 on 32-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_d_01, 0x6800055bu) /* as tl.xpose.01 on 64-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_d_02, 0x6800155bu) /* as tl.xpose.02 on 64-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_d_03, 0x6800255bu) /* as tl.xpose.03 on 64-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_d_12, 0x6800355bu) /* as tl.xpose.12 on 64-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_d_13, 0x6800455bu) /* as tl.xpose.13 on 64-bit elements */
SAM_DEVICE_TL_tlrs1_tlrs2_dim_gpr(sam_tl_xpose_d_23, 0x6800555bu) /* as tl.xpose.23 on 64-bit elements */

#endif
