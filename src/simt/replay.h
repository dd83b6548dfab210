/* SPDX-License-Identifier: Apache-2.0 */
/* The executed instructions of a launch, for a model of time to pull. A workgroup runs, as in any
 * launch, when the first of its instructions is asked for; what its warps executed is kept until it
 * is read.
 *
 * A warp's stream is a sequence of paths, straight-line pieces of code that are stored once; with
 * each, only what the code does not say: masks, when they change, and addresses. Paths are recorded
 * by handlers that stand in for those of instructions, as for counting (machine.h), or step by
 * step. */
#ifndef SAM_SIMT_REPLAY_H
#define SAM_SIMT_REPLAY_H

#include "gputime/gputime.h"
#include "simt/footprint.h"
#include "simt/observe.h"
#include "simt/spool.h"

/* What is recorded with each execution of an instruction. */
enum replay_extra {
    REPLAY_NOTHING,
    REPLAY_MASK,    /* the lanes it acts on: under v0 */
    REPLAY_TAKEN,   /* the lanes that jump */
    REPLAY_ADDRESS, /* one */
    REPLAY_LANES,   /* lanes and addresses */
};

/* An instruction of the program. */
struct replay_site {
    struct sam_insn insn;
    uint32_t pc, prefix;
    uint8_t extra; /* enum replay_extra */
    uint8_t bytes; /* of an access */
    bool vector;
    uint32_t alone; /* 1 + its path of one instruction; 0: none yet */
    struct replay_site *next;
};

/* A straight-line piece of code. */
struct replay_path {
    uint32_t next; /* 1 + another one with the same hash; 0: none */
    uint32_t count;
    struct replay_site *sites[];
};

/* The state of a warp that an instruction depends on. */
struct replay_masks {
    uint32_t simt;
    uint32_t bits[SAM_GROUPS]; /* active lanes of the groups; of those that there are not: 0 */
};

/* Numbers in a stream that are no path's. */
enum { REPLAY_MASKS, REPLAY_AGAIN };

/* How the addresses of REPLAY_LANES follow. */
enum {
    REPLAY_NONE,    /* no lane acts */
    REPLAY_STRIDED, /* the address of lane 0, and the stride unless it is 4 */
    REPLAY_EACH,    /* their number in a byte, the addresses */
    REPLAY_SHORT,   /* their number, the lowest, 16-bit distances from it */
    REPLAY_FORM = 3,
    REPLAY_MASKED = 4, /* lanes of its own come first */
    REPLAY_FOUR = 8,
};

enum {
    REPLAY_MOST_ADDRESSES = SAM_GPUTIME_MOST_ADDRESSES,
    REPLAY_MOST_EXTRA = 16 + 4 * REPLAY_MOST_ADDRESSES, /* bytes of one instruction */
};

struct replay_warp {
    struct sam_spool stream;
    struct replay_masks written;
    uint32_t last;    /* path written last; 0: it had extras */
    uint32_t repeats; /* how often it ran again since, not written yet */
    /* the reader */
    struct replay_masks masks;
    const struct replay_path *path; /* NULL: not begun, or nothing is left */
    uint32_t index;                 /* in it */
    uint32_t again;                 /* how often it is still to be repeated */
    const uint8_t *extra;           /* next to be read */
    bool begun;
    uint32_t *addresses; /* REPLAY_MOST_ADDRESSES, once it has begun */
};

struct replay_group {
    uint32_t workgroup;
    struct replay_group *next;
    struct replay_warp warps[];
};

enum { REPLAY_BUCKETS = 1024 };

struct sam_replay {
    struct sam_instrumentation instrumentation;
    struct sam_hooks hooks;
    struct sam_run *run;
    struct sam_worker *worker; /* NULL: everything has run */
    bool failed;               /* out of memory */
    /* code */
    struct replay_site *sites[REPLAY_BUCKETS];
    struct replay_path **paths;
    size_t path_count, path_capacity;
    uint32_t path_heads[REPLAY_BUCKETS]; /* 1 + a path */
    uint32_t generation;                 /* one more when code has changed */
    /* what the running warp has executed and is not yet in its stream: a path, unless `path` is 0,
     * whose last instruction may not have run completely yet, and extras */
    uint32_t path; /* 1 + its number */
    struct sam_warp *warp;
    struct replay_masks masks;
    uint8_t *extras;
    size_t used, capacity, last; /* bytes; `last`: where those of the last instruction begin */
    struct sam_footprint
        *footprint; /* collects what the launch touches; NULL: nobody wants to know */
    /* workgroups */
    struct replay_group *writing;
    struct replay_group *groups[REPLAY_BUCKETS]; /* by workgroup */
    struct sam_spool_store store;
};

/* --- replay.c: groups and reading */

/* Of a run with one worker, before it has run; more than about `limit` bytes of streams wait in a
 * file. Free it before the worker. NULL: out of memory. */
struct sam_replay *sam_replay_new(struct sam_run *run, size_t limit);
void sam_replay_free(struct sam_replay *replay);
/* Whether the workgroup, the next one of the launch or one before it, has run; false: the launch
 * has failed before it, or was stopped. */
bool sam_replay_starts(struct sam_replay *replay, uint32_t workgroup);
/* The next executed instruction of a warp; false after its last. */
bool sam_replay_next(struct sam_replay *replay, uint32_t workgroup, uint32_t warp,
                     struct sam_gputime_op *op);
/* The workgroup is no longer of interest. */
void sam_replay_drop(struct sam_replay *replay, uint32_t workgroup);
/* The instruction at `pc` that was found last; NULL: none has run. */
const struct replay_site *sam_replay_at(const struct sam_replay *replay, uint32_t pc);
/* Run what is left of the launch, without keeping anything of it. */
void sam_replay_finish(struct sam_replay *replay);
/* Run all of the launch and keep it: from now on the feed needs its run, but not its worker. */
void sam_replay_keep(struct sam_replay *replay);

/* --- replay_code.c: sites and paths. NULL, 0: out of memory. */

struct replay_site *sam_replay_site(struct sam_replay *replay, uint32_t pc,
                                    const struct sam_insn *insn, uint32_t prefix);
enum replay_extra sam_replay_extra(const struct sam_insn *insn);
/* 1 + the number of the path of these sites. */
uint32_t sam_replay_path(struct sam_replay *replay, struct replay_site *const *sites,
                         uint32_t count);
/* The same for micro-ops that have run, from `entry` to `past`, in the running page, and for the
 * out-of-line one of a prefix at the end. */
uint32_t sam_replay_path_of(struct sam_replay *replay, const struct sam_core *c,
                            const struct sam_uop *entry, const struct sam_uop *past);
void sam_replay_code_free(struct sam_replay *replay);

/* --- replay_write.c */

/* From now on what sam_core_run runs is recorded, as long as sam_replay_stop follows it. Nothing is
 * decoded yet. */
void sam_replay_in_runs(struct sam_replay *replay, struct sam_code *code);
/* False: the feed has failed. */
bool sam_replay_stop(struct sam_replay *replay, struct sam_warp *warp, enum sam_exit exit);
/* An instruction that was single-stepped. False: the feed has failed. */
bool sam_replay_step(struct sam_replay *replay, const struct sam_warp *warp,
                     const struct sam_insn *insn, const struct sam_step *step);
/* The path from `entry` to `past` has run, except that its last instruction may be about to. */
void sam_replay_end(struct sam_replay *replay, struct sam_core *c, const struct sam_uop *entry,
                    const struct sam_uop *past);
/* Why the feed has failed, for the run of its worker. */
enum sam_pause sam_replay_fail(const struct sam_replay *replay);
/* Write what has run to the stream of its warp. */
void sam_replay_flush(struct sam_replay *replay);
/* The form and the addresses of REPLAY_LANES, at out[0] and after its lanes; returns their end. */
uint8_t *sam_replay_put_each(uint8_t *tag, uint8_t *out, const uint32_t *addresses, unsigned count);
/* For `footprint`: a scalar access; accesses of lanes as recorded from `tag` on, by lanes `usual`
 * if it has no others. */
void sam_replay_touch(struct sam_replay *replay, const struct sam_insn *insn, uint32_t address);
void sam_replay_touch_lanes(struct sam_replay *replay, const struct sam_insn *insn,
                            const uint8_t *tag, uint32_t usual);
/* More room for extras. */
void sam_replay_grow(struct sam_replay *replay);

/* Room for the extras of an instruction; `apart`: out of line. */
static inline uint8_t *sam_replay_room(struct sam_replay *s, bool apart)
{
    if (!apart && s->path)
        sam_replay_flush(s);
    if (SAM_UNLIKELY(s->capacity - s->used < REPLAY_MOST_EXTRA))
        sam_replay_grow(s);
    s->last = s->used;
    return s->extras + s->used;
}

#endif
