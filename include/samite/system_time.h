/* SPDX-License-Identifier: Apache-2.0 */
/* The cycles of a system (docs/system-rulings.md, "Time"): the parameters of its parts, and the
 * measured figures. Timing changes no value; with sam_system_options.timing it is simulated along
 * with the program.
 *
 *   sam_system_config_new(&config, &error);
 *   sam_system_config_set(config, "mem.dram_bytes=32,mx.mpara=8", &error);
 *   options.timing = &(struct sam_system_timing){.size = sizeof options.timing, .config = config};
 *   sam_system_new(&options, &system, &error);
 *   ...
 *   sam_system_run(system, &result, &error);
 *   sam_system_figures(system, &figures, &error);
 * Since 0.2. */
#ifndef SAMITE_SYSTEM_TIME_H
#define SAMITE_SYSTEM_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "energy.h"
#include "parameter.h"
#include "sink.h"
#include "status.h"
#include "system_pipes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_system;

/* ------------------------------------------------------------------------------- parameters */

/* The parameters of all parts; those of a part have its prefix: "tl." the TensorLoad engines and
 * the hart, "mx." the matrix unit, "gpu." the GPU, "wu." the weight unit, "mem." the memory that
 * they share, in place of their own, "energy." the energy (in thousandths of a picojoule where a
 * program reads them); those of the queues have none. */
struct sam_system_config;

/* With the defaults. SAM_ERR_MEMORY. */
SAM_API enum sam_status sam_system_config_new(struct sam_system_config **config,
                                              struct sam_error *error);
SAM_API void sam_system_config_free(struct sam_system_config *config);
/* "mem.dram_bytes=32,launch_cycles=50": change the named values; the last value of a name wins;
 * gpu.preset=NAME comes before the GPU's other names. SAM_ERR_USAGE, with `config` unchanged: an
 * unknown name, or a value out of range; the error says what was expected. */
SAM_API enum sam_status sam_system_config_set(struct sam_system_config *config, const char *text,
                                              struct sam_error *error);
/* The value of a parameter by its name, "gpu.sms"; mx.mlen is 0 until it is set. False: unknown
 * name. */
SAM_API bool sam_system_config_get(const struct sam_system_config *config, const char *name,
                                   uint64_t *value);
/* Parameter `index` of all of them, from 0, and in *prefix how its name begins; NULL after the
 * last. */
SAM_API const struct sam_parameter *sam_system_parameter(size_t index, const char **prefix);

/* sam_system_options.timing */
struct sam_system_timing {
    size_t size;                            /* sizeof of this struct (status.h) */
    const struct sam_system_config *config; /* copied; NULL: the defaults */
    /* Charge each decode as a copy of its raw bytes, for the time of the program with weights that
     * are not packed. Values are the same. */
    bool raw_weights;
    /* sam_system_measure does not wait for the queues, for a measurement between two programs of
     * one system. Figures lack launches. */
    bool running;
    struct sam_sink wave; /* of the weight unit (VCD); write NULL: none. sam_system_end_timeline
                             ends it */
};

/* --------------------------------------------------------------------------------- figures */

/* Cycles of one unit with one reason. The rows of a unit are consecutive, and sum to the cycles
 * of the run. */
struct sam_system_row {
    const char *unit, *reason;
    unsigned number; /* of several units with this name, from 0 */
    bool busy;       /* the unit works; else it waits or has nothing to do */
    uint64_t cycles;
};

/* Bytes that a unit has asked of a level of memory. Of DRAM and the link: the lines that its
 * requests have fetched, and those that it wrote last of the lines written back. */
struct sam_system_bytes {
    const char *unit, *level;
    uint64_t read, written;
};

/* A level of memory, as it counts itself. */
struct sam_system_level {
    const char *name;
    uint64_t requests, read, written; /* bytes */
    uint64_t busy, waiting, idle;     /* cycles: data moves, answers are outstanding, neither */
    uint32_t width;                   /* bytes that it can move per cycle */
    uint64_t hits, misses;            /* of the L2 */
    uint64_t partial;                 /* writes of parts of lines, of the L2 */
};

/* A launch that has ended. */
struct sam_system_launch_time {
    uint64_t number;                       /* in the order of submission, from 0 */
    const char *kernel;                    /* its symbol, or NULL */
    uint64_t submitted, begun, first, end; /* cycles: its store, its setup, its first warp, and the
                                              first cycle in which all is done */
    uint64_t insns;                        /* of warps */
    uint64_t read, written;                /* bytes that it asked of memory */
};

/* Operations (multiplications and additions of the matrix unit) per cycle, against the bytes that
 * DRAM moves. */
struct sam_system_roofline {
    double peak;      /* operations per cycle of the multipliers */
    double slope;     /* bytes per cycle of DRAM */
    double intensity; /* operations per byte of DRAM; 0 without traffic */
    double done;      /* operations per cycle that the program achieved */
    double bound;     /* the most it can achieve with this intensity */
    bool memory_bound;
};

struct sam_system_figures {
    uint64_t cycles;
    uint64_t instructions; /* of the hart */
    struct sam_system_row *rows;
    size_t row_count;
    struct sam_system_bytes *bytes;
    size_t byte_count;
    struct sam_system_level *levels;
    size_t level_count;
    struct sam_system_launch_time *launches;
    size_t launch_count;
    uint64_t records;     /* of the weight unit */
    uint64_t packed, raw; /* bytes of decoded blocks: as they lie in memory, as raw elements */
    uint64_t macs;        /* of the matrix unit */
    struct sam_system_roofline roofline;
    const char *busiest;     /* the unit that is busy for most cycles; NULL: none is */
    uint64_t busiest_cycles; /* no schedule of the same work takes fewer */
    struct sam_energy energy;
    /* Of a program with sam_system_describe_pipes; operations in its order, then what belongs to
     * none. */
    struct sam_system_pipe *pipes;
    size_t pipe_count;
    struct sam_system_operation_time *operations;
    size_t operation_count;
};

/* The figures of the run so far, with everything in flight: units finish as if the program had
 * ended. Free it with sam_system_figures_free. SAM_ERR_USAGE: the system has no timing. */
SAM_API enum sam_status sam_system_measure(struct sam_system *system,
                                           struct sam_system_figures **figures,
                                           struct sam_error *error);
SAM_API void sam_system_figures_free(struct sam_system_figures *figures);

enum sam_system_format {
    SAM_SYSTEM_TEXT, /* for people */
    SAM_SYSTEM_JSON, /* everything, one object */
};
/* The figures as text, to be freed with sam_text_free; `raw` are those of the same program with
 * raw_weights, or NULL. SAM_ERR_USAGE: no such format. */
SAM_API enum sam_status sam_system_report(const struct sam_system_figures *figures,
                                          const struct sam_system_figures *raw,
                                          enum sam_system_format format, char **text,
                                          struct sam_error *error);
/* Finish the timeline of the hart's options, which has tracks of all units. SAM_ERR_IO: its sink
 * has refused. */
SAM_API enum sam_status sam_system_end_timeline(struct sam_system *system, struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
