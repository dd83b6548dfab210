/* SPDX-License-Identifier: Apache-2.0 */
/* A PyTorch checkpoint in the codec's view of a file: a sequence of tensors. */
#include <stdlib.h>

#include "base/dtype.h"
#include "format/torch.h"
#include "samite/model.h"

/* A part of the file that becomes a tensor: a tensor of the checkpoint, or the remainder of a
 * storage. */
struct part {
    uint64_t offset, size;
    const struct sam_weight *tensor; /* NULL: a remainder */
    const struct sam_torch_storage *storage;
    bool in_order;
};

/* By position; at equal positions the largest first, then one in C order, then pickle order. */
static int by_place(const void *a, const void *b)
{
    const struct part *l = a, *r = b;
    if (l->offset != r->offset)
        return l->offset < r->offset ? -1 : 1;
    if (l->size != r->size)
        return l->size > r->size ? -1 : 1;
    if (l->in_order != r->in_order)
        return l->in_order ? -1 : 1;
    return l->tensor < r->tensor ? -1 : l->tensor > r->tensor;
}

static int by_offset(const void *a, const void *b)
{
    const struct sam_torch_storage *l = a, *r = b;
    return l->offset < r->offset ? -1 : l->offset > r->offset;
}

struct layout {
    struct sam_weights *weights;
    size_t room;
    struct sam_buffer names;
    uint64_t end; /* of the last tensor */
    bool failed;
};

static void add(struct layout *l, const struct part *p)
{
    struct sam_weight *grown =
        sam_grow(l->weights->tensors, l->weights->count, &l->room, sizeof *grown);
    l->failed |= !grown;
    if (!grown)
        return;
    l->weights->tensors = grown;
    struct sam_weight *w = &grown[l->weights->count++];
    enum sam_dtype type = p->tensor ? p->tensor->type : p->storage->type;
    if (p->size % sam_dtype_size(type))
        type = SAM_OPAQUE; /* the remainder after a view that ends within an element */
    *w = (struct sam_weight){.type = type,
                             .rank = 1,
                             .shape = {p->size / sam_dtype_size(type)},
                             .offset = p->offset,
                             .size = p->size};
    if (p->tensor && p->in_order) {
        w->rank = p->tensor->rank;
        memcpy(w->shape, p->tensor->shape, sizeof w->shape);
    }
    sam_buffer_puts(&l->names, p->tensor ? p->tensor->name : p->storage->entry);
    sam_buffer_append(&l->names, "", 1);
    l->end = p->offset + p->size;
}

/* Add the storage bytes between the end of the last tensor and `to`. */
static void add_rest(struct layout *l, const struct sam_torch *t, size_t *storage, uint64_t to)
{
    for (; *storage < t->storage_count; ++*storage) {
        const struct sam_torch_storage *s = &t->storages[*storage];
        const uint64_t first = s->offset > l->end ? s->offset : l->end;
        const uint64_t end = s->offset + s->size, last = end < to ? end : to;
        if (first < last && s->offset < to)
            add(l, &(struct part){first, last - first, NULL, s, false});
        if (end > to)
            break;
    }
}

static bool lay_out(struct sam_torch *t, uint64_t file_size, struct layout *l)
{
    struct part *parts = sam_alloc(t->count + 1, sizeof *parts);
    size_t count = 0, storage = 0;
    if (!parts)
        return false;
    for (size_t i = 0; i < t->count; i++)
        if (t->views[i].dense && t->tensors[i].size)
            parts[count++] = (struct part){t->views[i].offset, t->tensors[i].size, &t->tensors[i],
                                           NULL, t->views[i].in_order};
    qsort(parts, count, sizeof *parts, by_place);
    if (t->storage_count) /* otherwise the array is NULL */
        qsort(t->storages, t->storage_count, sizeof *t->storages, by_offset);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].offset < l->end) /* shares bytes with an earlier one */
            continue;
        add_rest(l, t, &storage, parts[i].offset);
        add(l, &parts[i]);
    }
    add_rest(l, t, &storage, file_size);
    free(parts);
    return !l->failed && !l->names.failed;
}

enum sam_status sam_torch_weights(struct sam_source source, const char *name,
                                  struct sam_weights *weights, struct sam_error *error)
{
    struct sam_torch torch;
    if (weights)
        *weights = (struct sam_weights){0};
    if (SAM_LACKS(error, weights, name))
        return SAM_ERR_USAGE;
    if (!source.read)
        return sam_fail_null(error, "source.read");
    enum sam_status status = sam_torch_parse(source, name, &torch, error);
    struct layout l = {.weights = weights};
    weights->kind = SAM_WEIGHTS_RAW;
    weights->file_size = source.size;
    if (status == SAM_OK && !lay_out(&torch, source.size, &l))
        status = sam_fail_memory(error);
    weights->names = (char *)l.names.data;
    const char *text = weights->names ? weights->names : "";
    for (size_t i = 0; status == SAM_OK && i < weights->count; i++) {
        weights->tensors[i].name = text;
        text += strlen(text) + 1;
    }
    sam_torch_free(&torch);
    struct sam_error why = {0};
    if (status == SAM_OK && sam_weights_check(weights, &why) != SAM_OK)
        status = sam_fail(error, why.status, "%s: %s", name, why.text);
    if (status != SAM_OK)
        sam_weights_free(weights);
    return status;
}
