/* SPDX-License-Identifier: Apache-2.0 */
/* Networks: an ONNX model becomes tile programs (tile.h), which run on the host's executor or, with
 * cycles and a reason for each, on the system (system.h). docs/networks.md lists the operators.
 *
 *   sam_network_open("model.onnx", NULL, &network, &error);
 *   struct sam_network_array arrays[] = {{"x", &x}, {"y", &y}};
 *   sam_network_run(network, arrays, 2, NULL, &figures, &error);
 *   sam_network_report(figures, SAM_NETWORK_TEXT, &text, &error);
 *
 * Thread safety: a network is used by one thread at a time. Since 0.2. */
#ifndef SAMITE_NETWORK_H
#define SAMITE_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtype.h"
#include "format.h"
#include "status.h"
#include "system_time.h"
#include "tile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_network;

/* A symbolic dimension of the model. */
struct sam_network_dim {
    const char *name;
    uint64_t size;
};
/* The shape of an input whose dimensions the model leaves open. */
struct sam_network_shape {
    const char *input;
    size_t rank;
    uint64_t shape[8];
};

/* The form of the weights in DRAM: as arrays, or packed (codec.h) and decoded on their way. */
enum sam_network_weights { SAM_NETWORK_RAW, SAM_NETWORK_HUFFMAN, SAM_NETWORK_WINDOW };

struct sam_network_options {
    size_t size; /* sizeof of this struct (status.h) */
    const struct sam_network_dim *dims;
    size_t dim_count;
    const struct sam_network_shape *shapes;
    size_t shape_count;
    /* Values inside the network that sam_network_run can return: they are kept apart from fused
     * operators. */
    const char *const *keep;
    size_t keep_count;
    enum sam_network_weights weights;
    bool unfused; /* a step for each node */
};

/* Import and plan the ONNX model at `path`; opsets 7 to 21, external data included. `options` may
 * be NULL. SAM_ERR_INPUT, in one line with the node: a damaged model, operators that are not
 * supported (all of them), shapes that do not meet, a dimension without a size, more memory than
 * the system has. SAM_ERR_USAGE: a dim, an input or a value that the model does not have. */
SAM_API enum sam_status sam_network_open(const char *path,
                                         const struct sam_network_options *options,
                                         struct sam_network **network, struct sam_error *error);
SAM_API void sam_network_close(struct sam_network *network); /* may be NULL */

struct sam_network_tensor {
    const char *name; /* belongs to the network */
    enum sam_dtype dtype;
    size_t rank;
    uint64_t shape[8];
};
/* Inputs, outputs, and all values that nodes compute, in their order; false after the last. */
SAM_API bool sam_network_input(const struct sam_network *network, size_t index,
                               struct sam_network_tensor *tensor);
SAM_API bool sam_network_output(const struct sam_network *network, size_t index,
                                struct sam_network_tensor *tensor);
SAM_API bool sam_network_value(const struct sam_network *network, size_t index,
                               struct sam_network_tensor *tensor);

/* The plan, a line for each step: its nodes, tiles, and place in DRAM. To be freed with
 * sam_text_free. */
SAM_API enum sam_status sam_network_list(const struct sam_network *network, char **text,
                                         struct sam_error *error);
/* Write the tile programs, their constants and `run`, a shell script that runs them one after
 * another, into a folder, which must exist. */
SAM_API enum sam_status sam_network_emit(const struct sam_network *network, const char *folder,
                                         struct sam_error *error);

/* An array by the name of its value. Arrays of inputs are read: one for each input, with its
 * shape, and its dtype or one that converts to it without loss. Others, of outputs and values that
 * are kept, are made: free them with sam_array_free. Of two arrays for a value that is both an
 * input and an output, the first is read and the second made. */
struct sam_network_array {
    const char *name;
    struct sam_array *array;
};

struct sam_network_run_options {
    size_t size; /* sizeof of this struct (status.h) */
    bool system; /* on the system; else on the host's executor, with the same bits unless: */
    enum sam_tile_sum_order sum_order;      /* of the executor; the system has its own */
    bool timing;                            /* of the system: figures have cycles */
    bool raw_weights;                       /* a second time with decodes charged as copies */
    const struct sam_system_config *config; /* NULL: the defaults */
    const volatile int *stop; /* becomes non-zero: the run ends with SAM_ERR_STOPPED; or NULL */
    /* Called before each step; NULL: none. */
    void (*progress)(void *context, size_t step, size_t steps);
    void *context;
};

/* One step of a run. */
struct sam_network_step {
    const char *nodes;           /* names of its ONNX nodes, joined with ", " */
    const char *kind;            /* "conv", "elements" */
    double seconds;              /* of the host */
    uint64_t cycles, raw_cycles; /* the latter with raw_weights */
    uint64_t instructions;       /* of the hart */
    uint64_t macs;               /* of the matrix unit */
    uint64_t packed, raw;        /* bytes of weights that were decoded: as packed, as elements */
    uint64_t read, written;      /* bytes of DRAM */
    uint64_t bound;              /* cycles of the busiest unit: no schedule takes fewer */
    const char *busiest;         /* the unit; NULL: none is busy */
    const char *waits;           /* the largest reason for which that unit is not busy; or NULL */
    uint64_t waiting;            /* cycles of that reason */
};
struct sam_network_figures {
    struct sam_network_step *steps;
    size_t step_count;
    struct sam_network_step sum; /* `busiest`: of all steps, summed by unit */
    bool timed;
};

/* Run the network once. `options` and `figures` may be NULL. SAM_ERR_USAGE: an array is missing,
 * or does not fit, in one line with its name. SAM_ERR_TRAP: a step failed. */
SAM_API enum sam_status sam_network_run(struct sam_network *network,
                                        const struct sam_network_array *arrays, size_t count,
                                        const struct sam_network_run_options *options,
                                        struct sam_network_figures **figures,
                                        struct sam_error *error);
SAM_API void sam_network_figures_free(struct sam_network_figures *figures); /* may be NULL */

/* Later runs take `input` from `output` of the run before, starting with zeros, unless they are
 * given an array for it. SAM_ERR_USAGE: no such input or output, or their shapes differ. */
SAM_API enum sam_status sam_network_keep_state(struct sam_network *network, const char *input,
                                               const char *output, struct sam_error *error);

enum sam_network_format {
    SAM_NETWORK_TEXT,
    SAM_NETWORK_JSON,
    SAM_NETWORK_HTML,
    SAM_NETWORK_PERFETTO
};
/* The figures as text, a document, a page with a chart of nodes by cycles, or a timeline with a
 * track of steps. To be freed with sam_text_free. `title` is in the page. */
SAM_API enum sam_status sam_network_report(const struct sam_network_figures *figures,
                                           const char *title, enum sam_network_format format,
                                           char **text, struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
