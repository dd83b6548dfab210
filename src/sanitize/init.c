/* SPDX-License-Identifier: Apache-2.0 */
/* The check for uninitialized values: the shadow state of a launch, and its findings. */
#include <stdlib.h>

#include "sanitize/undef.h"

struct sanitize_init {
    struct undef undef;
    struct undef_warp *warps; /* of the running workgroup */
    uint32_t capacity;
};

static enum sam_finding_kind kind_of(enum undef_use use)
{
    static const enum sam_finding_kind kinds[] = {
        [UNDEF_USE_ADDRESS] = SAM_FINDING_INIT_ADDRESS,
        [UNDEF_USE_BRANCH] = SAM_FINDING_INIT_BRANCH,
        [UNDEF_USE_TARGET] = SAM_FINDING_INIT_TARGET,
        [UNDEF_USE_MASK] = SAM_FINDING_INIT_MASK,
        [UNDEF_USE_CONTROL] = SAM_FINDING_INIT_CONTROL,
        [UNDEF_USE_STORE] = SAM_FINDING_INIT_STORE,
    };
    return kinds[use];
}

static void report(void *context, const struct sam_sanitize_op *op,
                   const struct undef_finding *found)
{
    struct sam_sanitizer *s = context;
    const struct undef_source_of *from = &found->from;
    struct sam_finding finding = {
        .kind = kind_of(found->use),
        .sides[0] = sam_sanitize_side(op, found->lane),
        .lanes = found->lanes,
    };
    if (!found->memory)
        finding.used = (struct sam_finding_register){found->vector ? 'v' : 'x', found->reg};
    if (from->cause == UNDEF_REGISTER_X || from->cause == UNDEF_REGISTER_V) {
        finding.unwritten.file = from->cause == UNDEF_REGISTER_V ? 'v' : 'x';
        finding.unwritten.number = (uint8_t)from->number;
    } else if (from->cause == UNDEF_MEMORY) {
        finding.has_address = true;
        finding.address = from->address;
        finding.size = from->size;
        if (!found->memory) /* otherwise the origin is the instruction itself */
            finding.sides[1] = from->side;
    }
    sam_sanitize_report(s, &finding);
}

bool sam_sanitize_init_new(struct sam_sanitizer *s)
{
    s->init = sam_alloc(1, sizeof *s->init);
    return s->init && sam_undef_init(&s->init->undef, report, s);
}

static void free_warps(struct sanitize_init *init)
{
    sam_pages_free(init->warps, init->capacity * sizeof *init->warps);
    init->warps = NULL;
    init->capacity = 0;
}

void sam_sanitize_init_free(struct sam_sanitizer *s)
{
    if (!s->init)
        return;
    sam_undef_free(&s->init->undef);
    free_warps(s->init);
    free(s->init);
}

bool sam_sanitize_init_begin(struct sam_sanitizer *s)
{
    struct sanitize_init *init = s->init;
    const struct sam_sanitize_launch *launch = &s->launch;
    if (init->capacity < launch->warps) {
        free_warps(init);
        init->warps = sam_pages_new(launch->warps * sizeof *init->warps);
        if (!init->warps)
            return false;
        init->capacity = launch->warps;
    }
    sam_undef_memory_launch(&init->undef.memory, launch->pds_base, launch->pds_total);
    return true;
}

void sam_sanitize_init_enter(struct sam_sanitizer *s)
{
    sam_undef_group(&s->init->undef);
    for (uint32_t i = 0; i < s->launch.warps; i++)
        sam_undef_start(&s->init->warps[i]);
}

void sam_sanitize_init_see(struct sam_sanitizer *s, const struct sam_sanitize_op *op)
{
    sam_undef_step(&s->init->undef, &s->init->warps[op->warp->number], op);
    if (SAM_UNLIKELY(s->init->undef.memory.exhausted))
        s->failed = true;
}

bool sam_sanitize_init_output(struct sam_sanitizer *s, uint32_t base, uint64_t size)
{
    return sam_undef_memory_output(&s->init->undef.memory, base, size);
}

void sam_sanitize_init_written(struct sam_sanitizer *s, uint32_t base, uint64_t size)
{
    sam_undef_memory_define(&s->init->undef.memory, base, size);
}

void sam_sanitize_init_unmapped(struct sam_sanitizer *s, uint32_t base, uint64_t size)
{
    sam_undef_memory_forget(&s->init->undef.memory, base, size);
}

void sam_sanitize_init_check(struct sam_sanitizer *s, uint32_t base, uint64_t size)
{
    const uint64_t at = sam_undef_find(&s->init->undef.memory, base, size);
    const struct sam_finding finding = {
        .kind = SAM_FINDING_INIT_CHECK,
        .has_address = true,
        .address = base + (uint32_t)at,
        .size = 1,
    };
    if (at < size)
        sam_sanitize_report(s, &finding);
}
