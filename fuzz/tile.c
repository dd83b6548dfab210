/* SPDX-License-Identifier: Apache-2.0 */
/* Tile programs. A program that parses prints as the same program in every surface syntax; one
 * that the checker accepts runs to its end on small arrays or stops with a message; vector and
 * plain loops give the same bits. The first byte selects modes. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "samite/samite.h"

enum { ELEMENTS = 4096, MOST_OPS = 2000, LARGEST = 1 << 22 };

static struct sam_tile_program *parse(const char *text, size_t size)
{
    struct sam_tile_program *p = NULL;
    struct sam_error error = {0};
    char *messages = NULL;
    enum sam_status status = sam_tile_parse("fuzz.pto", text, size, &p, &messages, &error);
    FUZZ_CHECK((status == SAM_OK) == (p != NULL));
    FUZZ_CHECK(status != SAM_ERR_INPUT || (strstr(messages, "error: ") && error.text[0]));
    free(messages);
    return p;
}

static void print(const struct sam_tile_program *p)
{
    for (int surface = SAM_TILE_FLAT; surface <= SAM_TILE_GENERIC; surface++) {
        char *text = NULL;
        FUZZ_CHECK(sam_tile_print(p, (enum sam_tile_surface)surface, &text, NULL) == SAM_OK);
        struct sam_tile_program *again = parse(text, strlen(text));
        FUZZ_CHECK(again && sam_tile_equal(p, again));
        sam_tile_program_free(again);
        free(text);
    }
}

/* One run on fresh arrays, whose final contents go to `data`. */
static enum sam_status run(const struct sam_tile_program *p, size_t function, uint8_t mode,
                           bool plain, uint8_t *data)
{
    static const enum sam_dtype dtypes[] = {SAM_F32, SAM_F16, SAM_I32, SAM_U8};
    struct sam_array array = {.dtype = dtypes[mode >> 3 & 3], .rank = 1, .data = data};
    struct sam_tile_argument arguments[8] = {{0}};
    struct sam_tile_options options = {.profile = SAM_TILE_A5,
                                       .nan = (enum sam_tile_nan)(mode % 3),
                                       .outside = (enum sam_tile_outside)(mode >> 2 & 1),
                                       .max_ops = MOST_OPS,
                                       .plain = plain};
    struct sam_error error = {0};
    size_t count = sam_tile_argument_count(p, function);
    array.count = array.shape[0] = ELEMENTS;
    array.size = ELEMENTS * sam_dtype_size(array.dtype);
    for (size_t i = 0; i < ELEMENTS * 4; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 11);
    for (size_t i = 0; i < count && i < 8; i++) {
        if (mode >> 5 & 1)
            arguments[i] =
                (struct sam_tile_argument){.is_scalar = true, .dtype = SAM_I64, .bits = i * 3 + 1};
        else
            arguments[i].array = &array;
    }
    enum sam_status status =
        count > 8 ? SAM_ERR_USAGE
                  : sam_tile_run(p, function, arguments, count, &options, NULL, &error);
    FUZZ_CHECK(status == SAM_OK || count > 8 || error.text[0]);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t fast[ELEMENTS * 4], slow[ELEMENTS * 4];
    char *messages = NULL;
    if (!size || size > LARGEST)
        return 0;
    struct sam_tile_program *p = parse((const char *)data + 1, size - 1);
    if (!p)
        return 0;
    print(p);
    for (int profile = SAM_TILE_A5; profile <= SAM_TILE_HOST; profile++) {
        sam_tile_check(p, (enum sam_tile_profile)profile, &messages, NULL);
        free(messages);
    }
    for (size_t f = 0; f < sam_tile_function_count(p) && f < 2; f++) {
        enum sam_status status = run(p, f, data[0], false, fast);
        FUZZ_CHECK(run(p, f, data[0], true, slow) == status);
        FUZZ_CHECK(memcmp(fast, slow, sizeof fast) == 0);
    }
    sam_tile_program_free(p);
    return 0;
}

#define T "!pto.tile<vec, 16x16xf32>"
#define D "!pto.tile<vec, 1x16xf32>"

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char *const seeds[] = {
        "0func.func @k() {\n%c = arith.constant 3\": index\nreturn\n", /* an open string */
        "0%dst = tcolmin %src : " T " -> " D "\n",
        "1pto.tassign %src, @tile(0x1000)\n%dst = pto.tcolmin %src : " T " -> " D
        "\npto.tassign %dst, @tile(0x2000)\n",
        "2pto.tcolmin ins(%src : " T ") outs(%dst : " D ") // x\n",
        "0module attributes {a = \"}\"} {\nfunc.func @k(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>) {\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%c8 = arith.constant 8 : index\n%c32 = arith.constant 32 : index\n"
        "%v = pto.make_tensor_view %a, shape = [%c32, %c32], strides = [%c32, %c1] : "
        "!pto.tensor_view<?x?xf32>\n"
        "%w = pto.make_tensor_view %b, shape = [%c1, %c32], strides = [%c32, %c1] : "
        "!pto.tensor_view<?x?xf32>\n"
        "%best = pto.alloc_tile : !pto.tile<vec, 1x32xf32, pad=max>\n"
        "scf.for %i = %c0 to %c32 step %c8 {\n"
        "%p = pto.partition_view %v, offsets = [%i, %c0], sizes = [%c8, %c32] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x32xf32>\n"
        "%s = pto.tload %p : !pto.partition_tensor_view<8x32xf32> -> !pto.tile<vec, 8x32xf32>\n"
        "pto.tcolmin ins(%s : !pto.tile<vec, 8x32xf32>) outs(%best : !pto.tile<vec, 1x32xf32, "
        "pad=max>)\n}\n"
        "%q = pto.partition_view %w, offsets = [%c0, %c0], sizes = [%c1, %c32] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x32xf32>\n"
        "pto.tstore %best, %q : !pto.tile<vec, 1x32xf32, pad=max>, "
        "!pto.partition_tensor_view<1x32xf32>\nreturn\n}\n}\n",
        "0%c0 = arith.constant 0 : index\n%n = arith.constant 9 : index\n"
        "%one = arith.constant 1.5 : f32\n%c1 = arith.constant 1 : index\n"
        "%r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {\n"
        "%k = arith.cmpi slt, %i, %a : index\n%d = scf.if %k -> (index) {\nscf.yield %i : index\n"
        "} else {\nscf.yield %c1 : index\n}\n%b = arith.addi %a, %d : index\n"
        "scf.yield %b : index\n}\n%t = texpands %one : f32 -> " T "\n"
        "%u = pto.subset %t, offsets = [%c1, %c0] : " T " -> !pto.tile<vec, 8x16xf32>\n"
        "%e = pto.record_event <vector>\npto.wait_event %e\npto.barrier\n",
        "0%s = arith.constant 3 : i32\n%t = tci %s : i32 -> !pto.tile<vec, 4x8xi32, valid=3x7>\n"
        "%h = tcvt %t {round = floor} : !pto.tile<vec, 4x8xi32, valid=3x7> -> "
        "!pto.tile<vec, 4x16xf16, valid=3x7>\n"
        "%m = trowmax %h : !pto.tile<vec, 4x16xf16, valid=3x7> -> !pto.tile<vec, 4x16xf16, "
        "valid=3x1>\n"
        "%x = trowexpandexpdif %h, %m : !pto.tile<vec, 4x16xf16, valid=3x7>, !pto.tile<vec, "
        "4x16xf16, valid=3x1> -> !pto.tile<vec, 4x16xf16, valid=3x7>\n",
        "0module {\nfunc.func @k(%a: !pto.ptr<f32>, %n: !pto.ptr<f32>) attributes {x} { // one\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%c8 = arith.constant 8 : index\n%c16 = arith.constant 16 : index\n"
        "%is = arith.cmpi sgt, %c8, %c1 : index\n"
        "%v = make_tensor_view %a, shape = [%c16, %c16], strides = [%c16, %c1] : "
        "!pto.tensor_view<?x?xf32>\n"
        "%t = alloc_tile : !pto.tile<vec, 8x8xf32>\ntassign %t, @tile(0)\n"
        "%u = alloc_tile : !pto.tile<vec, 8x8xf32>\ntassign %u, @tile(0x400)\n"
        "%e0 = record_event <tstore>\n"
        "%z = scf.for %i = %c0 to %c8 step %c1 iter_args(%w = %e0) -> (!pto.event) {\n"
        "%p = partition_view %v, offsets = [%i, %c8], sizes = [%c8, %c8] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x8xf32>\nwait_event %w\n"
        "tload ins(%p : !pto.partition_tensor_view<8x8xf32>) outs(%t : !pto.tile<vec, 8x8xf32>)\n"
        "scf.if %is {\n%r = record_event <tload>\nwait_event %r\n} else {\nbarrier\n}\n"
        "%q = partition_view %v, offsets = [%c0, %c0], sizes = [%c8, %c8] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x8xf32>\n"
        "tstore ins(%t : !pto.tile<vec, 8x8xf32>) outs(%q : !pto.partition_tensor_view<8x8xf32>)\n"
        "%e = record_event <tstore>\nscf.yield %e : !pto.event\n// two\n}\nwait_event %z\n"
        "%s = subset %t, offsets = [%c1, %c0] : !pto.tile<vec, 8x8xf32> -> !pto.tile<vec, "
        "4x8xf32>\n"
        "tsync\nreturn\n}\n}\n",
        "0%a = tmov %m : !pto.tile<mat, 16x32xbf16> -> !pto.tile<loc=left, dtype=bf16, rows=16, "
        "cols=32, blayout=col_major, slayout=row_major, fractal=512, pad=0>\n",
        "0\"pto.tcolmin\"(%src, %dst) {x.y = #z<[1, \"}\"]>} : (" T ", " D ") -> ()\n"
        "%m = \"pto.tcmp\"(%src, %src) <{cmp = \"lt\"}> : (" T ", " T ") -> "
        "!pto.tile<vec, 16x32xui8, valid=16x16>\n",
        "0\"pto.tassign\"(%t) {address = 4096 : i64} : (" T ") -> ()\n"
        "%c0 = \"arith.constant\"() {value = 0 : index} : () -> index\n"
        "%x = \"arith.constant\"() <{value = 1.5 : f32}> : () -> f32\n"
        "%b = \"arith.cmpi\"(%c0, %n) {predicate = 2 : i64} : (index, index) -> i1\n"
        "%t = \"pto.texpands\"(%x) : (f32) -> " T "\n"
        "%r = \"scf.for\"(%c0, %n, %n, %c0) ({\n^bb0(%i: index, %a: index):\n"
        "%s = \"arith.addi\"(%i, %a) {overflowFlags = #arith.overflow<none>} : (index, index) -> "
        "index\n\"scf.yield\"(%s) : (index) -> ()\n}) : (index, index, index, index) -> index\n"
        "\"scf.if\"(%b) ({\n%u = \"pto.alloc_tile\"(%n) {operandSegmentSizes = "
        "array<i32: 0, 1, 0>} : (index) -> !pto.tile<vec, 8x8xf32, valid=?x8>\n"
        "\"scf.yield\"() : () -> ()\n}, {}) : (i1) -> ()\n"
        "%e = \"pto.record_event\"() {pipe = \"vector\"} : () -> !pto.event\n"
        "\"pto.wait_event\"(%e) : (!pto.event) -> ()\n",
        "0scf.for%%%%",
        "0%c = arith.constant 0 : index\nscf.for %i = %c to %c step %c iter_args(%%%%",
        "0%t = pto.alloc_tile valid_row = %n valid_col = %n : !pto.tile<vec, 8x8xf32, valid=?x?>\n"
        "pto.set_validshape %t, %n, %n : !pto.tile<vec, 8x8xf32, valid=?x?>\n",
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        char name[16];
        snprintf(name, sizeof name, "%zu", i);
        add(context, name, seeds[i], strlen(seeds[i]));
    }
}
