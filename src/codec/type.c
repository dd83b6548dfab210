/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/codec.h"

static const struct type {
    const char *name;
    uint8_t bits;
} types[] = {
    [SAM_W_OPAQUE] = {"opaque", 8}, [SAM_W_BF16] = {"bf16", 16}, [SAM_W_F16] = {"f16", 16},
    [SAM_W_F32] = {"f32", 32},      [SAM_W_E4M3] = {"e4m3", 8},  [SAM_W_E5M2] = {"e5m2", 8},
    [SAM_W_E8M0] = {"e8m0", 8},     [SAM_W_E2M1] = {"e2m1", 4},  [SAM_W_I4] = {"i4", 4},
    [SAM_W_U8] = {"u8", 8},         [SAM_W_I8] = {"i8", 8},      [SAM_W_U16] = {"u16", 16},
    [SAM_W_I16] = {"i16", 16},      [SAM_W_U32] = {"u32", 32},   [SAM_W_I32] = {"i32", 32},
    [SAM_W_U64] = {"u64", 64},      [SAM_W_I64] = {"i64", 64},   [SAM_W_F64] = {"f64", 64},
    [SAM_W_BOOL] = {"bool", 8},
};

size_t sam_weight_type_bits(enum sam_weight_type type)
{
    return (size_t)type < SAM_COUNT(types) ? types[type].bits : 0;
}

const char *sam_weight_type_name(enum sam_weight_type type)
{
    return (size_t)type < SAM_COUNT(types) ? types[type].name : "?";
}

bool sam_weight_type_parse(const char *name, enum sam_weight_type *type)
{
    for (size_t i = 0; name && i < SAM_COUNT(types); i++) {
        if (strcmp(types[i].name, name) == 0) {
            *type = (enum sam_weight_type)i;
            return true;
        }
    }
    return false;
}
