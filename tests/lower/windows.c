/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on windows of two tiles, at constant and run-time offsets, and on tiles of run-time
 * sizes: operations with partial dependences must not be fused. */
#include "lowered.h"

enum { WINDOWS = 6, OPERATIONS = 8, ROWS = 16, COLS = 64 };

#define TILE   "!pto.tile_buf<vec, 16x64xf32>"
#define WINDOW "!pto.tile_buf<vec, 8x32xf32>"

struct window {
    unsigned tile, row, col;
    bool open; /* its offset is an argument */
};

struct program {
    struct lowered x;
    struct sam_buffer text;
    struct window windows[WINDOWS];
    unsigned overlaps, failed;
};

static unsigned below(struct program *p, unsigned n)
{
    return (unsigned)test_below(&p->x.seed, n);
}

/* Whether an operation may read one and write the other. */
static bool apart(const struct window *a, const struct window *b)
{
    return a->tile != b->tile || a->row + 8 <= b->row || b->row + 8 <= a->row ||
           a->col + 32 <= b->col || b->col + 32 <= a->col;
}

static bool same(const struct window *a, const struct window *b)
{
    return a->tile == b->tile && a->row == b->row && a->col == b->col;
}

static void make_windows(struct program *p)
{
    sam_buffer_puts(&p->text, "func.func @f(%a: " TILE ", %b: " TILE);
    for (unsigned i = 0; i < WINDOWS; i++) {
        struct window *w = &p->windows[i];
        *w = (struct window){below(p, 2), below(p, 9), 8 * below(p, 5), below(p, 3) == 0};
        if (i && below(p, 2)) /* often next to another, or the same */
            w->tile = p->windows[i - 1].tile, w->col = p->windows[i - 1].col;
        if (i && below(p, 4) == 0)
            w->row = p->windows[i - 1].row;
        if (w->open)
            sam_buffer_printf(&p->text, ", %%r%u: index, %%c%u: index", i, i);
    }
    sam_buffer_puts(&p->text, ") {\n");
    lowered_random(&p->x, SAM_TILE_f32, ROWS, COLS);
    lowered_name(&p->x, NULL, true);
    lowered_random(&p->x, SAM_TILE_f32, ROWS, COLS);
    lowered_name(&p->x, NULL, true);
    p->x.arguments[0].inout = p->x.arguments[1].inout = true;
    for (unsigned i = 0; i < WINDOWS; i++) {
        const struct window *w = &p->windows[i];
        if (w->open) {
            lowered_scalar(&p->x, SAM_I64, w->row);
            lowered_scalar(&p->x, SAM_I64, w->col);
        } else {
            sam_buffer_printf(&p->text,
                              "  %%r%u = arith.constant %u : index\n"
                              "  %%c%u = arith.constant %u : index\n",
                              i, w->row, i, w->col);
        }
        sam_buffer_printf(&p->text,
                          "  %%w%u = pto.subset %%%c, offsets = [%%r%u, %%c%u] : " TILE
                          " -> " WINDOW "\n",
                          i, "ab"[w->tile], i, i);
    }
}

static void add_operations(struct program *p)
{
    static const struct {
        const char *name;
        unsigned sources, in_place; /* of N sources, the first N */
        bool at;                    /* an offset follows: 0, 0 */
    } operations[] = {
        {"tadd", 2, 2, false},       {"tsub", 2, 2, false},       {"tmul", 2, 2, false},
        {"tmax", 2, 2, false},       {"tabs", 1, 1, false},       {"trowexpandadd", 2, 1, false},
        {"trowexpand", 1, 0, false}, {"tcolexpand", 1, 0, false}, {"tmov", 1, 0, false},
        {"tinsert", 1, 0, true},     {"textract", 1, 0, true},    {"tcvt", 1, 0, false},
    };
    sam_buffer_puts(&p->text, "  %z = arith.constant 0 : index\n");
    for (unsigned k = 0; k < OPERATIONS;) {
        const unsigned d = below(p, WINDOWS), s[2] = {below(p, WINDOWS), below(p, WINDOWS)};
        const unsigned o = below(p, below(p, 2) ? 4 : SAM_COUNT(operations));
        const struct window *w = p->windows;
        bool good = true, refused = false;
        for (unsigned i = 0; i < operations[o].sources; i++) {
            const bool one = i < operations[o].in_place && same(&w[d], &w[s[i]]);
            const bool fits = one || apart(&w[d], &w[s[i]]);
            good &= fits;
            refused |= !fits && (d == s[i] || (!w[d].open && !w[s[i]].open));
        }
        /* An overlap detected at run time ends both runs. */
        if (refused || (!good && below(p, 16))) {
            k += below(p, 8) == 0; /* there may be no other */
            continue;
        }
        k++;
        p->overlaps += !good;
        sam_buffer_printf(&p->text, "  pto.%s ins(%%w%u", operations[o].name, s[0]);
        if (operations[o].sources == 2)
            sam_buffer_printf(&p->text, ", %%w%u : " WINDOW, s[1]);
        else
            sam_buffer_puts(&p->text,
                            operations[o].at ? ", %z, %z : " WINDOW ", index, index" : " : ");
        if (!operations[o].at)
            sam_buffer_puts(&p->text, operations[o].sources == 2 ? ", " WINDOW : WINDOW);
        sam_buffer_printf(&p->text, ") outs(%%w%u : " WINDOW ")\n", d);
    }
    sam_buffer_puts(&p->text, "  return\n}\n");
}

TEST(test_windows)
{
    struct program p = {.x.seed = test_seed()};
    unsigned cases = (unsigned)test_number("SAMITE_CASES", 150);
    for (unsigned k = 0; k < cases; k++) {
        make_windows(&p);
        add_operations(&p);
        p.x.text = sam_buffer_text(&p.text);
        lowered_run(&p.x);
        p.failed += p.x.status != SAM_OK;
        lowered_free(&p.x);
        sam_buffer_free(&p.text);
    }
    if (cases >= 100 && p.failed < cases / 20)
        fail_msg("%u of %u programs failed, %u overlaps", p.failed, cases, p.overlaps);
}

/* Run-time sizes of tiles: those with equal numbers go into one kernel. */
TEST(test_sizes)
{
    static const char text[] =
        "func.func @f(%a: !pto.tile_buf<vec, 16x64xf32, valid=?x?>, %r: index, %c: index,\n"
        "             %d: !pto.tile_buf<vec, 16x64xf32, valid=?x?>) {\n"
        "  %x = pto.alloc_tile valid_row = %r valid_col = %c : "
        "!pto.tile_buf<vec, 16x64xf32, valid=?x?>\n"
        "  %y = pto.alloc_tile valid_row = %r valid_col = %c : "
        "!pto.tile_buf<vec, 16x64xf32, valid=?x?>\n"
        "  %two = arith.constant 2.0 : f32\n"
        "  pto.texpands ins(%two : f32) outs(%x : !pto.tile_buf<vec, 16x64xf32, valid=?x?>)\n"
        "  pto.texpands ins(%two : f32) outs(%y : !pto.tile_buf<vec, 16x64xf32, valid=?x?>)\n"
        "  pto.tmul ins(%x, %y : !pto.tile_buf<vec, 16x64xf32, valid=?x?>,"
        " !pto.tile_buf<vec, 16x64xf32, valid=?x?>)"
        " outs(%x : !pto.tile_buf<vec, 16x64xf32, valid=?x?>)\n"
        "  pto.tmul ins(%x, %a : !pto.tile_buf<vec, 16x64xf32, valid=?x?>,"
        " !pto.tile_buf<vec, 16x64xf32, valid=?x?>)"
        " outs(%d : !pto.tile_buf<vec, 16x64xf32, valid=?x?>)\n"
        "  return\n}\n";
    struct lowered x = {.text = text, .seed = test_seed()};
    for (unsigned k = 0; k < 12; k++) {
        size_t rows = 1 + test_below(&x.seed, ROWS), cols = 1 + test_below(&x.seed, COLS);
        lowered_random(&x, SAM_TILE_f32, rows, cols);
        lowered_scalar(&x, SAM_I64, rows);
        lowered_scalar(&x, SAM_I64, cols);
        lowered_random(&x, SAM_TILE_f32, rows, cols);
        lowered_name(&x, NULL, true);
        lowered_run(&x);
        lowered_free(&x);
    }
}

/* A tile written by the last operation of a loop and read in the next iteration. */
TEST(test_carried)
{
    static const char text[] =
        "func.func @f(%d: " WINDOW ") {\n"
        "  %c0 = arith.constant 0 : index\n"
        "  %c1 = arith.constant 1 : index\n"
        "  %c5 = arith.constant 5 : index\n"
        "  %one = arith.constant 1.0 : f32\n"
        "  %t = pto.alloc_tile : " WINDOW "\n"
        "  pto.texpands ins(%one : f32) outs(%t : " WINDOW ")\n"
        "  scf.for %i = %c0 to %c5 step %c1 {\n"
        "    pto.tadd ins(%d, %t : " WINDOW ", " WINDOW ") outs(%d : " WINDOW ")\n"
        "    pto.tadds ins(%t, %one : " WINDOW ", f32) outs(%t : " WINDOW ")\n"
        "  }\n  return\n}\n";
    SCOPED(lowered) x = {.text = text, .seed = test_seed()};
    lowered_random(&x, SAM_TILE_f32, 8, 32);
    lowered_name(&x, NULL, true);
    x.arguments[0].inout = true;
    lowered_run(&x);
}
