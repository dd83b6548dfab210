/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --gdb` without gdb: a missing client, one that disconnects, and packets written by
 * hand. gdb itself: tests/gdb/multiarch.txt. */
#include "cli/command.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define KERNEL "k.s --kernel k --grid 1 --block 32 --arg out=out:u32:1:c.npy "

static void prepare_kernel(void)
{
    write_text("k.s", "        .globl  k\n"
                      "k:      lw      a1, 0(a0)\n"
                      "        li      t0, 7\n"
                      "        sw      t0, 0(a1)\n"
                      "        ret\n");
}

TEST(refuses_ports)
{
    prepare_kernel();
    expect_failure(KERNEL "--gdb=65536", 2, "--gdb=65536: expected a port from 0 to 65535, or -");
    expect_failure(KERNEL "--gdb=x", 2, "--gdb=x: expected a port");
    expect_failure(KERNEL "--gdb= ", 2, "--gdb=: expected a port");
    expect_failure(KERNEL "--gdb=- --trace", 2, "--gdb=- needs standard output for itself");
    expect_failure(KERNEL "--gdb=- --json", 2, "standard output");
    expect_failure("f.pto --gdb=0", 2, "--gdb");
}

/* A port in use is one line of error, before anything else happens. */
TEST(port_in_use)
{
    char part[64];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *at = (struct sockaddr *)(void *)&address;
    socklen_t size = sizeof address;
    const int taken = socket(AF_INET, SOCK_STREAM, 0);
    prepare_kernel();
    assert_int_equal(bind(taken, at, size), 0);
    assert_int_equal(listen(taken, 1), 0);
    assert_int_equal(getsockname(taken, at, &size), 0);
    FREED char *words = formatted(KERNEL "--gdb=%u", ntohs(address.sin_port));
    snprintf(part, sizeof part, "port %u is in use", ntohs(address.sin_port));
    expect_failure(words, 2, part);
    close(taken);
}

/* The client disconnects: without a packet, within one, or while the program runs for ever. */
TEST(vanishes)
{
    static const char *const words[] = {
        KERNEL "--gdb=- </dev/null",
        KERNEL "--gdb=- <begun",
    };
    prepare_kernel();
    write_text("begun", "+$QStartNoAckMode#b0$g#67$m0,4");
    write_text("loops.s", ".globl k\nk: j k\n");
    for (int i = 0; i < 2; i++)
        expect_failure(words[i], 2, "gdb has closed the connection");
    write_text("run", "$vCont;c#a8");
    expect_failure("loops.s --kernel k --grid 1 --block 32 --gdb=- <run", 2,
                   "gdb has closed the connection");
    assert_false(exists("c.npy"));
}

/* Detached by hand: outputs are written, and user output is not mixed with packets. */
TEST(detaches)
{
    prepare_kernel();
    write_text("detach", "$D#44+");
    struct outcome o = run(KERNEL "--gdb=- --stats <detach");
    assert_int_equal(o.code, 0);
    assert_string_equal(sam_buffer_text(&o.out), "+$OK#9a");
    expect_part(&o.err, "warp instructions");
    assert_true(exists("c.npy"));
    done(&o);
    write_text("kill", "$k#6b");
    o = run(KERNEL "--gdb=- -q <kill");
    assert_int_equal(o.code, 0);
    assert_int_equal(o.err.size, 0);
    done(&o);
    write_text("run", "$c#63+$c#63");
    o = run("k.s --kernel k --grid 1 --block 32 --arg u32:0 --gdb=- -q <run");
    assert_int_equal(o.code, 2); /* the client hangs up at the trap instead of continuing */
    done(&o);
    write_text("run", "$c#63+$k#6b");
    o = run("k.s --kernel k --grid 1 --block 32 --arg u32:0 --gdb=- -q <run");
    assert_int_equal(o.code, 1); /* left at a trap */
    done(&o);
    write_text("run", "$c#63+$C0b#d5+");
    o = run("k.s --kernel k --grid 1 --block 32 --arg u32:0 --gdb=- -q <run");
    assert_int_equal(o.code, 1);
    expect_part(&o.err, "error: store to 0x00000000");
    done(&o);
}

TEST(program_exits)
{
    write_text("h.s", "_start: li a0, 9\nli a7, 93\necall\n");
    write_text("run", "$c#63+");
    SCOPED_OUTCOME o = run("h.s --machine tensor --gdb=- <run");
    assert_int_equal(o.code, 9);
    assert_string_equal(sam_buffer_text(&o.out), "+$W09#c0");
    expect_part(&o.err, "exit code 9");
}

/* Ctrl-C while it waits. */
TEST(interrupted)
{
    prepare_kernel();
    const pid_t child = start(KERNEL "--gdb=0");
    assert_true(comes(child, has_spoken, 0));
    kill(child, SIGINT);
    SCOPED_OUTCOME o = dies(child, SIGINT);
    expect_part(&o.err, "stopped");
}

PROLOGUE
{
    make_directory();
}

TEST_GROUP(NULL, remove_directory)
