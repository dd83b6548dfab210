/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from the instruction tables by tools/device_headers.c: change it there. */
/* clang-format off */
/* The matrix unit for programs on the tensor hart: a function per instruction, which
 * executes it. A macro defines functions with the same operands. Register numbers (m0..m7)
 * and immediates must be constants. docs/matrix.md explains them. */
#ifndef SAMITE_DEVICE_MATRIX_H
#define SAMITE_DEVICE_MATRIX_H

#include "device.h"

#define SAM_DEVICE_MX_md_ms1(name, word) \
    SAM_DEVICE void name(const unsigned md, const unsigned ms1) \
    { \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory"); \
    }

#define SAM_DEVICE_MX_md_ms1_rs1(name, word) \
    SAM_DEVICE void name(const unsigned md, const unsigned ms1, uintptr_t rs1) \
    { \
        register uintptr_t in0 __asm__("a0") = rs1; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory"); \
    }

#define SAM_DEVICE_MX_md_ms1_uimm(name, word) \
    SAM_DEVICE void name(const unsigned md, const unsigned ms1, const unsigned uimm) \
    { \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory"); \
    }

#define SAM_DEVICE_MX_md_rs1(name, word) \
    SAM_DEVICE void name(const unsigned md, uintptr_t rs1) \
    { \
        register uintptr_t in0 __asm__("a0") = rs1; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory"); \
    }

#define SAM_DEVICE_MX_md_ms2_ms1(name, word) \
    SAM_DEVICE void name(const unsigned md, const unsigned ms2, const unsigned ms1) \
    { \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)) : "memory"); \
    }

#define SAM_DEVICE_MX_md_ms2_ms1_rs1(name, word) \
    SAM_DEVICE void name(const unsigned md, const unsigned ms2, const unsigned ms1, uintptr_t rs1) \
    { \
        register uintptr_t in0 __asm__("a0") = rs1; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18)), "r"(in0) : "memory"); \
    }

#define SAM_DEVICE_MX_md_ms2_ms1_uimm(name, word) \
    SAM_DEVICE void name(const unsigned md, const unsigned ms2, const unsigned ms1, const unsigned uimm) \
    { \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21) | SAM_DEVICE_FIELD(ms1, 0, 3, 18) | SAM_DEVICE_FIELD(uimm, 0, 3, 15)) : "memory"); \
    }

#define SAM_DEVICE_MX_md_ms2_rs1(name, word) \
    SAM_DEVICE void name(const unsigned md, const unsigned ms2, uintptr_t rs1) \
    { \
        register uintptr_t in0 __asm__("a0") = rs1; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(md, 0, 3, 7) | SAM_DEVICE_FIELD(ms2, 0, 3, 21)), "r"(in0) : "memory"); \
    }

#define SAM_DEVICE_MX_md_rs2_rs1(name, word) \
    SAM_DEVICE void name(const unsigned md, uintptr_t rs2, const volatile void *rs1) \
    { \
        register uintptr_t in0 __asm__("a0") = rs2; \
        register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0), "r"(in1) : "memory"); \
    }

#define SAM_DEVICE_MX_ms3_rs2_rs1(name, word) \
    SAM_DEVICE void name(const unsigned ms3, uintptr_t rs2, const volatile void *rs1) \
    { \
        register uintptr_t in0 __asm__("a0") = rs2; \
        register uintptr_t in1 __asm__("a1") = (uintptr_t)rs1; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0), "r"(in1) : "memory"); \
    }

#define SAM_DEVICE_MX_md_rs1_2(name, word) \
    SAM_DEVICE void name(const unsigned md, const volatile void *rs1) \
    { \
        register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(md, 0, 3, 7)), "r"(in0) : "memory"); \
    }

#define SAM_DEVICE_MX_ms3_rs1(name, word) \
    SAM_DEVICE void name(const unsigned ms3, const volatile void *rs1) \
    { \
        register uintptr_t in0 __asm__("a0") = (uintptr_t)rs1; \
        __asm__ volatile(".word %0" : : "i"(word | SAM_DEVICE_FIELD(ms3, 0, 3, 7)), "r"(in0) : "memory"); \
    }

#define SAM_DEVICE_MX_rd_uimm(name, word) \
    SAM_DEVICE uintptr_t name(const unsigned uimm) \
    { \
        register uintptr_t result __asm__("a0"); \
        __asm__ volatile(".word %1" : "=r"(result) : "i"(word | SAM_DEVICE_FIELD(uimm, 0, 7, 18)) : "memory"); \
        return result; \
    }

#define SAM_DEVICE_MX_rd_rs1(name, word) \
    SAM_DEVICE uintptr_t name(uintptr_t rs1) \
    { \
        register uintptr_t result __asm__("a0"); \
        register uintptr_t in0 __asm__("a0") = rs1; \
        __asm__ volatile(".word %1" : "=r"(result) : "i"(word), "r"(in0) : "memory"); \
        return result; \
    }

SAM_DEVICE_MX_md_ms1(sam_mmov_mm, 0x0000802bu) /* md = ms1, whatever the sizes */
SAM_DEVICE_MX_md_ms1_rs1(sam_mmov_mv_x, 0x0201002bu) /* every row of md = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms1_uimm(sam_mmov_mv_i, 0x0400002bu) /* every row of md = row uimm3 of ms1 */
SAM_DEVICE_MX_md_rs1(sam_mmov_mx, 0x0601002bu) /* every XLEN-wide element of md = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_fmmacc_h, 0x1000042bu) /* md += ms1 * {ms2, ms2+1}^T in fp16 */
SAM_DEVICE_MX_md_ms2_ms1(sam_fmmacc_s, 0x1000082bu) /* md += ms1 * ms2^T in fp32 */
SAM_DEVICE_MX_md_ms2_ms1(sam_fmmacc_d, 0x10000c2bu) /* {md, md+1} += ms1 * ms2^T in fp64 */
SAM_DEVICE_MX_md_ms2_ms1(sam_fwmmacc_h, 0x1100042bu) /* md += ms1 * ms2^T, fp16 into fp32 */
SAM_DEVICE_MX_md_ms2_ms1(sam_fwmmacc_s, 0x1100082bu) /* {md, md+1} += ms1 * ms2^T, fp32 into fp64 */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmaqa_b, 0x2000002bu) /* md += ms1 * ms2^T, int8 into int32 */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmaqau_b, 0x2000802bu) /* md += ms1 * ms2^T, uint8 into int32 */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmaqaus_b, 0x2001002bu) /* md += ms1 * ms2^T, uint8 * int8 into int32 */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmaqasu_b, 0x2001802bu) /* md += ms1 * ms2^T, int8 * uint8 into int32 */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmaqa_h, 0x2000042bu) /* {md, md+1} += ms1 * ms2^T, int16 into int64 */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmaqau_h, 0x2000842bu) /* {md, md+1} += ms1 * ms2^T, uint16 into int64 */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmaqaus_h, 0x2001042bu) /* {md, md+1} += ms1 * ms2^T, uint16 * int16 into int64 */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmaqasu_h, 0x2001842bu) /* {md, md+1} += ms1 * ms2^T, int16 * uint16 into int64 */
SAM_DEVICE_MX_md_ms2_ms1(sam_pmmaqa_b, 0x2100002bu) /* md += ms1 * ms2^T, int4 into int32, low nibble first */
SAM_DEVICE_MX_md_ms2_ms1(sam_pmmaqau_b, 0x2100802bu) /* md += ms1 * ms2^T, uint4 into int32 */
SAM_DEVICE_MX_md_ms2_ms1(sam_pmmaqaus_b, 0x2101002bu) /* md += ms1 * ms2^T, uint4 * int4 into int32 */
SAM_DEVICE_MX_md_ms2_ms1(sam_pmmaqasu_b, 0x2101802bu) /* md += ms1 * ms2^T, int4 * uint4 into int32 */
SAM_DEVICE_MX_md_ms2_ms1(sam_madd_s_mm, 0x3000082bu) /* md = ms2 + b, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_madd_s_mv_x, 0x3201082bu) /* md = ms2 + b, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_madd_s_mv_i, 0x3400082bu) /* md = ms2 + b, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_madd_s_mx, 0x3601082bu) /* md = ms2 + b, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_madd_d_mm, 0x30000c2bu) /* md = ms2 + b, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_madd_d_mv_x, 0x32010c2bu) /* md = ms2 + b, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_madd_d_mv_i, 0x34000c2bu) /* md = ms2 + b, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_madd_d_mx, 0x36010c2bu) /* md = ms2 + b, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_msub_s_mm, 0x4000082bu) /* md = ms2 - b, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_msub_s_mv_x, 0x4201082bu) /* md = ms2 - b, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_msub_s_mv_i, 0x4400082bu) /* md = ms2 - b, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_msub_s_mx, 0x4601082bu) /* md = ms2 - b, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_msub_d_mm, 0x40000c2bu) /* md = ms2 - b, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_msub_d_mv_x, 0x42010c2bu) /* md = ms2 - b, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_msub_d_mv_i, 0x44000c2bu) /* md = ms2 - b, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_msub_d_mx, 0x46010c2bu) /* md = ms2 - b, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_msra_s_mm, 0x5000082bu) /* md = ms2 >> b, signed, rounded by xmxrm, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_msra_s_mv_x, 0x5201082bu) /* md = ms2 >> b, signed, rounded by xmxrm, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_msra_s_mv_i, 0x5400082bu) /* md = ms2 >> b, signed, rounded by xmxrm, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_msra_s_mx, 0x5601082bu) /* md = ms2 >> b, signed, rounded by xmxrm, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_msra_d_mm, 0x50000c2bu) /* md = ms2 >> b, signed, rounded by xmxrm, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_msra_d_mv_x, 0x52010c2bu) /* md = ms2 >> b, signed, rounded by xmxrm, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_msra_d_mv_i, 0x54000c2bu) /* md = ms2 >> b, signed, rounded by xmxrm, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_msra_d_mx, 0x56010c2bu) /* md = ms2 >> b, signed, rounded by xmxrm, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_mn4clip_s_mm, 0x6000082bu) /* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_mn4clip_s_mv_x, 0x6201082bu) /* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_mn4clip_s_mv_i, 0x6400082bu) /* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_mn4clip_s_mx, 0x6601082bu) /* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_mn4clip_d_mm, 0x60000c2bu) /* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_mn4clip_d_mv_x, 0x62010c2bu) /* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_mn4clip_d_mv_i, 0x64000c2bu) /* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_mn4clip_d_mx, 0x66010c2bu) /* md = ms2 >> b, signed, rounded, saturated to a quarter of the width, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_mn4clipu_s_mm, 0x7000082bu) /* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_mn4clipu_s_mv_x, 0x7201082bu) /* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_mn4clipu_s_mv_i, 0x7400082bu) /* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_mn4clipu_s_mx, 0x7601082bu) /* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_mn4clipu_d_mm, 0x70000c2bu) /* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_mn4clipu_d_mv_x, 0x72010c2bu) /* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_mn4clipu_d_mv_i, 0x74000c2bu) /* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_mn4clipu_d_mx, 0x76010c2bu) /* md = ms2 >> b, unsigned, rounded, saturated to a quarter of the width, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmul_s_mm, 0x8000082bu) /* md = ms2 * b, lower half, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_mmul_s_mv_x, 0x8201082bu) /* md = ms2 * b, lower half, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_mmul_s_mv_i, 0x8400082bu) /* md = ms2 * b, lower half, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_mmul_s_mx, 0x8601082bu) /* md = ms2 * b, lower half, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmul_d_mm, 0x80000c2bu) /* md = ms2 * b, lower half, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_mmul_d_mv_x, 0x82010c2bu) /* md = ms2 * b, lower half, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_mmul_d_mv_i, 0x84000c2bu) /* md = ms2 * b, lower half, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_mmul_d_mx, 0x86010c2bu) /* md = ms2 * b, lower half, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmulh_s_mm, 0x9000082bu) /* md = ms2 * b, signed, upper half, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_mmulh_s_mv_x, 0x9201082bu) /* md = ms2 * b, signed, upper half, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_mmulh_s_mv_i, 0x9400082bu) /* md = ms2 * b, signed, upper half, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_mmulh_s_mx, 0x9601082bu) /* md = ms2 * b, signed, upper half, b = rs1' */
SAM_DEVICE_MX_md_ms2_ms1(sam_mmulh_d_mm, 0x90000c2bu) /* md = ms2 * b, signed, upper half, b = ms1 */
SAM_DEVICE_MX_md_ms2_ms1_rs1(sam_mmulh_d_mv_x, 0x92010c2bu) /* md = ms2 * b, signed, upper half, b = row rs1' of ms1 */
SAM_DEVICE_MX_md_ms2_ms1_uimm(sam_mmulh_d_mv_i, 0x94000c2bu) /* md = ms2 * b, signed, upper half, b = row uimm3 of ms1 */
SAM_DEVICE_MX_md_ms2_rs1(sam_mmulh_d_mx, 0x96010c2bu) /* md = ms2 * b, signed, upper half, b = rs1' */
SAM_DEVICE_MX_md_rs2_rs1(sam_mldb, 0x08a5802bu) /* row i of md = sizeK bytes at rs1 + i * rs2 */
SAM_DEVICE_MX_ms3_rs2_rs1(sam_mstb, 0x0aa5802bu) /* sizeK bytes at rs1 + i * rs2 = row i of ms3 */
SAM_DEVICE_MX_md_rs2_rs1(sam_msldb, 0x18a5802bu) /* as mldb, the lines will not be used again */
SAM_DEVICE_MX_ms3_rs2_rs1(sam_msstb, 0x1aa5802bu) /* as mstb, the lines will not be used again */
SAM_DEVICE_MX_md_rs2_rs1(sam_mldh, 0x08a5842bu) /* row i of md = sizeK bytes at rs1 + i * rs2 */
SAM_DEVICE_MX_ms3_rs2_rs1(sam_msth, 0x0aa5842bu) /* sizeK bytes at rs1 + i * rs2 = row i of ms3 */
SAM_DEVICE_MX_md_rs2_rs1(sam_msldh, 0x18a5842bu) /* as mldh, the lines will not be used again */
SAM_DEVICE_MX_ms3_rs2_rs1(sam_mssth, 0x1aa5842bu) /* as msth, the lines will not be used again */
SAM_DEVICE_MX_md_rs2_rs1(sam_mldw, 0x08a5882bu) /* row i of md = sizeK bytes at rs1 + i * rs2 */
SAM_DEVICE_MX_ms3_rs2_rs1(sam_mstw, 0x0aa5882bu) /* sizeK bytes at rs1 + i * rs2 = row i of ms3 */
SAM_DEVICE_MX_md_rs2_rs1(sam_msldw, 0x18a5882bu) /* as mldw, the lines will not be used again */
SAM_DEVICE_MX_ms3_rs2_rs1(sam_msstw, 0x1aa5882bu) /* as mstw, the lines will not be used again */
SAM_DEVICE_MX_md_rs2_rs1(sam_mldd, 0x08a58c2bu) /* row i of md = sizeK bytes at rs1 + i * rs2 */
SAM_DEVICE_MX_ms3_rs2_rs1(sam_mstd, 0x0aa58c2bu) /* sizeK bytes at rs1 + i * rs2 = row i of ms3 */
SAM_DEVICE_MX_md_rs2_rs1(sam_msldd, 0x18a58c2bu) /* as mldd, the lines will not be used again */
SAM_DEVICE_MX_ms3_rs2_rs1(sam_msstd, 0x1aa58c2bu) /* as mstd, the lines will not be used again */
SAM_DEVICE_MX_md_rs1_2(sam_mld1mb, 0x2805002bu) /* 1 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst1mb, 0x2a05002bu) /* memory from rs1 on = 1 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld1mh, 0x2805042bu) /* 1 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst1mh, 0x2a05042bu) /* memory from rs1 on = 1 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld1mw, 0x2805082bu) /* 1 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst1mw, 0x2a05082bu) /* memory from rs1 on = 1 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld1md, 0x28050c2bu) /* 1 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst1md, 0x2a050c2bu) /* memory from rs1 on = 1 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld2mb, 0x2815002bu) /* 2 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst2mb, 0x2a15002bu) /* memory from rs1 on = 2 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld2mh, 0x2815042bu) /* 2 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst2mh, 0x2a15042bu) /* memory from rs1 on = 2 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld2mw, 0x2815082bu) /* 2 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst2mw, 0x2a15082bu) /* memory from rs1 on = 2 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld2md, 0x28150c2bu) /* 2 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst2md, 0x2a150c2bu) /* memory from rs1 on = 2 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld4mb, 0x2835002bu) /* 4 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst4mb, 0x2a35002bu) /* memory from rs1 on = 4 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld4mh, 0x2835042bu) /* 4 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst4mh, 0x2a35042bu) /* memory from rs1 on = 4 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld4mw, 0x2835082bu) /* 4 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst4mw, 0x2a35082bu) /* memory from rs1 on = 4 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld4md, 0x28350c2bu) /* 4 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst4md, 0x2a350c2bu) /* memory from rs1 on = 4 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld8mb, 0x2875002bu) /* 8 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst8mb, 0x2a75002bu) /* memory from rs1 on = 8 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld8mh, 0x2875042bu) /* 8 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst8mh, 0x2a75042bu) /* memory from rs1 on = 8 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld8mw, 0x2875082bu) /* 8 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst8mw, 0x2a75082bu) /* memory from rs1 on = 8 registers from ms3 on */
SAM_DEVICE_MX_md_rs1_2(sam_mld8md, 0x28750c2bu) /* 8 registers from md on = memory from rs1 on */
SAM_DEVICE_MX_ms3_rs1(sam_mst8md, 0x2a750c2bu) /* memory from rs1 on = 8 registers from ms3 on */
SAM_DEVICE_MX_rd_uimm(sam_mcfgi, 0x7e00052bu) /* xmsize = uimm7; rd = xmsize */
SAM_DEVICE_MX_rd_uimm(sam_mcfgki, 0x0e00052bu) /* sizeK = uimm7; rd = xmsize */
SAM_DEVICE_MX_rd_uimm(sam_mcfgmi, 0x1e00052bu) /* sizeM = uimm7; rd = xmsize */
SAM_DEVICE_MX_rd_uimm(sam_mcfgni, 0x2e00052bu) /* sizeN = uimm7; rd = xmsize */
SAM_DEVICE_MX_rd_rs1(sam_mcfg, 0xfe05052bu) /* xmsize = rs1; rd = xmsize */
SAM_DEVICE_MX_rd_rs1(sam_mcfgk, 0x8e05052bu) /* sizeK = rs1[15:0]; rd = xmsize */
SAM_DEVICE_MX_rd_rs1(sam_mcfgm, 0x9e05052bu) /* sizeM = rs1[7:0]; rd = xmsize */
SAM_DEVICE_MX_rd_rs1(sam_mcfgn, 0xae05052bu) /* sizeN = rs1[7:0]; rd = xmsize */

#endif
