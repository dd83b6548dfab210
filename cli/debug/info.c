/* SPDX-License-Identifier: Apache-2.0 */
/* What `info` shows. */
#include <stdlib.h>

#include "debugger.h"

/* ------------------------------------------------------------------------------------ warps */

static const char *state_name(enum sam_warp_state state)
{
    switch (state) {
    case SAM_WARP_READY: return "ready";
    case SAM_WARP_WAITS: return "waits";
    case SAM_WARP_ENDED: return "ended";
    }
    return "";
}

static enum sam_status show_workgroup(struct debug *d, uint32_t workgroup, struct sam_error *error)
{
    char place[512];
    debug_say(d, "workgroup %u\n", workgroup);
    debug_say(d, "    warp  state  lanes       stack  instructions  at\n");
    for (uint32_t i = 0; i < d->shape.warps && !cli_stopped(); i++) {
        struct sam_session_warp warp;
        const enum sam_status status = sam_session_warp(d->session, workgroup, i, &warp, error);
        if (status != SAM_OK)
            return status;
        source_describe(d, warp.pc, place, sizeof place);
        debug_say(d, "%s %5u  %-5s  0x%08x  %5u  %12llu  %s\n",
                  i == d->focus.warp && workgroup == d->focus.workgroup ? "=>" : "  ", i,
                  state_name(warp.state), warp.mask, warp.depth,
                  (unsigned long long)warp.instructions,
                  warp.state == SAM_WARP_ENDED ? "-" : place);
    }
    return SAM_OK;
}

enum sam_status info_warps(struct debug *d, const char *rest, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    if (!debug_take(&rest, "all")) {
        status = debug_no_more(rest, error);
        return status ?: show_workgroup(d, d->focus.workgroup, error);
    }
    uint64_t counts[4] = {0};
    for (uint64_t i = 0; i < d->shape.workgroups && status == SAM_OK && !cli_stopped(); i++) {
        const uint32_t workgroup = sam_session_workgroup(d->session, i);
        const enum sam_session_state state = sam_session_workgroup_state(d->session, workgroup);
        counts[state]++;
        if (state == SAM_SESSION_LIVE)
            status = show_workgroup(d, workgroup, error);
    }
    debug_say(d, "workgroups: %llu not started, %llu live, %llu ended\n",
              (unsigned long long)counts[SAM_SESSION_NEW],
              (unsigned long long)counts[SAM_SESSION_LIVE],
              (unsigned long long)counts[SAM_SESSION_ENDED]);
    return status;
}

/* ------------------------------------------------------------------------------------ lanes */

enum sam_status debug_lane_pcs(struct debug *d, struct sam_session_warp *warp,
                               uint64_t pcs[SAM_MAX_LANES], struct sam_error *error)
{
    struct sam_stack_entry *entries = NULL;
    size_t depth = 0;
    const enum sam_status status =
        debug_warp(d, warp, error)
            ?: (d->shape.v_count ? stack_read(d, &entries, &depth, error) : SAM_OK);
    for (unsigned lane = 0; lane < SAM_MAX_LANES; lane++) {
        pcs[lane] = warp->mask >> lane & 1 ? warp->pc : 0;
        for (size_t i = depth; status == SAM_OK && !pcs[lane] && i-- > 0;)
            if (entries[i].mask >> lane & 1)
                pcs[lane] = entries[i].pc;
    }
    free(entries);
    return status;
}

enum sam_status info_lanes(struct debug *d, const char *rest, struct sam_error *error)
{
    struct sam_session_warp warp;
    uint64_t pcs[SAM_MAX_LANES];
    char place[512], range[32];
    enum sam_status status = debug_no_more(rest, error);
    if (status == SAM_OK && !d->shape.v_count)
        return cli_refuse(error, "a hart has no lanes");
    status = status ?: debug_lane_pcs(d, &warp, pcs, error);
    for (unsigned i = 0, end; i < d->shape.lanes && status == SAM_OK; i = end) {
        const bool active = warp.mask >> i & 1;
        for (end = i + 1; end < d->shape.lanes; end++) /* with the same state, on one line */
            if (pcs[end] != pcs[i] || (warp.mask >> end & 1) != active)
                break;
        snprintf(range, sizeof range, end - i > 1 ? "%u-%u" : "%u", i, end - 1);
        source_describe(d, pcs[i], place, sizeof place);
        debug_say(d, "%s %-6s %s%s\n", d->focus.lane >= i && d->focus.lane < end ? "=>" : "  ",
                  range,
                  active   ? "active at "
                  : pcs[i] ? "waits for its turn at "
                           : "never started",
                  active || pcs[i] ? place : "");
    }
    return status;
}

/* -------------------------------------------------------------------------------- registers */

static void say_register(struct debug *d, const char *name, const struct value *value)
{
    char hex[64], text[200];
    value_text(value, 0, 'z', NULL, hex, sizeof hex);
    value_text(value, 0, value_is_pointer(value) ? 'a' : 'd', d->image, text, sizeof text);
    debug_say(d, "%-14s %-18s %s", name, hex, text);
    if (!value_is_pointer(value) && value_looks_float(value)) {
        struct value word = *value;
        value_view(&word, SAM_F32);
        value_text(&word, 0, 0, NULL, text, sizeof text);
        debug_say(d, " (float %s)", text);
    }
    debug_say(d, "\n");
}

static void say_value(struct debug *d, const char *name, const struct value *value)
{
    const bool floats = value->is_vector && value_looks_float(value);
    if (value->is_vector)
        debug_say(d, "%s = %s", name, floats ? "float " : "");
    if (value->is_vector || value->place.kind == PLACE_BYTES)
        debug_print_value(d, value, !value->is_vector ? 0 : floats ? 'f' : 'x');
    else
        say_register(d, name, value);
}

static enum sam_status named_register(struct debug *d, const char *name, struct sam_error *error)
{
    struct value value;
    char dollar[80];
    const char *at = dollar;
    snprintf(dollar, sizeof dollar, "%s%.70s", *name == '$' ? "" : "$", name);
    const enum sam_status status = debug_value(d, &at, &value, error) ?: debug_no_more(at, error);
    if (status == SAM_OK && (value.place.kind == PLACE_NONE || value.place.kind == PLACE_USER))
        return cli_refuse(error, "no register '%s'", name);
    if (status == SAM_OK)
        say_value(d, name, &value);
    return status;
}

static enum sam_status scalars(struct debug *d, struct sam_error *error)
{
    char name[24], shown[32];
    struct value value;
    enum sam_status status = SAM_OK;
    for (unsigned i = 0; i < d->shape.x_count && status == SAM_OK; i++) {
        snprintf(name, sizeof name, "$x%u", i);
        status = debug_evaluate(d, name, &value, error);
        if (status != SAM_OK || (i >= 32 && value_is_zero(&value)))
            continue; /* most programs do not use the upper half */
        snprintf(shown, sizeof shown, "x%-3u %s", i, debug_abi_name(i));
        say_register(d, shown, &value);
    }
    status = status ?: named_register(d, "pc", error);
    return status == SAM_OK && d->shape.v_count ? named_register(d, "mask", error) : status;
}

/* Vector registers that are not zero. */
static enum sam_status vectors(struct debug *d, struct sam_error *error)
{
    struct value value;
    char name[16];
    unsigned shown = 0;
    for (unsigned i = 0; i < d->shape.v_count; i++) {
        snprintf(name, sizeof name, "$v%u", i);
        const enum sam_status status = debug_evaluate(d, name, &value, error);
        if (status != SAM_OK)
            return status;
        if (!value_is_zero(&value)) {
            say_value(d, name + 1, &value);
            shown++;
        }
    }
    if (!shown)
        debug_say(d, "every vector register is zero\n");
    return SAM_OK;
}

static void csrs(struct debug *d)
{
    struct sam_csr_entry entry;
    for (size_t i = 0; sam_csr_entry_get(&d->shape.isa, i, &entry); i++) {
        uint64_t bits;
        if (sam_session_csr(d->session, d->focus.workgroup, d->focus.warp, entry.address, &bits,
                            NULL) != SAM_OK)
            continue;
        const struct value value = value_integer(d->shape.isa.xlen == 32 ? SAM_U32 : SAM_U64, bits);
        say_register(d, entry.name, &value);
    }
}

enum sam_status info_registers(struct debug *d, const char *rest, struct sam_error *error)
{
    char word[64];
    enum sam_status status = SAM_OK;
    if (!*rest)
        return scalars(d, error);
    while (status == SAM_OK && cli_word(&rest, word, sizeof word)) {
        if (strcmp(word, "v") == 0 && d->shape.v_count)
            status = vectors(d, error);
        else if (strcmp(word, "csr") == 0)
            csrs(d);
        else
            status = named_register(d, word, error);
    }
    return status;
}

/* ----------------------------------------------------------------------------------- points */

static void say_point(struct debug *d, const struct point *p)
{
    static const char *const kinds[] = {"breakpoint", "watch", "rwatch", "awatch"};
    char place[512];
    source_describe(d, p->address, place, sizeof place);
    debug_say(d, "%-3u  %-10s  %-7s  0x%08llx  %4llu  %s", p->number, kinds[p->kind],
              p->disabled    ? "no"
              : p->temporary ? "once"
                             : "yes",
              (unsigned long long)p->address, (unsigned long long)p->hits,
              p->kind == POINT_BREAK ? place : p->what);
    if (p->kind != POINT_BREAK)
        debug_say(d, " (%llu bytes)", (unsigned long long)p->size);
    if (p->has_workgroup)
        debug_say(d, " workgroup %u", p->workgroup);
    if (p->has_warp)
        debug_say(d, " warp %u", p->warp);
    if (p->has_lane)
        debug_say(d, " lane %u", p->lane);
    if (p->condition)
        debug_say(d, " if %s", p->condition);
    if (p->ignore)
        debug_say(d, " (passed %llu more times)", (unsigned long long)p->ignore);
    debug_say(d, "\n");
}

enum sam_status info_breakpoints(struct debug *d, const char *rest, struct sam_error *error)
{
    const bool watches = d->how;
    unsigned shown = 0;
    const enum sam_status status = debug_no_more(rest, error);
    for (size_t i = 0; i < d->point_count && status == SAM_OK; i++) {
        if (watches && d->points[i]->kind == POINT_BREAK)
            continue;
        if (!shown++)
            debug_say(d, "num  kind        enabled  address     hits  what\n");
        say_point(d, d->points[i]);
    }
    if (!shown && status == SAM_OK)
        debug_say(d, watches ? "no watchpoints\n" : "no breakpoints or watchpoints\n");
    return status;
}

enum sam_status info_display(struct debug *d, const char *rest, struct sam_error *error)
{
    const enum sam_status status = debug_no_more(rest, error);
    for (size_t i = 0; i < d->display_count && status == SAM_OK; i++)
        debug_say(d, "%u: %s%s%s\n", d->displays[i].number, d->displays[i].format,
                  d->displays[i].format[0] ? " " : "", d->displays[i].text);
    if (!d->display_count && status == SAM_OK)
        debug_say(d, "no displays\n");
    return status;
}

/* ------------------------------------------------------------------------------ the program */

enum sam_status info_line(struct debug *d, const char *rest, struct sam_error *error)
{
    uint64_t address = debug_pc(d);
    uint32_t line = 0;
    enum sam_status status =
        (*rest ? source_location(d, &rest, &address, error) : SAM_OK) ?: debug_no_more(rest, error);
    if (status != SAM_OK)
        return status;
    const char *file = source_at(d, address, &line);
    if (!file)
        return cli_refuse(error, "0x%llx: no line information", (unsigned long long)address);
    uint64_t begin = address, end = address + 4;
    while (source_is(d, begin - 4, file, line))
        begin -= 4;
    while (source_is(d, end, file, line))
        end += 4;
    debug_say(d, "line %u of %s: 0x%llx to 0x%llx\n", line, file, (unsigned long long)begin,
              (unsigned long long)end - 1);
    return SAM_OK;
}

enum sam_status info_symbol(struct debug *d, const char *rest, struct sam_error *error)
{
    uint64_t address = debug_pc(d);
    char place[512];
    const enum sam_status status =
        (*rest ? debug_number(d, &rest, "the address", &address, error) : SAM_OK)
            ?: debug_no_more(rest, error);
    if (status != SAM_OK)
        return status;
    address = debug_address(d, address);
    if (!d->image || !sam_image_symbol_at(d->image, address))
        return cli_refuse(error, "0x%llx: no symbol", (unsigned long long)address);
    source_describe(d, address, place, sizeof place);
    debug_say(d, "0x%llx is %s\n", (unsigned long long)address, place);
    return SAM_OK;
}

enum sam_status info_launch(struct debug *d, const char *rest, struct sam_error *error)
{
    const struct sam_launch *l = d->run->launch;
    const enum sam_status status = debug_no_more(rest, error);
    if (status != SAM_OK)
        return status;
    if (l)
        debug_say(d, "launch %u of %u: %s, grid %ux%ux%u, %u warp%s of %u lanes per workgroup\n",
                  d->run->number, d->run->count, d->run->name, l->grid[0], l->grid[1], l->grid[2],
                  l->warps, l->warps == 1 ? "" : "s", l->lanes);
    else
        debug_say(d, "%s, on a tensor hart of %u bits\n", d->run->name, d->shape.isa.xlen);
    debug_say(d, "%llu instructions have run%s\n", (unsigned long long)sam_session_time(d->session),
              d->state == DEBUG_ENDED     ? "; everything has ended"
              : d->state == DEBUG_TRAPPED ? "; it has failed"
                                          : "");
    if (d->records)
        debug_say(d, "recorded: rstepi, rstep, rcontinue and goto go back\n");
    else
        debug_say(d, "not recorded: %s\n", d->no_record);
    return SAM_OK;
}

static void say_buffer(struct debug *d, uint64_t base, uint64_t size, const char *what)
{
    debug_say(d, "0x%08llx  %12llu  %s\n", (unsigned long long)base, (unsigned long long)size,
              what);
}

enum sam_status info_buffers(struct debug *d, const char *rest, struct sam_error *error)
{
    const struct run_arguments *a = d->run->arguments;
    const struct sam_metadata *m = d->run->metadata;
    const struct sam_launch *l = d->run->launch;
    char what[300];
    const enum sam_status status = debug_no_more(rest, error);
    if (status != SAM_OK)
        return status;
    debug_say(d, "address            bytes  what\n");
    for (size_t i = 0; d->image && i < d->image->section_count; i++) {
        const struct sam_section *s = &d->image->sections[i];
        snprintf(what, sizeof what, "section %.200s", s->name);
        say_buffer(d, s->address, s->size, what);
    }
    for (size_t i = 0; a && i < a->count; i++) {
        const struct run_argument *one = &a->items[i];
        snprintf(what, sizeof what, "argument %zu: %.200s", i, one->word);
        if (one->kind == RUN_BUFFER)
            say_buffer(d, one->address, one->array.size, what);
        else if (one->kind == RUN_LOCAL)
            say_buffer(d, one->bits, one->size, what);
    }
    for (size_t i = 0; m && i < m->buffer_count; i++) {
        snprintf(what, sizeof what, "buffer %zu of the recording", i);
        say_buffer(d, m->buffers[i].base, m->buffers[i].allocated, what);
    }
    if (l && l->args_size)
        say_buffer(d, l->args, l->args_size, "the kernel's arguments");
    if (l)
        say_buffer(d, SAM_LDS_BASE, l->lds_size, "local memory of the workgroup");
    return SAM_OK;
}

enum sam_status info_source(struct debug *d, const char *rest, struct sam_error *error)
{
    const enum sam_status status = debug_no_more(rest, error);
    if (status != SAM_OK)
        return status;
    if (!d->image || !d->image->file_count)
        return cli_refuse(error, "the program has no line information%s%s",
                          d->image && d->image->lines_problem ? ": " : "",
                          d->image && d->image->lines_problem ? d->image->lines_problem : "");
    for (size_t i = 0; i < d->image->file_count; i++)
        debug_say(d, "%s\n", d->image->files[i]);
    return SAM_OK;
}
