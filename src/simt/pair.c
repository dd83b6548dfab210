/* SPDX-License-Identifier: Apache-2.0 */
/* REGPAIR and REGPAIRI (Ventus 4.2.3): an even register n names the 64-bit pair {n+1, n}, an odd
 * register stays 32 bits wide. docs/ventus-rulings.md settles what the manual leaves open: word
 * loads and stores move 8 bytes; integer add, subtract, logic, shift, compare and the low half of
 * multiply compute on 64 bits; odd sources are sign-extended, odd destinations take the low word;
 * base registers are never pairs; x0 is a 64-bit zero; all else is illegal. */
#include "machine/threads.h"
#include "simt/simt.h"

enum pair_op {
    NONE,
    ADD,
    SUB,
    AND,
    OR,
    XOR,
    SLL,
    SRL,
    SRA,
    MUL,
    SLT,
    SLTU,
};

/* Scalar arithmetic; lanes_pair_tmpl.h has the vector arithmetic. */
static enum pair_op operation(enum sam_op op)
{
    static const uint8_t operations[SAM_OP_COUNT] = {
#define PAIR(op, computes) [SAM_OP_##op] = computes,
#include "isa/pairs.def"
#undef PAIR
    };
    return (enum pair_op)operations[op];
}

static uint64_t compute(enum pair_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case NONE: break;
    case ADD: return a + b;
    case SUB: return a - b;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    case SLL: return a << (b & 63);
    case SRL: return a >> (b & 63);
    case SRA: return (uint64_t)((int64_t)a >> (b & 63));
    case MUL: return a * b;
    case SLT: return (int64_t)a < (int64_t)b;
    case SLTU: return a < b;
    }
    return 0;
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
    return sam_pair_joined(w->v[n][lane], w->v[n | 1][lane], n);
}

static void write_v(struct sam_warp *w, unsigned n, unsigned lane, uint64_t value)
{
    w->v[n][lane] = (uint32_t)value;
    if (!(n & 1))
        w->v[n + 1][lane] = (uint32_t)(value >> 32);
}

/* One word, or the two words of a pair, each word-aligned. `word_step` is the distance of the upper
 * word: 4 except in private memory, where words are interleaved. */
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

/* lw, sw, flw, fsw. */
static bool scalar_memory(struct sam_core *c, const struct sam_insn *insn)
{
    bool store = sam_insn_rows[insn->op].does.act == SAM_ACT_STORE;
    unsigned n = store ? insn->rs2 : insn->rd;
    uint64_t value = store ? sam_pair_scalar(c, n) : 0;
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
            if (at >= w->pds_size)
                return false;
            w->core.cause = store ? SAM_CAUSE_STORE_MISALIGNED : SAM_CAUSE_LOAD_MISALIGNED;
            if (at & 3)
                return false;
            w->core.tval = at + size - 4; /* the address of the upper word */
            w->core.cause = SAM_CAUSE_PRIVATE;
            if (w->pds_size - at < size)
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

static void scalar_alu(struct sam_core *c, const struct sam_insn *insn, enum pair_op op)
{
    const bool immediate = !strchr(sam_insn_rows[insn->op].operands, 't');
    const uint64_t b = immediate ? (uint64_t)(int64_t)insn->imm : sam_pair_scalar(c, insn->rs2);
    write_x(c, insn->rd, compute(op, sam_pair_scalar(c, insn->rs1), b));
}

/* False: trap; the core holds cause and value. */
static SAM_NOINLINE bool run_pair(struct sam_core *c, const struct sam_uop *uop)
{
    struct sam_warp *w = sam_warp_of(c);
    struct sam_insn insn;
    const enum sam_op known = sam_uop_insn(c, uop, &insn) ? insn.op : SAM_OP_ILLEGAL;
    const enum pair_op op = operation(known);
    c->cause = SAM_CAUSE_ILLEGAL;
    c->tval = insn.word;
    switch (known) {
    case SAM_OP_lw:
    case SAM_OP_flw:
    case SAM_OP_sw:
    case SAM_OP_fsw: return scalar_memory(c, &insn);
    case SAM_OP_vlw12_v:
    case SAM_OP_vsw12_v:
    case SAM_OP_vlw_v:
    case SAM_OP_vsw_v: return w->groups == 1 && vector_memory(w, &insn);
    default: break;
    }
    if (op == NONE)
        return false;
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
