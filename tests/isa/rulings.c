/* SPDX-License-Identifier: Apache-2.0 */
/* docs/ventus-rulings.md, the rulings on encodings, one test each, named after the ruling. Words
 * are assembled here from the manual's fields, independently of the tables. */
#include "isa/isa_test.h"

#define V "ventus"

static uint32_t r_type(uint32_t opcode, uint32_t funct3, uint32_t funct7, uint32_t d, uint32_t s,
                       uint32_t t)
{
    return opcode | d << 7 | funct3 << 12 | s << 15 | t << 20 | funct7 << 25;
}

static uint32_t i_type(uint32_t opcode, uint32_t funct3, uint32_t d, uint32_t s, int32_t imm)
{
    return opcode | d << 7 | funct3 << 12 | s << 15 | (uint32_t)imm << 20;
}

static uint32_t s_type(uint32_t opcode, uint32_t funct3, uint32_t s, uint32_t t, int32_t imm)
{
    return opcode | ((uint32_t)imm & 31) << 7 | funct3 << 12 | s << 15 | t << 20 |
           ((uint32_t)imm >> 5 & 127) << 25;
}

static uint32_t b_type(uint32_t funct3, uint32_t s, uint32_t t, int32_t offset)
{
    uint32_t o = (uint32_t)offset;
    return 0x5b | (o >> 11 & 1) << 7 | (o >> 1 & 15) << 8 | funct3 << 12 | s << 15 | t << 20 |
           (o >> 5 & 63) << 25 | (o >> 12 & 1) << 31;
}

static uint32_t prefix_word(uint32_t funct3, uint32_t imm)
{
    return 0x0b | funct3 << 12 | imm << 20;
}

/* regext: x3, x2, x1, xd */
static uint32_t regext(uint32_t x3, uint32_t x2, uint32_t x1, uint32_t xd)
{
    return prefix_word(2, x3 << 9 | x2 << 6 | x1 << 3 | xd);
}

/* regexti: immediate's high six bits, x2, xd */
static uint32_t regexti(uint32_t high, uint32_t x2, uint32_t xd)
{
    return prefix_word(3, (high & 63) << 6 | x2 << 3 | xd);
}

TEST(ruling_01_vadd12_and_vsub12)
{
    WORDS(V, "vadd12.vi v1, v2, -2048", i_type(0x0b, 0, 1, 2, -2048));
    WORDS(V, "vadd12.vi v31, v0, 2047", i_type(0x0b, 0, 31, 0, 2047));
    WORDS(V, "vsub12.vi v1, v2, -1", i_type(0x0b, 1, 1, 2, -1));
    test_refused(V, "vadd12.vi v1, v2, 2048", "imm[11:0] = 2048 is outside -2048..2047");
    struct sam_isa isa = test_isa(V);
    struct sam_insn insn;
    assert_true(sam_decode(&isa, i_type(0x0b, 0, 1, 2, -5), 0, &insn));
    assert_int_equal(insn.imm, -5);
}

TEST(ruling_02_branch_operand_order)
{
    static const struct {
        const char *name;
        uint32_t funct3;
    } branches[] = {{"vbeq", 0}, {"vbne", 1}, {"vblt", 4}, {"vbge", 5}, {"vbltu", 6}, {"vbgeu", 7}};
    for (size_t i = 0; i < SAM_COUNT(branches); i++) {
        for (int32_t offset = -4096; offset <= 4092; offset += 4) {
            FREED char *text = formatted("%s v7, v9, . %c %d", branches[i].name,
                                         offset < 0 ? '-' : '+', abs(offset));
            WORDS(V, text, b_type(branches[i].funct3, 9, 7, offset));
        }
    }
    test_same(V, "vbgt v7, v9, . + 8", "vblt v9, v7, . + 8");
    test_same(V, "vble v7, v9, . + 8", "vbge v9, v7, . + 8");
    test_same(V, "vbgtu v7, v9, . + 8", "vbltu v9, v7, . + 8");
    test_same(V, "vbleu v7, v9, . + 8", "vbgeu v9, v7, . + 8");
    test_refused(V, "vbeq v1, v2, . + 4096", "4096 bytes away, vbeq reaches -4096..4094");
}

TEST(join_setrpc)
{
    WORDS(V, "join", 0x0000205b);
    WORDS(V, "join zero, zero, 0", 0x0000205b);
    WORDS(V, "setrpc zero, t1, 20", 0x0143305b);
    WORDS(V, "setrpc t0, t1, -4", i_type(0x5b, 3, 5, 6, -4));
    /* an address: with auipc */
    WORDS(V, "setrpc t1, after\nnop\nafter: join", 0x00000317, i_type(0x5b, 3, 0, 6, 12), 0x13,
          0x205b);
}

TEST(ruling_03_vfexp_and_vftta)
{
    WORDS(V, "vfexp.v v1, v2", r_type(0x0b, 6, 2 << 1 | 1, 1, 0, 2));
    WORDS(V, "vfexp.v v1, v2, v0.t", r_type(0x0b, 6, 2 << 1, 1, 0, 2));
    WORDS(V, "vftta.vv v1, v2, v3", r_type(0x0b, 4, 3 << 1 | 1, 1, 3, 2));
    WORDS(V, "vftta.vv v1, v2, v3, v0.t", r_type(0x0b, 4, 3 << 1, 1, 3, 2));
}

TEST(ruling_04_private_stores)
{
    static const struct {
        const char *name;
        uint32_t funct3;
    } stores[] = {{"vsb.v", 0}, {"vsh.v", 1}, {"vsw.v", 2}};
    static const struct {
        const char *name;
        uint32_t funct3;
    } loads[] = {{"vlb.v", 0}, {"vlh.v", 1}, {"vlw.v", 2}, {"vlbu.v", 4}, {"vlhu.v", 5}};
    char text[64];
    for (int32_t imm = -1024; imm <= 1023; imm += 31) {
        for (size_t i = 0; i < SAM_COUNT(stores); i++) {
            snprintf(text, sizeof text, "%s v3, %d(v4)", stores[i].name, imm);
            WORDS(V, text, (s_type(0x2b, stores[i].funct3, 4, 3, imm) & 0x7fffffff) | 0x80000000u);
        }
        for (size_t i = 0; i < SAM_COUNT(loads); i++) {
            snprintf(text, sizeof text, "%s v3, %d(v4)", loads[i].name, imm);
            WORDS(V, text, i_type(0x2b, loads[i].funct3, 3, 4, imm) & 0x7fffffff);
        }
    }
    test_refused(V, "vsw.v v3, 1024(v4)", "= 1024 is outside -1024..1023");
    test_refused(V, "vlw.v v3, -1025(v4)", "= -1025 is outside -1024..1023");
}

TEST(ruling_05_private_base_is_a_vector)
{
    test_refused(V, "vlw.v v3, 0(a0)", "expected a vector register (vs1), found 'a0'");
    test_refused(V, "vsw.v v3, 0(a0)", "expected a vector register (vs1), found 'a0'");
}

TEST(ruling_06_gather_and_scatter)
{
    static const struct {
        const char *name;
        uint32_t funct3;
        bool store;
    } rows[] = {{"vlb12.v", 0, false},  {"vlh12.v", 1, false},  {"vlw12.v", 2, false},
                {"vlbu12.v", 4, false}, {"vlhu12.v", 5, false}, {"vsh12.v", 3, true},
                {"vsw12.v", 6, true},   {"vsb12.v", 7, true}};
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        for (int32_t imm = -2048; imm <= 2047; imm += 65) {
            FREED char *text = formatted("%s v30, %d(v1)", rows[i].name, imm);
            WORDS(V, text,
                  rows[i].store ? s_type(0x7b, rows[i].funct3, 1, 30, imm)
                                : i_type(0x7b, rows[i].funct3, 30, 1, imm));
        }
    }
    test_refused(V, "vlw12.v v3, 0(a0)", "expected a vector register");
}

TEST(ruling_10_regext_fields)
{
    /* add: rd = xd, rs1 = x1, rs2 = x2 */
    WORDS(V, "add x45, x33, x63", regext(0, 1, 1, 1), r_type(0x33, 0, 0, 13, 1, 31));
    WORDS(V, "add a0, a1, x32", regext(0, 1, 0, 0), r_type(0x33, 0, 0, 10, 11, 0));
    /* vadd.vv vd, vs2, vs1 */
    WORDS(V, "vadd.vv v255, v64, v100", regext(0, 2, 3, 7), r_type(0x57, 0, 1, 31, 4, 0));
    /* mixed scalar and vector */
    WORDS(V, "vadd.vx v1, v2, x40", regext(0, 0, 1, 0), r_type(0x57, 4, 1, 1, 8, 2));
    /* a branch: bits[24:20] are x2; the offset counts from the branch, not from its prefix */
    WORDS(V, "vbeq v40, v1, target\ntarget: nop", regext(0, 1, 0, 0), b_type(0, 1, 8, 4), 0x13);
    /* custom stores: data through x2; standard vector stores through x3 */
    WORDS(V, "vsw12.v v200, 4(v33)", regext(0, 6, 1, 0), s_type(0x7b, 6, 1, 8, 4));
    WORDS(V, "vsw.v v200, 4(v33)", regext(0, 6, 1, 0),
          (s_type(0x2b, 2, 1, 8, 4) & 0x7fffffff) | 0x80000000u);
    WORDS(V, "vse32.v v200, (x33)", regext(6, 0, 1, 0), 0x02006027u | 8 << 7 | 1 << 15);
    WORDS(V, "sw x40, 4(x33)", regext(0, 1, 1, 0), s_type(0x23, 2, 1, 8, 4));
    /* a multiply-add's addend and destination: xd */
    WORDS(V, "vmacc.vv v96, v32, v64", regext(0, 2, 1, 3), r_type(0x57, 2, 0x2d << 1 | 1, 0, 0, 0));
    /* no prefix where none is needed */
    WORDS(V, "add x31, x31, x31", r_type(0x33, 0, 0, 31, 31, 31));
}

TEST(ruling_10_regexti_fields)
{
    for (int32_t imm = -1024; imm <= 1023; imm++) {
        uint32_t word = r_type(0x57, 3, 1, 1, (uint32_t)imm & 31, 2);
        FREED char *text = formatted("vadd.vi v1, v2, %d", imm);
        if (imm >= -16 && imm <= 15)
            WORDS(V, text, word);
        else
            WORDS(V, text, regexti((uint32_t)imm >> 5, 0, 0), word);
    }
    /* high registers in a form with an immediate */
    WORDS(V, "vadd.vi v200, v100, -1", regexti(63, 3, 6), r_type(0x57, 3, 1, 8, 31, 4));
    WORDS(V, "vadd.vi v200, v100, 5", regexti(0, 3, 6), r_type(0x57, 3, 1, 8, 5, 4));
    /* csr immediates are zero-extended */
    WORDS(V, "csrwi tid, 2047", regexti(63, 0, 0), i_type(0x73, 5, 0, 31, 0x800));
    WORDS(V, "csrrwi x40, tid, 3", regexti(0, 0, 1), i_type(0x73, 5, 8, 3, 0x800));
    test_refused(V, "vadd.vi v1, v2, 1024", "simm[4:0] = 1024 is outside -1024..1023");
    test_refused(V, "csrwi tid, 2048", "uimm[4:0] = 2048 is outside 0..2047");
    test_refused(V, "csrwi tid, -1", "uimm[4:0] = -1 is outside");
    struct sam_isa isa = test_isa(V);
    struct sam_insn insn;
    assert_true(sam_decode(&isa, r_type(0x57, 3, 1, 1, 3, 2), regexti(63, 0, 0), &insn));
    assert_int_equal(insn.imm, -29);
}

TEST(ruling_10_only_registers_are_extended)
{
    struct sam_isa isa = test_isa(V);
    struct sam_insn insn;
    /* addi's immediate occupies the field of rs2: x2 does not affect it */
    assert_true(sam_decode(&isa, i_type(0x13, 0, 1, 2, 7), regext(1, 1, 1, 1), &insn));
    assert_int_equal(insn.imm, 7);
    assert_int_equal(insn.rd, 33);
    assert_int_equal(insn.rs1, 34);
    /* srli's shift amount, the barrier's scope */
    assert_true(sam_decode(&isa, i_type(0x13, 5, 1, 2, 7), regext(1, 1, 1, 1), &insn));
    assert_int_equal(insn.imm, 7);
    assert_true(sam_decode(&isa, 0x0400c00b, regext(0, 0, 1, 0), &insn));
    assert_int_equal(insn.imm, 1);
}

TEST(ruling_10_explicit_prefix)
{
    uint32_t prefix = regext(0, 1, 0, 0), word = r_type(0x57, 0, 1, 1, 3, 2);
    /* up to 31: the raw field; above: it must agree with the prefix */
    WORDS(V, "regext zero, zero, 64\nvadd.vv v1, v2, v3", prefix, word);
    WORDS(V, "regext zero, zero, 64\nvadd.vv v1, v34, v3", prefix, word);
    WORDS(V, "regext zero, zero, 64\nlabel: vadd.vv v1, v34, v3", prefix, word);
    test_refused(V, "regext zero, zero, 64\nvadd.vv v1, v2, v33",
                 "v33 as vs1 needs bits 7:5 = 1, the regext in front gives 0");
    test_refused(V, "regext zero, zero, 64\nvadd.vv v33, v2, v3", "v33 as vd needs bits 7:5 = 1");
    test_refused(V, "regext zero, zero, 64\nvadd.vv v1, v66, v3",
                 "v66 as vs2 needs bits 7:5 = 2, the regext in front gives 1");
    WORDS(V, "regexti zero, zero, 192\nvadd.vi v1, v2, 4", regexti(3, 0, 0),
          r_type(0x57, 3, 1, 1, 4, 2));
    WORDS(V, "regexti zero, zero, 192\nvadd.vi v1, v2, 100", regexti(3, 0, 0),
          r_type(0x57, 3, 1, 1, 4, 2));
    test_refused(V, "regexti zero, zero, 192\nvadd.vi v1, v2, 200", "needs bits 10:5 = 6");
    /* the prefix applies to one instruction only */
    WORDS(V, "regext zero, zero, 64\nvadd.vv v1, v34, v3\nvadd.vv v1, v34, v3", prefix, word,
          prefix, word);
    /* immediates of the family: signed and unsigned spellings of the same bits */
    WORDS(V, "regext zero, zero, 4095\nvadd.vv v1, v2, v3", prefix_word(2, 0xfff), word);
    test_same(V, "regext zero, zero, -1\nvadd.vv v1, v2, v3", "regext 4095\nvadd.vv v1, v2, v3");
    WORDS(V, "regext zero, zero, -2048", prefix_word(2, 0x800));
    test_refused(V, "regext zero, zero, 4096", "= 4096 is outside -2048..4095");
    test_refused(V, "regext zero, zero, -2049", "= -2049 is outside -2048..4095");
}

TEST(ruling_10_label_binds_to_the_prefix)
{
    WORDS(V, "j there\nthere: add x45, a0, a1", 0x0040006f, regext(0, 0, 0, 1),
          r_type(0x33, 0, 0, 13, 10, 11));
    WORDS(V, "there: add x45, a0, a1\nj there", regext(0, 0, 0, 1), r_type(0x33, 0, 0, 13, 10, 11),
          0xff9ff06f);
}

TEST(ruling_10_two_prefixes)
{
    test_refused(V, "regext zero, zero, 1\nregext zero, zero, 1\nnop", "two prefixes in a row");
    test_refused(V, "regext zero, zero, 1\nregexti zero, zero, 1\nnop", "two prefixes in a row");
    struct sam_isa isa = test_isa(V);
    struct sam_insn insn;
    assert_false(sam_decode(&isa, regext(0, 0, 0, 1), regext(0, 0, 0, 1), &insn));
}

TEST(ruling_10_regexti_needs_an_immediate)
{
    test_refused(V, "regexti zero, zero, 1\nvadd.vv v1, v2, v3",
                 "'vadd.vv' is illegal after this regexti");
    test_refused(V, "regexti zero, zero, 1\naddi a0, a0, 1", "illegal after this regexti");
    test_refused(V, "regpairi zero, zero, 1\nbarrier", "illegal after this regpairi");
    struct sam_isa isa = test_isa(V);
    struct sam_insn insn;
    assert_false(sam_decode(&isa, r_type(0x57, 0, 1, 1, 3, 2), regexti(0, 0, 0), &insn));
}

TEST(ruling_10_scalar_registers_end_at_63)
{
    struct sam_isa isa = test_isa(V);
    struct sam_insn insn;
    assert_true(sam_decode(&isa, r_type(0x33, 0, 0, 31, 1, 1), regext(0, 0, 0, 1), &insn));
    assert_int_equal(insn.rd, 63);
    assert_false(sam_decode(&isa, r_type(0x33, 0, 0, 31, 1, 1), regext(0, 0, 0, 2), &insn));
    test_refused(V, "add x64, a0, a1", "expected an integer register (rd), found 'x64'");
    test_refused(V, "vadd.vv v256, v0, v0", "expected a vector register (vd), found 'v256'");
    test_refused(V, "regext 2\nadd a0, a1, a2", "'add' is illegal after this regext");
}

/* Register names of F, where Zfinx registers are meant: field for field. */
TEST(ruling_2_names_of_float_registers)
{
    static const char *const names[] = {"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                        "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
                                        "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
                                        "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
    for (uint32_t i = 0; i < 64; i++) {
        char name[8];
        const uint32_t f = i % 32;
        if (i < 32)
            snprintf(name, sizeof name, "%s", names[f]);
        else
            snprintf(name, sizeof name, "f%u", f);
        FREED char *text = formatted("flw %s, 4(a1)\nfadd.s %s, %s, a0, rne\nvfadd.vf v1, v2, %s",
                                     name, name, name, name);
        WORDS(V, text, 4u << 20 | 11u << 15 | 2u << 12 | f << 7 | 0x07,
              r_type(0x53, 0, 0, f, f, 10), r_type(0x57, 5, 1, 1, f, 2));
    }
    WORDS(V, "fa0: addi fa0, a1, 0", r_type(0x13, 0, 0, 10, 11, 0)); /* a valid label */
    test_refused(V, "fmv.w.x fa8, a0", "expected an integer register (rd), found 'fa8'");
    test_refused(V, "fmv.w.x fs12, a0", "found 'fs12'");
    test_refused(V, "fmv.w.x ft12, a0", "found 'ft12'");
    test_refused(V, "fmv.w.x f32, a0", "found 'f32'");
    test_refused("rv32im", "add fa0, a0, a0", "found 'fa0'");
}

TEST(ruling_11_regpair_is_written_out)
{
    WORDS(V, "regpair zero, zero, 1\nadd x34, a2, a4", prefix_word(5, 1),
          r_type(0x33, 0, 0, 2, 12, 14));
    WORDS(V, "regpairi zero, zero, 64\nvadd.vi v2, v4, 33", prefix_word(7, 64),
          r_type(0x57, 3, 1, 2, 1, 4));
    struct sam_isa isa = test_isa(V);
    struct sam_insn insn;
    assert_true(sam_decode(&isa, r_type(0x33, 0, 0, 2, 12, 14), prefix_word(5, 1), &insn));
    assert_true(insn.pair);
    assert_int_equal(insn.rd, 34);
}

TEST(ruling_14_barrier_scope)
{
    WORDS(V, "barrier x0, x0, 1", 0x0400c00b);
    WORDS(V, "barrier", 0x0400400b);
    for (uint32_t scope = 0; scope < 32; scope++) {
        FREED char *text = formatted("barrier %u\nbarriersub %u", scope, scope);
        WORDS(V, text, 0x0400400b | scope << 15, 0x0600400b | scope << 15);
    }
    WORDS(V, "endprg", 0x0000400b);
    WORDS(V, "endprg x0, x0, x0", 0x0000400b);
}

TEST(scalars_without_system_instructions)
{
    test_refused(V, "ecall", "'ecall' does not exist on a Ventus warp");
    test_refused(V, "ebreak", "'ebreak' does not exist on a Ventus warp");
    WORDS("rv32i", "ecall\nebreak\nmret", 0x73, 0x100073, 0x30200073);
    /* words of compiled kernels on the x registers */
    WORDS(V, "flw t2, 12(t2)\nfsw t2, -4(sp)\nfmv.w.x a0, a1\nfmv.x.w a0, a1", 0x00c3a387,
          s_type(0x27, 2, 2, 7, -4), 0xf0058553, 0xe0058553);
    test_refused("rv32i", "flw t2, 12(t2)", "'flw' needs xventus");
}
