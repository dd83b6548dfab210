/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline of records. Fetch and write request a line per cycle; fetch is in the order of
 * the steps that need the lines, so that a full input buffer never blocks a step. */
#include "system/stages.h"

/* ---------------------------------------------------------------------------------- lines */

static uint64_t end_of(const struct system_flow *f)
{
    return f->address + f->bytes;
}

static uint64_t lines_of(const struct system_flow *f)
{
    return (end_of(f) - 1) / SAM_MEMTIME_LINE - f->address / SAM_MEMTIME_LINE + 1;
}

/* Bytes that `count` steps of the part use. */
static uint64_t used_by(const struct system_flow *f, uint64_t count)
{
    if (count <= f->first)
        return 0;
    if (count >= f->first + f->steps)
        return f->bytes;
    const unsigned __int128 bytes = (unsigned __int128)f->bytes * (count - f->first);
    return (uint64_t)((bytes + f->steps - 1) / f->steps);
}

/* Lines with a byte that `count` steps of the part use. */
static uint64_t lines_begun(const struct system_flow *f, uint64_t count)
{
    const uint64_t used = used_by(f, count);
    if (used == 0)
        return 0;
    return f->down ? (end_of(f) - 1) / SAM_MEMTIME_LINE - (end_of(f) - used) / SAM_MEMTIME_LINE + 1
                   : (f->address + used - 1) / SAM_MEMTIME_LINE - f->address / SAM_MEMTIME_LINE + 1;
}

/* Lines of which `count` steps of the part use the last byte. */
static uint64_t lines_ended(const struct system_flow *f, uint64_t count)
{
    const uint64_t used = used_by(f, count);
    if (used == 0 || used == f->bytes)
        return used ? lines_of(f) : 0;
    return f->down ? (end_of(f) - 1) / SAM_MEMTIME_LINE + 1 -
                         (end_of(f) - used + SAM_MEMTIME_LINE - 1) / SAM_MEMTIME_LINE
                   : (f->address + used) / SAM_MEMTIME_LINE - f->address / SAM_MEMTIME_LINE;
}

/* Lines that step `step` completes, of flows to read or to write. */
static uint64_t lines_in_step(const struct system_job *job, const struct system_part *part,
                              uint64_t step, bool writes)
{
    uint64_t lines = 0;
    for (size_t i = part->flow; i < part->flow + part->flows; i++)
        if (job->flows[i].writes == writes)
            lines += lines_ended(&job->flows[i], step + 1) - lines_ended(&job->flows[i], step);
    return lines;
}

/* -------------------------------------------------------------------------------- answers */

/* Drop the answers that have arrived. */
static void receive(struct system_answers *a, uint64_t now)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < a->count; i++)
        if (a->at[i] > now)
            a->at[kept++] = a->at[i];
    a->count = kept;
}

static uint64_t soonest(const struct system_answers *a)
{
    uint64_t at = SAM_CLOCK_IDLE;
    for (unsigned i = 0; i < a->count; i++)
        at = a->at[i] < at ? a->at[i] : at;
    return at;
}

/* Request the next line of a flow. Returns the cycle of the answer. */
static uint64_t request(struct system_stages *s, const struct system_job *job,
                        struct system_flow *f, struct system_answers *answers, uint64_t now)
{
    const uint64_t line = f->down ? (end_of(f) - 1) / SAM_MEMTIME_LINE - f->moved
                                  : f->address / SAM_MEMTIME_LINE + f->moved;
    const uint64_t low = line * SAM_MEMTIME_LINE, high = low + SAM_MEMTIME_LINE;
    const uint64_t from = low > f->address ? low : f->address,
                   to = high < end_of(f) ? high : end_of(f);
    const uint64_t answer =
        s->port.request(s->port.context, s->options.unit, now, from, (uint32_t)(to - from),
                        f->writes                                    ? SAM_MEMTIME_WRITE
                        : !job->stream                               ? SAM_MEMTIME_READ
                        : to - from == SAM_MEMTIME_LINE && !f->guess ? SAM_MEMTIME_READ_STREAM
                                                                     : SAM_MEMTIME_READ_PART);
    *(f->writes ? &s->bytes.written : &s->bytes.read) += to - from;
    s->asked[f->writes] = (struct system_asked){now, from, to - from};
    f->moved++;
    answers->at[answers->count++] = answer;
    return answer;
}

/* -------------------------------------------------------------------------------- accounts */

static void account(struct system_stages *s, uint64_t now)
{
    s->cycles[s->reason] += now > s->since ? now - s->since : 0;
    s->since = now > s->since ? now : s->since;
}

void sam_system_stages_account(struct system_stages *s)
{
    account(s, s->options.clock->now);
}

static void show(const struct system_stages *s, const struct system_job *job,
                 enum system_track track, uint64_t from, uint64_t to)
{
    const struct system_stage_span span = {track, s->options.unit, job, from, to};
    if (s->options.watch && to > from)
        s->options.watch(s->options.context, &span);
}

static void begin_span(struct system_part *part, enum system_track track, uint64_t now)
{
    part->begun[track] = part->begun[track] ? part->begun[track] : now + 1;
}

static void end_span(const struct system_stages *s, const struct system_job *job,
                     const struct system_part *part, enum system_track track, uint64_t now)
{
    if (part->begun[track])
        show(s, job, track, part->begun[track] - 1, now);
}

/* ---------------------------------------------------------------------------------- places */

/* The part at a position, or NULL: the record has begun but has none yet. */
static struct system_part *part_at(const struct system_stages *s, struct system_place *p)
{
    if (!p->job)
        p->job = s->first && s->first->running ? s->first : NULL;
    while (p->job && p->part == p->job->count && p->job->next && p->job->next->running) {
        p->job = p->job->next;
        p->part = 0;
    }
    return p->job && p->part < p->job->count ? &p->job->parts[p->part] : NULL;
}

/* Advance to the next step. Returns whether this was the last of its part. */
static bool pass(struct system_place *p)
{
    const bool last = ++p->step == p->job->parts[p->part].steps;
    p->passed++;
    p->flow = 0;
    p->step = last ? 0 : p->step;
    p->part += last;
    return last;
}

static bool has_passed(const struct system_place *p, const struct system_job *job)
{
    return job->count == 0 || (p->job && (p->job != job || p->part == job->count));
}

/* ----------------------------------------------------------------------------------- fetch */

static void arrive(struct system_stages *s, uint64_t step, uint64_t at)
{
    const unsigned size = SAM_COUNT(s->arrivals);
    struct system_arrival *last = &s->arrivals[(s->arrival + s->arrival_count - 1) % size];
    if (s->arrival_count && last->step == step) {
        last->at = at > last->at ? at : last->at;
        return;
    }
    s->arrivals[(s->arrival + s->arrival_count++) % size] = (struct system_arrival){step, at};
}

/* The slot of the bytes kept under a name, or the least recently used slot. */
static struct system_kept *kept_at(struct system_stages *s, uint64_t name)
{
    struct system_kept *oldest = s->kept;
    for (unsigned i = 0; i < s->options.kept; i++) {
        if (s->kept[i].name == name)
            return &s->kept[i];
        oldest = s->kept[i].used < oldest->used ? &s->kept[i] : oldest;
    }
    return oldest;
}

/* Whether the bytes of a later part of the same chain are kept. */
static bool leads_to_kept(struct system_stages *s, const struct system_job *job,
                          const struct system_part *part)
{
    for (; part < job->parts + job->count && part->chain; part++)
        if (kept_at(s, part->keep)->name == part->keep)
            return true;
    return false;
}

/* Use the bytes of a part, if they are kept. */
static void look_up(struct system_stages *s, struct system_job *job, struct system_part *part)
{
    struct system_kept *kept = kept_at(s, part->keep);
    part->seen = true;
    if (!part->keep || s->options.kept == 0)
        return;
    if (kept->name == part->keep) {
        kept->used = ++s->uses;
        part->ready = kept->at;
    } else if (!leads_to_kept(s, job, part)) {
        return;
    }
    part->kept = true;
    for (size_t i = part->flow; i < part->flow + part->flows; i++)
        if (!job->flows[i].writes)
            job->flows[i].moved = lines_of(&job->flows[i]);
    if (!part->ahead)
        arrive(s, s->fetch.passed, part->ready);
}

static void end_fetch(struct system_stages *s, struct system_job *job, struct system_part *part,
                      uint64_t now)
{
    end_span(s, job, part, SYSTEM_TRACK_FETCH, now);
    s->barrier = part->barrier ? part->ready : s->barrier;
    if (part->keep && !part->kept && s->options.kept)
        *kept_at(s, part->keep) = (struct system_kept){part->keep, part->ready, ++s->uses};
}

/* The flow whose next line is to be fetched, or NULL. Skips steps whose lines have been fetched. */
static struct system_flow *next_read(struct system_stages *s, uint64_t now)
{
    struct system_place *p = &s->fetch;
    for (struct system_part *part; (part = part_at(s, p)) && (part->guess || s->barrier <= now);) {
        struct system_job *job = p->job;
        const bool over = part->guess && s->barrier <= now;
        if (!part->seen)
            look_up(s, job, part);
        for (; !over && p->flow < part->flows; p->flow++) {
            struct system_flow *f = &job->flows[part->flow + p->flow];
            if (!f->writes && f->moved < lines_begun(f, p->step + 1))
                return f;
        }
        if (pass(p))
            end_fetch(s, job, part, now);
    }
    return NULL;
}

/* Fetch a line. Returns the next cycle in which a line may be fetched. */
static uint64_t fetch(struct system_stages *s, uint64_t now)
{
    struct system_flow *f = next_read(s, now);
    if (!f)
        return s->barrier > now ? s->barrier : SAM_CLOCK_IDLE;
    struct system_part *part = part_at(s, &s->fetch);
    if (s->reads.count == s->options.requests)
        return soonest(&s->reads);
    if (!part->ahead && s->held >= s->options.lines && s->fetch.passed != s->work.passed)
        return SAM_CLOCK_IDLE;
    const uint64_t answer = request(s, s->fetch.job, f, &s->reads, now);
    part->ready = answer > part->ready ? answer : part->ready;
    begin_span(part, SYSTEM_TRACK_FETCH, now);
    if (!part->ahead) {
        s->held++;
        arrive(s, s->fetch.passed, answer);
    }
    return now + 1;
}

/* ------------------------------------------------------------------------------------ work */

/* The cycle in which all bytes of the current step have arrived; SAM_CLOCK_IDLE: not all are
 * requested. */
static uint64_t arrival_of(const struct system_stages *s)
{
    if (s->fetch.passed <= s->work.passed)
        return SAM_CLOCK_IDLE;
    const struct system_arrival *a = &s->arrivals[s->arrival];
    return s->arrival_count && a->step == s->work.passed ? a->at : 0;
}

static bool has_room(const struct system_stages *s, const struct system_part *part)
{
    const uint64_t lines = lines_in_step(s->work.job, part, s->work.step, true);
    return s->pending == 0 || s->pending + lines <= s->options.outputs;
}

static void end_step(struct system_stages *s, uint64_t now)
{
    struct system_job *job = s->work.job;
    struct system_part *part = &job->parts[s->work.part];
    if (!part->ahead && !part->kept)
        s->held -= (uint32_t)lines_in_step(job, part, s->work.step, false);
    s->pending += lines_in_step(job, part, s->work.step, true);
    s->led = false;
    if (pass(&s->work))
        end_span(s, job, part, SYSTEM_TRACK_WORK, now);
}

static void start(struct system_stages *s, struct system_part *part, bool lead, uint64_t now)
{
    s->busy = true;
    s->leading = lead;
    s->kind = lead ? part->lead_kind : part->kind;
    s->work_end = now + (lead ? part->lead : part->work);
    begin_span(part, SYSTEM_TRACK_WORK, now);
}

/* Ends or begins work. Returns false if nothing changes. */
static bool work(struct system_stages *s, uint64_t now)
{
    if (s->busy) {
        if (s->work_end > now)
            return false;
        s->busy = false;
        s->led = s->leading;
        if (!s->leading)
            end_step(s, now);
        return true;
    }
    struct system_part *part = part_at(s, &s->work);
    if (!part)
        return false;
    if (part->lead && s->work.step == 0 && !s->led) {
        start(s, part, true, now);
        return true;
    }
    if (arrival_of(s) > now || !has_room(s, part))
        return false;
    if (s->arrival_count && s->arrivals[s->arrival].step == s->work.passed) {
        s->arrival = (s->arrival + 1) % SAM_COUNT(s->arrivals);
        s->arrival_count--;
    }
    start(s, part, false, now);
    return true;
}

/* The reason for idle work. */
static unsigned reason_of(struct system_stages *s, uint64_t now)
{
    const struct system_part *part = part_at(s, &s->work);
    if (s->busy)
        return s->kind;
    if (part)
        return arrival_of(s) <= now ? SYSTEM_STAGE_WRITE : SYSTEM_STAGE_FETCH;
    return s->first && s->first->running ? SYSTEM_STAGE_WRITE : SYSTEM_STAGE_EMPTY;
}

/* ----------------------------------------------------------------------------------- write */

/* The flow whose next line is to be written, or NULL. Skips steps without more lines. */
static struct system_flow *next_write(struct system_stages *s, uint64_t now)
{
    struct system_place *p = &s->write;
    for (struct system_part *part; p->passed < s->work.passed && (part = part_at(s, p));) {
        struct system_job *job = p->job;
        for (; p->flow < part->flows; p->flow++) {
            struct system_flow *f = &job->flows[part->flow + p->flow];
            if (f->writes && f->moved < lines_ended(f, p->step + 1))
                return f;
        }
        if (pass(p))
            end_span(s, job, part, SYSTEM_TRACK_WRITE, now);
    }
    return NULL;
}

/* Write a line. Returns the next cycle in which a line may be written. */
static uint64_t put(struct system_stages *s, uint64_t now)
{
    struct system_flow *f = next_write(s, now);
    if (!f)
        return SAM_CLOCK_IDLE;
    if (s->writes.count == s->options.requests)
        return soonest(&s->writes);
    struct system_job *job = s->write.job;
    const uint64_t answer = request(s, job, f, &s->writes, now);
    job->written = answer > job->written ? answer : job->written;
    s->first_write = now < s->first_write ? now : s->first_write;
    begin_span(part_at(s, &s->write), SYSTEM_TRACK_WRITE, now);
    s->pending--;
    return now + 1;
}

/* --------------------------------------------------------------------------------- records */

static bool overlap(const struct system_hull *a, const struct system_hull *b)
{
    return a->low < b->end && b->low < a->end;
}

/* Whether a record may read bytes that an earlier one has not written yet. */
static bool depends(const struct system_stages *s, const struct system_job *job)
{
    for (const struct system_job *before = s->first; before != job; before = before->next)
        if (overlap(&before->writes, &job->reads))
            return true;
    return false;
}

/* The next record to begin, once all bytes of earlier ones have been requested; or NULL. */
static struct system_job *next_job(const struct system_stages *s)
{
    const struct system_place *p = &s->fetch;
    struct system_job *job = p->job ? p->job->next : s->first;
    if (p->job && p->part < p->job->count)
        return NULL;
    while (job && job->running && job->count == 0)
        job = job->next;
    return job && !job->running ? job : NULL;
}

static bool begin_record(struct system_stages *s, uint64_t now)
{
    struct system_job *job = next_job(s);
    if (!job || job->from > now || depends(s, job))
        return false;
    job->running = true;
    s->unit.begun++;
    sam_clock_interrupt(s->options.clock); /* its slot in the queue is free */
    if (s->first == job)
        s->shown = now;
    return true;
}

/* A position in a record that ends precedes the next one. */
static void leave(struct system_place *p, const struct system_job *job)
{
    p->job = p->job == job ? NULL : p->job;
    p->part = p->job ? p->part : 0;
}

static bool end_record(struct system_stages *s, uint64_t now)
{
    struct system_job *job = s->first;
    if (!job || !job->running || job->written > now || !has_passed(&s->fetch, job) ||
        !has_passed(&s->work, job) || !has_passed(&s->write, job))
        return false;
    show(s, job, SYSTEM_TRACK_RECORDS, s->shown, now);
    s->shown = now;
    s->unit.ended++;
    sam_clock_interrupt(s->options.clock);
    leave(&s->fetch, job);
    leave(&s->work, job);
    leave(&s->write, job);
    s->first = job->next;
    s->last = s->first ? s->last : &s->first;
    sam_system_job_free(job);
    return true;
}

/* ----------------------------------------------------------------------------------- clock */

static uint64_t sooner(uint64_t a, uint64_t b, uint64_t now)
{
    return b > now && b < a ? b : a;
}

static uint64_t tick(void *context, uint64_t now)
{
    struct system_stages *s = context;
    account(s, now);
    receive(&s->reads, now);
    receive(&s->writes, now);
    for (bool changed = true; changed;) {
        next_read(s, now);
        next_write(s, now);
        changed = work(s, now) || begin_record(s, now) || end_record(s, now);
    }
    uint64_t next = fetch(s, now);
    next = sooner(next, put(s, now), now);
    const struct system_part *part = part_at(s, &s->work);
    if (s->busy)
        next = sooner(next, s->work_end, now);
    else if (part && arrival_of(s) <= now) /* there was no room */
        next = has_room(s, part) ? now + 1 : next;
    else if (part)
        next = sooner(next, arrival_of(s), now);
    if (s->first)
        next = sooner(next, s->first->running ? s->first->written : s->first->from, now);
    const struct system_job *job = next_job(s);
    if (job)
        next = sooner(next, job->from > now ? job->from : now + 1, now);
    s->reason = reason_of(s, now);
    if (s->options.wave)
        sam_system_weight_wave_cycle(s->options.wave, s, now);
    return next;
}

void sam_system_stages_init(struct system_stages *s, const struct system_stages_options *options)
{
    *s = (struct system_stages){.options = *options,
                                .port = *options->port,
                                .first_write = UINT64_MAX,
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
    sam_system_job_measure(job);
    *s->last = job;
    s->last = &job->next;
    sam_clock_wake(s->options.clock, s->clock_unit, from);
}
