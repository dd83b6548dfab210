/* SPDX-License-Identifier: Apache-2.0 */
/* TensorLoad words against a second decoder, a switch on the fields of
 * docs/tensorload-rulings.md 2: every value of bits 31:25 and funct3, with samples of the rest.
 * Both must agree on validity, on the instruction, on every operand and on the text. */
#include "isa/isa_test.h"

struct expected {
    char mnemonic[24]; /* with its engine; "" = illegal */
    char operands[48];
    bool canonical; /* the text names the word */
    unsigned rd, rs1, rs2, rs3;
    int imm;
};

static unsigned field(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & ((2u << (high - low)) - 1);
}

static int imm8(uint32_t word)
{
    int value = (int)field(word, 27, 20);
    return value < 128 ? value : value - 256;
}

static const char *x(unsigned number)
{
    static const char *const names[32] = {
        "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
        "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
        "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
    };
    return names[number];
}

static void name_it(struct expected *e, const char *name, unsigned engine, unsigned usual)
{
    static const char *const engines[4] = {"load", "comp", "store", "reshape"};
    if (engine == usual)
        snprintf(e->mnemonic, sizeof e->mnemonic, "%s", name);
    else
        snprintf(e->mnemonic, sizeof e->mnemonic, "%s@%s", name, engines[engine]);
    e->canonical = true;
}

static void memory(struct expected *e, uint32_t word)
{
    bool store = field(word, 29, 29), masked = field(word, 28, 28);
    unsigned engine = field(word, 31, 30), tl = field(word, 19, 15);
    if (store)
        name_it(e, masked ? "tl.mstore" : "tl.store", engine, 2);
    else
        name_it(e, masked ? "tl.mload" : "tl.load", engine, 0);
    e->imm = imm8(word);
    e->rs1 = field(word, 11, 7);
    *(store ? &e->rs2 : &e->rd) = tl;
    snprintf(e->operands, sizeof e->operands, "tl%u, %d(%s)", tl, e->imm, x(e->rs1));
}

static void add_immediate(struct expected *e, uint32_t word)
{
    name_it(e, "tl.addi", field(word, 31, 30), 1);
    e->imm = imm8(word);
    e->rs1 = field(word, 19, 15);
    e->rd = field(word, 11, 7);
    snprintf(e->operands, sizeof e->operands, "tl%u, tl%u, %d", e->rd, e->rs1, e->imm);
}

static void move(struct expected *e, uint32_t word)
{
    unsigned kind = field(word, 29, 27), dim = field(word, 26, 25);
    if (kind > 2 || dim == 3)
        return;
    FREED char *name = formatted("tl.%s.%u", kind ? "merge" : "concat", dim);
    name_it(e, name, field(word, 31, 30), 3);
    e->canonical = kind != 1;
    e->rd = field(word, 11, 7);
    e->rs1 = field(word, 19, 15);
    e->rs2 = field(word, 24, 20);
    snprintf(e->operands, sizeof e->operands, "tl%u, tl%u, tl%u", e->rd, e->rs1, e->rs2);
}

static void transposed(struct expected *e, uint32_t word)
{
    e->rs1 = field(word, 19, 15);
    e->rs2 = field(word, 24, 20);
    e->rs3 = field(word, 11, 7);
    snprintf(e->operands, sizeof e->operands, "tl%u, tl%u, %s", e->rs1, e->rs2, x(e->rs3));
}

static void transpose(struct expected *e, uint32_t word)
{
    unsigned code = field(word, 28, 25), dim0 = code & 3, dim1 = code >> 2;
    bool listed = true;
    switch (code) {
    case 0x1: dim0 = 0, dim1 = 1; break;
    case 0x2: dim0 = 0, dim1 = 2; break;
    case 0x3: dim0 = 0, dim1 = 3; break;
    case 0x9: dim0 = 1, dim1 = 2; break;
    case 0xa: dim0 = 1, dim1 = 3; break;
    case 0xb: dim0 = 2, dim1 = 3; break;
    default: listed = false;
    }
    FREED char *name =
        formatted("tl.xpose.%u%u", dim0 < dim1 ? dim0 : dim1, dim0 < dim1 ? dim1 : dim0);
    name_it(e, name, field(word, 31, 30), 3);
    e->canonical = listed;
    e->imm = (int)(dim0 | dim1 << 2);
    transposed(e, word);
}

static void transpose_width(struct expected *e, uint32_t word)
{
    static const char *const pairs[] = {"01", "02", "03", "12", "13", "23"};
    static const int imm[] = {0 | 1 << 2, 0 | 2 << 2, 0 | 3 << 2,
                              1 | 2 << 2, 1 | 3 << 2, 2 | 3 << 2};
    unsigned pair = field(word, 14, 12);
    char width;
    switch (field(word, 31, 25)) {
    case 0x31: width = 'b'; break;
    case 0x32: width = 'w'; break;
    case 0x33: width = 'h'; break;
    case 0x34: width = 'd'; break;
    default: return;
    }
    if (pair > 5)
        return;
    snprintf(e->mnemonic, sizeof e->mnemonic, "tl.xpose.%c.%s", width, pairs[pair]);
    e->canonical = true;
    e->imm = imm[pair];
    transposed(e, word);
}

static struct expected expect(uint32_t word)
{
    struct expected e = {.mnemonic = ""};
    if (field(word, 31, 29) == 3) { /* EngineID 01, bit 29 */
        transpose_width(&e, word);
        return e;
    }
    bool high = field(word, 29, 29);
    switch (field(word, 14, 12)) {
    case 0:
        memory(&e, word);
        e.canonical = !high; /* stores are encoded with funct3 2 */
        break;
    case 1: move(&e, word); break;
    case 2:
        if (high)
            memory(&e, word);
        else if (!field(word, 28, 28))
            add_immediate(&e, word);
        break;
    case 3:
        if (!high)
            transpose(&e, word);
        break;
    default: break;
    }
    return e;
}

static void check(const struct sam_isa *isa, uint32_t word)
{
    struct expected e = expect(word);
    struct sam_insn insn;
    char text[128], wanted[128];
    bool legal = sam_decode(isa, word, 0, &insn);
    if (legal != (e.mnemonic[0] != '\0'))
        fail_msg("%08x: decoded as '%s', expected '%s'", word, sam_insn_rows[insn.op].mnemonic,
                 e.mnemonic);
    assert_int_equal(insn.word, word);
    sam_disassemble(isa, word, 0, 0, NULL, text, sizeof text);
    if (!legal || !e.canonical)
        snprintf(wanted, sizeof wanted, ".word 0x%08x%s%s %s", word, legal ? " # " : "", e.mnemonic,
                 e.operands);
    else
        snprintf(wanted, sizeof wanted, "%s %s", e.mnemonic, e.operands);
    if (!legal)
        wanted[strlen(wanted) - 1] = '\0';
    if (strcmp(text, wanted) != 0)
        fail_msg("%08x: '%s', expected '%s'", word, text, wanted);
    if (!legal)
        return;
    if (insn.rd != e.rd || insn.rs1 != e.rs1 || insn.rs2 != e.rs2 || insn.rs3 != e.rs3 ||
        insn.imm != e.imm)
        fail_msg("%08x %s: rd %u rs1 %u rs2 %u rs3 %u imm %d, expected %u %u %u %u %d", word, text,
                 insn.rd, insn.rs1, insn.rs2, insn.rs3, insn.imm, e.rd, e.rs1, e.rs2, e.rs3, e.imm);
    /* the instruction, not only its text: except for equal dims, op and name are one */
    size_t size = strcspn(e.mnemonic, "@");
    const char *name = sam_insn_rows[insn.op].mnemonic;
    bool nothing =
        field(word, 14, 12) == 3 && field(word, 31, 29) != 3 && (e.imm & 3) == e.imm >> 2;
    if (!nothing && (strlen(name) != size || strncmp(name, e.mnemonic, size) != 0))
        fail_msg("%08x %s: the instruction is %s", word, text, name);
}

static void sweep(const char *name)
{
    static const uint32_t samples[] = {0, 1, 2, 9, 15, 16, 21, 31};
    struct sam_isa isa = test_isa(name);
    for (uint32_t top = 0; top < 128; top++)
        for (uint32_t funct3 = 0; funct3 < 8; funct3++) {
            uint32_t code = top << 25 | funct3 << 12 | 0x5b;
            for (uint32_t a = 0; a < 32; a++)
                for (size_t i = 0; i < SAM_COUNT(samples); i++) {
                    uint32_t b = samples[i], c = samples[(i + a) % SAM_COUNT(samples)];
                    check(&isa, code | a << 20 | b << 15 | c << 7);
                    check(&isa, code | b << 20 | a << 15 | c << 7);
                    check(&isa, code | b << 20 | c << 15 | a << 7);
                }
        }
}

TEST(test_words_of_rv32)
{
    sweep("rv32im_zicsr_xtensorload");
}

TEST(test_words_of_rv64)
{
    sweep("tensor");
}

/* Every byte in imm8, with any other fields. */
TEST(test_immediates)
{
    struct sam_isa isa = test_isa("tensor");
    for (uint32_t top = 0; top < 16; top++)
        for (uint32_t imm = 0; imm < 256; imm++)
            for (uint32_t funct3 = 0; funct3 < 4; funct3 += 2)
                check(&isa, top << 28 | imm << 20 | 11 << 15 | funct3 << 12 | 21 << 7 | 0x5b);
}

/* The number of legal values among the 1024 of bits 31:25 and funct3: engines times codes of
 * each instruction, from the field tables. A load or store has three bits of imm8 among them. */
TEST(test_count)
{
    struct sam_isa isa = test_isa("tensor");
    unsigned legal = 0;
    for (uint32_t top = 0; top < 128; top++)
        for (uint32_t funct3 = 0; funct3 < 8; funct3++) {
            struct sam_insn insn;
            legal += sam_decode(&isa, top << 25 | funct3 << 12 | 0x5b, 0, &insn);
        }
    unsigned loads = 4 * 2 * 8, stores = 3 * 2 * 2 * 8, addi = 4 * 8;
    unsigned concat = 4 * 3, merge = 4 * 2 * 3, transpose = 4 * 16, widths = 4 * 6;
    assert_int_equal(legal, loads + stores + addi + concat + merge + transpose + widths);
}

/* CUSTOM-2 belongs to Ventus elsewhere, and is illegal on a hart with neither. */
TEST(test_other_isas)
{
    struct sam_isa plain = test_isa("rv32im_zicsr"), ventus = test_isa("ventus");
    struct sam_insn insn;
    assert_false(sam_decode(&plain, 0x0000005b, 0, &insn));
    assert_true(sam_decode(&ventus, 0x0000005b, 0, &insn));
    assert_int_equal(insn.op, SAM_OP_vbeq);
}
