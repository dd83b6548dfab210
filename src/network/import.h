/* SPDX-License-Identifier: Apache-2.0 */
/* The import of an ONNX graph: one function per kind of operator reads attributes and inputs,
 * infers shapes and emits nodes in normal form. The first failure stays; after it every function
 * returns something harmless, so that callers need not test. */
#ifndef SAM_NETWORK_IMPORT_H
#define SAM_NETWORK_IMPORT_H

#include "format/onnx.h"
#include "network/graph.h"

/* Dtype and shape of a value to be. */
struct net_type {
    enum sam_dtype dtype;
    uint32_t rank;
    uint64_t shape[NET_RANK];
};

struct import {
    const char *file;
    struct sam_model *model;
    struct sam_onnx_graph onnx;
    const struct sam_network_options *options; /* from the user */
    const struct sam_network_shape **given;    /* of these the shape of each input; or NULL */
    struct net_graph *graph;
    struct sam_names names;   /* of ONNX: `1 + number of the value`, as a pointer */
    struct sam_names outputs; /* of the graph */
    struct sam_onnx_node *node;
    const struct import_row *row; /* of its operator */
    uint32_t x;                   /* its input 0, unless the row says NET_X_NONE */
    struct net_type type;         /* of x */
    struct sam_net_value none;    /* after a failure */
    uint64_t made, may_make;      /* elements of constants that folding made, and the most */
    bool failed;
    bool open;          /* it lacks sizes of dimensions that have names */
    uint64_t try, tell; /* sizes for them: to import with, to suggest; or 0 */
    struct sam_error *error;
};

enum net_x { NET_X_NONE, NET_X_ANY, NET_X_FLOAT, NET_X_KEPT };

/* An ONNX operator (import.def). */
struct import_row {
    const char *name;
    uint32_t (*run)(struct import *m); /* returns output 0; NET_NONE: it gave all outputs */
    enum net_x x;
    unsigned inputs, most; /* how many it needs, and may have */
    enum sam_net_op op;    /* for functions that serve several */
    const char *formula;
};

/* A list from an attribute or a constant input. */
enum { NET_LIST = 2 * NET_RANK };
struct net_list {
    bool given;
    uint32_t count;
    int64_t at[NET_LIST];
};

/* --- import.c */
/* Both return NET_NONE. */
uint32_t sam_net_refuse(struct import *m, const char *format, ...) SAM_PRINTF(2, 3);
uint32_t sam_net_refuse_memory(struct import *m);
struct sam_net_value *sam_net_value(struct import *m, uint32_t id);
/* Memory of the graph, zeroed; a copy of a text there. NULL: refused. */
void *sam_net_take(struct import *m, uint64_t count, size_t size);
char *sam_net_text(struct import *m, const char *text);
/* Whether values of a graph may have this dtype. */
bool sam_net_computes(enum sam_dtype dtype);
/* A value of that type without a name. Returns its number. */
uint32_t sam_net_new_value(struct import *m, const struct net_type *type);
/* The value of an ONNX name, or NET_NONE; give it a name. */
uint32_t sam_net_find(const struct import *m, const char *name);
void sam_net_name(struct import *m, const char *name, uint32_t id);
/* Input k: whether it is there; its value, floats of other widths as SAM_F32; the same, but
 * constant weights keep their dtype. */
bool sam_net_has(const struct import *m, unsigned k);
uint32_t sam_net_input(struct import *m, unsigned k);
uint32_t sam_net_weight(struct import *m, unsigned k);
/* A node, or a constant if it can be folded. `params` may be NULL, and so may `type`: that of
 * elementwise operators. Returns its value. */
uint32_t sam_net_emit(struct import *m, enum sam_net_op op, const struct net_params *params,
                      const uint32_t *inputs, uint32_t input_count, const struct net_type *type);
uint32_t sam_net_emit1(struct import *m, enum sam_net_op op, const struct net_params *params,
                       uint32_t input, const struct net_type *type);
uint32_t sam_net_emit2(struct import *m, enum sam_net_op op, uint32_t a, uint32_t b);
/* Whether folding may make that many more elements: four times NET_FOLDED and as many as the model
 * has. */
bool sam_net_may_make(const struct import *m, uint64_t count);
/* A constant; `data` is in the store of the graph, or NULL for zeros to be set. */
uint32_t sam_net_constant(struct import *m, const struct net_type *type, const void *data);
/* A constant of the type of `x`: import_elements.c. */
uint32_t sam_net_number(struct import *m, uint32_t x, double number);
/* Output k of the ONNX node is this value. */
void sam_net_give(struct import *m, unsigned k, uint32_t id);

/* --- import_read.c: inputs of the graph */
void sam_net_import_inputs(struct import *m);
/* Attributes. Those that no function reads are refused. */
int64_t sam_net_int(struct import *m, const char *name, int64_t otherwise);
float sam_net_float(struct import *m, const char *name, float otherwise);
/* The number of the attribute's text among names with spaces between; the first one if missing. */
unsigned sam_net_choose(struct import *m, const char *name, const char *names);
struct net_list sam_net_ints(struct import *m, const char *name);
const struct sam_onnx_attribute *sam_net_attribute(struct import *m, const char *name,
                                                   enum sam_onnx_kind kind);
void sam_net_ignore(struct import *m, const char *name);
/* Input k as constant integers; those of an attribute in opsets before `since`. */
struct net_list sam_net_ints_input(struct import *m, unsigned k);
struct net_list sam_net_ints_either(struct import *m, const char *name, unsigned k, uint64_t since);

/* Input k as a shape. */
struct net_type sam_net_shape_input(struct import *m, unsigned k, enum sam_dtype dtype);

/* --- shape.c */
bool sam_net_same_shape(const struct net_type *a, const struct net_type *b);
/* The shape [1, channels, 1, ...] of the rank of x, which is at least `rank`. */
struct net_type sam_net_channels(struct import *m, uint32_t rank);
struct net_type sam_net_type_of(struct import *m, uint32_t id);
/* Number of elements; refuses shapes that are too large. */
uint64_t sam_net_count(struct import *m, const struct net_type *type);
/* An axis, or a bit per axis, of a shape of that rank; negative ones count from its end. */
uint32_t sam_net_axis(struct import *m, int64_t axis, uint32_t rank);
uint32_t sam_net_axes(struct import *m, const struct net_list *axes, uint32_t rank);
struct net_type sam_net_broadcast(struct import *m, const struct net_type *a,
                                  const struct net_type *b);
/* A Reshape, unless the shape is the same. */
uint32_t sam_net_reshape(struct import *m, uint32_t id, const struct net_type *type);
uint32_t sam_net_shaped(struct import *m, uint32_t id, uint32_t rank, const uint64_t *shape);
/* The elements of x as rows of all axes from `axis` on. */
struct net_type sam_net_matrix(struct import *m, uint32_t axis);
void sam_net_need_float(struct import *m, uint32_t id);
void sam_net_need_rank(struct import *m, uint32_t rank); /* of x, at least */
struct sam_net_shape_text {
    char text[24 * NET_RANK];
};
struct sam_net_shape_text sam_net_shape_text(const struct net_type *type);

/* --- import_moves.c: one axis from `start` with `size` elements; axes by their numbers; repeated
 */
uint32_t sam_net_part(struct import *m, uint32_t x, uint32_t axis, uint64_t start, uint64_t size,
                      int64_t step);
uint32_t sam_net_transpose(struct import *m, uint32_t x, const uint32_t *perm);
uint32_t sam_net_expand(struct import *m, uint32_t x, const struct net_type *type);

/* --- import_rows.c: a reduction of x, or what was made of it, by the attributes of the node */
uint32_t sam_net_reduce(struct import *m, enum sam_net_op op, uint32_t x);

/* --- fold.c: compute `out` if the operator allows. Returns false if not, or out of memory. */
bool sam_net_fold(struct net_graph *graph, const struct net_node *node, struct sam_net_value *out);
/* Set an element of a constant: `real` if it has floats, else `whole`. */
void sam_net_set(struct sam_net_value *value, uint64_t i, double real, int64_t whole);

/* --- fold_conv.c: Mul and Add of constants per channel into the Conv before them. */
void sam_net_fold_conv(struct import *m);

#define NET_ONNX(name, function, x, inputs, most, op)                                              \
    uint32_t sam_net_import_##function(struct import *m);
#define NET_FORMULA(name, x, inputs, most, text)
#include "network/import.def"
#undef NET_FORMULA
#undef NET_ONNX
uint32_t sam_net_import_formula(struct import *m);

#endif
