/* SPDX-License-Identifier: Apache-2.0 */
/* Every scalar instruction of IMA_Zicsr_Zfinx against QEMU: RV32 on a Ventus warp and on a
 * tensor hart, RV64 on the latter. Each row of the tables gets an experiment by its operands, so
 * that a new row is tested or reported as missing. */

#include "test.h"

#include "isa/isa.h"
#include "oracle.h"
#include "oracle_values.h"

static const struct qemu_target targets[] = {
    {
        .xlen = 32,
        .march = "rv32ima_zicsr_zifencei_zfinx",
        .mabi = "ilp32",
        .cpu = "rv32,f=false,d=false,c=false,zfinx=true",
    },
    {
        .xlen = 64,
        .march = "rv64ima_zicsr_zifencei_zfinx",
        .mabi = "lp64",
        .cpu = "rv64,f=false,d=false,c=false,zfinx=true",
    },
};

static const char *const mode_names[] = {"rne", "rtz", "rdn", "rup", "rmm"};

struct experiment {
    struct oracle oracle;
    const struct sam_insn_row *row;
    struct oracle_axis first, second; /* full tables, into a0 and a1 */
    struct oracle_axis triple[3];     /* short ones, into a0, a1, a2 */
};

/* Run `insn` with clean flags and keep a4; flags too for floating-point rows. */
static void keep(struct experiment *x, const char *insn)
{
    struct oracle *o = &x->oracle;
    bool fp = x->row->on & SAM_EXT_ZFINX;
    if (fp)
        oracle_code(o, "csrw fflags, zero\n");
    oracle_code(o, "%s\n", insn);
    if (fp)
        oracle_code(o, "csrr a5, fflags\n");
    oracle_store(o, "a4", "%s", insn);
    if (fp)
        oracle_store(o, "a5", "fflags of %s", insn);
}

static void keep_format(struct experiment *x, const char *format, ...) SAM_PRINTF(2, 3);
static void keep_format(struct experiment *x, const char *format, ...)
{
    char insn[128];
    va_list args;
    va_start(args, format);
    vsnprintf(insn, sizeof insn, format, args);
    va_end(args);
    keep(x, insn);
}

/* Two sources, and every overlap of the destination with them. */
static void binary(struct experiment *x)
{
    const char *name = x->row->mnemonic;
    oracle_begin(&x->oracle, (struct oracle_axis[]){x->first, x->second}, 2);
    keep_format(x, "%s a4, a0, a1", name);
    oracle_code(&x->oracle, "mv a4, a0\n");
    keep_format(x, "%s a4, a4, a1", name);
    oracle_code(&x->oracle, "mv a4, a1\n");
    keep_format(x, "%s a4, a0, a4", name);
    keep_format(x, "%s a4, a0, a0", name);
    keep_format(x, "%s a4, zero, a1", name);
    keep_format(x, "%s a4, a0, zero", name);
    oracle_code(&x->oracle, "%s zero, a0, a1\n", name);
    oracle_store(&x->oracle, "zero", "%s zero, a0, a1", name);
}

/* Each static mode with a different frm; each mode in frm. */
static void rounded(struct experiment *x, const struct oracle_axis *axes, size_t depth,
                    const char *operands)
{
    const char *name = x->row->mnemonic;
    oracle_begin(&x->oracle, axes, depth);
    for (unsigned mode = 0; mode < 5; mode++) {
        oracle_code(&x->oracle, "csrwi frm, %u\n", (mode + 2) % 5);
        keep_format(x, "%s a4, %s, %s", name, operands, mode_names[mode]);
    }
    for (unsigned mode = 0; mode < 5; mode++) {
        oracle_code(&x->oracle, "csrwi frm, %u\n", mode);
        keep_format(x, "%s a4, %s # frm %s", name, operands, mode_names[mode]);
    }
}

static void immediate(struct experiment *x, const char *const *immediates, size_t count)
{
    oracle_begin(&x->oracle, &x->first, 1);
    for (size_t i = 0; i < count; i++) {
        keep_format(x, "%s a4, a0, %s", x->row->mnemonic, immediates[i]);
        oracle_code(&x->oracle, "mv a4, a0\n");
        keep_format(x, "%s a4, a4, %s", x->row->mnemonic, immediates[i]);
    }
}

static void upper(struct experiment *x)
{
    static const char *const immediates[] = {"0", "1", "0x7ffff", "0x80000", "0xfffff", "0x12345"};
    oracle_begin(&x->oracle, NULL, 0);
    for (size_t i = 0; i < SAM_COUNT(immediates); i++)
        keep_format(x, "%s a4, %s", x->row->mnemonic, immediates[i]);
}

/* Forwards and backwards; the link is kept. */
static void jal(struct experiment *x)
{
    oracle_begin(&x->oracle, NULL, 0);
    keep(x, "jal a4, 1f; li a4, 1; 1:");
    keep(x, "j 2f; 1: j 3f; 2: jal a4, 1b; li a4, 2; 3:");
    keep(x, "li a4, 3; jal zero, 1f; li a4, 4; 1:");
}

static void jalr(struct experiment *x)
{
    oracle_begin(&x->oracle, NULL, 0);
    keep(x, "la a0, 1f; jalr a4, 0(a0); li a4, 1; 1:");
    keep(x, "la a0, 1f + 1; jalr a4, 0(a0); li a4, 1; 1:"); /* bit 0 is cleared */
    keep(x, "la a0, 1f - 2047; jalr a4, 2047(a0); li a4, 1; 1:");
    keep(x, "la a0, 1f + 2048; jalr a4, -2048(a0); li a4, 1; 1:");
    keep(x, "la a4, 1f; jalr a4, 0(a4); li a4, 1; 1:"); /* rd = rs1 */
    keep(x, "li a4, 2; la a0, 1f; jalr zero, 0(a0); li a4, 1; 1:");
}

static int access_size(const struct sam_insn_row *row)
{
    char kind = row->mnemonic[1];
    return kind == 'b' ? 1 : kind == 'h' ? 2 : kind == 'w' ? 4 : 8;
}

static void load(struct experiment *x)
{
    int size = access_size(x->row);
    oracle_begin(&x->oracle, NULL, 0);
    oracle_code(&x->oracle, "la a0, bytes + 2048\n");
    for (int offset = -2048; offset < 2048; offset += offset >= -24 && offset < 24 ? size : 8 * 15)
        keep_format(x, "%s a4, %d(a0)", x->row->mnemonic, offset);
    keep_format(x, "mv a4, a0; %s a4, %d(a4)", x->row->mnemonic, 2048 - size);
}

static void store(struct experiment *x)
{
    int size = access_size(x->row);
    oracle_begin(&x->oracle, &x->first, 1);
    for (int offset = size == 8 ? -8 : -4; offset < 8; offset += size) {
        oracle_code(&x->oracle, "la a6, scratch\nli a4, 0x5a5a5a5a\n");
        for (int word = -8; word < 8; word += 4)
            oracle_code(&x->oracle, "sw a4, %d(a6)\n", word);
        oracle_code(&x->oracle, "%s a0, %d(a6)\n", x->row->mnemonic, offset);
        for (int word = -8; word < 8; word += 4) {
            oracle_code(&x->oracle, "lw a4, %d(a6)\n", word);
            oracle_store(&x->oracle, "a4", "word at %d after %s a0, %d(a6)", word, x->row->mnemonic,
                         offset);
        }
    }
}

static void branch(struct experiment *x)
{
    const char *name = x->row->mnemonic;
    oracle_begin(&x->oracle, (struct oracle_axis[]){x->first, x->second}, 2);
    keep_format(x, "li a4, 1; %s a0, a1, 1f; li a4, 0; 1:", name);
    keep_format(x, "j 2f; 1: li a4, 3; j 3f; 2: li a4, 2; %s a0, a1, 1b; 3:", name);
    keep_format(x, "li a4, 1; %s a0, zero, 1f; li a4, 0; 1:", name);
}

/* A reservation, its success, and that it is used up. */
static void reservation(struct experiment *x)
{
    static const char *const orders[] = {"", ".aq", ".rl", ".aqrl"};
    char size = x->row->mnemonic[3]; /* lr.w, lr.d */
    oracle_begin(&x->oracle, (struct oracle_axis[]){x->first, x->second}, 2);
    oracle_code(&x->oracle, "la a6, scratch\n");
    for (size_t i = 0; i < SAM_COUNT(orders); i++) {
        oracle_code(&x->oracle, "s%c a0, (a6)\n", size);
        keep_format(x, "lr.%c%s a4, (a6)", size, orders[i]);
        keep_format(x, "sc.%c%s a4, a1, (a6)", size, orders[i]);
        keep_format(x, "l%c a4, (a6)", size);
        keep_format(x, "sc.%c%s a4, a0, (a6)", size, orders[i]);
        keep_format(x, "l%c a4, (a6)", size);
    }
    /* another word */
    keep_format(x, "lr.%c a4, (a6); addi a7, a6, 8; sc.%c a4, a0, (a7)", size, size);
    keep_format(x, "lr.%c a4, (a6); mv a4, a1; sc.%c a4, a4, (a6)", size, size);
    keep_format(x, "l%c a4, (a6)", size);
}

static void atomic(struct experiment *x)
{
    static const char *const orders[] = {"", ".aq", ".rl", ".aqrl"};
    const char *name = x->row->mnemonic;
    char size = name[strlen(name) - 1]; /* amoadd.w, amoadd.d */
    oracle_begin(&x->oracle, (struct oracle_axis[]){x->first, x->second}, 2);
    oracle_code(&x->oracle, "la a6, scratch\ns%c a0, (a6)\n", size);
    for (size_t i = 0; i < SAM_COUNT(orders); i++) {
        keep_format(x, "%s%s a4, a1, (a6)", name, orders[i]);
        keep_format(x, "l%c a4, (a6)", size);
    }
    keep_format(x, "mv a4, a1; s%c a0, (a6); %s a4, a4, (a6)", size, name);
    keep_format(x, "l%c a4, (a6)", size);
    keep_format(x, "%s zero, a1, (a6); l%c a4, (a6)", name, size);
    keep_format(x, "mv a4, a6; %s a4, a1, (a4)", name);
}

/* On the floating-point CSRs, whose fields mask the written value. */
static void csr(struct experiment *x, bool is_immediate)
{
    static const char *const csrs[] = {"fflags", "frm", "fcsr"};
    static const char *const immediates[] = {"0", "1", "6", "31"};
    size_t sources = is_immediate ? SAM_COUNT(immediates) : 2;
    oracle_begin(&x->oracle, (struct oracle_axis[]){x->first, x->second}, is_immediate ? 1 : 2);
    for (size_t i = 0; i < SAM_COUNT(csrs); i++)
        for (size_t j = 0; j < sources; j++) {
            const char *source = is_immediate ? immediates[j] : j == 0 ? "a1" : "zero";
            oracle_code(&x->oracle, "csrw fcsr, a0\n");
            keep_format(x, "%s a4, %s, %s", x->row->mnemonic, csrs[i], source);
            keep(x, "csrr a4, fcsr");
            oracle_code(&x->oracle, "csrw fcsr, a0\n");
            keep_format(x, "%s zero, %s, %s; csrr a4, fcsr", x->row->mnemonic, csrs[i], source);
        }
    oracle_code(&x->oracle, "csrw fcsr, zero\n");
}

static void nothing(struct experiment *x, const char *text)
{
    oracle_begin(&x->oracle, NULL, 0);
    keep_format(x, "li a4, 7; %s", text);
}

/* False: operands unknown to this test. */
static bool add(struct experiment *x)
{
    static const char *const twelve_bits[] = {"0",  "1",    "-1",   "2",     "7",
                                              "31", "2047", "1365", "-1366", "-2048"};
    static const char *const shifts[] = {"0", "1", "4", "15", "16", "31", "32", "33", "47", "63"};
    const char *operands = x->row->operands;
    if (strcmp(operands, "d,s,t") == 0)
        binary(x);
    else if (strcmp(operands, "d,s,t,m") == 0)
        rounded(x, (struct oracle_axis[]){x->first, x->second}, 2, "a0, a1");
    else if (strcmp(operands, "d,s,t,r,m") == 0)
        rounded(x, x->triple, 3, "a0, a1, a2");
    else if (strcmp(operands, "d,s,m") == 0)
        rounded(x, &x->first, 1, "a0");
    else if (strcmp(operands, "d,s,j") == 0)
        immediate(x, twelve_bits, SAM_COUNT(twelve_bits));
    else if (strcmp(operands, "d,s,<") == 0)
        immediate(x, shifts, 6); /* below 32 */
    else if (strcmp(operands, "d,s,>") == 0)
        immediate(x, shifts, SAM_COUNT(shifts));
    else if (strcmp(operands, "d,u") == 0)
        upper(x);
    else if (strcmp(operands, "d,a") == 0)
        jal(x);
    else if (strcmp(operands, "d,o(s)") == 0)
        strcmp(x->row->mnemonic, "jalr") == 0 ? jalr(x) : load(x);
    else if (strcmp(operands, "t,q(s)") == 0)
        store(x);
    else if (strcmp(operands, "s,t,p") == 0)
        branch(x);
    else if (strcmp(operands, "d,(s)") == 0)
        reservation(x); /* lr and sc */
    else if (strcmp(operands, "d,t,(s)") == 0)
        strncmp(x->row->mnemonic, "sc.", 3) == 0 ? nothing(x, "") : atomic(x);
    else if (strcmp(operands, "d,E,s") == 0)
        csr(x, false);
    else if (strcmp(operands, "d,E,Z") == 0)
        csr(x, true);
    else if (strcmp(operands, "P,Q") == 0)
        nothing(x, "fence rw, w");
    else if (strcmp(operands, "") == 0)
        nothing(x, x->row->mnemonic);
    else if (strcmp(operands, "d,s") == 0) {
        oracle_begin(&x->oracle, &x->first, 1);
        keep_format(x, "%s a4, a0", x->row->mnemonic);
    } else
        return false;
    return true;
}

/* The tables of a run: `step` words per value. */
struct tables {
    size_t step;
    const uint32_t *ints, *floats, *few_ints, *few_floats;
};

static void set_axes(struct experiment *x, const struct tables *t)
{
    bool fp = x->row->on & SAM_EXT_ZFINX && strncmp(x->row->mnemonic, "fcvt.s.", 7) != 0;
    const char *table = fp ? "floats" : "ints", *few = fp ? "few_floats" : "few_ints";
    static const char *const words[] = {"lw a0, (%s)", "lw a1, (%s)", "lw a2, (%s)"};
    static const char *const doubles[] = {"ld a0, (%s)", "ld a1, (%s)", "ld a2, (%s)"};
    const char *const *loads = t->step == 1 ? words : doubles;
    x->first = (struct oracle_axis){
        table, fp ? t->floats : t->ints, ORACLE_VALUES, t->step, t->step, loads[0]};
    x->second = x->first;
    x->second.load = loads[1];
    for (int i = 0; i < 3; i++)
        x->triple[i] = (struct oracle_axis){
            few, fp ? t->few_floats : t->few_ints, ORACLE_FEW, t->step, t->step, loads[i]};
}

static void add_rows(struct experiment *x, const struct tables *t, uint32_t without)
{
    oracle_table(&x->oracle, "ints", t->ints, t->step * ORACLE_VALUES, 0);
    oracle_table(&x->oracle, "floats", t->floats, t->step * ORACLE_VALUES, 0);
    oracle_table(&x->oracle, "few_ints", t->few_ints, t->step * ORACLE_FEW, 0);
    oracle_table(&x->oracle, "few_floats", t->few_floats, t->step * ORACLE_FEW, 0);
    oracle_table(&x->oracle, "bytes", t->ints, ORACLE_VALUES, 1024 - ORACLE_VALUES);
    oracle_table(&x->oracle, "before_scratch", (uint32_t[1]){0}, 1, 1);
    oracle_table(&x->oracle, "scratch", (uint32_t[1]){0}, 1, 3);
    unsigned rows = 0;
    for (int op = 1; op < SAM_OP_COUNT; op++) {
        uint32_t on = sam_insn_rows[op].on;
        if (on & (without | SAM_ON_SYSTEM) ||
            !(on & (SAM_EXT_I | SAM_EXT_M | SAM_EXT_A | SAM_EXT_ZICSR | SAM_EXT_ZFINX)))
            continue;
        x->row = &sam_insn_rows[op];
        set_axes(x, t);
        if (!add(x))
            fail_msg("%s %s: no experiment for these operands", x->row->mnemonic, x->row->operands);
        rows++;
    }
    assert_true(rows >= 87);
}

/* On a Ventus warp, or on a tensor hart of `isa`. */
static void run_rv32(const char *isa)
{
    static struct oracle_values values;
    struct experiment x = {0};
    oracle_make_values(&values);
    const struct tables tables = {1, values.ints, values.floats, values.few_ints,
                                  values.few_floats};
    add_rows(&x, &tables, SAM_ON_RV64);
    if (isa)
        oracle_check_hart(&x.oracle, &targets[0], isa);
    else
        oracle_check(&x.oracle, &targets[0], "", "", 4);
    oracle_free(&x.oracle);
}

TEST(rv32_on_a_warp)
{
    run_rv32(NULL);
}

TEST(rv32_on_a_hart)
{
    run_rv32("rv32ima_zicsr_zfinx");
}

/* Doublewords: each word below is combined with one of several upper words. */
static void widen(uint32_t *wide, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t sign = words[i] >> 31 ? UINT32_MAX : 0, other = words[(5 * i + 3) % count];
        const uint32_t high[8] = {sign, ~sign, sign, 0x80000000, 0x7fffffff, other, 1, other};
        wide[2 * i] = words[i];
        wide[2 * i + 1] = high[i % 8];
    }
}

/* Replaces the last: the ends of the range, and the overflow of a division by the first. */
static void put_ends(uint32_t *wide, size_t count)
{
    static const uint32_t ends[6] = {0, 0x80000000, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0x7fffffff};
    memcpy(wide + 2 * (count - 3), ends, sizeof ends);
}

TEST(rv64_on_a_hart)
{
    static struct oracle_values values;
    static uint32_t ints[2 * ORACLE_VALUES], floats[2 * ORACLE_VALUES];
    static uint32_t few_ints[2 * ORACLE_FEW], few_floats[2 * ORACLE_FEW];
    struct experiment x = {.oracle.wide = true};
    oracle_make_values(&values);
    widen(ints, values.ints, ORACLE_VALUES);
    widen(floats, values.floats, ORACLE_VALUES);
    widen(few_ints, values.few_ints, ORACLE_FEW);
    widen(few_floats, values.few_floats, ORACLE_FEW);
    put_ends(ints, ORACLE_VALUES);
    put_ends(few_ints, ORACLE_FEW);
    const struct tables tables = {2, ints, floats, few_ints, few_floats};
    add_rows(&x, &tables, SAM_ON_RV32);
    oracle_check_hart(&x.oracle, &targets[1], "rv64ima_zicsr_zfinx");
    oracle_free(&x.oracle);
}

PROLOGUE
{
    qemu_require(&targets[0]);
    qemu_require(&targets[1]);
}
