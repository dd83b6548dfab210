/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of one level; the file that includes this defines OPS and OPS_NAME. */
#include "codec/codec.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "codec/decode_tmpl.h"
#include "codec/encode_tmpl.h"
#include "codec/planes_tmpl.h"

enum { PIECE = 4096 }; /* elements that are merged and hashed while they are near */

/* Past the caches: what is written is not read again soon, and no line is fetched first. */
static void copy_past(uint8_t *to, const uint8_t *from, size_t size)
{
#if defined(__AVX2__)
    enum { LINE = 64 };
    size_t head = (size_t) - (uintptr_t)to % LINE;
    if (size >= 2 * LINE) {
        memcpy(to, from, head);
        for (to += head, from += head, size -= head; size >= LINE;
             to += LINE, from += LINE, size -= LINE) {
#if defined(__AVX512F__)
            _mm512_stream_si512((void *)to, _mm512_loadu_si512(from));
#else
            __m256i a = _mm256_loadu_si256((const void *)from);
            __m256i b = _mm256_loadu_si256((const void *)(from + 32));
            _mm256_stream_si256((void *)to, a);
            _mm256_stream_si256((void *)(to + 32), b);
#endif
        }
    }
#endif
    memcpy(to, from, size);
}

static inline void copied(bool stream)
{
#if defined(__AVX2__)
    if (stream)
        _mm_sfence();
#else
    (void)stream;
#endif
}

static uint64_t merge(enum sam_layout_id id, const uint8_t *const planes[], size_t count,
                      uint8_t *elements, uint64_t seed, bool stream)
{
    const struct sam_layout *layout = sam_layout_of(id);
    uint8_t near[PIECE * SAM_MAX_ELEMENT] __attribute__((aligned(64)));
    XXH3_state_t state = {0};
    XXH3_64bits_reset_withSeed(&state, seed);
    for (size_t at = 0; at < count; at += PIECE) {
        size_t now = count - at < PIECE ? count - at : PIECE;
        size_t size = now * layout->element;
        const uint8_t *here[SAM_MAX_PLANES];
        uint8_t *out = elements + at * layout->element;
        advance(layout, planes, at, here);
        merge_elements(id, here, now, stream ? near : out);
        XXH3_64bits_update(&state, stream ? near : out, size);
        if (stream)
            copy_past(out, near, size);
    }
    copied(stream);
    return XXH3_64bits_digest(&state);
}

static uint64_t copy(uint8_t *to, const uint8_t *from, size_t size, uint64_t seed, bool stream)
{
    XXH3_state_t state = {0};
    XXH3_64bits_reset_withSeed(&state, seed);
    for (size_t at = 0; at < size; at += PIECE) {
        size_t now = size - at < PIECE ? size - at : PIECE;
        XXH3_64bits_update(&state, from + at, now);
        if (stream)
            copy_past(to + at, from + at, now);
        else
            memcpy(to + at, from + at, now);
    }
    copied(stream);
    return XXH3_64bits_digest(&state);
}

static uint64_t hash(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}

const struct sam_codec_ops OPS = {
    .name = OPS_NAME,
    .split = split_elements,
    .merge = merge,
    .copy = copy,
    .hash = hash,
    .count = sam_count_symbols,
    .encode = encode,
    .decode = decode,
};
