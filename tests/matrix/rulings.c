/* SPDX-License-Identifier: Apache-2.0 */
/* The rulings of docs/matrix-rulings.md one by one, with results worked out by hand. */
#include "hart/program.h"

#define ISA64 "rv64im_zicsr_zfinx_xmatrix"
#define ISA32 "rv32im_zicsr_zfinx_xmatrix"

static struct program start(const char *text, unsigned mlen)
{
    struct sam_hart_options options = {.mlen = mlen};
    struct sam_buffer source = {0};
    sam_buffer_printf(&source, "%s\n ebreak\n", text);
    struct program p = program_new(ISA64, &options, sam_buffer_text(&source));
    sam_buffer_free(&source);
    return p;
}

static struct program run(const char *text, unsigned mlen)
{
    struct program p = start(text, mlen);
    program_expect(&p, SAM_HART_EBREAK);
    return p;
}

static uint64_t csr(struct program *p, unsigned address)
{
    uint64_t value = 0;
    assert_true(sam_hart_csr(p->hart, address, &value));
    return value;
}

static uint32_t word_of(struct program *p, unsigned reg, unsigned index)
{
    return sam_le32(sam_hart_m(p->hart, reg) + 4 * (size_t)index);
}

/* The value of a0 after `text`. */
static void expect_a0(const char *text, unsigned mlen, uint64_t value)
{
    SCOPED(program) p = run(text, mlen);
    assert_int_equal(sam_hart_x(p.hart, 10), value);
}

/* The instruction after `text` is illegal. */
static void expect_illegal(const char *text, const char *insn)
{
    SCOPED(sam_buffer) source = {0};
    sam_buffer_printf(&source, "%s\nhere: %s", text, insn);
    SCOPED(program) p = start(sam_buffer_text(&source), 512);
    program_expect(&p, SAM_HART_TRAP);
    if (p.result.cause != 2 || p.result.pc != sam_image_find(p.image, "here")->value)
        fail_msg("'%s' after '%s': %s", insn, text, p.result.text);
    assert_int_equal(p.result.tval, p.result.word);
}

static void expect_legal(const char *text)
{
    struct program p = run(text, 512);
    program_free(&p);
}

TEST(sizes)
{
    expect_a0("csrr a0, xmsize", 512, 0);
    expect_a0("li t0, 0x12345678\nmcfg a0, t0", 512, 0x12345678);
    expect_a0("mcfgi a0, 100", 512, 100); /* N = K = 0 */
    expect_a0("li t0, 0x12345678\nmcfg zero, t0\nmcfgi a0, 100", 512, 100);
    expect_a0("mcfgki t0, 127\nmcfgmi t0, 3\nmcfgni a0, 4", 512, 0x7f0403);
    expect_a0("li t0, 0xfffffedc\nmcfgk a0, t0", 512, 0xfedc0000);
    expect_a0("li t0, 0x1fe\nmcfgm a0, t0", 512, 0xfe);
    expect_a0("li t0, 0x1fe\nmcfgn zero, t0\ncsrr a0, xmsize", 512, 0xfe00);
}

TEST(unit_csrs)
{
    for (unsigned mlen = 128; mlen <= 512; mlen *= 2) {
        expect_a0("csrr a0, xmlenb", mlen, mlen / 8);
        expect_a0("csrr a0, xmregsize", mlen, mlen / 8 * (mlen / 32));
    }
    expect_a0("csrr a0, xmisa", 512, 0x3ff);
    expect_a0("csrr a0, xmcsr", 512, 1);
    expect_a0("mrelease\ncsrr a0, xmcsr", 512, 2);
    expect_a0("mcfgki a0, 1\ncsrr a0, xmcsr", 512, 3);
    expect_a0("li a0, -1\ncsrw xmxrm, a0\ncsrr a0, xmxrm", 512, 3);
    expect_illegal("", "csrwi xmxsat, 0");
    expect_illegal("", "csrwi xmsize, 0");
}

TEST(state_off)
{
    expect_illegal("csrwi xmcsr, 0", "mcfgki a0, 1");
    expect_illegal("csrwi xmcsr, 0", "mmov.mm m0, m1");
    expect_illegal("csrwi xmcsr, 0", "mld1mb m0, (zero)");
    expect_a0("csrwi xmcsr, 0\nmrelease\nmcfgki a0, 1", 512, 0x10000);
}

#define FULL "li t0, 0x401010\nmcfg zero, t0\n" /* 16 x 16 x 64 bytes */

TEST(illegal_users)
{
    static const char *const bad_sizes[] = {
        "0x401000", "0x400010", "0x001010", /* one of them 0 */
        "0x401011", "0x411010",             /* too large */
        "0x401110",                         /* N for a single register of B */
    };
    for (size_t i = 0; i < SAM_COUNT(bad_sizes); i++) {
        FREED char *text = formatted("li t0, %s\nmcfg zero, t0", bad_sizes[i]);
        expect_illegal(text, "mmaqa.b m4, m0, m1");
    }
    expect_legal("li t0, 0x402010\nmcfg zero, t0\nfmmacc.h m4, m0, m2"); /* N = 2R */
    expect_illegal("li t0, 0x402110\nmcfg zero, t0", "fmmacc.h m4, m0, m2");
    expect_illegal("li t0, 0x3f1010\nmcfg zero, t0", "fmmacc.h m4, m0, m2");
    expect_legal("li t0, 0x3f1010\nmcfg zero, t0\npmmaqa.b m4, m0, m2");
    expect_illegal("li t0, 0x3e1010\nmcfg zero, t0", "fmmacc.s m4, m0, m2");
    expect_illegal("li t0, 0x3e1010\nmcfg zero, t0", "madd.s.mm m4, m0, m2");
    expect_illegal("li t0, 0x3c1010\nmcfg zero, t0", "madd.d.mm m4, m0, m2");
    expect_illegal("li t0, 0x3e1010\nmcfg zero, t0", "mldw m4, zero, (sp)");
    expect_illegal(FULL, "fmmacc.h m4, m1, m2"); /* odd ms2 */
    expect_illegal(FULL, "fmmacc.d m5, m1, m2"); /* odd md */
    expect_illegal(FULL, "fwmmacc.s m1, m2, m4");
    expect_illegal(FULL, "mmaqa.h m1, m2, m4");
    expect_legal(FULL "fwmmacc.h m1, m3, m5");
    expect_illegal(FULL, "mmaqa.b m1, m1, m2"); /* md is a source */
    expect_illegal(FULL, "mmaqa.b m1, m2, m1");
    expect_illegal(FULL, "fmmacc.h m1, m0, m2"); /* the second one of a pair */
    expect_illegal(FULL, "fmmacc.d m0, m1, m2");
    expect_illegal(FULL, "mld2mb m1, (sp)");
    expect_illegal(FULL, "mst8mb m4, (sp)");
    expect_illegal(FULL "li s0, 16\n", "mmov.mv.x m0, m1[s0]");
    expect_illegal(FULL "li s0, -1\n", "madd.s.mv.x m0, m1, m2[s0]");
    expect_illegal(FULL "csrwi frm, 5\n", "fmmacc.s m0, m1, m2");
    expect_legal(FULL "csrwi frm, 5\nmmaqa.b m0, m1, m2");
    /* sizes do not affect a move */
    expect_legal("mmov.mm m0, m1\nmmov.mv.i m2, m3[7]\nmmov.mx m4, s0\n");
    SCOPED(program) p = start("mmov.mv.i m0, m1[4]", 128); /* four rows */
    program_expect_trap(&p, 2, 0x0406002b);
}

TEST(addresses)
{
    static const struct {
        const char *text;
        unsigned cause;
        uint64_t tval;
    } cases[] = {
        {FULL "li a0, 0x10002\nmldw m0, zero, (a0)", 4, 0x10002},
        {FULL "li a0, 0x10000\nli a1, 6\nmldw m0, a1, (a0)", 4, 0x10006},
        {FULL "li a0, 0x10004\nmstd m0, zero, (a0)", 6, 0x10004},
        {FULL "li a0, 0x10001\nmst1mh m0, (a0)", 6, 0x10001},
        {FULL "li a0, 0x13fc1\nmldb m0, zero, (a0)", 5, 0x14000},
        {FULL "li a0, 0x13fc1\nmstb m0, zero, (a0)", 7, 0x14000},
        {FULL "li a0, 0x10000000000\nmldb m0, zero, (a0)", 5, 0x10000000000}, /* 40 bits */
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(program) p = start(cases[i].text, 512);
        program_expect_trap(&p, cases[i].cause, cases[i].tval);
    }
}

/* Rows before the failing one are done; xmrstart holds its number, and a restart continues from
 * it. */
TEST(restart)
{
    uint8_t data[256];
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i + 1);
    SCOPED(program) p = start(FULL "li s0, -1\nmmov.mx m0, s0\nli a0, 0x13f00\nli a1, 64\n"
                                   "mldb m0, a1, (a0)",
                              512);
    program_write(&p, 0x13f00, data, sizeof data);
    program_expect_trap(&p, 5, 0x14000);
    assert_int_equal(csr(&p, 0x801), 4);
    assert_memory_equal(sam_hart_m(p.hart, 0), data, sizeof data);
    assert_int_equal(word_of(&p, 0, 64), 0xffffffff); /* rows 4 and up: unchanged */
    succeeds(sam_hart_map, p.hart, 0x14000, 0x1000);
    memset(data, 7, sizeof data);
    program_write(&p, 0x13f00, data, sizeof data);
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(csr(&p, 0x801), 0);
    assert_int_equal(word_of(&p, 0, 0), 0x04030201); /* not loaded again */
    assert_int_equal(word_of(&p, 0, 64), 0);
}

/* Tails and rows past M are zero after a load; a store writes no other byte. */
TEST(edges)
{
    uint8_t data[64], back[64];
    memset(data, 0x55, sizeof data);
    SCOPED(program) p = start("li s0, -1\nmmov.mx m0, s0\nmmov.mx m1, s0\n"
                              "mcfgmi zero, 2\nmcfgki zero, 5\nli a0, 0x10000\nli a1, 32\n"
                              "mldb m0, a1, (a0)\naddi a2, a0, 7\nmstb m1, a1, (a2)",
                              128);
    program_write(&p, 0x10000, data, sizeof data);
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(word_of(&p, 0, 0), 0x55555555);
    assert_int_equal(word_of(&p, 0, 1), 0x55);
    assert_int_equal(word_of(&p, 0, 2), 0);
    assert_int_equal(word_of(&p, 0, 4), 0x55555555);
    assert_int_equal(word_of(&p, 0, 8), 0);
    program_read(&p, 0x10000, back, sizeof back);
    memset(data + 7, 0xff, 5);
    memset(data + 39, 0xff, 5);
    assert_memory_equal(back, data, sizeof data);
}

/* Rows of halves: `a` times `b` summed onto c = 0. */
static void expect_half(const uint16_t *a, const uint16_t *b, unsigned count, unsigned frm,
                        uint16_t sum, unsigned flags)
{
    char text[256];
    snprintf(text, sizeof text,
             "csrwi frm, %u\nli t0, 0x%x0101\nmcfg zero, t0\nli a0, 0x10000\nli a1, 0x10040\n"
             "mldh m0, zero, (a0)\nmldh m2, zero, (a1)\nfmmacc.h m4, m2, m0",
             frm, 2 * count);
    SCOPED(program) p = start(text, 512);
    program_write(&p, 0x10000, a, 2 * count);
    program_write(&p, 0x10040, b, 2 * count);
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(word_of(&p, 4, 0), sum);
    assert_int_equal(csr(&p, 1), flags);
}

TEST(half_precision)
{
    /* 1 + 2^-10, then 2^-11 - 2^-31: just below halfway to 1 + 2^-9 */
    expect_half((uint16_t[]){0x3c01, 0x2801}, (uint16_t[]){0x3c00, 0x23fe}, 2, 0, 0x3c01, 1);
    /* 2^-11 + 2^-21 + ... above halfway from 1: up */
    expect_half((uint16_t[]){0x3c00, 0x2801}, (uint16_t[]){0x3c00, 0x2400}, 2, 0, 0x3c01, 1);
    expect_half((uint16_t[]){0x3c00, 0x2801}, (uint16_t[]){0x3c00, 0x2400}, 2, 1, 0x3c00, 1);
    expect_half((uint16_t[]){0x3c00, 0x2800}, (uint16_t[]){0x3c00, 0x2400}, 2, 4, 0x3c01, 1);
    expect_half((uint16_t[]){0x3c00, 0x2800}, (uint16_t[]){0x3c00, 0x2400}, 2, 0, 0x3c00, 1);
    /* -0 * 1 from t = +0, then on C = +0 */
    expect_half((uint16_t[]){0x8000}, (uint16_t[]){0x3c00}, 1, 0, 0, 0);
    expect_half((uint16_t[]){0x7bff}, (uint16_t[]){0x4000}, 1, 0, 0x7c00, 5);
    expect_half((uint16_t[]){0x7bff}, (uint16_t[]){0x4000}, 1, 1, 0x7bff, 5);
    expect_half((uint16_t[]){0x0001}, (uint16_t[]){0x3800}, 1, 0, 0, 3);
    expect_half((uint16_t[]){0x7c00}, (uint16_t[]){0}, 1, 0, 0x7e00, 16);
    expect_half((uint16_t[]){0x7c01}, (uint16_t[]){0x3c00}, 1, 0, 0x7e00, 16);
    expect_half((uint16_t[]){0x7fff}, (uint16_t[]){0x3c00}, 1, 0, 0x7e00, 0);
    /* infinity propagates without a flag, then meets its opposite */
    expect_half((uint16_t[]){0x7c00, 0x3c00}, (uint16_t[]){0x3c00, 0x3c00}, 2, 0, 0x7c00, 0);
    expect_half((uint16_t[]){0x7c00, 0xfc00}, (uint16_t[]){0x3c00, 0x3c00}, 2, 0, 0x7e00, 16);
}

/* Infinity times zero plus a quiet NaN: RISC-V raises NV, x86 does not. */
TEST(invalid_beside_nan)
{
    SCOPED(program) p = start("li t0, 0x80101\nmcfg zero, t0\nli a0, 0x10000\nli a1, 0x10040\n"
                              "mldw m0, zero, (a0)\nmldw m2, zero, (a1)\nfmmacc.s m4, m2, m0",
                              512);
    program_write(&p, 0x10000, (uint32_t[]){0x7fc12345, 0x7f800000}, 8);
    program_write(&p, 0x10040, (uint32_t[]){0x3f800000, 0}, 8);
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(word_of(&p, 4, 0), 0x7fc00000);
    assert_int_equal(csr(&p, 1), 16);
}

/* 1 + 2^-24 + 2^-24 in single precision: lost when added one by one, but not in a tree. */
TEST(order_of_sums)
{
    for (int tree = 0; tree < 2; tree++) {
        struct sam_hart_options options = {.fp_tree = tree};
        SCOPED(program) p =
            program_new(ISA64, &options,
                        "li t0, 0x100101\nmcfg zero, t0\nli a0, 0x10000\nli a1, 0x10040\n"
                        "mldw m0, zero, (a0)\nmldw m2, zero, (a1)\nfmmacc.s m4, m2, m0\nebreak\n");
        program_write(&p, 0x10000, (uint32_t[]){0x3f800000, 0, 0x33800000, 0x33800000}, 16);
        program_write(&p, 0x10040, (uint32_t[]){0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000},
                      16);
        program_expect(&p, SAM_HART_EBREAK);
        assert_int_equal(word_of(&p, 4, 0), tree ? 0x3f800001 : 0x3f800000);
        assert_int_equal(csr(&p, 1), tree ? 0 : 1);
    }
}

/* m0 = every byte `a`, m1 = every byte `b`; one row, one column, one byte of K. */
static uint32_t one_product(const char *mnemonic, int a, int b)
{
    char text[256];
    snprintf(text, sizeof text,
             "li s0, %d\nmmov.mx m0, s0\nli s0, %d\nmmov.mx m1, s0\nli t0, 0x10101\n"
             "mcfg zero, t0\n%s m4, m1, m0",
             a, b, mnemonic);
    struct program p = run(text, 512);
    uint32_t value = word_of(&p, 4, 0);
    assert_int_equal(word_of(&p, 4, 1), 0);
    assert_int_equal(word_of(&p, 4, 16), 0);
    program_free(&p);
    return value;
}

/* us: ms1 (m0) is unsigned; su: ms2 is. The low nibble is element 0, two of them a byte. */
TEST(signs)
{
    assert_int_equal(one_product("mmaqa.b", 0xff, 0xfe), 2);
    assert_int_equal(one_product("mmaqau.b", 0xff, 0xfe), 255 * 254);
    assert_int_equal(one_product("mmaqaus.b", 0xff, 0xfe), (uint32_t)(255 * -2));
    assert_int_equal(one_product("mmaqasu.b", 0xff, 0xfe), (uint32_t)(-1 * 254));
    assert_int_equal(one_product("pmmaqa.b", 0x7f, 0x28), (uint32_t)(-1 * -8 + 7 * 2));
    assert_int_equal(one_product("pmmaqau.b", 0x7f, 0x28), 15 * 8 + 7 * 2);
    assert_int_equal(one_product("pmmaqaus.b", 0x7f, 0x28), (uint32_t)(15 * -8 + 7 * 2));
    assert_int_equal(one_product("pmmaqasu.b", 0x7f, 0x28), (uint32_t)(-1 * 8 + 7 * 2));
}

/* `ms2` op `b` on one 32-bit element under a rounding mode. */
static uint32_t one_element(const char *op, uint32_t ms2, uint32_t b, unsigned xmxrm,
                            uint64_t *saturated)
{
    char text[256];
    snprintf(text, sizeof text,
             "li s0, %u\nmmov.mx m1, s0\nli s0, %u\nli t0, 0x40001\nmcfg zero, t0\n"
             "csrwi xmxrm, %u\n%s.s.mx m4, m1, s0",
             ms2, b, xmxrm, op);
    struct program p = run(text, 512);
    uint32_t value = word_of(&p, 4, 0);
    *saturated = csr(&p, 0xcc0);
    program_free(&p);
    return value;
}

TEST(shifts_and_clips)
{
    uint64_t sat;
    static const uint32_t rounded[4][4] = {{3, 2, 2, 3}, {2, 2, 2, 3}, {2, 1, 2, 2}, {3, 1, 2, 3}};
    static const uint32_t halves[4] = {10, 7, 8, 11}; /* over 4: 2.5, 1.75, 2, 2.75 */
    for (unsigned mode = 0; mode < 4; mode++)
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(one_element("msra", halves[i], 2, mode, &sat), rounded[mode][i]);
    assert_int_equal(one_element("msra", 0x80000000, 33, 2, &sat), 0xc0000000); /* low 5 bits */
    assert_int_equal(one_element("mn4clip", 1000, 3, 2, &sat), 125);
    assert_int_equal(sat, 0);
    assert_int_equal(one_element("mn4clip", 1024, 3, 2, &sat), 127);
    assert_int_equal(sat, 1);
    assert_int_equal(one_element("mn4clip", 0xffff0000, 3, 2, &sat), 0x80);
    assert_int_equal(sat, 1);
    assert_int_equal(one_element("mn4clipu", 0xffffffff, 24, 0, &sat), 255);
    assert_int_equal(sat, 1); /* 256 after rounding */
    assert_int_equal(one_element("mn4clipu", 0xffffffff, 24, 2, &sat), 255);
    assert_int_equal(sat, 0);
    assert_int_equal(one_element("msub", 5, 7, 0, &sat), (uint32_t)-2); /* ms2 - b */
    assert_int_equal(one_element("mmulh", 0x80000000, 2, 0, &sat), 0xffffffff);
}

/* Results are packed at the start of a row; those past K are zero, the rest of the row is
 * unchanged. */
TEST(packed_results)
{
    struct program p = run("li s0, -1\nmmov.mx m4, s0\nli s0, 0x500000005\nmmov.mx m1, s0\n"
                           "li s0, 0\nmcfgmi zero, 1\nmcfgki zero, 12\nmn4clip.s.mx m4, m1, s0",
                           512);
    assert_int_equal(word_of(&p, 4, 0), 0x00050505);
    assert_int_equal(word_of(&p, 4, 3), 0);
    assert_int_equal(word_of(&p, 4, 4), 0xffffffff);
    assert_int_equal(word_of(&p, 4, 16), 0); /* a row past M */
    assert_int_equal(word_of(&p, 4, 20), 0xffffffff);
    program_free(&p);
    /* writing 0 to xmxrm clears xmxsat, writing another value does not */
    p = run("li s0, -1\nmmov.mx m1, s0\nli s0, 0\nmcfgmi zero, 1\nmcfgki zero, 12\n"
            "mn4clipu.s.mx m4, m1, s0\ncsrwi xmxrm, 1\ncsrr a0, xmxsat\ncsrwi xmxrm, 0\n"
            "csrr a1, xmxsat",
            512);
    assert_int_equal(sam_hart_x(p.hart, 10), 1);
    assert_int_equal(sam_hart_x(p.hart, 11), 0);
    program_free(&p);
}

TEST(moves)
{
    SCOPED(program) p = run("li s0, 0x123456789\nmmov.mx m1, s0", 512);
    assert_int_equal(word_of(&p, 1, 0), 0x23456789);
    assert_int_equal(word_of(&p, 1, 255), 1); /* XLEN-wide elements */
    SCOPED(program) q = program_new(ISA32, NULL, "li s0, 0x23456789\nmmov.mx m1, s0\nebreak\n");
    program_expect(&q, SAM_HART_EBREAK);
    assert_int_equal(word_of(&q, 1, 255), 0x23456789);
}

TEST(options)
{
    struct sam_hart_options o = {.mlen = 1024};
    struct sam_hart *hart;
    succeeds(sam_isa_parse, ISA64, &o.isa);
    must_fail(SAM_ERR_USAGE, "128, 256 or 512", sam_hart_new, &o, &hart);
    o = (struct sam_hart_options){.mlen = 128};
    succeeds(sam_isa_parse, "rv64im_zicsr", &o.isa);
    succeeds(sam_hart_new, &o, &hart);
    assert_null(sam_hart_m(hart, 0));
    assert_int_equal(sam_hart_m_size(hart), 0);
    sam_hart_free(hart);
}

/* The report names the violated rule, with the values (2.12). */
TEST(reports)
{
#define SIZES "li t0, 0x401010\nmcfg zero, t0\n"
    static const struct {
        const char *setup, *insn, *text;
    } rows[] = {
        {"csrwi xmcsr, 0", "mcfgmi zero, 1",
         "illegal instruction: xmcsr is 0, which turns the matrix unit off: csrwi xmcsr, 1; pc"},
        {"", "mldb m0, zero, (sp)", "sizeM is 0: expected 1 to 16 (mcfgm)"},
        {"mcfgmi zero, 17", "msub.s.mm m0, m1, m2", "sizeM is 17: expected 1 to 16 (mcfgm)"},
        {"mcfgmi zero, 1", "mstb m0, zero, (sp)", "sizeK is 0 bytes: expected 1 to 64 (mcfgk)"},
        {"mcfgmi zero, 1\nmcfgki zero, 6", "mldw m0, zero, (sp)",
         "sizeK is 6 bytes: expected a multiple of 4 (mcfgk)"},
        {SIZES "mcfgni zero, 0", "mmaqa.b m4, m2, m0", "sizeN is 0: expected 1 to 16 (mcfgn)"},
        {SIZES "mcfgni zero, 33", "fmmacc.h m4, m2, m0", "sizeN is 33: expected 1 to 32 (mcfgn)"},
        {SIZES "csrwi frm, 5", "fmmacc.s m4, m2, m0", "frm is 5: expected 0 to 4"},
        {SIZES, "fmmacc.h m4, m1, m0", "m1 is odd, and ms2 is a pair of registers"},
        {SIZES, "mmaqa.h m5, m2, m0", "m5 is odd, and md is a pair of registers"},
        {SIZES, "mmaqa.b m2, m2, m0", "m2 is both md and a source"},
        {"li s0, 16", "mmov.mv.x m1, m0[s0]", "row 16: expected 0 to 15"},
        {SIZES "li s0, 99", "msub.s.mv.x m0, m1, m2[s0]", "row 99: expected 0 to 15"},
        {"", "mld2mb m3, (sp)", "m3 is not a multiple of 2"},
        {SIZES "li a0, 0x10002", "mldw m0, zero, (a0)",
         "misaligned load from 0x10002: base and stride must be multiples of 4; pc"},
        {SIZES "li a0, 0x10000\nli a1, 10", "mstd m0, a1, (a0)",
         "misaligned store to 0x1000a: base and stride must be multiples of 8; pc"},
        {SIZES "li a0, 1 << 40", "mldb m0, zero, (a0)",
         "load from 0x10000000000, which cannot be read: addresses of the matrix unit have 40 bits"
         "; pc"},
        {SIZES "li a0, 64", "mstb m0, zero, (a0)", "store to 0x40, which cannot be written; pc"},
    };
#undef SIZES
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        FREED char *text = formatted("%s\n%s", rows[i].setup, rows[i].insn);
        SCOPED(program) p = start(text, 512);
        program_expect(&p, SAM_HART_TRAP);
        if (!strstr(p.result.text, rows[i].text))
            fail_msg("%s, expected: %s", p.result.text, rows[i].text);
        /* no part of another instruction's report */
        sam_hart_set_pc(p.hart, 0x10000);
        program_expect(&p, SAM_HART_TRAP);
        if (strstr(p.result.text, "instruction: ") || strstr(p.result.text, "read: "))
            fail_msg("%s", p.result.text);
    }
}
