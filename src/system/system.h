/* SPDX-License-Identifier: Apache-2.0 */
/* The face of system/ inside the library: the parts of a system, its control registers and its
 * queues. The only folder that knows all parts; they know each other by memory alone. */
#ifndef SAM_SYSTEM_PARTS_H
#define SAM_SYSTEM_PARTS_H

#include "hart/core.h"
#include "samite/device/layout.h"
#include "samite/system.h"
#include "simt/simt.h"
#include "system/race_watch.h"
#include "system/time.h"
#include "system/weight.h"

/* Bytes of a page of control registers, and of a record. */
enum { SAM_SYSTEM_PAGE = 4096, SAM_SYSTEM_RECORD = 64 };

/* One queue of records. Records take effect when they are submitted; time, when it is on, decides
 * when they are done. */
struct sam_system_queue {
    uint32_t submitted, done; /* modulo 2^32 */
    uint32_t status;          /* of the first record that failed since it was cleared; 0: none */
};

struct sam_system {
    struct sam_system_options options;
    struct sam_memory *memory;
    struct sam_hart *hart;
    struct sam_gpu *gpu;
    const struct sam_image **gpu_images;
    size_t gpu_image_count, gpu_image_capacity;
    struct sam_system_queue queues[SAM_SYSTEM_UNITS];
    uint64_t polls;     /* reads of queues since something was written or submitted */
    uint32_t directory; /* address of the weights directory; 0: none */
    struct sam_system_stats stats;
    struct sam_gpu_stats gpu_stats;
    struct sam_system_watch *watch; /* NULL: races are not checked */
    struct system_weight_work work; /* of the last record of the weight unit */
    struct sam_buffer code;         /* what the hart's decoded pages held before a launch, */
    uint64_t code_changes;          /* at this sam_code_changes */
    struct system_time *time;       /* NULL: off */
    struct sam_hart_shared_time shared;
    /* of the run */
    char why[256];              /* of the last access that was a fault */
    bool ended;                 /* not by the hart alone: */
    enum sam_system_end end;    /* how, */
    enum sam_status end_status; /* and what sam_system_run returns */
    struct sam_error end_error;
    struct sam_trap trap; /* of the first launch that trapped */
    uint64_t trapped_launch;
};

/* ports.c: the control registers of the hart. */
void sam_system_add_ports(struct sam_system *system, struct sam_hart_ports *ports);
/* The last access faults, and this is why. */
enum sam_hart_port_end sam_system_refuse(struct sam_system *system, const char *format, ...)
    SAM_PRINTF(2, 3);
/* The run ends: not the hart's doing. `error` is copied. */
enum sam_hart_port_end sam_system_stop(struct sam_system *system, enum sam_system_end end,
                                       enum sam_status status, const struct sam_error *error);

/* queue.c: the five registers of a queue; `offset` is that in its page. */
enum sam_hart_port_end sam_system_queue_load(struct sam_system *system, enum sam_system_unit unit,
                                             uint32_t offset, uint32_t *value);
enum sam_hart_port_end sam_system_queue_store(struct sam_system *system, enum sam_system_unit unit,
                                              uint32_t offset, uint32_t value);

/* The program that has code at `pc`: one of the GPU's, or the hart's, which may bring kernels
 * along; NULL: none. */
const struct sam_image *sam_system_image_at(const struct sam_system *system, uint32_t pc);
/* A record of the GPU's queue: words[16] are its contents. *status is that of the queue: 0, or what
 * failed. */
enum sam_hart_port_end sam_system_take_launch(struct sam_system *system, uint32_t address,
                                              const uint32_t words[16], uint32_t *status);

/* race_system.c: the race check, if options.check_races asks for it. False: out of memory. */
bool sam_system_add_watch(struct sam_system *system);
/* The record at `address`, submitted by the store that runs, is about to take effect. */
void sam_system_watch_record(struct sam_system *system, enum sam_system_unit unit,
                             uint32_t address);
/* The program learns from WAIT or DONE that all but the last `left` records have ended. */
void sam_system_watch_done(struct sam_system *system, enum sam_system_unit unit, uint32_t left);
/* weight_queue.c: a record of the weight unit's queue. */
enum sam_hart_port_end sam_system_take_record(struct sam_system *system, uint32_t address,
                                              const uint32_t words[16], uint32_t *status);
/* Put the address of the weights directory, if there is one, where a program finds it: in a1. */
void sam_system_show_directory(struct sam_system *system);

/* time_ports.c: cycles of the control registers. Fill system->time and system->shared from
 * options.timing, before the hart is made of *hart; then join the clock. */
enum sam_status sam_system_add_time(struct sam_system *system, struct sam_hart_options *hart,
                                    struct sam_error *error);
enum sam_status sam_system_start_time(struct sam_system *system, struct sam_error *error);
/* The cycle of the instruction that is running. */
uint64_t sam_system_now(struct sam_system *system);

/* code.c: a launch is about to run; it has run, and what it changed of the hart's code is decoded
 * again. False: out of memory. */
bool sam_system_watch_code(struct sam_system *system);
void sam_system_check_code(struct sam_system *system);
/* Somebody else than the hart has changed memory: code that the hart has decoded there is decoded
 * again. The GPU sees to its own before each launch. */
void sam_system_wrote(struct sam_system *system, uint64_t address, uint64_t size);

#endif
