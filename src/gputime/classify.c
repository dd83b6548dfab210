/* SPDX-License-Identifier: Apache-2.0 */
/* The unit of each instruction, from its row. The units are those of the hardware's
 * decoder: those for floats, products and addresses serve scalars and vectors. */
#include "gputime/model.h"

/* The unit of each latency class, and the index of its latency there. */
#define UNIT_ALU                                                                                   \
    {                                                                                              \
        SAM_GPUTIME_SALU, 0                                                                        \
    }
#define UNIT_MUL                                                                                   \
    {                                                                                              \
        SAM_GPUTIME_MUL, 0                                                                         \
    }
#define UNIT_DIV                                                                                   \
    {                                                                                              \
        SAM_GPUTIME_SFU, 1                                                                         \
    }
#define UNIT_FADD                                                                                  \
    {                                                                                              \
        SAM_GPUTIME_FPU, 0                                                                         \
    }
#define UNIT_FMA                                                                                   \
    {                                                                                              \
        SAM_GPUTIME_FPU, 1                                                                         \
    }
#define UNIT_FCVT                                                                                  \
    {                                                                                              \
        SAM_GPUTIME_FPU, 2                                                                         \
    }
#define UNIT_FDIV                                                                                  \
    {                                                                                              \
        SAM_GPUTIME_SFU, 0                                                                         \
    }
#define UNIT_TILE                                                                                  \
    {                                                                                              \
        SAM_GPUTIME_TENSOR, 0                                                                      \
    }
#define UNIT_MEMORY                                                                                \
    {                                                                                              \
        SAM_GPUTIME_LSU, 0                                                                         \
    }
#define UNIT_CSR                                                                                   \
    {                                                                                              \
        SAM_GPUTIME_CSR, 0                                                                         \
    }
#define UNIT_CONTROL                                                                               \
    {                                                                                              \
        SAM_GPUTIME_WARPS, 0                                                                       \
    }

static const struct {
    uint8_t unit, speed;
} units[] = {
#define UNIT(latency) [SAM_LATENCY_##latency] = UNIT_##latency,
    SAM_LATENCIES(UNIT)
#undef UNIT
};

void sam_gputime_classify(struct traits *traits)
{
    for (unsigned op = 0; op < SAM_OP_COUNT; op++) {
        const struct sam_does *does = &sam_insn_rows[op].does;
        struct trait *t = &traits->of[op];
        *t = (struct trait){
            .unit = units[does->latency].unit,
            .speed = units[does->latency].speed,
            .flow = does->flow,
            .load = does->act == SAM_ACT_LOAD || does->act == SAM_ACT_RESERVE,
            .store = does->act == SAM_ACT_STORE,
            .prefix = does->act == SAM_ACT_PREFIX,
            .atomic = does->act == SAM_ACT_ATOMIC,
            .uses = sam_op_uses((enum sam_op)op),
        };
        t->load |= t->atomic;
        t->store |= t->atomic;
        if (t->unit == SAM_GPUTIME_SALU && sam_op_is_vector((enum sam_op)op))
            t->unit = SAM_GPUTIME_VALU;
        t->stream =
            t->unit != SAM_GPUTIME_SALU && t->unit != SAM_GPUTIME_CSR &&
            (t->unit != SAM_GPUTIME_WARPS || t->flow == SAM_FLOW_JOIN || t->flow == SAM_FLOW_FENCE);
    }
}
