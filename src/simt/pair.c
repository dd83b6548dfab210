/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions under REGPAIR and REGPAIRI (Ventus 4.2.3): an even register n names the 64-bit pair
 * {n+1, n}, an odd one stays 32 bits wide. The manual leaves the rest open; docs/ventus-rulings.md
 * defines it: word loads and stores move 8 bytes; integer add, subtract, logic, shift, compare and
 * the low half of multiply compute on 64 bits; an odd source is sign-extended, an odd destination
 * takes the low word; base registers are never pairs; x0 is a 64-bit zero; everything else is
 * illegal. */
#include "machine/threads.h"
#include "simt/simt.h"

enum pair_op {
    NONE,
    ADD,
    SUB,
    RSUB,
    AND,
    OR,
    XOR,
    SLL,
    SRL,
    SRA,
    MUL,
    SEQ,
    SNE,
    SLT,
    SLTU,
    SLE,
    SLEU,
    SGT,
    SGTU,
};

#define VECTOR_VV_VX(name)                                                                         \
    case SAM_OP_##name##_vv:                                                                       \
    case SAM_OP_##name##_vx
#define VECTOR_ALL(name) VECTOR_VV_VX(name) : case SAM_OP_##name##_vi
#define VECTOR_VX_VI(name)                                                                         \
    case SAM_OP_##name##_vx:                                                                       \
    case SAM_OP_##name##_vi

static enum pair_op operation(enum sam_op op)
{
    switch (op) {
    case SAM_OP_add:
    case SAM_OP_addi:
    case SAM_OP_vadd12_vi: VECTOR_ALL(vadd) : return ADD;
    case SAM_OP_sub:
    case SAM_OP_vsub12_vi: VECTOR_VV_VX(vsub) : return SUB; VECTOR_VX_VI(vrsub) : return RSUB;
    case SAM_OP_and_:
    case SAM_OP_andi: VECTOR_ALL(vand) : return AND;
    case SAM_OP_or_:
    case SAM_OP_ori: VECTOR_ALL(vor) : return OR;
    case SAM_OP_xor_:
    case SAM_OP_xori: VECTOR_ALL(vxor) : return XOR;
    case SAM_OP_sll:
    case SAM_OP_slli: VECTOR_ALL(vsll) : return SLL;
    case SAM_OP_srl:
    case SAM_OP_srli: VECTOR_ALL(vsrl) : return SRL;
    case SAM_OP_sra:
    case SAM_OP_srai: VECTOR_ALL(vsra) : return SRA;
    case SAM_OP_mul:
        VECTOR_VV_VX(vmul) : return MUL;
        VECTOR_ALL(vmseq) : return SEQ;
        VECTOR_ALL(vmsne) : return SNE;
    case SAM_OP_slt:
    case SAM_OP_slti: VECTOR_VV_VX(vmslt) : return SLT;
    case SAM_OP_sltu:
    case SAM_OP_sltiu:
        VECTOR_VV_VX(vmsltu) : return SLTU;
        VECTOR_ALL(vmsle) : return SLE;
        VECTOR_ALL(vmsleu) : return SLEU;
        VECTOR_VX_VI(vmsgt) : return SGT;
        VECTOR_VX_VI(vmsgtu) : return SGTU;
    default: return NONE;
    }
}

static uint64_t compute(enum pair_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case NONE: break;
    case ADD: return a + b;
    case SUB: return a - b;
    case RSUB: return b - a;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    case SLL: return a << (b & 63);
    case SRL: return a >> (b & 63);
    case SRA: return (uint64_t)((int64_t)a >> (b & 63));
    case MUL: return a * b;
    case SEQ: return a == b;
    case SNE: return a != b;
    case SLT: return (int64_t)a < (int64_t)b;
    case SLTU: return a < b;
    case SLE: return (int64_t)a <= (int64_t)b;
    case SLEU: return a <= b;
    case SGT: return (int64_t)a > (int64_t)b;
    case SGTU: return a > b;
    }
    return 0;
}

static uint64_t joined(uint32_t low, uint32_t high, unsigned number)
{
    return number & 1 ? (uint64_t)(int64_t)(int32_t)low : (uint64_t)high << 32 | low;
}

static uint64_t read_x(const struct sam_core *c, unsigned n)
{
    return n ? joined(c->x32[n], c->x32[n | 1], n) : 0;
}

static void write_x(struct sam_core *c, unsigned n, uint64_t value)
{
    if (n) {
        c->x32[n] = (uint32_t)value;
        if (!(n & 1))
            c->x32[n + 1] = (uint32_t)(value >> 32);
    }
}

static uint64_t read_v(const struct sam_warp *w, unsigned n, unsigned lane)
{
    return joined(w->v[n][lane], w->v[n | 1][lane], n);
}

static void write_v(struct sam_warp *w, unsigned n, unsigned lane, uint64_t value)
{
    w->v[n][lane] = (uint32_t)value;
    if (!(n & 1))
        w->v[n + 1][lane] = (uint32_t)(value >> 32);
}

/* One access to a word, or to a pair: two words, each word-aligned. `word_step` is the distance to
 * the upper one: 4 except in private memory, where words interleave. */
static bool access_memory(struct sam_core *c, uint32_t address, bool pair, uint32_t word_step,
                          enum sam_access access, uint64_t *value)
{
    uint8_t *host[2];
    for (unsigned i = 0; i <= pair; i++)
        if (!(host[i] = sam_access_slow(c, address + i * word_step, 4, access)))
            return false;
    if (access == SAM_LOAD)
        *value = pair ? sam_le32(host[0]) | (uint64_t)sam_le32(host[1]) << 32 : sam_le32(host[0]);
    for (unsigned i = 0; access == SAM_STORE && i <= pair; i++)
        sam_put_le32(host[i], (uint32_t)(*value >> (32 * i)));
    return true;
}

/* lw, sw and their F equivalents. */
static bool scalar_memory(struct sam_core *c, const struct sam_insn *insn)
{
    bool store = sam_insn_rows[insn->op].does.act == SAM_ACT_STORE;
    unsigned n = store ? insn->rs2 : insn->rd;
    uint64_t value = store ? read_x(c, n) : 0;
    if (!access_memory(c, c->x32[insn->rs1] + (uint32_t)insn->imm, !(n & 1), 4,
                       store ? SAM_STORE : SAM_LOAD, &value))
        return false;
    if (!store)
        write_x(c, n, value);
    return true;
}

static bool vector_memory(struct sam_warp *w, const struct sam_insn *insn)
{
    const struct sam_does *does = &sam_insn_rows[insn->op].does;
    bool store = does->act == SAM_ACT_STORE, private_ = does->own;
    unsigned n = store ? insn->rs2 : insn->rd;
    bool pair = !(n & 1);
    uint32_t threads = w->numw * w->lanes, size = pair ? 8 : 4;
    uint64_t loaded[SAM_LANES];
    for (uint32_t bits = w->bits[0]; bits; bits &= bits - 1) {
        unsigned lane = (unsigned)__builtin_ctz(bits);
        uint32_t at = w->v[insn->rs1][lane] + (uint32_t)insn->imm, step = 4;
        w->core.fault_lane = lane;
        if (private_) {
            w->core.tval = at;
            w->core.cause = SAM_CAUSE_PRIVATE;
            if (at >= w->pds_size || w->pds_size - at < size)
                return false;
            w->core.cause = store ? SAM_CAUSE_STORE_MISALIGNED : SAM_CAUSE_LOAD_MISALIGNED;
            if (at & 3)
                return false;
            at = w->pds + at * threads + 4 * (w->tid + lane);
            step = 4 * threads;
        }
        uint64_t value = store ? read_v(w, n, lane) : 0;
        if (!access_memory(&w->core, at, pair, step, store ? SAM_STORE : SAM_LOAD, &value))
            return false;
        loaded[lane] = value;
    }
    w->core.fault_lane = UINT32_MAX;
    for (uint32_t bits = store ? 0 : w->bits[0]; bits; bits &= bits - 1) {
        unsigned lane = (unsigned)__builtin_ctz(bits);
        write_v(w, n, lane, loaded[lane]);
    }
    return true;
}

/* Whether the row's operands include `letter`. */
static bool has_letter(const struct sam_insn *insn, char letter)
{
    return strchr(sam_insn_rows[insn->op].operands, letter) != NULL;
}

static void scalar_alu(struct sam_core *c, const struct sam_insn *insn, enum pair_op op)
{
    uint64_t b = has_letter(insn, 't') ? read_x(c, insn->rs2) : (uint64_t)(int64_t)insn->imm;
    write_x(c, insn->rd, compute(op, read_x(c, insn->rs1), b));
}

static void vector_alu(struct sam_warp *w, const struct sam_insn *insn, enum pair_op op)
{
    bool custom = insn->op == SAM_OP_vadd12_vi || insn->op == SAM_OP_vsub12_vi;
    for (uint32_t bits = w->bits[0]; bits; bits &= bits - 1) {
        unsigned lane = (unsigned)__builtin_ctz(bits);
        if (!insn->vm && !(w->v[0][lane] & 1))
            continue;
        uint64_t a = read_v(w, custom ? insn->rs1 : insn->rs2, lane);
        uint64_t b = custom || has_letter(insn, 'i') || has_letter(insn, 'k')
                         ? (uint64_t)(int64_t)insn->imm
                     : has_letter(insn, 's') ? read_x(&w->core, insn->rs1)
                                             : read_v(w, insn->rs1, lane);
        write_v(w, insn->rd, lane, compute(op, a, b));
    }
}

/* False: trapped; the core holds cause and value. */
static SAM_NOINLINE bool run_pair(struct sam_core *c, const struct sam_uop *uop)
{
    struct sam_warp *w = sam_warp_of(c);
    struct sam_insn insn;
    bool known = sam_uop_insn(c, uop, &insn);
    enum pair_op op = known ? operation(insn.op) : NONE;
    bool vector = known && (sam_insn_rows[insn.op].on & SAM_EXT_ZVE32F || has_letter(&insn, 'S') ||
                            has_letter(&insn, 'D'));
    c->cause = SAM_CAUSE_ILLEGAL;
    c->tval = insn.word;
    if (vector && w->groups != 1)
        return false;
    switch (insn.op) {
    case SAM_OP_lw:
    case SAM_OP_flw:
    case SAM_OP_sw:
    case SAM_OP_fsw: return scalar_memory(c, &insn);
    case SAM_OP_vlw12_v:
    case SAM_OP_vsw12_v:
    case SAM_OP_vlw_v:
    case SAM_OP_vsw_v: return vector_memory(w, &insn);
    default: break;
    }
    if (op == NONE)
        return false;
    if (vector)
        vector_alu(w, &insn, op);
    else
        scalar_alu(c, &insn, op);
    return true;
}

const struct sam_uop *sam_warp_pair(struct sam_core *c, const struct sam_uop *op,
                                    const struct sam_uop *entry, int64_t left)
{
    if (!run_pair(c, op))
        SAM_TRAP_SET();
    if (SAM_UNLIKELY(c->event)) /* a watched access */
        return sam_stop_event(c, op, entry, left, c->event, sam_pc_of(c, op) + 4);
    SAM_NEXT();
}
