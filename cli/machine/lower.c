/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine system PROGRAM.pto`: a tile program lowered onto the system. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "machine/system.h"

const struct cli_option lower_profile_rows[] = {
    CLI_ROW(struct tile_request, options.profile, "tile-profile", CLI_CHOICE, NULL,
            "of a tile program: a5 (the default), a2a3, host (memories as large as those of the "
            "system)",
            .choices = TILE_PROFILES),
    {0},
};

const struct cli_option lower_rows[] = {
    CLI_ROW(struct tile_request, emit, "emit", CLI_TEXT, "DIR",
            "write the lowered tile program to a folder: hart.s, gpu.s, the arrays, and run, "
            "which runs them; of a network, its tile programs",
            .suffixes = "/", .forms = 1 << RUN_SYSTEM | 1 << RUN_HOST),
    {0},
};

int lower_check(const struct hart_request *r)
{
    const struct cli_args *args = r->run->args;
    const char *tile_only = cli_given_of(args, "func nan pad tile-profile emit");
    if (!r->tile && tile_only)
        return cli_usage_error(args, "--%s: expected a tile program (.pto)", tile_only);
    if (r->tile && r->system->gpu_code.count)
        return cli_usage_error(args, "--gpu-code: a tile program brings its kernels");
    if (r->tile && r->isa)
        return cli_usage_error(args, "--isa: a tile program becomes one of rv64");
    return CLI_OK;
}

/* The packed file of the arguments becomes that of the run. */
static int take_weights(struct hart_request *r, const struct run_arguments *arguments)
{
    enum { MOST = 1 << 30 };
    struct system_weights *weights = &r->system->weights;
    const char *path = NULL;
    for (size_t i = 0; i < arguments->count; i++) {
        const struct run_argument *a = &arguments->items[i];
        if (a->packed && path && strcmp(path, a->input) != 0)
            return cli_usage_error(
                r->run->args, "packed tensors of %s and of %s: expected one file", path, a->input);
        path = a->packed ? a->input : path;
    }
    if (!path)
        return CLI_OK;
    if (weights->file && strcmp(weights->file, path) != 0)
        return cli_usage_error(r->run->args, "--weights %s: the arguments are in %s", weights->file,
                               path);
    weights->file = path;
    return cli_load(path, MOST, &r->lowered->weights, &r->lowered->weights_size);
}

static int lower(struct hart_request *r, size_t function, size_t count)
{
    const struct sam_tile_options *o = &r->tile->options;
    const struct sam_tile_lower_options options = {.size = sizeof options,
                                                   .profile = o->profile,
                                                   .nan = o->nan,
                                                   .dialect = o->dialect,
                                                   .outside = o->outside,
                                                   .mlen = r->mlen,
                                                   .acc_regs = r->options.acc_regs,
                                                   .config = r->system->time.config,
                                                   .weights = r->lowered->weights,
                                                   .weights_size = r->lowered->weights_size};
    struct sam_error error = {0};
    char *messages = NULL;
    return cli_end_messages(sam_tile_lower(r->lowered->program, function, r->lowered->given, count,
                                           &options, &r->lowered->made, &messages, &error),
                            &messages, &error);
}

/* The script of the folder, to read or run. */
static int make_executable(const char *folder)
{
    struct stat status;
    char *path = cli_text("%s/run", folder);
    if (!path)
        return cli_no_memory();
    if (stat(path, &status) == 0) /* file systems without permissions: nothing to set */
        (void)chmod(path, (status.st_mode & 0777) | (status.st_mode & 0444) >> 2);
    free(path);
    return CLI_OK;
}

static int emit(const struct hart_request *r)
{
    struct sam_error error;
    const char *folder = r->tile->emit;
    if (!folder)
        return CLI_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_error("%s: %s", folder, strerror(errno));
    return sam_tile_lowered_emit(r->lowered->made, folder, &error) == SAM_OK
               ? make_executable(folder)
               : cli_report(&error);
}

int lower_open(struct hart_request *r, const struct run_arguments *arguments,
               struct sam_image **image)
{
    const char *path = r->run->files.items[0];
    const struct sam_image *hart, *gpu;
    struct sam_error error;
    size_t function = 0;
    struct lowered *l = r->lowered = calloc(1, sizeof *l);
    if (!l || !(l->given = calloc(arguments->count + 1, sizeof *l->given)))
        return cli_no_memory();
    l->program = tile_load(path);
    int code = l->program ? tile_function(r->run->args, l->program, path, r->tile->func, &function)
                          : CLI_BAD_INPUT;
    for (size_t i = 0; i < arguments->count && code == CLI_OK; i++)
        tile_give(&arguments->items[i], &l->given[i]);
    if (code == CLI_OK)
        tile_note_stored_input(l->program, function, l->given, arguments);
    code = code ?: take_weights(r, arguments) ?: lower(r, function, arguments->count) ?: emit(r)
        ?: cli_code(sam_tile_lowered_images(l->made, &hart, &gpu, &error), &error);
    if (code == CLI_OK)
        *image = (struct sam_image *)hart; /* not freed: r->lowered is */
    return code;
}

void lower_close(struct hart_request *r)
{
    if (!r->lowered)
        return;
    sam_tile_lowered_free(r->lowered->made);
    sam_tile_program_free(r->lowered->program);
    free(r->lowered->given);
    free(r->lowered->weights);
    free(r->lowered);
    r->lowered = NULL;
}

int lower_failure(const struct hart_request *r, struct sam_system *system)
{
    struct sam_error error;
    if (sam_tile_lowered_failure(r->lowered->made, system, &error) == SAM_OK)
        return cli_error("the program ended with exit code 1, and without a failure");
    return cli_report(&error);
}

int lower_fetch(const struct hart_request *r, struct sam_system *system)
{
    struct sam_error error;
    return cli_code(sam_tile_lowered_fetch(r->lowered->made, system, &error), &error);
}
