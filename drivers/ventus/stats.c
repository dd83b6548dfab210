/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics as text: of a launch (SAMITE_STATS), of all (vt_dump_perf). */
#include "driver.h"

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void print_count(FILE *stream, const char *name, uint64_t value)
{
    fprintf(stream, "  %-20s %14llu\n", name, (unsigned long long)value);
}

static void print_collected(const struct sam_gpu_stats *s, FILE *stream)
{
    print_count(stream, "scalar instructions", s->scalar_insns);
    print_count(stream, "vector instructions", s->vector_insns);
    print_count(stream, "lane instructions", s->lane_insns);
    fprintf(stream, "  %-20s %13.1f%%\n", "active lanes",
            100 * ratio((double)s->vector_lanes, (double)s->vector_slots));
    print_count(stream, "deepest SIMT stack", s->simt_depth);
    print_count(stream, "warps at barriers", s->barriers);
    print_count(stream, "global accesses", s->global_insns);
    print_count(stream, "64-byte lines", s->lines);
    print_count(stream, "local accesses", s->lds_insns);
    print_count(stream, "bank conflicts", s->lds_conflicts);
}

static void print_branches(const struct sam_gpu_stats *s, const struct sam_image *image,
                           FILE *stream)
{
    for (size_t i = 0; i < s->branch_count; i++) {
        const struct sam_branch_stats *b = &s->branches[i];
        char where[160];
        sam_image_describe(image, b->pc, where, sizeof where);
        sam_text_make_plain(where);
        fprintf(stream, "  branch %-32s %12llu times, %5.1f%% diverged\n", where,
                (unsigned long long)b->executed,
                100 * ratio((double)b->diverged, (double)b->executed));
    }
}

void stats_print(const struct sam_gpu_stats *s, const struct sam_image *image, FILE *stream)
{
    print_count(stream, "workgroups", s->workgroups);
    print_count(stream, "warps", s->warps);
    print_count(stream, "warp instructions", s->warp_insns);
    if (s->scalar_insns + s->vector_insns)
        print_collected(s, stream);
    fprintf(stream, "  %-20s %14.6f  %.2f M warp instructions/s\n", "seconds", s->seconds,
            1e-6 * ratio((double)s->warp_insns, s->seconds));
    print_branches(s, image, stream);
    for (size_t i = 0; i < s->mix_count; i++)
        print_count(stream, s->mix[i].mnemonic, s->mix[i].warp_insns);
}
