/* SPDX-License-Identifier: Apache-2.0 */
/* Windows whose valid rectangle is what they see of that of their tile. */
#include "tile/tile_test.h"

#define A "!pto.tile_buf<vec, 8x64xi32, valid=?x?>"
#define W "!pto.tile_buf<vec, 4x16xi32, valid=?x?>"
#define V "!pto.tensor_view<?x?xi32>"
#define P "!pto.partition_tensor_view<?x?xi32>"

/* rows x cols of 7 in a tile, then -1 in what a window at [i,j] sees of it. */
static const char program[] =
    "func.func @f(%y: !pto.ptr<i32>, %rows: index, %cols: index, %i: index, %j: index) {\n"
    "%c0 = arith.constant 0 : index\n"
    "%c1 = arith.constant 1 : index\n"
    "%seven = arith.constant 7 : i32\n"
    "%minus = arith.constant -1 : i32\n"
    "%v = pto.make_tensor_view %y, shape = [%rows, %cols], strides = [%cols, %c1] : " V "\n"
    "%p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%rows, %cols] : " V " -> " P "\n"
    "%a = pto.alloc_tile valid_row = %rows valid_col = %cols : " A "\n"
    "pto.texpands ins(%seven : i32) outs(%a : " A ")\n"
    "%w = pto.subset %a, offsets = [%i, %j] : " A " -> " W "\n"
    "pto.texpands ins(%minus : i32) outs(%w : " W ")\n"
    "pto.tstore ins(%a : " A ") outs(%p : " P ")\n"
    "return }\n";

static void expect(const struct sam_tile_program *p, int rows, int cols, int i, int j)
{
    int32_t data[8 * 64];
    struct sam_array array = {.dtype = SAM_I32,
                              .rank = 2,
                              .shape = {(uint64_t)rows, (uint64_t)cols},
                              .count = (size_t)(rows * cols),
                              .data = data};
    const int numbers[] = {rows, cols, i, j};
    struct sam_tile_argument arguments[5] = {{.array = &array}};
    struct sam_error error = {0};
    for (size_t k = 0; k < 4; k++)
        arguments[1 + k] = (struct sam_tile_argument){
            .is_scalar = true, .dtype = SAM_I64, .bits = (uint64_t)numbers[k]};
    if (sam_tile_run(p, 0, arguments, 5, NULL, NULL, &error) != SAM_OK)
        fail_msg("%s", error.text);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            const bool inside = r >= i && r < i + 4 && c >= j && c < j + 16;
            if (data[r * cols + c] != (inside ? -1 : 7))
                fail_msg("%dx%d, window at [%d,%d]: [%d,%d] is %d", rows, cols, i, j, r, c,
                         data[r * cols + c]);
        }
}

static void test_seen(void **state)
{
    struct sam_tile_program *p = test_round_trip("windows", program, sizeof program - 1);
    (void)state;
    for (int rows = 1; rows <= 8; rows++)
        for (int cols = 1; cols <= 64; cols += 9)
            for (int i = 0; i <= 4; i++)
                for (int j = 0; j <= 48; j += 8)
                    expect(p, rows, cols, i, j);
    sam_tile_program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
