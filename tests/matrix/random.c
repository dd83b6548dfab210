/* SPDX-License-Identifier: Apache-2.0 */
/* Every matrix instruction with random registers, sizes, operands and memory, against the plain
 * second implementation: registers, CSRs, flags, memory and traps must agree. One test per row
 * of the table, under every MLEN and XLEN; both orders of floating-point sums. */
#include "hart/program.h"

#include "isa/isa.h"
#include "reference/matrix_ref.h"

enum { ROUNDS = 40 };

/* Two pages and a little more, so that rows cross pages and run past the end. */
#define MEMORY_SIZE 0x2040u

static uint64_t seed;

static uint64_t below(uint64_t bound)
{
    return test_below(&seed, bound);
}

/* Values whose products and sums round, cancel, overflow and vanish: random bits are mostly too
 * far apart. */
static uint64_t float_bits(unsigned width)
{
    static const struct {
        unsigned exponent, fraction;
    } layouts[] = {{5, 10}, {8, 23}, {11, 52}};
    const unsigned e = layouts[width / 32].exponent, f = layouts[width / 32].fraction;
    const uint64_t top = (UINT64_C(1) << e) - 1, bias = top >> 1;
    uint64_t fraction = test_random(&seed) & ((UINT64_C(1) << f) - 1), field;
    switch (below(16)) {
    case 0: field = below(2) ? 0 : 1; break; /* around the smallest */
    case 1: field = top - 1 - below(2); break;
    case 2: field = bias / 2 - below(4); break; /* whose products are */
    case 3: field = below(60) ? 0 : top; break; /* seldom infinity or NaN */
    case 4: field = below(top); break;
    case 5: field = bias - below(8); break;
    default: field = bias - 2 + below(5); break;
    }
    if (below(4) == 0)
        fraction = below(2) ? 0 : (UINT64_C(1) << (f - 1));
    if (below(3) == 0) /* (1 + x)(1 - x): products close to halfway between two sums */
        fraction = below(2) ? 1 + below(2) : (UINT64_C(1) << f) - 1 - below(3);
    if (below(4) == 0)
        fraction &= UINT64_MAX << (f / 2);
    return (uint64_t)below(2) << (width - 1) | field << f | fraction;
}

/* 32-bit halves of doubles are interpreted as floats as well, which does no harm. */
static void fill(uint8_t *bytes, size_t size, unsigned width)
{
    for (size_t i = 0; i < size; i += width / 8) {
        uint64_t value = width >= 16 && below(8) ? float_bits(width) : test_random(&seed);
        for (unsigned k = 0; k < width / 8; k++)
            bytes[i + k] = (uint8_t)(value >> 8 * k);
    }
}

struct bench {
    struct sam_hart *hart;
    struct matrix_ref ref;
    uint8_t memory[MEMORY_SIZE];
    unsigned mlen, xlen;
};

static void bench_open(struct bench *b, unsigned mlen, unsigned xlen, bool tree)
{
    struct sam_hart_options options = {.mlen = mlen, .fp_tree = tree};
    *b = (struct bench){.mlen = mlen, .xlen = xlen};
    succeeds(sam_isa_parse,
             xlen == 32 ? "rv32im_zicsr_zfinx_xmatrix" : "rv64im_zicsr_zfinx_xmatrix",
             &options.isa);
    succeeds(sam_hart_new, &options, &b->hart);
    succeeds(sam_hart_map, b->hart, DATA_BASE, MEMORY_SIZE);
    succeeds(sam_hart_map, b->hart, SAM_HART_CODE_BASE, 4096);
    b->ref.base = DATA_BASE;
    b->ref.memory = b->memory;
    b->ref.memory_size = MEMORY_SIZE;
    matrix_ref_reset(&b->ref, mlen, xlen);
    b->ref.tree = tree;
}

/* A size that is mostly valid: 1..top in steps of `unit`. */
static unsigned size_up_to(unsigned top, unsigned unit)
{
    unsigned odd = (unsigned)below(24);
    if (odd == 0)
        return (unsigned)below(3) ? (unsigned)below(256) : 0;
    return odd < 12 ? top : unit * (1 + (unsigned)below(top / unit));
}

static uint64_t address_near_memory(unsigned unit)
{
    uint64_t offset = below(8) ? below(0x1000) : 0xf00 + below(0x1200);
    return DATA_BASE + (below(12) ? offset / unit * unit : offset);
}

static void choose_state(struct bench *b, const struct sam_insn_row *row)
{
    struct matrix_ref *r = &b->ref;
    const unsigned size = 1u << (row->match >> 10 & 3), width = 8 * size;
    for (unsigned i = 0; i < 8; i++) {
        fill(r->m[i][0], sizeof r->m[i], width);
        if (b->mlen != 512) /* rows of the hart lie closer: unused bytes stay zero */
            for (unsigned k = 0; k < 16; k++)
                for (unsigned at = 0; at < 64; at++)
                    if (k >= b->mlen / 32 || at >= b->mlen / 8)
                        r->m[i][k][at] = 0;
    }
    fill(b->memory, sizeof b->memory, 8);
    r->size_m = size_up_to(b->mlen / 32, 1);
    r->size_n = size_up_to(below(2) ? b->mlen / 32 : b->mlen / 16, 1);
    r->size_k = size_up_to(b->mlen / 8, size);
    r->start = below(6) ? 0 : (unsigned)below(20);
    r->state = below(40) ? 1 + (unsigned)below(3) : 0;
    r->round = (unsigned)below(4);
    r->saturated = (unsigned)below(2);
    r->fp.rm = below(3) ? (unsigned)below(5) : below(12) ? 0 : (unsigned)below(8);
    r->fp.flags = below(2) ? 0 : (unsigned)below(32);
    for (unsigned i = 1; i < 32; i++) {
        unsigned kind = (unsigned)below(4);
        r->x[i] = kind == 0   ? below(20)
                  : kind == 1 ? address_near_memory(size)
                  : kind == 2 ? size * below(200) - (below(6) ? 0 : 1)
                              : test_random(&seed);
        if (b->xlen == 32)
            r->x[i] = (uint32_t)r->x[i];
    }
}

/* Most addresses of a load or store should be valid. */
static void choose_address(struct bench *b, const struct sam_insn_row *row, uint32_t word)
{
    const bool whole = row->match >> 29 & 1;
    const unsigned size = 1u << (word >> 10 & 3), rs1 = word >> 15 & 31, rs2 = word >> 20 & 31;
    if (below(4) == 0)
        return;
    if (!whole && rs2)
        b->ref.x[rs2] = size * below(0x100 / size);
    if (rs1)
        b->ref.x[rs1] = DATA_BASE + below((whole ? 0x40 : 0x1000) / size) * size;
}

static void set_csr(struct sam_hart *hart, unsigned address, uint64_t value)
{
    assert_true(sam_hart_set_csr(hart, address, value));
}

static uint64_t csr(struct sam_hart *hart, unsigned address)
{
    uint64_t value;
    assert_true(sam_hart_csr(hart, address, &value));
    return value;
}

static enum sam_status run_word(struct bench *b, uint32_t word, struct sam_hart_result *result)
{
    struct sam_error error;
    uint8_t code[4];
    sam_put_le32(code, word);
    succeeds(sam_hart_write, b->hart, SAM_HART_CODE_BASE, code, 4);
    sam_hart_set_pc(b->hart, SAM_HART_CODE_BASE);
    return sam_hart_step(b->hart, result, &error);
}

static void set_sizes(struct bench *b, uint32_t sizes)
{
    struct sam_hart_result result;
    sam_hart_set_x(b->hart, 5, sizes);
    assert_int_equal(run_word(b, 0xfe02802b, &result), SAM_OK); /* mcfg zero, t0 */
}

/* The hart in the state of the reference. Sizes and saturation have no writable CSR:
 * instructions set them. */
static void load_state(struct bench *b)
{
    struct sam_hart *h = b->hart;
    const struct matrix_ref *r = &b->ref;
    struct sam_hart_result result;
    uint8_t packed[1024];
    set_csr(h, 0x802, 1);
    set_csr(h, 0x803, 0);
    if (r->saturated) {
        set_sizes(b, 8 << 16 | 1 << 8 | 1);
        memset(packed, 0xff, sizeof packed);
        sam_hart_set_m(h, 2, packed);
        sam_hart_set_x(h, 9, 0);
        /* mn4clipu.d.mx m0, m2, s1 */
        assert_int_equal(run_word(b, 0x76408c2b, &result), SAM_OK);
    }
    assert_int_equal(csr(h, 0xcc0), r->saturated);
    set_sizes(b, matrix_ref_size(r));
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned k = 0; k < b->mlen / 32; k++)
            memcpy(packed + k * b->mlen / 8, r->m[i][k], b->mlen / 8);
        sam_hart_set_m(h, i, packed);
    }
    for (unsigned i = 1; i < 32; i++)
        sam_hart_set_x(h, i, r->x[i]);
    set_csr(h, 0x801, r->start);
    set_csr(h, 0x802, r->state);
    if (r->round) /* it is 0 already, and writing it again would clear xmxsat */
        set_csr(h, 0x803, r->round);
    set_csr(h, 0x003, r->fp.rm << 5 | r->fp.flags);
    succeeds(sam_hart_write, h, DATA_BASE, b->memory, MEMORY_SIZE);
}

static void compare(struct bench *b, const char *text)
{
    struct sam_hart *h = b->hart;
    const struct matrix_ref *r = &b->ref;
    static uint8_t memory[MEMORY_SIZE];
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned k = 0; k < b->mlen / 32; k++) {
            const uint8_t *row = sam_hart_m(h, i) + k * b->mlen / 8;
            for (unsigned at = 0; at < b->mlen / 8; at++)
                if (row[at] != r->m[i][k][at])
                    fail_msg("%s: m%u row %u byte %u is %02x, not %02x (M %u N %u K %u frm %u%s)",
                             text, i, k, at, row[at], r->m[i][k][at], r->size_m, r->size_n,
                             r->size_k, r->fp.rm, r->tree ? ", tree" : "");
        }
    }
    for (unsigned i = 1; i < 32; i++)
        if (sam_hart_x(h, i) != r->x[i])
            fail_msg("%s: x%u is %llx", text, i, (unsigned long long)sam_hart_x(h, i));
    const struct {
        unsigned address;
        uint64_t value;
    } csrs[] = {{0x801, r->start},     {0x802, r->state},           {0x803, r->round},
                {0xcc0, r->saturated}, {0xcc1, matrix_ref_size(r)}, {0x001, r->fp.flags}};
    for (size_t i = 0; i < SAM_COUNT(csrs); i++)
        if (csr(h, csrs[i].address) != csrs[i].value)
            fail_msg("%s: CSR %03x is %llx, not %llx (M %u N %u K %u frm %u)", text,
                     csrs[i].address, (unsigned long long)csr(h, csrs[i].address),
                     (unsigned long long)csrs[i].value, r->size_m, r->size_n, r->size_k, r->fp.rm);
    succeeds(sam_hart_read, h, DATA_BASE, memory, MEMORY_SIZE);
    assert_memory_equal(memory, b->memory, MEMORY_SIZE);
}

static void one(struct bench *b, const struct sam_insn_row *row, unsigned *done)
{
    struct sam_hart_options any = {0};
    struct sam_hart_result result;
    struct sam_error error;
    const unsigned uop = row->match >> 25 & 7;
    uint32_t word = row->match | ((uint32_t)test_random(&seed) & ~row->mask);
    char text[96];
    choose_state(b, row);
    if (uop == 4 || uop == 5) {
        choose_address(b, row, word);
        if ((row->match >> 29 & 1) && below(4)) /* the group of a whole-register form */
            word &= ~((row->match >> 20 & 7) << 7);
    }
    sam_isa_parse("tensor", &any.isa, &error);
    sam_disassemble(&any.isa, word, 0, 0, NULL, text, sizeof text);
    load_state(b);
    bool good = matrix_ref_run(&b->ref, word);
    enum sam_status status = run_word(b, word, &result);
    if ((status == SAM_OK) != good)
        fail_msg("%s: %s, the reference says %s (M %u N %u K %u)", text,
                 status == SAM_OK ? "runs" : result.text, good ? "it runs" : "it traps",
                 b->ref.size_m, b->ref.size_n, b->ref.size_k);
    if (!good && (result.cause != b->ref.cause || result.tval != b->ref.tval))
        fail_msg("%s: cause %u tval %llx, not %u %llx", text, result.cause,
                 (unsigned long long)result.tval, b->ref.cause, (unsigned long long)b->ref.tval);
    compare(b, text);
    *done += good;
}

static void test_row(void **state)
{
    const struct sam_insn_row *row = *state;
    const bool floating = row->match >> 28 == 1 && (row->match >> 25 & 7) == 0;
    static struct bench b;
    unsigned done = 0;
    for (unsigned mlen = 128; mlen <= 512; mlen *= 2) {
        for (unsigned i = 0; i < (floating ? 4u : 2u); i++) {
            bench_open(&b, mlen, i % 2 ? 32 : 64, i / 2);
            for (unsigned n = 0; n < (floating && mlen == 512 ? ROUNDS / 4 : ROUNDS); n++)
                one(&b, row, &done);
            sam_hart_free(b.hart);
        }
    }
    assert_true(done > ROUNDS / 4); /* not all of them trapped */
}

PROLOGUE
{
    seed = test_seed();
    for (int op = 1; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *row = &sam_insn_rows[op];
        if (row->on == SAM_EXT_XMATRIX)
            test_add(test_row, row, "%s", row->mnemonic);
    }
}
