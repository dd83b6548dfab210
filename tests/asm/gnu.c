/* SPDX-License-Identifier: Apache-2.0 */
/* Every standard mnemonic and pseudo-instruction, each in several operand variants, against GNU as.
 * One case per row; skipped if riscv64-unknown-elf-as is not installed. GNU as expects f registers
 * where Zve32f takes x registers, so the scalar of a vector .vf form is written fN for it. */
#include "isa/isa_test.h"

#include "folder.h"

enum { VARIANTS = 12, MAX_LINES = 64 };

static uint64_t seed;

/* The bytes that GNU as and ld make of the text at 0x80000000. */
static void gnu_bytes(const char *march, const char *text, struct sam_buffer *out)
{
    struct sam_error error;
    bool wide = strncmp(march, "rv64", 4) == 0;
    SCOPED(sam_buffer) whole = {0};
    sam_buffer_printf(&whole, ".option norelax\n.option norvc\n.globl _start\n_start:\n%s", text);
    succeeds(sam_file_write, test_path("t.s"), whole.data, whole.size);
    if (!test_shell("cd %s && riscv64-unknown-elf-as -march=%s -mabi=%s t.s -o t.o 2>t.err",
                    test_folder, march, wide ? "lp64" : "ilp32") ||
        !test_shell(
            "cd %s && riscv64-unknown-elf-ld --no-relax -m elf%dlriscv -Ttext=0x80000000 t.o -o "
            "t.elf 2>t.err",
            test_folder, wide ? 64 : 32) ||
        !test_shell("cd %s && riscv64-unknown-elf-objcopy -O binary -j .text t.elf t.bin 2>t.err",
                    test_folder)) {
        struct sam_buffer message = {0};
        sam_file_read(test_path("t.err"), 1 << 20, &message, &error);
        fail_msg("%s: %s\n%s", march, sam_buffer_text(&message), text);
    }
    succeeds(sam_file_read, test_path("t.bin"), 1 << 24, out);
}

static void compare(const char *isa, const char *march, const char *ours, const char *gnu)
{
    SCOPED(sam_buffer) expected = {0};
    SCOPED_IMAGE *image = NULL;
    gnu_bytes(march, gnu, &expected);
    const struct sam_section *section = test_section(isa, ours, ".text", &image);
    size_t size = section->data_size < expected.size ? section->data_size : expected.size;
    for (size_t i = 0; i + 4 <= size; i += 4)
        if (sam_le32(section->data + i) != sam_le32(expected.data + i))
            fail_msg("word %zu: %08x, GNU as says %08x:\n%s", i / 4, sam_le32(section->data + i),
                     sam_le32(expected.data + i), ours);
    if (section->data_size != expected.size)
        fail_msg("%llu bytes, GNU as makes %zu:\n%s", (unsigned long long)section->data_size,
                 expected.size, ours);
}

/* --- random operands */

static int64_t random_value(const struct sam_operand *operand, int variant)
{
    int64_t low, high, step = INT64_C(1) << operand->shift;
    sam_operand_range(operand, &low, &high);
    if (variant == 0)
        return low;
    if (variant == 1)
        return high;
    if (variant == 2)
        return 0;
    return low + (int64_t)test_below(&seed, (uint64_t)(high - low) / (uint64_t)step + 1) * step;
}

static void put_vtype(struct sam_buffer *out)
{
    static const char *const groups[] = {"m1", "m2", "m4", "m8", "mf2", "mf4", "mf8"};
    unsigned random = (unsigned)test_below(&seed, 1 << 20);
    sam_buffer_printf(out, "e%d, %s", 8 << (random & 3), groups[random / 4 % 7]);
    if (random & 64)
        sam_buffer_printf(out, ", %s, %s", random & 128 ? "ta" : "tu", random & 256 ? "ma" : "mu");
}

static void put_operand(struct sam_buffer *out, struct sam_buffer *gnu,
                        const struct sam_operand *operand, int variant, bool f_scalar)
{
    static const char *const modes[] = {"rne", "rtz", "rdn", "rup", "rmm", "dyn"};
    static const char *const orders[] = {"i",    "o",  "r",  "w",   "io",  "rw",
                                         "iorw", "ow", "ir", "iow", "orw", "irw"};
    size_t start = out->size;
    unsigned random = (unsigned)test_below(&seed, 32);
    switch (operand->kind) {
    case SAM_KIND_X:
        if (f_scalar) {
            sam_buffer_printf(out, "x%u", random);
            sam_buffer_printf(gnu, "f%u", random);
            return;
        }
        sam_buffer_printf(out, "%s", sam_register_x_name(random));
        break;
    case SAM_KIND_V: sam_buffer_printf(out, "v%u", random); break;
    case SAM_KIND_V0: sam_buffer_printf(out, "v0"); break;
    case SAM_KIND_VM: sam_buffer_printf(out, "%s", random & 1 ? ", v0.t" : ""); break;
    case SAM_KIND_RM: sam_buffer_printf(out, "%s", modes[random % 6]); break;
    case SAM_KIND_VTYPE: put_vtype(out); break;
    case SAM_KIND_FENCE: sam_buffer_printf(out, "%s", orders[random % SAM_COUNT(orders)]); break;
    case SAM_KIND_TARGET: {
        int64_t value = random_value(operand, variant) & ~INT64_C(3);
        sam_buffer_printf(out, ". %c %lld", value < 0 ? '-' : '+', llabs((long long)value));
        break;
    }
    case SAM_KIND_CSR:
        sam_buffer_printf(out, "%s",
                          variant & 1  ? sam_csr_rows[random % 4].name
                          : random & 1 ? "0x7c1"
                                       : "2048");
        break;
    case SAM_KIND_VALUE: sam_buffer_printf(out, "%s", random & 1 ? "2f" : "_start + 4096"); break;
    case SAM_KIND_SIGNED:
        if (operand->letter ==
            'i') { /* GNU as takes -15..16 in vmslt.vi and similar instructions */
            sam_buffer_printf(out, "%d", (int)random - 15 - (random == 31));
            break;
        }
        /* fall through */
    default: sam_buffer_printf(out, "%lld", (long long)random_value(operand, variant)); break;
    }
    sam_buffer_append(gnu, out->data + start, out->size - start);
}

/* Append "mnemonic operands" to both texts. */
static void put_line(struct sam_buffer *ours, struct sam_buffer *gnu, const char *mnemonic,
                     const char *suffix, const char *pattern, int variant)
{
    size_t length = strlen(mnemonic);
    bool f_form = (mnemonic[0] == 'v' && mnemonic[1] == 'f' && length > 3) ||
                  strncmp(mnemonic, "vmf", 3) == 0;
    sam_buffer_printf(ours, "%s%s ", mnemonic, suffix);
    sam_buffer_printf(gnu, "%s%s ", mnemonic, suffix);
    for (const char *c = pattern; *c; c++) {
        const struct sam_operand *operand = sam_operand_find(*c);
        if (*c == ',' && c[1] == 'm' && variant % 2) {
            c++; /* without the rounding mode */
        } else if (operand) {
            put_operand(ours, gnu, operand, variant, f_form && operand->kind == SAM_KIND_X);
        } else {
            sam_buffer_append(ours, c, 1);
            sam_buffer_append(gnu, c, 1);
        }
    }
    sam_buffer_append(ours, "\n", 1);
    sam_buffer_append(gnu, "\n", 1);
}

struct subject {
    const char *mnemonic, *pattern;
    uint32_t on;
    bool is_amo;
};

static void test_row(void **state)
{
    static const char *const orders[] = {"", ".aq", ".rl", ".aqrl"};
    const struct subject *s = *state;
    SCOPED(sam_buffer) ours = {0}, gnu = {0};
    bool vector = s->on & SAM_EXT_ZVE32F, wide = s->on & SAM_ON_RV64;
    for (int i = 0; i < VARIANTS; i++)
        put_line(&ours, &gnu, s->mnemonic, s->is_amo ? orders[i % 4] : "", s->pattern, i);
    sam_buffer_printf(&ours, "2: .word 0\n");
    sam_buffer_printf(&gnu, "2: .word 0\n");
    SCOPED(sam_buffer) text = {0};
    sam_buffer_printf(&text, "_start:\n%s", sam_buffer_text(&ours));
    compare(wide ? "rv64ima_zicsr_zfinx_zve32f" : "rv32ima_zicsr_zfinx_zve32f",
            vector ? "rv32imafv_zicsr"
            : wide ? "rv64ima_zicsr_zifencei_zfinx"
                   : "rv32ima_zicsr_zifencei_zfinx",
            sam_buffer_text(&text), sam_buffer_text(&gnu));
}

/* --- texts: features that no operand variant covers */

static void same_text(const char *isa, const char *march, const char *text)
{
    SCOPED(sam_buffer) ours = {0};
    sam_buffer_printf(&ours, "_start:\n%s", text);
    compare(isa, march, sam_buffer_text(&ours), text);
}

static void test_li(const char *isa, const char *march, unsigned bits)
{
    SCOPED(sam_buffer) text = {0};
    for (unsigned shift = 0; shift < bits; shift++)
        for (int near = -3; near <= 3; near++) {
            uint64_t value = (UINT64_C(1) << shift) + (uint64_t)(int64_t)near;
            sam_buffer_printf(&text, "li a%d, %lld\n", near + 3,
                              bits == 32 ? (long long)(int32_t)value : (long long)value);
        }
    for (int i = 0; i < 500; i++) {
        uint64_t value = test_random(&seed) >> test_below(&seed, bits);
        sam_buffer_printf(&text, "li t0, 0x%llx\n",
                          (long long)(bits == 32 ? (uint32_t)value : value));
    }
    same_text(isa, march, sam_buffer_text(&text));
}

TEST(test_li_32)
{
    test_li("rv32ima_zicsr_zfinx", "rv32ima_zicsr_zfinx", 32);
}

TEST(test_li_64)
{
    test_li("rv64ima_zicsr_zfinx", "rv64ima_zicsr_zfinx", 64);
}

TEST(test_long_branches)
{
    same_text("rv32i", "rv32i",
              "beq a0, a1, far\nbne a0, a1, far\nblt a0, a1, far\nbge a0, a1, far\n"
              "bltu a0, a1, far\nbgeu a0, a1, far\nbeqz a0, far\nbgt a0, a1, far\n"
              "near: beq a0, a1, near\n.space 4080\nbgtz a2, near\n.space 4096\n"
              "far: bnez a0, near\nblez a0, near\nj near\n");
}

TEST(test_numeric_labels)
{
    same_text("rv32i", "rv32i",
              "1: j 1b\nj 1f\n1: beqz a0, 1b\nbnez a0, 2f\n1: nop\n2: j 1b\nj 2b\n");
}

TEST(test_sections_and_symbols)
{
    same_text("rv32im", "rv32im",
              ".equ size, 3 * 4\n.set next, size + 1\naddi a0, a0, size\naddi a0, a0, next\n"
              ".set next, next + 1\naddi a0, a0, next\nlui a0, %hi(there)\naddi a0, a0, "
              "%lo(there)\nlw a1, %lo(there)(a0)\nsw a1, %lo(there)(a0)\n"
              "1: auipc a0, %pcrel_hi(there)\naddi a0, a0, %pcrel_lo(1b)\n"
              "lw a1, %pcrel_lo(1b)(a0)\nsw a1, %pcrel_lo(1b)(a0)\n"
              ".p2align 4\nthere: .word there, there + 4, . - there, 1b - there\n"
              ".byte 'a', '\\n', -1, 255\n.half 1, 2\n.align 2, 0\n"
              ".dword 0x123456789abcdef0\n.quad -1\n.ascii \"ab\"\n.asciz \"c\\\\d\\101\\x41\"\n"
              ".string \"e\"\n.balign 8, 0\n.float 1.5, -0.1\n.zero 3\n.skip 1\n.space 4, 7\n"
              ".fill 2, 4, 0x11223344\n.align 3, 0\n.align 4\n");
}

TEST(test_expressions)
{
    same_text("rv32i", "rv32i",
              ".word 1 + 2 * 3, (1 + 2) * 3, 7 / 2, -7 / 2, -7 % 3, 1 << (4 + 1), 0xff >> 4\n"
              ".word 12 & 10, 12 | 3, 12 ^ 10, ~5, -5, !5, !0, 2 + -3, 1 - 2 - 3, 100 / 10 / 5\n"
              ".word 0b1011, 017, 0x7fffffff, 'A' + 1, -(3 - 5), ~(1 << 5)\n");
}

/* A random expression of constants: no division by zero, no shift beyond 63 (GNU as warns). */
static void put_expression(struct sam_buffer *out, int depth)
{
    static const char *const operators[] = {"*", "+",  "-",  "&",  "|",  "^",  "!",  "<",
                                            ">", "<=", ">=", "==", "!=", "<>", "&&", "||"};
    static const char *const prefixes[] = {"", "", "-", "~", "!"};
    static const char *const safe[] = {"/", "%", "<<", ">>"}; /* by a constant 1..63 */
    sam_buffer_printf(out, "%s", prefixes[test_below(&seed, SAM_COUNT(prefixes))]);
    if (depth <= 0) {
        uint64_t value = test_random(&seed) >> test_below(&seed, 64);
        sam_buffer_printf(out, value & 1 ? "0x%llx" : "%llu", (unsigned long long)value);
        return;
    }
    bool bracket = test_below(&seed, 3) == 0;
    sam_buffer_printf(out, bracket ? "(" : "");
    put_expression(out, depth - 1 - (int)test_below(&seed, 2));
    if (test_below(&seed, 3) == 0) {
        sam_buffer_printf(out, " %s %d", safe[test_below(&seed, SAM_COUNT(safe))],
                          1 + (int)test_below(&seed, 63));
    } else {
        sam_buffer_printf(out, " %s ", operators[test_below(&seed, SAM_COUNT(operators))]);
        put_expression(out, depth - 1 - (int)test_below(&seed, 2));
    }
    sam_buffer_printf(out, bracket ? ")" : "");
}

TEST(test_random_expressions)
{
    SCOPED(sam_buffer) text = {0};
    for (int i = 0; i < 2000; i++) {
        sam_buffer_printf(&text, ".dword ");
        put_expression(&text, i % 6);
        sam_buffer_printf(&text, "\n");
    }
    same_text("rv32i", "rv32i", sam_buffer_text(&text));
    same_text("rv64i", "rv64i", sam_buffer_text(&text));
}

TEST(test_macros)
{
    same_text("rv32i", "rv32i",
              ".macro step reg, by=4, op=addi\n\\op \\reg, \\reg, \\by\n1\\@: nop\nj 1\\@b\n.endm\n"
              "step a0\nstep a1, 8\nstep a2, by=12\nstep reg=a3, op=xori\n"
              ".rept 3\nnop\n.endr\n.irp r, a0, a1, s2\nmv \\r, zero\n.endr\n"
              ".macro deep n\n.if \\n\nli a0, \\n\ndeep \"(\\n-1)\"\n.endif\n.endm\ndeep 3\n"
              ".ifdef nothing\n.word 1\n.else\n.word 2\n.endif\n.ifndef nothing\n.word 3\n.endif\n"
              ".equ v, 2\n.if v == 1\n.word 4\n.elseif v == 2\n.word 5\n.else\n.word 6\n.endif\n");
}

/* GNU as rejects v0 as the destination of a masked instruction. */
TEST(test_vmsge_vx)
{
    same_text("rv32ima_zicsr_zfinx_zve32f", "rv32imafv_zicsr",
              "vmsge.vx v1, v2, a0\nvmsgeu.vx v0, v31, t6\nvmsge.vx v1, v2, a0, v0.t\n"
              "vmsgeu.vx v31, v2, a0, v0.t\n");
}

/* Rows that GNU as lacks or spells differently. */
static bool is_ours(const struct subject *s)
{
    static const char *const names[] = {
        "flw",      "fsw",       "fmv.x.w", "fmv.w.x", /* F instructions, here on x registers */
        "vmsge.vx", "vmsgeu.vx",                       /* see test_vmsge_vx */
    };
    if (s->on & (SAM_EXT_XVENTUS | SAM_EXT_XTENSORLOAD | SAM_EXT_XMATRIX))
        return true;
    for (size_t i = 0; i < SAM_COUNT(names); i++)
        if (strcmp(s->mnemonic, names[i]) == 0)
            return true;
    return false;
}

PROLOGUE
{
    static struct subject subjects[2 * SAM_OP_COUNT + 200];
    struct subject *s = subjects;
    if (!test_shell("riscv64-unknown-elf-as --version >/dev/null 2>&1"))
        test_skip_all("needs riscv64-unknown-elf-as");
    seed = test_seed();
    for (size_t i = 1; i < SAM_OP_COUNT + sam_pseudo_row_count; i++) {
        const struct sam_insn_row *row = i < SAM_OP_COUNT ? &sam_insn_rows[i] : NULL;
        const struct sam_pseudo_row *pseudo = row ? NULL : &sam_pseudo_rows[i - SAM_OP_COUNT];
        if (pseudo && (!pseudo->in || pseudo->expansion[0] == '='))
            continue; /* printed only; li has its own cases */
        *s = row ? (struct subject){row->mnemonic, row->operands, row->on,
                                    (row->match & 0x7f) == SAM_OPC_AMO}
                 : (struct subject){pseudo->mnemonic, pseudo->operands, pseudo->on, false};
        if (is_ours(s))
            continue;
        test_add(test_row, s, "%s %s", s->mnemonic, s->pattern);
        s++;
    }
}

TEST_GROUP(test_folder_make, test_folder_remove)
