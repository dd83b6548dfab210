/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of matrix instructions, and operands that are illegal for every size. */
#include "isa/isa.h"

static const struct sam_m_type types[SAM_M_MMAS] = {
    [SAM_M_F16] = {16, 16, true},     [SAM_M_F32] = {32, 32, true},
    [SAM_M_F64] = {64, 64, true},     [SAM_M_F16_F32] = {16, 32, true},
    [SAM_M_F32_F64] = {32, 64, true}, [SAM_M_I8] = {8, 32, false},
    [SAM_M_I16] = {16, 64, false},    [SAM_M_I4] = {4, 32, false},
};

const struct sam_m_type *sam_m_type(unsigned variant)
{
    return &types[variant < SAM_M_I8 ? variant : variant & ~3u];
}

enum sam_m_kind sam_m_kind(uint32_t word)
{
    const unsigned uop = word >> 25 & 7, func = word >> 28;
    switch (uop) {
    case 4: return SAM_M_KIND_LOAD;
    case 5: return SAM_M_KIND_STORE;
    case 7: return SAM_M_KIND_CONFIG;
    default: return func == 1 || func == 2 ? SAM_M_KIND_MMA : SAM_M_KIND_POINTWISE;
    }
}

/* The set of `count` registers from `reg` on. */
static unsigned set_of(unsigned reg, unsigned count)
{
    return ((1u << count) - 1) << reg;
}

enum sam_m_fault sam_m_product_fault(const struct sam_m_type *type, unsigned md, unsigned ms2,
                                     unsigned ms1)
{
    const unsigned b_count = sam_m_ms2_count(type), c_count = sam_m_md_count(type);
    if (md % c_count)
        return SAM_M_ODD_MD;
    if (ms2 % b_count)
        return SAM_M_ODD_MS2;
    return set_of(md, c_count) & (set_of(ms1, 1) | set_of(ms2, b_count)) ? SAM_M_MD_IS_SOURCE
                                                                         : SAM_M_FINE;
}

const char *sam_m_fault_text(enum sam_m_fault fault)
{
    static const char *const texts[] = {
        [SAM_M_FINE] = "",
        [SAM_M_ODD_MD] = "odd, and md is a pair of registers",
        [SAM_M_ODD_MS2] = "odd, and ms2 is a pair of registers",
        [SAM_M_MD_IS_SOURCE] = "both md and a source",
    };
    return texts[fault];
}
