/* SPDX-License-Identifier: Apache-2.0 */
/* Back in time, and to the beginning. */
#include "debugger.h"

static enum sam_status recorded(struct debug *d, struct sam_error *error)
{
    return d->records ? SAM_OK : cli_refuse(error, "nothing is recorded: %s", d->no_record);
}

/* Shows the location after a jump in time. */
static enum sam_status arrived(struct debug *d)
{
    const struct sam_session_stop stop = {
        .reason = SAM_SESSION_COUNT, .workgroup = d->focus.workgroup, .warp = d->focus.warp};
    stop_report(d, &stop, NULL);
    return SAM_OK;
}

enum sam_status past_restart(struct debug *d, struct sam_error *error)
{
    if (!d->start)
        return cli_refuse(error, "it cannot begin again: %s", d->no_record);
    const enum sam_status status = sam_session_restore(d->session, d->start, error);
    if (status != SAM_OK)
        return status;
    d->state = DEBUG_LIVE;
    d->started = false;
    return d->records ? sam_session_record(d->session, 0, error) : SAM_OK;
}

/* The number of instructions that the focused warp had run at a time. */
static enum sam_status instructions_at(struct debug *d, uint64_t time, uint64_t *count,
                                       struct sam_error *error)
{
    struct sam_session_warp warp = {0};
    enum sam_status status = sam_session_goto(d->session, time, error);
    if (status == SAM_OK &&
        sam_session_workgroup_state(d->session, d->focus.workgroup) == SAM_SESSION_NEW) {
        *count = 0; /* the query would start it */
        return SAM_OK;
    }
    if (status == SAM_OK)
        status = debug_warp(d, &warp, error);
    *count = warp.instructions;
    return status;
}

/* Go to the last time at which the warp had run one instruction less. *moved: whether there was
 * one. */
static enum sam_status back_one(struct debug *d, bool *moved, struct sam_error *error)
{
    struct sam_session_warp warp;
    const uint64_t now = sam_session_time(d->session);
    uint64_t count = 0;
    enum sam_status status = debug_warp(d, &warp, error);
    *moved = false;
    if (status != SAM_OK || !warp.instructions || !now)
        return status;
    const uint64_t wanted = warp.instructions - 1;
    status = instructions_at(d, now - 1, &count, error);
    uint64_t low = 0, high = now - 1; /* at `low` at most as many, after `high` more */
    if (status == SAM_OK && count > wanted) {
        while (status == SAM_OK && low < high) {
            const uint64_t middle = low + (high - low + 1) / 2;
            status = instructions_at(d, middle, &count, error);
            if (count > wanted)
                high = middle - 1;
            else
                low = middle;
        }
        if (status == SAM_OK)
            status = instructions_at(d, low, &count, error);
    }
    *moved = status == SAM_OK && count == wanted;
    return status;
}

/* To the first instruction of the line that ran before this one. */
static enum sam_status back_line(struct debug *d, bool *moved, struct sam_error *error)
{
    uint32_t line = 0;
    const char *file = source_at(d, debug_pc(d), &line);
    enum sam_status status = back_one(d, moved, error);
    while (status == SAM_OK && *moved && file && source_is(d, debug_pc(d), file, line) &&
           !cli_stopped())
        status = back_one(d, moved, error);
    if (status != SAM_OK || !*moved || !file)
        return status;
    file = source_at(d, debug_pc(d), &line);
    while (status == SAM_OK && file && !cli_stopped()) {
        const uint64_t time = sam_session_time(d->session);
        bool more;
        status = back_one(d, &more, error);
        if (status != SAM_OK || !more)
            return status;
        if (!source_is(d, debug_pc(d), file, line))
            return sam_session_goto(d->session, time, error);
    }
    return status;
}

enum sam_status command_rstep(struct debug *d, const char *rest, struct sam_error *error)
{
    const bool by_instruction = d->how;
    uint64_t count = 1;
    bool moved = true;
    enum sam_status status = debug_count(d, rest, "the count", &count, error) ?: recorded(d, error);
    d->stepped_from = debug_pc(d);
    while (status == SAM_OK && count-- && moved && !cli_stopped())
        status = by_instruction ? back_one(d, &moved, error) : back_line(d, &moved, error);
    if (status == SAM_OK && !moved)
        debug_say(d, "[the beginning]\n");
    return status ?: arrived(d);
}

enum sam_status command_rcontinue(struct debug *d, const char *rest, struct sam_error *error)
{
    struct sam_session_stop stop = {.reason = SAM_SESSION_START};
    enum sam_status status = debug_no_more(rest, error) ?: recorded(d, error);
    if (status != SAM_OK)
        return status;
    d->going_back = true;
    status = sam_session_back(d->session, &stop, error);
    d->going_back = false;
    if (status != SAM_OK)
        return status;
    if (stop.reason == SAM_SESSION_START) { /* of no warp in particular */
        stop.workgroup = d->focus.workgroup;
        stop.warp = d->focus.warp;
    }
    stop_report(d, &stop, error);
    return SAM_OK;
}

enum sam_status command_goto(struct debug *d, const char *rest, struct sam_error *error)
{
    uint64_t time = 0;
    if (!*rest)
        return cli_refuse(error, "goto: expected a time, now %llu",
                          (unsigned long long)sam_session_time(d->session));
    enum sam_status status = recorded(d, error) ?: debug_number(d, &rest, "the time", &time, error)
        ?: debug_no_more(rest, error);
    if (status == SAM_OK && time > INT64_MAX)
        return cli_refuse(error, "time %lld: expected one from 0 on", (long long)time);
    d->stepped_from = debug_pc(d);
    if (status == SAM_OK)
        status = sam_session_goto(d->session, time, error);
    return status ?: arrived(d);
}

enum sam_status command_record(struct debug *d, const char *rest, struct sam_error *error)
{
    enum sam_status status = debug_no_more(rest, error) ?: recorded(d, error);
    if (status == SAM_OK)
        debug_say(d, "recorded from time 0 on, now %llu\n",
                  (unsigned long long)sam_session_time(d->session));
    return status;
}

enum sam_status command_snapshot(struct debug *d, const char *rest, struct sam_error *error)
{
    unsigned snapshot = 0;
    enum sam_status status =
        debug_no_more(rest, error) ?: sam_session_snapshot(d->session, &snapshot, error);
    if (status == SAM_OK)
        debug_say(d, "snapshot %u at time %llu\n", snapshot - d->start,
                  (unsigned long long)sam_session_time(d->session));
    return status;
}

enum sam_status command_restore(struct debug *d, const char *rest, struct sam_error *error)
{
    uint64_t number = 0;
    if (!*rest)
        return cli_refuse(error, "restore: expected the number of a snapshot");
    enum sam_status status =
        debug_number(d, &rest, "the snapshot", &number, error) ?: debug_no_more(rest, error);
    if (status != SAM_OK)
        return status;
    d->stepped_from = debug_pc(d);
    if (number < 1 || number > INT32_MAX || /* the debugger itself took the first one */
        sam_session_restore(d->session, (unsigned)number + d->start, error) != SAM_OK)
        return cli_refuse(error, "no snapshot %lld", (long long)number);
    return status ?: arrived(d);
}
