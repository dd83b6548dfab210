/* SPDX-License-Identifier: Apache-2.0 */
/* Packed weights that products read where they have been decoded: which tiles are not made, and
 * results equal to the executor's. */
#include "lower/lowered.h"

#include <stdlib.h>

#define VIEW  "!pto.tensor_view<?x?xf16>"
#define PART  "!pto.partition_tensor_view<32x64xf16>"
#define MAT   "!pto.tile_buf<mat, 32x64xf16, blayout=col_major>"
#define RIGHT "!pto.tile_buf<right, 32x64xf16, blayout=col_major>"
#define HALF  "!pto.tile_buf<mat, 32x32xf16, blayout=col_major>"
#define OTHER "!pto.tile_buf<right, 32x32xf16, blayout=col_major>"
#define LEFT  "!pto.tile_buf<left, 1x32xf16>"
#define ROW   "!pto.tile_buf<mat, 1x32xf16>"
#define ACC   "!pto.tile_buf<acc, 1x64xf32>"
#define VEC   "!pto.tile_buf<vec, 1x64xf32>"

/* x [1][32], weights w as 256 columns of `stride` elements, y [1][64]. */
#define INDICES INDEX(0) INDEX(1) INDEX(32) INDEX(64) INDEX(128) INDEX(192) INDEX(256)
#define HEAD                                                                                       \
    "func.func @f(%x: !pto.ptr<f16>, %w: !pto.ptr<f16>, %y: !pto.ptr<f32>) {\n" INDICES            \
    "%vx = pto.make_tensor_view %x, shape = [%c1, %c32], strides = [%c32, %c1] : " VIEW "\n"       \
    "%px = pto.partition_view %vx, offsets = [%c0, %c0], sizes = [%c1, %c32] : " VIEW              \
    " -> !pto.partition_tensor_view<1x32xf16>\n"                                                   \
    "%mx = pto.alloc_tile : " ROW "\n"                                                             \
    "pto.tload ins(%px : !pto.partition_tensor_view<1x32xf16>) outs(%mx : " ROW ")\n"              \
    "%l = pto.alloc_tile : " LEFT "\npto.tmov ins(%mx : " ROW ") outs(%l : " LEFT ")\n"            \
    "%vw = pto.make_tensor_view %w, shape = [%c32, %c256], strides = [%c1, %c32] : " VIEW "\n"     \
    "%d = pto.alloc_tile : " ACC "\n"
#define WINDOW(n, column)                                                                          \
    "%p" n " = pto.partition_view %vw, offsets = [%c0, %" column "], sizes = [%c32, %c64] : " VIEW \
    " -> " PART "\n"
#define LOAD(n)                                                                                    \
    "%m" n " = pto.alloc_tile : " MAT "\npto.tload ins(%p" n " : " PART ") outs(%m" n " : " MAT    \
    ")\n"
#define COPY(n)                                                                                    \
    "%r" n " = pto.alloc_tile : " RIGHT "\npto.tmov ins(%m" n " : " MAT ") outs(%r" n " : " RIGHT  \
    ")\n"
#define FIRST(n) "pto.tmatmul ins(%l, %r" n " : " LEFT ", " RIGHT ") outs(%d : " ACC ")\n"
#define MORE(n)                                                                                    \
    "pto.tmatmul_acc ins(%d, %l, %r" n " : " ACC ", " LEFT ", " RIGHT ") outs(%d : " ACC ")\n"
#define ASK(n) "pto.prefetch %p" n " : " PART "\n"
#define OUTPUT BY_ROWS("vy", "y", 1, 64) WINDOW_OF("py", "vy", "c0", "c0", 1, 64)
#define TAIL                                                                                       \
    "%v = pto.alloc_tile : " VEC "\npto.tmov ins(%d : " ACC ") outs(%v : " VEC ")\n" OUTPUT        \
    "pto.tstore ins(%v : " VEC ") outs(%py : !pto.partition_tensor_view<1x64xf32>)\n"              \
    "return\n}\n"

/* `count` tiles are read where they have been decoded. */
static void expect(const char *text, size_t count, bool is_packed)
{
    static const char note[] = "products read the decoded %";
    for (unsigned window = 0; window < 2; window++) {
        struct lowered x = {.text = text, .seed = test_seed()};
        lowered_random(&x, SAM_F16, 1, 32);
        const struct sam_array *w = lowered_random(&x, SAM_F16, 256, 32);
        lowered_array(&x, SAM_F32, 1, 64);
        if (is_packed) {
            x.arguments[1].packed = "w";
            x.options.weights = lowered_pack(w, window, &x.options.weights_size);
        }
        FREED char *hart = lowered_hart(&x);
        size_t found = 0;
        for (const char *at = hart; (at = strstr(at, note)); at += sizeof note)
            found++;
        if (found != count)
            fail_msg("%zu tiles, expected %zu:\n%s\n%s", found, count, text, hart);
        lowered_succeeds(&x);
        lowered_free(&x);
        free((void *)x.options.weights);
    }
}

TEST(test_in_place)
{
    expect(HEAD WINDOW("a", "c64") LOAD("a") COPY("a") FIRST("a") TAIL, 1, true);
    expect(HEAD WINDOW("a", "c64") LOAD("a") COPY("a") FIRST("a") TAIL, 0, false);
    /* two tiles, loaded before the first product, with and without hints */
    expect(HEAD WINDOW("a", "c0") WINDOW("b", "c192") LOAD("a") LOAD("b") COPY("a") COPY("b")
               FIRST("a") MORE("b") TAIL,
           2, true);
    expect(HEAD WINDOW("a", "c0") WINDOW("b", "c192") ASK("b") LOAD("a") LOAD("b") COPY("a")
               COPY("b") FIRST("a") ASK("a") MORE("b") MORE("a") TAIL,
           2, true);
}

TEST(test_made)
{
    /* loaded twice */
    expect(HEAD WINDOW("a", "c0") WINDOW("b", "c128") LOAD("a") COPY("a")
               FIRST("a") "pto.tload ins(%pb : " PART ") outs(%ma : " MAT ")\n"
                          "pto.tmov ins(%ma : " MAT ") outs(%ra : " RIGHT ")\n" MORE("a") TAIL,
           0, true);
    /* also read by another operation */
    expect(HEAD WINDOW("a", "c0") LOAD("a") COPY("a")
               FIRST("a") "%half = pto.subset %ma, offsets = [%c0, %c0] : " MAT " -> " HALF "\n"
                          "%other = pto.alloc_tile : " OTHER "\n"
                          "pto.tmov ins(%half : " HALF ") outs(%other : " OTHER ")\n" TAIL,
           0, true);
}

/* A window of a packed tensor of each type of whole bytes, by its rows and by its columns. */
TEST(packed_types)
{
    static const enum sam_dtype types[] = {SAM_I8,  SAM_U8,  SAM_E4M3, SAM_E5M2, SAM_E8M0,
                                           SAM_I16, SAM_U16, SAM_F16,  SAM_BF16, SAM_I32,
                                           SAM_U32, SAM_F32, SAM_I64,  SAM_F64};
    uint64_t random = test_seed();
    for (unsigned i = 0; i < 4 * SAM_COUNT(types); i++) {
        const enum sam_dtype type = types[i / 4];
        const char *name = sam_tile_dtype_name(type);
        const bool turned = i % 2, window = i / 2 % 2;
        SCOPED(sam_buffer) out = {0};
        SCOPED(lowered) x = {.seed = test_below(&random, UINT64_C(1) << 32)};
        sam_buffer_printf(&out,
                          "func.func @f(%%in: !pto.ptr<%s>, %%out: !pto.ptr<%s>) {\n"
                          "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
                          "%%c5 = arith.constant 5 : index\n%%c17 = arith.constant 17 : index\n"
                          "%%c31 = arith.constant 31 : index\n%%c123 = arith.constant 123 : index\n"
                          "%%c200 = arith.constant 200 : index\n"
                          "%%v = pto.make_tensor_view %%in, shape = [%%c%s], strides = [%%c%s] : "
                          "!pto.tensor_view<?x?x%s>\n",
                          name, name, turned ? "123, %c200" : "200, %c123",
                          turned ? "1, %c123" : "123, %c1", name);
        sam_buffer_printf(
            &out,
            "%%p = pto.partition_view %%v, offsets = [%%c5, %%c31], sizes = [%%c17, %%c31] : "
            "!pto.tensor_view<?x?x%s> -> !pto.partition_tensor_view<17x31x%s>\n"
            "%%y = pto.make_tensor_view %%out, shape = [%%c17, %%c31], strides = [%%c31, %%c1] : "
            "!pto.tensor_view<?x?x%s>\n"
            "%%q = pto.partition_view %%y, offsets = [%%c0, %%c0], sizes = [%%c17, %%c31] : "
            "!pto.tensor_view<?x?x%s> -> !pto.partition_tensor_view<17x31x%s>\n"
            "%%t = pto.tload %%p : !pto.partition_tensor_view<17x31x%s> -> "
            "!pto.tile_buf<vec, 17x32x%s, valid=17x31>\n"
            "pto.tstore ins(%%t : !pto.tile_buf<vec, 17x32x%s, valid=17x31>) outs(%%q : "
            "!pto.partition_tensor_view<17x31x%s>)\nreturn\n}\n",
            name, name, name, name, name, name, name, name, name);
        x.text = sam_buffer_text(&out);
        const struct sam_array *in = lowered_random(&x, type, 200, 123);
        lowered_array(&x, type, 17, 31);
        x.arguments[0].packed = "w";
        FREED void *weights = lowered_pack(in, window, &x.options.weights_size);
        x.options.weights = weights;
        lowered_succeeds(&x);
    }
}
