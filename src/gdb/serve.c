/* SPDX-License-Identifier: Apache-2.0 */
/* Serves a client: dispatches packets by their first character. */
#include "gdb/gdb.h"

#include <inttypes.h>
#include <stdlib.h>

/* ----------------------------------------------------------------------------------- memory */

/* The number of readable bytes, by bisection: all, or those up to the end of a buffer. */
static size_t readable(struct sam_gdb *gdb, uint64_t address, size_t size)
{
    const uint32_t workgroup = gdb->thread.workgroup;
    size_t good = 0, bad = size + 1;
    size_t at = size;
    while (bad - good > 1) {
        if (sam_session_read(gdb->session, workgroup, address, NULL, at, NULL) == SAM_OK)
            good = at;
        else
            bad = at;
        at = good + (bad - good) / 2;
    }
    return good;
}

static struct sam_session_lane lane_of(const struct sam_gdb *gdb)
{
    return (struct sam_session_lane){gdb->thread.workgroup, gdb->thread.warp, gdb->lane};
}

/* Variables are known where the warp is: lanes that wait elsewhere have others. */
static bool lane_is_active(struct sam_gdb *gdb)
{
    struct sam_session_warp warp;
    return sam_session_warp(gdb->session, gdb->thread.workgroup, gdb->thread.warp, &warp, NULL) ==
               SAM_OK &&
           gdb->lane < SAM_MAX_LANES && warp.mask >> gdb->lane & 1;
}

static void read_memory(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    uint8_t bytes[SAM_GDB_DATA];
    uint64_t address, length;
    if (!sam_gdb_take_pair(&text, &address, ',', &length) || !sam_gdb_at_end(&text)) {
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
        return;
    }
    size_t size = length < sizeof bytes ? (size_t)length : sizeof bytes;
    const size_t present = readable(gdb, address, size);
    const bool memory = present || !length;
    if (memory)
        size = present;
    if ((!memory && !lane_is_active(gdb)) ||
        sam_session_read_lane(gdb->session, lane_of(gdb), address, bytes, size, NULL) != SAM_OK) {
        sam_gdb_send_error(gdb, SAM_GDB_FAULT);
        return;
    }
    gdb->reply.size = 0;
    sam_gdb_append_bytes(&gdb->reply, bytes, size);
    sam_gdb_send(gdb);
}

/* M has hexadecimal digits, X bytes. */
static void write_memory(struct sam_gdb *gdb, struct sam_gdb_text text, bool binary)
{
    uint8_t bytes[SAM_GDB_PACKET];
    const void *data = bytes;
    uint64_t address, length;
    if (!sam_gdb_take_pair(&text, &address, ',', &length) || !sam_gdb_take(&text, ":") ||
        length > sizeof bytes) {
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
        return;
    }
    const size_t size = (size_t)length;
    const bool whole = binary ? (size_t)(text.end - text.at) == size
                              : sam_gdb_take_bytes(&text, bytes, size) && sam_gdb_at_end(&text);
    if (!whole) {
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
        return;
    }
    if (binary)
        data = text.at;
    /* gdb probes for X with a write of 0 bytes. */
    const enum sam_status status =
        size ? sam_session_write_lane(gdb->session, lane_of(gdb), address, data, size, NULL)
             : SAM_OK;
    sam_gdb_send_error(gdb, status == SAM_OK           ? SAM_GDB_OK
                            : status == SAM_ERR_MEMORY ? SAM_GDB_NO_MEMORY
                                                       : SAM_GDB_FAULT);
}

/* ---------------------------------------------------------------------------------- threads */

/* Hg: the thread of registers and memory; Hc: the one that s and bs step. */
static void choose_thread(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    struct sam_gdb_thread thread;
    const bool general = sam_gdb_take(&text, "g");
    if (!general && !sam_gdb_take(&text, "c")) {
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
    } else if (!sam_gdb_take_thread(gdb, &text, &thread, gdb->stopped) || !sam_gdb_at_end(&text)) {
        sam_gdb_send_error(gdb, SAM_GDB_NO_THREAD);
    } else {
        *(general ? &gdb->thread : &gdb->resumed) = thread;
        sam_gdb_send_error(gdb, SAM_GDB_OK);
    }
}

static void is_alive(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    struct sam_gdb_thread thread;
    const bool alive = sam_gdb_take_thread(gdb, &text, &thread, gdb->thread);
    sam_gdb_send_error(gdb, alive && sam_gdb_at_end(&text) ? SAM_GDB_OK : SAM_GDB_NO_THREAD);
}

/* ------------------------------------------------------------------------------------ leaving */

static void leave(struct sam_gdb *gdb, enum sam_gdb_end end, bool answers)
{
    if (answers)
        sam_gdb_send_error(gdb, SAM_GDB_OK);
    gdb->result->end = end;
    gdb->result->trapped = gdb->trap_time == sam_session_time(gdb->session);
    sam_gdb_end(gdb, SAM_OK, "");
}

/* ---------------------------------------------------------------------------------- dispatch */

static void answer_v(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    if (sam_gdb_take(&text, "Cont?"))
        sam_gdb_send_text(gdb, "vCont;c;C;s;S;t;r");
    else if (sam_gdb_take(&text, "Cont"))
        sam_gdb_vcont(gdb, text);
    else if (sam_gdb_take(&text, "File:"))
        sam_gdb_file(gdb, text);
    else if (sam_gdb_take(&text, "Kill"))
        leave(gdb, SAM_GDB_KILLED, true);
    else
        sam_gdb_send_text(gdb, ""); /* vMustReplyEmpty, too */
}

static void answer(struct sam_gdb *gdb, char first, struct sam_gdb_text text)
{
    switch (first) {
    case '?': sam_gdb_why(gdb); break;
    case 'g': sam_gdb_read_all(gdb); break;
    case 'G': sam_gdb_write_all(gdb, text); break;
    case 'p': sam_gdb_read_one(gdb, text); break;
    case 'P': sam_gdb_write_one(gdb, text); break;
    case 'm': read_memory(gdb, text); break;
    case 'M': write_memory(gdb, text, false); break;
    case 'X': write_memory(gdb, text, true); break;
    case 'c': sam_gdb_continue(gdb, text, false); break;
    case 'C': sam_gdb_continue(gdb, text, true); break;
    case 's': sam_gdb_step(gdb, text, false); break;
    case 'S': sam_gdb_step(gdb, text, true); break;
    case 'Z': sam_gdb_insert_point(gdb, text); break;
    case 'z': sam_gdb_remove_point(gdb, text); break;
    case 'H': choose_thread(gdb, text); break;
    case 'T': is_alive(gdb, text); break;
    case 'q': sam_gdb_query(gdb, text); break;
    case 'Q': sam_gdb_set(gdb, text); break;
    case 'v': answer_v(gdb, text); break;
    case 'k': leave(gdb, SAM_GDB_KILLED, false); break;
    case 'D': leave(gdb, SAM_GDB_DETACHED, true); break;
    case 'b':
        if (sam_gdb_take(&text, "s") && sam_gdb_at_end(&text))
            sam_gdb_back(gdb, true);
        else if (sam_gdb_take(&text, "c") && sam_gdb_at_end(&text))
            sam_gdb_back(gdb, false);
        else
            sam_gdb_send_text(gdb, "");
        break;
    default: sam_gdb_send_text(gdb, ""); break;
    }
}

/* ----------------------------------------------------------------------------- the client */

enum sam_status sam_gdb_open(const struct sam_gdb_transport *transport,
                             const struct sam_gdb_options *options, struct sam_gdb **out,
                             struct sam_error *error)
{
    if (SAM_LACKS(error, transport, out))
        return SAM_ERR_USAGE;
    *out = NULL;
    struct sam_gdb *gdb = sam_alloc(1, sizeof *gdb);
    if (!gdb)
        return sam_fail_memory(error);
    gdb->transport = *transport;
    enum sam_status status =
        sam_options_take(&gdb->options, sizeof gdb->options, sizeof gdb->options, options, error);
    if (status == SAM_OK && gdb->options.program && !gdb->options.program_name)
        status = sam_fail(error, SAM_ERR_USAGE, "a program without a name");
    if (status != SAM_OK) {
        free(gdb);
        return status;
    }
    *out = gdb;
    return SAM_OK;
}

void sam_gdb_close(struct sam_gdb *gdb)
{
    if (!gdb)
        return;
    free(gdb->points);
    free(gdb->known);
    free(gdb->csrs);
    sam_buffer_free(&gdb->packet);
    sam_buffer_free(&gdb->reply);
    sam_buffer_free(&gdb->frame);
    sam_buffer_free(&gdb->last_stop);
    sam_buffer_free(&gdb->document);
    free(gdb);
}

/* Reset the state of the previous session, except for settings of the client. */
static enum sam_status enter(struct sam_gdb *gdb, struct sam_error *error)
{
    gdb->over = false;
    gdb->status = SAM_OK;
    gdb->reverse = false;
    gdb->known_count = 0;
    gdb->first = 0;
    gdb->stopped = (struct sam_gdb_thread){0};
    gdb->last_stop.size = 0;
    gdb->document_name = NULL;
    gdb->trap_time = gdb->watch_time = UINT64_MAX;
    enum sam_status status = sam_session_shape(gdb->session, &gdb->shape, error);
    if (status != SAM_OK)
        return status;
    if (!sam_gdb_some_thread(gdb, &gdb->stopped))
        return sam_fail(error, SAM_ERR_USAGE, "the session has ended: nothing to debug");
    gdb->thread = gdb->resumed = gdb->stopped;
    if (!gdb->options.no_reverse) {
        status = sam_session_record(gdb->session, 0, error);
        gdb->reverse = status == SAM_OK;
        if (status == SAM_ERR_MEMORY)
            return status;
    }
    if (!gdb->layout.count && !sam_gdb_lay_out(gdb))
        return sam_fail_memory(error);
    return sam_gdb_restore_points(gdb, error);
}

static void converse(struct sam_gdb *gdb)
{
    if (gdb->carry != SAM_GDB_CARRY_NOTHING)
        sam_gdb_carry_on(gdb);
    while (sam_gdb_receive(gdb)) {
        const char *packet = sam_buffer_text(&gdb->packet);
        const size_t size = gdb->packet.size;
        answer(gdb, size ? *packet : '\0',
               (struct sam_gdb_text){packet + (size != 0), packet + size});
    }
    if (gdb->carry == SAM_GDB_CARRY_NOTHING)
        sam_gdb_settle(gdb);
}

enum sam_status sam_gdb_serve(struct sam_gdb *gdb, struct sam_session *session, bool last,
                              struct sam_gdb_result *result, struct sam_error *error)
{
    struct sam_gdb_result ignored;
    result = result ? result : &ignored;
    *result = (struct sam_gdb_result){.end = SAM_GDB_KILLED};
    if (SAM_LACKS(error, gdb, session))
        return SAM_ERR_USAGE;
    gdb->session = session;
    gdb->last = last;
    gdb->result = result;
    gdb->error = error;
    enum sam_status status = enter(gdb, error);
    if (status == SAM_OK) {
        converse(gdb);
        status = gdb->status;
    }
    sam_gdb_remove_points(gdb);
    gdb->session = NULL;
    return status;
}
