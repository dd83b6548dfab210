/* SPDX-License-Identifier: Apache-2.0 */
/* Microbenchmarks of the execution units and register banks: chains of dependent instructions
 * measure the latencies, instructions of many warps the intervals of the parameters. */
#include "test.h"

#include "gputime/micro.h"

/* The presets, and each of them with all parameters changed. */
#define SLOW                                                                                       \
    "salu_latency=4,valu_latency=7,csr_latency=3,mul_latency=9,fadd_latency=2,fma_latency=11,"     \
    "fcvt_latency=6,sfu_float_cycles=6,sfu_int_cycles=4,sfu_extra=5,tensor_latency=13,"            \
    "tensor_step=3,wakeup_latency=3,collect_read=5,collect_request=2,emit_latency=2"
static const char *const machines[] = {
    "preset=rtl",       "preset=verilog",       "preset=systemc",
    "preset=rtl," SLOW, "preset=verilog," SLOW, "preset=systemc," SLOW,
};

/* ---------------------------------------------------------------------------------- latencies */

enum speed { SALU, VALU, CSR, MUL, FADD, FMA, FCVT, FLOATS, INTS, TENSOR };

/* Chains: each instruction needs the result of the previous one. Equal registers lie in one
 * bank. */
static const struct {
    const char *body;
    enum speed speed;
    unsigned operands;
    bool vector;
} chains[] = {
    {"addi x5, x5, 1", SALU, 1, false},        {"add x5, x5, x5", SALU, 2, false},
    {"vadd.vi v5, v5, 1", VALU, 1, true},      {"vadd.vv v5, v5, v5", VALU, 2, true},
    {"csrrw x5, fflags, x5", CSR, 1, false},   {"mul x5, x5, x5", MUL, 2, false},
    {"vmul.vv v5, v5, v5", MUL, 2, true},      {"vmacc.vv v5, v5, v5", MUL, 3, true},
    {"fadd.s x5, x5, x5", FADD, 2, false},     {"vfadd.vv v5, v5, v5", FADD, 2, true},
    {"fmadd.s x5, x5, x5, x5", FMA, 3, false}, {"vfmacc.vv v5, v5, v5", FMA, 3, true},
    {"fcvt.w.s x5, x5", FCVT, 1, false},       {"vfcvt.x.f.v v5, v5", FCVT, 1, true},
    {"fsqrt.s x5, x5", FLOATS, 1, false},      {"vfdiv.vv v5, v5, v5", FLOATS, 2, true},
    {"div x5, x5, x5", INTS, 2, false},        {"vremu.vv v5, v5, v5", INTS, 2, true},
    {"vftta.vv v5, v5, v5", TENSOR, 3, true},
};

/* Lanes per pass of the special-function unit, with 8 active lanes. */
static uint64_t groups_of(const struct sam_gputime_config *c, bool vector)
{
    const uint32_t lanes = c->threads ? c->threads : 8;
    const uint32_t size = c->sfu_units ? c->sfu_units : lanes / 4;
    return vector ? (8 + size - 1) / size : 1;
}

static uint64_t latency_of(const struct sam_gputime_config *c, enum speed speed, bool vector)
{
    const uint64_t steps = c->threads == 32 ? 2 : 1; /* else 8 lanes */
    switch (speed) {
    case SALU: return c->salu_latency;
    case VALU: return c->valu_latency;
    case CSR: return c->csr_latency;
    case MUL: return c->mul_latency;
    case FADD: return c->fadd_latency;
    case FMA: return c->fma_latency;
    case FCVT: return c->fcvt_latency;
    case FLOATS: return c->sfu_extra + groups_of(c, vector) * c->sfu_float_cycles;
    case INTS: return c->sfu_extra + groups_of(c, vector) * c->sfu_int_cycles;
    default: return c->tensor_latency + steps * c->tensor_step;
    }
}

TEST(a_chain_takes_its_latency)
{
    for (size_t k = 0; k < SAM_COUNT(machines); k++) {
        const struct sam_gputime_config c = micro_machine(machines[k]);
        for (size_t i = 0; i < SAM_COUNT(chains); i++) {
            const struct micro m = {.setup = "", .body = chains[i].body};
            micro_expect(machines[k], chains[i].body, micro_each(&c, &m),
                         micro_collect(&c, chains[i].operands) +
                             latency_of(&c, chains[i].speed, chains[i].vector) + c.wakeup_latency);
        }
    }
}

/* --------------------------------------------------------------------------------- throughput */

/* Independent instructions of eight warps. Their registers are spread over the banks, each with
 * its own port, so that the unit or the issue is the bottleneck. */
static const struct {
    const char *body, *interval;
    unsigned units; /* instructions */
} streams[] = {
    {"lui x5, 1\nlui x6, 1\nlui x7, 1\nlui x8, 1", "salu_interval", 4},
    {"vid.v v5\nvid.v v6\nvid.v v7\nvid.v v8", "valu_interval", 4},
    {"csrrsi x5, fflags, 0\ncsrrsi x6, fflags, 0", "csr_interval", 2},
    {"mul x5, x16, x17\nmul x6, x18, x19", "mul_interval", 2},
    {"vmul.vv v5, v16, v17\nvmul.vv v6, v18, v19", "mul_interval", 2},
    {"vfadd.vv v5, v16, v17\nvfadd.vv v6, v18, v19", "fpu_interval", 2},
    {"fmadd.s x5, x16, x17, x18\nfmadd.s x6, x19, x16, x17", "fpu_interval", 2},
    {"vfsqrt.v v5, v16\nvfsqrt.v v6, v17\nvfsqrt.v v7, v18\nvfsqrt.v v8, v19", "sfu_interval", 4},
    {"vftta.vv v5, v16, v17\nvftta.vv v6, v18, v19\nvftta.vv v7, v17, v18\nvftta.vv v8, v19, v16",
     "tensor_interval", 4},
};

TEST(independent_instructions_take_the_interval)
{
    static const char *const presets[] = {"preset=rtl", "preset=verilog,bank_ports=0,bank_echo=0",
                                          "preset=systemc"};
    static const unsigned intervals[] = {0, 3, 10}; /* 0: the preset's */
    for (size_t k = 0; k < SAM_COUNT(presets); k++)
        for (size_t i = 0; i < SAM_COUNT(streams); i++)
            for (size_t n = 0; n < SAM_COUNT(intervals); n++) {
                char text[128];
                uint32_t interval = 0;
                sam_format(text, sizeof text, "%s", presets[k]);
                if (intervals[n])
                    sam_format(text, sizeof text, "%s,%s=%u", presets[k], streams[i].interval,
                               intervals[n]);
                const struct sam_gputime_config c = micro_machine(text);
                const struct micro m = {
                    .setup = "", .body = streams[i].body, .warps = 8, .units = streams[i].units};
                assert_true(sam_gputime_config_get(&c, streams[i].interval, &interval));
                if (!interval) /* not pipelined */
                    interval = (uint32_t)latency_of(&c, FLOATS, true);
                micro_expect(text, streams[i].body, micro_each(&c, &m), interval);
            }
}

/* -------------------------------------------------------------------------------------- banks */

/* Operands of one warp in different banks and in the same. */
static const struct {
    const char *body;
    uint32_t interval; /* offset of the unit's parameter in the configuration */
    unsigned count;
    struct {
        bool vector;
        unsigned number;
    } operands[3];
} reads[] = {
#define AT(name) offsetof(struct sam_gputime_config, name)
    {"addi x\\d, x16, 1", AT(salu_interval), 1, {{false, 16}}},
    {"add x\\d, x16, x17", AT(salu_interval), 2, {{false, 16}, {false, 17}}},
    {"add x\\d, x16, x20", AT(salu_interval), 2, {{false, 16}, {false, 20}}},
    {"add x\\d, x18, x18", AT(salu_interval), 2, {{false, 18}, {false, 18}}},
    {"vadd.vx v\\d, v16, x17", AT(valu_interval), 2, {{true, 16}, {false, 17}}},
    {"vadd.vx v\\d, v16, x16", AT(valu_interval), 2, {{true, 16}, {false, 16}}},
    {"vfadd.vv v\\d, v19, v23", AT(fpu_interval), 2, {{true, 19}, {true, 23}}},
    {"fmadd.s x\\d, x16, x17, x18", AT(fpu_interval), 3, {{false, 16}, {false, 17}, {false, 18}}},
    {"fmadd.s x\\d, x16, x20, x18", AT(fpu_interval), 3, {{false, 16}, {false, 20}, {false, 18}}},
    {"fmadd.s x\\d, x16, x20, x24", AT(fpu_interval), 3, {{false, 16}, {false, 20}, {false, 24}}},
    {"vmerge.vvm v\\d, v16, v17, v0", AT(valu_interval), 3, {{true, 16}, {true, 17}, {true, 0}}},
    {"vmerge.vvm v\\d, v16, v20, v0", AT(valu_interval), 3, {{true, 16}, {true, 20}, {true, 0}}},
};

/* Cycles from the first to the last read, both included. */
static unsigned turns_of(const struct sam_gputime_config *c, size_t row)
{
    unsigned reads_of[2][32] = {{0}}, banks = 0, most = 0;
    for (unsigned i = 0; i < reads[row].count; i++) {
        const bool vector = reads[row].operands[i].vector && !c->banks_shared;
        const unsigned n = ++reads_of[vector][reads[row].operands[i].number % c->banks];
        banks += n == 1;
        most = n > most ? n : most;
    }
    if (!c->bank_ports)
        return most;
    return reads[row].count + (c->bank_echo ? banks - 1 : 0);
}

TEST(operands_of_a_bank_take_turns)
{
    static const char *const texts[] = {"preset=rtl",
                                        "preset=rtl,banks=1",
                                        "preset=rtl,banks=2,banks_shared=1",
                                        "preset=rtl,bank_ports=1",
                                        "preset=rtl,collect_read=7,collector_free=5",
                                        "preset=verilog",
                                        "preset=verilog,banks=8",
                                        "preset=systemc",
                                        "preset=systemc,banks_shared=0",
                                        "preset=systemc,banks=1"};
    for (size_t k = 0; k < SAM_COUNT(texts); k++) {
        const struct sam_gputime_config c = micro_machine(texts[k]);
        for (size_t i = 0; i < SAM_COUNT(reads); i++) {
            char body[96];
            uint32_t interval;
            sam_format(body, sizeof body, ".irp d, 5, 6, 7, 8, 9, 10, 11, 12\n%s\n.endr",
                       reads[i].body);
            memcpy(&interval, (const char *)&c + reads[i].interval, sizeof interval);
            const struct micro m = {.setup = "", .body = body, .units = 8};
            const unsigned turns = turns_of(&c, i);
            /* A warp with one collector at a time, or the unit and the banks of several. */
            const uint64_t held = c.collect_request + turns - 1 + c.collect_read + c.collector_free;
            const uint64_t several = interval > turns ? interval : turns;
            micro_expect(texts[k], body, micro_each(&c, &m),
                         c.collectors_warp == 1 ? held : several);
        }
    }
}
