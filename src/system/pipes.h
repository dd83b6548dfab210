/* SPDX-License-Identifier: Apache-2.0 */
/* Observation of a program made of operations of pipes: the operation that the hart executes, the
 * cycles in which units work for it, and the events that order operations. It needs no stepping:
 * the hart reports marks, units report finished instructions. */
#ifndef SAM_SYSTEM_PARTS_PIPES_H
#define SAM_SYSTEM_PARTS_PIPES_H

#include "hart/core.h"
#include "samite/system_pipes.h"
#include "samite/system_time.h"
#include "trace/perfetto.h"

#define SYSTEM_NO_SLICE SIZE_MAX

/* One execution of an operation of a pipe, or a launch that executes all operations of a kernel. */
struct system_slice {
    uint32_t operation;                     /* of a kernel, the first */
    const struct sam_system_kernel *kernel; /* NULL: no launch */
    uint64_t number;                        /* of this execution, or of the launch */
    uint64_t order, order_end;              /* unit instructions [order, order_end) */
    uint64_t opened;                        /* cycle in which the hart reached it */
    uint64_t issued, start, end; /* cycles: the first work issued and begun, the last ended; without
                                    work UINT64_MAX, UINT64_MAX, 0 */
    uint64_t read, written;      /* bytes of memory */
};

struct system_span {
    uint64_t from, to; /* cycles */
    size_t operation;  /* that the hart is at */
};
struct system_spans { /* ascending and disjoint */
    struct system_span *items;
    size_t count, capacity;
};

/* An event that was waited for. */
struct system_arrow {
    size_t tail; /* slice */
    size_t next; /* the first slice that waited */
};

struct system_pipes {
    struct sam_system_pipes about;
    struct sam_hart *hart;
    const struct sam_system_kernel **kernels;     /* by name */
    size_t *leaders;                              /* by operation: the first one of its kernel */
    bool *launched;                               /* by operation: executed by a kernel */
    struct sam_system_operation_time *operations; /* by operation, then code outside of them */
    bool failed;                                  /* out of memory */
    /* the hart */
    size_t current;                /* operation, or about.operation_count */
    uint64_t since, since_retired; /* cycle and count of instructions at its start */
    struct system_spans at[SAM_SYSTEM_PIPES], waits;
    uint64_t waits_from, polled_at, polled_retired; /* waits_from UINT64_MAX: not waiting */
    /* operations */
    struct system_slice *slices; /* in the order of the program */
    size_t slice_count, slice_capacity;
    size_t open;     /* slice of the current operation, or NO_SLICE */
    size_t *records; /* slice by number of the weight record */
    size_t record_count, record_capacity;
    /* events */
    size_t last[SAM_SYSTEM_PIPES]; /* slice by pipe, or NO_SLICE */
    size_t *events, *copied;       /* slice by event, or NO_SLICE */
    struct system_arrow *arrows;
    size_t arrow_count, arrow_capacity;
};

/* pipes_check.c. SAM_ERR_USAGE: an index or a count out of range, a missing name or array, marks
 * out of order. */
enum sam_status sam_system_pipes_check(const struct sam_system_pipes *p, struct sam_error *error);
void sam_system_pipes_free(struct system_pipes *pipes);

/* --- events; `pipes` may be NULL */
void sam_system_pipes_worked(struct system_pipes *pipes, const struct sam_hart_worked *worked);
/* The hart waits for a control register in cycle `now`; it has accessed one, `polls`: DONE. */
void sam_system_pipes_wait(struct system_pipes *pipes, uint64_t now);
void sam_system_pipes_accessed(struct system_pipes *pipes, uint64_t now, bool polls);
/* A launch, or the next weight record, is submitted. */
void sam_system_pipes_launch(struct system_pipes *pipes, uint64_t now, uint64_t number,
                             const char *kernel);
void sam_system_pipes_record(struct system_pipes *pipes, uint64_t now);
/* A weight record has ended. */
void sam_system_pipes_recorded(struct system_pipes *pipes, uint64_t number, uint64_t from,
                               uint64_t to);

/* --- after all units are idle; `launches` by number */
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
/* pipes_figures.c: set figures->pipes and ->operations. Returns false on out-of-memory. */
bool sam_system_pipes_measure(struct system_pipes *pipes, struct sam_system_figures *figures);
/* pipes_trace.c: the tracks. */
void sam_system_pipes_trace(const struct system_pipes *pipes, struct sam_perfetto *json);

#endif
