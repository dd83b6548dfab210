/* SPDX-License-Identifier: Apache-2.0 */
/* samite lsp: programs in an editor. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "cli.h"
#include "lsp.h"

struct request {
    const char *isa;
};

static const struct cli_option options[] = {
    CLI_ISA(struct request, isa, "instruction set of assembly: ventus (default), tensor, ..."),
    {0},
};

static size_t read_bytes(void *context, char *bytes, size_t size)
{
    ssize_t got;
    (void)context;
    do
        got = read(STDIN_FILENO, bytes, size);
    while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

static bool more_arrives(void *context)
{
    enum { TYPING_MS = 150 };
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    (void)context;
    return poll(&input, 1, TYPING_MS) > 0;
}

static void write_bytes(void *context, const char *bytes, size_t size)
{
    (void)context;
    fwrite(bytes, 1, size, stdout);
    fflush(stdout);
}

static int run(struct cli_args *args)
{
    struct request r = {.isa = "ventus"};
    struct lsp lsp = {.frames.read = read_bytes, .write = write_bytes, .more = more_arrives};
    struct sam_error error = {.text = ""};
    const int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    if (sam_isa_parse(r.isa, &lsp.isa, &error) != SAM_OK)
        return cli_report(&error);
    signal(SIGPIPE, SIG_IGN); /* a client that has gone is an error like another */
    bool good = lsp_serve(&lsp, &error);
    if (good && lsp.over && !lsp.shut) /* exit code 1, as the protocol has it */
        good = cli_fail(&error, SAM_ERR_TRAP, NULL, "exit: expected shutdown before it");
    return good ? CLI_OK : cli_report(&error);
}

const struct cli_verb verb_lsp = {
    .name = "lsp",
    .summary = "check and explain assembly, tile programs and OpenCL C in an editor",
    .usage = "[options]",
    .options = options,
    .details = "Serves the Language Server Protocol on standard input and output: errors while\n"
               "typing, the instruction or tile operation under the cursor, and the\n"
               "definition of a label, value or function. Files that end in .pto are tile\n"
               "programs, in .cl OpenCL C (errors only), all others assembly.\n"
               "docs/debugging.md shows how editors are set up.\n",
    .examples = "  samite lsp --isa tensor\n",
    .run = run,
};
