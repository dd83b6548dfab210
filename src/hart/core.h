/* SPDX-License-Identifier: Apache-2.0 */
/* Private interface of hart/. Only the hart knows which units are attached to its core; units know
 * only the core (core->unit[]). */
#ifndef SAM_HART_CORE_H
#define SAM_HART_CORE_H

#include "machine/livelock.h"
#include "matrix/cycle/cycle.h"
#include "matrix/cycle/watch.h"
#include "matrix/matrix.h"
#include "memtime/memtime.h"
#include "samite/hart.h"
#include "tensor/engines.h"
#include "tensor/tensor.h"

/* Bits of core->event. */
enum { SAM_EVENT_TOHOST = 1, SAM_EVENT_PORT = 2, SAM_EVENT_LIVELOCK = 4 };

/* The outcome of an access to a control register. */
enum sam_hart_port_end {
    SAM_HART_PORT_DONE,
    SAM_HART_PORT_FAULT, /* the instruction traps */
    SAM_HART_PORT_EXIT,  /* the program exits with the stored value */
    SAM_HART_PORT_STOP,  /* the run ends, for a reason known to the owner of the ports */
};

/* Control registers at `base`, accessible only by the hart's own loads and stores of aligned words.
 * A load takes effect as its instruction runs, a store after its instruction and before the next
 * one. The instruction of a store that faults has not run. */
struct sam_hart_ports {
    uint64_t base, size; /* 0: none */
    enum sam_hart_port_end (*load)(void *context, uint64_t address, uint32_t *value);
    enum sam_hart_port_end (*store)(void *context, uint64_t address, uint32_t value);
    /* Explain the last fault; may leave the text empty. */
    void (*explain)(void *context, char *text, size_t size);
    void *context;
};

/* The schedule of an instruction of a unit: the cycles of issue, start, and availability of its
 * results; bytes of memory. */
struct sam_hart_worked {
    uint64_t order; /* sequence number among instructions of units */
    uint64_t issued, start, done;
    uint64_t read, written;
};

/* Timed markers: execution stops before each marked pc and a callback receives the cycle. */
struct sam_hart_marks {
    const uint64_t *addresses; /* ascending */
    size_t count;
    /* `now`: the cycle; `order`: the number of the next instruction of a unit. */
    void (*reached)(void *context, uint64_t address, uint64_t now, uint64_t order);
    void *context;
};

/* Time shared with the other parts of a system. */
struct sam_hart_shared_time {
    struct sam_clock *clock;
    const struct sam_memtime_port *memory; /* NULL: units have their own latencies */
    unsigned engines_port, matrix_port;    /* ports of `memory`; that of the first engine */
    /* The earliest cycle for an access to a control register: at most `now` if it can be made now;
     * SAM_CLOCK_IDLE if unknown: the unit that it depends on interrupts the clock when that
     * changes. */
    uint64_t (*ready)(void *context, uint64_t now, uint64_t address, bool store);
    /* Range number `index` of memory that the unit started by this access will load or store;
     * false: no more. The hart waits for its own units as if it accessed the range itself. */
    bool (*uses)(void *context, uint64_t address, bool store, size_t index,
                 struct sam_work_span *bytes, bool *stores);
    /* The access is made in cycle `now`; a store has yet to take effect. Returns false on
     * out-of-memory. */
    bool (*accessed)(void *context, uint64_t now, uint64_t address, bool store);
    /* The schedule of an instruction of a unit is known. May be NULL. */
    void (*worked)(void *context, const struct sam_hart_worked *worked);
    void *context;
};

/* The environment that a system provides for its hart. */
struct sam_hart_home {
    struct sam_memory *memory; /* shared; it outlives the hart */
    struct sam_hart_ports ports;
    uint64_t code_base;                      /* initial pc without a program */
    uint64_t stack_top, stack_size;          /* the initial sp of a program */
    uint64_t heap_size;                      /* bytes mapped after a program */
    uint64_t program_top;                    /* sections at or above do not count as program */
    const struct sam_hart_shared_time *time; /* outlives the hart; NULL: the hart's own time */
};

/* Like sam_hart_new, in `home`, which is copied; NULL: with its own memory. */
enum sam_status sam_hart_new_in(const struct sam_hart_home *home,
                                const struct sam_hart_options *options, struct sam_hart **out,
                                struct sam_error *error);
/* Invalidate decoded code after bytes of the shared memory have changed. */
void sam_hart_invalidate_code(struct sam_hart *hart, uint64_t address, uint64_t size);
/* End of the program and its heap. */
uint64_t sam_hart_heap_end(const struct sam_hart *hart);

/* mcycle or minstret: `base` plus retired instructions or, if stopped by mcountinhibit, `base`. */
struct sam_hart_counter {
    uint64_t base;
    bool stopped;
};

enum { SAM_HART_CYCLE, SAM_HART_INSTRET, SAM_HART_COUNTERS };

/* Livelock detection. */
struct sam_hart_livelock {
    bool asked;    /* an attempt is requested */
    unsigned left; /* instructions left in the attempt; 0: none is running */
    struct sam_livelock state;
};

struct sam_hart_record;

/* Observes all memory accesses of a hart's program; instructions are then single-stepped. */
struct sam_hart_listener {
    /* After an instruction has run or trapped, and before its store to a control register takes
     * effect. */
    void (*ran)(void *context, const struct sam_hart_record *record);
    /* After a host call has accessed memory. */
    void (*called)(void *context, uint64_t address, uint64_t size, bool store);
    void *context;
};

struct sam_hart {
    struct sam_core core; /* must be first: sam_hart_of */
    struct sam_tlb tlb;
    struct sam_code *code;
    struct sam_jit *jit;       /* NULL: all is interpreted */
    struct sam_memory *memory; /* home.memory or its own */
    struct sam_hart_home home;
    uint32_t port_word; /* data of the last access to a control register */
    uint64_t port_address;
    enum sam_hart_port_end port_end; /* of the last turn */
    struct sam_hart_livelock livelock;
    struct sam_machine machine;
    struct sam_hart_options options;
    const struct sam_image *image; /* for symbols, or NULL */
    struct sam_tensor *tensor;     /* NULL: not in the ISA */
    struct sam_matrix *matrix;     /* NULL: not in the ISA */
    struct sam_clock own_clock;    /* used unless shared */
    struct sam_clock *clock;
    struct sam_mxu *mxu;         /* cycle model of the matrix unit, or NULL */
    struct sam_mxu_watch *watch; /* traces of the matrix unit, or NULL */
    uint64_t tohost;             /* address of the symbol */
    bool has_tohost, exited;
    struct sam_hart_counter counters[SAM_HART_COUNTERS];
    uint64_t mie;
    bool has_handler; /* the program has written mtvec */
    bool vectored;    /* trapped to the handler after `vectored_at` instructions */
    uint64_t vectored_at;
    bool has_until;
    uint64_t until;
    struct sam_hart_stats stats;
    struct sam_hart_counts *counts; /* NULL: observers need single steps */
    uint64_t told;                /* instructions accounted for in the cycle models, during a run */
    struct sam_hart_calls *calls; /* NULL: not remembered */
    uint64_t timed;               /* cycle up to which the profile is complete */
    uint64_t shown;               /* sessions that went back in time: instructions already traced */
    struct sam_engines *engines;  /* cycle models of hart and engines; NULL: no times */
    bool has_engines;             /* the caller reads the engines' figures */
    struct sam_energy_config energy;          /* if has_engines */
    struct sam_hart_timeline *timeline;       /* NULL: off */
    const struct sam_hart_listener *listener; /* NULL: none */
    struct sam_hart_marked *marked;           /* NULL: no markers */
    struct sam_buffer line;                   /* current line of the trace */
    struct sam_texts *texts;                  /* NULL without a trace */
};

static inline struct sam_hart *sam_hart_of(struct sam_core *core)
{
    return (struct sam_hart *)(void *)core;
}

static inline bool sam_hart_is_narrow(const struct sam_hart *hart)
{
    return hart->machine.isa.xlen == 32;
}

/* Truncate to the hart's XLEN. */
static inline uint64_t sam_hart_wrap(const struct sam_hart *hart, uint64_t value)
{
    return sam_hart_is_narrow(hart) ? (uint32_t)value : value;
}

/* csr.c: CSRs of the hart and its units; see struct sam_machine. */
bool sam_hart_csr_read(struct sam_core *core, unsigned address, uint64_t instret, uint64_t *value);
bool sam_hart_csr_write(struct sam_core *core, unsigned address, uint64_t next, uint64_t value);

/* space.c: the core's TLB. Returns false on out-of-memory. */
bool sam_hart_space_init(struct sam_hart *hart);

/* ports.c: the word of a control register for an access, or NULL with *fault set. */
uint8_t *sam_hart_port_word(struct sam_hart *hart, uint64_t address, unsigned size,
                            enum sam_access access, struct sam_fault *fault);
static inline bool sam_hart_is_port(const struct sam_hart *hart, uint64_t address)
{
    return address - hart->home.ports.base < hart->home.ports.size;
}
/* Make the store of the last instruction that ran, if it was to a control register. Returns how the
 * run continues. */
enum sam_exit sam_hart_port_store(struct sam_hart *hart, enum sam_exit exit);

/* livelock.c: call from the load of a control register whose value cannot change by itself: starts
 * livelock detection, which ends the run if the program only polls. */
void sam_hart_livelock_check(struct sam_hart *hart);
/* Cancel it: the value may change, like that of a clock. */
void sam_hart_livelock_cancel(struct sam_hart *hart);
/* sam_hart_turn of one instruction during livelock detection. */
enum sam_status sam_hart_livelock_turn(struct sam_hart *hart, struct sam_hart_result *result,
                                       struct sam_error *error);
static inline bool sam_hart_livelock_pending(const struct sam_hart *hart)
{
    return hart->livelock.asked || hart->livelock.left;
}

/* calls.c: host calls of the program. Plan memory up to its symbols __heap_end and __stack. */
enum sam_status sam_hart_plan_heap(struct sam_hart *hart, struct sam_memory *plan,
                                   struct sam_error *error);
/* Whether the ebreak at pc is a semihosting call. */
bool sam_hart_is_semihost(struct sam_hart *hart);
/* Answer the call at pc, or the request in `tohost`. Returns false if the run ends, as in *result;
 * SAM_HART_STOPPED: a sink has failed. */
bool sam_hart_semihost(struct sam_hart *hart, struct sam_hart_result *result);
bool sam_hart_ecall(struct sam_hart *hart, struct sam_hart_result *result);
bool sam_hart_tohost(struct sam_hart *hart, struct sam_hart_result *result);
/* Remember answers, for sessions that go back in time. Returns false on out-of-memory. */
bool sam_hart_calls_keep(struct sam_hart *hart);
void sam_hart_calls_free(struct sam_hart_calls *calls);

/* record.c: an executed instruction with the work of its unit. */
struct sam_hart_record {
    struct sam_step step;
    struct sam_insn insn;
    bool has_tensor, has_matrix;
    struct sam_work tensor;
    struct sam_matrix_work matrix;
    uint32_t first_row; /* xmrstart before the instruction */
    uint64_t x[32];     /* registers before the instruction, for waveforms of the matrix unit */
};
enum sam_exit sam_hart_record(struct sam_hart *hart, struct sam_hart_record *record);
/* sam_hart_record for an instruction of a unit without trace and profile: the unit's work, and of
 * the step only pc, word and whether it trapped. */
enum sam_exit sam_hart_record_work(struct sam_hart *hart, struct sam_hart_record *record);

/* run.c: run at most about `budget` instructions, or one that is recorded, and handle the outcome.
 * result->end is SAM_HART_STEPPED if the hart can continue. `record` may be NULL. */
enum sam_status sam_hart_turn(struct sam_hart *hart, uint64_t budget,
                              struct sam_hart_record *record, struct sam_hart_result *result,
                              struct sam_error *error);
/* Fill the result of a run stopped by options.stop after `used` instructions, or by
 * options.max_insns. */
enum sam_status sam_hart_stopped(struct sam_hart *hart, uint64_t used,
                                 struct sam_hart_result *result, struct sam_error *error);
enum sam_status sam_hart_out_of_budget(struct sam_hart *hart, struct sam_hart_result *result,
                                       struct sam_error *error);

/* observe.c: trace, count and time a recorded instruction. SAM_ERR_IO: a sink has failed;
 * SAM_ERR_MEMORY. */
static inline bool sam_hart_is_observed(const struct sam_hart *hart)
{
    const struct sam_hart_options *o = &hart->options;
    return o->trace.write || o->collect_stats || o->profile || hart->engines || hart->listener;
}
enum sam_status sam_hart_observe(struct sam_hart *hart, struct sam_hart_record *record);
/* Count `count` executions of a scalar instruction in the statistics. */
void sam_hart_count(struct sam_hart *hart, const struct sam_insn *insn, uint64_t count);
/* profile.c: add the instruction to options.profile. Returns false on out-of-memory. */
bool sam_hart_profile(struct sam_hart *hart, const struct sam_hart_record *record);
/* Add `count` executions of a scalar instruction, without cycles. */
bool sam_hart_profile_scalar(struct sam_hart *hart, uint64_t pc, const struct sam_insn *insn,
                             uint64_t count);
/* Trace a trap to the program's handler. */
bool sam_hart_observe_trap(struct sam_hart *hart, unsigned cause, uint64_t tval);

/* count.c: instrument the code, before anything is decoded, if its observers do not need single
 * steps. Returns false on out-of-memory. */
bool sam_hart_counts_new(struct sam_hart *hart);
void sam_hart_counts_free(struct sam_hart_counts *counts);
/* sam_core_run in instrumented code. *next: the instruction before which it has stopped, to be
 * recorded; or NULL. */
enum sam_exit sam_hart_run_counted(struct sam_hart *hart, int64_t budget,
                                   const struct sam_insn **next);
/* The next instruction if it is known to be one of a unit, else NULL. */
const struct sam_insn *sam_hart_unit_insn(const struct sam_hart *hart);
/* Call after runs: add the counters to the statistics and the profile. Returns false on
 * out-of-memory. */
bool sam_hart_counts_collect(struct sam_hart *hart);

/* timing.c: create the cycle models of options.engines and options.cycles. SAM_ERR_USAGE,
 * SAM_ERR_MEMORY. */
enum sam_status sam_hart_add_timing(struct sam_hart *hart, struct sam_error *error);
/* Advance the models by one instruction, which may have trapped. SAM_ERR_MEMORY; SAM_ERR_IO: the
 * watch has failed. */
enum sam_status sam_hart_time(struct sam_hart *hart, struct sam_hart_record *record);
/* The same without watches: by `count` scalar instructions that access no memory, or any scalar
 * instructions while no load or store of a unit is in flight; and by a scalar access. */
bool sam_hart_has_flights(const struct sam_hart *hart);
void sam_hart_time_scalars(struct sam_hart *hart, uint64_t count);
void sam_hart_time_access(struct sam_hart *hart, bool store, uint64_t address, unsigned bytes);

/* marks.c: set the timed markers; once, before the program runs. Copies the addresses. Returns
 * false on out-of-memory. */
bool sam_hart_mark(struct sam_hart *hart, const struct sam_hart_marks *marks);
void sam_hart_marks_free(struct sam_hart *hart);
/* Report a marker at pc, if any; the caller must then single-step the instruction. */
bool sam_hart_tell_mark(struct sam_hart *hart);

/* timeline.c: a watch that writes the timeline and forwards to options.watch. Returns NULL on
 * out-of-memory. */
struct sam_hart_timeline *sam_hart_timeline_new(struct sam_hart *hart,
                                                struct sam_engines_watch *watch);
/* The timeline's file, for further events; NULL: no timeline. */
struct sam_perfetto *sam_hart_timeline_of(struct sam_hart *hart);
bool sam_hart_timeline_end(struct sam_hart_timeline *timeline);
void sam_hart_timeline_free(struct sam_hart_timeline *timeline);

/* trap.c: describe the trap at which the core has stopped: "load from 0x10, which cannot be read",
 * "illegal instruction: tshape was never written". */
void sam_hart_cause_text(const struct sam_hart *hart, unsigned cause, uint64_t tval, char *text,
                         size_t size);
enum { SAM_HART_CAUSE_TEXT = 192 };
/* Describe the trap in one line: cause, pc, symbol, instruction. */
void sam_hart_describe(const struct sam_hart *hart, struct sam_hart_result *result);

#endif
