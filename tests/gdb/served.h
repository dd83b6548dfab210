/* SPDX-License-Identifier: Apache-2.0 */
/* A launch served to a client with prepared packets. */
#ifndef TEST_GDB_SERVED_H
#define TEST_GDB_SERVED_H

#include "client.h"
#include "simt/program.h"

struct served {
    struct program program;
    struct sam_session *session;
    struct client client;
    struct sam_gdb_options options;
    struct sam_gdb_result result;
    enum sam_status status;
    struct sam_error error;
};

/* See served.c: lanes above 3 diverge, two warps meet at a barrier and exchange words. */
extern const char two_warps[];

struct served *open_served(const char *text, uint32_t warps, uint32_t groups);
/* Send all prepared packets, then hang up. */
void serve(struct served *s);
void close_served(struct served *s);
/* SCOPED_SERVED *s = open_served(...): closed at the end of the block. */
#define SCOPED_SERVED __attribute__((cleanup(scope_served_close))) struct served
static inline void scope_served_close(struct served **s)
{
    close_served(*s);
}
/* Requests and their answers, one each, without console output; NULL ends them. Then gdb ends
 * the program. */
void talk(struct served *s, const char *const (*talks)[2]);
#define TALK(s, ...) talk((s), (const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

#endif
