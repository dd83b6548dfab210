/* SPDX-License-Identifier: Apache-2.0 */
/* The focus of commands: warp, workgroup, lane. */
#include "debugger.h"

/* The given number, which must be below `count`; *given: whether there is one. */
static enum sam_status take(struct debug *d, const char *rest, const char *what, uint64_t count,
                            bool *given, uint64_t *number, struct sam_error *error)
{
    *given = *rest != '\0';
    if (!*given)
        return SAM_OK;
    enum sam_status status =
        debug_number(d, &rest, what, number, error) ?: debug_no_more(rest, error);
    if (status == SAM_OK && *number >= count)
        return debug_fail(error, "%s %lld: expected 0 to %llu", what, (long long)*number,
                          (unsigned long long)count - 1);
    return status;
}

enum sam_status command_warp(struct debug *d, const char *rest, struct sam_error *error)
{
    uint64_t warp = 0;
    bool given;
    const enum sam_status status = take(d, rest, "warp", d->shape.warps, &given, &warp, error);
    if (status != SAM_OK)
        return status;
    if (!given) {
        debug_say(d, "workgroup %u warp %u lane %u\n", d->focus.workgroup, d->focus.warp,
                  d->focus.lane);
        return SAM_OK;
    }
    d->focus.warp = (uint32_t)warp;
    d->shown_focus.warp = UINT32_MAX;
    stop_show_place(d, true);
    return SAM_OK;
}

enum sam_status command_workgroup(struct debug *d, const char *rest, struct sam_error *error)
{
    uint64_t workgroup = 0;
    bool given;
    struct sam_session_warp warp;
    enum sam_status status =
        take(d, rest, "workgroup", UINT64_C(1) << 32, &given, &workgroup, error);
    if (status != SAM_OK || !given)
        return status ?: command_warp(d, "", error);
    status = sam_session_warp(d->session, (uint32_t)workgroup, 0, &warp, error);
    if (status != SAM_OK)
        return status;
    d->focus.workgroup = (uint32_t)workgroup;
    d->focus.warp = 0;
    d->shown_focus.warp = UINT32_MAX;
    stop_show_place(d, true);
    return SAM_OK;
}

enum sam_status command_lane(struct debug *d, const char *rest, struct sam_error *error)
{
    uint64_t lane = 0;
    bool given;
    struct sam_session_warp warp;
    enum sam_status status = take(d, rest, "lane", d->shape.lanes, &given, &lane, error);
    if (status != SAM_OK || !given)
        return status ?: command_warp(d, "", error);
    d->focus.lane = (uint32_t)lane;
    status = debug_warp(d, &warp, error);
    if (status == SAM_OK)
        debug_say(d, "lane %u, %s\n", d->focus.lane,
                  warp.mask >> d->focus.lane & 1 ? "active" : "not active");
    return status;
}
