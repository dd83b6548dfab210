/* SPDX-License-Identifier: Apache-2.0 */
/* Malformed frames, and connections: descriptors and sockets. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

#include "client.h"
#include "simt/program.h"

/* Serve a small program; the bytes sent to the client are compared one by one. */
static enum sam_status serve_bytes(struct client *c, struct sam_gdb_result *result)
{
    SCOPED(program) p = program_new("nop\nloop: addi t0, t0, 1\nj loop\n", 4);
    SCOPED_SESSION *session;
    struct sam_gdb *gdb;
    struct sam_error e = {0};
    succeeds(sam_session_open, p.gpu, &p.launch, NULL, &session);
    const struct sam_gdb_transport transport = client_transport(c);
    succeeds(sam_gdb_open, &transport, NULL, &gdb);
    const enum sam_status status = sam_gdb_serve(gdb, session, true, result, &e);
    sam_gdb_close(gdb);
    return status;
}

static void exchange(const char *said, size_t size, const char *heard)
{
    for (size_t part = 0; part < 2; part++) {
        SCOPED(client) c = {.part = part};
        struct sam_gdb_result result;
        client_bytes(&c, said, size);
        serve_bytes(&c, &result);
        if (strcmp(sam_buffer_text(&c.heard), heard) != 0)
            fail_msg("'%.60s': heard '%s': expected '%s'", said, sam_buffer_text(&c.heard), heard);
    }
}
#define EXCHANGE(said, heard) exchange(said, sizeof(said) - 1, heard)

TEST(damaged)
{
    EXCHANGE("$qC#b4", "+$QC1#c5");
    EXCHANGE("junk\3\3++#$qC#b4", "+$QC1#c5");
    EXCHANGE("$qC#b5$qC#b4", "-+$QC1#c5"); /* a bad checksum: send again */
    EXCHANGE("$qC#zz$qC#B4", "-+$QC1#c5"); /* none; and in upper case */
    EXCHANGE("$qC#b", "");                 /* it breaks off */
    EXCHANGE("$qC", "");
    EXCHANGE("$", "");
    EXCHANGE("$#00", "+$#00");
    EXCHANGE("$Hg1$qC#b4", "+$QC1#c5");     /* begun anew */
    EXCHANGE("$}Q#ce$}q#ee", "+$#00+$#00"); /* escaped: a packet that begins with q is not */
    EXCHANGE("$q}#ee", "+$#00");            /* an escape at the end */
    EXCHANGE("$qC#b4-", "+$QC1#c5$QC1#c5"); /* the answer was not received */
    EXCHANGE("-$qC#b4", "+$QC1#c5");        /* nothing was sent before */
    EXCHANGE("$QStartNoAckMode#b0+$qC#b4-$qC#b4", "+$OK#9a$QC1#c5$QC1#c5");
    EXCHANGE("$QStartNoAckMode#b0+$qC#00$qC#b4", "+$OK#9a$E01#a6$QC1#c5");
    EXCHANGE("$QStartNoAckModeX#08$QNonStop:1#8d", "+$#00+$#00");
    EXCHANGE("$m0,\0#c9", "+$E01#a6");
    EXCHANGE("$qC\0#b4", "+$#00"); /* longer than its name */
}

/* The longest packet is accepted, a longer one is not, and the next one is. */
TEST(lengths)
{
    enum { LONGEST = 16384 };
    for (size_t more = 0; more < 3; more++) {
        const size_t size = LONGEST + (more == 2 ? 100000 : more);
        FREED char *packet = malloc(size);
        SCOPED(client) c = {0};
        assert_non_null(packet);
        memset(packet, '0', size);
        for (size_t i = 0; "M90000000,1:"[i]; i++)
            packet[i] = "M90000000,1:"[i];
        client_packet_of(&c, packet, size);
        client_packet(&c, "qC");
        client_packet(&c, "D");
        serve_bytes(&c, NULL);
        client_expect(&c, "E01");
        client_expect(&c, "QC1");
        client_expect(&c, "OK");
    }
}

/* The longest answer fits the announced size. */
TEST(long_answers)
{
    SCOPED(client) c = {0};
    size_t size;
    client_packet(&c, "m90000000,ffff");
    client_packet(&c, "qXfer:features:read:target.xml:0,fffffff");
    serve_bytes(&c, NULL);
    for (int i = 0; i < 2; i++) {
        const char *answer = client_answer(&c, &size);
        assert_non_null(answer);
        assert_true(size > 8000 && size <= 16384);
    }
}

/* ------------------------------------------------------------------------------- connections */

struct server {
    struct sam_gdb_link *link;
    enum sam_status status;
    struct sam_gdb_result result;
    struct sam_error error;
};

static void *serve_link(void *context)
{
    struct server *s = context;
    SCOPED(program) p = program_new("nop\nloop: addi t0, t0, 1\nj loop\n", 4);
    SCOPED_SESSION *session;
    struct sam_gdb *gdb;
    succeeds(sam_session_open, p.gpu, &p.launch, NULL, &session);
    if (sam_gdb_port(s->link))
        succeeds(sam_gdb_accept, s->link, NULL);
    const struct sam_gdb_transport transport = sam_gdb_transport(s->link);
    succeeds(sam_gdb_open, &transport, NULL, &gdb);
    s->status = sam_gdb_serve(gdb, session, true, &s->result, &s->error);
    sam_gdb_close(gdb);
    return NULL;
}

static void say(int at, const char *text)
{
    assert_int_equal(write(at, text, strlen(text)), strlen(text));
}

static void hear(int at, const char *text)
{
    char heard[256] = "";
    size_t used = 0;
    while (used < strlen(text)) {
        const ssize_t got = read(at, heard + used, sizeof heard - 1 - used);
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    if (strncmp(heard, text, strlen(text)) != 0)
        fail_msg("heard '%s': expected '%s'", heard, text);
}

/* Run, interrupt, and leave: by detaching, or by disconnecting. */
static void converse(int client, struct server *server, pthread_t thread, bool vanishes)
{
    say(client, "$QStartNoAckMode#b0");
    hear(client, "+$OK#9a");
    say(client, "+$vCont;c#a8");
    say(client, "\3");
    hear(client, "$T02thread:1;20:");
    if (vanishes) {
        say(client, "$vCont;c#a8");
        close(client);
    } else {
        say(client, "$D#44");
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(server->status, vanishes ? SAM_ERR_IO : SAM_OK);
    if (!vanishes) {
        assert_int_equal(server->result.end, SAM_GDB_DETACHED);
        close(client);
    }
}

TEST(descriptors)
{
    for (int vanishes = 0; vanishes < 2; vanishes++) {
        struct server server = {.link = NULL};
        pthread_t thread;
        int pair[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        succeeds(sam_gdb_connect, pair[0], pair[0], &server.link);
        assert_int_equal(sam_gdb_port(server.link), 0);
        assert_int_equal(pthread_create(&thread, NULL, serve_link, &server), 0);
        converse(pair[1], &server, thread, vanishes);
        sam_gdb_hang_up(server.link);
        assert_int_equal(close(pair[0]), 0); /* still ours */
    }
}

static struct sockaddr_in address_of(uint32_t host, unsigned port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(host)};
}

static int connect_to(uint32_t host, unsigned port)
{
    const struct sockaddr_in address = address_of(host, port);
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(client >= 0);
    if (connect(client, (const struct sockaddr *)(const void *)&address, sizeof address) == 0)
        return client;
    close(client);
    return -1;
}

TEST(sockets)
{
    for (int vanishes = 0; vanishes < 2; vanishes++) {
        struct server server = {.link = NULL}, second = {.link = NULL};
        pthread_t thread;
        succeeds(sam_gdb_listen, 0, &server.link);
        const unsigned port = sam_gdb_port(server.link);
        assert_true(port > 0);
        /* the port is taken */
        assert_int_equal(sam_gdb_listen(port, &second.link, &second.error), SAM_ERR_IO);
        assert_null(second.link);
        assert_non_null(strstr(second.error.text, "is in use"));
        /* on the loopback's first address only */
        assert_int_equal(connect_to(INADDR_LOOPBACK + 1, port), -1);
        const int client = connect_to(INADDR_LOOPBACK, port);
        assert_true(client >= 0);
        assert_int_equal(pthread_create(&thread, NULL, serve_link, &server), 0);
        converse(client, &server, thread, vanishes);
        refuses(sam_gdb_accept, server.link, NULL); /* there is only one client */
        sam_gdb_hang_up(server.link);
        /* and now it is free */
        succeeds(sam_gdb_listen, port, &server.link);
        sam_gdb_hang_up(server.link);
    }
}

TEST(nobody_comes)
{
    static volatile int stop = 1;
    struct sam_gdb_link *link;
    struct sam_error e;
    succeeds(sam_gdb_listen, 0, &link);
    assert_int_equal(sam_gdb_accept(link, &stop, &e), SAM_ERR_STOPPED);
    sam_gdb_hang_up(link);
    sam_gdb_hang_up(NULL);
    refuses(sam_gdb_listen, 65536, &link);
    refuses(sam_gdb_listen, 0, NULL);
    refuses(sam_gdb_accept, NULL, NULL);
    refuses(sam_gdb_connect, -1, 0, &link);
    refuses(sam_gdb_connect, 0, 0, NULL);
    assert_int_equal(sam_gdb_port(NULL), 0);
}
