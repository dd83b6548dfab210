/* SPDX-License-Identifier: Apache-2.0 */
/* What a system in time knows of a program made of operations of pipes: which operation the hart is
 * at, when units work for it, and which events order operations. Nothing is stepped for it: the
 * hart tells of marks, units of the instructions that they have worked on. */
#ifndef SAM_SYSTEM_PARTS_PIPES_H
#define SAM_SYSTEM_PARTS_PIPES_H

#include "hart/core.h"
#include "samite/system_pipes.h"
#include "samite/system_time.h"
#include "trace/perfetto.h"

#define SYSTEM_NO_SLICE SIZE_MAX

/* One execution of an operation of a pipe; or of all those of a kernel, by a launch. */
struct system_slice {
    uint32_t operation;                     /* the first of a kernel's */
    const struct sam_system_kernel *kernel; /* NULL: of none */
    uint64_t number;                        /* of the executions of this operation; of the launch */
    uint64_t order, order_end;   /* of its first instruction for a unit, of the first after it */
    uint64_t opened;             /* cycles: the hart got there; */
    uint64_t issued, start, end; /* its first work was issued, began, the last is over; issued and
                                    start UINT64_MAX, end 0: no unit had anything to do */
    uint64_t read, written;      /* bytes of memory */
};

struct system_span {
    uint64_t from, to; /* cycles */
};
struct system_spans { /* ascending, apart from each other */
    struct system_span *items;
    size_t count, capacity;
};

/* An event that has been waited for. */
struct system_arrow {
    size_t tail; /* slice */
    size_t next; /* the first slice that waited */
};

struct system_pipes {
    struct sam_system_pipes about;
    struct sam_hart *hart;
    const struct sam_system_kernel **kernels;     /* by name */
    size_t *leaders;                              /* by operation: the first one of its kernel */
    bool *launched;                               /* by operation: a kernel does it */
    struct sam_system_operation_time *operations; /* by operation; then what belongs to none */
    bool failed;                                  /* out of memory */
    /* the hart */
    size_t current;                /* operation, or about.operation_count */
    uint64_t since, since_retired; /* it got there */
    struct system_spans at[SAM_SYSTEM_PIPES], waits;
    uint64_t waits_from, polled_at, polled_retired; /* waits_from: UINT64_MAX: it does not */
    /* operations */
    struct system_slice *slices; /* in the order of the program */
    size_t slice_count, slice_capacity;
    size_t open;     /* to which the hart adds work, or NO_SLICE */
    size_t *records; /* by number of a weight record: its slice */
    size_t record_count, record_capacity;
    /* events */
    size_t last[SAM_SYSTEM_PIPES]; /* slice of each pipe, or NO_SLICE */
    size_t *events, *copied;       /* slice, or NO_SLICE */
    struct system_arrow *arrows;
    size_t arrow_count, arrow_capacity;
};

/* pipes_check.c: SAM_ERR_USAGE: an index or a number out of range, something that is missing, marks
 * that are not in order. */
enum sam_status sam_system_pipes_check(const struct sam_system_pipes *p, struct sam_error *error);
/* Checks the description. */
enum sam_status sam_system_pipes_new(const struct sam_system_pipes *about, struct sam_hart *hart,
                                     struct system_pipes **out, struct sam_error *error);
void sam_system_pipes_free(struct system_pipes *pipes);

/* --- what happens; `pipes` may be NULL in each */
void sam_system_pipes_worked(struct system_pipes *pipes, const struct sam_hart_worked *worked);
/* The hart waits for a control register in cycle `now`; it has accessed it, or DONE of a queue. */
void sam_system_pipes_wait(struct system_pipes *pipes, uint64_t now);
void sam_system_pipes_accessed(struct system_pipes *pipes, uint64_t now, bool polls);
/* A launch or a record has been submitted, with the next number of its queue. */
void sam_system_pipes_launch(struct system_pipes *pipes, uint64_t now, uint64_t number,
                             const char *kernel);
void sam_system_pipes_record(struct system_pipes *pipes, uint64_t now);
/* A record has ended. */
void sam_system_pipes_recorded(struct system_pipes *pipes, uint64_t number, uint64_t from,
                               uint64_t to);

/* --- when everything has ended; `launches` by number */
void sam_system_pipes_settle(struct system_pipes *pipes,
                             const struct sam_system_launch_time *launches, size_t count);
static inline bool sam_system_slice_worked(const struct system_slice *slice)
{
    return slice->end != 0;
}
static inline uint32_t sam_system_slice_pipe(const struct system_pipes *pipes,
                                             const struct system_slice *slice)
{
    return pipes->about.operations[slice->operation].pipe;
}
/* pipes_figures.c: fill in pipes and operations. False: out of memory. */
bool sam_system_pipes_measure(struct system_pipes *pipes, struct sam_system_figures *figures);
/* pipes_trace.c: the tracks. */
void sam_system_pipes_trace(const struct system_pipes *pipes, struct sam_perfetto *json);

#endif
