/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline of records. A stage takes a part when the stage before has finished with it and its
 * own last part has moved on; fetch and write request a line per cycle. */
#include "system/stages.h"

#include <stdlib.h>

/* -------------------------------------------------------------------------------- records */

struct system_job *sam_system_job_new(size_t parts)
{
    return calloc(1, sizeof(struct system_job) + parts * sizeof(struct system_part));
}

static void widen(struct system_hull *hull, uint64_t address, uint64_t bytes)
{
    if (bytes == 0)
        return;
    hull->low = hull->end == 0 || address < hull->low ? address : hull->low;
    hull->end = address + bytes > hull->end ? address + bytes : hull->end;
}

static bool overlap(const struct system_hull *a, const struct system_hull *b)
{
    return a->low < b->end && b->low < a->end;
}

static void find_hulls(struct system_job *job)
{
    job->reads = job->writes = (struct system_hull){0, 0};
    for (size_t i = 0; i < job->count; i++) {
        widen(&job->reads, job->parts[i].source, job->parts[i].source_bytes);
        widen(&job->writes, job->parts[i].destination, job->parts[i].destination_bytes);
    }
}

/* -------------------------------------------------------------------------------- movers */

static void show(const struct system_stages *s, const struct system_job *job,
                 enum system_track track, uint64_t from, uint64_t to)
{
    const struct system_stage_span span = {track, s->options.unit, job, from, to};
    if (s->options.watch && to > from)
        s->options.watch(s->options.context, &span);
}

static void take(struct system_mover *m, const struct system_part *part, uint64_t address,
                 uint64_t bytes, uint64_t now)
{
    m->part = part;
    m->begun = m->done = now;
    m->at = address;
    m->end = address + bytes;
}

/* Drop the answers that have arrived. */
static void receive(struct system_mover *m, uint64_t now)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < m->count; i++)
        if (m->answers[i] > now)
            m->answers[kept++] = m->answers[i];
    m->count = kept;
}

static bool has_moved(const struct system_mover *m, uint64_t now)
{
    return m->part && m->at == m->end && m->done <= now;
}

/* Request the next line. Returns the next cycle in which something can happen. */
static uint64_t move(struct system_stages *s, struct system_mover *m, uint64_t now,
                     enum sam_memtime_kind kind)
{
    receive(m, now);
    if (!m->part || has_moved(m, now))
        return SAM_CLOCK_IDLE;
    if (m->at < m->end && m->count < s->options.requests) {
        const uint64_t line = (m->at | (SAM_MEMTIME_LINE - 1)) + 1;
        const uint32_t bytes = (uint32_t)((line < m->end ? line : m->end) - m->at);
        const uint64_t answer =
            s->port.request(s->port.context, s->options.unit, now, m->at, bytes, kind);
        *(kind == SAM_MEMTIME_WRITE ? &s->bytes.written : &s->bytes.read) += bytes;
        m->at += bytes;
        m->done = answer > m->done ? answer : m->done;
        m->answers[m->count++] = answer;
    }
    if (m->at == m->end)
        return m->done > now ? m->done : now + 1;
    if (m->count < s->options.requests)
        return now + 1;
    uint64_t soonest = SAM_CLOCK_IDLE;
    for (unsigned i = 0; i < m->count; i++)
        soonest = m->answers[i] < soonest ? m->answers[i] : soonest;
    return soonest;
}

/* ------------------------------------------------------------------------------- accounts */

/* The cycles of the work from `since` to `now`, kind by kind. */
static void account_work(struct system_stages *s, uint64_t now)
{
    uint64_t from = s->work_begun;
    for (unsigned kind = 0; kind < SYSTEM_STAGE_WORKS; kind++) {
        const uint64_t to = from + s->part->work[kind];
        const uint64_t low = from > s->since ? from : s->since, high = to < now ? to : now;
        s->cycles[kind] += high > low ? high - low : 0;
        from = to;
    }
}

static void account(struct system_stages *s, uint64_t now)
{
    if (s->since >= now)
        return;
    uint64_t from = s->since;
    if (s->part && s->work_end > from) {
        account_work(s, now);
        from = s->work_end < now ? s->work_end : now;
    }
    s->cycles[s->reason] += now - from;
    s->since = now;
}

void sam_system_stages_account(struct system_stages *s)
{
    account(s, s->options.clock->now);
}

/* Why no work is done. */
static unsigned reason_of(const struct system_stages *s)
{
    if (s->part) /* finished, and the write stage is occupied */
        return SYSTEM_STAGE_WRITE;
    if (s->fetch.part)
        return SYSTEM_STAGE_FETCH;
    return s->write.part ? SYSTEM_STAGE_WRITE : SYSTEM_STAGE_EMPTY;
}

/* ----------------------------------------------------------------------------- the stages */

static bool leave_write(struct system_stages *s, uint64_t now)
{
    if (!has_moved(&s->write, now))
        return false;
    show(s, s->write.part->job, SYSTEM_TRACK_WRITE, s->write.begun, now);
    s->write.part->job->left--;
    s->write.part = NULL;
    return true;
}

static bool leave_work(struct system_stages *s, uint64_t now)
{
    if (!s->part || s->work_end > now || s->write.part)
        return false;
    show(s, s->part->job, SYSTEM_TRACK_WORK, s->work_begun, s->work_end);
    take(&s->write, s->part, s->part->destination, s->part->destination_bytes, now);
    s->part = NULL;
    return true;
}

static uint64_t work_of(const struct system_part *part)
{
    uint64_t work = 0;
    for (unsigned kind = 0; kind < SYSTEM_STAGE_WORKS; kind++)
        work += part->work[kind];
    return work;
}

/* A part that is only read leaves after the fetch. */
static bool leave_fetch(struct system_stages *s, uint64_t now)
{
    const struct system_part *part = s->fetch.part;
    const bool only_read = part && part->destination_bytes == 0 && work_of(part) == 0;
    if ((s->part && !only_read) || !has_moved(&s->fetch, now))
        return false;
    show(s, part->job, SYSTEM_TRACK_FETCH, s->fetch.begun, now);
    s->fetch.part = NULL;
    if (only_read) {
        part->job->left--;
        return true;
    }
    s->part = part;
    s->work_begun = now;
    s->work_end = now + work_of(part);
    return true;
}

/* Whether a record may read bytes that an earlier one has not written yet. */
static bool depends(const struct system_stages *s, const struct system_job *job)
{
    for (const struct system_job *before = s->first; before != job; before = before->next)
        if (overlap(&before->writes, &job->reads))
            return true;
    return false;
}

/* The record whose parts enter next, or NULL; it may not have begun. */
static struct system_job *next_job(const struct system_stages *s)
{
    struct system_job *job = s->entering;
    return !job ? s->first : job->taken == job->count ? job->next : job;
}

/* The next part of a record enters, or a record without parts begins. */
static bool enter_fetch(struct system_stages *s, uint64_t now)
{
    struct system_job *job = next_job(s);
    if (!job || s->fetch.part)
        return false;
    if (!job->running) {
        if (job->from > now || depends(s, job))
            return false;
        job->running = true;
        s->entering = job;
        s->unit.begun++;
        sam_clock_interrupt(s->options.clock); /* its slot in the queue is free */
        if (s->first == job)
            s->shown = now;
    }
    if (job->taken < job->count) {
        const struct system_part *part = &job->parts[job->taken++];
        take(&s->fetch, part, part->source, part->source_bytes, now);
    }
    return true;
}

static bool end_record(struct system_stages *s, uint64_t now)
{
    struct system_job *job = s->first;
    if (!job || !job->running || job->left)
        return false;
    show(s, job, SYSTEM_TRACK_RECORDS, s->shown, now);
    s->shown = now;
    s->unit.ended++;
    sam_clock_interrupt(s->options.clock);
    s->first = job->next;
    s->last = s->first ? s->last : &s->first;
    s->entering = s->entering == job ? NULL : s->entering;
    free(job);
    return true;
}

static uint64_t tick(void *context, uint64_t now)
{
    struct system_stages *s = context;
    account(s, now);
    while (leave_write(s, now) || end_record(s, now) || leave_work(s, now) || leave_fetch(s, now) ||
           enter_fetch(s, now))
        ;
    const bool stream = s->fetch.part && s->fetch.part->job->stream;
    uint64_t next = move(s, &s->fetch, now, stream ? SAM_MEMTIME_READ_STREAM : SAM_MEMTIME_READ);
    const uint64_t written = move(s, &s->write, now, SAM_MEMTIME_WRITE);
    next = written < next ? written : next;
    if (s->part && s->work_end > now && s->work_end < next)
        next = s->work_end;
    const struct system_job *job = next_job(s);
    if (job && !job->running && job->from > now && job->from < next)
        next = job->from;
    s->reason = reason_of(s);
    return next;
}

/* ----------------------------------------------------------------------------------- life */

void sam_system_stages_init(struct system_stages *s, const struct system_stages_options *options)
{
    *s = (struct system_stages){.options = *options,
                                .port = *options->port,
                                .last = &s->first,
                                .since = options->clock->now,
                                .reason = SYSTEM_STAGE_EMPTY};
    s->clock_unit = sam_clock_join(options->clock, (struct sam_clock_unit){tick, s});
}

void sam_system_stages_enter(struct system_stages *s, struct system_job *job, uint64_t from)
{
    job->number = s->unit.submitted++;
    job->submitted = s->options.clock->now;
    job->from = from;
    job->left = job->count;
    for (size_t i = 0; i < job->count; i++)
        job->parts[i].job = job;
    find_hulls(job);
    *s->last = job;
    s->last = &job->next;
    sam_clock_wake(s->options.clock, s->clock_unit, from);
}

/* ------------------------------------------------------------------------------- as a unit */

void *sam_system_stages_open(const struct sam_system_config *config,
                             const struct system_stages_options *options)
{
    struct system_stages *s = sam_alloc(1, sizeof *s);
    (void)config;
    if (s)
        sam_system_stages_init(s, options);
    return s;
}

void sam_system_stages_close(void *state)
{
    struct system_stages *s = state;
    if (!s)
        return;
    for (struct system_job *job = s->first, *next; job; job = next) {
        next = job->next;
        free(job);
    }
    free(s->given);
    free(s);
}

bool sam_system_stages_uses(const void *state, size_t index, struct sam_work_span *bytes,
                            bool *stores)
{
    struct system_job *job = ((const struct system_stages *)state)->given;
    if (!job || index > 1)
        return false;
    find_hulls(job);
    const struct system_hull *hull = index ? &job->writes : &job->reads;
    *stores = index == 1;
    *bytes = hull->end ? (struct sam_work_span){hull->low, hull->end - 1}
                       : (struct sam_work_span){UINT64_MAX, 0};
    return true;
}

bool sam_system_stages_submit(void *state)
{
    struct system_stages *s = state;
    if (s->given)
        sam_system_stages_enter(s, s->given, s->options.clock->now + 1);
    s->given = NULL;
    return true;
}
