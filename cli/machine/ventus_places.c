/* SPDX-License-Identifier: Apache-2.0 */
/* Locations of a launch's warps when it ended early: in a deadlock, or at Ctrl-C. */
#include <stdlib.h>

#include "machine/machine.h"

enum { LINES = 16, RANGES = 8 };

static bool same_place(const struct sam_warp_place *a, const struct sam_warp_place *b)
{
    return a->workgroup == b->workgroup && a->pc == b->pc && a->waits == b->waits;
}

/* "warp 3", "warps 0-3, 7", from `count` ascending numbers; truncated if there are many ranges. */
static void print_warps(const uint32_t *warps, size_t count, FILE *out)
{
    unsigned ranges = 0;
    fprintf(out, count == 1 ? "warp" : "warps");
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && warps[end] == warps[end - 1] + 1;)
            end++;
        if (ranges == RANGES) {
            fprintf(out, ", ... (%zu in all)", count);
            return;
        }
        fprintf(out, "%s%u", ranges++ ? ", " : " ", warps[i]);
        if (end - i > 1)
            fprintf(out, "-%u", warps[end - 1]);
    }
}

static void print_workgroup(const struct sam_launch *launch, uint32_t workgroup, FILE *out)
{
    fprintf(out, "  workgroup %u (%u,%u,%u): ", workgroup, workgroup % launch->grid[0],
            workgroup / launch->grid[0] % launch->grid[1],
            workgroup / launch->grid[0] / launch->grid[1]);
}

/* "pc 0x80000040 <kernel+0x10> barrier x0, x0, 1" */
static void print_pc(const struct run *run, uint32_t pc, FILE *out)
{
    struct sam_isa isa;
    uint8_t word[4];
    char text[160];
    fprintf(out, "pc 0x%08x", pc);
    const struct sam_symbol *symbol = run->image ? sam_image_symbol_at(run->image, pc) : NULL;
    if (symbol)
        fprintf(out, " <%s+0x%llx>", symbol->name, (unsigned long long)(pc - symbol->value));
    if (sam_gpu_read(run->ventus->gpu, pc, word, sizeof word, NULL) != SAM_OK ||
        sam_isa_parse("ventus", &isa, NULL) != SAM_OK)
        return;
    sam_disassemble(&isa,
                    (uint32_t)word[0] | (uint32_t)word[1] << 8 | (uint32_t)word[2] << 16 |
                        (uint32_t)word[3] << 24,
                    pc, 0, run->image, text, sizeof text);
    fprintf(out, " %s", text);
}

/* One line for all warps at the location of warp `first`; marks them in `told`. */
static void print_place(const struct run *run, const struct sam_launch *launch,
                        const struct sam_gpu_result *result, size_t first, bool *told,
                        uint32_t *warps, FILE *out)
{
    const struct sam_warp_place *place = &result->places[first];
    size_t count = 0;
    for (size_t i = first;
         i < result->place_count && result->places[i].workgroup == place->workgroup; i++) {
        if (told[i] || !same_place(place, &result->places[i]))
            continue;
        told[i] = true;
        warps[count++] = result->places[i].warp;
    }
    print_workgroup(launch, place->workgroup, out);
    print_warps(warps, count, out);
    fprintf(out, !place->waits ? " at " : count == 1 ? " waits at " : " wait at ");
    print_pc(run, place->pc, out);
    fputc('\n', out);
}

/* The ended warps of a failed workgroup, which have no location. */
static void print_ended(const struct sam_launch *launch, const struct sam_gpu_result *result,
                        uint32_t *warps, FILE *out)
{
    size_t count = 0, next = 0;
    for (uint32_t i = 0; i < launch->warps; i++) {
        if (next < result->place_count && result->places[next].warp == i)
            next++;
        else
            warps[count++] = i;
    }
    if (!count)
        return;
    print_workgroup(launch, result->trap.workgroup, out);
    print_warps(warps, count, out);
    fprintf(out, count == 1 ? " has ended\n" : " have ended\n");
}

void ventus_report_places(const struct run *run, const struct sam_launch *launch,
                          const struct sam_gpu_result *result, FILE *out)
{
    if (!result->place_count)
        return;
    bool *told = calloc(result->place_count, sizeof *told);
    uint32_t *warps = calloc(launch->warps, sizeof *warps);
    unsigned lines = 0;
    size_t left = 0;
    for (size_t i = 0; told && warps && i < result->place_count; i++) {
        if (told[i])
            continue;
        if (lines++ < LINES)
            print_place(run, launch, result, i, told, warps, out);
        else
            left++;
    }
    if (left)
        fprintf(out, "  ... and %zu more warps\n", left);
    if (warps && result->trap.kind == SAM_TRAP_DEADLOCK)
        print_ended(launch, result, warps, out);
    free(told);
    free(warps);
}
