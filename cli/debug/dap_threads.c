/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and frames of the Debug Adapter Protocol. A thread is a warp. Its first frame is where
 * its active lanes are, then comes the caller, and then a frame for each group of lanes that waits
 * in the SIMT stack. */
#include <limits.h>
#include <stdlib.h>

#include "dap.h"

enum { MOST_THREADS = 1024 };

/* --------------------------------------------------------------------------------- threads */

json_int_t dap_thread(const struct dap *dap, uint32_t workgroup, uint32_t warp)
{
    return (json_int_t)workgroup * dap->debug->shape.warps + warp + 1;
}

static json_t *thread_row(struct dap *dap, uint32_t workgroup, uint32_t index,
                          const struct sam_session_warp *warp)
{
    const struct debug *d = dap->debug;
    char name[96];
    if (!d->shape.v_count)
        snprintf(name, sizeof name, "hart");
    else
        snprintf(name, sizeof name, "workgroup %u warp %u (%d of %u lanes)%s", workgroup, index,
                 __builtin_popcount(warp->mask), d->shape.lanes,
                 warp->state == SAM_WARP_WAITS ? ", at a barrier" : "");
    return REPORT(COUNT("id", dap_thread(dap, workgroup, index)), TEXT("name", name));
}

static json_t *add_threads(struct dap *dap, json_t *rows, uint32_t workgroup)
{
    struct debug *d = dap->debug;
    struct sam_session_warp warp;
    for (uint32_t i = 0; i < d->shape.warps && json_array_size(rows) < MOST_THREADS; i++) {
        const bool ours = workgroup == d->focus.workgroup && i == d->focus.warp;
        if (sam_session_warp(d->session, workgroup, i, &warp, NULL) == SAM_OK &&
            (warp.state != SAM_WARP_ENDED || ours))
            rows = report_add(rows, thread_row(dap, workgroup, i, &warp));
    }
    return rows;
}

/* The warps of workgroups that have started. */
enum sam_status dap_on_threads(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    struct debug *d = dap->debug;
    json_t *rows = add_threads(dap, json_array(), d->focus.workgroup);
    (void)arguments, (void)error;
    for (uint64_t i = 0; i < d->shape.workgroups && json_array_size(rows) < MOST_THREADS; i++) {
        const uint32_t workgroup = sam_session_workgroup(d->session, i);
        if (workgroup != d->focus.workgroup &&
            sam_session_workgroup_state(d->session, workgroup) == SAM_SESSION_LIVE)
            rows = add_threads(dap, rows, workgroup);
    }
    return dap_respond(dap, report_set(json_object(), "threads", rows));
}

enum sam_status dap_focus_thread(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    struct debug *d = dap->debug;
    struct sam_session_warp warp;
    json_int_t id;
    enum sam_status status = dap_need_integer(arguments, "threadId", &id, error);
    if (status != SAM_OK)
        return status;
    if (id < 1 || (uint64_t)(id - 1) / d->shape.warps > UINT32_MAX)
        return cli_refuse(error, "no thread %lld", (long long)id);
    const uint32_t workgroup = (uint32_t)((uint64_t)(id - 1) / d->shape.warps),
                   index = (uint32_t)((uint64_t)(id - 1) % d->shape.warps);
    const bool started = /* a query would start the others */
        workgroup == d->focus.workgroup ||
        sam_session_workgroup_state(d->session, workgroup) == SAM_SESSION_LIVE;
    if (!started || sam_session_warp(d->session, workgroup, index, &warp, error) != SAM_OK)
        return cli_refuse(error, "no thread %lld", (long long)id);
    d->focus = (struct debug_focus){workgroup, index, dap->lane};
    return SAM_OK;
}

/* --------------------------------------------------------------------------------- sources */

static bool is_start_code(const char *file)
{
    return strcmp(file, "<start code>") == 0;
}

json_t *dap_source_of(const char *file)
{
    char *path = is_start_code(file) ? NULL : realpath(file, NULL);
    json_t *source = report_text(json_object(), "name", cli_base_name(file));
    if (is_start_code(file)) {
        source = REPORT_MORE(source, COUNT("sourceReference", 1),
                             TEXT("presentationHint", "deemphasize"));
    } else {
        source = report_text(source, "path", path ? path : file);
    }
    free(path);
    return source;
}

json_t *dap_source(struct dap *dap, uint64_t address, json_int_t *line)
{
    uint32_t found = 0;
    const char *file = source_at(dap->debug, address, &found);
    *line = file ? (json_int_t)found - dap->lines_from_0 : 0;
    return file ? dap_source_of(file) : NULL;
}

/* The only text without a file. */
enum sam_status dap_on_source(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    const json_t *source = json_object_get(arguments, "source");
    if (cli_json_integer(arguments, "sourceReference",
                         cli_json_integer(source, "sourceReference", 0)) != 1)
        return cli_refuse(error, "source: no such sourceReference");
    return dap_respond(dap, REPORT(TEXT("content", sam_gpu_start_code())));
}

enum sam_status dap_on_loaded_sources(struct dap *dap, const json_t *arguments,
                                      struct sam_error *error)
{
    const struct sam_image *image = dap->debug->image;
    json_t *rows = json_array();
    (void)arguments, (void)error;
    for (size_t i = 0; image && i < image->file_count; i++)
        rows = report_add(rows, dap_source_of(image->files[i]));
    return dap_respond(dap, report_set(json_object(), "sources", rows));
}

/* ---------------------------------------------------------------------------------- frames */

struct dap_frame *dap_frame(struct dap *dap, uint64_t index, struct sam_error *error)
{
    if (index < dap->frame_count)
        return &dap->frames[index];
    cli_refuse(error, "no such frame: the program has run since");
    return NULL;
}

enum sam_status dap_focus_frame(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    const json_t *id = json_object_get(arguments, "frameId");
    if (!id || json_is_null(id))
        return SAM_OK;
    if (!json_is_integer(id))
        return cli_refuse(error, "frameId: expected an integer");
    const struct dap_frame *frame = dap_frame(dap, (uint64_t)json_integer_value(id) - 1, error);
    if (!frame)
        return SAM_ERR_USAGE;
    dap->debug->focus = (struct debug_focus){frame->workgroup, frame->warp, frame->lane};
    return SAM_OK;
}

/* The lane that a frame shows: the chosen one if it is there. */
static uint32_t lane_of(const struct dap *dap, uint32_t lanes)
{
    return !lanes || lanes >> dap->lane & 1 ? dap->lane : (uint32_t)__builtin_ctz(lanes);
}

void dap_choose_lane(struct dap *dap, uint32_t lane)
{
    dap->lane = lane;
    for (size_t i = 0; i < dap->frame_count; i++)
        dap->frames[i].lane = lane_of(dap, dap->frames[i].lanes);
}

/* The number of a frame, which is kept until the program runs. */
static enum sam_status keep_frame(struct dap *dap, struct dap_frame frame, size_t *number,
                                  struct sam_error *error)
{
    frame.lane = lane_of(dap, frame.lanes);
    for (size_t i = 0; i < dap->frame_count; i++) {
        const struct dap_frame *f = &dap->frames[i];
        if (f->workgroup == frame.workgroup && f->warp == frame.warp && f->index == frame.index) {
            dap->frames[i] = frame;
            *number = i + 1;
            return SAM_OK;
        }
    }
    if (dap->frame_count >= DAP_MOST_FRAMES)
        return cli_refuse(error, "more than %d frames", DAP_MOST_FRAMES);
    struct dap_frame *grown = debug_grow(dap->frames, dap->frame_count, sizeof *grown);
    if (!grown)
        return cli_refuse_memory(error);
    dap->frames = grown;
    grown[dap->frame_count++] = frame;
    *number = dap->frame_count;
    return SAM_OK;
}

/* A window of frames. */
struct frame_list {
    struct dap *dap;
    json_t *rows;
    unsigned index, start, end;
    struct dap_frame frame; /* of the thread */
};

static enum sam_status add_frame(struct frame_list *list, enum dap_frame_kind kind, uint64_t pc,
                                 uint32_t lanes, struct sam_error *error)
{
    struct debug *d = list->dap->debug;
    struct dap_frame frame = list->frame;
    char place[160], which[32] = "", name[256];
    json_int_t line;
    size_t number = 0;
    frame.kind = kind;
    frame.pc = pc;
    frame.lanes = lanes;
    frame.index = list->index++;
    if (frame.index < list->start || frame.index >= list->end)
        return SAM_OK;
    const enum sam_status status = keep_frame(list->dap, frame, &number, error);
    if (status != SAM_OK)
        return status;
    sam_image_describe(d->image, pc, place, sizeof place);
    if (d->shape.v_count && kind != DAP_CALLER && lanes && lanes != debug_all_lanes(d))
        stop_name_lanes(lanes, which, sizeof which);
    snprintf(name, sizeof name, "%s%s%s%s%s", place, *which ? " [" : "", *which ? which + 1 : "",
             kind == DAP_WAITING ? " waiting" : "", *which ? "]" : "");
    json_t *source = dap_source(list->dap, pc, &line);
    json_t *row = REPORT(COUNT("id", (json_int_t)number), TEXT("name", name));
    if (source)
        row = report_set(row, "source", source);
    row = REPORT_MORE(row, COUNT("line", line), COUNT("column", 0),
                      TREE("instructionPointerReference", dap_address(pc)));
    if (kind == DAP_WAITING)
        row = report_text(row, "presentationHint", "subtle");
    list->rows = report_add(list->rows, row);
    return SAM_OK;
}

static enum sam_status add_frames(struct frame_list *list, struct sam_error *error)
{
    struct debug *d = list->dap->debug;
    struct sam_stack_entry *entries = NULL;
    struct sam_session_warp warp;
    size_t depth = 0;
    uint64_t caller;
    enum sam_status status = debug_warp(d, &warp, error);
    if (status != SAM_OK || warp.state == SAM_WARP_ENDED)
        return status;
    uint32_t shown = warp.mask;
    status = add_frame(list, DAP_CURRENT, warp.pc, warp.mask, error);
    if (status == SAM_OK && debug_caller(d, &caller))
        status = add_frame(list, DAP_CALLER, caller, warp.mask, error);
    if (status == SAM_OK && d->shape.v_count)
        status = stack_read(d, &entries, &depth, error);
    for (size_t i = depth; i-- > 0 && status == SAM_OK;) {
        const uint32_t lanes = entries[i].mask & ~shown;
        shown |= lanes;
        if (lanes)
            status = add_frame(list, DAP_WAITING, entries[i].pc, lanes, error);
    }
    free(entries);
    return status;
}

enum sam_status dap_on_stack_trace(struct dap *dap, const json_t *arguments,
                                   struct sam_error *error)
{
    struct debug *d = dap->debug;
    const json_int_t start = cli_json_integer(arguments, "startFrame", 0),
                     levels = cli_json_integer(arguments, "levels", 0);
    struct frame_list list = {.dap = dap, .end = UINT_MAX};
    enum sam_status status = dap_focus_thread(dap, arguments, error);
    if (status != SAM_OK)
        return status;
    if (start < 0 || start > INT_MAX || levels < 0 || levels > INT_MAX)
        status = cli_refuse(error, "startFrame, levels: expected numbers from 0 on");
    list.start = (unsigned)start;
    if (levels)
        list.end = list.start + (unsigned)levels;
    list.frame = (struct dap_frame){.workgroup = d->focus.workgroup, .warp = d->focus.warp};
    list.rows = json_array();
    if (status == SAM_OK)
        status = add_frames(&list, error);
    if (status != SAM_OK) {
        json_decref(list.rows);
        return status;
    }
    return dap_respond(dap,
                       REPORT(TREE("stackFrames", list.rows), COUNT("totalFrames", list.index)));
}
