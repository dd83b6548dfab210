/* SPDX-License-Identifier: Apache-2.0 */
/* Running, forward and backward, and telling why it stopped. All threads stop together. A step runs
 * one warp; the others run meanwhile only where it waits for them at a barrier. */
#include "gdb/gdb.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    PART = 1 << 18,          /* instructions between looks at the client */
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

/* The session stands at `thread`, or near it. */
static void come_to(struct sam_gdb *gdb, struct sam_gdb_thread thread)
{
    if (!sam_gdb_some_thread(gdb, &thread))
        return;
    if (!sam_gdb_know(gdb, thread.workgroup))
        sam_gdb_end(gdb, SAM_ERR_MEMORY, "out of memory");
    gdb->thread = gdb->resumed = gdb->stopped = thread;
}

/* Append a register as "number:value;": clients need pc and the frame at once. */
static void expedite(struct sam_gdb *gdb, unsigned index)
{
    sam_buffer_printf(&gdb->reply, "%02x:", index);
    sam_gdb_show_register(gdb, &gdb->reply, gdb->stopped, index);
    sam_buffer_append(&gdb->reply, ";", 1);
}

/* `reason`: "" or "swbreak:;", ... */
static void tell(struct sam_gdb *gdb, unsigned signal, const char *reason)
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
        tell(gdb, SIGNAL_TRAP, "");
}

static void tell_exit(struct sam_gdb *gdb, uint64_t code)
{
    char text[8];
    snprintf(text, sizeof text, "W%02x", (unsigned)(code & 0xff));
    sam_gdb_send_text(gdb, text);
}

/* The program ends by a signal, and serving with `status`. */
static void tell_death(struct sam_gdb *gdb, unsigned signal, enum sam_status status,
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

/* Of a hart's exception, by its cause (RISC-V privileged manual, mcause). */
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

/* The program has failed. Its user looks at it, and may repair it; a client that goes on with the
 * signal lets it end, if nothing has changed. */
static void tell_trap(struct sam_gdb *gdb, const struct sam_session_stop *stop, const char *text,
                      bool has_signal)
{
    const struct sam_gdb_thread thread = {stop->workgroup, stop->warp};
    const uint64_t time = sam_session_time(gdb->session);
    unsigned signal = signal_of(stop->trap.kind);
    struct sam_step step;
    /* The stop of a hart does not say which exception it was; to step into it again does. */
    if (!gdb->shape.v_count && sam_session_step(gdb->session, 0, 0, &step, NULL) == SAM_ERR_TRAP)
        signal = step.cause ? signal_of_cause(step.cause) : SIGNAL_BUS;
    if (has_signal && gdb->trap_time == time && gdb->trap_thread.workgroup == thread.workgroup &&
        gdb->trap_thread.warp == thread.warp) {
        tell_death(gdb, signal, SAM_ERR_TRAP, text);
        return;
    }
    gdb->trap_time = time;
    gdb->trap_thread = thread;
    sam_gdb_console(gdb, "samite: ");
    sam_gdb_console(gdb, text);
    sam_gdb_console(gdb, "\n");
    come_to(gdb, thread);
    tell(gdb, signal, "");
}

static const char *break_reason(const struct sam_gdb *gdb, unsigned id)
{
    const struct sam_gdb_point *point = sam_gdb_find_point(gdb, id);
    const bool hardware = point && point->type == 1;
    if (hardware)
        return gdb->hwbreak ? "hwbreak:;" : "";
    return gdb->swbreak ? "swbreak:;" : "";
}

/* "watch:90000000;": the client looks for a watchpoint that holds the address. */
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

/* What a run has come to. */
struct outcome {
    enum sam_status status;
    struct sam_session_stop stop;
    struct sam_error error;
    bool interrupted, has_signal, steps, backward;
};

/* To gdb, watchpoints of RISC-V stop before the access: it then takes a step over it, in the
 * direction in which it goes, and compares. Sessions stop after it, which is right on the way back;
 * on the way forward the access is taken back, if the past is known. */
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

static void tell_outcome(struct sam_gdb *gdb, const struct outcome *o)
{
    const struct sam_gdb_thread thread = {o->stop.workgroup, o->stop.warp};
    char reason[64];
    struct sam_error error;
    if (gdb->over)
        return;
    if (o->status == SAM_OK && !o->interrupted && o->stop.reason == SAM_SESSION_WATCH &&
        before_access(gdb, o, &error) != SAM_OK) {
        tell_death(gdb, SIGNAL_ABRT, error.status, error.text);
        return;
    }
    if (o->status != SAM_OK && o->status != SAM_ERR_TRAP) {
        tell_death(gdb, o->status == SAM_ERR_STOPPED ? SIGNAL_INT : SIGNAL_ABRT, o->status,
                   o->error.text);
        return;
    }
    if (o->status == SAM_ERR_TRAP) {
        tell_trap(gdb, &o->stop, o->error.text, o->has_signal);
        return;
    }
    struct sam_gdb_thread any = thread;
    if (o->stop.reason == SAM_SESSION_DONE && !sam_gdb_some_thread(gdb, &any)) {
        gdb->result->end = SAM_GDB_EXITED;
        gdb->result->exit_code = o->stop.exit_code;
        if (gdb->last)
            tell_exit(gdb, o->stop.exit_code);
        else
            gdb->carry = o->steps ? SAM_GDB_CARRY_STEP : SAM_GDB_CARRY_RUN;
        sam_gdb_end(gdb, SAM_OK, "");
        return;
    }
    if (o->stop.reason == SAM_SESSION_DONE)
        note_thread(gdb, thread, "has ended");
    come_to(gdb, any);
    if (o->interrupted) {
        tell(gdb, SIGNAL_INT, "");
        return;
    }
    switch (o->stop.reason) {
    case SAM_SESSION_BREAK: tell(gdb, SIGNAL_TRAP, break_reason(gdb, o->stop.id)); break;
    case SAM_SESSION_WATCH:
        watch_reason(gdb, &o->stop, reason);
        tell(gdb, SIGNAL_TRAP, reason);
        break;
    case SAM_SESSION_WAITS: /* alone it will never go on, so that a step must not be tried again */
        note_thread(gdb, thread, "waits at a barrier for others, which may not run");
        tell(gdb, SIGNAL_STOP, "");
        break;
    case SAM_SESSION_START: tell(gdb, SIGNAL_TRAP, "replaylog:begin;"); break;
    default: tell(gdb, SIGNAL_TRAP, ""); break;
    }
}

/* ---------------------------------------------------------------------------------- running */

/* Run in parts until something stops it, or the client does. */
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

/* Let the others of its workgroup run until the warp no longer waits. False: something else stopped
 * them. */
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

/* Whether the session stands before a watched access of this warp that the client knows of, so that
 * it must not stop there again. */
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
    struct outcome o = {.has_signal = has_signal, .steps = true};
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
    tell_outcome(gdb, &o);
}

/* `only`: that warp alone; NULL: all. */
static void go_on(struct sam_gdb *gdb, const struct sam_gdb_thread *only, bool has_signal)
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
    tell_outcome(gdb, &o);
}

void sam_gdb_carry_on(struct sam_gdb *gdb)
{
    const enum sam_gdb_carry carry = gdb->carry;
    gdb->carry = SAM_GDB_CARRY_NOTHING;
    if (carry == SAM_GDB_CARRY_RUN)
        go_on(gdb, NULL, false);
    else if (carry == SAM_GDB_CARRY_STEP)
        tell(gdb, SIGNAL_TRAP, "");
}

/* -------------------------------------------------------------------------------- s, c, vCont */

/* The arguments of c, s (an address) and of C, S (a signal, and perhaps ;address). */
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
        go_on(gdb, NULL, delivers);
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

/* What vCont asks for: its first action that steps, or else whom it lets run. */
struct resume {
    bool steps, continues, everyone, delivers;
    struct sam_gdb_thread stepped, continued;
    unsigned continued_count;
    struct range range;
};

/* One action; nothing has been done so far, so that a bad packet does nothing. */
static enum sam_gdb_error take_action(struct sam_gdb *gdb, struct sam_gdb_text *text,
                                      struct resume *resume)
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
    resume->delivers |= signal != 0;
    if (steps && !resume->steps) {
        resume->steps = true;
        resume->stepped = thread;
        resume->range = range;
    } else if (!steps) {
        resume->continues = true;
        resume->everyone |= everyone;
        resume->continued = thread;
        resume->continued_count++;
    }
    return SAM_GDB_OK;
}

void sam_gdb_vcont(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    struct resume resume = {0};
    enum sam_gdb_error error = sam_gdb_at_end(&text) ? SAM_GDB_BAD : SAM_GDB_OK;
    while (error == SAM_GDB_OK && !sam_gdb_at_end(&text))
        error = sam_gdb_take(&text, ";") ? take_action(gdb, &text, &resume) : SAM_GDB_BAD;
    if (error == SAM_GDB_OK && resume.steps && !sam_gdb_lives(gdb, resume.stepped))
        error = SAM_GDB_NO_THREAD;
    if (error != SAM_GDB_OK)
        sam_gdb_send_error(gdb, error);
    else if (resume.steps)
        step(gdb, resume.stepped, resume.range, resume.continues, resume.delivers);
    else if (resume.continues)
        go_on(gdb, resume.everyone || resume.continued_count > 1 ? NULL : &resume.continued,
              resume.delivers);
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
    /* The client takes the step over the access itself. */
    if (o.status == SAM_OK && o.stop.reason == SAM_SESSION_WATCH)
        o.status = sam_session_goto(gdb->session, sam_session_time(gdb->session) + 1, &o.error);
    if (o.stop.reason == SAM_SESSION_START) {
        o.stop.workgroup = now.workgroup;
        o.stop.warp = now.warp;
    }
    gdb->trap_time = gdb->watch_time = UINT64_MAX;
    sam_gdb_recount(gdb);
    tell_outcome(gdb, &o);
}
