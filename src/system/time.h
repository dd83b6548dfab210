/* SPDX-License-Identifier: Apache-2.0 */
/* A system in time: the parts on one clock, with one memory. */
#ifndef SAM_SYSTEM_PARTS_TIME_H
#define SAM_SYSTEM_PARTS_TIME_H

#include "hart/core.h"
#include "system/config.h"
#include "system/gpu_time.h"
#include "system/pipes.h"
#include "trace/perfetto.h"

/* The units of the memory's port. */
enum {
    SYSTEM_PORT_ENGINES, /* + enum sam_engine */
    SYSTEM_PORT_MATRIX = SYSTEM_PORT_ENGINES + SAM_ENGINE_COUNT,
    SYSTEM_PORT_GPU,
    SYSTEM_PORT_WEIGHTS,
    SYSTEM_PORTS
};
const char *sam_system_port_name(unsigned unit);

/* Bytes of a launch's recorded instructions in memory; more wait in a file. */
enum { SYSTEM_TIME_STREAM = 64 << 20 };

/* The queues, in the order of their pages of control registers. */
enum sam_system_unit { SAM_SYSTEM_GPU_QUEUE, SAM_SYSTEM_WEIGHT_QUEUE, SAM_SYSTEM_UNITS };

struct system_time;
/* Before the hart, which is to use its clock, its port and the parameters of its own parts. Errors:
 * those of sam_system_config_check; SAM_ERR_MEMORY. */
enum sam_status sam_system_time_new(const struct sam_system_timing *timing, unsigned mlen,
                                    const struct sam_memtime_map *map, struct system_time **out,
                                    struct sam_error *error);
void sam_system_time_free(struct system_time *time);
const struct sam_system_config *sam_system_time_config(const struct system_time *time);
struct sam_clock *sam_system_time_clock(struct system_time *time);
const struct sam_memtime_port *sam_system_time_port(const struct system_time *time);
/* After the hart has joined the clock: the other units follow. False: out of memory. */
bool sam_system_time_attach(struct system_time *time, struct sam_hart *hart);

/* --- for the control registers. What a store has submitted takes effect at once, and is given
 * here; it enters its queue when the store is issued, in the clock's current cycle. */
void sam_system_time_give_launch(struct system_time *time, struct sam_gpu_recording *recording,
                                 const char *kernel);
void sam_system_time_give_record(struct system_time *time, const struct system_weight_work *work);
/* Bytes that the launch or record to be submitted next loads, or stores: number `index` of them;
 * false: no more. None of them may be there: then low is above high. */
bool sam_system_time_uses(const struct system_time *time, enum sam_system_unit queue, size_t index,
                          struct sam_work_span *bytes, bool *stores);
bool sam_system_time_is_full(const struct system_time *time, enum sam_system_unit queue);
/* False: out of memory. */
bool sam_system_time_submit(struct system_time *time, enum sam_system_unit queue);
/* How many have ended before the current cycle; whether all have. */
uint64_t sam_system_time_done(const struct system_time *time, enum sam_system_unit queue);
bool sam_system_time_is_idle(const struct system_time *time, enum sam_system_unit queue);
/* The first failure of the host in a model. */
enum sam_status sam_system_time_check(const struct system_time *time, struct sam_error *error);

/* --- time_figures.c */
enum sam_status sam_system_time_measure(struct system_time *time,
                                        struct sam_system_figures **figures,
                                        struct sam_error *error);

/* --- for the files of time */

struct system_time {
    struct sam_system_config config;
    struct sam_clock clock;
    struct sam_memtime_levels *levels;
    struct sam_memtime_port port;
    struct sam_hart *hart;
    struct system_gpu_time *gpu;
    struct system_weight_time *weights;
    struct sam_gpu_recording *launch; /* given and not submitted; NULL: none */
    const char *kernel;
    const struct system_weight_work *record;
    uint64_t submitted[SAM_SYSTEM_UNITS];
    /* by number: those that have been submitted */
    struct sam_system_launch_time *launches;
    size_t launch_count, launch_capacity;
    uint64_t launches_ended;
    struct system_trace *trace; /* NULL: none */
    struct system_pipes *pipes; /* NULL: none */
};

/* Let everything that is under way end. */
void sam_system_time_settle(struct system_time *time);

/* --- time_trace.c: the tracks of the GPU, the weight unit and memory in the hart's timeline. */
struct system_trace;
/* NULL: out of memory. */
struct system_trace *sam_system_trace_new(struct sam_perfetto *json);
void sam_system_trace_free(struct system_trace *trace);
void sam_system_trace_launch(struct system_trace *trace, const struct sam_system_launch_time *l);
void sam_system_trace_weights(void *context, const struct system_weight_span *span);
/* The record `number` was submitted in cycle `at`. */
void sam_system_trace_record(struct system_trace *trace, uint64_t number, uint64_t at);
void sam_system_trace_transfer(struct system_trace *trace, const struct sam_memtime_transfer *t);
/* Write what is left, before the timeline ends. */
void sam_system_trace_end(struct system_trace *trace);

#endif
