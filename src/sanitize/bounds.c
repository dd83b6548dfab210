/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds check: accesses to local memory beyond what the launch declares, to private memory beyond
 * its size or of another workgroup, and outside every buffer. The last two end the launch even
 * without a sanitizer; here they are reported with the nearest buffer. */
#include <stdlib.h>

#include "sanitize/sanitize.h"

#define PAGES      (UINT32_C(1) << 20)
#define PAGE_BYTES 4096u

/* The bytes from..to-1 of a page that belong to one object of the launch; `to` is 0 if not looked
 * up yet. Other bytes of the page may belong to other objects. */
struct part {
    uint16_t from, to;
};

struct sanitize_bounds {
    struct part *parts; /* by page */
};

bool sam_sanitize_bounds_new(struct sam_sanitizer *s)
{
    s->bounds = sam_alloc(1, sizeof *s->bounds);
    if (s->bounds)
        s->bounds->parts = sam_pages_new(PAGES * sizeof(struct part));
    return s->bounds && s->bounds->parts;
}

void sam_sanitize_bounds_free(struct sam_sanitizer *s)
{
    if (!s->bounds)
        return;
    sam_pages_free(s->bounds->parts, PAGES * sizeof(struct part));
    free(s->bounds);
}

void sam_sanitize_bounds_begin(struct sam_sanitizer *s)
{
    sam_pages_clear(s->bounds->parts, PAGES * sizeof(struct part));
}

/* ---------------------------------------------------------------------------------- objects */

static bool is_local(uint32_t address)
{
    return address - SAM_LDS_BASE < SAM_LDS_SIZE;
}

static bool within(const struct sam_sanitize_object *object, uint64_t first, uint64_t end)
{
    return first >= object->base && end <= object->base + object->size;
}

/* Whether one object contains all the bytes. Adjacent ranges of local memory are one object. */
static bool is_declared(const struct sam_sanitizer *s, uint64_t first, uint64_t end)
{
    for (size_t i = 0; i < s->object_count; i++) {
        const struct sam_sanitize_object *object = &s->objects[i];
        const uint64_t object_end = object->base + object->size;
        if (within(object, first, end))
            return true;
        if (is_local((uint32_t)first) && first >= object->base && first < object_end)
            return is_declared(s, object_end, end);
    }
    return false;
}

/* The private memory of all workgroups is one buffer; each may access only its part. */
static bool is_private(const struct sam_sanitize_launch *launch, uint64_t address)
{
    return address - launch->pds_base < launch->pds_total;
}

static bool is_own(const struct sam_sanitize_op *op, uint64_t first, uint64_t end)
{
    const struct sam_sanitize_warp *warp = op->warp;
    return first >= warp->pds && end <= warp->pds + (uint64_t)warp->threads * warp->pds_size;
}

static uint64_t distance(const struct sam_sanitize_object *object, uint64_t first)
{
    const uint64_t end = object->base + object->size;
    return first < object->base ? object->base - first : first >= end ? first - end + 1 : 0;
}

static const struct sam_sanitize_object *nearest(const struct sam_sanitizer *s, uint32_t first)
{
    const struct sam_sanitize_object *found = NULL;
    for (size_t i = 0; i < s->object_count; i++) {
        const struct sam_sanitize_object *object = &s->objects[i];
        if (is_local(first) == is_local(object->base) && object->size &&
            (!found || distance(object, first) < distance(found, first)))
            found = object;
    }
    return found;
}

/* ------------------------------------------------------------------------------------ report */

static void report(struct sam_sanitizer *s, const struct sam_sanitize_op *op,
                   enum sam_finding_kind kind, uint32_t lane, uint32_t address, uint32_t size,
                   const struct sam_sanitize_object *near)
{
    struct sam_finding finding = {.kind = kind,
                                  .sides[0] = sam_sanitize_side(op, lane),
                                  .has_address = true,
                                  .address = address,
                                  .size = size};
    if (near) {
        finding.near.base = near->base;
        finding.near.size = near->size;
        sam_sanitize_object_name(s, near, finding.near.name, sizeof finding.near.name);
    }
    sam_sanitize_report(s, &finding);
}

/* ------------------------------------------------------------------------------------ checks */

static SAM_NOINLINE struct part find_part(const struct sam_sanitizer *s, uint32_t address)
{
    const uint64_t page = address & ~(PAGE_BYTES - 1), end = page + PAGE_BYTES;
    struct part found = {.from = PAGE_BYTES, .to = 1}; /* nothing */
    if (s->launch.pds_base < end && s->launch.pds_base + s->launch.pds_total > page)
        return found; /* private memory is per workgroup: do not cache it */
    for (size_t i = 0; i < s->object_count; i++) {
        const struct sam_sanitize_object *object = &s->objects[i];
        const uint64_t object_end = object->base + object->size;
        const uint64_t first = object->base > page ? object->base : page;
        const uint64_t last = object_end < end ? object_end : end;
        if (first < last && last - first + found.from > found.to)
            found = (struct part){(uint16_t)(first - page), (uint16_t)(last - page)};
    }
    return found;
}

static inline struct part part_of(struct sam_sanitizer *s, uint32_t address)
{
    struct part *part = &s->bounds->parts[address / PAGE_BYTES];
    if (SAM_UNLIKELY(!part->to))
        *part = find_part(s, address);
    return *part;
}

static inline bool is_within(struct sam_sanitizer *s, uint32_t address, uint32_t bytes)
{
    const struct part part = part_of(s, address);
    const uint32_t offset = address % PAGE_BYTES;
    return offset >= part.from && offset + bytes <= part.to;
}

static SAM_NOINLINE void look(struct sam_sanitizer *s, const struct sam_sanitize_op *op,
                              uint32_t lane, uint32_t address)
{
    const struct sam_sanitize_launch *launch = &s->launch;
    const uint64_t end = (uint64_t)address + op->bytes;
    if (address & (op->bytes - 1))
        return; /* misaligned accesses trap */
    if (is_private(launch, address)) {
        const struct sam_sanitize_object own = {.base = op->warp->pds,
                                                .size = (uint64_t)op->warp->threads *
                                                        op->warp->pds_size,
                                                .name = "the workgroup's private memory"};
        if (!is_own(op, address, end))
            report(s, op, SAM_FINDING_BOUNDS_OTHER, lane, address, op->bytes, &own);
    } else if (!is_declared(s, address, end) && (is_local(address) || !launch->translated)) {
        report(s, op, is_local(address) ? SAM_FINDING_BOUNDS_LOCAL : SAM_FINDING_BOUNDS_GAP, lane,
               address, op->bytes, nearest(s, address));
    }
}

/* An access by the private-memory instructions: the address is an offset in the thread's memory. */
static void see_own(struct sam_sanitizer *s, const struct sam_sanitize_op *op)
{
    const uint32_t size = op->warp->pds_size, bytes = op->bytes * op->words;
    const struct sam_sanitize_object part = {
        .base = 0, .size = size, .name = "the thread's private memory"};
    for (unsigned g = 0; g < op->groups; g++) {
        const uint32_t *va = op->warp->v[(op->insn->rs1 + g) % 256];
        uint32_t outside = 0;
        for (unsigned i = 0; i < SAM_MAX_LANES; i++) {
            const uint32_t at = va[i] + (uint32_t)op->insn->imm;
            outside |= (uint32_t)(at >= size || size - at < bytes) << i;
        }
        outside &= op->acting[g];
        if (SAM_UNLIKELY(outside)) {
            const unsigned lane = (unsigned)__builtin_ctz(outside);
            report(s, op, SAM_FINDING_BOUNDS_PRIVATE, lane, va[lane] + (uint32_t)op->insn->imm,
                   bytes, &part);
            return; /* the access traps */
        }
    }
}

static bool is_whole(struct part part)
{
    return part.from == 0 && part.to == PAGE_BYTES;
}

static bool all_in_one_page(const uint32_t *at)
{
    uint32_t apart = 0;
    for (unsigned i = 0; i < SAM_MAX_LANES; i++)
        apart |= at[i] ^ at[0];
    return apart < PAGE_BYTES;
}

void sam_sanitize_bounds_see(struct sam_sanitizer *s, const struct sam_sanitize_op *op)
{
    if (op->own) {
        see_own(s, op);
        return;
    }
    if (!op->vector) {
        for (unsigned word = 0; word < op->words; word++)
            if (!is_within(s, op->address[0][0] + word * op->apart, op->bytes))
                look(s, op, UINT32_MAX, op->address[0][0] + word * op->apart);
        return;
    }
    for (unsigned g = 0; g < op->groups; g++) {
        const uint32_t *at = op->address[g];
        if (op->acting[g] == UINT32_MAX && op->words == 1 && all_in_one_page(at) &&
            is_whole(part_of(s, at[0])))
            continue;
        for (uint32_t rest = op->acting[g]; rest; rest &= rest - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(rest);
            for (unsigned word = 0; word < op->words; word++)
                if (!is_within(s, at[lane] + word * op->apart, op->bytes))
                    look(s, op, lane, at[lane] + word * op->apart);
        }
    }
}
