/* SPDX-License-Identifier: Apache-2.0 */
/* Random straight-line programs against QEMU: instructions depend on one another, flags
 * accumulate, rounding modes change. This finds errors that single experiments cannot: state
 * left behind by an instruction. Scalar and vector floating point are separate, since QEMU does
 * not combine Zfinx and V. */
#include "test.h"

#include "isa/isa.h"
#include "oracle.h"
#include "oracle_values.h"

enum { PROGRAMS = 400, LENGTH = 48, X_COUNT = 14, V_COUNT = 12 };

static const char *const x_names[X_COUNT] = {"a0", "a1", "a2", "a3", "a4", "a5", "a6",
                                             "a7", "t0", "t1", "t2", "t3", "t4", "t5"};
static const char *const modes[] = {"rne", "rtz", "rdn", "rup", "rmm", "dyn"};

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Rows with registers and plain immediates only, except those that Ventus redefines. */
static bool is_usable(const struct sam_insn_row *row, uint32_t extensions)
{
    static const char *const others[] = {"vms", "vmf", "vmadc", "vmv.", "vfmv.", "vset"};
    const char *name = row->mnemonic;
    if (!(row->on & extensions) || row->on & (SAM_ON_RV64 | SAM_ON_SYSTEM))
        return false;
    if (strstr(name, ".mm") || strstr(name, "ext.vf") || strstr(name, ".rtz."))
        return false;
    for (size_t i = 0; i < SAM_COUNT(others); i++)
        if (starts(name, others[i]))
            return false;
    return row->operands[0] && strspn(row->operands, "dstrju<mDSTikM,") == strlen(row->operands);
}

static void add_insn(struct oracle *o, const struct sam_insn_row *row, uint64_t *random)
{
    bool vector_fp = starts(row->mnemonic, "vf");
    if (vector_fp && strchr(row->operands, 's'))
        oracle_code(o, "fmv.w.x fa0, a0\n"); /* f10 there, x10 here */
    oracle_code(o, "%s ", row->mnemonic);
    for (const char *letter = row->operands; *letter; letter++) {
        unsigned r = (unsigned)test_below(random, 1 << 20);
        switch (*letter) {
        case 'd':
        case 's':
        case 't':
        case 'r':
            if (vector_fp)
                oracle_code(o, "fa0");
            else
                oracle_code(o, "%s", r % 16 ? x_names[r / 16 % X_COUNT] : "zero");
            break;
        case 'D':
        case 'S':
        case 'T': oracle_code(o, "v%u", 1 + r % V_COUNT); break;
        case 'j': oracle_code(o, "%d", (int)(r % 4096) - 2048); break;
        case 'u': oracle_code(o, "%u", r); break;
        case 'i': oracle_code(o, "%d", (int)(r % 32) - 16); break;
        case '<':
        case 'k': oracle_code(o, "%u", r % 32); break;
        case 'm': oracle_code(o, "%s", modes[r % SAM_COUNT(modes)]); break;
        case 'M': break; /* unmasked */
        default: oracle_code(o, "%c", *letter); break;
        }
    }
    oracle_code(o, "\n");
}

/* Reload a register from the tables, so that values do not degenerate to zero or NaN. */
static void reload(struct oracle *o, bool vectors, uint64_t *random)
{
    unsigned place = 4 * (unsigned)test_below(random, 2 * ORACLE_VALUES), r;
    oracle_code(o, "lw %s, %u(s8)\n", x_names[test_below(random, X_COUNT)], place);
    r = (unsigned)test_below(random, V_COUNT);
    if (vectors)
        oracle_code(o, "addi s7, s8, %u\nvle32.v v%u, (s7)\n", place, 1 + r);
}

static void add_program(struct oracle *o, const struct sam_insn_row *const *rows, size_t count,
                        unsigned lanes, unsigned index, uint64_t *random)
{
    oracle_code(o, "csrw fcsr, zero\nla s8, ints\n"); /* ints, then floats */
    for (int i = 0; i < X_COUNT; i++)
        oracle_code(o, "lw %s, %u(s8)\n", x_names[i],
                    4 * (unsigned)test_below(random, 2 * ORACLE_VALUES));
    for (unsigned i = 1; lanes && i <= V_COUNT; i++)
        oracle_code(o, "addi s7, s8, %u\nvle32.v v%u, (s7)\n",
                    4 * (unsigned)test_below(random, 2 * ORACLE_VALUES), i);
    for (int i = 0; i < LENGTH; i++) {
        if (test_below(random, 6) == 0)
            reload(o, lanes != 0, random);
        if (test_below(random, 12) == 0)
            oracle_code(o, "csrwi frm, %u\n", (unsigned)test_below(random, 5));
        if (test_below(random, 20) == 0)
            oracle_code(o, "csrrci %s, fflags, %u\n", x_names[test_below(random, X_COUNT)],
                        (unsigned)test_below(random, 32));
        add_insn(o, rows[test_below(random, count)], random);
    }
    oracle_begin(o, NULL, 0);
    for (int i = 0; i < X_COUNT; i++)
        oracle_store(o, x_names[i], "%s after program %u", x_names[i], index);
    for (unsigned i = 1; lanes && i <= V_COUNT; i++) {
        FREED char *name = formatted("v%u", i);
        oracle_store_vector(o, name, lanes, "v%u after program %u", i, index);
    }
    oracle_code(o, "csrr a0, fcsr\n");
    oracle_store(o, "a0", "fcsr after program %u", index);
}

static struct qemu_target target_of(unsigned lanes, bool vectors, char cpu[64])
{
    if (vectors)
        snprintf(cpu, 64, "rv32,v=true,vext_spec=v1.0,vlen=%u", 32 * lanes);
    else
        snprintf(cpu, 64, "rv32,f=false,d=false,c=false,zfinx=true");
    return (struct qemu_target){
        .xlen = 32,
        .march = vectors ? "rv32imafdv" : "rv32ima_zicsr_zfinx",
        .mabi = "ilp32",
        .cpu = cpu,
    };
}

/* `vectors`: integer and vector rows; else integer and Zfinx rows. */
static void run(unsigned lanes, bool vectors)
{
    char cpu[64];
    struct qemu_target target = target_of(lanes, vectors, cpu);
    const struct sam_insn_row *rows[SAM_OP_COUNT];
    uint32_t extensions = SAM_EXT_I | SAM_EXT_M | (vectors ? SAM_EXT_ZVE32F : SAM_EXT_ZFINX);
    size_t count = 0;
    for (int op = 1; op < SAM_OP_COUNT; op++)
        if (is_usable(&sam_insn_rows[op], extensions))
            rows[count++] = &sam_insn_rows[op];
    assert_true(count > (vectors ? 130 : 50));
    static struct oracle_values values;
    SCOPED(oracle) oracle = {0};
    oracle_make_values(&values);
    uint64_t random = (uint64_t)values.ints[ORACLE_VALUES - 1] << 32 | values.ints[50];
    oracle_table(&oracle, "ints", values.ints, ORACLE_VALUES, 0);
    oracle_table(&oracle, "floats", values.floats, ORACLE_VALUES, ORACLE_VALUES);
    if (vectors)
        oracle_code(&oracle, "li t0, %u\nvsetvli zero, t0, e32, m1, tu, mu\n", lanes);
    for (unsigned i = 0; i < PROGRAMS; i++)
        add_program(&oracle, rows, count, vectors ? lanes : 0, i, &random);
    oracle_check(&oracle, &target, "", "", lanes);
}

TEST(test_scalar)
{
    run(4, false);
}

TEST(test_vector_8)
{
    run(8, true);
}

TEST(test_vector_32)
{
    run(32, true);
}

PROLOGUE
{
    char cpu[64];
    for (int vectors = 0; vectors < 2; vectors++) {
        struct qemu_target target = target_of(32, vectors, cpu);
        qemu_require(&target);
    }
}
