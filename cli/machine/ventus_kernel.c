/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run kernel.s --kernel NAME ...`: a launch described on the command line. */
#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "stop.h"

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
    code = code ?: bound_local_memory(run, arguments, &launch);
    free(buffer);
    code = code ?: run_check_steps(run) ?: do_steps(run, RUN_POKE);
    if (code == CLI_OK && cli_given(run->request->args, "poke"))
        code = run_arguments_take(arguments, run_gpu_read, run->gpu);
    return code ?: run_launch(run, &launch, asked->kernel, path);
}

static int run_program(struct run *run, struct run_arguments *arguments, struct run_check *checks)
{
    const struct run_request *request = run->request;
    const char *path = request->files.items[0];
    int code = run_load_kernels(request, path, SAM_CODE_BASE, &run->image);
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
    return launch(run, path, arguments) ?: do_steps(run, RUN_DUMP)
        ?: run_arguments_fetch(arguments, run_gpu_read, run->gpu)
        ?: run_check_written(run, checks, request->checks.count)
        ?: run_checks_compare(checks, request->checks.count, run->text, run->json_checks)
        ?: run_arguments_write(arguments);
}

int run_kernel(struct run *run)
{
    const struct run_request *request = run->request;
    struct run_arguments arguments = {0};
    struct run_check *checks = NULL;
    int code = run_arguments_parse(request->args, &request->arguments, &arguments)
        ?: run_checks_parse(request->args, &request->checks, &arguments, &checks)
        ?: run_program(run, &arguments, checks);
    run_checks_free(checks, request->checks.count);
    run_arguments_free(&arguments);
    return code;
}
