/* SPDX-License-Identifier: Apache-2.0 */
/* Kanata 0004: tab-separated lines. "C" lines advance the time, so events are sorted by cycle. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/timeline.h"

static void add(struct sam_konata *k, uint64_t cycle, const char *format, ...) SAM_PRINTF(3, 4);
static void add(struct sam_konata *k, uint64_t cycle, const char *format, ...)
{
    struct sam_konata_event *events = sam_grow(k->events, k->count, &k->capacity, sizeof *events);
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int size = sam_format_list(line, sizeof line, format, arguments);
    va_end(arguments);
    if (!events) {
        k->failed = true;
        return;
    }
    k->events = events;
    unsigned used = size < (int)sizeof line ? (unsigned)size : (unsigned)sizeof line - 1;
    events[k->count++] = (struct sam_konata_event){cycle, k->text.size, used};
    sam_buffer_append(&k->text, line, used);
}

void sam_konata_row(struct sam_konata *k, const char *label, const char *detail,
                    const struct sam_konata_stage *stages, unsigned count)
{
    const uint64_t id = k->rows++;
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned i = 0; i < count; i++) {
        first = stages[i].from < first ? stages[i].from : first;
        last = stages[i].to > last ? stages[i].to : last;
    }
    add(k, first, "I\t%" PRIu64 "\t%" PRIu64 "\t0\n", id, id);
    add(k, first, "L\t%" PRIu64 "\t0\t%s\n", id, label);
    add(k, first, "L\t%" PRIu64 "\t1\t%s\n", id, detail);
    for (unsigned i = 0; i < count; i++) {
        const struct sam_konata_stage *s = &stages[i];
        if (s->to <= s->from)
            continue;
        add(k, s->from, "S\t%" PRIu64 "\t%u\t%s\n", id, s->lane, s->name);
        add(k, s->to, "E\t%" PRIu64 "\t%u\t%s\n", id, s->lane, s->name);
    }
    add(k, last, "R\t%" PRIu64 "\t%" PRIu64 "\t0\n", id, id);
}

/* By cycle, then by arrival. */
static int compare(const void *left, const void *right)
{
    const struct sam_konata_event *a = left, *b = right;
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

bool sam_konata_write(struct sam_konata *k, const struct sam_sink *sink)
{
    char line[64];
    uint64_t now = 0;
    if (k->failed || k->text.failed)
        return false;
    if (k->count)
        qsort(k->events, k->count, sizeof *k->events, compare);
    int size = snprintf(line, sizeof line, "Kanata\t0004\nC=\t0\n");
    bool good = sink->write(sink->context, line, (size_t)size);
    for (size_t i = 0; good && i < k->count; i++) {
        const struct sam_konata_event *e = &k->events[i];
        if (e->cycle > now) {
            size = snprintf(line, sizeof line, "C\t%" PRIu64 "\n", e->cycle - now);
            good = sink->write(sink->context, line, (size_t)size);
            now = e->cycle;
        }
        good = good && sink->write(sink->context, k->text.data + e->at, e->size);
    }
    return good;
}

void sam_konata_free(struct sam_konata *k)
{
    sam_buffer_free(&k->text);
    free(k->events);
    *k = (struct sam_konata){0};
}
