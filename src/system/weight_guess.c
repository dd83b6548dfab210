/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that the weight unit expects to need, requested into the L2 while it waits for the
 * header of a chunk or the table of a block. It guesses from the record and, once the header has
 * arrived, from the size of the block. docs/decoder.md, Guesses. */
#include "system/weight_time.h"

enum { GROUPS = 2, SLACK = 64 };

/* A record whose lines are guessed. */
struct guess {
    const struct sam_weight_record *record;
    struct system_job *job;
};

/* Add a flow of the last part, within the source, over the first `steps` steps; 0: all. */
static void add_flow(const struct guess *g, uint64_t address, uint64_t bytes, uint64_t slack,
                     uint64_t steps)
{
    const uint64_t low = g->record->source, end = low + g->record->source_bytes;
    const uint64_t from = address < low + slack ? low : address - slack,
                   to = address + bytes + slack < end ? address + bytes + slack : end;
    if (from < to)
        sam_system_job_read(
            g->job, &(struct system_flow){.address = from, .bytes = to - from, .steps = steps});
}

static void add_part(const struct guess *g, uint64_t steps)
{
    sam_system_job_part(g->job,
                        &(struct system_part){.steps = steps, .ahead = true, .guess = true});
}

/* A group of `count` elements and `bytes` bytes: plane 0 has a window, the others are raw. */
static void add_group(const struct guess *g, const struct sam_layout *l, uint64_t at, size_t count,
                      uint64_t bytes, uint64_t slack)
{
    const uint64_t words = 8 * sam_window_words(count), head = SAM_WINDOW_HASH + 2;
    uint64_t raw = 0;
    for (size_t p = 1; p < l->plane_count; p++)
        raw += sam_plane_size(&l->plane[p], count);
    uint64_t k = bytes < head + raw ? 0 : (bytes - head - raw) / words;
    k = k < 1 ? 1 : k > SAM_WINDOW_BITS ? SAM_WINDOW_BITS : k;
    const uint64_t end = at + bytes;
    add_part(g, (count + SYSTEM_WEIGHT_WORD - 1) / SYSTEM_WEIGHT_WORD);
    add_flow(g, at, head + k * words, slack, 0);
    at += head + k * words;
    for (size_t p = 1; p < l->plane_count; p++) {
        const uint64_t size = sam_plane_size(&l->plane[p], count);
        add_flow(g, at, size, slack, 0);
        at += size;
    }
    if (at < end)
        add_flow(g, at, end - at, slack, 1); /* the first step needs some; there are few */
}

void sam_system_weight_guess(const struct system_weight_work *work,
                             const struct system_weight_block *b, uint64_t at, bool headed,
                             struct system_job *job)
{
    const struct guess g = {&work->record, job};
    const struct sam_weight_record *r = &work->record;
    const bool shared = r->layout == SAM_LAYOUT_SHARED; /* counts bytes */
    const struct sam_layout *l =
        sam_layout_of(shared ? SAM_LAYOUT_BYTES : (enum sam_layout_id)r->layout);
    const uint64_t elements = (uint64_t)r->total_high << 32 | r->total_low,
                   bits = shared ? 8 : sam_dtype_bits((enum sam_dtype)r->packed_type),
                   total = (uint64_t)((unsigned __int128)elements * bits / 8 / l->element);
    const uint64_t before = b->number * SAM_CHUNK_BLOCK_SIZE,
                   left = total > before ? total - before : 0;
    const size_t count = left < SAM_CHUNK_BLOCK_SIZE ? (size_t)left : SAM_CHUNK_BLOCK_SIZE;
    const uint64_t groups = sam_window_groups(count), table = sam_window_table_size(count);
    const uint64_t size =
        headed ? b->size
               : (uint64_t)((unsigned __int128)r->source_bytes * count / (total + !total));
    if (count == 0 || size <= table)
        return;
    if (!headed) {
        add_part(&g, 1);
        add_flow(&g, at, table, 0, 0);
    }
    for (uint64_t n = b->first / SAM_WINDOW_GROUP, i = 0; i < GROUPS && n < groups; n++, i++) {
        const uint64_t from = table + (size - table) * n / groups,
                       to = table + (size - table) * (n + 1) / groups;
        const size_t rest = count - (size_t)n * SAM_WINDOW_GROUP;
        add_group(&g, l, at + from, rest < SAM_WINDOW_GROUP ? rest : SAM_WINDOW_GROUP, to - from,
                  n ? SLACK : 0);
    }
}
