/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_string(struct sam_buffer *out, const char *text)
{
    sam_buffer_append(out, "\"", 1);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            sam_buffer_append(out, "\\", 1);
        if ((unsigned char)*c < ' ')
            sam_buffer_printf(out, "\\u%04x", (unsigned)*c);
        else /* symbol names may be invalid UTF-8, which JSON must not be */
            sam_buffer_append(out, (unsigned char)*c < 0x7f ? c : "?", 1);
    }
    sam_buffer_append(out, "\"", 1);
}

static bool write_line(struct sam_perfetto *p)
{
    p->good =
        p->good && !p->line.failed && p->sink.write(p->sink.context, p->line.data, p->line.size);
    p->line.size = 0;
    return p->good;
}

/* Write the start of an event, up to and including its name. */
static void open_event(struct sam_perfetto *p, unsigned process, char phase, const char *name)
{
    sam_buffer_printf(&p->line, "%s\n{\"ph\":\"%c\",\"pid\":%u,\"name\":", p->any ? "," : "", phase,
                      process + 1);
    put_string(&p->line, name);
    p->any = true;
}

static bool close_event(struct sam_perfetto *p)
{
    sam_buffer_printf(&p->line, "}");
    return write_line(p);
}

bool sam_perfetto_begin(struct sam_perfetto *p, const struct sam_sink *sink)
{
    *p = (struct sam_perfetto){.sink = *sink, .good = true};
    sam_buffer_printf(&p->line, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    return write_line(p);
}

/* Write the process and number of a track. */
static unsigned process_of(unsigned track)
{
    return track / SAM_PERFETTO_TRACKS;
}

static unsigned place_of(unsigned track)
{
    return track % SAM_PERFETTO_TRACKS;
}

bool sam_perfetto_process(struct sam_perfetto *p, unsigned process, const char *name)
{
    open_event(p, process, 'M', "process_name");
    sam_buffer_printf(&p->line, ",\"args\":{\"name\":");
    put_string(&p->line, name);
    sam_buffer_printf(&p->line, "}");
    return close_event(p);
}

bool sam_perfetto_track(struct sam_perfetto *p, unsigned track, const char *name)
{
    open_event(p, process_of(track), 'M', "thread_name");
    sam_buffer_printf(&p->line, ",\"tid\":%u,\"args\":{\"name\":", place_of(track));
    put_string(&p->line, name);
    sam_buffer_printf(&p->line, "}");
    close_event(p);
    open_event(p, process_of(track), 'M', "thread_sort_index");
    sam_buffer_printf(&p->line, ",\"tid\":%u,\"args\":{\"sort_index\":%u}", place_of(track),
                      place_of(track));
    return close_event(p);
}

bool sam_perfetto_slice(struct sam_perfetto *p, const struct sam_perfetto_slice *slice)
{
    open_event(p, process_of(slice->track), 'X', slice->name);
    sam_buffer_printf(&p->line, ",\"cat\":");
    put_string(&p->line, slice->category);
    sam_buffer_printf(&p->line, ",\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64,
                      place_of(slice->track), slice->start, slice->end - slice->start);
    for (size_t i = 0; i < slice->arg_count; i++) {
        const struct sam_perfetto_arg *a = &slice->args[i];
        sam_buffer_printf(&p->line, i ? "," : ",\"args\":{");
        put_string(&p->line, a->name);
        sam_buffer_printf(&p->line, ": ");
        if (a->text)
            put_string(&p->line, a->text);
        else
            sam_buffer_printf(&p->line, "%" PRIu64, a->value);
    }
    if (slice->arg_count)
        sam_buffer_printf(&p->line, "}");
    return close_event(p);
}

unsigned sam_perfetto_lane(struct sam_perfetto *p, struct sam_perfetto_lanes *lanes, unsigned first,
                           unsigned most, const char *name, uint64_t start, uint64_t end)
{
    size_t lane = 0;
    while (lane < lanes->count && lane + 1 < most && lanes->ends[lane] > start)
        lane++;
    if (lane == lanes->count) {
        uint64_t *grown = sam_grow(lanes->ends, lane, &lanes->capacity, sizeof *grown);
        if (!grown) {
            p->good = false;
            return first;
        }
        char text[64];
        sam_format(text, sizeof text, lane ? "%s %zu" : "%s", name, lane + 1);
        sam_perfetto_track(p, first + (unsigned)lane, text);
        lanes->ends = grown;
        lanes->ends[lanes->count++] = 0;
    }
    lanes->ends[lane] = lanes->ends[lane] > end ? lanes->ends[lane] : end;
    return first + (unsigned)lane;
}

void sam_perfetto_lanes_free(struct sam_perfetto_lanes *lanes)
{
    free(lanes->ends);
    *lanes = (struct sam_perfetto_lanes){0};
}

bool sam_perfetto_counter(struct sam_perfetto *p, const char *name, const char *series,
                          uint64_t time, uint64_t value)
{
    open_event(p, 0, 'C', name);
    sam_buffer_printf(&p->line, ",\"ts\":%" PRIu64 ",\"args\":{", time);
    put_string(&p->line, series);
    sam_buffer_printf(&p->line, ": %" PRIu64 "}", value);
    return close_event(p);
}

bool sam_perfetto_flow(struct sam_perfetto *p, const char *name, uint64_t number, unsigned track,
                       uint64_t time, bool arrives)
{
    open_event(p, process_of(track), arrives ? 'f' : 's', name);
    sam_buffer_printf(&p->line,
                      ",\"cat\":\"flow\",\"id\":%" PRIu64 ",\"tid\":%u,\"ts\":%" PRIu64 "%s",
                      number, place_of(track), time, arrives ? ",\"bp\":\"e\"" : "");
    return close_event(p);
}

bool sam_perfetto_end(struct sam_perfetto *p)
{
    sam_buffer_printf(&p->line, "\n]}\n");
    bool good = write_line(p);
    sam_buffer_free(&p->line);
    p->good = false;
    return good;
}
