/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines: Kanata logs (Konata) and VCD waveforms, written to sinks. A sink's failure is returned
 * by the final call. */
#ifndef SAM_TRACE_TIMELINE_H
#define SAM_TRACE_TIMELINE_H

#include "base/base.h"
#include "samite/sink.h"

/* --- Kanata 0004: rows in any order, written sorted by cycle at the end. */
struct sam_konata {
    struct sam_buffer text; /* lines of events, concatenated */
    struct sam_konata_event {
        uint64_t cycle;
        size_t at; /* offset in `text` */
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

/* Add a row: `label` is at its left, `detail` in its tooltip. */
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
    struct sam_vcd_value *last; /* `count` of them */
    struct sam_buffer line;
    bool begun, failed;
};
/* Also adds a clock of two time units per cycle. */
bool sam_vcd_init(struct sam_vcd *vcd, const struct sam_sink *sink, const char *module,
                  const struct sam_vcd_signal *signals, unsigned count);
void sam_vcd_cycle(struct sam_vcd *vcd, uint64_t cycle, const struct sam_vcd_value *values);
/* Write the final time and free what the VCD owns. */
bool sam_vcd_end(struct sam_vcd *vcd, uint64_t cycles);

#endif
