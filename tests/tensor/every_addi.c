/* SPDX-License-Identifier: Apache-2.0 */
/* ADDI: every pattern of 4, 8 and 16 bits with every immediate in every type, and 32-bit
 * patterns near rounding, cancellation and saturation. */

#include "test.h"

#include "pair.h"
#include "words.h"

static struct pair pair;

/* All 256 immediates on the elements of tl1 to tl30. */
static void all_immediates(unsigned registers)
{
    for (int imm = -128; imm < 128; imm++)
        for (unsigned i = 1; i <= registers; i++)
            pair_agree(&pair, word_addi(31, i, imm));
}

TEST(every_pattern_up_to_16_bits)
{
    pair_open(&pair, &(struct pair_options){.xlen = 32});
    for (size_t n = 0; n < tref_type_count; n++) {
        const struct tref_type *type = &tref_types[n];
        if (type->bits > 16)
            continue;
        unsigned patterns = 1u << type->bits, each = 8192 / type->bits, filled = 0;
        uint32_t pattern = 0;
        pair_set_csr(&pair, TREF_TTYPE, type->ttype);
        while (pattern < patterns) {
            uint8_t bytes[1024];
            for (unsigned i = 0; i < each; i++)
                tref_put(bytes, type->bits, i, pattern++ % patterns);
            pair_set_tl(&pair, ++filled, bytes);
            if (filled == 30 || pattern >= patterns) {
                all_immediates(filled);
                filled = 0;
            }
        }
        printf("# %s: %u patterns, 256 immediates\n", type->name, patterns);
    }
    assert_int_equal(pair.traps, 0);
    pair_free(&pair);
}

/* A float within reach of an immediate, a special one, or any. */
static uint32_t pattern(uint64_t *random)
{
    static const uint32_t special[] = {
        0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x3f800000, 0x3f7fffff, 0x3f800001,
        0x42fe0000, 0x43000000, 0x42ffffff, 0x43000001, 0x4b800000, 0x4b7fffff, 0x4c000001,
        0x7f7fffff, 0x7f7fe000, 0x7f7ff000, 0x7f800000, 0x7f800001, 0x7f801fff, 0x7f802000,
        0x7fc00000, 0x7fffffff, 0x33800000, 0x33800001, 0x34000000, 0x3effffff, 0x38001000,
    };
    uint64_t r = test_random(random);
    uint32_t bits = (uint32_t)r, sign = bits & 0x80000000;
    switch (r >> 32 & 7) {
    case 0: return sign | special[(r >> 40) % SAM_COUNT(special)];
    case 1: /* an immediate and a few units in its last place */
        return sam_f32_bits((float)(int)(bits % 257 - 128)) + (uint32_t)(r >> 40) % 9 - 4;
    case 2: /* half-way cases of TF32 */ return (bits & ~0x1fffu) | 0x1000;
    case 3: return bits & ~0xffffu;
    case 4:
    case 5: return sign | (0x30000000 + bits % 0x1e000000);
    default: return bits;
    }
}

TEST(patterns_of_32_bits)
{
    uint64_t random = test_seed();
    unsigned sums = 0;
    pair_open(&pair, &(struct pair_options){.xlen = 64});
    for (size_t n = 0; n < tref_type_count; n++) {
        if (tref_types[n].bits != 32)
            continue;
        pair_set_csr(&pair, TREF_TTYPE, tref_types[n].ttype);
        for (unsigned turn = 0; turn < 8; turn++) {
            uint8_t bytes[1024];
            for (unsigned i = 0; i < 256; i++)
                sam_put_le32(bytes + 4 * i, pattern(&random));
            if (turn == 0) /* integers at both ends */
                for (unsigned i = 0; i < 128; i++) {
                    sam_put_le32(bytes + 4 * i, i);
                    sam_put_le32(bytes + 512 + 4 * i, UINT32_MAX - i);
                }
            pair_set_tl(&pair, 1, bytes);
            all_immediates(1);
            sums += 256 * 256;
        }
    }
    printf("# %u sums\n", sums);
    assert_int_equal(pair.traps, 0);
    pair_free(&pair);
}

TEST(any_ttype)
{
    pair_open(&pair, &(struct pair_options){.xlen = 64});
    pair_agree(&pair, word_addi(1, 0, 50)); /* unwritten: tint8 */
    for (uint32_t ttype = 0; ttype < 0x2000; ttype++) {
        pair_set_csr(&pair, TREF_TTYPE, ttype);
        pair_agree(&pair, word_addi(1, 1, 7));
    }
    for (unsigned bit = 13; bit < 32; bit++) {
        pair_set_csr(&pair, TREF_TTYPE, 2u | 1u << bit);
        pair_agree(&pair, word_addi(1, 1, 7));
    }
    assert_int_equal(pair.steps - pair.traps, 1 + tref_type_count);
    pair_free(&pair);
}
