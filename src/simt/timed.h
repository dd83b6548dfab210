/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of a timed launch. */
#ifndef SAM_SIMT_TIMED_H
#define SAM_SIMT_TIMED_H

#include "simt/replay.h"

/* timed.c */

/* Whether the launch fits the machine that options.timing describes; SAM_OK without timing. */
enum sam_status sam_run_check_timing(const struct sam_run *run, struct sam_error *error);
/* Run the launch with its one worker, which is ready, and fill options.timing->result. False: out
 * of memory; a failure of another kind is recorded in the run. */
bool sam_run_timed(struct sam_run *run);

/* What the model is told of the launch. */
struct sam_gputime_launch sam_run_facts(const struct sam_run *run);
/* Which instructions the rows of its result are of. */
void sam_replay_name_rows(const struct sam_replay *replay, struct sam_gputime_result *result);

/* Add the cycles of the launch that was timed to its profile. False: out of memory. */
bool sam_run_add_cycles(const struct sam_run *run, struct sam_profile *profile);

/* recording.c: a launch that has taken effect and whose cycles are still to come. */

struct sam_gpu_recording;
/* Run a launch as sam_gpu_launch does, with one worker, and keep what it has executed for the
 * model; more than about `limit` bytes of that wait in a temporary file. `config`: of the model; a
 * launch that it cannot run is SAM_ERR_USAGE before anything runs. `gpu` has no timing in its
 * options, and outlives the recording. Other errors: those of sam_gpu_launch. After SAM_ERR_TRAP
 * there is a recording, too: of what ran before the trap; after all others *recording is NULL. */
enum sam_status sam_gpu_record(struct sam_gpu *gpu, const struct sam_launch *launch,
                               const struct sam_gputime_config *config, size_t limit,
                               struct sam_gpu_recording **recording, struct sam_gpu_result *result,
                               struct sam_error *error);
void sam_gpu_recording_free(struct sam_gpu_recording *recording);
const struct sam_gputime_launch *sam_gpu_recording_facts(const struct sam_gpu_recording *recording);
/* What it has read and written, without local memory. */
const struct sam_footprint_span *
sam_gpu_recording_footprint(const struct sam_gpu_recording *recording, size_t *count);
/* Its instructions, to be read once. What has been read is given back. */
struct sam_gputime_source sam_gpu_recording_source(struct sam_gpu_recording *recording);
void sam_gpu_recording_name_rows(const struct sam_gpu_recording *recording,
                                 struct sam_gputime_result *result);
/* SAM_ERR_MEMORY, SAM_ERR_IO: reading has failed, and the instructions ended too early. */
enum sam_status sam_gpu_recording_check(const struct sam_gpu_recording *recording,
                                        struct sam_error *error);

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
