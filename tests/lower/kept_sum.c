/* SPDX-License-Identifier: Apache-2.0 */
/* Sums kept in matrix registers over a loop: the conditions, and bits equal to the executor's. */
#include "lower/lowered.h"

#include <inttypes.h>

/* A product of rows x 24 by 24 x cols of `dtype`, then `loop`, then the sum is stored. In
 * `loop`, L is the left tile, R the right one, D the sum and E another tile, each with its type. */
static char *program(const char *loop, unsigned rows, unsigned cols)
{
    struct sam_buffer text = {0};
    const unsigned wide = (cols + 7) / 8 * 8;
    char types[5][80];
    snprintf(types[0], sizeof types[0], "!pto.tile_buf<left, %ux24xf32>", rows);
    snprintf(types[1], sizeof types[1], "!pto.tile_buf<right, 24x%uxf32, valid=24x%u>", wide, cols);
    snprintf(types[4], sizeof types[4], "!pto.tile_buf<mat, 24x%uxf32, valid=24x%u>", wide, cols);
    snprintf(types[2], sizeof types[2], "!pto.tile_buf<acc, %ux%uxf32, valid=%ux%u>", rows, wide,
             rows, cols);
    snprintf(types[3], sizeof types[3], "!pto.tile_buf<vec, %ux%uxf32, valid=%ux%u>", rows, wide,
             rows, cols);
    sam_buffer_printf(
        &text,
        "func.func @f(%%in: !pto.ptr<f32>, %%out: !pto.ptr<f32>, %%n: index) {\n"
        "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
        "%%c24 = arith.constant 24 : index\n%%c40 = arith.constant 40 : index\n"
        "%%rows = arith.constant %u : index\n%%cols = arith.constant %u : index\n"
        "%%x = pto.make_tensor_view %%in, shape = [%%c40, %%c40], strides = [%%c40, %%c1] : "
        "!pto.tensor_view<?x?xf32>\n"
        "%%y = pto.make_tensor_view %%out, shape = [%%rows, %%cols], strides = [%%cols, %%c1] : "
        "!pto.tensor_view<?x?xf32>\n"
        "%%pl = pto.partition_view %%x, offsets = [%%c0, %%c0], sizes = [%%rows, %%c24] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<%ux24xf32>\n"
        "%%pr = pto.partition_view %%x, offsets = [%%c1, %%c1], sizes = [%%c24, %%cols] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<24x%uxf32>\n"
        "%%q = pto.partition_view %%y, offsets = [%%c0, %%c0], sizes = [%%rows, %%cols] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<%ux%uxf32>\n"
        "%%ml = pto.tload %%pl : !pto.partition_tensor_view<%ux24xf32> -> "
        "!pto.tile_buf<mat, %ux24xf32>\n"
        "%%mr = pto.tload %%pr : !pto.partition_tensor_view<24x%uxf32> -> %s\n"
        "%%l = pto.tmov %%ml : !pto.tile_buf<mat, %ux24xf32> -> %s\n"
        "%%r = pto.tmov %%mr : %s -> %s\n"
        "%%d = pto.tmatmul %%l, %%r : %s, %s -> %s\n%%e = pto.alloc_tile : %s\n"
        "%%z = pto.alloc_tile : %s\n",
        rows, cols, rows, cols, rows, cols, rows, rows, cols, types[4], rows, types[0], types[4],
        types[1], types[0], types[1], types[2], types[2], types[3]);
    for (const char *at = loop; *at; at++) {
        static const char letters[] = "LRDEZ", names[] = "lrdez";
        const char *letter = strchr(letters, *at);
        if (letter)
            sam_buffer_printf(&text, "%%%c", names[letter - letters]);
        else if (*at >= '0' && *at <= '3' && at[-1] == '#')
            sam_buffer_puts(&text, types[*at - '0']);
        else if (*at != '#')
            sam_buffer_printf(&text, "%c", *at);
    }
    sam_buffer_printf(&text,
                      "pto.tmov ins(%%d : %s) outs(%%z : %s)\n"
                      "pto.tstore ins(%%z : %s) outs(%%q : !pto.partition_tensor_view<%ux%uxf32>)\n"
                      "return\n}\n",
                      types[2], types[3], types[3], rows, cols);
    return (char *)text.data;
}

static void expect(const char *loop, unsigned rows, unsigned cols, uint32_t acc_regs, bool kept)
{
    for (uint64_t n = 0; n < 4; n++) {
        struct lowered x = {.text = program(loop, rows, cols),
                            .seed = test_seed(),
                            .options = {.acc_regs = acc_regs, .in_order = true}};
        lowered_random(&x, SAM_F32, 40, 40);
        lowered_array(&x, SAM_F32, rows, cols);
        lowered_scalar(&x, SAM_I64, n);
        FREED char *hart = lowered_hart(&x);
        if (!strstr(hart, "stays in matrix registers") == kept)
            fail_msg("%s\n%s", x.text, hart);
        lowered_succeeds(&x);
        free((char *)x.text);
        lowered_free(&x);
    }
}

#define FOR "scf.for %i = %c0 to %n step %c1 {\n"
#define ADD "pto.tmatmul_acc ins(D, L, R : #2, #0, #1) outs(D : #2)\n"
#define SET "pto.tmatmul ins(L, R : #0, #1) outs(D : #2)\n"

TEST(test_sizes)
{
    static const unsigned sizes[] = {1, 2, 15, 16, 17, 31, 32};
    for (size_t i = 0; i < SAM_COUNT(sizes); i++)
        for (size_t k = 0; k < SAM_COUNT(sizes); k++)
            expect(FOR ADD "}\n", sizes[i], sizes[k], i % 2 ? 0 : 0x1e, true);
    expect(FOR ADD "}\n", 33, 32, 0, false);
    expect(FOR ADD "}\n", 32, 33, 0, false);
    expect(FOR ADD "}\n", 32, 32, 0x11, false);
}

TEST(test_loops)
{
    expect(FOR ADD SET ADD "}\n", 20, 30, 0, true);
    expect(FOR "%f = arith.cmpi eq, %i, %c0 : index\nscf.if %f {\n" SET "} else {\n" ADD ADD
               "}\n}\n",
           20, 30, 0, true);
    expect(FOR "scf.for %j = %c0 to %i step %c1 {\n" ADD "}\n" ADD "}\n" FOR ADD "}\n", 32, 17, 0,
           true);
}

TEST(test_others)
{
    expect(FOR ADD "pto.tmov ins(D : #2) outs(Z : #3)\n}\n", 20, 30, 0, false); /* it is read */
    expect(FOR ADD "pto.tmatmul ins(L, R : #0, #1) outs(E : #2)\n}\n", 20, 30, 0, false);
    expect("pto.tmatmul ins(L, R : #0, #1) outs(E : #2)\n" FOR
           "pto.tmatmul_acc ins(E, L, R : #2, #0, #1) outs(D : #2)\n}\n",
           20, 30, 0, false);
}
