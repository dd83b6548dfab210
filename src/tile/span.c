/* SPDX-License-Identifier: Apache-2.0 */
#include "tile/span.h"

#define FARTHEST (INT64_C(1) << 60)

/* Remove dimension k. */
static void drop(struct sam_tile_span *s, uint32_t k)
{
    s->rank--;
    for (; k < s->rank; k++) {
        s->count[k] = s->count[k + 1];
        s->stride[k] = s->stride[k + 1];
    }
}

/* Insert a dimension, ordered by stride. */
static bool insert(struct sam_tile_span *s, int64_t count, int64_t stride)
{
    int64_t reach;
    if (count == 1 || stride == 0)
        return true;
    if (__builtin_mul_overflow(count - 1, stride, &reach) || reach > FARTHEST ||
        reach < -FARTHEST || s->high > FARTHEST || s->low < -FARTHEST)
        return false;
    s->low += reach < 0 ? reach : 0;
    s->high += reach > 0 ? reach : 0;
    stride = stride < 0 ? -stride : stride;
    uint32_t k = s->rank++;
    for (; k > 0 && s->stride[k - 1] < stride; k--) {
        s->count[k] = s->count[k - 1];
        s->stride[k] = s->stride[k - 1];
    }
    s->count[k] = count;
    s->stride[k] = stride;
    return true;
}

/* Merge adjacent runs and dimensions. */
static void join(struct sam_tile_span *s)
{
    while (s->rank && s->stride[s->rank - 1] <= s->size) {
        s->rank--;
        s->size += (s->count[s->rank] - 1) * s->stride[s->rank];
    }
    for (uint32_t k = s->rank; k-- > 1;)
        if (s->stride[k - 1] == s->stride[k] * s->count[k]) {
            s->stride[k - 1] = s->stride[k];
            s->count[k - 1] *= s->count[k];
            drop(s, k);
        }
}

bool sam_tile_span_make(struct sam_tile_span *s, int64_t low, int64_t size, uint32_t rank,
                        const int64_t *count, const int64_t *stride)
{
    *s = (struct sam_tile_span){.low = low, .high = low + size, .size = size};
    for (uint32_t k = 0; k < rank; k++) {
        if (count[k] == 0) {
            *s = (struct sam_tile_span){.low = low, .high = low};
            return true;
        }
        if (!insert(s, count[k], stride[k]))
            return false;
    }
    join(s);
    return true;
}

bool sam_tile_span_tile(struct sam_tile_span *s, const struct sam_tile_type *t, uint64_t offset,
                        uint32_t pitch)
{
    bool by_rows = t->blayout == SAM_TILE_row_major;
    int64_t lines = by_rows ? t->rows : t->cols;
    int64_t size = (int64_t)sam_tile_length(t->dtype, by_rows ? t->cols : t->rows);
    int64_t stride = (int64_t)sam_tile_length(t->dtype, pitch);
    return sam_tile_span_make(s, (int64_t)offset, size, 1, &lines, &stride);
}

bool sam_tile_span_window(struct sam_tile_span *s, enum sam_dtype dtype, int64_t start,
                          int64_t base, uint32_t rank, const int64_t *shape, const int64_t *strides)
{
    const int64_t size = (int64_t)sam_tile_size(dtype);
    const uint32_t last = rank - 1;
    int64_t steps[SAM_TILE_RANK] = {0}, first;
    bool even = base % 2 == 0 && (strides[last] == 1 || shape[last] == 1);
    for (uint32_t i = 0; i < rank; i++) {
        if (__builtin_mul_overflow(strides[i], size, &steps[i]))
            return false;
        even &= i == last || strides[i] % 2 == 0;
    }
    if (__builtin_mul_overflow(base, size, &first))
        return false;
    if (!sam_tile_is_paired(dtype))
        return sam_tile_span_make(s, start + first, size, rank, shape, steps);
    if (even) { /* rows of whole bytes */
        for (uint32_t i = 0; i < last; i++)
            steps[i] /= 2;
        return sam_tile_span_make(s, start + base / 2, (shape[last] + 1) / 2, last, shape, steps);
    }
    if (!sam_tile_span_make(s, base, 1, rank, shape, steps))
        return false;
    const int64_t low = s->low >> 1, high = (s->high + 1) >> 1; /* all from the first to the last */
    return sam_tile_span_make(s, start + low, s->size ? high - low : 0, 0, NULL, NULL);
}

bool sam_tile_span_repeat(struct sam_tile_span *s, int64_t times, int64_t step)
{
    bool good = s->rank < SAM_TILE_SPAN_RANK && insert(s, times, step);
    join(s);
    return good;
}

bool sam_tile_span_like(const struct sam_tile_span *a, const struct sam_tile_span *b)
{
    return a->size == b->size && a->rank == b->rank &&
           memcmp(a->count, b->count, a->rank * sizeof a->count[0]) == 0 &&
           memcmp(a->stride, b->stride, a->rank * sizeof a->stride[0]) == 0;
}

/* --- common bytes */

enum { MOST_STEPS = 1 << 22 };

struct search {
    const struct sam_tile_span *b;
    int64_t low, high; /* run of a */
    int64_t *from, *to;
    unsigned steps;
};

/* Visit the runs of dimensions k.. from `base` that intersect low..high, until a visit ends the
 * search. */
static bool each_run(struct search *search, const struct sam_tile_span *s, uint32_t k, int64_t base,
                     int64_t low, int64_t high,
                     bool (*call)(struct search *search, int64_t low, int64_t high))
{
    /* Adversarial strides could take very long: assume an intersection. */
    if (search->steps++ > MOST_STEPS)
        return true;
    if (k == s->rank)
        return call(search, base, base + s->size);
    int64_t rest = s->size;
    for (uint32_t i = k + 1; i < s->rank; i++)
        rest += (s->count[i] - 1) * s->stride[i];
    int64_t first = low < base + rest ? 0 : (low - base - rest) / s->stride[k] + 1;
    int64_t last = high <= base ? -1 : (high - 1 - base) / s->stride[k];
    for (int64_t i = first; i <= last && i < s->count[k]; i++)
        if (each_run(search, s, k + 1, base + i * s->stride[k], low, high, call))
            return true;
    return false;
}

static bool run_of_b(struct search *search, int64_t low, int64_t high)
{
    *search->from = low > search->low ? low : search->low;
    *search->to = high < search->high ? high : search->high;
    return true;
}

static bool run_of_a(struct search *search, int64_t low, int64_t high)
{
    search->low = low;
    search->high = high;
    return each_run(search, search->b, 0, search->b->low, low, high, run_of_b);
}

bool sam_tile_span_meet(const struct sam_tile_span *a, const struct sam_tile_span *b, int64_t *from,
                        int64_t *to)
{
    struct search search = {.b = b, .from = from, .to = to};
    *from = a->low > b->low ? a->low : b->low;
    *to = a->high < b->high ? a->high : b->high;
    return a->size && b->size && *from < *to &&
           each_run(&search, a, 0, a->low, b->low, b->high, run_of_a);
}
