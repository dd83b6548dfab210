/* SPDX-License-Identifier: Apache-2.0 */
#include "weights.h"

#include <stdlib.h>

bool weights_split_open(struct weights_split *s)
{
    s->tensor = 0;
    s->at = 0;
    s->used = 0;
    s->held = malloc(WEIGHTS_PIECE);
    return s->held != NULL;
}

void weights_split_close(struct weights_split *s)
{
    free(s->held);
    s->held = NULL;
}

bool weights_split_done(const struct weights_split *s)
{
    for (size_t i = s->tensor; i < s->weights->count; i++)
        if (s->weights->tensors[i].size)
            return false;
    return true;
}

/* Pass on a piece that is full or ends its tensor. */
static bool give(struct weights_split *s, struct sam_error *error)
{
    size_t size = s->used;
    s->used = 0;
    return s->take(s->context, s->tensor, s->held, size, error);
}

/* Pass on empty tensors before the next non-empty one. */
static bool give_empty(struct weights_split *s, struct sam_error *error)
{
    for (; s->tensor < s->weights->count && !s->weights->tensors[s->tensor].size; s->tensor++)
        if (!give(s, error))
            return false;
    return true;
}

bool weights_split_write(struct weights_split *s, const uint8_t *data, size_t size,
                         struct sam_error *error)
{
    if (!give_empty(s, error))
        return false;
    while (size && s->tensor < s->weights->count) {
        const struct sam_weight *w = &s->weights->tensors[s->tensor];
        bool before = s->at < w->offset;
        uint64_t wanted = before ? w->offset - s->at : w->offset + w->size - s->at;
        if (!before && wanted > WEIGHTS_PIECE - s->used)
            wanted = WEIGHTS_PIECE - s->used;
        size_t now = wanted < size ? (size_t)wanted : size;
        if (!before) {
            memcpy(s->held + s->used, data, now);
            s->used += now;
        }
        s->at += now;
        data += now;
        size -= now;
        bool ended = s->at == w->offset + w->size;
        if (!before && (ended || s->used == WEIGHTS_PIECE) && !give(s, error))
            return false;
        s->tensor += ended;
        if (ended && !give_empty(s, error))
            return false;
    }
    s->at += size;
    return true;
}

bool weights_stat_add(struct sam_weight_stat *sum, enum sam_dtype type, const uint8_t *data,
                      size_t size, const struct sam_codec_options *options, struct sam_error *error)
{
    struct sam_weight_stat one;
    if (sam_weight_stat(type, data, size, options, &one, error) != SAM_OK)
        return false;
    double before = (double)sum->elements, more = (double)one.elements, all = before + more;
    if (all > 0) {
        one.entropy = (sum->entropy * before + one.entropy * more) / all;
        one.bound = (sum->bound * before + one.bound * more) / all;
    }
    one.elements += sum->elements;
    *sum = one;
    return true;
}
