/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of a timed launch. Perfetto: a track per warp slot, with issued instructions and
 * stalls, and tracks per unit. Konata: a row per instruction with its stages. */
#include <stdio.h>
#include <stdlib.h>

#include "simt/timed.h"
#include "trace/perfetto.h"
#include "trace/timeline.h"

/* Instructions overlap in a pipelined unit, which has a lane for each. */
enum { SM_TRACKS = SAM_PERFETTO_TRACKS / 64, UNIT_LANES = (SM_TRACKS - 64) / SAM_GPUTIME_UNITS };

struct sam_run_trace {
    const struct sam_run *run;
    struct sam_isa isa;
    struct sam_perfetto json;
    struct sam_konata konata;
    struct sam_perfetto_lanes *units; /* [sm * SAM_GPUTIME_UNITS + unit] */
    size_t unit_count;
    bool has_json, has_konata, failed;
};

struct sam_run_trace *sam_run_trace_new(const struct sam_run *run,
                                        const struct sam_gputime_config *config)
{
    const struct sam_gpu_timing *timing = run->gpu->options.timing;
    struct sam_run_trace *t = sam_alloc(1, sizeof *t);
    if (!t || !(t->units = sam_alloc(config->sms, SAM_GPUTIME_UNITS * sizeof *t->units))) {
        free(t);
        return NULL;
    }
    t->unit_count = config->sms * (size_t)SAM_GPUTIME_UNITS;
    t->run = run;
    t->isa = run->gpu->machine.isa;
    t->has_konata = timing->konata.write != NULL;
    t->has_json = timing->perfetto.write != NULL;
    if (!t->has_json)
        return t;
    sam_perfetto_begin(&t->json, &timing->perfetto);
    sam_perfetto_process(&t->json, 0, "GPU");
    for (uint32_t sm = 0; sm < config->sms; sm++) {
        for (uint32_t slot = 0; slot < config->warps; slot++) {
            char name[48];
            snprintf(name, sizeof name, "SM %u warp slot %u", sm, slot);
            sam_perfetto_track(&t->json, sm * SM_TRACKS + slot + 1, name);
        }
    }
    t->failed = !t->json.good;
    return t;
}

bool sam_run_trace_failed(const struct sam_run_trace *t)
{
    return t->failed;
}

/* The model passes on the replay's instruction, which is the first member of its site: find the
 * prefix. */
static void disassemble(const struct sam_run_trace *t, const struct sam_insn *insn, uint32_t pc,
                        char *text, size_t size)
{
    const struct replay_site *site = (const struct replay_site *)(const void *)insn;
    sam_disassemble(&t->isa, insn->word, pc, site->prefix, t->run->launch->image, text, size);
}

static unsigned unit_track(struct sam_run_trace *t, uint32_t sm, unsigned unit, uint64_t from,
                           uint64_t to)
{
    char name[48];
    snprintf(name, sizeof name, "SM %u %s", sm, sam_gputime_unit_name(unit));
    return sam_perfetto_lane(&t->json, &t->units[sm * SAM_GPUTIME_UNITS + unit],
                             sm * SM_TRACKS + 64 + unit * UNIT_LANES, UNIT_LANES, name, from, to);
}

static void write_slices(struct sam_run_trace *t, const struct sam_gputime_record *r,
                         const char *text)
{
    char where[48], pc[24];
    snprintf(pc, sizeof pc, "0x%08x", r->pc);
    snprintf(where, sizeof where, "workgroup %u warp %u", r->workgroup, r->warp);
    const struct sam_perfetto_arg args[] = {{"pc", pc, 0},
                                            {"of", where, 0},
                                            {"number", NULL, r->number},
                                            {"fetched", NULL, r->fetched},
                                            {"executed", NULL, r->executed},
                                            {"written", NULL, r->written}};
    const uint64_t done = r->done > r->executed ? r->done : r->executed + 1;
    sam_perfetto_slice(&t->json,
                       &(struct sam_perfetto_slice){.track = r->sm * SM_TRACKS + r->slot + 1,
                                                    .name = text,
                                                    .category = "issue",
                                                    .start = r->issued,
                                                    .end = r->issued + 1,
                                                    .args = args,
                                                    .arg_count = SAM_COUNT(args)});
    sam_perfetto_slice(&t->json, &(struct sam_perfetto_slice){
                                     .track = unit_track(t, r->sm, r->unit, r->executed, done),
                                     .name = text,
                                     .category = "execute",
                                     .start = r->executed,
                                     .end = done,
                                     .args = args,
                                     .arg_count = SAM_COUNT(args)});
}

static void write_row(struct sam_run_trace *t, const struct sam_gputime_record *r, const char *text)
{
    const struct sam_konata_stage stages[] = {{0, "F", r->fetched, r->issued},
                                              {0, "O", r->issued, r->executed},
                                              {0, "X", r->executed, r->done},
                                              {0, "W", r->done, r->written + 1}};
    char label[256], detail[160];
    snprintf(label, sizeof label, "%u.%u 0x%08x: %s", r->workgroup, r->warp, r->pc, text);
    snprintf(detail, sizeof detail, "SM %u slot %u, %s, lanes 0x%08x, waited last for: %s", r->sm,
             r->slot, sam_gputime_unit_name(r->unit), r->acting,
             r->waited == SAM_GPUTIME_BUSY ? "nothing" : sam_gputime_reason_name(r->waited));
    sam_konata_row(&t->konata, label, detail, stages, SAM_COUNT(stages));
}

static void see_record(void *context, const struct sam_gputime_record *r)
{
    struct sam_run_trace *t = context;
    char text[160];
    disassemble(t, r->insn, r->pc, text, sizeof text);
    if (t->has_json)
        write_slices(t, r, text);
    if (t->has_konata)
        write_row(t, r, text);
    t->failed = (t->has_json && !t->json.good) || t->konata.failed;
}

static void see_stall(void *context, const struct sam_gputime_stall *s)
{
    struct sam_run_trace *t = context;
    char pc[24];
    snprintf(pc, sizeof pc, "0x%08x", s->pc);
    const struct sam_perfetto_arg args[] = {{"pc", pc, 0},
                                            {"meaning", sam_gputime_reason_meaning(s->reason), 0}};
    sam_perfetto_slice(&t->json,
                       &(struct sam_perfetto_slice){.track = s->sm * SM_TRACKS + s->slot + 1,
                                                    .name = sam_gputime_reason_name(s->reason),
                                                    .category = "wait",
                                                    .start = s->from,
                                                    .end = s->to,
                                                    .args = args,
                                                    .arg_count = SAM_COUNT(args)});
    t->failed = !t->json.good;
}

struct sam_gputime_observer sam_run_trace_observer(struct sam_run_trace *t)
{
    return (struct sam_gputime_observer){
        .context = t, .record = see_record, .stall = t->has_json ? see_stall : NULL};
}

bool sam_run_trace_close(struct sam_run_trace *t)
{
    bool good = !t->failed;
    if (t->has_json)
        good = sam_perfetto_end(&t->json) && good;
    if (t->has_konata && good)
        good = sam_konata_write(&t->konata, &t->run->gpu->options.timing->konata);
    sam_konata_free(&t->konata);
    for (size_t i = 0; i < t->unit_count; i++)
        sam_perfetto_lanes_free(&t->units[i]);
    free(t->units);
    free(t);
    return good;
}
