/* SPDX-License-Identifier: Apache-2.0 */
/* A system in time: the parts on one clock, with one memory. */
#ifndef SAM_SYSTEM_PARTS_TIME_H
#define SAM_SYSTEM_PARTS_TIME_H

#include "system/pipes.h"
#include "system/unit.h"
#include "system/weight_time.h"
#include "trace/perfetto.h"

/* Bytes of a launch's recorded instructions in memory; more wait in a file. */
enum { SYSTEM_TIME_STREAM = 64 << 20 };

struct system_time {
    struct sam_system_config config;
    struct sam_clock clock;
    struct sam_memtime_levels *levels;
    struct sam_memtime_port port;
    struct sam_hart *hart;
    void *units[SAM_SYSTEM_QUEUES]; /* their states */
    /* by number: those that have been submitted */
    struct sam_system_launch_time *launches;
    size_t launch_count, launch_capacity;
    enum sam_status status; /* the first failure of the host in a model */
    struct sam_error error;
    struct system_trace *trace; /* NULL: none */
    struct system_weight_wave *wave;
    struct system_pipes *pipes; /* NULL: none */
    bool running;               /* figures leave the queues at work */
};

/* Before the hart is created, which uses its clock, its port and the parameters of its parts.
 * Errors: those of sam_system_config_check; SAM_ERR_MEMORY. */
enum sam_status sam_system_time_new(const struct sam_system_timing *timing, unsigned mlen,
                                    const struct sam_memtime_map *map, struct system_time **out,
                                    struct sam_error *error);
void sam_system_time_free(struct system_time *time);
/* After the hart has joined the clock: the other units follow. False: out of memory. */
bool sam_system_time_attach(struct system_time *time, struct sam_hart *hart);

/* --- for the control registers. A record takes effect at its store, and enters its queue when the
 * store is issued, in the current cycle of the clock. Ranges as in struct system_unit. */
bool sam_system_time_uses(const struct system_time *time, unsigned queue, size_t index,
                          struct sam_work_span *bytes, bool *stores);
bool sam_system_time_is_full(const struct system_time *time, unsigned queue);
/* False: out of memory. */
bool sam_system_time_submit(struct system_time *time, unsigned queue);
/* Records that have ended before the current cycle; whether all have. */
uint64_t sam_system_time_done(const struct system_time *time, unsigned queue);
bool sam_system_time_is_idle(const struct system_time *time, unsigned queue);
/* The first failure of the host in a model. */
enum sam_status sam_system_time_check(const struct system_time *time, struct sam_error *error);
void sam_system_time_fail(struct system_time *time, enum sam_status status,
                          const struct sam_error *error);
/* Run the clock until all queues are empty and all stores have reached memory. */
void sam_system_time_settle(struct system_time *time);

/* --- time_figures.c */
enum sam_status sam_system_time_measure(struct system_time *time,
                                        struct sam_system_figures **figures,
                                        struct sam_error *error);

/* --- time_trace.c: the tracks of the queues and of memory in the timeline of the hart */
struct system_trace;
/* NULL: out of memory. */
struct system_trace *sam_system_trace_new(struct sam_perfetto *json);
void sam_system_trace_free(struct system_trace *trace);
void sam_system_trace_launch(struct system_trace *trace, const struct sam_system_launch_time *l);
void sam_system_trace_stage(struct system_trace *trace, const struct system_stage_span *span);
void sam_system_trace_transfer(struct system_trace *trace, const struct sam_memtime_transfer *t);
/* Write the last counters. */
void sam_system_trace_end(struct system_trace *trace);

#endif
