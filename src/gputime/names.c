/* SPDX-License-Identifier: Apache-2.0 */
/* Names of units, reasons and limits. */
#include "gputime/gputime.h"

static const char *const reasons[SAM_GPUTIME_REASONS][2] = {
    [SAM_GPUTIME_BUSY] = {"busy", "works, or issues an instruction"},
    [SAM_GPUTIME_EMPTY] = {"empty", "nothing to do: no warp, or no instruction"},
    [SAM_GPUTIME_START] = {"start", "a warp is being started"},
    [SAM_GPUTIME_FETCH] = {"fetch", "the instruction is on its way from the I-cache"},
    [SAM_GPUTIME_ICACHE] = {"icache", "an I-cache miss"},
    [SAM_GPUTIME_BRANCH] = {"branch", "a branch or join is unresolved or its target being fetched"},
    [SAM_GPUTIME_BARRIER] = {"barrier", "other warps have not reached the barrier"},
    [SAM_GPUTIME_FENCE] = {"fence", "memory instructions before a fence are under way"},
    [SAM_GPUTIME_RAW] = {"raw", "a source register has not been written"},
    [SAM_GPUTIME_LOAD] = {"load", "a source register has not been loaded"},
    [SAM_GPUTIME_WAW] = {"waw", "the destination register has a write outstanding"},
    [SAM_GPUTIME_ARBITER] = {"arbiter", "ready, but another warp was issued"},
    [SAM_GPUTIME_COLLECTOR] = {"collector", "no operand collector is free"},
    [SAM_GPUTIME_BANK] = {"bank", "an operand waits for a register bank"},
    [SAM_GPUTIME_UNIT] = {"unit", "the execution unit is occupied"},
    [SAM_GPUTIME_WRITEBACK] = {"writeback", "a result waits for its write port"},
    [SAM_GPUTIME_CONFLICT] = {"conflict",
                              "bank conflict: lanes access the same bank of local memory"},
    [SAM_GPUTIME_MSHR] = {"mshr", "no miss register or outstanding slot is free"},
    [SAM_GPUTIME_MEMORY] = {"memory", "waits for the L1, the L2 or the memory"},
    [SAM_GPUTIME_DRAIN] = {"drain", "the warp has ended, its workgroup or its stores have not"},
};

const char *sam_gputime_reason_name(unsigned reason)
{
    return reason < SAM_GPUTIME_REASONS ? reasons[reason][0] : "";
}

const char *sam_gputime_reason_meaning(unsigned reason)
{
    return reason < SAM_GPUTIME_REASONS ? reasons[reason][1] : "";
}

const char *sam_gputime_unit_name(unsigned unit)
{
    static const char *const names[SAM_GPUTIME_UNITS] = {
        [SAM_GPUTIME_FETCHER] = "fetch",   [SAM_GPUTIME_ISSUE_X] = "issue_x",
        [SAM_GPUTIME_ISSUE_V] = "issue_v", [SAM_GPUTIME_OPERANDS] = "operands",
        [SAM_GPUTIME_SALU] = "salu",       [SAM_GPUTIME_VALU] = "valu",
        [SAM_GPUTIME_CSR] = "csr",         [SAM_GPUTIME_MUL] = "mul",
        [SAM_GPUTIME_FPU] = "fpu",         [SAM_GPUTIME_SFU] = "sfu",
        [SAM_GPUTIME_TENSOR] = "tensor",   [SAM_GPUTIME_WARPS] = "warps",
        [SAM_GPUTIME_LSU] = "lsu",         [SAM_GPUTIME_LDS] = "lds",
        [SAM_GPUTIME_L1D] = "l1d",         [SAM_GPUTIME_WRITE_X] = "write_x",
        [SAM_GPUTIME_WRITE_V] = "write_v",
    };
    return unit < SAM_GPUTIME_UNITS ? names[unit] : "";
}

const char *sam_gputime_limit_name(unsigned limit)
{
    static const char *const names[SAM_GPUTIME_LIMITS] = {
        [SAM_GPUTIME_BY_GROUPS] = "workgroup slots", [SAM_GPUTIME_BY_WARPS] = "warp slots",
        [SAM_GPUTIME_BY_SGPRS] = "scalar registers", [SAM_GPUTIME_BY_VGPRS] = "vector registers",
        [SAM_GPUTIME_BY_LDS] = "local memory",       [SAM_GPUTIME_BY_LAUNCH] = "workgroups",
    };
    return limit < SAM_GPUTIME_LIMITS ? names[limit] : "";
}
