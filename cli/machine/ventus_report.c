/* SPDX-License-Identifier: Apache-2.0 */
/* The report on a launch. */
#include "machine/machine.h"

/* An object with the pc and its symbol. */
static json_t *place_of(const struct run *run, uint32_t pc)
{
    char where[160];
    sam_image_describe(run->image, pc, where, sizeof where);
    return REPORT(COUNT("pc", pc), TEXT("symbol", where));
}

const struct report_field ventus_counts[] = {
    REPORT_FIELD(struct sam_gpu_stats, workgroups),
    REPORT_FIELD(struct sam_gpu_stats, warps),
    REPORT_FIELD(struct sam_gpu_stats, warp_insns),
    REPORT_FIELD(struct sam_gpu_stats, seconds),
    REPORT_FIELD(struct sam_gpu_stats, scalar_insns),
    REPORT_FIELD(struct sam_gpu_stats, vector_insns),
    REPORT_FIELD(struct sam_gpu_stats, lane_insns),
    REPORT_FIELD(struct sam_gpu_stats, vector_lanes),
    REPORT_FIELD(struct sam_gpu_stats, vector_slots),
    REPORT_FIELD(struct sam_gpu_stats, barriers),
    REPORT_FIELD(struct sam_gpu_stats, memory_insns),
    REPORT_FIELD(struct sam_gpu_stats, memory_accesses),
    REPORT_FIELD(struct sam_gpu_stats, lines),
    REPORT_FIELD(struct sam_gpu_stats, global_insns),
    REPORT_FIELD(struct sam_gpu_stats, lds_insns),
    REPORT_FIELD(struct sam_gpu_stats, lds_conflicts),
    REPORT_FIELD(struct sam_gpu_stats, simt_depth),
    {0},
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
