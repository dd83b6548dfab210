/* SPDX-License-Identifier: Apache-2.0 */
/* Tile programs lowered onto the system: the output assembles, and a program that the executor
 * finishes also finishes when lowered, with the same bits. The first byte selects modes. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "samite/samite.h"

enum { ELEMENTS = 2048, ARGUMENTS = 8, MOST_OPS = 400, LARGEST = 1 << 16, BYTES = ELEMENTS * 4 };

struct arguments {
    struct sam_array array;
    struct sam_tile_argument given[ARGUMENTS];
    size_t count;
};

static void give(struct arguments *a, uint8_t mode, size_t count, uint8_t *data)
{
    static const enum sam_dtype dtypes[] = {SAM_F32, SAM_F16, SAM_I32, SAM_U8};
    *a = (struct arguments){.count = count};
    a->array = (struct sam_array){.dtype = dtypes[mode >> 3 & 3],
                                  .rank = 1,
                                  .shape = {ELEMENTS},
                                  .count = ELEMENTS,
                                  .data = data};
    a->array.size = ELEMENTS * sam_dtype_size(a->array.dtype);
    for (size_t i = 0; i < BYTES; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 11);
    for (size_t i = 0; i < count; i++) {
        if (mode >> 5 & 1)
            a->given[i] =
                (struct sam_tile_argument){.is_scalar = true, .dtype = SAM_I64, .bits = i * 3 + 1};
        else
            a->given[i].array = &a->array;
    }
}

/* Run the lowered program and compare its result with the executor's array. */
static void run(struct sam_tile_lowered *made, const uint8_t *expected, const uint8_t *found)
{
    const struct sam_gpu_options gpu = {.size = sizeof gpu, .max_insns = 10000000, .jobs = 1};
    const struct sam_hart_options hart = {.size = sizeof hart, .max_insns = 100000000};
    const struct sam_system_options options = {.size = sizeof options, .gpu = &gpu, .hart = &hart};
    struct sam_system *system;
    FUZZ_CHECK(sam_system_new(&options, &system, NULL) == SAM_OK);
    FUZZ_CHECK(sam_tile_lowered_load(made, system, NULL) == SAM_OK);
    FUZZ_CHECK(sam_system_run(system, NULL, NULL) == SAM_OK);
    FUZZ_CHECK(sam_tile_lowered_failure(made, system, NULL) == SAM_OK);
    FUZZ_CHECK(sam_tile_lowered_fetch(made, system, NULL) == SAM_OK);
    FUZZ_CHECK(memcmp(expected, found, BYTES) == 0);
    sam_system_free(system);
}

static void lower(const struct sam_tile_program *p, size_t function, uint8_t mode)
{
    static uint8_t executed[BYTES], lowered[BYTES];
    const size_t count = sam_tile_argument_count(p, function);
    const struct sam_tile_lower_options options = {
        .size = sizeof options,
        .profile = (enum sam_tile_profile)((mode >> 3) % 3),
        .nan = (enum sam_tile_nan)(mode % 3),
        .outside = (enum sam_tile_outside)(mode >> 2 & 1)};
    const struct sam_tile_options modes = {.size = sizeof modes,
                                           .profile = options.profile,
                                           .nan = options.nan,
                                           .outside = options.outside,
                                           .max_ops = MOST_OPS,
                                           .sum_order = SAM_TILE_SUM_SYSTEM};
    struct arguments a, b;
    struct sam_tile_lowered *made;
    struct sam_error error = {0};
    char *messages = NULL;
    if (count > ARGUMENTS)
        return;
    give(&a, mode, count, lowered);
    const enum sam_status status =
        sam_tile_lower(p, function, a.given, count, &options, &made, &messages, &error);
    FUZZ_CHECK((status == SAM_OK) == (made != NULL));
    FUZZ_CHECK(status == SAM_OK || error.text[0]);
    free(messages);
    if (!made)
        return;
    const struct sam_image *hart, *gpu;
    FUZZ_CHECK(sam_tile_lowered_images(made, &hart, &gpu, NULL) == SAM_OK);
    give(&b, mode, count, executed);
    if (sam_tile_run(p, function, b.given, count, &modes, NULL, NULL) == SAM_OK)
        run(made, executed, lowered);
    sam_tile_lowered_free(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sam_tile_program *p = NULL;
    char *messages = NULL;
    if (!size || size > LARGEST)
        return 0;
    sam_tile_parse("fuzz.pto", (const char *)data + 1, size - 1, &p, &messages, NULL);
    free(messages);
    if (!p)
        return 0;
    for (size_t f = 0; f < sam_tile_function_count(p) && f < 2; f++)
        lower(p, f, data[0]);
    sam_tile_program_free(p);
    return 0;
}

#define T "!pto.tile<vec, 8x16xf32>"
#define I "!pto.tile<vec, 8x16xi32, valid=?x?>"

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char *const seeds[] = {
        "0%z = arith.constant 1.5 : f32\n%a = texpands %z : f32 -> " T "\n"
        "%b = tmul %a, %a : " T ", " T " -> " T "\n%d = tdiv %b, %a : " T ", " T " -> " T "\n"
        "%e = pto.record_event <vector>\npto.wait_event %e\npto.barrier\n",
        /* scalars, loops, branches */
        "Pfunc.func @k(%a: index, %b: index, %s: i32) {\n%c0 = arith.constant 0 : index\n"
        "%c1 = arith.constant 1 : index\n%c8 = arith.constant 8 : index\n"
        "%t = pto.alloc_tile valid_row = %a valid_col = %b : " I "\n"
        "pto.tci ins(%s : i32) outs(%t : " I ")\n"
        "%r, %q = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %a, %y = %b) -> (index, index) "
        "{\n%p = arith.cmpi slt, %x, %y : index\n"
        "%v = scf.if %p -> (index) {\n%w = arith.addi %x, %i : index\nscf.yield %w : index\n"
        "} else {\n%w = arith.divsi %x, %b : index\nscf.yield %w : index\n}\n"
        "pto.tadds ins(%t, %s : " I ", i32) outs(%t : " I ")\n"
        "scf.yield %y, %v : index, index\n}\npto.set_validshape %t, %c1, %r : " I "\n"
        "%d = pto.alloc_tile valid_row = %a valid_col = %b : " I "\n"
        "pto.tdiv ins(%t, %t : " I ", " I ") outs(%d : " I ")\nreturn\n}\n",
        /* a load, a kernel, a store */
        "0func.func @k(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>) {\n%c0 = arith.constant 0 : index\n"
        "%c1 = arith.constant 1 : index\n%c8 = arith.constant 8 : index\n"
        "%c16 = arith.constant 16 : index\n"
        "%v = pto.make_tensor_view %a, shape = [%c8, %c16], strides = [%c16, %c1] : "
        "!pto.tensor_view<?x?xf32>\n"
        "%p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c8, %c16] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x16xf32>\n"
        "%t = pto.tload %p : !pto.partition_tensor_view<8x16xf32> -> " T "\n"
        "%u = pto.tadd %t, %t : " T ", " T " -> " T "\n"
        "pto.tstore %u, %p : " T ", !pto.partition_tensor_view<8x16xf32>\nreturn\n}\n",
        "0%i = arith.constant 0 : index\n%z = arith.constant 2.0 : f32\n"
        "%t = texpands %z : f32 -> " T "\n"
        "%w = pto.subset %t, offsets = [%i, %i] : " T " -> !pto.tile<vec, 4x8xf32>\n"
        "%m = texp %w : !pto.tile<vec, 4x8xf32> -> !pto.tile<vec, 4x8xf32>\n",
        /* addresses, overlapping windows, a size inferred from a source */
        "0func.func @k(%a: index, %b: index, %s: i32) {\n%i = arith.constant 0 : index\n"
        "%t = pto.alloc_tile addr = %a valid_row = %b valid_col = %b : " I "\n"
        "pto.tci ins(%s : i32) outs(%t : " I ")\n"
        "%v = pto.subset %t, offsets = [%a, %i] : " I " -> !pto.tile<vec, 4x8xi32>\n"
        "%w = pto.subset %t, offsets = [%b, %i] : " I " -> !pto.tile<vec, 4x8xi32>\n"
        "pto.tinsert ins(%v, %i, %i : !pto.tile<vec, 4x8xi32>, index, index) "
        "outs(%w : !pto.tile<vec, 4x8xi32>)\n"
        "pto.tassign %u, @tile(0x1000)\n%u = pto.tabs %t : " I " -> " I "\nreturn\n}\n",
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++)
        add(context, "program", seeds[i], strlen(seeds[i]));
}
