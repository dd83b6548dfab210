/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol counting in four tables, so that repeated symbols do not serialize on one counter. */
#include "codec/chunk.h"

void sam_codec_count_symbols(const uint8_t *symbols, size_t count, uint32_t counts[256])
{
    uint32_t part[4][256] = {0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        uint32_t four = sam_le32(symbols + i);
        part[0][four & 255]++;
        part[1][four >> 8 & 255]++;
        part[2][four >> 16 & 255]++;
        part[3][four >> 24]++;
    }
    for (; i < count; i++)
        part[0][symbols[i]]++;
    for (unsigned s = 0; s < 256; s++)
        counts[s] += part[0][s] + part[1][s] + part[2][s] + part[3][s];
}

void sam_counter_read(const struct sam_counter *counter, const uint32_t exact[256],
                      uint32_t counts[256])
{
    const uint32_t wires = (1u << counter->symbol_width) - 1;
    const uint32_t most = UINT32_MAX >> (32 - counter->weight_width);
    memset(counts, 0, 256 * sizeof *counts);
    for (uint32_t s = 0; s < 256; s++) {
        const uint32_t seen = s & wires;
        if (seen < counter->depth)
            counts[seen] += exact[s] < most - counts[seen] ? exact[s] : most - counts[seen];
    }
}
