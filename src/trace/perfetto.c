/* SPDX-License-Identifier: Apache-2.0 */
/* Chrome's trace event format, which Perfetto opens: a JSON array of events. Names hold no
 * character that JSON would quote. */
#include <inttypes.h>
#include <stdio.h>

#include "trace/timeline.h"

static void put(struct sam_perfetto *p, const char *format, ...) SAM_PRINTF(2, 3);
static void put(struct sam_perfetto *p, const char *format, ...)
{
    char line[256] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const char *before = p->begun ? ",\n" : "[\n";
    p->begun = true;
    p->failed = p->failed || !p->sink.write(p->sink.context, before, 2) ||
                !p->sink.write(p->sink.context, line, strlen(line));
}

void sam_perfetto_track(struct sam_perfetto *p, unsigned track, const char *name)
{
    put(p,
        "{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}",
        track, name);
}

void sam_perfetto_slice(struct sam_perfetto *p, unsigned track, const char *name, uint64_t from,
                        uint64_t to)
{
    put(p,
        "{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"name\":\"%s\",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
        "}",
        track, name, from, to - from);
}

bool sam_perfetto_end(struct sam_perfetto *p)
{
    const char *end = p->begun ? "\n]\n" : "[]\n";
    return !p->failed && p->sink.write(p->sink.context, end, strlen(end));
}
