/* SPDX-License-Identifier: Apache-2.0 */
/* The face of hart/ inside the library: the parts of a hart. Only the hart knows which units are
 * attached to its core; units know only the core (core->unit[]). */
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

/* core->event of a hart. */
enum { SAM_EVENT_TOHOST = 1, SAM_EVENT_PORT = 2, SAM_EVENT_LIVELOCK = 4 };

/* What became of an access to a control register. */
enum sam_hart_port_end {
    SAM_HART_PORT_DONE,
    SAM_HART_PORT_FAULT, /* the instruction traps */
    SAM_HART_PORT_EXIT,  /* the program exits with the value stored */
    SAM_HART_PORT_STOP,  /* the run ends; whoever has the ports knows why */
};

/* The control registers that a hart reaches at `base`, by its own loads and stores of aligned words
 * and by nothing else. A load is made as its instruction runs. A store is made after its
 * instruction, before the next one; when it faults, its instruction has not run. */
struct sam_hart_ports {
    uint64_t base, size; /* 0: none */
    enum sam_hart_port_end (*load)(void *context, uint64_t address, uint32_t *value);
    enum sam_hart_port_end (*store)(void *context, uint64_t address, uint32_t value);
    /* Why the last access was a fault; may leave the text empty. */
    void (*explain)(void *context, char *text, size_t size);
    void *context;
};

/* An instruction that a unit has worked on, or will have: the cycles in which the hart issued it,
 * it began, and others can use its results; bytes of memory. */
struct sam_hart_worked {
    uint64_t order; /* among those of units, in the program */
    uint64_t issued, start, done;
    uint64_t read, written;
};

/* Places in the program whose instruction is about to run. */
struct sam_hart_marks {
    const uint64_t *addresses; /* of instructions, ascending */
    size_t count;
    /* In cycle `now`; the next instruction for a unit is number `order`. */
    void (*reached)(void *context, uint64_t address, uint64_t now, uint64_t order);
    void *context;
};

/* The time that a hart shares with the other parts of a system. */
struct sam_hart_shared_time {
    struct sam_clock *clock;
    const struct sam_memtime_port *memory; /* NULL: units have their own latencies */
    unsigned engines_port, matrix_port;    /* their numbers for `memory`; of the first engine */
    /* Of a load or store of a control register: the cycle from which on it can be made, at most
     * `now`: it can now; SAM_CLOCK_IDLE: not known; the unit that it depends on interrupts the
     * clock when that may be different. */
    uint64_t (*ready)(void *context, uint64_t now, uint64_t address, bool store);
    /* Bytes that the unit which this access starts will load, or store: number `index` of them;
     * false: no more. The hart waits for its own units there as if it accessed them itself. */
    bool (*uses)(void *context, uint64_t address, bool store, size_t index,
                 struct sam_work_span *bytes, bool *stores);
    /* It is made in cycle `now`; the effect of a store is still to come. False: out of memory. */
    bool (*accessed)(void *context, uint64_t now, uint64_t address, bool store);
    /* The times of an instruction for a unit are known. NULL: nobody wants to know. */
    void (*worked)(void *context, const struct sam_hart_worked *worked);
    void *context;
};

/* What a hart is given by the system that it is a part of. */
struct sam_hart_home {
    struct sam_memory *memory; /* shared; it outlives the hart */
    struct sam_hart_ports ports;
    uint64_t code_base;             /* pc before a program is loaded */
    uint64_t stack_top, stack_size; /* sp of a program */
    uint64_t heap_size;             /* bytes that are mapped after a program */
    uint64_t program_top;           /* sections from here on are no part of the program proper */
    const struct sam_hart_shared_time *time; /* it outlives the hart; NULL: its own */
};

/* sam_hart_new in a home, which is copied; NULL: the hart has its own memory. */
enum sam_status sam_hart_new_in(const struct sam_hart_home *home,
                                const struct sam_hart_options *options, struct sam_hart **out,
                                struct sam_error *error);
/* Bytes of the shared memory have changed: if they are decoded code, decode it again. */
void sam_hart_invalidate_code(struct sam_hart *hart, uint64_t address, uint64_t size);
/* One past the program and its heap. */
uint64_t sam_hart_heap_end(const struct sam_hart *hart);

/* mcycle and minstret: instructions retired plus `base`, or, where mcountinhibit stops it, `base`.
 */
struct sam_hart_counter {
    uint64_t base;
    bool stopped;
};

enum { SAM_HART_CYCLE, SAM_HART_INSTRET, SAM_HART_COUNTERS };

/* Whether the program only waits. */
struct sam_hart_livelock {
    bool asked;    /* to look into it */
    unsigned left; /* instructions of the attempt; 0: there is none */
    struct sam_livelock state;
};

struct sam_hart_record;

/* Told of whatever the program of a hart accesses; instructions are then recorded one by one. */
struct sam_hart_listener {
    /* An instruction has run, or trapped. What its store to a control register starts is still to
     * come. */
    void (*ran)(void *context, const struct sam_hart_record *record);
    /* A call of the host has accessed memory. */
    void (*called)(void *context, uint64_t address, uint64_t size, bool store);
    void *context;
};

struct sam_hart {
    struct sam_core core; /* first: a CSR hook's core is its hart */
    struct sam_tlb tlb;
    struct sam_code *code;
    struct sam_memory *memory; /* home.memory, or its own */
    struct sam_hart_home home;
    uint32_t port_word; /* of an access to a control register */
    uint64_t port_address;
    enum sam_hart_port_end port_end; /* of the last turn: EXIT, STOP, or something else */
    struct sam_hart_livelock livelock;
    struct sam_machine machine;
    struct sam_hart_options options;
    const struct sam_image *image; /* symbols, or NULL */
    struct sam_tensor *tensor;     /* NULL: not in the ISA */
    struct sam_matrix *matrix;     /* NULL: not in the ISA */
    struct sam_clock own_clock;    /* of the models, unless they share another */
    struct sam_clock *clock;
    struct sam_mxu *mxu;         /* cycle model of the matrix unit, or NULL */
    struct sam_mxu_watch *watch; /* its traces, or NULL */
    uint64_t tohost;             /* address of the symbol */
    bool has_tohost, exited;
    struct sam_hart_counter counters[SAM_HART_COUNTERS];
    uint64_t mie;
    bool has_handler; /* the program has written mtvec */
    bool vectored;    /* a trap went to the handler when `vectored_at` instructions had retired */
    uint64_t vectored_at;
    bool has_until;
    uint64_t until;
    struct sam_hart_stats stats;
    struct sam_hart_counts *counts; /* NULL: what is observed is stepped */
    uint64_t told;                  /* instructions that the cycle models know of, while it runs */
    struct sam_hart_calls *calls;   /* NULL: none are remembered */
    uint64_t timed;                 /* cycles of the model when the profile was last added to */
    uint64_t shown; /* a session was taken back from here: until then the trace is out */
    struct sam_engines *engines;        /* the models of the hart and the engines; NULL: no times */
    bool has_engines;                   /* the caller wants their figures */
    struct sam_energy_config energy;    /* with has_engines */
    struct sam_hart_timeline *timeline; /* NULL: off */
    const struct sam_hart_listener *listener; /* NULL: none */
    struct sam_hart_marked *marked;           /* places that are told; NULL: none */
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

/* `value` truncated to the hart's XLEN. */
static inline uint64_t sam_hart_wrap(const struct sam_hart *hart, uint64_t value)
{
    return sam_hart_is_narrow(hart) ? (uint32_t)value : value;
}

/* csr.c: CSRs of the hart and its units; called as struct sam_machine describes. */
bool sam_hart_csr_read(struct sam_core *core, unsigned address, uint64_t instret, uint64_t *value);
bool sam_hart_csr_write(struct sam_core *core, unsigned address, uint64_t next, uint64_t value);

/* space.c: the core's view of memory. False: out of memory. */
bool sam_hart_space_init(struct sam_hart *hart);

/* ports.c: the word for an access to a control register, or NULL with *fault filled. */
uint8_t *sam_hart_port_word(struct sam_hart *hart, uint64_t address, unsigned size,
                            enum sam_access access, struct sam_fault *fault);
static inline bool sam_hart_is_port(const struct sam_hart *hart, uint64_t address)
{
    return address - hart->home.ports.base < hart->home.ports.size;
}
/* An instruction, or several of which only the last can be a store to a control register, has run:
 * make that store. How the run goes on. */
enum sam_exit sam_hart_port_store(struct sam_hart *hart, enum sam_exit exit);

/* livelock.c: of a load of a control register that can only give the same again, from its function:
 * look whether the program does nothing but wait for another value. If so, its run ends. */
void sam_hart_livelock_check(struct sam_hart *hart);
/* It may well get another value, as of a clock. */
void sam_hart_livelock_cancel(struct sam_hart *hart);
/* sam_hart_turn of one instruction, while that is looked into. */
enum sam_status sam_hart_livelock_turn(struct sam_hart *hart, struct sam_hart_result *result,
                                       struct sam_error *error);
static inline bool sam_hart_livelock_pending(const struct sam_hart *hart)
{
    return hart->livelock.asked || hart->livelock.left;
}

/* calls.c: the program calls its host. Plan memory up to its symbols __heap_end and __stack. */
enum sam_status sam_hart_plan_heap(struct sam_hart *hart, struct sam_memory *plan,
                                   struct sam_error *error);
/* Whether the ebreak at pc is a semihosting call. */
bool sam_hart_is_semihost(struct sam_hart *hart);
/* Answer the call at pc, or the word that was stored to `tohost`. False: the run ends, as in
 * *result; SAM_HART_STOPPED: a sink refused. */
bool sam_hart_semihost(struct sam_hart *hart, struct sam_hart_result *result);
bool sam_hart_ecall(struct sam_hart *hart, struct sam_hart_result *result);
bool sam_hart_tohost(struct sam_hart *hart, struct sam_hart_result *result);
/* For a session that may go back: answers are remembered from now on. False: out of memory. */
bool sam_hart_calls_keep(struct sam_hart *hart);
void sam_hart_calls_free(struct sam_hart_calls *calls);

/* record.c: an instruction that has run, with what it asked of the units. */
struct sam_hart_record {
    struct sam_step step;
    struct sam_insn insn;
    bool has_tensor, has_matrix;
    struct sam_work tensor;
    struct sam_matrix_work matrix;
    uint32_t first_row; /* xmrstart before it */
    uint64_t x[32];     /* before it, for a waveform of the matrix unit */
};
enum sam_exit sam_hart_record(struct sam_hart *hart, struct sam_hart_record *record);
/* The same for an instruction of a unit that neither a trace nor a profile shows: what it asked of
 * the unit, and of the step only its pc, its word and whether it trapped. */
enum sam_exit sam_hart_record_work(struct sam_hart *hart, struct sam_hart_record *record);

/* run.c: one turn of about `budget` instructions, never more, or of one that is recorded, and what
 * follows from it. result->end is SAM_HART_STEPPED when the hart can go on. `record` may be NULL.
 */
enum sam_status sam_hart_turn(struct sam_hart *hart, uint64_t budget,
                              struct sam_hart_record *record, struct sam_hart_result *result,
                              struct sam_error *error);
/* A run has used up options.max_insns; options.stop ends one that has used so many. */
enum sam_status sam_hart_stopped(struct sam_hart *hart, uint64_t used,
                                 struct sam_hart_result *result, struct sam_error *error);
enum sam_status sam_hart_out_of_budget(struct sam_hart *hart, struct sam_hart_result *result,
                                       struct sam_error *error);

/* observe.c: trace, statistics and cycle models of an instruction. SAM_ERR_IO when a sink refused,
 * SAM_ERR_MEMORY. */
static inline bool sam_hart_is_observed(const struct sam_hart *hart)
{
    const struct sam_hart_options *o = &hart->options;
    return o->trace.write || o->collect_stats || o->profile || hart->engines || hart->listener;
}
enum sam_status sam_hart_observe(struct sam_hart *hart, struct sam_hart_record *record);
/* A scalar instruction has run `count` times: statistics. */
void sam_hart_count(struct sam_hart *hart, const struct sam_insn *insn, uint64_t count);
/* profile.c: add the instruction to options.profile. False: out of memory. */
bool sam_hart_profile(struct sam_hart *hart, const struct sam_hart_record *record);
/* The same for a scalar instruction that has run `count` times, without cycles. */
bool sam_hart_profile_scalar(struct sam_hart *hart, uint64_t pc, const struct sam_insn *insn,
                             uint64_t count);
/* Write the trace line of a trap that goes to the program's handler. */
bool sam_hart_observe_trap(struct sam_hart *hart, unsigned cause, uint64_t tval);

/* count.c: runs that are observed without being stepped, where what observes them allows it;
 * before anything is decoded. False: out of memory. */
bool sam_hart_counts_new(struct sam_hart *hart);
void sam_hart_counts_free(struct sam_hart_counts *counts);
/* sam_core_run. *next: the instruction it has stopped before, which is to be recorded; NULL: none.
 */
enum sam_exit sam_hart_run_counted(struct sam_hart *hart, int64_t budget,
                                   const struct sam_insn **next);
/* The next instruction, if it is one of a unit and known to be; NULL: perhaps another. */
const struct sam_insn *sam_hart_unit_insn(const struct sam_hart *hart);
/* After runs: add what was counted to the statistics and the profile. False: out of memory. */
bool sam_hart_counts_collect(struct sam_hart *hart);

/* timing.c: the cycle models, from options.engines and options.cycles. SAM_ERR_USAGE,
 * SAM_ERR_MEMORY. */
enum sam_status sam_hart_add_timing(struct sam_hart *hart, struct sam_error *error);
/* After each instruction, also one that has trapped. SAM_ERR_MEMORY; SAM_ERR_IO: the watch refused.
 */
enum sam_status sam_hart_time(struct sam_hart *hart, struct sam_hart_record *record);
/* The same, when nobody watches the models: `count` scalar instructions that access no memory, or
 * whatever they access while there are no flights, loads and stores of the units; and one that
 * does. */
bool sam_hart_has_flights(const struct sam_hart *hart);
void sam_hart_time_scalars(struct sam_hart *hart, uint64_t count);
void sam_hart_time_access(struct sam_hart *hart, bool store, uint64_t address, unsigned bytes);

/* marks.c: tell when a program in time reaches places; once, before it runs. The addresses are
 * copied. False: out of memory. */
bool sam_hart_mark(struct sam_hart *hart, const struct sam_hart_marks *marks);
void sam_hart_marks_free(struct sam_hart *hart);
/* Tell if pc is at one: its instruction is then to be stepped over. */
bool sam_hart_tell_mark(struct sam_hart *hart);

/* timeline.c: a watch that writes the timeline and forwards to options.watch. NULL: out of memory.
 */
struct sam_hart_timeline *sam_hart_timeline_new(struct sam_hart *hart,
                                                struct sam_engines_watch *watch);
/* For others to add their own events; NULL: there is no timeline. */
struct sam_perfetto *sam_hart_timeline_of(struct sam_hart *hart);
bool sam_hart_timeline_end(struct sam_hart_timeline *timeline);
void sam_hart_timeline_free(struct sam_hart_timeline *timeline);

/* trap.c: the trap that the core has just stopped at: "load from 0x10, which cannot be read",
 * "illegal instruction: tshape was never written". */
void sam_hart_cause_text(const struct sam_hart *hart, unsigned cause, uint64_t tval, char *text,
                         size_t size);
enum { SAM_HART_CAUSE_TEXT = 192 };
/* One line: cause, pc, symbol, instruction. */
void sam_hart_describe(const struct sam_hart *hart, struct sam_hart_result *result);

#endif
