/* SPDX-License-Identifier: Apache-2.0 */
/* The reference itself, on examples of the manual and values worked out by hand; its float
 * additions against the host's. */

#include "test.h"

#include "reference/tensor_ref.h"
#include "words.h"

static struct tref ref;

static void fresh(void)
{
    static uint8_t memory[0x1000];
    ref = (struct tref){.xlen = 32};
    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = (uint8_t)(i ^ i >> 8);
    ref.regions[0] = (struct tref_region){0x1000, sizeof memory, memory};
    ref.region_count = 1;
}

static void set_csr(unsigned index, uint32_t value)
{
    ref.csr[index] = value;
    ref.written[index] = true;
}

static void set_shape(unsigned d0, unsigned d1, unsigned d2)
{
    set_csr(TREF_TSHAPE, d0 << 16 | d1 << 8 | d2);
}

static void step(uint32_t word)
{
    struct tref_trap trap;
    assert_true(tref_step(&ref, word, &trap));
}

static void traps(uint32_t word, unsigned cause, uint64_t tval)
{
    struct tref_trap trap;
    assert_false(tref_step(&ref, word, &trap));
    assert_int_equal(trap.cause, cause);
    assert_int_equal(trap.tval, tval);
}

/* funct7 as printed in the manual. */
TEST(printed_codes_decode)
{
    static const unsigned xpose[6][3] = {{0x01, 0, 1}, {0x02, 0, 2}, {0x03, 0, 3},
                                         {0x09, 1, 2}, {0x0a, 1, 3}, {0x0b, 2, 3}};
    static const unsigned widths[4][2] = {{0x31, 8}, {0x33, 16}, {0x32, 32}, {0x34, 64}};
    for (unsigned dim = 0; dim < 3; dim++) {
        struct tref_insn concat = tref_decode(word_move(0x40 + dim, 1, 1, 2, 3));
        assert_int_equal(concat.op, TREF_CONCAT);
        assert_int_equal(concat.dim, dim);
        assert_int_equal(concat.tld, 1);
        assert_int_equal(concat.tls1, 2);
        assert_int_equal(concat.tls2, 3);
        struct tref_insn merge = tref_decode(word_move(0x08 + dim, 1, 1, 2, 3));
        assert_int_equal(merge.op, TREF_MERGE);
        assert_int_equal(merge.dim, dim);
    }
    for (unsigned i = 0; i < 6; i++) {
        struct tref_insn insn = tref_decode(word_move(xpose[i][0], 3, 10, 1, 2));
        assert_int_equal(insn.op, TREF_XPOSE);
        unsigned low = insn.swap[0] < insn.swap[1] ? 0 : 1;
        assert_int_equal(insn.swap[low], xpose[i][1]);
        assert_int_equal(insn.swap[!low], xpose[i][2]);
        for (unsigned w = 0; w < 4; w++) {
            insn = tref_decode(word_move(widths[w][0], i, 10, 1, 2));
            assert_int_equal(insn.op, TREF_XPOSE);
            assert_int_equal(insn.bits, widths[w][1]);
            assert_int_equal(insn.swap[0], xpose[i][1]);
            assert_int_equal(insn.swap[1], xpose[i][2]);
        }
    }
    assert_int_equal(tref_decode(word_move(0x43, 1, 1, 2, 3)).op, TREF_NONE);
    assert_int_equal(tref_decode(word_move(0x31, 6, 1, 2, 3)).op, TREF_NONE);
    assert_int_equal(tref_decode(word_store(0, 1, 2, 3) ^ 3u << 30).op, TREF_NONE); /* @comp */
    struct tref_insn load = tref_decode(word_load(1, 7, 11, -128));
    assert_true(load.op == TREF_MEMORY && !load.store && load.masked);
    assert_true(load.tld == 7 && load.rs == 11 && load.imm == -128);
}

/* r1 4.4.4 and 5.4. */
TEST(addi_saturates_as_printed)
{
    static const uint8_t source[] = {200, 50, 128, 30, 250, 10};
    static const struct {
        int imm;
        uint8_t result[6];
    } rows[] = {{100, {255, 150, 228, 130, 255, 110}},
                {-100, {100, 0, 28, 0, 150, 0}},
                {10, {210, 60, 138, 40, 255, 20}},
                {-50, {150, 0, 78, 0, 200, 0}}};
    fresh();
    memcpy(ref.tl[2], source, sizeof source);
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        step(word_addi(1, 2, rows[i].imm));
        assert_memory_equal(ref.tl[1], rows[i].result, sizeof source);
    }
    step(word_addi(1, 0, 50));
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(ref.tl[1][i], 50);
    step(word_addi(0, 1, 1));
    assert_int_equal(ref.tl[0][5], 0);
    set_csr(TREF_TTYPE, 3);
    traps(word_addi(1, 2, 0), 2, word_addi(1, 2, 0));
}

/* r1 4.3.4: {c, d, e, f}, in each row of [8, 8, 4]. */
TEST(concat_takes_the_valid_positions)
{
    fresh();
    set_shape(8, 8, 4);
    set_csr(TREF_CONCAT_1, 0xc);
    set_csr(TREF_CONCAT_2, 0x3);
    for (unsigned i = 0; i < 1024; i++) {
        ref.tl[11][i] = (uint8_t)(i * 3);
        ref.tl[12][i] = (uint8_t)(i * 7);
        ref.tl[10][i] = 0xee;
    }
    step(word_concat(2, 10, 11, 12));
    for (unsigned row = 0; row < 64; row++) {
        assert_int_equal(ref.tl[10][4 * row], ref.tl[11][4 * row + 2]);
        assert_int_equal(ref.tl[10][4 * row + 1], ref.tl[11][4 * row + 3]);
        assert_int_equal(ref.tl[10][4 * row + 2], ref.tl[12][4 * row]);
        assert_int_equal(ref.tl[10][4 * row + 3], ref.tl[12][4 * row + 1]);
    }
    assert_int_equal(ref.tl[10][256], 0xee);
    set_csr(TREF_CONCAT_2, 0x7); /* five for four places */
    traps(word_concat(2, 10, 11, 12), 2, word_concat(2, 10, 11, 12));
    set_csr(TREF_CONCAT_1, 0xaa);
    step(word_merge(0, 13, 11, 12));
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(ref.tl[13][i], ref.tl[i / 32 % 2 ? 11 : 12][i]);
    assert_int_equal(ref.tl[13][256], 0);
}

/* r1 5.1 and 5.2: [8,16,8,2] by 01 and the matrix [32,64]. */
TEST(xpose_moves_elements)
{
    fresh();
    uint8_t tensor[2048];
    for (unsigned i = 0; i < 2048; i++)
        tensor[i] = (uint8_t)(i ^ i >> 8);
    memcpy(ref.tl[1], tensor, 1024);
    memcpy(ref.tl[2], tensor + 1024, 1024);
    ref.x[10] = 0x02081008;
    step(word_xpose(1, 1, 2, 10));
    /* (i, j, k, l) = (5, 9, 3, 1) was 5 * 256 + 9 * 16 + 3 * 2 + 1 and is 9 * 128 + 5 * 16 + 7. */
    assert_int_equal(ref.tl[2][9 * 128 + 5 * 16 + 7 - 1024], tensor[5 * 256 + 9 * 16 + 7]);
    ref.x[10] = 0x02080810;
    step(word_xpose(1, 1, 2, 10)); /* and back */
    assert_memory_equal(ref.tl[1], tensor, 1024);
    assert_memory_equal(ref.tl[2], tensor + 1024, 1024);
    ref.x[11] = 0x01014020;
    step(word_xpose(1, 1, 2, 11));
    for (unsigned i = 0; i < 32; i++)
        for (unsigned j = 0; j < 64; j++)
            assert_int_equal(ref.tl[1 + (j >= 32)][(j * 32 + i) % 1024], tensor[i * 64 + j]);
    ref.x[12] = 0x04080804; /* r1's "[4,8,8,4]" has 1024 elements */
    traps(word_xpose(11, 4, 5, 12), 2, word_xpose(11, 4, 5, 12));
    traps(word_xpose(1, 1, 1, 11), 2, word_xpose(1, 1, 1, 11));
}

/* r1 5.5: [8,16,8], mask 0xcc: slices 2, 3, 6, 7. */
TEST(loads_and_stores)
{
    fresh();
    ref.x[11] = 0x1000;
    traps(word_load(1, 1, 11, 0), 2, word_load(1, 1, 11, 0));
    set_shape(8, 16, 8);
    traps(word_load(1, 1, 11, 0), 2, word_load(1, 1, 11, 0));
    set_csr(TREF_LOAD_MASK, 0xcc);
    memset(ref.tl[1], 0x55, 1024);
    step(word_load(1, 1, 11, 0));
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(ref.tl[1][i], 0xcc >> (i / 128) & 1 ? (uint8_t)(i ^ i >> 8) : 0);
    step(word_store(0, 1, 11, 8)); /* one block on */
    assert_memory_equal(tref_byte(&ref, 0x1400), ref.tl[1], 1024);
    set_csr(TREF_STORE_STRIDE + 7, 0xffffffff); /* the last slice lies below memory */
    traps(word_store(0, 1, 11, 0), 7, 0x1000 - 128);
    set_csr(TREF_TTYPE, 4);
    set_shape(8, 8, 8);
    ref.x[11] = 0x1f01;
    traps(word_load(1, 1, 11, 0), 4, 0x1f01 + 256);
    ref.x[11] = 0x1f02;
    traps(word_load(0, 1, 11, -1), 5, 0x2000);
}

static double value_of(const struct tref_type *type, uint32_t code)
{
    uint32_t mantissa = code & ((1u << type->mantissa) - 1);
    int exponent = (int)(code >> type->mantissa & ((1u << type->exponent) - 1));
    double significand = mantissa + (exponent ? 1u << type->mantissa : 0);
    double value = ldexp(significand, (exponent ? exponent : 1) - type->bias - (int)type->mantissa);
    return code >> (type->exponent + type->mantissa) ? -value : value;
}

TEST(largest_values_are_the_formats)
{
    static const struct {
        uint32_t ttype;
        double largest;
    } rows[] = {{0x10, 6},           {0x20, 1.75},        {0x30, 16},
                {0x40, 448},         {0x80, 57344},       {0xc0, 15.5},
                {0x100, 65504},      {0x200, 0x1.fep127}, {0x400, 0x1.fffffep127},
                {0x800, 0x1.ffcp127}};
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        const struct tref_type *type = tref_type_of(rows[i].ttype);
        assert_true(value_of(type, type->max) == rows[i].largest);
        uint32_t hint = 0, largest = type->max << type->unused;
        assert_int_equal(tref_add(type, largest, 127, &hint), largest);
    }
    assert_null(tref_type_of(0));
    assert_null(tref_type_of(0x300));
    assert_null(tref_type_of(0xc00));
}

/* Every sum of a format of 4 or 8 bits, by a search over its codes. */
TEST(small_floats_take_the_nearest_value)
{
    for (size_t n = 0; n < tref_type_count; n++) {
        const struct tref_type *type = &tref_types[n];
        uint32_t sign = 1u << (type->bits - 1), hint = 0;
        for (uint32_t code = 0; type->exponent && type->bits <= 8 && code < 2 * sign; code++)
            for (int imm = -128; imm < 128; imm++) {
                uint32_t magnitude = code & (sign - 1), sum_code = tref_add(type, code, imm, &hint);
                if (magnitude > type->max) {
                    bool stays = type->has_infinity && magnitude == type->max + 1;
                    assert_int_equal(sum_code, stays ? code : type->nan);
                    continue;
                }
                double sum = value_of(type, code) + imm, best = INFINITY;
                uint32_t nearest = 0;
                for (uint32_t c = 0; c <= type->max; c++) {
                    double distance = fabs(value_of(type, c) - fabs(sum));
                    bool even = type->mantissa ? c % 2 == 0 : true; /* one digit: the larger */
                    if (distance < best || (distance == best && even)) {
                        best = distance;
                        nearest = c;
                    }
                }
                assert_int_equal(sum_code, nearest | (sum < 0 ? sign : 0));
            }
    }
}

/* Half in exact doubles; single, bfloat16 and TF32 by the host's float addition. */
TEST(wide_floats_agree_with_the_host)
{
    const struct tref_type *half = tref_type_of(0x100), *single = tref_type_of(0x400);
    const struct tref_type *tf32 = tref_type_of(0x800), *bf16 = tref_type_of(0x200);
    uint64_t random = test_seed();
    uint32_t hint = 0;
    for (uint32_t code = 0; code < 0x10000; code++) {
        int imm = (int)test_below(&random, 256) - 128;
        if ((code & 0x7fff) > half->max)
            continue;
        double sum = value_of(half, code) + imm;
        int exponent;
        frexp(sum, &exponent);
        double unit = ldexp(1, (exponent < -13 ? -13 : exponent) - 11);
        double want = rint(sum / unit) * unit;
        want = want > 65504 ? 65504 : want < -65504 ? -65504 : want;
        assert_true(value_of(half, tref_add(half, code, imm, &hint)) == want);
    }
    for (unsigned i = 0; i < 500000; i++) {
        uint32_t bits = (uint32_t)test_random(&random);
        int imm = (int)test_below(&random, 256) - 128;
        if (i % 2) /* where the two meet */
            bits = (bits & 0x87ffffff) + 0x38000000;
        if ((bits & 0x7fffffff) > single->max)
            continue;
        float sum = sam_bits_f32(bits) + (float)imm;
        uint32_t want =
            isinf(sum) ? (sam_f32_bits(sum) & 0x80000000) | single->max : sam_f32_bits(sum);
        assert_int_equal(tref_add(single, bits, imm, &hint), want);
        /* 11 and 8 bits of a sum that is exact in double, or whose immediate is far below. */
        uint32_t exponent = bits >> 23 & 255;
        if (exponent < 110 || exponent > 150)
            continue;
        for (int wide = 0; wide < 2; wide++) {
            const struct tref_type *type = wide ? tf32 : bf16;
            uint32_t cut = wide ? bits & ~0x1fffu : bits & ~0xffffu;
            double exact = (double)sam_bits_f32(cut) + imm;
            int power;
            frexp(exact, &power);
            double unit = ldexp(1, power - (wide ? 11 : 8));
            uint32_t got = tref_add(type, wide ? bits : cut >> 16, imm, &hint);
            if (exact != 0)
                assert_true((double)sam_bits_f32(wide ? got : got << 16) ==
                            rint(exact / unit) * unit);
        }
    }
}

TEST(specials)
{
    static const struct {
        uint32_t ttype, element;
        int imm;
        uint32_t result;
    } rows[] = {
        {1, 8, 7, 15}, /* integers saturate as unsigned ones */
        {1, 9, 7, 15},
        {1, 2, -3, 0},
        {1, 15, -3, 12},
        {4, 0xff80, 127, 0xffff},
        {4, 0xff81, 127, 0xffff},
        {4, 127, -128, 0},
        {4, 0xffff, -128, 0xff7f},
        {8, 0xffffff81, 127, 0xffffffff},
        {8, 0x7fffffff, 127, 0x8000007e},
        {8, 127, -128, 0},
        {8, 0xffffffff, -128, 0xffffff7f},
        {0x400, 0x80000000, 0, 0},
        {0x400, 0x00000001, 0, 0x00000001},
        {0x400, 0xbf800000, 1, 0},
        {0x400, 0xff800000, 127, 0xff800000},
        {0x400, 0xffc12345, 0, 0x7fc00000},
        {0x800, 0x7f800001, 0, 0x7f800000},
        {0x800, 0x3f801fff, 0, 0x3f800000},
        {0x100, 0xfc00, 5, 0xfc00},
        {0x100, 0x0001, 0, 0x0001},
        {0x100, 0x0001, -1, 0xbc00},
        {0x200, 0x7f81, 0, 0x7fc0},
        {0x40, 0x7f, 0, 0x7f},
        {0x40, 0xff, 0, 0x7f},
        {0x80, 0xfc, 1, 0xfc},
        {0xc0, 0x70, -128, 0x70},
        {0xc0, 0x71, 0, 0x78},
        {0x10, 0x8, 0, 0x0},
        {0x10, 0x1, 0, 0x1},
        {0x30, 0x1, 1, 0x3}, /* 1.25 */
        {0x30, 0x2, 1, 0x4}, /* 1.5, half-way between 1 and 2 */
        {0x30, 0x3, 2, 0x5}, /* 3, half-way between 2 and 4 */
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        uint32_t hint = 0;
        assert_int_equal(tref_add(tref_type_of(rows[i].ttype), rows[i].element, rows[i].imm, &hint),
                         rows[i].result);
    }
}
