/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated cycles of lowered tile programs, with all defaults: whole programs, or one operation
 * of a program whose tiles are arguments. Equal on every host. */
#include "lower_cycles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_run.h"

#define PRODUCT(layout)                                                                            \
    "func.func @f(%l: !pto.tile_buf<left, 64x64xf16>, %r: !pto.tile_buf<right, 64x64xf16" layout   \
    ">, %d: !pto.tile_buf<acc, 64x64xf32>) {\n"                                                    \
    "pto.tmatmul ins(%l, %r : !pto.tile_buf<left, 64x64xf16>, !pto.tile_buf<right, "               \
    "64x64xf16" layout ">) outs(%d : !pto.tile_buf<acc, 64x64xf32>)\n"                             \
    "return\n}\n"

#define WIDE "!pto.tile_buf<vec, 64x256xf32>"
/* x * min(max(x + 3, 0), 6) / 6 */
#define HARD_SWISH                                                                                 \
    "func.func @f(%x: " WIDE ", %y: " WIDE ") {\n"                                                 \
    "%three = arith.constant 3.0 : f32\n%zero = arith.constant 0.0 : f32\n"                        \
    "%six = arith.constant 6.0 : f32\n%sixth = arith.constant 0.16666667 : f32\n"                  \
    "%a = pto.tadds %x, %three : " WIDE ", f32 -> " WIDE "\n"                                      \
    "%b = pto.tmaxs %a, %zero : " WIDE ", f32 -> " WIDE "\n"                                       \
    "%c = pto.tmins %b, %six : " WIDE ", f32 -> " WIDE "\n"                                        \
    "%d = pto.tmuls %c, %sixth : " WIDE ", f32 -> " WIDE "\n"                                      \
    "pto.tmul ins(%d, %x : " WIDE ", " WIDE ") outs(%y : " WIDE ")\nreturn\n}\n"

#define PIXELS  "!pto.tile_buf<vec, 102x48xf32>"
#define ROW     "!pto.tile_buf<vec, 32x48xf32>"
#define FILTERS "!pto.tile_buf<vec, 9x48xf32>"
#define FILTER  "!pto.tile_buf<vec, 1x48xf32>"
#define TAP(n, at, product)                                                                        \
    "%at" n " = arith.constant " at " : index\n%row" n " = arith.constant " n " : index\n"         \
    "%x" n " = pto.subset %x, offsets = [%at" n ", %zero] : " PIXELS " -> " ROW "\n"               \
    "%w" n " = pto.subset %w, offsets = [%row" n ", %zero] : " FILTERS " -> " FILTER "\n"          \
    "pto.tcolexpandmul ins(%x" n ", %w" n " : " ROW ", " FILTER ") outs(%" product " : " ROW ")\n"
#define SUM "pto.tadd ins(%y, %t : " ROW ", " ROW ") outs(%y : " ROW ")\n"
/* One row of pixels of a depthwise 3x3, from three rows with a border. */
#define DEPTHWISE                                                                                  \
    "func.func @f(%x: " PIXELS ", %w: " FILTERS ", %y: " ROW ") {\n"                               \
    "%zero = arith.constant 0 : index\n%t = pto.alloc_tile : " ROW "\n" TAP("0", "0", "y")         \
        TAP("1", "1", "t") SUM TAP("2", "2", "t") SUM TAP("3", "34", "t") SUM TAP("4", "35", "t")  \
            SUM TAP("5", "36", "t") SUM TAP("6", "68", "t") SUM TAP("7", "69", "t")                \
                SUM TAP("8", "70", "t") SUM "return\n}\n"

struct input {
    enum sam_dtype dtype;
    uint64_t rows, cols;
};

static const struct {
    const char *name, *path; /* of kernels/tile/, */
    const char *text;        /* or the program */
    const char *operation;   /* cycles from its first work to its last; NULL: of the program */
    double bound;            /* cycles; 0: of the busiest unit */
    struct input inputs[3];
} rows[] = {
    /* 16 blocks of 16x16, each two steps of two blocks of factors, 64 beats each */
    {"tmatmul f16 64x64x64",
     NULL,
     PRODUCT(""),
     "tmatmul",
     2048,
     {{SAM_F16, 64, 64}, {SAM_F16, 64, 64}, {SAM_F32, 64, 64}}},
    {"tmatmul f16 64x64x64, column-major right",
     NULL,
     PRODUCT(", blayout=col_major"),
     "tmatmul",
     2048,
     {{SAM_F16, 64, 64}, {SAM_F16, 64, 64}, {SAM_F32, 64, 64}}},
    {"matmul_blocked.pto",
     "matmul_blocked.pto",
     NULL,
     NULL,
     0,
     {{SAM_BF16, 32, 256}, {SAM_BF16, 256, 32}, {SAM_F32, 32, 32}}},
    /* load and store unit: 512 accesses per SM, 4 cycles each */
    {"hard-swish 64x256",
     NULL,
     HARD_SWISH,
     "tadds",
     2048,
     {{SAM_F32, 64, 256}, {SAM_F32, 64, 256}}},
    /* load and store unit: 464 accesses per SM */
    {"depthwise 3x3, 32 pixels of 48",
     NULL,
     DEPTHWISE,
     "tcolexpandmul",
     1620,
     {{SAM_F32, 102, 48}, {SAM_F32, 9, 48}, {SAM_F32, 32, 48}}},
    {"softmax.pto", "softmax.pto", NULL, NULL, 0, {{SAM_F32, 16, 64}, {SAM_F32, 16, 64}}},
};

static const struct {
    const char *name;
    uint32_t sequence, width, hidden;
    enum sam_dtype type;
    enum { ARRAYS, HUFFMAN, WINDOWS } weights;
    double slope, cubic;
} blocks[] = {
#define GELU BLOCK_GELU_SLOPE, BLOCK_GELU_CUBIC
    {"block.pto 128x256, f32", 128, 256, 1024, SAM_BF16, ARRAYS, GELU},
    {"block.pto 128x256, bf16, Huffman", 128, 256, 1024, SAM_BF16, HUFFMAN, GELU},
    {"block.pto 128x256, bf16, windows", 128, 256, 1024, SAM_BF16, WINDOWS, GELU},
    {"block_f16.pto 128x256", 128, 256, 1024, SAM_F16, ARRAYS, GELU},
    {"block_f16.pto 128x256, Huffman", 128, 256, 1024, SAM_F16, HUFFMAN, GELU},
    {"block_f16.pto 128x256, windows", 128, 256, 1024, SAM_F16, WINDOWS, GELU},
    {"block.pto 64x256, f32", 64, 256, 1024, SAM_BF16, ARRAYS, GELU},
    {"block.pto 64x256, bf16, Huffman", 64, 256, 1024, SAM_BF16, HUFFMAN, GELU},
    {"block.pto 64x256, bf16, windows", 64, 256, 1024, SAM_BF16, WINDOWS, GELU},
    /* the shape of those of PP-OCRv4's recognition model */
    {"block.pto 40x120, f32, Swish", 40, 120, 240, SAM_F32, ARRAYS, 1, 0},
};

static void put(struct bench *bench, const char *name, const struct sam_system_figures *f,
                const char *operation, double bound)
{
    if (!f) /* runs without timing have none */
        return;
    double cycles = operation ? 0 : (double)f->cycles;
    for (size_t i = 0; operation && i < f->operation_count; i++)
        if (f->operations[i].operation && strcmp(f->operations[i].operation->name, operation) == 0)
            cycles += (double)f->operations[i].work;
    bench_value(bench, name, "cycles", cycles, bound > 0 ? bound : (double)f->busiest_cycles);
}

static void run(struct sam_tile_lowered *made, struct sam_system_figures **figures)
{
    const struct sam_system_timing timing = {.size = sizeof timing};
    const struct sam_system_options options = {.size = sizeof options, .timing = &timing};
    struct sam_system *system = NULL;
    struct sam_error error;
    if (sam_system_new(&options, &system, &error) != SAM_OK ||
        sam_tile_lowered_load(made, system, &error) != SAM_OK ||
        sam_system_run(system, NULL, &error) != SAM_OK ||
        sam_tile_lowered_failure(made, system, &error) != SAM_OK ||
        sam_system_measure(system, figures, &error) != SAM_OK)
        bench_fail("run", &error);
    sam_system_free(system);
}

static void run_program(struct bench *bench, size_t row)
{
    struct sam_array arrays[3] = {0};
    struct sam_tile_argument arguments[3] = {0};
    struct sam_tile_program *program = NULL;
    struct sam_tile_lowered *made = NULL;
    struct sam_system_figures *figures = NULL;
    struct sam_error error;
    char path[4096], *messages = NULL;
    size_t count = 0;
    for (; count < 3 && rows[row].inputs[count].rows; count++) {
        const struct input *in = &rows[row].inputs[count];
        arrays[count] = (struct sam_array){.dtype = in->dtype,
                                           .rank = 2,
                                           .shape = {in->rows, in->cols},
                                           .count = (size_t)(in->rows * in->cols)};
        arrays[count].size = arrays[count].count * 4;
        arrays[count].data = calloc(arrays[count].size, 1);
        arguments[count] = (struct sam_tile_argument){.array = &arrays[count]};
    }
    snprintf(path, sizeof path, KERNEL_DIR "/tile/%s", rows[row].path ? rows[row].path : "");
    const enum sam_status status =
        rows[row].path ? block_program(path, &program, &error)
                       : sam_tile_parse(rows[row].name, rows[row].text, strlen(rows[row].text),
                                        &program, &messages, &error);
    free(messages);
    messages = NULL;
    if (status != SAM_OK ||
        sam_tile_lower(program, 0, arguments, count, NULL, &made, &messages, &error) != SAM_OK)
        bench_fail(rows[row].name, &error);
    free(messages);
    run(made, &figures);
    put(bench, rows[row].name, figures, rows[row].operation, rows[row].bound);
    sam_system_figures_free(figures);
    sam_tile_lowered_free(made);
    sam_tile_program_free(program);
    while (count--)
        free(arrays[count].data);
}

static void run_block(struct bench *bench, size_t row)
{
    const struct sam_system_timing timing = {.size = sizeof timing};
    const struct block_config config = {.sequence = blocks[row].sequence,
                                        .width = blocks[row].width,
                                        .heads = 8,
                                        .hidden = blocks[row].hidden,
                                        .type = blocks[row].type,
                                        .slope = blocks[row].slope,
                                        .cubic = blocks[row].cubic,
                                        .eps = 1e-5,
                                        .seed = 1};
    struct block_system how = {.timing = &timing};
    struct block_figures figures;
    struct block block;
    struct sam_error error;
    void *packed = NULL;
    if (block_make(&block, &config, &error) != SAM_OK ||
        (blocks[row].weights != ARRAYS && block_pack(&block, 1, blocks[row].weights == WINDOWS,
                                                     &packed, &how.packed_size, &error) != SAM_OK))
        bench_fail(blocks[row].name, &error);
    how.packed = packed;
    if (block_lowered(&block, block_source(&config), &how, &figures, &error) != SAM_OK)
        bench_fail(blocks[row].name, &error);
    put(bench, blocks[row].name, figures.figures, NULL, 0);
    block_figures_free(&figures);
    block_free(&block);
    free(packed);
}

void bench_lower_cycles(struct bench *bench)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (bench_wants(bench, rows[i].name))
            run_program(bench, i);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (bench_wants(bench, blocks[i].name))
            run_block(bench, i);
}
