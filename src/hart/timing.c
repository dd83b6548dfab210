/* SPDX-License-Identifier: Apache-2.0 */
/* The hart's cycle models: engines and matrix unit on one clock. They receive each instruction
 * after its functional execution, in program order, in its issue cycle, and wait for each other's
 * accesses to overlapping memory. */
#include "hart/core.h"

/* --------------------------------------------------------------- what the units ask each other */

static uint64_t engines_ready(void *context, uint64_t order, bool store, uint64_t low,
                              uint64_t high)
{
    const struct sam_hart *hart = context;
    return sam_engines_ready(hart->engines, order, store, (struct sam_work_span){low, high});
}

static void wake_engines(void *context)
{
    const struct sam_hart *hart = context;
    sam_engines_wake(hart->engines);
}

static bool matrix_is_settled(void *context, uint64_t order, bool store,
                              const struct sam_work_span *spans, unsigned count)
{
    const struct sam_hart *hart = context;
    if (!sam_mxu_has_moves(hart->mxu))
        return true;
    for (unsigned i = 0; i < count; i++)
        if (!sam_mxu_is_settled(hart->mxu, order, store, spans[i].low, spans[i].high))
            return false;
    return true;
}

static void wake_matrix(void *context)
{
    const struct sam_hart *hart = context;
    sam_mxu_wake(hart->mxu, hart->clock->now + 1);
}

/* ------------------------------------------------------------------ what they tell outside */

static void tell(const struct sam_hart *hart, const struct sam_hart_worked *worked)
{
    const struct sam_hart_shared_time *shared = hart->home.time;
    if (shared->worked)
        shared->worked(shared->context, worked);
}

static void engine_worked(void *context, uint64_t order, const struct sam_work *work,
                          uint64_t issued, uint64_t start, uint64_t done)
{
    tell(context, &(struct sam_hart_worked){.order = order,
                                            .issued = issued,
                                            .start = start,
                                            .done = done,
                                            .read = work->load ? work->bytes : 0,
                                            .written = work->store ? work->bytes : 0});
}

static void matrix_worked(void *context, uint64_t order, const struct sam_matrix_work *work,
                          uint64_t issued, uint64_t start, uint64_t done)
{
    const uint64_t bytes = (uint64_t)work->m * work->bytes;
    tell(context, &(struct sam_hart_worked){.order = order,
                                            .issued = issued,
                                            .start = start,
                                            .done = done,
                                            .read = work->kind == SAM_M_KIND_LOAD ? bytes : 0,
                                            .written = work->kind == SAM_M_KIND_STORE ? bytes : 0});
}

/* ----------------------------------------------------------------------------- the models */

static enum sam_status add_cycles(struct sam_hart *hart, struct sam_error *error)
{
    const struct sam_hart_options *o = &hart->options;
    struct sam_mxu_config config = *o->cycles;
    const enum sam_status status = sam_mxu_config_check(&config, error);
    if (status != SAM_OK)
        return status;
    const struct sam_mxu_watch_options traces = {.konata = o->konata,
                                                 .perfetto = sam_hart_timeline_of(hart),
                                                 .vcd = o->vcd,
                                                 .bus = o->bus,
                                                 .isa = hart->machine.isa,
                                                 .tree_stages = config.tree_stages,
                                                 .elewidth = config.elewidth};
    const struct sam_hart_shared_time *shared = hart->home.time;
    const struct sam_mxu_outside outside = {.clock = hart->clock,
                                            .memory = shared ? shared->memory : NULL,
                                            .port = shared ? shared->matrix_port : 0,
                                            .ready = hart->tensor ? engines_ready : NULL,
                                            .answered = wake_engines,
                                            .worked = shared ? matrix_worked : NULL,
                                            .context = hart};
    struct sam_mxu_observer observer;
    hart->watch = sam_mxu_watch_new(&traces, &observer);
    hart->mxu = hart->watch ? sam_mxu_new(&config, &observer, &outside) : NULL;
    return hart->mxu ? SAM_OK : sam_fail_memory(error);
}

enum sam_status sam_hart_add_timing(struct sam_hart *hart, struct sam_error *error)
{
    const struct sam_hart_options *o = &hart->options;
    const bool matrix = o->cycles && hart->matrix;
    struct sam_engines_watch watch = o->watch;
    struct sam_engines_config config;
    enum sam_status status = SAM_OK;
    if (!o->engines && !matrix)
        return SAM_OK;
    hart->has_engines = o->engines != NULL;
    if (o->engines)
        hart->energy = o->engines->energy;
    hart->clock = hart->home.time ? hart->home.time->clock : &hart->own_clock;
    sam_engines_defaults(&config);
    if (o->engines)
        status = sam_engines_check(o->engines, error);
    if (status != SAM_OK)
        return status;
    if (o->engines && o->timeline.write && !(hart->timeline = sam_hart_timeline_new(hart, &watch)))
        return sam_fail_memory(error);
    if (matrix)
        status = add_cycles(hart, error);
    if (status != SAM_OK)
        return status;
    /* After the matrix unit: the engines see its results in the same cycle. */
    const struct sam_hart_shared_time *shared = hart->home.time;
    const struct sam_engines_outside outside = {.clock = hart->clock,
                                                .free = hart->mxu ? matrix_is_settled : NULL,
                                                .placed = hart->mxu ? wake_matrix : NULL,
                                                .worked = shared ? engine_worked : NULL,
                                                .context = hart,
                                                .memory = shared ? shared->memory : NULL,
                                                .port = shared ? shared->engines_port : 0};
    hart->engines = sam_engines_new(o->engines ? o->engines : &config, &watch,
                                    hart->mxu || shared ? &outside : NULL);
    hart->options.engines = NULL; /* owned by the caller */
    return hart->engines ? SAM_OK : sam_fail_memory(error);
}

/* ----------------------------------------------------------------------- each instruction */

/* Memory contents for the bus trace. */
static void read_beat(void *context, uint64_t address, uint8_t bytes[16])
{
    struct sam_hart *hart = context;
    struct sam_error error;
    if (sam_hart_read(hart, address, bytes, 16, &error) == SAM_OK)
        return;
    for (unsigned i = 0; i < 16; i++) /* at the edge of a region */
        (void)sam_hart_read(hart, address + i, bytes + i, 1, &error);
}

/* The instruction at the unit's port, for a waveform. */
static void offer(struct sam_hart *hart, const struct sam_hart_record *r)
{
    const uint32_t word = r->step.word, uop = word >> 25 & 7;
    const unsigned rs1 = uop == 1 || uop == 3 ? 8 + (word >> 15 & 7) : word >> 15 & 31;
    const struct sam_mxu_dsa dsa = {word, r->x[rs1], r->x[word >> 20 & 31],
                                    sam_hart_x(hart, word >> 7 & 31)};
    sam_mxu_offer(hart->mxu, &dsa);
}

/* The CSRs that the instruction depended on are unchanged, except for xmrstart, whose old value is
 * in the record. Returns false if the unit had no work. */
static bool time_matrix(struct sam_hart *hart, const struct sam_hart_record *r, bool trapped)
{
    struct sam_engines *e = hart->engines;
    struct sam_matrix_work work;
    if (!sam_matrix_work_done(&hart->core, &r->insn, r->first_row, trapped, &work))
        return false;
    sam_engines_open_matrix(e);
    if (hart->options.vcd.write)
        offer(hart, r);
    if (work.kind != SAM_M_KIND_CONFIG && !sam_mxu_has_room(hart->mxu)) {
        sam_mxu_set_waiting(hart->mxu, true);
        while (!sam_mxu_has_room(hart->mxu))
            sam_engines_pause(e, SAM_ISSUE_SLOTS, r->step.pc);
        sam_mxu_set_waiting(hart->mxu, false);
    }
    const struct sam_mxu_values values = {hart->matrix->m[work.md], hart, read_beat};
    sam_mxu_matrix(hart->mxu, &work, sam_engines_order(e), r->step.pc, r->step.word, &values);
    sam_engines_matrix(e, r->step.pc, !trapped);
    return true;
}

bool sam_hart_has_flights(const struct sam_hart *hart)
{
    return sam_engines_has_memory(hart->engines) || (hart->mxu && sam_mxu_has_moves(hart->mxu));
}

/* An access to a control register. Returns false on out-of-memory. */
static bool time_control(struct sam_hart *hart, uint64_t pc, uint64_t address, bool store)
{
    const struct sam_hart_shared_time *shared = hart->home.time;
    struct sam_engines *e = hart->engines;
    struct sam_work_span bytes;
    bool stores;
    for (size_t i = 0; sam_hart_has_flights(hart) &&
                       shared->uses(shared->context, address, store, i, &bytes, &stores);
         i++)
        sam_engines_reach(e, pc, stores, bytes);
    uint64_t now = sam_engines_open(e), ready;
    while ((ready = shared->ready(shared->context, now, address, store)) > now)
        now = ready == SAM_CLOCK_IDLE ? sam_engines_pause(e, SAM_ISSUE_CONTROL, pc)
                                      : sam_engines_wait(e, SAM_ISSUE_CONTROL, ready, pc);
    const bool good = shared->accessed(shared->context, now, address, store);
    sam_engines_scalar(e, pc);
    return good;
}

/* Returns false on out-of-memory. */
static bool time_scalar(struct sam_hart *hart, const struct sam_hart_record *r)
{
    const struct sam_does *does = &sam_insn_rows[r->insn.op].does;
    const bool store = does->act == SAM_ACT_STORE || does->act == SAM_ACT_ATOMIC;
    const uint64_t pc = r->step.pc;
    /* aligned, so it does not wrap */
    const struct sam_step_access *a = &r->step.access[0];
    if (does->bytes && hart->home.time && sam_hart_is_port(hart, a->address))
        return time_control(hart, pc, a->address, store);
    if (does->bytes && sam_hart_has_flights(hart))
        sam_engines_access(hart->engines, pc, store,
                           (struct sam_work_span){a->address, a->address + a->size - 1});
    else
        sam_engines_scalar(hart->engines, pc);
    return true;
}

void sam_hart_time_scalars(struct sam_hart *hart, uint64_t count)
{
    if (hart->mxu)
        sam_mxu_scalars(hart->mxu, count);
    if (hart->engines)
        sam_engines_scalars(hart->engines, count);
}

void sam_hart_time_access(struct sam_hart *hart, bool store, uint64_t address, unsigned bytes)
{
    if (hart->mxu)
        sam_mxu_scalars(hart->mxu, 1);
    sam_engines_access(hart->engines, 0, store,
                       (struct sam_work_span){address, address + bytes - 1});
}

enum sam_status sam_hart_time(struct sam_hart *hart, struct sam_hart_record *r)
{
    const bool trapped = r->step.kind == SAM_STEP_TRAPPED;
    if (hart->mxu && (r->has_matrix || trapped) && time_matrix(hart, r, trapped))
        return sam_engines_good(hart->engines) ? SAM_OK : SAM_ERR_IO;
    if (trapped)
        return SAM_OK;
    if (hart->mxu)
        sam_mxu_scalars(hart->mxu, 1);
    if (r->has_tensor) {
        r->tensor.pc = r->step.pc;
        if (!sam_engines_tensor(hart->engines, &r->tensor))
            return SAM_ERR_MEMORY;
    } else if (!time_scalar(hart, r)) {
        return SAM_ERR_MEMORY;
    }
    return sam_engines_good(hart->engines) ? SAM_OK : SAM_ERR_IO;
}

/* ------------------------------------------------------------------------------ the figures */

static bool matrix_is_busy(void *context)
{
    const struct sam_hart *hart = context;
    return hart->mxu && sam_mxu_is_busy(hart->mxu);
}

/* The run includes everything in flight. */
static void settle(const struct sam_hart *hart)
{
    if (hart->engines)
        sam_engines_settle(hart->engines, matrix_is_busy, (void *)(uintptr_t)hart);
}

bool sam_hart_engines(const struct sam_hart *hart, struct sam_engines_report *report)
{
    if (!hart->has_engines)
        return false;
    settle(hart);
    sam_engines_report(hart->engines, report);
    return true;
}

static void count_matrix(const struct sam_hart *hart, uint64_t *count)
{
    const struct sam_mxu_stats *s = sam_mxu_stats(hart->mxu);
    for (unsigned i = 0; i < SAM_MXU_MACS; i++)
        count[SAM_ENERGY_mac_i8 + i] = s->macs_of[i];
    count[SAM_ENERGY_mx_byte] = sam_mxu_register_bytes(hart->mxu);
    count[SAM_ENERGY_l2_byte] = s->bytes_loaded + s->bytes_stored;
    count[SAM_ENERGY_dram_byte] = s->l2_misses * SAM_MEMTIME_LINE;
}

bool sam_hart_energy(const struct sam_hart *hart, struct sam_energy *energy)
{
    struct sam_engines_report report;
    *energy = (struct sam_energy){.config = hart->energy};
    uint64_t *count = energy->count;
    if (!sam_hart_engines(hart, &report))
        return false;
    count[SAM_ENERGY_hart_insn] = report.instructions;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        count[SAM_ENERGY_tl_byte] += report.engine[i].bytes;
    count[SAM_ENERGY_l1m_byte] = report.engine[SAM_ENGINE_LOAD].bytes;
    count[SAM_ENERGY_l0m_byte] = report.engine[SAM_ENGINE_STORE].bytes;
    if (hart->mxu)
        count_matrix(hart, count);
    return true;
}

const struct sam_mxu_stats *sam_hart_cycles(struct sam_hart *hart)
{
    settle(hart);
    return hart->mxu ? sam_mxu_stats(hart->mxu) : NULL;
}

enum sam_status sam_hart_end_timeline(struct sam_hart *hart, struct sam_error *error)
{
    if (SAM_LACKS(error, hart))
        return SAM_ERR_USAGE;
    settle(hart);
    bool good = !hart->has_engines || sam_engines_finish(hart->engines);
    sam_mxu_watch_close(hart->watch);
    if (hart->timeline)
        good &= sam_hart_timeline_end(hart->timeline);
    sam_hart_timeline_free(hart->timeline);
    hart->timeline = NULL;
    return good ? SAM_OK : sam_fail(error, SAM_ERR_IO, "cannot write the timeline");
}

enum sam_status sam_hart_end_traces(struct sam_hart *hart, struct sam_error *error)
{
    if (SAM_LACKS(error, hart))
        return SAM_ERR_USAGE;
    settle(hart);
    struct sam_mxu_watch *watch = hart->watch;
    hart->watch = NULL;
    if (hart->mxu)
        sam_mxu_unwatch(hart->mxu);
    return sam_mxu_watch_end(watch) ? SAM_OK : sam_fail(error, SAM_ERR_IO, "cannot write a trace");
}
