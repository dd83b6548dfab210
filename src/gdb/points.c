/* SPDX-License-Identifier: Apache-2.0 */
/* Breakpoints (Z0 software, Z1 hardware, with the same effect) and watchpoints (Z2 writes, Z3
 * reads, Z4 both). Clients repeat packets, so that inserting a point twice or removing one that is
 * not set is no error. */
#include "gdb/gdb.h"

#include <stdlib.h>

enum { TYPE_WATCH = 2, TYPE_READ = 3, TYPE_ACCESS = 4 };

static bool parse(struct sam_gdb_text *text, struct sam_gdb_point *point)
{
    uint64_t type;
    *point = (struct sam_gdb_point){0};
    if (!sam_gdb_take_number(text, &type) || type > TYPE_ACCESS || !sam_gdb_take(text, ",") ||
        !sam_gdb_take_pair(text, &point->address, ',', &point->size) || !sam_gdb_at_end(text))
        return false;
    point->type = (unsigned)type;
    return true;
}

static struct sam_gdb_point *find(struct sam_gdb *gdb, const struct sam_gdb_point *wanted)
{
    for (size_t i = 0; i < gdb->point_count; i++) {
        struct sam_gdb_point *p = &gdb->points[i];
        if (p->type == wanted->type && p->address == wanted->address && p->size == wanted->size)
            return p;
    }
    return NULL;
}

const struct sam_gdb_point *sam_gdb_find_point(const struct sam_gdb *gdb, unsigned id)
{
    for (size_t i = 0; i < gdb->point_count; i++)
        if (gdb->points[i].id == id)
            return &gdb->points[i];
    return NULL;
}

static enum sam_status set(struct sam_gdb *gdb, struct sam_gdb_point *point,
                           struct sam_error *error)
{
    if (point->type < TYPE_WATCH)
        return sam_session_add_break(
            gdb->session, &(struct sam_session_break){.pc = point->address, .lanes = gdb->lanes},
            &point->id, error);
    return sam_session_add_watch(gdb->session,
                                 &(struct sam_session_watch){.address = point->address,
                                                             .size = point->size,
                                                             .loads = point->type >= TYPE_READ,
                                                             .stores = point->type != TYPE_READ},
                                 &point->id, error);
}

void sam_gdb_insert_point(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    struct sam_gdb_point point;
    if (!parse(&text, &point)) {
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
        return;
    }
    if (find(gdb, &point)) {
        sam_gdb_send_error(gdb, SAM_GDB_OK);
        return;
    }
    void *grown =
        sam_grow(gdb->points, gdb->point_count, &gdb->point_capacity, sizeof *gdb->points);
    if (!grown) {
        sam_gdb_send_error(gdb, SAM_GDB_NO_MEMORY);
        return;
    }
    gdb->points = grown;
    const enum sam_status status = set(gdb, &point, NULL);
    if (status == SAM_OK)
        gdb->points[gdb->point_count++] = point;
    sam_gdb_send_error(gdb, status == SAM_OK           ? SAM_GDB_OK
                            : status == SAM_ERR_MEMORY ? SAM_GDB_NO_MEMORY
                                                       : SAM_GDB_INVALID);
}

void sam_gdb_remove_point(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    struct sam_gdb_point point;
    if (!parse(&text, &point)) {
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
        return;
    }
    struct sam_gdb_point *found = find(gdb, &point);
    if (found) {
        sam_session_remove(gdb->session, found->id, NULL);
        *found = gdb->points[--gdb->point_count];
    }
    sam_gdb_send_error(gdb, SAM_GDB_OK);
}

void sam_gdb_remove_points(struct sam_gdb *gdb)
{
    for (size_t i = 0; i < gdb->point_count; i++)
        sam_session_remove(gdb->session, gdb->points[i].id, NULL);
}

enum sam_status sam_gdb_restore_points(struct sam_gdb *gdb, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (size_t i = 0; i < gdb->point_count && status == SAM_OK; i++)
        status = set(gdb, &gdb->points[i], error);
    return status;
}

enum sam_status sam_gdb_limit_lanes(struct sam_gdb *gdb, uint32_t lanes, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    gdb->lanes = lanes;
    for (size_t i = 0; i < gdb->point_count && status == SAM_OK; i++) {
        struct sam_gdb_point *point = &gdb->points[i];
        if (point->type >= TYPE_WATCH)
            continue;
        const unsigned old = point->id;
        status = set(gdb, point, error); /* keeps the old one on failure */
        if (status == SAM_OK)
            status = sam_session_remove(gdb->session, old, error);
    }
    return status;
}
