/* SPDX-License-Identifier: Apache-2.0 */
/* A launch that runs at once; a time model of the whole system reads its instructions later. */
#include <stdlib.h>

#include "simt/timed.h"

struct sam_gpu_recording {
    struct sam_launch launch;
    struct sam_gputime_launch facts;
    struct sam_run run; /* open, without workers */
    struct sam_replay *replay;
    struct sam_footprint_span *footprint;
    size_t footprint_count;
};

static enum sam_status run_all(struct sam_gpu_recording *r, size_t limit,
                               struct sam_gpu_result *result, struct sam_error *error)
{
    bool ok = sam_run_prepare(&r->run) && (r->replay = sam_replay_new(&r->run, limit)) != NULL;
    if (ok) {
        struct sam_footprint footprint = {0};
        r->replay->footprint = &footprint;
        sam_replay_keep(r->replay);
        r->replay->footprint = NULL;
        r->footprint = sam_footprint_spans(&footprint, &r->footprint_count);
        sam_footprint_free(&footprint);
        ok = r->footprint && sam_run_collect(&r->run, result);
    }
    ok = sam_sanitizing_end(&r->run) && ok;
    const enum sam_status status = ok ? sam_run_outcome(&r->run, error) : sam_fail_memory(error);
    sam_workers_leave(&r->run);
    r->run.workers = NULL;
    r->run.worker_count = 0;
    return status;
}

enum sam_status sam_gpu_record(struct sam_gpu *gpu, const struct sam_launch *launch,
                               const struct sam_gputime_config *config, size_t limit,
                               struct sam_gpu_recording **recording, struct sam_gpu_result *result,
                               struct sam_error *error)
{
    *recording = NULL;
    if (result)
        *result = (struct sam_gpu_result){0};
    struct sam_gpu_recording *r = sam_alloc(1, sizeof *r);
    if (!r)
        return sam_fail_memory(error);
    r->launch = *launch;
    enum sam_status status = sam_run_open(&r->run, gpu, &r->launch, error);
    if (status != SAM_OK) {
        free(r);
        return status;
    }
    r->run.recorded = r->run.ordered = true;
    r->facts = sam_run_facts(&r->run);
    status = sam_gputime_check(config, &r->facts, error);
    if (status == SAM_OK)
        status = run_all(r, limit, result, error);
    if (status == SAM_OK || status == SAM_ERR_TRAP)
        *recording = r;
    else
        sam_gpu_recording_free(r);
    return status;
}

void sam_gpu_recording_free(struct sam_gpu_recording *r)
{
    if (!r)
        return;
    free(r->footprint);
    sam_replay_free(r->replay);
    sam_run_close(&r->run);
    free(r);
}

const struct sam_gputime_launch *sam_gpu_recording_facts(const struct sam_gpu_recording *r)
{
    return &r->facts;
}

const struct sam_footprint_span *sam_gpu_recording_footprint(const struct sam_gpu_recording *r,
                                                             size_t *count)
{
    *count = r->footprint_count;
    return r->footprint;
}

static bool starts(void *context, uint32_t workgroup)
{
    return sam_replay_starts(context, workgroup);
}

static bool next(void *context, uint32_t workgroup, uint32_t warp, struct sam_gputime_op *op)
{
    return sam_replay_next(context, workgroup, warp, op);
}

static void ended(void *context, uint32_t workgroup)
{
    sam_replay_drop(context, workgroup);
}

struct sam_gputime_source sam_gpu_recording_source(struct sam_gpu_recording *r)
{
    return (struct sam_gputime_source){
        .context = r->replay, .starts = starts, .next = next, .ended = ended};
}

void sam_gpu_recording_name_rows(const struct sam_gpu_recording *r,
                                 struct sam_gputime_result *result)
{
    sam_replay_name_rows(r->replay, result);
}

enum sam_status sam_gpu_recording_check(const struct sam_gpu_recording *r, struct sam_error *error)
{
    const struct sam_spool_store *store = &r->replay->store;
    if (store->status != SAM_OK)
        return sam_fail(error, store->status, "%s", store->error.text);
    return r->run.host_status == SAM_OK
               ? SAM_OK
               : sam_fail(error, r->run.host_status, "%s", r->run.host_error.text);
}
