/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by convolutions and pools. Their arrays have four axes: batch, channels, height, width.
 */
#ifndef SAM_NETWORK_CONV_H
#define SAM_NETWORK_CONV_H

#include "network/build.h"

/* The input of the node at hand with at least that border; `zeros`: its own will do. A copy of it
 * is a step of its own. */
struct net_place sam_net_conv_input(struct net_builder *b, const uint64_t *pad, bool zeros,
                                    float fill);
/* The space of the output with its chain; the channels are last. */
void sam_net_conv_space(struct net_builder *b, struct net_space *space);
/* The operand of the bias, or NET_NONE. `repeated`: an array of it for the axis of the channels, or
 * NET_NONE: its own. */
uint32_t sam_net_conv_bias(struct net_builder *b, struct net_space *space, uint32_t repeated);
/* The input as an operand: where the windows begin. `channels`: each output has its own. */
uint32_t sam_net_conv_windows(struct net_builder *b, struct net_space *space, struct net_place in,
                              bool channels);
/* Room for the taps of a window. */
bool sam_net_conv_taps(struct net_builder *b, struct net_contract *c, uint64_t rows, uint64_t cols);
/* The products of a convolution, whose groups each read `ins` channels of the input. */
void sam_net_conv_run(struct net_builder *b, struct net_contract *c, const struct net_place *from,
                      uint64_t ins);
/* The windows themselves combined, element by element: "add", "max". Each is multiplied by its row
 * of weights if there are any, `right`, `right_step` apart. `from` is the padded input. */
void sam_net_windows_run(struct net_builder *b, struct net_contract *c,
                         const struct net_place *from, const char *combine);

#endif
