/* SPDX-License-Identifier: Apache-2.0 */
/* Every vector instruction that Ventus keeps from RISC-V V against QEMU, with one element per lane
 * in a register. Both run the same program, except for the differences of Ventus:
 *   masks   bit 0 of each lane's element instead of packed bits
 *   narrow  8 and 16-bit accesses and extensions take the low bits of each 32-bit element
 * There QEMU runs equivalent instructions. vmv.x.s and its kin, which share nothing but their name,
 * are tested elsewhere.
 *
 * Registers: v2 = vs1, v4 = vs2, v6 = addend, v8 = vd, v10 and v24 (0 or 1) what vd held before,
 * v14, v16, v18 = masks as elements; s10 = all elements, s9 = vl of the experiment. */
#include "test.h"

#include "isa/isa.h"
#include "oracle.h"
#include "oracle_values.h"
#include "samite/gpu.h"

/* E2M: elements to a mask. M2E: back. */
static const char qemu_prelude[] = ".macro E2M vd, vs\n"
                                   "vand.vi v30, \\vs, 1\n"
                                   "vmsne.vi \\vd, v30, 0\n"
                                   ".endm\n"
                                   ".macro M2E vd, vs\n"
                                   "vmv1r.v v29, v0\n"
                                   "vmv1r.v v0, \\vs\n"
                                   "vmv.v.i v30, 0\n"
                                   "vmerge.vim \\vd, v30, 1, v0\n"
                                   "vmv1r.v v0, v29\n"
                                   ".endm\n";
static const char ventus_prelude[] = ".set VENTUS, 1\n"
                                     ".macro E2M vd, vs\n"
                                     "vmv.v.v \\vd, \\vs\n"
                                     ".endm\n"
                                     ".macro M2E vd, vs\n"
                                     "vmv.v.v \\vd, \\vs\n"
                                     ".endm\n";

struct setting {
    unsigned lanes;
    unsigned lmul; /* above 1 without masks, which then differ from RISC-V's */
    unsigned vl;   /* of the experiments; loads and stores around them use all elements */
};

struct experiment {
    struct oracle oracle;
    const struct setting *setting;
    const struct sam_insn_row *row;
    struct oracle_values values;
    uint32_t masks[3][ORACLE_VALUES], offsets[3][ORACLE_VALUES];
    unsigned elements; /* lanes * lmul */
    bool fp, to_mask;  /* of the row */
};

#define NO_MASK (-1)
static const char *const mask_names[] = {"v14", "v16", "v18"};
static const char *const mode_names[] = {"rne", "rtz", "rdn", "rup", "rmm"};

/* Text for Ventus and text for QEMU. */
static void code_each(struct experiment *x, const char *ventus, const char *qemu)
{
    if (strcmp(ventus, qemu) == 0)
        oracle_code(&x->oracle, "%s\n", ventus);
    else
        oracle_code(&x->oracle, ".ifdef VENTUS\n%s\n.else\n%s\n.endif\n", ventus, qemu);
}

static void set_vl(struct experiment *x, const char *avl)
{
    if (x->setting->vl != x->elements)
        oracle_code(&x->oracle, "vsetvli zero, %s, e32, m%u, tu, mu\n", avl, x->setting->lmul);
}

/* QEMU 7.2 fails an internal assertion on an instruction with a static rounding mode at the
 * start of a translated block. A preceding instruction without flags prevents that. */
static const char *before_static_mode(const struct experiment *x)
{
    return strstr(x->row->mnemonic, ".rtz.") ? "vfsgnj.vv v30, v10, v10\n" : "";
}

/* Run it on a destination that holds `before`, masked or not, and keep v8; also the flags of
 * floating-point rows. */
static void keep_each(struct experiment *x, const char *before, int mask, const char *ventus,
                      const char *qemu)
{
    struct oracle *o = &x->oracle;
    oracle_code(o, x->to_mask ? "E2M v8, v24\n" : "vmv.v.v v8, %s\n", before);
    if (mask != NO_MASK)
        oracle_code(o, "E2M v0, %s\n", mask_names[mask]);
    set_vl(x, "s9");
    if (x->fp)
        oracle_code(o, "csrw fflags, zero\n");
    code_each(x, ventus, qemu);
    if (x->fp)
        oracle_code(o, "csrr a5, fflags\n");
    set_vl(x, "s10");
    if (x->to_mask)
        oracle_code(o, "M2E v8, v8\n");
    oracle_store_vector(o, "v8", x->elements, "%s", ventus);
    if (x->fp)
        oracle_store(o, "a5", "fflags of %s", ventus);
}

/* "<mnemonic> <operands>" unmasked, in every rounding mode if it has one, and masked. */
static void keep(struct experiment *x, const char *before, const char *operands)
{
    char insn[128], qemu[192];
    bool masked = strchr(x->row->operands, 'M') && x->setting->lmul == 1;
    for (unsigned mode = 0; mode < (x->fp ? 5 : 1); mode++) {
        if (x->fp)
            oracle_code(&x->oracle, "csrwi frm, %u\n", mode);
        snprintf(insn, sizeof insn, "%s %s%s%s", x->row->mnemonic, operands, x->fp ? " # frm " : "",
                 x->fp ? mode_names[mode] : "");
        snprintf(qemu, sizeof qemu, "%s%s", before_static_mode(x), insn);
        keep_each(x, before, NO_MASK, insn, qemu);
    }
    for (int mask = 0; masked && mask < 3; mask++) {
        if (x->fp)
            oracle_code(&x->oracle, "csrwi frm, %d\n", mask);
        snprintf(insn, sizeof insn, "%s %s, v0.t # mask %d", x->row->mnemonic, operands, mask);
        snprintf(qemu, sizeof qemu, "%s%s", before_static_mode(x), insn);
        keep_each(x, before, mask, insn, qemu);
    }
}

/* A window of vector elements, at every position or at every register's multiple. */
static struct oracle_axis window(const struct experiment *x, bool every, bool few, const char *load)
{
    size_t count = few ? ORACLE_FEW : ORACLE_VALUES;
    size_t step = every ? 1 : x->elements < count ? x->elements : count;
    const uint32_t *ints = few ? x->values.few_ints : x->values.ints;
    const uint32_t *floats = few ? x->values.few_floats : x->values.floats;
    bool fp = x->fp && strncmp(x->row->mnemonic, "vfcvt.f.", 8) != 0;
    const char *table = fp ? (few ? "few_floats" : "floats") : few ? "few_ints" : "ints";
    return (struct oracle_axis){table, fp ? floats : ints, count / step, step, x->elements, load};
}

static struct oracle_axis scalar(const struct experiment *x, bool few)
{
    struct oracle_axis axis =
        window(x, true, few, x->fp ? "lw a0, (%s)\nfmv.w.x fa0, a0" : "lw a0, (%s)");
    axis.window = 1;
    return axis;
}

static const char load_vs1[] = "vle32.v v2, (%s)";
static const char load_vs2[] = "vle32.v v4, (%s)";
static const char load_addend[] = "vle32.v v6, (%s)";

static void two_vectors(struct experiment *x)
{
    oracle_begin(
        &x->oracle,
        (struct oracle_axis[]){window(x, false, false, load_vs1), window(x, true, false, load_vs2)},
        2);
    keep(x, "v10", "v8, v4, v2");
    if (!x->to_mask) { /* the destination is a source */
        keep(x, "v4", "v8, v8, v2");
        keep(x, "v2", "v8, v4, v8");
    }
}

static void vector_scalar(struct experiment *x)
{
    oracle_begin(&x->oracle,
                 (struct oracle_axis[]){window(x, false, false, load_vs2), scalar(x, false)}, 2);
    keep(x, "v10", x->fp ? "v8, v4, fa0" : "v8, v4, a0");
    if (!x->to_mask)
        keep(x, "v4", x->fp ? "v8, v8, fa0" : "v8, v8, a0");
}

static void vector_immediate(struct experiment *x, const char *const *immediates, size_t count)
{
    struct oracle_axis axis = window(x, true, false, load_vs2);
    oracle_begin(&x->oracle, &axis, 1);
    for (size_t i = 0; i < count; i++) {
        FREED char *operands = formatted("v8, v4, %s", immediates[i]);
        keep(x, "v10", operands);
    }
}

static void three_operands(struct experiment *x, bool is_scalar)
{
    struct oracle_axis axes[] = {
        window(x, false, true, is_scalar ? load_vs2 : load_vs1),
        is_scalar ? scalar(x, true) : window(x, true, true, load_vs2),
        window(x, true, true, load_addend),
    };
    oracle_begin(&x->oracle, axes, 3);
    keep(x, "v6", !is_scalar ? "v8, v2, v4" : x->fp ? "v8, fa0, v4" : "v8, a0, v4");
}

/* zext.vf2 and so on: QEMU packs the low bits first. */
static void one_vector(struct experiment *x)
{
    const char *name = x->row->mnemonic;
    struct oracle_axis axis = window(x, true, false, load_vs2);
    bool extends = strncmp(name, "vzext", 5) == 0 || strncmp(name, "vsext", 5) == 0;
    oracle_begin(&x->oracle, &axis, 1);
    if (!extends) {
        keep(x, "v10", "v8, v4");
        return;
    }
    int shift = name[strlen(name) - 1] == '2' ? 16 : 24;
    for (int mask = NO_MASK; mask < (x->setting->lmul == 1 ? 3 : 0); mask++) {
        const char *under = mask == NO_MASK ? "" : ", v0.t";
        FREED char *ventus = formatted("%s v8, v4%s", name, under);
        FREED char *qemu = formatted("vsll.vi v26, v4, %d\n%s v8, v26, %d%s", shift,
                                     name[1] == 'z' ? "vsrl.vi" : "vsra.vi", shift, under);
        keep_each(x, "v10", mask, ventus, qemu);
    }
}

/* vadc, vmerge and so on, with v0 as an operand. */
static void with_v0(struct experiment *x, const char *source)
{
    bool is_vector = strcmp(source, "v2") == 0;
    bool is_register = is_vector || strcmp(source, "a0") == 0 || strcmp(source, "fa0") == 0;
    struct oracle_axis axes[] = {
        window(x, !is_register, false, load_vs2),
        is_vector ? window(x, true, false, load_vs1) : scalar(x, false),
    };
    oracle_begin(&x->oracle, axes, is_register ? 2 : 1);
    for (int mask = 0; mask < 3; mask++) {
        FREED char *insn = formatted("%s v8, v4, %s, v0", x->row->mnemonic, source);
        keep_each(x, "v10", mask, insn, insn);
    }
}

/* vmand.mm and so on: sources are masks. */
static void mask_logic(struct experiment *x)
{
    oracle_begin(&x->oracle,
                 (struct oracle_axis[]){
                     window(x, false, false, "vle32.v v2, (%s)\nE2M v2, v2"),
                     window(x, true, false, "vle32.v v4, (%s)\nE2M v4, v4"),
                 },
                 2);
    keep(x, "v24", "v8, v4, v2");
}

static void move(struct experiment *x, const char *source)
{
    struct oracle_axis axis =
        source[0] == 'v' ? window(x, true, false, load_vs1) : scalar(x, false);
    FREED char *operands = formatted("v8, %s", source);
    oracle_begin(&x->oracle, &axis, source[0] == '-' ? 0 : 1);
    keep(x, "v10", operands);
}

/* Width of memory elements or of indices in the mnemonic: vle8.v, vsse16.v, vloxei32.v. */
static int width(const struct sam_insn_row *row)
{
    return (int)strtol(row->mnemonic + strcspn(row->mnemonic, "0123456789"), NULL, 10);
}

/* vtype of QEMU's packed elements. */
static const char *packed_type(const struct experiment *x, int bits)
{
    if (bits == 16)
        return x->setting->lmul == 1 ? "e16, mf2" : "e16, m1";
    return x->setting->lmul == 1 ? "e8, mf4" : "e8, mf2";
}

/* Unit-stride and strided loads: QEMU loads packed elements and extends them. */
static void vector_load(struct experiment *x, const char *stride)
{
    static const char *const offsets[] = {"0", "4", "512"};
    int bits = width(x->row);
    oracle_begin(&x->oracle, NULL, 0);
    if (stride)
        oracle_code(&x->oracle, "li a7, %s\n", stride);
    for (size_t i = 0; i < SAM_COUNT(offsets); i++)
        for (int mask = NO_MASK; mask < (x->setting->lmul == 1 ? 3 : 0); mask++) {
            const char *under = mask == NO_MASK ? "" : ", v0.t", *by = stride ? ", a7" : "";
            oracle_code(&x->oracle, "la a6, bytes + 1024 + %s + %d\n", offsets[i],
                        bits == 32   ? 0
                        : bits == 16 ? 2
                                     : 3);
            FREED char *ventus = formatted("%s v8, (a6)%s%s", x->row->mnemonic, by, under);
            FREED char *qemu = formatted("%s v28, (a6)%s%s\nvsext.vf%d v8, v28%s", x->row->mnemonic,
                                         by, under, 32 / bits, under);
            keep_each(x, "v10", mask, ventus, bits == 32 ? ventus : qemu);
        }
}

/* The 256 words of `scratch`, of which a store changes some. */
enum { SCRATCH = 256 };

static void keep_store(struct experiment *x, int mask, const char *ventus, const char *qemu)
{
    struct oracle *o = &x->oracle;
    oracle_code(o,
                "la a6, scratch\nli a4, %u\n1: vse32.v v10, (a6)\naddi a6, a6, %u\n"
                "addi a4, a4, -1\nbnez a4, 1b\nla a6, scratch + 512\n",
                SCRATCH / x->elements, 4 * x->elements);
    if (mask != NO_MASK)
        oracle_code(o, "E2M v0, %s\n", mask_names[mask]);
    set_vl(x, "s9");
    code_each(x, ventus, qemu);
    set_vl(x, "s10");
    oracle_code(o, "la a6, scratch\n");
    for (unsigned i = 0; i < SCRATCH; i += x->elements) {
        oracle_code(o, "vle32.v v8, (a6)\naddi a6, a6, %u\n", 4 * x->elements);
        oracle_store_vector(o, "v8", x->elements, "memory from %u after %s", 4 * i, ventus);
    }
}

/* QEMU narrows the elements, then stores them packed. */
static void vector_store(struct experiment *x, const char *stride)
{
    int bits = width(x->row);
    struct oracle_axis axis = window(x, false, false, load_vs1);
    oracle_begin(&x->oracle, &axis, 1);
    if (stride)
        oracle_code(&x->oracle, "li a7, %s\n", stride);
    for (int mask = NO_MASK; mask < (x->setting->lmul == 1 ? 3 : 0); mask++) {
        char qemu[512];
        const char *under = mask == NO_MASK ? "" : ", v0.t", *by = stride ? ", a7" : "";
        FREED char *ventus = formatted("%s v2, (a6)%s%s", x->row->mnemonic, by, under);
        int length =
            snprintf(qemu, sizeof qemu, "vsetvli zero, s9, %s, tu, mu\nvnsrl.wi v26, v2, 0\n",
                     packed_type(x, 16));
        if (bits == 8)
            length +=
                snprintf(qemu + length, sizeof qemu - (size_t)length,
                         "vsetvli zero, s9, %s, tu, mu\nvnsrl.wi v28, v26, 0\n", packed_type(x, 8));
        snprintf(qemu + length, sizeof qemu - (size_t)length,
                 "%s %s, (a6)%s%s\nvsetvli zero, s9, e32, m%u, tu, mu", x->row->mnemonic,
                 bits == 8 ? "v28" : "v26", by, under, x->setting->lmul);
        keep_store(x, mask, ventus, bits == 32 ? ventus : qemu);
    }
}

/* Each index is the low bits of its element; the other bits are noise. */
static void indexed(struct experiment *x, bool is_store)
{
    static const char *const labels[] = {"offsets_8", "offsets_16", "offsets_32"};
    int bits = width(x->row), table = bits == 8 ? 0 : bits == 16 ? 1 : 2;
    struct oracle_axis index = window(x, true, false, load_vs2);
    index.table = labels[table];
    index.values = x->offsets[table];
    oracle_begin(&x->oracle, &index, 1);
    oracle_code(&x->oracle, "la a6, bytes\nla a7, ints\nvle32.v v2, (a7)\nli a7, %s\n",
                bits == 8 ? "0xff" : "0xffff");
    for (int mask = NO_MASK; mask < (x->setting->lmul == 1 ? 3 : 0); mask++) {
        char qemu[160];
        const char *under = mask == NO_MASK ? "" : ", v0.t", *data = is_store ? "v2" : "v8";
        FREED char *ventus = formatted("%s %s, (a6), v4%s", x->row->mnemonic, data, under);
        snprintf(qemu, sizeof qemu, "vand.vx v26, v4, a7\n%.6s32.v %s, (a6), v26%s",
                 x->row->mnemonic, data, under);
        if (bits == 32)
            snprintf(qemu, sizeof qemu, "%s", ventus);
        if (is_store)
            keep_store(x, mask, ventus, qemu);
        else
            keep_each(x, "v10", mask, ventus, qemu);
    }
}

/* vl of a request; the type if both support it. */
static void configuration(struct experiment *x)
{
    static const char *const types[] = {"e32, m1, tu, mu", "e32, m2, tu, mu"};
    struct oracle_axis axis = scalar(x, false);
    oracle_begin(&x->oracle, &axis, 1);
    for (size_t i = 0; i < SAM_COUNT(types); i++) {
        char first[64], second[64];
        if (strcmp(x->row->mnemonic, "vsetvli") == 0) {
            snprintf(first, sizeof first, "vsetvli a4, a0, %s", types[i]);
            snprintf(second, sizeof second, "vsetvli a4, zero, %s", types[i]);
        } else if (strcmp(x->row->mnemonic, "vsetivli") == 0) {
            snprintf(first, sizeof first, "vsetivli a4, 3, %s", types[i]);
            snprintf(second, sizeof second, "vsetivli a4, 31, %s", types[i]);
        } else {
            snprintf(first, sizeof first, "li a1, %d; vsetvl a4, a0, a1", i ? 0x11 : 0x10);
            snprintf(second, sizeof second, "li a1, %d; vsetvl a4, zero, a1", i ? 0x11 : 0x10);
        }
        const char *const insns[] = {first, second};
        for (size_t k = 0; k < SAM_COUNT(insns); k++) {
            oracle_code(&x->oracle, "%s\n", insns[k]);
            oracle_store(&x->oracle, "a4", "%s", insns[k]);
            oracle_code(&x->oracle, "csrr a4, vl\n");
            oracle_store(&x->oracle, "a4", "vl after %s", insns[k]);
            oracle_code(&x->oracle, "csrr a4, vtype\n");
            oracle_store(&x->oracle, "a4", "vtype after %s", insns[k]);
        }
    }
    oracle_code(&x->oracle, "vsetvli zero, s10, e32, m%u, tu, mu\ncsrr a4, vlenb\n",
                x->setting->lmul);
    oracle_store(&x->oracle, "a4", "vlenb");
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* False: operands unknown to this test. */
static bool add(struct experiment *x)
{
    static const char *const signed_5[] = {"-16", "-5", "-1", "0", "1", "7", "15"};
    static const char *const unsigned_5[] = {"0", "1", "7", "16", "31"};
    static const struct {
        const char *operands;
        const char *source;
    } v0_forms[] = {{"D,T,S,0", "v2"}, {"D,T,s,0", "a0"}, {"D,T,i,0", "-13"}};
    static const char *const strides[] = {"4", "8", "-4", "0"};
    const char *name = x->row->mnemonic, *operands = x->row->operands;
    bool no_masks = x->setting->lmul > 1;
    x->fp = starts(name, "vf") || starts(name, "vmf");
    x->to_mask =
        starts(name, "vms") || starts(name, "vmf") || starts(name, "vmadc") || strstr(name, ".mm");
    if (no_masks && (x->to_mask || strchr(operands, '0')))
        return true;
    for (size_t i = 0; i < SAM_COUNT(v0_forms); i++)
        if (strcmp(operands, v0_forms[i].operands) == 0) {
            with_v0(x, x->fp ? "fa0" : v0_forms[i].source);
            return true;
        }
    if (strcmp(operands, "D,T,SM") == 0)
        two_vectors(x);
    else if (strcmp(operands, "D,T,sM") == 0)
        vector_scalar(x);
    else if (strcmp(operands, "D,T,iM") == 0)
        vector_immediate(x, signed_5, SAM_COUNT(signed_5));
    else if (strcmp(operands, "D,T,kM") == 0)
        vector_immediate(x, unsigned_5, SAM_COUNT(unsigned_5));
    else if (strcmp(operands, "D,S,TM") == 0)
        three_operands(x, false);
    else if (strcmp(operands, "D,s,TM") == 0)
        three_operands(x, true);
    else if (strcmp(operands, "D,TM") == 0)
        one_vector(x);
    else if (strcmp(operands, "D,T,S") == 0)
        strstr(name, ".mm") ? mask_logic(x) : two_vectors(x);
    else if (strcmp(operands, "D,T,s") == 0)
        vector_scalar(x);
    else if (strcmp(operands, "D,T,i") == 0)
        vector_immediate(x, signed_5, SAM_COUNT(signed_5));
    else if (strcmp(operands, "D,S") == 0)
        move(x, "v2");
    else if (strcmp(operands, "D,s") == 0)
        starts(name, "vmv.s") || starts(name, "vfmv.s") ? (void)0 : move(x, x->fp ? "fa0" : "a0");
    else if (strcmp(operands, "D,i") == 0)
        move(x, "-9");
    else if (strcmp(operands, "DM") == 0) {
        oracle_begin(&x->oracle, NULL, 0);
        keep(x, "v10", "v8");
    } else if (strcmp(operands, "D,(s)M") == 0)
        vector_load(x, NULL);
    else if (strcmp(operands, "W,(s)M") == 0)
        vector_store(x, NULL);
    else if (strcmp(operands, "D,(s),tM") == 0)
        for (size_t i = 0; i < SAM_COUNT(strides); i++)
            vector_load(x, strides[i]);
    else if (strcmp(operands, "W,(s),tM") == 0)
        for (size_t i = 0; i < SAM_COUNT(strides); i++)
            vector_store(x, strides[i]);
    else if (strcmp(operands, "D,(s),TM") == 0)
        indexed(x, false);
    else if (strcmp(operands, "W,(s),TM") == 0)
        indexed(x, true);
    else if (starts(name, "vset"))
        configuration(x);
    else
        return strcmp(operands, "d,T") == 0; /* vmv.x.s, vfmv.f.s */
    return true;
}

static void prepare(struct experiment *x)
{
    struct oracle *o = &x->oracle;
    size_t wrap = x->elements;
    oracle_make_values(&x->values);
    uint64_t random = x->values.ints[ORACLE_VALUES - 1];
    for (size_t i = 0; i < ORACLE_VALUES; i++) {
        uint32_t noise = (uint32_t)test_random(&random), offset = (noise >> 8 & 63) * 4;
        x->masks[0][i] = (noise & ~1u) | (i % 3 == 1);
        x->masks[1][i] = noise;
        x->masks[2][i] = (noise & ~1u) | (i == 2); /* one lane */
        x->offsets[0][i] = noise << 8 | offset;
        x->offsets[1][i] = noise << 16 | offset;
        x->offsets[2][i] = offset;
    }
    oracle_table(o, "ints", x->values.ints, ORACLE_VALUES, wrap);
    oracle_table(o, "floats", x->values.floats, ORACLE_VALUES, wrap);
    oracle_table(o, "few_ints", x->values.few_ints, ORACLE_FEW, wrap);
    oracle_table(o, "few_floats", x->values.few_floats, ORACLE_FEW, wrap);
    oracle_table(o, "offsets_8", x->offsets[0], ORACLE_VALUES, wrap);
    oracle_table(o, "offsets_16", x->offsets[1], ORACLE_VALUES, wrap);
    oracle_table(o, "offsets_32", x->offsets[2], ORACLE_VALUES, wrap);
    oracle_table(o, "masks_0", x->masks[0], ORACLE_VALUES, wrap);
    oracle_table(o, "masks_1", x->masks[1], ORACLE_VALUES, wrap);
    oracle_table(o, "masks_2", x->masks[2], ORACLE_VALUES, wrap);
    oracle_table(o, "bytes", x->values.ints, ORACLE_VALUES, 1024 - ORACLE_VALUES);
    oracle_table(o, "scratch", (uint32_t[1]){0}, 1, SCRATCH - 1);
    oracle_code(o, "li s10, %u\nli s9, %u\nvsetvli zero, s10, e32, m%u, tu, mu\n", x->elements,
                x->setting->vl, x->setting->lmul);
    /* -1.0 everywhere: inactive elements must raise no flags. */
    oracle_code(o, "li a0, 0xbf800000\n");
    for (unsigned i = 0; i < 32; i += x->setting->lmul)
        oracle_code(o, "vmv.v.x v%u, a0\n", i);
    for (int i = 0; i < 3; i++)
        oracle_code(o, "la a6, masks_%d\nvle32.v %s, (a6)\n", i, mask_names[i]);
    oracle_code(o, "la a6, ints + 16\nvle32.v v10, (a6)\nvand.vi v24, v16, 1\n"
                   "vid.v v26\nvadd.vv v10, v10, v26\n");
}

/* QEMU's machine with one 32-bit element per lane in a register. */
static struct qemu_target target_of(unsigned lanes, char cpu[64])
{
    snprintf(cpu, 64, "rv32,v=true,vext_spec=v1.0,vlen=%u", 32 * lanes);
    return (struct qemu_target){32, "rv32imafdv", "ilp32", cpu};
}

static void run(const struct setting *setting)
{
    char cpu[64];
    struct qemu_target target = target_of(setting->lanes, cpu);
    static struct experiment x;
    x = (struct experiment){.setting = setting, .elements = setting->lanes * setting->lmul};
    prepare(&x);
    unsigned rows = 0;
    for (int op = 1; op < SAM_OP_COUNT; op++) {
        x.row = &sam_insn_rows[op];
        if (!(x.row->on & SAM_EXT_ZVE32F))
            continue;
        if (!add(&x))
            fail_msg("%s %s: no experiment for these operands", x.row->mnemonic, x.row->operands);
        rows++;
    }
    assert_true(rows >= 200);
    oracle_check(&x.oracle, &target, qemu_prelude, ventus_prelude, setting->lanes);
    oracle_free(&x.oracle);
}

TEST(test_4_lanes)
{
    run(&(struct setting){4, 1, 4});
}

TEST(test_16_lanes_part)
{
    run(&(struct setting){16, 1, 11});
}

TEST(test_32_lanes)
{
    run(&(struct setting){32, 1, 32});
}

TEST(test_two_registers)
{
    run(&(struct setting){8, 2, 16});
}

TEST(test_two_registers_part)
{
    run(&(struct setting){32, 2, 45});
}

PROLOGUE
{
    char cpu[64];
    struct qemu_target target = target_of(SAM_MAX_LANES, cpu);
    qemu_require(&target);
}
