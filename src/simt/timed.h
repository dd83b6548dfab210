/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of a timed launch. */
#ifndef SAM_SIMT_TIMED_H
#define SAM_SIMT_TIMED_H

#include "simt/source.h"

/* timed.c */

/* Whether the launch fits the machine that options.timing describes; SAM_OK without timing. */
enum sam_status sam_run_check_timing(const struct sam_run *run, struct sam_error *error);
/* Run the launch with its one worker, which is ready, and fill options.timing->result. False: out
 * of memory; a failure of another kind is recorded in the run. */
bool sam_run_timed(struct sam_run *run);

/* Add the cycles of the launch that was timed to its profile. False: out of memory. */
bool sam_run_add_cycles(const struct sam_run *run, struct sam_profile *profile);

/* timed_trace.c: the timelines of options.timing. */

struct sam_run_trace;
/* NULL: out of memory. */
struct sam_run_trace *sam_run_trace_new(const struct sam_run *run,
                                        const struct sam_gputime_config *config);
struct sam_gputime_observer sam_run_trace_observer(struct sam_run_trace *trace);
/* Whether a sink has refused. */
bool sam_run_trace_failed(const struct sam_run_trace *trace);
/* Finish the texts and free everything; false: a sink has refused, or out of memory. */
bool sam_run_trace_close(struct sam_run_trace *trace);

#endif
