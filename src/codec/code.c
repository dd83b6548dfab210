/* SPDX-License-Identifier: Apache-2.0 */
/* Length-limited prefix codes. */
#include "codec/codec.h"

/* Package-merge (Larmore and Hirschberg 1990): of SAM_HUFFMAN_LIMIT rows, each the symbols by
 * rising count merged with the pairs of the row below, take the 2 (n - 1) cheapest items of the top
 * row; a symbol's length is how often it occurs among them. An item is a symbol or a pair of items
 * of the row below; as items are taken cheapest first, only their kinds are kept. */
struct row {
    uint8_t is_pair[2 * 256];
    unsigned count;
};

struct leaf {
    uint64_t weight;
    uint8_t symbol;
};

static unsigned sorted_leaves(const uint32_t counts[256], struct leaf leaves[256])
{
    unsigned n = 0;
    for (unsigned s = 0; s < 256; s++) {
        if (!counts[s])
            continue;
        unsigned at = n++;
        for (; at > 0 && leaves[at - 1].weight > counts[s]; at--)
            leaves[at] = leaves[at - 1];
        leaves[at] = (struct leaf){counts[s], (uint8_t)s};
    }
    return n;
}

void sam_huffman_make(const uint32_t counts[256], struct sam_huffman *code)
{
    struct leaf leaves[256];
    struct row rows[SAM_HUFFMAN_LIMIT];
    uint64_t weight[2][2 * 256];
    unsigned n = sorted_leaves(counts, leaves), below = 0;
    memset(code, 0, sizeof *code);
    for (unsigned r = 0; r < SAM_HUFFMAN_LIMIT; r++) {
        const uint64_t *from = weight[r % 2];
        uint64_t *to = weight[1 - r % 2];
        unsigned leaf = 0, pair = 0, pairs = below / 2, at = 0;
        while (leaf < n || pair < pairs) {
            uint64_t sum = pair < pairs ? from[2 * pair] + from[2 * pair + 1] : 0;
            bool is_pair = leaf == n || (pair < pairs && sum < leaves[leaf].weight);
            to[at] = is_pair ? sum : leaves[leaf].weight;
            rows[r].is_pair[at++] = is_pair;
            leaf += !is_pair;
            pair += is_pair;
        }
        rows[r].count = below = at;
    }
    unsigned take = 2 * (n - 1);
    for (unsigned r = SAM_HUFFMAN_LIMIT; r-- > 0 && take;) {
        unsigned taken_leaves = 0;
        for (unsigned i = 0; i < take; i++)
            taken_leaves += !rows[r].is_pair[i];
        for (unsigned i = 0; i < taken_leaves; i++)
            code->length[leaves[i].symbol]++;
        take = 2 * (take - taken_leaves);
    }
}

bool sam_huffman_is_exact(const struct sam_huffman *code)
{
    uint32_t sum = 0;
    unsigned used = 0;
    for (unsigned s = 0; s < 256; s++) {
        if (code->length[s] > SAM_HUFFMAN_LIMIT)
            return false;
        if (code->length[s]) {
            sum += 1u << (SAM_HUFFMAN_LIMIT - code->length[s]);
            used++;
        }
    }
    return used >= 2 && sum == SAM_HUFFMAN_SLOTS;
}

static uint16_t reversed(unsigned word, unsigned length)
{
    unsigned out = 0;
    for (unsigned i = 0; i < length; i++)
        out |= ((word >> i) & 1) << (length - 1 - i);
    return (uint16_t)out;
}

void sam_huffman_words(const struct sam_huffman *code, uint16_t words[256])
{
    unsigned next = 0;
    memset(words, 0, 256 * sizeof words[0]);
    for (unsigned length = 1; length <= SAM_HUFFMAN_LIMIT; length++) {
        next <<= 1;
        for (unsigned s = 0; s < 256; s++)
            if (code->length[s] == length)
                words[s] = reversed(next++, length);
    }
}

void sam_huffman_table_make(const struct sam_huffman *code, struct sam_huffman_table *table)
{
    enum { MOST = 7 };
    uint16_t words[256];
    uint8_t first[SAM_HUFFMAN_SLOTS];
    sam_huffman_words(code, words);
    table->code = *code;
    for (unsigned s = 0; s < 256; s++)
        if (code->length[s])
            for (unsigned slot = words[s]; slot < SAM_HUFFMAN_SLOTS; slot += 1u << code->length[s])
                first[slot] = (uint8_t)s;
    for (unsigned slot = 0; slot < SAM_HUFFMAN_SLOTS; slot++) {
        uint64_t entry = 0;
        unsigned used = 0, count = 0;
        for (;;) {
            uint8_t symbol = first[slot >> used];
            unsigned length = code->length[symbol];
            if (count == MOST || used + length > SAM_HUFFMAN_LIMIT)
                break;
            used += length;
            entry |= (uint64_t)symbol << (56 - 8 * count++);
        }
        table->entry[slot] = entry | used;
        table->count[slot] = (uint16_t)count;
    }
}
