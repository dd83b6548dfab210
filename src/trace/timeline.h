/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines: Kanata logs (Konata) and VCD waveforms. All text goes to sinks; a failure of one is
 * remembered and returned at the end. */
#ifndef SAM_TRACE_TIMELINE_H
#define SAM_TRACE_TIMELINE_H

#include "base/base.h"
#include "samite/sink.h"

/* --- Kanata 0004: rows in any order, written sorted by cycle at the end. */
struct sam_konata {
    struct sam_buffer text; /* lines of events, back to back */
    struct sam_konata_event {
        uint64_t cycle;
        size_t at; /* in text */
        unsigned size;
    } * events;
    size_t count, capacity;
    uint64_t rows;
    bool failed;
};

struct sam_konata_stage {
    unsigned lane;
    const char *name;
    uint64_t from, to; /* cycles; an empty stage is omitted */
};

/* A row: `label` on its left, `detail` as its tooltip. */
void sam_konata_row(struct sam_konata *konata, const char *label, const char *detail,
                    const struct sam_konata_stage *stages, unsigned count);
bool sam_konata_write(struct sam_konata *konata, const struct sam_sink *sink);
void sam_konata_free(struct sam_konata *konata);

/* --- VCD, IEEE 1364-2005 18: signals of up to 128 bits, written when they change. */
struct sam_vcd_signal {
    const char *name;
    unsigned width;
};
struct sam_vcd_value {
    uint64_t low, high;
};
struct sam_vcd {
    struct sam_sink sink;
    const struct sam_vcd_signal *signals;
    unsigned count;
    struct sam_vcd_value *last; /* count of them */
    struct sam_buffer line;
    bool begun, failed;
};
/* Adds a clock of two time units per cycle. */
bool sam_vcd_init(struct sam_vcd *vcd, const struct sam_sink *sink, const char *module,
                  const struct sam_vcd_signal *signals, unsigned count);
void sam_vcd_cycle(struct sam_vcd *vcd, uint64_t cycle, const struct sam_vcd_value *values);
/* Write the time after the last cycle and free what the VCD holds. */
bool sam_vcd_end(struct sam_vcd *vcd, uint64_t cycles);

#endif
