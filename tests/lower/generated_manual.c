/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs that place their tiles: at constant and computed addresses, which may overlap
 * others, in every profile, with events and barriers, valid sizes that change and may be zero,
 * and windows of arrays of up to five dimensions. The system must agree with the executor,
 * failures included. */
#include "lower/plain.h"

enum { TILES = 5, ROWS = 8, COLS = 32, STATEMENTS = 14, RANK = 5 };

struct manual {
    struct lowered x;
    struct sam_buffer text;
    enum sam_dtype dtype;
    char type[64], part[96];      /* of tiles; of the last window */
    unsigned fresh, tiles, bytes; /* names; tiles so far; of a tile */
    unsigned rows, cols;          /* valid, of all of them */
    enum sam_tile_pipe pipe;      /* of the last operation */
};

#define PUT(...) sam_buffer_printf(&m->text, __VA_ARGS__)

static unsigned below(struct manual *m, unsigned n)
{
    return (unsigned)test_below(&m->x.seed, n);
}

/* The name of an index: a constant, or a run-time value. */
static unsigned number(struct manual *m, unsigned value, bool computed)
{
    const unsigned n = m->fresh++;
    PUT("%%n%u = arith.constant %u : index\n", n, value);
    if (!computed)
        return n;
    PUT("%%n%u = arith.addi %%n%u, %%zero : index\n", m->fresh, n);
    return m->fresh++;
}

/* Before an operation of a pipe: mostly the required waits, sometimes none. */
static void turn(struct manual *m, enum sam_tile_pipe pipe)
{
    if (pipe == m->pipe)
        return;
    if (below(m, 2)) {
        PUT("%%e%u = pto.record_event <%s>\n", m->fresh, sam_tile_pipe_name(m->pipe));
        PUT("pto.wait_event %%e%u\n", m->fresh++);
    } else if (below(m, 40)) {
        PUT("pto.barrier\n");
    }
    m->pipe = pipe;
}

static void set_sizes(struct manual *m, unsigned rows, unsigned cols)
{
    const bool computed = below(m, 2);
    const unsigned r = number(m, rows, computed), c = number(m, cols, computed);
    m->rows = rows;
    m->cols = cols;
    for (unsigned t = 0; t < m->tiles; t++)
        PUT("pto.set_validshape %%t%u, %%n%u, %%n%u : %s\n", t, r, c, m->type);
}

static void list(struct manual *m, const unsigned *names, unsigned count)
{
    PUT("[");
    for (unsigned i = 0; i < count; i++)
        PUT("%s%%n%u", i ? ", " : "", names[i]);
    PUT("]");
}

/* The valid rectangle in array %in or %out<k>; its rows are those of one of the dimensions, or
 * divided among two. */
static unsigned window(struct manual *m, const char *array)
{
    unsigned size[RANK], stride[RANK], names[3][RANK], rank = 2 + below(m, RANK - 1);
    for (unsigned i = 0; i < rank; i++)
        size[i] = 1, stride[i] = COLS;
    const unsigned line = below(m, rank - 1);
    size[line] = m->rows;
    size[rank - 1] = m->cols;
    stride[rank - 1] = 1;
    if (line && m->rows % 2 == 0 && below(m, 2)) {
        size[line] = m->rows / 2;
        size[line - 1] = 2;
        stride[line - 1] = m->rows / 2 * COLS;
    }
    for (unsigned i = 0; i < rank; i++) {
        names[0][i] = number(m, 0, below(m, 4) == 0);
        names[1][i] = number(m, size[i], below(m, 2));
        names[2][i] = number(m, stride[i], below(m, 4) == 0);
    }
    const unsigned w = m->fresh++;
    char view[64] = "!pto.tensor_view<";
    for (unsigned i = 0; i < rank; i++)
        strcat(view, "?x");
    strcat(strcat(view, sam_tile_dtype_name(m->dtype)), ">");
    PUT("%%v%u = pto.make_tensor_view %s, shape = ", w, array);
    list(m, names[1], rank);
    PUT(", strides = ");
    list(m, names[2], rank);
    PUT(" : %s\n%%w%u = pto.partition_view %%v%u, offsets = ", view, w, w);
    list(m, names[0], rank);
    PUT(", sizes = ");
    list(m, names[1], rank);
    snprintf(m->part, sizeof m->part, "!pto.partition_%s", view + strlen("!pto."));
    PUT(" : %s -> %s\n", view, m->part);
    return w;
}

static void load(struct manual *m, unsigned tile)
{
    const unsigned w = window(m, "%in");
    turn(m, SAM_TILE_PIPE_LOAD);
    PUT("pto.tload ins(%%w%u : %s) outs(%%t%u : %s)\n", w, m->part, tile, m->type);
}

static void store(struct manual *m, unsigned tile)
{
    FREED char *array = formatted("%%out%u", tile);
    const unsigned w = window(m, array);
    turn(m, SAM_TILE_PIPE_STORE);
    PUT("pto.tstore ins(%%t%u : %s) outs(%%w%u : %s)\n", tile, m->type, w, m->part);
}

/* A tile at the next address, at any other computed address, or a second name for a tile there. */
static void place(struct manual *m)
{
    const bool near = m->tiles && below(m, 10) == 0;
    const unsigned address = near ? 32 * below(m, m->tiles * m->bytes / 32) : m->tiles * m->bytes;
    const unsigned r = number(m, ROWS, below(m, 2)), c = number(m, COLS, below(m, 2));
    const unsigned at = number(m, address, near || below(m, 2));
    if (m->tiles && below(m, 3) == 0)
        PUT("%%t%u = pto.tassign %%t%u, %%n%u : %s -> %s\n", m->tiles, below(m, m->tiles), at,
            m->type, m->type);
    else
        PUT("%%t%u = pto.alloc_tile addr = %%n%u valid_row = %%n%u valid_col = %%n%u : %s\n",
            m->tiles, at, r, c, m->type);
    m->tiles++;
}

static void operate(struct manual *m)
{
    static const struct {
        const char *name;
        unsigned tiles; /* sources that are tiles */
        const char *rest, *rest_type;
    } operations[] = {
        {"tadd", 2, "", ""},
        {"tsub", 2, "", ""},
        {"tmax", 2, "", ""},
        {"tabs", 1, "", ""},
        {"trelu", 1, "", ""},
        {"tmov", 1, "", ""},
        {"trowexpand", 1, "", ""},
        {"tcolexpandadd", 2, "", ""},
        {"treshape", 1, "", ""},
        {"tinsert", 1, ", %zero, %zero", ", index, index"},
        {"textract", 1, ", %zero, %zero", ", index, index"},
        {"tadds", 1, ", %s", NULL}, /* of the dtype */
    };
    const unsigned o = below(m, SAM_COUNT(operations)), n = operations[o].tiles;
    const unsigned a = below(m, m->tiles), b = below(m, m->tiles);
    unsigned d = below(m, m->tiles);
    if ((d == a || (n == 2 && d == b)) && o > 3) /* not in place, by name */
        return;
    turn(m, SAM_TILE_PIPE_VECTOR);
    PUT("pto.%s ins(%%t%u", operations[o].name, a);
    if (n == 2)
        PUT(", %%t%u", b);
    PUT("%s : %s%s%s", operations[o].rest, m->type, n == 2 ? ", " : "", n == 2 ? m->type : "");
    if (operations[o].rest_type)
        PUT("%s", operations[o].rest_type);
    else
        PUT(", %s", sam_tile_dtype_name(m->dtype));
    PUT(") outs(%%t%u : %s)\n", d, m->type);
}

static void statement(struct manual *m)
{
    static const unsigned sizes[] = {0, 1, 2, 7, ROWS};
    switch (below(m, 8)) {
    case 0: load(m, below(m, m->tiles)); break;
    case 1: store(m, below(m, m->tiles)); break;
    case 2:
        set_sizes(m, sizes[below(m, SAM_COUNT(sizes))], below(m, 6) ? 1 + below(m, COLS) : 0);
        break;
    default: operate(m);
    }
}

static void write_program(struct manual *m)
{
    const char *dtype = sam_tile_dtype_name(m->dtype);
    snprintf(m->type, sizeof m->type, "!pto.tile_buf<vec, %dx%dx%s, valid=?x?>", ROWS, COLS, dtype);
    PUT("func.func @f(%%in: !pto.ptr<%s>, %%zero: index, %%s: %s", dtype, dtype);
    for (unsigned t = 0; t < TILES; t++)
        PUT(", %%out%u: !pto.ptr<%s>", t, dtype);
    PUT(") {\n");
    m->rows = ROWS;
    m->cols = COLS;
    for (unsigned t = 0; t < TILES; t++) {
        place(m);
        load(m, t);
    }
    for (unsigned i = 0; i < STATEMENTS; i++)
        statement(m);
    set_sizes(m, ROWS, COLS);
    for (unsigned t = 0; t < TILES; t++)
        store(m, t);
    PUT("return\n}\n");
}

/* Missing waits, which only the executor detects at run time. The checker may find them as well. */
static bool is_for_both(const struct lowered *x)
{
    struct lowered y;
    struct sam_error error = {0};
    const struct sam_tile_options options = {.size = sizeof options, .profile = x->options.profile};
    struct sam_tile_program *p = test_parse("test.pto", x->text, strlen(x->text));
    lowered_copy(x, &y);
    const enum sam_status status = sam_tile_run(p, 0, y.arguments, y.count, &options, NULL, &error);
    lowered_free(&y);
    sam_tile_program_free(p);
    if (status == SAM_OK || !strstr(error.text, "without waiting")) {
        if (status == SAM_ERR_INPUT)
            fail_msg("%s\n%s", error.text, x->text);
        return true;
    }
    return false;
}

TEST(test_programs)
{
    static const enum sam_dtype dtypes[] = {SAM_TILE_f32, SAM_TILE_f16,  SAM_TILE_i16, SAM_TILE_i32,
                                            SAM_TILE_i8,  SAM_TILE_bf16, SAM_TILE_ui32};
    const uint64_t seed = test_seed();
    const unsigned cases = (unsigned)test_number("SAMITE_CASES", 300);
    unsigned waits = 0, failed = 0;
    for (unsigned k = 0; k < cases; k++) {
        struct manual manual = {.x.seed = seed + k, .pipe = SAM_TILE_PIPE_LOAD}, *m = &manual;
        const enum sam_tile_profile profile = (enum sam_tile_profile)(k % 3);
        m->x.options.profile = profile;
        m->dtype = dtypes[below(m, profile == SAM_TILE_A2A3 ? 4 : SAM_COUNT(dtypes))];
        m->bytes = ROWS * COLS * (unsigned)sam_dtype_size(m->dtype);
        write_program(m);
        m->x.text = sam_buffer_text(&m->text);
        lowered_random(&m->x, m->dtype, 0, ROWS * COLS);
        lowered_scalar(&m->x, SAM_I64, 0);
        lowered_scalar(&m->x, m->dtype, test_element(&m->x.seed, m->dtype));
        for (unsigned t = 0; t < TILES; t++)
            lowered_array(&m->x, m->dtype, 0, ROWS * COLS);
        if (!is_for_both(&m->x))
            waits++;
        else
            (k % 8 ? lowered_run : plain_run)(&m->x);
        failed += m->x.status != SAM_OK;
        lowered_free(&m->x);
        sam_buffer_free(&m->text);
    }
    printf("# %u programs, %u fail on both, %u without a wait\n", cases, failed, waits);
    if (cases >= 300)
        assert_true(failed > cases / 50 && failed + waits < cases / 2 && waits > 0);
}
