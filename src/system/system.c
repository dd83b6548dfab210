/* SPDX-License-Identifier: Apache-2.0 */
/* The public interface of a system: creates its parts on one memory and runs them. */
#include "system/system.h"

#include <stdlib.h>

#define MIB         UINT64_C(0x100000)
#define DEFAULT_ISA "rv64ima_zicsr_zfinx_xtensorload_xmatrix"

/* ------------------------------------------------------------------------------------ options */

/* Replace a size of 0 by its default, and check it. */
static enum sam_status take_size(uint64_t *size, uint64_t usual, uint64_t most, const char *what,
                                 struct sam_error *error)
{
    *size = *size ? *size : usual;
    if (*size % SAM_PAGE_SIZE || *size > most)
        return sam_fail(error, SAM_ERR_USAGE,
                        "%s of 0x%llx bytes: expected a multiple of 4096 up to 0x%llx", what,
                        (unsigned long long)*size, (unsigned long long)most);
    return SAM_OK;
}

static enum sam_status check_parts(const struct sam_hart_options *hart,
                                   const struct sam_gpu_options *gpu, struct sam_error *error)
{
    const char *option = NULL;
    if (hart && (hart->l1m[1] || hart->l0m[1]))
        return sam_fail(error, SAM_ERR_USAGE,
                        "a strict TensorLoad unit (l1m, l0m): a system has none");
    /* Fields added in 0.2 are read only from structs that have them. */
    if (gpu && gpu->sv39)
        option = "sv39";
    else if (gpu && gpu->loose_bounds)
        option = "loose_bounds";
    else if (gpu && gpu->size > offsetof(struct sam_gpu_options, sanitizer) && gpu->sanitizer)
        option = "a sanitizer";
    if (option)
        return sam_fail(error, SAM_ERR_USAGE, "%s: not for the GPU of a system", option);
    return SAM_OK;
}

static enum sam_status take_options(struct sam_system *system,
                                    const struct sam_system_options *options,
                                    struct sam_error *error)
{
    struct sam_system_options *o = &system->options;
    enum sam_status status = sam_options_take(o, sizeof *o, sizeof *o, options, error);
    if (status == SAM_OK)
        status = take_size(&o->l1m_size, SAM_SYSTEM_L1M_BYTES, SAM_SYSTEM_L0M - SAM_SYSTEM_L1M,
                           "an L1M", error);
    if (status == SAM_OK)
        status = take_size(&o->l0m_size, SAM_SYSTEM_L0M_BYTES, SAM_SYSTEM_CODE - SAM_SYSTEM_L0M,
                           "an L0M", error);
    if (status == SAM_OK)
        status = take_size(&o->heap_size, 16 * MIB, SAM_SYSTEM_CODE_BYTES, "a heap", error);
    if (status == SAM_OK && o->sms > 64)
        status = sam_fail(error, SAM_ERR_USAGE, "%u SMs: expected 1 to 64", o->sms);
    if (status == SAM_OK && (unsigned)o->gpu_traps > SAM_SYSTEM_TRAPS_REPORT)
        status = sam_fail(error, SAM_ERR_USAGE, "GPU traps treated as %u: expected 0 to %d",
                          (unsigned)o->gpu_traps, SAM_SYSTEM_TRAPS_REPORT);
    return status == SAM_OK ? check_parts(o->hart, o->gpu, error) : status;
}

/* ----------------------------------------------------------------------------------- life cycle */

static enum sam_status add_memory(struct sam_system *system, struct sam_error *error)
{
    const struct sam_memory_rules rules = {
        .bits = 32,
        .window = {.base = SAM_SYSTEM_LOCAL, .size = SAM_SYSTEM_LOCAL_BYTES},
        .registers = {.base = SAM_SYSTEM_CONTROL, .size = SAM_SYSTEM_CONTROL_BYTES},
    };
    const struct sam_system_options *o = &system->options;
    system->memory = sam_memory_new(&rules);
    if (!system->memory)
        return sam_fail_memory(error);
    enum sam_status status = sam_host_map(system->memory, SAM_SYSTEM_L1M, o->l1m_size, error);
    return status == SAM_OK ? sam_host_map(system->memory, SAM_SYSTEM_L0M, o->l0m_size, error)
                            : status;
}

/* The default instruction set of a hart in a system includes the matrix unit and atomics. */
static enum sam_status take_hart(struct sam_hart_options *hart,
                                 const struct sam_hart_options *options, struct sam_error *error)
{
    const size_t first = offsetof(struct sam_hart_options, progress);
    enum sam_status status = sam_options_take(hart, sizeof *hart, first, options, error);
    if (status == SAM_OK && hart->isa.xlen == 0)
        status = sam_isa_parse(DEFAULT_ISA, &hart->isa, error);
    hart->size = sizeof *hart;
    return status;
}

static enum sam_status fill(struct sam_system *system, const struct sam_system_options *options,
                            struct sam_error *error)
{
    enum sam_status status = take_options(system, options, error);
    if (status == SAM_OK)
        status = add_memory(system, error);
    if (status != SAM_OK)
        return status;
    struct sam_hart_home home = {.memory = system->memory,
                                 .code_base = SAM_SYSTEM_CODE_BASE,
                                 .stack_top = SAM_SYSTEM_STACK + SAM_SYSTEM_STACK_BYTES,
                                 .stack_size = SAM_SYSTEM_STACK_BYTES,
                                 .heap_size = system->options.heap_size,
                                 .program_top = SAM_SYSTEM_STACK};
    struct sam_hart_options hart;
    sam_system_add_ports(system, &home.ports);
    status = take_hart(&hart, system->options.hart, error);
    if (status == SAM_OK)
        status = sam_system_add_time(system, &hart, error);
    home.time = system->time ? &system->shared : NULL;
    if (status == SAM_OK && !system->options.sms)
        system->options.sms = system->time ? system->time->config.gpu.sms : 2;
    if (status == SAM_OK)
        status = sam_hart_new_in(&home, &hart, &system->hart, error);
    if (status == SAM_OK)
        status = sam_gpu_new_in(system->memory, system->options.gpu, &system->gpu, error);
    if (status == SAM_OK)
        status = sam_system_start_time(system, error);
    system->options.hart = NULL; /* the parts keep copies */
    system->options.gpu = NULL;
    system->options.timing = NULL;
    return status != SAM_OK || sam_system_add_watch(system) ? status : sam_fail_memory(error);
}

enum sam_status sam_system_new(const struct sam_system_options *options, struct sam_system **out,
                               struct sam_error *error)
{
    if (!out)
        return sam_fail_null(error, "system");
    *out = NULL;
    struct sam_system *system = sam_alloc(1, sizeof *system);
    enum sam_status status = system ? fill(system, options, error) : sam_fail_memory(error);
    if (status == SAM_OK)
        *out = system;
    else
        sam_system_free(system);
    return status;
}

void sam_system_free(struct sam_system *system)
{
    if (!system)
        return;
    sam_hart_free(system->hart);
    sam_system_time_free(system->time); /* its recordings refer to the GPU */
    sam_gpu_free(system->gpu);
    sam_memory_free(system->memory);
    free(system->gpu_images);
    free(system->gpu_stats.branches);
    free(system->gpu_stats.mix);
    sam_buffer_free(&system->code);
    sam_system_watch_free(system->watch);
    sam_system_weight_free(&system->work);
    free(system);
}

struct sam_hart *sam_system_hart(struct sam_system *system)
{
    return system->hart;
}

struct sam_gpu *sam_system_gpu(struct sam_system *system)
{
    return system->gpu;
}

/* --------------------------------------------------------------------------------------- memory */

enum sam_status sam_system_map(struct sam_system *system, uint64_t base, uint64_t size,
                               struct sam_error *error)
{
    if (SAM_LACKS(error, system))
        return SAM_ERR_USAGE;
    return sam_host_map(system->memory, base, size, error);
}

enum sam_status sam_system_alloc(struct sam_system *system, uint64_t size, uint64_t *address,
                                 struct sam_error *error)
{
    if (SAM_LACKS(error, system, address))
        return SAM_ERR_USAGE;
    return sam_hart_alloc(system->hart, size, address, error);
}

enum sam_status sam_system_write(struct sam_system *system, uint64_t address, const void *data,
                                 size_t size, struct sam_error *error)
{
    if (SAM_LACKS(error, system))
        return SAM_ERR_USAGE;
    return sam_hart_write(system->hart, address, data, size, error);
}

enum sam_status sam_system_read(struct sam_system *system, uint64_t address, void *data,
                                size_t size, struct sam_error *error)
{
    if (SAM_LACKS(error, system))
        return SAM_ERR_USAGE;
    return sam_host_read(system->memory, address, data, size, error);
}

/* -------------------------------------------------------------------------------------- running */

enum sam_status sam_system_run(struct sam_system *system, struct sam_system_result *result,
                               struct sam_error *error)
{
    struct sam_system_result ignored;
    result = result ? result : &ignored;
    *result = (struct sam_system_result){.end = SAM_SYSTEM_END_HART};
    if (SAM_LACKS(error, system))
        return SAM_ERR_USAGE;
    system->ended = false;
    enum sam_status status = sam_hart_run(system->hart, &result->hart, error);
    if (system->ended) {
        result->end = system->end;
        status = sam_fail(error, system->end_status, "%s", system->end_error.text);
    }
    if (status == SAM_OK && system->time)
        status = sam_system_time_check(system->time, error);
    if (status == SAM_OK && system->watch)
        status = sam_system_races_check(sam_system_watch_races(system->watch), error);
    result->trap = system->trap;
    result->trapped_launch = system->trapped_launch;
    return status;
}

const struct sam_system_stats *sam_system_stats(const struct sam_system *system)
{
    return &system->stats;
}

const struct sam_gpu_stats *sam_system_gpu_stats(const struct sam_system *system)
{
    return &system->gpu_stats;
}
