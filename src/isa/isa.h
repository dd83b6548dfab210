/* SPDX-License-Identifier: Apache-2.0 */
/* The face of isa/: the instruction tables as data.
 *
 * A family is a .def file of rows
 *   INSN(id, "mnemonic", match, mask, "operands", EXT, UNIT, DOES, "meaning", "source")
 * included with INSN defined as needed: for the enumeration here, the table in table.c, and the
 * handlers where they are implemented (handlers.h). A new instruction is one row, one semantic
 * function, one test. tensorload.def and matrix.def have row macros of their own, which default to
 * INSN.
 *
 * UNIT says where the function is: SCALAR or, for RV64 only, SCALAR64 (machine/), LANES or WARP
 * (simt/), TENSOR, MATRIX; a PREFIX has none. DOES is what observers need to know: an enum sam_act,
 * with the bytes of an access: ALU, BRANCH, LOAD(4), GATHER(4, index bytes), ...; READS_VD(ALU)
 * where vd is a source as well. */
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
#define INSN(id, mnemonic, match, mask, operands, ext, unit, does, meaning, source) SAM_OP_##id,
#include "isa/families.def"
#undef INSN
    SAM_OP_COUNT
};

/* When a row is enabled. XLEN limits are separate bits above the extensions. */
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

/* Variants of matrix instructions: the implied immediate of their rows. Moves and element-wise
 * operations: the kind of the second operand, encoded in uop. */
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
/* Multiply-accumulate. Integers: type + which sources are unsigned. */
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
/* The kind of a matrix instruction, from its word or match. */
enum sam_m_kind sam_m_kind(uint32_t word);
/* Whether this element-wise instruction only copies: mmov. */
static inline bool sam_m_is_move(uint32_t word)
{
    return word >> 28 == 0;
}
/* Whether this load or store moves whole registers. */
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
/* Number of registers that md and ms2 stand for: 2 for a pair. */
static inline unsigned sam_m_md_count(const struct sam_m_type *type)
{
    return type->target == 64 ? 2 : 1;
}
static inline unsigned sam_m_ms2_count(const struct sam_m_type *type)
{
    return type->target == 16 ? 2 : 1;
}
/* Choices of registers that make a multiplication illegal, whatever the sizes. */
enum sam_m_fault { SAM_M_FINE, SAM_M_ODD_MD, SAM_M_ODD_MS2, SAM_M_MD_IS_SOURCE };
/* "odd, and md is a pair of registers" */
const char *sam_m_fault_text(enum sam_m_fault fault);
enum sam_m_fault sam_m_product_fault(const struct sam_m_type *type, unsigned md, unsigned ms2,
                                     unsigned ms1);

/* What an instruction does, for statistics, logs and cycle models. */
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
    SAM_ACT_CSR_WRITE, /* writes whatever the source is */
    SAM_ACT_CSR_BITS,  /* sets or clears; writes unless the source is zero */
    SAM_ACT_SYSTEM,
    SAM_ACT_PREFIX,
    SAM_ACT_VTYPE, /* sets vl and vtype */
    SAM_ACT_SPLIT, /* vector branch */
    SAM_ACT_JOIN,
    SAM_ACT_RPC,  /* sets CSR_RPC */
    SAM_ACT_SYNC, /* barriers and the end of a warp; the rd field is not a result */
    SAM_ACT_TL_LOAD,
    SAM_ACT_TL_STORE,
    SAM_ACT_TL_ADDI,
    SAM_ACT_TL_CONCAT,
    SAM_ACT_TL_MERGE,
    SAM_ACT_TL_XPOSE,
    SAM_ACT_MATRIX,
};

/* Whether a straight-line run is counted up to an instruction that does this: it goes elsewhere, or
 * changes what those after it are. A store ends one, too, when it may change code. */
static inline bool sam_act_ends_run(unsigned act)
{
    return act == SAM_ACT_BRANCH || act == SAM_ACT_JUMP || act == SAM_ACT_JOIN ||
           act == SAM_ACT_VTYPE || act == SAM_ACT_SYNC || act == SAM_ACT_PREFIX;
}

struct sam_does {
    uint8_t act;   /* enum sam_act */
    uint8_t bytes; /* of each element accessed; 0: none, or determined by the unit */
    uint8_t index; /* bytes of an index in a vector register, 0: not indexed */
    bool own;      /* private memory */
    bool reads_vd; /* the vector register of the result is a source as well */
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

/* Whether the word is an instruction of the row, in any ISA that has it. */
static inline bool sam_word_is(uint32_t word, enum sam_op op)
{
    return (word & sam_insn_rows[op].mask) == sam_insn_rows[op].match;
}

/* Zicsr: whether the word reads, writes, sets or clears a CSR; and the address of that CSR. */
static inline bool sam_word_is_csr(uint32_t word)
{
    return (word & 0x7f) == SAM_OPC_SYSTEM && (word >> 12 & 3) != 0;
}
static inline uint32_t sam_word_csr(uint32_t word)
{
    return word >> 20;
}

/* Alternative encodings of an instruction: decoded, never assembled. Operands are those of its row.
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
/* The alternative encoding of `op` that matches `word`; NULL: `word` is the row's own encoding. */
const struct sam_encoding_row *sam_encoding_find(enum sam_op op, uint32_t word);

/* Two bits of the word given by a suffix of the mnemonic: ".aq", "@store". `field` names the upper
 * and the lower bit, or both when the second is NULL. */
struct sam_suffix {
    uint8_t low;         /* the lower bit */
    const char *text[4]; /* by value */
    const char *field[2];
};
enum { SAM_SUFFIX_COUNT = 2 };
extern const struct sam_suffix sam_suffixes[SAM_SUFFIX_COUNT];
/* The suffix that instructions of the row accept, or NULL. */
const struct sam_suffix *sam_suffix_of(const struct sam_insn_row *row);
/* The bits of the suffix in a word written without one. */
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

/* The requirements in `on` that `isa` does not meet, as ISA strings name them: "xmatrix", "rv64".
 */
void sam_isa_format_missing(const struct sam_isa *isa, uint32_t on, char *text, size_t size);
/* `isa` with the extensions in `on`. */
struct sam_isa sam_isa_with(const struct sam_isa *isa, uint32_t on);

/* Operand slots: the register numbers and the immediate of an instruction, whatever its format. */
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

/* One row of operands.def: an operand letter. The value is gathered from up to four pieces of the
 * word, lowest value bits first. */
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

static inline bool sam_kind_is_register(enum sam_operand_kind kind)
{
    return kind == SAM_KIND_X || kind == SAM_KIND_V || kind == SAM_KIND_TL || kind == SAM_KIND_M ||
           kind == SAM_KIND_X8;
}

/* The operand called `letter`, or NULL when the character is punctuation. */
const struct sam_operand *sam_operand_find(char letter);
/* Whether REGEXTI widens this 5-bit immediate to 11 bits. */
bool sam_operand_widens(const struct sam_operand *operand);
/* Value of the operand in `word`, sign-extended where the operand is signed, shifted. */
int32_t sam_operand_get(const struct sam_operand *operand, uint32_t word);
/* `word` with the operand set; the value must fit (sam_operand_fits). */
uint32_t sam_operand_put(const struct sam_operand *operand, uint32_t word, int32_t value);
bool sam_operand_fits(const struct sam_operand *operand, int64_t value);
/* Smallest and largest encodable value. */
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

/* The instruction of `isa` that the word is, whatever its operands (find.c). */
enum sam_op sam_op_find(const struct sam_isa *isa, uint32_t word);
/* Decode `word`; `prefix` is the word of a REGEXT/REGEXTI/REGPAIR/REGPAIRI just before it, or 0.
 * False (op = SAM_OP_ILLEGAL) when the word is not an instruction of `isa`, when an immediate
 * prefix precedes an instruction without a 5-bit immediate, when a prefix precedes another prefix,
 * or when an extended scalar register is above 63. Ventus manual 4.2.2, 4.2.3. */
bool sam_decode(const struct sam_isa *isa, uint32_t word, uint32_t prefix, struct sam_insn *insn);
/* Whether `isa` includes the row. */
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
/* The text that sam_disassemble writes; valid until the next call. */
const char *sam_texts_of(struct sam_texts *texts, const struct sam_isa *isa, uint32_t word,
                         uint64_t pc, const struct sam_image *image);

/* Registers: "x5", "t0", "fp", up to x63; "v0".."v255"; "tl0", "tlr0", "t0" up to 31; "m0".."m7".
 * -1: not a register. */
int sam_register_x(const char *name, size_t size);
int sam_register_v(const char *name, size_t size);
int sam_register_tl(const char *name, size_t size);
int sam_register_m(const char *name, size_t size);
/* Whether an assembler for `isa` reads the name as a register. */
bool sam_isa_is_register(const struct sam_isa *isa, const char *name, size_t size);
/* ABI name of x0..x31 ("zero", "ra", ...), "x32".. above. */
const char *sam_register_x_name(unsigned index);

/* Whether the assembler reads the name as a symbol: letters, digits, _ . $, and not a register. */
bool sam_isa_is_plain_name(const struct sam_isa *isa, const char *name);

/* Whether the word is an instruction of the C extension, which no machine here implements: 16 bits
 * that do not end in 11. All zeros is not one. */
static inline bool sam_isa_is_compressed(uint64_t word)
{
    return (word & 3) != 3 && (word & 0xffff);
}

/* The addresses of the CSRs of csr.def, by name: SAM_CSR_mstatus. */
enum {
#define CSR(name, address, on, meaning) SAM_CSR_##name = (address),
#include "isa/csr.def"
};

/* CSRs by address. Several names may share an address; the first row is printed. */
struct sam_csr_row {
    uint16_t address;
    const char *name;
    uint32_t on; /* every bit must hold: SAM_EXT_*, SAM_ON_*; 0: always */
    const char *meaning;
};
extern const struct sam_csr_row sam_csr_rows[];
extern const size_t sam_csr_row_count;

/* Other names of CSRs. With count > 1, "name" is the first of `count` registers from `address` on,
 * and "name0", "name1", ... name each of them. */
struct sam_csr_alias {
    uint16_t address;
    uint16_t count;
    const char *name;
    uint32_t on;
    const char *note; /* what the assembler warns of; NULL: nothing */
};
extern const struct sam_csr_alias sam_csr_aliases[];
extern const size_t sam_csr_alias_count;
/* Name of the CSR under `isa`, or NULL. */
const char *sam_csr_name(const struct sam_isa *isa, unsigned address);
/* Address of the CSR called `name` (size bytes), or -1. "CSR_TID" and "tid" are the same, "name{3}"
 * is "name3". */
int sam_csr_address(const struct sam_isa *isa, const char *name, size_t size);
/* The alias called `name` that has a note, or NULL. */
const struct sam_csr_alias *sam_csr_ruled(const struct sam_isa *isa, const char *name, size_t size);

#endif
