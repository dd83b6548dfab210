/* SPDX-License-Identifier: Apache-2.0 */
/* Column minimum: elements per second on one thread, for every size and dtype, compared with a
 * plain loop compiled for the host and with the bandwidth of reading the same bytes. Then whole
 * programs. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samite/samite.h"
#include "tile_native.h"

struct fold {
    enum sam_dtype dtype;
    size_t rows, cols;
    void *src, *dst;
    struct sam_tile_core *core;
    struct sam_tile source, result;
};

static double count(const struct fold *f, uint64_t rounds)
{
    return (double)rounds * (double)f->rows * (double)f->cols;
}

static double fold(void *context, uint64_t rounds)
{
    struct fold *f = context;
    for (uint64_t i = 0; i < rounds; i++) {
        sam_tile_fold_columns(f->dtype, false, SAM_TILE_NAN_NUMBER, false, f->dst, f->src, f->rows,
                              f->cols, f->cols);
        bench_use(f->dst);
    }
    return count(f, rounds);
}

/* The same as an operation: checked, with a source marked as written. */
static double operation(void *context, uint64_t rounds)
{
    struct fold *f = context;
    for (uint64_t i = 0; i < rounds; i++)
        if (sam_tcolmin(&f->result, &f->source).status != SAM_OK)
            return -1;
    return count(f, rounds);
}

static double native(void *context, uint64_t rounds)
{
    struct fold *f = context;
    for (uint64_t i = 0; i < rounds; i++) {
        tile_native_fold(f->dtype, f->dst, f->src, f->rows, f->cols);
        bench_use(f->dst);
    }
    return count(f, rounds);
}

static double read_bytes(void *context, uint64_t rounds)
{
    struct fold *f = context;
    size_t size = f->rows * f->cols * sam_dtype_size(f->dtype);
    for (uint64_t i = 0; i < rounds; i++) {
        uint64_t sum = tile_native_read(f->src, size);
        bench_use(&sum);
    }
    return count(f, rounds);
}

static bool start(struct fold *f)
{
    size_t size = f->rows * f->cols * sam_dtype_size(f->dtype);
    struct sam_tile_options options = {.profile = SAM_TILE_HOST};
    struct sam_tile source = SAM_TILE(vec, f32, (uint32_t)f->rows, (uint32_t)f->cols);
    struct sam_tile result = SAM_TILE(vec, f32, 1, (uint32_t)f->cols);
    f->source = source;
    f->result = result;
    f->source.type.dtype = f->result.type.dtype = f->dtype;
    f->src = aligned_alloc(64, size);
    f->dst = aligned_alloc(64, f->cols * 8);
    if (!f->src || !f->dst || sam_tile_core_new(&options, &f->core, NULL) != SAM_OK)
        return false;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)f->src)[i] = (uint8_t)(i * 2654435761u >> 13);
    return sam_tile_fill(f->core, &f->source, f->src, NULL) == SAM_OK;
}

static void finish(struct fold *f)
{
    sam_tile_core_free(f->core);
    free(f->src);
    free(f->dst);
}

static void measure(struct bench *bench, enum sam_dtype dtype, size_t rows, size_t cols)
{
    char name[64], reading[96], plain[96], whole[96];
    struct fold f = {.dtype = dtype, .rows = rows, .cols = cols};
    snprintf(name, sizeof name, "%s %zux%zu", sam_tile_dtype_name(dtype), rows, cols);
    snprintf(plain, sizeof plain, "%s, of a plain loop", name);
    snprintf(reading, sizeof reading, "%s, of reading", name);
    snprintf(whole, sizeof whole, "%s, as an operation", name);
    if (!bench_wants(bench, name) || !start(&f))
        return;
    /* References first, for comparison with the rows that follow. */
    double loop = bench_rate(bench, plain, "G elem/s", 1e9, native, &f, 0);
    double bandwidth = bench_rate(bench, reading, "G elem/s", 1e9, read_bytes, &f, 0);
    double got = bench_rate(bench, name, "G elem/s", 1e9, fold, &f, bandwidth);
    bench_rate(bench, whole, "G elem/s", 1e9, operation, &f, got);
    if (loop > 0)
        bench_value(bench, "  times the plain loop", "x", got / loop, 0);
    finish(&f);
}

/* A program of 1024 rows in blocks, and its text. */
static const char program_text[] =
    "func.func @f(%in: !pto.ptr<f32>) {\n"
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
    "%c64 = arith.constant 64 : index\n%c256 = arith.constant 256 : index\n"
    "%c1024 = arith.constant 1024 : index\n%inf = arith.constant 0x7f800000 : f32\n"
    "%x = pto.make_tensor_view %in, shape = [%c1024, %c256], strides = [%c256, %c1] : "
    "!pto.tensor_view<?x?xf32>\n"
    "%best = pto.texpands %inf : f32 -> !pto.tile<vec, 1x256xf32>\n"
    "scf.for %i = %c0 to %c1024 step %c64 {\n"
    "%p = pto.partition_view %x, offsets = [%i, %c0], sizes = [%c64, %c256] : "
    "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<64x256xf32>\n"
    "%a = pto.tload %p : !pto.partition_tensor_view<64x256xf32> -> !pto.tile<vec, 64x256xf32>\n"
    "%m = pto.tcolmin %a : !pto.tile<vec, 64x256xf32> -> !pto.tile<vec, 1x256xf32>\n"
    "pto.tmin ins(%best, %m : !pto.tile<vec, 1x256xf32>, !pto.tile<vec, 1x256xf32>) "
    "outs(%best : !pto.tile<vec, 1x256xf32>)\n}\nreturn\n}\n";

static double parse(void *context, uint64_t rounds)
{
    (void)context;
    for (uint64_t i = 0; i < rounds; i++) {
        struct sam_tile_program *p;
        char *messages;
        if (sam_tile_parse("bench", program_text, sizeof program_text - 1, &p, &messages, NULL) !=
            SAM_OK)
            return -1;
        free(messages);
        sam_tile_program_free(p);
    }
    return (double)rounds * 16;
}

static double run(void *context, uint64_t rounds)
{
    struct sam_tile_argument argument = {.array = context};
    struct sam_tile_options options = {.profile = SAM_TILE_A5};
    struct sam_tile_program *p;
    char *messages;
    if (sam_tile_parse("bench", program_text, sizeof program_text - 1, &p, &messages, NULL) !=
        SAM_OK)
        return -1;
    free(messages);
    for (uint64_t i = 0; i < rounds; i++)
        if (sam_tile_run(p, 0, &argument, 1, &options, NULL, NULL) != SAM_OK)
            return -1;
    sam_tile_program_free(p);
    return (double)rounds * 1024 * 256;
}

int main(int argc, char **argv)
{
    static const size_t sizes[][2] = {{64, 64}, {128, 128}, {256, 1024}, {1024, 1024}};
    static const enum sam_dtype dtypes[] = {SAM_TILE_f32, SAM_TILE_f16, SAM_TILE_bf16, SAM_TILE_i8};
    struct bench *bench = bench_open(argc, argv, "Column minimum of tiles, one thread");
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            measure(bench, dtypes[d], sizes[i][0], sizes[i][1]);
    struct sam_array array = {SAM_F32,
                              2,
                              {1024, 256},
                              (size_t)1024 * 256,
                              (size_t)1024 * 256 * 4,
                              calloc((size_t)1024 * 256, 4)};
    bench_rate(bench, "program, 16 blocks of 64x256", "G elem/s", 1e9, run, &array, 0);
    bench_rate(bench, "parsing", "M lines/s", 1e6, parse, NULL, 0);
    free(array.data);
    return bench_close(bench);
}
