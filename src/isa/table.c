/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction and operand tables, and decoding by them. */
#include "isa/isa.h"

#include "base/ascii.h"

const struct sam_insn_row sam_insn_rows[SAM_OP_COUNT] = {
    [SAM_OP_ILLEGAL] = {"", 1, 0, "", UINT32_MAX, "illegal instruction", "", 0, 0, 0, 0, {0}},
#define DOES(kind, time)                .act = SAM_ACT_##kind, .latency = SAM_LATENCY_##time
#define DOES_ALU                        DOES(ALU, ALU)
#define DOES_MUL                        DOES(MULDIV, MUL)
#define DOES_DIV                        DOES(MULDIV, DIV)
#define DOES_FADD                       DOES(FLOAT, FADD)
#define DOES_FMA                        DOES(FLOAT, FMA)
#define DOES_FCVT                       DOES(FLOAT, FCVT)
#define DOES_FDIV                       DOES(FLOAT, FDIV)
#define DOES_TILE                       DOES(FLOAT, TILE)
#define DOES_READS_VD(kind)             DOES_##kind, .reads_vd = true
#define DOES_ACCESS(kind, addresses, n) DOES(kind, MEMORY), .form = SAM_FORM_##addresses, .bytes = n
#define DOES_LOAD(n)                    DOES_ACCESS(LOAD, UNIT, n)
#define DOES_LOADU(n)                   DOES_LOAD(n), .zero_extends = true
#define DOES_STORE(n)                   DOES_ACCESS(STORE, UNIT, n)
#define DOES_STRIDED_LOAD(n)            DOES_ACCESS(LOAD, STRIDED, n)
#define DOES_STRIDED_STORE(n)           DOES_ACCESS(STORE, STRIDED, n)
#define DOES_GATHER(n, i)               DOES_ACCESS(LOAD, INDEXED, n), .index = i
#define DOES_SCATTER(n, i)              DOES_ACCESS(STORE, INDEXED, n), .index = i
#define DOES_LANE_LOAD(n)               DOES_ACCESS(LOAD, PER_LANE, n)
#define DOES_LANE_LOADU(n)              DOES_LANE_LOAD(n), .zero_extends = true
#define DOES_LANE_STORE(n)              DOES_ACCESS(STORE, PER_LANE, n)
#define DOES_OWN_LOAD(n)                DOES_LANE_LOAD(n), .own = true
#define DOES_OWN_LOADU(n)               DOES_LANE_LOADU(n), .own = true
#define DOES_OWN_STORE(n)               DOES_LANE_STORE(n), .own = true
#define DOES_ATOMIC(n)                  DOES_ACCESS(ATOMIC, UNIT, n)
#define DOES_RESERVE(n)                 DOES_ACCESS(RESERVE, UNIT, n)
#define DOES_CSR_WRITE                  DOES(CSR_WRITE, CSR)
#define DOES_CSR_BITS                   DOES(CSR_BITS, CSR)
#define DOES_VTYPE                      DOES(VTYPE, CSR)
#define DOES_RPC                        DOES(RPC, CSR)
#define DOES_PREFIX                     DOES(PREFIX, ALU), .no_registers = true
#define DOES_SYSTEM                     DOES(SYSTEM, ALU)
#define DOES_TRAP                       DOES(SYSTEM, ALU), .flow = SAM_FLOW_TRAP
#define DOES_FENCE                      DOES(SYSTEM, CONTROL), .flow = SAM_FLOW_FENCE
#define DOES_BRANCH                     DOES(BRANCH, ALU), .flow = SAM_FLOW_BRANCH
#define DOES_JUMP                       DOES(JUMP, ALU), .flow = SAM_FLOW_BRANCH
#define DOES_SPLIT                      DOES(SPLIT, ALU), .flow = SAM_FLOW_SPLIT
#define DOES_JOIN                       DOES(JOIN, CONTROL), .flow = SAM_FLOW_JOIN, .no_registers = true
#define DOES_END                        DOES(SYNC, CONTROL), .flow = SAM_FLOW_END, .no_registers = true
#define DOES_BARRIER                    DOES(SYNC, CONTROL), .flow = SAM_FLOW_BARRIER, .no_registers = true
#define DOES_PAUSE                      DOES(SYNC, CONTROL), .flow = SAM_FLOW_PAUSE, .no_registers = true
#define INSN(id, mnemonic, match, mask, operands, ext, unit, does, undef, meaning, source)         \
    [SAM_OP_##id] = {                                                                              \
        mnemonic,     match, mask, operands, ext, meaning, source, 0, 0, 0, SAM_UNDEFINED_##undef, \
        {DOES_##does}},
#define INSN_TL(id, mnemonic, match, mask, operands, engine, engines, imm, handler, act, meaning,  \
                source)                                                                            \
    [SAM_OP_##id] = {mnemonic, match,  mask,    operands, SAM_EXT_XTENSORLOAD, meaning,            \
                     source,   engine, engines, imm,      SAM_UNDEFINED_ANY,   {DOES(act, ALU)}},
#define INSN_M(id, mnemonic, match, mask, operands, imm, meaning, source)                          \
    [SAM_OP_##id] = {mnemonic, match, mask, operands, SAM_EXT_XMATRIX,   meaning,                  \
                     source,   0,     0,    imm,      SAM_UNDEFINED_ANY, {DOES(MATRIX, ALU)}},
#include "isa/families.def"
#undef INSN
};

const struct sam_encoding_row sam_encoding_rows[] = {
#define INSN(id, mnemonic, match, mask, operands, ext, unit, does, undef, meaning, source)
#define CODE(id, mnemonic, match, mask, imm) {SAM_OP_##id, mnemonic, match, mask, imm},
#include "isa/families.def"
#undef INSN
};
const size_t sam_encoding_row_count = SAM_COUNT(sam_encoding_rows);

const struct sam_encoding_row *sam_encoding_find(enum sam_op op, uint32_t word)
{
    for (size_t i = 0; i < sam_encoding_row_count; i++) {
        const struct sam_encoding_row *code = &sam_encoding_rows[i];
        if (code->op == op && (word & code->mask) == code->match)
            return code;
    }
    return NULL;
}

const struct sam_suffix sam_suffixes[SAM_SUFFIX_COUNT] = {
    {25, {"", ".rl", ".aq", ".aqrl"}, {"aq", "rl"}},
    {30, {"@load", "@comp", "@store", "@reshape"}, {"engine", NULL}},
};

const struct sam_suffix *sam_suffix_of(const struct sam_insn_row *row)
{
    if (row->does.act == SAM_ACT_ATOMIC || row->does.act == SAM_ACT_RESERVE)
        return &sam_suffixes[0];
    return row->engines ? &sam_suffixes[1] : NULL;
}

uint32_t sam_suffix_default(const struct sam_insn_row *row)
{
    return (uint32_t)row->engine << 30;
}

enum { PSEUDO_A = 1, PSEUDO_D = 2, PSEUDO_AD = 3 };

const struct sam_pseudo_row sam_pseudo_rows[] = {
#define PSEUDO(mnemonic, operands, expansion, on, use)                                             \
    {mnemonic, operands, expansion, on, (PSEUDO_##use & 1) != 0, (PSEUDO_##use & 2) != 0},
#include "isa/pseudo.def"
#undef PSEUDO
};
const size_t sam_pseudo_row_count = SAM_COUNT(sam_pseudo_rows);

static const struct sam_operand operands[128] = {
#define OPERAND(letter, name, kind, slot, is_signed, shift, ...)                                   \
    [letter] = {letter, name, SAM_KIND_##kind, SAM_SLOT_##slot, is_signed, shift, {__VA_ARGS__}},
#include "isa/operands.def"
#undef OPERAND
};

const struct sam_operand *sam_operand_find(char letter)
{
    const struct sam_operand *operand = &operands[letter & 127];
    return letter && operand->letter == letter ? operand : NULL;
}

static unsigned operand_width(const struct sam_operand *operand)
{
    unsigned width = operand->shift;
    for (const struct sam_operand_piece *p = operand->pieces; p < operand->pieces + 4 && p->width;
         p++)
        width += p->width;
    return width;
}

/* The value of a field of 0. */
static int32_t operand_base(const struct sam_operand *operand)
{
    return operand->kind == SAM_KIND_X8 ? 8 : 0;
}

int32_t sam_operand_get(const struct sam_operand *operand, uint32_t word)
{
    uint32_t value = 0;
    unsigned at = operand->shift;
    for (const struct sam_operand_piece *p = operand->pieces; p < operand->pieces + 4 && p->width;
         p++) {
        value |= sam_bits(word, p->low + p->width - 1u, p->low) << at;
        at += p->width;
    }
    return operand->is_signed ? sam_sext32(value, at) : (int32_t)value + operand_base(operand);
}

uint32_t sam_operand_put(const struct sam_operand *operand, uint32_t word, int32_t value)
{
    uint32_t rest = (uint32_t)(value - operand_base(operand)) >> operand->shift;
    for (const struct sam_operand_piece *p = operand->pieces; p < operand->pieces + 4 && p->width;
         p++) {
        uint32_t field = (uint32_t)((UINT64_C(1) << p->width) - 1);
        word = (word & ~(field << p->low)) | (rest & field) << p->low;
        rest >>= p->width;
    }
    return word;
}

void sam_operand_range(const struct sam_operand *operand, int64_t *low, int64_t *high)
{
    unsigned width = operand_width(operand);
    *low = operand->is_signed ? -(INT64_C(1) << (width - 1)) : 0;
    *high = (INT64_C(1) << (width - operand->is_signed)) - (INT64_C(1) << operand->shift);
    *low += operand_base(operand);
    *high += operand_base(operand);
}

bool sam_operand_fits(const struct sam_operand *operand, int64_t value)
{
    int64_t low, high;
    sam_operand_range(operand, &low, &high);
    return value >= low && value <= high && !(value & ((1 << operand->shift) - 1));
}

bool sam_isa_is_on(uint32_t on, const struct sam_isa *isa)
{
    uint32_t have = isa->extensions | (isa->xlen == 64 ? SAM_ON_RV64 : SAM_ON_RV32);
    if (!(isa->extensions & SAM_EXT_XVENTUS))
        have |= SAM_ON_SYSTEM;
    return (on & ~have) == 0;
}

bool sam_isa_has_row(const struct sam_insn_row *row, const struct sam_isa *isa)
{
    return sam_isa_is_on(row->on, isa);
}

/* Bits that a prefix adds to each slot. */
struct extension {
    uint8_t x[SAM_SLOT_RS3 + 1]; /* by slot, shifted to bits 7:5 */
    bool immediate;
    int32_t high; /* immediate bits 10:5 */
};

static bool read_prefix(const struct sam_isa *isa, uint32_t word, struct extension *ext, bool *pair)
{
    enum sam_op op = sam_op_find(isa, word);
    if (!sam_op_is_prefix(op))
        return false;
    uint32_t imm = word >> 20;
    *pair = op == SAM_OP_regpair || op == SAM_OP_regpairi;
    ext->immediate = op == SAM_OP_regexti || op == SAM_OP_regpairi;
    ext->x[SAM_SLOT_RD] = (uint8_t)(sam_bits(imm, 2, 0) << 5);
    if (ext->immediate) {
        ext->x[SAM_SLOT_RS2] = (uint8_t)(sam_bits(imm, 5, 3) << 5);
        ext->high = (int32_t)(imm >> 6);
    } else {
        ext->x[SAM_SLOT_RS1] = (uint8_t)(sam_bits(imm, 5, 3) << 5);
        ext->x[SAM_SLOT_RS2] = (uint8_t)(sam_bits(imm, 8, 6) << 5);
        ext->x[SAM_SLOT_RS3] = (uint8_t)(sam_bits(imm, 11, 9) << 5);
    }
    return true;
}

/* True for simm5/uimm5 of vector instructions and csrr*i, but not for scalar shift amounts and the
 * barrier's scope. */
bool sam_operand_widens(const struct sam_operand *operand)
{
    return operand->letter == 'i' || operand->letter == 'k' || operand->letter == 'Z';
}

static const bool pairs[SAM_OP_COUNT] = {
#define PAIR(op, computes) [SAM_OP_##op] = true,
#include "isa/pairs.def"
#undef PAIR
};

bool sam_decode(const struct sam_isa *isa, uint32_t word, uint32_t prefix, struct sam_insn *insn)
{
    struct extension ext = {0};
    *insn = (struct sam_insn){.op = SAM_OP_ILLEGAL, .word = word, .vm = true, .rm = 7};
    enum sam_op op = sam_op_find(isa, word);
    if (op == SAM_OP_ILLEGAL)
        return false;
    bool pair = false;
    if (prefix && (sam_op_is_prefix(op) || !read_prefix(isa, prefix, &ext, &pair)))
        return false;
    if (pair && !pairs[op])
        return false;
    const struct sam_encoding_row *code = sam_encoding_find(op, word);
    insn->imm = code ? code->imm : sam_insn_rows[op].imm;
    bool widened = false;
    for (const char *c = sam_insn_rows[op].operands; *c; c++) {
        const struct sam_operand *operand = sam_operand_find(*c);
        if (!operand)
            continue;
        int32_t value = sam_operand_get(operand, word);
        bool is_register = operand->kind == SAM_KIND_X || operand->kind == SAM_KIND_V;
        if (is_register)
            value |= ext.x[operand->slot];
        if (operand->kind == SAM_KIND_X && value > 63)
            return false;
        if (ext.immediate && sam_operand_widens(operand)) {
            value = (ext.high << 5) | (value & 31);
            value = *c == 'Z' ? value : sam_sext32((uint32_t)value, 11);
            widened = true;
        }
        switch (operand->slot) {
        case SAM_SLOT_RD: insn->rd = (uint8_t)value; break;
        case SAM_SLOT_RS1:
            if (*c == 'Z' && value > 31)
                insn->rs3 = (uint8_t)(value >> 8); /* bits 10:8 of a widened csr immediate */
            insn->rs1 = (uint8_t)value;
            break;
        case SAM_SLOT_RS2: insn->rs2 = (uint8_t)value; break;
        case SAM_SLOT_RS3: insn->rs3 = (uint8_t)value; break;
        case SAM_SLOT_IMM: insn->imm = value; break;
        case SAM_SLOT_VM: insn->vm = value != 0; break;
        case SAM_SLOT_RM: insn->rm = (uint8_t)value; break;
        case SAM_SLOT_NONE: break;
        }
    }
    if (ext.immediate && !widened)
        return false;
    if (insn->rm == 5 || insn->rm == 6)
        return false; /* reserved rounding modes */
    insn->op = op;
    insn->pair = pair;
    return true;
}

const struct sam_csr_row sam_csr_rows[] = {
#define CSR(name, address, on, meaning) {address, #name, on, meaning},
#include "isa/csr.def"
};
const size_t sam_csr_row_count = SAM_COUNT(sam_csr_rows);

const struct sam_csr_alias sam_csr_aliases[] = {
#define ALIAS(csr, count, name, on)       {SAM_CSR_##csr, count, name, on, NULL},
#define RULED(csr, count, name, on, note) {SAM_CSR_##csr, count, name, on, note},
#include "isa/csr.def"
};
const size_t sam_csr_alias_count = SAM_COUNT(sam_csr_aliases);

const char *sam_csr_name(const struct sam_isa *isa, unsigned address)
{
    for (size_t i = 0; i < sam_csr_row_count; i++)
        if (sam_csr_rows[i].address == address && sam_isa_is_on(sam_csr_rows[i].on, isa))
            return sam_csr_rows[i].name;
    return NULL;
}

/* A decimal without leading zero, below `limit` (at most 1000), or -1. */
static int decimal(const char *text, size_t size, int limit)
{
    if (size < 1 || size > 3 || (text[0] == '0' && size > 1))
        return -1;
    int value = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value < limit ? value : -1;
}

/* The index of `name` among the alias's registers ("name", "name3", "name{3}"), or -1. */
static int alias_index(const struct sam_csr_alias *alias, const char *name, size_t size)
{
    size_t prefix = strlen(alias->name);
    if (size < prefix || !sam_same_start(alias->name, name, prefix))
        return -1;
    name += prefix;
    size -= prefix;
    if (size > 2 && name[0] == '{' && name[size - 1] == '}') {
        name++;
        size -= 2;
    }
    return size == 0 ? 0 : alias->count > 1 ? decimal(name, size, alias->count) : -1;
}

int sam_csr_address(const struct sam_isa *isa, const char *name, size_t size)
{
    if (size > 4 && sam_same_start(name, "CSR_", 4)) {
        name += 4;
        size -= 4;
    }
    for (size_t i = 0; i < sam_csr_row_count; i++)
        if (strlen(sam_csr_rows[i].name) == size &&
            sam_same_start(sam_csr_rows[i].name, name, size) &&
            sam_isa_is_on(sam_csr_rows[i].on, isa))
            return sam_csr_rows[i].address;
    for (size_t i = 0; i < sam_csr_alias_count; i++) {
        const struct sam_csr_alias *alias = &sam_csr_aliases[i];
        int index = alias_index(alias, name, size);
        if (index >= 0 && sam_isa_is_on(alias->on, isa))
            return alias->address + index;
    }
    return -1;
}

const struct sam_csr_alias *sam_csr_ruled(const struct sam_isa *isa, const char *name, size_t size)
{
    for (size_t i = 0; i < sam_csr_alias_count; i++) {
        const struct sam_csr_alias *alias = &sam_csr_aliases[i];
        if (alias->note && sam_isa_is_on(alias->on, isa) && alias_index(alias, name, size) >= 0)
            return alias;
    }
    return NULL;
}

static const char *const x_names[64] = {
    "zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",  "t2",  "s0",  "s1",  "a0",  "a1",  "a2",
    "a3",   "a4",  "a5",  "a6",  "a7",  "s2",  "s3",  "s4",  "s5",  "s6",  "s7",  "s8",  "s9",
    "s10",  "s11", "t3",  "t4",  "t5",  "t6",  "x32", "x33", "x34", "x35", "x36", "x37", "x38",
    "x39",  "x40", "x41", "x42", "x43", "x44", "x45", "x46", "x47", "x48", "x49", "x50", "x51",
    "x52",  "x53", "x54", "x55", "x56", "x57", "x58", "x59", "x60", "x61", "x62", "x63",
};

const char *sam_register_x_name(unsigned index)
{
    return index < 64 ? x_names[index] : "x?";
}

/* "<prefix><decimal without leading zero>" below `limit`, or -1. */
static int numbered(const char *name, size_t size, const char *prefix, int limit)
{
    size_t skip = strlen(prefix);
    if (size <= skip || memcmp(name, prefix, skip) != 0)
        return -1;
    return decimal(name + skip, size - skip, limit);
}

int sam_register_x(const char *name, size_t size)
{
    for (int i = 0; i < 32; i++)
        if (strlen(x_names[i]) == size && memcmp(x_names[i], name, size) == 0)
            return i;
    if (size == 2 && memcmp(name, "fp", 2) == 0)
        return 8;
    return numbered(name, size, "x", 64);
}

int sam_register_v(const char *name, size_t size)
{
    return numbered(name, size, "v", 256);
}

int sam_register_tl(const char *name, size_t size)
{
    static const char *const prefixes[] = {"tl", "tlr", "tlreg", "t"};
    int number = -1;
    for (size_t i = 0; i < SAM_COUNT(prefixes) && number < 0; i++)
        number = numbered(name, size, prefixes[i], 32);
    return number;
}

int sam_register_m(const char *name, size_t size)
{
    return numbered(name, size, "m", 8);
}

bool sam_isa_is_register(const struct sam_isa *isa, const char *name, size_t size)
{
    return sam_register_x(name, size) >= 0 ||
           ((isa->extensions & SAM_EXT_ZVE32F) && sam_register_v(name, size) >= 0) ||
           ((isa->extensions & SAM_EXT_XTENSORLOAD) && sam_register_tl(name, size) >= 0) ||
           ((isa->extensions & SAM_EXT_XMATRIX) && sam_register_m(name, size) >= 0);
}
