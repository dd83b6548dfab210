/* SPDX-License-Identifier: Apache-2.0 */
/* Avoidable copies in left and right: the copies made, and results equal to the executor's. */
#include "lower/lowered.h"

#define PART  "!pto.partition_tensor_view<32x32xf32>"
#define MAT   "!pto.tile_buf<mat, 32x32xf32>"
#define LEFT  "!pto.tile_buf<left, 32x32xf32>"
#define RIGHT "!pto.tile_buf<right, 32x32xf32>"
#define ACC   "!pto.tile_buf<acc, 32x32xf32>"
#define VEC   "!pto.tile_buf<vec, 32x32xf32>"

#define VIEWS                                                                                      \
    INDEX(0)                                                                                       \
    INDEX(1)                                                                                       \
    INDEX(32)                                                                                      \
    INDEX(96)                                                                                      \
    BY_ROWS("x", "in", 96, 32) BY_ROWS("y", "out", 96, 32) WINDOW_OF("p", "x", "c0", "c0", 32, 32)
#define HEAD                                                                                       \
    "func.func @f(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>, %n: index) {\n" VIEWS                   \
    "%ma = pto.alloc_tile : " MAT "\n%mb = pto.alloc_tile : " MAT "\n"                             \
    "%l = pto.alloc_tile : " LEFT "\n%r = pto.alloc_tile : " RIGHT "\n"                            \
    "%d = pto.alloc_tile : " ACC "\n%z = pto.alloc_tile : " VEC "\n"                               \
    "pto.tload ins(%p : " PART ") outs(%ma : " MAT ")\n"
#define COPY(from, to, type) "pto.tmov ins(" from " : " MAT ") outs(" to " : " type ")\n"
#define LOAD(row, to)                                                                              \
    WINDOW_OF("p" row, "x", row, "c0", 32, 32)                                                     \
    "pto.tload ins(%p" row " : " PART ") outs(" to " : " MAT ")\n"
#define MULTIPLY "pto.tmatmul ins(%l, %r : " LEFT ", " RIGHT ") outs(%d : " ACC ")\n"
#define STORE(row)                                                                                 \
    WINDOW_OF("q" row, "y", row, "c0", 32, 32)                                                     \
    "pto.tmov ins(%d : " ACC ") outs(%z : " VEC ")\n"                                              \
    "pto.tstore ins(%z : " VEC ") outs(%q" row " : " PART ")\n"

/* `copies`: of ma to l, of mb to r: read in place. */
static void expect(const char *text, bool ma, bool mb)
{
    SCOPED(lowered) x = {.text = text, .seed = test_seed(), .options.in_order = true};
    lowered_random(&x, SAM_F32, 96, 32);
    lowered_array(&x, SAM_F32, 96, 32);
    lowered_scalar(&x, SAM_I64, 96);
    FREED char *hart = lowered_hart(&x);
    if (!strstr(hart, "products read ma in place") == ma ||
        !strstr(hart, "products read mb in place") == mb)
        fail_msg("%s\n%s", text, hart);
    lowered_succeeds(&x);
}

/* The left factor stays over a loop that loads another tile of mat in each iteration. */
TEST(test_loop)
{
    expect(HEAD COPY("%ma", "%l", LEFT) "scf.for %i = %c0 to %n step %c32 {\n" LOAD("i", "%mb")
               COPY("%mb", "%r", RIGHT) MULTIPLY STORE("i") "}\nreturn\n}\n",
           true, true);
    /* a tile made after the product must not reuse the memory of the factor */
    expect(HEAD COPY("%ma", "%l", LEFT) "scf.for %i = %c0 to %n step %c32 {\n" LOAD("i", "%mb")
               COPY("%mb", "%r", RIGHT) MULTIPLY
           "%mc = pto.alloc_tile : " MAT "\n" LOAD("c32", "%mc") STORE("i") "}\nreturn\n}\n",
           true, true);
}

/* The tile in mat changes before the product. */
TEST(test_overwritten)
{
    expect(HEAD COPY("%ma", "%l", LEFT) LOAD("c32", "%ma") COPY("%ma", "%r", RIGHT)
               MULTIPLY STORE("c0") "return\n}\n",
           true, false); /* the second copy */
    expect(HEAD COPY("%ma", "%l", LEFT) "scf.for %i = %c0 to %n step %c32 {\n" LOAD("i", "%ma")
               COPY("%ma", "%r", RIGHT) MULTIPLY STORE("i") "}\nreturn\n}\n",
           true, false);
    expect(HEAD LOAD("c32", "%mb") COPY(
               "%mb", "%r", RIGHT) "scf.for %i = %c0 to %n step %c32 {\n" COPY("%ma", "%l", LEFT)
               MULTIPLY STORE("i") LOAD("i", "%ma") "}\nreturn\n}\n",
           false, true); /* the copy lives as long as the loop */
}

/* The copy is made on one of two paths, twice, or before the first. */
TEST(test_paths)
{
    expect(HEAD LOAD("c32", "%mb") COPY("%mb", "%r", RIGHT) COPY(
               "%mb", "%l", LEFT) "scf.for %i = %c0 to %n step %c32 {\n"
                                  "%e = arith.cmpi eq, %i, %c32 : index\nscf.if %e {\n" COPY(
                                      "%ma", "%l", LEFT) "}\n" MULTIPLY STORE("i") "}\nreturn\n}\n",
           false, true);
    expect(HEAD LOAD("c32", "%mb") COPY("%mb", "%r", RIGHT)
               COPY("%ma", "%l", LEFT) "scf.for %i = %c0 to %n step %c32 {\n" MULTIPLY STORE("i")
                   LOAD("i", "%ma") COPY("%ma", "%l", LEFT) "}\nreturn\n}\n",
           false, true);
}
