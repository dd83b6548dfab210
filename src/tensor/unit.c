/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of the instructions: execute with the operands of the micro-op, then trap or
 * continue. */
#include "tensor/unit.h"

/* Trap. For an illegal instruction tval is its word. */
static SAM_NOINLINE const struct sam_uop *fail(SAM_HANDLER_ARGS)
{
    if (c->cause == SAM_CAUSE_ILLEGAL)
        c->tval = sam_uop_word(c, op);
    SAM_TRAP_SET();
}

#define HANDLER(name, call)                                                                        \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        if (SAM_UNLIKELY(!(call)))                                                                 \
            SAM_MUSTTAIL return fail(c, op, entry, left);                                          \
        SAM_NEXT();                                                                                \
    }

HANDLER(addi, sam_tensor_addi(c, op->rd, op->rs1, op->imm))
HANDLER(concat_0, sam_tensor_concat(c, op->rd, op->rs1, op->rs2, 0))
HANDLER(concat_1, sam_tensor_concat(c, op->rd, op->rs1, op->rs2, 1))
HANDLER(concat_2, sam_tensor_concat(c, op->rd, op->rs1, op->rs2, 2))
HANDLER(merge_0, sam_tensor_merge(c, op->rd, op->rs1, op->rs2, 0))
HANDLER(merge_1, sam_tensor_merge(c, op->rd, op->rs1, op->rs2, 1))
HANDLER(merge_2, sam_tensor_merge(c, op->rd, op->rs1, op->rs2, 2))

#define XPOSE(name, bits)                                                                          \
    HANDLER(name, sam_tensor_xpose(c, op->rs1, op->rs2, (uint32_t)sam_tensor_x(c, op->rs3),        \
                                   (unsigned)op->imm, bits))
XPOSE(xpose, 0)
XPOSE(xpose_b, 8)
XPOSE(xpose_h, 16)
XPOSE(xpose_w, 32)
XPOSE(xpose_d, 64)

/* A store may overwrite its own code, and any access may hit a watchpoint: the micro-op is not read
 * after the access. */
#define MEMORY(name, call)                                                                         \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        if (SAM_UNLIKELY(!(call)))                                                                 \
            SAM_MUSTTAIL return fail(c, op, entry, left);                                          \
        if (SAM_UNLIKELY(c->event))                                                                \
            return sam_stop_event(c, op, entry, left, c->event, sam_pc_of(c, op) + 4);             \
        SAM_NEXT();                                                                                \
    }
MEMORY(load, sam_tensor_load(c, op->rd, sam_tensor_x(c, op->rs1), op->imm, false))
MEMORY(mload, sam_tensor_load(c, op->rd, sam_tensor_x(c, op->rs1), op->imm, true))
MEMORY(store, sam_tensor_store(c, op->rs2, sam_tensor_x(c, op->rs1), op->imm, false))
MEMORY(mstore, sam_tensor_store(c, op->rs2, sam_tensor_x(c, op->rs1), op->imm, true))

void sam_tensor_fill(struct sam_machine *machine)
{
    sam_handler **h = machine->handlers;
#define HANDLE_TENSOR(id, handler) h[SAM_OP_##id] = op_##handler;
#include "isa/handlers.h"
}
