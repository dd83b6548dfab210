/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of random_graph.c: values and statements, and one function per kind of operator. */
#ifndef TEST_NETWORK_RANDOM_MAKE_H
#define TEST_NETWORK_RANDOM_MAKE_H

#include <stdio.h>

#include "random_graph.h"

enum { MOST = 3000 /* elements */ };

uint64_t random_below(struct random_graph *g, uint64_t bound);
bool random_coin(struct random_graph *g);
struct random_value *random_add(struct random_graph *g, const char *letter, unsigned rank,
                                const uint64_t *shape, bool reads_input);
uint64_t random_elements(unsigned rank, const uint64_t *shape);
void random_put(struct random_graph *g, const char *format, ...) SAM_PRINTF(2, 3);
/* A float initializer that may become an input. */
struct random_value *random_weight(struct random_graph *g, unsigned rank, const uint64_t *shape);
/* Integers that parameters come from; the number of their name. */
unsigned random_integers(struct random_graph *g, unsigned count, const int64_t *numbers);
void random_put_list(struct random_graph *g, const char *name, unsigned count,
                     const int64_t *numbers);
/* An axis, in newer opsets at times counted from the end. */
int64_t random_signed_axis(struct random_graph *g, unsigned axis, unsigned rank);
/* Begins the statement of a node with this output. */
struct random_value *random_node(struct random_graph *g, const char *op, unsigned rank,
                                 const uint64_t *shape, const struct random_value *a,
                                 const struct random_value *b);
struct random_value *random_same_shape(struct random_graph *g, const char *op,
                                       const struct random_value *x);
/* |x| + 0.5 */
struct random_value *random_positive(struct random_graph *g, const struct random_value *x);
/* A value, or a new initializer, that broadcasts with `x`; a new one never changes its shape. */
struct random_value *random_partner(struct random_graph *g, const struct random_value *x);

/* One function per kind of operator. They return false where the value does not suit. */
typedef bool random_make(struct random_graph *g, const char *op, struct random_value *x);
random_make random_make_unary, random_make_binary, random_make_sum, random_make_compare,
    random_make_clip, random_make_cast, random_make_softmax, random_make_layer_norm,
    random_make_reduce, random_make_argmax, random_make_global, random_make_matmul,
    random_make_gemm, random_make_batch_norm, random_make_conv, random_make_same, random_make_pool,
    random_make_constant, random_make_transpose, random_make_reshape, random_make_shape,
    random_make_flatten, random_make_unsqueeze, random_make_squeeze, random_make_plain,
    random_make_concat, random_make_split, random_make_slice, random_make_pad, random_make_expand,
    random_make_gather, random_make_resize, random_make_logic, random_make_prelu,
    random_make_instance_norm, random_make_depth;

#endif
