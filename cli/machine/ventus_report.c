/* SPDX-License-Identifier: Apache-2.0 */
/* The report on a launch. */
#include "machine/machine.h"

#include <stdlib.h>

/* An object with the pc and its symbol. */
static json_t *place_of(const struct run *run, uint32_t pc)
{
    char where[160];
    sam_image_describe(run->image, pc, where, sizeof where);
    return REPORT(COUNT("pc", pc), TEXT("symbol", where));
}

#define FIELD(member) REPORT_FIELD(struct sam_gpu_stats, member)
const struct report_field ventus_counts[] = {
    FIELD(workgroups),    FIELD(warps),        FIELD(warp_insns),
    FIELD(seconds),       FIELD(scalar_insns), FIELD(vector_insns),
    FIELD(lane_insns),    FIELD(vector_lanes), FIELD(vector_slots),
    FIELD(barriers),      FIELD(memory_insns), FIELD(memory_accesses),
    FIELD(lines),         FIELD(global_insns), FIELD(lds_insns),
    FIELD(lds_conflicts), FIELD(simt_depth),   {0},
};

static json_t *branches(const struct run *run, const struct sam_gpu_stats *s)
{
    struct sam_isa isa;
    json_t *rows = json_array();
    if (sam_isa_parse("ventus", &isa, NULL) != SAM_OK)
        return rows;
    for (size_t i = 0; i < s->branch_count; i++) {
        const struct sam_branch_stats *b = &s->branches[i];
        char text[160];
        sam_disassemble(&isa, b->word, b->pc, 0, run->image, text, sizeof text);
        rows = report_add(rows, REPORT_MORE(place_of(run, b->pc), TEXT("text", text),
                                            COUNT("executed", b->executed),
                                            COUNT("diverged", b->diverged)));
    }
    return rows;
}

static json_t *mix(const struct sam_gpu_stats *s)
{
    json_t *rows = json_object();
    for (size_t i = 0; i < s->mix_count; i++)
        rows = report_count(rows, s->mix[i].mnemonic, s->mix[i].warp_insns);
    return rows;
}

static json_t *three(const uint32_t values[3])
{
    return report_numbers((const uint64_t[]){values[0], values[1], values[2]}, 3);
}

static json_t *trap(const struct run *run, const struct sam_trap *t)
{
    static const struct report_field fields[] = {
        REPORT_FIELD(struct sam_trap, warp), REPORT_FIELD(struct sam_trap, lanes),
        REPORT_FIELD(struct sam_trap, pc),   REPORT_FIELD(struct sam_trap, word),
        REPORT_FIELD(struct sam_trap, tval), {0},
    };
    char text[512];
    sam_trap_describe(t, run->image, text, sizeof text);
    return report_fields(REPORT(TEXT("text", text), COUNT("workgroup", t->workgroup),
                                TREE("group", three(t->group))),
                         fields, t);
}

static json_t *places(const struct run *run, const struct sam_gpu_result *result)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < result->place_count; i++) {
        const struct sam_warp_place *p = &result->places[i];
        rows = report_add(rows, REPORT_MORE(place_of(run, p->pc), COUNT("workgroup", p->workgroup),
                                            COUNT("warp", p->warp), FLAG("waits", p->waits)));
    }
    return rows;
}

json_t *ventus_report(const struct run *run, const struct sam_launch *launch, const char *kernel,
                      const char *source, const struct sam_gpu_result *result)
{
    const bool failed = result->trap.kind != SAM_TRAP_NONE;
    json_t *row =
        REPORT(COUNT("launch", run->ventus->launches), TEXT("kernel", kernel), TEXT("file", source),
               TREE("grid", three(launch->grid)), COUNT("warps_per_workgroup", launch->warps),
               COUNT("lanes", launch->lanes), FLAG("done", !failed),
               TREE("counts", report_fields(json_object(), ventus_counts, &result->stats)),
               TREE("branches", branches(run, &result->stats)), TREE("mix", mix(&result->stats)));
    if (failed)
        row = report_set(row, "trap", trap(run, &result->trap));
    return result->place_count ? report_set(row, "places", places(run, result)) : row;
}

const char ventus_launch_line[] =
    "launch {launch}: {kernel}, grid {grid*x}, {warps_per_workgroup} "
    "{warps_per_workgroup|warp|warps} of {lanes}: {done|done|FAILED}, {counts.warp_insns} warp "
    "instructions in {counts.seconds:.3m} ms, {counts.warp_insns/counts.seconds:.1M} M/s\n";

const char ventus_launch_stats[] =
    "  workgroups           {counts.workgroups:14}\n"
    "  warps                {counts.warps:14}\n"
    "  warp instructions    {counts.warp_insns:14}  {counts.scalar_insns} scalar, "
    "{counts.vector_insns} vector\n"
    "  lane instructions    {counts.lane_insns:14}\n"
    "  SIMT efficiency      {counts.vector_lanes%counts.vector_slots:13.1}%  active lanes of "
    "vector "
    "instructions\n"
    "  deepest SIMT stack   {counts.simt_depth:14}\n"
    "  barriers             {counts.barriers:14}  warps that arrived\n"
    "  memory instructions  {counts.memory_insns:14}  {counts.global_insns} global, "
    "{counts.lds_insns} local\n"
    "  accesses             {counts.memory_accesses:14}  "
    "{counts.memory_accesses/counts.memory_insns:.2} per memory instruction\n"
    "  64-byte lines        {counts.lines:14}  {counts.lines/counts.global_insns:.2} per global "
    "memory instruction\n"
    "  LDS bank conflicts   {counts.lds_conflicts:14}  "
    "{counts.lds_conflicts/counts.lds_insns:.2} extra passes per local memory instruction\n"
    "  wall time            {counts.seconds:14.6}  seconds, "
    "{counts.warp_insns/counts.seconds:.2M} M warp, {counts.lane_insns/counts.seconds:.2M} M lane "
    "instructions/s\n"
    "?branches   divergence per branch\n"
    "*branches     {symbol:-24} {text:-32} {executed:12} times, {diverged%executed:5.1}% diverged\n"
    "?mix   mix of warp instructions\n"
    "*mix     {key:-16} {value:14}  {value%counts.warp_insns:5.1}%\n";

/* ---------------------------------------------------------- warps of a launch that ended early */

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
