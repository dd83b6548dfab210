/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of a launch opened as a session: a table of workgroups, which start on first
 * access, and one worker that runs them. */
#ifndef SAM_GPU_SESSION_H
#define SAM_GPU_SESSION_H

#include "machine/session.h"
#include "simt/simt.h"

#define SAM_GPU_SESSION_BLOCK 1024u /* workgroups per block of the table */

struct sam_gpu_session_block {
    struct sam_group *groups[SAM_GPU_SESSION_BLOCK]; /* NULL: not live */
    uint8_t listed[SAM_GPU_SESSION_BLOCK / 8];       /* bit set of selected workgroups */
    uint8_t ended[SAM_GPU_SESSION_BLOCK / 8];
};

struct sam_gpu_session {
    struct sam_session base; /* must be first: sam_gpu_session_of */
    struct sam_gpu gpu;      /* options as of opening; the memory is the original's */
    struct sam_launch launch;
    struct sam_run run;
    struct sam_worker worker;
    struct sam_pace pace;
    const struct sam_session_run *asked; /* the current run */
    uint32_t *list;                      /* selected workgroups; NULL: all */
    uint64_t count;                      /* of them */
    uint64_t next;                       /* index of the first workgroup that may not have ended */
    struct sam_gpu_session_block *
        *blocks; /* by workgroup / SAM_GPU_SESSION_BLOCK, allocated on first use */
    size_t block_count;
    struct sam_group **live;
    size_t live_count, live_capacity;
    struct sam_group *spare; /* an ended group's memory, for reuse */
    bool keep, retry;
    uint32_t *ended; /* ended workgroups, sorted, while there is a history */
    size_t ended_count, ended_capacity;
    bool lost; /* an allocation has failed */
};

static inline struct sam_gpu_session *sam_gpu_session_of(const struct sam_session *base)
{
    return (struct sam_gpu_session *)(void *)(uintptr_t)base;
}

/* session_table.c */

enum sam_session_state sam_gpu_session_state(const struct sam_gpu_session *s, uint32_t workgroup);
/* The workgroup at `index` in session order, or UINT32_MAX. */
uint32_t sam_gpu_session_nth(const struct sam_session *base, uint64_t index);
/* Select the session's workgroups. */
enum sam_status sam_gpu_session_take_list(struct sam_gpu_session *s,
                                          const struct sam_session_options *options,
                                          struct sam_error *error);
/* The group of a workgroup, started if necessary. */
enum sam_status sam_gpu_session_group(struct sam_gpu_session *s, uint32_t workgroup,
                                      struct sam_group **group, struct sam_error *error);
/* Map a group's local memory, and restore private memory that it shares with others
 * (options.fit_pds). Returns false on out-of-memory. */
bool sam_gpu_session_enter(struct sam_gpu_session *s, struct sam_group *group);
struct sam_group *sam_gpu_session_found(struct sam_gpu_session *s, const struct sam_warp *w);
/* Handle the end of a group's last warp. */
void sam_gpu_session_end(struct sam_gpu_session *s, struct sam_group *group);
/* Remove a live group, whose workgroup is new again or has ended. */
void sam_gpu_session_drop_group(struct sam_gpu_session *s, struct sam_group *group);
/* For restoring state: a fresh group for a workgroup that is not live, with private memory
 * untouched; an ended workgroup counts as started again. Returns NULL on out-of-memory. */
struct sam_group *sam_gpu_session_revive(struct sam_gpu_session *s, uint32_t workgroup);
void sam_gpu_session_revert(struct sam_gpu_session *s, uint32_t workgroup);
void sam_gpu_session_release_table(struct sam_gpu_session *s);

/* session_state.c: registers and memory; see struct sam_session_ops. */
void sam_gpu_session_set_pc(struct sam_session *base, struct sam_core *core, uint64_t pc);
enum sam_status sam_gpu_session_set_csr(struct sam_session *base, struct sam_core *core,
                                        unsigned address, uint64_t value, struct sam_error *error);
enum sam_status sam_gpu_session_stack(struct sam_session *base, struct sam_core *core,
                                      struct sam_stack_entry *entries, size_t room, size_t *depth,
                                      struct sam_error *error);
enum sam_status sam_gpu_session_set_stack(struct sam_session *base, struct sam_core *core,
                                          uint32_t mask, const struct sam_stack_entry *entries,
                                          size_t depth, struct sam_error *error);
enum sam_status sam_gpu_session_access(struct sam_session *base, uint32_t workgroup,
                                       uint64_t address, void *data, size_t size, bool write,
                                       struct sam_error *error);
enum sam_status sam_gpu_session_private(struct sam_session *base, struct sam_core *core,
                                        uint32_t lane, uint32_t offset, uint64_t *address,
                                        struct sam_error *error);

/* session_save.c; see struct sam_session_ops. */
void *sam_gpu_session_save(struct sam_session *base);
enum sam_status sam_gpu_session_load(struct sam_session *base, const void *state,
                                     struct sam_error *error);
void sam_gpu_session_forget(struct sam_session *base, void *state);
void sam_gpu_session_show(struct sam_session *base, uint64_t later);

/* session.c: the failure that a pause reported; clears it. */
enum sam_status sam_gpu_session_failure(struct sam_gpu_session *s, struct sam_trap *trap,
                                        struct sam_error *error);

#endif
