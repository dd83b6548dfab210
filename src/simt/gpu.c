/* SPDX-License-Identifier: Apache-2.0 */
/* The public interface of a GPU: memory, programs, launch preparation. */
#include <stdlib.h>

#include "base/cpu.h"
#include "machine/jit.h"
#include "sanitize/sanitize.h"
#include "simt/simt.h"

static enum sam_status check_options(const struct sam_gpu_options *options, struct sam_error *error)
{
    if (options->jobs > SAM_MAX_THREADS)
        return sam_fail(error, SAM_ERR_USAGE, "%u workers: at most %u", options->jobs,
                        (unsigned)SAM_MAX_THREADS);
    if ((unsigned)options->schedule > SAM_SCHEDULE_RR1)
        return sam_fail(error, SAM_ERR_USAGE, "no schedule has the number %u",
                        (unsigned)options->schedule);
    if (options->sv39 && (options->ptbr & (SAM_PAGE_SIZE - 1)))
        return sam_fail(error, SAM_ERR_USAGE, "root page table at 0x%llx: not a multiple of 4096",
                        (unsigned long long)options->ptbr);
    return SAM_OK;
}

enum sam_status sam_gpu_set_options(struct sam_gpu *gpu, const struct sam_gpu_options *options,
                                    struct sam_error *error)
{
    if (SAM_LACKS(error, gpu))
        return SAM_ERR_USAGE;
    struct sam_gpu_options taken;
    enum sam_status status = sam_options_take(
        &taken, sizeof taken, offsetof(struct sam_gpu_options, fit_pds), options, error);
    if (status == SAM_OK)
        status = check_options(&taken, error);
    if (status != SAM_OK)
        return status;
    gpu->options = taken;
    if (taken.jobs > 1 && !gpu->crew && (gpu->crew = sam_parallel_crew_new()))
        sam_parallel_crew_call(gpu->crew); /* its thread starts while the caller fills buffers */
    return SAM_OK;
}

enum sam_status sam_gpu_new(const struct sam_gpu_options *options, struct sam_gpu **out,
                            struct sam_error *error)
{
    return sam_gpu_new_in(NULL, options, out, error);
}

static void fill_machine(struct sam_machine *machine, uint32_t lanes)
{
    sam_machine_init_scalar(machine);
    sam_lanes_fill(machine, lanes);
    sam_warp_fill(machine);
    machine->lanes = lanes;
    machine->modes = offsetof(struct sam_warp, groups);
}

enum sam_status sam_gpu_new_in(struct sam_memory *memory, const struct sam_gpu_options *options,
                               struct sam_gpu **out, struct sam_error *error)
{
    static const struct sam_memory_rules rules = {
        .bits = 32, .window = {.base = SAM_LDS_BASE, .size = SAM_LDS_SIZE}};
    if (!out)
        return sam_fail_null(error, "gpu");
    *out = NULL;
    struct sam_gpu *gpu = sam_alloc(1, sizeof *gpu);
    if (gpu)
        gpu->shares = memory != NULL;
    if (!gpu || !(gpu->memory = memory ? memory : sam_memory_new(&rules))) {
        sam_gpu_free(gpu);
        return sam_fail_memory(error);
    }
    enum sam_status status = sam_gpu_set_options(gpu, options, error);
    if (status == SAM_OK)
        status = sam_isa_parse("ventus", &gpu->machine.isa, error);
    if (status != SAM_OK) {
        sam_gpu_free(gpu);
        return status;
    }
    fill_machine(&gpu->machine, SAM_LANES);
    for (unsigned op = 1; op < SAM_OP_COUNT; op++)
        if (sam_insn_rows[op].does.bytes)
            gpu->access[op] = sam_lanes_access_of((enum sam_op)op);
    for (uint32_t i = 0; i < SAM_COUNT(gpu->narrow); i++) {
        gpu->narrow[i].isa = gpu->machine.isa;
        fill_machine(&gpu->narrow[i], 4u << i);
    }
    gpu->jit = sam_jit_new();
    *out = gpu;
    return SAM_OK;
}

void sam_gpu_free(struct sam_gpu *gpu)
{
    if (!gpu)
        return;
    sam_workers_forget(gpu);
    sam_parallel_crew_free(gpu->crew);
    sam_jit_free(gpu->jit);
    if (!gpu->shares)
        sam_memory_free(gpu->memory);
    free(gpu->inputs);
    free(gpu);
}

/* ---------------------------------------------------------------------------------- memory */

enum sam_status sam_gpu_map(struct sam_gpu *gpu, uint32_t address, uint64_t size,
                            struct sam_error *error)
{
    if (SAM_LACKS(error, gpu))
        return SAM_ERR_USAGE;
    return sam_host_map(gpu->memory, address, size, error);
}

enum sam_status sam_gpu_alloc(struct sam_gpu *gpu, uint32_t size, uint32_t *address,
                              struct sam_error *error)
{
    if (SAM_LACKS(error, gpu, address))
        return SAM_ERR_USAGE;
    uint64_t at;
    enum sam_status status = sam_host_alloc(gpu->memory, SAM_BUFFER_BASE, size, &at, error);
    *address = (uint32_t)at;
    return status;
}

enum sam_status sam_gpu_alloc_pages(struct sam_gpu *gpu, uint64_t size, uint32_t *address,
                                    struct sam_error *error)
{
    if (SAM_LACKS(error, gpu, address))
        return SAM_ERR_USAGE;
    if (size == 0 || size > UINT32_MAX)
        return sam_fail(error, SAM_ERR_USAGE, "a buffer of %llu bytes: expected 1 to 2^32 - 1",
                        (unsigned long long)size);
    uint64_t at = *address;
    enum sam_status status = sam_host_alloc_pages(gpu->memory, SAM_BUFFER_BASE, size, &at, error);
    if (status == SAM_OK)
        *address = (uint32_t)at;
    return status;
}

/* The buffer that begins at `address`, or NULL. */
static const struct sam_region *buffer_at(const struct sam_gpu *gpu, uint32_t address)
{
    const struct sam_region *region = sam_memory_find(gpu->memory, address);
    return region && region->base == address ? region : NULL;
}

enum sam_status sam_gpu_unmap(struct sam_gpu *gpu, uint32_t address, struct sam_error *error)
{
    if (SAM_LACKS(error, gpu))
        return SAM_ERR_USAGE;
    const struct sam_region *region = buffer_at(gpu, address);
    if (region && gpu->options.sanitizer)
        sam_sanitize_unmapped(gpu->options.sanitizer, address, region->size);
    return sam_memory_unmap(gpu->memory, address, error);
}

enum sam_status sam_gpu_write(struct sam_gpu *gpu, uint32_t address, const void *data, size_t size,
                              struct sam_error *error)
{
    if (SAM_LACKS(error, gpu))
        return SAM_ERR_USAGE;
    const enum sam_status status = sam_host_write(gpu->memory, NULL, address, data, size, error);
    if (status == SAM_OK && gpu->options.sanitizer)
        sam_sanitize_on_host_write(gpu->options.sanitizer, address, size);
    return status;
}

enum sam_status sam_gpu_read(struct sam_gpu *gpu, uint32_t address, void *data, size_t size,
                             struct sam_error *error)
{
    if (SAM_LACKS(error, gpu))
        return SAM_ERR_USAGE;
    return sam_host_read(gpu->memory, address, data, size, error);
}

enum sam_status sam_gpu_watch_input(struct sam_gpu *gpu, uint32_t address, struct sam_error *error)
{
    if (SAM_LACKS(error, gpu))
        return SAM_ERR_USAGE;
    const struct sam_region *region = buffer_at(gpu, address);
    if (!region)
        return sam_fail(error, SAM_ERR_USAGE, "no buffer begins at 0x%08x", address);
    if (region->input)
        return SAM_OK;
    struct sam_trap *grown =
        sam_grow(gpu->inputs, gpu->input_count, &gpu->input_capacity, sizeof *grown);
    if (!grown)
        return sam_fail_memory(error);
    gpu->inputs = grown;
    gpu->inputs[gpu->input_count++] = (struct sam_trap){.kind = SAM_TRAP_NONE};
    sam_memory_set_input(gpu->memory, address, (unsigned)gpu->input_count);
    return SAM_OK;
}

bool sam_gpu_stored_input(const struct sam_gpu *gpu, uint32_t address, struct sam_trap *first)
{
    const struct sam_region *region = gpu && first ? buffer_at(gpu, address) : NULL;
    if (!region || !region->input || gpu->inputs[region->input - 1].kind == SAM_TRAP_NONE)
        return false;
    *first = gpu->inputs[region->input - 1];
    return true;
}

uint64_t sam_gpu_skip_untouched(const struct sam_gpu *gpu, uint64_t address, uint64_t end)
{
    return gpu ? sam_memory_skip_untouched(gpu->memory, address, end) : address;
}

enum sam_status sam_gpu_load(struct sam_gpu *gpu, const struct sam_image *image,
                             struct sam_error *error)
{
    if (SAM_LACKS(error, gpu, image))
        return SAM_ERR_USAGE;
    if (image->xlen != 32)
        return sam_fail(error, SAM_ERR_INPUT,
                        "a %u-bit program: a Ventus GPGPU runs 32-bit programs", image->xlen);
    return sam_host_load(gpu->memory, NULL, image, error);
}

/* -------------------------------------------------------------------------------- launches */

/* Offsets in the metadata buffer, Ventus 2.2. */
enum {
    KNL_ENTRY = 0,
    KNL_ARG_BASE = 4,
    KNL_WORK_DIM = 8,
    KNL_GLOBAL_SIZE = 12,
    KNL_LOCAL_SIZE = 24,
    KNL_GLOBAL_OFFSET = 36,
    KNL_PRINT_ADDR = 48,
    KNL_PRINT_SIZE = 52,
    KNL_SIZE = 64,
};

#define DEFAULT_PDS 1024u /* bytes per thread; Ventus 2.3 */

static uint64_t private_size(const struct sam_kernel_resource *needed,
                             const struct sam_kernel *kernel)
{
    const uint32_t size = kernel->pds_size ? kernel->pds_size : needed->pds_bytes;
    return size ? ((uint64_t)size + 3) & ~UINT64_C(3) : DEFAULT_PDS;
}

/* Private memory of all workgroups or, under options.fit_pds and if that is large, of as many as
 * fit in SHARED bytes; workgroups then share them in turn. */
static enum sam_status alloc_private(struct sam_gpu *gpu, struct sam_launch *launch,
                                     uint64_t pds_size, struct sam_error *error)
{
    enum { WHOLE = 1 << 30, SHARED = 1 << 28 }; /* SHARED: as in the public driver */
    const bool fits = gpu->options.fit_pds;
    const uint64_t warps = launch->warps, group = warps * launch->lanes * pds_size;
    /* Fits in 32 bits: check_kernel has bounded the grid. */
    const uint64_t groups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint64_t most = fits ? WHOLE : UINT64_C(2) * WHOLE;
    uint64_t held = groups;
    if (fits && groups > WHOLE / group)
        held = group > SHARED ? 1 : SHARED / group;
    if (group > most || held > most / group ||
        sam_gpu_alloc(gpu, (uint32_t)(held * group), &launch->pds_base, error) != SAM_OK)
        return sam_fail(error, SAM_ERR_USAGE,
                        "private memory of %llu bytes per thread (--pds-size) for %llu of %llu "
                        "workgroups of %llu warps of %u: at most 2^%d bytes, and no more than are "
                        "free",
                        (unsigned long long)pds_size, (unsigned long long)held,
                        (unsigned long long)groups, (unsigned long long)warps, launch->lanes,
                        fits ? 30 : 31);
    launch->pds_size = (uint32_t)pds_size;
    return SAM_OK;
}

/* The scalar stacks, 1 KiB per warp (docs/ventus-rulings.md 4.3), and the local memory that the
 * program declares. */
static uint32_t local_size(const struct sam_kernel_resource *needed,
                           const struct sam_launch *launch,
                           const struct sam_prepare_options *options)
{
    uint64_t size = options->lds_size ? options->lds_size : needed->lds_bytes;
    if (!size)
        return SAM_LDS_SIZE;
    size += (uint64_t)launch->warps * SAM_WARP_STACK;
    return size < SAM_LDS_SIZE ? (uint32_t)size : SAM_LDS_SIZE;
}

/* The number of workgroups that covers `global` work-items. */
static enum sam_status fill_grid(struct sam_kernel *kernel, const uint32_t global[3],
                                 struct sam_error *error)
{
    for (int i = 0; i < 3; i++) {
        if (!global[i] || !kernel->block[i])
            return sam_fail(error, SAM_ERR_USAGE, "global and block sizes start at 1");
        kernel->grid[i] = (global[i] - 1) / kernel->block[i] + 1;
    }
    return SAM_OK;
}

static enum sam_status check_kernel(const struct sam_kernel *kernel, struct sam_launch *launch,
                                    struct sam_error *error)
{
    uint64_t items = 1, groups = 1;
    launch->lanes = kernel->lanes ? kernel->lanes : 32;
    if (sam_check_lanes(launch->lanes, error) != SAM_OK)
        return SAM_ERR_USAGE;
    for (int i = 0; i < 3; i++) {
        if (!kernel->grid[i] || !kernel->block[i])
            return sam_fail(error, SAM_ERR_USAGE, "grid and block sizes start at 1");
        if (kernel->block[i] > SAM_MAX_WARPS * SAM_MAX_LANES)
            return sam_fail(error, SAM_ERR_USAGE, "block of %u work-items: at most %u",
                            kernel->block[i], SAM_MAX_WARPS * SAM_MAX_LANES);
        items *= kernel->block[i];
        groups *= kernel->grid[i];
        if (groups > UINT32_MAX)
            return sam_fail(error, SAM_ERR_USAGE, "more than 2^32 - 1 workgroups");
        launch->grid[i] = kernel->grid[i];
    }
    uint64_t warps = (items + launch->lanes - 1) / launch->lanes;
    if (warps > SAM_MAX_WARPS)
        return sam_fail(
            error, SAM_ERR_USAGE, "block of %llu work-items needs %llu warps of %u; at most %u",
            (unsigned long long)items, (unsigned long long)warps, launch->lanes, SAM_MAX_WARPS);
    launch->warps = (uint32_t)warps;
    return SAM_OK;
}

/* Bytes 0 to 59 of the metadata buffer. */
static void fill_metadata(uint8_t metadata[KNL_SIZE], const struct sam_kernel *kernel,
                          const struct sam_prepare_options *options, uint32_t entry, uint32_t args,
                          uint32_t print)
{
    uint32_t dimensions = 1;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t local = kernel->block[i];
        const uint32_t global = options->global[0] ? options->global[i] : kernel->grid[i] * local;
        if (global > 1 || local > 1)
            dimensions = i + 1;
        sam_put_le32(metadata + KNL_GLOBAL_SIZE + 4 * i, global);
        sam_put_le32(metadata + KNL_LOCAL_SIZE + 4 * i, local);
        sam_put_le32(metadata + KNL_GLOBAL_OFFSET + 4 * i, options->offset[i]);
    }
    sam_put_le32(metadata + KNL_ENTRY, entry);
    sam_put_le32(metadata + KNL_ARG_BASE, args);
    sam_put_le32(metadata + KNL_WORK_DIM, dimensions);
    sam_put_le32(metadata + KNL_PRINT_ADDR, print);
    sam_put_le32(metadata + KNL_PRINT_SIZE, kernel->print_size);
}

enum sam_status sam_gpu_prepare(struct sam_gpu *gpu, const struct sam_image *image,
                                const struct sam_kernel *kernel, struct sam_launch *launch,
                                struct sam_error *error)
{
    return sam_gpu_prepare_with(gpu, image, kernel, NULL, launch, error);
}

enum sam_status sam_gpu_prepare_with(struct sam_gpu *gpu, const struct sam_image *image,
                                     const struct sam_kernel *given,
                                     const struct sam_prepare_options *more,
                                     struct sam_launch *launch, struct sam_error *error)
{
    if (!given)
        return sam_fail_null(error, "kernel");
    if (SAM_LACKS(error, gpu, image, given->name, launch))
        return SAM_ERR_USAGE;
    if (given->args_size && !given->args)
        return sam_fail_null(error, "kernel->args");
    struct sam_prepare_options options;
    struct sam_kernel copy = *given, *kernel = &copy;
    *launch = (struct sam_launch){.start = (uint32_t)image->entry, .image = image};
    const struct sam_symbol *symbol = sam_image_find(image, kernel->name);
    if (!symbol)
        return sam_fail(error, SAM_ERR_INPUT, "the program has no symbol '%s'", kernel->name);
    enum sam_status status =
        sam_options_take(&options, sizeof options, sizeof options, more, error);
    if (status == SAM_OK && options.global[0])
        status = fill_grid(kernel, options.global, error);
    if (status == SAM_OK)
        status = check_kernel(kernel, launch, error);
    if (status != SAM_OK)
        return status;
    const struct sam_kernel_resource needed = sam_image_resource(image, symbol->value);
    launch->lds_size = local_size(&needed, launch, &options);

    uint32_t args = 0, print = 0;
    uint8_t metadata[KNL_SIZE] = {0};
    if ((status = sam_gpu_alloc(gpu, KNL_SIZE, &launch->metadata, error)) != SAM_OK ||
        (status = alloc_private(gpu, launch, private_size(&needed, kernel), error)) != SAM_OK)
        return status;
    if (kernel->args_size > UINT32_MAX / 2)
        return sam_fail(error, SAM_ERR_USAGE, "argument buffer of %zu bytes", kernel->args_size);
    if (kernel->args_size &&
        ((status = sam_gpu_alloc(gpu, (uint32_t)kernel->args_size, &args, error)) != SAM_OK ||
         (status = sam_gpu_write(gpu, args, kernel->args, kernel->args_size, error)) != SAM_OK))
        return status;
    if (kernel->print_size &&
        (status = sam_gpu_alloc(gpu, kernel->print_size, &print, error)) != SAM_OK)
        return status;

    launch->args = args;
    launch->args_size = (uint32_t)kernel->args_size;

    fill_metadata(metadata, kernel, &options, (uint32_t)symbol->value, args, print);
    sam_run_expect(gpu, launch);
    return sam_gpu_write(gpu, launch->metadata, metadata, sizeof metadata, error);
}

const struct sam_symbol *sam_gpu_find_kernel(struct sam_gpu *gpu, const struct sam_launch *launch)
{
    uint8_t entry[4];
    if (!launch->image ||
        sam_gpu_read(gpu, launch->metadata + KNL_ENTRY, entry, sizeof entry, NULL) != SAM_OK)
        return NULL;
    const uint32_t pc = sam_le32(entry);
    const struct sam_symbol *symbol = sam_image_symbol_at(launch->image, pc);
    return symbol && symbol->value == pc ? symbol : NULL;
}

/* Ventus 2.3: scalar stack in local memory, 1 KiB per warp, growing upward; private stack at 0. */
const char *sam_gpu_start_code(void)
{
    return "\t.section .text\n"
           "\t.globl _start\n"
           "_start:\n"
           "\tvsetvli t4, zero, e32, m1, ta, ma\n"
           "\tcsrr t1, wid\n"
           "\tslli t1, t1, 10\n"
           "\tcsrr sp, lds\n"
           "\tadd sp, sp, t1\n"
           "\tli tp, 0\n"
           "\tcsrr t0, knl\n"
           "\tlw t1, 0(t0)\n"
           "\tlw a0, 4(t0)\n"
           "\tjalr t1\n"
           "\tendprg\n";
}
