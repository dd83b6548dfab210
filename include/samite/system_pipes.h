/* SPDX-License-Identifier: Apache-2.0 */
/* Describes programs made of operations of pipes, such as lowered tile programs (tile_lower.h): the
 * code of each operation, and the events that order them. With this description a system in time
 * also counts cycles by operation and by pipe (sam_system_figures), and its timeline has a track
 * for each pipe. docs/tile-lowering.md, "Time". Since 0.2. */
#ifndef SAMITE_SYSTEM_PIPES_H
#define SAMITE_SYSTEM_PIPES_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_system;

enum { SAM_SYSTEM_PIPES = 8 }; /* at most */
#define SAM_SYSTEM_NO_PIPE UINT32_MAX

/* An operation of the source. */
struct sam_system_operation {
    const char *name;
    uint32_t line, column;
    uint32_t pipe; /* that does it; SAM_SYSTEM_NO_PIPE: the hart itself */
};

enum sam_system_mark_kind {
    SAM_SYSTEM_MARK_CODE,   /* code of the operation: work of the hart up to the next mark, and of
                               units for it. For operations of a kernel or of no pipe, only work of
                               the hart */
    SAM_SYSTEM_MARK_RECORD, /* also: event to[0] is now the last operation of `pipe` */
    SAM_SYSTEM_MARK_WAIT,   /* also: later work waits for the events from[0..count-1] */
    SAM_SYSTEM_MARK_COPY,   /* also: events to[i] become events from[i], all at once */
};

/* When the hart reaches an address. */
struct sam_system_mark {
    uint64_t address;
    enum sam_system_mark_kind kind;
    uint32_t operation; /* index; SAM_SYSTEM_NO_PIPE: none from here on */
    uint32_t pipe;
    const uint32_t *from, *to; /* numbers of events */
    uint32_t count;
};

/* A kernel of the GPU, by its symbol: one launch executes all of its operations, which belong to
 * one pipe.
 */
struct sam_system_kernel {
    const char *name;
    const uint32_t *operations; /* indexes, in order; at least one */
    uint32_t count;
};

struct sam_system_pipes {
    size_t size;       /* sizeof of this struct (status.h) */
    const char *title; /* of its part of a timeline */
    const char *const *names;
    uint32_t count; /* pipes */
    const struct sam_system_operation *operations;
    size_t operation_count;
    const struct sam_system_mark
        *marks; /* by address; of one address in the order of the program */
    size_t mark_count;
    const struct sam_system_kernel *kernels;
    size_t kernel_count;
    uint32_t events; /* their numbers are below it */
};

/* Describe the program to a system, once and before it runs. The description must outlive the
 * system and its figures. It has no effect without timing. SAM_ERR_USAGE: an index or a count out
 * of range, a missing name or array, marks out of order, or a second description. */
SAM_API enum sam_status sam_system_describe_pipes(struct sam_system *system,
                                                  const struct sam_system_pipes *pipes,
                                                  struct sam_error *error);

/* ---------------------------------------------------------------------------------- figures */

/* The state of a pipe in a cycle: the first that applies. */
enum sam_system_pipe_cycle {
    SAM_SYSTEM_PIPE_BUSY,   /* a unit works for one of its operations */
    SAM_SYSTEM_PIPE_QUEUED, /* one has been issued, and its unit has not begun */
    SAM_SYSTEM_PIPE_WAIT,   /* the hart waits for launches or weight records: for an event, before
                               an operation that needs them, or because a queue is full */
    SAM_SYSTEM_PIPE_ISSUE,  /* the hart is at one of its operations */
    SAM_SYSTEM_PIPE_HART,   /* the hart is elsewhere in the program */
    SAM_SYSTEM_PIPE_DONE,   /* the program has ended */
    SAM_SYSTEM_PIPE_CYCLES
};
/* "busy", "queued", ... */
SAM_API const char *sam_system_pipe_cycle_name(unsigned cycle);

struct sam_system_pipe {
    const char *name;
    uint64_t operations;                     /* that it has done */
    uint64_t slices;                         /* a launch does several of them in one */
    uint64_t read, written;                  /* bytes of memory, by its units */
    uint64_t cycles[SAM_SYSTEM_PIPE_CYCLES]; /* their sum is that of the run */
};

/* An operation, all of its executions together. */
struct sam_system_operation_time {
    const struct sam_system_operation *operation; /* NULL: what belongs to none */
    uint64_t count;                               /* of a pipe's: executions */
    uint64_t instructions, cycles; /* of the hart. The cycles of all operations, and of what
                                      belongs to none, sum to those up to the program's end */
    uint64_t work;                 /* of units: cycles from its first work to its last, summed */
    uint64_t read, written;        /* bytes of memory, by units */
    size_t leader;                 /* the operation whose figures have the work: the first one of
                                      its kernel, else itself */
    uint64_t waited;               /* cycles in which the hart waits for launches, or records */
    size_t waited_for; /* the operation whose launches took most of them, as `leader`; or
                          SAM_SYSTEM_NO_OPERATION */
};
#define SAM_SYSTEM_NO_OPERATION SIZE_MAX

#ifdef __cplusplus
}
#endif
#endif
