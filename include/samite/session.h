/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: a launch, or a tensor hart, that is opened instead of run. Its warps are stepped in any
 * order, inspected, changed, run to breakpoints and watchpoints, and taken back in time.
 *
 *   sam_session_open(gpu, &launch, NULL, &session, &error);
 *   sam_session_step(session, 0, 1, &step, &error);           workgroup 0, warp 1: one instruction
 *   sam_session_add_break(session, &(struct sam_session_break){.pc = 0x80000120}, &id, &error);
 *   sam_session_run(session, NULL, &stop, &error);             to the breakpoint
 *   sam_session_v(session, stop.workgroup, stop.warp, 3, lanes, &error);
 *   sam_session_finish(session, &result, &error);              as sam_gpu_launch would have ended
 *   sam_session_close(session);
 *
 * A tensor hart is workgroup 0, warp 0 of its session. Functions of vector registers and of the
 * SIMT stack fail for it with SAM_ERR_USAGE; its other registers are read with sam_hart_tl,
 * sam_hart_m.
 *
 * Workgroups start at their first touch: opening a launch of 100,000 of them costs nothing. One
 * that has ended is released, unless options.keep_ended. As long as a session is open, its gpu or
 * hart is used through it alone, except for reading. A session is used by one thread at a time.
 *
 * Errors of all functions: SAM_ERR_USAGE when the session has no such workgroup, warp, register,
 * CSR, memory, break- or watchpoint, when a workgroup has ended and is released, or when the
 * session is NULL; SAM_ERR_MEMORY. docs/sessions.md has a complete example. Since 0.2. */
#ifndef SAMITE_SESSION_H
#define SAMITE_SESSION_H

#include "gpu.h"
#include "hart.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_session;

struct sam_session_options {
    size_t size;                /* sizeof of this struct (status.h) */
    const uint32_t *workgroups; /* linear ids of those to open, in the order in which they run;
                                   NULL: all, in order */
    size_t workgroup_count;
    bool keep_ended;    /* registers and local memory stay readable after a workgroup's end */
    bool barrier_retry; /* the warps that a barrier releases, except the one that arrived last,
                           spend one more step on it (SAM_STEP_WAITS), as on the hardware; runs do
                           not count such steps */
};

/* Open a launch: nothing has run. Of the gpu's options, `jobs` has no effect. The session keeps
 * copies of launch and options; the image of the launch must outlive it. Errors: those of
 * sam_gpu_launch; a workgroup that the launch has not, or listed twice. */
SAM_API enum sam_status sam_session_open(struct sam_gpu *gpu, const struct sam_launch *launch,
                                         const struct sam_session_options *options,
                                         struct sam_session **session, struct sam_error *error);
/* Open a hart in its current state. Its options hold: traces, statistics and cycle models continue.
 * Its sam_hart_set_until has no effect meanwhile. */
SAM_API enum sam_status sam_session_open_hart(struct sam_hart *hart, struct sam_session **session,
                                              struct sam_error *error);
/* Memory stays as the program has left it. NULL does nothing. */
SAM_API void sam_session_close(struct sam_session *session);

/* ----------------------------------------------------------------------------- what there is */

struct sam_session_shape {
    struct sam_isa isa;
    uint64_t workgroups;           /* that the session has opened */
    uint32_t warps, lanes;         /* of each workgroup; of each warp. A hart: 1, 1 */
    unsigned x_count;              /* scalar registers: 64; a hart: 32 */
    unsigned v_count;              /* vector registers: 256; a hart: 0 */
    const struct sam_image *image; /* symbols, may be NULL */
};
SAM_API enum sam_status sam_session_shape(const struct sam_session *session,
                                          struct sam_session_shape *shape, struct sam_error *error);

/* Linear id of the workgroup that runs as number `index`, 0..workgroups-1; others: UINT32_MAX. */
SAM_API uint32_t sam_session_workgroup(const struct sam_session *session, uint64_t index);

enum sam_session_state {
    SAM_SESSION_ABSENT, /* the session has not opened it */
    SAM_SESSION_NEW,    /* at its start; untouched */
    SAM_SESSION_LIVE,
    SAM_SESSION_ENDED, /* every warp has */
};
SAM_API enum sam_session_state sam_session_workgroup_state(const struct sam_session *session,
                                                           uint32_t workgroup);

enum sam_warp_state { SAM_WARP_READY, SAM_WARP_WAITS, SAM_WARP_ENDED };

struct sam_session_warp {
    enum sam_warp_state state;
    uint64_t pc;           /* of the next instruction; of the barrier it waits at */
    uint32_t prefix;       /* word of the REGEXT, ... before it, which has run; 0: none */
    uint32_t mask;         /* SIMT mask; a hart: 1 */
    uint32_t depth;        /* entries of the SIMT stack */
    uint64_t instructions; /* that it has run */
};
SAM_API enum sam_status sam_session_warp(struct sam_session *session, uint32_t workgroup,
                                         uint32_t warp, struct sam_session_warp *state,
                                         struct sam_error *error);
/* Instructions of all warps since the session was opened, less those taken back. A step that traps
 * or waits is none. */
SAM_API uint64_t sam_session_time(const struct sam_session *session);

/* --------------------------------------------------------------------------------- stepping */

enum sam_step_kind {
    SAM_STEP_RAN,
    SAM_STEP_PREFIX,   /* REGEXT, ...: it changes the next instruction */
    SAM_STEP_BARRIER,  /* arrived at a barrier, where it waits for others */
    SAM_STEP_RELEASED, /* arrived at a barrier as the last: all continue */
    SAM_STEP_WAITS,    /* waits at the barrier at pc: nothing ran (options.barrier_retry) */
    SAM_STEP_ENDED,    /* endprg; a hart: an exit */
    SAM_STEP_TRAPPED,  /* nothing ran, except that lower lanes of a store may have stored */
    SAM_STEP_HANDLED,  /* a hart: a trap that went to the program's handler */
};

/* An access to memory. Of an instruction of TensorLoad or the matrix unit: a contiguous range. */
struct sam_step_access {
    uint64_t address;
    uint64_t
        value;     /* as loaded, not extended; as stored; of an atomic: as stored. size <= 8 only */
    uint32_t size; /* bytes */
    uint32_t lane; /* UINT32_MAX: none */
    bool load, store;
};

struct sam_stack_entry { /* Ventus 4.2.1 */
    uint32_t rpc;
    uint32_t pc;
    uint32_t mask;
};

struct sam_step_csr {
    unsigned address;
    uint64_t value;
};

enum { SAM_STEP_ACCESSES = 128, SAM_STEP_CSRS = 4, SAM_STEP_V = 2 };

/* The effects of one instruction. Register numbers include the bits of a prefix. */
struct sam_step {
    enum sam_step_kind kind;
    uint32_t workgroup, warp;
    uint64_t time; /* instructions of the session before this one */
    uint64_t pc, next_pc;
    uint32_t word;   /* 0 when it cannot be fetched */
    uint32_t prefix; /* of the prefix that came before it; 0: none */
    /* Scalar registers written: x, and x + 1 of a pair. x_count 0..2. */
    unsigned x, x_count;
    uint64_t x_value[2];
    /* A vector instruction, and the lanes that it acts on: active, below vl, enabled by v0; under
     * LMUL 2 by register of the group. */
    bool vector;
    uint32_t lanes[SAM_STEP_V];
    /* Vector registers written: v, and v + 1 of a pair or of LMUL 2, with all their lanes. */
    unsigned v, v_count;
    uint32_t v_value[SAM_STEP_V][SAM_MAX_LANES];
    /* A hart: registers of the TensorLoad unit (tl_count of tl[]) and the matrix unit written. */
    unsigned tl_count, tl[2];
    unsigned m, m_count;
    /* CSRs written, with their values now, except fflags; flags that floating point has raised. */
    unsigned csr_count;
    struct sam_step_csr csr[SAM_STEP_CSRS];
    unsigned fflags;
    /* SIMT mask and stack entries before and after; of a hart 1 and 0. The stack lost `popped` when
     * depth falls, and gained `pushed` when it grows, the lower one first. */
    uint32_t mask_before, mask_after;
    uint32_t depth_before, depth_after;
    struct sam_stack_entry popped, pushed[2];
    /* Memory accessed, in order of lanes. More than there is room for: the first ones. */
    unsigned access_count;
    struct sam_step_access access[SAM_STEP_ACCESSES];
    /* SAM_STEP_TRAPPED, SAM_STEP_HANDLED */
    struct sam_trap trap; /* Ventus */
    unsigned cause;       /* RISC-V, of a hart */
    uint64_t tval;
    uint64_t exit_code; /* a hart's, SAM_STEP_ENDED */
};

/* Run one instruction of one warp; `step` may be NULL. A prefix is an instruction of its own.
 * Breakpoints and watchpoints have no effect. SAM_ERR_TRAP: the program failed; error says how. The
 * warp stays at the instruction, and can be repaired and stepped again. SAM_ERR_USAGE: the warp has
 * ended. SAM_ERR_IO: a sink refused. */
SAM_API enum sam_status sam_session_step(struct sam_session *session, uint32_t workgroup,
                                         uint32_t warp, struct sam_step *step,
                                         struct sam_error *error);

/* ---------------------------------------------------------------------------------- running */

enum sam_session_scope {
    SAM_SCOPE_ALL,       /* every workgroup, scheduled as in sam_gpu_launch with one job */
    SAM_SCOPE_WORKGROUP, /* the warps of one */
    SAM_SCOPE_WARP,      /* one warp alone, until it waits for others */
};

struct sam_session_run {
    size_t size; /* sizeof of this struct (status.h) */
    enum sam_session_scope scope;
    uint32_t workgroup, warp;
    uint64_t instructions; /* run exactly so many, unless something else ends it; 0: no limit */
    bool to_release;       /* pause when a barrier has released its warps */
    bool ignore_stops;     /* no breakpoint or watchpoint has an effect */
    /* Called after each instruction when not NULL, which is slow; false pauses. */
    bool (*each)(void *context, struct sam_session *session, const struct sam_step *step);
    void *context;
};

enum sam_session_reason {
    SAM_SESSION_DONE,     /* everything in the scope has ended; a hart: an exit */
    SAM_SESSION_BREAK,    /* warp is at a breakpoint, which has not run */
    SAM_SESSION_WATCH,    /* warp has just run an access to watched memory */
    SAM_SESSION_TRAP,     /* the program failed (SAM_ERR_TRAP) */
    SAM_SESSION_RELEASED, /* a barrier has released its warps; warp arrived last */
    SAM_SESSION_WAITS,    /* SAM_SCOPE_WARP: the warp waits for others at a barrier */
    SAM_SESSION_COUNT,    /* `instructions` have run */
    SAM_SESSION_ASKED,    /* `each` returned false */
    SAM_SESSION_STOPPED,  /* options.stop of the gpu or hart (SAM_ERR_STOPPED) */
    SAM_SESSION_EBREAK,   /* a hart: at an ebreak */
    SAM_SESSION_START,    /* sam_session_back: at the beginning of what was recorded */
};

struct sam_session_stop {
    enum sam_session_reason reason;
    uint32_t workgroup, warp; /* which ran last */
    uint64_t pc;              /* of its next instruction; of the barrier it waits at */
    uint64_t instructions;    /* that this run has run */
    unsigned id;              /* of the break- or watchpoint */
    /* SAM_SESSION_WATCH: the first access that it caught */
    uint64_t access_pc;     /* of the instruction */
    uint64_t address;       /* of the access */
    uint32_t size;          /* bytes, at most 8; of an instruction that moves ranges: 0 */
    bool store;             /* else a load */
    uint64_t before, after; /* the bytes accessed, as they were and are */
    struct sam_trap trap;   /* SAM_SESSION_TRAP, Ventus */
    uint64_t exit_code;     /* SAM_SESSION_DONE, of a hart */
};

/* Run from where the warps are. run NULL: everything, to its end or a stop. A warp does not stop
 * again at the breakpoint where it was stepped or stopped to. Errors in `reason` as above. */
SAM_API enum sam_status sam_session_run(struct sam_session *session,
                                        const struct sam_session_run *run,
                                        struct sam_session_stop *stop, struct sam_error *error);
/* Run everything to its end, without breakpoints and watchpoints: the result, the error, the prints
 * and the memory are those of sam_gpu_launch, which counts as one launch all that the session ran.
 * result may be NULL. SAM_ERR_USAGE: the session of a hart. */
SAM_API enum sam_status sam_session_finish(struct sam_session *session,
                                           struct sam_gpu_result *result, struct sam_error *error);

/* --------------------------------------------------------------- breakpoints and watchpoints */

struct sam_session_break {
    uint64_t pc;
    bool has_workgroup, has_warp; /* only there */
    uint32_t workgroup, warp;
    uint32_t lanes; /* not 0: only if one of these lanes is active */
    /* Only if it returns true, when not NULL. It may inspect, but not run or change anything. */
    bool (*when)(void *context, struct sam_session *session, uint32_t workgroup, uint32_t warp);
    void *context;
};
/* Stop every run that reaches pc. Programs run at full speed elsewhere. *id: a number from 1 on, of
 * its own. */
SAM_API enum sam_status sam_session_add_break(struct sam_session *session,
                                              const struct sam_session_break *point, unsigned *id,
                                              struct sam_error *error);

struct sam_session_watch {
    uint64_t address, size; /* bytes; size at least 1 */
    bool loads, stores;     /* both false: stores */
    bool has_workgroup, has_warp;
    uint32_t workgroup, warp;
    /* Only if it returns true, when not NULL; called after the access, with the stop to come. */
    bool (*when)(void *context, struct sam_session *session, const struct sam_session_stop *stop);
    void *context;
};
/* Stop every run after an instruction that accesses one of the bytes. Addresses are as the program
 * uses them. Programs run at full speed as long as they keep away from the pages. */
SAM_API enum sam_status sam_session_add_watch(struct sam_session *session,
                                              const struct sam_session_watch *point, unsigned *id,
                                              struct sam_error *error);
SAM_API enum sam_status sam_session_remove(struct sam_session *session, unsigned id,
                                           struct sam_error *error);

/* ------------------------------------------------------------------- registers and memory */

/* A pc that is not a multiple of 4 is SAM_ERR_USAGE. Setting it ends a wait at a barrier. */
SAM_API enum sam_status sam_session_set_pc(struct sam_session *session, uint32_t workgroup,
                                           uint32_t warp, uint64_t pc, struct sam_error *error);
/* Writes to x0 are dropped. */
SAM_API enum sam_status sam_session_x(struct sam_session *session, uint32_t workgroup,
                                      uint32_t warp, unsigned number, uint64_t *value,
                                      struct sam_error *error);
SAM_API enum sam_status sam_session_set_x(struct sam_session *session, uint32_t workgroup,
                                          uint32_t warp, unsigned number, uint64_t value,
                                          struct sam_error *error);
/* Lanes that the warp has not are 0. `lanes`: those to set. */
SAM_API enum sam_status sam_session_v(struct sam_session *session, uint32_t workgroup,
                                      uint32_t warp, unsigned number,
                                      uint32_t values[SAM_MAX_LANES], struct sam_error *error);
SAM_API enum sam_status sam_session_set_v(struct sam_session *session, uint32_t workgroup,
                                          uint32_t warp, unsigned number, uint32_t lanes,
                                          const uint32_t values[SAM_MAX_LANES],
                                          struct sam_error *error);
/* A write has the same effect as one by the program. */
SAM_API enum sam_status sam_session_csr(struct sam_session *session, uint32_t workgroup,
                                        uint32_t warp, unsigned address, uint64_t *value,
                                        struct sam_error *error);
SAM_API enum sam_status sam_session_set_csr(struct sam_session *session, uint32_t workgroup,
                                            uint32_t warp, unsigned address, uint64_t value,
                                            struct sam_error *error);
/* The SIMT stack from its bottom: the first `room` entries, and how many there are. */
SAM_API enum sam_status sam_session_stack(struct sam_session *session, uint32_t workgroup,
                                          uint32_t warp, struct sam_stack_entry *entries,
                                          size_t room, size_t *depth, struct sam_error *error);
/* Replace the SIMT mask and the stack. The mask must have lanes of the warp only. */
SAM_API enum sam_status sam_session_set_stack(struct sam_session *session, uint32_t workgroup,
                                              uint32_t warp, uint32_t mask,
                                              const struct sam_stack_entry *entries, size_t depth,
                                              struct sam_error *error);

/* Memory as the workgroup sees it: its local memory, under SV39 translated. The bytes must lie in
 * one buffer, or in local memory. A read into NULL only checks that they do. A write to code takes
 * effect with the next instruction. */
SAM_API enum sam_status sam_session_read(struct sam_session *session, uint32_t workgroup,
                                         uint64_t address, void *data, size_t size,
                                         struct sam_error *error);
SAM_API enum sam_status sam_session_write(struct sam_session *session, uint32_t workgroup,
                                          uint64_t address, const void *data, size_t size,
                                          struct sam_error *error);
/* The address of byte `offset` of a lane's private memory (Ventus 4.2.7), whose words are not
 * contiguous. */
SAM_API enum sam_status sam_session_private(struct sam_session *session, uint32_t workgroup,
                                            uint32_t warp, uint32_t lane, uint32_t offset,
                                            uint64_t *address, struct sam_error *error);

/* Registers, memory and arguments of one lane as addresses, for DWARF, whose locations have
 * no lanes: at the end of the address space, where nothing else is mapped there. Since 0.2. */
#define SAM_LANE_FIRST     0xfffd0000u
#define SAM_LANE_PRIVATE   0xfffd0000u /* + N: byte N of its private memory, up to 64 KiB */
#define SAM_LANE_ARGUMENTS 0xfffe0000u /* + N: byte N of the argument buffer, up to 64 KiB */
#define SAM_LANE_LOCAL                                                                             \
    0xffff0000u                /* + N: byte N of local memory after the stacks, up to 60 KiB       \
                                */
#define SAM_LANE_V 0xfffff000u /* + 4 N: its element of vector register N of 256 */
#define SAM_LANE_X 0xfffff400u /* + 4 N: scalar register N of 64 of its warp */

/* Memory as one lane sees it: that of its workgroup, or what is at these addresses, of which at
 * most 4096 bytes at once. Since 0.2. */
struct sam_session_lane {
    uint32_t workgroup, warp, lane;
};
SAM_API enum sam_status sam_session_read_lane(struct sam_session *session,
                                              struct sam_session_lane lane, uint64_t address,
                                              void *data, size_t size, struct sam_error *error);
SAM_API enum sam_status sam_session_write_lane(struct sam_session *session,
                                               struct sam_session_lane lane, uint64_t address,
                                               const void *data, size_t size,
                                               struct sam_error *error);

/* ------------------------------------------------------------------------------ back in time */

/* Keep the present state. It costs the registers of the workgroups that are live, and from now on a
 * copy of each page before its first change. *snapshot: a number from 1 on. A hart with a cycle
 * model: SAM_ERR_USAGE. Traces, statistics and prints that are out are not taken back; repeated
 * instructions do not show them again, unless something was changed meanwhile. */
SAM_API enum sam_status sam_session_snapshot(struct sam_session *session, unsigned *snapshot,
                                             struct sam_error *error);
/* Return to a snapshot, any number of times; later snapshots are forgotten. Break- and watchpoints
 * stay. */
SAM_API enum sam_status sam_session_restore(struct sam_session *session, unsigned snapshot,
                                            struct sam_error *error);
/* Forget a snapshot. */
SAM_API enum sam_status sam_session_drop(struct sam_session *session, unsigned snapshot,
                                         struct sam_error *error);

/* From now on, keep what is needed to go back to any time: a snapshot about every `interval`
 * instructions (0: a default), and which warps ran when. */
SAM_API enum sam_status sam_session_record(struct sam_session *session, uint64_t interval,
                                           struct sam_error *error);
/* Go back, or forward again, to where sam_session_time was `time`, and steps of that time in which
 * nothing ran are still to come. A change of registers or memory forgets the future, and so does
 * going back to before one; to step or run forgets what was recorded of the future. SAM_ERR_USAGE:
 * a time before the recording began, or that was never reached.
 */
SAM_API enum sam_status sam_session_goto(struct sam_session *session, uint64_t time,
                                         struct sam_error *error);
/* Go back to the last stop at a breakpoint or watchpoint before the present, at a watchpoint after
 * the access; SAM_SESSION_START when there was none. */
SAM_API enum sam_status sam_session_back(struct sam_session *session, struct sam_session_stop *stop,
                                         struct sam_error *error);
/* The same, but at a watchpoint to before the access, which may be the last thing that happened. */
SAM_API enum sam_status sam_session_back_before(struct sam_session *session,
                                                struct sam_session_stop *stop,
                                                struct sam_error *error);
/* Go back to where one warp was about to run its last instruction: stop->reason SAM_SESSION_COUNT,
 * and its pc. SAM_SESSION_START: the recording has no instruction of it. The session then is where
 * it was when the warp has run none at all, or else at a time from which on it has run none. */
SAM_API enum sam_status sam_session_back_warp(struct sam_session *session, uint32_t workgroup,
                                              uint32_t warp, struct sam_session_stop *stop,
                                              struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
