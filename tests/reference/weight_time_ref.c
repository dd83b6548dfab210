/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of the plain model of the weight unit, cycle by cycle. */
#include "reference/weight_time_ref.h"

#include <stdlib.h>

#include "test.h"

static struct wref_part *part_at(struct wref *w, struct wref_place *p)
{
    while (p->record < w->begun && p->part == w->records[p->record].count) {
        p->record++;
        p->part = 0;
    }
    return p->record < w->begun ? &w->records[p->record].parts[p->part] : NULL;
}

static bool is_before(const struct wref_place *a, const struct wref_place *b)
{
    return a->record != b->record ? a->record < b->record
           : a->part != b->part   ? a->part < b->part
                                  : a->step < b->step;
}

static void pass(struct wref *w, struct wref_place *p)
{
    if (++p->step < w->records[p->record].parts[p->part].steps)
        return;
    p->step = 0;
    p->part++;
}

static unsigned find_kept(const struct wref *w, uint64_t name)
{
    unsigned i = 0;
    while (i < w->config.heads && w->kept[i].name != name)
        i++;
    return i;
}

static void look_up(struct wref *w, struct wref_part *part, size_t parts)
{
    unsigned found = find_kept(w, part->keep);
    bool skips = false;
    part->is_looked_up = true;
    if (part->keep == 0)
        return;
    for (size_t i = 0; i < parts && part[i].chain; i++)
        skips |= find_kept(w, part[i].keep) < w->config.heads;
    if (found < w->config.heads) {
        w->kept[found].used = ++w->uses;
        part->arrived = w->kept[found].at;
    } else if (!skips) {
        return;
    }
    part->is_kept = true;
}

static void keep(struct wref *w, const struct wref_part *part)
{
    unsigned oldest = 0;
    for (unsigned i = 0; i < w->config.heads; i++)
        oldest = w->kept[i].used < w->kept[oldest].used ? i : oldest;
    if (part->keep == 0 || part->is_kept || w->config.heads == 0)
        return;
    w->kept[oldest].name = part->keep;
    w->kept[oldest].at = part->arrived;
    w->kept[oldest].used = ++w->uses;
}

/* The part whose next line is to be fetched, and *line. */
static struct wref_part *next_read(struct wref *w, uint64_t now, struct wref_line **line)
{
    struct wref_part *part;
    while ((part = part_at(w, &w->fetch)) && (part->guess || w->barrier <= now)) {
        const struct wref_record *r = &w->records[w->fetch.record];
        if (!part->is_looked_up)
            look_up(w, part, r->count - w->fetch.part);
        *line = &part->reads[part->read_next];
        if (!part->is_kept && part->read_next < part->read_count &&
            !(part->guess && w->barrier <= now) && (*line)->begins <= w->fetch.step)
            return part;
        if (w->fetch.step + 1 == part->steps) {
            if (part->barrier)
                w->barrier = part->arrived;
            keep(w, part);
        }
        pass(w, &w->fetch);
    }
    return NULL;
}

static unsigned open_requests(const uint64_t *answers, unsigned count, uint64_t now)
{
    unsigned open = 0;
    for (unsigned i = 0; i < count; i++)
        open += answers[i] > now;
    return open;
}

static uint64_t send(struct wref *w, const struct wref_line *line, enum sam_memtime_kind kind,
                     uint64_t now)
{
    return w->port.request(w->port.context, w->number, now, line->address, (uint32_t)line->bytes,
                           kind);
}

/* Forget answers that have arrived. */
static void forget(uint64_t *answers, unsigned *count, uint64_t now)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < *count; i++)
        if (answers[i] > now)
            answers[kept++] = answers[i];
    *count = kept;
}

static void fetch(struct wref *w, uint64_t now)
{
    struct wref_line *line;
    struct wref_part *part = next_read(w, now, &line);
    struct wref_place work = w->work;
    part_at(w, &work); /* the step in work, or the next one */
    if (!part || open_requests(w->reads, w->read_count, now) == w->config.requests)
        return;
    if (!part->ahead && w->held >= w->config.lines && is_before(&work, &w->fetch))
        return;
    const uint64_t answer = send(w, line,
                                 !part->streams                      ? SAM_MEMTIME_READ
                                 : line->bytes == 64 && !part->guess ? SAM_MEMTIME_READ_STREAM
                                                                     : SAM_MEMTIME_READ_PART,
                                 now);
    part->read_next++;
    line->answer = answer;
    part->arrived = answer > part->arrived ? answer : part->arrived;
    w->reads[w->read_count++] = answer;
    w->held += !part->ahead;
}

/* When the lines of the step in work are there; UINT64_MAX: not all are requested. */
static uint64_t arrival(struct wref *w, const struct wref_part *part)
{
    uint64_t at = 0;
    if (!is_before(&w->work, &w->fetch))
        return UINT64_MAX;
    if (part->ahead)
        return 0;
    if (part->is_kept)
        return w->work.step == 0 ? part->arrived : 0;
    for (size_t i = 0; i < part->read_next; i++) /* those that have been asked for */
        if (part->reads[i].begins == w->work.step && part->reads[i].answer > at)
            at = part->reads[i].answer;
    return at;
}

static uint64_t ended_in(const struct wref_line *lines, size_t count, uint64_t step)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += lines[i].ends == step;
    return sum;
}

static bool has_room(const struct wref *w, const struct wref_part *part)
{
    const uint64_t lines = ended_in(part->writes, part->write_count, w->work.step);
    return w->pending == 0 || w->pending + lines <= w->config.outputs;
}

static bool work(struct wref *w, uint64_t now)
{
    struct wref_part *part = part_at(w, &w->work);
    if (w->busy) {
        if (w->left)
            return false;
        w->busy = false;
        part->led = true;
        if (w->leads)
            return true;
        if (!part->ahead && !part->is_kept)
            w->held -= ended_in(part->reads, part->read_count, w->work.step);
        w->pending += ended_in(part->writes, part->write_count, w->work.step);
        pass(w, &w->work);
        return true;
    }
    if (!part)
        return false;
    w->leads = part->lead && !part->led && w->work.step == 0;
    if (!w->leads && (arrival(w, part) > now || !has_room(w, part)))
        return false;
    w->busy = true;
    w->left = w->leads ? part->lead : part->work;
    w->kind = w->leads ? part->lead_kind : part->kind;
    return true;
}

static struct wref_line *next_write(struct wref *w)
{
    for (struct wref_part *part;
         is_before(&w->write, &w->work) && (part = part_at(w, &w->write));) {
        if (!is_before(&w->write, &w->work)) /* it was the end of a record */
            return NULL;
        if (part->write_next < part->write_count &&
            part->writes[part->write_next].ends <= w->write.step)
            return &part->writes[part->write_next];
        pass(w, &w->write);
    }
    return NULL;
}

static void put(struct wref *w, uint64_t now)
{
    struct wref_line *line = next_write(w);
    if (!line || open_requests(w->writes, w->write_count, now) == w->config.requests)
        return;
    struct wref_record *r = &w->records[w->write.record];
    const uint64_t answer = send(w, line, SAM_MEMTIME_WRITE, now);
    r->parts[w->write.part].write_next++;
    r->written = answer > r->written ? answer : r->written;
    w->writes[w->write_count++] = answer;
    w->pending--;
}

static bool begin(struct wref *w, uint64_t now)
{
    if (w->begun == w->submitted || part_at(w, &w->fetch))
        return false;
    const struct wref_record *r = &w->records[w->begun];
    if (r->from > now)
        return false;
    for (unsigned i = w->ended; i < w->begun; i++)
        if (r->reads[0] < w->records[i].writes[1] && w->records[i].writes[0] < r->reads[1])
            return false;
    w->begun++;
    return true;
}

static bool end(struct wref *w, uint64_t now)
{
    const unsigned n = w->ended;
    if (n == w->begun || w->records[n].written > now)
        return false;
    struct wref_place *places[] = {&w->fetch, &w->work, &w->write};
    for (unsigned i = 0; i < 3; i++) {
        part_at(w, places[i]);
        if (places[i]->record == n)
            return false;
    }
    w->ended++;
    return true;
}

static unsigned kind_of(struct wref *w, uint64_t now)
{
    struct wref_part *part = part_at(w, &w->work);
    if (w->busy)
        return w->kind;
    if (part)
        return arrival(w, part) <= now ? SYSTEM_STAGE_WRITE : SYSTEM_STAGE_FETCH;
    return w->ended < w->begun ? SYSTEM_STAGE_WRITE : SYSTEM_STAGE_EMPTY;
}

void wref_tick(struct wref *w, uint64_t now)
{
    struct wref_line *line;
    forget(w->reads, &w->read_count, now);
    forget(w->writes, &w->write_count, now);
    for (bool changed = true; changed;) {
        next_read(w, now, &line);
        next_write(w);
        changed = work(w, now) || begin(w, now) || end(w, now);
    }
    fetch(w, now);
    put(w, now);
    const unsigned kind = kind_of(w, now);
    w->cycles[kind]++;
    w->left -= w->busy;
}
