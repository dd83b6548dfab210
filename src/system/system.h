/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of system/ inside the library: the parts of a system, its control registers and its
 * queues. No other folder knows all parts, which communicate through memory. */
#ifndef SAM_SYSTEM_PARTS_H
#define SAM_SYSTEM_PARTS_H

#include "hart/core.h"
#include "samite/device/layout.h"
#include "samite/system.h"
#include "simt/simt.h"
#include "simt/timed.h"
#include "system/race_watch.h"
#include "system/time.h"
#include "system/weight.h"

/* Bytes of a page of control registers, and of a record. */
enum { SAM_SYSTEM_PAGE = 4096, SAM_SYSTEM_RECORD = 64 };

/* Offsets in the page of a queue. */
enum {
    SYSTEM_QUEUE_SUBMIT = SAM_SYSTEM_GPU_SUBMIT % SAM_SYSTEM_PAGE,
    SYSTEM_QUEUE_SUBMITTED = SAM_SYSTEM_GPU_SUBMITTED % SAM_SYSTEM_PAGE,
    SYSTEM_QUEUE_DONE = SAM_SYSTEM_GPU_DONE % SAM_SYSTEM_PAGE,
    SYSTEM_QUEUE_STATUS = SAM_SYSTEM_GPU_STATUS % SAM_SYSTEM_PAGE,
    SYSTEM_QUEUE_WAIT = SAM_SYSTEM_GPU_WAIT % SAM_SYSTEM_PAGE,
};

/* Records take effect when they are submitted. With time, they end later. */
struct sam_system_queue {
    uint32_t submitted; /* modulo 2^32 */
    uint32_t status;    /* of the first record that failed since it was cleared; 0: none */
};

struct sam_system {
    struct sam_system_options options;
    struct sam_memory *memory;
    struct sam_hart *hart;
    struct sam_gpu *gpu;
    const struct sam_image **gpu_images;
    size_t gpu_image_count, gpu_image_capacity;
    struct sam_system_queue queues[SAM_SYSTEM_QUEUES];
    uint64_t polls;     /* reads of queues since something was written or submitted */
    uint32_t directory; /* address of the weights directory; 0: none */
    struct sam_system_stats stats;
    struct sam_gpu_stats gpu_stats;
    struct sam_system_watch *watch; /* NULL: races are not checked */
    struct system_weight_work work; /* of the last record of the weight unit */
    struct sam_buffer code;         /* snapshot of the hart's decoded pages (code.c), */
    uint64_t code_changes;          /* taken at this sam_code_changes */
    struct system_time *time;       /* NULL: off */
    struct sam_hart_shared_time shared;
    /* of the run */
    char why[256]; /* reason of the last fault */
    bool ended;    /* by sam_system_stop: */
    enum sam_system_end end;
    enum sam_status end_status; /* returned by sam_system_run */
    struct sam_error end_error;
    struct sam_trap trap; /* of the first launch that trapped */
    uint64_t trapped_launch;
};

/* ports.c: the control registers of the hart. */
void sam_system_add_ports(struct sam_system *system, struct sam_hart_ports *ports);
/* Fault the access, with a reason. */
enum sam_hart_port_end sam_system_refuse(struct sam_system *system, const char *format, ...)
    SAM_PRINTF(2, 3);
/* End the run. `error` is copied. */
enum sam_hart_port_end sam_system_stop(struct sam_system *system, enum sam_system_end end,
                                       enum sam_status status, const struct sam_error *error);

/* queue.c: the registers of a queue, at `offset` of its page. */
enum sam_hart_port_end sam_system_queue_load(struct sam_system *system, unsigned queue,
                                             uint32_t offset, uint32_t *value);
enum sam_hart_port_end sam_system_queue_store(struct sam_system *system, unsigned queue,
                                              uint32_t offset, uint32_t value);

/* The program of the GPU that has code at `pc`; otherwise that of the hart, which may contain
 * kernels, or NULL. */
const struct sam_image *sam_system_image_at(const struct sam_system *system, uint32_t pc);
/* launch.c: struct system_unit. */
enum sam_hart_port_end sam_system_take_launch(struct sam_system *system, uint32_t address,
                                              const uint32_t words[16], uint32_t *status);

/* gpu_time.c: a launch that the next submission to the GPU's queue adds. It owns the recording. */
void sam_system_give_launch(struct system_time *time, struct sam_gpu_recording *recording,
                            const char *kernel);

/* race_system.c: the race check, if options.check_races asks for it. False: out of memory. */
bool sam_system_add_watch(struct sam_system *system);
/* The store that is executing submits the record at `address`: call before its first access. */
void sam_system_watch_record(struct sam_system *system, unsigned queue, uint32_t address);
/* The program observes in WAIT or DONE that all but the last `left` records have ended. */
void sam_system_watch_done(struct sam_system *system, unsigned queue, uint32_t left);
/* The unit of `queue` loads or stores these bytes for the record submitted last: check it for
 * races, and invalidate code of the hart that it changes. Launches have their own checks. */
void sam_system_unit_accesses(struct sam_system *system, unsigned queue, bool stores,
                              uint64_t address, uint64_t size);
/* weight_queue.c */
/* Set a1 to the address of the weights directory, if there is one. */
void sam_system_show_directory(struct sam_system *system);

/* time_ports.c: set system->time, system->shared and the fields of *hart from options.timing,
 * before the hart is created; then attach the units to the clock. */
enum sam_status sam_system_add_time(struct sam_system *system, struct sam_hart_options *hart,
                                    struct sam_error *error);
enum sam_status sam_system_start_time(struct sam_system *system, struct sam_error *error);
/* The cycle of the instruction that is executing. */
uint64_t sam_system_now(struct sam_system *system);

/* code.c: call before and after a launch; code of the hart that the launch overwrote is
 * invalidated. Returns false on out-of-memory. */
bool sam_system_watch_code(struct sam_system *system);
void sam_system_check_code(struct sam_system *system);

#endif
