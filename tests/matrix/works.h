/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix units by their parameters, and work for them. */
#ifndef MATRIX_WORKS_H
#define MATRIX_WORKS_H

#include "alone.h"

static inline struct sam_mxu_config config_of(unsigned mlen, const char *text)
{
    struct sam_mxu_config config;
    struct sam_error error;
    sam_mxu_config_init(&config, mlen);
    if (sam_mxu_config_set(&config, text, &error) != SAM_OK ||
        sam_mxu_config_check(&config, &error) != SAM_OK)
        fail_msg("%s: %s", text, error.text);
    return config;
}

static const struct sam_m_type half = {16, 16, true}, single = {32, 32, true},
                               real = {64, 64, true}, byte = {8, 32, false}, word = {16, 64, false},
                               nibble = {4, 32, false};

static inline struct sam_matrix_work mma_of(const struct sam_m_type *type, unsigned md, unsigned m,
                                            unsigned n, unsigned bytes)
{
    return (struct sam_matrix_work){.kind = SAM_M_KIND_MMA,
                                    .md = (uint8_t)md,
                                    .ms1 = 6,
                                    .ms2 = 2,
                                    .reads_1 = true,
                                    .reads_2 = true,
                                    .registers = type->target == 64 ? 2 : 1,
                                    .source_registers = type->target == 16 ? 2 : 1,
                                    .m = m,
                                    .n = n,
                                    .bytes = bytes,
                                    .type = type};
}

#endif
