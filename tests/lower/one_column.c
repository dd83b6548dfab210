/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of one element: a fold has the shape of its source, but what reads its result still comes
 * after it. */
#include "lower/lowered.h"

#define TILE   "!pto.tile_buf<vec, 60x8xf32, valid=60x1>"
#define VIEW   "!pto.tensor_view<?x?xf32>"
#define PART   "!pto.partition_tensor_view<60x1xf32>"
#define WINDOW ", offsets = [%c0, %c0], sizes = [%c60, %c1] : " VIEW " -> " PART "\n"

#define PROGRAM(fold, join)                                                                        \
    "func.func @f(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>) {\n"                                    \
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"                             \
    "%c60 = arith.constant 60 : index\n%two = arith.constant 2.0 : f32\n"                          \
    "%x = pto.make_tensor_view %in, shape = [%c60, %c1], strides = [%c1, %c1] : " VIEW "\n"        \
    "%y = pto.make_tensor_view %out, shape = [%c60, %c1], strides = [%c1, %c1] : " VIEW "\n"       \
    "%s = pto.texpands %two : f32 -> " TILE "\n"                                                   \
    "%p = pto.partition_view %x" WINDOW "%a = pto.tload %p : " PART " -> " TILE "\n"               \
    "%e = pto.texp %a : " TILE " -> " TILE "\n"                                                    \
    "%b = pto." fold " %e : " TILE " -> " TILE "\n"                                                \
    "%c = pto." join " %s, %b : " TILE ", " TILE " -> " TILE "\n"                                  \
    "%d = pto.tdiv %e, %c : " TILE ", " TILE " -> " TILE "\n"                                      \
    "%q = pto.partition_view %y" WINDOW "pto.tstore ins(%d : " TILE ") outs(%q : " PART            \
    ")\nreturn\n}\n"

TEST(test_folds)
{
    static const char *const programs[] = {PROGRAM("trowsum", "tadd"), PROGRAM("trowmax", "tmax"),
                                           PROGRAM("trowmin", "tmul")};
    for (size_t i = 0; i < SAM_COUNT(programs); i++) {
        struct lowered x = {.text = programs[i], .seed = test_seed()};
        lowered_random(&x, SAM_F32, 60, 1);
        lowered_array(&x, SAM_F32, 60, 1);
        lowered_run(&x);
        assert_int_equal(x.status, SAM_OK);
        lowered_free(&x);
    }
}
