/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of simt/: warps with their lanes and SIMT stack, workgroups, and launches.
 *
 * Registers are laid out [register][lane] and are always 32 lanes wide in memory; in a narrower
 * warp the excess lanes are undefined. A vector handler has two paths: with all lanes active it
 * reads no mask; otherwise it blends results with the old values of inactive lanes. Ventus ISA
 * manual v2.02. */
#ifndef SAM_SIMT_H
#define SAM_SIMT_H

#include <pthread.h>

#include "base/cpu.h"
#include "machine/instrument.h"
#include "samite/gpu.h"
#include "samite/session.h"
#include "simt/access.h"
#include "trace/trace.h"

#define SAM_LANES  SAM_MAX_LANES
#define SAM_VREGS  256
#define SAM_GROUPS 2 /* registers of an LMUL 2 group */

#define SAM_WARP_STACK 1024u /* bytes of local memory for the scalar stack of a warp */

/* Causes of this machine, above the RISC-V ones. */
enum {
    SAM_CAUSE_PRIVATE = SAM_CAUSE_CUSTOM,
    SAM_CAUSE_STACK,
    SAM_CAUSE_ENDPRG,
    SAM_CAUSE_BARRIER,
    SAM_CAUSE_DEADLOCK,
    SAM_CAUSE_BUDGET,
    SAM_CAUSE_PRINT,
    SAM_CAUSE_LIVELOCK,
};

enum { SAM_EVENT_END = 1, SAM_EVENT_BARRIER, SAM_EVENT_PRINT };

/* A set of lanes as a bit mask and as one word per lane, all ones or zero. */
struct sam_lane_set {
    int32_t words[SAM_LANES] __attribute__((aligned(64)));
    uint32_t bits;
};

struct sam_warp {
    struct sam_core core;        /* must be first: sam_warp_of */
    uint32_t within[SAM_GROUPS]; /* lanes whose element is below vl */
    uint32_t lanes;              /* num_thread */
    uint32_t all;                /* mask of all lanes */
    uint32_t started;            /* lanes with a work-item: fewer in the last workgroup of a row */
    uint32_t vl;
    uint32_t vtype; /* bit 31: vill */
    uint8_t groups; /* registers a vector instruction acts on: 1, 2 (LMUL 2), 0 (vill) */
    uint8_t single; /* groups == 1 */
    /* From here to `deepest`: what vector branches and joins change. */
    uint8_t full;              /* single, and every lane is active */
    uint8_t full_32;           /* full, and the warp has 32 lanes */
    uint32_t bits[SAM_GROUPS]; /* active lanes of groups 0 and 1 */
    uint32_t simt;             /* SIMT mask */
    uint32_t rpc;
    uint32_t depth; /* of the stack, in entries */
    uint32_t deepest;
    uint32_t stack_capacity;
    uint32_t stack_limit;
    struct sam_stack_entry *stack; /* {rpc, other path's pc, other path's mask}. Ventus 4.2.1 */
    /* launch CSRs */
    uint32_t tid, numw, knl, wgid, wid, lds, pds, group[3];
    uint32_t pds_size;
    uint32_t print;
    uint32_t taken;    /* lanes that take the current vector branch */
    int64_t *diverged; /* counter of divergent vector branches, or NULL */
    uint32_t npc;      /* where the last vector branch or join went, for the commit log */
    struct sam_commit_last logged;
    enum sam_warp_state state;
    uint32_t barrier_pc;
    /* Sessions. `passed`: 1 + core.retired when the user was last shown the warp; a breakpoint
     * there is not reported again. `retries`: 1 + core.retired when a barrier released the warp,
     * which has another step to spend there. */
    uint64_t passed, retries;
    /* Caches of host levels without mask registers: `words` belongs to `bits` at all times. A copy
     * of a warp needs them. */
    struct sam_lane_set sets[2];
    /* Scratch space of one instruction; undefined between instructions. */
    uint32_t address[SAM_LANES] __attribute__((aligned(64)));
    uint32_t data[SAM_LANES] __attribute__((aligned(64)));
    /* At an odd multiple of 64, a register's address is a shift and a displacement; at an even
     * multiple, compilers emit an addition first. */
    uint8_t odd[64] __attribute__((aligned(128)));
    uint32_t v[SAM_VREGS][SAM_LANES] __attribute__((aligned(64)));
    uint8_t rest[2304]; /* pad to whole pages: the first 18 registers share a page with the fields
                           above */
};

static inline struct sam_warp *sam_warp_of(struct sam_core *core)
{
    return (struct sam_warp *)(void *)core;
}

/* warp.c */

struct sam_worker;
/* Reset to launch->start: registers zero, all lanes active, e32 m1, vl = lanes. */
void sam_warp_reset(struct sam_warp *warp, struct sam_worker *worker,
                    const struct sam_launch *launch);
void sam_warp_release(struct sam_warp *warp);
/* Reserve `entries` entries of the SIMT stack. Returns false above the stack's limit or on
 * out-of-memory (tlb->exhausted). */
bool sam_warp_reserve_stack(struct sam_warp *warp, uint32_t entries);
/* Set the SIMT mask and derive the active lanes. */
static inline void sam_warp_set_mask(struct sam_warp *warp, uint32_t bits)
{
    warp->simt = bits;
    warp->bits[0] = bits & warp->within[0];
    if (warp->within[1])
        warp->bits[1] = bits & warp->within[1];
    warp->full = warp->single && warp->bits[0] == warp->all;
    warp->full_32 = warp->full && warp->lanes == 32;
}
/* Handlers that are not lane loops. */
void sam_warp_fill(struct sam_machine *machine);
/* The lanes of group g that the instruction acts on. */
uint32_t sam_warp_acting(const struct sam_warp *warp, const struct sam_uop *op, unsigned g);

/* The value of a source register under REGPAIR: an even number names a pair; an odd register is
 * sign-extended. */
static inline uint64_t sam_pair_joined(uint32_t low, uint32_t high, unsigned number)
{
    return number & 1 ? (uint64_t)(int64_t)(int32_t)low : (uint64_t)high << 32 | low;
}
static inline uint64_t sam_pair_scalar(const struct sam_core *c, unsigned number)
{
    return number ? sam_pair_joined(c->x32[number], c->x32[number | 1], number) : 0;
}
/* pair.c: any instruction under REGPAIR, except the vector arithmetic of lanes_pair_tmpl.h. */
const struct sam_uop *sam_warp_pair(struct sam_core *c, const struct sam_uop *op,
                                    const struct sam_uop *entry, int64_t left);

/* lanes_*.c: lane loops, compiled once per instruction level of the host. The word loads and stores
 * are specialised for `lanes` lanes. */
void sam_lanes_fill_base(struct sam_machine *machine, uint32_t lanes);
void sam_lanes_fill_v3(struct sam_machine *machine, uint32_t lanes);
void sam_lanes_fill_v4(struct sam_machine *machine, uint32_t lanes);
/* lanes.c: select the best level for this host. */
void sam_lanes_fill(struct sam_machine *machine, uint32_t lanes);

/* sv39.c: page tables. */
enum sam_walk {
    SAM_WALK_OK,
    SAM_WALK_PAGE_FAULT,
    SAM_WALK_ACCESS_FAULT, /* a table lies outside every buffer */
    SAM_WALK_EXHAUSTED,    /* host out of memory */
};
/* Translate `address` through the page tables at options.ptbr. Updates of A and D are journaled if
 * there is a journal. */
enum sam_walk sam_sv39_walk(const struct sam_gpu *gpu, uint32_t address, enum sam_access access,
                            uint64_t *physical, struct sam_journal *journal);

/* --- workgroups (group.c, space.c) */

/* A page of local memory. */
struct sam_lds_page {
    uint32_t number; /* index within the window */
    uint8_t *bytes;
};

/* A workgroup that has started: its own state, independent of the worker that runs it. */
struct sam_group {
    uint32_t workgroup;     /* linear id */
    bool has_turn;          /* every earlier workgroup has ended */
    struct sam_warp *warps; /* launch->warps of them, at most `room` */
    uint32_t room;
    uint32_t ready;      /* warps in the ready state */
    uint32_t at;         /* the warp whose time slice it is */
    bool in_turn;        /* its time slice has begun ... */
    int64_t turn;        /* ... with this many instructions left; it ends at a jump */
    uint32_t last;       /* the warp that ran last */
    uint64_t idle_turns; /* consecutive time slices in which no warp reached a barrier or its end */
    size_t index;        /* among a session's live groups */
    struct sam_lds_page *lds;
    uint32_t lds_count, lds_capacity;
    uint8_t *parked; /* sessions: private memory, saved while another workgroup uses its part */
    bool away;       /* private memory is in `parked` */
};

#define SAM_FILLED 16384 /* above this count, clear the whole TLB rather than single entries */

/* A host thread that runs workgroups. */
struct sam_worker {
    struct sam_tlb tlb;          /* must be first: resolve, sam_worker_of */
    uint32_t filled[SAM_FILLED]; /* indices of entries in use, if they are so few */
    uint32_t filled_count;
    bool touched; /* sam_space_touch has run for this TLB */
    struct sam_code *code;
    const struct sam_lanes_access *access; /* of the GPU, by op */
    struct sam_run *run;
    struct sam_group *group;           /* that runs; the TLB maps its local memory. NULL: none */
    struct sam_group own;              /* for launches, which run one workgroup after another */
    uint64_t next, end;                /* workgroups taken and not yet run; equal: none */
    bool busy;                         /* runs a workgroup of the launch */
    bool started;                      /* has run at least one */
    bool entered;                      /* runs within sam_host_fp_enter */
    struct sam_pace *pace;             /* NULL: a launch */
    struct sam_counts *counts;         /* NULL: not asked for */
    struct sam_sanitizer *sanitizer;   /* NULL: not asked for */
    struct sam_sanitizing *sanitizing; /* state of the sanitizer's handlers */
    bool stepped;              /* single-step: the log or an observer needs each instruction */
    struct sam_warp_log *log;  /* NULL: not asked for */
    struct sam_replay *replay; /* records for a time model (replay.h), or NULL */
    uint64_t warp_insns;
    uint64_t untold_insns, untold_groups; /* since the last progress report */
    uint64_t waits; /* consecutive livelock attempts in which its workgroup only waited */
    uint64_t shown; /* sessions that went back in time: instructions already logged and printed */
    uint8_t apart[SAM_APART]; /* keeps the next worker, on another thread, off this cache line */
};

static inline struct sam_worker *sam_worker_of(const struct sam_core *core)
{
    return (struct sam_worker *)(void *)core->tlb; /* must be first */
}

/* Sessions: whether the instruction just executed repeats one from before going back in time. */
static inline bool sam_worker_repeats(const struct sam_worker *worker)
{
    return worker->warp_insns <= worker->shown;
}

/* Limits and callbacks of a session's run. */
struct sam_pace {
    uint64_t left; /* instructions until a pause */
    bool breaks;   /* stop at breakpoints and watchpoints */
    bool to_release;
    /* Called after each instruction unless NULL; returns false to pause. */
    bool (*each)(struct sam_pace *pace, const struct sam_step *step);
    /* Called before a warp runs unless NULL. */
    void (*arm)(struct sam_pace *pace, struct sam_warp *warp);
};

/* Reasons for the return of sam_group_run. */
enum sam_pause {
    SAM_PAUSE_NONE,
    SAM_PAUSE_ENDED,   /* every warp has ended */
    SAM_PAUSE_FAILED,  /* the program or the host: recorded in the run */
    SAM_PAUSE_STOPPED, /* options.stop */
    /* under a pace only */
    SAM_PAUSE_BREAK,    /* the current warp is at a breakpoint */
    SAM_PAUSE_WATCH,    /* it has made a watched access */
    SAM_PAUSE_RELEASED, /* a barrier has */
    SAM_PAUSE_COUNT,    /* pace->left is used up */
    SAM_PAUSE_ASKED,    /* requested by pace->each */
    SAM_PAUSE_WAITS,    /* sam_group_run_warp: the warp waits at a barrier */
};

/* Allocate launch->warps warps unless there are enough. Returns false on out-of-memory. */
bool sam_group_fit(struct sam_group *group, const struct sam_run *run);
void sam_group_release(struct sam_group *group);
/* Start group->workgroup: ready warps, zeroed local memory. Other threads may be reading its id. */
void sam_group_start(struct sam_worker *worker, struct sam_group *group);
/* Execute and record one instruction of a ready warp. */
enum sam_pause sam_group_step(struct sam_worker *worker, struct sam_group *group,
                              struct sam_warp *warp, struct sam_step *step);
/* Continue the warps in their time slices. */
enum sam_pause sam_group_run(struct sam_worker *worker, struct sam_group *group);
/* Run one warp until it waits or ends. */
enum sam_pause sam_group_run_warp(struct sam_worker *worker, struct sam_group *group,
                                  struct sam_warp *warp);

/* livelock.c: livelock detection in a system, where nothing else runs during a launch. Called after
 * a time slice that used up its instructions: occasionally checks whether this workgroup, and every
 * other running one, waits for memory that no workgroup changes. */
enum sam_pause sam_group_check_livelock(struct sam_worker *worker, struct sam_group *group);

/* space.c: the address space of a worker's workgroup. */
void sam_space_clear(struct sam_worker *worker);
/* Prefault the host's pages of the TLB that the launch will need. Handlers read an entry before it
 * is filled; a page that is first read and then written faults twice, and the second fault
 * interrupts all threads. With one worker, only pages that most launches begin with: prefaulting an
 * unused page costs as much as a second fault on a used one. */
void sam_space_touch(struct sam_worker *worker);
bool sam_space_init(struct sam_worker *worker);
void sam_space_release(struct sam_worker *worker);
/* Make `group` worker->group, and map its local memory, or none, in place of the old group's. */
void sam_space_enter(struct sam_worker *worker, struct sam_group *group);
/* Zero a group's local memory, or release it. */
void sam_space_clear_lds(struct sam_worker *worker, struct sam_group *group);
void sam_space_release_lds(struct sam_group *group);
/* A page of a group's local memory. NULL: not in use or, with `make`, out of memory. */
uint8_t *sam_space_lds(struct sam_worker *worker, struct sam_group *group, uint32_t number,
                       bool make);

/* --- launches (launch.c) */

/* A running launch. */
struct sam_run {
    struct sam_gpu *gpu;
    const struct sam_launch *launch;
    double started; /* host time in seconds */
    uint64_t workgroups;
    struct sam_worker *workers;
    unsigned worker_count;
    uint32_t print_base, print_size; /* 0: none */
    uint32_t entry;                  /* entry point of the kernel; 0: unknown */
    uint32_t items;                  /* work-items of a complete workgroup; 0: unknown */
    bool partial;                    /* some workgroups reach past `global` */
    uint32_t global[3], local[3];    /* work-items, if partial */
    uint32_t print_shown;            /* bytes of the print buffer */
    bool print_line_open;
    uint64_t pds_group;   /* bytes of private memory of a workgroup */
    uint32_t pds_parts;   /* options.fit_pds: parts that workgroups share; 0: each has its own */
    uint8_t *pds_touched; /* per page of the parts: 1 if it may be non-zero */
    struct sam_profile *given; /* sessions: rows already added to options.profile; NULL: a launch */
    bool recorded; /* record the launch for a time model: one worker, used by this launch only */
    bool ordered;  /* workgroups depend on which others run */
    uint8_t before[SAM_APART];
    uint64_t next; /* next workgroup to hand out; atomic unless `ordered` */
    uint8_t after[SAM_APART];
    pthread_mutex_t lock; /* guards the fields below; if `ordered`, also `next`, the workers' `busy`
                             and their workgroups */
    pthread_cond_t turn;
    struct sam_gpu_progress progress;
    bool failed;
    struct sam_trap trap;        /* of the lowest workgroup that failed */
    enum sam_status host_status; /* a failure of the host, not of the program */
    struct sam_error host_error;
};

struct sam_gpu {
    struct sam_gpu_options options;
    struct sam_memory *memory;
    bool shares;                  /* the memory belongs to a system, which outlives the GPU */
    struct sam_machine machine;   /* handlers for warps of 32 lanes, */
    struct sam_machine narrow[3]; /* of 4, 8 and 16 lanes */
    struct sam_lanes_access access[SAM_OP_COUNT];
    struct sam_trap *inputs; /* sam_gpu_watch_input: the first store to each, or kind NONE */
    size_t input_count, input_capacity;
    struct sam_kept *kept;          /* workers of earlier launches, or NULL */
    struct sam_parallel_crew *crew; /* their threads, or NULL */
    struct sam_jit *jit;            /* NULL: launches are interpreted */
};

/* The handlers for warps of `lanes` lanes, 4 to 32. */
static inline const struct sam_machine *sam_gpu_machine(const struct sam_gpu *gpu, uint32_t lanes)
{
    return lanes < SAM_LANES ? &gpu->narrow[__builtin_ctz(lanes) - 2] : &gpu->machine;
}

/* gpu.c: a GPU on the memory of a system, or on its own if `memory` is NULL. Memory that others
 * write between launches, including code, is seen by the next launch. */
enum sam_status sam_gpu_new_in(struct sam_memory *memory, const struct sam_gpu_options *options,
                               struct sam_gpu **out, struct sam_error *error);

/* workers.c: workers for a launch, new or kept from an earlier launch; the threads that run them
 * open them. Returns false on out-of-memory. Call sam_workers_leave in either case. */
bool sam_workers_find(struct sam_run *run, unsigned count);
void sam_workers_leave(struct sam_run *run);
/* Prepare the worker and its group for the run. Returns false on out-of-memory. */
bool sam_worker_open(struct sam_worker *worker, struct sam_run *run);
/* Hint that a launch with `count` workers is likely to follow; does slow preparation ahead of
 * it. */
void sam_workers_expect(struct sam_gpu *gpu, const struct sam_launch *launch, unsigned count);
/* Whether the last launch may have accessed the page at this address. */
bool sam_workers_touched(const struct sam_gpu *gpu, uint32_t page);
void sam_workers_forget(struct sam_gpu *gpu);

/* Validate the launch and initialise its run, without workers. */
enum sam_status sam_run_open(struct sam_run *run, struct sam_gpu *gpu,
                             const struct sam_launch *launch, struct sam_error *error);
void sam_run_close(struct sam_run *run);
/* Initialise all of a worker but its workgroups. Returns false on out-of-memory; then release
 * it. */
bool sam_worker_init(struct sam_worker *worker, struct sam_run *run);
void sam_worker_release(struct sam_worker *worker);
/* Run the launch's next workgroup to its end. Returns false if there is none left to run. */
bool sam_worker_run_next(struct sam_worker *worker);
void sam_run_expect(struct sam_gpu *gpu, const struct sam_launch *launch);
/* Find the workers of a run, open the first and install the handlers that its options need. Returns
 * false on out-of-memory. */
bool sam_run_prepare(struct sam_run *run);
/* Flush the log and fill the result, which may be NULL, of a launch that has run. Returns false on
 * out-of-memory. */
bool sam_run_collect(struct sam_run *run, struct sam_gpu_result *result);
/* The status of the run; its trap and counts; the positions of a group's warps if it ended early.
 * False: out of memory. */
enum sam_status sam_run_outcome(const struct sam_run *run, struct sam_error *error);
bool sam_run_result(const struct sam_run *run, struct sam_gpu_result *result);
bool sam_run_places(const struct sam_run *run, const struct sam_group *group,
                    struct sam_gpu_result *result);

/* Returns SAM_ERR_USAGE unless `lanes` is a valid number of lanes. */
enum sam_status sam_check_lanes(uint32_t lanes, struct sam_error *error);
/* Record a failure of the program, unless a lower workgroup has failed; a failure of the host. */
void sam_run_fail(struct sam_worker *worker, const struct sam_warp *warp, unsigned cause,
                  uint64_t tval);
/* Record the access that the TLB reports, by the instruction before the warp's pc. */
void sam_run_note_access(struct sam_worker *worker, const struct sam_warp *warp);
void sam_run_fail_host(struct sam_run *run, enum sam_status status, const char *text);
/* Restore the core's floating-point environment after a callback of the user. */
void sam_run_called_back(const struct sam_worker *worker);
/* Report progress; `ended` more workgroups have ended. */
void sam_run_tell(struct sam_worker *worker, unsigned ended);
bool sam_run_is_stopped(const struct sam_run *run);

/* private.c: placement of workgroups' private memory. */

/* Set pds_group and pds_parts. Returns SAM_ERR_USAGE if not even one workgroup fits. */
enum sam_status sam_private_fit(struct sam_run *run, struct sam_error *error);
/* Allocate pds_touched for zeroed parts. Returns false on out-of-memory. */
bool sam_private_init(struct sam_run *run);
void sam_private_release(struct sam_run *run);
/* Whether a running workgroup uses the part that `workgroup` needs. Call with the run's lock
 * held. */
bool sam_private_is_taken(const struct sam_run *run, uint64_t workgroup);
/* Zero the part of a workgroup that is about to start. Returns false on out-of-memory. */
bool sam_private_enter(struct sam_worker *worker, uint32_t workgroup);
/* Sessions, where workgroups that share a part are live at once: save a group's private memory
 * outside its part, or restore it. Returns false on out-of-memory, before anything is moved. */
bool sam_private_park(struct sam_worker *worker, struct sam_group *group);
bool sam_private_return(struct sam_worker *worker, struct sam_group *group);
/* The value of CSR_PDS for a workgroup. */
uint32_t sam_private_base(const struct sam_run *run, uint32_t workgroup);
/* Note that a worker's TLB is about to map the page at physical address `base`. */
void sam_private_touch(const struct sam_run *run, uint64_t base);

/* launch_metadata.c: read the kernel's entry, the print buffer (bytes 48 and 52), if all of it is
 * mapped, and the work-item counts (bytes 12 to 32) from the metadata buffer. */
void sam_run_read_metadata(struct sam_run *run);
/* The lanes of a warp that start: those with a work-item, or all in a complete workgroup. */
uint32_t sam_run_started(const struct sam_run *run, const struct sam_warp *warp);

/* print.c */
/* Wait until every earlier workgroup has ended: workgroups use the print buffer in order, for any
 * number of workers. */
void sam_run_wait_turn(struct sam_worker *worker);
/* Print what the kernel has written. False: the sink failed, or the buffer is full (recorded). */
bool sam_run_print(struct sam_worker *worker, struct sam_warp *warp);

/* --- records of instructions */

/* step.c: execute and record one instruction of a warp. `insn` receives it. */
enum sam_exit sam_warp_step(struct sam_warp *warp, struct sam_step *step, struct sam_insn *insn);
/* Its parts, after sam_step_before and sam_step_after: lanes and accesses of a vector instruction
 * that is about to run; the vector registers written, without their values, the values of accesses
 * and the warp's own CSRs. */
void sam_warp_step_before(const struct sam_warp *warp, const struct sam_insn *insn,
                          struct sam_step *step);
void sam_warp_step_after(const struct sam_warp *warp, const struct sam_insn *insn,
                         struct sam_step *step);

/* count.c: counts per instruction of warps of `lanes` lanes. Returns NULL on out-of-memory. */
struct sam_counts;
struct sam_counts *sam_counts_new(uint32_t lanes);
void sam_counts_free(struct sam_counts *counts);
/* Instrument `code`, before anything is decoded; sam_counts_stop must follow each sam_core_run. */
void sam_counts_in_runs(struct sam_counts *counts, struct sam_code *code);
void sam_counts_stop(struct sam_warp *warp, enum sam_exit exit);
/* Count a single step. Returns false on out-of-memory, from then on. */
bool sam_counts_step(struct sam_counts *counts, const struct sam_warp *warp,
                     const struct sam_insn *insn, const struct sam_step *step);
/* Add the counts to `profile`; raise *deepest to the deepest SIMT stack. Returns false on
 * out-of-memory. */
struct sam_profile;
bool sam_counts_collect(struct sam_counts *counts, struct sam_code *code,
                        struct sam_profile *profile, uint64_t *deepest);
/* stats.c: add the rows of a profile. Returns false on out-of-memory. */
bool sam_stats_fold(struct sam_profile *profile, const struct sam_isa *isa,
                    struct sam_gpu_stats *stats);

/* sanitize.c: connects warps to a sanitizer. */

/* Install instrumented handlers, before anything is decoded, or with `stepped` none: then
 * sam_sanitizing_step reports the instructions. Returns false on out-of-memory. */
bool sam_sanitizing_open(struct sam_worker *worker, bool stepped);
void sam_sanitizing_close(struct sam_worker *worker);
/* The warp is about to be stepped. */
void sam_sanitizing_step(struct sam_worker *worker, struct sam_warp *warp,
                         const struct sam_insn *insn);
/* Begin and end a launch. Return false on out-of-memory. */
bool sam_sanitizing_begin(const struct sam_run *run);
bool sam_sanitizing_end(const struct sam_run *run);

/* log.c: the commit log, which goes to the GPU's sink in batches. Flush it before other output and
 * at the end of the launch. False: the sink has failed. */
#define SAM_WARP_LOG_REFUSED "cannot write the commit log"
struct sam_warp_log *sam_warp_log_new(const struct sam_gpu *gpu);
void sam_warp_log_free(struct sam_warp_log *log);
/* Log an executed instruction. */
bool sam_warp_log_step(struct sam_warp_log *log, struct sam_warp *warp, const struct sam_insn *insn,
                       const struct sam_step *step);
bool sam_warp_log_flush(struct sam_warp_log *log);
/* Instrument `code`, before anything is decoded; sam_warp_log_stop must follow each sam_core_run.
 * The sink may be called within one. */
void sam_warp_log_in_runs(struct sam_warp_log *log, struct sam_code *code);
bool sam_warp_log_stop(struct sam_warp_log *log, struct sam_warp *warp, enum sam_exit exit);

#endif
