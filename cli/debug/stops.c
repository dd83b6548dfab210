/* SPDX-License-Identifier: Apache-2.0 */
/* The location of the focus, and stop reasons. */
#include <stdlib.h>

#include "debugger.h"

bool stop_fetch(struct debug *d, uint64_t address, uint32_t *word)
{
    uint8_t bytes[4];
    if (sam_session_read(d->session, d->focus.workgroup, address, bytes, sizeof bytes, NULL) !=
        SAM_OK)
        return false;
    *word = (uint32_t)value_bits(bytes, sizeof bytes);
    return true;
}

/* REGEXT and REGPAIR change the next instruction; both are shown together. */
static uint32_t prefix_before(struct debug *d, uint64_t address, bool next)
{
    struct sam_session_warp warp;
    uint32_t word;
    if (next && debug_warp(d, &warp, NULL) == SAM_OK && warp.pc == address)
        return warp.prefix;
    if (!d->shape.v_count || !stop_fetch(d, address - 4, &word))
        return 0;
    char text[64];
    sam_disassemble(&d->shape.isa, word, address - 4, 0, NULL, text, sizeof text);
    return strncmp(text, "regext", 6) == 0 || strncmp(text, "regpair", 7) == 0 ? word : 0;
}

bool stop_disassemble(struct debug *d, uint64_t address, bool next, uint32_t *word, char *text,
                      size_t size)
{
    if (!stop_fetch(d, address, word))
        return false;
    sam_disassemble(&d->shape.isa, *word, address, prefix_before(d, address, next), d->image, text,
                    size);
    return true;
}

bool stop_instruction(struct debug *d, uint64_t address, bool next)
{
    char name[160], text[160];
    uint32_t word;
    const int digits = d->shape.isa.xlen == 32 ? 8 : 16;
    sam_image_describe(d->image, address, name, sizeof name);
    const bool named = d->image && sam_image_symbol_at(d->image, address);
    debug_say(d, "%s 0x%0*llx%s%s%s:\t", next ? "=>" : "  ", digits, (unsigned long long)address,
              named ? " <" : "", named ? name : "", named ? ">" : "");
    const bool found = stop_disassemble(d, address, next, &word, text, sizeof text);
    debug_say(d, "%s\n", found ? text : "(no memory)");
    return found;
}

static void show_focus(struct debug *d)
{
    if (d->focus.workgroup == d->shown_focus.workgroup && d->focus.warp == d->shown_focus.warp)
        return;
    debug_say(d, "[workgroup %u warp %u]\n", d->focus.workgroup, d->focus.warp);
    d->shown_focus = d->focus;
    d->shown_mask = debug_all_lanes(d);
}

/* Reported on change: divergence and its end. */
static void show_mask(struct debug *d, const struct sam_session_warp *warp)
{
    if (!d->shape.v_count || warp->mask == d->shown_mask)
        return;
    d->shown_mask = warp->mask;
    if (warp->mask == debug_all_lanes(d) && !warp->depth)
        debug_say(d, "[all lanes are active]\n");
    else
        debug_say(d, "[active lanes 0x%08x, SIMT stack %u deep]\n", warp->mask, warp->depth);
}

void stop_show_place(struct debug *d, bool whole, const char *prefix)
{
    struct sam_session_warp warp;
    struct sam_error error;
    char place[512];
    uint32_t line;
    show_focus(d);
    if (debug_warp(d, &warp, &error) != SAM_OK) {
        debug_say(d, "[%s]\n", error.text);
        return;
    }
    if (warp.state == SAM_WARP_ENDED) {
        if (d->shape.v_count)
            debug_say(d, "[workgroup %u warp %u has ended]\n", d->focus.workgroup, d->focus.warp);
        return;
    }
    show_mask(d, &warp);
    const char *file = source_at(d, warp.pc, &line);
    const char *text = file ? source_text(d, file, line) : NULL;
    source_describe(d, warp.pc, place, sizeof place);
    if (whole)
        debug_say(d, "%s%s\n", prefix, place);
    if (file)
        d->list_line = 0;
    if (text && file) {
        if (source_is(d, warp.pc - 4, file, line)) /* in the middle of it */
            debug_say(d, "0x%llx\t", (unsigned long long)warp.pc);
        debug_say(d, "%u\t%s\n", line, text);
    } else {
        stop_instruction(d, warp.pc, true);
    }
    if (warp.state == SAM_WARP_WAITS)
        debug_say(d, "[waits at the barrier for other warps]\n");
}

/* ------------------------------------------------------------------------------- watchpoints */

static uint32_t touching(const struct sam_step *step, const struct point *p)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < step->access_count && i < SAM_STEP_ACCESSES; i++) {
        const struct sam_step_access *a = &step->access[i];
        if (a->lane < 32 && a->address < p->address + p->size && a->address + a->size > p->address)
            lanes |= UINT32_C(1) << a->lane;
    }
    return lanes;
}

/* The lanes of the access that has just stopped: the instruction is undone and repeated. 0:
 * none, or not known. */
static uint32_t lanes_of_access(struct debug *d, const struct sam_session_stop *stop,
                                const struct point *p)
{
    const uint64_t now = sam_session_time(d->session);
    struct sam_step *step;
    uint32_t lanes = 0;
    if (!d->records || !d->shape.v_count || !now || !(step = calloc(1, sizeof *step)))
        return 0;
    if (sam_session_goto(d->session, now - 1, NULL) == SAM_OK) {
        if (sam_session_step(d->session, stop->workgroup, stop->warp, step, NULL) == SAM_OK)
            lanes = touching(step, p);
    }
    free(step);
    return lanes;
}

void stop_name_lanes(uint32_t lanes, char *text, size_t size)
{
    const int first = __builtin_ctz(lanes);
    const uint32_t run = lanes >> first;
    *text = '\0';
    if (run == 1)
        snprintf(text, size, " lane %d", first);
    else if ((run & (run + 1)) == 0)
        snprintf(text, size, " lanes %d-%d", first, 31 - __builtin_clz(lanes));
    else
        snprintf(text, size, " lanes 0x%08x", lanes);
}

static void show_bytes(struct debug *d, const char *what, uint64_t bits, uint32_t size)
{
    const struct value value = value_integer(value_signed(size), bits);
    char decimal[64], hex[64];
    value_text(&value, 0, 'd', NULL, decimal, sizeof decimal);
    value_text(&value, 0, 'z', NULL, hex, sizeof hex);
    debug_say(d, "%s = %s (%s)\n", what, decimal, hex);
}

static void report_watch(struct debug *d, const struct sam_session_stop *stop,
                         const struct point *p)
{
    char place[512], lanes[32] = "", warp[64] = "";
    const uint32_t found = p ? lanes_of_access(d, stop, p) : 0;
    source_describe(d, stop->access_pc, place, sizeof place);
    if (found)
        stop_name_lanes(found, lanes, sizeof lanes);
    if (d->shape.v_count)
        snprintf(warp, sizeof warp, " by workgroup %u warp %u%s", stop->workgroup, stop->warp,
                 lanes);
    if (p)
        debug_say(d, "Watchpoint %u: %s\n", p->number, p->what);
    if (!stop->size) {
        debug_say(d, "%s from 0x%llx on%s at %s\n", stop->store ? "store" : "load",
                  (unsigned long long)stop->address, warp, place);
        return;
    }
    debug_say(d, "%s of %u byte%s at 0x%llx%s at %s\n", stop->store ? "store" : "load", stop->size,
              stop->size == 1 ? "" : "s", (unsigned long long)stop->address, warp, place);
    if (stop->store) {
        show_bytes(d, "Old value", stop->before, stop->size);
        show_bytes(d, "New value", stop->after, stop->size);
    } else {
        show_bytes(d, "Value", stop->before, stop->size);
    }
}

/* ----------------------------------------------------------------------------------- reasons */

static void report_end(struct debug *d, const struct sam_session_stop *stop)
{
    for (uint64_t i = 0; i < d->shape.workgroups; i++) {
        const uint32_t workgroup = sam_session_workgroup(d->session, i);
        if (sam_session_workgroup_state(d->session, workgroup) != SAM_SESSION_ENDED) {
            stop_show_place(d, true, "");
            return;
        }
    }
    d->state = DEBUG_ENDED;
    if (d->run->hart) {
        d->run->exit_code = stop->exit_code;
        debug_say(d, "[the program has exited with code %llu]\n",
                  (unsigned long long)stop->exit_code);
        return;
    }
    debug_say(d, "[launch %u (%s) has ended after %llu instructions%s]\n", d->run->number,
              d->run->name, (unsigned long long)sam_session_time(d->session),
              d->run->number + 1 < d->run->count ? "; continue goes on to the next" : "");
}

static void report_break(struct debug *d, const struct sam_session_stop *stop,
                         const struct point *p, char *before, size_t size)
{
    if (stop->id == d->until_id && d->until_id) {
        debug_say(d, "[the program has reached --until]\n");
        d->at_end = true;
    }
    if (!p)
        return;
    snprintf(before, size, "%s %u, ", p->temporary ? "Temporary breakpoint" : "Breakpoint",
             p->number);
    if (p->has_lane)
        d->focus.lane = p->lane;
}

/* A condition that cannot be evaluated stops the run and is reported. */
static void report_problem(struct debug *d, struct point *p)
{
    if (!p->problem[0])
        return;
    debug_say(d, "[the condition of %u: %s]\n", p->number, p->problem);
    p->problem[0] = '\0';
}

void stop_show_displays(struct debug *d)
{
    struct sam_error error;
    for (size_t i = 0; i < d->display_count; i++)
        if (display_show(d, &d->displays[i], &error) != SAM_OK)
            debug_say(d, "%u: %s = <%s>\n", d->displays[i].number, d->displays[i].text, error.text);
}

/* The state shown to the user. */
static void see(struct debug *d)
{
    struct sam_session_warp warp;
    const bool found = debug_warp(d, &warp, NULL) == SAM_OK;
    d->seen.workgroup = d->focus.workgroup;
    d->seen.warp = d->focus.warp;
    d->seen.instructions = found ? warp.instructions : UINT64_MAX;
    d->seen.pc = warp.pc;
}

/* Whether a step has entered another function. */
static bool enters_function(struct debug *d)
{
    const struct sam_image *image = d->image;
    return image && sam_image_function_at(image, d->stepped_from) !=
                        sam_image_function_at(image, debug_pc(d));
}

void stop_report(struct debug *d, const struct sam_session_stop *stop,
                 const struct sam_error *error)
{
    struct point *p = points_of(d, stop->id);
    char before[64] = "";
    d->stop = *stop;
    d->stop_point = p ? p->number : 0;
    snprintf(d->stop_text, sizeof d->stop_text, "%s",
             stop->reason == SAM_SESSION_TRAP ? error->text : "");
    d->state = DEBUG_LIVE;
    d->started = true;
    d->at_end = false;
    const bool elsewhere = stop->workgroup != d->focus.workgroup || stop->warp != d->focus.warp;
    if (stop->reason != SAM_SESSION_DONE && stop->reason != SAM_SESSION_RELEASED && elsewhere) {
        d->focus.workgroup = stop->workgroup;
        d->focus.warp = stop->warp;
    }
    const bool stepped = stop->reason == SAM_SESSION_COUNT || stop->reason == SAM_SESSION_ASKED;
    switch (stop->reason) {
    case SAM_SESSION_DONE: report_end(d, stop); return;
    case SAM_SESSION_BREAK: report_break(d, stop, p, before, sizeof before); break;
    case SAM_SESSION_WATCH: report_watch(d, stop, p); break;
    case SAM_SESSION_TRAP:
        d->state = DEBUG_TRAPPED;
        fflush(d->out);
        if (d->options->sealed)
            debug_say(d, "%s\n", error->text);
        else
            cli_report(error);
        break;
    case SAM_SESSION_EBREAK:
        debug_say(d, "[ebreak]\n");
        d->at_end = true;
        break;
    case SAM_SESSION_STOPPED: debug_say(d, "[stopped]\n"); break;
    case SAM_SESSION_START: debug_say(d, "[the beginning of what is recorded]\n"); break;
    case SAM_SESSION_COUNT:
    case SAM_SESSION_ASKED:
        if (stop->instructions && (p = points_stepped_on(d))) {
            d->stop_point = p->number;
            report_break(d, stop, p, before, sizeof before);
        }
        break;
    case SAM_SESSION_RELEASED:
    case SAM_SESSION_WAITS: break;
    }
    if (p)
        report_problem(d, p);
    see(d);
    stop_show_place(d, !stepped || p || enters_function(d), before);
    stop_show_displays(d);
    if (p && p->temporary)
        points_delete(d, p);
}
