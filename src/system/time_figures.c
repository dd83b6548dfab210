/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a run: cycles per unit and reason, bytes, launches, the roofline, energy. */
#include <stdlib.h>

#include "system/time.h"

/* ------------------------------------------------------------------------------------- rows */

void sam_system_add_row(struct system_measuring *m, const char *unit, unsigned number,
                        const char *reason, bool busy, uint64_t cycles)
{
    struct sam_system_figures *f = m->figures;
    void *grown = sam_grow(f->rows, f->row_count, &m->row_capacity, sizeof *f->rows);
    if (!grown) {
        m->failed = true;
        return;
    }
    f->rows = grown;
    f->rows[f->row_count++] = (struct sam_system_row){unit, reason, number, busy, cycles};
}

static void add_hart(struct system_measuring *m, const struct sam_engines_report *report)
{
    for (unsigned i = 0; i < SAM_ISSUE_CYCLES; i++)
        sam_system_add_row(m, "hart", 0, sam_issue_cycle_name(i), i <= SAM_ISSUE_MATRIX,
                           report->issue[i]);
    for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++)
        for (unsigned i = 0; i < SAM_ENGINE_CYCLES; i++)
            sam_system_add_row(m, sam_engine_name(e), 0, sam_engine_cycle_name(i),
                               i == SAM_ENGINE_BUSY, report->engine[e].cycles[i]);
}

static void add_matrix(struct system_measuring *m, const struct sam_mxu_stats *stats)
{
    static const char *const names[SAM_MXU_UNITS] = {
        [SAM_MXU_DSA] = "m.dsa",     [SAM_MXU_MMA] = "m.mma", [SAM_MXU_LOAD] = "m.load",
        [SAM_MXU_STORE] = "m.store", [SAM_MXU_PW] = "m.pw",   [SAM_MXU_READ] = "m.read",
        [SAM_MXU_WRITE] = "m.write",
    };
    for (unsigned unit = 0; stats && unit < SAM_MXU_UNITS; unit++)
        for (unsigned i = 0; i < SAM_MXU_STATES; i++)
            sam_system_add_row(m, names[unit], 0, sam_mxu_state_name(i), i == SAM_MXU_BUSY,
                               stats->buckets[unit][i]);
}

void sam_system_stages_measure(void *state, struct system_measuring *m)
{
    static const char *const waits[] = {"fetch", "write", "empty"};
    struct system_stages *s = state;
    const struct system_unit_row *row = &sam_system_units[s->options.unit - SYSTEM_PORT_GPU];
    sam_system_stages_account(s);
    for (unsigned i = 0; i < SYSTEM_STAGE_WORKS && row->unit->works[i]; i++)
        sam_system_add_row(m, row->figures, 0, row->unit->works[i], true, s->cycles[i]);
    for (unsigned i = 0; i < SAM_COUNT(waits); i++)
        sam_system_add_row(m, row->figures, 0, waits[i], false, s->cycles[SYSTEM_STAGE_FETCH + i]);
}

static void add_levels(struct system_measuring *m)
{
    for (size_t i = 0; i < m->figures->level_count; i++) {
        const struct sam_system_level *level = &m->figures->levels[i];
        sam_system_add_row(m, level->name, 0, "busy", true, level->busy);
        sam_system_add_row(m, level->name, 0, "waiting", false, level->waiting);
        sam_system_add_row(m, level->name, 0, "idle", false, level->idle);
    }
}

static void add_rows(struct system_measuring *m, struct system_time *time,
                     const struct sam_engines_report *report, const struct sam_mxu_stats *stats)
{
    add_hart(m, report);
    add_matrix(m, stats);
    for (unsigned i = 0; i < SAM_SYSTEM_QUEUES; i++)
        sam_system_units[i].unit->measure(time->units[i], m);
    add_levels(m);
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
        const uint64_t used = l->busy + l->waiting; /* answers may be to come */
        if (i == SAM_MEMTIME_LINK && c->link_size == 0)
            continue;
        f->levels[f->level_count++] =
            (struct sam_system_level){.name = sam_memtime_level_name((enum sam_memtime_level)i),
                                      .requests = l->requests,
                                      .read = l->bytes.read,
                                      .written = l->bytes.written,
                                      .busy = l->busy,
                                      .waiting = l->waiting,
                                      .idle = used < f->cycles ? f->cycles - used : 0,
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

static void find_busiest(struct sam_system_figures *f)
{
    for (size_t i = 0; i < f->row_count; i++) {
        uint64_t busy = 0;
        for (size_t k = i; k < f->row_count && f->rows[k].unit == f->rows[i].unit &&
                           f->rows[k].number == f->rows[i].number;
             k++)
            busy += f->rows[k].busy ? f->rows[k].cycles : 0;
        if (busy <= f->busiest_cycles)
            continue;
        f->busiest = f->rows[i].unit;
        f->busiest_cycles = busy;
    }
}

/* Events of the hart and of memory; the queues add theirs in `measure`. */
static void find_energy(struct sam_system_figures *f, struct system_time *time,
                        const struct sam_memtime_levels_figures *m)
{
    static const uint8_t events[SAM_MEMTIME_LEVELS] = {
        [SAM_MEMTIME_L1M] = SAM_ENERGY_l1m_byte,   [SAM_MEMTIME_L0M] = SAM_ENERGY_l0m_byte,
        [SAM_MEMTIME_L2] = SAM_ENERGY_l2_byte,     [SAM_MEMTIME_DRAM] = SAM_ENERGY_dram_byte,
        [SAM_MEMTIME_LINK] = SAM_ENERGY_link_byte,
    };
    uint64_t *count = f->energy.count;
    sam_hart_energy(time->hart, &f->energy);
    f->energy.config = time->config.energy;
    for (unsigned i = 0; i < SAM_MEMTIME_LEVELS; i++)
        count[events[i]] = m->level[i].bytes.read + m->level[i].bytes.written;
}

/* ----------------------------------------------------------------------------- all figures */

static bool collect(struct sam_system_figures *f, struct system_time *time)
{
    struct system_measuring m = {.figures = f};
    struct sam_engines_report report;
    if (!time->running)
        sam_system_time_settle(time);
    const struct sam_mxu_stats *stats = sam_hart_cycles(time->hart);
    const struct sam_memtime_levels_figures *memory = sam_memtime_levels_figures(time->levels);
    sam_hart_engines(time->hart, &report);
    f->cycles = report.cycles;
    f->instructions = report.instructions;
    f->macs = stats ? stats->macs : 0;
    find_roofline(f, time, stats, &memory->level[SAM_MEMTIME_DRAM].bytes);
    find_energy(f, time, memory);
    if (!collect_bytes(f, memory) || !collect_levels(f, time, memory))
        return false;
    add_rows(&m, time, &report, stats);
    find_busiest(f);
    if (!sam_system_pipes_measure(time->pipes, f))
        return false;
    f->launches = sam_alloc(time->launch_count + 1, sizeof *f->launches);
    if (m.failed || !f->launches)
        return false;
    if (time->running)
        return true;
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
