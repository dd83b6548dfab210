/* SPDX-License-Identifier: Apache-2.0 */
/* `samite debug` on a terminal: the prompt, Ctrl-C, an empty line, completion, the end of input. */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "cli/command.h"

static const char prompt[] = "(samite) ";

struct terminal {
    int master;
    pid_t child;
    struct sam_buffer said;
    size_t seen; /* of its output, by expect() */
};

FIXTURE(setup)
{
    make_directory();
    write_text("spin.s", "_start: nop\nhere: addi t0, t0, 1\n j here\n");
    return 0;
}

/* Is Samite built with libedit? */
static bool edits_lines(void)
{
    const char *editing = getenv("SAMITE_EDITLINE");
    return editing && strcmp(editing, "1") == 0;
}

/* Start the debugger on a new terminal of a kind (TERM). */
static struct terminal begin(const char *kind, const char *option)
{
    char name[64];
    struct terminal t = {.master = open_terminal(name, sizeof name)};
    t.child = fork();
    assert_true(t.child >= 0);
    if (t.child == 0) {
        setsid();
        int slave = open(name, O_RDWR);
        struct termios mode;
        if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) != 0 || chdir(directory) != 0 ||
            tcgetattr(slave, &mode) != 0)
            _exit(97);
        mode.c_lflag |= NOFLSH; /* otherwise Ctrl-C also discards output printed meanwhile */
        tcsetattr(slave, TCSANOW, &mode);
        for (int i = 0; i < 3; i++)
            dup2(slave, i);
        setenv("TERM", kind, 1);
        execl(getenv("SAMITE"), "samite", "debug", "--color=never", "--machine", "tensor", "spin.s",
              option, (char *)NULL);
        _exit(98);
    }
    return t;
}

static void type(struct terminal *t, const char *keys)
{
    assert_int_equal(write(t->master, keys, strlen(keys)), strlen(keys));
}

/* Read until this appears; fails if the debugger ends first. */
static void expect(struct terminal *t, const char *part)
{
    for (;;) {
        const char *text = sam_buffer_text(&t->said);
        const char *found = strstr(text + t->seen, part);
        if (found) {
            t->seen = (size_t)(found - text) + strlen(part);
            return;
        }
        char bytes[1024];
        const ssize_t got = read(t->master, bytes, sizeof bytes);
        if (got <= 0)
            fail_msg("expected '%s' in: %s", part, text);
        sam_buffer_append(&t->said, bytes, (size_t)got);
    }
}

/* It must end with this code, or by a signal. */
static void ends(struct terminal *t, int code)
{
    int status;
    char bytes[1024];
    while (read(t->master, bytes, sizeof bytes) > 0)
        ;
    assert_int_equal(waitpid(t->child, &status, 0), t->child);
    assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), code);
    close(t->master);
    sam_buffer_free(&t->said);
}

static void commands(const char *kind, const char *forgotten)
{
    struct terminal t = begin(kind, NULL);
    expect(&t, "1\t_start: nop");
    expect(&t, prompt);
    type(&t, "stepi\n");
    expect(&t, "2\there: addi t0, t0, 1");
    expect(&t, prompt);
    type(&t, "\n"); /* again */
    expect(&t, "3\t j here");
    expect(&t, prompt);
    type(&t, "frobnicate\n"); /* an error does not end the session */
    expect(&t, "samite: error: unknown command 'frobnicate' (help)");
    expect(&t, prompt);
    type(&t, "continue\n");
    expect(&t, "continue\r\n"); /* earlier, Ctrl-C would discard the line */
    type(&t, "\003");
    expect(&t, "[stopped]");
    expect(&t, prompt);
    type(&t, "p t0 >= 1\n");
    expect(&t, "$1 = 1");
    expect(&t, prompt);
    type(&t, forgotten); /* Ctrl-C at the prompt discards a line */
    expect(&t, forgotten);
    type(&t, "\003");
    expect(&t, prompt);
    type(&t, "p 2 + 3\n");
    expect(&t, "$2 = 5");
    expect(&t, prompt);
    type(&t, "\003");
    expect(&t, prompt);
    type(&t, "\004"); /* end of input */
    ends(&t, 0);
}

TEST(on_a_terminal)
{
    if (!no_terminal())
        commands("xterm", edits_lines() ? "half a li" : "");
}

/* Without line editing. */
TEST(on_a_simple_terminal)
{
    if (!no_terminal())
        commands("dumb", ""); /* NOFLSH keeps typed input */
}

TEST(completes_words)
{
    if (!edits_lines() || no_terminal())
        return;
    struct terminal t = begin("xterm", NULL);
    expect(&t, prompt);
    type(&t, "disa\t");
    expect(&t, "disable");
    expect(&t, "disassemble");
    type(&t, "ss\t_st\t\n");
    expect(&t, "<_start>:\tnop");
    expect(&t, prompt);
    type(&t, "\020\n"); /* Ctrl-P: the previous line */
    expect(&t, "<_start>:\tnop");
    expect(&t, prompt);
    type(&t, "q\n");
    ends(&t, 0);
}

/* SIGTERM ends it in any state. */
TEST(is_terminated)
{
    if (no_terminal())
        return;
    struct terminal t = begin("xterm", NULL);
    expect(&t, prompt);
    kill(t.child, SIGTERM);
    ends(&t, 128 + SIGTERM);
    t = begin("xterm", "--ex=continue");
    expect(&t, "1\t_start: nop");
    kill(t.child, SIGTERM);
    ends(&t, 128 + SIGTERM);
}

/* A script has no prompt to return to: Ctrl-C ends it. */
TEST(scripts_are_interrupted)
{
    command_verb = "debug";
    pid_t child = start("--machine tensor spin.s --batch -ex continue");
    assert_true(comes(child, catches, SIGTERM));
    kill(child, SIGINT);
    struct outcome o = dies(child, SIGINT);
    done(&o);
}

TEST_GROUP(setup, remove_directory)
