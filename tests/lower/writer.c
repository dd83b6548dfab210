/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/writer.h"

#include <inttypes.h>

#include "lower/plain.h"

enum { RANK = 5 }; /* of a window, at most */

void writer_open(struct writer *w, uint64_t seed, bool dynamic)
{
    *w = (struct writer){.dynamic = dynamic, .seldom = 4};
    w->x.seed = seed;
}

unsigned writer_below(struct writer *w, unsigned n)
{
    return (unsigned)test_below(&w->x.seed, n);
}

void writer_put(struct writer *w, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    sam_buffer_puts(&w->body, text);
}

const char *writer_constant(struct writer *w, int64_t number, char name[24])
{
    snprintf(name, 24, "%%c%u", w->fresh++);
    writer_put(w, "%s = arith.constant %" PRId64 " : index\n", name, number);
    return name;
}

const char *writer_number(struct writer *w, int64_t number, char name[24])
{
    /* arguments are few: the rest is computed from one that is zero */
    if (!w->dynamic || writer_below(w, 3) == 0)
        return writer_constant(w, number, name);
    char constant[24];
    writer_constant(w, number, constant);
    snprintf(name, 24, "%%n%u", w->fresh++);
    writer_put(w, "%s = arith.addi %s, %%zero : index\n", name, constant);
    return name;
}

static void declare(struct writer *w, const char *format, ...) SAM_PRINTF(2, 3);
static void declare(struct writer *w, const char *format, ...)
{
    char text[200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    sam_buffer_printf(&w->head, "%s%s", w->head.size ? ", " : "", text);
}

unsigned writer_array(struct writer *w, enum sam_dtype dtype, size_t count)
{
    unsigned number = (unsigned)w->x.count;
    const bool pairs = sam_dtype_bits(dtype) == 4;
    lowered_random(&w->x, pairs ? SAM_U8 : dtype, 0, count ? pairs ? (count + 1) / 2 : count : 1);
    declare(w, "%%p%u: !pto.ptr<%s>", number, sam_tile_dtype_name(dtype));
    return number;
}

static void write_type(struct writer_tile *t, bool dynamic, char type[160])
{
    int at = snprintf(type, 160, "!pto.tile_buf<%s, %ux%ux%s", t->loc, t->rows, t->cols,
                      sam_tile_dtype_name(t->dtype));
    if (dynamic)
        at += snprintf(type + at, 160 - (size_t)at, ", valid=?x?");
    else
        at += snprintf(type + at, 160 - (size_t)at, ", valid=%ux%u", t->valid_rows, t->valid_cols);
    if (t->by_columns)
        at += snprintf(type + at, 160 - (size_t)at, ", blayout=col_major");
    if (t->pad)
        at += snprintf(type + at, 160 - (size_t)at, ", pad=%s", t->pad);
    snprintf(type + at, 160 - (size_t)at, ">");
}

/* Tiles whose full extent is filled are dynamic and change their sizes; or windows of a tile
 * with the full extent. */
void writer_tile(struct writer *w, struct writer_tile *t)
{
    const unsigned unit = 32 * 8 / (unsigned)sam_dtype_bits(t->dtype);
    if (!t->rows) {
        unsigned length = t->by_columns ? t->valid_rows : t->valid_cols;
        unsigned lines = t->by_columns ? t->valid_cols : t->valid_rows;
        length = (length + unit - 1) / unit * unit + writer_below(w, 2) * unit;
        length = length ? length : unit;
        lines += writer_below(w, 3);
        lines = lines ? lines : 1;
        t->rows = t->by_columns ? length : lines;
        t->cols = t->by_columns ? lines : length;
    }
    t->dynamic = w->dynamic;
    snprintf(t->name, sizeof t->name, "%%t%u", w->fresh++);
    write_type(t, t->dynamic, t->type);
    if (t->dynamic) {
        char r[24], c[24];
        writer_number(w, t->empty ? t->valid_rows : t->rows, r);
        writer_number(w, t->empty ? t->valid_cols : t->cols, c);
        writer_put(w, "%s = pto.alloc_tile valid_row = %s valid_col = %s : %s\n", t->name, r, c,
                   t->type);
        if (t->empty)
            return;
        writer_fill(w, t);
        writer_number(w, t->valid_rows, r);
        writer_number(w, t->valid_cols, c);
        writer_put(w, "pto.set_validshape %s, %s, %s : %s\n", t->name, r, c, t->type);
        return;
    }
    if (t->empty) {
        writer_put(w, "%s = pto.alloc_tile : %s\n", t->name, t->type);
        return;
    }
    struct writer_tile whole = *t;
    char zero[24];
    whole.valid_rows = t->rows;
    whole.valid_cols = t->cols;
    snprintf(whole.name, sizeof whole.name, "%.16s_all", t->name);
    write_type(&whole, false, whole.type);
    writer_put(w, "%s = pto.alloc_tile : %s\n", whole.name, whole.type);
    writer_fill(w, &whole);
    writer_constant(w, 0, zero);
    writer_part(w, t, &whole, zero);
}

void writer_part(struct writer *w, struct writer_tile *t, const struct writer_tile *whole,
                 const char *zero)
{
    if (strcmp(t->name, whole->name) == 0) {
        snprintf(t->name, sizeof t->name, "%%t%u", w->fresh++);
        write_type(t, false, t->type);
    }
    writer_put(w, "%s = pto.subset %s, offsets = [%s, %s] : %s -> %s\n", t->name, whole->name, zero,
               zero, whole->type, t->type);
}

/* --- windows */

struct dims {
    unsigned rank, size[RANK], offset[RANK];
    int64_t stride[RANK];
};

/* A view and its partition of an array. */
static void write_window(struct writer *w, enum sam_dtype dtype, unsigned array,
                         const struct dims *d, char name[16], char type[160])
{
    char text[1024] = "", names[4][RANK][24], view[160];
    const char *dtype_name = sam_tile_dtype_name(dtype);
    int at = snprintf(view, sizeof view, "!pto.tensor_view<");
    int to = snprintf(type, 160, "!pto.partition_tensor_view<");
    for (unsigned i = 0; i < d->rank; i++) {
        writer_number(w, d->offset[i] + d->size[i], names[0][i]);
        writer_number(w, d->stride[i], names[1][i]);
        writer_number(w, d->offset[i], names[2][i]);
        writer_number(w, d->size[i], names[3][i]);
        at += snprintf(view + at, sizeof view - (size_t)at, "?x");
        if (w->dynamic)
            to += snprintf(type + to, 160 - (size_t)to, "?x");
        else
            to += snprintf(type + to, 160 - (size_t)to, "%ux", d->size[i]);
    }
    snprintf(view + at, sizeof view - (size_t)at, "%s>", dtype_name);
    snprintf(type + to, 160 - (size_t)to, "%s>", dtype_name);
    snprintf(name, 16, "%%w%u", w->fresh++);
    static const char *const parts[] = {"shape", "strides", "offsets", "sizes"};
    char *end = text;
    for (unsigned k = 0; k < 4; k++) {
        end += sprintf(end, k % 2 ? ", %s = [" : "%s = [", parts[k]);
        for (unsigned i = 0; i < d->rank; i++)
            end += sprintf(end, "%s%s", i ? ", " : "", names[k][i]);
        end += sprintf(end, "]");
        if (k == 1) {
            writer_put(w, "%s_view = pto.make_tensor_view %%p%u, %s : %s\n", name, array, text,
                       view);
            end = text;
        }
    }
    writer_put(w, "%s = pto.partition_view %s_view, %s : %s -> %s\n", name, name, text, view, type);
}

/* Rows as the product of several dimensions. */
static void split_rows(struct writer *w, unsigned rows, struct dims *d)
{
    while (d->rank < RANK - 1 && writer_below(w, 2)) {
        unsigned factor = 1 + writer_below(w, 4);
        if (rows % factor)
            continue;
        d->size[d->rank++] = factor;
        rows /= factor;
    }
    if (rows != 1 || !d->rank || writer_below(w, 2))
        d->size[d->rank++] = rows;
}

void writer_window(struct writer *w, enum sam_dtype dtype, unsigned rows, unsigned cols, bool once,
                   char name[16], char type[160])
{
    struct dims d = {0};
    unsigned order[RANK], kind = writer_below(w, 4);
    bool based = rows && writer_below(w, 3) == 0;
    if (based) { /* a first dimension of one index, whose offset is that of the window */
        d.size[d.rank++] = 1;
    }
    split_rows(w, rows, &d);
    if (d.rank == RANK) { /* no dimension is left for the columns */
        d.rank = based;
        d.size[d.rank++] = rows;
    }
    d.size[d.rank++] = cols;
    for (unsigned i = 0; i < d.rank; i++)
        order[i] = i;
    for (unsigned i = d.rank - 1; i > 0 && kind == 0; i--) { /* any order */
        unsigned j = writer_below(w, i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    if (kind == 1 && d.rank > 1) { /* columns first */
        order[d.rank - 1] = d.rank - 2;
        order[d.rank - 2] = d.rank - 1;
    }
    int64_t step = 1 + (writer_below(w, 4) == 0), low = 0, high = 0;
    for (unsigned k = d.rank; k-- > 0;) {
        unsigned i = order[k];
        d.stride[i] = based && i == 0 ? 1 : step;
        if (!(based && i == 0)) {
            step *= d.size[i] ? d.size[i] : 1;
            step += writer_below(w, 3) ? 0 : writer_below(w, 20);
            if (based && writer_below(w, 5) == 0)
                d.stride[i] = -d.stride[i];
            if (!once && writer_below(w, 10) == 0)
                d.stride[i] = writer_below(w, 2);
            if (!based)
                d.offset[i] = writer_below(w, 3) ? 0 : writer_below(w, 4);
        }
        int64_t reach = ((int64_t)d.size[i] - 1 > 0 ? (int64_t)d.size[i] - 1 : 0) * d.stride[i];
        low += reach < 0 ? reach : 0;
        high += d.offset[i] * d.stride[i] + (reach > 0 ? reach : 0);
    }
    if (based)
        d.offset[0] = (unsigned)-low + writer_below(w, 9);
    high += based ? d.offset[0] : 0;
    size_t count = (size_t)(high + 1 > 0 ? high + 1 : 1) + writer_below(w, 3);
    if (w->outside)
        count = 1 + writer_below(w, high > 0 ? (unsigned)high : 1);
    write_window(w, dtype, writer_array(w, dtype, count), &d, name, type);
}

void writer_line(struct writer *w, enum sam_dtype dtype, unsigned count, char name[16],
                 char type[160])
{
    const unsigned stride = 1 + writer_below(w, 2);
    const char *of = sam_tile_dtype_name(dtype);
    const unsigned array =
        writer_array(w, dtype, (count + 1) * stride + 1 - (writer_below(w, 20) == 0));
    char names[4][24];
    const unsigned numbers[] = {count + 2, stride, 2, count};
    for (unsigned i = 0; i < 4; i++)
        writer_number(w, numbers[i], names[i]);
    snprintf(name, 16, "%%w%u", w->fresh++);
    if (w->dynamic)
        snprintf(type, 160, "!pto.partition_tensor_view<?x%s>", of);
    else
        snprintf(type, 160, "!pto.partition_tensor_view<%ux%s>", count, of);
    writer_put(w,
               "%s_view = pto.make_tensor_view %%p%u, shape = [%s], strides = [%s] : "
               "!pto.tensor_view<?x%s>\n",
               name, array, names[0], names[1], of);
    writer_put(w,
               "%s = pto.partition_view %s_view, offsets = [%s], sizes = [%s] : "
               "!pto.tensor_view<?x%s> -> %s\n",
               name, name, names[2], names[3], of, type);
}

static void whole_window(struct writer *w, const struct writer_tile *t, char name[16],
                         char type[160])
{
    struct dims d = {.rank = 2, .size = {t->rows, t->cols}, .stride = {t->cols, 1}};
    bool dynamic = w->dynamic;
    w->dynamic = t->dynamic;
    write_window(w, t->dtype, writer_array(w, t->dtype, (size_t)t->rows * t->cols), &d, name, type);
    w->dynamic = dynamic;
}

void writer_fill(struct writer *w, const struct writer_tile *t)
{
    char name[16], type[160];
    whole_window(w, t, name, type);
    writer_put(w, "pto.tload ins(%s : %s) outs(%s : %s)\n", name, type, t->name, t->type);
}

void writer_show(struct writer *w, const struct writer_tile *t)
{
    struct writer_tile whole = *t;
    char name[16], type[160];
    if (t->dynamic) {
        char r[24], c[24];
        writer_number(w, t->rows, r);
        writer_number(w, t->cols, c);
        writer_put(w, "pto.set_validshape %s, %s, %s : %s\n", t->name, r, c, t->type);
    } else {
        whole.valid_rows = t->rows;
        whole.valid_cols = t->cols;
        if (!t->empty)
            snprintf(whole.name, sizeof whole.name, "%.16s_all", t->name);
        write_type(&whole, false, whole.type);
    }
    whole_window(w, &whole, name, type);
    writer_put(w, "pto.tstore ins(%s : %s) outs(%s : %s)\n", whole.name, whole.type, name, type);
}

void writer_run(struct writer *w)
{
    SCOPED(sam_buffer) text = {0};
    declare(w, "%%zero: index");
    lowered_scalar(&w->x, SAM_I64, 0);
    sam_buffer_printf(&text, "func.func @f(%s) {\n%sreturn }\n", sam_buffer_text(&w->head),
                      sam_buffer_text(&w->body));
    w->x.text = sam_buffer_text(&text);
    (writer_below(w, w->seldom) == 0 ? plain_run : lowered_run)(&w->x);
    writer_close(w);
}

void writer_close(struct writer *w)
{
    lowered_free(&w->x);
    sam_buffer_free(&w->head);
    sam_buffer_free(&w->body);
}
