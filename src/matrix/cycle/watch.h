/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of the cycle model, each written to its sink, if it has one. */
#ifndef SAM_MXU_WATCH_H
#define SAM_MXU_WATCH_H

#include "matrix/cycle/cycle.h"
#include "samite/sink.h"
#include "trace/perfetto.h"

struct sam_mxu_watch_options {
    struct sam_sink konata, vcd, bus;
    struct sam_perfetto *perfetto; /* owned by the caller, or NULL */
    struct sam_isa isa;            /* for disassembly */
    unsigned tree_stages;          /* of the model */
    unsigned elewidth;
};

struct sam_mxu_watch;
/* Fills the observer for sam_mxu_new. NULL: out of memory. */
struct sam_mxu_watch *sam_mxu_watch_new(const struct sam_mxu_watch_options *options,
                                        struct sam_mxu_observer *observer);
/* Stop writing to the Perfetto timeline. `watch` may be NULL. */
void sam_mxu_watch_close(struct sam_mxu_watch *watch);
/* After the last cycle: write the rest and free the watch. Returns false if a sink failed, or on
 * out-of-memory. */
bool sam_mxu_watch_end(struct sam_mxu_watch *watch);

#endif
