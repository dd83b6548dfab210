/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix family: for every instruction a line with the word assembled from its fields, both
 * ways; words that are no instruction; error messages of the assembler. Then, if SAMITE_VECTORS
 * names a folder, every line of matrix-v0.1.tsv (word, mnemonic, operands). */
#include "isa/isa_test.h"

#define ISA "rv64im_zicsr_xmatrix"

struct line {
    uint32_t word;
    const char *text;
};

/* func 31:28, uop 27:25, wide 24, ms2 23:21, ms1 20:18, 17:15, 000, size 11:10, md 9:7 */
static const struct line lines[] = {
    {0x001882ab, "mmov.mm m5, m6"},       {0x0207812b, "mmov.mv.x m2, m1[a5]"},
    {0x040f802b, "mmov.mv.i m0, m3[7]"},  {0x060003ab, "mmov.mx m7, s0"},
    {0x1054062b, "fmmacc.h m4, m2, m5"},  {0x10540a2b, "fmmacc.s m4, m2, m5"},
    {0x10540e2b, "fmmacc.d m4, m2, m5"},  {0x11c4052b, "fwmmacc.h m2, m6, m1"},
    {0x11c4092b, "fwmmacc.s m2, m6, m1"}, {0x0ffc02ab, "mcfgki t0, 127"},
    {0x8e0f802b, "mcfgk zero, t6"},       {0x1ffc02ab, "mcfgmi t0, 127"},
    {0x9e0f802b, "mcfgm zero, t6"},       {0x2ffc02ab, "mcfgni t0, 127"},
    {0xae0f802b, "mcfgn zero, t6"},       {0x7ffc02ab, "mcfgi t0, 127"},
    {0xfe0f802b, "mcfg zero, t6"},
};

/* Families: a line for each suffix, whose number is added to the word in steps of `step`. */
static const char *const signs[] = {"", "u", "us", "su"}, *const sizes[] = {"b", "h", "w", "d"},
                         *const precisions[] = {"s", "d"}, *const functions[] = {"madd",
                                                                                 "msub",
                                                                                 "msra",
                                                                                 "mn4clip",
                                                                                 "mn4clipu",
                                                                                 "mmul",
                                                                                 "mmulh"};
static const struct family {
    uint32_t word;
    const char *format;
    const char *const *suffixes;
    unsigned count;
    uint32_t step;
} families[] = {
    {0x202801ab, "mmaqa%s.b m3, m1, m2", signs, 4, 0x8000},
    {0x2028062b, "mmaqa%s.h m4, m1, m2", signs, 4, 0x8000},
    {0x21b803ab, "pmmaqa%s.b m7, m5, m6", signs, 4, 0x8000},
    {0x09f083ab, "mld%s m7, t6, (ra)", sizes, 4, 0x400},
    {0x0a0100ab, "mst%s m1, zero, (sp)", sizes, 4, 0x400},
    {0x185f812b, "msld%s m2, t0, (t6)", sizes, 4, 0x400},
    {0x1aa581ab, "msst%s m3, a0, (a1)", sizes, 4, 0x400},
    {0x2808802b, "mld1m%s m0, (a7)", sizes, 4, 0x400},
    {0x2a0f022b, "mst1m%s m4, (t5)", sizes, 4, 0x400},
    {0x2818802b, "mld2m%s m0, (a7)", sizes, 4, 0x400},
    {0x2a1f022b, "mst2m%s m4, (t5)", sizes, 4, 0x400},
    {0x2838802b, "mld4m%s m0, (a7)", sizes, 4, 0x400},
    {0x2a3f022b, "mst4m%s m4, (t5)", sizes, 4, 0x400},
    {0x2878802b, "mld8m%s m0, (a7)", sizes, 4, 0x400},
    {0x2a7f022b, "mst8m%s m4, (t5)", sizes, 4, 0x400},
};
/* Of each function, func 3 to 9, in both precisions. */
static const struct line forms[] = {
    {0x00f80aab, "%s.%s.mm m5, m7, m6"},
    {0x022889ab, "%s.%s.mv.x m3, m1, m2[s1]"},
    {0x048308ab, "%s.%s.mv.i m1, m4, m0[6]"},
    {0x06628b2b, "%s.%s.mx m6, m3, a3"},
};

static void without_blanks(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' && *from != '\t')
            *to++ = *from;
    *to = '\0';
}

static void both_ways(uint32_t word, const char *text)
{
    struct sam_isa isa = test_isa(ISA);
    char shown[128];
    WORDS(ISA, text, word);
    assert_true(sam_disassemble(&isa, word, 0, 0, NULL, shown, sizeof shown));
    FREED char *wanted = formatted("%s", text);
    without_blanks(shown);
    without_blanks(wanted);
    assert_string_equal(shown, wanted);
}

static bool seen[SAM_OP_COUNT];

static void line_of(uint32_t word, const char *text)
{
    struct sam_isa isa = test_isa(ISA);
    struct sam_insn insn;
    both_ways(word, text);
    assert_true(sam_decode(&isa, word, 0, &insn));
    seen[insn.op] = true;
}

TEST(every_instruction)
{
    for (size_t i = 0; i < SAM_COUNT(lines); i++)
        line_of(lines[i].word, lines[i].text);
    for (const struct family *f = families; f < families + SAM_COUNT(families); f++)
        for (unsigned i = 0; i < f->count; i++) {
            FREED char *text = formatted(f->format, f->suffixes[i]);
            line_of(f->word + i * f->step, text);
        }
    for (unsigned i = 0; i < SAM_COUNT(functions) * SAM_COUNT(forms) * 2; i++) {
        const unsigned function = i / 8, form = i / 2 % 4, precision = i % 2;
        FREED char *text = formatted(forms[form].text, functions[function], precisions[precision]);
        line_of(forms[form].word + ((3 + function) << 28) + precision * 0x400, text);
    }
    for (int op = 1; op < SAM_OP_COUNT; op++)
        if (sam_insn_rows[op].on == SAM_EXT_XMATRIX && !seen[op])
            fail_msg("%s has no line", sam_insn_rows[op].mnemonic);
}

TEST(no_instruction)
{
    static const uint32_t words[] = {
        0x0000002b,            /* mmov.mm without its bit 15 */
        0x0000842b,            /* mmov with a size */
        0x0020802b,            /* mmov with ms2 */
        0x0001800b,            /* another opcode */
        0x1000002b,            /* fmmacc of bytes */
        0x11000c2b,            /* fwmmacc.d */
        0x2000082b,            /* mmaqa.s */
        0x2002002b,            /* a fifth kind of sign */
        0x2100042b,            /* pmmaqa.h */
        0x3000002b,            /* madd.b */
        0x3100082b,            /* madd, wide */
        0x3004082b | 7u << 15, /* madd.mm with a row */
        0x3604082b,            /* madd.mx with ms1 */
        0x0c00002b,            /* uop 6 */
        0x0800102b,            /* funct3 */
        0x2820002b,            /* three registers */
        0x3800002b,            /* load of another func */
        0xa000082b,            /* func 10 */
        0x3e00002b,            /* a fifth size to configure */
        0x0e00802b,            /* mcfgki with bit 15 */
        0x8e10002b,            /* mcfgk with rs2 */
    };
    struct sam_isa isa = test_isa(ISA);
    struct sam_insn insn;
    for (size_t i = 0; i < SAM_COUNT(words); i++)
        if (sam_decode(&isa, words[i], 0, &insn))
            fail_msg("%08x is %s", words[i], sam_insn_rows[insn.op].mnemonic);
    isa = test_isa("rv64im_zicsr");
    assert_false(sam_decode(&isa, lines[0].word, 0, &insn));
}

TEST(other_spellings)
{
    WORDS(ISA, "mrelease", 0x80215073);
    WORDS(ISA, "csrwi 0x802, 2", 0x80215073);
    WORDS(ISA, "mldw m0, t0, 0(a0)", 0x0855082b);
    WORDS(ISA, "madd.s.mx m1 ,m2, x8", 0x364008ab);
    WORDS(ISA, "madd.s.mv.i m1, m2, m3[2 + 3]", 0x344e88ab);
    both_ways(0x80215073, "csrwi xmcsr, 2");
    both_ways(0xcc102573, "csrr a0, xmsize");
    both_ways(0x80302573, "csrr a0, xmxrm");
}

TEST(refused)
{
    test_refused(ISA, "fmmacc.h m8, m2, m4", "a matrix register m0..m7");
    test_refused(ISA, "fmmacc.h m0, m2", "',' and ms1");
    test_refused(ISA, "mmov.mx m0, t0", "x8..x15");
    test_refused(ISA, "mmov.mv.i m0, m1[8]", "outside 0..7");
    test_refused(ISA, "mmov.mv.i m0, m1", "'['");
    test_refused(ISA, "mcfgki a0, 128", "outside 0..127");
    test_refused(ISA, "m3: nop", "is a register");
    test_refused("rv64im_zicsr", "mcfgki a0, 12", "needs xmatrix");
}

static void vectors(void **state)
{
    (void)state;
    SCOPED(sam_buffer) text = {0};
    unsigned count = 0;
    FREED char *path = formatted("%s/matrix-v0.1.tsv", getenv("SAMITE_VECTORS"));
    succeeds(sam_file_read, path, 1 << 20, &text);
    for (char *line = strtok((char *)text.data, "\n"); line; line = strtok(NULL, "\n"), count++) {
        char *end;
        uint32_t word = (uint32_t)strtoul(line, &end, 16);
        assert_int_equal(*end, '\t');
        char *tab = strchr(end + 1, '\t');
        if (tab)
            *tab = ' ';
        both_ways(word, end + 1);
    }
    assert_true(count > 100);
}

PROLOGUE
{
    if (getenv("SAMITE_VECTORS"))
        test_add(vectors, NULL, "vectors");
}
