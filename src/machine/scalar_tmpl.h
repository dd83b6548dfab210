/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar semantics, written once for both widths. scalar32.c and scalar64.c include this with
 *   XLEN, ux_t, sx_t   the register width and its types
 *   X(n)               register n of core c
 *   FAST               sam_fast32 or sam_fast64
 *   FILL               name of the function that enters the handlers in a table
 * defined. RISC-V unprivileged manual, chapters 2, 4, 7, 13, 14, 21 (Zfinx). */
#include "base/fp.h"
#include "machine/fpenv.h"
#include "machine/threads.h"

#define RD            X(op->rd)
#define RS1           X(op->rs1)
#define RS2           X(op->rs2)
#define RS3           X(op->rs3)
#define IMM           ((ux_t)(sx_t)op->imm)
#define SEXT32(value) ((ux_t)(sx_t)(int32_t)(value))

/* ------------------------------------------------------------------- I: arithmetic */

#define ALU(name, expression)                                                                      \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        RD = (ux_t)(expression);                                                                   \
        SAM_NEXT();                                                                                \
    }

/* Operations that also occur in fused pairs (below). */
#define RESULT_addi (RS1 + IMM)
#define RESULT_andi (RS1 & IMM)
#define RESULT_slli (RS1 << op->imm)
#define RESULT_srli (RS1 >> op->imm)
#define RESULT_add  (RS1 + RS2)
#define RESULT_sub  (RS1 - RS2)
#define RESULT_xor_ (RS1 ^ RS2)
#define RESULT_or_  (RS1 | RS2)
#define RESULT_and_ (RS1 & RS2)
#define RESULT_mul  (RS1 * RS2)

ALU(lui, (sx_t)(int32_t)((uint32_t)op->imm << 12))
ALU(auipc, sam_pc_of(c, op) + (uint64_t)(int64_t)(int32_t)((uint32_t)op->imm << 12))
ALU(addi, RESULT_addi)
ALU(slti, (sx_t)RS1 < (sx_t)IMM)
ALU(sltiu, RS1 < IMM)
ALU(xori, RS1 ^ IMM)
ALU(ori, RS1 | IMM)
ALU(andi, RESULT_andi)
ALU(slli, RESULT_slli)
ALU(srli, RESULT_srli)
ALU(srai, (sx_t)RS1 >> op->imm)
ALU(add, RESULT_add)
ALU(sub, RESULT_sub)
ALU(sll, RS1 << (RS2 & (XLEN - 1)))
ALU(slt, (sx_t)RS1 < (sx_t)RS2)
ALU(sltu, RS1 < RS2)
ALU(xor_, RESULT_xor_)
ALU(srl, RS1 >> (RS2 & (XLEN - 1)))
ALU(sra, (sx_t)RS1 >> (RS2 & (XLEN - 1)))
ALU(or_, RESULT_or_)
ALU(and_, RESULT_and_)

SAM_HANDLER(op_nothing)
{
    SAM_NEXT();
}

/* ----------------------------------------------------------------------- I: control */

SAM_HANDLER(op_jal)
{
    RD = (ux_t)(sam_pc_of(c, op) + 4);
    SAM_JUMP(c->ops + op->imm);
}

SAM_HANDLER(op_jal_far)
{
    uint64_t pc = sam_pc_of(c, op), to = pc + (uint64_t)(int64_t)op->imm;
    if (!(to & 3))
        RD = (ux_t)(pc + 4);
    SAM_JUMP_PC(to);
}

SAM_HANDLER(op_jalr)
{
    ux_t to = (RS1 + IMM) & ~(ux_t)1;
    if (SAM_UNLIKELY(to & 3))
        SAM_JUMP_PC(to);
    RD = (ux_t)(sam_pc_of(c, op) + 4);
    if (SAM_LIKELY((uint64_t)to - c->page_pc < SAM_PAGE_SIZE))
        SAM_JUMP(c->ops + (to & (SAM_PAGE_SIZE - 1)) / 4);
    SAM_JUMP_PC(to);
}

#define BRANCH(name, condition)                                                                    \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        if (condition)                                                                             \
            SAM_JUMP(c->ops + op->imm);                                                            \
        SAM_NEXT();                                                                                \
    }                                                                                              \
    SAM_HANDLER(op_##name##_far)                                                                   \
    {                                                                                              \
        if (condition)                                                                             \
            SAM_JUMP_PC(sam_pc_of(c, op) + (uint64_t)(int64_t)op->imm);                            \
        SAM_NEXT();                                                                                \
    }

#define TAKEN_beq  (RS1 == RS2)
#define TAKEN_bne  (RS1 != RS2)
#define TAKEN_blt  ((sx_t)RS1 < (sx_t)RS2)
#define TAKEN_bge  ((sx_t)RS1 >= (sx_t)RS2)
#define TAKEN_bltu (RS1 < RS2)
#define TAKEN_bgeu (RS1 >= RS2)

BRANCH(beq, TAKEN_beq)
BRANCH(bne, TAKEN_bne)
BRANCH(blt, TAKEN_blt)
BRANCH(bge, TAKEN_bge)
BRANCH(bltu, TAKEN_bltu)
BRANCH(bgeu, TAKEN_bgeu)

/* ------------------------------------------------------------------------ I: memory */

/* Loads and stores. On a miss, an out-of-line function executes the whole instruction, so that the
 * fast path is a leaf; there the TLB may request a stop after the access (a store to a watched
 * word). A store first tries a second leaf: the bytes after the watched word. */
#define MISSED_SAM_LOAD(name)   slow_##name
#define MISSED_SAM_STORE(name)  beside_##name
#define MISSED_SAM_ATOMIC(name) beside_##name
#define TRY_ACCESS(name, type, access, body)                                                       \
    do {                                                                                           \
        uint8_t *host = FAST(c, RS1 + IMM, sizeof(type), access != SAM_LOAD);                      \
        if (SAM_UNLIKELY(!host))                                                                   \
            SAM_MUSTTAIL return MISSED_##access(name)(c, op, entry, left);                         \
        body;                                                                                      \
    } while (0)

#define BESIDE_SAM_LOAD(name, type, body)
#define BESIDE_SAM_STORE(name, type, body)                                                         \
    static SAM_NOINLINE const struct sam_uop *beside_##name(SAM_HANDLER_ARGS)                      \
    {                                                                                              \
        uint8_t *host = sam_fast_gap(c, RS1 + IMM, sizeof(type));                                  \
        if (SAM_UNLIKELY(!host))                                                                   \
            SAM_MUSTTAIL return slow_##name(c, op, entry, left);                                   \
        body;                                                                                      \
        SAM_NEXT();                                                                                \
    }

#define BESIDE_SAM_ATOMIC(name, type, body) BESIDE_SAM_STORE(name, type, body)

#define ACCESS(name, type, access, body)                                                           \
    static SAM_NOINLINE const struct sam_uop *slow_##name(SAM_HANDLER_ARGS)                        \
    {                                                                                              \
        c->accessed_at = sam_retired_at(c, op, entry, left);                                       \
        uint8_t *host = sam_access_slow(c, RS1 + IMM, sizeof(type), access);                       \
        if (!host)                                                                                 \
            SAM_TRAP_SET();                                                                        \
        body;                                                                                      \
        if (SAM_UNLIKELY(c->event))                                                                \
            return sam_stop_event(c, op, entry, left, c->event, sam_pc_of(c, op) + 4);             \
        SAM_NEXT();                                                                                \
    }                                                                                              \
    BESIDE_##access(name, type, body) SAM_HANDLER(op_##name)                                       \
    {                                                                                              \
        TRY_ACCESS(name, type, access, body);                                                      \
        SAM_NEXT();                                                                                \
    }

#define LOADED(type, extended)                                                                     \
    type value;                                                                                    \
    memcpy(&value, host, sizeof value);                                                            \
    RD = (ux_t)(extended)value
#define STORED(type)                                                                               \
    type value = (type)RS2;                                                                        \
    memcpy(host, &value, sizeof value)

#define LOAD(name, type, extended) ACCESS(name, type, SAM_LOAD, LOADED(type, extended))
#define STORE(name, type)          ACCESS(name, type, SAM_STORE, STORED(type))

LOAD(lb, int8_t, sx_t)
LOAD(lh, int16_t, sx_t)
LOAD(lw, int32_t, sx_t)
LOAD(lbu, uint8_t, ux_t)
LOAD(lhu, uint16_t, ux_t)
STORE(sb, uint8_t)
STORE(sh, uint16_t)
STORE(sw, uint32_t)
#if XLEN == 64
LOAD(ld, int64_t, sx_t)
LOAD(lwu, uint32_t, ux_t)
STORE(sd, uint64_t)
#endif

/* ------------------------------------------------------------------------- RV64I: words */

#if XLEN == 64
#define RESULT_addiw SEXT32(RS1 + IMM)
#define RESULT_addw  SEXT32(RS1 + RS2)

ALU(addiw, RESULT_addiw)
ALU(slliw, SEXT32((uint32_t)RS1 << op->imm))
ALU(srliw, SEXT32((uint32_t)RS1 >> op->imm))
ALU(sraiw, (int32_t)RS1 >> op->imm)
ALU(addw, RESULT_addw)
ALU(subw, SEXT32(RS1 - RS2))
ALU(sllw, SEXT32((uint32_t)RS1 << (RS2 & 31)))
ALU(srlw, SEXT32((uint32_t)RS1 >> (RS2 & 31)))
ALU(sraw, (sx_t)((int32_t)RS1 >> (RS2 & 31)))
#endif

/* ------------------------------------------------------------------------------- M */

#if XLEN == 64
typedef __int128 wide_t;
typedef unsigned __int128 uwide_t;
#else
typedef int64_t wide_t;
typedef uint64_t uwide_t;
#endif

ALU(mul, RESULT_mul)
ALU(mulh, ((wide_t)(sx_t)RS1 * (wide_t)(sx_t)RS2) >> XLEN)
ALU(mulhsu, ((wide_t)(sx_t)RS1 * (wide_t)RS2) >> XLEN)
ALU(mulhu, ((uwide_t)RS1 * RS2) >> XLEN)

/* a / b and a % b for signed type `s` and unsigned type `u`: RISC-V M 13.2, table "division by zero
 * and overflow". The negation of the smallest number wraps to itself. */
#define DIVISIONS(suffix, s, u)                                                                    \
    ALU(div##suffix, (s)((u)RS2 == 0          ? (s)-1                                              \
                         : (s)(u)RS2 == (s)-1 ? (s)((u)0 - (u)RS1)                                 \
                                              : (s)((s)(u)RS1 / (s)(u)RS2)))                       \
    ALU(divu##suffix, (s)((u)RS2 == 0 ? (u)-1 : (u)((u)RS1 / (u)RS2)))                             \
    ALU(rem##suffix, (s)((u)RS2 == 0          ? (s)(u)RS1                                          \
                         : (s)(u)RS2 == (s)-1 ? (s)0                                               \
                                              : (s)((s)(u)RS1 % (s)(u)RS2)))                       \
    ALU(remu##suffix, (s)((u)RS2 == 0 ? (u)RS1 : (u)((u)RS1 % (u)RS2)))

DIVISIONS(, sx_t, ux_t)
#if XLEN == 64
ALU(mulw, SEXT32(RS1 *RS2))
DIVISIONS(w, int32_t, uint32_t)
#endif

/* ------------------------------------------------------------------------------- A */

/* Atomic with respect to host threads that share the memory. */
#define AMO(name, type, update)                                                                    \
    ACCESS(name, type, SAM_ATOMIC, type *cell = (type *)(void *)host;                              \
           type old = __atomic_load_n(cell, __ATOMIC_RELAXED); type b = (type)RS2;                 \
           while (!__atomic_compare_exchange_n(cell, &old, (type)(update), true, __ATOMIC_SEQ_CST, \
                                               __ATOMIC_RELAXED)) continue;                        \
           RD = (ux_t)(sx_t)old)

/* A reservation keeps the value read; sc fails if the word has changed. */
#define LR_SC(suffix, type)                                                                        \
    ACCESS(lr_##suffix, type, SAM_LOAD,                                                            \
           type old = __atomic_load_n((type *)(void *)host, __ATOMIC_SEQ_CST);                     \
           c->reserved = true; c->reservation = RS1; c->reserved_value = (uint64_t)old;            \
           RD = (ux_t)(sx_t)old)                                                                   \
    ACCESS(sc_##suffix, type, SAM_STORE, type expected = (type)c->reserved_value;                  \
           bool done = c->reserved && c->reservation == RS1 &&                                     \
                       __atomic_compare_exchange_n((type *)(void *)host, &expected, (type)RS2,     \
                                                   false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);     \
           c->reserved = false; RD = !done)

#define AMOS(suffix, type, utype)                                                                  \
    LR_SC(suffix, type)                                                                            \
    AMO(amoswap_##suffix, type, b)                                                                 \
    AMO(amoadd_##suffix, type, (utype)old + (utype)b)                                              \
    AMO(amoxor_##suffix, type, old ^ b)                                                            \
    AMO(amoand_##suffix, type, old &b)                                                             \
    AMO(amoor_##suffix, type, old | b)                                                             \
    AMO(amomin_##suffix, type, old < b ? old : b)                                                  \
    AMO(amomax_##suffix, type, old > b ? old : b)                                                  \
    AMO(amominu_##suffix, type, (utype)old < (utype)b ? old : b)                                   \
    AMO(amomaxu_##suffix, type, (utype)old > (utype)b ? old : b)

AMOS(w, int32_t, uint32_t)
#if XLEN == 64
AMOS(d, int64_t, uint64_t)
#endif

/* --------------------------------------------------------------------------- Zicsr */

enum { CSR_REPLACE, CSR_SET, CSR_CLEAR };

/* One CSR instruction. `writes` is false for csrrs and csrrc with x0 or a zero immediate, `reads`
 * for csrrw(i) to x0. Returns false for an illegal access. */
static bool csr_access(struct sam_core *c, uint64_t instret, unsigned address, int mode,
                       uint64_t operand, bool reads, bool writes, uint64_t *old)
{
    uint64_t value = 0;
    if (address == 1 || address == 3) {
        c->fflags |= (uint8_t)sam_host_fp_flags();
        sam_host_fp_clear();
    }
    if (reads && !sam_core_csr_read(c, address, instret, &value))
        return false;
    *old = value;
    if (!writes)
        return true;
    if (mode == CSR_SET)
        operand = value | operand;
    else if (mode == CSR_CLEAR)
        operand = value & ~operand;
    return sam_core_csr_write(c, address, instret + 1, (ux_t)operand);
}

#define CSR_OP(name, mode, operand_value, reads, writes)                                           \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        uint64_t old;                                                                              \
        unsigned address = (unsigned)op->imm & 0xfff;                                              \
        if (!csr_access(c, sam_retired_at(c, op, entry, left), address, mode, operand_value,       \
                        reads, writes, &old)) {                                                    \
            SAM_TRAP_ILLEGAL();                                                                    \
        }                                                                                          \
        if (reads)                                                                                 \
            RD = (ux_t)old;                                                                        \
        if (SAM_UNLIKELY(c->event))                                                                \
            return sam_stop_event(c, op, entry, left, c->event, sam_pc_of(c, op) + 4);             \
        SAM_NEXT();                                                                                \
    }

/* Bits 10:8 of a widened immediate are in rs3. */
#define CSR_UIMM ((uint64_t)op->rs1 | (uint64_t)op->rs3 << 8)

CSR_OP(csrrw, CSR_REPLACE, RS1, op->rd != SAM_X_SINK, true)
CSR_OP(csrrs, CSR_SET, RS1, true, op->rs1 != 0)
CSR_OP(csrrc, CSR_CLEAR, RS1, true, op->rs1 != 0)
CSR_OP(csrrwi, CSR_REPLACE, CSR_UIMM, op->rd != SAM_X_SINK, true)
CSR_OP(csrrsi, CSR_SET, CSR_UIMM, true, CSR_UIMM != 0)
CSR_OP(csrrci, CSR_CLEAR, CSR_UIMM, true, CSR_UIMM != 0)

/* --------------------------------------------------------------------------- Zfinx */

/* The rounding mode of the instruction: imm holds its rm field. Above SAM_RMM: frm is invalid. */
static inline unsigned rounding(const struct sam_core *c, const struct sam_uop *op)
{
    return op->imm == 7 ? c->frm : (unsigned)op->imm;
}

/* Whether the host raised its underflow flag for a result that may be tiny. */
static inline bool underflowed(uint32_t bits)
{
    return SAM_HOST_FP_EARLY && (bits & 0x7fffffff) <= 0x00800000 && sam_host_fp_underflowed(bits);
}

/* A result that depends on the rounding mode: uses host arithmetic for round to nearest even. */
#define FP_ROUNDED(name, host, exact)                                                              \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        enum sam_round round = (enum sam_round)rounding(c, op);                                    \
        if (SAM_UNLIKELY(round > SAM_RMM))                                                         \
            SAM_MUSTTAIL return sam_stop_illegal(c, op, entry, left);                              \
        uint32_t bits = 0;                                                                         \
        if (SAM_LIKELY(round == SAM_RNE)) {                                                        \
            bits = sam_f32_bits(host);                                                             \
            bits = sam_f32_is_nan(bits) ? SAM_F32_NAN : bits;                                      \
        }                                                                                          \
        if (SAM_UNLIKELY(round != SAM_RNE || underflowed(bits))) {                                 \
            unsigned flags = 0;                                                                    \
            bits = exact;                                                                          \
            c->fflags |= (uint8_t)flags;                                                           \
        }                                                                                          \
        RD = SEXT32(bits);                                                                         \
        SAM_NEXT();                                                                                \
    }

#define A32 ((uint32_t)RS1)
#define B32 ((uint32_t)RS2)
#define C32 ((uint32_t)RS3)
#define NEG UINT32_C(0x80000000)

#define AF sam_bits_f32(A32)
#define BF sam_bits_f32(B32)

FP_ROUNDED(fadd_s, AF + BF, sam_f32_add(A32, B32, round, &flags))
FP_ROUNDED(fsub_s, AF - BF, sam_f32_sub(A32, B32, round, &flags))
FP_ROUNDED(fmul_s, AF *BF, sam_f32_mul(A32, B32, round, &flags))
FP_ROUNDED(fdiv_s, AF / BF, sam_f32_div(A32, B32, round, &flags))
FP_ROUNDED(fsqrt_s, __builtin_sqrtf(AF), sam_f32_sqrt(A32, round, &flags))

/* `flags` has its own block: a local whose address is taken must be dead before the tail call. */
#define FP_EXACT(name, exact)                                                                      \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        enum sam_round round = (enum sam_round)rounding(c, op);                                    \
        if (SAM_UNLIKELY(round > SAM_RMM))                                                         \
            SAM_MUSTTAIL return sam_stop_illegal(c, op, entry, left);                              \
        {                                                                                          \
            unsigned flags = 0;                                                                    \
            RD = (ux_t)(exact);                                                                    \
            c->fflags |= (uint8_t)flags;                                                           \
        }                                                                                          \
        SAM_NEXT();                                                                                \
    }

FP_EXACT(fcvt_w_s, SEXT32(sam_f32_to_i32(A32, round, &flags)))
FP_EXACT(fcvt_wu_s, SEXT32(sam_f32_to_u32(A32, round, &flags)))
FP_EXACT(fcvt_s_w, SEXT32(sam_i32_to_f32((int32_t)A32, round, &flags)))
FP_EXACT(fcvt_s_wu, SEXT32(sam_u32_to_f32(A32, round, &flags)))
#if XLEN == 64
FP_EXACT(fcvt_l_s, sam_f32_to_i64(A32, round, &flags))
FP_EXACT(fcvt_lu_s, sam_f32_to_u64(A32, round, &flags))
FP_EXACT(fcvt_s_l, SEXT32(sam_i64_to_f32((int64_t)RS1, round, &flags)))
FP_EXACT(fcvt_s_lu, SEXT32(sam_u64_to_f32(RS1, round, &flags)))
#endif

/* With rs3: the rounding mode is in imm. */
FP_EXACT(fmadd_s, SEXT32(sam_f32_fma(A32, B32, C32, round, &flags)))
FP_EXACT(fmsub_s, SEXT32(sam_f32_fma(A32, B32, C32 ^ NEG, round, &flags)))
FP_EXACT(fnmsub_s, SEXT32(sam_f32_fma(A32 ^ NEG, B32, C32, round, &flags)))
FP_EXACT(fnmadd_s, SEXT32(sam_f32_fma(A32 ^ NEG, B32, C32 ^ NEG, round, &flags)))

/* Operations that do not round. */
#define FP_PLAIN(name, expression)                                                                 \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        {                                                                                          \
            unsigned flags = 0;                                                                    \
            RD = (ux_t)(expression);                                                               \
            c->fflags |= (uint8_t)flags;                                                           \
        }                                                                                          \
        SAM_NEXT();                                                                                \
    }

FP_PLAIN(fmin_s, SEXT32(sam_f32_min(A32, B32, &flags)))
FP_PLAIN(fmax_s, SEXT32(sam_f32_max(A32, B32, &flags)))
FP_PLAIN(feq_s, sam_f32_eq(A32, B32, &flags))
FP_PLAIN(flt_s, sam_f32_lt(A32, B32, &flags))
FP_PLAIN(fle_s, sam_f32_le(A32, B32, &flags))
ALU(fsgnj_s, SEXT32((A32 & ~NEG) | (B32 & NEG)))
ALU(fsgnjn_s, SEXT32((A32 & ~NEG) | (~B32 & NEG)))
ALU(fsgnjx_s, SEXT32(A32 ^ (B32 & NEG)))
ALU(fclass_s, sam_f32_class(A32))
ALU(fmv_x_w, SEXT32(A32))

/* ------------------------------------------------------------------- system (no Ventus) */

SAM_HANDLER(op_ecall)
{
    SAM_TRAP(SAM_CAUSE_ECALL, 0);
}

SAM_HANDLER(op_ebreak)
{
    SAM_TRAP(SAM_CAUSE_BREAKPOINT, sam_pc_of(c, op));
}

SAM_HANDLER(op_mret)
{
    bool enabled = c->mstatus & SAM_MSTATUS_MPIE;
    c->mstatus &= ~(uint64_t)SAM_MSTATUS_MIE;
    c->mstatus |= SAM_MSTATUS_MPIE | (enabled ? SAM_MSTATUS_MIE : 0);
    SAM_JUMP_PC(c->mepc);
}

/* ------------------------------------------------------------------------------- pairs */

/* Fused handlers of frequent instruction pairs: one dispatch and one indirect branch less. The
 * second instruction keeps its own micro-op as a jump target. */
#define RUN_ALU(name) RD = (ux_t)RESULT_##name
#define RUN_addi      RUN_ALU(addi)
#define RUN_andi      RUN_ALU(andi)
#define RUN_slli      RUN_ALU(slli)
#define RUN_srli      RUN_ALU(srli)
#define RUN_add       RUN_ALU(add)
#define RUN_sub       RUN_ALU(sub)
#define RUN_xor_      RUN_ALU(xor_)
#define RUN_or_       RUN_ALU(or_)
#define RUN_and_      RUN_ALU(and_)
#define RUN_mul       RUN_ALU(mul)
#define RUN_lw        TRY_ACCESS(lw, int32_t, SAM_LOAD, LOADED(int32_t, sx_t))
#define RUN_lbu       TRY_ACCESS(lbu, uint8_t, SAM_LOAD, LOADED(uint8_t, ux_t))
#define RUN_lhu       TRY_ACCESS(lhu, uint16_t, SAM_LOAD, LOADED(uint16_t, ux_t))
#define RUN_sw        TRY_ACCESS(sw, uint32_t, SAM_STORE, STORED(uint32_t))
#define RUN_sb        TRY_ACCESS(sb, uint8_t, SAM_STORE, STORED(uint8_t))
#define RUN_BRANCH(name)                                                                           \
    if (TAKEN_##name)                                                                              \
    SAM_JUMP(c->ops + op->imm)
#define RUN_beq  RUN_BRANCH(beq)
#define RUN_bne  RUN_BRANCH(bne)
#define RUN_blt  RUN_BRANCH(blt)
#define RUN_bge  RUN_BRANCH(bge)
#define RUN_bltu RUN_BRANCH(bltu)
#define RUN_bgeu RUN_BRANCH(bgeu)

#if XLEN == 64
#define RUN_ld             TRY_ACCESS(ld, int64_t, SAM_LOAD, LOADED(int64_t, sx_t))
#define RUN_sd             TRY_ACCESS(sd, uint64_t, SAM_STORE, STORED(uint64_t))
#define RUN_addiw          RUN_ALU(addiw)
#define RUN_addw           RUN_ALU(addw)
#define FIRSTS_64(X)       X(ld) X(sd) X(addiw) X(addw)
#define LASTS_64(X, first) X(first, ld) X(first, sd) X(first, addiw) X(first, addw)
#else
#define FIRSTS_64(X)
#define LASTS_64(X, first)
#endif

/* clang-format off */
#define FIRSTS(X)                                                                                  \
    X(addi) X(andi) X(slli) X(srli) X(add) X(sub) X(xor_) X(or_) X(and_) X(mul)                    \
    X(lw) X(lbu) X(lhu) X(sw) X(sb) FIRSTS_64(X)
#define LASTS(X, first)                                                                            \
    X(first, addi) X(first, andi) X(first, slli) X(first, srli) X(first, add) X(first, sub)        \
    X(first, xor_) X(first, or_) X(first, and_) X(first, mul) X(first, lw) X(first, lbu)           \
    X(first, lhu) X(first, sw) X(first, sb) X(first, beq) X(first, bne) X(first, blt)              \
    X(first, bge) X(first, bltu) X(first, bgeu) LASTS_64(X, first)
#define CASE_SECOND(first, second) case SAM_OP_##second: return pair_##first##_##second;
#define CASE_FIRST(first)                                                                          \
    case SAM_OP_##first:                                                                           \
        switch ((unsigned)second) { LASTS(CASE_SECOND, first) default: return NULL; }
/* clang-format on */

#define PAIR(first, second)                                                                        \
    SAM_HANDLER(pair_##first##_##second)                                                           \
    {                                                                                              \
        RUN_##first;                                                                               \
        op++;                                                                                      \
        RUN_##second;                                                                              \
        SAM_NEXT();                                                                                \
    }
#define PAIRS_OF(first) LASTS(PAIR, first)
FIRSTS(PAIRS_OF)

/* RV64 has its own shift rows in the tables, with the same handlers. */
static enum sam_op plain_shift(enum sam_op op)
{
    return op == SAM_OP_slli_64 ? SAM_OP_slli : op == SAM_OP_srli_64 ? SAM_OP_srli : op;
}

static sam_handler *pair_of(enum sam_op first, enum sam_op second)
{
    second = plain_shift(second);
    switch ((unsigned)plain_shift(first)) {
        FIRSTS(CASE_FIRST)
    default: return NULL;
    }
}

/* ---------------------------------------------------------------------------- the table */

/* Rows that differ only in their encoding share a function. */
#define op_slli_64   op_slli
#define op_srli_64   op_srli
#define op_srai_64   op_srai
#define op_fence     op_nothing
#define op_fence_tso op_nothing
#define op_fence_i   op_nothing
#define op_wfi       op_nothing
#define op_flw       op_lw
#define op_fsw       op_sw
#define op_fmv_w_x   op_fmv_x_w

#if SAM_TRANSLATED
#define HANDLE_SCALAR(id) [SAM_OP_##id] = op_##id,
#if XLEN == 64
#define HANDLE_SCALAR64(id) [SAM_OP_##id] = op_##id,
#endif
sam_handler *const sam_scalar_translated[SAM_OP_COUNT] = {
#include "isa/handlers.h"
};
#else
void FILL(struct sam_machine *machine);
void FILL(struct sam_machine *machine)
{
    sam_handler **h = machine->handlers, **far = machine->far_handlers;
    machine->pair_of = pair_of;
#define FAR(name) far[SAM_OP_##name] = op_##name##_far
    FAR(jal), FAR(beq), FAR(bne), FAR(blt), FAR(bge), FAR(bltu), FAR(bgeu);
#undef FAR
#define HANDLE_SCALAR(id) h[SAM_OP_##id] = op_##id;
#if XLEN == 64
#define HANDLE_SCALAR64(id) h[SAM_OP_##id] = op_##id;
#endif
#include "isa/handlers.h"
}
#endif
