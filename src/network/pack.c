/* SPDX-License-Identifier: Apache-2.0 */
/* The packed file of a plan: the weights of its products in the order in which tiles load them. */
#include "network/plan.h"

#include <stdlib.h>

#include "samite/codec.h"

/* The arrays as a raw file, one after the other, and its tensors. */
static void lay_out(const struct net_plan *plan, struct sam_weights *weights, uint8_t *file)
{
    weights->count = 0;
    weights->file_size = 0;
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct net_buffer *const buffer = &plan->buffers[i];
        const bool narrow = buffer->stored == SAM_BF16;
        const uint64_t size = buffer->count * (narrow ? 2 : 4);
        if (!buffer->name)
            continue;
        if (weights->tensors)
            weights->tensors[weights->count] =
                (struct sam_weight){.name = buffer->name,
                                    .type = narrow ? SAM_BF16 : SAM_F32,
                                    .rank = 1,
                                    .shape = {buffer->count},
                                    .offset = weights->file_size,
                                    .size = size};
        for (uint64_t k = 0; file && k < buffer->count; k++) {
            const uint32_t bits = sam_f32_bits(((const float *)buffer->data)[k]);
            if (narrow)
                sam_put_le16(file + weights->file_size + 2 * k, (uint16_t)(bits >> 16));
            else
                sam_put_le32(file + weights->file_size + 4 * k, bits);
        }
        weights->count++;
        weights->file_size += (size + 63) / 64 * 64;
    }
}

enum sam_status sam_net_plan_pack(struct net_plan *plan, bool window, struct sam_error *error)
{
    const struct sam_codec_options options = {.size = sizeof options, .window = window};
    struct sam_weights weights = {.kind = SAM_WEIGHTS_RAW};
    lay_out(plan, &weights, NULL);
    if (weights.count == 0)
        return SAM_OK;
    uint8_t *const file = sam_alloc(weights.file_size, 1);
    weights.tensors = sam_alloc(weights.count, sizeof *weights.tensors);
    enum sam_status status = SAM_ERR_MEMORY;
    if (file && weights.tensors) {
        lay_out(plan, &weights, file);
        const uint64_t room = sam_pack_bound(&weights);
        plan->packed = room ? malloc(room) : NULL;
        if (plan->packed)
            status =
                sam_pack(&weights, file, &options, plan->packed, room, &plan->packed_size, error);
    }
    free(weights.tensors);
    free(file);
    return status == SAM_ERR_MEMORY ? sam_fail_memory(error) : status;
}
