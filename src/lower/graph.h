/* SPDX-License-Identifier: Apache-2.0 */
/* The dependence graph of straight-line code (graph.c), and its schedule (order.c). */
#ifndef SAM_LOWER_GRAPH_H
#define SAM_LOWER_GRAPH_H

#include "lower/order.h"
#include "tile/check/flow.h"
#include "tile/span.h"

struct lower_node {
    uint32_t first, count; /* in `ops` */
    uint32_t hart, gpu;    /* estimated cycles */
    uint32_t waits;        /* nodes that it depends on and that are not scheduled */
    uint32_t edges;        /* list of nodes that depend on it, or SAM_TILE_NONE */
    uint64_t inner;        /* bytes of vec that tiles of this node alone take, at most */
    uint64_t start;        /* end of the launches that it depends on */
    uint32_t path;         /* hart cycles from here to the end of the next launch's operands */
    bool follows;          /* it depends on a node */
    bool done;
};

struct lower_edge {
    uint32_t to, next;
};

/* An access to the bytes of a root tile or an array. */
struct lower_access {
    struct sam_tile_span span;
    uint32_t place, node;
    uint32_t next; /* the access before it to the same place */
    bool write;
};

/* A root tile in the segment. */
struct lower_tile {
    uint32_t first, last; /* nodes that use it, in the order of the program */
    uint32_t uses;        /* nodes that use it and are not done */
    uint64_t busy;        /* when the last launch that uses it ends */
    uint32_t left;        /* of them, those that the walk has not reached */
    uint64_t visit, walk; /* the last ones */
    bool used, live;
};

/* When hart and GPU are free: estimated cycles. */
struct lower_now {
    uint64_t hart, gpu;
};

struct lower_order {
    struct sam_tile_program *p;
    const struct sam_tile_lower_options *options;
    const struct sam_lower_arrays *arrays;
    uint64_t room[SAM_TILE_LOCS];
    unsigned ahead;
    const uint32_t *in_place, *staged;
    uint32_t staging; /* the last node that stages weights or asks for them, or SAM_TILE_NONE */
    bool hints;       /* the program asks for packed weights: they are staged in its order */
    struct sam_tile_flow flow;
    uint32_t *ops; /* of the nodes of the segment */
    size_t op_count, op_capacity;
    struct lower_node *nodes;
    size_t node_count, node_capacity;
    struct lower_edge *edges;
    size_t edge_count, edge_capacity;
    struct lower_access *accesses;
    size_t access_count, access_capacity;
    uint32_t *last; /* by value: the last access to this root tile or array in the segment */
    struct lower_tile *tiles; /* by value */
    uint32_t *live;           /* tiles that have room, also those that a launch still uses */
    size_t live_count;
    uint64_t visits, walks; /* numbers of the last ones */
    uint8_t *state;         /* by operation: NOT_HERE, WAITING, EMITTED */
    uint32_t *support;      /* operations on scalars and descriptors of the segment */
    size_t support_count, support_capacity;
    struct sam_lower_times *times; /* by operation */
    struct lower_now now;
    uint32_t *link; /* where the next operation goes */
    bool memory;
};

static inline const struct sam_tile_ty *lower_type_of(const struct lower_order *o, uint32_t value)
{
    return sam_tile_ty(o->p, value);
}

/* The tile whose room a tile takes: itself, or the one that it is a copy of (in_place.c). */
static inline uint32_t lower_home(const struct lower_order *o, uint32_t tile)
{
    return o->flow.root[o->in_place[o->flow.root[tile]]];
}

/* Bytes that a root tile takes. */
static inline uint64_t lower_tile_bytes(const struct lower_order *o, uint32_t tile)
{
    return o->staged[tile] ? 0 : sam_tile_bytes(&lower_type_of(o, tile)->tile);
}
/* Returns whether the window is of packed weights. */
bool sam_lower_graph_is_packed(const struct lower_order *o, uint32_t window);

/* Grow an array by one element. Returns NULL on out-of-memory, which o->memory then says. */
void *sam_lower_graph_more(struct lower_order *o, void *array, size_t count, size_t *capacity,
                           size_t size);
/* Returns whether the operation is a constant or a descriptor that cannot fail: it can go where it
 * is first used. */
bool sam_lower_graph_is_support(const struct lower_order *o, const struct sam_tile_op *op);
/* Returns whether it is a move, a product or a vector operation that cannot fail, with known bytes.
 */
bool sam_lower_graph_is_good(const struct lower_order *o, const struct sam_tile_op *op);
/* Add it to the last node, or as a node, with its edges. */
void sam_lower_graph_add(struct lower_order *o, uint32_t index);
/* Add a prefetch of packed weights. */
void sam_lower_graph_add_hint(struct lower_order *o, uint32_t index);

#endif
