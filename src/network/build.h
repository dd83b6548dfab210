/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the templates of the planner: places of values, groups of fused nodes, iteration
 * spaces and their tiles. */
#ifndef SAM_NETWORK_BUILD_H
#define SAM_NETWORK_BUILD_H

#include "network/text.h"

/* Elements around a value's own, per axis, that hold zeros. */
struct net_border {
    uint64_t before[NET_RANK], after[NET_RANK];
};

/* A node, or several fused ones: a head, unless it is an elementwise operator, and a chain of these
 * with one output. */
enum { NET_GROUP = 48 };
struct net_group {
    uint32_t nodes[NET_GROUP], count;
    uint32_t start;  /* value that the chain starts from: the output of the head; NET_NONE */
    uint32_t output; /* value */
};

struct net_builder {
    const struct net_graph *graph;
    struct net_plan *plan;
    struct sam_network_options options;
    struct sam_net_text text;  /* of the step at hand */
    struct sam_blocks store;   /* of the following lists */
    struct net_border *border; /* by value */
    uint32_t *uses;            /* by value: nodes that read it, and 1 for an output of the graph */
    bool *bordered;            /* by value: its place has the border */
    uint32_t *group;           /* by node: the group that it is in */
    struct net_group *groups;
    size_t group_count;
    uint64_t products;
    const struct net_group *at;  /* the group at hand */
    const struct net_node *node; /* its head; the node that is written, for messages */
    const char *made;            /* its template */
    enum sam_status status;
    struct sam_error *error;
};

/* --- build.c */
/* Record a failure, with the name of the node at hand; the first one stays. */
void sam_net_build_fail(struct net_builder *b, enum sam_status status, const char *format, ...)
    SAM_PRINTF(3, 4);
/* End the program at hand as a step of the first `count` nodes of the group. `output`: NET_NONE, or
 * the value that it completes. The last step of a group is ended by the planner. */
void sam_net_step_finish(struct net_builder *b, const char *made, uint32_t count, uint32_t output);
/* Whether a value is the output of one of the first `count` nodes of a group. */
bool sam_net_in_group(const struct net_builder *b, const struct net_group *group, uint32_t count,
                      uint32_t value);
/* The dtype in which values are kept on the machine: 64-bit integers in 32, all floats in f32. */
enum sam_dtype sam_net_kept(enum sam_dtype dtype);

/* --- place.c */
/* Axes from the outermost to the innermost: as those of C, or with the channels of images last. */
struct net_order {
    uint32_t axis[NET_RANK];
};
extern const struct net_order sam_net_order_c, sam_net_order_channels;
/* As the axes of a place lie. */
struct net_order sam_net_order_like(const struct net_place *place);
uint32_t sam_net_buffer_add(struct net_builder *b, enum net_buffer_kind kind, enum sam_dtype dtype,
                            uint32_t value, uint64_t count);
/* A constant array; returns its elements to be filled in, and the buffer. NULL: out of memory. */
void *sam_net_weight_add(struct net_builder *b, enum sam_dtype dtype, uint64_t count,
                         uint32_t *buffer);
/* An array of the elements of a constant with other axes: of these sizes and strides in it, from
 * the element `first` on. Returns the buffer. */
uint32_t sam_net_weight_as(struct net_builder *b, const struct sam_net_value *v, int64_t first,
                           uint32_t rank, const uint64_t *shape, const int64_t *stride);
/* Pack the array with the others, if weights are packed. */
void sam_net_weight_pack(struct net_builder *b, uint32_t buffer);
/* Give a value an array of its own, its axes in that order, with its border, whose zeros the step
 * at hand writes; an array of the caller if it is an output that fits. */
struct net_place sam_net_place_new(struct net_builder *b, uint32_t value, struct net_order order);
/* An array that holds a copy of a value with a border (NULL: none), made by a step of its own. */
struct net_place sam_net_place_copy(struct net_builder *b, uint32_t value, struct net_order order,
                                    const struct net_border *border, float fill);
/* Fill the border of a place. */
void sam_net_place_border(struct net_builder *b, const struct net_place *place,
                          struct net_order order, const struct net_border *border, double fill);
/* The place of a value that a node reads; constants get theirs here. */
struct net_place sam_net_place_of(struct net_builder *b, uint32_t value);

/* --- space.c: the elements of an output, as axes, and what is read and written for each */
enum { NET_OPERANDS = 40 };
struct net_operand {
    uint32_t value; /* NET_NONE: of no value of the chain */
    uint32_t buffer;
    int64_t offset, stride[NET_AXES];
    struct net_index shift; /* in elements, from there */
};
struct net_space {
    uint32_t axes; /* the last one becomes the columns of tiles */
    uint64_t extent[NET_AXES], tile[NET_AXES];
    uint32_t axis[NET_AXES]; /* of the value, until merged */
    uint32_t operands;
    struct net_operand operand[NET_OPERANDS]; /* the first is the output */
};
/* The axes of a value, the outermost of its place first; operand 0 is the value at that place. */
void sam_net_space_of(struct net_space *space, const struct net_place *place);
/* Another operand with strides per axis of the value. Returns its number. */
uint32_t sam_net_space_add(struct net_builder *b, struct net_space *space, uint32_t value,
                           const struct net_place *place, const int64_t *stride);
/* A value that is broadcast to `shape`, that of the space. */
uint32_t sam_net_space_broadcast(struct net_builder *b, struct net_space *space, uint32_t value,
                                 const struct sam_net_value *shape);
/* Split an axis into `outer` and what is left, within. Returns its position. */
uint32_t sam_net_space_split(struct net_space *space, uint32_t at, uint64_t outer);
/* A last axis of one element. */
void sam_net_space_column(struct net_space *space);
/* Make this axis of the value the last one. */
void sam_net_space_last(struct net_space *space, uint32_t axis);
/* Of an axis of the value only the elements first, first + step, ... */
void sam_net_space_every(struct net_space *space, uint32_t axis, uint64_t first, uint64_t step);
/* Drop axes of one element, merge those that are one for every operand. At least one is left; the
 * last one as it is if `keep_last`. */
void sam_net_space_merge(struct net_space *space, bool keep_last);
/* Long rows become several shorter ones. */
void sam_net_space_fold(struct net_space *space);
/* Tiles of at most `rows` x `cols`. */
void sam_net_space_tile(struct net_space *space, uint64_t rows, uint64_t cols);
/* Tiles of at most `cols` columns and `most` elements, with their lines of 32. */
void sam_net_space_blocks(struct net_space *space, uint64_t most, uint64_t cols);

/* A tile of the space: where it begins, and how large it is. */
struct net_site {
    const struct net_space *space;
    const struct net_tile *loaded; /* by operand, those with an id; or NULL */
    struct net_index at[NET_AXES];
    uint64_t size[NET_AXES];
    uint64_t rows, cols;
    struct net_blocks blocks;
    uint32_t skipped; /* axes that stay as they are, a bit for each; without a size, one element */
};
/* Its tiles along the axes that it has skipped. */
static inline struct net_site net_site_within(const struct net_site *site)
{
    struct net_site within = *site;
    within.blocks = (struct net_blocks){0};
    within.skipped = ~site->skipped;
    return within;
}
/* The next tile of site->space, at first that of {.space = ...}; false: none, or a failure. */
bool sam_net_site_next(struct net_builder *b, struct net_site *site);
void sam_net_site_sizes(struct net_site *site);
/* Whether an operand is the same in all rows, or all columns. */
bool sam_net_site_same(const struct net_site *site, uint32_t operand, bool in_rows);
struct net_box sam_net_site_box(struct sam_net_text *text, const struct net_site *site,
                                uint32_t operand, bool one_row, bool one_col);
void sam_net_site_store(struct sam_net_text *text, const struct net_site *site,
                        struct net_tile tile);
/* A program for a space; if it has more operations than lowering writes out, it is written again
 * for one part of an axis after the other, each but the last as a step of its own.
 *   for (struct net_parts parts = {0}; sam_net_parts(b, &space, &parts);)
 *       the program for the space as it is now */
struct net_parts {
    struct net_space whole;
    size_t begin; /* of the text, and what there was before it */
    uint64_t ops, products;
    bool begun;
    uint32_t axis;
    uint64_t at, each; /* of the axis; each: 0 in the first attempt */
};
bool sam_net_parts(struct net_builder *b, struct net_space *space, struct net_parts *parts);
/* Fill what the operand 0 of the space covers. */
void sam_net_space_fill(struct net_builder *b, struct net_space *space, double fill);

/* --- elements.c */
/* Add what the chain of the group at hand reads to its space. */
void sam_net_chain_operands(struct net_builder *b, struct net_space *space);
/* The chain over a tile; `start` is the tile of its start. */
struct net_tile sam_net_chain(struct net_builder *b, const struct net_site *site,
                              struct net_tile start);
/* Tiles that are live at once in the chain. */
uint32_t sam_net_chain_tiles(const struct net_builder *b);
struct net_tile sam_net_site_load(struct net_builder *b, const struct net_site *site,
                                  uint32_t operand);
struct net_tile sam_net_binary(struct sam_net_text *text, const char *name, struct net_tile a,
                               struct net_tile b);
struct net_tile sam_net_with(struct sam_net_text *text, const char *name, struct net_tile a,
                             double scalar);
struct net_tile sam_net_unary(struct sam_net_text *text, const char *name, struct net_tile a);
/* `tile` repeated to a shape. */
struct net_tile sam_net_widen(struct sam_net_text *text, struct net_tile tile, uint64_t rows,
                              uint64_t cols);

/* --- contract.c: out[i] = sum over taps and k of left[i, tap, k] * right[i, tap, k] */
struct net_factor {
    uint32_t operand;
    int64_t step; /* along k */
    int64_t first,
        tap[2]; /* offset of the first tap; from one to the next, down and to the right */
};
struct net_contract {
    struct net_space space;
    struct net_factor left, right;
    bool constant;    /* the right ones are an array of this contract alone, [tap][column][k] */
    uint64_t depth;   /* of k */
    uint64_t taps[2]; /* in rows and columns; without any, all sums are 0 */
    uint32_t bias;    /* operand; NET_NONE */
    double scale;     /* of the sum of a pool, or 0 */
};
void sam_net_contract_run(struct net_builder *b, struct net_contract *contract);

/* Templates, by the column `plan` of operators.def: each writes the steps of the group at hand. */
typedef void net_template(struct net_builder *b);
net_template sam_net_plan_conv, sam_net_plan_conv_transpose, sam_net_plan_pool,
    sam_net_plan_product, sam_net_plan_elements, sam_net_plan_rows, sam_net_plan_reduce,
    sam_net_plan_move, sam_net_plan_gather, sam_net_plan_resize;

/* --- move.c */
/* Copy all of `from`, `shift` elements from there, to where `to` begins. */
void sam_net_copy(struct net_builder *b, const struct net_place *from, struct net_index shift,
                  const struct net_place *to);
/* A place as one of another shape, which `to` has; false if it takes a copy. */
bool sam_net_place_view(const struct net_place *from, struct net_place *to);
/* The place of a value in the shape of another one: a view, or a copy. */
struct net_place sam_net_place_as(struct net_builder *b, uint32_t value,
                                  const struct sam_net_value *shape);

#endif
