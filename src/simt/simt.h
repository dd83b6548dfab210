/* SPDX-License-Identifier: Apache-2.0 */
/* The face of simt/: warps with their lanes and SIMT stack, and the parts of a launch.
 *
 * Registers are [register][lane], always 32 lanes wide in memory; in a warp of fewer lanes the rest
 * are undefined. A vector handler has two paths: with all lanes active no mask is read; otherwise
 * results are blended with what the inactive lanes hold. Ventus ISA manual v2.02. */
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

/* Our own causes, above the RISC-V ones. */
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

/* A set of lanes, with one word per lane, all ones or zero. */
struct sam_lane_set {
    int32_t words[SAM_LANES] __attribute__((aligned(64)));
    uint32_t bits;
};

struct sam_warp {
    struct sam_core core;        /* first: a handler's core is its warp */
    uint32_t bits[SAM_GROUPS];   /* active lanes of groups 0 and 1 */
    uint32_t within[SAM_GROUPS]; /* lanes whose element is below vl */
    uint8_t groups;   /* registers a vector instruction acts on: 1, 2 (LMUL 2), 0 (vill) */
    uint8_t single;   /* 1: groups is 1 */
    uint8_t full;     /* 1: and every lane of the warp is active */
    uint8_t full_32;  /* the same, in a warp of 32 lanes */
    uint32_t simt;    /* SIMT mask */
    uint32_t lanes;   /* num_thread */
    uint32_t all;     /* mask of all lanes */
    uint32_t started; /* of those with a work-item: all but in the last workgroup of a row */
    uint32_t vl;
    uint32_t vtype; /* bit 31: vill */
    uint32_t rpc;
    struct sam_stack_entry *stack; /* {rpc, other path's pc, other path's mask}. Ventus 4.2.1 */
    uint32_t depth;
    uint32_t stack_capacity;
    uint32_t stack_limit;
    uint32_t deepest;
    /* launch CSRs */
    uint32_t tid, numw, knl, wgid, wid, lds, pds, group[3];
    uint32_t pds_size;
    uint32_t print;
    uint32_t taken;    /* lanes that take the current vector branch */
    int64_t *diverged; /* counts vector branches after which both sides have lanes, or NULL */
    uint32_t npc;      /* where the last vector branch or join went, for the commit log */
    struct sam_commit_last logged;
    enum sam_warp_state state;
    uint32_t barrier_pc;
    /* Sessions. `passed`: 1 + core.retired when the warp was shown to the user, who need not hear
     * of a breakpoint there again. `retries`: the same when a barrier released it, at which it has
     * another step to spend. */
    uint64_t passed, retries;
    /* Scratch space of one instruction; what it holds between two does not count. */
    struct sam_lane_set sets[2];
    uint32_t address[SAM_LANES] __attribute__((aligned(64)));
    uint32_t data[SAM_LANES] __attribute__((aligned(64)));
    /* At an odd multiple of 64, the address of a register is a shift and a displacement; at an even
     * one compilers add before they shift, too. */
    uint8_t odd[64] __attribute__((aligned(128)));
    uint32_t v[SAM_VREGS][SAM_LANES] __attribute__((aligned(64)));
    uint8_t rest[2304]; /* to whole pages: the first 18 registers share one with all the above */
};

static inline struct sam_warp *sam_warp_of(struct sam_core *core)
{
    return (struct sam_warp *)(void *)core;
}

/* warp.c */

struct sam_worker;
/* Ready to run on `worker` from launch->start; registers zero, all lanes active, e32 m1,
 * vl = lanes. */
void sam_warp_reset(struct sam_warp *warp, struct sam_worker *worker,
                    const struct sam_launch *launch);
void sam_warp_release(struct sam_warp *warp);
/* Room for so many entries of the SIMT stack. False: above its limit, or out of memory, which the
 * view notes. */
bool sam_warp_reserve_stack(struct sam_warp *warp, uint32_t entries);
/* Set the SIMT mask, and from it the active lanes. */
static inline void sam_warp_set_mask(struct sam_warp *warp, uint32_t bits)
{
    warp->simt = bits;
    warp->bits[0] = bits & warp->within[0];
    if (warp->within[1])
        warp->bits[1] = bits & warp->within[1];
    warp->full = warp->single && warp->bits[0] == warp->all;
    warp->full_32 = warp->full && warp->lanes == 32;
}
/* vset*: new vtype and AVL. `keep` leaves vl as it is when it still fits. Returns vl. */
uint32_t sam_warp_set_vtype(struct sam_warp *warp, uint32_t vtype, uint64_t avl, bool keep);
bool sam_warp_csr_read(struct sam_core *core, unsigned address, uint64_t instret, uint64_t *value);
bool sam_warp_csr_write(struct sam_core *core, unsigned address, uint64_t next, uint64_t value);
/* Handlers that are not lane loops. */
void sam_warp_fill(struct sam_machine *machine);
/* Lanes of group g that the instruction acts on. */
uint32_t sam_warp_acting(const struct sam_warp *warp, const struct sam_uop *op, unsigned g);

/* A register as a source under REGPAIR: an even number names the pair, an odd one is extended by
 * its sign. */
static inline uint64_t sam_pair_joined(uint32_t low, uint32_t high, unsigned number)
{
    return number & 1 ? (uint64_t)(int64_t)(int32_t)low : (uint64_t)high << 32 | low;
}
static inline uint64_t sam_pair_scalar(const struct sam_core *c, unsigned number)
{
    return number ? sam_pair_joined(c->x32[number], c->x32[number | 1], number) : 0;
}
/* pair.c: any instruction under REGPAIR; lanes_*.c have those of the vector unit that compute. */
const struct sam_uop *sam_warp_pair(struct sam_core *c, const struct sam_uop *op,
                                    const struct sam_uop *entry, int64_t left);

/* lanes_*.c: the lane loops, compiled for several levels of the host's instruction set. Those of
 * loads and stores of words are for warps of `lanes` lanes only. */
void sam_lanes_fill_base(struct sam_machine *machine, uint32_t lanes);
void sam_lanes_fill_v3(struct sam_machine *machine, uint32_t lanes);
void sam_lanes_fill_v4(struct sam_machine *machine, uint32_t lanes);
/* lanes.c: the best level for this host. */
void sam_lanes_fill(struct sam_machine *machine, uint32_t lanes);

/* sv39.c: page tables. */
enum sam_walk {
    SAM_WALK_OK,
    SAM_WALK_PAGE_FAULT,
    SAM_WALK_ACCESS_FAULT, /* a table lies outside every buffer */
    SAM_WALK_EXHAUSTED,    /* host out of memory */
};
/* Translate `address` by the tables at options.ptbr, whose marks go to the journal if there is one.
 */
enum sam_walk sam_sv39_walk(const struct sam_gpu *gpu, uint32_t address, enum sam_access access,
                            uint64_t *physical, struct sam_journal *journal);

/* --- workgroups (group.c, space.c) */

/* A page of local memory. */
struct sam_lds_page {
    uint32_t number; /* within the window */
    uint8_t *bytes;
};

/* A workgroup that has started: what is its own, whichever thread runs it. */
struct sam_group {
    uint32_t workgroup;     /* linear id */
    bool has_turn;          /* every earlier workgroup has ended */
    struct sam_warp *warps; /* launch->warps of them, at most `room` */
    uint32_t room;
    uint32_t ready;      /* warps that are */
    uint32_t at;         /* the warp whose turn it is */
    bool in_turn;        /* it has begun its turn ... */
    int64_t turn;        /* ... and may still run so many instructions, to the next jump */
    uint32_t last;       /* the warp that ran last */
    uint64_t idle_turns; /* ended by nothing but their length, since one was not */
    size_t index;        /* among a session's live groups */
    struct sam_lds_page *lds;
    uint32_t lds_count, lds_capacity;
    uint8_t *parked; /* in a session: private memory, while another workgroup uses its part */
    bool away;       /* it is there */
};

#define SAM_FILLED 16384 /* entries of a TLB that are worth clearing one by one */

/* A host thread that runs workgroups. */
struct sam_worker {
    struct sam_tlb tlb;          /* first: a TLB's resolve finds its worker */
    uint32_t filled[SAM_FILLED]; /* entries of the TLB that are not empty, if they are so few */
    uint32_t filled_count;
    bool touched; /* sam_space_touch has been called for this view */
    struct sam_code *code;
    const struct sam_lanes_access *access; /* of the GPU, by op */
    struct sam_run *run;
    struct sam_group *group;   /* the one that runs; the TLB shows its local memory. NULL: none */
    struct sam_group own;      /* for launches, which run one workgroup after another */
    uint64_t next, end;        /* workgroups that it has taken and is yet to run; equal: none */
    bool busy;                 /* runs a workgroup of the launch */
    bool started;              /* has run at least one */
    bool entered;              /* runs within sam_host_fp_enter */
    struct sam_pace *pace;     /* NULL: a launch */
    struct sam_counts *counts; /* NULL: not asked for */
    struct sam_sanitizer *sanitizer;   /* NULL: not asked for */
    struct sam_sanitizing *sanitizing; /* what its handlers need */
    bool stepped;                      /* each instruction is recorded, for the log or the counts */
    struct sam_warp_log *log;          /* NULL: not asked for */
    struct sam_replay *replay;         /* NULL: nothing pulls what has run (replay.h) */
    uint64_t warp_insns;
    uint64_t untold_insns, untold_groups; /* since the last progress report */
    uint64_t waits; /* attempts in a row in which its workgroup did nothing but wait */
    uint64_t shown; /* a session was taken back from here: until then, prints and logs are out */
    uint8_t apart[SAM_APART]; /* from the next worker, which another thread runs */
};

/* The worker that runs a warp. */
static inline struct sam_worker *sam_worker_of(const struct sam_core *core)
{
    return (struct sam_worker *)(void *)core->tlb; /* its first member */
}

/* Whether the instruction that has just run is repeated. */
static inline bool sam_worker_repeats(const struct sam_worker *worker)
{
    return worker->warp_insns <= worker->shown;
}

/* How far a session runs. */
struct sam_pace {
    uint64_t left; /* instructions until a pause */
    bool breaks;   /* breakpoints and watchpoints */
    bool to_release;
    /* After each instruction, when not NULL; false: pause. */
    bool (*each)(struct sam_pace *pace, const struct sam_step *step);
    /* A warp is about to run, when not NULL. */
    void (*arm)(struct sam_pace *pace, struct sam_warp *warp);
};

/* Why sam_group_run returned. */
enum sam_pause {
    SAM_PAUSE_NONE,
    SAM_PAUSE_ENDED,   /* every warp has ended */
    SAM_PAUSE_FAILED,  /* the program or the host: recorded in the run */
    SAM_PAUSE_STOPPED, /* options.stop */
    /* under a pace only */
    SAM_PAUSE_BREAK,    /* the warp whose turn it is, is at a stop of the code */
    SAM_PAUSE_WATCH,    /* it has made a watched access */
    SAM_PAUSE_RELEASED, /* a barrier has */
    SAM_PAUSE_COUNT,    /* nothing is left */
    SAM_PAUSE_ASKED,    /* by `each` */
    SAM_PAUSE_WAITS,    /* sam_group_run_warp: the warp does */
};

/* Memory for launch->warps warps, unless there is as much. False: out of memory. */
bool sam_group_fit(struct sam_group *group, const struct sam_run *run);
void sam_group_release(struct sam_group *group);
/* Begin group->workgroup, which others may be reading: its warps are ready, its local memory is
 * zero. */
void sam_group_start(struct sam_worker *worker, struct sam_group *group);
/* Run one instruction of a ready warp and record it, except for what a barrier or the end of the
 * warp means to others. */
enum sam_pause sam_group_step(struct sam_worker *worker, struct sam_group *group,
                              struct sam_warp *warp, struct sam_step *step);
/* Run the warps by turns, from where they are. */
enum sam_pause sam_group_run(struct sam_worker *worker, struct sam_group *group);
/* Run one of them alone until it waits or ends. */
enum sam_pause sam_group_run_warp(struct sam_worker *worker, struct sam_group *group,
                                  struct sam_warp *warp);

/* livelock.c: in a system, whose launches run while nobody else does, a kernel may wait for what
 * never comes. After a turn that nothing has ended: now and then look whether the workgroup, and
 * all others that run, wait for memory that nothing changes. */
enum sam_pause sam_group_check_livelock(struct sam_worker *worker, struct sam_group *group);

/* What a worker's workgroup sees in memory. False: out of memory. */
/* Empty the TLB. */
void sam_space_clear(struct sam_worker *worker);
/* Write to those of the host's pages of the TLB that the launch will need. Handlers read an entry
 * before it is filled; a page that is first read, then written, the host provides twice, and the
 * second time it interrupts all threads. With one worker only those that most launches begin with:
 * what is touched but not needed costs as much as what is provided twice. */
void sam_space_touch(struct sam_worker *worker);
bool sam_space_init(struct sam_worker *worker);
void sam_space_release(struct sam_worker *worker);
/* Show the local memory of `group`, or none, instead of that of worker->group, and make it that. */
void sam_space_enter(struct sam_worker *worker, struct sam_group *group);
/* Zero the local memory of a group, or release it. */
void sam_space_clear_lds(struct sam_worker *worker, struct sam_group *group);
void sam_space_release_lds(struct sam_group *group);
/* A page of a group's local memory; NULL: it is not in use or, with `make`, out of memory. */
uint8_t *sam_space_lds(struct sam_worker *worker, struct sam_group *group, uint32_t number,
                       bool make);

/* --- launches (launch.c) */

/* A running launch. */
struct sam_run {
    struct sam_gpu *gpu;
    const struct sam_launch *launch;
    double started; /* seconds */
    uint64_t workgroups;
    struct sam_worker *workers;
    unsigned worker_count;
    uint32_t print_base, print_size; /* 0: none */
    uint32_t entry;                  /* of the kernel; 0: unknown */
    uint32_t items;                  /* of a complete workgroup; 0: unknown */
    bool partial;                    /* some workgroups reach past `global` */
    uint32_t global[3], local[3];    /* work-items, if partial */
    uint32_t print_shown;            /* bytes */
    bool print_line_open;
    uint64_t pds_group;   /* bytes of private memory of a workgroup */
    uint32_t pds_parts;   /* options.fit_pds: parts that workgroups share; 0: each has its own */
    uint8_t *pds_touched; /* one per page of the parts: 1 when it may not be zero */
    struct sam_profile *given; /* of a session: what options.profile has of it; NULL: a launch */
    bool recorded; /* what is executed is kept for a model of time: one worker, of this launch alone
                    */
    bool ordered;  /* workers ask which workgroups the others run */
    uint8_t before[SAM_APART];
    uint64_t next; /* workgroup to hand out; atomic unless the run is ordered */
    uint8_t after[SAM_APART];
    pthread_mutex_t lock; /* guards everything below; of an ordered run also `next`, the workers'
                             `busy`, and which workgroup theirs is */
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
    bool shares;                  /* the memory is its system's, which outlives it */
    struct sam_machine machine;   /* for warps of 32 lanes, */
    struct sam_machine narrow[3]; /* of 4, 8 and 16 */
    struct sam_lanes_access access[SAM_OP_COUNT];
    struct sam_kept *kept;          /* workers of earlier launches, or NULL */
    struct sam_parallel_crew *crew; /* threads of theirs, or NULL */
};

/* The handlers for warps of so many lanes, 4 to 32. */
static inline const struct sam_machine *sam_gpu_machine(const struct sam_gpu *gpu, uint32_t lanes)
{
    return lanes < SAM_LANES ? &gpu->narrow[__builtin_ctz(lanes) - 2] : &gpu->machine;
}

/* gpu.c: a GPU in a system, on its memory; NULL: on its own. Nothing else of a GPU changes: what
 * others write between launches, code too, is seen by the next one. */
enum sam_status sam_gpu_new_in(struct sam_memory *memory, const struct sam_gpu_options *options,
                               struct sam_gpu **out, struct sam_error *error);

/* workers.c: workers for a launch, new or kept from an earlier one, which the threads that run them
 * open. False: out of memory. Leave the run's workers in either case. */
bool sam_workers_find(struct sam_run *run, unsigned count);
void sam_workers_leave(struct sam_run *run);
/* Have the worker ready for the run, with its group. False: out of memory. */
bool sam_worker_open(struct sam_worker *worker, struct sam_run *run);
/* A launch by `count` workers is likely to follow: do ahead of it what takes long. */
void sam_workers_expect(struct sam_gpu *gpu, const struct sam_launch *launch, unsigned count);
/* Whether the last launch may have accessed the page at this address. */
bool sam_workers_touched(const struct sam_gpu *gpu, uint32_t page);
void sam_workers_forget(struct sam_gpu *gpu);

/* Check the launch and make a run of it, without workers. */
enum sam_status sam_run_open(struct sam_run *run, struct sam_gpu *gpu,
                             const struct sam_launch *launch, struct sam_error *error);
void sam_run_close(struct sam_run *run);
/* Everything of a worker but workgroups. False: out of memory; release it. */
bool sam_worker_init(struct sam_worker *worker, struct sam_run *run);
void sam_worker_release(struct sam_worker *worker);
/* Run the next workgroup of the launch to its end. False: there is none, or the launch has failed
 * or was stopped before. */
bool sam_worker_run_next(struct sam_worker *worker);
/* The launch is likely to follow. */
void sam_run_expect(struct sam_gpu *gpu, const struct sam_launch *launch);
/* Find the workers of a run and open the first, with the handlers that its options ask for. False:
 * out of memory. */
bool sam_run_prepare(struct sam_run *run);
/* What a launch that has run leaves in its result, which may be NULL. False: out of memory. */
bool sam_run_collect(const struct sam_run *run, struct sam_gpu_result *result);
/* How the run has ended, its trap and counts, and where a group's warps stand if it ended early.
 * False: out of memory. */
enum sam_status sam_run_outcome(const struct sam_run *run, struct sam_error *error);
bool sam_run_result(const struct sam_run *run, struct sam_gpu_result *result);
bool sam_run_places(const struct sam_run *run, const struct sam_group *group,
                    struct sam_gpu_result *result);

/* SAM_ERR_USAGE unless a warp can have so many lanes. */
enum sam_status sam_check_lanes(uint32_t lanes, struct sam_error *error);
/* Record a failure of the program, unless a lower workgroup has already failed; of the host. */
void sam_run_fail(struct sam_worker *worker, const struct sam_warp *warp, unsigned cause,
                  uint64_t tval);
/* Note an access to a buffer's slack, by the instruction before the warp's pc. */
void sam_run_note_slack(struct sam_worker *worker, const struct sam_warp *warp);
void sam_run_fail_host(struct sam_run *run, enum sam_status status, const char *text);
/* A function of the caller has run: the floating-point environment is what the core wants again. */
void sam_run_called_back(const struct sam_worker *worker);
/* Report progress; `ended` more workgroups have finished. */
void sam_run_tell(struct sam_worker *worker, unsigned ended);
bool sam_run_is_stopped(const struct sam_run *run);

/* private.c: where the private memory of workgroups lies. */

/* Set the run's pds_group and pds_parts. SAM_ERR_USAGE: there is no room for one workgroup. */
enum sam_status sam_private_fit(struct sam_run *run, struct sam_error *error);
/* Memory for what is known of the parts, which become zero. False: out of memory. */
bool sam_private_init(struct sam_run *run);
void sam_private_release(struct sam_run *run);
/* Whether a running workgroup uses the part that `workgroup` needs. With the run's lock. */
bool sam_private_is_taken(const struct sam_run *run, uint64_t workgroup);
/* Zero the part of a workgroup that is about to start. False: out of memory. */
bool sam_private_enter(struct sam_worker *worker, uint32_t workgroup);
/* In a session, workgroups that share a part are live at once: move the private memory of one out
 * of its part and back. False: out of memory, nothing has moved. */
bool sam_private_park(struct sam_worker *worker, struct sam_group *group);
bool sam_private_return(struct sam_worker *worker, struct sam_group *group);
/* CSR_PDS of a workgroup. */
uint32_t sam_private_base(const struct sam_run *run, uint32_t workgroup);
/* A worker's view is about to show the page at physical address `base`. */
void sam_private_touch(const struct sam_run *run, uint64_t base);

/* launch_metadata.c: the print buffer that the metadata names (bytes 48 and 52), if all of it is
 * mapped, and the work-items (bytes 12 to 32). */
void sam_run_read_metadata(struct sam_run *run);
/* The lanes of a warp that have a work-item or stand in a workgroup that is complete: those that
 * start. */
uint32_t sam_run_started(const struct sam_run *run, const struct sam_warp *warp);

/* print.c */
/* Wait until every workgroup before this worker's has ended: workgroups use the print buffer in
 * order, whatever the number of workers. */
void sam_run_wait_turn(struct sam_worker *worker);
/* Show what the kernel has printed. False: the sink failed, or the buffer is full (recorded). */
bool sam_run_print(struct sam_worker *worker, struct sam_warp *warp);

/* --- records of instructions */

/* step.c: run one instruction of the warp and record it, except for what a barrier or the end of
 * the warp means to others. `insn` receives it. */
enum sam_exit sam_warp_step(struct sam_warp *warp, struct sam_step *step, struct sam_insn *insn);

/* count.c: counts per instruction of warps of `lanes` lanes. Returns NULL on out-of-memory. */
struct sam_counts;
struct sam_counts *sam_counts_new(uint32_t lanes);
void sam_counts_free(struct sam_counts *counts);
/* From now on sam_core_run counts, too, as long as sam_counts_stop follows it. Nothing is decoded
 * yet. */
void sam_counts_in_runs(struct sam_counts *counts, struct sam_code *code);
void sam_counts_stop(struct sam_warp *warp, enum sam_exit exit);
/* Count a single step. Returns false on out-of-memory, from then on. */
bool sam_counts_step(struct sam_counts *counts, const struct sam_warp *warp,
                     const struct sam_insn *insn, const struct sam_step *step);
/* Add the counts to `profile`; *deepest: the deepest SIMT stack. False: out of memory. */
struct sam_profile;
bool sam_counts_collect(struct sam_counts *counts, struct sam_code *code,
                        struct sam_profile *profile, uint64_t *deepest);
/* stats.c: add the rows of a profile. Returns false on out-of-memory. */
bool sam_stats_fold(struct sam_profile *profile, const struct sam_isa *isa,
                    struct sam_gpu_stats *stats);

/* sanitize.c: what a sanitizer hears of. */

/* Handlers that tell the sanitizer of instructions stand in for others from now on; nothing is
 * decoded yet. With `stepped` there are none: sam_sanitizing_step tells. False: out of memory. */
bool sam_sanitizing_open(struct sam_worker *worker, bool stepped);
void sam_sanitizing_close(struct sam_worker *worker);
/* The warp is about to be stepped. */
void sam_sanitizing_step(struct sam_worker *worker, struct sam_warp *warp,
                         const struct sam_insn *insn);
/* The launch begins; it has ended. False: out of memory. */
bool sam_sanitizing_begin(const struct sam_run *run);
bool sam_sanitizing_end(const struct sam_run *run);

/* log.c: the commit log. It goes to the sink of the gpu in batches: flush it before anything else
 * is written and when the launch has ended. False: the sink refused. */
#define SAM_LOG_REFUSED "cannot write the commit log"
struct sam_warp_log *sam_warp_log_new(const struct sam_gpu *gpu);
void sam_warp_log_free(struct sam_warp_log *log);
/* Add an instruction that has run. */
bool sam_warp_log_step(struct sam_warp_log *log, struct sam_warp *warp, const struct sam_insn *insn,
                       const struct sam_step *step);
bool sam_warp_log_flush(struct sam_warp_log *log);

#endif
