/* SPDX-License-Identifier: Apache-2.0 */
/* A scripted client that keeps the answers: protocol tests need neither sockets nor threads. */
#ifndef TEST_GDB_CLIENT_H
#define TEST_GDB_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "samite/gdb.h"

struct client {
    struct sam_buffer said; /* its output, byte for byte */
    size_t at, part;        /* part: bytes at a time; 0: all */
    struct sam_buffer heard;
    size_t heard_at;
    bool silent; /* at its end it is silent, instead of hanging up */
};

void client_free(struct client *c);
/* To send: bytes as they are; a packet with its frame, and the acknowledgement of the answer. */
void client_bytes(struct client *c, const char *bytes, size_t size);
void client_packet(struct client *c, const char *text);
void client_packet_of(struct client *c, const void *data, size_t size);
struct sam_gdb_transport client_transport(struct client *c);

/* The next packet received, without its frame and unescaped, after any acknowledgements; *size
 * may be NULL. Valid until the next call. Returns NULL if there is none. Fails the test if the
 * checksum is wrong. */
const char *client_answer(struct client *c, size_t *size);
/* The next packet must be this; '*' matches any text. */
void client_expect(struct client *c, const char *pattern);
/* The same for console output, decoded; consecutive packets are joined. */
void client_expect_console(struct client *c, const char *pattern);
/* Skip it, if there is any. */
void client_skip_console(struct client *c);
/* No packet is left. */
void client_expect_end(struct client *c);

#endif
