/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the same text: copies of the same operations, in an unrolled loop, are launches of one
 * kernel. */
#include <stdlib.h>

#include "lower/hart.h"

struct lower_shared {
    struct sam_lower_kernel kernel;
    size_t from, to; /* its text in l->gpu */
    unsigned label;  /* the first of its labels */
};

/* Skip a label, .Lg12; returns its number, or -1 if there is none. */
static long label_at(const char **at)
{
    char *end;
    if (strncmp(*at, ".Lg", 3) != 0)
        return -1;
    const long number = strtol(*at + 3, &end, 10);
    *at = end;
    return number;
}

/* Returns whether two texts are equal but for their names and the numbers of their labels. */
static bool same_text(const struct lower *l, const struct lower_shared *a,
                      const struct lower_shared *b)
{
    const char *text = sam_buffer_text(&l->gpu);
    const char *x = strchr(text + a->from, '\n'), *y = strchr(text + b->from, '\n');
    while (x < text + a->to && y < text + b->to) {
        const long first = label_at(&x), second = label_at(&y);
        if ((first < 0) != (second < 0) ||
            (first >= 0 && first - (long)a->label != second - (long)b->label))
            return false;
        if (first < 0 && *x++ != *y++)
            return false;
    }
    return x == text + a->to && y == text + b->to;
}

static bool same_kernel(const struct lower *l, const struct sam_lower_kernel *a,
                        const struct sam_lower_kernel *b)
{
    if (a->op_count != b->op_count || a->word_count != b->word_count ||
        a->workgroups != b->workgroups || a->warps != b->warps || a->lds_bytes != b->lds_bytes)
        return false;
    for (unsigned i = 0; i < a->op_count; i++)
        if (sam_lower_origin(l, &l->p->ops[a->ops[i]]) !=
            sam_lower_origin(l, &l->p->ops[b->ops[i]]))
            return false;
    for (unsigned i = 0; i < a->word_count; i++)
        if (a->words[i].kind != b->words[i].kind)
            return false;
    return true;
}

bool sam_lower_share(struct lower *l, struct sam_lower_kernel *k, size_t from, unsigned label)
{
    struct lower_state *s = l->state;
    const struct lower_shared now = {*k, from, l->gpu.size, label};
    for (size_t i = 0; i < s->shared_count && !l->gpu.failed; i++) {
        const struct lower_shared *old = &s->shared[i];
        if (!same_kernel(l, &old->kernel, k) || !same_text(l, old, &now))
            continue;
        sam_format(k->code, sizeof k->code, "%s", old->kernel.code);
        l->gpu.size = from;
        l->gpu.data[from] = '\0';
        return true;
    }
    void *grown = sam_grow(s->shared, s->shared_count, &s->shared_capacity, sizeof *s->shared);
    s->memory |= !grown;
    if (grown) {
        s->shared = grown;
        s->shared[s->shared_count++] = now;
    }
    return false;
}
