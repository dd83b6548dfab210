/* SPDX-License-Identifier: Apache-2.0 */
/* The remote protocol on launches: running forward and backward, and stop reasons. */

#include "test.h"

#include "served.h"

TEST(breakpoints)
{
    SCOPED_SERVED *s = open_served(two_warps, 2, 1);
    TALK(s, {"qSupported:swbreak+;hwbreak+", "*"}, {"Z0,8000003c,4", "OK"},
         {"Z0,8000003c,4", "OK"}, /* again */
         {"vCont;c", "T05swbreak:;thread:1;20:3c000080;02:*;08:*;"}, {"m90000000,4", "00000000"},
         {"vCont;c", "T05swbreak:;thread:2;20:3c000080;*"}, {"m90000000,4", "41000000"},
         {"z0,8000003c,4", "OK"}, {"z0,8000003c,4", "OK"}, {"Z1,80000048,4", "OK"},
         {"c", "T05hwbreak:;thread:*;20:48000080;*"}, {"z1,80000048,4", "OK"},
         {"Z0,80000002,2", "E16"}, {"Z0,80000058", "E01"}, {"Z9,80000058,4", "E01"},
         {"Z5,0,0", "E01"}, {"Z2,90000000,0", "E16"}, {"Z0", "E01"}, {"z0", "E01"},
         {"Z2,90000008,4", "OK"}, {"c", "T05watch:90000008;thread:1;20:54000080;*"},
         {"m90000008,4", "00000000"});
}

/* For gdb, RISC-V watchpoints stop before the access. It removes them and steps; a client that
 * continues at once does not stop there again. */
TEST(watchpoints)
{
    struct served *s = open_served(two_warps, 2, 1);
    TALK(s, {"Z3,90000004,1", "OK"}, {"Z4,90000001,2", "OK"},
         /* the store of a word that covers the two bytes: the watchpoint's location */
         {"c", "T05awatch:90000001;thread:1;20:3c000080;*"}, {"m90000000,4", "00000000"},
         {"z4,90000001,2", "OK"}, {"vCont;s:1", "T05thread:1;20:40000080;*"},
         {"m90000000,4", "41000000"}, {"Z2,90000004,2", "OK"},
         {"c", "T05watch:90000004;thread:2;20:3c000080;*"},
         {"s", "T05thread:2;20:40000080;*"}, /* over it, although it is still watched */
         {"c", "T05rwatch:90000004;thread:1;20:4c000080;*"}, {"p7", "00000000"},
         {"vCont;r8000004c,80000054:1", "T05thread:1;20:54000080;*"}, {"Z2,90000008,4", "OK"},
         {"c", "T05watch:90000008;thread:1;20:54000080;*"}, {"c", "W00"});
    close_served(s);
    s = open_served(two_warps, 2, 1);
    s->options.no_reverse = true; /* nothing to go back to */
    TALK(s, {"Z2,90000000,4", "OK"}, {"c", "T05watch:90000000;thread:1;20:40000080;*"},
         {"m90000000,4", "41000000"}, {"c", "W00"});
    close_served(s);
}

TEST(steps)
{
    SCOPED_SERVED *s = open_served(two_warps, 2, 1);
    TALK(s, {"vCont;s:2;c", "T05thread:2;20:04000080;*"},
         {"vCont;s:2", "T05thread:2;20:08000080;*"}, {"s", "T05thread:2;20:0c000080;*"},
         {"Hc1", "OK"}, {"s", "T05thread:1;20:04000080;*"},
         /* out of a range; over a barrier, for which warp 0 waits; and the answer again */
         {"vCont;r80000008,80000044:2;c", "T05thread:2;20:44000080;*"}, {"?", "T05thread:2;*"},
         {"vCont;r80000044,80000048:2;c", "T05thread:2;20:48000080;*"}, {"Hg1", "OK"},
         {"p20", "48000080"}, {"m90000000,8", "4100000042000000"},
         {"vCont;t", "T05thread:2;20:48000080;*"}, {"vCont;s:9", "E03"}, {"vCont;s:2:c", "E01"},
         {"vCont", "E01"}, {"vCont;", "E01"}, {"vCont;x", "E01"}, {"vCont;r1", "E01"},
         {"vCont;r1,2x", "E01"}, {"vCont;S", "E01"}, {"S", "E01"}, {"sq", "E01"}, {"s2", "E01"},
         {"Cq", "E01"}, {"p20", "48000080"},
         {"s80000058", "T05thread:1;20:48000080;*"}, /* warp 2 ended there: the other continues */
         {"vCont;c:1", "W00"});
}

/* A waiting warp, while the others may not run. */
TEST(locked)
{
    SCOPED_SERVED *s = open_served(two_warps, 2, 1);
    struct client *c = &s->client;
    client_packet(c, "vCont;c:1");
    client_packet(c, "vCont;s:1");
    client_packet(c, "qXfer:threads:read::0,1000");
    client_packet(c, "vCont;s:1;c:2");
    client_packet(c, "k");
    serve(s);
    client_expect_console(c, "samite: workgroup 0 warp 0 waits at a barrier for others, which may "
                             "not run\n");
    client_expect(c, "T11thread:1;20:44000080;*");
    client_expect_console(c, "samite: workgroup 0 warp 0 waits*");
    client_expect(c, "T11thread:1;20:44000080;*");
    client_expect(c, "l*>at a barrier, 8 of 8 lanes<*");
    client_expect(c, "T05thread:1;20:48000080;*");
}

/* Step over a breakpoint at the last instruction: with the other threads stopped, the one that is
 * stepped must be the one that stops, even though it ends. */
TEST(ending_alone)
{
    SCOPED_SERVED *s = open_served(two_warps, 2, 1);
    struct client *c = &s->client;
    client_packet(c, "Z0,80000058,4");
    client_packet(c, "vCont;c");
    client_packet(c, "z0,80000058,4");
    client_packet(c, "vCont;s:1");
    client_packet(c, "vCont;s:1");
    client_packet(c, "vCont;c");
    serve(s);
    client_expect(c, "OK");
    client_expect(c, "T05thread:1;20:58000080;*");
    client_expect(c, "OK");
    client_expect_console(c, "samite: workgroup 0 warp 0 has ended\n");
    client_expect(c, "T05thread:1;*");
    client_expect(c, "E03");
    client_expect(c, "W00");
    client_expect_end(c);
}

TEST(reverse)
{
    struct served *s = open_served(two_warps, 2, 1);
    TALK(s, {"Z0,8000003c,4", "OK"}, {"c", "T05thread:1;20:3c000080;*"},
         {"c", "T05thread:2;20:3c000080;*"}, {"bs", "T05thread:2;20:38000080;*"},
         {"bc", "T05thread:1;20:3c000080;*"}, {"m90000000,4", "00000000"}, {"z0,8000003c,4", "OK"},
         {"Z2,90000000,4", "OK"}, {"c", "T05watch:90000000;thread:1;*"},
         {"m90000000,4", "00000000"}, {"Z0,80000058,4", "OK"}, {"c", "T05thread:*;20:58000080;*"},
         /* back to the store, which the step then undoes */
         {"bc", "T05watch:90000000;thread:1;20:40000080;*"}, {"m90000000,4", "41000000"},
         {"bs", "T05thread:1;20:3c000080;*"}, {"m90000000,4", "00000000"},
         {"bc", "T05replaylog:begin;thread:1;*"}, {"bs", "T05replaylog:begin;thread:1;*"},
         {"bx", ""}, {"b", ""}, {"bcx", ""});
    close_served(s);
    s = open_served(two_warps, 2, 1);
    s->options.no_reverse = true;
    TALK(s, {"qSupported", "*qXfer:threads:read+"}, {"s", "T05*"}, {"bs", "E16"}, {"bc", "E16"});
    close_served(s);
}

TEST(exits)
{
    SCOPED_SERVED *s = open_served(two_warps, 2, 3);
    client_packet(&s->client, "vCont;c");
    serve(s);
    must(s->status, &s->error);
    assert_int_equal(s->result.end, SAM_GDB_EXITED);
    client_expect(&s->client, "W00");
    client_expect_end(&s->client);
    assert_int_equal(program_word(&s->program, DATA + 8), 65 + 66);
}

/* Detached: the caller continues, without the breakpoint. */
TEST(detaches)
{
    struct served *s = open_served(two_warps, 2, 3);
    client_packet(&s->client, "Z0,8000003c,4");
    client_packet(&s->client, "c");
    client_packet(&s->client, "D");
    serve(s);
    must(s->status, &s->error);
    assert_int_equal(s->result.end, SAM_GDB_DETACHED);
    struct sam_session_stop stop;
    succeeds(sam_session_run, s->session, NULL, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    assert_int_equal(program_word(&s->program, DATA + 8), 65 + 66);
    close_served(s);
    s = open_served(two_warps, 2, 3);
    client_packet(&s->client, "vKill;1");
    serve(s);
    client_expect(&s->client, "OK");
    assert_int_equal(s->result.end, SAM_GDB_KILLED);
    close_served(s);
}

TEST(vanishes)
{
    struct served *s = open_served("loop: j loop\n", 1, 1);
    client_packet(&s->client, "c"); /* and it disconnects while the program runs for ever */
    serve(s);
    assert_int_equal(s->status, SAM_ERR_IO);
    assert_string_equal(s->error.text, "gdb has closed the connection");
    close_served(s);
    s = open_served("endprg\n", 1, 1);
    serve(s);
    assert_int_equal(s->status, SAM_ERR_IO);
    close_served(s);
}

TEST(stops)
{
    static volatile int stop = 1;
    struct served *s = open_served("loop: j loop\n", 1, 1);
    s->client.silent = true;
    s->options.stop = &stop;
    serve(s); /* idle */
    assert_int_equal(s->status, SAM_ERR_STOPPED);
    close_served(s);
    s = open_served("loop: j loop\n", 1, 1);
    s->program.options.stop = &stop;
    client_packet(&s->client, "c");
    serve(s); /* while it runs */
    assert_int_equal(s->status, SAM_ERR_STOPPED);
    client_expect(&s->client, "X02");
    close_served(s);
}

TEST(interrupts)
{
    for (size_t part = 0; part < 3; part++) {
        SCOPED_SERVED *s = open_served("loop: addi t0, t0, 1\n j loop\n", 1, 1);
        s->client.part = part;
        client_packet(&s->client, "c");
        client_bytes(&s->client, "\3", 1);
        client_packet(&s->client, "vCont;r80000000,80000008:1");
        client_bytes(&s->client, "\3", 1);
        client_packet(&s->client, "s");
        client_packet(&s->client, "k");
        serve(s);
        client_expect(&s->client, "T02thread:1;20:0?000080;*");
        client_expect(&s->client, "T02thread:1;20:0?000080;*");
        client_expect(&s->client, "T05thread:1;20:0?000080;*");
        client_expect_end(&s->client);
        must(s->status, &s->error);
    }
}

TEST(traps)
{
    static const struct {
        const char *text, *answer, *death;
        uint64_t max_insns;
    } rows[] = {
        {"nop\n.word 0xffffffff\n", "T04thread:1;20:04000080;*", "X04", 0},
        {"nop\nlw t0, 0(zero)\nendprg\n", "T0bthread:1;20:04000080;*", "X0b", 0},
        {"li s0, 0x90000000\nlw t0, 2(s0)\nendprg\n", "T0athread:1;*", "X0a", 0},
        {"nop\nloop: j loop\n", "T18thread:1;20:04000080;*", "X18", 100},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        SCOPED_SERVED *s = open_served(rows[i].text, 1, 1);
        struct client *c = &s->client;
        s->program.options.max_insns = rows[i].max_insns;
        client_packet(c, "c");
        client_packet(c, "vCont;c");     /* without the signal: the same again */
        client_packet(c, "vCont;C0b:1"); /* with it: the end */
        serve(s);
        for (unsigned k = 0; k < 2; k++) {
            client_expect_console(c, "samite: *workgroup 0*");
            client_expect(c, rows[i].answer);
        }
        client_expect(c, rows[i].death);
        client_expect_end(c);
        assert_int_equal(s->status, SAM_ERR_TRAP);
    }
    /* repaired: it continues, although the client passes the signal */
    struct served *s = open_served("nop\nlw t0, 0(s0)\nendprg\n", 1, 1);
    TALK(s, {"c", "T0bthread:1;*"}, {"P8=00000090", "OK"}, {"C0b", "W00"});
    close_served(s);
}

/* A step that waits for the others finds them waiting elsewhere. */
TEST(deadlock)
{
    SCOPED_SERVED *s = open_served("csrr t0, wid\nbnez t0, other\nbarrier x0, x0, 0\nendprg\n"
                                   "other: barrier x0, x0, 0\nendprg\n",
                                   2, 1);
    struct client *c = &s->client;
    client_packet(c, "vCont;r80000000,8000000c:1;c");
    client_packet(c, "k");
    serve(s);
    client_expect_console(c, "samite: *workgroup 0*");
    client_expect(c, "T06thread:?;*");
    client_expect_end(c);
}

/* Consecutive launches are one program: a breakpoint stays, a step ends at the start of the next
 * launch. */
TEST(in_a_row)
{
    SCOPED(program) p = program_new(two_warps, 8);
    SCOPED(client) c = {0};
    struct sam_gdb *gdb;
    p.launch.warps = 2;
    client_packet(&c, "Z0,80000054,4");
    for (unsigned i = 0; i < 3; i++)
        client_packet(&c, "c");
    client_packet(&c, "z0,80000054,4");
    client_packet(&c, "vCont;s:1;c:2");
    client_packet(&c, "Z0,80000058,4");
    client_packet(&c, "c");
    client_packet(&c, "c");
    client_packet(&c, "vCont;s:2");
    client_packet(&c, "z0,80000058,4");
    client_packet(&c, "c");
    const struct sam_gdb_transport transport = client_transport(&c);
    succeeds(sam_gdb_open, &transport, NULL, &gdb);
    for (unsigned i = 0; i < 4; i++) {
        SCOPED_SESSION *session;
        struct sam_gdb_result result;
        succeeds(sam_session_open, p.gpu, &p.launch, NULL, &session);
        succeeds(sam_gdb_serve, gdb, session, i == 3, &result);
        assert_int_equal(result.end, SAM_GDB_EXITED);
        assert_int_equal(sam_session_workgroup_state(session, 0), SAM_SESSION_ENDED);
    }
    client_expect(&c, "OK");
    for (unsigned i = 0; i < 3; i++)
        client_expect(&c, "T05thread:1;20:54000080;*");
    client_expect(&c, "OK");
    client_expect(&c, "T05thread:1;20:58000080;*");
    client_expect(&c, "OK");
    client_expect(&c, "T05thread:1;20:58000080;*");
    client_expect(&c, "T05thread:2;20:58000080;*");
    client_expect(&c, "T05thread:1;20:00000080;*"); /* of the fourth launch */
    client_expect(&c, "OK");
    client_expect(&c, "W00");
    client_expect_end(&c);
    sam_gdb_close(gdb);
}
