/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch did, for people. */
#include "run.h"

void run_symbol_text(const struct run *run, uint32_t pc, char *text, size_t size)
{
    const struct sam_symbol *symbol = run->image ? sam_image_symbol_at(run->image, pc) : NULL;
    if (!symbol)
        snprintf(text, size, "0x%08x", pc);
    else if (symbol->value == pc)
        snprintf(text, size, "%s", symbol->name);
    else
        snprintf(text, size, "%s+0x%llx", symbol->name, (unsigned long long)(pc - symbol->value));
}

static double rate(uint64_t count, double seconds)
{
    return seconds > 0 ? (double)count / seconds / 1e6 : 0;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

typedef unsigned long long count;

void run_report_launch(const struct run *run, const struct sam_launch *launch, const char *kernel,
                       const struct sam_gpu_result *result)
{
    const struct sam_gpu_stats *s = &result->stats;
    fprintf(run->text,
            "launch %u: %s, grid %ux%ux%u, %u warp%s of %u: %s, %llu warp instructions in %.3f ms, "
            "%.1f M/s\n",
            run->launches, cli_plain(kernel).text, launch->grid[0], launch->grid[1],
            launch->grid[2], launch->warps, launch->warps == 1 ? "" : "s", launch->lanes,
            result->trap.kind == SAM_TRAP_NONE ? "done" : "FAILED", (count)s->warp_insns,
            1e3 * s->seconds, rate(s->warp_insns, s->seconds));
}

static void report_branches(const struct run *run, const struct sam_gpu_stats *s)
{
    struct sam_isa isa;
    if (!s->branch_count || sam_isa_parse("ventus", &isa, NULL) != SAM_OK)
        return;
    fprintf(run->text, "  divergence per branch\n");
    for (size_t i = 0; i < s->branch_count; i++) {
        const struct sam_branch_stats *b = &s->branches[i];
        char where[160], text[160];
        run_symbol_text(run, b->pc, where, sizeof where);
        sam_disassemble(&isa, b->word, b->pc, 0, run->image, text, sizeof text);
        fprintf(run->text, "    %-24s %-32s %12llu times, %5.1f%% diverged\n",
                cli_plain(where).text, cli_plain(text).text, (count)b->executed,
                percent(b->diverged, b->executed));
    }
}

void run_report_stats(const struct run *run, const struct sam_gpu_stats *s)
{
    FILE *out = run->text;
    fprintf(out, "  workgroups           %14llu\n", (count)s->workgroups);
    fprintf(out, "  warps                %14llu\n", (count)s->warps);
    fprintf(out, "  warp instructions    %14llu  %llu scalar, %llu vector\n", (count)s->warp_insns,
            (count)s->scalar_insns, (count)s->vector_insns);
    fprintf(out, "  lane instructions    %14llu\n", (count)s->lane_insns);
    fprintf(out, "  SIMT efficiency      %13.1f%%  active lanes of vector instructions\n",
            percent(s->vector_lanes, s->vector_slots));
    fprintf(out, "  deepest SIMT stack   %14llu\n", (count)s->simt_depth);
    fprintf(out, "  barriers             %14llu  warps that arrived\n", (count)s->barriers);
    fprintf(out, "  memory instructions  %14llu  %llu global, %llu local\n", (count)s->memory_insns,
            (count)s->global_insns, (count)s->lds_insns);
    fprintf(out, "  accesses             %14llu  %.2f a memory instruction\n",
            (count)s->memory_accesses, ratio(s->memory_accesses, s->memory_insns));
    fprintf(out, "  64-byte lines        %14llu  %.2f a global memory instruction\n",
            (count)s->lines, ratio(s->lines, s->global_insns));
    fprintf(out, "  LDS bank conflicts   %14llu  %.2f extra turns a local memory instruction\n",
            (count)s->lds_conflicts, ratio(s->lds_conflicts, s->lds_insns));
    fprintf(out,
            "  wall time            %14.6f  seconds, %.2f M warp, %.2f M lane instructions/s\n",
            s->seconds, rate(s->warp_insns, s->seconds), rate(s->lane_insns, s->seconds));
    report_branches(run, s);
    if (s->mix_count)
        fprintf(out, "  mix of warp instructions\n");
    for (size_t i = 0; i < s->mix_count; i++)
        fprintf(out, "    %-16s %14llu  %5.1f%%\n", s->mix[i].mnemonic, (count)s->mix[i].warp_insns,
                percent(s->mix[i].warp_insns, s->warp_insns));
}
