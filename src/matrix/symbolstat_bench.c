/* SPDX-License-Identifier: Apache-2.0 */
/* A driver for SymbolStat that offers symbols and takes counts, with optional stalls. */
#include "samite/symbolstat.h"
#include "trace/timeline.h"

enum { SYMBOL = 4, FREQ = 7 }; /* as wide as the parameters say */

static const struct sam_vcd_signal signals[] = {
    {"start", 1},        {"flush", 1},          {"data_in_valid", 1},  {"data_in_ready", 1},
    {"data_in_bits", 1}, {"freq_out_valid", 1}, {"freq_out_ready", 1}, {"freq_out_bits", 1},
    {"done", 1},         {"busy", 1},           {"overflow", 1},       {"bad_symbol", 1},
    {"state", 3},
};

struct driver {
    const struct sam_symbolstat_task *task;
    uint64_t random;
    size_t sent, taken;
    uint64_t cycles; /* the last one */
};

/* xorshift64*; true: this side stalls in this cycle. */
static bool rests(struct driver *d)
{
    if (d->task->stall == 0)
        return false;
    d->random ^= d->random >> 12;
    d->random ^= d->random << 25;
    d->random ^= d->random >> 27;
    return ((d->random * UINT64_C(0x2545f4914f6cdd1d)) >> 32) % 100 < d->task->stall;
}

static struct sam_symbolstat_in drive(struct driver *d)
{
    struct sam_symbolstat_in in = {.start = d->sent < d->task->count, .freq_ready = !rests(d)};
    in.data_valid = in.start && !rests(d);
    in.symbol = in.data_valid ? d->task->symbols[d->sent] : 0;
    return in;
}

static void show(struct sam_vcd *vcd, uint64_t cycle, const struct sam_symbolstat *unit,
                 enum sam_symbolstat_state state, const struct sam_symbolstat_in *in,
                 const struct sam_symbolstat_out *out)
{
    const struct sam_vcd_value values[] = {
        {in->start, 0},  {in->flush, 0},       {in->data_valid, 0}, {out->data_ready, 0},
        {in->symbol, 0}, {out->freq_valid, 0}, {in->freq_ready, 0}, {out->freq, 0},
        {out->done, 0},  {out->busy, 0},       {unit->overflow, 0}, {unit->bad_symbol, 0},
        {state, 0},
    };
    sam_vcd_cycle(vcd, cycle, values);
}

static void run_task(struct sam_symbolstat *unit, struct driver *d, struct sam_vcd *vcd,
                     uint64_t *freq, struct sam_symbolstat_result *result)
{
    struct sam_symbolstat_in in = {0}; /* start rises in IDLE, even without a symbol */
    struct sam_symbolstat_out out = {0};
    for (uint64_t cycle = 0; !out.done; cycle++) {
        const enum sam_symbolstat_state state = unit->state;
        if (cycle == 0 || in.flush)
            in = (struct sam_symbolstat_in){.start = true};
        else
            in = drive(d);
        if (cycle && cycle == d->task->flush_at) {
            in = (struct sam_symbolstat_in){.flush = true};
            d->sent = d->taken = 0;
        }
        out = sam_symbolstat_clock(unit, in);
        if (vcd)
            show(vcd, cycle, unit, state, &in, &out);
        d->sent += in.data_valid && out.data_ready;
        if (out.freq_valid && in.freq_ready)
            freq[d->taken++] = out.freq;
        d->cycles = cycle;
        result->states[state]++;
        result->cycles += state != SAM_SYMBOLSTAT_IDLE;
    }
}

enum sam_status sam_symbolstat_run(struct sam_symbolstat *unit,
                                   const struct sam_symbolstat_task *task, uint64_t *freq,
                                   struct sam_symbolstat_result *result, struct sam_error *error)
{
    if (SAM_LACKS(error, unit, task, freq, result))
        return SAM_ERR_USAGE;
    if (task->count && !task->symbols)
        return sam_fail_null(error, "task->symbols");
    struct sam_vcd vcd;
    struct driver driver = {.task = task, .random = task->seed * 2 + 1};
    *result = (struct sam_symbolstat_result){0};
    if (unit->state != SAM_SYMBOLSTAT_IDLE)
        return sam_fail(error, SAM_ERR_USAGE, "the unit is in state %u: expected IDLE",
                        (unsigned)unit->state);
    if (task->stall > 90)
        return sam_fail(error, SAM_ERR_USAGE, "stall %u: expected 0 to 90", task->stall);
    const bool shown = task->vcd.write != NULL;
    struct sam_vcd_signal wires[SAM_COUNT(signals)];
    memcpy(wires, signals, sizeof wires);
    wires[SYMBOL].width = unit->symbol_width;
    wires[FREQ].width = unit->weight_width;
    if (shown && !sam_vcd_init(&vcd, &task->vcd, "symbolstat", wires, SAM_COUNT(wires)))
        return sam_fail_memory(error);
    run_task(unit, &driver, shown ? &vcd : NULL, freq, result);
    if (shown && !sam_vcd_end(&vcd, driver.cycles + 1))
        return sam_fail(error, SAM_ERR_IO, "cannot write the waveform");
    if (task->flush_at > driver.cycles)
        return sam_fail(error, SAM_ERR_USAGE, "flush in cycle %llu: done was in cycle %llu",
                        (unsigned long long)task->flush_at, (unsigned long long)driver.cycles);
    return SAM_OK;
}
