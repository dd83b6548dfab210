/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the checks: a machine with the kernel loaded, buffers, launches, comparisons. */
#include "check.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- host memory and inputs */

static void *host_memory(struct check *check, size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    void **arrays = realloc(check->arrays, (check->array_count + 1) * sizeof *check->arrays);
    if (!memory || !arrays) {
        fprintf(stderr, "check: error: out of memory for %zu elements\n", count);
        exit(2);
    }
    arrays[check->array_count++] = memory;
    check->arrays = arrays;
    return memory;
}

void *check_words(struct check *check, size_t count)
{
    return host_memory(check, count, 4);
}

double *check_doubles(struct check *check, size_t count)
{
    return host_memory(check, count, sizeof(double));
}

/* The upper half of a 64-bit linear congruential generator: equal inputs on every host. */
uint32_t check_random(struct check *check)
{
    check->random = check->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(check->random >> 32);
}

float check_random_float(struct check *check)
{
    return (float)(int32_t)(check_random(check) >> 8) / 8388608.0f - 1.0f;
}

uint32_t *check_random_words(struct check *check, size_t count)
{
    uint32_t *words = check_words(check, count);
    for (size_t i = 0; i < count; i++)
        words[i] = check_random(check);
    return words;
}

float *check_random_floats(struct check *check, size_t count)
{
    float *floats = check_words(check, count);
    for (size_t i = 0; i < count; i++)
        floats[i] = check_random_float(check);
    return floats;
}

uint32_t check_ceil_div(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

uint32_t check_tile(const struct check *check)
{
    uint32_t side = 1;
    while ((side + 1) * (side + 1) <= check->config.block)
        side++;
    return side;
}

uint32_t check_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* --- the machine */

static void declare_buffer(struct check *check, uint32_t address, size_t count, bool output)
{
    char name[24];
    snprintf(name, sizeof name, "%u", check->buffers++);
    const struct sam_sanitizer_buffer buffer = {
        .base = address, .size = count * 4, .name = name, .output = output};
    check->status = sam_sanitizer_add_buffer(check->config.sanitizer, &buffer, check->error);
}

uint32_t check_buffer(struct check *check, const void *words, size_t count)
{
    uint32_t address = 0;
    if (check->status)
        return 0;
    if (count > UINT32_MAX / 4) {
        check->status = check->error->status = SAM_ERR_USAGE;
        snprintf(check->error->text, sizeof check->error->text,
                 "%s: a buffer of %zu words does not fit the 32-bit address space",
                 check->kernel->name, count);
        return 0;
    }
    check->status =
        sam_gpu_alloc(check->gpu, count ? (uint32_t)count * 4 : 4, &address, check->error);
    if (words)
        check_write(check, address, words, count);
    if (!check->status && check->config.sanitizer)
        declare_buffer(check, address, count, !words);
    return address;
}

void check_write(struct check *check, uint32_t address, const void *words, size_t count)
{
    if (!check->status && count)
        check->status = sam_gpu_write(check->gpu, address, words, count * 4, check->error);
}

void check_read(struct check *check, uint32_t address, void *words, size_t count)
{
    if (!check->status && count)
        check->status = sam_gpu_read(check->gpu, address, words, count * 4, check->error);
    if (!check->status && check->config.sanitizer)
        check->status =
            sam_sanitizer_check_memory(check->config.sanitizer, address, count * 4, check->error);
    if (check->status)
        return;
    uint64_t digest = check->report->digest; /* FNV-1a over words */
    for (size_t i = 0; i < count; i++)
        digest = (digest ^ ((const uint32_t *)words)[i]) * UINT64_C(0x100000001b3);
    check->report->digest = digest;
}

void check_launch(struct check *check, const char *name, const uint32_t grid[2],
                  const uint32_t block[2], const uint32_t *args, size_t arg_count)
{
    if (check->status)
        return;
    struct check_report *report = check->report;
    struct sam_kernel kernel = {
        .name = name,
        .grid = {grid[0], grid[1], 1},
        .block = {block[0], block[1], 1},
        .lanes = check->config.lanes,
        .pds_size = check->pds_size,
        .args = args,
        .args_size = arg_count * 4,
    };
    struct sam_launch launch;
    struct sam_gpu_result result = {0};
    check->status = sam_gpu_prepare(check->gpu, check->image, &kernel, &launch, check->error);
    if (check->status)
        return;
    const struct check_config *config = &check->config;
    check->status =
        config->launch ? config->launch(config->context, check->gpu, &launch, &result, check->error)
                       : sam_gpu_launch(check->gpu, &launch, &result, check->error);
    if (report->launches++ == 0) {
        memcpy(report->grid, kernel.grid, sizeof report->grid);
        memcpy(report->block, kernel.block, sizeof report->block);
    }
    report->warp_insns += result.stats.warp_insns;
    report->seconds += result.stats.seconds;
    sam_gpu_result_free(&result);
}

void check_launch_items(struct check *check, const char *name, uint32_t items, uint32_t max_groups,
                        const uint32_t *args, size_t arg_count)
{
    uint32_t block[2] = {check->config.block, 1};
    uint32_t grid[2] = {check_ceil_div(items, block[0]), 1};
    if (grid[0] > max_groups)
        grid[0] = max_groups;
    check_launch(check, name, grid, block, args, arg_count);
}

/* --- comparisons */

static void wrong(struct check *check, const char *what, size_t at, double got, double want)
{
    if (check->report->pass)
        snprintf(check->report->failure, sizeof check->report->failure,
                 "%s[%zu] is %.9g, expected %.9g", what, at, got, want);
    check->report->pass = false;
}

void check_equal(struct check *check, const char *what, const void *got, const void *want,
                 size_t count)
{
    const uint32_t *a = got;
    const uint32_t *b = want;
    for (size_t i = 0; i < count && !check->status; i++) {
        if (a[i] == b[i])
            continue;
        if (check->report->pass)
            snprintf(check->report->failure, sizeof check->report->failure,
                     "%s[%zu] is 0x%08" PRIx32 ", expected 0x%08" PRIx32, what, i, a[i], b[i]);
        check->report->pass = false;
        return;
    }
}

void check_close(struct check *check, const char *what, const float *got, const double *want,
                 size_t count, double allowed)
{
    struct check_report *report = check->report;
    if (allowed > report->max_allowed)
        report->max_allowed = allowed;
    for (size_t i = 0; i < count && !check->status; i++) {
        int exponent; /* in ulp of `want` as a float */
        frexp(want[i], &exponent);
        double ulp = ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
        double error = fabs(got[i] - want[i]) / ulp;
        if (!(error <= allowed)) /* true for a NaN as well */
            wrong(check, what, i, got[i], want[i]);
        if (!(error <= report->max_error))
            report->max_error = error;
    }
}

/* --- a complete check */

static char *read_text(const char *path, size_t *size, struct sam_error *error)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t used = 0;
    for (size_t room = 4096; file; room *= 2) {
        char *grown = realloc(text, room);
        if (!grown)
            break;
        text = grown;
        used += fread(text + used, 1, room - used, file);
        if (used < room && !ferror(file)) {
            fclose(file);
            *size = used;
            return text;
        }
        if (ferror(file))
            break;
    }
    error->status = SAM_ERR_IO;
    snprintf(error->text, sizeof error->text, "%.800s: %s", path, strerror(errno));
    if (file)
        fclose(file);
    free(text);
    return NULL;
}

/* The assembly of a kernel in OpenCL C; on NULL `error` is filled. */
static char *compile(const char *path, size_t *size, struct sam_error *error)
{
    const struct sam_cc_options options = {.size = sizeof options};
    char *text = NULL, *messages = NULL;
    sam_cc_compile(&options, path, &text, size, &messages, error);
    sam_text_free(messages);
    return text;
}

/* Assemble the machine's own start code followed by the kernel's source. */
static enum sam_status assemble(const char *path, bool opencl, struct sam_image **image,
                                struct sam_error *error)
{
    size_t size = 0;
    char *messages = NULL,
         *text = opencl ? compile(path, &size, error) : read_text(path, &size, error);
    if (!text)
        return error->status;
    struct sam_asm_options options = {.size = sizeof options,
                                      .base = SAM_CODE_BASE,
                                      .lines = true,
                                      .prologue = sam_gpu_start_code(),
                                      .prologue_name = "<start code>"};
    enum sam_status status = sam_isa_parse("ventus", &options.isa, error);
    if (!status)
        status = sam_assemble(&options, path, text, size, image, &messages, error);
    sam_text_free(messages);
    if (opencl)
        sam_text_free(text);
    else
        free(text);
    return status;
}

const struct kernel_check *kernel_check_find(const char *name)
{
    for (size_t i = 0; i < kernel_check_count; i++)
        if (strcmp(kernel_checks[i].name, name) == 0)
            return &kernel_checks[i];
    return NULL;
}

/* A sink that discards the commit log, whose use makes the machine step. */
static bool drop(void *context, const void *data, size_t size)
{
    (void)context, (void)data, (void)size;
    return true;
}

enum sam_status kernel_check_run(const struct kernel_check *kernel,
                                 const struct check_config *config, struct check_report *report,
                                 struct sam_error *error)
{
    *report = (struct check_report){.pass = true, .digest = UINT64_C(0xcbf29ce484222325)};
    struct check check = {
        .kernel = kernel,
        .config = *config,
        .report = report,
        .pds_size = 4,
        .random = 2024,
        .error = error,
    };
    if (!check.config.size)
        check.config.size = kernel->default_size;
    if (!check.config.block)
        check.config.block = kernel->default_block;
    if (!check.config.lanes)
        check.config.lanes = 32;
    report->size = check.config.size;

    char path[4096];
    snprintf(path, sizeof path, config->opencl ? "%s/opencl/%s.cl" : "%s/%s.s", config->dir,
             kernel->name);
    /* The hardware's SIMT stack has as many entries as a warp has lanes. */
    struct sam_gpu_options options = {
        .jobs = config->jobs,
        .max_insns = config->max_insns,
        .simt_stack_limit = check.config.lanes,
        .size = sizeof options,
        .profile = config->profile,
        .sanitizer = config->sanitizer,
    };
    if (config->stepped)
        options.log.write = drop;
    check.image = config->image;
    if (!check.image)
        check.status = assemble(path, config->opencl, &check.image, error);
    if (!check.status)
        check.status = sam_gpu_new(&options, &check.gpu, error);
    if (!check.status)
        check.status = sam_gpu_load(check.gpu, check.image, error);
    if (!check.status)
        kernel->run(&check);
    if (check.image && config->look)
        config->look(config->context, check.image);

    for (size_t i = 0; i < check.array_count; i++)
        free(check.arrays[i]);
    free(check.arrays);
    sam_gpu_free(check.gpu);
    if (!config->image)
        sam_image_free(check.image);
    if (check.status)
        report->pass = false;
    return check.status;
}
