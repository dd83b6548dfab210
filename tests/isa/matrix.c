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
    {0x001882ab, "mmov.mm m5, m6"},
    {0x0207812b, "mmov.mv.x m2, m1[a5]"},
    {0x040f802b, "mmov.mv.i m0, m3[7]"},
    {0x060003ab, "mmov.mx m7, s0"},
    {0x1054062b, "fmmacc.h m4, m2, m5"},
    {0x10540a2b, "fmmacc.s m4, m2, m5"},
    {0x10540e2b, "fmmacc.d m4, m2, m5"},
    {0x11c4052b, "fwmmacc.h m2, m6, m1"},
    {0x11c4092b, "fwmmacc.s m2, m6, m1"},
    {0x202801ab, "mmaqa.b m3, m1, m2"},
    {0x2028062b, "mmaqa.h m4, m1, m2"},
    {0x21b803ab, "pmmaqa.b m7, m5, m6"},
    {0x202881ab, "mmaqau.b m3, m1, m2"},
    {0x2028862b, "mmaqau.h m4, m1, m2"},
    {0x21b883ab, "pmmaqau.b m7, m5, m6"},
    {0x202901ab, "mmaqaus.b m3, m1, m2"},
    {0x2029062b, "mmaqaus.h m4, m1, m2"},
    {0x21b903ab, "pmmaqaus.b m7, m5, m6"},
    {0x202981ab, "mmaqasu.b m3, m1, m2"},
    {0x2029862b, "mmaqasu.h m4, m1, m2"},
    {0x21b983ab, "pmmaqasu.b m7, m5, m6"},
    {0x30f80aab, "madd.s.mm m5, m7, m6"},
    {0x322889ab, "madd.s.mv.x m3, m1, m2[s1]"},
    {0x348308ab, "madd.s.mv.i m1, m4, m0[6]"},
    {0x36628b2b, "madd.s.mx m6, m3, a3"},
    {0x30f80eab, "madd.d.mm m5, m7, m6"},
    {0x32288dab, "madd.d.mv.x m3, m1, m2[s1]"},
    {0x34830cab, "madd.d.mv.i m1, m4, m0[6]"},
    {0x36628f2b, "madd.d.mx m6, m3, a3"},
    {0x40f80aab, "msub.s.mm m5, m7, m6"},
    {0x422889ab, "msub.s.mv.x m3, m1, m2[s1]"},
    {0x448308ab, "msub.s.mv.i m1, m4, m0[6]"},
    {0x46628b2b, "msub.s.mx m6, m3, a3"},
    {0x40f80eab, "msub.d.mm m5, m7, m6"},
    {0x42288dab, "msub.d.mv.x m3, m1, m2[s1]"},
    {0x44830cab, "msub.d.mv.i m1, m4, m0[6]"},
    {0x46628f2b, "msub.d.mx m6, m3, a3"},
    {0x50f80aab, "msra.s.mm m5, m7, m6"},
    {0x522889ab, "msra.s.mv.x m3, m1, m2[s1]"},
    {0x548308ab, "msra.s.mv.i m1, m4, m0[6]"},
    {0x56628b2b, "msra.s.mx m6, m3, a3"},
    {0x50f80eab, "msra.d.mm m5, m7, m6"},
    {0x52288dab, "msra.d.mv.x m3, m1, m2[s1]"},
    {0x54830cab, "msra.d.mv.i m1, m4, m0[6]"},
    {0x56628f2b, "msra.d.mx m6, m3, a3"},
    {0x60f80aab, "mn4clip.s.mm m5, m7, m6"},
    {0x622889ab, "mn4clip.s.mv.x m3, m1, m2[s1]"},
    {0x648308ab, "mn4clip.s.mv.i m1, m4, m0[6]"},
    {0x66628b2b, "mn4clip.s.mx m6, m3, a3"},
    {0x60f80eab, "mn4clip.d.mm m5, m7, m6"},
    {0x62288dab, "mn4clip.d.mv.x m3, m1, m2[s1]"},
    {0x64830cab, "mn4clip.d.mv.i m1, m4, m0[6]"},
    {0x66628f2b, "mn4clip.d.mx m6, m3, a3"},
    {0x70f80aab, "mn4clipu.s.mm m5, m7, m6"},
    {0x722889ab, "mn4clipu.s.mv.x m3, m1, m2[s1]"},
    {0x748308ab, "mn4clipu.s.mv.i m1, m4, m0[6]"},
    {0x76628b2b, "mn4clipu.s.mx m6, m3, a3"},
    {0x70f80eab, "mn4clipu.d.mm m5, m7, m6"},
    {0x72288dab, "mn4clipu.d.mv.x m3, m1, m2[s1]"},
    {0x74830cab, "mn4clipu.d.mv.i m1, m4, m0[6]"},
    {0x76628f2b, "mn4clipu.d.mx m6, m3, a3"},
    {0x80f80aab, "mmul.s.mm m5, m7, m6"},
    {0x822889ab, "mmul.s.mv.x m3, m1, m2[s1]"},
    {0x848308ab, "mmul.s.mv.i m1, m4, m0[6]"},
    {0x86628b2b, "mmul.s.mx m6, m3, a3"},
    {0x80f80eab, "mmul.d.mm m5, m7, m6"},
    {0x82288dab, "mmul.d.mv.x m3, m1, m2[s1]"},
    {0x84830cab, "mmul.d.mv.i m1, m4, m0[6]"},
    {0x86628f2b, "mmul.d.mx m6, m3, a3"},
    {0x90f80aab, "mmulh.s.mm m5, m7, m6"},
    {0x922889ab, "mmulh.s.mv.x m3, m1, m2[s1]"},
    {0x948308ab, "mmulh.s.mv.i m1, m4, m0[6]"},
    {0x96628b2b, "mmulh.s.mx m6, m3, a3"},
    {0x90f80eab, "mmulh.d.mm m5, m7, m6"},
    {0x92288dab, "mmulh.d.mv.x m3, m1, m2[s1]"},
    {0x94830cab, "mmulh.d.mv.i m1, m4, m0[6]"},
    {0x96628f2b, "mmulh.d.mx m6, m3, a3"},
    {0x09f083ab, "mldb m7, t6, (ra)"},
    {0x0a0100ab, "mstb m1, zero, (sp)"},
    {0x185f812b, "msldb m2, t0, (t6)"},
    {0x1aa581ab, "msstb m3, a0, (a1)"},
    {0x2808802b, "mld1mb m0, (a7)"},
    {0x2a0f022b, "mst1mb m4, (t5)"},
    {0x2818802b, "mld2mb m0, (a7)"},
    {0x2a1f022b, "mst2mb m4, (t5)"},
    {0x2838802b, "mld4mb m0, (a7)"},
    {0x2a3f022b, "mst4mb m4, (t5)"},
    {0x2878802b, "mld8mb m0, (a7)"},
    {0x2a7f022b, "mst8mb m4, (t5)"},
    {0x09f087ab, "mldh m7, t6, (ra)"},
    {0x0a0104ab, "msth m1, zero, (sp)"},
    {0x185f852b, "msldh m2, t0, (t6)"},
    {0x1aa585ab, "mssth m3, a0, (a1)"},
    {0x2808842b, "mld1mh m0, (a7)"},
    {0x2a0f062b, "mst1mh m4, (t5)"},
    {0x2818842b, "mld2mh m0, (a7)"},
    {0x2a1f062b, "mst2mh m4, (t5)"},
    {0x2838842b, "mld4mh m0, (a7)"},
    {0x2a3f062b, "mst4mh m4, (t5)"},
    {0x2878842b, "mld8mh m0, (a7)"},
    {0x2a7f062b, "mst8mh m4, (t5)"},
    {0x09f08bab, "mldw m7, t6, (ra)"},
    {0x0a0108ab, "mstw m1, zero, (sp)"},
    {0x185f892b, "msldw m2, t0, (t6)"},
    {0x1aa589ab, "msstw m3, a0, (a1)"},
    {0x2808882b, "mld1mw m0, (a7)"},
    {0x2a0f0a2b, "mst1mw m4, (t5)"},
    {0x2818882b, "mld2mw m0, (a7)"},
    {0x2a1f0a2b, "mst2mw m4, (t5)"},
    {0x2838882b, "mld4mw m0, (a7)"},
    {0x2a3f0a2b, "mst4mw m4, (t5)"},
    {0x2878882b, "mld8mw m0, (a7)"},
    {0x2a7f0a2b, "mst8mw m4, (t5)"},
    {0x09f08fab, "mldd m7, t6, (ra)"},
    {0x0a010cab, "mstd m1, zero, (sp)"},
    {0x185f8d2b, "msldd m2, t0, (t6)"},
    {0x1aa58dab, "msstd m3, a0, (a1)"},
    {0x28088c2b, "mld1md m0, (a7)"},
    {0x2a0f0e2b, "mst1md m4, (t5)"},
    {0x28188c2b, "mld2md m0, (a7)"},
    {0x2a1f0e2b, "mst2md m4, (t5)"},
    {0x28388c2b, "mld4md m0, (a7)"},
    {0x2a3f0e2b, "mst4md m4, (t5)"},
    {0x28788c2b, "mld8md m0, (a7)"},
    {0x2a7f0e2b, "mst8md m4, (t5)"},
    {0x0ffc02ab, "mcfgki t0, 127"},
    {0x8e0f802b, "mcfgk zero, t6"},
    {0x1ffc02ab, "mcfgmi t0, 127"},
    {0x9e0f802b, "mcfgm zero, t6"},
    {0x2ffc02ab, "mcfgni t0, 127"},
    {0xae0f802b, "mcfgn zero, t6"},
    {0x7ffc02ab, "mcfgi t0, 127"},
    {0xfe0f802b, "mcfg zero, t6"},
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
    char shown[128], wanted[128];
    WORDS(ISA, text, word);
    assert_true(sam_disassemble(&isa, word, 0, 0, NULL, shown, sizeof shown));
    snprintf(wanted, sizeof wanted, "%s", text);
    without_blanks(shown);
    without_blanks(wanted);
    assert_string_equal(shown, wanted);
}

TEST(every_instruction)
{
    bool seen[SAM_OP_COUNT] = {false};
    struct sam_isa isa = test_isa(ISA);
    for (size_t i = 0; i < SAM_COUNT(lines); i++) {
        struct sam_insn insn;
        both_ways(lines[i].word, lines[i].text);
        assert_true(sam_decode(&isa, lines[i].word, 0, &insn));
        seen[insn.op] = true;
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
    char path[4096];
    SCOPED(sam_buffer) text = {0};
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/matrix-v0.1.tsv", getenv("SAMITE_VECTORS"));
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
