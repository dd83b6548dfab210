/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline of the engines' cycle model: a track for the hart and one per engine, with
 * instructions and, in a separate category, the waits before them; counters of queue lengths. */
#include <stdio.h>
#include <stdlib.h>

#include "hart/core.h"
#include "trace/perfetto.h"

struct sam_hart_timeline {
    struct sam_perfetto json;
    const struct sam_hart *hart;
    struct sam_engines_watch next;
};

/* The hart's track is first. */
static unsigned track_of(unsigned track)
{
    return track == SAM_ENGINE_COUNT ? 1 : track + 2;
}

static bool write_hart_slice(struct sam_hart_timeline *t, const struct sam_engines_slice *s,
                             const char *pc)
{
    const struct sam_perfetto_arg args[] = {{"pc", pc, 0}};
    return sam_perfetto_slice(
        &t->json,
        &(struct sam_perfetto_slice){.track = track_of(s->track),
                                     .name = sam_issue_cycle_name(s->cycle),
                                     .category = s->cycle <= SAM_ISSUE_MATRIX ? "issue" : "wait",
                                     .start = s->start,
                                     .end = s->end,
                                     .args = args,
                                     .arg_count = SAM_COUNT(args)});
}

static bool write_engine_slice(struct sam_hart_timeline *t, const struct sam_engines_slice *s,
                               const char *pc)
{
    char text[160];
    sam_disassemble(&t->hart->machine.isa, s->word, s->pc, 0, t->hart->image, text, sizeof text);
    const bool busy = s->cycle == SAM_ENGINE_BUSY;
    const struct sam_perfetto_arg ran[] = {
        {"pc", pc, 0}, {"issued", NULL, s->issued}, {"done", NULL, s->done}};
    const struct sam_perfetto_arg waits[] = {{"insn", text, 0}};
    return sam_perfetto_slice(&t->json, &(struct sam_perfetto_slice){
                                            .track = track_of(s->track),
                                            .name = busy ? text : sam_engine_cycle_name(s->cycle),
                                            .category = busy ? "busy" : "wait",
                                            .start = s->start,
                                            .end = s->end,
                                            .args = busy ? ran : waits,
                                            .arg_count = busy ? SAM_COUNT(ran) : SAM_COUNT(waits)});
}

static bool write_slice(void *context, const struct sam_engines_slice *s)
{
    struct sam_hart_timeline *t = context;
    char pc[24];
    snprintf(pc, sizeof pc, "0x%llx", (unsigned long long)s->pc);
    bool good =
        s->track == SAM_ENGINE_COUNT ? write_hart_slice(t, s, pc) : write_engine_slice(t, s, pc);
    return good && (!t->next.slice || t->next.slice(t->next.context, s));
}

static bool write_queue(void *context, unsigned engine, uint64_t cycle, uint32_t waiting)
{
    struct sam_hart_timeline *t = context;
    char name[32];
    snprintf(name, sizeof name, "%s queue", sam_engine_name(engine));
    return sam_perfetto_counter(&t->json, name, "waiting", cycle, waiting) &&
           (!t->next.queue || t->next.queue(t->next.context, engine, cycle, waiting));
}

struct sam_hart_timeline *sam_hart_timeline_new(struct sam_hart *hart,
                                                struct sam_engines_watch *watch)
{
    struct sam_hart_timeline *t = sam_alloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->hart = hart;
    t->next = hart->options.watch;
    *watch = (struct sam_engines_watch){write_slice, write_queue, t};
    /* If the sink fails here, the next event reports it. */
    sam_perfetto_begin(&t->json, &hart->options.timeline);
    sam_perfetto_process(&t->json, 0, "tensor hart");
    sam_perfetto_track(&t->json, track_of(SAM_ENGINE_COUNT), "hart");
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        sam_perfetto_track(&t->json, track_of(i), sam_engine_name(i));
    return t;
}

struct sam_perfetto *sam_hart_timeline_of(struct sam_hart *hart)
{
    return hart->timeline ? &hart->timeline->json : NULL;
}

bool sam_hart_timeline_end(struct sam_hart_timeline *t)
{
    return sam_perfetto_end(&t->json);
}

void sam_hart_timeline_free(struct sam_hart_timeline *t)
{
    if (!t)
        return;
    sam_buffer_free(&t->json.line);
    free(t);
}
