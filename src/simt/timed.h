/* SPDX-License-Identifier: Apache-2.0 */
/* Launches with a time model. */
#ifndef SAM_SIMT_TIMED_H
#define SAM_SIMT_TIMED_H

#include "simt/replay.h"

/* timed.c */

/* Returns SAM_ERR_USAGE if the launch does not fit the GPU of options.timing; SAM_OK without
 * timing. */
enum sam_status sam_run_check_timing(const struct sam_run *run, struct sam_error *error);
/* Run the launch on its only worker and fill options.timing->result. Returns false on
 * out-of-memory; other failures are recorded in the run. */
bool sam_run_timed(struct sam_run *run);

/* The launch as the model sees it. */
struct sam_gputime_launch sam_run_facts(const struct sam_run *run);
/* Fill in the instructions of the result's rows. */
void sam_replay_name_rows(const struct sam_replay *replay, struct sam_gputime_result *result);

/* Add the cycles of the timed launch to its profile. Returns false on out-of-memory. */
bool sam_run_add_cycles(const struct sam_run *run, struct sam_profile *profile);

/* recording.c: a launch whose effects come first and whose cycles later. */

struct sam_gpu_recording;
/* Run a launch on one worker like sam_gpu_launch, and record it for the model; recordings beyond
 * about `limit` bytes are kept in a temporary file. A launch that does not fit `config` is
 * SAM_ERR_USAGE before anything runs. `gpu` has no timing in its options and must outlive the
 * recording. Other errors are those of sam_gpu_launch. After SAM_ERR_TRAP the recording ends at the
 * trap; after any other error *recording is NULL. */
enum sam_status sam_gpu_record(struct sam_gpu *gpu, const struct sam_launch *launch,
                               const struct sam_gputime_config *config, size_t limit,
                               struct sam_gpu_recording **recording, struct sam_gpu_result *result,
                               struct sam_error *error);
void sam_gpu_recording_free(struct sam_gpu_recording *recording);
const struct sam_gputime_launch *sam_gpu_recording_facts(const struct sam_gpu_recording *recording);
/* The lines that the launch reads and writes, without local memory. */
const struct sam_footprint_span *
sam_gpu_recording_footprint(const struct sam_gpu_recording *recording, size_t *count);
/* The instructions, to be read once; what has been read is freed. */
struct sam_gputime_source sam_gpu_recording_source(struct sam_gpu_recording *recording);
void sam_gpu_recording_name_rows(const struct sam_gpu_recording *recording,
                                 struct sam_gputime_result *result);
/* SAM_ERR_MEMORY or SAM_ERR_IO if reading has failed and the instructions ended early. */
enum sam_status sam_gpu_recording_check(const struct sam_gpu_recording *recording,
                                        struct sam_error *error);

/* timed_trace.c: the timelines of options.timing. */

struct sam_run_trace;
/* Returns NULL on out-of-memory. */
struct sam_run_trace *sam_run_trace_new(const struct sam_run *run,
                                        const struct sam_gputime_config *config);
struct sam_gputime_observer sam_run_trace_observer(struct sam_run_trace *trace);
/* Whether a sink has failed. */
bool sam_run_trace_failed(const struct sam_run_trace *trace);
/* Complete the files and free the trace. Returns false if a sink has failed, or on
 * out-of-memory. */
bool sam_run_trace_close(struct sam_run_trace *trace);

#endif
