/* SPDX-License-Identifier: Apache-2.0 */
/* A network evaluated plainly: one loop per operator, written from the descriptions of ONNX. */
#ifndef TEST_NETWORK_REF_H
#define TEST_NETWORK_REF_H

#include "network/graph.h"

/* Zeroed memory for each value: of constants, their data. NULL when out of memory. */
void **network_ref_values(const struct net_graph *graph);
void network_ref_free(const struct net_graph *graph, void **values);
/* Run all nodes in order, in floats with sums in double; integers beyond 2^53 are rounded. The
 * caller has set the inputs. */
void network_ref_run(const struct net_graph *graph, void *const *values);

#endif
