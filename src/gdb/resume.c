/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program, forward and backward, and reports stops. All threads stop together. A step runs
 * one warp; others run only while it waits for them at a barrier. */
#include "gdb/gdb.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    PART = 1 << 18,          /* instructions between checks for an interrupt */
    PART_OBSERVED = 1 << 14, /* with `each`, which is slower */
};

/* Signals, by the numbers of gdb. */
enum {
    SIGNAL_INT = 2,
    SIGNAL_ILL = 4,
    SIGNAL_TRAP = 5,
    SIGNAL_ABRT = 6,
    SIGNAL_BUS = 10,
    SIGNAL_SEGV = 11,
    SIGNAL_STOP = 17,
    SIGNAL_XCPU = 24,
};

/* ------------------------------------------------------------------------------ stop replies */

/* Make `thread`, or another one if it has ended, the current thread. */
static void select_thread(struct sam_gdb *gdb, struct sam_gdb_thread thread)
{
    if (!sam_gdb_some_thread(gdb, &thread))
        return;
    if (!sam_gdb_know(gdb, thread.workgroup))
        sam_gdb_end(gdb, SAM_ERR_MEMORY, "out of memory");
    gdb->thread = gdb->resumed = gdb->stopped = thread;
}

/* Append a register as "number:value;", which saves the client a request. */
static void expedite(struct sam_gdb *gdb, unsigned index)
{
    sam_buffer_printf(&gdb->reply, "%02x:", index);
    sam_gdb_show_register(gdb, &gdb->reply, gdb->stopped, index);
    sam_buffer_append(&gdb->reply, ";", 1);
}

/* Send a stop reply. `reason` is "", "swbreak:;", ... */
static void send_stop(struct sam_gdb *gdb, unsigned signal, const char *reason)
{
    enum { SP = 2, FP = 8 };
    if (gdb->over)
        return;
    gdb->reply.size = 0;
    sam_buffer_printf(&gdb->reply, "T%02x%sthread:%" PRIx64 ";", signal, reason,
                      sam_gdb_thread_id(gdb, gdb->stopped));
    expedite(gdb, gdb->layout.pc);
    expedite(gdb, SP);
    expedite(gdb, FP);
    gdb->last_stop.size = 0;
    sam_buffer_append(&gdb->last_stop, gdb->reply.data, gdb->reply.size);
    sam_gdb_send(gdb);
}

void sam_gdb_why(struct sam_gdb *gdb)
{
    if (gdb->last_stop.size)
        sam_gdb_send_text(gdb, sam_buffer_text(&gdb->last_stop));
    else
        send_stop(gdb, SIGNAL_TRAP, "");
}

static void send_exit(struct sam_gdb *gdb, uint64_t code)
{
    char text[8];
    snprintf(text, sizeof text, "W%02x", (unsigned)(code & 0xff));
    sam_gdb_send_text(gdb, text);
}

/* Report that a signal killed the program, and end serving with `status`. */
static void send_killed(struct sam_gdb *gdb, unsigned signal, enum sam_status status,
                        const char *why)
{
    char text[8];
    snprintf(text, sizeof text, "X%02x", signal);
    sam_gdb_send_text(gdb, text);
    sam_gdb_end(gdb, status, why);
}

static unsigned signal_of(enum sam_trap_kind kind)
{
    switch (kind) {
    case SAM_TRAP_ILLEGAL: return SIGNAL_ILL;
    case SAM_TRAP_FETCH_MISALIGNED:
    case SAM_TRAP_LOAD_MISALIGNED:
    case SAM_TRAP_STORE_MISALIGNED: return SIGNAL_BUS;
    case SAM_TRAP_FETCH:
    case SAM_TRAP_LOAD_FAULT:
    case SAM_TRAP_STORE_FAULT:
    case SAM_TRAP_FETCH_PAGE:
    case SAM_TRAP_LOAD_PAGE:
    case SAM_TRAP_STORE_PAGE:
    case SAM_TRAP_PRIVATE_RANGE:
    case SAM_TRAP_STACK_OVERFLOW: return SIGNAL_SEGV;
    case SAM_TRAP_BUDGET: return SIGNAL_XCPU;
    default: return SIGNAL_ABRT;
    }
}

/* The signal of an exception of a hart, by mcause (RISC-V privileged manual). */
static unsigned signal_of_cause(unsigned cause)
{
    enum { CAUSES = 16 };
    static const uint8_t signals[CAUSES] = {
        [0] = SIGNAL_BUS,   [2] = SIGNAL_ILL,   [3] = SIGNAL_TRAP,  [4] = SIGNAL_BUS,
        [6] = SIGNAL_BUS,   [1] = SIGNAL_SEGV,  [5] = SIGNAL_SEGV,  [7] = SIGNAL_SEGV,
        [12] = SIGNAL_SEGV, [13] = SIGNAL_SEGV, [15] = SIGNAL_SEGV,
    };
    return cause < CAUSES && signals[cause] ? signals[cause] : SIGNAL_ABRT;
}

/* Report a trap. The user may repair the program and continue; if nothing has changed and the
 * client passes the signal on, the program ends. */
static void report_trap(struct sam_gdb *gdb, const struct sam_session_stop *stop, const char *text,
                        bool has_signal)
{
    const struct sam_gdb_thread thread = {stop->workgroup, stop->warp};
    const uint64_t time = sam_session_time(gdb->session);
    unsigned signal = signal_of(stop->trap.kind);
    struct sam_step step;
    /* The stop of a hart has no exception cause: step into the exception again. */
    if (!gdb->shape.v_count && sam_session_step(gdb->session, 0, 0, &step, NULL) == SAM_ERR_TRAP)
        signal = step.cause ? signal_of_cause(step.cause) : SIGNAL_BUS;
    if (has_signal && gdb->trap_time == time && gdb->trap_thread.workgroup == thread.workgroup &&
        gdb->trap_thread.warp == thread.warp) {
        send_killed(gdb, signal, SAM_ERR_TRAP, text);
        return;
    }
    gdb->trap_time = time;
    gdb->trap_thread = thread;
    sam_gdb_console(gdb, "samite: ");
    sam_gdb_console(gdb, text);
    sam_gdb_console(gdb, "\n");
    select_thread(gdb, thread);
    send_stop(gdb, signal, "");
}

static const char *break_reason(const struct sam_gdb *gdb, unsigned id)
{
    const struct sam_gdb_point *point = sam_gdb_find_point(gdb, id);
    const bool hardware = point && point->type == 1;
    if (hardware)
        return gdb->hwbreak ? "hwbreak:;" : "";
    return gdb->swbreak ? "swbreak:;" : "";
}

/* "watch:90000000;", with an address inside the watchpoint. */
static void watch_reason(const struct sam_gdb *gdb, const struct sam_session_stop *stop,
                         char text[64])
{
    static const char *const names[] = {[2] = "watch", [3] = "rwatch", [4] = "awatch"};
    const struct sam_gdb_point *point = sam_gdb_find_point(gdb, stop->id);
    text[0] = '\0';
    if (!point)
        return;
    const bool inside = stop->address - point->address < point->size;
    snprintf(text, 64, "%s:%" PRIx64 ";", names[point->type],
             inside ? stop->address : point->address);
}

static void note_thread(struct sam_gdb *gdb, struct sam_gdb_thread thread, const char *what)
{
    char name[64], text[160];
    sam_gdb_thread_name(thread, name);
    snprintf(text, sizeof text, "samite: %s %s\n", name, what);
    sam_gdb_console(gdb, text);
}

/* The result of a run. */
struct outcome {
    enum sam_status status;
    struct sam_session_stop stop;
    struct sam_error error;
    bool interrupted, has_signal, steps, backward;
    bool alone; /* no other thread may run */
};

/* gdb expects RISC-V watchpoints to stop before the access: it then steps over it, in the direction
 * of the run, and compares. Sessions stop after the access, which is right for a backward run; for
 * a forward run, undo the access if the session records. */
static enum sam_status before_access(struct sam_gdb *gdb, const struct outcome *o,
                                     struct sam_error *error)
{
    const uint64_t time = sam_session_time(gdb->session) - 1;
    if (o->backward || !gdb->reverse)
        return SAM_OK;
    const enum sam_status status = sam_session_goto(gdb->session, time, error);
    gdb->watch_time = time;
    sam_gdb_recount(gdb);
    return status;
}

static void report_outcome(struct sam_gdb *gdb, const struct outcome *o)
{
    const struct sam_gdb_thread thread = {o->stop.workgroup, o->stop.warp};
    char reason[64];
    struct sam_error error;
    if (gdb->over)
        return;
    if (o->status == SAM_OK && !o->interrupted && o->stop.reason == SAM_SESSION_WATCH &&
        before_access(gdb, o, &error) != SAM_OK) {
        send_killed(gdb, SIGNAL_ABRT, error.status, error.text);
        return;
    }
    if (o->status != SAM_OK && o->status != SAM_ERR_TRAP) {
        send_killed(gdb, o->status == SAM_ERR_STOPPED ? SIGNAL_INT : SIGNAL_ABRT, o->status,
                    o->error.text);
        return;
    }
    if (o->status == SAM_ERR_TRAP) {
        report_trap(gdb, &o->stop, o->error.text, o->has_signal);
        return;
    }
    struct sam_gdb_thread any = thread;
    if (o->stop.reason == SAM_SESSION_DONE && !sam_gdb_some_thread(gdb, &any)) {
        gdb->result->end = SAM_GDB_EXITED;
        gdb->result->exit_code = o->stop.exit_code;
        if (gdb->last)
            send_exit(gdb, o->stop.exit_code);
        else
            gdb->carry = o->steps ? SAM_GDB_CARRY_STEP : SAM_GDB_CARRY_RUN;
        sam_gdb_end(gdb, SAM_OK, "");
        return;
    }
    if (o->stop.reason == SAM_SESSION_DONE)
        note_thread(gdb, thread, "has ended");
    /* A client that steps over a breakpoint with all other threads stopped takes no other stop:
     * the thread that has ended stays until the next request that runs. */
    if (o->stop.reason == SAM_SESSION_DONE && o->alone) {
        gdb->thread = gdb->resumed = gdb->stopped = thread;
        send_stop(gdb, SIGNAL_TRAP, "");
        return;
    }
    select_thread(gdb, any);
    if (o->interrupted) {
        send_stop(gdb, SIGNAL_INT, "");
        return;
    }
    switch (o->stop.reason) {
    case SAM_SESSION_BREAK: send_stop(gdb, SIGNAL_TRAP, break_reason(gdb, o->stop.id)); break;
    case SAM_SESSION_WATCH:
        watch_reason(gdb, &o->stop, reason);
        send_stop(gdb, SIGNAL_TRAP, reason);
        break;
    case SAM_SESSION_WAITS: /* SIGSTOP, so that the client does not repeat the step */
        note_thread(gdb, thread, "waits at a barrier for others, which may not run");
        send_stop(gdb, SIGNAL_STOP, "");
        break;
    case SAM_SESSION_START: send_stop(gdb, SIGNAL_TRAP, "replaylog:begin;"); break;
    default: send_stop(gdb, SIGNAL_TRAP, ""); break;
    }
}

/* ---------------------------------------------------------------------------------- running */

/* Run in parts until a stop, or an interrupt by the client. */
static void run(struct sam_gdb *gdb, const struct sam_session_run *asked, struct outcome *o)
{
    struct sam_session_run part = *asked;
    part.size = sizeof part;
    part.instructions = asked->each ? PART_OBSERVED : PART;
    do {
        o->status = sam_session_run(gdb->session, &part, &o->stop, &o->error);
        if (o->status != SAM_OK || o->stop.reason != SAM_SESSION_COUNT)
            return;
        if (gdb->options.stop && *gdb->options.stop)
            o->status = sam_fail(&o->error, SAM_ERR_STOPPED, "stopped");
        o->interrupted = sam_gdb_interrupted(gdb);
    } while (o->status == SAM_OK && !o->interrupted);
}

/* Run the other warps of the workgroup until the warp leaves the barrier. Returns false after
 * another stop. */
static bool release(struct sam_gdb *gdb, struct sam_gdb_thread thread, struct outcome *o)
{
    const struct sam_session_run others = {
        .scope = SAM_SCOPE_WORKGROUP, .workgroup = thread.workgroup, .to_release = true};
    struct sam_session_warp warp;
    do {
        run(gdb, &others, o);
        if (o->status != SAM_OK || o->interrupted || o->stop.reason != SAM_SESSION_RELEASED)
            return false;
        o->status = sam_session_warp(gdb->session, thread.workgroup, thread.warp, &warp, &o->error);
    } while (o->status == SAM_OK && warp.state == SAM_WARP_WAITS);
    o->stop = (struct sam_session_stop){.reason = SAM_SESSION_COUNT,
                                        .workgroup = thread.workgroup,
                                        .warp = thread.warp,
                                        .pc = warp.pc};
    return o->status == SAM_OK;
}

/* Whether the next access of this warp is a watched one that was reported: do not stop again. */
static bool is_before_access(struct sam_gdb *gdb, struct sam_gdb_thread thread)
{
    const bool is = gdb->watch_time == sam_session_time(gdb->session) &&
                    gdb->stopped.workgroup == thread.workgroup && gdb->stopped.warp == thread.warp;
    gdb->watch_time = UINT64_MAX;
    return is;
}

/* A range of addresses to step out of; empty: one instruction. */
struct range {
    uint64_t start, end;
};

static bool is_inside(const struct range *range, uint64_t pc)
{
    return range->start <= pc && pc < range->end;
}

static bool stays_inside(void *context, struct sam_session *session, const struct sam_step *step)
{
    (void)session;
    return is_inside(context, step->next_pc);
}

static void step(struct sam_gdb *gdb, struct sam_gdb_thread thread, struct range range, bool others,
                 bool has_signal)
{
    struct outcome o = {.has_signal = has_signal, .steps = true, .alone = !others};
    const struct sam_session_run alone = {.size = sizeof alone,
                                          .scope = SAM_SCOPE_WARP,
                                          .workgroup = thread.workgroup,
                                          .warp = thread.warp,
                                          .instructions = 1,
                                          .each = range.end ? stays_inside : NULL,
                                          .context = &range};
    struct sam_session_run first = alone;
    struct sam_session_warp warp;
    bool known = is_before_access(gdb, thread);
    first.each = NULL;
    first.ignore_stops = true;
    do {
        o.status = sam_session_warp(gdb->session, thread.workgroup, thread.warp, &warp, &o.error);
        if (o.status != SAM_OK)
            break;
        if (warp.state == SAM_WARP_WAITS && others) {
            if (!release(gdb, thread, &o))
                break;
        } else if (range.end && !known) {
            run(gdb, &alone, &o);
        } else {
            o.status = sam_session_run(gdb->session, known ? &first : &alone, &o.stop, &o.error);
            known = false;
        }
        const enum sam_session_reason reason = o.stop.reason;
        if (o.status != SAM_OK || o.interrupted || reason == SAM_SESSION_DONE ||
            (reason != SAM_SESSION_COUNT && reason != SAM_SESSION_ASKED &&
             reason != SAM_SESSION_WAITS))
            break;
        o.status = sam_session_warp(gdb->session, thread.workgroup, thread.warp, &warp, &o.error);
        if (warp.state == SAM_WARP_WAITS)
            o.stop.reason = SAM_SESSION_WAITS;
    } while (o.status == SAM_OK &&
             (warp.state == SAM_WARP_WAITS ? others : is_inside(&range, warp.pc)));
    report_outcome(gdb, &o);
}

/* Run one warp, or with NULL all. */
static void resume(struct sam_gdb *gdb, const struct sam_gdb_thread *only, bool has_signal)
{
    struct outcome o = {.has_signal = has_signal};
    struct sam_session_run all = {.scope = SAM_SCOPE_ALL};
    if (only) {
        all.scope = SAM_SCOPE_WARP;
        all.workgroup = only->workgroup;
        all.warp = only->warp;
    }
    const struct sam_session_run over = {.size = sizeof over,
                                         .scope = SAM_SCOPE_WARP,
                                         .workgroup = gdb->stopped.workgroup,
                                         .warp = gdb->stopped.warp,
                                         .instructions = 1,
                                         .ignore_stops = true};
    if (is_before_access(gdb, gdb->stopped))
        o.status = sam_session_run(gdb->session, &over, &o.stop, &o.error);
    if (o.status == SAM_OK)
        run(gdb, &all, &o);
    report_outcome(gdb, &o);
}

void sam_gdb_carry_on(struct sam_gdb *gdb)
{
    const enum sam_gdb_carry carry = gdb->carry;
    gdb->carry = SAM_GDB_CARRY_NOTHING;
    if (carry == SAM_GDB_CARRY_RUN)
        resume(gdb, NULL, false);
    else if (carry == SAM_GDB_CARRY_STEP)
        send_stop(gdb, SIGNAL_TRAP, "");
}

/* -------------------------------------------------------------------------------- s, c, vCont */

/* The arguments of c, s ([address]) and of C, S (signal[;address]). */
static bool take_start(struct sam_gdb *gdb, struct sam_gdb_text *text, bool has_signal,
                       bool *delivers)
{
    uint64_t signal = 0, address;
    if (has_signal && !sam_gdb_take_number(text, &signal))
        return false;
    *delivers = signal != 0;
    if (sam_gdb_at_end(text))
        return true;
    if ((has_signal && !sam_gdb_take(text, ";")) || !sam_gdb_take_number(text, &address) ||
        !sam_gdb_at_end(text))
        return false;
    return sam_session_set_pc(gdb->session, gdb->resumed.workgroup, gdb->resumed.warp, address,
                              NULL) == SAM_OK;
}

void sam_gdb_continue(struct sam_gdb *gdb, struct sam_gdb_text text, bool has_signal)
{
    bool delivers;
    if (take_start(gdb, &text, has_signal, &delivers))
        resume(gdb, NULL, delivers);
    else
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
}

void sam_gdb_step(struct sam_gdb *gdb, struct sam_gdb_text text, bool has_signal)
{
    bool delivers;
    if (take_start(gdb, &text, has_signal, &delivers) && sam_gdb_lives(gdb, gdb->resumed))
        step(gdb, gdb->resumed, (struct range){0}, true, delivers);
    else
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
}

/* The actions of a vCont: the first that steps, or else the threads that run. */
struct actions {
    bool steps, continues, everyone, delivers;
    struct sam_gdb_thread stepped, continued;
    unsigned continued_count;
    struct range range;
};

/* Parse an action. Nothing runs before the whole packet is valid. */
static enum sam_gdb_error take_action(struct sam_gdb *gdb, struct sam_gdb_text *text,
                                      struct actions *actions)
{
    uint64_t signal = 0;
    struct range range = {0};
    struct sam_gdb_thread thread = gdb->resumed;
    if (sam_gdb_at_end(text))
        return SAM_GDB_BAD;
    const char action = *text->at++;
    if ((action == 'C' || action == 'S') && !sam_gdb_take_number(text, &signal))
        return SAM_GDB_BAD;
    if (action == 'r' && !sam_gdb_take_pair(text, &range.start, ',', &range.end))
        return SAM_GDB_BAD;
    const bool steps = action == 's' || action == 'S' || action == 'r';
    if (!steps && action != 'c' && action != 'C' && action != 't')
        return SAM_GDB_BAD;
    bool everyone = true;
    if (sam_gdb_take(text, ":")) {
        const struct sam_gdb_text start = *text;
        if (!sam_gdb_take_thread(gdb, text, &thread, gdb->resumed))
            return SAM_GDB_NO_THREAD;
        everyone = *start.at == '-';
    }
    if (action == 't') /* all threads are stopped already */
        return SAM_GDB_OK;
    actions->delivers |= signal != 0;
    if (steps && !actions->steps) {
        actions->steps = true;
        actions->stepped = thread;
        actions->range = range;
    } else if (!steps) {
        actions->continues = true;
        actions->everyone |= everyone;
        actions->continued = thread;
        actions->continued_count++;
    }
    return SAM_GDB_OK;
}

void sam_gdb_vcont(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    struct actions actions = {0};
    enum sam_gdb_error error = sam_gdb_at_end(&text) ? SAM_GDB_BAD : SAM_GDB_OK;
    while (error == SAM_GDB_OK && !sam_gdb_at_end(&text))
        error = sam_gdb_take(&text, ";") ? take_action(gdb, &text, &actions) : SAM_GDB_BAD;
    if (error == SAM_GDB_OK && actions.steps && !sam_gdb_lives(gdb, actions.stepped))
        error = SAM_GDB_NO_THREAD;
    if (error != SAM_GDB_OK)
        sam_gdb_send_error(gdb, error);
    else if (actions.steps)
        step(gdb, actions.stepped, actions.range, actions.continues, actions.delivers);
    else if (actions.continues)
        resume(gdb, actions.everyone || actions.continued_count > 1 ? NULL : &actions.continued,
               actions.delivers);
    else
        sam_gdb_why(gdb);
}

/* ----------------------------------------------------------------------------------- reverse */

void sam_gdb_back(struct sam_gdb *gdb, bool by_one)
{
    struct outcome o = {.backward = true};
    const struct sam_gdb_thread now = gdb->resumed;
    if (!gdb->reverse || (by_one && !sam_gdb_lives(gdb, now))) {
        sam_gdb_send_error(gdb, SAM_GDB_INVALID);
        return;
    }
    if (by_one)
        o.status = sam_session_back_warp(gdb->session, now.workgroup, now.warp, &o.stop, &o.error);
    else
        o.status = sam_session_back_before(gdb->session, &o.stop, &o.error);
    /* The client steps over the access itself. */
    if (o.status == SAM_OK && o.stop.reason == SAM_SESSION_WATCH)
        o.status = sam_session_goto(gdb->session, sam_session_time(gdb->session) + 1, &o.error);
    if (o.stop.reason == SAM_SESSION_START) {
        o.stop.workgroup = now.workgroup;
        o.stop.warp = now.warp;
    }
    gdb->trap_time = gdb->watch_time = UINT64_MAX;
    sam_gdb_recount(gdb);
    report_outcome(gdb, &o);
}
