/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of every operation, type and surface: printed programs are read back
 * unchanged. They need not make sense, only follow the grammar. */
#include "tile/tile_test.h"

#include "tile/tile.h"

enum { MOST = 4000 };

struct named {
    char kind; /* t tile, i index, s scalar, b condition, e event, p pointer, w view, v partition */
    char type[192];
    unsigned name; /* %v0, %v1 ... */
    unsigned rank; /* of views */
};

struct writer {
    struct sam_buffer out;
    uint64_t seed;
    struct named values[MOST]; /* those in scope */
    unsigned count, fresh;
    unsigned depth;
    bool bare;
};

#define PUT(...) sam_buffer_printf(&w->out, __VA_ARGS__)

static unsigned below(struct writer *w, unsigned n)
{
    return (unsigned)test_below(&w->seed, n);
}

/* One of the words, a NULL-terminated list. */
static const char *word(struct writer *w, const char *const *words)
{
    unsigned n = 0;
    while (words[n])
        n++;
    return words[below(w, n)];
}

static const char *const dtypes[] = {"f32",  "f16",  "bf16", "i8",   "ui8",  "i16",  "ui16", "i32",
                                     "ui32", "i64",  "ui64", "e4m3", "e5m2", "e8m0", "f64",  "tf32",
                                     "hf32", "hif8", "e3m2", "e2m3", "e2m1", "e1m2", NULL};

/* --- types */

static const char *size(struct writer *w, char *text)
{
    static const char *const sizes[] = {"?", "0", "1", "7", "31", "2147483647", NULL};
    return strcpy(text, word(w, sizes));
}

/* A tile type in either spelling, its keys in any order. */
static void tile_type(struct writer *w, char *type)
{
    static const char *const pads[] = {"0", "1", "2", "3", "null", "zero", "max", "min", NULL};
    static const char *const fractals[] = {"512", "1024", "32", NULL};
    char keys[9][48], a[16], b[16];
    unsigned n = 0;
    const char *loc = word(w, sam_tile_loc_names), *dtype = word(w, dtypes);
    unsigned rows = 1 + below(w, 64), cols = 1 + below(w, 2147483647);
    bool compact = below(w, 2);
    if (!compact) {
        snprintf(keys[n++], sizeof *keys, "loc=%s", loc);
        snprintf(keys[n++], sizeof *keys, "dtype=%s", dtype);
        snprintf(keys[n++], sizeof *keys, "rows=%u", rows);
        snprintf(keys[n++], sizeof *keys, "cols = %u", cols);
    }
    if (below(w, 2)) {
        if (below(w, 2)) {
            snprintf(keys[n++], sizeof *keys, "valid=%sx%s", size(w, a), size(w, b));
        } else {
            snprintf(keys[n++], sizeof *keys, "v_col=%s", size(w, a));
            if (n < 6 && below(w, 2))
                snprintf(keys[n++], sizeof *keys, "v_row=%s", size(w, a));
        }
    }
    if (n < 6 && below(w, 2))
        snprintf(keys[n++], sizeof *keys, "blayout=%s", word(w, sam_tile_layout_names + 1));
    if (n < 7 && below(w, 2))
        snprintf(keys[n++], sizeof *keys, "slayout=%s", word(w, sam_tile_layout_names));
    if (n < 8 && below(w, 3) == 0)
        snprintf(keys[n++], sizeof *keys, "fractal=%s", word(w, fractals));
    if (n < 9 && below(w, 2))
        snprintf(keys[n++], sizeof *keys, "pad=%s", word(w, pads));
    int at = sprintf(type, "!pto.%s<", below(w, 2) ? "tile" : "tile_buf");
    if (compact)
        at += sprintf(type + at, "%s, %ux%ux%s%s", loc, rows, cols, dtype, n ? ", " : "");
    while (n) {
        unsigned pick = below(w, n--);
        at += sprintf(type + at, "%s%s", keys[pick], n ? "," : "");
        memmove(keys[pick], keys[n], sizeof *keys);
    }
    strcpy(type + at, ">");
}

/* `!pto.tensor_view<4x?xf32>`, with the dtype given. */
static void view_type(struct writer *w, const char *name, unsigned rank, const char *dtype,
                      char *type)
{
    char dim[16];
    int at = sprintf(type, "!pto.%s<", name);
    for (unsigned i = 0; i < rank; i++)
        at += sprintf(type + at, "%sx", size(w, dim));
    sprintf(type + at, "%s>", dtype);
}

/* The dtype at the end of a pointer's or view's type. */
static const char *dtype_of(const struct named *v, char *text)
{
    const char *at = strrchr(v->type, 'x') && v->kind != 'p' ? strrchr(v->type, 'x') + 1
                                                             : strchr(v->type, '<') + 1;
    snprintf(text, 8, "%.*s", (int)strcspn(at, ">"), at);
    return text;
}

/* --- values */

static struct named *define_as(struct writer *w, char kind, const char *type, unsigned name)
{
    assert_true(w->count < MOST);
    struct named *v = &w->values[w->count++];
    *v = (struct named){.kind = kind, .name = name};
    snprintf(v->type, sizeof v->type, "%s", type);
    return v;
}

static struct named *define(struct writer *w, char kind, const char *type)
{
    return define_as(w, kind, type, w->fresh++);
}

/* A statement that defines a value of the kind, preceded by the statements it needs. */
static struct named *make(struct writer *w, char kind);

/* A value of the kind, an existing one if possible. */
static struct named *get(struct writer *w, char kind)
{
    for (unsigned tries = 0; tries < 12 && w->count; tries++) {
        struct named *v = &w->values[below(w, w->count)];
        if (v->kind == kind)
            return v;
    }
    return make(w, kind);
}

static void scalar(struct writer *w)
{
    static const char *const reals[] = {"1.0",    "-0.0",          "6.1e-05", "1e-08",
                                        "0.1",    "65504",         "-3.25e2", "0x7c00",
                                        "0xffff", "5.9604645e-08", NULL};
    static const char *const wholes[] = {"0", "1", "127", "0x7f", "42", NULL};
    const char *dtype = word(w, dtypes);
    const bool real = strchr(dtype, 'f') && strcmp(dtype, "hif8") != 0;
    /* up to 1.75, bits up to 15 */
    const bool six = dtype[0] == 'e' && dtype[1] < '4';
    const char *number = six ? "-1.5" : word(w, real ? reals : wholes);
    PUT("%%v%u = arith.constant %s : %s\n", w->fresh, number, dtype);
    define(w, 's', dtype);
}

static void list(struct writer *w, const char *key, unsigned rank, const unsigned *names)
{
    PUT(", %s = [", key);
    for (unsigned i = 0; i < rank; i++)
        PUT("%s%%v%u", i ? "," : "", names[i]);
    PUT("]");
}

static void view(struct writer *w, bool part)
{
    struct named from = {0};
    unsigned names[2][5], of = 0, rank = 1 + below(w, 5);
    struct named *source = get(w, part ? 'w' : 'p');
    from = *source;
    of = source->name;
    rank = part ? from.rank : rank;
    for (unsigned i = 0; i < 2 * rank; i++)
        names[i / rank][i % rank] = get(w, 'i')->name;
    char type[192], dtype[8];
    view_type(w, part ? "partition_tensor_view" : "tensor_view", rank, dtype_of(&from, dtype),
              type);
    PUT("%%v%u = %s%s %%v%u", w->fresh, below(w, 2) ? "pto." : "",
        part ? "partition_view" : "make_tensor_view", of);
    list(w, part ? "offsets" : "shape", rank, names[0]);
    list(w, part ? "sizes" : "strides", rank, names[1]);
    if (part)
        PUT(" : %s -> %s\n", from.type, type);
    else
        PUT(" : %s\n", type);
    define(w, part ? 'v' : 'w', type)->rank = rank;
}

static void allocate(struct writer *w)
{
    char type[192];
    unsigned names[3];
    bool given[3];
    static const char *const keys[] = {"addr", "valid_row", "valid_col"};
    for (unsigned i = 0; i < 3; i++) {
        given[i] = below(w, 3) == 0;
        names[i] = given[i] ? get(w, 'i')->name : 0;
    }
    tile_type(w, type);
    PUT("%%v%u = pto.alloc_tile", w->fresh);
    for (unsigned i = 0; i < 3; i++)
        if (given[i])
            PUT(" %s = %%v%u", keys[i], names[i]);
    PUT(" : %s\n", type);
    define(w, 't', type);
}

static struct named *make(struct writer *w, char kind)
{
    char type[32];
    switch (kind) {
    case 't':
        if (w->bare && below(w, 4) == 0) { /* a free name */
            char tile[192];
            tile_type(w, tile);
            return define(w, 't', tile);
        }
        allocate(w);
        break;
    case 'i':
        PUT("%%v%u = arith.constant %d : index\n", w->fresh, (int)below(w, 200) - 100);
        define(w, 'i', "index");
        break;
    case 's': scalar(w); break;
    case 'b':
        PUT("%%v%u = arith.constant %s\n", w->fresh, below(w, 2) ? "true" : "0 : i1");
        define(w, 'b', "i1");
        break;
    case 'e':
        PUT("%%v%u = pto.record_event <%s>\n", w->fresh, word(w, sam_tile_pipe_names));
        define(w, 'e', "!pto.event");
        break;
    case 'p': /* a free name, or the first argument */
        if (!w->bare)
            return &w->values[0];
        snprintf(type, sizeof type, "!pto.ptr<%s>", word(w, dtypes));
        define(w, 'p', type);
        break;
    default: view(w, kind == 'v');
    }
    return &w->values[w->count - 1];
}

/* --- statements */

static void arithmetic(struct writer *w)
{
    static const char *const ops[] = {"addi", "subi", "muli", "divsi", "remsi", NULL};
    static const char *const whole[] = {"index", "i32", "ui8", "i64", "i1", NULL};
    unsigned a = get(w, 'i')->name, b = get(w, 'i')->name, c = get(w, 'b')->name;
    const char *to;
    switch (below(w, 4)) {
    case 0:
        PUT("%%v%u = arith.%s %%v%u, %%v%u : index\n", w->fresh, word(w, ops), a, b);
        define(w, 'i', "index");
        break;
    case 1:
        PUT("%%v%u = arith.cmpi %s, %%v%u, %%v%u : index\n", w->fresh, word(w, sam_tile_cmpi_names),
            a, b);
        define(w, 'b', "i1");
        break;
    case 2:
        PUT("%%v%u = arith.select %%v%u, %%v%u, %%v%u : index\n", w->fresh, c, a, b);
        define(w, 'i', "index");
        break;
    default:
        to = word(w, whole);
        PUT("%%v%u = arith.index_cast %%v%u : index to %s\n", w->fresh, a, to);
        define(w, strcmp(to, "index") == 0 ? 'i' : strcmp(to, "i1") == 0 ? 'b' : 's', to);
    }
}

static void binding(struct writer *w)
{
    struct named tile = *get(w, 't');
    unsigned t = tile.name, i = get(w, 'i')->name, k = get(w, 'i')->name;
    const char *pto = below(w, 2) ? "pto." : "";
    char type[192];
    switch (below(w, 8)) {
    case 0: /* which has no type: not of a free name */
        allocate(w);
        PUT("%stassign %%v%u, @tile(0x%x)\n", pto, w->fresh - 1, below(w, 1 << 20));
        break;
    case 1:
        PUT("%%v%u = %stassign %%v%u, %%v%u : %s -> %s\n", w->fresh, pto, t, i, tile.type,
            tile.type);
        define(w, 't', tile.type);
        break;
    case 2:
        tile_type(w, type);
        PUT("%%v%u = %s%s %%v%u, offsets = [%%v%u, %%v%u] : %s -> %s\n", w->fresh, pto,
            below(w, 2) ? "subset" : "tsubview", t, i, k, tile.type, type);
        define(w, 't', type);
        break;
    case 3: PUT("%sset_validshape %%v%u, %%v%u, %%v%u : %s\n", pto, t, i, k, tile.type); break;
    case 4: PUT("%sbarrier\n", pto); break;
    case 5: PUT("tsync\n"); break;
    case 6:
        tile = *get(w, 'v');
        PUT("%sprefetch %%v%u : %s\n", pto, tile.name, tile.type);
        break;
    default:
        i = get(w, 'e')->name;
        k = get(w, 'e')->name;
        PUT("%s%s %%v%u, %%v%u\n", pto, below(w, 2) ? "wait_event" : "tsync", i, k);
    }
}

/* With its destination as last operand, or with a result. */
static void generic_statement(struct writer *w, const struct sam_tile_op_text *op,
                              const char *attribute)
{
    const size_t n = strlen(op->sources);
    const bool store = strcmp(op->name, "tstore") == 0 || strncmp(op->name, "mscatter", 8) == 0;
    const bool result =
        !store && strcmp(op->name, "taxpy") != 0 && strcmp(op->name, "tinsert") != 0 && below(w, 2);
    const bool property = below(w, 2);
    struct sam_buffer types = {0}, names = {0};
    for (size_t i = 0; i <= n - result; i++) {
        const struct named *v = get(w, i < n ? op->sources[i] : store ? 'v' : 't');
        sam_buffer_printf(&names, "%s%%v%u", i ? "," : "", v->name);
        sam_buffer_printf(&types, "%s%s", i ? ", " : "", v->type);
    }
    if (result)
        PUT("%%v%u = ", w->fresh);
    PUT("\"pto.%s\"(%s)%s%s%s : (%s) -> ", op->name, sam_buffer_text(&names),
        property && *attribute ? " <" : "", attribute, property && *attribute ? ">" : "",
        sam_buffer_text(&types));
    sam_buffer_free(&types);
    sam_buffer_free(&names);
    char type[192] = "()";
    if (result)
        tile_type(w, type);
    PUT("%s\n", type);
    if (result)
        define(w, 't', type);
}

static void tile_statement(struct writer *w)
{
    static const char *const rounds[] = {"rint", "round", "floor", "ceil", "trunc", NULL};
    struct sam_tile_op_text op;
    size_t rows = 0;
    while (sam_tile_op_describe(rows, &op))
        rows++;
    sam_tile_op_describe(below(w, (unsigned)rows), &op);
    bool store = strcmp(op.name, "tstore") == 0 || strncmp(op.name, "mscatter", 8) == 0;
    size_t n = strlen(op.sources);
    struct {
        unsigned name;
        char type[192];
    } o[SAM_TILE_OPERANDS];
    for (size_t i = 0; i <= n; i++) {
        struct named *v = get(w, i < n ? op.sources[i] : store ? 'v' : 't');
        o[i].name = v->name;
        strcpy(o[i].type, v->type);
    }
    char attribute[96] = "";
    if (strncmp(op.name, "tcmp", 4) == 0)
        snprintf(attribute, sizeof attribute, " {cmp = %s}", word(w, sam_tile_compare_names));
    static const char *const wraps[] = {"wrap_rint", "trunc", NULL};
    static const char *const triangles[] = {"lower", "upper", NULL};
    static const char *const orders[] = {"ascending", "descending", NULL};
    static const char *const bytes[] = {"b0", "b1", "b2", "b3", NULL};
    if (strcmp(op.name, "tquant") == 0)
        snprintf(attribute, sizeof attribute, " {round = %s}", word(w, wraps));
    if (strcmp(op.name, "ttri") == 0)
        snprintf(attribute, sizeof attribute, " {tri = %s}", word(w, triangles));
    if (strcmp(op.name, "tmrgsort") == 0 || strcmp(op.name, "tsort") == 0)
        snprintf(attribute, sizeof attribute, " {order = %s}", word(w, orders));
    if (strcmp(op.name, "thistogram") == 0)
        snprintf(attribute, sizeof attribute, " {byte = %s}", word(w, bytes));
    if (strcmp(op.name, "tcvt") == 0 || strcmp(op.name, "tdequant") == 0)
        snprintf(attribute, sizeof attribute, " {round = %s}", word(w, rounds));
    if (below(w, 4) == 0) { /* of other dialects: kept as they are */
        const size_t end = strlen(attribute);
        snprintf(attribute + end - (end > 0), sizeof attribute - end, "%s%s}", end ? ", " : " {",
                 below(w, 2) ? "x.a" : "x.b = #y<1, [\"}\"]> , z.c = {d=2.5 : f32}");
    }
    if (below(w, 3) == 0) {
        generic_statement(w, &op, attribute);
        return;
    }
    bool updates = strcmp(op.name, "taxpy") == 0 || strcmp(op.name, "tinsert") == 0;
    bool dps = updates || below(w, 2);
    const char *pto = below(w, 2) ? "pto." : "";
    if (dps)
        PUT("%s%s ins(", pto, op.name);
    else if (store)
        PUT("%s%s ", pto, op.name);
    else
        PUT("%%v%u = %s%s ", w->fresh, pto, op.name);
    size_t shown = n + (store && !dps);
    for (size_t i = 0; i < shown; i++)
        PUT("%s%%v%u", i ? ", " : "", o[i].name);
    PUT("%s :\n ", dps ? "" : attribute);
    for (size_t i = 0; i < shown; i++)
        PUT("%s%s", i ? ", " : "", o[i].type);
    if (dps)
        PUT(") outs(%%v%u : %s)%s\n", o[n].name, o[n].type, attribute);
    else if (store)
        PUT("%s\n", below(w, 2) ? "" : " // stored");
    else {
        tile_type(w, o[n].type);
        PUT(" -> %s // %s\n", o[n].type, op.name);
        define(w, 't', o[n].type);
    }
}

static struct named *half(struct writer *w)
{
    PUT("%%v%u = arith.constant 2.5 : f16\n", w->fresh);
    return define(w, 's', "f16");
}

static void statement(struct writer *w);

/* Statements and, if there are `kinds`, a yield of values of these. */
static void body(struct writer *w, const char *kinds)
{
    unsigned count = w->count;
    struct {
        unsigned name;
        char type[192];
    } yields[4];
    w->depth++;
    for (unsigned i = below(w, 4); i-- > 0;)
        statement(w);
    size_t n = strlen(kinds);
    for (size_t i = 0; i < n; i++) {
        struct named *v = kinds[i] == 's' ? half(w) : get(w, kinds[i]);
        yields[i].name = v->name;
        strcpy(yields[i].type, v->type);
    }
    if (n)
        PUT("scf.yield ");
    for (size_t i = 0; i < n; i++)
        PUT("%s%%v%u", i ? ", " : "", yields[i].name);
    for (size_t i = 0; i < n; i++)
        PUT("%s%s", i ? ", " : " : ", yields[i].type);
    if (below(w, 3) == 0)
        PUT("%s// the end\n", n ? " " : "");
    else if (n)
        PUT("\n");
    w->depth--;
    /* A free name is known from here on everywhere, with one type: it is not used again. */
    w->count = count;
}

static const char *type_of(char kind)
{
    return kind == 'i' ? "index" : kind == 'b' ? "i1" : kind == 'e' ? "!pto.event" : "f16";
}

static void results(struct writer *w, unsigned first, const char *kinds)
{
    for (unsigned i = 0; kinds[i]; i++)
        PUT("%s%%v%u", i ? ", " : "", first + i);
    PUT("%s", kinds[0] ? " = " : "");
}

static void result_types(struct writer *w, const char *kinds)
{
    for (unsigned i = 0; kinds[i]; i++)
        PUT("%s%s", i ? ", " : " -> (", type_of(kinds[i]));
    PUT("%s", kinds[0] ? ")" : "");
}

static const char *const carried[] = {"", "i", "e", "is", "bie", "seib", NULL};

static void loop(struct writer *w)
{
    const char *kinds = word(w, carried);
    unsigned bounds[3], start[4], first, outer;
    for (int i = 0; i < 3; i++)
        bounds[i] = get(w, 'i')->name;
    for (unsigned i = 0; kinds[i]; i++) {
        start[i] = (kinds[i] == 's' ? half(w) : get(w, kinds[i]))->name;
    }
    first = w->fresh;
    w->fresh += (unsigned)strlen(kinds);
    results(w, first, kinds);
    outer = w->count;
    PUT("scf.for %%v%u = %%v%u to %%v%u step %%v%u", w->fresh, bounds[0], bounds[1], bounds[2]);
    define(w, 'i', "index");
    for (unsigned i = 0; kinds[i]; i++) {
        PUT("%s%%v%u = %%v%u", i ? ", " : " iter_args(", w->fresh, start[i]);
        define(w, kinds[i], type_of(kinds[i]));
    }
    PUT("%s", kinds[0] ? ")" : "");
    result_types(w, kinds);
    PUT(" {\n");
    body(w, kinds);
    w->count = outer;
    PUT("}\n");
    for (unsigned i = 0; kinds[i]; i++) {
        define_as(w, kinds[i], type_of(kinds[i]), first + i);
    }
}

static void condition(struct writer *w)
{
    const char *kinds = word(w, carried);
    unsigned c = get(w, 'b')->name, first = w->fresh;
    w->fresh += (unsigned)strlen(kinds);
    results(w, first, kinds);
    PUT("scf.if %%v%u", c);
    result_types(w, kinds);
    PUT(" { // then\n");
    body(w, kinds);
    if (kinds[0] || below(w, 2)) {
        PUT("} else {\n");
        body(w, kinds);
    }
    PUT("}\n");
    for (unsigned i = 0; kinds[i]; i++) {
        define_as(w, kinds[i], type_of(kinds[i]), first + i);
    }
}

static void statement(struct writer *w)
{
    switch (below(w, w->depth > 5 ? 8 : 11)) {
    case 0: PUT("// on its own\n"); __attribute__((fallthrough));
    case 1: arithmetic(w); break;
    case 2:
    case 3: binding(w); break;
    case 8: loop(w); break;
    case 9: condition(w); break;
    default: tile_statement(w);
    }
}

/* Bare operations, or functions in a module or not. */
static void program(struct writer *w)
{
    sam_buffer_free(&w->out);
    w->bare = below(w, 2);
    unsigned functions = w->bare ? 1 : 1 + below(w, 3);
    bool module = !w->bare && below(w, 2);
    if (module)
        PUT("// file\nmodule%s {\n", below(w, 2) ? " attributes {a = \"}\", b = {c = #x.y}}" : "");
    for (unsigned f = 0; f < functions; f++) {
        char tile[192];
        w->count = w->fresh = 0;
        if (!w->bare) {
            tile_type(w, tile);
            define(w, 'p', "!pto.ptr<bf16>");
            define(w, 'i', "index");
            define(w, 't', tile);
            define(w, 's', "f16");
            PUT("func.func @f%u(%%v0: !pto.ptr<bf16>, %%v1: index, %%v2: %s, %%v3: f16)%s {\n", f,
                tile, below(w, 2) ? " attributes {pto.kernel}" : "");
        }
        for (unsigned i = 0; i < 12; i++)
            statement(w);
        if (!w->bare)
            PUT("%s}\n", below(w, 2) ? "return\n" : "");
    }
    PUT("%s// the last\n", module ? "}\n" : "");
}

/* --- coverage */

struct covered {
    unsigned codes[SAM_TILE_CODES];
    unsigned locs[SAM_TILE_LOCS], dtypes[SAM_DTYPES], blayouts[3], slayouts[3], pads[4];
    unsigned fractals[3], dynamic[4], ranks[6], carried[5], depth[8];
};

static void count(const struct sam_tile_program *p, struct covered *c)
{
    for (size_t i = 0; i < p->op_count; i++) {
        c->codes[p->ops[i].code]++;
        if (p->ops[i].code == SAM_TILE_FOR)
            c->carried[p->ops[i].result_count]++;
    }
    for (size_t i = 0; i < p->value_count; i++) {
        const struct sam_tile_ty *type = &p->values[i].type;
        const struct sam_tile_type *t = &type->tile;
        c->ranks[type->rank]++;
        if (type->kind != SAM_TILE_KIND_TILE)
            continue;
        c->locs[t->loc]++;
        c->dtypes[t->dtype]++;
        c->blayouts[t->blayout]++;
        c->slayouts[t->slayout]++;
        c->pads[t->pad]++;
        c->fractals[t->fractal == 512 ? 0 : t->fractal == 1024 ? 1 : 2]++;
        c->dynamic[(t->valid_rows == SAM_TILE_DYNAMIC) + 2 * (t->valid_cols == SAM_TILE_DYNAMIC)]++;
    }
}

static void all_seen(const unsigned *counts, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (!counts[i])
            fail_msg("no %s %zu", what, i);
}

TEST(test_generated)
{
    struct writer *w = calloc(1, sizeof *w);
    struct covered covered = {0};
    assert_non_null(w);
    w->seed = test_seed();
    for (int round = 0; round < 1500; round++) {
        program(w);
        struct sam_tile_program *p =
            test_round_trip("generated", sam_buffer_text(&w->out), w->out.size);
        count(p, &covered);
        sam_tile_program_free(p);
    }
#define SEEN(field, from)                                                                          \
    all_seen(covered.field + (from), SAM_COUNT(covered.field) - (from), #field)
    covered.codes[SAM_TILE_WAIT]++;
    SEEN(codes, 0);
    SEEN(locs, 0);
    for (unsigned i = 0; i < SAM_DTYPES; i++) /* the types of tiles */
        covered.dtypes[i] += strcmp(sam_tile_dtype_name((enum sam_dtype)i), "?") == 0;
    SEEN(dtypes, 0);
    SEEN(blayouts, 1);
    SEEN(slayouts, 0);
    SEEN(pads, 0);
    SEEN(fractals, 0);
    SEEN(dynamic, 0);
    SEEN(ranks, 0);
    SEEN(carried, 0);
    sam_buffer_free(&w->out);
    free(w);
}
