/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run` on a terminal and a port: its progress, `--gdb` where the port is taken, Ctrl-C
 * while it waits. The rest: run_failures.txt. */
#include "cli/command.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define KERNEL "k.s --kernel k --grid 1 --block 32 --arg out=out:u32:1:c.npy "

FIXTURE(set_up)
{
    make_directory();
    write_text("loop.s", ".globl k\nk: j k\n");
    write_text("k.s", ".globl k\nk: lw a1, 0(a0)\n li t0, 7\n sw t0, 0(a1)\n ret\n");
    return 0;
}

/* The output of the command on a terminal, stopped by Ctrl-C once it has printed `sign`. */
static struct sam_buffer watch(const char *words, const char *sign)
{
    int terminal, held, status;
    const pid_t child = start_on_terminal(words, 2, &terminal, &held);
    struct sam_buffer said = {0};
    while (!strstr(sam_buffer_text(&said), sign)) {
        char bytes[4096];
        ssize_t got = read(terminal, bytes, sizeof bytes);
        assert_true(got > 0);
        sam_buffer_append(&said, bytes, (size_t)got);
    }
    kill(child, SIGINT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    for (ssize_t got;;) {
        char bytes[4096];
        got = read(terminal, bytes, sizeof bytes);
        if (got <= 0)
            break;
        sam_buffer_append(&said, bytes, (size_t)got);
    }
    close(held);
    close(terminal);
    return said;
}

TEST(progress)
{
    if (no_terminal())
        return;
    struct sam_buffer said =
        watch("loop.s --color=never --kernel k --grid 30,2 --block 40", "warp instructions/s");
    expect_part(&said, "\rlaunch 0: 0 of 60 workgroups, 0 %, ");
    expect_part(&said, " M warp instructions/s, ? left");
    expect_part(&said, "\r\033[Ksamite: error: stopped after 0 of 60 workgroups");
    expect_part(&said, "  workgroup 0 (0,0,0): warps 0-1 at pc 0x8000002c <k+0x0> j ");
    sam_buffer_free(&said);
    /* the tensor hart: executed instructions, and their limit */
    said = watch("--machine tensor --color=never loop.s", "instructions/s");
    expect_part(&said, "\rrun: ");
    expect_part(&said, " M instructions/s");
    assert_null(strstr(sam_buffer_text(&said), " left"));
    sam_buffer_free(&said);
    said = watch("--machine tensor --color=never --max-insns 1000000000000000000 loop.s", " left");
    expect_part(&said, " of 1000000000000000000 instructions, 0 %, ");
    sam_buffer_free(&said);
}

/* A port in use is one line of error, before anything else happens. */
TEST(port_in_use)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *at = (struct sockaddr *)(void *)&address;
    socklen_t size = sizeof address;
    const int taken = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(taken, at, size), 0);
    assert_int_equal(listen(taken, 1), 0);
    assert_int_equal(getsockname(taken, at, &size), 0);
    FREED char *words = formatted(KERNEL "--gdb=%u", ntohs(address.sin_port));
    FREED char *part = formatted("port %u is in use", ntohs(address.sin_port));
    expect_failure(words, 2, part);
    close(taken);
}

/* Ctrl-C while it waits. */
TEST(interrupted)
{
    const pid_t child = start(KERNEL "--gdb=0");
    assert_true(comes(child, has_spoken, 0));
    kill(child, SIGINT);
    SCOPED_OUTCOME o = dies(child, SIGINT);
    expect_part(&o.err, "stopped");
}

TEST_GROUP(set_up, remove_directory)
