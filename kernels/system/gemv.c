/* SPDX-License-Identifier: Apache-2.0 */
/* A layer of packed weights for one token, as in each step of inference: `tokens` is [64][16],
 * the outputs of 16 attention heads side by side, which become one row of K = 1024. */
#include "layer.h"

int main(void)
{
    const struct sam_weight_entry *tokens = layer_tensor("tokens"),
                                  *weight = layer_tensor("weight");
    layer_expect(tokens->rank == 2 && sam_weight_extent(tokens, 0) == TURN_FEATURES &&
                     sam_weight_extent(tokens, 1) == TURN_TOKENS,
                 "tokens: expected [64][16]");
    layer_turn(layer_bring(tokens), 1, 0, TURN_ROW);
    layer_finish(1, layer_multiply(weight, 1, TURN_FEATURES * TURN_TOKENS));
    return 0;
}
