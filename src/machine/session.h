/* SPDX-License-Identifier: Apache-2.0 */
/* What the sessions of all machines share: the public functions, break- and watchpoints, and time.
 * A machine's session begins with struct sam_session and brings the operations. */
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
    /* The core of a warp, which starts if it has not yet. */
    enum sam_status (*find)(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                            struct sam_core **core, struct sam_error *error);
    void (*warp)(struct sam_session *session, struct sam_core *core,
                 struct sam_session_warp *state);
    /* NULL: no such register. */
    uint32_t *(*v)(struct sam_session *session, struct sam_core *core, unsigned number);
    enum sam_status (*step)(struct sam_session *session, struct sam_core *core,
                            struct sam_step *step, struct sam_error *error);
    /* `stop` is cleared; the operation fills it but for `instructions`. */
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
    /* Copy from or to memory; data NULL: check only. */
    enum sam_status (*access)(struct sam_session *session, uint32_t workgroup, uint64_t address,
                              void *data, size_t size, bool write, struct sam_error *error);
    enum sam_status (*private_)(struct sam_session *session, struct sam_core *core, uint32_t lane,
                                uint32_t offset, uint64_t *address, struct sam_error *error);
    /* The past (history.h). The state apart from memory: NULL: out of memory. */
    enum sam_status (*can_save)(struct sam_session *session, struct sam_error *error);
    void *(*save)(struct sam_session *session);
    enum sam_status (*load)(struct sam_session *session, const void *state,
                            struct sam_error *error);
    void (*forget)(struct sam_session *session, void *state);
    /* After so many instructions everything is new: logs and prints go out again. */
    void (*show)(struct sam_session *session, uint64_t later);
    /* The user knows of the stop at which the core is. */
    void (*pass)(struct sam_session *session, struct sam_core *core);
};

/* A break- or watchpoint. Watchpoints are in the order of watches.list. */
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
    bool busy;                   /* a callback runs */
    struct sam_history *history; /* NULL: none is kept */
    uint64_t time;
};

void sam_session_init(struct sam_session *session, const struct sam_session_ops *ops,
                      struct sam_tlb *tlb, struct sam_code *code);
/* Without `session` itself. */
void sam_session_release(struct sam_session *session);
/* May its user run or change it now? SAM_ERR_USAGE: it is NULL, or a callback of it runs. */
enum sam_status sam_session_check(const struct sam_session *session, struct sam_error *error);
/* A core is about to run: watch its accesses if `stops`, and its pc. */
void sam_session_arm(struct sam_session *session, struct sam_core *core, uint32_t workgroup,
                     uint32_t warp, bool stops);
/* Whether the core, which is at an address of sam_code_add_breakpoint, stops at a breakpoint there;
 * `lanes` are active. Fills stop->reason and id. */
bool sam_session_breaks(struct sam_session *session, const struct sam_core *core,
                        uint32_t workgroup, uint32_t warp, uint32_t lanes,
                        struct sam_session_stop *stop);
/* Whether the core, which has just made a watched access, stops at a watchpoint. Fills stop. */
bool sam_session_watched(struct sam_session *session, const struct sam_core *core,
                         uint32_t workgroup, uint32_t warp, struct sam_session_stop *stop);
/* Call run->each. */
bool sam_session_each(struct sam_session *session, const struct sam_session_run *run,
                      const struct sam_step *step);

#endif
