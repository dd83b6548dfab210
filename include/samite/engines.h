/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle model of the TensorLoad unit's engines. It runs alongside the functional model and
 * changes no value: it takes the instructions of a run in program order, assigns each its cycles,
 * and keeps only what is still in flight. Its assumptions: docs/tensorload-rulings.md, chapter 5.
 * The functions keep no state: they may be called from any thread, on a config that no other thread
 * is changing.
 *
 *   sam_engines_defaults(&config);
 *   sam_engines_parse("load_bytes=32,queue=8", &config, &error);
 *   options.engines = &config;              // of sam_hart_new
 *   sam_hart_run(hart, &result, &error);
 *   sam_hart_engines(hart, &report);
 *
 * Times are in cycles; the hart issues its first instruction in cycle 0. */
#ifndef SAMITE_ENGINES_H
#define SAMITE_ENGINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "energy.h"
#include "parameter.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* EngineID, bits 31:30 of an instruction: selects the queue that runs it, never what it does. */
enum sam_engine {
    SAM_ENGINE_LOAD,
    SAM_ENGINE_COMP,
    SAM_ENGINE_STORE,
    SAM_ENGINE_RESHAPE,
    SAM_ENGINE_COUNT
};

/* One field per parameter; sam_engines_parameter gives its meaning and range. */
struct sam_engines_config {
    uint32_t bytes[SAM_ENGINE_COUNT];
    uint32_t latency[SAM_ENGINE_COUNT];
    uint32_t queue[SAM_ENGINE_COUNT];
    uint32_t slice_cycles;
    uint32_t pipelined;
    uint32_t issue;
    uint32_t scalar_cpi;
    struct sam_energy_config energy; /* of the hart. Since 0.2 */
};

/* Parameter `index`, from 0; NULL after the last. */
SAM_API const struct sam_parameter *sam_engines_parameter(size_t index);
SAM_API void sam_engines_defaults(struct sam_engines_config *config);
/* Change `config` by "name=number,name=number"; the last value of a name wins. SAM_ERR_USAGE, with
 * `config` unchanged: an unknown name (the error suggests the nearest) or a number out of range
 * (the error gives the range). */
SAM_API enum sam_status sam_engines_parse(const char *text, struct sam_engines_config *config,
                                          struct sam_error *error);

/* The state of an engine in a cycle. Each cycle of a run is one of these. */
enum sam_engine_cycle {
    SAM_ENGINE_BUSY,        /* its datapath is working */
    SAM_ENGINE_EMPTY,       /* its queue is empty: the hart issues other instructions */
    SAM_ENGINE_HART_STALLS, /* its queue is empty: the hart waits for another engine */
    SAM_ENGINE_LATENCY,     /* its queue is empty; its last result is still in the pipeline */
    SAM_ENGINE_RAW,         /* the head of its queue reads a TLReg that is not written yet */
    SAM_ENGINE_WAW,         /* ... writes a TLReg that another engine has yet to write */
    SAM_ENGINE_WAR,         /* ... writes a TLReg that another engine has yet to read */
    SAM_ENGINE_MEMORY,      /* ... accesses bytes that an earlier store writes, or stores to bytes
                               that an earlier load reads */
    SAM_ENGINE_DRAINED,     /* the program has ended */
    SAM_ENGINE_CYCLES
};

/* The state of the hart in a cycle; one that issues several kinds counts as the last of them here.
 */
enum sam_issue_cycle {
    SAM_ISSUE_SCALAR, /* issues or executes scalar instructions */
    SAM_ISSUE_TENSOR, /* issues an instruction to an engine */
    SAM_ISSUE_MATRIX, /* issues an instruction to the matrix unit. Since 0.2 */
    SAM_ISSUE_FULL,   /* + enum sam_engine: that engine's queue is full */
    SAM_ISSUE_MEMORY = SAM_ISSUE_FULL + SAM_ENGINE_COUNT, /* a scalar load or store waits for bytes
                                                             that a unit stores or loads */
    SAM_ISSUE_SLOTS,   /* no slot of the matrix unit is free. Since 0.2 */
    SAM_ISSUE_CONTROL, /* a load or store of a control register waits. Since 0.2 */
    SAM_ISSUE_DONE,    /* the program has ended, units are still working */
    SAM_ISSUE_CYCLES
};

struct sam_engine_report {
    uint64_t instructions;
    uint64_t bytes;                     /* through its datapath */
    uint64_t cycles[SAM_ENGINE_CYCLES]; /* their sum is the report's `cycles` */
    uint64_t queued;                    /* cycles that instructions spent in its queue, summed */
    uint32_t queue_peak;                /* most instructions in its queue at once */
};

struct sam_engines_report {
    uint64_t cycles;                  /* until the last instruction is done */
    uint64_t instructions;            /* scalar and tensor */
    uint64_t issue[SAM_ISSUE_CYCLES]; /* their sum is `cycles` */
    struct sam_engine_report engine[SAM_ENGINE_COUNT];
};

/* "load", "comp", "store", "reshape" */
SAM_API const char *sam_engine_name(unsigned engine);
/* "busy", "empty", ...; "scalar", "full_load", ... */
SAM_API const char *sam_engine_cycle_name(unsigned cycle);
SAM_API const char *sam_issue_cycle_name(unsigned cycle);

/* A span of time on a track, reported as soon as the model knows it: in order of start on each
 * track. */
struct sam_engines_slice {
    unsigned track;      /* an engine; SAM_ENGINE_COUNT: the hart */
    unsigned cycle;      /* enum sam_engine_cycle: BUSY, or what the head of the queue waits for;
                            for the hart, enum sam_issue_cycle */
    uint64_t start, end; /* the cycles start .. end-1 */
    uint64_t pc;         /* of the instruction; for the hart's slices, of the first one */
    uint32_t word;       /* 0: a slice of the hart */
    uint64_t issued;     /* BUSY: the cycle in which the hart issued it */
    uint64_t done;       /* BUSY: the first cycle in which others can use the result */
};

/* Callbacks during the run, on its thread. A function may be NULL; one that returns false ends the
 * run (SAM_ERR_IO). */
struct sam_engines_watch {
    bool (*slice)(void *context, const struct sam_engines_slice *slice);
    /* From `cycle` on, `waiting` instructions are in the engine's queue. Called in order of cycles.
     */
    bool (*queue)(void *context, unsigned engine, uint64_t cycle, uint32_t waiting);
    void *context;
};

#ifdef __cplusplus
}
#endif
#endif
