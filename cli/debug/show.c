/* SPDX-License-Identifier: Apache-2.0 */
/* Code and the location of a warp in it: list, disassemble, stack, backtrace. */
#include <stdlib.h>

#include "debugger.h"

/* ------------------------------------------------------------------------------------- list */

enum { LINES = 10 };

static enum sam_status print_lines(struct debug *d, const char *file, uint32_t first, uint32_t last,
                                   struct sam_error *error)
{
    uint32_t here = 0;
    const char *at = source_at(d, debug_pc(d), &here);
    const bool ours = at && strcmp(at, file) == 0;
    uint32_t line = first;
    for (; line <= last && line >= first && !cli_stopped(); line++) {
        const char *text = source_text(d, file, line);
        if (!text)
            break;
        debug_say(d, "%s%u\t%s\n", ours && line == here ? "=> " : "   ", line, text);
    }
    if (line == first)
        return cli_refuse(error, "%s", source_problem(d, file, first));
    d->list_file = file;
    d->list_first = first;
    d->list_line = line;
    return SAM_OK;
}

static enum sam_status list_around(struct debug *d, uint64_t address, struct sam_error *error)
{
    uint32_t line = 0;
    char place[160];
    const char *file = source_at(d, address, &line);
    sam_image_describe(d->image, address, place, sizeof place);
    if (!file)
        return cli_refuse(error, "%s: no line information%s%s", place,
                          d->image && d->image->lines_problem ? ": " : "",
                          d->image && d->image->lines_problem ? d->image->lines_problem : "");
    const uint32_t first = line > LINES / 2 ? line - LINES / 2 : 1;
    return print_lines(d, file, first, first + LINES - 1, error);
}

/* "FIRST,LAST" or "FIRST," in the current file. *found: whether it is one. */
static enum sam_status list_range(struct debug *d, const char *rest, bool *found,
                                  struct sam_error *error)
{
    char word[64];
    uint64_t first, last;
    const char *after = rest;
    cli_word(&after, word, sizeof word);
    char *comma = strchr(word, ',');
    *found = comma != NULL;
    if (!comma)
        return SAM_OK;
    *comma = '\0';
    const bool open = !comma[1];
    if (*after || !sam_parse_u64(word, &first) || first < 1 || first > UINT32_MAX - LINES ||
        (!open && (!sam_parse_u64(comma + 1, &last) || last < first || last > UINT32_MAX)))
        return cli_refuse(error, "'%.60s': expected FIRST,LAST, lines of this file", rest);
    const char *file = source_present(d);
    if (!file)
        return cli_refuse(error, "no source for this address");
    return print_lines(d, file, (uint32_t)first,
                       open ? (uint32_t)first + LINES - 1 : (uint32_t)last, error);
}

enum sam_status command_list(struct debug *d, const char *rest, struct sam_error *error)
{
    bool found = false;
    uint64_t address = 0;
    if (!*rest && d->list_file && d->list_line)
        return print_lines(d, d->list_file, d->list_line, d->list_line + LINES - 1, error);
    if (!*rest)
        return list_around(d, debug_pc(d), error);
    if (strcmp(rest, "-") == 0) {
        if (!d->list_file || d->list_first <= 1)
            return cli_refuse(error, "no lines before the first");
        const uint32_t last = d->list_first - 1;
        return print_lines(d, d->list_file, last > LINES ? last - LINES + 1 : 1, last, error);
    }
    enum sam_status status = list_range(d, rest, &found, error);
    if (status != SAM_OK || found)
        return status;
    status = source_location(d, &rest, &address, error) ?: debug_no_more(rest, error);
    return status ?: list_around(d, address, error);
}

/* ------------------------------------------------------------------------------ disassemble */

enum { WINDOW = 32, MOST = 1 << 18 };

/* The function around an address: from its symbol to the next function, or a few instructions. */
static void function_range(struct debug *d, uint64_t address, uint64_t *begin, uint64_t *end)
{
    const struct sam_image *image = d->image;
    const struct sam_symbol *function = image ? sam_image_function_at(image, address) : NULL;
    *begin = address;
    *end = address + WINDOW;
    if (!function)
        return;
    *begin = function->value;
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (address - s->address < s->size)
            *end = s->address + s->data_size;
    }
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct sam_symbol *s = &image->symbols[i];
        if (s->value > address && s->value < *end &&
            sam_image_function_at(image, s->value) != function)
            *end = s->value;
    }
}

/* After the comma: an end, or +BYTES. */
static enum sam_status range_end(struct debug *d, const char *at, uint64_t begin, uint64_t *end,
                                 struct sam_error *error)
{
    const bool relative = *at == '+';
    enum sam_status status =
        debug_number(d, &at, "the end", end, error) ?: debug_no_more(at, error);
    if (status == SAM_OK && relative)
        *end += begin;
    return status;
}

/* A place, as for break, or an address: "vecadd,+16", "$pc", "0x80000000,0x80000010". */
static enum sam_status range_of(struct debug *d, const char *rest, uint64_t *begin, uint64_t *end,
                                struct sam_error *error)
{
    char word[256];
    const char *comma = strchr(rest, ','), *at = word;
    const size_t size = comma ? (size_t)(comma - rest) : strlen(rest);
    if (size >= sizeof word)
        return cli_refuse(error, "'%.40s': expected a shorter place", rest);
    memcpy(word, rest, size);
    word[size] = '\0';
    enum sam_status status = debug_number(d, &at, "the place", begin, error);
    if (status == SAM_OK && *at == ':')
        status = SAM_ERR_USAGE; /* FILE:LINE */
    if (status != SAM_OK) {
        at = word;
        status = source_location(d, &at, begin, error);
    }
    if (status == SAM_OK)
        status = debug_no_more(at, error);
    if (status == SAM_OK)
        *begin = debug_address(d, *begin);
    if (status == SAM_OK && comma)
        return range_end(d, comma + 1, *begin, end, error);
    const uint64_t address = *begin;
    if (status == SAM_OK)
        function_range(d, address, begin, end);
    return status;
}

enum sam_status command_disassemble(struct debug *d, const char *rest, struct sam_error *error)
{
    const uint64_t pc = debug_pc(d);
    uint64_t begin, end;
    if (*rest) {
        const enum sam_status status = range_of(d, rest, &begin, &end, error);
        if (status != SAM_OK)
            return status;
    } else {
        function_range(d, pc, &begin, &end);
    }
    if (end <= begin || end - begin > MOST)
        return cli_refuse(error, "0x%llx to 0x%llx: expected up to %d bytes",
                          (unsigned long long)begin, (unsigned long long)end, MOST);
    for (uint64_t at = begin; at < end && !cli_stopped(); at += 4)
        if (!stop_instruction(d, at, at == pc))
            break;
    return SAM_OK;
}

/* ------------------------------------------------------------------------------------ stack */

enum sam_status stack_read(struct debug *d, struct sam_stack_entry **entries, size_t *depth,
                           struct sam_error *error)
{
    const uint32_t g = d->focus.workgroup, w = d->focus.warp;
    enum sam_status status = sam_session_stack(d->session, g, w, NULL, 0, depth, error);
    *entries = NULL;
    if (status != SAM_OK)
        return status;
    if (!(*entries = calloc(*depth + 1, sizeof **entries)))
        return cli_refuse_memory(error);
    return sam_session_stack(d->session, g, w, *entries, *depth, depth, error);
}

enum sam_status command_stack(struct debug *d, const char *rest, struct sam_error *error)
{
    struct sam_stack_entry *entries = NULL;
    struct sam_session_warp warp;
    size_t depth = 0;
    char place[512], join[512];
    enum sam_status status = debug_no_more(rest, error);
    if (status == SAM_OK && !d->shape.v_count)
        return cli_refuse(error, "a hart has no SIMT stack");
    if (status == SAM_OK)
        status = debug_warp(d, &warp, error);
    if (status == SAM_OK)
        status = stack_read(d, &entries, &depth, error);
    if (status != SAM_OK) {
        free(entries);
        return status;
    }
    source_describe(d, warp.pc, place, sizeof place);
    debug_say(d, "      lanes       at\n");
    debug_say(d, "now   0x%08x  %s\n", warp.mask, place);
    for (size_t i = depth; i-- > 0;) {
        source_describe(d, entries[i].pc, place, sizeof place);
        source_describe(d, entries[i].rpc, join, sizeof join);
        debug_say(d, "%-4zu  0x%08x  %s", i, entries[i].mask, place);
        if (entries[i].pc != entries[i].rpc)
            debug_say(d, ", until the join %s", join);
        debug_say(d, "\n");
    }
    free(entries);
    return SAM_OK;
}

/* -------------------------------------------------------------------------------- backtrace */

/* The target of a call: jal, or auipc and jalr. False: a register holds it. */
static bool call_target(struct debug *d, uint64_t address, uint32_t word, uint64_t *target)
{
    enum { JAL = 0x6f, AUIPC = 0x17 };
    const uint32_t offset = (word >> 31) << 20 | (word >> 12 & 0xff) << 12 |
                            (word >> 20 & 1) << 11 | (word >> 21 & 0x3ff) << 1;
    uint32_t before;
    if ((word & 0x7f) == JAL) {
        *target = address + offset - ((uint64_t)(word >> 31) << 21);
        return true;
    }
    if (!stop_fetch(d, address - 4, &before) || (before & 0x7f) != AUIPC ||
        (before >> 7 & 31) != (word >> 15 & 31))
        return false;
    const int32_t upper = (int32_t)(before & 0xfffff000), lower = (int32_t)word >> 20;
    *target = debug_address(d, address - 4 + (uint64_t)(int64_t)upper + (uint64_t)(int64_t)lower);
    return true;
}

/* Whether ra identifies the caller of the code at pc. It does not after a call has returned: it
 * then points into the function itself, and not after a call to this symbol. */
static bool is_caller(struct debug *d, uint64_t ra, uint64_t pc)
{
    const struct sam_image *image = d->image;
    uint64_t target;
    uint32_t word;
    if (ra & 3 || !stop_fetch(d, ra - 4, &word) || !stop_is_call(word))
        return false;
    if (!image || sam_image_function_at(image, ra - 4) != sam_image_function_at(image, pc))
        return true;
    const struct sam_symbol *symbol = sam_image_symbol_at(image, pc);
    return symbol && call_target(d, ra - 4, word, &target) && target == symbol->value;
}

bool debug_caller(struct debug *d, uint64_t *address)
{
    enum { RA = 1 };
    uint64_t ra = 0;
    if (sam_session_x(d->session, d->focus.workgroup, d->focus.warp, RA, &ra, NULL) != SAM_OK ||
        !is_caller(d, ra, debug_pc(d)))
        return false;
    *address = ra - 4;
    return true;
}

enum sam_status command_backtrace(struct debug *d, const char *rest, struct sam_error *error)
{
    char place[512];
    uint64_t pc = debug_pc(d), caller;
    struct sam_session_warp warp;
    enum sam_status status = debug_no_more(rest, error) ?: debug_warp(d, &warp, error);
    if (status != SAM_OK)
        return status;
    source_describe(d, pc, place, sizeof place);
    debug_say(d, "#0  0x%llx in %s\n", (unsigned long long)pc, place);
    if (!debug_caller(d, &caller))
        return SAM_OK;
    source_describe(d, caller, place, sizeof place);
    debug_say(d, "#1  0x%llx in %s\n", (unsigned long long)caller, place);
    return SAM_OK;
}

/* ------------------------------------------------------------ the focus: warp, workgroup, lane */

enum sam_status command_focus(struct debug *d, const char *rest, struct sam_error *error)
{
    static const char *const names[] = {
        [FOCUS_WARP] = "warp", [FOCUS_WORKGROUP] = "workgroup", [FOCUS_LANE] = "lane"};
    const uint64_t counts[] = {[FOCUS_WARP] = d->shape.warps,
                               [FOCUS_WORKGROUP] = UINT64_C(1) << 32,
                               [FOCUS_LANE] = d->shape.lanes};
    struct sam_session_warp warp;
    uint32_t number = 0;
    if (!*rest) {
        debug_say(d, "workgroup %u warp %u lane %u\n", d->focus.workgroup, d->focus.warp,
                  d->focus.lane);
        return SAM_OK;
    }
    enum sam_status status = debug_index(d, &rest, names[d->how], counts[d->how], &number, error)
                                 ?: debug_no_more(rest, error);
    if (status == SAM_OK && d->how == FOCUS_WORKGROUP)
        status = sam_session_warp(d->session, number, 0, &warp, error);
    if (status != SAM_OK)
        return status;
    if (d->how == FOCUS_LANE) {
        d->focus.lane = number;
        status = debug_warp(d, &warp, error);
        if (status == SAM_OK)
            debug_say(d, "lane %u, %s\n", number,
                      warp.mask >> number & 1 ? "active" : "not active");
        return status;
    }
    if (d->how == FOCUS_WORKGROUP)
        d->focus.workgroup = number;
    d->focus.warp = d->how == FOCUS_WORKGROUP ? 0 : number;
    d->shown_focus.warp = UINT32_MAX;
    stop_show_place(d, true, "");
    return SAM_OK;
}
