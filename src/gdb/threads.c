/* SPDX-License-Identifier: Apache-2.0 */
/* Threads are the warps that have not ended. Of a launch with many workgroups, these are listed:
 * the first that has not ended, those that had a stop, and those that the user has selected. */
#include "gdb/gdb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t sam_gdb_thread_id(const struct sam_gdb *gdb, struct sam_gdb_thread thread)
{
    return (uint64_t)thread.workgroup * gdb->shape.warps + thread.warp + 1;
}

bool sam_gdb_lives(struct sam_gdb *gdb, struct sam_gdb_thread thread)
{
    struct sam_session_warp warp;
    return sam_session_workgroup_state(gdb->session, thread.workgroup) == SAM_SESSION_LIVE &&
           sam_session_warp(gdb->session, thread.workgroup, thread.warp, &warp, NULL) == SAM_OK &&
           warp.state != SAM_WARP_ENDED;
}

bool sam_gdb_take_thread(struct sam_gdb *gdb, struct sam_gdb_text *text,
                         struct sam_gdb_thread *thread, struct sam_gdb_thread any)
{
    uint64_t id;
    *thread = any;
    if (sam_gdb_take(text, "-1"))
        return true;
    if (!sam_gdb_take_number(text, &id))
        return false;
    if (id == 0)
        return true;
    const uint64_t workgroup = --id / gdb->shape.warps;
    *thread = (struct sam_gdb_thread){(uint32_t)workgroup, (uint32_t)(id % gdb->shape.warps)};
    return workgroup < UINT32_MAX && sam_gdb_lives(gdb, *thread);
}

/* The first workgroup that has not ended, which is started; UINT32_MAX if all have ended. */
static uint32_t present(struct sam_gdb *gdb)
{
    struct sam_session_warp warp;
    for (; gdb->first < gdb->shape.workgroups; gdb->first++) {
        const uint32_t workgroup = sam_session_workgroup(gdb->session, gdb->first);
        if (sam_session_workgroup_state(gdb->session, workgroup) == SAM_SESSION_NEW)
            sam_session_warp(gdb->session, workgroup, 0, &warp, NULL);
        if (sam_session_workgroup_state(gdb->session, workgroup) == SAM_SESSION_LIVE)
            return workgroup;
    }
    return UINT32_MAX;
}

void sam_gdb_recount(struct sam_gdb *gdb)
{
    gdb->first = 0;
}

bool sam_gdb_know(struct sam_gdb *gdb, uint32_t workgroup)
{
    size_t at = gdb->known_count;
    while (at && gdb->known[at - 1] >= workgroup)
        at--;
    if (at < gdb->known_count && gdb->known[at] == workgroup)
        return true;
    void *grown = sam_grow(gdb->known, gdb->known_count, &gdb->known_capacity, sizeof *gdb->known);
    if (!grown)
        return false;
    gdb->known = grown;
    memmove(gdb->known + at + 1, gdb->known + at, (gdb->known_count++ - at) * sizeof *gdb->known);
    gdb->known[at] = workgroup;
    return true;
}

/* Keep the known workgroups that have not ended, and add the current one. */
static bool refresh(struct sam_gdb *gdb)
{
    size_t kept = 0;
    for (size_t i = 0; i < gdb->known_count; i++)
        if (sam_session_workgroup_state(gdb->session, gdb->known[i]) == SAM_SESSION_LIVE)
            gdb->known[kept++] = gdb->known[i];
    gdb->known_count = kept;
    const uint32_t workgroup = present(gdb);
    return workgroup == UINT32_MAX || sam_gdb_know(gdb, workgroup);
}

/* *place counts the warps of the known workgroups. */
bool sam_gdb_next_thread(struct sam_gdb *gdb, uint64_t *place, struct sam_gdb_thread *thread)
{
    if (*place == 0 && !refresh(gdb))
        return false;
    while (*place < (uint64_t)gdb->known_count * gdb->shape.warps) {
        const uint64_t at = (*place)++;
        *thread = (struct sam_gdb_thread){gdb->known[at / gdb->shape.warps],
                                          (uint32_t)(at % gdb->shape.warps)};
        if (sam_gdb_lives(gdb, *thread))
            return true;
    }
    return false;
}

bool sam_gdb_some_thread(struct sam_gdb *gdb, struct sam_gdb_thread *thread)
{
    uint64_t place = 0;
    if (sam_gdb_lives(gdb, *thread))
        return true;
    struct sam_gdb_thread other, first = {0};
    bool found = false;
    while (sam_gdb_next_thread(gdb, &place, &other)) {
        if (!found)
            first = other;
        found = true;
        if (other.workgroup == thread->workgroup) {
            *thread = other;
            return true;
        }
    }
    if (found)
        *thread = first;
    return found;
}

void sam_gdb_thread_name(struct sam_gdb_thread thread, char text[64])
{
    snprintf(text, 64, "workgroup %u warp %u", thread.workgroup, thread.warp);
}

void sam_gdb_thread_state(struct sam_gdb *gdb, struct sam_gdb_thread thread, char *text,
                          size_t size)
{
    struct sam_session_warp warp;
    if (sam_session_warp(gdb->session, thread.workgroup, thread.warp, &warp, NULL) != SAM_OK ||
        warp.state == SAM_WARP_ENDED)
        snprintf(text, size, "ended");
    else if (!gdb->shape.v_count)
        snprintf(text, size, "hart");
    else
        snprintf(text, size, "%s%d of %u lanes%s",
                 warp.state == SAM_WARP_WAITS ? "at a barrier, " : "",
                 __builtin_popcount(warp.mask), gdb->shape.lanes, warp.depth ? ", diverged" : "");
}

void sam_gdb_threads_document(struct sam_gdb *gdb, struct sam_buffer *xml)
{
    uint64_t place = 0;
    struct sam_gdb_thread thread;
    char name[64], state[64];
    sam_buffer_puts(xml, "<?xml version=\"1.0\"?>\n<threads>\n");
    while (sam_gdb_next_thread(gdb, &place, &thread)) {
        sam_gdb_thread_name(thread, name);
        sam_gdb_thread_state(gdb, thread, state, sizeof state);
        sam_buffer_printf(xml, "<thread id=\"%" PRIx64 "\" name=\"%s\">%s</thread>\n",
                          sam_gdb_thread_id(gdb, thread), name, state);
    }
    sam_buffer_puts(xml, "</threads>\n");
}
