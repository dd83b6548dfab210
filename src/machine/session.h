/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the sessions of all machines: the public functions, breakpoints and watchpoints,
 * history. A machine's session begins with struct sam_session and provides its operations. */
#ifndef SAM_SESSION_H
#define SAM_SESSION_H

#include "machine/machine.h"
#include "machine/step.h"
#include "machine/watch.h"
#include "samite/session.h"

struct sam_session_ops {
    void (*close)(struct sam_session *session);
    void (*shape)(const struct sam_session *session, struct sam_session_shape *shape);
    uint32_t (*workgroup)(const struct sam_session *session, uint64_t index);
    enum sam_session_state (*state)(const struct sam_session *session, uint32_t workgroup);
    /* The core of a warp; starts its workgroup if necessary. */
    enum sam_status (*find)(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                            struct sam_core **core, struct sam_error *error);
    void (*warp)(struct sam_session *session, struct sam_core *core,
                 struct sam_session_warp *state);
    /* NULL: no such register. */
    uint32_t *(*v)(struct sam_session *session, struct sam_core *core, unsigned number);
    enum sam_status (*step)(struct sam_session *session, struct sam_core *core,
                            struct sam_step *step, struct sam_error *error);
    /* Fills *stop, which is cleared before, except for `instructions`. */
    enum sam_status (*run)(struct sam_session *session, const struct sam_session_run *run,
                           struct sam_session_stop *stop, struct sam_error *error);
    enum sam_status (*finish)(struct sam_session *session, struct sam_gpu_result *result,
                              struct sam_error *error);
    void (*set_pc)(struct sam_session *session, struct sam_core *core, uint64_t pc);
    enum sam_status (*set_csr)(struct sam_session *session, struct sam_core *core, unsigned address,
                               uint64_t value, struct sam_error *error);
    enum sam_status (*stack)(struct sam_session *session, struct sam_core *core,
                             struct sam_stack_entry *entries, size_t room, size_t *depth,
                             struct sam_error *error);
    enum sam_status (*set_stack)(struct sam_session *session, struct sam_core *core, uint32_t mask,
                                 const struct sam_stack_entry *entries, size_t depth,
                                 struct sam_error *error);
    /* Copy from or to memory; with data NULL, only check the range. */
    enum sam_status (*access)(struct sam_session *session, uint32_t workgroup, uint64_t address,
                              void *data, size_t size, bool write, struct sam_error *error);
    enum sam_status (*private_)(struct sam_session *session, struct sam_core *core, uint32_t lane,
                                uint32_t offset, uint64_t *address, struct sam_error *error);
    /* History: save and restore the state outside memory. save returns NULL on out-of-memory. */
    enum sam_status (*can_save)(struct sam_session *session, struct sam_error *error);
    void *(*save)(struct sam_session *session);
    enum sam_status (*load)(struct sam_session *session, const void *state,
                            struct sam_error *error);
    void (*forget)(struct sam_session *session, void *state);
    /* Suppress logs and prints up to this instruction count. */
    void (*show)(struct sam_session *session, uint64_t later);
    /* Do not report the stop that the core is at again. */
    void (*pass)(struct sam_session *session, struct sam_core *core);
};

/* A breakpoint or watchpoint. Watchpoints have the order of watches.list. */
struct sam_point {
    unsigned id;
    bool watches;
    union {
        struct sam_session_break at;
        struct sam_session_watch of;
    };
};

struct sam_session {
    const struct sam_session_ops *ops;
    struct sam_tlb *tlb;
    struct sam_code *code;
    struct sam_watches watches;
    struct sam_point *points;
    size_t point_count, point_capacity;
    unsigned last_id;
    bool busy;                   /* a callback is running */
    struct sam_history *history; /* NULL: no history is kept */
    uint64_t time;
};

void sam_session_init(struct sam_session *session, const struct sam_session_ops *ops,
                      struct sam_tlb *tlb, struct sam_code *code);
/* Frees everything except `session` itself. */
void sam_session_release(struct sam_session *session);
/* SAM_ERR_USAGE if `session` is NULL or in a callback, during which it must not run or change. */
enum sam_status sam_session_check(const struct sam_session *session, struct sam_error *error);
/* Call before a core runs: watch its accesses, if `stops`, and its pc. */
void sam_session_arm(struct sam_session *session, struct sam_core *core, uint32_t workgroup,
                     uint32_t warp, bool stops);
/* Whether a core at a breakpoint's address stops there; `lanes` are active. Fills stop->reason and
 * id. */
bool sam_session_breaks(struct sam_session *session, const struct sam_core *core,
                        uint32_t workgroup, uint32_t warp, uint32_t lanes,
                        struct sam_session_stop *stop);
/* Whether a core that has just made a watched access stops. Fills *stop. */
bool sam_session_watched(struct sam_session *session, const struct sam_core *core,
                         uint32_t workgroup, uint32_t warp, struct sam_session_stop *stop);
/* Call run->each. */
bool sam_session_each(struct sam_session *session, const struct sam_session_run *run,
                      const struct sam_step *step);

#endif
