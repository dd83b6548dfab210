/* SPDX-License-Identifier: Apache-2.0 */
/* A tile program as it is written: constants and views at its head, each once, then operations.
 * Every result has a name of its own; nothing here fails but for memory, which sam_net_text_finish
 * reports. */
#ifndef SAM_NETWORK_TEXT_H
#define SAM_NETWORK_TEXT_H

#include "base/base.h"
#include "network/plan.h"

/* An index: a constant, or a value of the program. */
struct net_index {
    int64_t value;
    uint32_t id; /* 0: a constant */
};

/* A tile, or a scalar operand. Rows and columns are the valid ones; the room is what its lines of
 * 32 bytes need. */
struct net_tile {
    enum sam_tile_loc loc;
    enum sam_dtype dtype;
    uint64_t rows, cols;
    uint32_t id;
    bool scalar, col_major;
};

/* Elements of a buffer: up to four dimensions, the last of which becomes the columns of a tile. */
enum { NET_BOX_DIMS = 4 };
struct net_box {
    uint32_t buffer;
    struct net_index at; /* of the first element */
    uint32_t count;
    uint64_t size[NET_BOX_DIMS];
    int64_t stride[NET_BOX_DIMS];
};

/* A buffer as an argument of the program; scalar arguments follow those of the buffers. */
struct sam_net_text {
    struct sam_buffer head, body;
    uint32_t *buffers; /* arguments, in order */
    size_t buffer_count, buffer_capacity;
    const struct net_plan *plan; /* for dtypes and sizes of buffers */
    struct net_scalar_argument scalars[NET_SCALARS];
    uint32_t scalar_count;
    uint32_t next; /* name */
    unsigned depth;
    uint64_t rounds, ops; /* of the loops around, less one; operations when they are written out */
    bool failed;
};

void sam_net_text_free(struct sam_net_text *text);
/* The program of what was written; NULL when memory was short. Freed with free(). */
char *sam_net_text_finish(struct sam_net_text *text);

/* --- indexes */
static inline struct net_index net_at(int64_t value)
{
    return (struct net_index){value, 0};
}
struct net_index sam_net_add(struct sam_net_text *text, struct net_index a, struct net_index b);
struct net_index sam_net_times(struct sam_net_text *text, struct net_index a, int64_t by);
/* An index argument, of which there is room for NET_SCALARS. */
struct net_index sam_net_argument(struct sam_net_text *text, struct net_scalar_argument scalar);

/* Blocks of `tile` along each axis, and what remains at its end: the next combination of these,
 * within loops over its blocks, which the call after it closes. False after the last one.
 *   for (struct net_blocks k = {0}; sam_net_blocks(text, axes, extent, tile, &k);)
 *       the program for k.at and k.size */
enum { NET_AXES = 10 };
struct net_blocks {
    struct net_index at[NET_AXES];
    uint64_t size[NET_AXES];
    uint32_t next; /* a bit for each axis of which it is the rest */
    bool open;
};
bool sam_net_blocks(struct sam_net_text *text, uint32_t axes, const uint64_t *extent,
                    const uint64_t *tile, struct net_blocks *blocks);

/* --- tiles */
struct net_tile sam_net_scalar(struct sam_net_text *text, enum sam_dtype dtype, double value);
/* The shape of a tile in vec. */
static inline struct net_tile net_shape_of(enum sam_dtype dtype, uint64_t rows, uint64_t cols)
{
    return (struct net_tile){.loc = SAM_TILE_vec, .dtype = dtype, .rows = rows, .cols = cols};
}
/* A new tile of the shape of `like`, without contents. */
struct net_tile sam_net_alloc(struct sam_net_text *text, struct net_tile like);
/* `name` may have an attribute: "tcmp {cmp = lt}". */
struct net_tile sam_net_op(struct sam_net_text *text, const char *name, struct net_tile like,
                           uint32_t count, const struct net_tile *sources);
void sam_net_op_into(struct sam_net_text *text, const char *name, struct net_tile into,
                     uint32_t count, const struct net_tile *sources);
#define NET_OP1(text, name, like, a) sam_net_op((text), (name), (like), 1, (struct net_tile[]){(a)})
#define NET_OP2(text, name, like, a, b)                                                            \
    sam_net_op((text), (name), (like), 2, (struct net_tile[]){(a), (b)})
#define NET_OP3(text, name, like, a, b, c)                                                         \
    sam_net_op((text), (name), (like), 3, (struct net_tile[]){(a), (b), (c)})
/* A window of a tile, rows x cols at constant offsets. */
struct net_tile sam_net_window(struct sam_net_text *text, struct net_tile tile, uint64_t row,
                               uint64_t col, uint64_t rows, uint64_t cols);

struct net_tile sam_net_load(struct sam_net_text *text, struct net_tile like,
                             const struct net_box *box);
/* A hint that a box will be loaded. */
void sam_net_prefetch(struct sam_net_text *text, const struct net_box *box);
void sam_net_store(struct sam_net_text *text, struct net_tile tile, const struct net_box *box);

#endif
