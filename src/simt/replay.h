/* SPDX-License-Identifier: Apache-2.0 */
/* Recording of a launch's executed instructions, for a time model to replay. A workgroup runs, as
 * in any launch, when the first of its instructions is requested; its recording is kept until it is
 * read.
 *
 * A warp's stream is a sequence of paths, straight-line pieces of code that are stored once, each
 * with what the code does not determine: masks, when they change, and addresses. Paths are recorded
 * by instrumented code or by single steps. */
#ifndef SAM_SIMT_REPLAY_H
#define SAM_SIMT_REPLAY_H

#include "gputime/gputime.h"
#include "simt/footprint.h"
#include "simt/observe.h"
#include "simt/spool.h"

/* Data recorded per execution of an instruction. */
enum replay_extra {
    REPLAY_NOTHING,
    REPLAY_MASK,    /* acting lanes, of a masked instruction */
    REPLAY_TAKEN,   /* lanes that branch */
    REPLAY_ADDRESS, /* one address */
    REPLAY_LANES,   /* acting lanes and addresses */
};

/* An instruction of the program. */
struct replay_site {
    struct sam_insn insn;
    uint32_t pc, prefix;
    uint8_t extra; /* enum replay_extra */
    uint8_t bytes; /* per access */
    bool vector;
    uint32_t alone; /* 1 + the path of only this instruction; 0: none yet */
    struct replay_site *next;
};

/* A straight-line piece of code. */
struct replay_path {
    uint32_t next; /* 1 + the next path with the same hash; 0: none */
    uint32_t count;
    struct replay_site *sites[];
};

/* The warp state that instructions depend on. */
struct replay_masks {
    uint32_t simt;
    uint32_t bits[SAM_GROUPS]; /* active lanes by group; 0 for groups beyond LMUL */
};

/* Path numbers in a stream with another meaning. */
enum { REPLAY_MASKS, REPLAY_AGAIN };

/* Encodings of REPLAY_LANES addresses. */
enum {
    REPLAY_NONE,    /* no active lane */
    REPLAY_STRIDED, /* the address of lane 0, and the stride unless it is 4 */
    REPLAY_EACH,    /* their count as a byte, the addresses */
    REPLAY_SHORT,   /* their count, the lowest address, 16-bit offsets from it */
    REPLAY_FORM = 3,
    REPLAY_MASKED = 4, /* preceded by the acting lanes */
    REPLAY_FOUR = 8,
};

enum {
    REPLAY_MOST_ADDRESSES = SAM_GPUTIME_MOST_ADDRESSES,
    REPLAY_MOST_EXTRA = 16 + 4 * REPLAY_MOST_ADDRESSES, /* bytes per instruction */
};

struct replay_warp {
    struct sam_spool stream;
    struct replay_masks written;
    uint32_t last;    /* the path written last; 0: it had extras */
    uint32_t repeats; /* repetitions of `last` not written yet */
    /* reading */
    struct replay_masks masks;
    const struct replay_path *path; /* NULL: not begun, or at the end */
    uint32_t index;                 /* in the path */
    uint32_t again;                 /* repetitions left */
    const uint8_t *extra;           /* extras not read yet */
    bool begun;
    uint32_t *addresses; /* REPLAY_MOST_ADDRESSES of them, allocated on the first read */
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
    uint32_t path_heads[REPLAY_BUCKETS]; /* 1 + a path number */
    uint32_t generation;                 /* incremented when code changes */
    /* executed by the running warp but not written to its stream yet: a path, unless `path` is 0,
     * whose last instruction may still be executing, and its extras */
    uint32_t path; /* 1 + a path number */
    struct sam_warp *warp;
    struct replay_masks masks;
    uint8_t *extras;
    size_t used, capacity, last; /* bytes; `last`: the offset of the last instruction's extras */
    struct sam_footprint *footprint; /* records the footprint of the launch, unless NULL */
    /* workgroups */
    struct replay_group *writing;
    struct replay_group *groups[REPLAY_BUCKETS]; /* by workgroup */
    struct sam_spool_store store;
};

/* --- replay.c: groups and reading */

/* Create it for a run with one worker, before it runs; free it before the worker. Streams beyond
 * about `limit` bytes are kept in a temporary file. Returns NULL on out-of-memory. */
struct sam_replay *sam_replay_new(struct sam_run *run, size_t limit);
void sam_replay_free(struct sam_replay *replay);
/* Run workgroups up to this one, which is at most the next of the launch. Returns false if the
 * launch has failed before it, or was stopped. */
bool sam_replay_starts(struct sam_replay *replay, uint32_t workgroup);
/* Read the next executed instruction of a warp. Returns false after the last one. */
bool sam_replay_next(struct sam_replay *replay, uint32_t workgroup, uint32_t warp,
                     struct sam_gputime_op *op);
/* Discard the recording of a workgroup. */
void sam_replay_drop(struct sam_replay *replay, uint32_t workgroup);
/* Decode the extras of an instruction at `w->extra`, and advance it. */
void sam_replay_read_extra(struct replay_warp *w, const struct replay_site *site,
                           struct sam_gputime_op *op);
/* The latest instruction recorded at `pc`, or NULL. */
const struct replay_site *sam_replay_at(const struct sam_replay *replay, uint32_t pc);
/* Run the rest of the launch without recording it. */
void sam_replay_finish(struct sam_replay *replay);
/* Run the whole launch and keep its recording, which needs the run but no longer the worker. */
void sam_replay_keep(struct sam_replay *replay);

/* --- replay_code.c: sites and paths. NULL, 0: out of memory. */

struct replay_site *sam_replay_site(struct sam_replay *replay, uint32_t pc,
                                    const struct sam_insn *insn, uint32_t prefix);
enum replay_extra sam_replay_extra(const struct sam_insn *insn);
/* Returns 1 + the number of the path of these sites. */
uint32_t sam_replay_path(struct sam_replay *replay, struct replay_site *const *sites,
                         uint32_t count);
/* The same for executed micro-ops of the running page, from `entry` up to `past`, and the
 * out-of-line one of a trailing prefix. */
uint32_t sam_replay_path_of(struct sam_replay *replay, const struct sam_core *c,
                            const struct sam_uop *entry, const struct sam_uop *past);
void sam_replay_code_free(struct sam_replay *replay);

/* --- replay_write.c */

/* Record runs of sam_core_run by instrumenting `code`, before anything is decoded; sam_replay_stop
 * must follow each run. */
void sam_replay_in_runs(struct sam_replay *replay, struct sam_code *code);
/* Returns false if recording has failed. */
bool sam_replay_stop(struct sam_replay *replay, struct sam_warp *warp, enum sam_exit exit);
/* Record a single step. Returns false if recording has failed. */
bool sam_replay_step(struct sam_replay *replay, const struct sam_warp *warp,
                     const struct sam_insn *insn, const struct sam_step *step);
/* Record the block from `entry` up to `past`; its last instruction may be about to run. */
void sam_replay_end(struct sam_replay *replay, struct sam_core *c, const struct sam_uop *entry,
                    const struct sam_uop *past);
/* Report the failure of the recording to its run. */
enum sam_pause sam_replay_fail(const struct sam_replay *replay);
/* Write the executed path to the stream of its warp. */
void sam_replay_flush(struct sam_replay *replay);
/* Encode addresses, with the form in *tag and the data at `out`; returns the end. */
uint8_t *sam_replay_put_each(uint8_t *tag, uint8_t *out, const uint32_t *addresses, unsigned count);
/* Grow the extras. */
void sam_replay_grow(struct sam_replay *replay);

/* Reserve space for the extras of an instruction; `apart`: it is out of line. */
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
