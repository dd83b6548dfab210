/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse step of one warp. */
#include "machine/history.h"

/* The number of instructions that the warp has retired; its workgroup may not have started. */
static enum sam_status count(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                             uint64_t *instructions, struct sam_error *error)
{
    struct sam_session_warp state = {0};
    enum sam_status status = SAM_OK;
    if (sam_session_workgroup_state(session, workgroup) != SAM_SESSION_NEW)
        status = sam_session_warp(session, workgroup, warp, &state, error);
    *instructions = state.instructions;
    return status;
}

/* Go to the last time in from..to-1 at which the warp had retired fewer than `instructions`. If it
 * already had at `from`, go there and clear *found. The instruction is usually close to the end, so
 * search backwards in doubling steps, then bisect. */
static enum sam_status search(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                              uint64_t instructions, uint64_t from, uint64_t to, bool *found,
                              struct sam_error *error)
{
    uint64_t low = from, high = to, back = 1, ran;
    bool bounded = false; /* `low` is known to be early enough */
    enum sam_status status = SAM_OK;
    *found = false;
    for (;;) {
        uint64_t at = low + (high - low) / 2;
        if (!bounded) {
            at = back < high - low ? high - back : low;
            back *= 2;
        }
        if ((status = sam_session_goto(session, at, error)) != SAM_OK ||
            (status = count(session, workgroup, warp, &ran, error)) != SAM_OK)
            return status;
        if (ran < instructions)
            low = at, bounded = true;
        else if (at == low)
            return SAM_OK;
        else
            high = at;
        if (bounded && high - low <= 1)
            break;
    }
    *found = true;
    return sam_session_time(session) == low ? SAM_OK : sam_session_goto(session, low, error);
}

enum sam_status sam_session_back_warp(struct sam_session *session, uint32_t workgroup,
                                      uint32_t warp, struct sam_session_stop *stop,
                                      struct sam_error *error)
{
    struct sam_session_warp state;
    struct sam_session_stop ignored;
    stop = stop ? stop : &ignored;
    *stop = (struct sam_session_stop){
        .reason = SAM_SESSION_START, .workgroup = workgroup, .warp = warp};
    enum sam_status status = sam_session_warp(session, workgroup, warp, &state, error);
    if (status == SAM_OK) /* the recording must exist, but may begin later */
        status = sam_session_goto(session, sam_session_time(session), error);
    if (status != SAM_OK)
        return status;
    uint64_t from = sam_session_time(session), to;
    bool found = state.instructions == 0;
    while (!found && sam_history_stretch(session, from, workgroup, warp, &from, &to)) {
        status = search(session, workgroup, warp, state.instructions, from, to, &found, error);
        if (status != SAM_OK)
            return status;
        if (found)
            stop->reason = SAM_SESSION_COUNT;
    }
    status = sam_session_warp(session, workgroup, warp, &state, error);
    stop->pc = state.pc;
    return status;
}
