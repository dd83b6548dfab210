/* SPDX-License-Identifier: Apache-2.0 */
/* Adds instructions of a hart to a profile. */
#include "profile/profile.h"

#include "hart/core.h"

enum { LINE = 64 };

/* The number of lines in bytes first..last, excluding line *seen, the last line counted. */
static uint64_t new_lines(uint64_t first, uint64_t last, uint64_t *seen)
{
    const uint64_t from = first / LINE, to = last / LINE, again = from == *seen;
    *seen = to;
    return to - from + 1 - again;
}

/* TensorLoad ranges are ascending and disjoint; a scalar access is one range. */
static uint64_t lines_of_ranges(const struct sam_step *step)
{
    uint64_t lines = 0, seen = UINT64_MAX;
    for (unsigned i = 0; i < step->access_count; i++) {
        const struct sam_step_access *a = &step->access[i];
        lines += new_lines(a->address, a->address + (a->size - 1), &seen);
    }
    return lines;
}

/* Rows at a positive or negative stride. Contiguous or overlapping rows are one range. */
static uint64_t lines_of_rows(const struct sam_matrix_work *work)
{
    const bool down = (int64_t)work->stride < 0;
    const uint64_t stride = down ? 0 - work->stride : work->stride;
    uint64_t lowest = down ? work->base + (work->m - 1) * work->stride : work->base;
    uint64_t lines = 0, seen = UINT64_MAX;
    if (stride <= work->bytes)
        return new_lines(lowest, lowest + (work->m - 1) * stride + (work->bytes - 1), &seen);
    for (unsigned row = 0; row < work->m; row++, lowest += stride)
        lines += new_lines(lowest, lowest + (work->bytes - 1), &seen);
    return lines;
}

bool sam_hart_profile_scalar(struct sam_hart *hart, uint64_t pc, const struct sam_insn *insn,
                             uint64_t count)
{
    struct sam_profile_row *row = sam_profile_at(hart->options.profile, pc, insn->word, 0);
    if (!row)
        return false;
    row->count += count;
    row->lanes += count;
    row->slots += count;
    if (sam_insn_rows[insn->op].does.bytes) { /* aligned, so within one line */
        row->global_insns += count;
        row->accesses += count;
        row->lines += count;
    }
    return true;
}

bool sam_hart_profile(struct sam_hart *hart, const struct sam_hart_record *r)
{
    const struct sam_step *step = &r->step;
    const uint64_t now = hart->engines ? sam_engines_now(hart->engines) : 0;
    struct sam_profile_row *row =
        sam_profile_at(hart->options.profile, step->pc, step->word, step->prefix);
    if (!row)
        return false;
    row->count++;
    row->lanes++;
    row->slots++;
    row->cycles[SAM_GPUTIME_BUSY] += now - hart->timed;
    hart->timed = now;
    const bool moves = r->has_matrix && r->matrix.kind <= SAM_M_KIND_STORE;
    const unsigned ranges = moves ? r->matrix.m : step->access_count;
    const bool empty = moves && r->matrix.bytes == 0;
    if (!ranges || empty)
        return true;
    row->global_insns++;
    row->accesses += ranges;
    row->lines += moves ? lines_of_rows(&r->matrix) : lines_of_ranges(step);
    return true;
}
