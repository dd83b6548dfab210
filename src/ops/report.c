/* SPDX-License-Identifier: Apache-2.0 */
/* Reports on a plan, as figures and text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ops/plan.h"

const char *sam_plan_element(const struct sam_plan *plan, char text[SAM_ELEMENT_TEXT])
{
    if (!plan->half_bytes)
        snprintf(text, SAM_ELEMENT_TEXT, "elements of %u bytes", plan->element);
    else
        snprintf(text, SAM_ELEMENT_TEXT, "%s of 4 bits", plan->scratch ? "elements" : "pairs");
    return text;
}

static uint64_t blocks_of(const struct sam_plan_region *region)
{
    uint64_t blocks = 1;
    for (unsigned i = 0; i < region->loops; i++)
        blocks *= region->loop[i].count;
    return blocks;
}

static uint64_t bytes_of(const struct sam_block_op *op)
{
    unsigned slices = op->masked ? (unsigned)__builtin_popcount(op->mask) : op->slices;
    return (uint64_t)slices * op->width;
}

static void count_region(const struct sam_plan_region *region, struct sam_plan_figures *f)
{
    uint64_t blocks = blocks_of(region);
    f->regions++;
    f->blocks += blocks;
    for (size_t i = 0; i < region->block.count; i++) {
        const struct sam_block_op *op = &region->block.ops[i];
        switch (op->kind) {
        case SAM_BLOCK_LOAD:
            f->loads += blocks;
            f->bytes_loaded += blocks * bytes_of(op);
            break;
        case SAM_BLOCK_STORE:
            f->stores += blocks;
            f->bytes_stored += blocks * bytes_of(op);
            break;
        case SAM_BLOCK_CONCAT: f->concats += blocks; break;
        case SAM_BLOCK_XPOSE: f->xposes += blocks; break;
        }
    }
}

void sam_plan_count(const struct sam_plan *plan, struct sam_plan_figures *figures)
{
    *figures = (struct sam_plan_figures){.bound_loaded = plan->bound_loaded,
                                         .bound_stored = plan->bound_stored};
    for (size_t i = 0; i < plan->count; i++)
        count_region(&plan->regions[i], figures);
}

static double per_kib(uint64_t count, uint64_t bytes)
{
    return bytes ? (double)count * 1024 / (double)bytes : 0;
}

enum sam_status sam_plan_describe(const struct sam_plan *plan, char **text, struct sam_error *error)
{
    if (text)
        *text = NULL;
    if (SAM_LACKS(error, plan, text))
        return SAM_ERR_USAGE;
    struct sam_buffer b = {0};
    struct sam_plan_figures f;
    char element[SAM_ELEMENT_TEXT];
    sam_plan_count(plan, &f);
    uint64_t moved = f.bytes_loaded + f.bytes_stored, bound = f.bound_loaded + f.bound_stored;
    sam_buffer_printf(&b, "%s, %s\n", plan->name, sam_plan_element(plan, element));
    sam_buffer_printf(&b, "%6s %10s %6s %6s %7s %6s  %s\n", "region", "blocks", "LOAD", "STORE",
                      "CONCAT", "XPOSE", "block");
    for (size_t i = 0; i < plan->count; i++) {
        struct sam_plan_figures r = {0};
        count_region(&plan->regions[i], &r);
        sam_buffer_printf(
            &b, "%6zu %10" PRIu64 " %6" PRIu64 " %6" PRIu64 " %7" PRIu64 " %6" PRIu64 "  %s\n", i,
            r.blocks, r.loads / r.blocks, r.stores / r.blocks, r.concats / r.blocks,
            r.xposes / r.blocks, plan->regions[i].what);
    }
    sam_buffer_printf(&b,
                      "LOAD     %10" PRIu64 ", %" PRIu64 " bytes, %.2f per KiB\n"
                      "STORE    %10" PRIu64 ", %" PRIu64 " bytes, %.2f per KiB\n"
                      "CONCAT   %10" PRIu64 "\nXPOSE    %10" PRIu64 "\n",
                      f.loads, f.bytes_loaded, per_kib(f.loads, f.bytes_loaded), f.stores,
                      f.bytes_stored, per_kib(f.stores, f.bytes_stored), f.concats, f.xposes);
    sam_buffer_printf(&b,
                      "moved    %10" PRIu64 " bytes, %.3f of the lower bound (%" PRIu64
                      " loaded once, %" PRIu64 " stored once)\n",
                      moved, bound ? (double)moved / (double)bound : 1.0, f.bound_loaded,
                      f.bound_stored);
    *text = b.failed ? NULL : sam_strdup(sam_buffer_text(&b));
    sam_buffer_free(&b);
    return *text ? SAM_OK : sam_fail_memory(error);
}
