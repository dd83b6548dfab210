/* SPDX-License-Identifier: Apache-2.0 */
/* What a system has taken: a row for each reason of each unit, bytes, launches, the roofline. */
#include <stdlib.h>

#include "system/time.h"

struct collecting {
    struct sam_system_figures *figures;
    size_t row_capacity;
    bool failed; /* out of memory */
};

/* ------------------------------------------------------------------------------------- rows */

static void add_row(struct collecting *c, const char *unit, unsigned number, const char *reason,
                    bool busy, uint64_t cycles)
{
    struct sam_system_figures *f = c->figures;
    void *grown = sam_grow(f->rows, f->row_count, &c->row_capacity, sizeof *f->rows);
    if (!grown) {
        c->failed = true;
        return;
    }
    f->rows = grown;
    f->rows[f->row_count++] = (struct sam_system_row){unit, reason, number, busy, cycles};
}

static void add_hart(struct collecting *c, const struct sam_engines_report *report)
{
    for (unsigned i = 0; i < SAM_ISSUE_CYCLES; i++)
        add_row(c, "hart", 0, sam_issue_cycle_name(i), i <= SAM_ISSUE_MATRIX, report->issue[i]);
    for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++)
        for (unsigned i = 0; i < SAM_ENGINE_CYCLES; i++)
            add_row(c, sam_engine_name(e), 0, sam_engine_cycle_name(i), i == SAM_ENGINE_BUSY,
                    report->engine[e].cycles[i]);
}

static void add_matrix(struct collecting *c, const struct sam_mxu_stats *stats)
{
    static const char *const names[SAM_MXU_UNITS] = {
        [SAM_MXU_DSA] = "m.dsa",     [SAM_MXU_MMA] = "m.mma", [SAM_MXU_LOAD] = "m.load",
        [SAM_MXU_STORE] = "m.store", [SAM_MXU_PW] = "m.pw",   [SAM_MXU_READ] = "m.read",
        [SAM_MXU_WRITE] = "m.write",
    };
    for (unsigned unit = 0; stats && unit < SAM_MXU_UNITS; unit++)
        for (unsigned i = 0; i < SAM_MXU_STATES; i++)
            add_row(c, names[unit], 0, sam_mxu_state_name(i), i == SAM_MXU_BUSY,
                    stats->buckets[unit][i]);
}

/* An SM has the reasons of the pipeline model while a launch runs on it. */
static void add_sms(struct collecting *c, const struct system_gpu_figures *gpu)
{
    for (uint32_t sm = 0; sm < gpu->sms; sm++) {
        for (unsigned i = 0; i < SAM_GPUTIME_REASONS; i++) {
            uint64_t cycles = gpu->sm[sm][i];
            if (i == SAM_GPUTIME_EMPTY)
                cycles += gpu->cycles[SYSTEM_GPU_EMPTY];
            add_row(c, "SM", sm, sam_gputime_reason_name(i), i == SAM_GPUTIME_BUSY, cycles);
        }
        add_row(c, "SM", sm, sam_system_gpu_cycle_name(SYSTEM_GPU_LAUNCH), false,
                gpu->cycles[SYSTEM_GPU_LAUNCH]);
        add_row(c, "SM", sm, sam_system_gpu_cycle_name(SYSTEM_GPU_FLUSH), false,
                gpu->cycles[SYSTEM_GPU_FLUSH]);
    }
}

static void add_levels(struct collecting *c)
{
    for (size_t i = 0; i < c->figures->level_count; i++) {
        const struct sam_system_level *level = &c->figures->levels[i];
        add_row(c, level->name, 0, "busy", true, level->busy);
        add_row(c, level->name, 0, "waiting", false, level->waiting);
        add_row(c, level->name, 0, "idle", false, level->idle);
    }
}

static void add_rows(struct collecting *c, struct system_time *time,
                     const struct sam_engines_report *report, const struct sam_mxu_stats *stats)
{
    const struct system_gpu_figures *gpu = sam_system_gpu_time_figures(time->gpu);
    const struct system_weight_figures *weights = sam_system_weight_time_figures(time->weights);
    add_hart(c, report);
    add_matrix(c, stats);
    for (unsigned i = 0; i < SYSTEM_GPU_CYCLES; i++)
        add_row(c, "GPU", 0, sam_system_gpu_cycle_name(i), i == SYSTEM_GPU_RUNS, gpu->cycles[i]);
    add_sms(c, gpu);
    for (unsigned i = 0; i < SYSTEM_WEIGHT_CYCLES; i++)
        add_row(c, "weights", 0, sam_system_weight_cycle_name(i), i < SYSTEM_WEIGHT_WORKS,
                weights->cycles[i]);
    add_levels(c);
}

/* ----------------------------------------------------------------------------------- memory */

static bool collect_bytes(struct sam_system_figures *f, const struct sam_memtime_levels_figures *m)
{
    f->bytes = sam_alloc((size_t)SYSTEM_PORTS * SAM_MEMTIME_LEVELS, sizeof *f->bytes);
    for (unsigned unit = 0; f->bytes && unit < SYSTEM_PORTS; unit++)
        for (unsigned level = 0; level < SAM_MEMTIME_LEVELS; level++) {
            const struct sam_memtime_traffic *t = &m->unit[unit][level];
            if (t->read || t->written)
                f->bytes[f->byte_count++] = (struct sam_system_bytes){
                    sam_system_port_name(unit),
                    sam_memtime_level_name((enum sam_memtime_level)level), t->read, t->written};
        }
    return f->bytes != NULL;
}

static bool collect_levels(struct sam_system_figures *f, const struct system_time *time,
                           const struct sam_memtime_levels_figures *m)
{
    const struct sam_memtime_levels_config *c = &time->config.mem;
    const uint32_t widths[SAM_MEMTIME_LEVELS] = {
        [SAM_MEMTIME_L1M] = c->l1m_bytes,   [SAM_MEMTIME_L0M] = c->l0m_bytes,
        [SAM_MEMTIME_L2] = c->l2_bytes,     [SAM_MEMTIME_DRAM] = c->dram_bytes,
        [SAM_MEMTIME_LINK] = c->link_bytes,
    };
    f->levels = sam_alloc(SAM_MEMTIME_LEVELS, sizeof *f->levels);
    for (unsigned i = 0; f->levels && i < SAM_MEMTIME_LEVELS; i++) {
        const struct sam_memtime_level_figures *l = &m->level[i];
        if (i == SAM_MEMTIME_LINK && c->link_size == 0)
            continue;
        f->levels[f->level_count++] =
            (struct sam_system_level){.name = sam_memtime_level_name((enum sam_memtime_level)i),
                                      .requests = l->requests,
                                      .read = l->bytes.read,
                                      .written = l->bytes.written,
                                      .busy = l->busy,
                                      .waiting = l->waiting,
                                      .idle = f->cycles - l->busy - l->waiting,
                                      .width = widths[i],
                                      .hits = l->hits,
                                      .misses = l->misses,
                                      .partial = l->partial};
    }
    return f->levels != NULL;
}

static void find_roofline(struct sam_system_figures *f, const struct system_time *time,
                          const struct sam_mxu_stats *stats, const struct sam_memtime_traffic *dram)
{
    struct sam_system_roofline *r = &f->roofline;
    const double bytes = (double)(dram->read + dram->written), operations = 2 * (double)f->macs;
    r->peak = stats ? 2 * (double)stats->peak_macs : 0;
    r->slope = time->config.mem.dram_bytes;
    r->intensity = bytes > 0 ? operations / bytes : 0;
    r->done = f->cycles ? operations / (double)f->cycles : 0;
    r->memory_bound = bytes > 0 && r->slope * r->intensity < r->peak;
    r->bound = r->memory_bound ? r->slope * r->intensity : r->peak;
}

/* The units count what they do, the levels of memory the bytes that they move. */
static void find_energy(struct sam_system_figures *f, struct system_time *time,
                        const struct sam_memtime_levels_figures *m)
{
    static const uint8_t events[SAM_MEMTIME_LEVELS] = {
        [SAM_MEMTIME_L1M] = SAM_ENERGY_l1m_byte,   [SAM_MEMTIME_L0M] = SAM_ENERGY_l0m_byte,
        [SAM_MEMTIME_L2] = SAM_ENERGY_l2_byte,     [SAM_MEMTIME_DRAM] = SAM_ENERGY_dram_byte,
        [SAM_MEMTIME_LINK] = SAM_ENERGY_link_byte,
    };
    const struct system_gpu_figures *gpu = sam_system_gpu_time_figures(time->gpu);
    uint64_t *count = f->energy.count;
    sam_hart_energy(time->hart, &f->energy);
    f->energy.config = time->config.energy;
    for (unsigned i = SAM_ENERGY_gpu_insn; i <= SAM_ENERGY_gpu_lds_turn; i++)
        count[i] = gpu->energy.count[i];
    count[SAM_ENERGY_symbol] = sam_system_weight_time_figures(time->weights)->symbols;
    for (unsigned i = 0; i < SAM_MEMTIME_LEVELS; i++)
        count[events[i]] = m->level[i].bytes.read + m->level[i].bytes.written;
}

/* ------------------------------------------------------------------------------ all of them */

static bool collect(struct sam_system_figures *f, struct system_time *time)
{
    struct collecting c = {.figures = f};
    struct sam_engines_report report;
    sam_system_time_settle(time);
    const struct sam_mxu_stats *stats = sam_hart_cycles(time->hart);
    const struct sam_memtime_levels_figures *memory = sam_memtime_levels_figures(time->levels);
    const struct system_weight_figures *weights = sam_system_weight_time_figures(time->weights);
    sam_hart_engines(time->hart, &report);
    f->cycles = report.cycles;
    f->instructions = report.instructions;
    f->records = weights->records;
    f->packed = weights->packed;
    f->raw = weights->raw;
    f->macs = stats ? stats->macs : 0;
    find_roofline(f, time, stats, &memory->level[SAM_MEMTIME_DRAM].bytes);
    find_energy(f, time, memory);
    if (!collect_bytes(f, memory) || !collect_levels(f, time, memory))
        return false;
    add_rows(&c, time, &report, stats);
    if (!sam_system_pipes_measure(time->pipes, f))
        return false;
    f->launches = sam_alloc(time->launch_count + 1, sizeof *f->launches);
    if (c.failed || !f->launches)
        return false;
    f->launch_count = time->launch_count;
    if (time->launch_count)
        memcpy(f->launches, time->launches, time->launch_count * sizeof *f->launches);
    return true;
}

enum sam_status sam_system_time_measure(struct system_time *time,
                                        struct sam_system_figures **figures,
                                        struct sam_error *error)
{
    struct sam_system_figures *f = sam_alloc(1, sizeof *f);
    if (!f || !collect(f, time)) {
        sam_system_figures_free(f);
        return sam_fail_memory(error);
    }
    const enum sam_status status = sam_system_time_check(time, error);
    if (status == SAM_OK)
        *figures = f;
    else
        sam_system_figures_free(f);
    return status;
}

void sam_system_figures_free(struct sam_system_figures *f)
{
    if (!f)
        return;
    free(f->rows);
    free(f->bytes);
    free(f->levels);
    free(f->launches);
    free(f->pipes);
    free(f->operations);
    free(f);
}
