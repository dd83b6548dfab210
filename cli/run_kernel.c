/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run kernel.s --kernel NAME ...`: a launch described on the command line. */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "stop.h"

static struct sam_image *assemble(const struct run *run, const char *name, const char *text,
                                  size_t size, const char *prologue)
{
    const struct run_request *request = run->request;
    struct sam_error error = {0};
    struct sam_asm_options options = {
        .size = sizeof options,
        .base = SAM_CODE_BASE,
        .defines = request->defines.items,
        .define_count = request->defines.count,
        .include_paths = request->includes.items,
        .include_count = request->includes.count,
        .prologue = prologue,
        .prologue_name = "<start code>",
    };
    if (sam_isa_parse("ventus", &options.isa, &error) != SAM_OK) {
        cli_report(&error);
        return NULL;
    }
    return run_assemble(request->args, &options, name, text, size);
}

/* Start code is put in front of a source without `_start`. */
static struct sam_image *assemble_kernel(const struct run *run, const char *name, const char *text,
                                         size_t size)
{
    struct sam_image *image = assemble(run, name, text, size, NULL);
    if (!image || sam_image_find(image, "_start"))
        return image;
    sam_image_free(image);
    return assemble(run, name, text, size, sam_gpu_start_code());
}

static int load_program(struct run *run, const char *path)
{
    char *data;
    size_t size;
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    if (sam_file_load(path, RUN_MAX_PROGRAM, &data, &size, &run->error) != SAM_OK)
        return cli_report(&run->error);
    int code = CLI_OK;
    if (size >= 4 && memcmp(data, "\177ELF", 4) == 0) {
        if (sam_elf_parse(data, size, name, &run->image, &run->error) != SAM_OK)
            code = cli_report(&run->error);
        else if (run->image->xlen != 32)
            code = run_report_wide(name);
    } else {
        run->image = assemble_kernel(run, name, data, size);
        code = run->image ? CLI_OK : CLI_BAD_INPUT;
    }
    free(data);
    return code;
}

/* Report an unknown kernel, and name those that exist. */
static int unknown_kernel(const struct run *run, const char *path)
{
    unsigned shown = 0;
    char names[300] = "";
    size_t used = 0;
    for (size_t i = 0; i < run->image->symbol_count && shown < 8 && used < sizeof names; i++) {
        const struct sam_symbol *symbol = &run->image->symbols[i];
        if (symbol->global && symbol->section_relative && strcmp(symbol->name, "_start") != 0)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     shown++ ? ", " : "; there are ", symbol->name);
    }
    return cli_error("%s: no symbol '%s'%s", path, run->asked->kernel, names);
}

/* Pokes before the launch, dumps after it. */
static int do_steps(struct run *run, enum run_step_kind kind)
{
    const struct run_request *request = run->request;
    int code = CLI_OK;
    for (size_t i = 0; i < request->steps.count && code == CLI_OK; i++) {
        const struct run_step *step = &request->steps.items[i];
        if (step->kind == kind)
            code = kind == RUN_POKE ? run_poke(run, step)
                                    : run_dump_memory(run_gpu_read, run->gpu, &step->dump);
    }
    return code;
}

/* A launch is held to the local memory that it declares: in the program, by --lds-size, as local:
 * arguments. One that declares none in any way has all of the window. */
static int bound_local_memory(struct run *run, const struct run_arguments *arguments,
                              struct sam_launch *launch)
{
    struct gpu_request *asked = run->asked;
    bool declared = asked->options.strict_lds || launch->lds_size < SAM_LDS_SIZE;
    for (size_t i = 0; i < arguments->count; i++) {
        const struct run_argument *a = &arguments->items[i];
        if (a->kind != RUN_LOCAL)
            continue;
        struct sam_lds_range *range = CLI_APPEND(run->request->args, &asked->lds_ranges);
        if (!range)
            return cli_no_memory();
        *range = (struct sam_lds_range){(uint32_t)a->bits, (uint32_t)a->size};
        declared = true;
    }
    if (declared && launch->lds_size == SAM_LDS_SIZE)
        launch->lds_size = launch->warps * 1024; /* the stacks */
    asked->options.strict_lds = declared;
    return CLI_OK;
}

static int launch(struct run *run, const char *path, struct run_arguments *arguments)
{
    const struct gpu_request *asked = run->asked;
    uint8_t *buffer = NULL;
    size_t size = 0;
    struct sam_launch launch;
    int code = run_arguments_place(run, arguments, &buffer, &size);
    run->arguments = arguments;
    if (code == CLI_OK) {
        struct sam_kernel kernel = {
            .name = asked->kernel,
            .lanes = asked->lanes,
            .pds_size = asked->pds_size,
            .args = buffer,
            .args_size = size,
            .print_size = asked->print_size,
        };
        memcpy(kernel.grid, asked->grid, sizeof kernel.grid);
        memcpy(kernel.block, asked->block, sizeof kernel.block);
        struct sam_prepare_options options = {.size = sizeof options, .lds_size = asked->lds_size};
        memcpy(options.global, asked->global, sizeof options.global);
        memcpy(options.offset, asked->offset, sizeof options.offset);
        if (sam_gpu_prepare_with(run->gpu, run->image, &kernel, &options, &launch, &run->error) !=
            SAM_OK)
            code = cli_report(&run->error);
    }
    if (code == CLI_OK)
        code = bound_local_memory(run, arguments, &launch);
    free(buffer);
    if (code == CLI_OK)
        code = run_check_steps(run);
    if (code == CLI_OK)
        code = do_steps(run, RUN_POKE);
    return code == CLI_OK ? run_launch(run, &launch, asked->kernel, path) : code;
}

static int run_program(struct run *run, struct run_arguments *arguments, struct run_check *checks)
{
    const struct run_request *request = run->request;
    const char *path = request->files.items[0];
    int code = load_program(run, path);
    if (code != CLI_OK)
        return code;
    if (!sam_image_find(run->image, run->asked->kernel))
        return unknown_kernel(run, path);
    code = run_open(run);
    if (code != CLI_OK)
        return code;
    if (sam_gpu_load(run->gpu, run->image, &run->error) != SAM_OK)
        return cli_report(&run->error);
    cli_catch_signals();
    code = launch(run, path, arguments);
    if (code == CLI_OK)
        code = do_steps(run, RUN_DUMP);
    if (code == CLI_OK)
        code = run_arguments_fetch(arguments, run_gpu_read, run->gpu);
    if (code == CLI_OK)
        code = run_check_written(run, checks, request->checks.count);
    if (code == CLI_OK)
        code = run_checks_compare(checks, request->checks.count, run->text, run->json_checks);
    return code;
}

int run_kernel(struct run *run)
{
    const struct run_request *request = run->request;
    struct run_arguments arguments = {0};
    struct run_check *checks = NULL;
    int code = run_arguments_parse(request->args, &request->arguments, &arguments);
    if (code == CLI_OK)
        code = run_checks_parse(request->args, &request->checks, &arguments, &checks);
    if (code == CLI_OK)
        code = run_program(run, &arguments, checks);
    run_checks_free(checks, request->checks.count);
    run_arguments_free(&arguments);
    return code;
}
