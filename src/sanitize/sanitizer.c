/* SPDX-License-Identifier: Apache-2.0 */
/* A sanitizer: dispatches events to its checks. */
#include <stdlib.h>

#include "sanitize/sanitize.h"

struct sam_sanitizer *sam_sanitize_listen(const struct sam_sanitize_listener *listener)
{
    struct sam_sanitizer *s = sam_alloc(1, sizeof *s);
    if (s)
        s->listener = *listener;
    return s;
}

struct sam_sanitizer *sam_sanitizer_new(unsigned checks)
{
    if (!checks || checks & ~(unsigned)SAM_SANITIZE_ALL)
        return NULL;
    struct sam_sanitizer *s = sam_alloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->checks = checks;
    if ((checks & SAM_SANITIZE_BOUNDS && !sam_sanitize_bounds_new(s)) ||
        (checks & SAM_SANITIZE_INIT && !sam_sanitize_init_new(s)) ||
        (checks & SAM_SANITIZE_RACE && !sam_sanitize_race_new(s)) ||
        (checks & SAM_SANITIZE_SYNC && !sam_sanitize_sync_new(s))) {
        sam_sanitizer_free(s);
        return NULL;
    }
    return s;
}

void sam_sanitizer_free(struct sam_sanitizer *s)
{
    if (!s)
        return;
    sam_sanitize_bounds_free(s);
    sam_sanitize_init_free(s);
    sam_sanitize_race_free(s);
    sam_sanitize_sync_free(s);
    for (size_t i = 0; i < s->buffer_count; i++)
        free((char *)(uintptr_t)s->buffers[i].name);
    free(s->buffers);
    free(s->objects);
    free(s->findings);
    free(s->slots);
    free(s);
}

unsigned sam_sanitizer_checks(const struct sam_sanitizer *s)
{
    return s->checks;
}

/* Whether the last buffer with these bytes has the same name, as in successive launches. */
static bool is_named(const struct sam_sanitizer *s, const struct sam_sanitizer_buffer *buffer)
{
    for (size_t i = s->buffer_count; i-- > 0;)
        if (s->buffers[i].base == buffer->base && s->buffers[i].size == buffer->size)
            return strcmp(s->buffers[i].name, buffer->name) == 0 && !buffer->output;
    return false;
}

enum sam_status sam_sanitizer_add_buffer(struct sam_sanitizer *s,
                                         const struct sam_sanitizer_buffer *buffer,
                                         struct sam_error *error)
{
    if (SAM_LACKS(error, s, buffer) || SAM_LACKS(error, buffer->name))
        return SAM_ERR_USAGE;
    if (is_named(s, buffer))
        return SAM_OK;
    void *grown = sam_grow(s->buffers, s->buffer_count, &s->buffer_capacity, sizeof *s->buffers);
    char *name = strdup(buffer->name);
    if (grown)
        s->buffers = grown;
    if (!grown || !name) {
        free(name);
        return sam_fail_memory(error);
    }
    s->buffers[s->buffer_count] = *buffer;
    s->buffers[s->buffer_count++].name = name;
    if (buffer->output && s->init && !sam_sanitize_init_output(s, buffer->base, buffer->size))
        return sam_fail_memory(error);
    return SAM_OK;
}

void sam_sanitizer_declare_registers(struct sam_sanitizer *s, uint32_t sgprs, uint32_t vgprs)
{
    s->sgprs = sgprs;
    s->vgprs = vgprs;
}

/* -------------------------------------------------------------------------------- events */

struct sam_finding_side sam_sanitize_side(const struct sam_sanitize_op *op, uint32_t lane)
{
    const unsigned act = sam_insn_rows[op->insn->op].does.act;
    return (struct sam_finding_side){
        .known = true,
        .workgroup = op->warp->workgroup,
        .warp = op->warp->number,
        .lane = lane,
        .pc = op->pc,
        .word = op->insn->word,
        .prefix = op->prefix,
        .access = act == SAM_ACT_LOAD                               ? SAM_FINDING_LOAD
                  : act == SAM_ACT_STORE                            ? SAM_FINDING_STORE
                  : act == SAM_ACT_ATOMIC || act == SAM_ACT_RESERVE ? SAM_FINDING_ATOMIC
                                                                    : SAM_FINDING_NO_ACCESS,
    };
}

/* Whether instructions of this kind read or write registers. */
static bool computes(unsigned act)
{
    return act != SAM_ACT_SYNC && act != SAM_ACT_JOIN && act != SAM_ACT_PREFIX &&
           act != SAM_ACT_SYSTEM;
}

bool sam_sanitize_wants(const struct sam_sanitizer *s, const struct sam_insn *insn)
{
    const struct sam_does *does = &sam_insn_rows[insn->op].does;
    if (s->listener.access && does->bytes)
        return true;
    if (s->checks & SAM_SANITIZE_INIT && computes(does->act))
        return true;
    if (s->checks & SAM_SANITIZE_BOUNDS && (does->bytes || sam_sanitize_registers_want(s, insn)))
        return true;
    if (s->checks & SAM_SANITIZE_RACE && does->bytes && !does->own)
        return true;
    if (!(s->checks & SAM_SANITIZE_SYNC))
        return false;
    return does->act == SAM_ACT_SPLIT || does->act == SAM_ACT_JOIN || does->act == SAM_ACT_RPC ||
           does->act == SAM_ACT_SYNC;
}

bool sam_sanitize_declare(struct sam_sanitizer *s, const struct sam_sanitize_object *object)
{
    void *grown = sam_grow(s->objects, s->object_count, &s->object_capacity, sizeof *s->objects);
    if (!grown)
        return false;
    s->objects = grown;
    s->objects[s->object_count++] = *object;
    return true;
}

static bool declare_local(struct sam_sanitizer *s)
{
    struct sam_sanitize_object object = {
        .base = SAM_LDS_BASE, .size = s->launch.lds_size, .name = "the launch's local memory"};
    bool good = sam_sanitize_declare(s, &object);
    for (size_t i = 0; good && i < s->launch.lds_range_count; i++) {
        const struct sam_lds_range *range = &s->launch.lds_ranges[i];
        object.base = range->base;
        object.size = range->size;
        good = sam_sanitize_declare(s, &object);
    }
    return good;
}

bool sam_sanitize_begin(struct sam_sanitizer *s, const struct sam_sanitize_launch *launch)
{
    s->launch = *launch;
    s->launch.sgprs = s->sgprs ? s->sgprs : launch->sgprs;
    s->launch.vgprs = s->vgprs ? s->vgprs : launch->vgprs;
    s->failed = false;
    s->object_count = 0;
    if (!declare_local(s) || (s->init && !sam_sanitize_init_begin(s)))
        return false;
    if (s->bounds)
        sam_sanitize_bounds_begin(s);
    if (s->race)
        sam_sanitize_race_begin(s);
    return !s->sync || sam_sanitize_sync_begin(s);
}

void sam_sanitize_on_workgroup(struct sam_sanitizer *s, uint32_t workgroup)
{
    s->workgroup = workgroup;
    if (s->init)
        sam_sanitize_init_enter(s);
    if (s->race)
        sam_sanitize_race_enter(s);
    if (s->sync)
        sam_sanitize_sync_enter(s);
}

void sam_sanitize_fetch(struct sam_sanitizer *s, uint32_t pc, uint32_t prefix)
{
    if (!s->listener.fetch)
        return;
    if (prefix)
        s->listener.fetch(s->listener.context, pc - 4);
    s->listener.fetch(s->listener.context, pc);
}

void sam_sanitize_on_instruction(struct sam_sanitizer *s, const struct sam_sanitize_op *op)
{
    if (s->listener.access && op->bytes)
        s->listener.access(s->listener.context, op);
    if (s->bounds && op->bytes)
        sam_sanitize_bounds_see(s, op);
    if (s->bounds && (s->launch.sgprs || s->launch.vgprs))
        sam_sanitize_registers_see(s, op);
    if (s->init)
        sam_sanitize_init_see(s, op);
    if (s->race && op->bytes && !op->own)
        sam_sanitize_race_see(s, op);
    if (s->sync && !op->bytes)
        sam_sanitize_sync_see(s, op);
}

void sam_sanitize_release(struct sam_sanitizer *s)
{
    if (s->race)
        sam_sanitize_race_release(s);
    if (s->sync)
        sam_sanitize_sync_release(s);
}

bool sam_sanitize_end(struct sam_sanitizer *s)
{
    return !s->failed;
}

/* ------------------------------------------------------------------------- between launches */

void sam_sanitize_on_host_write(struct sam_sanitizer *s, uint32_t base, uint64_t size)
{
    if (s->init)
        sam_sanitize_init_written(s, base, size);
}

void sam_sanitize_unmapped(struct sam_sanitizer *s, uint32_t base, uint64_t size)
{
    if (s->init)
        sam_sanitize_init_unmapped(s, base, size);
}

enum sam_status sam_sanitizer_check_memory(struct sam_sanitizer *s, uint32_t base, uint64_t size,
                                           struct sam_error *error)
{
    if (SAM_LACKS(error, s))
        return SAM_ERR_USAGE;
    if (s->init)
        sam_sanitize_init_check(s, base, size);
    return SAM_OK;
}
