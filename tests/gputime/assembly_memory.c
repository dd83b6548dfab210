/* SPDX-License-Identifier: Apache-2.0 */
/* Microbenchmarks of loads and stores: pointer chases through every level, strides over lines
 * and banks, and the limits of accesses in flight, against the parameters. */
#include "test.h"

#include "gputime/micro.h"

/* ------------------------------------------------------------------------------------- chases */

enum level { L1, L2, MEMORY, LEVELS };

#define RING 32 /* lines of a chase that exceeds every small cache */

/* Word 0 of each of RING lines points to the next line; `variant` is their distance in bytes. */
static void fill_ring(struct program *p, unsigned variant)
{
    for (uint32_t i = 0; i < RING; i++)
        program_set(p, DATA + i * variant, DATA + (i + 1) % RING * variant);
}

/* A small ring, of two lines. */
static void fill_pair(struct program *p, unsigned variant)
{
    program_set(p, DATA, DATA + variant);
    program_set(p, DATA + variant, DATA);
}

static uint64_t beats_of(const struct sam_gputime_config *c, uint32_t bytes)
{
    return (bytes + c->mem_bytes - 1) / c->mem_bytes;
}

/* From the request of a line that misses in the L1 to the reply. */
static uint64_t miss_of(const struct sam_gputime_config *c, enum level level)
{
    const uint64_t memory =
        c->mem_latency + beats_of(c, c->line_bytes) - 1 + (uint64_t)c->l2_miss_latency;
    return c->l1_miss_latency + (level == L2 ? c->l2_latency : memory) + c->l1_fill_latency;
}

/* From the issue of a load to that of the instruction that needs its result, without the reply. */
static uint64_t around(const struct sam_gputime_config *c)
{
    return micro_collect(c, 1) + c->lsu_latency + c->lsu_return + c->wakeup_latency;
}

TEST(a_chase_takes_the_latency_of_its_level)
{
    static const char *const texts[] = {
        "preset=rtl",
        "preset=verilog",
        "preset=rtl,lsu_latency=5,lsu_return=7,l1_latency=11,l1_miss_latency=9,l1_fill_latency=6,"
        "l2_latency=31,l2_miss_latency=17,mem_latency=333,mem_bytes=4,collect_read=2",
        "preset=verilog,lsu_latency=1,lsu_return=0,l1_latency=2,l1_miss_latency=0,l1_fill_latency="
        "1,l2_latency=3,l2_miss_latency=0,mem_latency=51,mem_bytes=2,line_bytes=64",
    };
    for (size_t k = 0; k < SAM_COUNT(texts); k++)
        for (enum level level = L1; level < LEVELS; level++) {
            static const char *const small[LEVELS] = {"", ",l1_sets=1,l1_ways=1,l2_sets=64",
                                                      ",l1_sets=1,l1_ways=1,l2_sets=1,l2_ways=1"};
            char text[512];
            sam_format(text, sizeof text, "%s%s", texts[k], small[level]);
            const struct sam_gputime_config c = micro_machine(text);
            const struct micro m = {.setup = "li x5, 0x90000000",
                                    .body = "lw x5, 0(x5)",
                                    .fill = level == L1 ? fill_pair : fill_ring,
                                    .variant = c.line_bytes};
            micro_expect(text, m.body, micro_each(&c, &m),
                         around(&c) + (level == L1 ? c.l1_latency : miss_of(&c, level)));
        }
}

/* A word of local memory that points to itself. */
TEST(a_chase_through_local_memory)
{
    static const char *const texts[] = {"preset=rtl", "preset=verilog",
                                        "preset=rtl,lds_latency=9,lsu_latency=4"};
    for (size_t k = 0; k < SAM_COUNT(texts); k++) {
        const struct sam_gputime_config c = micro_machine(texts[k]);
        const struct micro m = {.setup = "li x5, 0x70000000\nsw x5, 0(x5)", .body = "lw x5, 0(x5)"};
        micro_expect(texts[k], m.body, micro_each(&c, &m), around(&c) + c.lds_latency + 1);
    }
}

TEST(perfect_memory_has_one_latency)
{
    static const char *const texts[] = {"preset=systemc",
                                        "preset=systemc,perfect_latency=40,wakeup_latency=3"};
    for (size_t k = 0; k < SAM_COUNT(texts); k++) {
        const struct sam_gputime_config c = micro_machine(texts[k]);
        const struct micro chase = {
            .setup = "li x5, 0x90000000", .body = "lw x5, 0(x5)", .fill = fill_ring, .variant = 4};
        micro_expect(texts[k], chase.body, micro_each(&c, &chase),
                     micro_collect(&c, 1) + c.perfect_latency + c.wakeup_latency);
    }
}

/* ------------------------------------------------------------------------------------ strides */

struct sweep {
    int32_t stride; /* bytes between lanes */
    unsigned lanes;
    bool store;
};

static const struct sweep sweeps[] = {
    {0, 8, false},   {4, 8, false},   {8, 8, false},    {16, 8, false},  {32, 8, false},
    {64, 8, false},  {128, 8, false}, {4, 32, false},   {8, 32, false},  {12, 32, false},
    {32, 32, false}, {20, 32, false}, {128, 32, false}, {-4, 32, false}, {4, 8, true},
    {64, 8, true},   {4, 32, true},   {8, 32, true},    {32, 32, true},  {0, 32, true},
};

/* The lines of an access in order of lanes; passes[i]: the bank conflict passes of line i. */
static unsigned lines_of(const struct sam_gputime_config *c, const struct sweep *w,
                         unsigned passes[32])
{
    uint32_t lines[32], line_count = 0;
    unsigned words[32][64] = {{0}};
    const uint32_t hardware = w->lanes > 8 ? w->lanes : 8;
    const uint32_t banks = c->lds_banks ? c->lds_banks : hardware;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        const uint32_t at = 128 + (uint32_t)w->stride * lane; /* after the base of the memory */
        unsigned i = 0;
        while (i < line_count && lines[i] != at / c->line_bytes)
            i++;
        if (i == line_count) {
            lines[line_count++] = at / c->line_bytes;
            passes[i] = 0;
        }
        const unsigned n = ++words[i][at / 4 % banks];
        passes[i] = n > passes[i] ? n : passes[i];
    }
    return line_count;
}

static struct micro sweep_micro(const struct sweep *w, uint32_t base, char *setup, size_t size)
{
    /* Stores hit lines that have been loaded before. */
    sam_format(setup, size, "li x16, %u\nli x17, %d\nvlse32.v v4, (x16), x17", base + 128,
               w->stride);
    return (struct micro){.setup = setup,
                          .body = w->store ? "vsse32.v v4, (x16), x17\nvsse32.v v5, (x16), x17"
                                           : ".irp d, 5, 6, 7, 8\nvlse32.v v\\d, (x16), x17\n.endr",
                          .lanes = w->lanes,
                          .warps = 4,
                          .repeats = 24,
                          .units = w->store ? 2 : 4};
}

/* Without the preset's crossbar, for which operands of several warps would wait. */
TEST(lanes_are_coalesced_into_lines)
{
    static const char *const texts[] = {
        "preset=rtl",
        "preset=rtl,line_bytes=32,lsu_interval=5",
        "preset=rtl,line_bytes=1024,lsu_interval=0,lsu_queue=4",
        "preset=verilog,bank_ports=0,bank_echo=0,l1_sets=1024,l1_ways=8",
    };
    for (size_t k = 0; k < SAM_COUNT(texts); k++)
        for (size_t i = 0; i < SAM_COUNT(sweeps); i++) {
            char setup[128], what[64];
            unsigned passes[32];
            const struct sam_gputime_config c = micro_machine(texts[k]);
            const struct micro m = sweep_micro(&sweeps[i], DATA, setup, sizeof setup);
            const unsigned lines = lines_of(&c, &sweeps[i], passes);
            sam_format(what, sizeof what, "stride %d, %u lanes, %s", sweeps[i].stride,
                       sweeps[i].lanes, sweeps[i].store ? "stores" : "loads");
            micro_expect(texts[k], what, micro_each(&c, &m), lines + c.lsu_interval);
        }
}

TEST(lanes_of_a_bank_take_turns)
{
    static const char *const texts[] = {
        "preset=rtl",
        "preset=rtl,lds_banks=1",
        "preset=rtl,lds_banks=64,lds_write_gap=6",
        "preset=rtl,line_bytes=32,lsu_interval=5,lds_write_gap=0",
        "preset=verilog,bank_ports=0,bank_echo=0,lds_cached=0",
    };
    for (size_t k = 0; k < SAM_COUNT(texts); k++)
        for (size_t i = 0; i < SAM_COUNT(sweeps); i++) {
            char setup[128], what[64];
            unsigned passes[32];
            const struct sam_gputime_config c = micro_machine(texts[k]);
            const struct micro m = sweep_micro(&sweeps[i], LOCAL, setup, sizeof setup);
            const unsigned lines = lines_of(&c, &sweeps[i], passes);
            const unsigned gap = sweeps[i].store ? c.lds_write_gap : 0;
            uint64_t period = 0;
            for (unsigned line = 0; line < lines; line++)
                period += passes[line] + gap;
            /* the next instruction waits until the LSU is free */
            const unsigned last = passes[lines - 1] + gap;
            period += last < c.lsu_interval + 1 ? c.lsu_interval + 1 - last : 0;
            sam_format(what, sizeof what, "stride %d, %u lanes, %s", sweeps[i].stride,
                       sweeps[i].lanes, sweeps[i].store ? "stores" : "loads");
            micro_expect(texts[k], what, micro_each(&c, &m), period);
        }
}

TEST(perfect_memory_takes_its_interval)
{
    static const char *const texts[] = {"preset=systemc", "preset=systemc,perfect_interval=11"};
    for (size_t k = 0; k < SAM_COUNT(texts); k++)
        for (size_t i = 0; i < SAM_COUNT(sweeps); i++) {
            char setup[128];
            const struct sam_gputime_config c = micro_machine(texts[k]);
            const struct micro m = sweep_micro(&sweeps[i], DATA, setup, sizeof setup);
            micro_expect(texts[k], m.body, micro_each(&c, &m), c.perfect_interval);
        }
}

/* ------------------------------------------------------------------------------------- limits */

/* Loads of new lines by eight warps; the limiting rate, in cycles per line. */
static uint64_t stream_of_misses(const char *text)
{
    char setup[160], body[96];
    const struct sam_gputime_config c = micro_machine(text);
    sam_format(setup, sizeof setup,
               "li x16, 0x90000000\ncsrr x17, wid\nli x18, 0x6000\nmul x17, x17, x18\n"
               "add x16, x16, x17");
    sam_format(body, sizeof body, ".irp d, 5, 6, 7, 8\nlw x\\d, 0(x16)\naddi x16, x16, %u\n.endr",
               c.line_bytes);
    const struct micro m = {.setup = setup, .body = body, .warps = 8, .repeats = 12, .units = 4};
    return micro_each(&c, &m);
}

#define WIDE                                                                                       \
    "l1_mshrs=64,lsu_all=64,lsu_warp=8,lsu_queue=8,l2_mshrs=256,mem_outstanding=1024,"             \
    "bank_ports=0,bank_echo=0,"

TEST(what_limits_misses)
{
    static const char *const presets[] = {"preset=rtl", "preset=verilog"};
    for (size_t k = 0; k < SAM_COUNT(presets); k++) {
        char text[256];
        /* the bus of the memory */
        sam_format(text, sizeof text, "%s," WIDE "mem_bytes=1", presets[k]);
        struct sam_gputime_config c = micro_machine(text);
        micro_expect(text, "bus", stream_of_misses(text), c.line_bytes);
        /* its concurrent requests */
        sam_format(text, sizeof text, "%s," WIDE "mem_outstanding=1,mem_latency=60", presets[k]);
        c = micro_machine(text);
        micro_expect(text, "outstanding", stream_of_misses(text),
                     c.mem_latency + beats_of(&c, c.line_bytes) - 1 + c.mem_recovery);
        /* the replies of the L2 */
        sam_format(text, sizeof text, "%s," WIDE "mem_bytes=4096,mem_recovery=0,l2_interval=40",
                   presets[k]);
        micro_expect(text, "replies", stream_of_misses(text), 40);
        /* the miss registers of the L1 */
        for (unsigned registers = 1; registers <= 2; registers++) {
            sam_format(text, sizeof text,
                       "%s," WIDE "l1_mshrs=%u,mem_latency=99,mem_bytes=4096,l1_miss_latency=2",
                       presets[k], registers);
            c = micro_machine(text);
            c.mem_latency += (uint32_t)(miss_of(&c, MEMORY) % registers); /* a whole number each */
            sam_format(text, sizeof text,
                       "%s," WIDE "l1_mshrs=%u,mem_latency=%u,mem_bytes=4096,l1_miss_latency=2",
                       presets[k], registers, c.mem_latency);
            micro_expect(text, "registers", stream_of_misses(text),
                         miss_of(&c, MEMORY) / registers);
        }
    }
}
