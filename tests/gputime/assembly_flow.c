/* SPDX-License-Identifier: Apache-2.0 */
/* Microbenchmarks of control flow: branches, barriers and loops with divergent lanes, against
 * the parameters. */
#include "test.h"

#include "gputime/micro.h"

static const char *const machines[] = {
    "preset=rtl",
    "preset=verilog",
    "preset=systemc",
    "preset=rtl,redirect_latency=4,branch_latency=5,simt_latency=6,join_latency=7,icache_latency=3,"
    "salu_latency=3,valu_latency=4,barrier_latency=9,csr_latency=5",
    "preset=verilog,redirect_latency=2,branch_latency=8,simt_latency=0,join_latency=1,"
    "decode_latency=6,barrier_latency=4",
    "preset=systemc,redirect_latency=7,branch_latency=0,simt_latency=5,join_latency=3,"
    "valu_latency=1,barrier_latency=6",
};

/* From the resolution of a jump to the issue of its target. */
static uint64_t target_of(const struct sam_gputime_config *c)
{
    return (c->redirect_latency ? c->redirect_latency : 1) + c->icache_latency + c->decode_latency;
}

static uint64_t largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---------------------------------------------------------------------------------- branches */

TEST(a_branch_costs_its_resolution)
{
    for (size_t k = 0; k < SAM_COUNT(machines); k++) {
        const struct sam_gputime_config c = micro_machine(machines[k]);
        const struct micro jump = {.setup = "", .body = "j . + 12\nnop\nnop"};
        micro_expect(machines[k], jump.body, micro_each(&c, &jump),
                     micro_collect(&c, 0) + c.salu_latency + target_of(&c));
        const struct micro not_taken = {.setup = "", .body = "bne x16, x16, . + 8"};
        const uint64_t resolved = micro_collect(&c, 2) + c.salu_latency;
        micro_expect(machines[k], not_taken.body, micro_each(&c, &not_taken),
                     largest(resolved + c.branch_latency, micro_collect(&c, 2) + 1));
    }
}

/* From the issue of an instruction with `operands` operands in one bank to the issue of the
 * next, independent one of its warp. */
static uint64_t next_of(const struct sam_gputime_config *c, unsigned operands)
{
    return c->collectors_warp > 1
               ? 1
               : micro_collect(c, operands) - c->emit_latency + c->collector_free;
}

/* From the issue of a vector branch to the next issue: not taken, and at its target. */
static uint64_t passed(const struct sam_gputime_config *c)
{
    const uint64_t executed = micro_collect(c, 2);
    return largest(executed + c->valu_latency + c->simt_latency + c->branch_latency,
                   largest(executed + 1, next_of(c, 2)));
}

static uint64_t taken(const struct sam_gputime_config *c)
{
    return micro_collect(c, 2) + c->valu_latency + c->simt_latency + target_of(c);
}

/* From the issue of a join that pops nothing, and to the path that it pops. */
static uint64_t joined(const struct sam_gputime_config *c)
{
    const uint64_t executed = micro_collect(c, 0);
    return largest(executed + c->join_latency + c->branch_latency,
                   largest(executed + 1, next_of(c, 0)));
}

static uint64_t popped(const struct sam_gputime_config *c)
{
    return micro_collect(c, 0) + c->join_latency + target_of(c);
}

TEST(a_vector_branch_costs_its_resolution)
{
    for (size_t k = 0; k < SAM_COUNT(machines); k++) {
        const struct sam_gputime_config c = micro_machine(machines[k]);
        const struct micro none = {.setup = "",
                                   .body = "setrpc zero, t0, 0\nvbne v16, v16, . + 8\njoin"};
        micro_expect(machines[k], none.body, micro_each(&c, &none),
                     next_of(&c, 1) + passed(&c) + joined(&c));
        const struct micro all = {.setup = "",
                                  .body = "setrpc zero, t0, 0\nvbeq v16, v16, . + 8\nnop\njoin"};
        micro_expect(machines[k], all.body, micro_each(&c, &all),
                     next_of(&c, 1) + taken(&c) + joined(&c));
    }
}

/* A lane leaves in each round: it runs to the join, which pops the others, and at the end one
 * more entry of the stack leads to the join. */
TEST(a_loop_whose_lanes_part)
{
    for (size_t k = 0; k < SAM_COUNT(machines); k++) {
        const struct sam_gputime_config c = micro_machine(machines[k]);
        uint64_t before = 0;
        const uint64_t condition =
            largest(2 * next_of(&c, 1), micro_collect(&c, 1) + c.valu_latency + c.wakeup_latency);
        const uint64_t jump = micro_collect(&c, 0) + c.salu_latency + target_of(&c);
        for (unsigned rounds = 2; rounds <= 7; rounds++) {
            char setup[128];
            /* lane i stays for min(i + 1, rounds) rounds */
            sam_format(setup, sizeof setup,
                       "vid.v v21\nvadd.vi v21, v21, 1\nli x7, %u\nvminu.vx v21, v21, x7\n"
                       "vmv.v.i v17, 0\nlla x6, done",
                       rounds);
            const struct micro m = {.setup = setup,
                                    .body = "loop:\nvadd.vi v17, v17, 1\nsetrpc zero, x6, 0\n"
                                            "vbgeu v17, v21, done\nj loop\ndone: join"};
            const uint64_t cycles = micro_cycles(&c, &m, 1, NULL);
            if (before)
                micro_expect(machines[k], m.body, cycles - before,
                             condition + taken(&c) + popped(&c) + jump + popped(&c));
            before = cycles;
        }
    }
}

/* A fetch group waits for the registers of the first instruction of the previous group, not of
 * its last; it is accepted a cycle before its first instruction. */
TEST(a_group_waits_for_the_lead_of_the_one_before)
{
    static const char *const leads[] = {"mul x5, x16, x16\nlui x6, 1",
                                        "lui x6, 1\nmul x5, x16, x16"};
    for (unsigned last = 0; last < 2; last++) {
        struct sam_gputime_config c = micro_machine("preset=verilog,mul_latency=40,banks=1");
        const struct micro m = {.setup = "", .body = leads[last]};
        const uint64_t free = micro_collect(&c, 2) + c.mul_latency + c.wakeup_latency;
        const uint64_t held = next_of(&c, 2) + next_of(&c, 0);
        /* without the rule, the next product waits only for its destination */
        micro_expect("groups_wait=0", m.body, micro_each(&c, &m), largest(free, held));
        c.groups_wait = 1;
        micro_expect("groups_wait=1", m.body, micro_each(&c, &m),
                     last ? largest(free, held + 1) : free + 1);
    }
}

/* ---------------------------------------------------------------------------------- barriers */

/* The warps issue their barriers one after another; all continue after the last arrival. */
TEST(a_barrier_storm)
{
    for (size_t k = 0; k < SAM_COUNT(machines); k++)
        for (unsigned warps = 1; warps <= 8; warps *= 2) {
            const struct sam_gputime_config c = micro_machine(machines[k]);
            const struct micro m = {
                .setup = "", .body = "barrier 1", .warps = warps, .together = true};
            micro_expect(machines[k], m.body, micro_each(&c, &m),
                         warps - 1 + micro_collect(&c, 0) + c.barrier_latency);
        }
}

/* The model receives all workgroups that have run, whatever their number. */
TEST(every_workgroup_is_in_time)
{
    for (unsigned workgroups = 1; workgroups <= 729; workgroups *= 3) {
        const struct sam_gputime_config c = micro_machine(machines[0]);
        const struct micro m = {.setup = "", .body = "vid.v v1", .workgroups = workgroups};
        SCOPED(sam_gputime_result) result = {0};
        micro_cycles(&c, &m, 5, &result);
        assert_int_equal(result.insns, 6 * workgroups); /* and endprg */
    }
}
