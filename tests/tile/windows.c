/* SPDX-License-Identifier: Apache-2.0 */
/* Windows whose valid rectangle is the visible part of their tile's. */
#include "tile/tile_test.h"

#define A "!pto.tile_buf<vec, 8x64xi32, valid=?x?>"
#define W "!pto.tile_buf<vec, 4x16xi32, valid=?x?>"
#define V "!pto.tensor_view<?x?xi32>"
#define P "!pto.partition_tensor_view<?x?xi32>"

/* rows x cols elements of 7 in a tile, then -1 in the visible part of a window at [i,j]. */
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
    for (size_t k = 0; k < 4; k++)
        arguments[1 + k] = (struct sam_tile_argument){
            .is_scalar = true, .dtype = SAM_I64, .bits = (uint64_t)numbers[k]};
    succeeds(sam_tile_run, p, 0, arguments, 5, NULL, NULL);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            const bool inside = r >= i && r < i + 4 && c >= j && c < j + 16;
            if (data[r * cols + c] != (inside ? -1 : 7))
                fail_msg("%dx%d, window at [%d,%d]: [%d,%d] is %d", rows, cols, i, j, r, c,
                         data[r * cols + c]);
        }
}

TEST(test_seen)
{
    SCOPED_PROGRAM *p = test_round_trip("windows", program, sizeof program - 1);
    for (int rows = 1; rows <= 8; rows++)
        for (int cols = 1; cols <= 64; cols += 9)
            for (int i = 0; i <= 4; i++)
                for (int j = 0; j <= 48; j += 8)
                    expect(p, rows, cols, i, j);
}

/* --- two windows of one tile */

enum { ROWS = 16, COLS = 64 };

/* An operation from a window %s to a window %d, which may coincide if the operation permits it. */
static const struct {
    const char *text;
    bool in_place;
} operations[] = {
    {"tinsert ins(%%s, %%z, %%z : %s, index, index)", false},
    {"textract ins(%%s, %%z, %%z : %s, index, index)", false},
    {"tmov ins(%%s : %s)", false},
    {"tabs ins(%%s : %s)", true},
    {"tcolexpand ins(%%s : %s)", false},
    {"trowexpand ins(%%s : %s)", false},
    {"tcvt ins(%%s : %s)", false},
    {"tadd ins(%%s, %%s : %s, %s)", true},
    {"trowexpandadd ins(%%d, %%s : %s, %s)", false},
    {"tcolexpandmul ins(%%s, %%t : %s, %s)", true},
};

/* [0,0] of the two windows, and their sizes. */
struct pair {
    size_t at[2][2], rows, cols;
};

static bool share(const struct pair *p)
{
    static uint8_t owners[ROWS][COLS];
    memset(owners, 0, sizeof owners);
    for (int w = 0; w < 2; w++)
        for (size_t i = 0; i < p->rows; i++)
            for (size_t j = 0; j < p->cols; j++)
                if (owners[p->at[w][0] + i][p->at[w][1] + j]++)
                    return true;
    return false;
}

static struct sam_tile_program *two_windows(const struct pair *p, const char *operation,
                                            bool constant)
{
    static const char names[][2][3] = {{"%a", "%b"}, {"%e", "%f"}};
    SCOPED(sam_buffer) text = {0};
    char type[64], whole[200];
    snprintf(type, sizeof type, "!pto.tile_buf<vec, %zux%zuxf32>", p->rows, p->cols);
    snprintf(whole, sizeof whole, operation, type, type);
    sam_buffer_puts(&text, "func.func @f(%x: !pto.tile_buf<vec, 16x64xf32>, %t: ");
    sam_buffer_printf(&text, "%s%s {\n%%z = arith.constant 0 : index\n", type,
                      constant ? ")" : ", %a: index, %b: index, %e: index, %f: index)");
    for (int w = 0; w < 2; w++) {
        for (int i = 0; constant && i < 2; i++)
            sam_buffer_printf(&text, "%s = arith.constant %zu : index\n", names[w][i], p->at[w][i]);
        sam_buffer_printf(&text,
                          "%%%c = pto.subset %%x, offsets = [%s, %s] : "
                          "!pto.tile_buf<vec, 16x64xf32> -> %s\n",
                          "sd"[w], names[w][0], names[w][1], type);
    }
    sam_buffer_printf(&text, "pto.%s outs(%%d : %s)\nreturn }\n", whole, type);
    struct sam_tile_program *made = test_parse("pair", sam_buffer_text(&text), text.size);
    return made;
}

static enum sam_status run_pair(const struct pair *p, const char *operation,
                                struct sam_error *error)
{
    static float x[ROWS * COLS], t[ROWS * COLS];
    struct sam_array arrays[] = {
        {.dtype = SAM_F32, .rank = 2, .shape = {ROWS, COLS}, .count = ROWS * COLS, .data = x},
        {.dtype = SAM_F32, .rank = 2, .shape = {p->rows, p->cols}, .data = t}};
    arrays[1].count = p->rows * p->cols;
    struct sam_tile_argument arguments[6] = {{.array = &arrays[0]}, {.array = &arrays[1]}};
    for (int k = 0; k < 4; k++)
        arguments[2 + k] = (struct sam_tile_argument){
            .is_scalar = true, .dtype = SAM_I64, .bits = p->at[k / 2][k % 2]};
    SCOPED_PROGRAM *open = two_windows(p, operation, false);
    const enum sam_status status = sam_tile_run(open, 0, arguments, 6, NULL, NULL, error);
    return status;
}

/* The check (at constant offsets) and the run find the same overlaps as a map of the tile. */
TEST(test_overlap)
{
    uint64_t seed = test_seed();
    unsigned overlapping = 0, one = 0;
    for (unsigned k = 0; k < 3000; k++) {
        const size_t o = test_below(&seed, SAM_COUNT(operations));
        struct pair p = {.rows = 1 + test_below(&seed, ROWS),
                         .cols = 8 * (1 + test_below(&seed, COLS / 8))};
        for (int w = 0; w < 2; w++) {
            p.at[w][0] = test_below(&seed, ROWS - p.rows + 1);
            p.at[w][1] = 8 * test_below(&seed, (COLS - p.cols) / 8 + 1);
        }
        if (test_below(&seed, 8) == 0)
            memcpy(p.at[1], p.at[0], sizeof p.at[1]);
        const bool same = memcmp(p.at[0], p.at[1], sizeof p.at[0]) == 0;
        const bool wrong = share(&p) && !(same && operations[o].in_place);
        struct sam_error error = {0};
        FREED char *messages = NULL;
        struct sam_tile_program *constant = two_windows(&p, operations[o].text, true);
        const enum sam_status checked = sam_tile_check(constant, SAM_TILE_A5, &messages, &error);
        if (checked != (wrong ? SAM_ERR_INPUT : SAM_OK) ||
            (wrong && !strstr(messages, ": the destination %d overlaps %s")))
            fail_msg("%s, %zu,%zu and %zu,%zu: %s", operations[o].text, p.at[0][0], p.at[0][1],
                     p.at[1][0], p.at[1][1], messages);
        sam_tile_program_free(constant);
        if (run_pair(&p, operations[o].text, &error) != (wrong ? SAM_ERR_TRAP : SAM_OK) ||
            (wrong && !strstr(error.text, ": the destination d overlaps s")))
            fail_msg("%s, run: %s", operations[o].text, error.text);
        overlapping += wrong;
        one += same && operations[o].in_place;
    }
    assert_true(overlapping > 500 && one > 50);
}
