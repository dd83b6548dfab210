/* SPDX-License-Identifier: Apache-2.0 */
/* Timeline of the pipes of a program: a process with a track per pipe, a slice per execution of an
 * operation, and arrows for events that were waited for. Overlapping operations of a pipe go to
 * extra tracks, so that the slices of a track never overlap. */
#include <stdio.h>
#include <stdlib.h>

#include "system/pipes.h"

enum { PROCESS = 1, TRACKS = 4096 /* most tracks of a pipe */ };

struct tracing {
    const struct system_pipes *pipes;
    struct sam_perfetto *json;
    const struct system_slice **sorted; /* by start */
    unsigned *tracks;                   /* by slice */
    struct sam_perfetto_lanes lanes[SAM_SYSTEM_PIPES];
};

/* A slice without work starts and ends in the cycle in which the hart reached its operation. */
static uint64_t start_of(const struct system_slice *s)
{
    return sam_system_slice_worked(s) ? s->start : s->opened;
}

static uint64_t end_of(const struct system_slice *s)
{
    return sam_system_slice_worked(s) ? s->end : s->opened;
}

static int by_start(const void *x, const void *y)
{
    const struct system_slice *const *a = x, *const *b = y;
    const uint64_t one = start_of(*a), other = start_of(*b);
    return one != other ? (one > other) - (one < other) : (*a > *b) - (*a < *b);
}

static unsigned lane_of(struct tracing *t, uint32_t pipe, uint64_t start, uint64_t end)
{
    return sam_perfetto_lane(t->json, &t->lanes[pipe],
                             sam_perfetto_track_number(PROCESS, 1 + pipe * TRACKS), TRACKS,
                             t->pipes->about.names[pipe], start, end);
}

/* "tload 12", "tmul 40, tadd 41" */
static void put_name(const struct system_pipes *p, const struct system_slice *s,
                     struct sam_buffer *out)
{
    const uint32_t own[] = {s->operation};
    const uint32_t *of = s->kernel ? s->kernel->operations : own;
    for (uint32_t i = 0; i < (s->kernel ? s->kernel->count : 1); i++)
        sam_buffer_printf(out, "%s%s %u", i ? ", " : "", p->about.operations[of[i]].name,
                          p->about.operations[of[i]].line);
}

static void put_slice(struct tracing *t, const struct system_slice *s)
{
    struct sam_buffer name = {0};
    const struct sam_perfetto_arg args[] = {
        {"line", NULL, t->pipes->about.operations[s->operation].line},
        {s->kernel ? "launch" : "execution", NULL, s->number},
        {"issued", NULL, s->issued == UINT64_MAX ? s->opened : s->issued},
        {"bytes read", NULL, s->read},
        {"bytes written", NULL, s->written},
        {"kernel", s->kernel ? s->kernel->name : "", 0},
    };
    put_name(t->pipes, s, &name);
    sam_perfetto_slice(t->json,
                       &(struct sam_perfetto_slice){
                           .track = t->tracks[s - t->pipes->slices],
                           .name = sam_buffer_text(&name),
                           .category = t->pipes->about.names[sam_system_slice_pipe(t->pipes, s)],
                           .start = start_of(s),
                           .end = end_of(s),
                           .args = args,
                           .arg_count = SAM_COUNT(args) - !s->kernel});
    sam_buffer_free(&name);
}

/* An arrow from the end of the recorded slice to the first slice that waited for it. Work that the
 * hart does not wait for may begin before that end: the arrow then arrives within the slice. Slices
 * that ended by then are skipped. */
static void put_arrow(struct tracing *t, size_t number)
{
    const struct system_pipes *p = t->pipes;
    const struct system_arrow *a = &p->arrows[number];
    const struct system_slice *tail = &p->slices[a->tail];
    const uint64_t end = end_of(tail), leaves = end > start_of(tail) ? end - 1 : end;
    for (size_t i = a->next; i < p->slice_count; i++) {
        const struct system_slice *head = &p->slices[i];
        const uint64_t start = start_of(head), arrives = start > end ? start : end;
        if (end_of(head) <= end && start < end)
            continue;
        sam_perfetto_flow(t->json, "event", number, t->tracks[a->tail], leaves, false);
        sam_perfetto_flow(t->json, "event", number, t->tracks[i], arrives, true);
        return;
    }
}

static bool sort(struct tracing *t)
{
    const struct system_pipes *p = t->pipes;
    t->sorted = sam_alloc(p->slice_count + 1, sizeof(void *));
    t->tracks = sam_alloc(p->slice_count + 1, sizeof *t->tracks);
    if (!t->sorted || !t->tracks)
        return false;
    for (size_t i = 0; i < p->slice_count; i++)
        t->sorted[i] = &p->slices[i];
    qsort(t->sorted, p->slice_count, sizeof(void *), by_start);
    return true;
}

void sam_system_pipes_trace(const struct system_pipes *p, struct sam_perfetto *json)
{
    struct tracing t = {.pipes = p, .json = json};
    if (!p || !json)
        return;
    sam_perfetto_process(json, PROCESS, p->about.title);
    for (uint32_t i = 0; i < p->about.count; i++)
        lane_of(&t, i, 0, 0);
    const bool good = sort(&t);
    for (size_t i = 0; good && i < p->slice_count; i++) {
        const struct system_slice *s = t.sorted[i];
        t.tracks[s - p->slices] = lane_of(&t, sam_system_slice_pipe(p, s), start_of(s), end_of(s));
        put_slice(&t, s);
    }
    for (size_t i = 0; good && i < p->arrow_count; i++)
        put_arrow(&t, i);
    for (unsigned i = 0; i < SAM_SYSTEM_PIPES; i++)
        sam_perfetto_lanes_free(&t.lanes[i]);
    free(t.sorted);
    free(t.tracks);
}
