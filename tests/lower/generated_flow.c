/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of loads, kernels, moves and stores in loops and branches: the hart's waits
 * suffice (the runs check for races), and everything happens in program order. Short-lived tiles
 * share memory. */
#include "lower/plain.h"
#include "lower/timed.h"

#define T "!pto.tile_buf<vec, 8x16xi32>"
#define P "!pto.partition_tensor_view<8x16xi32>"

enum { TILES = 5, ROWS = 40, DEPTH = 3, STATEMENTS = 24 };

struct flow {
    struct lowered x;
    struct sam_buffer text;
    unsigned fresh, left; /* names; statements */
    char index[16];       /* a number below 32, of this block */
    char event[16];       /* the last in this block; "" */
};

#define PUT(...) sam_buffer_printf(&f->text, __VA_ARGS__)

static unsigned below(struct flow *f, unsigned n)
{
    return (unsigned)test_below(&f->x.seed, n);
}

static unsigned tile(struct flow *f)
{
    return below(f, TILES);
}

/* A partition of the input or of the output; its name is %w followed by the number. */
static unsigned window(struct flow *f, char of)
{
    const unsigned n = f->fresh++;
    const char *row = below(f, 2) ? f->index : "%c3";
    PUT("%%w%u = pto.partition_view %%%c, offsets = [%s, %%c0], sizes = [%%c8, %%c16] : "
        "!pto.tensor_view<?x?xi32> -> " P "\n",
        n, of, row);
    return n;
}

static void operate(struct flow *f)
{
    static const char *const names[] = {"tadd", "tsub", "tmax", "txor", "tmul"};
    const unsigned n = f->fresh++;
    const char *name = names[below(f, SAM_COUNT(names))];
    switch (below(f, 4)) {
    case 0:
        PUT("pto.%ss ins(%%t%u, %%n : " T ", i32) outs(%%t%u : " T ")\n", name, tile(f), tile(f));
        break;
    case 1: /* through a temporary tile */
        PUT("%%v%u = pto.%s %%t%u, %%t%u : " T ", " T " -> " T "\n", n, name, tile(f), tile(f));
        PUT("pto.tneg ins(%%v%u : " T ") outs(%%t%u : " T ")\n", n, tile(f));
        break;
    case 2:
        PUT("%%v%u = pto.tcolmax %%t%u : " T " -> !pto.tile_buf<vec, 1x16xi32>\n", n, tile(f));
        PUT("pto.tcolexpand ins(%%v%u : !pto.tile_buf<vec, 1x16xi32>) outs(%%t%u : " T ")\n", n,
            tile(f));
        break;
    default: {
        const unsigned a = tile(f), b = tile(f);
        PUT("pto.%s ins(%%t%u, %%t%u : " T ", " T ") outs(%%t%u : " T ")\n", name, a, b, a);
    }
    }
}

static void move(struct flow *f)
{
    const unsigned from = tile(f), to = (from + 1 + below(f, TILES - 1)) % TILES, n = f->fresh++;
    switch (below(f, 3)) {
    case 0: PUT("pto.tmov ins(%%t%u : " T ") outs(%%t%u : " T ")\n", from, to); break;
    case 1: {
        const unsigned w = window(f, 'x');
        PUT("pto.tload ins(%%w%u : " P ") outs(%%t%u : " T ")\n", w, to);
        break;
    }
    default: {
        const unsigned w = window(f, 'x'), y = window(f, 'y');
        PUT("%%v%u = pto.tload %%w%u : " P " -> " T "\n", n, w);
        PUT("pto.tadd ins(%%t%u, %%v%u : " T ", " T ") outs(%%t%u : " T ")\n", from, n, from);
        PUT("pto.tstore ins(%%t%u : " T ") outs(%%w%u : " P ")\n", from, y);
    }
    }
}

static void block(struct flow *f, unsigned depth);

/* The blocks of a loop or a branch, with another index. */
static void body(struct flow *f, const char *formula, unsigned depth)
{
    char index[16], event[16];
    const unsigned n = f->fresh++;
    memcpy(index, f->index, sizeof index);
    memcpy(event, f->event, sizeof event);
    PUT("%%i%u = %s\n%%j%u = arith.remsi %%i%u, %%c32 : index\n", n, formula, n, n);
    snprintf(f->index, sizeof f->index, "%%j%u", n);
    block(f, depth + 1);
    memcpy(f->index, index, sizeof index);
    memcpy(f->event, event, sizeof event);
}

static void control(struct flow *f, unsigned depth)
{
    char formula[64];
    const unsigned n = f->fresh++;
    if (below(f, 2)) {
        PUT("scf.for %%k%u = %%c0 to %s step %%c3 {\n", n, below(f, 2) ? "%c8" : f->index);
        snprintf(formula, sizeof formula, "arith.addi %%k%u, %s : index", n, f->index);
        body(f, formula, depth);
        PUT("}\n");
        return;
    }
    PUT("%%b%u = arith.cmpi slt, %s, %%c%u : index\nscf.if %%b%u {\n", n, f->index,
        below(f, 2) ? 8 : 16, n);
    snprintf(formula, sizeof formula, "arith.addi %s, %%c3 : index", f->index);
    body(f, formula, depth);
    if (below(f, 2)) {
        PUT("} else {\n");
        body(f, formula, depth);
    }
    PUT("}\n");
}

static void synchronise(struct flow *f)
{
    static const char *const pipes[] = {"vector", "tload", "tstore", "matrix"};
    if (f->event[0] && below(f, 2)) {
        PUT("pto.wait_event %s\n", f->event);
    } else if (below(f, 4) == 0) {
        PUT("pto.barrier\n");
    } else {
        snprintf(f->event, sizeof f->event, "%%e%u", f->fresh++);
        PUT("%s = pto.record_event <%s>\n", f->event, pipes[below(f, SAM_COUNT(pipes))]);
    }
}

static void block(struct flow *f, unsigned depth)
{
    for (unsigned i = 2 + below(f, 6); i && f->left; i--) {
        f->left--;
        const unsigned kind = below(f, 10);
        if (kind < 4)
            operate(f);
        else if (kind < 7)
            move(f);
        else if (kind < 8)
            synchronise(f);
        else if (depth < DEPTH)
            control(f, depth);
    }
}

static void run(uint64_t seed)
{
    struct flow flow = {.x = {.seed = seed}, .left = STATEMENTS, .index = "%a"}, *f = &flow;
    PUT("func.func @f(%%in: !pto.ptr<i32>, %%out: !pto.ptr<i32>, %%a: index, %%n: i32) {\n");
    for (unsigned i = 0; i < 41; i++)
        if (i < 4 || i == 8 || i == 16 || i == 32 || i == ROWS)
            PUT("%%c%u = arith.constant %u : index\n", i, i);
    PUT("%%x = pto.make_tensor_view %%in, shape = [%%c40, %%c16], strides = [%%c16, %%c1] : "
        "!pto.tensor_view<?x?xi32>\n"
        "%%y = pto.make_tensor_view %%out, shape = [%%c40, %%c16], strides = [%%c16, %%c1] : "
        "!pto.tensor_view<?x?xi32>\n");
    for (unsigned i = 0; i < TILES; i++) {
        PUT("%%t%u = pto.tci %%n : i32 -> " T "\n", i);
    }
    while (f->left)
        block(f, 0);
    for (unsigned i = 0; i < TILES; i++)
        PUT("%%z%u = pto.partition_view %%y, offsets = [%%c%u, %%c0], sizes = [%%c8, %%c16] : "
            "!pto.tensor_view<?x?xi32> -> " P "\n"
            "pto.tstore ins(%%t%u : " T ") outs(%%z%u : " P ")\n",
            i,
            i == 4   ? 32
            : i == 3 ? 16
            : i == 2 ? 8
                     : i,
            i, i);
    PUT("return\n}\n");
    f->x.text = sam_buffer_text(&f->text);
    lowered_random(&f->x, SAM_I32, ROWS, 16);
    lowered_array(&f->x, SAM_I32, ROWS, 16);
    lowered_scalar(&f->x, SAM_I64, below(f, 32));
    lowered_scalar(&f->x, SAM_I32, below(f, 1000));
    (below(f, 4) == 0 ? plain_run : lowered_run)(&f->x);
    if (f->x.status != SAM_OK)
        fail_msg("%s\n%s", f->x.error.text, f->x.text);
    if (seed % 8 == 0) {
        SCOPED(timed) timed;
        timed_run(&f->x, &timed);
    }
    lowered_free(&f->x);
    sam_buffer_free(&f->text);
}

TEST(test_flow)
{
    const uint64_t seed = test_seed();
    for (unsigned i = 0; i < 300; i++)
        run(seed + i);
}
