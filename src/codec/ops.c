/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of the loops for this host. */
#include "codec/codec.h"

#include "base/cpu.h"

const struct sam_codec_ops *sam_codec_ops(enum sam_codec_level level)
{
#if defined(__x86_64__)
    enum sam_cpu_level host = sam_cpu_level();
    if (host >= SAM_CPU_V4 && (level == SAM_CODEC_BEST || level == SAM_CODEC_AVX512))
        return sam_cpu_has_vbmi2() ? &sam_codec_vbmi2 : &sam_codec_v4;
    if (host >= SAM_CPU_V3 && level != SAM_CODEC_PORTABLE)
        return &sam_codec_v3;
#elif defined(__aarch64__)
    if (level != SAM_CODEC_PORTABLE)
        return &sam_codec_neon;
#else
    (void)level;
#endif
    return &sam_codec_base;
}

const char *sam_codec_level_name(enum sam_codec_level level)
{
    return sam_codec_ops(level)->name;
}
