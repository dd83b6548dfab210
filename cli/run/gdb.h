/* SPDX-License-Identifier: Apache-2.0 */
/* --gdb: the driver of a run controlled by gdb. */
#ifndef RUN_GDB_H
#define RUN_GDB_H

#include "run/run.h"

struct run_gdb;

/* Listen, before anything else is done. `program` is the file of the program; NULL: none. The
 * objects of the request must outlive it. CLI_OK, or *gdb is NULL. */
int run_gdb_open(const struct run_request *request, const char *program, struct run_gdb **gdb);
void run_gdb_close(struct run_gdb *gdb);
/* The drive of struct run_driver; the context is a struct run_gdb. Consecutive launches are one
 * program to gdb. */
int run_gdb_drive(void *context, struct run_session *session);

#endif
