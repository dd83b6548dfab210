/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline on its way to its file: the window of cycles that --perfetto-from and --perfetto-to
 * keep, and a note once the file is larger than viewers open at ease. The writer of timelines
 * (trace/perfetto.h) passes one event per call, which begins in cycle "ts" and lasts "dur". */
#include <string.h>

#include "run/run.h"
#include "samite/file.h"

enum { LARGE = 50 << 20 };

/* The number after `key`, a member's name with its quotes. Those in a string are escaped, so that
 * no name of a program reads like one. False: there is none. */
static bool member(const char *event, size_t size, const char *key, uint64_t *value)
{
    const char *at = memmem(event, size, key, strlen(key)), *end = event + size;
    if (!at)
        return false;
    *value = 0;
    for (at += strlen(key); at < end && *at >= '0' && *at <= '9'; at++)
        *value = 10 * *value + (uint64_t)(*at - '0');
    return true;
}

static bool write_event(void *context, const void *data, size_t size)
{
    struct run_perfetto *p = context;
    uint64_t start, length = 0;
    if (member(data, size, "\"ts\":", &start)) {
        member(data, size, "\"dur\":", &length);
        if (start > p->to || start + length < p->from)
            return true;
    }
    p->bytes += size;
    if (p->bytes > LARGE && p->bytes - size <= LARGE)
        cli_note("%s: larger than 50 MB, which ui.perfetto.dev is slow to open: --perfetto-from "
                 "CYCLE and --perfetto-to CYCLE keep a part",
                 p->path);
    return sam_output_write(p->output, data, size);
}

struct sam_sink run_perfetto_sink(struct run_perfetto *p, const struct run_request *r,
                                  const char *path, struct sam_output *output)
{
    *p = (struct run_perfetto){
        .output = output, .path = path, .from = r->perfetto_from, .to = r->perfetto_to};
    return (struct sam_sink){write_event, p};
}
