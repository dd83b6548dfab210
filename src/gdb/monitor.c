/* SPDX-License-Identifier: Apache-2.0 */
/* `monitor` commands, for features without a gdb command. */
#include "gdb/gdb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void show_warps(struct sam_gdb *gdb, const char *argument, struct sam_buffer *out)
{
    uint64_t place = 0;
    struct sam_gdb_thread thread;
    struct sam_session_warp warp;
    char name[64], state[64], at[256];
    (void)argument;
    while (sam_gdb_next_thread(gdb, &place, &thread)) {
        if (sam_session_warp(gdb->session, thread.workgroup, thread.warp, &warp, NULL) != SAM_OK)
            continue;
        sam_gdb_thread_name(thread, name);
        sam_gdb_thread_state(gdb, thread, state, sizeof state);
        sam_image_describe(gdb->shape.image, warp.pc, at, sizeof at);
        sam_buffer_printf(out, "%s: %s at 0x%08" PRIx64 " (%s), %" PRIu64 " instructions\n", name,
                          state, warp.pc, at, warp.instructions);
    }
}

/* "0-3,8" */
static void put_lanes(struct sam_buffer *out, uint32_t mask)
{
    const char *before = "";
    if (!mask)
        sam_buffer_puts(out, "none");
    for (unsigned i = 0; i < SAM_MAX_LANES; i++) {
        const unsigned first = i;
        if (!(mask >> i & 1))
            continue;
        while (i + 1 < SAM_MAX_LANES && mask >> (i + 1) & 1)
            i++;
        sam_buffer_printf(out, i > first ? "%s%u-%u" : "%s%u", before, first, i);
        before = ",";
    }
}

static void put_thread(struct sam_gdb *gdb, struct sam_buffer *out)
{
    char name[64];
    sam_gdb_thread_name(gdb->thread, name);
    sam_buffer_printf(out, "%s: ", name);
}

/* The warp of the current thread; on failure a message in `out`. */
static bool find_warp(struct sam_gdb *gdb, struct sam_session_warp *warp, struct sam_buffer *out)
{
    struct sam_error error;
    const enum sam_status status =
        sam_session_warp(gdb->session, gdb->thread.workgroup, gdb->thread.warp, warp, &error);
    if (status != SAM_OK)
        sam_buffer_printf(out, "%s\n", error.text);
    return status == SAM_OK;
}

static void show_lanes(struct sam_gdb *gdb, const char *argument, struct sam_buffer *out)
{
    struct sam_session_warp warp;
    (void)argument;
    if (!find_warp(gdb, &warp, out))
        return;
    put_thread(gdb, out);
    sam_buffer_puts(out, "active lanes ");
    put_lanes(out, warp.mask);
    sam_buffer_printf(out, " of %u; ", gdb->shape.lanes);
    if (gdb->lanes) {
        sam_buffer_puts(out, "breakpoints stop where this lane is active: ");
        put_lanes(out, gdb->lanes);
    } else {
        sam_buffer_puts(out, "breakpoints stop for any lane");
    }
    sam_buffer_puts(out, "\n");
}

static void show_stack(struct sam_gdb *gdb, const char *argument, struct sam_buffer *out)
{
    enum { SHOWN = 64 };
    struct sam_stack_entry entries[SHOWN];
    struct sam_session_warp warp;
    struct sam_error error;
    size_t depth = 0;
    (void)argument;
    if (!find_warp(gdb, &warp, out))
        return;
    if (sam_session_stack(gdb->session, gdb->thread.workgroup, gdb->thread.warp, entries, SHOWN,
                          &depth, &error) != SAM_OK) {
        sam_buffer_printf(out, "%s\n", error.text);
        return;
    }
    put_thread(gdb, out);
    sam_buffer_printf(out, "SIMT stack of %zu, active lanes ", depth);
    put_lanes(out, warp.mask);
    sam_buffer_puts(out, "\n");
    for (size_t i = depth < SHOWN ? depth : SHOWN; i-- > 0;) {
        char rpc[256], pc[256];
        sam_image_describe(gdb->shape.image, entries[i].rpc, rpc, sizeof rpc);
        sam_image_describe(gdb->shape.image, entries[i].pc, pc, sizeof pc);
        sam_buffer_printf(out, "  %zu: lanes ", i);
        put_lanes(out, entries[i].mask);
        sam_buffer_printf(out, " continue at 0x%08x (%s), join at 0x%08x (%s)\n", entries[i].pc, pc,
                          entries[i].rpc, rpc);
    }
    if (depth > SHOWN)
        sam_buffer_printf(out, "  and %zu above\n", depth - SHOWN);
}

static void choose_lane(struct sam_gdb *gdb, const char *argument, struct sam_buffer *out)
{
    struct sam_error error;
    uint64_t lane = 0;
    const bool all = strcmp(argument, "all") == 0;
    if (!all && (!sam_parse_u64(argument, &lane) || lane >= gdb->shape.lanes)) {
        sam_buffer_printf(out, "lane '%s': expected 0 to %u, or all\n", argument,
                          gdb->shape.lanes - 1);
        return;
    }
    if (sam_gdb_limit_lanes(gdb, all ? 0 : UINT32_C(1) << lane, &error) != SAM_OK) {
        sam_buffer_printf(out, "%s\n", error.text);
        return;
    }
    gdb->lane = (uint32_t)lane;
    if (all)
        sam_buffer_puts(out, "breakpoints stop for any lane\n");
    else
        sam_buffer_printf(out, "breakpoints stop where lane %u is active; $lane is %u\n", gdb->lane,
                          gdb->lane);
}

static void choose_workgroup(struct sam_gdb *gdb, const char *argument, struct sam_buffer *out)
{
    struct sam_session_warp warp;
    struct sam_error error;
    uint64_t number;
    if (!sam_parse_u64(argument, &number) || number >= UINT32_MAX) {
        sam_buffer_printf(out, "workgroup '%s': expected its number\n", argument);
        return;
    }
    const uint32_t workgroup = (uint32_t)number;
    if (sam_session_warp(gdb->session, workgroup, 0, &warp, &error) != SAM_OK) {
        sam_buffer_printf(out, "%s\n", error.text);
        return;
    }
    if (!sam_gdb_know(gdb, workgroup)) {
        sam_buffer_puts(out, "out of memory\n");
        return;
    }
    const struct sam_gdb_thread first = {workgroup, 0};
    sam_buffer_printf(out, "workgroup %u: its warps are threads now, from thread id %" PRIu64 "\n",
                      workgroup, sam_gdb_thread_id(gdb, first));
}

static void show_help(struct sam_gdb *gdb, const char *argument, struct sam_buffer *out);

static const struct {
    const char *name, *argument, *help;
    void (*run)(struct sam_gdb *gdb, const char *argument, struct sam_buffer *out);
    bool launch; /* only where there are lanes */
} commands[] = {
    {"help", NULL, "this list", show_help, false},
    {"warps", NULL, "where each warp is", show_warps, false},
    {"lanes", NULL, "the active lanes of the current thread", show_lanes, true},
    {"stack", NULL, "the SIMT stack of the current thread, its top first", show_stack, true},
    {"lane", "L|all", "stop at breakpoints only where lane L is active; sets $lane", choose_lane,
     true},
    {"workgroup", "N", "start workgroup N now: its warps become threads", choose_workgroup, true},
};

static void show_help(struct sam_gdb *gdb, const char *argument, struct sam_buffer *out)
{
    (void)argument;
    for (size_t i = 0; i < SAM_COUNT(commands); i++) {
        char text[32];
        snprintf(text, sizeof text, "%s %s", commands[i].name,
                 commands[i].argument ? commands[i].argument : "");
        if (!commands[i].launch || gdb->shape.v_count)
            sam_buffer_printf(out, "%-16s %s\n", text, commands[i].help);
    }
}

static void run(struct sam_gdb *gdb, const char *command, struct sam_buffer *out)
{
    const size_t size = strcspn(command, " ");
    const char *argument = command + size + strspn(command + size, " ");
    for (size_t i = 0; i < SAM_COUNT(commands); i++) {
        if (strlen(commands[i].name) != size || memcmp(command, commands[i].name, size) != 0 ||
            (commands[i].launch && !gdb->shape.v_count))
            continue;
        if (!commands[i].argument == !*argument)
            commands[i].run(gdb, argument, out);
        else
            sam_buffer_printf(out, "monitor %s: expected %s%s\n", commands[i].name,
                              commands[i].argument ? "one argument, " : "no argument",
                              commands[i].argument ? commands[i].argument : "");
        return;
    }
    sam_buffer_puts(out, "monitor command '");
    sam_buffer_plain(out, command, strlen(command), ' ');
    sam_buffer_puts(out, "': expected one of these\n");
    show_help(gdb, "", out);
}

void sam_gdb_monitor(struct sam_gdb *gdb, const char *command)
{
    struct sam_buffer out = {0};
    run(gdb, command, &out);
    if (out.failed) {
        sam_gdb_send_error(gdb, SAM_GDB_NO_MEMORY);
    } else {
        sam_gdb_console(gdb, sam_buffer_text(&out));
        sam_gdb_send_error(gdb, SAM_GDB_OK);
    }
    sam_buffer_free(&out);
}
