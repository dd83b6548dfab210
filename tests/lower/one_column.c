/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of one column: rows of one element, whose folds have the shape of their source, and columns
 * that an operation changes in place. */
#include "lower/lowered.h"

#define TILE "!pto.tile_buf<vec, 60x8xf32, valid=60x1>"
#define PART "!pto.partition_tensor_view<60x1xf32>"

#define VIEWS                                                                                      \
    INDEX(0)                                                                                       \
    INDEX(1)                                                                                       \
    INDEX(60)                                                                                      \
    BY_ROWS("x", "in", 60, 1)                                                                      \
    BY_ROWS("y", "out", 60, 1)                                                                     \
    WINDOW_OF("p", "x", "c0", "c0", 60, 1) WINDOW_OF("q", "y", "c0", "c0", 60, 1)
#define PROGRAM(fold, join)                                                                        \
    "func.func @f(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>) {\n" VIEWS                              \
    "%two = arith.constant 2.0 : f32\n%s = pto.texpands %two : f32 -> " TILE "\n"                  \
    "%a = pto.tload %p : " PART " -> " TILE "\n%e = pto.texp %a : " TILE " -> " TILE "\n"          \
    "%b = pto." fold " %e : " TILE " -> " TILE "\n"                                                \
    "%c = pto." join " %s, %b : " TILE ", " TILE " -> " TILE "\n"                                  \
    "%d = pto.tdiv %e, %c : " TILE ", " TILE " -> " TILE "\n"                                      \
    "pto.tstore ins(%d : " TILE ") outs(%q : " PART ")\nreturn\n}\n"

TEST(test_folds)
{
    static const char *const programs[] = {PROGRAM("trowsum", "tadd"), PROGRAM("trowmax", "tmax"),
                                           PROGRAM("trowmin", "tmul")};
    for (size_t i = 0; i < SAM_COUNT(programs); i++) {
        SCOPED(lowered) x = {.text = programs[i], .seed = test_seed()};
        lowered_random(&x, SAM_F32, 60, 1);
        lowered_array(&x, SAM_F32, 60, 1);
        lowered_succeeds(&x);
    }
}

#define COLUMN      "!pto.tile_buf<vec, 37x8xf32, valid=37x1>"
#define WIDE        "!pto.tile_buf<vec, 37x184xf32, valid=37x177>"
#define LAST_COLUMN "!pto.tile_buf<vec, 35x8xf32, valid=35x1>"
#define LAST        "!pto.tile_buf<vec, 35x184xf32, valid=35x177>"
#define ROW         "!pto.tile_buf<vec, 1x184xf32, valid=1x177>"
#define VIEW        "!pto.tensor_view<?x?xf32>"
#define CUBE        "!pto.tensor_view<?x?x?xf32>"
#define PART_OF     "!pto.partition_tensor_view<1x37x177xf32>"
#define LAST_PART   "!pto.partition_tensor_view<1x35x177xf32>"
#define ROW_PART    "!pto.partition_tensor_view<1x177xf32>"

/* A layer norm: the sums are in memory before the kernel that adds to them. The room of what it
 * writes must not be theirs. */
static const char *const norm =
    "func.func @f(%a0: !pto.ptr<f32>, %a1: !pto.ptr<f32>, %a2: !pto.ptr<f32>) {\n"
    "%c0 = arith.constant 0 : index\n"
    "%c148 = arith.constant 148 : index\n"
    "%c37 = arith.constant 37 : index\n"
    "%f0 = arith.constant 0x00000000 : f32\n"
    "%c177 = arith.constant 177 : index\n"
    "%c32391 = arith.constant 32391 : index\n"
    "%c1 = arith.constant 1 : index\n"
    "%v0_37s177_177s1 = pto.make_tensor_view %a0, shape = [%c32391, %c37, %c177], strides = [%c1, "
    "%c177, %c1] : " CUBE "\n"
    "%f1001988420 = arith.constant 0x3bb92144 : f32\n"
    "%f925353388 = arith.constant 0x3727c5ac : f32\n"
    "%v1_177s1 = pto.make_tensor_view %a1, shape = [%c177, %c177], strides = [%c1, %c1] : " VIEW
    "\n"
    "%v2_37s177_177s1 = pto.make_tensor_view %a2, shape = [%c32391, %c37, %c177], strides = [%c1, "
    "%c177, %c1] : " CUBE "\n"
    "%c35 = arith.constant 35 : index\n"
    "%v0_35s177_177s1 = pto.make_tensor_view %a0, shape = [%c32391, %c35, %c177], strides = [%c1, "
    "%c177, %c1] : " CUBE "\n"
    "%c26196 = arith.constant 26196 : index\n"
    "%v2_35s177_177s1 = pto.make_tensor_view %a2, shape = [%c32391, %c35, %c177], strides = [%c1, "
    "%c177, %c1] : " CUBE "\n"
    "scf.for %i1 = %c0 to %c148 step %c37 {\n"
    "%t2 = pto.texpands %f0 : f32 -> " COLUMN "\n"
    "%t3 = pto.texpands %f0 : f32 -> " COLUMN "\n"
    "%i4 = arith.muli %i1, %c177 : index\n"
    "%p5 = pto.partition_view %v0_37s177_177s1, offsets = [%i4, %c0, %c0], sizes = [%c1, %c37, "
    "%c177] : " CUBE " -> " PART_OF "\n"
    "%t6 = pto.tload %p5 : " PART_OF " -> " WIDE "\n"
    "%t7 = pto.trowsum %t6 : " WIDE " -> " COLUMN "\n"
    "pto.tadd ins(%t2, %t7 : " COLUMN ", " COLUMN ") outs(%t2 : " COLUMN ")\n"
    "%t8 = pto.tmuls %t2, %f1001988420 : " COLUMN ", f32 -> " COLUMN "\n"
    "%t9 = pto.trowexpandsub %t6, %t8 : " WIDE ", " COLUMN " -> " WIDE "\n"
    "%t10 = pto.tmul %t9, %t9 : " WIDE ", " WIDE " -> " WIDE "\n"
    "%t11 = pto.trowsum %t10 : " WIDE " -> " COLUMN "\n"
    "pto.tadd ins(%t3, %t11 : " COLUMN ", " COLUMN ") outs(%t3 : " COLUMN ")\n"
    "%t12 = pto.tmuls %t3, %f1001988420 : " COLUMN ", f32 -> " COLUMN "\n"
    "%t13 = pto.tadds %t12, %f925353388 : " COLUMN ", f32 -> " COLUMN "\n"
    "%t14 = pto.trsqrt %t13 : " COLUMN " -> " COLUMN "\n"
    "%t15 = pto.trowexpandmul %t9, %t14 : " WIDE ", " COLUMN " -> " WIDE "\n"
    "%p16 = pto.partition_view %v1_177s1, offsets = [%c0, %c0], sizes = [%c1, %c177] : " VIEW
    " -> " ROW_PART "\n"
    "%t17 = pto.tload %p16 : " ROW_PART " -> " ROW "\n"
    "%t18 = pto.tcolexpandmul %t15, %t17 : " WIDE ", " ROW " -> " WIDE "\n"
    "%i19 = arith.muli %i1, %c177 : index\n"
    "%p20 = pto.partition_view %v2_37s177_177s1, offsets = [%i19, %c0, %c0], sizes = [%c1, %c37, "
    "%c177] : " CUBE " -> " PART_OF "\n"
    "pto.tstore ins(%t18 : " WIDE ") outs(%p20 : " PART_OF ")\n"
    "}\n"
    "%t21 = pto.texpands %f0 : f32 -> " LAST_COLUMN "\n"
    "%t22 = pto.texpands %f0 : f32 -> " LAST_COLUMN "\n"
    "%p23 = pto.partition_view %v0_35s177_177s1, offsets = [%c26196, %c0, %c0], sizes = [%c1, "
    "%c35, %c177] : " CUBE " -> " LAST_PART "\n"
    "%t24 = pto.tload %p23 : " LAST_PART " -> " LAST "\n"
    "%t25 = pto.trowsum %t24 : " LAST " -> " LAST_COLUMN "\n"
    "pto.tadd ins(%t21, %t25 : " LAST_COLUMN ", " LAST_COLUMN ") outs(%t21 : " LAST_COLUMN ")\n"
    "%t26 = pto.tmuls %t21, %f1001988420 : " LAST_COLUMN ", f32 -> " LAST_COLUMN "\n"
    "%t27 = pto.trowexpandsub %t24, %t26 : " LAST ", " LAST_COLUMN " -> " LAST "\n"
    "%t28 = pto.tmul %t27, %t27 : " LAST ", " LAST " -> " LAST "\n"
    "%t29 = pto.trowsum %t28 : " LAST " -> " LAST_COLUMN "\n"
    "pto.tadd ins(%t22, %t29 : " LAST_COLUMN ", " LAST_COLUMN ") outs(%t22 : " LAST_COLUMN ")\n"
    "%t30 = pto.tmuls %t22, %f1001988420 : " LAST_COLUMN ", f32 -> " LAST_COLUMN "\n"
    "%t31 = pto.tadds %t30, %f925353388 : " LAST_COLUMN ", f32 -> " LAST_COLUMN "\n"
    "%t32 = pto.trsqrt %t31 : " LAST_COLUMN " -> " LAST_COLUMN "\n"
    "%t33 = pto.trowexpandmul %t27, %t32 : " LAST ", " LAST_COLUMN " -> " LAST "\n"
    "%p34 = pto.partition_view %v1_177s1, offsets = [%c0, %c0], sizes = [%c1, %c177] : " VIEW
    " -> " ROW_PART "\n"
    "%t35 = pto.tload %p34 : " ROW_PART " -> " ROW "\n"
    "%t36 = pto.tcolexpandmul %t33, %t35 : " LAST ", " ROW " -> " LAST "\n"
    "%p37 = pto.partition_view %v2_35s177_177s1, offsets = [%c26196, %c0, %c0], sizes = [%c1, "
    "%c35, %c177] : " CUBE " -> " LAST_PART "\n"
    "pto.tstore ins(%t36 : " LAST ") outs(%p37 : " LAST_PART ")\n"
    "return\n"
    "}\n";

TEST(test_in_place)
{
    SCOPED(lowered) x = {.text = norm, .seed = test_seed()};
    lowered_random(&x, SAM_F32, 183, 177);
    lowered_random(&x, SAM_F32, 1, 177);
    lowered_array(&x, SAM_F32, 183, 177);
    lowered_succeeds(&x);
}
