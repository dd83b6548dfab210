/* SPDX-License-Identifier: Apache-2.0 */
/* The text of tile programs: names, types, loops, operations. */
#include "network/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The start of an operation. */
static void indent(struct sam_net_text *text)
{
    text->ops += text->rounds + 1;
    for (unsigned i = 0; i <= text->depth; i++)
        sam_buffer_puts(&text->body, "  ");
}

static uint32_t new_name(struct sam_net_text *text)
{
    return ++text->next;
}

/* A line at the head, unless it is there. */
static void head(struct sam_net_text *text, const char *line)
{
    if (!text->head.data || !strstr((const char *)text->head.data, line))
        sam_buffer_puts(&text->head, line);
}

/* Constants are named by their numbers. */
static void put_index(struct sam_net_text *text, struct sam_buffer *out, struct net_index index)
{
    const char sign = index.value < 0 ? 'm' : 'c';
    const long long size = llabs(index.value);
    char line[96];
    if (index.id) {
        sam_buffer_printf(out, "%%i%" PRIu32, index.id);
        return;
    }
    sam_format(line, sizeof line, "  %%%c%lld = arith.constant %" PRId64 " : index\n", sign, size,
               index.value);
    head(text, line);
    sam_buffer_printf(out, "%%%c%lld", sign, size);
}

/* --- names and types */

static uint64_t room_of(const struct net_tile *tile, uint64_t elements)
{
    const uint64_t line = 32 / sam_dtype_size(tile->dtype);
    return (elements + line - 1) / line * line;
}

static void put_type(struct sam_buffer *out, const struct net_tile *tile)
{
    if (tile->scalar) {
        sam_buffer_puts(out, sam_tile_dtype_name(tile->dtype));
        return;
    }
    const uint64_t rows = tile->col_major ? room_of(tile, tile->rows) : tile->rows;
    const uint64_t cols = tile->col_major ? tile->cols : room_of(tile, tile->cols);
    sam_buffer_printf(out, "!pto.tile_buf<%s, %" PRIu64 "x%" PRIu64 "x%s",
                      sam_tile_loc_name(tile->loc), rows, cols, sam_tile_dtype_name(tile->dtype));
    if (rows != tile->rows || cols != tile->cols)
        sam_buffer_printf(out, ", valid=%" PRIu64 "x%" PRIu64, tile->rows, tile->cols);
    sam_buffer_puts(out, tile->col_major ? ", blayout=col_major>" : ">");
}

static void put_name(struct sam_buffer *out, const struct net_tile *tile)
{
    sam_buffer_printf(out, tile->scalar ? "%%f%" PRIu32 : "%%t%" PRIu32, tile->id);
}

/* `%a, %b {attribute} : T, U`; the attribute is what follows the name of the operation. */
static void put_sources(struct sam_buffer *out, uint32_t count, const struct net_tile *sources,
                        const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        sam_buffer_puts(out, i ? ", " : "");
        put_name(out, &sources[i]);
    }
    sam_buffer_printf(out, "%s : ", name + strcspn(name, " "));
    for (uint32_t i = 0; i < count; i++) {
        sam_buffer_puts(out, i ? ", " : "");
        put_type(out, &sources[i]);
    }
}

/* The type of the view of a box, or of the box. */
static void put_box_type(struct sam_buffer *out, const struct net_box *box, enum sam_dtype dtype,
                         bool view)
{
    sam_buffer_puts(out, view ? "!pto.tensor_view<?x" : "!pto.partition_tensor_view<1x");
    for (uint32_t i = 0; i < box->count; i++)
        if (view)
            sam_buffer_puts(out, "?x");
        else
            sam_buffer_printf(out, "%" PRIu64 "x", box->size[i]);
    sam_buffer_printf(out, "%s>", sam_tile_dtype_name(dtype));
}

/* Text with, after a $, what the arguments are: i, an index; u, a number; s, a string; t, T, name
 * and type of a tile; o, the name of an operation without its attribute; S, tiles as sources, their
 * number first, then that name; of a box: z, d, e, zeros, sizes or strides of all dimensions, a
 * comma before each; V, P, types of view and part.
 */
static void put(struct sam_net_text *text, struct sam_buffer *out, const char *format, va_list list)
{
    for (const char *at = format; *at;) {
        const size_t plain = strcspn(at, "$");
        sam_buffer_append(out, at, plain);
        at += plain;
        const char what = *at ? at[1] : '\0';
        at += what ? 2 : 0;
        switch (what) {
        case 'i': put_index(text, out, va_arg(list, struct net_index)); break;
        case 'u': sam_buffer_printf(out, "%" PRIu32, va_arg(list, uint32_t)); break;
        case 's': sam_buffer_puts(out, va_arg(list, const char *)); break;
        case 'o': {
            const char *const name = va_arg(list, const char *);
            sam_buffer_append(out, name, strcspn(name, " "));
            break;
        }
        case 't': put_name(out, va_arg(list, const struct net_tile *)); break;
        case 'T': put_type(out, va_arg(list, const struct net_tile *)); break;
        case 'S': {
            const uint32_t count = va_arg(list, uint32_t);
            const struct net_tile *const sources = va_arg(list, const struct net_tile *);
            put_sources(out, count, sources, va_arg(list, const char *));
            break;
        }
        case '\0': return;
        default: {
            const struct net_box *const box = va_arg(list, const struct net_box *);
            if (what == 'V' || what == 'P')
                put_box_type(out, box, text->plan->buffers[box->buffer].dtype, what == 'V');
            for (uint32_t i = 0; what >= 'a' && i < box->count; i++) {
                sam_buffer_puts(out, ", ");
                put_index(text, out,
                          net_at(what == 'z'   ? 0
                                 : what == 'd' ? (int64_t)box->size[i]
                                               : box->stride[i]));
            }
        }
        }
    }
}

static void put_line(struct sam_net_text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    indent(text);
    put(text, &text->body, format, list);
    va_end(list);
}

/* A line at the head, unless it is there. */
static void put_head(struct sam_net_text *text, const char *format, ...)
{
    struct sam_buffer line = {0};
    va_list list;
    va_start(list, format);
    put(text, &line, format, list);
    va_end(list);
    text->failed |= line.failed;
    head(text, sam_buffer_text(&line));
    sam_buffer_free(&line);
}

/* --- indexes and loops */

static struct net_index arith(struct sam_net_text *text, const char *name, struct net_index a,
                              struct net_index b)
{
    const struct net_index result = {0, new_name(text)};
    put_line(text, "%i$u = arith.$s $i, $i : index\n", result.id, name, a, b);
    text->ops -= text->rounds + 1; /* known where loops are written out */
    return result;
}

struct net_index sam_net_add(struct sam_net_text *text, struct net_index a, struct net_index b)
{
    if (!a.id && !b.id)
        return net_at(a.value + b.value);
    if (!a.id && a.value == 0)
        return b;
    if (!b.id && b.value == 0)
        return a;
    return arith(text, "addi", a, b);
}

struct net_index sam_net_times(struct sam_net_text *text, struct net_index a, int64_t by)
{
    if (!a.id)
        return net_at(a.value * by);
    if (by == 0)
        return net_at(0);
    return by == 1 ? a : arith(text, "muli", a, net_at(by));
}

struct net_index sam_net_argument(struct sam_net_text *text, struct net_scalar_argument scalar)
{
    text->scalars[text->scalar_count] = scalar;
    /* names of arguments are far above those of results */
    return (struct net_index){0, UINT32_C(0x80000000) + text->scalar_count++};
}

/* A loop over 0, step, ... below `end`. A single iteration is emitted without a loop. */
static struct net_index begin_loop(struct sam_net_text *text, uint64_t end, uint64_t step)
{
    if (end <= step)
        return net_at(0);
    const struct net_index at = {0, new_name(text)};
    put_line(text, "scf.for %i$u = $i to $i step $i {\n", at.id, net_at(0), net_at((int64_t)end),
             net_at((int64_t)step));
    text->depth++;
    text->rounds = (text->rounds + 1) * ((end + step - 1) / step) - 1;
    return at;
}

static void end_loop(struct sam_net_text *text, uint64_t end, uint64_t step)
{
    if (end <= step)
        return;
    text->depth--;
    indent(text);
    text->rounds = (text->rounds + 1) / ((end + step - 1) / step) - 1;
    sam_buffer_puts(&text->body, "}\n");
}

bool sam_net_blocks(struct sam_net_text *text, uint32_t axes, const uint64_t *extent,
                    const uint64_t *tile, struct net_blocks *k)
{
    for (uint32_t i = k->open ? axes : 0; i-- > 0;)
        if (!((k->next - 1) >> i & 1))
            end_loop(text, extent[i] - extent[i] % tile[i], tile[i]);
    k->open = false;
    while (!k->open && k->next < UINT32_C(1) << axes) {
        const uint32_t rest = k->next++;
        k->open = true;
        for (uint32_t i = 0; i < axes; i++) {
            k->size[i] = rest >> i & 1 && tile[i] ? extent[i] % tile[i] : tile[i];
            k->open &= k->size[i] > 0 && (rest >> i & 1 || extent[i] >= tile[i]);
        }
        for (uint32_t i = 0; i < axes && k->open; i++) {
            const uint64_t full = extent[i] - extent[i] % tile[i];
            k->at[i] = rest >> i & 1 ? net_at((int64_t)full) : begin_loop(text, full, tile[i]);
        }
    }
    return k->open;
}

/* --- tiles */

struct net_tile sam_net_scalar(struct sam_net_text *text, enum sam_dtype dtype, double value)
{
    struct net_tile scalar = {.dtype = dtype, .scalar = true};
    char line[96];
    if (dtype == SAM_F32) { /* named by its bits */
        scalar.id = sam_f32_bits((float)value);
        sam_format(line, sizeof line, "  %%f%" PRIu32 " = arith.constant 0x%08" PRIx32 " : f32\n",
                   scalar.id, scalar.id);
        head(text, line);
        return scalar;
    }
    /* names of integers are those of floats that are NaN, and thus of none that is asked for */
    scalar.id = new_name(text) | UINT32_C(0xffc00000);
    sam_format(line, sizeof line, "  %%f%" PRIu32 " = arith.constant %" PRId64 " : %s\n", scalar.id,
               (int64_t)fmax(INT32_MIN, fmin(INT32_MAX, value)), sam_tile_dtype_name(dtype));
    sam_buffer_puts(&text->head, line);
    return scalar;
}

struct net_tile sam_net_alloc(struct sam_net_text *text, struct net_tile like)
{
    like.id = new_name(text);
    put_line(text, "$t = pto.alloc_tile : $T\n", &like, &like);
    return like;
}

struct net_tile sam_net_op(struct sam_net_text *text, const char *name, struct net_tile like,
                           uint32_t count, const struct net_tile *sources)
{
    like.id = new_name(text);
    like.scalar = false;
    put_line(text, "$t = pto.$o $S -> $T\n", &like, name, count, sources, name, &like);
    return like;
}

void sam_net_op_into(struct sam_net_text *text, const char *name, struct net_tile into,
                     uint32_t count, const struct net_tile *sources)
{
    put_line(text, "pto.$o ins($S) outs($S)\n", name, count, sources, name, 1u, &into, "");
}

struct net_tile sam_net_window(struct sam_net_text *text, struct net_tile tile, uint64_t row,
                               uint64_t col, uint64_t rows, uint64_t cols)
{
    struct net_tile window = tile;
    window.id = new_name(text);
    window.rows = rows;
    window.cols = cols;
    put_line(text, "$t = pto.subset $t, offsets = [$i, $i] : $T -> $T\n", &window, &tile,
             net_at((int64_t)row), net_at((int64_t)col), &tile, &window);
    return window;
}

/* --- windows of arrays */

/* The argument that the buffer is; added if it is none yet. */
static size_t argument_of(struct sam_net_text *text, uint32_t buffer)
{
    for (size_t i = 0; i < text->buffer_count; i++)
        if (text->buffers[i] == buffer)
            return i;
    void *grown =
        sam_grow(text->buffers, text->buffer_count, &text->buffer_capacity, sizeof *text->buffers);
    if (!grown) {
        text->failed = true;
        return 0;
    }
    text->buffers = grown;
    text->buffers[text->buffer_count] = buffer;
    return text->buffer_count++;
}

/* The view that has the strides of the box behind a dimension that runs over all elements. Named by
 * its argument and strides. */
static void put_view(struct sam_net_text *text, struct sam_buffer *name, const struct net_box *box)
{
    const struct net_buffer *const buffer = &text->plan->buffers[box->buffer];
    const size_t argument = argument_of(text, box->buffer);
    sam_buffer_printf(name, "%%v%zu", argument);
    for (uint32_t i = 0; i < box->count; i++)
        sam_buffer_printf(name, "_%" PRIu64 "%s%" PRId64, box->size[i],
                          box->stride[i] < 0 ? "m" : "s",
                          box->stride[i] < 0 ? -box->stride[i] : box->stride[i]);
    put_head(text, "  $s = pto.make_tensor_view %a$u, shape = [$i$d], strides = [$i$e] : $V\n",
             sam_buffer_text(name), (uint32_t)argument, net_at((int64_t)buffer->count), box,
             net_at(1), box, box);
}

/* The partition of a box. */
static uint32_t put_part(struct sam_net_text *text, const struct net_box *box)
{
    struct sam_buffer name = {0};
    put_view(text, &name, box);
    const uint32_t part = new_name(text);
    put_line(text, "%p$u = pto.partition_view $s, offsets = [$i$z], sizes = [$i$d] : $V -> $P\n",
             part, sam_buffer_text(&name), box->at, box, net_at(1), box, box, box);
    text->failed |= name.failed;
    sam_buffer_free(&name);
    return part;
}

struct net_tile sam_net_load(struct sam_net_text *text, struct net_tile like,
                             const struct net_box *box)
{
    const uint32_t part = put_part(text, box);
    like.id = new_name(text);
    put_line(text, "$t = pto.tload %p$u : $P -> $T\n", &like, part, box, &like);
    return like;
}

void sam_net_prefetch(struct sam_net_text *text, const struct net_box *box)
{
    put_line(text, "pto.prefetch %p$u : $P\n", put_part(text, box), box);
}

void sam_net_store(struct sam_net_text *text, struct net_tile tile, const struct net_box *box)
{
    put_line(text, "pto.tstore ins($S) outs(%p$u : $P)\n", 1u, &tile, "", put_part(text, box), box);
}

/* --- the whole */

char *sam_net_text_finish(struct sam_net_text *text)
{
    struct sam_buffer all = {0};
    sam_buffer_puts(&all, "module {\n func.func @step(");
    for (size_t i = 0; i < text->buffer_count; i++)
        sam_buffer_printf(&all, "%s%%a%zu: !pto.ptr<%s>", i ? ", " : "", i,
                          sam_tile_dtype_name(text->plan->buffers[text->buffers[i]].dtype));
    for (uint32_t i = 0; i < text->scalar_count; i++)
        sam_buffer_printf(&all, "%s%%i%" PRIu32 ": index", i || text->buffer_count ? ", " : "",
                          UINT32_C(0x80000000) + i);
    sam_buffer_puts(&all, ") {\n");
    sam_buffer_puts(&all, sam_buffer_text(&text->head));
    sam_buffer_puts(&all, sam_buffer_text(&text->body));
    sam_buffer_puts(&all, "  return\n }\n}\n");
    if (text->failed || text->head.failed || text->body.failed || all.failed) {
        sam_buffer_free(&all);
        return NULL;
    }
    return (char *)all.data;
}

void sam_net_text_free(struct sam_net_text *text)
{
    sam_buffer_free(&text->head);
    sam_buffer_free(&text->body);
    free(text->buffers);
    *text = (struct sam_net_text){0};
}
