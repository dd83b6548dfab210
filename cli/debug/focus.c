/* SPDX-License-Identifier: Apache-2.0 */
/* The focus of commands: warp, workgroup, lane. */
#include "debugger.h"

enum sam_status command_focus(struct debug *d, const char *rest, struct sam_error *error)
{
    static const char *const names[] = {
        [FOCUS_WARP] = "warp", [FOCUS_WORKGROUP] = "workgroup", [FOCUS_LANE] = "lane"};
    const uint64_t counts[] = {[FOCUS_WARP] = d->shape.warps,
                               [FOCUS_WORKGROUP] = UINT64_C(1) << 32,
                               [FOCUS_LANE] = d->shape.lanes};
    struct sam_session_warp warp;
    uint32_t number = 0;
    if (!*rest) {
        debug_say(d, "workgroup %u warp %u lane %u\n", d->focus.workgroup, d->focus.warp,
                  d->focus.lane);
        return SAM_OK;
    }
    enum sam_status status = debug_index(d, &rest, names[d->how], counts[d->how], &number, error)
                                 ?: debug_no_more(rest, error);
    if (status == SAM_OK && d->how == FOCUS_WORKGROUP)
        status = sam_session_warp(d->session, number, 0, &warp, error);
    if (status != SAM_OK)
        return status;
    if (d->how == FOCUS_LANE) {
        d->focus.lane = number;
        status = debug_warp(d, &warp, error);
        if (status == SAM_OK)
            debug_say(d, "lane %u, %s\n", number,
                      warp.mask >> number & 1 ? "active" : "not active");
        return status;
    }
    if (d->how == FOCUS_WORKGROUP)
        d->focus.workgroup = number;
    d->focus.warp = d->how == FOCUS_WORKGROUP ? 0 : number;
    d->shown_focus.warp = UINT32_MAX;
    stop_show_place(d, true, "");
    return SAM_OK;
}
