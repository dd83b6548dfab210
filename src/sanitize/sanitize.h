/* SPDX-License-Identifier: Apache-2.0 */
/* The face of sanitize/: checks of kernels. A machine that runs a launch tells what happens
 * (sam_sanitize_*); each check keeps its own shadow state and reports findings. It follows one
 * workgroup after another, in the order of a launch with one worker. */
#ifndef SAM_SANITIZE_H
#define SAM_SANITIZE_H

#include "base/base.h"
#include "isa/isa.h"
#include "samite/sanitize.h"
#include "samite/session.h"

enum { SAM_SANITIZE_GROUPS = 2 }; /* registers that an instruction acts on under LMUL 2 */

/* What does not change during a launch. */
struct sam_sanitize_launch {
    const struct sam_isa *isa;
    uint64_t workgroups;
    uint32_t warps; /* per workgroup */
    uint32_t lanes; /* per warp */
    uint32_t lds_size;
    const struct sam_lds_range *lds_ranges;
    size_t lds_range_count;
    uint32_t pds_base, pds_size;
    uint64_t pds_total;        /* bytes of private memory of all workgroups */
    uint32_t items;            /* work-items of a complete workgroup; 0: unknown */
    uint32_t sgprs, vgprs;     /* that a warp has; 0: unknown */
    uint32_t start, start_end; /* the start code: not part of the kernel */
    bool translated;           /* addresses of global memory are not those of buffers */
    /* The instruction word at `pc` as the warp of sam_sanitize_warp.core sees it. False: there is
     * none. */
    bool (*fetch)(void *core, uint32_t pc, uint32_t *word);
};

/* A warp, as it is before an instruction. */
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
    uint32_t pds; /* address of the workgroup's private memory, whose words interleave, */
    uint32_t pds_size, threads; /* with its bytes per thread and threads per workgroup */
};

/* An instruction that is about to run. A prefix is none: it is part of the next one. */
struct sam_sanitize_op {
    const struct sam_insn *insn;
    uint32_t pc, prefix;
    const struct sam_sanitize_warp *warp;
    bool vector;
    unsigned groups; /* of a vector instruction: registers that it acts on, 0 to 2, */
    uint32_t active[SAM_SANITIZE_GROUPS]; /* which lanes of each it could act on, ... */
    uint32_t acting[SAM_SANITIZE_GROUPS]; /* ... and does, with v0 as a mask */
    /* Memory: bytes of each element, 0: no access. The elements of acting lanes, of a scalar
     * instruction that of lane 0, are at these addresses; under REGPAIR (words 2), a second one is
     * `apart` bytes after each. */
    unsigned bytes, words;
    uint32_t apart;
    bool own; /* private memory, through its own instructions */
    uint32_t address[SAM_SANITIZE_GROUPS][SAM_MAX_LANES];
};

/* What a kernel may access: a buffer, or a part of local memory. */
struct sam_sanitize_object {
    uint32_t base;
    uint64_t size;
    const char *name; /* what it is; outlives the launch */
};

/* Told of what kernels access, beside the checks or alone. */
struct sam_sanitize_listener {
    /* About to run: an instruction that accesses memory; the word at `pc`, of any instruction. */
    void (*access)(void *context, const struct sam_sanitize_op *op);
    void (*fetch)(void *context, uint32_t pc);
    void *context;
};

/* A sanitizer without checks that tells the listener. NULL: out of memory. */
struct sam_sanitizer *sam_sanitize_listen(const struct sam_sanitize_listener *listener);

/* sanitizer.c: events. */

/* Whether a check must see this instruction before it runs. */
bool sam_sanitize_wants(const struct sam_sanitizer *sanitizer, const struct sam_insn *insn);
/* A launch begins. False: out of memory. */
bool sam_sanitize_begin(struct sam_sanitizer *sanitizer, const struct sam_sanitize_launch *launch);
/* After that: what its kernel may access, beside the local memory that the launch declares. False:
 * out of memory. */
bool sam_sanitize_declare(struct sam_sanitizer *sanitizer,
                          const struct sam_sanitize_object *object);
/* A workgroup begins. Those before it have ended. */
void sam_sanitize_on_workgroup(struct sam_sanitizer *sanitizer, uint32_t workgroup);
/* A warp is about to run an instruction: for the listener; and one that a check must see. */
void sam_sanitize_fetch(struct sam_sanitizer *sanitizer, uint32_t pc, uint32_t prefix);
void sam_sanitize_on_instruction(struct sam_sanitizer *sanitizer, const struct sam_sanitize_op *op);
/* A barrier has released the warps of the workgroup that wait. */
void sam_sanitize_release(struct sam_sanitizer *sanitizer);
/* The launch has ended, one way or another. False: out of memory at some time. */
bool sam_sanitize_end(struct sam_sanitizer *sanitizer);

/* Between launches: the host has written memory; a buffer is gone. */
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
    uint32_t workgroup;                  /* that runs */
    uint32_t sgprs, vgprs;               /* that the caller has declared; 0: none */
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
    uint32_t *slots; /* hash of findings: index + 1, 0: none */
    size_t slot_count;
    uint64_t dropped[4]; /* by bit of the check: beyond those that are kept */
    struct sam_sanitizer_buffer *buffers;
    size_t buffer_count, buffer_capacity;
};

/* arena.c: memory that is zero and freed all at once, in pieces of at most 2 MiB. */
struct sanitize_arena {
    struct sanitize_chunk {
        void *memory; /* twice as large as the aligned chunk in it */
    } * chunks;
    size_t count, capacity;
    uint8_t *next;
    size_t left;
};
/* NULL: out of memory. */
void *sam_sanitize_arena_take(struct sanitize_arena *arena, size_t size);
void sam_sanitize_arena_free(struct sanitize_arena *arena);

/* findings.c: report what was found (its check and count are set here), unless one like it was;
 * sides may come in either order. */
void sam_sanitize_report(struct sam_sanitizer *sanitizer, const struct sam_finding *finding);
/* The side of an instruction that is about to run. */
struct sam_finding_side sam_sanitize_side(const struct sam_sanitize_op *op, uint32_t lane);

/* report.c: what a report calls an object of a launch. */
void sam_sanitize_object_name(const struct sam_sanitizer *sanitizer,
                              const struct sam_sanitize_object *object, char *text, size_t size);

/* bounds.c */
bool sam_sanitize_bounds_new(struct sam_sanitizer *sanitizer);
void sam_sanitize_bounds_free(struct sam_sanitizer *sanitizer);
void sam_sanitize_bounds_begin(struct sam_sanitizer *sanitizer);
void sam_sanitize_bounds_see(struct sam_sanitizer *sanitizer, const struct sam_sanitize_op *op);

/* registers.c: of the check of bounds, too. Whether an instruction may name a register beyond what
 * the launch declares; it is about to run. */
bool sam_sanitize_registers_want(const struct sam_sanitizer *sanitizer,
                                 const struct sam_insn *insn);
void sam_sanitize_registers_see(struct sam_sanitizer *sanitizer, const struct sam_sanitize_op *op);

/* init.c */
bool sam_sanitize_init_new(struct sam_sanitizer *sanitizer);
void sam_sanitize_init_free(struct sam_sanitizer *sanitizer);
bool sam_sanitize_init_begin(struct sam_sanitizer *sanitizer);
void sam_sanitize_init_enter(struct sam_sanitizer *sanitizer);
void sam_sanitize_init_see(struct sam_sanitizer *sanitizer, const struct sam_sanitize_op *op);
/* What a buffer holds is undefined; was written by the host; is no longer of interest. */
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
