/* SPDX-License-Identifier: Apache-2.0 */
/* The remote serial protocol of GDB on a session: gdb-multiarch steps, inspects and changes a
 * launch or a tensor hart. A warp is a thread; target descriptions name its registers.
 *
 *   sam_gdb_listen(SAM_GDB_PORT, &link, &error);
 *   printf("waiting on port %u\n", sam_gdb_port(link));
 *   sam_gdb_accept(link, NULL, &error);
 *   const struct sam_gdb_transport transport = sam_gdb_transport(link);
 *   sam_gdb_open(&transport, NULL, &gdb, &error);
 *   sam_gdb_serve(gdb, session, true, &result, &error);
 *   sam_gdb_close(gdb);
 *   sam_gdb_hang_up(link);
 *
 * Threads are numbered workgroup * warps + warp + 1. Threads of the running workgroup, and of
 * workgroups that were selected, are listed until they end. Memory is that of the workgroup of the
 * current thread. docs/debugging.md shows the use, and lists the packets and `monitor` commands.
 *
 * Thread safety: a client, its session and its link are used by one thread at a time. Since 0.2. */
#ifndef SAMITE_GDB_H
#define SAMITE_GDB_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SAM_GDB_PORT 1234 /* of `samite run --gdb` without a number */

/* A connection. */
struct sam_gdb_transport {
    void *context;
    /* Read 1 to `size` bytes, waiting at most `wait` milliseconds for the first. Returns their
     * number; 0 after a timeout or a signal; -1 if the connection has ended. */
    long (*read)(void *context, void *bytes, size_t size, unsigned wait);
    /* Write them all. False: the connection has ended. */
    bool (*write)(void *context, const void *bytes, size_t size);
};

struct sam_gdb_options {
    size_t size;              /* sizeof of this struct (status.h) */
    const volatile int *stop; /* when not NULL and set to non-zero: stop serving soon */
    /* ELF file of the program, for a gdb that was started without one: its bytes, which must
     * outlive the client, and a name to show. NULL: none. */
    const void *program;
    size_t program_size;
    const char *program_name;
    /* Of the session: its TLRegs and matrix registers are shown. May be NULL. */
    struct sam_hart *hart;
    bool no_reverse; /* do not record sessions */
};

struct sam_gdb;

/* A client at the other end of the transport, which is copied; nothing is sent yet. */
SAM_API enum sam_status sam_gdb_open(const struct sam_gdb_transport *transport,
                                     const struct sam_gdb_options *options, struct sam_gdb **gdb,
                                     struct sam_error *error);
/* NULL does nothing. */
SAM_API void sam_gdb_close(struct sam_gdb *gdb);

enum sam_gdb_end {
    SAM_GDB_EXITED,   /* the program has run to its end */
    SAM_GDB_DETACHED, /* gdb detached: the session is unchanged, without breakpoints */
    SAM_GDB_KILLED,   /* gdb has ended the program */
};

struct sam_gdb_result {
    enum sam_gdb_end end;
    uint64_t exit_code; /* SAM_GDB_EXITED, of a hart */
    bool trapped;       /* SAM_GDB_KILLED: while it was at a trap */
};

/* Serve the client until it leaves or the session ends. The session is recorded from here on, if
 * possible, for reverse execution. Break- and watchpoints of the client are removed at the end.
 * `last` false: other sessions follow, which gdb sees as one program: the end of this one is not
 * reported, and the next call continues with the client's request and its breakpoints.
 * SAM_ERR_TRAP: the program failed, and gdb let it end; SAM_ERR_IO: the connection was lost;
 * SAM_ERR_STOPPED: options.stop, or that of the session's machine; SAM_ERR_MEMORY; SAM_ERR_USAGE.
 * Invalid requests are answered with an error. */
SAM_API enum sam_status sam_gdb_serve(struct sam_gdb *gdb, struct sam_session *session, bool last,
                                      struct sam_gdb_result *result, struct sam_error *error);

struct sam_gdb_link;

/* Listen on 127.0.0.1 only. Port 0: any free port. SAM_ERR_IO: the port is in use;
 * SAM_ERR_USAGE: a port above 65535. */
SAM_API enum sam_status sam_gdb_listen(unsigned port, struct sam_gdb_link **link,
                                       struct sam_error *error);
/* The port listened on; 0: of descriptors. */
SAM_API unsigned sam_gdb_port(const struct sam_gdb_link *link);
/* Wait for the client; there is one only. SAM_ERR_STOPPED: *stop was set, which may be NULL. */
SAM_API enum sam_status sam_gdb_accept(struct sam_gdb_link *link, const volatile int *stop,
                                       struct sam_error *error);
/* A client at the other end of two descriptors (or one socket, given twice), which the caller owns.
 */
SAM_API enum sam_status sam_gdb_connect(int input, int output, struct sam_gdb_link **link,
                                        struct sam_error *error);
/* The connection, once there is a client; the link must outlive its use. */
SAM_API struct sam_gdb_transport sam_gdb_transport(struct sam_gdb_link *link);
/* NULL does nothing. */
SAM_API void sam_gdb_hang_up(struct sam_gdb_link *link);

#ifdef __cplusplus
}
#endif
#endif
