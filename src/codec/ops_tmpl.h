/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of one instruction level. The including file defines OPS, OPS_NAME and DECODE. */
#include "codec/codec.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "codec/count_tmpl.h"
#if !defined(NO_DECODE)
#include "codec/decode_tmpl.h"
#endif
#include "codec/encode_tmpl.h"
#include "codec/planes_tmpl.h"
#include "codec/window_tmpl.h"

enum {
    MERGE_PIECE = 8192, /* bytes of elements merged, then hashed while in L1 */
    COPY_PIECE = 1024,
    AHEAD = 4096, /* prefetch distance of a copy, in bytes */
};

/* Prefetch a later piece; the hardware prefetches too little. Non-temporal stores were slower on
 * every host tried. */
static inline void fetch_ahead(const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; i += 64)
        __builtin_prefetch(from + AHEAD + i, 0, 2);
}

static uint64_t merge(enum sam_layout_id id, const uint8_t *const planes[], size_t count,
                      uint8_t *elements, const uint64_t *seed)
{
    const struct sam_layout *layout = sam_layout_of(id);
    size_t piece = MERGE_PIECE / layout->element;
    XXH3_state_t state = {0};
    XXH3_64bits_reset_withSeed(&state, seed ? *seed : 0);
    for (size_t at = 0; at < count; at += piece) {
        size_t now = count - at < piece ? count - at : piece;
        size_t size = now * layout->element;
        const uint8_t *here[SAM_MAX_PLANES];
        uint8_t *out = elements + at * layout->element;
        advance(layout, planes, at, here);
        merge_elements(id, here, now, out);
        if (seed)
            XXH3_64bits_update(&state, out, size);
    }
    return seed ? XXH3_64bits_digest(&state) : 0;
}

/* XXH3-64 of bytes that are copied to `to` unless NULL. `target`, unless NULL, is prefetched. */
static inline uint64_t copy_and_hash(uint8_t *to, const uint8_t *target, const uint8_t *from,
                                     size_t size, uint64_t seed)
{
    XXH3_state_t state = {0};
    XXH3_64bits_reset_withSeed(&state, seed);
    for (size_t at = 0; at < size; at += COPY_PIECE) {
        size_t now = size - at < COPY_PIECE ? size - at : COPY_PIECE;
        fetch_ahead(from + at, now);
        if (target)
            fetch_ahead(target + at, now);
        XXH3_64bits_update(&state, from + at, now);
        if (to)
            memcpy(to + at, from + at, now);
    }
    return XXH3_64bits_digest(&state);
}

static uint64_t copy(uint8_t *to, const uint8_t *from, size_t size, uint64_t seed)
{
    return copy_and_hash(to, to, from, size, seed);
}

static uint64_t hash_ahead(const uint8_t *from, size_t size, uint64_t seed, const uint8_t *target)
{
    return copy_and_hash(NULL, target, from, size, seed);
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
    .hash_ahead = hash_ahead,
    .hash = hash,
    .count = count,
    .encode = encode,
    .decode = DECODE,
    .window = &window_ops,
};
