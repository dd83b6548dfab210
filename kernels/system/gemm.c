/* SPDX-License-Identifier: Apache-2.0 */
/* A layer of packed weights for many tokens: `tokens` is [groups][K][16], 16 tokens per group. */
#include "layer.h"

int main(void)
{
    const struct sam_weight_entry *tokens = layer_tensor("tokens"),
                                  *weight = layer_tensor("weight");
    layer_expect(tokens->rank == 3 && sam_weight_extent(tokens, 2) == TURN_TOKENS &&
                     sam_weight_extent(tokens, 1) % TURN_FEATURES == 0,
                 "tokens: expected [groups][K][16], K a multiple of 64");
    const uint32_t groups = (uint32_t)sam_weight_extent(tokens, 0);
    const uint32_t depth = (uint32_t)sam_weight_extent(tokens, 1);
    const uint16_t *from = layer_bring(tokens);
    for (uint32_t group = 0; group < groups; group++)
        layer_turn(from + group * depth * TURN_TOKENS, depth / TURN_FEATURES, group * TURN_TOKENS,
                   2 * depth);
    layer_finish(groups * TURN_TOKENS, layer_multiply(weight, groups * TURN_TOKENS, depth));
    return 0;
}
