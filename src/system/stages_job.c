/* SPDX-License-Identifier: Apache-2.0 */
/* Construction of a pipeline's records, and the pipeline as a unit. */
#include <stdlib.h>

#include "system/stages.h"

struct system_job *sam_system_job_new(const char *name)
{
    struct system_job *job = sam_alloc(1, sizeof *job);
    if (job)
        job->name = name;
    return job;
}

void sam_system_job_free(struct system_job *job)
{
    if (!job)
        return;
    free(job->parts);
    free(job->flows);
    free(job);
}

void sam_system_job_part(struct system_job *job, const struct system_part *part)
{
    void *grown = sam_grow(job->parts, job->count, &job->capacity, sizeof *job->parts);
    job->failed |= !grown;
    if (job->failed)
        return;
    job->parts = grown;
    job->parts[job->count] = *part;
    job->parts[job->count].steps += part->steps == 0;
    job->parts[job->count].flow = job->flow_count;
    job->parts[job->count++].flows = 0;
}

static void add_flow(struct system_job *job, const struct system_flow *flow, bool writes)
{
    if (job->failed || flow->bytes == 0)
        return;
    void *grown = sam_grow(job->flows, job->flow_count, &job->flow_capacity, sizeof *job->flows);
    job->failed |= !grown;
    if (!grown)
        return;
    job->flows = grown;
    struct system_part *part = &job->parts[job->count - 1];
    struct system_flow *f = &job->flows[job->flow_count++];
    *f = *flow;
    f->writes = writes;
    f->guess = part->guess;
    f->moved = 0;
    f->steps = f->steps ? f->steps : part->steps - f->first;
    part->flows++;
}

void sam_system_job_read(struct system_job *job, const struct system_flow *flow)
{
    add_flow(job, flow, false);
}

void sam_system_job_write(struct system_job *job, const struct system_flow *flow)
{
    add_flow(job, flow, true);
}

void sam_system_job_measure(struct system_job *job)
{
    job->reads = job->writes = (struct system_hull){0, 0};
    for (size_t i = 0; i < job->flow_count; i++) {
        const struct system_flow *f = &job->flows[i];
        if (f->guess) /* no step uses the bytes */
            continue;
        struct system_hull *hull = f->writes ? &job->writes : &job->reads;
        hull->low = hull->end == 0 || f->address < hull->low ? f->address : hull->low;
        hull->end = f->address + f->bytes > hull->end ? f->address + f->bytes : hull->end;
    }
}

/* ------------------------------------------------------------------------------- as a unit */

void *sam_system_stages_open(const struct sam_system_config *config,
                             const struct system_stages_options *options)
{
    struct system_stages *s = sam_alloc(1, sizeof *s);
    (void)config;
    if (s)
        sam_system_stages_init(s, options);
    return s;
}

void sam_system_stages_close(void *state)
{
    struct system_stages *s = state;
    if (!s)
        return;
    for (struct system_job *job = s->first, *next; job; job = next) {
        next = job->next;
        sam_system_job_free(job);
    }
    sam_system_job_free(s->given);
    free(s);
}

bool sam_system_stages_uses(const void *state, size_t index, struct sam_work_span *bytes,
                            bool *stores)
{
    struct system_job *job = ((const struct system_stages *)state)->given;
    if (!job || index > 1)
        return false;
    sam_system_job_measure(job);
    const struct system_hull *hull = index ? &job->writes : &job->reads;
    *stores = index == 1;
    *bytes = hull->end ? (struct sam_work_span){hull->low, hull->end - 1}
                       : (struct sam_work_span){UINT64_MAX, 0};
    return true;
}

bool sam_system_stages_submit(void *state)
{
    struct system_stages *s = state;
    if (s->given)
        sam_system_stages_enter(s, s->given, s->options.clock->now + 1);
    s->given = NULL;
    return true;
}
