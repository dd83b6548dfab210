/* SPDX-License-Identifier: Apache-2.0 */
/* TL.XPOSE: every shape, every pair of dimensions in either order, every element size, against
 * the definition, element by element; the manual's examples; the registers written. */
#include "tensor/unit.h"

enum { PAIR = 2048, RS = 11 };

/* One hart for all: the word at its code's start is the instruction, followed by ebreak. */
static struct program machine;

static int start(void **state)
{
    (void)state;
    machine = program_new(RV32, NULL, "nop\nebreak\n");
    return 0;
}

static int finish(void **state)
{
    (void)state;
    program_free(&machine);
    return 0;
}

/* EngineID 3, funct5 = dim1 dim0, of the registers tl1 and tl2. */
static uint32_t word_of(unsigned dim0, unsigned dim1)
{
    return 3u << 30 | (dim1 << 2 | dim0) << 25 | 2u << 20 | 1u << 15 | 3u << 12 | RS << 7 | 0x5b;
}

/* The width variants: funct7 by width, funct3 by pair. */
static uint32_t word_of_width(unsigned element, unsigned pair)
{
    uint32_t funct7 = element == 1 ? 0x31u : element == 2 ? 0x33u : element == 4 ? 0x32u : 0x34u;
    return funct7 << 25 | 2u << 20 | 1u << 15 | pair << 12 | RS << 7 | 0x5b;
}

static uint8_t before[PAIR], expected[PAIR];

/* Elements as units of 4 bits: an element of any size is a number of them. */
static unsigned nibble(const uint8_t *bytes, unsigned i)
{
    return bytes[i / 2] >> 4 * (i % 2) & 15;
}

static void put_nibble(uint8_t *bytes, unsigned i, unsigned value)
{
    bytes[i / 2] = (uint8_t)((bytes[i / 2] & 0xf0u >> 4 * (i % 2)) | value << 4 * (i % 2));
}

static void transpose(const unsigned d[4], unsigned x, unsigned y, unsigned nibbles)
{
    unsigned out[4] = {d[0], d[1], d[2], d[3]}, at[4];
    out[x] = d[y];
    out[y] = d[x];
    for (at[0] = 0; at[0] < d[0]; at[0]++)
        for (at[1] = 0; at[1] < d[1]; at[1]++)
            for (at[2] = 0; at[2] < d[2]; at[2]++)
                for (at[3] = 0; at[3] < d[3]; at[3]++) {
                    unsigned to[4] = {at[0], at[1], at[2], at[3]};
                    to[x] = at[y];
                    to[y] = at[x];
                    unsigned from = ((at[0] * d[1] + at[1]) * d[2] + at[2]) * d[3] + at[3];
                    unsigned place = ((to[0] * out[1] + to[1]) * out[2] + to[2]) * out[3] + to[3];
                    for (unsigned k = 0; k < nibbles; k++)
                        put_nibble(expected, place * nibbles + k,
                                   nibble(before, from * nibbles + k));
                }
}

static void run_word(uint32_t word, const unsigned d[4])
{
    struct program *p = &machine;
    uint8_t bytes[4];
    sam_put_le32(bytes, word);
    program_write(p, SAM_HART_CODE_BASE, bytes, 4);
    sam_hart_set_pc(p->hart, SAM_HART_CODE_BASE);
    sam_hart_set_x(p->hart, RS, d[0] | d[1] << 8 | d[2] << 16 | d[3] << 24);
    sam_hart_set_tl(p->hart, 1, before);
    sam_hart_set_tl(p->hart, 2, before + TL_SIZE);
    program_expect(p, SAM_HART_EBREAK);
    if (memcmp(sam_hart_tl(p->hart, 1), expected, TL_SIZE) != 0 ||
        memcmp(sam_hart_tl(p->hart, 2), expected + TL_SIZE, TL_SIZE) != 0)
        fail_msg("%08x on [%u,%u,%u,%u] is wrong", word, d[0], d[1], d[2], d[3]);
}

static const unsigned pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* All pairs of one shape. */
static void run_shape(const unsigned d[4], unsigned bits)
{
    for (unsigned i = 0; i < PAIR; i++)
        before[i] = (uint8_t)(rand() >> 7);
    for (unsigned pair = 0; pair < 6; pair++) {
        unsigned x = pairs[pair][0], y = pairs[pair][1];
        transpose(d, x, y, bits / 4);
        run_word(word_of(x, y), d);
        run_word(word_of(y, x), d);
        if (bits > 4) /* whatever ttype says */
            run_word(word_of_width(bits / 8, pair), d);
    }
    transpose(d, 1, 3, bits / 4);
    run_word(word_of(2, 2), d); /* 0x0a by the list of codes: 1 and 3 */
    memcpy(expected, before, sizeof expected);
    for (unsigned x = 0; x < 4; x++) /* dim0 = dim1: nothing moves */
        if (x != 2)
            run_word(word_of(x, x), d);
}

/* Sizes are powers of two, since their product is. */
TEST(every_shape)
{
    static const struct {
        unsigned type, bits;
    } types[] = {{1, 4}, {0x20, 4}, {2, 8}, {0xc0, 8}, {4, 16}, {0x200, 16}, {8, 32}, {0x800, 32}};
    for (size_t t = 0; t < SAM_COUNT(types); t++) {
        unsigned bits = types[t].bits, elements = PAIR * 8 / bits, shapes = 0;
        assert_true(sam_hart_set_csr(machine.hart, 0x8c0, types[t].type));
        for (unsigned a = 2; a < 256; a *= 2)
            for (unsigned b = 1; b < 256; b *= 2)
                for (unsigned c = 1; c < 256; c *= 2) {
                    unsigned rest = elements / (a * b * c);
                    if (a * b * c * rest != elements || rest > 255 || rest == 0)
                        continue;
                    run_shape((const unsigned[4]){a, b, c, rest}, bits);
                    shapes++;
                }
        assert_true(shapes > 100);
    }
}

/* 64-bit elements have separate instructions */
TEST(every_shape_of_64_bits)
{
    assert_true(sam_hart_set_csr(machine.hart, 0x8c0, 0)); /* no type: it is ignored */
    for (unsigned a = 2; a < 256; a *= 2)
        for (unsigned b = 1; b < 256; b *= 2)
            for (unsigned c = 1; c < 256; c *= 2) {
                unsigned d[4] = {a, b, c, 256 / (a * b * c)};
                if (a * b * c * d[3] != 256)
                    continue;
                for (unsigned i = 0; i < PAIR; i++)
                    before[i] = (uint8_t)(rand() >> 7);
                for (unsigned pair = 0; pair < 6; pair++) {
                    transpose(d, pairs[pair][0], pairs[pair][1], 16);
                    run_word(word_of_width(8, pair), d);
                }
            }
}

/* Manual 3.5: [8,16,8,2] with dims 0 and 1 exchanged; element [1][2][3][1] goes to [2][1][3][1]. */
TEST(manual_3_5)
{
    SCOPED(program) p =
        unit_new(RV64, NULL, "li x10, 0xabcdef0102081008\n", "tl.xpose.01 tl1, tl2, x10");
    unit_passes(&p); /* bits 63:32 of dim_gpr are ignored */
    unsigned from = ((1 * 16 + 2) * 8 + 3) * 2 + 1, to = ((2 * 8 + 1) * 8 + 3) * 2 + 1;
    UNIT_EXPECT(&p, 1, to, unit_pattern(1, from));
    UNIT_EXPECT(&p, 1, 0, unit_pattern(1, 0));
    UNIT_EXPECT(&p, 2, 1023, unit_pattern(2, 1023));
}

/* Manual 5.1 and 5.2: as many rows as there are columns are exchanged; the first 1024 bytes of
 * the result are in the first register. */
TEST(manual_5_2)
{
    SCOPED(program) p = unit_new(RV32, NULL, "li x11, 0x01014020\n", "tl.xpose.01 tl2, tl3, x11");
    unit_passes(&p);
    for (unsigned i = 0; i < PAIR; i++) {
        unsigned row = i % 32, column = i / 32, from = row * 64 + column; /* [64,32] now */
        UNIT_EXPECT(&p, i < 1024 ? 2 : 3, i % 1024, unit_pattern(from < 1024 ? 2 : 3, from % 1024));
    }
}

/* tl0 as either half reads as zero and remains zero. */
TEST(register_zero)
{
    static const char *const insns[] = {"tl.xpose.01 tl0, tl1, x10", "tl.xpose.01 tl1, tl0, x10"};
    for (unsigned first = 0; first < 2; first++) {
        SCOPED(program) p = unit_new(RV32, NULL, "li x10, 0x01014020\n", insns[first]);
        unit_passes(&p);
        for (unsigned i = 0; i < TL_SIZE; i++) {
            unsigned place = first ? i : i + 1024; /* of tl1's bytes in the result */
            unsigned from = place % 32 * 64 + place / 32;
            bool from_tl1 = (from < 1024) == (first == 1);
            UNIT_EXPECT(&p, 0, i, 0);
            UNIT_EXPECT(&p, 1, i, from_tl1 ? unit_pattern(1, from % 1024) : 0);
        }
    }
}

TEST_GROUP(start, finish)
