/* SPDX-License-Identifier: Apache-2.0 */
/* A core: its tile memories, and execution of one tile operation at a time, for programs (exec.c)
 * and for calls of tile_ops.h (intrinsics.c). */
#ifndef SAM_TILE_CORE_H
#define SAM_TILE_CORE_H

#include "tile/core/written.h"
#include "tile/hazard.h"
#include "tile/tile.h"

/* The memory of pairs.c, with a byte per element of 4 bits. */
#define SAM_TILE_SPARE ((enum sam_tile_loc)SAM_TILE_LOCS)

/* A placed tile; `pitch` is the element distance of its lines. */
struct sam_tile_ref {
    struct sam_tile_type type; /* with its current valid sizes */
    uint64_t offset;
    uint32_t pitch;
    const char *name; /* for messages */
};

/* A window of an array in global memory. */
struct sam_tile_window { /* sam_tile_window_fits holds for each dimension */
    struct sam_array *array;
    enum sam_dtype dtype;
    uint32_t rank;
    int64_t base; /* element */
    int64_t shape[SAM_TILE_RANK], strides[SAM_TILE_RANK];
    const char *name;
};

/* Returns whether a dimension and its stride are small enough for 64-bit element positions. */
bool sam_tile_window_fits(int64_t size, int64_t stride);

enum sam_tile_operand_kind { SAM_TILE_IS_TILE, SAM_TILE_IS_WINDOW, SAM_TILE_IS_NUMBER };

struct sam_tile_actual {
    enum sam_tile_operand_kind kind;
    const struct sam_tile_ref *tile;
    const struct sam_tile_window *window;
    int64_t number; /* an index, or the bits of a scalar of `dtype` */
    enum sam_dtype dtype;
    bool is_index;
};

struct sam_tile_core {
    enum sam_tile_profile profile;
    enum sam_tile_nan nan;
    enum sam_tile_outside outside;
    enum sam_tile_sum_order sum_order;
    enum sam_tile_dialect dialect;
    bool plain, manual;
    struct sam_tile_stats stats;
    struct {
        uint8_t *bytes;
        struct sam_tile_written written;
        uint64_t size, held; /* that the core has; allocated up to the end of its tiles so far */
    } memories[SAM_TILE_LOCS + 1]; /* and SAM_TILE_SPARE */
    struct sam_tile_hazards hazards;
    /* By operation, the operand types that last passed the checks; a match skips them. */
    struct {
        bool any;
        unsigned attribute;
        struct sam_tile_type types[SAM_TILE_OPERANDS];
    } good[SAM_TILE_CODES - SAM_TILE_FIRST_OP];
};

/* Set the modes of a core from options. */
void sam_tile_core_set(struct sam_tile_core *core, const struct sam_tile_options *options);
/* Give it memories of these sizes, unwritten. */
void sam_tile_core_open(struct sam_tile_core *core, const uint64_t sizes[SAM_TILE_LOCS]);
/* A tile ends at this byte, at most the size of the memory. Returns false on out-of-memory. */
bool sam_tile_core_reach(struct sam_tile_core *core, enum sam_tile_loc loc, uint64_t end);
void sam_tile_core_close(struct sam_tile_core *core);
/* Mark these bytes as unwritten. */
void sam_tile_core_forget(struct sam_tile_core *core, enum sam_tile_loc loc, uint64_t offset,
                          uint64_t size);
/* Run one operation, destination last. On SAM_ERR_TRAP the text starts with the operation's name
 * and has no position. `id` identifies the operation in messages about waits. */
enum sam_status sam_tile_core_run(struct sam_tile_core *core, unsigned code, unsigned attribute,
                                  const struct sam_tile_actual *actuals, uint32_t id,
                                  struct sam_error *error);
/* The current type of an operand; only members of its kind are set. */
void sam_tile_actual_type(const struct sam_tile_actual *actual, struct sam_tile_ty *type);
/* Copy a tile's valid rectangle from or to an array, row by row. */
void sam_tile_core_put(struct sam_tile_core *core, const struct sam_tile_ref *tile,
                       const void *data);
enum sam_status sam_tile_core_get(struct sam_tile_core *core, const struct sam_tile_ref *tile,
                                  void *data, struct sam_error *error);

/* --- between core.c and ops_*.c, which read and write elements */
struct sam_tile_job {
    struct sam_tile_core *core;
    const struct sam_tile_row *row;
    unsigned code, attribute;
    const struct sam_tile_actual *actuals;
    size_t sources;
    uint64_t ends[SAM_TILE_OPERANDS]; /* end of the last byte of each tile operand */
    struct sam_error *error;
};

static inline const struct sam_tile_ref *sam_tile_src(const struct sam_tile_job *job, size_t i)
{
    return job->actuals[i].tile;
}
static inline const struct sam_tile_ref *sam_tile_dst(const struct sam_tile_job *job)
{
    return job->actuals[job->sources].tile;
}
static inline size_t sam_tile_index(const struct sam_tile_ref *tile, size_t i, size_t j)
{
    return tile->type.blayout == SAM_TILE_row_major ? i * tile->pitch + j : j * tile->pitch + i;
}
static inline uint8_t *sam_tile_at(const struct sam_tile_core *core,
                                   const struct sam_tile_ref *tile, size_t i, size_t j)
{
    return core->memories[tile->type.loc].bytes + tile->offset +
           sam_tile_index(tile, i, j) * sam_tile_size(tile->type.dtype);
}

/* Mark rows x cols elements as written; check that they are. */
void sam_tile_core_mark(struct sam_tile_core *core, const struct sam_tile_ref *tile, size_t rows,
                        size_t cols);
enum sam_status sam_tile_core_check(const struct sam_tile_job *job, const struct sam_tile_ref *tile,
                                    size_t rows, size_t cols);

enum { SAM_TILE_CHUNK = 1024 }; /* columns computed at a time */
enum { SAM_TILE_LANES = 32 };   /* lanes per warp of the system, for SAM_TILE_SUM_SYSTEM */

/* ops_math.c: apply a function to n elements. `narrow`: results will be rounded to 16 bits. The
 * caller has checked integer divisors. */
void sam_tile_reals(enum sam_tile_function function, bool narrow, const float *a, const float *b,
                    float *d, size_t n);
void sam_tile_ints(enum sam_tile_function function, enum sam_dtype dtype, const int64_t *a,
                   const int64_t *b, int64_t *d, size_t n);
/* Returns whether bits x replace bits m as the minimum (maximum). */
bool sam_tile_better(enum sam_dtype dtype, bool max, enum sam_tile_nan nan, uint64_t x, uint64_t m);
/* The minimum (maximum) of two values as bits: the reference definition for the vector loops. */
uint64_t sam_tile_fold_pair(enum sam_dtype dtype, bool max, enum sam_tile_nan nan, uint64_t m,
                            uint64_t x);
/* a * b + c, rounded once. */
float sam_tile_fused(float a, float b, float c, bool narrow);
uint64_t sam_tile_bits_at(const void *at, size_t size);

/* pairs.c: run the operation as `run` does, on copies with a byte per element of the tiles whose
 * elements have 4 bits. */
enum sam_status sam_tile_run_unpaired(struct sam_tile_job *job, size_t rows, size_t cols,
                                      enum sam_status (*run)(struct sam_tile_job *job, size_t rows,
                                                             size_t cols));

/* Copy the valid rectangle of such a tile to or from an array whose rows start at bytes. */
void sam_tile_move_pairs(const struct sam_tile_core *core, const struct sam_tile_ref *tile,
                         uint8_t *data, bool in);

/* One function per name in families.def; families share some of them. */
#define TILE_FAMILY(id, pipe, tiles, own, reads, writes, in_place, attribute, shapes, run)         \
    enum sam_status sam_tile_run_##run(struct sam_tile_job *job);
#include "tile/families.def"

#endif
