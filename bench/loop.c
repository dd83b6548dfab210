/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

const struct bench_loop bench_loops[] = {
    {"int, 32 lanes", "alu_int", 32, 16 * 32, "M lane-insns/s", native_int_32},
    {"int, 8 lanes", "alu_int", 8, 16 * 8, "M lane-insns/s", native_int_8},
    {"float, 32 lanes", "alu_float", 32, 16 * 32, "M lane-insns/s", native_float},
    {"unit-stride vlw12/vsw12", "mem_unit", 32, 16 * 32, "M lane-insns/s", native_memory},
    {"unit-stride, 8 lanes", "mem_unit", 8, 16 * 8, "M lane-insns/s", native_memory_8},
    {"int, half of 32 lanes", "divergent", 32, 16 * 16, "M lane-insns/s", native_half},
    {"scalar", "scalar", 32, 18, "MIPS", native_scalar},
};
const size_t bench_loop_count = sizeof bench_loops / sizeof bench_loops[0];

struct sam_image *bench_assemble(const char *name, const char *source)
{
    struct sam_asm_options options = {
        .size = sizeof options, .base = SAM_CODE_BASE, .prologue = sam_gpu_start_code()};
    struct sam_error error;
    struct sam_image *image;
    char *messages;
    sam_isa_parse("ventus", &options.isa, &error);
    if (sam_assemble(&options, name, source, strlen(source), &image, &messages, &error) != SAM_OK)
        bench_fail(name, &error);
    sam_text_free(messages);
    return image;
}

static char *read_source(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/bench/loops/%s.s", SAM_SOURCE_ROOT, name);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 65536);
    if (!file || !text || fread(text, 1, 65535, file) == 0) {
        fprintf(stderr, "bench: cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

void bench_kernel_open(struct bench_kernel *k, const char *name, struct sam_image *image,
                       uint32_t lanes, uint32_t groups)
{
    struct sam_error error;
    uint32_t buffer = 0, args[2];
    k->image = image;
    if (sam_gpu_new(NULL, &k->gpu, &error) != SAM_OK ||
        sam_gpu_load(k->gpu, image, &error) != SAM_OK ||
        sam_gpu_alloc(k->gpu, 1 << 16, &buffer, &error) != SAM_OK)
        bench_fail(name, &error);
    args[0] = 1;
    args[1] = buffer;
    struct sam_kernel kernel = {.name = name,
                                .grid = {groups, 1, 1},
                                .block = {lanes, 1, 1},
                                .lanes = lanes,
                                .args = args,
                                .args_size = sizeof args};
    uint32_t where = 0;
    if (sam_gpu_prepare(k->gpu, image, &kernel, &k->launch, &error) != SAM_OK ||
        sam_gpu_read(k->gpu, k->launch.metadata + 4, &where, 4, &error) != SAM_OK)
        bench_fail(name, &error);
    k->args = where;
}

void bench_loop_open(struct bench_kernel *kernel, const struct bench_loop *loop)
{
    char *source = read_source(loop->file);
    kernel->loop = loop;
    bench_kernel_open(kernel, loop->file, bench_assemble(loop->file, source), loop->lanes, 1);
    free(source);
}

void bench_kernel_close(struct bench_kernel *k)
{
    sam_gpu_free(k->gpu);
    sam_image_free(k->image);
}

double bench_loop_run(void *context, uint64_t rounds)
{
    struct bench_kernel *k = context;
    uint32_t turns = rounds > UINT32_MAX ? UINT32_MAX : (uint32_t)rounds;
    struct sam_error error;
    if (sam_gpu_write(k->gpu, k->args, &turns, 4, &error) != SAM_OK ||
        sam_gpu_launch(k->gpu, &k->launch, NULL, &error) != SAM_OK)
        return -1;
    return turns * k->loop->per_turn;
}
