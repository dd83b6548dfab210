/* SPDX-License-Identifier: Apache-2.0 */
/* Portable encoding and decoding of symbols. A plane is cut into SAM_STREAMS runs of equal length.
 * The stream of a run holds its symbols last to first; each code starts with its lowest bit. */
#include "codec/codec.h"

void sam_streams_encode(const struct sam_huffman *code, const uint8_t *symbols, size_t count,
                        uint8_t *out, uint32_t sizes[SAM_STREAMS])
{
    uint16_t words[256];
    size_t length = sam_stream_length(count);
    sam_huffman_words(code, words);
    for (unsigned j = 0; j < SAM_STREAMS; j++) {
        size_t begin = j * length < count ? j * length : count;
        size_t end = count - begin < length ? count : begin + length;
        const uint8_t *start = out;
        uint64_t bits = 0;
        unsigned used = 0;
        for (size_t i = end; i-- > begin;) {
            bits |= (uint64_t)words[symbols[i]] << used;
            used += code->length[symbols[i]];
            for (; used >= 8; used -= 8, bits >>= 8)
                *out++ = (uint8_t)bits;
        }
        if (used)
            *out++ = (uint8_t)bits;
        sizes[j] = (uint32_t)(out - start);
    }
}

bool sam_stream_decode_rest(const struct sam_huffman_table *table, const uint8_t *in, size_t size,
                            uint64_t bit, uint8_t *symbols, size_t count)
{
    uint64_t end = (uint64_t)size * 8;
    while (count) {
        uint32_t window = 0;
        for (size_t i = 0, at = (size_t)(bit / 8); i < 3 && at + i < size; i++)
            window |= (uint32_t)in[at + i] << (8 * i);
        window = window >> (bit % 8) & (SAM_HUFFMAN_SLOTS - 1);
        uint8_t symbol = (uint8_t)(table->entry[window] >> 56);
        bit += table->code.length[symbol];
        if (bit > end)
            return false;
        symbols[--count] = symbol;
    }
    /* The stream must end in the last byte, whose remaining bits are zero. */
    return bit + 7 >= end && bit <= end && (bit == end || in[size - 1] >> (bit % 8) == 0);
}

bool sam_streams_decode(const struct sam_huffman_table *table, const uint8_t *in,
                        const uint32_t sizes[SAM_STREAMS], uint8_t *symbols, size_t count)
{
    size_t length = sam_stream_length(count);
    for (unsigned j = 0; j < SAM_STREAMS; j++) {
        size_t begin = j * length < count ? j * length : count;
        size_t run = count - begin < length ? count - begin : length;
        if (!sam_stream_decode_rest(table, in, sizes[j], 0, symbols + begin, run))
            return false;
        in += sizes[j];
    }
    return true;
}
