/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of the instructions: execute with the operands of the micro-op, then trap or
 * continue. */
#include "matrix/unit.h"

/* Trap. For an illegal instruction tval is its word. */
static SAM_NOINLINE const struct sam_uop *fail(SAM_HANDLER_ARGS)
{
    if (c->cause == SAM_CAUSE_ILLEGAL)
        c->tval = sam_uop_word(c, op);
    SAM_TRAP_SET();
}

#define OFF                                                                                        \
    (sam_matrix_of(c)->state == SAM_MATRIX_OFF &&                                                  \
     !sam_matrix_illegal(c, SAM_MATRIX_FAULT(SAM_MATRIX_IS_OFF, 0)))
#define DIRTY     sam_matrix_of(c)->state = SAM_MATRIX_DIRTY
#define X(number) sam_matrix_x(c, number)

#define HANDLER(name, call)                                                                        \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        if (SAM_UNLIKELY(OFF || !(call)))                                                          \
            SAM_MUSTTAIL return fail(c, op, entry, left);                                          \
        DIRTY;                                                                                     \
        SAM_NEXT();                                                                                \
    }

/* The fourth operand of a form: uimm3 or rs1', both in rs3. */
static uint64_t operand(const struct sam_core *c, const struct sam_uop *op)
{
    unsigned form = (unsigned)op->imm & 3;
    return form == SAM_M_MM ? 0 : form == SAM_M_MV_I ? op->rs3 : X(op->rs3);
}

HANDLER(copy, sam_matrix_copy(c, op->rd, op->rs1, operand(c, op), (unsigned)op->imm))
HANDLER(pointwise,
        sam_matrix_pointwise(c, op->rd, op->rs2, op->rs1, operand(c, op), (unsigned)op->imm))
HANDLER(mma, sam_matrix_mma(c, op->rd, op->rs2, op->rs1, (unsigned)op->imm))

/* A store may overwrite its own code, and any access may hit a watchpoint: the micro-op is not read
 * after the access. */
#define MEMORY(name, call)                                                                         \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        if (SAM_UNLIKELY(OFF || !(call)))                                                          \
            SAM_MUSTTAIL return fail(c, op, entry, left);                                          \
        if (SAM_UNLIKELY(c->event))                                                                \
            return sam_stop_event(c, op, entry, left, c->event, sam_pc_of(c, op) + 4);             \
        SAM_NEXT();                                                                                \
    }
MEMORY(load, sam_matrix_load(c, op->rd, X(op->rs1), X(op->rs2), (unsigned)op->imm))
MEMORY(load_whole, sam_matrix_load_whole(c, op->rd, X(op->rs1), (unsigned)op->imm))
MEMORY(store, sam_matrix_store(c, op->rs3, X(op->rs1), X(op->rs2), (unsigned)op->imm))
MEMORY(store_whole, sam_matrix_store_whole(c, op->rs3, X(op->rs1), (unsigned)op->imm))

/* Sizes are not clamped: an instruction that uses an invalid size is illegal. */
static void configure(struct sam_matrix *m, unsigned which, uint64_t value)
{
    switch (which) {
    case SAM_M_SET_K: m->size_k = (uint16_t)value; break;
    case SAM_M_SET_M: m->size_m = (uint8_t)value; break;
    case SAM_M_SET_N: m->size_n = (uint8_t)value; break;
    default:
        m->size_m = (uint8_t)value;
        m->size_n = (uint8_t)(value >> 8);
        m->size_k = (uint16_t)(value >> 16);
        break;
    }
}

SAM_HANDLER(op_config)
{
    struct sam_matrix *m = sam_matrix_of(c);
    if (SAM_UNLIKELY(OFF))
        SAM_MUSTTAIL return fail(c, op, entry, left);
    configure(m, op->imm & 3, op->imm & SAM_M_IMMEDIATE ? op->rs2 : X(op->rs1));
    DIRTY;
    const uint32_t packed = (uint32_t)m->size_k << 16 | m->size_n << 8 | m->size_m;
    if (m->narrow)
        c->x32[op->rd] = packed;
    else
        c->x64[op->rd] = packed;
    SAM_NEXT();
}

static sam_handler *handler_of(enum sam_op op)
{
    const struct sam_insn_row *row = &sam_insn_rows[op];
    const bool whole = sam_m_is_whole(row->match);
    switch (sam_m_kind(row->match)) {
    case SAM_M_KIND_LOAD: return whole ? op_load_whole : op_load;
    case SAM_M_KIND_STORE: return whole ? op_store_whole : op_store;
    case SAM_M_KIND_MMA: return op_mma;
    case SAM_M_KIND_POINTWISE: break;
    case SAM_M_KIND_CONFIG: return op_config;
    }
    return row->match >> 28 ? op_pointwise : op_copy;
}

void sam_matrix_fill(struct sam_machine *machine)
{
    for (enum sam_op op = 0; op < SAM_OP_COUNT; op++)
        if (sam_insn_rows[op].on == SAM_EXT_XMATRIX)
            machine->handlers[op] = handler_of(op);
}
