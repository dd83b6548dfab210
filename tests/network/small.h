/* SPDX-License-Identifier: Apache-2.0 */
/* Small networks, built in C as the import would make them, run by a plan and by the reference. */
#ifndef TEST_NETWORK_SMALL_H
#define TEST_NETWORK_SMALL_H

#include "network/plan.h"

enum { SMALL_VALUES = 160, SMALL_NODES = 80 };

static const struct sam_network_run_options on_system = {.system = true};

struct small {
    struct net_graph graph;
    struct sam_net_value values[SMALL_VALUES];
    struct net_node nodes[SMALL_NODES];
    uint32_t lists[SMALL_NODES][16];
    char names[SMALL_VALUES + SMALL_NODES][24];
    uint32_t inputs[16], outputs[16];
    void *data[SMALL_VALUES]; /* of constants */
    uint64_t seed, random;
    bool whole;   /* inputs are small integers */
    double least; /* the range of an output is taken to be at least this */
};

void small_start(struct small *small, uint64_t seed);
void small_free(struct small *small);
uint64_t small_below(struct small *small, uint64_t bound);
/* Values; the shape has as many sizes as rank says. */
uint32_t small_value(struct small *small, enum sam_dtype dtype, uint32_t rank,
                     const uint64_t *shape);
uint32_t small_input(struct small *small, enum sam_dtype dtype, uint32_t rank,
                     const uint64_t *shape);
/* A constant with random elements between the limits. */
uint32_t small_constant(struct small *small, enum sam_dtype dtype, uint32_t rank,
                        const uint64_t *shape, double low, double high);
/* A node that makes `output`. */
struct net_node *small_node(struct small *small, enum sam_net_op op, uint32_t output,
                            uint32_t count, const uint32_t *inputs);
void small_output(struct small *small, uint32_t value);
/* Plan the network, fused and node by node; run it and compare outputs with the reference, within
 * `tolerance` of their range; on the system too, whose bits are the host's. Fails the test. */
void small_check(struct small *small, double tolerance, bool system);

#endif
