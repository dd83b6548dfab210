/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are left after inlining: intrinsics of LLVM and primitives of the library. */
#include <string.h>

#include "cc/debug.h"

/* Words of the launch's metadata buffer (docs/ventus-rulings.md 2.2), loaded once. */
static struct cc_opnd metadata(struct cc_function *f, uint32_t offset)
{
    enum { BLOCK = 24 };
    const uint32_t at = offset / 4 % SAM_COUNT(f->metadata), block = f->block;
    if (offset >= BLOCK && offset < BLOCK + 12 && f->required[0])
        return sam_cc_imm(f->required[(offset - BLOCK) / 4]);
    f->block = 0;
    if (f->knl.kind == CC_NONE)
        f->knl = sam_cc_pure(f, false, "csrr", sam_cc_imm(SAM_CC_CSR_KNL), (struct cc_opnd){0},
                             (struct cc_opnd){0});
    if (f->metadata[at].kind == CC_NONE) {
        const struct cc_part part = {offset, 4, 32};
        f->metadata[at] = sam_cc_load(f, AS_CONSTANT, f->knl, &part, false, 4);
    }
    f->block = block;
    return f->metadata[at];
}

static struct cc_opnd csr(struct cc_function *f, uint32_t number)
{
    const uint32_t block = f->block;
    f->block = 0;
    const struct cc_opnd d =
        sam_cc_pure(f, false, "csrr", sam_cc_imm(number), (struct cc_opnd){0}, (struct cc_opnd){0});
    f->block = block;
    return d;
}

/* The number of the work-item in its workgroup. Lanes past its end, which a last warp has, take
 * that of the last work-item: they do what it does, and nothing else. */
struct cc_opnd sam_cc_lane(struct cc_function *f)
{
    if (f->lane.kind != CC_NONE)
        return f->lane;
    const uint32_t block = f->block;
    f->block = 0;
    struct cc_opnd size = sam_cc_op(f, OP_MUL, metadata(f, 24), metadata(f, 28));
    size = sam_cc_op(f, OP_MUL, size, metadata(f, 32));
    size = sam_cc_op(f, OP_ADD, size, sam_cc_imm(-1));
    const struct cc_opnd none = {0}, id = sam_cc_pure(f, true, "vid.v", none, none, none);
    f->lane = sam_cc_op(f, OP_MINU, sam_cc_op(f, OP_ADD, id, csr(f, SAM_CC_CSR_TID)), size);
    f->block = block;
    return f->lane;
}

/* __local variables follow the stacks of the warps, a KiB each. */
struct cc_opnd sam_cc_local_base(struct cc_function *f)
{
    if (f->local_base.kind != CC_NONE)
        return f->local_base;
    const uint32_t block = f->block;
    f->block = 0;
    f->local_base = sam_cc_op(f, OP_SLL, csr(f, SAM_CC_CSR_NUMW), sam_cc_imm(10));
    f->local_base = sam_cc_op(f, OP_ADD, f->local_base, csr(f, SAM_CC_CSR_LDS));
    f->block = block;
    return f->local_base;
}

static void effect(struct cc_function *f, const char *name, struct cc_opnd a, struct cc_opnd b)
{
    sam_cc_put(f, f->block,
               (struct cc_insn){.name = name, .form = CC_OP, .effect = true, .a = a, .b = b});
}

static struct cc_opnd arg(struct cc_function *f, llvm_ref insn, unsigned i)
{
    return sam_cc_use(f, f->cc->ll.GetOperand(insn, i), 0);
}

static enum sam_status primitive(struct cc_function *f, llvm_ref insn, const char *name)
{
    static const struct {
        const char *name;
        enum cc_unary op;
    } unaries[] = {
        {"sqrt", UN_SQRT},     {"exp", UN_EXP},          {"rec7", UN_REC7},
        {"rsqrt7", UN_RSQRT7}, {"class", UN_CLASS},      {"ftoi_rte", UN_F2I},
        {"ftou_rte", UN_F2U},  {"ftoi_rtz", UN_F2I_RTZ}, {"ftou_rtz", UN_F2U_RTZ},
    };
    static const char *const atomics[][2] = {
        {"add", "amoadd.w"}, {"xchg", "amoswap.w"}, {"and", "amoand.w"},
        {"or", "amoor.w"},   {"xor", "amoxor.w"},   {"min", "amomin.w"},
        {"max", "amomax.w"}, {"minu", "amominu.w"}, {"maxu", "amomaxu.w"}};
    const struct cc_opnd none = {0};
    for (size_t i = 0; i < SAM_COUNT(unaries); i++)
        if (strcmp(name, unaries[i].name) == 0) {
            sam_cc_set(f, insn, 0, sam_cc_unary(f, unaries[i].op, arg(f, insn, 0)));
            return SAM_OK;
        }
    if (strncmp(name, "atomic_", 7) == 0) {
        /* add_g, add_l, ...: the spaces are one */
        const size_t size = strcspn(name + 7, "_");
        if (size == 7 && memcmp(name + 7, "cmpxchg", 7) == 0)
            return sam_cc_atomic(f, insn, NULL, arg(f, insn, 0), arg(f, insn, 2), arg(f, insn, 1));
        for (size_t i = 0; i < SAM_COUNT(atomics); i++)
            if (strlen(atomics[i][0]) == size && memcmp(name + 7, atomics[i][0], size) == 0)
                return sam_cc_atomic(f, insn, atomics[i][1], arg(f, insn, 0), arg(f, insn, 1),
                                     none);
    }
    if (strcmp(name, "lane") == 0) {
        sam_cc_set(f, insn, 0, sam_cc_lane(f));
    } else if (strcmp(name, "mulhu") == 0 || strcmp(name, "mulh") == 0) {
        sam_cc_set(f, insn, 0,
                   sam_cc_op(f, name[4] ? OP_MULHU : OP_MULH, arg(f, insn, 0), arg(f, insn, 1)));
    } else if (strcmp(name, "barrier") == 0) {
        effect(f, "barrier", sam_cc_imm(1), none);
    } else if (strcmp(name, "meet") == 0) {
        /* it has kept LLVM from moving code, and does nothing */
    } else if (strcmp(name, "print_ring") == 0) {
        effect(f, "csrwi", sam_cc_imm(SAM_CC_CSR_PRINT), sam_cc_imm(1));
    } else if (strcmp(name, "print_buffer") == 0) {
        sam_cc_set(f, insn, 0, metadata(f, 48));
    } else if (strcmp(name, "argument") == 0) {
        struct cc_opnd at = f->arguments;
        at.imm = arg(f, insn, 0).imm;
        sam_cc_set(f, insn, 0, at);
    } else if (strcmp(name, "metadata") == 0 && arg(f, insn, 0).kind == CC_IMM) {
        sam_cc_set(f, insn, 0, metadata(f, (uint32_t)arg(f, insn, 0).imm));
    } else if (strcmp(name, "csr") == 0 && arg(f, insn, 0).kind == CC_IMM) {
        sam_cc_set(f, insn, 0, csr(f, (uint32_t)arg(f, insn, 0).imm));
    } else {
        return sam_cc_refuse(f->cc, insn, "no function '__samite_%s'", name);
    }
    return SAM_OK;
}

/* Halves of fields of 2, 4 and 8 bits. */
static const struct {
    int32_t mask, shift;
} halves[] = {{0x55555555, 1}, {0x33333333, 2}, {0x0f0f0f0f, 4}};

static struct cc_opnd count_bits(struct cc_function *f, struct cc_opnd x)
{
    for (size_t i = 0; i < SAM_COUNT(halves); i++) {
        const struct cc_opnd mask = sam_cc_imm(halves[i].mask);
        const struct cc_opnd high = sam_cc_op(f, OP_SRL, x, sam_cc_imm(halves[i].shift));
        x = sam_cc_op(f, OP_ADD, sam_cc_op(f, OP_AND, x, mask), sam_cc_op(f, OP_AND, high, mask));
    }
    return sam_cc_op(f, OP_SRL, sam_cc_op(f, OP_MUL, x, sam_cc_imm(0x01010101)), sam_cc_imm(24));
}

/* Leading zeros of 32 bits: from the exponent of the float, of x without what would round up. */
static struct cc_opnd leading(struct cc_function *f, struct cc_opnd x)
{
    const struct cc_opnd zero = sam_cc_imm(0);
    const struct cc_opnd less = sam_cc_op(f, OP_SRL, x, sam_cc_imm(8));
    struct cc_opnd y = sam_cc_op(f, OP_AND, x, sam_cc_op(f, OP_XOR, less, sam_cc_imm(-1)));
    y = sam_cc_op(f, OP_SRL, sam_cc_unary(f, UN_U2F, y), sam_cc_imm(23));
    y = sam_cc_op(f, OP_SUB, sam_cc_imm(158), y);
    return sam_cc_select(f, sam_cc_icmp(f, LL_EQ, x, zero), sam_cc_imm(32), y);
}

static struct cc_opnd trailing(struct cc_function *f, struct cc_opnd x)
{
    const struct cc_opnd one = sam_cc_op(f, OP_AND, x, sam_cc_op(f, OP_SUB, sam_cc_imm(0), x));
    return sam_cc_select(f, sam_cc_icmp(f, LL_EQ, x, sam_cc_imm(0)), sam_cc_imm(32),
                         sam_cc_op(f, OP_SUB, sam_cc_imm(31), leading(f, one)));
}

/* The bytes of a word in reverse; its bits as well. */
static struct cc_opnd reverse(struct cc_function *f, bool bits, struct cc_opnd x)
{
    for (size_t i = 0; bits && i < SAM_COUNT(halves); i++) {
        const struct cc_opnd low = sam_cc_imm(halves[i].mask), by = sam_cc_imm(halves[i].shift);
        const struct cc_opnd high = sam_cc_op(f, OP_AND, sam_cc_op(f, OP_SRL, x, by), low);
        x = sam_cc_op(f, OP_OR, sam_cc_op(f, OP_SLL, sam_cc_op(f, OP_AND, x, low), by), high);
    }
    const struct cc_opnd mask = sam_cc_imm(0xff00ff), eight = sam_cc_imm(8), half = sam_cc_imm(16);
    const struct cc_opnd even = sam_cc_op(f, OP_AND, x, mask);
    const struct cc_opnd odd = sam_cc_op(f, OP_AND, sam_cc_op(f, OP_SRL, x, eight), mask);
    x = sam_cc_op(f, OP_OR, sam_cc_op(f, OP_SLL, even, eight), odd);
    return sam_cc_op(f, OP_OR, sam_cc_op(f, OP_SLL, x, half), sam_cc_op(f, OP_SRL, x, half));
}

static bool is_name(const char *name, const char *with)
{
    const size_t size = strlen(with);
    return strncmp(name, with, size) == 0 && (name[size] == '.' || !name[size]);
}

/* LL_ADD, LL_SUB or LL_MUL, by the first letter of its name. */
static int opcode_of(const char *name)
{
    return *name == 'a' ? LL_ADD : *name == 's' ? LL_SUB : LL_MUL;
}

/* The lesser or the greater of two integers of `words` words, by the name of the intrinsic. */
static void extreme(struct cc_function *f, const char *name, unsigned words,
                    const struct cc_opnd *a, const struct cc_opnd *b, struct cc_opnd *out)
{
    static const enum cc_op ops[][2] = {{OP_MAXU, OP_MAX}, {OP_MINU, OP_MIN}};
    const bool sign = name[0] == 's', least = name[2] == 'i';
    if (words == 1) {
        out[0] = sam_cc_op(f, ops[least][sign], a[0], b[0]);
        return;
    }
    const struct cc_opnd less = sam_cc_wide_icmp(f, sign ? LL_SLT : LL_ULT, words, a, b);
    for (unsigned i = 0; i < words; i++)
        out[i] = least ? sam_cc_select(f, less, a[i], b[i]) : sam_cc_select(f, less, b[i], a[i]);
}

/* Saturating add or sub, named by its first letter. */
static void saturate(struct cc_function *f, const char *name, bool sign, unsigned bits,
                     const struct cc_opnd *a, const struct cc_opnd *b, struct cc_opnd *out)
{
    const bool is_add = name[0] == 'a';
    const unsigned words = sam_cc_words(bits);
    if (bits < 32) { /* the word has room for the exact result */
        out[0] = sam_cc_op(f, is_add ? OP_ADD : OP_SUB, a[0], b[0]);
        if (sign || is_add)
            out[0] = sam_cc_op(f, OP_MIN, out[0], sam_cc_imm((1 << (bits - sign)) - 1));
        if (sign || !is_add)
            out[0] = sam_cc_op(f, OP_MAX, out[0], sam_cc_imm(sign ? -(1 << (bits - 1)) : 0));
        return;
    }
    const struct cc_opnd over = sam_cc_wide_overflow(f, opcode_of(name), sign, words, a, b, out);
    const struct cc_opnd negative = sam_cc_op(f, OP_SRA, a[words - 1], sam_cc_imm(31));
    for (unsigned i = 0; i < words; i++) {
        const struct cc_opnd most = sam_cc_imm(i == words - 1 ? INT32_MAX : -1);
        const struct cc_opnd limit =
            sign ? sam_cc_op(f, OP_XOR, negative, most) : sam_cc_imm(is_add ? -1 : 0);
        out[i] = sam_cc_select(f, over, limit, out[i]);
    }
}

/* Funnel shift of words, or of a narrower integer. */
static void funnel(struct cc_function *f, bool left, unsigned bits, struct cc_opnd *a,
                   struct cc_opnd *b, struct cc_opnd by, struct cc_opnd *out)
{
    const unsigned n = sam_cc_words(bits);
    const struct cc_opnd one = sam_cc_imm(1), last = sam_cc_imm(bits - 1);
    if (bits != 32 || by.kind == CC_IMM) /* instructions take five bits */
        by = sam_cc_op(f, OP_AND, by, last);
    if (bits < 32) { /* in one word */
        a[0] = sam_cc_op(f, OP_OR, sam_cc_op(f, OP_SLL, a[0], sam_cc_imm(bits)), b[0]);
        out[0] = left ? sam_cc_op(f, OP_SRL, sam_cc_op(f, OP_SLL, a[0], by), sam_cc_imm(bits))
                      : sam_cc_op(f, OP_SRL, a[0], by);
        return;
    }
    const struct cc_opnd back = sam_cc_op(f, OP_XOR, by, last);
    sam_cc_wide_shift(f, LL_SHL, n, a, left ? by : one, a);
    sam_cc_wide_shift(f, LL_LSHR, n, b, left ? one : by, b);
    if (left)
        sam_cc_wide_shift(f, LL_LSHR, n, b, back, b);
    else
        sam_cc_wide_shift(f, LL_SHL, n, a, back, a);
    sam_cc_wide_op(f, LL_OR, n, a, b, out);
}

/* Intrinsics of integers: element `at`. */
static enum sam_status integer(struct cc_function *f, llvm_ref insn, const char *name, unsigned at)
{
    const struct llvm *ll = &f->cc->ll;
    llvm_ref x = ll->GetOperand(insn, 0);
    const unsigned bits = sam_cc_bits(f->cc, ll->TypeOf(insn));
    const struct cc_opnd zero = sam_cc_imm(0);
    struct cc_opnd out[CC_MAX_WORDS], a[CC_MAX_WORDS], b[CC_MAX_WORDS];
    const bool is_signed = name[0] == 's' || is_name(name, "abs");
    const unsigned n = sam_cc_wide_use(f, x, at, is_signed, a), spare = 32 * n - bits;
    for (unsigned i = 0; i < n; i++)
        out[i] = zero;
    if (is_name(name, "ctpop")) {
        for (unsigned i = 0; i < n; i++)
            out[0] = sam_cc_op(f, OP_ADD, out[0], count_bits(f, a[i]));
    } else if (is_name(name, "ctlz")) {
        for (unsigned i = 0; i < n; i++) {
            const struct cc_opnd count = sam_cc_imm((int64_t)(32 * (n - 1 - i)) - spare);
            const struct cc_opnd here = sam_cc_op(f, OP_ADD, leading(f, a[i]), count);
            out[0] = i ? sam_cc_select(f, sam_cc_icmp(f, LL_EQ, a[i], zero), out[0], here) : here;
        }
    } else if (is_name(name, "cttz")) {
        if (spare)
            a[n - 1] = sam_cc_op(f, OP_OR, a[n - 1], sam_cc_imm(INT64_C(1) << (32 - spare)));
        for (unsigned i = n; i-- > 0;) {
            const struct cc_opnd here = sam_cc_op(f, OP_ADD, trailing(f, a[i]), sam_cc_imm(32 * i));
            out[0] = i < n - 1 ? sam_cc_select(f, sam_cc_icmp(f, LL_EQ, a[i], zero), out[0], here)
                               : here;
        }
    } else if (is_name(name, "bswap") || is_name(name, "bitreverse")) {
        for (unsigned i = 0; i < n; i++)
            b[i] = reverse(f, name[1] == 'i', a[n - 1 - i]);
        sam_cc_wide_shift(f, LL_LSHR, n, b, sam_cc_imm(spare), out);
    } else if (is_name(name, "abs") && n == 1) {
        out[0] = sam_cc_op(f, OP_MAX, a[0], sam_cc_op(f, OP_SUB, zero, a[0]));
    } else if (is_name(name, "abs")) {
        for (unsigned i = 0; i < n; i++)
            b[i] = sam_cc_op(f, OP_SRA, a[n - 1], sam_cc_imm(31));
        sam_cc_wide_op(f, LL_XOR, n, a, b, a);
        sam_cc_wide_op(f, LL_SUB, n, a, b, out);
    } else {
        sam_cc_wide_use(f, ll->GetOperand(insn, 1), at, is_signed, b);
        const bool whole = n == 1 || !spare;
        if (strncmp(name, "fsh", 3) == 0 && whole && !(bits & (bits - 1)))
            funnel(f, name[3] == 'l', bits, a, b, sam_cc_use(f, ll->GetOperand(insn, 2), n * at),
                   out);
        else if (strncmp(name + 1, "min", 3) == 0 || strncmp(name + 1, "max", 3) == 0)
            extreme(f, name, n, a, b, out);
        else if ((is_name(name + 1, "add.sat") || is_name(name + 1, "sub.sat")) && whole)
            saturate(f, name + 1, is_signed, bits, a, b, out);
        else
            return sam_cc_refuse(f->cc, insn, "no %u-bit llvm.%s", bits, name);
    }
    for (unsigned i = 0; i < n; i++)
        sam_cc_set(f, insn, n * at + i, out[i]);
    return SAM_OK;
}

/* llvm.vector.reduce.OP of integers. */
static enum sam_status reduce(struct cc_function *f, llvm_ref insn, const char *name)
{
    llvm_ref x = f->cc->ll.GetOperand(insn, 0);
    const int opcode = is_name(name, "and")   ? LL_AND
                       : is_name(name, "or")  ? LL_OR
                       : is_name(name, "xor") ? LL_XOR
                                              : opcode_of(name);
    struct cc_opnd out[CC_MAX_WORDS], a[CC_MAX_WORDS];
    if (name[0] == 'f')
        return sam_cc_refuse(f->cc, insn, "no llvm.vector.reduce.%s", name);
    const unsigned n = sam_cc_wide_use(f, x, 0, name[0] == 's', out);
    for (unsigned i = 1; i < f->cc->ll.GetVectorSize(f->cc->ll.TypeOf(x)); i++) {
        sam_cc_wide_use(f, x, i, name[0] == 's', a);
        if (name[1] == 'm')
            extreme(f, name, n, a, out, out);
        else
            sam_cc_wide_op(f, opcode, n, out, a, out);
    }
    for (unsigned i = 0; i < n; i++)
        sam_cc_set(f, insn, i, out[i]);
    return SAM_OK;
}

/* llvm.{s,u}{add,sub,mul}.with.overflow: results, and whether they wrapped. */
static enum sam_status overflow(struct cc_function *f, llvm_ref insn, const char *name)
{
    llvm_ref x = f->cc->ll.GetOperand(insn, 0), y = f->cc->ll.GetOperand(insn, 1);
    const unsigned bits = sam_cc_bits(f->cc, f->cc->ll.TypeOf(x)), n = sam_cc_words(bits);
    const unsigned count = sam_cc_value(f, insn)->count / (n + 1); /* elements */
    const bool sign = name[0] == 's';
    if (bits > 16 * CC_MAX_WORDS || (bits > 16 && bits % 32))
        return sam_cc_refuse(f->cc, insn, "no llvm.%s", name);
    for (unsigned at = 0; at < count; at++) {
        struct cc_opnd a[CC_MAX_WORDS], b[CC_MAX_WORDS], out[CC_MAX_WORDS];
        sam_cc_wide_use(f, x, at, sign, a);
        sam_cc_wide_use(f, y, at, sign, b);
        struct cc_opnd over = sam_cc_wide_overflow(f, opcode_of(name + 1), sign, n, a, b, out);
        if (bits < 32) /* the word has room for the exact result */
            over = sam_cc_icmp(f, LL_NE, out[0], sam_cc_extend(f, out[0], bits, sign));
        for (unsigned i = 0; i < n; i++)
            sam_cc_set(f, insn, n * at + i, out[i]);
        sam_cc_set(f, insn, n * count + at, over);
    }
    return SAM_OK;
}

/* The classes of vfclass for those of LLVM: signalling and quiet NaN, then from -inf to +inf. */
static int32_t class_mask(uint32_t llvm)
{
    return (int32_t)((llvm & 1) << 8 | (llvm >> 1 & 1) << 9 | (llvm >> 2 & 255));
}

static enum sam_status intrinsic(struct cc_function *f, llvm_ref insn, const char *name)
{
    static const struct {
        const char *name;
        enum cc_op op;
    } binaries[] = {{"minnum", OP_FMIN}, {"maxnum", OP_FMAX}, {"copysign", OP_SGNJ}};
    const struct llvm *ll = &f->cc->ll;
    const struct cc_value *v = sam_cc_value(f, insn);
    static const char *const nothing[] = {"dbg",          "lifetime",  "assume",
                                          "experimental", "invariant", "donothing"};
    if (f->cc->debug && strncmp(name, "dbg.", 4) == 0)
        sam_cc_debug_note(f, insn);
    for (size_t i = 0; i < SAM_COUNT(nothing); i++)
        if (strncmp(name, nothing[i], strlen(nothing[i])) == 0)
            return SAM_OK;
    if (is_name(name, "memcpy") || is_name(name, "memmove") || is_name(name, "memset"))
        return sam_cc_copy_bytes(f, insn, name[3] == 's', name[3] == 'm');
    if (strncmp(name, "vector.reduce.", 14) == 0)
        return reduce(f, insn, name + 14);
    if (strstr(name, ".with.overflow."))
        return overflow(f, insn, name);
    const unsigned bits = sam_cc_bits(f->cc, ll->TypeOf(insn));
    const unsigned inputs = ll->GetNumArgOperands(insn);
    enum sam_status status = SAM_OK;
    for (unsigned i = 0; bits > 32 && i < v->count / sam_cc_words(bits) && status == SAM_OK; i++)
        status = integer(f, insn, name, i);
    for (unsigned i = 0; bits <= 32 && i < v->count && status == SAM_OK; i++) {
        struct cc_opnd in[3] = {0}, out = {0};
        for (unsigned k = 0; k < inputs && k < 3; k++)
            in[k] = sam_cc_use(
                f, ll->GetOperand(insn, k),
                ll->GetTypeKind(ll->TypeOf(ll->GetOperand(insn, k))) == LL_VECTOR ? i : 0);
        for (size_t k = 0; k < SAM_COUNT(binaries) && !out.kind; k++)
            if (is_name(name, binaries[k].name))
                out = sam_cc_op(f, binaries[k].op, in[0], in[1]);
        if (out.kind)
            ;
        else if (is_name(name, "fma") || is_name(name, "fmuladd"))
            out = sam_cc_fma(f, in[0], in[1], in[2]);
        else if (is_name(name, "fabs"))
            out = sam_cc_op(f, OP_SGNJX, in[0], in[0]);
        else if (is_name(name, "sqrt"))
            out = sam_cc_unary(f, UN_SQRT, in[0]);
        else if (is_name(name, "is.fpclass"))
            out = sam_cc_icmp(f, LL_NE,
                              sam_cc_op(f, OP_AND, sam_cc_unary(f, UN_CLASS, in[0]),
                                        sam_cc_imm(class_mask((uint32_t)in[1].imm))),
                              sam_cc_imm(0));
        if (out.kind)
            sam_cc_set(f, insn, i, out);
        else
            status = integer(f, insn, name, i);
    }
    return status;
}

enum sam_status sam_cc_select_call(struct cc_function *f, llvm_ref insn)
{
    size_t size;
    const char *name = f->cc->ll.GetValueName2(f->cc->ll.GetCalledValue(insn), &size);
    if (strncmp(name, "llvm.", 5) == 0)
        return intrinsic(f, insn, name + 5);
    if (strncmp(name, "__samite_", 9) == 0)
        return primitive(f, insn, name + 9);
    /* a mangled name: _Z, the length, the name */
    const char *plain = name;
    size_t length = size;
    if (strncmp(name, "_Z", 2) == 0) {
        length = 0;
        for (plain = name + 2; *plain >= '0' && *plain <= '9'; plain++)
            length = length * 10 + (size_t)(*plain - '0');
        if (length > strlen(plain))
            length = strlen(plain);
    }
    return sam_cc_refuse(f->cc, insn, "no function '%.*s'%s", (int)length, plain,
                         plain > name ? " for these arguments" : ": expected its definition");
}
