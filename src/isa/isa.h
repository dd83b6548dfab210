/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of isa/: the instruction tables as data.
 *
 * A family is a .def file of rows
 *   INSN(id, "mnemonic", match, mask, "operands", EXT, UNIT, DOES, UNDEF, "meaning", "source")
 * included with INSN defined as needed: for the enumeration here, the table in table.c, and the
 * handlers where they are implemented (handlers.h). tensorload.def and matrix.def have row macros
 * of their own, which default to INSN. rvv.def has macros for the forms of one operation.
 *
 * UNIT is the folder with the function: SCALAR or, for RV64 only, SCALAR64 (machine/), LANES or
 * WARP (simt/), TENSOR, MATRIX; a PREFIX has none. DOES is the kind of instruction for observers
 * and time models, with the bytes of an access: ALU, FMA, BRANCH, LOAD(4), GATHER(4, index bytes),
 * ..., a DOES_ macro of table.c; READS_VD(ALU) where vd is a source as well. UNDEF is the rule for
 * undefined bits, an enum sam_undefined. */
#ifndef SAM_ISA_H
#define SAM_ISA_H

#include "base/base.h"
#include "samite/engines.h"
#include "samite/isa.h"

/* Match values by RISC-V format; funct fields as the manuals print them. */
#define SAM_OPC_LOAD   0x03u
#define SAM_OPC_OPIMM  0x13u
#define SAM_OPC_STORE  0x23u
#define SAM_OPC_AMO    0x2fu
#define SAM_OPC_OP     0x33u
#define SAM_OPC_OPFP   0x53u
#define SAM_OPC_V      0x57u
#define SAM_OPC_BRANCH 0x63u
#define SAM_OPC_SYSTEM 0x73u

enum sam_op {
    SAM_OP_ILLEGAL,
#define INSN(id, mnemonic, match, mask, operands, ext, unit, does, undef, meaning, source)         \
    SAM_OP_##id,
#include "isa/families.def"
#undef INSN
    SAM_OP_COUNT
};

/* Requirements of a row, in bits above the extensions. */
enum {
    SAM_ON_RV32 = 1 << 30,   /* RV32 only */
    SAM_ON_RV64 = 1 << 29,   /* RV64 only */
    SAM_ON_SYSTEM = 1 << 28, /* not on a Ventus warp (no ecall, ebreak, mret) */
};

/* Sets of engines (enum sam_engine). */
enum {
    SAM_ENGINES_ALL = 15,
    SAM_ENGINES_STORE = SAM_ENGINES_ALL & ~(1 << SAM_ENGINE_COMP),
};

/* Variants of matrix instructions, the implied immediate of their rows. For moves and element-wise
 * operations: the kind of the second operand, as uop encodes it. */
enum sam_m_form { SAM_M_MM, SAM_M_MV_X, SAM_M_MV_I, SAM_M_MX };
/* Element-wise: form | 64-bit elements | operation. */
enum sam_m_pointwise {
    SAM_M_WIDE = 4,
    SAM_M_ADD = 0 << 3,
    SAM_M_SUB = 1 << 3,
    SAM_M_SRA = 2 << 3,
    SAM_M_CLIP = 3 << 3,
    SAM_M_CLIPU = 4 << 3,
    SAM_M_MUL = 5 << 3,
    SAM_M_MULH = 6 << 3,
};
/* Multiply-accumulate; of integers: type + enum sam_m_sign. */
enum sam_m_mma {
    SAM_M_F16,
    SAM_M_F32,
    SAM_M_F64,
    SAM_M_F16_F32,
    SAM_M_F32_F64,
    SAM_M_I8 = 8,
    SAM_M_I16 = 12,
    SAM_M_I4 = 16,
    SAM_M_MMAS = 20,
};
enum sam_m_sign { SAM_M_S, SAM_M_U, SAM_M_US, SAM_M_SU };
enum { SAM_M_STREAM = 4 };
enum sam_m_config { SAM_M_SET_K, SAM_M_SET_M, SAM_M_SET_N, SAM_M_SET_ALL, SAM_M_IMMEDIATE = 4 };

enum sam_m_kind {
    SAM_M_KIND_LOAD,
    SAM_M_KIND_STORE,
    SAM_M_KIND_MMA,
    SAM_M_KIND_POINTWISE, /* including mmov */
    SAM_M_KIND_CONFIG,
};
/* `word` may also be the match value of a row. */
enum sam_m_kind sam_m_kind(uint32_t word);
/* Whether an element-wise instruction is mmov. */
static inline bool sam_m_is_move(uint32_t word)
{
    return word >> 28 == 0;
}
/* Whether a load or store moves whole registers. */
static inline bool sam_m_is_whole(uint32_t word)
{
    return word >> 29 & 1;
}
static inline unsigned sam_m_whole_count(unsigned variant)
{
    return (variant >> 2) + 1;
}

/* Operand types of a multiplication. */
struct sam_m_type {
    uint8_t source, target; /* element bits of the sources, of the accumulator */
    bool is_float;
};
const struct sam_m_type *sam_m_type(unsigned variant);
/* Registers of the operands md and ms2: 2 for a pair. */
static inline unsigned sam_m_md_count(const struct sam_m_type *type)
{
    return type->target == 64 ? 2 : 1;
}
static inline unsigned sam_m_ms2_count(const struct sam_m_type *type)
{
    return type->target == 16 ? 2 : 1;
}
/* Register choices that make a multiplication illegal for every size. */
enum sam_m_fault { SAM_M_FINE, SAM_M_ODD_MD, SAM_M_ODD_MS2, SAM_M_MD_IS_SOURCE };
/* "odd, and md is a pair of registers" */
const char *sam_m_fault_text(enum sam_m_fault fault);
enum sam_m_fault sam_m_product_fault(const struct sam_m_type *type, unsigned md, unsigned ms2,
                                     unsigned ms1);

/* Kinds of instructions, for statistics, logs and cycle models. */
enum sam_act {
    SAM_ACT_ALU,
    SAM_ACT_MULDIV,
    SAM_ACT_FLOAT,
    SAM_ACT_BRANCH, /* scalar */
    SAM_ACT_JUMP,
    SAM_ACT_LOAD,
    SAM_ACT_STORE,
    SAM_ACT_ATOMIC,    /* reads and writes: amo, sc */
    SAM_ACT_RESERVE,   /* lr */
    SAM_ACT_CSR_WRITE, /* csrrw: writes always */
    SAM_ACT_CSR_BITS,  /* csrrs, csrrc: writes unless the source is zero */
    SAM_ACT_SYSTEM,
    SAM_ACT_PREFIX,
    SAM_ACT_VTYPE, /* sets vl and vtype */
    SAM_ACT_SPLIT, /* vector branch */
    SAM_ACT_JOIN,
    SAM_ACT_RPC,  /* sets CSR_RPC */
    SAM_ACT_SYNC, /* barriers and the end of a warp */
    SAM_ACT_TL_LOAD,
    SAM_ACT_TL_STORE,
    SAM_ACT_TL_ADDI,
    SAM_ACT_TL_CONCAT,
    SAM_ACT_TL_MERGE,
    SAM_ACT_TL_XPOSE,
    SAM_ACT_MATRIX,
};

/* Whether the instruction ends a straight-line run: it may branch, or it changes how the next ones
 * decode or act. A store that may change code ends a run as well. */
static inline bool sam_act_ends_run(unsigned act)
{
    return act == SAM_ACT_BRANCH || act == SAM_ACT_JUMP || act == SAM_ACT_JOIN ||
           act == SAM_ACT_VTYPE || act == SAM_ACT_SYNC || act == SAM_ACT_PREFIX;
}

/* Latency classes: instructions of one class take equally long in one kind of unit. */
#define SAM_LATENCIES(X)                                                                           \
    X(ALU)                                                                                         \
    X(MUL)                                                                                         \
    X(DIV)                                                                                         \
    X(FADD)                                                                                        \
    X(FMA)                                                                                         \
    X(FCVT) /* conversions, comparisons, moves, signs */                                           \
    X(FDIV) /* quotients, roots, exponentials */                                                   \
    X(TILE)                                                                                        \
    X(MEMORY)                                                                                      \
    X(CSR)                                                                                         \
    X(CONTROL) /* of warps */
enum sam_latency {
#define LATENCY(name) SAM_LATENCY_##name,
    SAM_LATENCIES(LATENCY)
#undef LATENCY
};

/* Control flow after the instruction. Loads, stores and CSR accesses may trap as well. */
enum sam_flow {
    SAM_FLOW_NEXT,
    SAM_FLOW_BRANCH,
    SAM_FLOW_SPLIT, /* vector branch */
    SAM_FLOW_JOIN,
    SAM_FLOW_BARRIER,
    SAM_FLOW_PAUSE, /* a barrier of one warp */
    SAM_FLOW_END,
    SAM_FLOW_FENCE,
    SAM_FLOW_TRAP, /* to or from a trap handler */
};

/* Addresses of an access. */
enum sam_form {
    SAM_FORM_UNIT,     /* consecutive elements from rs1 + imm; scalar: one */
    SAM_FORM_STRIDED,  /* at rs1 + i * rs2 */
    SAM_FORM_INDEXED,  /* at rs1 + vs2[i] */
    SAM_FORM_PER_LANE, /* at vs1[i] + imm */
};

/* How the undefined bits of a result follow from the operands a, b and c, in the order of the row;
 * vd as a source comes last. */
enum sam_undefined {
    SAM_UNDEFINED_ANY, /* all bits, if any bit of an operand is undefined */
    SAM_UNDEFINED_BIT, /* ANY for a result of 0 or 1 */
    SAM_UNDEFINED_COPY,
    SAM_UNDEFINED_AND,
    SAM_UNDEFINED_OR,
    SAM_UNDEFINED_XOR,
    SAM_UNDEFINED_ADD,
    SAM_UNDEFINED_SUB,
    SAM_UNDEFINED_RSUB, /* b - a */
    SAM_UNDEFINED_MUL,
    SAM_UNDEFINED_SLL,
    SAM_UNDEFINED_SRL,
    SAM_UNDEFINED_SRA,
    SAM_UNDEFINED_EQ, /* a == b, a != b */
    SAM_UNDEFINED_LT, /* a < b, a >= b */
    SAM_UNDEFINED_LTU,
    SAM_UNDEFINED_GT, /* a > b, a <= b */
    SAM_UNDEFINED_GTU,
    SAM_UNDEFINED_MASK_AND, /* of bit 0; the result may be inverted */
    SAM_UNDEFINED_MASK_ANDN,
    SAM_UNDEFINED_MASK_OR,
    SAM_UNDEFINED_MASK_ORN,
    SAM_UNDEFINED_MASK_XOR,
    SAM_UNDEFINED_SELECT, /* c ? b : a */
    SAM_UNDEFINED_ZEXT8,
    SAM_UNDEFINED_ZEXT16,
    SAM_UNDEFINED_SEXT8,
    SAM_UNDEFINED_SEXT16,
    SAM_UNDEFINED_SIGN,  /* the magnitude of a, the sign of b */
    SAM_UNDEFINED_SIGNX, /* the magnitude of a, the signs of both */
    SAM_UNDEFINED_TILE,  /* vftta: lanes are the elements of matrices */
};

struct sam_does {
    uint8_t act;       /* enum sam_act */
    uint8_t latency;   /* enum sam_latency */
    uint8_t flow;      /* enum sam_flow */
    uint8_t form;      /* enum sam_form */
    uint8_t bytes;     /* of each element accessed; 0: none, or determined by the unit */
    uint8_t index;     /* bytes of an index in a vector register, 0: not indexed */
    bool zero_extends; /* a load */
    bool own;          /* private memory */
    bool reads_vd;     /* the vector register of the result is a source as well */
    bool no_registers; /* the fields of rd, rs1 and rs2 name no registers */
};

struct sam_insn_row {
    const char *mnemonic;
    uint32_t match;
    uint32_t mask;
    const char *operands; /* comma-separated operand letters, see operands.def */
    uint32_t on;          /* every bit must hold: SAM_EXT_*, SAM_ON_* */
    const char *meaning;
    const char *source;
    uint8_t engine;  /* EngineID without a suffix */
    uint8_t engines; /* set of engines that have the instruction; 0: the mask covers the field */
    uint8_t imm;     /* immediate implied by the encoding */
    uint8_t undef;   /* enum sam_undefined */
    struct sam_does does;
};

/* Row of `op`; ILLEGAL has mnemonic "" and mask 0. */
extern const struct sam_insn_row sam_insn_rows[SAM_OP_COUNT];

/* Whether an operand is a vector register. */
static inline bool sam_op_is_vector(enum sam_op op)
{
    for (const char *letter = sam_insn_rows[op].operands; *letter; letter++)
        if (*letter == 'D' || *letter == 'S' || *letter == 'T' || *letter == 'W')
            return true;
    return false;
}

/* Whether `word` encodes `op` in an ISA that has it. */
static inline bool sam_word_is(uint32_t word, enum sam_op op)
{
    return (word & sam_insn_rows[op].mask) == sam_insn_rows[op].match;
}

/* Whether the word is an instruction of Zicsr, and the address of its CSR. */
static inline bool sam_word_is_csr(uint32_t word)
{
    return (word & 0x7f) == SAM_OPC_SYSTEM && (word >> 12 & 3) != 0;
}
static inline uint32_t sam_word_csr(uint32_t word)
{
    return word >> 20;
}

/* Alternative encodings of an instruction, with the operands of its row: decoded, never assembled.
 */
struct sam_encoding_row {
    enum sam_op op;
    const char *mnemonic; /* the equivalent instruction */
    uint32_t match;
    uint32_t mask;
    uint8_t imm;
};
extern const struct sam_encoding_row sam_encoding_rows[];
extern const size_t sam_encoding_row_count;
/* The alternative encoding of `op` that matches `word`, or NULL for the encoding of the row. */
const struct sam_encoding_row *sam_encoding_find(enum sam_op op, uint32_t word);

/* Two bits of the word that a suffix of the mnemonic sets: ".aq", "@store". `field` names the upper
 * and the lower bit, or both when the second is NULL. */
struct sam_suffix {
    uint8_t low;         /* the lower bit */
    const char *text[4]; /* by value */
    const char *field[2];
};
enum { SAM_SUFFIX_COUNT = 2 };
extern const struct sam_suffix sam_suffixes[SAM_SUFFIX_COUNT];
/* The suffix of the row, or NULL. */
const struct sam_suffix *sam_suffix_of(const struct sam_insn_row *row);
/* The bits of the suffix for a mnemonic without one. */
uint32_t sam_suffix_default(const struct sam_insn_row *row);

/* Pseudo-instructions (pseudo.def): for the assembler (`in`) and the disassembler (`out`). */
struct sam_pseudo_row {
    const char *mnemonic;
    const char *operands;
    const char *expansion;
    uint32_t on;
    bool in, out;
};
extern const struct sam_pseudo_row sam_pseudo_rows[];
extern const size_t sam_pseudo_row_count;
/* Whether `isa` meets all requirements in `on`. */
bool sam_isa_is_on(uint32_t on, const struct sam_isa *isa);

/* The requirements in `on` that `isa` does not meet, in the words of ISA strings: "xmatrix",
 * "rv64". */
void sam_isa_format_missing(const struct sam_isa *isa, uint32_t on, char *text, size_t size);
/* `isa` with the extensions in `on`. */
struct sam_isa sam_isa_with(const struct sam_isa *isa, uint32_t on);

/* Operand slots: the members of struct sam_insn that operands are decoded into. */
enum sam_slot {
    SAM_SLOT_NONE,
    SAM_SLOT_RD,
    SAM_SLOT_RS1,
    SAM_SLOT_RS2,
    SAM_SLOT_RS3,
    SAM_SLOT_IMM,
    SAM_SLOT_VM,
    SAM_SLOT_RM
};

/* Kinds of operands, for parsing and printing. */
enum sam_operand_kind {
    SAM_KIND_X,      /* integer register */
    SAM_KIND_V,      /* vector register */
    SAM_KIND_TL,     /* TensorLoad register */
    SAM_KIND_M,      /* matrix register */
    SAM_KIND_X8,     /* integer register x8..x15 in three bits */
    SAM_KIND_SIGNED, /* immediate */
    SAM_KIND_UNSIGNED,
    SAM_KIND_UPPER,  /* imm20, also %hi() */
    SAM_KIND_TARGET, /* pc-relative address */
    SAM_KIND_CSR,
    SAM_KIND_V0, /* the text v0: the mask register of a merge or a carry */
    SAM_KIND_VM, /* ", v0.t" or nothing */
    SAM_KIND_RM, /* rounding mode; optional (dyn) */
    SAM_KIND_VTYPE,
    SAM_KIND_FENCE,
    SAM_KIND_VALUE, /* an expression of any size; pseudo-instructions only */
};

/* A row of operands.def. The value is gathered from up to four pieces of the word, lowest value
 * bits first. */
struct sam_operand {
    char letter;
    const char *name; /* as in the manuals: "rd", "vs1", "imm[11:0]" */
    enum sam_operand_kind kind;
    enum sam_slot slot;
    bool is_signed;
    unsigned shift; /* value bits below the first piece that are zero (1 for branch targets) */
    struct sam_operand_piece {
        uint8_t low;   /* lowest bit in the word */
        uint8_t width; /* 0 ends the list */
    } pieces[4];
};

/* --- uses.c: the operands of an instruction in x and v registers, and immediates */
enum sam_operand_file {
    SAM_OPERAND_NONE,
    SAM_OPERAND_X,
    SAM_OPERAND_V,
    SAM_OPERAND_V0, /* bit 0 of v0, in a row without a field for it */
    SAM_OPERAND_IMM,
};
enum sam_role { SAM_ROLE_OPERAND, SAM_ROLE_ADDRESS, SAM_ROLE_DATA /* stored */ };
struct sam_use {
    uint8_t file; /* enum sam_operand_file */
    uint8_t slot; /* enum sam_slot */
    uint8_t role; /* enum sam_role */
};
enum { SAM_MOST_SOURCES = 4 };
struct sam_uses {
    uint8_t result; /* the file of rd */
    uint8_t count;
    bool masked; /* reads v0 as its mask where vm is 0 */
    struct sam_use sources[SAM_MOST_SOURCES];
};
struct sam_uses sam_op_uses(enum sam_op op);

static inline bool sam_kind_is_register(enum sam_operand_kind kind)
{
    return kind == SAM_KIND_X || kind == SAM_KIND_V || kind == SAM_KIND_TL || kind == SAM_KIND_M ||
           kind == SAM_KIND_X8;
}

/* The operand of a letter, or NULL for punctuation. */
const struct sam_operand *sam_operand_find(char letter);
/* Whether REGEXTI widens this 5-bit immediate to 11 bits. */
bool sam_operand_widens(const struct sam_operand *operand);
/* Value of the operand in `word`, sign-extended where the operand is signed, shifted. */
int32_t sam_operand_get(const struct sam_operand *operand, uint32_t word);
/* `word` with the operand set to a value that fits (sam_operand_fits). */
uint32_t sam_operand_put(const struct sam_operand *operand, uint32_t word, int32_t value);
bool sam_operand_fits(const struct sam_operand *operand, int64_t value);
void sam_operand_range(const struct sam_operand *operand, int64_t *low, int64_t *high);

/* A decoded instruction. Register numbers carry the bits of a prefix (0..255); rs2 of an immediate
 * shift is unused, the amount is imm; imm of a transposition is dim0 | dim1 << 2. `vm` is true when
 * the instruction is unmasked. `rm` is the rounding-mode field (7 = dynamic), or 7 if there is
 * none. */
struct sam_insn {
    enum sam_op op;
    uint32_t word;
    uint8_t rd, rs1, rs2, rs3;
    bool vm;
    uint8_t rm;
    bool pair; /* under REGPAIR/REGPAIRI */
    int32_t imm;
};

/* The instruction of `isa` that `word` encodes, before its operands are checked (find.c). */
enum sam_op sam_op_find(const struct sam_isa *isa, uint32_t word);
/* Decode `word`; `prefix` is the preceding REGEXT, REGEXTI, REGPAIR or REGPAIRI, or 0. Returns
 * false with op = SAM_OP_ILLEGAL if the word is not an instruction of `isa`, an immediate prefix
 * precedes an instruction without a 5-bit immediate, a prefix precedes another prefix, or an
 * extended scalar register is above 63. Ventus manual 4.2.2, 4.2.3. */
bool sam_decode(const struct sam_isa *isa, uint32_t word, uint32_t prefix, struct sam_insn *insn);
bool sam_isa_has_row(const struct sam_insn_row *row, const struct sam_isa *isa);
/* Whether `op` is REGEXT, REGEXTI, REGPAIR or REGPAIRI. */
static inline bool sam_op_is_prefix(enum sam_op op)
{
    return sam_insn_rows[op].does.act == SAM_ACT_PREFIX;
}

/* A cache of disassembled text for logs, by pc and word, for instructions without a prefix. */
struct sam_texts;
struct sam_texts *sam_texts_new(void);
void sam_texts_free(struct sam_texts *texts);
/* The text of sam_disassemble, valid until the next call. */
const char *sam_texts_of(struct sam_texts *texts, const struct sam_isa *isa, uint32_t word,
                         uint64_t pc, const struct sam_image *image);

/* Registers: "x5", "t0", "fp", up to x63; "v0".."v255"; "tl0", "tlr0", "t0" up to 31; "m0".."m7".
 * Any other name is -1. */
int sam_register_x(const char *name, size_t size);
int sam_register_v(const char *name, size_t size);
int sam_register_tl(const char *name, size_t size);
int sam_register_m(const char *name, size_t size);
/* Whether an assembler for `isa` reads the name as a register. */
bool sam_isa_is_register(const struct sam_isa *isa, const char *name, size_t size);
/* ABI name of x0..x31 ("zero", "ra", ...), "x32".. above. */
const char *sam_register_x_name(unsigned index);

/* Whether the name is a symbol for the assembler: letters, digits, _ . $, and not a register. */
bool sam_isa_is_plain_name(const struct sam_isa *isa, const char *name);

/* Whether the word is an instruction of the C extension, which no machine implements: its low two
 * bits are not 11, and it is not zero. */
static inline bool sam_isa_is_compressed(uint64_t word)
{
    return (word & 3) != 3 && (word & 0xffff);
}

/* CSR addresses by name: SAM_CSR_mstatus. */
enum {
#define CSR(name, address, on, meaning) SAM_CSR_##name = (address),
#include "isa/csr.def"
};

/* Rows of csr.def. Several names may share an address; the first row is printed. */
struct sam_csr_row {
    uint16_t address;
    const char *name;
    uint32_t on; /* every bit must hold: SAM_EXT_*, SAM_ON_*; 0: always */
    const char *meaning;
};
extern const struct sam_csr_row sam_csr_rows[];
extern const size_t sam_csr_row_count;

/* Other names of CSRs. With count > 1, "name0", "name1", ... are `count` registers from `address`
 * on, and "name" is the first. */
struct sam_csr_alias {
    uint16_t address;
    uint16_t count;
    const char *name;
    uint32_t on;
    const char *note; /* warning of the assembler, or NULL */
};
extern const struct sam_csr_alias sam_csr_aliases[];
extern const size_t sam_csr_alias_count;
const char *sam_csr_name(const struct sam_isa *isa, unsigned address);
/* Address of a CSR, or -1. "CSR_TID" is "tid", "name{3}" is "name3". */
int sam_csr_address(const struct sam_isa *isa, const char *name, size_t size);
/* The alias of that name with a note, or NULL. */
const struct sam_csr_alias *sam_csr_ruled(const struct sam_isa *isa, const char *name, size_t size);

#endif
