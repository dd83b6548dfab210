/* SPDX-License-Identifier: Apache-2.0 */
#include "samite/symbolstat.h"

#include "codec/codec.h"

enum sam_status sam_symbolstat_init(struct sam_symbolstat *unit, unsigned symbol_width,
                                    unsigned weight_width, uint32_t depth, uint64_t *counts,
                                    struct sam_error *error)
{
    if (SAM_LACKS(error, unit, counts))
        return SAM_ERR_USAGE;
    if (symbol_width < 1 || symbol_width > 16 || weight_width < 1 || weight_width > 64 ||
        depth < 1 || depth > SAM_SYMBOLSTAT_DEPTH)
        return sam_fail(error, SAM_ERR_USAGE,
                        "SymbolStat of %u-bit symbols, %u-bit counters and depth %u: expected 1 to "
                        "16 bits, 1 to 64 bits and 1 to %d",
                        symbol_width, weight_width, depth, SAM_SYMBOLSTAT_DEPTH);
    *unit = (struct sam_symbolstat){symbol_width, weight_width, depth, .counts = counts};
    memset(counts, 0, depth * sizeof *counts);
    return SAM_OK;
}

static void count(struct sam_symbolstat *unit, uint32_t symbol)
{
    uint64_t most = UINT64_MAX >> (64 - unit->weight_width);
    symbol &= (1u << unit->symbol_width) - 1; /* the port has only symbol_width wires */
    if (symbol >= unit->depth)
        unit->bad_symbol = true;
    else if (unit->counts[symbol] == most)
        unit->overflow = true;
    else
        unit->counts[symbol]++;
}

static void enter(struct sam_symbolstat *unit, enum sam_symbolstat_state state)
{
    unit->state = state;
    unit->at = 0;
}

struct sam_symbolstat_out sam_symbolstat_clock(struct sam_symbolstat *unit,
                                               struct sam_symbolstat_in in)
{
    struct sam_symbolstat_out out = {0};
    if (in.flush) {
        memset(unit->counts, 0, unit->depth * sizeof *unit->counts);
        enter(unit, SAM_SYMBOLSTAT_IDLE);
        return out;
    }
    if (unit->state != SAM_SYMBOLSTAT_IDLE)
        unit->cycles++;
    switch (unit->state) {
    case SAM_SYMBOLSTAT_IDLE:
        if (in.start) {
            unit->cycles = 0;
            unit->overflow = unit->bad_symbol = false;
            enter(unit, SAM_SYMBOLSTAT_CLEAR);
        }
        break;
    case SAM_SYMBOLSTAT_CLEAR:
        out.busy = true;
        unit->counts[unit->at++] = 0;
        if (unit->at == unit->depth)
            enter(unit, in.start ? SAM_SYMBOLSTAT_COUNT : SAM_SYMBOLSTAT_DRAIN);
        break;
    case SAM_SYMBOLSTAT_COUNT:
        out.busy = true;
        out.data_ready = in.start;
        if (!in.start)
            enter(unit, SAM_SYMBOLSTAT_DRAIN);
        else if (in.data_valid)
            count(unit, in.symbol);
        break;
    case SAM_SYMBOLSTAT_DRAIN:
        out.busy = true;
        out.freq_valid = true;
        out.freq = unit->counts[unit->at];
        if (in.freq_ready && ++unit->at == unit->depth)
            enter(unit, SAM_SYMBOLSTAT_DONE);
        break;
    case SAM_SYMBOLSTAT_DONE:
        out.done = true;
        enter(unit, SAM_SYMBOLSTAT_IDLE);
        break;
    }
    return out;
}

uint64_t sam_symbolstat_cycles(uint32_t depth, uint64_t symbols)
{
    /* COUNT takes one cycle to leave, as does DONE; without symbols CLEAR skips COUNT. */
    return 2 * (uint64_t)depth + (symbols ? symbols + 1 : 0) + 1;
}
