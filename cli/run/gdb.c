/* SPDX-License-Identifier: Apache-2.0 */
/* --gdb: gdb runs launches and programs, over a loopback port or standard input and output. */
#include "run/run.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct run_gdb {
    const struct run_request *request;
    const char *path;
    struct sam_gdb_link *link;
    struct sam_gdb *client; /* NULL: not connected yet */
    void *program;          /* an ELF file that gdb may fetch; NULL: none */
    size_t program_size;
    char *name; /* of it, without folders */
    bool left;  /* gdb has detached: run the rest */
};

int run_parse_gdb(struct cli_args *args, const struct cli_option *option, const char *text,
                  void *choice)
{
    struct run_gdb_choice *c = choice;
    uint64_t port = SAM_GDB_PORT;
    (void)option;
    *c = (struct run_gdb_choice){.given = true, .stdio = cli_is_stdio(text)};
    if (text && !c->stdio && (!sam_parse_u64(text, &port) || port > UINT16_MAX))
        return cli_usage_error(args, "--gdb=%s: expected a port from 0 to 65535, or -", text);
    c->port = (unsigned)port;
    return CLI_OK;
}

int run_gdb_open(const struct run_request *request, const char *program, struct run_gdb **gdb)
{
    struct sam_error error;
    const struct run_gdb_choice *choice = &request->gdb;
    *gdb = NULL;
    struct run_gdb *g = calloc(1, sizeof *g);
    if (!g)
        return cli_no_memory();
    g->request = request;
    g->path = program;
    if (choice->stdio) /* a disconnected client is an error like another */
        signal(SIGPIPE, SIG_IGN);
    const enum sam_status status =
        choice->stdio ? sam_gdb_connect(STDIN_FILENO, STDOUT_FILENO, &g->link, &error)
                      : sam_gdb_listen(choice->port, &g->link, &error);
    if (status != SAM_OK) {
        run_gdb_close(g);
        return cli_report(&error);
    }
    *gdb = g;
    return CLI_OK;
}

void run_gdb_close(struct run_gdb *gdb)
{
    if (!gdb)
        return;
    sam_gdb_close(gdb->client);
    sam_gdb_hang_up(gdb->link);
    free(gdb->program);
    free(gdb->name);
    free(gdb);
}

/* "kernels/vecadd.s" -> "vecadd.elf" */
static char *name_of(const char *path)
{
    const char *base = cli_base_name(path), *dot = strrchr(base, '.');
    return cli_text("%.*s.elf", (int)(dot ? dot - base : (ptrdiff_t)strlen(base)), base);
}

/* The program for gdb: the ELF file itself, with all its debug information, or the assembler's
 * image. */
static int make_program(struct run_gdb *gdb, const struct sam_image *image)
{
    struct sam_error error;
    if (!gdb->path || !image)
        return CLI_OK;
    gdb->name = name_of(gdb->path);
    if (!gdb->name)
        return cli_no_memory();
    if (!cli_is_stdio(gdb->path) && !cli_ends_with_any(gdb->path, ".s .S")) {
        char *file = NULL;
        const int code = cli_load(gdb->path, RUN_MAX_PROGRAM, &file, &gdb->program_size);
        gdb->program = file;
        if (code != CLI_OK || run_is_elf(file, gdb->program_size))
            return code;
        free(file);
        gdb->program = NULL;
    }
    return cli_code(sam_elf_make(image, &gdb->program, &gdb->program_size, &error), &error);
}

/* Wait for gdb, and start to serve it. */
static int meet(struct run_gdb *gdb, const struct run_session *opened)
{
    struct sam_error error;
    int code = make_program(gdb, opened->image);
    if (code != CLI_OK)
        return code;
    if (!gdb->request->gdb.stdio) {
        fprintf(stderr, "samite: waiting for gdb on 127.0.0.1:%u\n", sam_gdb_port(gdb->link));
        if (sam_gdb_accept(gdb->link, cli_stop_flag(), &error) != SAM_OK)
            return cli_report(&error);
    }
    const struct sam_gdb_options options = {
        .size = sizeof options,
        .stop = cli_stop_flag(),
        .program = gdb->program,
        .program_size = gdb->program_size,
        .program_name = gdb->name,
        .hart = opened->hart,
    };
    const struct sam_gdb_transport transport = sam_gdb_transport(gdb->link);
    return cli_code(sam_gdb_open(&transport, &options, &gdb->client, &error), &error);
}

int run_gdb_drive(void *context, struct run_session *session)
{
    struct run_gdb *gdb = context;
    struct sam_gdb_result result;
    struct sam_error error;
    int code = gdb->client ? CLI_OK : meet(gdb, session);
    if (code != CLI_OK || gdb->left)
        return code;
    const bool last = session->number + 1 >= session->count;
    if (sam_gdb_serve(gdb->client, session->session, last, &result, &error) != SAM_OK)
        return cli_report(&error);
    session->exit_code = result.exit_code;
    gdb->left = result.end == SAM_GDB_DETACHED;
    if (result.end == SAM_GDB_KILLED)
        return result.trapped ? CLI_PROGRAM_FAILED : CLI_SHOWN;
    return CLI_OK;
}
