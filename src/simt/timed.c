/* SPDX-License-Identifier: Apache-2.0 */
/* A launch with cycles: the model of gputime/ replays what the worker runs. */
#include "simt/timed.h"

#include "profile/profile.h"

#define STREAM_LIMIT (96u << 20) /* bytes of recordings in memory; the rest is in a file */

static struct sam_gputime_config config_of(const struct sam_gpu_timing *timing)
{
    struct sam_gputime_config config;
    if (timing->config)
        config = *timing->config;
    else
        sam_gputime_config_init(&config);
    return config;
}

/* Unless the caller gives resources, use those of the kernel. */
static void find_registers(const struct sam_run *run, struct sam_gputime_launch *facts)
{
    const struct sam_image *image = run->launch->image;
    const struct sam_symbol *kernel = sam_gpu_find_kernel(run->gpu, run->launch);
    if (!image)
        return;
    const struct sam_kernel_resource needed =
        sam_image_resource(image, kernel ? kernel->value : UINT64_MAX);
    facts->sgprs = facts->sgprs ? facts->sgprs : needed.sgprs;
    facts->vgprs = facts->vgprs ? facts->vgprs : needed.vgprs;
}

/* Local memory of a workgroup: what the launch declares or, if it is the whole window, the scalar
 * stacks; and options.lds_ranges. */
static uint32_t lds_of(const struct sam_run *run)
{
    const struct sam_launch *launch = run->launch;
    const struct sam_gpu_options *options = &run->gpu->options;
    uint64_t size = launch->lds_size && launch->lds_size < SAM_LDS_SIZE
                        ? launch->lds_size
                        : launch->warps * SAM_WARP_STACK;
    for (size_t i = 0; i < options->lds_range_count; i++)
        size += options->lds_ranges[i].size;
    return size < SAM_LDS_SIZE ? (uint32_t)size : SAM_LDS_SIZE;
}

struct sam_gputime_launch sam_run_facts(const struct sam_run *run)
{
    const struct sam_launch *launch = run->launch;
    const struct sam_gpu_timing *timing = run->gpu->options.timing;
    struct sam_gputime_launch facts = {.workgroups = (uint32_t)run->workgroups,
                                       .warps = launch->warps,
                                       .lanes = launch->lanes,
                                       .lds_bytes = lds_of(run),
                                       .sgprs = timing ? timing->sgprs : 0,
                                       .vgprs = timing ? timing->vgprs : 0,
                                       .start_pc = launch->start};
    find_registers(run, &facts);
    return facts;
}

enum sam_status sam_run_check_timing(const struct sam_run *run, struct sam_error *error)
{
    const struct sam_gpu_timing *timing = run->gpu->options.timing;
    if (!timing)
        return SAM_OK;
    if (timing->size < sizeof *timing)
        return sam_fail(error, SAM_ERR_USAGE, "timing of %zu bytes: expected at least %zu",
                        timing->size, sizeof *timing);
    const struct sam_gputime_config config = config_of(timing);
    const struct sam_gputime_launch facts = sam_run_facts(run);
    const enum sam_status status = sam_gputime_config_check(&config, error);
    return status == SAM_OK ? sam_gputime_check(&config, &facts, error) : status;
}

struct timed {
    struct sam_replay *replay;
    struct sam_run_trace *trace; /* NULL: none */
};

static bool starts(void *context, uint32_t workgroup)
{
    struct timed *t = context;
    return sam_replay_starts(t->replay, workgroup);
}

static bool next(void *context, uint32_t workgroup, uint32_t warp, struct sam_gputime_op *op)
{
    struct timed *t = context;
    if (t->trace && sam_run_trace_failed(t->trace))
        return false;
    return sam_replay_next(t->replay, workgroup, warp, op);
}

static void ended(void *context, uint32_t workgroup)
{
    struct timed *t = context;
    sam_replay_drop(t->replay, workgroup);
}

void sam_replay_name_rows(const struct sam_replay *replay, struct sam_gputime_result *result)
{
    for (size_t i = 0; i < result->row_count; i++) {
        struct sam_gputime_row *row = &result->rows[i];
        const struct replay_site *site = sam_replay_at(replay, (uint32_t)row->pc);
        row->word = site ? site->insn.word : 0;
        row->prefix = site ? site->prefix : 0;
    }
}

bool sam_run_timed(struct sam_run *run)
{
    struct sam_gpu_timing *timing = run->gpu->options.timing;
    const struct sam_gputime_config config = config_of(timing);
    const struct sam_gputime_launch facts = sam_run_facts(run);
    struct timed t = {.replay = sam_replay_new(run, STREAM_LIMIT)};
    struct sam_error error;
    bool good = t.replay != NULL;
    sam_gputime_result_free(&timing->result);
    if (good && (timing->perfetto.write || timing->konata.write))
        good = (t.trace = sam_run_trace_new(run, &config)) != NULL;
    if (good) {
        const struct sam_gputime_source source = {
            .context = &t, .starts = starts, .next = next, .ended = ended};
        struct sam_gputime_observer observer = {0};
        if (t.trace)
            observer = sam_run_trace_observer(t.trace);
        const enum sam_status status = sam_gputime_run(
            &config, &facts, &source, t.trace ? &observer : NULL, &timing->result, &error);
        if (status != SAM_OK)
            sam_run_fail_host(run, status, error.text);
        else
            sam_replay_name_rows(t.replay, &timing->result);
        sam_replay_finish(t.replay);
    }
    if (t.trace && !sam_run_trace_close(t.trace))
        sam_run_fail_host(run, SAM_ERR_IO, "cannot write the timeline");
    sam_replay_free(t.replay);
    return good;
}

bool sam_run_add_cycles(const struct sam_run *run, struct sam_profile *profile)
{
    const struct sam_gputime_result *result = &run->gpu->options.timing->result;
    bool good = true;
    for (size_t i = 0; good && i < result->row_count; i++) {
        const struct sam_gputime_row *row = &result->rows[i];
        if (row->word)
            good = sam_profile_add_cycles(profile, row->pc, row->word, row->prefix, row->reasons);
    }
    return good;
}
