/* SPDX-License-Identifier: Apache-2.0 */
/* Loops, barriers and divergence in cycles of the public SystemC simulator for the same code.
 * Its log counts from the start of the first warp to the beginning of the cycle of the last
 * endprg; the preset counts that cycle as well. */

#include "test.h"

#include "gputime/micro.h"

/* The simulator skips the first instruction of a warp. */
#define COUNTER "nop\nli x5, 10\ncsrr x6, "
#define UNEQUAL "loop: addi x7, x6, 1\n1: addi x7, x7, -1\nbnez x7, 1b\n"
#define AGAIN   "\naddi x5, x5, -1\nbnez x5, loop"

static const char *const barriers = COUNTER "wid\nloop: addi x7, x7, 1\nbarrier 0" AGAIN;
static const char *const unequal = COUNTER "wid\n" UNEQUAL "barrier 0" AGAIN;
static const char *const unequal_groups = COUNTER "gidx\n" UNEQUAL "barrier 0" AGAIN;
static const char *const no_barrier = COUNTER "gidx\n" UNEQUAL "nop" AGAIN;
static const char *const busy_collectors =
    "nop\ncsrr x7, wid\nli x9, 12\nvmv.v.x v2, x9\n"
    "loop: add x10, x9, x9\nadd x11, x10, x9\nvadd.vi v2, v2, 1\nvadd.vx v3, v2, x11\n"
    "slli x12, x9, 1\naddi x9, x9, -1\nbnez x9, loop";
/* No branch splits its lanes into equal halves: the simulator would fall through first. */
static const char *const nested =
    "nop\ncsrr x6, numt\ncsrr x7, tid\nvid.v v1\nli x5, 5\nvmv.v.x v2, x5\nli x8, 2\n"
    "vmv.v.x v3, x8\nli x9, 10\n"
    "loop: auipc x10, 0\nsetrpc x0, x10, outer - loop\nvblt v1, v2, few\naddi x11, x11, 1\n"
    "vadd.vi v5, v5, 1\nj outer\n"
    "few: auipc x10, 0\nsetrpc x0, x10, inner - few\nvblt v1, v3, fewer\nvadd.vi v5, v5, 2\n"
    "j inner\nfewer: vadd.vi v6, v6, 3\ninner: join\nvadd.vi v6, v6, 3\nouter: join\n"
    "addi x9, x9, -1\nbnez x9, loop";

static const struct {
    const char *const *text;
    unsigned workgroups, warps, lanes, cycles;
} measured[] = {
    {&barriers, 1, 2, 8, 190},        {&barriers, 1, 4, 8, 261},
    {&barriers, 1, 8, 8, 553},        {&barriers, 2, 2, 16, 191},
    {&barriers, 5, 2, 16, 388},       {&barriers, 8, 2, 16, 554},
    {&unequal, 1, 2, 8, 484},         {&unequal, 1, 4, 8, 838},
    {&unequal, 1, 8, 8, 2123},        {&unequal, 5, 2, 16, 753},
    {&unequal_groups, 3, 2, 16, 727}, {&unequal_groups, 4, 2, 16, 874},
    {&unequal_groups, 5, 1, 16, 904}, {&unequal_groups, 5, 2, 16, 1217},
    {&no_barrier, 5, 2, 16, 1329},    {&unequal_groups, 8, 2, 16, 2224},
    {&busy_collectors, 1, 1, 8, 407}, {&busy_collectors, 1, 4, 8, 527},
    {&nested, 1, 1, 16, 911},         {&busy_collectors, 1, 8, 8, 1025},
    {&nested, 1, 1, 8, 891},          {&nested, 1, 4, 16, 1186},
    {&nested, 5, 2, 16, 1480},
};

TEST(takes_the_cycles_of_the_simulator)
{
    const struct sam_gputime_config machine = micro_machine("preset=systemc");
    for (size_t i = 0; i < SAM_COUNT(measured); i++) {
        const struct micro m = {.setup = *measured[i].text,
                                .body = "",
                                .workgroups = measured[i].workgroups,
                                .warps = measured[i].warps,
                                .lanes = measured[i].lanes};
        micro_expect("preset=systemc", m.setup, micro_cycles(&machine, &m, 1, NULL),
                     measured[i].cycles + 1);
    }
}
