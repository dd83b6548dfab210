/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the Ventus driver. device.c has the handles, tasks and the lock; the
 * other files work on a locked device. */
#ifndef DRIVER_H
#define DRIVER_H

#include <pthread.h>
#include <stdbool.h>

#include "samite/samite.h"
#include "samite/ventus_driver.h"

/* Environment variables, read when a device is opened. */
struct environment {
    unsigned jobs; /* SAMITE_JOBS, 1 when absent */
    bool sv39;     /* SAMITE_SV39 */
    bool stats;    /* SAMITE_STATS */
    bool strict;   /* SAMITE_BOUNDS=strict: kernels may access the bytes of buffers only */
    bool abort;    /* SAMITE_ABORT: a failed call ends the process */
    bool log_each; /* SAMITE_LOG=auto: one file per launch */
    char *log;     /* SAMITE_LOG=FILE; NULL: none */
    char *record;  /* SAMITE_RECORD: a folder; NULL: none */
    char *profile; /* SAMITE_PROFILE: a file; NULL: none */
    bool cycles;   /* SAMITE_CYCLES, */
    struct sam_gputime_config config;
};

struct buffer {
    uint32_t address;
    uint32_t size;
    uint64_t task;
    bool fresh; /* zero: not written by the host, and no launch has run since */
};

/* The program of an address space. */
struct program {
    struct sam_image *image; /* NULL: none yet */
    void *bytes;             /* as uploaded */
    size_t size;
    char *path; /* of the uploaded file; NULL: from memory */
    bool is_elf;
    unsigned record; /* number of its file in the recording; 0: not written yet */
};

/* A range of local memory written by the host. */
struct local {
    uint32_t address;
    uint32_t size;
};

/* An address space: a machine with its program and its buffers. All tasks share one, unless
 * SAMITE_SV39 gives each its own. */
struct space {
    struct sam_gpu *gpu;
    bool strict; /* buffers have exactly the requested size */
    struct program program;
    struct buffer *buffers; /* by address */
    size_t buffer_count, buffer_capacity;
    bool has_tables; /* SV39: the page tables at ptbr are those of the buffers */
    uint64_t ptbr;
    /* of recordings: */
    struct local *locals; /* since the last launch */
    size_t local_count, local_capacity;
    uint8_t *dirty; /* one bit per 4 KiB page: a replay may have left non-zero bytes there */
};

struct task {
    uint64_t id;
    struct space *space;
};

/* A launch as queued. */
struct request {
    uint64_t meta[VT_META_WORDS];
    struct space *space;
};

struct device {
    uintptr_t handle;
    unsigned users; /* calls in progress, guarded by the registry's lock */
    struct device *next;
    pthread_mutex_t lock; /* guards all below */
    struct environment environment;
    unsigned serial;      /* among the process's devices: 1, 2, ... */
    struct space *shared; /* the space of all tasks; NULL under SV39 */
    struct task *tasks;
    size_t task_count, task_capacity;
    struct request *queue;
    size_t queue_count, queue_capacity;
    bool failed;      /* a launch has failed, and no wait has reported it */
    unsigned dropped; /* launches queued after it */
    unsigned launches, failures, programs;
    struct sam_gpu_stats total;
    FILE *log;
    struct sam_profile *profile;  /* SAMITE_PROFILE: of all launches */
    struct sam_gpu_timing timing; /* SAMITE_CYCLES: of the last launch */
    struct sam_trap past_end;     /* of the last launch, past the size of a buffer */
    uint64_t cycles;              /* of all launches */
};

enum { MAX_PROGRAM = 1 << 28 }; /* bytes: the room for code */

/* Print "samite: " and a line to standard error. Returns -1. */
int complain(const char *format, ...) SAM_PRINTF(1, 2);
/* `array` with room for one more item than `count`; NULL, with a message, on out-of-memory. */
void *grow(void *array, size_t count, size_t *capacity, size_t size);

/* environment.c. False: a variable has an invalid value, which was reported. */
bool environment_read(struct environment *environment);
void environment_free(struct environment *environment);

/* space.c: memory. Each returns 0 or -1, its message printed. */
struct space *space_new(const struct environment *environment);
void space_free(struct space *space);
int space_alloc(struct space *space, uint64_t size, uint64_t task, uint64_t *address);
int space_alloc_at(struct space *space, uint64_t size, uint64_t task, uint64_t address);
int space_free_buffer(struct space *space, uint64_t address, uint64_t task);
void space_free_task(struct space *space, uint64_t task);
int space_copy_in(struct space *space, uint64_t address, const void *data, uint64_t size,
                  uint64_t task);
int space_copy_out(struct space *space, uint64_t address, void *data, uint64_t size, uint64_t task);
/* The location of the launch's first access past the size of a buffer; NULL: none, it faults. */
struct sam_trap *space_past_end(const struct space *space, struct sam_trap *trap);
/* Report it, if there was one. `name` begins the message. */
void space_tell_past_end(struct space *space, const struct sam_trap *trap, const char *name);
/* The launch described by the words of metadata. `function` begins messages. */
int space_launch(const struct space *space, const uint64_t *meta, struct sam_launch *launch,
                 const char *function);
/* SV39: the page tables of the buffers, if they are not up to date. */
int space_build_tables(struct space *space);

/* program.c: replace the program. Takes ownership of `bytes`, which is malloc'ed; `path` is
 * copied. */
int program_upload(struct space *space, void *bytes, size_t size, const char *path);
int program_upload_file(struct space *space, const char *path, const char *function);
void program_free(struct program *program);

/* queue.c */

/* Queue the launch described by these words: 0 or -1, its message printed. */
int queue_check(struct device *device, struct space *space, const uint64_t *meta);
int queue_add(struct device *device, struct space *space, const uint64_t *meta);
/* Run the queued launches. */
void queue_drain(struct device *device);
/* 0, or -1 when a launch has failed since the last call. */
int queue_settle(struct device *device);
/* Statistics of the launches so far. */
void queue_report(const struct device *device, FILE *stream);

/* stats.c: the counts, one per line, including the collected ones if there are any. */
void stats_print(const struct sam_gpu_stats *stats, const struct sam_image *image, FILE *stream);

/* measure.c: SAMITE_PROFILE and SAMITE_CYCLES. */

/* Create their state; 0 or -1. */
int measure_open(struct device *device);
void measure_close(struct device *device);
/* Enable counting and timing for the launches of these options, with the values of the metadata. */
void measure_options(struct device *device, const uint64_t *meta, struct sam_gpu_options *options);
/* A launch has ended, successfully or not: print its cycles. */
void measure_print(struct device *device, const struct sam_launch *launch, const char *kernel);
/* Write the profile of all launches, with the symbols of the last one; 0 or -1. */
int measure_save(struct device *device, const struct sam_image *image);

/* record.c: SAMITE_RECORD. Record a launch before it runs; afterwards note the memory it has
 * written. */
int record_launch(struct device *device, struct space *space, const struct sam_launch *launch,
                  const uint64_t *meta, const char *kernel);
int record_result(struct space *space);

#endif
