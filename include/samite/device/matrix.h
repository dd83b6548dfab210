/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from the instruction tables by tools/device_headers.c: change it there. */
/* clang-format off */
/* The matrix unit for programs on the tensor hart: a function per instruction, which runs
 * that instruction. Register numbers (m0..m7) and immediates must be constants.
 * docs/matrix.md explains them. */
#ifndef SAMITE_DEVICE_MATRIX_H
#define SAMITE_DEVICE_MATRIX_H

#include "device.h"

/* md = ms1, whatever the sizes */
SAM_DEVICE void sam_mmov_mm(const unsigned md, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x0000802bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* every row of md = row rs1' of ms1 */
SAM_DEVICE void sam_mmov_mv_x(const unsigned md, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x0201002bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* every row of md = row uimm3 of ms1 */
SAM_DEVICE void sam_mmov_mv_i(const unsigned md, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x0400002bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* every XLEN-wide element of md = rs1' */
SAM_DEVICE void sam_mmov_mx(const unsigned md, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x0601002bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* md += ms1 * {ms2, ms2+1}^T in fp16 */
SAM_DEVICE void sam_fmmacc_h(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x1000042bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md += ms1 * ms2^T in fp32 */
SAM_DEVICE void sam_fmmacc_s(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x1000082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* {md, md+1} += ms1 * ms2^T in fp64 */
SAM_DEVICE void sam_fmmacc_d(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x10000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md += ms1 * ms2^T, fp16 into fp32 */
SAM_DEVICE void sam_fwmmacc_h(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x1100042bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* {md, md+1} += ms1 * ms2^T, fp32 into fp64 */
SAM_DEVICE void sam_fwmmacc_s(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x1100082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md += ms1 * ms2^T, int8 into int32 */
SAM_DEVICE void sam_mmaqa_b(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2000002bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md += ms1 * ms2^T, uint8 into int32 */
SAM_DEVICE void sam_mmaqau_b(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2000802bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md += ms1 * ms2^T, uint8 * int8 into int32 */
SAM_DEVICE void sam_mmaqaus_b(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2001002bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md += ms1 * ms2^T, int8 * uint8 into int32 */
SAM_DEVICE void sam_mmaqasu_b(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2001802bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* {md, md+1} += ms1 * ms2^T, int16 into int64 */
SAM_DEVICE void sam_mmaqa_h(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2000042bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* {md, md+1} += ms1 * ms2^T, uint16 into int64 */
SAM_DEVICE void sam_mmaqau_h(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2000842bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* {md, md+1} += ms1 * ms2^T, uint16 * int16 into int64 */
SAM_DEVICE void sam_mmaqaus_h(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2001042bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* {md, md+1} += ms1 * ms2^T, int16 * uint16 into int64 */
SAM_DEVICE void sam_mmaqasu_h(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2001842bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md += ms1 * ms2^T, int4 into int32, low nibble first */
SAM_DEVICE void sam_pmmaqa_b(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2100002bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md += ms1 * ms2^T, uint4 into int32 */
SAM_DEVICE void sam_pmmaqau_b(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2100802bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md += ms1 * ms2^T, uint4 * int4 into int32 */
SAM_DEVICE void sam_pmmaqaus_b(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2101002bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md += ms1 * ms2^T, int4 * uint4 into int32 */
SAM_DEVICE void sam_pmmaqasu_b(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x2101802bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 + b, b = ms1 */
SAM_DEVICE void sam_madd_s_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x3000082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 + b, b = row rs1' of ms1 */
SAM_DEVICE void sam_madd_s_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x3201082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 + b, b = row uimm3 of ms1 */
SAM_DEVICE void sam_madd_s_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x3400082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 + b, b = rs1' */
SAM_DEVICE void sam_madd_s_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x3601082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 + b, b = ms1 */
SAM_DEVICE void sam_madd_d_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x30000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 + b, b = row rs1' of ms1 */
SAM_DEVICE void sam_madd_d_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x32010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 + b, b = row uimm3 of ms1 */
SAM_DEVICE void sam_madd_d_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x34000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 + b, b = rs1' */
SAM_DEVICE void sam_madd_d_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x36010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 - b, b = ms1 */
SAM_DEVICE void sam_msub_s_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x4000082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 - b, b = row rs1' of ms1 */
SAM_DEVICE void sam_msub_s_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x4201082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 - b, b = row uimm3 of ms1 */
SAM_DEVICE void sam_msub_s_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x4400082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 - b, b = rs1' */
SAM_DEVICE void sam_msub_s_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x4601082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 - b, b = ms1 */
SAM_DEVICE void sam_msub_d_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x40000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 - b, b = row rs1' of ms1 */
SAM_DEVICE void sam_msub_d_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x42010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 - b, b = row uimm3 of ms1 */
SAM_DEVICE void sam_msub_d_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x44000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 - b, b = rs1' */
SAM_DEVICE void sam_msub_d_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x46010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 >> b, signed, rounded by xmxrm, b = ms1 */
SAM_DEVICE void sam_msra_s_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x5000082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 >> b, signed, rounded by xmxrm, b = row rs1' of ms1 */
SAM_DEVICE void sam_msra_s_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x5201082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 >> b, signed, rounded by xmxrm, b = row uimm3 of ms1 */
SAM_DEVICE void sam_msra_s_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x5400082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 >> b, signed, rounded by xmxrm, b = rs1' */
SAM_DEVICE void sam_msra_s_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x5601082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 >> b, signed, rounded by xmxrm, b = ms1 */
SAM_DEVICE void sam_msra_d_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x50000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 >> b, signed, rounded by xmxrm, b = row rs1' of ms1 */
SAM_DEVICE void sam_msra_d_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x52010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 >> b, signed, rounded by xmxrm, b = row uimm3 of ms1 */
SAM_DEVICE void sam_msra_d_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x54000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 >> b, signed, rounded by xmxrm, b = rs1' */
SAM_DEVICE void sam_msra_d_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x56010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = ms1 */
SAM_DEVICE void sam_mn4clip_s_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x6000082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = row rs1' of ms1 */
SAM_DEVICE void sam_mn4clip_s_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x6201082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = row uimm3 of ms1 */
SAM_DEVICE void sam_mn4clip_s_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x6400082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = rs1' */
SAM_DEVICE void sam_mn4clip_s_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x6601082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = ms1 */
SAM_DEVICE void sam_mn4clip_d_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x60000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = row rs1' of ms1 */
SAM_DEVICE void sam_mn4clip_d_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x62010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = row uimm3 of ms1 */
SAM_DEVICE void sam_mn4clip_d_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x64000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = rs1' */
SAM_DEVICE void sam_mn4clip_d_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x66010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = ms1 */
SAM_DEVICE void sam_mn4clipu_s_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x7000082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = row rs1' of ms1 */
SAM_DEVICE void sam_mn4clipu_s_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x7201082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = row uimm3 of ms1 */
SAM_DEVICE void sam_mn4clipu_s_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x7400082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = rs1' */
SAM_DEVICE void sam_mn4clipu_s_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x7601082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = ms1 */
SAM_DEVICE void sam_mn4clipu_d_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x70000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = row rs1' of ms1 */
SAM_DEVICE void sam_mn4clipu_d_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x72010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = row uimm3 of ms1 */
SAM_DEVICE void sam_mn4clipu_d_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x74000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = rs1' */
SAM_DEVICE void sam_mn4clipu_d_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x76010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 * b, lower half, b = ms1 */
SAM_DEVICE void sam_mmul_s_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x8000082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 * b, lower half, b = row rs1' of ms1 */
SAM_DEVICE void sam_mmul_s_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x8201082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 * b, lower half, b = row uimm3 of ms1 */
SAM_DEVICE void sam_mmul_s_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x8400082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 * b, lower half, b = rs1' */
SAM_DEVICE void sam_mmul_s_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x8601082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 * b, lower half, b = ms1 */
SAM_DEVICE void sam_mmul_d_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x80000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 * b, lower half, b = row rs1' of ms1 */
SAM_DEVICE void sam_mmul_d_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x82010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 * b, lower half, b = row uimm3 of ms1 */
SAM_DEVICE void sam_mmul_d_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x84000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 * b, lower half, b = rs1' */
SAM_DEVICE void sam_mmul_d_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x86010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 * b, signed, upper half, b = ms1 */
SAM_DEVICE void sam_mmulh_s_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x9000082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 * b, signed, upper half, b = row rs1' of ms1 */
SAM_DEVICE void sam_mmulh_s_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x9201082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 * b, signed, upper half, b = row uimm3 of ms1 */
SAM_DEVICE void sam_mmulh_s_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x9400082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 * b, signed, upper half, b = rs1' */
SAM_DEVICE void sam_mmulh_s_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x9601082bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* md = ms2 * b, signed, upper half, b = ms1 */
SAM_DEVICE void sam_mmulh_d_mm(const unsigned md, const unsigned ms2, const unsigned ms1)
{
    __asm__ volatile(".word %0" : : "i"(0x90000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory");
}

/* md = ms2 * b, signed, upper half, b = row rs1' of ms1 */
SAM_DEVICE void sam_mmulh_d_mv_x(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x92010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory");
}

/* md = ms2 * b, signed, upper half, b = row uimm3 of ms1 */
SAM_DEVICE void sam_mmulh_d_mv_i(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm)
{
    __asm__ volatile(".word %0" : : "i"(0x94000c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory");
}

/* md = ms2 * b, signed, upper half, b = rs1' */
SAM_DEVICE void sam_mmulh_d_mx(const unsigned md, const unsigned ms2, uintptr_t rs1)
{
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %0" : : "i"(0x96010c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory");
}

/* row i of md = sizeK bytes at rs1 + i * rs2 */
SAM_DEVICE void sam_mldb(const unsigned md, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x08a5802bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* sizeK bytes at rs1 + i * rs2 = row i of ms3 */
SAM_DEVICE void sam_mstb(const unsigned ms3, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x0aa5802bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* as mldb, the lines will not be used again */
SAM_DEVICE void sam_msldb(const unsigned md, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x18a5802bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* as mstb, the lines will not be used again */
SAM_DEVICE void sam_msstb(const unsigned ms3, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x1aa5802bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* row i of md = sizeK bytes at rs1 + i * rs2 */
SAM_DEVICE void sam_mldh(const unsigned md, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x08a5842bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* sizeK bytes at rs1 + i * rs2 = row i of ms3 */
SAM_DEVICE void sam_msth(const unsigned ms3, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x0aa5842bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* as mldh, the lines will not be used again */
SAM_DEVICE void sam_msldh(const unsigned md, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x18a5842bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* as msth, the lines will not be used again */
SAM_DEVICE void sam_mssth(const unsigned ms3, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x1aa5842bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* row i of md = sizeK bytes at rs1 + i * rs2 */
SAM_DEVICE void sam_mldw(const unsigned md, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x08a5882bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* sizeK bytes at rs1 + i * rs2 = row i of ms3 */
SAM_DEVICE void sam_mstw(const unsigned ms3, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x0aa5882bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* as mldw, the lines will not be used again */
SAM_DEVICE void sam_msldw(const unsigned md, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x18a5882bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* as mstw, the lines will not be used again */
SAM_DEVICE void sam_msstw(const unsigned ms3, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x1aa5882bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* row i of md = sizeK bytes at rs1 + i * rs2 */
SAM_DEVICE void sam_mldd(const unsigned md, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x08a58c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* sizeK bytes at rs1 + i * rs2 = row i of ms3 */
SAM_DEVICE void sam_mstd(const unsigned ms3, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x0aa58c2bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* as mldd, the lines will not be used again */
SAM_DEVICE void sam_msldd(const unsigned md, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x18a58c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* as mstd, the lines will not be used again */
SAM_DEVICE void sam_msstd(const unsigned ms3, uintptr_t rs2, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = rs2;
    register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x1aa58c2bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0), "r"(in1) : "memory");
}

/* 1 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld1mb(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2805002bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 1 registers from ms3 on */
SAM_DEVICE void sam_mst1mb(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a05002bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 1 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld1mh(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2805042bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 1 registers from ms3 on */
SAM_DEVICE void sam_mst1mh(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a05042bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 1 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld1mw(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2805082bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 1 registers from ms3 on */
SAM_DEVICE void sam_mst1mw(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a05082bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 1 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld1md(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x28050c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 1 registers from ms3 on */
SAM_DEVICE void sam_mst1md(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a050c2bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 2 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld2mb(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2815002bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 2 registers from ms3 on */
SAM_DEVICE void sam_mst2mb(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a15002bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 2 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld2mh(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2815042bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 2 registers from ms3 on */
SAM_DEVICE void sam_mst2mh(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a15042bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 2 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld2mw(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2815082bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 2 registers from ms3 on */
SAM_DEVICE void sam_mst2mw(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a15082bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 2 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld2md(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x28150c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 2 registers from ms3 on */
SAM_DEVICE void sam_mst2md(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a150c2bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 4 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld4mb(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2835002bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 4 registers from ms3 on */
SAM_DEVICE void sam_mst4mb(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a35002bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 4 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld4mh(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2835042bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 4 registers from ms3 on */
SAM_DEVICE void sam_mst4mh(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a35042bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 4 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld4mw(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2835082bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 4 registers from ms3 on */
SAM_DEVICE void sam_mst4mw(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a35082bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 4 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld4md(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x28350c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 4 registers from ms3 on */
SAM_DEVICE void sam_mst4md(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a350c2bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 8 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld8mb(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2875002bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 8 registers from ms3 on */
SAM_DEVICE void sam_mst8mb(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a75002bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 8 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld8mh(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2875042bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 8 registers from ms3 on */
SAM_DEVICE void sam_mst8mh(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a75042bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 8 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld8mw(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2875082bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 8 registers from ms3 on */
SAM_DEVICE void sam_mst8mw(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a75082bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* 8 registers from md on = memory from rs1 on */
SAM_DEVICE void sam_mld8md(const unsigned md, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x28750c2bu | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory");
}

/* memory from rs1 on = 8 registers from ms3 on */
SAM_DEVICE void sam_mst8md(const unsigned ms3, const volatile void *rs1)
{
    register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1;
    __asm__ volatile(".word %0" : : "i"(0x2a750c2bu | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory");
}

/* xmsize = uimm7; rd = xmsize */
SAM_DEVICE uintptr_t sam_mcfgi(const unsigned uimm)
{
    register uintptr_t result __asm__("a0");
    __asm__ volatile(".word %1" : "=r"(result) : "i"(0x7e00052bu | SAM_DEVICE_FIELD(uimm, 0, 7, 18)) : "memory");
    return result;
}

/* sizeK = uimm7; rd = xmsize */
SAM_DEVICE uintptr_t sam_mcfgki(const unsigned uimm)
{
    register uintptr_t result __asm__("a0");
    __asm__ volatile(".word %1" : "=r"(result) : "i"(0x0e00052bu | SAM_DEVICE_FIELD(uimm, 0, 7, 18)) : "memory");
    return result;
}

/* sizeM = uimm7; rd = xmsize */
SAM_DEVICE uintptr_t sam_mcfgmi(const unsigned uimm)
{
    register uintptr_t result __asm__("a0");
    __asm__ volatile(".word %1" : "=r"(result) : "i"(0x1e00052bu | SAM_DEVICE_FIELD(uimm, 0, 7, 18)) : "memory");
    return result;
}

/* sizeN = uimm7; rd = xmsize */
SAM_DEVICE uintptr_t sam_mcfgni(const unsigned uimm)
{
    register uintptr_t result __asm__("a0");
    __asm__ volatile(".word %1" : "=r"(result) : "i"(0x2e00052bu | SAM_DEVICE_FIELD(uimm, 0, 7, 18)) : "memory");
    return result;
}

/* xmsize = rs1; rd = xmsize */
SAM_DEVICE uintptr_t sam_mcfg(uintptr_t rs1)
{
    register uintptr_t result __asm__("a0");
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %1" : "=r"(result) : "i"(0xfe05052bu), "r"(in0) : "memory");
    return result;
}

/* sizeK = rs1[15:0]; rd = xmsize */
SAM_DEVICE uintptr_t sam_mcfgk(uintptr_t rs1)
{
    register uintptr_t result __asm__("a0");
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %1" : "=r"(result) : "i"(0x8e05052bu), "r"(in0) : "memory");
    return result;
}

/* sizeM = rs1[7:0]; rd = xmsize */
SAM_DEVICE uintptr_t sam_mcfgm(uintptr_t rs1)
{
    register uintptr_t result __asm__("a0");
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %1" : "=r"(result) : "i"(0x9e05052bu), "r"(in0) : "memory");
    return result;
}

/* sizeN = rs1[7:0]; rd = xmsize */
SAM_DEVICE uintptr_t sam_mcfgn(uintptr_t rs1)
{
    register uintptr_t result __asm__("a0");
    register uintptr_t in0 __asm__("a0") = rs1;
    __asm__ volatile(".word %1" : "=r"(result) : "i"(0xae05052bu), "r"(in0) : "memory");
    return result;
}

#endif
