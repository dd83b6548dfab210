/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse execution: snapshots, and the order in which warps ran. Machines are deterministic: from
 * a snapshot, the same instructions of the same warps in the same order lead to the same state. */
#include "machine/history.h"

#include <stdlib.h>

#include "machine/journal.h"

#define INTERVAL       1000000u /* initial number of instructions between snapshots of a recording */
#define MOST_SNAPSHOTS 64u      /* of a recording: beyond, every other one is dropped */

/* A run request of the user: everything, a workgroup, a warp, or steps of a warp. It ends where the
 * next entry begins. */
enum act { ACT_RUN, ACT_STEP, ACT_CHANGE };

struct entry {
    enum act act;
    enum sam_session_scope scope;
    uint32_t workgroup, warp;
    uint64_t begin; /* in instructions */
    uint64_t calls; /* steps, including those that executed nothing */
};

/* A position in the list of entries. */
struct place {
    size_t entry;
    uint64_t calls; /* steps done within the entry */
};

/* Snapshot i belongs to mark i of the journal. */
struct snapshot {
    unsigned id; /* 0: taken by the recording */
    uint64_t time;
    void *state;
    struct place place;
};

struct sam_history {
    struct sam_journal *journal;
    struct snapshot *snapshots;
    size_t count, capacity;
    unsigned last_id;
    bool records;
    uint64_t interval;
    struct entry *entries;
    size_t entry_count, entry_capacity;
    struct place place; /* current position; {entry_count, 0}: at the end */
    uint64_t furthest;  /* instructions at the end */
};

static bool is_past(const struct sam_history *h)
{
    return h->place.entry < h->entry_count;
}

void sam_history_free(struct sam_session *session)
{
    struct sam_history *h = session->history;
    if (!h)
        return;
    for (size_t i = 0; i < h->count; i++)
        session->ops->forget(session, h->snapshots[i].state);
    sam_journal_free(h->journal);
    free(h->snapshots);
    free(h->entries);
    free(h);
    session->history = NULL;
}

static enum sam_status open_history(struct sam_session *session, struct sam_error *error)
{
    enum sam_status status = session->ops->can_save(session, error);
    if (status != SAM_OK || session->history)
        return status;
    struct sam_history *h = sam_alloc(1, sizeof *h);
    if (!h || !(h->journal = sam_journal_new(session->tlb))) {
        free(h);
        return sam_fail_memory(error);
    }
    session->history = h;
    return SAM_OK;
}

/* ---------------------------------------------------------------------------------- snapshots */

static enum sam_status drop(struct sam_session *session, size_t index, struct sam_error *error)
{
    struct sam_history *h = session->history;
    if (!sam_journal_drop(h->journal, index))
        return sam_fail_memory(error);
    session->ops->forget(session, h->snapshots[index].state);
    memmove(h->snapshots + index, h->snapshots + index + 1,
            (--h->count - index) * sizeof *h->snapshots);
    return SAM_OK;
}

/* The current position, for a later replay. */
static struct place present(const struct sam_history *h)
{
    if (is_past(h) || h->entry_count == 0)
        return h->place;
    return (struct place){h->entry_count - 1, h->entries[h->entry_count - 1].calls};
}

static enum sam_status save(struct sam_session *session, unsigned id, struct sam_error *error)
{
    struct sam_history *h = session->history;
    void *grown = sam_grow(h->snapshots, h->count, &h->capacity, sizeof *h->snapshots);
    void *state = grown ? session->ops->save(session) : NULL;
    if (grown)
        h->snapshots = grown;
    if (!state || !sam_journal_mark(h->journal)) {
        if (state)
            session->ops->forget(session, state);
        return sam_fail_memory(error);
    }
    h->snapshots[h->count++] =
        (struct snapshot){.id = id, .time = session->time, .state = state, .place = present(h)};
    return SAM_OK;
}

/* Drop every other snapshot of the recording, but neither the first nor the last. */
static enum sam_status thin(struct sam_session *session, struct sam_error *error)
{
    struct sam_history *h = session->history;
    enum sam_status status = SAM_OK;
    size_t own = 0;
    for (size_t i = 0; i < h->count; i++)
        own += h->snapshots[i].id == 0;
    if (own < MOST_SNAPSHOTS)
        return SAM_OK;
    h->interval *= 2;
    for (size_t i = h->count - 1, odd = 0; i-- > 1 && status == SAM_OK;)
        if (h->snapshots[i].id == 0 && odd++ % 2 == 0)
            status = drop(session, i, error);
    return status;
}

enum sam_status sam_history_keep_up(struct sam_session *session, struct sam_error *error)
{
    struct sam_history *h = session->history;
    if (!h || !h->records || is_past(h) ||
        session->time - h->snapshots[h->count - 1].time < h->interval)
        return SAM_OK;
    const enum sam_status status = save(session, 0, error);
    return status == SAM_OK ? thin(session, error) : status;
}

uint64_t sam_history_room(const struct sam_session *session)
{
    const struct sam_history *h = session->history;
    if (!h || !h->records || is_past(h))
        return UINT64_MAX;
    const uint64_t since = session->time - h->snapshots[h->count - 1].time;
    return since < h->interval ? h->interval - since : 1;
}

/* Restore a snapshot. */
static enum sam_status load(struct sam_session *session, size_t index, struct sam_error *error)
{
    struct sam_history *h = session->history;
    const struct snapshot *s = &h->snapshots[index];
    while (h->count > index + 1)
        session->ops->forget(session, h->snapshots[--h->count].state);
    sam_journal_back(h->journal, index);
    sam_code_reset(session->code);
    session->time = s->time;
    h->place = s->place;
    /* A user's change cannot be replayed: discard the entries after it. */
    for (size_t i = h->place.entry; i < h->entry_count; i++) {
        if (h->entries[i].act == ACT_CHANGE && h->entries[i].begin >= s->time &&
            (i > h->place.entry || h->place.calls == 0)) {
            h->entry_count = i;
            h->furthest = h->entries[i].begin;
        }
    }
    return session->ops->load(session, s->state, error);
}

static bool find(const struct sam_session *session, unsigned id, size_t *index)
{
    const struct sam_history *h = session->history;
    for (*index = 0; h && *index < h->count; ++*index)
        if (id && h->snapshots[*index].id == id)
            return true;
    return false;
}

enum sam_status sam_session_snapshot(struct sam_session *session, unsigned *snapshot,
                                     struct sam_error *error)
{
    if (SAM_LACKS(error, session, snapshot))
        return SAM_ERR_USAGE;
    enum sam_status status = sam_session_check(session, error);
    if (status == SAM_OK)
        status = open_history(session, error);
    if (status == SAM_OK)
        status = save(session, session->history->last_id + 1, error);
    if (status == SAM_OK)
        *snapshot = ++session->history->last_id;
    return status;
}

enum sam_status sam_session_restore(struct sam_session *session, unsigned snapshot,
                                    struct sam_error *error)
{
    size_t index = 0;
    enum sam_status status = sam_session_check(session, error);
    if (status == SAM_OK && !find(session, snapshot, &index))
        status = sam_fail(error, SAM_ERR_USAGE, "no snapshot %u", snapshot);
    return status == SAM_OK ? load(session, index, error) : status;
}

enum sam_status sam_session_drop(struct sam_session *session, unsigned snapshot,
                                 struct sam_error *error)
{
    size_t index = 0;
    enum sam_status status = sam_session_check(session, error);
    if (status == SAM_OK && !find(session, snapshot, &index))
        status = sam_fail(error, SAM_ERR_USAGE, "no snapshot %u", snapshot);
    if (status != SAM_OK)
        return status;
    if (index == 0 && session->history->records) { /* the recording begins there */
        session->history->snapshots[0].id = 0;
        return SAM_OK;
    }
    return drop(session, index, error);
}

/* ---------------------------------------------------------------------------------- recording */

enum sam_status sam_session_record(struct sam_session *session, uint64_t interval,
                                   struct sam_error *error)
{
    enum sam_status status = sam_session_check(session, error);
    if (status == SAM_OK)
        status = open_history(session, error);
    if (status != SAM_OK || session->history->records)
        return status;
    struct sam_history *h = session->history;
    status = save(session, 0, error);
    if (status != SAM_OK)
        return status;
    h->records = true;
    h->interval = interval ? interval : INTERVAL;
    h->furthest = session->time;
    return SAM_OK;
}

static bool is_same(const struct entry *a, const struct entry *b)
{
    return a->act == b->act && a->scope == b->scope && a->workgroup == b->workgroup &&
           a->warp == b->warp;
}

static uint64_t end_of(const struct sam_history *h, size_t entry)
{
    return entry + 1 == h->entry_count ? h->furthest : h->entries[entry + 1].begin;
}

/* The user acts: discard the recorded future. Prints and logs stay suppressed for as long as the
 * user repeats it exactly. */
static void cut(struct sam_session *session, const struct entry *next)
{
    struct sam_history *h = session->history;
    if (is_past(h)) {
        struct entry *e = &h->entries[h->place.entry];
        const uint64_t end = end_of(h, h->place.entry);
        session->ops->show(session, is_same(e, next) ? end - session->time : 0);
        if (session->time == e->begin && h->place.calls == 0) {
            h->entry_count = h->place.entry;
        } else {
            h->entry_count = h->place.entry + 1;
            e->calls = h->place.calls;
        }
    }
    h->place = (struct place){h->entry_count, 0};
    h->furthest = session->time;
}

static enum sam_status add_entry(struct sam_session *session, const struct entry *entry,
                                 struct sam_error *error)
{
    struct sam_history *h = session->history;
    if (!h || !h->records)
        return SAM_OK;
    cut(session, entry);
    struct entry *last = h->entry_count ? &h->entries[h->entry_count - 1] : NULL;
    if (last && is_same(last, entry)) {
        last->calls += entry->calls;
        return SAM_OK;
    }
    void *grown = sam_grow(h->entries, h->entry_count, &h->entry_capacity, sizeof *h->entries);
    if (!grown)
        return sam_fail_memory(error);
    h->entries = grown;
    h->entries[h->entry_count] = *entry;
    h->entries[h->entry_count++].begin = session->time;
    h->place = (struct place){h->entry_count, 0};
    return SAM_OK;
}

enum sam_status sam_history_step(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                 struct sam_error *error)
{
    return add_entry(
        session, &(struct entry){.act = ACT_STEP, .workgroup = workgroup, .warp = warp, .calls = 1},
        error);
}

enum sam_status sam_history_run(struct sam_session *session, const struct sam_session_run *run,
                                struct sam_error *error)
{
    const bool all = run->scope == SAM_SCOPE_ALL, alone = run->scope == SAM_SCOPE_WARP;
    return add_entry(session,
                     &(struct entry){.act = ACT_RUN,
                                     .scope = run->scope,
                                     .workgroup = all ? 0 : run->workgroup,
                                     .warp = alone ? run->warp : 0},
                     error);
}

void sam_history_ran(struct sam_session *session)
{
    if (session->history)
        session->history->furthest = session->time;
}

enum sam_status sam_history_change(struct sam_session *session, struct sam_error *error)
{
    struct sam_history *h = session->history;
    if (!h)
        return SAM_OK;
    session->ops->show(session, 0);
    if (!h->records)
        return SAM_OK;
    enum sam_status status =
        add_entry(session, &(struct entry){.act = ACT_CHANGE, .calls = 1}, error);
    return status == SAM_OK ? save(session, 0, error) : status;
}

static bool may_run(const struct entry *e, uint32_t workgroup, uint32_t warp)
{
    if (e->act == ACT_CHANGE)
        return false;
    if (e->act == ACT_RUN && e->scope == SAM_SCOPE_ALL)
        return true;
    const bool alone = e->act == ACT_STEP || e->scope == SAM_SCOPE_WARP;
    return e->workgroup == workgroup && (!alone || e->warp == warp);
}

bool sam_history_stretch(const struct sam_session *session, uint64_t before, uint32_t workgroup,
                         uint32_t warp, uint64_t *from, uint64_t *to)
{
    const struct sam_history *h = session->history;
    const uint64_t first = h && h->records ? h->snapshots[0].time : before;
    for (size_t i = h ? h->entry_count : 0; i-- > 0;) {
        const uint64_t begin = h->entries[i].begin, end = end_of(h, i);
        *from = begin > first ? begin : first;
        *to = end < before ? end : before;
        if (*from < *to && may_run(&h->entries[i], workgroup, warp))
            return true;
    }
    return false;
}

/* --------------------------------------------------------------------------------- repetition */

/* Treatment of breakpoints and watchpoints during replay; NULL: ignore them. */
struct finding {
    bool undoes;                  /* count watched accesses only where they can be undone */
    struct sam_session_stop stop; /* the last stop found */
    uint64_t time;
    bool found;
};

static void note(struct sam_session *session, struct finding *finding,
                 const struct sam_session_stop *stop, uint64_t before)
{
    const bool undoes = finding && finding->undoes && stop->reason == SAM_SESSION_WATCH;
    if (!finding || session->time >= before + undoes)
        return;
    finding->stop = *stop;
    finding->time = session->time - undoes;
    finding->found = true;
}

/* Replay one step of an entry. */
static enum sam_status repeat_step(struct sam_session *session, const struct entry *e,
                                   struct finding *finding, uint64_t before,
                                   struct sam_error *error)
{
    struct sam_core *core;
    struct sam_step step;
    struct sam_session_warp warp;
    struct sam_session_stop stop = {.workgroup = e->workgroup, .warp = e->warp};
    enum sam_status status = session->ops->find(session, e->workgroup, e->warp, &core, error);
    if (status != SAM_OK)
        return status;
    session->ops->warp(session, core, &warp);
    stop.pc = warp.pc;
    if (finding && warp.state == SAM_WARP_READY &&
        sam_code_is_breakpoint(session->code, core->pc) &&
        sam_session_breaks(session, core, e->workgroup, e->warp, warp.mask, &stop))
        note(session, finding, &stop, before);
    sam_session_arm(session, core, e->workgroup, e->warp, finding != NULL);
    status = session->ops->step(session, core, &step, error);
    if (finding && core->exit == SAM_EXIT_EVENT && core->event & SAM_EVENT_WATCH &&
        session->ops->state(session, e->workgroup) != SAM_SESSION_ENDED &&
        sam_session_watched(session, core, e->workgroup, e->warp, &stop))
        note(session, finding, &stop, before);
    session->watches.core = NULL;
    return status == SAM_ERR_MEMORY ? status : SAM_OK; /* a trap had also ended the recorded step */
}

/* Replay recorded entries up to `time`. */
static enum sam_status repeat(struct sam_session *session, uint64_t time, struct finding *finding,
                              struct sam_error *error)
{
    struct sam_history *h = session->history;
    enum sam_status status = SAM_OK;
    sam_code_enable_breakpoints(session->code, finding != NULL);
    /* At the end, also replay steps that executed nothing. */
    while (status == SAM_OK && is_past(h) &&
           (session->time < time || (time == h->furthest && !finding))) {
        const struct entry *e = &h->entries[h->place.entry];
        const uint64_t end = end_of(h, h->place.entry);
        bool over = false;
        if (e->act == ACT_STEP) {
            over = h->place.calls++ == e->calls;
            if (!over)
                status = repeat_step(session, e, finding, time, error);
        } else if (e->act == ACT_CHANGE || session->time >= end) {
            over = true;
        } else {
            const struct sam_session_run run = {
                .scope = e->scope,
                .workgroup = e->workgroup,
                .warp = e->warp,
                .instructions = (end < time ? end : time) - session->time,
                .ignore_stops = finding == NULL,
            };
            struct sam_session_stop stop = {0};
            const uint64_t before = session->time;
            status = session->ops->run(session, &run, &stop, error);
            session->watches.core = NULL;
            if (stop.reason == SAM_SESSION_BREAK || stop.reason == SAM_SESSION_WATCH)
                note(session, finding, &stop, time);
            else
                over = session->time == before && status == SAM_OK;
            if (status == SAM_ERR_TRAP)
                status = SAM_OK, over = true;
        }
        if (over)
            h->place = (struct place){h->place.entry + 1, 0};
    }
    return status;
}

/* The recording's last reached snapshot at or before `time`. */
static enum sam_status find_time(const struct sam_session *session, uint64_t time, size_t *index,
                                 struct sam_error *error)
{
    const struct sam_history *h = session->history;
    if (!h || !h->records)
        return sam_fail(error, SAM_ERR_USAGE, "the session is not recorded");
    for (*index = h->count; *index && h->snapshots[*index - 1].time > time;)
        --*index;
    if (!*index || time > h->furthest)
        return sam_fail(error, SAM_ERR_USAGE, "time %llu: recorded from %llu to %llu",
                        (unsigned long long)time, (unsigned long long)h->snapshots[0].time,
                        (unsigned long long)h->furthest);
    --*index;
    return SAM_OK;
}

static enum sam_status go_to(struct sam_session *session, uint64_t time, struct sam_error *error)
{
    size_t index = 0;
    enum sam_status status = find_time(session, time, &index, error);
    if (status != SAM_OK)
        return status;
    if (time < session->time || session->history->snapshots[index].time > session->time)
        status = load(session, index, error);
    return status == SAM_OK ? repeat(session, time, NULL, error) : status;
}

enum sam_status sam_session_goto(struct sam_session *session, uint64_t time,
                                 struct sam_error *error)
{
    enum sam_status status = sam_session_check(session, error);
    return status == SAM_OK ? go_to(session, time, error) : status;
}

static enum sam_status back(struct sam_session *session, bool undoes, struct sam_session_stop *stop,
                            struct sam_error *error)
{
    struct finding finding = {.undoes = undoes};
    struct sam_session_stop ignored;
    size_t index = 0;
    enum sam_status status = sam_session_check(session, error);
    stop = stop ? stop : &ignored;
    *stop = (struct sam_session_stop){.reason = SAM_SESSION_START};
    if (status != SAM_OK)
        return status;
    const uint64_t now = session->time;
    uint64_t until = now;
    status = find_time(session, until, &index, error);
    while (status == SAM_OK && !finding.found && until > session->history->snapshots[0].time) {
        while (session->history->snapshots[index].time >= until)
            index--;
        const uint64_t from = session->history->snapshots[index].time;
        status = load(session, index, error);
        /* One instruction further: a stop exactly at a snapshot belongs to the interval before
         * it. */
        if (status == SAM_OK)
            status = repeat(session, until < now ? until + 1 : now, &finding, error);
        until = from;
    }
    if (status == SAM_OK)
        status = go_to(session, finding.found ? finding.time : until, error);
    if (status != SAM_OK || !finding.found)
        return status;
    struct sam_core *core;
    *stop = finding.stop;
    if (undoes && stop->reason == SAM_SESSION_WATCH)
        stop->pc = stop->access_pc;
    status = session->ops->find(session, stop->workgroup, stop->warp, &core, error);
    if (status == SAM_OK)
        session->ops->pass(session, core);
    return status;
}

enum sam_status sam_session_back(struct sam_session *session, struct sam_session_stop *stop,
                                 struct sam_error *error)
{
    return back(session, false, stop, error);
}

enum sam_status sam_session_back_before(struct sam_session *session, struct sam_session_stop *stop,
                                        struct sam_error *error)
{
    return back(session, true, stop, error);
}
