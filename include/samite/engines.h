/* SPDX-License-Identifier: Apache-2.0 */
/* The engines of the TensorLoad unit in time: a cycle model beside the functional one. It changes
 * no value: instructions are taken from the run in program order, each is given its cycles, and
 * nothing but what is still under way is kept. What it assumes: docs/tensorload-rulings.md,
 * chapter 5.
 *
 *   sam_engines_defaults(&config);
 *   sam_engines_parse("load_bytes=32,queue=8", &config, &error);
 *   options.engines = &config;              // of sam_hart_new
 *   sam_hart_run(hart, &result, &error);
 *   sam_hart_engines(hart, &report);
 *
 * Times are in cycles from 0, the one in which the hart issues its first instruction. */
#ifndef SAMITE_ENGINES_H
#define SAMITE_ENGINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* EngineID, bits 31:30 of an instruction: which queue runs it, never what it does. */
enum sam_engine {
    SAM_ENGINE_LOAD,
    SAM_ENGINE_COMP,
    SAM_ENGINE_STORE,
    SAM_ENGINE_RESHAPE,
    SAM_ENGINE_COUNT
};

/* One field a parameter of sam_engines_parameter, whose meaning and range stand there. */
struct sam_engines_config {
    uint32_t bytes[SAM_ENGINE_COUNT];
    uint32_t latency[SAM_ENGINE_COUNT];
    uint32_t queue[SAM_ENGINE_COUNT];
    uint32_t slice_cycles;
    uint32_t pipelined;
    uint32_t issue;
    uint32_t scalar_cpi;
};

struct sam_engines_parameter {
    const char *name;
    uint32_t value; /* the default */
    uint32_t low, high;
    const char *meaning;
};

/* Parameter `index`, from 0 on; NULL behind the last. */
SAM_API const struct sam_engines_parameter *sam_engines_parameter(size_t index);
SAM_API void sam_engines_defaults(struct sam_engines_config *config);
/* Change `config` by "name=number,name=number"; a later one wins. SAM_ERR_USAGE, and nothing is
 * changed: an unknown name (the error names the nearest), a number outside its range (the error
 * gives the range). */
SAM_API enum sam_status sam_engines_parse(const char *text, struct sam_engines_config *config,
                                          struct sam_error *error);

/* What an engine does in a cycle. Each cycle of a run is one of these. */
enum sam_engine_cycle {
    SAM_ENGINE_BUSY,        /* its datapath works */
    SAM_ENGINE_EMPTY,       /* nothing is in its queue: the hart issues other instructions */
    SAM_ENGINE_HART_STALLS, /* nothing is in its queue: the hart waits for another engine */
    SAM_ENGINE_LATENCY,     /* nothing is in its queue, its last result is on the way */
    SAM_ENGINE_RAW,         /* the first in its queue reads a TLReg that is not written yet */
    SAM_ENGINE_WAW,         /* ... writes a TLReg that another engine has yet to write */
    SAM_ENGINE_WAR,         /* ... writes a TLReg that another engine has yet to read */
    SAM_ENGINE_MEMORY,      /* ... accesses bytes that an earlier store writes, or stores to bytes
                               that an earlier load reads */
    SAM_ENGINE_DRAINED,     /* the program is over */
    SAM_ENGINE_CYCLES
};

/* What the hart does in a cycle; one in which it issues both is one of TENSOR. */
enum sam_issue_cycle {
    SAM_ISSUE_SCALAR, /* issues scalar instructions, or is at work on one */
    SAM_ISSUE_TENSOR, /* issues an instruction to an engine */
    SAM_ISSUE_FULL,   /* + enum sam_engine: that engine's queue is full */
    SAM_ISSUE_MEMORY = SAM_ISSUE_FULL + SAM_ENGINE_COUNT, /* a scalar load or store waits for bytes
                                                             that an engine stores or loads */
    SAM_ISSUE_DONE, /* the program is over, engines still work */
    SAM_ISSUE_CYCLES
};

struct sam_engine_report {
    uint64_t instructions;
    uint64_t bytes;                     /* through its datapath */
    uint64_t cycles[SAM_ENGINE_CYCLES]; /* their sum is the report's `cycles` */
    uint64_t queued;                    /* cycles that instructions spent in its queue, summed */
    uint32_t queue_peak;                /* most instructions in its queue at a time */
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

/* A stretch of time on a track, told when the model knows it: rising start on each track. */
struct sam_engines_slice {
    unsigned track;      /* an engine; SAM_ENGINE_COUNT: the hart */
    unsigned cycle;      /* enum sam_engine_cycle: BUSY and the waits of the first in the queue;
                            of the hart enum sam_issue_cycle */
    uint64_t start, end; /* the cycles start .. end-1 */
    uint64_t pc;         /* of the instruction; of the hart's slices, the first */
    uint32_t word;       /* 0: a slice of the hart */
    uint64_t issued;     /* BUSY: the cycle in which the hart issued it */
    uint64_t done;       /* BUSY: the first cycle in which others can have the result */
};

/* Who wants to know as it happens. A function may be NULL; one that returns false ends the run
 * (SAM_ERR_IO). */
struct sam_engines_watch {
    bool (*slice)(void *context, const struct sam_engines_slice *slice);
    /* From `cycle` on `waiting` instructions are in the engine's queue. Rising cycles. */
    bool (*queue)(void *context, unsigned engine, uint64_t cycle, uint32_t waiting);
    void *context;
};

#ifdef __cplusplus
}
#endif
#endif
