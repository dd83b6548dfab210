/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch checkpoints: tensors and their locations. */
#ifndef SAM_TORCH_H
#define SAM_TORCH_H

#include "base/base.h"
#include "samite/codec.h"

/* Location of a tensor's elements. */
struct sam_torch_view {
    size_t storage;
    uint64_t offset;                  /* of the first element, from the start of the file */
    uint64_t span;                    /* bytes from the first element to the end of the last */
    uint64_t stride[SAM_WEIGHT_RANK]; /* in elements */
    bool in_order;                    /* contiguous in C order */
    bool dense;                       /* contiguous in some order */
};

struct sam_torch {
    struct sam_weight *tensors; /* in pickle order, with unique names */
    struct sam_torch_view *views;
    size_t count;
    struct sam_torch_storage {
        const char *entry; /* name in the archive */
        uint64_t offset, size;
        enum sam_dtype type;
    } * storages;
    size_t storage_count;
    struct sam_names names; /* of the tensors */
    char **texts;           /* storage of the names */
    size_t text_count;
};

/* Free *torch in either case. */
enum sam_status sam_torch_parse(struct sam_source source, const char *file, struct sam_torch *torch,
                                struct sam_error *error);
void sam_torch_free(struct sam_torch *torch);
/* Copy elements first .. first + count - 1, in C order, of a tensor. `from` holds the span of its
 * view. */
void sam_torch_gather(const struct sam_weight *w, const struct sam_torch_view *view,
                      const uint8_t *from, uint64_t first, uint64_t count, uint8_t *out);

#endif
