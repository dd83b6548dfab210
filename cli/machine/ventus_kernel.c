/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run kernel.s --kernel NAME ...`: a launch described on the command line. */
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

/* Returns whether samite cc made the program: its kernels are then known. */
static bool is_compiled(const struct sam_image *image)
{
    for (size_t i = 0; i < image->section_count; i++)
        if (strcmp(image->sections[i].name, SAM_CC_SIGNATURES) == 0)
            return true;
    return false;
}

static bool is_kernel(const struct sam_image *image, const struct sam_symbol *symbol)
{
    if (is_compiled(image))
        return sam_cc_kernel_described(image, symbol->name, NULL);
    return symbol->global && symbol->section_relative && strcmp(symbol->name, "_start") != 0;
}

/* Report a kernel that is not there, or that none was named, and the names to choose from. */
static int report_kernels(const struct run *run, const char *path)
{
    enum { SHOWN = 16 };
    unsigned shown = 0;
    char names[700] = "";
    size_t used = 0;
    for (size_t i = 0; i < run->image->symbol_count && used < sizeof names - 1; i++) {
        const struct sam_symbol *symbol = &run->image->symbols[i];
        if (!is_kernel(run->image, symbol) || shown > SHOWN)
            continue;
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                             shown ? ", " : "; there are ", shown < SHOWN ? symbol->name : "...");
        shown++;
    }
    const char *kernel = run->ventus->asked->kernel;
    const char *kind = is_compiled(run->image) ? "kernel" : "symbol";
    return kernel ? cli_error("%s: no %s '%s'%s", path, kind, kernel, names)
                  : cli_error("%s: no --kernel NAME%s", path, names);
}

/* The only kernel of a source, or NULL. */
static const struct sam_symbol *only_kernel(const struct run *run)
{
    const struct sam_symbol *found = NULL;
    for (size_t i = 0; i < run->image->symbol_count; i++) {
        if (!is_kernel(run->image, &run->image->symbols[i]))
            continue;
        if (found)
            return NULL;
        found = &run->image->symbols[i];
    }
    return found;
}

/* Pokes before the launch, dumps after it. */
static int do_steps(struct run *run, enum run_step_kind kind)
{
    const struct run_request *request = run->request;
    int code = CLI_OK;
    for (size_t i = 0; i < request->steps.count && code == CLI_OK; i++) {
        const struct run_step *step = &request->steps.items[i];
        if (step->kind == kind)
            code = kind == RUN_POKE ? ventus_poke(run, step) : run_dump(run, &step->dump);
    }
    return code;
}

/* A launch is held to the local memory that it declares: in the program, by --lds-size, as local:
 * arguments. One that declares none in any way has all of the window. */
static int bound_local_memory(struct run *run, struct sam_launch *launch)
{
    const struct run_arguments *arguments = &run->arguments;
    struct gpu_request *asked = run->ventus->asked;
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

/* The type that an argument must have where bits of the other kind, or halves of elements, are what
 * the kernel would read: a value in place of a float or an integer of 32 bits, and elements of 64
 * bits, NumPy's default, in place of those. NULL: any of the size. */
static const char *type_for(const struct run_argument *a, const struct sam_cc_argument *takes)
{
    static const struct {
        const char *type, *dtype;
        enum sam_dtype wide;
    } rows[] = {{"float", "f32", SAM_F64}, {"int", "i32", SAM_I64}, {"uint", "u32", SAM_I64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t size = strlen(rows[i].type);
        if (strncmp(takes->type, rows[i].type, size) != 0)
            continue;
        const bool wrong =
            a->kind == RUN_BUFFER
                ? strcmp(takes->type + size, "*") == 0 && a->array.dtype == rows[i].wide
                : !takes->type[size] && (a->dtype == SAM_F32) != (i == 0);
        if (wrong)
            return rows[i].dtype;
    }
    return NULL;
}

/* What --arg passes must fit what the kernel takes, as far as the program says that. */
static int check_argument(const struct run *run, const char *kernel, size_t index,
                          const struct sam_cc_argument *takes)
{
    static const char *const spaces[] = {"", "__global ", "__constant ", "__local "};
    const struct run_argument *a = &run->arguments.items[index];
    const bool pointer = takes->space == SAM_CC_GLOBAL || takes->space == SAM_CC_CONSTANT;
    const char *expected = pointer                        ? "in:, out:, inout: or packed:"
                           : takes->space == SAM_CC_LOCAL ? "local:BYTES"
                           : takes->size > 8              ? "at most 8, which --arg passes"
                                                          : "a value of that size";
    const enum run_argument_kind kind = pointer                        ? RUN_BUFFER
                                        : takes->space == SAM_CC_LOCAL ? RUN_LOCAL
                                                                       : RUN_SCALAR;
    const bool fits =
        a->kind == kind && (kind != RUN_SCALAR || sam_dtype_size(a->dtype) == takes->size);
    const char *type = fits && kind != RUN_LOCAL ? type_for(a, takes) : NULL;
    if (fits && !type)
        return CLI_OK;
    return cli_error("--arg %s: argument %zu of %s is %s%s %s, %u byte%s: expected %s", a->word,
                     index, kernel, spaces[takes->space], takes->type, takes->name, takes->size,
                     takes->size == 1 ? "" : "s", type ? type : expected);
}

/* Without --block, --global is there. */
static void choose_block(const struct run *run)
{
    enum { WARPS = 8 };
    struct gpu_request *asked = run->ventus->asked;
    uint32_t *block = asked->block;
    if (block[0] || (sam_cc_kernel_described(run->image, asked->kernel, block) && block[0]))
        return;
    const uint32_t most = WARPS * (asked->lanes ? asked->lanes : 32);
    block[0] = asked->global[0] < most ? asked->global[0] : most;
    block[1] = block[2] = 1;
}

static int check_signature(const struct run *run)
{
    const struct gpu_request *asked = run->ventus->asked;
    const uint32_t *block = asked->block;
    struct sam_cc_argument takes;
    uint32_t required[3];
    size_t count = 0;
    if (!sam_cc_kernel_described(run->image, asked->kernel, required))
        return CLI_OK;
    if (required[0] &&
        (required[0] != block[0] || required[1] != block[1] || required[2] != block[2]))
        return cli_error("--block %ux%ux%u: %s requires workgroups of %ux%ux%u", block[0], block[1],
                         block[2], asked->kernel, required[0], required[1], required[2]);
    while (sam_cc_kernel_argument(run->image, asked->kernel, count, &takes))
        count++;
    if (count != run->arguments.count)
        return cli_error("%s takes %zu argument%s: %zu given by --arg", asked->kernel, count,
                         count == 1 ? "" : "s", run->arguments.count);
    for (size_t i = 0; i < count; i++)
        if (sam_cc_kernel_argument(run->image, asked->kernel, i, &takes)) {
            const int code = check_argument(run, asked->kernel, i, &takes);
            if (code != CLI_OK)
                return code;
        }
    return CLI_OK;
}

int ventus_open_kernel(struct run *run)
{
    struct gpu_request *asked = run->ventus->asked;
    const char *path = run->request->files.items[0];
    int code = run_load_kernels(run->request, path, SAM_CODE_BASE, &run->image);
    if (code != CLI_OK)
        return code;
    const struct sam_symbol *kernel =
        asked->kernel ? sam_image_find(run->image, asked->kernel) : only_kernel(run);
    if (kernel)
        asked->kernel = kernel->name;
    if (!kernel || (is_compiled(run->image) && !is_kernel(run->image, kernel)))
        return report_kernels(run, path);
    choose_block(run);
    code = check_signature(run) ?: ventus_create(run);
    return code ?: cli_code(sam_gpu_load(run->ventus->gpu, run->image, &run->error), &run->error);
}

/* --- arguments of a kernel: buffers are created in the memory of the GPU, and the kernel reads its
 * arguments from a buffer (manual 2.2: pointers of 4 bytes, scalars at their own alignment, at
 * least 4) */

/* Local memory for __local pointers is allocated downward from the top of the window, as in the
 * public driver; stacks grow upward from its bottom. */
#define LOCAL_TOP (SAM_LDS_BASE + SAM_LDS_SIZE)

/* Allocate memory for a buffer or a local pointer; the kernel gets its address. */
static int place(struct run *run, struct run_argument *a, uint32_t *local_top)
{
    if (a->kind == RUN_LOCAL) {
        uint32_t size = ((uint32_t)a->size + 4095) & ~4095u;
        if (size > *local_top - SAM_LDS_BASE)
            return cli_error("local arguments exceed 256 MiB");
        a->bits = *local_top -= size;
    } else if (a->kind == RUN_BUFFER) {
        size_t size = a->array.size;
        uint32_t address;
        if (size > UINT32_MAX)
            return cli_error("%s: larger than 4 GiB", a->text);
        if (sam_gpu_alloc(run->ventus->gpu, size ? (uint32_t)size : 4, &address, &run->error) !=
                SAM_OK ||
            sam_gpu_write(run->ventus->gpu, address, a->array.data, size, &run->error) != SAM_OK)
            return cli_report(&run->error);
        if (a->input && !a->output &&
            sam_gpu_watch_input(run->ventus->gpu, address, &run->error) != SAM_OK)
            return cli_report(&run->error);
        a->bits = a->address = address;
    }
    return CLI_OK;
}

/* Create and fill the buffers, then make the argument buffer; malloc'ed. */
static int place_all(struct run *run, uint8_t **buffer, size_t *size)
{
    const struct run_arguments *arguments = &run->arguments;
    uint32_t local_top = LOCAL_TOP;
    *size = 0;
    *buffer = calloc(arguments->count + 1, 16); /* at most 4 bytes of padding and 8 of value each */
    if (!*buffer)
        return cli_no_memory();
    for (size_t i = 0; i < arguments->count; i++) {
        struct run_argument *a = &arguments->items[i];
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        int code = place(run, a, &local_top);
        if (code == CLI_OK && a->kind != RUN_SCALAR)
            code = ventus_name_buffer(run, a->bits, a->kind == RUN_LOCAL ? a->size : a->array.size,
                                      a->name ? a->name : number, a->output && !a->input);
        if (code != CLI_OK)
            return code;
        size_t width = a->kind == RUN_SCALAR ? a->size : 4;
        *size = (*size + width - 1) & ~(width - 1);
        for (size_t k = 0; k < width; k++)
            (*buffer)[*size + k] = (uint8_t)(a->bits >> 8 * k);
        *size += width;
    }
    return CLI_OK;
}

/* The launch of the kernel, its arguments in memory. */
static int prepare(struct run *run, struct sam_launch *launch)
{
    const struct gpu_request *asked = run->ventus->asked;
    struct sam_prepare_options options = {.size = sizeof options, .lds_size = asked->lds_size};
    struct sam_kernel kernel = {
        .name = asked->kernel,
        .lanes = asked->lanes,
        .pds_size = asked->pds_size,
        .print_size = asked->print_size,
    };
    uint8_t *buffer = NULL;
    int code = place_all(run, &buffer, &kernel.args_size);
    kernel.args = buffer;
    memcpy(kernel.grid, asked->grid, sizeof kernel.grid);
    memcpy(kernel.block, asked->block, sizeof kernel.block);
    memcpy(options.global, asked->global, sizeof options.global);
    memcpy(options.offset, asked->offset, sizeof options.offset);
    if (code == CLI_OK && sam_gpu_prepare_with(run->ventus->gpu, run->image, &kernel, &options,
                                               launch, &run->error) != SAM_OK)
        code = cli_report(&run->error);
    free(buffer);
    return code ?: bound_local_memory(run, launch);
}

int ventus_run_kernel(struct run *run)
{
    struct sam_launch launch;
    int code = prepare(run, &launch) ?: ventus_check_steps(run) ?: do_steps(run, RUN_POKE);
    if (code == CLI_OK && cli_given(run->request->args, "poke"))
        code = run_arguments_take(&run->arguments, &run->memory);
    return code ?: ventus_launch(run, &launch, run->ventus->asked->kernel,
                                 run->request->files.items[0])
        ?: do_steps(run, RUN_DUMP) ?: run_arguments_fetch(&run->arguments, &run->memory)
        ?: ventus_check_written(run) ?: run_checks_compare(run)
        ?: run_arguments_write(&run->arguments);
}
