/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of sanitize/: checks of kernels. The machine that runs a launch reports events
 * (sam_sanitize_*); each check keeps its own shadow state and reports findings. Workgroups are
 * followed one after another, as run by a single worker. */
#ifndef SAM_SANITIZE_H
#define SAM_SANITIZE_H

#include "base/base.h"
#include "isa/isa.h"
#include "samite/sanitize.h"
#include "samite/session.h"

enum { SAM_SANITIZE_GROUPS = 2 }; /* registers per LMUL 2 group */

/* Facts that are constant during a launch. */
struct sam_sanitize_launch {
    const struct sam_isa *isa;
    uint64_t workgroups;
    uint32_t warps; /* per workgroup */
    uint32_t lanes; /* per warp */
    uint32_t lds_size;
    const struct sam_lds_range *lds_ranges;
    size_t lds_range_count;
    uint32_t pds_base, pds_size;
    uint64_t pds_total;        /* total private memory of all workgroups */
    uint32_t items;            /* work-items of a complete workgroup; 0: unknown */
    uint32_t sgprs, vgprs;     /* per warp; 0: unknown */
    uint32_t start, start_end; /* start code, which is not part of the kernel */
    bool translated;           /* program addresses are virtual */
    /* Fetch the word at `pc` as seen by the warp of sam_sanitize_warp.core. Returns false if it
     * cannot be fetched. */
    bool (*fetch)(void *core, uint32_t pc, uint32_t *word);
};

/* A warp before an instruction. */
struct sam_sanitize_warp {
    uint32_t number, workgroup;
    uint32_t lanes;   /* per warp */
    uint32_t started; /* lanes with a work-item */
    uint32_t simt;    /* SIMT mask */
    uint32_t depth;   /* entries of the SIMT stack */
    const struct sam_stack_entry *stack;
    const uint32_t *x;                  /* x0 to x63 */
    const uint32_t (*v)[SAM_MAX_LANES]; /* by register */
    void *core;                         /* for launch.fetch */
    uint32_t pds; /* base of the workgroup's private memory, in which words are interleaved, */
    uint32_t pds_size, threads; /* its bytes per thread, and threads per workgroup */
};

/* An instruction that is about to run. A prefix is part of the instruction after it. */
struct sam_sanitize_op {
    const struct sam_insn *insn;
    uint32_t pc, prefix;
    const struct sam_sanitize_warp *warp;
    bool vector;
    unsigned groups; /* registers per operand of a vector instruction, 0 to 2, */
    uint32_t active[SAM_SANITIZE_GROUPS]; /* the active lanes of each, ... */
    uint32_t acting[SAM_SANITIZE_GROUPS]; /* ... and those it acts on, masked by v0 */
    /* Memory: bytes per element; 0: no access. Element addresses by acting lane; a scalar
     * instruction uses lane 0. Under REGPAIR (words 2) a second element follows each at distance
     * `apart`. */
    unsigned bytes, words;
    uint32_t apart;
    bool own; /* uses the private-memory instructions */
    uint32_t address[SAM_SANITIZE_GROUPS][SAM_MAX_LANES];
    /* An atomic instruction on a word: whether it will write, and the word before it. */
    bool writes;
    uint32_t before;
};

/* An object that a kernel may access: a buffer, or a range of local memory. */
struct sam_sanitize_object {
    uint32_t base;
    uint64_t size;
    const char *name; /* description; outlives the launch */
};

/* Observes accesses of kernels, with or without checks. */
struct sam_sanitize_listener {
    /* Before an instruction runs: one that accesses memory; the fetch of any instruction. */
    void (*access)(void *context, const struct sam_sanitize_op *op);
    void (*fetch)(void *context, uint32_t pc);
    void *context;
};

/* A sanitizer without checks that only calls the listener. Returns NULL on out-of-memory. */
struct sam_sanitizer *sam_sanitize_listen(const struct sam_sanitize_listener *listener);

/* sanitizer.c: events. */

/* Whether a check needs to see this instruction. */
bool sam_sanitize_wants(const struct sam_sanitizer *sanitizer, const struct sam_insn *insn);
/* Begin a launch. Returns false on out-of-memory. */
bool sam_sanitize_begin(struct sam_sanitizer *sanitizer, const struct sam_sanitize_launch *launch);
/* Then declare each object that its kernel may access, besides the local memory that the launch
 * declares. Returns false on out-of-memory. */
bool sam_sanitize_declare(struct sam_sanitizer *sanitizer,
                          const struct sam_sanitize_object *object);
/* A workgroup begins; earlier ones have ended. */
void sam_sanitize_on_workgroup(struct sam_sanitizer *sanitizer, uint32_t workgroup);
/* A warp is about to run an instruction: report its fetch, and the instruction if
 * sam_sanitize_wants it. */
void sam_sanitize_fetch(struct sam_sanitizer *sanitizer, uint32_t pc, uint32_t prefix);
void sam_sanitize_on_instruction(struct sam_sanitizer *sanitizer, const struct sam_sanitize_op *op);
/* A barrier has released the workgroup's waiting warps. */
void sam_sanitize_release(struct sam_sanitizer *sanitizer);
/* The launch has ended, normally or not. Returns false if memory has run out during it. */
bool sam_sanitize_end(struct sam_sanitizer *sanitizer);

/* Between launches: the host has written memory; a buffer was unmapped. */
void sam_sanitize_on_host_write(struct sam_sanitizer *sanitizer, uint32_t base, uint64_t size);
void sam_sanitize_unmapped(struct sam_sanitizer *sanitizer, uint32_t base, uint64_t size);

/* --- for the checks */

struct sanitize_bounds;
struct sanitize_init;
struct sanitize_race;
struct sanitize_sync;

struct sam_sanitizer {
    unsigned checks;
    struct sam_sanitize_listener listener; /* NULL functions: none */
    bool failed;                           /* out of memory */
    struct sam_sanitize_launch launch;
    uint32_t workgroup;                  /* the running workgroup */
    uint32_t sgprs, vgprs;               /* declared by the caller; 0: unknown */
    struct sam_sanitize_object *objects; /* of the launch */
    size_t object_count, object_capacity;
    struct sanitize_bounds *bounds;
    struct sanitize_init *init;
    struct sanitize_race *race;
    struct sanitize_sync *sync;
    /* findings.c */
    struct sam_finding *findings;
    size_t finding_count, finding_capacity;
    bool sorted;
    uint32_t *slots; /* hash table: index of a finding + 1; 0: free */
    size_t slot_count;
    uint64_t dropped[4]; /* per check: findings beyond the maximum kept */
    struct sam_sanitizer_buffer *buffers;
    size_t buffer_count, buffer_capacity;
};

/* arena.c: zeroed memory in blocks of at most 2 MiB, all freed at once. */
struct sanitize_arena {
    struct sanitize_chunk {
        void *memory; /* twice the size of the aligned block in it */
    } * chunks;
    size_t count, capacity;
    uint8_t *next;
    size_t left;
};
/* Returns NULL on out-of-memory. */
void *sam_sanitize_arena_take(struct sanitize_arena *arena, size_t size);
void sam_sanitize_arena_free(struct sanitize_arena *arena);

/* findings.c: add a finding, unless an equal one exists; fills in its check and count. The order of
 * the sides does not matter. */
void sam_sanitize_report(struct sam_sanitizer *sanitizer, const struct sam_finding *finding);
/* The side for an instruction that is about to run. */
struct sam_finding_side sam_sanitize_side(const struct sam_sanitize_op *op, uint32_t lane);

/* report.c: the name of a launch's object in reports. */
void sam_sanitize_object_name(const struct sam_sanitizer *sanitizer,
                              const struct sam_sanitize_object *object, char *text, size_t size);

/* bounds.c */
bool sam_sanitize_bounds_new(struct sam_sanitizer *sanitizer);
void sam_sanitize_bounds_free(struct sam_sanitizer *sanitizer);
void sam_sanitize_bounds_begin(struct sam_sanitizer *sanitizer);
void sam_sanitize_bounds_see(struct sam_sanitizer *sanitizer, const struct sam_sanitize_op *op);

/* registers.c, part of the bounds check: whether an instruction may use a register beyond those
 * declared; report it before it runs. */
bool sam_sanitize_registers_want(const struct sam_sanitizer *sanitizer,
                                 const struct sam_insn *insn);
void sam_sanitize_registers_see(struct sam_sanitizer *sanitizer, const struct sam_sanitize_op *op);

/* init.c */
bool sam_sanitize_init_new(struct sam_sanitizer *sanitizer);
void sam_sanitize_init_free(struct sam_sanitizer *sanitizer);
bool sam_sanitize_init_begin(struct sam_sanitizer *sanitizer);
void sam_sanitize_init_enter(struct sam_sanitizer *sanitizer);
void sam_sanitize_init_see(struct sam_sanitizer *sanitizer, const struct sam_sanitize_op *op);
/* The buffer's bytes become undefined; were written by the host; are no longer tracked. */
bool sam_sanitize_init_output(struct sam_sanitizer *sanitizer, uint32_t base, uint64_t size);
void sam_sanitize_init_written(struct sam_sanitizer *sanitizer, uint32_t base, uint64_t size);
void sam_sanitize_init_unmapped(struct sam_sanitizer *sanitizer, uint32_t base, uint64_t size);
/* The host compares memory. */
void sam_sanitize_init_check(struct sam_sanitizer *sanitizer, uint32_t base, uint64_t size);

/* race.c */
bool sam_sanitize_race_new(struct sam_sanitizer *sanitizer);
void sam_sanitize_race_free(struct sam_sanitizer *sanitizer);
void sam_sanitize_race_begin(struct sam_sanitizer *sanitizer);
void sam_sanitize_race_enter(struct sam_sanitizer *sanitizer);
void sam_sanitize_race_release(struct sam_sanitizer *sanitizer);
void sam_sanitize_race_see(struct sam_sanitizer *sanitizer, const struct sam_sanitize_op *op);

/* sync.c */
bool sam_sanitize_sync_new(struct sam_sanitizer *sanitizer);
void sam_sanitize_sync_free(struct sam_sanitizer *sanitizer);
bool sam_sanitize_sync_begin(struct sam_sanitizer *sanitizer);
void sam_sanitize_sync_enter(struct sam_sanitizer *sanitizer);
void sam_sanitize_sync_release(struct sam_sanitizer *sanitizer);
void sam_sanitize_sync_see(struct sam_sanitizer *sanitizer, const struct sam_sanitize_op *op);

#endif
