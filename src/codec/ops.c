/* SPDX-License-Identifier: Apache-2.0 */
/* Which loops this host runs. */
#include "codec/codec.h"

const struct sam_codec_ops *sam_codec_ops(enum sam_codec_level level)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    /* lzcnt goes with bmi2; clang 14 cannot ask for it. */
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
    if (v4 && (level == SAM_CODEC_BEST || level == SAM_CODEC_AVX512))
        return &sam_codec_v4;
    if (v3 && level != SAM_CODEC_PORTABLE)
        return &sam_codec_v3;
#else
    (void)level;
#endif
    return &sam_codec_base;
}

const char *sam_codec_level_name(enum sam_codec_level level)
{
    return sam_codec_ops(level)->name;
}
