/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "gputime/micro.h"

enum { REPEATS = 48 };

struct sam_gputime_config micro_machine(const char *text)
{
    struct sam_gputime_config config;
    sam_gputime_config_init(&config);
    succeeds(sam_gputime_config_set, &config, text);
    config.icache_bytes = 0;
    config.groups_wait = 0; /* it has its own measurement */
    succeeds(sam_gputime_config_check, &config);
    return config;
}

uint64_t micro_cycles(const struct sam_gputime_config *machine, const struct micro *m,
                      unsigned repeats, struct sam_gputime_result *result)
{
    char text[4096];
    sam_format(text, sizeof text, "%s\n.rept %u\n%s\n.endr\n%s\nendprg\n", m->setup, repeats,
               m->body, m->after ? m->after : "");
    struct sam_gpu_timing timing = {
        .size = sizeof timing, .config = machine, .sgprs = 64, .vgprs = 32};
    struct program p = program_new(text, m->lanes ? m->lanes : 8);
    p.launch.warps = m->warps ? m->warps : 1;
    p.launch.grid[0] = m->workgroups ? m->workgroups : 1;
    p.options.size = sizeof p.options;
    p.options.timing = &timing;
    program_set(&p, KERNEL + 52, 0); /* no room for its output: its order is irrelevant */
    if (m->fill)
        m->fill(&p, m->variant);
    program_pass(&p);
    program_free(&p);
    const uint64_t cycles = timing.result.cycles;
    if (result)
        *result = timing.result;
    else
        sam_gputime_result_free(&timing.result);
    return cycles;
}

uint64_t micro_each(const struct sam_gputime_config *machine, const struct micro *m)
{
    const unsigned repeats = m->repeats ? m->repeats : REPEATS;
    const uint64_t warps = m->warps && !m->together ? m->warps : 1;
    const uint64_t units = repeats * warps * (m->units ? m->units : 1);
    /* not from the start, when caches are cold and warps run in step */
    const uint64_t cycles =
        micro_cycles(machine, m, 3 * repeats, NULL) - micro_cycles(machine, m, 2 * repeats, NULL);
    if (cycles % units)
        fail_msg("%s: %llu cycles for %llu", m->body, (unsigned long long)cycles,
                 (unsigned long long)units);
    return cycles / units;
}

void micro_expect(const char *machine, const char *what, uint64_t measured, uint64_t expected)
{
    if (measured != expected)
        fail_msg("%s: %s: %llu cycles: expected %llu", machine, what, (unsigned long long)measured,
                 (unsigned long long)expected);
}

uint64_t micro_collect(const struct sam_gputime_config *c, unsigned operands)
{
    const uint64_t leave =
        operands ? c->collect_request + operands - 1 + c->collect_read : c->collect_none;
    return leave + c->emit_latency;
}
