/* SPDX-License-Identifier: Apache-2.0 */
/* Tile programs lowered onto the system: the time of lowering, and the speed of the lowered
 * program without timing, against the executor. */
#include "lower_cycles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "samite/samite.h"

enum { LAUNCHES = 200, LINES = 1000, BLOCK_LINES = 8, ROWS = 512, COLS = 64 };

struct program {
    struct sam_tile_program *tile;
    struct sam_array in, out;
    struct sam_tile_argument arguments[2];
    struct sam_tile_lowered *made;
    struct sam_system *system;
};

#define T "!pto.tile_buf<vec, 16x64xf32>"
#define P "!pto.partition_tensor_view<16x64xf32>"
#define C "!pto.tile_buf<vec, 16x8xf32, valid=16x1>"

static const char head[] =
    "func.func @f(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>) {\n"
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
    "%c16 = arith.constant 16 : index\n%c64 = arith.constant 64 : index\n"
    "%c512 = arith.constant 512 : index\n"
    "%x = pto.make_tensor_view %in, shape = [%c512, %c64], strides = [%c64, "
    "%c1] : !pto.tensor_view<?x?xf32>\n"
    "%y = pto.make_tensor_view %out, shape = [%c512, %c64], strides = [%c64, "
    "%c1] : !pto.tensor_view<?x?xf32>\n";

/* Softmax of 16 rows: at %i, or at a separate row. */
static void put_block(struct sam_buffer *text, unsigned n, bool loop)
{
    char row[24] = "%i";
    if (!loop)
        snprintf(row, sizeof row, "%%c%s", n % 2 ? "16" : "0");
    sam_buffer_printf(
        text,
        "%%p%u = pto.partition_view %%x, offsets = [%s, %%c0], sizes = [%%c16, %%c64] : "
        "!pto.tensor_view<?x?xf32> -> " P "\n"
        "%%q%u = pto.partition_view %%y, offsets = [%s, %%c0], sizes = [%%c16, %%c64] : "
        "!pto.tensor_view<?x?xf32> -> " P "\n"
        "%%a%u = pto.tload %%p%u : " P " -> " T "\n"
        "%%m%u = pto.trowmax %%a%u : " T " -> " C "\n"
        "%%e%u = pto.trowexpandexpdif %%a%u, %%m%u : " T ", " C " -> " T "\n"
        "%%s%u = pto.trowsum %%e%u : " T " -> " C "\n"
        "%%d%u = pto.trowexpanddiv %%e%u, %%s%u : " T ", " C " -> " T "\n"
        "pto.tstore ins(%%d%u : " T ") outs(%%q%u : " P ")\n",
        n, row, n, row, n, n, n, n, n, n, n, n, n, n, n, n, n, n);
}

static bool parse(struct program *p, bool loop)
{
    struct sam_buffer text = {0};
    struct sam_error error;
    char *messages;
    sam_buffer_puts(&text, head);
    if (loop)
        sam_buffer_puts(&text, "scf.for %i = %c0 to %c512 step %c16 {\n");
    for (unsigned i = 0; i < (loop ? 1 : LINES / BLOCK_LINES); i++)
        put_block(&text, i, loop);
    sam_buffer_puts(&text, loop ? "}\nreturn\n}\n" : "return\n}\n");
    const enum sam_status status =
        sam_tile_parse("bench.pto", sam_buffer_text(&text), text.size, &p->tile, &messages, &error);
    if (status != SAM_OK)
        bench_fail(messages ? messages : "parse", &error);
    free(messages);
    sam_buffer_free(&text);
    for (unsigned i = 0; i < 2; i++) {
        struct sam_array *a = i ? &p->out : &p->in;
        *a = (struct sam_array){
            .dtype = SAM_F32, .rank = 2, .shape = {ROWS, COLS}, .count = (size_t)ROWS * COLS};
        a->size = a->count * 4;
        a->data = calloc(a->size, 1);
        p->arguments[i] = (struct sam_tile_argument){.array = a};
        for (size_t k = 0; a->data && k < a->count; k++)
            ((float *)a->data)[k] = (float)(k * 7919 % 1000) / 100;
    }
    return p->in.data && p->out.data;
}

static void make(struct program *p)
{
    struct sam_error error;
    char *messages;
    if (sam_tile_lower(p->tile, 0, p->arguments, 2, NULL, &p->made, &messages, &error) != SAM_OK)
        bench_fail("lower", &error);
    free(messages);
}

static double lower(void *context, uint64_t rounds)
{
    struct program *p = context;
    for (uint64_t i = 0; i < rounds; i++) {
        make(p);
        sam_tile_lowered_free(p->made);
    }
    return (double)rounds;
}

static double execute(void *context, uint64_t rounds)
{
    struct program *p = context;
    for (uint64_t i = 0; i < rounds; i++)
        if (sam_tile_run(p->tile, 0, p->arguments, 2, NULL, NULL, NULL) != SAM_OK)
            return -1;
    return (double)rounds * ROWS * COLS;
}

static double run(void *context, uint64_t rounds)
{
    struct program *p = context;
    struct sam_hart *hart = sam_system_hart(p->system);
    const struct sam_image *image, *gpu;
    if (sam_tile_lowered_images(p->made, &image, &gpu, NULL) != SAM_OK)
        return -1;
    for (uint64_t i = 0; i < rounds; i++) {
        struct sam_system_result result;
        sam_hart_set_pc(hart, image->entry);
        if (sam_system_run(p->system, &result, NULL) != SAM_OK || result.hart.exit_code)
            return -1;
    }
    return (double)rounds * ROWS * COLS;
}

/* Launches that do little: what one costs the host. */
static double launch(void *context, uint64_t rounds)
{
    const double elements = run(context, rounds);
    return elements < 0 ? elements : (double)rounds * LAUNCHES;
}

static bool parse_launches(struct program *p)
{
    struct sam_buffer text = {0};
    struct sam_error error;
    char *messages = NULL;
    sam_buffer_puts(&text, "func.func @f(%a: !pto.tile_buf<vec, 1x8xi32>, %b: "
                           "!pto.tile_buf<vec, 1x16xi32>) {\n%one = arith.constant 1 : i32\n");
    for (unsigned i = 0; i < LAUNCHES; i++) /* of two sizes in turn: they are not fused */
        sam_buffer_printf(&text,
                          "pto.tadds ins(%%%c, %%one : !pto.tile_buf<vec, 1x%uxi32>, i32) "
                          "outs(%%%c : !pto.tile_buf<vec, 1x%uxi32>)\n",
                          i % 2 ? 'b' : 'a', i % 2 ? 16 : 8, i % 2 ? 'b' : 'a', i % 2 ? 16 : 8);
    sam_buffer_puts(&text, "return\n}\n");
    if (sam_tile_parse("launches.pto", sam_buffer_text(&text), text.size, &p->tile, &messages,
                       &error) != SAM_OK)
        bench_fail(messages ? messages : "parse", &error);
    free(messages);
    sam_buffer_free(&text);
    for (unsigned i = 0; i < 2; i++) {
        struct sam_array *a = i ? &p->out : &p->in;
        *a = (struct sam_array){
            .dtype = SAM_I32, .rank = 2, .shape = {1, i ? 16 : 8}, .count = i ? 16 : 8};
        a->size = a->count * 4;
        a->data = calloc(a->size, 1);
        p->arguments[i] = (struct sam_tile_argument){.array = a};
    }
    return p->in.data && p->out.data;
}

static void close_program(struct program *p)
{
    sam_tile_program_free(p->tile);
    free(p->in.data);
    free(p->out.data);
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Lowered tile programs");
    struct program lines = {0}, loop = {0}, launches = {0};
    struct sam_error error;
    if (!parse(&lines, false) || !parse(&loop, true) || !parse_launches(&launches))
        exit(2);
    bench_time(bench, "lower 1,000 lines", "ms", 1e-3, lower, &lines, 0);
    const double rate =
        bench_rate(bench, "softmax, executor", "M elements/s", 1e6, execute, &loop, 0);
    make(&loop);
    if (sam_system_new(NULL, &loop.system, &error) != SAM_OK ||
        sam_tile_lowered_load(loop.made, loop.system, &error) != SAM_OK)
        bench_fail("load", &error);
    bench_rate(bench, "softmax, lowered", "M elements/s", 1e6, run, &loop, rate);
    make(&launches);
    if (sam_system_new(NULL, &launches.system, &error) != SAM_OK ||
        sam_tile_lowered_load(launches.made, launches.system, &error) != SAM_OK)
        bench_fail("load", &error);
    bench_time(bench, "launch", "us", 1e-6, launch, &launches, 0);
    sam_tile_lowered_free(loop.made);
    sam_system_free(loop.system);
    sam_tile_lowered_free(launches.made);
    sam_system_free(launches.system);
    close_program(&launches);
    close_program(&lines);
    close_program(&loop);
    bench_lower_cycles(bench);
    return bench_close(bench);
}
