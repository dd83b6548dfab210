/* SPDX-License-Identifier: Apache-2.0 */
/* Validates a pipe description: every name, index and array it refers to must exist. */
#include "system/pipes.h"

static bool is_operation(const struct sam_system_pipes *p, uint32_t index)
{
    return index < p->operation_count;
}

static bool are_events(const struct sam_system_pipes *p, const uint32_t *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!events || events[i] >= p->events)
            return false;
    return true;
}

static enum sam_status check_operation(const struct sam_system_pipes *p, size_t i,
                                       struct sam_error *error)
{
    const struct sam_system_operation *o = &p->operations[i];
    if (!o->name)
        return sam_fail(error, SAM_ERR_USAGE, "operation %zu without a name: expected one", i);
    if (o->pipe >= p->count && o->pipe != SAM_SYSTEM_NO_PIPE)
        return sam_fail(error, SAM_ERR_USAGE, "operation %zu of pipe %u: expected one below %u", i,
                        o->pipe, p->count);
    return SAM_OK;
}

static enum sam_status check_mark(const struct sam_system_pipes *p, size_t i,
                                  struct sam_error *error)
{
    const struct sam_system_mark *m = &p->marks[i];
    const bool reads = m->kind == SAM_SYSTEM_MARK_WAIT || m->kind == SAM_SYSTEM_MARK_COPY;
    const bool writes = m->kind == SAM_SYSTEM_MARK_RECORD || m->kind == SAM_SYSTEM_MARK_COPY;
    if (m->operation != SAM_SYSTEM_NO_PIPE && !is_operation(p, m->operation))
        return sam_fail(error, SAM_ERR_USAGE, "mark %zu of operation %u: expected one below %zu", i,
                        m->operation, p->operation_count);
    if ((unsigned)m->kind > SAM_SYSTEM_MARK_COPY)
        return sam_fail(error, SAM_ERR_USAGE, "mark %zu of kind %u: expected 0 to %d", i,
                        (unsigned)m->kind, SAM_SYSTEM_MARK_COPY);
    if (m->kind == SAM_SYSTEM_MARK_RECORD && (m->pipe >= p->count || m->count != 1))
        return sam_fail(error, SAM_ERR_USAGE,
                        "mark %zu records pipe %u in events of count %u: expected a pipe below %u "
                        "and a count of 1",
                        i, m->pipe, m->count, p->count);
    if ((reads && !are_events(p, m->from, m->count)) || (writes && !are_events(p, m->to, m->count)))
        return sam_fail(error, SAM_ERR_USAGE, "mark %zu with other events: expected those below %u",
                        i, p->events);
    if (m->address % 4 || (i && m->address < p->marks[i - 1].address))
        return sam_fail(error, SAM_ERR_USAGE,
                        "mark %zu at 0x%llx: expected multiples of 4 in ascending order", i,
                        (unsigned long long)m->address);
    return SAM_OK;
}

static enum sam_status check_kernel(const struct sam_system_pipes *p, size_t i,
                                    struct sam_error *error)
{
    const struct sam_system_kernel *k = &p->kernels[i];
    const uint32_t *of = k->operations;
    if (!k->name || !k->count || !of)
        return sam_fail(error, SAM_ERR_USAGE,
                        "kernel %zu without a name or without operations: expected both", i);
    for (uint32_t n = 0; n < k->count; n++)
        if (!is_operation(p, of[n]) || p->operations[of[n]].pipe >= p->count ||
            p->operations[of[n]].pipe != p->operations[of[0]].pipe)
            return sam_fail(error, SAM_ERR_USAGE,
                            "kernel %zu, operation %u: expected operations of one pipe", i, of[n]);
    return SAM_OK;
}

static enum sam_status check_names(const struct sam_system_pipes *p, struct sam_error *error)
{
    if (!p->title)
        return sam_fail_null(error, "title");
    if (!p->names)
        return sam_fail_null(error, "names");
    for (uint32_t i = 0; i < p->count; i++)
        if (!p->names[i])
            return sam_fail(error, SAM_ERR_USAGE, "pipe %u without a name: expected one", i);
    if (p->operation_count && !p->operations)
        return sam_fail_null(error, "operations");
    if (p->mark_count && !p->marks)
        return sam_fail_null(error, "marks");
    if (p->kernel_count && !p->kernels)
        return sam_fail_null(error, "kernels");
    return SAM_OK;
}

enum sam_status sam_system_pipes_check(const struct sam_system_pipes *p, struct sam_error *error)
{
    if (p->size < sizeof *p)
        return sam_fail(error, SAM_ERR_USAGE, "pipes of %zu bytes: expected at least %zu", p->size,
                        sizeof *p);
    if (p->count < 1 || p->count > SAM_SYSTEM_PIPES)
        return sam_fail(error, SAM_ERR_USAGE, "%u pipes: expected 1 to %d", p->count,
                        SAM_SYSTEM_PIPES);
    enum sam_status status = check_names(p, error);
    for (size_t i = 0; i < p->operation_count && status == SAM_OK; i++)
        status = check_operation(p, i, error);
    for (size_t i = 0; i < p->mark_count && status == SAM_OK; i++)
        status = check_mark(p, i, error);
    for (size_t i = 0; i < p->kernel_count && status == SAM_OK; i++)
        status = check_kernel(p, i, error);
    return status;
}
